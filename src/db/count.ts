// Counts the matches of a list, up to a limit: no list counts a million rows.
import type { Tx } from './pool.js';
import { type Sql, sql } from './sql.js';

const COUNT_LIMIT = 10_000;

/** Counts the rows of `from`: a table, its joins and conditions. Undefined if there are more than 10,000. */
export async function countMatches(tx: Pick<Tx, 'one'>, from: Sql): Promise<number | undefined> {
  const row = await tx.one<{ count: bigint }>(sql`select count(*) from (select from ${from} limit ${COUNT_LIMIT + 1}) matches`);
  const count = Number(row?.count ?? 0n);
  return count > COUNT_LIMIT ? undefined : count;
}
