// One-time passwords of a live platform: random, sent by mail, never stored in plain text.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { decryptExportBundle } from '@turnkey/crypto';
import { platformTime } from '../../../../src/db/platform-time.js';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { type MailServer, startMailServer } from '../../../support/mail-server.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { encryptOtp, newKeys, signed, unprovisionedWallet, wallet } from '../../../support/wallet.js';

let mail: MailServer;
let sandbox: TestService;
let service: TestService;
let platform: Client;
before(async () => {
  mail = await startMailServer();
  const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64');
  sandbox = await startTestService({ KEY_ENCRYPTION_KEY });
  const smtp = { SMTP_URL: mail.url, SMTP_FROM: 'codes@switchyard.example' };
  service = await startTestService({ KEY_ENCRYPTION_KEY, DATABASE_URL: sandbox.databaseUrl, MODE: 'live', ...smtp });
  platform = service.as(sandbox.platform.tokenId, sandbox.platform.secret);
});
after(async () => {
  await mail.close();
  await service?.stop();
  await sandbox?.stop();
});

/** Accounts are opened in the sandbox; from then on the platform is live. */
async function liveWallet() {
  await service.db.run(sql`update platforms set mode = 'sandbox'`);
  const wallet = await unprovisionedWallet(sandbox.platform);
  await service.db.run(sql`update platforms set mode = 'live'`);
  return wallet;
}

async function sentCode(credential: { id: string; nickname: string }) {
  mail.received.splice(0);
  const { otpEncryptionTargetBundle } = await expectStatus(200, platform.post(`/auth/credentials/${credential.id}/challenge`));
  const [received] = mail.received;
  assert.deepEqual(received?.to, [credential.nickname]);
  const code = /^(\S+) is your .* code\./m.exec(received?.data ?? '')?.[1];
  assert.ok(code, received?.data);
  return { code, bundle: otpEncryptionTargetBundle as string };
}

describe('a live platform', () => {
  test('six random digits by mail sign in; the code of the sandbox does not', async () => {
    const { account, credential } = await liveWallet();
    const { code, bundle } = await sentCode(credential);
    assert.match(code, /^\d{6}$/);
    const keys = newKeys();
    const path = `/auth/credentials/${credential.id}/verify`;
    const sandbox = { type: 'EMAIL_OTP', encryptedOtpBundle: await encryptOtp(bundle, keys, code === '000000' ? '000001' : '000000') };
    assertRefused(await platform.post(path, sandbox), 401, 'UNAUTHORIZED');
    const body = { type: 'EMAIL_OTP', encryptedOtpBundle: await encryptOtp(bundle, keys, code) };
    assert.equal((await signed({ platform, keys }, 'POST', path, body)).status, 200);

    // Unlike in the sandbox, an export is signed: by the key that signed the bundle of the code.
    const client = newKeys();
    const exported = await signed({ platform, keys }, 'POST', `/internal-accounts/${account.id}/export`, {
      clientPublicKey: client.publicKeyUncompressed,
    });
    assert.equal(exported.status, 200, exported.text);
    const recoveryPhrase = await decryptExportBundle({
      exportBundle: exported.body.encryptedWalletCredentials,
      organizationId: account.id,
      embeddedKey: client.privateKey,
      dangerouslyOverrideSignerPublicKey: JSON.parse(bundle).enclaveQuorumPublic,
      returnMnemonic: true,
    });
    assert.equal(recoveryPhrase.split(' ').length, 12);
  });

  test('length, alphabet, life, sender and name follow embeddedWalletConfig', async () => {
    const { credential } = await liveWallet();
    await expectStatus(
      200,
      platform.patch('/config', {
        embeddedWalletConfig: {
          otpLength: 9,
          alphanumeric: true,
          expirationSeconds: 60,
          appName: 'Counting House',
          sendFromEmailAddress: 'hi@app.example',
        },
      }),
    );
    const { code } = await sentCode(credential);
    assert.match(code, /^[2-9A-HJKMNP-Z]{9}$/);
    assert.match(mail.received[0]?.data ?? '', /is your Counting House code/);
    assert.equal(mail.received[0]?.from, 'hi@app.example');
    const life = await service.db.one<{ seconds: number }>(sql`
      select extract(epoch from o.expires_at - ${platformTime})::int as seconds
      from otp_challenges o join platforms p on p.id = o.platform_id order by o.expires_at desc limit 1`);
    assert.ok(life && life.seconds > 50 && life.seconds <= 60);
    await expectStatus(200, platform.patch('/config', { embeddedWalletConfig: { otpLength: 6, alphanumeric: false } }));
  });

  test('codes differ, and no table and no log entry contains one', async () => {
    const codes = new Set<string>();
    for (let i = 0; i < 5; i += 1) {
      const { credential } = await liveWallet();
      codes.add((await sentCode(credential)).code);
    }
    assert.ok(codes.size >= 4);
    const dump = JSON.stringify(
      await service.db.many(sql`select encode(code_hash, 'hex') as hash, encode(target_sealed, 'hex') as sealed from otp_challenges`),
    );
    for (const code of codes) {
      assert.equal(dump.includes(Buffer.from(code).toString('hex')), false);
      assert.equal(
        service.logged.some((line) => line.includes(code)),
        false,
      );
    }
  });

  test('400 INVALID_INPUT: SMS_OTP on an installation that cannot send text messages', async () => {
    const { account } = await liveWallet();
    assertInvalid(
      await platform.post('/auth/credentials', { type: 'SMS_OTP', accountId: account.id, phoneNumber: '+15550100009' }),
      'type',
    );
  });

  test('400 INVALID_INPUT: the challenge of an SMS_OTP credential there, before anything is written', async () => {
    await service.db.run(sql`update platforms set mode = 'sandbox'`);
    const build = given(sandbox.platform);
    const account = await build.account(await build.customer({ email: undefined }), 'USDB');
    const body = { type: 'SMS_OTP', accountId: account.id, phoneNumber: '+15550100010' };
    const credential = await expectStatus(201, sandbox.platform.post('/auth/credentials', body));
    await service.db.run(sql`update platforms set mode = 'live'`);
    const answer = await changesNothing(service.db, () => platform.post(`/auth/credentials/${credential.id}/challenge`));
    assertRefused(answer, 400, 'INVALID_INPUT');
    assert.deepEqual(answer.body.details, { cause: 'CHANNEL_UNAVAILABLE' });
  });

  test('a mail server that refuses a mail and quotes it: neither the code nor the address gets into the log', async () => {
    const { credential } = await liveWallet();
    const before = service.logged.length;
    mail.refuse(true);
    try {
      assertRefused(await platform.post(`/auth/credentials/${credential.id}/challenge`), 500, 'INTERNAL_ERROR');
    } finally {
      mail.refuse(false);
    }
    const lines = service.logged.slice(before).join('');
    assert.match(lines, /the mail server answered 554/);
    assert.ok(!lines.includes(credential.nickname), lines);
    assert.ok(!lines.includes('is your'), lines);
  });

  test('a credential whose first code cannot be sent was made all the same: the answer names it, and its code can be sent again', async () => {
    await service.db.run(sql`update platforms set mode = 'sandbox'`);
    const owner = await wallet(sandbox.platform);
    await service.db.run(sql`update platforms set mode = 'live'`);
    await mail.close();
    const body = { type: 'EMAIL_OTP', accountId: owner.account.id, email: 'next@example.com' };
    const made = await signed({ platform, keys: owner.keys }, 'POST', '/auth/credentials', body);
    assert.deepEqual([made.status, made.body.nickname], [201, 'next@example.com'], made.text);
    const { data } = await expectStatus(200, platform.get(`/auth/credentials?accountId=${owner.account.id}`));
    assert.ok(data.some(({ id }: { id: string }) => id === made.body.id));
    assert.ok(service.logged.some((line) => line.includes(made.body.id)));
    assert.equal(
      service.logged.some((line) => line.includes('next@example.com')),
      false,
    );
  });

  test('500 when the mail cannot be sent', async () => {
    const { credential } = await liveWallet();
    await mail.close();
    assertRefused(await platform.post(`/auth/credentials/${credential.id}/challenge`), 500, 'INTERNAL_ERROR');
  });
});
