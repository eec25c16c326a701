import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  assertAddsUp,
  decidePeriod,
  decideWindow,
  fetchedPeriod,
  pageEnd,
  pageStart,
  periodBetween,
  settlementClosesAt,
  verifyChanges,
  windowOf,
} from '../../../../src/domains/accounts/statements/rules.js';
import { parseCursor, parsePeriod, parseWindow, renderBalanceChanges } from '../../../../src/domains/accounts/statements/schemas.js';
import type { BalanceChange, StatementAccount } from '../../../../src/domains/accounts/statements/statement.js';
import { ApiError } from '../../../../src/kernel/errors.js';
import { HOUR_MS } from '../../../../src/kernel/time.js';

// In 2026 America/Chicago changes to UTC-5 on 8 March (a day of 23 h) and back to UTC-6 on 1 November (a day of 25 h).
const MONTHS_OF_2026 = [
  ['2026-01-01', '2026-01-01T00:00:00-06:00', '2026-02-01T00:00:00-06:00', 31 * 24],
  ['2026-02-01', '2026-02-01T00:00:00-06:00', '2026-03-01T00:00:00-06:00', 28 * 24],
  ['2026-03-01', '2026-03-01T00:00:00-06:00', '2026-04-01T00:00:00-05:00', 31 * 24 - 1],
  ['2026-04-01', '2026-04-01T00:00:00-05:00', '2026-05-01T00:00:00-05:00', 30 * 24],
  ['2026-05-01', '2026-05-01T00:00:00-05:00', '2026-06-01T00:00:00-05:00', 31 * 24],
  ['2026-06-01', '2026-06-01T00:00:00-05:00', '2026-07-01T00:00:00-05:00', 30 * 24],
  ['2026-07-01', '2026-07-01T00:00:00-05:00', '2026-08-01T00:00:00-05:00', 31 * 24],
  ['2026-08-01', '2026-08-01T00:00:00-05:00', '2026-09-01T00:00:00-05:00', 31 * 24],
  ['2026-09-01', '2026-09-01T00:00:00-05:00', '2026-10-01T00:00:00-05:00', 30 * 24],
  ['2026-10-01', '2026-10-01T00:00:00-05:00', '2026-11-01T00:00:00-05:00', 31 * 24],
  ['2026-11-01', '2026-11-01T00:00:00-05:00', '2026-12-01T00:00:00-06:00', 30 * 24 + 1],
  ['2026-12-01', '2026-12-01T00:00:00-06:00', '2027-01-01T00:00:00-06:00', 31 * 24],
] as const;

const at = (text: string) => new Date(text);
const LAG_MS = 2 * HOUR_MS;

const account = (fields: Partial<StatementAccount> = {}): StatementAccount => ({
  id: 'InternalAccount:019542f5-b3e7-7d02-0000-000000000001',
  customerId: 'Customer:019542f5-b3e7-7d02-0000-000000000002',
  type: 'INTERNAL_FIAT',
  currency: 'USD',
  hasFundedCard: false,
  ...fields,
});

/** The instant as a wall clock `minutes` east of Greenwich shows it. */
function spelled(instant: Date, minutes: number): string {
  const local = new Date(instant.getTime() + minutes * 60_000).toISOString().slice(0, -1);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
}

const refusal = (work: () => unknown): { code: string; field?: string; details?: unknown } => {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    const field = (error.details?.['errors'] as { field: string }[] | undefined)?.[0]?.field;
    return field === undefined ? { code: error.code, details: error.details } : { code: error.code, field };
  }
  return assert.fail('was not refused');
};

describe('"exactly one calendar month in US Central time: the first instant of the month to the first instant of the next month"', () => {
  for (const [period, start, end, hours] of MONTHS_OF_2026) {
    test(`${period.slice(0, 7)} lasts ${hours} h and both its boundaries are exact to the millisecond`, () => {
      assert.deepEqual(windowOf(period), { start: at(start), end: at(end), period });
      assert.equal(at(end).getTime() - at(start).getTime(), hours * HOUR_MS);
      assert.equal(periodBetween(at(start), at(end)), period);
      for (const off of [-HOUR_MS, -1, 1, HOUR_MS]) {
        assert.equal(periodBetween(new Date(at(start).getTime() + off), at(end)), undefined, `start ${off} ms off`);
        assert.equal(periodBetween(at(start), new Date(at(end).getTime() + off)), undefined, `end ${off} ms off`);
      }
    });
  }

  test('two months, half a month and a month of another time zone are not a period', () => {
    assert.equal(periodBetween(at('2026-01-01T00:00:00-06:00'), at('2026-03-01T00:00:00-06:00')), undefined);
    assert.equal(periodBetween(at('2026-01-01T00:00:00-06:00'), at('2026-01-16T00:00:00-06:00')), undefined);
    assert.equal(periodBetween(at('2026-01-01T00:00:00Z'), at('2026-02-01T00:00:00Z')), undefined);
    assert.equal(periodBetween(at('2026-01-01T00:00:00-05:00'), at('2026-02-01T00:00:00-05:00')), undefined);
  });

  test('a month that begins on another day than the first, or before the year 1, is not a period', () => {
    assert.equal(periodBetween(at('2026-01-15T00:00:00-06:00'), at('2026-02-15T00:00:00-06:00')), undefined);
    const periods = ['0000-12-01', '0001-01-01', '0002-01-01'].map((month) => {
      const { start, end } = windowOf(month);
      return periodBetween(start, end);
    });
    assert.deepEqual(periods, [undefined, '0001-01-01', '0002-01-01']);
  });

  test('is recorded as fetched once its last page was read', () => {
    const window = windowOf('2026-01-01');
    const span = { opening: { number: 1n, balance: 0n }, closing: { number: 5n, balance: 9n } };
    assert.equal(fetchedPeriod(window, span, span.closing), '2026-01-01');
    assert.equal(fetchedPeriod(window, span, { number: 4n, balance: 9n }), undefined);
    const { start, end } = window;
    assert.equal(fetchedPeriod({ start, end }, span, span.closing), undefined, 'a window that is no month');
  });

  test('any spelling of the two instants is the same month', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...MONTHS_OF_2026),
        fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }),
        fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }),
        ([period, start, end], a, b) => {
          const window = parseWindow({ startDate: spelled(at(start), a), endDate: spelled(at(end), b) });
          assert.deepEqual(window, { start: at(start), end: at(end), period });
        },
      ),
      { numRuns: 500 },
    );
  });

  test('months follow each other without gap or overlap, in every year', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9998 }), fc.integer({ min: 1, max: 12 }), (year, month) => {
        const name = (y: number, m: number) => `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-01`;
        const next = month === 12 ? name(year + 1, 1) : name(year, month + 1);
        assert.deepEqual(windowOf(name(year, month)).end, windowOf(next).start);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the window as sent', () => {
  const window = (startDate: string, endDate: string) => parseWindow({ startDate, endDate });

  test('an end at or before the start is refused', () => {
    const instant = '2026-01-01T00:00:00Z';
    assert.equal(refusal(() => window(instant, instant)).field, 'endDate');
    assert.equal(refusal(() => window(instant, '2025-12-31T23:59:59.999Z')).field, 'endDate');
    assert.equal(refusal(() => window(instant, '2026-01-01T05:00:00+05:00')).field, 'endDate');
    assert.equal(window(instant, '2026-01-01T00:00:00.001Z').end.getTime() - at(instant).getTime(), 1);
  });

  test('a boundary finer than a millisecond excludes earlier entries, and is not the first instant of a month', () => {
    const finer = window('2026-01-01T06:00:00.000000001Z', '2026-02-01T06:00:00.0001Z');
    assert.deepEqual(finer, { start: at('2026-01-01T06:00:00.001Z'), end: at('2026-02-01T06:00:00.001Z') });
    const justBefore = window('2026-01-01T05:59:59.9999Z', '2026-02-01T06:00:00Z');
    assert.equal(justBefore.period, undefined);
    assert.equal(window('2026-01-01T06:00:00.000000000Z', '2026-02-01T06:00:00.000Z').period, '2026-01-01');
  });

  test('a period begins on the first day of a month', () => {
    assert.equal(parsePeriod('2026-03-01').period, '2026-03-01');
    assert.equal(refusal(() => parsePeriod('2026-03-02')).field, 'periodStart');
    assert.equal(refusal(() => parsePeriod('2026-03-31')).field, 'periodStart');
  });
});

describe('"A window whose card settlement has not closed is refused"', () => {
  for (const [what, boundary, closes] of [
    ['noon', '2026-01-15T12:00:00-06:00', '2026-01-16T02:00:00-06:00'],
    ['the first millisecond of a day', '2026-01-15T00:00:00.001-06:00', '2026-01-16T02:00:00-06:00'],
    ['the last millisecond of a day', '2026-01-15T23:59:59.999-06:00', '2026-01-16T02:00:00-06:00'],
    ['midnight, which ends the day before', '2026-01-15T00:00:00-06:00', '2026-01-15T02:00:00-06:00'],
    ['the day of 23 h', '2026-03-08T12:00:00-05:00', '2026-03-09T02:00:00-05:00'],
    ['the end of the day of 23 h', '2026-03-09T00:00:00-05:00', '2026-03-09T02:00:00-05:00'],
    ['the night before the hour that is left out', '2026-03-08T00:00:00-06:00', '2026-03-08T03:00:00-05:00'],
    ['the first of the hours that come twice', '2026-11-01T01:30:00-05:00', '2026-11-02T02:00:00-06:00'],
    ['the second of the hours that come twice', '2026-11-01T01:30:00-06:00', '2026-11-02T02:00:00-06:00'],
    ['the night before the hours that come twice', '2026-11-01T00:00:00-05:00', '2026-11-01T01:00:00-06:00'],
  ] as const) {
    test(`a boundary at ${what}`, () => assert.deepEqual(settlementClosesAt(at(boundary), LAG_MS), at(closes)));
  }

  const facts = (now: string, fields: Partial<StatementAccount> = {}) => ({
    window: parseWindow({ startDate: '2026-01-14T12:00:00-06:00', endDate: '2026-01-15T12:00:00-06:00' }),
    account: account({ hasFundedCard: true, ...fields }),
    now: at(now),
    settlementLagMs: LAG_MS,
    isFinal: false,
    hasCursor: false,
  });

  test('refused one millisecond before settlement closes, available when it closes', () => {
    assert.deepEqual(
      refusal(() => decideWindow(facts('2026-01-16T01:59:59.999-06:00'))),
      { code: 'NOT_YET_AVAILABLE', details: { boundaries: ['endDate'], availableAt: '2026-01-16T08:00:00.000Z' } },
    );
    assert.equal(decideWindow(facts('2026-01-16T02:00:00-06:00')).type, 'INTERNAL_FIAT');
  });

  test('both boundaries are named while both are open', () => {
    assert.deepEqual(refusal(() => decideWindow({ ...facts('2026-01-15T12:00:00-06:00'), settlementLagMs: 24 * HOUR_MS })).details, {
      boundaries: ['startDate', 'endDate'],
      availableAt: '2026-01-17T06:00:00.000Z',
    });
  });

  test('an account that never funded a card does not wait', () => {
    assert.ok(decideWindow(facts('2026-01-15T12:00:00-06:00', { hasFundedCard: false })));
  });

  test('a window that was answered before stays available, also when the clock was set back', () => {
    assert.ok(decideWindow({ ...facts('2026-01-15T12:00:00-06:00'), isFinal: true }));
    assert.ok(decideWindow({ ...facts('2020-01-01T00:00:00Z'), isFinal: true, hasCursor: true }));
    assert.equal(refusal(() => decideWindow({ ...facts('2020-01-01T00:00:00Z'), isFinal: true })).field, 'endDate');
    assert.equal(refusal(() => decideWindow({ ...facts('2026-01-15T12:00:00-06:00'), hasCursor: true })).code, 'NOT_YET_AVAILABLE');
  });
});

describe('who has a statement', () => {
  const asked = {
    window: parsePeriod('2026-01-01'),
    now: at('2026-03-01T00:00:00Z'),
    settlementLagMs: LAG_MS,
    isFinal: false,
    hasCursor: false,
  };
  const decisions = [decideWindow, (facts: typeof asked & { account: StatementAccount | undefined }) => decidePeriod(facts).account];

  test("a customer's own USD account", () => {
    for (const decide of decisions) assert.deepEqual(decide({ ...asked, account: account() }), account());
  });

  for (const [what, fields] of [
    ['a rule-based account', { type: 'RULE_BASED' }],
    ['a bulk settlement account', { type: 'BULK_SETTLEMENT' }],
    ['an embedded wallet', { type: 'EMBEDDED_WALLET', currency: 'USDB' }],
    ['a crypto account', { type: 'INTERNAL_CRYPTO', currency: 'USDC' }],
    ['an account in another currency', { currency: 'EUR' }],
    ["the platform's own account", { customerId: undefined }],
  ] as const) {
    test(`${what} has none`, () => {
      for (const decide of decisions) {
        assert.deepEqual(
          refusal(() => decide({ ...asked, account: account(fields as Partial<StatementAccount>) })),
          { code: 'INVALID_INPUT', field: 'id' },
        );
      }
    });
  }

  test('the first refusal wins: future window, unknown account, no statement, open settlement', () => {
    const early = { ...asked, now: at('2026-01-10T00:00:00Z') };
    assert.equal(refusal(() => decideWindow({ ...early, account: undefined })).field, 'endDate');
    assert.equal(refusal(() => decideWindow({ ...asked, account: undefined })).code, 'ACCOUNT_NOT_FOUND');
    const open = { ...asked, now: asked.window.end };
    assert.equal(refusal(() => decideWindow({ ...open, account: account({ type: 'RULE_BASED', hasFundedCard: true }) })).field, 'id');
    assert.equal(refusal(() => decideWindow({ ...open, account: account({ hasFundedCard: true }) })).code, 'NOT_YET_AVAILABLE');
  });

  test('a window may end now but not a millisecond later', () => {
    assert.ok(decideWindow({ ...asked, account: account(), now: asked.window.end }));
    assert.equal(
      refusal(() => decideWindow({ ...asked, account: account(), now: new Date(asked.window.end.getTime() - 1) })).field,
      'endDate',
    );
  });
});

describe('the receipt of a month', () => {
  const period = parsePeriod('2026-01-01');
  const facts = (now: Date | string, fields: Partial<StatementAccount> = {}, deliveredAt?: Date) => ({
    window: period,
    account: account(fields),
    now: new Date(now),
    isFinal: false,
    settlementLagMs: LAG_MS,
    deliveredAt,
  });

  test('refused before the month has begun, not yet available before its end, available after that', () => {
    assert.equal(refusal(() => decidePeriod(facts(new Date(period.start.getTime() - 1)))).field, 'periodStart');
    assert.deepEqual(refusal(() => decidePeriod(facts(period.start))).details, {
      boundaries: ['periodStart'],
      availableAt: period.end.toISOString(),
    });
    assert.equal(refusal(() => decidePeriod(facts(new Date(period.end.getTime() - 1)))).code, 'NOT_YET_AVAILABLE');
    assert.deepEqual(decidePeriod(facts(period.end)).deliveredAt, period.end);
  });

  test('an account that funded a card waits for settlement', () => {
    const closes = new Date(period.end.getTime() + LAG_MS);
    assert.equal(refusal(() => decidePeriod(facts(new Date(closes.getTime() - 1), { hasFundedCard: true }))).code, 'NOT_YET_AVAILABLE');
    assert.ok(decidePeriod(facts(closes, { hasFundedCard: true })));
    assert.ok(decidePeriod({ ...facts(period.end, { hasFundedCard: true }), isFinal: true }), 'unless the month was answered before');
  });

  test('delivered not in the future and not before the end of the period', () => {
    const now = at('2026-02-05T00:00:00Z');
    assert.deepEqual(decidePeriod(facts(now, {}, period.end)).deliveredAt, period.end);
    assert.deepEqual(decidePeriod(facts(now, {}, now)).deliveredAt, now);
    const named = (deliveredAt: Date) => refusal(() => decidePeriod(facts(now, {}, deliveredAt))).field;
    assert.equal(named(new Date(now.getTime() + 1)), 'statementDeliveredAt');
    assert.equal(named(new Date(period.end.getTime() - 1)), 'statementDeliveredAt');
  });
});

describe('pages', () => {
  const changes = (from: number, to: number): BalanceChange[] =>
    Array.from({ length: to - from }, (_, i) => ({
      number: BigInt(from + i + 1),
      amount: 10n,
      balance: BigInt(from + i + 1) * 10n,
      transactionId: undefined,
      effectiveAt: at('2026-01-05T00:00:00Z'),
    }));
  const span = { opening: { number: 2n, balance: 20n }, closing: { number: 7n, balance: 70n } };
  const window = parsePeriod('2026-01-01');

  test('pages of every size read the whole window once', () => {
    for (let limit = 1; limit <= 6; limit += 1) {
      const seen: bigint[] = [];
      let cursor: string | undefined;
      do {
        const from = pageStart(span, parseCursor(cursor, account().id, window));
        const end = pageEnd(span, from, limit);
        const rows = changes(Number(from), Number(end));
        const last = verifyChanges({ number: from, balance: from * 10n }, rows, end, span);
        const page = renderBalanceChanges(window, { account: account(), span, changes: rows, last });
        assert.deepEqual([page.openingBalance.amount, page.closingBalance.amount, page.totalCount], [20, 70, 5]);
        assert.equal(page.hasMore, page.nextCursor !== undefined);
        seen.push(...rows.map(({ number }) => number));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      assert.deepEqual(seen, [3n, 4n, 5n, 6n, 7n]);
    }
  });

  test('a cursor is bound to account and window, and to nothing else', () => {
    const [rows, last] = [changes(2, 4), { number: 4n, balance: 40n }];
    const cursor = renderBalanceChanges(window, { account: account(), span, changes: rows, last }).nextCursor;
    assert.equal(parseCursor(cursor, account().id, window), 4n);
    const elsewhere = 'InternalAccount:019542f5-b3e7-7d02-0000-000000000009';
    assert.equal(refusal(() => parseCursor(cursor, elsewhere, window)).field, 'cursor');
    assert.equal(refusal(() => parseCursor(cursor, account().id, parsePeriod('2026-02-01'))).field, 'cursor');
    for (const text of ['', 'x', '!!!!', `x${cursor}`, `${cursor}`.slice(2)])
      assert.equal(refusal(() => parseCursor(text, account().id, window)).field, 'cursor');
  });

  test('a cursor outside its window is refused', () => {
    for (const number of [0n, 1n, 2n, 7n, 8n]) assert.equal(refusal(() => pageStart(span, number)).field, 'cursor');
    for (const number of [3n, 6n]) assert.equal(pageStart(span, number), number);
  });

  test('"if not, the statement must not be issued": a gap, a wrong balance or a wrong end is detected', () => {
    const good = changes(2, 7);
    assert.deepEqual(verifyChanges(span.opening, good, 7n, span), span.closing);
    const broken = (edit: (rows: BalanceChange[]) => BalanceChange[], end = 7n, of = span) =>
      assert.throws(() => verifyChanges(span.opening, edit(good), end, of), /invariant broken/);
    broken((rows) => rows.slice(1));
    broken((rows) => rows.slice(0, -1));
    broken((rows) => rows.filter((_, i) => i !== 2));
    broken((rows) => rows.map((row, i) => (i === 2 ? { ...row, amount: 11n } : row)));
    broken((rows) => rows.map((row, i) => (i === 4 ? { ...row, balance: 71n } : row)));
    broken((rows) => rows, 7n, { ...span, closing: { number: 7n, balance: 71n } });
    const totals = { count: 5n, moneyIn: 60n, moneyOut: 10n };
    assertAddsUp(span, totals);
    for (const wrong of [{ count: 4n }, { moneyIn: 61n }, { moneyOut: 9n }]) {
      assert.throws(() => assertAddsUp(span, { ...totals, ...wrong }), /invariant broken/);
    }
  });
});
