// The long fuzz test on every core: one process per core, with combined results.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { FuzzOptions } from './fuzz.js';
import type { Outcome } from './report.js';

export type FuzzTask = { readonly seed: string; readonly requests: number; readonly until: number };
export type FuzzMessage = { readonly progress: string } | { readonly outcomes: Outcome[] };

export async function fuzzOnEveryCore({
  seed,
  requests,
  until = Number.MAX_SAFE_INTEGER,
  onProgress = () => {},
}: FuzzOptions): Promise<Outcome[]> {
  const count = availableParallelism();
  const found = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      inProcess({ seed: `${seed}.${i}`, requests: Math.ceil(requests / count), until }, (text) => onProgress(`process ${i}: ${text}`)),
    ),
  );
  return (found[0] as Outcome[]).map(({ goal }, place) => {
    const parts = found.map((outcomes) => outcomes[place] as Outcome);
    return {
      goal,
      trials: parts.reduce((sum, { trials }) => sum + trials, 0),
      failures: parts.flatMap(({ failures }) => failures),
      note: parts.map(({ note }) => note).join('; '),
    };
  });
}

function inProcess(task: FuzzTask, onProgress: (text: string) => void): Promise<Outcome[]> {
  const child = fork(fileURLToPath(new URL('./fuzz-process.js', import.meta.url)), [JSON.stringify(task)]);
  process.once('exit', () => child.kill());
  return new Promise((resolve, reject) => {
    child.on('message', (message: FuzzMessage) => ('outcomes' in message ? resolve(message.outcomes) : onProgress(message.progress)));
    child.on('exit', (code) => reject(new Error(`a fuzz process exited with ${code}`)));
  });
}
