// Requests and responses of strong customer authentication.
import Type, { type Static } from 'typebox';
import { Closed, Enum, NullableString, OneOf, Timestamp } from '../../../http/schemas.js';
import { type FieldError, invalid } from '../../../kernel/errors.js';
import { type CustomerId, parseId } from '../../../kernel/ids.js';
import type { PasskeyRequest } from './challenges.js';
import type { PasskeyStart, TotpStart } from './enrollment.js';
import type { LoginStart } from './login.js';
import type { PaymentChallenge } from './payments.js';
import { enrollmentStatus, requireIpAddress, usableFactors } from './rules.js';
import {
  type Challenge,
  type Factors,
  LIVENESS_OUTCOMES,
  type Passkey,
  type Proof,
  RESET_STATES,
  type Reset,
  SCA_FACTORS,
  type ScaFactor,
  SECURITY_EVENT_TYPES,
  type Session,
} from './sca.js';
import { base32 } from './totp.js';
import type { TrustStart } from './trust.js';

export const ScaFactorSchema = Enum(SCA_FACTORS, { title: 'ScaFactor' });
const Opaque = (options: Record<string, unknown> = {}) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true, ...options });
const NullableObject = (options: Record<string, unknown>) =>
  Type.Unsafe<Readonly<Record<string, unknown>> | null>({ type: ['object', 'null'], additionalProperties: true, ...options });
const NullableTexts = (options: Record<string, unknown>) =>
  Type.Unsafe<readonly string[] | null>({ type: ['array', 'null'], items: { type: 'string' }, ...options });
const IpAddress = Type.String({ maxLength: 64, description: "The end user's IPv4 or IPv6 address.", examples: ['203.0.113.7'] });

export const CustomerQuery = Closed({ customerId: Type.String({ description: 'The customer who authenticates.' }) });

export const parseCustomerQuery = ({ customerId }: Static<typeof CustomerQuery>): CustomerId | undefined => parseId('Customer', customerId);

// ---- factors

export const ScaFactorView = Type.Object(
  {
    factor: ScaFactorSchema,
    credentialId: Type.Optional(Type.String({ description: 'Of PASSKEY: the id with which it is deleted.' })),
    name: Type.Optional(Type.String()),
  },
  { title: 'ScaFactorView' },
);

export const ScaFactorList = Type.Object({ factors: Type.Array(ScaFactorView) }, { title: 'ScaFactorList' });

const viewOf = (factor: ScaFactor, passkey: Passkey | undefined) => {
  switch (factor) {
    case 'SMS_OTP':
      return { factor };
    case 'TOTP':
      return { factor, name: 'Authenticator app' };
    case 'PASSKEY':
      return { factor, name: 'Passkey', credentialId: passkey?.credentialId };
  }
};

export const renderFactors = (factors: Factors) => ({ factors: usableFactors(factors).map((each) => viewOf(each, factors.passkey)) });

type EnrollRequest = { readonly type: 'TOTP' | 'PASSKEY' };

export const ScaFactorEnrollRequest = OneOf<EnrollRequest>(
  'type',
  [
    Closed({ type: Type.Literal('TOTP') }, { title: 'TotpFactorEnrollRequest' }),
    Closed({ type: Type.Literal('PASSKEY') }, { title: 'PasskeyFactorEnrollRequest' }),
  ],
  { title: 'ScaFactorEnrollRequestOneOf', examples: [{ type: 'TOTP' }] },
);

export const ScaFactorEnrollStart = OneOf(
  'type',
  [
    Type.Object(
      {
        type: Type.Literal('TOTP'),
        secret: Type.String({ description: 'The secret in hex. Send it back to confirm.' }),
        secretBase32Encoded: Type.String({ description: 'The same secret as authenticator apps take it by hand.' }),
        totpUri: Type.String({ 'x-secret': true, description: 'The address to show as a QR code.' }),
      },
      { title: 'TotpEnrollmentStart' },
    ),
    Type.Object(
      {
        type: Type.Literal('PASSKEY'),
        options: Opaque({ description: 'The argument of `navigator.credentials.create`, in JSON form.' }),
        allowedOrigins: Type.Array(Type.String()),
        relyingPartyId: Type.String(),
      },
      { title: 'PasskeyEnrollmentStart' },
    ),
  ],
  { title: 'ScaFactorEnrollStartOneOf' },
);

export const renderTotpStart = ({ secret, uri }: TotpStart) => ({
  type: 'TOTP',
  secret: secret.toString('hex'),
  secretBase32Encoded: base32(secret),
  totpUri: uri,
});

export const renderPasskeyStart = ({ options, party }: PasskeyStart) => ({
  type: 'PASSKEY',
  options,
  allowedOrigins: party.origins,
  relyingPartyId: party.id,
});

type ConfirmRequest =
  | { readonly type: 'TOTP'; readonly secret: string; readonly code: string }
  | { readonly type: 'PASSKEY'; readonly origin: string; readonly credential: Readonly<Record<string, unknown>> };

export const ScaFactorConfirmRequest = OneOf<ConfirmRequest>(
  'type',
  [
    Closed(
      { type: Type.Literal('TOTP'), secret: Type.String({ maxLength: 255 }), code: Type.String({ maxLength: 255, 'x-secret': true }) },
      { title: 'TotpEnrollmentConfirmRequest' },
    ),
    Closed(
      {
        type: Type.Literal('PASSKEY'),
        origin: Type.String({ maxLength: 255, description: 'The page on which the passkey was created.' }),
        credential: Opaque({ description: 'What `navigator.credentials.create` returned, in JSON form.' }),
      },
      { title: 'PasskeyEnrollmentConfirmRequest' },
    ),
  ],
  { title: 'ScaFactorConfirmRequestOneOf' },
);

export const ScaFactorConfirmResponse = OneOf(
  'type',
  [
    Type.Object(
      {
        type: Type.Literal('TOTP'),
        recoveryCodes: Type.Array(Type.String(), { description: 'Shown this once. Each replaces one code of the app at login.' }),
      },
      { title: 'TotpEnrollmentConfirmResponse' },
    ),
    Type.Object({ type: Type.Literal('PASSKEY'), factor: ScaFactorView }, { title: 'PasskeyEnrollmentConfirmResponse' }),
  ],
  { title: 'ScaFactorConfirmResponseOneOf' },
);

export const renderPasskey = (passkey: Passkey) => ({ type: 'PASSKEY', factor: viewOf('PASSKEY', passkey) });

// ---- proofs

const codeField = (description: string) => Type.Optional(NullableString({ maxLength: 255, 'x-secret': true, description }));

const proofFields = {
  code: codeField('The code of a text message or an authenticator app.'),
  passkeyAssertion: Type.Optional(NullableObject({ description: 'What `navigator.credentials.get` returned, in JSON form.' })),
  origin: Type.Optional(NullableString({ maxLength: 255, description: 'With `passkeyAssertion`: the page that asked for it.' })),
};

type ProofFields = {
  readonly code?: string | null;
  readonly passkeyAssertion?: Readonly<Record<string, unknown>> | null;
  readonly origin?: string | null;
};

/** Exactly one proof; null counts as absent. The allowed kinds follow from the factor, where the request names one. */
export function parseProof({ code, passkeyAssertion, origin }: ProofFields, factor?: ScaFactor): Proof {
  const takesCode = factor !== 'PASSKEY';
  const takesAssertion = factor === undefined || factor === 'PASSKEY';
  const hasCode = code !== undefined && code !== null;
  const hasAssertion = passkeyAssertion !== undefined && passkeyAssertion !== null;
  const problems: FieldError[] = [];
  if (hasCode && !takesCode) problems.push({ field: 'code', message: 'does not fit the factor' });
  if (hasAssertion && !takesAssertion) problems.push({ field: 'passkeyAssertion', message: 'does not fit the factor' });
  if (hasCode && hasAssertion && problems.length === 0)
    problems.push({ field: 'code', message: 'cannot be combined with passkeyAssertion' });
  if (!hasCode && !hasAssertion)
    problems.push({ field: takesCode ? 'code' : 'passkeyAssertion', message: 'is required', constraint: { required: true } });
  if (problems.length === 0 && hasCode) return { kind: 'CODE', code };
  if (problems.length === 0 && hasAssertion && origin) return { kind: 'ASSERTION', assertion: passkeyAssertion, origin };
  if (problems.length === 0)
    problems.push({ field: 'origin', message: 'is required with passkeyAssertion', constraint: { required: true } });
  throw invalid(...problems);
}

// ---- login

export const ScaLoginStartRequest = Closed(
  { factor: ScaFactorSchema },
  { title: 'ScaLoginStartRequest', examples: [{ factor: 'SMS_OTP' }] },
);

export const ScaLoginStart = Type.Object(
  {
    factor: ScaFactorSchema,
    challengeId: Type.Optional(NullableString({ description: 'Of SMS_OTP.' })),
    expiresAt: Type.Optional(NullableString({ format: 'date-time', description: 'Of SMS_OTP: until when the code is accepted.' })),
    passkeyOptions: Type.Optional(
      NullableObject({ description: 'Of PASSKEY: the argument of `navigator.credentials.get`, in JSON form.' }),
    ),
    allowedOrigins: Type.Optional(NullableTexts({})),
    relyingPartyId: Type.Optional(NullableString({})),
  },
  { title: 'ScaLoginStart' },
);

export function renderLoginStart({ challenge, passkey }: LoginStart) {
  const { factor, id, expiresAt } = challenge;
  if (factor === 'SMS_OTP') return { factor, challengeId: id, expiresAt: expiresAt.toISOString() };
  if (!passkey) return { factor };
  return { factor, passkeyOptions: passkey.options, allowedOrigins: passkey.allowedOrigins, relyingPartyId: passkey.relyingPartyId };
}

export const ScaLoginCompleteRequest = Closed(
  {
    factor: ScaFactorSchema,
    endUserIpAddress: IpAddress,
    challengeId: Type.Optional(NullableString({ maxLength: 255, description: 'Of SMS_OTP: as the start returned it.' })),
    ...proofFields,
  },
  { title: 'ScaLoginCompleteRequest', examples: [{ factor: 'TOTP', code: '123456', endUserIpAddress: '203.0.113.7' }] },
);

export function parseLoginProof(body: Static<typeof ScaLoginCompleteRequest>) {
  const { factor, endUserIpAddress } = body;
  requireIpAddress(endUserIpAddress);
  const challengeId = body.challengeId ?? undefined;
  if (factor === 'SMS_OTP' && challengeId === undefined)
    throw invalid({ field: 'challengeId', constraint: { required: true }, message: 'is required for SMS_OTP' });
  return { factor, endUserIpAddress, challengeId, proof: parseProof(body, factor) };
}

export const ScaLoginComplete = Type.Object(
  { status: Type.String({ examples: ['SUCCESS'] }), sessionExpiresAt: Type.Optional(NullableString({ format: 'date-time' })) },
  { title: 'ScaLoginComplete' },
);

export const renderSession = ({ expiresAt }: Session) => ({ status: 'SUCCESS', sessionExpiresAt: expiresAt.toISOString() });

const SecurityEventType = Enum(SECURITY_EVENT_TYPES, { title: 'SecurityEventType' });

export const RecordSecurityEventRequest = Closed(
  { eventType: SecurityEventType, endUserIpAddress: IpAddress },
  { title: 'RecordSecurityEventRequest', examples: [{ eventType: 'FAILED_LOGIN_ATTEMPT', endUserIpAddress: '203.0.113.7' }] },
);

export const RecordSecurityEventResponse = Type.Object(
  {
    eventType: SecurityEventType,
    suspended: Type.Boolean({ description: 'Locked without end, until a password reset is reported.' }),
    lockedUntil: Type.Optional(NullableString({ format: 'date-time' })),
    failedAttempts: Type.Integer(),
  },
  { title: 'RecordSecurityEventResponse' },
);

// ---- resets

export const TwoFactorResetStartRequest = Closed(
  { factor: ScaFactorSchema, endUserIpAddress: IpAddress },
  { title: 'TwoFactorResetStartRequest', examples: [{ factor: 'TOTP', endUserIpAddress: '203.0.113.7' }] },
);

export const TwoFactorResetStart = Type.Object(
  {
    resetId: Type.String(),
    livenessAccessToken: Type.Optional(NullableString({ description: 'For the SDK of the liveness vendor.' })),
    verificationLink: Type.Optional(
      NullableString({ 'x-secret': true, description: 'The page on which the end user passes the liveness check.' }),
    ),
    expiresAt: Type.Optional(NullableString({ format: 'date-time' })),
  },
  { title: 'TwoFactorResetStart' },
);

export const TwoFactorResetStatus = Type.Object(
  {
    status: Enum(RESET_STATES, { title: 'TwoFactorResetState' }),
    factor: ScaFactorSchema,
    enrollmentStatus: Type.Optional(
      Type.Unsafe<'PENDING' | 'COMPLETED' | null>({
        type: ['string', 'null'],
        enum: ['PENDING', 'COMPLETED', null],
        description: 'Whether the factor was enrolled again. Null for SMS_OTP.',
      }),
    ),
    expiresAt: Timestamp(),
    completedAt: Type.Optional(NullableString({ format: 'date-time' })),
  },
  { title: 'TwoFactorResetStatus' },
);

export const renderReset = (reset: Reset) => ({
  status: reset.status,
  factor: reset.factor,
  enrollmentStatus: enrollmentStatus(reset),
  expiresAt: reset.expiresAt.toISOString(),
  completedAt: reset.completedAt?.toISOString() ?? null,
});

export const TwoFactorResetCompleteRequest = Closed(
  {
    endUserIpAddress: IpAddress,
    mobile: Type.Optional(
      Closed(
        {
          countryCode: Type.String({ pattern: '^\\+[1-9]\\d{0,2}$', examples: ['+49'] }),
          number: Type.String({ pattern: '^\\d{1,14}$', examples: ['15112345678'] }),
        },
        { title: 'MobileNumber', description: 'Required to reset SMS_OTP: the new phone number, which counts as verified.' },
      ),
    ),
  },
  { title: 'TwoFactorResetCompleteRequest' },
);

const E164 = /^\+[1-9]\d{1,14}$/;

/** The new phone number; undefined when none was sent. The body may be left out as a whole. */
export function parseMobile({ endUserIpAddress, mobile }: Partial<Static<typeof TwoFactorResetCompleteRequest>>): string | undefined {
  if (endUserIpAddress !== undefined) requireIpAddress(endUserIpAddress);
  if (!mobile) return undefined;
  const phoneNumber = mobile.countryCode + mobile.number;
  if (!E164.test(phoneNumber)) throw invalid({ field: 'mobile.number', message: 'is too long for an E.164 number' });
  return phoneNumber;
}

export const LivenessOutcomeRequest = Closed(
  { outcome: Enum(LIVENESS_OUTCOMES) },
  { title: 'TwoFactorResetLivenessRequest', examples: [{ outcome: 'PASS' }] },
);

export const LivenessPageQuery = Closed({ token: Type.String({ maxLength: 1024 }) });

export const LivenessPageEntry = Closed(
  { token: Type.String({ maxLength: 1024 }), outcome: Enum(LIVENESS_OUTCOMES) },
  { title: 'SandboxLivenessEntry' },
);

// ---- challenges of beneficiaries and payments

export const ScaChallengeSchema = Type.Object(
  {
    id: Type.String(),
    expiresAt: Timestamp(),
    factor: ScaFactorSchema,
    availableFactors: Type.Array(ScaFactorSchema),
    purpose: Type.Optional(NullableString({})),
    passkeyAssertionOptions: Type.Optional(NullableObject({})),
    passkeyAllowedOrigins: Type.Optional(NullableTexts({})),
  },
  { title: 'ScaChallenge' },
);

export type RenderedChallenge = Static<typeof ScaChallengeSchema>;

export const renderChallenge = (
  { id, expiresAt, factor, step }: Challenge,
  availableFactors: readonly ScaFactor[],
  passkey: PasskeyRequest | undefined,
): RenderedChallenge => ({
  id,
  expiresAt: expiresAt.toISOString(),
  factor,
  availableFactors: [...availableFactors],
  ...(step === null ? {} : { purpose: step }),
  ...(passkey ? { passkeyAssertionOptions: { ...passkey.options }, passkeyAllowedOrigins: passkey.allowedOrigins } : {}),
});

export const renderPaymentChallenge = ({ challenge, availableFactors, passkey }: PaymentChallenge): RenderedChallenge =>
  renderChallenge(challenge, availableFactors, passkey);

export const BeneficiaryTrustStart = Type.Object({ scaChallenge: Type.Optional(ScaChallengeSchema) }, { title: 'BeneficiaryTrustStart' });

export const renderTrustStart = ({ challenge, availableFactors, passkey }: TrustStart) => ({
  scaChallenge: renderChallenge(challenge, availableFactors, passkey),
});

export const BeneficiaryTrustConfirmRequest = Closed(
  { challengeId: Type.Optional(NullableString({ maxLength: 255 })), ...proofFields },
  { title: 'BeneficiaryTrustConfirmRequest' },
);

export const BeneficiaryTrustConfirm = Type.Object({ trusted: Type.Boolean() }, { title: 'BeneficiaryTrustConfirm' });

export const ScaAuthorization = Closed(
  {
    ...proofFields,
    code: codeField('The code of the text message. A code of an authenticator app is bound to no payment and is refused.'),
    endUserIpAddress: Type.Optional(NullableString({ maxLength: 64 })),
  },
  { title: 'ScaAuthorization' },
);

export function parseAuthorization({ endUserIpAddress, ...proof }: Static<typeof ScaAuthorization>): Proof {
  if (endUserIpAddress) requireIpAddress(endUserIpAddress);
  return parseProof(proof);
}
