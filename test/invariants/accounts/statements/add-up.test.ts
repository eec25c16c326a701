// "openingBalance + sum(data[].amount) == closingBalance", while writers run, across pages, for any window, and for good.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { moveMoney } from '../../../../src/domains/ledger/actions.js';
import type { InternalAccountId } from '../../../../src/kernel/ids.js';
import { randomOf, testSeed } from '../../../prove/random.js';
import { raceMoney, raceStatements } from '../../../prove/statements.js';
import { expectStatus } from '../../../support/client.js';
import { lockWaits } from '../../../support/database.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { type History, historyOf, type ReadWindow, readWindow, windowPath } from '../../../support/statements/history.js';

let service: TestService;

before(async () => {
  service = await startTestService({ DATABASE_POOL_SIZE: '20' });
});
after(() => service.stop());

const seed = testSeed();
/** `npm run prove` reads more of each. */
const WINDOWS = Number(process.env['WINDOWS'] ?? 400);
const CUT_HISTORIES = Number(process.env['CUT_HISTORIES'] ?? 15);
/** A busy machine reads fewer windows, to keep the run short. */
const LIMIT_MS = 60_000;

describe(`while writers run (PROVE_SEED=${seed})`, () => {
  for (const [what, windows, jumps] of [
    [`up to ${WINDOWS} windows add up on every page, and are the same when everything has come to rest`, WINDOWS, false],
    [`up to ${WINDOWS / 4} windows stay what they were while the sandbox clock is set forth and back`, WINDOWS / 4, true],
  ] as const) {
    test(what, async (t) => {
      const race = { windows, random: randomOf(`${seed}/${jumps}`), jumps, until: Date.now() + LIMIT_MS };
      const answered = await raceStatements(service, await service.newPlatform(), race);
      const changes = answered.reduce((sum, { read }) => sum + read.changes.length, 0);
      t.diagnostic(`${answered.length} windows, ${changes} changes read`);
      assert.ok(changes > 0, 'the windows held something');
    });
  }
});

test('while money moves by every operation that moves any', async (t) => {
  const answered = await raceMoney(service, randomOf(`${seed}/money`), 60);
  t.diagnostic(`${answered.length} windows`);
  assert.ok(
    answered.some(({ read }) => read.changes.length > 0),
    'the windows held something',
  );
});

const sum = (items: readonly { amount: number }[]) => items.reduce((total, { amount }) => total + amount, 0);

test('any history, split at any time, adds up without a gap', async () => {
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
    { numRuns: CUT_HISTORIES },
  );
});

describe('a writer in progress', () => {
  /** A transaction that has moved money and is committed on request. */
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
      const row = await service.db.one<{ count: number }>(lockWaits());
      if (row && row.count > 0) return;
    }
  };

  test('is awaited: its change is in the window that ends after it', { timeout: 60_000 }, async () => {
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

  test('does not block a window that is final already', async () => {
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

test('an answered window excludes later entries, also when the clock is set back into it', async () => {
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
