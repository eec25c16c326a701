// The service is killed while it orders mints and burns, and started again. STABLECOIN_KILLS sets how often.
import assert from 'node:assert/strict';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnService, stopChild, whenReady } from '../../../bench/service.js';
import { openDb } from '../../../src/db/pool.js';
import { sql } from '../../../src/db/sql.js';
import { type Client, clientOf, expectStatus } from '../../support/client.js';
import type { Contract } from '../../support/contract.js';
import { createDatabase } from '../../support/database.js';
import { given } from '../../support/given.js';
import { anyPlatform, assertLedgerHolds } from '../../support/ledger.js';
import { MINUTE, stablecoins } from '../../support/stablecoins.js';
import { temporaryDirectory } from '../../support/temporary.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

const KILLS = Number(process.env['STABLECOIN_KILLS'] ?? 2);
const ORDERS_PER_KILL = 12;
const AMOUNT = '1000000';
const CENTS = 100;

const [id, secret] = [`t${randomBytes(6).toString('hex')}`, randomBytes(18).toString('base64url')];
const unchecked: Contract = { check: () => {} } as unknown as Contract;
let database: Awaited<ReturnType<typeof createDatabase>>;
before(async () => {
  database = await createDatabase();
});
after(() => database.drop());

test(`${KILLS} kills between the steps of mints and burns: every request has one order at the provider, and proceeds are credited once`, async (t) => {
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: temporaryDirectory(t),
    BOOTSTRAP_TOKEN: `${id}:${secret}`,
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_MINUTE: 'off',
    LOG_LEVEL: 'fatal',
  };
  const start = async () => {
    const child = spawnService(env);
    return { child, platform: clientOf(await whenReady(child), unchecked, id, secret) };
  };
  let { child, platform } = await start();
  await platform.clock.freeze();
  const coin = await stablecoins(platform).stablecoin();
  const wallet = await stablecoins(platform).wallet();
  const account = await given(platform).fundedAccount('USD', 0);
  const destination = { type: 'GRID_INTERNAL_ACCOUNT', accountId: account.id, rail: 'WIRE' };

  const ordered: Resource[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const requests = Array.from({ length: ORDERS_PER_KILL }, (_, i) => ({ key: randomUUID(), isBurn: i % 2 === 0 }));
    const send = (client: Client, { key, isBurn }: (typeof requests)[number]) =>
      isBurn
        ? stablecoins(client).burn(coin, AMOUNT, { destination }, key)
        : stablecoins(client).mint(coin, AMOUNT, { destination: { accountId: wallet.id } }, key);
    const first = requests.map((request) => send(platform, request).catch(() => undefined));
    await sleep(randomInt(0, 250));
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await Promise.all(first);
    ({ child, platform } = await start());
    // Half of the orders that were cut off are taken up by the worker before their callers repeat them.
    if (kill % 2 === 1) await platform.clock.advance(MINUTE);
    for (const request of requests) ordered.push((await expectStatus(201, send(platform, request))).id);
  }
  await platform.clock.advance(60 * MINUTE);
  await platform.clock.advance(0);

  const db = openDb({ url: database.url, poolSize: 2 });
  try {
    assert.equal(new Set(ordered).size, KILLS * ORDERS_PER_KILL);
    const shown = await stablecoins(platform).operations(coin, '?limit=100');
    assert.deepEqual(shown.map((operation) => operation.id).sort(), ordered.toSorted(), 'a repeated request makes no second operation');
    assert.ok(shown.every(({ status }) => status === 'COMPLETED'));
    const orders = await db.one<{ count: bigint }>(sql`select count(*) from sandbox_issuer_orders where not is_canceled`);
    assert.equal(orders?.count, BigInt(ordered.length), 'the provider has one order per operation');
    const { balance } = await expectStatus(200, platform.get(`/internal-accounts/${account.id}`));
    assert.equal(balance.amount, (CENTS * ordered.length) / 2);
    await assertLedgerHolds(db, await anyPlatform(db));
  } finally {
    await db.close();
    await stopChild(child);
  }
});
