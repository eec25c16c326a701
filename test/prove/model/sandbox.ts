// Histories of a sandbox: its clock, faults, fixtures, snapshots and resets. A restore takes the model back to its copy, and a reset empties it.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of fixtures look like this.
import { type Answer, expectStatus } from '../../support/client.js';
import { platformNameOf } from '../../support/platform-name.js';
import { type Command, HOUR, MINUTE } from './history.js';
import {
  type Data,
  type Fault,
  keyed,
  type NewFields,
  PlatformWorld,
  type Resource,
  requestIdOf,
  UNKNOWN,
  wire,
} from './platform-world.js';

type Snapshot = {
  readonly name: string;
  /** As the API shows it. */
  readonly shown: Resource;
  readonly now: number;
  readonly data: Data;
  readonly config: Resource;
};

const PASSPHRASE = 'correct horse battery staple';
const CODES = { SERVICE_UNAVAILABLE: 503, INTERNAL_ERROR: 500, RATE_LIMITED: 429 } as const;
const NOTHING: Data = { people: [], events: [], faults: [], answers: {}, fixtures: {} };

export class SandboxHistory extends PlatformWorld {
  private snapshots: Snapshot[] = [];
  private config: Resource = {};
  private tokens: Resource[] = [];
  private names = 0;

  override commands(): Readonly<Record<string, Command>> {
    return {
      order: [7, () => this.order()],
      remove: [2, () => this.remove()],
      fund: [5, () => this.fund()],
      repeat: [4, () => this.repeat()],
      refuse: [2, async () => (this.hasWebhookFault ? undefined : this.refuse())],
      advance: [3, () => this.advance()],
      clock: [2, () => this.clock()],
      setClock: [4, () => this.setClock()],
      wrongClock: [1, () => this.wrongClock()],
      token: [1, () => this.token()],
      config: [3, () => this.patch()],
      faults: [6, () => this.setFaults()],
      wrongFaults: [2, () => this.wrongFaults()],
      passingFault: [3, () => this.passingFault()],
      dropFaults: [1, () => this.dropFaults()],
      probe: [5, () => this.probe()],
      fixture: [5, () => this.fixture()],
      wrongFixture: [3, () => this.wrongFixture()],
      snapshot: [5, () => this.snapshot()],
      wrongSnapshot: [2, () => this.wrongSnapshot()],
      restore: [6, () => this.restore()],
      dropSnapshot: [1, () => this.dropSnapshot()],
      transfer: [2, () => this.transfer()],
      reset: [1, () => this.reset()],
      events: [4, () => this.events()],
      requests: [4, () => this.requests()],
    };
  }

  protected override async prepare(): Promise<void> {
    await super.prepare();
    this.tokens = (await expectStatus(200, this.platform.get('/tokens'))).data;
    await this.patch({ webhookEndpoint: this.receiver.url });
  }

  // ---- what is restored, and what is not

  /** The configuration is part of a snapshot, and stays in a reset. */
  private async patch(patch: Resource = { cardConfigs: { maxSpendPerDay: this.random.int(1, 99) } }): Promise<void> {
    const answer = await this.platform.patch('/config', patch);
    this.note('config', Object.keys(patch));
    this.agree(answer, 200);
    this.config = { ...this.config, ...answer.body, ...patch, updatedAt: wire(this.now) };
    this.same(answer.body, this.config, 'the configuration');
    if (patch.webhookEndpoint) {
      this.endpoint = patch.webhookEndpoint;
      await this.learn(requestIdOf(answer), [{ type: 'TEST' }]);
    }
    await this.deliver();
  }

  /** Tokens are no part of a snapshot, and stay in a reset. */
  private async token(): Promise<void> {
    const answer = await this.platform.post('/tokens', { name: 'reader', permissions: ['VIEW'] });
    this.note('token');
    this.agree(answer, 201);
    const { clientSecret: _secret, ...shown } = answer.body;
    this.tokens = [shown, ...this.tokens];
  }

  /** An Idempotency-Key is data: after a restore of an earlier moment, or a reset, the request is a new one. */
  private async repeat(): Promise<void> {
    const { key, amount, account } = this.any(this.fundings) ?? { key: '', amount: 0, account: '' };
    const person = this.present.find((one) => one.account === account);
    if (!person) return;
    const answer = await this.platform.post(`/sandbox/internal-accounts/${account}/fund`, { amount }, keyed(key));
    const first = this.data.answers[key];
    this.note('repeat', amount, first ? 'known' : 'new');
    this.agree(answer, 200);
    if (first) return this.same([answer.text, answer.headers.get('idempotent-replayed')], [first, 'true'], 'the repeated request');
    await this.funded(person, amount, requestIdOf(answer));
    this.data.answers[key] = answer.text;
    await this.deliver();
  }

  private async compareAll(): Promise<void> {
    this.same(await expectStatus(200, this.platform.get('/config')), this.config, 'the configuration');
    this.same(await this.listed('/tokens', 100), this.tokens, 'the tokens');
    await this.compareClock();
    await this.compareCustomers();
    await this.compareList('', () => true);
    await this.compareFaults();
  }

  // ---- the clock

  private async compareClock(): Promise<void> {
    const { now, frozen, due } = await expectStatus(200, this.platform.get('/sandbox/clock'));
    this.same([now, frozen], [wire(this.now), true], 'the clock');
    // A delivery that failed is due within five seconds.
    const isSoon = due.some(({ dueAt }: Resource) => Date.parse(dueAt) <= this.now + 5_000);
    this.same(isSoon, this.isWaiting, 'what is due');
  }

  private get isWaiting(): boolean {
    return this.data.events.some(({ status }) => status === 'PENDING');
  }

  private async clock(): Promise<void> {
    this.note('clock');
    await this.compareClock();
  }

  /** "If you set the sandbox clock back, waiting events are retried at once." A clock that runs is frozen again in the same command. */
  private async setClock(): Promise<void> {
    const kind = this.random.pick(['set', 'back', 'resume', 'freeze'] as const);
    this.note('setClock', kind);
    const to = this.now + (kind === 'back' ? -this.random.int(MINUTE, 3 * HOUR) : this.random.int(MINUTE, 2 * HOUR));
    if (kind === 'freeze') return this.agree(await this.platform.put('/sandbox/clock', { frozen: true }), 200);
    if (kind === 'resume') {
      const resumed = await expectStatus(200, this.platform.put('/sandbox/clock', { frozen: false }));
      this.isFrozen = false;
      const { now, frozen } = await expectStatus(200, this.platform.get('/sandbox/clock'));
      const times = [this.now, Date.parse(resumed.now), Date.parse(now), this.now + MINUTE];
      this.same([resumed.frozen, frozen, [...times].sort()], [false, false, times], 'a clock that runs');
    }
    const answer = await this.platform.put('/sandbox/clock', { now: wire(to), frozen: true });
    this.agree(answer, 200);
    this.same([answer.body.now, answer.body.complete], [wire(to), true], 'the clock');
    this.isFrozen = true;
    this.now = to;
    this.passed(MINUTE);
    await this.compareClock();
  }

  private async wrongClock(): Promise<void> {
    const change = this.random.pick([{}, { advanceMs: -1 }, { now: 'yesterday' }, { now: '9500-01-01T00:00:00Z' }, { frozen: 'yes' }]);
    this.note('wrongClock', JSON.stringify(change));
    this.agree(await this.platform.put('/sandbox/clock', change), [400, 'INVALID_INPUT']);
    await this.compareClock();
  }

  // ---- faults

  private get hasWebhookFault(): boolean {
    return this.data.faults.some(({ kind }) => kind.startsWith('WEBHOOK'));
  }

  private someFault(): Fault {
    const operation = this.random.pick(['createCustomer', 'listCards']);
    const count = this.random.int(1, 2);
    const kind = this.random.weighted({ ANSWER: 3, DELAY: 1, CUT_BEFORE_COMMIT: 2, CUT_AFTER_COMMIT: 3, WEBHOOK: 4, PROVIDER_REFUSES: 2 });
    if (kind === 'ANSWER') return { kind, operation, code: this.random.pick(Object.keys(CODES)), count };
    if (kind === 'DELAY') return { kind, operation, delayMs: 1, count };
    if (kind === 'PROVIDER_REFUSES') return { kind, provider: 'KYC', count };
    if (kind !== 'WEBHOOK') return { kind, operation, count };
    const eventType = this.random.pick(['CUSTOMER.KYC_APPROVED', 'INTERNAL_ACCOUNT.BALANCE_UPDATED']);
    return { kind: this.random.pick(['WEBHOOK_LOST', 'WEBHOOK_DUPLICATE']), eventType, ...(this.random.chance(0.7) && { count }) };
  }

  /** "Replaces the faults of this platform … The first that applies wins." */
  private async setFaults(faults = Array.from({ length: this.random.int(1, 3) }, () => this.someFault())): Promise<void> {
    // Several deliveries that are due at one time are made in any order, so none may wait while a fault counts them.
    const wanted = faults.filter(({ kind }) => !(this.isWaiting && kind.startsWith('WEBHOOK')));
    const answer = await this.platform.put('/sandbox/faults', { faults: wanted });
    this.note('faults', wanted.map(({ kind, operation, count }) => `${kind} ${operation ?? ''} ${count ?? ''}`).join());
    this.agree(answer, 200);
    this.data.faults = wanted.map((fault) => ({ ...fault, ...(fault.count && { remaining: fault.count }) }));
    this.same(answer.body.data, this.data.faults, 'the faults');
  }

  private async compareFaults(): Promise<void> {
    this.same((await expectStatus(200, this.platform.get('/sandbox/faults'))).data, this.data.faults, 'the faults');
  }

  private async dropFaults(): Promise<void> {
    this.note('dropFaults', this.data.faults.length);
    this.agree(await this.platform.delete('/sandbox/faults'), 204);
    this.data.faults = [];
    await this.compareFaults();
  }

  private async wrongFaults(): Promise<void> {
    const fault = this.random.pick([
      { kind: 'EARTHQUAKE' },
      { kind: 'ANSWER' },
      { kind: 'ANSWER', operation: 'listCustomers', code: 'CARD_NOT_MUTABLE' },
      { kind: 'DELAY', operation: 'inventCustomer', delayMs: 1 },
      { kind: 'DELAY', delayMs: 10_001 },
      { kind: 'WEBHOOK_LOST', operation: 'createCustomer' },
      { kind: 'WEBHOOK_LOST', eventType: 'NO.SUCH' },
      { kind: 'PROVIDER_SILENT' },
      { kind: 'CUT_BEFORE_COMMIT', operation: 'deleteSandboxFaults' },
      { kind: 'CUT_BEFORE_COMMIT', share: 0 },
    ]);
    this.note('wrongFaults', JSON.stringify(fault));
    this.agree(await this.platform.put('/sandbox/faults', { faults: [fault] }), [400, 'INVALID_INPUT']);
    await this.compareFaults();
  }

  /** A fault of every operation, or of requests that name one object. It is used up in the same command. */
  private async passingFault(): Promise<void> {
    const [one, other] = [this.any(this.data.people), this.data.people.at(-1)];
    const objectId = one && other && one !== other && this.random.chance(0.6) ? one.account : undefined;
    await this.setFaults([{ kind: 'ANSWER', code: 'INTERNAL_ERROR', count: 1, ...(objectId && { objectId }) }]);
    this.note('passingFault', objectId ? 'object' : 'all');
    await this.compareFaults();
    if (objectId) await expectStatus(200, this.platform.get(`/internal-accounts/${other?.account}`));
    const call = () => this.platform.get(objectId ? `/internal-accounts/${objectId}` : '/customers?limit=1');
    this.agree(await call(), [500, 'INTERNAL_ERROR']);
    this.agree(await call(), 200);
    this.data.faults = this.data.faults.map((fault) => ({ ...fault, remaining: 0 }));
    await this.compareFaults();
  }

  /** The fault that decides a request. Delays before it are taken as well. */
  private faultOf(operation: string): { readonly decides: Fault | undefined; readonly isDelayed: boolean } {
    let isDelayed = false;
    for (const fault of this.data.faults) {
      if (fault.operation !== operation || !fault.remaining) continue;
      fault.remaining -= 1;
      if (fault.kind !== 'DELAY') return { decides: fault, isDelayed };
      isDelayed = true;
    }
    return { decides: undefined, isDelayed };
  }

  /** Sends a request with the faults that it meets. Answers what was answered; undefined if nothing happened, CUT if only the answer is lost. */
  private async withFaults(
    method: string,
    path: string,
    operation: string,
    send: () => Promise<Answer>,
  ): Promise<Answer | 'CUT' | undefined> {
    const { decides, isDelayed } = this.faultOf(operation);
    if (decides?.kind.startsWith('CUT')) {
      await this.cut(method, path, send);
      return decides.kind === 'CUT_AFTER_COMMIT' ? 'CUT' : undefined;
    }
    const answer = await send();
    const mark = answer.headers.get('switchyard-fault');
    if (!decides) {
      if (mark !== 'PROVIDER_REFUSES') this.same(mark, isDelayed ? 'DELAY' : null, 'the mark of the answer');
      return answer;
    }
    const code = decides.code as keyof typeof CODES;
    this.agree(answer, [CODES[code], code]);
    this.same(mark, 'ANSWER', 'the mark of the answer');
    return undefined;
  }

  private async probe(): Promise<void> {
    const answer = await this.withFaults('GET', '/cards', 'listCards', () => this.platform.get('/cards'));
    this.note('probe', answer === undefined || answer === 'CUT' ? 'fault' : 'answer');
    if (answer && answer !== 'CUT') this.same([answer.status, answer.body.data], [200, []], 'the cards');
    await this.compareFaults();
  }

  /** "Repeat the request with the same `Idempotency-Key`, and the answer is the one that was lost." */
  private async order(): Promise<void> {
    const fields = this.newFields();
    const key = `order ${this.calls.length}`;
    const send = () => this.platform.post('/customers', { customerType: 'INDIVIDUAL', ...fields }, keyed(key));
    let verdict: string | undefined;
    let isLost = false;
    for (let answer: Answer | 'CUT' | undefined; answer === undefined || answer === 'CUT'; ) {
      answer = await this.withFaults('POST', '/customers', 'createCustomer', send);
      this.note('order', fields.fullName, answer === 'CUT' ? 'cut' : (answer?.status ?? 'fault'));
      if (answer === undefined) continue;
      const isRepeat = verdict !== undefined;
      // "`KYC` refuses: `REJECTED`"
      verdict ??= this.takeFault(({ provider }) => provider === 'KYC') ? 'REJECTED' : 'APPROVED';
      isLost ||= answer === 'CUT';
      if (answer === 'CUT') continue;
      this.agree(answer, 201);
      this.same([answer.body.kycStatus, answer.headers.has('idempotent-replayed')], [verdict, isRepeat], 'the customer');
      if (!isRepeat && verdict === 'REJECTED') this.same(answer.headers.get('switchyard-fault'), 'PROVIDER_REFUSES', 'the mark');
      await this.enter(answer.body.id, fields, isLost ? undefined : requestIdOf(answer), verdict);
    }
    await this.deliver();
    await this.compareFaults();
  }

  // ---- fixtures

  /** Steps of a fixture that always has the same text: customers, each with an account that is funded. */
  private stepsOf(name: string, people: number): { steps: Resource[]; fields: NewFields[] } {
    const fields = Array.from({ length: people }, (_, i) => ({
      fullName: `Eve ${name} Step${i}`,
      email: `${name}-${i}@example.com`,
      platformCustomerId: `${name}-${i}`,
    }));
    const steps = fields.flatMap((one, i) => [
      { name: `c${i}`, call: 'customers create', body: { customerType: 'INDIVIDUAL', ...one } },
      { name: `a${i}`, call: 'customers internal-accounts list', query: { customerId: `\${c${i}.id}`, currency: 'USD' } },
      { name: `m${i}`, call: 'sandbox internal-accounts fund', ids: [`\${a${i}.data.0.id}`], body: { amount: 10 + i } },
    ]);
    return { steps, fields };
  }

  /** "Steps that were applied before are not repeated, so applying a fixture twice changes nothing, and a fixture that grew is continued." */
  private async fixture(): Promise<void> {
    // Steps are no requests: faults of requests are not defined for them.
    if (this.data.faults.length > 0) await this.dropFaults();
    const name = this.random.pick(['blue', 'green']);
    const people = this.random.int(1, 3);
    const { steps, fields } = this.stepsOf(name, people);
    const answer = await this.platform.post('/sandbox/fixtures', {
      name,
      steps,
      outputs: { account: '${a0.data.0.id}', text: 'of ${c0.id}' },
    });
    const before = this.data.fixtures[name] ?? {};
    this.note('fixture', name, people, Object.keys(before).length);
    this.agree(answer, 200);
    const { steps: shown, outputs, applied, unchanged } = answer.body;
    const known = steps.filter((step) => before[step.name]).length;
    this.same([applied, unchanged], [steps.length - known, known], 'how many steps were applied');
    const idOf = (step: string) => shown.find((one: Resource) => one.name === step).id;
    for (const step of steps) {
      const { status, id } = shown.find((one: Resource) => one.name === step.name);
      this.same(status, before[step.name] ? 'UNCHANGED' : 'APPLIED', step.name);
      if (before[step.name]) this.same(id, before[step.name]?.id, `the id of ${step.name}`);
    }
    const made = fields.flatMap((one, i) => (before[`c${i}`] ? [] : [{ one, i, id: idOf(`c${i}`) as string }]));
    const expected = [];
    for (const { one, i, id } of made) {
      const person = await this.add(id, one);
      person.deposits.push(10 + i);
      expected.push(
        { type: 'CUSTOMER.KYC_APPROVED', object: id, status: 'APPROVED' },
        { type: 'INCOMING_PAYMENT.COMPLETED', status: 'COMPLETED' },
        { type: 'INTERNAL_ACCOUNT.BALANCE_UPDATED', object: person.account },
      );
    }
    await this.learn(requestIdOf(answer), expected);
    this.data.fixtures[name] = { ...before, ...Object.fromEntries(steps.map((step) => [step.name, { id: idOf(step.name) }])) };
    const first = this.data.people.find(({ id }) => id === idOf('c0'));
    this.same(outputs, { account: first?.account, text: `of ${first?.id}` }, 'the outputs');
    await this.deliver();
  }

  /** "A fixture with a mistake is refused before anything is applied"; a step that is refused ends the run, and the steps before it stay. */
  private async wrongFixture(): Promise<void> {
    const kind = this.random.pick(['unknown', 'reference', 'forbidden', 'changed', 'refused'] as const);
    const step = { name: 'first', call: 'config get' };
    const apply = (name: string, ...steps: Resource[]) => this.platform.post('/sandbox/fixtures', { name, steps });
    this.note('wrongFixture', kind);
    if (kind === 'unknown') this.agree(await apply('red', step, { name: 'x', call: 'customers invent' }), [400, 'INVALID_INPUT']);
    if (kind === 'reference')
      this.agree(await apply('red', step, { name: 'x', call: 'cards get', ids: ['${y.id}'] }), [400, 'INVALID_INPUT']);
    if (kind === 'forbidden') this.agree(await apply('red', { name: 'x', call: 'sandbox reset create' }), [400, 'INVALID_INPUT']);
    if (kind === 'changed' && this.data.fixtures['blue']) {
      const [first, ...others] = this.stepsOf('blue', 1).steps;
      const answer = await apply('blue', { ...first, body: { ...first.body, fullName: 'Somebody Else' } }, ...others);
      this.agree(answer, [409, 'CONFLICT']);
      this.same(answer.body.details.step, 'c0', 'the step that has changed');
    }
    if (kind !== 'refused') return;
    this.names += 1;
    const name = `refused-${this.names}`;
    const answer = await apply(name, step, { name: 'x', call: 'customers get', ids: [`Customer:${UNKNOWN}`] });
    this.agree(answer, [409, 'CONFLICT']);
    const { step: at, answer: said } = answer.body.details;
    this.same([at, said.status, said.code], ['x', 404, 'CUSTOMER_NOT_FOUND'], 'the refused step');
    const { applied, unchanged } = await expectStatus(200, apply(name, step));
    this.same([applied, unchanged], [0, 1], 'the step before it stays applied');
  }

  // ---- snapshots

  private newName(): string {
    this.names += 1;
    return `s${this.names}`;
  }

  private async snapshot(): Promise<void> {
    if (this.snapshots.length >= 6) return;
    const name = this.newName();
    const answer = await this.platform.post('/sandbox/snapshots', { name });
    this.note('snapshot', name);
    this.agree(answer, 201);
    const { rows, schemaVersion, createdAt, ...shown } = answer.body;
    this.same([shown, rows > 0], [{ name, now: wire(this.now), frozen: true }, true], 'the snapshot');
    this.snapshots.push({ name, shown: answer.body, now: this.now, data: structuredClone(this.data), config: this.config });
    await this.compareSnapshots();
  }

  /** One that exists, or a new one. */
  private async someSnapshot(): Promise<Snapshot> {
    if (this.snapshots.length === 0) await this.snapshot();
    return this.random.pick(this.snapshots);
  }

  private async compareSnapshots(): Promise<void> {
    const { data } = await expectStatus(200, this.platform.get('/sandbox/snapshots'));
    const byName = (rows: readonly Resource[]) => [...rows].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.same(byName(data), byName(this.snapshots.map(({ shown }) => shown)), 'the snapshots');
    const times = data.map(({ createdAt }: Resource) => createdAt);
    this.same(times, [...times].sort().reverse(), 'newest first');
  }

  private async wrongSnapshot(): Promise<void> {
    const taken = this.any(this.snapshots)?.name;
    const post = (path: string, body?: unknown) => this.platform.post(`/sandbox/snapshots${path}`, body);
    this.note('wrongSnapshot', taken ? 'taken' : '');
    this.agree(await post('', { name: this.random.pick(['', 'a b', '../x', '-x']) }), [400, 'INVALID_INPUT']);
    if (taken) this.agree(await post('', { name: taken }), [409, 'CONFLICT']);
    this.agree(await post('/nothing/restore'), [404, 'NOT_FOUND']);
    this.agree(await post('/nothing/export', { passphrase: PASSPHRASE }), [404, 'NOT_FOUND']);
    this.agree(await this.platform.delete('/sandbox/snapshots/nothing'), [404, 'NOT_FOUND']);
    await this.compareSnapshots();
  }

  private async dropSnapshot(): Promise<void> {
    const snapshot = await this.someSnapshot();
    this.note('dropSnapshot', snapshot.name);
    this.agree(await this.platform.delete(`/sandbox/snapshots/${snapshot.name}`), 204);
    this.snapshots = this.snapshots.filter((other) => other !== snapshot);
    await this.compareSnapshots();
  }

  /** "Replaces all data, the configuration and the clock of this platform by those of the snapshot, with the same ids." */
  private async restore(given?: Snapshot): Promise<void> {
    const snapshot = given ?? (await this.someSnapshot());
    const hadFaults = this.data.faults.length > 0;
    const answer = await this.platform.post(`/sandbox/snapshots/${snapshot.name}/restore`);
    this.note('restore', snapshot.name);
    this.agree(answer, 200);
    this.same(answer.body, snapshot.shown, 'the snapshot');
    this.data = structuredClone(snapshot.data);
    this.now = snapshot.now;
    // A file takes the configuration over by the rules of a change, which has its own time.
    const { updatedAt } = await expectStatus(200, this.platform.get('/config'));
    this.config = snapshot.config.updatedAt === undefined ? { ...snapshot.config, updatedAt } : snapshot.config;
    await this.renewFaults(hadFaults);
    await this.compareAll();
  }

  /** A process may know the earlier faults for two seconds, unless they are set. */
  private async renewFaults(hadFaults: boolean): Promise<void> {
    await this.compareFaults();
    const left = this.data.faults.filter(({ remaining }) => remaining !== 0);
    if (!hadFaults && this.data.faults.length === 0) return;
    await this.setFaults(left.map(({ remaining, ...fault }) => ({ ...fault, ...(remaining && { count: remaining }) })));
  }

  /** An exported file, read again as another snapshot of the same platform. */
  private async transfer(): Promise<void> {
    if (this.snapshots.length >= 6) return;
    const snapshot = await this.someSnapshot();
    const path = `/sandbox/snapshots/${snapshot.name}/export`;
    this.agree(await this.platform.post(path, { passphrase: 'short' }), [400, 'INVALID_INPUT']);
    const exported = await this.platform.post(path, { passphrase: PASSPHRASE });
    this.agree(exported, 200);
    const name = this.newName();
    this.note('transfer', snapshot.name, name);
    const load = (file: string, { as = name, passphrase = PASSPHRASE } = {}) =>
      this.platform.upload('POST', '/sandbox/snapshots/import', [
        { name: 'name', value: as },
        { name: 'passphrase', value: passphrase },
        { name: 'file', value: file, fileName: 'snapshot.switchyard' },
      ]);
    this.agree(await load(exported.text, { passphrase: `${PASSPHRASE}!` }), [400, 'INVALID_INPUT']);
    this.agree(await load(exported.text.slice(0, -20)), [400, 'INVALID_INPUT']);
    this.agree(await load(exported.text, { as: snapshot.name }), [409, 'CONFLICT']);
    await this.compareSnapshots();
    const imported = await load(exported.text);
    this.agree(imported, 201);
    this.same([imported.body.name, imported.body.now, imported.body.frozen], [name, wire(snapshot.now), true], 'the imported snapshot');
    const { updatedAt: _own, ...config } = snapshot.config;
    this.snapshots.push({ ...snapshot, name, shown: imported.body, config });
    await this.compareSnapshots();
    if (this.random.chance(0.6)) await this.restore(this.snapshots.at(-1));
  }

  /** "Deletes … everything else of this platform, and lets its clock run with the real time." What was there before comes back by a restore. */
  private async reset(): Promise<void> {
    const hadFaults = this.data.faults.length > 0;
    // With another name it is refused, and tells the right one.
    const name = await platformNameOf(this.platform);
    await this.compareList('', () => true);
    const answer = await this.platform.post('/sandbox/reset', { name });
    this.note('reset', this.data.people.length);
    this.agree(answer, 200);
    this.isFrozen = false;
    const { receivedAt } = await expectStatus(200, this.platform.get(`/requests/${requestIdOf(answer)}`));
    const { frozen } = await expectStatus(200, this.platform.get('/sandbox/clock'));
    const isReal = Math.abs(Date.parse(answer.body.now) - Date.parse(receivedAt)) < MINUTE;
    this.same([frozen, isReal, answer.body.deletedRows > 0], [false, true, true], 'the clock runs with the real time');
    await this.platform.clock.freeze(new Date(this.now));
    this.isFrozen = true;
    this.data = structuredClone(NOTHING);
    await this.renewFaults(hadFaults);
    await this.compareAll();
  }

  protected override async finish(): Promise<void> {
    await this.dropFaults();
    await super.finish();
    await this.compareAll();
    await this.compareSnapshots();
  }
}
