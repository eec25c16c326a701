// How a card transaction is opened: by an authorization request, by a network message that arrives before the request, or by a return.
import { ApiError } from '../../../kernel/errors.js';
import { plusMs } from '../../../kernel/time.js';
import { type AuthorizationFacts, CREDIT_DECLINES, type DaySpend, DECLINES, decideAuthorization, type Limits } from './authorization.js';
import {
  type CardTransaction,
  type DeclineReason,
  type Direction,
  isOpen,
  type NetworkHistory,
  NOTHING_WITHDRAWABLE,
  type OpeningKind,
  type Pull,
  type Withdrawable,
} from './card-transaction.js';
import { clear, failPull, NOTHING, release, resize, reverse } from './lifecycle.js';

/** "pull delayed ~30 s" of the sandbox. */
export const PULL_DELAY_MS = 30_000;

type Opening = {
  readonly direction: Direction;
  /** One message authorizes and settles. */
  readonly financial: boolean;
  /** Approved elsewhere: recorded whatever the card's status. */
  readonly advice: boolean;
};

export const OPENINGS: Readonly<Record<OpeningKind, Opening>> = {
  AUTHORIZATION: { direction: 'DEBIT', financial: false, advice: false },
  FINANCIAL_AUTHORIZATION: { direction: 'DEBIT', financial: true, advice: false },
  CREDIT_AUTHORIZATION: { direction: 'CREDIT', financial: false, advice: false },
  FINANCIAL_CREDIT_AUTHORIZATION: { direction: 'CREDIT', financial: true, advice: false },
  CREDIT_AUTHORIZATION_ADVICE: { direction: 'CREDIT', financial: false, advice: true },
};

/** An approved purchase counts towards the daily limits. An account verification, which is of amount 0, does not. */
export const countsAsSpend = (direction: Direction, authorized: bigint): boolean => direction === 'DEBIT' && authorized > 0n;

// ---- the decision

export type RequestTerms = {
  readonly kind: OpeningKind;
  readonly amount: bigint;
  readonly currency: string;
  readonly network?: string | undefined;
  /** The decline a sandbox caller chose. */
  readonly forced?: DeclineReason | undefined;
};

export type RequestFacts = {
  readonly card: AuthorizationFacts['card'];
  readonly limits: Limits;
  readonly today: DaySpend;
  readonly source: AuthorizationFacts['source'];
  readonly now: Date;
};

/** The decline reason of an authorization request, or undefined when it is approved. An advice is always approved. */
export function decideRequest(
  { kind, amount, currency, network, forced }: RequestTerms,
  { card, limits, today, source, now }: RequestFacts,
): DeclineReason | undefined {
  const { direction, advice } = OPENINGS[kind];
  if (advice) return undefined;
  const facts = { amount, currency, network, card, platform: limits, today, source, now, forced };
  return decideAuthorization(facts, direction === 'DEBIT' ? DECLINES : CREDIT_DECLINES);
}

export type AfterMessagesFacts = RequestFacts & {
  /** The transaction that network messages opened. */
  readonly before: CardTransaction;
  readonly history: NetworkHistory;
  /** A dispute claims part of the transaction or has recovered some of it. */
  readonly disputed: boolean;
  readonly withdrawable: Withdrawable;
  readonly fromWallet: boolean;
  readonly expiresAt: Date;
};

/** What a decision results in: the transaction as it is afterwards, and what it adds to the daily spend. */
export type Outcome = { readonly transaction: CardTransaction; readonly spend: DaySpend | undefined };

/**
 * An authorization request that arrives after network messages about its transaction. It is decided by what it adds: what was cleared
 * is paid already, and what was advised is in the daily spend already.
 */
export function decideAfterMessages(request: RequestTerms, facts: AfterMessagesFacts): Outcome {
  const { before, history, disputed, today, source } = facts;
  const { direction, financial } = OPENINGS[request.kind];
  const isAdvised = history.advices > 0;
  if (before.direction !== direction && (isAdvised || before.refunded > 0n || disputed))
    throw new ApiError('CONFLICT', undefined, { reason: 'The network has treated the transaction as a purchase.' });

  const declined = decideRequest(request, {
    ...facts,
    today: { spent: today.spent - history.advised, count: today.count - (isAdvised ? 1 : 0) },
    source: { ...source, available: source.available + before.held + before.pulled },
  });
  if (declined) return { transaction: declineAfterMessages(before, request.amount, declined, history), spend: undefined };
  return {
    transaction: isAdvised && !financial ? before : authorizeAfterMessages(before, { ...facts, ...request }, history),
    spend: countsAsSpend(direction, request.amount) ? { spent: request.amount - history.advised, count: isAdvised ? 0 : 1 } : undefined,
  };
}

// ---- opening by a request

export type Identity = Pick<
  CardTransaction,
  'id' | 'cardId' | 'accountId' | 'customerId' | 'platformCustomerId' | 'issuerToken' | 'merchant' | 'currency'
>;

export type OpeningTerms = {
  readonly kind: OpeningKind;
  readonly amount: bigint;
  /** Undefined: approved. */
  readonly declined: DeclineReason | undefined;
  /** The money is in a wallet: it is pulled when it is authorized, not when it is cleared. */
  readonly fromWallet: boolean;
  readonly pull: Pull;
  /** When the authorization expires unless it is cleared. */
  readonly expiresAt: Date;
  readonly now: Date;
};

/** On the path of every authorization: one object, written out. */
export function openTransaction(
  identity: Identity,
  { kind, amount, declined, fromWallet, pull, expiresAt, now }: OpeningTerms,
): CardTransaction {
  const { direction, financial } = OPENINGS[kind];
  const isPurchase = !declined && direction === 'DEBIT';
  const pullsNow = isPurchase && fromWallet && pull === 'PROMPT';
  const opened: CardTransaction = {
    id: identity.id,
    cardId: identity.cardId,
    accountId: identity.accountId,
    customerId: identity.customerId,
    platformCustomerId: identity.platformCustomerId,
    issuerToken: identity.issuerToken,
    merchant: identity.merchant,
    currency: identity.currency,
    direction,
    status: declined ? 'DECLINED' : 'AUTHORIZED',
    declinedReason: declined ?? null,
    originalTransactionId: null,
    authorized: amount,
    settled: 0n,
    refunded: 0n,
    held: isPurchase && !pullsNow ? amount : 0n,
    pulled: pullsNow ? amount : 0n,
    shortfall: 0n,
    pull: isPurchase ? pull : 'PROMPT',
    pullDueAt: isPurchase && pull === 'DELAYED' ? plusMs(now, PULL_DELAY_MS) : null,
    expiresAt: declined ? null : expiresAt,
    createdAt: now,
    updatedAt: now,
  };
  if (declined) return opened;
  const backed = opened.pull === 'FAILING' ? failPull(opened) : opened;
  return financial && opened.pull !== 'DELAYED' ? clear(backed, amount, NOTHING_WITHDRAWABLE) : backed;
}

/** What is known of the request that opened a transaction. Network messages may have changed its amounts and its direction. */
export type Opened = Pick<
  CardTransaction,
  'direction' | 'status' | 'declinedReason' | 'originalTransactionId' | 'authorized' | 'settled'
> & {
  readonly hasNetworkMessages: boolean;
};

/** Whether a request with the token of a known transaction can be the one that opened it. Facts that are no longer known do not count against it. */
export function isRepeat(known: Opened, { kind, amount }: Pick<OpeningTerms, 'kind' | 'amount'>): boolean {
  const { direction, financial } = OPENINGS[kind];
  const isDeclined = known.declinedReason !== null;
  if (known.originalTransactionId !== null) return false;
  // A transaction declined after network messages keeps the direction of those messages.
  if (known.hasNetworkMessages && isDeclined) return true;
  if (known.direction !== direction) return false;
  // A transaction that ended without network messages has lost its amount.
  if (known.hasNetworkMessages || known.status === 'VOIDED') return true;
  return known.authorized === amount && (isDeclined || financial === known.settled > 0n);
}

export const tokenOfAnotherCard = () =>
  new ApiError('CONFLICT', undefined, { reason: 'The token is that of a transaction of another card.' });
export const tokenOfAnotherRequest = () => new ApiError('CONFLICT', undefined, { reason: 'The token was answered for another request.' });

/** "merchant.descriptor last 3": the outcome a sandbox caller chooses. */
const MAGIC: Readonly<Record<string, { readonly forced?: DeclineReason; readonly pull?: Pull }>> = {
  '002': { forced: 'INSUFFICIENT_FUNDS' },
  '003': { forced: 'CARD_NOT_ACTIVE' },
  '005': { pull: 'DELAYED' },
  '006': { pull: 'FAILING' },
};

export const simulatedOutcome = (descriptor: string): { readonly forced?: DeclineReason; readonly pull?: Pull } =>
  MAGIC[descriptor.slice(-3)] ?? {};

// ---- opening by a network message, and the request or advice that follows

/** A transaction that a network message opens before any request: nothing is authorized yet, the message itself is applied next. */
export const openedByMessage = (
  identity: Identity,
  kind: 'CLEARING' | 'AUTHORIZATION_ADVICE',
  expiresAt: Date,
  now: Date,
): CardTransaction => ({
  ...identity,
  ...NOTHING,
  direction: 'DEBIT',
  originalTransactionId: null,
  status: kind === 'AUTHORIZATION_ADVICE' ? 'AUTHORIZED' : 'VOIDED',
  declinedReason: null,
  pull: 'PROMPT',
  pullDueAt: null,
  expiresAt: kind === 'AUTHORIZATION_ADVICE' ? expiresAt : null,
  createdAt: now,
  updatedAt: now,
});

type AfterMessagesTerms = Pick<OpeningTerms, 'kind' | 'amount' | 'fromWallet' | 'expiresAt'> & { readonly withdrawable: Withdrawable };

/**
 * Approved after network messages: the result is the same as if the request had come first. What was cleared counts towards it, only
 * the rest is reserved, and what was reversed or has ended since is released again.
 */
export function authorizeAfterMessages(
  before: CardTransaction,
  { kind, amount, fromWallet, expiresAt, withdrawable }: AfterMessagesTerms,
  { ended, reversed }: Pick<NetworkHistory, 'ended' | 'reversed'>,
): CardTransaction {
  const { direction, financial } = OPENINGS[kind];
  // The messages were taken for a purchase but belong to a credit: what it took is given back, and what it cleared is paid out.
  const known = direction === 'CREDIT' ? { ...before, direction, held: 0n, pulled: -before.settled, shortfall: 0n } : before;
  if (known.status === 'EXCEPTION' && direction === 'DEBIT') {
    const unpaid = { ...known, authorized: amount };
    return financial ? clear(unpaid, amount, withdrawable) : unpaid;
  }
  const authorized = resize({ ...known, status: 'AUTHORIZED', expiresAt }, amount, withdrawable, fromWallet);
  const taken = authorized.held + authorized.pulled - known.held - known.pulled;
  const settled = financial ? clear(authorized, amount, { available: withdrawable.available - taken }) : authorized;
  return ended ? release(settled) : reversed > 0n ? reverse(settled, reversed) : settled;
}

/** Declined after network messages: what was cleared or advised stays. Only the reason is kept, to answer repeats of the request. */
export const declineAfterMessages = (
  before: CardTransaction,
  amount: bigint,
  declinedReason: DeclineReason,
  { advices }: Pick<NetworkHistory, 'advices'>,
): CardTransaction =>
  before.status === 'VOIDED' && before.settled === 0n && advices === 0
    ? { ...before, status: 'DECLINED', authorized: amount, declinedReason }
    : { ...before, declinedReason };

/**
 * What is left of an approval after network messages once it is reversed, because the issuer was answered with a decline: the messages
 * alone. Undefined where it is kept: it settled what an advice had left open, or it showed that the messages are about a credit.
 */
export const undoneAfterMessages = (
  before: CardTransaction,
  approved: CardTransaction,
  amount: bigint,
  history: Pick<NetworkHistory, 'advices'>,
): CardTransaction | undefined =>
  before.direction !== approved.direction || (isOpen(before) && !isOpen(approved))
    ? undefined
    : declineAfterMessages(before, amount, 'OTHER', history);

export type AdviceTerms = {
  readonly amount: bigint;
  /** No request has been answered for the transaction. */
  readonly unrequested: boolean;
  readonly fromWallet: boolean;
  readonly expiresAt: Date;
  readonly withdrawable: Withdrawable;
};

/** An advice gives the authorization a new total. An increase is spend of the day it arrives; limits do not stop what the network approved. */
export function advise(before: CardTransaction, terms: AdviceTerms, history: NetworkHistory): Outcome {
  const { amount, withdrawable, fromWallet } = terms;
  const isFirst = isFirstApproval(before, terms.unrequested, history);
  const transaction = isFirst
    ? authorizeAfterMessages(before, { ...terms, kind: 'AUTHORIZATION' }, history)
    : resize(before, amount, withdrawable, fromWallet);
  // An account verification has not counted; the advice that gives it an amount does.
  const count = isFirst || (before.authorized === 0n && transaction.authorized > 0n) ? 1 : 0;
  const spend = { spent: isFirst ? amount : transaction.authorized - before.authorized, count };
  return { transaction, spend: before.direction === 'DEBIT' ? spend : undefined };
}

/** Whether an advice is the first approval: there was no request, or the service declined and somebody else approved. */
const isFirstApproval = ({ declinedReason }: CardTransaction, unrequested: boolean, { advices }: NetworkHistory): boolean =>
  (unrequested || declinedReason !== null) && advices === 1;

// ---- opening by a return

/** The return of part of a purchase's price: a credit with its own row. */
export const returnOf = (
  purchase: CardTransaction,
  identity: Pick<Identity, 'id' | 'issuerToken'>,
  amount: bigint,
  now: Date,
): CardTransaction => ({
  ...purchase,
  ...NOTHING,
  ...identity,
  direction: 'CREDIT',
  originalTransactionId: purchase.id,
  status: 'SETTLED',
  declinedReason: null,
  authorized: amount,
  settled: amount,
  pull: 'PROMPT',
  pullDueAt: null,
  expiresAt: null,
  createdAt: now,
  updatedAt: now,
});
