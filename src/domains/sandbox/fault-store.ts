// SQL of the faults of sandbox platforms.
import { lockName } from '../../db/named-locks.js';
import type { Db, Tx } from '../../db/pool.js';
import { sql } from '../../db/sql.js';
import { newUuid, type PlatformId, uuidOf } from '../../kernel/ids.js';
import type { Fault } from './fault-schemas.js';

export type StoredFault = {
  readonly position: number;
  readonly revision: string;
  readonly fault: Fault;
  /** Null for no bound. */
  readonly remaining: number | null;
};

export const listFaults = (tx: Pick<Tx, 'many'>, platformId: PlatformId): Promise<StoredFault[]> =>
  tx.many<StoredFault>(sql`
    select position, revision, fault, remaining from sandbox_faults where platform_id = ${uuidOf(platformId)} order by position`);

export async function replaceFaults(tx: Tx, platformId: PlatformId, faults: readonly Fault[]): Promise<void> {
  lockName(tx, platformId, 'faults');
  await tx.run(sql`delete from sandbox_faults where platform_id = ${uuidOf(platformId)}`);
  const revision = newUuid();
  for (const [position, fault] of faults.entries())
    tx.send(sql`
      insert into sandbox_faults (platform_id, position, revision, fault, remaining)
      values (${uuidOf(platformId)}, ${position}, ${revision}, ${JSON.stringify(fault)}, ${fault.count ?? null})`);
}

/** Whether one of the remaining cases of the fault was taken. */
export const takeOne = async (db: Pick<Db, 'run'>, platformId: PlatformId, { position, revision }: StoredFault): Promise<boolean> =>
  (await db.run(sql`
    update sandbox_faults set remaining = remaining - 1
    where platform_id = ${uuidOf(platformId)} and position = ${position} and revision = ${revision} and remaining > 0`)) > 0;
