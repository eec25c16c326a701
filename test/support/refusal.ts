// What a rule answers: the refusal it throws, as a caller would read it.
import assert from 'node:assert/strict';
import { ApiError, type FieldError } from '../../src/kernel/errors.js';

/** The refusal of a rule. A rule that lets the case through fails the test. */
export function refusalOf(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error;
  }
  return assert.fail('nothing was refused');
}

/** Code and details of a refusal. */
export const answerOf = (work: () => unknown): [code: string, details: unknown] => {
  const { code, details } = refusalOf(work);
  return [code, details];
};

/** The fields that a refusal with INVALID_INPUT names, in its order. */
export function fieldsOf(work: () => unknown): string[] {
  const { code, details } = refusalOf(work);
  assert.equal(code, 'INVALID_INPUT');
  const errors = details?.['errors'] as FieldError[];
  return errors.map(({ field }) => field);
}

/** A rule's answer as one line for a table: code, cause and wrong fields of its refusal; `allowed` where it lets the case through. */
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
