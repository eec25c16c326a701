// Reads the architecture from the sources: imports, tables and hooks. The architecture test checks it, scripts/draw.mjs draws it.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { MODULES } from '../../src/app.js';
import type { Module } from '../../src/module.js';
import { projectRoot } from '../../src/root.js';

export type Source = { readonly path: string; readonly text: string; readonly imports: readonly string[] };

const src = join(projectRoot, 'src');

/** What a file imports: project files by their path below src, packages by their name. Type imports count. */
export const importsOf = (path: string, text: string): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(([, target = '']) =>
    target.startsWith('.') ? normalize(join(dirname(path), target)).replace(/\.js$/, '.ts') : target,
  );

export const sources: readonly Source[] = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .sort()
  .map((path) => {
    const text = readFileSync(join(src, path), 'utf8');
    return { path, text, imports: importsOf(path, text) };
  });

/** The module a file belongs to: `cards/disputes`, or `ledger` where a group is one domain. */
export const domainOf = (path: string): string | undefined => MODULES.find(({ name }) => path.startsWith(`domains/${name}/`))?.name;

/** Import cycles. Each is the list of files of the cycle, with the first file repeated at the end. */
export function circlesOf(files: readonly Pick<Source, 'path' | 'imports'>[]): string[][] {
  const importsByPath = new Map(files.map(({ path, imports }) => [path, imports]));
  const finished = new Set<string>();
  const circles: string[][] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) circles.push([...trail.slice(at), path]);
    if (at >= 0 || finished.has(path)) return;
    for (const target of importsByPath.get(path) ?? []) if (importsByPath.has(target)) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const { path } of files) visit(path, []);
  return circles;
}

// ---- tables

const schema = readdirSync(join(projectRoot, 'migrations'))
  .filter((name) => name.endsWith('.sql'))
  .map((name) => readFileSync(join(projectRoot, 'migrations', name), 'utf8'))
  .join('\n');
const named = (pattern: RegExp): string[] => [...schema.matchAll(pattern)].map(([, table = '']) => table);
const dropped = named(/^drop table (\w+)/gm);

/** The tables of the schema after all migrations. */
export const TABLES: readonly string[] = named(/^create table (\w+)/gm).filter((table) => !dropped.includes(table));

/** Functions of the schema whose bodies read a table. */
export const TABLE_FUNCTIONS: readonly string[] = [
  ...schema.matchAll(/^create (?:or replace )?function (\w+)\([\s\S]*?\$\$([\s\S]*?)\$\$/gm),
]
  .filter(([, , body = '']) => TABLES.some((table) => new RegExp(`\\b(?:from|join|into|update)\\s+${table}\\b`).test(body)))
  .map(([, name = '']) => name);

/** Tables written outside the domains, with the folder or file that writes them. */
export const OTHER_OWNERS: Readonly<Record<string, readonly string[]>> = {
  'db/migrate.ts': ['schema_migrations'],
  'db/named-locks.ts': ['named_locks'],
  'http/idempotency.ts': ['idempotency_keys'],
  'http/rate-limit.ts': ['rate_limit_buckets'],
  'providers/files': ['stored_files', 'stored_file_chunks'],
  'providers/sandbox-rates.ts': ['sandbox_rates'],
  'providers/sandbox-stablecoin-issuer.ts': ['sandbox_issuer_orders', 'sandbox_issuer_balances'],
  'providers/wallet-signer': ['wallets', 'wallet_signers', 'wallet_activities'],
};

export type TableUse = { readonly writes: ReadonlySet<string>; readonly reads: ReadonlySet<string> };

/** The tables in the SQL of a source. Only template literals are read, not comments. */
export function tablesIn(text: string): TableUse {
  const code = text.replaceAll(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, '');
  const statements = [...code.matchAll(/`(?:[^`\\]|\\.)*`/gs)].map(([literal]) => literal).join('\n');
  const named = (pattern: (table: string) => RegExp) => new Set(TABLES.filter((table) => pattern(table).test(statements)));
  return {
    writes: named((table) => new RegExp(`\\b(?:insert into|update|delete from)\\s+${table}\\b`, 'i')),
    reads: named((table) => new RegExp(`\\b(?:(?<!delete )from|join)\\s+${table}\\b|,\\s*${table}\\s+[a-z]\\b`, 'i')),
  };
}

/** The tables that the sources of a module write and read. */
export function tablesOf({ name }: Pick<Module, 'name'>): TableUse {
  const used = sources.filter(({ path }) => domainOf(path) === name).map(({ text }) => tablesIn(text));
  return {
    writes: new Set(used.flatMap(({ writes }) => [...writes])),
    reads: new Set(used.flatMap(({ reads }) => [...reads])),
  };
}

/** Owner of each table: a module, or one of OTHER_OWNERS. */
export const ownersOf = (): ReadonlyMap<string, readonly string[]> => {
  const owners = new Map<string, string[]>();
  const add = (owner: string, tables: readonly string[]) => {
    for (const table of tables) owners.set(table, [...(owners.get(table) ?? []), owner]);
  };
  for (const { name, tables = [] } of MODULES) add(name, tables);
  for (const [owner, tables] of Object.entries(OTHER_OWNERS)) add(owner, tables);
  return owners;
};

// ---- drawings

/** Direct imports between domains, without those that follow from other imports. */
export function importEdges(): [from: string, to: string][] {
  const direct = new Map<string, Set<string>>(MODULES.map(({ name }) => [name, new Set()]));
  for (const { path, imports } of sources) {
    const from = domainOf(path);
    for (const target of imports) {
      const to = domainOf(target);
      if (from && to && from !== to) direct.get(from)?.add(to);
    }
  }
  const reaches = (from: string, to: string): boolean => [...(direct.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  return [...direct].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reaches(other, to)))
      .map((to): [string, string] => [from, to]),
  );
}

/** Declaring module, hook and listening module of every hook. */
export const hookEdges = (): { readonly from: string; readonly hook: string; readonly to: string }[] =>
  MODULES.flatMap((listening) =>
    (listening.listeners ?? []).map(({ hook }) => ({
      from: MODULES.find(({ hooks = [] }) => hooks.includes(hook))?.name ?? '(undeclared)',
      hook: hook.name,
      to: listening.name,
    })),
  );

const nodeOf = (name: string): string => name.replaceAll(/[^a-z]/g, '_');
const groupOf = (name: string): string => name.split('/')[0] ?? name;

/** The graph of domains in Mermaid: solid arrows are imports, dotted arrows are hooks that call a later domain. */
export function drawDomains(): string {
  const groups = [...new Set(MODULES.map(({ name }) => groupOf(name)))];
  const boxes = groups.flatMap((group) => {
    const members = MODULES.filter(({ name }) => groupOf(name) === group).map(({ name }) => `${nodeOf(name)}[${name.split('/').at(-1)}]`);
    return members.length === 1 && group === MODULES.find(({ name }) => name === group)?.name
      ? members.map((member) => `  ${member}`)
      : [`  subgraph group_${nodeOf(group)} [${group}]`, ...members.map((member) => `    ${member}`), '  end'];
  });
  const imports = importEdges().map(([from, to]) => `  ${nodeOf(from)} --> ${nodeOf(to)}`);
  const hooks = hookEdges().map(({ from, hook, to }) => `  ${nodeOf(from)} -. ${hook.split('.').at(-1)} .-> ${nodeOf(to)}`);
  return ['```mermaid', 'flowchart BT', ...boxes, ...imports, ...hooks, '```'].join('\n');
}

export function drawTables(): string {
  const rows = [
    ...MODULES.filter(({ tables = [], reads = [] }) => tables.length + reads.length > 0).map(({ name, tables = [], reads = [] }) => ({
      owner: name,
      tables,
      reads,
    })),
    ...Object.entries(OTHER_OWNERS).map(([owner, tables]) => ({ owner, tables, reads: [] })),
  ];
  const cell = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  return [
    '| Owner | Writes | Also reads |',
    '|---|---|---|',
    ...rows.map(({ owner, tables, reads }) => `| \`${owner}\` | ${cell(tables)} | ${cell(reads)} |`),
  ].join('\n');
}

/** A state table as a Mermaid diagram. `moves` lists, for each status, the statuses that may follow and why. */
export function drawStates(moves: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>): string {
  const lines = Object.entries(moves).flatMap(([from, events]) => {
    const byTarget = new Map<string, string[]>();
    for (const [event, targets] of Object.entries(events))
      for (const target of targets) byTarget.set(target, [...(byTarget.get(target) ?? []), event]);
    return [...byTarget].map(([to, causes]) => `  ${from === 'NEW' ? '[*]' : from} --> ${to}: ${causes.join(', ')}`);
  });
  return ['```mermaid', 'stateDiagram-v2', ...lines, '```'].join('\n');
}
