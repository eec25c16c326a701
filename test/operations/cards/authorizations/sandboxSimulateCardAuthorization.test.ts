// Authorizations, financial authorizations (which settle at once) and credits: decision, reason and effect on the balance.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import {
  assertAtRest,
  DAY,
  fundedCard,
  gist,
  merchant,
  moneyOn,
  networkOf,
  owedOn,
  platformOf,
  purchaseOf,
  USD,
} from '../../../support/card-transactions.js';
import { activating, closing, freezing, givenCard } from '../../../support/cards.js';
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

const approvedOn = async (network: ReturnType<typeof networkOf>, amount: number): Promise<boolean> => {
  const { status, cardDeclinedReason } = await network.authorize(amount);
  if (status === 'DECLINED') assert.equal(cardDeclinedReason, 'SPEND_LIMIT_EXCEEDED');
  return status === 'AUTHORIZED';
};

describe('approved', () => {
  test("202 with the issuer's token: the transaction is AUTHORIZED with every field, one event is sent, the amount is held", async () => {
    const { card, account, customer } = await fundedCard(platform, 10_000);
    const answer = await networkOf(platform, card).send('authorization', purchaseOf(2_500));
    assert.equal(answer.status, 202, answer.text);
    assert.deepEqual(Object.keys(answer.body), ['issuerTransactionToken']);

    const { data } = await expectStatus(200, platform.get(`/transactions?cardId=${card.id}`));
    const [{ id, createdAt, ...rest }] = data;
    assert.deepEqual(rest, {
      type: 'CARD',
      cardId: card.id,
      customerId: customer.id,
      platformCustomerId: customer.platformCustomerId,
      issuerTransactionToken: answer.body.issuerTransactionToken,
      status: 'AUTHORIZED',
      direction: 'DEBIT',
      merchant: merchant(),
      authorizedAmount: { amount: 2_500, currency: USD },
      accountId: account.id,
      authorizedAt: createdAt,
      updatedAt: createdAt,
    });
    assert.deepEqual(await eventsAbout(service.db, id), [{ type: 'CARD_TRANSACTION.AUTHORIZED', data: data[0] }]);
    assert.deepEqual(await moneyOn(service.db, account), { available: 7_500, total: 10_000 });
  });

  test('the whole balance can be authorized, and not one cent more', async () => {
    const { card, account } = await fundedCard(platform, 1_000);
    const network = networkOf(platform, card);
    assert.deepEqual(gist(await network.authorize(1_001)), { status: 'DECLINED', authorized: 1_001, declined: 'INSUFFICIENT_FUNDS' });
    assert.equal((await network.authorize(1_000)).status, 'AUTHORIZED');
    assert.equal((await network.authorize(1)).cardDeclinedReason, 'INSUFFICIENT_FUNDS');
    assert.deepEqual(await moneyOn(service.db, account), { available: 0, total: 1_000 });
  });

  test('a financial_authorization settles at once; a credit is paid to the account when it settles', async () => {
    const { card, account } = await fundedCard(platform, 1_000);
    const network = networkOf(platform, card);
    assert.deepEqual(gist(await network.open('financial_authorization', 300)), { status: 'SETTLED', authorized: 300, settled: 300 });
    assert.deepEqual(await moneyOn(service.db, account), { available: 700, total: 700 });
    assert.equal((await network.open('financial_authorization', 701)).cardDeclinedReason, 'INSUFFICIENT_FUNDS');

    const credit = await network.open('financial_credit_authorization', 50);
    assert.deepEqual([credit.direction, gist(credit)], ['CREDIT', { status: 'SETTLED', authorized: 50, settled: 50 }]);
    const promised = await network.open('credit_authorization', 20);
    assert.deepEqual([promised.direction, promised.status], ['CREDIT', 'AUTHORIZED']);
    assert.deepEqual(await moneyOn(service.db, account), { available: 750, total: 750 });
    assert.deepEqual(gist(await network.clear(promised, 20)), { status: 'SETTLED', authorized: 20, settled: 20 });
    assert.deepEqual(await moneyOn(service.db, account), { available: 770, total: 770 });
    await assertAtRest(service.db, await platformOf(service.db, card));
  });

  test('a balance inquiry changes nothing, also on a frozen card', async () => {
    const { card } = await fundedCard(platform, 1_000);
    await expectStatus(200, platform.patch(`/cards/${card.id}`, freezing));
    const { status, body } = await changesNothing(service.db, () =>
      networkOf(platform, card).send('balance_inquiry', { merchant: merchant() }),
    );
    assert.deepEqual([status, typeof body.issuerTransactionToken], [202, 'string']);
  });
});

describe('declined', () => {
  test('a declined authorization is recorded and sends an event, holds nothing and counts towards no limit', async () => {
    const { card, account } = await fundedCard(platform, 1_000, { fields: { maxTransactionsPerDay: 1, maxSpendPerDay: 1_000 } });
    const network = networkOf(platform, card);
    const declined = await network.authorize(500, 'SHOP 002');
    assert.deepEqual(gist(declined), { status: 'DECLINED', authorized: 500, declined: 'INSUFFICIENT_FUNDS' });
    assert.deepEqual(await eventsAbout(service.db, declined.id), [{ type: 'CARD_TRANSACTION.DECLINED', data: declined }]);
    assert.deepEqual(await moneyOn(service.db, account), { available: 1_000, total: 1_000 });
    assert.equal(await approvedOn(network, 1_000), true, 'neither the daily count nor the daily spend was used');
  });

  test('a descriptor ending in 002 or 003 forces a decline; any other ending forces none', async () => {
    const { card } = await fundedCard(platform, 1_000);
    const network = networkOf(platform, card);
    assert.equal((await network.authorize(1, 'SHOP 002')).cardDeclinedReason, 'INSUFFICIENT_FUNDS');
    assert.equal((await network.authorize(1, 'SHOP 003')).cardDeclinedReason, 'CARD_NOT_ACTIVE');
    assert.equal((await network.authorize(1, '002 SHOP')).status, 'AUTHORIZED');
    assert.equal((await network.authorize(1, 'A DESCRIPTOR 25 CHARS LON')).status, 'AUTHORIZED');
  });

  test('"New authorizations declined with cardDeclinedReason: CARD_NOT_ACTIVE" while frozen; "Normal authorization resumes" after', async () => {
    const { card } = await fundedCard(platform, 1_000);
    const network = networkOf(platform, card);
    await expectStatus(200, platform.patch(`/cards/${card.id}`, freezing));
    for (const name of ['authorization', 'financial_authorization', 'credit_authorization', 'financial_credit_authorization'])
      assert.deepEqual(gist(await network.open(name, 1)), { status: 'DECLINED', authorized: 1, declined: 'CARD_NOT_ACTIVE' }, name);
    assert.equal(
      (await network.open('credit_authorization_advice', 1)).status,
      'AUTHORIZED',
      'an advice reports an approval that another party made',
    );
    await expectStatus(200, platform.patch(`/cards/${card.id}`, activating));
    assert.equal((await network.authorize(1)).status, 'AUTHORIZED');
    await expectStatus(200, platform.patch(`/cards/${card.id}`, closing));
    assert.equal((await network.authorize(1)).cardDeclinedReason, 'CARD_NOT_ACTIVE');
  });
});

describe('limits', () => {
  test('maxSpendPerTransaction: "authorization of exactly the limit is allowed"; "a later clearing may settle above it (for example a tip)"', async () => {
    const { card } = await fundedCard(platform, 10_000, { fields: { maxSpendPerTransaction: 500 } });
    const network = networkOf(platform, card);
    assert.equal(await approvedOn(network, 501), false);
    const dinner = await network.authorize(500);
    assert.deepEqual(gist(await network.clear(dinner, 600)), { status: 'SETTLED', authorized: 500, settled: 600 });
  });

  test('maxSpendPerDay: "spend exactly equal to the limit is allowed"; "refunds, reversals, and authorization expiries do not restore capacity"', async () => {
    const { card } = await fundedCard(platform, 10_000, { fields: { maxSpendPerDay: 1_000 } });
    const network = networkOf(platform, card);
    await network.reverse(await network.authorize(200));
    await network.reverse(await network.authorize(200), 150);
    await network.expire(await network.authorize(200));
    await network.giveBack(await network.clear(await network.authorize(200), 200), 200);
    assert.equal(await approvedOn(network, 201), false);
    assert.equal(await approvedOn(network, 200), true);
    assert.equal(await approvedOn(network, 1), false);
  });

  test('maxTransactionsPerDay: "a transaction bringing the count exactly to the limit is allowed"; refunds, reversals and expiries do not restore the count', async () => {
    const { card } = await fundedCard(platform, 10_000, { fields: { maxTransactionsPerDay: 4 } });
    const network = networkOf(platform, card);
    await network.reverse(await network.authorize(1));
    await network.expire(await network.authorize(1));
    await network.giveBack(await network.clear(await network.authorize(1), 1), 1);
    assert.equal(await approvedOn(network, 1), true);
    assert.equal(await approvedOn(network, 1), false);
  });

  test('"each approved authorization counts once for the day authorized": later clearings, also above the authorized amount, count for no day', async () => {
    const spender = await service.newPlatform();
    await spender.clock.freeze('2030-05-01T12:00:00.000Z');
    const { card } = await fundedCard(spender, 10_000, { fields: { maxTransactionsPerDay: 2, maxSpendPerDay: 300 } });
    const network = networkOf(spender, card);
    const first = await network.authorize(100);
    await network.clear(first, 50);
    await network.clear(first, 50);
    const second = await network.authorize(100);
    assert.equal(await approvedOn(network, 1), false, 'both daily transactions are used');
    await spender.clock.set('2030-05-02T12:00:00.000Z');
    await network.clear(second, 250);
    assert.equal(await approvedOn(network, 100), true);
    assert.equal(await approvedOn(network, 200), true);
    assert.equal(await approvedOn(network, 1), false);
  });

  test('"window resets 00:00 UTC": declined in the last millisecond of the day, approved in the first of the next day', async () => {
    const spender = await service.newPlatform();
    await spender.clock.freeze('2030-05-01T23:59:59.999Z');
    const { card } = await fundedCard(spender, 10_000, { fields: { maxSpendPerDay: 100, maxTransactionsPerDay: 1 } });
    const network = networkOf(spender, card);
    assert.equal(await approvedOn(network, 100), true);
    assert.equal(await approvedOn(network, 1), false);
    await spender.clock.set('2030-05-02T00:00:00.000Z');
    assert.equal(await approvedOn(network, 100), true);
    await spender.clock.set('2030-05-02T00:00:00.001Z');
    assert.equal(await approvedOn(network, 1), false);
    await spender.clock.advance(DAY);
    assert.equal(await approvedOn(network, 100), true);
  });

  test('CARD_NOT_ACTIVE once the expiry month of the card is over', async () => {
    const spender = await service.newPlatform();
    await spender.clock.freeze('2030-12-31T12:00:00.000Z');
    const { card } = await fundedCard(spender, 10_000);
    assert.deepEqual([card.expMonth, card.expYear], [12, 2034]);
    const network = networkOf(spender, card);
    await spender.clock.set('2034-12-31T23:59:59.999Z');
    assert.equal((await network.authorize(1)).status, 'AUTHORIZED');
    await spender.clock.set('2035-01-01T00:00:00.000Z');
    for (const name of ['authorization', 'financial_authorization', 'credit_authorization', 'financial_credit_authorization'])
      assert.deepEqual(gist(await network.open(name, 1)), { status: 'DECLINED', authorized: 1, declined: 'CARD_NOT_ACTIVE' }, name);
    assert.equal((await network.open('credit_authorization_advice', 1)).status, 'AUTHORIZED', 'approved elsewhere');
  });

  test('"effective value is the lower of card and cardConfigs", for each of the three limits', async () => {
    const spender = await service.newPlatform();
    const { card } = await fundedCard(spender, 10_000);
    const network = networkOf(spender, card);
    const limit = async (onCard: Record<string, number | null>, onPlatform: Record<string, number | null>) => {
      await expectStatus(200, spender.patch(`/cards/${card.id}`, onCard));
      await expectStatus(200, spender.patch('/config', { cardConfigs: onPlatform }));
    };
    for (const [onCard, onPlatform] of [
      [10, 20],
      [20, 10],
      [null, 10],
      [10, null],
    ] as const) {
      await limit({ maxSpendPerTransaction: onCard }, { maxSpendPerTransaction: onPlatform });
      assert.deepEqual([await approvedOn(network, 11), await approvedOn(network, 10)], [false, true]);
    }
    await limit({ maxSpendPerTransaction: null }, { maxSpendPerTransaction: null });
    // The daily spend is 40 in four transactions; each further approval reaches the limit exactly.
    await limit({ maxSpendPerDay: 45 }, { maxSpendPerDay: 44 });
    assert.deepEqual([await approvedOn(network, 5), await approvedOn(network, 4)], [false, true]);
    await limit({ maxSpendPerDay: 45 }, { maxSpendPerDay: 99 });
    assert.deepEqual([await approvedOn(network, 2), await approvedOn(network, 1)], [false, true]);
    await limit({ maxSpendPerDay: null, maxTransactionsPerDay: 7 }, { maxSpendPerDay: null, maxTransactionsPerDay: 9 });
    assert.deepEqual([await approvedOn(network, 1), await approvedOn(network, 1)], [true, false]);
    await limit({ maxTransactionsPerDay: 20 }, { maxTransactionsPerDay: 8 });
    assert.deepEqual([await approvedOn(network, 1), await approvedOn(network, 1)], [true, false]);
  });

  test('a limit below the daily spend declines further authorizations and keeps approved ones', async () => {
    const { card, account } = await fundedCard(platform, 10_000);
    const network = networkOf(platform, card);
    const spent = await network.authorize(500);
    await expectStatus(200, platform.patch(`/cards/${card.id}`, { maxSpendPerDay: 100 }));
    assert.equal(await approvedOn(network, 1), false);
    assert.equal((await network.read(spent.id)).status, 'AUTHORIZED');
    assert.deepEqual(await moneyOn(service.db, account), { available: 9_500, total: 10_000 });
  });
});

describe('descriptor 005: the pull is delayed', () => {
  test('a clearing waits for the delayed pull and settles when it is due', async () => {
    const spender = await service.newPlatform();
    await spender.clock.freeze('2030-05-01T12:00:00.000Z');
    const { card, account } = await fundedCard(spender, 1_000);
    const network = networkOf(spender, card);
    const slow = await network.authorize(400, 'SHOP 005');
    const atOnce = await network.open('financial_authorization', 100, 'SHOP 005');
    assert.deepEqual([slow.status, atOnce.status], ['AUTHORIZED', 'AUTHORIZED']);
    await network.clear(slow, 400);
    await spender.clock.advance(29_999);
    assert.deepEqual([(await network.read(slow.id)).status, (await network.read(atOnce.id)).status], ['AUTHORIZED', 'AUTHORIZED']);
    assert.deepEqual(await moneyOn(service.db, account), { available: 500, total: 1_000 });
    await spender.clock.advance(1);
    assert.deepEqual([(await network.read(slow.id)).status, (await network.read(atOnce.id)).status], ['SETTLED', 'SETTLED']);
    assert.deepEqual(await moneyOn(service.db, account), { available: 500, total: 500 });
    await assertAtRest(service.db, await platformOf(service.db, card));
  });

  test('two partial clearings that wait for the pull both settle', async () => {
    const spender = await service.newPlatform();
    await spender.clock.freeze('2030-05-01T12:00:00.000Z');
    const { card, account } = await fundedCard(spender, 1_000);
    const network = networkOf(spender, card);
    const slow = await network.authorize(400, 'SHOP 005');
    await network.clear(slow, 150);
    await network.clear(slow, 150);
    await spender.clock.advance(30_000);
    assert.deepEqual(gist(await network.read(slow.id)), { status: 'PARTIALLY_SETTLED', authorized: 400, settled: 300 });
    assert.deepEqual(await moneyOn(service.db, account), { available: 600, total: 700 });
  });
});

test('descriptor 006: the pull fails with EXCEPTION; the account pays nothing, and its holder owes the clearing', async () => {
  const spender = await service.newPlatform();
  const { card, account } = await fundedCard(spender, 1_000);
  const network = networkOf(spender, card);
  const failed = await network.authorize(400, 'SHOP 006');
  assert.deepEqual(gist(failed), { status: 'EXCEPTION', authorized: 400 });
  assert.deepEqual(gist(await network.clear(failed, 400)), { status: 'EXCEPTION', authorized: 400, settled: 400 });
  assert.deepEqual(await moneyOn(service.db, account), { available: 1_000, total: 1_000 });
  const id = await platformOf(service.db, card);
  assert.equal(await owedOn(service.db, id), 400);
  await assertAtRest(service.db, id);
});

describe('refused', () => {
  const OPENINGS = [
    'authorization',
    'credit_authorization',
    'financial_authorization',
    'financial_credit_authorization',
    'credit_authorization_advice',
  ];

  test('409: the program of the card lets the issuer decide authorizations', async () => {
    const { card } = await givenCard(platform, { program: 'issuer_decided' });
    const network = networkOf(platform, card);
    await changesNothing(service.db, async () => {
      for (const name of OPENINGS) assertRefused(await network.send(name, purchaseOf(1)), 409, 'CONFLICT');
      assertRefused(await network.send('balance_inquiry', { merchant: merchant() }), 409, 'CONFLICT');
    });
  });

  test('404: a card id that is unknown, malformed or of another platform; the answers are identical', async () => {
    const { card } = await fundedCard(await service.newPlatform(), 1_000);
    const ids = [card.id, `Card:${randomUUID()}`, 'Card:x', randomUUID()];
    await changesNothing(service.db, async () => {
      const answers = await Promise.all(ids.flatMap((id) => OPENINGS.map((name) => networkOf(platform, { id }).send(name, purchaseOf(1)))));
      for (const answer of answers) assertRefused(answer, 404, 'NOT_FOUND');
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
      assertRefused(await networkOf(platform, card).send('balance_inquiry', { merchant: merchant() }), 404, 'NOT_FOUND');
    });
  });

  test('400: invalid amounts, currencies and merchants', async () => {
    const { card } = await fundedCard(platform, 1_000);
    const { send } = networkOf(platform, card);
    const body = purchaseOf(1);
    await changesNothing(service.db, async () => {
      for (const amount of [0, -1, 1.5, '1', null]) assertInvalid(await send('authorization', { ...body, amount }), 'amount');
      assertInvalid(await send('authorization', { ...body, currency: { ...USD, code: 'EUR' } }), 'currency.code');
      assertInvalid(await send('authorization', { ...body, currency: { ...USD, code: undefined } }), 'currency.code');
      for (const descriptor of ['', 'TWENTY-SIX CHARACTERS LONG'])
        assertInvalid(await send('authorization', { ...body, merchant: { descriptor } }), 'merchant.descriptor');
      assertInvalid(await send('authorization', { ...body, merchant: { ...body.merchant, mcc: '54111' } }), 'merchant.mcc');
      assertInvalid(await send('authorization', { ...body, extra: 1 }), 'extra');
    });
  });
});
