// What a proof found: how often a promise was tried, how often it broke, and how rare a break must be after that many trials.

export type Outcome = {
  /** The promise, in a few words. */
  readonly goal: string;
  readonly trials: number;
  /** One line each, with what is needed to see it again. */
  readonly failures: readonly string[];
  /** What else a reader wants to know: seeds, counts by kind. */
  readonly note?: string;
};

/** Rule of three: nothing in n trials means fewer than 3/n at 95 %. */
export function boundOf({ trials, failures }: Outcome): string {
  if (trials === 0) return 'not tried';
  if (failures.length > 0) return `${(failures.length / trials).toPrecision(2)} seen`;
  return `< ${(3 / trials).toPrecision(2)}`;
}

export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = [
    ['Goal', 'Trials', 'Failures', 'Rate (95 %)', 'Note'],
    ...outcomes.map((outcome) => [
      outcome.goal,
      outcome.trials.toLocaleString('en-US'),
      String(outcome.failures.length),
      boundOf(outcome),
      outcome.note ?? '',
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) => row.map((cell, i) => (i === 1 || i === 2 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0))).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** A run of an hour is not waited for in vain: the first failures are told as they come. */
export const progressOf = (done: string, failures: readonly string[]): string =>
  [`${done}, ${failures.length} failures`, ...failures.slice(0, 3)].join('\n  ');

/** Throws with every failure when a promise was broken; used by the short forms. */
export function assertHolds(outcomes: readonly Outcome[]): void {
  const broken = outcomes.flatMap(({ goal, failures }) => failures.slice(0, 10).map((failure) => `${goal}: ${failure}`));
  if (broken.length > 0) throw new Error(`${broken.length} broken promise(s):\n${broken.join('\n')}`);
  const untried = outcomes.filter(({ trials }) => trials === 0).map(({ goal }) => goal);
  if (untried.length > 0) throw new Error(`not tried at all: ${untried.join(', ')}`);
}
