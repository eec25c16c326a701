// "`GET /signed-requests`, `/{id}`: operation, leg, payload, expected key, expiry, used; never a stamp."
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { newKeys, retry, unprovisionedWallet, type Wallet, wallet } from '../../../support/wallet.js';

let service: TestService;
let platform: Client;
let owner: Wallet;
before(async () => {
  service = await startTestService();
  platform = service.platform;
  await platform.clock.freeze('2031-03-12T15:00:00Z');
  owner = await wallet(platform);
});
after(() => service.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Listed = any;
const list = async (query = '', client = platform): Promise<Listed> => expectStatus(200, client.get(`/signed-requests${query}`));
const sessionPath = () => `/auth/sessions/${owner.session.id}`;
const ask = async (): Promise<Listed> => expectStatus(202, platform.delete(sessionPath()));

describe('listSignedRequests and getSignedRequest', () => {
  test('an open request says what is to be signed, for which call, and until when', async () => {
    const asked = await ask();
    const expected = {
      id: asked.requestId,
      status: 'OPEN',
      operation: 'revokeAuthSession',
      targetId: owner.session.id,
      leg: 1,
      payloadToSign: asked.payloadToSign,
      internalAccountId: owner.account.id,
      createdAt: '2031-03-12T15:00:00.000Z',
      expiresAt: asked.expiresAt,
    };
    assert.deepEqual(await expectStatus(200, platform.get(`/signed-requests/${asked.requestId}`)), expected);
    const { data } = await list('?status=OPEN&limit=1');
    assert.deepEqual(data, [expected]);
  });

  test('the key that must sign is named where there is only one: the new key of a login', async () => {
    const { credential } = await unprovisionedWallet(platform);
    const keys = newKeys();
    const { data: before } = await list('?limit=100');
    const { otpBody } = await import('../../../support/wallet.js');
    const answer = await platform.post(`/auth/credentials/${credential.id}/verify`, await otpBody(platform, credential, keys));
    assert.equal(answer.status, 202, answer.text);
    const { data } = await list('?limit=100');
    const fresh = data.find(({ id }: Listed) => id === answer.body.requestId);
    assert.equal(fresh.expectedPublicKey, keys.publicKey);
    assert.equal(data.length, before.length + 1);
  });

  test('a used request shows when it was used and no signature; it is no longer open', async () => {
    const asked = await ask();
    const done = await retry(platform, 'DELETE', sessionPath(), undefined, asked, owner.keys);
    assert.equal(done.status, 204, done.text);
    const used = await expectStatus(200, platform.get(`/signed-requests/${asked.requestId}`));
    assert.deepEqual([used.status, used.usedAt], ['USED', '2031-03-12T15:00:00.000Z']);
    assert.doesNotMatch(JSON.stringify(await list('?limit=100')), /"stamp|signature"/i);
    assert.ok((await list('?status=OPEN&limit=100')).data.every(({ id }: Listed) => id !== asked.requestId));
    assert.ok((await list('?status=USED&limit=100')).data.some(({ id }: Listed) => id === asked.requestId));
    owner = await wallet(platform);
  });

  test('a request expires at its time by the clock of the platform', async () => {
    const asked = await ask();
    const at = Date.parse(asked.expiresAt);
    await platform.clock.freeze(new Date(at - 1));
    assert.equal((await expectStatus(200, platform.get(`/signed-requests/${asked.requestId}`))).status, 'OPEN');
    await platform.clock.freeze(new Date(at));
    assert.equal((await expectStatus(200, platform.get(`/signed-requests/${asked.requestId}`))).status, 'EXPIRED');
    assert.deepEqual((await list('?status=OPEN')).data, []);
    assert.equal((await list('?status=EXPIRED&limit=1')).data[0].id, asked.requestId);
    owner = await wallet(platform);
  });

  test('pages, newest first', async () => {
    const asked = [(await ask()).requestId, (await ask()).requestId, (await ask()).requestId];
    const first = await list('?status=OPEN&limit=2');
    const rest = await list(`?status=OPEN&limit=2&cursor=${first.nextCursor}`);
    assert.deepEqual(
      [...first.data, ...rest.data].slice(0, 3).map(({ id }: Listed) => id),
      asked.reverse(),
    );
    assertInvalid(await platform.get(`/signed-requests?status=USED&cursor=${first.nextCursor}`), 'cursor');
  });

  test('404: an id of another platform answers like one that never existed', async () => {
    const asked = await ask();
    const other = await service.newPlatform();
    const foreign = await other.get(`/signed-requests/${asked.requestId}`);
    const unknown = await other.get('/signed-requests/Request:01a1e489-0000-7000-8000-000000000000');
    assertRefused(foreign, 404, 'NOT_FOUND');
    assert.equal(foreign.text, unknown.text);
    assert.deepEqual((await list('', other)).data, []);
  });
});
