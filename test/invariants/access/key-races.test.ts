// Goal G3 for keys: what may happen once happens once under concurrent requests.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../src/db/sql.js';
import { uuidOf } from '../../../src/kernel/ids.js';
import { softwareAuthenticator } from '../../support/authenticator.js';
import { type Answer, expectStatus } from '../../support/client.js';
import { given } from '../../support/given.js';
import { race } from '../../support/race.js';
import { startTestService, type TestService } from '../../support/service.js';
import {
  cardOf,
  delegate,
  delegationBody,
  halfDelegated,
  newKeys,
  otpBody,
  passkeyBody,
  retry,
  signatureHeaders,
  stamp,
  statusOf,
  unprovisionedWallet,
  wallet,
} from '../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const WAYS = 64;
const PATH = '/auth/delegated-keys';

/** On an overloaded machine some requests get 503 because no connection was free. Nothing was done, so they are repeated. */
async function patiently(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
  }
}

const compete = (send: (i: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: WAYS }, (_, i) => patiently(() => send(i))));

function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const key = status >= 400 ? `${status} ${body.code}` : String(status);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe('64 concurrent requests', () => {
  race('leg 2: one signer, one PENDING key', async () => {
    const owner = await wallet(service.platform);
    const body = delegationBody(owner, await cardOf(service.db, owner));
    const challenge = await expectStatus(202, owner.platform.post(PATH, body));
    const headers = signatureHeaders(await stamp(owner.keys, challenge.payloadToSign), challenge.requestId);
    const answers = await compete(() => owner.platform.post(PATH, body, { headers }));
    assert.deepEqual(tally(answers), { 202: 1, '401 WALLET_SIGNATURE_INVALID': WAYS - 1 });
    const { data } = await expectStatus(200, owner.platform.get(`${PATH}?accountId=${owner.account.id}`));
    assert.deepEqual(
      data.map(({ status }: { status: string }) => status),
      ['PENDING'],
    );
  });

  race('leg 3: one activation', async () => {
    const owner = await wallet(service.platform);
    const card = await cardOf(service.db, owner);
    const challenge = await halfDelegated(owner, card);
    const headers = signatureHeaders(await stamp(owner.keys, challenge.payloadToSign), challenge.requestId);
    const answers = await compete(() => owner.platform.post(PATH, delegationBody(owner, card), { headers }));
    assert.deepEqual(tally(answers), { 201: 1, '401 WALLET_SIGNATURE_INVALID': WAYS - 1 });
    assert.equal((await statusOf(service.db, card))?.status, 'ACTIVE');
  });

  race('leg 3 of many keys for one source: at most one ACTIVE', async () => {
    const owner = await wallet(service.platform);
    const card = await cardOf(service.db, owner);
    const challenges = [];
    for (let i = 0; i < WAYS; i += 1) challenges.push(await halfDelegated(owner, card));
    const headers = await Promise.all(challenges.map(async (c) => signatureHeaders(await stamp(owner.keys, c.payloadToSign), c.requestId)));
    const answers = await compete((i) =>
      owner.platform.post(PATH, delegationBody(owner, card), { headers: headers[i] as Record<string, string> }),
    );
    assert.deepEqual(tally(answers), { 201: 1, '409 CONFLICT': WAYS - 1 });
    const { data } = await expectStatus(200, owner.platform.get(`${PATH}?fundingSourceId=${card.fundingSourceId}`));
    assert.equal(data.filter(({ status }: { status: string }) => status === 'ACTIVE').length, 1);
    assert.equal(data.length, WAYS);
  });

  race('revoke: one revocation', async () => {
    const owner = await wallet(service.platform);
    const card = await cardOf(service.db, owner);
    const key = await delegate(owner, card);
    const answers = await compete(() => owner.platform.delete(`${PATH}/${key.id}`));
    assert.deepEqual(tally(answers), { 204: 1, '400 INVALID_INPUT': WAYS - 1 });
    assert.deepEqual(await statusOf(service.db, card), { status: 'PENDING', statusReason: 'DELEGATION_REQUIRED' });
  });

  race('a one-time password: one login, and one wallet', async () => {
    const { platform, account, credential } = await unprovisionedWallet(service.platform);
    const keys = newKeys();
    const body = await otpBody(platform, credential, keys);
    const path = `/auth/credentials/${credential.id}/verify`;
    const first = await compete(() => platform.post(path, body));
    assert.deepEqual(tally(first), { 202: 1, '401 UNAUTHORIZED': WAYS - 1 });
    const challenge = first.find(({ status }) => status === 202)?.body;
    const headers = signatureHeaders(await stamp(keys, challenge.payloadToSign), challenge.requestId);
    const second = await compete(() => platform.post(path, body, { headers }));
    assert.deepEqual(tally(second), { 200: 1, '401 WALLET_SIGNATURE_INVALID': WAYS - 1 });
    const rows = await service.db.one(sql`
        select (select count(*)::int from wallets where account_id = ${uuidOf(account.id)}) as wallets,
               (select count(*)::int from auth_sessions where account_id = ${uuidOf(account.id)}) as sessions`);
    assert.deepEqual(rows, { wallets: 1, sessions: 1 });
  });

  race('concurrent first sign-ins of one account: one wallet, one session for each', async () => {
    const { platform, account, credential } = await unprovisionedWallet(service.platform);
    const logins = [];
    for (let i = 0; i < 4; i += 1) {
      const keys = newKeys();
      const body = await otpBody(platform, credential, keys);
      logins.push({ keys, body, challenge: await expectStatus(202, platform.post(`/auth/credentials/${credential.id}/verify`, body)) });
    }
    const answers = await Promise.all(
      logins.map(({ keys, body, challenge }) =>
        retry(platform, 'POST', `/auth/credentials/${credential.id}/verify`, body, challenge, keys),
      ),
    );
    assert.deepEqual(tally(answers), { 200: 4 });
    assert.equal((await service.db.many(sql`select 1 from wallets where account_id = ${uuidOf(account.id)}`)).length, 1);
  });
});

/** In a race of two the first request usually wins, so the race is repeated. */
const TIMES = 4;
let phoneNumbers = 0;

const outcomes = (answers: readonly Answer[]): string => Object.keys(tally(answers)).sort().join(' and ');

describe('two concurrent requests', () => {
  race('one email, and one phone number, is tied to one credential', async () => {
    const codes = { email: 'EMAIL_OTP_EMAIL_ALREADY_EXISTS', phoneNumber: 'SMS_OTP_PHONE_NUMBER_ALREADY_EXISTS' };
    const owners = [await wallet(service.platform), await wallet(service.platform)];
    for (let i = 0; i < TIMES; i += 1) {
      phoneNumbers += 1;
      const fields = { email: `${randomUUID()}@example.com`, phoneNumber: `+1555010${2_000 + phoneNumbers}` };
      for (const [field, type] of [['email', 'EMAIL_OTP'] as const, ['phoneNumber', 'SMS_OTP'] as const]) {
        const sends = [];
        for (const { platform, account, keys } of owners) {
          const body = { type, accountId: account.id, [field]: fields[field] };
          const challenge = await expectStatus(202, platform.post('/auth/credentials', body));
          sends.push(() => retry(platform, 'POST', '/auth/credentials', body, challenge, keys));
        }
        const answers = await Promise.all(sends.map(patiently));
        assert.equal(outcomes(answers), `201 and 409 ${codes[field]}`);
      }
    }
  });

  race('the first credential of an account: one is added, the other is refused because nobody can sign for it yet', async () => {
    for (let i = 0; i < TIMES; i += 1) {
      const customer = await given(service.platform).customer({ email: undefined });
      const { id: accountId } = await given(service.platform).account(customer, 'USDB');
      const proofs = [{ type: 'EMAIL_OTP', email: `${randomUUID()}@example.com` }, passkeyBody(softwareAuthenticator())];
      const answers = await Promise.all(
        proofs.map((proof) => patiently(() => service.platform.post('/auth/credentials', { accountId, ...proof }))),
      );
      assert.equal(outcomes(answers), '201 and 409 WALLET_NOT_PROVISIONED');
    }
  });
});

test('the database itself refuses a second ACTIVE key for a source', async () => {
  const owner = await wallet(service.platform);
  const card = await cardOf(service.db, owner);
  await delegate(owner, card);
  await assert.rejects(
    service.db.run(sql`
      insert into delegated_keys (platform_id, id, card_id, funding_source_id, account_id, public_key, private_key_sealed, nickname, status, created_at, updated_at)
      select platform_id, gen_random_uuid(), card_id, funding_source_id, account_id, public_key, private_key_sealed, nickname, 'ACTIVE', created_at, updated_at
      from delegated_keys where funding_source_id = ${uuidOf(card.fundingSourceId)}`),
    /delegated_keys_one_active/,
  );
});
