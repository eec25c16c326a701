// Cards funded from an embedded USDB wallet: the amount is pulled at authorization, and every pull is signed with the card's delegated key.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { uuidOf } from '../../../../src/kernel/ids.js';
import {
  assertAtRest,
  DAY,
  gist,
  moneyOn,
  networkOf,
  owedOn,
  platformOf,
  purchaseOf,
  walletCard,
} from '../../../support/card-transactions.js';
import { activating, closing, freezing } from '../../../support/cards.js';
import { type Answer, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { race } from '../../../support/race.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startOwnService({ RATE_LIMIT_PER_MINUTE: 'off' });
});
after(() => service.stop());

/** A wallet with 1,000 on a new platform with a frozen clock. */
async function spender() {
  const platform: Client = await service.newPlatform();
  await platform.clock.freeze();
  const world = await walletCard(platform, 1_000);
  const platformId = await platformOf(service.db, world.card);
  return {
    ...world,
    platform,
    network: networkOf(platform, world.card),
    money: () => moneyOn(service.db, world.account),
    owed: () => owedOn(service.db, platformId),
    atRest: () => assertAtRest(service.db, platformId),
  };
}

test('an authorization pulls the full amount, 1 USDB = 1 USD; the transaction is in USD', async () => {
  const { network, money, atRest } = await spender();
  const purchase = await network.authorize(400);
  assert.deepEqual([gist(purchase), purchase.authorizedAmount.currency.code], [{ status: 'AUTHORIZED', authorized: 400 }, 'USD']);
  assert.deepEqual(await money(), { available: 600, total: 600 });
  assert.deepEqual(gist(await network.clear(purchase, 400)), { status: 'SETTLED', authorized: 400, settled: 400 });
  assert.deepEqual(await money(), { available: 600, total: 600 });
  await atRest();
});

test('a pull sends INTERNAL_ACCOUNT.BALANCE_UPDATED for the wallet', async () => {
  const { platform, network, account } = await spender();
  await network.authorize(400);
  const { data } = await expectStatus(
    200,
    platform.get(`/webhooks/events?type=INTERNAL_ACCOUNT.BALANCE_UPDATED&objectId=${account.id}&limit=1`),
  );
  assert.equal(data[0].data.balance.amount, 600);
});

test('the whole balance is approved; one cent more is declined', async () => {
  const { network, money } = await spender();
  assert.equal((await network.authorize(1_001)).cardDeclinedReason, 'INSUFFICIENT_FUNDS');
  assert.equal((await network.authorize(1_000)).status, 'AUTHORIZED');
  assert.deepEqual(await money(), { available: 0, total: 0 });
});

test('a partial or full reversal returns the pulled amount, and so does an expiry by the network or by time', async () => {
  const { platform, network, money, atRest } = await spender();
  const [reversed, expired, forgotten] = [await network.authorize(100), await network.authorize(100), await network.authorize(100)];
  await network.reverse(reversed, 40);
  assert.deepEqual(await money(), { available: 740, total: 740 });
  await network.reverse(reversed);
  await network.expire(expired);
  assert.deepEqual(await money(), { available: 900, total: 900 });
  await platform.clock.advance(7 * DAY);
  assert.deepEqual(gist(await network.read(forgotten.id)), { status: 'VOIDED', authorized: 0 });
  assert.deepEqual(await money(), { available: 1_000, total: 1_000 });
  await atRest();
});

describe('a balance near the maximum leaves room for the return of pulled amounts', () => {
  const MOST = 9007199254740991;
  const outOfRange = (answer: Answer) => assertRefused(answer, 400, 'AMOUNT_OUT_OF_RANGE');

  test('incoming money that would exceed the maximum is refused, so that expiry and closing always succeed', async () => {
    const { platform, card, account, network, money, atRest } = await spender();
    const settled = await network.clear(await network.authorize(100), 100);
    const [expired, closed] = [await network.authorize(400), await network.authorize(500)];
    const inFlight = await network.open('credit_authorization', 5);
    await expectStatus(202, network.send('dispute_open', { cardTransactionId: settled.id, amount: 50 }));
    assert.equal((await network.open('financial_credit_authorization', MOST - 900)).status, 'SETTLED');
    await changesNothing(service.db, async () => {
      outOfRange(await network.send('financial_credit_authorization', purchaseOf(1)));
      outOfRange(await network.send('clearing', { cardTransactionId: inFlight.id, amount: 1 }));
      outOfRange(await network.send('return', { cardTransactionId: settled.id, amount: 1 }));
      outOfRange(await network.send('dispute_provisional_credit', { cardTransactionId: settled.id, amount: 1 }));
      outOfRange(await network.send('dispute_close', { cardTransactionId: settled.id, disposition: 'WON' }));
      outOfRange(await platform.post(`/sandbox/internal-accounts/${account.id}/fund`, { amount: 1 }));
    });
    assert.equal((await network.expire(expired)).status, 'VOIDED');
    await expectStatus(200, platform.patch(`/cards/${card.id}`, closing));
    assert.equal((await network.read(closed.id)).status, 'VOIDED');
    assert.deepEqual(await money(), { available: MOST, total: MOST });
    await atRest();
  });

  race('a pull in a concurrent request is included', async () => {
    const { platform, network, money, atRest } = await spender();
    const [held, paid] = await Promise.all([
      network.send('authorization', purchaseOf(1_000)),
      network.send('financial_credit_authorization', purchaseOf(MOST)),
    ]);
    await expectStatus(202, Promise.resolve(held));
    outOfRange(paid);
    await platform.clock.advance(7 * DAY);
    assert.deepEqual(await money(), { available: 1_000, total: 1_000 });
    await atRest();
  });
});

test('partial clearings both settle, and the rest is returned at expiry; an over-clearing pulls the difference; a return is paid to the wallet', async () => {
  const { network, money, atRest } = await spender();
  const twice = await network.authorize(400);
  await network.clear(twice, 150);
  await network.clear(twice, 150);
  assert.deepEqual(gist(await network.expire(twice)), { status: 'SETTLED', authorized: 400, settled: 300 });
  assert.deepEqual(await money(), { available: 700, total: 700 });
  const dinner = await network.clear(await network.authorize(500), 600);
  assert.deepEqual([dinner.status, await money()], ['SETTLED', { available: 100, total: 100 }]);
  await network.giveBack(dinner, 600);
  assert.deepEqual(await money(), { available: 700, total: 700 });
  await atRest();
});

test('an over-clearing above the balance of the wallet is EXCEPTION: the wallet pays what it has, and its holder owes the rest', async () => {
  const { network, money, owed, atRest } = await spender();
  assert.equal((await network.clear(await network.authorize(900), 1_001)).status, 'EXCEPTION');
  assert.deepEqual([await money(), await owed()], [{ available: 0, total: 0 }, 1]);
  await atRest();
});

test('"if that fails the transaction is EXCEPTION": the wallet refuses the key for an over-clearing, and its holder owes it', async () => {
  const { account, network, money, owed, atRest } = await spender();
  const [over, advised] = [await network.authorize(400), await network.authorize(100)];
  // The wallet has removed the key, and for the service it is still ACTIVE.
  await service.db.run(sql`update wallet_signers set deleted_at = now() where account_id = ${uuidOf(account.id)}`);
  assert.deepEqual(gist(await network.clear(over, 500)), { status: 'EXCEPTION', authorized: 400, settled: 500 });
  await network.advise(advised, 150);
  assert.deepEqual([await money(), await owed()], [{ available: 500, total: 500 }, 100]);
  await atRest();
});

test('an advice of a larger total pulls the difference; an advice of a smaller total returns it', async () => {
  const { network, money } = await spender();
  const purchase = await network.authorize(100);
  await network.advise(purchase, 300);
  assert.deepEqual(await money(), { available: 700, total: 700 });
  await network.advise(purchase, 50);
  assert.deepEqual(await money(), { available: 950, total: 950 });
});

test('descriptor 005: the amount is held until the delayed pull; after a reversal nothing is pulled', async () => {
  const { platform, network, money, atRest } = await spender();
  const slow = await network.authorize(400, 'SHOP 005');
  const undone = await network.authorize(100, 'SHOP 005');
  assert.deepEqual(await money(), { available: 500, total: 1_000 });
  await network.reverse(undone);
  await platform.clock.advance(30_000);
  assert.deepEqual([(await network.read(slow.id)).status, await money()], ['AUTHORIZED', { available: 600, total: 600 }]);
  assert.equal((await network.clear(slow, 400)).status, 'SETTLED');
  assert.deepEqual(await money(), { available: 600, total: 600 });
  await atRest();
});

test('a revoked key: the card is PENDING, new authorizations are declined, pulled amounts clear, and the holder owes what is above them', async () => {
  const { platform, card, key, network, money, owed, atRest } = await spender();
  const [exact, over, reversed] = [await network.authorize(100), await network.authorize(100), await network.authorize(100)];
  const slow = await network.authorize(100, 'SHOP 005');
  await expectStatus(204, platform.delete(`/auth/delegated-keys/${key.id}`));
  assert.equal((await network.authorize(1)).cardDeclinedReason, 'CARD_NOT_ACTIVE');
  assert.equal((await network.clear(exact, 100)).status, 'SETTLED');
  assert.equal((await network.clear(over, 110)).status, 'EXCEPTION');
  assert.equal((await network.reverse(reversed)).status, 'VOIDED');
  assert.deepEqual([await money(), await owed()], [{ available: 690, total: 790 }, 0], 'what the reversal returns first pays what is owed');
  await platform.clock.advance(30_000);
  assert.deepEqual(await money(), { available: 790, total: 790 }, 'without its key nothing is pulled from the wallet');
  assert.equal((await network.clear(slow, 100)).status, 'EXCEPTION');
  assert.deepEqual([await money(), await owed()], [{ available: 790, total: 790 }, 100]);
  assert.equal((await expectStatus(200, platform.get(`/cards/${card.id}`))).status, 'PENDING');
  await atRest();
});

test('freezing declines new authorizations; closing returns open amounts, and a late presentment is still pulled with the key', async () => {
  const { platform, card, network, money, atRest } = await spender();
  const purchase = await network.authorize(400);
  await expectStatus(200, platform.patch(`/cards/${card.id}`, freezing));
  assert.equal((await network.authorize(1)).cardDeclinedReason, 'CARD_NOT_ACTIVE');
  await expectStatus(200, platform.patch(`/cards/${card.id}`, activating));
  await expectStatus(200, platform.patch(`/cards/${card.id}`, closing));
  assert.deepEqual([(await network.read(purchase.id)).status, await money()], ['VOIDED', { available: 1_000, total: 1_000 }]);
  assert.deepEqual(gist(await network.clear(purchase, 400)), { status: 'SETTLED', authorized: 0, settled: 400 });
  assert.deepEqual(await money(), { available: 600, total: 600 });
  await atRest();
});

test('a change of the funding source affects new authorizations only', async () => {
  const { platform, card, customer, network, money, atRest } = await spender();
  const fromWallet = await network.authorize(400);
  const usd = await given(platform).fund(await given(platform).account(customer, 'USD'), 500);
  await expectStatus(200, platform.patch(`/cards/${card.id}`, { fundingSource: usd.id }));
  const fromAccount = await network.authorize(500);
  assert.deepEqual([fromWallet.accountId === fromAccount.accountId, fromAccount.accountId], [false, usd.id]);
  await network.reverse(fromWallet);
  assert.deepEqual(await money(), { available: 1_000, total: 1_000 });
  await network.clear(fromAccount, 500);
  assert.deepEqual(await moneyOn(service.db, usd), { available: 0, total: 0 });
  await atRest();
});
