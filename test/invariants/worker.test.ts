// The worker serves every platform. A failure of one platform does not affect another.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
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
  const worker = startWorker(service.db, [job], { warn: (fields: object) => void warned.push(fields) } as never, { pollMs: 1 });
  assert.equal(await reached, fine);
  await worker.stop();
  // On a cluster the statement of this job fails for groups of platforms that have none of the two.
  assert.deepEqual(
    warned.find((fields) => 'platformId' in (fields as object)),
    { job: 'brittle', platformId: broken, errorMessage: 'broken' },
  );
});

test('a job whose provider is slow does not hold up the others: its turn ends, and the rest stays due', async () => {
  const platform = await platformIdOf(service, await service.newPlatform());
  const turns: string[] = [];
  const jobOf = (name: string, run: (isOver: () => boolean) => Promise<void>): Job => ({
    name,
    firstDue: (condition) => sql`
      select d.id as platform_id, 'epoch'::timestamptz as at from platforms d
      where ${condition(sql`d.id`)} and d.id = ${uuidOf(platform)}`,
    run: async (_db, _platformId, _now, isOver) => {
      await run(isOver);
      turns.push(name);
      return 1;
    },
  });
  let sent = 0;
  const slow = jobOf('slow', async (isOver) => {
    for (let left = 100; left > 0 && !isOver(); left -= 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      sent += 1;
    }
  });
  const other = jobOf('other', async () => {});
  const log = { warn: (fields: object) => assert.fail(JSON.stringify(fields)) } as never;
  for (let round = 0; round < 2; round += 1) await runDueJobs(service.db, [slow, other], log, () => false, { turnMs: 100 });
  assert.deepEqual(turns, ['slow', 'other', 'slow', 'other']);
  assert.ok(sent >= 2 && sent <= 20, `${sent} sent in two turns`);
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
