// The effect of each network message on a transaction. No order of messages loses or creates money.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { CardTransaction, OpeningKind, Pull } from '../../../../src/domains/cards/authorizations/card-transaction.js';
import {
  cancelled,
  clear,
  pullHeld,
  refund,
  release,
  resize,
  reverse,
  takeBackRefund,
} from '../../../../src/domains/cards/authorizations/lifecycle.js';
import { movesBetween, NO_MONEY } from '../../../../src/domains/cards/authorizations/moves.js';
import { isRepeat, openTransaction, simulatedOutcome } from '../../../../src/domains/cards/authorizations/rules.js';
import { closeDispute, creditProvisionally, openDispute, reverseProvisionalCredit } from '../../../../src/domains/cards/disputes/rules.js';
import type { FollowUpKind } from '../../../../src/domains/cards/network-messages/network-message.js';
import { leftToClear, refuseMessage, refuseSimulation } from '../../../../src/domains/cards/network-messages/rules.js';
import { newId, newUuid } from '../../../../src/kernel/ids.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const LATER = new Date('2026-03-08T12:00:00.000Z');
const identity = {
  id: newId('Transaction'),
  cardId: newId('Card'),
  accountId: newId('InternalAccount'),
  customerId: newId('Customer'),
  platformCustomerId: 'ada',
  issuerToken: 'token',
  merchant: { descriptor: 'CORNER SHOP' },
  currency: 'USD',
};

type Terms = { readonly kind?: OpeningKind; readonly fromWallet?: boolean; readonly pull?: Pull };
const open = (amount: bigint, { kind = 'AUTHORIZATION', fromWallet = false, pull = 'PROMPT' }: Terms = {}): CardTransaction =>
  openTransaction(identity, { kind, amount, declined: undefined, fromWallet, pull, expiresAt: LATER, now: NOW });

const rich = { available: 1_000_000n };
const poor = { available: 0n };

const gist = ({ status, authorized, settled, refunded, held, pulled, shortfall }: CardTransaction) => [
  status,
  ...[authorized, settled, refunded, held, pulled, shortfall].map(Number),
];
const expect = (transaction: CardTransaction, ...gisted: [string, number, number, number, number, number, number]) =>
  assert.deepEqual(gist(transaction), gisted);

describe('effect on status, authorized, settled, refunded, held, pulled and shortfall', () => {
  test('an authorization holds the amount on a USD account', () => expect(open(100n), 'AUTHORIZED', 100, 0, 0, 100, 0, 0));
  test('an authorization pulls from a wallet', () => expect(open(100n, { fromWallet: true }), 'AUTHORIZED', 100, 0, 0, 0, 100, 0));
  test('a declined authorization moves no money and has no expiry', () => {
    const declined = openTransaction(identity, {
      kind: 'AUTHORIZATION',
      amount: 100n,
      declined: 'BLOCKED',
      fromWallet: true,
      pull: 'PROMPT',
      expiresAt: LATER,
      now: NOW,
    });
    expect(declined, 'DECLINED', 100, 0, 0, 0, 0, 0);
    assert.deepEqual([declined.declinedReason, declined.expiresAt], ['BLOCKED', null]);
  });
  test('an open authorization has an expiry', () => assert.equal(open(1n).expiresAt, LATER));

  test('clearings of the exact amount, below it, in two parts, and above it', () => {
    expect(clear(open(100n), 100n, poor), 'SETTLED', 100, 100, 0, 0, 100, 0);
    const part = clear(open(100n), 60n, poor);
    expect(part, 'PARTIALLY_SETTLED', 100, 60, 0, 40, 60, 0);
    expect(clear(part, 40n, poor), 'SETTLED', 100, 100, 0, 0, 100, 0);
    expect(clear(part, 39n, poor), 'PARTIALLY_SETTLED', 100, 99, 0, 1, 99, 0);
    expect(clear(open(100n), 120n, { available: 20n }), 'SETTLED', 100, 120, 0, 0, 120, 0);
  });
  test('a clearing above the balance is EXCEPTION: the account pays what it has, and the rest is the shortfall', () => {
    expect(clear(open(100n), 121n, { available: 20n }), 'EXCEPTION', 100, 121, 0, 0, 120, 1);
  });
  test('a settled amount above the maximum is refused', () => {
    const most = BigInt(Number.MAX_SAFE_INTEGER);
    assert.equal(clear(clear(open(1n), 1n, poor), most - 1n, poor).settled, most);
    assert.throws(() => clear(clear(open(1n), 1n, poor), most, poor), { code: 'AMOUNT_OUT_OF_RANGE' });
  });
  test('a clearing uses the amount pulled from the wallet; the rest stays pulled until it is released', () => {
    const part = clear(open(100n, { fromWallet: true }), 60n, poor);
    expect(part, 'PARTIALLY_SETTLED', 100, 60, 0, 0, 100, 0);
    expect(release(part), 'SETTLED', 100, 60, 0, 0, 60, 0);
  });
  test('after a failed pull the whole clearing is a shortfall, also if the account could pay', () => {
    const failed = open(100n, { fromWallet: true, pull: 'FAILING' });
    expect(failed, 'EXCEPTION', 100, 0, 0, 0, 0, 0);
    expect(clear(failed, 100n, rich), 'EXCEPTION', 100, 100, 0, 0, 0, 100);
  });
  test('a delayed pull holds the amount until it is executed', () => {
    const delayed = open(100n, { fromWallet: true, pull: 'DELAYED' });
    expect(delayed, 'AUTHORIZED', 100, 0, 0, 100, 0, 0);
    expect(pullHeld(delayed), 'AUTHORIZED', 100, 0, 0, 0, 100, 0);
    expect(pullHeld(release(delayed)), 'VOIDED', 0, 0, 0, 0, 0, 0);
  });

  test('after a delayed pull, at most the amount that is still authorized is cleared', () => {
    const delayed = open(100n, { pull: 'DELAYED', kind: 'FINANCIAL_AUTHORIZATION' });
    const left = [delayed, reverse(delayed, 30n), resize(delayed, 150n, rich, false), release(delayed)].map((tx) => leftToClear(tx, 100n));
    assert.deepEqual(left, [100n, 70n, 100n, undefined]);
  });

  test('"Full reversal or expiry": VOIDED, nothing authorized', () => {
    for (const fromWallet of [true, false]) {
      expect(release(open(100n, { fromWallet })), 'VOIDED', 0, 0, 0, 0, 0, 0);
      expect(reverse(open(100n, { fromWallet }), undefined), 'VOIDED', 0, 0, 0, 0, 0, 0);
      expect(reverse(open(100n, { fromWallet }), 100n), 'VOIDED', 0, 0, 0, 0, 0, 0);
    }
  });
  test('"partial reversal stays AUTHORIZED"', () => {
    expect(reverse(open(100n), 99n), 'AUTHORIZED', 1, 0, 0, 1, 0, 0);
    expect(reverse(open(100n, { fromWallet: true }), 30n), 'AUTHORIZED', 70, 0, 0, 0, 70, 0);
  });
  test('an advice of more reserves up to the balance; an advice of less releases the difference', () => {
    expect(resize(open(100n), 150n, { available: 50n }, false), 'AUTHORIZED', 150, 0, 0, 150, 0, 0);
    expect(resize(open(100n), 150n, { available: 20n }, false), 'AUTHORIZED', 150, 0, 0, 120, 0, 0);
    expect(resize(open(100n), 40n, poor, false), 'AUTHORIZED', 40, 0, 0, 40, 0, 0);
    expect(resize(open(100n, { fromWallet: true }), 150n, rich, true), 'AUTHORIZED', 150, 0, 0, 0, 150, 0);
    expect(resize(clear(open(100n), 60n, poor), 60n, poor, false), 'SETTLED', 60, 60, 0, 0, 60, 0);
  });
  test('a financial authorization authorizes and settles in one message', () => {
    expect(open(100n, { kind: 'FINANCIAL_AUTHORIZATION' }), 'SETTLED', 100, 100, 0, 0, 100, 0);
    expect(open(100n, { kind: 'FINANCIAL_CREDIT_AUTHORIZATION' }), 'SETTLED', 100, 100, 0, 0, -100, 0);
  });
  test('a credit reserves nothing and is paid out when it clears', () => {
    expect(open(100n, { kind: 'CREDIT_AUTHORIZATION' }), 'AUTHORIZED', 100, 0, 0, 0, 0, 0);
    expect(clear(open(100n, { kind: 'CREDIT_AUTHORIZATION' }), 100n, poor), 'SETTLED', 100, 100, 0, 0, -100, 0);
  });
  test('late presentment: a clearing of a voided authorization settles', () => {
    expect(clear(release(open(100n)), 80n, rich), 'SETTLED', 0, 80, 0, 0, 80, 0);
    expect(clear(release(open(100n)), 80n, poor), 'EXCEPTION', 0, 80, 0, 0, 0, 80);
  });
  test('the reversal of a late decision restores all amounts, also of a financial authorization', () => {
    for (const kind of ['AUTHORIZATION', 'FINANCIAL_AUTHORIZATION', 'FINANCIAL_CREDIT_AUTHORIZATION'] as const)
      for (const fromWallet of [true, false]) {
        const late = cancelled(open(100n, { kind, fromWallet }));
        expect(late, 'DECLINED', 100, 0, 0, 0, 0, 0);
        assert.deepEqual([late.declinedReason, late.expiresAt], ['OTHER', null]);
      }
  });

  test('a return reduces the shortfall of the purchase first', () => {
    expect(refund(clear(open(100n), 100n, poor), 30n), 'SETTLED', 100, 100, 30, 0, 70, 0);
    expect(refund(clear(open(100n), 130n, poor), 40n), 'EXCEPTION', 100, 130, 40, 0, 90, 0);
  });
  test('a return reversal is paid by the account as far as it can; the rest is a shortfall, and the return is EXCEPTION', () => {
    const bought = clear(open(100n), 100n, poor);
    const purchase = refund(bought, 30n);
    const returned = { ...bought, direction: 'CREDIT' as const, settled: 30n, authorized: 30n, originalTransactionId: bought.id };
    const back = takeBackRefund(purchase, returned, { available: 30n });
    assert.deepEqual([gist(back.purchase), back.returned.status], [gist(bought), 'VOIDED']);
    const owed = takeBackRefund(purchase, returned, { available: 29n });
    assert.deepEqual([gist(owed.purchase), owed.returned.status], [['SETTLED', 100, 100, 0, 0, 99, 1], 'EXCEPTION']);
  });
});

describe('a terminal transaction', () => {
  const over: Record<string, CardTransaction> = {
    SETTLED: clear(open(100n), 100n, poor),
    VOIDED: release(open(100n)),
    DECLINED: cancelled(open(100n)),
    EXCEPTION: clear(open(100n), 200n, poor),
  };
  for (const [status, transaction] of Object.entries(over))
    test(`${status} is unchanged by a reversal, expiry, advice or pull`, () => {
      assert.equal(transaction.status, status);
      assert.deepEqual(
        [release(transaction), reverse(transaction, 1n), resize(transaction, 500n, rich, false), pullHeld(transaction)],
        Array(4).fill(transaction),
      );
    });
});

test('the last three characters of the descriptor select the simulated outcome', () => {
  assert.deepEqual(['SHOP 002', '003', 'x005', '006', 'SHOP 0020', '02', ''].map(simulatedOutcome), [
    { forced: 'INSUFFICIENT_FUNDS' },
    { forced: 'CARD_NOT_ACTIVE' },
    { pull: 'DELAYED' },
    { pull: 'FAILING' },
    {},
    {},
    {},
  ]);
});

test('a request is a repeat if it differs from the recorded transaction in no attribute that is still known', () => {
  const opened = { ...open(100n), hasNetworkMessages: false };
  const repeats = (known: typeof opened, kind: OpeningKind, amount = 100n) => isRepeat(known, { kind, amount });
  assert.deepEqual(
    (['AUTHORIZATION', 'FINANCIAL_AUTHORIZATION', 'CREDIT_AUTHORIZATION'] as const).map((kind) => repeats(opened, kind)),
    [true, false, false],
  );
  assert.equal(repeats({ ...open(100n, { kind: 'FINANCIAL_AUTHORIZATION' }), hasNetworkMessages: false }, 'FINANCIAL_AUTHORIZATION'), true);
  assert.equal(repeats(opened, 'AUTHORIZATION', 101n), false);
  assert.equal(repeats({ ...opened, hasNetworkMessages: true }, 'AUTHORIZATION', 101n), true);
  assert.equal(repeats({ ...opened, hasNetworkMessages: true }, 'CREDIT_AUTHORIZATION'), false);
  assert.equal(repeats({ ...release(opened), hasNetworkMessages: false }, 'AUTHORIZATION'), true);
  const declined = { ...cancelled(opened), hasNetworkMessages: false };
  assert.deepEqual([repeats(declined, 'FINANCIAL_AUTHORIZATION'), repeats(declined, 'AUTHORIZATION', 101n)], [true, false]);
  assert.equal(repeats({ ...declined, hasNetworkMessages: true }, 'CREDIT_AUTHORIZATION'), true);
  assert.equal(repeats({ ...opened, originalTransactionId: opened.id }, 'AUTHORIZATION'), false);
});

describe('messages that the simulator refuses', () => {
  const refused = (kind: FollowUpKind, transaction: CardTransaction, amount?: bigint, cardClosed = false): boolean => {
    try {
      refuseSimulation(kind, { transaction, amount, cardClosed, waiting: 0n, disputed: 0n });
      return false;
    } catch {
      return true;
    }
  };
  const part = clear(open(100n), 60n, poor);
  const settled = clear(open(100n), 100n, poor);
  const voided = release(open(100n));

  test('a clearing needs AUTHORIZED or PARTIALLY_SETTLED, except a late presentment on a closed card', () => {
    assert.deepEqual(
      [open(1n), part, settled, voided].map((of) => refused('CLEARING', of, 10n)),
      [false, false, true, true],
    );
    assert.equal(refused('CLEARING', voided, 10n, true), false);
    assert.equal(refused('CLEARING', voided, 0n, true), true);
    assert.equal(refused('CLEARING', cancelled(open(100n)), 10n, true), true);
  });
  test('a credit in flight when its card is closed can be cleared; a return cannot', () => {
    const credit = release(open(100n, { kind: 'CREDIT_AUTHORIZATION' }));
    assert.deepEqual(
      [true, false].map((closed) => refused('CLEARING', credit, 10n, closed)),
      [false, true],
    );
    assert.equal(refused('CLEARING', { ...settled, direction: 'CREDIT', originalTransactionId: settled.id }, 10n, true), true);
  });
  test('a reversal needs an authorization without settled amounts, and at most its amount', () => {
    assert.deepEqual(
      [open(1n), part, settled, voided].map((of) => refused('AUTHORIZATION_REVERSAL', of)),
      [false, true, true, true],
    );
    assert.deepEqual(
      [100n, 101n].map((amount) => refused('AUTHORIZATION_REVERSAL', open(100n), amount)),
      [false, true],
    );
  });
  test('a return is at most the settled amount less earlier returns', () => {
    assert.deepEqual(
      [100n, 101n].map((amount) => refused('RETURN', settled, amount)),
      [false, true],
    );
    assert.deepEqual(
      [70n, 71n].map((amount) => refused('RETURN', refund(settled, 30n), amount)),
      [false, true],
    );
    assert.equal(refused('RETURN', open(100n), 1n), true);
  });
  test('messages of a real network are accepted in any state, up to the largest amount', () => {
    for (const transaction of [open(100n), part, settled, voided, cancelled(open(100n))])
      for (const kind of ['CLEARING', 'AUTHORIZATION_REVERSAL', 'AUTHORIZATION_EXPIRY'] as const)
        refuseMessage(kind, { transaction, amount: 5n, cardClosed: false, waiting: 0n, disputed: 0n });
    assert.throws(() =>
      refuseMessage('CLEARING', { transaction: settled, amount: 9007199254740991n, cardClosed: false, waiting: 0n, disputed: 0n }),
    );
  });
});

describe('disputes', () => {
  const purchase = refund(clear(open(100n), 100n, poor), 20n);
  const dispute = openDispute(purchase, { id: newId('CardDispute'), token: newUuid(), reason: null }, 0n);

  test('the disputed amount is by default and at most the settled amount less returns', () => {
    assert.equal(dispute.amount, 80n);
    assert.equal(openDispute(purchase, dispute, 0n, 80n).amount, 80n);
    assert.throws(() => openDispute(purchase, dispute, 0n, 81n));
    assert.throws(() => openDispute(open(100n), dispute, 0n));
  });
  test('amounts that earlier disputes recovered are subtracted', () => {
    assert.equal(openDispute(purchase, dispute, 30n).amount, 50n);
    assert.throws(() => openDispute(purchase, dispute, 30n, 51n));
    assert.throws(() => openDispute(purchase, dispute, 80n));
  });
  test('provisional credits add up to at most the disputed amount', () => {
    const half = creditProvisionally(dispute, 40n).dispute;
    assert.equal(creditProvisionally(half, 40n).dispute.credited, 80n);
    assert.throws(() => creditProvisionally(half, 41n));
  });
  test('the reversal of a provisional credit takes what the account has; the holder owes the rest', () => {
    const lent = creditProvisionally(dispute, 50n).dispute;
    const { dispute: after, ...money } = reverseProvisionalCredit(lent, 40n, { available: 30n });
    assert.deepEqual([after.credited, money], [10n, { toAccount: -30n, toReserve: 40n, shortfall: 10n }]);
    assert.throws(() => reverseProvisionalCredit(lent, 51n, rich));
  });
  test('closing a dispute leaves the recovered amount with the cardholder and repays the reserve in full', () => {
    const lent = creditProvisionally(dispute, 50n).dispute;
    const end = (disposition: 'WON' | 'PARTIALLY_WON' | 'LOST', amount?: bigint, reach = rich) => {
      const { toAccount, toReserve, shortfall } = closeDispute(lent, disposition, amount, reach);
      return [toAccount, toReserve, shortfall].map(Number);
    };
    assert.deepEqual(end('WON'), [30, 50, 0]);
    assert.deepEqual(end('PARTIALLY_WON'), [-10, 50, 0], 'half of 80 by default');
    assert.deepEqual(end('PARTIALLY_WON', 79n), [29, 50, 0]);
    assert.deepEqual(end('LOST'), [-50, 50, 0]);
    assert.deepEqual(end('LOST', undefined, poor), [0, 50, 50], 'the holder owes what the account cannot repay');
    assert.deepEqual(end('LOST', undefined, { available: 20n }), [-20, 50, 30], 'the account pays what it has');
    for (const [disposition, amount] of [
      ['PARTIALLY_WON', 80n],
      ['PARTIALLY_WON', 0n],
      ['WON', 10n],
    ] as const)
      assert.throws(() => end(disposition as 'WON', amount));
  });
});

type Step = { readonly kind: string; readonly amount: bigint; readonly available: bigint };
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('CLEAR', 'REVERSE', 'RELEASE', 'RESIZE', 'REFUND', 'PULL'),
    amount: fc.bigInt(1n, 60n),
    available: fc.bigInt(0n, 60n),
  }),
  { maxLength: 12 },
);

function take(before: CardTransaction, { kind, amount, available }: Step, fromWallet: boolean): CardTransaction {
  if (kind === 'CLEAR') return clear(before, amount, { available });
  if (kind === 'REVERSE') return reverse(before, amount);
  if (kind === 'RELEASE') return release(before);
  if (kind === 'RESIZE') return resize(before, amount, { available }, fromWallet);
  if (kind === 'PULL') return pullHeld(before);
  const most = before.settled - before.refunded;
  return most === 0n ? before : refund(before, amount < most ? amount : most);
}

test('in any history settled amounts are paid, terminal transactions hold nothing and keep only the settled amount, and the ledger moves agree', () => {
  fc.assert(
    fc.property(
      fc.bigInt(1n, 60n),
      fc.boolean(),
      fc.constantFrom<Pull>('PROMPT', 'DELAYED', 'FAILING'),
      steps,
      (amount, fromWallet, pull, history) => {
        const route = {
          account: 'account',
          settlement: 'settlement',
          reserve: 'reserve',
          receivable: 'receivable',
          currency: 'USD',
          cause: 'TEST',
          transactionId: 'transaction',
          newTransferId: newUuid,
        };
        const balance = { account: 0n, owed: 0n, held: 0n };
        const hold = () =>
          balance.held === 0n
            ? undefined
            : { id: 'hold', from: 'account', to: 'settlement', amount: balance.held, currency: 'USD', cause: 'TEST' };
        const carry = (before: Pick<CardTransaction, 'held' | 'pulled' | 'shortfall'>, after: CardTransaction) => {
          for (const move of movesBetween(before, after, route, hold())) {
            if (move.kind === 'HOLD') balance.held += move.transfer.amount;
            else if (move.kind === 'RESOLVE') {
              balance.held -= move.hold.amount;
              if (move.outcome === 'POSTED') balance.account -= move.hold.amount;
            } else if (move.kind === 'OWE') {
              assert.equal(move.debtor, 'account');
              balance.owed += move.transfer.amount;
            } else balance.account += move.transfer.to === 'account' ? move.transfer.amount : -move.transfer.amount;
          }
          const paid = after.pulled + after.shortfall;
          assert.deepEqual([balance.account - balance.owed, balance.held], [-paid, after.held], 'the account or its holder pays');
          const kept = after.settled - after.refunded;
          assert.ok(paid >= kept && after.held >= 0n && after.shortfall >= 0n && kept >= 0n);
          if (after.expiresAt === null) assert.deepEqual([after.held, paid], [0n, kept], after.status);
        };
        let transaction = open(amount, { fromWallet, pull });
        carry(NO_MONEY, transaction);
        for (const step of history) {
          const next = take(transaction, step, fromWallet);
          carry(transaction, next);
          transaction = next;
        }
        carry(transaction, release(transaction));
      },
    ),
    { numRuns: Number(process.env['HISTORIES'] ?? 500) },
  );
});
