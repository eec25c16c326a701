// Databases on a cluster, made and changed with the statements of the guide "grow past one machine".
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { splitStatements } from '../../src/db/statements.js';
import { projectRoot } from '../../src/root.js';

/** What a test that needs a cluster says where there is none. */
export const WITHOUT_CLUSTER = 'it needs a cluster, whose nodes TEST_CITUS_URL names';

const guide = readFileSync(join(projectRoot, 'docs/guides/grow-past-one-machine.md'), 'utf8');

/** The blocks of one language in a section of the guide. */
const blocksOf = (section: string, language: string): string[] => {
  const [, text = ''] = guide.split(`\n## ${section}\n`);
  const found = [...(text.split('\n## ')[0] ?? '').matchAll(/^```(\w+)[^\n]*\n([\s\S]*?)^```/gm)];
  const blocks = found.filter(([, its]) => its === language).map(([, , block = '']) => block);
  if (blocks.length === 0) throw new Error(`the guide has no block of ${language} in "${section}"`);
  return blocks;
};

/** The commands of a section, such as `npm run distribute -- --plan`, as the arguments of each. */
export const commandsOf = (section: string): string[][] =>
  blocksOf(section, 'sh').flatMap((block) =>
    [...block.matchAll(/^npm run (\w+)(?: -- (.*))?$/gm)].map(([, name = '', more]) => [name, ...(more?.split(' ') ?? [])]),
  );

/** The settings of a server that a section names. */
export const settingsOf = (section: string): string => blocksOf(section, 'ini').join('');

export type Row = Record<string, unknown>;
/** Words of the guide and what stands for them here. */
export type Words = Readonly<Record<string, string>>;

const placeOf = (node: string): string => {
  const { hostname, port } = new URL(node);
  return `'${hostname}', ${port || 5432}`;
};

export class Cluster {
  readonly name = `t_${randomBytes(8).toString('hex')}`;
  /** Of the database, on the coordinator and on each worker. */
  readonly urls: readonly string[];
  /** Statements of the guide that were run. */
  statements = 0;
  private readonly nodes: readonly string[];
  private readonly words: Words;

  private constructor(nodes: readonly string[]) {
    const [coordinator = '', first = '', second = ''] = nodes;
    this.nodes = nodes;
    this.urls = nodes.map((node) => Object.assign(new URL(node), { pathname: `/${this.name}` }).toString());
    this.words = {
      "'coordinator.internal', 5432": placeOf(coordinator),
      "'worker-1.internal', 5432": placeOf(first),
      "'worker-2.internal', 5432": placeOf(second),
      // The server that the guide removes is also the one that it adds.
      "'worker-3.internal', 5432": placeOf(second),
      'database switchyard': `database ${this.name}`,
    };
  }

  /** A database with the extension on every node, not distributed yet. */
  static async create(nodes: readonly string[], shards: number): Promise<Cluster> {
    const cluster = new Cluster(nodes);
    for (const node of nodes) await cluster.prepare(node);
    await cluster.runOn(cluster.url, blocksOf('Set up', 'sql')[1] ?? '');
    await cluster.query(`alter database ${cluster.name} set citus.shard_count = ${shards}`);
    return cluster;
  }

  /** Creates database and extension on a node. */
  async prepare(node: string): Promise<void> {
    const [database = '', extension = ''] = (blocksOf('Set up', 'sql')[0] ?? '').split(/^\\c switchyard$/m);
    await this.runOn(node, database);
    await this.runOn(this.urls[this.nodes.indexOf(node)] as string, extension);
  }

  /** A server that was removed becomes a new one. */
  async renew(node: string): Promise<void> {
    await withClient(node, (client) => client.query(`drop database ${this.name} with (force)`));
    await this.prepare(node);
  }

  get url(): string {
    return this.urls[0] as string;
  }

  /** Runs the statements of a section on the coordinator. `words` may follow from the answers so far. */
  run(section: string, words: (answers: readonly Row[]) => Words = () => ({})): Promise<Row[]> {
    return this.runOn(this.url, blocksOf(section, 'sql').join('\n'), words);
  }

  /** Runs one block of statements of a section, which the guide may say to repeat. */
  runBlock(section: string, block: number): Promise<Row[]> {
    return this.runOn(this.url, blocksOf(section, 'sql')[block] ?? '');
  }

  async query(text: string, values: unknown[] = []): Promise<Row[]> {
    return withClient(this.url, async (client) => (await client.query(text, values)).rows as Row[]);
  }

  async drop(): Promise<void> {
    for (const node of this.nodes) await withClient(node, (client) => client.query(`drop database if exists ${this.name} with (force)`));
  }

  private async runOn(url: string, script: string, words: (answers: readonly Row[]) => Words = () => ({})): Promise<Row[]> {
    return withClient(url, async (client) => {
      const answers: Row[] = [];
      for (const statement of splitStatements(script)) {
        let text = statement;
        for (const [word, here] of Object.entries({ ...this.words, ...words(answers) })) text = text.replaceAll(word, here);
        answers.push(((await client.query(text)).rows[0] ?? {}) as Row);
        this.statements += 1;
      }
      return answers;
    });
  }
}

/** Runs a tool of the service, such as `distribute`. */
export const runTool = (
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; text: string }> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(projectRoot, `dist/src/${name}.js`), ...args],
      { env: { PATH: process.env['PATH'], PORT: '0', METRICS_PORT: 'off', ...env } },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, text: stdout + stderr }),
    );
  });

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
