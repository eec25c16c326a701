import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { sql } from '../../../../src/db/sql.js';
import { uuidOf } from '../../../../src/kernel/ids.js';
import { DAY_MS } from '../../../../src/kernel/time.js';
import { assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startOwnService, startTestService, type TestService } from '../../../support/service.js';
import { envelopeOf, givenEndpoint, platformIdOf, setEndpoint, settle } from '../../../support/webhooks/platform.js';
import { type Receiver, startReceiver } from '../../../support/webhooks/receiver.js';
import { verifyServiceSignature, verifyStandardSignature } from '../../../support/webhooks/verify.js';

let service: TestService;
let platform: Client;
let receiver: Receiver;
let reply: Parameters<typeof startReceiver>[0] = {};
before(async () => {
  service = await startTestService();
  platform = service.platform;
  await platform.clock.freeze();
  receiver = await givenEndpoint(platform, { reply: (...request) => reply?.reply?.(...request) ?? 200 });
});
after(async () => {
  await receiver.close();
  await service.stop();
});

const events = async (client = platform) => (await expectStatus(200, client.get('/webhooks/events?type=TEST'))).data;

describe('200', () => {
  test('"response_status", "response_body", "url"', async () => {
    reply = { reply: () => ({ status: 202, body: 'thank you' }) };
    const answer = await expectStatus(200, platform.post('/webhooks/test'));
    assert.deepEqual(answer, { response_status: 202, response_body: 'thank you', url: receiver.url });
  });

  test('the deprecated path does the same', async () => {
    reply = {};
    const answer = await expectStatus(200, platform.post('/sandbox/webhooks/test'));
    assert.deepEqual(answer, { response_status: 200, response_body: '', url: receiver.url });
  });

  test('"409 counts as delivered"', async () => {
    reply = { reply: () => 409 };
    assert.equal((await expectStatus(200, platform.post('/webhooks/test'))).response_status, 409);
  });

  test('the envelope: "id" (`Webhook:<uuid>`), "type", "timestamp", "data" `{}` for TEST', async () => {
    reply = {};
    receiver.received.length = 0;
    const now = await platform.clock.now();
    await expectStatus(200, platform.post('/webhooks/test'));
    const envelope = envelopeOf(receiver.received[0]);
    assert.match(envelope.id, /^Webhook:[0-9a-f-]{36}$/);
    assert.deepEqual(envelope, {
      id: envelope.id,
      type: 'TEST',
      timestamp: now.toISOString(),
      objectId: envelope.id,
      sequence: 1,
      data: {},
    });
    assert.equal(receiver.received[0]?.headers['content-type'], 'application/json');
  });

  test('a receiver verifies with `standardwebhooks`, and with node:crypto and the public keys alone', async () => {
    receiver.received.length = 0;
    await expectStatus(200, platform.post('/webhooks/test'));
    const [key] = (await expectStatus(200, platform.get('/webhooks/signing-keys'))).data;
    const [{ secret }] = (await expectStatus(200, platform.get('/webhooks/signing-secrets'))).data;
    const [received] = receiver.received;
    assert.ok(received);
    assert.ok(verifyServiceSignature(key.publicKeyPem, received.headers, received.body));
    assert.ok(verifyStandardSignature(key.standardWebhooksPublicKey, received.headers, received.body));
    assert.deepEqual(new Webhook(secret).verify(received.body, received.headers as Record<string, string>), envelopeOf(received));
    assert.equal(received.headers['webhook-id'], envelopeOf(received).id);
  });

  test('it is in the list with its attempt', async () => {
    receiver.received.length = 0;
    await expectStatus(200, platform.post('/webhooks/test'));
    const { id } = envelopeOf(receiver.received[0]);
    const [event] = await events();
    assert.equal(event.id, id);
    assert.equal(event.deliveryStatus, 'DELIVERED');
    assert.equal(event.attempts[0].responseStatus, 200);
  });
});

describe('400 WEBHOOK_ENDPOINT_NOT_SET', () => {
  test('"if none is set the error WEBHOOK_ENDPOINT_NOT_SET applies", and no event is written', async () => {
    const other = await service.newPlatform();
    assertRefused(await other.post('/webhooks/test'), 400, 'WEBHOOK_ENDPOINT_NOT_SET');
    assertRefused(await other.post('/sandbox/webhooks/test'), 400, 'WEBHOOK_ENDPOINT_NOT_SET');
    assert.deepEqual(await events(other), []);
  });
});

describe('400 WEBHOOK_DELIVERY_ERROR: "a failed delivery"', () => {
  test('the receiver answers 500', async () => {
    reply = { reply: () => ({ status: 500, body: 'broken' }) };
    const answer = await platform.post('/webhooks/test');
    assertRefused(answer, 400, 'WEBHOOK_DELIVERY_ERROR');
    assert.deepEqual(answer.body.details, { url: receiver.url, response_status: 500, response_body: 'broken' });
  });

  test('the receiver answers with a redirect, which is not followed', async () => {
    reply = { reply: () => ({ status: 302, headers: { location: receiver.url } }) };
    receiver.received.length = 0;
    assertRefused(await platform.post('/webhooks/test'), 400, 'WEBHOOK_DELIVERY_ERROR');
    assert.equal(receiver.received.length, 1);
  });

  test('the receiver hangs up', async () => {
    reply = { reply: () => 'RESET' };
    const answer = await platform.post('/webhooks/test');
    assertRefused(answer, 400, 'WEBHOOK_DELIVERY_ERROR');
    assert.deepEqual(answer.body.details, { url: receiver.url, cause: 'CONNECTION_FAILED' });
  });

  test('the connection is refused, or the address is not allowed', async () => {
    const other = await service.newPlatform();
    const gone = await startReceiver();
    await gone.close();
    for (const [url, cause] of [
      [gone.url, 'CONNECTION_FAILED'],
      ['http://10.0.0.1:8080/', 'URL_REFUSED'],
      ['http://169.254.169.254/latest/meta-data/', 'URL_REFUSED'],
    ] as const) {
      // Saved by an earlier release: it would be refused now.
      await service.db.run(sql`update platforms set webhook_endpoint = ${url} where id = ${uuidOf(await platformIdOf(service, other))}`);
      const answer = await other.post('/webhooks/test');
      assertRefused(answer, 400, 'WEBHOOK_DELIVERY_ERROR');
      assert.deepEqual(answer.body.details, { url, cause });
    }
  });

  test('"TEST is sent once": a failed one is not tried again', async () => {
    reply = { reply: () => 503 };
    receiver.received.length = 0;
    assertRefused(await platform.post('/webhooks/test'), 400, 'WEBHOOK_DELIVERY_ERROR');
    await platform.clock.advance(8 * DAY_MS);
    assert.equal(receiver.received.length, 1);
    const [event] = await events();
    assert.equal(event.deliveryStatus, 'FAILED');
    assert.equal(event.attemptCount, 1);
  });
});

test('in live mode every address that is refused or not resolved answers alike, here and in the attempt', async () => {
  const live = await startOwnService({ MODE: 'live', KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') });
  try {
    const own = await live.newPlatform();
    const platformId = uuidOf(await platformIdOf(live, own));
    for (const url of [
      'https://10.0.0.1/',
      'https://127.0.0.1:8443/',
      'http://hooks.example/',
      'https://hooks.example:22/',
      'https://nobody.invalid/',
      'https://localhost:8443/',
    ]) {
      await live.db.run(sql`update platforms set webhook_endpoint = ${url} where id = ${platformId}`);
      const answer = await own.post('/webhooks/test');
      assertRefused(answer, 400, 'WEBHOOK_DELIVERY_ERROR');
      assert.deepEqual(answer.body.details, { url, cause: 'ADDRESS_REFUSED' });
      const [{ attempts }] = (await expectStatus(200, own.get('/webhooks/events'))).data;
      assert.deepEqual([attempts[0].failure, attempts[0].durationMs], ['ADDRESS_REFUSED', 0]);
    }
  } finally {
    await live.stop();
  }
});

describe('the endpoint changes', () => {
  test('"A TEST event is sent when the endpoint is changed", once, and not when it is set to the same value', async () => {
    const client = await service.newPlatform();
    const first = await startReceiver();
    const second = await startReceiver();
    try {
      await setEndpoint(client, first.url);
      await settle(client);
      await setEndpoint(client, first.url);
      await settle(client);
      assert.deepEqual(
        first.received.map((received) => envelopeOf(received).type),
        ['TEST'],
      );
      await setEndpoint(client, second.url);
      await settle(client);
      assert.equal(first.received.length, 1);
      assert.deepEqual(
        second.received.map((received) => envelopeOf(received).type),
        ['TEST'],
      );
    } finally {
      await first.close();
      await second.close();
    }
  });
});

describe('403 FORBIDDEN', () => {
  test('the test needs MANAGE', async () => {
    const made = await expectStatus(201, platform.post('/tokens', { name: 'viewer', permissions: ['VIEW', 'TRANSACT'] }));
    const viewer = service.as(made.clientId, made.clientSecret);
    receiver.received.length = 0;
    assertRefused(await viewer.post('/webhooks/test'), 403, 'FORBIDDEN');
    assert.equal(receiver.received.length, 0);
  });
});
