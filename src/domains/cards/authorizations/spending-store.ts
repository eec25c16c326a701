// SQL of the facts an authorization is decided on: cards with their daily spend, their funding accounts, and the platform's limits.
// The statements take lists: one round trip for any number of authorizations.
import { platformTime } from '../../../db/platform-time.js';
import type { Tx } from '../../../db/pool.js';
import { empty, type Sql, sql } from '../../../db/sql.js';
import { assert } from '../../../kernel/errors.js';
import { type CardId, type CustomerId, type InternalAccountId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { Balance } from '../../ledger/ledger.js';
import type { CardStatus } from '../cards/card.js';
import type { CardExpiry, Limits, SpendDays } from './authorization.js';

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
  /** The spend of a decision is read under the lock of the card. */
  readonly days: SpendDays;
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
  spend_day: string | null;
  day_spent: bigint;
  day_count: bigint;
  earlier_day: string | null;
  earlier_spent: bigint;
  earlier_count: bigint;
};

const toDays = (row: CardRow): SpendDays => [
  ...(row.spend_day === null ? [] : [{ day: row.spend_day, spent: row.day_spent, count: Number(row.day_count) }]),
  ...(row.earlier_day === null ? [] : [{ day: row.earlier_day, spent: row.earlier_spent, count: Number(row.earlier_count) }]),
];

const COLUMNS = sql`id, customer_id, status, program, currency, brand, exp_month, exp_year, funding_account_id,
  max_spend_per_transaction, max_spend_per_day, max_transactions_per_day,
  spend_day, day_spent, day_count, earlier_day, earlier_spent, earlier_count`;

const toSpendingCard = (row: CardRow): SpendingCard => ({
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
  days: toDays(row),
});

/** A card as it is, for those who only look. */
export async function findSpendingCard(tx: Pick<Tx, 'one'>, platformId: PlatformId, id: CardId): Promise<SpendingCard | undefined> {
  const row = await tx.one<CardRow>(sql`select ${COLUMNS} from cards where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
  return row && toSpendingCard(row);
}

// The condition `id = any(list)` finds the rows in one scan of the primary key. The other tables are looked up per row, by a subselect with a
// limit: before a table is first analysed the planner assumes that a platform has hardly any rows, and a join may read all of them.

/**
 * Locks the cards in the order of their ids. Without `waitsForLocks`, cards that another transaction holds are
 * left out. Nothing is joined: after a wait PostgreSQL re-reads the locked row, but not the rows joined to it.
 */
export async function lockSpendingCards(
  tx: Tx,
  platformId: PlatformId,
  ids: readonly string[],
  { waitsForLocks = true }: { readonly waitsForLocks?: boolean } = {},
): Promise<Map<string, SpendingCard>> {
  const rows = await tx.many<CardRow>(sql`
    select ${COLUMNS} from cards where platform_id = ${uuidOf(platformId)} and id = any(${ids}::uuid[])
    order by id for update ${waitsForLocks ? empty : sql`skip locked`}`);
  return new Map(rows.map((row) => [row.id, toSpendingCard(row)]));
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
  not_before: Date | null;
  status: string;
  is_wallet: boolean;
  usable: boolean;
  platform_customer_id: string;
};

const sources = (platform: string, pairs: Sql): Sql => sql`
  select s.*, l.* from (
    select p.card_id, p.account_id, a.status, a.type = 'EMBEDDED_WALLET' as is_wallet, h.platform_customer_id,
           a.type <> 'EMBEDDED_WALLET' or (
             select true from delegated_keys k
             where k.platform_id = ${platform} and k.card_id = p.card_id and k.account_id = p.account_id and k.status = 'ACTIVE'
             limit 1) is not null as usable
    from (${pairs}) p,
      lateral (select type, status from internal_accounts where platform_id = ${platform} and id = p.account_id limit 1) a,
      lateral (select platform_customer_id from customers where platform_id = ${platform} and id = p.customer_id limit 1) h
    order by p.account_id
  ) s, lateral (
    select id, currency, available, total, last_entry, owed, nullif(not_before, '-infinity') as not_before
    from ledger_accounts where platform_id = ${platform} and id = s.account_id for update
  ) l`;

const toSource = (row: SourceRow): Source => ({
  accountId: row.id,
  currency: row.currency,
  available: row.available,
  total: row.total,
  lastEntry: row.last_entry,
  owed: row.owed,
  underHolderKey: row.is_wallet,
  notBefore: row.not_before,
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
      sql`select id as card_id, funding_account_id as account_id, customer_id from cards
          where platform_id = ${uuidOf(platformId)} and id = any(${cardIds}::uuid[])`,
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

/** The accounts of several transactions, by card and account (`sourceKey`), their balances locked in order of id. */
export async function lockSourcesOf(
  tx: Tx,
  platformId: PlatformId,
  pairs: readonly { readonly cardId: CardId; readonly accountId: InternalAccountId }[],
): Promise<Map<string, Source>> {
  const rows = await tx.many<SourceRow>(
    sources(
      uuidOf(platformId),
      sql`select k.card_id, k.account_id, c.customer_id
          from unnest(${pairs.map(({ cardId }) => uuidOf(cardId))}::uuid[], ${pairs.map(({ accountId }) => uuidOf(accountId))}::uuid[]) k (card_id, account_id),
            lateral (select customer_id from cards where platform_id = ${uuidOf(platformId)} and id = k.card_id limit 1) c`,
    ),
  );
  return new Map(rows.map((row) => [`${row.card_id} ${row.id}`, toSource(row)]));
}

export const sourceKey = ({ cardId, accountId }: { readonly cardId: CardId; readonly accountId: InternalAccountId }): string =>
  `${uuidOf(cardId)} ${uuidOf(accountId)}`;

export type Moment = { readonly now: Date; readonly limits: Limits };

type MomentRow = {
  now: Date;
  limits: { maxSpendPerTransaction?: number | null; maxSpendPerDay?: number | null; maxTransactionsPerDay?: number | null } | null;
};

/** The platform's time and limits. Read after the cards are locked. */
export async function findMoment(tx: Pick<Tx, 'one'>, platformId: PlatformId): Promise<Moment> {
  const row = await tx.one<MomentRow>(sql`
    select ${platformTime} as now, p.config -> 'cardConfigs' as limits from platforms p where p.id = ${uuidOf(platformId)}`);
  assert(row, 'the platform has a clock');
  const { maxSpendPerTransaction, maxSpendPerDay, maxTransactionsPerDay } = row.limits ?? {};
  return {
    now: row.now,
    limits: {
      maxSpendPerTransaction: maxSpendPerTransaction == null ? null : BigInt(maxSpendPerTransaction),
      maxSpendPerDay: maxSpendPerDay == null ? null : BigInt(maxSpendPerDay),
      maxTransactionsPerDay: maxTransactionsPerDay ?? null,
    },
  };
}
