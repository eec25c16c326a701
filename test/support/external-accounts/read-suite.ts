// Listing, getting and deleting external accounts, for accounts of customers and of the platform.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../src/db/sql.js';
import { assertInvalid, assertRefused, expectStatus } from '../client.js';
import { startTestService, type TestService } from '../service.js';
import { accountInfoOf } from './account-infos.js';
import { type AccountsApi, accountsApi, type OwnerPath, traceOf } from './accounts-api.js';
import { evmWallet } from './wallets.js';

type Stand = { readonly service: TestService; readonly api: AccountsApi; readonly otherApi: AccountsApi };

function onStand(ownerPath: OwnerPath): { readonly current: Stand } {
  const stand = {} as { current: Stand };
  before(async () => {
    const service = await startTestService();
    const api = accountsApi(service.platform, ownerPath);
    stand.current = { service, api, otherApi: accountsApi(service.platform, ownerPath === 'platform' ? 'customers' : 'platform') };
  });
  after(() => stand.current.service.stop());
  return stand;
}

/** Ids that must all get the same answer: unknown, malformed, of another platform, of the other kind of owner. */
async function strangeIds({ service, otherApi }: Stand, ownerPath: OwnerPath): Promise<string[]> {
  const foreign = await accountsApi(await service.newPlatform(), ownerPath).wallet();
  return [`ExternalAccount:${randomUUID()}`, 'ExternalAccount:1', randomUUID(), foreign.id, (await otherApi.wallet()).id];
}

export function getSuite(ownerPath: OwnerPath): void {
  const stand = onStand(ownerPath);

  test('200: the account as it was created', async () => {
    const { api } = stand.current;
    const account = await api.wallet();
    assert.deepEqual(await api.get(account), account);
  });

  test('401', async () => {
    const { service, api } = stand.current;
    const account = await api.wallet();
    assertRefused(await service.as('nobody', 'nothing-nothing-nothing').get(`${api.base}/${account.id}`), 401, 'UNAUTHORIZED');
  });

  test("404: unknown, malformed, another platform's and the other kind of owner's ids get the same answer", async () => {
    const { service, api } = stand.current;
    const answers = await Promise.all((await strangeIds(stand.current, ownerPath)).map((id) => service.platform.get(`${api.base}/${id}`)));
    for (const answer of answers) {
      assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
      assert.equal(answer.text, answers[0]?.text);
    }
  });
}

export function deleteSuite(ownerPath: OwnerPath): void {
  const stand = onStand(ownerPath);

  describe('204', () => {
    test('the account is no longer returned, its proofs are', async () => {
      const { service, api } = stand.current;
      const account = await api.wallet();
      await api.messageFor(account);
      await api.verify(account, { signature: '0x00' });
      const proofs = await api.proofs(account);
      assert.equal(proofs.length, 1);
      const answer = await service.platform.delete(`${api.base}/${account.id}`);
      assert.equal(answer.status, 204);
      assert.equal(answer.text, '');
      assertRefused(await service.platform.get(`${api.base}/${account.id}`), 404, 'ACCOUNT_NOT_FOUND');
      const { data } = await expectStatus(200, service.platform.get(api.base));
      assert.ok(!data.some(({ id }: { id: string }) => id === account.id));
      assert.deepEqual(await api.proofs(account), proofs);
    });

    test('an open challenge is deleted with it', async () => {
      const { service, api } = stand.current;
      const account = await api.wallet();
      await expectStatus(201, api.challenge(account, 'LIVENESS'));
      await expectStatus(204, service.platform.delete(`${api.base}/${account.id}`));
      const play = service.platform.post(`/sandbox/external-accounts/${account.id}/liveness`, { outcome: 'PASS' });
      assertRefused(await play, 404, 'ACCOUNT_NOT_FOUND');
    });
  });

  test('401', async () => {
    const { service, api } = stand.current;
    const account = await api.wallet();
    assertRefused(await service.as('nobody', 'nothing-nothing-nothing').delete(`${api.base}/${account.id}`), 401, 'UNAUTHORIZED');
    await api.get(account);
  });

  test("404: unknown, deleted, malformed, another platform's and the other kind of owner's ids get the same answer", async () => {
    const { service, api } = stand.current;
    const gone = await api.wallet();
    await expectStatus(204, service.platform.delete(`${api.base}/${gone.id}`));
    const ids = [gone.id, ...(await strangeIds(stand.current, ownerPath))];
    const answers = await Promise.all(ids.map((id) => service.platform.delete(`${api.base}/${id}`)));
    for (const answer of answers) {
      assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
      assert.equal(answer.text, answers[0]?.text);
    }
  });

  if (ownerPath === 'customers') {
    test('409 BENEFICIARY_TRUSTED: "cannot be deleted until untrusted"', async () => {
      const { service, api } = stand.current;
      const account = await api.wallet();
      const uuid = account.id.split(':')[1];
      await service.db.run(sql`update external_accounts set trusted_at = now() where id = ${uuid}`);
      const trace = await traceOf(service, account);
      assertRefused(await service.platform.delete(`${api.base}/${account.id}`), 409, 'BENEFICIARY_TRUSTED');
      assert.deepEqual(await traceOf(service, account), trace);
      await service.db.run(sql`update external_accounts set trusted_at = null where id = ${uuid}`);
      await expectStatus(204, service.platform.delete(`${api.base}/${account.id}`));
    });
  }
}

export function listSuite(ownerPath: OwnerPath): void {
  const stand = onStand(ownerPath);
  const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);

  describe('200', () => {
    test('the newest first, page by page, each once', async () => {
      const { service, api, otherApi } = stand.current;
      const created: string[] = [];
      for (let i = 0; i < 5; i += 1) created.unshift((await api.wallet()).id);
      await otherApi.wallet();
      await accountsApi(await service.newPlatform(), ownerPath).wallet();
      const seen: string[] = [];
      let query = '?limit=2';
      for (let page = 1; ; page += 1) {
        const body = await expectStatus(200, service.platform.get(`${api.base}${query}`));
        assert.equal(body.totalCount, 5);
        assert.equal(body.hasMore, page < 3);
        seen.push(...idsOf(body));
        if (!body.hasMore) break;
        query = `?limit=2&cursor=${body.nextCursor}`;
      }
      assert.deepEqual(seen, created);
    });

    test('by currency', async () => {
      const { service, api } = stand.current;
      const account = await expectStatus(201, api.create({ currency: 'GBP', accountInfo: accountInfoOf('GBP_ACCOUNT') }));
      const body = await expectStatus(200, service.platform.get(`${api.base}?currency=GBP`));
      assert.deepEqual(body.data, [account]);
      assert.deepEqual((await expectStatus(200, service.platform.get(`${api.base}?currency=XYZ`))).data, []);
    });

    if (ownerPath === 'customers') {
      test('by customer', async () => {
        const { service } = stand.current;
        const mine = accountsApi(service.platform, 'customers');
        const account = await mine.wallet(evmWallet(randomUUID()));
        const of = async (customerId: unknown) =>
          idsOf(await expectStatus(200, service.platform.get(`${mine.base}?customerId=${customerId}`)));
        assert.deepEqual(await of((await mine.owner())['customerId']), [account.id]);
        assert.deepEqual(await of(`Customer:${randomUUID()}`), []);
        assert.deepEqual(await of('nobody'), []);
        assertInvalid(await service.platform.get(`${mine.base}?customerId=nobody&cursor=junk`), 'cursor');
      });
    }
  });

  test('400: a limit out of bounds, an unknown filter, a cursor of another request', async () => {
    const { service, api } = stand.current;
    for (const limit of ['0', '101', 'x', '1.5']) assertInvalid(await service.platform.get(`${api.base}?limit=${limit}`), 'limit');
    assertInvalid(await service.platform.get(`${api.base}?status=ACTIVE`), 'status');
    assertInvalid(await service.platform.get(`${api.base}?cursor=x`), 'cursor');
    for (let i = 0; i < 2; i += 1) await api.wallet();
    const { nextCursor } = await expectStatus(200, service.platform.get(`${api.base}?limit=1`));
    assertInvalid(await service.platform.get(`${api.base}?limit=1&currency=USDC&cursor=${nextCursor}`), 'cursor');
  });

  test('401', async () => {
    const { service, api } = stand.current;
    assertRefused(await service.as('nobody', 'nothing-nothing-nothing').get(api.base), 401, 'UNAUTHORIZED');
  });
}
