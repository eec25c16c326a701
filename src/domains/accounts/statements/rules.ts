// Which windows can be answered, and the checks that an answer adds up. Months and settlement days are in US Central time.
import { Temporal } from 'temporal-polyfill';
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import { plusMs } from '../../../kernel/time.js';
import type { BalanceChange, EntryPosition, Period, Span, StatementAccount, Totals, Window } from './statement.js';

const ZONE = 'America/Chicago';

const firstInstantOf = (day: Temporal.PlainDate): Date => new Date(day.toZonedDateTime(ZONE).epochMilliseconds);

const inZone = (at: Date): Temporal.ZonedDateTime => Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(ZONE);

/** "the first instant of the month to the first instant of the next month" */
export function windowOf(period: Period): Required<Window> {
  const first = Temporal.PlainDate.from(period);
  return { start: firstInstantOf(first), end: firstInstantOf(first.add({ months: 1 })), period };
}

/** The month that begins and ends at exactly these instants, or undefined. */
export function periodBetween(start: Date, end: Date): Period | undefined {
  const day = inZone(start).toPlainDate();
  if (day.day !== 1 || day.year < 1) return undefined;
  const month = windowOf(day.toString());
  return month.start.getTime() === start.getTime() && month.end.getTime() === end.getTime() ? month.period : undefined;
}

/** The calendar day of an instant in US Central time. */
export const dayOf = (at: Date): string => inZone(at).toPlainDate().toString();

/**
 * Card settlement for a boundary closes `lagMs` after the end of its day. A boundary at midnight counts to the day that ends there,
 * because nothing of the next day is before it.
 */
export function settlementClosesAt(boundary: Date, lagMs: number): Date {
  const local = inZone(boundary);
  const isMidnight = local.startOfDay().equals(local);
  return plusMs(isMidnight ? boundary : firstInstantOf(local.toPlainDate().add({ days: 1 })), lagMs);
}

export type WindowFacts = {
  readonly window: Window;
  readonly account: StatementAccount | undefined;
  /** The window was answered before, so no later entry is dated inside it. */
  readonly isFinal: boolean;
  readonly now: Date;
  readonly settlementLagMs: number;
};

/**
 * Returns the account if its window can be read, or refuses. A window that was answered once is always answered again, even if the account
 * has funded a card since. A cursor into it stays valid, even if the sandbox clock was set back.
 */
export function decideWindow(facts: WindowFacts & { readonly hasCursor: boolean }): StatementAccount {
  const { window, account, isFinal, hasCursor, now, settlementLagMs } = facts;
  if (window.end > now && !(isFinal && hasCursor)) throw invalidField('endDate', 'must not be in the future');
  const known = refuseWithoutStatement(account);
  if (known.hasFundedCard && !isFinal) refuseUnsettled({ startDate: window.start, endDate: window.end }, now, settlementLagMs);
  return known;
}

/** A receipt or a statement document needs a month that is over and settled, or was answered before. `deliveredAt` is now unless given. */
export function decidePeriod(facts: WindowFacts & { readonly deliveredAt?: Date | undefined }): {
  account: StatementAccount;
  deliveredAt: Date;
} {
  const { window, account, isFinal, now, settlementLagMs, deliveredAt } = facts;
  if (window.start > now) throw invalidField('periodStart', 'must be the first day of a month that has begun');
  if (deliveredAt && deliveredAt > now) throw invalidField('statementDeliveredAt', 'must not be in the future');
  if (deliveredAt && deliveredAt < window.end) throw invalidField('statementDeliveredAt', 'must not be before the end of the period');
  const known = refuseWithoutStatement(account);
  if (window.end > now) throw notYet(['periodStart'], window.end);
  if (known.hasFundedCard && !isFinal) refuseUnsettled({ periodStart: window.end }, now, settlementLagMs);
  return { account: known, deliveredAt: deliveredAt ?? now };
}

/** "Statements exist for each customer's own USD internal account" */
function refuseWithoutStatement(account: StatementAccount | undefined): StatementAccount {
  if (!account) throw new ApiError('ACCOUNT_NOT_FOUND');
  const { customerId, type, currency } = account;
  if (customerId === undefined || type !== 'INTERNAL_FIAT' || currency !== 'USD') {
    throw invalidField('id', "has no statement of its own: only a customer's own USD account has one");
  }
  return account;
}

/** "A window whose card settlement has not closed is refused" */
function refuseUnsettled(boundaries: Readonly<Record<string, Date>>, now: Date, lagMs: number): void {
  const open = Object.entries(boundaries)
    .map(([name, at]) => ({ name, closesAt: settlementClosesAt(at, lagMs) }))
    .filter(({ closesAt }) => closesAt > now);
  const latest = open.at(-1);
  const names = open.map(({ name }) => name);
  if (latest) throw notYet(names, latest.closesAt);
}

const notYet = (boundaries: readonly string[], availableAt: Date): ApiError =>
  new ApiError('NOT_YET_AVAILABLE', { boundaries, availableAt: availableAt.toISOString() });

/** The number of the last entry on a page that follows entry `after`. */
export function pageEnd({ closing }: Span, after: bigint, limit: number): bigint {
  const end = after + BigInt(limit);
  return end < closing.number ? end : closing.number;
}

/** The number of the entry before a page: the one in the cursor, or the last before the window. */
export function pageStart({ opening, closing }: Span, after: bigint | undefined): bigint {
  // A genuine cursor is inside its window. The check keeps a forged one from reading entries outside it.
  if (after !== undefined && (after <= opening.number || after >= closing.number)) {
    throw invalidField('cursor', 'is not a cursor given for this request');
  }
  return after ?? opening.number;
}

/**
 * "openingBalance + sum(data[].amount) == closingBalance must hold; if not, the statement must not be issued." Checks that entry numbers
 * have no gaps up to `end` and that each balance is the one before it plus the amount. Returns the position after the last change.
 */
export function verifyChanges(from: EntryPosition, changes: readonly BalanceChange[], end: bigint, { closing }: Span): EntryPosition {
  let last = from;
  for (const { number, amount, balance } of changes) {
    assert(number === last.number + 1n && balance === last.balance + amount, 'a balance is the one before it plus the change');
    last = { number, balance };
  }
  assert(last.number === end, 'the entries of an account are numbered without gaps');
  assert(end !== closing.number || last.balance === closing.balance, 'the changes of a window lead to its closing balance');
  return last;
}

/** "recorded as fetched only when the window is exactly one calendar month", and only after its last page was read. */
export const fetchedPeriod = ({ period }: Window, { closing }: Span, last: EntryPosition): Period | undefined =>
  last.number === closing.number ? period : undefined;

/** The same check for a whole window, before any of it is sent. */
export function assertAddsUp({ opening, closing }: Span, { count, moneyIn, moneyOut }: Totals): void {
  assert(
    count === closing.number - opening.number && opening.balance + moneyIn - moneyOut === closing.balance,
    'opening balance and changes add up to the closing balance',
  );
}
