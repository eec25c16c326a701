// SQL of card transactions.
import type { Tx } from '../../../db/pool.js';
import { records, valueById } from '../../../db/records.js';
import { allOf, type Sql, sql } from '../../../db/sql.js';
import {
  type CardId,
  type CustomerId,
  type InternalAccountId,
  idOf,
  type PlatformId,
  type TransactionId,
  uuidOf,
} from '../../../kernel/ids.js';
import type { PageRequest } from '../../../kernel/page.js';
import type { CardTransaction, CardTransactionStatus, DeclineReason, Direction, Merchant, Pull } from './card-transaction.js';

type Reader = Pick<Tx, 'one' | 'many'>;

/** The fields of a transaction that answer its authorization request. */
export type Answered = Pick<CardTransaction, 'id' | 'cardId' | 'issuerToken' | 'status' | 'declinedReason'>;

type TransactionRow = {
  id: string;
  card_id: string;
  account_id: string;
  customer_id: string;
  platform_customer_id: string;
  issuer_token: string;
  direction: Direction;
  status: CardTransactionStatus;
  declined_reason: DeclineReason | null;
  original_transaction_id: string | null;
  merchant: Merchant;
  currency: string;
  authorized: bigint;
  settled: bigint;
  refunded: bigint;
  held: bigint;
  pulled: bigint;
  shortfall: bigint;
  pull: Pull;
  pull_due_at: Date | null;
  expires_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

const toTransaction = (row: TransactionRow): CardTransaction => ({
  id: idOf('Transaction', row.id),
  cardId: idOf('Card', row.card_id),
  accountId: idOf('InternalAccount', row.account_id),
  customerId: idOf('Customer', row.customer_id),
  platformCustomerId: row.platform_customer_id,
  issuerToken: row.issuer_token,
  direction: row.direction,
  status: row.status,
  declinedReason: row.declined_reason,
  originalTransactionId: row.original_transaction_id === null ? null : idOf('Transaction', row.original_transaction_id),
  merchant: row.merchant,
  currency: row.currency,
  authorized: row.authorized,
  settled: row.settled,
  refunded: row.refunded,
  held: row.held,
  pulled: row.pulled,
  shortfall: row.shortfall,
  pull: row.pull,
  pullDueAt: row.pull_due_at,
  expiresAt: row.expires_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Cards and customers are looked up per transaction: a join may read all of the platform on tables without statistics. */
const select = (platformId: PlatformId, where: Sql, from = sql`card_transactions t`): Sql => sql`
  select t.*, c.customer_id, h.platform_customer_id
  from ${from},
    lateral (select customer_id from cards where platform_id = ${uuidOf(platformId)} and id = t.card_id limit 1) c,
    lateral (select platform_customer_id from customers where platform_id = ${uuidOf(platformId)} and id = c.customer_id limit 1) h
  where ${where}`;

const ofPlatform = (platformId: PlatformId): Sql => sql`t.platform_id = ${uuidOf(platformId)}`;

/** The transaction with this issuer token. */
export async function findByToken(tx: Reader, platformId: PlatformId, token: string): Promise<CardTransaction | undefined> {
  const row = await tx.one<TransactionRow>(select(platformId, sql`${ofPlatform(platformId)} and t.issuer_token = ${token}`));
  return row && toTransaction(row);
}

export async function findTransaction(tx: Reader, platformId: PlatformId, id: TransactionId): Promise<CardTransaction | undefined> {
  const row = await tx.one<TransactionRow>(select(platformId, sql`${ofPlatform(platformId)} and t.id = ${uuidOf(id)}`));
  return row && toTransaction(row);
}

/** Several transactions, by their ids. */
export async function findTransactions(
  tx: Reader,
  platformId: PlatformId,
  ids: readonly TransactionId[],
): Promise<Map<TransactionId, CardTransaction>> {
  const rows = await tx.many<TransactionRow>(select(platformId, sql`${ofPlatform(platformId)} and t.id = any(${ids.map(uuidOf)}::uuid[])`));
  return new Map(rows.map((row) => [idOf('Transaction', row.id), toTransaction(row)]));
}

/** Where the money of a transaction is. It does not change while the transaction exists. */
export type Place = {
  readonly id: TransactionId;
  readonly cardId: CardId;
  readonly accountId: InternalAccountId;
  readonly isWallet: boolean;
};

type PlaceRow = Pick<TransactionRow, 'id' | 'issuer_token' | 'card_id' | 'account_id'> & { is_wallet: boolean };

const toPlace = (row: PlaceRow): Place => ({
  id: idOf('Transaction', row.id),
  cardId: idOf('Card', row.card_id),
  accountId: idOf('InternalAccount', row.account_id),
  isWallet: row.is_wallet,
});

/** `keys`: a list `k`; `match`: which transaction a key names. */
const placesOf = (platformId: PlatformId, keys: Sql, match: Sql): Sql => sql`
  select t.*, a.is_wallet from ${keys},
    lateral (select id, issuer_token, card_id, account_id from card_transactions
             where platform_id = ${uuidOf(platformId)} and ${match} limit 1) t,
    lateral (select type = 'EMBEDDED_WALLET' as is_wallet from internal_accounts
             where platform_id = ${uuidOf(platformId)} and id = t.account_id limit 1) a`;

/** The places of the transactions that have these issuer tokens, by token. */
export async function findPlacesByToken(tx: Reader, platformId: PlatformId, tokens: readonly string[]): Promise<Map<string, Place>> {
  const rows = await tx.many<PlaceRow>(placesOf(platformId, sql`unnest(${tokens}::text[]) k (token)`, sql`issuer_token = k.token`));
  return new Map(rows.map((row) => [row.issuer_token, toPlace(row)]));
}

/** The places of transactions, by their ids. */
export async function findPlaces(tx: Reader, platformId: PlatformId, ids: readonly TransactionId[]): Promise<Map<TransactionId, Place>> {
  const rows = await tx.many<PlaceRow>(placesOf(platformId, sql`unnest(${ids.map(uuidOf)}::uuid[]) k (id)`, sql`id = k.id`));
  return new Map(rows.map((row) => [idOf('Transaction', row.id), toPlace(row)]));
}

/** The transaction that has the token of a request already. */
export type Known = Answered &
  Pick<CardTransaction, 'direction' | 'originalTransactionId' | 'authorized' | 'settled'> & {
    /** Network messages opened it, and no request has been answered yet. */
    readonly unrequested: boolean;
    readonly hasNetworkMessages: boolean;
  };

/** The transactions that have these tokens already, by token. */
export async function findAnswers(tx: Reader, platformId: PlatformId, tokens: readonly string[]): Promise<Map<string, Known>> {
  type AnswerRow = Pick<
    TransactionRow,
    'id' | 'card_id' | 'issuer_token' | 'direction' | 'status' | 'declined_reason' | 'original_transaction_id' | 'authorized' | 'settled'
  >;
  const rows = await tx.many<AnswerRow & { unrequested: boolean; has_network_messages: boolean }>(sql`
    select t.*, (select true from card_messages where platform_id = ${uuidOf(platformId)} and transaction_id = t.id limit 1) is not null as has_network_messages
    from unnest(${tokens}::text[]) k (token), lateral (
      select id, card_id, issuer_token, direction, status, declined_reason, original_transaction_id, authorized, settled, ${unrequested} as unrequested
      from card_transactions where platform_id = ${uuidOf(platformId)} and issuer_token = k.token limit 1
    ) t`);
  return new Map(
    rows.map((row) => [
      row.issuer_token,
      {
        id: idOf('Transaction', row.id),
        cardId: idOf('Card', row.card_id),
        issuerToken: row.issuer_token,
        direction: row.direction,
        status: row.status,
        declinedReason: row.declined_reason,
        originalTransactionId: row.original_transaction_id === null ? null : idOf('Transaction', row.original_transaction_id),
        authorized: row.authorized,
        settled: row.settled,
        unrequested: row.unrequested,
        hasNetworkMessages: row.has_network_messages,
      },
    ]),
  );
}

/** No request waits for the decision and none was declined. */
const unrequested = sql`waiting_requests = 0 and declined_reason is null`;

/** Whether network messages opened the transaction and no request has been answered yet. */
export async function isUnrequested(tx: Reader, platformId: PlatformId, id: TransactionId): Promise<boolean> {
  const row = await tx.one<{ unrequested: boolean }>(sql`
    select ${unrequested} as unrequested from card_transactions where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
  return row?.unrequested ?? false;
}

/** Whether a dispute claims part of the transaction or has recovered some of it. The card is locked. */
export async function isDisputed(tx: Reader, platformId: PlatformId, id: TransactionId): Promise<boolean> {
  const row = await tx.one(sql`
    select true from card_disputes
    where platform_id = ${uuidOf(platformId)} and transaction_id = ${uuidOf(id)} and (status = 'OPEN' or recovered > 0) limit 1`);
  return row !== undefined;
}

/** Changes the number of requests that wait for a decision; returns how many are left. */
export async function countWaitingRequests(tx: Tx, platformId: PlatformId, id: TransactionId, by: number): Promise<number> {
  const row = await tx.one<{ waiting_requests: number }>(sql`
    update card_transactions set waiting_requests = waiting_requests + ${by} where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} returning waiting_requests`);
  return row?.waiting_requests ?? 0;
}

/** Writes the answer to the first request for a transaction that network messages opened. */
export function saveAnswer(tx: Tx, platformId: PlatformId, { id, declinedReason }: CardTransaction): void {
  tx.send(sql`
    update card_transactions set waiting_requests = 1, declined_reason = ${declinedReason}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

/** The open authorizations of a card, oldest first. The card is locked. */
export async function findOpen(tx: Reader, platformId: PlatformId, cardId: CardId): Promise<CardTransaction[]> {
  const rows = await tx.many<TransactionRow>(
    select(
      platformId,
      sql`${ofPlatform(platformId)} and t.id in (
      select h.transaction_id from holds h where h.platform_id = ${uuidOf(platformId)} and h.owner_id = ${uuidOf(cardId)}) order by t.id`,
    ),
  );
  return rows.map(toTransaction);
}

/** What cards have pulled from accounts beyond what settled: it is given back when the transactions end. The accounts are locked. */
export async function findOutstanding(tx: Reader, platformId: PlatformId, accountIds: readonly string[]): Promise<Map<string, bigint>> {
  const rows = await tx.many<{ account_id: string; outstanding: bigint }>(sql`
    select f.account_id, sum(t.outstanding)::bigint as outstanding
    from unnest(${[...new Set(accountIds)]}::uuid[]) a (id),
      lateral (select account_id, card_id from card_funding_sources where platform_id = ${uuidOf(platformId)} and account_id = a.id offset 0) f,
      lateral (select transaction_id from holds
               where platform_id = ${uuidOf(platformId)} and owner_id = f.card_id and debit_account_id = f.account_id offset 0) h,
      lateral (select pulled + shortfall - settled + refunded as outstanding from card_transactions
               where platform_id = ${uuidOf(platformId)} and id = h.transaction_id and direction = 'DEBIT' limit 1) t
    group by f.account_id`);
  return new Map(rows.map((row) => [row.account_id, row.outstanding]));
}

export const insertTransactions = (tx: Tx, platformId: PlatformId, transactions: readonly CardTransaction[]): void =>
  tx.send(insertion(platformId, transactions));

/** Returns false when another transaction has the token already. A concurrent insert of the same token is waited for. */
export const insertIfNew = async (tx: Tx, platformId: PlatformId, transaction: CardTransaction): Promise<boolean> =>
  (await tx.run(sql`${insertion(platformId, [transaction])} on conflict (issuer_token, platform_id) do nothing`)) === 1;

const TRANSACTION_COLUMNS = {
  id: 'uuid',
  card_id: 'uuid',
  account_id: 'uuid',
  issuer_token: 'text',
  direction: 'text',
  status: 'text',
  declined_reason: 'text',
  original_transaction_id: 'uuid',
  merchant: 'jsonb',
  currency: 'text',
  authorized: 'bigint',
  settled: 'bigint',
  refunded: 'bigint',
  held: 'bigint',
  pulled: 'bigint',
  shortfall: 'bigint',
  pull: 'text',
  pull_due_at: 'timestamptz',
  expires_at: 'timestamptz',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const;

function insertion(platformId: PlatformId, transactions: readonly CardTransaction[]): Sql {
  const rows = transactions.map((t) => ({
    id: uuidOf(t.id),
    card_id: uuidOf(t.cardId),
    account_id: uuidOf(t.accountId),
    issuer_token: t.issuerToken,
    direction: t.direction,
    status: t.status,
    declined_reason: t.declinedReason,
    original_transaction_id: t.originalTransactionId && uuidOf(t.originalTransactionId),
    merchant: t.merchant,
    currency: t.currency,
    authorized: t.authorized,
    settled: t.settled,
    refunded: t.refunded,
    held: t.held,
    pulled: t.pulled,
    shortfall: t.shortfall,
    pull: t.pull,
    pull_due_at: t.pullDueAt,
    expires_at: t.expiresAt,
    created_at: t.createdAt,
    updated_at: t.updatedAt,
  }));
  return sql`
    insert into card_transactions (platform_id, id, card_id, account_id, issuer_token, direction, status, declined_reason,
      original_transaction_id, merchant, currency, authorized, settled, refunded, held, pulled, shortfall, pull, pull_due_at,
      expires_at, created_at, updated_at)
    select p.id, t.* from platforms p, ${records(TRANSACTION_COLUMNS, rows)} where p.id = ${uuidOf(platformId)}`;
}

/** Writes the columns of a transaction that can change. The card is locked. */
export function saveTransaction(tx: Tx, platformId: PlatformId, t: CardTransaction): void {
  tx.send(sql`
    update card_transactions set direction = ${t.direction}, status = ${t.status}, declined_reason = ${t.declinedReason}, authorized = ${t.authorized},
      settled = ${t.settled}, refunded = ${t.refunded}, held = ${t.held}, pulled = ${t.pulled}, shortfall = ${t.shortfall},
      pull_due_at = ${t.pullDueAt}, expires_at = ${t.expiresAt}, updated_at = ${t.updatedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(t.id)}`);
}

/** As `saveTransaction`, for several. Their cards are locked. */
export function saveTransactions(tx: Tx, platformId: PlatformId, transactions: readonly CardTransaction[]): void {
  const ids = transactions.map(({ id }) => uuidOf(id));
  const value = (type: 'bigint' | 'text' | 'timestamptz', of: (transaction: CardTransaction) => unknown): Sql =>
    valueById(ids, transactions.map(of), type);
  tx.send(sql`
    update card_transactions set direction = ${value('text', (t) => t.direction)}, status = ${value('text', (t) => t.status)},
      declined_reason = ${value('text', (t) => t.declinedReason)}, authorized = ${value('bigint', (t) => t.authorized)},
      settled = ${value('bigint', (t) => t.settled)}, refunded = ${value('bigint', (t) => t.refunded)}, held = ${value('bigint', (t) => t.held)},
      pulled = ${value('bigint', (t) => t.pulled)}, shortfall = ${value('bigint', (t) => t.shortfall)},
      pull_due_at = ${value('timestamptz', (t) => t.pullDueAt)}, expires_at = ${value('timestamptz', (t) => t.expiresAt)},
      updated_at = ${value('timestamptz', (t) => t.updatedAt)}
    where platform_id = ${uuidOf(platformId)} and id = any(${ids}::uuid[])`);
}

export type TransactionFilter = {
  readonly cardId?: CardId | undefined;
  readonly customerId?: CustomerId | undefined;
  readonly platformCustomerId?: string | undefined;
  readonly accountId?: InternalAccountId | undefined;
  /** Only transactions of one of these accounts. Beside a customer, whose transactions are few. */
  readonly among?: readonly InternalAccountId[] | undefined;
  readonly direction?: Direction | undefined;
  readonly reference?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Bounds of the id, where the times bound it. */
  readonly idFrom?: string | undefined;
  readonly idBefore?: string | undefined;
};

/** The customers with this id of the platform, deleted ones included. By the index of the search. */
const customersCalled = (platformId: PlatformId, platformCustomerId: string): Sql => sql`
  select id from customers where platform_id = ${uuidOf(platformId)} and platform_customer_id = ${platformCustomerId}
    and lower(platform_customer_id) collate "C" = lower(${platformCustomerId}) collate "C" and created_at > '-infinity'`;

const cardsOf = (platformId: PlatformId, customers: Sql): Sql =>
  sql`select id from cards where platform_id = ${uuidOf(platformId)} and customer_id = ${customers}`;

/** The cards to which the filter leads, so that the index on the card is used and no other is needed. Undefined if it leads to none. */
function cardsWhere(platformId: PlatformId, { customerId, platformCustomerId, accountId }: TransactionFilter): Sql | undefined {
  const sets = [
    customerId !== undefined && cardsOf(platformId, sql`${uuidOf(customerId)}`),
    platformCustomerId !== undefined && cardsOf(platformId, sql`any(array(${customersCalled(platformId, platformCustomerId)}))`),
    accountId !== undefined &&
      sql`select card_id as id from card_funding_sources where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(accountId)}`,
  ].filter((set) => set !== false);
  return sets.length === 0 ? undefined : sets.reduce((all, next) => sql`${all} intersect ${next}`);
}

const matches = (platformId: PlatformId, filter: TransactionFilter): Sql =>
  allOf(
    ofPlatform(platformId),
    filter.cardId !== undefined && sql`t.card_id = ${uuidOf(filter.cardId)}`,
    filter.accountId !== undefined && sql`t.account_id = ${uuidOf(filter.accountId)}`,
    filter.among !== undefined && sql`t.account_id = any(${filter.among.map(uuidOf)}::uuid[])`,
    filter.direction !== undefined && sql`t.direction = ${filter.direction}`,
    filter.reference !== undefined && sql`t.issuer_token = ${filter.reference}`,
    filter.from !== undefined && sql`t.created_at >= ${filter.from}`,
    filter.to !== undefined && sql`t.created_at <= ${filter.to}`,
    filter.idFrom !== undefined && sql`t.id >= ${filter.idFrom}`,
    filter.idBefore !== undefined && sql`t.id < ${filter.idBefore}`,
  );

/** A page of what is found: in the order of the platform, or of each card to which the filter leads. */
function page(platformId: PlatformId, filter: TransactionFilter, more: Sql | undefined, end: Sql): Sql {
  const cards = cardsWhere(platformId, filter);
  const where = allOf(matches(platformId, filter), more);
  if (!cards) return sql`(select * from card_transactions t where ${where} ${end}) t`;
  return sql`(${cards}) k cross join lateral (select * from card_transactions t where ${where} and t.card_id = k.id ${end}) t`;
}

/** The transactions after a key, `limit` at most. */
export async function listTransactions(
  tx: Reader,
  platformId: PlatformId,
  filter: TransactionFilter,
  { limit, after }: PageRequest<string>,
  sortOrder: 'asc' | 'desc',
): Promise<CardTransaction[]> {
  const next = after === undefined ? undefined : sortOrder === 'desc' ? sql`t.id < ${after}` : sql`t.id > ${after}`;
  const order = sortOrder === 'desc' ? sql`t.id desc` : sql`t.id`;
  const end = sql`order by ${order} limit ${limit}`;
  const rows = await tx.many<TransactionRow>(sql`${select(platformId, sql`true`, page(platformId, filter, next, end))} ${end}`);
  return rows.map(toTransaction);
}

/** The number of matches; `most` if there are as many or more. */
export async function countTransactions(tx: Reader, platformId: PlatformId, filter: TransactionFilter, most: number): Promise<number> {
  const row = await tx.one<{ count: bigint }>(sql`
    select count(*) from (select from ${page(platformId, filter, undefined, sql`limit ${most}`)} limit ${most}) matches`);
  return Number(row?.count ?? 0n);
}
