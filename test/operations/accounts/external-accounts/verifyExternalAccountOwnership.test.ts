import { after, before, test } from 'node:test';
import { assertRefused } from '../../../support/client.js';
import { accountsApi } from '../../../support/external-accounts/accounts-api.js';
import { verifySuite } from '../../../support/external-accounts/verify-suite.js';
import { startTestService, type TestService } from '../../../support/service.js';

verifySuite('customers');

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

test('404: an account of the platform', async () => {
  const account = await accountsApi(service.platform, 'platform').wallet();
  const answer = await service.platform.post(`/customers/external-accounts/${account.id}/verify`, { signature: '0x00' });
  assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
});
