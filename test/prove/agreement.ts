// Two API processes and a worker: what one is told, the others act on within two seconds.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/kernel/ids.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { type IssuerKey, issuerHeaders } from '../support/issuer.js';
import { startReceiver } from '../support/webhooks/receiver.js';
import type { Outcome } from './report.js';
import { Services } from './services.js';

const PART = 'processes';
const LIMIT_MS = 2_000;
/** How long is waited for an agreement that comes too late, so that its time can be told. */
const PATIENCE_MS = 20_000;
const RATE_LIMIT = 60;

type Answer = { readonly status: number; readonly body: Record<string, unknown> };
type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;

export async function agreement({ rounds, until }: { readonly rounds: number; readonly until: number }): Promise<Outcome[]> {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-agreement-'));
  const databases: TestDatabase[] = [];
  const start = async (env: Record<string, string>) => {
    const database = await createDatabase();
    databases.push(database);
    return Services.start({ databaseUrl: database.url, directory, roles: ['api', 'api', 'worker'], env });
  };
  const times = new Map<string, number[]>();
  const failures = new Map<string, string[]>();
  /** Measures how long it takes until the other process agrees. */
  const agree = async (what: string, isAgreed: () => Promise<boolean>): Promise<void> => {
    const began = performance.now();
    let took = 0;
    for (let agreed = false; !agreed && took < PATIENCE_MS; ) {
      agreed = await isAgreed();
      took = performance.now() - began;
      if (!agreed) await sleep(20);
    }
    times.set(what, [...(times.get(what) ?? []), took]);
    if (took > LIMIT_MS) failures.set(what, [...(failures.get(what) ?? []), `agreed after ${Math.round(took)} ms`]);
  };

  const services = await start({});
  try {
    for (let round = 0; round < rounds && Date.now() < until; round += 1) {
      // Each of the two is told in turn.
      const urls = services.urls();
      const [one, other] = (round % 2 === 0 ? urls : urls.toReversed()).map((url) => caller(url, services.authorization)) as [Call, Call];
      await tokens(one, urls[(round + 1) % 2] as string, agree);
      await issuers(one, urls[(round + 1) % 2] as string, agree);
      await clock(one, other, agree);
      await faults(one, other, agree);
      await stream(one, urls[(round + 1) % 2] as string, services.authorization, agree);
      await endpoint(one, other, agree);
    }
  } finally {
    await services.stop();
  }
  const limited = await start({ RATE_LIMIT_PER_MINUTE: String(RATE_LIMIT) });
  let passed = 0;
  try {
    const calls = limited.urls().map((url) => caller(url, limited.authorization)) as [Call, Call];
    passed = await rateLimit(calls, agree);
  } finally {
    await limited.stop();
    for (const database of databases) await database.drop();
    rmSync(directory, { recursive: true, force: true });
  }
  return [...times].map(([what, ms]) => ({
    goal: `${PART}: ${what} within ${LIMIT_MS / 1000} s`,
    trials: ms.length,
    failures: failures.get(what) ?? [],
    note: `slowest ${Math.round(Math.max(...ms))} ms${what.startsWith('a rate limit') ? `, ${passed} requests of ${RATE_LIMIT} passed` : ''}`,
  }));
}

type Agree = (what: string, isAgreed: () => Promise<boolean>) => Promise<void>;

function caller(url: string, authorization: string): Call {
  return async (method, path, body) => {
    const answer = await fetch(`${url}/2025-10-13${path}`, {
      method,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
  };
}

const customer = (call: Call) => call('POST', '/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada' });

async function tokens(one: Call, otherUrl: string, agree: Agree): Promise<void> {
  const { body } = await one('POST', '/tokens', { name: 'short-lived', permissions: ['VIEW'] });
  const authorization = `Basic ${Buffer.from(`${body['clientId']}:${body['clientSecret']}`).toString('base64')}`;
  const other = caller(otherUrl, authorization);
  await agree('a new token is known to the other process', async () => (await other('GET', '/config')).status === 200);
  await one('DELETE', `/tokens/${body['id']}`);
  await agree('a deleted token is refused by the other process', async () => (await other('GET', '/config')).status === 401);
}

/** The other process has used the credential just before it is revoked. */
async function issuers(one: Call, otherUrl: string, agree: Agree): Promise<void> {
  const key = (await one('POST', '/sandbox/issuer-credentials', { program: 'service_full' })).body as IssuerKey;
  const statusOfRequest = async (): Promise<number> => {
    const body = JSON.stringify({
      issuerTransactionToken: randomUUID(),
      cardId: newId('Card'),
      amount: 1,
      currency: 'USD',
      merchant: { descriptor: 'CORNER SHOP' },
    });
    const headers = { 'content-type': 'application/json', ...issuerHeaders(key, body) };
    return (await fetch(`${otherUrl}/2025-10-13/issuer/authorizations`, { method: 'POST', headers, body })).status;
  };
  await agree('a new issuer credential is known to the other process', async () => (await statusOfRequest()) === 404);
  await one('DELETE', `/sandbox/issuer-credentials/${key.id}`);
  await agree('a revoked issuer credential is refused by the other process', async () => (await statusOfRequest()) === 401);
}

async function clock(one: Call, other: Call, agree: Agree): Promise<void> {
  const { body } = await one('PUT', '/sandbox/clock', { advanceMs: 3_600_000, frozen: true });
  await agree(
    'the other process has the clock of the platform',
    async () => (await other('GET', '/sandbox/clock')).body['now'] === body['now'],
  );
  await one('PUT', '/sandbox/clock', { frozen: false });
}

async function faults(one: Call, other: Call, agree: Agree): Promise<void> {
  await other('GET', '/config');
  await one('PUT', '/sandbox/faults', { faults: [{ kind: 'ANSWER', operation: 'getPlatformConfig', code: 'RATE_LIMITED' }] });
  await agree('faults are met at the other process', async () => (await other('GET', '/config')).status === 429);
  await one('PUT', '/sandbox/faults', { faults: [] });
  await agree('removed faults are gone at the other process', async () => (await other('GET', '/config')).status === 200);
}

async function stream(one: Call, otherUrl: string, authorization: string, agree: Agree): Promise<void> {
  const abort = new AbortController();
  const answer = await fetch(`${otherUrl}/2025-10-13/webhooks/stream`, { headers: { authorization }, signal: abort.signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const reading = (async () => {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value;
  })().catch(() => {});
  const { body } = await customer(one);
  await agree('an event is on the stream of the other process', async () => text.includes(String(body['id'])));
  abort.abort();
  await reading;
}

/** The event is made after the change was acknowledged, by the other process; the worker sends it. */
async function endpoint(one: Call, other: Call, agree: Agree): Promise<void> {
  const [former, present] = [await startReceiver(), await startReceiver()];
  const has = (receiver: typeof former, id: unknown) => receiver.received.some(({ body }) => body.includes(String(id)));
  try {
    await one('PATCH', '/config', { webhookEndpoint: former.url });
    const first = (await customer(other)).body['id'];
    await agree('the worker sends to a new webhook endpoint', async () => has(former, first));
    await other('PATCH', '/config', { webhookEndpoint: present.url });
    const second = (await customer(one)).body['id'];
    await agree('the worker sends to a changed webhook endpoint', async () => has(present, second));
    if (has(former, second)) await agree('the worker no longer sends to a former endpoint', async () => false);
  } finally {
    await former.close();
    await present.close();
  }
}

/** Spends the allowance at one process; then the other refuses, too. Returns how many requests passed. */
async function rateLimit([one, other]: readonly [Call, Call], agree: Agree): Promise<number> {
  let passed = 0;
  // Refills while it is spent, so twice the allowance is the most that can pass on a slow machine.
  while ((await one('GET', '/config')).status === 200 && passed < 2 * RATE_LIMIT) passed += 1;
  await agree(
    'a rate limit that is spent at one process is spent at the other',
    async () => (await other('GET', '/config')).status === 429,
  );
  return passed;
}
