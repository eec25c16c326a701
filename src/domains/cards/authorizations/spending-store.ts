// SQL of the facts an authorization is decided on: cards, their funding accounts, and daily spend.
// The statements take lists: one round trip for any number of authorizations.
import type { Tx } from '../../../db/pool.js';
import { empty, type Sql, sql } from '../../../db/sql.js';
import { assert } from '../../../kernel/errors.js';
import { type CardId, type CustomerId, type InternalAccountId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { Balance } from '../../ledger/ledger.js';
import type { CardStatus } from '../cards/card.js';
import type { CardExpiry, DaySpend, Limits } from './authorization.js';

/** The fields of a card that decide whether it may spend. */
export type SpendingCard = Limits & {
  readonly id: CardId;
  readonly customerId: CustomerId;
  readonly status: CardStatus;
  readonly program: string;
  readonly currency: string;
  readonly network: string | null;
  readonly expiry: CardExpiry | null;
  readonly accountId: InternalAccountId;
};

type CardRow = {
  id: string;
  customer_id: string;
  status: CardStatus;
  program: string;
  currency: string;
  brand: string | null;
  exp_month: number | null;
  exp_year: number | null;
  funding_account_id: string;
  max_spend_per_transaction: bigint | null;
  max_spend_per_day: bigint | null;
  max_transactions_per_day: number | null;
};

// Primary keys begin with the platform, and before a table is first analysed the planner assumes that a platform has hardly any rows:
// with several keys in one condition it may scan the whole platform. A lateral look-up per key always uses the index.

/**
 * Locks the cards in the order given, which is that of their ids. Without `waitsForLocks`, cards that another transaction holds are
 * left out. Nothing is joined: after a wait PostgreSQL re-reads the locked row, but not the rows joined to it.
 */
export async function lockSpendingCards(
  tx: Tx,
  platformId: PlatformId,
  sortedIds: readonly string[],
  { waitsForLocks = true }: { readonly waitsForLocks?: boolean } = {},
): Promise<Map<string, SpendingCard>> {
  const rows = await tx.many<CardRow>(sql`
    select c.* from unnest(${sortedIds}::uuid[]) k (id), lateral (
      select id, customer_id, status, program, currency, brand, exp_month, exp_year, funding_account_id,
             max_spend_per_transaction, max_spend_per_day, max_transactions_per_day
      from cards where platform_id = ${uuidOf(platformId)} and id = k.id for update ${waitsForLocks ? empty : sql`skip locked`}
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
        expiry: row.exp_month === null || row.exp_year === null ? null : { month: row.exp_month, year: row.exp_year },
        accountId: idOf('InternalAccount', row.funding_account_id),
        maxSpendPerTransaction: row.max_spend_per_transaction,
        maxSpendPerDay: row.max_spend_per_day,
        maxTransactionsPerDay: row.max_transactions_per_day,
      },
    ]),
  );
}

/** The account that funds a card, its balance locked. `usable`: the service may take money out of it for that card. */
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
  owed: bigint;
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
    select id, currency, available, total, last_entry, owed from ledger_accounts where platform_id = ${platform} and id = s.account_id for update
  ) l`;

const toSource = (row: SourceRow): Source => ({
  accountId: row.id,
  currency: row.currency,
  available: row.available,
  total: row.total,
  lastEntry: row.last_entry,
  owed: row.owed,
  underHolderKey: row.is_wallet,
  status: row.status,
  isWallet: row.is_wallet,
  usable: row.usable,
  platformCustomerId: row.platform_customer_id,
});

/** The accounts that fund the cards now, by card, their balances locked in order of id. The cards are locked already. */
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

/** The account of one transaction, whichever account funds the card by now. */
export async function lockSource(tx: Tx, platformId: PlatformId, card: SpendingCard, accountId: InternalAccountId): Promise<Source> {
  const row = await tx.one<SourceRow>(
    sources(
      uuidOf(platformId),
      sql`select ${uuidOf(card.id)}::uuid as card_id, ${uuidOf(accountId)}::uuid as account_id, ${uuidOf(card.customerId)}::uuid as customer_id`,
    ),
  );
  assert(row, 'a transaction has an account and a customer');
  return toSource(row);
}

export type DayFacts = { readonly now: Date; readonly limits: Limits; readonly days: ReadonlyMap<string, DaySpend> };

type DayRow = {
  now: Date;
  limits: { maxSpendPerTransaction?: number | null; maxSpendPerDay?: number | null; maxTransactionsPerDay?: number | null } | null;
  cards: string[] | null;
  spent: string[] | null;
  counts: string[] | null;
};

/** The platform's time, its limits, and the cards' spend on that day. Read after the cards are locked. */
export async function findDay(tx: Tx, platformId: PlatformId, cardIds: readonly string[]): Promise<DayFacts> {
  const row = await tx.one<DayRow>(sql`
    with clock as materialized (select platform_now(${uuidOf(platformId)}) as now)
    select clock.now, (select config -> 'cardConfigs' from platforms where id = ${uuidOf(platformId)}) as limits, d.cards, d.spent, d.counts
    from clock, lateral (
      select array_agg(card_id) as cards, array_agg(spent::text) as spent, array_agg(count::text) as counts from card_days
      where platform_id = ${uuidOf(platformId)} and card_id = any(${cardIds}::uuid[]) and day = (clock.now at time zone 'UTC')::date
    ) d`);
  assert(row, 'the platform has a clock');
  const { maxSpendPerTransaction, maxSpendPerDay, maxTransactionsPerDay } = row.limits ?? {};
  return {
    now: row.now,
    limits: {
      maxSpendPerTransaction: maxSpendPerTransaction == null ? null : BigInt(maxSpendPerTransaction),
      maxSpendPerDay: maxSpendPerDay == null ? null : BigInt(maxSpendPerDay),
      maxTransactionsPerDay: maxTransactionsPerDay ?? null,
    },
    days: new Map(row.cards?.map((id, i) => [id, { spent: BigInt(row.spent?.[i] ?? 0), count: Number(row.counts?.[i] ?? 0) }])),
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

/** Takes a reversed decision out of the daily spend. */
export function takeFromDay(tx: Tx, platformId: PlatformId, day: string, cardId: CardId, amount: bigint): void {
  tx.send(sql`
    update card_days set spent = greatest(spent - ${amount}, 0), count = count - 1
    where platform_id = ${uuidOf(platformId)} and card_id = ${uuidOf(cardId)} and day = ${day}::date`);
}
