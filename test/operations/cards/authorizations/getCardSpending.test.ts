import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { givenCard } from '../../../support/cards.js';
import { assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = await service.newPlatform();
  await platform.clock.freeze('2031-03-12T15:00:00.000Z');
});
after(() => service.stop());

const spending = (id: string) => expectStatus(200, platform.get(`/cards/${id}/spending`));
const buy = (id: string, amount: number) =>
  expectStatus(
    202,
    platform.post(`/sandbox/cards/${id}/simulate/authorization`, { amount, currency: { code: 'USD' }, merchant: { descriptor: 'SHOP' } }),
  );

test('what was authorized on the UTC day counts, what was declined does not; the lower limits hold; the next day begins at nothing', async () => {
  const { card, usd } = await givenCard(platform, { fields: { maxSpendPerDay: 1_000, maxSpendPerTransaction: 700 } });
  await given(platform).fund(usd, 100_000);
  await expectStatus(200, platform.patch('/config', { cardConfigs: { maxSpendPerDay: 5_000, maxTransactionsPerDay: 3 } }));
  const limits = { maxSpendPerTransaction: 700, maxSpendPerDay: 1_000, maxTransactionsPerDay: 3 };
  const { currency } = (await spending(card.id)).spent;
  assert.equal(currency.code, 'USD');
  const of = (day: string, amount: number, purchases: number) => ({ day, spent: { amount, currency }, purchases, limits });
  assert.deepEqual(await spending(card.id), of('2031-03-12', 0, 0));
  await buy(card.id, 600);
  await buy(card.id, 701);
  await buy(card.id, 401);
  assert.deepEqual(await spending(card.id), of('2031-03-12', 600, 1));
  await buy(card.id, 400);
  assert.deepEqual(await spending(card.id), of('2031-03-12', 1_000, 2));
  await platform.clock.freeze('2031-03-13T00:00:00.000Z');
  assert.deepEqual(await spending(card.id), of('2031-03-13', 0, 0));
});

test('404: a card that is unknown, malformed or of another platform; the answers are identical', async () => {
  const { card } = await givenCard(service.platform);
  const answers = await Promise.all([card.id, `Card:${randomUUID()}`, 'Card:x'].map((id) => platform.get(`/cards/${id}/spending`)));
  for (const answer of answers) assertRefused(answer, 404, 'NOT_FOUND');
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
});
