// Types of the signed retry: a call that needs the wallet's owner is answered with a challenge and is sent again with its signature.
import type { SignedCall } from '../../../http/operation.js';
import type { Id, InternalAccountId, PlatformId } from '../../../kernel/ids.js';
import type { Json } from '../../../kernel/json.js';

export type SignedRequestId = Id<'Request'>;

/** Types of credentials. They are listed here because a challenge names one; sessions and credentials build on it. */
export const CREDENTIAL_TYPES = ['OAUTH', 'EMAIL_OTP', 'SMS_OTP', 'PASSKEY'] as const;
export type CredentialType = (typeof CREDENTIAL_TYPES)[number];

/** The call as it arrived. A signed request is bound to its operation, target and body. */
export type Call = {
  readonly platformId: PlatformId;
  readonly now: Date;
  readonly operation: string;
  readonly target: string;
  readonly body: unknown;
  readonly signed: SignedCall;
};

/** What an operation stores with its challenge and reads at the retry. */
export type Facts = Readonly<Record<string, Json>>;

/** A signed request can be used once, until it expires. */
export const SIGNED_REQUEST_STATUSES = ['OPEN', 'USED', 'EXPIRED'] as const;
export type SignedRequestStatus = (typeof SIGNED_REQUEST_STATUSES)[number];

export type SignedRequest = {
  readonly id: SignedRequestId;
  readonly operation: string;
  readonly target: string;
  /** Undefined when the body is the proof itself, as with a passkey's assertion. */
  readonly bodyHash: Buffer | undefined;
  readonly accountId: InternalAccountId;
  readonly leg: number;
  readonly payload: string;
  readonly expectedKey: string | undefined;
  readonly facts: Facts;
  readonly secretSealed: Buffer | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly usedAt: Date | undefined;
};

/** What an operation asks the owner to sign. */
export type NewChallenge = {
  readonly accountId: InternalAccountId;
  /** The payload to sign. It names the request, so that no two payloads are the same. */
  readonly payload: (requestId: SignedRequestId) => string;
  readonly type?: CredentialType;
  readonly leg?: number;
  /** The only key that may sign. */
  readonly expectedKey?: string | undefined;
  readonly facts?: Facts;
  readonly secretSealed?: Buffer;
};

/** What the owner of a wallet must sign before a call is executed. */
export type SigningChallenge = {
  readonly payloadToSign: string;
  readonly requestId: SignedRequestId;
  readonly expiresAt: Date;
  /** The type of the credential that the call is about, if it is about one. */
  readonly type?: CredentialType | undefined;
};

/** The outcome of a call that needs the owner: a challenge to sign first, or the result. */
export type SigningOutcome<Result> = { readonly challenge: SigningChallenge } | { readonly result: Result };
