// Goal G14: a signed retry executes the signed payload, for the account that signed it, once. Every manipulation is tried on every
// operation with a signed retry; each is refused and changes nothing in the database.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../src/db/sql.js';
import type { ErrorCode } from '../../../src/kernel/errors.js';
import { uuidOf } from '../../../src/kernel/ids.js';
import { softwareAuthenticator } from '../../support/authenticator.js';
import { type Answer, assertRefused, type Client, expectStatus } from '../../support/client.js';
import { changesNothing } from '../../support/fingerprint.js';
import { startOwnService, type TestService } from '../../support/service.js';
import {
  addCredential,
  type Challenged,
  cardOf,
  delegationBody,
  encryptOtp,
  type Keys,
  newKeys,
  otpBody,
  passkeyBody,
  retry,
  secondSession,
  signatureHeaders,
  signed,
  stamp,
  type Wallet,
  wallet,
} from '../../support/wallet.js';

let service: TestService;
let otherPlatform: Client;
let clocked: Client;
/** A live installation on the same database. */
let live: TestService;
before(async () => {
  const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64');
  service = await startOwnService({ KEY_ENCRYPTION_KEY });
  live = await startOwnService({ KEY_ENCRYPTION_KEY, DATABASE_URL: service.databaseUrl, MODE: 'live' });
  otherPlatform = await service.newPlatform();
  clocked = await service.newPlatform();
});
after(async () => {
  await live?.stop();
  await service?.stop();
});

const REPLAYS = Number(process.env['REPLAYS'] ?? 128);

type Ready = {
  readonly owner: Wallet;
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown> | undefined;
  /** Another valid body, if the operation has a body. */
  readonly otherBody?: Record<string, unknown>;
  readonly challenge: Challenged;
  /** The key that must sign. */
  readonly keys: Keys;
  readonly done: number;
};

/** Each operation prepared up to its signed retry. */
const OPERATIONS: Readonly<Record<string, (owner: Wallet) => Promise<Ready>>> = {
  async createAuthCredential(owner) {
    const body = { accountId: owner.account.id, ...passkeyBody(softwareAuthenticator()) };
    return ready(owner, 'POST', '/auth/credentials', body, { done: 201, otherBody: { ...body, nickname: 'Other' } });
  },
  async revokeAuthCredential(owner) {
    const { credential } = await secondSession(owner);
    return ready(owner, 'DELETE', `/auth/credentials/${credential.id}`, undefined, { done: 204 });
  },
  async verifyAuthCredential(owner) {
    const keys = newKeys();
    const body = await otpBody(owner.platform, owner.credential, keys);
    const otherBody = { ...body, encryptedOtpBundle: '{}' };
    return ready(owner, 'POST', `/auth/credentials/${owner.credential.id}/verify`, body, { done: 200, keys, otherBody });
  },
  async revokeAuthSession(owner) {
    return ready(owner, 'DELETE', `/auth/sessions/${owner.session.id}`, undefined, { done: 204 });
  },
  async refreshAuthSession(owner) {
    const body = { clientPublicKey: newKeys().publicKey };
    const otherBody = { clientPublicKey: newKeys().publicKey };
    return ready(owner, 'POST', `/auth/sessions/${owner.session.id}/refresh`, body, { done: 201, otherBody });
  },
  async 'createDelegatedKey, second leg'(owner) {
    const body = delegationBody(owner, await cardOf(service.db, owner));
    return ready(owner, 'POST', '/auth/delegated-keys', body, { done: 202, otherBody: { ...body, nickname: 'Other' } });
  },
  async 'createDelegatedKey, third leg'(owner) {
    const body = delegationBody(owner, await cardOf(service.db, owner));
    const challenge = (await signed(owner, 'POST', '/auth/delegated-keys', body)).body;
    return {
      owner,
      method: 'POST',
      path: '/auth/delegated-keys',
      body,
      otherBody: { ...body, nickname: 'Other' },
      challenge,
      keys: owner.keys,
      done: 201,
    };
  },
  async updateInternalAccount(owner) {
    const path = `/internal-accounts/${owner.account.id}`;
    return ready(owner, 'PATCH', path, { privateEnabled: true }, { done: 200, otherBody: { privateEnabled: false } });
  },
  async exportInternalAccount(owner) {
    const body = { clientPublicKey: newKeys().publicKeyUncompressed };
    const otherBody = { clientPublicKey: newKeys().publicKeyUncompressed };
    return ready(owner, 'POST', `/internal-accounts/${owner.account.id}/export`, body, { done: 200, otherBody });
  },
  async updateCustomerById(owner) {
    const email = `new-${owner.customer.email}`;
    const credential = await addCredential(owner, { type: 'EMAIL_OTP', email });
    const keys = newKeys();
    const proof = { type: 'EMAIL_OTP', encryptedOtpBundle: await encryptOtp(credential.otpEncryptionTargetBundle, keys) };
    assert.equal(
      (await signed({ platform: owner.platform, keys }, 'POST', `/auth/credentials/${credential.id}/verify`, proof)).status,
      204,
    );
    const body = { customerType: 'INDIVIDUAL', email };
    return ready(owner, 'PATCH', `/customers/${owner.customer.id}`, body, { done: 200, otherBody: { ...body, fullName: 'Other Name' } });
  },
};

async function ready(
  owner: Wallet,
  method: string,
  path: string,
  body: Record<string, unknown> | undefined,
  { done, keys = owner.keys, otherBody }: { done: number; keys?: Keys; otherBody?: Record<string, unknown> },
): Promise<Ready> {
  const challenge = await expectStatus(202, owner.platform.request(method, path, body));
  return { owner, method, path, body, challenge, keys, done, ...(otherBody ? { otherBody } : {}) };
}

type Sending = { platform?: Client; method?: string; path?: string; body?: unknown; keys?: Keys; payload?: string; requestId?: string };

async function send(call: Ready, changes: Sending = {}): Promise<Answer> {
  const { platform, method, path, keys, payload, requestId } = {
    platform: call.owner.platform,
    method: call.method,
    path: call.path,
    keys: call.keys,
    payload: call.challenge.payloadToSign,
    requestId: call.challenge.requestId,
    ...changes,
  };
  const body = 'body' in changes ? changes.body : call.body;
  return platform.request(method, path, body, { headers: signatureHeaders(await stamp(keys, payload), requestId) });
}

const refusedWith = async (code: ErrorCode, work: () => Promise<Answer>) =>
  assertRefused(await changesNothing(service.db, work), 401, code);

for (const [name, prepare] of Object.entries(OPERATIONS)) {
  describe(name, () => {
    test('a retry with any one manipulation is refused; the correct one succeeds, once', async () => {
      const call = await prepare(await wallet(service.platform));
      const { owner } = call;
      const { platform } = owner;
      const headersOf = async (stampText: string) => signatureHeaders(stampText, call.challenge.requestId);
      const plain = (headers: Record<string, string>) => platform.request(call.method, call.path, call.body, { headers });

      // key: another wallet's, nobody's
      const stranger = await wallet(platform);
      for (const keys of [stranger.keys, newKeys()]) await refusedWith('WALLET_SIGNATURE_INVALID', () => send(call, { keys }));
      // payload: changed by a space, and another payload of the same account
      await refusedWith('WALLET_SIGNATURE_INVALID', () => send(call, { payload: `${call.challenge.payloadToSign} ` }));
      const other = await expectStatus(202, platform.delete(`/auth/sessions/${owner.session.id}`));
      if (call.keys === owner.keys) {
        await refusedWith('WALLET_SIGNATURE_BODY_MISMATCH', () => send(call, { payload: other.payloadToSign }));
      }
      // body
      if (call.otherBody) await refusedWith('WALLET_SIGNATURE_BODY_MISMATCH', () => send(call, { body: call.otherBody }));
      // operation: a request that was issued for another call, with a valid signature
      if (!call.path.startsWith('/auth/sessions/') || call.method !== 'DELETE') {
        await refusedWith('WALLET_SIGNATURE_INVALID', () =>
          send(call, { keys: owner.keys, payload: other.payloadToSign, requestId: other.requestId }),
        );
      }
      // request id: unknown, malformed, of another account
      const theirs = await expectStatus(202, platform.delete(`/auth/sessions/${stranger.session.id}`));
      const unknown = 'Request:00000000-0000-7000-8000-000000000000';
      for (const requestId of [unknown, 'x', theirs.requestId])
        await refusedWith('WALLET_SIGNATURE_INVALID', () => send(call, { requestId }));
      await refusedWith('WALLET_SIGNATURE_INVALID', () =>
        send(call, { keys: stranger.keys, payload: theirs.payloadToSign, requestId: theirs.requestId }),
      );
      // header: unreadable, missing on either side
      await refusedWith('WALLET_SIGNATURE_MALFORMED', async () => plain(await headersOf('sandbox-valid-signatures')));
      await refusedWith('REQUEST_ID_MISSING', async () =>
        plain({ 'Service-Wallet-Signature': await stamp(call.keys, call.challenge.payloadToSign) }),
      );
      await refusedWith('WALLET_SIGNATURE_MISSING', () => plain({ 'Request-Id': call.challenge.requestId }));

      const answer = await send(call);
      assert.equal(answer.status, call.done, answer.text);
      await refusedWith('WALLET_SIGNATURE_INVALID', () => send(call));
    });

    test('sandbox: the fixed signature of older clients is accepted instead of a stamp, once', async () => {
      const call = await prepare(await wallet(service.platform));
      const headers = signatureHeaders('sandbox-valid-signature', call.challenge.requestId);
      const sendFixed = (body = call.body) => call.owner.platform.request(call.method, call.path, body, { headers });
      if (call.otherBody) await refusedWith('WALLET_SIGNATURE_BODY_MISMATCH', () => sendFixed(call.otherBody));
      const answer = await sendFixed();
      assert.equal(answer.status, call.done, answer.text);
      await refusedWith('WALLET_SIGNATURE_INVALID', () => sendFixed());
    });

    test('sandbox: the fixed signature needs an active session of the account, like a stamp', async () => {
      const call = await prepare(await wallet(service.platform));
      if (call.keys !== call.owner.keys) return;
      await service.db.run(sql`
        update wallet_signers set deleted_at = created_at where account_id = ${uuidOf(call.owner.account.id)} and kind = 'SESSION'`);
      const headers = signatureHeaders('sandbox-valid-signature', call.challenge.requestId);
      await refusedWith('WALLET_SIGNATURE_INVALID', () => call.owner.platform.request(call.method, call.path, call.body, { headers }));
    });

    test('live: the fixed signature is malformed', async () => {
      const platform = await service.newPlatform();
      const call = await prepare(await wallet(platform));
      const { id } = await expectStatus(200, platform.get('/config'));
      await service.db.run(sql`update platforms set mode = 'live' where id = ${uuidOf(id)}`);
      const headers = signatureHeaders('sandbox-valid-signature', call.challenge.requestId);
      const caller = live.as(platform.tokenId, platform.secret);
      await refusedWith('WALLET_SIGNATURE_MALFORMED', () => caller.request(call.method, call.path, call.body, { headers }));
    });

    test('is refused on another platform', async () => {
      const call = await prepare(await wallet(service.platform));
      const answer = await changesNothing(service.db, () => send(call, { platform: otherPlatform }));
      // The customer is looked up before its contact change is checked, so the unknown id is refused first.
      assertRefused(
        answer,
        name === 'updateCustomerById' ? 404 : 401,
        name === 'updateCustomerById' ? 'CUSTOMER_NOT_FOUND' : 'WALLET_SIGNATURE_INVALID',
      );
    });

    test('accepted a millisecond before expiresAt, refused at expiresAt', async () => {
      const call = await prepare(await wallet(clocked));
      const { expiresAt } = call.challenge as Challenged & { expiresAt: string };
      await clocked.clock.freeze(expiresAt);
      try {
        await refusedWith('WALLET_SIGNATURE_INVALID', () => send(call));
        await clocked.clock.set(new Date(new Date(expiresAt).getTime() - 1));
        assert.equal((await send(call)).status, call.done);
      } finally {
        await clocked.clock.resume();
      }
    });

    test('a session that ended in the meantime cannot sign', async () => {
      const call = await prepare(await wallet(service.platform));
      if (call.keys !== call.owner.keys || name === 'revokeAuthSession') return;
      assert.equal((await signed(call.owner, 'DELETE', `/auth/sessions/${call.owner.session.id}`)).status, 204);
      await refusedWith('WALLET_SIGNATURE_INVALID', () => send(call));
    });

    test('a session that expires between challenge and retry cannot sign: KEY_EXPIRED', async () => {
      const owner = await wallet(clocked);
      await clocked.clock.freeze(new Date(Date.parse(owner.session.expiresAt) - 60_000));
      try {
        const call = await prepare(owner);
        if (call.keys !== owner.keys) return;
        await clocked.clock.set(owner.session.expiresAt);
        const answer = await changesNothing(service.db, () => send(call));
        assertRefused(answer, 401, 'WALLET_SIGNATURE_INVALID');
        assert.deepEqual(answer.body.details, { cause: 'KEY_EXPIRED' });
        await clocked.clock.set(new Date(Date.parse(owner.session.expiresAt) - 1));
        assert.equal((await send(call)).status, call.done, 'a millisecond earlier it can');
      } finally {
        await clocked.clock.resume();
      }
    });
  });
}

describe('replays', () => {
  test('a repeated signed call has one effect', async () => {
    const owner = await wallet(service.platform);
    const body = { privateEnabled: true };
    const path = `/internal-accounts/${owner.account.id}`;
    const challenge = await expectStatus(202, owner.platform.patch(path, body));
    const headers = signatureHeaders(await stamp(owner.keys, challenge.payloadToSign), challenge.requestId);
    assert.equal((await owner.platform.patch(path, body, { headers })).status, 200);
    const statuses = new Map<string, number>();
    await changesNothing(service.db, async () => {
      for (let sent = 0; sent < REPLAYS; sent += 32) {
        const answers = await Promise.all(
          Array.from({ length: Math.min(32, REPLAYS - sent) }, () => owner.platform.patch(path, body, { headers })),
        );
        for (const {
          status,
          body: { code, details },
        } of answers) {
          const key = `${status} ${code} ${details.cause}`;
          statuses.set(key, (statuses.get(key) ?? 0) + 1);
        }
      }
    });
    assert.deepEqual([...statuses], [['401 WALLET_SIGNATURE_INVALID REQUEST_USED', REPLAYS]]);
  });

  test('the body is compared as a value: the order of members does not matter', async () => {
    const owner = await wallet(service.platform);
    const { cardId, internalAccountId, nickname } = delegationBody(owner, await cardOf(service.db, owner));
    const challenge = await expectStatus(202, owner.platform.post('/auth/delegated-keys', { cardId, internalAccountId, nickname }));
    const reordered = { nickname, internalAccountId, cardId };
    assert.equal((await retry(owner.platform, 'POST', '/auth/delegated-keys', reordered, challenge, owner.keys)).status, 202);
  });
});
