// Columns whose values are sealed under the key-encryption key, and how they are brought under a new one while the service runs.
import type { Db } from './pool.js';
import { Sql } from './sql.js';

type Row = Readonly<Record<string, unknown>>;

export type SealedColumn = {
  readonly table: string;
  readonly column: string;
  /** The primary key. */
  readonly keys: readonly string[];
  /** Further columns the context is made from. */
  readonly reads?: readonly string[];
  /** Which rows are sealed at all, where not every value is. */
  readonly only?: string;
  /** What a value is bound to: it opens nowhere else. */
  readonly context: (row: Row) => string;
};

export type Custody = {
  seal(plaintext: Buffer, context: string): Buffer;
  open(sealed: Buffer, context: string): Buffer;
  needsRewrap(sealed: Buffer): boolean;
};

const PAGE = 500;

/** Opens what an older key sealed and seals it under the first; answers how many values it changed. Safe beside writers. */
export async function rewrapColumn(db: Pick<Db, 'many' | 'run'>, custody: Custody, sealed: SealedColumn): Promise<number> {
  const { table, column, keys, reads = [], only = 'true', context } = sealed;
  const order = keys.join(', ');
  let after: readonly unknown[] | undefined;
  let changed = 0;
  for (;;) {
    const from = after ? ` and (${order}) > (${keys.map((_, i) => `$${i + 1}`).join(', ')})` : '';
    const text = `select ${[...keys, ...reads, column].join(', ')} from ${table} where ${column} is not null and ${only}${from} order by ${order} limit ${PAGE}`;
    const rows = await db.many<Row>(new Sql(text, after ?? []));
    for (const row of rows) {
      const old = row[column] as Buffer;
      if (!custody.needsRewrap(old)) continue;
      const bound = context(row);
      const where = keys.map((key, i) => `${key} = $${i + 3}`).join(' and ');
      // Only the value that was read is replaced: what a writer changed in the meantime is already under the first key.
      const update = `update ${table} set ${column} = $1 where ${column} = $2 and ${where}`;
      changed += await db.run(new Sql(update, [custody.seal(custody.open(old, bound), bound), old, ...keys.map((key) => row[key])]));
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return changed;
    after = keys.map((key) => last[key]);
  }
}
