// Which windows can be answered, and that what is answered adds up. Months and settlement days are those of US Central time.
import { Temporal } from 'temporal-polyfill';
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import { plusMs } from '../../../kernel/time.js';
import type { BalanceChange, Period, Place, Span, StatementAccount, Totals, Window } from './statement.js';

const ZONE = 'America/Chicago';

const firstInstantOf = (day: Temporal.PlainDate): Date => new Date(day.toZonedDateTime(ZONE).epochMilliseconds);

const inZone = (at: Date): Temporal.ZonedDateTime => Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(ZONE);

/** "the first instant of the month to the first instant of the next month" */
export function windowOf(period: Period): Required<Window> {
  const first = Temporal.PlainDate.from(period);
  return { start: firstInstantOf(first), end: firstInstantOf(first.add({ months: 1 })), period };
}

/** The month the two instants enclose exactly, or undefined. */
export function periodBetween(start: Date, end: Date): Period | undefined {
  const day = inZone(start).toPlainDate();
  if (day.day !== 1 || day.year < 1) return undefined;
  const month = windowOf(day.toString());
  return month.start.getTime() === start.getTime() && month.end.getTime() === end.getTime() ? month.period : undefined;
}

/** The calendar day of an instant in US Central time. */
export const dayOf = (at: Date): string => inZone(at).toPlainDate().toString();

/**
 * When card settlement for a boundary closes: `lagMs` after the end of the day it lies in. A boundary at midnight lies in
 * the day it ends, because nothing of the day it begins is before it.
 */
export function settlementClosesAt(boundary: Date, lagMs: number): Date {
  const local = inZone(boundary);
  const isMidnight = local.startOfDay().equals(local);
  return plusMs(isMidnight ? boundary : firstInstantOf(local.toPlainDate().add({ days: 1 })), lagMs);
}

export type WindowFacts = {
  readonly window: Window;
  readonly account: StatementAccount | undefined;
  /** It was answered before, and no entry can fall inside it any more. */
  readonly isFinal: boolean;
  readonly now: Date;
  readonly settlementLagMs: number;
};

/**
 * Answers the account whose window can be read, or refuses. What was answered once is answered again, whatever the account funds by
 * now; and a cursor into it never expires, also when the sandbox clock was set back.
 */
export function decideWindow(facts: WindowFacts & { readonly hasCursor: boolean }): StatementAccount {
  const { window, account, isFinal, hasCursor, now, settlementLagMs } = facts;
  if (window.end > now && !(isFinal && hasCursor)) throw invalidField('endDate', 'must not be in the future');
  const known = refuseWithoutStatement(account);
  if (known.hasFundedCard && !isFinal) refuseUnsettled({ startDate: window.start, endDate: window.end }, now, settlementLagMs);
  return known;
}

/** A receipt or a printed page is for a month that is over and settled, or was answered before. It was delivered now unless the caller names the time. */
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

/** Where a page that follows entry number `after` ends. */
export function pageEnd({ closing }: Span, after: bigint, limit: number): bigint {
  const end = after + BigInt(limit);
  return end < closing.number ? end : closing.number;
}

/** Where a page begins: at the opening, or where the cursor stands. */
export function pageStart({ opening, closing }: Span, after: bigint | undefined): bigint {
  // A cursor of ours stands inside its window; the check keeps a made-up one from naming entries outside it.
  if (after !== undefined && (after <= opening.number || after >= closing.number)) {
    throw invalidField('cursor', 'is not a cursor given for this request');
  }
  return after ?? opening.number;
}

/**
 * "openingBalance + sum(data[].amount) == closingBalance must hold; if not, the statement must not be issued." Numbers have no
 * gaps up to `end`, and each balance is the one before it plus the amount. Answers the place after the last change.
 */
export function followChanges(from: Place, changes: readonly BalanceChange[], end: bigint, { closing }: Span): Place {
  let place = from;
  for (const { number, amount, balance } of changes) {
    assert(number === place.number + 1n && balance === place.balance + amount, 'a balance is the one before it plus the change');
    place = { number, balance };
  }
  assert(place.number === end, 'the entries of an account are numbered without gaps');
  assert(end !== closing.number || place.balance === closing.balance, 'the changes of a window lead to its closing balance');
  return place;
}

/** The same for a whole window at once, before any of it is shown. */
export function assertAddsUp({ opening, closing }: Span, { count, moneyIn, moneyOut }: Totals): void {
  assert(
    count === closing.number - opening.number && opening.balance + moneyIn - moneyOut === closing.balance,
    'opening balance and changes add up to the closing balance',
  );
}
