// Locks on things that have no row of their own. A lock is a row, held until the transaction ends, so it works on one server and on a
// database that is distributed by platform.
import { createHash } from 'node:crypto';
import { type PlatformId, uuidOf } from '../kernel/ids.js';
import type { Db, Tx } from './pool.js';
import { type Sql, sql } from './sql.js';
import { unavailable } from './unavailable.js';

const SLOTS = 1_000;
/** What is held during other transactions of the same work has a slot of its own: one of them could wait for it for ever. */
const CLOCK_SLOT = 0;
const FIXTURES_SLOT = SLOTS + 1;

/** Names share a bounded number of rows: two names of one slot wait for each other, which is harmless and rare. */
const slotOf = (name: string): number => 1 + (createHash('sha256').update(name).digest().readUInt32BE(0) % SLOTS);

/** To be sent in this order: of two first users of a slot, the second waits at the insert, later ones at the select. */
const locking = (platformId: PlatformId, slot: number): readonly [Sql, Sql] => [
  sql`insert into named_locks (platform_id, slot) values (${uuidOf(platformId)}, ${slot}) on conflict do nothing`,
  sql`select from named_locks where platform_id = ${uuidOf(platformId)} and slot = ${slot} for update`,
];

/** The transaction alone works on what has this name until it ends. */
export function lockName(tx: Pick<Tx, 'send'>, platformId: PlatformId, name: string): void {
  for (const statement of locking(platformId, slotOf(name))) tx.send(statement);
}

/**
 * Work of many transactions. A transaction on a connection of its own holds the lock until the work ends, so that the work may use every
 * connection of the pool.
 */
async function holding<Result>(db: Db, statements: readonly Sql[], work: () => Promise<Result>): Promise<Result> {
  const session = await db.connect().catch(unavailable);
  try {
    await session.query('begin').catch(unavailable);
    for (const { text, values } of statements) await session.query(text, [...values]).catch(unavailable);
    const result = await work();
    await session.query('commit').catch(unavailable);
    return result;
  } finally {
    await session.end();
  }
}

/** Keeps other processes from moving the clock of the platform during the work. */
export const withClockLock = <Result>(db: Db, platformId: PlatformId, work: () => Promise<Result>): Promise<Result> =>
  holding(db, locking(platformId, CLOCK_SLOT), work);

/** Keeps other fixtures of the platform waiting while one is applied. */
export const withFixturesLock = <Result>(db: Db, platformId: PlatformId, work: () => Promise<Result>): Promise<Result> =>
  holding(db, locking(platformId, FIXTURES_SLOT), work);
