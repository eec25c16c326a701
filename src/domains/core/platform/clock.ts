// The clock of each platform. It is kept in the database, so that every process reads the same time.
import { platformTime } from '../../../db/platform-time.js';
import type { Tx } from '../../../db/pool.js';
import { type Sql, sql } from '../../../db/sql.js';
import { assert } from '../../../kernel/errors.js';
import { type PlatformId, uuidOf } from '../../../kernel/ids.js';

type Reader = Pick<Tx, 'one' | 'many'>;

export const platformNow = async (tx: Reader, id: PlatformId): Promise<Date> => {
  const row = await tx.one<{ now: Date }>(sql`select ${platformTime} as now from platforms p where p.id = ${uuidOf(id)}`);
  assert(row?.now, 'the platform of a credential exists');
  return row.now;
};

/** The real time, for records that belong to no platform yet. */
export const realNow = async (tx: Reader): Promise<Date> => {
  const row = await tx.one<{ now: Date }>(sql`select date_trunc('milliseconds', clock_timestamp()) as now`);
  assert(row, 'the database returns the time');
  return row.now;
};

export type Clock = { readonly now: Date; readonly frozen: boolean };

export const readClock = async (tx: Reader, id: PlatformId): Promise<Clock> => {
  const row = await tx.one<Clock>(
    sql`select ${platformTime} as now, p.clock_frozen_at is not null as frozen from platforms p where p.id = ${uuidOf(id)}`,
  );
  assert(row, 'the platform of a credential exists');
  return row;
};

/** Sets the clock: frozen at `now`, or running from `now`. */
export async function setClock(tx: Reader & Pick<Tx, 'run'>, id: PlatformId, { now, frozen }: Clock): Promise<void> {
  const real = await realNow(tx);
  const offset = sql`${now.getTime() - real.getTime()} * interval '1 millisecond'`;
  // A frozen clock has fallen behind until now.
  await tx.run(sql`
    update platforms set clock_frozen_at = case when ${frozen}::boolean then ${now}::timestamptz end, clock_offset = ${offset},
      clock_least_ahead = case when clock_least_ahead is not null then least(clock_least_ahead, clock_frozen_at - ${real}, ${offset}) end,
      clock_most_ahead = case when clock_most_ahead is not null then greatest(clock_most_ahead, ${offset}) end
    where id = ${uuidOf(id)}`);
}

/** How far the clock was ahead of the real time, in milliseconds, while the data of the platform was written. Negative: behind. */
export type ClockBounds = { readonly leastAhead: number; readonly mostAhead: number };

/** Undefined where the past of the clock is not known. */
export async function readClockBounds(tx: Reader, id: PlatformId): Promise<ClockBounds | undefined> {
  const inMs = (interval: Sql): Sql => sql`extract(epoch from ${interval})::float8 * 1000`;
  const row = await tx.one<{ least: number | null; most: number | null }>(sql`
    select case when p.clock_least_ahead is not null then
        ${inMs(sql`least(p.clock_least_ahead, p.clock_frozen_at - clock_timestamp())`)} end as least,
      ${inMs(sql`p.clock_most_ahead`)} as most
    from platforms p where p.id = ${uuidOf(id)}`);
  assert(row, 'the platform of a credential exists');
  const { least, most } = row;
  return least === null || most === null ? undefined : { leastAhead: Math.floor(least), mostAhead: Math.ceil(most) };
}

/** The data of the platform is replaced: by none, or by that of a time of which nothing is known. */
export function restartClockBounds(tx: Pick<Tx, 'send'>, id: PlatformId, { isEmpty }: { readonly isEmpty: boolean }): void {
  tx.send(sql`
    update platforms set clock_least_ahead = case when ${isEmpty}::boolean then interval '0' end,
      clock_most_ahead = case when ${isEmpty}::boolean then interval '0' end
    where id = ${uuidOf(id)}`);
}
