// A part of the long form on every core: one process per core, each with a service, a database and a seed of its own. The results are combined.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './report.js';

export type PartName = 'fuzz' | 'money';
export type PartTask = { readonly part: PartName; readonly seed: string; readonly count: number; readonly until: number };
export type PartMessage = { readonly progress: string } | { readonly outcomes: Outcome[] };

type Options = {
  readonly seed: string;
  /** Requests or steps of all processes together. */
  readonly count: number;
  readonly until: number;
  readonly onProgress: (text: string) => void;
};

export async function onEveryCore(part: PartName, { seed, count, until, onProgress }: Options): Promise<Outcome[]> {
  const processes = availableParallelism();
  const found = await Promise.all(
    Array.from({ length: processes }, (_, i) =>
      inProcess({ part, seed: `${seed}.${i}`, count: Math.ceil(count / processes), until }, (text) => onProgress(`process ${i}: ${text}`)),
    ),
  );
  return (found[0] as Outcome[]).map((_, place) => combined(found.map((outcomes) => outcomes[place] as Outcome)));
}

/** The same guarantee, tried in several processes. */
export function combined(parts: readonly Outcome[]): Outcome {
  const [{ goal, isCoverage }] = parts as [Outcome];
  const notes = parts.flatMap(({ note }) => note ?? []);
  const note = notes.length > 0 ? { note: notes.join('; ') } : {};
  if (isCoverage) {
    // What one process has reached is covered. A process that was too short tells nothing.
    const judged = parts.filter(({ skipped }) => skipped === undefined);
    const [first, ...others] = (judged.length > 0 ? judged : parts) as [Outcome, ...Outcome[]];
    const missed = first.failures.filter((failure) => others.every((part) => part.failures.includes(failure)));
    return { ...first, failures: missed, ...note };
  }
  return {
    goal,
    trials: parts.reduce((sum, part) => sum + part.trials, 0),
    failures: parts.flatMap((part) => part.failures),
    ...note,
  };
}

function inProcess(task: PartTask, onProgress: (text: string) => void): Promise<Outcome[]> {
  const child = fork(fileURLToPath(new URL('./part-process.js', import.meta.url)), [JSON.stringify(task)]);
  process.once('exit', () => child.kill());
  return new Promise((resolve, reject) => {
    child.on('message', (message: PartMessage) => ('outcomes' in message ? resolve(message.outcomes) : onProgress(message.progress)));
    child.on('exit', (code) => reject(new Error(`a process of ${task.part} exited with ${code}`)));
  });
}
