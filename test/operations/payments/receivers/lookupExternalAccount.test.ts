import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { assertRefused, expectStatus } from '../../../support/client.js';
import { quoting } from '../../../support/quotes.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let pay: ReturnType<typeof quoting>;
before(async () => {
  service = await startTestService();
  pay = quoting(service.platform);
  await pay.currencies('USD', 'EUR');
});
after(() => service.stop());

const path = (id: string, query = '') => `/receiver/external-account/${id}${query}`;

describe('200', () => {
  test("the account's one currency; no payer data is asked for", async () => {
    const customer = await pay.customer();
    const account = await pay.eur(customer);
    const found = await expectStatus(200, service.platform.get(path(account.id, `?customerId=${customer.id}&sendingCurrency=USD`)));
    assert.equal(found.accountId, account.id);
    assert.deepEqual(found.requiredPayerDataFields, []);
    assert.equal(found.supportedCurrencies.length, 1);
    const [{ currency, min, max, minSendingAmount, maxSendingAmount }] = found.supportedCurrencies;
    assert.deepEqual([currency.code, min, max, minSendingAmount, maxSendingAmount], ['EUR', 92, 9_200_000, 100, 10_000_000]);
  });

  test('a quote to the account may name the look-up, for its own account and for an hour', async () => {
    const own = await service.newPlatform();
    const build = quoting(own);
    await build.currencies('USD', 'EUR');
    const customer = await build.customer();
    const [source, account, other] = [await build.account(customer, 'USD'), await build.eur(customer), await build.eur(customer)];
    await own.clock.freeze();
    const { lookupId } = await expectStatus(200, own.get(path(account.id)));
    const quote = (destination: unknown) => own.post('/quotes', build.request(source, destination, 10_000, { lookupId }));
    assert.equal((await quote(account)).status, 200);
    assertRefused(await quote(other), 404, 'LOOKUP_REQUEST_NOT_FOUND');
    await own.clock.advance(3_599_999);
    assert.equal((await quote(account)).status, 200);
    await own.clock.advance(1);
    assertRefused(await quote(account), 404, 'LOOKUP_REQUEST_NOT_FOUND');
  });
});

describe('404 ACCOUNT_NOT_FOUND', () => {
  test('an unknown account, a deleted one, and one of another platform, with the same bytes', async () => {
    const deleted = await pay.eur(await pay.customer());
    await expectStatus(204, service.platform.delete(`/customers/external-accounts/${deleted.id}`));
    const foreign = await quoting(await service.newPlatform()).usd(undefined);
    const answers = await Promise.all(
      [deleted.id, foreign.id, `ExternalAccount:${randomUUID()}`, 'x'].map((id) => service.platform.get(path(id))),
    );
    for (const answer of answers) {
      assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
      assert.equal(answer.text, answers[0]?.text);
    }
  });
});
