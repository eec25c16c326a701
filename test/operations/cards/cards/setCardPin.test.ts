import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closing, eventsOf, givenCard, pinOf, unchanged } from '../../../support/cards.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
});
after(() => service.stop());

const pin = (cardId: string) => pinOf(platform, service.db, cardId);

test('CARD.PIN_STATUS_CHANGE is sent for each change of pinStatus (NOT_SET, OK, BLOCKED, OK), with the card', async () => {
  const { card } = await givenCard(platform);
  const { set, block, unblock, status, notifiedStatuses } = pin(card.id);
  await expectStatus(204, set());
  assert.equal(await status(), 'OK');
  await expectStatus(204, set());
  await expectStatus(204, block());
  assert.equal(await status(), 'BLOCKED');
  await expectStatus(204, block());
  await expectStatus(204, unblock());
  await expectStatus(204, unblock());
  await expectStatus(204, block());
  await expectStatus(204, set());
  assert.equal(await status(), 'OK', 'setting a PIN also clears BLOCKED');
  assert.deepEqual(await notifiedStatuses(), ['OK', 'BLOCKED', 'OK', 'BLOCKED', 'OK'], 'no event at creation or when OK stays OK');
  assert.deepEqual((await eventsOf(service.db, card.id)).at(-1)?.data, await expectStatus(200, platform.get(`/cards/${card.id}`)));
});

test('400: the PIN block is not base64 of 16 to 1024 characters; the response does not repeat it', async () => {
  const { card } = await givenCard(platform);
  for (const block of ['QUJDREVGR0hJ', 'A'.repeat(1_028), '1234 not base64 at all', 1234]) {
    const answer = await unchanged(service.db, card.id, () => pin(card.id).set({ encryptedPinBlock: block }));
    assertInvalid(answer, 'encryptedPinBlock');
    assert.equal(answer.text.includes(String(block)), false);
  }
  assertInvalid(await unchanged(service.db, card.id, () => pin(card.id).set({ pin: '1234' })), 'encryptedPinBlock', 'pin');
});

test('409: PIN management is not supported, the card is closed, or the issuer refuses', async () => {
  const basic = (await givenCard(platform, { program: 'service_basic' })).card.id;
  assertRefused(await unchanged(service.db, basic, () => pin(basic).set()), 409, 'CONFLICT');
  const closed = (await givenCard(platform)).card.id;
  await expectStatus(200, platform.patch(`/cards/${closed}`, closing));
  assertRefused(await unchanged(service.db, closed, () => pin(closed).set()), 409, 'CARD_NOT_MUTABLE');
  const refusing = (await givenCard(platform, { program: 'sandbox_issuer_refuses' })).card.id;
  assertRefused(await unchanged(service.db, refusing, () => pin(refusing).set()), 409, 'CONFLICT');
});

test('404: a card of another platform', async () => {
  assertRefused(await pin((await givenCard(await service.newPlatform())).card.id).set(), 404, 'NOT_FOUND');
});
