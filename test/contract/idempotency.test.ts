// Idempotency-Key: one effect, identical bytes on replay, and refusal of another body before any effect.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/db/sql.js';
import { idempotencyUpkeep } from '../../src/http/idempotency.js';
import { assertRefused, expectStatus } from '../support/client.js';
import { race } from '../support/race.js';
import { startOwnService, type TestService } from '../support/service.js';
import { platformIdOf } from '../support/webhooks/platform.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

const customer = (fullName = 'Ada Lovelace') => ({ customerType: 'INDIVIDUAL', fullName });
const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const customerCount = async (): Promise<number> => (await expectStatus(200, service.platform.get('/customers'))).totalCount;

test('a replay returns the stored status and bytes, and has no effect', async () => {
  const key = randomUUID();
  const first = await service.platform.post('/customers', customer(), withKey(key));
  const count = await customerCount();
  const again = await service.platform.post('/customers', customer(), withKey(key));
  assert.equal(first.status, 201);
  assert.equal(again.status, 201);
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(await customerCount(), count);
});

test('the order of members is not part of the comparison of bodies', async () => {
  const key = randomUUID();
  const first = await service.platform.post('/customers', '{"fullName":"a","customerType":"INDIVIDUAL"}', withKey(key));
  const again = await service.platform.post('/customers', '{ "customerType": "INDIVIDUAL", "fullName": "a" }', withKey(key));
  assert.equal(again.text, first.text);
});

test('the same key with another body: 409 CONFLICT, before any effect', async () => {
  const key = randomUUID();
  await expectStatus(201, service.platform.post('/customers', customer('a'), withKey(key)));
  const count = await customerCount();
  assertRefused(await service.platform.post('/customers', customer('b'), withKey(key)), 409, 'CONFLICT');
  assert.equal(await customerCount(), count);
});

test('the key of a refused request can be used again', async () => {
  const key = randomUUID();
  assertRefused(await service.platform.post('/customers', { ...customer(), email: 'nobody' }, withKey(key)), 400, 'INVALID_INPUT');
  assert.equal((await service.platform.post('/customers', customer(), withKey(key))).status, 201);
});

test('keys are scoped to the platform', async () => {
  const other = await service.newPlatform();
  const key = randomUUID();
  const mine = await service.platform.post('/customers', customer(), withKey(key));
  const theirs = await other.post('/customers', customer(), withKey(key));
  assert.equal(theirs.status, 201);
  assert.notEqual(theirs.body.id, mine.body.id);
});

test('a key is kept for at least a day and then removed', async () => {
  const [kept, forgotten] = [randomUUID(), randomUUID()];
  const first = await service.platform.post('/customers', customer(), withKey(kept));
  await service.platform.post('/customers', customer(), withKey(forgotten));
  const age = (key: string, hours: number) =>
    service.db.run(sql`update idempotency_keys set created_at = now() - make_interval(hours => ${hours}) where key = ${key}`);
  await age(kept, 24);
  await age(forgotten, 24 * 30);
  const retention = idempotencyUpkeep(24 * 3_600_000 + 60_000);
  await retention.run(service.db, await platformIdOf(service, service.platform), new Date(), () => false);
  assert.equal((await service.platform.post('/customers', customer(), withKey(kept))).text, first.text);
  const anew = await service.platform.post('/customers', customer('another'), withKey(forgotten));
  assert.deepEqual([anew.status, anew.headers.get('idempotent-replayed')], [201, null]);
});

race('64 concurrent requests with one key: one effect, and all receive the same response', async () => {
  const key = randomUUID();
  const before = await customerCount();
  const answers = await Promise.all(Array.from({ length: 64 }, () => service.platform.post('/customers', customer('race'), withKey(key))));
  assert.equal(await customerCount(), before + 1);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
});

describe('400 INVALID_INPUT', () => {
  for (const [what, key] of [
    ['256 characters', 'k'.repeat(256)],
    ['an empty key', ''],
  ] as const) {
    test(what, async () => {
      assertRefused(await service.platform.post('/customers', customer(), withKey(key)), 400, 'INVALID_INPUT');
    });
  }
  test('255 characters are accepted', async () => {
    assert.equal((await service.platform.post('/customers', customer(), withKey('k'.repeat(255)))).status, 201);
  });
});
