// A random history of one platform beside its model: the choices, the clock, the comparison of answers, and of events at the end.
import assert from 'node:assert/strict';
import { sql } from '../../../src/db/sql.js';
import type { ErrorCode } from '../../../src/kernel/errors.js';
import { uuidOf } from '../../../src/kernel/ids.js';
import { type Answer, assertRefused, type Client, expectStatus, watched } from '../../support/client.js';
import { assertLedgerHolds } from '../../support/ledger.js';
import type { TestService } from '../../support/service.js';
import { platformIdOf } from '../../support/webhooks/platform.js';
import type { Random } from '../random.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** In summer, midnight in Chicago is 05:00 UTC, so the model needs no calendar. */
export const START = Date.parse('2030-05-14T15:20:00Z');

/** How often a command is taken, and what it does. */
export type Command = readonly [weight: number, run: () => Promise<void>];
// biome-ignore lint/suspicious/noExplicitAny: event data is a resource, whose shape is checked where it is answered.
export type Event = { readonly type: string; readonly object: string; readonly data: any };
/** A status, or a refusal with its code. */
export type Expected = number | readonly [number, ErrorCode];

/**
 * The commands of a history call the service and its model, which is written from the specification, and compare both. A command that has
 * nothing to work on returns without a note, and another is taken.
 */
export abstract class History {
  readonly trace: string[] = [];
  /** Comparisons so far. */
  answers = 0;
  /** Ids of the operations that were called by a command that compared something. */
  readonly called = new Set<string>();
  private readonly calledNow = new Set<string>();
  /** A history that needs other settings starts a service of its own in `prepare`, and ends it in `close`. */
  protected service: TestService;
  protected platform: Client;
  protected readonly random: Random;
  /** The time of the platform. Its clock is frozen. */
  protected now = START;

  constructor(service: TestService, platform: Client, random: Random) {
    this.service = service;
    this.random = random;
    this.platform = this.noting(platform);
  }

  /** The same client; the operations that it calls are noted. */
  protected noting(client: Client): Client {
    return watched(client, (method, path) => {
      const id = this.service.contract.operationIdOf(method, path);
      if (id) this.calledNow.add(id);
    });
  }

  abstract commands(): Readonly<Record<string, Command>>;
  /** Objects without which no command could run. */
  protected async prepare(): Promise<void> {}
  /** Called after each command. */
  protected afterCommand(): void {}
  /** The model after this much time, which the service has let pass. */
  protected passed(_ms: number): void {}
  /** Lets everything under way end, and compares what is left. */
  protected async finish(): Promise<void> {}
  /** Gives back what a history keeps open, such as a receiver. Called in the end, also after a failure. */
  async close(): Promise<void> {}
  /** The events of each object, in order, as `eventText` writes them. */
  protected abstract expected(): ReadonlyMap<string, readonly string[]>;
  /** An event as the model expects it; undefined if the history compares it in another way. */
  protected eventText({ type, data }: Event): string | undefined {
    return type === 'INTERNAL_ACCOUNT.BALANCE_UPDATED' ? undefined : `${type} ${data.status ?? data.kycStatus}`;
  }
  /** For events that are compared in another way. */
  protected async compareEvents(_events: readonly Event[]): Promise<void> {}

  async run(commands: number): Promise<void> {
    await this.platform.clock.freeze(new Date(START));
    await this.prepare();
    const all = this.commands();
    const weights = Object.fromEntries(Object.entries(all).map(([name, [weight]]) => [name, weight]));
    // Commands that had nothing to work on so far are tried again, so that each is run in most histories.
    const waiting = new Set(Object.keys(all));
    while (this.trace.length < commands) {
      const kind = waiting.size > 0 && this.random.chance(0.5) ? this.random.pick([...waiting]) : this.random.weighted(weights);
      const length = this.trace.length;
      await this.comparing(async () => all[kind]?.[1]());
      this.afterCommand();
      if (this.trace.length > length) waiting.delete(kind);
    }
  }

  /** Notes the operations that this work calls, if it compares anything. */
  private async comparing(work: () => Promise<void>): Promise<void> {
    const compared = this.answers;
    this.calledNow.clear();
    await work();
    if (this.answers > compared) for (const id of this.calledNow) this.called.add(id);
  }

  protected note(kind: string, ...details: readonly unknown[]): void {
    this.trace.push([kind, ...details].join(' '));
  }

  protected agree(answer: Answer, expected: Expected): void {
    this.answers += 1;
    if (typeof expected === 'number') assert.equal(answer.status, expected, answer.text);
    else assertRefused(answer, ...expected);
  }

  protected same(real: unknown, expected: unknown, what: string): void {
    this.answers += 1;
    assert.deepEqual(real, expected, what);
  }

  /** One of the list, or undefined if it is empty. */
  protected any<Item>(list: readonly Item[]): Item | undefined {
    return list.length > 0 ? this.random.pick(list) : undefined;
  }

  /** Lets time pass for the service and for the model. */
  protected async pass(ms: number): Promise<void> {
    await this.platform.clock.advance(ms);
    this.note('advance', ms);
    this.now += ms;
    this.passed(ms);
  }

  /** Compares the end, the ledger and every event. Returns the events, grouped by object in the order of creation. */
  async end(): Promise<string[]> {
    await this.comparing(() => this.finish());
    const platformId = await platformIdOf(this.service, this.platform);
    const { db } = this.service;
    await assertLedgerHolds(db, platformId);
    this.same(await db.many(sql`select id from holds where platform_id = ${uuidOf(platformId)}`), [], 'no hold is left');
    const events = await db.many<Event>(sql`
      select type, object_id as object, data from webhook_events where platform_id = ${uuidOf(platformId)} order by object_id, sequence`);
    const texts = new Map<string, string[]>();
    for (const event of events) {
      const text = this.eventText(event);
      if (text !== undefined) texts.set(event.object, [...(texts.get(event.object) ?? []), text]);
    }
    this.same(sorted(texts), sorted(this.expected()), 'events');
    await this.compareLastBalances(events);
    await this.compareEvents(events);
    return [...texts.values()].flat();
  }

  /** The last balance that was notified is the balance. */
  private async compareLastBalances(events: readonly Event[]): Promise<void> {
    const last = new Map<string, unknown>();
    for (const { type, object, data } of events)
      if (type === 'INTERNAL_ACCOUNT.BALANCE_UPDATED') last.set(object, [data.balance.amount, data.totalBalance.amount]);
    for (const [id, notified] of last) {
      const { balance, totalBalance } = await expectStatus(200, this.platform.get(`/internal-accounts/${id}`));
      this.same(notified, [balance.amount, totalBalance.amount], `the last notified balance of ${id}`);
    }
  }
}

const sorted = <Value>(map: ReadonlyMap<string, Value>): [string, Value][] => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

/** Account and amount of every deposit, in the order of their texts. */
export const depositsIn = (events: readonly Event[]): string[] =>
  events
    .filter(({ type }) => type === 'INCOMING_PAYMENT.COMPLETED')
    .map(({ data }) => `${data.destination.accountId} ${data.receivedAmount.amount}`)
    .sort();
