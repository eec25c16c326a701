// "`totalCount` is exact up to 10,000 and then absent": no list counts a million rows.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/db/sql.js';
import { once } from '../../src/http/idempotency.js';
import { type PlatformId, uuidOf } from '../../src/kernel/ids.js';
import { createKeyCustody } from '../../src/providers/key-custody.js';
import { projectRoot } from '../../src/root.js';
import { type Client, expectStatus } from '../support/client.js';
import { startTestService, type TestService } from '../support/service.js';
import { platformIdOf } from '../support/webhooks/platform.js';

let service: TestService;
let platform: Client;
let platformId: PlatformId;
before(async () => {
  service = await startTestService();
  platform = service.platform;
  platformId = await platformIdOf(service, platform);
});
after(() => service.stop());

type ListSchema = { readonly properties?: Record<string, { description?: string }>; readonly required?: readonly string[] };

const insertTokens = (from: number, to: number) =>
  service.db.run(sql`
    insert into api_tokens (platform_id, id, client_id, secret_hash, name, permissions, created_at, updated_at)
    select ${uuidOf(platformId)}, gen_random_uuid(), 'counted-' || ${uuidOf(platformId)}::text || n, '\\x00', 'counted', '{VIEW}', now(), now()
    from generate_series(${from}::int, ${to}::int) n`);

describe('totalCount', () => {
  test('10,000 matches: exact, on every page', async () => {
    await insertTokens(1, 10_000);
    const first = await expectStatus(200, platform.get('/tokens?name=counted&limit=1'));
    assert.equal(first.totalCount, 10_000);
    const second = await expectStatus(200, platform.get(`/tokens?name=counted&limit=1&cursor=${first.nextCursor}`));
    assert.equal(second.totalCount, 10_000);
  });

  test('one more: absent, and the list goes on', async () => {
    await insertTokens(10_001, 10_001);
    const first = await expectStatus(200, platform.get('/tokens?name=counted&limit=100'));
    assert.ok(!('totalCount' in first));
    assert.deepEqual([first.data.length, first.hasMore, typeof first.nextCursor], [100, true, 'string']);
  });

  test('the API document describes the limit in every list', () => {
    const { schemas } = service.contract.document['components'] as { schemas: Record<string, ListSchema> };
    const lists = Object.entries(schemas).filter(([, schema]) => schema.properties?.['totalCount'] && schema.properties?.['nextCursor']);
    assert.ok(lists.length >= 6);
    for (const [name, schema] of lists) {
      assert.ok(!schema.required?.includes('totalCount'), name);
      assert.match(
        String(schema.properties?.['totalCount']?.description),
        name === 'BalanceChangeListResponse' ? /always/ : /10,000/,
        name,
      );
    }
  });

  test('every list counts through the one helper', () => {
    const src = join(projectRoot, 'src', 'domains');
    const unbounded = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((path) => /store[\w-]*\.ts$/.test(path))
      .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }))
      .filter(({ text }) => text.includes('pageOf(') && (!text.includes('countMatches(') || /select count\(\*\)( as \w+)? from/.test(text)))
      .map(({ path }) => path);
    assert.deepEqual(unbounded, []);
  });
});

test('an Idempotency-Key is claimed while the row of its platform is locked', async () => {
  const options = { secrets: { requestHashKey: Buffer.alloc(32, 1) }, custody: createKeyCustody([Buffer.alloc(32, 2)]) };
  const request = { platformId, key: 'while-locked', operation: 'test', target: '/', body: {}, secret: false };
  const reply = await service.db.transaction(async (tx) => {
    await tx.one(sql`select 1 from platforms where id = ${uuidOf(platformId)} for update`);
    return service.db.transaction(async (other) => {
      await other.run(sql`select set_config('lock_timeout', '2s', true)`);
      return once(other, request, options, async () => ({ status: 201, payload: '{}' }));
    });
  });
  assert.deepEqual(reply, { status: 201, payload: Buffer.from('{}'), replayed: false });
});
