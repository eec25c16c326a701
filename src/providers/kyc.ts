// Identity verification of customers by an external provider. `screen` and `submit` answer at once and without I/O, because they are called
// in the transaction that stores their answer. A vendor is called later, outside of transactions; see `KycVendor`.

export const DOCUMENT_TYPES = [
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
] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

export const KYC_ERROR_TYPES = [
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
] as const;
export type KycErrorType = (typeof KYC_ERROR_TYPES)[number];

/** One problem of a packet. `reason` is a sentence and never holds the offending value. */
export type KycError = {
  /** The customer, beneficial owner or document that the problem is about. */
  readonly resourceId: string;
  readonly type: KycErrorType;
  readonly field?: string;
  readonly acceptedDocumentTypes?: readonly DocumentType[];
  readonly reason: string;
};

/** The answer of a provider to a packet, at once or later. */
export type KycDecision =
  | { readonly outcome: 'IN_PROGRESS' | 'PENDING_MANUAL_REVIEW' | 'APPROVED' }
  | { readonly outcome: 'RESOLVE_ERRORS' | 'REJECTED'; readonly errors: readonly KycError[] };

export type KycSubject =
  | { readonly customerType: 'INDIVIDUAL'; readonly fullName?: string | undefined }
  | { readonly customerType: 'BUSINESS'; readonly registrationNumber?: string | undefined };

/** What a customer's verification status is at creation. */
export type KycOutcome = 'UNVERIFIED' | 'PENDING' | 'APPROVED' | 'REJECTED';

export type KycApplication = KycSubject & {
  readonly customerId: string;
  /** The document that proves the identity of a person. */
  readonly identityDocumentId?: string | undefined;
};

export type KycSubmission = {
  readonly decision: KycDecision;
  /** A decision that the provider announces now and makes later, by the platform's clock. */
  readonly later?: { readonly afterMs: number; readonly decision: KycDecision };
};

export type KycProvider = {
  screen(subject: KycSubject): KycOutcome | Promise<KycOutcome>;
  /** A decision that needs no complete packet. */
  decideUnchecked(application: KycApplication): KycDecision | undefined;
  /** Takes a complete packet. With a vendor the packet is sent afterwards, so the answer is IN_PROGRESS. */
  submit(application: KycApplication): KycSubmission | Promise<KycSubmission>;
  /** What a final decision on a business means for one of its owners. */
  decideOwner(owner: { readonly lastName: string }, decision: 'APPROVED' | 'REJECTED'): 'PENDING' | 'APPROVED' | 'REJECTED';
  readonly vendor?: KycVendor;
};

/** A packet as a vendor receives it. Holds identifiers in plain text: it is never logged and never stored. */
export type KycPacket = {
  /** Names the submission. A vendor that receives it twice takes it once, and repeats it in every callback. */
  readonly reference: string;
  readonly customer: Readonly<Record<string, unknown>>;
  readonly owners: readonly Readonly<Record<string, unknown>>[];
  readonly documents: readonly Readonly<Record<string, unknown>>[];
};

/** What the vendor made of a packet: a decision, a refusal that repeating does not change, or no answer that can be used. */
export type VendorAnswer =
  | { readonly kind: 'DECIDED'; readonly decision: KycDecision }
  | { readonly kind: 'REFUSED' }
  | { readonly kind: 'UNAVAILABLE' };

export type CallbackProof = { readonly timestamp: string; readonly signature: string; readonly body: Buffer };

/** An external company that checks packets. It answers at once or calls back. */
export type KycVendor = {
  send(packet: KycPacket): Promise<VendorAnswer>;
  /** True for a callback that the vendor signed recently. */
  isAuthentic(proof: CallbackProof): boolean;
};

/** An installation without a vendor: its operator reviews packets with `npm run review`. */
export const manualKyc: KycProvider = {
  screen: () => 'UNVERIFIED',
  decideUnchecked: () => undefined,
  submit: () => ({ decision: { outcome: 'PENDING_MANUAL_REVIEW' } }),
  decideOwner: (_owner, decision) => decision,
};

export const rejection = (customerId: string): KycError => ({
  resourceId: customerId,
  type: 'APPLICANT_REJECTED',
  reason: 'The applicant was rejected.',
});

export const poorQuality = (documentId: string): KycError => ({
  resourceId: documentId,
  type: 'POOR_QUALITY_DOCUMENT',
  reason: 'The document is not legible. Replace it with a sharper image.',
});
