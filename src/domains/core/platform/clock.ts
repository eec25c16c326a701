// The clock of each platform. It is kept in the database, so that every process reads the same time.
import { platformTime } from '../../../db/platform-time.js';
import type { Tx } from '../../../db/pool.js';
import { sql } from '../../../db/sql.js';
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
  const offset = now.getTime() - (await realNow(tx)).getTime();
  await tx.run(sql`
    update platforms set clock_frozen_at = case when ${frozen}::boolean then ${now}::timestamptz end,
      clock_offset = ${offset} * interval '1 millisecond'
    where id = ${uuidOf(id)}`);
}
