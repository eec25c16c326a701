// SQL of delivery rows: which platforms have work, claims, leases and outcomes. Decides nothing.
import type { Job, PlatformCondition } from '../../../db/job.js';
import { GENERIC_PLANS } from '../../../db/plan-settings.js';
import { everyPlatform, type PlatformGroup, sharingLists } from '../../../db/platform-groups.js';
import { platformTime } from '../../../db/platform-time.js';
import type { Tx } from '../../../db/pool.js';
import { records } from '../../../db/records.js';
import { type Sql, sql } from '../../../db/sql.js';
import { assert } from '../../../kernel/errors.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { ClaimedDelivery, EventType, WebhookId } from './event.js';
import { type DeliveryOutcome, type NewDelivery, RETRY_FOR_MS } from './rules.js';

type Reader = Pick<Tx, 'many' | 'one'>;

// A volatile function cannot be part of an index condition. Its result can, when a lateral join names it.
export const platformClock = sql`cross join lateral (
  select ${platformTime} as now, clock_timestamp() as real_now offset 0) c`;
/** Rows of the platform `p`. The condition stands beside every table: a statement of one platform, or of a group, is one for a single node. */
const ofP =
  (condition: PlatformCondition) =>
  (id: Sql): Sql =>
    sql`${id} = p.id and ${condition(id)}`;

/** Of the platform `p`. */
export const isStopped = (condition: PlatformCondition): Sql =>
  sql`exists (select from webhook_stops s where ${ofP(condition)(sql`s.platform_id`)} and s.url = p.webhook_endpoint)`;

export const only =
  (platformId: PlatformId): PlatformCondition =>
  (id) =>
    sql`${id} = ${uuidOf(platformId)}`;

const firstAttempts = sql`d.status = 'PENDING' and d.failures = 0`;
const retries = sql`d.status = 'PENDING' and d.failures > 0`;
const isFree = (realNow: Sql): Sql => sql`(d.leased_until is null or d.leased_until <= ${realNow})`;

/** Goes from platform to platform in an index: one look-up per platform that has any row. */
const platformsIn = (rows: Sql, group: PlatformGroup): Sql => sql`
  select platform_id from (
    with recursive heads as (
      (select d.platform_id from ${rows} and ${group(sql`d.platform_id`)} order by d.platform_id limit 1)
      union all
      select n.platform_id from heads h cross join lateral (
        select d.platform_id from ${rows} and ${group(sql`d.platform_id`)} and d.platform_id > h.platform_id order by d.platform_id limit 1) n
    ) select platform_id from heads) having_work`;

const inbox = sql`webhook_inbox d where true`;
const behind = sql`webhook_cursors d where d.settled < d.last_position`;
const withFirstAttempts = sql`webhook_deliveries d where ${firstAttempts}`;
const withRetries = sql`webhook_deliveries d where ${retries}`;

/**
 * Platforms of the mode and the group with commits that need a position, with events to send from the log, or with due deliveries that are not leased.
 * Idle platforms cost nothing. The log of a platform is left to the worker that holds its lease.
 */
export async function findPlatformsWithWork(
  tx: Reader,
  mode: 'sandbox' | 'live',
  worker: string,
  group: PlatformGroup = everyPlatform,
): Promise<PlatformId[]> {
  const stopped = isStopped(group);
  const of = ofP(group);
  const having = [inbox, behind, withFirstAttempts, withRetries].map((rows) => platformsIn(rows, group));
  const rows = await tx.many<{ id: string }>(
    sharingLists(sql`
    select p.id from platforms p ${platformClock} left join webhook_cursors q on ${of(sql`q.platform_id`)}
    where ${group(sql`p.id`)} and p.mode = ${mode} and p.id = any(array(${having.reduce((all, next) => sql`${all} union ${next}`)})) and (
      (coalesce(q.leased_until <= c.real_now, true) or q.leased_by = ${worker}) and (
        exists (select from webhook_inbox i where ${of(sql`i.platform_id`)})
        or q.settled < q.last_position and p.webhook_endpoint is not null and not ${stopped})
      or p.webhook_endpoint is not null and not ${stopped} and (
        exists (select from webhook_deliveries d where ${of(sql`d.platform_id`)} and ${firstAttempts} and ${isFree(sql`c.real_now`)})
        or exists (select from webhook_deliveries d
          where ${of(sql`d.platform_id`)} and ${retries} and d.due_at <= c.now and ${isFree(sql`c.real_now`)})))`),
  );
  return rows.map(({ id }) => idOf('Platform', id));
}

/** Platforms of the mode and the group with pending deliveries and no endpoint, or a stopped one. */
export async function findPlatformsWithoutEndpoint(tx: Reader, mode: 'sandbox' | 'live', group: PlatformGroup): Promise<PlatformId[]> {
  const having = [behind, withFirstAttempts, withRetries].map((rows) => platformsIn(rows, group));
  const rows = await tx.many<{ id: string }>(
    sharingLists(sql`
    select p.id from platforms p
    where ${group(sql`p.id`)} and p.mode = ${mode} and p.id = any(array(${having.reduce((all, next) => sql`${all} union ${next}`)}))
      and (p.webhook_endpoint is null or ${isStopped(group)})`),
  );
  return rows.map(({ id }) => idOf('Platform', id));
}

/** When a platform's next attempt is due. Without an endpoint: when the next delivery fails. Events in the log are due when they occur. */
export const firstDelivery: Job['firstDue'] = (condition) => {
  const of = ofP(condition);
  return sql`
  select p.id as platform_id, case when p.webhook_endpoint is null or ${isStopped(condition)}
    then least(
      (select min(d.retry_until) from webhook_deliveries d where ${of(sql`d.platform_id`)} and ${firstAttempts}),
      (select min(d.retry_until) from webhook_deliveries d where ${of(sql`d.platform_id`)} and ${retries}),
      first.created_at + ${RETRY_FOR_MS}::double precision * interval '1 millisecond') + interval '1 millisecond'
    else least(
      (select d.due_at from webhook_deliveries d where ${of(sql`d.platform_id`)} and ${firstAttempts} limit 1),
      (select min(d.due_at) from webhook_deliveries d where ${of(sql`d.platform_id`)} and ${retries}),
      first.created_at) end as at
  from platforms p left join lateral (
    select coalesce(
      (select e.created_at from webhook_cursors q cross join lateral (
         select l.event_ids[1] as id from webhook_log l
         where ${of(sql`l.platform_id`)} and l.queued and l.position > q.settled and l.position <= q.last_position order by l.position limit 1) l
       cross join lateral (select created_at from webhook_events w where ${of(sql`w.platform_id`)} and w.id = l.id limit 1) e
       where ${of(sql`q.platform_id`)}),
      (select e.created_at from webhook_inbox i cross join lateral (
         select created_at, queued from webhook_events w where ${of(sql`w.platform_id`)} and w.id = i.event_ids[1] limit 1) e
       where ${of(sql`i.platform_id`)} and e.queued order by i.id limit 1)) as created_at) first on true
  where ${condition(sql`p.id`)} order by p.id limit 1`;
};

export async function findNextDue(tx: Reader, platformId: PlatformId): Promise<Date | undefined> {
  const row = await tx.one<{ at: Date | null }>(firstDelivery(only(platformId)));
  return row?.at ?? undefined;
}

/** The endpoint and the signing keys of a platform's deliveries. `keyIds` is one text, oldest first, compared as a whole. */
export type DeliveryConfig = { readonly url: string | null; readonly stopped: boolean; readonly keyIds: string };

export async function findDeliveryConfig(tx: Reader, platformId: PlatformId): Promise<DeliveryConfig> {
  const row = await tx.one<DeliveryConfig>(sql`
    select p.webhook_endpoint as url, ${isStopped(only(platformId))} as stopped, coalesce(
      (select string_agg(k.id::text, ',' order by k.id) from webhook_signing_keys k
       where k.platform_id = ${uuidOf(platformId)} and (k.retires_at is null or k.retires_at > c.now)), '') as "keyIds"
    from platforms p ${platformClock} where p.id = ${uuidOf(platformId)}`);
  assert(row, 'a platform that has deliveries exists');
  return row;
}

type ClaimRow = {
  id: string;
  type: EventType;
  object_id: string;
  sequence: bigint;
  data: string;
  created_ms: number;
  attempts: number;
  failures: number;
  retry_until_ms: number;
};

// Times as numbers: the driver parses timestamps slowly.
const claimColumns = sql`e.id, e.type, e.object_id, e.sequence, e.data::text as data, extract(epoch from e.created_at)::float8 * 1000 as created_ms,
  t.attempts, t.failures, extract(epoch from t.retry_until)::float8 * 1000 as retry_until_ms`;
const toClaimed = (row: ClaimRow): ClaimedDelivery => ({
  id: idOf('Webhook', row.id),
  type: row.type,
  objectId: row.object_id,
  sequence: Number(row.sequence),
  data: row.data,
  createdAt: new Date(row.created_ms),
  attempts: row.attempts,
  failures: row.failures,
  retryUntil: new Date(row.retry_until_ms),
  fromLog: false,
});

export type ClaimRequest = {
  readonly now: Date;
  /** The real time, which leases are measured by. */
  readonly realNow: Date;
  readonly leasedUntil: Date;
  /** The claim continues after this object, so that every object is served before one is served twice. */
  readonly afterObject: string;
  readonly objects: number;
  readonly perObject: number;
  readonly retries: number;
};

/**
 * Leases due retries and the first attempts of up to `objects` objects. An object's first attempts are leased in order from the first,
 * and only if none of them is leased already. The recursive query goes from object to object by the index, so many events of one object
 * do not slow down the others.
 */
export async function claimDeliveries(tx: Tx, platformId: PlatformId, request: ClaimRequest): Promise<ClaimedDelivery[]> {
  const platform = uuidOf(platformId);
  const isFirstAttempt = sql`d.platform_id = ${platform} and ${firstAttempts}`;
  const free = isFree(sql`${request.realNow}`);
  const rows = await tx.many<ClaimRow>(sql`
    with recursive heads as (
      (select d.object_id, ${free} as free from webhook_deliveries d
       where ${isFirstAttempt} and d.object_id > ${request.afterObject} order by d.object_id, d.sequence limit 1)
      union all
      select n.object_id, n.free from heads h cross join lateral (
        select d.object_id, ${free} as free from webhook_deliveries d
        where ${isFirstAttempt} and d.object_id > h.object_id order by d.object_id, d.sequence limit 1) n
    ), first_attempts as (
      select l.event_id from (select object_id from heads where free limit ${request.objects}) o cross join lateral (
        select f.event_id, bool_and(f.free) over () as free from (
          select d.event_id, ${free} as free from webhook_deliveries d
          where ${isFirstAttempt} and d.object_id = o.object_id order by d.sequence limit ${request.perObject}) f) l
      where l.free
    ), retries as (
      select d.event_id from webhook_deliveries d
      where d.platform_id = ${platform} and ${retries} and d.due_at <= ${request.now} and ${free}
      order by d.due_at limit ${request.retries}
      for update skip locked
    ), taken as (
      update webhook_deliveries d set leased_until = ${request.leasedUntil}
      where d.platform_id = ${platform} and d.status = 'PENDING'
        and d.event_id = any(array(select event_id from first_attempts union all select event_id from retries))
      returning d.event_id, d.attempts, d.failures, d.retry_until
    )
    select ${claimColumns} from taken t
    cross join lateral (select * from webhook_events where platform_id = ${platform} and id = t.event_id limit 1) e
    order by e.object_id, e.sequence`);
  return rows.map(toClaimed);
}

/** Ends the leases of deliveries that were not sent. */
export async function releaseDeliveries(tx: Pick<Tx, 'run'>, platformId: PlatformId, ids: readonly WebhookId[]): Promise<void> {
  await tx.run(sql`
    update webhook_deliveries set leased_until = null
    where platform_id = ${uuidOf(platformId)} and event_id = any(${ids.map(uuidOf)}::uuid[]) and status = 'PENDING'`);
}

const ATTEMPT = {
  event_id: 'uuid',
  number: 'int',
  url: 'text',
  request_headers: 'json',
  started_at: 'timestamptz',
  duration_ms: 'int',
  response_status: 'int',
  response_body: 'text',
  failure: 'text',
} as const;

/** A reset or a restore of the platform, which replaces its events, waits until this transaction ends. */
export function keepEvents(tx: Tx, platformId: PlatformId): void {
  tx.send(sql`select from platforms where id = ${uuidOf(platformId)} for key share`);
}

/** The platform may have been reset since the event of the row `t` was sent: what came of it is of no use then. */
const isThere = (platformId: PlatformId): Sql => sql`
  cross join lateral (select from webhook_events where platform_id = ${uuidOf(platformId)} and id = t.event_id limit 1) e`;

/** Writes attempts. An attempt that another worker has written already is left as it is. */
export function insertAttempts(tx: Tx, platformId: PlatformId, outcomes: readonly DeliveryOutcome[]): void {
  const rows = outcomes.map(({ id, attempt }) => ({
    event_id: uuidOf(id),
    number: attempt.number,
    url: attempt.url,
    request_headers: attempt.requestHeaders,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    response_status: attempt.responseStatus,
    response_body: attempt.responseBody,
    failure: attempt.failure,
  }));
  tx.send(sql`
    insert into webhook_attempts (platform_id, event_id, number, url, request_headers, started_at, duration_ms, response_status, response_body, failure)
    select p.id, t.* from platforms p cross join ${records(ATTEMPT, rows)} ${isThere(platformId)} where p.id = ${uuidOf(platformId)} on conflict do nothing`);
}

const DELIVERY = {
  event_id: 'uuid',
  object_id: 'text',
  sequence: 'bigint',
  status: 'text',
  attempts: 'int',
  failures: 'int',
  due_at: 'timestamptz',
  retry_until: 'timestamptz',
  finished_at: 'timestamptz',
  leased_until: 'timestamptz',
} as const;

/** Writes rows for deliveries that the log does not lead to the end. Existing rows stay as they are. */
export function insertDeliveries(tx: Tx, platformId: PlatformId, deliveries: readonly NewDelivery[]): void {
  const rows = deliveries.map((delivery) => ({
    event_id: uuidOf(delivery.id),
    object_id: delivery.objectId,
    sequence: delivery.sequence,
    status: delivery.status,
    attempts: delivery.attempts,
    failures: delivery.failures,
    due_at: delivery.dueAt,
    retry_until: delivery.retryUntil,
    finished_at: delivery.finishedAt,
    leased_until: delivery.leasedUntil,
  }));
  tx.send(sql`
    insert into webhook_deliveries (platform_id, event_id, object_id, sequence, status, attempts, failures, due_at, retry_until, finished_at, leased_until)
    select p.id, t.* from platforms p cross join ${records(DELIVERY, rows)} ${isThere(platformId)} where p.id = ${uuidOf(platformId)} on conflict do nothing`);
}

const OUTCOME = {
  event_id: 'uuid',
  number: 'int',
  status: 'text',
  failures: 'int',
  due_at: 'timestamptz',
  finished_at: 'timestamptz',
} as const;

/** Writes the outcomes of deliveries that have a row. An outcome changes nothing if another worker has taken over the lease. */
export function saveOutcomes(tx: Tx, platformId: PlatformId, outcomes: readonly DeliveryOutcome[]): void {
  const rows = outcomes.map(({ id, attempt, status, failures, dueAt, finishedAt }) => ({
    event_id: uuidOf(id),
    number: attempt.number,
    status,
    failures,
    due_at: dueAt,
    finished_at: finishedAt,
  }));
  tx.send(sql`
    update webhook_deliveries d set status = t.status, attempts = t.number, failures = t.failures, due_at = t.due_at, finished_at = t.finished_at,
      leased_until = null
    from ${records(OUTCOME, rows)}
    where d.platform_id = ${uuidOf(platformId)} and d.event_id = any(${rows.map(({ event_id }) => event_id)}::uuid[])
      and d.event_id = t.event_id and d.status = 'PENDING' and d.attempts = t.number - 1`);
}

/** The platform's endpoint and time, locked against changes until this transaction ends. */
export async function lockEndpoint(tx: Tx, platformId: PlatformId): Promise<{ url: string | null; now: Date }> {
  const row = await tx.one<{ url: string | null; now: Date }>(sql`
    select p.webhook_endpoint as url, c.now from platforms p ${platformClock} where p.id = ${uuidOf(platformId)} for share of p`);
  assert(row, 'a platform that has deliveries exists');
  return row;
}

export function insertStop(tx: Tx, platformId: PlatformId, url: string, now: Date): void {
  tx.send(sql`
    insert into webhook_stops (platform_id, url, stopped_at) values (${uuidOf(platformId)}, ${url}, ${now})
    on conflict (platform_id) do update set url = excluded.url, stopped_at = excluded.stopped_at`);
}

export function deleteStop(tx: Tx, platformId: PlatformId): void {
  tx.send(sql`delete from webhook_stops where platform_id = ${uuidOf(platformId)}`);
}

/**
 * Makes pending deliveries due at `now` and failed at `retryUntil`, unless that is earlier already. Updates every pending row, so that it
 * waits for outcomes that are being written.
 */
export function bringForwardDeliveries(tx: Tx, platformId: PlatformId, { now, retryUntil }: { now: Date; retryUntil: Date }): void {
  tx.send(sql`
    update webhook_deliveries set due_at = least(due_at, ${now}), retry_until = least(retry_until, ${retryUntil})
    where platform_id = ${uuidOf(platformId)} and status = 'PENDING'`);
}

/** Fails deliveries whose retry period ended while the platform had no usable endpoint. */
export async function failOverdue(tx: Tx, platformId: PlatformId, now: Date): Promise<number> {
  const overdue = sql`select d.event_id from webhook_deliveries d where d.platform_id = ${uuidOf(platformId)} and d.retry_until < ${now}`;
  return tx.run(sql`
    update webhook_deliveries set status = 'FAILED', finished_at = ${now}
    where platform_id = ${uuidOf(platformId)} and status = 'PENDING' and retry_until < ${now}
      and event_id = any(array(${overdue} and ${firstAttempts} union all ${overdue} and ${retries}))`);
}

/** Events of the group that are not delivered, before their first attempt and between attempts, each counted up to `limit`. */
export async function countPending(tx: Reader, limit: number, group: PlatformGroup): Promise<{ waiting: number; retrying: number }> {
  const ofGroup = group(sql`d.platform_id`);
  const row = await tx.one<{ waiting: bigint; retrying: bigint }>(
    sharingLists(sql`
    select least(${limit}, (select count(*) from (select from webhook_deliveries d where ${firstAttempts} and ${ofGroup} limit ${limit}) w)
        + (select coalesce(sum(count), 0)::bigint from (
             select cardinality(l.event_ids) as count from (${platformsIn(behind, group)}) b
             join webhook_cursors q on q.platform_id = b.platform_id and ${group(sql`q.platform_id`)}
             join webhook_log l on l.platform_id = b.platform_id and ${group(sql`l.platform_id`)} and l.queued and l.position > q.settled
             limit ${limit}) w)) as waiting,
      (select count(*) from (select from webhook_deliveries d where ${retries} and ${ofGroup} limit ${limit}) r) as retrying`),
  );
  return { waiting: Number(row?.waiting ?? 0), retrying: Number(row?.retrying ?? 0) };
}

/**
 * Settings for transactions on the queue. A lost commit causes a repeated delivery at worst, so the commit does not wait for the disk.
 * The table is empty one minute and full the next, so planner statistics are no guide and rows are always found by their keys.
 */
export function tuneForQueue(tx: Tx, { joins }: { readonly joins: 'NESTED' | 'HASHED' }): void {
  tx.send(sql`
    select set_config('synchronous_commit', 'off', true), set_config('enable_seqscan', 'off', true),
      set_config('enable_nestloop', ${joins === 'NESTED' ? 'on' : 'off'}, true), set_config('plan_cache_mode', ${GENERIC_PLANS}, true)`);
}
