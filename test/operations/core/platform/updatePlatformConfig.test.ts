import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startOwnService, startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
});
after(() => service.stop());

const patch = (body: unknown) => platform.patch('/config', body);
const config = () => expectStatus(200, platform.get('/config'));
const currency = (currencyCode: string, more: Record<string, unknown> = {}) => ({
  currencyCode,
  minAmount: 1,
  maxAmount: 100,
  requiredCounterpartyFields: [],
  enabledTransactionTypes: ['INCOMING'],
  ...more,
});

/** The request is refused and the configuration stays as it was. */
async function refused(body: unknown, ...fields: string[]): Promise<void> {
  const before = await config();
  assertInvalid(await patch(body), ...fields);
  assert.deepEqual(await config(), before);
}

describe('200', () => {
  test('cardConfigs: absent leaves, a value sets, null clears', async () => {
    await expectStatus(200, patch({ cardConfigs: { maxSpendPerDay: 500, maxSpendPerTransaction: 100 } }));
    const set = await expectStatus(200, patch({ cardConfigs: { maxTransactionsPerDay: 3 } }));
    assert.deepEqual(set.cardConfigs, { maxSpendPerDay: 500, maxSpendPerTransaction: 100, maxTransactionsPerDay: 3 });
    const cleared = await expectStatus(
      200,
      patch({ cardConfigs: { maxSpendPerDay: null, maxSpendPerTransaction: null, maxTransactionsPerDay: null } }),
    );
    assert.deepEqual(cleared.cardConfigs, {});
    assert.deepEqual((await config()).cardConfigs, {});
  });

  test('embeddedWalletConfig merges member by member', async () => {
    await expectStatus(200, patch({ embeddedWalletConfig: { appName: 'Acme', otpLength: 8 } }));
    const { embeddedWalletConfig } = await expectStatus(200, patch({ embeddedWalletConfig: { otpLength: 4 } }));
    assert.deepEqual(embeddedWalletConfig, { appName: 'Acme', otpLength: 4 });
  });

  for (const url of ['https://example.com', 'https://[2606:4700::1111]:8443/a', "https://example.com/a-b_c.~!$&'()*+,;=:/%C3%A9?q=/?"])
    test(`URIs are taken as they are written: ${url}`, async () => {
      const own = await service.newPlatform();
      const changed = await expectStatus(200, own.patch('/config', { webhookEndpoint: url, cardConfigs: { panRevealCssUrl: url } }));
      assert.deepEqual([changed.webhookEndpoint, changed.cardConfigs.panRevealCssUrl], [url, url]);
    });

  test('supportedCurrencies are replaced', async () => {
    const other = await service.newPlatform();
    const { supportedCurrencies } = await expectStatus(200, other.patch('/config', { supportedCurrencies: [currency('EUR')] }));
    assert.deepEqual(supportedCurrencies, [currency('EUR')]);
  });

  test('a fee replaces the fee with its key; a fee of zero removes it', async () => {
    const fee = (variableFeeBps: number, amount: number) => ({
      feeType: 'RAIL',
      rail: 'ACH',
      direction: 'OUT',
      originator: 'EXTERNAL',
      variableFeeBps,
      fixedFee: { amount, currency: 'USD' },
    });
    await expectStatus(200, patch({ feeConfigs: [fee(10, 5)] }));
    assert.deepEqual((await expectStatus(200, patch({ feeConfigs: [fee(20, 5)] }))).feeConfigs, [fee(20, 5)]);
    assert.deepEqual((await expectStatus(200, patch({ feeConfigs: [fee(0, 0)] }))).feeConfigs, []);
  });

  test('updatedAt moves with the clock', async () => {
    const at = await platform.clock.freeze('2031-05-01T12:00:00Z');
    const { updatedAt } = await expectStatus(200, patch({ umaDomain: 'pay.example.com' }));
    assert.equal(updatedAt, at.toISOString());
  });
});

test('read-only members of a currency are accepted and not stored', async () => {
  const sent = currency('USD', {
    providerRequiredCustomerFields: ['FULL_NAME'],
    providerRequiredCounterpartyCustomerFields: ['FULL_NAME'],
  });
  const platform = await service.newPlatform();
  const { supportedCurrencies } = await expectStatus(200, platform.patch('/config', { supportedCurrencies: [sent] }));
  assert.deepEqual(supportedCurrencies, [currency('USD')]);
});

describe('400 INVALID_INPUT', () => {
  test('an unknown field', () => refused({ isRegulated: true }, 'isRegulated'));
  test('limits are integers of at least 1', () =>
    refused(
      { cardConfigs: { maxSpendPerDay: 0, maxSpendPerTransaction: -1, maxTransactionsPerDay: 2_147_483_648 } },
      'cardConfigs.maxSpendPerDay',
      'cardConfigs.maxSpendPerTransaction',
      'cardConfigs.maxTransactionsPerDay',
    ));
  test('an unknown currency', () => refused({ supportedCurrencies: [currency('XXX')] }, 'supportedCurrencies.0.currencyCode'));
  test('a currency listed twice', () =>
    refused({ supportedCurrencies: [currency('USD'), currency('USD')] }, 'supportedCurrencies.1.currencyCode'));
  test('a minimum above the maximum', () =>
    refused({ supportedCurrencies: [currency('USD', { minAmount: 101 })] }, 'supportedCurrencies.0.minAmount'));
  // What no delivery could reach: a scheme, a port or a literal address that is never called.
  for (const endpoint of [
    '',
    'nonsense',
    'ftp://example.com',
    'javascript:alert(1)',
    'http://user:pass@example.com',
    'https://example.com/#part',
    'https://example.com:22/',
    'https://example.com:0/',
    'https://example.com./',
    'http://10.0.0.1:8080/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00::1]:8080/',
    'http://0x0a000001/',
  ]) {
    test(`a webhook endpoint of "${endpoint}"`, () => refused({ webhookEndpoint: endpoint }, 'webhookEndpoint'));
  }
  // A parser of URLs repairs these or takes them as they are, but answers show them, and their members are URIs.
  for (const path of [' ', 'a b', 'a\n', 'a\tb', '\\a', 'a"b', '<b>', 'a^b', 'a`b', '{id}', 'a|b', 'ä', 'a[b]', '%', '%zz', 'a#b#c']) {
    const url = JSON.stringify(`https://example.com/${path}`);
    test(`a webhook endpoint of ${url}, which is no URI`, () => refused({ webhookEndpoint: JSON.parse(url) }, 'webhookEndpoint'));
    test(`a style sheet at ${url}, which is no URI`, () =>
      refused({ cardConfigs: { panRevealCssUrl: JSON.parse(url) } }, 'cardConfigs.panRevealCssUrl'));
  }
  test('a webhook endpoint with a space before it', () => refused({ webhookEndpoint: ' https://example.com/' }, 'webhookEndpoint'));
  for (const origin of [
    'http://example.com',
    'https://例え.jp',
    'https://a,b',
    "https://a;'b",
    'https://a%41.com',
    'https://a.com/',
    'https://x:99999',
  ])
    test(`an origin of "${origin}"`, () => refused({ cardConfigs: { pinTargetOrigin: origin } }, 'cardConfigs.pinTargetOrigin'));
  for (const domain of ['bank.4', '1.2', 'bank.0x1', 'xn--a.example'])
    test(`a UMA domain of "${domain}", which no URL has`, () => refused({ umaDomain: domain }, 'umaDomain'));
  test('a fee in a currency that does not exist', () =>
    refused(
      {
        feeConfigs: [
          { feeType: 'CROSS_CURRENCY_TRANSACTION', variableFeeBps: 5, fixedFee: { amount: 1, currency: 'NOPE' }, sourceCurrency: 'USD' },
        ],
      },
      'feeConfigs.0.fixedFee.currency',
    ));
  test('a fee for conversions from a currency whose fixed part is in another one: it could never be charged', () =>
    refused(
      {
        feeConfigs: [
          { feeType: 'CROSS_CURRENCY_TRANSACTION', variableFeeBps: 100, fixedFee: { amount: 50, currency: 'EUR' }, sourceCurrency: 'USD' },
        ],
      },
      'feeConfigs.0.fixedFee.currency',
    ));
  test('an unknown kind of fee names the discriminator', () => refused({ feeConfigs: [{ feeType: 'NOPE' }] }, 'feeConfigs.0.feeType'));
});

describe('501 NOT_IMPLEMENTED: a fee that is not supported', () => {
  const euros = { variableFeeBps: 1, fixedFee: { amount: 5, currency: 'EUR' } };
  for (const [name, fee] of [
    ['of conversions from EUR', { feeType: 'CROSS_CURRENCY_TRANSACTION', sourceCurrency: 'EUR', ...euros }],
    [
      'of a rail, in EUR: it would take the place of the fee in USD',
      { feeType: 'RAIL', rail: 'ACH', direction: 'OUT', originator: 'GRID', ...euros },
    ],
  ] as const)
    test(name, async () => {
      const before = await config();
      assertRefused(await patch({ feeConfigs: [fee] }), 501, 'NOT_IMPLEMENTED');
      assert.deepEqual(await config(), before);
    });
});

test('one platform never sees the configuration of another', async () => {
  const other = await service.newPlatform();
  await expectStatus(200, platform.patch('/config', { cardConfigs: { maxSpendPerDay: 77 } }));
  assert.equal((await other.get('/config')).body.cardConfigs, undefined);
});

test('400: in live mode an endpoint on this machine or in a private network, or without TLS', async () => {
  const live = await startOwnService({ MODE: 'live', KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') });
  try {
    const own = await live.newPlatform();
    const before = (await own.get('/config')).text;
    for (const endpoint of [
      'http://hooks.example/',
      'https://127.0.0.1/',
      'https://[::1]:8443/',
      'https://192.168.0.1/',
      'https://hooks.example:80/',
    ])
      assertInvalid(await own.patch('/config', { webhookEndpoint: endpoint }), 'webhookEndpoint');
    assert.equal((await own.get('/config')).text, before);
    await expectStatus(200, own.patch('/config', { webhookEndpoint: 'https://hooks.example:8443/in?x=1' }));
  } finally {
    await live.stop();
  }
});
