// SQL of the event log: commits without a position, positions, and the cursor of each platform's deliveries. Decides nothing.
import type { Tx } from '../../../db/pool.js';
import { type Sql, sql } from '../../../db/sql.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { EventType, LoggedCommit, LoggedEvent, PositionedCommit, StoredEvent, StreamPosition, WebhookId } from './event.js';
import { isStopped, only, platformClock } from './store-deliveries.js';

type Reader = Pick<Tx, 'many' | 'one'>;

// ---- the cursor

export type QueueState = {
  readonly url: string | null;
  readonly stopped: boolean;
  readonly now: Date;
  readonly frozen: boolean;
  /** The real time, for the timestamp that a receiver compares with its own clock. */
  readonly realNow: Date;
};

const queueColumns = (platformId: PlatformId): Sql =>
  sql`p.webhook_endpoint as url, ${isStopped(only(platformId))} as stopped, c.now, p.clock_frozen_at is not null as frozen, c.real_now as "realNow"`;

export async function findQueueState(tx: Reader, platformId: PlatformId): Promise<QueueState | undefined> {
  return tx.one<QueueState>(sql`select ${queueColumns(platformId)} from platforms p ${platformClock} where p.id = ${uuidOf(platformId)}`);
}

export type CursorState = QueueState & {
  readonly lastPosition: bigint;
  readonly settled: bigint;
  readonly claimed: bigint;
  readonly leasedBy: string | null;
  /** Whether the lease has not run out. */
  readonly leased: boolean;
  /** Whether the platform has pending delivery rows. */
  readonly hasRows: boolean;
};

/**
 * Locks the platform's cursor until this transaction ends: one writer at a time gives positions and claims deliveries. Undefined if another
 * transaction holds it and `waits` is false.
 */
export async function lockCursor(tx: Tx, platformId: PlatformId, { waits }: { readonly waits: boolean }): Promise<CursorState | undefined> {
  const lock = () =>
    tx.one<CursorState>(sql`
      select ${queueColumns(platformId)}, q.last_position as "lastPosition", q.settled, q.claimed, q.leased_by as "leasedBy",
        coalesce(q.leased_until > c.real_now, false) as leased,
        exists (select from webhook_deliveries d where d.platform_id = ${uuidOf(platformId)} and d.status = 'PENDING' and d.failures = 0)
        or exists (select from webhook_deliveries d where d.platform_id = ${uuidOf(platformId)} and d.status = 'PENDING' and d.failures > 0) as "hasRows"
      from webhook_cursors q join platforms p on p.id = ${uuidOf(platformId)} ${platformClock}
      where q.platform_id = ${uuidOf(platformId)} for update of q ${waits ? sql`` : sql`skip locked`}`);
  const found = await lock();
  if (found) return found;
  const created = await tx.run(sql`
    insert into webhook_cursors (platform_id) select id from platforms where id = ${uuidOf(platformId)} on conflict do nothing`);
  return created > 0 || waits ? lock() : undefined;
}

export type CursorChange = {
  readonly lastPosition: bigint;
  readonly settled: bigint;
  readonly claimed: bigint;
  /** Null ends the lease, undefined leaves it as it is. */
  readonly lease: { readonly by: string; readonly until: Date } | null | undefined;
};

/** Writes the locked cursor. */
export function saveCursor(tx: Tx, platformId: PlatformId, { lastPosition, settled, claimed, lease }: CursorChange): void {
  tx.send(sql`
    update webhook_cursors set last_position = ${lastPosition}, settled = ${settled}, claimed = ${claimed},
      leased_by = case when ${lease === undefined} then leased_by else ${lease?.by ?? null}::uuid end,
      leased_until = case when ${lease === undefined} then leased_until else ${lease?.until ?? null}::timestamptz end
    where platform_id = ${uuidOf(platformId)}`);
}

/**
 * Moves the cursor to a position that its worker has settled. The lease ends if that is all that was claimed (`endsAt`). Nothing happens if
 * another worker has taken over the lease.
 */
export function settleTo(
  tx: Pick<Tx, 'send'>,
  platformId: PlatformId,
  worker: string,
  { settled, endsAt }: { readonly settled: bigint; readonly endsAt: bigint | null },
): void {
  tx.send(sql`
    update webhook_cursors set settled = greatest(settled, ${settled}),
      leased_by = case when claimed = ${endsAt} then null else leased_by end,
      leased_until = case when claimed = ${endsAt} then null else leased_until end
    where platform_id = ${uuidOf(platformId)} and leased_by = ${worker}`);
}

/** Ends the worker's lease. */
export async function endLease(tx: Pick<Tx, 'run'>, platformId: PlatformId, worker: string): Promise<void> {
  await tx.run(sql`
    update webhook_cursors set leased_by = null, leased_until = null where platform_id = ${uuidOf(platformId)} and leased_by = ${worker}`);
}

/** Writes only the positions, when they are given without claiming deliveries. */
export function saveLastPosition(tx: Tx, platformId: PlatformId, lastPosition: bigint, settled: bigint): void {
  tx.send(sql`
    update webhook_cursors set last_position = ${lastPosition}, settled = ${settled} where platform_id = ${uuidOf(platformId)}`);
}

// ---- commits and their events

type EventRow = {
  commit: string | bigint;
  id: string;
  type: EventType;
  object_id: string;
  sequence: bigint;
  data: string;
  created_ms: number;
  queued: boolean;
  handled: boolean;
  behind_rows: boolean;
};

// Times as numbers: the driver parses timestamps slowly.
const eventColumns = sql`e.id, e.type, e.object_id, e.sequence, e.data::text as data,
  extract(epoch from e.created_at)::float8 * 1000 as created_ms, e.queued`;

const toEvent = (row: EventRow): LoggedEvent => ({
  id: idOf('Webhook', row.id),
  type: row.type,
  objectId: row.object_id,
  sequence: Number(row.sequence),
  data: row.data,
  createdAt: new Date(row.created_ms),
  queued: row.queued,
  handled: row.handled,
  isBehindRows: row.behind_rows,
});

/** Rows of one commit follow each other. */
function byCommit(rows: readonly EventRow[]): { commit: string | bigint; events: LoggedEvent[] }[] {
  const commits: { commit: string | bigint; events: LoggedEvent[] }[] = [];
  for (const row of rows) {
    const last = commits.at(-1);
    if (last?.commit === row.commit) last.events.push(toEvent(row));
    else commits.push({ commit: row.commit, events: [toEvent(row)] });
  }
  return commits;
}

/** The events of the commits `l`, read by id. `facts` are `handled` and `behind_rows`. */
const eventsOf = (platformId: PlatformId, facts: Sql): Sql => sql`
  cross join lateral unnest(l.event_ids) with ordinality as w (id, place)
  cross join lateral (
    select ${eventColumns}, ${facts} from webhook_events e where e.platform_id = ${uuidOf(platformId)} and e.id = w.id limit 1) e`;

const isBehindRows = (platformId: PlatformId): Sql => sql`exists (
  select from webhook_deliveries d
  where d.platform_id = ${uuidOf(platformId)} and d.object_id = e.object_id and d.status = 'PENDING' and d.failures = 0) as behind_rows`;

/** No further commit is read after this number of commits or events. */
export type InboxLimit = { readonly commits: number; readonly events: number };

/** The first commits without a position, by id. */
export async function listInbox(tx: Reader, platformId: PlatformId, { commits, events }: InboxLimit): Promise<LoggedCommit[]> {
  return readInbox(
    tx,
    platformId,
    sql`
    select id, event_ids from (
      select id, event_ids, sum(cardinality(event_ids)) over (order by id) - cardinality(event_ids) as before from (
        select id, event_ids from webhook_inbox where platform_id = ${uuidOf(platformId)} order by id limit ${commits}) next
    ) counted where before < ${events}`,
  );
}

/** Commits without a position that contain the event before the first given one of an object, beside those in `known`. */
export async function listEarlierInbox(tx: Reader, platformId: PlatformId, commits: readonly LoggedCommit[]): Promise<LoggedCommit[]> {
  const firsts = new Map<string, number>();
  for (const { objectId, sequence } of commits.flatMap(({ events }) => events))
    firsts.set(objectId, Math.min(sequence, firsts.get(objectId) ?? sequence));
  return readInbox(
    tx,
    platformId,
    sql`
    select i.id, i.event_ids from (
      select distinct e.commit_id from unnest(${[...firsts.keys()]}::text[], ${[...firsts.values()]}::bigint[]) as n (object_id, sequence)
      cross join lateral (
        select e.commit_id from webhook_events e
        where e.platform_id = ${uuidOf(platformId)} and e.object_id = n.object_id and e.sequence = n.sequence - 1 limit 1) e) earlier
    cross join lateral (
      select id, event_ids from webhook_inbox where platform_id = ${uuidOf(platformId)} and id = earlier.commit_id limit 1) i
    where i.id <> all(${commits.map(({ id }) => id)}::uuid[])`,
  );
}

async function readInbox(tx: Reader, platformId: PlatformId, commits: Sql): Promise<LoggedCommit[]> {
  const rows = await tx.many<EventRow>(sql`
    select l.id as commit, e.* from (${commits}) l ${eventsOf(platformId, sql`false as handled, ${isBehindRows(platformId)}`)}
    order by l.id, w.place`);
  return byCommit(rows).map(({ commit, events }) => ({ id: String(commit), events }));
}

/** Moves commits from the inbox to the log. */
export function insertPositions(tx: Tx, platformId: PlatformId, commits: readonly PositionedCommit[]): void {
  const ids = commits.map(({ id }) => id);
  tx.send(sql`
    insert into webhook_log (platform_id, position, commit_id, event_ids, queued)
    select i.platform_id, n.position, i.id, i.event_ids, n.queued
    from unnest(${ids}::uuid[], ${commits.map(({ position }) => position)}::bigint[],
      ${commits.map(({ events }) => events.some(({ queued }) => queued))}::boolean[]) as n (id, position, queued)
    join webhook_inbox i on i.platform_id = ${uuidOf(platformId)} and i.id = n.id`);
  tx.send(sql`delete from webhook_inbox where platform_id = ${uuidOf(platformId)} and id = any(${ids}::uuid[])`);
}

export async function hasInbox(tx: Reader, platformId: PlatformId): Promise<boolean> {
  return (await tx.one(sql`select 1 from webhook_inbox where platform_id = ${uuidOf(platformId)} limit 1`)) !== undefined;
}

export type LogRange = InboxLimit & {
  readonly after: bigint;
  readonly upTo: bigint;
  /** Up to this position events may have been handled by an earlier worker. */
  readonly claimed: bigint;
};

/** The next commits with events to send. */
export async function listToSend(
  tx: Reader,
  platformId: PlatformId,
  { after, upTo, commits, events, claimed }: LogRange,
): Promise<PositionedCommit[]> {
  const platform = uuidOf(platformId);
  const handled = sql`case when l.position <= ${claimed} then
    exists (select from webhook_attempts a where a.platform_id = ${platform} and a.event_id = e.id)
    or exists (select from webhook_deliveries d where d.platform_id = ${platform} and d.event_id = e.id) else false end`;
  const rows = await tx.many<EventRow>(sql`
    select l.position as commit, e.* from (
      select position, event_ids from (
        select position, event_ids, sum(cardinality(event_ids)) over (order by position) - cardinality(event_ids) as before from (
          select position, event_ids from webhook_log
          where platform_id = ${platform} and position > ${after} and position <= ${upTo} and queued order by position limit ${commits}) next
      ) counted where before < ${events}) l
    ${eventsOf(platformId, sql`${handled} as handled, ${isBehindRows(platformId)}`)} order by l.position, w.place`);
  return byCommit(rows).map(({ commit, events }) => ({ id: '', position: BigInt(commit), events }));
}

// ---- the stream

/** The events after a position, in order. */
export async function listEventsAfter(
  tx: Reader,
  platformId: PlatformId,
  { position, place }: StreamPosition,
  limit: number,
): Promise<(StoredEvent & { readonly position: StreamPosition })[]> {
  const platform = uuidOf(platformId);
  const rows = await tx.many<EventRow & { place: bigint }>(sql`
    select l.position as commit, w.place, e.* from (
      select position, event_ids from webhook_log
      where platform_id = ${platform} and position >= ${position}
        and position <= (select last_position from webhook_cursors where platform_id = ${platform})
      order by position limit ${limit}) l
    ${eventsOf(platformId, sql`false as handled, false as behind_rows`)}
    where (l.position, w.place) > (${position}, ${place}) order by l.position, w.place limit ${limit}`);
  return rows.map((row) => {
    const { queued, handled, isBehindRows, ...event } = toEvent(row);
    return { ...event, position: { position: BigInt(row.commit), place: Number(row.place) } };
  });
}

/** The position of an event, if the platform has it. Its commit has been given a position. */
export async function findPosition(tx: Reader, platformId: PlatformId, id: WebhookId): Promise<StreamPosition | undefined> {
  const platform = uuidOf(platformId);
  const row = await tx.one<{ position: bigint; place: number }>(sql`
    select l.position, array_position(l.event_ids, e.id) as place
    from webhook_events e cross join lateral (
      select position, event_ids from webhook_log l
      where l.platform_id = ${platform} and l.commit_id = e.commit_id
      union all
      select position, event_ids from webhook_log l
      where e.commit_id is null and l.platform_id = ${platform} and l.commit_id is null and l.event_ids @> array[e.id]
      limit 1) l
    where e.platform_id = ${platform} and e.id = ${uuidOf(id)}`);
  return row && { position: row.position, place: row.place };
}

/**
 * The data of the platform was replaced: everything up to `settled` counts as delivered, or everything there was. Positions go on from the
 * last one, so that no reader of the stream sees one twice, and a worker that holds the lease loses it.
 */
export function restartCursor(tx: Tx, platformId: PlatformId, settled: bigint | undefined): void {
  const platform = uuidOf(platformId);
  tx.send(sql`insert into webhook_cursors (platform_id) select id from platforms where id = ${platform} on conflict do nothing`);
  // Events of another platform may have later positions than this one has given.
  tx.send(sql`
    update webhook_cursors set last_position =
      greatest(last_position, (select max(position) from webhook_log where platform_id = ${platform})), leased_by = null, leased_until = null
    where platform_id = ${platform}`);
  tx.send(sql`
    update webhook_cursors set settled = least(${settled ?? null}::bigint, last_position), claimed = least(${settled ?? null}::bigint, last_position)
    where platform_id = ${platform}`);
}
