// Mutants that were looked at and cannot be noticed: the mutated program does the same. They are not tried.

export type Judged = {
  readonly file: string;
  readonly what: string;
  /** Part of the line in the compiled file. */
  readonly within: string;
  readonly why: string;
};

const AUTHORIZATION = 'domains/cards/authorizations/authorization.ts';
const AT_THE_BOUND = 'both branches give the same value where the two sides are equal';

export const JUDGED: readonly Judged[] = [
  { file: AUTHORIZATION, what: '< → <=', within: 'spent + amount < MOST_SPENT', why: AT_THE_BOUND },
  { file: AUTHORIZATION, what: '> → >=', within: 'one.spent > amount', why: AT_THE_BOUND },
  { file: AUTHORIZATION, what: '< → <=', within: 'b === null || a < b', why: AT_THE_BOUND },
];
