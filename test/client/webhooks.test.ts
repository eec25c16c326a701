// Verification of webhooks: what the service really sends is accepted, and every failure is explained.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createSwitchyard, type Switchyard } from '../../client/client.js';
import { verifyWebhook, WebhookError, type WebhookFailure, type WebhookOptions } from '../../client/webhooks.js';
import { type ReceivedEvent, startReceiver } from '../../src/testing.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
let sy: Switchyard;
let received: ReceivedEvent;
let keys: { pem: string; standard: string; secret: string };
before(async () => {
  service = await startTestService();
  const { baseUrl, platform } = service;
  sy = createSwitchyard({ baseUrl, token: `${platform.tokenId}:${platform.secret}` });
  const receiver = await startReceiver();
  await sy.config.update({ webhookEndpoint: receiver.url });
  const customer = await sy.customers.create({ customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' });
  received = await receiver.event(({ data }) => data['id'] === customer.id);
  await receiver.stop();
  const [key] = await sy.webhooks.signingKeys.list().all();
  const [secret] = await sy.webhooks.signingSecrets.list().all();
  assert.ok(key && secret);
  keys = { pem: key.publicKeyPem, standard: key.standardWebhooksPublicKey, secret: secret.secret };
});
after(() => service.stop());

const failure = async (reason: WebhookFailure, message: RegExp, body: string | Uint8Array, headers: object, options: WebhookOptions) =>
  assert.rejects(verifyWebhook(body, headers as Record<string, string>, options), (error) => {
    assert.ok(error instanceof WebhookError, String(error));
    assert.equal(error.reason, reason);
    assert.match(error.message, message);
    return true;
  });

describe('a delivery of the service', () => {
  const accepted: readonly [string, () => WebhookOptions][] = [
    ['the PEM key', () => ({ publicKeys: [keys.pem] })],
    ['the standard public key', () => ({ publicKeys: [keys.standard] })],
    ['the shared secret', () => ({ secrets: [keys.secret] })],
  ];
  for (const [name, options] of accepted)
    test(`is accepted with ${name} alone`, async () => {
      const event = await verifyWebhook(received.rawBody, received.headers, options());
      assert.equal(event.type, 'CUSTOMER.KYC_APPROVED');
    });

  test('is accepted with the keys as the client lists them, as bytes, and with the headers of fetch', async () => {
    const publicKeys = await sy.webhooks.signingKeys.list().all();
    await verifyWebhook(Buffer.from(received.rawBody), new Headers(Object.entries(received.headers)), { publicKeys });
  });

  test('is accepted in the JSON form of the signature', async () => {
    const headers = { 'X-Service-Signature': JSON.stringify({ v: '1', s: received.headers['x-service-signature'] }) };
    await verifyWebhook(
      received.rawBody,
      { ...headers, 'Webhook-Timestamp': received.headers['webhook-timestamp'] },
      { publicKeys: [keys.pem] },
    );
  });
});

describe('what is not genuine is refused and explained', () => {
  const all = () => ({ publicKeys: [keys.pem, keys.standard], secrets: [keys.secret] });

  test('another body', () =>
    failure('SIGNATURE_INVALID', /body was changed/, received.rawBody.replace('Ada', 'Eve'), received.headers, all()));
  test('a body that was parsed and written again', () =>
    failure(
      'BODY_CHANGED',
      /parsed and written again; pass the raw bytes/,
      JSON.stringify(JSON.parse(received.rawBody), null, 2),
      received.headers,
      all(),
    ));
  test('a body with a line end', () =>
    failure('BODY_CHANGED', /it has a line end that was not sent; .*raw bytes/, `${received.rawBody}\n`, received.headers, all()));
  test('no signature', () => failure('SIGNATURE_MISSING', /X-Service-Signature/, received.rawBody, {}, all()));
  test('a signature that is no base64', () =>
    failure('SIGNATURE_MALFORMED', /base64/, received.rawBody, { ...received.headers, 'x-service-signature': '%%%' }, all()));
  test('no key', () => failure('KEYS_MISSING', /publicKeys/, received.rawBody, received.headers, {}));
  test('an old delivery', () =>
    failure('TIMESTAMP_OUTSIDE_TOLERANCE', /600 s in the past/, received.rawBody, received.headers, {
      ...all(),
      now: () => Number(received.headers['webhook-timestamp']) * 1_000 + 600_000,
    }));
  test('a delivery without its time', () => {
    const { 'webhook-timestamp': _time, ...headers } = received.headers;
    return failure('TIMESTAMP_MISSING', /old one/, received.rawBody, headers, { publicKeys: [keys.pem] });
  });
  test('an old delivery that is sent again with a new time: only webhook-signature covers the time', async () => {
    const now = () => Number(received.headers['webhook-timestamp']) * 1_000 + 600_000;
    const { 'webhook-signature': standard = '', ...others } = received.headers;
    const again = { ...others, 'webhook-timestamp': String(now() / 1_000) };
    const listed = { publicKeys: await sy.webhooks.signingKeys.list().all() };
    for (const options of [all(), listed, { publicKeys: [keys.pem], secrets: [keys.secret] }]) {
      const given = { ...options, now };
      await failure('SIGNATURE_MISSING', /webhook-signature/, received.rawBody, again, given);
      await failure('SIGNATURE_INVALID', /webhook-timestamp/, received.rawBody, { ...again, 'webhook-signature': standard }, given);
      await failure('SIGNATURE_INVALID', /webhook-timestamp/, received.rawBody, { ...again, 'webhook-signature': 'v1a,AAAA' }, given);
    }
  });
  test('the keys of another platform', async () => {
    const other = await service.newPlatform();
    const theirs = createSwitchyard({ baseUrl: service.baseUrl, token: `${other.tokenId}:${other.secret}` });
    const publicKeys = await theirs.webhooks.signingKeys.list().all();
    await failure('SIGNATURE_INVALID', /another platform/, received.rawBody, received.headers, { publicKeys });
  });
});
