// Plans of the hot statements of webhooks, on tables without statistics: by index, and in one partition of each table.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDb } from '../../src/db/pool.js';
import { Sql, sql } from '../../src/db/sql.js';
import { enqueueEvents } from '../../src/domains/core/webhooks/actions.js';
import { positionAll } from '../../src/domains/core/webhooks/positions.js';
import { findEvent } from '../../src/domains/core/webhooks/store.js';
import {
  claimDeliveries,
  findPlatformsWithWork,
  insertAttempts,
  insertDeliveries,
  tuneForQueue,
} from '../../src/domains/core/webhooks/store-deliveries.js';
import {
  insertPositions,
  listEventsAfter,
  listInbox,
  listToSend,
  lockCursor,
  saveCursor,
  settleTo,
} from '../../src/domains/core/webhooks/store-log.js';
import { newId, uuidOf } from '../../src/kernel/ids.js';
import { createDatabase, plansOfOneServer, type TestDatabase } from '../support/database.js';
import { cardEvent } from '../support/webhooks/platform.js';

const now = new Date('2026-03-01T12:00:00Z');
const platformId = newId('Platform');
const cards = Array.from({ length: 200 }, () => newId('Card'));
const COMMITS = 100;

let database: TestDatabase;
let db: ReturnType<typeof openDb>;
before(async () => {
  if (plansOfOneServer()) return;
  database = await createDatabase();
  db = openDb({ url: database.url, poolSize: 2 });
  for (const table of ['webhook_events_first', 'webhook_attempts_first', 'webhook_log_first', 'webhook_inbox', 'webhook_deliveries'])
    await db.run(new Sql(`alter table ${table} set (autovacuum_enabled = false)`, []));
  for (const id of [platformId, newId('Platform')]) {
    await db.run(sql`
      insert into platforms (id, name, mode, config, webhook_endpoint, created_at, updated_at)
      values (${uuidOf(id)}, 'plans', 'sandbox', '{}', 'http://127.0.0.1:9/', now(), now())`);
    for (let i = 0; i < COMMITS; i += 1) {
      const events = cards.slice((i * 20) % cards.length).slice(0, 20);
      await db.transaction(async (tx) =>
        enqueueEvents(
          tx,
          id,
          now,
          events.map((card) => cardEvent(card)),
        ),
      );
      if (i === COMMITS - 10) await positionAll(db, id);
    }
  }
});
after(async () => {
  await db?.close();
  await database?.drop();
});

type PlanNode = { 'Node Type': string; 'Relation Name'?: string; 'Actual Loops': number; Plans?: PlanNode[] };
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const PARTITIONED = /^(webhook_(?:events|attempts|log))_(?:first|last|w\d{8})$/;

/** The statements of a store function, as it sends them. */
async function statementsOf(work: (tx: Parameters<typeof saveCursor>[0]) => unknown): Promise<Sql[]> {
  const sent: Sql[] = [];
  const keep =
    <Result>(result: Result) =>
    async (query: Sql) => {
      sent.push(query);
      return result;
    };
  await Promise.resolve(
    work({
      many: keep([]),
      one: keep(undefined),
      run: keep(0),
      send: (query) => void sent.push(query),
      attempt: (attempted) => attempted(),
      afterCommit: () => {},
    } as Parameters<typeof saveCursor>[0]),
  ).catch(() => {});
  return sent;
}

const rolledBack = new Error('rolled back');

async function planOf(statement: Sql, tuned: boolean): Promise<PlanNode[]> {
  let nodes: PlanNode[] = [];
  await db
    .transaction(async (tx) => {
      if (tuned) tuneForQueue(tx, { joins: 'NESTED' });
      else tx.send(sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`);
      const row = await tx.one<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        new Sql(`explain (analyze, format json) ${statement.text}`, statement.values),
      );
      nodes = nodesOf(row?.['QUERY PLAN'][0].Plan ?? assert.fail('no plan'));
      throw rolledBack;
    })
    .catch((error: unknown) => assert.equal(error, rolledBack));
  return nodes;
}

test('every hot statement reads by index, and one partition of each table', { skip: plansOfOneServer() }, async () => {
  const inbox = await listInbox(db, platformId, { commits: 5, events: 200 });
  assert.equal(inbox.length, 5);
  const state = await db.transaction((tx) => lockCursor(tx, platformId, { waits: true }));
  assert.ok(state);
  const event = inbox[0]?.events[0] ?? assert.fail('no event');
  const range = { after: 0n, upTo: state.lastPosition, commits: 10, events: 100, claimed: state.lastPosition };
  const attempt = {
    number: 1,
    url: 'u',
    requestHeaders: {},
    startedAt: now,
    durationMs: 1,
    responseStatus: 200,
    responseBody: '',
    failure: null,
  };
  const delivery = { ...event, status: 'PENDING' as const, failures: 1, dueAt: now, finishedAt: null, retryUntil: now };
  const claim = { now, realNow: now, leasedUntil: now, afterObject: '', objects: 10, perObject: 32, retries: 10 };
  const cursor = { lastPosition: 1n, settled: 1n, claimed: 1n, lease: null };
  const tuned = (work: Parameters<typeof statementsOf>[0]) => ({ work, tuned: true });
  const plain = (work: Parameters<typeof statementsOf>[0]) => ({ work, tuned: false });
  const hot = {
    'write events': plain((tx) =>
      enqueueEvents(
        tx,
        platformId,
        now,
        cards.slice(0, 32).map((card) => cardEvent(card)),
      ),
    ),
    'lock the cursor': tuned((tx) => lockCursor(tx, platformId, { waits: false })),
    'read the inbox': tuned((tx) => listInbox(tx, platformId, { commits: 5, events: 200 })),
    'give positions': tuned((tx) =>
      insertPositions(
        tx,
        platformId,
        inbox.map((commit, i) => ({ ...commit, position: state.lastPosition + BigInt(i) + 1n })),
      ),
    ),
    'save the cursor': tuned((tx) => saveCursor(tx, platformId, cursor)),
    settle: tuned((tx) => settleTo(tx, platformId, newId('Platform').slice(9), { settled: 1n, endsAt: null })),
    'read the log': tuned((tx) => listToSend(tx, platformId, range)),
    'write attempts': tuned((tx) => insertAttempts(tx, platformId, [{ ...delivery, fromLog: true, attempt }])),
    'write deliveries': tuned((tx) => insertDeliveries(tx, platformId, [{ ...delivery, attempts: 1, leasedUntil: null }])),
    'claim delivery rows': tuned((tx) => claimDeliveries(tx, platformId, claim)),
    'find platforms with work': tuned((tx) => findPlatformsWithWork(tx, 'sandbox', newId('Platform').slice(9))),
    'read the stream': plain((tx) => listEventsAfter(tx, platformId, { position: state.lastPosition - 5n, place: 0 }, 100)),
    'get an event': plain((tx) => findEvent(tx, platformId, event.id)),
  };
  for (const [name, { work, tuned }] of Object.entries(hot)) {
    const statements = await statementsOf(work);
    assert.ok(statements.length > 0, name);
    for (const statement of statements) {
      const read = (await planOf(statement, tuned)).filter((node) => node['Actual Loops'] > 0 && node['Relation Name'] !== undefined);
      const scanned = read.filter((node) => node['Node Type'] === 'Seq Scan' && /^webhook_/.test(node['Relation Name'] ?? ''));
      assert.deepEqual(scanned, [], `${name}: ${statement.text}`);
      const partitions = new Map<string, Set<string>>();
      for (const node of read) {
        const relation = node['Relation Name'] ?? '';
        const parent = PARTITIONED.exec(relation)?.[1];
        if (parent) partitions.set(parent, new Set([...(partitions.get(parent) ?? []), relation]));
      }
      for (const [parent, found] of partitions) assert.ok(found.size <= 1, `${name} reads ${[...found].join(', ')} of ${parent}`);
    }
  }
});
