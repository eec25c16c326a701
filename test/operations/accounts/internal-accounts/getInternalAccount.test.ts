import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newUuid } from '../../../../src/kernel/ids.js';
import { assertRefused, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

test('an account of a customer answers as in the list, and shows no debt when nothing is owed', async () => {
  const account = await given(service.platform).fundedAccount('USD', 1_234);
  const found = await expectStatus(200, service.platform.get(`/internal-accounts/${account.id}`));
  const { data } = await expectStatus(
    200,
    service.platform.get(`/customers/internal-accounts?customerId=${found.customerId}&currency=USD`),
  );
  assert.deepEqual(found, data[0]);
  assert.equal(found.balance.amount, 1_234);
  assert.equal('amountOwed' in found, false);
});

test("an account of the platform answers as in the platform's list", async () => {
  const { data } = await expectStatus(200, service.platform.get('/platform/internal-accounts'));
  assert.deepEqual(await expectStatus(200, service.platform.get(`/internal-accounts/${data[0].id}`)), data[0]);
});

test('an unknown account, a foreign account and a text that is no id answer 404 ACCOUNT_NOT_FOUND', async () => {
  const foreign = await given(await service.newPlatform()).fundedAccount('USD', 1);
  for (const id of [`InternalAccount:${newUuid()}`, foreign.id, 'nothing'])
    assertRefused(await service.platform.get(`/internal-accounts/${id}`), 404, 'ACCOUNT_NOT_FOUND');
});
