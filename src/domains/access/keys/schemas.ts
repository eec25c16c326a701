// Wire schemas of credentials, sessions, signed requests and delegated keys.
import Type, { type Static } from 'typebox';
import { Closed, Enum, OneOf, SignedRequestChallenge, Timestamp } from '../../../http/schemas.js';
import { parseId } from '../../../kernel/ids.js';
import type { NewCredential, PasskeyChallenge, ShownCredential, Verification } from './credentials.js';
import { CREDENTIAL_TYPES, type Credential, DELEGATED_KEY_STATUSES, type DelegatedKey, type SigningChallenge } from './keys.js';
import type { OpenedSession } from './sessions.js';

const AuthMethodType = Enum(CREDENTIAL_TYPES, { title: 'AuthMethodType' });
const one = <const Value extends string>(value: Value) => Enum([value]);

/** Compressed: the client keeps its key. Uncompressed: a session key is made and sealed to it. */
const ClientPublicKey = Type.String({ pattern: '^(0[23][0-9a-fA-F]{64}|04[0-9a-fA-F]{128})$', minLength: 66, maxLength: 130 });

// ---- what is shown

const authMethod = {
  id: Type.String(),
  accountId: Type.String(),
  type: AuthMethodType,
  credentialId: Type.Optional(Type.String({ description: 'The WebAuthn credential id of a passkey.' })),
  nickname: Type.String(),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
};

export const AuthMethod = Type.Object(authMethod, { title: 'AuthMethod' });
export const AuthMethodResponse = Type.Object(
  {
    ...authMethod,
    otpEncryptionTargetBundle: Type.Optional(Type.String({ description: 'Signed key to encrypt the one-time password to; for one use.' })),
  },
  { title: 'AuthMethodResponse' },
);
export const AuthCredentialListResponse = Type.Object({ data: Type.Array(AuthMethod) }, { title: 'AuthCredentialListResponse' });

export const AuthSession = Type.Object(
  {
    ...authMethod,
    encryptedSessionSigningKey: Type.Optional(
      Type.String({ deprecated: true, description: 'The session key, sealed to an uncompressed clientPublicKey. Shown once.' }),
    ),
    expiresAt: Timestamp(),
  },
  { title: 'AuthSession' },
);
export const SessionListResponse = Type.Object({ data: Type.Array(AuthSession) }, { title: 'SessionListResponse' });

const signedRequest = SignedRequestChallenge.properties;
export const AuthSignedRequestChallenge = Type.Object({ ...signedRequest, type: AuthMethodType }, { title: 'AuthSignedRequestChallenge' });
export const DelegatedKeySignedRequestChallenge = Type.Object(signedRequest, { title: 'DelegatedKeySignedRequestChallenge' });

/** Wallet operations complete at once here; the API lets a back end take its time. */
export const WalletOperationProcessing = Type.Object(
  { status: one('PROCESSING'), message: Type.Optional(Type.String()) },
  { title: 'WalletOperationProcessing' },
);

const PasskeyAuthChallenge = Type.Object(
  { ...authMethod, credentialId: Type.String(), challenge: Type.String(), requestId: Type.String(), expiresAt: Timestamp() },
  { title: 'PasskeyAuthChallenge' },
);
export const AuthCredentialChallengeResponse = Type.Unsafe<unknown>({
  title: 'AuthCredentialChallengeResponse',
  anyOf: [AuthMethodResponse, PasskeyAuthChallenge, WalletOperationProcessing],
});
export const AuthCredentialVerifyResponse = Type.Unsafe<unknown>({
  title: 'AuthCredentialVerifyResponse',
  anyOf: [AuthSession, WalletOperationProcessing],
});

export const DelegatedKeySchema = Type.Object(
  {
    id: Type.String(),
    cardId: Type.String(),
    fundingSourceId: Type.String(),
    accountId: Type.String(),
    publicKey: Type.String({ description: 'Compressed P-256 public key, hex.' }),
    nickname: Type.String(),
    status: Enum(DELEGATED_KEY_STATUSES, { title: 'DelegatedKeyStatus' }),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'DelegatedKey' },
);
export const DelegatedKeyListResponse = Type.Object({ data: Type.Array(DelegatedKeySchema) }, { title: 'DelegatedKeyListResponse' });

export const renderCredential = ({ id, accountId, nickname, proof, createdAt, updatedAt }: Credential) => ({
  id,
  accountId,
  type: proof.type,
  ...(proof.type === 'PASSKEY' ? { credentialId: proof.passkey.credentialId } : {}),
  nickname,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

export const renderShownCredential = ({ credential, otpEncryptionTargetBundle }: ShownCredential) => ({
  ...renderCredential(credential),
  ...(otpEncryptionTargetBundle === undefined ? {} : { otpEncryptionTargetBundle }),
});

export const renderChallenged = (shown: ShownCredential | PasskeyChallenge) =>
  'signing' in shown
    ? {
        ...renderCredential(shown.credential),
        challenge: shown.challenge,
        requestId: shown.signing.requestId,
        expiresAt: shown.signing.expiresAt.toISOString(),
      }
    : renderShownCredential(shown);

export const renderSigningChallenge = ({ payloadToSign, requestId, expiresAt, type }: SigningChallenge) => ({
  payloadToSign,
  requestId,
  expiresAt: expiresAt.toISOString(),
  ...(type === undefined ? {} : { type }),
});

export const renderSession = ({ session, encryptedSessionSigningKey }: OpenedSession) => ({
  id: session.id,
  accountId: session.accountId,
  type: session.type,
  nickname: session.nickname,
  createdAt: session.createdAt.toISOString(),
  updatedAt: session.updatedAt.toISOString(),
  ...(encryptedSessionSigningKey === undefined ? {} : { encryptedSessionSigningKey }),
  expiresAt: session.expiresAt.toISOString(),
});

export const renderDelegatedKey = ({
  id,
  cardId,
  fundingSourceId,
  accountId,
  publicKey,
  nickname,
  status,
  createdAt,
  updatedAt,
}: DelegatedKey) => ({
  id,
  cardId,
  fundingSourceId,
  accountId,
  publicKey,
  nickname,
  status,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

// ---- what is sent

const accountId = { accountId: Type.String() };
const base64url = (maxLength: number) => Type.String({ pattern: '^[A-Za-z0-9_-]+$', minLength: 1, maxLength });

const EmailOtpCredentialCreateRequest = Closed(
  { type: one('EMAIL_OTP'), ...accountId, email: Type.Optional(Type.String({ format: 'email', maxLength: 255 })) },
  { title: 'EmailOtpCredentialCreateRequest' },
);
const SmsOtpCredentialCreateRequest = Closed(
  { type: one('SMS_OTP'), ...accountId, phoneNumber: Type.Optional(Type.String({ pattern: '^\\+[1-9]\\d{1,14}$' })) },
  { title: 'SmsOtpCredentialCreateRequest' },
);
const OauthCredentialCreateRequest = Closed(
  { type: one('OAUTH'), ...accountId, oidcToken: Type.String({ minLength: 1, maxLength: 8192 }) },
  { title: 'OauthCredentialCreateRequest' },
);
const PasskeyCredentialCreateRequest = Closed(
  {
    type: one('PASSKEY'),
    ...accountId,
    nickname: Type.String({ minLength: 1, maxLength: 100, pattern: "^[\\p{L}\\p{N} ._'()-]+$" }),
    challenge: base64url(1024),
    attestation: Closed(
      {
        credentialId: base64url(1400),
        clientDataJson: base64url(8192),
        attestationObject: base64url(32768),
        transports: Type.Optional(Type.Array(Enum(['usb', 'nfc', 'ble', 'internal', 'hybrid']))),
      },
      { title: 'PasskeyAttestation' },
    ),
  },
  { title: 'PasskeyCredentialCreateRequest' },
);

type CreateRequest =
  | Static<typeof EmailOtpCredentialCreateRequest>
  | Static<typeof SmsOtpCredentialCreateRequest>
  | Static<typeof OauthCredentialCreateRequest>
  | Static<typeof PasskeyCredentialCreateRequest>;

export const AuthCredentialCreateRequest = OneOf<CreateRequest>(
  'type',
  [EmailOtpCredentialCreateRequest, SmsOtpCredentialCreateRequest, OauthCredentialCreateRequest, PasskeyCredentialCreateRequest],
  { title: 'AuthCredentialCreateRequestOneOf' },
);

export function parseNewCredential(body: CreateRequest): NewCredential {
  const account = { accountId: parseId('InternalAccount', body.accountId) };
  switch (body.type) {
    case 'EMAIL_OTP':
      return { ...account, type: body.type, contact: body.email };
    case 'SMS_OTP':
      return { ...account, type: body.type, contact: body.phoneNumber };
    case 'OAUTH':
      return { ...account, type: body.type, oidcToken: body.oidcToken };
    case 'PASSKEY':
      return { ...account, type: body.type, nickname: body.nickname, challenge: body.challenge, attestation: body.attestation };
  }
}

const otpVerifyRequest = <const Kind extends 'EMAIL_OTP' | 'SMS_OTP'>(type: Kind, title: string) =>
  Closed({ type: one(type), encryptedOtpBundle: Type.String({ minLength: 1, maxLength: 8192 }) }, { title });
const EmailOtpCredentialVerifyRequest = otpVerifyRequest('EMAIL_OTP', 'EmailOtpCredentialVerifyRequest');
const SmsOtpCredentialVerifyRequest = otpVerifyRequest('SMS_OTP', 'SmsOtpCredentialVerifyRequest');
const OauthCredentialVerifyRequest = Closed(
  { type: one('OAUTH'), oidcToken: Type.String({ minLength: 1, maxLength: 8192 }), clientPublicKey: ClientPublicKey },
  { title: 'OauthCredentialVerifyRequest' },
);
const PasskeyCredentialVerifyRequest = Closed(
  {
    type: one('PASSKEY'),
    assertion: Closed(
      {
        credentialId: base64url(1400),
        clientDataJson: base64url(8192),
        authenticatorData: base64url(4096),
        signature: base64url(2048),
        userHandle: Type.Optional(Type.String({ maxLength: 1024 })),
      },
      { title: 'PasskeyAssertion' },
    ),
  },
  { title: 'PasskeyCredentialVerifyRequest' },
);

export const AuthCredentialVerifyRequest = OneOf<Verification>(
  'type',
  [EmailOtpCredentialVerifyRequest, SmsOtpCredentialVerifyRequest, OauthCredentialVerifyRequest, PasskeyCredentialVerifyRequest],
  { title: 'AuthCredentialVerifyRequestOneOf' },
);

export const AuthCredentialChallengeRequest = Closed(
  { clientPublicKey: Type.Optional(ClientPublicKey) },
  { title: 'AuthCredentialChallengeRequest' },
);

export const AuthSessionRefreshRequest = Closed({ clientPublicKey: ClientPublicKey }, { title: 'AuthSessionRefreshRequest' });

export const DelegatedKeyCreateRequest = Closed(
  { cardId: Type.String(), internalAccountId: Type.String(), nickname: Type.String({ minLength: 1, maxLength: 256 }) },
  { title: 'DelegatedKeyCreateRequest' },
);

export const InternalAccountUpdateRequest = Closed(
  { privateEnabled: Type.Optional(Type.Boolean()) },
  { title: 'InternalAccountUpdateRequest' },
);
export const InternalAccountExportRequest = Closed({ clientPublicKey: ClientPublicKey }, { title: 'InternalAccountExportRequest' });
export const InternalAccountExportResult = Type.Unsafe<unknown>({
  title: 'InternalAccountExportResult',
  anyOf: [
    Type.Object({ id: Type.String(), encryptedWalletCredentials: Type.String() }, { title: 'InternalAccountExportResponse' }),
    WalletOperationProcessing,
  ],
});
