// A cluster moves platforms between its nodes while they are in use. At its end a move waits for transactions that have written, and not for
// those that have only locked rows: their locks stay behind on the former node, and another transaction could change the same rows on the new
// one. So a transaction holds its platform where it is before its first lock or write.
import { type Sql, sql } from './sql.js';

type Client<Answer> = { query(text: string): Promise<Answer> };
type Runner<Answer> = { query(query: Sql): Promise<Answer>; control(text: string): Promise<Answer> };

/** Whether platforms of the database are on several nodes. */
export async function isDistributed(client: Client<{ rows: Record<string, unknown>[] }>): Promise<boolean> {
  const isTrue = async (question: string) => (await client.query(`select ${question} as answer`)).rows[0]?.['answer'] === true;
  if (!(await isTrue(`to_regclass('pg_catalog.pg_dist_partition') is not null`))) return false;
  return isTrue(`exists (select from pg_dist_partition where logicalrelid = to_regclass('platforms'))`);
}

const LOCKS_OR_WRITES = /\b(?:insert into|delete from|update \w+(?: \w+)? set)\b|\bfor (?:no key )?(?:update|(?:key )?share)\b/i;

/** Where a statement names its platform. */
const PLATFORM = [
  /\bplatform_id\s*=\s*\$(\d+)/i,
  /\bp\.id\s*=\s*\$(\d+)/i,
  /\bplatforms\b[\s\S]*?\bwhere\s+(?:\w+\.)?id\s*=\s*\$(\d+)/i,
  /\binsert into (?!platform_keys)\w+(?: as \w+)?\s*\(platform_id\b[\s\S]*?\)\s*values\s*\(\$(\d+)/i,
];

/** By text: the statements are templates, so there are few. */
const places = new Map<string, number | undefined>();

/** The number of the parameter that is the platform; undefined if the statement only reads, or belongs to no platform. */
function placeIn(text: string): number | undefined {
  if (!places.has(text)) {
    const found = LOCKS_OR_WRITES.test(text) ? PLATFORM.map((pattern) => pattern.exec(text)?.[1]).find(Boolean) : undefined;
    places.set(text, found === undefined ? undefined : Number(found));
  }
  return places.get(text);
}

/** The platform that a statement locks rows of or writes to. */
export function changedPlatform({ text, values }: Sql): string | undefined {
  const place = placeIn(text);
  const value = place === undefined ? undefined : values[place - 1];
  return typeof value === 'string' ? value : undefined;
}

/** A share lock, as every write takes on its table. The part of `platforms` is the first one that a move locks. */
const hold = (platform: string): Sql =>
  sql`select lock_shard_metadata(5, array[get_shard_id_for_distribution_column('platforms', ${platform}::uuid)])`;

/** `unattended`: takes a statement that nobody waits for. */
export function holdingPlatforms<Answer>(runner: Runner<Answer>, unattended: (answer: Promise<Answer>) => void): Runner<Answer> {
  const held = new Set<string>();
  return {
    query(query) {
      const platform = changedPlatform(query);
      if (platform !== undefined && !held.has(platform)) {
        held.add(platform);
        unattended(runner.query(hold(platform)));
      }
      return runner.query(query);
    },
    control(text) {
      // What was held since the savepoint is released.
      if (text.startsWith('rollback to')) held.clear();
      return runner.control(text);
    },
  };
}
