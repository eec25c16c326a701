// Tables in the order of their foreign keys. Pure.
import { assert } from '../kernel/errors.js';

export type ReferringTable = {
  readonly name: string;
  /** Tables that its foreign keys name. */
  readonly references: readonly string[];
};

/** Each table after the ones it refers to, otherwise in the given order. In reverse, it is the order in which rows can be deleted. */
export function afterTheirReferences<Table extends ReferringTable>(tables: readonly Table[]): Table[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const ordered = new Set<Table>();
  const visit = (table: Table, path: readonly string[]): void => {
    if (ordered.has(table)) return;
    assert(!path.includes(table.name), `no circle of foreign keys: ${path.join(' → ')}`);
    for (const name of table.references) {
      const needed = byName.get(name);
      if (needed && needed !== table) visit(needed, [...path, table.name]);
    }
    ordered.add(table);
  };
  for (const table of tables) visit(table, []);
  return [...ordered];
}
