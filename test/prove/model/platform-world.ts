// What the histories of a platform's administration and of its sandbox share: customers with money, the events of their changes with their
// deliveries, and every request that was made.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type Answer, type Client, expectStatus, type Sent, watched } from '../../support/client.js';
import { given } from '../../support/given.js';
import type { TestService } from '../../support/service.js';
import { openStream } from '../../support/stream.js';
import { envelopeOf } from '../../support/webhooks/platform.js';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.js';
import { readDocument } from '../document.js';
import type { Random } from '../random.js';
import { type Event, type Expected, History, MINUTE } from './history.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read freely; their shape is checked against the document.
export type Resource = any;

export type Person = {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly number: string;
  readonly account: string;
  readonly wallet: string;
  /** What was paid into the account, in order. */
  readonly deposits: number[];
  isDeleted: boolean;
};

export type EventState = {
  readonly id: string;
  readonly type: string;
  readonly object: string;
  readonly sequence: number;
  readonly at: number;
  /** The request that made it, as far as the event names it. */
  readonly cause: string | undefined;
  readonly text: string;
  status: 'NOT_QUEUED' | 'PENDING' | 'DELIVERED' | 'FAILED';
  attempts: number;
};

export type Fault = {
  readonly kind: string;
  readonly operation?: string;
  readonly code?: string;
  readonly delayMs?: number;
  readonly eventType?: string;
  readonly provider?: string;
  readonly objectId?: string;
  readonly count?: number;
  remaining?: number;
};

/** What a snapshot keeps and a reset deletes. Plain values, so that it can be copied as a whole. */
export type Data = {
  people: Person[];
  events: EventState[];
  faults: Fault[];
  /** Answers by their Idempotency-Key. */
  answers: Record<string, string>;
  /** Applied steps by fixture and step, with the id of what they made. */
  fixtures: Record<string, Record<string, { readonly id: string | undefined }>>;
};

/** A request as the log must show it. `token` undefined: the first token of the platform. */
export type Call = {
  readonly id: string | undefined;
  readonly operation: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly token: string | undefined;
  readonly isConsole: boolean;
  readonly ids: readonly string[];
  /** Undefined while the clock runs. */
  readonly at: number | undefined;
};

/** The log is written behind the answer, within a second on a machine that has time for it. */
const LOG_TIMEOUT_MS = 60_000;

export const UNKNOWN = '01950000-0000-7000-8000-000000000000';
/** "Ids in the path, in the body … and, of a write, in the answer; at most 20." Every id in a body here is in the path or in the answer. */
const ID = /\b[A-Z][A-Za-z]+:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const idsIn = (...texts: readonly string[]): string[] => [...new Set(texts.flatMap((text) => text.match(ID) ?? []))].slice(0, 20);
export const keyed = (key: string): Sent => ({ headers: { 'idempotency-key': key } });
export const uuidIn = (id: string): string => id.slice(id.indexOf(':') + 1);
export const wire = (ms: number): string => new Date(ms).toISOString();
export const requestIdOf = (answer: Answer): string => answer.headers.get('x-request-id') as string;

export abstract class PlatformWorld extends History {
  protected data: Data = { people: [], events: [], faults: [], answers: {}, fixtures: {} };
  protected endpoint: string | undefined;
  /** What the receiver answers. */
  protected reply = 200;
  protected receiver!: Receiver;
  protected isFrozen = false;
  protected firstToken = '';
  protected readonly calls: Call[] = [];
  /** Every funding that was ever asked for, also where a restore has taken it back. */
  protected readonly fundings: { readonly key: string; readonly amount: number; readonly account: string }[] = [];
  /** How often each event must have arrived at the receiver. */
  private readonly sends = new Map<string, number>();
  private readonly permissions: ReadonlyMap<string, string | undefined>;
  private made = 0;

  constructor(service: TestService, platform: Client, random: Random) {
    const log: { see?: (method: string, path: string, answer: Answer) => void } = {};
    super(
      service,
      watched(platform, (...call) => log.see?.(...call)),
      random,
    );
    log.see = (...call) => this.keep(...call);
    this.permissions = new Map(readDocument(service.contract.document).operations.map(({ id, permission }) => [id, permission]));
  }

  protected override async prepare(): Promise<void> {
    this.isFrozen = true;
    this.receiver = await startReceiver({ reply: () => this.reply });
    this.firstToken = (await expectStatus(200, this.platform.get('/tokens'))).data[0].id;
    await this.customer();
  }

  override async close(): Promise<void> {
    await this.receiver?.close();
  }

  // ---- requests

  /** "Requests without valid credentials and reads of this log are not in it", nor what the console reads. */
  protected keep(method: string, path: string, answer: Answer, { token = undefined as string | undefined, isConsole = false } = {}): void {
    const bare = path.split('?')[0] as string;
    const operation = this.service.contract.operationIdOf(method, path);
    if (operation) this.called.add(operation);
    if (answer.status === 401 || /^\/requests(\/|$)/.test(bare) || (isConsole && method === 'GET')) return;
    this.calls.push({
      id: requestIdOf(answer),
      operation,
      method,
      // "A path parameter that is not an id is masked."
      path: bare.replace(/^(\/sandbox\/snapshots\/)(?!import$)[^/]+|^(\/webhooks\/events\/)nonsense/, '$1$2•••'),
      status: answer.status,
      code: answer.status < 400 ? undefined : answer.body?.code,
      token,
      isConsole,
      ids: idsIn(bare, method === 'GET' ? '' : answer.text),
      at: this.isFrozen ? this.now : undefined,
    });
  }

  /** The caller sees a connection that ends without an answer; the log has the status 499. */
  protected async cut(method: string, path: string, call: () => Promise<Answer>): Promise<void> {
    const outcome = await call().then(
      ({ text }) => text,
      (error: Error) => error.message,
    );
    this.same(outcome, 'fetch failed', 'the connection is cut');
    const operation = this.service.contract.operationIdOf(method, path);
    const facts = { id: undefined, code: undefined, token: undefined, isConsole: false, at: this.now };
    this.calls.push({ ...facts, operation, method, path, status: 499, ids: idsIn(path) });
  }

  /** A client of another token, whose requests are kept as well. */
  protected clientOf({ clientId, secret, id }: { readonly clientId: string; readonly secret: string; readonly id: string }): Client {
    return watched(this.noting(this.service.as(clientId, secret)), (method, path, answer) =>
      this.keep(method, path, answer, { token: id }),
    );
  }

  /** Whether a token with these permissions may call the operation: each of them includes VIEW. */
  protected mayCall(permissions: readonly string[], operation: string): boolean {
    const needed = this.permissions.get(operation) as string;
    return needed === 'VIEW' || permissions.includes(needed);
  }

  /** All rows of a list, page by page. */
  protected async listed(path: string, limit: number): Promise<Resource[]> {
    const rows: Resource[] = [];
    for (let cursor: string | undefined, page: Resource; !page || page.hasMore; ) {
      page = await expectStatus(200, this.platform.get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor ?? ''}`));
      this.same([page.data.length <= limit, page.nextCursor !== undefined], [true, page.hasMore], `a page of ${path}`);
      rows.push(...page.data);
      cursor = `&cursor=${page.nextCursor}`;
      if (page.totalCount !== undefined && !page.hasMore) this.same(page.totalCount, rows.length, `totalCount of ${path}`);
    }
    return rows;
  }

  protected shown(calls: readonly Call[]): unknown[] {
    return calls
      .map(({ ids: _ids, token = this.firstToken, id, at, ...call }) => ({
        ...call,
        token,
        ...(id && { id }),
        ...(at && { at: wire(at) }),
      }))
      .reverse();
  }

  /** Rows of the log with the members that the call beside them has. */
  protected compareCalls(rows: readonly Resource[], calls: readonly Call[], what: string): void {
    const newest = [...calls].reverse();
    const read = rows.map(({ id, operation, method, path, status, code, tokenId, isConsole = false, timestamp }, i) => {
      const { id: known, at } = newest[i] ?? {};
      return { operation, method, path, status, code, isConsole, token: tokenId, ...(known && { id }), ...(at && { at: timestamp }) };
    });
    this.same(read, this.shown(calls), what);
  }

  /** The log "is written shortly after a request has ended": waits until it has the last one. */
  protected async logged(): Promise<void> {
    const last = this.calls.at(-1)?.id;
    const deadline = Date.now() + LOG_TIMEOUT_MS;
    while (last !== undefined && (await this.platform.get(`/requests/${last}`)).status === 404)
      assert.ok(Date.now() < deadline, `${last} is not in the request log`);
  }

  /** "Every request is found in the log with its operation, status and code": the newest, and some by a filter. */
  async requests(): Promise<void> {
    const limit = this.random.int(1, 40);
    await this.logged();
    const { data } = await expectStatus(200, this.platform.get(`/requests?limit=${limit}`));
    this.note('requests', limit);
    this.compareCalls(data, this.calls.slice(-limit), 'the newest requests');
    const { operation, status } = this.random.pick(this.calls);
    const filters: Record<string, (call: Call) => boolean> = {
      [`operation=${operation}`]: (call) => call.operation === operation,
      [`status=${status}`]: (call) => call.status === status,
      [`operation=${operation}&status=${Math.floor(status / 100)}xx`]: (call) =>
        call.operation === operation && Math.floor(call.status / 100) === Math.floor(status / 100),
      [`objectId=${this.random.pick(this.calls.flatMap(({ ids }) => ids))}`]: () => false,
    };
    const [filter, matches] = this.random.pick(Object.entries(filters));
    const objectId = /^objectId=(.*)/.exec(filter)?.[1];
    const wanted = this.calls.filter((call) => (objectId ? call.ids.includes(objectId) : matches(call)));
    this.compareCalls(await this.listed(`/requests?${filter}`, this.random.pick([13, 100])), wanted, filter);
  }

  /** A stream is a request as well, which ends when its reader leaves. */
  protected async streamed<Data>(path: string, { last, count, during = async () => {} }: StreamOptions): Promise<StreamRow<Data>[]> {
    const stream = await openStream<Data>(this.service, this.platform, path, last);
    await during();
    const messages = await stream.take(count);
    stream.close();
    this.called.add(this.service.contract.operationIdOf('GET', path) as string);
    if (path.startsWith('/requests')) return messages;
    const ended = async (): Promise<Resource> => {
      const answer = await this.platform.get(`/requests/${stream.requestId}`);
      return answer.status === 404 ? ended() : answer.body;
    };
    const { id, operation, status } = await ended();
    this.same(operation, this.service.contract.operationIdOf('GET', path), 'the stream in the log');
    const facts = { method: 'GET', path: path.split('?')[0] as string, code: undefined, token: undefined, isConsole: false, ids: [] };
    this.calls.push({ ...facts, id, operation, status, at: this.now });
    return messages;
  }

  // ---- customers

  protected get present(): Person[] {
    return this.data.people.filter(({ isDeleted }) => !isDeleted);
  }

  protected newFields() {
    this.made += 1;
    const name = `${this.random.pick(['Ada', 'Bea', 'Adam'])} No${this.made} ${this.random.pick(['Love', 'Lovelace', 'Hop'])}`;
    return { fullName: name, email: `${this.made}-${this.tag}@example.com`, platformCustomerId: `c${this.made}-${this.tag}` };
  }

  /** Differs between platforms, although the seed may be the same. */
  private get tag(): string {
    return createHash('sha256').update(this.platform.tokenId).digest('hex').slice(0, 8);
  }

  /** A customer that exists now, with the accounts of the platform's currencies. */
  protected async add(id: string, { fullName, email, platformCustomerId }: NewFields): Promise<Person> {
    const [usd, usdb] = [await given(this.platform).account({ id }, 'USD'), await given(this.platform).account({ id }, 'USDB')];
    const facts = { id, name: fullName, email, number: platformCustomerId, account: usd.id, wallet: usdb.id };
    const person: Person = { ...facts, deposits: [], isDeleted: false };
    this.data.people.push(person);
    return person;
  }

  protected async enter(id: string, fields: NewFields, cause: string | undefined, verdict = 'APPROVED'): Promise<void> {
    await this.add(id, fields);
    await this.learn(cause, [{ type: `CUSTOMER.KYC_${verdict}`, object: id, status: verdict }]);
  }

  async customer(): Promise<void> {
    const fields = this.newFields();
    const answer = await this.platform.post('/customers', { customerType: 'INDIVIDUAL', ...fields });
    this.note('customer', fields.fullName);
    this.agree(answer, 201);
    await this.enter(answer.body.id, fields, requestIdOf(answer));
    await this.deliver();
  }

  /** Empty accounts are closed. A second deletion answers 410. */
  async remove(): Promise<void> {
    const person = this.any(this.data.people);
    if (!person || (!person.isDeleted && this.present.length < 2)) return;
    const answer = await this.platform.delete(`/customers/${person.id}`);
    this.note('remove', person.name);
    if (person.isDeleted) return this.agree(answer, [410, 'CUSTOMER_DELETED']);
    this.agree(answer, 200);
    person.isDeleted = true;
    const closed = [person.wallet, ...(person.deposits.length === 0 ? [person.account] : [])];
    await this.learn(
      requestIdOf(answer),
      closed.map((object) => ({ type: 'INTERNAL_ACCOUNT.STATUS_UPDATED', object, status: 'CLOSED' })),
    );
    await this.deliver();
  }

  async fund(): Promise<void> {
    const person = this.any(this.present);
    if (!person) return;
    const amount = this.random.int(1, 900);
    const key = `fund ${this.calls.length}`;
    const send = () => this.platform.post(`/sandbox/internal-accounts/${person.account}/fund`, { amount }, keyed(key));
    const answer = await send();
    this.note('fund', amount);
    this.agree(answer, 200);
    await this.funded(person, amount, requestIdOf(answer));
    this.same(answer.body.balance.amount, balanceOf(person), 'the balance');
    if (this.random.chance(0.3)) this.same((await send()).text, answer.text, 'the repeated request');
    this.data.answers[key] = answer.text;
    this.fundings.push({ key, amount, account: person.account });
    await this.deliver();
  }

  protected async funded(person: Person, amount: number, cause: string): Promise<void> {
    person.deposits.push(amount);
    const [payment] = await this.learn(cause, [
      { type: 'INCOMING_PAYMENT.COMPLETED', status: 'COMPLETED' },
      { type: 'INTERNAL_ACCOUNT.BALANCE_UPDATED', object: person.account },
    ]);
    const { data } = await expectStatus(200, this.platform.get(`/webhooks/events/${payment?.id}`));
    this.same([data.destination.accountId, data.receivedAmount.amount], [person.account, amount], 'the payment of the event');
  }

  protected async compareCustomers(): Promise<void> {
    const listed = await this.listed('/customers', this.random.pick([3, 100]));
    const text = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id).sort();
    this.same(text(listed), text(this.present), 'the customers');
    for (const person of this.data.people) {
      const { balance } = await expectStatus(200, this.platform.get(`/internal-accounts/${person.account}`));
      this.same(balance.amount, balanceOf(person), `the balance of ${person.name}`);
    }
  }

  // ---- events

  /** The events that a request has made, compared with those expected of it. */
  protected async learn(cause: string | undefined, expected: readonly NewEvent[]): Promise<EventState[]> {
    const { data } = await expectStatus(200, this.platform.get('/webhooks/events?limit=10'));
    const isNew = ({ id }: Resource) => !this.data.events.some((known) => known.id === id);
    const mine = data.filter((event: Resource) => isNew(event) && (cause ?? event.cause?.requestId) === event.cause?.requestId);
    const learned = expected.map(({ type, object, status: state }) => {
      const at = mine.findIndex((event: Resource) => event.type === type && (object ?? event.objectId) === event.objectId);
      const [event] = at < 0 ? [undefined] : mine.splice(at, 1);
      this.same([event?.type, event?.timestamp], [type, wire(this.now)], `the event of ${object ?? 'a new object'}`);
      const before = this.data.events.filter((other) => other.object === event.objectId).length;
      this.same(event.sequence, before + 1, 'its number');
      const status = this.endpoint === undefined ? ('NOT_QUEUED' as const) : ('PENDING' as const);
      const facts = { id: event.id, type, object: event.objectId, sequence: event.sequence, at: this.now, cause };
      return { ...facts, text: [type, state].join(' ').trim(), status, attempts: 0 };
    });
    this.same(mine, [], 'no other event');
    this.data.events.push(...learned);
    return learned;
  }

  /** Everything that is due is sent. */
  protected async deliver(): Promise<void> {
    if (this.endpoint === undefined) return;
    await this.platform.clock.advance(0);
    for (const event of this.data.events) if (event.status === 'PENDING' && event.attempts === 0) this.attempt(event);
  }

  /** "2xx, or 409: delivered; any other status: retried … A TEST event is sent once, without retries." */
  protected attempt(event: EventState): void {
    const fault = this.takeFault(({ kind, eventType }) => kind.startsWith('WEBHOOK') && (eventType ?? event.type) === event.type)?.kind;
    const copies = { WEBHOOK_LOST: 0, WEBHOOK_DUPLICATE: 2 }[fault ?? ''] ?? 1;
    this.sends.set(event.id, (this.sends.get(event.id) ?? 0) + copies);
    event.attempts += 1;
    const isOver = this.reply === 410 || event.type === 'TEST';
    event.status = this.reply === 200 || this.reply === 409 || copies === 0 ? 'DELIVERED' : isOver ? 'FAILED' : 'PENDING';
  }

  /** The first fault that applies and has a case left. */
  protected takeFault(applies: (fault: Fault) => boolean): Fault | undefined {
    const fault = this.data.faults.find((one) => applies(one) && one.remaining !== 0);
    if (fault?.remaining !== undefined) fault.remaining -= 1;
    return fault;
  }

  /** A delivery that failed is repeated within five seconds. */
  protected override passed(ms: number): void {
    if (ms === 0) return;
    for (const event of this.data.events) if (event.status === 'PENDING') this.attempt(event);
  }

  async advance(): Promise<void> {
    await this.pass(this.random.pick([MINUTE, 15 * MINUTE, this.random.int(MINUTE, 30 * MINUTE)]));
  }

  /** An endpoint that does not work for a while. The event says when it is sent again. */
  async refuse(): Promise<void> {
    if (this.endpoint === undefined || this.present.length === 0) return;
    this.reply = this.random.pick([500, 404, 302]);
    this.note('refuse', this.reply);
    await this.fund();
    this.reply = 200;
    const event = this.data.events.at(-1) as EventState;
    if (event.status !== 'PENDING') return;
    const { nextAttemptAt, deliveryStatus } = await expectStatus(200, this.platform.get(`/webhooks/events/${event.id}`));
    const wait = Date.parse(nextAttemptAt) - this.now;
    this.same([deliveryStatus, wait >= 2_500 && wait <= 5_000], ['PENDING', true], `the next attempt after ${wait} ms`);
  }

  /** "List events, newest first". Those of one request are compared as a set. */
  async events(): Promise<void> {
    const { type, object, status, at } = this.any(this.data.events) ?? { type: 'TEST', object: UNKNOWN, status: 'FAILED', at: this.now };
    const delivered = status === 'NOT_QUEUED' ? 'DELIVERED' : status;
    const filters: Record<string, (event: EventState) => boolean> = {
      '': () => true,
      [`?type=${type}`]: (event) => event.type === type,
      [`?objectId=${object}`]: (event) => event.object === object,
      [`?deliveryStatus=${delivered}`]: (event) => event.status === delivered,
      [`?createdAfter=${wire(at)}`]: (event) => event.at >= at,
      [`?createdBefore=${wire(at)}`]: (event) => event.at < at,
    };
    const [filter, matches] = this.random.pick(Object.entries(filters));
    this.note('events', filter.split('=')[0]);
    await this.compareList(filter, matches);
  }

  /** The request that made an event, or the event itself. */
  protected causeOf(eventId: string): string {
    return this.data.events.find(({ id }) => id === eventId)?.cause ?? eventId;
  }

  protected async compareList(filter: string, matches: (event: EventState) => boolean): Promise<void> {
    const listed = await this.listed(`/webhooks/events${filter}`, this.random.pick([9, 100]));
    const read = listed.map((event: Resource) => [
      this.causeOf(event.id),
      `${event.id} ${event.type} ${event.objectId} ${event.sequence} ${event.timestamp} ${event.deliveryStatus} ${event.attemptCount}`,
    ]);
    const known = this.data.events
      .filter(matches)
      .map((one) => [
        this.causeOf(one.id),
        `${one.id} ${one.type} ${one.object} ${one.sequence} ${wire(one.at)} ${one.status} ${one.attempts}`,
      ]);
    this.same(byCause(read), byCause(known.reverse()), `the events ${filter}`);
  }

  // ---- the end

  protected override async finish(): Promise<void> {
    this.reply = 200;
    await this.pass(MINUTE);
    await this.deliver();
    await this.compareCustomers();
    await this.compareList('', () => true);
    const arrived = new Map<string, number>();
    for (const { id } of this.receiver.received.map(envelopeOf)) arrived.set(id, (arrived.get(id) ?? 0) + 1);
    const counts = (map: ReadonlyMap<string, number>) => [...map].filter(([, count]) => count > 0).sort();
    this.same(counts(arrived), counts(this.sends), 'what arrived at the receiver');
    await this.logged();
    this.compareCalls(await this.listed('/requests', 100), this.calls, 'all requests');
  }

  protected override eventText(event: Event): string | undefined {
    return event.type === 'TEST' ? 'TEST' : super.eventText(event);
  }

  protected override expected(): Map<string, string[]> {
    const expected = new Map<string, string[]>();
    for (const { object, type, text } of this.data.events)
      if (type !== 'INTERNAL_ACCOUNT.BALANCE_UPDATED') expected.set(object, [...(expected.get(object) ?? []), text]);
    return expected;
  }
}

export type NewFields = { readonly fullName: string; readonly email: string; readonly platformCustomerId: string };
type NewEvent = { readonly type: string; readonly object?: string; readonly status?: string };
type StreamOptions = { readonly last?: string; readonly count: number; readonly during?: () => Promise<void> };
type StreamRow<Data> = { readonly id: string; readonly event: string; readonly data: Data };
export type Refusal = Exclude<Expected, number>;

export const balanceOf = ({ deposits }: Pick<Person, 'deposits'>): number => deposits.reduce((sum, amount) => sum + amount, 0);

/** Texts of one cause that follow each other, sorted. */
export function byCause(rows: readonly (readonly string[])[]): string[][] {
  const groups: { cause: string | undefined; texts: string[] }[] = [];
  for (const [cause, text = ''] of rows) {
    const last = groups.at(-1);
    if (last && last.cause === cause) last.texts.push(text);
    else groups.push({ cause, texts: [text] });
  }
  return groups.map(({ texts }) => texts.sort());
}
