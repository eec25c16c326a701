// Writes the outcomes of attempts, many in one transaction.
import type { Db } from '../../../db/pool.js';
import { batched } from '../../../kernel/batch.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { decideOutcomes, type FinishedAttempt, LONGEST_DELAY_MS } from './rules.js';
import { insertStop, lockEndpoint, saveOutcomes, tuneForQueue } from './store-deliveries.js';

/** Resolves when the outcome is written. */
export type Recorder = (attempt: FinishedAttempt) => Promise<undefined>;

/** The worker does not wait for a write, so its writes are spaced out and large. A caller and an advance of the clock wait. */
export type Recorders = { readonly spaced: Recorder; readonly immediate: Recorder };

/** Many outcomes in one transaction cost little more than a few. */
const WRITE_EVERY_MS = 25;

export function createRecorders(db: Db, platformId: PlatformId, onError: (error: unknown) => void): Recorders {
  const write = async (attempts: readonly FinishedAttempt[]): Promise<undefined[]> => {
    // An outcome that cannot be written is lost. Its lease ends and the event is sent again.
    await writeOutcomes(db, platformId, attempts).catch(onError);
    return attempts.map(() => undefined);
  };
  return { spaced: batched(write, { everyMs: WRITE_EVERY_MS }), immediate: batched(write) };
}

const writeOutcomes = (db: Db, platformId: PlatformId, attempts: readonly FinishedAttempt[]): Promise<void> =>
  db.transaction(async (tx) => {
    const endpoint = attempts.some(({ gone }) => gone) ? await lockEndpoint(tx, platformId) : null;

    const { stop, outcomes } = decideOutcomes(attempts, endpoint);

    if (stop) insertStop(tx, platformId, stop.url, stop.at);
    tuneForQueue(tx, { joins: 'HASHED' });
    saveOutcomes(tx, platformId, outcomes, LONGEST_DELAY_MS);
  });
