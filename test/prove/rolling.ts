// Three processes are restarted one after the other under load, behind a balancer that asks /readyz.
// No request is lost or refused, and readers of the event stream go on elsewhere with every event once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDb } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import { createDatabase } from '../support/database.js';
import type { Findings } from './crash-verify.js';
import { Load } from './load.js';
import { randomOf } from './random.js';
import { type Outcome, progressOf } from './report.js';
import { Services } from './services.js';

export type RollingOptions = {
  readonly seed: string;
  /** Each round restarts every process once. */
  readonly rounds: number;
  readonly until?: number;
  readonly onProgress?: (text: string) => void;
};

const PART = 'rolling';
const READERS = 3;
const CATCH_UP_MS = 60_000;

export async function rolling({
  seed,
  rounds,
  until = Number.POSITIVE_INFINITY,
  onProgress = () => {},
}: RollingOptions): Promise<Outcome[]> {
  const random = randomOf(`${seed}/rolling`);
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-rolling-'));
  const database = await createDatabase();
  const services = await Services.start({
    databaseUrl: database.url,
    directory,
    roles: ['all', 'api', 'api'],
    // Longer than the balancer takes to notice.
    env: { SHUTDOWN_DELAY: '1s' },
  });
  const load = await Load.open(random, services, join(directory, 'acknowledged.log'), 0);
  const readers = Array.from({ length: READERS }, () => new Reader(services));
  const found: Findings[] = [];
  const exits: string[] = [];
  let restarts = 0;

  const outcomes = (missed: readonly string[], events: number): Outcome[] => {
    const { answers, unanswered, unavailable, retries } = load.counts;
    const cut = readers.flatMap(({ cuts }) => cuts);
    const resumed = readers.reduce((sum, { resumes }) => sum + resumes, 0);
    const note = `${restarts} restarts of ${services.count} processes, ${load.intents.length} requests, ${unavailable} × 503, ${unanswered} without an answer, ${resumed} streams resumed, ${retries} repeats, seed ${seed}`;
    return [
      { goal: `${PART}: a process that is told to stop ends with exit code 0`, trials: restarts, failures: exits },
      ...load.outcomes(PART, found, note),
      {
        goal: `${PART}: every request is answered, none with 503`,
        trials: answers,
        failures: unanswered + unavailable > 0 ? [`${unanswered} requests had no answer, ${unavailable} were answered with 503`] : [],
      },
      { goal: `${PART}: every event reaches every reader of the stream once, in one order`, trials: events * READERS, failures: missed },
      { goal: `${PART}: a stream of a process that stops is ended, not cut`, trials: resumed, failures: cut },
    ];
  };

  try {
    await Promise.all(readers.map((reader) => reader.open()));
    await load.start(4);
    try {
      for (let round = 0; round < rounds && Date.now() < until; round += 1) {
        for (let i = 0; i < services.count; i += 1) {
          await load.run(random.int(200, 800));
          const code = await services.restart(i);
          restarts += 1;
          if (code !== 0) exits.push(`process ${i} ended with ${code} (seed ${seed})`);
        }
        onProgress(
          progressOf(
            `${restarts} restarts`,
            outcomes([], 0).flatMap(({ failures }) => failures),
          ),
        );
      }
    } finally {
      await load.stop();
    }
    await load.settle();
    found.push(await load.verify(true));
    const ids = await eventIds(database.url);
    const missed: string[] = [];
    for (const [i, reader] of readers.entries()) {
      for (const deadline = Date.now() + CATCH_UP_MS; reader.ids.length < ids.size && Date.now() < deadline; ) await sleep(20);
      await reader.close();
      missed.push(...problemsOf(reader.ids, ids, (readers[0] as Reader).ids).map((problem) => `reader ${i}: ${problem}`));
    }
    return outcomes(missed, ids.size);
  } finally {
    await Promise.all(readers.map((reader) => reader.close()));
    await load.close();
    await services.stop();
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function eventIds(url: string): Promise<ReadonlySet<string>> {
  const db = openDb({ url, poolSize: 1 });
  try {
    return new Set((await db.many<{ id: string }>(sql`select id from webhook_events`)).map(({ id }) => `Webhook:${id}`));
  } finally {
    await db.close();
  }
}

function problemsOf(read: readonly string[], ids: ReadonlySet<string>, other: readonly string[]): string[] {
  const seen = new Set(read);
  return [
    ...(seen.size < read.length ? [`${read.length - seen.size} events came twice`] : []),
    ...[...ids].filter((id) => !seen.has(id)).map((id) => `${id} was not read`),
    ...[...seen].filter((id) => !ids.has(id)).map((id) => `${id} does not exist`),
    ...(read.some((id, i) => id !== other[i]) ? ['another order than that of the first reader'] : []),
  ];
}

/** Follows the event stream. When it ends, the reader goes on with another process after the last event that it has seen. */
class Reader {
  readonly ids: string[] = [];
  readonly cuts: string[] = [];
  resumes = 0;
  private readonly services: Services;
  private readonly closing = new AbortController();
  private reading: Promise<void> = Promise.resolve();

  constructor(services: Services) {
    this.services = services;
  }

  /** Resolves when the first stream is open. */
  async open(): Promise<void> {
    const first = await this.connect();
    this.reading = this.follow(first);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.reading;
  }

  private async follow(first: Stream): Promise<void> {
    for (let stream: Stream | undefined = first; ; ) {
      try {
        await this.readAll(stream);
      } catch (error) {
        if (this.closing.signal.aborted) return;
        this.cuts.push(`a stream was cut: ${(error as Error).message}`);
      }
      do {
        if (this.closing.signal.aborted) return;
        stream = await this.connect().catch(() => undefined);
        if (!stream) await sleep(20);
      } while (!stream);
      this.resumes += 1;
    }
  }

  private async connect(): Promise<Stream> {
    const last = this.ids.at(-1);
    const answer = await fetch(`${this.services.url()}/2025-10-13/webhooks/stream`, {
      headers: { authorization: this.services.authorization, ...(last !== undefined && { 'last-event-id': last }) },
      signal: this.closing.signal,
    });
    if (answer.status !== 200 || !answer.body) throw new Error(`the stream answered ${answer.status}`);
    return answer.body.pipeThrough(new TextDecoderStream()).getReader();
  }

  private async readAll(stream: Stream): Promise<void> {
    let text = '';
    for (;;) {
      const { value, done } = await stream.read();
      if (done) return;
      text += value;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const id = /^id: (.+)$/m.exec(text.slice(0, end))?.[1];
        text = text.slice(end + 2);
        if (id !== undefined) this.ids.push(id);
      }
    }
  }
}

type Stream = ReadableStreamDefaultReader<string>;
