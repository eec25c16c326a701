// Strong authentication under concurrent requests: every guess is counted, and what may happen once happens once.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { softwareAuthenticator } from '../../support/authenticator.js';
import { type Answer, expectStatus } from '../../support/client.js';
import { race } from '../../support/race.js';
import { assertionOf, CODE, creationOf, ORIGIN, regulatedCustomer, type Sca, scaOf } from '../../support/sca.js';
import { startTestService, type TestService } from '../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
  await service.platform.clock.freeze('2026-03-01T12:00:00Z');
});
after(() => service.stop());

const WAYS = 64;

/** On an overloaded machine some requests get 503 because no connection was free. Nothing was done, so they are repeated. */
async function patiently(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
  }
}

async function compete(send: (i: number) => Promise<Answer>, ways = WAYS): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const answers = await Promise.all(Array.from({ length: ways }, (_, i) => patiently(() => send(i))));
  for (const { status, body } of answers) {
    const outcome = [status, body?.code, body?.details?.cause].filter((part) => part !== undefined).join(' ');
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

const newSca = async (): Promise<Sca> => scaOf(service.platform, await regulatedCustomer(service.platform));
const uuidOf = (sca: Sca): string => sca.customer.id.slice('Customer:'.length);

async function failedAttempts(sca: Sca): Promise<number> {
  const text = 'select failed_attempts from sca_customers where customer_id = $1';
  const row = await service.db.one<{ failed_attempts: number }>({ text, values: [uuidOf(sca)] });
  return row?.failed_attempts ?? 0;
}

race('64 wrong guesses at once are five tries and five failed logins', async () => {
  const sca = await newSca();
  const { challengeId } = await expectStatus(200, sca.start('SMS_OTP'));
  const counts = await compete((i) => sca.complete({ factor: 'SMS_OTP', challengeId, code: String(200_000 + i) }));
  assert.deepEqual(counts, { '400 INVALID_INPUT CODE_INVALID': 5, '423 ACCOUNT_LOCKED': 59 });
  assert.equal(await failedAttempts(sca), 5);
});

race('64 failed logins reported at once: five are counted, the others find the lock', async () => {
  const sca = await newSca();
  assert.deepEqual(await compete(() => sca.report('FAILED_LOGIN_ATTEMPT')), { '200': 5, '423 ACCOUNT_LOCKED': 59 });
  assert.equal(await failedAttempts(sca), 5);
});

race('a right code sent 64 times opens one session', async () => {
  const sca = await newSca();
  const { challengeId } = await expectStatus(200, sca.start('SMS_OTP'));
  const counts = await compete(() => sca.complete({ factor: 'SMS_OTP', challengeId, code: CODE }));
  assert.deepEqual(counts, { '200': 1, '400 INVALID_INPUT CHALLENGE_EXPIRED': 63 });
  assert.equal(await failedAttempts(sca), 0);
});

race('one TOTP code, recovery code or assertion logs in once', async () => {
  const sca = await newSca();
  const { secret, recoveryCodes } = await sca.withTotp();
  const passkey = await sca.withPasskey();
  const code = new TOTP({ secret: Secret.fromHex(secret) }).generate({ timestamp: (await service.platform.clock.now()).getTime() });
  for (const proof of [code, recoveryCodes[0]]) {
    await expectStatus(200, sca.start('TOTP'));
    const counts = await compete(() => sca.complete({ factor: 'TOTP', code: proof }), 16);
    assert.deepEqual(counts, { '200': 1, '400 INVALID_INPUT CHALLENGE_EXPIRED': 15 });
  }
  const { passkeyOptions } = await expectStatus(200, sca.start('PASSKEY'));
  const passkeyAssertion = assertionOf(passkey, passkeyOptions.challenge);
  const counts = await compete(() => sca.complete({ factor: 'PASSKEY', passkeyAssertion, origin: ORIGIN }), 16);
  assert.deepEqual(counts, { '200': 1, '400 INVALID_INPUT CHALLENGE_EXPIRED': 15 });
});

race('16 starts at once send five codes, and one challenge is open', async () => {
  const sca = await newSca();
  const answers = await Promise.all(Array.from({ length: 16 }, () => patiently(() => sca.start('SMS_OTP'))));
  const ids = answers.filter(({ status }) => status === 200).map(({ body }) => body.challengeId as string);
  assert.equal(ids.length, 5);
  assert.equal(answers.filter(({ status }) => status === 429).length, 11);
  const statuses = await Promise.all(
    ids.map(async (challengeId) => (await sca.complete({ factor: 'SMS_OTP', challengeId, code: CODE })).status),
  );
  assert.deepEqual(statuses.sort(), [200, 400, 400, 400, 400]);
  const to = encodeURIComponent(sca.customer.phoneNumber);
  const { data } = await expectStatus(200, service.platform.get(`/sandbox/messages?to=${to}&channel=SMS`));
  assert.equal(data.filter(({ text }: { text: string }) => /login/.test(text)).length, 5);
});

race('two passkeys confirmed at once: one is enrolled', async () => {
  const sca = await newSca();
  const { options } = await expectStatus(200, sca.enroll('PASSKEY'));
  const authenticators = Array.from({ length: 8 }, () => softwareAuthenticator({ origin: ORIGIN, rpId: 'localhost' }));
  const counts = await compete(
    (i) =>
      sca.confirm({
        type: 'PASSKEY',
        origin: ORIGIN,
        credential: creationOf(authenticators[i] ?? softwareAuthenticator(), options.challenge),
      }),
    authenticators.length,
  );
  assert.deepEqual(counts, { '200': 1, '409 PASSKEY_ALREADY_ENROLLED': 7 });
});

race('a reset is completed once, and five of 16 starts are accepted', async () => {
  const sca = await newSca();
  await sca.withTotp();
  assert.deepEqual(await compete(() => sca.startReset('TOTP'), 16), { '201': 5, '429 RATE_LIMITED': 11 });
  const open = await service.db.many<{ id: string }>({
    text: `select id from sca_resets where customer_id = $1 and status = 'INITIATED'`,
    values: [uuidOf(sca)],
  });
  assert.equal(open.length, 1);
  const id = `TwoFactorReset:${open[0]?.id}`;
  const decided = await compete((i) => sca.liveness(id, i % 2 === 0 ? 'PASS' : 'FAIL'), 8);
  assert.equal(decided['200'], 1);
  if ((await expectStatus(200, sca.reset(id))).status !== 'LIVENESS_PASSED') return;
  assert.deepEqual(await compete(() => sca.completeReset(id), 8), { '204': 1, '400 INVALID_INPUT RESET_NOT_PASSED': 7 });
});
