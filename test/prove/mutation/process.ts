// A process that tries mutants of one module with the tests of rules. Mutant 0 is the module as it is.
import { register } from 'node:module';
import type { HookData } from './hooks.js';

export type Trial = { readonly mutant: number; readonly tests: readonly string[] };
export type Verdict = { readonly mutant: number; readonly killedBy: string | undefined };

process.once('message', (data: HookData) => {
  register('./hooks.js', import.meta.url, { data });
  process.on('message', (trial: Trial) => void judge(trial).then((verdict) => process.send?.(verdict)));
  process.send?.('ready');
});

// The parent is gone.
process.once('disconnect', () => process.exit());

// A mutant may leave a promise behind that nobody waits for.
process.on('unhandledRejection', () => {});

async function judge({ mutant, tests }: Trial): Promise<Verdict> {
  const { firstFailure } = await import('./stub.js');
  for (const file of tests) {
    try {
      await import(`${file}?mutant=${mutant}`);
    } catch (error) {
      return { mutant, killedBy: `${file}: ${String(error).split('\n')[0]}` };
    }
    const failed = await firstFailure();
    if (failed !== undefined) return { mutant, killedBy: failed };
  }
  return { mutant, killedBy: undefined };
}
