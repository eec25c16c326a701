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
  readonly tokenId: string;
  readonly tokenName: string;
  readonly permissions: readonly string[];
  readonly isSandbox: boolean;
  readonly access: 'on' | 'read-only';
  readonly version: string;
  /** The time of the platform's clock. */
  readonly now: string;
};

/** Undefined: not known yet. Null: nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);
/** Since when the service has not answered, in milliseconds of the page. */
export const silentSince = signal<number | undefined>(undefined);
/** Counts how often the service came back. What is on the page is then read again. */
export const revival = signal(0);
/** Until when a busy service asked to wait, in milliseconds of the page. */
export const busyUntil = signal<number | undefined>(undefined);

/** The latest requests of this page, newest first. */
export const requestIds: string[] = [];

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

type Headers = Readonly<Record<string, string>>;

/** With the token that this tab shows: another tab may have signed in with another one, of another platform. */
const ownHeaders = (): Headers => ({
  'x-switchyard-console': '1',
  ...(session.value ? { 'x-switchyard-console-token': session.value.tokenId } : {}),
});

async function exchange(method: string, url: string, body?: unknown, headers: Headers = {}): Promise<Response> {
  const isForm = body instanceof FormData;
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...ownHeaders(),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    heard();
    requestIds.unshift(response.headers.get('x-request-id') ?? '');
    requestIds.splice(5);
    return response;
  } catch {
    throw noAnswer();
  }
}

function noAnswer(): NoAnswer {
  fallSilent();
  return new NoAnswer('The service does not answer.');
}

function heard(): void {
  if (silentSince.value === undefined) return;
  silentSince.value = undefined;
  revival.value += 1;
}

const KNOCK_MS = 1_000;

/** Knocks until the service answers. */
function fallSilent(): void {
  if (silentSince.value !== undefined) return;
  silentSince.value = performance.now();
  const knock = async (): Promise<void> => {
    try {
      await fetch('/console/session', { headers: { 'x-switchyard-console': '1' } });
      heard();
    } catch {
      setTimeout(() => void knock(), KNOCK_MS);
    }
  };
  setTimeout(() => void knock(), KNOCK_MS);
}

const BUSY = new Set([429, 503]);
const MOST_REPEATS = 5;

/** Reads that wait because the service was too busy. */
let waiting = 0;

async function waitOut(seconds: number): Promise<void> {
  waiting += 1;
  busyUntil.value = Math.max(busyUntil.value ?? 0, performance.now() + seconds * 1_000);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  waiting -= 1;
  if (waiting === 0) busyUntil.value = undefined;
}

/** A read is repeated when the service was too busy, after the time that it named. */
async function readFrom(url: string): Promise<Response> {
  for (let repeats = 0; ; repeats += 1) {
    const response = await exchange('GET', url);
    if (!BUSY.has(response.status) || repeats === MOST_REPEATS) return response;
    await waitOut(Math.min(30, Number(response.headers.get('retry-after')) || 1));
  }
}

async function answer(response: Response): Promise<Item> {
  const text = await response.text().catch(() => {
    throw noAnswer();
  });
  const body = (text === '' || !response.headers.get('content-type')?.startsWith('application/json') ? {} : JSON.parse(text)) as Item;
  if (response.ok) return body;
  throw refusal(response, body);
}

function refusal(response: Response, body: Item): ApiFailure {
  // A signature that was not accepted is answered with 401, too; the reader stays signed in.
  if (response.status === 401 && (body['details'] as Item | undefined)?.['cause'] === 'CONSOLE_SESSION_ENDED') session.value = null;
  return new ApiFailure(response.status, body, response.headers.get('x-request-id') ?? '');
}

const DOOR = '/console/api';

export const call = async (method: string, path: string, body?: unknown): Promise<Item> =>
  answer(await (method === 'GET' ? readFrom(DOOR + path) : exchange(method, DOOR + path, body)));

export type Answer = { readonly status: number; readonly body: Item };

/** With the status, for operations that may answer 202 and ask for a signature. */
export async function send(method: string, path: string, body: unknown, headers: Headers): Promise<Answer> {
  const response = await exchange(method, DOOR + path, body, headers);
  return { status: response.status, body: await answer(response) };
}

/** An answer that is no JSON. */
export async function download(method: string, path: string, accept: string): Promise<Blob> {
  const response = await exchange(method, DOOR + path, undefined, { accept });
  if (!response.ok) throw refusal(response, JSON.parse(await response.text()) as Item);
  return response.blob();
}

export const list = async (path: string, query: URLSearchParams, rows = 'data'): Promise<Page> => {
  const text = query.toString();
  const page = await call('GET', text === '' ? path : `${path}?${text}`);
  return { hasMore: false, ...page, data: (page[rows] ?? []) as readonly Item[] };
};

export async function loadSession(): Promise<void> {
  try {
    session.value = (await answer(await exchange('GET', '/console/session'))) as unknown as Session;
  } catch (error) {
    // Whether anybody is signed in is not known while the service cannot tell.
    if (!(error instanceof ApiFailure) || isTemporary(error)) throw error;
    session.value = null;
  }
}

export const isTemporary = ({ status }: ApiFailure): boolean => status >= 500 || status === 429;

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

/** The bytes of a stream; nothing when the service did not answer, and `refused` when asking again is of no use. */
export async function openStream(
  path: string,
  last: string | undefined,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | 'refused' | undefined> {
  try {
    const headers = { ...ownHeaders(), ...(last === undefined ? {} : { 'last-event-id': last }) };
    const response = await fetch(DOOR + path, { headers, signal });
    if (response.status === 401) session.value = null;
    if (response.ok && response.body) {
      heard();
      return response.body;
    }
    return response.status < 500 && response.status !== 429 ? 'refused' : undefined;
  } catch {
    if (!signal.aborted) fallSilent();
    return undefined;
  }
}
