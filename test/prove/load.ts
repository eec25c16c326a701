// Mixed writes with idempotency keys, and a durable log of what was acknowledged. Reliability tests kill and restart the service under it.
import { readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { newUuid } from '../../src/kernel/ids.js';
import { type IssuerKey, issuerHeaders } from '../support/issuer.js';
import { Connection, requestBytes } from '../support/wire.js';
import { type Acked, type Findings, type Intent, tokenIn, verify } from './crash-verify.js';
import type { Random } from './random.js';
import type { Outcome } from './report.js';

/** The service under load. */
export type Target = {
  readonly authorization: string;
  readonly databaseUrl: string;
  /** Where the next connection goes. */
  url(): string;
};

const VERIFY_TIMEOUT_MS = 30_000;
const MIN_REQUESTS = 40;

export class Load {
  readonly intents: Intent[] = [];
  readonly counts = { cuts: 0, answers: 0, retries: 0, unavailable: 0, unanswered: 0 };
  readonly failures = { answers: [] as string[], retries: [] as string[] };
  acknowledged = 0;
  /** How long the slowest answer took since this was set to zero. */
  slowestMs = 0;
  /** The requests that were answered with 503, as method and path. */
  readonly refused: string[] = [];
  /** No further request creates a token. */
  withoutTokens = false;
  /** The workers pause while the database is verified, so that it does not grow meanwhile. */
  paused = false;
  private stopping = false;
  private issuerKey: IssuerKey | undefined;
  private working: Promise<unknown> = Promise.resolve();
  private readonly random: Random;
  private readonly target: Target;
  private readonly log: AckLog;
  private readonly cutShare: number;

  private constructor(random: Random, target: Target, log: AckLog, cutShare: number) {
    this.random = random;
    this.target = target;
    this.log = log;
    this.cutShare = cutShare;
  }

  /** `cutShare`: the share of requests whose connection is cut at a random byte. */
  static async open(random: Random, target: Target, logPath: string, cutShare: number): Promise<Load> {
    return new Load(random, target, await AckLog.open(logPath), cutShare);
  }

  /** Begins to work with this many clients. */
  async start(workers: number): Promise<void> {
    const states: WorkerState[] = [];
    for (let i = 0; i < workers; i += 1) states.push(await this.prepareWorker(i));
    this.working = Promise.all(states.map((state) => this.work(state)));
  }

  /** Lets the load run for this time and until enough requests were acknowledged. */
  async run(ms: number): Promise<void> {
    const enough = this.acknowledged + MIN_REQUESTS;
    await sleep(ms);
    for (const deadline = Date.now() + 2_000; this.acknowledged < enough && Date.now() < deadline; ) await sleep(10);
  }

  /** What is acknowledged by now. */
  acknowledgements(): ReadonlyMap<string, Acked> {
    return this.log.read();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.working;
  }

  close(): Promise<void> {
    return this.log.close();
  }

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
      const cut = state.random.chance(this.cutShare);
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
      random.weighted({
        token: this.withoutTokens ? 0 : 2,
        customer: 3,
        fund: 5,
        card: 1,
        limit: 2,
        status: 2,
        authorize: 8,
        clear: approved.length > 0 ? 4 : 0,
      })
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
          : { authorization: this.target.authorization }),
        'idempotency-key': method === 'POST' ? key : undefined,
        'content-type': body === undefined ? undefined : 'application/json',
      },
      text,
    );
    try {
      if (!caller.connection?.open) caller.connection = await Connection.open(this.target.url());
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
      this.slowestMs = Math.max(this.slowestMs, answer.ms);
      if (answer.headers['connection'] === 'close') caller.connection = undefined;
      const text = answer.body.toString('utf8');
      if (answer.status === 503) {
        this.counts.unavailable += 1;
        this.refused.push(`${method} ${path}`);
        if (answer.headers['retry-after'] === undefined) this.failures.answers.push(`${method} ${path}: 503 without Retry-After`);
        return undefined;
      }
      if (answer.status >= 500) {
        this.failures.answers.push(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
        return undefined;
      }
      return { status: answer.status, text, replayed: answer.headers['idempotent-replayed'] === 'true' };
    } catch {
      this.counts.unanswered += 1;
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
  async settle(): Promise<void> {
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
    await this.untilIdle();
  }

  /** Waits until no card is PROCESSING. */
  private async untilIdle(): Promise<void> {
    for (;;) {
      const answer = await fetch(`${this.target.url()}/2025-10-13/cards?status=PROCESSING`, {
        headers: { authorization: this.target.authorization },
      });
      if (((await answer.json()) as { totalCount?: number }).totalCount === 0) return;
      // The order to the issuer is repeated at a time of the platform's clock.
      await fetch(`${this.target.url()}/2025-10-13/sandbox/clock`, {
        method: 'PUT',
        headers: { authorization: this.target.authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ advanceMs: 60_000 }),
      });
    }
  }

  /** Backends of a killed PostgreSQL may still answer for a moment, so the new server may not be available yet. */
  async verify(atRest = false): Promise<Findings> {
    for (const deadline = Date.now() + VERIFY_TIMEOUT_MS; ; await sleep(20)) {
      // The log is read first. Requests that are acknowledged later are checked next time.
      const acked = this.log.read();
      try {
        return await verify(this.target.databaseUrl, [...this.intents], acked, atRest);
      } catch (error) {
        if ((error as { code?: string }).code !== 'SERVICE_UNAVAILABLE' || Date.now() > deadline) throw error;
      }
    }
  }

  /** What the verifications found together. */
  outcomes(part: string, found: readonly Findings[], note: string): Outcome[] {
    const of = (finding: keyof Findings) => [...new Set(found.flatMap((one) => one[finding].failures))];
    const most = (finding: keyof Findings) => Math.max(...found.map((one) => one[finding].trials));
    return [
      { goal: `${part}: acknowledged changes exist once`, trials: most('acknowledged'), failures: of('acknowledged'), note },
      { goal: `${part}: unacknowledged changes are complete or absent`, trials: most('doubtful'), failures: of('doubtful') },
      { goal: `${part}: a repeat with the same key gives one effect`, trials: this.counts.retries, failures: this.failures.retries },
      { goal: `${part}: the ledger balances at every look`, trials: found.length, failures: of('ledger') },
      { goal: `${part}: every committed change has its event, in order`, trials: most('events'), failures: of('events') },
      {
        goal: `${part}: every response is a success, a refusal or a 503 with Retry-After`,
        trials: this.counts.answers,
        failures: this.failures.answers,
      },
    ];
  }
}

/** Whether the second answer tells of the first one's effect: the same bytes, or the same transaction. */
function isSame({ command, keyed }: Intent, first: Answered, second: Answered): boolean {
  if (command === 'token') return second.replayed && second.status === 409 && tokenIn(first.text) === tokenIn(second.text);
  if (keyed === 'header') return second.replayed && first.status === second.status && first.text === second.text;
  const [one, other] = [JSON.parse(first.text), JSON.parse(second.text)];
  if (first.status !== second.status) return false;
  if ([one, other].some(isByDeadline)) return true;
  return one.decision === other.decision && one.transactionId === other.transactionId;
}

/** An answer by the issuer's deadline names no transaction, and says nothing of what was or will be decided. */
const isByDeadline = ({ decision, declinedReason, transactionId }: Record<string, unknown>): boolean =>
  decision === 'DECLINED' && declinedReason === 'OTHER' && transactionId === undefined;

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
