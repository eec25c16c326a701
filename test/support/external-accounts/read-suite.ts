// Listing, getting and deleting external accounts, behind either door.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../src/db/sql.js';
import { assertInvalid, assertRefused, expectStatus } from '../client.js';
import { startTestService, type TestService } from '../service.js';
import { accountInfoOf } from './account-infos.js';
import { type Door, type DoorName, openDoor, traceOf } from './door.js';
import { evmWallet } from './wallets.js';

type Stand = { readonly service: TestService; readonly door: Door; readonly otherDoor: Door };

function onStand(doorName: DoorName): { readonly current: Stand } {
  const stand = {} as { current: Stand };
  before(async () => {
    const service = await startTestService();
    const door = openDoor(service.platform, doorName);
    stand.current = { service, door, otherDoor: openDoor(service.platform, doorName === 'platform' ? 'customers' : 'platform') };
  });
  after(() => stand.current.service.stop());
  return stand;
}

/** Ids that must all be answered alike: unknown, malformed, of another platform, behind the other door. */
async function strangeIds({ service, otherDoor }: Stand, doorName: DoorName): Promise<string[]> {
  const foreign = await openDoor(await service.newPlatform(), doorName).wallet();
  return [`ExternalAccount:${randomUUID()}`, 'ExternalAccount:1', randomUUID(), foreign.id, (await otherDoor.wallet()).id];
}

export function getSuite(doorName: DoorName): void {
  const stand = onStand(doorName);

  test('200: the account as it was created', async () => {
    const { door } = stand.current;
    const account = await door.wallet();
    assert.deepEqual(await door.get(account), account);
  });

  test('401', async () => {
    const { service, door } = stand.current;
    const account = await door.wallet();
    assertRefused(await service.as('nobody', 'nothing-nothing-nothing').get(`${door.base}/${account.id}`), 401, 'UNAUTHORIZED');
  });

  test("404: unknown, malformed, another platform's and another door's ids answer alike", async () => {
    const { service, door } = stand.current;
    const answers = await Promise.all((await strangeIds(stand.current, doorName)).map((id) => service.platform.get(`${door.base}/${id}`)));
    for (const answer of answers) {
      assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
      assert.equal(answer.text, answers[0]?.text);
    }
  });
}

export function deleteSuite(doorName: DoorName): void {
  const stand = onStand(doorName);

  describe('204', () => {
    test('the account is gone for every reader, its proofs are not', async () => {
      const { service, door } = stand.current;
      const account = await door.wallet();
      await door.messageFor(account);
      await door.verify(account, { signature: '0x00' });
      const proofs = await door.proofs(account);
      assert.equal(proofs.length, 1);
      const answer = await service.platform.delete(`${door.base}/${account.id}`);
      assert.equal(answer.status, 204);
      assert.equal(answer.text, '');
      assertRefused(await service.platform.get(`${door.base}/${account.id}`), 404, 'ACCOUNT_NOT_FOUND');
      const { data } = await expectStatus(200, service.platform.get(door.base));
      assert.ok(!data.some(({ id }: { id: string }) => id === account.id));
      assert.deepEqual(await door.proofs(account), proofs);
    });

    test('an open challenge goes with it', async () => {
      const { service, door } = stand.current;
      const account = await door.wallet();
      await expectStatus(201, door.challenge(account, 'LIVENESS'));
      await expectStatus(204, service.platform.delete(`${door.base}/${account.id}`));
      const play = service.platform.post(`/sandbox/external-accounts/${account.id}/liveness`, { outcome: 'PASS' });
      assertRefused(await play, 404, 'ACCOUNT_NOT_FOUND');
    });
  });

  test('401', async () => {
    const { service, door } = stand.current;
    const account = await door.wallet();
    assertRefused(await service.as('nobody', 'nothing-nothing-nothing').delete(`${door.base}/${account.id}`), 401, 'UNAUTHORIZED');
    await door.get(account);
  });

  test("404: unknown, deleted, malformed, another platform's and another door's ids answer alike", async () => {
    const { service, door } = stand.current;
    const gone = await door.wallet();
    await expectStatus(204, service.platform.delete(`${door.base}/${gone.id}`));
    const ids = [gone.id, ...(await strangeIds(stand.current, doorName))];
    const answers = await Promise.all(ids.map((id) => service.platform.delete(`${door.base}/${id}`)));
    for (const answer of answers) {
      assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
      assert.equal(answer.text, answers[0]?.text);
    }
  });

  if (doorName === 'customers') {
    test('409 BENEFICIARY_TRUSTED: "cannot be deleted until untrusted"', async () => {
      const { service, door } = stand.current;
      const account = await door.wallet();
      const uuid = account.id.split(':')[1];
      await service.db.run(sql`update external_accounts set trusted_at = now() where id = ${uuid}`);
      const trace = await traceOf(service, account);
      assertRefused(await service.platform.delete(`${door.base}/${account.id}`), 409, 'BENEFICIARY_TRUSTED');
      assert.deepEqual(await traceOf(service, account), trace);
      await service.db.run(sql`update external_accounts set trusted_at = null where id = ${uuid}`);
      await expectStatus(204, service.platform.delete(`${door.base}/${account.id}`));
    });
  }
}

export function listSuite(doorName: DoorName): void {
  const stand = onStand(doorName);
  const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);

  describe('200', () => {
    test('the newest first, page by page, each once', async () => {
      const { service, door, otherDoor } = stand.current;
      const created: string[] = [];
      for (let i = 0; i < 5; i += 1) created.unshift((await door.wallet()).id);
      await otherDoor.wallet();
      await openDoor(await service.newPlatform(), doorName).wallet();
      const seen: string[] = [];
      let query = '?limit=2';
      for (let page = 1; ; page += 1) {
        const body = await expectStatus(200, service.platform.get(`${door.base}${query}`));
        assert.equal(body.totalCount, 5);
        assert.equal(body.hasMore, page < 3);
        seen.push(...idsOf(body));
        if (!body.hasMore) break;
        query = `?limit=2&cursor=${body.nextCursor}`;
      }
      assert.deepEqual(seen, created);
    });

    test('by currency', async () => {
      const { service, door } = stand.current;
      const account = await expectStatus(201, door.create({ currency: 'GBP', accountInfo: accountInfoOf('GBP_ACCOUNT') }));
      const body = await expectStatus(200, service.platform.get(`${door.base}?currency=GBP`));
      assert.deepEqual(body.data, [account]);
      assert.deepEqual((await expectStatus(200, service.platform.get(`${door.base}?currency=XYZ`))).data, []);
    });

    if (doorName === 'customers') {
      test('by customer', async () => {
        const { service } = stand.current;
        const mine = openDoor(service.platform, 'customers');
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

  test('400: a limit out of bounds, an unknown filter, a cursor of another question', async () => {
    const { service, door } = stand.current;
    for (const limit of ['0', '101', 'x', '1.5']) assertInvalid(await service.platform.get(`${door.base}?limit=${limit}`), 'limit');
    assertInvalid(await service.platform.get(`${door.base}?status=ACTIVE`), 'status');
    assertInvalid(await service.platform.get(`${door.base}?cursor=x`), 'cursor');
    for (let i = 0; i < 2; i += 1) await door.wallet();
    const { nextCursor } = await expectStatus(200, service.platform.get(`${door.base}?limit=1`));
    assertInvalid(await service.platform.get(`${door.base}?limit=1&currency=USDC&cursor=${nextCursor}`), 'cursor');
  });

  test('401', async () => {
    const { service, door } = stand.current;
    assertRefused(await service.as('nobody', 'nothing-nothing-nothing').get(door.base), 401, 'UNAUTHORIZED');
  });
}
