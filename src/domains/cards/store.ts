// SQL of cards, their funding sources and their history. Decides nothing.
import type { Tx } from '../../db/pool.js';
import { sql } from '../../db/sql.js';
import { ApiError } from '../../kernel/errors.js';
import { type CardFundingSourceId, type CardId, type InternalAccountId, idOf, type PlatformId, uuidOf } from '../../kernel/ids.js';
import type { Card, CardBrand, CardChange, CardForm, CardStatus, CardStatusReason, PinStatus } from './card.js';

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
  brand: CardBrand | null;
  last4: string | null;
  exp_month: number | null;
  exp_year: number | null;
  processor_ref: string | null;
  issuer_ref: string | null;
  version: number;
  provisioning_due_at: Date | null;
  created_at: Date;
  updated_at: Date;
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
          last4: row.last4 as string,
          expMonth: row.exp_month as number,
          expYear: row.exp_year as number,
          processorRef: row.processor_ref as string,
          issuerRef: row.issuer_ref as string,
        },
  version: row.version,
  provisioningDueAt: row.provisioning_due_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Locks the card until the transaction ends, or answers 404. Whatever changes a card, or decides on one, begins here. */
export async function lockCard(tx: Tx, platformId: PlatformId, id: CardId): Promise<Card> {
  const row = await tx.one<CardRow>(sql`
    select * from cards where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} for update`);
  if (!row) throw new ApiError('NOT_FOUND');
  return toCard(row);
}

/** The id of the pair of a card and an account, whether it is bound now or was before. */
export async function findFundingPair(
  tx: Tx,
  platformId: PlatformId,
  cardId: CardId,
  accountId: InternalAccountId,
): Promise<CardFundingSourceId | undefined> {
  const row = await tx.one<{ id: string }>(sql`
    select id from card_funding_sources
    where platform_id = ${uuidOf(platformId)} and card_id = ${uuidOf(cardId)} and account_id = ${uuidOf(accountId)}`);
  return row && idOf('CardFundingSource', row.id);
}

/** Writes a locked card as changed, with the row of its history; the two carry the same number. */
export async function saveCard(tx: Tx, platformId: PlatformId, before: Card, card: Card, change: CardChange, now: Date): Promise<void> {
  await tx.run(sql`
    with saved as (
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
      where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(card.id)}
      returning *
    )
    ${historyInsert(before.status, change, now)}`);
}

const historyInsert = (fromStatus: CardStatus | null, { cause, tokenId, substatus, reason }: CardChange, now: Date) => sql`
    insert into card_history (platform_id, card_id, version, cause, token_id, from_status, to_status, substatus, reason,
      funding_account_id, max_spend_per_transaction, max_spend_per_day, max_transactions_per_day, at)
    select platform_id, id, version, ${cause}, ${tokenId && uuidOf(tokenId)}::uuid, ${fromStatus}, status, ${substatus}, ${reason},
      funding_account_id, max_spend_per_transaction, max_spend_per_day, max_transactions_per_day, ${now}::timestamptz
    from saved`;

/** The new card with its first binding and the first row of its history. */
export async function insertCard(tx: Tx, platformId: PlatformId, card: Card, change: CardChange): Promise<void> {
  await tx.run(sql`
    with saved as (
      insert into cards (platform_id, id, customer_id, platform_card_id, status, status_reason, program, form, currency,
        funding_account_id, funding_currency, funding_source_id, max_spend_per_transaction, max_spend_per_day, max_transactions_per_day,
        pin_status, version, provisioning_due_at, created_at, updated_at)
      values (${uuidOf(platformId)}, ${uuidOf(card.id)}, ${uuidOf(card.customerId)}, ${card.platformCardId}, ${card.status}, ${card.statusReason},
        ${card.program}, ${card.form}, ${card.currency},
        ${uuidOf(card.fundingAccountId)}, ${card.fundingCurrency}, ${card.fundingSourceId && uuidOf(card.fundingSourceId)},
        ${card.maxSpendPerTransaction}, ${card.maxSpendPerDay}, ${card.maxTransactionsPerDay},
        ${card.pinStatus}, ${card.version}, ${card.provisioningDueAt}, ${card.createdAt}, ${card.updatedAt})
      returning *
    ), bound as (
      insert into card_funding_sources (platform_id, id, card_id, account_id, bound_at)
      select platform_id, funding_source_id, id, funding_account_id, created_at from saved
    )
    ${historyInsert(null, change, card.createdAt)}`);
}
