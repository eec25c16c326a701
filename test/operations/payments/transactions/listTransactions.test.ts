// getTransactionById and listTransactions: filters, pages and order.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { fundedCard, networkOf } from '../../../support/card-transactions.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape of responses is checked against the document.
type Resource = any;

let service: TestService;
let platform: Client;
let first: Resource;
let second: Resource;
/** Oldest first: three purchases a day apart, one of another card, a return. */
let rows: { purchase: Resource; declined: Resource; third: Resource; others: Resource; returned: Resource };

before(async () => {
  service = await startTestService({ RATE_LIMIT_PER_MINUTE: 'off' });
  platform = service.platform;
  await platform.clock.freeze('2030-05-01T12:00:00.000Z');
  first = await fundedCard(platform, 1_000);
  second = await fundedCard(platform, 1_000);
  const network = networkOf(platform, first.card);
  const bought = await network.authorize(100);
  await platform.clock.set('2030-05-02T12:00:00.000Z');
  const declined = await network.authorize(5_000);
  await platform.clock.set('2030-05-03T12:00:00.000Z');
  const third = await network.authorize(300);
  const others = await networkOf(platform, second.card).authorize(50);
  await network.clear(bought, 100);
  const returned = await network.giveBack(bought, 40);
  rows = { purchase: await network.read(bought.id), declined, third, others, returned };
});
after(() => service.stop());

const list = (query: string): Promise<Resource> => expectStatus(200, platform.get(`/transactions?${query}`));
const NAMES = ['purchase', 'declined', 'third', 'others', 'returned'] as const;
const listed = async (query: string): Promise<string[]> =>
  (await list(query)).data.map(({ id }: Resource) => NAMES.find((name) => rows[name].id === id) ?? id);

describe('getTransactionById', () => {
  test('200: the transaction as in the list', async () => {
    const { data } = await list('limit=100');
    for (const row of data) assert.deepEqual(await expectStatus(200, platform.get(`/transactions/${row.id}`)), row);
  });

  test('404: a transaction id that is unknown, malformed or of another platform; the answers are identical', async () => {
    const other = await service.newPlatform();
    const answers = await Promise.all([
      other.get(`/transactions/${rows.purchase.id}`),
      ...[`Transaction:${randomUUID()}`, 'Transaction:x', rows.purchase.id.slice(12)].map((id) => platform.get(`/transactions/${id}`)),
    ]);
    for (const answer of answers) assertRefused(answer, 404, 'TRANSACTION_NOT_FOUND');
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  });
});

describe('listTransactions', () => {
  test('newest first by default, oldest first with sortOrder=asc', async () => {
    assert.deepEqual(await listed(''), [...NAMES].reverse());
    assert.deepEqual(await listed('sortOrder=desc'), [...NAMES].reverse());
    assert.deepEqual(await listed('sortOrder=asc'), NAMES);
  });

  test('each filter alone', async () => {
    const { card, customer, account } = first;
    const ofFirst = ['purchase', 'declined', 'third', 'returned'];
    const filters: Record<string, readonly string[]> = {
      'type=CARD': NAMES,
      'type=INCOMING': [],
      'type=OUTGOING': [],
      [`cardId=${card.id}`]: ofFirst,
      [`customerId=${customer.id}`]: ofFirst,
      [`platformCustomerId=${customer.platformCustomerId}`]: ofFirst,
      [`accountIdentifier=${account.id}`]: ofFirst,
      [`senderAccountIdentifier=${account.id}`]: ['purchase', 'declined', 'third'],
      [`receiverAccountIdentifier=${account.id}`]: ['returned'],
      [`reference=${rows.third.issuerTransactionToken}`]: ['third'],
      'startDate=2030-05-02T12:00:00.000Z': ['declined', 'third', 'others', 'returned'],
      'startDate=2030-05-02T12:00:00.001Z': ['third', 'others', 'returned'],
      'endDate=2030-05-02T12:00:00.000Z': ['purchase', 'declined'],
      'endDate=2030-05-02T11:59:59.999Z': ['purchase'],
      'startDate=2030-05-02T14:00:00%2B02:00&endDate=2030-05-02T12:00:00Z': ['declined'],
      'status=COMPLETED': [],
    };
    for (const [query, names] of Object.entries(filters)) assert.deepEqual(await listed(`sortOrder=asc&${query}`), names, query);
  });

  test('several filters must all match; unknown and malformed ids match nothing', async () => {
    assert.deepEqual(await listed(`cardId=${first.card.id}&startDate=2030-05-03T00:00:00Z&type=CARD`), ['returned', 'third']);
    assert.deepEqual(await listed(`cardId=${first.card.id}&customerId=${second.customer.id}`), []);
    const names = ['cardId', 'customerId', 'platformCustomerId', 'reference'];
    const accounts = ['accountIdentifier', 'senderAccountIdentifier', 'receiverAccountIdentifier'];
    for (const query of [`cardId=Card:${randomUUID()}`, ...[...names, ...accounts].flatMap((name) => [`${name}=x`, `${name}=`])])
      assert.deepEqual(await list(query), { data: [], hasMore: false, totalCount: 0 }, query);
  });

  test('pages contain every transaction once, in both orders, with totalCount', async () => {
    for (const order of ['asc', 'desc']) {
      const seen: string[] = [];
      for (let cursor = ''; ; ) {
        const page = await list(`limit=2&sortOrder=${order}${cursor}`);
        seen.push(...page.data.map(({ id }: Resource) => id));
        assert.equal(page.totalCount, 5);
        if (!page.hasMore) break;
        cursor = `&cursor=${page.nextCursor}`;
      }
      const ids = NAMES.map((name) => rows[name].id);
      assert.deepEqual(seen, order === 'asc' ? ids : ids.reverse());
    }
  });

  test('400: a cursor of another list, a limit out of range, "status" with type=CARD or cardId, an invalid date or order', async () => {
    const { nextCursor } = await list('limit=2');
    for (const query of [`limit=2&sortOrder=asc&cursor=${nextCursor}`, `cardId=${first.card.id}&cursor=${nextCursor}`, 'cursor=x'])
      assertInvalid(await platform.get(`/transactions?${query}`), 'cursor');
    assertInvalid(await (await service.newPlatform()).get(`/transactions?limit=2&cursor=${nextCursor}`), 'cursor');
    for (const limit of [0, 101, 'x']) assertInvalid(await platform.get(`/transactions?limit=${limit}`), 'limit');
    for (const query of ['type=CARD&status=COMPLETED', `cardId=${first.card.id}&status=COMPLETED`])
      assertInvalid(await platform.get(`/transactions?${query}`), 'status');
    assertInvalid(await platform.get('/transactions?startDate=yesterday'), 'startDate');
    assertInvalid(await platform.get('/transactions?sortOrder=up'), 'sortOrder');
  });

  test('a platform sees no transactions of another platform', async () => {
    const other = await service.newPlatform();
    for (const query of [
      '',
      `cardId=${first.card.id}`,
      `customerId=${first.customer.id}`,
      `reference=${rows.third.issuerTransactionToken}`,
    ])
      assert.deepEqual((await expectStatus(200, other.get(`/transactions?${query}`))).data, [], query);
  });
});
