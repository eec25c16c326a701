// SQL of the life of events and attempts: partitions by week. Decides nothing.
import type { Tx } from '../../../db/pool.js';
import { Sql, sql } from '../../../db/sql.js';
import { type PlatformId, uuidAt, uuidOf } from '../../../kernel/ids.js';
import type { LogWeek } from './retention-rules.js';

type Reader = Pick<Tx, 'many' | 'one'>;

/** The weeks that have partitions, oldest first, and the real time. The first may begin with the first event. */
export async function listWeeks(tx: Reader): Promise<{ readonly weeks: LogWeek[]; readonly now: Date }> {
  const rows = await tx.many<{ name: string; begins: Date | null; ends: Date; attempts_dropped: boolean }>(sql`
    select name, timezone('UTC', begins::timestamp) as begins, timezone('UTC', ends::timestamp) as ends, attempts_dropped from webhook_weeks()`);
  const clock = await tx.one<{ now: Date }>(sql`select clock_timestamp() as now`);
  return {
    weeks: rows.map(({ name, begins, ends, attempts_dropped }) => ({ name, begins, ends, attemptsDropped: attempts_dropped })),
    now: clock?.now ?? new Date(0),
  };
}

/** The moment from which events are kept; undefined while none were dropped. */
export async function findKeptSince(tx: Reader): Promise<Date | undefined> {
  const row = await tx.one<{ begins: Date | null }>(sql`
    select timezone('UTC', begins::timestamp) as begins from webhook_weeks() order by begins nulls first limit 1`);
  return row?.begins ?? undefined;
}

/**
 * For a transaction that changes partitions. Whoever writes an event waits while it waits for its lock, so it gives up soon and is tried again
 * later. Its reads and copies may take long.
 */
export function tuneForPartitions(tx: Tx): void {
  tx.send(sql`select set_config('lock_timeout', '1s', true), set_config('statement_timeout', '0', true)`);
}

/** Makes the partitions of the weeks until a moment. Returns how many were made. */
export async function extendLog(tx: Tx, upTo: Date): Promise<number> {
  const row = await tx.one<{ made: number }>(sql`select extend_webhook_log(${upTo}) as made`);
  return row?.made ?? 0;
}

/**
 * Whether an event from before a moment is still to be delivered, on any node. A coordinator fetches what the sub-selects find, so each is one row
 * with one column.
 */
export async function hasPendingBefore(tx: Reader, ends: Date): Promise<boolean> {
  const row = await tx.one<{ pending: boolean }>(sql`
    select exists (select 1 from webhook_deliveries d where d.status = 'PENDING' and d.event_id < uuid_at(${ends}) limit 1)
      or exists (select 1 from webhook_inbox i where i.id < uuid_at(${ends}) limit 1)
      or exists (
        select 1 from webhook_cursors q join webhook_log l on l.platform_id = q.platform_id
        where q.settled < q.last_position and l.queued and l.position > q.settled and l.event_ids[1] < uuid_at(${ends}) limit 1) as pending`);
  return row?.pending ?? true;
}

/** Remembers the last sequence number of every object that has events in a week and none after it. */
export async function keepSequences(tx: Tx, { begins, ends }: Pick<LogWeek, 'begins' | 'ends'>): Promise<void> {
  await tx.run(sql`
    insert into webhook_sequences (platform_id, object_id, sequence)
    select o.platform_id, o.object_id, o.sequence from (
      select platform_id, object_id, max(sequence) as sequence from webhook_events
      where id >= coalesce(uuid_at(${begins}), '00000000-0000-0000-0000-000000000000') and id < uuid_at(${ends}) and type <> 'TEST'
      group by platform_id, object_id) o
    where not exists (
      select from webhook_events later
      where later.platform_id = o.platform_id and later.object_id = o.object_id and later.id >= uuid_at(${ends}))
    on conflict (platform_id, object_id) do update set sequence = greatest(webhook_sequences.sequence, excluded.sequence)`);
}

export async function dropWeek(tx: Tx, name: string): Promise<void> {
  await tx.one(sql`select drop_webhook_week(${name})`);
}

export async function dropAttempts(tx: Tx, name: string): Promise<void> {
  await tx.one(sql`select drop_webhook_attempts(${name})`);
}

/** Deletes the delivery rows of events that were dropped. */
export async function deleteDeliveriesBefore(tx: Tx, ends: Date): Promise<number> {
  return tx.run(sql`delete from webhook_deliveries where event_id < uuid_at(${ends}) and status <> 'PENDING'`);
}

/** The tables whose rows go with the week of an event, and the column that tells it. */
const AGES: ReadonlyMap<string, string> = new Map([
  ['webhook_events', 'id'],
  ['webhook_attempts', 'event_id'],
  ['webhook_deliveries', 'event_id'],
  ['webhook_inbox', 'id'],
  ['webhook_log', 'position'],
]);

/** Whether a row `r` of a table is of a week that still has partitions; undefined for tables without weeks. */
export function isOfKeptWeek(table: string, since: Date): Sql | undefined {
  const column = AGES.get(table);
  if (column === undefined) return undefined;
  const first = column === 'position' ? sql`${BigInt(since.getTime()) * 1_000n}::bigint` : sql`${uuidAt(since.getTime())}::uuid`;
  return sql`r.${new Sql(column, [])} >= ${first}`;
}

export type LastSequence = { readonly objectId: string; readonly sequence: bigint };

/** Remembers numbers of objects whose events are left out. */
export function insertSequences(tx: Tx, platformId: PlatformId, last: readonly LastSequence[]): void {
  tx.send(sql`
    insert into webhook_sequences (platform_id, object_id, sequence)
    select p.id, s.object_id, s.sequence
    from platforms p, unnest(${last.map(({ objectId }) => objectId)}::text[], ${last.map(({ sequence }) => sequence)}::bigint[]) s (object_id, sequence)
    where p.id = ${uuidOf(platformId)}
    on conflict (platform_id, object_id) do update set sequence = greatest(webhook_sequences.sequence, excluded.sequence)`);
}
