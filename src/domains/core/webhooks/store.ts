// SQL of events, deliveries, attempts and signing keys. Decides nothing.
import { countMatches } from '../../../db/count.js';
import type { Tx } from '../../../db/pool.js';
import { allOf, jsonTexts, type Sql, sql } from '../../../db/sql.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type { Attempt, DeliveryStatus, EventReport, EventType, NewEvent, SigningKey, StoredEvent, WebhookId } from './event.js';

type Reader = Pick<Tx, 'many' | 'one'>;

/**
 * Writes events in one statement and queues them if the platform has an endpoint. Numbering continues per object; the caller holds
 * the lock of the object, and a unique index enforces it. `xact` never decreases within one object. A stored `xact` that this database
 * has not reached yet comes from before a restore, so it is ignored.
 */
export function insertEvents(
  tx: Tx,
  platformId: PlatformId,
  events: readonly (NewEvent & { readonly id: WebhookId })[],
  { now, retryUntil }: { readonly now: Date; readonly retryUntil: Date },
): void {
  const counts = new Map<string, number>();
  const places = events.map(({ objectId }) => {
    const place = (counts.get(objectId) ?? 0) + 1;
    counts.set(objectId, place);
    return place;
  });
  tx.send(sql`
    with written as (
      insert into webhook_events (platform_id, id, type, object_id, sequence, data, created_at, xact)
      select ${uuidOf(platformId)}, n.id, n.type, n.object_id, coalesce(l.sequence, 0) + n.place, n.data::json, ${now},
        greatest(t.xact, case when l.xact < t.next then l.xact end)
      from (
        select pg_current_xact_id()::text::bigint as xact, pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next offset 0
      ) t cross join rows from (
        unnest(${events.map(({ id }) => uuidOf(id))}::uuid[], ${events.map(({ type }) => type)}::text[],
               ${events.map(({ objectId }) => objectId)}::text[], ${places}::int[]),
        ${jsonTexts(events.map(({ data }) => data))}
      ) as n (id, type, object_id, place, data)
      left join lateral (
        select e.sequence, e.xact from webhook_events e
        where e.platform_id = ${uuidOf(platformId)} and e.object_id = n.object_id order by e.sequence desc limit 1) l on true
      returning id, object_id, sequence
    )
    insert into webhook_deliveries (platform_id, event_id, object_id, sequence, status, due_at, retry_until)
    select ${uuidOf(platformId)}, id, object_id, sequence, 'PENDING', ${now}, ${retryUntil} from written
    where exists (select from platforms where id = ${uuidOf(platformId)} and webhook_endpoint is not null)`);
}

// ---- signing keys

type KeyRow = { id: string; p256_pem: string; ed25519: string; sealed: Buffer; created_at: Date; retires_at: Date | null };

/** The keys that sign at `now`, oldest first. */
export async function listSigningKeys(tx: Reader, platformId: PlatformId, now: Date): Promise<SigningKey[]> {
  const rows = await tx.many<KeyRow>(sql`
    select id, p256_pem, ed25519, sealed, created_at, retires_at from webhook_signing_keys
    where platform_id = ${uuidOf(platformId)} and (retires_at is null or retires_at > ${now}) order by id`);
  return rows.map((row) => ({
    id: idOf('WebhookSigningKey', row.id),
    p256Pem: row.p256_pem,
    ed25519: row.ed25519,
    sealed: row.sealed,
    createdAt: row.created_at,
    retiresAt: row.retires_at,
  }));
}

/** Writes the platform's current key, unless another process has written one. */
export function insertSigningKey(tx: Tx, platformId: PlatformId, key: SigningKey): void {
  tx.send(sql`
    insert into webhook_signing_keys (platform_id, id, p256_pem, ed25519, sealed, created_at)
    values (${uuidOf(platformId)}, ${uuidOf(key.id)}, ${key.p256Pem}, ${key.ed25519}, ${key.sealed}, ${key.createdAt})
    on conflict (platform_id) where retires_at is null do nothing`);
}

/** Locks the current key, so that rotations run one after the other. */
export async function lockSigningKeys(tx: Tx, platformId: PlatformId): Promise<void> {
  await tx.many(sql`select 1 from webhook_signing_keys where platform_id = ${uuidOf(platformId)} and retires_at is null for update`);
}

/** Retires every existing key at `at`. */
export function retireSigningKeys(tx: Tx, platformId: PlatformId, at: Date): void {
  tx.send(sql`
    update webhook_signing_keys set retires_at = ${at}
    where platform_id = ${uuidOf(platformId)} and (retires_at is null or retires_at > ${at})`);
}

// ---- listing, streaming, sending again

type EventRow = { id: string; type: EventType; object_id: string; sequence: bigint; data: string; created_at: Date };
const eventColumns = sql`e.id, e.type, e.object_id, e.sequence, e.data::text as data, e.created_at`;
const toEvent = (row: EventRow): StoredEvent => ({
  id: idOf('Webhook', row.id),
  type: row.type,
  objectId: row.object_id,
  sequence: Number(row.sequence),
  data: row.data,
  createdAt: row.created_at,
});

type DeliveryRow = { status: DeliveryStatus | null; attempts: number | null; due_at: Date | null };
const reportColumns = sql`${eventColumns}, d.status, d.attempts, d.due_at`;
const toReport = (row: EventRow & DeliveryRow, attempts: readonly Attempt[] = []): EventReport => ({
  ...toEvent(row),
  delivery:
    row.status === null
      ? null
      : { status: row.status, attempts: row.attempts ?? 0, nextAttemptAt: row.status === 'PENDING' ? row.due_at : null },
  attempts,
});

export type EventFilter = {
  readonly types?: readonly EventType[];
  readonly objectId?: string;
  readonly status?: DeliveryStatus;
  readonly createdFrom?: Date;
  readonly createdBefore?: Date;
};

/** Spelled so that each status uses its partial index. */
const STATUS_FILTERS: Readonly<Record<DeliveryStatus, Sql>> = {
  PENDING: sql`d.status = 'PENDING' and (d.failures = 0 or d.failures > 0)`,
  DELIVERED: sql`d.status = 'DELIVERED'`,
  FAILED: sql`d.status = 'FAILED'`,
};

function matching(platformId: PlatformId, filter: EventFilter): Sql {
  return allOf(
    sql`e.platform_id = ${uuidOf(platformId)}`,
    filter.types !== undefined && sql`e.type = any(${filter.types})`,
    filter.objectId !== undefined && sql`e.object_id = ${filter.objectId}`,
    filter.status !== undefined && STATUS_FILTERS[filter.status],
    filter.createdFrom !== undefined && sql`e.created_at >= ${filter.createdFrom}`,
    filter.createdBefore !== undefined && sql`e.created_at < ${filter.createdBefore}`,
  );
}

const withDelivery = sql`webhook_events e left join webhook_deliveries d on d.platform_id = e.platform_id and d.event_id = e.id`;

/** Newest first, each with its latest attempts. */
export async function listEvents(
  tx: Reader,
  platformId: PlatformId,
  filter: EventFilter,
  { limit, after, attempts }: PageRequest<string> & { readonly attempts: number },
  scope: unknown,
): Promise<Page<EventReport>> {
  const where = matching(platformId, filter);
  const rows = await tx.many<EventRow & DeliveryRow>(sql`
    select ${reportColumns} from ${withDelivery}
    where ${allOf(where, after !== undefined && sql`e.id < ${after}`)} order by e.id desc limit ${limit + 1}`);
  const totalCount = await countMatches(tx, sql`${withDelivery} where ${where}`);
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
  const row = await tx.one<EventRow & DeliveryRow>(sql`
    select ${reportColumns} from ${withDelivery} where e.platform_id = ${uuidOf(platformId)} and e.id = ${uuidOf(id)}`);
  return row && toReport(row, (await latestAttempts(tx, platformId, [row.id], null)).get(row.id));
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

/** A position in the order of commits. */
export type StreamPosition = { readonly xact: bigint; readonly sequence: bigint; readonly id: string };

/** The position of an event, if the platform has it. */
export async function findPosition(tx: Reader, platformId: PlatformId, id: WebhookId): Promise<StreamPosition | undefined> {
  return tx.one<StreamPosition>(sql`
    select xact, sequence, id from webhook_events where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

/** The position after every event that is committed, or may still be committed by a transaction that is open now. */
export async function findEndPosition(tx: Reader): Promise<StreamPosition> {
  const row = await tx.one<{ xact: bigint }>(sql`select pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1 as xact`);
  return { xact: row?.xact ?? 0n, sequence: 2n ** 63n - 1n, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
}

/** The events after a position, before the oldest open transaction. So no event can appear later at a position already returned. */
export async function listEventsAfter(
  tx: Reader,
  platformId: PlatformId,
  after: StreamPosition,
  limit: number,
): Promise<(StoredEvent & { readonly position: StreamPosition })[]> {
  const rows = await tx.many<EventRow & { xact: bigint }>(sql`
    select ${eventColumns}, e.xact from webhook_events e
    where e.platform_id = ${uuidOf(platformId)} and (e.xact, e.sequence, e.id) > (${after.xact}, ${after.sequence}, ${after.id}::uuid)
      and e.xact < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    order by e.xact, e.sequence, e.id limit ${limit}`);
  return rows.map((row) => ({ ...toEvent(row), position: { xact: row.xact, sequence: row.sequence, id: row.id } }));
}

export type Requeue = { readonly now: Date; readonly retryUntil: Date };

const requeued = sql`
  on conflict (platform_id, event_id) do update set status = 'PENDING', failures = 0, due_at = excluded.due_at,
    retry_until = excluded.retry_until, finished_at = null`;

/** Queues one event again, or for the first time if there was no endpoint before. */
export function requeueEvent(tx: Tx, platformId: PlatformId, id: WebhookId, { now, retryUntil }: Requeue): void {
  tx.send(sql`
    insert into webhook_deliveries (platform_id, event_id, object_id, sequence, status, due_at, retry_until)
    select platform_id, id, object_id, sequence, 'PENDING', ${now}, ${retryUntil} from webhook_events
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} ${requeued}`);
}

export type ReplayFilter = { readonly since: Date; readonly types: readonly EventType[] | undefined; readonly undeliveredOnly: boolean };

/** Queues the next `limit` events after an id again. Returns the last id and the number queued. Skips pending deliveries and TEST events. */
export async function requeueEvents(
  tx: Tx,
  platformId: PlatformId,
  { since, types, undeliveredOnly }: ReplayFilter,
  { now, retryUntil, after, limit }: Requeue & { readonly after: string; readonly limit: number },
): Promise<{ last: string; count: number } | undefined> {
  const wanted = matching(platformId, { createdFrom: since, ...(types && { types }) });
  const rows = await tx.many<{ event_id: string; queued: boolean }>(sql`
    with chosen as (
      select e.platform_id, e.id, e.object_id, e.sequence, d.status from ${withDelivery}
      where ${allOf(wanted, undeliveredOnly && sql`d.status is distinct from 'DELIVERED'`)} and e.id > ${after} and e.type <> 'TEST'
      order by e.id limit ${limit}
    ), queued as (
      insert into webhook_deliveries (platform_id, event_id, object_id, sequence, status, due_at, retry_until)
      select platform_id, id, object_id, sequence, 'PENDING', ${now}, ${retryUntil} from chosen where status is distinct from 'PENDING'
      ${requeued} returning event_id
    )
    select id as event_id, exists (select from queued q where q.event_id = chosen.id) as queued from chosen order by id`);
  const last = rows.at(-1);
  return last && { last: last.event_id, count: rows.filter(({ queued }) => queued).length };
}

/** Whether the platform has an endpoint, stopped or not. */
export async function hasEndpoint(tx: Reader, platformId: PlatformId): Promise<boolean> {
  const row = await tx.one(sql`select 1 from platforms where id = ${uuidOf(platformId)} and webhook_endpoint is not null`);
  return row !== undefined;
}
