import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../../../src/kernel/ids.js';
import { DAY_MS, MINUTE_MS } from '../../../../src/kernel/time.js';
import { assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { cardEvent, envelopeOf, givenEndpoint, setEndpoint, settle, tell } from '../../../support/webhooks/platform.js';
import type { Receiver, Reply } from '../../../support/webhooks/receiver.js';

let service: TestService;
let platform: Client;
let receiver: Receiver;
let answer: Reply = 200;
before(async () => {
  service = await startTestService();
  platform = service.platform;
  await platform.clock.freeze();
  receiver = await givenEndpoint(platform, { reply: () => answer });
});
after(async () => {
  await receiver.close();
  await service.stop();
});

const givenEvent = async () => {
  const card = newId('Card');
  await tell(service, platform, cardEvent(card));
  await settle(platform);
  return (await expectStatus(200, platform.get(`/webhooks/events?objectId=${card}`))).data[0];
};

describe('202', () => {
  test('a delivered event goes out again: the same id, the same bytes', async () => {
    answer = 200;
    receiver.received.length = 0;
    const event = await givenEvent();
    const queued = await expectStatus(202, platform.post(`/webhooks/events/${event.id}/resend`));
    assert.equal(queued.deliveryStatus, 'PENDING');
    await settle(platform);
    assert.equal(receiver.received.length, 2);
    assert.deepEqual(receiver.received[1]?.body, receiver.received[0]?.body);
    const after = await expectStatus(200, platform.get(`/webhooks/events/${event.id}`));
    assert.equal(after.deliveryStatus, 'DELIVERED');
    assert.equal(after.attemptCount, 2);
  });

  test('a failed event is tried for another seven days', async () => {
    answer = 410;
    const event = await givenEvent();
    assert.equal(event.deliveryStatus, 'FAILED');
    await platform.clock.advance(8 * DAY_MS);
    await setEndpoint(platform, receiver.url);
    answer = 500;
    await expectStatus(202, platform.post(`/webhooks/events/${event.id}/resend`));
    await platform.clock.advance(MINUTE_MS);
    assert.equal((await expectStatus(200, platform.get(`/webhooks/events/${event.id}`))).deliveryStatus, 'PENDING');
    answer = 200;
    // Attempts are at most half an hour apart.
    await platform.clock.advance(31 * MINUTE_MS);
    assert.equal((await expectStatus(200, platform.get(`/webhooks/events/${event.id}`))).deliveryStatus, 'DELIVERED');
  });

  test('an event between two attempts is sent at once', async () => {
    answer = 500;
    const event = await givenEvent();
    answer = 200;
    receiver.received.length = 0;
    await expectStatus(202, platform.post(`/webhooks/events/${event.id}/resend`));
    await settle(platform);
    assert.deepEqual(
      receiver.received.map((received) => envelopeOf(received).id),
      [event.id],
    );
  });
});

describe('404 NOT_FOUND', () => {
  test('unknown, foreign and malformed ids get byte for byte the same answer', async () => {
    answer = 200;
    const event = await givenEvent();
    const other = await service.newPlatform();
    receiver.received.length = 0;
    const answers = [
      await platform.post(`/webhooks/events/${newId('Webhook')}/resend`),
      await other.post(`/webhooks/events/${event.id}/resend`),
      await platform.post('/webhooks/events/nonsense/resend'),
    ];
    for (const one of answers) {
      assertRefused(one, 404, 'NOT_FOUND');
      assert.equal(one.text, answers[0]?.text);
    }
    await settle(platform);
    assert.equal(receiver.received.length, 0);
  });
});

describe('400 WEBHOOK_ENDPOINT_NOT_SET', () => {
  test('the platform has no endpoint', async () => {
    const other = await service.newPlatform();
    await tell(service, other, cardEvent());
    const [event] = (await expectStatus(200, other.get('/webhooks/events'))).data;
    assertRefused(await other.post(`/webhooks/events/${event.id}/resend`), 400, 'WEBHOOK_ENDPOINT_NOT_SET');
    assert.equal((await expectStatus(200, other.get(`/webhooks/events/${event.id}`))).deliveryStatus, 'NOT_QUEUED');
  });
});

describe('403 FORBIDDEN', () => {
  test('a token with VIEW can list and get, not resend', async () => {
    answer = 200;
    const event = await givenEvent();
    const made = await expectStatus(201, platform.post('/tokens', { name: 'viewer', permissions: ['VIEW'] }));
    const viewer = service.as(made.clientId, made.clientSecret);
    await expectStatus(200, viewer.get('/webhooks/events'));
    await expectStatus(200, viewer.get(`/webhooks/events/${event.id}`));
    await expectStatus(200, viewer.get('/webhooks/signing-keys'));
    receiver.received.length = 0;
    assertRefused(await viewer.post(`/webhooks/events/${event.id}/resend`), 403, 'FORBIDDEN');
    assertRefused(await viewer.post('/webhooks/replay', { since: event.timestamp }), 403, 'FORBIDDEN');
    assertRefused(await viewer.post('/webhooks/signing-keys/rotate'), 403, 'FORBIDDEN');
    assertRefused(await viewer.get('/webhooks/signing-secrets'), 403, 'FORBIDDEN');
    await settle(platform);
    assert.equal(receiver.received.length, 0);
  });
});
