import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import {
  activating,
  chooseProgram,
  closing,
  eventsOf,
  freezing,
  givenCard,
  givenCardholder,
  historyOf,
  provisioned,
  requestCard,
  unchanged,
} from '../../../support/cards.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { delegate, wallet } from '../../../support/wallet.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
});
after(() => service.stop());

const patch = (id: string, body: unknown) => platform.patch(`/cards/${id}`, body);
const changed = (id: string, body: unknown) => expectStatus(200, patch(id, body));
const refused = (id: string, body: unknown) => unchanged(service.db, id, () => patch(id, body));
/** Events of a card since it was provisioned. */
const eventsSince = async (id: string) => (await eventsOf(service.db, id)).slice(1);

describe('status', () => {
  test('"The card.status_change webhook fires on every successful status transition", with the card of the response', async () => {
    const { card } = await givenCard(platform);
    const answers = [await changed(card.id, freezing), await changed(card.id, activating), await changed(card.id, closing)];
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['FROZEN', 'ACTIVE', 'CLOSED'],
    );
    const events = await eventsSince(card.id);
    assert.deepEqual(
      events.map(({ type, data }) => ({ type, data })),
      answers.map((data) => ({ type: 'card.status_change', data })),
    );
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      [2, 3, 4],
    );
    assert.deepEqual(await expectStatus(200, platform.get(`/cards/${card.id}`)), answers[2]);
  });

  test('substatus and reason are "recorded against the card", with the API token, in an append-only history', async () => {
    const { card } = await givenCard(platform);
    await changed(card.id, { ...freezing, reason: 'r'.repeat(5_000) });
    const last = (await historyOf(service.db, card.id)).at(-1);
    assert.deepEqual(
      [last?.cause, last?.from_status, last?.to_status, last?.substatus, last?.reason],
      ['UPDATED', 'ACTIVE', 'FROZEN', 'END_USER_REQUEST', 'r'.repeat(5_000)],
    );
    const token = await service.db.one<{ id: string }>(sql`select id from api_tokens where client_id = ${platform.tokenId}`);
    assert.equal(last?.token_id, token?.id);
    for (const attempt of [sql`update card_history set reason = 'other'`, sql`delete from card_history`, sql`truncate card_history`]) {
      await assert.rejects(service.db.run(attempt), /append-only/);
    }
  });

  test('every substatus of the issuer is accepted, and no other', async () => {
    const { card } = await givenCard(platform);
    const words =
      'LOST COMPROMISED DAMAGED END_USER_REQUEST ISSUER_REQUEST NOT_ACTIVE SUSPICIOUS_ACTIVITY INTERNAL_REVIEW EXPIRED UNDELIVERABLE OTHER';
    for (const [i, substatus] of words.split(' ').entries()) await changed(card.id, { ...(i % 2 ? activating : freezing), substatus });
    assertInvalid(await refused(card.id, { ...activating, substatus: 'BORED' }), 'substatus');
  });

  test('closing is terminal: CLOSED_BY_PLATFORM, "funding source detached", "card stays for audit"', async () => {
    const { card, usd } = await givenCard(platform);
    const closed = await changed(card.id, closing);
    assert.deepEqual([closed.status, closed.statusReason, closed.fundingSource], ['CLOSED', 'CLOSED_BY_PLATFORM', usd.id]);
    const source = await service.db.one<{ detached_at: Date | null }>(
      sql`select detached_at from card_funding_sources where 'Card:' || card_id = ${card.id}`,
    );
    assert.ok(source?.detached_at);
    assert.deepEqual(await expectStatus(200, platform.get(`/cards/${card.id}`)), closed);
  });

  test('409 INVALID_STATE_TRANSITION: the card already has the requested status', async () => {
    const { card } = await givenCard(platform);
    assertRefused(await refused(card.id, activating), 409, 'INVALID_STATE_TRANSITION');
    await changed(card.id, freezing);
    assertRefused(await refused(card.id, freezing), 409, 'INVALID_STATE_TRANSITION');
  });

  test('409 INVALID_STATE_TRANSITION: "Activating a card whose USDB funding source lacks a usable delegated key"', async () => {
    const { card } = await givenCard(platform, { currency: 'USDB' });
    assertRefused(await refused(card.id, activating), 409, 'INVALID_STATE_TRANSITION');
    await changed(card.id, freezing);
    assertRefused(await refused(card.id, activating), 409, 'INVALID_STATE_TRANSITION');
  });

  test('409 CARD_ALREADY_CLOSED: "closing an already closed card"; 409 CARD_NOT_MUTABLE: "any mutation of a CLOSED card"', async () => {
    const { card, usdb } = await givenCard(platform, { program: 'service_3ds' });
    await changed(card.id, closing);
    assertRefused(await refused(card.id, closing), 409, 'CARD_ALREADY_CLOSED');
    for (const body of [activating, freezing, { fundingSource: usdb.id }, { maxSpendPerDay: 1 }, { threeDSecurePassword: 'new' }]) {
      assertRefused(await refused(card.id, body), 409, 'CARD_NOT_MUTABLE');
    }
  });

  test('"PENDING is managed by the service and cannot be requested"', async () => {
    const { card } = await givenCard(platform);
    for (const status of ['PENDING', 'PENDING_KYC', 'PROCESSING', 'active', null]) {
      assertInvalid(await refused(card.id, { ...freezing, status }), 'status');
    }
  });
});

describe('the request', () => {
  test('1. "At least one of status, fundingSource, … must be supplied"', async () => {
    const { card } = await givenCard(platform);
    for (const body of [{}, { substatus: 'OTHER', reason: 'why' }]) assertRefused(await refused(card.id, body), 400, 'INVALID_INPUT');
  });

  test('2. "When status is supplied, substatus and reason are both required"', async () => {
    const { card } = await givenCard(platform);
    assertInvalid(await refused(card.id, { status: 'FROZEN' }), 'substatus', 'reason');
    assertInvalid(await refused(card.id, { status: 'FROZEN', substatus: 'OTHER' }), 'reason');
    assertInvalid(await refused(card.id, { status: 'FROZEN', reason: 'why' }), 'substatus');
    assertInvalid(await refused(card.id, { ...freezing, reason: '' }), 'reason');
  });

  test('3. fundingSource "must belong to the customer and use a currency supported by the card program"', async () => {
    const { card } = await givenCard(platform);
    const another = await givenCardholder(platform);
    const { data } = await expectStatus(200, platform.get('/platform/internal-accounts?currency=USD'));
    for (const fundingSource of [another.usd.id, data[0].id, `InternalAccount:${randomUUID()}`, card.id, 'x']) {
      assertInvalid(await refused(card.id, { fundingSource }), 'fundingSource');
    }
    const basic = await givenCard(platform, { program: 'service_basic' });
    assertInvalid(await refused(basic.card.id, { fundingSource: basic.usdb.id }), 'fundingSource');
    await changed(basic.card.id, { fundingSource: basic.usd.id });
  });

  test('4. and 7. neither fundingSource nor a limit with status CLOSED', async () => {
    const { card, usd } = await givenCard(platform);
    const extras = { fundingSource: usd.id, maxSpendPerTransaction: 1, maxSpendPerDay: null, maxTransactionsPerDay: 1 };
    for (const [field, value] of Object.entries(extras)) assertInvalid(await refused(card.id, { ...closing, [field]: value }), field);
    await changed(card.id, closing);
  });

  test('5. "On card programs where the card issuer makes authorization decisions, fundingSource cannot be combined with any status change"', async () => {
    const { card, usdb } = await givenCard(platform, { program: 'issuer_decided' });
    assertInvalid(await refused(card.id, { ...freezing, fundingSource: usdb.id }), 'fundingSource');
    await changed(card.id, freezing);
    await changed(card.id, { fundingSource: usdb.id });
  });

  test('6. limits and password "are accepted only when" the capability is true; null counts as supplied', async () => {
    const basic = (await givenCard(platform, { program: 'service_basic' })).card;
    const fields = { maxSpendPerTransaction: 1, maxSpendPerDay: null, maxTransactionsPerDay: 1, threeDSecurePassword: 'secret' };
    for (const [field, value] of Object.entries(fields)) assertInvalid(await refused(basic.id, { [field]: value }), field);
    const counting = (await givenCard(platform, { program: 'service_no_spend_limits' })).card;
    assertInvalid(await refused(counting.id, { maxTransactionsPerDay: 1, maxSpendPerDay: 1 }), 'maxSpendPerDay');
    await changed(counting.id, { maxTransactionsPerDay: 1 });
  });

  test('8. "threeDSecurePassword is sent alone"', async () => {
    const { card } = await givenCard(platform, { program: 'service_3ds' });
    for (const extra of [freezing, { maxSpendPerDay: 1 }, { reason: 'why' }]) {
      assertInvalid(await refused(card.id, { threeDSecurePassword: 'secret', ...extra }), 'threeDSecurePassword');
    }
    assertInvalid(await refused(card.id, { threeDSecurePassword: ' ' }), 'threeDSecurePassword');
    await changed(card.id, { threeDSecurePassword: 'secret' });
    assert.deepEqual(await eventsSince(card.id), []);
  });

  test('400 names unknown fields and fields of other requests', async () => {
    const { card } = await givenCard(platform);
    for (const field of ['customerId', 'form', 'nonsense']) {
      assertInvalid(await refused(card.id, { maxSpendPerDay: 5, [field]: 'x' }), field);
    }
  });

  test('fields that only answers hold are ignored, and change nothing by themselves', async () => {
    const { card } = await givenCard(platform);
    const ignored = { id: 'Card:x', statusReason: 'x', pinStatus: 'x', currency: 'x', brand: 'x', last4: 'x', updatedAt: 'x' };
    assertRefused(await refused(card.id, ignored), 400, 'INVALID_INPUT');
    const changed = await expectStatus(200, platform.patch(`/cards/${card.id}`, { ...ignored, maxSpendPerDay: 5 }));
    assert.deepEqual({ ...changed, updatedAt: card.updatedAt }, { ...card, maxSpendPerDay: 5 });
  });
});

describe('limits', () => {
  test('"Set, or null to remove; omit to leave unchanged"; no webhook', async () => {
    const { card } = await givenCard(platform, {
      fields: { maxSpendPerTransaction: 100, maxSpendPerDay: 1_000, maxTransactionsPerDay: 10 },
    });
    const limits = async (body: unknown) => {
      const answer = await changed(card.id, body);
      return [answer.maxSpendPerTransaction, answer.maxSpendPerDay, answer.maxTransactionsPerDay];
    };
    assert.deepEqual(await limits({ maxSpendPerDay: 2_000 }), [100, 2_000, 10]);
    assert.deepEqual(await limits({ maxSpendPerDay: null }), [100, null, 10]);
    assert.deepEqual(await limits({ maxSpendPerTransaction: null, maxTransactionsPerDay: 11 }), [null, null, 11]);
    assert.deepEqual(await limits({ ...freezing, maxSpendPerDay: 5 }), [null, 5, 11]);
    assert.equal((await eventsSince(card.id)).length, 1, 'one status change');
  });

  test('limits are integers from 1 to their maximum', async () => {
    const { card } = await givenCard(platform);
    const most = {
      maxSpendPerTransaction: 9_007_199_254_740_991,
      maxSpendPerDay: 9_007_199_254_740_991,
      maxTransactionsPerDay: 2_147_483_647,
    };
    for (const [field, largest] of Object.entries(most)) {
      for (const value of [0, -1, 1.5, '1', true]) assertInvalid(await refused(card.id, { [field]: value }), field);
      assert.equal((await changed(card.id, { [field]: 1 }))[field], 1);
      assert.equal((await changed(card.id, { [field]: largest }))[field], largest);
    }
    assertInvalid(await refused(card.id, { maxTransactionsPerDay: 2_147_483_648 }), 'maxTransactionsPerDay');
  });
});

describe('fundingSource', () => {
  test('9. "returns the updated card with the new binding and fires no webhook"; currency and limits do not change', async () => {
    const { card, usd, usdb } = await givenCard(platform, { fields: { maxSpendPerDay: 500 } });
    const away = await changed(card.id, { fundingSource: usdb.id });
    assert.deepEqual(
      [away.fundingSource, away.status, away.statusReason, away.currency, away.maxSpendPerDay],
      [usdb.id, 'PENDING', 'DELEGATION_REQUIRED', 'USD', 500],
    );
    const back = await changed(card.id, { fundingSource: usd.id });
    assert.deepEqual([back.fundingSource, back.status, 'statusReason' in back], [usd.id, 'ACTIVE', false]);
    assert.deepEqual(await eventsSince(card.id), []);
    assert.deepEqual(
      (await historyOf(service.db, card.id)).slice(2).map(({ from_status, to_status }) => [from_status, to_status]),
      [
        ['ACTIVE', 'PENDING'],
        ['PENDING', 'ACTIVE'],
      ],
    );
  });

  test('a funding source keeps its id when its account is bound again; one funding source is bound at a time', async () => {
    const { card, usd, usdb } = await givenCard(platform);
    const sources = () =>
      service.db.many<{ id: string; bound: boolean }>(
        sql`select id, detached_at is null as bound from card_funding_sources where 'Card:' || card_id = ${card.id} order by id`,
      );
    const [first] = await sources();
    await changed(card.id, { fundingSource: usdb.id });
    await changed(card.id, { fundingSource: usd.id });
    const after = await sources();
    assert.equal(after.length, 2);
    assert.deepEqual(
      after.filter(({ bound }) => bound).map(({ id }) => id),
      [first?.id],
    );
  });

  test('a FROZEN card stays FROZEN when its funding source changes', async () => {
    const { card, usd, usdb } = await givenCard(platform);
    await changed(card.id, freezing);
    assert.equal((await changed(card.id, { fundingSource: usdb.id })).status, 'FROZEN');
    assert.equal((await changed(card.id, { fundingSource: usd.id })).status, 'FROZEN');
  });

  test('a status in the same request is validated against the new funding source; all changes are made or none', async () => {
    const { card, usd, usdb } = await givenCard(platform);
    const frozen = await changed(card.id, { ...freezing, fundingSource: usdb.id, maxSpendPerDay: 5 });
    assert.deepEqual([frozen.status, frozen.fundingSource, frozen.maxSpendPerDay], ['FROZEN', usdb.id, 5]);
    assertRefused(await refused(card.id, { ...activating, fundingSource: usdb.id, maxSpendPerDay: 6 }), 409, 'INVALID_STATE_TRANSITION');
    const active = await changed(card.id, { ...activating, fundingSource: usd.id });
    assert.deepEqual([active.status, active.fundingSource], ['ACTIVE', usd.id]);
    assert.equal((await eventsSince(card.id)).length, 2);
  });
});

describe('a wallet with a delegated key', () => {
  test('a delegated key makes the card ACTIVE and is kept while another account funds the card; its revocation makes the card PENDING; no webhook', async () => {
    const owner = await wallet(platform);
    await chooseProgram(platform, 'service_full');
    const usd = await given(platform).account(owner.customer, 'USD');
    const { id } = await expectStatus(201, requestCard(platform, { customerId: owner.customer.id, fundingSource: owner.account.id }));
    assert.equal((await provisioned(platform, id)).status, 'PENDING');
    const status = async () => (await expectStatus(200, platform.get(`/cards/${id}`))).status;

    const key = await delegate(owner, { id });
    assert.equal(await status(), 'ACTIVE');
    assert.equal((await changed(id, { fundingSource: usd.id })).status, 'ACTIVE');
    const back = await changed(id, { fundingSource: owner.account.id });
    assert.deepEqual([back.status, back.fundingSource], ['ACTIVE', owner.account.id]);
    await expectStatus(204, platform.delete(`/auth/delegated-keys/${key.id}`));
    const waiting = await expectStatus(200, platform.get(`/cards/${id}`));
    assert.deepEqual([waiting.status, waiting.statusReason], ['PENDING', 'DELEGATION_REQUIRED']);
    assert.deepEqual(await eventsSince(id), []);
    assert.deepEqual(
      (await historyOf(service.db, id)).slice(2).map(({ cause, to_status }) => [cause, to_status]),
      [
        ['DELEGATION_COMPLETED', 'ACTIVE'],
        ['UPDATED', 'ACTIVE'],
        ['UPDATED', 'ACTIVE'],
        ['DELEGATION_REVOKED', 'PENDING'],
      ],
    );
  });

  test('"Completing delegation does not unfreeze or reopen a card"; with the key the card can be activated', async () => {
    const owner = await wallet(platform);
    const { id } = await expectStatus(201, requestCard(platform, { customerId: owner.customer.id, fundingSource: owner.account.id }));
    await provisioned(platform, id);
    await changed(id, freezing);
    assertRefused(await refused(id, activating), 409, 'INVALID_STATE_TRANSITION');
    const key = await delegate(owner, { id });
    assert.equal((await expectStatus(200, platform.get(`/cards/${id}`))).status, 'FROZEN');
    assert.equal((await changed(id, activating)).status, 'ACTIVE');
    await changed(id, freezing);
    await expectStatus(204, platform.delete(`/auth/delegated-keys/${key.id}`));
    assert.equal((await expectStatus(200, platform.get(`/cards/${id}`))).status, 'FROZEN');
    assertRefused(await refused(id, activating), 409, 'INVALID_STATE_TRANSITION');
  });

  test('a card that gets its key while PROCESSING becomes ACTIVE without PENDING', async () => {
    const own = await service.newPlatform();
    await own.clock.freeze();
    const owner = await wallet(own);
    await chooseProgram(own, 'sandbox_issuer_slow');
    const { id } = await expectStatus(201, requestCard(own, { customerId: owner.customer.id, fundingSource: owner.account.id }));
    await delegate(owner, { id });
    assert.equal((await expectStatus(200, own.get(`/cards/${id}`))).status, 'PROCESSING');
    await own.clock.advance(30_000);
    assert.equal((await expectStatus(200, own.get(`/cards/${id}`))).status, 'ACTIVE');
  });
});

describe('the issuer', () => {
  for (const [program, status, code, cause] of [
    ['sandbox_issuer_refuses', 409, 'CONFLICT', 'ISSUER_REFUSED'],
    ['sandbox_issuer_silent', 503, 'SERVICE_UNAVAILABLE', 'ISSUER_TIMED_OUT'],
  ] as const) {
    test(`${status} ${code}: the card is unchanged after ${cause}`, async () => {
      const { card } = await givenCard(platform, { program });
      for (const body of [freezing, closing, { ...freezing, maxSpendPerDay: 5 }, { threeDSecurePassword: 'new' }]) {
        const answer = await refused(card.id, body);
        assertRefused(answer, status, code);
        assert.equal(answer.body.details.cause, cause);
        assert.equal(answer.headers.get('retry-after'), status === 503 ? '1' : null);
      }
      assert.equal(
        (await changed(card.id, { maxSpendPerDay: 5 })).maxSpendPerDay,
        5,
        'the service enforces the limits itself; the issuer is not called',
      );
    });
  }
});

describe('access', () => {
  test('404: a card id that is unknown, malformed or of another platform; the answers are identical', async () => {
    const { card } = await givenCard(await service.newPlatform());
    const answers = await Promise.all(
      [card.id, `Card:${randomUUID()}`, 'Card:x', `Customer:${randomUUID()}`].map((id) => patch(id, freezing)),
    );
    for (const answer of answers) assertRefused(answer, 404, 'NOT_FOUND');
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  });

  test('401 before any validation; 403 without MANAGE', async () => {
    const { card } = await givenCard(platform);
    assertRefused(
      await unchanged(service.db, card.id, () => service.as('nobody', 'nothing').patch(`/cards/${card.id}`, {})),
      401,
      'UNAUTHORIZED',
    );
    const { clientId, clientSecret } = await expectStatus(201, platform.post('/tokens', { name: 'viewer', permissions: ['VIEW'] }));
    const viewer = service.as(clientId, clientSecret);
    assertRefused(await unchanged(service.db, card.id, () => viewer.patch(`/cards/${card.id}`, freezing)), 403, 'FORBIDDEN');
    await expectStatus(200, viewer.get(`/cards/${card.id}`));
  });
});
