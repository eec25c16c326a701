// Statements during concurrent transfers, and while money moves by every operation that moves any: every window adds up when it is read, and equals the ledger at the end.
import assert from 'node:assert/strict';
import { sql } from '../../src/db/sql.js';
import { moveMoney } from '../../src/domains/ledger/actions.js';
import { ApiError } from '../../src/kernel/errors.js';
import { type InternalAccountId, uuidOf } from '../../src/kernel/ids.js';
import type { Client } from '../support/client.js';
import type { TestService } from '../support/service.js';
import { type History, historyOf, type ReadWindow, readWindow } from '../support/statements/history.js';
import { MoneyHistory } from './money-history.js';
import { type Random, randomOf } from './random.js';
import type { Outcome } from './report.js';

/** Windows of one race. The next race uses new accounts, so that the final comparison stays fast. */
const WINDOWS_A_RACE = 2_000;

/** Races on a running clock and, every fifth time, on a clock that is set forward and back, until `windows` were read or `until` is reached. */
export async function statements(
  service: TestService,
  platform: Client,
  { seed, windows, until }: { seed: string; windows: number; until: number },
): Promise<Outcome[]> {
  let trials = 0;
  let changes = 0;
  const failures: string[] = [];
  for (let i = 0; trials < windows && Date.now() < until && failures.length === 0; i += 1) {
    const random = randomOf(`${seed}/statements/${i}`);
    const race = { windows: Math.min(WINDOWS_A_RACE, windows - trials), random, jumps: i % 5 === 4, until };
    await raceStatements(service, platform, race).then(
      (answered) => {
        trials += answered.length;
        changes += answered.reduce((sum, { read }) => sum + read.changes.length, 0);
      },
      (error: Error) => failures.push(`seed ${random.seed}: ${error.message}`),
    );
  }
  return [
    { goal: 'statements: a window adds up on every page and never changes', trials, failures, note: `${changes} changes read` },
    await whileMoneyMoves(service, { seed, windows: Math.ceil(windows / MONEY_SHARE), until }),
  ];
}

/** The operations make fewer entries a second than transfers in the ledger do. */
const MONEY_SHARE = 20;

/** The same while money moves by every operation that moves any, on a clock that goes on. */
async function whileMoneyMoves(
  service: TestService,
  { seed, windows, until }: { seed: string; windows: number; until: number },
): Promise<Outcome> {
  let trials = 0;
  let steps = 0;
  const failures: string[] = [];
  for (let i = 0; trials < windows && Date.now() < until && failures.length === 0; i += 1) {
    const random = randomOf(`${seed}/statements/money/${i}`);
    await raceMoney(service, random).then(
      (answered) => {
        trials += answered.length;
        steps += STEPS_A_RACE;
      },
      (error: Error) => failures.push(`seed ${random.seed}: ${error.message}`),
    );
  }
  const note = `${steps} steps of every operation that moves money`;
  return { goal: 'statements: a window adds up and never changes while money moves by every operation', trials, failures, note };
}

const STEPS_A_RACE = 200;

/** Random steps on a platform of its own, and readers of its statements beside them. */
export async function raceMoney(service: TestService, random: Random, steps = STEPS_A_RACE): Promise<Answered[]> {
  const history = await MoneyHistory.begin(service, random);
  const { platform, statementAccounts: accounts } = history;
  const began = (await platform.clock.now()).getTime();
  const answered: Answered[] = [];
  let isDone = false;
  const writer = async () => {
    for (let i = 0; i < steps && !isDone; i += 1) await history.step();
  };
  const reader = async (chance: Random) => {
    while (!isDone) {
      const now = (await platform.clock.now()).getTime();
      const end = chance.chance(0.5) ? now : chance.int(began, now);
      const window = {
        account: chance.pick(accounts),
        start: new Date(chance.int(began - 1, Math.max(began, end) - 1)),
        end: new Date(end),
      };
      if (window.start >= window.end) continue;
      answered.push({ ...window, read: await readWindow(platform, window.account, window.start, window.end, chance.pick([3, 17, 200])) });
    }
  };
  const tasks = [writer(), ...[1, 2, 3].map((i) => reader(random.fork(`reader ${i}`)))];
  await Promise.all(
    tasks.map((task) =>
      task.finally(() => {
        isDone = true;
      }),
    ),
  );
  for (const account of accounts) await assertUnchanged(service, history, account, answered);
  return answered;
}

export type Answered = { readonly account: InternalAccountId; readonly start: Date; readonly end: Date; readonly read: ReadWindow };

type Race = { readonly windows: number; readonly random: Random; readonly jumps: boolean; readonly until?: number };

const afterTurns = async (turns: number) => {
  for (let i = 0; i < turns; i += 1) await new Promise(setImmediate);
};

/** Runs writers and readers concurrently until this number of windows was read. The actions of each follow from the seed; their interleaving does not. */
export async function raceStatements(service: TestService, platform: Client, { windows, random, jumps, until }: Race): Promise<Answered[]> {
  const history = await historyOf(service, platform);
  const accounts = await Promise.all(Array.from({ length: 4 }, () => history.account()));
  const began = (await platform.clock.now()).getTime();
  const answered: Answered[] = [];
  let failed = false;
  const done = () => failed || answered.length >= windows || (until !== undefined && Date.now() > until);

  const writer = async (chance: Random) => {
    while (!done()) {
      await moveSomething(service, history, accounts, chance).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.code === 'INSUFFICIENT_FUNDS')) throw error;
      });
      await afterTurns(chance.int(0, 7));
    }
  };
  const reader = async (chance: Random) => {
    while (!done()) {
      const now = (await platform.clock.now()).getTime();
      // Half of the windows end at the current millisecond, while writers are active. Most windows are short.
      const end = chance.chance(0.5) ? now : Math.max(began, now - chance.int(0, 500));
      // With a jumping clock many entries have the same time, so more windows start at the beginning.
      const start = chance.chance(jumps ? 0.25 : 0.025) ? began - chance.int(0, 1_000) : end - chance.int(1, 100);
      const window = { account: chance.pick(accounts), start: new Date(start), end: new Date(end) };
      const limit = end - start > 100 ? 200 : chance.pick([3, 5, 17, 200]);
      const read = await readWindow(platform, window.account, window.start, window.end, limit).catch((error: Error) => {
        // With a jumping clock a window may be in the future when it is requested; its first page is refused.
        if (!jumps || !/must not be in the future/.test(error.message)) throw error;
      });
      if (read) answered.push({ ...window, read });
    }
  };
  const clockSetter = async (chance: Random) => {
    while (!done()) {
      await platform.clock.set(new Date(began + chance.int(0, 20_000)));
      await afterTurns(50);
    }
  };
  const tasks = [
    ...Array.from({ length: 6 }, (_, i) => writer(random.fork(`writer ${i}`))),
    ...Array.from({ length: 4 }, (_, i) => reader(random.fork(`reader ${i}`))),
    ...(jumps ? [clockSetter(random.fork('clock'))] : []),
  ];
  await Promise.all(
    tasks.map((task) =>
      task.catch((error: unknown) => {
        failed = true;
        throw error;
      }),
    ),
  );

  for (const account of accounts) await assertUnchanged(service, history, account, answered);
  return answered;
}

/** One random transfer. It may be refused for insufficient funds. */
async function moveSomething({ db }: TestService, history: History, accounts: readonly InternalAccountId[], random: Random): Promise<void> {
  const [one, other] = [random.pick(accounts), random.pick(accounts)];
  const amount = () => random.int(1, 500);
  switch (random.pick(['in', 'out', 'hold', 'batch', 'slow'])) {
    case 'in':
      return history.post(one, amount());
    case 'out':
      return history.post(one, -amount());
    case 'hold': {
      const finish = await history.hold(one, amount());
      await afterTurns(random.int(0, 3));
      return void (await finish(random.pick(['POSTED', 'VOIDED', 'EXPIRED'] as const)));
    }
    case 'batch': {
      const deposits = Array.from({ length: random.int(1, 6) }, () => history.change(random.pick(accounts), amount()));
      return void (await history.move(...deposits, ...(one === other ? [] : [history.between(one, other, 1)])));
    }
    default:
      // Commits long after its entries were numbered and dated, so that commits of different accounts are out of order.
      return db.transaction(async (tx) => {
        await moveMoney(tx, history.platformId, [history.change(one, amount())]);
        await afterTurns(random.int(0, 20));
      });
  }
}

/** Asserts that the ledger contains exactly the entries that each window returned. */
async function assertUnchanged(
  service: TestService,
  history: Pick<History, 'platformId'>,
  account: InternalAccountId,
  answered: readonly Answered[],
) {
  const entries = await entriesOf(service, history, account);
  for (const { start, end, read } of answered.filter((window) => window.account === account)) {
    const window = `${account} ${start.toISOString()}–${end.toISOString()}`;
    const before = entries.filter(({ at }) => at < start).reduce((sum, { amount }) => sum + amount, 0);
    assert.equal(read.opening, before, `opening balance of ${window}`);
    assert.deepEqual(
      read.changes.map(({ amount, effectiveAt }) => [amount, effectiveAt]),
      entries.filter(({ at }) => at >= start && at < end).map(({ amount, at }) => [amount, at.toISOString()]),
      `changes of ${window}`,
    );
  }
}

/** Every entry of an account in the order of the entry numbers. */
async function entriesOf(
  { db }: TestService,
  { platformId }: Pick<History, 'platformId'>,
  account: InternalAccountId,
): Promise<{ amount: number; at: Date }[]> {
  const rows = await db.many<{ amount: bigint; effective_at: Date }>(sql`
    select amount, effective_at from entries where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(account)} order by number`);
  return rows.map(({ amount, effective_at }) => ({ amount: Number(amount), at: effective_at }));
}
