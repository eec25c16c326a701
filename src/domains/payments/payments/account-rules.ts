// Which accounts of holders a step of a payment moves money of, and what happens when one of them was closed meanwhile. Pure.
import { ApiError } from '../../../kernel/errors.js';
import { type InternalAccountId, idOf, type PlatformId } from '../../../kernel/ids.js';
import type { InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import { serviceAccountId } from '../../ledger/actions.js';
import type { AccountUuid } from '../../ledger/ledger.js';
import { internalDestination, internalSource, least, type MoveFacts } from './moves.js';
import type { IncomingPayment, Payment } from './payment.js';
import type { Happened, LedgerStep } from './rules.js';

const isInternal = (id: InternalAccountId | undefined): id is InternalAccountId => id !== undefined;
const isClosed = ({ status }: Pick<InternalAccount, 'status'>): boolean => status === 'CLOSED';

/** The accounts in the service that a step moves money of. */
export function accountsOf(payment: Payment, step: LedgerStep): InternalAccountId[] {
  const named = (uuid: AccountUuid | undefined) => (uuid === undefined ? undefined : idOf('InternalAccount', uuid));
  const [source, destination] = [named(internalSource(payment)), named(internalDestination(payment))];
  const fees = payment.platformFees > 0n ? (payment.feeAccountId ?? undefined) : undefined;
  switch (step) {
    case 'DEBIT':
    case 'REFUND':
      return [source].filter(isInternal);
    case 'SETTLE':
    case 'UNSETTLE':
      return [destination, fees].filter(isInternal);
    case 'CREDIT':
    case 'RESTORE':
    case 'TAKE_BACK':
    case 'TAKE_BACK_AGAIN':
      return [destination].filter(isInternal);
    default:
      return [];
  }
}

const ARRIVING: ReadonlySet<LedgerStep> = new Set(['REFUND', 'CREDIT', 'RESTORE']);

/** Money arrives on an account of a holder: the account must not close until the transaction ends. */
export const arrives = (step: LedgerStep): boolean => ARRIVING.has(step);

type AccountStates = readonly Pick<InternalAccount, 'status'>[];

/** Refuses a step that brings money to an account that was closed meanwhile. */
export function refuseClosed(step: LedgerStep, accounts: AccountStates): void {
  if ((step === 'REFUND' || step === 'CREDIT') && accounts.some(isClosed)) throw new ApiError('ACCOUNT_NOT_FOUND');
}

/** A bank cannot be told that the account is closed: what it restores goes to suspense, and an operator decides. */
export const suspenseFor = (
  platformId: PlatformId,
  { received }: Pick<Payment, 'received'>,
  accounts: AccountStates,
): AccountUuid | undefined => (accounts.some(isClosed) ? serviceAccountId(platformId, 'SUSPENSE', received.currency) : undefined);

/**
 * Where money goes that an account has no room for and that nobody can be refused: the platform's fee of a payment that was delivered outside,
 * and what a bank restores. An operator decides. Undefined for steps that are refused instead.
 */
export function suspenseWithoutRoom(platformId: PlatformId, payment: Payment, step: LedgerStep): AccountUuid | undefined {
  if (step === 'RESTORE') return serviceAccountId(platformId, 'SUSPENSE', payment.received.currency);
  const isDelivered = step === 'SETTLE' && internalDestination(payment) === undefined;
  return isDelivered ? serviceAccountId(platformId, 'SUSPENSE', payment.sent.currency) : undefined;
}

/** How a payment ends that stays in the service: nobody is paid on a closed account. */
export const arrival = (accounts: AccountStates, now: Date): Happened<'SETTLED' | 'FAILED'> =>
  accounts.some(isClosed) ? { event: 'FAILED', reason: 'ACCOUNT_INVALID', now } : { event: 'SETTLED', now };

/** What the reserve pays of a return is remembered until the return is dishonored. */
export function withBorne(
  payment: IncomingPayment,
  step: LedgerStep | undefined,
  { available = 0n, suspended = 0n }: MoveFacts,
): IncomingPayment {
  if (step === 'RESTORE') return { ...payment, borne: 0n };
  if (step !== 'TAKE_BACK' && step !== 'TAKE_BACK_AGAIN') return payment;
  const due = payment.received.amount - suspended;
  return { ...payment, borne: due - least(available, due) };
}
