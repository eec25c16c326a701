// Which network messages are accepted, and which of them wait for a delayed pull.
import { invalidField } from '../../../kernel/errors.js';
import { MAX_AMOUNT } from '../../../kernel/money.js';
import { type CardTransaction, isOpen, isReturn, leftToReturn } from '../authorizations/card-transaction.js';
import type { DelayedPull } from '../authorizations/hooks.js';
import type { FollowUpKind, ScheduledKind } from './network-message.js';

// ---- waiting for a delayed pull

/** When a message is carried out; undefined: at once. A clearing waits for the pull that pays for it. */
export const dueAt = (kind: FollowUpKind, { pullDueAt }: CardTransaction, now: Date): Date | undefined =>
  kind === 'CLEARING' && pullDueAt !== null && now < pullDueAt ? pullDueAt : undefined;

/** What is to be done once a delayed pull is due. */
export function scheduledBy({ transaction, fromWallet, financial }: DelayedPull): { kind: ScheduledKind; amount: bigint }[] {
  const { authorized: amount } = transaction;
  const kinds: ScheduledKind[] = [...(fromWallet ? (['PULL'] as const) : []), ...(financial ? (['CLEARING'] as const) : [])];
  return kinds.map((kind) => ({ kind, amount }));
}

/** The scheduled clearing of a delayed pull: as much as is still authorized by then, undefined when nothing is. */
export function leftToClear(transaction: CardTransaction, amount: bigint): bigint | undefined {
  if (!isOpen(transaction)) return undefined;
  const open = transaction.authorized - transaction.settled;
  return amount < open ? amount : open;
}

// ---- judging messages

export type MessageFacts = {
  readonly transaction: CardTransaction;
  readonly amount: bigint | undefined;
  readonly cardClosed: boolean;
  /** What clearings that still wait will settle. */
  readonly waiting: bigint;
  /** What disputes have recovered, and what an open one claims. */
  readonly disputed: bigint;
};

const wasApproved = (transaction: CardTransaction): boolean => transaction.status !== 'DECLINED' && !isReturn(transaction);

/** The pull failed, and the clearing has not arrived yet. */
const awaitsClearing = ({ status, direction, settled }: CardTransaction): boolean =>
  status === 'EXCEPTION' && direction === 'DEBIT' && settled === 0n;

/** What is wrong, if anything, and with which part of the message. */
type Verdict = readonly [about: 'transaction' | 'amount', problem: string | undefined];

const needsOpen = ({ transaction }: MessageFacts): string | undefined =>
  isOpen(transaction) ? undefined : 'the transaction is not an open authorization';

const representable = ({ transaction, amount = 0n, waiting }: MessageFacts): Verdict => [
  'amount',
  transaction.settled + waiting + amount > MAX_AMOUNT ? 'is more than can be counted' : undefined,
];

/** Why a simulator refuses a message. Messages of a real network are judged by `refuseMessage`. */
const SIMULATED: Readonly<Record<FollowUpKind, (facts: MessageFacts) => Verdict>> = {
  CLEARING: (facts) => {
    const { transaction, amount = 0n, cardClosed } = facts;
    // Once the card is closed, "later clearings follow the late-presentment path" and "refunds already in flight still complete";
    // a failed pull still awaits its clearing.
    return isOpen(transaction) || (amount > 0n && ((cardClosed && wasApproved(transaction)) || awaitsClearing(transaction)))
      ? representable(facts)
      : ['transaction', 'the transaction is neither AUTHORIZED nor PARTIALLY_SETTLED'];
  },
  AUTHORIZATION_ADVICE: (facts) => ['transaction', needsOpen(facts)],
  AUTHORIZATION_EXPIRY: (facts) => ['transaction', needsOpen(facts)],
  AUTHORIZATION_REVERSAL: ({ transaction, amount = 0n }) =>
    transaction.status !== 'AUTHORIZED'
      ? ['transaction', 'only an authorization of which nothing has settled can be reversed']
      : ['amount', amount > transaction.authorized ? 'is more than is authorized' : undefined],
  RETURN: ({ transaction, amount = 0n, disputed }) => {
    const most = leftToReturn(transaction, disputed);
    return most === 0n
      ? ['transaction', 'nothing of the transaction is settled and not yet given back']
      : ['amount', amount > most ? 'is more than is settled' : undefined];
  },
  RETURN_REVERSAL: ({ transaction }) => [
    'transaction',
    isReturn(transaction) && transaction.status === 'SETTLED' ? undefined : 'is not a settled return',
  ],
};

/** Refuses a simulated message that a network could not send about the transaction. */
export const refuseSimulation = (kind: FollowUpKind, facts: MessageFacts): void => refuse(SIMULATED[kind](facts), 'cardTransactionId');

/** A real network's message is accepted in any status of the transaction; only one without meaning is refused. */
export function refuseMessage(kind: FollowUpKind, facts: MessageFacts): void {
  const { transaction, amount } = facts;
  const judge = (verdict: Verdict) => refuse(verdict, 'issuerTransactionToken');
  if (kind === 'CLEARING' || kind === 'AUTHORIZATION_ADVICE' || kind === 'RETURN')
    judge([
      'amount',
      amount === undefined ? 'is required' : amount === 0n && kind !== 'CLEARING' ? 'only a CLEARING may be of 0' : undefined,
    ]);
  if (kind === 'CLEARING') judge(isReturn(transaction) ? ['transaction', 'a return is not cleared'] : representable(facts));
  if (kind === 'RETURN' || kind === 'RETURN_REVERSAL') judge(SIMULATED[kind](facts));
}

/** `named`: the field by which the message names its transaction. */
function refuse([about, problem]: Verdict, named: 'cardTransactionId' | 'issuerTransactionToken'): void {
  if (problem) throw invalidField(about === 'transaction' ? named : about, problem);
}
