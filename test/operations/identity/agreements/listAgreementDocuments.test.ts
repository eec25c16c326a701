import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

test('200: every type of agreement once, with a version and an address', async () => {
  const { data } = await expectStatus(200, service.platform.get('/customers/agreements'));
  assert.deepEqual(data.map(({ type }: { type: string }) => type).sort(), [
    'BANK_ACCOUNTHOLDER_COMMERCIAL_AGREEMENT',
    'BANK_ACCOUNTHOLDER_CONSUMER_AGREEMENT',
    'BANK_CARDHOLDER_COMMERCIAL_AGREEMENT',
    'BANK_CARDHOLDER_CONSUMER_AGREEMENT',
    'BANK_E_SIGN_CONSENT',
    'BANK_PRIVACY_POLICY',
    'SERVICE_END_USER_TERMS',
    'SERVICE_E_SIGN_CONSENT',
    'SERVICE_PRIVACY_POLICY',
  ]);
  for (const { version, url } of data) {
    assert.ok(version.length > 0);
    assert.ok(URL.canParse(url));
  }
});
