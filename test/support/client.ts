// HTTP client of a platform for tests. Every response is checked against the API document.
import assert from 'node:assert/strict';
import { type Dispatcher, request as exchange } from 'undici';
import type { ErrorCode } from '../../src/kernel/errors.js';
import type { Contract } from './contract.js';
import { formOf, type Part } from './multipart.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Loose = any;

export type Answer = { readonly status: number; readonly body: Loose; readonly text: string; readonly headers: Headers };
export type Sent = { readonly headers?: Record<string, string> };

export type Client = {
  readonly tokenId: string;
  readonly secret: string;
  readonly authorization: string;
  request(method: string, path: string, body?: unknown, sent?: Sent): Promise<Answer>;
  get(path: string, sent?: Sent): Promise<Answer>;
  post(path: string, body?: unknown, sent?: Sent): Promise<Answer>;
  put(path: string, body?: unknown, sent?: Sent): Promise<Answer>;
  patch(path: string, body?: unknown, sent?: Sent): Promise<Answer>;
  delete(path: string, sent?: Sent): Promise<Answer>;
  /** Sends a form as multipart/form-data. */
  upload(method: 'POST' | 'PUT', path: string, parts: readonly Part[], sent?: Sent): Promise<Answer>;
  /** The sandbox clock of this platform. */
  readonly clock: {
    now(): Promise<Date>;
    freeze(at?: string | Date): Promise<Date>;
    set(at: string | Date): Promise<Answer>;
    advance(ms: number): Promise<Answer>;
    resume(): Promise<void>;
  };
};

export function clientOf(baseUrl: string, contract: Pick<Contract, 'check'>, tokenId: string, secret: string): Client {
  const authorization = `Basic ${Buffer.from(`${tokenId}:${secret}`).toString('base64')}`;

  const request: Client['request'] = async (method, path, body, sent = {}) => {
    // `fetch` takes about a third more processor time per request, and the tests make many thousands of requests.
    const {
      statusCode: status,
      headers,
      ...response
    } = await exchange(baseUrl + path, {
      method: method as Dispatcher.HttpMethod,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...sent.headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    }).catch((error: Error) => Promise.reject(new TypeError('fetch failed', { cause: error })));
    const text = await response.body.text();
    const contentType = headers['content-type'] as string | undefined;
    contract.check(method, path, status, contentType ?? null, text);
    assert.ok(headers['x-request-id'], 'every response has X-Request-Id');
    const isJson = contentType?.startsWith('application/json');
    return { status, text, headers: headersOf(headers), body: isJson && text !== '' ? JSON.parse(text) : undefined };
  };

  return { tokenId, secret, authorization, ...callsBy(request) };
}

/** Every way to call, by the one that sends. */
const callsBy = (request: Client['request']): Omit<Client, 'tokenId' | 'secret' | 'authorization'> => ({
  request,
  get: (path, sent) => request('GET', path, undefined, sent),
  post: (path, body, sent) => request('POST', path, body, sent),
  put: (path, body, sent) => request('PUT', path, body, sent),
  patch: (path, body, sent) => request('PATCH', path, body, sent),
  delete: (path, sent) => request('DELETE', path, undefined, sent),
  upload: (method, path, parts, sent) => uploaded(request, method, path, parts, sent),
  clock: clockOf(request),
});

function clockOf(request: Client['request']): Client['clock'] {
  const change = async (body: Record<string, unknown>) => {
    const answer = await request('PUT', '/sandbox/clock', body);
    assert.equal(answer.status, 200, answer.text);
    return answer;
  };
  const wire = (at: string | Date) => (typeof at === 'string' ? at : at.toISOString());
  return {
    now: async () => new Date((await request('GET', '/sandbox/clock')).body.now),
    freeze: async (at) => new Date((await change({ frozen: true, ...(at === undefined ? {} : { now: wire(at) }) })).body.now),
    set: (at) => change({ now: wire(at) }),
    advance: (advanceMs) => change({ advanceMs }),
    resume: async () => void (await change({ frozen: false })),
  };
}

function uploaded(request: Client['request'], method: string, path: string, parts: readonly Part[], sent: Sent = {}): Promise<Answer> {
  const { body, contentType } = formOf(parts);
  return request(method, path, body, { headers: { 'content-type': contentType, ...sent.headers } });
}

/** The same client; every call is told to `see` with its answer. */
export function watched(client: Client, see: (method: string, path: string, answer: Answer) => void): Client {
  const request: Client['request'] = async (method, path, body, sent) => {
    const answer = await client.request(method, path, body, sent);
    see(method, path, answer);
    return answer;
  };
  return { ...client, ...callsBy(request) };
}

const headersOf = (headers: Readonly<Record<string, string | string[] | undefined>>): Headers =>
  new Headers(Object.entries(headers).flatMap(([name, value = []]) => [value].flat().map((text): [string, string] => [name, text])));

/** Asserts the status and error code of a refusal. */
export function assertRefused(answer: Answer, status: number, code: ErrorCode): void {
  assert.deepEqual({ status: answer.status, code: answer.body?.code }, { status, code }, answer.text);
  assert.equal(typeof answer.body.reason, 'string');
}

/** Asserts a 400 INVALID_INPUT that names exactly these fields, each once. */
export function assertInvalid(answer: Answer, ...fields: string[]): void {
  assertRefused(answer, 400, 'INVALID_INPUT');
  const named = (answer.body.details?.errors ?? []).map((error: { field: string }) => error.field);
  assert.deepEqual(named.sort(), [...fields].sort(), answer.text);
}

/** Asserts the status and returns the body. */
export async function expectStatus(status: number, answer: Promise<Answer>): Promise<Loose> {
  const got = await answer;
  assert.equal(got.status, status, got.text);
  return got.body;
}

/** Every item of a list, page by page. */
export async function listed(client: Pick<Client, 'get'>, path: string): Promise<Loose[]> {
  const items: Loose[] = [];
  for (let cursor: string | undefined; ; ) {
    const sent = `limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`;
    const page = await expectStatus(200, client.get(`${path}${path.includes('?') ? '&' : '?'}${sent}`));
    items.push(...page.data);
    if (!page.hasMore) return items;
    cursor = page.nextCursor;
  }
}
