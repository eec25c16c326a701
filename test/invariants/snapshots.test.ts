// Snapshots over random histories: whatever happened before and after, a restore brings every row back.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { randomOf } from '../prove/random.js';
import { type Client, expectStatus } from '../support/client.js';
import { given } from '../support/given.js';
import { dataOf } from '../support/platform-data.js';
import { platformNameOf } from '../support/platform-name.js';
import { quoting } from '../support/quotes.js';
import { startOwnService, type TestService } from '../support/service.js';
import { platformIdOf } from '../support/webhooks/platform.js';

const HISTORIES = Number(process.env['SNAPSHOT_HISTORIES'] ?? 2);
const STEPS = 14;

let service: TestService;
before(async () => {
  // Without a worker, so that nothing changes rows between two looks.
  service = await startOwnService({ ROLE: 'api' });
});
after(() => service.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely.
type Resource = any;

/** What has been made so far. A restore takes it back with the data. */
type Made = { accounts: Resource[]; cards: string[] };

const cardOf = async (client: Client, account: Resource): Promise<string> => {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const order = { customerId: account.customerId, form: 'VIRTUAL', fundingSource: account.id };
  return (await expectStatus(201, client.post('/cards', order, { headers }))).id;
};

/** Refused where the account has too little, and no less a part of a history. */
const quote = async (client: Client, from: Resource): Promise<string> => {
  const payee = await quoting(client).usd({ id: from.customerId });
  const { body } = await client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: from.id },
    destination: { destinationType: 'ACCOUNT', accountId: payee.id },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 100,
  });
  return body.id;
};

for (let history = 1; history <= HISTORIES; history += 1)
  test(`"dump before equals dump after" over a random history, ${history}`, async (t) => {
    const seed = process.env['SNAPSHOT_SEED'] ?? `history ${history}`;
    t.diagnostic(`SNAPSHOT_SEED=${seed}`);
    const random = randomOf(seed);
    const client = await service.newPlatform();
    const dump = async () => dataOf(service.db, await platformIdOf(service, client));
    let made: Made = { accounts: [await given(client).fundedAccount('USD', 100_000)], cards: [] };
    const account = () => random.pick(made.accounts);

    const purchase = async (card: string) => {
      const body = { amount: random.int(1, 3_000), currency: { code: 'USD' }, merchant: { descriptor: 'CORNER SHOP' } };
      await expectStatus(202, client.post(`/sandbox/cards/${card}/simulate/authorization`, body));
      const { data } = await expectStatus(200, client.get(`/transactions?cardId=${card}&limit=1`));
      if (data[0]?.status === 'AUTHORIZED' && random.chance(0.5))
        await client.post(`/sandbox/cards/${card}/simulate/clearing`, { cardTransactionId: data[0].id, amount: body.amount });
    };
    const steps: readonly (() => Promise<unknown>)[] = [
      async () => made.accounts.push(await given(client).fundedAccount('USD', random.int(1_000, 50_000))),
      async () => given(client).fund(account(), random.int(1, 10_000)),
      async () => made.cards.push(await cardOf(client, account())),
      async () => client.clock.advance(random.pick([0, 60_000, 86_400_000])),
      async () => (made.cards.length > 0 ? purchase(random.pick(made.cards)) : undefined),
      async () => quote(client, account()),
      async () => client.post(`/quotes/${await quote(client, account())}/execute`),
      async () => client.patch('/config', { cardConfigs: { maxSpendPerDay: random.int(1_000, 1_000_000) } }),
      async () => client.put('/sandbox/faults', { faults: [{ kind: 'DELAY', operation: 'listCards', delayMs: random.int(1, 9) }] }),
    ];
    const live = async (count: number) => {
      for (let step = 0; step < count; step += 1) await random.pick(steps)();
    };

    await live(STEPS);
    const snapshots: { name: string; rows: unknown; config: unknown; made: Made }[] = [];
    for (const name of ['first', 'second']) {
      await client.clock.freeze();
      await expectStatus(201, client.post('/sandbox/snapshots', { name }));
      const config = await expectStatus(200, client.get('/config'));
      snapshots.push({ name, rows: await dump(), config, made: structuredClone(made) });
      await live(STEPS);
    }
    if (random.chance(0.5)) await expectStatus(200, client.post('/sandbox/reset', { name: await platformNameOf(client) }));
    for (const { name, rows, config, made: then } of [...snapshots, ...snapshots].sort(() => (random.chance(0.5) ? 1 : -1))) {
      await expectStatus(200, client.post(`/sandbox/snapshots/${name}/restore`));
      assert.deepEqual(await dump(), rows, `${name}, seed ${seed}`);
      assert.deepEqual(await expectStatus(200, client.get('/config')), config);
      made = structuredClone(then);
      await live(4);
    }
  });
