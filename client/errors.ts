// The errors that calls throw.
import type { SigningChallenge } from './calls.js';
import type { ErrorCode } from './generated/types.js';

export type FieldError = { readonly field: string; readonly message?: string; readonly constraint?: Readonly<Record<string, unknown>> };

export type ErrorDetails = {
  readonly errors?: readonly FieldError[];
  readonly missingRequirements?: readonly string[];
  readonly cause?: string;
  readonly [member: string]: unknown;
};

/** The service refused a call, or failed. */
export class SwitchyardError extends Error {
  override readonly name = 'SwitchyardError';
  readonly status: number;
  /** A code of the document. A newer service may send one that this version does not know. */
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  /** Names the exchange in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds to wait, where the service says so. */
  readonly retryAfter: number | undefined;
  readonly operation: string;

  constructor(
    operation: string,
    answer: { status: number; body: unknown; requestId?: string | undefined; retryAfter?: number | undefined },
  ) {
    const { code, reason, details } = (answer.body ?? {}) as { code?: ErrorCode; reason?: string; details?: ErrorDetails };
    super(`${operation}: ${answer.status} ${code ?? 'without a code'}${reason ? `: ${reason}` : ''}`);
    this.operation = operation;
    this.status = answer.status;
    this.code = code ?? 'INTERNAL_ERROR';
    this.details = details ?? {};
    this.requestId = answer.requestId;
    this.retryAfter = answer.retryAfter;
  }
}

/** No answer: the service was not reached, the connection broke, or the time was up. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly operation: string;
  constructor(operation: string, cause: unknown) {
    const { message, cause: inner } = (cause ?? {}) as { message?: string; cause?: { message?: string; code?: string } };
    super(`${operation}: no answer: ${inner?.message || inner?.code || message || String(cause)}`, { cause });
    this.operation = operation;
  }
}

/** The operation waits for a signature of the end user. A server hands the challenge to its app. */
export class SignatureRequired extends Error {
  override readonly name = 'SignatureRequired';
  readonly operation: string;
  readonly challenge: SigningChallenge;
  constructor(operation: string, challenge: SigningChallenge) {
    super(`${operation}: the end user must sign; pass \`sign\`, or sign \`challenge.payloadToSign\` and repeat the call`);
    this.operation = operation;
    this.challenge = challenge;
  }
}

/** Whether something thrown is a refusal with one of these codes. */
export const isCode = <Code extends ErrorCode>(thrown: unknown, ...codes: Code[]): thrown is SwitchyardError & { readonly code: Code } =>
  thrown instanceof SwitchyardError && codes.includes(thrown.code as Code);
