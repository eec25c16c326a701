// All SQL of card transactions. The hot statements take lists: one round trip for any number of authorizations.
import type { Tx } from '../../../db/pool.js';
import { allOf, empty, type Sql, sql } from '../../../db/sql.js';
import {
  type CardId,
  type CustomerId,
  type InternalAccountId,
  idOf,
  type PlatformId,
  type TransactionId,
  uuidOf,
} from '../../../kernel/ids.js';
import { MAX_AMOUNT } from '../../../kernel/money.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type { Balance } from '../../ledger/ledger.js';
import type { CardStatus } from '../cards/card.js';
import type { DaySpend, Limits } from './authorization.js';
import type {
  CardTransaction,
  CardTransactionStatus,
  DeclineReason,
  Direction,
  Disposition,
  Dispute,
  Heard,
  Merchant,
  Pull,
  ScheduledKind,
} from './card-transaction.js';

type Reader = Pick<Tx, 'one' | 'many'>;

// ---- what an authorization is decided on

/** A card as far as spending on it goes. */
export type SpendingCard = Limits & {
  readonly id: CardId;
  readonly customerId: CustomerId;
  readonly status: CardStatus;
  readonly program: string;
  readonly currency: string;
  readonly network: string | null;
  readonly accountId: InternalAccountId;
};

type CardRow = {
  id: string;
  customer_id: string;
  status: CardStatus;
  program: string;
  currency: string;
  brand: string | null;
  funding_account_id: string;
  max_spend_per_transaction: bigint | null;
  max_spend_per_day: bigint | null;
  max_transactions_per_day: number | null;
};

// Primary keys begin with the platform, and before a table is first analysed the planner believes that a platform has hardly any rows: asked
// for several keys at once it may read the platform's whole history. Looking up one at a time leaves it no choice.

/**
 * Locks the cards in the order given, which is that of their ids; whoever is not patient goes without those that somebody else holds.
 * Nothing is joined: a row that was waited for is read again, its neighbours are not.
 */
export async function lockSpendingCards(
  tx: Tx,
  platformId: PlatformId,
  sortedIds: readonly string[],
  { patient = true }: { readonly patient?: boolean } = {},
): Promise<Map<string, SpendingCard>> {
  const rows = await tx.many<CardRow>(sql`
    select c.* from unnest(${sortedIds}::uuid[]) k (id), lateral (
      select id, customer_id, status, program, currency, brand, funding_account_id,
             max_spend_per_transaction, max_spend_per_day, max_transactions_per_day
      from cards where platform_id = ${uuidOf(platformId)} and id = k.id for update ${patient ? empty : sql`skip locked`}
    ) c`);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: idOf('Card', row.id),
        customerId: idOf('Customer', row.customer_id),
        status: row.status,
        program: row.program,
        currency: row.currency,
        network: row.brand,
        accountId: idOf('InternalAccount', row.funding_account_id),
        maxSpendPerTransaction: row.max_spend_per_transaction,
        maxSpendPerDay: row.max_spend_per_day,
        maxTransactionsPerDay: row.max_transactions_per_day,
      },
    ]),
  );
}

/** The account behind a card, its balance locked. `usable`: the service may take money out of it for that card. */
export type Source = Balance & {
  readonly status: string;
  readonly isWallet: boolean;
  readonly usable: boolean;
  readonly platformCustomerId: string;
};

type SourceRow = {
  card_id: string;
  id: string;
  currency: string;
  available: bigint;
  total: bigint;
  last_entry: bigint;
  status: string;
  is_wallet: boolean;
  usable: boolean;
  platform_customer_id: string;
};

const sources = (platform: string, pairs: Sql): Sql => sql`
  select s.*, l.* from (
    select p.card_id, p.account_id, a.status, a.type = 'EMBEDDED_WALLET' as is_wallet, h.platform_customer_id,
           a.type <> 'EMBEDDED_WALLET' or exists (
             select from delegated_keys k
             where k.platform_id = ${platform} and k.card_id = p.card_id and k.account_id = p.account_id and k.status = 'ACTIVE') as usable
    from (${pairs}) p,
      lateral (select type, status from internal_accounts where platform_id = ${platform} and id = p.account_id limit 1) a,
      lateral (select platform_customer_id from customers where platform_id = ${platform} and id = p.customer_id limit 1) h
    order by p.account_id
  ) s, lateral (
    select id, currency, available, total, last_entry from ledger_accounts where platform_id = ${platform} and id = s.account_id for update
  ) l`;

const toSource = (row: SourceRow): Source => ({
  accountId: row.id,
  currency: row.currency,
  available: row.available,
  total: row.total,
  lastEntry: row.last_entry,
  status: row.status,
  isWallet: row.is_wallet,
  usable: row.usable,
  platformCustomerId: row.platform_customer_id,
});

/** The accounts the cards are bound to now, by card, their balances locked in order of id. The cards are locked already. */
export async function lockSources(tx: Tx, platformId: PlatformId, cardIds: readonly string[]): Promise<Map<string, Source>> {
  const rows = await tx.many<SourceRow>(
    sources(
      uuidOf(platformId),
      sql`select c.* from unnest(${cardIds}::uuid[]) k (id), lateral (
            select id as card_id, funding_account_id as account_id, customer_id from cards
            where platform_id = ${uuidOf(platformId)} and id = k.id limit 1) c`,
    ),
  );
  return new Map(rows.map((row) => [row.card_id, toSource(row)]));
}

/** The account of one transaction, whatever the card is bound to by now. */
export async function lockSource(tx: Tx, platformId: PlatformId, card: SpendingCard, accountId: InternalAccountId): Promise<Source> {
  const row = await tx.one<SourceRow>(
    sources(
      uuidOf(platformId),
      sql`select ${uuidOf(card.id)}::uuid as card_id, ${uuidOf(accountId)}::uuid as account_id, ${uuidOf(card.customerId)}::uuid as customer_id`,
    ),
  );
  return toSource(row as SourceRow);
}

export type DayFacts = { readonly now: Date; readonly limits: Limits; readonly days: ReadonlyMap<string, DaySpend> };

type DayRow = {
  now: Date;
  limits: { maxSpendPerTransaction?: number | null; maxSpendPerDay?: number | null; maxTransactionsPerDay?: number | null } | null;
  cards: string[] | null;
  spent: string[] | null;
  counts: string[] | null;
};

/** The platform's time, its limits, and what the cards have spent on that day. Asked after the cards are locked. */
export async function findDay(tx: Tx, platformId: PlatformId, cardIds: readonly string[]): Promise<DayFacts> {
  const row = (await tx.one<DayRow>(sql`
    with clock as materialized (select platform_now(${uuidOf(platformId)}) as now)
    select clock.now, (select config -> 'cardConfigs' from platforms where id = ${uuidOf(platformId)}) as limits, d.cards, d.spent, d.counts
    from clock, lateral (
      select array_agg(card_id) as cards, array_agg(spent::text) as spent, array_agg(count::text) as counts from card_days
      where platform_id = ${uuidOf(platformId)} and card_id = any(${cardIds}::uuid[]) and day = (clock.now at time zone 'UTC')::date
    ) d`)) as DayRow;
  const { maxSpendPerTransaction, maxSpendPerDay, maxTransactionsPerDay } = row.limits ?? {};
  return {
    now: row.now,
    limits: {
      maxSpendPerTransaction: maxSpendPerTransaction == null ? null : BigInt(maxSpendPerTransaction),
      maxSpendPerDay: maxSpendPerDay == null ? null : BigInt(maxSpendPerDay),
      maxTransactionsPerDay: maxTransactionsPerDay ?? null,
    },
    days: new Map(
      row.cards?.map((id, i) => [id, { spent: BigInt((row.spent as string[])[i] as string), count: Number((row.counts as string[])[i]) }]),
    ),
  };
}

export function saveDays(tx: Tx, platformId: PlatformId, day: string, days: readonly (readonly [cardId: string, spend: DaySpend])[]): void {
  if (days.length === 0) return;
  tx.send(sql`
    insert into card_days (platform_id, card_id, day, spent, count)
    select ${uuidOf(platformId)}, d.card_id, ${day}::date, d.spent, d.count
    from unnest(${days.map(([id]) => id)}::uuid[], ${days.map(([, { spent }]) => spent)}::bigint[], ${days.map(([, { count }]) => count)}::bigint[])
         as d (card_id, spent, count)
    on conflict (platform_id, card_id, day) do update set spent = excluded.spent, count = excluded.count`);
}

/** Takes a decision that never was out of its day again. */
export function takeFromDay(tx: Tx, platformId: PlatformId, day: string, cardId: CardId, amount: bigint): void {
  tx.send(sql`
    update card_days set spent = greatest(spent - ${amount}, 0), count = count - 1
    where platform_id = ${uuidOf(platformId)} and card_id = ${uuidOf(cardId)} and day = ${day}::date`);
}

// ---- transactions

/** As much of a transaction as its decision is. */
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
  absorbed: bigint;
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
  absorbed: row.absorbed,
  pull: row.pull,
  pullDueAt: row.pull_due_at,
  expiresAt: row.expires_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const select = (where: Sql): Sql => sql`
  select t.*, c.customer_id, h.platform_customer_id
  from card_transactions t
  join cards c on c.platform_id = t.platform_id and c.id = t.card_id
  join customers h on h.platform_id = c.platform_id and h.id = c.customer_id
  where ${where}`;

const ofPlatform = (platformId: PlatformId): Sql => sql`t.platform_id = ${uuidOf(platformId)}`;

/** The transaction that a message with this token opened. */
export async function findByToken(tx: Reader, platformId: PlatformId, token: string): Promise<CardTransaction | undefined> {
  const row = await tx.one<TransactionRow>(select(sql`${ofPlatform(platformId)} and t.issuer_token = ${token}`));
  return row && toTransaction(row);
}

export async function findTransaction(tx: Reader, platformId: PlatformId, id: TransactionId): Promise<CardTransaction | undefined> {
  const row = await tx.one<TransactionRow>(select(sql`${ofPlatform(platformId)} and t.id = ${uuidOf(id)}`));
  return row && toTransaction(row);
}

/** Earlier messages with a token, and whether one of them was an authorization: if not, nothing was answered yet. */
export type Known = Answered &
  Pick<CardTransaction, 'direction' | 'originalTransactionId' | 'authorized' | 'settled'> & {
    readonly unasked: boolean;
    /** There were other messages. */
    readonly spokenOf: boolean;
  };

/** What earlier messages with these tokens were answered. */
export async function findAnswers(tx: Reader, platformId: PlatformId, tokens: readonly string[]): Promise<Map<string, Known>> {
  type AnswerRow = Pick<
    TransactionRow,
    'id' | 'card_id' | 'issuer_token' | 'direction' | 'status' | 'declined_reason' | 'original_transaction_id' | 'authorized' | 'settled'
  >;
  const rows = await tx.many<AnswerRow & { unasked: boolean; spoken_of: boolean }>(sql`
    select t.*, exists (select from card_messages m where m.platform_id = ${uuidOf(platformId)} and m.transaction_id = t.id) as spoken_of
    from unnest(${tokens}::text[]) k (token), lateral (
      select id, card_id, issuer_token, direction, status, declined_reason, original_transaction_id, authorized, settled, ${isUnasked} as unasked
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
        unasked: row.unasked,
        spokenOf: row.spoken_of,
      },
    ]),
  );
}

/** Nobody has asked, and so nobody was declined either. */
const isUnasked = sql`askers = 0 and declined_reason is null`;

/** Counts the requests that count on a decision up or down; answers how many are left. */
export async function countAskers(tx: Tx, platformId: PlatformId, id: TransactionId, by: number): Promise<number> {
  const row = await tx.one<{ askers: number }>(sql`
    update card_transactions set askers = askers + ${by} where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} returning askers`);
  return row?.askers ?? 0;
}

/** Writes the answer to the first request about a transaction the network had already told of. */
export function saveAnswer(tx: Tx, platformId: PlatformId, { id, declinedReason }: CardTransaction): void {
  tx.send(sql`
    update card_transactions set askers = 1, declined_reason = ${declinedReason}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

/** What the network has said about a transaction so far; undefined when nothing. Reversals may add up to more than any amount. */
export async function findHeard(tx: Reader, platformId: PlatformId, id: TransactionId): Promise<Heard | undefined> {
  const row = await tx.one<{ unasked: boolean; advices: bigint; advised: bigint; ended: boolean; reversed: bigint }>(sql`
    select (select ${isUnasked} from card_transactions where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}) as unasked,
      count(*) filter (where kind = 'AUTHORIZATION_ADVICE') as advices,
      coalesce(max(amount) filter (where kind = 'AUTHORIZATION_ADVICE'), 0) as advised,
      bool_or(kind = 'AUTHORIZATION_EXPIRY' or kind = 'CLEARING' and amount = 0 or kind = 'AUTHORIZATION_REVERSAL' and amount is null) as ended,
      least(coalesce(sum(amount) filter (where kind = 'AUTHORIZATION_REVERSAL'), 0), ${MAX_AMOUNT})::bigint as reversed
    from card_messages where platform_id = ${uuidOf(platformId)} and transaction_id = ${uuidOf(id)} having count(*) > 0`);
  return row && { ...row, advices: Number(row.advices) };
}

/** What is still open on a card, oldest first. The card is locked. */
export async function findOpen(tx: Reader, platformId: PlatformId, cardId: CardId): Promise<CardTransaction[]> {
  const rows = await tx.many<TransactionRow>(
    select(sql`${ofPlatform(platformId)} and t.card_id = ${uuidOf(cardId)} and t.expires_at is not null order by t.id`),
  );
  return rows.map(toTransaction);
}

/** What the cards of accounts have pulled from them beyond what settled: it goes back when the transactions end. The accounts are locked. */
export async function findOutstanding(tx: Reader, platformId: PlatformId, accountIds: readonly string[]): Promise<Map<string, bigint>> {
  const rows = await tx.many<{ account_id: string; outstanding: bigint }>(sql`
    select t.account_id, sum(t.pulled + t.absorbed - t.settled + t.refunded)::bigint as outstanding from card_transactions t
    where ${ofPlatform(platformId)} and t.direction = 'DEBIT' and t.expires_at is not null and t.account_id = any(${accountIds}::uuid[])
      and t.card_id in (select f.card_id from card_funding_sources f
                        where f.platform_id = ${uuidOf(platformId)} and f.account_id = any(${accountIds}::uuid[]))
    group by t.account_id`);
  return new Map(rows.map((row) => [row.account_id, row.outstanding]));
}

export const insertTransactions = (tx: Tx, platformId: PlatformId, transactions: readonly CardTransaction[]): void =>
  tx.send(insertion(platformId, transactions));

/** Answers false when the token names a transaction already; one that is being written is waited for. */
export const insertIfNew = async (tx: Tx, platformId: PlatformId, transaction: CardTransaction): Promise<boolean> =>
  (await tx.run(sql`${insertion(platformId, [transaction])} on conflict (issuer_token, platform_id) do nothing`)) === 1;

function insertion(platformId: PlatformId, transactions: readonly CardTransaction[]): Sql {
  const column = <Value>(of: (transaction: CardTransaction) => Value): Value[] => transactions.map(of);
  return sql`
    insert into card_transactions (platform_id, id, card_id, account_id, issuer_token, direction, status, declined_reason,
      original_transaction_id, merchant, currency, authorized, settled, refunded, held, pulled, absorbed, pull, pull_due_at,
      expires_at, created_at, updated_at)
    select ${uuidOf(platformId)}, t.*
    from unnest(${column((t) => uuidOf(t.id))}::uuid[], ${column((t) => uuidOf(t.cardId))}::uuid[], ${column((t) => uuidOf(t.accountId))}::uuid[],
      ${column((t) => t.issuerToken)}::text[], ${column((t) => t.direction)}::text[], ${column((t) => t.status)}::text[],
      ${column((t) => t.declinedReason)}::text[], ${column((t) => t.originalTransactionId && uuidOf(t.originalTransactionId))}::uuid[],
      ${column((t) => JSON.stringify(t.merchant))}::jsonb[], ${column((t) => t.currency)}::text[], ${column((t) => t.authorized)}::bigint[],
      ${column((t) => t.settled)}::bigint[], ${column((t) => t.refunded)}::bigint[], ${column((t) => t.held)}::bigint[],
      ${column((t) => t.pulled)}::bigint[], ${column((t) => t.absorbed)}::bigint[], ${column((t) => t.pull)}::text[],
      ${column((t) => t.pullDueAt)}::timestamptz[], ${column((t) => t.expiresAt)}::timestamptz[], ${column((t) => t.createdAt)}::timestamptz[],
      ${column((t) => t.updatedAt)}::timestamptz[]) as t`;
}

/** Writes what can change of transactions whose card is locked. */
export function saveTransaction(tx: Tx, platformId: PlatformId, t: CardTransaction): void {
  tx.send(sql`
    update card_transactions set direction = ${t.direction}, status = ${t.status}, declined_reason = ${t.declinedReason}, authorized = ${t.authorized},
      settled = ${t.settled}, refunded = ${t.refunded}, held = ${t.held}, pulled = ${t.pulled}, absorbed = ${t.absorbed},
      pull_due_at = ${t.pullDueAt}, expires_at = ${t.expiresAt}, updated_at = ${t.updatedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(t.id)}`);
}

export type TransactionFilter = {
  readonly cardId?: CardId | undefined;
  readonly customerId?: CustomerId | undefined;
  readonly platformCustomerId?: string | undefined;
  readonly accountId?: InternalAccountId | undefined;
  readonly direction?: Direction | undefined;
  readonly reference?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
};

/** By card wherever the question names a holder: then the index on the card leads, and no other is needed. */
const cardsWhere = (platformId: PlatformId, condition: Sql): Sql => sql`
  t.card_id in (select c2.id from cards c2 join customers h2 on h2.platform_id = c2.platform_id and h2.id = c2.customer_id
                where c2.platform_id = ${uuidOf(platformId)} and ${condition})`;

const matches = (platformId: PlatformId, filter: TransactionFilter): Sql =>
  allOf(
    ofPlatform(platformId),
    filter.cardId !== undefined && sql`t.card_id = ${uuidOf(filter.cardId)}`,
    filter.customerId !== undefined && cardsWhere(platformId, sql`c2.customer_id = ${uuidOf(filter.customerId)}`),
    filter.platformCustomerId !== undefined && cardsWhere(platformId, sql`h2.platform_customer_id = ${filter.platformCustomerId}`),
    filter.accountId !== undefined &&
      sql`t.account_id = ${uuidOf(filter.accountId)} and t.card_id in (
            select f.card_id from card_funding_sources f where f.platform_id = ${uuidOf(platformId)} and f.account_id = ${uuidOf(filter.accountId)})`,
    filter.direction !== undefined && sql`t.direction = ${filter.direction}`,
    filter.reference !== undefined && sql`t.issuer_token = ${filter.reference}`,
    filter.from !== undefined && sql`t.created_at >= ${filter.from}`,
    filter.to !== undefined && sql`t.created_at <= ${filter.to}`,
  );

export async function listTransactions(
  tx: Reader,
  platformId: PlatformId,
  filter: TransactionFilter,
  { limit, after }: PageRequest<string>,
  sortOrder: 'asc' | 'desc',
  scope: unknown,
): Promise<Page<CardTransaction>> {
  const where = matches(platformId, filter);
  const next = after === undefined ? undefined : sortOrder === 'desc' ? sql`t.id < ${after}` : sql`t.id > ${after}`;
  const order = sortOrder === 'desc' ? sql`t.id desc` : sql`t.id`;
  const [rows, count] = await Promise.all([
    tx.many<TransactionRow>(sql`${select(allOf(where, next))} order by ${order} limit ${limit + 1}`),
    tx.one<{ count: bigint }>(sql`select count(*) as count from card_transactions t where ${where}`),
  ]);
  return pageOf(rows.map(toTransaction), limit, Number(count?.count ?? 0n), ({ id }) => [uuidOf(id)], scope);
}

// ---- messages

export type StoredMessage = {
  readonly token: string;
  readonly kind: ScheduledKind;
  readonly transactionId: TransactionId;
  readonly amount: bigint | undefined;
  readonly dueAt: Date | undefined;
};

/** Answers whether the message is new. A concurrent duplicate waits for the first. */
export async function insertMessage(tx: Tx, platformId: PlatformId, message: StoredMessage, now: Date): Promise<boolean> {
  return (
    (await tx.run(sql`
      insert into card_messages (platform_id, token, kind, transaction_id, amount, due_at, received_at)
      values (${uuidOf(platformId)}, ${message.token}, ${message.kind}, ${uuidOf(message.transactionId)}, ${message.amount ?? null},
              ${message.dueAt ?? null}, ${now})
      on conflict do nothing`)) === 1
  );
}

/** The transaction that a message with this token and of this kind was about. */
export async function findToldOf(
  tx: Reader,
  platformId: PlatformId,
  { token, kind }: Pick<StoredMessage, 'token' | 'kind'>,
): Promise<TransactionId | undefined> {
  const row = await tx.one<{ transaction_id: string }>(sql`
    select transaction_id from card_messages where platform_id = ${uuidOf(platformId)} and token = ${token} and kind = ${kind}`);
  return row && idOf('Transaction', row.transaction_id);
}

/** What clearings of a transaction that still wait will settle. */
export async function findWaiting(tx: Reader, platformId: PlatformId, id: TransactionId): Promise<bigint> {
  const row = await tx.one<{ waiting: bigint }>(sql`
    select coalesce(sum(amount), 0)::bigint as waiting from card_messages
    where platform_id = ${uuidOf(platformId)} and transaction_id = ${uuidOf(id)} and kind = 'CLEARING' and due_at is not null`);
  return row?.waiting ?? 0n;
}

/** Messages whose time has come, with the card to lock for each. */
export async function findDueMessages(
  tx: Reader,
  platformId: PlatformId,
  now: Date,
  passedOver: readonly string[],
  limit: number,
): Promise<(Due & { token: string; kind: ScheduledKind })[]> {
  const rows = await tx.many<DueRow & { token: string; kind: ScheduledKind }>(sql`
    select t.id, t.card_id, m.token, m.kind from card_messages m
    join card_transactions t on t.platform_id = m.platform_id and t.id = m.transaction_id
    where m.platform_id = ${uuidOf(platformId)} and m.due_at <= ${now} and m.transaction_id <> all(${passedOver}::uuid[])
    order by m.due_at, m.received_at, m.kind desc limit ${limit}`);
  return rows.map(({ token, kind, ...row }) => ({ token, kind, ...toDue(row) }));
}

/** Takes a due message for carrying out; undefined when another worker did. The card is locked. */
export async function takeDueMessage(
  tx: Tx,
  platformId: PlatformId,
  token: string,
  kind: ScheduledKind,
): Promise<StoredMessage | undefined> {
  const row = await tx.one<{ transaction_id: string; amount: bigint | null }>(sql`
    update card_messages set due_at = null where platform_id = ${uuidOf(platformId)} and token = ${token} and kind = ${kind} and due_at is not null
    returning transaction_id, amount`);
  return row && { token, kind, transactionId: idOf('Transaction', row.transaction_id), amount: row.amount ?? undefined, dueAt: undefined };
}

// ---- what falls due

const dues = async (tx: Reader, platformId: PlatformId | undefined, earliest: Sql): Promise<{ platformId: PlatformId; at: Date }[]> => {
  const rows = await tx.many<{ platform_id: string; at: Date | null }>(sql`
    select p.id as platform_id, (${earliest}) as at from platforms p ${platformId === undefined ? sql`` : sql`where p.id = ${uuidOf(platformId)}`}`);
  return rows.flatMap(({ platform_id, at }) => (at === null ? [] : [{ platformId: idOf('Platform', platform_id), at }]));
};

// One look at the head of an index per platform: what waits does not make the asking slower. `passedOver`: transactions left out.
export const nextExpiries = (tx: Reader, passedOver: readonly string[], platformId?: PlatformId) =>
  dues(
    tx,
    platformId,
    sql`select t.expires_at from card_transactions t
        where t.platform_id = p.id and t.expires_at is not null and t.id <> all(${passedOver}::uuid[]) order by t.expires_at limit 1`,
  );

export const nextMessages = (tx: Reader, passedOver: readonly string[], platformId?: PlatformId) =>
  dues(
    tx,
    platformId,
    sql`select m.due_at from card_messages m
        where m.platform_id = p.id and m.due_at is not null and m.transaction_id <> all(${passedOver}::uuid[]) order by m.due_at limit 1`,
  );

/** Something of a transaction is due; the card is the one to lock. */
export type Due = { readonly id: TransactionId; readonly cardId: CardId };

type DueRow = { id: string; card_id: string };

const toDue = ({ id, card_id }: DueRow): Due => ({ id: idOf('Transaction', id), cardId: idOf('Card', card_id) });

export const findExpired = async (
  tx: Reader,
  platformId: PlatformId,
  now: Date,
  passedOver: readonly string[],
  limit: number,
): Promise<Due[]> =>
  (
    await tx.many<DueRow>(sql`
      select id, card_id from card_transactions
      where platform_id = ${uuidOf(platformId)} and expires_at <= ${now} and id <> all(${passedOver}::uuid[])
      order by expires_at limit ${limit}`)
  ).map(toDue);

// ---- disputes

type DisputeRow = {
  id: string;
  token: string;
  transaction_id: string;
  amount: bigint;
  reason: string | null;
  credited: bigint;
  status: Dispute['status'];
  disposition: Disposition | null;
  recovered: bigint;
};

export async function findOpenDispute(tx: Reader, platformId: PlatformId, transactionId: TransactionId): Promise<Dispute | undefined> {
  const row = await tx.one<DisputeRow>(sql`
    select id, token, transaction_id, amount, reason, credited, status, disposition, recovered from card_disputes
    where platform_id = ${uuidOf(platformId)} and transaction_id = ${uuidOf(transactionId)} and status = 'OPEN'`);
  return row && { ...row, id: idOf('CardDispute', row.id), transactionId: idOf('Transaction', row.transaction_id) };
}

/** What disputes of the transaction have recovered, and what an open one claims. */
export async function findDisputed(tx: Reader, platformId: PlatformId, transactionId: TransactionId): Promise<bigint> {
  const row = await tx.one<{ disputed: bigint }>(sql`
    select coalesce(sum(case status when 'OPEN' then amount else recovered end), 0)::bigint as disputed from card_disputes
    where platform_id = ${uuidOf(platformId)} and transaction_id = ${uuidOf(transactionId)}`);
  return row?.disputed ?? 0n;
}

export function insertDispute(tx: Tx, platformId: PlatformId, dispute: Dispute, now: Date): void {
  tx.send(sql`
    insert into card_disputes (platform_id, id, token, transaction_id, amount, reason, credited, status, disposition, recovered, opened_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(dispute.id)}, ${dispute.token}, ${uuidOf(dispute.transactionId)}, ${dispute.amount}, ${dispute.reason},
            ${dispute.credited}, ${dispute.status}, ${dispute.disposition}, ${dispute.recovered}, ${now}, ${now})`);
}

export function saveDispute(tx: Tx, platformId: PlatformId, dispute: Dispute, now: Date): void {
  tx.send(sql`
    update card_disputes set credited = ${dispute.credited}, status = ${dispute.status}, disposition = ${dispute.disposition},
      recovered = ${dispute.recovered}, updated_at = ${now}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(dispute.id)}`);
}
