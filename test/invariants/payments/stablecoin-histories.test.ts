// Random histories of mints and burns against a plain model: statuses, the balance at the provider and the accounts that receive proceeds
// after every step, and money conserved in each currency. STABLECOIN_HISTORIES sets how many are run, PROVE_SEED repeats one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Random, randomOf, testSeed } from '../../prove/random.js';
import { expectStatus } from '../../support/client.js';
import { given } from '../../support/given.js';
import { assertLedgerHolds } from '../../support/ledger.js';
import { startTestService, type TestService } from '../../support/service.js';
import { MINUTE, stablecoins } from '../../support/stablecoins.js';
import { platformIdOf } from '../../support/webhooks/platform.js';

const HISTORIES = Number(process.env['STABLECOIN_HISTORIES'] ?? 2);
const STEPS = 30;
const WEEK = 7 * 24 * 60 * MINUTE;
const UNIT = 10_000n;

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

type Flow = 'WIRE_MINT' | 'ACH_MINT' | 'SENT_BURN' | 'BALANCE_BURN';
type Order = {
  readonly id: string;
  readonly flow: Flow;
  readonly cents: bigint;
  readonly account: number | undefined;
  readonly at: number;
  readonly isCovered: boolean;
  isEnded: boolean;
};

/** Written from the table of the sandbox: what an order shows so many minutes after its creation. */
function statusOf({ flow, cents, isCovered, at }: Order, now: number): string {
  const minutes = Math.floor((now - at) / MINUTE);
  const ending = String(cents).slice(-3);
  const isFunded = flow === 'WIRE_MINT' || flow === 'SENT_BURN';
  if (isFunded && ending === '005') return now - at >= WEEK ? 'EXPIRED' : 'PENDING_FUNDING';
  const end = ending === '002' ? 'FAILED' : 'COMPLETED';
  if (!isCovered) return minutes === 0 ? 'PENDING_PROVIDER' : 'FAILED';
  const path = [...(isFunded ? ['PENDING_FUNDING'] : []), 'PENDING_PROVIDER', 'PROCESSING', end];
  return path[Math.min(minutes, path.length - 1)] as string;
}

async function history(random: Random): Promise<void> {
  const { seed } = random;
  const platform = await service.newPlatform();
  const build = stablecoins(platform);
  let now = (await platform.clock.freeze('2031-01-01T00:00:00.000Z')).getTime();
  const coin = await build.stablecoin();
  const [wallet, bank] = [await build.wallet(), await build.bank()];
  const accounts = [await given(platform).fundedAccount('USD', 1_000), await given(platform).fundedAccount('USD', 2_000)];
  const balances = [1_000n, 2_000n];
  let atProvider = 100_000_000n;
  const orders: Order[] = [];

  const settle = () => {
    for (const order of orders) {
      const status = statusOf(order, now);
      if (order.isEnded || !['COMPLETED', 'FAILED', 'EXPIRED'].includes(status)) continue;
      order.isEnded = true;
      if (status === 'COMPLETED' && order.account !== undefined) balances[order.account] = (balances[order.account] ?? 0n) + order.cents;
      if (status === 'FAILED' && order.flow === 'BALANCE_BURN' && order.isCovered) atProvider += order.cents;
    }
  };

  const place = async () => {
    const flow = random.pick(['WIRE_MINT', 'ACH_MINT', 'SENT_BURN', 'BALANCE_BURN', 'BALANCE_BURN'] as const);
    const ending = random.pick([2n, 5n, 7n, 100n, 999n]);
    const cents = BigInt(random.int(1, 40_000)) * 1_000n + ending;
    const amount = String(cents * UNIT);
    const account = flow.endsWith('BURN') && random.chance(0.5) ? random.int(0, 1) : undefined;
    const destination =
      account === undefined
        ? { type: 'EXTERNAL_ACCOUNT', externalAccountId: bank.id, rail: 'WIRE' }
        : { type: 'GRID_INTERNAL_ACCOUNT', accountId: accounts[account].id, rail: 'RTP_CREDIT' };
    const answer = flow.endsWith('MINT')
      ? build.mint(coin, amount, {
          destination: { accountId: wallet.id },
          fundingSource: flow === 'WIRE_MINT' ? { type: 'WIRE' } : { type: 'ACH_DEBIT', externalAccountId: bank.id },
        })
      : build.burn(coin, amount, {
          source: { type: flow === 'SENT_BURN' ? 'EXTERNAL_ACCOUNT' : 'PROVIDER_INTERNAL_BALANCE' },
          destination,
        });
    const { id } = await expectStatus(201, answer);
    const isCovered = flow !== 'BALANCE_BURN' || atProvider >= cents;
    if (flow === 'BALANCE_BURN' && isCovered) atProvider -= cents;
    orders.push({ id, flow, cents, account, at: now, isCovered, isEnded: false });
  };

  for (let step = 0; step < STEPS; step += 1) {
    if (random.chance(0.65)) await place();
    else {
      const ms = random.pick([1, MINUTE - 1, MINUTE, 90_000, 10 * MINUTE, WEEK]);
      await platform.clock.advance(ms);
      now += ms;
      settle();
    }
    const shown = new Map((await build.operations(coin, '?limit=100')).map(({ id, status }) => [id, status]));
    assert.equal(shown.size, orders.length, `step ${step} of ${seed}`);
    for (const order of orders)
      assert.equal(shown.get(order.id), statusOf(order, now), `step ${step} of ${seed}: ${order.flow} ${order.cents}`);
    for (const [i, { id }] of accounts.entries())
      assert.equal(
        BigInt((await expectStatus(200, platform.get(`/internal-accounts/${id}`))).balance.amount),
        balances[i],
        `step ${step} of ${seed}`,
      );
  }
  await assertLedgerHolds(service.db, await platformIdOf(service, platform));
}

test(`${HISTORIES} random histories of mints and burns go as the model says`, async () => {
  const seed = testSeed();
  for (let i = 0; i < HISTORIES; i += 1) await history(randomOf(`${seed}/stablecoins ${i}`));
});
