// Asks which jobs are due: one statement for all jobs. Each sub-select reads the head of an index of one platform and locks nothing.
import type { Job } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { type Sql, sql } from '../../../db/sql.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';

type Reader = Pick<Tx, 'many'>;

const dueTimes = (jobs: readonly Job[], platform: Sql): Sql =>
  jobs.map((job, i) => sql`(${i}::int, (${job.nextDue(platform)})::timestamptz)`).reduce((all, next) => sql`${all}, ${next}`);

export type DueJob = { readonly platformId: PlatformId; readonly job: Job; readonly at: Date };

/** The jobs that are due now on any platform, in the order of the jobs. */
export async function findDueJobs(tx: Reader, jobs: readonly Job[]): Promise<DueJob[]> {
  if (jobs.length === 0) return [];
  const rows = await tx.many<{ platform_id: string; job: number; at: Date }>(sql`
    select owner.id as platform_id, d.job, d.at from platforms owner
    cross join lateral (values ${dueTimes(jobs, sql`owner.id`)}) d (job, at)
    where d.at <= date_trunc('milliseconds', coalesce(owner.clock_frozen_at, clock_timestamp() + owner.clock_offset))
    order by d.job, owner.id`);
  return rows.flatMap(({ platform_id, job: index, at }) => {
    const job = jobs[index];
    return job ? [{ platformId: idOf('Platform', platform_id), job, at }] : [];
  });
}

/** When each job is due next on one platform. */
export async function findDueTimes(tx: Reader, jobs: readonly Job[], platformId: PlatformId): Promise<{ job: Job; at: Date }[]> {
  if (jobs.length === 0) return [];
  const rows = await tx.many<{ job: number; at: Date }>(sql`
    select d.job, d.at from platforms owner cross join lateral (values ${dueTimes(jobs, sql`owner.id`)}) d (job, at)
    where owner.id = ${uuidOf(platformId)} and d.at is not null order by d.job`);
  return rows.flatMap(({ job: index, at }) => {
    const job = jobs[index];
    return job ? [{ job, at }] : [];
  });
}
