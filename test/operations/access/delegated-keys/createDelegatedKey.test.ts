import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { uuidOf } from '../../../../src/kernel/ids.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import {
  cardOf,
  delegate,
  delegationBody,
  halfDelegated,
  retry,
  secondSession,
  signatureHeaders,
  signed,
  signInWithOtp,
  stamp,
  statusOf,
  unprovisionedWallet,
  wallet,
} from '../../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

const PATH = '/auth/delegated-keys';
// biome-ignore lint/suspicious/noExplicitAny: resources are read freely.
const keysOf = async (owner: any) => (await expectStatus(200, owner.platform.get(`${PATH}?accountId=${owner.account.id}`))).data;
const eventsQueued = () => service.db.many(sql`select type from webhook_events where type like 'card%' or type like 'CARD%'`);

describe('202, 202, 201: "creation is a three-leg signed-retry flow"', () => {
  test('each leg states what is authorized; PENDING after the second, ACTIVE after the third', async () => {
    const owner = await wallet(service.platform);
    const card = await cardOf(service.db, owner);
    const body = delegationBody(owner, card);

    const first = await expectStatus(202, owner.platform.post(PATH, body));
    const created = JSON.parse(first.payloadToSign);
    assert.deepEqual([created.type, created.organizationId], ['ACTIVITY_TYPE_CREATE_USERS_V3', owner.account.id]);
    assert.equal(created.parameters.cardId, card.id);
    assert.equal(created.parameters.nickname, 'Groceries');
    assert.match(created.parameters.publicKey, /^0[23][0-9a-f]{64}$/);
    assert.deepEqual(await keysOf(owner), []);

    const second = await expectStatus(202, retry(owner.platform, 'POST', PATH, body, first, owner.keys));
    assert.notEqual(second.requestId, first.requestId);
    const granted = JSON.parse(second.payloadToSign);
    assert.deepEqual(
      [granted.type, granted.parameters.publicKey, granted.parameters.policies],
      ['ACTIVITY_TYPE_CREATE_POLICIES', created.parameters.publicKey, ['SIGN', 'SELF_REVOKE']],
    );
    const [pending] = await keysOf(owner);
    assert.deepEqual([pending.status, pending.publicKey], ['PENDING', created.parameters.publicKey]);
    assert.deepEqual(await statusOf(service.db, card), { status: 'PENDING', statusReason: 'DELEGATION_REQUIRED' });

    const key = await expectStatus(201, retry(owner.platform, 'POST', PATH, body, second, owner.keys));
    assert.deepEqual(
      { ...key, updatedAt: undefined },
      {
        id: pending.id,
        cardId: card.id,
        fundingSourceId: card.fundingSourceId,
        accountId: owner.account.id,
        publicKey: pending.publicKey,
        nickname: 'Groceries',
        status: 'ACTIVE',
        createdAt: pending.createdAt,
        updatedAt: undefined,
      },
    );
  });

  test('"abandoned after the second leg leaves the key PENDING … and does not block creating another delegated key"', async () => {
    const owner = await wallet(service.platform);
    const card = await cardOf(service.db, owner);
    await halfDelegated(owner, card);
    await halfDelegated(owner, card);
    const key = await delegate(owner, card);
    const keys = await keysOf(owner);
    assert.deepEqual(
      keys.map((each: { status: string }) => each.status),
      ['PENDING', 'PENDING', 'ACTIVE'],
    );
    assert.equal(keys[2].id, key.id);
  });

  test('a session opened with a passkey delegates like any other', async () => {
    const owner = await wallet(service.platform);
    const { session, keys } = await secondSession(owner);
    assert.equal((await delegate({ ...owner, session, keys }, await cardOf(service.db, owner))).status, 'ACTIVE');
  });

  test('256 characters of any kind name a key; 257 and none do not', async () => {
    const owner = await wallet(service.platform);
    const body = delegationBody(owner, await cardOf(service.db, owner));
    const post = (nickname: string) => owner.platform.post(PATH, { ...body, nickname });
    assert.equal((await post('🔑'.repeat(256))).status, 202);
    assertInvalid(await changesNothing(service.db, () => post('🔑'.repeat(257))), 'nickname');
    assertInvalid(await changesNothing(service.db, () => post('')), 'nickname');
  });
});

describe('the card of the funding source', () => {
  for (const [status, after] of [
    ['PENDING', { status: 'ACTIVE', statusReason: null }],
    ['PROCESSING', { status: 'PROCESSING', statusReason: null }],
    ['FROZEN', { status: 'FROZEN', statusReason: null }],
  ] as const) {
    test(`${status} becomes ${after.status}, without a webhook`, async () => {
      const owner = await wallet(service.platform);
      const card = await cardOf(service.db, owner, status);
      const before = await eventsQueued();
      await delegate(owner, card);
      assert.deepEqual(await statusOf(service.db, card), after);
      assert.deepEqual(await eventsQueued(), before);
    });
  }

  test('another card of the same account stays as it was', async () => {
    const owner = await wallet(service.platform);
    const [card, other] = [await cardOf(service.db, owner), await cardOf(service.db, owner)];
    await delegate(owner, card);
    assert.deepEqual(await statusOf(service.db, other), { status: 'PENDING', statusReason: 'DELEGATION_REQUIRED' });
    await delegate(owner, other);
  });
});

describe('409 CONFLICT: "each card funding source has at most one ACTIVE delegated key"', () => {
  test('at the first leg, the second and the third; after revocation another may be made', async () => {
    const owner = await wallet(service.platform);
    const card = await cardOf(service.db, owner);
    const body = delegationBody(owner, card);
    const first = await expectStatus(202, owner.platform.post(PATH, body));
    const third = await halfDelegated(owner, card);
    const active = await delegate(owner, card);
    assertRefused(await changesNothing(service.db, () => owner.platform.post(PATH, body)), 409, 'CONFLICT');
    for (const challenge of [first, third]) {
      assertRefused(
        await changesNothing(service.db, () => retry(owner.platform, 'POST', PATH, body, challenge, owner.keys)),
        409,
        'CONFLICT',
      );
    }
    assert.equal((await owner.platform.delete(`${PATH}/${active.id}`)).status, 204);
    // A refused request is not used up: its signature is still valid.
    assert.equal((await retry(owner.platform, 'POST', PATH, body, third, owner.keys)).status, 201);
  });
});

describe('401: "the same session key pair" signs the third leg', () => {
  test('another session of the same account does not', async () => {
    const owner = await wallet(service.platform);
    const card = await cardOf(service.db, owner);
    const { keys: other } = await signInWithOtp(owner.platform, owner.credential);
    const challenge = await halfDelegated(owner, card);
    const answer = await changesNothing(service.db, () =>
      retry(owner.platform, 'POST', PATH, delegationBody(owner, card), challenge, other),
    );
    assertRefused(answer, 401, 'WALLET_SIGNATURE_INVALID');
    assert.equal(answer.body.details.cause, 'KEY_UNEXPECTED');
  });

  test('the legs cannot be exchanged', async () => {
    const owner = await wallet(service.platform);
    const card = await cardOf(service.db, owner);
    const body = delegationBody(owner, card);
    const first = await expectStatus(202, owner.platform.post(PATH, body));
    const second = await expectStatus(202, retry(owner.platform, 'POST', PATH, body, first, owner.keys));
    const swapped = async (payload: string, requestId: string) => {
      const headers = signatureHeaders(await stamp(owner.keys, payload), requestId);
      return changesNothing(service.db, () => owner.platform.post(PATH, body, { headers }));
    };
    assertRefused(await swapped(first.payloadToSign, second.requestId), 401, 'WALLET_SIGNATURE_BODY_MISMATCH');
    assertRefused(await swapped(second.payloadToSign, first.requestId), 401, 'WALLET_SIGNATURE_INVALID');
  });

  test('each leg expires five minutes after its challenge', async () => {
    const platform = await service.newPlatform();
    const owner = await wallet(platform);
    const card = await cardOf(service.db, owner);
    await platform.clock.freeze();
    const challenge = await halfDelegated(owner, card);
    const send = () => retry(platform, 'POST', PATH, delegationBody(owner, card), challenge, owner.keys);
    await platform.clock.advance(300_000);
    const late = await changesNothing(service.db, send);
    assertRefused(late, 401, 'WALLET_SIGNATURE_INVALID');
    assert.equal(late.body.details.cause, 'REQUEST_EXPIRED');
    await platform.clock.set(new Date((await platform.clock.now()).getTime() - 1));
    assert.equal((await send()).status, 201);
  });
});

describe('404 NOT_FOUND', () => {
  test('card, account or pairing: unknown, malformed, of another platform, of another account', async () => {
    const owner = await wallet(service.platform);
    const card = await cardOf(service.db, owner);
    const stranger = await wallet(service.platform);
    const body = delegationBody(owner, card);
    const none = '00000000-0000-7000-8000-000000000000';
    const refused = [
      await owner.platform.post(PATH, { ...body, cardId: `Card:${none}` }),
      await owner.platform.post(PATH, { ...body, cardId: 'card' }),
      await owner.platform.post(PATH, { ...body, internalAccountId: `InternalAccount:${none}` }),
      await owner.platform.post(PATH, { ...body, internalAccountId: 'account' }),
      await owner.platform.post(PATH, { ...body, internalAccountId: stranger.account.id }),
      await (await service.newPlatform()).post(PATH, body),
    ];
    for (const answer of refused) {
      assertRefused(answer, 404, 'NOT_FOUND');
      assert.equal(answer.text, refused[0]?.text);
    }
  });

  test('a closed card has no funding source any more', async () => {
    const owner = await wallet(service.platform);
    const card = await cardOf(service.db, owner);
    const challenge = await halfDelegated(owner, card);
    await service.db.run(
      sql`update cards set status = 'CLOSED', status_reason = 'CLOSED_BY_PLATFORM', funding_source_id = null where id = ${uuidOf(card.id)}`,
    );
    await service.db.run(sql`update card_funding_sources set detached_at = now() where card_id = ${uuidOf(card.id)}`);
    assertRefused(await owner.platform.post(PATH, delegationBody(owner, card)), 404, 'NOT_FOUND');
    const third = await changesNothing(service.db, () =>
      retry(owner.platform, 'POST', PATH, delegationBody(owner, card), challenge, owner.keys),
    );
    assertRefused(third, 404, 'NOT_FOUND');
  });
});

describe('400 INVALID_INPUT', () => {
  test('an account that is not an embedded wallet', async () => {
    const owner = await wallet(service.platform);
    const usd = await given(service.platform).account(owner.customer, 'USD');
    const card = await cardOf(service.db, { ...owner, account: usd }, 'ACTIVE');
    assertInvalid(await owner.platform.post(PATH, delegationBody({ account: usd }, card)), 'internalAccountId');
  });

  test('shape: a field missing, a field too many', async () => {
    const { platform } = service;
    assertInvalid(await platform.post(PATH, {}), 'cardId', 'internalAccountId', 'nickname');
    assertInvalid(await platform.post(PATH, { cardId: 'x', internalAccountId: 'x', nickname: 'x', label: 'x' }), 'label');
  });
});

test('409 WALLET_NOT_PROVISIONED: nobody could sign', async () => {
  const owner = await unprovisionedWallet(service.platform);
  const card = await cardOf(service.db, owner);
  const answer = await changesNothing(service.db, () => owner.platform.post(PATH, delegationBody(owner, card)));
  assertRefused(answer, 409, 'WALLET_NOT_PROVISIONED');
});

test('incomplete or malformed signature headers are refused by name, and nothing happens', async () => {
  const owner = await wallet(service.platform);
  const body = delegationBody(owner, await cardOf(service.db, owner));
  const post = (headers: Record<string, string>) => changesNothing(service.db, () => owner.platform.post(PATH, body, { headers }));
  assertRefused(await post({ 'Service-Wallet-Signature': 'x' }), 401, 'REQUEST_ID_MISSING');
  assertRefused(await post({ 'Request-Id': 'x' }), 401, 'WALLET_SIGNATURE_MISSING');
  assertRefused(await post(signatureHeaders('', 'x')), 401, 'WALLET_SIGNATURE_MISSING');
  assertRefused(await post(signatureHeaders('x', '')), 401, 'REQUEST_ID_MISSING');
  assertRefused(await post(signatureHeaders('x', 'x')), 401, 'WALLET_SIGNATURE_MALFORMED');
  assertRefused(await post(signatureHeaders(await stamp(owner.keys, 'x'), 'x')), 401, 'WALLET_SIGNATURE_INVALID');
  assert.equal((await signed(owner, 'POST', PATH, body)).status, 202);
});
