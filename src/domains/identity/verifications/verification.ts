// A verification of a customer: the packet that a provider checks and the state of that check.
import type { CustomerId, Id } from '../../../kernel/ids.js';
import type { DocumentType, KycDecision, KycError } from '../../../providers/kyc.js';
import type { BeneficialOwner, BeneficialOwnerId, Customer } from '../customers/customer.js';

export {
  DOCUMENT_TYPES,
  type DocumentType,
  type KycDecision,
  type KycError,
  type KycErrorType,
  type KycSubmission,
} from '../../../providers/kyc.js';
export type { BeneficialOwnerId } from '../customers/customer.js';

export type VerificationId = Id<'Verification'>;
export type DocumentId = Id<'Document'>;

/** Who a document belongs to. */
export type HolderId = CustomerId | BeneficialOwnerId;

/** The states a verification has. `READY_FOR_VERIFICATION` exists on the wire and is never produced. */
export const RECORD_STATUSES = ['RESOLVE_ERRORS', 'PENDING_MANUAL_REVIEW', 'IN_PROGRESS', 'APPROVED', 'REJECTED'] as const;
export type RecordStatus = (typeof RECORD_STATUSES)[number];

export type PlannedDecision = { readonly at: Date; readonly decision: KycDecision };

export type Verification = {
  readonly id: VerificationId;
  readonly customerId: CustomerId;
  readonly status: RecordStatus;
  readonly errors: readonly KycError[];
  /** How many packets were handed to the provider. */
  readonly submissions: number;
  readonly planned: PlannedDecision | null;
  /** When the packet is sent to the vendor next; null when there is nothing to send. */
  readonly sendAt: Date | null;
  readonly sendFailures: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A document of a customer or beneficial owner, without its content. */
export type HeldDocument = {
  readonly id: DocumentId;
  readonly holderId: HolderId;
  readonly documentType: DocumentType;
  readonly country: string;
  readonly side: 'FRONT' | 'BACK' | null;
  readonly isSubmitted: boolean;
};

/** An owner with the identifier in plain text. Never rendered, logged or stored. */
export type OwnerOfPacket = BeneficialOwner & { readonly identifier: string };

/** Everything that a verification looks at. */
export type Packet = {
  readonly customer: Customer;
  /** The customer's identifier in plain text. */
  readonly identifier: string | undefined;
  readonly owners: readonly OwnerOfPacket[];
  readonly documents: readonly HeldDocument[];
};

export type KycLink = {
  readonly customerId: CustomerId;
  readonly redirectUri: string | null;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
};
