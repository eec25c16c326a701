// Rows that arrive while a list is read. The stream rests while the tab is hidden, and begins again after an interruption.
import { type Item, openStream } from './api.ts';

const PATHS: Readonly<Record<string, string>> = { events: '/webhooks/stream', requests: '/requests/stream' };

/** Server-sent events of the door. Returns how to stop. */
export function follow(name: string, onMessage: (data: Item) => void): () => void {
  let isStopped = false;
  let abort: AbortController | undefined;
  const run = async (): Promise<void> => {
    while (!isStopped) {
      if (document.hidden) await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
      abort = new AbortController();
      const body = await openStream(PATHS[name] ?? '', abort.signal);
      if (body === 'refused') return;
      if (body) await read(body, onMessage).catch(() => undefined);
      if (!isStopped) await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  };
  const onHide = () => document.hidden && abort?.abort();
  document.addEventListener('visibilitychange', onHide);
  void run();
  return () => {
    isStopped = true;
    document.removeEventListener('visibilitychange', onHide);
    abort?.abort();
  };
}

async function read(body: ReadableStream<Uint8Array>, onMessage: (data: Item) => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  for (let text = ''; ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const line = text
        .slice(0, end)
        .split('\n')
        .find((one) => one.startsWith('data: '));
      text = text.slice(end + 2);
      if (line) onMessage(JSON.parse(line.slice(6)) as Item);
    }
  }
}
