// Wire schemas of verifications and links.
import Type, { type Static } from 'typebox';
import { Closed, Enum, pageOfSchema, ReadOnly, Timestamp } from '../../../http/schemas.js';
import { invalidField } from '../../../kernel/errors.js';
import { DOCUMENT_TYPES, KYC_ERROR_TYPES, type KycDecision, type KycError } from '../../../providers/kyc.js';
import { VERIFICATION_STATUSES } from '../customers/customer.js';
import type { Verification } from './verification.js';

export const DocumentTypeSchema = Enum(DOCUMENT_TYPES, { title: 'DocumentType' });

export const VerificationStatusSchema = Enum(
  ['RESOLVE_ERRORS', 'PENDING_MANUAL_REVIEW', 'IN_PROGRESS', 'APPROVED', 'REJECTED', 'READY_FOR_VERIFICATION'],
  { title: 'VerificationStatus' },
);

const errorMembers = {
  resourceId: Type.String({ description: 'The customer, beneficial owner or document that the problem is about.' }),
  type: Enum(KYC_ERROR_TYPES, { title: 'VerificationErrorType' }),
  field: Type.Optional(Type.String({ description: 'The path of the field in a PATCH of the resource.' })),
  acceptedDocumentTypes: Type.Optional(Type.Array(DocumentTypeSchema)),
  reason: Type.String(),
};

export const VerificationErrorSchema = Type.Object(errorMembers, { title: 'VerificationError' });

export const VerificationSchema = Type.Object(
  {
    id: ReadOnly(Type.String()),
    customerId: Type.String(),
    verificationStatus: VerificationStatusSchema,
    errors: Type.Array(VerificationErrorSchema, {
      description:
        'Everything that keeps the packet from being accepted, one entry each. Empty while it is under review and once approved.',
    }),
    createdAt: ReadOnly(Timestamp()),
    updatedAt: Type.Optional(ReadOnly(Timestamp())),
  },
  { title: 'Verification' },
);

export const VerificationListResponse = pageOfSchema(VerificationSchema, 'VerificationListResponse');

export const VerificationRequest = Closed({ customerId: Type.String() }, { title: 'VerificationRequest' });

export const renderVerification = (verification: Verification) => ({
  id: verification.id,
  customerId: verification.customerId,
  verificationStatus: verification.status,
  errors: verification.errors,
  createdAt: verification.createdAt.toISOString(),
  updatedAt: verification.updatedAt.toISOString(),
});

// ---- links

export const KycLinkCreateRequest = Closed(
  {
    redirectUri: Type.Optional(
      Type.String({
        format: 'uri',
        maxLength: 2048,
        description: 'Where the page sends the end user after the submission; https, or http on localhost.',
      }),
    ),
  },
  { title: 'KycLinkCreateRequest' },
);

export const KycLinkResponse = Type.Object(
  {
    kycUrl: Type.String({ 'x-secret': true, description: 'The page for the end user. It is used up by a submission, not by opening it.' }),
    expiresAt: Timestamp(),
    provider: Enum(['HOSTED_KYC'], { title: 'KycProvider' }),
    token: Type.Optional(Type.String({ description: 'Absent: the hosted page needs no SDK.' })),
  },
  { title: 'KycLinkResponse' },
);

// ---- the vendor

const VerificationProblem = Closed(
  { ...errorMembers, reason: Type.String({ minLength: 1, maxLength: 500, description: 'What is wrong, for people.' }) },
  { title: 'VerificationProblem' },
);

const problems = (description: string) =>
  Type.Optional(
    Type.Array(VerificationProblem, {
      minItems: 1,
      maxItems: 100,
      description,
    }),
  );

export const KycCallback = Type.Object(
  {
    reference: Type.String({ maxLength: 100, description: 'The reference of the packet.' }),
    outcome: Enum(['APPROVED', 'REJECTED', 'RESOLVE_ERRORS', 'PENDING_MANUAL_REVIEW', 'IN_PROGRESS']),
    errors: problems('Required for RESOLVE_ERRORS; for REJECTED the cause.'),
  },
  { title: 'KycCallback' },
);

export const KycCallbackResponse = Type.Object(
  { applied: Type.Boolean({ description: 'False for a decision that came twice or too late.' }) },
  { title: 'KycCallbackResponse' },
);

export function parseCallback({ outcome, errors }: Static<typeof KycCallback>): KycDecision {
  if (outcome === 'RESOLVE_ERRORS' && !errors) throw invalidField('errors', 'is required for RESOLVE_ERRORS');
  return outcome === 'RESOLVE_ERRORS' || outcome === 'REJECTED' ? { outcome, errors: parseErrors(errors ?? []) } : { outcome };
}

// ---- the sandbox

export const SandboxVerificationDecision = Closed(
  {
    outcome: Enum(['APPROVED', 'REJECTED', 'RESOLVE_ERRORS', 'PENDING_MANUAL_REVIEW']),
    errors: problems('For RESOLVE_ERRORS and REJECTED.'),
  },
  { title: 'SandboxVerificationDecision' },
);

/** The members that were sent, without those that are undefined. */
export const parseErrors = (errors: NonNullable<Static<typeof SandboxVerificationDecision>['errors']>): KycError[] =>
  errors.map(({ resourceId, type, field, acceptedDocumentTypes, reason }) => ({
    resourceId,
    type,
    ...(field !== undefined && { field }),
    ...(acceptedDocumentTypes !== undefined && { acceptedDocumentTypes }),
    reason,
  }));

export const SandboxVerificationStatus = Closed({ status: Enum(VERIFICATION_STATUSES) }, { title: 'SandboxVerificationStatus' });
