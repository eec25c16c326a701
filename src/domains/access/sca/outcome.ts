import type { ApiError } from '../../../kernel/errors.js';

/** The result of a call whose refusal must be remembered: a wrong proof uses up a try. */
export type Outcome<Result> = { readonly result: Result } | { readonly refusal: ApiError };
