import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRefused, expectStatus } from '../../../support/client.js';
import { eventsAbout } from '../../../support/database-state.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { race } from '../../../support/race.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
  await service.platform.clock.freeze('2026-03-01T00:00:00Z');
});
after(() => service.stop());

const remove = (id: string) => service.platform.delete(`/customers/${id}`);
const accountsOf = async (id: string) =>
  (await expectStatus(200, service.platform.get(`/customers/internal-accounts?customerId=${id}`))).data;

describe('200', () => {
  test('answers the customer, which is deleted now', async () => {
    const customer = await given(service.platform).customer();
    await service.platform.clock.advance(1000);
    assert.deepEqual(await expectStatus(200, remove(customer.id)), {
      ...customer,
      isDeleted: true,
      updatedAt: (await service.platform.clock.now()).toISOString(),
    });
  });

  test('its empty accounts close and say so', async () => {
    const { id } = await given(service.platform).customer();
    await expectStatus(200, remove(id));
    const accounts = await accountsOf(id);
    assert.equal(accounts.length, 2);
    for (const account of accounts) {
      assert.equal(account.status, 'CLOSED');
      assert.deepEqual(await eventsAbout(service.db, account.id), [{ type: 'INTERNAL_ACCOUNT.STATUS_UPDATED', data: account }]);
    }
  });

  test('no money is lost: an account that holds some stays open and shows it', async () => {
    const build = given(service.platform);
    const customer = await build.customer();
    const account = await build.fund(await build.account(customer, 'USD'), 1);
    await expectStatus(200, remove(customer.id));
    const [usd, usdb] = (await accountsOf(customer.id)).sort((a: { type: string }, b: { type: string }) => (a.type < b.type ? 1 : -1));
    assert.deepEqual(usd, account);
    assert.equal(usdb.status, 'CLOSED');
  });

  test('a deposit at the same time is either refused or kept', async () => {
    for (let round = 0; round < 10; round += 1) {
      const build = given(service.platform);
      const customer = await build.customer();
      const { id } = await build.account(customer, 'USD');
      const [, deposit] = await Promise.all([
        remove(customer.id),
        service.platform.post(`/sandbox/internal-accounts/${id}/fund`, { amount: 500 }),
      ]);
      const account = (await accountsOf(customer.id)).find((one: { id: string }) => one.id === id);
      assert.deepEqual(
        [account.status, account.totalBalance.amount],
        deposit.status === 200 ? ['ACTIVE', 500] : ['CLOSED', 0],
        deposit.text,
      );
    }
  });
});

test('410 CUSTOMER_DELETED: the second time', async () => {
  const { id } = await given(service.platform).customer();
  await expectStatus(200, remove(id));
  assertRefused(await changesNothing(service.db, () => remove(id)), 410, 'CUSTOMER_DELETED');
});

race('of many at once exactly one deletes', async () => {
  const { id } = await given(service.platform).customer();
  const statuses = (await Promise.all(Array.from({ length: 12 }, () => remove(id)))).map(({ status }) => status);
  assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 410).length], [1, 11]);
});

test('404 CUSTOMER_NOT_FOUND: foreign, unknown and malformed alike', async () => {
  const foreign = await given(await service.newPlatform()).customer();
  for (const id of [foreign.id, 'Customer:01a1e141-d124-7566-a823-262cc273f644', 'Customer:x']) {
    assertRefused(await changesNothing(service.db, () => remove(id)), 404, 'CUSTOMER_NOT_FOUND');
  }
});
