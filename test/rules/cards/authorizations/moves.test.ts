// The ledger moves between two states of a card transaction.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { movesBetween, NO_MONEY, shortfallMoves, transferMoves } from '../../../../src/domains/cards/authorizations/moves.js';
import type { Hold } from '../../../../src/domains/ledger/ledger.js';

const EXPIRY = new Date('2026-03-08T12:00:00.000Z');
const LATER = new Date('2026-03-09T12:00:00.000Z');
const route = {
  account: 'account',
  settlement: 'settlement',
  reserve: 'reserve',
  receivable: 'receivable',
  currency: 'USD',
  cause: 'CLEARING',
  transactionId: 'transaction',
  ownerId: 'card',
  newTransferId: () => 'transfer',
};
const transfer = (from: string, to: string, amount: bigint) => ({
  id: 'transfer',
  from,
  to,
  amount,
  currency: 'USD',
  cause: 'CLEARING',
  transactionId: 'transaction',
});
const post = (from: string, to: string, amount: bigint) => ({ kind: 'POST', transfer: transfer(from, to, amount) });
const owe = (amount: bigint) => ({ kind: 'OWE', debtor: 'account', transfer: transfer('receivable', 'settlement', amount) });
const holdOf = (amount: bigint, expiresAt = EXPIRY): Hold => ({ ...transfer('account', 'settlement', amount), ownerId: 'card', expiresAt });
const reserve = (amount: bigint, expiresAt = EXPIRY) => ({ kind: 'HOLD', transfer: holdOf(amount, expiresAt) });
const held = (amount: bigint) => ({ ...NO_MONEY, held: amount, expiresAt: EXPIRY });

test('a transaction that moved nothing has no money', () => {
  assert.deepEqual(NO_MONEY, { held: 0n, pulled: 0n, shortfall: 0n, expiresAt: null });
});

describe('a hold', () => {
  test('is made with its owner and expiry, also one of 0', () => {
    assert.deepEqual(movesBetween(NO_MONEY, held(100n), route), [reserve(100n)]);
    assert.deepEqual(movesBetween(NO_MONEY, held(0n), route), [reserve(0n)]);
  });

  test('is kept if neither amount nor expiry changes', () => {
    assert.deepEqual(movesBetween(held(100n), held(100n), route, holdOf(100n)), []);
  });

  test('is replaced as a whole if amount or expiry changes', () => {
    const hold = holdOf(100n);
    const resolved = { kind: 'RESOLVE', hold, outcome: 'VOIDED' };
    assert.deepEqual(movesBetween(held(100n), held(40n), route, hold), [resolved, reserve(40n)]);
    assert.deepEqual(movesBetween(held(100n), { ...held(100n), expiresAt: LATER }, route, hold), [resolved, reserve(100n, LATER)]);
  });

  test('is posted if all of it, and nothing else, is taken', () => {
    for (const amount of [1n, 100n]) {
      const hold = holdOf(amount);
      assert.deepEqual(movesBetween(held(amount), { ...NO_MONEY, pulled: amount }, route, hold), [
        { kind: 'RESOLVE', hold, outcome: 'POSTED' },
      ]);
    }
  });

  test('is voided beside the transfer if more or less is taken, or part stays held', () => {
    const hold = holdOf(100n);
    const resolved = { kind: 'RESOLVE', hold, outcome: 'VOIDED' };
    for (const pulled of [60n, 120n])
      assert.deepEqual(movesBetween(held(100n), { ...NO_MONEY, pulled }, route, hold), [resolved, post('account', 'settlement', pulled)]);
    assert.deepEqual(movesBetween(held(100n), { ...held(1n), pulled: 100n }, route, hold), [
      resolved,
      post('account', 'settlement', 100n),
      reserve(1n),
    ]);
  });

  test('of 0 is not posted, and one that expires says so', () => {
    const [nothing, some] = [holdOf(0n), holdOf(100n)];
    assert.deepEqual(movesBetween(held(0n), NO_MONEY, route, nothing), [{ kind: 'RESOLVE', hold: nothing, outcome: 'VOIDED' }]);
    assert.deepEqual(movesBetween(held(100n), NO_MONEY, route, some, 'EXPIRED'), [{ kind: 'RESOLVE', hold: some, outcome: 'EXPIRED' }]);
  });
});

describe('a shortfall', () => {
  test('is owed by the holder of the account; what the account could pay is taken from it', () => {
    assert.deepEqual(movesBetween(NO_MONEY, { ...NO_MONEY, pulled: 20n, shortfall: 1n }, route), [
      post('account', 'settlement', 20n),
      owe(1n),
    ]);
  });

  test('that shrinks is paid to the account, where the ledger recovers it', () => {
    const before = { ...NO_MONEY, pulled: 20n, shortfall: 10n };
    assert.deepEqual(movesBetween(before, { ...before, shortfall: 9n }, route), [post('settlement', 'account', 1n)]);
    assert.deepEqual(movesBetween(before, { ...before, pulled: 25n, shortfall: 5n }, route), [], 'one pays the other');
  });

  test('of 0 moves nothing', () => {
    assert.deepEqual([shortfallMoves(route, 0n), shortfallMoves(route, -1n)], [[], []]);
    assert.deepEqual(shortfallMoves(route, 1n), [owe(1n)]);
  });
});

test('a transfer goes from the first account to the second, a negative one back, and 0 not at all', () => {
  const moved = (amount: bigint) => transferMoves(route, 'reserve', 'account', amount);
  assert.deepEqual(moved(1n), [post('reserve', 'account', 1n)]);
  assert.deepEqual(moved(-1n), [post('account', 'reserve', 1n)]);
  assert.deepEqual(moved(0n), []);
});
