// The refusal of a pure rule as one line of text, so that tables of refusals can be compared as a whole.
import { ApiError, type FieldError } from '../../src/kernel/errors.js';

/** The code, then the cause, then the fields that are wrong. `allowed` when nothing is refused. */
export function refusalBy(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { cause, errors = [] } = (error.details ?? {}) as { cause?: string; errors?: readonly FieldError[] };
    return [error.code, ...(cause === undefined ? [] : [cause]), ...errors.map(({ field }) => field)].join(' ');
  }
  return 'allowed';
}
