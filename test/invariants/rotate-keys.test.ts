// Rotation of the key-encryption key while the service runs: no value stays encrypted with the old key, and no value is lost.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { sql } from '../../src/db/sql.js';
import { createKeyCustody } from '../../src/providers/key-custody.js';
import { rotateKeys } from '../../src/rotate-keys.js';
import { SEALED_COLUMNS } from '../../src/sealed-columns.js';
import { issuerOf } from '../support/card-transactions.js';
import { givenCard } from '../support/cards.js';
import { assertRefused, expectStatus } from '../support/client.js';
import { germanCustomer, sendCode } from '../support/contacts.js';
import { filePart, PASSPORT, upload } from '../support/documents.js';
import { given } from '../support/given.js';
import { identity } from '../support/identity/verifications.js';
import { regulatedCustomer, scaOf } from '../support/sca.js';
import { startOwnService, startTestService, type TestService } from '../support/service.js';
import { stablecoins } from '../support/stablecoins.js';
import { at, givenLookup } from '../support/uma.js';
import { cardOf, delegate, delegationBody, retry, unprovisionedWallet, wallet } from '../support/wallet.js';

const [older, newer] = [randomBytes(32), randomBytes(32)];
const keyring = (...keys: Buffer[]) => keys.map((key) => key.toString('base64')).join(',');

let service: TestService;
before(async () => {
  service = await startTestService({ KEY_ENCRYPTION_KEY: keyring(newer, older) });
});
after(() => service.stop());

/** Encrypts every sealed value with the old key again, as if the new key had just been added. */
const age = () => rotateKeys(service.db, createKeyCustody([older, newer]));

describe('npm run rotate-keys', () => {
  test('re-encrypts every kind of sealed value; each can be decrypted with the new key only', async () => {
    const { platform } = service;
    const owner = await wallet(platform);
    const card = await cardOf(service.db, owner);
    const key = await delegate(owner, card);
    const second = await cardOf(service.db, owner);
    const challenge = await expectStatus(202, platform.post('/auth/delegated-keys', delegationBody(owner, second)));
    const waiting = await unprovisionedWallet(platform);
    await expectStatus(200, platform.post(`/auth/credentials/${waiting.credential.id}/challenge`));
    await given(platform).customer({ idType: 'SSN', identifier: '078051120', countryOfIssuance: 'US' });
    await expectStatus(201, platform.post('/tokens', { name: 'x', permissions: ['VIEW'] }, { headers: { 'Idempotency-Key': 'rotate' } }));
    await expectStatus(200, platform.get('/webhooks/signing-keys'));
    const sealedAnswer = { headers: { 'Idempotency-Key': 'sealed answer' } };
    const document = await expectStatus(201, upload(platform, (await given(platform).customer()).id, PASSPORT, filePart(), sealedAnswer));
    await expectStatus(204, sendCode(platform, await germanCustomer(platform), 'verify-email'));
    await identity(platform).owner(await identity(platform).business());
    const link = () => platform.post(`/customers/${owner.customer.id}/kyc-link`, {}, { headers: { 'Idempotency-Key': 'link' } });
    const linked = await link();
    const { card: issued } = await givenCard(platform);
    await expectStatus(200, issuerOf(platform, issued).ask({ amount: 1 }));
    const sca = scaOf(platform, await regulatedCustomer(platform));
    const { secret } = await sca.withTotp();
    await expectStatus(200, scaOf(platform, await regulatedCustomer(platform)).enroll('TOTP'));
    const issuer = await stablecoins(platform).link();

    await givenLookup(platform, at('success.usd'));
    await expectStatus(200, platform.post('/sandbox/fixtures', { name: 'rotate', steps: [{ name: 'customers', call: 'customers list' }] }));

    await age();
    const done = await rotateKeys(service.db, createKeyCustody([newer, older]));
    const untouched = done.filter(({ count }) => count === 0).map(({ table }) => table);
    assert.deepEqual(untouched, [], 'the test has a value in every sealed column');
    assert.deepEqual(
      (await rotateKeys(service.db, createKeyCustody([newer]))).filter(({ count }) => count > 0),
      [],
    );

    // The old key decrypts nothing any more.
    await assert.rejects(rotateKeys(service.db, createKeyCustody([older])), /not known/);

    await stablecoins(platform).stablecoin(issuer);
    await expectStatus(200, issuerOf(platform, issued).ask({ amount: 1 }));
    assert.equal((await expectStatus(200, platform.get(`/documents/${document.id}`))).documentNumber, PASSPORT.documentNumber);
    assert.equal((await platform.post(`/documents/${document.id}/download`)).status, 200);
    assert.match((await expectStatus(200, platform.get('/sandbox/messages'))).data[0].text, /^123456/);
    assert.equal((await platform.delete(`/auth/delegated-keys/${key.id}`)).status, 204);
    assert.equal((await retry(platform, 'POST', '/auth/delegated-keys', delegationBody(owner, second), challenge, owner.keys)).status, 202);
    await expectStatus(200, sca.start('TOTP'));
    const code = new TOTP({ secret: Secret.fromHex(secret) }).generate();
    await expectStatus(200, sca.complete({ factor: 'TOTP', code }));
    const replayed = await platform.post('/tokens', { name: 'x', permissions: ['VIEW'] }, { headers: { 'Idempotency-Key': 'rotate' } });
    assert.equal(replayed.headers.get('idempotent-replayed'), 'true');
    assert.equal((await link()).text, linked.text);
  });

  test('continues until no value is encrypted with the old key, also while other processes still write with it', async () => {
    await age();
    const { platform } = service;
    const writing = (async () => {
      for (let i = 0; i < 5; i += 1) await wallet(platform);
    })();
    await rotateKeys(service.db, createKeyCustody([newer, older]));
    await writing;
    assert.deepEqual(
      (await rotateKeys(service.db, createKeyCustody([newer, older]))).filter(({ count }) => count > 0),
      [],
    );
  });
});

test('409 CONFLICT: a snapshot whose sealed values need a key that was dropped is neither restored nor exported, and nothing changes', async () => {
  const [first, second] = [randomBytes(32), randomBytes(32)];
  const before = await startOwnService({ KEY_ENCRYPTION_KEY: keyring(first) });
  const client = await before.newPlatform();
  const customer = await given(client).customer({ idType: 'SSN', identifier: '078051120', countryOfIssuance: 'US' });
  await expectStatus(201, client.post('/sandbox/snapshots', { name: 'aged' }));
  await rotateKeys(before.db, createKeyCustody([second, first]));
  const after = await startOwnService({ DATABASE_URL: before.databaseUrl, KEY_ENCRYPTION_KEY: keyring(second) });
  try {
    const now = after.as(client.tokenId, client.secret);
    for (const [path, body] of [
      ['restore', undefined],
      ['export', { passphrase: 'correct horse battery staple' }],
    ] as const)
      assertRefused(await now.post(`/sandbox/snapshots/aged/${path}`, body), 409, 'CONFLICT');
    await expectStatus(200, now.get(`/customers/${customer.id}`));
    await expectStatus(201, now.post('/sandbox/snapshots', { name: 'again' }));
    await expectStatus(200, now.post('/sandbox/snapshots/again/restore'));
  } finally {
    await after.stop();
    await before.stop();
  }
});

test('SEALED_COLUMNS lists every sealed column of the schema', async () => {
  const columns = await service.db.many<{ table: string; column: string }>(sql`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea' and column_name like '%sealed%' order by 1, 2`);
  const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  assert.deepEqual(
    columns.map(({ table, column }) => `${table}.${column}`).filter((name) => !listed.includes(name)),
    [],
  );
});
