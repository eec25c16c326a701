import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { type AccountsApi, accountsApi } from '../../../support/external-accounts/accounts-api.js';
import { evmWallet } from '../../../support/external-accounts/wallets.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let api: AccountsApi;
before(async () => {
  service = await startTestService();
  api = accountsApi(service.platform, 'platform');
});
after(() => service.stop());

const list = (account: { id: string }, query = '') => service.platform.get(`/external-accounts/${account.id}/ownership-proofs${query}`);

test('200: every attempt, the newest first, page by page', async () => {
  const wallet = evmWallet(randomUUID());
  const account = await api.wallet(wallet);
  assert.deepEqual((await expectStatus(200, list(account))).data, []);
  for (let i = 0; i < 2; i += 1) {
    await api.messageFor(account);
    await api.verify(account, { signature: '0x00' });
  }
  await expectStatus(200, api.verify(account, { signature: await wallet.sign(await api.messageFor(account)) }));
  const first = await expectStatus(200, list(account, '?limit=2'));
  assert.equal(first.totalCount, 3);
  const second = await expectStatus(200, list(account, `?limit=2&cursor=${first.nextCursor}`));
  assert.equal(second.hasMore, false);
  assert.deepEqual(
    [...first.data, ...second.data].map(({ verdict, cause }) => [verdict, cause]),
    [
      ['VALID', undefined],
      ['INVALID', 'LENGTH'],
      ['INVALID', 'LENGTH'],
    ],
  );
});

test('the database refuses to change or delete a proof', async () => {
  const account = await api.wallet();
  await api.messageFor(account);
  await api.verify(account, { signature: '0x00' });
  await assert.rejects(service.db.run(sql`update ownership_proofs set verdict = 'VALID', cause = null`), /append-only/);
  await assert.rejects(service.db.run(sql`delete from ownership_proofs`), /append-only/);
  await assert.rejects(service.db.run(sql`truncate ownership_proofs`), /append-only/);
});

test('400: a cursor of another account', async () => {
  const [mine, other] = [await api.wallet(), await api.wallet()];
  for (const account of [mine, mine]) {
    await api.messageFor(account);
    await api.verify(account, { signature: '0x00' });
  }
  const { nextCursor } = await expectStatus(200, list(mine, '?limit=1'));
  assertInvalid(await list(other, `?limit=1&cursor=${nextCursor}`), 'cursor');
});

test('401', async () => {
  const account = await api.wallet();
  const stranger = service.as('nobody', 'nothing-nothing-nothing');
  assertRefused(await stranger.get(`/external-accounts/${account.id}/ownership-proofs`), 401, 'UNAUTHORIZED');
});

test("404: unknown, malformed and another platform's ids get the same answer", async () => {
  const foreign = await accountsApi(await service.newPlatform(), 'platform').wallet();
  const answers = await Promise.all([`ExternalAccount:${randomUUID()}`, 'x', foreign.id].map((id) => list({ id })));
  for (const answer of answers) {
    assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
    assert.equal(answer.text, answers[0]?.text);
  }
});
