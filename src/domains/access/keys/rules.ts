// What credentials, sessions and keys may do. Tables and pure functions.
import { ApiError, invalidField } from '../../../kernel/errors.js';
import { plusMs } from '../../../kernel/time.js';
import type { Credential, CredentialType, DelegatedKey, OidcIdentity, OtpType, Proof, SignedRequest } from './keys.js';

export const SESSION_LIFE_MS = 15 * 60_000;
/** How long the verification of a replacement credential counts when the contact is changed. */
export const REPLACEMENT_LIFE_MS = 15 * 60_000;
export const OTP_TRIES = 5;

export const isOtp = (type: CredentialType): type is OtpType => type === 'EMAIL_OTP' || type === 'SMS_OTP';

// ---- rate limits

export type Allowance = { readonly burst: number; readonly everyMs: number };

/** Codes sent over one credential: five at once, then one a minute. */
export const SENDS: Allowance = { burst: 5, everyMs: 60_000 };
/** Wrong codes on one credential: ten at once, then six an hour; a six-digit code stands for years. */
export const FAILURES: Allowance = { burst: 10, everyMs: 10 * 60_000 };

/**
 * Takes one turn of an allowance. `spentUntil` says until when earlier turns have used it up; the answer is the new one.
 * When none is left the caller is told how long to wait.
 */
export function takeTurn(spentUntil: Date | undefined, now: Date, { burst, everyMs }: Allowance): Date {
  const next = plusMs(spentUntil && spentUntil > now ? spentUntil : now, everyMs);
  const waitMs = next.getTime() - now.getTime() - burst * everyMs;
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
  /** The platform adds the first credential; once the wallet has an owner, nobody but the owner adds one, even where none is left. */
  readonly by: 'PLATFORM' | 'OWNER';
  /** A named contact stands in for the present one once the customer's contact is changed. */
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

/** A wallet must keep a credential that opens it; a replacement that waits does not. */
export function decideRevocation(credential: Credential, existing: readonly Credential[], provisioned: boolean): void {
  if (!provisioned) throw new ApiError('WALLET_NOT_PROVISIONED');
  const remaining = existing.filter((each) => each.id !== credential.id && !each.replacement);
  if (remaining.length === 0) {
    throw new ApiError('INVALID_INPUT', { cause: 'LAST_CREDENTIAL' }, { reason: 'The only credential of an account cannot be revoked.' });
  }
}

const REPLACING = {
  EMAIL_OTP: 'EMAIL_OTP_CREDENTIAL_SET_CHANGED',
  SMS_OTP: 'SMS_OTP_CREDENTIAL_SET_CHANGED',
} as const;

/** The verified replacement that a change of contact puts in the place of the present credential. */
export function decideContactChange(type: OtpType, contact: string, existing: readonly Credential[], now: Date): Credential {
  const replacement = existing.find(
    ({ replacement, proof }) => replacement && proof.type === type && proof.contact.toLowerCase() === contact.toLowerCase(),
  );
  if (!replacement?.verifiedAt) throw new ApiError('AUTH_CREDENTIAL_VERIFICATION_REQUIRED');
  if (now >= plusMs(replacement.verifiedAt, REPLACEMENT_LIFE_MS)) throw new ApiError('AUTH_CREDENTIAL_VERIFICATION_EXPIRED');
  return replacement;
}

/** The credentials of one type, as the owner saw them when asked to sign. */
export const credentialSet = (type: OtpType, existing: readonly Credential[]): string[] =>
  existing.filter(({ proof }) => proof.type === type).map(({ id }) => id);

/** "Tied credential set changed after the signed-retry challenge was issued." */
export function requireSameSet(type: OtpType, existing: readonly Credential[], seen: readonly string[]): void {
  const set = credentialSet(type, existing);
  if (set.length !== seen.length || set.some((id, i) => id !== seen[i])) throw new ApiError(REPLACING[type]);
}

/** A code proves the contact it was sent to, and none that the credential has moved to since. */
export function requireSameContact({ proof }: Credential, proven: string): void {
  if (!('contact' in proof) || proof.contact !== proven) throw signatureInvalid('CONTACT_CHANGED');
}

export function requireType(credential: Credential, type: CredentialType): void {
  if (credential.proof.type !== type) throw invalidField('type', `must be ${credential.proof.type}, the type of the credential`);
}

// ---- signed retries

export type RetryFacts = {
  readonly request: SignedRequest | undefined;
  readonly operation: string;
  readonly target: string;
  readonly bodyHash: Buffer;
  readonly now: Date;
};

export const signatureInvalid = (cause: string): ApiError => new ApiError('WALLET_SIGNATURE_INVALID', { cause });

/** The request a retry names, if the retry is the call it was given for. */
export function decideRetry({ request, operation, target, bodyHash, now }: RetryFacts): SignedRequest {
  // One of another platform, operation or resource was never given for this call.
  if (!request || request.operation !== operation || request.target !== target) throw signatureInvalid('REQUEST_UNKNOWN');
  if (request.usedAt) throw signatureInvalid('REQUEST_USED');
  if (now >= request.expiresAt) throw signatureInvalid('REQUEST_EXPIRED');
  if (request.bodyHash && !request.bodyHash.equals(bodyHash)) throw new ApiError('WALLET_SIGNATURE_BODY_MISMATCH');
  return request;
}

// ---- delegated keys

export type DelegationFacts = {
  readonly fundingSource: unknown;
  readonly isEmbeddedWallet: boolean;
  readonly provisioned: boolean;
  readonly hasActiveKey: boolean;
};

/** "Each card funding source has at most one ACTIVE delegated key; revoke the existing one before creating another." */
export function decideDelegation({ fundingSource, isEmbeddedWallet, provisioned, hasActiveKey }: DelegationFacts): void {
  if (!fundingSource) throw new ApiError('NOT_FOUND');
  if (hasActiveKey) throw new ApiError('CONFLICT', { cause: 'ACTIVE_KEY_EXISTS' });
  if (!isEmbeddedWallet) throw invalidField('internalAccountId', 'must be an embedded-wallet account');
  if (!provisioned) throw invalidField('internalAccountId', 'must have a provisioned wallet');
}

export function decideKeyRevocation(key: DelegatedKey): void {
  if (key.status !== 'ACTIVE')
    throw new ApiError('INVALID_INPUT', { cause: 'KEY_NOT_ACTIVE' }, { reason: 'Only an ACTIVE key can be revoked.' });
}
