// The primary database is killed under load and its synchronous standby is promoted, while two processes of the service go on.
// Nothing acknowledged is lost, nothing happens twice, and callers see 503 with Retry-After for as long as there is no primary.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openDb } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import { describeError } from '../../src/kernel/errors.js';
import type { CrashOptions } from './crash.js';
import type { Findings } from './crash-verify.js';
import { Load } from './load.js';
import { randomOf } from './random.js';
import { missingForReplicas, Replicas } from './replicas.js';
import { type Outcome, progressOf } from './report.js';
import { Services } from './services.js';

const RECOVERY_TIMEOUT_MS = 30_000;
const PART = 'failover';

export async function failover({
  seed,
  kills,
  workers = 6,
  until = Number.POSITIVE_INFINITY,
  onProgress = () => {},
}: CrashOptions): Promise<Outcome[]> {
  const missing = missingForReplicas();
  if (missing !== undefined) return [{ goal: `${PART}: nothing acknowledged is lost`, trials: 0, failures: [], skipped: missing }];
  const random = randomOf(`${seed}/failover`);
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-failover-'));
  const replicas = await Replicas.start();
  const services = await Services.start({ databaseUrl: replicas.url, directory, roles: ['all', 'api'] });
  const load = await Load.open(random, services, join(directory, 'acknowledged.log'), 0);
  const outages: number[] = [];
  const stuck: string[] = [];
  const found: Findings[] = [];

  const outcomes = (unreplicated: readonly string[]): Outcome[] => {
    const { unavailable, answers, unanswered } = load.counts;
    const note = `PostgreSQL ${replicas.version}, ${outages.length} promotions, outage ${spread(outages)} s, ${load.intents.length} requests, ${answers} answers, ${unavailable} × 503, seed ${seed}`;
    return [
      { goal: `${PART}: both processes go on after the promotion, without a restart`, trials: outages.length, failures: stuck },
      ...load.outcomes(PART, found, note),
      {
        goal: `${PART}: every request is answered while there is no primary`,
        trials: answers,
        failures: unanswered > 0 ? [`${unanswered} requests had no answer`] : [],
      },
      { goal: `${PART}: a commit that did not reach the standby is not acknowledged`, trials: 2, failures: unreplicated },
    ];
  };

  /** From the kill until every process acknowledges writes again. */
  const recovered = async (killedAt: number): Promise<void> => {
    const before = load.acknowledged;
    for (;;) {
      if (load.acknowledged > before && (await services.areReady())) break;
      if (!services.areRunning) stuck.push(`a process ended (seed ${seed})`);
      if (Date.now() - killedAt > RECOVERY_TIMEOUT_MS) stuck.push(`not ready ${RECOVERY_TIMEOUT_MS} ms after the kill (seed ${seed})`);
      if (stuck.length > 0) break;
      await sleep(10);
    }
    outages.push((Date.now() - killedAt) / 1000);
  };

  try {
    await load.start(workers);
    try {
      for (let i = 0; i < kills && Date.now() < until && stuck.length === 0; i += 1) {
        await load.run(random.int(300, 1_200));
        const killedAt = Date.now();
        replicas.killPrimary();
        // Whoever watches the primary takes some time to notice.
        await sleep(random.int(200, 2_500));
        await replicas.promote();
        await recovered(killedAt);
        load.paused = true;
        found.push(await load.verify());
        load.paused = false;
        // The next standby is made while the load goes on.
        await replicas.joinStandby();
        onProgress(
          progressOf(
            `${i + 1} promotions`,
            outcomes([]).flatMap(({ failures }) => failures),
          ),
        );
      }
    } finally {
      await load.stop();
    }
    await load.settle();
    found.push(await load.verify(true));
    await services.stop();
    return outcomes(await commitsWithoutStandby(replicas));
  } finally {
    await load.close();
    await services.stop();
    await replicas.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The server waits for its standby without end, and reports success once an administrator ends the wait. Neither is acknowledged. */
async function commitsWithoutStandby(replicas: Replicas): Promise<string[]> {
  const impatient = openDb({ url: replicas.url, poolSize: 1, statementTimeoutMs: 1_000 });
  const patient = openDb({ url: replicas.url, poolSize: 1, statementTimeoutMs: RECOVERY_TIMEOUT_MS });
  const commit = (db: Db) =>
    db
      .transaction((tx) => tx.run(sql`insert into failover_probe values (1)`))
      .then(
        () => 'acknowledged',
        (error: unknown) => String(describeError(error).code),
      );
  try {
    await patient.run(sql`create table failover_probe (id integer)`);
    await commit(patient);
    replicas.killStandby();
    const late = await commit(impatient);
    const waiting = commit(patient);
    for (let isOver = false; !isOver; await Promise.race([waiting.then(() => (isOver = true)), sleep(20)]))
      await impatient.many(sql`
        select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep' and datname = current_database()`);
    return [late, await waiting]
      .filter((outcome) => outcome !== 'SERVICE_UNAVAILABLE')
      .map((outcome) => `a commit without a standby was answered with ${outcome}`);
  } finally {
    await impatient.close();
    await patient.close();
  }
}

const spread = (values: readonly number[]): string =>
  values.length === 0 ? 'none' : `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)}`;
