import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertInvalid, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
  await given(service.platform).customer();
});
after(() => service.stop());

const list = async (query = '', platform = service.platform): Promise<string[]> =>
  (await expectStatus(200, platform.get(`/platform/internal-accounts${query}`))).data.map(
    ({ balance, type, status }: { balance: { currency: { code: string } }; type: string; status: string }) =>
      `${balance.currency.code} ${type} ${status}`,
  );

test("one account per currency of the platform, none of a customer's", async () => {
  assert.deepEqual(await list(), ['USD INTERNAL_FIAT ACTIVE', 'USDB INTERNAL_CRYPTO ACTIVE']);
});

test('filters by currency and type', async () => {
  assert.deepEqual(await list('?currency=USD'), ['USD INTERNAL_FIAT ACTIVE']);
  assert.deepEqual(await list('?type=INTERNAL_CRYPTO'), ['USDB INTERNAL_CRYPTO ACTIVE']);
  assert.deepEqual(await list('?currency=USD&type=INTERNAL_CRYPTO'), []);
  assertInvalid(await service.platform.get('/platform/internal-accounts?type=PIGGY_BANK'), 'type');
  assertInvalid(await service.platform.get('/platform/internal-accounts?customerId=x'), 'customerId');
});

test('a currency that is added opens an account, once', async () => {
  const platform = await service.newPlatform();
  const { supportedCurrencies } = await expectStatus(200, platform.get('/config'));
  const added = [...supportedCurrencies, { ...supportedCurrencies[0], currencyCode: 'MXN' }];
  for (const _again of [1, 2]) await expectStatus(200, platform.patch('/config', { supportedCurrencies: added }));
  assert.deepEqual(await list('', platform), ['USD INTERNAL_FIAT ACTIVE', 'USDB INTERNAL_CRYPTO ACTIVE', 'MXN INTERNAL_FIAT ACTIVE']);
});

test('every currency has payment instructions that match their schema', async () => {
  const platform = await service.newPlatform();
  const { supportedCurrencies } = await expectStatus(200, platform.get('/config'));
  const codes = ['EUR', 'MXN', 'BRL', 'COP', 'ARS', 'JMD', 'USDC', 'USDT', 'BTC'];
  const added = codes.map((currencyCode) => ({ ...supportedCurrencies[0], currencyCode }));
  await expectStatus(200, platform.patch('/config', { supportedCurrencies: [...supportedCurrencies, ...added] }));
  const { data } = await expectStatus(200, platform.get('/platform/internal-accounts'));
  assert.equal(data.length, 11);
  for (const { fundingPaymentInstructions } of data) assert.ok(fundingPaymentInstructions.length > 0);
});
