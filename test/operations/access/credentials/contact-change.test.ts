// PATCH and DELETE of a customer who has an embedded wallet.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { uuidOf } from '../../../../src/kernel/ids.js';
import { networkOf, walletCard } from '../../../support/card-transactions.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { IP, newPhone, scaOf, verifyPhone } from '../../../support/sca.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import {
  addCredential,
  cardOf,
  delegate,
  encryptOtp,
  newKeys,
  otpBody,
  retry,
  secondSession,
  signatureHeaders,
  signed,
  signInWithOtp,
  stamp,
  unprovisionedWallet,
  type Wallet,
  wallet,
} from '../../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

const newEmail = () => `${randomUUID()}@example.com`;

/** A replacement credential for the contact, verified by default. */
async function replacement(owner: Wallet, body: Record<string, unknown>, { verified = true } = {}) {
  const credential = await addCredential(owner, body);
  if (verified) {
    const keys = newKeys();
    const proof = { type: credential.type, encryptedOtpBundle: await encryptOtp(credential.otpEncryptionTargetBundle, keys) };
    const answer = await signed({ platform: owner.platform, keys }, 'POST', `/auth/credentials/${credential.id}/verify`, proof);
    assert.equal(answer.status, 204, answer.text);
  }
  return credential;
}

const patchOf = (contact: Record<string, unknown>) => ({ customerType: 'INDIVIDUAL', ...contact });
const credentialsOf = async (owner: Pick<Wallet, 'platform' | 'account'>) =>
  (await expectStatus(200, owner.platform.get(`/auth/credentials?accountId=${owner.account.id}`))).data;

describe('202, then 200: the contact of a wallet customer', () => {
  test('the email, signed by the owner: the replacement takes the place of the old credential, whose sessions end', async () => {
    const owner = await wallet(service.platform);
    const email = newEmail();
    const next = await replacement(owner, { type: 'EMAIL_OTP', email });
    const answer = await signed(owner, 'PATCH', `/customers/${owner.customer.id}`, patchOf({ email }));
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.email, email);
    const credentials = await credentialsOf(owner);
    assert.deepEqual([credentials.length, credentials[0].id, credentials[0].nickname], [1, next.id, email]);
    const { data: sessions } = await expectStatus(200, owner.platform.get(`/auth/sessions?accountId=${owner.account.id}`));
    assert.deepEqual(sessions, []);
    assert.equal((await signInWithOtp(owner.platform, next)).answer.status, 200);
  });

  test('the phone number', async () => {
    const owner = await wallet(service.platform, { phoneNumber: '+15550101001' });
    await addCredential(owner, { type: 'SMS_OTP' });
    await replacement(owner, { type: 'SMS_OTP', phoneNumber: '+15550101002' });
    const answer = await signed(owner, 'PATCH', `/customers/${owner.customer.id}`, patchOf({ phoneNumber: '+15550101002' }));
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.phoneNumber, '+15550101002');
  });
});

describe('202, then 200: a contact that the customer has already, and the wallet does not', () => {
  /** A reset of strong authentication has given the customer another phone number. The wallet's credential is the owner's to change. */
  async function afterReset() {
    const owner = await wallet(service.platform, { region: 'DE', phoneNumber: newPhone() });
    await verifyPhone(owner.platform, owner.customer);
    const lost = await addCredential(owner, { type: 'SMS_OTP' });
    const sca = scaOf(owner.platform, owner.customer);
    const { resetId } = await expectStatus(201, sca.startReset('SMS_OTP'));
    await expectStatus(200, sca.liveness(resetId, 'PASS'));
    const number = newPhone().slice('+49'.length);
    await expectStatus(204, sca.completeReset(resetId, { endUserIpAddress: IP, mobile: { countryCode: '+49', number } }));
    return { owner, lost, phoneNumber: `+49${number}`, path: `/customers/${owner.customer.id}` };
  }

  test('after a reset of a lost phone the owner signs for the new number, and the lost one opens the wallet no longer', async () => {
    const { owner, lost, phoneNumber, path } = await afterReset();
    const next = await replacement(owner, { type: 'SMS_OTP', phoneNumber });
    assert.equal((await signed(owner, 'PATCH', path, patchOf({ phoneNumber }))).status, 200);
    const sms = (await credentialsOf(owner)).filter(({ type }: { type: string }) => type === 'SMS_OTP');
    assert.deepEqual(
      sms.map(({ id, nickname }: { id: string; nickname: string }) => [id, nickname]),
      [[next.id, phoneNumber]],
    );
    assertRefused(await owner.platform.post(`/auth/credentials/${lost.id}/challenge`), 404, 'AUTH_METHOD_NOT_FOUND');
  });

  test('without a verified replacement sending the number back changes nothing, and needs no signature', async () => {
    const { owner, lost, phoneNumber, path } = await afterReset();
    await expectStatus(200, owner.platform.patch(path, patchOf({ phoneNumber })));
    await replacement(owner, { type: 'SMS_OTP', phoneNumber }, { verified: false });
    await expectStatus(200, owner.platform.patch(path, patchOf({ phoneNumber })));
    assert.ok((await credentialsOf(owner)).some(({ id }: { id: string }) => id === lost.id));
  });
});

describe('200 without a signature', () => {
  test('fields that no credential depends on, and a contact without a credential', async () => {
    const owner = await wallet(service.platform);
    await expectStatus(200, owner.platform.patch(`/customers/${owner.customer.id}`, patchOf({ fullName: 'Ada King' })));
    await expectStatus(200, owner.platform.patch(`/customers/${owner.customer.id}`, patchOf({ phoneNumber: '+15550101003' })));
  });

  test('the credential has the new contact already: the owner signed for it when it was added', async () => {
    const owner = await wallet(service.platform);
    const phoneNumber = '+15550101009';
    const named = await addCredential(owner, { type: 'SMS_OTP', phoneNumber });
    const changed = await expectStatus(200, owner.platform.patch(`/customers/${owner.customer.id}`, patchOf({ phoneNumber })));
    assert.equal(changed.phoneNumber, phoneNumber);
    const ids = (await credentialsOf(owner)).map((each: { id: string }) => each.id);
    assert.deepEqual(ids, [owner.credential.id, named.id]);
    // The email in another case is the same address.
    const email = owner.customer.email.toUpperCase();
    await expectStatus(200, owner.platform.patch(`/customers/${owner.customer.id}`, patchOf({ email })));
    assert.equal((await signInWithOtp(owner.platform, owner.credential)).answer.status, 200);
  });

  test('the wallet has no owner yet: the first credential follows the email', async () => {
    const owner = await unprovisionedWallet(service.platform);
    const email = newEmail();
    await expectStatus(200, owner.platform.patch(`/customers/${owner.customer.id}`, patchOf({ email })));
    assert.deepEqual(
      (await credentialsOf(owner)).map((each: { nickname: string }) => each.nickname),
      [email],
    );
    assert.equal((await signInWithOtp(owner.platform, owner.credential)).answer.status, 200);
  });
});

describe('401', () => {
  test('WALLET_SIGNATURE_INVALID: a sign-in begun on the old email does not finish on the new one', async () => {
    const { platform, customer, credential } = await unprovisionedWallet(service.platform);
    const keys = newKeys();
    const body = await otpBody(platform, credential, keys);
    const path = `/auth/credentials/${credential.id}/verify`;
    const challenge = await expectStatus(202, platform.post(path, body));
    await expectStatus(200, platform.patch(`/customers/${customer.id}`, patchOf({ email: newEmail() })));
    const answer = await changesNothing(service.db, () => retry(platform, 'POST', path, body, challenge, keys));
    assertRefused(answer, 401, 'WALLET_SIGNATURE_INVALID');
    assert.deepEqual(answer.body.details, { cause: 'CONTACT_CHANGED' });
  });

  test('WALLET_SIGNATURE_INVALID: "requestId single use", also when the requested change is in place', async () => {
    const owner = await wallet(service.platform);
    const email = newEmail();
    await replacement(owner, { type: 'EMAIL_OTP', email });
    const path = `/customers/${owner.customer.id}`;
    const challenge = await expectStatus(202, owner.platform.patch(path, patchOf({ email })));
    const send = () => retry(owner.platform, 'PATCH', path, patchOf({ email }), challenge, owner.keys);
    assert.equal((await send()).status, 200);
    const again = await changesNothing(service.db, send);
    assertRefused(again, 401, 'WALLET_SIGNATURE_INVALID');
    assert.deepEqual(again.body.details, { cause: 'REQUEST_USED' });
  });

  test('a retry is checked also when the change needs no signature', async () => {
    const { platform, customer, keys } = await wallet(service.platform);
    const send = (signature: string) =>
      changesNothing(service.db, () =>
        platform.patch(`/customers/${customer.id}`, patchOf({ fullName: 'Ada King' }), {
          headers: signatureHeaders(signature, 'Request:00000000-0000-7000-8000-000000000000'),
        }),
      );
    assertRefused(await send('garbage'), 401, 'WALLET_SIGNATURE_MALFORMED');
    const unknown = await send(await stamp(keys, 'whatever'));
    assertRefused(unknown, 401, 'WALLET_SIGNATURE_INVALID');
    assert.deepEqual(unknown.body.details, { cause: 'REQUEST_UNKNOWN' });
  });
});

describe('400', () => {
  test('AUTH_CREDENTIAL_VERIFICATION_REQUIRED: new email or phone has no verified replacement credential', async () => {
    const owner = await wallet(service.platform);
    const email = newEmail();
    const patch = () => changesNothing(service.db, () => owner.platform.patch(`/customers/${owner.customer.id}`, patchOf({ email })));
    assertRefused(await patch(), 400, 'AUTH_CREDENTIAL_VERIFICATION_REQUIRED');
    await replacement(owner, { type: 'EMAIL_OTP', email }, { verified: false });
    assertRefused(await patch(), 400, 'AUTH_CREDENTIAL_VERIFICATION_REQUIRED');
  });

  test('AUTH_CREDENTIAL_VERIFICATION_EXPIRED: fifteen minutes after it was verified', async () => {
    const platform = await service.newPlatform();
    const owner = await wallet(platform);
    const email = newEmail();
    await platform.clock.freeze();
    await replacement(owner, { type: 'EMAIL_OTP', email });
    const patch = () => platform.patch(`/customers/${owner.customer.id}`, patchOf({ email }));
    await platform.clock.advance(899_999);
    assert.equal((await patch()).status, 202);
    await platform.clock.advance(1);
    assertRefused(await patch(), 400, 'AUTH_CREDENTIAL_VERIFICATION_EXPIRED');
  });

  test('INVALID_INPUT: email and phone number of wallet credentials together', async () => {
    const owner = await wallet(service.platform, { phoneNumber: '+15550101004' });
    await addCredential(owner, { type: 'SMS_OTP' });
    const both = patchOf({ email: newEmail(), phoneNumber: '+15550101005' });
    assertInvalid(
      await changesNothing(service.db, () => owner.platform.patch(`/customers/${owner.customer.id}`, both)),
      'email',
      'phoneNumber',
    );
  });
});

describe('409', () => {
  test('EMAIL_OTP_CREDENTIAL_SET_CHANGED: tied credential set changed after the signed-retry challenge was issued', async () => {
    const owner = await wallet(service.platform);
    const email = newEmail();
    await replacement(owner, { type: 'EMAIL_OTP', email });
    const path = `/customers/${owner.customer.id}`;
    const challenge = await expectStatus(202, owner.platform.patch(path, patchOf({ email })));
    await addCredential(owner, { type: 'EMAIL_OTP', email: newEmail() });
    const answer = await changesNothing(service.db, () => retry(owner.platform, 'PATCH', path, patchOf({ email }), challenge, owner.keys));
    assertRefused(answer, 409, 'EMAIL_OTP_CREDENTIAL_SET_CHANGED');
  });

  test('EMAIL_OTP_CREDENTIAL_SET_CHANGED: the same change was signed twice, and the first signature has made it', async () => {
    const owner = await wallet(service.platform);
    const { keys } = await secondSession(owner);
    const email = newEmail();
    await replacement(owner, { type: 'EMAIL_OTP', email });
    const path = `/customers/${owner.customer.id}`;
    const ask = () => expectStatus(202, owner.platform.patch(path, patchOf({ email })));
    const challenges = [await ask(), await ask()] as const;
    assert.equal((await retry(owner.platform, 'PATCH', path, patchOf({ email }), challenges[0], keys)).status, 200);
    const answer = await changesNothing(service.db, () => retry(owner.platform, 'PATCH', path, patchOf({ email }), challenges[1], keys));
    assertRefused(answer, 409, 'EMAIL_OTP_CREDENTIAL_SET_CHANGED');
  });

  test('SMS_OTP_CREDENTIAL_SET_CHANGED: "SMS_OTP credential set changed in flight"', async () => {
    const owner = await wallet(service.platform, { phoneNumber: '+15550101006' });
    await addCredential(owner, { type: 'SMS_OTP' });
    const phoneNumber = '+15550101007';
    await replacement(owner, { type: 'SMS_OTP', phoneNumber });
    const path = `/customers/${owner.customer.id}`;
    const body = patchOf({ phoneNumber });
    const challenge = await expectStatus(202, owner.platform.patch(path, body));
    await addCredential(owner, { type: 'SMS_OTP', phoneNumber: '+15550101008' });
    const answer = await changesNothing(service.db, () => retry(owner.platform, 'PATCH', path, body, challenge, owner.keys));
    assertRefused(answer, 409, 'SMS_OTP_CREDENTIAL_SET_CHANGED');
  });
});

describe('DELETE of the customer', () => {
  test('ends the credentials and sessions of a wallet that closes', async () => {
    const owner = await wallet(service.platform);
    await expectStatus(200, owner.platform.delete(`/customers/${owner.customer.id}`));
    assert.deepEqual(await credentialsOf(owner), []);
    assert.deepEqual((await expectStatus(200, owner.platform.get(`/auth/sessions?accountId=${owner.account.id}`))).data, []);
    const live = await service.db.many(
      sql`select 1 from wallet_signers where account_id = ${uuidOf(owner.account.id)} and deleted_at is null`,
    );
    assert.deepEqual(live, []);
  });

  test('keeps the credentials of a wallet with money, and revokes its delegated keys', async () => {
    const owner = await wallet(service.platform);
    const key = await delegate(owner, await cardOf(service.db, owner));
    await given(owner.platform).fund(owner.account, 100);
    await expectStatus(200, owner.platform.delete(`/customers/${owner.customer.id}`));
    assert.equal((await expectStatus(200, owner.platform.get(`/auth/delegated-keys/${key.id}`))).status, 'REVOKED');
    assert.equal((await signInWithOtp(owner.platform, owner.credential)).answer.status, 200);
  });

  test('keeps the credentials also when money may return later: a wallet that a card has spent from', async () => {
    const platform = await service.newPlatform();
    const { owner, card, key } = await walletCard(platform, 1_000);
    const network = networkOf(platform, card);
    const purchase = await network.clear(await network.authorize(1_000), 1_000);
    await expectStatus(200, platform.delete(`/customers/${owner.customer.id}`));
    assert.equal((await expectStatus(200, platform.get(`/auth/delegated-keys/${key.id}`))).status, 'REVOKED');
    await network.giveBack(purchase, 700);
    const account = await given(platform).account(owner.customer, 'USDB');
    assert.deepEqual([account.status, account.balance.amount], ['ACTIVE', 700]);
    const { answer, keys } = await signInWithOtp(platform, owner.credential);
    assert.equal(answer.status, 200, answer.text);
    const body = { clientPublicKey: newKeys().publicKeyUncompressed };
    assert.equal((await signed({ platform, keys }, 'POST', `/internal-accounts/${account.id}/export`, body)).status, 200);
  });
});
