import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closing, givenCard, historyOf, pinOf, unchanged } from '../../../support/cards.js';
import { assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { race } from '../../../support/race.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
});
after(() => service.stop());

const pin = (cardId: string) => pinOf(platform, service.db, cardId);

const targetOrigin = 'https://app.example.com';
const open = (id: string) => platform.get(`/cards/${id}/pin-entry-url`);
const submit = async (sessionToken: string, pin = '1234') =>
  (
    await fetch(`${service.baseUrl}/sandbox/card-pages/pin`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sessionToken, pin }),
    })
  ).status;

test('409 CONFLICT without cardConfigs.pinTargetOrigin; with it, a page for that origin accepts one PIN', async () => {
  const { card } = await givenCard(platform);
  assertRefused(await unchanged(service.db, card.id, () => open(card.id)), 409, 'CONFLICT');
  await expectStatus(200, platform.patch('/config', { cardConfigs: { pinTargetOrigin: targetOrigin } }));

  const answer = await open(card.id);
  const { iframeUrl, sessionToken, environment } = answer.body;
  assert.equal(environment, 'SANDBOX');
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  const page = await fetch(iframeUrl);
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors https:\/\/app\.example\.com$/);
  const html = await page.text();
  for (const message of ['Embed:Rendered', 'Embed:SubmitPin', 'Embed:PinSubmissionStatusChanged']) assert.match(html, new RegExp(message));

  assert.equal(await submit(sessionToken, '12345'), 400);
  assert.equal(await submit(sessionToken), 204);
  assert.equal(await pin(card.id).status(), 'OK');
  assert.deepEqual(await pin(card.id).notifiedStatuses(), ['OK']);
  assert.equal(await submit(sessionToken), 404, 'a session sets one PIN');
  const last = (await historyOf(service.db, card.id)).at(-1);
  assert.deepEqual([last?.cause, last?.token_id], ['PIN_SET', null]);
});

test('the page uses the origin in the normalized form of browsers', async () => {
  const own = await service.newPlatform();
  const { card } = await givenCard(own);
  await expectStatus(200, own.patch('/config', { cardConfigs: { pinTargetOrigin: 'https://App.Example.com:443' } }));
  const { iframeUrl } = await expectStatus(200, own.get(`/cards/${card.id}/pin-entry-url`));
  const page = await fetch(iframeUrl);
  assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors https:\/\/app\.example\.com$/);
  assert.match(await page.text(), /const origin = "https:\/\/app\.example\.com";/);
});

race('of concurrent submissions one sets the PIN', async () => {
  await expectStatus(200, platform.patch('/config', { cardConfigs: { pinTargetOrigin: targetOrigin } }));
  const { card } = await givenCard(platform);
  const { sessionToken } = await expectStatus(200, open(card.id));
  const statuses = await Promise.all(Array.from({ length: 8 }, () => submit(sessionToken)));
  assert.deepEqual(statuses.sort(), [204, 404, 404, 404, 404, 404, 404, 404]);
});

test('a PIN session ends after five minutes or when the card closes; other changes of the card do not end it', async () => {
  const own = await service.newPlatform();
  await own.clock.freeze();
  await expectStatus(200, own.patch('/config', { cardConfigs: { pinTargetOrigin: targetOrigin } }));
  const { card } = await givenCard(own);
  const { sessionToken } = await expectStatus(200, own.get(`/cards/${card.id}/pin-entry-url`));
  await expectStatus(200, own.patch(`/cards/${card.id}`, { maxSpendPerDay: 5 }));
  await own.clock.advance(5 * 60_000);
  assert.equal(await submit(sessionToken), 404);
  const later = await expectStatus(200, own.get(`/cards/${card.id}/pin-entry-url`));
  await own.clock.advance(5 * 60_000 - 1);
  assert.equal(await submit(later.sessionToken), 204);
  const last = await expectStatus(200, own.get(`/cards/${card.id}/pin-entry-url`));
  await expectStatus(200, own.patch(`/cards/${card.id}`, closing));
  assert.equal(await submit(last.sessionToken), 404);
});

test('409 without PIN management, 403 without MANAGE, 404 for a card of another platform', async () => {
  assertRefused(await open((await givenCard(platform, { program: 'issuer_decided' })).card.id), 409, 'CONFLICT');
  assertRefused(await open((await givenCard(await service.newPlatform())).card.id), 404, 'NOT_FOUND');
  const { clientId, clientSecret } = await expectStatus(201, platform.post('/tokens', { name: 'viewer', permissions: ['VIEW'] }));
  const { card } = await givenCard(platform);
  assertRefused(await service.as(clientId, clientSecret).get(`/cards/${card.id}/pin-entry-url`), 403, 'FORBIDDEN');
});
