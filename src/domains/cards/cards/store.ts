// SQL of cards, their funding sources and their history. Decides nothing.

import { countMatches } from '../../../db/count.js';
import type { Job } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { valueById } from '../../../db/records.js';
import { allOf, type Sql, sql } from '../../../db/sql.js';
import { ApiError } from '../../../kernel/errors.js';
import {
  type CardFundingSourceId,
  type CardId,
  type CustomerId,
  type InternalAccountId,
  idOf,
  type PlatformId,
  uuidOf,
} from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type { Card, CardBrand, CardChange, CardForm, CardStatus, CardStatusReason, PinStatus, SpendDays } from './card.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type CardRow = {
  id: string;
  customer_id: string;
  platform_card_id: string;
  status: CardStatus;
  status_reason: CardStatusReason | null;
  program: string;
  form: CardForm;
  currency: string;
  funding_account_id: string;
  funding_currency: string;
  funding_source_id: string | null;
  max_spend_per_transaction: bigint | null;
  max_spend_per_day: bigint | null;
  max_transactions_per_day: number | null;
  pin_status: PinStatus | null;
  version: number;
  provisioning_due_at: Date | null;
  created_at: Date;
  updated_at: Date;
} & (DetailsRow | { brand: null });

/** Set together when the card is provisioned. */
type DetailsRow = {
  brand: CardBrand;
  last4: string;
  exp_month: number;
  exp_year: number;
  processor_ref: string;
  issuer_ref: string;
};

export const toCard = (row: CardRow): Card => ({
  id: idOf('Card', row.id),
  customerId: idOf('Customer', row.customer_id),
  platformCardId: row.platform_card_id,
  status: row.status,
  statusReason: row.status_reason,
  program: row.program,
  form: row.form,
  currency: row.currency,
  fundingAccountId: idOf('InternalAccount', row.funding_account_id),
  fundingCurrency: row.funding_currency,
  fundingSourceId: row.funding_source_id === null ? null : idOf('CardFundingSource', row.funding_source_id),
  maxSpendPerTransaction: row.max_spend_per_transaction,
  maxSpendPerDay: row.max_spend_per_day,
  maxTransactionsPerDay: row.max_transactions_per_day,
  pinStatus: row.pin_status,
  details:
    row.brand === null
      ? null
      : {
          brand: row.brand,
          last4: row.last4,
          expMonth: row.exp_month,
          expYear: row.exp_year,
          processorRef: row.processor_ref,
          issuerRef: row.issuer_ref,
        },
  version: row.version,
  provisioningDueAt: row.provisioning_due_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const isCard = (platformId: PlatformId, id: CardId): Sql => sql`platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`;

const found = (row: CardRow | undefined): Card => {
  if (!row) throw new ApiError('NOT_FOUND');
  return toCard(row);
};

/** Locks the card until the transaction ends, or 404. Every change of a card begins here. */
export async function lockCard(tx: Tx, platformId: PlatformId, id: CardId | undefined): Promise<Card> {
  return found(id && (await tx.one<CardRow>(sql`select * from cards where ${isCard(platformId, id)} for update`)));
}

/** The customer's cards that are not closed, locked in order of id. */
export async function lockLiveCards(tx: Tx, platformId: PlatformId, customerId: CustomerId): Promise<Card[]> {
  const rows = await tx.many<CardRow>(sql`
    select * from cards where platform_id = ${uuidOf(platformId)} and customer_id = ${uuidOf(customerId)} and status <> 'CLOSED'
    order by id for update`);
  return rows.map(toCard);
}

/** The card, or 404. */
export async function getCard(tx: Reader, platformId: PlatformId, id: CardId | undefined): Promise<Card> {
  return found(id && (await tx.one<CardRow>(sql`select * from cards where ${isCard(platformId, id)}`)));
}

/** The cards of these ids, in their order. */
export async function findCards(tx: Reader, platformId: PlatformId, ids: readonly CardId[]): Promise<(Card | undefined)[]> {
  const rows = await tx.many<CardRow>(sql`
    select c.* from unnest(${[...new Set(ids)].map(uuidOf)}::uuid[]) k (id), lateral (
      select * from cards where platform_id = ${uuidOf(platformId)} and id = k.id limit 1) c`);
  const cards = new Map(rows.map(toCard).map((card) => [card.id, card]));
  return ids.map((id) => cards.get(id));
}

/** Null matches nothing: the value sent could never name a record. */
export type CardFilter = {
  readonly customerId?: CustomerId | null;
  readonly accountId?: InternalAccountId | null;
  readonly platformCardId?: string;
  readonly status?: CardStatus;
};

export async function listCards(
  tx: Reader,
  platformId: PlatformId,
  filter: CardFilter,
  order: 'asc' | 'desc',
  { limit, after }: PageRequest<string>,
  scope: unknown,
): Promise<Page<Card>> {
  const where = allOf(
    sql`platform_id = ${uuidOf(platformId)}`,
    filter.customerId !== undefined && sql`customer_id = ${filter.customerId && uuidOf(filter.customerId)}`,
    // A closed card keeps the account for audit, but is no longer funded by it.
    filter.accountId !== undefined && sql`funding_account_id = ${filter.accountId && uuidOf(filter.accountId)} and status <> 'CLOSED'`,
    filter.platformCardId !== undefined && sql`platform_card_id = ${filter.platformCardId}`,
    filter.status !== undefined && sql`status = ${filter.status}`,
  );
  const beyond = after !== undefined && (order === 'asc' ? sql`id > ${after}` : sql`id < ${after}`);
  const [rows, totalCount] = await Promise.all([
    tx.many<CardRow>(sql`
      select * from cards where ${allOf(where, beyond)} order by id ${order === 'asc' ? sql`asc` : sql`desc`} limit ${limit + 1}`),
    countMatches(tx, sql`cards where ${where}`),
  ]);
  return pageOf(rows.map(toCard), limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

/** Cards that are not closed. Exact only while the platform is locked. */
export async function countLiveCards(
  tx: Reader,
  platformId: PlatformId,
  customerId: CustomerId,
): Promise<{ ofPlatform: number; ofCardholder: number }> {
  const row = await tx.one<{ of_platform: bigint; of_cardholder: bigint }>(sql`
    select count(*) as of_platform, count(*) filter (where customer_id = ${uuidOf(customerId)}) as of_cardholder
    from cards where platform_id = ${uuidOf(platformId)} and status <> 'CLOSED'`);
  return { ofPlatform: Number(row?.of_platform ?? 0n), ofCardholder: Number(row?.of_cardholder ?? 0n) };
}

// ---- funding sources

/** The source by which the account funds the card now. */
export async function findFundingSource(
  tx: Reader,
  platformId: PlatformId,
  cardId: CardId,
  accountId: InternalAccountId,
): Promise<CardFundingSourceId | undefined> {
  const row = await tx.one<{ funding_source_id: string | null }>(sql`
    select funding_source_id from cards where ${isCard(platformId, cardId)} and funding_account_id = ${uuidOf(accountId)}`);
  return row?.funding_source_id ? idOf('CardFundingSource', row.funding_source_id) : undefined;
}

/** As `findFundingSource`, with the card locked until the transaction ends. */
export async function lockFundingSource(
  tx: Tx,
  platformId: PlatformId,
  cardId: CardId,
  accountId: InternalAccountId,
): Promise<CardFundingSourceId | undefined> {
  await tx.one(sql`select id from cards where ${isCard(platformId, cardId)} for update`);
  return findFundingSource(tx, platformId, cardId, accountId);
}

/** The id of the pair of a card and an account, whether it is bound now or was before. */
export async function findFundingPair(
  tx: Reader,
  platformId: PlatformId,
  cardId: CardId,
  accountId: InternalAccountId,
): Promise<CardFundingSourceId | undefined> {
  const row = await tx.one<{ id: string }>(sql`
    select id from card_funding_sources
    where platform_id = ${uuidOf(platformId)} and card_id = ${uuidOf(cardId)} and account_id = ${uuidOf(accountId)}`);
  return row && idOf('CardFundingSource', row.id);
}

/** Detaches the account from the card; at most one is bound at any time. */
export function detachFunding(tx: Tx, platformId: PlatformId, cardId: CardId, now: Date): void {
  tx.send(sql`
    update card_funding_sources set detached_at = ${now}
    where platform_id = ${uuidOf(platformId)} and card_id = ${uuidOf(cardId)} and detached_at is null`);
}

/** Binds the card's account under its funding source id. A pair that was bound before keeps its id. */
export function bindFunding(tx: Tx, platformId: PlatformId, card: Card, now: Date): void {
  tx.send(sql`
    insert into card_funding_sources (platform_id, id, card_id, account_id, bound_at)
    values (${uuidOf(platformId)}, ${card.fundingSourceId && uuidOf(card.fundingSourceId)}, ${uuidOf(card.id)}, ${uuidOf(card.fundingAccountId)}, ${now})
    on conflict on constraint card_funding_sources_pair do update set bound_at = excluded.bound_at, detached_at = null`);
}

// ---- writing a card

/** Writes a locked card as changed, with its history row of the same version. */
export function saveCard(tx: Tx, platformId: PlatformId, before: Card, card: Card, change: CardChange, now: Date): void {
  tx.send(sql`
    update cards set
      status = ${card.status}, status_reason = ${card.statusReason},
      funding_account_id = ${uuidOf(card.fundingAccountId)}, funding_currency = ${card.fundingCurrency},
      funding_source_id = ${card.fundingSourceId && uuidOf(card.fundingSourceId)},
      max_spend_per_transaction = ${card.maxSpendPerTransaction}, max_spend_per_day = ${card.maxSpendPerDay},
      max_transactions_per_day = ${card.maxTransactionsPerDay},
      pin_status = ${card.pinStatus},
      brand = ${card.details?.brand}, last4 = ${card.details?.last4}, exp_month = ${card.details?.expMonth}, exp_year = ${card.details?.expYear},
      processor_ref = ${card.details?.processorRef}, issuer_ref = ${card.details?.issuerRef},
      version = ${card.version}, provisioning_due_at = ${card.provisioningDueAt}, updated_at = ${card.updatedAt}
    where ${isCard(platformId, card.id)}`);
  insertHistory(tx, platformId, before.status, card, change, now);
}

function insertHistory(
  tx: Tx,
  platformId: PlatformId,
  fromStatus: CardStatus | null,
  card: Card,
  { cause, tokenId, substatus, reason }: CardChange,
  now: Date,
): void {
  tx.send(sql`
    insert into card_history (platform_id, card_id, version, cause, token_id, from_status, to_status, substatus, reason,
      funding_account_id, max_spend_per_transaction, max_spend_per_day, max_transactions_per_day, at, request_id, job)
    values (${uuidOf(platformId)}, ${uuidOf(card.id)}, ${card.version}, ${cause}, ${tokenId && uuidOf(tokenId)}, ${fromStatus}, ${card.status},
      ${substatus}, ${reason}, ${uuidOf(card.fundingAccountId)}, ${card.maxSpendPerTransaction}, ${card.maxSpendPerDay},
      ${card.maxTransactionsPerDay}, ${now}, ${tx.cause?.requestId ?? null}, ${tx.cause?.job ?? null})`);
}

/** The new card with its first binding and the first row of its history. */
export function insertCard(tx: Tx, platformId: PlatformId, card: Card, change: CardChange): void {
  tx.send(sql`
    insert into cards (platform_id, id, customer_id, platform_card_id, status, status_reason, program, form, currency,
      funding_account_id, funding_currency, funding_source_id, max_spend_per_transaction, max_spend_per_day, max_transactions_per_day,
      pin_status, version, provisioning_due_at, created_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(card.id)}, ${uuidOf(card.customerId)}, ${card.platformCardId}, ${card.status}, ${card.statusReason},
      ${card.program}, ${card.form}, ${card.currency},
      ${uuidOf(card.fundingAccountId)}, ${card.fundingCurrency}, ${card.fundingSourceId && uuidOf(card.fundingSourceId)},
      ${card.maxSpendPerTransaction}, ${card.maxSpendPerDay}, ${card.maxTransactionsPerDay},
      ${card.pinStatus}, ${card.version}, ${card.provisioningDueAt}, ${card.createdAt}, ${card.updatedAt})`);
  bindFunding(tx, platformId, card, card.createdAt);
  insertHistory(tx, platformId, null, card, change, card.createdAt);
}

/** Whether a PIN was set after the card had this version. */
export async function pinSetSince(tx: Reader, platformId: PlatformId, cardId: CardId, version: number): Promise<boolean> {
  const row = await tx.one<{ found: boolean }>(sql`
    select exists (
      select from card_history
      where platform_id = ${uuidOf(platformId)} and card_id = ${uuidOf(cardId)} and version > ${version} and cause = 'PIN_SET') as found`);
  return row?.found ?? false;
}

// ---- provisioning

export const firstProvisioning: Job['firstDue'] = (condition) => sql`
  select platform_id, provisioning_due_at as at from cards where ${condition(sql`platform_id`)} and provisioning_due_at is not null
  order by platform_id, provisioning_due_at limit 1`;

/** When the issuer is told again that a card is closed; null once it was. What somebody else has written since stays. */
export async function saveClosingDue(
  tx: Pick<Tx, 'run'>,
  platformId: PlatformId,
  { id, provisioningDueAt }: Pick<Card, 'id' | 'provisioningDueAt'>,
  at: Date | null,
): Promise<void> {
  await tx.run(sql`
    update cards set provisioning_due_at = ${at}
    where ${isCard(platformId, id)} and provisioning_due_at is not distinct from ${provisioningDueAt}`);
}

/** Cards whose order or closing is overdue, each returned to one caller only. They are due again at `nextAt`. */
export async function claimProvisioning(tx: Tx, platformId: PlatformId, now: Date, nextAt: Date, limit: number): Promise<Card[]> {
  const rows = await tx.many<CardRow>(sql`
    update cards set provisioning_due_at = ${nextAt}
    where platform_id = ${uuidOf(platformId)} and id = any(array(
      -- An array is made once. A subselect of IN may run once per row, and then the limit does not hold.
      select id from cards where platform_id = ${uuidOf(platformId)} and provisioning_due_at <= ${now}
      order by provisioning_due_at limit ${limit} for update skip locked))
    returning *`);
  return rows.map(toCard);
}

/** Writes the daily spend of cards, which are locked. It is no change of the card: the version stays. */
export function saveSpend(tx: Tx, platformId: PlatformId, spends: readonly (readonly [cardId: string, days: SpendDays])[]): void {
  if (spends.length === 0) return;
  const ids = spends.map(([id]) => id);
  const value = (type: 'bigint' | 'date', of: (days: SpendDays) => unknown): Sql => {
    const values = spends.map(([, days]) => of(days));
    return valueById(ids, values, type);
  };
  tx.send(sql`
    update cards set spend_day = ${value('date', ([latest]) => latest?.day ?? null)},
      day_spent = ${value('bigint', ([latest]) => latest?.spent ?? 0n)}, day_count = ${value('bigint', ([latest]) => latest?.count ?? 0)},
      earlier_day = ${value('date', ([, earlier]) => earlier?.day ?? null)},
      earlier_spent = ${value('bigint', ([, earlier]) => earlier?.spent ?? 0n)}, earlier_count = ${value('bigint', ([, earlier]) => earlier?.count ?? 0)}
    where platform_id = ${uuidOf(platformId)} and id = any(${ids}::uuid[])`);
}
