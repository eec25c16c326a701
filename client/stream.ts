// Server-sent events, resumed after the last one when a connection breaks.
import type { StreamOptions } from './calls.js';
import { NoAnswer, SwitchyardError } from './errors.js';
import { type Call, type Connection, mergedHeaders, pause, pauseMs, queryText, refusal } from './transport.js';

/** Longer than the pause between two comments of the service, so that a silent connection is a broken one. */
const SILENCE_MS = 45_000;

/** The parameters that say after what to go on: `since`, and what the operation calls it. */
const RESUME = /^(since|last\w*Id)$/;

type Message = { readonly id: string | undefined; readonly data: string };

/**
 * The events of a stream, each parsed. A broken connection is opened again after the last event; a refusal that will not pass ends the
 * loop, and so does a service that has never answered: its address may be wrong. Leaving the loop closes the connection.
 */
export async function* streamOf(connection: Connection, call: Call, options: StreamOptions = {}): AsyncGenerator<unknown> {
  const given = Object.entries((call.query ?? {}) as Readonly<Record<string, string | undefined>>);
  const query = Object.fromEntries(given.filter(([name]) => !RESUME.test(name)));
  let last = given.find(([name]) => RESUME.test(name))?.[1];
  let isKnown = false;
  for (let failures = 0; ; failures += 1) {
    const ended = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, ended.signal]) : ended.signal;
    try {
      const response = await open(connection, call, query, last, { ...options, signal });
      isKnown = true;
      for await (const { id, data } of messagesOf(response, ended)) {
        failures = -1;
        last = id ?? last;
        yield JSON.parse(data);
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof SwitchyardError && error.status !== 429 && error.status < 500) throw error;
      if (!isKnown && failures >= connection.retries) throw error instanceof SwitchyardError ? error : new NoAnswer(call.wire.name, error);
    } finally {
      ended.abort();
    }
    await pause(pauseMs(Math.max(0, failures)), options.signal);
  }
}

async function open(
  { baseUrl, fetch, authorization, headers }: Connection,
  { wire, path }: Call,
  query: object,
  last: string | undefined,
  options: StreamOptions & { readonly signal: AbortSignal },
): Promise<Response> {
  const response = await fetch(baseUrl + path + queryText(query), {
    headers: mergedHeaders(
      headers,
      {
        accept: 'text/event-stream',
        ...(authorization ? { authorization } : {}),
        ...(last === undefined ? {} : { 'last-event-id': last }),
      },
      options.headers,
    ),
    signal: options.signal,
  });
  if (!response.ok) throw await refusal(wire.name, response);
  return response;
}

/** The messages of one connection. It is ended when nothing, not even a comment, comes for a while. */
async function* messagesOf(response: Response, ended: AbortController): AsyncGenerator<Message> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const silence = setTimeout(() => ended.abort(new Error('the stream is silent')), SILENCE_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(silence));
    if (done) return;
    text += value;
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const message = parseMessage(block);
      if (message) yield message;
    }
  }
}

/** Undefined for a block of comments. */
export function parseMessage(block: string): Message | undefined {
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === 'id') id = value;
    else if (field === 'data') data.push(value);
  }
  return data.length === 0 ? undefined : { id, data: data.join('\n') };
}
