// SQL of the delivery queue: claims, leases and outcomes. Decides nothing.
import type { Job } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { jsonTexts, type Sql, sql } from '../../../db/sql.js';
import { assert } from '../../../kernel/errors.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { ClaimedDelivery, EventType, WebhookId } from './event.js';
import type { DeliveryOutcome } from './rules.js';

type Reader = Pick<Tx, 'many' | 'one'>;

// A volatile function cannot be part of an index condition. Its result can, when a lateral join names it.
const platformClock = sql`cross join lateral (
  select date_trunc('milliseconds', coalesce(p.clock_frozen_at, clock_timestamp() + p.clock_offset)) as now offset 0) c`;
const free = sql`(d.leased_until is null or d.leased_until <= clock_timestamp())`;
const isStopped = sql`exists (select from webhook_stops s where s.platform_id = p.id and s.url = p.webhook_endpoint)`;

/** Goes from platform to platform in an index of pending deliveries: one look-up per platform that has any. */
const platformsWith = (pending: Sql): Sql => sql`
  select platform_id from (
    with recursive heads as (
      (select d.platform_id from webhook_deliveries d where ${pending} order by d.platform_id limit 1)
      union all
      select n.platform_id from heads h cross join lateral (
        select d.platform_id from webhook_deliveries d where ${pending} and d.platform_id > h.platform_id order by d.platform_id limit 1) n
    ) select platform_id from heads) having_work`;

/** Platforms with a due delivery that is not leased, and with an endpoint that is not stopped. Idle platforms cost nothing. */
export async function findPlatformsWithWork(tx: Reader): Promise<PlatformId[]> {
  const first = sql`d.status = 'PENDING' and d.failures = 0`;
  const retry = sql`d.status = 'PENDING' and d.failures > 0`;
  const rows = await tx.many<{ id: string }>(sql`
    select p.id from platforms p ${platformClock}
    where p.id = any(array(${platformsWith(first)} union ${platformsWith(retry)})) and p.webhook_endpoint is not null and not ${isStopped} and (
      exists (select from webhook_deliveries d where d.platform_id = p.id and ${first} and ${free})
      or exists (select from webhook_deliveries d where d.platform_id = p.id and ${retry} and d.due_at <= c.now and ${free}))`);
  return rows.map(({ id }) => idOf('Platform', id));
}

/** Platforms with pending deliveries and no endpoint, or a stopped one. */
export async function findPlatformsWithoutEndpoint(tx: Reader): Promise<PlatformId[]> {
  const rows = await tx.many<{ id: string }>(sql`
    select p.id from platforms p
    where (p.webhook_endpoint is null or ${isStopped}) and (
      exists (select from webhook_deliveries d where d.platform_id = p.id and d.status = 'PENDING' and d.failures = 0)
      or exists (select from webhook_deliveries d where d.platform_id = p.id and d.status = 'PENDING' and d.failures > 0))`);
  return rows.map(({ id }) => idOf('Platform', id));
}

/** When a platform's next attempt is due. Without an endpoint: when the next delivery fails. */
export const firstDelivery: Job['firstDue'] = (condition) => sql`
  select p.id as platform_id, case when p.webhook_endpoint is null or ${isStopped}
    then (select min(d.retry_until) + interval '1 millisecond' from webhook_deliveries d where d.platform_id = p.id and d.status = 'PENDING')
    else least(
      (select d.due_at from webhook_deliveries d where d.platform_id = p.id and d.status = 'PENDING' and d.failures = 0 limit 1),
      (select min(d.due_at) from webhook_deliveries d where d.platform_id = p.id and d.status = 'PENDING' and d.failures > 0)) end as at
  from platforms p where ${condition(sql`p.id`)} order by p.id limit 1`;

export async function findNextDue(tx: Reader, platformId: PlatformId): Promise<Date | undefined> {
  const row = await tx.one<{ at: Date | null }>(firstDelivery((id) => sql`${id} = ${uuidOf(platformId)}`));
  return row?.at ?? undefined;
}

export type QueueState = {
  readonly url: string | null;
  readonly stopped: boolean;
  /** Whether this transaction holds the lock of the platform's queue. */
  readonly locked: boolean;
  readonly now: Date;
  readonly frozen: boolean;
  /** The real time, for the timestamp that a receiver compares with its own clock. */
  readonly realNow: Date;
};

/**
 * Locks the platform's queue until this transaction ends, unless another worker holds it. So claims of one platform run one after
 * the other and each sees the leases of the one before. This keeps the order of an object's first attempts across workers.
 */
export async function lockQueue(tx: Tx, platformId: PlatformId): Promise<QueueState | undefined> {
  return tx.one<QueueState>(sql`
    select p.webhook_endpoint as url, ${isStopped} as stopped, pg_try_advisory_xact_lock(hashtextextended(p.id::text, 0)) as locked,
      platform_now(p.id) as now, p.clock_frozen_at is not null as frozen, clock_timestamp() as "realNow"
    from platforms p where p.id = ${uuidOf(platformId)}`);
}

/** The endpoint and the signing keys of a platform's deliveries. `keyIds` is one text, oldest first, compared as a whole. */
export type DeliveryConfig = { readonly url: string | null; readonly stopped: boolean; readonly keyIds: string };

export async function findDeliveryConfig(tx: Reader, platformId: PlatformId): Promise<DeliveryConfig> {
  const row = await tx.one<DeliveryConfig>(sql`
    select p.webhook_endpoint as url, ${isStopped} as stopped, coalesce(
      (select string_agg(k.id::text, ',' order by k.id) from webhook_signing_keys k
       where k.platform_id = p.id and (k.retires_at is null or k.retires_at > c.now)), '') as "keyIds"
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
});

export type ClaimRequest = {
  readonly now: Date;
  /** The claim continues after this object, so that every object is served before one is served twice. */
  readonly afterObject: string;
  readonly objects: number;
  readonly perObject: number;
  readonly retries: number;
  readonly leaseMs: number;
};

/**
 * Leases due retries and the first attempts of up to `objects` objects. An object's first attempts are leased in order from the first,
 * and only if none of them is leased already. The recursive query goes from object to object by the index, so many events of one object
 * do not slow down the others.
 */
export async function claimDeliveries(tx: Tx, platformId: PlatformId, request: ClaimRequest): Promise<ClaimedDelivery[]> {
  const platform = uuidOf(platformId);
  const isFirstAttempt = sql`d.platform_id = ${platform} and d.status = 'PENDING' and d.failures = 0`;
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
      where d.platform_id = ${platform} and d.status = 'PENDING' and d.failures > 0 and d.due_at <= ${request.now} and ${free}
      order by d.due_at limit ${request.retries}
      for update skip locked
    ), taken as (
      update webhook_deliveries d set leased_until = clock_timestamp() + ${request.leaseMs}::double precision * interval '1 millisecond'
      where d.platform_id = ${platform} and d.status = 'PENDING'
        and d.event_id = any(array(select event_id from first_attempts union all select event_id from retries))
      returning d.event_id, d.attempts, d.failures, d.retry_until
    )
    select ${claimColumns} from taken t
    cross join lateral (select * from webhook_events where platform_id = ${platform} and id = t.event_id limit 1) e
    order by e.object_id, e.sequence`);
  return rows.map(toClaimed);
}

/** Leases one delivery that was queued in this transaction. */
export async function claimDelivery(tx: Tx, platformId: PlatformId, id: WebhookId, leaseMs: number): Promise<ClaimedDelivery | undefined> {
  const taken = await tx.many<Omit<ClaimRow, 'id'> & { event_id: string }>(sql`
    update webhook_deliveries d set leased_until = clock_timestamp() + ${leaseMs}::double precision * interval '1 millisecond'
    where d.platform_id = ${uuidOf(platformId)} and d.event_id = ${uuidOf(id)} and d.status = 'PENDING'
    returning d.event_id`);
  if (taken.length === 0) return undefined;
  const row = await tx.one<ClaimRow>(sql`
    select ${claimColumns} from webhook_deliveries t join webhook_events e on e.platform_id = t.platform_id and e.id = t.event_id
    where t.platform_id = ${uuidOf(platformId)} and t.event_id = ${uuidOf(id)}`);
  return row && toClaimed(row);
}

/** Ends the leases of deliveries that were not sent. */
export async function releaseDeliveries(tx: Pick<Tx, 'run'>, platformId: PlatformId, ids: readonly WebhookId[]): Promise<void> {
  await tx.run(sql`
    update webhook_deliveries set leased_until = null
    where platform_id = ${uuidOf(platformId)} and event_id = any(${ids.map(uuidOf)}::uuid[]) and status = 'PENDING'`);
}

/**
 * Writes attempts and their outcomes. An outcome changes nothing if another worker has taken over the lease. No retry is due later than
 * the longest delay from now, because the sandbox clock may have been set back during the attempt.
 */
export function saveOutcomes(tx: Tx, platformId: PlatformId, outcomes: readonly DeliveryOutcome[], longestDelayMs: number): void {
  const platform = uuidOf(platformId);
  const ids = outcomes.map(({ id }) => uuidOf(id));
  const of = <Value>(column: (outcome: DeliveryOutcome) => Value): Value[] => outcomes.map(column);
  tx.send(sql`
    with o as materialized (
      select * from rows from (
        unnest(${ids}::uuid[], ${of((o) => o.attempt.number)}::int[], ${of((o) => o.attempt.url)}::text[], ${of((o) => o.attempt.startedAt)}::timestamptz[],
               ${of((o) => o.attempt.durationMs)}::int[], ${of((o) => o.attempt.responseStatus)}::int[], ${of((o) => o.attempt.responseBody)}::text[],
               ${of((o) => o.attempt.failure)}::text[], ${of((o) => o.status)}::text[], ${of((o) => o.failures)}::int[],
               ${of((o) => o.dueAt)}::timestamptz[], ${of((o) => o.finishedAt)}::timestamptz[]),
        ${jsonTexts(of((o) => o.attempt.requestHeaders))}
      ) as o (event_id, number, url, started_at, duration_ms, response_status, response_body, failure, status, failures, due_at, finished_at, request_headers)
    ), attempted as (
      insert into webhook_attempts (platform_id, event_id, number, url, request_headers, started_at, duration_ms, response_status, response_body, failure)
      select ${platform}, event_id, number, url, request_headers::json, started_at, duration_ms, response_status, response_body, failure from o
      on conflict do nothing
    )
    update webhook_deliveries d set status = o.status, attempts = o.number, failures = o.failures,
      due_at = case o.status when 'PENDING' then least(o.due_at, platform_now(${platform}) + ${longestDelayMs}::double precision * interval '1 millisecond') else o.due_at end,
      finished_at = o.finished_at, leased_until = null
    from o where d.platform_id = ${platform} and d.event_id = any(${ids}::uuid[]) and d.event_id = o.event_id
      and d.status = 'PENDING' and d.attempts = o.number - 1`);
}

/** The platform's endpoint, locked against changes until this transaction ends. */
export async function lockEndpoint(tx: Tx, platformId: PlatformId): Promise<string | null> {
  const row = await tx.one<{ url: string | null }>(sql`
    select webhook_endpoint as url from platforms where id = ${uuidOf(platformId)} for share`);
  return row?.url ?? null;
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
  return tx.run(sql`
    update webhook_deliveries set status = 'FAILED', finished_at = ${now}
    where platform_id = ${uuidOf(platformId)} and status = 'PENDING' and retry_until < ${now}`);
}

/** Pending deliveries of all platforms, before their first attempt and between attempts, each counted up to `limit`. */
export async function countPending(tx: Reader, limit: number): Promise<{ waiting: number; retrying: number }> {
  const row = await tx.one<{ waiting: bigint; retrying: bigint }>(sql`
    select (select count(*) from (select from webhook_deliveries where status = 'PENDING' and failures = 0 limit ${limit}) w) as waiting,
           (select count(*) from (select from webhook_deliveries where status = 'PENDING' and failures > 0 limit ${limit}) r) as retrying`);
  return { waiting: Number(row?.waiting ?? 0), retrying: Number(row?.retrying ?? 0) };
}

/**
 * Settings for transactions on the queue. A lost commit causes a repeated delivery at worst, so the commit does not wait for the disk.
 * The table is empty one minute and full the next, so planner statistics are no guide and rows are always found by their keys.
 */
export function tuneForQueue(tx: Tx, { joins }: { readonly joins: 'NESTED' | 'HASHED' }): void {
  tx.send(sql`
    select set_config('synchronous_commit', 'off', true), set_config('enable_seqscan', 'off', true),
      set_config('enable_nestloop', ${joins === 'NESTED' ? 'on' : 'off'}, true)`);
}
