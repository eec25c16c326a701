// The transactions of one card as an issuer's processor and the simulated network cause them, written from the specification. Messages come in
// any order: of each method, the comment says what holds whichever came first.
import { type AccountBalance, type Limits, NO_LIMITS } from '../../support/card-model.js';
import { DAY } from './history.js';

const HOLD_LIFE = 7 * DAY;

export const OPENINGS = {
  AUTHORIZATION: { isCredit: false, isFinancial: false },
  FINANCIAL_AUTHORIZATION: { isCredit: false, isFinancial: true },
  CREDIT_AUTHORIZATION: { isCredit: true, isFinancial: false },
  FINANCIAL_CREDIT_AUTHORIZATION: { isCredit: true, isFinancial: true },
  /** What was approved elsewhere. It is never declined. */
  CREDIT_AUTHORIZATION_ADVICE: { isCredit: true, isFinancial: false },
} as const;
export type OpeningKind = keyof typeof OPENINGS;

export type MessageKind =
  | 'CLEARING'
  | 'AUTHORIZATION_REVERSAL'
  | 'AUTHORIZATION_ADVICE'
  | 'AUTHORIZATION_EXPIRY'
  | 'RETURN'
  | 'RETURN_REVERSAL';

export type Request = {
  readonly kind: OpeningKind;
  readonly amount: number;
  readonly currency?: string;
  readonly network?: string | undefined;
  /** The last three characters of the merchant's descriptor, which choose an outcome in the sandbox. */
  readonly ending?: string;
};

export type Row = {
  readonly token: string;
  id: string;
  isCredit: boolean;
  status: string;
  authorized: number;
  settled: number;
  refunded: number;
  /** Held, or taken from a wallet, and not yet settled. */
  reserved: number;
  /** The answered request. Undefined if only messages have arrived. */
  request: Request | undefined;
  declined: string | undefined;
  /** "confirmation FAILED": nothing is ever taken for it. */
  fails: boolean;
  hasMessages: boolean;
  /** What messages have said: the largest advised total, and what ended or was reversed. */
  advised: number;
  reversed: number;
  hasEnded: boolean;
  /** Of a return: the purchase. */
  readonly purchase: Row | undefined;
  dispute: { readonly amount: number; credited: number } | undefined;
  /** What closed disputes have recovered. */
  recovered: number;
  expiresAt: number;
  readonly notified: string[];
};

export const isOpen = ({ status }: Row): boolean => status === 'AUTHORIZED' || status === 'PARTIALLY_SETTLED';

/** "effective value is the lower of the card value and" the platform's. */
const lower = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.min(a, b));

export class NetworkModel {
  readonly rows: Row[] = [];
  status = 'ACTIVE';
  limits: Limits = NO_LIMITS;
  platformLimits: Limits = NO_LIMITS;
  readonly balance: AccountBalance;
  private readonly brand: string;
  private readonly now: () => number;
  private readonly days = new Map<number, { spent: number; count: number }>();

  constructor(balance: AccountBalance, brand: string, now: () => number) {
    this.balance = balance;
    this.brand = brand;
    this.now = now;
  }

  get today(): { spent: number; count: number } {
    const day = Math.floor(this.now() / DAY);
    const today = this.days.get(day) ?? { spent: 0, count: 0 };
    this.days.set(day, today);
    return today;
  }

  limit(name: keyof Limits): number | null {
    return lower(this.limits[name], this.platformLimits[name]);
  }

  private newRow(token: string, fields: Partial<Row> = {}): Row {
    const row: Row = {
      token,
      id: '',
      isCredit: false,
      status: 'AUTHORIZED',
      authorized: 0,
      settled: 0,
      refunded: 0,
      reserved: 0,
      request: undefined,
      declined: undefined,
      fails: false,
      hasMessages: false,
      advised: 0,
      reversed: 0,
      hasEnded: false,
      purchase: undefined,
      dispute: undefined,
      recovered: 0,
      expiresAt: this.now() + HOLD_LIFE,
      notified: [],
      ...fields,
    };
    this.rows.push(row);
    return row;
  }

  /** Every visible change sends one event. */
  private changing(row: Row, change: () => void): void {
    const seen = () => [row.status, row.authorized, row.settled, row.refunded].join();
    const before = row.notified.length === 0 ? '' : seen();
    change();
    if (seen() !== before) row.notified.push(row.status);
  }

  // ---- authorization requests

  /** The first rule that applies is the reason. A request after messages is judged by what it adds to them. */
  private reasonToDecline({ kind, amount, currency = 'USD', network, ending }: Request, before?: Row): string | undefined {
    if (kind === 'CREDIT_AUTHORIZATION_ADVICE') return undefined;
    if (this.status !== 'ACTIVE' || ending === '003') return 'CARD_NOT_ACTIVE';
    if (network !== undefined && network !== this.brand) return 'UNSUPPORTED_NETWORK';
    if (currency !== 'USD') return 'OTHER';
    const advised = before?.advised ?? 0;
    const over = (value: number, name: keyof Limits) => value > (this.limit(name) ?? Number.POSITIVE_INFINITY);
    const isSpend = !OPENINGS[kind].isCredit && amount > 0;
    if (
      isSpend &&
      (over(amount, 'maxSpendPerTransaction') ||
        over(this.today.spent + amount - advised, 'maxSpendPerDay') ||
        over(this.today.count + (advised > 0 ? 0 : 1), 'maxTransactionsPerDay'))
    )
      return 'SPEND_LIMIT_EXCEEDED';
    const paid = before ? before.reserved + before.settled : 0;
    return ending === '002' || (isSpend && amount > this.balance.spendable + paid) ? 'INSUFFICIENT_FUNDS' : undefined;
  }

  request(token: string, request: Request): Row {
    const { kind, amount, ending } = request;
    const { isCredit, isFinancial } = OPENINGS[kind];
    const declined = this.reasonToDecline(request);
    const row = this.newRow(token, { isCredit, request, declined, authorized: amount, fails: ending === '006' && !isCredit && !declined });
    this.changing(row, () => {
      if (declined) row.status = 'DECLINED';
      else {
        if (row.fails) row.status = 'EXCEPTION';
        else this.reserve(row, amount);
        if (!isCredit) this.count(amount, amount > 0 ? 1 : 0);
        if (isFinancial) this.settle(row, amount);
      }
    });
    return row;
  }

  /** "If it is approved, the result is the same as if it had arrived first. If it is declined, the effects of the messages are unchanged." */
  requestLate(row: Row, request: Request): void {
    const { kind, amount } = request;
    const { isCredit, isFinancial } = OPENINGS[kind];
    row.declined = this.reasonToDecline(request, row);
    row.request = request;
    if (row.declined) return;
    if (!isCredit && amount > 0) this.count(Math.max(0, amount - row.advised), row.advised > 0 ? 0 : 1);
    // The advice has approved it already; a financial request also settles.
    if (row.advised > 0 && !isFinancial) return;
    this.changing(row, () => {
      // The clearing was taken for one of a purchase: what it took is given back, and what it cleared is paid.
      if (isCredit) this.balance.add(2 * row.settled);
      row.isCredit = isCredit;
      this.approve(row, amount);
      if (isFinancial) this.settle(row, amount);
      this.applyEnds(row);
    });
  }

  /** What was cleared counts towards the approved amount; only the rest is reserved. */
  private approve(row: Row, amount: number): void {
    // "no automatic roll-back" of an EXCEPTION
    if (row.status === 'EXCEPTION' && !row.isCredit) {
      row.authorized = amount;
      return;
    }
    row.status = 'AUTHORIZED';
    row.expiresAt = this.now() + HOLD_LIFE;
    this.resize(row, amount, true);
  }

  private applyEnds(row: Row): void {
    if (row.hasEnded) this.release(row);
    else if (row.reversed > 0) this.reverse(row, row.reversed);
  }

  private count(spent: number, times: number): void {
    this.today.spent += spent;
    this.today.count += times;
  }

  // ---- money of one transaction

  private reserve(row: Row, amount: number): void {
    if (row.isCredit) return;
    row.reserved += amount;
    this.balance.reserve(amount);
  }

  private keepReserved(row: Row, amount: number): void {
    this.balance.release(row.reserved - amount);
    row.reserved = amount;
  }

  private refreshStatus(row: Row): void {
    row.status = row.settled === 0 ? 'AUTHORIZED' : row.settled < row.authorized ? 'PARTIALLY_SETTLED' : 'SETTLED';
    if (row.status === 'SETTLED') this.keepReserved(row, 0);
  }

  /** A new total. More is reserved as far as the account can pay. */
  private resize(row: Row, amount: number, mayTake: boolean): void {
    if (!isOpen(row)) return;
    row.authorized = amount;
    if (!row.isCredit) {
      const wanted = Math.max(0, amount - row.settled);
      this.keepReserved(row, Math.min(wanted, row.reserved + (mayTake ? this.balance.spendable : 0)));
    }
    this.refreshStatus(row);
  }

  /** "Full reversal or expiry -> VOIDED (authorizedAmount 0)"; if part has settled, the rest is released. */
  private release(row: Row): void {
    if (!isOpen(row)) return;
    if (row.settled === 0) Object.assign(row, { status: 'VOIDED', authorized: 0 });
    else row.status = 'SETTLED';
    this.keepReserved(row, 0);
  }

  private reverse(row: Row, amount: number | undefined): void {
    if (amount === undefined || amount >= row.authorized) this.release(row);
    else this.resize(row, row.authorized - amount, false);
  }

  /** "EXCEPTION = network settled, pull failed": the holder owes what the account cannot pay. */
  private settle(row: Row, amount: number): void {
    const wasOpen = isOpen(row);
    if (row.status === 'DECLINED') row.authorized = 0;
    row.settled += amount;
    let isShort = false;
    if (row.isCredit) this.balance.add(amount);
    else {
      const fromReserve = Math.min(amount, row.reserved);
      row.reserved -= fromReserve;
      this.balance.spend(fromReserve);
      const taken = row.fails ? 0 : Math.min(amount - fromReserve, this.balance.spendable);
      this.balance.add(-taken);
      this.balance.owed += amount - fromReserve - taken;
      isShort = taken < amount - fromReserve;
    }
    if (row.status === 'EXCEPTION' || isShort) {
      row.status = 'EXCEPTION';
      this.keepReserved(row, 0);
    } else if (wasOpen) this.refreshStatus(row);
    else row.status = 'SETTLED';
  }

  /** The account pays as far as it can, and its holder owes the rest. Returns what it paid. */
  private takeBack(amount: number): number {
    const taken = Math.min(amount, this.balance.spendable);
    this.balance.add(-taken);
    this.balance.owed += amount - taken;
    return taken;
  }

  // ---- messages

  /** What can be returned or disputed: "net settled", without what disputes have recovered or an open one claims. */
  left(row: Row): number {
    return row.isCredit ? 0 : Math.max(0, row.settled - row.refunded - row.recovered - (row.dispute?.amount ?? 0));
  }

  /** Whether a simulator takes the message: it must be one that a network could send. */
  isPossible(kind: MessageKind, row: Row, amount = 0): boolean {
    if (kind === 'CLEARING') {
      // "later clearings follow the late-presentment path"; a failed pull still awaits its clearing.
      const isLate = this.status === 'CLOSED' && row.status !== 'DECLINED' && !row.purchase;
      const isAwaited = row.fails && row.settled === 0;
      return isOpen(row) || (amount > 0 && (isLate || isAwaited));
    }
    if (kind === 'AUTHORIZATION_REVERSAL') return row.status === 'AUTHORIZED' && amount <= row.authorized;
    return kind === 'AUTHORIZATION_ADVICE' || kind === 'AUTHORIZATION_EXPIRY' ? isOpen(row) : this.isMeaningful(kind, row, amount);
  }

  /** Whether the issuer's message is taken: "accepted in any status of the transaction; only one without meaning is refused". */
  isMeaningful(kind: MessageKind, row: Row, amount = 0): boolean {
    if (kind === 'CLEARING') return row.purchase === undefined;
    if (kind === 'RETURN') return amount > 0 && amount <= this.left(row);
    return kind !== 'RETURN_REVERSAL' || (row.purchase !== undefined && row.status === 'SETTLED');
  }

  /** A clearing or an advice for an unknown transaction opens it. */
  openByMessage(kind: 'CLEARING' | 'AUTHORIZATION_ADVICE', token: string, amount: number): Row {
    const row = this.newRow(token, { status: kind === 'CLEARING' ? 'VOIDED' : 'AUTHORIZED' });
    this.take(kind, row, amount, token);
    return row;
  }

  /** Carries out an accepted message. Returns the row that answers it: a return is a row of its own. */
  take(kind: MessageKind, row: Row, amount: number | undefined, messageToken: string): Row {
    row.hasMessages = true;
    if (kind === 'RETURN') return this.giveBack(row, amount ?? 0, messageToken);
    this.changing(row, () => {
      if (kind === 'CLEARING' && amount !== 0) this.settle(row, amount ?? 0);
      else if (kind === 'AUTHORIZATION_ADVICE') this.advise(row, amount ?? 0);
      else if (kind === 'RETURN_REVERSAL') this.takeReturnBack(row);
      else if (kind === 'AUTHORIZATION_REVERSAL') {
        if (amount === undefined) row.hasEnded = true;
        else row.reversed += amount;
        this.reverse(row, amount);
      } else {
        row.hasEnded = true;
        this.release(row);
      }
    });
    return row;
  }

  /**
   * "The first advice for a transaction that was never requested, or that was declined here, represents an authorization that was approved
   * elsewhere." An increase is spend of the day; limits do not stop what the network approved.
   */
  private advise(row: Row, amount: number): void {
    // A return was not requested either, and is no authorization: it has settled.
    const isFirst = row.purchase === undefined && row.advised === 0 && (row.request === undefined || row.declined !== undefined);
    const before = row.authorized;
    row.advised = Math.max(row.advised, amount);
    if (isFirst) {
      this.approve(row, amount);
      this.applyEnds(row);
      if (!row.isCredit) this.count(amount, 1);
      return;
    }
    this.resize(row, amount, true);
    // An account verification has not counted; the advice that gives it an amount does.
    if (!row.isCredit) this.count(Math.max(0, row.authorized - before), before === 0 && row.authorized > 0 ? 1 : 0);
  }

  /** "A return is its own CREDIT row …; the purchase … is not sent again." */
  private giveBack(purchase: Row, amount: number, token: string): Row {
    purchase.refunded += amount;
    this.balance.add(amount);
    const fields = { isCredit: true, status: 'SETTLED', authorized: amount, settled: amount, purchase, notified: ['SETTLED'] };
    return this.newRow(token, fields);
  }

  private takeReturnBack(row: Row): void {
    if (row.purchase) row.purchase.refunded -= row.settled;
    if (this.takeBack(row.settled) === row.settled) Object.assign(row, { status: 'VOIDED', authorized: 0, settled: 0 });
    else row.status = 'EXCEPTION';
  }

  // ---- disputes: "Transaction status does not change."

  credit(row: Row, amount: number): void {
    if (row.dispute) row.dispute.credited += amount;
    this.balance.add(amount);
  }

  reverseCredit(row: Row, amount: number): void {
    if (row.dispute) row.dispute.credited -= amount;
    this.takeBack(amount);
  }

  /** The cardholder keeps what the network gave back, and nothing else of the provisional credit. */
  closeDispute(row: Row, recovered: number): void {
    const due = recovered - (row.dispute?.credited ?? 0);
    if (due >= 0) this.balance.add(due);
    else this.takeBack(-due);
    row.recovered += recovered;
    row.dispute = undefined;
  }

  // ---- time

  /** "authorization expiries" */
  expire(row: Row): void {
    this.changing(row, () => this.release(row));
  }

  /** "pending authorizations reconcile to a terminal state" */
  close(): void {
    this.status = 'CLOSED';
    for (const row of this.rows) this.changing(row, () => this.release(row));
  }
}

/** A row in the form that `gist` gives to a transaction. */
export const seen = ({ status, authorized, settled, refunded, declined }: Row) => ({
  status,
  authorized,
  ...(settled ? { settled } : {}),
  ...(refunded ? { refunded } : {}),
  ...(status === 'DECLINED' && declined ? { declined } : {}),
});
