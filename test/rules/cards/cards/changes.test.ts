// What may be changed on a card: requested and automatic moves, funding source, activation and limits.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CARD_STATUSES,
  type Card,
  type CardPatch,
  type CardStatus,
  type FundingAccount,
  REQUESTABLE_STATUSES,
} from '../../../../src/domains/cards/cards/card.js';
import { CARD_MOVES, type ChangeFacts, changeCard, dependsOnKey } from '../../../../src/domains/cards/cards/rules.js';
import { ApiError } from '../../../../src/kernel/errors.js';
import { cardOf, changed, NOW, programOf, usd } from '../../../support/card.js';
import { refusalBy } from '../../../support/refusal.js';

const wallet: FundingAccount = { ...usd, id: 'InternalAccount:3', type: 'EMBEDDED_WALLET', currency: 'USDB' };
const naming = (account: FundingAccount) => ({
  patch: { fundingSource: account.id } as CardPatch,
  newFunding: { account, fundingSourceId: 'CardFundingSource:2' } as const,
});

const change = (facts: Partial<ChangeFacts>) => {
  const card = facts.card ?? cardOf();
  return changeCard({
    card,
    program: programOf(card.program),
    patch: {},
    newFunding: undefined,
    hasUsableKey: false,
    now: NOW,
    ...facts,
  });
};
const ask = (status: CardPatch['status']) => ({ status, substatus: 'OTHER', reason: 'asked' }) as CardPatch;

describe('the state machine', () => {
  test('of all moves, requested and automatic', () => {
    const shown = Object.fromEntries(
      Object.entries(CARD_MOVES).map(([from, moves]) => [from, moves.map(({ to, by }) => `${to} by ${by}`).sort()]),
    );
    assert.deepEqual(shown, {
      PENDING_KYC: ['CLOSED by CUSTOMER_DELETED'],
      PROCESSING: ['ACTIVE by PROVISIONED', 'CLOSED by CUSTOMER_DELETED', 'CLOSED by REJECTED', 'PENDING by PROVISIONED'],
      PENDING: [
        'ACTIVE by DELEGATION_COMPLETED',
        'ACTIVE by FUNDING_CHANGED',
        'ACTIVE by REQUESTED',
        'CLOSED by CUSTOMER_DELETED',
        'CLOSED by REQUESTED',
        'FROZEN by REQUESTED',
      ],
      ACTIVE: [
        'CLOSED by CUSTOMER_DELETED',
        'CLOSED by REQUESTED',
        'FROZEN by REQUESTED',
        'PENDING by DELEGATION_REVOKED',
        'PENDING by FUNDING_CHANGED',
      ],
      FROZEN: ['ACTIVE by REQUESTED', 'CLOSED by CUSTOMER_DELETED', 'CLOSED by REQUESTED'],
      CLOSED: [],
    });
  });

  test('every status and requested status', () => {
    const table = Object.fromEntries(
      CARD_STATUSES.map((status) => [
        status,
        REQUESTABLE_STATUSES.map((to) =>
          refusalBy(() => assert.equal(change({ card: cardOf({ status }), patch: ask(to) }).card.status, to)),
        ),
      ]),
    );
    const [yes, no] = ['allowed', 'INVALID_STATE_TRANSITION'];
    assert.deepEqual(table, {
      //            ACTIVE FROZEN CLOSED
      PENDING_KYC: [no, no, no],
      PROCESSING: [no, no, no],
      PENDING: [yes, yes, yes],
      ACTIVE: [no, yes, yes],
      FROZEN: [yes, no, yes],
      CLOSED: ['CARD_NOT_MUTABLE', 'CARD_NOT_MUTABLE', 'CARD_ALREADY_CLOSED'],
    });
  });

  test('a refused move names both statuses', () => {
    assert.throws(
      () => change({ patch: ask('ACTIVE') }),
      (error) => error instanceof ApiError && assert.deepEqual(error.details, { from: 'ACTIVE', to: 'ACTIVE' }) === undefined,
    );
  });

  test('the state is judged before the fields: a closed card is not mutable whatever is patched', () => {
    const card = cardOf({ status: 'CLOSED' });
    assert.equal(
      refusalBy(() => change({ card, patch: { maxSpendPerDay: 1n } })),
      'CARD_NOT_MUTABLE',
    );
    assert.equal(
      refusalBy(() => change({ card, patch: { fundingSource: 'InternalAccount:9' } })),
      'CARD_NOT_MUTABLE',
    );
    assert.equal(
      refusalBy(() => change({ card: cardOf({ program: 'service_basic' }), patch: { ...ask('ACTIVE'), maxSpendPerDay: 1n } })),
      'INVALID_STATE_TRANSITION',
    );
  });
});

describe('a requested change', () => {
  test('of the status is announced, and counts a version', () => {
    const card = cardOf();
    const { card: frozen, announce } = change({ card, patch: ask('FROZEN') });
    assert.deepEqual([frozen, announce], [changed(card, { status: 'FROZEN' }), true]);
    const pending = cardOf({ status: 'PENDING', statusReason: 'DELEGATION_REQUIRED', fundingCurrency: 'USDB' });
    const active = change({ card: pending, patch: ask('ACTIVE'), hasUsableKey: true }).card;
    assert.deepEqual(active, changed(pending, { status: 'ACTIVE', statusReason: null }), 'no reason outside PENDING and CLOSED');
  });

  test('to CLOSED detaches the funding source and says who closed it', () => {
    const card = cardOf();
    assert.deepEqual(
      change({ card, patch: ask('CLOSED') }).card,
      changed(card, { status: 'CLOSED', statusReason: 'CLOSED_BY_PLATFORM', fundingSourceId: null }),
    );
  });

  test('of limits is not announced: null clears, and an absent limit is left', () => {
    const card = cardOf();
    for (const limits of [
      { maxSpendPerTransaction: 1n },
      { maxSpendPerDay: 2n },
      { maxTransactionsPerDay: 3 },
      { maxSpendPerTransaction: null, maxSpendPerDay: null, maxTransactionsPerDay: null },
    ]) {
      const after = change({ card, patch: limits });
      assert.deepEqual([after.card, after.announce], [changed(card, limits), false]);
    }
  });

  test('never moves updatedAt back', () => {
    const card = cardOf({ updatedAt: new Date(NOW.getTime() + 1) });
    assert.deepEqual(change({ card, patch: { maxSpendPerDay: 1n } }).card.updatedAt, card.updatedAt);
  });
});

describe('another funding source', () => {
  const source = (account: FundingAccount): Partial<Card> => ({
    fundingAccountId: account.id,
    fundingCurrency: account.currency,
    fundingSourceId: 'CardFundingSource:2',
  });

  test('makes an active or pending card what the new source allows, without an announcement; other cards keep their status', () => {
    const table = CARD_STATUSES.filter((status) => status !== 'CLOSED').map((status) => {
      const after = (account: FundingAccount, hasUsableKey: boolean): CardStatus => {
        const { card, announce } = change({ card: cardOf({ status }), ...naming(account), hasUsableKey });
        assert.equal(announce, false);
        const { fundingAccountId, fundingCurrency, fundingSourceId } = card;
        assert.deepEqual({ fundingAccountId, fundingCurrency, fundingSourceId }, source(account));
        assert.equal(card.statusReason, card.status === 'PENDING' && status !== 'FROZEN' ? 'DELEGATION_REQUIRED' : null);
        return card.status;
      };
      return [status, after(usd, false), after(wallet, false), after(wallet, true)];
    });
    assert.deepEqual(table, [
      // a USD account, a wallet without a key, a wallet with one
      ['PENDING_KYC', 'PENDING_KYC', 'PENDING_KYC', 'PENDING_KYC'],
      ['PROCESSING', 'PROCESSING', 'PROCESSING', 'PROCESSING'],
      ['PENDING', 'ACTIVE', 'PENDING', 'ACTIVE'],
      ['ACTIVE', 'ACTIVE', 'PENDING', 'ACTIVE'],
      ['FROZEN', 'FROZEN', 'FROZEN', 'FROZEN'],
    ]);
  });

  test('must be an open account of the cardholder, of the type and in a currency that the program takes', () => {
    const refused = (account: FundingAccount, program = 'service_full') =>
      refusalBy(() => change({ card: cardOf({ program }), program: programOf(program), ...naming(account), hasUsableKey: true }));
    const wrong = 'INVALID_INPUT fundingSource';
    assert.deepEqual(
      [
        refused({ ...usd, customerId: 'Customer:2' }),
        refused({ ...usd, customerId: null }),
        refused(wallet, 'service_basic'),
        refused({ ...usd, currency: 'EUR' }),
        refused({ ...usd, type: 'RULE_BASED' }),
        refused({ ...wallet, type: 'INTERNAL_CRYPTO' }),
        refused({ ...usd, status: 'CLOSED' }),
        refused({ ...usd, status: 'FROZEN' }),
        refused({ ...usd, status: 'FAILED' }),
      ],
      Array(9).fill(wrong),
    );
    assert.deepEqual([refused(usd), refused({ ...usd, status: 'PENDING' }), refused(wallet)], Array(3).fill('allowed'));
    assert.equal(
      refusalBy(() => change({ patch: { fundingSource: 'InternalAccount:9' } })),
      wrong,
      'an account nobody has',
    );
  });

  test('with a status is refused where the issuer decides authorizations', () => {
    const both = (program: string) => {
      const { patch, newFunding } = naming(usd);
      return refusalBy(() => change({ card: cardOf({ program }), patch: { ...patch, ...ask('FROZEN') }, newFunding }));
    };
    assert.deepEqual([both('issuer_decided'), both('service_full')], ['INVALID_INPUT fundingSource', 'allowed']);
    assert.equal(
      refusalBy(() => change({ card: cardOf({ program: 'issuer_decided' }), ...naming(usd) })),
      'allowed',
    );
  });
});

describe('activation of a card that is funded from a wallet', () => {
  const pending = cardOf({ status: 'PENDING', fundingCurrency: 'USDB' });
  const activate = (facts: Partial<ChangeFacts>) =>
    refusalBy(() => change({ card: pending, ...facts, patch: { ...facts.patch, ...ask('ACTIVE') } }));
  const refused = 'INVALID_STATE_TRANSITION DELEGATION_REQUIRED';

  test('needs a delegated key; freezing and closing do not', () => {
    assert.equal(activate({}), refused);
    assert.equal(activate({ card: { ...pending, status: 'FROZEN' } }), refused);
    assert.equal(activate({ hasUsableKey: true }), 'allowed');
    assert.equal(activate({ card: { ...pending, fundingCurrency: 'USD' } }), 'allowed');
    for (const to of ['FROZEN', 'CLOSED'] as const)
      assert.equal(
        refusalBy(() => change({ card: pending, patch: ask(to) })),
        'allowed',
      );
    assert.throws(
      () => change({ card: pending, patch: ask('ACTIVE') }),
      (error) =>
        error instanceof ApiError &&
        assert.deepEqual(error.details, { from: 'PENDING', to: 'ACTIVE', cause: 'DELEGATION_REQUIRED' }) === undefined,
    );
  });

  test('is judged with the source the card will have', () => {
    assert.equal(activate(naming(usd)), 'allowed');
    assert.equal(activate({ ...naming(wallet), card: { ...pending, fundingCurrency: 'USD' } }), refused);
    assert.equal(activate({ ...naming(wallet), hasUsableKey: true }), 'allowed');
  });

  test('reports a source that cannot fund the card instead of its missing key', () => {
    assert.equal(activate(naming({ ...wallet, customerId: 'Customer:2' })), 'INVALID_INPUT fundingSource');
    assert.equal(activate({ patch: { fundingSource: 'InternalAccount:9' } }), 'INVALID_INPUT fundingSource');
  });

  test('only activation and another source make a key matter', () => {
    const patches: CardPatch[] = [ask('ACTIVE'), { fundingSource: usd.id }, ask('FROZEN'), ask('CLOSED'), { maxSpendPerDay: 1n }];
    assert.deepEqual(patches.map(dependsOnKey), [true, true, false, false, false]);
  });
});

test('a field is accepted only if the program has its capability; clearing counts as supplying', () => {
  const patches = {
    maxSpendPerTransaction: { maxSpendPerTransaction: 1n },
    maxSpendPerDay: { maxSpendPerDay: null },
    maxTransactionsPerDay: { maxTransactionsPerDay: null },
    threeDSecurePassword: { threeDSecurePassword: 'correct horse 1' },
  };
  const refused = (program: string) =>
    Object.entries(patches).flatMap(([field, patch]) => {
      const answer = refusalBy(() => change({ card: cardOf({ program }), patch }));
      assert.ok(['allowed', `INVALID_INPUT ${field}`].includes(answer), answer);
      return answer === 'allowed' ? [] : [field];
    });
  assert.deepEqual(refused('service_full'), ['threeDSecurePassword']);
  assert.deepEqual(refused('service_3ds'), []);
  assert.deepEqual(refused('issuer_decided'), ['maxTransactionsPerDay', 'threeDSecurePassword']);
  assert.deepEqual(refused('service_no_spend_limits'), ['maxSpendPerTransaction', 'maxSpendPerDay', 'threeDSecurePassword']);
  assert.deepEqual(refused('service_basic'), Object.keys(patches));
});
