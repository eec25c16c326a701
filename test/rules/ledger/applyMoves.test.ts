import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Balance, Move, Transfer } from '../../../src/domains/ledger/ledger.js';
import { accountsOf, applyMoves, serviceAccountId } from '../../../src/domains/ledger/rules.js';
import { ApiError, type ErrorCode } from '../../../src/kernel/errors.js';

const balance = (accountId: string, available: bigint, total = available, lastEntry = 0n): Balance => ({
  accountId,
  currency: 'USD',
  available,
  total,
  lastEntry,
});
const ledger = (...balances: Balance[]) => new Map(balances.map((one) => [one.accountId, one]));
const transfer = (from: string, to: string, amount: bigint, fields: Partial<Transfer> = {}): Transfer => ({
  id: `${from}-${to}-${amount}`,
  from,
  to,
  amount,
  currency: 'USD',
  cause: 'TEST',
  ...fields,
});
const post = (from: string, to: string, amount: bigint): Move => ({ kind: 'POST', transfer: transfer(from, to, amount) });
const hold = (from: string, to: string, amount: bigint): Move => ({ kind: 'HOLD', transfer: transfer(from, to, amount) });
const refusedWith = (code: ErrorCode) => (error: unknown) => error instanceof ApiError && error.code === code;

describe('POST', () => {
  test('debits one account and credits the other, with an entry each', () => {
    const { balances, entries, transfers } = applyMoves(ledger(balance('a', 100n), balance('b', 5n, 7n, 3n)), [post('a', 'b', 40n)]);
    assert.deepEqual(balances.get('a'), balance('a', 60n, 60n, 1n));
    assert.deepEqual(balances.get('b'), balance('b', 45n, 47n, 4n));
    assert.deepEqual(
      entries.map(({ accountId, amount, number, balanceAfter }) => [accountId, amount, number, balanceAfter]),
      [
        ['a', -40n, 1n, 60n],
        ['b', 40n, 4n, 47n],
      ],
    );
    assert.deepEqual(
      transfers.map(({ state }) => state),
      ['POSTED'],
    );
  });

  test('exactly the available balance may be moved, one more may not', () => {
    const before = ledger(balance('a', 100n, 150n));
    assert.equal(applyMoves(before, [post('a', 'world', 100n)]).balances.get('a')?.available, 0n);
    assert.throws(() => applyMoves(before, [post('a', 'world', 101n)]), refusedWith('INSUFFICIENT_FUNDS'));
  });

  test('a later move sees the balance after an earlier one', () => {
    const before = ledger(balance('a', 100n), balance('b', 0n));
    assert.equal(applyMoves(before, [post('a', 'b', 100n), post('b', 'a', 30n), post('a', 'b', 30n)]).balances.get('a')?.total, 0n);
    assert.throws(() => applyMoves(before, [post('a', 'b', 100n), post('a', 'b', 1n)]), refusedWith('INSUFFICIENT_FUNDS'));
  });

  test('a service-side account has entries without number or balance, and may go below zero', () => {
    const { entries, balances } = applyMoves(ledger(balance('a', 0n)), [post('world', 'a', 5n)]);
    assert.deepEqual(
      entries.map(({ accountId, number, balanceAfter }) => [accountId, number, balanceAfter]),
      [
        ['world', null, null],
        ['a', 1n, 5n],
      ],
    );
    assert.equal(balances.has('world'), false);
  });

  test('a balance may reach exactly the largest amount JSON carries, one more is refused', () => {
    const most = BigInt(Number.MAX_SAFE_INTEGER);
    assert.equal(applyMoves(ledger(balance('a', most - 1n)), [post('world', 'a', 1n)]).balances.get('a')?.total, most);
    assert.throws(() => applyMoves(ledger(balance('a', 0n, most)), [post('world', 'a', 1n)]), refusedWith('AMOUNT_OUT_OF_RANGE'));
  });

  test('incoming money leaves room for outstanding returns, so a return always fits', () => {
    const most = BigInt(Number.MAX_SAFE_INTEGER);
    const expecting = ledger({ ...balance('a', 0n), outstanding: 1_000n });
    assert.equal(applyMoves(expecting, [post('world', 'a', most - 1_000n)]).balances.get('a')?.total, most - 1_000n);
    assert.throws(() => applyMoves(expecting, [post('world', 'a', most - 999n)]), refusedWith('AMOUNT_OUT_OF_RANGE'));
    assert.equal(applyMoves(ledger(balance('a', most - 1_000n)), [post('world', 'a', 1_000n)]).balances.get('a')?.total, most);
  });
});

describe('HOLD and RESOLVE', () => {
  const held = transfer('a', 'world', 60n);
  const resolve = (outcome: 'POSTED' | 'VOIDED' | 'EXPIRED'): Move => ({ kind: 'RESOLVE', hold: held, outcome });

  test('a hold reserves without an entry', () => {
    const { balances, entries, transfers } = applyMoves(ledger(balance('a', 100n)), [hold('a', 'world', 60n)]);
    assert.deepEqual(balances.get('a'), balance('a', 40n, 100n));
    assert.deepEqual(entries, []);
    assert.deepEqual(
      transfers.map(({ state }) => state),
      ['PENDING'],
    );
  });

  test('held money cannot be held or spent again', () => {
    const before = ledger(balance('a', 100n));
    assert.throws(() => applyMoves(before, [hold('a', 'world', 60n), hold('a', 'world', 41n)]), refusedWith('INSUFFICIENT_FUNDS'));
    assert.throws(() => applyMoves(before, [hold('a', 'world', 60n), post('a', 'world', 41n)]), refusedWith('INSUFFICIENT_FUNDS'));
  });

  test('a posted hold moves the money; the available balance was reduced before', () => {
    const { balances, entries, resolutions } = applyMoves(ledger(balance('a', 40n, 100n)), [resolve('POSTED')]);
    assert.deepEqual(balances.get('a'), balance('a', 40n, 40n, 1n));
    assert.equal(entries.length, 2);
    assert.deepEqual(resolutions, [{ id: held.id, outcome: 'POSTED' }]);
  });

  for (const outcome of ['VOIDED', 'EXPIRED'] as const) {
    test(`${outcome}, the money is available again and no entry is made`, () => {
      const { balances, entries } = applyMoves(ledger(balance('a', 40n, 100n)), [resolve(outcome)]);
      assert.deepEqual(balances.get('a'), balance('a', 100n));
      assert.deepEqual(entries, []);
    });
  }
});

describe('broken invariants', () => {
  const before = ledger(balance('a', 100n), { ...balance('e', 100n), currency: 'EUR' });
  const cases: [string, Move][] = [
    ['source = destination', post('a', 'a', 1n)],
    ['an amount of zero', post('a', 'world', 0n)],
    ['an amount below zero', post('a', 'world', -1n)],
    ['a hold on itself', hold('a', 'a', 1n)],
    ['an account of another currency', post('a', 'e', 1n)],
  ];
  for (const [name, move] of cases) test(name, () => assert.throws(() => applyMoves(before, [move]), /invariant broken/));
});

test('the given balances are not modified', () => {
  const before = ledger(balance('a', 100n), balance('b', 0n));
  applyMoves(before, [post('a', 'b', 10n)]);
  assert.deepEqual(before, ledger(balance('a', 100n), balance('b', 0n)));
});

test('every account of the moves is listed once, for locking', () => {
  const resolution: Move = { kind: 'RESOLVE', hold: transfer('c', 'a', 1n), outcome: 'VOIDED' };
  assert.deepEqual(accountsOf([post('a', 'b', 1n), hold('b', 'a', 1n), resolution]).sort(), ['a', 'b', 'c']);
});

test('the id of a service-side account is derived from its purpose', () => {
  const id = serviceAccountId('Platform:1', 'FUNDING', 'USD');
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(serviceAccountId('Platform:1', 'FUNDING', 'USD'), id);
  const others = [
    serviceAccountId('Platform:2', 'FUNDING', 'USD'),
    serviceAccountId('Platform:1', 'FEES', 'USD'),
    serviceAccountId('Platform:1', 'FUNDING', 'EUR'),
  ];
  assert.equal(new Set([id, ...others]).size, 4);
});
