// getTransactionById and listTransactions: filters, pages and order.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { fundedCard, networkOf } from '../../../support/card-transactions.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { quoting } from '../../../support/quotes.js';
import { startTestService, type TestService } from '../../../support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape of responses is checked against the document.
type Resource = any;

let service: TestService;
let platform: Client;
let first: Resource;
let second: Resource;
/** Oldest first: the deposits of two cards, three purchases a day apart, one of another card, a return, a quote and a payment between the customers. */
const NAMES = ['deposit', 'second', 'purchase', 'declined', 'third', 'others', 'returned', 'quoted', 'sent', 'received'] as const;
const CARD: readonly string[] = ['purchase', 'declined', 'third', 'others', 'returned'];
let rows: Record<(typeof NAMES)[number], Resource>;

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
  const { data: deposits } = await expectStatus(200, platform.get('/transactions?type=INCOMING&sortOrder=asc'));
  const build = quoting(platform);
  const quote = () => build.quote(build.request(first.account, second.account, 100));
  const quoted = await quote();
  const executed = await build.execute(await quote());
  const sent = await build.transaction(executed);
  const { data: arrived } = await expectStatus(
    200,
    platform.get(`/transactions?senderAccountIdentifier=${first.account.id}&type=INCOMING`),
  );
  rows = {
    deposit: deposits[0],
    second: deposits[1],
    purchase: await network.read(bought.id),
    declined,
    third,
    others,
    returned,
    quoted: await build.transaction(quoted),
    sent,
    received: arrived[0],
  };
});
after(() => service.stop());

const list = (query: string): Promise<Resource> => expectStatus(200, platform.get(`/transactions?${query}`));
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
    const ofCard = ['purchase', 'declined', 'third', 'returned'];
    const ofFirst = ['deposit', ...ofCard, 'quoted', 'sent'];
    const payments = NAMES.filter((name) => !CARD.includes(name));
    const filters: Record<string, readonly string[]> = {
      'type=CARD': CARD,
      'type=INCOMING': ['deposit', 'second', 'received'],
      'type=OUTGOING': ['quoted', 'sent'],
      [`cardId=${card.id}`]: ofCard,
      [`customerId=${customer.id}`]: ofFirst,
      [`platformCustomerId=${customer.platformCustomerId}`]: ofFirst,
      [`accountIdentifier=${account.id}`]: [...ofFirst, 'received'],
      [`senderAccountIdentifier=${account.id}`]: ['purchase', 'declined', 'third', 'quoted', 'sent', 'received'],
      [`receiverAccountIdentifier=${account.id}`]: ['deposit', 'returned'],
      [`reference=${rows.sent.reconciliationInstructions.reference}`]: ['sent'],
      [`reference=${rows.third.issuerTransactionToken}`]: ['third'],
      'startDate=2030-05-02T12:00:00.000Z': ['declined', 'third', 'others', 'returned', 'quoted', 'sent', 'received'],
      'startDate=2030-05-02T12:00:00.001Z': ['third', 'others', 'returned', 'quoted', 'sent', 'received'],
      'endDate=2030-05-02T12:00:00.000Z': ['deposit', 'second', 'purchase', 'declined'],
      'endDate=2030-05-02T11:59:59.999Z': ['deposit', 'second', 'purchase'],
      'startDate=2030-05-02T14:00:00%2B02:00&endDate=2030-05-02T12:00:00Z': ['declined'],
      'status=COMPLETED': payments.filter((name) => name !== 'quoted'),
      'status=PENDING': ['quoted'],
      'status=REFUNDED': [],
      'status=PENDING&type=INCOMING': [],
      'status=COMPLETED&type=OUTGOING': ['sent'],
    };
    for (const [query, names] of Object.entries(filters)) assert.deepEqual(await listed(`sortOrder=asc&${query}`), names, query);
  });

  test("dates are those of the platform's clock, wherever it was: ahead, behind, standing still, running, reset and restored", async () => {
    const own = await service.newPlatform();
    const build = quoting(own);
    const deposit = async (): Promise<Resource> => {
      const account = await build.fundedAccount('USD', 100);
      return (await expectStatus(200, own.get(`/transactions?accountIdentifier=${account.id}`))).data[0];
    };
    const between = async (from: string | Date, to: string | Date): Promise<string[]> => {
      const [startDate, endDate] = [from, to].map((at) => new Date(at).toISOString());
      return (await expectStatus(200, own.get(`/transactions?startDate=${startDate}&endDate=${endDate}`))).data.map(
        ({ id }: Resource) => id,
      );
    };
    const around = (row: Resource): [Date, Date] => {
      const at = Date.parse(row.createdAt);
      return [new Date(at - 1), new Date(at + 1)];
    };
    const made: Resource[] = [await deposit()];
    for (const at of ['2040-01-01T00:00:00Z', '1999-01-01T00:00:00Z']) {
      await own.clock.freeze(at);
      made.push(await deposit());
      await own.clock.resume();
      await own.clock.advance(3_600_000);
      made.push(await deposit());
    }
    for (const row of made) assert.deepEqual(await between(...around(row)), [row.id]);
    assert.deepEqual(await between('2039-12-31T23:00:00Z', '2040-01-02T00:00:00Z'), [made[2].id, made[1].id]);
    assert.deepEqual(await between('1971-01-01T00:00:00Z', '2041-01-01T00:00:00Z'), made.map(({ id }) => id).reverse());

    await expectStatus(201, own.post('/sandbox/snapshots', { name: 'moved' }));
    await expectStatus(200, own.post('/sandbox/reset', { name: own.tokenId }));
    const later = await deposit();
    assert.deepEqual(await between(...around(later)), [later.id]);
    await expectStatus(200, own.post('/sandbox/snapshots/moved/restore'));
    for (const row of made) assert.deepEqual(await between(...around(row)), [row.id]);
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
        assert.equal(page.totalCount, NAMES.length);
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

  test('"At expiresAt it is over, whether or not the expiry job has run": the filter of the status says what the rows show', async () => {
    const idle = await startTestService({ ROLE: 'api' });
    try {
      const own = idle.platform;
      await own.clock.freeze('2030-05-01T12:00:00.000Z');
      const build = quoting(own);
      const [from, to] = [await build.fundedAccount('USD', 1_000), await build.fundedAccount('USD', 1_000)];
      const quoted = async () => (await build.quote(build.request(from, to, 100))).transactionId;
      const [lapsed, waiting, swept] = [await quoted(), await quoted(), await quoted()];
      const lapse = (id: string, at: string) =>
        idle.db.run(sql`update payments set expires_at = ${new Date(at)} where id = ${id.slice('Transaction:'.length)}`);
      await lapse(swept, '2030-05-01T12:00:01.000Z');
      await own.clock.set('2030-05-01T12:00:01.000Z');
      await lapse(lapsed, '2030-05-01T12:00:01.000Z');
      await lapse(waiting, '2030-05-01T12:00:01.001Z');
      const filters = [
        '',
        'type=OUTGOING',
        `customerId=${from.customerId}`,
        `accountIdentifier=${from.id}`,
        `receiverAccountIdentifier=${to.id}`,
      ];
      for (const filter of filters)
        for (const [status, ids] of [
          ['PENDING', [waiting]],
          ['EXPIRED', [swept, lapsed]],
        ] as const)
          for (const [order, expected] of [
            ['desc', ids],
            ['asc', [...ids].reverse()],
          ] as const) {
            const query = `status=${status}&sortOrder=${order}&${filter}`;
            const { data } = await expectStatus(200, own.get(`/transactions?${query}`));
            assert.deepEqual(
              data.map(({ id }: Resource) => id),
              expected,
              query,
            );
            assert.ok(
              data.every((row: Resource) => row.status === status),
              query,
            );
            const { totalCount } = await expectStatus(200, own.get(`/transactions?limit=1&${query}`));
            assert.equal(totalCount, ids.length, query);
          }
      assert.deepEqual((await expectStatus(200, own.get('/transactions?type=INCOMING&status=EXPIRED'))).data, []);
    } finally {
      await idle.stop();
    }
  });

  test("the platform's own payments are found by its id, in both filters of a customer", async () => {
    const own = await service.newPlatform();
    const build = quoting(own);
    await build.fund(await build.platformAccount('USD'), 500);
    await build.fundedAccount('USD', 100);
    const { data } = await expectStatus(200, own.get('/transactions?sortOrder=asc'));
    assert.equal(data.length, 2);
    assert.match(data[0].customerId, /^Platform:/);
    for (const filter of ['customerId', 'platformCustomerId'])
      assert.deepEqual((await expectStatus(200, own.get(`/transactions?${filter}=${data[0].customerId}`))).data, [data[0]]);
    assert.deepEqual((await expectStatus(200, platform.get(`/transactions?customerId=${data[0].customerId}`))).data, []);
  });

  test('rows that appear while paging are neither lost nor doubled', async () => {
    const other = await service.newPlatform();
    const build = quoting(other);
    const account = await build.fundedAccount('USD', 100);
    for (let i = 0; i < 6; i += 1) await build.fund(account, 100);
    const before = (await expectStatus(200, other.get('/transactions?limit=100'))).data.map(({ id }: Resource) => id);
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await expectStatus(200, other.get(`/transactions?limit=2${cursor}`));
      seen.push(...page.data.map(({ id }: Resource) => id));
      await build.fund(account, 100);
      if (!page.hasMore) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    assert.deepEqual(seen, before);
  });

  test('totalCount is exact up to 1,000 with a filter, and absent above', async () => {
    const other = await service.newPlatform();
    const build = quoting(other);
    const account = await build.fundedAccount('USD', 100);
    const count = async (query: string) => (await expectStatus(200, other.get(`/transactions?limit=2&${query}`))).totalCount;
    const copies = (n: number) =>
      service.db.run(sql`
        insert into payments select (r).* from (
          select json_populate_record(p, json_build_object('id', gen_random_uuid())) as r
          from payments p, generate_series(1, ${n}) where p.customer_id = ${account.customerId.slice('Customer:'.length)}) copied`);
    await copies(999);
    for (const query of ['type=INCOMING', 'status=COMPLETED', `customerId=${account.customerId}`, `accountIdentifier=${account.id}`])
      assert.equal(await count(query), 1_000, query);
    await copies(1);
    for (const query of ['type=INCOMING', 'status=COMPLETED', `customerId=${account.customerId}`, `accountIdentifier=${account.id}`])
      assert.equal(await count(query), undefined, query);
    assert.equal(await count(''), 2_000);
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
