// The one clock, read and set in the database so that every process sees the same time.
import { type Db, type Tx, unavailable } from '../../../db/pool.js';
import { sql } from '../../../db/sql.js';
import { assert } from '../../../kernel/errors.js';
import { type PlatformId, uuidOf } from '../../../kernel/ids.js';

type Reader = Pick<Tx, 'one' | 'many'>;

export const platformNow = async (tx: Reader, id: PlatformId): Promise<Date> => {
  const row = await tx.one<{ now: Date }>(sql`select platform_now(${uuidOf(id)}) as now`);
  assert(row?.now, 'the platform of a credential exists');
  return row.now;
};

/** The time outside, for what belongs to no platform yet. */
export const realNow = async (tx: Reader): Promise<Date> => {
  const row = await tx.one<{ now: Date }>(sql`select date_trunc('milliseconds', clock_timestamp()) as now`);
  assert(row, 'the database knows the time');
  return row.now;
};

export type Clock = { readonly now: Date; readonly frozen: boolean };

export const readClock = async (tx: Reader, id: PlatformId): Promise<Clock> => {
  const row = await tx.one<Clock>(
    sql`select platform_now(id) as now, clock_frozen_at is not null as frozen from platforms where id = ${uuidOf(id)}`,
  );
  assert(row, 'the platform of a credential exists');
  return row;
};

/** Sets what the clock shows: standing still there, or running on from there. */
export async function setClock(tx: Pick<Tx, 'run'>, id: PlatformId, { now, frozen }: Clock): Promise<void> {
  await tx.run(sql`
    update platforms set clock_frozen_at = case when ${frozen}::boolean then ${now}::timestamptz end,
      clock_offset = ${now}::timestamptz - clock_timestamp()
    where id = ${uuidOf(id)}`);
}

/** Whoever moves the clock, in whichever process, moves it alone: an advance takes many transactions, and stands still in between. */
export async function movingAlone<Result>(db: Db, id: PlatformId, work: () => Promise<Result>): Promise<Result> {
  const session = await db.connect().catch(unavailable);
  try {
    await session.query('select pg_advisory_lock(hashtextextended($1, 0))', [`clock ${id}`]).catch(unavailable);
    return await work();
  } finally {
    await session.end();
  }
}
