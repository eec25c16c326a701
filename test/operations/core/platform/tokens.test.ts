// createToken, listTokens, getTokenById, deleteTokenById
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { race } from '../../../support/race.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
});
after(() => service.stop());

const create = (name: string, permissions: string[], by: Client = platform) => expectStatus(201, by.post('/tokens', { name, permissions }));
const UNKNOWN = 'Token:019542f5-b3e7-7d02-8000-000000000001';

describe('createToken', () => {
  test('the secret is shown once and works', async () => {
    const token = await create('reader', ['VIEW']);
    assert.ok(token.clientSecret.length >= 43, '256 random bits');
    assert.equal((await service.as(token.clientId, token.clientSecret).get('/config')).status, 200);
    assert.equal((await expectStatus(200, platform.get(`/tokens/${token.id}`))).clientSecret, undefined);
  });

  test('the secret is kept as a keyed hash only', async () => {
    const token = await create('hashed', ['VIEW']);
    const [row] = await service.db.many<{ row: string }>(
      sql`select api_tokens::text as row from api_tokens where client_id = ${token.clientId}`,
    );
    assert.ok(row && !row.row.includes(token.clientSecret) && !row.row.includes(Buffer.from(token.clientSecret).toString('hex')));
  });

  test('400: no permission, an unknown one, one twice, no name', async () => {
    assertInvalid(await platform.post('/tokens', { name: 'x', permissions: [] }), 'permissions');
    assertInvalid(await platform.post('/tokens', { name: 'x', permissions: ['FLY'] }), 'permissions.0');
    assertInvalid(await platform.post('/tokens', { name: 'x', permissions: ['VIEW', 'VIEW'] }), 'permissions');
    assertInvalid(await platform.post('/tokens', { permissions: ['VIEW'] }), 'name');
  });
});

describe('a token grants only permissions it holds', () => {
  const count = async (): Promise<number> => (await expectStatus(200, platform.get('/tokens'))).totalCount;
  const manager = async (permissions: string[]) => {
    const { clientId, clientSecret } = await create(permissions.join(), permissions);
    return service.as(clientId, clientSecret);
  };

  test('403 FORBIDDEN: a token with MANAGE alone makes none that may move money', async () => {
    const by = await manager(['MANAGE']);
    const before = await count();
    for (const permissions of [['TRANSACT'], ['VIEW', 'TRANSACT'], ['MANAGE', 'TRANSACT']])
      assertRefused(await by.post('/tokens', { name: 'more', permissions }), 403, 'FORBIDDEN');
    assert.equal(await count(), before);
  });

  test('a refused grant leaves its Idempotency-Key free', async () => {
    const by = await manager(['MANAGE']);
    const sent = { headers: { 'idempotency-key': randomUUID() } };
    assertRefused(await by.post('/tokens', { name: 'x', permissions: ['TRANSACT'] }, sent), 403, 'FORBIDDEN');
    await expectStatus(201, by.post('/tokens', { name: 'x', permissions: ['VIEW'] }, sent));
  });

  test('whoever may manage may also look, and so let others look', async () => {
    const by = await manager(['MANAGE']);
    for (const permissions of [['VIEW'], ['MANAGE'], ['VIEW', 'MANAGE']]) await create('same', permissions, by);
    await create('all', ['VIEW', 'TRANSACT', 'MANAGE'], await manager(['TRANSACT', 'MANAGE']));
  });
});

describe('a repeated createToken never shows the secret again', () => {
  const sent = () => ({ headers: { 'idempotency-key': randomUUID() } });
  const body = { name: 'once', permissions: ['VIEW'] };

  test('409 CONFLICT names the token that the first request made', async () => {
    const key = sent();
    const first = await expectStatus(201, platform.post('/tokens', body, key));
    const again = await platform.post('/tokens', body, key);
    assertRefused(again, 409, 'CONFLICT');
    assert.equal(again.body.details.tokenId, first.id);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(again.headers.get('x-should-retry'), 'false');
    assert.ok(!again.text.includes(first.clientSecret));
    assert.equal((await expectStatus(200, platform.get(`/tokens/${first.id}`))).clientId, first.clientId);
  });

  race('of many at once one shows it, and the others name its token', async () => {
    const key = sent();
    const answers = await Promise.all(Array.from({ length: 16 }, () => platform.post('/tokens', body, key)));
    const [shown, ...others] = answers.filter(({ status }) => status === 201);
    assert.deepEqual([others.length, answers.filter(({ status }) => status === 409).length], [0, 15]);
    for (const { status, body: told } of answers) if (status === 409) assert.equal(told.details.tokenId, shown?.body.id);
  });

  test('the stored record holds no secret, neither open nor sealed', async () => {
    const key = sent();
    const { id, clientSecret } = await expectStatus(201, platform.post('/tokens', body, key));
    const [record] = await service.db.many<{ status: number; answer: Buffer }>(
      sql`select status, answer from idempotency_keys where key = ${key.headers['idempotency-key']}`,
    );
    const kept = record?.answer.toString('utf8') ?? '';
    assert.equal(record?.status, 409);
    assert.ok(kept.includes(id) && !kept.includes(clientSecret));
  });
});

describe('permissions', () => {
  test('403 FORBIDDEN: VIEW may read and nothing else', async () => {
    const { clientId, clientSecret } = await create('viewer', ['VIEW']);
    const viewer = service.as(clientId, clientSecret);
    assert.equal((await viewer.get('/tokens')).status, 200);
    assertRefused(await viewer.post('/tokens', { name: 'x', permissions: ['VIEW'] }), 403, 'FORBIDDEN');
    assertRefused(await viewer.patch('/config', { umaDomain: 'a.b' }), 403, 'FORBIDDEN');
  });

  test('403 comes before the validation of the body', async () => {
    const { clientId, clientSecret } = await create('viewer', ['VIEW']);
    assertRefused(await service.as(clientId, clientSecret).post('/tokens', '{{{'), 403, 'FORBIDDEN');
  });

  test('TRANSACT does not manage, MANAGE does not transact; both may view', async () => {
    const having = async (permission: string) => {
      const { clientId, clientSecret } = await create(permission, [permission]);
      return service.as(clientId, clientSecret);
    };
    const [mover, manager] = [await having('TRANSACT'), await having('MANAGE')];
    for (const either of [mover, manager]) assert.equal((await either.get('/config')).status, 200);
    assertRefused(await mover.patch('/config', { umaDomain: 'a.b' }), 403, 'FORBIDDEN');
    assertRefused(await manager.post('/sandbox/internal-accounts/any/fund', { amount: 1 }), 403, 'FORBIDDEN');
  });
});

describe('deleteTokenById', () => {
  test('a deleted token is refused at once, like an unknown one', async () => {
    const token = await create('gone', ['VIEW']);
    const client = service.as(token.clientId, token.clientSecret);
    assert.equal((await client.get('/config')).status, 200);
    assert.equal((await platform.delete(`/tokens/${token.id}`)).status, 204);
    const answer = await client.get('/config');
    assertRefused(answer, 401, 'UNAUTHORIZED');
    assert.equal(answer.text, (await service.as('nobody', 'x').get('/config')).text);
    assertRefused(await platform.delete(`/tokens/${token.id}`), 404, 'TOKEN_NOT_FOUND');
    assertRefused(await platform.get(`/tokens/${token.id}`), 404, 'TOKEN_NOT_FOUND');
  });

  test('400: the last token with MANAGE cannot be deleted', async () => {
    const other = await service.newPlatform();
    const [only] = (await other.get('/tokens')).body.data;
    assertRefused(await other.delete(`/tokens/${only.id}`), 400, 'INVALID_INPUT');
    assert.equal((await other.get('/config')).status, 200);
  });

  race('of two MANAGE tokens that delete each other concurrently one stays', async () => {
    const other = await service.newPlatform();
    const [first] = (await other.get('/tokens')).body.data;
    const second = await create('second', ['MANAGE'], other);
    const twin = service.as(second.clientId, second.clientSecret);
    const answers = await Promise.all([other.delete(`/tokens/${second.id}`), twin.delete(`/tokens/${first.id}`)]);
    assert.equal(answers.filter(({ status }) => status === 204).length, 1);
  });
});

describe('getTokenById', () => {
  test("another platform's token answers byte for byte like an unknown one", async () => {
    const other = await service.newPlatform();
    const [theirs] = (await other.get('/tokens')).body.data;
    const foreign = await platform.get(`/tokens/${theirs.id}`);
    assertRefused(foreign, 404, 'TOKEN_NOT_FOUND');
    assert.equal(foreign.text, (await platform.get(`/tokens/${UNKNOWN}`)).text);
  });
});

describe('listTokens', () => {
  test('pages forward, newest first, each token once', async () => {
    const other = await service.newPlatform();
    for (let i = 0; i < 4; i += 1) await create(`t${i}`, ['VIEW'], other);
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await expectStatus(200, other.get(`/tokens?limit=2${cursor ? `&cursor=${cursor}` : ''}`));
      assert.equal(page.totalCount, 5);
      assert.equal(page.hasMore, page.nextCursor !== undefined);
      names.push(...page.data.map(({ name }: { name: string }) => name));
      cursor = page.nextCursor;
    } while (cursor);
    assert.deepEqual(names, ['t3', 't2', 't1', 't0', 'bootstrap']);
  });

  test('filters by name and by time of creation', async () => {
    const at = await platform.clock.freeze('2032-01-01T00:00:00Z');
    await create('special', ['VIEW']);
    const names = async (query: string) =>
      (await expectStatus(200, platform.get(`/tokens?${query}`))).data.map(({ name }: { name: string }) => name);
    assert.deepEqual(await names('name=special'), ['special']);
    assert.deepEqual(await names(`createdAfter=${at.toISOString()}`), ['special']);
    assert.ok(!(await names(`createdBefore=${new Date(at.getTime() - 1).toISOString()}`)).includes('special'));
  });

  test('400: a cursor of another request', async () => {
    const { nextCursor } = await expectStatus(200, platform.get('/tokens?limit=1'));
    assertRefused(await platform.get(`/tokens?limit=1&name=special&cursor=${nextCursor}`), 400, 'INVALID_INPUT');
  });
});

test('an expired token answers like an unknown one, from the moment it expires', async () => {
  const other = await service.newPlatform();
  const at = await other.clock.freeze('2033-01-01T00:00:00.000Z');
  const token = await create('short', ['VIEW'], other);
  await service.db.run(sql`update api_tokens set expires_at = ${new Date(at.getTime() + 1000)} where client_id = ${token.clientId}`);
  const client = service.as(token.clientId, token.clientSecret);
  await other.clock.advance(999);
  assert.equal((await client.get('/config')).status, 200);
  await other.clock.advance(1);
  assertRefused(await client.get('/config'), 401, 'UNAUTHORIZED');
});
