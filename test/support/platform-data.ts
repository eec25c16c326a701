import type { Db } from '../../src/db/pool.js';
import { Sql } from '../../src/db/sql.js';
import { isData } from '../../src/domains/sandbox/platform-data.js';
import { findTables } from '../../src/domains/sandbox/platform-data-store.js';
import { type PlatformId, uuidOf } from '../../src/kernel/ids.js';

/** Every row of a platform, by table, as sorted texts. Tables without rows are left out. */
export async function dataOf(db: Db, platformId: PlatformId): Promise<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {};
  for (const { name } of (await findTables(db)).filter(isData)) {
    const rows = await db.many<{ row: string }>(
      new Sql(`select to_json(t)::text as row from ${name} t where platform_id = $1`, [uuidOf(platformId)]),
    );
    if (rows.length > 0) found[name] = rows.map(({ row }) => row).sort();
  }
  return found;
}
