// Goal G21 for keys: after every operation that handles a secret, no secret is found in any table, log entry, response or webhook.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { decryptCredentialBundle } from '@turnkey/crypto';
import { Sql, sql } from '../../../src/db/sql.js';
import { privateKeyContext } from '../../../src/domains/access/delegated-keys/actions.js';
import type { Id } from '../../../src/kernel/ids.js';
import { createKeyCustody } from '../../../src/providers/key-custody.js';
import { softwareAuthenticator } from '../../support/authenticator.js';
import { expectStatus } from '../../support/client.js';
import { type MailServer, startMailServer } from '../../support/mail-server.js';
import { startTestService, type TestService } from '../../support/service.js';
import {
  addCredential,
  cardOf,
  delegate,
  encryptOtp,
  halfDelegated,
  newKeys,
  oidcToken,
  openExport,
  otpBody,
  passkeyAssertion,
  passkeyBody,
  secondSession,
  signed,
  unprovisionedWallet,
  wallet,
} from '../../support/wallet.js';

const kek = randomBytes(32);
let mail: MailServer;
let service: TestService;
/** A live process on the same database. */
let beside: TestService;
before(async () => {
  mail = await startMailServer();
  const env = {
    KEY_ENCRYPTION_KEY: kek.toString('base64'),
    SMTP_URL: mail.url,
    SMTP_FROM: 'codes@switchyard.example',
    LOG_LEVEL: 'trace',
  };
  service = await startTestService(env);
  beside = await startTestService({ ...env, MODE: 'live', DATABASE_URL: service.databaseUrl });
});
after(async () => {
  await mail.close();
  await beside?.stop();
  await service?.stop();
});

/** Each secret in the forms it could be written in. */
const forms = (secret: Buffer | string): string[] => {
  const bytes = Buffer.from(secret);
  return [bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url'), bytes.toString('latin1')];
};

test('no private key, one-time password, recovery phrase or key-encryption key is found anywhere', async () => {
  const { platform } = service;
  const answers: string[] = [];
  const heard = { ...platform, request: async (...args: Parameters<typeof platform.request>) => keep(await platform.request(...args)) };
  const keep = <Answer extends { text: string }>(answer: Answer): Answer => {
    answers.push(answer.text);
    return answer;
  };
  const canaries = new Map<string, string[]>([['key-encryption key', forms(kek)]]);
  const add = (name: string, secret: Buffer | string) => canaries.set(name, forms(secret));

  // Sessions: the client's own key, and one that the service made and sealed to the client.
  const owner = await wallet(platform);
  add('session key', Buffer.from(owner.keys.privateKey, 'hex'));
  const client = newKeys();
  const authenticator = softwareAuthenticator();
  const credential = await addCredential(owner, passkeyBody(authenticator));
  const { body, headers } = await passkeyAssertion(platform, credential, authenticator, client.publicKeyUncompressed);
  const session = keep(await platform.post(`/auth/credentials/${credential.id}/verify`, body, { headers })).body;
  add('session key made here', Buffer.from(decryptCredentialBundle(session.encryptedSessionSigningKey, client.privateKey), 'hex'));

  // The exported recovery phrase of the wallet.
  const exported = keep(
    await signed({ ...owner, platform: heard }, 'POST', `/internal-accounts/${owner.account.id}/export`, {
      clientPublicKey: client.publicKeyUncompressed,
    }),
  );
  const { recoveryPhrase } = openExport(exported.body.encryptedWalletCredentials, client);
  canaries.set('recovery phrase', [...forms(recoveryPhrase), recoveryPhrase]);

  // Delegated keys in every status, opened with the key-encryption key to know what to look for.
  const card = await cardOf(service.db, owner);
  const key = await delegate({ ...owner, platform: heard }, card);
  await halfDelegated({ ...owner, platform: heard }, await cardOf(service.db, owner));
  const sealed = await service.db.many<{ id: string; platform_id: string; account_id: string; private_key_sealed: Buffer }>(
    sql`select * from delegated_keys`,
  );
  assert.equal(sealed.length, 2);
  const custody = createKeyCustody([kek]);
  for (const row of sealed) {
    const context = privateKeyContext(`Platform:${row.platform_id}`, {
      id: `DelegatedKey:${row.id}` as Id<'DelegatedKey'>,
      accountId: `InternalAccount:${row.account_id}`,
    });
    add(`delegated key ${row.id}`, custody.open(row.private_key_sealed, context));
  }
  await expectStatus(204, platform.delete(`/auth/delegated-keys/${key.id}`));

  // OTPs: a wrong one and one sent by mail; an OIDC token; a second credential; refusals of every kind.
  const waiting = await unprovisionedWallet(platform);
  keep(
    await platform.post(
      `/auth/credentials/${waiting.credential.id}/verify`,
      await otpBody(platform, waiting.credential, newKeys(), '918273645'),
    ),
  );
  canaries.set('wrong OTP', ['918273645']);
  await service.db.run(sql`update platforms set mode = 'live'`);
  const live = beside.as(platform.tokenId, platform.secret);
  const challenged = keep(await live.post(`/auth/credentials/${waiting.credential.id}/challenge`));
  const code = /^(\d{6}) is your/m.exec(mail.received.at(-1)?.data ?? '')?.[1] as string;
  const mailed = { type: 'EMAIL_OTP', encryptedOtpBundle: await encryptOtp(challenged.body.otpEncryptionTargetBundle, newKeys(), code) };
  keep(await live.post(`/auth/credentials/${waiting.credential.id}/verify`, mailed));
  await service.db.run(sql`update platforms set mode = 'sandbox'`);
  canaries.set('mailed OTP', [`"${code}"`, ` ${code} `, `=${code}`, Buffer.from(code).toString('hex')]);
  const token = await oidcToken(platform, { subject: 'ada' });
  await addCredential(owner, { type: 'OAUTH', oidcToken: token });
  canaries.set('OIDC token', [token.split('.')[2] as string]);
  await secondSession(owner);
  keep(
    await platform.post(
      '/auth/delegated-keys',
      { cardId: 'x', internalAccountId: 'x', nickname: 'x' },
      { headers: { 'Service-Wallet-Signature': 'x', 'Request-Id': 'x' } },
    ),
  );

  const tables = await service.db.many<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  const places = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await service.db.many<{ text: string }>(new Sql(`select t::text as text from ${name} t`, []));
    places.set(`table ${name}`, rows.map(({ text }) => text).join('\n'));
  }
  places.set('log', [...service.logged, ...beside.logged].join('\n'));
  places.set('answers', answers.join('\n'));
  const hits = [...canaries].flatMap(([secret, texts]) =>
    [...places].filter(([, text]) => texts.some((form) => text.includes(form))).map(([place]) => `${secret} in ${place}`),
  );
  assert.deepEqual(hits, []);
  // The search covered some data.
  assert.ok(answers.length >= 8, `${answers.length} answers`);
  assert.ok(service.logged.length >= 20, `${service.logged.length} log lines`);
  assert.ok(places.get('table auth_sessions')?.includes(owner.keys.publicKey), 'what is public is found');
});
