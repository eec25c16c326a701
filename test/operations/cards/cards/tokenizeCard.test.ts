import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { closing, freezing, givenCard, historyOf, unchanged } from '../../../support/cards.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
});
after(() => service.stop());

const tokenize = (id: string, body: unknown) => platform.post(`/cards/${id}/tokenize`, body);
const apple = { wallet: 'APPLE_PAY', certificate: 'Y2VydA==', nonce: 'bm9uY2U=', nonceSignature: 'c2ln' };
const google = { wallet: 'GOOGLE_PAY', walletAccountId: 'account', serverSessionId: randomUUID() };
const samsung = { wallet: 'SAMSUNG_PAY', walletAccountId: 'account', deviceId: 'device' };

test('200: the provisioning data of each digital wallet, as the issuer returns it', async () => {
  const { card } = await givenCard(platform);
  const { applePay } = await expectStatus(200, tokenize(card.id, apple));
  assert.deepEqual(Object.keys(applePay).sort(), ['activationData', 'encryptedPassData', 'ephemeralPublicKey']);
  assert.deepEqual(Object.keys(await expectStatus(200, tokenize(card.id, google))).sort(), ['provisioningPayload', 'wallet']);
  const opaque = await expectStatus(200, tokenize(card.id, { ...google, deviceId: 'device', opaquePaymentCardRequested: true }));
  assert.ok(opaque.googleAccountPayload, 'googleAccountPayload only when opaque requested');
  assert.ok((await expectStatus(200, tokenize(card.id, samsung))).provisioningPayload);
  assert.deepEqual(await expectStatus(200, platform.get(`/cards/${card.id}`)), card);
  assert.equal((await historyOf(service.db, card.id)).filter(({ cause }) => cause === 'TOKENIZED').length, 4);
});

test('400: fields of another wallet, missing or invalid fields, an unknown wallet', async () => {
  const { card } = await givenCard(platform);
  const refused = (body: unknown) => unchanged(service.db, card.id, () => tokenize(card.id, body));
  assertInvalid(await refused({ ...apple, deviceId: 'device' }), 'deviceId');
  assertInvalid(await refused({ ...samsung, opaquePaymentCardRequested: true }), 'opaquePaymentCardRequested');
  assertInvalid(await refused({ wallet: 'SAMSUNG_PAY', walletAccountId: 'account' }), 'deviceId');
  assertInvalid(await refused({ ...google, serverSessionId: 'session' }), 'serverSessionId');
  assertInvalid(await refused({ ...apple, wallet: 'PURSE' }), 'wallet');
});

test('409: the card is not ACTIVE, its program lacks the capability, or the issuer refuses', async () => {
  const refused = async (id: string, code: 'CONFLICT' | 'CARD_NOT_MUTABLE') =>
    assertRefused(await unchanged(service.db, id, () => tokenize(id, apple)), 409, code);
  await refused((await givenCard(platform, { program: 'service_basic' })).card.id, 'CONFLICT');
  await refused((await givenCard(platform, { currency: 'USDB' })).card.id, 'CONFLICT');
  const { card } = await givenCard(platform);
  await expectStatus(200, platform.patch(`/cards/${card.id}`, freezing));
  await refused(card.id, 'CONFLICT');
  await expectStatus(200, platform.patch(`/cards/${card.id}`, closing));
  await refused(card.id, 'CARD_NOT_MUTABLE');
  await refused((await givenCard(platform, { program: 'sandbox_issuer_refuses' })).card.id, 'CONFLICT');
});

test('404: a card of another platform', async () => {
  assertRefused(await tokenize((await givenCard(await service.newPlatform())).card.id, apple), 404, 'NOT_FOUND');
});
