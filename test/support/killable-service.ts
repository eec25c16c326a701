// The service as a process that is killed without warning and started again on the same database.
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnService, stopChild, whenReady } from '../../bench/service.js';
import { type Db, openDb } from '../../src/db/pool.js';
import { type Client, clientOf } from './client.js';
import type { Contract } from './contract.js';
import { createDatabase } from './database.js';
import { anyPlatform, assertLedgerHolds } from './ledger.js';
import { temporaryDirectory } from './temporary.js';

export type KillableService = {
  /** A client of the process that runs now, and its port. */
  platform(): Client;
  port(): number;
  readonly db: Db;
  /** Kills the process at a random time within `withinMs`, waits for the ends of the requests, answered or not, and starts another process. */
  killDuring(requests: readonly Promise<unknown>[], withinMs: number): Promise<void>;
};

const unchecked: Contract = { check: () => {} } as unknown as Contract;

/** Does the work with a service of its own. At the end its ledger must hold. */
export async function onKillableService(
  t: TestContext,
  work: (service: KillableService) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const database = await createDatabase();
  const [id, secret] = [`t${randomBytes(6).toString('hex')}`, randomBytes(18).toString('base64url')];
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: temporaryDirectory(t),
    BOOTSTRAP_TOKEN: `${id}:${secret}`,
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_MINUTE: 'off',
    LOG_LEVEL: 'fatal',
    ...settings,
  };
  const start = async () => {
    const child = spawnService(env);
    const url = await whenReady(child);
    return { child, port: Number(new URL(url).port), platform: clientOf(url, unchecked, id, secret) };
  };
  let running = await start();
  const db = openDb({ url: database.url, poolSize: 2 });
  try {
    await work({
      platform: () => running.platform,
      port: () => running.port,
      db,
      async killDuring(requests, withinMs) {
        const ends = Promise.allSettled(requests);
        await sleep(randomInt(0, withinMs));
        const ended = once(running.child, 'exit');
        running.child.kill('SIGKILL');
        await ended;
        await ends;
        running = await start();
      },
    });
    await assertLedgerHolds(db, await anyPlatform(db));
  } finally {
    await db.close();
    await stopChild(running.child);
    await database.drop();
  }
}
