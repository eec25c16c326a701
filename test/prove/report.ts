// The result of a reliability test: trials and failures of a guarantee, and the upper bound of its failure rate.

export type Outcome = {
  /** The guarantee, in a few words. */
  readonly goal: string;
  readonly trials: number;
  /** One line each, with the data needed to reproduce the failure. */
  readonly failures: readonly string[];
  /** Additional information: seeds, counts by kind. */
  readonly note?: string;
  /** Why the guarantee could not be tested on this machine. It is neither held nor violated. */
  readonly skipped?: string;
  /** Of a rules file: the changes that no test noticed, beside those that were judged before. */
  readonly mutation?: { readonly file: string; readonly survivors: readonly string[] };
  /** The trials are kinds of cases that must have been reached: in several processes it is enough that one of them did. */
  readonly isCoverage?: true;
};

/** Kinds of cases that must have been reached. Rare ones are reached by chance, so a run that is too short tells nothing about them. */
export function coverage(goal: string, kinds: readonly string[], reached: ReadonlySet<string>, tooShort: string | undefined): Outcome {
  if (tooShort !== undefined) return { goal, trials: 0, failures: [], skipped: tooShort, isCoverage: true };
  return { goal, trials: kinds.length, failures: kinds.filter((kind) => !reached.has(kind)), isCoverage: true };
}

/** Rule of three: no failure in n trials means a failure rate below 3/n with 95 % confidence. */
export function boundOf({ trials, failures }: { readonly trials: number; readonly failures: number }): string {
  return failures > 0 ? `${(failures / trials).toPrecision(2)} seen` : `< ${(3 / trials).toPrecision(2)}`;
}

function rateOf({ trials, failures, skipped }: Outcome): string {
  if (skipped !== undefined) return 'skipped';
  return trials === 0 ? 'not tested' : boundOf({ trials, failures: failures.length });
}

export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = [
    ['Goal', 'Trials', 'Failures', 'Rate (95 %)', 'Note'],
    ...outcomes.map((outcome) => [
      outcome.goal,
      outcome.trials.toLocaleString('en-US'),
      String(outcome.failures.length),
      rateOf(outcome),
      outcome.skipped ?? outcome.note ?? '',
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) => row.map((cell, i) => (i === 1 || i === 2 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0))).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Progress text of a long run, with its first failures. */
export const progressOf = (done: string, failures: readonly string[]): string =>
  [`${done}, ${failures.length} failures`, ...failures.slice(0, 3)].join('\n  ');

/** Throws if a guarantee was violated or not tested. Used by the short forms. */
export function assertHolds(outcomes: readonly Outcome[]): void {
  const broken = outcomes.flatMap(({ goal, failures }) => failures.slice(0, 10).map((failure) => `${goal}: ${failure}`));
  if (broken.length > 0) throw new Error(`${broken.length} violated guarantee(s):\n${broken.join('\n')}`);
  const untested = outcomes.filter(({ trials, skipped }) => trials === 0 && skipped === undefined).map(({ goal }) => goal);
  if (untested.length > 0) throw new Error(`not tested: ${untested.join(', ')}`);
}
