// One customer from the first factor to an authorized payment, with an independent authenticator app and a software passkey.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TOTP, URI } from 'otpauth';
import { assertRefused, expectStatus } from '../../../support/client.js';
import { quoting } from '../../../support/quotes.js';
import { assertionOf, CODE, ORIGIN, regulatedCustomer, scaOf, trustOf } from '../../../support/sca.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

test('enrol, log in with each factor, pay with the passkey, trust the payee, lose the app and enrol it again', async () => {
  const { platform } = service;
  const build = quoting(platform);
  await build.currencies('EUR', 'USD');
  await platform.clock.freeze();
  const customer = await regulatedCustomer(platform);
  const sca = scaOf(platform, customer);
  const source = await build.account(customer, 'EUR');
  await build.fund(source, 100_000);
  const payee = await build.eur(customer);
  const pay = async (body?: unknown) =>
    platform.post(`/quotes/${(await build.quote(build.request(source, payee, 1_000))).id}/execute`, body);
  const now = async () => (await platform.clock.now()).getTime();

  // The app and the passkey.
  const started = await expectStatus(200, sca.enroll('TOTP'));
  const app = URI.parse(started.totpUri);
  assert.ok(app instanceof TOTP);
  await expectStatus(200, sca.confirm({ type: 'TOTP', secret: started.secret, code: app.generate({ timestamp: await now() }) }));
  const passkey = await sca.withPasskey();

  // Each factor opens the session.
  assertRefused(await pay(), 409, 'SCA_SESSION_REQUIRED');
  await sca.login();
  await platform.clock.advance(60_000);
  await expectStatus(200, sca.start('TOTP'));
  await expectStatus(200, sca.complete({ factor: 'TOTP', code: app.generate({ timestamp: await now() }) }));
  const { passkeyOptions } = await expectStatus(200, sca.start('PASSKEY'));
  const login = { passkeyAssertion: assertionOf(passkey, passkeyOptions.challenge), origin: ORIGIN };
  await expectStatus(200, sca.complete({ factor: 'PASSKEY', ...login }));

  // A payment by passkey; then the payee is trusted, and the next payment needs no challenge.
  const waiting = await expectStatus(200, pay({ scaFactor: 'PASSKEY' }));
  const { challenge } = waiting.scaChallenge.passkeyAssertionOptions;
  await expectStatus(
    200,
    platform.post(`/quotes/${waiting.id}/authorize`, { passkeyAssertion: assertionOf(passkey, challenge), origin: ORIGIN }),
  );
  const { trust, confirmTrust } = trustOf(platform, payee);
  const { scaChallenge } = await expectStatus(200, trust());
  await platform.clock.advance(60_000);
  await expectStatus(200, confirmTrust({ challengeId: scaChallenge.id, code: app.generate({ timestamp: await now() }) }));
  assert.equal((await expectStatus(200, pay())).scaChallenge, undefined);
  assert.equal(await build.balance({ ...source, customerId: customer.id }), 98_000);

  // The app is lost, reset and enrolled again; the session has ended.
  const { resetId } = await expectStatus(201, sca.startReset('TOTP'));
  await expectStatus(200, sca.liveness(resetId, 'PASS'));
  await expectStatus(204, sca.completeReset(resetId));
  assertRefused(await pay(), 409, 'SCA_SESSION_REQUIRED');
  await sca.withTotp();
  assert.equal((await expectStatus(200, sca.reset(resetId))).enrollmentStatus, 'COMPLETED');
  await expectStatus(200, sca.start('TOTP'));
  await expectStatus(200, sca.complete({ factor: 'TOTP', code: CODE }));
  await expectStatus(200, pay());
});
