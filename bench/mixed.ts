// Mixed traffic for a minute: authorizations, reads, deposits, limit changes and new customers at once, with webhook delivery.
import { startReceiver } from '../src/testing.js';
import { load, ms, perSecond, type Row } from './measure.js';
import { type Fixture, newFixture, sendMixed } from './mixed-traffic.js';
import { startBenchService } from './service.js';

const CALLERS = 32;
const CARDS = 64;
const SECONDS = 60;

export async function mixed(): Promise<Row[]> {
  const service = await startBenchService();
  const receiver = await startReceiver();
  const { client } = service;
  try {
    await client.expect(200, 0, 'PATCH', '/config', { webhookEndpoint: receiver.url });
    const fixtures: Fixture[] = [];
    for (let i = 0; i < CARDS; i += 1) fixtures.push(await newFixture(client));
    const memoryBefore = service.memory();
    const cpuBefore = service.cpuSeconds();
    const figure = await load(
      (caller) => sendMixed(client, caller, fixtures[Math.floor(Math.random() * CARDS)] as Fixture, Math.random()),
      {
        callers: CALLERS,
        seconds: SECONDS,
        warmupSeconds: 2,
      },
    );
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
