// What happens on the platform while the page is read: one stream for the whole tab, whatever the page shows. It rests while the tab is
// hidden, and goes on after the last message.
import { effect, signal } from '@preact/signals';
import { type Item, openStream, revival, session } from './api.ts';

type Kind = 'event' | 'attempt' | 'request' | 'clock';
type Listener = (data: Item) => void;

const listeners = new Map<Kind, Set<Listener>>();

/** Returns how to stop. */
export function follow(kind: Kind, onMessage: Listener): () => void {
  const known = listeners.get(kind) ?? new Set();
  listeners.set(kind, known.add(onMessage));
  return () => known.delete(onMessage);
}

/** The clock of the platform: what it showed at a moment of the page, in milliseconds. */
export const clock = signal<{ readonly now: number; readonly isFrozen: boolean; readonly at: number } | undefined>(undefined);

export function showClock({ now, frozen }: Item): void {
  clock.value = { now: Date.parse(String(now)), isFrozen: frozen === true, at: performance.now() };
}
follow('clock', showClock);

/** The time of the platform's clock; until the stream has told it, that of the sign-in. */
export const clockNow = (): number =>
  clock.value ? clock.value.now + (clock.value.isFrozen ? 0 : performance.now() - clock.value.at) : Date.parse(session.value?.now ?? '');

/** A tab that was away for longer reads its page again instead of what it missed. */
const LONGEST_MS = 5 * 60_000;
const RETRY_MS = 1_000;

let last: string | undefined;
let abort = new AbortController();

const isVisible = () => new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));

async function run(until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    const away = performance.now();
    while (document.hidden) await isVisible();
    if (performance.now() - away > LONGEST_MS) {
      last = undefined;
      revival.value += 1;
    }
    abort = new AbortController();
    const body = await openStream('/live', last, AbortSignal.any([abort.signal, until]));
    if (body === 'refused') return;
    if (body) await read(body).catch(() => undefined);
    if (!document.hidden) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

document.addEventListener('visibilitychange', () => document.hidden && abort.abort());

// From sign-in to sign-out.
effect(() => {
  if (!session.value) return;
  const signedOut = new AbortController();
  last = undefined;
  void run(signedOut.signal);
  return () => signedOut.abort();
});

async function read(body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  for (let text = ''; ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, id, kind, data] = /^id: (.+)\nevent: (.+)\ndata: (.+)$/.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (data === undefined) continue;
      last = id;
      for (const listener of listeners.get(kind as Kind) ?? []) listener(JSON.parse(data) as Item);
    }
  }
}
