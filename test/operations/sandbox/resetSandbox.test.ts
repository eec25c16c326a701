import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Sql, sql } from '../../../src/db/sql.js';
import { uuidOf } from '../../../src/kernel/ids.js';
import { kinds, worldOf } from '../../prove/objects.js';
import { givenCard } from '../../support/cards.js';
import { assertInvalid, assertRefused, expectStatus } from '../../support/client.js';
import { given } from '../../support/given.js';
import { dataOf } from '../../support/platform-data.js';
import { platformNameOf } from '../../support/platform-name.js';
import { race } from '../../support/race.js';
import { startOwnService, startTestService, type TestService } from '../../support/service.js';
import { cardEvent, givenEndpoint, platformIdOf, tell } from '../../support/webhooks/platform.js';

let service: TestService;
before(async () => {
  // Without a worker, so that nothing changes rows between two looks.
  service = await startOwnService({ ROLE: 'api' });
});
after(() => service.stop());

const reset = async (client = service.platform) => expectStatus(200, client.post('/sandbox/reset', { name: await platformNameOf(client) }));

test('"tokens, configuration and endpoint stay, everything else goes, the clock runs again", and no other platform is touched', async (t) => {
  const [platform, other] = [await service.newPlatform(), await service.newPlatform()];
  const receiver = await givenEndpoint(platform);
  t.after(() => receiver.close());
  for (const client of [platform, other]) for (const kind of kinds) await worldOf(client, { service, receiver }).id(kind);
  await platform.clock.freeze('2031-05-01T00:00:00.000Z');
  const tokens = await expectStatus(200, platform.get('/tokens'));
  const config = await expectStatus(200, platform.get('/config'));
  const others = await dataOf(service.db, await platformIdOf(service, other));

  const { deletedRows } = await reset(platform);

  assert.ok(deletedRows > 100);
  assert.deepEqual((await expectStatus(200, platform.get('/tokens'))).data, tokens.data);
  assert.deepEqual(await expectStatus(200, platform.get('/config')), config);
  for (const list of ['/customers', '/cards', '/transactions', '/customers/external-accounts', '/documents', '/verifications'])
    assert.deepEqual((await expectStatus(200, platform.get(list))).data, [], list);
  const { data } = await expectStatus(200, platform.get('/platform/internal-accounts'));
  assert.deepEqual(
    data.map((account: { balance: { amount: number } }) => account.balance.amount),
    data.map(() => 0),
  );
  const clock = await expectStatus(200, platform.get('/sandbox/clock'));
  assert.equal(clock.frozen, false);
  assert.ok(Math.abs(Date.parse(clock.now) - Date.now()) < 60_000, 'the clock shows the real time');
  assert.deepEqual(await dataOf(service.db, await platformIdOf(service, other)), others);
});

test('a platform that was reset works like a new one', async () => {
  const platform = await service.newPlatform();
  await givenCard(platform);
  await reset(platform);
  const { card, usd } = await givenCard(platform);
  await given(platform).fund(usd, 1_000);
  const purchase = { amount: 500, currency: { code: 'USD' }, merchant: { descriptor: 'CORNER SHOP' } };
  await expectStatus(202, platform.post(`/sandbox/cards/${card.id}/simulate/authorization`, purchase));
  const { data } = await expectStatus(200, platform.get(`/transactions?cardId=${card.id}`));
  assert.equal(data[0].status, 'AUTHORIZED');
});

test('400: another name than that of the platform changes nothing and tells the right name', async () => {
  const platform = await service.newPlatform();
  const customer = await given(platform).customer();
  const answer = await platform.post('/sandbox/reset', { name: 'Production' });
  assertInvalid(answer, 'name');
  assert.match(answer.body.details.errors[0].message, new RegExp(platform.tokenId));
  await expectStatus(200, platform.get(`/customers/${customer.id}`));
});

test('append-only tables stay append-only for everybody else, before, during and after a reset', async () => {
  const platform = await service.newPlatform();
  await given(platform).fundedAccount('USD', 100);
  const id = uuidOf(await platformIdOf(service, platform));
  const forbidden = () => service.db.run(sql`delete from entries where platform_id = ${id}`);
  await assert.rejects(forbidden(), /append-only/);
  await reset(platform);
  await given(platform).fundedAccount('USD', 100);
  await assert.rejects(forbidden(), /append-only/);
  // The other platform of a statement is not let through with the one that is emptied.
  const other = await service.newPlatform();
  await given(other).fundedAccount('USD', 100);
  const both = [id, uuidOf(await platformIdOf(service, other))];
  await assert.rejects(
    service.db.transaction(async (tx) => {
      tx.send(sql`insert into emptied_platforms (platform_id) values (${id})`);
      await tx.run(sql`delete from entries where platform_id = any(${both}::uuid[])`);
    }),
    /append-only/,
  );
  // Naming the platform is not enough where its mode is live.
  await assert.rejects(
    service.db.transaction(async (tx) => {
      tx.send(sql`update platforms set mode = 'live' where id = ${id}`);
      tx.send(sql`insert into emptied_platforms (platform_id) values (${id})`);
      await tx.run(sql`delete from entries where platform_id = ${id}`);
    }),
    /append-only/,
  );
});

test('the tables that refuse deletions', async () => {
  const rows = await service.db.many<{ name: string }>(sql`
    select tgrelid::regclass::text as name from pg_trigger where tgfoid = 'refuse_deletion'::regproc and (tgtype & 1) = 0 order by 1`);
  assert.deepEqual(
    rows.map(({ name }) => name),
    [
      ...['card_history', 'document_downloads', 'entries', 'ownership_proofs', 'quotes', 'statement_receipts', 'transfers'],
      ...['wallet_activities', 'webhook_events'],
    ],
    'each looks once per statement',
  );
});

test('requests in progress end first, none fails, and nothing is left of them', async () => {
  const platform = await service.newPlatform();
  const name = await platformNameOf(platform);
  const cards = await Promise.all(Array.from({ length: 8 }, () => givenCard(platform)));
  for (const { usd } of cards) await given(platform).fund(usd, 100_000);
  const purchase = { amount: 5, currency: { code: 'USD' }, merchant: { descriptor: 'CORNER SHOP' } };
  const answers = await Promise.all([
    ...cards.flatMap(({ card, usd, customer }) =>
      Array.from({ length: 6 }, () => [
        platform.post(`/sandbox/cards/${card.id}/simulate/authorization`, purchase),
        platform.post(`/sandbox/internal-accounts/${usd.id}/fund`, { amount: 1 }),
        platform.patch(`/customers/${customer.id}`, { fullName: 'Grace Hopper' }),
      ]).flat(),
    ),
    platform.post('/sandbox/reset', { name }),
  ]);
  assert.deepEqual(
    [...new Set(answers.map(({ status }) => status))].filter((status) => status >= 500),
    [],
  );
  const id = await platformIdOf(service, platform);
  const { customers, cards: left, card_transactions, entries, transfers, holds } = await dataOf(service.db, id);
  assert.deepEqual(
    { customers, left, card_transactions, entries, transfers, holds },
    {
      customers: undefined,
      left: undefined,
      card_transactions: undefined,
      entries: undefined,
      transfers: undefined,
      holds: undefined,
    },
  );
});

test('"refused while requests of that platform are in flight for longer than a bounded wait": reset and restore change nothing', async () => {
  const [one, two] = [await service.newPlatform(), await service.newPlatform()];
  const customers = [await given(one).customer(), await given(two).customer()];
  const platforms = [uuidOf(await platformIdOf(service, one)), uuidOf(await platformIdOf(service, two))];
  await expectStatus(201, two.post('/sandbox/snapshots', { name: 'before' }));
  const name = await platformNameOf(one);
  // What requests in progress hold.
  await service.db.transaction(async (tx) => {
    for (const [i, { id }] of customers.entries())
      await tx.run(sql`select from customers where platform_id = ${platforms[i]} and id = ${uuidOf(id)} for update`);
    const answers = await Promise.all([one.post('/sandbox/reset', { name }), two.post('/sandbox/snapshots/before/restore')]);
    for (const answer of answers) assertRefused(answer, 503, 'SERVICE_UNAVAILABLE');
  });
  await expectStatus(200, one.get(`/customers/${customers[0].id}`));
  await reset(one);
  await expectStatus(200, two.post('/sandbox/snapshots/before/restore'));
});

test('"one event in the operator\'s log says so"', async () => {
  const platform = await service.newPlatform();
  const platformId = await platformIdOf(service, platform);
  await reset(platform);
  const lines = service.logged.map((line) => JSON.parse(line)).filter((line) => line.platformId === platformId && /reset/.test(line.msg));
  assert.equal(lines.length, 1);
  const { data } = await expectStatus(200, platform.get('/tokens'));
  assert.equal(lines[0].tokenId, data[0].id);
});

race('two resets at once: both are answered', async () => {
  const platform = await service.newPlatform();
  const name = await platformNameOf(platform);
  await given(platform).fundedAccount('USD', 100);
  const answers = await Promise.all([1, 2, 3].map(() => platform.post('/sandbox/reset', { name })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  const [row] = await service.db.many<{ count: bigint }>(new Sql('select count(*) from emptied_platforms', []));
  assert.equal(row?.count, 0n);
});

test('a webhook that fails after the reset of its event is not tried again, and leaves nothing', async (t) => {
  const withWorker = await startTestService();
  t.after(() => withWorker.stop());
  const platform = await withWorker.newPlatform();
  let answer: (status: number) => void = () => {};
  const held = new Promise<number>((resolve) => {
    answer = resolve;
  });
  let isHeld = false;
  const receiver = await givenEndpoint(platform, { reply: () => (isHeld ? held : 200) });
  t.after(() => receiver.close());
  isHeld = true;
  await tell(withWorker, platform, cardEvent());
  while (receiver.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));

  await reset(platform);
  answer(500);

  // What is written of an attempt is written at once; an advance would wait for what is still due.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const { webhook_attempts, webhook_deliveries } = await dataOf(withWorker.db, await platformIdOf(withWorker, platform));
  assert.deepEqual({ webhook_attempts, webhook_deliveries }, { webhook_attempts: undefined, webhook_deliveries: undefined });
  const { due } = await expectStatus(200, platform.get('/sandbox/clock'));
  assert.deepEqual(due, []);
});

test('403 FORBIDDEN without MANAGE', async () => {
  const platform = await service.newPlatform();
  const token = await expectStatus(201, platform.post('/tokens', { name: 'reader', permissions: ['VIEW', 'TRANSACT'] }));
  assertRefused(await service.as(token.clientId, token.clientSecret).post('/sandbox/reset', { name: 'x' }), 403, 'FORBIDDEN');
});
