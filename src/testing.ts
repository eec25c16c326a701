// For integrators' own tests: a whole sandbox in one call, inside any test runner.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createSwitchyard, type Switchyard } from '../client/client.js';
import { readConfig } from './config.js';
import { startService } from './service.js';

export type ReceivedEvent = {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
  /** As delivered, for checking signatures. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: string;
};

export type SandboxAnswer = { readonly status: number; readonly headers: Headers; readonly body: unknown };

export type Sandbox = {
  readonly baseUrl: string;
  readonly token: { readonly id: string; readonly secret: string };
  /** Value for an `Authorization` header. */
  readonly authorization: string;
  /** The typed client, with this token. */
  readonly client: Switchyard;
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<SandboxAnswer>;
  readonly clock: {
    now(): Promise<Date>;
    freeze(at?: Date): Promise<Date>;
    set(at: Date): Promise<Date>;
    advance(ms: number): Promise<Date>;
    resume(): Promise<Date>;
  };
  /** Every webhook received so far, in order of arrival. */
  readonly events: readonly ReceivedEvent[];
  /** The first event, past or to come, that the test wants. */
  event(wanted: string | ((event: ReceivedEvent) => boolean), timeoutMs?: number): Promise<ReceivedEvent>;
  stop(): Promise<void>;
};

export type SandboxOptions = {
  /** An empty PostgreSQL database to use; without it the sandbox starts one of its own and removes it again. */
  readonly databaseUrl?: string;
  /** Further settings, as in the environment. */
  readonly env?: Readonly<Record<string, string>>;
};

const TOKEN = { id: 'sandbox', secret: 'sandbox-secret-for-tests' } as const;

export async function startSandbox({ databaseUrl, env = {} }: SandboxOptions = {}): Promise<Sandbox> {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-sandbox-'));
  // The embedded database may run under another account, which must be able to pass through.
  chmodSync(dataDir, 0o711);
  const remove = (): void => rmSync(dataDir, { recursive: true, force: true });
  const start = async () => {
    const config = readConfig({
      PORT: '0',
      METRICS_PORT: 'off',
      DATA_DIR: dataDir,
      BOOTSTRAP_TOKEN: `${TOKEN.id}:${TOKEN.secret}`,
      LOG_LEVEL: 'silent',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      ...env,
    });
    return startService(config, pino({ level: config.logLevel }));
  };
  const service = await start().catch((error: unknown) => {
    remove();
    throw error;
  });
  const receiver = await startReceiver();
  const authorization = `Basic ${Buffer.from(`${TOKEN.id}:${TOKEN.secret}`).toString('base64')}`;

  const request = requester(service.baseUrl, authorization);
  const clock = async (change?: Record<string, unknown>): Promise<Date> => {
    const { status, body } = await request(change ? 'PUT' : 'GET', '/sandbox/clock', change);
    // A clock that did not move must not look like one that did.
    if (status !== 200) throw new Error(`the clock was not changed: ${status} ${JSON.stringify(body)}`);
    return new Date((body as { now: string }).now);
  };

  await request('PATCH', '/config', { webhookEndpoint: receiver.url });
  return {
    baseUrl: service.baseUrl,
    token: TOKEN,
    authorization,
    client: createSwitchyard({ baseUrl: service.baseUrl, token: `${TOKEN.id}:${TOKEN.secret}` }),
    request,
    clock: {
      now: () => clock(),
      freeze: (at) => clock({ frozen: true, ...(at ? { now: at.toISOString() } : {}) }),
      set: (at) => clock({ now: at.toISOString() }),
      advance: (advanceMs) => clock({ advanceMs }),
      resume: () => clock({ frozen: false }),
    },
    events: receiver.events,
    event: receiver.event,
    async stop() {
      await service.stop();
      await receiver.stop();
      remove();
    },
  };
}

/** Sends requests of one token and reads JSON answers. */
export function requester(baseUrl: string, authorization: string): Sandbox['request'] {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : text || undefined };
  };
}

export type Receiver = { readonly url: string; readonly events: ReceivedEvent[]; readonly event: Sandbox['event']; stop(): Promise<void> };

/** A webhook endpoint on this machine that keeps what it receives, each event once. */
export async function startReceiver(): Promise<Receiver> {
  const events: ReceivedEvent[] = [];
  const waiting = new Set<(event: ReceivedEvent) => void>();
  const server: Server = createServer(async (incoming, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const rawBody = Buffer.concat(chunks).toString('utf8');
    const event = { ...(JSON.parse(rawBody) as ReceivedEvent), headers: incoming.headers as Record<string, string>, rawBody };
    answer.end();
    // At least once means that one may come again.
    if (events.some(({ id }) => id === event.id)) return;
    events.push(event);
    for (const notify of waiting) notify(event);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const event: Sandbox['event'] = (wanted, timeoutMs = 10_000) => {
    const fits = typeof wanted === 'string' ? ({ type }: ReceivedEvent) => type === wanted : wanted;
    const known = events.find(fits);
    if (known) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(look);
        reject(new Error(`no such webhook within ${timeoutMs} ms; received: ${events.map(({ type }) => type).join(', ') || 'none'}`));
      }, timeoutMs);
      const look = (candidate: ReceivedEvent) => {
        if (!fits(candidate)) return;
        clearTimeout(timer);
        waiting.delete(look);
        resolve(candidate);
      };
      waiting.add(look);
    });
  };

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    events,
    event,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
