import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

test('200: the same as the end user terms among the agreements', async () => {
  const terms = await expectStatus(200, service.platform.get('/customers/end-user-terms'));
  const { data } = await expectStatus(200, service.platform.get('/customers/agreements'));
  assert.deepEqual(
    { type: 'SERVICE_END_USER_TERMS', ...terms },
    data.find(({ type }: { type: string }) => type === 'SERVICE_END_USER_TERMS'),
  );
});
