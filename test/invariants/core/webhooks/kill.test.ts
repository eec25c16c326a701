// "a worker killed at any moment loses nothing and delivers nothing twice beyond at-least-once"
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newId } from '../../../../src/kernel/ids.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { cardEvent, envelopeOf, setEndpoint, tell } from '../../../support/webhooks/platform.js';
import { startReceiver } from '../../../support/webhooks/receiver.js';

const KILLS = Number(process.env['KILLS'] ?? 3);
const CARDS = 40;
const WORKERS = 2;

const key = randomBytes(32).toString('base64');
const script = fileURLToPath(new URL('../../../support/webhooks/worker-process.js', import.meta.url));

let service: TestService;
before(async () => {
  // Without its own worker: only the killed workers deliver.
  service = await startTestService({ ROLE: 'api', KEY_ENCRYPTION_KEY: key });
});
after(() => service.stop());

test(`${KILLS} workers killed while they deliver, two at work at any time`, { timeout: 60_000 + KILLS * 30_000 }, async (t) => {
  const { platform } = service;
  const receiver = await startReceiver({ reply: () => (Math.random() < 0.1 ? 500 : 200) });
  const startWorker = () => fork(script, [service.databaseUrl, key]);
  const workers: ChildProcess[] = Array.from({ length: WORKERS }, startWorker);
  const cards = Array.from({ length: CARDS }, () => newId('Card'));
  const counts = new Map<string, number>();
  const seen = () => new Set(receiver.received.map((received) => String(received.headers['webhook-id'])));
  try {
    await setEndpoint(platform, receiver.url);
    const tellSome = async () => {
      const events = cards.flatMap((card) => (Math.random() < 0.5 ? [cardEvent(card)] : []));
      for (const { objectId } of events) counts.set(objectId, (counts.get(objectId) ?? 0) + 1);
      await tell(service, platform, ...events);
    };
    for (let kills = 0; kills < KILLS; kills += 1) {
      await tellSome();
      // Kills the worker while it delivers the events of this round.
      const before = receiver.received.length;
      while (receiver.received.length === before) await pause(1);
      await pause(Math.random() * 30);
      const victim = workers.shift() as ChildProcess;
      const gone = once(victim, 'exit');
      victim.kill('SIGKILL');
      await gone;
      workers.push(startWorker());
    }
    const total = 1 + [...counts.values()].reduce((sum, count) => sum + count, 0);
    while (seen().size < total) await pause(20);
    assert.equal(seen().size, total, 'nothing was invented');

    const firstSeen = new Map<string, number[]>();
    const ids = new Set<string>();
    for (const received of receiver.received) {
      const { id, type, objectId, sequence } = envelopeOf(received);
      if (type === 'TEST' || ids.has(id)) continue;
      ids.add(id);
      firstSeen.set(objectId, [...(firstSeen.get(objectId) ?? []), sequence]);
    }
    for (const [card, count] of counts)
      assert.deepEqual(
        firstSeen.get(card),
        Array.from({ length: count }, (_, i) => i + 1),
        `${card}: every event, in the order of the commits`,
      );

    // Repeated requests: answers of 500, and requests whose outcome a killed worker could not write.
    const failed = receiver.received.length - total;
    t.diagnostic(`${total} events, ${receiver.received.length} requests`);
    assert.ok(failed <= total * 0.3 + KILLS * 8 * 2, `${failed} repeated requests`);
  } finally {
    for (const worker of workers) worker.kill('SIGKILL');
    await receiver.close();
  }
});
