// Mixed load at a steady rate for an hour: every request is answered, and neither the latency nor the memory of the service grows.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LeanClient } from '../../bench/http-client.js';
import { type Fixture, newFixture, sendMixed } from '../../bench/mixed-traffic.js';
import { startBenchService } from '../../bench/service.js';
import { openDb } from '../../src/db/pool.js';
import { anyPlatform, assertLedgerHolds } from '../support/ledger.js';
import { startReceiver } from '../support/webhooks/receiver.js';
import { type Random, randomOf } from './random.js';
import { type Outcome, progressOf } from './report.js';
import { type Call, TakenTime, undisturbed } from './taken-time.js';

export type EnduranceOptions = {
  readonly seed: string;
  readonly minutes: number;
  readonly onProgress?: (text: string) => void;
};

const CALLERS = 16;
const CUSTOMERS = 64;
/** Well below what the service can do on two processors, so that the latency is that of the service and not of a queue. */
const PER_SECOND = 100;
/** Payments beside the traffic of cards, deposits and customers. */
const PAYMENTS = 0.15;
/** Until caches are full and code is compiled. */
const WARM_UP = 0.15;
/** Of the measured time: the first fifth, the middle one and the last one are compared. */
const WINDOW = 0.2;
const WINDOWS = ['start', 'middle', 'end'] as const;
/** Of the calls of a window, how many must count for its latency. */
const ENOUGH = 0.5;
type Window = (typeof WINDOWS)[number];

/** What is allowed at the end, from what was at the start. The constants are noise of a machine with little to do. */
const mostLatency = (start: number): number => Math.max(1.5 * start, start + 10);
const mostMemory = (start: number): number => Math.max(1.2 * start, start + 48);

type Payer = Fixture & { readonly bankId: string };

export async function endurance({ seed, minutes, onProgress = () => {} }: EnduranceOptions): Promise<Outcome[]> {
  const random = randomOf(`${seed}/load`);
  const service = await startBenchService();
  const receiver = await startReceiver({ forgets: true });
  const { client } = service;
  try {
    await client.expect(200, 0, 'PATCH', '/config', { webhookEndpoint: receiver.url });
    const payers: Payer[] = [];
    for (let i = 0; i < CUSTOMERS; i += 1) payers.push(await newPayer(client));
    const run = new Run(client, payers, random, minutes * 60_000);
    const memory = setInterval(() => run.look(service.memory()), 1_000);
    const progress = setInterval(
      () => onProgress(progressOf(`${run.sent} requests, ${service.memory().toFixed(0)} MiB`, run.errors)),
      30_000,
    );
    await run.work();
    clearInterval(memory);
    clearInterval(progress);
    return [...run.outcomes(minutes), await ledgerOf(service.databaseUrl)];
  } finally {
    client.close();
    await service.stop();
    await receiver.close();
  }
}

class Run {
  readonly errors: string[] = [];
  private readonly calls: Call[] = [];
  private readonly taken = new TakenTime();
  private readonly memory: Readonly<Record<Window, number[]>> = { start: [], middle: [], end: [] };
  private readonly client: LeanClient;
  private readonly payers: readonly Payer[];
  private readonly random: Random;
  private readonly ms: number;
  private readonly began = performance.now();

  constructor(client: LeanClient, payers: readonly Payer[], random: Random, ms: number) {
    this.client = client;
    this.payers = payers;
    this.random = random;
    this.ms = ms;
  }

  async work(): Promise<void> {
    await Promise.all(Array.from({ length: CALLERS }, (_, caller) => this.call(caller)));
  }

  get sent(): number {
    return this.calls.length;
  }

  look(mebibytes: number): void {
    const at = this.now();
    this.taken.look(at);
    const window = this.windowAt(at);
    if (window) this.memory[window].push(mebibytes);
  }

  private now(): number {
    return performance.now() - this.began;
  }

  /** A request is due at its time, whether or not the one before is answered: a wait counts as latency. */
  private async call(caller: number): Promise<void> {
    const every = (1_000 * CALLERS) / PER_SECOND;
    for (let due = (caller / CALLERS) * every; due < this.ms; due += every) {
      await sleep(Math.max(0, due - this.now()));
      const sent = this.now();
      try {
        await this.send(caller);
      } catch (error) {
        this.errors.push((error as Error).message);
      }
      this.calls.push({ due, sent, answered: this.now() });
    }
  }

  private send(caller: number): Promise<unknown> {
    const payer = this.random.pick(this.payers);
    const choice = this.random.int(0, 999_999) / 1_000_000;
    if (choice >= PAYMENTS) return sendMixed(this.client, caller, payer, (choice - PAYMENTS) / (1 - PAYMENTS));
    const destination = this.random.chance(0.5) ? payer.bankId : this.random.pick(this.payers.filter((other) => other !== payer)).accountId;
    return this.client.expect(
      200,
      caller,
      'POST',
      '/quotes',
      {
        source: { sourceType: 'ACCOUNT', accountId: payer.accountId },
        destination: { destinationType: 'ACCOUNT', accountId: destination },
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 100,
        immediatelyExecute: true,
      },
      { 'Idempotency-Key': randomUUID() },
    );
  }

  private windowAt(at: number): Window | undefined {
    const measured = (at / this.ms - WARM_UP) / (1 - WARM_UP);
    if (measured < 0) return undefined;
    if (measured < WINDOW) return 'start';
    if (measured >= 1 - WINDOW) return 'end';
    return Math.abs(measured - 0.5) < WINDOW / 2 ? 'middle' : undefined;
  }

  private byWindow(calls: readonly Call[]): Readonly<Record<Window, number[]>> {
    const latencies: Record<Window, number[]> = { start: [], middle: [], end: [] };
    for (const { due, answered } of calls) {
      const window = this.windowAt(due);
      if (window) latencies[window].push(answered - due);
    }
    return latencies;
  }

  outcomes(minutes: number): Outcome[] {
    const each = (value: (window: Window) => string) => WINDOWS.map((window) => `${window} ${value(window)}`).join(', ');
    const due = this.byWindow(this.calls);
    const counted = this.byWindow(undisturbed(this.calls, this.taken.seconds));
    const isMeasured = WINDOWS.every((window) => counted[window].length >= ENOUGH * due[window].length);
    const p = (window: Window, share: number) => quantile(counted[window], share);
    const leftOut = (window: Window) => `${(100 - (100 * counted[window].length) / due[window].length).toFixed(1)} %`;
    const mebibytes = (window: Window) => quantile(this.memory[window], 0.5);
    const flat = (what: string, start: number, end: number, most: number): string[] =>
      end <= most
        ? []
        : [`${what}: ${start.toFixed(1)} at the start, ${end.toFixed(1)} at the end, at most ${most.toFixed(1)} (lasting ${minutes} min)`];
    return [
      {
        goal: 'load: every request of the mixed load is answered',
        trials: this.sent,
        failures: this.errors,
        note: `${minutes} min at ${PER_SECOND} requests a second`,
      },
      {
        goal: 'load: the latency at the end is that at the start',
        ...(isMeasured
          ? {
              trials: counted.start.length + counted.end.length,
              failures: [
                ...flat('p50 in ms', p('start', 0.5), p('end', 0.5), mostLatency(p('start', 0.5))),
                ...flat('p99 in ms', p('start', 0.99), p('end', 0.99), mostLatency(p('start', 0.99))),
              ],
            }
          : { trials: 0, failures: [], skipped: 'the host of this machine took its processors for more than half of a window' }),
        note: `p50/p99 in ms: ${each((window) => `${p(window, 0.5).toFixed(1)}/${p(window, 0.99).toFixed(1)}`)}; left out, as the host took the processors: ${each(leftOut)}`,
      },
      {
        goal: 'load: the resident memory at the end is that at the start',
        trials: this.memory.start.length + this.memory.end.length,
        failures: flat('MiB', mebibytes('start'), mebibytes('end'), mostMemory(mebibytes('start'))),
        note: `MiB: ${each((window) => mebibytes(window).toFixed(0))}`,
      },
    ];
  }
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

async function newPayer(client: LeanClient): Promise<Payer> {
  const fixture = await newFixture(client);
  const bank = await client.expect(201, 0, 'POST', '/customers/external-accounts', {
    customerId: fixture.customerId,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: `${String(Date.now()).slice(-9)}999`,
      routingNumber: '021000021',
      bankAccountType: 'CHECKING',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper', birthDate: '1990-12-09', countryOfResidence: 'US' },
    },
  });
  return { ...fixture, bankId: JSON.parse(bank).id };
}

async function ledgerOf(url: string): Promise<Outcome> {
  const db = openDb({ url, poolSize: 1 });
  const goal = 'load: the ledger holds at the end';
  try {
    await assertLedgerHolds(db, await anyPlatform(db));
    return { goal, trials: 1, failures: [] };
  } catch (error) {
    return { goal, trials: 1, failures: [(error as Error).message] };
  } finally {
    await db.close();
  }
}
