// Questions over all platforms. One server is asked once. A database that is distributed by platform is asked for one group of platforms after
// the other: each group is on one node, so the same statement runs there. The nodes are asked beside each other, so a node that is down or
// silent stops its own platforms only.
import type { Db } from './pool.js';
import { Sql, sql } from './sql.js';
import { isTimeout, isUnavailable } from './unavailable.js';

/** Stands in every sub-select of a statement: the condition that a platform belongs to the group. */
export type PlatformGroup = (platformId: Sql) => Sql;

export const everyPlatform: PlatformGroup = () => sql`true`;

export type PlatformGroups = {
  /**
   * Asks for each group. The answers of groups that fail are left out and reported; the failure is thrown if there is no answer. The answers
   * of a node that takes too long are among those of the next question of that name; the node is not asked again before.
   */
  ask<Answer>(name: string, question: (group: PlatformGroup) => Promise<Answer>): Promise<Answer[]>;
};

export type PlatformGroupsOptions = {
  readonly onFailure?: (error: Error) => void;
  /** How long one node is waited for, while others have answered. */
  readonly patienceMs?: number;
};

/** A platform that is new to this process has work soon after. */
const READ_EVERY_MS = 1_000;
const PATIENCE_MS = 1_000;

type Nodes = ReadonlyMap<string | null, readonly PlatformGroup[]>;
type Row = { readonly node: string | null; readonly ids: string[] | null };

const groupOf = (ids: readonly string[] | null): PlatformGroup =>
  ids === null ? everyPlatform : (platformId) => sql`${platformId} = any(${ids}::uuid[])`;

function byNode(rows: readonly Row[]): Nodes {
  const nodes = new Map<string | null, PlatformGroup[]>();
  for (const { node, ids } of rows) nodes.set(node, [...(nodes.get(node) ?? []), groupOf(ids)]);
  return nodes;
}

/** What a node was asked by one question, and what it has answered since the last look. */
class Lane {
  private isAsked = false;
  private answers: unknown[] = [];
  private failures: Error[] = [];

  /** Asks for the groups one after the other. A node whose last answers are outstanding, or were not taken yet, is not asked again. */
  async ask(groups: readonly PlatformGroup[], question: (group: PlatformGroup) => Promise<unknown>): Promise<void> {
    if (this.isAsked || this.answers.length > 0) return;
    this.isAsked = true;
    for (const group of groups) {
      try {
        const answer = await question(group);
        this.answers.push(answer);
      } catch (error) {
        this.failures.push(error as Error);
        // A node that is down refuses the other groups as well.
        if (isUnavailable(error) && !isTimeout(error)) break;
      }
    }
    this.isAsked = false;
  }

  take(): { answers: unknown[]; failures: Error[] } {
    const { answers, failures } = this;
    this.answers = [];
    this.failures = [];
    return { answers, failures };
  }
}

/** Waits until all have settled, but no longer than this. */
async function settledWithin(ms: number, work: readonly Promise<unknown>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([Promise.allSettled(work), late]);
  clearTimeout(timer);
}

export function createPlatformGroups(
  db: Pick<Db, 'many'>,
  { onFailure = () => {}, patienceMs = PATIENCE_MS }: PlatformGroupsOptions = {},
): PlatformGroups {
  let nodes: Nodes = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const lanes = new Map<string, Lane>();

  const laneOf = (name: string, node: string | null): Lane => {
    const key = `${name} ${node}`;
    const lane = lanes.get(key) ?? new Lane();
    lanes.set(key, lane);
    return lane;
  };

  const readFrom = async (fromKeys: boolean): Promise<void> => {
    nodes = byNode(await db.many<Row>(sql`select g.node, g.ids from platform_groups(${fromKeys}) g`));
  };

  /** With a node down the platforms are not known anew. Those that are known go on; a process that knows none learns them from their keys. */
  const read = async (): Promise<void> => {
    readAt = performance.now();
    try {
      await readFrom(false);
    } catch (error) {
      if (nodes.size > 0) return onFailure(error as Error);
      readAt = Number.NEGATIVE_INFINITY;
      await readFrom(true);
      onFailure(error as Error);
    }
  };

  /** A slow answer is waited for once. Meanwhile the platforms that are known go on. */
  const refresh = async (): Promise<void> => {
    if (nodes.size > 0 && (reading || performance.now() - readAt < READ_EVERY_MS)) return;
    reading ??= read().finally(() => {
      reading = undefined;
    });
    await (nodes.size === 0 ? reading : settledWithin(patienceMs, [reading]));
  };

  return {
    async ask(name, question) {
      await refresh();
      const asked = [...nodes].map(([node, groups]) => ({ lane: laneOf(name, node), groups }));
      const answering = asked.map(({ lane, groups }) => lane.ask(groups, question));
      // A single server is waited for: there is no other to go on with.
      await (nodes.size > 1 ? settledWithin(patienceMs, answering) : Promise.all(answering));
      const told = asked.map(({ lane }) => lane.take());
      const answers = told.flatMap((each) => each.answers);
      const failures = told.flatMap((each) => each.failures);
      if (failures[0] && answers.length === 0) throw failures[0];
      for (const failure of failures) onFailure(failure);
      return answers as Awaited<ReturnType<typeof question>>[];
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
