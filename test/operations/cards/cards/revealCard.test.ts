import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { closing, freezing, givenCard, historyOf, unchanged } from '../../../support/cards.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { newPhone, scaOf, verifyPhone } from '../../../support/sca.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import { Connection } from '../../../support/wire.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startOwnService();
  platform = service.platform;
});
after(() => service.stop());

const reveal = (id: string, body?: unknown) => platform.post(`/cards/${id}/reveal`, body);
/** The page needs no credentials, because its URL contains a token. */
const visit = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, html: await response.text(), headers: response.headers };
};

test('200: a short-lived link to a page of the issuer with card number, expiry date and security code', async () => {
  const own = await service.newPlatform();
  const start = await own.clock.freeze();
  const { card } = await givenCard(own);
  const { panEmbedUrl, expiresAt } = await expectStatus(200, own.post(`/cards/${card.id}/reveal`));
  assert.equal(new Date(expiresAt).getTime() - start.getTime(), 5 * 60_000);

  const page = await visit(panEmbedUrl);
  assert.equal(page.status, 200);
  for (const id of ['card', 'pan', 'expiry', 'cvv']) assert.match(page.html, new RegExp(`id="${id}"`));
  const number = (/id="pan">(.*?)<\/div>/.exec(page.html)?.[1] ?? '').replaceAll(/<span class="pan-separator"> <\/span>/g, '');
  assert.match(number, /^\d{16}$/);
  assert.equal(number.slice(-4), card.last4);
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.equal(page.headers.get('cache-control'), 'no-store');

  await own.clock.advance(5 * 60_000 - 1);
  assert.equal((await visit(panEmbedUrl)).status, 200);
  await own.clock.advance(1);
  assert.equal((await visit(panEmbedUrl)).status, 404);
});

test('the link has the host of the service, also if the Host header names another', async () => {
  const { card } = await givenCard(platform);
  const connection = await Connection.open(service.baseUrl);
  try {
    for (const host of ['attacker.example', '', 'evil"><x']) {
      const { status, body } = await connection.exchange(
        `POST ${new URL(service.baseUrl).pathname}/cards/${card.id}/reveal HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${platform.authorization}\r\ncontent-length: 0\r\n\r\n`,
      );
      assert.equal(status, 200);
      assert.ok(JSON.parse(body.toString()).panEmbedUrl.startsWith(`${service.baseUrl}/sandbox/card-pages/details?`), body.toString());
    }
  } finally {
    connection.close();
  }
});

test('the style sheet of the page is from the request, else from the platform configuration, else absent', async () => {
  const { card } = await givenCard(platform);
  const styleOf = async (body?: unknown) =>
    /href="([^"]*)"/.exec((await visit((await expectStatus(200, reveal(card.id, body))).panEmbedUrl)).html)?.[1];
  assert.equal(await styleOf(), undefined);
  assert.equal(await styleOf({ cssUrl: 'https://a.example/card.css?x=1&y=2' }), 'https://a.example/card.css?x=1&#38;y=2');
  await expectStatus(200, platform.patch('/config', { cardConfigs: { panRevealCssUrl: 'https://b.example/own.css' } }));
  assert.equal(await styleOf(), 'https://b.example/own.css');
  assert.equal(await styleOf({ cssUrl: null }), undefined);
});

test('each reveal is recorded with the API token that requested it; the link is not logged', async () => {
  const { card } = await givenCard(platform);
  const { panEmbedUrl } = await expectStatus(200, reveal(card.id));
  const last = (await historyOf(service.db, card.id)).at(-1);
  assert.equal(last?.cause, 'REVEALED');
  assert.ok(last?.token_id);
  assert.deepEqual(await expectStatus(200, platform.get(`/cards/${card.id}`)), card, 'a reveal does not change the card');
  await visit(panEmbedUrl);
  const token = new URL(panEmbedUrl).searchParams.get('token') as string;
  assert.equal(
    service.logged.some((line) => line.includes(token)),
    false,
  );
});

test('a frozen card can be revealed', async () => {
  const { card } = await givenCard(platform);
  await expectStatus(200, platform.patch(`/cards/${card.id}`, freezing));
  await expectStatus(200, reveal(card.id));
});

test('400: cssUrl is not an https URL without credentials of at most 512 characters', async () => {
  const { card } = await givenCard(platform);
  const long = `https://a.example/${'x'.repeat(512)}`;
  for (const cssUrl of ['http://a.example/x.css', 'https://user@a.example/x.css', 'https://a.example/"><b>', 'x', long, 5]) {
    assertInvalid(await unchanged(service.db, card.id, () => reveal(card.id, { cssUrl })), 'cssUrl');
  }
});

test('409 CONFLICT: the program does not support reveal, or the card is closed', async () => {
  const { card } = await givenCard(platform, { program: 'service_basic' });
  assertRefused(await unchanged(service.db, card.id, () => reveal(card.id)), 409, 'CONFLICT');
  const closed = (await givenCard(platform)).card;
  const { panEmbedUrl } = await expectStatus(200, reveal(closed.id));
  await expectStatus(200, platform.patch(`/cards/${closed.id}`, closing));
  assertRefused(await unchanged(service.db, closed.id, () => reveal(closed.id)), 409, 'CONFLICT');
  assert.equal((await visit(panEmbedUrl)).status, 404, 'a link made before the closing is invalid after it');
});

test('409 SCA_SESSION_REQUIRED: the cardholder is in a regulated region and has no session', async () => {
  for (const region of ['DE', 'NO']) {
    const { card } = await givenCard(platform, { region });
    assertRefused(await unchanged(service.db, card.id, () => reveal(card.id)), 409, 'SCA_SESSION_REQUIRED');
  }
  for (const region of ['GB', 'CH', 'US']) await expectStatus(200, reveal((await givenCard(platform, { region })).card.id));
});

test('with a session of the cardholder the card is revealed, until the session ends', async () => {
  const { card, customer } = await givenCard(platform, { region: 'DE' });
  const other = await givenCard(platform, { region: 'DE' });
  const sca = scaOf(platform, customer);
  await verifyPhone(platform, customer);
  await sca.login();
  await expectStatus(200, reveal(card.id));
  assertRefused(await reveal(other.card.id), 409, 'SCA_SESSION_REQUIRED');

  // Each of these ends the session.
  await expectStatus(200, sca.report('RESET_PASSWORD_COMPLETED'));
  assertRefused(await reveal(card.id), 409, 'SCA_SESSION_REQUIRED');
  await sca.login();
  await expectStatus(200, platform.patch(`/customers/${customer.id}`, { customerType: 'INDIVIDUAL', phoneNumber: newPhone() }));
  assertRefused(await reveal(card.id), 409, 'SCA_SESSION_REQUIRED');
  await verifyPhone(platform, customer);
  await sca.login();
  await sca.withTotp();
  const { resetId } = await expectStatus(201, sca.startReset('TOTP'));
  await expectStatus(200, sca.liveness(resetId, 'PASS'));
  await expectStatus(200, reveal(card.id));
  await expectStatus(204, sca.completeReset(resetId));
  assertRefused(await reveal(card.id), 409, 'SCA_SESSION_REQUIRED');
});

test('a failed login, a lock and a deleted passkey leave the session open', async () => {
  const { card, customer } = await givenCard(platform, { region: 'DE' });
  const sca = scaOf(platform, customer);
  await verifyPhone(platform, customer);
  const passkey = await sca.withPasskey();
  await sca.login();
  for (let i = 0; i < 5; i += 1) await expectStatus(200, sca.report('FAILED_LOGIN_ATTEMPT'));
  await expectStatus(204, sca.remove(passkey.credentialId));
  await expectStatus(200, reveal(card.id));
});

test('the session lasts 180 days, and not at exactly 180 days', async () => {
  const own = await service.newPlatform();
  const { card, customer } = await givenCard(own, { region: 'DE' });
  await verifyPhone(own, customer);
  await own.clock.freeze();
  await scaOf(own, customer).login();
  const day = 24 * 3_600_000;
  await own.clock.advance(180 * day - 1);
  await expectStatus(200, own.post(`/cards/${card.id}/reveal`));
  await own.clock.advance(1);
  assertRefused(await own.post(`/cards/${card.id}/reveal`), 409, 'SCA_SESSION_REQUIRED');
});

test('a cardholder elsewhere needs no session, also on a platform that is a regulated financial institution', async () => {
  const regulated = await service.newPlatform();
  const { card } = await givenCard(regulated);
  const { id } = await expectStatus(200, regulated.get('/config'));
  await service.db.run(sql`
    update platforms set config = config || '{"isRegulatedFinancialInstitution": true}' where id = ${id.slice('Platform:'.length)}`);
  await expectStatus(200, regulated.post(`/cards/${card.id}/reveal`));
});

test('409 CONFLICT comes before SCA_SESSION_REQUIRED: authenticating again would not help', async () => {
  const { card } = await givenCard(platform, { region: 'FR', program: 'service_basic' });
  assertRefused(await unchanged(service.db, card.id, () => reveal(card.id)), 409, 'CONFLICT');
});

test('404: a card of another platform, or a page token that is forged or for another page', async () => {
  const { card } = await givenCard(await service.newPlatform());
  assertRefused(await reveal(card.id), 404, 'NOT_FOUND');
  const mine = (await givenCard(platform)).card;
  const { panEmbedUrl } = await expectStatus(200, reveal(mine.id));
  for (const forged of [`${panEmbedUrl}A`, panEmbedUrl.replace('/details', '/pin'), panEmbedUrl.replace(/token=.*/, 'token=x')]) {
    assert.equal((await visit(forged)).status, 404);
  }
});

test('503: the issuer does not answer', async () => {
  const { card } = await givenCard(platform, { program: 'sandbox_issuer_silent' });
  assertRefused(await unchanged(service.db, card.id, () => reveal(card.id)), 503, 'SERVICE_UNAVAILABLE');
});
