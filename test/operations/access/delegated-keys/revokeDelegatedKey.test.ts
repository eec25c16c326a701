import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../../../src/db/sql.js';
import { uuidOf } from '../../../../src/kernel/ids.js';
import { closing } from '../../../support/cards.js';
import { assertRefused, expectStatus } from '../../../support/client.js';
import { lockWaits } from '../../../support/database.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import { cardOf, delegate, delegationBody, halfDelegated, retry, statusOf, wallet } from '../../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

const PATH = '/auth/delegated-keys';

describe('204', () => {
  test('the key is REVOKED and still listed; its private key and its signer are deleted', async () => {
    const owner = await wallet(service.platform);
    const key = await delegate(owner, await cardOf(service.db, owner));
    const answer = await owner.platform.delete(`${PATH}/${key.id}`);
    assert.deepEqual([answer.status, answer.text], [204, '']);
    const shown = await expectStatus(200, owner.platform.get(`${PATH}/${key.id}`));
    assert.deepEqual({ ...shown, updatedAt: key.updatedAt }, { ...key, status: 'REVOKED' });
    const stored = await service.db.one(sql`
      select k.private_key_sealed, s.deleted_at is not null as deleted, s.policies from delegated_keys k
      join wallet_signers s on s.platform_id = k.platform_id and s.id = k.id where k.id = ${uuidOf(key.id)}`);
    assert.deepEqual(stored, { private_key_sealed: null, deleted: true, policies: [] });
  });

  for (const [status, expected] of [
    ['PENDING', { status: 'PENDING', statusReason: 'DELEGATION_REQUIRED' }],
    ['PROCESSING', { status: 'PROCESSING', statusReason: null }],
    ['FROZEN', { status: 'FROZEN', statusReason: null }],
  ] as const) {
    test(`a card that was ${status} before delegation is ${expected.status} afterwards, without a webhook`, async () => {
      const owner = await wallet(service.platform);
      const card = await cardOf(service.db, owner, status);
      const key = await delegate(owner, card);
      await expectStatus(204, owner.platform.delete(`${PATH}/${key.id}`));
      assert.deepEqual(await statusOf(service.db, card), expected);
      assert.deepEqual(await service.db.many(sql`select 1 from webhook_events where object_id = ${card.id}`), []);
    });
  }

  test('the owner does not sign: the key removes itself, and the activity log records it', async () => {
    const owner = await wallet(service.platform);
    const key = await delegate(owner, await cardOf(service.db, owner));
    await expectStatus(204, owner.platform.delete(`${PATH}/${key.id}`));
    const [last] = await service.db.many<{ type: string; public_key: string }>(sql`
      select type, public_key from wallet_activities where account_id = ${uuidOf(owner.account.id)} order by id desc limit 1`);
    assert.deepEqual(last, { type: 'ACTIVITY_TYPE_DELETE_USERS', public_key: key.publicKey });
  });
});

test('the key of a closed card is revoked while its customer is deleted: both succeed', async () => {
  const owner = await wallet(service.platform);
  const card = await cardOf(service.db, owner);
  const key = await delegate(owner, card);
  await expectStatus(200, owner.platform.patch(`/cards/${card.id}`, closing));
  const waiting = async (count: number) => {
    const found = async () => Number((await service.db.one<{ count: number }>(lockWaits()))?.count);
    while ((await found()) < count) await sleep(5);
  };
  const answers = await service.db.transaction(async (tx) => {
    await tx.run(sql`select from cards where id = ${uuidOf(card.id)} for update`);
    const revoked = owner.platform.delete(`${PATH}/${key.id}`);
    await waiting(1);
    const deleted = owner.platform.delete(`/customers/${owner.customer.id}`);
    await waiting(2);
    return [revoked, deleted];
  });
  const [revoked, deleted] = await Promise.all(answers);
  assert.deepEqual([revoked?.status, deleted?.status], [204, 200], deleted?.text);
  assert.equal((await expectStatus(200, owner.platform.get(`${PATH}/${key.id}`))).status, 'REVOKED');
});

test('a PENDING key of a deleted customer is REVOKED: its private key and its signer are deleted', async () => {
  const owner = await wallet(service.platform);
  const card = await cardOf(service.db, owner);
  const third = await halfDelegated(owner, card);
  const key = (await expectStatus(200, owner.platform.get(`${PATH}?accountId=${owner.account.id}`))).data[0];
  assert.equal(key.status, 'PENDING');
  await expectStatus(200, owner.platform.delete(`/customers/${owner.customer.id}`));
  assert.equal((await expectStatus(200, owner.platform.get(`${PATH}/${key.id}`))).status, 'REVOKED');
  const stored = await service.db.one(sql`
    select k.private_key_sealed, s.deleted_at is not null as deleted, s.policies from delegated_keys k
    join wallet_signers s on s.platform_id = k.platform_id and s.id = k.id where k.id = ${uuidOf(key.id)}`);
  assert.deepEqual(stored, { private_key_sealed: null, deleted: true, policies: [] });
  const late = await retry(owner.platform, 'POST', PATH, delegationBody(owner, card), third, owner.keys);
  assert.ok(late.status >= 400 && late.status < 500, late.text);
});

describe('400 INVALID_INPUT: only an ACTIVE key can be revoked', () => {
  test('a PENDING key "cannot sign or revoke itself"', async () => {
    const owner = await wallet(service.platform);
    await halfDelegated(owner, await cardOf(service.db, owner));
    const { data } = await expectStatus(200, owner.platform.get(`${PATH}?accountId=${owner.account.id}`));
    assertRefused(await changesNothing(service.db, () => owner.platform.delete(`${PATH}/${data[0].id}`)), 400, 'INVALID_INPUT');
  });

  test('a REVOKED key', async () => {
    const owner = await wallet(service.platform);
    const key = await delegate(owner, await cardOf(service.db, owner));
    await expectStatus(204, owner.platform.delete(`${PATH}/${key.id}`));
    assertRefused(await changesNothing(service.db, () => owner.platform.delete(`${PATH}/${key.id}`)), 400, 'INVALID_INPUT');
  });
});

test('404 NOT_FOUND: unknown, malformed and of another platform answer alike', async () => {
  const owner = await wallet(service.platform);
  const key = await delegate(owner, await cardOf(service.db, owner));
  const other = await service.newPlatform();
  const answers = [await changesNothing(service.db, () => other.delete(`${PATH}/${key.id}`)), await other.delete(`${PATH}/key`)];
  for (const answer of answers) assertRefused(answer, 404, 'NOT_FOUND');
  assert.equal(answers[0]?.text, answers[1]?.text);
});
