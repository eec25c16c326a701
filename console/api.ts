// Calls through the door of the console. A refused call throws an ApiFailure; a service that does not answer throws NoAnswer.
import { signal } from '@preact/signals';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type Item = { readonly [name: string]: Json };
export type Page = {
  readonly data: readonly Item[];
  readonly hasMore: boolean;
  readonly nextCursor?: string;
  readonly totalCount?: number;
};

export type Session = {
  readonly platformName: string;
  readonly tokenName: string;
  readonly permissions: readonly string[];
  readonly isSandbox: boolean;
  readonly access: 'on' | 'read-only';
  readonly version: string;
};

/** Undefined: not known yet. Null: nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);
/** Since when the service has not answered, in milliseconds of the page. */
export const silentSince = signal<number | undefined>(undefined);

export type FieldProblem = { readonly field: string; readonly message: string };

export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;
  readonly problems: readonly FieldProblem[];
  readonly requestId: string;
  constructor(status: number, body: Item, requestId: string) {
    super(typeof body['reason'] === 'string' ? body['reason'] : `The service answered ${status}.`);
    this.status = status;
    this.code = typeof body['code'] === 'string' ? body['code'] : '';
    this.requestId = requestId;
    const details = body['details'] as { readonly errors?: readonly { field?: string; message?: string }[] } | undefined;
    this.problems = (details?.errors ?? []).map(({ field = '', message = 'is not accepted' }) => ({ field, message }));
  }
}

export class NoAnswer extends Error {}

async function exchange(method: string, url: string, body?: unknown): Promise<Response> {
  try {
    const response = await fetch(url, {
      method,
      headers: { 'x-switchyard-console': '1', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    silentSince.value = undefined;
    return response;
  } catch {
    silentSince.value ??= performance.now();
    throw new NoAnswer('The service does not answer.');
  }
}

async function answer(response: Response): Promise<Item> {
  const text = await response.text();
  const body = (text === '' || !response.headers.get('content-type')?.startsWith('application/json') ? {} : JSON.parse(text)) as Item;
  if (response.ok) return body;
  if (response.status === 401 && session.value) session.value = null;
  throw new ApiFailure(response.status, body, response.headers.get('x-request-id') ?? '');
}

export const call = async (method: string, path: string, body?: unknown): Promise<Item> =>
  answer(await exchange(method, `/console/api${path}`, body));

export const list = async (path: string, query: URLSearchParams): Promise<Page> => {
  const text = query.toString();
  const page = await call('GET', text === '' ? path : `${path}?${text}`);
  return { hasMore: false, ...page, data: (page['data'] ?? []) as readonly Item[] };
};

export async function loadSession(): Promise<void> {
  try {
    session.value = (await answer(await exchange('GET', '/console/session'))) as unknown as Session;
  } catch (error) {
    if (error instanceof ApiFailure) session.value = null;
    else throw error;
  }
}

export async function signIn(
  credentials: { readonly code: string } | { readonly tokenId: string; readonly secret: string },
): Promise<void> {
  await answer(await exchange('POST', '/console/session', credentials));
  await loadSession();
}

export async function signOut(): Promise<void> {
  await answer(await exchange('DELETE', '/console/session'));
  session.value = null;
}

export const may = (permission: string): boolean =>
  session.value?.access === 'on' && (session.value?.permissions.includes(permission) ?? false);

/** Server-sent events of the door. Returns how to stop. It begins again after an interruption, and rests while the tab is hidden. */
export function follow(path: string, onMessage: (data: Item) => void): () => void {
  let stopped = false;
  let abort: AbortController | undefined;
  const run = async (): Promise<void> => {
    while (!stopped) {
      if (document.hidden) await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
      abort = new AbortController();
      try {
        const response = await fetch(`/console/api${path}`, { headers: { 'x-switchyard-console': '1' }, signal: abort.signal });
        if (response.status === 401) session.value = null;
        if (!response.ok || !response.body) return;
        silentSince.value = undefined;
        await read(response.body, onMessage);
      } catch {
        if (!stopped && !document.hidden) silentSince.value ??= performance.now();
      }
      if (!stopped) await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  };
  const onHide = () => document.hidden && abort?.abort();
  document.addEventListener('visibilitychange', onHide);
  void run();
  return () => {
    stopped = true;
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
