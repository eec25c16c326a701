// Authorization decisions: decline reasons, and the three limits at their boundaries.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type AuthorizationFacts,
  addSpend,
  CREDIT_DECLINES,
  decideAuthorization,
  effectiveLimits,
  NO_LIMITS,
  NOTHING_SPENT,
  recordSpend,
  spendingDay,
  spendOn,
  takeSpend,
} from '../../../../src/domains/cards/authorizations/authorization.js';

/** A purchase that is approved. */
const approved: AuthorizationFacts = {
  amount: 100n,
  currency: 'USD',
  network: undefined,
  card: { ...NO_LIMITS, status: 'ACTIVE', currency: 'USD', network: 'VISA', expiry: { month: 2, year: 2028 } },
  now: new Date('2028-02-29T23:59:59.999Z'),
  platform: NO_LIMITS,
  today: NOTHING_SPENT,
  source: { status: 'ACTIVE', available: 100n, usable: true },
};
const withCard = (fields: Partial<AuthorizationFacts['card']>) => ({ card: { ...approved.card, ...fields } });
const withSource = (fields: Partial<AuthorizationFacts['source']>) => ({ source: { ...approved.source, ...fields } });

/** One decline reason each, in order of precedence. */
const WRONGS: readonly { readonly reason: string; readonly change: (facts: AuthorizationFacts) => AuthorizationFacts }[] = [
  { reason: 'CARD_NOT_ACTIVE', change: (facts) => ({ ...facts, card: { ...facts.card, status: 'FROZEN' } }) },
  { reason: 'UNSUPPORTED_NETWORK', change: (facts) => ({ ...facts, network: 'DISCOVER' }) },
  { reason: 'OTHER', change: (facts) => ({ ...facts, currency: 'EUR' }) },
  { reason: 'SPEND_LIMIT_EXCEEDED', change: (facts) => ({ ...facts, platform: { ...NO_LIMITS, maxSpendPerTransaction: 99n } }) },
  { reason: 'NO_ELIGIBLE_FUNDING_SOURCE', change: (facts) => ({ ...facts, source: { ...facts.source, usable: false } }) },
  { reason: 'BLOCKED', change: (facts) => ({ ...facts, source: { ...facts.source, status: 'FROZEN' } }) },
  { reason: 'INSUFFICIENT_FUNDS', change: (facts) => ({ ...facts, source: { ...facts.source, available: 99n } }) },
];

describe('decline reason', () => {
  test('none: an authorization of the whole balance is approved', () => assert.equal(decideAuthorization(approved), undefined));

  for (const { reason, change } of WRONGS)
    test(`${reason} if no other reason applies`, () => assert.equal(decideAuthorization(change(approved)), reason));

  test('of several reasons the first in the table is given: all 127 combinations', () => {
    for (let mask = 1; mask < 1 << WRONGS.length; mask += 1) {
      const chosen = WRONGS.filter((_, i) => mask & (1 << i));
      const facts = chosen.reduce((before, { change }) => change(before), approved);
      assert.equal(decideAuthorization(facts), chosen[0]?.reason, chosen.map(({ reason }) => reason).join());
    }
  });

  test('CARD_NOT_ACTIVE is "any status but ACTIVE"', () => {
    for (const status of ['PENDING_KYC', 'PROCESSING', 'PENDING', 'FROZEN', 'CLOSED'] as const)
      assert.equal(decideAuthorization({ ...approved, ...withCard({ status }) }), 'CARD_NOT_ACTIVE', status);
  });

  test('CARD_NOT_ACTIVE once the expiry month is over, in UTC', () => {
    assert.equal(decideAuthorization({ ...approved, now: new Date('2028-02-29T23:59:59.999Z') }), undefined);
    assert.equal(decideAuthorization({ ...approved, now: new Date('2028-03-01T00:00:00.000Z') }), 'CARD_NOT_ACTIVE');
    const december = withCard({ expiry: { month: 12, year: 2028 } });
    assert.equal(decideAuthorization({ ...approved, ...december, now: new Date('2028-12-31T23:59:59.999Z') }), undefined);
    assert.equal(decideAuthorization({ ...approved, ...december, now: new Date('2029-01-01T00:00:00.000Z') }), 'CARD_NOT_ACTIVE');
  });

  test('an account verification is stopped by neither limits nor balance, but by everything else', () => {
    const used: Partial<AuthorizationFacts> = {
      amount: 0n,
      platform: { maxSpendPerTransaction: 1n, maxSpendPerDay: 1n, maxTransactionsPerDay: 1 },
      today: { spent: 5n, count: 5 },
      ...withSource({ available: 0n }),
    };
    assert.equal(decideAuthorization({ ...approved, ...used }), undefined);
    for (const { reason, change } of WRONGS.filter((wrong) => !['SPEND_LIMIT_EXCEEDED', 'INSUFFICIENT_FUNDS'].includes(wrong.reason)))
      assert.equal(decideAuthorization(change({ ...approved, ...used })), reason);
  });

  test('a decline forced by the sandbox has the precedence of its reason', () => {
    assert.equal(decideAuthorization({ ...approved, forced: 'INSUFFICIENT_FUNDS' }), 'INSUFFICIENT_FUNDS');
    assert.equal(decideAuthorization({ ...approved, forced: 'INSUFFICIENT_FUNDS', ...withCard({ status: 'FROZEN' }) }), 'CARD_NOT_ACTIVE');
    assert.equal(decideAuthorization({ ...approved, forced: 'CARD_NOT_ACTIVE', ...withSource({ available: 0n }) }), 'CARD_NOT_ACTIVE');
  });

  test('a credit is declined if the card is not active, and never for a limit, a key or the balance', () => {
    const poor = { ...approved, platform: { ...NO_LIMITS, maxSpendPerTransaction: 1n }, ...withSource({ available: 0n, usable: false }) };
    assert.equal(decideAuthorization(poor, CREDIT_DECLINES), undefined);
    assert.equal(decideAuthorization({ ...poor, ...withCard({ status: 'CLOSED' }) }, CREDIT_DECLINES), 'CARD_NOT_ACTIVE');
  });
});

describe('limits', () => {
  test('"effective value is the lower of" card and platform; a missing limit is ignored', () => {
    const pairs = [
      [5n, 7n, 5n],
      [7n, 5n, 5n],
      [6n, 6n, 6n],
      [5n, null, 5n],
      [null, 5n, 5n],
      [null, null, null],
    ] as const;
    for (const [card, platform, lower] of pairs) {
      assert.equal(
        effectiveLimits({ ...NO_LIMITS, maxSpendPerTransaction: card }, { ...NO_LIMITS, maxSpendPerTransaction: platform })
          .maxSpendPerTransaction,
        lower,
      );
      assert.equal(
        effectiveLimits({ ...NO_LIMITS, maxSpendPerDay: card }, { ...NO_LIMITS, maxSpendPerDay: platform }).maxSpendPerDay,
        lower,
      );
      const count = (value: bigint | null) => ({ ...NO_LIMITS, maxTransactionsPerDay: value === null ? null : Number(value) });
      assert.equal(effectiveLimits(count(card), count(platform)).maxTransactionsPerDay, lower === null ? null : Number(lower));
    }
  });

  const over = (facts: Partial<AuthorizationFacts>) => decideAuthorization({ ...approved, ...facts }) === 'SPEND_LIMIT_EXCEEDED';
  const both = (limits: Partial<typeof NO_LIMITS>): Partial<AuthorizationFacts>[] => [
    withCard(limits),
    { platform: { ...NO_LIMITS, ...limits } },
  ];

  test('maxSpendPerTransaction: "authorization of exactly the limit is allowed", one cent more is declined', () => {
    for (const limited of both({ maxSpendPerTransaction: 100n })) {
      assert.equal(over({ ...limited, amount: 100n }), false);
      assert.equal(over({ ...limited, amount: 101n }), true);
    }
  });

  test('maxSpendPerDay: "spend exactly equal to the limit is allowed", one cent more is declined', () => {
    for (const limited of both({ maxSpendPerDay: 250n })) {
      assert.equal(over({ ...limited, today: { spent: 150n, count: 9 } }), false);
      assert.equal(over({ ...limited, today: { spent: 151n, count: 9 } }), true);
    }
  });

  test('maxTransactionsPerDay: "a transaction bringing the count exactly to the limit is allowed", one more is declined', () => {
    for (const limited of both({ maxTransactionsPerDay: 3 })) {
      assert.equal(over({ ...limited, today: { spent: 0n, count: 2 } }), false);
      assert.equal(over({ ...limited, today: { spent: 0n, count: 3 } }), true);
    }
  });

  test('sums above 2^53 are exact', () => {
    const limited = withCard({ maxSpendPerDay: 9007199254740993n });
    const source = withSource({ available: 9007199254740993n }).source;
    assert.equal(over({ ...limited, source, today: { spent: 9007199254740992n, count: 1 }, amount: 1n }), false);
    assert.equal(over({ ...limited, source, today: { spent: 9007199254740993n, count: 1 }, amount: 1n }), true);
  });

  test('SPEND_LIMIT_EXCEEDED is given exactly if a limit would be exceeded', () => {
    const limit = fc.option(fc.bigInt(1n, 40n), { nil: null });
    const limits = fc.record({
      maxSpendPerTransaction: limit,
      maxSpendPerDay: limit,
      maxTransactionsPerDay: fc.option(fc.integer({ min: 1, max: 4 }), { nil: null }),
    });
    const today = fc.record({ spent: fc.bigInt(0n, 40n), count: fc.nat(4) });
    fc.assert(
      fc.property(limits, limits, today, fc.bigInt(1n, 40n), (card, platform, spend, amount) => {
        const breaks = [card, platform].some(
          (limited) =>
            amount > (limited.maxSpendPerTransaction ?? 99n) ||
            spend.spent + amount > (limited.maxSpendPerDay ?? 99n) ||
            spend.count + 1 > (limited.maxTransactionsPerDay ?? 99),
        );
        assert.equal(over({ ...withCard(card), platform, today: spend, amount }), breaks);
      }),
    );
  });
});

test('a credit is declined for another network and another currency, as a purchase is', () => {
  assert.equal(decideAuthorization({ ...approved, network: 'DISCOVER' }, CREDIT_DECLINES), 'UNSUPPORTED_NETWORK');
  assert.equal(decideAuthorization({ ...approved, currency: 'EUR' }, CREDIT_DECLINES), 'OTHER');
});

describe('the spend of a day', () => {
  const monday = { day: '2026-06-01', spent: 50n, count: 2 };
  const sunday = { day: '2026-05-31', spent: 70n, count: 3 };
  const saturday = { day: '2026-05-30', spent: 90n, count: 4 };

  test('is nothing on a day without authorizations', () => {
    assert.deepEqual(spendOn([], monday.day), { spent: 0n, count: 0 });
    assert.deepEqual(spendOn([sunday], monday.day), { spent: 0n, count: 0 });
    assert.deepEqual(spendOn([sunday, monday], monday.day), monday);
  });

  test('is recorded with one other day', () => {
    assert.deepEqual(recordSpend([sunday, saturday], monday.day, { spent: 50n, count: 2 }), [monday, sunday]);
    assert.deepEqual(recordSpend([monday, sunday], monday.day, { spent: 51n, count: 3 }), [
      { day: monday.day, spent: 51n, count: 3 },
      sunday,
    ]);
    assert.deepEqual(recordSpend([], monday.day, { spent: 50n, count: 2 }), [monday]);
  });

  test('loses a reversed decision, and is never below nothing; other days stay', () => {
    const one = (spent: bigint) => ({ spent, count: 1 });
    assert.deepEqual(takeSpend([monday, sunday], monday.day, one(20n)), [{ day: monday.day, spent: 30n, count: 1 }, sunday]);
    assert.deepEqual(takeSpend([monday], monday.day, one(51n)), [{ day: monday.day, spent: 0n, count: 1 }]);
    assert.deepEqual(takeSpend([monday], monday.day, { spent: 20n, count: 0 }), [{ day: monday.day, spent: 30n, count: 2 }]);
    assert.deepEqual(takeSpend([{ ...monday, count: 0 }], monday.day, one(20n)), [{ day: monday.day, spent: 30n, count: 0 }]);
    assert.deepEqual(takeSpend([sunday], monday.day, one(20n)), [sunday]);
  });
});

test('the daily spend stops at the largest 64-bit integer, which is above every limit', () => {
  assert.deepEqual(addSpend({ spent: 5n, count: 1 }, 7n, 1), { spent: 12n, count: 2 });
  assert.deepEqual(addSpend({ spent: 2n ** 63n - 8n, count: 1 }, 7n, 0), { spent: 2n ** 63n - 1n, count: 1 });
  assert.deepEqual(addSpend({ spent: 2n ** 63n - 7n, count: 1 }, 7n, 0), { spent: 2n ** 63n - 1n, count: 1 });
});

test('the spending day is the UTC calendar day: it begins at 00:00 UTC', () => {
  assert.equal(spendingDay(new Date('2026-02-28T23:59:59.999Z')), '2026-02-28');
  assert.equal(spendingDay(new Date('2026-03-01T00:00:00.000Z')), '2026-03-01');
  assert.equal(spendingDay(new Date('2026-03-01T00:00:00.001Z')), '2026-03-01');
  assert.equal(spendingDay(new Date('2026-03-01T01:00:00+02:00')), '2026-02-28', 'a timestamp of another time zone is converted');
});

test('each of the 366 days of a leap year begins at 00:00 UTC', () => {
  for (let day = Date.parse('2028-01-01T00:00:00Z'); day < Date.parse('2029-01-01T00:00:00Z'); day += 86_400_000) {
    const name = new Date(day).toISOString().slice(0, 10);
    assert.deepEqual(
      [0, 1, 86_399_999].map((ms) => spendingDay(new Date(day + ms))),
      [name, name, name],
    );
    assert.ok(spendingDay(new Date(day - 1)) < name);
  }
});
