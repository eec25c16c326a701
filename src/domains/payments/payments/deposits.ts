// Deposits as transactions: money that arrived on an account from outside.
import type { Tx } from '../../../db/pool.js';
import { assert } from '../../../kernel/errors.js';
import type { ReceivedDeposit } from '../../accounts/internal-accounts/hooks.js';
import type { InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import { findCustomer } from '../../identity/customers/actions.js';
import { paymentEvents } from './apply.js';
import type { IncomingPayment } from './payment.js';
import { depositRail } from './rail-rules.js';
import { insertPayment } from './store.js';

/**
 * Writes the transaction of a deposit, and that of another holder who has received it by a rule. Their webhooks inform: whatever the receiver
 * answers changes nothing.
 */
export async function recordDeposit(tx: Tx, deposit: ReceivedDeposit): Promise<void> {
  const { platformId, account, now } = deposit;
  const nameOf = async ({ customerId }: InternalAccount): Promise<string> =>
    (customerId && (await findCustomer(tx, platformId, customerId))?.platformCustomerId) || platformId;
  const payment = depositedPayment(deposit, await nameOf(account));
  const forwarded = deposit.forwarded && forwardedPayment(payment, deposit, deposit.forwarded, await nameOf(deposit.forwarded.account));
  insertPayment(tx, platformId, payment);
  if (forwarded) insertPayment(tx, platformId, forwarded);
  enqueueEvents(tx, platformId, now, [
    ...paymentEvents(platformId, payment, [payment.state === 'COMPLETED' ? 'COMPLETED' : 'FAILED']),
    ...(forwarded ? paymentEvents(platformId, forwarded, ['COMPLETED']) : []),
  ]);
}

/** The receiver's side of a sweep to another holder: paid from the own account of the holder of the rule, whose bank is no part of it. */
function forwardedPayment(
  deposited: IncomingPayment,
  { account: { sweepRule }, throughId }: ReceivedDeposit,
  { transactionId: id, account, amount }: NonNullable<ReceivedDeposit['forwarded']>,
  platformCustomerId: string,
): IncomingPayment {
  assert(throughId, 'a sweep passes through the own account of its holder');
  const money = { amount, currency: account.currency };
  return {
    ...deposited,
    id,
    customerId: account.customerId,
    platformCustomerId,
    source: { type: 'ACCOUNT', accountId: throughId },
    destination: { type: 'ACCOUNT', accountId: account.id },
    sent: money,
    received: money,
    remittanceInformation: sweepRule?.remittanceInformation ?? null,
    creditTo: null,
    ruleBasedAccountId: null,
  };
}

/** A deposit whose rule could not sweep it has failed for the rule. Its money is on the holder's own account. */
function depositedPayment(deposit: ReceivedDeposit, platformCustomerId: string): IncomingPayment {
  const { transactionId: id, account, throughId, amount, description, remittanceInformation, unswept, now } = deposit;
  const { currency, sweepRule } = account;
  return {
    type: 'INCOMING',
    state: unswept ? 'FAILED' : 'COMPLETED',
    id,
    customerId: account.customerId,
    platformCustomerId,
    quoteId: null,
    source: { type: 'REALTIME_FUNDING', rail: depositRail(id, currency, now) },
    destination: { type: 'ACCOUNT', accountId: account.id },
    sent: { amount, currency },
    received: { amount, currency },
    fees: 0n,
    platformFees: 0n,
    exchangeRate: '1',
    rateDetails: null,
    fundedAmount: null,
    paymentRail: null,
    railSelection: null,
    failureReason: unswept ?? null,
    pendingReason: null,
    refund: null,
    description: sweepRule ? (sweepRule.description ?? null) : (description ?? null),
    remittanceInformation: remittanceInformation ?? null,
    purposeOfPayment: null,
    counterpartyInformation: null,
    feeAccountId: null,
    counterpartId: null,
    // A return takes the money from where the holder has it: a rule-based account is empty.
    creditTo: throughId ?? null,
    requestedFields: [],
    borne: 0n,
    ruleBasedAccountId: sweepRule ? account.id : null,
    agentId: null,
    settledAt: now,
    expectedSettlementAt: null,
    settlementSeconds: null,
    receiptConfirmedAt: null,
    expiresAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
