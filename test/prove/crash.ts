// Mixed writes while the service, PostgreSQL or both are killed with -9 and lines are cut at random bytes.
// What a client was told is there, once; what it was not told is there whole or not at all; asking again with the same key settles it.
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
import { Line, requestBytes } from '../support/wire.js';
import { type Acked, type Findings, type Intent, verify } from './crash-verify.js';
import { type Random, randomOf } from './random.js';
import { type Outcome, progressOf } from './report.js';

export type CrashOptions = {
  readonly seed: string;
  readonly kills: number;
  readonly workers?: number;
  readonly until?: number;
  readonly onProgress?: (text: string) => void;
};

const COMES_BACK_WITHIN_MS = 30_000;
const LEAST_BETWEEN_KILLS = 40;
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
  chmodSync(dataDir, 0o711); // run by root, PostgreSQL is another user and must pass
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
  private acknowledged = 0;
  /** While the database is read as a whole, the workers wait: the time is for kills, not for more to read. */
  private resting = false;
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
    const stages: Stage[] = [];
    for (let i = 0; i < workers; i += 1) stages.push(await this.stage(i));
    const working = Promise.all(stages.map((stage) => this.work(stage)));
    try {
      for (let i = 0; i < kills && Date.now() < until; i += 1) {
        await this.load(this.random.int(40, 400));
        const kind = KILLS[i % KILLS.length] as Kill;
        await this.kill(kind);
        this.resting = true;
        found.push(await this.verify());
        this.resting = false;
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

  /** Lets the load run for a while, and until something came of it. */
  private async load(ms: number): Promise<void> {
    const enough = this.acknowledged + LEAST_BETWEEN_KILLS;
    await sleep(ms);
    for (const deadline = Date.now() + 2_000; this.acknowledged < enough && Date.now() < deadline; ) await sleep(10);
  }

  // ---- killing

  private async kill(kind: Kill): Promise<void> {
    this.counts[kind] += 1;
    if (kind !== 'service') this.host.killPostgres(this.random);
    if (kind !== 'postgres') {
      await this.host.killService();
      // Now and then it is killed again while it starts.
      if (this.random.chance(0.15)) await this.host.killWhileStarting(this.random.int(1, 600));
      await this.host.startService();
    }
    const started = Date.now();
    while (!(await this.host.isReady())) {
      if (!this.host.isRunning) {
        this.failures.back.push(`the service ended after the kill of ${kind} (seed ${this.random.seed})`);
        await this.host.startService();
      }
      if (Date.now() - started > COMES_BACK_WITHIN_MS) {
        this.failures.back.push(`not ready ${COMES_BACK_WITHIN_MS} ms after the kill of ${kind} (seed ${this.random.seed})`);
        return;
      }
      await sleep(20);
    }
  }

  // ---- the load

  /** What one worker has to itself, so that the order of its requests is known. */
  private async stage(worker: number): Promise<Stage> {
    const caller: Caller = { line: undefined };
    const ask = async (method: string, path: string, body?: unknown) => {
      const answer = await this.send(caller, { method, path, body, key: newUuid() });
      if (!answer || answer.status >= 300) throw new Error(`${method} ${path}: ${answer?.status} ${answer?.text}`);
      return answer.text === '' ? undefined : JSON.parse(answer.text);
    };
    const customer = await ask('POST', '/customers', { customerType: 'INDIVIDUAL', fullName: `Worker ${worker} of the line` });
    const accounts = await ask('GET', `/customers/internal-accounts?customerId=${customer.id}&currency=USD`);
    const account = accounts.data[0].id as string;
    const card = await ask('POST', '/cards', { form: 'VIRTUAL', customerId: customer.id, fundingSource: account });
    return { caller, random: this.random.fork(`worker ${worker}`), customer: customer.id, account, card: card.id, approved: [] };
  }

  private async work(stage: Stage): Promise<void> {
    while (!this.stopping) {
      if (this.resting) {
        await sleep(5);
        continue;
      }
      const intent = this.next(stage);
      this.intents.push(intent);
      const cut = stage.random.chance(0.12);
      let answer = await this.send(stage.caller, intent, cut ? stage.random : undefined);
      // Most clients ask again; some never come back.
      const patient = stage.random.chance(0.75);
      while (!answer && patient && !this.stopping) {
        intent.retried = true;
        await sleep(stage.random.int(10, 80));
        answer = await this.send(stage.caller, intent);
      }
      if (answer) await this.acknowledge(intent, answer);
      if (answer && intent.command === 'authorize' && JSON.parse(answer.text).decision === 'APPROVED')
        stage.approved.push({ token: intent.key, amount: (intent.body as { amount: number }).amount });
      if (answer && intent.keyed && stage.random.chance(0.05)) await this.askAgain(stage.caller, intent, answer);
    }
  }

  private next({ random, customer, account, card, approved }: Stage): Intent {
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

  /** The answer, or undefined when it is not known what became of the request. With `cut` the line is cut at a random byte. */
  private async send(
    caller: Caller,
    { method, path, body, key }: Pick<Intent, 'method' | 'path' | 'body' | 'key'>,
    cut?: Random,
  ): Promise<Answered | undefined> {
    const bytes = requestBytes(
      method,
      `/2025-10-13${path}`,
      {
        authorization: this.host.authorization,
        'idempotency-key': method === 'POST' ? key : undefined,
        'content-type': body === undefined ? undefined : 'application/json',
      },
      body === undefined ? undefined : JSON.stringify(body),
    );
    try {
      if (!caller.line?.open) caller.line = await Line.open(this.host.url);
      const { line } = caller;
      if (cut) {
        this.counts.cuts += 1;
        // In the middle of the request, or after all of it at any moment of the answer.
        if (cut.chance(0.4)) line.drop(bytes.subarray(0, cut.int(1, bytes.length - 1)));
        else await line.abandon(bytes, cut.chance(0.3) ? { afterBytes: cut.int(1, 200) } : { afterMs: cut.int(0, 12) });
        return undefined;
      }
      const answer = await line.exchange(bytes);
      this.counts.answers += 1;
      const text = answer.body.toString('utf8');
      if (answer.status === 503) return undefined;
      if (answer.status >= 500) {
        this.failures.answers.push(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
        return undefined;
      }
      return { status: answer.status, text, replayed: answer.headers['idempotent-replayed'] === 'true' };
    } catch {
      return undefined; // refused, reset or silent: the outcome is unknown
    }
  }

  private async acknowledge(intent: Intent, answer: Answered): Promise<void> {
    await this.log.append({ key: intent.key, status: answer.status, text: answer.text });
    this.acknowledged += 1;
    if (intent.keyed && answer.status >= 300)
      this.failures.answers.push(`${intent.method} ${intent.path}: ${answer.status} ${answer.text}`);
  }

  private async askAgain(caller: Caller, intent: Intent, first: Answered): Promise<void> {
    const again = await this.send(caller, intent);
    if (!again) return;
    this.counts.retries += 1;
    if (!isSame(intent, first, again))
      this.failures.retries.push(`${intent.command} ${intent.key}: ${first.status} ${first.text} then ${again.status} ${again.text}`);
  }

  /** After the last kill: half of what nobody asked about again is asked about now. */
  private async settle(): Promise<void> {
    const acked = this.log.read();
    const caller: Caller = { line: undefined };
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

  /** Processes of a killed PostgreSQL may answer a last question before they notice: then the new one is not there yet. */
  private async verify(atRest = false): Promise<Findings> {
    for (const deadline = Date.now() + COMES_BACK_WITHIN_MS; ; await sleep(20)) {
      // The log is read first: whatever is acknowledged after that is judged next time.
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
    const note = `${service} × service, ${postgres} × PostgreSQL, ${both} × both, ${cuts} cut lines, ${this.intents.length} requests, seed ${this.random.seed}`;
    const kills = service + postgres + both;
    const of = (part: keyof Findings) => [...new Set(found.flatMap((one) => one[part].failures))];
    const most = (part: keyof Findings) => Math.max(...found.map((one) => one[part].trials));
    return [
      { goal: 'crash: the service comes back by itself', trials: kills, failures: this.failures.back, note },
      { goal: 'crash: what was acknowledged is there, once', trials: most('acknowledged'), failures: of('acknowledged') },
      { goal: 'crash: what was not acknowledged is whole or absent', trials: most('doubtful'), failures: of('doubtful') },
      { goal: 'crash: asking again with the same key settles on one effect', trials: retries, failures: this.failures.retries },
      { goal: 'crash: the ledger adds up after every recovery', trials: kills + 1, failures: of('ledger') },
      { goal: 'crash: every committed change has its event, in order', trials: most('events'), failures: of('events') },
      { goal: 'crash: nothing but successes, refusals and 503 is answered', trials: answers, failures: this.failures.answers },
    ];
  }
}

/** Whether the second answer tells of the first one's effect: the same bytes, or the same transaction. */
function isSame({ keyed }: Intent, first: Answered, second: Answered): boolean {
  if (keyed === 'header') return second.replayed && first.status === second.status && first.text === second.text;
  const [one, other] = [JSON.parse(first.text), JSON.parse(second.text)];
  return first.status === second.status && one.decision === other.decision && one.transactionId === other.transactionId;
}

type Approved = { readonly token: string; readonly amount: number };
/** A client and the line it keeps open. */
type Caller = { line: Line | undefined };
type Stage = {
  readonly caller: Caller;
  readonly random: Random;
  readonly customer: string;
  readonly account: string;
  readonly card: string;
  /** Authorizations that wait for their clearing. */
  readonly approved: Approved[];
};
type Answered = { readonly status: number; readonly text: string; readonly replayed: boolean };

/** What clients were told, on disk before it counts. Answers that come together share one sync. */
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

/** The service as an operator runs it, with its embedded PostgreSQL, on a port that stays the same. */
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
    await database.stop(); // joined only to learn where it is; the service keeps it running
    return new Host(`http://127.0.0.1:${port}`, credentials, env, child, database);
  }

  async startService(): Promise<void> {
    this.child = spawnService(this.env);
    await whenReady(this.child);
  }

  /** Whether it still ran: a service that ended because of PostgreSQL did not come back by itself. */
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

  /** The postmaster, or one of its processes, which makes it end all others and recover. */
  killPostgres(random: Random): void {
    const postmaster = Number(readFileSync(join(this.cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
    const victim = random.chance(0.6) ? postmaster : (childOf(postmaster, random) ?? postmaster);
    try {
      process.kill(victim, 'SIGKILL');
    } catch (error) {
      if ((error as { code?: string }).code !== 'ESRCH') throw error; // it ended by itself a moment ago
    }
  }

  async isReady(): Promise<boolean> {
    return fetch(`${this.url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  /** Waits until nothing is under way: cards that were being made are made. */
  async untilIdle(): Promise<void> {
    for (;;) {
      const answer = await fetch(`${this.url}/2025-10-13/cards?status=PROCESSING`, { headers: { authorization: this.authorization } });
      if (((await answer.json()) as { totalCount?: number }).totalCount === 0) return;
      // The issuer is asked again when the platform's clock says so.
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

/** Kills a process with -9 and waits until it is gone. */
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
    return undefined; // not Linux, or gone
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
