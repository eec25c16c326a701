// The worker serves every platform of its mode. A failure of one platform does not affect another.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from '../../src/db/job.js';
import type { Db, Tx } from '../../src/db/pool.js';
import { type Sql, sql } from '../../src/db/sql.js';
import { type PlatformId, uuidOf } from '../../src/kernel/ids.js';
import { runDueJobs, startWorker } from '../../src/worker.js';
import { startTestService, type TestService } from '../support/service.js';
import { platformIdOf } from '../support/webhooks/platform.js';

let service: TestService;
before(async () => {
  service = await startTestService({ ROLE: 'api' });
});
after(() => service.stop());

test('a job that fails for one platform runs for the others, and the failure is logged with the platform', async () => {
  const broken = await platformIdOf(service, await service.newPlatform());
  const fine = await platformIdOf(service, await service.newPlatform());
  const warned: unknown[] = [];
  let served: (platformId: PlatformId) => void = () => {};
  const reached = new Promise<PlatformId>((resolve) => {
    served = resolve;
  });
  const job: Job = {
    name: 'brittle',
    firstDue: (condition) => sql`
      select d.id as platform_id, 'epoch'::timestamptz as at from platforms d
      where ${condition(sql`d.id`)} and d.id = any(${[broken, fine].map(uuidOf)}::uuid[]) order by d.id limit 1`,
    run: async (_db, platformId) => {
      if (platformId === broken) throw new Error('broken');
      served(platformId);
      return 1;
    },
  };
  const worker = startWorker(service.db, 'sandbox', [job], { warn: (fields: object) => void warned.push(fields) } as never, { pollMs: 1 });
  assert.equal(await reached, fine);
  await worker.stop();
  // On a cluster the statement of this job fails for groups of platforms that have none of the two.
  assert.deepEqual(
    warned.find((fields) => 'platformId' in (fields as object)),
    { job: 'brittle', platformId: broken, errorMessage: 'broken' },
  );
});

test('a platform with more due work than a turn can do delays the work of another for a moment only', async () => {
  const [busy, other] = [
    await platformIdOf(service, await service.newPlatform()),
    await platformIdOf(service, await service.newPlatform()),
  ].sort();
  assert.ok(busy && other);
  const order: string[] = [];
  const job: Job = {
    name: 'long',
    firstDue: (condition) => sql`
      select d.id as platform_id, 'epoch'::timestamptz as at from platforms d
      where ${condition(sql`d.id`)} and d.id = any(${[busy, other].map(uuidOf)}::uuid[]) order by d.id limit 1`,
    run: async (_db, platformId, _now, isOver) => {
      if (platformId === other) return order.push('other');
      // An hour of work, in pieces.
      const giveUpAt = performance.now() + 10_000;
      while (!isOver() && performance.now() < giveUpAt) await sleep(10);
      return order.push(isOver() ? 'busy, in time' : 'busy, endless');
    },
  };
  await runDueJobs(service.db, 'sandbox', [job], { warn: (fields: object) => assert.fail(JSON.stringify(fields)) } as never, () => false);
  assert.deepEqual(order, ['busy, in time', 'other']);
});

test('a worker of the other mode leaves the work of a platform to one of its own: its banks and issuers are others', async () => {
  const platformId = await platformIdOf(service, await service.newPlatform());
  const ran: string[] = [];
  const jobOf = (mode: string): Job => ({
    name: 'of one mode',
    firstDue: (condition) => sql`
      select d.id as platform_id, 'epoch'::timestamptz as at from platforms d
      where ${condition(sql`d.id`)} and d.id = ${uuidOf(platformId)} order by d.id limit 1`,
    run: async () => ran.push(mode),
  });
  for (const mode of ['live', 'sandbox'] as const)
    await runDueJobs(
      service.db,
      mode,
      [jobOf(mode)],
      { warn: (fields: object) => assert.fail(JSON.stringify(fields)) } as never,
      () => false,
    );
  assert.deepEqual(ran, ['sandbox']);
});

test('a turn over 1,000 idle platforms asks for the groups and sends one statement and its settings for each', async () => {
  await service.db.run(sql`
    insert into platforms (id, name, mode, config, webhook_endpoint, created_at, updated_at)
    select gen_random_uuid(), 'idle ' || n, 'sandbox', '{}', 'http://127.0.0.1:1/', now(), now() from generate_series(1, 1000) n`);
  const sent: Sql[] = [];
  const noted = (query: Sql): Sql => {
    sent.push(query);
    return query;
  };
  const counting = <Statements extends Pick<Tx, 'many' | 'one' | 'run'>>(statements: Statements): Statements => ({
    ...statements,
    many: (query: Sql) => statements.many(noted(query)),
    one: (query: Sql) => statements.one(noted(query)),
    run: (query: Sql) => statements.run(noted(query)),
  });
  const db: Db = {
    ...counting(service.db),
    transaction: (work) => service.db.transaction((tx) => work({ ...counting(tx), send: (query) => tx.send(noted(query)) })),
  };
  const { jobs } = service.service;
  assert.ok(jobs.length >= 7);
  await runDueJobs(
    db,
    'sandbox',
    jobs.filter(({ sendsWebhooks }) => !sendsWebhooks),
    { warn: (fields: object) => assert.fail(JSON.stringify(fields)) } as never,
    () => false,
  );
  // One server is one group.
  const groups = await service.db.many(sql`select from platform_groups(false)`);
  assert.deepEqual(sent.map(({ text }) => /platform_groups|set_config|platforms/.exec(text)?.[0]).sort(), [
    'platform_groups',
    ...groups.map(() => 'platforms'),
    ...groups.map(() => 'set_config'),
  ]);
});
