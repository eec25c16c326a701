// Operations by the clock, and how they are read.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { MINUTE, stablecoins } from '../../../support/stablecoins.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

async function world() {
  const client = await service.newPlatform();
  const build = stablecoins(client);
  const now = await client.clock.freeze();
  return { client, build, coin: await build.stablecoin(), now };
}

const cents = (amount: number) => String(BigInt(amount) * 10_000n);
const DAY = 24 * 60 * MINUTE;

/** Statuses at the start and after each advance. */
const LIVES: readonly {
  readonly what: string;
  readonly amount: number;
  readonly flow: 'mint' | 'funded burn' | 'burn';
  readonly lives: readonly (readonly [advance: number, status: string, providerStatus: string])[];
}[] = [
  {
    what: 'a wire mint that completes',
    amount: 100,
    flow: 'mint',
    lives: [
      [0, 'PENDING_FUNDING', 'pending'],
      [MINUTE - 1, 'PENDING_FUNDING', 'pending'],
      [1, 'PENDING_PROVIDER', 'pending'],
      [MINUTE, 'PROCESSING', 'processing'],
      [MINUTE, 'COMPLETED', 'complete'],
      [30 * DAY, 'COMPLETED', 'complete'],
    ],
  },
  {
    what: 'a burn of sent tokens that completes',
    amount: 100,
    flow: 'funded burn',
    lives: [
      [0, 'PENDING_FUNDING', 'pending'],
      [MINUTE, 'PENDING_PROVIDER', 'pending'],
      [MINUTE, 'PROCESSING', 'processing'],
      [MINUTE, 'COMPLETED', 'complete'],
    ],
  },
  {
    what: 'a burn from the balance that completes',
    amount: 100,
    flow: 'burn',
    lives: [
      [0, 'PENDING_PROVIDER', 'pending'],
      [MINUTE, 'PROCESSING', 'processing'],
      [MINUTE, 'COMPLETED', 'complete'],
    ],
  },
  {
    what: 'a wire mint that fails',
    amount: 1002,
    flow: 'mint',
    lives: [
      [2 * MINUTE, 'PROCESSING', 'processing'],
      [MINUTE, 'FAILED', 'failed'],
    ],
  },
  {
    what: 'a burn that fails',
    amount: 5002,
    flow: 'burn',
    lives: [
      [MINUTE, 'PROCESSING', 'processing'],
      [MINUTE, 'FAILED', 'failed'],
    ],
  },
  {
    what: 'a wire mint whose funds never arrive',
    amount: 7005,
    flow: 'mint',
    lives: [
      [6 * DAY, 'PENDING_FUNDING', 'pending'],
      [DAY - 1, 'PENDING_FUNDING', 'pending'],
      [1, 'EXPIRED', 'pending'],
      [DAY, 'EXPIRED', 'pending'],
    ],
  },
  {
    what: 'a burn from the balance ending in 005, which needs no funds',
    amount: 7005,
    flow: 'burn',
    lives: [[2 * MINUTE, 'COMPLETED', 'complete']],
  },
];

describe('steps by the clock', () => {
  for (const { what, amount, flow, lives } of LIVES) {
    test(what, async () => {
      const { client, build, coin } = await world();
      const source = flow === 'funded burn' ? { source: { type: 'EXTERNAL_ACCOUNT' } } : {};
      const operation = await expectStatus(
        201,
        flow === 'mint' ? build.mint(coin, cents(amount)) : build.burn(coin, cents(amount), source),
      );
      for (const [advance, status, providerStatus] of lives) {
        await client.clock.advance(advance);
        const now = await build.operation(operation);
        assert.deepEqual([now.status, now.providerStatus], [status, providerStatus]);
        assert.equal(now.failureReason, status === 'FAILED' ? 'PROVIDER_TRANSFER_FAILED' : undefined);
      }
    });
  }

  test('an advance over several steps passes through all of them: updatedAt is the time of the last', async () => {
    const { client, build, coin, now } = await world();
    const operation = await expectStatus(201, build.mint(coin, cents(100)));
    await client.clock.advance(DAY);
    const ended = await build.operation(operation);
    assert.equal(ended.status, 'COMPLETED');
    assert.equal(ended.updatedAt, new Date(now.getTime() + 3 * MINUTE).toISOString());
    assert.equal(ended.createdAt, operation.createdAt);
  });
});

test('operations send no events of their own', async () => {
  const { client, build, coin } = await world();
  await expectStatus(201, build.mint(coin, cents(100)));
  await expectStatus(201, build.burn(coin, cents(1002)));
  await client.clock.advance(DAY);
  const platform = (await platformIdOf(service, client)).split(':')[1];
  const events = await service.db.many<{ type: string }>(sql`select type from webhook_events where platform_id = ${platform}`);
  assert.deepEqual(
    events.filter(({ type }) => /STABLECOIN|PAYMENT/.test(type)),
    [],
  );
});

describe('reading', () => {
  test('the list is newest first, filtered by type, in pages', async () => {
    const { client, build, coin } = await world();
    const operations = [
      await expectStatus(201, build.mint(coin, cents(100))),
      await expectStatus(201, build.burn(coin, cents(100))),
      await expectStatus(201, build.mint(coin, cents(200))),
    ];
    const ids = async (query: string) => (await build.operations(coin, query)).map(({ id }) => id);
    assert.deepEqual(await ids(''), operations.map(({ id }) => id).toReversed());
    assert.deepEqual(await ids('?operationType=BURN'), [operations[1].id]);
    const page = await expectStatus(200, client.get(`/stablecoins/${coin.id}/operations?operationType=MINT&limit=1`));
    assert.deepEqual([page.hasMore, page.totalCount, page.data[0].id], [true, 2, operations[2].id]);
    assert.deepEqual(await ids(`?operationType=MINT&limit=1&cursor=${page.nextCursor}`), [operations[0].id]);
    assertInvalid(await client.get(`/stablecoins/${coin.id}/operations?operationType=SWAP`), 'operationType');
    const other = await build.stablecoin({ id: coin.stablecoinProviderAccountId });
    assert.deepEqual(await build.operations(other), []);
  });

  test('404: unknown, malformed or foreign', async () => {
    const { build, coin } = await world();
    const operation = await expectStatus(201, build.burn(coin, cents(100)));
    const { client } = await world();
    for (const id of [operation.id, `StablecoinOperation:${randomUUID()}`, 'x'])
      assertRefused(await client.get(`/stablecoin-operations/${id}`), 404, 'STABLECOIN_OPERATION_NOT_FOUND');
    for (const id of [coin.id, `Stablecoin:${randomUUID()}`, 'x'])
      assertRefused(await client.get(`/stablecoins/${id}/operations`), 404, 'STABLECOIN_NOT_FOUND');
  });
});
