// Mutation testing of the pure rules: each small fault in a rules file must be noticed by a test. The tests of test/rules are tried first, in
// one process per file. What they do not notice is tried with the tests of the domain's operations, which need a database and take longer.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../../src/root.js';
import type { Outcome } from '../report.js';
import type { HookData } from './hooks.js';
import { isJudged } from './judged.js';
import { applied, type Mutant, mutantsOf } from './mutants.js';
import type { Trial, Verdict } from './process.js';

const dist = join(projectRoot, 'dist');
const LEAST_SCORE = 0.9;
/** Files of pure rules, by name: `requirements.ts` is the table of what a customer must have. */
const RULES = /\/(?:[\w-]*rules|authorization|lifecycle|moves|requirements)\.js$/;

type Survivor = Mutant & { readonly line: number };
type Score = {
  readonly file: string;
  readonly tried: number;
  readonly planted: number;
  readonly survivors: readonly Survivor[];
  readonly judged: number;
};

const filesBelow = (folder: string, pattern: RegExp): string[] =>
  readdirSync(join(dist, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => pattern.test(path))
    .map((path) => join(dist, folder, path))
    .sort();

/** Who imports a compiled module. */
function importersByModule(): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const path of [...filesBelow('src', /\.js$/), ...filesBelow('test', /\.js$/)]) {
    for (const [, target = ''] of readFileSync(path, 'utf8').matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g)) {
      const module = normalize(join(dirname(path), target));
      importers.set(module, [...(importers.get(module) ?? []), path]);
    }
  }
  return importers;
}

function closureOf(module: string, importers: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const waiting = [module];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const importer of importers.get(next) ?? []) {
      if (reached.has(importer)) continue;
      reached.add(importer);
      waiting.push(importer);
    }
  return reached;
}

const urlOf = (path: string): string => pathToFileURL(path).href;
/** Properties draw fewer cases than in the suite: a fault in a price shows in few, and every mutant draws them again. */
const withoutOptions = { ...process.env, NODE_OPTIONS: '', PRICE_RUNS: '30' };

/** A process with the hooks of one module. Mutants that hang end it. */
class Judge {
  private child: ChildProcess | undefined;
  private readonly data: HookData;
  constructor(data: HookData) {
    this.data = data;
  }

  private async started(): Promise<ChildProcess> {
    if (this.child) return this.child;
    this.child = fork(join(import.meta.dirname, 'process.js'), { env: withoutOptions, stdio: 'ignore', serialization: 'json' });
    this.child.send(this.data);
    await once(this.child, 'message');
    return this.child;
  }

  async verdict(trial: Trial, limitMs: number): Promise<string | undefined> {
    const child = await this.started();
    return new Promise((resolve) => {
      const end = (killedBy: string | undefined) => {
        clearTimeout(timer);
        child.removeAllListeners('message').removeAllListeners('exit');
        resolve(killedBy);
      };
      const timer = setTimeout(() => {
        this.stop();
        end('it takes too long');
      }, limitMs);
      child.once('message', (message) => end((message as Verdict).killedBy));
      child.once('exit', () => {
        this.child = undefined;
        end('the process ended');
      });
      child.send(trial);
    });
  }

  stop(): void {
    this.child?.kill('SIGKILL');
    this.child = undefined;
  }
}

/** Whether the tests of the operations notice a mutant. They run in a process whose service has it. */
async function isNoticed(data: HookData, tests: readonly string[], until: number): Promise<boolean> {
  for (const file of tests) {
    if (Date.now() > until) return false;
    const register = `import { register } from 'node:module'; register(${JSON.stringify(urlOf(join(import.meta.dirname, 'hooks.js')))}, { data: ${JSON.stringify(data)} });`;
    const child = spawn(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(register)}`, file], {
      env: withoutOptions,
      stdio: 'ignore',
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), 120_000);
    const [code] = await once(child, 'exit');
    clearTimeout(timer);
    if (code !== 0) return true;
  }
  return false;
}

async function scoreOf(path: string, importers: ReadonlyMap<string, readonly string[]>, { deep, until }: Options): Promise<Score> {
  const file = relative(join(dist, 'src'), path).replace(/\.js$/, '.ts');
  const code = readFileSync(path, 'utf8');
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-mutants-'));
  const reached = closureOf(path, importers);
  const tests = [...reached].filter((each) => each.startsWith(join(dist, 'test/rules/')) && each.endsWith('.test.js'));
  const data = { folder, target: urlOf(path), importers: [...reached].map(urlOf), stub: urlOf(join(import.meta.dirname, 'stub.js')) };
  const judge = new Judge(data);
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  try {
    writeFileSync(join(folder, '0.js'), code);
    // Quick files first: most mutants end in them. A file that fails without a mutant cannot judge.
    const timed: { file: string; ms: number }[] = [];
    for (const each of tests) {
      const began = performance.now();
      if ((await judge.verdict({ mutant: 0, tests: [urlOf(each)] }, 60_000)) === undefined)
        timed.push({ file: urlOf(each), ms: performance.now() - began });
    }
    timed.sort((a, b) => a.ms - b.ms);
    // Each file has a limit of its own: a mutant that hangs in a quick one is noticed soon.
    const isNoticedByRules = async (mutant: number): Promise<boolean> => {
      for (const each of timed) if ((await judge.verdict({ mutant, tests: [each.file] }, 5_000 + 10 * each.ms)) !== undefined) return true;
      return false;
    };
    const domain = dirname(file).replace(/^domains\//, '');
    const operations: string[] = [];
    for (const each of deep ? filesBelow('test/operations', /\.test\.js$/).filter((path) => path.includes(`/operations/${domain}/`)) : [])
      if (!(await isNoticed({ ...data, importers: [], only: '0' }, [each], until))) operations.push(each);

    const all = mutantsOf(code);
    const mutants = all.filter((mutant) => !isJudged(file, code, mutant));
    const survivors: Survivor[] = [];
    let tried = 0;
    for (const [i, mutant] of mutants.entries()) {
      if (Date.now() > until || timed.length + operations.length === 0) break;
      tried += 1;
      writeFileSync(join(folder, `${i + 1}.js`), applied(code, mutant));
      if (await isNoticedByRules(i + 1)) continue;
      if (operations.length > 0 && (await isNoticed({ ...data, importers: [], only: String(i + 1) }, operations, until))) continue;
      const before = code.slice(0, mutant.start).split('\n');
      const entry = map.findEntry(before.length - 1, before.at(-1)?.length ?? 0);
      survivors.push({ ...mutant, line: 'originalLine' in entry ? entry.originalLine + 1 : 0 });
    }
    return { file, tried, planted: mutants.length, survivors, judged: all.length - mutants.length };
  } finally {
    judge.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Options = { readonly only: string; readonly deep: boolean; readonly until: number; readonly onProgress: (text: string) => void };

export async function mutation(options: Options): Promise<Outcome[]> {
  const importers = importersByModule();
  const paths = filesBelow('src/domains', RULES).filter((path) => path.includes(options.only));
  const outcomes: Outcome[] = [];
  for (const path of paths) {
    const { file, tried, planted, survivors, judged } = await scoreOf(path, importers, options);
    if (tried === 0) {
      const why = Date.now() > options.until ? 'the time was over before it was tried' : 'no test of test/rules judges it';
      outcomes.push({ goal: `mutation: ${file}`, trials: 0, failures: [why] });
      continue;
    }
    const score = (tried - survivors.length) / tried;
    const listed = survivors.map(({ line, what }) => `src/${file}:${line} ${what.replaceAll(/\s+/g, ' ')}`);
    options.onProgress([`${file}: ${(100 * score).toFixed(1)} % of ${tried}`, ...listed.slice(0, 200)].join('\n    '));
    outcomes.push({
      goal: `mutation: ${file}`,
      trials: tried,
      failures: [
        ...(score < LEAST_SCORE ? listed : []),
        ...(tried < planted ? [`${tried} of ${planted} changes were tried before the time was over`] : []),
      ],
      note: `${(100 * score).toFixed(1)} % noticed${judged > 0 ? `, ${judged} judged equivalent` : ''}`,
      mutation: { file, survivors: survivors.map(({ line, what }) => `${line}: ${what.replaceAll(/\s+/g, ' ')}`) },
    });
  }
  return outcomes;
}
