// The event stream, as server-sent events. A client that reconnects sends the last event id it received and misses nothing.
// A stream ends when the credential that opened it is no longer valid.
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../../../db/pool.js';
import { streamOf } from '../../../http/event-stream.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { StoredEvent } from './event.js';
import { positionWaiting } from './positions.js';
import { renderEnvelope } from './schemas.js';
import { listEventsAfter, type StreamPosition } from './store-log.js';

const POLL_MS = 250;
const KEEP_ALIVE_MS = 15_000;
const CHECK_MS = 1_000;
const PAGE = 200;

const renderMessage = (event: StoredEvent): string => `id: ${event.id}\nevent: ${event.type}\ndata: ${renderEnvelope(event)}\n\n`;

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

export const streamEvents = (db: Db, reader: StreamReader, onClosed: () => void): Readable =>
  streamOf((until) => pollEvents(db, { ...reader, until }), reader.until, onClosed);
