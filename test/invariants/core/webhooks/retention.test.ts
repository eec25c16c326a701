// Events and attempts have a configured life: old weeks are dropped whole, and nothing that is still to be delivered.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { enqueueEvents } from '../../../../src/domains/core/webhooks/actions.js';
import { keepToLife } from '../../../../src/domains/core/webhooks/retention.js';
import { newId, type PlatformId, uuidAt, uuidOf } from '../../../../src/kernel/ids.js';
import { DAY_MS } from '../../../../src/kernel/time.js';
import { assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { cardData, cardEvent, givenEndpoint, platformIdOf, settle, tell } from '../../../support/webhooks/platform.js';

const WEEK_MS = 7 * DAY_MS;
const now = new Date();
/** Monday, 20 weeks ago. */
const oldWeek = new Date(Math.floor((now.getTime() - 20 * WEEK_MS) / DAY_MS) * DAY_MS);
oldWeek.setUTCDate(oldWeek.getUTCDate() - ((oldWeek.getUTCDay() + 6) % 7));
const thisWeek = new Date(oldWeek.getTime() + 20 * WEEK_MS);

let service: TestService;
let platform: Client;
let platformId: PlatformId;
const warnings: string[] = [];
const log = { info: () => {}, warn: (_fields: object, text: string) => void warnings.push(text) };
const keep = (eventDays: number, attemptDays: number) => keepToLife({ db: service.db, life: { eventDays, attemptDays }, log });

const weekNames = async () => (await service.db.many<{ name: string }>(sql`select name from webhook_weeks()`)).map(({ name }) => name);
const nameOf = (monday: Date) => `w${monday.toISOString().slice(0, 10).replaceAll('-', '')}`;
const makeWeek = async (monday: Date) => {
  for (const table of ['webhook_events', 'webhook_attempts', 'webhook_log'])
    await service.db.run(
      sql`select make_webhook_partition(${table}, ${nameOf(monday)}, ${monday}::date, ${new Date(monday.getTime() + WEEK_MS)}::date)`,
    );
};

before(async () => {
  // Without its own worker: only the tests keep to the life.
  service = await startTestService({ ROLE: 'api' });
  platform = service.platform;
  platformId = await platformIdOf(service, platform);
  // A new database begins with one partition up to this week. An older one has a partition per week.
  await service.db.run(sql`drop table webhook_events_first, webhook_attempts_first, webhook_log_first`);
  await makeWeek(oldWeek);
  if (!(await weekNames()).includes(nameOf(thisWeek))) await makeWeek(thisWeek);
});
after(() => service.stop());

/** An event of the old week that was delivered by its first attempt, with all that belongs to it. */
async function givenOldEvent(objectId: string, sequence: number, minute: number) {
  const at = new Date(oldWeek.getTime() + DAY_MS + minute * 60_000);
  const id = `${uuidAt(at.getTime()).slice(0, 14)}7${newId('Webhook').slice(23)}`;
  const position = BigInt(at.getTime()) * 1_000n;
  const owner = uuidOf(platformId);
  await service.db.run(sql`
    insert into webhook_events (platform_id, id, type, object_id, sequence, data, created_at, commit_id, queued)
    values (${owner}, ${id}, 'card.status_change', ${objectId}, ${sequence}, ${JSON.stringify(cardData(objectId))}, ${at}, ${id}, true)`);
  await service.db.run(sql`
    insert into webhook_log (platform_id, position, commit_id, event_ids, queued) values (${owner}, ${position}, ${id}, array[${id}::uuid], true)`);
  await service.db.run(sql`
    insert into webhook_attempts (platform_id, event_id, number, url, request_headers, started_at, duration_ms, response_status, response_body)
    values (${owner}, ${id}, 1, 'http://127.0.0.1:9/', '{}', ${at}, 1, 200, '')`);
  await service.db.run(sql`
    insert into webhook_cursors (platform_id, last_position, settled, claimed) values (${owner}, ${position}, ${position}, ${position})
    on conflict (platform_id) do update set last_position = excluded.last_position, settled = excluded.settled, claimed = excluded.claimed`);
  return `Webhook:${id}`;
}

const oldObject = `Card:${uuidAt(oldWeek.getTime()).slice(0, 14)}7${newId('Card').slice(20)}`;

describe('partitions', () => {
  test('the weeks ahead are made, and events that came before their week was made move there', async () => {
    await keep(0, 0);
    const weeks = await service.db.many<{ ends: string }>(sql`select ends from webhook_weeks() order by ends desc limit 1`);
    assert.ok(Date.parse(weeks[0]?.ends ?? '') >= now.getTime() + 28 * DAY_MS);
    const late = new Date(now.getTime() + 60 * DAY_MS);
    const id = `${uuidAt(late.getTime()).slice(0, 14)}7${newId('Webhook').slice(23)}`;
    await service.db.run(sql`
      insert into webhook_events (platform_id, id, type, object_id, sequence, data, created_at)
      values (${uuidOf(platformId)}, ${id}, 'TEST', 'late', 1, '{}', now())`);
    const placeOf = async () =>
      (await service.db.one<{ place: string }>(sql`select tableoid::regclass::text as place from webhook_events where id = ${id}`))?.place;
    // On a cluster the number of the part follows.
    assert.match((await placeOf()) ?? '', /^webhook_events_last(_\d+)?$/);
    await service.db.one(sql`select extend_webhook_log(${late})`);
    assert.match((await placeOf()) ?? '', /^webhook_events_w\d{8}(_\d+)?$/);
  });
});

describe('the life of attempts is over', () => {
  test('the event stays delivered, without its attempts; sent again it has a new one', async () => {
    const receiver = await givenEndpoint(platform);
    try {
      const event = await givenOldEvent(oldObject, 1, 1);
      assert.equal((await expectStatus(200, platform.get(`/webhooks/events/${event}`))).attempts.length, 1);
      await keep(0, 90);
      const shown = await expectStatus(200, platform.get(`/webhooks/events/${event}`));
      assert.deepEqual([shown.deliveryStatus, shown.attemptCount, shown.attempts], ['DELIVERED', 1, []]);
      await expectStatus(202, platform.post(`/webhooks/events/${event}/resend`));
      await settle(platform);
      await keep(0, 90);
      const again = await expectStatus(200, platform.get(`/webhooks/events/${event}`));
      assert.deepEqual([again.deliveryStatus, again.attempts.length], ['DELIVERED', 1]);
    } finally {
      await receiver.close();
    }
  });
});

describe('the life of events is over', () => {
  test('a week with an event that is still to be delivered is kept, with a warning', async () => {
    const event = await givenOldEvent(oldObject, 2, 2);
    const pending = sql`
      insert into webhook_deliveries (platform_id, event_id, object_id, sequence, status, failures, due_at, retry_until)
      values (${uuidOf(platformId)}, ${event.slice('Webhook:'.length)}, ${oldObject}, 2, 'PENDING', 1, '2100-01-01', '2100-01-01')`;
    await service.db.run(pending);
    await keep(90, 90);
    assert.match(warnings.join(), /still to be delivered/);
    assert.equal((await expectStatus(200, platform.get(`/webhooks/events/${event}`))).deliveryStatus, 'PENDING');
    await service.db.run(
      sql`update webhook_deliveries set status = 'FAILED', finished_at = now() where event_id = ${event.slice('Webhook:'.length)}`,
    );
  });

  test('its events, attempts and deliveries are dropped; younger ones stay', async () => {
    const [old, young] = [await givenOldEvent(oldObject, 3, 3), newId('Card')];
    await tell(service, platform, cardEvent(young));
    await keep(90, 90);
    assert.ok(!(await weekNames()).includes(nameOf(oldWeek)));
    assertRefused(await platform.get(`/webhooks/events/${old}`), 404, 'NOT_FOUND');
    assert.deepEqual(await service.db.many(sql`select from webhook_deliveries where object_id = ${oldObject}`), []);
    assert.equal((await expectStatus(200, platform.get(`/webhooks/events?objectId=${young}`))).data.length, 1);
  });

  test('the numbers of an object continue', async () => {
    await service.db.transaction(async (tx) => enqueueEvents(tx, platformId, now, [cardEvent(oldObject), cardEvent(oldObject)]));
    const rows = await service.db.many<{ sequence: bigint }>(
      sql`select sequence from webhook_events where platform_id = ${uuidOf(platformId)} and object_id = ${oldObject} order by sequence`,
    );
    assert.deepEqual(
      rows.map(({ sequence }) => sequence),
      [4n, 5n],
    );
  });

  test('a stream that goes on after a dropped event is refused, and the answer says since when events are kept', async () => {
    const dropped = `Webhook:${uuidAt(oldWeek.getTime() + 1).slice(0, 14)}7${newId('Webhook').slice(23)}`;
    const answer = await platform.get(`/webhooks/stream?lastEventId=${dropped}`);
    assertRefused(answer, 404, 'NOT_FOUND');
    assert.match(answer.text, /keptSince/);
    assert.doesNotMatch((await platform.get(`/webhooks/stream?lastEventId=${newId('Webhook')}`)).text, /keptSince/);
  });

  test('a snapshot from before comes back without the events of the week, and the numbers of their objects go on', async () => {
    await makeWeek(oldWeek);
    const object = `Card:${uuidAt(oldWeek.getTime()).slice(0, 14)}7${newId('Card').slice(20)}`;
    const [old, young] = [await givenOldEvent(object, 1, 5), newId('Card')];
    await givenOldEvent(object, 2, 6);
    await tell(service, platform, cardEvent(young));
    await expectStatus(201, platform.post('/sandbox/snapshots', { name: 'before' }));
    await keep(90, 90);
    assert.ok(!(await weekNames()).includes(nameOf(oldWeek)));
    await expectStatus(200, platform.post('/sandbox/snapshots/before/restore'));
    assertRefused(await platform.get(`/webhooks/events/${old}`), 404, 'NOT_FOUND');
    assert.equal((await expectStatus(200, platform.get(`/webhooks/events?objectId=${young}`))).data.length, 1);
    await tell(service, platform, cardEvent(object));
    const { data } = await expectStatus(200, platform.get(`/webhooks/events?objectId=${object}`));
    const event = await service.db.one<{ sequence: bigint }>(sql`
      select sequence from webhook_events where platform_id = ${uuidOf(platformId)} and object_id = ${object}`);
    assert.deepEqual([data.length, event?.sequence], [1, 3n]);
  });
});
