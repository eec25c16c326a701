// Telling the platform what changed.
import type { Tx } from '../../db/pool.js';
import { newId, type PlatformId } from '../../kernel/ids.js';
import { plusMs } from '../../kernel/time.js';
import type { NewEvent } from './event.js';
import { RETRY_FOR_MS } from './rules.js';
import { insertEvents } from './store.js';

/**
 * Writes events in the transaction of the change they tell of: committed together, or neither. The caller holds the row lock of
 * each object it names. A platform without an endpoint has its events all the same, to list and to replay.
 */
export async function enqueueEvents(tx: Tx, platformId: PlatformId, now: Date, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const named = events.map((event) => ({ ...event, id: newId('Webhook') }));
  await insertEvents(tx, platformId, named, { now, retryUntil: plusMs(now, RETRY_FOR_MS) });
}
