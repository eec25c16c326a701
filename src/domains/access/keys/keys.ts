// Types of embedded-wallet authentication: credentials, sessions, signed requests and delegated keys.
import type { Tx } from '../../../db/pool.js';
import type { CardFundingSourceId, CardId, DelegatedKeyId, Id, InternalAccountId, PlatformId } from '../../../kernel/ids.js';
import type { OidcIdentity } from '../../../providers/oidc.js';
import type { Passkey } from './passkey.js';

export type { OidcIdentity } from '../../../providers/oidc.js';

export type AuthMethodId = Id<'AuthMethod'>;
export type SessionId = Id<'Session'>;
export type SignedRequestId = Id<'Request'>;

export const CREDENTIAL_TYPES = ['OAUTH', 'EMAIL_OTP', 'SMS_OTP', 'PASSKEY'] as const;
export type CredentialType = (typeof CREDENTIAL_TYPES)[number];
export type OtpType = 'EMAIL_OTP' | 'SMS_OTP';

/** What a credential is proved with. */
export type Proof =
  | { readonly type: OtpType; readonly contact: string }
  | { readonly type: 'PASSKEY'; readonly passkey: Passkey }
  | { readonly type: 'OAUTH'; readonly identity: OidcIdentity };

export type Credential = {
  readonly id: AuthMethodId;
  readonly accountId: InternalAccountId;
  readonly nickname: string;
  readonly proof: Proof;
  /** Waits beside the credential it is to replace until the customer's contact is changed. */
  readonly replacement: boolean;
  readonly verifiedAt: Date | undefined;
  readonly sendsSpentUntil: Date | undefined;
  readonly failuresSpentUntil: Date | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type OtpChallenge = {
  readonly credentialId: AuthMethodId;
  readonly codeHash: Buffer;
  readonly targetPublicKey: string;
  readonly targetSealed: Buffer;
  readonly triesLeft: number;
  readonly expiresAt: Date;
};

export type Session = {
  readonly id: SessionId;
  readonly accountId: InternalAccountId;
  readonly credentialId: AuthMethodId;
  readonly publicKey: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
};

/** A session as it is shown: with what it was opened with. */
export type SessionView = Session & { readonly type: CredentialType; readonly nickname: string };

export type SignedRequest = {
  readonly id: SignedRequestId;
  readonly operation: string;
  readonly target: string;
  /** Undefined when the proof itself is the body, as with a passkey's assertion. */
  readonly bodyHash: Buffer | undefined;
  readonly accountId: InternalAccountId;
  readonly leg: number;
  readonly payload: string;
  readonly expectedKey: string | undefined;
  readonly facts: unknown;
  readonly secretSealed: Buffer | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly usedAt: Date | undefined;
};

/** What the owner of a wallet is asked to sign before a call is carried out. */
export type SigningChallenge = {
  readonly payloadToSign: string;
  readonly requestId: SignedRequestId;
  readonly expiresAt: Date;
  /** The kind of credential the call is about, where it is about one. */
  readonly type?: CredentialType | undefined;
};

/** The outcome of a call that needs the owner: either there is something to sign first, or it is done. */
export type Consented<Result> = { readonly challenge: SigningChallenge } | { readonly done: Result };

export const DELEGATED_KEY_STATUSES = ['PENDING', 'ACTIVE', 'REVOKED'] as const;
export type DelegatedKeyStatus = (typeof DELEGATED_KEY_STATUSES)[number];

export type DelegatedKey = {
  readonly id: DelegatedKeyId;
  readonly cardId: CardId;
  readonly fundingSourceId: CardFundingSourceId;
  readonly accountId: InternalAccountId;
  readonly publicKey: string;
  readonly privateKeySealed: Buffer | undefined;
  readonly nickname: string;
  readonly status: DelegatedKeyStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** What keys need to know of cards. The cards domain stands later in the list, so it is passed in. */
export type FundingSources = {
  /** The source by which the account funds the card now. */
  find(tx: Tx, platformId: PlatformId, cardId: CardId, accountId: InternalAccountId): Promise<CardFundingSourceId | undefined>;
  /** The same, with the card locked until the transaction ends. */
  lock(tx: Tx, platformId: PlatformId, cardId: CardId, accountId: InternalAccountId): Promise<CardFundingSourceId | undefined>;
  /** The source has an ACTIVE key from now on. */
  delegationCompleted(tx: Tx, platformId: PlatformId, cardId: CardId, fundingSourceId: CardFundingSourceId, now: Date): Promise<void>;
  /** The source has no ACTIVE key any more. */
  delegationRevoked(tx: Tx, platformId: PlatformId, cardId: CardId, fundingSourceId: CardFundingSourceId, now: Date): Promise<void>;
};
