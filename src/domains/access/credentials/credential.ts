// Types of credentials: what an end user proves ownership of an embedded wallet with.
import type { Id, InternalAccountId } from '../../../kernel/ids.js';
import type { OidcIdentity } from '../../../providers/oidc.js';
import type { SigningChallenge } from '../signed-requests/signed-request.js';

export type { OidcIdentity } from '../../../providers/oidc.js';

export type AuthMethodId = Id<'AuthMethod'>;
export type OtpType = 'EMAIL_OTP' | 'SMS_OTP';

export type Passkey = { readonly credentialId: string; readonly publicKey: Buffer; readonly counter: number; readonly rpId: string };

/** What a passkey presents at registration. */
export type Attestation = { readonly credentialId: string; readonly clientDataJson: string; readonly attestationObject: string };

/** What a passkey presents at sign-in. */
export type Assertion = {
  readonly credentialId: string;
  readonly clientDataJson: string;
  readonly authenticatorData: string;
  readonly signature: string;
  readonly userHandle?: string;
};

/** What a credential is verified against. */
export type Proof =
  | { readonly type: OtpType; readonly contact: string }
  | { readonly type: 'PASSKEY'; readonly passkey: Passkey }
  | { readonly type: 'OAUTH'; readonly identity: OidcIdentity };

export type Credential = {
  readonly id: AuthMethodId;
  readonly accountId: InternalAccountId;
  readonly nickname: string;
  readonly proof: Proof;
  /** A replacement takes the place of another credential once the customer's contact is changed. Until then both exist. */
  readonly replacement: boolean;
  readonly verifiedAt: Date | undefined;
  readonly sendsSpentUntil: Date | undefined;
  readonly failuresSpentUntil: Date | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type NewCredential = { readonly accountId: InternalAccountId | undefined } & (
  | { readonly type: OtpType; readonly contact: string | undefined }
  | { readonly type: 'OAUTH'; readonly oidcToken: string }
  | { readonly type: 'PASSKEY'; readonly nickname: string; readonly challenge: string; readonly attestation: Attestation }
);

export type OtpChallenge = {
  readonly credentialId: AuthMethodId;
  readonly codeHash: Buffer;
  readonly targetPublicKey: string;
  readonly targetSealed: Buffer;
  readonly triesLeft: number;
  readonly expiresAt: Date;
};

/** A credential; if a one-time password was just sent, with the key to encrypt it to. */
export type ChallengedCredential = { readonly credential: Credential; readonly otpEncryptionTargetBundle?: string };

export type PasskeyChallenge = { readonly credential: Credential; readonly challenge: string; readonly signing: SigningChallenge };

/** What an end user presents to verify a credential. */
export type Verification =
  | { readonly type: OtpType; readonly encryptedOtpBundle: string }
  | { readonly type: 'OAUTH'; readonly oidcToken: string; readonly clientPublicKey: string }
  | { readonly type: 'PASSKEY'; readonly assertion: Assertion };
