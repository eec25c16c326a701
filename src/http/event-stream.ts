// Server-sent events: how many streams may be open, and a stream made from a generator of messages.
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../kernel/errors.js';
import type { PlatformId } from '../kernel/ids.js';
import type { Answer } from './operation.js';

const PER_PLATFORM = 32;
const PER_PROCESS = 256;

export type StreamLimiter = { open(platformId: PlatformId): () => void };

/**
 * Limits the open streams, because each of them polls the database. The limit per platform keeps one platform from using them all.
 * `open` returns the function to call when the stream closes.
 */
export function createStreamLimiter({ perPlatform = PER_PLATFORM, perProcess = PER_PROCESS } = {}): StreamLimiter {
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

const POLL_MS = 250;
const KEEP_ALIVE_MS = 15_000;
const CHECK_MS = 1_000;

/** What one turn of a stream has found. A turn that is full is followed by the next one at once. */
export type Turn = { readonly messages: readonly string[]; readonly isFull: boolean };

/**
 * Reads turn after turn. Ends when `until` is aborted and when the reader is no longer allowed. A comment between messages keeps proxies
 * from closing the connection.
 */
export async function* pollMessages(
  read: () => Promise<Turn>,
  isAllowed: () => Promise<boolean>,
  until: AbortSignal,
): AsyncGenerator<string> {
  let sentAt = performance.now();
  let checkedAt = sentAt;
  yield ': connected\n\n';
  while (!until.aborted) {
    if (performance.now() - checkedAt >= CHECK_MS) {
      checkedAt = performance.now();
      if (!(await isAllowed())) return;
    }
    const { messages, isFull } = await read();
    for (const message of messages) yield message;
    if (messages.length > 0) sentAt = performance.now();
    else if (performance.now() - sentAt > KEEP_ALIVE_MS) {
      yield ': still here\n\n';
      sentAt = performance.now();
    }
    // An abort ends the pause, and then the loop.
    if (!isFull) await pause(POLL_MS, undefined, { signal: until }).catch(() => {});
  }
}

/** A message of a stream. */
export const streamMessage = (id: string, event: string, data: string): string => `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;

/** A stream of messages. A reader that disconnects aborts the signal that the generator was given, not only at the next message. */
export function streamOf(messages: (until: AbortSignal) => AsyncGenerator<string>, until: AbortSignal, onClosed: () => void): Readable {
  const disconnected = new AbortController();
  const generator = messages(AbortSignal.any([until, disconnected.signal]));
  const stream = new Readable({
    read: () =>
      void generator.next().then(
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

/** The connection closes with the stream, so a stopping service does not wait for an idle connection. */
export const STREAM_HEADERS = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no', connection: 'close' } as const;

export const streamAnswer = (stream: Readable): Answer => ({ status: 200, headers: STREAM_HEADERS, stream });
