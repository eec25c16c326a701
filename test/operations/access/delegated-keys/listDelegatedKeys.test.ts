import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { cardOf, delegate, halfDelegated, wallet } from '../../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const PATH = '/auth/delegated-keys';
const ids = (data: { id: string }[]) => data.map(({ id }) => id);

describe('200: by account, by funding source, by both; PENDING and REVOKED included', () => {
  test('what each filter finds', async () => {
    const owner = await wallet(service.platform);
    const { platform } = owner;
    const [one, two] = [await cardOf(service.db, owner), await cardOf(service.db, owner)];
    const revoked = await delegate(owner, one);
    await expectStatus(204, platform.delete(`${PATH}/${revoked.id}`));
    await halfDelegated(owner, one);
    const active = await delegate(owner, two);
    const list = async (query: string) => (await expectStatus(200, platform.get(`${PATH}?${query}`))).data;

    const all = await list(`accountId=${owner.account.id}`);
    assert.deepEqual(
      all.map((key: { status: string }) => key.status),
      ['REVOKED', 'PENDING', 'ACTIVE'],
    );
    assert.deepEqual(ids(await list(`fundingSourceId=${two.fundingSourceId}`)), [active.id]);
    assert.deepEqual(ids(await list(`accountId=${owner.account.id}&fundingSourceId=${one.fundingSourceId}`)), ids(all).slice(0, 2));
    const stranger = await wallet(platform);
    assert.deepEqual(await list(`accountId=${stranger.account.id}&fundingSourceId=${one.fundingSourceId}`), []);
  });

  test('none: unknown, malformed, and of another platform', async () => {
    const owner = await wallet(service.platform);
    const card = await cardOf(service.db, owner);
    await delegate(owner, card);
    const other = await service.newPlatform();
    for (const query of [
      `accountId=${owner.account.id}`,
      `fundingSourceId=${card.fundingSourceId}`,
      'accountId=x',
      'fundingSourceId=Card:1',
    ]) {
      assert.deepEqual(await expectStatus(200, other.get(`${PATH}?${query}`)), { data: [] });
    }
  });
});

test('400 INVALID_INPUT: at least one filter is needed', async () => {
  assertInvalid(await service.platform.get(PATH), 'accountId', 'fundingSourceId');
  assertInvalid(await service.platform.get(`${PATH}?cardId=x`), 'cardId');
});
