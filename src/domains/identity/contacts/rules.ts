// When a code is sent, and what an attempt to confirm it means.
import { ApiError } from '../../../kernel/errors.js';
import { MINUTE_MS, plusMs } from '../../../kernel/time.js';
import type { ContactCode } from './contact-code.js';

export const CODE_LIFE_MS = 10 * MINUTE_MS;
export const CODE_TRIES = 5;
export const MAX_SENDS = 5;
export const SEND_WINDOW_MS = 10 * MINUTE_MS;

export type ContactFacts = {
  readonly isRegulated: boolean;
  readonly verifiedAt: Date | null;
  /** The e-mail address or phone number. */
  readonly contact: string | null;
};

/** The contact that has to be verified. Refused for a customer that needs no verification, or has it. */
export function contactToVerify({ isRegulated, verifiedAt, contact }: ContactFacts): string {
  const refuse = (cause: string, reason: string) => new ApiError('CONFLICT', { cause }, { reason });
  if (!isRegulated) throw refuse('NOT_REQUIRED', 'The contacts of this customer need no verification.');
  if (verifiedAt !== null) throw refuse('ALREADY_VERIFIED', 'The contact is already verified.');
  if (contact === null) throw refuse('NO_CONTACT', 'The customer has no such contact.');
  return contact;
}

/** The times of the latest sends with one more. At most five in any ten minutes. */
export function countSend(sentAt: readonly Date[], now: Date): readonly Date[] {
  // A sandbox clock that was set back leaves times that lie ahead.
  const recent = sentAt.filter((at) => at <= now && now < plusMs(at, SEND_WINDOW_MS));
  const [oldest] = recent;
  if (oldest === undefined || recent.length < MAX_SENDS) return [...recent, now];
  const waitMs = plusMs(oldest, SEND_WINDOW_MS).getTime() - now.getTime();
  throw new ApiError('RATE_LIMITED', undefined, { headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) } });
}

export type Attempt =
  | { readonly kind: 'CONFIRMED'; readonly code: ContactCode }
  | { readonly kind: 'REFUSED'; readonly code: ContactCode | undefined; readonly refusal: ApiError };

const refused = (cause: 'CODE_INVALID' | 'CODE_EXPIRED', reason: string): ApiError => new ApiError('INVALID_INPUT', { cause }, { reason });

/** What an attempt does to the code. A wrong one takes a try; without tries the code is void. */
export function tryCode(code: ContactCode | undefined, matches: boolean, now: Date): Attempt {
  if (!code || code.codeHash === null || code.triesLeft === 0 || now >= code.expiresAt)
    return { kind: 'REFUSED', code, refusal: refused('CODE_EXPIRED', 'There is no code to confirm. Have a new one sent.') };
  if (matches) return { kind: 'CONFIRMED', code: { ...code, codeHash: null } };
  const triesLeft = code.triesLeft - 1;
  const after: ContactCode = { ...code, triesLeft, codeHash: triesLeft === 0 ? null : code.codeHash };
  return { kind: 'REFUSED', code: after, refusal: refused('CODE_INVALID', 'The code is wrong.') };
}
