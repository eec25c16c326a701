// "openingBalance + sum(data[].amount) == closingBalance", while writers run, across pages, for any window, and for good.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { sql } from '../../../src/db/sql.js';
import { moveMoney } from '../../../src/domains/ledger/actions.js';
import { ApiError } from '../../../src/kernel/errors.js';
import { type InternalAccountId, newUuid, uuidOf } from '../../../src/kernel/ids.js';
import { type Client, expectStatus } from '../../support/client.js';
import { startTestService, type TestService } from '../../support/service.js';
import { type History, historyOf, type ReadWindow, readWindow, windowPath } from '../../support/statements/history.js';

let service: TestService;

before(async () => {
  service = await startTestService({ DATABASE_POOL_SIZE: '20' });
});
after(() => service.stop());

/** Numbers from a seed, below a bound. Where tasks interleave is up to the machine; what each of them does is not. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Answered = { readonly account: InternalAccountId; readonly start: Date; readonly end: Date; readonly read: ReadWindow };

const afterTurns = async (turns: number) => {
  for (let i = 0; i < turns; i += 1) await new Promise(setImmediate);
};

/** One random piece of business; refused money is part of it. */
async function moveSomething(history: History, accounts: readonly InternalAccountId[], random: (below: number) => number): Promise<void> {
  const any = () => accounts[random(accounts.length)] as InternalAccountId;
  const amount = () => 1 + random(500);
  const [one, other] = [any(), any()];
  switch (random(5)) {
    case 0:
      return history.post(one, amount());
    case 1:
      return history.post(one, -amount());
    case 2: {
      const finish = await history.hold(one, amount());
      await afterTurns(random(4));
      return void (await finish((['POSTED', 'VOIDED', 'EXPIRED'] as const)[random(3)] as 'POSTED'));
    }
    case 3:
      return void (await history.move(
        ...Array.from({ length: 1 + random(6) }, () => history.change(any(), amount())),
        ...(one === other
          ? []
          : [
              {
                kind: 'POST' as const,
                transfer: { id: newUuid(), from: uuidOf(one), to: uuidOf(other), amount: 1n, currency: 'USD', cause: 'test' },
              },
            ]),
      ));
    default:
      // Commits long after its entries were numbered and dated, so that commits come out of order across accounts.
      return service.db.transaction(async (tx) => {
        await moveMoney(tx, history.platformId, [history.change(one, amount())]);
        await afterTurns(random(20));
      });
  }
}

/** Writers and readers at once until `windows` were answered; every answer is held to its promise when given and again at the end. */
async function race(platform: Client, { windows, seed, jumps }: { windows: number; seed: number; jumps: boolean }) {
  const history = await historyOf(service, platform);
  const accounts = await Promise.all(Array.from({ length: 4 }, () => history.account()));
  const began = await platform.clock.now();
  const answered: Answered[] = [];
  let failed = false;
  const done = () => failed || answered.length >= windows;
  const orAll = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      failed = true;
      throw error;
    });
  let refused = 0;

  const writer = async (random: (below: number) => number) => {
    while (!done()) {
      await moveSomething(history, accounts, random).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.code === 'INSUFFICIENT_FUNDS')) throw error;
      });
      await afterTurns(random(8));
    }
  };
  const reader = async (random: (below: number) => number) => {
    while (!done()) {
      const account = accounts[random(accounts.length)] as InternalAccountId;
      const now = (await platform.clock.now()).getTime();
      // Half the windows end this very millisecond, where a writer may be in the middle of its work; most are short.
      const end = random(2) === 0 ? now : Math.max(began.getTime(), now - random(500));
      const start = random(40) === 0 ? began.getTime() - random(1_000) : end - 1 - random(100);
      const window = { account, start: new Date(start), end: new Date(end) };
      const limit = end - start > 100 ? 200 : ([3, 5, 17, 200][random(4)] as number);
      const read = await readWindow(platform, account, window.start, window.end, limit).catch((error: Error) => {
        // While the clock jumps, a window may lie in the future by the time it is asked for. That is known on its first page.
        if (!jumps || !/must not be in the future/.test(error.message)) throw error;
      });
      if (read) answered.push({ ...window, read });
      else refused += 1;
    }
  };
  const clockSetter = async (random: (below: number) => number) => {
    while (!done()) {
      await platform.clock.set(new Date(began.getTime() + random(20_000)));
      await afterTurns(50);
    }
  };
  await Promise.all(
    [
      ...Array.from({ length: 6 }, (_, i) => writer(randomFrom(seed + i))),
      ...Array.from({ length: 4 }, (_, i) => reader(randomFrom(seed + 100 + i))),
      ...(jumps ? [clockSetter(randomFrom(seed + 200))] : []),
    ].map(orAll),
  );

  for (const account of accounts) {
    const oracle = await entriesOf(history, account);
    for (const { start, end, read } of answered.filter((window) => window.account === account)) {
      const before = oracle.filter(({ at }) => at < start);
      const inside = oracle.filter(({ at }) => at >= start && at < end);
      assert.equal(read.opening, sum(before), `opening of ${start.toISOString()}–${end.toISOString()}, seed ${seed}`);
      assert.deepEqual(
        read.changes.map(({ amount, effectiveAt }) => [amount, effectiveAt]),
        inside.map(({ amount, at }) => [amount, at.toISOString()]),
        `changes of ${start.toISOString()}–${end.toISOString()}, seed ${seed}`,
      );
    }
  }
  return {
    answered,
    refused,
    entries: sum(await Promise.all(accounts.map(async (id) => ({ amount: (await entriesOf(history, id)).length })))),
  };
}

const sum = (items: readonly { amount: number }[]) => items.reduce((total, { amount }) => total + amount, 0);

/** Every entry of an account in the order of its numbers, straight from the ledger. */
async function entriesOf({ platformId }: History, account: InternalAccountId): Promise<{ amount: number; at: Date }[]> {
  const rows = await service.db.many<{ amount: bigint; effective_at: Date }>(sql`
    select amount, effective_at from entries where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(account)} order by number`);
  return rows.map(({ amount, effective_at }) => ({ amount: Number(amount), at: effective_at }));
}

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

describe(`while writers run (SEED=${seed})`, () => {
  test('2,000 windows add up on every page, and are the same when everything has come to rest', async (t) => {
    const { answered, entries } = await race(service.platform, { windows: 2_000, seed, jumps: false });
    const changes = answered.reduce((total, { read }) => total + read.changes.length, 0);
    t.diagnostic(`${answered.length} windows, ${changes} changes read, ${entries} entries written`);
    assert.ok(changes > 2_000, 'the windows held something');
  });

  test('500 windows stay what they were while the sandbox clock is set forth and back', async (t) => {
    const { answered, refused } = await race(await service.newPlatform(), { windows: 500, seed: seed + 1, jumps: true });
    t.diagnostic(`${answered.length} windows, ${refused} in the future when asked for`);
  });
});

test('any history, cut anywhere, adds up and joins without a seam', async () => {
  const platform = await service.newPlatform();
  const history = await historyOf(service, platform);
  const day = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 86_400_000);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ days: fc.integer({ min: 0, max: 3 }), amount: fc.integer({ min: -50, max: 100 }) }), { maxLength: 25 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { minLength: 2, maxLength: 6 }),
      fc.integer({ min: 1, max: 200 }),
      async (steps, cuts, limit) => {
        const id = await history.account();
        const model: { at: Date; amount: number }[] = [];
        let today = 0;
        let balance = 0;
        for (const { days, amount } of steps) {
          today += days;
          if (amount === 0 || balance + amount < 0) continue;
          balance += amount;
          await platform.clock.freeze(day(today));
          await history.post(id, amount);
          model.push({ at: day(today), amount });
        }
        await platform.clock.freeze(day(200));
        const edges = cuts.sort((a, b) => a - b).map(day);
        let previous: ReadWindow | undefined;
        for (const [i, start] of edges.slice(0, -1).entries()) {
          const end = edges[i + 1] as Date;
          const read = await readWindow(platform, id, start, end, limit);
          assert.equal(read.opening, previous?.closing ?? sum(model.filter(({ at }) => at < start)));
          assert.deepEqual(
            read.changes.map(({ amount }) => amount),
            model.filter(({ at }) => at >= start && at < end).map(({ amount }) => amount),
          );
          previous = read;
        }
      },
    ),
    { numRuns: 40 },
  );
});

describe('a writer in flight', () => {
  /** Holds money that has moved but is not committed, until told. */
  async function unfinished(history: History, account: InternalAccountId, amount: number) {
    let commit = () => {};
    let moved = () => {};
    const isMoved = new Promise<void>((resolve) => {
      moved = resolve;
    });
    const finished = service.db.transaction(async (tx) => {
      await moveMoney(tx, history.platformId, [history.change(account, amount)]);
      moved();
      await new Promise<void>((resolve) => {
        commit = resolve;
      });
    });
    await isMoved;
    return { commit: () => commit(), finished };
  }

  const untilSomeoneWaits = async () => {
    for (;;) {
      const row = await service.db.one<{ waiting: bigint }>(sql`
        select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      if (row && row.waiting > 0n) return;
    }
  };

  test('is waited for: its change is in the window that ends after it', { timeout: 60_000 }, async () => {
    const { platform } = service;
    const history = await historyOf(service, platform);
    const id = await history.account();
    const began = await platform.clock.now();
    const writer = await unfinished(history, id, 42);
    const moved = await platform.clock.now();
    let end = moved;
    while (end <= moved) end = await platform.clock.now();
    const reading = readWindow(platform, id, began, end);
    await untilSomeoneWaits();
    writer.commit();
    await writer.finished;
    assert.deepEqual(
      (await reading).changes.map(({ amount }) => amount),
      [42],
    );
  });

  test('does not hold up a window that is final already', async () => {
    const { platform } = service;
    const history = await historyOf(service, platform);
    const id = await history.account();
    const [start, end] = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'];
    await expectStatus(200, platform.get(windowPath(id, start, end)));
    const writer = await unfinished(history, id, 42);
    assert.deepEqual(await readWindow(platform, id, start, end), { opening: 0, closing: 0, changes: [] });
    writer.commit();
    await writer.finished;
  });
});

test('an answered window keeps out what comes later, also when the clock is set back into it', async () => {
  const platform = await service.newPlatform();
  const history = await historyOf(service, platform);
  const id = await history.account();
  await platform.clock.freeze('2026-01-10T00:00:00Z');
  await history.post(id, 5);
  await platform.clock.freeze('2026-03-01T00:00:00Z');
  const january = await readWindow(platform, id, '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z');
  await platform.clock.freeze('2026-01-20T00:00:00Z');
  await history.post(id, 7);
  await platform.clock.freeze('2026-03-01T00:00:00Z');
  assert.deepEqual(await readWindow(platform, id, '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'), january);
  const february = await readWindow(platform, id, '2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z');
  assert.deepEqual(
    february.changes.map(({ amount, effectiveAt }) => [amount, effectiveAt]),
    [[7, '2026-02-01T00:00:00.000Z']],
  );
});
