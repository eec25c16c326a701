// Asks which jobs are due: one statement for all jobs and the platforms of a group. It goes from platform to platform in the index of each job, so it costs
// one index look-up per platform that has work at any time, and nothing for an idle platform.
import type { Job } from '../../../db/job.js';
import { everyPlatform, type PlatformGroup, sharingLists } from '../../../db/platform-groups.js';
import { platformTime } from '../../../db/platform-time.js';
import type { Tx } from '../../../db/pool.js';
import { type Sql, sql } from '../../../db/sql.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { Mode } from './platform.js';

const unionAll = (selects: readonly Sql[]): Sql => selects.reduce((all, next) => sql`${all} union all ${next}`);

/** Tables may grow from empty to large between two turns, so planner statistics are no guide: rows are always found by index. */
const tuneForIndexes = sql`
  select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true)`;

/** The earliest due time of each platform that has any. The names here are no alias of any job: its own would hide them. */
const headsOf = (job: Job, group: PlatformGroup): Sql => sql`
  select platform_id, at from (
    with recursive heads as (
      (${job.firstDue(group)})
      union all
      select next_head.platform_id, next_head.at
      from heads last_head cross join lateral (
        ${job.firstDue((platformId) => sql`${platformId} > last_head.platform_id and ${group(platformId)}`)}) next_head
    ) select platform_id, at from heads) due`;

export type DueJob = { readonly platformId: PlatformId; readonly job: Job; readonly at: Date };

/** The jobs that are due now on any platform of the mode and the group, in the order of the jobs. */
export async function findDueJobs(
  tx: Pick<Tx, 'many' | 'send'>,
  mode: Mode,
  jobs: readonly Job[],
  group: PlatformGroup = everyPlatform,
): Promise<DueJob[]> {
  if (jobs.length === 0) return [];
  tx.send(tuneForIndexes);
  const heads = unionAll(jobs.map((job, i) => sql`select ${i}::int as job, j.platform_id, j.at from (${headsOf(job, group)}) j`));
  const rows = await tx.many<{ platform_id: string; job: number; at: Date }>(
    sharingLists(sql`
    select d.platform_id, d.job, d.at from (${heads}) d join platforms p on p.id = d.platform_id and ${group(sql`p.id`)} and p.mode = ${mode}
    where d.at <= ${platformTime}
    order by d.job, d.platform_id`),
  );
  return rows.flatMap(({ platform_id, job: index, at }) => {
    const job = jobs[index];
    return job ? [{ platformId: idOf('Platform', platform_id), job, at }] : [];
  });
}

/** When each job is due next on one platform. */
export async function findDueTimes(tx: Pick<Tx, 'many'>, jobs: readonly Job[], platformId: PlatformId): Promise<{ job: Job; at: Date }[]> {
  if (jobs.length === 0) return [];
  const own = (job: Job) => job.firstDue((id) => sql`${id} = ${uuidOf(platformId)}`);
  const rows = await tx.many<{ job: number; at: Date }>(sql`
    select d.job, d.at from (${unionAll(jobs.map((job, i) => sql`select ${i}::int as job, j.at from (${own(job)}) j`))}) d
    where d.at is not null order by d.job`);
  return rows.flatMap(({ job: index, at }) => {
    const job = jobs[index];
    return job ? [{ job, at }] : [];
  });
}
