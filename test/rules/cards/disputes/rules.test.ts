// Each step of a dispute: what it changes, what it pays to the account and to the reserve, and what it refuses.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DISPOSITIONS, type Disposition, type Dispute } from '../../../../src/domains/cards/disputes/dispute.js';
import {
  closeDispute,
  creditProvisionally,
  DISPUTE_MOVES,
  openDispute,
  reverseProvisionalCredit,
} from '../../../../src/domains/cards/disputes/rules.js';
import { transactionOf } from '../../../support/card-transaction.js';
import { refusalBy } from '../../../support/refusal.js';

const purchase = transactionOf({ status: 'SETTLED', settled: 100n, refunded: 20n });
const identity = { id: 'CardDispute:1', token: 'token', reason: 'NOT_RECEIVED' } as const;
const dispute: Dispute = {
  ...identity,
  transactionId: 'Transaction:1',
  amount: 80n,
  credited: 0n,
  status: 'OPEN',
  disposition: null,
  recovered: 0n,
};
const lent = { ...dispute, credited: 50n };
const rich = { available: 1_000n };

test('a dispute is OPEN until it is closed, and then over', () => {
  assert.deepEqual(DISPUTE_MOVES, { OPEN: { CLOSED: 'CLOSED' }, CLOSED: {} });
});

describe('opening', () => {
  test('claims what is settled and not given back, or less', () => {
    assert.deepEqual(openDispute(purchase, identity, 0n), dispute);
    assert.deepEqual(openDispute(purchase, identity, 0n, 10n), { ...dispute, amount: 10n });
  });

  test('is refused by its amount above that, and by its transaction if nothing is left', () => {
    assert.equal(
      refusalBy(() => openDispute(purchase, identity, 0n, 80n)),
      'allowed',
    );
    assert.equal(
      refusalBy(() => openDispute(purchase, identity, 0n, 81n)),
      'INVALID_INPUT amount',
    );
    assert.equal(
      refusalBy(() => openDispute(purchase, identity, 79n, 1n)),
      'allowed',
    );
    assert.equal(
      refusalBy(() => openDispute(purchase, identity, 80n, 1n)),
      'INVALID_INPUT cardTransactionId',
    );
    assert.equal(
      refusalBy(() => openDispute({ ...purchase, direction: 'CREDIT' }, identity, 0n)),
      'INVALID_INPUT cardTransactionId',
    );
  });
});

describe('a provisional credit', () => {
  test('is lent by the reserve, up to the disputed amount', () => {
    assert.deepEqual(creditProvisionally(lent, 30n), {
      dispute: { ...dispute, credited: 80n },
      toAccount: 30n,
      toReserve: -30n,
      shortfall: 0n,
    });
    assert.equal(
      refusalBy(() => creditProvisionally(lent, 31n)),
      'INVALID_INPUT amount',
    );
  });

  test('goes back to the reserve, up to what was credited; the holder owes what the account lacks', () => {
    const back = (amount: bigint, available: bigint) => reverseProvisionalCredit(lent, amount, { available });
    assert.deepEqual(back(50n, 50n), { dispute, toAccount: -50n, toReserve: 50n, shortfall: 0n });
    assert.deepEqual(back(50n, 49n), { dispute, toAccount: -49n, toReserve: 50n, shortfall: 1n });
    assert.equal(
      refusalBy(() => back(51n, 100n)),
      'INVALID_INPUT amount',
    );
  });
});

describe('closing', () => {
  test('recovers everything if won, nothing if lost, withdrawn or denied, half by default if partially won', () => {
    const recovered = DISPOSITIONS.map((disposition) => {
      const step = closeDispute(lent, disposition, undefined, rich);
      assert.deepEqual(step, {
        dispute: { ...lent, status: 'CLOSED', disposition, recovered: step.dispute.recovered },
        toAccount: step.dispute.recovered - 50n,
        toReserve: 50n,
        shortfall: 0n,
      });
      return [disposition, step.dispute.recovered];
    });
    assert.deepEqual(Object.fromEntries(recovered), { WON: 80n, PARTIALLY_WON: 40n, LOST: 0n, WITHDRAWN: 0n, DENIED: 0n });
  });

  test('takes back what was lent beyond what is recovered, as far as the account can pay', () => {
    const { toAccount, toReserve, shortfall } = closeDispute(lent, 'PARTIALLY_WON', 10n, { available: 39n });
    assert.deepEqual([toAccount, toReserve, shortfall], [-39n, 50n, 1n]);
  });

  test('an amount is named only if partially won, strictly between 0 and the disputed amount', () => {
    const named = (disposition: Disposition, amount: bigint, of: Dispute = lent) =>
      refusalBy(() => closeDispute(of, disposition, amount, rich));
    const refused = 'INVALID_INPUT recoveredAmount';
    assert.deepEqual(
      [0n, 1n, 79n, 80n].map((amount) => named('PARTIALLY_WON', amount)),
      [refused, 'allowed', 'allowed', refused],
    );
    for (const disposition of ['WON', 'LOST', 'WITHDRAWN', 'DENIED'] as const) assert.equal(named(disposition, 10n), refused);
    assert.equal(
      refusalBy(() => closeDispute({ ...dispute, amount: 1n }, 'PARTIALLY_WON', undefined, rich)),
      refused,
      'one cent has no part',
    );
  });
});
