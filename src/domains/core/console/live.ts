// What happens on a platform, as one stream for each tab of the console: events, attempts to deliver them, requests, and the clock. A
// browser keeps few connections to one host, so a page with several lists must not open a stream for each.
import type { Readable } from 'node:stream';
import type { Db } from '../../../db/pool.js';
import { createStreamLimiter, pollMessages, streamMessage, streamOf, type Turn } from '../../../http/event-stream.js';
import { newUuid, type PlatformId } from '../../../kernel/ids.js';
import { type Clock, readClock } from '../platform/actions.js';
import { createRequestReader } from '../requests/actions.js';
import { renderSummary } from '../requests/schemas.js';
import { createAttemptReader, createEventReader, getStreamStart } from '../webhooks/actions.js';
import { isClockNews, type LivePosition, parsePosition, renderPosition } from './rules.js';

export type LiveReader = {
  readonly platformId: PlatformId;
  /** The id of the last message that the tab received. */
  readonly last: string | undefined;
  /** Whether the session goes on. */
  isAllowed(): Promise<boolean>;
};

export type OpenLive = (reader: LiveReader) => Promise<Readable>;

export function createLive(db: Db, { isSandbox, closing }: { readonly isSandbox: boolean; readonly closing: AbortSignal }): OpenLive {
  const streams = createStreamLimiter();
  return async ({ platformId, last, isAllowed }) => {
    const resumed = parsePosition(last);
    const position = resumed ?? { event: await getStreamStart(db, platformId, undefined), request: newUuid() };
    const read = createRead(db, platformId, { position, isResumed: resumed !== undefined, isSandbox });
    return streamOf((until) => pollMessages(read, isAllowed, until), closing, streams.open(platformId));
  };
}

type ReadOptions = { readonly position: LivePosition; readonly isResumed: boolean; readonly isSandbox: boolean };

/** Each message carries the position after it, so that a tab that comes back goes on from there. */
function createRead(db: Db, platformId: PlatformId, { position: from, isResumed, isSandbox }: ReadOptions): () => Promise<Turn> {
  const nextEvents = createEventReader(db, platformId, from.event);
  const nextRequests = createRequestReader(db, { platformId, filter: {}, from: from.request });
  const nextAttempts = createAttemptReader(db, platformId, { isResumed });
  let position = from;
  let told: (Clock & { readonly at: number }) | undefined;
  const message = (kind: string, data: unknown): string => streamMessage(renderPosition(position), kind, JSON.stringify(data));

  return async () => {
    const messages: string[] = [];
    const clock = isSandbox ? { ...(await readClock(db, platformId)), at: performance.now() } : undefined;
    if (clock && isClockNews(told, clock)) {
      told = clock;
      messages.push(message('clock', { now: clock.now, frozen: clock.frozen }));
    }
    const { events, isFull: hasMoreEvents } = await nextEvents();
    for (const { id, type, objectId, sequence, createdAt, position: event } of events) {
      position = { ...position, event };
      messages.push(message('event', { id, type, objectId, sequence, timestamp: createdAt }));
    }
    for (const attempt of await nextAttempts()) messages.push(message('attempt', attempt));
    const { requests, isFull: hasMoreRequests } = await nextRequests();
    for (const request of requests) {
      if (request.position > position.request) position = { ...position, request: request.position };
      messages.push(message('request', renderSummary(request)));
    }
    return { messages, isFull: hasMoreEvents || hasMoreRequests };
  };
}
