// An issuer that takes its time to answer changes of cards, while authorizations must be decided.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { idOf } from '../../../../src/kernel/ids.js';
import { issuerOf } from '../../../support/card-transactions.js';
import { freezing, givenHolder, placeCard } from '../../../support/cards.js';
import { type Client, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { issuerKeyOf } from '../../../support/issuer.js';
import { startOwnService, type TestService } from '../../../support/service.js';

const PATCHES = 50;
const CONNECTIONS = 10;

let service: TestService;
let platform: Client;

/** Cards whose change has reached the issuer. It answers when the test lets it. */
const instructed: string[] = [];
let answerAll = () => {};
let whenBusy: Promise<void>;

before(async () => {
  const answer = new Promise<void>((resolve) => {
    answerAll = resolve;
  });
  let isBusy = () => {};
  whenBusy = new Promise((resolve) => {
    isBusy = resolve;
  });
  const instruct = async ({ card }: { readonly card: { readonly id: string } }) => {
    instructed.push(card.id);
    if (instructed.length === CONNECTIONS) isBusy();
    await answer;
  };
  const env = {
    DATABASE_POOL_SIZE: String(CONNECTIONS),
    DATABASE_LOCK_TIMEOUT_MS: '30000',
    RATE_LIMIT_PER_MINUTE: 'off',
    PLATFORM_CONCURRENCY: 'off',
  };
  service = await startOwnService(env, ({ issuer }) => ({ issuer: { ...issuer, instruct } }));
  platform = service.platform;
});
after(async () => {
  answerAll();
  await service.stop();
});

test('50 changes of cards that wait for the issuer hold every connection, and decisions go through meanwhile', async () => {
  const holder = await givenHolder(platform, service.db);
  await given(platform).fund({ id: idOf('InternalAccount', holder.accounts.USD) }, 1_000_000);
  const place = () => placeCard(service.db, holder, { status: 'ACTIVE', funding: 'USD', hasKey: false, program: 'service_full' });
  const cards: string[] = [];
  for (let i = 0; i < PATCHES; i += 1) cards.push(await place());

  // Made beforehand: creating a credential needs one of the connections that the changes will hold.
  await issuerKeyOf(platform);
  let answered = 0;
  const patches = cards.map((id) => platform.patch(`/cards/${id}`, freezing).finally(() => (answered += 1)));
  await whenBusy;
  const decide = (id: string) => expectStatus(200, issuerOf(platform, { id }).ask({ amount: 1 }));
  // Decisions about cards that are being changed wait for the change. However many wait, they hold up no other card.
  const waiting = instructed.map(decide);
  const free = cards.filter((id) => !instructed.includes(id));
  assert.equal(free.length, PATCHES - CONNECTIONS);
  for (let round = 0; round < 3; round += 1)
    for (const { decision } of await Promise.all(free.map(decide))) assert.equal(decision, 'APPROVED');
  assert.equal(answered, 0, 'every PATCH is still pending');

  answerAll();
  for (const patch of patches) assert.equal((await patch).status, 200);
  for (const { declinedReason } of await Promise.all(waiting)) assert.equal(declinedReason, 'CARD_NOT_ACTIVE');
});
