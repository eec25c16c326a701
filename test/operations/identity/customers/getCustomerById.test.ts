import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

test('200: the customer as it was created', async () => {
  const customer = await given(service.platform).customer({ region: 'GB', address: { line1: '1', postalCode: '2', country: 'GB' } });
  assert.deepEqual(await expectStatus(200, service.platform.get(`/customers/${customer.id}`)), customer);
});

test('404 CUSTOMER_NOT_FOUND: a foreign id, an unknown id and no id at all give the same bytes', async () => {
  const foreign = await given(await service.newPlatform()).customer();
  const answers = await Promise.all(
    [foreign.id, 'Customer:01a1e141-d124-7566-a823-262cc273f644', 'Customer:1', 'Card:01a1e141-d124-7566-a823-262cc273f644', '%00'].map(
      (id) => service.platform.get(`/customers/${id}`),
    ),
  );
  for (const answer of answers) assertRefused(answer, 404, 'CUSTOMER_NOT_FOUND');
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
});

test('404 once the customer was deleted', async () => {
  const { id } = await given(service.platform).customer();
  await expectStatus(200, service.platform.delete(`/customers/${id}`));
  assertRefused(await service.platform.get(`/customers/${id}`), 404, 'CUSTOMER_NOT_FOUND');
});
