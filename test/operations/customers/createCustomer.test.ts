import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { given } from '../../support/given.js';
import { startTestService, type TestService } from '../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

test('a customer has an account that can be funded', async () => {
  const account = await given(service.platform).fundedAccount('USD', 1234);
  assert.equal(account.balance.amount, 1234);
});
