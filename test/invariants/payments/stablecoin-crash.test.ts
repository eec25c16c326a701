// The service is killed while it orders mints and burns, and started again. STABLECOIN_KILLS sets how often.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../../src/db/sql.js';
import { type Client, expectStatus, listed } from '../../support/client.js';
import { given } from '../../support/given.js';
import { onKillableService } from '../../support/killable-service.js';
import { MINUTE, stablecoins } from '../../support/stablecoins.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

const KILLS = Number(process.env['STABLECOIN_KILLS'] ?? 2);
const ORDERS_PER_KILL = 12;
const AMOUNT = '1000000';
const CENTS = 100;

test(`${KILLS} kills between the steps of mints and burns: every request has one order at the provider, and proceeds are credited once`, (t) =>
  onKillableService(t, async ({ platform, db, killDuring }) => {
    await platform().clock.freeze();
    const coin = await stablecoins(platform()).stablecoin();
    const wallet = await stablecoins(platform()).wallet();
    const account = await given(platform()).fundedAccount('USD', 0);
    const destination = { type: 'GRID_INTERNAL_ACCOUNT', accountId: account.id, rail: 'WIRE' };

    const ordered: Resource[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const requests = Array.from({ length: ORDERS_PER_KILL }, (_, i) => ({ key: randomUUID(), isBurn: i % 2 === 0 }));
      const send = (client: Client, { key, isBurn }: (typeof requests)[number]) =>
        isBurn
          ? stablecoins(client).burn(coin, AMOUNT, { destination }, key)
          : stablecoins(client).mint(coin, AMOUNT, { destination: { accountId: wallet.id } }, key);
      await killDuring(
        requests.map((request) => send(platform(), request)),
        250,
      );
      // Half of the orders that were cut off are taken up by the worker before their callers repeat them.
      if (kill % 2 === 1) await platform().clock.advance(MINUTE);
      for (const request of requests) ordered.push((await expectStatus(201, send(platform(), request))).id);
    }
    await platform().clock.advance(60 * MINUTE);
    await platform().clock.advance(0);

    assert.equal(new Set(ordered).size, KILLS * ORDERS_PER_KILL);
    const shown = await listed(platform(), `/stablecoins/${coin.id}/operations`);
    assert.deepEqual(shown.map((operation) => operation.id).sort(), ordered.toSorted(), 'a repeated request makes no second operation');
    assert.ok(shown.every(({ status }) => status === 'COMPLETED'));
    const orders = await db.one<{ count: bigint }>(sql`select count(*) from sandbox_issuer_orders where not is_canceled`);
    assert.equal(orders?.count, BigInt(ordered.length), 'the provider has one order per operation');
    const { balance } = await expectStatus(200, platform().get(`/internal-accounts/${account.id}`));
    assert.equal(balance.amount, (CENTS * ordered.length) / 2);
  }));
