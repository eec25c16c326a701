import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { newId, uuidOf } from '../../../../src/kernel/ids.js';
import { fundedCard, networkOf } from '../../../support/card-transactions.js';
import { closing, givenCard } from '../../../support/cards.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { platformAccount, ruleBasedAccount } from '../../../support/rule-based.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { type History, historyOf, readWindow, windowPath } from '../../../support/statements/history.js';

let service: TestService;
let platform: Client;
let history: History;

// Frozen well after the windows below; each test has an account of its own.
const NOW = '2026-06-15T12:00:00Z';
const [START, END] = ['2026-05-01T00:00:00Z', '2026-06-01T00:00:00Z'];

before(async () => {
  service = await startTestService();
  platform = service.platform;
  history = await historyOf(service, platform);
});
after(() => service.stop());

/** An account with 100 on 10 May, 30 less on 20 May and 5 more on 2 June. The clock is at NOW after that. */
async function accountWithHistory() {
  const id = await history.account();
  for (const [at, amount] of [
    ['2026-05-10T00:00:00Z', 100],
    ['2026-05-20T00:00:00Z', -30],
    ['2026-06-02T00:00:00Z', 5],
  ] as const) {
    await platform.clock.freeze(at);
    await history.post(id, amount);
  }
  await platform.clock.freeze(NOW);
  return id;
}

const sumOf = (changes: readonly { amount: number }[]) => changes.reduce((sum, { amount }) => sum + amount, 0);

describe('200', () => {
  test('"one row per balance change in the order the money moved, with the opening and closing balances for the window"', async () => {
    const id = await accountWithHistory();
    const body = await expectStatus(200, platform.get(windowPath(id, START, END)));
    const usd = { code: 'USD', name: 'US Dollar', symbol: '$', decimals: 2 };
    const [first, second] = body.data;
    assert.deepEqual(body, {
      data: [
        {
          id: first.id,
          transactionId: first.transactionId,
          amount: { amount: 100, currency: usd },
          effectiveAt: '2026-05-10T00:00:00.000Z',
        },
        {
          id: second.id,
          transactionId: second.transactionId,
          amount: { amount: -30, currency: usd },
          effectiveAt: '2026-05-20T00:00:00.000Z',
        },
      ],
      startDate: '2026-05-01T00:00:00.000Z',
      endDate: '2026-06-01T00:00:00.000Z',
      openingBalance: { amount: 0, currency: usd },
      closingBalance: { amount: 70, currency: usd },
      hasMore: false,
      totalCount: 2,
    });
    assert.match(first.id, /^BalanceChange:[0-9a-f-]{36}$/);
    assert.match(first.transactionId, /^Transaction:[0-9a-f-]{36}$/);
  });

  test('the window is half-open: a change at startDate is inside, one at endDate is not', async () => {
    const id = await accountWithHistory();
    const amounts = async (start: string, end: string) => (await readWindow(platform, id, start, end)).changes.map(({ amount }) => amount);
    assert.deepEqual(await amounts('2026-05-10T00:00:00Z', '2026-05-20T00:00:00Z'), [100]);
    assert.deepEqual(await amounts('2026-05-10T00:00:00.001Z', '2026-05-20T00:00:00.001Z'), [-30]);
    assert.deepEqual(await amounts('2026-05-09T23:59:59.999Z', '2026-05-10T00:00:00Z'), []);
  });

  test('the closing balance of one window is the opening balance of the next', async () => {
    const id = await accountWithHistory();
    const edges = ['2026-01-01T00:00:00Z', '2026-05-10T00:00:00Z', '2026-05-10T00:00:00.001Z', '2026-05-20T00:00:00Z', END, NOW];
    const balances = [];
    for (const [i, start] of edges.slice(0, -1).entries()) balances.push(await readWindow(platform, id, start, edges[i + 1] as string));
    assert.deepEqual(
      balances.map(({ opening }) => opening),
      [0, 0, 100, 100, 70],
    );
    assert.deepEqual(
      balances.map(({ closing }) => closing),
      [0, 100, 100, 70, 75],
    );
  });

  test('an account without any change has a statement of zeros', async () => {
    const id = await history.account();
    assert.deepEqual(await readWindow(platform, id, START, END), { opening: 0, closing: 0, changes: [] });
  });

  test('a hold is no balance change; its posting is, its release is not', async () => {
    const id = await history.account();
    await platform.clock.freeze('2026-05-10T00:00:00Z');
    await history.post(id, 100);
    const [posted, voided] = [await history.hold(id, 30), await history.hold(id, 40)];
    await platform.clock.freeze('2026-05-11T00:00:00Z');
    const held = await readWindow(platform, id, START, '2026-05-11T00:00:00Z');
    assert.deepEqual([held.closing, held.changes.length], [100, 1]);
    await posted('POSTED');
    await voided('VOIDED');
    await platform.clock.freeze(NOW);
    const done = await readWindow(platform, id, '2026-05-11T00:00:00Z', END);
    assert.deepEqual([done.opening, done.closing, done.changes.map(({ amount }) => amount)], [100, 70, [-30]]);
  });

  test('a card purchase is a change of its transaction when it clears, and its return another', async () => {
    await platform.clock.freeze('2026-05-10T00:00:00Z');
    const { card, account } = await fundedCard(platform, 1_000);
    const network = networkOf(platform, card);
    const purchase = await network.authorize(300);
    await platform.clock.freeze('2026-05-11T00:00:00Z');
    await network.clear(purchase, 320);
    const returned = await network.giveBack(purchase, 20);
    await platform.clock.freeze(NOW);
    const read = await readWindow(platform, account.id, START, END);
    assert.deepEqual([read.opening, read.closing], [0, 700]);
    const ofCard = (id: string) => read.changes.filter(({ transactionId }) => transactionId === id);
    assert.equal(sumOf(ofCard(purchase.id)), -320);
    assert.equal(sumOf(ofCard(returned.id)), 20);
    for (const { effectiveAt } of ofCard(purchase.id)) assert.equal(effectiveAt, '2026-05-11T00:00:00.000Z');
  });

  test('a purchase cleared above its hold is one row, and so is each of two partial clearings', async () => {
    await platform.clock.freeze('2026-05-10T00:00:00Z');
    const { card, account } = await fundedCard(platform, 1_000);
    const network = networkOf(platform, card);
    const [above, below] = [await network.authorize(300), await network.authorize(100)];
    await network.clear(above, 320);
    await network.clear(below, 60);
    await network.clear(below, 90);
    await platform.clock.freeze(NOW);
    const { changes, closing: left } = await readWindow(platform, account.id, START, END);
    const ofCard = (id: string) => changes.filter(({ transactionId }) => transactionId === id).map(({ amount }) => amount);
    assert.deepEqual(ofCard(above.id), [-320]);
    assert.deepEqual(ofCard(below.id), [-60, -90]);
    assert.equal(left, 530);
  });

  test('the two sides of a transfer are two changes of one transaction', async () => {
    const [one, two] = [await history.account(), await history.account()];
    const sent = history.between(one, two, 20);
    await platform.clock.freeze('2026-05-10T00:00:00Z');
    await history.post(one, 50);
    await history.move(sent);
    await platform.clock.freeze(NOW);
    const out = (await readWindow(platform, one, START, END)).changes[1];
    const [into] = (await readWindow(platform, two, START, END)).changes;
    assert.deepEqual([out?.amount, into?.amount], [-20, 20]);
    assert.ok(out?.transactionId);
    assert.equal(out?.transactionId, into?.transactionId);
    assert.notEqual(out?.id, into?.id);
  });
});

describe('"money received through a rule-based account appears on its owner\'s statement"', () => {
  /** Sends 1,000 through a rule-based account of a fresh customer; answers the customer's own statement. */
  async function received(rule: Record<string, unknown>) {
    const { own, account } = await ruleBasedAccount(platform, rule);
    await platform.clock.freeze('2026-05-10T00:00:00Z');
    await given(platform).fund(account, 1_000);
    await platform.clock.freeze(NOW);
    assertInvalid(await platform.get(windowPath(account.id, START, END)), 'id');
    return readWindow(platform, own.id, START, END);
  }

  test('when it goes to the owner', async () => {
    const read = await received({});
    assert.deepEqual([read.closing, read.changes.map(({ amount }) => amount)], [1_000, [1_000]]);
  });

  test('and when it is swept to someone else', async () => {
    const destination = await given(platform).fundedAccount('USD', 0);
    const read = await received({ destination });
    assert.deepEqual([read.closing, read.changes.map(({ amount }) => amount)], [0, [1_000, -1_000]]);
    assert.equal((await readWindow(platform, destination.id, START, END)).closing, 1_000);
  });

  test('with the amount after the fee, and no row for the fee', async () => {
    const platformFeeOverride = { platformFixedFee: { amount: 25, currency: 'USD' }, platformVariableFeeBps: 0 };
    const read = await received({ platformFeeOverride });
    assert.deepEqual([read.closing, read.changes.map(({ amount }) => amount)], [975, [975]]);
  });
});

describe('pages', () => {
  test('`limit` is 100 by default, and 1 to 200', async () => {
    const id = await history.account();
    await platform.clock.freeze('2026-05-10T00:00:00Z');
    // 201 changes at one instant: their order is that of their numbers.
    await history.move(...Array.from({ length: 201 }, (_, i) => history.change(id, i + 1)));
    await platform.clock.freeze(NOW);
    const first = await expectStatus(200, platform.get(windowPath(id, START, END)));
    assert.deepEqual([first.data.length, first.hasMore, first.totalCount], [100, true, 201]);
    for (const limit of [1, 7, 100, 200]) {
      const read = await readWindow(platform, id, START, END, limit);
      assert.deepEqual(
        read.changes.map(({ amount }) => amount),
        Array.from({ length: 201 }, (_, i) => i + 1),
      );
    }
    for (const limit of [0, 201, -1, '1.5', 'ten', '']) assertInvalid(await platform.get(windowPath(id, START, END, { limit })), 'limit');
  });

  test('a cursor stays valid with another page size, another spelling of the window, and at any later time', async () => {
    const id = await accountWithHistory();
    const { nextCursor: cursor } = await expectStatus(200, platform.get(windowPath(id, START, END, { limit: 1 })));
    const answers = [
      await platform.get(windowPath(id, START, END, { cursor })),
      await platform.get(windowPath(id, START, END, { cursor, limit: 200 })),
      await platform.get(windowPath(id, '2026-05-01T05:30:00+05:30', '2026-05-31T19:00:00-05:00', { cursor })),
    ];
    await platform.clock.freeze('2036-06-15T12:00:00Z');
    answers.push(await platform.get(windowPath(id, START, END, { cursor })));
    // A clock set back to before the window does not revoke an answer.
    await platform.clock.freeze('2026-05-15T00:00:00Z');
    answers.push(await platform.get(windowPath(id, START, END, { cursor })));
    assertInvalid(await platform.get(windowPath(id, START, END)), 'endDate');
    await platform.clock.freeze(NOW);
    for (const answer of answers) {
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.text, answers[0]?.text);
      assert.deepEqual([answer.body.data[0].amount.amount, answer.body.data.length, answer.body.hasMore], [-30, 1, false]);
    }
  });

  test('a cursor of another account, another window or no cursor at all is refused', async () => {
    const [id, other] = [await accountWithHistory(), await accountWithHistory()];
    const { nextCursor: cursor } = await expectStatus(200, platform.get(windowPath(id, START, END, { limit: 1 })));
    assertInvalid(await platform.get(windowPath(other, START, END, { cursor })), 'cursor');
    assertInvalid(await platform.get(windowPath(id, START, NOW, { cursor })), 'cursor');
    for (const text of ['', 'x', 'bnVsbA', `${cursor}${cursor}`, 'A'.repeat(1025)]) {
      assertInvalid(await platform.get(windowPath(id, START, END, { cursor: text })), 'cursor');
    }
  });
});

describe('400', () => {
  test('INVALID_TIMESTAMP: a boundary that is not a timestamp with offset', async () => {
    const id = await history.account();
    for (const startDate of [
      '2026-05-01T00:00:00',
      '2026-05-01',
      '2026-05-01T00:00:00 00:00',
      '2026-02-30T00:00:00Z',
      '2026-05-01T24:00:00Z',
      '2026-05-01T00:00:60Z',
      '2026-13-01T00:00:00Z',
      '10000-01-01T00:00:00Z',
      '0000-01-01T00:00:00Z',
      // In UTC these are of the years 10000 and 0.
      '9999-12-31T23:59:59-00:01',
      '0001-01-01T00:00:00+00:01',
      '1777593600',
      'yesterday',
      '',
    ]) {
      for (const path of [windowPath(id, startDate, END), windowPath(id, '2020-01-01T00:00:00Z', startDate)]) {
        assertRefused(await platform.get(path), 400, 'INVALID_TIMESTAMP');
      }
    }
  });

  test('INVALID_TIMESTAMP: a + that was not sent as %2B arrives as a space', async () => {
    const id = await history.account();
    const bare = `/internal-accounts/${id}/balance-changes?startDate=2026-05-01T00:00:00+02:00&endDate=2026-06-01T00:00:00Z`;
    assertRefused(await platform.get(bare), 400, 'INVALID_TIMESTAMP');
    await expectStatus(200, platform.get(bare.replace('+', '%2B')));
  });

  test('INVALID_INPUT names missing and unknown parameters', async () => {
    const path = `/internal-accounts/${await history.account()}/balance-changes`;
    assertInvalid(await platform.get(path), 'startDate', 'endDate');
    assertInvalid(await platform.get(`${path}?startDate=${START}`), 'endDate');
    assertInvalid(await platform.get(`${path}?startDate=${START}&endDate=${END}&offset=5`), 'offset');
    assertInvalid(await platform.get(`${path}?startDate=yesterday&endDate=${END}&limit=0`), 'startDate', 'limit');
  });

  test('INVALID_INPUT: an end that is not after the start, or in the future', async () => {
    const id = await history.account();
    await platform.clock.freeze(NOW);
    assertInvalid(await platform.get(windowPath(id, END, END)), 'endDate');
    assertInvalid(await platform.get(windowPath(id, END, START)), 'endDate');
    assertInvalid(await platform.get(windowPath(id, START, '2026-06-15T12:00:00.001Z')), 'endDate');
    await expectStatus(200, platform.get(windowPath(id, START, NOW)));
  });

  for (const [what, type, currency] of [
    ['a rule-based account', 'RULE_BASED', 'USD'],
    ['a bulk settlement account', 'BULK_SETTLEMENT', 'USD'],
    ['an embedded wallet', 'EMBEDDED_WALLET', 'USDB'],
    ['a crypto account', 'INTERNAL_CRYPTO', 'USDC'],
    ['an account in another currency', 'INTERNAL_FIAT', 'EUR'],
  ] as const) {
    test(`INVALID_INPUT: ${what} has no statement of its own`, async () => {
      const id = await history.accountOf(type, currency);
      assertInvalid(await platform.get(windowPath(id, START, END)), 'id');
      assert.deepEqual(await history.receipts(id), []);
    });
  }

  test("INVALID_INPUT: the platform's own account has no statement", async () => {
    assertInvalid(await platform.get(windowPath((await platformAccount(platform)).id, START, END)), 'id');
  });
});

describe('401, 403, 404', () => {
  test("ACCOUNT_NOT_FOUND: unknown, malformed and another platform's id get the same answer", async () => {
    const other = await service.newPlatform();
    await other.clock.freeze(NOW);
    const foreign = await (await historyOf(service, other)).account();
    const answers = await Promise.all(
      [foreign, newId('InternalAccount'), newId('Card'), 'x', '%00', 'InternalAccount:'].map((id) =>
        platform.get(windowPath(id, START, END)),
      ),
    );
    for (const answer of answers) {
      assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
      assert.equal(answer.text, answers[0]?.text);
    }
    await expectStatus(200, other.get(windowPath(foreign, START, END)));
  });

  test('a malformed request is refused before an unknown account', async () => {
    const id = newId('InternalAccount');
    assertRefused(await platform.get(windowPath(id, 'x', END)), 400, 'INVALID_TIMESTAMP');
    assertInvalid(await platform.get(windowPath(id, START, '2999-01-01T00:00:00Z')), 'endDate');
  });

  test('UNAUTHORIZED without credentials', async () => {
    const id = await history.account();
    assertRefused(await service.as('nobody', 'nothing').get(windowPath(id, START, END)), 401, 'UNAUTHORIZED');
  });
});

describe('409 NOT_YET_AVAILABLE', () => {
  test('"A window whose card settlement has not closed is refused; retry after settlement"', async () => {
    const [id, other] = [await history.account(), await history.account()];
    const endDate = '2026-05-31T12:00:00-05:00';
    await platform.clock.freeze('2026-05-31T13:00:00-05:00');
    await history.bindToCard(id);
    await expectStatus(200, platform.get(windowPath(other, START, endDate)));
    const refused = await platform.get(windowPath(id, START, endDate));
    assertRefused(refused, 409, 'NOT_YET_AVAILABLE');
    assert.deepEqual(refused.body.details, { boundaries: ['endDate'], availableAt: '2026-06-01T07:00:00.000Z' });
    assert.deepEqual(await history.receipts(id), []);

    await platform.clock.freeze('2026-06-01T01:59:59.999-05:00');
    assertRefused(await platform.get(windowPath(id, START, endDate)), 409, 'NOT_YET_AVAILABLE');
    await platform.clock.freeze('2026-06-01T02:00:00-05:00');
    await expectStatus(200, platform.get(windowPath(id, START, endDate)));
  });

  test('money that moves inside a refused window is included when the window becomes available', async () => {
    const id = await history.account();
    await history.bindToCard(id);
    await platform.clock.freeze('2026-05-31T13:00:00-05:00');
    assertRefused(await platform.get(windowPath(id, START, '2026-05-31T13:00:00-05:00')), 409, 'NOT_YET_AVAILABLE');
    await platform.clock.freeze('2026-05-31T12:00:00-05:00');
    await history.post(id, 10);
    await platform.clock.freeze(NOW);
    const read = await readWindow(platform, id, START, '2026-05-31T13:00:00-05:00');
    assert.deepEqual(
      read.changes.map(({ amount }) => amount),
      [10],
    );
  });

  test('money that moves after a window does not make it available', async () => {
    const id = await history.account();
    await history.bindToCard(id);
    await platform.clock.freeze('2026-05-31T13:00:00-05:00');
    await history.post(id, 10);
    assertRefused(await platform.get(windowPath(id, START, '2026-05-31T12:00:00-05:00')), 409, 'NOT_YET_AVAILABLE');
  });

  test('a window that was answered stays available after the account funds a card; a longer one is refused until settlement', async () => {
    const id = await history.account();
    await platform.clock.freeze('2026-05-10T00:00:00Z');
    await history.post(id, 10);
    const [startDate, endDate] = ['2026-05-01T00:00:00-05:00', '2026-06-01T00:00:00-05:00'];
    await platform.clock.freeze('2026-06-01T00:30:00-05:00');
    const first = await platform.get(windowPath(id, startDate, endDate));
    assert.equal(first.status, 200);
    await history.bindToCard(id);
    await history.post(id, 5);
    const again = await platform.get(windowPath(id, startDate, endDate));
    assert.deepEqual([again.status, again.text], [200, first.text]);
    await expectStatus(200, platform.get(windowPath(id, startDate, '2026-05-31T12:00:00-05:00')));
    assertRefused(await platform.get(windowPath(id, startDate, '2026-06-01T00:00:00.001-05:00')), 409, 'NOT_YET_AVAILABLE');
  });

  test('an account that "has funded" a card waits for settlement, also when the card is closed', async () => {
    await platform.clock.freeze('2026-05-31T13:00:00-05:00');
    const { card, usd } = await givenCard(platform);
    await expectStatus(200, platform.patch(`/cards/${card.id}`, closing));
    assertRefused(await platform.get(windowPath(usd.id, START, '2026-05-31T12:00:00-05:00')), 409, 'NOT_YET_AVAILABLE');
  });

  test('a month is available two hours after its end', async () => {
    const id = await history.account();
    await history.bindToCard(id);
    const [startDate, endDate] = ['2026-05-01T00:00:00-05:00', '2026-06-01T00:00:00-05:00'];
    await platform.clock.freeze('2026-06-01T01:59:59.999-05:00');
    assertRefused(await platform.get(windowPath(id, startDate, endDate)), 409, 'NOT_YET_AVAILABLE');
    await platform.clock.freeze('2026-06-01T02:00:00-05:00');
    await expectStatus(200, platform.get(windowPath(id, startDate, endDate)));
  });
});

describe('"recorded as fetched only when the window is exactly one calendar month in US Central time"', () => {
  const [startDate, endDate] = ['2026-05-01T00:00:00-05:00', '2026-06-01T00:00:00-05:00'];

  test('when its last page was read; the first time is kept', async () => {
    const id = await accountWithHistory();
    const { nextCursor: cursor } = await expectStatus(200, platform.get(windowPath(id, startDate, endDate, { limit: 1 })));
    assert.deepEqual(await history.receipts(id), []);
    await expectStatus(200, platform.get(windowPath(id, startDate, endDate, { cursor })));
    const fetched = [{ period_start: '2026-05-01', fetched_at: new Date(NOW), delivered_at: null }];
    assert.deepEqual(await history.receipts(id), fetched);
    await platform.clock.freeze('2026-06-16T00:00:00Z');
    await expectStatus(200, platform.get(windowPath(id, startDate, endDate)));
    assert.deepEqual(await history.receipts(id), fetched);
  });

  test('in any spelling of the two instants', async () => {
    const id = await history.account();
    await platform.clock.freeze(NOW);
    await expectStatus(200, platform.get(windowPath(id, '2026-05-01T10:45:00+05:45', '2026-06-01T05:00:00.000000Z')));
    assert.equal((await history.receipts(id))[0]?.period_start, '2026-05-01');
  });

  test('any other window is not recorded', async () => {
    const id = await history.account();
    await platform.clock.freeze(NOW);
    for (const [start, end] of [
      ['2026-05-01T00:00:00Z', '2026-06-01T00:00:00Z'],
      ['2026-05-01T00:00:00-06:00', '2026-06-01T00:00:00-06:00'],
      [startDate, '2026-06-01T00:00:00.001-05:00'],
      [startDate, '2026-05-31T23:59:59.999-05:00'],
      ['2026-04-30T23:59:59.9999-05:00', endDate],
      ['2026-04-01T00:00:00-05:00', endDate],
      [startDate, NOW],
    ] as const) {
      await expectStatus(200, platform.get(windowPath(id, start, end)));
    }
    assert.deepEqual(await history.receipts(id), []);
  });
});

test('a page that does not add up is not issued', async () => {
  const id = await accountWithHistory();
  // No code path can do this: the append-only trigger is disabled.
  await service.db.transaction(async (tx) => {
    // On a cluster, also on the nodes.
    await tx.run(sql`set local citus.propagate_set_commands = 'local'`);
    await tx.run(sql`set local session_replication_role = replica`);
    await tx.run(sql`update entries set balance_after = balance_after + 1 where account_id = ${uuidOf(id)} and number = 1`);
  });
  assertRefused(await platform.get(windowPath(id, START, END)), 500, 'INTERNAL_ERROR');
  assert.deepEqual(await history.receipts(id), []);
});
