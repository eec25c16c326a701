// The interface of an issuer's processor: decisions by the deadline, and network messages in any order and repeated.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from '../../../../src/db/sql.js';
import {
  type Authorize,
  authorizeInTime,
  type LateDecision,
  reverseLateDecision,
} from '../../../../src/domains/cards/authorizations/actions.js';
import type { OpeningKind } from '../../../../src/domains/cards/authorizations/card-transaction.js';
import { findNetworkHistory } from '../../../../src/domains/cards/network-messages/actions.js';
import type { PlatformId } from '../../../../src/kernel/ids.js';
import {
  assertAtRest,
  byToken,
  fundedCard,
  gist,
  issuerOf,
  merchant,
  moneyOn,
  owedOn,
  platformOf,
} from '../../../support/card-transactions.js';
import { closing, freezing, givenCard } from '../../../support/cards.js';
import { type Answer, assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { eventsAbout } from '../../../support/database-state.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { issuerKeyOf } from '../../../support/issuer.js';
import { race } from '../../../support/race.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startOwnService({ RATE_LIMIT_PER_MINUTE: 'off' });
  platform = service.platform;
});
after(() => service.stop());

async function processor(fields: Record<string, unknown> = {}) {
  const own = await service.newPlatform();
  const { card, account } = await fundedCard(own, 1_000, { fields });
  const platformId = await platformOf(service.db, card);
  await issuerKeyOf(own);
  return {
    platform: own,
    platformId,
    card,
    account,
    ...issuerOf(own, card),
    money: () => moneyOn(service.db, account),
    row: async (token: string) => gist(await byToken(own, token)),
    atRest: () => assertAtRest(service.db, platformId),
  };
}

describe('decideCardAuthorization', () => {
  test('200 APPROVED: the transaction is recorded and its amount is held', async () => {
    const { platform: own, ask, money } = await processor();
    const { status, body } = await ask({ token: 'network-1', amount: 400 });
    assert.equal(status, 200);
    const { id } = await byToken(own, 'network-1');
    assert.deepEqual(body, { decision: 'APPROVED', issuerTransactionToken: 'network-1', transactionId: id });
    assert.deepEqual(await money(), { available: 600, total: 1_000 });
  });

  test('200 DECLINED with its reason: insufficient funds, limit, network, currency, card status', async () => {
    const { platform: own, card, ask, row } = await processor({ maxSpendPerTransaction: 900 });
    const reason = async (asked: Parameters<typeof ask>[0]) => (await expectStatus(200, ask(asked))).declinedReason;
    assert.equal(await reason({ amount: 901 }), 'SPEND_LIMIT_EXCEEDED');
    assert.equal(await reason({ amount: 1, network: 'DISCOVER' }), 'UNSUPPORTED_NETWORK');
    assert.equal(await reason({ amount: 1, network: card.brand }), undefined);
    assert.equal(await reason({ amount: 1, currency: 'EUR' }), 'OTHER');
    assert.equal(await reason({ amount: 900 }), undefined);
    assert.equal(await reason({ token: 'last', amount: 100 }), 'INSUFFICIENT_FUNDS');
    assert.deepEqual(await row('last'), { status: 'DECLINED', authorized: 100, declined: 'INSUFFICIENT_FUNDS' });
    await expectStatus(200, own.patch(`/cards/${card.id}`, freezing));
    assert.equal(await reason({ amount: 1 }), 'CARD_NOT_ACTIVE');
  });

  test('CARD_NOT_ACTIVE from the first instant after the expiry month, by the clock of the platform', async () => {
    const own = await service.newPlatform();
    await own.clock.freeze('2030-05-01T12:00:00.000Z');
    const { card } = await fundedCard(own, 1_000);
    assert.deepEqual([card.expMonth, card.expYear], [5, 2034]);
    const { ask } = issuerOf(own, card);
    await own.clock.set('2034-05-31T23:59:59.999Z');
    assert.equal((await expectStatus(200, ask({ amount: 100 }))).decision, 'APPROVED');
    await own.clock.set('2034-06-01T00:00:00.000Z');
    assert.equal((await expectStatus(200, ask({ amount: 100 }))).declinedReason, 'CARD_NOT_ACTIVE');
    assert.equal((await expectStatus(200, ask({ amount: 0 }))).declinedReason, 'CARD_NOT_ACTIVE');
    assert.equal((await expectStatus(200, ask({ amount: 100, kind: 'CREDIT_AUTHORIZATION' }))).declinedReason, 'CARD_NOT_ACTIVE');
  });

  test('an account verification, of amount 0, is answered by the state of the card: no hold, no spend, no event of the balance', async () => {
    const {
      platform: own,
      card,
      account,
      ask,
      money,
      row,
      atRest,
    } = await processor({
      maxTransactionsPerDay: 1,
      maxSpendPerDay: 1_000,
    });
    for (const token of ['verified', 'verified-again'])
      assert.equal((await expectStatus(200, ask({ token, amount: 0 }))).decision, 'APPROVED', token);
    assert.equal((await expectStatus(200, ask({ token: 'verified', amount: 0 }))).decision, 'APPROVED', 'a repeat');
    assertRefused(await ask({ token: 'verified', amount: 1 }), 409, 'CONFLICT');
    assert.deepEqual(await row('verified'), { status: 'AUTHORIZED', authorized: 0 });
    assert.deepEqual(await money(), { available: 1_000, total: 1_000 });
    assert.equal(
      (await expectStatus(200, ask({ amount: 1_000 }))).decision,
      'APPROVED',
      'the one purchase of the day, of all the day allows',
    );
    assert.equal((await expectStatus(200, ask({ amount: 0 }))).decision, 'APPROVED', 'with the limits used up and the account empty');
    assert.equal((await expectStatus(200, ask({ amount: 0, network: 'DISCOVER' }))).declinedReason, 'UNSUPPORTED_NETWORK');
    assert.equal((await expectStatus(200, ask({ amount: 0, currency: 'EUR' }))).declinedReason, 'OTHER');
    await expectStatus(200, own.patch(`/cards/${card.id}`, freezing));
    assert.equal((await expectStatus(200, ask({ token: 'frozen', amount: 0 }))).declinedReason, 'CARD_NOT_ACTIVE');
    assert.deepEqual(await row('frozen'), { status: 'DECLINED', authorized: 0, declined: 'CARD_NOT_ACTIVE' });
    const told = await eventsAbout(service.db, account.id);
    assert.deepEqual(
      told.slice(1).map(({ type }) => type),
      [],
      'only the deposit changed the balance',
    );
    await atRest();
  });

  test('an account verification that the network raises by an advice becomes a purchase: it counts once', async () => {
    const { ask, tell, money, row } = await processor({ maxTransactionsPerDay: 2 });
    await expectStatus(200, ask({ token: 'raised', amount: 0 }));
    await expectStatus(200, tell('AUTHORIZATION_ADVICE', 'raised', { amount: 100 }));
    await expectStatus(200, tell('AUTHORIZATION_ADVICE', 'raised', { amount: 200 }));
    assert.deepEqual(await row('raised'), { status: 'AUTHORIZED', authorized: 200 });
    assert.deepEqual(await money(), { available: 800, total: 1_000 });
    assert.equal((await expectStatus(200, ask({ amount: 1 }))).decision, 'APPROVED', 'the second of two');
    assert.equal((await expectStatus(200, ask({ amount: 1 }))).declinedReason, 'SPEND_LIMIT_EXCEEDED');
  });

  test('an account verification that arrives after its clearing adds nothing to the daily spend', async () => {
    const { card, ask, tell, row } = await processor({ maxTransactionsPerDay: 1, maxSpendPerDay: 100 });
    await expectStatus(200, tell('CLEARING', 'early', { amount: 50, cardId: card.id, merchant: merchant() }));
    assert.equal((await expectStatus(200, ask({ token: 'early', amount: 0 }))).decision, 'APPROVED');
    assert.deepEqual(await row('early'), { status: 'SETTLED', authorized: 0, settled: 50 });
    assert.equal((await expectStatus(200, ask({ amount: 100 }))).decision, 'APPROVED');
  });

  test('400: only an AUTHORIZATION may be of amount 0', async () => {
    const { ask } = await processor();
    await changesNothing(service.db, async () => {
      for (const kind of [
        'FINANCIAL_AUTHORIZATION',
        'CREDIT_AUTHORIZATION',
        'FINANCIAL_CREDIT_AUTHORIZATION',
        'CREDIT_AUTHORIZATION_ADVICE',
      ])
        assertInvalid(await ask({ amount: 0, kind }), 'amount');
      assertInvalid(await ask({ amount: -1 }), 'amount');
    });
  });

  race('ten concurrent requests with one token: one decision, one hold, counted once', async () => {
    const { ask, money, atRest } = await processor({ maxTransactionsPerDay: 2 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => expectStatus(200, ask({ token: 'again', amount: 300 }))));
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
    assert.deepEqual(await money(), { available: 700, total: 1_000 });
    assert.equal((await expectStatus(200, ask({ amount: 300 }))).decision, 'APPROVED', 'one of two daily transactions is left');
    assert.equal((await expectStatus(200, ask({ token: 'again', amount: 300 }))).decision, 'APPROVED', 'still the same answer');
    await atRest();
  });

  test('409: a token that names a transaction of another card', async () => {
    const { platform: own, ask } = await processor();
    const { card: another } = await fundedCard(own, 1_000);
    await ask({ token: 'taken', amount: 300 });
    await changesNothing(service.db, async () =>
      assertRefused(await issuerOf(own, another).ask({ token: 'taken', amount: 300 }), 409, 'CONFLICT'),
    );
  });

  describe('409: a token that belongs to a different request', () => {
    const conflicts = (answer: Answer) => assertRefused(answer, 409, 'CONFLICT');

    test('a request of another kind, direction or amount', async () => {
      const { ask } = await processor();
      const opened = [
        { token: 'a', amount: 50 },
        { token: 'f', amount: 50, kind: 'FINANCIAL_AUTHORIZATION' },
        { token: 'c', amount: 50, kind: 'CREDIT_AUTHORIZATION' },
        { token: 'd', amount: 5_000 },
      ];
      for (const request of opened) await expectStatus(200, ask(request));
      await changesNothing(service.db, async () => {
        for (const { kind: first = 'AUTHORIZATION', ...request } of opened.slice(0, 3)) {
          for (const kind of ['AUTHORIZATION', 'FINANCIAL_AUTHORIZATION', 'CREDIT_AUTHORIZATION', 'FINANCIAL_CREDIT_AUTHORIZATION'])
            if (kind !== first) conflicts(await ask({ ...request, kind }));
          for (const amount of [49, 51]) conflicts(await ask({ ...request, kind: first, amount }));
        }
        conflicts(await ask({ token: 'd', amount: 50 }));
        conflicts(await ask({ token: 'd', amount: 5_000, kind: 'CREDIT_AUTHORIZATION' }));
      });
      for (const request of opened) await expectStatus(200, ask(request));
    });

    race('two concurrent requests of different amounts: one is decided, the other refused', async () => {
      const { ask, money } = await processor();
      const answers = await Promise.all([50, 60].map((amount) => ask({ token: 'a', amount })));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
      assert.equal((await money()).available, answers[0]?.status === 200 ? 950 : 940);
    });

    test('the token of a return, which has no authorization request', async () => {
      const { ask, tell } = await processor();
      await ask({ token: 'a', amount: 300, kind: 'FINANCIAL_AUTHORIZATION' });
      await expectStatus(200, tell('RETURN', 'a', { amount: 100, messageToken: 'return' }));
      await changesNothing(service.db, async () => {
        conflicts(await ask({ token: 'return', amount: 500 }));
        conflicts(await ask({ token: 'return', amount: 100, kind: 'FINANCIAL_CREDIT_AUTHORIZATION' }));
      });
    });

    test('a repeat after the transaction has changed is answered, because its first amount is no longer known', async () => {
      const { platform: own, card, ask, tell } = await processor();
      const changes: Record<string, () => Promise<unknown>> = {
        reversed: () => tell('AUTHORIZATION_REVERSAL', 'reversed', { amount: 20 }),
        advised: () => tell('AUTHORIZATION_ADVICE', 'advised', { amount: 70 }),
        cleared: () => tell('CLEARING', 'cleared', { amount: 50 }),
        closed: () => own.patch(`/cards/${card.id}`, closing),
      };
      for (const token of Object.keys(changes)) await ask({ token, amount: 50 });
      for (const change of Object.values(changes)) await change();
      for (const token of Object.keys(changes)) {
        assert.equal((await expectStatus(200, ask({ token, amount: 50 }))).decision, 'APPROVED', token);
        conflicts(await ask({ token, amount: 50, kind: 'CREDIT_AUTHORIZATION' }));
      }
    });

    test('a credit, when the transaction was cleared as a purchase and a dispute claims or has recovered it', async () => {
      const { platform: own, card, ask, tell, money, atRest } = await processor();
      const disputed = async (token: string, disposition?: string) => {
        await expectStatus(200, tell('CLEARING', token, { amount: 50, cardId: card.id, merchant: merchant() }));
        const { id } = await byToken(own, token);
        const dispute = (step: string, fields: object) =>
          expectStatus(202, own.post(`/sandbox/cards/${card.id}/simulate/dispute_${step}`, { cardTransactionId: id, ...fields }));
        await dispute('open', {});
        if (disposition) await dispute('close', { disposition });
        return () => ask({ token, amount: 50, kind: 'CREDIT_AUTHORIZATION' });
      };
      for (const refused of [await disputed('open'), await disputed('won', 'WON'), await disputed('partly', 'PARTIALLY_WON')])
        await changesNothing(service.db, async () => conflicts(await refused()));
      assert.equal((await money()).total, 1_000 - 50 - 25);
      const lost = await disputed('lost', 'LOST');
      assert.equal((await expectStatus(200, lost())).decision, 'APPROVED');
      assert.equal((await money()).total, 1_000 - 50 - 25 + 50);
      await atRest();
    });

    test('the repeat of a credit that was declined after its clearing as a purchase is declined again', async () => {
      const { platform: own, card, ask, tell } = await processor();
      await expectStatus(200, own.patch(`/cards/${card.id}`, freezing));
      await expectStatus(200, tell('CLEARING', 'early', { amount: 50, cardId: card.id, merchant: merchant() }));
      const asked = { token: 'early', amount: 50, kind: 'CREDIT_AUTHORIZATION' };
      assert.equal((await expectStatus(200, ask(asked))).declinedReason, 'CARD_NOT_ACTIVE');
      assert.equal((await expectStatus(200, ask(asked))).declinedReason, 'CARD_NOT_ACTIVE');
    });
  });

  test('400 AMOUNT_OUT_OF_RANGE: a financial authorization of a transaction that was cleared with the largest amount', async () => {
    const { card, ask, tell } = await processor();
    const most = 9007199254740991;
    await expectStatus(200, ask({ amount: most - 1_000, kind: 'FINANCIAL_CREDIT_AUTHORIZATION' }));
    await expectStatus(200, tell('CLEARING', 'early', { amount: most, cardId: card.id, merchant: merchant() }));
    await changesNothing(service.db, async () =>
      assertRefused(await ask({ token: 'early', amount: 1, kind: 'FINANCIAL_AUTHORIZATION' }), 400, 'AMOUNT_OUT_OF_RANGE'),
    );
  });

  test('a financial authorization after its clearing takes the account balance once; its holder owes the rest', async () => {
    const { card, ask, tell, money, row, atRest } = await processor();
    await expectStatus(200, tell('CLEARING', 'early', { amount: 500, cardId: card.id, merchant: merchant() }));
    const { decision } = await expectStatus(200, ask({ token: 'early', amount: 1_000, kind: 'FINANCIAL_AUTHORIZATION' }));
    assert.equal(decision, 'APPROVED');
    assert.deepEqual(await row('early'), { status: 'EXCEPTION', authorized: 1_000, settled: 1_500 });
    assert.deepEqual(await money(), { available: 0, total: 0 });
    await atRest();
  });

  test('404: unknown card; 409: the issuer decides authorizations; 400: invalid token or amount', async () => {
    const { card: foreign } = await fundedCard(await service.newPlatform(), 1_000);
    const { card: issuers } = await givenCard(platform, { program: 'issuer_decided' });
    const { card: own } = await fundedCard(platform, 1_000);
    for (const program of ['service_full', 'issuer_decided']) await issuerKeyOf(platform, program);
    await changesNothing(service.db, async () => {
      for (const id of [foreign.id, `Card:${randomUUID()}`, 'x'])
        assertRefused(await issuerOf(platform, { id }).ask({ amount: 1 }), 404, 'NOT_FOUND');
      assertRefused(await issuerOf(platform, issuers, 'issuer_decided').ask({ amount: 1 }), 409, 'CONFLICT');
      for (const token of ['', 'with space', 'x'.repeat(129)])
        assertInvalid(await issuerOf(platform, own).ask({ token, amount: 1 }), 'issuerTransactionToken');
    });
  });
});

describe('a decision after the deadline', () => {
  /** A request that is decided, but whose caller receives the decision after the deadline: it is reversed. */
  async function decideTooLate(
    { platform: own, platformId, card, ask }: Awaited<ReturnType<typeof processor>>,
    kind: OpeningKind,
  ): Promise<void> {
    const slow: Authorize = async (_platform, { isLate }) => {
      const { transactionId: id } = await expectStatus(200, ask({ token: 'late', amount: 400, kind }));
      const { status } = await byToken(own, 'late');
      while (!isLate?.()) await nextTurn();
      return { transaction: { id, cardId: card.id, issuerToken: 'late', status, declinedReason: null }, repeated: false };
    };
    const request = { kind, cardId: card.id, issuerToken: 'late', amount: 400n, currency: 'USD', merchant: merchant() };
    const deps = { db: service.db, wallets: { authorize: async () => true }, findNetworkHistory };
    await new Promise<void>((resolve, reject) => {
      const undo = (...late: [PlatformId, LateDecision]) => reverseLateDecision(deps, ...late).then(resolve, reject);
      authorizeInTime(slow, undo, platformId, request, 1).then((answer) => assert.equal(answer, undefined), reject);
    });
  }

  for (const kind of ['AUTHORIZATION', 'FINANCIAL_AUTHORIZATION', 'FINANCIAL_CREDIT_AUTHORIZATION'] as const)
    test(`${kind}: answered as undecided, then reversed: no hold, nothing counted, recorded as DECLINED`, async () => {
      const world = await processor({ maxTransactionsPerDay: 1, maxSpendPerDay: 400 });
      const { ask, money, row, atRest } = world;
      await decideTooLate(world, kind);
      assert.deepEqual(await row('late'), { status: 'DECLINED', authorized: 400, declined: 'OTHER' });
      assert.deepEqual(await money(), { available: 1_000, total: 1_000 });
      await atRest();
      assert.equal((await expectStatus(200, ask({ token: 'late', amount: 400, kind }))).decision, 'DECLINED', 'the repeat is declined');
      assert.equal((await expectStatus(200, ask({ amount: 400 }))).decision, 'APPROVED', 'the daily limits are restored');
    });

  test('a credit that has paid what its holder owed is reversed: the account pays what it has, and its holder owes the rest', async () => {
    const world = await processor();
    const { platformId, card, tell, money, row, atRest } = world;
    await expectStatus(200, tell('CLEARING', 'early', { amount: 1_300, cardId: card.id, merchant: merchant() }));
    assert.deepEqual([await money(), await owedOn(service.db, platformId)], [{ available: 0, total: 0 }, 300]);
    await decideTooLate(world, 'FINANCIAL_CREDIT_AUTHORIZATION');
    assert.deepEqual(await row('late'), { status: 'DECLINED', authorized: 400, declined: 'OTHER' });
    assert.deepEqual([await money(), await owedOn(service.db, platformId)], [{ available: 0, total: 0 }, 300]);
    await atRest();
  });
});

describe('recordCardMessage', () => {
  test('a repeated clearing is counted once', async () => {
    const { ask, tell, money, row, atRest } = await processor();
    await ask({ token: 'a', amount: 400 });
    const clearing = { amount: 150, messageToken: 'clearing-1' };
    const first = await expectStatus(200, tell('CLEARING', 'a', clearing));
    const again = await Promise.all(Array.from({ length: 5 }, () => expectStatus(200, tell('CLEARING', 'a', clearing))));
    assert.equal(first.duplicate, false);
    for (const answer of again) assert.deepEqual(answer, { ...first, duplicate: true });
    assert.deepEqual(await row('a'), { status: 'PARTIALLY_SETTLED', authorized: 400, settled: 150 });
    await expectStatus(200, tell('CLEARING', 'a', { amount: 150, messageToken: 'clearing-2' }));
    assert.deepEqual(
      await row('a'),
      { status: 'PARTIALLY_SETTLED', authorized: 400, settled: 300 },
      'a message with another token is counted',
    );
    assert.deepEqual(await money(), { available: 600, total: 700 });
    await atRest();
  });

  test('messages of different kinds may have the same token', async () => {
    const { ask, tell, row } = await processor();
    await ask({ token: 'a', amount: 400 });
    await expectStatus(200, tell('CLEARING', 'a', { amount: 150, messageToken: 'm' }));
    assert.equal((await expectStatus(200, tell('AUTHORIZATION_EXPIRY', 'a', { messageToken: 'm' }))).duplicate, false);
    assert.deepEqual(await row('a'), { status: 'SETTLED', authorized: 400, settled: 150 });
  });

  test('409: a message token that was used for another transaction; nothing is recorded', async () => {
    const { platform: own, card, ask, tell, row } = await processor();
    const { card: another } = await fundedCard(own, 1_000);
    for (const token of ['a', 'b']) await ask({ token, amount: 100 });
    await expectStatus(200, tell('CLEARING', 'a', { amount: 100, messageToken: 'm' }));
    const used = { amount: 100, messageToken: 'm', merchant: merchant() };
    await changesNothing(service.db, async () => {
      assertRefused(await tell('CLEARING', 'b', used), 409, 'CONFLICT');
      for (const { id } of [card, another]) assertRefused(await tell('CLEARING', 'unknown', { ...used, cardId: id }), 409, 'CONFLICT');
    });
    assert.equal((await expectStatus(200, ask({ token: 'unknown', amount: 50 }))).decision, 'APPROVED');
    await expectStatus(200, tell('CLEARING', 'b', { amount: 100 }));
    assert.deepEqual(await row('b'), { status: 'SETTLED', authorized: 100, settled: 100 });
  });

  race('concurrent messages with one token for transactions of two cards: one is recorded, the other is refused with 409', async () => {
    const { platform: own, ask, tell } = await processor();
    const { card: another } = await fundedCard(own, 1_000);
    for (let round = 0; round < 5; round += 1) {
      await ask({ token: `a${round}`, amount: 10 });
      await issuerOf(own, another).ask({ token: `b${round}`, amount: 10 });
      const both = await Promise.all(['a', 'b'].map((name) => tell('CLEARING', name + round, { amount: 10, messageToken: `m${round}` })));
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    }
  });

  test('a repeated message gets the first answer, also if it would be refused as a new message', async () => {
    const { ask, tell, money, atRest } = await processor();
    await ask({ token: 'a', amount: 400 });
    await expectStatus(200, tell('CLEARING', 'a', { amount: 400 }));
    for (const [kind, token, fields] of [
      ['RETURN', 'a', { amount: 400, messageToken: 'return' }],
      ['RETURN_REVERSAL', 'return', { messageToken: 'reversal' }],
    ] as const) {
      const first = await expectStatus(200, tell(kind, token, fields));
      await changesNothing(service.db, async () =>
        assert.deepEqual(await expectStatus(200, tell(kind, token, fields)), { ...first, duplicate: true }),
      );
    }
    assert.deepEqual(await money(), { available: 600, total: 600 });
    await atRest();
  });

  test('a clearing before its authorization is recorded on a card of any status; the authorization does not take the amount again', async () => {
    for (const status of [undefined, freezing, closing]) {
      const { platform: own, card, ask, tell, money, row, atRest } = await processor({ maxSpendPerTransaction: 10 });
      if (status) await expectStatus(200, own.patch(`/cards/${card.id}`, status));
      await expectStatus(200, tell('CLEARING', 'early', { amount: 400, cardId: card.id, merchant: merchant() }));
      assert.deepEqual(await row('early'), { status: 'SETTLED', authorized: 0, settled: 400 });
      assert.deepEqual(await money(), { available: 600, total: 600 });
      await expectStatus(200, ask({ token: 'early', amount: 400 }));
      assert.deepEqual(await money(), { available: 600, total: 600 }, 'not taken twice');
      await atRest();
    }
  });

  test('an advice without an authorization request is recorded, holds its amount and counts as daily spend', async () => {
    const { card, ask, tell, money, row } = await processor({ maxSpendPerDay: 500 });
    await expectStatus(200, tell('AUTHORIZATION_ADVICE', 'stand-in', { amount: 400, cardId: card.id, merchant: merchant() }));
    assert.deepEqual(await row('stand-in'), { status: 'AUTHORIZED', authorized: 400 });
    assert.deepEqual(await money(), { available: 600, total: 1_000 });
    assert.equal((await expectStatus(200, ask({ amount: 101 }))).declinedReason, 'SPEND_LIMIT_EXCEEDED');
    assert.equal((await expectStatus(200, ask({ amount: 100 }))).decision, 'APPROVED');
  });

  test('a financial authorization settles its amount, whether its advice came before or after it', async () => {
    for (const order of ['advice first', 'request first']) {
      const { card, ask, tell, money, row, atRest } = await processor();
      const advise = () => expectStatus(200, tell('AUTHORIZATION_ADVICE', 'both', { amount: 300, cardId: card.id, merchant: merchant() }));
      const request = () => expectStatus(200, ask({ token: 'both', amount: 300, kind: 'FINANCIAL_AUTHORIZATION' }));
      if (order === 'advice first') await advise();
      assert.equal((await request()).decision, 'APPROVED');
      if (order === 'request first') await advise();
      assert.deepEqual(await row('both'), { status: 'SETTLED', authorized: 300, settled: 300 }, order);
      assert.deepEqual(await money(), { available: 700, total: 700 }, order);
      await atRest();
    }
  });

  test('advices and reversals are recorded when their sum exceeds 64 bits, and the daily spend stays at its maximum', async () => {
    const { platform: own, card, ask, tell, row } = await processor({ maxSpendPerDay: 9007199254740991 });
    const most = 9007199254740991;
    await ask({ token: 'a', amount: 1 });
    const id = (await byToken(own, 'a')).id.slice('Transaction:'.length);
    // The state after a thousand messages of the largest amount.
    await service.db.run(sql`update cards set day_spent = 9223372036854775807 - 2 where id = ${card.id.slice(5)}`);
    await service.db.run(sql`
      insert into card_messages (platform_id, token, kind, transaction_id, amount, received_at)
      select platform_id, 'reversal-' || n, 'AUTHORIZATION_REVERSAL', id, ${most}::bigint, now()
      from card_transactions, generate_series(1, 1025) n where id = ${id}`);
    await expectStatus(200, tell('AUTHORIZATION_ADVICE', 'a', { amount: most }));
    assert.deepEqual(await row('a'), { status: 'AUTHORIZED', authorized: most });
    assert.equal((await expectStatus(200, ask({ amount: 1 }))).declinedReason, 'SPEND_LIMIT_EXCEEDED');
    await expectStatus(200, own.patch(`/cards/${card.id}`, { maxSpendPerDay: null }));
    await expectStatus(200, tell('AUTHORIZATION_REVERSAL', 'a'));
    assert.equal((await expectStatus(200, ask({ amount: 1 }))).decision, 'APPROVED');
  });

  test('a clearing of a declined, voided or settled transaction is settled', async () => {
    const { platformId, ask, tell, money, row, atRest } = await processor();
    await ask({ token: 'declined', amount: 5_000 });
    await ask({ token: 'voided', amount: 100 });
    await ask({ token: 'settled', amount: 100 });
    await expectStatus(200, tell('AUTHORIZATION_REVERSAL', 'voided'));
    await expectStatus(200, tell('CLEARING', 'settled', { amount: 100 }));
    for (const token of ['declined', 'voided', 'settled']) await expectStatus(200, tell('CLEARING', token, { amount: 100 }));
    assert.deepEqual(await row('declined'), { status: 'SETTLED', authorized: 0, settled: 100 });
    assert.deepEqual(await row('voided'), { status: 'SETTLED', authorized: 0, settled: 100 });
    assert.deepEqual(await row('settled'), { status: 'SETTLED', authorized: 100, settled: 200 });
    assert.deepEqual(await money(), { available: 600, total: 600 });
    await expectStatus(200, tell('CLEARING', 'settled', { amount: 601 }));
    assert.equal((await row('settled')).status, 'EXCEPTION');
    assert.deepEqual([await money(), await owedOn(service.db, platformId)], [{ available: 0, total: 0 }, 1]);
    await atRest();
  });

  test('a clearing of a credit that was declined, has expired or was voided when its card closed is settled', async () => {
    for (const status of [undefined, closing]) {
      const { platform: own, card, ask, tell, money, row, atRest } = await processor();
      await ask({ token: 'expired', amount: 100, kind: 'CREDIT_AUTHORIZATION' });
      await ask({ token: 'open', amount: 100, kind: 'CREDIT_AUTHORIZATION' });
      await expectStatus(200, tell('AUTHORIZATION_EXPIRY', 'expired'));
      if (status) await expectStatus(200, own.patch(`/cards/${card.id}`, status));
      await ask({ token: 'declined', amount: 100, kind: 'CREDIT_AUTHORIZATION', currency: 'EUR' });
      for (const token of ['expired', 'open', 'declined']) {
        await expectStatus(200, tell('CLEARING', token, { amount: 100 }));
        assert.deepEqual(await row(token), { status: 'SETTLED', authorized: token === 'open' && !status ? 100 : 0, settled: 100 });
      }
      assert.deepEqual(await money(), { available: 1_300, total: 1_300 });
      await atRest();
    }
  });

  test('400: a clearing of a return', async () => {
    const { ask, tell } = await processor();
    await ask({ token: 'a', amount: 400, kind: 'FINANCIAL_AUTHORIZATION' });
    await expectStatus(200, tell('RETURN', 'a', { amount: 100, messageToken: 'return' }));
    await changesNothing(service.db, async () => assertInvalid(await tell('CLEARING', 'return', { amount: 1 }), 'issuerTransactionToken'));
  });

  test('a return is a credit transaction; it is refused before any amount is settled', async () => {
    const { platform: own, ask, tell, money } = await processor();
    await ask({ token: 'a', amount: 400 });
    await changesNothing(service.db, async () => assertInvalid(await tell('RETURN', 'a', { amount: 100 }), 'issuerTransactionToken'));
    await expectStatus(200, tell('CLEARING', 'a', { amount: 400 }));
    const { transactionId, issuerTransactionToken } = await expectStatus(
      200,
      tell('RETURN', 'a', { amount: 100, messageToken: 'return-1' }),
    );
    assert.equal(issuerTransactionToken, 'return-1');
    const returned = await expectStatus(200, own.get(`/transactions/${transactionId}`));
    assert.equal(returned.direction, 'CREDIT');
    assert.deepEqual(await money(), { available: 700, total: 700 });
    assert.deepEqual(await expectStatus(200, tell('RETURN', 'a', { amount: 100, messageToken: 'return-1' })), {
      issuerTransactionToken,
      transactionId,
      duplicate: true,
    });
    await changesNothing(service.db, async () =>
      assertInvalid(await tell('RETURN', 'a', { amount: 100, messageToken: 'a' }), 'messageToken'),
    );
    await changesNothing(service.db, async () => assertInvalid(await tell('RETURN_REVERSAL', 'a'), 'issuerTransactionToken'));
    await expectStatus(200, tell('RETURN_REVERSAL', 'return-1'));
    assert.deepEqual(await money(), { available: 600, total: 600 });
  });

  describe('409: a token that names a transaction of another card', () => {
    async function twoCards() {
      const own = await processor();
      const { card } = await fundedCard(own.platform, 1_000);
      return { ...own, other: { card, ...issuerOf(own.platform, card) } };
    }
    const ROUNDS = Array.from({ length: 8 }, (_, round) => `token-${round}`);

    test('a token of an existing transaction: nothing changes on either card', async () => {
      const { ask, tell, other } = await twoCards();
      await ask({ token: 'a', amount: 100 });
      await changesNothing(service.db, async () => {
        assertRefused(await tell('CLEARING', 'a', { amount: 100, cardId: other.card.id, merchant: merchant() }), 409, 'CONFLICT');
        for (const cardId of [`Card:${randomUUID()}`, 'x'])
          assertRefused(await tell('CLEARING', 'a', { amount: 100, cardId, merchant: merchant() }), 404, 'NOT_FOUND');
      });
    });

    race('concurrent clearings with a new token on two cards: one opens the transaction', async () => {
      const { card, tell, other, atRest } = await twoCards();
      for (const token of ROUNDS) {
        const answers = await Promise.all(
          [card.id, other.card.id].map((cardId) => tell('CLEARING', token, { amount: 10, cardId, merchant: merchant() })),
        );
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
      }
      await atRest();
    });

    race('an authorization on one card and a concurrent clearing on another: one opens the transaction', async () => {
      const { ask, tell, other, atRest } = await twoCards();
      for (const token of ROUNDS) {
        const answers = await Promise.all([
          ask({ token, amount: 10 }),
          tell('CLEARING', token, { amount: 10, cardId: other.card.id, merchant: merchant() }),
        ]);
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
      }
      await atRest();
    });

    race('an authorization on one card and a concurrent return on another with the same token: one is recorded', async () => {
      const { ask, tell, other, atRest } = await twoCards();
      await ask({ token: 'a', amount: 400, kind: 'FINANCIAL_AUTHORIZATION' });
      for (const token of ROUNDS) {
        const [asked, returned] = await Promise.all([
          other.ask({ token, amount: 10 }),
          tell('RETURN', 'a', { amount: 1, messageToken: token }),
        ]);
        assert.ok(asked.status === 200 ? returned.status === 400 : asked.status === 409 && returned.status === 200, returned.text);
      }
      await atRest();
    });
  });

  test('404: an unknown transaction; a message that could open it needs a card of the platform', async () => {
    const { card, tell } = await processor();
    const { card: foreign } = await fundedCard(await service.newPlatform(), 1_000);
    await changesNothing(service.db, async () => {
      assertRefused(
        await tell('AUTHORIZATION_REVERSAL', 'nobody', { cardId: card.id, merchant: merchant() }),
        404,
        'TRANSACTION_NOT_FOUND',
      );
      // A clearing of 0 is an expiry, which does not open a transaction.
      assertRefused(await tell('CLEARING', 'nobody', { amount: 0, cardId: card.id, merchant: merchant() }), 404, 'TRANSACTION_NOT_FOUND');
      assertRefused(await tell('CLEARING', 'nobody', { amount: 1 }), 404, 'NOT_FOUND');
      assertRefused(await tell('CLEARING', 'nobody', { amount: 1, cardId: foreign.id, merchant: merchant() }), 404, 'NOT_FOUND');
      assertInvalid(await tell('CLEARING', 'nobody', { amount: 1, cardId: card.id }), 'merchant');
    });
    assert.deepEqual(await service.db.many(sql`select from card_transactions where issuer_token = 'nobody'`), []);
  });

  test('400: a missing amount, or an advice of 0', async () => {
    const { ask, tell } = await processor();
    await ask({ token: 'a', amount: 400 });
    await changesNothing(service.db, async () => {
      assertInvalid(await tell('CLEARING', 'a'), 'amount');
      const advice = await tell('AUTHORIZATION_ADVICE', 'a', { amount: 0 });
      assertInvalid(advice, 'amount');
      assert.equal(advice.body.details.errors[0].message, 'only a CLEARING may be of 0');
    });
  });
});
