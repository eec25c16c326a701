// The endpoint changes while deliveries are under way: what it has not decided goes to the new one.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Deliverer } from '../../../src/domains/webhooks/delivery.js';
import { newId } from '../../../src/kernel/ids.js';
import { type Client, expectStatus } from '../../support/client.js';
import { startTestService, type TestService } from '../../support/service.js';
import { cardEvent, envelopeOf, setEndpoint, tell } from '../../support/webhooks/platform.js';
import { type Receiver, type Reply, startReceiver } from '../../support/webhooks/receiver.js';
import { workerOn } from '../../support/webhooks/worker.js';

const key = randomBytes(32);

let service: TestService;
let worker: Deliverer;
before(async () => {
  // No worker of its own: the one below is the only one.
  service = await startTestService({ ROLE: 'api', KEY_ENCRYPTION_KEY: key.toString('base64') });
  worker = workerOn(service.db, key, {});
  worker.start();
});
after(async () => {
  await worker.stop();
  await service.stop();
});

const until = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) await new Promise(setImmediate);
};
const sequencesOf = ({ received }: Receiver): number[] =>
  received
    .map(envelopeOf)
    .filter(({ type }) => type !== 'TEST')
    .map(({ sequence }) => sequence);

/** A platform whose endpoint takes the TEST and keeps everything else waiting until it is told what to answer. */
async function slowEndpoint() {
  const client = await service.newPlatform();
  let answer: (reply: Reply) => void = () => {};
  const held = new Promise<Reply>((resolve) => {
    answer = resolve;
  });
  const receiver = await startReceiver({ reply: (received) => (envelopeOf(received).type === 'TEST' ? 200 : held) });
  await setEndpoint(client, receiver.url);
  return { client, receiver, answer };
}

const eventsOf = async (client: Client, objectId: string) =>
  (await expectStatus(200, client.get(`/webhooks/events?objectId=${objectId}`))).data as {
    deliveryStatus: string;
    attempts: { url: string; responseStatus: number }[];
  }[];

describe('"410 stops the endpoint"', () => {
  test('not the one that took its place: the event it was the answer to goes there', async () => {
    const { client, receiver: old, answer } = await slowEndpoint();
    const next = await startReceiver();
    try {
      const card = newId('Card');
      await tell(service, client, cardEvent(card));
      await until(() => sequencesOf(old).length === 1);
      await setEndpoint(client, next.url);
      answer(410);
      await until(async () => (await eventsOf(client, card))[0]?.deliveryStatus !== 'PENDING');

      const [event] = await eventsOf(client, card);
      assert.equal(event?.deliveryStatus, 'DELIVERED');
      assert.deepEqual(
        event?.attempts.map(({ url, responseStatus }) => [url, responseStatus]),
        [
          [next.url, 200],
          [old.url, 410],
        ],
      );
    } finally {
      await Promise.all([old.close(), next.close()]);
    }
  });
});
