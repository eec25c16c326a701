// The simulated network: every descriptor ending for every message that opens a transaction, the event of every message, cards of every
// status, and decisions when the account or wallet cannot pay.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import {
  assertAtRest,
  byToken,
  DAY,
  fundedCard,
  gist,
  issuerOf,
  merchant,
  moneyOn,
  networkOf,
  owedOn,
  platformOf,
  purchaseOf,
  walletCard,
} from '../../../support/card-transactions.js';
import { closing, freezing, idempotent } from '../../../support/cards.js';
import { type Answer, assertInvalid, assertRefused, type Client, expectStatus, type Sent } from '../../../support/client.js';
import { eventsAbout } from '../../../support/database-state.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { issuerPost } from '../../../support/issuer.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startOwnService({ RATE_LIMIT_PER_MINUTE: 'off' });
});
after(() => service.stop());

const FUNDINGS = { 'a USD account': fundedCard, 'an embedded wallet': walletCard } as const;

/** A card with a balance of 1,000 on a new platform with a frozen clock. */
async function spender(funded: (typeof FUNDINGS)[keyof typeof FUNDINGS] = fundedCard) {
  const platform: Client = await service.newPlatform();
  await platform.clock.freeze('2030-05-01T12:00:00.000Z');
  const { card, account } = await funded(platform, 1_000);
  const platformId = await platformOf(service.db, card);
  return {
    platform,
    card,
    account,
    network: networkOf(platform, card),
    money: async () => (await moneyOn(service.db, account)).total,
    owed: () => owedOn(service.db, platformId),
    atRest: () => assertAtRest(service.db, platformId),
  };
}

describe('"merchant.descriptor last 3", for every message that opens a transaction', () => {
  const declined = (reason: string) => ({ status: 'DECLINED', authorized: 100, declined: reason });
  const DECLINES = { '002': declined('INSUFFICIENT_FUNDS'), '003': declined('CARD_NOT_ACTIVE') };
  const authorized = { status: 'AUTHORIZED', authorized: 100 };
  const settled = { status: 'SETTLED', authorized: 100, settled: 100 };

  /** State at once, state 30 s later if different, and the amounts that the account has paid and its holder owes by then. */
  type Outcome = { readonly atOnce: object; readonly later?: object; readonly paid?: number; readonly owed?: number };
  const OUTCOMES: Readonly<Record<string, Readonly<Record<string, Outcome>>>> = {
    authorization: {
      '005': { atOnce: authorized },
      '006': { atOnce: { status: 'EXCEPTION', authorized: 100 } },
      other: { atOnce: authorized },
    },
    financial_authorization: {
      '005': { atOnce: authorized, later: settled, paid: 100 },
      '006': { atOnce: { status: 'EXCEPTION', authorized: 100, settled: 100 }, owed: 100 },
      other: { atOnce: settled, paid: 100 },
    },
    credit_authorization: { '005': { atOnce: authorized }, '006': { atOnce: authorized }, other: { atOnce: authorized } },
    financial_credit_authorization: {
      '005': { atOnce: settled, paid: -100 },
      '006': { atOnce: settled, paid: -100 },
      other: { atOnce: settled, paid: -100 },
    },
  };
  for (const [funding, funded] of Object.entries(FUNDINGS))
    for (const [opening, outcomes] of Object.entries(OUTCOMES))
      test(`${opening} on ${funding}: endings 002, 003, 005, 006 and any other`, async () => {
        const { platform, network, money, owed, atRest } = await spender(funded);
        for (const [ending, { atOnce, later = atOnce, paid = 0, owed: borne = 0 }] of Object.entries({
          ...Object.fromEntries(Object.entries(DECLINES).map(([name, outcome]) => [name, { atOnce: outcome } as Outcome])),
          ...outcomes,
        })) {
          const before = { money: await money(), owed: await owed() };
          const opened = await network.open(opening, 100, `SHOP ${ending}`);
          assert.deepEqual(gist(opened), atOnce, ending);
          await platform.clock.advance(30_000);
          assert.deepEqual(gist(await network.read(opened.id)), later, ending);
          // An authorized amount was pulled from the wallet; the expiry returns it.
          if (later === authorized) await network.expire(opened);
          assert.deepEqual({ money: await money(), owed: await owed() }, { money: before.money - paid, owed: before.owed + borne });
        }
        await atRest();
      });

  for (const [funding, funded] of Object.entries(FUNDINGS))
    test(`financial_authorization 005 on ${funding}: a transaction that is reversed, expired or closed before the delayed pull is not charged`, async () => {
      const { platform, card, network, money, owed, atRest } = await spender(funded);
      const open = () => network.open('financial_authorization', 200, 'SHOP 005');
      const [reversed, expired, part, more, settled] = [await open(), await open(), await open(), await open(), await open()];
      await network.reverse(reversed);
      await network.expire(expired);
      await network.reverse(part, 150);
      await network.advise(more, 250);
      await platform.clock.advance(30_000);
      assert.deepEqual(gist(await network.read(reversed.id)), { status: 'VOIDED', authorized: 0 });
      assert.deepEqual(gist(await network.read(expired.id)), { status: 'VOIDED', authorized: 0 });
      assert.deepEqual(gist(await network.read(part.id)), { status: 'SETTLED', authorized: 50, settled: 50 });
      assert.deepEqual(gist(await network.read(more.id)), { status: 'PARTIALLY_SETTLED', authorized: 250, settled: 200 });
      assert.deepEqual(gist(await network.read(settled.id)), { status: 'SETTLED', authorized: 200, settled: 200 });
      const closed = await open();
      await expectStatus(200, platform.patch(`/cards/${card.id}`, closing));
      await platform.clock.advance(30_000);
      assert.deepEqual(gist(await network.read(closed.id)), { status: 'VOIDED', authorized: 0 });
      assert.deepEqual([await money(), await owed()], [550, 0]);
      await atRest();
    });

  test('credit_authorization_advice is recorded with any descriptor ending', async () => {
    const { network } = await spender();
    for (const ending of ['002', '003', '005', '006', 'other'])
      assert.deepEqual(gist(await network.open('credit_authorization_advice', 100, `SHOP ${ending}`)), authorized, ending);
  });

  test('a financial authorization counts towards the daily limits; credits do not', async () => {
    const platform = await service.newPlatform();
    const { card } = await fundedCard(platform, 1_000, { fields: { maxTransactionsPerDay: 2, maxSpendPerDay: 200 } });
    const network = networkOf(platform, card);
    for (const credit of ['credit_authorization', 'financial_credit_authorization', 'credit_authorization_advice'])
      assert.notEqual((await network.open(credit, 900)).status, 'DECLINED');
    assert.equal((await network.open('financial_authorization', 100)).status, 'SETTLED');
    assert.equal((await network.open('financial_authorization', 101)).cardDeclinedReason, 'SPEND_LIMIT_EXCEEDED');
    assert.equal((await network.open('financial_authorization', 100)).status, 'SETTLED');
    assert.equal((await network.open('financial_authorization', 1)).cardDeclinedReason, 'SPEND_LIMIT_EXCEEDED');
  });
});

for (const [funding, funded] of Object.entries(FUNDINGS))
  test(`on ${funding}, every change sends one event with the transaction, and a balance event if money moved`, async () => {
    const { platform, account, network, money } = await spender(funded);
    const first = await network.authorize(100);
    const steps: Readonly<Record<string, () => Promise<{ id: string }>>> = {
      'authorization DECLINED': () => network.authorize(9_000),
      'authorization EXCEPTION': () => network.authorize(1, 'SHOP 006'),
      authorization: () => network.authorize(100),
      financial_authorization: () => network.open('financial_authorization', 10),
      credit_authorization: () => network.open('credit_authorization', 10),
      financial_credit_authorization: () => network.open('financial_credit_authorization', 10),
      credit_authorization_advice: () => network.open('credit_authorization_advice', 10),
      'authorization_advice, more': () => network.advise(first, 120),
      'authorization_advice, less': () => network.advise(first, 110),
      'authorization_reversal, part': () => network.reverse(first, 10),
      'clearing, part': () => network.clear(first, 40),
      'clearing, the rest': () => network.clear(first, 60),
      'clearing, above': async () => network.clear(await network.authorize(10), 15),
      'clearing of 0': async () => network.clear(await network.authorize(10), 0),
      authorization_reversal: async () => network.reverse(await network.authorize(10)),
      authorization_expiry: async () => network.expire(await network.authorize(10)),
      return: () => network.giveBack(first, 20),
      return_reversal: async () => network.takeReturnBack(await network.giveBack(first, 20)),
      'clearing, above the balance': async () => network.clear(await network.authorize(10), 5_000),
    };
    for (const [name, step] of Object.entries(steps)) {
      const [before, accountEvents] = [await money(), (await eventsAbout(service.db, account.id)).length];
      const { id } = await step();
      const events = await eventsAbout(service.db, id);
      const read = await network.read(id);
      assert.deepEqual(events.at(-1), { type: `CARD_TRANSACTION.${read.status}`, data: read }, name);
      assert.notDeepEqual(events.at(-2)?.data, read, `${name}: one event was sent`);
      if ((await money()) !== before)
        assert.ok((await eventsAbout(service.db, account.id)).length > accountEvents, `${name}: a balance event was sent`);
    }
    await given(platform).fund(account, 10_000);
    const held = await network.authorize(10);
    await platform.clock.advance(7 * DAY);
    assert.deepEqual((await eventsAbout(service.db, held.id)).at(-1), {
      type: 'CARD_TRANSACTION.VOIDED',
      data: await network.read(held.id),
    });
  });

describe('transactions made before the card was frozen or closed continue', () => {
  for (const [status, change] of Object.entries({ FROZEN: freezing, CLOSED: closing }))
    test(`${status}: returns, return reversals and disputes are processed; new purchases and credits are declined`, async () => {
      const { platform, card, network, money, owed, atRest } = await spender();
      const purchase = await network.clear(await network.authorize(400), 400);
      const returned = await network.giveBack(purchase, 100);
      await expectStatus(200, platform.patch(`/cards/${card.id}`, change));
      assert.equal((await network.takeReturnBack(returned)).status, 'VOIDED');
      assert.equal((await network.giveBack(purchase, 50)).status, 'SETTLED');
      const dispute = (step: string, body: object = {}) =>
        expectStatus(202, network.send(`dispute_${step}`, { cardTransactionId: purchase.id, ...body }));
      await dispute('open');
      await dispute('provisional_credit', { amount: 350 });
      await dispute('provisional_credit_reversal', { amount: 50 });
      await dispute('close', { disposition: 'WON' });
      assert.deepEqual([await money(), await owed()], [1_000, 0]);
      for (const opening of ['authorization', 'financial_authorization', 'credit_authorization', 'financial_credit_authorization'])
        assert.deepEqual(gist(await network.open(opening, 1)), { status: 'DECLINED', authorized: 1, declined: 'CARD_NOT_ACTIVE' }, opening);
      assert.deepEqual(gist(await network.open('credit_authorization_advice', 1)), { status: 'AUTHORIZED', authorized: 1 });
      await atRest();
    });

  test('CLOSED: 400 for an advice, reversal or expiry of a voided authorization, and for a clearing of a declined one', async () => {
    const { platform, card, network } = await spender();
    const [purchase, declined] = [await network.authorize(400), await network.authorize(9_000)];
    await expectStatus(200, platform.patch(`/cards/${card.id}`, closing));
    await changesNothing(service.db, async () => {
      const refused = async (name: string, body: object) => assertInvalid(await network.send(name, body), 'cardTransactionId');
      await refused('authorization_advice', { cardTransactionId: purchase.id, amount: 1 });
      await refused('authorization_reversal', { cardTransactionId: purchase.id });
      await refused('authorization_expiry', { cardTransactionId: purchase.id });
      await refused('clearing', { cardTransactionId: purchase.id, amount: 0 });
      await refused('clearing', { cardTransactionId: declined.id, amount: 1 });
    });
  });

  test('CLOSED: "refunds already in flight still complete": a credit without a clearing, a partially cleared credit, and a later credit advice', async () => {
    const { platform, card, network, money, atRest } = await spender();
    const whole = await network.open('credit_authorization', 300);
    const part = await network.clear(await network.open('credit_authorization', 200), 50);
    const returned = await network.giveBack(await network.open('financial_authorization', 20), 20);
    await expectStatus(200, platform.patch(`/cards/${card.id}`, closing));
    assert.deepEqual(gist(await network.read(whole.id)), { status: 'VOIDED', authorized: 0 });
    assert.deepEqual(gist(await network.clear(whole, 300)), { status: 'SETTLED', authorized: 0, settled: 300 });
    assert.deepEqual(gist(await network.clear(part, 150)), { status: 'SETTLED', authorized: 200, settled: 200 });
    assert.equal((await network.clear(await network.open('credit_authorization_advice', 10), 10)).status, 'SETTLED');
    assert.equal(await money(), 1_510);
    const declined = await network.open('credit_authorization', 1);
    await changesNothing(service.db, async () => {
      for (const { id } of [declined, returned])
        assertInvalid(await network.send('clearing', { cardTransactionId: id, amount: 1 }), 'cardTransactionId');
    });
    await atRest();
  });

  test('deletion of a customer closes the cards, releases the holds and sends an event for each transaction', async () => {
    const { platform, card, network, money, atRest } = await spender();
    const purchase = await network.authorize(400);
    await expectStatus(200, platform.delete(`/customers/${card.customerId}`));
    assert.equal((await expectStatus(200, platform.get(`/cards/${card.id}`))).status, 'CLOSED');
    const voided = await network.read(purchase.id);
    assert.deepEqual(gist(voided), { status: 'VOIDED', authorized: 0 });
    assert.deepEqual((await eventsAbout(service.db, purchase.id)).at(-1), { type: 'CARD_TRANSACTION.VOIDED', data: voided });
    assert.equal(await money(), 1_000);
    await atRest();
  });

  test('a return after the deletion of the customer is paid to the account of the purchase, which stays ACTIVE', async () => {
    const { platform, card, account, network, money, atRest } = await spender();
    const purchase = await network.clear(await network.authorize(1_000), 1_000);
    assert.equal(await money(), 0);
    await expectStatus(200, platform.delete(`/customers/${card.customerId}`));
    await network.giveBack(purchase, 700);
    const { data } = await expectStatus(200, platform.get(`/customers/internal-accounts?customerId=${card.customerId}&currency=USD`));
    assert.deepEqual([data[0].id, data[0].status, data[0].balance.amount], [account.id, 'ACTIVE', 700]);
    await atRest();
  });
});

describe('an account or a wallet that cannot pay', () => {
  test('BLOCKED: the account is not ACTIVE; its holder owes clearings above the hold', async () => {
    const { account, network, money, owed, atRest } = await spender();
    const purchase = await network.authorize(400);
    await service.db.run(sql`update internal_accounts set status = 'FROZEN' where id = ${account.id.slice(16)}`);
    assert.deepEqual(gist(await network.authorize(1)), { status: 'DECLINED', authorized: 1, declined: 'BLOCKED' });
    assert.deepEqual(gist(await network.clear(purchase, 410)), { status: 'EXCEPTION', authorized: 400, settled: 410 });
    assert.deepEqual([await money(), await owed()], [600, 10]);
    await atRest();
  });

  test('NO_ELIGIBLE_FUNDING_SOURCE: the wallet refuses the signature of its key; other wallets in the same batch are approved', async () => {
    const platform = await service.newPlatform();
    const [refused, fine] = [await walletCard(platform, 1_000), await walletCard(platform, 1_000)];
    await service.db.run(sql`update wallet_signers set deleted_at = now() where id = ${refused.key.id.slice('DelegatedKey:'.length)}`);
    const answers = await Promise.all(
      [refused, fine, refused, fine].map(({ card }) => expectStatus(200, issuerOf(platform, card).ask({ amount: 100 }))),
    );
    assert.deepEqual(
      answers.map(({ decision, declinedReason }) => declinedReason ?? decision),
      ['NO_ELIGIBLE_FUNDING_SOURCE', 'APPROVED', 'NO_ELIGIBLE_FUNDING_SOURCE', 'APPROVED'],
    );
    assert.deepEqual(await moneyOn(service.db, refused.account), { available: 1_000, total: 1_000 });
    assert.deepEqual(await moneyOn(service.db, fine.account), { available: 800, total: 800 });
    await assertAtRest(service.db, await platformOf(service.db, fine.card));
  });
});

test('an authorization after its clearing is declined if the wallet refuses the signature of its key; the day has no spend', async () => {
  const { platform, card, account, money, atRest } = await spender(walletCard);
  const { ask, tell } = issuerOf(platform, card);
  await expectStatus(200, tell('CLEARING', 'early', { amount: 100, cardId: card.id, merchant: merchant() }));
  await service.db.run(sql`update wallet_signers set deleted_at = now() where account_id = ${account.id.slice('InternalAccount:'.length)}`);
  const { declinedReason } = await expectStatus(200, ask({ token: 'early', amount: 300 }));
  assert.equal(declinedReason, 'NO_ELIGIBLE_FUNDING_SOURCE');
  assert.deepEqual(gist(await byToken(platform, 'early')), { status: 'SETTLED', authorized: 0, settled: 100 });
  assert.equal(await money(), 900);
  assert.equal((await expectStatus(200, platform.get(`/cards/${card.id}/spending`))).purchases, 0);
  await atRest();
});

describe('Idempotency-Key: "a replay gets the same bytes; another body gets 409"', () => {
  /** Sends the request twice with one key and expects one effect. */
  type Post = (path: string, body: unknown, sent: Sent) => Promise<Answer>;
  async function once(post: Post, path: string, body: Record<string, unknown>, status: number): Promise<Answer> {
    const key = idempotent();
    const first = await post(path, body, key);
    assert.equal(first.status, status, first.text);
    await changesNothing(service.db, async () => {
      const again = await post(path, body, key);
      assert.deepEqual([again.status, again.text, again.headers.get('idempotent-replayed')], [status, first.text, 'true'], path);
      assertRefused(await post(path, { ...body, amount: 7 }, key), 409, 'CONFLICT');
    });
    return first;
  }

  for (const [funding, funded] of Object.entries(FUNDINGS))
    test(`every simulated message, on ${funding}`, async () => {
      const { platform, card, network, money, atRest } = await spender(funded);
      const simulate = (name: string, body: object) =>
        once(platform.post, `/sandbox/cards/${card.id}/simulate/${name}`, body as Record<string, unknown>, 202);
      const OPENINGS = ['credit_authorization', 'financial_authorization', 'financial_credit_authorization', 'credit_authorization_advice'];
      const opened = await simulate('authorization', purchaseOf(100));
      for (const name of OPENINGS) await simulate(name, purchaseOf(10));
      const purchase = await byToken(platform, opened.body.issuerTransactionToken);
      assert.equal(purchase.status, 'AUTHORIZED');
      const ref = { cardTransactionId: purchase.id };
      await simulate('authorization_advice', { ...ref, amount: 120 });
      await simulate('authorization_reversal', { ...ref, amount: 20 });
      await simulate('clearing', { ...ref, amount: 60 });
      const returned = await simulate('return', { ...ref, amount: 10 });
      assert.deepEqual(gist(await network.read(purchase.id)), {
        status: 'PARTIALLY_SETTLED',
        authorized: 100,
        settled: 60,
        refunded: 10,
      });
      const { id } = await byToken(platform, returned.body.issuerTransactionToken);
      assert.equal(await money(), funded === walletCard ? 910 : 950);
      await atRest();
      const keyed = (name: string, body: object) =>
        expectStatus(202, platform.post(`/sandbox/cards/${card.id}/simulate/${name}`, body, idempotent()));
      await keyed('return_reversal', { cardTransactionId: id });
      await keyed('balance_inquiry', { merchant: merchant() });
      await keyed('dispute_open', ref);
      await keyed('dispute_close', { ...ref, disposition: 'LOST' });
    });

  test('an authorization with an Idempotency-Key is declined if the wallet refuses the signature of its delegated key', async () => {
    const { platform, card, account } = await spender(walletCard);
    await service.db.run(
      sql`update wallet_signers set deleted_at = now() where account_id = ${account.id.slice('InternalAccount:'.length)}`,
    );
    const path = `/sandbox/cards/${card.id}/simulate/authorization`;
    const { issuerTransactionToken } = await expectStatus(202, platform.post(path, purchaseOf(100), idempotent()));
    assert.deepEqual(gist(await byToken(platform, issuerTransactionToken)), {
      status: 'DECLINED',
      authorized: 100,
      declined: 'NO_ELIGIBLE_FUNDING_SOURCE',
    });
  });

  test("a message of an issuer's processor", async () => {
    const { platform, card, money } = await spender();
    await expectStatus(200, issuerOf(platform, card).ask({ token: 'a', amount: 100 }));
    const clearing = { kind: 'CLEARING', issuerTransactionToken: 'a', messageToken: 'm', amount: 100 };
    await once((path, body, sent) => issuerPost(platform, path, body, sent), '/issuer/messages', clearing, 200);
    assert.equal(await money(), 900);
  });
});

test('CARD_HOLD_DAYS sets the exact lifetime of a hold, also of an advice without an authorization request', async () => {
  const brief = await startOwnService({ CARD_HOLD_DAYS: '1' });
  try {
    await brief.platform.clock.freeze('2030-05-01T12:00:00.000Z');
    const { card } = await fundedCard(brief.platform, 1_000);
    const network = networkOf(brief.platform, card);
    const purchase = await network.authorize(100);
    const advice = await expectStatus(
      200,
      issuerOf(brief.platform, card).tell('AUTHORIZATION_ADVICE', 'advised', { amount: 100, cardId: card.id, merchant: merchant() }),
    );
    const statuses = () => Promise.all([purchase.id, advice.transactionId].map(async (id) => (await network.read(id)).status));
    await brief.platform.clock.advance(DAY - 1);
    assert.deepEqual(await statuses(), ['AUTHORIZED', 'AUTHORIZED']);
    await brief.platform.clock.advance(1);
    assert.deepEqual(await statuses(), ['VOIDED', 'VOIDED']);
  } finally {
    await brief.stop();
  }
});

test("live mode has no simulated network, and keeps the issuer's interface", async () => {
  const live = await startOwnService({ MODE: 'live', KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') });
  try {
    const paths = live.service.operations.map(({ path }) => path);
    assert.deepEqual(
      paths.filter((path) => path.includes('/simulate/')),
      [],
    );
    assert.ok(paths.includes('/issuer/authorizations') && paths.includes('/issuer/messages'));
    assertRefused(await live.platform.post('/sandbox/cards/Card:x/simulate/authorization', {}), 404, 'NOT_FOUND');
  } finally {
    await live.stop();
  }
});
