// Idempotency-Key: one effect, identical bytes on replay, and refusal of another body before any effect.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/db/sql.js';
import { sweepIdempotencyKeys } from '../../src/http/idempotency.js';
import { assertRefused, expectStatus } from '../support/client.js';
import { startOwnService, type TestService } from '../support/service.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

const token = (name = 'reader') => ({ name, permissions: ['VIEW'] });
const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const tokenCount = async (): Promise<number> => (await expectStatus(200, service.platform.get('/tokens'))).totalCount;

test('a replay returns the stored status and bytes, and has no effect', async () => {
  const key = randomUUID();
  const first = await service.platform.post('/tokens', token(), withKey(key));
  const count = await tokenCount();
  const again = await service.platform.post('/tokens', token(), withKey(key));
  assert.equal(first.status, 201);
  assert.equal(again.status, 201);
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(await tokenCount(), count);
});

test('the order of members is not part of the comparison of bodies', async () => {
  const key = randomUUID();
  const first = await service.platform.post('/tokens', '{"name":"a","permissions":["VIEW"]}', withKey(key));
  const again = await service.platform.post('/tokens', '{ "permissions": ["VIEW"], "name": "a" }', withKey(key));
  assert.equal(again.text, first.text);
});

test('the same key with another body: 409 CONFLICT, before any effect', async () => {
  const key = randomUUID();
  await expectStatus(201, service.platform.post('/tokens', token('a'), withKey(key)));
  const count = await tokenCount();
  assertRefused(await service.platform.post('/tokens', token('b'), withKey(key)), 409, 'CONFLICT');
  assert.equal(await tokenCount(), count);
});

test('the key of a refused request can be used again', async () => {
  const key = randomUUID();
  assertRefused(await service.platform.post('/tokens', token(''), withKey(key)), 400, 'INVALID_INPUT');
  assert.equal((await service.platform.post('/tokens', token(), withKey(key))).status, 201);
});

test('keys are scoped to the platform', async () => {
  const other = await service.newPlatform();
  const key = randomUUID();
  const mine = await service.platform.post('/tokens', token(), withKey(key));
  const theirs = await other.post('/tokens', token(), withKey(key));
  assert.equal(theirs.status, 201);
  assert.notEqual(theirs.body.id, mine.body.id);
});

test('a key is kept for at least a day and then removed', async () => {
  const [kept, forgotten] = [randomUUID(), randomUUID()];
  const first = await service.platform.post('/tokens', token(), withKey(kept));
  await service.platform.post('/tokens', token(), withKey(forgotten));
  const age = (key: string, hours: number) =>
    service.db.run(sql`update idempotency_keys set created_at = clock_timestamp() - make_interval(hours => ${hours}) where key = ${key}`);
  await age(kept, 24);
  await age(forgotten, 24 * 30);
  await sweepIdempotencyKeys(service.db);
  assert.equal((await service.platform.post('/tokens', token(), withKey(kept))).text, first.text);
  const anew = await service.platform.post('/tokens', token('another'), withKey(forgotten));
  assert.deepEqual([anew.status, anew.headers.get('idempotent-replayed')], [201, null]);
});

test('64 concurrent requests with one key: one effect, and all receive the same response', async () => {
  const key = randomUUID();
  const before = await tokenCount();
  const answers = await Promise.all(Array.from({ length: 64 }, () => service.platform.post('/tokens', token('race'), withKey(key))));
  assert.equal(await tokenCount(), before + 1);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
});

test('a response that contains a secret is stored encrypted', async () => {
  const key = randomUUID();
  const { body } = await service.platform.post('/tokens', token(), withKey(key));
  const rows = await service.db.many<{ answer: Buffer; sealed: boolean }>(
    sql`select answer, sealed from idempotency_keys where key = ${key}`,
  );
  assert.equal(rows[0]?.sealed, true);
  assert.ok(!rows[0].answer.toString('latin1').includes(body.clientSecret));
});

describe('400 INVALID_INPUT', () => {
  for (const [what, key] of [
    ['256 characters', 'k'.repeat(256)],
    ['an empty key', ''],
  ] as const) {
    test(what, async () => {
      assertRefused(await service.platform.post('/tokens', token(), withKey(key)), 400, 'INVALID_INPUT');
    });
  }
  test('255 characters are accepted', async () => {
    assert.equal((await service.platform.post('/tokens', token(), withKey('k'.repeat(255)))).status, 201);
  });
});
