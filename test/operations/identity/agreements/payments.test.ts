// What a customer may not do before it is verified and has accepted the terms: quotes, their execution, and transfers both ways.
import { after, before, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { type Answer, assertRefused, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { quoting } from '../../../support/quotes.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  // Without a worker nothing changes beside a refused request.
  service = await startTestService({ ROLE: 'api' });
});
after(() => service.stop());

test('403 for every way to move money: CUSTOMER_NOT_VERIFIED first, then END_USER_TERMS_NOT_ACCEPTED; a consent opens them', async () => {
  const platform = await service.newPlatform();
  const pay = quoting(platform);
  const account = await pay.fundedAccount('USD', 100_000);
  const { customerId } = account;
  const [eur, bank] = [await pay.eur({ id: customerId }), await pay.usd({ id: customerId })];
  const quote = await pay.quote(pay.request(account, eur, 10_000));
  const transfer = (path: string, source: string, destination: string) =>
    platform.post(path, { source: { accountId: source }, destination: { accountId: destination }, amount: 100 });
  const ways: readonly (() => Promise<Answer>)[] = [
    () => platform.post('/quotes', pay.request(account, eur, 10_000)),
    () => platform.post(`/quotes/${quote.id}/execute`),
    () => transfer('/transfer-out', account.id, bank.id),
    () => transfer('/transfer-in', bank.id, account.id),
  ];
  const allRefused = (code: 'CUSTOMER_NOT_VERIFIED' | 'END_USER_TERMS_NOT_ACCEPTED') =>
    changesNothing(service.db, async () => {
      for (const way of ways) assertRefused(await way(), 403, code);
    });
  const setStatus = (status: string) => expectStatus(200, platform.put(`/sandbox/customers/${customerId}/verification-status`, { status }));

  const { id } = await expectStatus(200, platform.get('/config'));
  await service.db.run(sql`update platforms set end_user_terms_required = true where id = ${id.split(':')[1]}`);
  await allRefused('END_USER_TERMS_NOT_ACCEPTED');
  for (const status of ['UNVERIFIED', 'PENDING', 'REJECTED', 'HOLD']) {
    await setStatus(status);
    await allRefused('CUSTOMER_NOT_VERIFIED');
  }
  await setStatus('APPROVED');

  const { version } = await expectStatus(200, platform.get('/customers/end-user-terms'));
  const consent = { acceptedAt: '2026-01-01T00:00:00Z', ipAddress: '192.0.2.1', termsVersion: version, acceptanceMethod: 'CHECKBOX' };
  const agreementConsents = [{ type: 'SERVICE_END_USER_TERMS', ...consent }];
  await expectStatus(200, platform.patch(`/customers/${customerId}`, { customerType: 'INDIVIDUAL', agreementConsents }));
  for (const way of ways) await expectStatus(200, way());
});
