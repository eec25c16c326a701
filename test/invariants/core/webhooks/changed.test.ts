// The endpoint or the keys change during deliveries: requests not yet started go to the new endpoint, signed with the new keys.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Deliverer } from '../../../../src/domains/core/webhooks/delivery.js';
import { newId } from '../../../../src/kernel/ids.js';
import { type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { cardEvent, envelopeOf, setEndpoint, tell } from '../../../support/webhooks/platform.js';
import { type Receiver, type Reply, startReceiver } from '../../../support/webhooks/receiver.js';
import { verifyServiceSignature } from '../../../support/webhooks/verify.js';
import { workerOn } from '../../../support/webhooks/worker.js';

const key = randomBytes(32);

let service: TestService;
let worker: Deliverer;
before(async () => {
  // Without its own worker: only the worker below delivers.
  service = await startTestService({ ROLE: 'api', KEY_ENCRYPTION_KEY: key.toString('base64') });
  // Reads the configuration before every request. Longer snapshots only save time.
  worker = workerOn(service.db, key, { freshMs: 0 });
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

/** A platform whose endpoint answers the TEST event, and every other request when the test decides. */
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
  test('not the endpoint that replaced it: the event is sent there', async () => {
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

const EVENTS = 12;

test('deliveries claimed for the old endpoint and not yet sent go to the new one, in order', async () => {
  const { client, receiver: old, answer } = await slowEndpoint();
  const next = await startReceiver();
  try {
    const card = newId('Card');
    await tell(service, client, ...Array.from({ length: EVENTS }, () => cardEvent(card)));
    await until(() => sequencesOf(old).length === 1);
    await setEndpoint(client, next.url);
    answer(200);
    await until(() => sequencesOf(old).length + sequencesOf(next).length === EVENTS);
    assert.deepEqual(sequencesOf(old), [1]);
    assert.deepEqual(
      sequencesOf(next),
      Array.from({ length: EVENTS - 1 }, (_, i) => i + 2),
    );
  } finally {
    await Promise.all([old.close(), next.close()]);
  }
});

test('a key retired without overlap signs no request that had not started', async () => {
  const { client, receiver, answer } = await slowEndpoint();
  try {
    const card = newId('Card');
    await tell(service, client, ...Array.from({ length: EVENTS }, () => cardEvent(card)));
    await until(() => sequencesOf(receiver).length === 1);
    const [old] = (await expectStatus(200, client.get('/webhooks/signing-keys'))).data;
    const [fresh] = (await expectStatus(200, client.post('/webhooks/signing-keys/rotate', { overlapSeconds: 0 }))).data;
    answer(200);
    await until(() => sequencesOf(receiver).length === EVENTS);

    const events = receiver.received.filter((received) => envelopeOf(received).type !== 'TEST');
    const signedBy = ({ publicKeyPem }: { publicKeyPem: string }) =>
      events.map(({ headers, body }) => verifyServiceSignature(publicKeyPem, headers, body));
    assert.deepEqual(
      signedBy(old),
      events.map((_, i) => i === 0),
    );
    assert.deepEqual(
      signedBy(fresh),
      events.map((_, i) => i > 0),
    );
  } finally {
    await receiver.close();
  }
});
