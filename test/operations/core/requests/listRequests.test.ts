// "Request log: id, operation, method, path, status, code, ms, token, idempotency key, signed leg, ids it touched."
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { requestLogUpkeep } from '../../../../src/domains/core/requests/actions.js';
import { assertInvalid, type Client, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { race } from '../../../support/race.js';
import { startOwnService, startTestService, type TestService } from '../../../support/service.js';
import { wallet } from '../../../support/wallet.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

let service: TestService;
let client: Client;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const requestId = (answer: { headers: Headers }): string => answer.headers.get('x-request-id') as string;
const list = async (query = '') => (await expectStatus(200, client.get(`/requests${query}`))).data;

describe('listRequests', () => {
  before(async () => {
    client = await service.newPlatform();
  });

  test('a request is listed with what it was and how it ended', async () => {
    const customer = await client.post(
      '/customers',
      { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      { headers: { 'idempotency-key': 'k1' } },
    );
    assert.equal(customer.status, 201);
    const [{ durationMs, timestamp, receivedAt, tokenId, ...shown }] = await list('?limit=1');
    assert.deepEqual(shown, {
      id: requestId(customer),
      operation: 'createCustomer',
      method: 'POST',
      path: '/customers',
      status: 201,
      idempotencyKey: 'k1',
      objectIds: [customer.body.id],
    });
    assert.ok(durationMs > 0);
    assert.match(tokenId, /^Token:/);
    assert.ok(Math.abs(Date.parse(receivedAt) - Date.now()) < 60_000);
    assert.ok(Math.abs(Date.parse(timestamp) - Date.parse(receivedAt)) < 60_000);
  });

  test('a refusal has its code; a request without valid credentials belongs to no platform and is not listed', async () => {
    const refused = await client.get('/cards/Card:01a1e489-0000-7000-8000-000000000000');
    await service.as(client.tokenId, 'wrong').get('/cards');
    const [first, second] = await list('?limit=2');
    assert.deepEqual([first.id, first.status, first.code], [requestId(refused), 404, 'NOT_FOUND']);
    assert.notEqual(second.status, 401);
  });

  test('a request that its permission refuses is listed', async () => {
    const { clientId, clientSecret, id } = await expectStatus(201, client.post('/tokens', { name: 'reader', permissions: ['VIEW'] }));
    const refused = await service.as(clientId, clientSecret).post('/tokens', { name: 'x', permissions: ['VIEW'] });
    const [first] = await list(`?tokenId=${id}`);
    assert.deepEqual([first.id, first.status, first.code, first.tokenId], [requestId(refused), 403, 'FORBIDDEN', id]);
  });

  test('reads of the log itself are not in it', async () => {
    await list();
    assert.deepEqual((await list('?operation=listRequests')).length, 0);
  });

  test('a path parameter that is no id is masked, and so is a refused value of the query', async () => {
    await client.get('/cards/hunter2');
    await client.get('/tokens?cursor=hunter2&limit=3');
    const [tokens, card] = await list('?limit=2');
    assert.equal(card.path, '/cards/•••');
    assert.deepEqual(
      [...new URLSearchParams(tokens.query)],
      [
        ['cursor', '•••'],
        ['limit', '3'],
      ],
    );
    assert.doesNotMatch(JSON.stringify([tokens, card]), /hunter2/);
  });

  test('both legs of a signed operation say which they are', async () => {
    const owner = await wallet(client);
    const path = `/internal-accounts/${owner.account.id}`;
    const asked = await expectStatus(202, client.patch(path, { privateEnabled: true }));
    const [first] = await list('?limit=1');
    assert.equal(first.signedLeg, 'INITIAL');
    assert.ok(first.objectIds.includes(owner.account.id));
    // Both are found by the request that is signed, so that the signing desk can tell why a retry failed.
    const headers = { 'service-wallet-signature': 'not a stamp', 'request-id': asked.requestId };
    const refused = await client.patch(path, { privateEnabled: true }, { headers });
    const [retry, initial] = await list(`?objectId=${asked.requestId}`);
    assert.deepEqual([retry.signedLeg, retry.status, retry.code], ['RETRY', refused.status, refused.body.code]);
    assert.equal(initial.id, first.id);
  });

  test('the time is that of the platform, and beside it the real one', async () => {
    const at = await client.clock.freeze('2031-03-12T15:00:00.000Z');
    await client.get('/config');
    const [first] = await list('?limit=1');
    await client.clock.resume();
    assert.equal(first.timestamp, at.toISOString());
    assert.ok(Math.abs(Date.parse(first.receivedAt) - Date.now()) < 60_000);
  });

  test('filters: operation, status, class of status, object', async () => {
    const customer = await given(client).customer();
    await client.get(`/customers/${customer.id}`);
    await client.get('/cards/Card:01a1e489-0000-7000-8000-000000000000');
    const all = async (query: string) =>
      (await list(`?limit=100&${query}`)) as { operation: string; status: number; objectIds: string[] }[];
    assert.ok((await all('operation=getCustomerById')).every(({ operation }) => operation === 'getCustomerById'));
    assert.ok((await all('operation=getCustomerById')).length > 0);
    assert.ok((await all('status=404')).every(({ status }) => status === 404));
    assert.ok((await all('status=4xx')).length >= (await all('status=404')).length);
    assert.ok((await all('status=2xx')).every(({ status }) => status >= 200 && status < 300));
    const about = await all(`objectId=${customer.id}`);
    assert.deepEqual(
      about.map(({ operation }) => operation),
      ['getCustomerById', 'createCustomer'],
    );
    assert.deepEqual(await all('objectId=Customer:01a1e489-0000-7000-8000-000000000000'), []);
    assert.deepEqual(await all(`objectId=${customer.id}&status=404`), []);
  });

  test('pages follow each other without gap or repeat, with and without a filter', async () => {
    const customer = await given(client).customer();
    for (let i = 0; i < 5; i += 1) await client.get(`/customers/${customer.id}`);
    for (const filter of [
      `objectId=${customer.id}`,
      'operation=getCustomerById',
      'status=2xx',
      `tokenId=${(await list('?limit=1'))[0].tokenId}`,
    ]) {
      const seen: string[] = [];
      for (let cursor = ''; ; ) {
        const page = await expectStatus(200, client.get(`/requests?limit=2&${filter}${cursor}`));
        seen.push(...page.data.map(({ id }: { id: string }) => id));
        if (!page.hasMore) break;
        cursor = `&cursor=${page.nextCursor}`;
      }
      assert.equal(new Set(seen).size, seen.length);
      assert.deepEqual(
        seen,
        (await list(`?limit=100&${filter}`)).map(({ id }: { id: string }) => id),
      );
    }
  });

  test('a filter of wrong shape is refused by name', async () => {
    assertInvalid(await client.get('/requests?status=9xx'), 'status');
    assertInvalid(await client.get('/requests?tokenId=Card:1'), 'tokenId');
    assertInvalid(await client.get('/requests?colour=red'), 'colour');
  });

  test("another platform's requests are never listed", async () => {
    const mine = requestId(await client.get('/config'));
    const other = await service.newPlatform();
    const theirs = await expectStatus(200, other.get('/requests?limit=100'));
    assert.equal(theirs.data.length, 0);
    assert.equal((await other.get(`/requests/${mine}`)).status, 404);
  });

  race('64 requests at once are all recorded', async () => {
    const customer = await given(client).customer();
    const answers = await Promise.all(Array.from({ length: 64 }, () => client.get(`/customers/${customer.id}`)));
    const ids = new Set((await list(`?limit=100&objectId=${customer.id}`)).map(({ id }: { id: string }) => id));
    assert.deepEqual(
      answers.map(requestId).filter((id) => !ids.has(id)),
      [],
    );
  });
});

describe('retention', () => {
  test('requests of the last 7 days are kept, and of these the newest 100,000', async () => {
    client = await service.newPlatform();
    for (let i = 0; i < 6; i += 1) await client.get('/config');
    const kept = (await list()).map(({ id }: { id: string }) => id);
    const platformId = await platformIdOf(service, client);
    await requestLogUpkeep({ keptRows: 4 }).run(service.db, platformId, new Date(), () => false);
    assert.deepEqual(
      (await list()).map(({ id }: { id: string }) => id),
      kept.slice(0, 4),
    );
    await requestLogUpkeep().run(service.db, platformId, new Date(Date.now() + 7 * 86_400_000 - 60_000), () => false);
    assert.equal((await list()).length, 4);
    await given(client).customer();
    await list();
    await requestLogUpkeep().run(service.db, platformId, new Date(Date.now() + 7 * 86_400_000 + 60_000), () => false);
    assert.equal((await list()).length, 0);
    const left = await service.db.one<{ count: bigint }>(
      sql`select count(*) from request_log_objects where platform_id = ${platformId.slice('Platform:'.length)}`,
    );
    assert.equal(left?.count, 0n);
  });
});

describe('a log that cannot be written', () => {
  test('fails no request, is counted, and the next recorded request says how many are missing', async () => {
    const own = await startOwnService();
    try {
      client = own.platform;
      await client.get('/config');
      await list();
      await own.db.run(sql`alter table request_log rename to request_log_gone`);
      const answers = await Promise.all(Array.from({ length: 3 }, () => client.get('/config')));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      await own.db.run(sql`alter table request_log_gone rename to request_log`);
      const metrics = async () => (await fetch(`${own.service.metricsUrl}/metrics`)).text();
      // Whatever was written while the table was away is counted; the rest is in the log.
      await list();
      await client.get('/config');
      const shown = await list();
      const dropped = Number(/switchyard_request_log_dropped_total\{reason="write"\} (\d+)/.exec(await metrics())?.[1] ?? 0);
      assert.equal(shown.length, 5 - dropped);
      const missing = shown.reduce((sum: number, { unrecordedBefore = 0 }) => sum + unrecordedBefore, 0);
      assert.equal(missing, dropped);
    } finally {
      await own.stop();
    }
  });
});
