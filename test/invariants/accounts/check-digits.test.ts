// Identifiers of the right form with wrong check digits: the sandbox takes them with a Warning header, live mode refuses them.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { AccountType } from '../../../src/domains/accounts/external-accounts/external-account.js';
import { assertInvalid, type Client, expectStatus } from '../../support/client.js';
import { accountInfoOf } from '../../support/external-accounts/account-infos.js';
import { given } from '../../support/given.js';
import { startTestService, type TestService } from '../../support/service.js';

type Case = readonly [type: AccountType, currency: string, change: Record<string, string>];

const INVOICE = `lnbc1${'q'.repeat(117)}`;

/** Each differs from a valid identifier by its check digits only. */
const CASES: readonly Case[] = [
  ['EUR_ACCOUNT', 'EUR', { iban: 'DE88370400440532013000' }],
  ['AED_ACCOUNT', 'AED', { iban: 'AE080331234567890123456' }],
  ['USD_ACCOUNT', 'USD', { routingNumber: '021000022' }],
  ['MXN_ACCOUNT', 'MXN', { clabeNumber: '032180000118359718' }],
  ['BRL_ACCOUNT', 'BRL', { taxId: '52998224724' }],
  ['BRL_ACCOUNT', 'BRL', { pixKeyType: 'CPF', pixKey: '52998224724' }],
  ['BRL_ACCOUNT', 'BRL', { pixKeyType: 'CNPJ', pixKey: '11222333000182' }],
  ['BASE_WALLET', 'USDC', { address: '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }],
  ['TRON_WALLET', 'USDT', { address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv9' }],
  ['SPARK_WALLET', 'BTC', { address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5' }],
  ['SPARK_WALLET', 'BTC', { address: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3' }],
  ['SPARK_WALLET', 'BTC', { address: `spark1${'p'.repeat(62)}` }],
  ['LIGHTNING', 'BTC', { invoice: INVOICE }],
];

const bodyOf = ([type, currency, change]: Case) => {
  const { lightningAddress: _, ...info } = accountInfoOf(type);
  return { currency, ownershipType: 'FIRST_PARTY', accountInfo: { ...info, ...change } };
};
const fieldOf = ([, , change]: Case): string => `accountInfo.${Object.keys(change).at(-1)}`;
const nameOf = ([type, , change]: Case): string => `${type} ${Object.values(change).at(-1)?.slice(0, 20)}`;
const create = (platform: Client, body: unknown) => platform.post('/platform/external-accounts', body);

describe('in sandbox', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.stop());

  for (const each of CASES) {
    test(`201 with a Warning that names the field: ${nameOf(each)}`, async () => {
      const answer = await create(service.platform, bodyOf(each));
      assert.equal(answer.status, 201, answer.text);
      const warning = answer.headers.get('warning') ?? '';
      assert.match(warning, /^299 switchyard "[^"\\]+"$/);
      assert.ok(warning.includes(`"${fieldOf(each)} `), warning);
    });
  }

  test('no Warning where nothing is wrong', async () => {
    const answer = await create(service.platform, bodyOf(['GBP_ACCOUNT', 'GBP', {}]));
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.headers.get('warning'), null);
  });

  test('an Idempotency-Key changes nothing about it', async () => {
    const body = bodyOf(['EUR_ACCOUNT', 'EUR', { iban: 'DE87370400440532013000' }]);
    const send = () => service.platform.post('/platform/external-accounts', body, { headers: { 'idempotency-key': 'digits' } });
    const first = await send();
    assert.equal(first.status, 201, first.text);
    assert.match(first.headers.get('warning') ?? '', /accountInfo\.iban/);
    assert.equal((await send()).text, first.text);
  });

  const WRONG_FORMS: readonly Case[] = [
    ['EUR_ACCOUNT', 'EUR', { iban: 'DE8837040044053201300' }],
    ['USD_ACCOUNT', 'USD', { routingNumber: '000000000' }],
    ['TRON_WALLET', 'USDT', { address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRT0l' }],
    ['SPARK_WALLET', 'BTC', { address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' }],
    ['BASE_WALLET', 'USDC', { address: `0x${'0'.repeat(40)}` }],
    ['LIGHTNING', 'BTC', { invoice: 'lnbc1short' }],
  ];
  for (const each of WRONG_FORMS) {
    test(`400 for a wrong form: ${nameOf(each)}`, async () => assertInvalid(await create(service.platform, bodyOf(each)), fieldOf(each)));
  }

  test('the magic endings select the beneficiary check also of identifiers with check digits', async () => {
    for (const [ending, status] of [
      ['102', 'NOT_MATCHED'],
      ['106', 'UNSUPPORTED'],
    ]) {
      const account = await expectStatus(
        201,
        create(service.platform, bodyOf(['EUR_ACCOUNT', 'EUR', { iban: `DE89370400440532013${ending}` }])),
      );
      assert.equal(account.beneficiaryVerificationStatus, status);
    }
  });

  test('a deposit address of an internal account can be added as an external account', async () => {
    const { id } = await given(service.platform).customer();
    const { data } = await expectStatus(200, service.platform.get(`/customers/internal-accounts?customerId=${id}&currency=USDB`));
    const { address, accountType } = data[0].fundingPaymentInstructions[0].accountOrWalletInfo;
    assert.match(address, /^sparkrt1/);
    const body = { currency: 'USDB', ownershipType: 'FIRST_PARTY', accountInfo: { accountType, address } };
    const account = await expectStatus(201, create(service.platform, body));
    assert.equal(account.accountInfo.address, address);
    assertInvalid(
      await create(service.platform, { ...body, accountInfo: { accountType, address: address.slice(0, -3) } }),
      'accountInfo.address',
    );
  });

  test('ownership of an address with a wrong checksum cannot be proved', async () => {
    const account = await expectStatus(
      201,
      create(service.platform, bodyOf(['SPARK_WALLET', 'BTC', { address: `spark1${'q'.repeat(62)}` }])),
    );
    await expectStatus(201, service.platform.post(`/platform/external-accounts/${account.id}/challenge`, { method: 'WALLET_SIGNATURE' }));
    const answer = await service.platform.post(`/platform/external-accounts/${account.id}/verify`, { signature: 'AAAA' });
    assert.equal(answer.status, 400, answer.text);
  });
});

describe('in live mode', () => {
  let service: TestService;
  let platform: Client;
  before(async () => {
    service = await startTestService({ MODE: 'live', KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') });
    platform = await service.newPlatform();
  });
  after(() => service.stop());

  for (const each of CASES) test(`400: ${nameOf(each)}`, async () => assertInvalid(await create(platform, bodyOf(each)), fieldOf(each)));

  test('400: a deposit address of the sandbox', async () => {
    const address = 'sparkrt1pgssyq35nzsm8jspxf2tejzqhzjr2gnjsn8upq0d5vxhzr6pvrqgg5pdtm7n0m';
    assertInvalid(await create(platform, bodyOf(['SPARK_WALLET', 'BTC', { address }])), 'accountInfo.address');
  });
});
