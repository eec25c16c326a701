// Mixed writes while the service, PostgreSQL or both are killed with SIGKILL and connections are cut at random bytes.
// Acknowledged changes exist once. Other changes are complete or absent. A repeat with the same key gives one effect.
import { join } from 'node:path';
import { Host, KILLS, type Kill, onHostDirectory } from './crash-host.js';
import type { Findings } from './crash-verify.js';
import { Load } from './load.js';
import { type Random, randomOf } from './random.js';
import { type Outcome, progressOf } from './report.js';

export type CrashOptions = {
  readonly seed: string;
  readonly kills: number;
  readonly workers?: number;
  readonly until?: number;
  readonly onProgress?: (text: string) => void;
};

/** Share of the requests whose connection is cut. */
const CUT_SHARE = 0.12;
const PROGRESS_EVERY = 10;

export async function crash({
  seed,
  kills,
  workers = 6,
  until = Number.POSITIVE_INFINITY,
  onProgress = () => {},
}: CrashOptions): Promise<Outcome[]> {
  const random = randomOf(`${seed}/crash`);
  return onHostDirectory(async (dataDir) => {
    const run = await Run.begin(dataDir, random);
    try {
      return await run.prove(kills, workers, until, onProgress);
    } finally {
      await run.end();
    }
  });
}

class Run {
  private readonly random: Random;
  private readonly host: Host;
  private readonly load: Load;
  private readonly counts = { service: 0, postgres: 0, both: 0 };
  private readonly failures: string[] = [];

  private constructor(random: Random, host: Host, load: Load) {
    this.random = random;
    this.host = host;
    this.load = load;
  }

  static async begin(dataDir: string, random: Random): Promise<Run> {
    const host = await Host.start(dataDir);
    return new Run(random, host, await Load.open(random, host, join(dataDir, 'acknowledged.log'), CUT_SHARE));
  }

  async end(): Promise<void> {
    await this.load.close();
    await this.host.stop();
  }

  async prove(kills: number, workers: number, until: number, onProgress: (text: string) => void): Promise<Outcome[]> {
    const found: Findings[] = [];
    await this.load.start(workers);
    try {
      for (let i = 0; i < kills && Date.now() < until; i += 1) {
        await this.load.run(this.random.int(40, 400));
        const kind = KILLS[i % KILLS.length] as Kill;
        this.counts[kind] += 1;
        this.failures.push(...(await this.host.kill(kind, this.random)));
        this.load.paused = true;
        found.push(await this.load.verify());
        this.load.paused = false;
        if ((i + 1) % PROGRESS_EVERY > 0) continue;
        const broken = this.outcomes(found).flatMap(({ failures }) => failures);
        onProgress(progressOf(`${i + 1} kills`, broken));
      }
    } finally {
      await this.load.stop();
    }
    await this.load.settle();
    found.push(await this.load.verify(true));
    return this.outcomes(found);
  }

  private outcomes(found: readonly Findings[]): Outcome[] {
    const { service, postgres, both } = this.counts;
    const { cuts } = this.load.counts;
    const note = `${service} × service, ${postgres} × PostgreSQL, ${both} × both, ${cuts} cut connections, ${this.load.intents.length} requests, seed ${this.random.seed}`;
    return [
      { goal: 'crash: the service recovers without intervention', trials: service + postgres + both, failures: this.failures },
      ...this.load.outcomes('crash', found, note),
    ];
  }
}
