import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { accountInfoOf } from '../../../support/external-accounts/account-infos.js';
import { type AccountsApi, accountsApi, totals } from '../../../support/external-accounts/accounts-api.js';
import { createSuite } from '../../../support/external-accounts/create-suite.js';
import { evmWallet } from '../../../support/external-accounts/wallets.js';
import { given } from '../../../support/given.js';
import { startOwnService, type TestService } from '../../../support/service.js';

createSuite('customers');

describe('of a customer', () => {
  let service: TestService;
  let api: AccountsApi;
  before(async () => {
    service = await startOwnService();
    api = accountsApi(service.platform, 'customers');
  });
  after(() => service.stop());

  const usd = (accountNumber: string) => ({ currency: 'USD', accountInfo: accountInfoOf('USD_ACCOUNT', { accountNumber }) });

  test('400: a customer that is malformed, unknown or of another platform', async () => {
    const foreign = await given(await service.newPlatform()).customer();
    const before = await totals(service);
    const body = usd('100000001');
    const answers = await Promise.all(
      ['x', `Customer:${randomUUID()}`, foreign.id].map((customerId) => service.platform.post(api.base, { ...body, customerId })),
    );
    for (const answer of answers) {
      assertInvalid(answer, 'customerId');
      assert.equal(answer.text, answers[0]?.text);
    }
    const accountInfo = accountInfoOf('EUR_ACCOUNT', { iban: 'DE0037040044053201300' });
    for (const customerId of ['x', foreign.id])
      assertInvalid(await service.platform.post(api.base, { customerId, currency: 'EUR', accountInfo }), 'customerId', 'accountInfo.iban');
    assert.deepEqual(await totals(service), before);
  });

  describe('"null when the account is on behalf of the platform"', () => {
    for (const [name, owner] of [
      ['without customerId', {}],
      ['with customerId null', { customerId: null }],
    ] as const) {
      test(name, async () => {
        const body = { ...usd('customerId' in owner ? '100000012' : '100000011'), ...owner };
        const account = await expectStatus(201, service.platform.post(api.base, body));
        assert.equal(account.customerId, null);
        assert.deepEqual(await expectStatus(200, service.platform.get(`/platform/external-accounts/${account.id}`)), account);
        assertRefused(await service.platform.get(`${api.base}/${account.id}`), 404, 'ACCOUNT_NOT_FOUND');
      });
    }

    test('400: only an account of a customer can be the default', async () => {
      const before = await totals(service);
      const body = { ...usd('100000013'), defaultUmaDepositAccount: true };
      assertInvalid(await service.platform.post(api.base, body), 'defaultUmaDepositAccount');
      assert.deepEqual(await totals(service), before);
    });
  });

  test('two customers may have the same wallet', async () => {
    const wallet = evmWallet(randomUUID());
    await api.wallet(wallet);
    await accountsApi(service.platform, 'customers').wallet(wallet);
    await accountsApi(service.platform, 'platform').wallet(wallet);
  });

  describe('"At most one external account per customer may be the default"', () => {
    test('a new default replaces the old one', async () => {
      const mine = accountsApi(service.platform, 'customers');
      const first = await expectStatus(201, mine.create({ ...usd('100000002'), defaultUmaDepositAccount: true }));
      const second = await expectStatus(201, mine.create({ ...usd('100000003'), defaultUmaDepositAccount: true }));
      const third = await expectStatus(201, mine.create(usd('100000004')));
      const isDefault = async (account: { id: string }) => (await mine.get(account)).defaultUmaDepositAccount;
      assert.deepEqual(await Promise.all([first, second, third].map(isDefault)), [false, true, false]);
    });

    test('a refused account leaves the old default', async () => {
      const mine = accountsApi(service.platform, 'customers');
      const first = await expectStatus(201, mine.create({ ...usd('100000005'), defaultUmaDepositAccount: true }));
      assert.equal((await mine.create({ ...usd('100000005'), defaultUmaDepositAccount: true })).status, 409);
      assert.equal((await mine.get(first)).defaultUmaDepositAccount, true);
    });

    test('every customer has its own', async () => {
      const [mine, yours] = [accountsApi(service.platform, 'customers'), accountsApi(service.platform, 'customers')];
      const first = await expectStatus(201, mine.create({ ...usd('100000006'), defaultUmaDepositAccount: true }));
      await expectStatus(201, yours.create({ ...usd('100000006'), defaultUmaDepositAccount: true }));
      assert.equal((await mine.get(first)).defaultUmaDepositAccount, true);
    });

    test('a deleted account is no longer the default', async () => {
      const mine = accountsApi(service.platform, 'customers');
      const first = await expectStatus(201, mine.create({ ...usd('100000007'), defaultUmaDepositAccount: true }));
      await expectStatus(204, service.platform.delete(`${mine.base}/${first.id}`));
      await expectStatus(201, mine.create({ ...usd('100000008'), defaultUmaDepositAccount: true }));
    });
  });

  test('the accounts of a deleted customer are deleted, and another customer may add the wallet', async () => {
    const mine = accountsApi(service.platform, 'customers');
    const wallet = evmWallet(randomUUID());
    const account = await mine.wallet(wallet);
    await mine.messageFor(account);
    await mine.verify(account, { signature: '0x00' });
    await service.platform.delete(`/customers/${(await mine.owner())['customerId']}`);
    assertRefused(await service.platform.get(`${mine.base}/${account.id}`), 404, 'ACCOUNT_NOT_FOUND');
    assert.equal((await mine.proofs(account)).length, 1);
    assertInvalid(await mine.create(usd('100000010')), 'customerId');
  });

  test("the platform's own accounts have no default", async () => {
    assertInvalid(
      await service.platform.post('/platform/external-accounts', { ...usd('100000009'), defaultUmaDepositAccount: true }),
      'defaultUmaDepositAccount',
    );
  });
});
