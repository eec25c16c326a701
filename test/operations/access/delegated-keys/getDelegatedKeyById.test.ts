import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { cardOf, delegate, wallet } from '../../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

test('200: the key as it was created; "the private key is never returned"', async () => {
  const owner = await wallet(service.platform);
  const key = await delegate(owner, await cardOf(service.db, owner));
  const answer = await owner.platform.get(`/auth/delegated-keys/${key.id}`);
  assert.deepEqual([answer.status, answer.body], [200, key]);
  assert.deepEqual(Object.keys(key).sort(), [
    'accountId',
    'cardId',
    'createdAt',
    'fundingSourceId',
    'id',
    'nickname',
    'publicKey',
    'status',
    'updatedAt',
  ]);
});

test('404 NOT_FOUND: unknown, malformed and of another platform answer alike', async () => {
  const owner = await wallet(service.platform);
  const key = await delegate(owner, await cardOf(service.db, owner));
  const other = await service.newPlatform();
  const answers = await Promise.all(
    [key.id, 'DelegatedKey:00000000-0000-7000-8000-000000000000', 'key'].map((id) => other.get(`/auth/delegated-keys/${id}`)),
  );
  for (const answer of answers) {
    assertRefused(answer, 404, 'NOT_FOUND');
    assert.equal(answer.text, answers[0]?.text);
  }
  await expectStatus(200, owner.platform.get(`/auth/delegated-keys/${key.id}`));
});
