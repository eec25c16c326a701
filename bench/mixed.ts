// Mixed traffic for a minute: authorizations, reads, deposits, limit changes and new customers at once, with webhook delivery.
import { randomUUID } from 'node:crypto';
import { startReceiver } from '../src/testing.js';
import type { LeanClient } from './http-client.js';
import { load, ms, perSecond, type Row } from './measure.js';
import { startBenchService } from './service.js';

const CALLERS = 32;
const CARDS = 64;
const SECONDS = 60;

type Fixture = { readonly customerId: string; readonly accountId: string; readonly cardId: string };

export async function mixed(): Promise<Row[]> {
  const service = await startBenchService();
  const receiver = await startReceiver();
  const { client } = service;
  try {
    await client.expect(200, 0, 'PATCH', '/config', { webhookEndpoint: receiver.url });
    const fixtures: Fixture[] = [];
    for (let i = 0; i < CARDS; i += 1) fixtures.push(await fixture(client));
    const memoryBefore = service.memory();
    const cpuBefore = service.cpuSeconds();
    const figure = await load((caller) => send(client, caller, fixtures[Math.floor(Math.random() * CARDS)] as Fixture), {
      callers: CALLERS,
      seconds: SECONDS,
      warmupSeconds: 2,
    });
    const perCore = figure.count / (service.cpuSeconds() - cpuBefore);
    const growth = service.memory() - memoryBefore;
    return [
      {
        name: `mixed load, ${CALLERS} callers, ${SECONDS} s`,
        measured: `${perSecond(figure)}  p50 ${ms(figure.p50)}  p99 ${ms(figure.p99)}  ${figure.errors} errors`,
        limit: '0 errors',
        holds: figure.errors === 0,
      },
      { name: 'requests per second and core of the service', measured: `${Math.round(perCore).toLocaleString('en-US')}/s` },
      { name: 'memory growth of the service', measured: `${growth.toFixed(0)} MiB (from ${memoryBefore.toFixed(0)} MiB)` },
      { name: 'webhooks received', measured: receiver.events.length.toLocaleString('en-US') },
    ];
  } finally {
    client.close();
    await service.stop();
    await receiver.stop();
  }
}

async function fixture(client: LeanClient): Promise<Fixture> {
  const json = async (status: number, method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    JSON.parse(await client.expect(status, 0, method, path, body, headers));
  const customer = await json(201, 'POST', '/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' });
  const { data } = await json(200, 'GET', `/customers/internal-accounts?customerId=${customer.id}&currency=USD`);
  await json(200, 'POST', `/sandbox/internal-accounts/${data[0].id}/fund`, { amount: 100_000_000_000 });
  const card = await json(
    201,
    'POST',
    '/cards',
    { customerId: customer.id, form: 'VIRTUAL', fundingSource: data[0].id },
    { 'Idempotency-Key': randomUUID() },
  );
  return { customerId: customer.id, accountId: data[0].id, cardId: card.id };
}

const merchant = { descriptor: 'COFFEE ROASTERS', mcc: '5814', country: 'US' };

/** Share of the traffic of each kind of request. */
const REQUESTS: readonly { share: number; send: (client: LeanClient, caller: number, fixture: Fixture) => Promise<unknown> }[] = [
  {
    share: 0.4,
    send: (client, caller, { cardId }) =>
      client.expect(202, caller, 'POST', `/sandbox/cards/${cardId}/simulate/authorization`, {
        amount: 100,
        currency: { code: 'USD' },
        merchant,
      }),
  },
  { share: 0.25, send: (client, caller, { cardId }) => client.expect(200, caller, 'GET', `/cards/${cardId}`) },
  { share: 0.1, send: (client, caller, { cardId }) => client.expect(200, caller, 'GET', `/transactions?cardId=${cardId}&limit=20`) },
  {
    share: 0.1,
    send: (client, caller, { accountId }) =>
      client.expect(200, caller, 'POST', `/sandbox/internal-accounts/${accountId}/fund`, { amount: 100 }),
  },
  {
    share: 0.05,
    send: (client, caller, { cardId }) => client.expect(200, caller, 'PATCH', `/cards/${cardId}`, { maxSpendPerTransaction: 5_000 }),
  },
  { share: 0.05, send: (client, caller, { customerId }) => client.expect(200, caller, 'GET', `/customers/${customerId}`) },
  {
    share: 0.05,
    send: (client, caller) =>
      client.expect(
        201,
        caller,
        'POST',
        '/customers',
        { customerType: 'INDIVIDUAL', fullName: 'Grace Hopper' },
        { 'Idempotency-Key': randomUUID() },
      ),
  },
];

async function send(client: LeanClient, caller: number, fixture: Fixture): Promise<void> {
  let left = Math.random();
  const chosen = REQUESTS.find(({ share }) => {
    left -= share;
    return left < 0;
  });
  await (chosen ?? REQUESTS[0]!).send(client, caller, fixture);
}
