import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { eventsAbout, type WrittenEvent } from '../../../support/database-state.js';
import { given } from '../../../support/given.js';
import { assertLedgerHolds } from '../../../support/ledger.js';
import { race } from '../../../support/race.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { MINUTE, type StablecoinBuilder, stablecoins } from '../../../support/stablecoins.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

async function world(): Promise<{ client: Client; build: StablecoinBuilder; coin: Resource }> {
  const client = await service.newPlatform();
  const build = stablecoins(client);
  await client.clock.freeze();
  return { client, build, coin: await build.stablecoin() };
}

const toBank = (externalAccountId: string, rail = 'WIRE') => ({ destination: { type: 'EXTERNAL_ACCOUNT', externalAccountId, rail } });
const toInternal = (accountId: string) => ({ destination: { type: 'GRID_INTERNAL_ACCOUNT', accountId, rail: 'WIRE' } });

test('201 EXTERNAL_ACCOUNT: PENDING_FUNDING with a fresh Spark address, for seven days', async () => {
  const { client, build, coin } = await world();
  const bank = await build.bank();
  const burn = () => expectStatus(201, build.burn(coin, '2500000', { source: { type: 'EXTERNAL_ACCOUNT' }, ...toBank(bank.id) }));
  const operation = await burn();
  const now = await client.clock.now();
  assert.equal(operation.status, 'PENDING_FUNDING');
  assert.equal(operation.operationType, 'BURN');
  assert.deepEqual(operation.source, { type: 'EXTERNAL_ACCOUNT' });
  const { address, ...rest } = operation.fundingInstructions;
  assert.deepEqual(rest, { rail: 'SPARK', network: 'SPARK', valueType: coin.providerTokenIdentifier });
  assert.match(address, /^sparkrt1/);
  assert.notEqual((await burn()).fundingInstructions.address, address);
  assert.equal(operation.expiresAt, new Date(now.getTime() + 7 * 24 * 60 * MINUTE).toISOString());
  assert.deepEqual(operation.destination, { accountId: bank.id, rail: 'WIRE' });
  assert.deepEqual(operation.estimatedDelivery, { rail: 'WIRE', amount: '250', currency: 'USD', timing: 'same business day' });
});

test('201 PROVIDER_INTERNAL_BALANCE: PENDING_PROVIDER without instructions; every rail has its timing', async () => {
  const { build, coin } = await world();
  const bank = await build.bank();
  const timings: Record<string, string> = {};
  for (const rail of ['WIRE', 'ACH_CREDIT', 'SAME_DAY_ACH_CREDIT', 'RTP_CREDIT']) {
    const operation = await expectStatus(201, build.burn(coin, '1000000', toBank(bank.id, rail)));
    assert.equal(operation.status, 'PENDING_PROVIDER');
    assert.deepEqual([operation.fundingInstructions, operation.expiresAt], [undefined, undefined]);
    assert.deepEqual(operation.source, {
      type: 'PROVIDER_INTERNAL_BALANCE',
      sourceTokenIdentifier: coin.providerTokenIdentifier,
      cryptoNetwork: 'SPARK',
    });
    timings[rail] = operation.estimatedDelivery.timing;
  }
  assert.deepEqual(timings, {
    WIRE: 'same business day',
    SAME_DAY_ACH_CREDIT: 'same business day',
    ACH_CREDIT: '1-3 business days',
    RTP_CREDIT: 'within minutes',
  });
});

describe('refusals', () => {
  test('400 STABLECOIN_BURN_SOURCE_NOT_SUPPORTED: an internal account as source', async () => {
    const { build, coin } = await world();
    const source = { type: 'GRID_INTERNAL_ACCOUNT', accountId: `InternalAccount:${randomUUID()}` };
    assertRefused(await build.burn(coin, '1000000', { source }), 400, 'STABLECOIN_BURN_SOURCE_NOT_SUPPORTED');
  });

  test('external destinations: 404 unknown, 400 another kind, 400 the provider refuses it', async () => {
    const { build, coin } = await world();
    assertRefused(await build.burn(coin, '1000000', toBank('x')), 404, 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_FOUND');
    const wallet = await build.wallet();
    assertRefused(await build.burn(coin, '1000000', toBank(wallet.id)), 400, 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED');
    const refused = await build.bank('008');
    assertRefused(await build.burn(coin, '1000000', toBank(refused.id)), 400, 'STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_FAILED');
  });

  test('internal destinations: 404 ACCOUNT_NOT_FOUND unknown or foreign, 400 INVALID_INPUT other kinds', async () => {
    const { client, build, coin } = await world();
    const foreign = await given((await world()).client).fundedAccount('USD', 0);
    for (const id of [foreign.id, `InternalAccount:${randomUUID()}`, 'x'])
      assertRefused(await build.burn(coin, '1000000', toInternal(id)), 404, 'ACCOUNT_NOT_FOUND');
    const usdb = await given(client).fundedAccount('USDB', 0);
    assertInvalid(await build.burn(coin, '1000000', toInternal(usdb.id)), 'destination.accountId');
  });

  test('400 INVALID_INPUT: shapes', async () => {
    const { build, coin } = await world();
    assertInvalid(
      await build.burn(coin, '1000000', { destination: { type: 'EXTERNAL_ACCOUNT', rail: 'PIGEON' } }),
      'destination.externalAccountId',
      'destination.rail',
    );
    assertInvalid(await build.burn(coin, '0'), 'amount');
  });
});

describe('proceeds to an account in the service', () => {
  for (const owner of ['customer', 'platform'] as const) {
    test(`the ${owner}'s USD account is credited once, like a bank deposit, when the operation completes`, async () => {
      const { client, build, coin } = await world();
      const account =
        owner === 'customer'
          ? await given(client).fundedAccount('USD', 100)
          : (await expectStatus(200, client.get('/platform/internal-accounts?currency=USD'))).data[0];
      const before = account.balance.amount;
      const balance = async () => (await expectStatus(200, client.get(`/internal-accounts/${account.id}`))).balance.amount - before;
      const operation = await expectStatus(201, build.burn(coin, '1230000', { ...toInternal(account.id), description: 'proceeds' }));
      assert.deepEqual(operation.destination, { accountId: account.id, rail: 'WIRE' });
      await client.clock.advance(MINUTE);
      assert.deepEqual([(await build.operation(operation)).status, await balance()], ['PROCESSING', 0]);
      await client.clock.advance(MINUTE);
      assert.deepEqual([(await build.operation(operation)).status, await balance()], ['COMPLETED', 123]);
      await client.clock.advance(60 * MINUTE);
      assert.equal(await balance(), 123);

      const platformUuid = (await platformIdOf(service, client)).split(':')[1];
      const events = await service.db.many<WrittenEvent>(
        sql`select type, data from webhook_events where platform_id = ${platformUuid} and type like 'INCOMING_PAYMENT.%' and data->>'description' = 'proceeds'`,
      );
      assert.deepEqual(
        events.map(({ type }) => type),
        ['INCOMING_PAYMENT.COMPLETED'],
      );
      assert.equal(events[0]?.data.status, 'COMPLETED');
      assert.equal(events[0]?.data.receivedAmount.amount, 123);
      assert.equal(events[0]?.data.destination.accountId, account.id);
      assert.ok((await eventsAbout(service.db, account.id)).some(({ type }) => type === 'INTERNAL_ACCOUNT.BALANCE_UPDATED'));
      await assertLedgerHolds(service.db, await platformIdOf(service, client));
    });
  }

  test('a failed burn credits nothing', async () => {
    const { client, build, coin } = await world();
    const account = await given(client).fundedAccount('USD', 0);
    const operation = await expectStatus(201, build.burn(coin, String(1002n * 10_000n), toInternal(account.id)));
    await client.clock.advance(60 * MINUTE);
    assert.equal((await build.operation(operation)).status, 'FAILED');
    assert.equal((await expectStatus(200, client.get(`/internal-accounts/${account.id}`))).balance.amount, 0);
  });

  test('an account that was closed meanwhile is not credited: the money is in suspense, and the ledger holds', async () => {
    const { client, build, coin } = await world();
    const account = await given(client).fundedAccount('USD', 0);
    const operation = await expectStatus(201, build.burn(coin, '1230000', toInternal(account.id)));
    await client.delete(`/customers/${account.customerId}`);
    await client.clock.advance(60 * MINUTE);
    assert.equal((await build.operation(operation)).status, 'COMPLETED');
    const platformId = await platformIdOf(service, client);
    const suspended = await service.db.many<{ amount: bigint }>(
      sql`select amount from transfers where platform_id = ${platformId.split(':')[1]} and cause = 'DEPOSIT_SUSPENDED'`,
    );
    assert.deepEqual(suspended, [{ amount: 123n }]);
    await assertLedgerHolds(service.db, platformId);
  });
});

describe('the balance at the provider: 1,000,000 whole tokens', () => {
  const WHOLE = 1_000_000n;

  test('an amount beyond it ends FAILED PROVIDER_INSUFFICIENT_BALANCE at its first step', async () => {
    const { client, build, coin } = await world();
    const most = await expectStatus(201, build.burn(coin, String(1_000_000n * WHOLE)));
    const beyond = await expectStatus(201, build.burn(coin, String(WHOLE)));
    assert.equal(beyond.status, 'PENDING_PROVIDER');
    await client.clock.advance(MINUTE);
    const failed = await build.operation(beyond);
    assert.deepEqual([failed.status, failed.failureReason, failed.providerStatus], ['FAILED', 'PROVIDER_INSUFFICIENT_BALANCE', 'failed']);
    assert.equal((await build.operation(most)).status, 'PROCESSING');
  });

  test('a burn that fails later gives the amount back', async () => {
    const { client, build, coin } = await world();
    // 999,999.99 dollars that end in 002 cents.
    const failing = String(99_999_002n * 10_000n);
    await expectStatus(201, build.burn(coin, failing));
    const early = await expectStatus(201, build.burn(coin, failing));
    await client.clock.advance(2 * MINUTE);
    const late = await expectStatus(201, build.burn(coin, String(999_000n * WHOLE)));
    await client.clock.advance(2 * MINUTE);
    assert.equal((await build.operation(early)).failureReason, 'PROVIDER_INSUFFICIENT_BALANCE');
    assert.equal((await build.operation(late)).status, 'COMPLETED');
  });

  race('64 burns at once take no more than there is', async () => {
    const { client, build, coin } = await world();
    const bank = await build.bank();
    const each = 50_000n * WHOLE;
    const operations = await Promise.all(
      Array.from({ length: 64 }, () => expectStatus(201, build.burn(coin, String(each), toBank(bank.id)))),
    );
    await client.clock.advance(10 * MINUTE);
    const ended = await Promise.all(operations.map((operation) => build.operation(operation)));
    assert.equal(ended.filter(({ status }) => status === 'COMPLETED').length, 20);
    assert.equal(ended.filter(({ failureReason }) => failureReason === 'PROVIDER_INSUFFICIENT_BALANCE').length, 44);
  });
});
