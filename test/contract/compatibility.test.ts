// The settings for clients and receivers that were written for another service of this API.
import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type Receiver, startReceiver } from '../../src/testing.js';
import { expectStatus } from '../support/client.js';
import { given } from '../support/given.js';
import { startTestService, type TestService } from '../support/service.js';
import { Connection } from '../support/wire.js';

let receiver: Receiver;
let standard: TestService;
let compatible: TestService;
before(async () => {
  receiver = await startReceiver();
  standard = await startTestService();
  compatible = await startTestService({
    COMPATIBILITY_WEBHOOK_SIGNATURE_HEADERS: 'X-Other-Signature, x-service-signature',
    COMPATIBILITY_WEBHOOK_SIGNATURE_FORM: 'json',
    COMPATIBILITY_ERROR_MEMBERS: 'on',
  });
});
after(async () => {
  await compatible?.stop();
  await standard?.stop();
  await receiver?.stop();
});

describe('COMPATIBILITY_ERROR_MEMBERS', () => {
  test('off by default: error bodies have code and reason alone', async () => {
    const { body } = await standard.platform.get('/cards/x');
    assert.deepEqual(Object.keys(body).sort(), ['code', 'reason']);
  });

  test('on: every refusal has message and status beside reason and code, and the served document says so', async () => {
    const { platform } = compatible;
    // The test client compares each body with the served document, which admits no undocumented member of an error.
    for (const [answer, status] of [
      [await platform.get('/cards/x'), 404],
      [await compatible.as('nobody', 'x').get('/config'), 401],
      [await platform.post('/customers', {}), 400],
      [await platform.request('PUT', '/tokens', {}), 405],
    ] as const) {
      assert.equal(answer.status, status);
      assert.equal(answer.body.status, status);
      assert.equal(answer.body.message, answer.body.reason);
      assert.ok(answer.body.code);
    }
    const document = await (await fetch(`${compatible.url}/openapi.json`)).json();
    assert.deepEqual(document.components.schemas.Error404.required, ['code', 'reason', 'message', 'status']);
  });

  test('on: also where the request is not HTTP', async () => {
    const connection = await Connection.open(compatible.baseUrl);
    try {
      const { body } = await connection.exchange('nonsense\r\n\r\n');
      assert.equal(JSON.parse(body.toString()).status, 400);
    } finally {
      connection.close();
    }
  });
});

describe('COMPATIBILITY_WEBHOOK_SIGNATURE_HEADERS and …_FORM', () => {
  const delivered = async ({ platform }: TestService) => {
    await expectStatus(200, platform.patch('/config', { webhookEndpoint: receiver.url }));
    const customer = await given(platform).customer();
    const event = await receiver.event(({ data }) => data['id'] === customer.id);
    const {
      data: [current],
    } = await expectStatus(200, platform.get('/webhooks/signing-keys'));
    return { event, isSigned: (base64: string) => isSigned(current.publicKeyPem, event.rawBody, base64) };
  };
  const isSigned = (pem: string, body: string, base64: string) =>
    verify('sha256', Buffer.from(body), createPublicKey(pem), Buffer.from(base64, 'base64'));

  test('off by default: one header with the base64 of the signature', async () => {
    const { event, isSigned } = await delivered(standard);
    assert.ok(isSigned(event.headers['x-service-signature'] ?? ''));
    assert.equal(event.headers['x-other-signature'], undefined);
  });

  test('on: the same JSON value under every name', async () => {
    const { event, isSigned } = await delivered(compatible);
    const value = JSON.parse(event.headers['x-other-signature'] ?? '');
    assert.deepEqual(Object.keys(value), ['v', 's']);
    assert.equal(value.v, '1');
    assert.ok(isSigned(value.s));
    assert.equal(event.headers['x-service-signature'], event.headers['x-other-signature']);
  });

  test('the served document names the form and the further headers', async () => {
    const schemeOf = async ({ url }: TestService) =>
      (await (await fetch(`${url}/openapi.json`)).json()).components.securitySchemes.WebhookSignature;
    assert.doesNotMatch((await schemeOf(standard)).description, /x-other-signature/);
    assert.match((await schemeOf(compatible)).description, /"v":"1".*`x-other-signature`/);
  });
});
