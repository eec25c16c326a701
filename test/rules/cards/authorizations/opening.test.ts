// How a card transaction is opened: by a request, by a network message that comes first, and by a return.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type CardTransaction,
  type NetworkHistory,
  OPENING_KINDS,
  type OpeningKind,
} from '../../../../src/domains/cards/authorizations/card-transaction.js';
import {
  type AfterMessagesFacts,
  advise,
  authorizeAfterMessages,
  countsAsSpend,
  decideAfterMessages,
  decideRequest,
  declineAfterMessages,
  isRepeat,
  OPENINGS,
  type OpeningTerms,
  openedByMessage,
  openTransaction,
  type RequestFacts,
  returnOf,
  tokenOfAnotherCard,
  tokenOfAnotherRequest,
  undoneAfterMessages,
} from '../../../../src/domains/cards/authorizations/rules.js';
import { transactionOf } from '../../../support/card-transaction.js';
import { refusalBy } from '../../../support/refusal.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const EXPIRY = new Date('2026-03-08T12:00:00.000Z');
const NO_LIMITS = { maxSpendPerTransaction: null, maxSpendPerDay: null, maxTransactionsPerDay: null };
const { id, cardId, accountId, customerId, platformCustomerId, issuerToken, merchant, currency } = transactionOf();
const identity = { id, cardId, accountId, customerId, platformCustomerId, issuerToken, merchant, currency };

/** Status, then authorized, settled, refunded, held, pulled, shortfall. */
const gist = ({ status, authorized, settled, refunded, held, pulled, shortfall }: CardTransaction) =>
  [status, authorized, settled, refunded, held, pulled, shortfall].join(' ');

const open = (terms: Partial<OpeningTerms> = {}) =>
  openTransaction(identity, {
    kind: 'AUTHORIZATION',
    amount: 100n,
    declined: undefined,
    fromWallet: false,
    pull: 'PROMPT',
    expiresAt: EXPIRY,
    now: NOW,
    ...terms,
  });

test('kinds of requests: debit or credit, settles at once, approved elsewhere', () => {
  assert.deepEqual(OPENINGS, {
    AUTHORIZATION: { direction: 'DEBIT', financial: false, advice: false },
    FINANCIAL_AUTHORIZATION: { direction: 'DEBIT', financial: true, advice: false },
    CREDIT_AUTHORIZATION: { direction: 'CREDIT', financial: false, advice: false },
    FINANCIAL_CREDIT_AUTHORIZATION: { direction: 'CREDIT', financial: true, advice: false },
    CREDIT_AUTHORIZATION_ADVICE: { direction: 'CREDIT', financial: false, advice: true },
  });
});

test('a purchase counts towards the daily limits; a credit and an account verification do not', () => {
  assert.deepEqual([countsAsSpend('DEBIT', 1n), countsAsSpend('DEBIT', 0n), countsAsSpend('CREDIT', 1n)], [true, false, false]);
});

const facts: RequestFacts = {
  card: { status: 'ACTIVE', currency: 'USD', network: null, expiry: null, ...NO_LIMITS },
  limits: NO_LIMITS,
  today: { spent: 0n, count: 0 },
  source: { status: 'ACTIVE', available: 0n, usable: true },
  now: NOW,
};

test('a purchase needs money, a credit does not, and an advice is approved whatever the card is', () => {
  const decided = (change: Partial<RequestFacts>) =>
    Object.fromEntries(
      OPENING_KINDS.map((kind) => [kind, decideRequest({ kind, amount: 100n, currency: 'USD' }, { ...facts, ...change }) ?? 'approved']),
    );
  assert.deepEqual(decided({}), {
    AUTHORIZATION: 'INSUFFICIENT_FUNDS',
    FINANCIAL_AUTHORIZATION: 'INSUFFICIENT_FUNDS',
    CREDIT_AUTHORIZATION: 'approved',
    FINANCIAL_CREDIT_AUTHORIZATION: 'approved',
    CREDIT_AUTHORIZATION_ADVICE: 'approved',
  });
  assert.deepEqual(decided({ card: { ...facts.card, status: 'CLOSED' } }), {
    AUTHORIZATION: 'CARD_NOT_ACTIVE',
    FINANCIAL_AUTHORIZATION: 'CARD_NOT_ACTIVE',
    CREDIT_AUTHORIZATION: 'CARD_NOT_ACTIVE',
    FINANCIAL_CREDIT_AUTHORIZATION: 'CARD_NOT_ACTIVE',
    CREDIT_AUTHORIZATION_ADVICE: 'approved',
  });
});

describe('the transaction of a request', () => {
  test('pulls 30 seconds later if the pull is delayed; only a purchase that is approved pulls', () => {
    const pulls = (terms: Partial<OpeningTerms>) => {
      const { pull, pullDueAt } = open({ pull: 'DELAYED', ...terms });
      return [pull, pullDueAt];
    };
    assert.deepEqual(pulls({}), ['DELAYED', new Date('2026-03-01T12:00:30.000Z')]);
    assert.deepEqual(pulls({ kind: 'CREDIT_AUTHORIZATION' }), ['PROMPT', null]);
    assert.deepEqual(pulls({ declined: 'BLOCKED' }), ['PROMPT', null]);
    assert.deepEqual([open().pull, open().pullDueAt], ['PROMPT', null]);
  });

  test('settles at once if the request is financial, but not before a delayed pull and not if it is declined', () => {
    const financial = { kind: 'FINANCIAL_AUTHORIZATION' } as const;
    assert.equal(gist(open(financial)), 'SETTLED 100 100 0 0 100 0');
    assert.equal(gist(open({ ...financial, pull: 'DELAYED' })), 'AUTHORIZED 100 0 0 100 0 0');
    assert.equal(gist(open({ ...financial, declined: 'OTHER' })), 'DECLINED 100 0 0 0 0 0');
    assert.equal(gist(open({ ...financial, pull: 'FAILING', declined: 'OTHER' })), 'DECLINED 100 0 0 0 0 0');
  });

  test('is repeated by the same request alone; a settled cent tells a financial one', () => {
    const cent = { ...open({ kind: 'FINANCIAL_AUTHORIZATION', amount: 1n }), hasNetworkMessages: false };
    const kinds: OpeningKind[] = ['FINANCIAL_AUTHORIZATION', 'AUTHORIZATION'];
    assert.deepEqual(
      kinds.map((kind) => isRepeat(cent, { kind, amount: 1n })),
      [true, false],
    );
  });

  test('has a token of its own', () => {
    for (const refused of [tokenOfAnotherCard, tokenOfAnotherRequest])
      assert.equal(
        refusalBy(() => {
          throw refused();
        }),
        'CONFLICT',
      );
  });
});

const NO_HISTORY: NetworkHistory = { advices: 0, advised: 0n, ended: false, reversed: 0n };
const cleared = transactionOf({ status: 'SETTLED', authorized: 0n, settled: 60n, pulled: 60n });
const unpaid = transactionOf({ status: 'EXCEPTION', authorized: 0n, settled: 60n, shortfall: 60n });
const advised = transactionOf({ authorized: 60n, held: 60n, expiresAt: EXPIRY });
const advisedHistory = { ...NO_HISTORY, advices: 1, advised: 60n };

test('a message before any request opens a transaction without amounts: an advice an open one, a clearing none to expire', () => {
  const bare = transactionOf({ authorized: 0n });
  assert.deepEqual(openedByMessage(identity, 'AUTHORIZATION_ADVICE', EXPIRY, NOW), { ...bare, status: 'AUTHORIZED', expiresAt: EXPIRY });
  assert.deepEqual(openedByMessage(identity, 'CLEARING', EXPIRY, NOW), { ...bare, status: 'VOIDED', expiresAt: null });
});

describe('a request after network messages', () => {
  const decide = (change: Partial<AfterMessagesFacts>, amount = 100n, kind: OpeningKind = 'AUTHORIZATION') =>
    decideAfterMessages(
      { kind, amount, currency: 'USD' },
      {
        ...facts,
        before: cleared,
        history: NO_HISTORY,
        disputed: false,
        withdrawable: { available: 1_000n },
        fromWallet: false,
        expiresAt: EXPIRY,
        source: { ...facts.source, available: 1_000n },
        ...change,
      },
    );

  test('needs money only for what it adds to what was cleared or is held', () => {
    const reason = (before: CardTransaction, history: NetworkHistory, available: bigint) =>
      decide({ before, history, source: { ...facts.source, available } }).transaction.declinedReason;
    for (const [before, history] of [
      [cleared, NO_HISTORY],
      [advised, advisedHistory],
    ] as const)
      assert.deepEqual([reason(before, history, 40n), reason(before, history, 39n)], [null, 'INSUFFICIENT_FUNDS']);
  });

  test('is held against the daily limits without what was advised, which is in them already', () => {
    const reason = (history: NetworkHistory, spent: bigint, count: number, amount = 100n) => {
      const limits = { ...NO_LIMITS, maxSpendPerDay: 100n, maxTransactionsPerDay: 1 };
      const before = history.advices > 0 ? advised : cleared;
      return decide({ before, history, limits, today: { spent, count } }, amount).transaction.declinedReason;
    };
    assert.deepEqual([reason(advisedHistory, 60n, 1), reason(advisedHistory, 60n, 1, 101n)], [null, 'SPEND_LIMIT_EXCEEDED']);
    assert.equal(reason(advisedHistory, 60n, 2), 'SPEND_LIMIT_EXCEEDED', 'a second transaction of the day');
    assert.deepEqual([reason(NO_HISTORY, 0n, 0), reason(NO_HISTORY, 0n, 1)], [null, 'SPEND_LIMIT_EXCEEDED']);
  });

  test('is spend of the day, less what was advised; a credit, a verification and a decline are none', () => {
    assert.deepEqual(decide({}).spend, { spent: 100n, count: 1 });
    assert.deepEqual(decide({ before: advised, history: advisedHistory }).spend, { spent: 40n, count: 0 });
    assert.equal(decide({}, 0n).spend, undefined);
    assert.equal(decide({}, 100n, 'CREDIT_AUTHORIZATION').spend, undefined);
    assert.equal(decide({ card: { ...facts.card, status: 'FROZEN' } }).spend, undefined);
  });

  test('needs no money for what was pulled from a wallet when it was advised', () => {
    const pulled = transactionOf({ authorized: 60n, pulled: 60n, expiresAt: EXPIRY });
    const reason = (amount: bigint) =>
      decide({ before: pulled, history: advisedHistory, source: { ...facts.source, available: 0n } }, amount).transaction.declinedReason;
    assert.deepEqual([reason(60n), reason(61n)], [null, 'INSUFFICIENT_FUNDS']);
  });

  test('leaves an advised transaction as the network advised it', () => {
    assert.equal(decide({ before: advised, history: advisedHistory }).transaction, advised);
  });

  test('settles an advised transaction if it is financial: "the result is the same as if it had arrived first"', () => {
    const settle = (before: CardTransaction, amount: bigint) =>
      gist(decide({ before, history: advisedHistory }, amount, 'FINANCIAL_AUTHORIZATION').transaction);
    assert.equal(settle(advised, 60n), 'SETTLED 60 60 0 0 60 0');
    assert.equal(settle(advised, 100n), 'SETTLED 100 100 0 0 100 0');
    assert.equal(settle(advised, 50n), 'SETTLED 50 50 0 0 50 0');
  });

  test('cannot be a credit once the network advised a purchase, returned part of it or a dispute claims some of it', () => {
    const credit = (change: Partial<AfterMessagesFacts>) => refusalBy(() => decide(change, 100n, 'CREDIT_AUTHORIZATION'));
    assert.deepEqual(
      [
        credit({}),
        credit({ before: advised, history: advisedHistory }),
        credit({ before: { ...cleared, refunded: 1n } }),
        credit({ disputed: true }),
      ],
      ['allowed', 'CONFLICT', 'CONFLICT', 'CONFLICT'],
    );
    assert.equal(
      refusalBy(() => decide({ disputed: true })),
      'allowed',
      'a purchase can be disputed',
    );
    assert.equal(
      refusalBy(() => decide({ before: { ...cleared, refunded: 1n } })),
      'allowed',
      'a purchase can',
    );
  });
});

describe('approved after network messages', () => {
  const approve = (before: CardTransaction, available: bigint, change: Partial<OpeningTerms> = {}, history: Partial<NetworkHistory> = {}) =>
    gist(
      authorizeAfterMessages(
        before,
        { kind: 'AUTHORIZATION', amount: 100n, fromWallet: false, expiresAt: EXPIRY, withdrawable: { available }, ...change },
        { ...NO_HISTORY, ...history },
      ),
    );

  test('only the rest is reserved, as far as the account can pay', () => {
    assert.equal(approve(cleared, 40n), 'PARTIALLY_SETTLED 100 60 0 40 60 0');
    assert.equal(approve(cleared, 39n), 'PARTIALLY_SETTLED 100 60 0 39 60 0');
    assert.equal(approve(cleared, 40n, { fromWallet: true }), 'PARTIALLY_SETTLED 100 60 0 0 100 0');
  });

  test('an unpaid purchase stays an EXCEPTION and records what is authorized; a financial request is settled beside it', () => {
    assert.equal(approve(unpaid, 1_000n), 'EXCEPTION 100 60 0 0 0 60');
    assert.equal(approve(unpaid, 70n, { kind: 'FINANCIAL_AUTHORIZATION' }), 'EXCEPTION 100 160 0 0 70 90');
  });

  test('messages of a credit: what they took is given back, and what they cleared is paid out', () => {
    const credit = { kind: 'CREDIT_AUTHORIZATION' } as const;
    assert.equal(approve(cleared, 0n, credit), 'PARTIALLY_SETTLED 100 60 0 0 -60 0');
    assert.equal(approve(unpaid, 0n, credit), 'PARTIALLY_SETTLED 100 60 0 0 -60 0');
    assert.equal(approve(advised, 0n, credit), 'AUTHORIZED 100 0 0 0 0 0');
  });

  test('a financial request settles beside what was cleared, from what is left after its own reservation', () => {
    const financial = { kind: 'FINANCIAL_AUTHORIZATION' } as const;
    assert.equal(approve(cleared, 100n, financial), 'SETTLED 100 160 0 0 160 0');
    assert.equal(approve(cleared, 99n, financial), 'EXCEPTION 100 160 0 0 159 1');
    assert.equal(approve(advised, 40n, financial), 'SETTLED 100 100 0 0 100 0');
  });

  test('what was reversed or has ended since is released again', () => {
    assert.equal(approve(cleared, 40n, {}, { reversed: 1n }), 'PARTIALLY_SETTLED 99 60 0 39 60 0');
    assert.equal(approve(cleared, 40n, {}, { ended: true, reversed: 1n }), 'SETTLED 100 60 0 0 60 0');
    const voided = transactionOf({ status: 'VOIDED', authorized: 0n });
    assert.equal(approve(voided, 0n, { amount: 0n }), 'AUTHORIZED 0 0 0 0 0 0', 'a verification is not reversed by nothing');
  });
});

test('declined after network messages: DECLINED only if nothing was cleared or advised; else the reason alone is kept', () => {
  const decline = (before: CardTransaction, advices = 0) => {
    const after = declineAfterMessages(before, 100n, 'BLOCKED', { advices });
    assert.equal(after.declinedReason, 'BLOCKED');
    return gist(after);
  };
  const voided = transactionOf({ status: 'VOIDED', authorized: 0n });
  assert.equal(decline(voided), 'DECLINED 100 0 0 0 0 0');
  assert.equal(decline(voided, 1), gist(voided));
  for (const before of [cleared, unpaid, advised]) assert.equal(decline(before), gist(before));
});

test('an approval after network messages that is reversed leaves the messages alone, with the reason; an opened credit and a settled advice are kept', () => {
  const undone = (before: CardTransaction, kind: OpeningKind, advices = 0) => {
    const terms = { kind, amount: 100n, fromWallet: false, expiresAt: EXPIRY, withdrawable: { available: 100n } };
    const approved = advices > 0 && kind === 'AUTHORIZATION' ? before : authorizeAfterMessages(before, terms, NO_HISTORY);
    const after = undoneAfterMessages(before, approved, 100n, { advices });
    return after && [gist(after), after.declinedReason];
  };
  for (const before of [cleared, unpaid])
    for (const kind of ['AUTHORIZATION', 'FINANCIAL_AUTHORIZATION'] as const)
      assert.deepEqual(undone(before, kind), [gist(before), 'OTHER'], `${before.status} ${kind}`);
  assert.deepEqual(undone(advised, 'AUTHORIZATION', 1), [gist(advised), 'OTHER']);
  assert.deepEqual(undone(transactionOf({ status: 'VOIDED', authorized: 0n }), 'AUTHORIZATION'), ['DECLINED 100 0 0 0 0 0', 'OTHER']);
  assert.equal(undone(advised, 'FINANCIAL_AUTHORIZATION', 1), undefined);
  for (const before of [cleared, unpaid]) assert.equal(undone(before, 'CREDIT_AUTHORIZATION'), undefined, before.status);
});

describe('an advice', () => {
  const after = (before: CardTransaction, amount: bigint, { unrequested = false, advices = 1 } = {}) => {
    const terms = { amount, unrequested, fromWallet: false, expiresAt: EXPIRY, withdrawable: { available: 1_000n } };
    const { transaction, spend } = advise(before, terms, { ...NO_HISTORY, advices });
    return [gist(transaction), spend && `${spend.spent} in ${spend.count}`];
  };

  test('of a requested purchase adds its difference to the spend of the day', () => {
    assert.deepEqual(after(advised, 100n), ['AUTHORIZED 100 0 0 100 0 0', '40 in 0']);
    assert.deepEqual(after(advised, 20n), ['AUTHORIZED 20 0 0 20 0 0', '-40 in 0']);
  });

  test('that is the first approval adds all of it, as one transaction', () => {
    const opened = openedByMessage(identity, 'AUTHORIZATION_ADVICE', EXPIRY, NOW);
    assert.deepEqual(after(opened, 60n, { unrequested: true }), ['AUTHORIZED 60 0 0 60 0 0', '60 in 1']);
    const declined = transactionOf({ status: 'DECLINED', declinedReason: 'BLOCKED' });
    assert.deepEqual(after(declined, 100n), ['AUTHORIZED 100 0 0 100 0 0', '100 in 1']);
    assert.deepEqual(
      after(advised, 100n, { unrequested: true, advices: 2 }),
      ['AUTHORIZED 100 0 0 100 0 0', '40 in 0'],
      'the second is not',
    );
  });

  test('that gives an account verification an amount makes it count', () => {
    const verification = transactionOf({ authorized: 0n, expiresAt: EXPIRY });
    assert.deepEqual(after(verification, 1n)[1], '1 in 1');
    assert.deepEqual(after(verification, 0n)[1], '0 in 0');
    assert.deepEqual(after({ ...verification, authorized: 1n, held: 1n }, 5n)[1], '4 in 0');
  });

  test('of a credit is no spend', () => {
    assert.deepEqual(after(transactionOf({ direction: 'CREDIT' }), 150n), ['AUTHORIZED 150 0 0 0 0 0', undefined]);
  });
});

test('"A return is its own CREDIT row": settled, of its own amount, and about its purchase', () => {
  const purchase = transactionOf({
    status: 'EXCEPTION',
    declinedReason: 'BLOCKED',
    settled: 100n,
    refunded: 10n,
    held: 1n,
    pulled: 2n,
    shortfall: 3n,
    pull: 'FAILING',
    pullDueAt: NOW,
    expiresAt: EXPIRY,
  });
  const later = new Date(NOW.getTime() + 1);
  assert.deepEqual(
    returnOf(purchase, { id: 'Transaction:2', issuerToken: 'return' }, 30n, later),
    transactionOf({
      id: 'Transaction:2',
      issuerToken: 'return',
      direction: 'CREDIT',
      originalTransactionId: 'Transaction:1',
      status: 'SETTLED',
      authorized: 30n,
      settled: 30n,
      createdAt: later,
      updatedAt: later,
    }),
  );
});
