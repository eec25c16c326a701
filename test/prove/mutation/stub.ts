// Stands in for node:test while mutants are tried: collects tests, which the process then runs until the first one fails.

type Work = (context: unknown) => unknown;
type Collected = { readonly name: string; readonly work: Work };

const collected: Collected[] = [];
const endings: Work[] = [];
const context = {
  after: (work: Work) => void endings.push(work),
  diagnostic() {},
  test: (_name: string, work: Work) => work(context),
  mock: {},
};

const workIn = (args: readonly unknown[]): Work =>
  (args.find((each) => typeof each === 'function') as Work | undefined) ?? (() => undefined);
const isSkipped = (args: readonly unknown[]): boolean =>
  args.some((each) => typeof each === 'object' && each !== null && 'skip' in each && each.skip);

export function test(name: string, ...args: unknown[]): void {
  if (!isSkipped(args)) collected.push({ name, work: workIn(args) });
}
export function describe(_name: string, ...args: unknown[]): void {
  if (!isSkipped(args)) workIn(args)(context);
}
export const it = test;
export const before = (work: Work): void => void collected.push({ name: 'before', work });
export const after = (work: Work): void => void endings.push(work);
export default test;

/** Runs what was collected. Returns the name of the first test that fails. */
export async function firstFailure(): Promise<string | undefined> {
  const tests = collected.splice(0);
  try {
    for (const { name, work } of tests) {
      try {
        await work(context);
      } catch {
        return name;
      }
    }
    return undefined;
  } finally {
    for (const work of endings.splice(0)) await Promise.resolve(work(context)).catch(() => {});
  }
}
