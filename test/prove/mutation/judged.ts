// Mutants that were looked at and cannot be noticed: the mutated program does the same. They are not tried.

export type Judged = {
  readonly file: string;
  readonly what: string;
  /** Part of the line in the compiled file. */
  readonly within: string;
  readonly why: string;
};

export const JUDGED: readonly Judged[] = [];
