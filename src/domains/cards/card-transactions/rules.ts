// How messages of the network change a transaction. Every function answers the transaction as it is afterwards; how money moves
// follows from the difference (see moves.ts). Nothing here depends on the order in which messages of different kinds arrive.
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import { MAX_AMOUNT } from '../../../kernel/money.js';
import { plusMs } from '../../../kernel/time.js';
import type {
  Amounts,
  CardTransaction,
  CardTransactionStatus,
  DeclineReason,
  Direction,
  Disposition,
  Dispute,
  FollowUpKind,
  Heard,
  OpeningKind,
  Pull,
  ScheduledKind,
} from './card-transaction.js';

/** "pull delayed ~30 s" of the sandbox. */
export const PULL_DELAY_MS = 30_000;

export const OPEN: ReadonlySet<CardTransactionStatus> = new Set(['AUTHORIZED', 'PARTIALLY_SETTLED']);

/** What of an account can be had beyond what the transaction already holds. */
export type Reach = { readonly available: bigint };
const NO_REACH: Reach = { available: 0n };

const NOTHING: Amounts = { authorized: 0n, settled: 0n, refunded: 0n, held: 0n, pulled: 0n, absorbed: 0n };

// ---- opening

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
  /** When it falls away unless it is cleared. */
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
    absorbed: 0n,
    pull: isPurchase ? pull : 'PROMPT',
    pullDueAt: isPurchase && pull === 'DELAYED' ? plusMs(now, PULL_DELAY_MS) : null,
    expiresAt: declined ? null : expiresAt,
    createdAt: now,
    updatedAt: now,
  };
  if (declined) return opened;
  const backed = opened.pull === 'FAILING' ? failPull(opened) : opened;
  return financial && opened.pull !== 'DELAYED' ? clear(backed, amount, NO_REACH) : backed;
}

/** What a transaction still tells of the request that opened it. `spokenOf`: messages may have changed its amounts, and what it is. */
export type Opened = Pick<
  CardTransaction,
  'direction' | 'status' | 'declinedReason' | 'originalTransactionId' | 'authorized' | 'settled'
> & {
  readonly spokenOf: boolean;
};

/** Whether a request with the token of a known transaction can be the one it was opened by; what is not known any more is believed. */
export function isRepeat(known: Opened, { kind, amount }: Pick<OpeningTerms, 'kind' | 'amount'>): boolean {
  const { direction, financial } = OPENINGS[kind];
  const isDeclined = known.declinedReason !== null;
  if (known.originalTransactionId !== null) return false;
  // Declined after the network had spoken, it stays what the network took it for.
  if (known.spokenOf && isDeclined) return true;
  if (known.direction !== direction) return false;
  // What ended without a word of the network has let go of its amount.
  if (known.spokenOf || known.status === 'VOIDED') return true;
  return known.authorized === amount && (isDeclined || financial === known.settled > 0n);
}

/** A transaction the network tells of that we never heard of: nothing is authorized yet, what follows decides. */
export const unheardOf = (identity: Identity, kind: FollowUpKind, expiresAt: Date, now: Date): CardTransaction => ({
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

/** The return of part of a purchase's price: a credit row of its own. */
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

/**
 * The authorization of what the network has already spoken of: the same as if it had come first. What was cleared counts towards it,
 * only the rest is reserved, and what was reversed or has ended since is gone again.
 */
export function authorizeAfterwards(
  before: CardTransaction,
  { kind, amount, fromWallet, expiresAt }: Pick<OpeningTerms, 'kind' | 'amount' | 'fromWallet' | 'expiresAt'>,
  { ended, reversed }: Pick<Heard, 'ended' | 'reversed'>,
  reach: Reach,
): CardTransaction {
  const { direction, financial } = OPENINGS[kind];
  // What was taken for a purchase turns out to be a credit: what it took goes back, and what it cleared is paid out.
  const known = direction === 'CREDIT' ? { ...before, direction, held: 0n, pulled: -before.settled, absorbed: 0n } : before;
  if (known.status === 'EXCEPTION' && direction === 'DEBIT') return { ...known, authorized: amount };
  const asked = resize({ ...known, status: 'AUTHORIZED', expiresAt }, amount, reach, fromWallet);
  const settled = financial ? clear(asked, amount, reach) : asked;
  return ended ? release(settled) : reversed > 0n ? reverse(settled, reversed) : settled;
}

/** Declined after the network has spoken: what it cleared or advised stands; only the reason is kept, for whoever asks again. */
export const declineAfterwards = (
  before: CardTransaction,
  amount: bigint,
  declinedReason: DeclineReason,
  { advices }: Heard,
): CardTransaction =>
  before.status === 'VOIDED' && before.settled === 0n && advices === 0
    ? { ...before, status: 'DECLINED', authorized: amount, declinedReason }
    : { ...before, declinedReason };

/** Whether an advice is the first anyone hears of an approval: nobody asked, or we declined and someone else approved. */
export const standsIn = ({ declinedReason }: CardTransaction, { unasked, advices }: Heard): boolean =>
  (unasked || declinedReason !== null) && advices === 1;

/** What a delayed pull leaves to be done when its time has come. */
export function waitingFor(tx: CardTransaction, kind: OpeningKind, fromWallet: boolean): { kind: ScheduledKind; amount: bigint }[] {
  if (tx.pullDueAt === null) return [];
  return [
    ...(fromWallet ? [{ kind: 'PULL' as const, amount: tx.authorized }] : []),
    ...(OPENINGS[kind].financial ? [{ kind: 'CLEARING' as const, amount: tx.authorized }] : []),
  ];
}

/** The clearing that a delayed pull left to be done: as much of it as is still authorized by then, undefined when nothing is. */
export const leftToClear = (tx: CardTransaction, amount: bigint): bigint | undefined =>
  isOpen(tx) ? min(amount, tx.authorized - tx.settled) : undefined;

/** "merchant.descriptor last 3": what a sandbox caller asks to see. */
const MAGIC: Readonly<Record<string, { readonly forced?: DeclineReason; readonly pull?: Pull }>> = {
  '002': { forced: 'INSUFFICIENT_FUNDS' },
  '003': { forced: 'CARD_NOT_ACTIVE' },
  '005': { pull: 'DELAYED' },
  '006': { pull: 'FAILING' },
};

export const simulatedOutcome = (descriptor: string): { readonly forced?: DeclineReason; readonly pull?: Pull } =>
  MAGIC[descriptor.slice(-3)] ?? {};

// ---- what happens to a transaction

/** What the merchant's side has received and may keep. */
const netSettled = ({ settled, refunded }: Amounts): bigint => settled - refunded;

/** What of a purchase can still be given back, by a return or a dispute: nothing comes back twice. */
const leftToReturn = (tx: CardTransaction, disputed: bigint): bigint =>
  tx.direction === 'DEBIT' ? max(0n, netSettled(tx) - disputed) : 0n;

const NOTHING_LEFT = 'nothing of the transaction is settled and not yet given back';

const isOpen = ({ status }: CardTransaction): boolean => OPEN.has(status);

const settledStatus = ({ authorized, settled }: Amounts): CardTransactionStatus =>
  settled === 0n ? 'AUTHORIZED' : settled < authorized ? 'PARTIALLY_SETTLED' : 'SETTLED';

/**
 * The network settled `amount`. It is paid from what was pulled and held before, the rest from the account; what the account
 * cannot give is absorbed by the reserve, and the transaction is an EXCEPTION. Nothing that can be counted is refused: the money has moved.
 */
export function clear(before: CardTransaction, amount: bigint, reach: Reach): CardTransaction {
  const known = before.status === 'DECLINED' ? { ...before, authorized: 0n } : before;
  const settled = known.settled + amount;
  if (settled > MAX_AMOUNT) throw new ApiError('AMOUNT_OUT_OF_RANGE');
  if (known.direction === 'CREDIT') return settledAs({ ...known, settled, pulled: known.pulled - amount }, before);
  const missing = max(0n, settled - known.refunded - known.pulled - known.absorbed);
  const fromHold = min(missing, known.held);
  const rest = missing - fromHold;
  const reachable = known.pull !== 'FAILING' && rest <= reach.available;
  const paid = {
    ...known,
    settled,
    held: known.held - fromHold,
    pulled: known.pulled + fromHold + (reachable ? rest : 0n),
    absorbed: known.absorbed + (reachable ? 0n : rest),
  };
  if (before.status === 'EXCEPTION' || (rest > 0n && !reachable)) return { ...released(paid), status: 'EXCEPTION', expiresAt: null };
  return settledAs(paid, before);
}

/** Part of an open authorization stays open; everything else is settled, and what was reserved beyond it goes back. */
function settledAs(paid: CardTransaction, before: CardTransaction): CardTransaction {
  const status = isOpen(before) ? settledStatus(paid) : 'SETTLED';
  return status === 'SETTLED' ? { ...released(paid), status, expiresAt: null } : { ...paid, status };
}

/**
 * The authorization has a new total. More is reserved as far as the account reaches: an advice tells of what the network already
 * promised, so it is recorded either way. Less is given back, from the hold first.
 */
export function resize(before: CardTransaction, authorized: bigint, reach: Reach, fromWallet: boolean): CardTransaction {
  if (!isOpen(before)) return before;
  const resized = { ...before, authorized };
  if (before.direction === 'CREDIT') return settledAs(resized, before);
  const wanted = max(authorized, before.settled) - before.refunded;
  const reserved = before.held + before.pulled + before.absorbed;
  if (wanted <= reserved) return settledAs(giveBack(resized, reserved - wanted), before);
  const more = min(wanted - reserved, reach.available);
  return settledAs({ ...resized, ...(fromWallet ? { pulled: before.pulled + more } : { held: before.held + more }) }, before);
}

/** All that has not settled falls away: a full reversal, an expiry, the close of the card. */
export function release(before: CardTransaction): CardTransaction {
  if (!isOpen(before)) return before;
  const status: CardTransactionStatus = before.settled === 0n ? 'VOIDED' : 'SETTLED';
  const next = released(before);
  // "Full reversal or expiry: authorizedAmount 0"; of what settled in part the authorization stays on record.
  return { ...next, ...(status === 'VOIDED' ? { authorized: 0n } : {}), status, expiresAt: null };
}

/** The merchant cancels part of the authorization, or all of it. */
export const reverse = (before: CardTransaction, amount: bigint | undefined): CardTransaction =>
  amount === undefined || amount >= before.authorized ? release(before) : resize(before, before.authorized - amount, NO_REACH, false);

/** The delayed pull goes through: what was held is taken. */
export const pullHeld = (before: CardTransaction): CardTransaction =>
  isOpen(before) ? { ...before, held: 0n, pulled: before.pulled + before.held, pullDueAt: null } : before;

/** The pull was confirmed as failed: the network has a promise that the account does not back. */
export const failPull = (before: CardTransaction): CardTransaction => ({
  ...before,
  held: 0n,
  pulled: 0n,
  status: 'EXCEPTION',
  expiresAt: null,
});

/** A decision nobody waited for any more: as if it had been declined, also where it settled at once. */
export const undone = (before: CardTransaction): CardTransaction => ({
  ...before,
  ...NOTHING,
  authorized: before.authorized,
  status: 'DECLINED',
  declinedReason: 'OTHER',
  pullDueAt: null,
  expiresAt: null,
});

/** The merchant returns part of the price. What the reserve paid goes back to the reserve first. */
export function refund(purchase: CardTransaction, amount: bigint): CardTransaction {
  assert(amount <= netSettled(purchase), 'no more is returned than was settled');
  const toReserve = min(amount, purchase.absorbed);
  return {
    ...purchase,
    refunded: purchase.refunded + amount,
    pulled: purchase.pulled - (amount - toReserve),
    absorbed: purchase.absorbed - toReserve,
  };
}

/** A return is taken back: the account pays again, or the reserve where the account cannot. */
export function takeBackRefund(
  purchase: CardTransaction,
  returned: CardTransaction,
  reach: Reach,
): { purchase: CardTransaction; returned: CardTransaction } {
  const amount = returned.settled;
  const reachable = amount <= reach.available;
  return {
    purchase: {
      ...purchase,
      refunded: purchase.refunded - amount,
      pulled: purchase.pulled + (reachable ? amount : 0n),
      absorbed: purchase.absorbed + (reachable ? 0n : amount),
    },
    // What the account could not give stays on it: the return is on record as it was, and needs a person.
    returned: reachable ? { ...returned, authorized: 0n, settled: 0n, status: 'VOIDED' } : { ...returned, status: 'EXCEPTION' },
  };
}

/** Gives back what is reserved beyond what settled. */
const released = (tx: CardTransaction): CardTransaction =>
  tx.direction === 'CREDIT' ? tx : giveBack(tx, max(0n, tx.held + tx.pulled + tx.absorbed - netSettled(tx)));

function giveBack(tx: CardTransaction, amount: bigint): CardTransaction {
  const fromHold = min(amount, tx.held);
  const fromPulled = min(amount - fromHold, tx.pulled);
  return { ...tx, held: tx.held - fromHold, pulled: tx.pulled - fromPulled };
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

// ---- what the simulated network may send

export type Ask = {
  readonly transaction: CardTransaction;
  readonly amount: bigint | undefined;
  readonly cardClosed: boolean;
  /** What clearings that still wait will settle. */
  readonly waiting: bigint;
  /** What disputes have recovered, and what an open one claims. */
  readonly disputed: bigint;
};

const isReturn = ({ originalTransactionId }: CardTransaction): boolean => originalTransactionId !== null;

const wasApproved = (transaction: CardTransaction): boolean => transaction.status !== 'DECLINED' && !isReturn(transaction);

const awaitsClearing = ({ status, direction, settled }: CardTransaction): boolean =>
  status === 'EXCEPTION' && direction === 'DEBIT' && settled === 0n;

/** What is wrong, and with what of the message. */
type Verdict = readonly [about: 'transaction' | 'amount', problem: string | undefined];

const needsOpen = ({ transaction }: Ask): string | undefined =>
  isOpen(transaction) ? undefined : 'the transaction is not an open authorization';

const countable = ({ transaction, amount = 0n, waiting }: Ask): Verdict => [
  'amount',
  transaction.settled + waiting + amount > MAX_AMOUNT ? 'is more than can be counted' : undefined,
];

/** Why a simulator refuses a message; a real network's messages are taken as they come. */
const SIMULATED: Readonly<Record<FollowUpKind, (ask: Ask) => Verdict>> = {
  CLEARING: (ask) => {
    const { transaction, amount = 0n, cardClosed } = ask;
    // Once the card is closed, "later clearings follow the late-presentment path" and "refunds already in flight still complete";
    // a failed pull still awaits its clearing.
    return isOpen(transaction) || (amount > 0n && ((cardClosed && wasApproved(transaction)) || awaitsClearing(transaction)))
      ? countable(ask)
      : ['transaction', 'the transaction is neither AUTHORIZED nor PARTIALLY_SETTLED'];
  },
  AUTHORIZATION_ADVICE: (ask) => ['transaction', needsOpen(ask)],
  AUTHORIZATION_EXPIRY: (ask) => ['transaction', needsOpen(ask)],
  AUTHORIZATION_REVERSAL: (ask) =>
    ask.transaction.status !== 'AUTHORIZED'
      ? ['transaction', 'only an authorization of which nothing has settled can be reversed']
      : ['amount', (ask.amount ?? 0n) > ask.transaction.authorized ? 'is more than is authorized' : undefined],
  RETURN: ({ transaction, amount = 0n, disputed }) => {
    const most = leftToReturn(transaction, disputed);
    return most === 0n ? ['transaction', NOTHING_LEFT] : ['amount', amount > most ? 'is more than is settled' : undefined];
  },
  RETURN_REVERSAL: ({ transaction }) => [
    'transaction',
    isReturn(transaction) && transaction.status === 'SETTLED' ? undefined : 'is not a settled return',
  ],
};

/** Plays by the rules of the simulators: what a network could not say about the transaction is refused. */
export const refuseSimulation = (kind: FollowUpKind, ask: Ask): void => refuse(SIMULATED[kind](ask), 'cardTransactionId');

/** A real network's word stands whatever state the transaction is in; refused is only what has no meaning. */
export function refuseMessage(kind: FollowUpKind, ask: Ask): void {
  const { transaction, amount } = ask;
  const judge = (verdict: Verdict) => refuse(verdict, 'issuerTransactionToken');
  if (kind === 'CLEARING' || kind === 'AUTHORIZATION_ADVICE' || kind === 'RETURN')
    judge(['amount', amount === undefined || (amount === 0n && kind !== 'CLEARING') ? 'is required' : undefined]);
  if (kind === 'CLEARING') judge(isReturn(transaction) ? ['transaction', 'a return is not cleared'] : countable(ask));
  if (kind === 'RETURN' || kind === 'RETURN_REVERSAL') judge(SIMULATED[kind](ask));
}

/** `named`: the field by which the message names its transaction. */
function refuse([about, problem]: Verdict, named: 'cardTransactionId' | 'issuerTransactionToken'): void {
  if (problem) throw invalidField(about === 'transaction' ? named : about, problem);
}

// ---- disputes

/** `disputed`: what earlier disputes of the purchase have recovered. */
export function openDispute(
  purchase: CardTransaction,
  identity: Pick<Dispute, 'id' | 'token' | 'reason'>,
  disputed: bigint,
  amount?: bigint,
): Dispute {
  const most = leftToReturn(purchase, disputed);
  if (most === 0n) throw invalidField('cardTransactionId', NOTHING_LEFT);
  if (amount !== undefined && amount > most) throw invalidField('amount', 'is more than is settled');
  return {
    ...identity,
    transactionId: purchase.id,
    amount: amount ?? most,
    credited: 0n,
    status: 'OPEN',
    disposition: null,
    recovered: 0n,
  };
}

/** Money between the cardholder and the reserve that a step of a dispute moves: positive towards them. */
export type DisputeStep = { readonly dispute: Dispute; readonly toAccount: bigint; readonly toReserve: bigint };

export function creditProvisionally(dispute: Dispute, amount: bigint): DisputeStep {
  if (dispute.credited + amount > dispute.amount) throw invalidField('amount', 'is more than is disputed');
  return { dispute: { ...dispute, credited: dispute.credited + amount }, toAccount: amount, toReserve: -amount };
}

export function reverseProvisionalCredit(dispute: Dispute, amount: bigint, reach: Reach): DisputeStep {
  if (amount > dispute.credited) throw invalidField('amount', 'is more than was credited');
  if (amount > reach.available) throw new ApiError('INSUFFICIENT_FUNDS');
  return { dispute: { ...dispute, credited: dispute.credited - amount }, toAccount: -amount, toReserve: amount };
}

/** The cardholder ends with what the network gave back; the reserve with what it lent, or as much of it as can be had. */
export function closeDispute(dispute: Dispute, disposition: Disposition, recoveredAmount: bigint | undefined, reach: Reach): DisputeStep {
  const recovered = recoveredBy(dispute, disposition, recoveredAmount);
  const owed = recovered - dispute.credited;
  const settles = owed >= 0n || -owed <= reach.available;
  return {
    dispute: { ...dispute, status: 'CLOSED', disposition, recovered },
    toAccount: settles ? owed : 0n,
    toReserve: settles ? dispute.credited : recovered,
  };
}

function recoveredBy({ amount }: Dispute, disposition: Disposition, named: bigint | undefined): bigint {
  if (disposition !== 'PARTIALLY_WON') {
    if (named !== undefined) throw invalidField('recoveredAmount', 'is only for PARTIALLY_WON');
    return disposition === 'WON' ? amount : 0n;
  }
  const recovered = named ?? amount / 2n;
  if (recovered <= 0n || recovered >= amount) throw invalidField('recoveredAmount', 'must lie strictly between 0 and the disputed amount');
  return recovered;
}
