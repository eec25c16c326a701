import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { freezing, givenCard } from '../../../support/cards.js';
import { assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
});
after(() => service.stop());

test('200: every field of the card; fields that do not apply are absent', async () => {
  const { card, customer, usd } = await givenCard(platform, { fields: { maxSpendPerTransaction: 250 } });
  assert.deepEqual(Object.keys(card).sort(), [
    'brand',
    'cardCapabilities',
    'createdAt',
    'currency',
    'customerId',
    'expMonth',
    'expYear',
    'form',
    'fundingSource',
    'id',
    'issuerRef',
    'last4',
    'maxSpendPerDay',
    'maxSpendPerTransaction',
    'maxTransactionsPerDay',
    'pinStatus',
    'platformCardId',
    'processorRef',
    'status',
    'updatedAt',
  ]);
  assert.deepEqual([card.customerId, card.fundingSource, card.form, card.maxSpendPerTransaction], [customer.id, usd.id, 'VIRTUAL', 250]);
});

test('pinStatus: "absent means PIN management is unavailable for the card (not NOT_SET)"', async () => {
  assert.equal((await givenCard(platform)).card.pinStatus, 'NOT_SET');
  assert.equal('pinStatus' in (await givenCard(platform, { program: 'service_basic' })).card, false);
});

test('404: a card id that is unknown, malformed or of another platform; the answers are identical', async () => {
  const other = await service.newPlatform();
  const { card } = await givenCard(other);
  // The owner's request runs concurrently, because one statement may read cards for several platforms.
  const [owners, ...answers] = await Promise.all([
    other.get(`/cards/${card.id}`),
    ...[card.id, `Card:${randomUUID()}`, 'Card:x', `Card:${card.id.slice(5).toUpperCase()}`].map((id) => platform.get(`/cards/${id}`)),
  ]);
  assert.equal(owners?.status, 200);
  for (const answer of answers) assertRefused(answer, 404, 'NOT_FOUND');
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
});

test('"not used for routing": the references of processor and issuer find no card', async () => {
  const { card } = await givenCard(platform);
  for (const reference of [card.processorRef, card.issuerRef, card.platformCardId])
    assertRefused(await platform.get(`/cards/${encodeURIComponent(reference)}`), 404, 'NOT_FOUND');
});

test('reads after the 200 to a change show the changed card', async () => {
  const { card } = await givenCard(platform);
  const frozen = await expectStatus(200, platform.patch(`/cards/${card.id}`, freezing));
  const reads = await Promise.all(Array.from({ length: 20 }, () => expectStatus(200, platform.get(`/cards/${card.id}`))));
  for (const read of reads) assert.deepEqual(read, frozen);
});
