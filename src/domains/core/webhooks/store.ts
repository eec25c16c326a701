// SQL of events: writing, listing and queuing them again. Decides nothing.
import { countMatches } from '../../../db/count.js';
import type { Tx } from '../../../db/pool.js';
import { records } from '../../../db/records.js';
import { allOf, type Sql, sql } from '../../../db/sql.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type { Attempt, AttemptReport, DeliveryStatus, EventReport, EventType, NewEvent, StoredEvent, WebhookId } from './event.js';
import { boundsOfObjects, type ObjectBounds } from './log-rules.js';

type Reader = Pick<Tx, 'many' | 'one'>;

const NEW_EVENT = {
  id: 'uuid',
  type: 'text',
  object_id: 'text',
  place: 'int',
  data: 'json',
  request_id: 'uuid',
  job: 'text',
} as const;

const LATER_EVENT = { ...NEW_EVENT, is_first: 'boolean', may_be_dropped: 'boolean' } as const;

/**
 * Limits a look-up by object to few partitions. The alternative, which adds nothing, keeps the primary key out of the plan: on a table without
 * statistics the planner takes a range of ids for as good as an object, and reads every event of the platform.
 */
const within = ({ from, before }: ObjectBounds): Sql => sql`(e.id >= ${from}::uuid and e.id < ${before}::uuid or e.id = ${from}::uuid)`;

export type NamedEvent = NewEvent & { readonly id: WebhookId };

/**
 * Writes events and names them in the inbox of the log. `sentFromLog`: the deliverer sends them when it reaches them, if the platform has an
 * endpoint. Numbering continues per object; the caller holds the lock of the object, and a unique index enforces it.
 */
export function insertEvents(
  tx: Tx,
  platformId: PlatformId,
  events: readonly NamedEvent[],
  { now, sentFromLog }: { readonly now: Date; readonly sentFromLog: boolean },
): void {
  const platform = uuidOf(platformId);
  const ids = events.map(({ id }) => uuidOf(id));
  const bounds = boundsOfObjects(events);
  const made = { platform, commit: ids[0] ?? '', now, sentFromLog, bounds };
  if (events.length <= FEW) for (const [i, event] of events.entries()) insertOne(tx, event, bounds.mayBeDropped[i] ?? true, made);
  else if (events.every(({ isFirst }) => isFirst)) insertFirst(tx, events, made);
  else insertMany(tx, events, made);
  tx.send(sql`insert into webhook_inbox (platform_id, id, event_ids) values (${platform}, ${ids[0]}, ${ids}::uuid[])`);
}

/** Up to here a statement per event takes less time than one for all: PostgreSQL plans a statement for a set of rows anew each time. */
const FEW = 4;

type Made = {
  readonly platform: string;
  /** The first event of the transaction. */
  readonly commit: string;
  readonly now: Date;
  readonly sentFromLog: boolean;
  readonly bounds: ReturnType<typeof boundsOfObjects>;
};

/** Earlier events of the transaction are seen as well, so the number is the next one of the object. */
function insertOne(tx: Tx, { id, type, objectId, data, cause = tx.cause, isFirst }: NamedEvent, mayBeDropped: boolean, made: Made): void {
  const { platform, commit, now, sentFromLog, bounds } = made;
  const earlier = sql`coalesce((
        select e.sequence from webhook_events e
        where e.platform_id = ${platform} and e.object_id = ${objectId} and ${within(bounds)}
        order by e.sequence desc limit 1),
      case when ${mayBeDropped}::boolean then (
        select s.sequence from webhook_sequences s where s.platform_id = ${platform} and s.object_id = ${objectId}) end, 0)`;
  tx.send(sql`
    insert into webhook_events (platform_id, id, type, object_id, sequence, data, created_at, commit_id, queued, request_id, job)
    select p.id, ${uuidOf(id)}::uuid, ${type}::text, ${objectId}::text, ${isFirst ? sql`0` : earlier} + 1,
      ${JSON.stringify(data)}::json, ${now}::timestamptz, ${commit}::uuid, ${sentFromLog}::boolean and p.webhook_endpoint is not null,
      ${cause?.requestId ?? null}::uuid, ${cause?.job ?? null}::text
    from platforms p where p.id = ${platform}`);
}

/** Events with their place among those of their object. */
function numbered(tx: Tx, events: readonly NamedEvent[]) {
  const counts = new Map<string, number>();
  return events.map(({ id, type, objectId, data, cause = tx.cause }) => {
    const place = (counts.get(objectId) ?? 0) + 1;
    counts.set(objectId, place);
    return { id: uuidOf(id), type, object_id: objectId, place, data, request_id: cause?.requestId ?? null, job: cause?.job ?? null };
  });
}

/** The objects are new, so the numbers begin with 1 and nothing is looked up. */
function insertFirst(tx: Tx, events: readonly NamedEvent[], { platform, commit, now, sentFromLog }: Made): void {
  tx.send(sql`
    insert into webhook_events (platform_id, id, type, object_id, sequence, data, created_at, commit_id, queued, request_id, job)
    select p.id, t.id, t.type, t.object_id, t.place, t.data, ${now}, ${commit}::uuid, ${sentFromLog} and p.webhook_endpoint is not null,
      t.request_id, t.job
    from platforms p cross join ${records(NEW_EVENT, numbered(tx, events))} where p.id = ${platform}`);
}

function insertMany(tx: Tx, events: readonly NamedEvent[], { platform, commit, now, sentFromLog, bounds }: Made): void {
  const rows = numbered(tx, events).map((row, i) => {
    const is_first = events[i]?.isFirst ?? false;
    return { ...row, is_first, may_be_dropped: !is_first && (bounds.mayBeDropped[i] ?? true) };
  });
  tx.send(sql`
    insert into webhook_events (platform_id, id, type, object_id, sequence, data, created_at, commit_id, queued, request_id, job)
    select p.id, t.id, t.type, t.object_id, coalesce(l.sequence, case when t.may_be_dropped then (
        select s.sequence from webhook_sequences s where s.platform_id = ${platform} and s.object_id = t.object_id) end, 0) + t.place,
      t.data, ${now}, ${commit}::uuid, ${sentFromLog} and p.webhook_endpoint is not null, t.request_id, t.job
    from platforms p cross join ${records(LATER_EVENT, rows)}
    left join lateral (
      select e.sequence from webhook_events e
      where not t.is_first and e.platform_id = ${platform} and e.object_id = t.object_id and ${within(bounds)}
      order by e.sequence desc limit 1) l on true
    where p.id = ${platform}`);
}

// ---- reports

type EventRow = { id: string; type: EventType; object_id: string; sequence: bigint; data: string; created_at: Date };
const toEvent = (row: EventRow): StoredEvent => ({
  id: idOf('Webhook', row.id),
  type: row.type,
  objectId: row.object_id,
  sequence: Number(row.sequence),
  data: row.data,
  createdAt: row.created_at,
});

type ReportRow = EventRow & {
  status: DeliveryStatus | null;
  attempts: number;
  due_at: Date | null;
  request_id: string | null;
  job: string | null;
};
const toReport = ({ status, attempts, due_at, request_id, job, ...row }: ReportRow, made: readonly Attempt[] = []): EventReport => ({
  ...toEvent(row),
  cause:
    request_id === null && job === null ? null : { ...(request_id !== null && { requestId: request_id }), ...(job !== null && { job }) },
  delivery: status === null ? null : { status, attempts, nextAttemptAt: status === 'PENDING' ? due_at : null },
  attempts: made,
});

/** Clocks of processes and of the database differ by less than this, in microseconds: a day. */
const CLOCK_TOLERANCE = 86_400_000_000n;

/**
 * The delivery of an event `e`: its row, if it has one. Without a row an event that is sent from the log was delivered by its first attempt,
 * or is still ahead of the cursor. Attempts may have been dropped before their event, so an event behind the cursor is delivered also without.
 */
const deliveryOf = (platformId: PlatformId): Sql => {
  const platform = uuidOf(platformId);
  return sql`
    left join lateral (
      select d.status, d.attempts, d.due_at from webhook_deliveries d where d.platform_id = ${platform} and d.event_id = e.id limit 1) r on true
    left join lateral (
      select max(a.number) as made from webhook_attempts a
      where r.status is null and e.queued and a.platform_id = ${platform} and a.event_id = e.id) a on true
    left join lateral (
      select true as ahead where r.status is null and e.queued and a.made is null and (
        exists (select from webhook_inbox i where i.platform_id = ${platform} and i.id = e.commit_id)
        or exists (
          select from webhook_log l
          where l.platform_id = ${platform} and l.commit_id = e.commit_id and l.position >= position_of(e.id) - ${CLOCK_TOLERANCE}
            and l.position > (select settled from webhook_cursors where platform_id = ${platform})))
      ) w on true
    cross join lateral (
      select case when r.status is not null then r.status when not e.queued then null when w.ahead then 'PENDING' else 'DELIVERED' end as status,
        case when r.status is not null then r.attempts when e.queued and w.ahead is null then coalesce(a.made, 1) else 0 end as attempts,
        coalesce(r.due_at, e.created_at) as due_at) d`;
};

const reportColumns = sql`e.id, e.type, e.object_id, e.sequence, e.data::text as data, e.created_at, e.request_id, e.job,
  d.status, d.attempts, d.due_at`;

export type EventFilter = {
  readonly types?: readonly EventType[];
  readonly objectId?: string;
  readonly status?: DeliveryStatus;
  readonly createdFrom?: Date;
  readonly createdBefore?: Date;
  /** Bounds of the id, where the times bound it. */
  readonly idFrom?: string;
  readonly idBefore?: string;
};

/** Ids of the events that may be pending: those with a pending row, and those ahead of the cursor. */
const pendingIds = (platform: string): Sql => sql`
  select d.event_id as id from webhook_deliveries d where d.platform_id = ${platform} and d.status = 'PENDING' and d.failures = 0
  union select d.event_id from webhook_deliveries d where d.platform_id = ${platform} and d.status = 'PENDING' and d.failures > 0
  union select unnest(l.event_ids) from webhook_log l where l.platform_id = ${platform} and l.queued
    and l.position > (select settled from webhook_cursors where platform_id = ${platform})
  union select unnest(i.event_ids) from webhook_inbox i where i.platform_id = ${platform}`;

const failedIds = (platform: string): Sql => sql`
  select d.event_id as id from webhook_deliveries d where d.platform_id = ${platform} and d.status = 'FAILED' order by d.event_id desc`;

/** The events that a filter begins with, so that no plan depends on statistics: few statuses are rare, and an object has few events. */
function sourceOf(platformId: PlatformId, { status, objectId }: EventFilter): Sql {
  const platform = uuidOf(platformId);
  const listed = (ids: Sql): Sql => sql`(
    select e.* from (${ids} offset 0) f
    cross join lateral (select * from webhook_events where platform_id = ${platform} and id = f.id limit 1) e offset 0) e`;
  if (objectId !== undefined)
    return sql`(select * from webhook_events where platform_id = ${platform} and object_id = ${objectId} offset 0) e`;
  if (status === 'PENDING') return listed(sql`select id from (${pendingIds(platform)}) ids`);
  if (status === 'FAILED') return listed(failedIds(platform));
  return sql`webhook_events e`;
}

const matching = (platformId: PlatformId, filter: EventFilter): Sql =>
  allOf(
    sql`e.platform_id = ${uuidOf(platformId)}`,
    filter.types !== undefined && sql`e.type = any(${filter.types})`,
    filter.status !== undefined && sql`d.status = ${filter.status}`,
    filter.createdFrom !== undefined && sql`e.created_at >= ${filter.createdFrom}`,
    filter.createdBefore !== undefined && sql`e.created_at < ${filter.createdBefore}`,
    filter.idFrom !== undefined && sql`e.id >= ${filter.idFrom}`,
    filter.idBefore !== undefined && sql`e.id < ${filter.idBefore}`,
  );

/** Newest first, each with its latest attempts. */
export async function listEvents(
  tx: Reader,
  platformId: PlatformId,
  filter: EventFilter,
  { limit, after, attempts }: PageRequest<string> & { readonly attempts: number },
  scope: unknown,
): Promise<Page<EventReport>> {
  const from = sql`${sourceOf(platformId, filter)} ${deliveryOf(platformId)}`;
  const where = matching(platformId, filter);
  const rows = await tx.many<ReportRow>(sql`
    select ${reportColumns} from ${from}
    where ${allOf(where, after !== undefined && sql`e.id < ${after}`)} order by e.id desc limit ${limit + 1}`);
  // Without a filter by status the state of the delivery is not needed to count.
  const counted = filter.status === undefined ? sourceOf(platformId, filter) : from;
  const totalCount = await countMatches(tx, sql`${counted} where ${where}`);
  const made = await latestAttempts(
    tx,
    platformId,
    rows.map(({ id }) => id),
    attempts,
  );
  const events = rows.map((row) => toReport(row, made.get(row.id)));
  return pageOf(events, limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

/** One event with every attempt that was made. */
export async function findEvent(tx: Reader, platformId: PlatformId, id: WebhookId): Promise<EventReport | undefined> {
  const row = await tx.one<ReportRow>(sql`
    select ${reportColumns} from webhook_events e ${deliveryOf(platformId)}
    where e.platform_id = ${uuidOf(platformId)} and e.id = ${uuidOf(id)}`);
  return row && toReport(row, (await latestAttempts(tx, platformId, [row.id], null)).get(row.id));
}

/**
 * The events that a request made, oldest first. A request names its events itself, so their ids were made between `from` and `before`: the
 * time in which it was answered.
 */
export async function listEventIdsOf(
  tx: Reader,
  platformId: PlatformId,
  requestId: string,
  { from, before, limit }: { readonly from: string; readonly before: string; readonly limit: number },
): Promise<WebhookId[]> {
  const rows = await tx.many<{ id: string }>(sql`
    select id from webhook_events
    where platform_id = ${uuidOf(platformId)} and id >= ${from} and id < ${before} and request_id = ${requestId}
    order by id limit ${limit}`);
  return rows.map(({ id }) => idOf('Webhook', id));
}

type AttemptRow = {
  event_id: string;
  number: number;
  url: string;
  request_headers: Record<string, string>;
  started_at: Date;
  duration_ms: number;
  response_status: number | null;
  response_body: string | null;
  failure: string | null;
};

/** By event, latest first. */
async function latestAttempts(
  tx: Reader,
  platformId: PlatformId,
  ids: readonly string[],
  limit: number | null,
): Promise<Map<string, Attempt[]>> {
  const rows = await tx.many<AttemptRow>(sql`
    select a.* from unnest(${ids}::uuid[]) as w (id) cross join lateral (
      select * from webhook_attempts where platform_id = ${uuidOf(platformId)} and event_id = w.id order by number desc limit ${limit}) a
    order by a.event_id, a.number desc`);
  const byEvent = new Map<string, Attempt[]>();
  for (const row of rows) byEvent.set(row.event_id, [...(byEvent.get(row.event_id) ?? []), toAttempt(row)]);
  return byEvent;
}

/** Attempts of the newest events that have any, latest first. */
export const listNewestAttempts = (tx: Reader, platformId: PlatformId, limit: number): Promise<AttemptReport[]> =>
  tx
    .many<Omit<AttemptRow, 'url' | 'request_headers' | 'response_body'>>(sql`
      select event_id, number, started_at, duration_ms, response_status, failure from webhook_attempts
      where platform_id = ${uuidOf(platformId)} order by event_id desc, number desc limit ${limit}`)
    .then((rows) =>
      rows.map((row) => ({
        eventId: idOf('Webhook', row.event_id),
        number: row.number,
        startedAt: row.started_at,
        durationMs: row.duration_ms,
        responseStatus: row.response_status,
        failure: row.failure,
      })),
    );

const toAttempt = (row: AttemptRow): Attempt => ({
  number: row.number,
  url: row.url,
  requestHeaders: row.request_headers,
  startedAt: row.started_at,
  durationMs: row.duration_ms,
  ...(row.response_status === null
    ? { responseStatus: null, responseBody: null, failure: row.failure ?? '' }
    : { responseStatus: row.response_status, responseBody: row.response_body ?? '', failure: null }),
});

// ---- queuing again

export type Requeue = { readonly now: Date; readonly retryUntil: Date };

/** Queues events again, or for the first time if there was no endpoint before. */
export function requeueEvents(tx: Pick<Tx, 'send'>, platformId: PlatformId, ids: readonly WebhookId[], { now, retryUntil }: Requeue): void {
  tx.send(sql`
    insert into webhook_deliveries (platform_id, event_id, object_id, sequence, status, attempts, due_at, retry_until)
    select e.platform_id, e.id, e.object_id, e.sequence, 'PENDING', coalesce(
        (select max(a.number) from webhook_attempts a where a.platform_id = ${uuidOf(platformId)} and a.event_id = e.id), 0), ${now}, ${retryUntil}
    from unnest(${ids.map(uuidOf)}::uuid[]) as w (id)
    cross join lateral (select * from webhook_events where platform_id = ${uuidOf(platformId)} and id = w.id limit 1) e
    on conflict (platform_id, event_id) do update set status = 'PENDING', failures = 0, due_at = excluded.due_at,
      retry_until = excluded.retry_until, finished_at = null`);
}

export type ReplayFilter = Pick<EventFilter, 'types' | 'createdFrom' | 'idFrom'> & { readonly undeliveredOnly: boolean };

export type ReplayBatch = {
  /** The last event that was looked at, if there may be more after it. */
  readonly last: string | undefined;
  readonly toQueue: readonly WebhookId[];
};

/** The next `limit` events after an id that a replay sends. Pending events and TEST events are left out. */
export async function listToReplay(
  tx: Reader,
  platformId: PlatformId,
  { undeliveredOnly, ...filter }: ReplayFilter,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<ReplayBatch> {
  const rows = await tx.many<{ id: string; status: DeliveryStatus | null }>(sql`
    select e.id, d.status from webhook_events e ${deliveryOf(platformId)}
    where ${allOf(matching(platformId, filter), undeliveredOnly && sql`d.status is distinct from 'DELIVERED'`)}
      and e.id > ${after} and e.type <> 'TEST' order by e.id limit ${limit}`);
  const last = rows.length < limit ? undefined : rows.at(-1)?.id;
  const toQueue = rows.filter(({ status }) => status !== 'PENDING').map(({ id }) => idOf('Webhook', id));
  return { last, toQueue };
}

/** Whether the platform has an endpoint, stopped or not. */
export async function hasEndpoint(tx: Reader, platformId: PlatformId): Promise<boolean> {
  const row = await tx.one(sql`select 1 from platforms where id = ${uuidOf(platformId)} and webhook_endpoint is not null`);
  return row !== undefined;
}
