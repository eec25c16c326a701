// Metrics have a listener of their own, and scraping them costs the database nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { readConfig, SETTINGS } from '../../src/config.js';
import { sql } from '../../src/db/sql.js';
import { errorCodesOf } from '../../src/http/operation.js';
import { ERRORS } from '../../src/kernel/errors.js';
import { type Service, startService } from '../../src/service.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { startOwnService, type TestService } from '../support/service.js';
import { temporaryDirectory } from '../support/temporary.js';

describe('the metrics listener', () => {
  let service: TestService;
  let metricsUrl: string;
  before(async () => {
    service = await startOwnService();
    metricsUrl = service.service.metricsUrl as string;
  });
  after(() => service.stop());

  const scrape = async (): Promise<string> => (await fetch(`${metricsUrl}/metrics`)).text();

  test('/metrics counts requests by operation id and class of status', async () => {
    await service.platform.get('/config');
    const text = await scrape();
    assert.match(text, /^switchyard_http_requests_total\{operation="getPlatformConfig",status="2xx"\} \d+$/m);
    assert.match(text, /^switchyard_http_responses_total\{status="200"\} \d+$/m);
    assert.match(text, /^switchyard_http_request_seconds_bucket\{le="0.001",kind="read"\} \d+$/m);
    for (const pool of ['main', 'decisions'])
      assert.match(text, new RegExp(`^switchyard_db_connections\\{pool="${pool}",state="idle"\\}`, 'm'));
  });

  test('/metrics on the API port answers 404', async () => {
    assert.equal((await fetch(`${service.url}/metrics`)).status, 404);
  });

  test('/healthz and /readyz are there too', async () => {
    for (const page of ['/healthz', '/readyz']) {
      assert.equal((await fetch(metricsUrl + page)).status, 200, page);
      assert.equal((await fetch(service.url + page)).status, 200, page);
    }
  });

  test('serves nothing else: 404, and 405 with Allow', async () => {
    assert.equal((await fetch(`${metricsUrl}/2025-10-13/config`)).status, 404);
    const posted = await fetch(`${metricsUrl}/metrics`, { method: 'POST' });
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET']);
  });

  test('a scrape does not wait for the database', async () => {
    await service.db.transaction(async (tx) => {
      await tx.run(sql`lock table webhook_deliveries, ledger_accounts, entries in access exclusive mode`);
      const response = await fetch(`${metricsUrl}/metrics`, { signal: AbortSignal.timeout(5_000) });
      assert.equal(response.status, 200);
    });
  });

  test('the text of 168 operations with all their statuses is below 64 kB', async () => {
    const { operations, metrics } = service.service;
    const lengths: number[] = [];
    for (let i = 0; i < 168; i += 1) {
      const op = operations[i % operations.length];
      assert.ok(op);
      const operation = i < operations.length ? op.id : `${op.id.slice(0, -3)}${i}`;
      lengths.push(operation.length);
      const statuses = [...Object.keys(op.success).map(Number), 499, ...errorCodesOf(op).map((code) => ERRORS[code].status)];
      for (const status of statuses) metrics.observe({ operation, method: op.method, status, seconds: 0.004 });
    }
    const text = await scrape();
    const series = text.match(/^switchyard_http_requests_total\{/gm)?.length ?? 0;
    assert.ok(series >= 3 * 168, String(series));
    assert.ok(lengths.reduce((sum, length) => sum + length, 0) / 168 > 20, 'names as long as those of the contract');
    // Each count may grow to ten digits.
    assert.ok(text.length + 9 * series < 64_000, String(text.length + 9 * series));
  });
});

describe('METRICS_PORT', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());

  const start = (t: { after(work: () => void): void }, env: Record<string, string>): Promise<Service> =>
    startService(
      readConfig({
        PORT: '0',
        DATA_DIR: temporaryDirectory(t),
        DATABASE_URL: database.url,
        KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
        ...env,
      }),
      pino({ level: 'silent' }),
    );

  /** Takes the port, unless another process of this machine has it. */
  async function occupy(port: number): Promise<Server> {
    const server = createServer();
    const listening = once(server, 'listening').catch(() => {});
    server.listen(port, '127.0.0.1');
    await listening;
    return server;
  }

  test('the default port is in use: the service starts all the same, with a notice', async (t) => {
    const port = Number(SETTINGS.METRICS_PORT.default);
    const taken = await occupy(port);
    try {
      const service = await start(t, {});
      assert.equal(service.metricsUrl, undefined);
      assert.match(service.notices.join('\n'), new RegExp(`port ${port} .*in use.*METRICS_PORT`));
      assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
      await service.stop();
    } finally {
      taken.close();
    }
  });

  test('a port that was set and is in use is an error', async (t) => {
    const taken = await occupy(0);
    const { port } = taken.address() as { port: number };
    try {
      await assert.rejects(start(t, { METRICS_PORT: String(port) }), { name: 'ConfigError', message: /METRICS_PORT: .*EADDRINUSE/ });
    } finally {
      taken.close();
    }
  });

  test('off: no metrics, no notice', async (t) => {
    const service = await start(t, { METRICS_PORT: 'off' });
    assert.deepEqual([service.metricsUrl, service.notices], [undefined, []]);
    await service.stop();
  });

  test('a worker has no API, and serves metrics and health', async (t) => {
    const service = await start(t, { ROLE: 'worker', METRICS_PORT: '0' });
    const text = await (await fetch(`${service.metricsUrl}/metrics`)).text();
    assert.match(text, /switchyard_webhook_attempts_total/);
    assert.equal((await fetch(`${service.metricsUrl}/readyz`)).status, 200);
    await service.stop();
  });

  for (const value of ['on', '-1', '65536', '80.5']) {
    test(`${value} is refused`, () => assert.throws(() => readConfig({ METRICS_PORT: value }), /METRICS_PORT/));
  }
});

describe('balances of service-side accounts', () => {
  test('are gauges per purpose and currency over all platforms, read by the worker and not by a scrape', async () => {
    const service = await startOwnService();
    try {
      const text = async () => (await fetch(`${service.service.metricsUrl}/metrics`)).text();
      const gauge = /^switchyard_service_balance\{purpose="(?:RESERVE|FEES)",currency="USD"\} 0$/gm;
      let found = await text();
      for (let i = 0; i < 200 && [...found.matchAll(gauge)].length < 2; i += 1) found = await text();
      assert.equal([...found.matchAll(gauge)].length, 2);
      await service.db.transaction(async (tx) => {
        await tx.run(sql`lock table ledger_accounts, entries, service_day_sums in access exclusive mode`);
        assert.match(await text(), gauge);
      });
    } finally {
      await service.stop();
    }
  });
});
