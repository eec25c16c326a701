// Payments on the wire.
import type { PlatformId } from '../../../kernel/ids.js';
import { type CurrencyCode, renderMoney, toWire } from '../../../kernel/money.js';
import type { BankRailDetails, Payment, PaymentDestination, PaymentSource, RailDetails } from './payment.js';
import { referenceOf } from './references.js';
import { refundStatusOf, statusOf } from './rules.js';

/** Absent members are left out, so that a stored event and a later answer are the same bytes. */
const present = <Members extends Record<string, unknown>>(members: Members) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

const wireTime = (at: Date | null): string | undefined => at?.toISOString();

function renderRail(rail: BankRailDetails, remittance: string | null): Record<string, unknown> {
  const remittanceInformation = remittance ?? undefined;
  const { paymentRail, reference, bankAccount, ...progress } = rail;
  const own =
    paymentRail === 'WIRE'
      ? { imad: reference, originatorToBeneficiaryInformation: remittanceInformation }
      : paymentRail === 'RTP' || paymentRail === 'FEDNOW'
        ? { endToEndId: reference, remittanceInformation }
        : { traceNumber: reference, addenda: remittanceInformation };
  return present({ paymentRail, ...own, bankAccount, ...progress });
}

/** `onChainTransaction` repeats the details of a chain for callers of an earlier version. Lightning has no network, so it shows neither. */
function renderTravel(rail: RailDetails | undefined, { remittanceInformation, settledAt }: Payment) {
  if (!rail) return {};
  if (rail.paymentRail !== 'ONCHAIN') return { railDetails: renderRail(rail, remittanceInformation) };
  const { transactionHash, network } = rail;
  // A transaction is on its chain once it has settled.
  if (network === undefined || settledAt === null) return {};
  return { railDetails: { ...rail, network }, onChainTransaction: { transactionHash, network } };
}

/** The customer who sends money without an account. What another holder receives is not sent by that holder. */
const senderOf = ({ type, customerId, counterpartId }: Payment) => (type === 'INCOMING' && counterpartId !== null ? null : customerId);

function renderSource(source: PaymentSource, currency: CurrencyCode, payment: Payment) {
  switch (source.type) {
    case 'ACCOUNT':
      return { sourceType: source.type, accountId: source.accountId, currency, ...renderTravel(source.rail, payment) };
    case 'UMA_ADDRESS':
      return { sourceType: source.type, umaAddress: source.umaAddress, currency };
    case 'REALTIME_FUNDING': {
      const customerId = senderOf(payment);
      return { sourceType: source.type, ...(customerId !== null && { customerId }), currency, ...renderTravel(source.rail, payment) };
    }
  }
}

const renderDestination = (destination: PaymentDestination, currency: CurrencyCode, payment: Payment) =>
  destination.type === 'ACCOUNT'
    ? {
        destinationType: destination.type,
        accountId: destination.accountId,
        currency,
        ...renderTravel(destination.rail, payment),
      }
    : { destinationType: destination.type, umaAddress: destination.umaAddress, currency };

function renderRefund(payment: Payment) {
  const status = refundStatusOf(payment);
  if (!payment.refund || !status) return undefined;
  const { reason, initiatedAt, settledAt } = payment.refund;
  return present({
    reference: `${referenceOf(payment.id)}-REFUND`,
    initiatedAt: initiatedAt.toISOString(),
    settledAt: wireTime(settledAt),
    status,
    reason,
  });
}

function outgoingOnly(payment: Payment) {
  if (payment.type !== 'OUTGOING') return {};
  return {
    platformFees: toWire(payment.platformFees),
    rateDetails: payment.rateDetails ?? undefined,
    paymentRail: payment.paymentRail,
    railSelectionMode: payment.railSelection ?? undefined,
    expectedSettlementAt: payment.expectedSettlementAt?.toISOString() ?? null,
    settlementTimelineSeconds: payment.settlementSeconds,
  };
}

/** The transaction as the API shows it. The platform's own payments carry its id where others carry the customer's. */
export const renderPayment = (platformId: PlatformId, payment: Payment): Record<string, unknown> =>
  present({
    id: payment.id,
    type: payment.type,
    direction: payment.type === 'OUTGOING' ? 'DEBIT' : 'CREDIT',
    status: statusOf(payment),
    pendingReason: payment.pendingReason ?? undefined,
    customerId: payment.customerId ?? platformId,
    platformCustomerId: payment.platformCustomerId,
    source: renderSource(payment.source, payment.sent.currency, payment),
    destination: renderDestination(payment.destination, payment.received.currency, payment),
    sentAmount: renderMoney(payment.sent.amount, payment.sent.currency),
    receivedAmount: renderMoney(payment.received.amount, payment.received.currency),
    exchangeRate: Number(payment.exchangeRate),
    fees: toWire(payment.fees),
    ...outgoingOnly(payment),
    quoteId: payment.quoteId ?? undefined,
    agentId: payment.agentId ?? undefined,
    ruleBasedAccountId: payment.ruleBasedAccountId ?? undefined,
    description: payment.description ?? undefined,
    counterpartyInformation: payment.counterpartyInformation ?? undefined,
    reconciliationInstructions: { reference: referenceOf(payment.id) },
    failureReason: payment.failureReason ?? undefined,
    refund: renderRefund(payment),
    settledAt: wireTime(payment.settledAt),
    receiptDeliveryConfirmedAt: wireTime(payment.receiptConfirmedAt),
    createdAt: payment.createdAt.toISOString(),
    updatedAt: payment.updatedAt.toISOString(),
  });
