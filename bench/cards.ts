// Cards: status changes, with their history and webhook rows, and reads.
import type pg from 'pg';
import type { Tx } from '../src/db/pool.js';
import type { Sql } from '../src/db/sql.js';
import type { Card, CardChange } from '../src/domains/cards/cards/card.js';
import { lockCard, saveCard, toCard } from '../src/domains/cards/cards/store.js';
import { enqueueEvents } from '../src/domains/core/webhooks/actions.js';
import { type CardId, idOf, type PlatformId } from '../src/kernel/ids.js';
import { besideBareRoute } from './foundation.js';
import { atLeast, type Row, sideBySide } from './measure.js';
import { type BenchService, startBenchService } from './service.js';

const CALLERS = 64;
/** The default pool size of one process of the service. */
const CONNECTIONS = 10;

const MOVES = {
  ACTIVE: { status: 'FROZEN', substatus: 'OTHER', reason: 'Measured.' },
  FROZEN: { status: 'ACTIVE', substatus: 'OTHER', reason: 'Measured.' },
} as const;
type Toggled = keyof typeof MOVES;

export async function cards(): Promise<Row[]> {
  const service = await startBenchService();
  const plain = service.plainPool(CONNECTIONS);
  try {
    const ids = await issueCards(service, 2 * CALLERS);
    const { rows } = await plain.query<{ platform_id: string }>('select platform_id from cards limit 1');
    const platformId = idOf('Platform', rows[0]?.platform_id as string);
    const states = new Map<CardId, Toggled>();

    const { ours, theirs } = await sideBySide(
      {
        ours: async (caller) => {
          const id = ids[caller] as CardId;
          const from = states.get(id) ?? 'ACTIVE';
          await service.client.expect(200, caller, 'PATCH', `/cards/${id}`, MOVES[from]);
          states.set(id, MOVES[from].status);
        },
        theirs: (caller) => plainToggle(plain, platformId, ids[CALLERS + caller] as CardId),
      },
      { callers: CALLERS, seconds: 4 },
    );
    return [
      atLeast('PATCH of a card to FROZEN and back', ours, theirs, 'the same SQL with plain pg', 0.6),
      await besideBareRoute(service, 'GET of a card', `/cards/${ids[0]}`),
    ];
  } finally {
    service.client.close();
    await plain.end();
    await service.stop();
  }
}

async function issueCards({ client }: BenchService, count: number): Promise<CardId[]> {
  const ids: CardId[] = [];
  for (let i = 0; i < count; i += 1) {
    const { id: customerId } = JSON.parse(
      await client.expect(201, 0, 'POST', '/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' }),
    );
    const { data } = JSON.parse(await client.expect(200, 0, 'GET', `/customers/internal-accounts?customerId=${customerId}&currency=USD`));
    const request = { customerId, form: 'VIRTUAL', fundingSource: data[0].id };
    ids.push(JSON.parse(await client.expect(201, 0, 'POST', '/cards', request, { 'idempotency-key': customerId })).id);
  }
  for (const id of ids) while (!/"ACTIVE"/.test(await client.expect(200, 0, 'GET', `/cards/${id}`)));
  return ids;
}

/** Collects the statements of a store function without executing them. */
async function statementsOf(work: (tx: Tx) => unknown): Promise<Sql[]> {
  const sent: Sql[] = [];
  const keep = <Result>(query: Sql, result: Result) => {
    sent.push(query);
    return Promise.resolve(result);
  };
  try {
    await work({
      many: (query) => keep(query, []),
      one: (query) => keep(query, undefined),
      run: (query) => keep(query, 0),
      send: (query) => void keep(query, 0),
      attempt: (attempted) => attempted(),
      afterCommit() {},
    });
  } catch {
    // The code after the first statement may fail, because there are no rows. Only the statement is needed.
  }
  return sent;
}

const names = new Map<string, string>();
const nameOf = (text: string): string => {
  const name = names.get(text) ?? `plain_${names.size}`;
  names.set(text, name);
  return name;
};

/** Freezes or unfreezes a card with the statements of the service, sent one by one by the plain driver. */
async function plainToggle(pool: pg.Pool, platformId: PlatformId, id: CardId): Promise<void> {
  const client = await pool.connect();
  try {
    const send = ({ text, values }: Sql) => client.query({ name: nameOf(text), text, values: values as unknown[] });
    await client.query('begin');
    const [lock] = await statementsOf((tx) => lockCard(tx, platformId, id));
    const { rows } = await send(lock as Sql);
    const card = toCard(rows[0]);
    const changed: Card = { ...card, status: MOVES[card.status as Toggled].status, version: card.version + 1, updatedAt: new Date() };
    const change: CardChange = { cause: 'UPDATED', tokenId: null, substatus: 'OTHER', reason: 'Measured.' };
    const event = { type: 'card.status_change', objectId: id, data: { id, status: changed.status } } as const;
    for (const statement of [
      ...(await statementsOf((tx) => saveCard(tx, platformId, card, changed, change, changed.updatedAt))),
      ...(await statementsOf((tx) => enqueueEvents(tx, platformId, changed.updatedAt, [event]))),
    ]) {
      await send(statement);
    }
    await client.query('commit');
  } finally {
    client.release();
  }
}
