// What the log says when the service cannot work: enough for an operator to find the cause.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { startOwnService, type TestService } from '../support/service.js';

let service: TestService;
before(async () => {
  service = await startOwnService({ ROLE: 'api', DATABASE_LOCK_TIMEOUT_MS: '50', REQUEST_LOG: 'off' });
});
after(() => service.stop());

const logged = (): Record<string, unknown>[] => service.logged.map((line) => JSON.parse(line) as Record<string, unknown>);

test('the log names the cause of a 503 beside its request; the answer does not', async () => {
  const operator = new pg.Client({ connectionString: service.databaseUrl });
  await operator.connect();
  try {
    await operator.query('begin; lock table customers');
    const answer = await service.platform.get('/customers');
    assert.equal(answer.status, 503);
    assert.deepEqual(Object.keys(answer.body as object), ['code', 'reason']);
    const { level, errorCode, errorMessage } =
      logged().find(({ msg, requestId }) => msg === 'not available' && requestId === answer.headers.get('x-request-id')) ?? {};
    assert.deepEqual(
      { level, errorCode, errorMessage },
      { level: 40, errorCode: '55P03', errorMessage: 'canceling statement due to lock timeout' },
    );
  } finally {
    await operator.end();
  }
});

test('the log names why the database does not answer a readiness check', async () => {
  const url = new URL(service.databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const operator = new pg.Client({ connectionString: url.href });
  await operator.connect();
  try {
    await operator.query(`alter database "${name}" allow_connections off`);
    await operator.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [name]);
    // The first may meet a connection that was cut.
    for (let i = 0; i < 2; i += 1) assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
    const texts = logged()
      .filter(({ msg }) => msg === 'the database does not answer')
      .map(({ errorMessage }) => errorMessage);
    assert.equal(texts.at(-1), `database "${name}" is not currently accepting connections`);
    await operator.query(`alter database "${name}" allow_connections on`);
  } finally {
    await operator.end();
  }
});
