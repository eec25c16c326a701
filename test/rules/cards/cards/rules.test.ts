// What may happen to a card: requested and automatic moves, funding, issuance, delegation, PIN and issuer pages.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CARD_STATUSES,
  type Card,
  type CardIssueRequest,
  type CardPatch,
  type CardStatus,
  type FundingAccount,
  PIN_STATUSES,
  REQUESTABLE_STATUSES,
} from '../../../../src/domains/cards/cards/card.js';
import { findProgram } from '../../../../src/domains/cards/cards/programs.js';
import {
  blockPin,
  CARD_MOVES,
  type ChangeFacts,
  canVisit,
  changeCard,
  closeByService,
  completeDelegation,
  dependsOnKey,
  type IssueFacts,
  issueCard,
  noted,
  type PinChanged,
  pinPageOrigin,
  provisionCard,
  refusePinManagement,
  refuseReveal,
  refuseTokenization,
  rejectCard,
  revokeDelegation,
  setPin,
  unblockPin,
} from '../../../../src/domains/cards/cards/rules.js';
import { ApiError } from '../../../../src/kernel/errors.js';
import { refusalBy } from '../../../support/refusal.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const BEFORE = new Date('2026-03-01T11:00:00.000Z');
const details = { brand: 'VISA', last4: '4242', expMonth: 3, expYear: 2030, processorRef: 'p', issuerRef: 'i' } as const;

const cardOf = (change: Partial<Card> = {}): Card => ({
  id: 'Card:1',
  customerId: 'Customer:1',
  platformCardId: 'p',
  status: 'ACTIVE',
  statusReason: null,
  program: 'service_full',
  form: 'VIRTUAL',
  currency: 'USD',
  fundingAccountId: 'InternalAccount:1',
  fundingCurrency: 'USD',
  fundingSourceId: 'CardFundingSource:1',
  pinStatus: 'NOT_SET',
  details,
  maxSpendPerTransaction: 500n,
  maxSpendPerDay: 900n,
  maxTransactionsPerDay: 9,
  version: 7,
  provisioningDueAt: null,
  createdAt: BEFORE,
  updatedAt: BEFORE,
  ...change,
});
const changed = (card: Card, change: Partial<Card>): Card => ({ ...card, ...change, version: card.version + 1, updatedAt: NOW });

const programOf = (id: string) => {
  const program = findProgram(id);
  assert.ok(program, id);
  return program;
};
const usd: FundingAccount = {
  id: 'InternalAccount:2',
  customerId: 'Customer:1',
  type: 'INTERNAL_FIAT',
  status: 'ACTIVE',
  currency: 'USD',
};
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

describe('issuing a card', () => {
  const request: CardIssueRequest = { customerId: 'Customer:1', form: 'VIRTUAL', fundingSource: usd.id };
  const facts: IssueFacts = {
    request,
    cardholder: { id: 'Customer:1', verificationStatus: 'APPROVED', deletedAt: null },
    account: usd,
    program: programOf('service_full'),
    live: { ofPlatform: 0, ofCardholder: 0 },
    limits: { maxLiveCards: null, maxCardsPerCardholder: null },
    ids: { card: 'Card:1', fundingSource: 'CardFundingSource:1', platformCard: 'mine' },
    now: NOW,
  };
  const refused = (some: Partial<IssueFacts>) => refusalBy(() => issueCard({ ...facts, ...some }));

  test('starts in PROCESSING; the order is repeated after 30 seconds', () => {
    const issued: Card = {
      id: 'Card:1',
      customerId: 'Customer:1',
      platformCardId: 'mine',
      status: 'PROCESSING',
      statusReason: null,
      program: 'service_full',
      form: 'VIRTUAL',
      currency: 'USD',
      fundingAccountId: usd.id,
      fundingCurrency: 'USD',
      fundingSourceId: 'CardFundingSource:1',
      maxSpendPerTransaction: null,
      maxSpendPerDay: null,
      maxTransactionsPerDay: null,
      pinStatus: 'NOT_SET',
      details: null,
      version: 1,
      provisioningDueAt: new Date('2026-03-01T12:00:30.000Z'),
      createdAt: NOW,
      updatedAt: NOW,
    };
    assert.deepEqual(issueCard(facts), issued);
    const limits = { maxSpendPerTransaction: 1n, maxSpendPerDay: 2n, maxTransactionsPerDay: 3 };
    assert.deepEqual(issueCard({ ...facts, request: { ...request, ...limits } }), { ...issued, ...limits });
    assert.equal(issueCard({ ...facts, program: programOf('service_basic') }).pinStatus, null);
  });

  test('refusals in order: program, customer, limits of platform and cardholder, verification, fields', () => {
    const deleted = { id: 'Customer:1', verificationStatus: 'PENDING', deletedAt: NOW } as const;
    const worst = {
      program: undefined,
      cardholder: deleted,
      live: { ofPlatform: 3, ofCardholder: 3 },
      limits: { maxLiveCards: 3, maxCardsPerCardholder: 3 },
      account: undefined,
      request: { ...request, threeDSecurePassword: 'correct horse 1' },
    };
    const mended: Partial<IssueFacts>[] = [
      {},
      { program: facts.program },
      { cardholder: { ...deleted, deletedAt: null } },
      { limits: { maxLiveCards: null, maxCardsPerCardholder: 3 } },
      { limits: { maxLiveCards: null, maxCardsPerCardholder: null } },
      { cardholder: facts.cardholder },
      { account: usd },
      { request },
    ];
    let known: Partial<IssueFacts> = worst;
    const seen = mended.map((step) => refused((known = { ...known, ...step })));
    assert.deepEqual(seen, [
      'NOT_IMPLEMENTED NO_CARD_PROGRAM',
      'INVALID_INPUT customerId',
      'CARD_LIMIT_REACHED',
      'CARD_LIMIT_REACHED',
      'CARDHOLDER_KYC_NOT_APPROVED',
      'INVALID_INPUT threeDSecurePassword fundingSource',
      'INVALID_INPUT threeDSecurePassword',
      'allowed',
    ]);
    assert.equal(refused({ cardholder: undefined }), 'INVALID_INPUT customerId');
    assert.equal(refused({ account: undefined }), 'INVALID_INPUT fundingSource');
    assert.equal(refused({ account: { ...usd, status: 'CLOSED' } }), 'INVALID_INPUT fundingSource');
  });

  test('only an APPROVED cardholder', () => {
    for (const verificationStatus of ['UNVERIFIED', 'PENDING', 'REJECTED'])
      assert.equal(refused({ cardholder: { id: 'Customer:1', verificationStatus, deletedAt: null } }), 'CARDHOLDER_KYC_NOT_APPROVED');
  });

  test('the limits of live cards count the cards that exist, and say which limit is reached', () => {
    const limit = (ofPlatform: number, ofCardholder: number) => {
      try {
        issueCard({ ...facts, live: { ofPlatform, ofCardholder }, limits: { maxLiveCards: 5, maxCardsPerCardholder: 2 } });
        return undefined;
      } catch (error) {
        return error instanceof ApiError && error.details?.['limit'];
      }
    };
    assert.deepEqual(
      [limit(4, 1), limit(5, 1), limit(6, 0), limit(4, 2), limit(4, 3)],
      [undefined, 'PLATFORM', 'PLATFORM', 'CARDHOLDER', 'CARDHOLDER'],
    );
  });

  test('fields by the capabilities of the program: limits at issuance, count limit, 3-D Secure password', () => {
    const spend = { maxSpendPerTransaction: 1n, maxSpendPerDay: 2n };
    const with_ = (id: string, more: Partial<CardIssueRequest>) => refused({ program: programOf(id), request: { ...request, ...more } });
    assert.equal(with_('issuer_decided', {}), 'allowed');
    assert.equal(with_('issuer_decided', { maxSpendPerTransaction: 1n }), 'INVALID_INPUT maxSpendPerTransaction');
    assert.equal(with_('issuer_decided', spend), 'INVALID_INPUT maxSpendPerTransaction maxSpendPerDay');
    assert.equal(with_('issuer_decided', { maxTransactionsPerDay: 1 }), 'INVALID_INPUT maxTransactionsPerDay');
    assert.equal(with_('service_no_spend_limits', spend), 'INVALID_INPUT maxSpendPerTransaction maxSpendPerDay');
    assert.equal(with_('service_full', { threeDSecurePassword: 'correct horse 1' }), 'INVALID_INPUT threeDSecurePassword');
    assert.equal(with_('service_3ds', {}), 'INVALID_INPUT threeDSecurePassword');
    assert.equal(with_('service_3ds', { threeDSecurePassword: 'correct horse 1' }), 'allowed');
  });
});

describe('without a request', () => {
  test('the issuer makes the card: ACTIVE, or PENDING while a wallet has no key', () => {
    const card = cardOf({ status: 'PROCESSING', details: null, provisioningDueAt: NOW });
    const made = (status: CardStatus, statusReason: Card['statusReason']) => ({ status, statusReason, details, provisioningDueAt: null });
    assert.deepEqual(provisionCard(card, details, false, NOW), changed(card, made('ACTIVE', null)));
    const walletCard = { ...card, fundingCurrency: 'USDB' };
    assert.deepEqual(provisionCard(walletCard, details, true, NOW), changed(walletCard, made('ACTIVE', null)));
    assert.deepEqual(provisionCard(walletCard, details, false, NOW), changed(walletCard, made('PENDING', 'DELEGATION_REQUIRED')));
  });

  test('the issuer rejects the card: closed, and its source detached', () => {
    const card = cardOf({ status: 'PROCESSING', details: null, provisioningDueAt: NOW });
    const rejected = { status: 'CLOSED', statusReason: 'ISSUER_REJECTED', fundingSourceId: null, provisioningDueAt: null } as const;
    assert.deepEqual(rejectCard(card, NOW), changed(card, rejected));
  });

  test('the issuer’s answer counts once: a card that is not PROCESSING keeps its outcome', () => {
    for (const status of CARD_STATUSES.filter((each) => each !== 'PROCESSING')) {
      assert.equal(provisionCard(cardOf({ status }), details, true, NOW), undefined, status);
      assert.equal(rejectCard(cardOf({ status }), NOW), undefined, status);
    }
  });

  test('the deletion of the cardholder closes a card in any status, and the issuer is told', () => {
    for (const status of CARD_STATUSES) {
      const card = cardOf({ status, provisioningDueAt: NOW });
      const { card: closed, instruction } = closeByService(card, NOW);
      const gone = { status: 'CLOSED', statusReason: 'CLOSED_BY_GRID', fundingSourceId: null, provisioningDueAt: null } as const;
      assert.deepEqual(closed, changed(card, gone));
      assert.deepEqual(instruction, { card, status: { to: 'CLOSED', substatus: 'OTHER', reason: 'The cardholder was deleted.' } });
    }
  });

  test('a delegation completes a PENDING card and its revocation stops an ACTIVE one; only cards with that source', () => {
    const source = 'CardFundingSource:1';
    const table = CARD_STATUSES.map((status) => {
      const card = cardOf({ status, fundingCurrency: 'USDB' });
      const gist = (after: Card | undefined) => after && `${after.status} ${after.statusReason}`;
      assert.equal(completeDelegation(card, 'CardFundingSource:9', NOW), undefined);
      assert.equal(revokeDelegation(card, 'CardFundingSource:9', NOW), undefined);
      return [status, gist(completeDelegation(card, source, NOW)), gist(revokeDelegation(card, source, NOW))];
    });
    assert.deepEqual(table, [
      ['PENDING_KYC', undefined, undefined],
      ['PROCESSING', undefined, undefined],
      ['PENDING', 'ACTIVE null', undefined],
      ['ACTIVE', undefined, 'PENDING DELEGATION_REQUIRED'],
      ['FROZEN', undefined, undefined],
      ['CLOSED', undefined, undefined],
    ]);
  });
});

describe('card details and digital wallets', () => {
  const full = programOf('service_full');
  const basic = programOf('service_basic');

  test('details are shown of a provisioned card that is not closed, if the program has it', () => {
    const shown = (card: Partial<Card>, program = full) => refusalBy(() => refuseReveal(cardOf(card), program));
    assert.equal(shown({ status: 'CLOSED', details: null }, basic), 'CONFLICT CARD_CLOSED');
    assert.equal(shown({ details: null }, basic), 'CONFLICT REVEAL_NOT_SUPPORTED');
    assert.equal(shown({ details: null }), 'CONFLICT CARD_NOT_PROVISIONED');
    for (const status of ['PENDING', 'ACTIVE', 'FROZEN'] as const) assert.equal(shown({ status }), 'allowed', status);
  });

  test('only an ACTIVE card is added to a digital wallet, if the program has it', () => {
    const added = (status: CardStatus, program = full) => refusalBy(() => refuseTokenization(cardOf({ status }), program));
    assert.deepEqual(
      CARD_STATUSES.map((status) => [status, added(status), added(status, basic)]),
      [
        ...['PENDING_KYC', 'PROCESSING', 'PENDING'].map((each) => [
          each,
          'CONFLICT CARD_NOT_ACTIVE',
          'CONFLICT TOKENIZATION_NOT_SUPPORTED',
        ]),
        ['ACTIVE', 'allowed', 'CONFLICT TOKENIZATION_NOT_SUPPORTED'],
        ['FROZEN', 'CONFLICT CARD_NOT_ACTIVE', 'CONFLICT TOKENIZATION_NOT_SUPPORTED'],
        ['CLOSED', 'CARD_NOT_MUTABLE', 'CARD_NOT_MUTABLE'],
      ],
    );
  });

  test('an issuer page is open until its pass expires or the card is closed', () => {
    const later = new Date(NOW.getTime() + 1);
    assert.deepEqual(
      [
        canVisit(cardOf(), later, NOW),
        canVisit(cardOf(), NOW, NOW),
        canVisit(cardOf({ status: 'FROZEN' }), later, NOW),
        canVisit(cardOf({ status: 'CLOSED' }), later, NOW),
        canVisit(cardOf({ details: null }), later, NOW),
      ],
      [true, false, true, false, false],
    );
  });

  test('a noted use of a card is a new version and nothing else', () => {
    assert.deepEqual(noted(cardOf()), { ...cardOf(), version: 8 });
  });
});

describe('the PIN', () => {
  test('is managed on a card that is not closed, whose program has PINs, once it is provisioned', () => {
    const managed = (card: Partial<Card>) => refusalBy(() => refusePinManagement(cardOf(card)));
    assert.equal(managed({ status: 'CLOSED', pinStatus: null, details: null }), 'CARD_NOT_MUTABLE');
    assert.equal(managed({ pinStatus: null, details: null }), 'CONFLICT PIN_NOT_SUPPORTED');
    assert.equal(managed({ details: null }), 'CONFLICT CARD_NOT_PROVISIONED');
    for (const status of ['PENDING', 'ACTIVE', 'FROZEN'] as const) assert.equal(managed({ status }), 'allowed', status);
  });

  test('its page needs the origin that the platform has set, after the card itself was judged', () => {
    assert.equal(pinPageOrigin(cardOf(), 'https://app.example'), 'https://app.example');
    for (const unset of [null, undefined, ''])
      assert.equal(
        refusalBy(() => pinPageOrigin(cardOf(), unset)),
        'CONFLICT PIN_TARGET_ORIGIN_NOT_SET',
      );
    assert.equal(
      refusalBy(() => pinPageOrigin(cardOf({ status: 'CLOSED' }), null)),
      'CARD_NOT_MUTABLE',
    );
  });

  test('every status and event; a changed status alone is announced', () => {
    const events: readonly ((card: Card, now: Date) => PinChanged)[] = [setPin, unblockPin, blockPin];
    const table = PIN_STATUSES.map((pinStatus) => [
      pinStatus,
      ...events.map((event) => {
        const card = cardOf({ pinStatus });
        let outcome = '';
        const refused = refusalBy(() => {
          const after = event(card, NOW);
          assert.deepEqual(after.card, changed(card, { pinStatus: after.card.pinStatus }));
          outcome = `${after.card.pinStatus}${after.announce ? ' announced' : ''}`;
        });
        return refused === 'allowed' ? outcome : refused;
      }),
    ]);
    assert.deepEqual(table, [
      //          set             unblocked          blocked
      ['NOT_SET', 'OK announced', 'CONFLICT PIN_NOT_SET', 'CONFLICT PIN_NOT_SET'],
      ['OK', 'OK', 'OK', 'BLOCKED announced'],
      ['BLOCKED', 'OK announced', 'OK announced', 'BLOCKED'],
    ]);
    for (const event of events)
      assert.equal(
        refusalBy(() => event(cardOf({ pinStatus: null }), NOW)),
        'CONFLICT PIN_NOT_SUPPORTED',
      );
  });
});
