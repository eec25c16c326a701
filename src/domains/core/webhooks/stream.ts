// The event stream, as server-sent events. A client that reconnects sends the last event id it received and misses nothing.
// A stream ends when the credential that opened it is no longer valid.
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { StoredEvent } from './event.js';
import { positionWaiting } from './positions.js';
import { renderEnvelope } from './schemas.js';
import { listEventsAfter, type StreamPosition } from './store-log.js';

const POLL_MS = 250;
const KEEP_ALIVE_MS = 15_000;
const CHECK_MS = 1_000;
const PER_PLATFORM = 32;
const PER_PROCESS = 256;
const PAGE = 200;

const renderMessage = (event: StoredEvent): string => `id: ${event.id}\nevent: ${event.type}\ndata: ${renderEnvelope(event)}\n\n`;

/**
 * Limits the open streams, because each of them polls the database. The limit per platform keeps one platform from using them all.
 * `open` returns the function to call when the stream closes.
 */
export function createStreamLimiter({ perPlatform = PER_PLATFORM, perProcess = PER_PROCESS } = {}): {
  open(platformId: PlatformId): () => void;
} {
  const open: PlatformId[] = [];
  return {
    open(platformId) {
      const headers = { 'retry-after': '1' };
      if (open.filter((one) => one === platformId).length >= perPlatform) throw new ApiError('RATE_LIMITED', undefined, { headers });
      if (open.length >= perProcess) throw new ApiError('SERVICE_UNAVAILABLE', undefined, { headers });
      open.push(platformId);
      return () => void open.splice(open.indexOf(platformId), 1);
    },
  };
}

export type StreamReader = {
  readonly platformId: PlatformId;
  readonly from: StreamPosition;
  readonly until: AbortSignal;
  /** Whether the reader may still read. */
  isAllowed(): Promise<boolean>;
};

/** Ends when `until` is aborted and when the reader is no longer allowed. A comment between events keeps proxies from closing the connection. */
async function* pollEvents(db: Db, { platformId, from, until, isAllowed }: StreamReader): AsyncGenerator<string> {
  let after = from;
  let sentAt = performance.now();
  let checkedAt = sentAt;
  yield ': connected\n\n';
  while (!until.aborted) {
    if (performance.now() - checkedAt >= CHECK_MS) {
      checkedAt = performance.now();
      if (!(await isAllowed())) return;
    }
    await positionWaiting(db, platformId);
    const events = await listEventsAfter(db, platformId, after, PAGE);
    for (const { position, ...event } of events) {
      yield renderMessage(event);
      after = position;
    }
    if (events.length > 0) sentAt = performance.now();
    else if (performance.now() - sentAt > KEEP_ALIVE_MS) {
      yield ': still here\n\n';
      sentAt = performance.now();
    }
    // An abort ends the pause, and then the loop.
    if (events.length < PAGE) await pause(POLL_MS, undefined, { signal: until }).catch(() => {});
  }
}

/** A reader that disconnects ends the polling at once, not at the next event. */
export function streamEvents(db: Db, reader: StreamReader, onClosed: () => void): Readable {
  const disconnected = new AbortController();
  const events = pollEvents(db, { ...reader, until: AbortSignal.any([reader.until, disconnected.signal]) });
  const stream = new Readable({
    read: () =>
      void events.next().then(
        ({ done, value }) => stream.push(done ? null : value),
        (error: Error) => stream.destroy(error),
      ),
    destroy(error, done) {
      disconnected.abort();
      onClosed();
      done(error);
    },
  });
  return stream;
}
