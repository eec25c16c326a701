// Strong authentication of a live installation: random codes by text message, no code of the sandbox, refusals where a channel is missing.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { sql } from '../../../../src/db/sql.js';
import type { Message } from '../../../../src/providers/messages.js';
import { runDueJobs } from '../../../../src/worker.js';
import { type Answer, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { CODE, regulatedCustomer, type Sca, scaOf } from '../../../support/sca.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let sandbox: TestService;
let service: TestService;
let platform: Client;
const sent: Message[] = [];
let sendsTexts = true;

before(async () => {
  const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64');
  sandbox = await startOwnService({ KEY_ENCRYPTION_KEY, ROLE: 'api' });
  const live = { canSend: () => sendsTexts, send: async (message: Message) => void sent.push(message) };
  service = await startOwnService({ KEY_ENCRYPTION_KEY, DATABASE_URL: sandbox.databaseUrl, MODE: 'live', ROLE: 'api' }, (made) => ({
    messengers: { ...made.messengers, live },
  }));
  platform = service.as(sandbox.platform.tokenId, sandbox.platform.secret);
});
after(async () => {
  await service?.stop();
  await sandbox?.stop();
});

/** The customer is made in the sandbox; from then on the platform is live. */
async function liveSca(prepare: (sca: Sca) => Promise<unknown> = async () => {}): Promise<Sca> {
  await service.db.run(sql`update platforms set mode = 'sandbox'`);
  const customer = await regulatedCustomer(sandbox.platform);
  await prepare(scaOf(sandbox.platform, customer));
  await service.db.run(sql`update platforms set mode = 'live'`);
  return scaOf(platform, customer);
}

async function receive(): Promise<Message> {
  sent.splice(0);
  await runDueJobs(service.db, 'live', service.service.jobs, { warn: () => {} }, () => false);
  const [message] = sent.filter(({ text }) => /login code/.test(text));
  assert.ok(message, 'the message was handed over after the commit');
  return message;
}

test('six random digits go to the verified phone and log in; the code of the sandbox does not', async () => {
  const sca = await liveSca();
  const { challengeId } = await expectStatus(200, sca.start('SMS_OTP'));
  const { channel, to, text } = await receive();
  assert.deepEqual([channel, to], ['SMS', sca.customer.phoneNumber]);
  const code = /^(\d{6}) /.exec(text)?.[1] ?? '';
  const complete = (given: string): Promise<Answer> => sca.complete({ factor: 'SMS_OTP', challengeId, code: given });
  if (code !== CODE) assertRefused(await complete(CODE), 400, 'INVALID_INPUT');
  await expectStatus(200, complete(code));
});

test('a code of another challenge or customer is worth nothing', async () => {
  const [one, two] = [await liveSca(), await liveSca()];
  const { challengeId: first } = await expectStatus(200, one.start('SMS_OTP'));
  const code = /^(\d{6}) /.exec((await receive()).text)?.[1] ?? '';
  const { challengeId: other } = await expectStatus(200, two.start('SMS_OTP'));
  assertRefused(await two.complete({ factor: 'SMS_OTP', challengeId: other, code }), 400, 'INVALID_INPUT');
  assertRefused(await two.complete({ factor: 'SMS_OTP', challengeId: first, code }), 400, 'INVALID_INPUT');
  const { challengeId: second } = await expectStatus(200, one.start('SMS_OTP'));
  assertRefused(await one.complete({ factor: 'SMS_OTP', challengeId: second, code }), 400, 'INVALID_INPUT');
});

test('an authenticator app works with real codes alone', async () => {
  const sca = await liveSca();
  const { secret } = await expectStatus(200, sca.enroll('TOTP'));
  const app = new TOTP({ secret: Secret.fromHex(secret) });
  const now = Date.now();
  if (app.generate({ timestamp: now }) !== CODE)
    assertRefused(await sca.confirm({ type: 'TOTP', secret, code: CODE }), 400, 'INVALID_INPUT');
  await expectStatus(200, sca.confirm({ type: 'TOTP', secret, code: app.generate({ timestamp: now }) }));
  await expectStatus(200, sca.start('TOTP'));
  assertRefused(await sca.complete({ factor: 'TOTP', code: CODE }), 400, 'INVALID_INPUT');
  await expectStatus(200, sca.complete({ factor: 'TOTP', code: app.generate({ timestamp: now + 30_000 }) }));
});

test('400 CHANNEL_UNAVAILABLE: no text messages, no web origin for passkeys; nothing is written', async () => {
  const sca = await liveSca();
  sendsTexts = false;
  try {
    for (const call of [() => sca.start('SMS_OTP'), () => sca.enroll('PASSKEY')]) {
      const answer = await changesNothing(service.db, call);
      assertRefused(answer, 400, 'INVALID_INPUT');
      assert.equal(answer.body.details.cause, 'CHANNEL_UNAVAILABLE');
    }
  } finally {
    sendsTexts = true;
  }
  await service.db.run(sql`update platforms set sca_origins = ${['https://app.acme.example']}`);
  const { allowedOrigins, relyingPartyId } = await expectStatus(200, sca.enroll('PASSKEY'));
  assert.deepEqual([allowedOrigins, relyingPartyId], [['https://app.acme.example'], 'app.acme.example']);
});

test('501 NOT_IMPLEMENTED: a reset, because the installation has no liveness vendor', async () => {
  const sca = await liveSca((each) => each.withTotp());
  assertRefused(await changesNothing(service.db, () => sca.startReset('TOTP')), 501, 'NOT_IMPLEMENTED');
});
