// Wire schemas of verifications of customers.
import Type from 'typebox';
import { Enum, Timestamp } from '../../../http/schemas.js';

const text = Type.String();
const maybeText = Type.Optional(Type.String());
const maybeTime = Type.Optional(Timestamp());

const DocumentType = Enum(
  [
    'PASSPORT',
    'DRIVERS_LICENSE',
    'NATIONAL_ID',
    'PROOF_OF_ADDRESS',
    'BANK_STATEMENT',
    'TAX_RETURN',
    'CERTIFICATE_OF_INCORPORATION',
    'ARTICLES_OF_INCORPORATION',
    'ARTICLES_OF_ASSOCIATION',
    'STATE_REGISTRY_EXCERPT',
    'GOOD_STANDING_CERTIFICATE',
    'INFORMATION_STATEMENT',
    'INCUMBENCY_CERTIFICATE',
    'BUSINESS_LICENSE',
    'SHAREHOLDER_REGISTER',
    'POWER_OF_ATTORNEY',
    'UTILITY_BILL',
    'ELECTRICITY_BILL',
    'RENT_OR_LEASE_AGREEMENT',
    'DIRECTOR_REGISTRY',
    'TRUST_AGREEMENT',
    'STATE_COMPANY_REGISTRY',
    'PARTNERSHIP_CONTROL_AGREEMENT',
    'PARTNERSHIP_AGREEMENT',
    'SELFIE',
    'OTHER',
  ],
  { title: 'DocumentType' },
);

const VerificationErrorType = Enum(
  [
    'MISSING_FIELD',
    'INVALID_FIELD',
    'MISSING_LEGAL_PRESENCE_DOCUMENT',
    'MISSING_CONTROL_STRUCTURE_DOCUMENT',
    'MISSING_OWNERSHIP_STRUCTURE_DOCUMENT',
    'MISSING_PROOF_OF_ADDRESS_DOCUMENT',
    'MISSING_IDENTITY_DOCUMENT',
    'INVALID_DOCUMENT',
    'EXPIRED_DOCUMENT',
    'POOR_QUALITY_DOCUMENT',
    'SUSPECTED_FRAUD_DOCUMENT',
    'WRONG_DOCUMENT_TYPE',
    'INCOMPLETE_DOCUMENT',
    'UNREADABLE_DOCUMENT',
    'DOCUMENT_VERIFICATION_FAILED',
    'APPLICANT_SANCTIONED',
    'APPLICANT_FRAUD',
    'APPLICANT_CRIMINAL_RECORD',
    'APPLICANT_REJECTED',
    'MISSING_BENEFICIAL_OWNER',
    'MISSING_CONTROL_PERSON',
    'MISSING_GOOD_STANDING_DOCUMENT',
  ],
  { title: 'VerificationErrorType' },
);

export const Verification = Type.Object(
  {
    id: text,
    customerId: text,
    verificationStatus: Enum(['RESOLVE_ERRORS', 'PENDING_MANUAL_REVIEW', 'IN_PROGRESS', 'APPROVED', 'REJECTED', 'READY_FOR_VERIFICATION'], {
      title: 'VerificationStatus',
    }),
    errors: Type.Array(
      Type.Object(
        {
          resourceId: text,
          type: VerificationErrorType,
          field: maybeText,
          acceptedDocumentTypes: Type.Optional(Type.Array(DocumentType)),
          reason: text,
        },
        { title: 'VerificationError' },
      ),
    ),
    createdAt: Timestamp(),
    updatedAt: maybeTime,
  },
  { title: 'Verification' },
);
