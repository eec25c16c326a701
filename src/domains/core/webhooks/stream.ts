// Events as they happen, over server-sent events. A reader that comes back names the last id it saw and misses nothing.
// A stream does not outlive the credential it was opened with.
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { StoredEvent } from './event.js';
import { renderEnvelope } from './schemas.js';
import { listEventsAfter, type StreamPosition } from './store.js';

const POLL_MS = 250;
const KEEP_ALIVE_MS = 15_000;
const CHECK_MS = 1_000;
const PER_PLATFORM = 32;
const PER_PROCESS = 256;
const PAGE = 200;

const renderMessage = (event: StoredEvent): string => `id: ${event.id}\nevent: ${event.type}\ndata: ${renderEnvelope(event)}\n\n`;

/**
 * Counts the streams of this process, each of which asks the database all the time. A platform has a share of them, so that no
 * one of them takes all; `take` answers how to give the place back.
 */
export function streamPlaces({ perPlatform = PER_PLATFORM, perProcess = PER_PROCESS } = {}): { take(platformId: PlatformId): () => void } {
  const taken: PlatformId[] = [];
  return {
    take(platformId) {
      const headers = { 'retry-after': '1' };
      if (taken.filter((one) => one === platformId).length >= perPlatform) throw new ApiError('RATE_LIMITED', undefined, { headers });
      if (taken.length >= perProcess) throw new ApiError('SERVICE_UNAVAILABLE', undefined, { headers });
      taken.push(platformId);
      return () => void taken.splice(taken.indexOf(platformId), 1);
    },
  };
}

export type Listener = {
  readonly platformId: PlatformId;
  readonly from: StreamPosition;
  readonly until: AbortSignal;
  /** Whether the reader may still read. */
  isAllowed(): Promise<boolean>;
};

/** Ends when `until` does, and when the reader is no longer allowed. Between events a comment keeps proxies from closing the line. */
async function* tellEvents(db: Db, { platformId, from, until, isAllowed }: Listener): AsyncGenerator<string> {
  let after = from;
  let spokeAt = performance.now();
  let checkedAt = spokeAt;
  yield ': connected\n\n';
  while (!until.aborted) {
    if (performance.now() - checkedAt >= CHECK_MS) {
      checkedAt = performance.now();
      if (!(await isAllowed())) return;
    }
    const events = await listEventsAfter(db, platformId, after, PAGE);
    for (const { position, ...event } of events) {
      yield renderMessage(event);
      after = position;
    }
    if (events.length > 0) spokeAt = performance.now();
    else if (performance.now() - spokeAt > KEEP_ALIVE_MS) {
      yield ': still here\n\n';
      spokeAt = performance.now();
    }
    // An abort ends the pause; the loop sees it.
    if (events.length < PAGE) await pause(POLL_MS, undefined, { signal: until }).catch(() => {});
  }
}

/** The events as they go over the wire. A reader that leaves is noticed at once, not when there is something more to tell. */
export function streamEvents(db: Db, listener: Listener, onClosed: () => void): Readable {
  const left = new AbortController();
  const events = tellEvents(db, { ...listener, until: AbortSignal.any([listener.until, left.signal]) });
  const stream = new Readable({
    read: () =>
      void events.next().then(
        ({ done, value }) => stream.push(done ? null : value),
        (error: Error) => stream.destroy(error),
      ),
    destroy(error, done) {
      left.abort();
      onClosed();
      done(error);
    },
  });
  return stream;
}
