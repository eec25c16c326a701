// When a credential may be created, verified, replaced and revoked. Tables and pure functions.
import { ApiError, invalidField } from '../../../kernel/errors.js';
import { plusMs } from '../../../kernel/time.js';
import type { CredentialType } from '../signed-requests/signed-request.js';
import type { Credential, OidcIdentity, OtpType, Proof } from './credential.js';

/** How long a verified replacement credential allows the change of contact. */
export const REPLACEMENT_LIFE_MS = 15 * 60_000;
export const OTP_TRIES = 5;

export const isOtp = (type: CredentialType): type is OtpType => type === 'EMAIL_OTP' || type === 'SMS_OTP';

// ---- rate limits

export type Allowance = { readonly burst: number; readonly everyMs: number };

/** Codes sent over one credential: five at once, then one a minute. */
export const SENDS: Allowance = { burst: 5, everyMs: 60_000 };
/** Wrong codes on one credential: ten at once, then six an hour. At that rate guessing a six-digit code takes years. */
export const FAILURES: Allowance = { burst: 10, everyMs: 10 * 60_000 };

/**
 * Takes one unit of an allowance. `spentUntil` is the time until which earlier units have used it up; the new one is returned.
 * When the allowance is used up, the refusal says how long to wait.
 */
export function takeAllowance(spentUntil: Date | undefined, now: Date, { burst, everyMs }: Allowance): Date {
  const burstMs = burst * everyMs;
  // A sandbox clock that was set back leaves a time further ahead than units taken now can. Requests at the same moment differ by far less.
  const counts = spentUntil !== undefined && spentUntil > now && spentUntil <= plusMs(now, 2 * burstMs);
  const next = plusMs(counts ? spentUntil : now, everyMs);
  const waitMs = next.getTime() - now.getTime() - burstMs;
  if (waitMs <= 0) return next;
  throw new ApiError('RATE_LIMITED', undefined, { headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) } });
}

// ---- credentials

export type CreationFacts = {
  /** The live credentials of the account. */
  readonly existing: readonly Credential[];
  readonly provisioned: boolean;
  readonly proof: Proof;
  /** The caller named the contact; otherwise it is the customer's own. */
  readonly named: boolean;
  /** The contact or passkey is already tied to a credential of this platform. */
  readonly taken: boolean;
};

const ONE_PER_ACCOUNT = {
  EMAIL_OTP: { exists: 'EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS', taken: 'EMAIL_OTP_EMAIL_ALREADY_EXISTS' },
  SMS_OTP: { exists: 'SMS_OTP_CREDENTIAL_ALREADY_EXISTS', taken: 'SMS_OTP_PHONE_NUMBER_ALREADY_EXISTS' },
} as const;

export type Creation = {
  /** The platform adds the first credential. Once the wallet has an owner, only the owner adds one, even if none is left. */
  readonly by: 'PLATFORM' | 'OWNER';
  /** A named contact replaces the current one once the customer's contact is changed. */
  readonly replacement: boolean;
};

export function decideCreation({ existing, provisioned, proof, named, taken }: CreationFacts): Creation {
  const ofType = existing.filter((each) => each.proof.type === proof.type && !each.replacement);
  switch (proof.type) {
    case 'EMAIL_OTP':
    case 'SMS_OTP':
      if (named && taken) throw new ApiError(ONE_PER_ACCOUNT[proof.type].taken);
      if (!named && ofType.length > 0) throw new ApiError(ONE_PER_ACCOUNT[proof.type].exists);
      break;
    case 'PASSKEY':
      if (taken) throw new ApiError('PASSKEY_CREDENTIAL_ALREADY_EXISTS');
      break;
    case 'OAUTH':
      if (ofType.some((each) => each.proof.type === 'OAUTH' && sameIdentity(each.proof.identity, proof.identity))) {
        throw new ApiError(
          'INVALID_INPUT',
          { cause: 'OAUTH_CREDENTIAL_ALREADY_EXISTS' },
          { reason: 'That identity is already registered.' },
        );
      }
      break;
  }
  if (existing.length > 0 && !provisioned) throw new ApiError('WALLET_NOT_PROVISIONED');
  return { by: provisioned ? 'OWNER' : 'PLATFORM', replacement: isOtp(proof.type) && named && ofType.length > 0 };
}

export const sameIdentity = (a: OidcIdentity, b: OidcIdentity): boolean =>
  a.issuer === b.issuer && a.audience === b.audience && a.subject === b.subject;

/** A wallet must keep a credential that opens it. A replacement that is not in use yet does not open it. */
export function decideRevocation(credential: Credential, existing: readonly Credential[], provisioned: boolean): void {
  if (!provisioned) throw new ApiError('WALLET_NOT_PROVISIONED');
  const remaining = existing.filter((each) => each.id !== credential.id && !each.replacement);
  if (remaining.length === 0) {
    throw new ApiError('INVALID_INPUT', { cause: 'LAST_CREDENTIAL' }, { reason: 'The only credential of an account cannot be revoked.' });
  }
}

/** What replaces a revoked one-time password: the owner signed for it already, and nothing is left that it could wait for. */
export const successorOf = ({ replacement, proof }: Credential, existing: readonly Credential[]): Credential | undefined =>
  replacement ? undefined : existing.find((each) => each.replacement && each.proof.type === proof.type);

const SET_CHANGED = {
  EMAIL_OTP: 'EMAIL_OTP_CREDENTIAL_SET_CHANGED',
  SMS_OTP: 'SMS_OTP_CREDENTIAL_SET_CHANGED',
} as const;

/** Whether the codes of the credential go to this contact. */
export const isSentTo = ({ proof }: Credential, type: OtpType, contact: string): boolean =>
  proof.type === type && proof.contact.toLowerCase() === contact.toLowerCase();

/** The verified replacement that takes the place of the current credential when the contact changes. */
export function decideContactChange(type: OtpType, contact: string, existing: readonly Credential[], now: Date): Credential {
  const replacement = existing.find((each) => each.replacement && isSentTo(each, type, contact));
  if (!replacement?.verifiedAt) throw new ApiError('AUTH_CREDENTIAL_VERIFICATION_REQUIRED');
  if (now >= plusMs(replacement.verifiedAt, REPLACEMENT_LIFE_MS)) throw new ApiError('AUTH_CREDENTIAL_VERIFICATION_EXPIRED');
  return replacement;
}

/** A contact that a request names. `known`: the customer has it already. */
export type NamedContact = { readonly type: OtpType; readonly contact: string; readonly known: boolean };

/**
 * The credential that is sent to another contact than the one named, and is to be replaced. A contact that the customer has already was
 * proven in another way, or is merely sent back: it replaces a credential once the owner has a verified replacement for it.
 */
export function replacedCredential(
  { type, contact, known }: NamedContact,
  existing: readonly Credential[],
  now: Date,
): Credential | undefined {
  const isReady = ({ verifiedAt }: Credential) => verifiedAt !== undefined && now < plusMs(verifiedAt, REPLACEMENT_LIFE_MS);
  if (known && !existing.some((each) => each.replacement && isSentTo(each, type, contact) && isReady(each))) return undefined;
  return existing.find((each) => !each.replacement && each.proof.type === type && !isSentTo(each, type, contact));
}

/** The ids of the credentials of one type. A challenge stores them. */
export const credentialSet = (type: OtpType, existing: readonly Credential[]): string[] =>
  existing.filter(({ proof }) => proof.type === type).map(({ id }) => id);

/** "Tied credential set changed after the signed-retry challenge was issued." */
export function requireSameSet(type: OtpType, existing: readonly Credential[], seen: readonly string[]): void {
  const set = credentialSet(type, existing);
  if (set.length !== seen.length || set.some((id, i) => id !== seen[i])) throw new ApiError(SET_CHANGED[type]);
}

/** A code proves the contact that it was sent to, not a contact that the credential was changed to since. */
export function requireSameContact({ proof }: Credential, proven: string): void {
  if (!('contact' in proof) || proof.contact !== proven) throw new ApiError('WALLET_SIGNATURE_INVALID', { cause: 'CONTACT_CHANGED' });
}

export function requireType(credential: Credential, type: CredentialType): void {
  if (credential.proof.type !== type) throw invalidField('type', `must be ${credential.proof.type}, the type of the credential`);
}
