// UMA payments as the specification tells them: their states, what is told of them, and whose balance moves.
import type { Currency } from '../../support/receiver-model.js';
import { DAY, MINUTE } from './history.js';

export type Account = { readonly id: string; readonly currency: string; balance: number };
export type Person = {
  readonly id: string;
  readonly address: string;
  /** The currency that look-ups price without another. */
  readonly currency: Currency;
  readonly accounts: readonly Account[];
  readonly bank: string;
  /** The bank account that takes the person's UMA payments in US dollars, and whether money arrives there. */
  deposit: { readonly works: boolean } | undefined;
  isDeleted: boolean;
};

/** Whoever can be paid at an address: a name of the sandbox, a person of the platform, or the other provider's. */
export type Target = { readonly address: string; readonly sandbox?: string; readonly person?: Person };

/** A payment that two providers have agreed on. */
export type Agreed = { readonly invoice: string; readonly amount: string; readonly currency: string };
export type Invoice = Agreed & {
  readonly person: Person;
  readonly expiresAt: number;
  /** The sender wants to know what became of it. */
  readonly tells: boolean;
  isPaid: boolean;
};

type Value = readonly [amount: number, currency: string];
export type Payment = {
  readonly id: string;
  readonly kind: 'OUTGOING' | 'INCOMING';
  readonly person: Person;
  /** In US cents for an outgoing payment. */
  readonly sent: Value;
  readonly received: Value;
  readonly ends: readonly [from: string, to: string];
  status: string;
  failure: string | undefined;
  refund: string | undefined;
  settledAt: number | undefined;
  /** When the time moves it: a quote expires, an approval times out, or money arrives. */
  due: { readonly at: number; readonly what: 'EXPIRES' | 'TIMES_OUT' | 'ARRIVES' } | undefined;
  readonly events: string[];
};
export type Outgoing = Payment & { readonly quote: string; readonly target: Target; readonly invoice: Agreed | undefined };
export type Incoming = Payment & {
  /** The receiver's data must come with the approval. */
  readonly asksPayee: boolean;
  readonly arrivesAfter: number;
  /** The payment of a customer of the same platform, or the invoice of the other provider. */
  readonly cause: Outgoing | Invoice | undefined;
};
type Fresh = Pick<Payment, 'id' | 'person' | 'sent' | 'received' | 'ends'>;

const QUOTE_LIFE = 5 * MINUTE;
const APPROVAL_LIFE = 5_000;

export const isOutgoing = (payment: Outgoing | Incoming): payment is Outgoing => payment.kind === 'OUTGOING';
export const isWaiting = ({ due }: Payment): boolean => due?.what === 'TIMES_OUT';
export const isOpen = ({ status }: Payment): boolean => status === 'PENDING' || status === 'PROCESSING';
export const accountIn = ({ accounts }: Person, currency: string): Account =>
  accounts.find((account) => account.currency === currency) as Account;

export class UmaBook {
  readonly payments: (Outgoing | Incoming)[] = [];
  readonly invoices: Invoice[] = [];
  /** What the other provider must be told. */
  readonly told: string[] = [];
  private readonly clock: () => number;

  constructor(clock: () => number) {
    this.clock = clock;
  }

  get outgoing(): Outgoing[] {
    return this.payments.filter(isOutgoing);
  }

  private fresh<Kind extends Payment['kind']>(kind: Kind, fields: Fresh) {
    const rest = { status: 'PENDING', failure: undefined, refund: undefined, settledAt: undefined, due: undefined };
    return { ...fields, ...rest, kind, events: [`${kind}_PAYMENT.PENDING PENDING`] };
  }

  private tell({ kind, events }: Payment, type: string, status = type): void {
    events.push(`${kind}_PAYMENT.${type} ${status}`);
  }

  private complete(payment: Payment, settledAt = this.clock()): void {
    Object.assign(payment, { status: 'COMPLETED', settledAt });
    this.tell(payment, 'COMPLETED');
  }

  private failWithRefund(payment: Payment, failure: string): void {
    Object.assign(payment, { status: 'FAILED', failure, refund: 'COMPLETED', due: undefined });
    for (const type of ['FAILED', 'REFUND_PENDING', 'REFUND_COMPLETED']) this.tell(payment, type, 'FAILED');
  }

  // ---- outgoing

  quoted(fields: Fresh & Pick<Outgoing, 'quote' | 'target' | 'invoice'>): Outgoing {
    const due = { at: this.clock() + QUOTE_LIFE, what: 'EXPIRES' as const };
    const payment: Outgoing = { ...fields, ...this.fresh('OUTGOING', fields), due };
    this.payments.push(payment);
    return payment;
  }

  /** "execute, rate not confirmed": the refusal is itself an outcome. */
  loseRate(payment: Outgoing): void {
    Object.assign(payment, { status: 'FAILED', failure: 'QUOTE_RATE_UNAVAILABLE', due: undefined });
    this.tell(payment, 'FAILED');
  }

  execute(payment: Outgoing): void {
    accountIn(payment.person, 'USD').balance -= payment.sent[0];
    Object.assign(payment, { status: 'PROCESSING', due: undefined });
    this.tell(payment, 'PROCESSING');
    if (payment.invoice) this.told.push(`${payment.invoice.invoice} PAID`);
  }

  /** The money is there after this time; undefined: it never is. */
  deliver(payment: Outgoing, afterMs: number | undefined): void {
    if (afterMs === undefined) this.fail(payment, 'COMPLIANCE_REJECTED');
    else if (afterMs === 0) this.complete(payment);
    else payment.due = { at: this.clock() + afterMs, what: 'ARRIVES' };
  }

  /** What was sent comes back. */
  fail(payment: Outgoing, reason: string): void {
    this.failWithRefund(payment, reason);
    accountIn(payment.person, 'USD').balance += payment.sent[0];
  }

  // ---- incoming

  announced(fields: Fresh & Pick<Incoming, 'asksPayee' | 'arrivesAfter' | 'cause'>): Incoming {
    const payment: Incoming = { ...fields, ...this.fresh('INCOMING', fields) };
    this.payments.push(payment);
    return payment;
  }

  /** "answers 202: PENDING until approve/reject, at most 5 s of the clock" */
  wait(payment: Incoming): void {
    payment.due = { at: this.clock() + APPROVAL_LIFE, what: 'TIMES_OUT' };
  }

  approve(payment: Incoming): void {
    const { arrivesAfter, cause } = payment;
    Object.assign(payment, { status: 'PROCESSING', due: undefined });
    this.tell(payment, 'PROCESSING');
    if (arrivesAfter > 0) payment.due = { at: this.clock() + arrivesAfter, what: 'ARRIVES' };
    else this.arrive(payment);
    if (cause && 'quote' in cause) {
      this.complete(cause);
      // What the receiver's bank does not take comes back to the sender.
      if (payment.status === 'FAILED') this.fail(cause, 'PAYOUT_RETURNED');
    } else if (cause?.tells) this.told.push(`${cause.invoice} SETTLED`);
  }

  /** A rejection has no reason, and its event is FAILED. */
  refuse(payment: Incoming, failure?: string): void {
    const status = failure ? 'FAILED' : 'REJECTED';
    Object.assign(payment, { status, failure, due: undefined });
    this.tell(payment, 'FAILED', status);
    const { cause } = payment;
    if (cause && 'quote' in cause) this.fail(cause, 'ACCOUNT_CANNOT_RECEIVE');
    else if (cause?.tells) this.told.push(`${cause.invoice} REFUSED`);
  }

  private arrive(payment: Incoming, settledAt = this.clock()): void {
    const { person, received } = payment;
    const [amount, currency] = received;
    const deposit = currency === 'USD' ? person.deposit : undefined;
    if (deposit?.works === false) this.failWithRefund(payment, 'OFFRAMP_FAILED');
    else this.complete(payment, settledAt);
    if (!deposit) accountIn(person, currency).balance += amount;
  }

  /** The other provider pays within a day what it has agreed on. */
  agreed(fields: Omit<Invoice, 'expiresAt' | 'isPaid'>): void {
    this.invoices.push({ ...fields, expiresAt: this.clock() + DAY, isPaid: false });
  }

  /** The other provider says what became of a payment to it. */
  settle(payment: Outgoing, outcome: 'SETTLED' | 'REFUSED'): void {
    if (outcome === 'SETTLED') this.complete(payment);
    else this.fail(payment, 'ACCOUNT_CANNOT_RECEIVE');
  }

  // ---- time

  passed(): void {
    for (const payment of this.payments) {
      const { due } = payment;
      if (!due || due.at > this.clock()) continue;
      payment.due = undefined;
      if (due.what === 'EXPIRES') {
        payment.status = 'EXPIRED';
        this.tell(payment, 'EXPIRED');
      } else if (isOutgoing(payment)) this.complete(payment, due.at);
      else if (due.what === 'TIMES_OUT') this.refuse(payment, 'PAYMENT_APPROVAL_TIMED_OUT');
      else this.arrive(payment, due.at);
    }
  }
}
