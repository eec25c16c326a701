import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closing, givenCard, requestCard } from '../../../support/cards.js';
import { assertInvalid, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';

type Given = Awaited<ReturnType<typeof givenCard>>;

let service: TestService;
let platform: Client;
/** Oldest first. */
let cards: Given[];
before(async () => {
  service = await startTestService();
  platform = service.platform;
  cards = [
    await givenCard(platform),
    await givenCard(platform, { currency: 'USDB' }),
    await givenCard(platform),
    await givenCard(platform),
  ];
  await expectStatus(200, platform.patch(`/cards/${cards[3]?.card.id}`, closing));
});
after(() => service.stop());

const list = async (query = '') =>
  (await expectStatus(200, platform.get(`/cards${query}`))) as { data: { id: string }[]; totalCount: number };
const ids = async (query = '') => (await list(query)).data.map(({ id }) => id);
const idsOf = (...places: number[]) => places.map((place) => cards[place]?.card.id);

test('newest first by default, oldest first with sortOrder=asc', async () => {
  assert.deepEqual(await ids(), idsOf(3, 2, 1, 0));
  assert.deepEqual(await ids('?sortOrder=desc'), idsOf(3, 2, 1, 0));
  assert.deepEqual(await ids('?sortOrder=asc'), idsOf(0, 1, 2, 3));
});

test('filters: customerId, accountId, platformCardId, status, and combinations', async () => {
  const [first, wallet] = cards as [Given, Given];
  assert.deepEqual(await ids(`?customerId=${first.customer.id}`), idsOf(0));
  assert.deepEqual(await ids(`?accountId=${wallet.usdb.id}`), idsOf(1));
  assert.deepEqual(await ids(`?accountId=${wallet.usd.id}`), []);
  assert.deepEqual(await ids(`?platformCardId=${first.card.platformCardId}`), idsOf(0));
  assert.deepEqual(await ids('?status=PENDING'), idsOf(1));
  assert.deepEqual(await ids('?status=CLOSED'), idsOf(3));
  assert.deepEqual(await ids(`?status=CLOSED&customerId=${first.customer.id}`), []);
  assert.deepEqual(await ids('?customerId=nobody'), []);
  assertInvalid(await platform.get('/cards?status=LOST'), 'status');
  assertInvalid(await platform.get('/cards?nonsense=1'), 'nonsense');
});

test('a closed card has no funding source any more, so accountId does not find it', async () => {
  const [, , , closed] = cards as [Given, Given, Given, Given];
  assert.deepEqual(await ids(`?accountId=${closed.usd.id}`), []);
  assert.deepEqual(await ids(`?accountId=${closed.usd.id}&status=CLOSED`), []);
  assert.deepEqual(await ids(`?customerId=${closed.customer.id}`), idsOf(3), 'the cardholder still does');
});

test('each item equals the response of getCardById', async () => {
  for (const item of (await list()).data) assert.deepEqual(item, await expectStatus(200, platform.get(`/cards/${item.id}`)));
});

test('pages contain every card once, in both orders, with totalCount', async () => {
  for (const order of ['asc', 'desc']) {
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await expectStatus(200, platform.get(`/cards?limit=3&sortOrder=${order}${cursor && `&cursor=${cursor}`}`));
      assert.equal(page.totalCount, 4);
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      assert.equal(page.hasMore, page.nextCursor !== undefined);
      if (!page.hasMore) break;
      cursor = page.nextCursor;
    }
    assert.deepEqual(seen, await ids(`?sortOrder=${order}`));
  }
});

test('400: a cursor of another order, filter or platform, or an invalid limit', async () => {
  const { nextCursor } = await expectStatus(200, platform.get('/cards?limit=1'));
  assertInvalid(await platform.get(`/cards?limit=1&sortOrder=asc&cursor=${nextCursor}`), 'cursor');
  assertInvalid(await platform.get(`/cards?limit=1&status=ACTIVE&cursor=${nextCursor}`), 'cursor');
  assertInvalid(await (await service.newPlatform()).get(`/cards?limit=1&cursor=${nextCursor}`), 'cursor');
  for (const limit of [0, 101, 'x']) assertInvalid(await platform.get(`/cards?limit=${limit}`), 'limit');
});

test('a platform sees no cards of another platform', async () => {
  assert.deepEqual((await expectStatus(200, (await service.newPlatform()).get('/cards'))).data, []);
});

test('a card is in the list as soon as its 201 is answered', async () => {
  const { customer, usd } = cards[0] as Given;
  const { id } = await expectStatus(201, requestCard(platform, { customerId: customer.id, fundingSource: usd.id }));
  assert.equal((await ids('?limit=1'))[0], id);
});
