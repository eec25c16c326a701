// A reader of the service's event streams (text/event-stream).
import assert from 'node:assert/strict';
import type { Client } from './client.js';
import type { TestService } from './service.js';

export type StreamMessage<Data> = { readonly id: string; readonly event: string; readonly data: Data };

/** Opens the stream and waits until it is open. `take` waits for that many more messages. */
export async function openStream<Data>(
  { baseUrl }: Pick<TestService, 'baseUrl'>,
  { authorization }: Client,
  path: string,
  lastEventId?: string,
) {
  const abort = new AbortController();
  const response = await fetch(baseUrl + path, {
    headers: { authorization, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    signal: abort.signal,
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  assert.ok(response.body);
  const body = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const messages: StreamMessage<Data>[] = [];
  const read = async () => {
    const { value, done } = await body.read();
    if (done) return false;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
      if (field('id')) messages.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) });
    }
    return true;
  };
  await read();
  return {
    requestId: response.headers.get('x-request-id') as string,
    async take(count: number): Promise<StreamMessage<Data>[]> {
      while (messages.length < count) assert.ok(await read(), 'the stream ended early');
      return messages.splice(0, count);
    },
    async ended(): Promise<void> {
      while (await read());
    },
    close: () => abort.abort(),
  };
}
