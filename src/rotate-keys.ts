// `npm run rotate-keys`: brings every sealed value under the first key of KEY_ENCRYPTION_KEY, while the service runs.
// 1. Put the new key first and restart: KEY_ENCRYPTION_KEY=new,old  2. run this  3. drop the old key and restart.
import type { Db } from './db/pool.js';
import { type Custody, rewrapColumn } from './db/sealed.js';
import { sql } from './db/sql.js';
import { SEALED_COLUMNS } from './sealed-columns.js';
import { runTool, ToolError, withDatabase } from './tool.js';

export type Rewrapped = { readonly table: string; readonly column: string; readonly count: number };

/** Repeats until a pass finds nothing: a process that runs with the old key order may seal under the old key at the same time. */
export async function rotateKeys(db: Db, custody: Custody): Promise<Rewrapped[]> {
  const totals = SEALED_COLUMNS.map((sealed) => ({ table: sealed.table, column: sealed.column, sealed, count: 0 }));
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    let found = 0;
    for (const total of totals) {
      const count = await rewrapColumn(db, custody, total.sealed);
      total.count += count;
      found += count;
    }
    if (found === 0) return totals;
  }
  throw new ToolError('values keep appearing under an older key: restart every process with the new key first, then run this again');
}

const MAX_PASSES = 10;

/** A snapshot keeps its rows as they were, with what is sealed in them. */
async function countSnapshots(db: Pick<Db, 'one'>): Promise<number> {
  const row = await db.one<{ count: bigint }>(sql`select count(*) from sandbox_snapshots`);
  return Number(row?.count ?? 0n);
}

function adviceFor(snapshots: number): string {
  if (snapshots === 0) return ' The others may be dropped from KEY_ENCRYPTION_KEY.';
  const which = snapshots === 1 ? '1 snapshot of a sandbox platform' : `${snapshots} snapshots of sandbox platforms`;
  return `\n${which} may need an older key: take again or export those that are still needed before you drop the others from KEY_ENCRYPTION_KEY.`;
}

if (process.argv[1]?.endsWith('rotate-keys.js')) {
  runTool(async () => {
    const [extra] = process.argv.slice(2);
    // Neither --help nor a mistyped setting may rewrite what is sealed.
    if (extra !== undefined) throw new ToolError(`not expected: ${extra}\nusage: npm run rotate-keys`);
    await withDatabase(async ({ db, custody }) => {
      const done = await rotateKeys(db, custody);
      for (const { table, column, count } of done) process.stdout.write(`${String(count).padStart(8)}  ${table}.${column}\n`);
      process.stdout.write(`Every sealed value is under the first key.${adviceFor(await countSnapshots(db))}\n`);
    });
  });
}
