// Loads a mutated module. A URL with `?mutant=N` is read from the folder of mutants; modules between it and the test are loaded anew beside it.
import { readFileSync } from 'node:fs';
import type { LoadFnOutput, LoadHookContext, ResolveFnOutput, ResolveHookContext } from 'node:module';
import { join } from 'node:path';

export type HookData = {
  readonly folder: string;
  /** The module that is mutated. */
  readonly target: string;
  /** Modules that import it, over however many steps. Empty: the mutant replaces the target in the whole process. */
  readonly importers: readonly string[];
  /** Stands in for node:test. */
  readonly stub: string;
  /** The mutant of the whole process. */
  readonly only?: string;
};

let data: HookData;
let importers: ReadonlySet<string>;

export function initialize(given: HookData): void {
  data = given;
  importers = new Set(given.importers);
}

const mutantOf = (url: string | undefined): string | null => (url ? new URL(url).searchParams.get('mutant') : null);

export async function resolve(
  specifier: string,
  context: ResolveHookContext,
  next: (specifier: string, context: ResolveHookContext) => ResolveFnOutput | Promise<ResolveFnOutput>,
): Promise<ResolveFnOutput> {
  const mutant = mutantOf(context.parentURL);
  if (mutant !== null && specifier === 'node:test') return { url: data.stub, shortCircuit: true, format: 'module' };
  const resolved = await next(specifier, context);
  if (mutant === null || !(resolved.url === data.target || importers.has(resolved.url))) return resolved;
  return { ...resolved, url: `${resolved.url}?mutant=${mutant}` };
}

export async function load(
  url: string,
  context: LoadHookContext,
  next: (url: string, context: LoadHookContext) => LoadFnOutput | Promise<LoadFnOutput>,
): Promise<LoadFnOutput> {
  const [plain = url] = url.split('?');
  const mutant = mutantOf(url.startsWith('file:') ? url : undefined) ?? data.only ?? null;
  if (plain !== data.target || mutant === null) return next(url, context);
  return { format: 'module', shortCircuit: true, source: readFileSync(join(data.folder, `${mutant}.js`), 'utf8') };
}
