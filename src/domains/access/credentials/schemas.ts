// Wire schemas of credentials.
import Type, { type Static } from 'typebox';
import { Closed, Enum, OneOf, Timestamp } from '../../../http/schemas.js';
import { parseId } from '../../../kernel/ids.js';
import { AuthSession, authMethodFields, ClientPublicKey } from '../sessions/schemas.js';
import { WalletOperationProcessing } from '../signed-requests/schemas.js';
import type { ChallengedCredential, Credential, NewCredential, OtpType, PasskeyChallenge, Verification } from './credential.js';

const one = <const Value extends string>(value: Value) => Enum([value]);

// ---- answers

export const AuthMethod = Type.Object(authMethodFields, { title: 'AuthMethod' });
export const AuthMethodResponse = Type.Object(
  {
    ...authMethodFields,
    otpEncryptionTargetBundle: Type.Optional(Type.String({ description: 'Signed key to encrypt the one-time password to; for one use.' })),
  },
  { title: 'AuthMethodResponse' },
);
export const AuthCredentialListResponse = Type.Object({ data: Type.Array(AuthMethod) }, { title: 'AuthCredentialListResponse' });

const PasskeyAuthChallenge = Type.Object(
  { ...authMethodFields, credentialId: Type.String(), challenge: Type.String(), requestId: Type.String(), expiresAt: Timestamp() },
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

export const renderCredential = ({ id, accountId, nickname, proof, createdAt, updatedAt }: Credential) => ({
  id,
  accountId,
  type: proof.type,
  ...(proof.type === 'PASSKEY' ? { credentialId: proof.passkey.credentialId } : {}),
  nickname,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

export const renderChallengedCredential = ({ credential, otpEncryptionTargetBundle }: ChallengedCredential) => ({
  ...renderCredential(credential),
  ...(otpEncryptionTargetBundle === undefined ? {} : { otpEncryptionTargetBundle }),
});

export const renderChallenge = (challenged: ChallengedCredential | PasskeyChallenge) =>
  'signing' in challenged
    ? {
        ...renderCredential(challenged.credential),
        challenge: challenged.challenge,
        requestId: challenged.signing.requestId,
        expiresAt: challenged.signing.expiresAt.toISOString(),
      }
    : renderChallengedCredential(challenged);

// ---- requests

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

const otpVerifyRequest = <const Kind extends OtpType>(type: Kind, title: string) =>
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
