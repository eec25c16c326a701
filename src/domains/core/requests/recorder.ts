// Collects requests in memory and writes them in batches, beside the transactions of the requests. It never delays or fails a request:
// what it cannot write it drops and counts.
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import type { Db } from '../../../db/pool.js';
import type { ObserveExchange } from '../../../http/exchange.js';
import { messageForLog } from '../../../kernel/errors.js';
import { newUuid, type PlatformId } from '../../../kernel/ids.js';
import { createAllowance } from './allowance.js';
import { isLogged, type LogOptions, loggedRequest } from './capture.js';
import type { LoggedRequest } from './request.js';
import { insertRequests } from './store.js';

const WRITE_EVERY_MS = 200;
/** Rows of one statement. */
const BATCH = 200;
/** What may wait for the database, in characters of bodies. */
const MAX_WAITING = 8 * 1024 * 1024;
/** What a row counts beside its bodies. */
const ROW_SIZE = 512;

export type Recorder = {
  readonly observe: ObserveExchange;
  /** Writes what has been collected so far. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

type RecorderDeps = LogOptions & { readonly db: Db; readonly log: Pick<Logger, 'warn'>; readonly registry: Registry };

export function createRecorder({ db, log, registry, keepsBodies }: RecorderDeps): Recorder {
  const dropped = new Counter({
    name: 'switchyard_request_log_dropped_total',
    help: 'Requests that the request log did not record, by reason: the allowance of the platform, memory, or a failed write',
    labelNames: ['reason'],
    registers: [registry],
  });
  const allowance = createAllowance();
  const unrecorded = new Map<PlatformId, number>();
  let waiting: LoggedRequest[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const drop = (platformId: PlatformId, reason: string, count = 1): void => {
    dropped.inc({ reason }, count);
    unrecorded.set(platformId, (unrecorded.get(platformId) ?? 0) + count);
  };

  const write = async (rows: readonly LoggedRequest[]): Promise<void> => {
    const byPlatform = new Map<PlatformId, LoggedRequest[]>();
    for (const row of rows) {
      const known = byPlatform.get(row.platformId);
      if (known) known.push(row);
      else byPlatform.set(row.platformId, [row]);
    }
    for (const [platformId, all] of byPlatform) {
      for (let at = 0; at < all.length; at += BATCH) {
        const batch = all.slice(at, at + BATCH);
        await db
          .transaction(async (tx) => insertRequests(tx, platformId, batch))
          .catch((error: Error) => {
            drop(platformId, 'write', batch.length);
            log.warn({ platformId, count: batch.length, errorMessage: messageForLog(error) }, 'requests could not be recorded');
          });
      }
    }
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const rows = waiting;
    waiting = [];
    size = 0;
    // One write after the other: the log never takes a second connection.
    if (rows.length > 0) writing = writing.then(() => write(rows));
    return writing;
  };

  return {
    observe(exchange) {
      if (!isLogged(exchange)) return;
      const { platformId } = exchange.caller;
      if (!allowance.take(platformId, exchange.status >= 400 ? 'refused' : 'answered', performance.now()))
        return drop(platformId, 'allowance');
      if (size > MAX_WAITING) return drop(platformId, 'memory');
      const unrecordedBefore = unrecorded.get(platformId) ?? 0;
      unrecorded.delete(platformId);
      const row = loggedRequest(exchange, { keepsBodies, position: newUuid(), unrecordedBefore });
      waiting.push(row);
      size += ROW_SIZE + (row.requestBody?.text.length ?? 0) + (row.responseBody?.text.length ?? 0);
      timer ??= setTimeout(() => void flush(), WRITE_EVERY_MS).unref();
    },
    flush,
    stop: flush,
  };
}
