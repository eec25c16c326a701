// A model of card transactions and their balances, written from the specification and independent of the code.
import { DAY } from './card-transactions.js';

/** The balance of one account. A USD account holds the authorized amount until it clears; a wallet is debited in full at authorization. */
export class AccountBalance {
  total: number;
  /** What the holder owes. It is recovered from money that arrives, and of a USD account also from holds that end. */
  owed = 0;
  readonly isWallet: boolean;
  private held = 0;
  private readonly moved: (amount: number) => void;

  constructor(total: number, { isWallet = false, moved = () => {} }: { isWallet?: boolean; moved?: (amount: number) => void } = {}) {
    this.total = total;
    this.isWallet = isWallet;
    this.moved = moved;
  }

  get available(): number {
    return this.total - this.held;
  }

  /** What may be spent: owed money is not available. */
  get spendable(): number {
    return Math.max(0, this.available - this.owed);
  }

  add(amount: number): void {
    if (amount === 0) return;
    this.total += amount;
    this.moved(amount);
    this.recover(amount);
  }

  reserve(amount: number): void {
    if (this.isWallet) this.add(-amount);
    else {
      this.held += amount;
      this.recover(-amount);
    }
  }

  private recover(received: number): void {
    const recovered = Math.min(this.owed, Math.max(0, received));
    this.owed -= recovered;
    this.add(-recovered);
  }

  /** Returns a reserved amount to the account. */
  release(amount: number): void {
    this.reserve(-amount);
  }

  /** Debits a reserved amount. */
  spend(amount: number): void {
    if (this.isWallet) return;
    this.held -= amount;
    this.add(-amount);
  }
}

export type Row = {
  status: string;
  authorized: number;
  settled: number;
  refunded: number;
  reserved: number;
  declined?: string;
  /** Of a return: the purchase. */
  purchase?: Row;
  /** The account it was authorized on. A later change of the card does not affect it. */
  readonly balance: AccountBalance;
  /** The statuses for which an event was sent. */
  readonly notified: string[];
};

export type Limits = {
  maxSpendPerTransaction: number | null;
  maxSpendPerDay: number | null;
  maxTransactionsPerDay: number | null;
};

export const NO_LIMITS: Limits = { maxSpendPerTransaction: null, maxSpendPerDay: null, maxTransactionsPerDay: null };

const isOpen = ({ status }: Row): boolean => status === 'AUTHORIZED' || status === 'PARTIALLY_SETTLED';

/** "effective value is the lower of the card value and" the platform's. */
const lower = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.min(a, b));

/** The transactions of one card. Each message method returns whether the message is accepted; an accepted message sends an event. */
export class CardModel {
  readonly rows: Row[] = [];
  now: number;
  status = 'ACTIVE';
  /** Whether there is a usable delegated key. A wallet cannot be debited without one. */
  hasKey = false;
  limits: Limits = NO_LIMITS;
  private readonly days = new Map<number, { spent: number; count: number }>();
  private readonly expiries = new Map<Row, number>();

  constructor(now: number) {
    this.now = now;
  }

  private get today() {
    const day = Math.floor(this.now / DAY);
    const today = this.days.get(day) ?? { spent: 0, count: 0 };
    this.days.set(day, today);
    return today;
  }

  private withdrawable(balance: AccountBalance): number {
    return balance.isWallet && !this.hasKey ? 0 : balance.spendable;
  }

  private notify(row: Row): true {
    row.notified.push(row.status);
    return true;
  }

  authorize(amount: number, balance: AccountBalance, platform: Limits = NO_LIMITS): void {
    const over = (value: number, name: keyof Limits) => value > (lower(this.limits[name], platform[name]) ?? Number.POSITIVE_INFINITY);
    const declined =
      this.status !== 'ACTIVE'
        ? 'CARD_NOT_ACTIVE'
        : over(amount, 'maxSpendPerTransaction') ||
            over(this.today.spent + amount, 'maxSpendPerDay') ||
            over(this.today.count + 1, 'maxTransactionsPerDay')
          ? 'SPEND_LIMIT_EXCEEDED'
          : amount > balance.spendable
            ? 'INSUFFICIENT_FUNDS'
            : undefined;
    const row: Row = { status: 'AUTHORIZED', authorized: amount, settled: 0, refunded: 0, reserved: 0, balance, notified: [] };
    this.rows.push(row);
    if (declined) Object.assign(row, { status: 'DECLINED', declined });
    else {
      row.reserved = amount;
      balance.reserve(amount);
      this.today.spent += amount;
      this.today.count += 1;
      this.expiries.set(row, this.now + 7 * DAY);
    }
    this.notify(row);
  }

  /** The largest amount that limits and balance allow now: "exactly the limit is allowed". */
  headroom(balance: AccountBalance, platform: Limits = NO_LIMITS): number {
    const most = (name: keyof Limits) => lower(this.limits[name], platform[name]) ?? Number.POSITIVE_INFINITY;
    return Math.min(balance.spendable, most('maxSpendPerTransaction'), most('maxSpendPerDay') - this.today.spent);
  }

  private keepReserved(row: Row, amount: number): void {
    row.balance.release(row.reserved - amount);
    row.reserved = amount;
  }

  private settle(row: Row): void {
    row.status = row.settled === 0 ? 'AUTHORIZED' : row.settled < row.authorized ? 'PARTIALLY_SETTLED' : 'SETTLED';
    if (row.status === 'SETTLED') this.keepReserved(row, 0);
  }

  /** "Later clearings follow the late-presentment path" once the card is closed. */
  clear(row: Row, amount: number): boolean {
    const isLate = this.status === 'CLOSED' && amount > 0 && !row.purchase && row.status !== 'DECLINED';
    if (!isOpen(row) && !isLate) return false;
    if (amount === 0) return this.expire(row);
    const wasOpen = isOpen(row);
    const fromReserve = Math.min(amount, row.reserved);
    const rest = amount - fromReserve;
    const taken = Math.min(rest, this.withdrawable(row.balance));
    const isCovered = taken === rest;
    row.reserved -= fromReserve;
    row.balance.spend(fromReserve);
    row.settled += amount;
    row.balance.add(-taken);
    row.balance.owed += rest - taken;
    if (isCovered && wasOpen) this.settle(row);
    else {
      row.status = isCovered && row.status !== 'EXCEPTION' ? 'SETTLED' : 'EXCEPTION';
      this.keepReserved(row, 0);
    }
    return this.notify(row);
  }

  reverse(row: Row, amount: number | undefined): boolean {
    if (row.status !== 'AUTHORIZED' || (amount ?? 0) > row.authorized) return false;
    if (amount === undefined || amount === row.authorized) return this.expire(row);
    row.authorized -= amount;
    this.keepReserved(row, Math.min(row.reserved, row.authorized));
    return this.notify(row);
  }

  expire(row: Row): boolean {
    if (!isOpen(row)) return false;
    if (row.settled === 0) Object.assign(row, { status: 'VOIDED', authorized: 0 });
    else row.status = 'SETTLED';
    this.keepReserved(row, 0);
    return this.notify(row);
  }

  /** An advice that changes nothing is accepted and sends no event. */
  advise(row: Row, amount: number): boolean {
    if (!isOpen(row)) return false;
    const before = { ...row };
    this.today.spent += Math.max(0, amount - row.authorized);
    row.authorized = amount;
    const wanted = Math.max(0, amount - row.settled);
    this.keepReserved(row, Math.min(wanted, row.reserved + this.withdrawable(row.balance)));
    this.settle(row);
    const isChanged = before.authorized !== row.authorized || before.reserved !== row.reserved || before.status !== row.status;
    return isChanged ? this.notify(row) : true;
  }

  /** A return is a separate transaction; "the purchase … is not sent again". */
  giveBack(row: Row, amount: number): boolean {
    if (row.purchase || amount > row.settled - row.refunded) return false;
    row.refunded += amount;
    row.balance.add(amount);
    const returned = { status: 'SETTLED', authorized: amount, settled: amount, refunded: 0, reserved: 0 };
    this.rows.push({ ...returned, purchase: row, balance: row.balance, notified: ['SETTLED'] });
    return true;
  }

  takeReturnBack(row: Row): boolean {
    if (!row.purchase || row.status !== 'SETTLED') return false;
    row.purchase.refunded -= row.settled;
    const taken = Math.min(row.settled, this.withdrawable(row.balance));
    row.balance.add(-taken);
    row.balance.owed += row.settled - taken;
    if (taken === row.settled) Object.assign(row, { status: 'VOIDED', authorized: 0, settled: 0 });
    else row.status = 'EXCEPTION';
    return this.notify(row);
  }

  /** When authorizations expire, from the time of the model to this one. */
  expiriesUntil(end: number): number[] {
    return [...this.expiries.values()].filter((at) => at > this.now && at <= end);
  }

  /** Advances the clock and applies "authorization expiries". */
  advance(ms: number): void {
    this.now += ms;
    for (const [row, at] of this.expiries) if (at <= this.now) this.expire(row);
  }

  /** "pending authorizations reconcile to a terminal state" */
  close(): void {
    this.status = 'CLOSED';
    for (const row of this.rows) this.expire(row);
  }
}

/** A row in the form that `gist` gives to a transaction. */
export const seen = ({ status, authorized, settled, refunded, declined }: Row) => ({
  status,
  authorized,
  ...(settled ? { settled } : {}),
  ...(refunded ? { refunded } : {}),
  ...(declined ? { declined } : {}),
});

/** Names of the messages in the simulator endpoints. */
export const MESSAGES = {
  clear: 'clearing',
  reverse: 'authorization_reversal',
  advise: 'authorization_advice',
  giveBack: 'return',
  takeReturnBack: 'return_reversal',
  expire: 'authorization_expiry',
} as const;
