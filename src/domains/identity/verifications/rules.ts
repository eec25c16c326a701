// The life of a verification and of the customer's status, as tables. Every other move is refused or changes nothing.

import { ApiError, invalidField } from '../../../kernel/errors.js';
import type { CustomerId } from '../../../kernel/ids.js';
import { mergedMoves, movesBy } from '../../../kernel/lifecycle.js';
import { plusMs } from '../../../kernel/time.js';
import type { Customer, VerificationStatus } from '../customers/customer.js';
import type { KycDecision, KycError, KycSubmission, RecordStatus, Verification, VerificationId } from './verification.js';

// ---- the customer's status

/** What happens to a customer's verification. */
export const STATUS_CAUSES = ['SUBMITTED', 'APPROVED', 'REJECTED', 'ERRORS_FOUND', 'PUT_ON_HOLD', 'RELEASED'] as const;
export type StatusCause = (typeof STATUS_CAUSES)[number];

/** Status and cause to the next status. What is not listed changes nothing: a decided customer stays decided. */
export const CUSTOMER_STATUSES: Readonly<Record<VerificationStatus, Readonly<Partial<Record<StatusCause, VerificationStatus>>>>> = {
  UNVERIFIED: { SUBMITTED: 'PENDING', APPROVED: 'APPROVED', REJECTED: 'REJECTED' },
  PENDING: { APPROVED: 'APPROVED', REJECTED: 'REJECTED', PUT_ON_HOLD: 'HOLD' },
  HOLD: { SUBMITTED: 'PENDING', APPROVED: 'APPROVED', REJECTED: 'REJECTED', RELEASED: 'APPROVED' },
  APPROVED: { PUT_ON_HOLD: 'HOLD' },
  REJECTED: {},
};

export const statusAfter = (status: VerificationStatus, cause: StatusCause): VerificationStatus =>
  CUSTOMER_STATUSES[status][cause] ?? status;

const CAUSES: Readonly<Record<KycDecision['outcome'], StatusCause>> = {
  IN_PROGRESS: 'SUBMITTED',
  PENDING_MANUAL_REVIEW: 'SUBMITTED',
  APPROVED: 'APPROVED',
  REJECTED: 'REJECTED',
  RESOLVE_ERRORS: 'ERRORS_FOUND',
};

/** A packet that moves from one reviewer to another is no new submission: a later answer that decides nothing leaves the customer alone. */
export const laterCauseOf = ({ outcome }: KycDecision): StatusCause | undefined =>
  CAUSES[outcome] === 'SUBMITTED' ? undefined : CAUSES[outcome];

// ---- the verification's status

/** Status to the statuses that a provider's later answer may bring. A submission may bring any, from RESOLVE_ERRORS or anew. */
export const DECISIONS: Readonly<Record<RecordStatus, readonly KycDecision['outcome'][]>> = {
  RESOLVE_ERRORS: [],
  IN_PROGRESS: ['PENDING_MANUAL_REVIEW', 'RESOLVE_ERRORS', 'APPROVED', 'REJECTED'],
  PENDING_MANUAL_REVIEW: ['RESOLVE_ERRORS', 'APPROVED', 'REJECTED'],
  APPROVED: [],
  REJECTED: [],
};

/** What a provider's answer and a repeated submission bring. */
export const VERIFICATION_MOVES = mergedMoves(
  movesBy('DECIDED', DECISIONS),
  movesBy('SUBMITTED', { RESOLVE_ERRORS: ['IN_PROGRESS', 'PENDING_MANUAL_REVIEW', 'APPROVED', 'REJECTED'] }),
);

export const isUnderReview = ({ status }: Pick<Verification, 'status'>): boolean => DECISIONS[status].length > 0;

export const isDecided = ({ verificationStatus }: Customer): boolean =>
  verificationStatus === 'APPROVED' || verificationStatus === 'REJECTED';

export function refuseDecided(customer: Customer): void {
  if (isDecided(customer))
    throw new ApiError('INVALID_INPUT', { cause: 'ALREADY_DECIDED' }, { reason: 'The verification of this customer is decided.' });
}

export type SubmissionFacts = {
  /** Of a verification that is to be created. */
  readonly id: VerificationId;
  readonly customerId: CustomerId;
  /** The verification of the customer that is not decided. */
  readonly open: Verification | undefined;
  /** What the provider made of the packet; undefined when problems keep it from being handed over. */
  readonly submission: KycSubmission | undefined;
  readonly problems: readonly KycError[];
  readonly hasVendor: boolean;
  readonly now: Date;
};

export type SubmissionOutcome = { readonly verification: Verification; readonly cause: StatusCause };

/** A submission by a customer whose packet is not under review. The same record is judged again. */
export function decideSubmission({ id, customerId, open, submission, problems, hasVendor, now }: SubmissionFacts): SubmissionOutcome {
  const decision: KycDecision = submission?.decision ?? { outcome: 'RESOLVE_ERRORS', errors: problems };
  const record = open ?? {
    id,
    customerId,
    submissions: 0,
    createdAt: now,
  };
  return {
    verification: {
      ...record,
      status: decision.outcome,
      errors: errorsOf(decision),
      submissions: record.submissions + (submission ? 1 : 0),
      planned: submission?.later ? { at: plusMs(now, submission.later.afterMs), decision: submission.later.decision } : null,
      sendAt: submission && hasVendor ? now : null,
      sendFailures: 0,
      updatedAt: now,
    },
    cause: CAUSES[decision.outcome],
  };
}

const errorsOf = (decision: KycDecision): readonly KycError[] => ('errors' in decision ? decision.errors : []);

/** A later answer of the provider. Undefined when the verification cannot take it: it was decided or resubmitted in the meantime. */
export function decideLater(
  verification: Verification,
  decision: KycDecision,
  now: Date,
  submission = verification.submissions,
): Verification | undefined {
  if (submission !== verification.submissions || !DECISIONS[verification.status].includes(decision.outcome)) return undefined;
  return { ...verification, status: decision.outcome, errors: errorsOf(decision), planned: null, sendAt: null, updatedAt: now };
}

// ---- sending to the vendor

const FIRST_RETRY_MS = 30_000;
const LONGEST_RETRY_MS = 60 * 60_000;

/** The vendor could not be reached: later tries are further apart. */
export const sendAgain = (verification: Verification, now: Date): Verification => ({
  ...verification,
  sendAt: plusMs(now, Math.min(FIRST_RETRY_MS * 2 ** verification.sendFailures, LONGEST_RETRY_MS)),
  sendFailures: verification.sendFailures + 1,
});

// ---- links

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const MAX_REDIRECT_LENGTH = 2048;

/** The address to return to; https, or http on this machine. */
export function refuseRedirect(redirectUri: string): void {
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  const isAllowed =
    url !== undefined &&
    redirectUri.length <= MAX_REDIRECT_LENGTH &&
    url.username === '' &&
    url.password === '' &&
    // What the parser would repair or ignore could mean another place to a browser; and it must fit in a header.
    /^https?:\/\/[!-~]+$/i.test(redirectUri) &&
    !redirectUri.includes('\\') &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && LOCAL_HOSTS.has(url.hostname)));
  if (!isAllowed) {
    throw invalidField('redirectUri', 'must be an https:// URL without user info, or http:// on localhost', {
      format: 'uri',
      maxLength: MAX_REDIRECT_LENGTH,
    });
  }
}

/** A link leads to the beginning of the verification, so the contacts that the region asks for come first. */
export function refuseUnverifiedContacts(unverified: readonly ('EMAIL' | 'PHONE')[]): void {
  if (unverified.length === 0) return;
  throw new ApiError(
    'CONFLICT',
    { missing: unverified.map((channel) => (channel === 'EMAIL' ? 'email' : 'phone')) },
    { reason: 'The contacts of the customer must be verified first.' },
  );
}

// ---- the sandbox's caller

export function refuseErrors(outcome: KycDecision['outcome'], errors: readonly unknown[] | undefined): void {
  if (errors !== undefined && outcome !== 'RESOLVE_ERRORS' && outcome !== 'REJECTED')
    throw invalidField('errors', 'belongs to RESOLVE_ERRORS and REJECTED');
}
