// The amounts of a card transaction where clearings, advices, returns and shortfalls meet.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CardTransaction } from '../../../../src/domains/cards/authorizations/card-transaction.js';
import {
  cancelled,
  clear,
  NOTHING,
  owedOnceCancelled,
  refund,
  release,
  resize,
  takeBackRefund,
} from '../../../../src/domains/cards/authorizations/lifecycle.js';
import { transactionOf } from '../../../support/card-transaction.js';

const EXPIRY = new Date('2026-03-08T12:00:00.000Z');
const rich = { available: 1_000n };
const poor = { available: 0n };

/** Status, then authorized, settled, refunded, held, pulled, shortfall. */
const gist = ({ status, authorized, settled, refunded, held, pulled, shortfall }: CardTransaction) =>
  [status, authorized, settled, refunded, held, pulled, shortfall].join(' ');

const held = transactionOf({ held: 100n, expiresAt: EXPIRY });
const part = transactionOf({ status: 'PARTIALLY_SETTLED', settled: 60n, held: 40n, pulled: 60n, expiresAt: EXPIRY });
/** A return of 20 was reversed, and the account could not pay it. */
const owing = transactionOf({ status: 'PARTIALLY_SETTLED', settled: 60n, held: 40n, pulled: 40n, shortfall: 20n, expiresAt: EXPIRY });

test('nothing is nothing, in every amount', () => {
  assert.deepEqual(NOTHING, { authorized: 0n, settled: 0n, refunded: 0n, held: 0n, pulled: 0n, shortfall: 0n });
});

test('a clearing of a declined authorization settles without having been authorized', () => {
  const declined = transactionOf({ status: 'DECLINED', declinedReason: 'BLOCKED' });
  assert.equal(gist(clear(declined, 10n, rich)), 'SETTLED 0 10 0 0 10 0');
  assert.equal(gist(clear(declined, 10n, poor)), 'EXCEPTION 0 10 0 0 0 10');
});

test('a settled transaction has no expiry, and one that is partly settled keeps it', () => {
  assert.deepEqual([clear(held, 100n, poor).expiresAt, clear(held, 99n, poor).expiresAt], [null, EXPIRY]);
  const credit = transactionOf({ direction: 'CREDIT', expiresAt: EXPIRY });
  assert.deepEqual([clear(credit, 100n, poor).expiresAt, clear(credit, 99n, poor).expiresAt], [null, EXPIRY]);
});

test('an advice down to what is settled gives back what a wallet paid beyond it', () => {
  const wallet = transactionOf({ status: 'PARTIALLY_SETTLED', settled: 60n, pulled: 100n, expiresAt: EXPIRY });
  const settled = resize(wallet, 60n, poor, true);
  assert.deepEqual([gist(settled), settled.expiresAt], ['SETTLED 60 60 0 0 60 0', null]);
});

test('an advice of a credit reserves nothing', () => {
  assert.equal(gist(resize(transactionOf({ direction: 'CREDIT' }), 150n, rich, false)), 'AUTHORIZED 150 0 0 0 0 0');
});

test('an advice reserves neither what was returned nor what the holder already owes', () => {
  const returned = refund(part, 20n);
  assert.equal(gist(returned), 'PARTIALLY_SETTLED 100 60 20 40 40 0');
  assert.equal(gist(resize(returned, 100n, rich, false)), gist(returned));
  assert.equal(gist(resize(owing, 100n, rich, false)), gist(owing));
  assert.equal(gist(resize(owing, 110n, rich, false)), 'PARTIALLY_SETTLED 110 60 0 50 40 20');
});

test('an expiry gives back what is reserved beyond what settled, counting what the holder owes for it', () => {
  assert.equal(gist(release(owing)), 'SETTLED 100 60 0 0 40 20');
});

test('a reversed return is VOIDED without amounts; it keeps them as an EXCEPTION if the account cannot pay', () => {
  const returned = transactionOf({
    direction: 'CREDIT',
    status: 'SETTLED',
    authorized: 20n,
    settled: 20n,
    originalTransactionId: 'Transaction:1',
  });
  const purchase = refund(part, 20n);
  const paid = takeBackRefund(purchase, returned, { available: 20n });
  assert.deepEqual([gist(paid.purchase), gist(paid.returned)], [gist(part), 'VOIDED 0 0 0 0 0 0']);
  const short = takeBackRefund(purchase, returned, poor);
  assert.deepEqual([gist(short.purchase), gist(short.returned)], [gist(owing), 'EXCEPTION 20 20 0 0 0 0']);
});

test('a credit that was paid at once and then decided too late is taken back; what the account cannot pay of it is owed', () => {
  const credit = transactionOf({ direction: 'CREDIT', status: 'SETTLED', settled: 100n, pulled: -100n });
  assert.equal(gist(cancelled(credit)), 'DECLINED 100 0 0 0 0 0');
  const owed = (available: bigint) => owedOnceCancelled(credit, { available });
  assert.deepEqual([owed(0n), owed(30n), owed(100n), owed(101n)], [100n, 70n, 0n, 0n]);
});
