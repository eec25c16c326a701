// Which debits of an external account may be made, and what they become. Pure; refusals stand in their order of precedence.
import { ApiError, invalidField } from '../../../kernel/errors.js';
import type { PlatformId, TransactionId } from '../../../kernel/ids.js';
import { MAX_AMOUNT } from '../../../kernel/money.js';
import type { ExternalAccount } from '../../accounts/external-accounts/external-account.js';
import type { InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import type { Platform } from '../../core/platform/platform.js';
import { requireReadyToPay } from '../../identity/agreements/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { IncomingPayment } from '../payments/payment.js';

/** The amount of a request, which its schema leaves open. */
export function amountOf(amount: number | undefined): bigint {
  if (amount === undefined) throw invalidField('amount', 'is required');
  const units = BigInt(amount);
  if (units < 1n || units > MAX_AMOUNT) throw new ApiError('INVALID_AMOUNT');
  return units;
}

export type DebitFacts = {
  readonly platform: Platform;
  readonly source: ExternalAccount;
  readonly destination: InternalAccount;
  /** The holder of the account that is credited; null for the platform itself. */
  readonly customer: Customer | null;
};

export function refuseDebit({ platform, source, destination, customer }: DebitFacts): void {
  if (destination.status === 'CLOSED') throw new ApiError('ACCOUNT_NOT_FOUND');
  if (source.status === 'PENDING') throw new ApiError('BANK_ACCOUNT_VALIDATION_PENDING');
  if (customer) requireReadyToPay(customer, platform);
  if (source.accountInfo.accountType !== 'USD_ACCOUNT')
    throw invalidField('source.accountId', 'must be a USD bank account, which money can be pulled from');
  if ((source.customerId ?? null) !== (customer?.id ?? null))
    throw invalidField('source.accountId', 'must belong to the holder of the account that is credited');
  if (destination.type === 'RULE_BASED') throw invalidField('destination.accountId', 'cannot be a RULE_BASED account');
  if (destination.status !== 'ACTIVE') throw invalidField('destination.accountId', 'is not active');
  if (source.status === 'INACTIVE') throw new ApiError('INVALID_BANK_ACCOUNT');
  if (source.status === 'UNDER_REVIEW') throw new ApiError('INVALID_RECEIVER');
  if (source.currency !== destination.currency) throw new ApiError('INVALID_CURRENCY');
  const config = platform.config.supportedCurrencies.find(({ currencyCode }) => currencyCode === source.currency);
  if (!config?.enabledTransactionTypes.includes('INCOMING')) throw new ApiError('INVALID_CURRENCY');
}

export type NewDebit = Pick<DebitFacts, 'source' | 'destination' | 'customer'> & {
  readonly id: TransactionId;
  readonly platformId: PlatformId;
  readonly amount: bigint;
  readonly now: Date;
};

/** Credited when the debit has settled. */
export const newDebit = ({ id, platformId, source, destination, customer, amount, now }: NewDebit): IncomingPayment => ({
  type: 'INCOMING',
  state: 'SUBMITTED',
  id,
  customerId: customer?.id ?? null,
  platformCustomerId: customer?.platformCustomerId ?? platformId,
  quoteId: null,
  source: { type: 'ACCOUNT', accountId: source.id },
  destination: { type: 'ACCOUNT', accountId: destination.id },
  sent: { amount, currency: source.currency },
  received: { amount, currency: destination.currency },
  fees: 0n,
  platformFees: 0n,
  exchangeRate: '1',
  rateDetails: null,
  fundedAmount: null,
  paymentRail: null,
  railSelection: null,
  failureReason: null,
  pendingReason: null,
  refund: null,
  description: null,
  remittanceInformation: null,
  purposeOfPayment: null,
  counterpartyInformation: null,
  feeAccountId: null,
  counterpartId: null,
  creditTo: null,
  requestedFields: [],
  borne: 0n,
  ruleBasedAccountId: null,
  agentId: null,
  settledAt: null,
  expectedSettlementAt: null,
  settlementSeconds: null,
  receiptConfirmedAt: null,
  expiresAt: null,
  createdAt: now,
  updatedAt: now,
});
