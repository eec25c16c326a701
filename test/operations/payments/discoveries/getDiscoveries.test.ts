import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccountType } from '../../../../src/domains/accounts/external-accounts/external-account.js';
import { assertInvalid, expectStatus } from '../../../support/client.js';
import { accountInfoOf } from '../../../support/external-accounts/account-infos.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const list = async (query = ''): Promise<{ bankName: string; displayName: string; country: string; currency: string }[]> =>
  (await expectStatus(200, service.platform.get(`/discoveries${query}`))).data;

test('200: all institutions without filters', async () => {
  const all = await list();
  assert.ok(all.length >= 40);
  assert.ok(all.some(({ bankName, currency }) => bankName === 'GTBank' && currency === 'NGN'));
  assert.ok(all.every(({ bankName, displayName }) => bankName === displayName));
});

test('200: filters narrow the list, both together, to nothing if need be', async () => {
  assert.deepEqual(
    (await list('?country=VN')).map(({ bankName }) => bankName),
    ['Vietcombank', 'Techcombank'],
  );
  assert.deepEqual(await list('?country=VN&currency=VND'), await list('?currency=VND'));
  assert.deepEqual(await list('?country=VN&currency=NGN'), []);
  assert.deepEqual(await list('?country=US'), []);
});

test('a name outside the list is 400 INVALID_INPUT at account creation, where the currency has a list', async () => {
  const open = (accountType: AccountType, bankName: string) =>
    service.platform.post('/platform/external-accounts', {
      currency: accountType.slice(0, 3),
      accountInfo: accountInfoOf(accountType, { bankName }),
    });
  for (const { bankName } of await list('?currency=NGN')) await expectStatus(201, open('NGN_ACCOUNT', bankName));
  await expectStatus(201, open('CNY_ACCOUNT', 'alipay'));
  for (const [type, name] of [
    ['NGN_ACCOUNT', 'Second Bank'],
    ['NGN_ACCOUNT', 'Vietcombank'],
    ['COP_ACCOUNT', 'constructor'],
  ] as const)
    assertInvalid(await open(type, name), 'accountInfo.bankName');
  for (const type of ['USD_ACCOUNT', 'HKD_ACCOUNT', 'SGD_ACCOUNT'] as const) await expectStatus(201, open(type, 'Any Bank'));
});

test('400 INVALID_INPUT: a country or currency of wrong form', async () => {
  assertInvalid(await service.platform.get('/discoveries?country=VNM'), 'country');
  assertInvalid(await service.platform.get('/discoveries?currency=ng'), 'currency');
});
