import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closing, givenCard, pinOf, unchanged } from '../../../support/cards.js';
import { assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
});
after(() => service.stop());

const pin = (cardId: string) => pinOf(platform, service.db, cardId);

test('204: BLOCKED becomes OK and sends an event; OK stays OK and sends none', async () => {
  const { card } = await givenCard(platform);
  const { set, block, unblock, status, notifiedStatuses } = pin(card.id);
  await expectStatus(204, set());
  await expectStatus(204, unblock());
  assert.deepEqual(await notifiedStatuses(), ['OK']);
  await expectStatus(204, block());
  await expectStatus(204, unblock());
  assert.equal(await status(), 'OK');
  assert.deepEqual(await notifiedStatuses(), ['OK', 'BLOCKED', 'OK']);
});

test('409: no PIN is set', async () => {
  const { card } = await givenCard(platform);
  assertRefused(await unchanged(service.db, card.id, () => pin(card.id).unblock()), 409, 'CONFLICT');
  assertRefused(await unchanged(service.db, card.id, () => pin(card.id).block()), 409, 'CONFLICT');
});

test('409: PIN management is not supported, or the card is closed', async () => {
  const basic = (await givenCard(platform, { program: 'service_basic' })).card.id;
  assertRefused(await unchanged(service.db, basic, () => pin(basic).unblock()), 409, 'CONFLICT');
  const { card } = await givenCard(platform);
  await expectStatus(204, pin(card.id).set());
  await expectStatus(200, platform.patch(`/cards/${card.id}`, closing));
  assertRefused(await unchanged(service.db, card.id, () => pin(card.id).unblock()), 409, 'CARD_NOT_MUTABLE');
});

test('404: a card of another platform', async () => {
  assertRefused(await pin((await givenCard(await service.newPlatform())).card.id).unblock(), 404, 'NOT_FOUND');
});
