// "In sandbox bodies to 8 kB with secret fields masked by the schema, in live none."
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let client: Client;
before(async () => {
  service = await startTestService();
  client = service.platform;
});
after(() => service.stop());

const logged = async (answer: { headers: Headers }) => expectStatus(200, client.get(`/requests/${answer.headers.get('x-request-id')}`));

describe('getRequest', () => {
  test('shows both bodies', async () => {
    const answer = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' });
    const request = await logged(answer);
    assert.deepEqual(JSON.parse(request.requestBody), { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' });
    assert.equal(JSON.parse(request.responseBody).id, answer.body.id);
    assert.deepEqual([request.requestBodyCut, request.responseBodyCut], [false, false]);
  });

  test('shows the whole error of a refusal', async () => {
    const answer = await client.post('/customers', { customerType: 'INDIVIDUAL', birthDate: 'yesterday' });
    const request = await logged(answer);
    assert.equal(answer.status, 400);
    assert.equal(request.responseBody, answer.text);
    assert.equal(request.code, 'INVALID_INPUT');
  });

  test('logs a body that is refused because it is nested too deeply', async () => {
    for (const deep of [`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`]) {
      const answer = await client.post('/quotes', `{"senderCustomerInfo":${deep}}`);
      assertRefused(answer, 400, 'INVALID_REQUEST_FORMAT');
      const request = await logged(answer);
      assert.deepEqual([request.status, request.requestBody.includes('•••')], [400, true]);
    }
  });

  test('masks secrets in both bodies', async () => {
    const answer = await client.post('/customers', {
      customerType: 'INDIVIDUAL',
      fullName: 'Ada',
      idType: 'SSN',
      identifier: '123-45-6789',
    });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(JSON.parse((await logged(answer)).requestBody).identifier, '•••');
    const secrets = await client.get('/webhooks/signing-secrets');
    assert.ok(JSON.parse((await logged(secrets)).responseBody).data.every(({ secret }: { secret: string }) => secret === '•••'));
  });

  test('leaves out an answer that is shown only once', async () => {
    const answer = await client.post('/tokens', { name: 'once', permissions: ['VIEW'] });
    const request = await logged(answer);
    assert.equal(request.responseBody, undefined);
    assert.doesNotMatch(JSON.stringify(request), new RegExp(answer.body.clientSecret));
  });

  test('leaves out a body that is not JSON', async () => {
    const answer = await client.post('/tokens', '{"name":"hunter2');
    assert.equal(answer.status, 400);
    assert.equal((await logged(answer)).requestBody, undefined);
  });

  test('cuts a long body after 8 kB and says so', async () => {
    for (let i = 0; i < 40; i += 1)
      await client.post('/customers', { customerType: 'INDIVIDUAL', fullName: `Person ${i} ${'x'.repeat(200)}` });
    const answer = await client.get('/customers?limit=100');
    assert.ok(answer.text.length > 8_192);
    const request = await logged(answer);
    assert.equal(request.responseBody.length, 8_192);
    assert.equal(request.responseBodyCut, true);
  });

  test('an unknown id, an id of another kind and an id of another platform are not found, alike', async () => {
    const other = await service.newPlatform();
    const theirs = (await other.get('/config')).headers.get('x-request-id');
    const unknown = await client.get('/requests/01a1e489-0000-7000-8000-000000000000');
    assertRefused(unknown, 404, 'NOT_FOUND');
    for (const id of [theirs, 'Card:1', 'x']) assert.equal((await client.get(`/requests/${id}`)).text, unknown.text);
  });
});

test('a live installation keeps no body and no query', async () => {
  const live = await startTestService({ MODE: 'live', KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') });
  try {
    client = await live.newPlatform();
    const request = await logged(await client.post('/customers?x=1', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' }));
    assert.deepEqual(
      [request.operation, request.requestBody, request.responseBody, request.query],
      ['createCustomer', undefined, undefined, undefined],
    );
  } finally {
    await live.stop();
  }
});
