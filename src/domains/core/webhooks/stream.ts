// The event stream, as server-sent events. A client that reconnects sends the last event id it received and misses nothing.
// A stream ends when the credential that opened it is no longer valid.
import type { Readable } from 'node:stream';
import type { Db } from '../../../db/pool.js';
import { pollMessages, streamMessage, streamOf } from '../../../http/event-stream.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { AttemptReport, StoredEvent, StreamPosition } from './event.js';
import { positionWaiting } from './positions.js';
import { renderEnvelope } from './schemas.js';
import { listNewestAttempts } from './store.js';
import { listEventsAfter } from './store-log.js';

const PAGE = 200;

export type PositionedEvent = StoredEvent & { readonly position: StreamPosition };

/** Reads the events after a position, in order; each call those that came since. */
export function createEventReader(db: Db, platformId: PlatformId, from: StreamPosition) {
  let after = from;
  return async (): Promise<{ readonly events: readonly PositionedEvent[]; readonly isFull: boolean }> => {
    await positionWaiting(db, platformId);
    const events = await listEventsAfter(db, platformId, after, PAGE);
    after = events.at(-1)?.position ?? after;
    return { events, isFull: events.length === PAGE };
  };
}

/**
 * Reads the attempts of the newest events that have any; each call those that were made since. Readers that resume get all of them: an
 * attempt carries its number, so one that was seen is recognised.
 */
export function createAttemptReader(db: Db, platformId: PlatformId, { isResumed }: { readonly isResumed: boolean }) {
  let known: ReadonlySet<string> | undefined = isResumed ? new Set() : undefined;
  return async (): Promise<readonly AttemptReport[]> => {
    const newest = await listNewestAttempts(db, platformId, PAGE);
    const keyOf = ({ eventId, number }: AttemptReport) => `${eventId} ${number}`;
    const before = known ?? new Set(newest.map(keyOf));
    known = new Set(newest.map(keyOf));
    return newest.filter((attempt) => !before.has(keyOf(attempt))).reverse();
  };
}

export type StreamReader = {
  readonly platformId: PlatformId;
  readonly from: StreamPosition;
  readonly until: AbortSignal;
  /** Whether the reader may still read. */
  isAllowed(): Promise<boolean>;
};

export function streamEvents(db: Db, { platformId, from, until, isAllowed }: StreamReader, onClosed: () => void): Readable {
  const next = createEventReader(db, platformId, from);
  const read = async () => {
    const { events, isFull } = await next();
    return { messages: events.map((event) => streamMessage(event.id, event.type, renderEnvelope(event))), isFull };
  };
  return streamOf((signal) => pollMessages(read, isAllowed, signal), until, onClosed);
}
