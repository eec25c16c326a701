// Network messages after an authorization (clearing, advice, reversal, expiry) on cards of every status.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { assertAtRest, DAY, fundedCard, gist, moneyOn, networkOf, owedOn, platformOf } from '../../../support/card-transactions.js';
import { closing, freezing, givenCard } from '../../../support/cards.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { eventsAbout } from '../../../support/database-state.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startOwnService({ RATE_LIMIT_PER_MINUTE: 'off' });
  platform = service.platform;
});
after(() => service.stop());

/** A card with 1,000 on its account, 400 of it authorized. */
async function authorized(on: Client = platform) {
  const { card, account } = await fundedCard(on, 1_000);
  const network = networkOf(on, card);
  const money = () => moneyOn(service.db, account);
  return { card, account, network, money, purchase: await network.authorize(400) };
}

const toldAbout = async (id: string) => (await eventsAbout(service.db, id)).map(({ type }) => type);

describe('clearing', () => {
  test('a full clearing is SETTLED, posts the hold and sends one event with the transaction', async () => {
    const { card, network, money, purchase } = await authorized();
    const settled = await network.clear(purchase, 400);
    assert.deepEqual(gist(settled), { status: 'SETTLED', authorized: 400, settled: 400 });
    assert.deepEqual(await money(), { available: 600, total: 600 });
    const [, event] = await eventsAbout(service.db, purchase.id);
    assert.deepEqual(event, { type: 'CARD_TRANSACTION.SETTLED', data: settled });
    await assertAtRest(service.db, await platformOf(service.db, card));
  });

  test('two partial clearings of one authorization both settle; the rest of the hold is released at expiry', async () => {
    const { card, network, money, purchase } = await authorized();
    assert.deepEqual(gist(await network.clear(purchase, 150)), { status: 'PARTIALLY_SETTLED', authorized: 400, settled: 150 });
    assert.deepEqual(await money(), { available: 600, total: 850 });
    assert.deepEqual(gist(await network.clear(purchase, 150)), { status: 'PARTIALLY_SETTLED', authorized: 400, settled: 300 });
    assert.deepEqual(await money(), { available: 600, total: 700 });
    assert.deepEqual(gist(await network.clear(purchase, 0)), { status: 'SETTLED', authorized: 400, settled: 300 }, '0 is an expiry');
    assert.deepEqual(await money(), { available: 700, total: 700 });
    assert.deepEqual(
      await toldAbout(purchase.id),
      ['AUTHORIZED', 'PARTIALLY_SETTLED', 'PARTIALLY_SETTLED', 'SETTLED'].map((status) => `CARD_TRANSACTION.${status}`),
    );
    await assertAtRest(service.db, await platformOf(service.db, card));
  });

  test('a clearing above the authorized amount pulls the difference, up to the whole balance', async () => {
    const { network, money, purchase } = await authorized();
    assert.deepEqual(gist(await network.clear(purchase, 1_000)), { status: 'SETTLED', authorized: 400, settled: 1_000 });
    assert.deepEqual(await money(), { available: 0, total: 0 });
  });

  test('a clearing above the balance is EXCEPTION: the account pays what it has, and its holder owes the rest', async () => {
    const spender = await service.newPlatform();
    const { card, network, money, purchase } = await authorized(spender);
    assert.deepEqual(gist(await network.clear(purchase, 1_001)), { status: 'EXCEPTION', authorized: 400, settled: 1_001 });
    assert.deepEqual(await money(), { available: 0, total: 0 });
    const id = await platformOf(service.db, card);
    assert.equal(await owedOn(service.db, id), 1);
    await assertAtRest(service.db, id);
    assert.equal((await toldAbout(purchase.id)).at(-1), 'CARD_TRANSACTION.EXCEPTION');
  });

  test('a clearing of 0 is an expiry', async () => {
    const { network, money, purchase } = await authorized();
    assert.deepEqual(gist(await network.clear(purchase, 0)), { status: 'VOIDED', authorized: 0 });
    assert.deepEqual(await money(), { available: 1_000, total: 1_000 });
  });

  test('400: a settled amount above the maximum; clearings that wait for a delayed pull are included', async () => {
    const spender = await service.newPlatform();
    await spender.clock.freeze();
    const { network } = await authorized(spender);
    const slow = await network.authorize(1, 'SHOP 005');
    const clearing = (amount: number) => network.send('clearing', { cardTransactionId: slow.id, amount });
    await expectStatus(202, clearing(9007199254740990));
    await changesNothing(service.db, async () => assertInvalid(await clearing(2), 'amount'));
    await expectStatus(202, clearing(1));
    await spender.clock.advance(30_000);
    assert.deepEqual(gist(await network.read(slow.id)), { status: 'EXCEPTION', authorized: 1, settled: 9007199254740991 });
  });

  test('400: a clearing of a settled, voided or declined transaction', async () => {
    const { network, purchase } = await authorized();
    await network.clear(purchase, 400);
    const voided = await network.reverse(await network.authorize(1));
    const declined = await network.authorize(9_999);
    await changesNothing(service.db, async () => {
      for (const { id } of [purchase, voided, declined])
        assertInvalid(await network.send('clearing', { cardTransactionId: id, amount: 1 }), 'cardTransactionId');
    });
  });
});

describe('authorization_reversal', () => {
  test('after a partial reversal the transaction stays AUTHORIZED and the rest stays held', async () => {
    const { network, money, purchase } = await authorized();
    assert.deepEqual(gist(await network.reverse(purchase, 100)), { status: 'AUTHORIZED', authorized: 300 });
    assert.deepEqual(await money(), { available: 700, total: 1_000 });
    assert.deepEqual(gist(await network.reverse(purchase, 299)), { status: 'AUTHORIZED', authorized: 1 });
    assert.deepEqual(gist(await network.reverse(purchase, 1)), { status: 'VOIDED', authorized: 0 });
    assert.deepEqual(await money(), { available: 1_000, total: 1_000 });
  });

  test('a full reversal, with or without an amount, is VOIDED and releases the hold', async () => {
    for (const amount of [undefined, 400]) {
      const { card, network, money, purchase } = await authorized();
      assert.deepEqual(gist(await network.reverse(purchase, amount)), { status: 'VOIDED', authorized: 0 });
      assert.deepEqual(await money(), { available: 1_000, total: 1_000 });
      assert.deepEqual(await toldAbout(purchase.id), ['CARD_TRANSACTION.AUTHORIZED', 'CARD_TRANSACTION.VOIDED']);
      await assertAtRest(service.db, await platformOf(service.db, card));
    }
  });

  test('400: more than the authorized amount, or a transaction that is partially settled', async () => {
    const { network, purchase } = await authorized();
    await changesNothing(service.db, async () =>
      assertInvalid(await network.send('authorization_reversal', { cardTransactionId: purchase.id, amount: 401 }), 'amount'),
    );
    await network.clear(purchase, 1);
    await changesNothing(service.db, async () =>
      assertInvalid(await network.send('authorization_reversal', { cardTransactionId: purchase.id }), 'cardTransactionId'),
    );
  });
});

describe('authorization_advice', () => {
  test('an advice raises or lowers the authorized total and the hold', async () => {
    const { network, money, purchase } = await authorized();
    assert.deepEqual(gist(await network.advise(purchase, 700)), { status: 'AUTHORIZED', authorized: 700 });
    assert.deepEqual(await money(), { available: 300, total: 1_000 });
    assert.deepEqual(gist(await network.advise(purchase, 50)), { status: 'AUTHORIZED', authorized: 50 });
    assert.deepEqual(await money(), { available: 950, total: 1_000 });
  });

  test('an advice above the balance and the limits is recorded; the increase counts as daily spend', async () => {
    const { card, account } = await fundedCard(platform, 1_000, { fields: { maxSpendPerTransaction: 500, maxSpendPerDay: 2_000 } });
    const network = networkOf(platform, card);
    const purchase = await network.authorize(400);
    assert.deepEqual(gist(await network.advise(purchase, 1_900)), { status: 'AUTHORIZED', authorized: 1_900 });
    assert.deepEqual(await moneyOn(service.db, account), { available: 0, total: 1_000 });
    await network.reverse(purchase);
    assert.equal((await network.authorize(101)).cardDeclinedReason, 'SPEND_LIMIT_EXCEEDED');
    assert.equal((await network.authorize(100)).status, 'AUTHORIZED');
  });
});

describe('expiry', () => {
  test('authorization_expiry: VOIDED, or SETTLED if an amount has settled', async () => {
    const { network, money, purchase } = await authorized();
    const partly = await network.clear(await network.authorize(100), 30);
    assert.deepEqual(gist(await network.expire(purchase)), { status: 'VOIDED', authorized: 0 });
    assert.deepEqual(gist(await network.expire(partly)), { status: 'SETTLED', authorized: 100, settled: 30 });
    assert.deepEqual(await money(), { available: 970, total: 970 });
  });

  test('an authorization expires exactly seven days after it was made', async () => {
    const spender = await service.newPlatform();
    await spender.clock.freeze('2030-05-01T12:00:00.000Z');
    const { card, network, money, purchase } = await authorized(spender);
    const partly = await network.clear(await network.authorize(100), 30);
    await spender.clock.advance(7 * DAY - 1);
    assert.equal((await network.read(purchase.id)).status, 'AUTHORIZED');
    await spender.clock.advance(1);
    assert.deepEqual(gist(await network.read(purchase.id)), { status: 'VOIDED', authorized: 0 });
    assert.deepEqual(gist(await network.read(partly.id)), { status: 'SETTLED', authorized: 100, settled: 30 });
    assert.deepEqual(await money(), { available: 970, total: 970 });
    assert.deepEqual(await toldAbout(purchase.id), ['CARD_TRANSACTION.AUTHORIZED', 'CARD_TRANSACTION.VOIDED']);
    await assertAtRest(service.db, await platformOf(service.db, card));
  });
});

describe('status of the card', () => {
  test('frozen: "existing pulls and in-flight reconciliation continue"', async () => {
    const { card, network, money, purchase } = await authorized();
    const others = [await network.authorize(100), await network.authorize(100), await network.authorize(100)];
    await expectStatus(200, platform.patch(`/cards/${card.id}`, freezing));
    const settled = await network.clear(purchase, 400);
    assert.equal(settled.status, 'SETTLED');
    assert.equal((await network.giveBack(settled, 50)).status, 'SETTLED');
    assert.equal((await network.reverse(others[0])).status, 'VOIDED');
    assert.equal((await network.expire(others[1])).status, 'VOIDED');
    assert.deepEqual(gist(await network.advise(others[2], 120)), { status: 'AUTHORIZED', authorized: 120 });
    assert.deepEqual(await money(), { available: 530, total: 650 });
  });

  test('closed: "pending authorizations reconcile to a terminal state", "refunds already in flight still complete"', async () => {
    const { card, network, money, purchase } = await authorized();
    const settled = await network.clear(await network.authorize(100), 100);
    const partly = await network.clear(await network.authorize(100), 30);
    await expectStatus(200, platform.patch(`/cards/${card.id}`, closing));
    assert.deepEqual(gist(await network.read(purchase.id)), { status: 'VOIDED', authorized: 0 });
    assert.deepEqual(gist(await network.read(partly.id)), { status: 'SETTLED', authorized: 100, settled: 30 });
    assert.deepEqual(await money(), { available: 870, total: 870 });
    assert.deepEqual(await toldAbout(purchase.id), ['CARD_TRANSACTION.AUTHORIZED', 'CARD_TRANSACTION.VOIDED']);
    assert.equal((await network.giveBack(settled, 100)).status, 'SETTLED');
    assert.deepEqual(await money(), { available: 970, total: 970 });
    await assertAtRest(service.db, await platformOf(service.db, card));
  });

  test('closed: "later clearings follow the late-presentment path": the account pays what it has, and its holder owes the rest', async () => {
    const spender = await service.newPlatform();
    const { card, network, money, purchase } = await authorized(spender);
    await expectStatus(200, spender.patch(`/cards/${card.id}`, closing));
    assert.deepEqual(gist(await network.clear(purchase, 400)), { status: 'SETTLED', authorized: 0, settled: 400 });
    assert.deepEqual(await money(), { available: 600, total: 600 });
    assert.deepEqual(gist(await network.clear(purchase, 601)), { status: 'EXCEPTION', authorized: 0, settled: 1_001 });
    assert.deepEqual(await money(), { available: 0, total: 0 });
    const id = await platformOf(service.db, card);
    assert.equal(await owedOn(service.db, id), 1);
    await assertAtRest(service.db, id);
  });
});

describe('refused', () => {
  const FOLLOW_UPS = [
    'clearing',
    'authorization_advice',
    'authorization_reversal',
    'return',
    'authorization_expiry',
    'return_reversal',
  ] as const;
  const bodyOf = (name: string, cardTransactionId: string) => ({
    cardTransactionId,
    ...(['clearing', 'authorization_advice', 'return', 'authorization_reversal'].includes(name) ? { amount: 1 } : {}),
  });

  test('404: a transaction id that is unknown, malformed, of another card or of another platform; the answers are identical', async () => {
    const { card, purchase } = await authorized();
    const { purchase: ofAnotherCard } = await authorized();
    const { card: foreignCard, purchase: foreign } = await authorized(await service.newPlatform());
    const { send } = networkOf(platform, card);
    await changesNothing(service.db, async () => {
      const ids = [ofAnotherCard.id, foreign.id, `Transaction:${randomUUID()}`, 'Transaction:x', purchase.id.toUpperCase()];
      const answers = await Promise.all(FOLLOW_UPS.flatMap((name) => ids.map((id) => send(name, bodyOf(name, id)))));
      for (const answer of answers) assertRefused(answer, 404, 'TRANSACTION_NOT_FOUND');
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
      for (const id of [foreignCard.id, `Card:${randomUUID()}`, 'x'])
        assertRefused(await networkOf(platform, { id }).send('clearing', bodyOf('clearing', purchase.id)), 404, 'NOT_FOUND');
    });
  });

  test('409: the issuer decides authorizations of the card; 400: an invalid amount or an unknown field', async () => {
    const { card: issuers } = await givenCard(platform, { program: 'issuer_decided' });
    const { network, purchase } = await authorized();
    await changesNothing(service.db, async () => {
      for (const name of FOLLOW_UPS)
        assertRefused(await networkOf(platform, issuers).send(name, bodyOf(name, purchase.id)), 409, 'CONFLICT');
      assertInvalid(await network.send('clearing', { cardTransactionId: purchase.id, amount: -1 }), 'amount');
      assertInvalid(await network.send('clearing', { cardTransactionId: purchase.id }), 'amount');
      for (const name of ['authorization_advice', 'authorization_reversal', 'return'])
        assertInvalid(await network.send(name, { cardTransactionId: purchase.id, amount: 0 }), 'amount');
      assertInvalid(await network.send('clearing', { cardTransactionId: purchase.id, amount: 9007199254740991, extra: true }), 'extra');
    });
    await network.clear(purchase, 1);
    await changesNothing(service.db, async () =>
      assertInvalid(await network.send('clearing', { cardTransactionId: purchase.id, amount: 9007199254740991 }), 'amount'),
    );
  });

  test('400 AMOUNT_OUT_OF_RANGE: a credit that would raise the balance above the maximum', async () => {
    const { network } = await authorized();
    const credit = await network.open('credit_authorization', 1);
    await changesNothing(service.db, async () =>
      assertRefused(await network.send('clearing', { cardTransactionId: credit.id, amount: 9007199254740990 }), 400, 'AMOUNT_OUT_OF_RANGE'),
    );
  });
});
