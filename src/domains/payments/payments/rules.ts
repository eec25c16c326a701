// The state tables of payments: what each event does to a payment, its money and its refund, and which webhooks it sends. Pure.
import { mergedMoves, type ShownMoves } from '../../../kernel/lifecycle.js';
import {
  type BankRailDetails,
  INCOMING_STATES,
  type IncomingPayment,
  type IncomingState,
  isAch,
  OUTGOING_STATES,
  type OutgoingPayment,
  type OutgoingState,
  type Payment,
  type PaymentStatus,
  type RailDetails,
  type RailMessageKind,
  type RailStatus,
  type RefundReason,
  type RefundStatus,
  type Shown,
} from './payment.js';

// ---- events

export type OutgoingEvent =
  | 'EXPIRED'
  | 'EXECUTED'
  /** A transfer, which has no quote: it is handed to its bank as soon as it is made. */
  | 'ORDERED'
  | 'COLLECTION_STARTED'
  | 'CHALLENGED'
  | 'AUTHORIZED_UNFUNDED'
  | 'CHALLENGE_EXPIRED'
  | 'RATE_REFUSED'
  | 'FUNDS_ARRIVED'
  | 'FUNDS_MISMATCHED'
  | 'FUNDS_LATE'
  | Extract<
      RailMessageKind,
      | 'ACCEPTED'
      | 'COLLECTED'
      | 'COLLECTION_FAILED'
      | 'SETTLED'
      | 'FAILED'
      | 'RETURNED'
      | 'CANCELLED'
      | 'REFUND_PAID'
      | 'REFUND_FAILED'
      | 'DISHONORED'
      | 'CONTESTED'
    >;

export type IncomingEvent =
  | 'APPROVED'
  | 'DEFERRED'
  | 'REJECTED'
  | 'REFUSED'
  /** As COLLECTED, of money that goes on to an external account. */
  | 'COLLECTED_TO_PAY_OUT'
  | Extract<
      RailMessageKind,
      | 'ACCEPTED'
      | 'COLLECTED'
      | 'COLLECTION_FAILED'
      | 'SETTLED'
      | 'FAILED'
      | 'CANCELLED'
      | 'RETURNED'
      | 'DISHONORED'
      | 'CONTESTED'
      | 'REVERSED'
      | 'REFUND_PAID'
      | 'REFUND_FAILED'
    >;

/** A step of money; `moves.ts` says which transfers each one is. */
export type LedgerStep =
  | 'DEBIT'
  | 'FUND'
  | 'FUND_MISMATCHED'
  | 'SETTLE'
  | 'UNSETTLE'
  | 'REFUND'
  | 'SUSPEND'
  | 'CREDIT'
  | 'PAY_OUT'
  | 'TAKE_BACK'
  | 'RESTORE'
  | 'TAKE_BACK_AGAIN'
  | 'SEND_BACK';

/** The last part of the type of a webhook: `OUTGOING_PAYMENT.<…>`. */
export type Sent = Exclude<PaymentStatus, 'REJECTED'> | 'REFUND_PENDING' | 'REFUND_COMPLETED' | 'REFUND_FAILED';

export type Transition<State> = {
  readonly to: State;
  readonly sends: readonly Sent[];
  readonly ledger?: LedgerStep;
  /** `GIVEN`: the event brings the reason. */
  readonly failure?: string;
  /** Starts a refund. */
  readonly refund?: RefundReason;
  /** The money is delivered. */
  readonly settles?: true;
  /** The status that the rail of the outside end reaches. */
  readonly rail?: RailStatus;
  /** As `rail`, of the debit that provides the money of an outgoing payment. */
  readonly debitRail?: RailStatus;
  /** The money is there and goes to the receiver. */
  readonly paysOut?: true;
};

type Table<State extends string, Event extends string> = { readonly [from in State]: { readonly [event in Event]?: Transition<State> } };

const GIVEN = 'GIVEN';

// ---- outgoing

const EXECUTED: Transition<OutgoingState> = { to: 'PROCESSING', sends: ['PROCESSING'], ledger: 'DEBIT', paysOut: true };
const COLLECTION_STARTED: Transition<OutgoingState> = { to: 'COLLECTING', sends: ['PROCESSING'], debitRail: 'PENDING' };
const CHALLENGED: Transition<OutgoingState> = { to: 'AWAITING_AUTHORIZATION', sends: ['PENDING_AUTHORIZATION'] };
const PAYOUT_FAILED: Transition<OutgoingState> = {
  to: 'REFUNDING',
  sends: ['FAILED', 'REFUND_PENDING'],
  failure: GIVEN,
  refund: 'TRANSACTION_FAILED',
  rail: 'FAILED',
};

/** The bank's later dispute about a return: nothing moves on the customer's side. */
const disputed = (to: OutgoingState): Pick<Table<OutgoingState, OutgoingEvent>[OutgoingState], 'DISHONORED' | 'CONTESTED'> => ({
  DISHONORED: { to, sends: [], rail: 'RETURN_DISHONORED' },
  CONTESTED: { to, sends: [], rail: 'RETURN_CONTESTED' },
});

/** State and event give the next state. What is not drawn does not happen. */
export const OUTGOING: Table<OutgoingState, OutgoingEvent> = {
  QUOTED: {
    EXPIRED: { to: 'EXPIRED', sends: ['EXPIRED'] },
    EXECUTED,
    ORDERED: { to: 'SUBMITTED', sends: ['PENDING'], ledger: 'DEBIT', paysOut: true },
    COLLECTION_STARTED,
    CHALLENGED,
    RATE_REFUSED: { to: 'FAILED', sends: ['FAILED'], failure: 'QUOTE_RATE_UNAVAILABLE' },
    FUNDS_ARRIVED: { to: 'PROCESSING', sends: ['PROCESSING'], ledger: 'FUND', paysOut: true },
    FUNDS_MISMATCHED: {
      to: 'REFUNDING',
      sends: ['FAILED', 'REFUND_PENDING'],
      ledger: 'FUND_MISMATCHED',
      failure: 'FUNDING_AMOUNT_MISMATCH',
      refund: 'TRANSACTION_FAILED',
    },
  },
  AWAITING_AUTHORIZATION: {
    EXECUTED,
    COLLECTION_STARTED,
    CHALLENGED,
    AUTHORIZED_UNFUNDED: { to: 'QUOTED', sends: [] },
    CHALLENGE_EXPIRED: { to: 'FAILED', sends: ['FAILED'], failure: 'SCA_NOT_COMPLETED' },
  },
  SUBMITTED: {
    ACCEPTED: { to: 'PROCESSING', sends: ['PROCESSING'] },
    FAILED: PAYOUT_FAILED,
    CANCELLED: { to: 'CANCELLING_SUBMITTED', sends: ['REFUND_PENDING'], refund: 'USER_CANCELLATION', rail: 'FAILED' },
  },
  COLLECTING: {
    COLLECTED: { to: 'PROCESSING', sends: [], ledger: 'FUND', debitRail: 'SETTLED', paysOut: true },
    COLLECTION_FAILED: { to: 'FAILED', sends: ['FAILED'], failure: 'QUOTE_EXECUTION_FAILED', debitRail: 'FAILED' },
  },
  PROCESSING: {
    SETTLED: { to: 'COMPLETED', sends: ['COMPLETED'], ledger: 'SETTLE', settles: true, rail: 'SETTLED' },
    FAILED: PAYOUT_FAILED,
    CANCELLED: { to: 'CANCELLING', sends: ['REFUND_PENDING'], refund: 'USER_CANCELLATION', rail: 'FAILED' },
  },
  COMPLETED: {
    RETURNED: {
      to: 'REFUNDING',
      sends: ['FAILED', 'REFUND_PENDING'],
      ledger: 'UNSETTLE',
      failure: 'PAYOUT_RETURNED',
      refund: 'TRANSACTION_FAILED',
      rail: 'RETURNED',
    },
  },
  REFUNDING: {
    REFUND_PAID: { to: 'REFUNDED', sends: ['REFUND_COMPLETED'], ledger: 'REFUND' },
    REFUND_FAILED: { to: 'REFUND_FAILED', sends: ['REFUND_FAILED'], ledger: 'SUSPEND' },
    ...disputed('REFUNDING'),
  },
  CANCELLING: {
    REFUND_PAID: { to: 'CANCELLED', sends: ['REFUND_COMPLETED', 'COMPLETED'], ledger: 'REFUND' },
    REFUND_FAILED: { to: 'CANCELLED_UNREFUNDED', sends: ['REFUND_FAILED', 'COMPLETED'], ledger: 'SUSPEND' },
  },
  CANCELLING_SUBMITTED: {
    REFUND_PAID: { to: 'CANCELLED', sends: ['REFUND_COMPLETED', 'COMPLETED'], ledger: 'REFUND' },
    REFUND_FAILED: { to: 'CANCELLED_UNREFUNDED', sends: ['REFUND_FAILED', 'COMPLETED'], ledger: 'SUSPEND' },
  },
  EXPIRED: {
    FUNDS_LATE: { to: 'EXPIRED_REFUNDING', sends: ['REFUND_PENDING'], ledger: 'FUND_MISMATCHED', refund: 'TIMEOUT' },
  },
  EXPIRED_REFUNDING: {
    REFUND_PAID: { to: 'EXPIRED_REFUNDED', sends: ['REFUND_COMPLETED'], ledger: 'REFUND' },
    REFUND_FAILED: { to: 'EXPIRED_REFUND_FAILED', sends: ['REFUND_FAILED'], ledger: 'SUSPEND' },
  },
  FAILED: {},
  REFUNDED: disputed('REFUNDED'),
  REFUND_FAILED: disputed('REFUND_FAILED'),
  CANCELLED: {},
  CANCELLED_UNREFUNDED: {},
  EXPIRED_REFUNDED: {},
  EXPIRED_REFUND_FAILED: {},
};

// ---- incoming

const COLLECTION_FAILED: Transition<IncomingState> = { to: 'FAILED', sends: ['FAILED'], failure: 'COLLECTION_FAILED', rail: 'FAILED' };

export const INCOMING: Table<IncomingState, IncomingEvent> = {
  ANNOUNCED: {
    APPROVED: { to: 'PROCESSING', sends: ['PROCESSING'] },
    DEFERRED: { to: 'ANNOUNCED', sends: [] },
    // There is no REJECTED webhook; the data of the FAILED one shows the status.
    REJECTED: { to: 'REJECTED', sends: ['FAILED'] },
    REFUSED: { to: 'FAILED', sends: ['FAILED'], failure: GIVEN },
  },
  SUBMITTED: {
    ACCEPTED: { to: 'PROCESSING', sends: ['PROCESSING'] },
    COLLECTION_FAILED,
    CANCELLED: COLLECTION_FAILED,
  },
  PROCESSING: {
    COLLECTED: { to: 'COMPLETED', sends: ['COMPLETED'], ledger: 'CREDIT', settles: true, rail: 'SETTLED' },
    COLLECTED_TO_PAY_OUT: { to: 'PAYING_OUT', sends: [], ledger: 'FUND', paysOut: true },
    COLLECTION_FAILED,
    CANCELLED: COLLECTION_FAILED,
  },
  PAYING_OUT: {
    SETTLED: { to: 'COMPLETED', sends: ['COMPLETED'], ledger: 'PAY_OUT', settles: true },
    FAILED: { to: 'REFUNDING', sends: ['FAILED', 'REFUND_PENDING'], failure: 'OFFRAMP_FAILED', refund: 'TRANSACTION_FAILED' },
  },
  COMPLETED: {
    RETURNED: { to: 'RETURNED', sends: ['FAILED'], ledger: 'TAKE_BACK', failure: 'COLLECTION_FAILED', rail: 'RETURNED' },
    REVERSED: { to: 'REVERSED', sends: ['FAILED'], ledger: 'TAKE_BACK', failure: 'COLLECTION_FAILED', rail: 'REVERSED' },
  },
  RETURNED: {
    DISHONORED: { to: 'RESTORED', sends: ['COMPLETED'], ledger: 'RESTORE', rail: 'RETURN_DISHONORED' },
  },
  RESTORED: {
    CONTESTED: { to: 'CONTESTED', sends: ['FAILED'], ledger: 'TAKE_BACK_AGAIN', failure: 'COLLECTION_FAILED', rail: 'RETURN_CONTESTED' },
  },
  REFUNDING: {
    REFUND_PAID: { to: 'REFUNDED', sends: ['REFUND_COMPLETED'], ledger: 'SEND_BACK' },
    REFUND_FAILED: { to: 'REFUND_FAILED', sends: ['REFUND_FAILED'], ledger: 'SUSPEND' },
  },
  REJECTED: {},
  FAILED: {},
  CONTESTED: {},
  REVERSED: {},
  REFUNDED: {},
  REFUND_FAILED: {},
};

/** The moves as the API shows them: many states have the same status. */
const shownMoves = <State extends string>(
  of: string,
  states: Readonly<Record<State, { readonly status: string }>>,
  table: { readonly [from in State]: { readonly [event in string]?: Transition<State> } },
): ShownMoves =>
  mergedMoves(
    ...(Object.keys(table) as State[]).map((from): ShownMoves => {
      const { status } = states[from];
      const moves = Object.entries<Transition<State> | undefined>(table[from]).flatMap(([by, transition]) => {
        const to = transition && states[transition.to].status;
        return to === undefined || to === status ? [] : [{ to, by, of }];
      });
      return { [status]: moves };
    }),
  );

export const TRANSACTION_MOVES = mergedMoves(
  shownMoves('OUTGOING', OUTGOING_STATES, OUTGOING),
  shownMoves('INCOMING', INCOMING_STATES, INCOMING),
);

// ---- applying an event

export type Happened<Event> = {
  readonly event: Event;
  readonly reason?: string | null | undefined;
  /** Of an event that sets a new end of waiting: a challenge, or a satisfied one. */
  readonly expiresAt?: Date;
  readonly now: Date;
};

export type Change<P extends Payment> = {
  readonly payment: P;
  readonly ledger: LedgerStep | undefined;
  readonly sends: readonly Sent[];
  /** A refund has begun and is to be paid. */
  readonly refundBegins: boolean;
  readonly paysOut: boolean;
};

type StateOf = Pick<OutgoingPayment, 'type' | 'state'> | Pick<IncomingPayment, 'type' | 'state'>;

const shownBy = ({ type, state }: StateOf): Shown => (type === 'OUTGOING' ? OUTGOING_STATES[state] : INCOMING_STATES[state]);

export const statusOf = (payment: StateOf): PaymentStatus => shownBy(payment).status;
export const refundStatusOf = (payment: StateOf): RefundStatus | undefined => shownBy(payment).refund;

/** A rail that gave no answer in time reports TIMEOUT: the payment could not be executed, and the refund says why. */
const TIMED_OUT = 'TIMEOUT';
const failureOf = (failure: string, reason: string | null | undefined): string =>
  failure !== GIVEN ? failure : reason == null || reason === TIMED_OUT ? 'QUOTE_EXECUTION_FAILED' : reason;

const RAIL_TIMES: { readonly [status in RailStatus]?: keyof BankRailDetails } = {
  SETTLED: 'settledAt',
  RETURNED: 'returnedAt',
  RETURN_DISHONORED: 'dishonoredAt',
  RETURN_CONTESTED: 'contestedAt',
  REVERSED: 'reversedAt',
};

/** Only ACH knows what follows a settlement. A wire or an instant payment that comes back is another payment of the bank. */
const FOLLOWS_SETTLEMENT: ReadonlySet<RailStatus> = new Set(['RETURNED', 'RETURN_DISHONORED', 'RETURN_CONTESTED', 'REVERSED']);

/** The details of a bank rail at its next status. Earlier times stay. */
export function railAt(rail: RailDetails | undefined, status: RailStatus | undefined, now: Date): RailDetails | undefined {
  if (rail === undefined || status === undefined || rail.paymentRail === 'ONCHAIN') return rail;
  if (FOLLOWS_SETTLEMENT.has(status) && !isAch(rail)) return rail;
  const time = RAIL_TIMES[status];
  return { ...rail, status, ...(time && { [time]: now.toISOString() }) };
}

/** The members that a transition changes, whatever the direction of the payment. */
function changed(
  payment: Payment,
  { failure, refund, settles }: Transition<string>,
  next: Shown,
  { reason, expiresAt, now }: Happened<string>,
) {
  const refundOf = (): Payment['refund'] => {
    if (refund) return { reason: reason === TIMED_OUT ? TIMED_OUT : refund, initiatedAt: now, settledAt: null };
    if (!payment.refund || next.refund !== 'COMPLETED' || payment.refund.settledAt !== null) return payment.refund;
    return { ...payment.refund, settledAt: now };
  };
  return {
    failureReason: next.status !== 'FAILED' ? null : failure ? failureOf(failure, reason) : payment.failureReason,
    refund: refundOf(),
    settledAt: settles ? now : payment.settledAt,
    expiresAt: next.status === 'PENDING' || next.status === 'PENDING_AUTHORIZATION' ? (expiresAt ?? payment.expiresAt) : null,
    updatedAt: now,
  };
}

const effectsOf = ({ ledger, sends, refund, paysOut }: Transition<string>) => ({
  ledger,
  sends,
  refundBegins: refund !== undefined,
  paysOut: paysOut === true,
});

/** The change that an event makes; undefined when the event does not happen in this state. */
export function changeOutgoing(payment: OutgoingPayment, happened: Happened<OutgoingEvent>): Change<OutgoingPayment> | undefined {
  const transition = OUTGOING[payment.state][happened.event];
  if (!transition) return undefined;
  const { source, destination } = payment;
  const next: OutgoingPayment = {
    ...payment,
    ...changed(payment, transition, OUTGOING_STATES[transition.to], happened),
    state: transition.to,
    source: source.type === 'ACCOUNT' ? { ...source, rail: railAt(source.rail, transition.debitRail, happened.now) } : source,
    destination:
      destination.type === 'ACCOUNT' ? { ...destination, rail: railAt(destination.rail, transition.rail, happened.now) } : destination,
  };
  return { payment: next, ...effectsOf(transition) };
}

/** As `changeOutgoing`. The rail of an incoming payment works on its source. */
export function changeIncoming(payment: IncomingPayment, happened: Happened<IncomingEvent>): Change<IncomingPayment> | undefined {
  const { source, state, settledAt } = payment;
  // A deposit that its rule could not sweep has failed, but its money is there: to its bank it is a completed one.
  const transition = INCOMING[state === 'FAILED' && settledAt !== null ? 'COMPLETED' : state][happened.event];
  if (!transition) return undefined;
  const next: IncomingPayment = {
    ...payment,
    ...changed(payment, transition, INCOMING_STATES[transition.to], happened),
    state: transition.to,
    source: source.type === 'UMA_ADDRESS' ? source : { ...source, rail: railAt(source.rail, transition.rail, happened.now) },
  };
  return { payment: next, ...effectsOf(transition) };
}

// ---- waiting

/** The event of a payment whose time of waiting is over. */
export const OUTGOING_EXPIRY: { readonly [state in OutgoingState]?: OutgoingEvent } = {
  QUOTED: 'EXPIRED',
  AWAITING_AUTHORIZATION: 'CHALLENGE_EXPIRED',
};

/** The payment at a moment: a quote past its expiry is expired, whether or not the job has run. */
export const asOf = <P extends Payment>(payment: P, now: Date): P =>
  payment.state === 'QUOTED' && payment.expiresAt !== null && payment.expiresAt <= now ? { ...payment, state: 'EXPIRED' } : payment;
