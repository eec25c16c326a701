// Every operation of the document while the service, PostgreSQL or both are killed with SIGKILL. Each request has a platform of its own. What the
// operation changes without a kill says what is complete. After the recovery its changes are complete or absent, and the same request again
// gives the effect of one.
import { setTimeout as sleep } from 'node:timers/promises';
import { assertLedgerHolds } from '../support/ledger.js';
import { Host, KILLS, type Kill, onHostDirectory } from './crash-host.js';
import { type Case, nameOf, type Prepared, patiently, type Reply, Stage } from './crash-stage.js';
import type { DocumentedOperation } from './document.js';
import { type Changes, differenceOf } from './platform-changes.js';
import { type Random, randomOf } from './random.js';
import { type Outcome, progressOf } from './report.js';

export type CrashOperationsOptions = {
  readonly seed: string;
  /**
   * How often each operation is met by each kind of kill. Zero is the short form: some operations that write are each met by one of three
   * kills, and the repeat of the request says what is complete.
   */
  readonly perKind: number;
  /** Part of the ids of the operations. */
  readonly only?: string | undefined;
  readonly until?: number;
  readonly onProgress?: (text: string) => void;
};

/** What an operation changes and answers when nothing is killed: sent once, and again. */
type Control = {
  readonly first: Reply;
  readonly second: Reply;
  readonly once: Changes;
  readonly twice: Changes;
  readonly isLogged: boolean;
};

const NONE: Changes = new Map();
/** How long the work that follows a request may take, the first half without a change of the platform's clock. */
const REST_MS = 4_000;
/** Orders to the issuer are repeated within this time of the platform's clock. */
const SOON_MS = 60_000;
const MOST_DELAY_MS = 10;
const UNAVAILABLE_MS = 30_000;
const LANES = 8;
/** How many operations are under way when a kill happens. */
const TOGETHER = 12;
const PROGRESS_EVERY = 5;

/** Operations with several commits, with the reason. What a kill leaves of them is completed by the repeat. */
const IN_STEPS: Readonly<Record<string, string>> = {
  createStablecoinMint: 'the order is committed before the provider is called: decision 0059',
  createStablecoinBurn: 'the order is committed before the provider is called: decision 0059',
  listInternalAccountBalanceChanges: 'the window is made final before the receipt of its reader is recorded',
  getInternalAccountStatement: 'the window is made final before the receipt of its reader is recorded',
  lookupUma: 'the platform gets its keys before the provider is asked, and the look-up is recorded after: decision 0081',
  applySandboxFixture: 'each step is a call of its own, and steps that were applied are not repeated: decision 0092',
};

const SETTINGS = { RATE_LIMIT_PER_MINUTE: 'off', ISSUER_DEADLINE_MS: '60000' };

export const crashOperations = (options: CrashOperationsOptions): Promise<Outcome[]> =>
  onHostDirectory(async (dataDir) => {
    const host = await Host.start(dataDir, SETTINGS);
    const stage = await Stage.open(host, dataDir);
    try {
      return await new Trials(host, stage, options).run();
    } finally {
      await stage.close();
      await host.stop();
    }
  });

class Trials {
  private readonly host: Host;
  private readonly stage: Stage;
  private readonly random: Random;
  private readonly options: CrashOperationsOptions;
  private readonly controls = new Map<string, Control>();
  private readonly counts = { acknowledged: 0, unanswered: 0, absent: 0, unchanging: 0, later: 0 };
  private readonly kills = { service: 0, postgres: 0, both: 0 };
  private readonly trials = { state: 0, repeat: 0, ledger: 0 };
  private readonly failures = {
    recovery: [] as string[],
    control: [] as string[],
    state: [] as string[],
    repeat: [] as string[],
    ledger: [] as string[],
  };

  constructor(host: Host, stage: Stage, options: CrashOperationsOptions) {
    this.host = host;
    this.stage = stage;
    this.options = options;
    this.random = randomOf(`${options.seed}/crash operations`);
  }

  run(): Promise<Outcome[]> {
    const operations = this.stage.document.operations.filter(({ id }) => id.includes(this.options.only ?? ''));
    return this.options.perKind === 0 ? this.runShort(operations) : this.runLong(operations);
  }

  private async runLong(operations: readonly DocumentedOperation[]): Promise<Outcome[]> {
    const { perKind, until = Number.POSITIVE_INFINITY, onProgress = () => {} } = this.options;
    const signed: Case[] = [];
    const cases = operations.map((operation): Case => ({ operation, isSigned: false }));
    await inLanes(cases, (one) => this.control(one, () => signed.push({ ...one, isSigned: true })));
    await inLanes(signed, (one) => this.control(one));
    const all = [...cases, ...signed].filter((one) => this.controls.has(nameOf(one)));
    onProgress(progressOf(`${all.length} requests without a kill`, this.failures.control));
    for (let round = 1; round <= perKind; round += 1) {
      for (const [i, group] of groupsOf(shuffled(all, this.random), TOGETHER).entries()) {
        for (const kind of KILLS) if (Date.now() < until) await this.killDuring(group, kind, this.random.int(0, group.length));
        if (i % PROGRESS_EVERY === 0) onProgress(progressOf(`${this.trials.state} trials`, Object.values(this.failures).flat()));
      }
    }
    const control = {
      goal: 'crash: every operation succeeds without a kill, and its repeat with the same key has no effect',
      trials: cases.length + signed.length,
      failures: this.failures.control,
    };
    return [control, ...this.outcomes(['acknowledged', 'unanswered', 'absent'])];
  }

  private async runShort(operations: readonly DocumentedOperation[]): Promise<Outcome[]> {
    const writes = operations.filter(({ method }) => method !== 'GET').map((operation): Case => ({ operation, isSigned: true }));
    const groups = groupsOf(shuffled(writes, this.random), TOGETHER);
    for (const [i, kind] of KILLS.entries()) await this.killDuring(groups[i] ?? [], kind, Math.floor(TOGETHER / 2));
    return this.outcomes(['acknowledged', 'absent']);
  }

  /** What the request changes when nothing is killed. */
  private async control(one: Case, onSignedRetry: () => void = () => {}): Promise<void> {
    const problem = await this.measure(one, onSignedRetry).catch(({ message }: Error) => message);
    if (problem) this.failures.control.push(`${nameOf(one)}: ${problem}`);
  }

  private async measure(one: Case, onSignedRetry: () => void): Promise<string | undefined> {
    const prepared = await this.stage.prepare(one);
    if (prepared.hasSignedRetry && !one.isSigned) onSignedRetry();
    const first = await prepared.send();
    const once = await this.stage.changesAtRest(prepared);
    const second = await prepared.send();
    const twice = await this.stage.changesAtRest(prepared);
    if (!first || first.status >= 400 || !second) return `${first?.status} ${first?.text}, then ${second?.status}`;
    this.controls.set(nameOf(one), { first, second, once, twice, isLogged: await this.stage.isLogged(prepared, second) });
    const more = differenceOf(twice, once);
    return isKeyed(one) && more !== '' ? `the repeat changes ${more}` : undefined;
  }

  /** Sends the requests of a group at once, kills soon after some of them are answered, and looks at each after the recovery. */
  private async killDuring(group: readonly Case[], kind: Kill, awaited: number): Promise<void> {
    const prepared: Prepared[] = [];
    await inLanes(group, async (one) => {
      const ready = await this.stage.prepare(one).catch(({ message }: Error) => message);
      if (typeof ready === 'string') this.failures.recovery.push(`${nameOf(one)} cannot be prepared before ${kind} is killed: ${ready}`);
      else prepared.push(ready);
    });
    let answered = 0;
    const replies = prepared.map(async ({ send }) => {
      const reply = await send();
      answered += 1;
      return reply;
    });
    const delay = this.random.int(0, MOST_DELAY_MS);
    while (answered < Math.min(awaited, prepared.length)) await nextTurn();
    await sleep(delay);
    this.kills[kind] += 1;
    this.failures.recovery.push(...(await this.host.kill(kind, this.random)));
    const acknowledged = await Promise.all(replies);
    await inLanes(prepared, async (one) => {
      const answer = acknowledged[prepared.indexOf(one)];
      const how = `${kind} killed, ${answer ? `answered ${answer.status}` : 'no answer'}, seed ${this.random.seed}`;
      const fail: Fail = (goal, what) => void this.failures[goal].push(`${nameOf(one.case)} (${how}): ${what}`);
      await this.judge(one, answer, fail).catch(({ message }: Error) => fail('state', message));
    });
  }

  private async judge(one: Prepared, answer: Reply | undefined, fail: Fail): Promise<void> {
    this.trials.state += 1;
    const acknowledged = answer && saysUnavailable(answer) ? undefined : answer;
    const control = this.controls.get(nameOf(one.case));
    if (control) await this.judgeByControl(one, acknowledged, control, fail);
    else await this.judgeByRepeat(one, acknowledged, fail);
    this.trials.ledger += 1;
    await patiently(() => assertLedgerHolds(this.stage.db, one.platformId)).catch((error: Error) => fail('ledger', error.message));
    const gaps = await patiently(() => this.stage.findGaps(one.platformId));
    if (gaps.length > 0) fail('ledger', `the events of ${gaps} are not numbered from 1 without gaps`);
  }

  private count(changesNothing: boolean, answer: Reply | undefined, isComplete: boolean): void {
    if (changesNothing) this.counts.unchanging += 1;
    else if (answer) this.counts.acknowledged += 1;
    else this.counts[isComplete ? 'unanswered' : 'absent'] += 1;
  }

  private async judgeByControl(one: Prepared, answer: Reply | undefined, control: Control, fail: Fail): Promise<void> {
    if (answer && answer.status !== control.first.status) return fail('state', `answered ${answer.text.slice(0, 300)}`);
    const changes = await this.reached(one, answer ? [control.once] : [NONE, control.once]);
    const missing = differenceOf(changes, control.once);
    const isBegun = !answer && changes.size > 0 && one.case.operation.id in IN_STEPS;
    if (missing !== '' && (answer || changes.size > 0) && !isBegun)
      return fail('state', changes.size === 0 ? 'absent' : `incomplete: ${missing}`);
    this.count(control.once.size === 0, answer, missing === '');
    await this.repeat(one, answer, control, missing === '', fail);
  }

  /** The changes are absent or complete: the repeat of a complete request changes nothing more, the repeat of an absent one succeeds. */
  private async judgeByRepeat(one: Prepared, answer: Reply | undefined, fail: Fail): Promise<void> {
    if (answer && answer.status >= 400) return fail('state', `answered ${answer.text.slice(0, 300)}`);
    const isThere = (await this.stage.changes(one)).size > 0;
    const changes = isThere ? await this.stage.changesAtRest(one) : NONE;
    const again = await sendAgain(one);
    const isComplete = isThere && isKeyed(one.case) && !(one.case.operation.id in IN_STEPS);
    const later = await (isComplete ? this.reached(one, [changes]) : this.stage.changes(one));
    if (answer && changes.size === 0 && later.size > 0) fail('state', 'absent');
    this.count(later.size === 0, answer, changes.size > 0);
    this.trials.repeat += 1;
    if (!again || again.status >= (changes.size === 0 ? 400 : 500))
      return fail('repeat', `the repeat is answered with ${again?.status} ${again?.text.slice(0, 300)}`);
    const more = differenceOf(later, changes);
    if (isComplete && more !== '') fail('repeat', `the repeat changes ${more}`);
    if (answer && isKeyed(one.case) && again.status === answer.status && again.text !== answer.text)
      fail('repeat', `answered ${answer.text.slice(0, 200)}, then ${again.text.slice(0, 200)}`);
  }

  /** The same request again: it succeeds, or is answered as the repeat without a kill was. */
  private async repeat(one: Prepared, answer: Reply | undefined, control: Control, isComplete: boolean, fail: Fail): Promise<void> {
    this.trials.repeat += 1;
    const again = await sendAgain(one);
    const [expected, effect] = isComplete ? [control.second, control.twice] : [control.first, control.once];
    // What changes nothing may be answered as a first request again.
    const isExpected = again?.status === expected.status || (control.once.size === 0 && again?.status === control.first.status);
    if (!again || !isExpected)
      return fail('repeat', `after it was ${isComplete ? 'complete' : 'absent'}: ${again?.status} ${again?.text.slice(0, 300)}`);
    if (answer && isKeyed(one.case) && control.first.text === control.second.text && again.text !== answer.text)
      return fail('repeat', `answered ${answer.text.slice(0, 200)}, then ${again.text.slice(0, 200)}`);
    const changes = await this.reached(one, [effect]);
    if (differenceOf(changes, effect) !== '') fail('repeat', `after the repeat: ${differenceOf(changes, effect)}`);
    // The log may lose what it had not written when the process was killed. It records what comes after.
    if (control.isLogged && !(await this.stage.isLogged(one, again))) fail('repeat', 'the request log does not have the repeat');
  }

  /** The changes since the request was prepared, as soon as they are among the expected ones, or after a while. */
  private async reached(one: Prepared, expected: readonly Changes[]): Promise<Changes> {
    const deadline = Date.now() + REST_MS;
    for (let isLate = false; ; await this.stage.settle(one)) {
      const changes = await this.stage.changes(one);
      if (expected.some((some) => differenceOf(changes, some) === '') || Date.now() > deadline) return changes;
      await sleep(25);
      if (isLate || Date.now() < deadline - REST_MS / 2) continue;
      isLate = true;
      this.counts.later += 1;
      await this.stage.settle(one, SOON_MS);
    }
  }

  private outcomes(wanted: readonly (keyof typeof this.counts)[]): Outcome[] {
    const { acknowledged, unanswered, absent, unchanging, later } = this.counts;
    const { service, postgres, both } = this.kills;
    const { state, repeat, ledger } = this.trials;
    const note = `${service} × service, ${postgres} × PostgreSQL, ${both} × both; ${acknowledged} acknowledged, ${unanswered} complete without an answer, ${absent} absent, ${unchanging} that change nothing; ${later} went on with the clock; seed ${this.random.seed}`;
    const missing = wanted.filter((end) => this.counts[end] === 0);
    return [
      {
        goal: 'crash: the service recovers from a kill during any operation',
        trials: service + postgres + both,
        failures: this.failures.recovery,
      },
      { goal: 'crash: every operation is complete or absent after a kill', trials: state, failures: this.failures.state, note },
      { goal: 'crash: every operation repeated after a kill has the effect of one', trials: repeat, failures: this.failures.repeat },
      {
        goal: 'crash: the ledger holds and events have no gaps after a kill during any operation',
        trials: ledger,
        failures: this.failures.ledger,
      },
      {
        goal: 'crash: operations are killed before their commit, after it, and after their answer',
        trials: wanted.length,
        failures: missing.map((end) => `no request was ${end}`),
        isCoverage: true,
      },
    ];
  }
}

type Fail = (goal: 'state' | 'repeat' | 'ledger', what: string) => void;

/** A 503 says that the caller should repeat the request; nobody knows what happened. */
const saysUnavailable = ({ status }: Reply): boolean => status === 503;

/** PostgreSQL may go away after the service has said that it is ready: the kill of a backend ends the others a moment later. */
async function sendAgain(one: Prepared): Promise<Reply | undefined> {
  for (const deadline = Date.now() + UNAVAILABLE_MS; ; await sleep(50)) {
    const reply = await one.send();
    if (!reply || !saysUnavailable(reply) || Date.now() > deadline) return reply;
  }
}

const isKeyed = ({ operation }: Case): boolean => operation.parameters.some(({ name }) => name === 'Idempotency-Key');

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

function groupsOf<Item>(items: readonly Item[], size: number): Item[][] {
  const groups: Item[][] = [];
  for (let at = 0; at < items.length; at += size) groups.push(items.slice(at, at + size));
  return groups;
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
