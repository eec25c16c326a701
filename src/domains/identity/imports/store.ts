// All SQL of imports.
import type { PlatformCondition } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { type Sql, sql } from '../../../db/sql.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { ImportError, ImportJob, ImportJobId, ImportStatus } from './import-job.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type JobRow = {
  id: string;
  status: ImportStatus;
  file_id: string | null;
  columns: string[] | null;
  next_byte: bigint;
  next_line: number;
  total: number;
  successful: number;
  failed: number;
  created_at: Date;
  completed_at: Date | null;
};

const toJob = (row: JobRow): ImportJob => ({
  id: idOf('Job', row.id),
  status: row.status,
  fileId: row.file_id === null ? null : idOf('File', row.file_id),
  columns: row.columns,
  next: { byte: Number(row.next_byte), line: row.next_line },
  total: row.total,
  successful: row.successful,
  failed: row.failed,
  createdAt: row.created_at,
  completedAt: row.completed_at,
});

/** An import is due at once, also on a sandbox clock that is set back later. */
const AT_ONCE = new Date(0);

export function insertJob(tx: Tx, platformId: PlatformId, job: ImportJob): void {
  tx.send(sql`
    insert into import_jobs (platform_id, id, status, file_id, due_at, created_at)
    values (${uuidOf(platformId)}, ${uuidOf(job.id)}, ${job.status}, ${job.fileId && uuidOf(job.fileId)}, ${AT_ONCE}, ${job.createdAt})`);
}

export async function findJob(tx: Reader, platformId: PlatformId, id: ImportJobId): Promise<ImportJob | undefined> {
  const row = await tx.one<JobRow>(sql`select * from import_jobs where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
  return row && toJob(row);
}

/** The import, locked, if it still is where the caller saw it: another process may have gone on with it. */
export async function lockJobAt(tx: Tx, platformId: PlatformId, { id, status, next }: ImportJob): Promise<ImportJob | undefined> {
  const row = await tx.one<JobRow>(sql`
    select * from import_jobs
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} and status = ${status} and next_byte = ${next.byte}
    for no key update skip locked`);
  return row && toJob(row);
}

/** Writes every column that can change. */
export function saveJob(tx: Tx, platformId: PlatformId, job: ImportJob): void {
  tx.send(sql`
    update import_jobs set status = ${job.status}, file_id = ${job.fileId && uuidOf(job.fileId)}, columns = ${job.columns},
      next_byte = ${job.next.byte}, next_line = ${job.next.line}, total = ${job.total}, successful = ${job.successful},
      failed = ${job.failed}, completed_at = ${job.completedAt}, due_at = case when ${job.completedAt === null} then due_at end
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(job.id)}`);
}

export const firstDueImport = (condition: PlatformCondition): Sql => sql`
  select platform_id, due_at as at from import_jobs where ${condition(sql`platform_id`)} and due_at is not null
  order by platform_id, due_at limit 1`;

/** The imports that are due, the oldest first. */
export async function findDueJobs(tx: Reader, platformId: PlatformId, now: Date): Promise<ImportJob[]> {
  const rows = await tx.many<JobRow>(sql`
    select * from import_jobs where platform_id = ${uuidOf(platformId)} and due_at <= ${now} order by due_at, id limit 10`);
  return rows.map(toJob);
}

export type NewError = { readonly line: number; readonly error: ImportError };

export function insertErrors(tx: Tx, platformId: PlatformId, id: ImportJobId, errors: readonly NewError[]): void {
  if (errors.length === 0) return;
  tx.send(sql`
    insert into import_errors (platform_id, job_id, line, error)
    select j.platform_id, j.id, n.line, n.error
    from import_jobs j, json_to_recordset(${JSON.stringify(errors)}) as n (line integer, error json)
    where j.platform_id = ${uuidOf(platformId)} and j.id = ${uuidOf(id)}`);
}

/** The refused rows in the order of the file. */
export async function findErrors(tx: Reader, platformId: PlatformId, id: ImportJobId, limit: number): Promise<ImportError[]> {
  const rows = await tx.many<{ error: ImportError }>(sql`
    select error from import_errors where platform_id = ${uuidOf(platformId)} and job_id = ${uuidOf(id)} order by line limit ${limit}`);
  return rows.map(({ error }) => error);
}
