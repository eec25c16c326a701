// Rules of every operation: named fields, one credential, retry hints, dates as filters, lock timeout.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/db/sql.js';
import { uuidOf } from '../../src/kernel/ids.js';
import { assertInvalid, assertRefused, expectStatus } from '../support/client.js';
import { given } from '../support/given.js';
import { startTestService, type TestService } from '../support/service.js';
import { platformIdOf } from '../support/webhooks/platform.js';

let service: TestService;
before(async () => {
  service = await startTestService({ DATABASE_LOCK_TIMEOUT_MS: '200' });
});
after(() => service.stop());

describe('a number beyond 2^53 is an INVALID_INPUT of its field', () => {
  test('in an object', async () => {
    const answer = await service.platform.patch('/config', '{"cardConfigs":{"maxSpendPerDay":9007199254740993}}');
    assertInvalid(answer, 'cardConfigs.maxSpendPerDay');
    assert.deepEqual(answer.body.details.errors[0].constraint, { maximum: Number.MAX_SAFE_INTEGER });
  });

  test('in a list, by its index', async () => {
    assertInvalid(await service.platform.post('/tokens', '{"name":"a","permissions":["VIEW",9007199254740993]}'), 'permissions.1');
  });

  test('a fraction with more digits than can be read exactly is an INVALID_INPUT of its field', async () => {
    assertInvalid(
      await service.platform.patch('/config', '{"cardConfigs":{"maxSpendPerDay":1.00000000000000000001}}'),
      'cardConfigs.maxSpendPerDay',
    );
  });

  test('text that is not JSON is an INVALID_REQUEST_FORMAT', async () => {
    assertRefused(await service.platform.patch('/config', '{"cardConfigs":'), 400, 'INVALID_REQUEST_FORMAT');
  });
});

test('two Authorization headers: 401', async () => {
  const one = `authorization: ${service.platform.authorization}\r\n`;
  const request = (headers: string) => statusOf(`GET /2025-10-13/config HTTP/1.1\r\nhost: a\r\n${headers}connection: close\r\n\r\n`);
  assert.equal(await request(one), 200);
  assert.equal(await request(one + one), 401);
  assert.equal(await request(`${one}Authorization: Basic YTpi\r\n`), 401);
});

describe('permanent refusals carry x-should-retry: false', () => {
  test('400, 401, 404, 405 and 409', async () => {
    const taken = await given(service.platform).customer();
    const answers = [
      await service.platform.post('/tokens', {}),
      await service.as('nobody', 'x').get('/config'),
      await service.platform.get('/cards/Card:00000000-0000-7000-8000-000000000000'),
      await service.platform.request('PUT', '/tokens', {}),
      await service.platform.post('/customers', {
        customerType: 'INDIVIDUAL',
        fullName: 'Ada',
        platformCustomerId: taken.platformCustomerId,
      }),
    ];
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.get('x-should-retry')]),
      [
        [400, 'false'],
        [401, 'false'],
        [404, 'false'],
        [405, 'false'],
        [409, 'false'],
      ],
    );
  });

  test('a success has no x-should-retry', async () => {
    assert.equal((await service.platform.get('/config')).headers.get('x-should-retry'), null);
  });
});

describe('a date filter means the first instant of the date', () => {
  test('createdAfter and createdBefore of a list', async () => {
    const platform = await service.newPlatform();
    await platform.clock.freeze('2026-03-05T00:00:00.000Z');
    const customer = await given(platform).customer();
    const ids = async (query: string) =>
      (await expectStatus(200, platform.get(`/customers?${query}`))).data.map(({ id }: { id: string }) => id);
    assert.deepEqual(await ids('createdAfter=2026-03-05'), [customer.id]);
    assert.deepEqual(await ids('createdAfter=2026-03-06'), []);
    assert.deepEqual(await ids('createdBefore=2026-03-05'), [customer.id]);
    assert.deepEqual(await ids('createdBefore=2026-03-04'), []);
  });

  test('a date that does not exist is refused', async () => {
    assertInvalid(await service.platform.get('/customers?createdAfter=2026-02-30'), 'createdAfter');
  });

  test('a timestamp in a body must be a full timestamp', async () => {
    assert.equal((await service.platform.put('/sandbox/clock', { now: '2026-03-05' })).status, 400);
  });
});

test('a lock wait beyond DATABASE_LOCK_TIMEOUT_MS answers 503 with Retry-After and changes nothing', async () => {
  const customer = await given(service.platform).customer({ fullName: 'Before' });
  const platform = uuidOf(await platformIdOf(service, service.platform));
  const holder = await service.db.connect();
  try {
    await holder.query('begin');
    await holder.query('select 1 from customers where platform_id = $1 and id = $2 for update', [platform, customer.id.split(':')[1]]);
    const answer = await service.platform.patch(`/customers/${customer.id}`, { customerType: 'INDIVIDUAL', fullName: 'After' });
    assertRefused(answer, 503, 'SERVICE_UNAVAILABLE');
    assert.equal(answer.headers.get('retry-after'), '1');
    // The step of a fixture waits for the same lock: nothing is wrong with the file, so it is not a conflict.
    const body = { customerType: 'INDIVIDUAL', fullName: 'After' };
    const steps = [{ name: 'renamed', call: 'customers update', ids: [customer.id], body }];
    assertRefused(await service.platform.post('/sandbox/fixtures', { name: 'waits', steps }), 503, 'SERVICE_UNAVAILABLE');
  } finally {
    await holder.query('rollback');
    await holder.end();
  }
  const found = await service.db.one<{ profile: { fullName: string } }>(
    sql`select profile from customers where id = ${customer.id.split(':')[1]}`,
  );
  assert.equal(found?.profile.fullName, 'Before');
});

/** Sends raw bytes and returns the status of the response. */
function statusOf(request: string): Promise<number> {
  const { port, hostname } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])));
    socket.on('error', reject);
  });
}
