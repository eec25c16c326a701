// "`search` on customers (name, email, platform id)" and any object by its id, by an index on tables of any size without statistics.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { givenCard } from '../../../support/cards.js';
import { assertInvalid, type Client, expectStatus } from '../../../support/client.js';
import { plansOfOneServer } from '../../../support/database.js';
import { accountsApi } from '../../../support/external-accounts/accounts-api.js';
import { given } from '../../../support/given.js';
import { identity } from '../../../support/identity/verifications.js';
import { watchStatements } from '../../../support/plans.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
});
after(() => service.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Found = any;
const search = async (q: string, query = '', client = platform): Promise<Found[]> =>
  (await expectStatus(200, client.get(`/search?q=${encodeURIComponent(q)}${query}`))).data;
const ids = (found: Found[]): string[] => found.map(({ id }) => id);

describe('customers', () => {
  test('by the beginning of the name, of its last word, of the email address and of the platform id, in any case', async () => {
    const grace = await given(platform).customer({
      fullName: 'Grace Brewster Hopper',
      email: 'Rear.Admiral@Navy.example',
      platformCustomerId: 'CREW-1906',
    });
    for (const q of ['grace', 'GRACE BREW', 'hop', 'Hopper', 'rear.admiral@', 'REAR', 'crew-1906', 'Crew-19', '  grace   brewster '])
      assert.deepEqual(ids(await search(q)), [grace.id], q);
    assert.deepEqual(await search('grace'), [
      {
        type: 'Customer',
        id: grace.id,
        name: 'Grace Brewster Hopper',
        email: grace.email,
        platformCustomerId: 'CREW-1906',
      },
    ]);
    for (const q of ['race', 'brewster', 'admiral', '1906', '%', '_race', 'gr%']) assert.deepEqual(await search(q), [], q);
  });

  test('a business by its legal name', async () => {
    const business = await identity(platform).business();
    const customer = await expectStatus(200, platform.get(`/customers/${business.id ?? business}`));
    const name = customer.businessInfo.legalName;
    assert.ok(ids(await search(name.slice(0, 4).toUpperCase())).includes(customer.id));
  });

  test('a customer that matches twice is found once, a deleted one not at all', async () => {
    const twice = await given(platform).customer({ fullName: 'Zuse Zuse', email: 'zuse@z3.example', platformCustomerId: 'zuse' });
    assert.deepEqual(ids(await search('zuse')), [twice.id]);
    await expectStatus(200, platform.delete(`/customers/${twice.id}`));
    assert.deepEqual(await search('zuse'), []);
  });

  test('at most `limit`', async () => {
    for (let i = 0; i < 3; i += 1) await given(platform).customer({ fullName: `Limit ${i}` });
    assert.equal((await search('limit', '&limit=2')).length, 2);
    assertInvalid(await platform.get('/search?q=a&limit=51'), 'limit');
    assertInvalid(await platform.get('/search'), 'q');
  });
});

describe('objects', () => {
  test('by id, by uuid alone, in capitals and with blanks around it', async () => {
    const { card, customer, usd } = await givenCard(platform);
    const external = await accountsApi(platform, 'customers').wallet();
    for (const { id } of [card, customer, usd, external]) {
      const [type = '', uuid = ''] = id.split(':');
      for (const q of [id, uuid, ` ${uuid.toUpperCase()} `]) assert.deepEqual(await search(q), [{ type, id }], q);
    }
    const asked = await platform.get('/config');
    await platform.get(`/requests/${asked.headers.get('x-request-id')}`);
    assert.deepEqual(await search(asked.headers.get('x-request-id') ?? ''), [
      { type: 'LoggedRequest', id: asked.headers.get('x-request-id') },
    ]);
  });

  test('nothing of another platform, of another type or deleted', async () => {
    const customer = await given(platform).customer();
    const other = await service.newPlatform();
    assert.deepEqual(await search(customer.id, '', other), []);
    assert.deepEqual(await search(`Card:${customer.id.slice(9)}`), []);
    assert.deepEqual(await search(`Platform:${customer.id.slice(9)}`), []);
    await expectStatus(200, platform.delete(`/customers/${customer.id}`));
    assert.deepEqual(await search(customer.id), []);
  });
});

test('every statement reads an index range of the platform, on a table without statistics that holds many customers', {
  skip: plansOfOneServer(),
}, async () => {
  const crowded = await service.newPlatform();
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  const texts: { text: string; values: unknown[] }[] = [];
  try {
    const platformId = (await platformIdOf(service, crowded)).slice('Platform:'.length);
    // Committed by nobody: the plans are made on 30,000 rows that the other tests never see.
    await client.query('begin');
    await client.query(
      `insert into customers (platform_id, id, platform_customer_id, customer_type, uma_address, verification_status, currencies, email, profile, created_at, updated_at)
       select $1, gen_random_uuid(), 'c' || n, 'INDIVIDUAL', '$c' || n || '@x', 'APPROVED', '{USD}', 'c' || n || '@example.com',
         json_build_object('fullName', 'Name ' || n), now(), now() from generate_series(1, 30000) n`,
      [platformId],
    );
    const stop = watchStatements(
      () => {},
      (query) => {
        if (typeof query === 'object' && query !== null && 'text' in query && 'values' in query)
          texts.push({ text: String(query.text), values: query.values as unknown[] });
      },
    );
    await search('name 77', '', crowded);
    await search(randomUUID(), '', crowded);
    stop();
    const own = texts.filter(({ text }) => /collate "C"|card_disputes/.test(text));
    assert.equal(own.length, 5, 'four searches of customers and one of objects');
    for (const { text, values } of own) {
      const { rows } = await client.query(`explain (analyze, timing off, format json) ${text}`, values);
      const plan = JSON.stringify(rows[0]['QUERY PLAN']);
      assert.doesNotMatch(plan, /Seq Scan|"Node Type":"Sort"/, text);
      assert.doesNotMatch(plan, /Rows Removed by Filter":[1-9]\d{2}/, `no index is read from end to end: ${text}`);
    }
  } finally {
    await client.query('rollback');
    await client.end();
  }
});
