// Histories of webhooks: endpoints, deliveries, resending, signing keys and streams; and of what shows them beside the requests: the request
// log, timelines and the search.
import { expectStatus } from '../../support/client.js';
import { envelopeOf } from '../../support/webhooks/platform.js';
import { verifyServiceSignature, verifyStandardSignature } from '../../support/webhooks/verify.js';
import { type Command, DAY } from './history.js';
import {
  balanceOf,
  byCause,
  type EventState,
  type Person,
  PlatformWorld,
  type Resource,
  requestIdOf,
  UNKNOWN,
  uuidIn,
  wire,
} from './platform-world.js';

type SigningKey = { readonly id: string; readonly pem: string; readonly standard: string; readonly at: string; retiresAt?: number };

export class WebhookHistory extends PlatformWorld {
  private keys: SigningKey[] = [];

  override commands(): Readonly<Record<string, Command>> {
    return {
      customer: [6, () => this.customer()],
      remove: [2, () => this.remove()],
      fund: [7, () => this.fund()],
      advance: [4, () => this.advance()],
      endpoint: [4, () => this.setEndpoint()],
      test: [4, () => this.test()],
      events: [6, () => this.events()],
      event: [4, () => this.event()],
      resend: [5, () => this.resend()],
      replay: [4, () => this.replay()],
      refuse: [3, () => this.refuse()],
      gone: [2, () => this.gone()],
      signingKeys: [2, () => this.signingKeys()],
      rotate: [3, () => this.rotate()],
      follow: [3, () => this.follow()],
      requests: [6, () => this.requests()],
      request: [5, () => this.request()],
      followRequests: [2, () => this.followRequests()],
      timeline: [5, () => this.timeline()],
      search: [6, () => this.search()],
    };
  }

  // ---- the endpoint

  /** "A TEST event is sent when the endpoint is changed." */
  private async setEndpoint(url = `${this.receiver.url}/${this.random.int(1, 3)}`): Promise<void> {
    const answer = await this.platform.patch('/config', { webhookEndpoint: url });
    this.note('endpoint', url.slice(-1));
    this.agree(answer, 200);
    const isChanged = this.endpoint !== url;
    this.endpoint = url;
    if (isChanged) await this.learn(requestIdOf(answer), [{ type: 'TEST' }]);
    await this.deliver();
  }

  /** "returns `response_status`, `response_body`, `url`; 400 `WEBHOOK_ENDPOINT_NOT_SET` / `WEBHOOK_DELIVERY_ERROR`" */
  private async test(): Promise<void> {
    for (const path of ['/webhooks/test', '/sandbox/webhooks/test']) await this.testAt(path);
  }

  private async testAt(path: string): Promise<void> {
    this.reply = this.random.pick([200, 200, 409, 500]);
    const answer = await this.platform.post(path);
    this.note('test', path, this.reply);
    if (this.endpoint === undefined) this.agree(answer, [400, 'WEBHOOK_ENDPOINT_NOT_SET']);
    else {
      this.agree(answer, this.reply === 500 ? [400, 'WEBHOOK_DELIVERY_ERROR'] : 200);
      const { response_status, url } = this.reply === 500 ? answer.body.details : answer.body;
      this.same([response_status, url], [this.reply, this.endpoint], 'what the receiver answered');
      const [event] = await this.learn(requestIdOf(answer), [{ type: 'TEST' }]);
      this.attempt(event as EventState);
      await this.compareSignatures();
    }
    this.reply = 200;
  }

  /** "410: delivery stops until you set the endpoint again; then the waiting events are sent." */
  private async gone(): Promise<void> {
    if (this.endpoint === undefined) return;
    this.note('gone');
    this.reply = 410;
    await this.customer();
    const stopped = this.data.events.at(-1);
    this.same(stopped?.status, 'FAILED', 'the model of the event');
    this.reply = 200;
    const person = this.random.pick(this.present);
    const answer = await this.platform.post(`/sandbox/internal-accounts/${person.account}/fund`, { amount: 5 });
    this.agree(answer, 200);
    await this.funded(person, 5, requestIdOf(answer));
    await this.platform.clock.advance(0);
    await this.compareList('?deliveryStatus=PENDING', ({ status }) => status === 'PENDING');
    await this.setEndpoint(this.endpoint);
    await this.compareList('', () => true);
  }

  // ---- events

  /** An event with every attempt, latest first. */
  private async event(): Promise<void> {
    const event = this.any(this.data.events);
    if (!event || this.random.chance(0.15)) {
      const id = this.random.pick([`Webhook:${UNKNOWN}`, 'nonsense']);
      this.note('event', id);
      return this.agree(await this.platform.get(`/webhooks/events/${id}`), [404, 'NOT_FOUND']);
    }
    this.note('event', event.type, event.status);
    await this.compareEvent(event);
  }

  private async compareEvent({ id, type, object, sequence, at, status, attempts, cause }: EventState): Promise<void> {
    const read = await expectStatus(200, this.platform.get(`/webhooks/events/${id}`));
    const shown = [read.type, read.objectId, read.sequence, read.timestamp, read.deliveryStatus];
    this.same(shown, [type, object, sequence, wire(at), status], 'the event');
    if (cause) this.same(read.cause, { requestId: cause }, 'its cause');
    const numbers = read.attempts.map((attempt: Resource) => attempt.number);
    this.same(
      numbers,
      Array.from({ length: attempts }, (_, i) => attempts - i),
      'its attempts',
    );
    if (status === 'DELIVERED') this.same([200, 409].includes(read.attempts[0].responseStatus), true, 'the answer of the last attempt');
  }

  private async resend(): Promise<void> {
    const event = this.any(this.data.events);
    const id = event && this.random.chance(0.9) ? event.id : `Webhook:${UNKNOWN}`;
    const answer = await this.platform.post(`/webhooks/events/${id}/resend`);
    this.note('resend', event?.id === id ? event.status : 'unknown');
    if (event?.id !== id) return this.agree(answer, [404, 'NOT_FOUND']);
    if (this.endpoint === undefined) return this.agree(answer, [400, 'WEBHOOK_ENDPOINT_NOT_SET']);
    this.agree(answer, 202);
    this.same([answer.body.id, answer.body.deliveryStatus, answer.body.attemptCount], [id, 'PENDING', event.attempts], 'the queued event');
    await this.platform.clock.advance(0);
    this.attempt(event);
    await this.compareEvent(event);
  }

  /** "replay all since a time": events at that time included, TEST events and those that are being delivered left out. */
  private async replay(): Promise<void> {
    const since = this.any(this.data.events)?.at ?? this.now;
    const type = this.random.chance(0.5)
      ? this.random.pick(['CUSTOMER.KYC_APPROVED', 'INTERNAL_ACCOUNT.BALANCE_UPDATED', 'TEST'])
      : undefined;
    const undeliveredOnly = this.random.chance(0.5);
    const answer = await this.platform.post('/webhooks/replay', { since: wire(since), undeliveredOnly, ...(type && { types: [type] }) });
    this.note('replay', this.now - since, type ?? '', undeliveredOnly ? 'undelivered' : '');
    if (this.endpoint === undefined) return this.agree(answer, [400, 'WEBHOOK_ENDPOINT_NOT_SET']);
    this.agree(answer, 202);
    const queued = this.data.events.filter(
      (event) =>
        event.at >= since &&
        event.type !== 'TEST' &&
        (type ?? event.type) === event.type &&
        event.status !== 'PENDING' &&
        !(undeliveredOnly && event.status === 'DELIVERED'),
    );
    this.same(answer.body.queued, queued.length, 'how many were queued');
    await this.platform.clock.advance(0);
    for (const event of queued) this.attempt(event);
    await this.compareList('', () => true);
  }

  /** The stream goes on after the last event seen and skips none, or begins now. */
  private async follow(): Promise<void> {
    const { events } = this.data;
    // The order of the events of one request is not defined, so the last one seen is the only one of its request.
    const seen = events.slice(0, -1).filter(({ id, cause }) => !cause || events.every((other) => other.cause !== cause || other.id === id));
    const last = this.random.chance(0.6) ? this.any(seen) : undefined;
    const missed = last ? events.slice(events.indexOf(last) + 1) : [];
    this.note('follow', last ? missed.length : 'new');
    const messages = await this.streamed<Resource>('/webhooks/stream', {
      ...(last && { last: last.id }),
      count: last ? missed.length : 1,
      during: async () => (last ? undefined : this.customer()),
    });
    const read = messages.map(({ id, event, data }) => [this.causeOf(id), `${id} ${event} ${data.objectId} ${data.sequence}`]);
    const expected = (last ? missed : events.slice(-1)).map(({ id, type, object, sequence }) => [
      this.causeOf(id),
      `${id} ${type} ${object} ${sequence}`,
    ]);
    this.same(byCause(read), byCause(expected), 'the events of the stream');
    this.agree(await this.platform.get('/webhooks/stream', { headers: { 'last-event-id': `Webhook:${UNKNOWN}` } }), [404, 'NOT_FOUND']);
  }

  // ---- signing keys

  /** Keys that sign now, oldest first. */
  private get signing(): SigningKey[] {
    return this.keys.filter(({ retiresAt = Number.POSITIVE_INFINITY }) => retiresAt > this.now);
  }

  private async signingKeys(): Promise<void> {
    this.note('signingKeys', this.signing.length);
    await this.readKeys();
    const { data } = await expectStatus(200, this.platform.get('/webhooks/signing-secrets'));
    this.same(
      data.map(({ keyId }: Resource) => keyId),
      this.signing.map(({ id }) => id),
      'the secrets',
    );
    this.same(
      data.every(({ secret }: Resource) => /^whsec_/.test(secret)),
      true,
      'their form',
    );
  }

  /** The first key is made when it is needed. */
  private async readKeys(): Promise<void> {
    const { data } = await expectStatus(200, this.platform.get('/webhooks/signing-keys'));
    if (this.keys.length === 0) this.keys = data.map(keyOf);
    this.same(data.map(keyOf), this.signing, 'the signing keys');
  }

  /** "During the overlap (24 hours by default) both the old and the new keys sign. 0 retires the old keys at once." One overlap at a time. */
  private async rotate(): Promise<void> {
    await this.readKeys();
    const overlap = this.random.pick([0, 60, 3_600, undefined]);
    const answer = await this.platform.post(
      '/webhooks/signing-keys/rotate',
      overlap === undefined ? undefined : { overlapSeconds: overlap },
    );
    this.note('rotate', overlap ?? 'default');
    if (this.signing.length > 1 && overlap !== 0) return this.agree(answer, [409, 'CONFLICT']);
    this.agree(answer, 200);
    for (const key of this.signing) key.retiresAt = this.now + (overlap ?? DAY / 1_000) * 1_000;
    const made = answer.body.data.map(keyOf).at(-1);
    this.same([made.at, made.retiresAt], [wire(this.now), undefined], 'the new key');
    this.keys.push(made);
    this.same(answer.body.data.map(keyOf), this.signing, 'the keys');
    await this.readKeys();
  }

  /** Every key that signs now has signed the last delivery, and the older ones have not. */
  private async compareSignatures(): Promise<void> {
    await this.readKeys();
    const { headers, body } = this.receiver.received.at(-1) as (typeof this.receiver.received)[number];
    const proofs = (keys: readonly SigningKey[]) =>
      keys.map(({ pem, standard }) => [verifyServiceSignature(pem, headers, body), verifyStandardSignature(standard, headers, body)]);
    this.same(
      proofs(this.keys),
      this.keys.map((key) => (this.signing.includes(key) ? [true, true] : [false, false])),
      'the signatures',
    );
    this.same(envelopeOf(this.receiver.received.at(-1)).type, 'TEST', 'what was signed');
  }

  // ---- the request log, timelines and search

  private async request(): Promise<void> {
    const call = this.random.pick(this.calls.slice(-40));
    await this.logged();
    if (this.random.chance(0.15)) {
      this.note('request', 'unknown');
      return this.agree(await this.platform.get(`/requests/${UNKNOWN}`), [404, 'NOT_FOUND']);
    }
    const read = await expectStatus(200, this.platform.get(`/requests/${call.id}`));
    this.note('request', call.operation);
    this.compareCalls([read], [call], 'the request');
    const made = this.data.events.filter(({ cause }) => cause === call.id).map(({ id }) => id);
    this.same([...read.eventIds].sort(), made.sort(), 'the events that it made');
    this.same([...read.objectIds].sort(), [...call.ids].sort(), 'the objects that it names');
    if (call.status >= 400) this.same(JSON.parse(read.responseBody).code, call.code, 'the refusal');
  }

  /** "A reader that reconnects sends the last id it has seen and misses nothing that is still kept." */
  private async followRequests(): Promise<void> {
    const from = Math.max(0, this.calls.length - this.random.int(2, 12));
    const missed = this.calls.slice(from + 1);
    await this.logged();
    const messages = await this.streamed<Resource>('/requests/stream', { last: this.calls[from]?.id as string, count: missed.length });
    this.note('followRequests', missed.length);
    this.compareCalls(messages.map(({ data }) => data).reverse(), missed, 'the requests of the stream');
    this.agree(await this.platform.get(`/requests/stream?lastRequestId=${UNKNOWN}`), [404, 'NOT_FOUND']);
  }

  /** "Everything that happened to an object, newest first": requests that name it, ledger entries, and events with their attempts. */
  private async timeline(): Promise<void> {
    const person = this.random.pick(this.data.people);
    const object = this.random.pick([person.account, person.id, this.any(this.data.events)?.object ?? person.id, `Customer:${UNKNOWN}`]);
    this.note('timeline', object.split(':')[0]);
    await this.logged();
    const items = await this.listed(`/timeline?objectId=${object}`, this.random.pick([4, 100]));
    const of = (kind: string) => items.filter((item) => item.kind === kind);
    const calls = this.calls.filter(({ ids }) => ids.includes(object)).reverse();
    this.same(
      of('REQUEST').map(({ requestId }) => requestId),
      calls.map(({ id }) => id),
      'requests that name it',
    );
    const events = this.data.events.filter((event) => event.object === object).reverse();
    const shown = of('EVENT').map(({ eventId, type, sequence, attempts }) => [eventId, type, sequence, attempts.length]);
    this.same(
      shown,
      events.map((event) => [event.id, event.type, event.sequence, Math.min(10, event.attempts)]),
      'its events',
    );
    const owner = this.data.people.find(({ account }) => account === object);
    if (owner)
      this.same(
        of('LEDGER_ENTRY').map(({ amount, balanceAfter }) => [amount, balanceAfter]),
        entriesOf(owner),
        'its ledger entries',
      );
    const times = items.map(({ occurredAt }) => occurredAt);
    this.same(times, [...times].sort().reverse(), 'newest first');
  }

  /** "A text finds the customers whose name, last word of the name, email address or platform id begins with it, in any case." */
  private async search(): Promise<void> {
    const person = this.random.pick(this.data.people);
    const [text, isId] = this.random.pick([
      [person.name.slice(0, this.random.int(1, person.name.length)), false],
      [person.name.split(' ').at(-1)?.toUpperCase() as string, false],
      [person.email.toUpperCase(), false],
      [person.number.slice(0, 3), false],
      [person.id, true],
      [` ${uuidIn(person.account).toUpperCase()} `, true],
      [uuidIn(this.firstToken), true],
      [this.any(this.data.events)?.id ?? person.id, true],
      [this.any(this.calls)?.id as string, true],
      [`Card:${UNKNOWN}`, true],
    ] as const);
    // The log is written shortly after a request; a read of it waits for that.
    if (isId) await this.logged();
    const { data } = await expectStatus(200, this.platform.get(`/search?limit=50&q=${encodeURIComponent(text)}`));
    this.note('search', isId ? 'id' : text.split('-')[0]);
    if (!isId) {
      const begins = (value: string) => value.toLowerCase().startsWith(text.toLowerCase());
      const found = this.present.filter(({ name, email, number }) => [name, name.split(' ').at(-1) ?? '', email, number].some(begins));
      const members = ({ id, name, email, number }: Person) => ({ type: 'Customer', id, name, email, platformCustomerId: number });
      return this.same(sorted(data), sorted(found.map(members)), `search for ${text}`);
    }
    const found = this.everything().filter(({ id }) => id === text || uuidIn(id) === text.trim().toLowerCase());
    this.same(data, found, `search for ${text}`);
  }

  /** Every object that exists, and every request of the log. */
  private everything(): { type: string; id: string }[] {
    const ids = [
      ...this.present.map(({ id }) => id),
      ...this.data.people.flatMap(({ account, wallet }) => [account, wallet]),
      ...this.data.events.map(({ id }) => id),
      this.firstToken,
    ];
    const requests = this.calls.map(({ id }) => ({ type: 'LoggedRequest', id: id as string }));
    return [...ids.map((id) => ({ type: id.split(':')[0] as string, id })), ...requests];
  }
}

const keyOf = ({ id, publicKeyPem, standardWebhooksPublicKey, createdAt, retiresAt }: Resource): SigningKey => ({
  id,
  pem: publicKeyPem,
  standard: standardWebhooksPublicKey,
  at: createdAt,
  ...(retiresAt && { retiresAt: Date.parse(retiresAt) }),
});

/** Amounts with the balance after each, newest first. */
function entriesOf(person: Person): [number, number][] {
  const balances = person.deposits.map((amount, i): [number, number] => [amount, balanceOf({ deposits: person.deposits.slice(0, i + 1) })]);
  return balances.reverse();
}

const sorted = (rows: readonly { readonly id: string }[]): unknown[] => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
