// Factors: list, enrolment of an authenticator app and of a passkey, deletion.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Secret, TOTP, URI } from 'otpauth';
import { softwareAuthenticator } from '../../../support/authenticator.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { CODE, creationOf, ORIGIN, regulatedCustomer, scaOf, unverifiedCustomer, verifyPhone } from '../../../support/sca.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
  await service.platform.clock.freeze();
});
after(() => service.stop());

const newSca = async (fields: Record<string, unknown> = {}) => scaOf(service.platform, await regulatedCustomer(service.platform, fields));

const MINUTE = 60_000;

describe('every operation of the group', () => {
  const calls = (id: string): Promise<{ status: number; body: { code: string } }>[] => {
    const sca = scaOf(service.platform, { id });
    return [
      sca.factors(),
      sca.enroll('TOTP'),
      sca.enroll('PASSKEY'),
      sca.confirm({ type: 'TOTP', secret: '00', code: CODE }),
      sca.confirm({ type: 'PASSKEY', origin: ORIGIN, credential: {} }),
      sca.remove('unknown'),
      sca.start('SMS_OTP'),
      sca.complete({ factor: 'TOTP', code: CODE }),
      sca.report('FAILED_LOGIN_ATTEMPT'),
      sca.startReset('TOTP'),
      sca.reset('TwoFactorReset:0199a000-0000-7000-8000-000000000000'),
      sca.completeReset('TwoFactorReset:0199a000-0000-7000-8000-000000000000'),
    ];
  };
  const codes = async (id: string) => (await Promise.all(calls(id))).map(({ status, body }) => `${status} ${body.code}`);

  test('409 CONFLICT: the customer is not in a regulated region', async () => {
    const elsewhere = await given(service.platform).customer({ region: 'GB', phoneNumber: '+447700900123' });
    assert.deepEqual(new Set(await codes(elsewhere.id)), new Set(['409 CONFLICT']));
    const nowhere = await given(service.platform).customer();
    assert.deepEqual(new Set(await codes(nowhere.id)), new Set(['409 CONFLICT']));
  });

  test('404 CUSTOMER_NOT_FOUND: an unknown, malformed or deleted customer, and one of another platform', async () => {
    const other = await service.newPlatform();
    const foreign = await unverifiedCustomer(other);
    const deleted = await unverifiedCustomer(service.platform);
    await expectStatus(200, service.platform.delete(`/customers/${deleted.id}`));
    for (const id of ['Customer:0199a000-0000-7000-8000-000000000000', 'nonsense', foreign.id, deleted.id])
      assert.deepEqual(new Set(await codes(id)), new Set(['404 CUSTOMER_NOT_FOUND']), id);
  });

  test('400 INVALID_INPUT: customerId is missing', async () => {
    assertInvalid(await service.platform.get('/sca/factors'), 'customerId');
    assertInvalid(await service.platform.post('/sca/login/start', { factor: 'TOTP' }), 'customerId');
  });
});

describe('GET /sca/factors', () => {
  test('lists what is usable now, in the order SMS_OTP, TOTP, PASSKEY; only a passkey has a credentialId', async () => {
    const customer = await unverifiedCustomer(service.platform);
    const sca = scaOf(service.platform, customer);
    assert.deepEqual(await expectStatus(200, sca.factors()), { factors: [] });
    const passkey = await sca.withPasskey();
    await sca.withTotp();
    await verifyPhone(service.platform, customer);
    assert.deepEqual(await expectStatus(200, sca.factors()), {
      factors: [
        { factor: 'SMS_OTP' },
        { factor: 'TOTP', name: 'Authenticator app' },
        { factor: 'PASSKEY', name: 'Passkey', credentialId: passkey.credentialId },
      ],
    });
  });

  test('a changed phone number takes SMS_OTP away until it is verified', async () => {
    const sca = await newSca();
    await expectStatus(
      200,
      service.platform.patch(`/customers/${sca.customer.id}`, { customerType: 'INDIVIDUAL', phoneNumber: '+4915199999999' }),
    );
    assert.deepEqual(await expectStatus(200, sca.factors()), { factors: [] });
    assertInvalid(await sca.start('SMS_OTP'), 'factor');
  });
});

describe('an authenticator app', () => {
  test('the start gives the secret in hex and base32 and the address of the QR code', async () => {
    const sca = await newSca();
    const start = await expectStatus(200, sca.enroll('TOTP'));
    assert.match(start.secret, /^[0-9a-f]{40}$/);
    assert.equal(Secret.fromHex(start.secret).base32, start.secretBase32Encoded);
    const parsed = URI.parse(start.totpUri);
    assert.ok(parsed instanceof TOTP);
    assert.deepEqual(
      {
        label: parsed.label,
        issuer: parsed.issuer,
        secret: parsed.secret.base32,
        algorithm: parsed.algorithm,
        digits: parsed.digits,
        period: parsed.period,
      },
      {
        label: sca.customer.email,
        issuer: service.platform.tokenId,
        secret: start.secretBase32Encoded,
        algorithm: 'SHA1',
        digits: 6,
        period: 30,
      },
    );
    assert.match(start.totpUri, /^otpauth:\/\/totp\/[^?]+\?secret=[A-Z2-7]+&issuer=[^&]+&algorithm=SHA1&digits=6&period=30$/);
  });

  test('a code of an independent implementation confirms it, one step early or late; two steps off does not', async () => {
    for (const [offset, status] of [
      [-60_000, 400],
      [-30_000, 200],
      [0, 200],
      [30_000, 200],
      [60_000, 400],
    ] as const) {
      const sca = await newSca();
      const { secret, totpUri } = await expectStatus(200, sca.enroll('TOTP'));
      const app = URI.parse(totpUri);
      assert.ok(app instanceof TOTP);
      const code = app.generate({ timestamp: (await service.platform.clock.now()).getTime() + offset });
      const answer = await sca.confirm({ type: 'TOTP', secret, code });
      assert.equal(answer.status, status, `${offset}: ${answer.text}`);
    }
  });

  test('ten recovery codes of the form XXXX-XXXX-XXXX, all different', async () => {
    const { recoveryCodes } = await (await newSca()).withTotp();
    assert.equal(new Set(recoveryCodes).size, 10);
    for (const code of recoveryCodes) assert.match(code, /^[A-Z2-7]{4}-[A-Z2-7]{4}-[A-Z2-7]{4}$/);
  });

  test('starting again replaces the open secret', async () => {
    const sca = await newSca();
    const { secret: first } = await expectStatus(200, sca.enroll('TOTP'));
    const { secret: second } = await expectStatus(200, sca.enroll('TOTP'));
    assertRefused(await sca.confirm({ type: 'TOTP', secret: first, code: CODE }), 400, 'INVALID_INPUT');
    await expectStatus(200, sca.confirm({ type: 'TOTP', secret: second, code: CODE }));
  });

  test('400 INVALID_INPUT: nothing open, expired at exactly 10 minutes, five wrong tries', async () => {
    const cause = async (answer: Promise<{ status: number; body: { code: string; details: { cause: string } } }>) => {
      const { status, body } = await answer;
      return `${status} ${body.code} ${body.details.cause}`;
    };
    const none = await newSca();
    assert.equal(await cause(none.confirm({ type: 'TOTP', secret: '00', code: CODE })), '400 INVALID_INPUT CHALLENGE_EXPIRED');

    const late = await newSca();
    const { secret } = await expectStatus(200, late.enroll('TOTP'));
    await service.platform.clock.advance(10 * MINUTE);
    assert.equal(await cause(late.confirm({ type: 'TOTP', secret, code: CODE })), '400 INVALID_INPUT CHALLENGE_EXPIRED');

    const guessing = await newSca();
    const { secret: own } = await expectStatus(200, guessing.enroll('TOTP'));
    for (let i = 0; i < 5; i += 1)
      assert.equal(await cause(guessing.confirm({ type: 'TOTP', secret: own, code: '000000' })), '400 INVALID_INPUT CODE_INVALID');
    assert.equal(await cause(guessing.confirm({ type: 'TOTP', secret: own, code: CODE })), '400 INVALID_INPUT CHALLENGE_EXPIRED');
  });

  test('409 CONFLICT: already enrolled, also at confirmation', async () => {
    const sca = await newSca();
    const { secret } = await sca.withTotp();
    assertRefused(await sca.enroll('TOTP'), 409, 'CONFLICT');
    assertRefused(await sca.confirm({ type: 'TOTP', secret, code: CODE }), 409, 'CONFLICT');
  });
});

describe('a passkey', () => {
  test('the start gives the creation options of the standard, which require user verification', async () => {
    const sca = await newSca();
    const { type, options, allowedOrigins, relyingPartyId } = await expectStatus(200, sca.enroll('PASSKEY'));
    assert.equal(type, 'PASSKEY');
    assert.deepEqual(allowedOrigins, ['http://localhost:3000', 'http://localhost:5173', 'http://localhost:8080']);
    assert.equal(relyingPartyId, 'localhost');
    assert.equal(Buffer.from(options.challenge, 'base64url').length, 32);
    assert.equal(options.attestation, 'none');
    assert.equal(options.rp.id, 'localhost');
    assert.equal(options.authenticatorSelection.userVerification, 'required');
    const algorithms = options.pubKeyCredParams.map(({ alg }: { alg: number }) => alg);
    assert.ok(algorithms.includes(-7) && algorithms.includes(-257));
    assert.equal(options.user.name, sca.customer.email);
  });

  test('is confirmed with what the browser returned, and deleted by its id', async () => {
    const sca = await newSca();
    const authenticator = softwareAuthenticator({ origin: ORIGIN, rpId: 'localhost' });
    const { options } = await expectStatus(200, sca.enroll('PASSKEY'));
    const confirmed = await expectStatus(
      200,
      sca.confirm({ type: 'PASSKEY', origin: ORIGIN, credential: creationOf(authenticator, options.challenge) }),
    );
    assert.deepEqual(confirmed, {
      type: 'PASSKEY',
      factor: { factor: 'PASSKEY', name: 'Passkey', credentialId: authenticator.credentialId },
    });
    await expectStatus(204, sca.remove(authenticator.credentialId));
    assertRefused(await sca.remove(authenticator.credentialId), 404, 'NOT_FOUND');
    assert.deepEqual(await expectStatus(200, sca.factors()), { factors: [{ factor: 'SMS_OTP' }] });
    await sca.withPasskey();
  });

  test('409 PASSKEY_ALREADY_ENROLLED: one exists, also when it was enrolled after the start', async () => {
    const sca = await newSca();
    const { options } = await expectStatus(200, sca.enroll('PASSKEY'));
    const [first, second] = [0, 1].map(() => softwareAuthenticator({ origin: ORIGIN, rpId: 'localhost' }));
    assert.ok(first && second);
    const confirm = (each: typeof first) =>
      sca.confirm({ type: 'PASSKEY', origin: ORIGIN, credential: creationOf(each, options.challenge) });
    await expectStatus(200, confirm(first));
    assertRefused(await confirm(second), 409, 'PASSKEY_ALREADY_ENROLLED');
    assertRefused(await sca.enroll('PASSKEY'), 409, 'PASSKEY_ALREADY_ENROLLED');
  });

  test('400 INVALID_INPUT: another challenge, page or party, no user verification, not the browser’s answer', async () => {
    const sca = await newSca();
    const attempt = async (
      options: Parameters<typeof softwareAuthenticator>[0],
      origin: string,
      change: (credential: ReturnType<typeof creationOf>) => Record<string, unknown> = (credential) => credential,
    ) => {
      const { options: creation } = await expectStatus(200, sca.enroll('PASSKEY'));
      const authenticator = softwareAuthenticator({ origin: ORIGIN, rpId: 'localhost', ...options });
      return sca.confirm({ type: 'PASSKEY', origin, credential: change(creationOf(authenticator, creation.challenge)) });
    };
    const refused = [
      await attempt({ userVerified: false }, ORIGIN),
      await attempt({ rpId: 'example.com' }, ORIGIN),
      await attempt({ origin: 'http://localhost:9999' }, 'http://localhost:9999'),
      await attempt({ origin: 'http://localhost:9999' }, ORIGIN),
      await attempt({}, 'http://localhost:5173'),
      await attempt({}, ORIGIN, () => creationOf(softwareAuthenticator({ origin: ORIGIN, rpId: 'localhost' }), 'AAAA')),
      await attempt({}, ORIGIN, () => ({})),
      await attempt({}, ORIGIN, (credential) => ({ ...credential, id: 'AAAA', rawId: 'AAAA' })),
      await attempt({}, ORIGIN, (credential) => ({ ...credential, response: 'text' })),
    ];
    for (const answer of refused) {
      assertRefused(answer, 400, 'INVALID_INPUT');
      assert.equal(answer.body.details.cause, 'ASSERTION_INVALID');
    }
    assert.deepEqual(await expectStatus(200, sca.factors()), { factors: [{ factor: 'SMS_OTP' }] });
  });

  test('400 INVALID_INPUT: the passkey belongs to another customer of the platform', async () => {
    const [one, two] = [await newSca(), await newSca()];
    const authenticator = await one.withPasskey();
    const { options } = await expectStatus(200, two.enroll('PASSKEY'));
    const credential = creationOf(authenticator, options.challenge);
    assertRefused(await two.confirm({ type: 'PASSKEY', origin: ORIGIN, credential }), 400, 'INVALID_INPUT');
    assert.deepEqual(await expectStatus(200, two.factors()), { factors: [{ factor: 'SMS_OTP' }] });
  });

  test('404 NOT_FOUND: the passkey of another customer', async () => {
    const [one, two] = [await newSca(), await newSca()];
    const { credentialId } = await one.withPasskey();
    assertRefused(await two.remove(credentialId), 404, 'NOT_FOUND');
  });
});
