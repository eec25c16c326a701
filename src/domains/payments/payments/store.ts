// All SQL of payments and messages of rails.
import type { PlatformCondition } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { isUnset, type Sql, sql } from '../../../db/sql.js';
import { idOf, type PlatformId, parseId, type TransactionId, uuidOf } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import type { ScheduledMessage } from '../../../providers/rails.js';
import type { RateDetails } from '../rates/price.js';
import type {
  AccountId,
  IncomingState,
  OutgoingState,
  Payment,
  PaymentDestination,
  PaymentSource,
  RailDetails,
  RailMessage,
  RefundReason,
  RequestedField,
} from './payment.js';
import { statusOf } from './rules.js';

type Reader = Pick<Tx, 'one' | 'many'>;

export type PaymentRow = {
  id: string;
  customer_id: string | null;
  platform_customer_id: string;
  quote_id: string | null;
  source_type: PaymentSource['type'];
  source_identifier: string | null;
  destination_type: PaymentDestination['type'];
  destination_identifier: string;
  sent_amount: bigint;
  sent_currency: string;
  received_amount: bigint;
  received_currency: string;
  fees: bigint;
  platform_fees: bigint;
  exchange_rate: string;
  rate_details: RateDetails | null;
  funded_amount: bigint | null;
  payment_rail: string | null;
  rail_selection: 'AUTO' | 'MANUAL' | null;
  source_rail: RailDetails | null;
  destination_rail: RailDetails | null;
  failure_reason: string | null;
  pending_reason: string | null;
  refund_reason: RefundReason | null;
  refund_initiated_at: Date | null;
  refund_settled_at: Date | null;
  description: string | null;
  remittance_information: string | null;
  purpose_of_payment: string | null;
  counterparty_information: Readonly<Record<string, unknown>> | null;
  fee_account_id: string | null;
  counterpart_id: string | null;
  credit_to: string | null;
  requested_fields: RequestedField[] | null;
  borne: bigint;
  rule_based_account_id: string | null;
  agent_id: string | null;
  settled_at: Date | null;
  expected_settlement_at: Date | null;
  settlement_seconds: number | null;
  receipt_confirmed_at: Date | null;
  expires_at: Date | null;
  created_at: Date;
  updated_at: Date;
} & ({ type: 'OUTGOING'; state: OutgoingState } | { type: 'INCOMING'; state: IncomingState });

const idOrNull = <Kind extends string>(kind: Kind, uuid: string | null) => (uuid === null ? null : idOf(kind, uuid));

/** Accounts are stored as the API names them. */
const accountOf = (identifier: string): AccountId =>
  parseId('InternalAccount', identifier) ?? parseId('ExternalAccount', identifier) ?? idOf('ExternalAccount', identifier);

function sourceOf({ source_type: type, source_identifier: identifier, source_rail: rail }: PaymentRow): PaymentSource {
  if (type === 'REALTIME_FUNDING' || identifier === null) return { type: 'REALTIME_FUNDING', rail: rail ?? undefined };
  if (type === 'UMA_ADDRESS') return { type, umaAddress: identifier };
  return { type, accountId: accountOf(identifier), rail: rail ?? undefined };
}

function destinationOf({
  destination_type: type,
  destination_identifier: identifier,
  destination_rail: rail,
}: PaymentRow): PaymentDestination {
  if (type === 'UMA_ADDRESS') return { type, umaAddress: identifier };
  return { type, accountId: accountOf(identifier), rail: rail ?? undefined };
}

export const toPayment = (row: PaymentRow): Payment => ({
  ...(row.type === 'OUTGOING' ? { type: row.type, state: row.state } : { type: row.type, state: row.state }),
  id: idOf('Transaction', row.id),
  customerId: idOrNull('Customer', row.customer_id),
  platformCustomerId: row.platform_customer_id,
  quoteId: idOrNull('Quote', row.quote_id),
  source: sourceOf(row),
  destination: destinationOf(row),
  sent: { amount: row.sent_amount, currency: row.sent_currency },
  received: { amount: row.received_amount, currency: row.received_currency },
  fees: row.fees,
  platformFees: row.platform_fees,
  exchangeRate: row.exchange_rate,
  rateDetails: row.rate_details,
  fundedAmount: row.funded_amount,
  paymentRail: row.payment_rail,
  railSelection: row.rail_selection,
  failureReason: row.failure_reason,
  pendingReason: row.pending_reason,
  refund:
    row.refund_reason === null || row.refund_initiated_at === null
      ? null
      : { reason: row.refund_reason, initiatedAt: row.refund_initiated_at, settledAt: row.refund_settled_at },
  description: row.description,
  remittanceInformation: row.remittance_information,
  purposeOfPayment: row.purpose_of_payment,
  counterpartyInformation: row.counterparty_information,
  feeAccountId: idOrNull('InternalAccount', row.fee_account_id),
  counterpartId: idOrNull('Transaction', row.counterpart_id),
  creditTo: row.credit_to === null ? null : accountOf(row.credit_to),
  requestedFields: row.requested_fields ?? [],
  borne: row.borne,
  ruleBasedAccountId: idOrNull('InternalAccount', row.rule_based_account_id),
  agentId: idOrNull('Agent', row.agent_id),
  settledAt: row.settled_at,
  expectedSettlementAt: row.expected_settlement_at,
  settlementSeconds: row.settlement_seconds,
  receiptConfirmedAt: row.receipt_confirmed_at,
  expiresAt: row.expires_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const byId = (platformId: PlatformId, id: TransactionId): Sql => sql`
  select * from payments where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`;

export async function findPayment(tx: Reader, platformId: PlatformId, id: TransactionId): Promise<Payment | undefined> {
  const row = await tx.one<PaymentRow>(byId(platformId, id));
  return row && toPayment(row);
}

export async function lockPayment(tx: Tx, platformId: PlatformId, id: TransactionId): Promise<Payment | undefined> {
  const row = await tx.one<PaymentRow>(sql`${byId(platformId, id)} for update`);
  return row && toPayment(row);
}

/**
 * Locks a payment that was read before. What was read holds if it has not changed since, so the row need not be read again: a change moves
 * its time or its state.
 */
export async function lockAsRead(tx: Tx, platformId: PlatformId, read: Payment): Promise<Payment | undefined> {
  const row = await tx.one<Pick<PaymentRow, 'state' | 'updated_at'>>(sql`
    select state, updated_at from payments where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(read.id)} for update`);
  const isSame = row?.state === read.state && row.updated_at.getTime() === read.updatedAt.getTime();
  return row && (isSame ? read : findPayment(tx, platformId, read.id));
}

const identifierOf = (end: PaymentSource | PaymentDestination): string | null =>
  end.type === 'ACCOUNT' ? end.accountId : end.type === 'UMA_ADDRESS' ? end.umaAddress : null;
const railOf = (end: PaymentSource | PaymentDestination): string | null => ('rail' in end && end.rail ? JSON.stringify(end.rail) : null);
const uuidOrNull = (id: Payment['customerId'] | Payment['quoteId'] | Payment['id'] | Payment['feeAccountId'] | Payment['agentId']) =>
  id === null ? null : uuidOf(id);

export function insertPayment(tx: Tx, platformId: PlatformId, payment: Payment): void {
  const { source, destination, sent, received, refund } = payment;
  tx.send(sql`
    insert into payments (platform_id, id, type, state, status, customer_id, platform_customer_id, quote_id, source_type, source_identifier,
      destination_type, destination_identifier, sent_amount, sent_currency, received_amount, received_currency, fees, platform_fees,
      exchange_rate, rate_details, funded_amount, payment_rail, rail_selection, source_rail, destination_rail, failure_reason, pending_reason,
      refund_reason, refund_initiated_at, refund_settled_at, description, remittance_information, purpose_of_payment, counterparty_information, fee_account_id,
      counterpart_id, credit_to, requested_fields, borne, rule_based_account_id, agent_id, settled_at, expected_settlement_at, settlement_seconds, receipt_confirmed_at, expires_at, created_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(payment.id)}, ${payment.type}, ${payment.state}, ${statusOf(payment)}, ${uuidOrNull(payment.customerId)},
      ${payment.platformCustomerId}, ${uuidOrNull(payment.quoteId)}, ${source.type}, ${identifierOf(source)}, ${destination.type},
      ${identifierOf(destination)}, ${sent.amount}, ${sent.currency}, ${received.amount}, ${received.currency}, ${payment.fees},
      ${payment.platformFees}, ${payment.exchangeRate}, ${payment.rateDetails && JSON.stringify(payment.rateDetails)}, ${payment.fundedAmount},
      ${payment.paymentRail}, ${payment.railSelection}, ${railOf(source)}, ${railOf(destination)}, ${payment.failureReason}, ${payment.pendingReason},
      ${refund?.reason ?? null}, ${refund?.initiatedAt ?? null}, ${refund?.settledAt ?? null}, ${payment.description},
      ${payment.remittanceInformation}, ${payment.purposeOfPayment}, ${payment.counterpartyInformation && JSON.stringify(payment.counterpartyInformation)},
      ${uuidOrNull(payment.feeAccountId)}, ${uuidOrNull(payment.counterpartId)}, ${payment.creditTo},
      ${payment.requestedFields.length > 0 ? JSON.stringify(payment.requestedFields) : null}, ${payment.borne}, ${uuidOrNull(payment.ruleBasedAccountId)},
      ${uuidOrNull(payment.agentId)}, ${payment.settledAt}, ${payment.expectedSettlementAt}, ${payment.settlementSeconds}, ${payment.receiptConfirmedAt}, ${payment.expiresAt},
      ${payment.createdAt}, ${payment.updatedAt})`);
}

/** Writes the columns that may change. */
export function savePayment(tx: Tx, platformId: PlatformId, payment: Payment): void {
  const { source, destination, refund } = payment;
  tx.send(sql`
    update payments set state = ${payment.state}, status = ${statusOf(payment)}, source_rail = ${railOf(source)}, destination_rail = ${railOf(destination)},
      funded_amount = ${payment.fundedAmount}, failure_reason = ${payment.failureReason}, pending_reason = ${payment.pendingReason},
      refund_reason = ${refund?.reason ?? null}, refund_initiated_at = ${refund?.initiatedAt ?? null}, refund_settled_at = ${refund?.settledAt ?? null},
      counterparty_information = ${payment.counterpartyInformation && JSON.stringify(payment.counterpartyInformation)},
      counterpart_id = ${uuidOrNull(payment.counterpartId)}, borne = ${payment.borne}, settled_at = ${payment.settledAt}, expected_settlement_at = ${payment.expectedSettlementAt}, settlement_seconds = ${payment.settlementSeconds},
      receipt_confirmed_at = ${payment.receiptConfirmedAt}, expires_at = ${payment.expiresAt}, updated_at = ${payment.updatedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(payment.id)}`);
}

// ---- messages of rails

/** Stores messages that a rail has scheduled. One that is there already counts once. */
export function insertMessages(tx: Tx, platformId: PlatformId, id: TransactionId, messages: readonly ScheduledMessage[], now: Date): void {
  for (const [position, message] of messages.entries())
    tx.send(sql`
      insert into rail_messages (platform_id, payment_id, message_id, kind, reason, position, due_at, received_at)
      values (${uuidOf(platformId)}, ${uuidOf(id)}, ${message.id}, ${message.kind}, ${message.reason ?? null}, ${position},
        ${plusMs(now, message.afterMs)}, ${now})
      on conflict do nothing`);
}

export type DueMessage = { readonly id: TransactionId; readonly messageId: string };

export const firstMessage = (condition: PlatformCondition, excluded: readonly string[]): Sql => sql`
  select m.platform_id, m.due_at as at from rail_messages m
  where ${condition(sql`m.platform_id`)} and m.due_at is not null and m.payment_id <> all(${excluded}::uuid[])
  order by m.platform_id, m.due_at limit 1`;

export async function findDueMessages(
  tx: Reader,
  platformId: PlatformId,
  now: Date,
  excluded: readonly string[],
  limit: number,
): Promise<DueMessage[]> {
  const rows = await tx.many<{ payment_id: string; message_id: string }>(sql`
    select payment_id, message_id from rail_messages
    where platform_id = ${uuidOf(platformId)} and due_at <= ${now} and payment_id <> all(${excluded}::uuid[])
    order by due_at, position limit ${limit}`);
  return rows.map((row) => ({ id: idOf('Transaction', row.payment_id), messageId: row.message_id }));
}

/** Takes a due message, so that it counts once; undefined when another worker was first. The payment is locked. */
export async function takeMessage(tx: Tx, platformId: PlatformId, id: TransactionId, messageId: string): Promise<RailMessage | undefined> {
  const row = await tx.one<{ kind: RailMessage['kind']; reason: string | null }>(sql`
    update rail_messages set due_at = null
    where platform_id = ${uuidOf(platformId)} and payment_id = ${uuidOf(id)} and message_id = ${messageId} and not ${isUnset(sql`due_at`)}
    returning kind, reason`);
  return row && { id: messageId, ...row };
}

// ---- expiry

export const firstExpiry = (condition: PlatformCondition, excluded: readonly string[]): Sql => sql`
  select p.platform_id, p.expires_at as at from payments p
  where ${condition(sql`p.platform_id`)} and p.expires_at is not null and p.id <> all(${excluded}::uuid[])
  order by p.platform_id, p.expires_at limit 1`;

export async function findExpired(
  tx: Reader,
  platformId: PlatformId,
  now: Date,
  excluded: readonly string[],
  limit: number,
): Promise<TransactionId[]> {
  const rows = await tx.many<{ id: string }>(sql`
    select id from payments where platform_id = ${uuidOf(platformId)} and expires_at <= ${now} and id <> all(${excluded}::uuid[])
    order by expires_at limit ${limit}`);
  return rows.map(({ id }) => idOf('Transaction', id));
}
