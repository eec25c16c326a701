// Mixed writes while the service, PostgreSQL or both are killed with SIGKILL and connections are cut at random bytes.
// Acknowledged changes exist once. Other changes are complete or absent. A repeat with the same key gives one effect.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnService, stopChild, whenReady } from '../../bench/service.js';
import { startEmbeddedPostgres } from '../../src/db/embedded.js';
import { newUuid } from '../../src/kernel/ids.js';
import { type IssuerKey, issuerHeaders } from '../support/issuer.js';
import { Connection, requestBytes } from '../support/wire.js';
import { type Acked, type Findings, type Intent, tokenIn, verify } from './crash-verify.js';
import { type Random, randomOf } from './random.js';
import { type Outcome, progressOf } from './report.js';

export type CrashOptions = {
  readonly seed: string;
  readonly kills: number;
  readonly workers?: number;
  readonly until?: number;
  readonly onProgress?: (text: string) => void;
};

const RECOVERY_TIMEOUT_MS = 30_000;
const MIN_REQUESTS_BETWEEN_KILLS = 40;
const PROGRESS_EVERY = 10;
const KILLS = ['service', 'postgres', 'both'] as const;
type Kill = (typeof KILLS)[number];

export async function crash({
  seed,
  kills,
  workers = 6,
  until = Number.POSITIVE_INFINITY,
  onProgress = () => {},
}: CrashOptions): Promise<Outcome[]> {
  const random = randomOf(`${seed}/crash`);
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-crash-'));
  chmodSync(dataDir, 0o711); // As root, PostgreSQL runs under another account, which must be able to reach its directory.
  const run = await Run.begin(dataDir, random);
  try {
    return await run.prove(kills, workers, until, onProgress);
  } finally {
    await run.end();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

class Run {
  private readonly random: Random;
  private readonly host: Host;
  private readonly log: AckLog;
  private readonly intents: Intent[] = [];
  private readonly counts = { service: 0, postgres: 0, both: 0, cuts: 0, answers: 0, retries: 0 };
  private readonly failures = { back: [] as string[], answers: [] as string[], retries: [] as string[] };
  private issuerKey: IssuerKey | undefined;
  private acknowledged = 0;
  /** The workers pause while the database is verified, so that it does not grow meanwhile. */
  private paused = false;
  private stopping = false;

  private constructor(random: Random, host: Host, log: AckLog) {
    this.random = random;
    this.host = host;
    this.log = log;
  }

  static async begin(dataDir: string, random: Random): Promise<Run> {
    const host = await Host.start(dataDir);
    return new Run(random, host, await AckLog.open(join(dataDir, 'acknowledged.log')));
  }

  async end(): Promise<void> {
    await this.log.close();
    await this.host.stop();
  }

  async prove(kills: number, workers: number, until: number, onProgress: (text: string) => void): Promise<Outcome[]> {
    const found: Findings[] = [];
    const states: WorkerState[] = [];
    for (let i = 0; i < workers; i += 1) states.push(await this.prepareWorker(i));
    const working = Promise.all(states.map((state) => this.work(state)));
    try {
      for (let i = 0; i < kills && Date.now() < until; i += 1) {
        await this.load(this.random.int(40, 400));
        const kind = KILLS[i % KILLS.length] as Kill;
        await this.kill(kind);
        this.paused = true;
        found.push(await this.verify());
        this.paused = false;
        if ((i + 1) % PROGRESS_EVERY > 0) continue;
        const broken = this.outcomes(found).flatMap(({ failures }) => failures);
        onProgress(progressOf(`${i + 1} kills`, broken));
      }
    } finally {
      this.stopping = true;
      await working;
    }
    await this.settle();
    found.push(await this.verify(true));
    return this.outcomes(found);
  }

  /** Lets the load run for this time and until enough requests were acknowledged. */
  private async load(ms: number): Promise<void> {
    const enough = this.acknowledged + MIN_REQUESTS_BETWEEN_KILLS;
    await sleep(ms);
    for (const deadline = Date.now() + 2_000; this.acknowledged < enough && Date.now() < deadline; ) await sleep(10);
  }

  // ---- killing

  private async kill(kind: Kill): Promise<void> {
    this.counts[kind] += 1;
    if (kind !== 'service') this.host.killPostgres(this.random);
    if (kind !== 'postgres') {
      await this.host.killService();
      // Sometimes it is killed again during its start.
      if (this.random.chance(0.15)) await this.host.killWhileStarting(this.random.int(1, 600));
      await this.host.startService();
    }
    const started = Date.now();
    while (!(await this.host.isReady())) {
      if (!this.host.isRunning) {
        this.failures.back.push(`the service ended after the kill of ${kind} (seed ${this.random.seed})`);
        await this.host.startService();
      }
      if (Date.now() - started > RECOVERY_TIMEOUT_MS) {
        this.failures.back.push(`not ready ${RECOVERY_TIMEOUT_MS} ms after the kill of ${kind} (seed ${this.random.seed})`);
        return;
      }
      await sleep(20);
    }
  }

  // ---- the load

  /** The customer, account and card of one worker. They are not shared, so the order of requests on them is known. */
  private async prepareWorker(worker: number): Promise<WorkerState> {
    const caller: Caller = { connection: undefined };
    const call = async (method: string, path: string, body?: unknown) => {
      const answer = await this.send(caller, { method, path, body, key: newUuid() });
      if (!answer || answer.status >= 300) throw new Error(`${method} ${path}: ${answer?.status} ${answer?.text}`);
      return answer.text === '' ? undefined : JSON.parse(answer.text);
    };
    this.issuerKey ??= await call('POST', '/sandbox/issuer-credentials', { program: 'service_full' });
    const customer = await call('POST', '/customers', { customerType: 'INDIVIDUAL', fullName: `Worker ${worker} of the load` });
    const accounts = await call('GET', `/customers/internal-accounts?customerId=${customer.id}&currency=USD`);
    const account = accounts.data[0].id as string;
    const card = await call('POST', '/cards', { form: 'VIRTUAL', customerId: customer.id, fundingSource: account });
    return { caller, random: this.random.fork(`worker ${worker}`), customer: customer.id, account, card: card.id, approved: [] };
  }

  private async work(state: WorkerState): Promise<void> {
    while (!this.stopping) {
      if (this.paused) {
        await sleep(5);
        continue;
      }
      const intent = this.next(state);
      this.intents.push(intent);
      const cut = state.random.chance(0.12);
      let answer = await this.send(state.caller, intent, cut ? state.random : undefined);
      // Most clients retry; some do not.
      const retries = state.random.chance(0.75);
      while (!answer && retries && !this.stopping) {
        intent.retried = true;
        await sleep(state.random.int(10, 80));
        answer = await this.send(state.caller, intent);
      }
      if (answer) await this.acknowledge(intent, answer);
      if (answer && intent.command === 'authorize' && JSON.parse(answer.text).decision === 'APPROVED')
        state.approved.push({ token: intent.key, amount: (intent.body as { amount: number }).amount });
      if (answer && intent.keyed && state.random.chance(0.05)) await this.repeat(state.caller, intent, answer);
    }
  }

  private next({ random, customer, account, card, approved }: WorkerState): Intent {
    const key = newUuid();
    const intent = (command: Intent['command'], method: string, path: string, body: unknown, more: Partial<Intent> = {}): Intent => ({
      key,
      command,
      method,
      path,
      body,
      keyed: 'header',
      retried: false,
      ...more,
    });
    switch (
      random.weighted({ token: 2, customer: 3, fund: 5, card: 1, limit: 2, status: 2, authorize: 8, clear: approved.length > 0 ? 4 : 0 })
    ) {
      case 'token':
        return intent('token', 'POST', '/tokens', { name: key, permissions: ['VIEW'] });
      case 'customer':
        return intent('customer', 'POST', '/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada', platformCustomerId: key });
      case 'fund': {
        const amount = random.int(1, 1_000);
        return intent('fund', 'POST', `/sandbox/internal-accounts/${account}/fund`, { amount }, { account, amount });
      }
      case 'card':
        return intent('card', 'POST', '/cards', { form: 'VIRTUAL', customerId: customer, fundingSource: account });
      case 'authorize': {
        const merchant = { descriptor: 'CORNER SHOP' };
        const body = { issuerTransactionToken: key, cardId: card, amount: random.int(1, 400), currency: 'USD', merchant };
        return intent('authorize', 'POST', '/issuer/authorizations', body, { keyed: 'token' });
      }
      case 'clear': {
        const { token, amount } = approved.splice(random.int(0, approved.length - 1), 1)[0] as Approved;
        const body = { kind: 'CLEARING', messageToken: key, issuerTransactionToken: token, amount };
        return intent('clear', 'POST', '/issuer/messages', body, { keyed: 'token' });
      }
      case 'limit':
        return intent('limit', 'PATCH', `/cards/${card}`, { maxSpendPerDay: random.int(1, 1_000_000) }, { keyed: null });
      case 'status': {
        const status = random.pick(['FROZEN', 'ACTIVE']);
        return intent('status', 'PATCH', `/cards/${card}`, { status, substatus: 'OTHER', reason: key }, { keyed: null });
      }
    }
  }

  /** The response, or undefined if the outcome is unknown. With `cut` the connection is cut at a random byte. */
  private async send(
    caller: Caller,
    { method, path, body, key }: Pick<Intent, 'method' | 'path' | 'body' | 'key'>,
    cut?: Random,
  ): Promise<Answered | undefined> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const bytes = requestBytes(
      method,
      `/2025-10-13${path}`,
      {
        ...(path.startsWith('/issuer/') && this.issuerKey
          ? issuerHeaders(this.issuerKey, text ?? '')
          : { authorization: this.host.authorization }),
        'idempotency-key': method === 'POST' ? key : undefined,
        'content-type': body === undefined ? undefined : 'application/json',
      },
      text,
    );
    try {
      if (!caller.connection?.open) caller.connection = await Connection.open(this.host.url);
      const { connection } = caller;
      if (cut) {
        this.counts.cuts += 1;
        // Within the request, or after the request at any time until the end of the response.
        if (cut.chance(0.4)) connection.drop(bytes.subarray(0, cut.int(1, bytes.length - 1)));
        else await connection.abandon(bytes, cut.chance(0.3) ? { afterBytes: cut.int(1, 200) } : { afterMs: cut.int(0, 12) });
        return undefined;
      }
      const answer = await connection.exchange(bytes);
      this.counts.answers += 1;
      const text = answer.body.toString('utf8');
      if (answer.status === 503) return undefined;
      if (answer.status >= 500) {
        this.failures.answers.push(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
        return undefined;
      }
      return { status: answer.status, text, replayed: answer.headers['idempotent-replayed'] === 'true' };
    } catch {
      return undefined; // refused, reset or timed out: the outcome is unknown
    }
  }

  private async acknowledge(intent: Intent, answer: Answered): Promise<void> {
    await this.log.append({ key: intent.key, status: answer.status, text: answer.text });
    this.acknowledged += 1;
    const isRepeatOfToken = intent.command === 'token' && answer.status === 409 && answer.replayed;
    if (intent.keyed && answer.status >= 300 && !isRepeatOfToken)
      this.failures.answers.push(`${intent.method} ${intent.path}: ${answer.status} ${answer.text}`);
  }

  private async repeat(caller: Caller, intent: Intent, first: Answered): Promise<void> {
    const again = await this.send(caller, intent);
    if (!again) return;
    this.counts.retries += 1;
    if (!isSame(intent, first, again))
      this.failures.retries.push(`${intent.command} ${intent.key}: ${first.status} ${first.text} then ${again.status} ${again.text}`);
  }

  /** After the last kill, repeats half of the requests that have no response. */
  private async settle(): Promise<void> {
    const acked = this.log.read();
    const caller: Caller = { connection: undefined };
    for (const intent of this.intents.filter(({ key, keyed }) => keyed && !acked.has(key))) {
      if (!this.random.chance(0.5)) continue;
      const [first, second] = [await this.send(caller, intent), await this.send(caller, intent)];
      this.counts.retries += 1;
      intent.retried = true;
      if (!first || !second || !isSame(intent, first, second))
        this.failures.retries.push(`${intent.command} ${intent.key}: ${first?.text} then ${second?.text}`);
      else await this.acknowledge(intent, first);
    }
    await this.host.untilIdle();
  }

  /** Backends of a killed PostgreSQL may still answer for a moment, so the new server may not be available yet. */
  private async verify(atRest = false): Promise<Findings> {
    for (const deadline = Date.now() + RECOVERY_TIMEOUT_MS; ; await sleep(20)) {
      // The log is read first. Requests that are acknowledged later are checked next time.
      const acked = this.log.read();
      try {
        return await verify(this.host.databaseUrl, [...this.intents], acked, atRest);
      } catch (error) {
        if ((error as { code?: string }).code !== 'SERVICE_UNAVAILABLE' || Date.now() > deadline) throw error;
      }
    }
  }

  private outcomes(found: readonly Findings[]): Outcome[] {
    const { service, postgres, both, cuts, answers, retries } = this.counts;
    const note = `${service} × service, ${postgres} × PostgreSQL, ${both} × both, ${cuts} cut connections, ${this.intents.length} requests, seed ${this.random.seed}`;
    const kills = service + postgres + both;
    const of = (part: keyof Findings) => [...new Set(found.flatMap((one) => one[part].failures))];
    const most = (part: keyof Findings) => Math.max(...found.map((one) => one[part].trials));
    return [
      { goal: 'crash: the service recovers without intervention', trials: kills, failures: this.failures.back, note },
      { goal: 'crash: acknowledged changes exist once', trials: most('acknowledged'), failures: of('acknowledged') },
      { goal: 'crash: unacknowledged changes are complete or absent', trials: most('doubtful'), failures: of('doubtful') },
      { goal: 'crash: a repeat with the same key gives one effect', trials: retries, failures: this.failures.retries },
      { goal: 'crash: the ledger balances after every recovery', trials: kills + 1, failures: of('ledger') },
      { goal: 'crash: every committed change has its event, in order', trials: most('events'), failures: of('events') },
      { goal: 'crash: every response is a success, a refusal or a 503', trials: answers, failures: this.failures.answers },
    ];
  }
}

/** Whether the second answer tells of the first one's effect: the same bytes, or the same transaction. */
function isSame({ command, keyed }: Intent, first: Answered, second: Answered): boolean {
  if (command === 'token') return second.replayed && second.status === 409 && tokenIn(first.text) === tokenIn(second.text);
  if (keyed === 'header') return second.replayed && first.status === second.status && first.text === second.text;
  const [one, other] = [JSON.parse(first.text), JSON.parse(second.text)];
  return first.status === second.status && one.decision === other.decision && one.transactionId === other.transactionId;
}

type Approved = { readonly token: string; readonly amount: number };
/** A client and its persistent connection. */
type Caller = { connection: Connection | undefined };
type WorkerState = {
  readonly caller: Caller;
  readonly random: Random;
  readonly customer: string;
  readonly account: string;
  readonly card: string;
  /** Approved authorizations that are not cleared yet. */
  readonly approved: Approved[];
};
type Answered = { readonly status: number; readonly text: string; readonly replayed: boolean };

/** A durable log of acknowledged requests. Responses that arrive together share one sync. */
class AckLog {
  private readonly file: FileHandle;
  private readonly path: string;
  private queue: { line: string; done: () => void; failed: (error: Error) => void }[] = [];
  private writing: Promise<void> | undefined;

  private constructor(file: FileHandle, path: string) {
    this.file = file;
    this.path = path;
  }

  static async open(path: string): Promise<AckLog> {
    return new AckLog(await open(path, 'a'), path);
  }

  append(entry: Acked): Promise<void> {
    return new Promise((done, failed) => {
      this.queue.push({ line: `${JSON.stringify(entry)}\n`, done, failed });
      this.writing ??= this.write();
    });
  }

  read(): ReadonlyMap<string, Acked> {
    const lines = readFileSync(this.path, 'utf8').split('\n').slice(0, -1);
    return new Map(lines.map((line) => JSON.parse(line) as Acked).map((entry) => [entry.key, entry]));
  }

  async close(): Promise<void> {
    await this.writing;
    await this.file.close();
  }

  private async write(): Promise<void> {
    while (this.queue.length > 0) {
      const batch = this.queue;
      this.queue = [];
      try {
        await this.file.appendFile(batch.map(({ line }) => line).join(''));
        await this.file.datasync();
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error as Error);
      }
    }
    this.writing = undefined;
  }
}

/** The service with its embedded PostgreSQL, on a fixed port. */
class Host {
  readonly url: string;
  readonly authorization: string;
  readonly databaseUrl: string;
  private readonly env: Readonly<Record<string, string>>;
  private readonly cluster: string;
  private child: ChildProcess;

  private constructor(
    url: string,
    credentials: string,
    env: Record<string, string>,
    child: ChildProcess,
    database: { url: string; dataDir: string },
  ) {
    this.url = url;
    this.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    this.env = env;
    this.child = child;
    this.databaseUrl = database.url;
    this.cluster = database.dataDir;
  }

  static async start(dataDir: string): Promise<Host> {
    const credentials = `crash:${randomBytes(24).toString('base64url')}`;
    const port = await freePort();
    const env = {
      DATA_DIR: dataDir,
      PORT: String(port),
      METRICS_PORT: 'off',
      BOOTSTRAP_TOKEN: credentials,
      DATABASE_URL: '',
      LOG_LEVEL: 'silent',
    };
    const child = spawnService(env);
    await whenReady(child);
    const silent = { info() {}, warn() {}, error() {} };
    const database = await startEmbeddedPostgres({ dataDir, log: silent, exclusive: false });
    await database.stop(); // started only to read its location; the service keeps it running
    return new Host(`http://127.0.0.1:${port}`, credentials, env, child, database);
  }

  async startService(): Promise<void> {
    this.child = spawnService(this.env);
    await whenReady(this.child);
  }

  /** False if the service exited because PostgreSQL was killed; it must recover instead. */
  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async killService(): Promise<void> {
    await killed(this.child);
  }

  async killWhileStarting(afterMs: number): Promise<void> {
    this.child = spawnService(this.env);
    await sleep(afterMs);
    await this.killService();
  }

  /** Kills the postmaster, or one of its backends, which makes the postmaster restart all of them. */
  killPostgres(random: Random): void {
    const postmaster = Number(readFileSync(join(this.cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
    const victim = random.chance(0.6) ? postmaster : (childOf(postmaster, random) ?? postmaster);
    try {
      process.kill(victim, 'SIGKILL');
    } catch (error) {
      if ((error as { code?: string }).code !== 'ESRCH') throw error; // it has already exited
    }
  }

  async isReady(): Promise<boolean> {
    return fetch(`${this.url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  /** Waits until no card is PROCESSING. */
  async untilIdle(): Promise<void> {
    for (;;) {
      const answer = await fetch(`${this.url}/2025-10-13/cards?status=PROCESSING`, { headers: { authorization: this.authorization } });
      if (((await answer.json()) as { totalCount?: number }).totalCount === 0) return;
      // The order to the issuer is repeated at a time of the platform's clock.
      await fetch(`${this.url}/2025-10-13/sandbox/clock`, {
        method: 'PUT',
        headers: { authorization: this.authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ advanceMs: 60_000 }),
      });
    }
  }

  stop(): Promise<void> {
    return stopChild(this.child);
  }
}

/** Kills a process with SIGKILL and waits for its exit. */
export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

function childOf(pid: number, random: Random): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    return children.length > 0 ? Number(random.pick(children)) : undefined;
  } catch {
    return undefined; // not Linux, or the process has exited
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
