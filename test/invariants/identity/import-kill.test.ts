// An import whose workers are killed goes on where it was: no row twice, none lost, one event, in bounded memory. So does a file full of bad
// rows.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { spawnService } from '../../../bench/service.js';
import { sql } from '../../../src/db/sql.js';
import { expectStatus } from '../../support/client.js';
import { csvOf, jobOf, personRow, uploadCsv } from '../../support/imports.js';
import { startOwnService, type TestService } from '../../support/service.js';

/** `npm run prove` imports 100,000 rows with two workers at a time. */
const ROWS = Number(process.env['IMPORT_ROWS'] ?? 1_500);
const KILLS = Number(process.env['IMPORT_KILLS'] ?? 2);
const WORKERS = Number(process.env['IMPORT_WORKERS'] ?? 1);
/** `npm run prove` sends a million. */
const BAD_ROWS = Number(process.env['IMPORT_BAD_ROWS'] ?? 30_000);
/** A bare process takes about half of it. */
const MAX_MEMORY_MIB = 320;

const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64');
let service: TestService;
let dataDir: string;
before(async () => {
  service = await startOwnService({ ROLE: 'api', KEY_ENCRYPTION_KEY });
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-import-'));
});
after(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const startWorker = (): ChildProcess =>
  spawnService({ ROLE: 'worker', DATABASE_URL: service.databaseUrl, DATA_DIR: dataDir, KEY_ENCRYPTION_KEY, LOG_LEVEL: 'error' });

/** The most memory that the process has used, in MiB. */
const peakMemory = ({ pid }: ChildProcess): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

async function kill(worker: ChildProcess): Promise<void> {
  const gone = once(worker, 'exit');
  worker.kill('SIGKILL');
  await gone;
}

const count = async (statement: ReturnType<typeof sql>) => Number((await service.db.one<{ count: bigint }>(statement))?.count);

test(`${ROWS} rows, ${KILLS} kills: every row is done exactly once`, { timeout: 60_000 + ROWS * 20 }, async (t) => {
  const { platform } = service;
  // Every hundredth row is bad, and every hundred-and-first repeats the row before it.
  const rows = Array.from({ length: ROWS }, (_, i) =>
    i % 100 === 50 ? personRow('k', i).replace('1990-01-01', 'never') : personRow('k', i % 100 === 70 ? i - 1 : i),
  );
  const bad = rows.filter((_, i) => i % 100 === 50 || i % 100 === 70).length;
  const { jobId } = await expectStatus(202, uploadCsv(platform, csvOf(rows)));
  const done = async () => {
    const row = await service.db.one<{ successful: number; failed: number; total: number; status: string }>(
      sql`select successful, failed, total, status from import_jobs`,
    );
    assert.ok(row && row.successful + row.failed <= row.total, 'the progress adds up at every look');
    return row.successful + row.failed;
  };
  const workers = Array.from({ length: WORKERS }, startWorker);
  try {
    for (let kills = 1; kills <= KILLS; kills += 1) {
      while ((await done()) < (kills * ROWS) / (KILLS + 1)) await pause(2);
      const victim = workers.shift();
      if (victim) await kill(victim);
      workers.push(startWorker());
    }
    while ((await jobOf(platform, jobId)).completedAt === undefined) await pause(50);
    const memory = Math.max(...workers.map(peakMemory));
    t.diagnostic(`${Math.round(memory)} MiB at most in the last worker`);
    assert.ok(memory < MAX_MEMORY_MIB, `${Math.round(memory)} MiB`);
  } finally {
    for (const worker of workers) await kill(worker);
  }

  const job = await jobOf(platform, jobId);
  assert.deepEqual([job.status, job.progress], ['COMPLETED', { total: ROWS, processed: ROWS, successful: ROWS - bad, failed: bad }]);
  assert.equal(job.errors.length, Math.min(bad, 10_000));
  assert.equal(await count(sql`select count(*) from customers`), ROWS - bad);
  assert.equal(await count(sql`select count(distinct platform_customer_id) from customers`), ROWS - bad);
  assert.equal(await count(sql`select count(*) from internal_accounts where customer_id is not null`), 2 * (ROWS - bad));
  assert.equal(await count(sql`select count(*) from webhook_events where type = 'CUSTOMER.KYC_APPROVED'`), ROWS - bad);
  assert.equal(await count(sql`select count(*) from webhook_events where type = 'BULK_UPLOAD.COMPLETED'`), 1);
  assert.equal(await count(sql`select count(*) from stored_file_chunks`), 0, 'the content is erased');
});

test(`${BAD_ROWS} rows that nobody can be made of: counted, 10,000 of them named, in bounded memory`, {
  timeout: 60_000 + BAD_ROWS,
}, async (t) => {
  const platform = await service.newPlatform();
  const customers = await count(sql`select count(*) from customers`);
  const { jobId } = await expectStatus(202, uploadCsv(platform, csvOf(Array.from({ length: BAD_ROWS }, () => 'x'))));
  const worker = startWorker();
  try {
    while ((await jobOf(platform, jobId)).completedAt === undefined) await pause(200);
    const memory = peakMemory(worker);
    t.diagnostic(`${Math.round(memory)} MiB at most`);
    assert.ok(memory < MAX_MEMORY_MIB, `${Math.round(memory)} MiB`);
  } finally {
    await kill(worker);
  }
  const job = await jobOf(platform, jobId);
  assert.deepEqual([job.status, job.progress], ['FAILED', { total: BAD_ROWS, processed: BAD_ROWS, successful: 0, failed: BAD_ROWS }]);
  assert.deepEqual([job.errors.length, job.errors[0].correlationId, job.errors[0].code], [10_000, 'row_2', 'INVALID_FIELD']);
  assert.equal(await count(sql`select count(*) from customers`), customers);
  assert.equal(await count(sql`select count(*) from stored_file_chunks`), 0, 'the content is erased');
});
