// Records are deleted some time after they have expired: in bounded batches, platform by platform, and not earlier.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Db } from '../../src/db/pool.js';
import { type Sql, sql } from '../../src/db/sql.js';
import { DELETE_BATCH } from '../../src/db/upkeep.js';
import { idempotencyUpkeep } from '../../src/http/idempotency.js';
import { type PlatformId, uuidOf } from '../../src/kernel/ids.js';
import { runUpkeep } from '../../src/worker.js';
import { type Client, expectStatus } from '../support/client.js';
import { plansOfOneServer } from '../support/database.js';
import { startTestService, type TestService } from '../support/service.js';
import { wallet } from '../support/wallet.js';
import { platformIdOf } from '../support/webhooks/platform.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let service: TestService;
before(async () => {
  service = await startTestService({ ROLE: 'api', SESSION_RETENTION: '2d', SIGNED_REQUEST_RETENTION: '3h', ONE_TIME_CODE_RETENTION: '1h' });
});
after(() => service.stop());

const count = async (query: Sql): Promise<number> => Number((await service.db.one<{ count: bigint }>(query))?.count);

describe('records of a wallet, by the clock of the platform', () => {
  /** A record is there until so long after it expired, and no longer. */
  async function keptUntil(platform: Client, left: () => Promise<number>, expiresAt: string, retentionMs: number): Promise<void> {
    const gone = new Date(Date.parse(expiresAt) + retentionMs);
    await platform.clock.freeze(new Date(gone.getTime() - 2));
    await platform.clock.advance(1);
    assert.equal(await left(), 1);
    await platform.clock.advance(1);
    assert.equal(await left(), 0);
  }

  test('SESSION_RETENTION: a session is deleted that long after it expired', async () => {
    const platform = await service.newPlatform();
    const { session } = await wallet(platform);
    const left = () => count(sql`select count(*) from auth_sessions where id = ${uuidOf(session.id)}`);
    await keptUntil(platform, left, session.expiresAt, 2 * DAY);
  });

  test('a revoked session is kept as long as if it had not been revoked', async () => {
    const platform = await service.newPlatform();
    const { session } = await wallet(platform);
    await service.db.run(sql`update auth_sessions set revoked_at = created_at where id = ${uuidOf(session.id)}`);
    const left = () => count(sql`select count(*) from auth_sessions where id = ${uuidOf(session.id)}`);
    await keptUntil(platform, left, session.expiresAt, 2 * DAY);
  });

  test('SIGNED_REQUEST_RETENTION: a signed request is deleted that long after it expired', async () => {
    const platform = await service.newPlatform();
    const { session } = await wallet(platform);
    const { requestId, expiresAt } = await expectStatus(202, platform.delete(`/auth/sessions/${session.id}`));
    const left = () => count(sql`select count(*) from signed_requests where id = ${uuidOf(requestId)}`);
    await keptUntil(platform, left, expiresAt, 180 * MINUTE);
  });

  test('ONE_TIME_CODE_RETENTION: the challenge of a code is deleted that long after it expired', async () => {
    const platform = await service.newPlatform();
    const { credential } = await wallet(platform);
    await expectStatus(200, platform.post(`/auth/credentials/${credential.id}/challenge`));
    const row = await service.db.one<{ expires_at: Date }>(
      sql`select expires_at from otp_challenges where credential_id = ${uuidOf(credential.id)}`,
    );
    const left = () => count(sql`select count(*) from otp_challenges where credential_id = ${uuidOf(credential.id)}`);
    await keptUntil(platform, left, row?.expires_at.toISOString() ?? '', 60 * MINUTE);
  });
});

describe('idempotency records, by the real time', () => {
  const insert = (platformId: PlatformId, rows: number, age: string) =>
    service.db.run(sql`
      insert into idempotency_keys (platform_id, key, request_hash, status, answer, created_at)
      select ${uuidOf(platformId)}, 'old ' || n, '\\x00', 200, '\\x00', now() - ${age}::interval from generate_series(1, ${rows}::integer) n`);
  const left = (platformId: PlatformId) => count(sql`select count(*) from idempotency_keys where platform_id = ${uuidOf(platformId)}`);
  const retention = idempotencyUpkeep(36 * 60 * MINUTE);

  /** The database, with a note of how many rows each statement deleted. */
  function noting(): { db: Db; deleted: number[] } {
    const deleted: number[] = [];
    const run: Db['run'] = async (query) => {
      const rows = await service.db.run(query);
      deleted.push(rows);
      return rows;
    };
    return { db: { ...service.db, run }, deleted };
  }

  test('are deleted in bounded batches, one platform per statement', async () => {
    const [one, other] = [
      await platformIdOf(service, await service.newPlatform()),
      await platformIdOf(service, await service.newPlatform()),
    ];
    await insert(one, 2 * DELETE_BATCH + 1, '37 hours');
    await insert(other, 1, '37 hours');
    const { db, deleted } = noting();
    await retention.run(db, one, new Date(), () => false);
    assert.deepEqual(deleted, [DELETE_BATCH, DELETE_BATCH, 1]);
    assert.deepEqual([await left(one), await left(other)], [0, 1]);
  });

  test('are kept until they are old enough, whatever the clock of the platform says', async () => {
    const platform = await service.newPlatform();
    const platformId = await platformIdOf(service, platform);
    await platform.clock.freeze('2099-01-01T00:00:00Z');
    await insert(platformId, 1, '35 hours');
    await retention.run(service.db, platformId, new Date(), () => false);
    assert.equal(await left(platformId), 1);
  });

  test('a stopping process begins no further batch', async () => {
    const platformId = await platformIdOf(service, await service.newPlatform());
    await insert(platformId, DELETE_BATCH + 1, '37 hours');
    const { db, deleted } = noting();
    await retention.run(db, platformId, new Date(), () => deleted.length > 0);
    assert.equal(await left(platformId), 1);
  });

  test('the worker sweeps every platform; a failure on one does not keep the others', async () => {
    const [broken, fine] = [
      await platformIdOf(service, await service.newPlatform()),
      await platformIdOf(service, await service.newPlatform()),
    ];
    await insert(broken, 1, '37 hours');
    await insert(fine, 1, '37 hours');
    const warned: { platformId?: string }[] = [];
    const upkeep = {
      ...retention,
      run: (db: Db, platformId: PlatformId, now: Date, isOver: () => boolean) =>
        platformId === broken ? Promise.reject(new Error('broken')) : retention.run(db, platformId, now, isOver),
    };
    await runUpkeep(service.db, upkeep, { warn: (fields: object) => void warned.push(fields) } as never, () => false);
    assert.deepEqual([await left(broken), await left(fine)], [1, 0]);
    assert.deepEqual(
      warned.map(({ platformId }) => platformId),
      [broken],
    );
  });

  test('the delete goes by index, whatever the planner knows of the table', { skip: plansOfOneServer() }, async () => {
    const platformId = await platformIdOf(service, await service.newPlatform());
    await insert(platformId, 5, '1 hour');
    const plan = await service.db.transaction(async (tx) => {
      await tx.run(sql`set local enable_seqscan = off`);
      return tx.many<{ 'QUERY PLAN': string }>(sql`
        explain select key from idempotency_keys where platform_id = ${uuidOf(platformId)} and created_at > '-infinity' and created_at < now()
        order by created_at limit 10`);
    });
    assert.match(plan.map((row) => row['QUERY PLAN']).join('\n'), /Index Scan using idempotency_keys_age/);
  });
});
