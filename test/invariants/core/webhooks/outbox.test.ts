// "An event is written in the same transaction as the change it tells of: committed changes always have one, rolled-back ones never."
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { violatedConstraint } from '../../../../src/db/pool.js';
import { sql } from '../../../../src/db/sql.js';
import { enqueueEvents } from '../../../../src/domains/core/webhooks/actions.js';
import type { NewEvent } from '../../../../src/domains/core/webhooks/event.js';
import { newId, newUuid, uuidOf } from '../../../../src/kernel/ids.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const cardEvent = (objectId: string, data: Record<string, unknown> = {}): NewEvent => ({ type: 'card.status_change', objectId, data });

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const numbersOf = async (objectId: string) =>
  (await service.db.many<{ sequence: bigint }>(sql`select sequence from webhook_events where object_id = ${objectId} order by id`)).map(
    ({ sequence }) => Number(sequence),
  );
const enqueue = async (events: readonly NewEvent[]) => {
  const platformId = await platformIdOf(service, service.platform);
  return service.db.transaction(async (tx) => enqueueEvents(tx, platformId, now, events));
};

describe('the outbox', () => {
  test('a committed change has its event, a rolled-back one has none', async () => {
    const platformId = await platformIdOf(service, service.platform);
    const [kept, lost] = [newId('Card'), newId('Card')];
    await enqueue([cardEvent(kept)]);
    await assert.rejects(
      service.db.transaction(async (tx) => {
        await enqueueEvents(tx, platformId, now, [cardEvent(lost)]);
        throw new Error('refused after all');
      }),
    );
    assert.deepEqual(await numbersOf(kept), [1]);
    assert.deepEqual(await numbersOf(lost), []);
  });

  test('numbers rise by one per object, within one call and across calls, and objects do not share them', async () => {
    const [one, other] = [newId('Card'), newId('Card')];
    await enqueue([cardEvent(one), cardEvent(other), cardEvent(one)]);
    await enqueue([cardEvent(other), cardEvent(one)]);
    await enqueue([]);
    assert.deepEqual(await numbersOf(one), [1, 2, 3]);
    assert.deepEqual(await numbersOf(other), [1, 2]);
  });

  test('data is stored byte for byte', async () => {
    const card = newId('Card');
    const data = { b: 1, a: [{ z: null, ä: 'Zoë "quoted" \\ { } , \n' }], n: 9_007_199_254_740_991 };
    await enqueue([cardEvent(card, data)]);
    const row = await service.db.one<{ data: string }>(sql`select data::text as data from webhook_events where object_id = ${card}`);
    assert.equal(row?.data, JSON.stringify(data));
  });

  test('without an endpoint nothing is queued; with one every event is, due at once', async () => {
    const client = await service.newPlatform();
    const platformId = await platformIdOf(service, client);
    const tell = (objectId: string) => service.db.transaction(async (tx) => enqueueEvents(tx, platformId, now, [cardEvent(objectId)]));
    const [before, after] = [newId('Card'), newId('Card')];
    await tell(before);
    await service.db.run(
      sql`update platforms set webhook_endpoint = 'http://127.0.0.1:9/' where id = ${platformId.slice('Platform:'.length)}`,
    );
    await tell(after);
    const queued = await service.db.many(
      sql`select object_id, queued from webhook_events where object_id = any(${[before, after]}) order by id`,
    );
    assert.deepEqual(queued, [
      { object_id: before, queued: false },
      { object_id: after, queued: true },
    ]);
  });

  test('an event is one row, and a commit of many events adds one more', async () => {
    const platformId = await platformIdOf(service, await service.newPlatform());
    const rows = await service.db.transaction(async (tx) => {
      enqueueEvents(
        tx,
        platformId,
        now,
        Array.from({ length: 32 }, () => cardEvent(newId('Card'))),
      );
      return tx.one(sql`
        select (select count(*) from webhook_events where platform_id = ${uuidOf(platformId)}) as events,
          (select count(*) from webhook_inbox where platform_id = ${uuidOf(platformId)}) as commits,
          (select count(*) from webhook_deliveries where platform_id = ${uuidOf(platformId)}) as deliveries`);
    });
    assert.deepEqual(rows, { events: 32n, commits: 1n, deliveries: 0n });
  });

  test('the database refuses a sequence number given twice', async () => {
    const card = newId('Card');
    await enqueue([cardEvent(card)]);
    await assert.rejects(
      service.db.run(sql`insert into webhook_events (platform_id, id, type, object_id, sequence, data, created_at)
        select platform_id, ${newUuid()}, type, object_id, sequence, data, created_at from webhook_events where object_id = ${card}`),
      (error) => /^webhook_events_\w+_sequence$/.test(violatedConstraint(error) ?? ''),
    );
  });

  test('an event is never edited or deleted', async () => {
    const card = newId('Card');
    await enqueue([cardEvent(card)]);
    await assert.rejects(service.db.run(sql`update webhook_events set type = 'TEST' where object_id = ${card}`), /append-only/);
    await assert.rejects(service.db.run(sql`delete from webhook_events where object_id = ${card}`), /append-only/);
  });
});
