// A cluster of TEST_CITUS_URL under load: a database with data is distributed, a worker is killed, platforms are moved and isolated, and a
// server is removed and added, with the statements of the guide. Nothing acknowledged is lost, and platforms of other servers go on.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, commandsOf, type Row, runTool, WITHOUT_CLUSTER } from '../support/cluster.js';
import { type Receiver, startReceiver } from '../support/webhooks/receiver.js';
import { deliveries, longestPause } from './cluster-deliveries.js';
import { ClusterNode } from './cluster-node.js';
import { ClusterBackup } from './cluster-restore.js';
import { type Acked, verify } from './crash-verify.js';
import { Load } from './load.js';
import { randomOf } from './random.js';
import type { Outcome } from './report.js';
import { Services } from './services.js';

const PART = 'cluster';
/** Of these, the load is on two of each part. */
const PLATFORMS = 16;
/** One part per worker: a move takes as long as there are tables. */
const SHARDS = 2;
const DOWN_MS = 15_000;
/** Deliveries of platforms on other servers never pause for longer. */
const LONGEST_PAUSE_MS = 5_000;
const CATCH_UP_MS = 120_000;

export type ClusterOptions = { readonly seed: string; readonly onProgress?: (text: string) => void };

/** A platform with its load and the deliveries that its endpoint received. */
type Served = {
  readonly tokenId: string;
  readonly authorization: string;
  readonly load: Load;
  readonly arrivals: number[];
  id: string;
  node: string;
};

export async function cluster({ seed, onProgress = () => {} }: ClusterOptions): Promise<Outcome[]> {
  const nodes = (process.env['TEST_CITUS_URL'] ?? '').split(',').filter((url) => url !== '');
  if (nodes.length < 3) return [{ goal: `${PART}: nothing acknowledged is lost`, trials: 0, failures: [], skipped: WITHOUT_CLUSTER }];
  return new Run(nodes, seed, onProgress).run();
}

class Run {
  private readonly nodes: readonly string[];
  private readonly seed: string;
  private readonly onProgress: (text: string) => void;
  private readonly directory = mkdtempSync(join(tmpdir(), 'switchyard-cluster-'));
  private readonly tokens = Array.from({ length: PLATFORMS }, (_, i) => ({
    id: `platform${i}`,
    secret: randomBytes(24).toString('base64url'),
  }));
  private readonly env = {
    BOOTSTRAP_TOKEN: this.tokens.map(({ id, secret }) => `${id}:${secret}`).join(),
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  private readonly figures: string[] = [];
  private readonly outcomes: Outcome[] = [];
  private database!: Cluster;
  private services!: Services;
  private receiver!: Receiver;
  private served: Served[] = [];
  private backup: ClusterBackup | string = 'no backup was taken';
  /** What was acknowledged before the restore point, and how many requests were made until after it, by platform. */
  private atPoint: { acked: ReadonlyMap<string, Acked>; requests: number }[] = [];

  constructor(nodes: readonly string[], seed: string, onProgress: (text: string) => void) {
    this.nodes = nodes;
    this.seed = seed;
    this.onProgress = onProgress;
  }

  async run(): Promise<Outcome[]> {
    this.database = await Cluster.create(this.nodes, SHARDS);
    this.receiver = await startReceiver({ reply: ({ path }) => this.arrived(path) });
    try {
      await this.startServices();
      for (const token of await this.chosen()) this.served.push(await this.serve(token));
      await this.phase('load on one server', () => sleep(3_000));
      await this.phase('distributed, with data', () => this.distribute());
      await this.placePlatforms();
      await this.phase('load on the cluster', () => sleep(5_000));
      await this.phase('a worker killed', () => this.loseWorker());
      await this.phase('parts moved', () => this.moveParts());
      await this.phase('a platform isolated and moved', () => this.isolate());
      await this.phase('a server under another name', () => this.rename());
      await this.phase('a server removed', () => this.remove());
      await this.phase('a server added, parts rebalanced', () => this.rebalance());
      await this.phase('a backup and a restore point', () => this.backUp());
      await this.finish();
      await this.restore();
      return this.outcomes;
    } finally {
      for (const { load } of this.served) await load.stop().then(() => load.close());
      await this.services?.stop();
      await this.receiver.close();
      if (this.backup instanceof ClusterBackup) await this.backup.drop();
      await this.database.drop();
      rmSync(this.directory, { recursive: true, force: true });
    }
  }

  private async startServices(): Promise<void> {
    const { directory, env } = this;
    this.services = await Services.start({ databaseUrl: this.database.url, directory, roles: ['all', 'api'], env });
  }

  /** Tokens of two platforms of each part. Where a platform will be follows from its id. */
  private async chosen(): Promise<(typeof this.tokens)[number][]> {
    const found = await this.database.query(
      `select key, worker_hash(platform_id) < 0 as first from platform_keys where kind = 'API_CLIENT' order by key`,
    );
    const keys = [true, false].flatMap((first) => found.filter((row) => row['first'] === first).slice(0, 2));
    if (keys.length < 4) throw new Error('the platforms are all in one part by chance; run it again');
    return this.tokens.filter(({ id }) => keys.some(({ key }) => key === id));
  }

  private arrived(path: string): number {
    this.served.find(({ tokenId }) => path === `/hooks/${tokenId}`)?.arrivals.push(performance.now());
    return 200;
  }

  private async serve({ id, secret }: { id: string; secret: string }): Promise<Served> {
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const target = { authorization, databaseUrl: this.database.url, url: () => this.services.url() };
    const answer = await fetch(`${this.services.url()}/2025-10-13/config`, {
      method: 'PATCH',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ webhookEndpoint: `${this.receiver.url}/${id}` }),
    });
    if (answer.status !== 200) throw new Error(`the endpoint of ${id}: ${answer.status} ${await answer.text()}`);
    const load = await Load.open(randomOf(`${this.seed}/cluster/${id}`), target, join(this.directory, `${id}.log`), 0);
    await load.start(2);
    return { tokenId: id, authorization, load, arrivals: [], id: '', node: '' };
  }

  /** What the calls of all platforms saw meanwhile. */
  private async phase(name: string, work: () => Promise<unknown>): Promise<void> {
    const sum = (of: (load: Load) => number) => this.served.reduce((total, { load }) => total + of(load), 0);
    const before = { acknowledged: sum((load) => load.acknowledged), unavailable: sum((load) => load.counts.unavailable) };
    for (const { load } of this.served) load.slowestMs = 0;
    const began = performance.now();
    await work();
    const figure = [
      `${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`,
      `${sum((load) => load.acknowledged) - before.acknowledged} acknowledged`,
      `${sum((load) => load.counts.unavailable) - before.unavailable} × 503`,
      `slowest answer ${(Math.max(...this.served.map(({ load }) => load.slowestMs)) / 1000).toFixed(1)} s`,
    ].join(', ');
    this.figures.push(figure);
    this.onProgress(figure);
  }

  private inGuide(section: string, words: (answers: readonly Row[]) => Record<string, string> = () => ({})): Promise<Row[]> {
    return this.database.run(section, words);
  }

  /** As the guide says: the service is stopped meanwhile. */
  private async distribute(): Promise<void> {
    for (const { load } of this.served) load.paused = true;
    await this.services.stop();
    for (const [name = '', ...args] of commandsOf('Distribute')) {
      const { code, text } = await this.tool(name, args);
      if (code !== 0) throw new Error(`npm run ${name}: ${text}`);
    }
    await this.startServices();
    for (const { load } of this.served) load.paused = false;
  }

  private async doctor(): Promise<string> {
    return (await this.tool('doctor', [])).text;
  }

  /** With the settings of the services, whose key opens what the database holds. */
  private readonly tool = (name: string, args: readonly string[]) =>
    runTool(name, args, { ...this.env, DATABASE_URL: this.database.url, DATA_DIR: this.directory });

  /** Where the platforms are. */
  private async placePlatforms(): Promise<void> {
    const keys = await this.database.query(`select key, platform_id from platform_keys where kind = 'API_CLIENT'`);
    const groups = await this.database.query('select node, ids from platform_groups(false)');
    for (const served of this.served) {
      served.id = String(keys.find(({ key }) => key === served.tokenId)?.['platform_id']);
      served.node = String(groups.find(({ ids }) => (ids as string[]).includes(served.id))?.['node']);
    }
  }

  private otherThan(node: string): string {
    const places = this.nodes.slice(1, 3).map((url) => new URL(url).host);
    return places.find((place) => place !== node) as string;
  }

  /** Moves the part of a platform to the other worker. */
  private async move({ id, node }: Served): Promise<void> {
    const [from, to] = [node, this.otherThan(node)].map((place) => place.split(':')) as [[string, string], [string, string]];
    await this.database.query(
      `select citus_move_shard_placement(get_shard_id_for_distribution_column('platforms', $1::uuid), $2, $3, $4, $5)`,
      [id, from[0], Number(from[1]), to[0], Number(to[1])],
    );
  }

  private async loseWorker(): Promise<void> {
    const [, , second = ''] = this.nodes;
    const worker = await ClusterNode.find(second);
    if (typeof worker === 'string') {
      this.outcomes.push({
        goal: `${PART}: platforms of other servers go on while a worker is down`,
        trials: 0,
        failures: [],
        skipped: worker,
      });
      return;
    }
    const lost = this.served.filter(({ node }) => node === worker.place);
    const others = this.served.filter(({ node }) => node !== worker.place);
    // A new token is written to every server.
    for (const { load } of this.served) load.withoutTokens = true;
    await sleep(1_000);
    const before = this.served.map(({ load }) => load.refused.length);
    const answered = others.map(({ load }) => load.acknowledged);
    const killedAt = performance.now();
    let restartedAt = killedAt;
    let doctor = '';
    worker.kill();
    try {
      await sleep(DOWN_MS);
      doctor = await this.doctor();
      restartedAt = performance.now();
    } finally {
      await worker.start();
    }
    const backAt = performance.now();
    const refusedOf = (served: Served) => served.load.refused.slice(before[this.served.indexOf(served)]);
    const pauses = others.map(({ arrivals }) => longestPause(arrivals, killedAt, restartedAt));
    const refused = others.flatMap(refusedOf);
    const wentOn = others.reduce((sum, { load }, i) => sum + load.acknowledged - (answered[i] ?? 0), 0);
    const delivered = others.flatMap(({ arrivals }) => arrivals.filter((at) => at > killedAt && at < restartedAt)).length;
    const down = lost.flatMap(refusedOf).length;
    const acknowledged = lost.map(({ load }) => load.acknowledged);
    while (lost.some(({ load }, i) => load.acknowledged === acknowledged[i]) && performance.now() - backAt < CATCH_UP_MS) await sleep(20);
    const late = (performance.now() - backAt) / 1000;
    for (const { load } of this.served) load.withoutTokens = false;
    this.outcomes.push(
      {
        goal: `${PART}: calls of platforms of other servers go on while a worker is down`,
        trials: wentOn,
        failures: refused.map((call) => `503 for ${call}`),
      },
      {
        goal: `${PART}: deliveries of platforms of other servers go on while a worker is down`,
        trials: delivered,
        failures: pauses.filter((pause) => pause > LONGEST_PAUSE_MS).map((pause) => `no delivery for ${Math.round(pause)} ms`),
        note: `longest pause ${Math.round(Math.max(...pauses))} ms`,
      },
      {
        goal: `${PART}: the doctor names a worker that is down`,
        trials: 1,
        failures: doctor.includes(`does not reach ${worker.place}`) ? [] : [doctor],
      },
      {
        goal: `${PART}: platforms of the worker go on when it is back`,
        trials: lost.length,
        failures: late * 1000 < CATCH_UP_MS ? [] : [`no answer ${late.toFixed(0)} s after the start`],
        note: `down for ${DOWN_MS / 1000} s with ${down} × 503, first answers ${late.toFixed(1)} s after the start`,
      },
    );
  }

  /** There and back. */
  private async moveParts(): Promise<void> {
    for (let round = 0; round < 2; round += 1) {
      await this.move(this.served[0] as Served);
      await this.placePlatforms();
    }
  }

  /** A platform of the first worker gets a part of its own on the second. */
  private async isolate(): Promise<void> {
    const first = new URL(this.nodes[1] as string).host;
    const large = this.served.find(({ node }) => node === first) as Served;
    await this.inGuide('Give a large platform a server of its own', (answers) => ({
      '0198c9f2-…': large.id,
      '102345': String(answers[1]?.['get_shard_id_for_distribution_column']),
    }));
    await this.placePlatforms();
    const groups = await this.database.query('select ids from platform_groups(false) where $1::uuid = any(ids)', [large.id]);
    const alone = groups.length === 1 && groups.every(({ ids }) => (ids as string[]).length === 1);
    this.outcomes.push({
      goal: `${PART}: an isolated platform is alone in its part, on the server it was given`,
      trials: 1,
      failures: alone && large.node !== first ? [] : [`on ${large.node} with ${JSON.stringify(groups)}`],
    });
    // Other platforms are welcome again.
    const { hostname, port } = new URL(this.nodes[2] as string);
    await this.database.query(`select citus_set_node_property($1, $2, 'shouldhaveshards', true)`, [hostname, Number(port)]);
  }

  /** As after a promotion: the second worker is reached by another name, and then by the first again. */
  private async rename(): Promise<void> {
    const { hostname, port } = new URL(this.nodes[2] as string);
    const [node] = await this.database.query('select nodeid from pg_dist_node where nodename = $1 and nodeport = $2', [
      hostname,
      Number(port),
    ]);
    const to = async (name: string): Promise<void> => {
      const words = {
        "citus_update_node(3, 'standby-2.internal', 5432)": `citus_update_node(${String(node?.['nodeid'])}, '${name}', ${port})`,
      };
      for (let isDone = false; !isDone; )
        isDone = await this.inGuide('When a server is down', () => words).then(
          () => true,
          (error: { code?: string }) => {
            // Of the two, the statement was ended and not the transaction. The guide says to run it again.
            if (error.code !== '40P01') throw error;
            return false;
          },
        );
    };
    await to(hostname === 'localhost' ? '127.0.0.1' : 'localhost');
    await sleep(2_000);
    await to(hostname);
  }

  /** As the guide says: nothing is left to be dropped when the server is removed. */
  private async remove(): Promise<void> {
    const [drain, drop, remove] = [0, 1, 2];
    await this.database.runBlock('Remove a server', drain);
    const until = Date.now() + CATCH_UP_MS;
    for (;;) {
      const left = (await this.database.runBlock('Remove a server', drop)).at(-1)?.['count'];
      if (left === '0') break;
      if (Date.now() > until) throw new Error(`${left} records of pg_dist_cleanup are left`);
      await sleep(200);
    }
    await this.database.runBlock('Remove a server', remove);
  }

  /** The server that was removed is added as a new one: what it held is of no use. */
  private async rebalance(): Promise<void> {
    await this.database.renew(this.nodes[2] as string);
    await this.inGuide('Add a server');
    for (;;) {
      const [status] = await this.database.query('select state::text as state, details::text as details from citus_rebalance_status()');
      if (status?.['state'] === 'finished') break;
      if (!['scheduled', 'running'].includes(String(status?.['state']))) throw new Error(`rebalancing: ${JSON.stringify(status)}`);
      await sleep(200);
    }
    await this.placePlatforms();
    const spread = await this.database.query(
      `select nodeport, count(*)::int as parts from citus_shards where table_name = 'platforms'::regclass group by nodeport`,
    );
    const places = this.nodes.slice(1).length;
    this.outcomes.push({
      goal: `${PART}: a server that is added gets its share of the platforms`,
      trials: 1,
      failures: spread.length === places ? [] : [`parts by server: ${JSON.stringify(spread)}`],
      note: spread.map(({ nodeport, parts }) => `${nodeport}: ${parts}`).join(', '),
    });
  }

  /** The load goes on meanwhile, and after the restore point. */
  private async backUp(): Promise<void> {
    this.backup = await ClusterBackup.take(this.nodes);
    const acked = this.served.map(({ load }) => load.acknowledgements());
    await this.inGuide('Backup');
    this.atPoint = this.served.map(({ load }, i) => ({ acked: acked[i] ?? new Map(), requests: load.intents.length }));
    if (this.backup instanceof ClusterBackup) await this.backup.endLogs();
    await sleep(2_000);
  }

  /** All servers are lost, and are restored to the restore point. */
  private async restore(): Promise<void> {
    const { backup } = this;
    const goal = `${PART}: servers restored to a restore point hold what was acknowledged before it, and nothing that was asked for after it`;
    if (typeof backup === 'string') {
      this.outcomes.push({ goal, trials: 0, failures: [], skipped: backup });
      return;
    }
    await this.services.stop();
    const began = performance.now();
    await backup.restored(async () => {
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const failures: string[] = [];
      let later = 0;
      let earlier = 0;
      for (const [i, { load }] of this.served.entries()) {
        const { acked = new Map(), requests = 0 } = this.atPoint[i] ?? {};
        const found = await verify(this.database.url, load.intents, acked, false);
        failures.push(...Object.values(found).flatMap((finding) => finding.failures));
        earlier += acked.size;
        const keys = load.intents.slice(requests).map(({ key }) => key);
        later += keys.length;
        const kept = await this.database.query('select key from idempotency_keys where key = any($1)', [keys]);
        failures.push(...kept.map(({ key }) => `${String(key)} was asked for after the restore point`));
      }
      const doctor = await this.doctor();
      if (!/: everything is distributed$/m.test(doctor)) failures.push(doctor);
      // The service starts on it, and its platforms go on.
      await this.startServices();
      for (const { authorization } of this.served) failures.push(...(await this.refusalOfChange(authorization)));
      await this.services.stop();
      this.outcomes.push({
        goal,
        trials: earlier + later,
        failures: [...new Set(failures)],
        note: `${earlier} acknowledged before, ${later} asked for after; restored in ${seconds} s`,
      });
    });
  }

  private async refusalOfChange(authorization: string): Promise<string[]> {
    const answer = await fetch(`${this.services.url()}/2025-10-13/customers`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ customerType: 'INDIVIDUAL', fullName: 'Ada' }),
    });
    return answer.ok ? [] : [`a customer after the restore: ${answer.status} ${await answer.text()}`];
  }

  private async finish(): Promise<void> {
    const loads = this.served.map(({ load }) => load);
    for (const load of loads) await load.stop();
    for (const load of loads) await load.settle();
    const doctor = await this.doctor();
    const note = `Citus ${String((await this.database.query(`select extversion as v from pg_extension where extname = 'citus'`))[0]?.['v'])}, PostgreSQL ${String((await this.database.query('show server_version'))[0]?.['server_version'])}, seed ${this.seed}; ${this.figures.join('; ')}`;
    const verified: Outcome[][] = [];
    for (const load of loads) verified.push(load.outcomes(PART, [await load.verify(true)], note));
    this.outcomes.unshift(...merged(verified));
    this.outcomes.push(
      {
        goal: `${PART}: the statements and commands of the guide run as written`,
        trials: this.database.statements,
        failures: /: everything is distributed$/m.test(doctor) ? [] : [doctor],
      },
      await deliveries(PART, this.database, this.receiver),
    );
  }
}

/** The outcomes of several loads as those of one. */
const merged = ([first = [], ...others]: readonly Outcome[][]): Outcome[] =>
  first.map((outcome, i) => ({
    ...outcome,
    trials: others.reduce((sum, other) => sum + (other[i]?.trials ?? 0), outcome.trials),
    failures: [...new Set([outcome, ...others.map((other) => other[i])].flatMap((each) => each?.failures ?? []))],
  }));
