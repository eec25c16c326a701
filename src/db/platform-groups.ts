// Questions over all platforms. One server is asked once. A database that is distributed by platform is asked for one group of platforms after
// the other: each group is on one node, so the same statement runs there, and a node that is down stops its own platforms only.
import type { Db } from './pool.js';
import { Sql, sql } from './sql.js';

/** Stands in every sub-select of a statement: the condition that a platform belongs to the group. */
export type PlatformGroup = (platformId: Sql) => Sql;

export const everyPlatform: PlatformGroup = () => sql`true`;

export type PlatformGroups = {
  /** Asks for each group. The answer of a group that fails is left out and reported; it is thrown if all fail. */
  ask<Answer>(question: (group: PlatformGroup) => Promise<Answer>): Promise<Answer[]>;
};

/** A platform that is new to this process has work soon after. */
const READ_EVERY_MS = 1_000;

const groupOf = (ids: readonly string[] | null): PlatformGroup =>
  ids === null ? everyPlatform : (platformId) => sql`${platformId} = any(${ids}::uuid[])`;

export function createPlatformGroups(db: Pick<Db, 'many'>, onFailure: (error: Error) => void = () => {}): PlatformGroups {
  let groups: readonly PlatformGroup[] = [];
  let readAt = Number.NEGATIVE_INFINITY;

  const read = async (): Promise<void> => {
    if (performance.now() - readAt < READ_EVERY_MS) return;
    readAt = performance.now();
    try {
      const rows = await db.many<{ ids: string[] | null }>(sql`select g.ids from platform_groups() g (ids)`);
      groups = rows.map(({ ids }) => groupOf(ids));
    } catch (error) {
      // With a node down the platforms are not known anew. Those that are known go on.
      if (groups.length === 0) {
        readAt = Number.NEGATIVE_INFINITY;
        throw error;
      }
      onFailure(error as Error);
    }
  };

  return {
    async ask(question) {
      await read();
      const failures: Error[] = [];
      const answers: Awaited<ReturnType<typeof question>>[] = [];
      for (const group of groups) {
        try {
          answers.push(await question(group));
        } catch (error) {
          failures.push(error as Error);
        }
      }
      if (failures[0] && failures.length === groups.length) throw failures[0];
      for (const failure of failures) onFailure(failure);
      return answers;
    },
  };
}

/** A list that several conditions of a statement name travels once. */
export function sharingLists({ text, values }: Sql): Sql {
  const kept: unknown[] = [];
  const numbers = values.map((value) => {
    const known = Array.isArray(value) ? kept.indexOf(value) : -1;
    return known >= 0 ? known + 1 : kept.push(value);
  });
  return new Sql(
    text.replace(/\$(\d+)/g, (_, n: string) => `$${numbers[Number(n) - 1]}`),
    kept,
  );
}
