// Applies an event to a locked payment: state, money, webhooks and orders to rails, all in the caller's transaction.
import type { Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import { idOf, newId, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { isCrypto } from '../../../kernel/money.js';
import type { DepositProvider } from '../../../providers/deposits.js';
import type { ScheduledMessage } from '../../../providers/rails.js';
import type { ExternalAccount } from '../../accounts/external-accounts/external-account.js';
import {
  balanceUpdatedEvent,
  findInternalAccounts,
  findOwnAccounts,
  lockAgainstClosing,
  openMissingAccounts,
  withBalance,
} from '../../accounts/internal-accounts/actions.js';
import type { CardCapabilitiesFor, InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import type { NewEvent } from '../../core/webhooks/event.js';
import { findCustomer, lockCustomerForShare } from '../../identity/customers/actions.js';
import { broughtTo, type Locked, lockBalances, moveMoney, type OutstandingOn, spendable } from '../../ledger/actions.js';
import type { AccountUuid, Balance } from '../../ledger/ledger.js';
import { accountsOf, arrival, arrives, refuseClosed, suspenseFor, suspenseWithoutRoom, withBorne } from './account-rules.js';
import type { PaymentEnded } from './hooks.js';
import { internalDestination, type MoveFacts, movesOf, suspendingTransfers, suspenseOf } from './moves.js';
import type { IncomingPayment, OutgoingPayment, Payment } from './payment.js';
import { forward, payoutIdentifierOf, type RailDeps, submitPayout } from './payout.js';
import { refundedKindOf, wasPaidOut } from './rail-rules.js';
import { receivedPayment } from './received-rules.js';
import {
  changeIncoming,
  changeOutgoing,
  type Happened,
  type IncomingEvent,
  type LedgerStep,
  type OutgoingEvent,
  type Sent,
  statusOf,
} from './rules.js';
import { renderPayment } from './schemas.js';
import { insertMessages, insertPayment, savePayment } from './store.js';

export type PaymentDeps = RailDeps & {
  readonly deposits: DepositProvider;
  readonly cardCapabilitiesFor: CardCapabilitiesFor;
  /** The money that may still be returned to an account from its cards. Incoming money must leave room for it. */
  readonly outstandingOn: OutstandingOn;
  readonly agentPaymentEnded: () => PaymentEnded;
};

/** Webhooks of a payment in its present state, in the order given. */
export const paymentEvents = (platformId: PlatformId, payment: Payment, sends: readonly Sent[]): NewEvent[] => {
  const data = renderPayment(platformId, payment);
  return sends.flatMap((sent): NewEvent[] => {
    if (payment.type === 'OUTGOING') return [{ type: `OUTGOING_PAYMENT.${sent}`, objectId: payment.id, data }];
    if (sent === 'EXPIRED' || sent === 'PENDING_AUTHORIZATION') return [];
    return [{ type: `INCOMING_PAYMENT.${sent}`, objectId: payment.id, data: sent === 'PENDING' ? questionOf(data, payment) : data }];
  });
};

/** The platform is told what the sender asks for. */
const questionOf = (data: Record<string, unknown>, { requestedFields }: IncomingPayment): Record<string, unknown> =>
  requestedFields.length > 0 ? { ...data, requestedReceiverCustomerInfoFields: requestedFields } : data;

/** What the caller has read already, so that it is not read again. */
export type Known = {
  readonly accounts?: readonly InternalAccount[];
  readonly destination?: ExternalAccount | undefined;
  /** The accounts of the debit. */
  readonly debited?: Locked | undefined;
};

/** Applies an event to an outgoing payment whose row is locked. Undefined when the event does not happen in its state: nothing is written. */
export async function applyOutgoing(
  deps: PaymentDeps,
  tx: Tx,
  platformId: PlatformId,
  payment: OutgoingPayment,
  happened: Happened<OutgoingEvent>,
  { accounts = [], destination, debited }: Known = {},
): Promise<OutgoingPayment | undefined> {
  const { now } = happened;
  const change = changeOutgoing(payment, happened);
  if (!change) return undefined;
  const { ledger } = change;
  const holding = ledger ? await readAccounts(tx, platformId, change.payment, ledger, accounts) : [];
  if (ledger) refuseClosed(ledger, holding);
  const receiver = ledger === 'SETTLE' ? receiverOf(change.payment, holding) : undefined;
  const counterpart = receiver && (await openCounterpart(tx, platformId, change.payment, receiver, now));
  const settled: OutgoingPayment = counterpart ? { ...change.payment, counterpartId: counterpart.id } : change.payment;

  const balances = ledger ? await move(deps, tx, platformId, settled, ledger, debited) : new Map<AccountUuid, Balance>();
  const staysInside = internalDestination(settled) !== undefined;
  const next = change.paysOut && !staysInside ? await submitPayout(deps, tx, platformId, settled, now, destination) : settled;

  savePayment(tx, platformId, next);
  if (counterpart) insertPayment(tx, platformId, counterpart);
  const changed = [...holding, ...(await openedSince(tx, platformId, balances, holding))];
  enqueueEvents(tx, platformId, now, [
    ...paymentEvents(platformId, next, change.sends),
    ...(counterpart ? paymentEvents(platformId, counterpart, ['COMPLETED']) : []),
    ...balanceEvents(deps, changed, balances),
  ]);
  if (change.refundBegins) await orderRefund(deps, tx, platformId, next, now);
  if (next.agentId !== null && isLost(next)) await deps.agentPaymentEnded()(tx, platformId, next);
  if (!change.paysOut || !staysInside) return next;
  // Within the service no rail is needed: the payment completes in the same transaction.
  const receiving = await readAccounts(tx, platformId, next, 'CREDIT', accounts);
  const known = { accounts: [...new Set([...accounts, ...receiving])] };
  try {
    return await applyOutgoing(deps, tx, platformId, next, arrival(receiving, now), known);
  } catch (error) {
    // A call that pays an account without room is refused. Money that has arrived cannot be: it goes back. Nothing was written yet.
    if (!hasArrived(happened) || !isWithoutRoom(error)) throw error;
    return applyOutgoing(deps, tx, platformId, next, { event: 'FAILED', reason: 'ACCOUNT_CANNOT_RECEIVE', now }, known);
  }
}

/** The money of a debit that has settled, or of a payer who was told where to send it. */
const hasArrived = ({ event }: Happened<OutgoingEvent>): boolean => event === 'COLLECTED' || event === 'FUNDS_ARRIVED';

const isLost = (payment: OutgoingPayment): boolean => ['FAILED', 'EXPIRED'].includes(statusOf(payment));

/** As `applyOutgoing`, for an incoming payment. */
export async function applyIncoming(
  deps: PaymentDeps,
  tx: Tx,
  platformId: PlatformId,
  payment: IncomingPayment,
  happened: Happened<IncomingEvent>,
): Promise<IncomingPayment | undefined> {
  const { now } = happened;
  const change = changeIncoming(payment, happened);
  if (!change) return undefined;
  const { ledger } = change;
  const known = ledger ? await readAccounts(tx, platformId, change.payment, ledger, []) : [];
  if (ledger) refuseClosed(ledger, known);
  const facts = ledger ? await gatherMoveFacts(deps, tx, platformId, change.payment, ledger, known) : {};
  const balances = ledger ? await post(deps, tx, platformId, change.payment, ledger, facts) : new Map<AccountUuid, Balance>();
  const next = withBorne(change.payment, ledger, facts);

  if (change.paysOut) await forward(deps, tx, platformId, next, now);
  savePayment(tx, platformId, next);
  enqueueEvents(tx, platformId, now, [...paymentEvents(platformId, next, change.sends), ...balanceEvents(deps, known, balances)]);
  if (change.refundBegins) await orderRefund(deps, tx, platformId, next, now);
  if (ledger === 'SEND_BACK' && next.counterpartId !== null) insertMessages(tx, platformId, next.counterpartId, SENT_BACK, now);
  return next;
}

/**
 * What a sender who holds an account here is told when the money comes back: to the sender it is a return. It follows the settlement that
 * the approval has reported, which counts once.
 */
const SENT_BACK: readonly ScheduledMessage[] = [
  { id: 'SETTLED', kind: 'SETTLED', afterMs: 0 },
  { id: 'RETURNED', kind: 'RETURNED', afterMs: 0 },
];

// ---- accounts

async function readAccounts(
  tx: Tx,
  platformId: PlatformId,
  payment: Payment,
  step: LedgerStep,
  known: readonly InternalAccount[],
): Promise<InternalAccount[]> {
  const wanted = accountsOf(payment, step);
  const missing = wanted.filter((id) => !known.some((account) => account.id === id));
  const find = async () =>
    arrives(step) ? [...(await lockAgainstClosing(tx, platformId, missing)).values()] : findInternalAccounts(tx, platformId, missing);
  const read = missing.length > 0 ? await find() : [];
  return [...known.filter(({ id }) => wanted.includes(id)), ...read];
}

const balanceEvents = (
  { cardCapabilitiesFor }: PaymentDeps,
  accounts: readonly InternalAccount[],
  balances: ReadonlyMap<AccountUuid, Balance>,
): NewEvent[] =>
  accounts.flatMap((account) => {
    const balance = balances.get(uuidOf(account.id));
    return balance ? [balanceUpdatedEvent(withBalance(account, balance), cardCapabilitiesFor)] : [];
  });

/** Accounts that a step credited and that were not read before: the account that a refund of crypto funding lands on. */
const openedSince = (
  tx: Tx,
  platformId: PlatformId,
  balances: ReadonlyMap<AccountUuid, Balance>,
  known: readonly InternalAccount[],
): Promise<InternalAccount[]> | readonly InternalAccount[] => {
  const ids = [...balances.keys()].map((uuid) => idOf('InternalAccount', uuid)).filter((id) => !known.some((account) => account.id === id));
  return ids.length > 0 ? findInternalAccounts(tx, platformId, ids) : [];
};

// ---- money

async function move(
  deps: PaymentDeps,
  tx: Tx,
  platformId: PlatformId,
  payment: Payment,
  step: LedgerStep,
  debited: Locked | undefined,
): Promise<ReadonlyMap<AccountUuid, Balance>> {
  if (step === 'DEBIT') return moveMoney(tx, platformId, movesOf(platformId, payment, step), undefined, debited);
  return post(deps, tx, platformId, payment, step, await gatherMoveFacts(deps, tx, platformId, payment, step, []));
}

async function post(
  deps: PaymentDeps,
  tx: Tx,
  platformId: PlatformId,
  payment: Payment,
  step: LedgerStep,
  facts: MoveFacts,
): Promise<ReadonlyMap<AccountUuid, Balance>> {
  // Money that returns was counted when it left, so a refund needs no further room.
  const needsRoom = step === 'SETTLE' || step === 'CREDIT';
  const postWith = (known: MoveFacts) =>
    moveMoney(tx, platformId, movesOf(platformId, payment, step, known), needsRoom ? deps.outstandingOn : undefined);
  try {
    return await postWith(facts);
  } catch (error) {
    // Decided before anything was written.
    const suspense = isWithoutRoom(error) ? suspenseWithoutRoom(platformId, payment, step) : undefined;
    if (suspense === undefined) throw error;
    return postWith({ ...facts, arrivesOn: suspense });
  }
}

const isWithoutRoom = (error: unknown): boolean => error instanceof ApiError && error.code === 'AMOUNT_OUT_OF_RANGE';

/** What can be taken back, and where the refund of crypto funding lands. Balances stay locked until the transaction ends. */
async function gatherMoveFacts(
  { deposits }: PaymentDeps,
  tx: Tx,
  platformId: PlatformId,
  payment: Payment,
  step: LedgerStep,
  known: readonly InternalAccount[],
): Promise<MoveFacts> {
  if (step === 'UNSETTLE' || step === 'TAKE_BACK' || step === 'TAKE_BACK_AGAIN') {
    const account = step === 'UNSETTLE' ? payment.feeAccountId && uuidOf(payment.feeAccountId) : internalDestination(payment);
    const balance = account ? (await lockBalances(tx, platformId, [account])).get(account) : undefined;
    const free = balance ? spendable(balance) : 0n;
    const suspending = suspendingTransfers(payment, step);
    const suspended = suspending.length > 0 ? await broughtTo(tx, platformId, suspenseOf(platformId, payment, step), suspending) : 0n;
    return { available: free > 0n ? free : 0n, suspended };
  }
  if (step === 'RESTORE') return { arrivesOn: suspenseFor(platformId, payment, known) };
  if (step !== 'REFUND' || payment.source.type !== 'REALTIME_FUNDING' || !isCrypto(payment.sent.currency)) return {};
  // Chains have no way back to a payer, so the money lands on a balance.
  const holder = { platformId, customerId: payment.customerId, currencies: [payment.sent.currency], now: payment.updatedAt };
  // A customer who was deleted meanwhile gets no account any more.
  const isLive = payment.customerId === null || (await lockCustomerForShare(tx, platformId, payment.customerId));
  if (isLive) await openMissingAccounts(tx, deposits, holder);
  const own = (await findOwnAccounts(tx, platformId, payment.customerId)).find(({ currency }) => currency === payment.sent.currency);
  if (!own) throw new ApiError('ACCOUNT_NOT_FOUND');
  refuseClosed(step, [own]);
  return { arrivesOn: uuidOf(own.id) };
}

/** Orders the refund that has begun. */
async function orderRefund({ rails }: PaymentDeps, tx: Tx, platformId: PlatformId, payment: Payment, now: Date): Promise<void> {
  const taken = payment.type === 'INCOMING' ? payment.received : { ...payment.sent, amount: payment.fundedAmount ?? payment.sent.amount };
  const identifier = wasPaidOut(payment) ? await payoutIdentifierOf(tx, platformId, payment) : '';
  const order = { platformId, paymentId: payment.id, kind: refundedKindOf(payment), identifier, ...taken };
  insertMessages(tx, platformId, payment.id, await rails.refund(tx, order), now);
}

// ---- payments between holders

/** The account that is credited, when it belongs to another holder than the payer. */
function receiverOf(payment: OutgoingPayment, accounts: readonly InternalAccount[]): InternalAccount | undefined {
  const destination = accounts.find(({ id }) => uuidOf(id) === internalDestination(payment));
  return destination && destination.customerId !== payment.customerId ? destination : undefined;
}

/** The receiver's own transaction, which the receiver's statement names. */
async function openCounterpart(
  tx: Tx,
  platformId: PlatformId,
  payment: OutgoingPayment,
  account: InternalAccount,
  now: Date,
): Promise<IncomingPayment> {
  const customer = account.customerId && (await findCustomer(tx, platformId, account.customerId));
  return receivedPayment({
    id: newId('Transaction'),
    payment,
    customerId: account.customerId,
    platformCustomerId: customer ? customer.platformCustomerId : platformId,
    now,
  });
}
