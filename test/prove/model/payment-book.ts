// The model of payments: their states and the double-entry books, written from the facts of money movement.
import { Market, type Price } from './payment-prices.js';

export const SECOND = 1_000;

// ---- the books

/** Accounts go by their id, positions of the service by purpose and currency. */
export class Books {
  private readonly sums = new Map<string, number>();
  /** What cards hold of an account. */
  readonly held = new Map<string, number>();

  total(account: string): number {
    return this.sums.get(account) ?? 0;
  }
  available(account: string): number {
    return this.total(account) - (this.held.get(account) ?? 0);
  }
  move(from: string, to: string, amount: number): void {
    this.sums.set(from, this.total(from) - amount);
    this.sums.set(to, this.total(to) + amount);
  }
  /** As much as is available, and the rest from the reserve. Returns what the reserve bears. */
  take(account: string, to: string, amount: number, currency: string): number {
    const taken = Math.min(amount, this.available(account));
    this.move(account, to, taken);
    this.move(`RESERVE ${currency}`, to, amount - taken);
    return amount - taken;
  }
  positions(): Record<string, number> {
    return Object.fromEntries([...this.sums].filter(([place, sum]) => place.includes(' ') && sum !== 0));
  }
}

// ---- payments

type Does = 'ACCEPT' | 'COLLECT' | 'SETTLE' | 'FAIL' | 'LOSE' | 'TIME_OUT' | 'RETURN' | 'CANCEL' | 'EXPIRE';
type Step = { readonly after: number; readonly does: Does; readonly reason?: string };
type Plan = readonly Step[];

const at = (seconds: number, does: Does, reason?: string): Step => ({ after: seconds * SECOND, does, ...(reason && { reason }) });

/** What the rail says to a payout of a quote, by the ending of the identifier that the money goes to. */
const PAYOUTS: Readonly<Record<string, Plan>> = {
  '002': [at(0, 'FAIL', 'QUOTE_EXECUTION_FAILED')],
  '003': [at(360, 'SETTLE')],
  '004': [at(0, 'FAIL', 'ACCOUNT_CANNOT_RECEIVE')],
  '005': [at(0, 'SETTLE'), at(30, 'RETURN')],
  '006': [at(0, 'CANCEL')],
  '007': [at(0, 'LOSE', 'QUOTE_EXECUTION_FAILED')],
};
const PUSHES: Readonly<Record<string, Plan>> = {
  '002': [at(0, 'FAIL', 'QUOTE_EXECUTION_FAILED')],
  '003': [at(0, 'FAIL', 'ACCOUNT_INVALID')],
  '004': [at(0, 'FAIL', 'ACCOUNT_CANNOT_RECEIVE')],
  '005': [at(30, 'TIME_OUT', 'QUOTE_EXECUTION_FAILED')],
};
const PULLS: Readonly<Record<string, Plan>> = {
  ...Object.fromEntries(['002', '003', '004'].map((ending) => [ending, [at(0, 'FAIL', 'COLLECTION_FAILED')]])),
  '005': [at(30, 'TIME_OUT', 'COLLECTION_FAILED')],
};
const SUCCEEDS: Plan = [at(0, 'ACCEPT'), at(0, 'SETTLE')];

export const ENDINGS = ['999', '999', '999', '002', '003', '004', '005', '006', '007'] as const;

export type PaymentKind = 'QUOTE' | 'REALTIME' | 'PULLED' | 'SWEPT' | 'PUSH' | 'PULL' | 'DEPOSIT' | 'RECEIVED' | 'ANNOUNCED';

export type Draft = Price & {
  readonly id: string;
  readonly kind: PaymentKind;
  /** Whose money it is: a customer, or the platform. */
  readonly holder: string;
  readonly sending: string;
  readonly receiving: string;
  /** The accounts that the transaction shows; empty: the outside world. */
  readonly source: string;
  readonly destination: string;
  readonly rail?: string | null;
  /** The ending of the destination, and of the bank account that is debited. */
  readonly ending?: string;
  readonly pulledFrom?: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
};

export class Payment {
  readonly draft: Draft;
  readonly type: 'INCOMING' | 'OUTGOING';
  status = 'PENDING';
  failureReason: string | undefined;
  refund: { status: string; reason: string } | undefined;
  settledAt: number | undefined;
  confirmedAt: number | undefined;
  /** The status of ACH after settlement. */
  railStatus: string | undefined;
  readonly events: string[] = [];
  /** What was not available when a credit was taken back. */
  borne = 0;
  /** Whether the money has left the payer. */
  isTaken = false;
  due: { readonly at: number; readonly does: Does; readonly reason?: string }[] = [];

  constructor(draft: Draft) {
    this.draft = draft;
    this.type =
      draft.kind === 'PULL' || draft.kind === 'DEPOSIT' || draft.kind === 'RECEIVED' || draft.kind === 'ANNOUNCED'
        ? 'INCOMING'
        : 'OUTGOING';
  }

  get isAch(): boolean {
    return this.draft.rail === 'ACH' || this.draft.rail === 'ACH_SAME_DAY';
  }
  /** An account of the service, so that the payer or receiver is not outside. */
  get isInside(): boolean {
    return this.draft.destination.startsWith('InternalAccount:');
  }

  /** The event carries the transaction as it is at this moment. */
  say(name: string): void {
    this.events.push([`${this.type}_PAYMENT.${name}`, this.status, this.failureReason ?? '-', this.refund?.status ?? '-'].join(' '));
  }
  enter(status: string, failureReason?: string): void {
    this.status = status;
    this.failureReason = failureReason;
    this.say(status);
  }
  plan(steps: Plan, now: number): void {
    this.due.push(...steps.map(({ after, ...step }) => ({ at: now + after, ...step })));
  }
}

/** Every payment of a platform, its books, and what is due when. */
export class PaymentBook {
  readonly books = new Books();
  readonly market = new Market();
  readonly payments: Payment[] = [];
  /** The accounts of the platform, which its fees go to, by currency. */
  readonly feeAccounts: Record<string, string> = {};

  add(draft: Draft): Payment {
    const payment = new Payment(draft);
    this.payments.push(payment);
    return payment;
  }

  /** A quote: its transaction is there at once. */
  quote(draft: Draft): Payment {
    const payment = this.add(draft);
    payment.say('PENDING');
    payment.due.push({ at: draft.expiresAt as number, does: 'EXPIRE' });
    return payment;
  }

  private from({ draft }: Payment): string {
    return ['QUOTE', 'SWEPT', 'PUSH'].includes(draft.kind) ? draft.source : `FUNDING ${draft.sending}`;
  }

  /** Executed, or funded by its payer. */
  execute(payment: Payment, now: number): void {
    const { draft } = payment;
    payment.due = [];
    payment.enter('PROCESSING');
    if (draft.kind === 'PULLED') {
      const steps = PULLS[draft.pulledFrom as string] ?? [at(0, 'COLLECT')];
      payment.plan(
        steps.filter(({ does }) => does !== 'ACCEPT').map((step) => (step.reason ? { ...step, reason: 'QUOTE_EXECUTION_FAILED' } : step)),
        now,
      );
    } else this.debit(payment, now);
  }

  private debit(payment: Payment, now: number): void {
    const { draft } = payment;
    this.books.move(this.from(payment), `CLEARING ${draft.sending}`, draft.sent);
    payment.isTaken = true;
    if (payment.isInside) this.settle(payment, now);
    else payment.plan(PAYOUTS[draft.ending as string] ?? [at(0, 'SETTLE')], now);
  }

  /** A transfer out, which is debited when it is asked for, or in. */
  transfer(payment: Payment, now: number): void {
    const { draft } = payment;
    if (draft.kind === 'PUSH') {
      payment.say('PENDING');
      this.books.move(draft.source, `CLEARING ${draft.sending}`, draft.sent);
      payment.isTaken = true;
    }
    payment.plan((draft.kind === 'PUSH' ? PUSHES : PULLS)[draft.ending as string] ?? SUCCEEDS, now);
  }

  /** Money of another amount than a realtime quote asks for is accepted, and sent back. */
  mismatch(payment: Payment, amount: number): void {
    const { sending } = payment.draft;
    payment.due = [];
    this.books.move(`FUNDING ${sending}`, `CLEARING ${sending}`, amount);
    this.failAndRefund(payment, 'FUNDING_AMOUNT_MISMATCH', { amount });
  }

  credit(payment: Payment, now: number): void {
    const { receiving, destination, received } = payment.draft;
    this.books.move(`FUNDING ${receiving}`, destination, received);
    payment.settledAt ??= now;
    payment.enter('COMPLETED');
    if (payment.isAch) payment.railStatus = 'SETTLED';
  }

  private settle(payment: Payment, now: number): void {
    if (payment.type === 'INCOMING') {
      this.credit(payment, now);
      return;
    }
    this.deliver(payment, 1);
    payment.settledAt = now;
    if (payment.isAch && !payment.isInside) payment.railStatus = 'SETTLED';
    payment.enter('COMPLETED');
  }

  /** The transfers of a settlement; backwards for a return, with what the platform's account has of its fee. */
  private deliver({ draft, isInside }: Payment, sign: 1 | -1): void {
    const { sending, receiving, sent, received, fees, platformFees } = draft;
    const move = (from: string, to: string, amount: number) =>
      sign === 1 ? this.books.move(from, to, amount) : this.books.move(to, from, amount);
    const clearing = `CLEARING ${sending}`;
    move(clearing, `FEES ${sending}`, fees - platformFees);
    const own = this.feeAccounts[sending] as string;
    if (sign === 1) this.books.move(clearing, own, platformFees);
    else this.books.take(own, clearing, platformFees, sending);
    if (sending !== receiving) {
      move(clearing, `FX ${sending}`, sent - fees);
      move(`FX ${receiving}`, `CLEARING ${receiving}`, received);
    }
    move(`CLEARING ${receiving}`, isInside ? draft.destination : `FUNDING ${receiving}`, received);
  }

  /** The payment fails and its money goes back: to the payer, or where that is not possible to suspense. */
  private failAndRefund(
    payment: Payment,
    failureReason: string,
    { reason = 'TRANSACTION_FAILED', amount = payment.draft.sent, isLost = false } = {},
  ): void {
    const { sending } = payment.draft;
    payment.refund = { status: 'PENDING', reason };
    payment.enter('FAILED', failureReason);
    payment.say('REFUND_PENDING');
    this.books.move(`CLEARING ${sending}`, isLost ? `SUSPENSE ${sending}` : this.from(payment), amount);
    payment.refund.status = isLost ? 'FAILED' : 'COMPLETED';
    payment.say(`REFUND_${payment.refund.status}`);
  }

  /** "A payment that was cancelled ends COMPLETED; read `refund`". A debit that was not collected fails. */
  cancel(payment: Payment): void {
    payment.due = [];
    if (payment.type === 'INCOMING') payment.enter('FAILED', 'COLLECTION_FAILED');
    else {
      payment.refund = { status: 'PENDING', reason: 'USER_CANCELLATION' };
      payment.say('REFUND_PENDING');
      this.books.move(`CLEARING ${payment.draft.sending}`, this.from(payment), payment.draft.sent);
      // One step: the event of the refund shows the end as well.
      payment.refund.status = 'COMPLETED';
      payment.status = 'COMPLETED';
      payment.say('REFUND_COMPLETED');
      payment.say('COMPLETED');
    }
  }

  /** The platform lets an announced payment in, or not. There is no event of its own for a rejection. */
  decide(payment: Payment, isApproved: boolean, now: number): void {
    payment.due = [];
    if (isApproved) payment.plan(SUCCEEDS, now);
    else {
      payment.status = 'REJECTED';
      payment.say('FAILED');
    }
  }

  /** The bank after settlement. False: not in this state. */
  bank(payment: Payment, event: string): boolean {
    const isOut = payment.type === 'OUTGOING';
    const follows = { RETURN: 'SETTLED', DISHONOR: 'RETURNED', CONTEST: 'RETURN_DISHONORED', REVERSE: 'SETTLED' }[event];
    if (payment.railStatus === undefined || payment.railStatus !== follows || (isOut && event === 'REVERSE')) return false;
    payment.railStatus = { RETURN: 'RETURNED', DISHONOR: 'RETURN_DISHONORED', CONTEST: 'RETURN_CONTESTED', REVERSE: 'REVERSED' }[event];
    if (isOut) {
      if (event === 'RETURN') this.comesBack(payment);
      return true;
    }
    const { destination, receiving, received } = payment.draft;
    const funding = `FUNDING ${receiving}`;
    if (event === 'DISHONOR') {
      // "dishonour repays RESERVE first"
      this.books.move(funding, destination, received - payment.borne);
      this.books.move(funding, `RESERVE ${receiving}`, payment.borne);
      payment.borne = 0;
      payment.enter('COMPLETED');
    } else {
      payment.borne = this.books.take(destination, funding, received, receiving);
      payment.enter('FAILED', 'COLLECTION_FAILED');
    }
    return true;
  }

  private comesBack(payment: Payment): void {
    payment.due = [];
    this.deliver(payment, -1);
    if (payment.isAch) payment.railStatus = 'RETURNED';
    this.failAndRefund(payment, 'PAYOUT_RETURNED');
  }

  /** Everything that is due until now, in the order of its times. */
  until(now: number): void {
    for (;;) {
      const waiting = this.payments.filter(({ due: [next] }) => next !== undefined && next.at <= now);
      const payment = waiting.sort((a, b) => (a.due[0]?.at ?? 0) - (b.due[0]?.at ?? 0))[0];
      const step = payment?.due.shift();
      if (!payment || !step) return;
      this.happen(payment, step);
    }
  }

  private happen(payment: Payment, { does, at: time, reason = '' }: Payment['due'][number]): void {
    switch (does) {
      case 'EXPIRE':
        // An announced payment that nobody decides fails.
        if (payment.draft.kind === 'ANNOUNCED') payment.enter('FAILED', 'PAYMENT_APPROVAL_TIMED_OUT');
        else payment.enter('EXPIRED');
        break;
      case 'ACCEPT':
        payment.enter('PROCESSING');
        break;
      case 'COLLECT':
        this.debit(payment, time);
        break;
      case 'SETTLE':
        this.settle(payment, time);
        break;
      case 'RETURN':
        this.comesBack(payment);
        break;
      case 'CANCEL':
        this.cancel(payment);
        break;
      case 'FAIL':
      case 'TIME_OUT':
        // Nothing was taken from a bank account that could not be debited.
        if (!payment.isTaken) payment.enter('FAILED', reason);
        else this.failAndRefund(payment, reason, does === 'TIME_OUT' ? { reason: 'TIMEOUT' } : {});
        break;
      case 'LOSE':
        this.failAndRefund(payment, reason, { isLost: true });
    }
  }
}
