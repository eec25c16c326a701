// The transfers of every step of a payment. No transfer converts a currency: FX takes one currency and gives another. Pure.
import { createHash } from 'node:crypto';
import { assert } from '../../../kernel/errors.js';
import { type PlatformId, parseId, uuidOf } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import { serviceAccountId } from '../../ledger/actions.js';
import type { AccountUuid, Move, ServicePurpose } from '../../ledger/ledger.js';
import type { Payment } from './payment.js';
import type { LedgerStep } from './rules.js';

type Leg = { readonly from: AccountUuid; readonly to: AccountUuid; readonly amount: bigint; readonly currency: CurrencyCode };

/** Facts that some steps need beside the payment. */
export type MoveFacts = {
  /** What can be taken back: from the platform's account for its fees, or from the receiver's account. */
  readonly available?: bigint;
  /** What is in suspense of the money that is taken back: an account that never had it does not pay it. */
  readonly suspended?: bigint;
  /**
   * Where money lands that cannot go where it belongs: a refund of realtime crypto funding, a return on a closed account, what an account has
   * no room for.
   */
  readonly arrivesOn?: AccountUuid | undefined;
};

/** The causes that statements show. */
const CAUSES: { readonly [step in LedgerStep]: string } = {
  DEBIT: 'PAYMENT',
  FUND: 'PAYMENT_FUNDING',
  FUND_MISMATCHED: 'PAYMENT_FUNDING',
  SETTLE: 'PAYMENT_SETTLEMENT',
  UNSETTLE: 'PAYMENT_RETURN',
  REFUND: 'PAYMENT_REFUND',
  SUSPEND: 'PAYMENT_REFUND_FAILED',
  CREDIT: 'DEPOSIT',
  PAY_OUT: 'PAYMENT_SETTLEMENT',
  TAKE_BACK: 'DEPOSIT_RETURN',
  RESTORE: 'DEPOSIT_RETURN_DISHONORED',
  TAKE_BACK_AGAIN: 'DEPOSIT_RETURN_CONTESTED',
  SEND_BACK: 'PAYMENT_REFUND',
};

/**
 * The id of a transfer follows from the payment and its step, so no step can be written twice. The first part of the payment's id is kept:
 * it rises with time, and new rows stay together in the index.
 */
export const transferIdOf = (paymentUuid: string, step: LedgerStep, position: number): string =>
  paymentUuid.slice(0, 24) + createHash('sha256').update(`${paymentUuid} ${step} ${position}`).digest('hex').slice(0, 12);

/** A step that takes money back, and the one before it that may have brought it to suspense. */
const SUSPENDED_BY: { readonly [step in LedgerStep]?: LedgerStep } = { UNSETTLE: 'SETTLE', TAKE_BACK_AGAIN: 'RESTORE' };

/** The transfers that may have put into suspense what a step takes back: one of the first two of the step before it. */
export function suspendingTransfers(payment: Payment, step: LedgerStep): string[] {
  const before = SUSPENDED_BY[step];
  return before === undefined ? [] : [0, 1].map((position) => transferIdOf(uuidOf(payment.id), before, position));
}

/** The account in which money waits for an operator, in the currency of what a step takes back. */
export const suspenseOf = (platformId: PlatformId, { sent, received }: Pick<Payment, 'sent' | 'received'>, step: LedgerStep): AccountUuid =>
  serviceAccountId(platformId, 'SUSPENSE', step === 'UNSETTLE' ? sent.currency : received.currency);

export function movesOf(platformId: PlatformId, payment: Payment, step: LedgerStep, facts: MoveFacts = {}): Move[] {
  const paymentUuid = uuidOf(payment.id);
  return legsOf(platformId, payment, step, facts)
    .filter(({ amount }) => amount > 0n)
    .map((leg, position) => ({
      kind: 'POST',
      transfer: {
        ...leg,
        id: transferIdOf(paymentUuid, step, position),
        cause: CAUSES[step],
        transactionId: transactionOf(payment, leg),
      },
    }));
}

/** The receiver's side names the receiver's own transaction. */
const transactionOf = (payment: Payment, { to }: Leg): string =>
  payment.type === 'OUTGOING' && payment.counterpartId !== null && to === internalDestination(payment)
    ? uuidOf(payment.counterpartId)
    : uuidOf(payment.id);

const internalUuid = (accountId: string): AccountUuid | undefined => {
  const id = parseId('InternalAccount', accountId);
  return id && uuidOf(id);
};

/** The account in the service that a payment is debited from; undefined where the money comes from outside. */
export const internalSource = ({ source }: Pick<Payment, 'source'>): AccountUuid | undefined =>
  source.type === 'ACCOUNT' ? internalUuid(source.accountId) : undefined;

/** The account in the service that a payment is credited to; undefined where the money leaves. */
export function internalDestination({ destination, creditTo }: Pick<Payment, 'destination' | 'creditTo'>): AccountUuid | undefined {
  if (creditTo !== null) return internalUuid(creditTo);
  return destination.type === 'ACCOUNT' ? internalUuid(destination.accountId) : undefined;
}

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function legsOf(
  platformId: PlatformId,
  payment: Payment,
  step: LedgerStep,
  { available = 0n, suspended = 0n, arrivesOn }: MoveFacts,
): Leg[] {
  const { sent, received, fees, platformFees, feeAccountId } = payment;
  const service = (purpose: ServicePurpose, currency: CurrencyCode) => serviceAccountId(platformId, purpose, currency);
  const clearing = service('CLEARING', sent.currency);
  const outside = service('FUNDING', sent.currency);
  const source = internalSource(payment);
  const inSent = (from: AccountUuid, to: AccountUuid, amount: bigint): Leg => ({ from, to, amount, currency: sent.currency });
  const inReceived = (from: AccountUuid, to: AccountUuid, amount: bigint): Leg => ({ from, to, amount, currency: received.currency });
  const feeAccount = () => {
    assert(feeAccountId !== null || platformFees === 0n, 'a platform that takes fees has an account in the currency');
    return feeAccountId === null ? service('FEES', sent.currency) : uuidOf(feeAccountId);
  };
  /** Out of the service, or to an account in it. */
  const receiver = internalDestination(payment) ?? service('FUNDING', received.currency);
  const net = sent.amount - fees;
  const isConverted = sent.currency !== received.currency;
  const delivery = (): Leg[] =>
    isConverted
      ? [
          inSent(clearing, service('FX', sent.currency), net),
          inReceived(service('FX', received.currency), service('CLEARING', received.currency), received.amount),
          inReceived(service('CLEARING', received.currency), receiver, received.amount),
        ]
      : [inSent(clearing, receiver, received.amount), inSent(clearing, service('FX', sent.currency), net - received.amount)];
  /** What a refund returns: all that was taken, fees included. */
  const taken = payment.fundedAmount ?? sent.amount;
  /** The money of an incoming payment on its way: the amount that the receiver is to have. */
  const arrived = (from: ServicePurpose, to: ServicePurpose): Leg =>
    inReceived(service(from, received.currency), service(to, received.currency), received.amount);
  const isIncoming = payment.type === 'INCOMING';

  switch (step) {
    case 'DEBIT':
      assert(source, 'a prefunded payment has an account to debit');
      return [inSent(source, clearing, sent.amount)];
    case 'FUND':
      return [isIncoming ? arrived('FUNDING', 'CLEARING') : inSent(outside, clearing, sent.amount)];
    case 'PAY_OUT':
    case 'SEND_BACK':
      return [arrived('CLEARING', 'FUNDING')];
    case 'FUND_MISMATCHED':
      return [inSent(outside, clearing, taken)];
    case 'SETTLE':
      return [
        inSent(clearing, service('FEES', sent.currency), fees - platformFees),
        inSent(clearing, arrivesOn ?? feeAccount(), platformFees),
        ...delivery(),
      ];
    case 'UNSETTLE': {
      const fromPlatform = least(available, platformFees - suspended);
      return [
        ...delivery()
          .map(({ from, to, ...leg }) => ({ ...leg, from: to, to: from }))
          .toReversed(),
        inSent(service('SUSPENSE', sent.currency), clearing, suspended),
        inSent(feeAccount(), clearing, fromPlatform),
        inSent(service('RESERVE', sent.currency), clearing, platformFees - suspended - fromPlatform),
        inSent(service('FEES', sent.currency), clearing, fees - platformFees),
      ];
    }
    case 'REFUND':
      return [inSent(clearing, arrivesOn ?? source ?? outside, taken)];
    case 'SUSPEND':
      return [isIncoming ? arrived('CLEARING', 'SUSPENSE') : inSent(clearing, service('SUSPENSE', sent.currency), taken)];
    case 'CREDIT':
    case 'RESTORE': {
      // A return that the reserve bore is repaid first.
      const toReserve = step === 'RESTORE' ? payment.borne : 0n;
      return [
        inReceived(service('FUNDING', received.currency), service('RESERVE', received.currency), toReserve),
        inReceived(service('FUNDING', received.currency), arrivesOn ?? receiver, received.amount - toReserve),
      ];
    }
    case 'TAKE_BACK':
    case 'TAKE_BACK_AGAIN': {
      const fromAccount = least(available, received.amount - suspended);
      const borne = received.amount - suspended - fromAccount;
      return [
        inReceived(service('SUSPENSE', received.currency), service('FUNDING', received.currency), suspended),
        inReceived(receiver, service('FUNDING', received.currency), fromAccount),
        inReceived(service('RESERVE', received.currency), service('FUNDING', received.currency), borne),
      ];
    }
  }
}
