// One call over HTTP: headers, retries, time limits, signed retries, and errors.
import type { CallOptions, KeyOptions, SignedOptions, SigningChallenge } from './calls.js';
import { NoAnswer, SignatureRequired, SwitchyardError } from './errors.js';
import { newKey } from './keys.js';

/** Where and how to send. */
export type Connection = {
  readonly baseUrl: string;
  readonly authorization: string | undefined;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly headers: Readonly<Record<string, string>>;
};

/** What the table says of an operation. */
export type Wire = {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** b body, q query, m multipart, k idempotency key, s signed retries, l list, e event stream. */
  readonly flags: string;
};

export type Call = { readonly wire: Wire; readonly path: string; readonly query?: object | undefined; readonly body?: unknown };
export type AnyOptions = CallOptions & Pick<KeyOptions, 'idempotencyKey'> & Pick<SignedOptions, 'sign'>;

/** Passing failures: the request was not executed, or its key makes a repeat harmless. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 503]);
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** More signatures than any operation asks for. */
const MOST_LEGS = 5;

export async function execute(connection: Connection, call: Call, options: AnyOptions = {}): Promise<unknown> {
  const { wire } = call;
  const key = wire.flags.includes('k') ? (options.idempotencyKey ?? newKey()) : undefined;
  const headers = mergedHeaders(
    connection.headers,
    connection.authorization ? { authorization: connection.authorization } : {},
    key ? { 'idempotency-key': key } : {},
    options.headers,
  );
  let answer = await sendWithRetries(connection, call, headers, options);
  for (let leg = 0; wire.flags.includes('s') && answer.status === 202 && leg < MOST_LEGS; leg += 1) {
    const challenge = answer.body as SigningChallenge;
    if (typeof challenge.payloadToSign !== 'string') return challenge;
    if (!options.sign) throw new SignatureRequired(wire.name, challenge);
    const signature = await options.sign(challenge.payloadToSign, challenge);
    const signed = { ...headers, 'service-wallet-signature': signature, 'request-id': challenge.requestId };
    // A signature is used up when it is executed, so an attempt whose outcome is unknown is not repeated.
    answer = await sendWithRetries(connection, call, signed, { ...options, retries: 0 });
  }
  return answer.body;
}

/** Names of headers do not tell large letters from small ones: of two that are the same, `fetch` would send both values as one. */
export const mergedHeaders = (...all: readonly (Readonly<Record<string, string>> | undefined)[]): Record<string, string> =>
  Object.fromEntries(all.flatMap((headers = {}) => Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])));

type Answer = { readonly status: number; readonly body: unknown };

/** Reads are repeated, and writes that carry a key. */
const isRepeatable = ({ method }: Wire, headers: Readonly<Record<string, string>>): boolean =>
  method === 'GET' || 'idempotency-key' in headers;

export async function sendWithRetries(
  connection: Connection,
  call: Call,
  headers: Readonly<Record<string, string>>,
  options: AnyOptions,
): Promise<Answer> {
  const most = isRepeatable(call.wire, headers) ? (options.retries ?? connection.retries) : 0;
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await send(connection, call, headers, options).catch((error: unknown) => ({ error }));
    const isLast = attempt >= most;
    if ('error' in outcome) {
      // The caller's own signal ends the call with the caller's own reason.
      options.signal?.throwIfAborted();
      if (isLast) throw new NoAnswer(call.wire.name, outcome.error);
      await pause(pauseMs(attempt), options.signal);
    } else if ('body' in outcome) return outcome;
    else {
      const error = await refusal(call.wire.name, outcome.refused);
      // A longer wait is for the caller to decide on: `retryAfter` says how long.
      const waitMs = error.retryAfter === undefined ? pauseMs(attempt) : error.retryAfter * 1_000;
      if (isLast || !PASSING.has(error.status) || waitMs > LONGEST_PAUSE_MS) throw error;
      await pause(waitMs, options.signal);
    }
  }
}

/** The body is a part of the answer: without all of it there was none. */
async function send(
  { baseUrl, fetch, timeoutMs }: Connection,
  call: Call,
  headers: Readonly<Record<string, string>>,
  options: AnyOptions,
): Promise<Answer | { readonly refused: Response }> {
  const { wire, path, query, body } = call;
  const isForm = wire.flags.includes('m');
  const limit = AbortSignal.timeout(options.timeoutMs ?? timeoutMs);
  const response = await fetch(baseUrl + path + queryText(query), {
    method: wire.method,
    headers: { ...headers, ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }) },
    signal: options.signal ? AbortSignal.any([options.signal, limit]) : limit,
    ...(body === undefined ? {} : { body: isForm ? formOf(body as Readonly<Record<string, unknown>>) : JSON.stringify(body) }),
  });
  return response.ok ? { status: response.status, body: await readBody(response) } : { refused: response };
}

export function queryText(query: object = {}): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) pairs.append(name, one instanceof Date ? one.toISOString() : String(one));
  }
  const text = pairs.toString();
  return text === '' ? '' : `?${text}`;
}

function formOf(body: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (value instanceof Blob) form.append(name, value, 'name' in value ? String(value.name) : name);
    else if (value instanceof Uint8Array) form.append(name, new Blob([value as Uint8Array<ArrayBuffer>]), name);
    else if (value !== undefined) form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return form;
}

async function readBody(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return response.json();
  if (type.startsWith('text/')) return response.text();
  const bytes = new Uint8Array(await response.arrayBuffer());
  return bytes.length === 0 ? undefined : bytes;
}

export async function refusal(operation: string, response: Response): Promise<SwitchyardError> {
  const text = await response.text().catch(() => '');
  const after = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new SwitchyardError(operation, {
    status: response.status,
    body: parsed(text),
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: Number.isFinite(after) ? after : undefined,
  });
}

/** A proxy in between may answer with a page. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Doubled at each attempt, less a random part of up to one half, so that callers that failed together do not return together. */
export const pauseMs = (attempt: number): number => Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (1 - Math.random() / 2);

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
