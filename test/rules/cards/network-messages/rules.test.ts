// Which network messages are accepted, by the state of the transaction, and which of them wait for a delayed pull.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CardTransaction } from '../../../../src/domains/cards/authorizations/card-transaction.js';
import { FOLLOW_UP_KINDS, type FollowUpKind } from '../../../../src/domains/cards/network-messages/network-message.js';
import {
  dueAt,
  leftToClear,
  type MessageFacts,
  refuseMessage,
  refuseSimulation,
  scheduledBy,
} from '../../../../src/domains/cards/network-messages/rules.js';
import { MAX_AMOUNT } from '../../../../src/kernel/money.js';
import { transactionOf } from '../../../support/card-transaction.js';
import { refusalBy } from '../../../support/refusal.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);

const asReturn = { direction: 'CREDIT', originalTransactionId: 'Transaction:0', settled: 30n, authorized: 30n } as const;
const IN = {
  authorized: transactionOf(),
  partlySettled: transactionOf({ status: 'PARTIALLY_SETTLED', settled: 60n }),
  settled: transactionOf({ status: 'SETTLED', settled: 100n }),
  voided: transactionOf({ status: 'VOIDED', authorized: 0n }),
  declined: transactionOf({ status: 'DECLINED', declinedReason: 'OTHER' }),
  failedPull: transactionOf({ status: 'EXCEPTION' }),
  shortOfMoney: transactionOf({ status: 'EXCEPTION', settled: 100n, shortfall: 100n }),
  failedCredit: transactionOf({ status: 'EXCEPTION', direction: 'CREDIT' }),
  settledReturn: transactionOf({ ...asReturn, status: 'SETTLED' }),
  reversedReturn: transactionOf({ ...asReturn, status: 'VOIDED', settled: 0n, authorized: 0n }),
};
type State = keyof typeof IN;
const STATES = Object.keys(IN) as State[];

const factsOf = (transaction: CardTransaction, amount?: bigint, more: Partial<MessageFacts> = {}): MessageFacts => ({
  transaction,
  amount,
  cardClosed: false,
  waiting: 0n,
  disputed: 0n,
  ...more,
});
const simulated = (kind: FollowUpKind, ...args: Parameters<typeof factsOf>) => refusalBy(() => refuseSimulation(kind, factsOf(...args)));
const sent = (kind: FollowUpKind, ...args: Parameters<typeof factsOf>) => refusalBy(() => refuseMessage(kind, factsOf(...args)));

const ABOUT_AMOUNT = 'INVALID_INPUT amount';
const ABOUT_TRANSACTION = 'INVALID_INPUT cardTransactionId';
const acceptedIn = (answer: (transaction: CardTransaction) => string): State[] =>
  STATES.filter((state) => {
    const given = answer(IN[state]);
    assert.ok(['allowed', ABOUT_TRANSACTION].includes(given), `${state}: ${given}`);
    return given === 'allowed';
  });

describe('the simulator', () => {
  test('clears an open authorization, and a failed pull that awaits its clearing', () => {
    assert.deepEqual(
      acceptedIn((transaction) => simulated('CLEARING', transaction, 1n)),
      ['authorized', 'partlySettled', 'failedPull'],
    );
  });

  test('clears, once the card is closed, whatever was approved and is no return', () => {
    assert.deepEqual(
      acceptedIn((transaction) => simulated('CLEARING', transaction, 1n, { cardClosed: true })),
      ['authorized', 'partlySettled', 'settled', 'voided', 'failedPull', 'shortOfMoney', 'failedCredit'],
    );
  });

  test('clears 0, which ends an authorization, only of an open one', () => {
    for (const amount of [0n, undefined])
      for (const cardClosed of [true, false])
        assert.deepEqual(
          acceptedIn((transaction) => simulated('CLEARING', transaction, amount, { cardClosed })),
          ['authorized', 'partlySettled'],
        );
  });

  test('advises and expires an open authorization only', () => {
    for (const kind of ['AUTHORIZATION_ADVICE', 'AUTHORIZATION_EXPIRY'] as const)
      assert.deepEqual(
        acceptedIn((transaction) => simulated(kind, transaction, 10n)),
        ['authorized', 'partlySettled'],
      );
  });

  test('reverses an authorization of which nothing settled, at most by its amount', () => {
    assert.deepEqual(
      acceptedIn((transaction) => simulated('AUTHORIZATION_REVERSAL', transaction)),
      ['authorized'],
    );
    const by = (amount: bigint) => simulated('AUTHORIZATION_REVERSAL', IN.authorized, amount);
    assert.deepEqual([by(99n), by(100n), by(101n)], ['allowed', 'allowed', ABOUT_AMOUNT]);
    assert.equal(simulated('AUTHORIZATION_REVERSAL', transactionOf({ authorized: 0n })), 'allowed', 'an account verification');
  });

  test('returns what is settled and neither given back nor disputed', () => {
    assert.deepEqual(
      acceptedIn((transaction) => simulated('RETURN', transaction, 1n)),
      ['partlySettled', 'settled', 'shortOfMoney'],
    );
    const of = (amount: bigint, disputed = 0n) => simulated('RETURN', { ...IN.settled, refunded: 30n }, amount, { disputed });
    assert.deepEqual([of(70n), of(71n), of(20n, 50n), of(21n, 50n)], ['allowed', ABOUT_AMOUNT, 'allowed', ABOUT_AMOUNT]);
    assert.deepEqual([of(1n, 69n), of(2n, 69n), of(1n, 70n)], ['allowed', ABOUT_AMOUNT, ABOUT_TRANSACTION]);
    assert.equal(simulated('RETURN', IN.settled), 'allowed', 'all of it, where no amount is given');
  });

  test('reverses a settled return only', () => {
    assert.deepEqual(
      acceptedIn((transaction) => simulated('RETURN_REVERSAL', transaction)),
      ['settledReturn'],
    );
  });
});

describe('an amount that can be counted', () => {
  test('is at most the largest one, with what is settled and what clearings that wait will settle', () => {
    const { partlySettled } = IN;
    const left = MAX_AMOUNT - 60n - 40n;
    for (const judge of [simulated, sent])
      assert.deepEqual(
        [left - 1n, left, left + 1n].map((amount) => judge('CLEARING', partlySettled, amount, { waiting: 40n })),
        ['allowed', 'allowed', ABOUT_AMOUNT],
      );
    assert.equal(simulated('CLEARING', partlySettled, undefined, { waiting: MAX_AMOUNT - 60n }), 'allowed');
  });
});

describe('a real network', () => {
  test('must name an amount for a clearing, an advice and a return; only a clearing may be of 0', () => {
    const answers = (transaction: CardTransaction, kind: FollowUpKind) =>
      [undefined, 0n, 1n].map((amount) => sent(kind, transaction, amount));
    const any = ['allowed', 'allowed', 'allowed'];
    const table = FOLLOW_UP_KINDS.map((kind) => [kind, answers(kind === 'RETURN_REVERSAL' ? IN.settledReturn : IN.settled, kind)]);
    assert.deepEqual(Object.fromEntries(table), {
      AUTHORIZATION_ADVICE: [ABOUT_AMOUNT, ABOUT_AMOUNT, 'allowed'],
      CLEARING: [ABOUT_AMOUNT, 'allowed', 'allowed'],
      AUTHORIZATION_REVERSAL: any,
      AUTHORIZATION_EXPIRY: any,
      RETURN: [ABOUT_AMOUNT, ABOUT_AMOUNT, 'allowed'],
      RETURN_REVERSAL: any,
    });
  });

  test('is heard in any state, except about returns that cannot be', () => {
    const refusedIn = (kind: FollowUpKind) => STATES.filter((state) => sent(kind, IN[state], 1n) !== 'allowed');
    for (const kind of ['AUTHORIZATION_ADVICE', 'AUTHORIZATION_REVERSAL', 'AUTHORIZATION_EXPIRY'] as const)
      assert.deepEqual(refusedIn(kind), [], kind);
    assert.deepEqual(refusedIn('CLEARING'), ['settledReturn', 'reversedReturn']);
    assert.deepEqual(
      refusedIn('RETURN'),
      STATES.filter((state) => !['partlySettled', 'settled', 'shortOfMoney'].includes(state)),
    );
    assert.deepEqual(
      refusedIn('RETURN_REVERSAL'),
      STATES.filter((state) => state !== 'settledReturn'),
    );
  });

  test('is told about the token by which it named the transaction', () => {
    const wrong = 'INVALID_INPUT issuerTransactionToken';
    assert.equal(sent('CLEARING', IN.settledReturn, 1n), wrong);
    assert.equal(sent('RETURN', IN.authorized, 1n), wrong);
    assert.equal(sent('RETURN', IN.settled, 101n), ABOUT_AMOUNT);
    assert.equal(sent('RETURN_REVERSAL', IN.settled), wrong);
  });
});

describe('a delayed pull', () => {
  test('lets a clearing wait until it is due, and no other message', () => {
    const due = (kind: FollowUpKind, pullDueAt: Date | null) => dueAt(kind, transactionOf({ pullDueAt }), NOW);
    assert.deepEqual([due('CLEARING', at(1)), due('CLEARING', at(0)), due('CLEARING', at(-1))], [at(1), undefined, undefined]);
    assert.equal(due('CLEARING', null), undefined);
    for (const kind of FOLLOW_UP_KINDS.filter((each) => each !== 'CLEARING')) assert.equal(due(kind, at(1)), undefined, kind);
  });

  test('schedules the pull from a wallet, and the clearing of a request that also settles', () => {
    const scheduled = (fromWallet: boolean, financial: boolean) => scheduledBy({ transaction: IN.authorized, fromWallet, financial });
    const [pull, clearing] = [
      { kind: 'PULL', amount: 100n },
      { kind: 'CLEARING', amount: 100n },
    ];
    assert.deepEqual(
      [scheduled(true, true), scheduled(true, false), scheduled(false, true), scheduled(false, false)],
      [[pull, clearing], [pull], [clearing], []],
    );
  });

  test('clears at most what is still authorized and not settled', () => {
    assert.deepEqual(
      [10n, 40n, 41n].map((amount) => leftToClear(IN.partlySettled, amount)),
      [10n, 40n, 40n],
    );
    for (const state of STATES.filter((each) => !['authorized', 'partlySettled'].includes(each)))
      assert.equal(leftToClear(IN[state], 10n), undefined, state);
  });
});
