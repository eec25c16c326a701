// Builders for cards, issued through the API, and readers of their history and events in the database.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Db } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import { newUuid } from '../../src/kernel/ids.js';
import { type Answer, type Client, expectStatus } from './client.js';
import { given } from './given.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

export const freezing = { status: 'FROZEN', substatus: 'END_USER_REQUEST', reason: 'The cardholder asked for a pause.' };
export const activating = { status: 'ACTIVE', substatus: 'OTHER', reason: 'The pause is over.' };
export const closing = { status: 'CLOSED', substatus: 'LOST', reason: 'The cardholder lost the phone.' };

export const idempotent = (key: string = randomUUID()) => ({ headers: { 'idempotency-key': key } });

export const chooseProgram = (platform: Client, program: string): Promise<Resource> =>
  expectStatus(200, platform.put('/sandbox/card-program', { program }));

export const requestCard = (platform: Client, body: Record<string, unknown>, key?: string): Promise<Answer> =>
  platform.post('/cards', { form: 'VIRTUAL', ...body }, idempotent(key));

/** Polls until the issuer has answered. */
export async function provisioned(platform: Client, id: string): Promise<Resource> {
  for (let i = 0; i < 2_000; i += 1) {
    const card = await expectStatus(200, platform.get(`/cards/${id}`));
    if (card.status !== 'PROCESSING') return card;
  }
  throw new Error(`${id} is still PROCESSING`);
}

export type Wanted = {
  readonly program?: string;
  readonly currency?: 'USD' | 'USDB';
  readonly region?: string;
  readonly fields?: Record<string, unknown>;
};

/** A provisioned card of a new cardholder, with the cardholder's two accounts that can fund it. */
export async function givenCard(
  platform: Client,
  { program = 'service_full', currency = 'USD', region, fields = {} }: Wanted = {},
): Promise<{ card: Resource; customer: Resource; usd: Resource; usdb: Resource }> {
  await chooseProgram(platform, program);
  const { customer, usd, usdb } = await givenCardholder(platform, region === undefined ? {} : { region });
  const needsPassword = usd.cardCapabilities.supports3dSecurePassword;
  const request = {
    customerId: customer.id,
    fundingSource: currency === 'USD' ? usd.id : usdb.id,
    ...(needsPassword ? { threeDSecurePassword: 'correct horse' } : {}),
    ...fields,
  };
  const { id } = await expectStatus(201, requestCard(platform, request));
  return { card: await provisioned(platform, id), customer, usd, usdb };
}

export async function givenCardholder(platform: Client, fields: Record<string, unknown> = {}) {
  const build = given(platform);
  const customer = await build.customer(fields);
  const [usd, usdb] = await Promise.all([build.account(customer, 'USD'), build.account(customer, 'USDB')]);
  return { customer, usd, usdb };
}

const uuid = (id: string): string => id.slice(id.indexOf(':') + 1);

export type CardEvent = { readonly type: string; readonly sequence: number; readonly data: Resource };

/** Events of a card, oldest first. */
export const eventsOf = async (db: Db, cardId: string): Promise<CardEvent[]> =>
  (
    await db.many<CardEvent & { sequence: bigint }>(
      sql`select type, sequence, data from webhook_events where object_id = ${cardId} order by sequence`,
    )
  ).map((event) => ({ ...event, sequence: Number(event.sequence) }));

export type CardHistoryRow = {
  version: number;
  cause: string;
  token_id: string | null;
  from_status: string | null;
  to_status: string;
  substatus: string | null;
  reason: string | null;
  funding_account_id: string;
};

export const historyOf = (db: Db, cardId: string): Promise<CardHistoryRow[]> =>
  db.many<CardHistoryRow>(sql`
    select version, cause, token_id, from_status, to_status, substatus, reason, funding_account_id
    from card_history where card_id = ${uuid(cardId)} order by version`);

/** Every stored row of a card. */
export async function recordOf(db: Db, cardId: string): Promise<unknown> {
  const [card, sources, history, events] = await Promise.all([
    db.one(sql`select * from cards where id = ${uuid(cardId)}`),
    db.many(sql`select * from card_funding_sources where card_id = ${uuid(cardId)} order by id`),
    historyOf(db, cardId),
    eventsOf(db, cardId),
  ]);
  return { card, sources, history, events };
}

/** Runs a request that must not change the card. */
export async function unchanged(db: Db, cardId: string, request: () => Promise<Answer>): Promise<Answer> {
  const before = await recordOf(db, cardId);
  const answer = await request();
  assert.deepEqual(await recordOf(db, cardId), before, 'a refusal changes nothing');
  return answer;
}

/** A placeholder for a PIN block that is encrypted for the issuer. */
const encryptedPinBlock = Buffer.from('a block only the issuer can open').toString('base64');

export const pinOf = (platform: Client, db: Db, cardId: string) => ({
  set: (body: unknown = { encryptedPinBlock }): Promise<Answer> => platform.post(`/cards/${cardId}/set-pin`, body),
  unblock: (): Promise<Answer> => platform.post(`/cards/${cardId}/pin/unblock`),
  /** Simulates three wrong PIN entries. */
  block: (): Promise<Answer> => platform.post(`/sandbox/cards/${cardId}/simulate/pin_blocked`),
  status: async (): Promise<string> => (await expectStatus(200, platform.get(`/cards/${cardId}`))).pinStatus,
  /** The PIN statuses for which an event was sent. */
  notifiedStatuses: async (): Promise<string[]> =>
    (await eventsOf(db, cardId)).filter(({ type }) => type === 'CARD.PIN_STATUS_CHANGE').map(({ data }) => data.pinStatus),
});

// ---- cards inserted directly in any state, for tests that need hundreds

export type Holder = {
  readonly platformId: string;
  readonly customerId: string;
  readonly accounts: { readonly USD: string; readonly USDB: string };
};

/** A cardholder, with ids as uuids. */
export async function givenHolder(platform: Client, db: Db): Promise<Holder> {
  const { customer, usd, usdb } = await givenCardholder(platform);
  const row = await db.one<{ platform_id: string }>(sql`select platform_id from customers where id = ${uuid(customer.id)}`);
  return { platformId: row?.platform_id as string, customerId: uuid(customer.id), accounts: { USD: uuid(usd.id), USDB: uuid(usdb.id) } };
}

const REASONS: Readonly<Record<string, string>> = { PENDING: 'DELEGATION_REQUIRED', CLOSED: 'CLOSED_BY_PLATFORM' };

/** Inserts a card in this state, with this number of freezes in its history, and with a key for its USDB account if `hasKey`. */
export async function placeCard(
  db: Db,
  { platformId, customerId, accounts }: Holder,
  {
    status,
    funding,
    hasKey,
    program,
    freezes = 0,
  }: { status: string; funding: 'USD' | 'USDB'; hasKey: boolean; program: string; freezes?: number },
): Promise<string> {
  const id = newUuid();
  const sources = { USD: newUuid(), USDB: newUuid() };
  const version = 1 + 2 * freezes;
  await db.transaction(async (tx) => {
    await tx.run(sql`
      insert into cards (platform_id, id, customer_id, platform_card_id, status, status_reason, program, form, currency, funding_account_id,
        funding_currency, funding_source_id, pin_status, brand, last4, exp_month, exp_year, processor_ref, issuer_ref, version,
        provisioning_due_at, created_at, updated_at)
      values (${platformId}, ${id}, ${customerId}, ${id}, ${status}, ${REASONS[status]}, ${program}, 'VIRTUAL', 'USD', ${accounts[funding]},
        ${funding}, ${status === 'CLOSED' ? null : sources[funding]}, null, 'VISA', '0000', 12, 2099, 'processor', 'issuer', ${version},
        ${status === 'PROCESSING' ? new Date('2099-01-01') : null}, now(), now())`);
    for (const currency of ['USD', 'USDB'] as const) {
      await tx.run(sql`
        insert into card_funding_sources (platform_id, id, card_id, account_id, bound_at, detached_at)
        values (${platformId}, ${sources[currency]}, ${id}, ${accounts[currency]}, now(),
          ${currency === funding && status !== 'CLOSED' ? null : new Date()})`);
    }
    for (let at = 1; at <= version; at += 1) {
      await tx.run(sql`
        insert into card_history (platform_id, card_id, version, cause, from_status, to_status, funding_account_id, at)
        values (${platformId}, ${id}, ${at}, 'UPDATED', 'ACTIVE', ${at % 2 ? 'ACTIVE' : 'FROZEN'}, ${accounts[funding]}, now())`);
    }
    if (hasKey) {
      await tx.run(sql`
        insert into delegated_keys (platform_id, id, card_id, funding_source_id, account_id, public_key, private_key_sealed, nickname, status, created_at, updated_at)
        values (${platformId}, ${newUuid()}, ${id}, ${sources.USDB}, ${accounts.USDB}, '02', '\\x00', 'key', 'ACTIVE', now(), now())`);
    }
  });
  return `Card:${id}`;
}
