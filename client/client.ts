// The client of the API: `createSwitchyard()` gives a method for every operation, named as in the command line.

import type { CallOptions } from './calls.js';
import { NoAnswer } from './errors.js';
import { type Resources, TABLE } from './generated/resources.js';
import type { SandboxClock } from './generated/types.js';
import { pagesOf } from './pages.js';
import { streamOf } from './stream.js';
import type { AnyOptions, Call, Connection, Wire } from './transport.js';
import { execute } from './transport.js';

export type * from './calls.js';
export { type ErrorDetails, type FieldError, isCode, NoAnswer, SignatureRequired, SwitchyardError } from './errors.js';
export type { Resources } from './generated/resources.js';
export type * from './generated/types.js';

export type SwitchyardOptions = {
  /** With the version, as `SWITCHYARD_URL` of `.data/sandbox.env`: `http://127.0.0.1:8080/2025-10-13`. Unset: the environment's. */
  readonly baseUrl?: string;
  /** `<token id>:<secret>`. Unset: `SWITCHYARD_TOKEN_ID` and `SWITCHYARD_TOKEN_SECRET` of the environment. */
  readonly token?: string;
  readonly fetch?: typeof fetch;
  readonly timeoutMs?: number;
  readonly retries?: number;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** Time of the sandbox in words: `90s`, `15m`, `2h`, `1d`, or milliseconds. */
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd' | 'w'}` | number;

type ClockMoves = {
  /** Moves the clock forward. What falls due on the way is done before the answer. */
  advance(by: Duration, options?: CallOptions): Promise<SandboxClock>;
  /** Stops the clock, at a time or now. */
  freeze(at?: Date | string, options?: CallOptions): Promise<SandboxClock>;
  /** Lets a frozen clock run on. */
  resume(options?: CallOptions): Promise<SandboxClock>;
};

export type Switchyard = Resources & {
  readonly sandbox: { readonly clock: ClockMoves };
  /** Any path of the service, for operations that this version does not know. */
  request(method: string, path: string, call?: { query?: object; body?: unknown }, options?: AnyOptions): Promise<unknown>;
};

export function createSwitchyard(options: SwitchyardOptions = {}): Switchyard {
  const connection = connectionOf(options);
  const client: Tree = {};
  for (const row of TABLE) {
    const wire = wireOf(row);
    place(client, wire.name.split('.'), methodOf(connection, wire));
  }
  const { sandbox } = client as unknown as Resources;
  const clock: ClockMoves = {
    advance: (by, callOptions) => sandbox.clock.set({ advanceMs: durationMs(by) }, callOptions),
    freeze: (at, callOptions) => sandbox.clock.set({ frozen: true, ...(at === undefined ? {} : { now: wireTime(at) }) }, callOptions),
    resume: (callOptions) => sandbox.clock.set({ frozen: false }, callOptions),
  };
  Object.assign(sandbox.clock, clock);
  return Object.assign(client as unknown as Switchyard, {
    request: (method: string, path: string, { query, body }: { query?: object; body?: unknown } = {}, callOptions: AnyOptions = {}) =>
      execute(
        connection,
        { wire: { name: `${method} ${path}`, method, path, flags: callOptions.idempotencyKey ? 'ks' : 's' }, path, query, body },
        callOptions,
      ),
  });
}

function connectionOf(options: SwitchyardOptions): Connection {
  const env = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};
  const baseUrl = options.baseUrl ?? env['SWITCHYARD_URL'];
  if (!baseUrl) throw new TypeError('createSwitchyard: give `baseUrl`, or set SWITCHYARD_URL');
  const { SWITCHYARD_TOKEN_ID: id, SWITCHYARD_TOKEN_SECRET: secret } = env;
  const token = options.token ?? (id && secret ? `${id}:${secret}` : undefined);
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    authorization: token === undefined ? undefined : `Basic ${base64(token)}`,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeoutMs: options.timeoutMs ?? 30_000,
    retries: options.retries ?? 2,
    headers: options.headers ?? {},
  };
}

/** `btoa` takes bytes, one per character. */
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** A row of the table: `cards.update PATCH /cards/{id} b`. */
function wireOf(row: string): Wire {
  const [name = '', method = '', path = '', flags = ''] = row.split(' ');
  return { name, method, path, flags };
}

type Tree = { [word: string]: Tree };

/** No command is the beginning of another, so a word is a method or holds methods. */
function place(tree: Tree, words: readonly string[], method: unknown): void {
  const [word = '', ...rest] = words;
  if (rest.length === 0) tree[word] = method as Tree;
  else {
    tree[word] ??= {};
    place(tree[word], rest, method);
  }
}

/** Positional ids, then the query, then the body, then options: each where the operation has it. */
function methodOf(connection: Connection, wire: Wire): (...args: unknown[]) => unknown {
  const names = wire.path.match(/\{\w+\}/g) ?? [];
  return (...args) => {
    const rest = [...args];
    let { path } = wire;
    for (const name of names) {
      const id = rest.shift();
      if (typeof id !== 'string' || id === '') throw new TypeError(`${wire.name}: ${name.slice(1, -1)} must be a non-empty text`);
      // These two are steps of a path, however they are encoded: the call would go to another operation.
      if (id === '.' || id === '..') throw new TypeError(`${wire.name}: ${name.slice(1, -1)} must not be ${id}`);
      path = path.replace(name, encodeURIComponent(id));
    }
    const query = wire.flags.includes('q') ? (rest.shift() as object | undefined) : undefined;
    const body = /[bm]/.test(wire.flags) ? rest.shift() : undefined;
    const options = (rest.shift() ?? {}) as AnyOptions;
    const call: Call = { wire, path, query, body };
    if (wire.flags.includes('e')) return streamOf(connection, call, options);
    if (!wire.flags.includes('l')) return execute(connection, call, options);
    return pagesOf(async (cursor) => {
      const page = await execute(connection, { ...call, query: { ...query, ...(cursor === undefined ? {} : { cursor }) } }, options);
      // A page for browsers has no rows and would look like a list without any.
      if (typeof page !== 'object') throw new NoAnswer(wire.name, new Error(`what came is no list; is ${connection.baseUrl} the service?`));
      return page as never;
    });
  };
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

export function durationMs(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(duration) ?? [];
  if (unit === '') throw new TypeError(`not a duration: ${duration}; write 90s, 15m, 2h or 1d`);
  return Math.round(Number(count) * (UNITS[unit] as number));
}

const wireTime = (at: Date | string): string => (typeof at === 'string' ? at : at.toISOString());
