// Issuing a card, and what happens to it without a request: the issuer’s answer, deletion of the cardholder, delegation.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CARD_STATUSES, type Card, type CardIssueRequest, type CardStatus } from '../../../../src/domains/cards/cards/card.js';
import {
  closeByService,
  closingDueAt,
  closingOf,
  completeDelegation,
  type IssueFacts,
  issueCard,
  provisionCard,
  rejectCard,
  revokeDelegation,
} from '../../../../src/domains/cards/cards/rules.js';
import { ApiError } from '../../../../src/kernel/errors.js';
import { cardOf, changed, details, NOW, programOf, usd } from '../../../support/card.js';
import { refusalBy } from '../../../support/refusal.js';

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
    const seen = mended.map((_, i) => refused(Object.assign({}, worst, ...mended.slice(0, i + 1))));
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
    const fields = (id: string, more: Partial<CardIssueRequest>) => refused({ program: programOf(id), request: { ...request, ...more } });
    assert.equal(fields('issuer_decided', {}), 'allowed');
    assert.equal(fields('issuer_decided', { maxSpendPerTransaction: 1n }), 'INVALID_INPUT maxSpendPerTransaction');
    assert.equal(fields('issuer_decided', spend), 'INVALID_INPUT maxSpendPerTransaction maxSpendPerDay');
    assert.equal(fields('issuer_decided', { maxTransactionsPerDay: 1 }), 'INVALID_INPUT maxTransactionsPerDay');
    assert.equal(fields('service_no_spend_limits', spend), 'INVALID_INPUT maxSpendPerTransaction maxSpendPerDay');
    assert.equal(fields('service_full', { threeDSecurePassword: 'correct horse 1' }), 'INVALID_INPUT threeDSecurePassword');
    assert.equal(fields('service_3ds', {}), 'INVALID_INPUT threeDSecurePassword');
    assert.equal(fields('service_3ds', { threeDSecurePassword: 'correct horse 1' }), 'allowed');
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
      const closed = closeByService(card, NOW);
      const gone = { status: 'CLOSED', statusReason: 'CLOSED_BY_GRID', fundingSourceId: null } as const;
      assert.deepEqual(closed, changed(card, { ...gone, provisioningDueAt: new Date(NOW.getTime() + 30_000) }));
      assert.deepEqual(closingOf(closed), {
        card: closed,
        status: { to: 'CLOSED', substatus: 'OTHER', reason: 'The cardholder was deleted.' },
      });
    }
  });

  test('an issuer that stays silent is told again after 30 s, then ever more rarely, and every hour at last', () => {
    const again = (sinceMs: number) => {
      const now = new Date(NOW.getTime() + sinceMs);
      return closingDueAt(NOW, now).getTime() - now.getTime();
    };
    assert.deepEqual([0, 300_000, 600_000, 36_000_000, 360_000_000].map(again), [30_000, 30_000, 60_000, 3_600_000, 3_600_000]);
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
