// What an account cannot pay is owed by its holder, recovered from the next money that arrives, and shown on the account.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  assertAtRest,
  fundedCard,
  gist,
  lentByReserve,
  moneyOn,
  networkOf,
  platformOf,
  walletCard,
} from '../../../support/card-transactions.js';
import { type Client, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { readWindow } from '../../../support/statements/history.js';

let service: TestService;
before(async () => {
  service = await startTestService({ RATE_LIMIT_PER_MINUTE: 'off' });
});
after(() => service.stop());

/** A card with 1,000 whose purchase of 1,000 the network cleared with 1,300: its holder owes 300. */
async function debtor(funded: typeof fundedCard | typeof walletCard = fundedCard) {
  const platform: Client = await service.newPlatform();
  await platform.clock.freeze('2030-05-10T12:00:00.000Z');
  const { card, account, customer } = await funded(platform, 1_000);
  const network = networkOf(platform, card);
  const purchase = await network.clear(await network.authorize(1_000), 1_300);
  assert.equal(purchase.status, 'EXCEPTION');
  const platformId = await platformOf(service.db, card);
  return {
    platform,
    card,
    account,
    customer,
    network,
    purchase,
    fund: (amount: number) => given(platform).fund(account, amount),
    shown: async () => {
      const found = await expectStatus(200, platform.get(`/internal-accounts/${account.id}`));
      return { balance: found.balance.amount, total: found.totalBalance.amount, owed: found.amountOwed?.amount };
    },
    atRest: async () => {
      await assertAtRest(service.db, platformId);
      assert.equal(await lentByReserve(service.db, platformId), 0, 'the reserve pays for no holder');
    },
  };
}

const FUNDINGS = { 'a USD account': fundedCard, 'an embedded wallet': walletCard };

for (const [what, funded] of Object.entries(FUNDINGS))
  test(`${what}: the account shows the debt until deposits have recovered it`, async () => {
    const { fund, shown, atRest } = await debtor(funded);
    assert.deepEqual(await shown(), { balance: 0, total: 0, owed: 300 });
    await fund(200);
    assert.deepEqual(await shown(), { balance: 0, total: 0, owed: 100 });
    await fund(150);
    assert.deepEqual(await shown(), { balance: 50, total: 50, owed: undefined });
    await atRest();
  });

test('the statement shows the deposit and the recovery as rows of their own, and adds up', async () => {
  const { platform, account, fund } = await debtor();
  await fund(500);
  await platform.clock.freeze('2030-07-01T12:00:00.000Z');
  const { opening, closing, changes } = await readWindow(platform, account.id, '2030-05-01T05:00:00Z', '2030-06-01T05:00:00Z');
  assert.deepEqual(
    [opening, closing, changes.map(({ amount, transactionId }) => [amount, transactionId !== undefined])],
    [
      0,
      200,
      [
        [1_000, true],
        [-1_000, true],
        [500, true],
        [-300, false],
      ],
    ],
  );
  const page = await platform.get(`/internal-accounts/${account.id}/statement?periodStart=2030-05-01`);
  assert.match(page.text, /Receivable recovery/);
});

describe('money that arrives pays what is owed first', () => {
  test('a return', async () => {
    const { network, purchase, shown, atRest } = await debtor();
    await network.giveBack(purchase, 400);
    assert.deepEqual(await shown(), { balance: 100, total: 100, owed: undefined });
    await atRest();
  });

  test('a credit of the network', async () => {
    const { network, shown, atRest } = await debtor();
    await network.open('financial_credit_authorization', 100);
    assert.deepEqual(await shown(), { balance: 0, total: 0, owed: 200 });
    await atRest();
  });

  test('a provisional credit and the amount that a dispute recovers', async () => {
    const { network, purchase, shown, atRest } = await debtor();
    const dispute = (step: string, fields: object = {}) =>
      expectStatus(202, network.send(`dispute_${step}`, { cardTransactionId: purchase.id, ...fields }));
    await dispute('open', { amount: 500 });
    await dispute('provisional_credit', { amount: 350 });
    assert.deepEqual(await shown(), { balance: 50, total: 50, owed: undefined });
    await dispute('close', { disposition: 'WON' });
    assert.deepEqual(await shown(), { balance: 200, total: 200, owed: undefined });
    await atRest();
  });

  test('a reversed authorization: what it held pays what is owed', async () => {
    const platform = await service.newPlatform();
    const { card, account } = await fundedCard(platform, 1_000);
    const network = networkOf(platform, card);
    const [held, over] = [await network.authorize(700), await network.authorize(300)];
    assert.equal((await network.clear(over, 500)).status, 'EXCEPTION');
    await network.reverse(held);
    assert.deepEqual(await moneyOn(service.db, account), { available: 500, total: 500 });
    await assertAtRest(service.db, await platformOf(service.db, card));
  });

  test('a deposit to a rule-based account: the holder pays, and only the rest is swept', async () => {
    const { platform, customer, shown, atRest } = await debtor();
    const [destination] = (await expectStatus(200, platform.get('/platform/internal-accounts?currency=USD'))).data;
    const rule = await expectStatus(
      201,
      platform.post('/internal-accounts', {
        type: 'RULE_BASED',
        currency: 'USD',
        customerId: customer.id,
        sweepRule: { destination: { accountId: destination.id } },
      }),
    );
    await given(platform).fund(rule, 200);
    assert.deepEqual(await shown(), { balance: 0, total: 0, owed: 100 });
    await given(platform).fund(rule, 150);
    assert.deepEqual([await shown(), (await moneyOn(service.db, destination)).total], [{ balance: 0, total: 0, owed: undefined }, 50]);
    await atRest();
  });
});

test('owed money is not available to an authorization', async () => {
  const platform = await service.newPlatform();
  const { card, account } = await fundedCard(platform, 1_000);
  const network = networkOf(platform, card);
  // The pull failed although the account could pay: the money is there, and its holder owes part of it.
  await network.clear(await network.authorize(400, 'SHOP 006'), 400);
  assert.deepEqual(gist(await network.authorize(601)), { status: 'DECLINED', authorized: 601, declined: 'INSUFFICIENT_FUNDS' });
  assert.equal((await network.authorize(600)).status, 'AUTHORIZED');
  assert.deepEqual(await moneyOn(service.db, account), { available: 400, total: 1_000 });
  await assertAtRest(service.db, await platformOf(service.db, card));
});

test('a deleted customer who owes money: the deletion succeeds, the account stays open, and a later return pays', async () => {
  const { platform, customer, network, purchase, account, atRest } = await debtor();
  await expectStatus(200, platform.delete(`/customers/${customer.id}`));
  await network.giveBack(purchase, 350);
  assert.deepEqual(await moneyOn(service.db, account), { available: 50, total: 50 });
  await atRest();
});
