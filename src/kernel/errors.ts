// Every error code of the API with its status and reason. Each operation lists the codes it can answer.
// A refusal is thrown as ApiError; a broken invariant is asserted.

export const ERRORS = {
  // 400: the request is not valid as sent
  INVALID_INPUT: { status: 400, reason: 'The request is not valid.' },
  INVALID_REQUEST_FORMAT: { status: 400, reason: 'The request body is not valid JSON.' },
  INVALID_TIMESTAMP: { status: 400, reason: 'A timestamp is not valid.' },
  INVALID_CURRENCY: { status: 400, reason: 'The currency is not supported.' },
  INVALID_AMOUNT: { status: 400, reason: 'The amount is not valid.' },
  AMOUNT_OUT_OF_RANGE: { status: 400, reason: 'The amount is outside the allowed range.' },
  INVALID_BANK_ACCOUNT: { status: 400, reason: 'The bank account cannot be used.' },
  INVALID_UMA_ADDRESS: { status: 400, reason: 'The UMA address is not valid.' },
  INVALID_RECEIVER: { status: 400, reason: 'The receiver is not valid.' },
  INVALID_PUBKEY_FORMAT: { status: 400, reason: 'The public key is not well formed.' },
  INVALID_NONCE: { status: 400, reason: 'The nonce is not valid.' },
  SELF_PAYMENT: { status: 400, reason: 'A payment cannot go to its own source.' },
  SENDER_NOT_ACCEPTED: { status: 400, reason: 'The receiver does not accept this sender.' },
  MISSING_MANDATORY_USER_INFO: { status: 400, reason: 'Mandatory user information is missing.' },
  MISSING_REQUIRED_UMA_PARAMETERS: { status: 400, reason: 'Required UMA parameters are missing.' },
  PARSE_PAYREQ_RESPONSE_ERROR: { status: 400, reason: 'The pay request answer could not be read.' },
  PARSE_LNURLP_RESPONSE_ERROR: { status: 400, reason: 'The lookup answer could not be read.' },
  CERT_CHAIN_INVALID: { status: 400, reason: 'The certificate chain is not valid.' },
  CERT_CHAIN_EXPIRED: { status: 400, reason: 'The certificate chain has expired.' },
  END_USER_TERMS_VERSION_NOT_FOUND: { status: 400, reason: 'That version of the agreement is not supported.' },
  INVITATION_ALREADY_CLAIMED: { status: 400, reason: 'The invitation has already been claimed.' },
  INVITATION_CANCELLED: { status: 400, reason: 'The invitation was cancelled.' },
  INVITATIONS_NOT_CONFIGURED: { status: 400, reason: 'Invitations are not configured for this platform.' },
  WEBHOOK_ENDPOINT_NOT_SET: { status: 400, reason: 'The platform has no webhook endpoint.' },
  WEBHOOK_DELIVERY_ERROR: { status: 400, reason: 'The webhook could not be delivered.' },
  LOW_QUALITY: { status: 400, reason: 'The document is not legible enough.' },
  DATA_MISMATCH: { status: 400, reason: 'The document does not match the data given.' },
  EXPIRED: { status: 400, reason: 'The document has expired.' },
  SUSPECTED_FRAUD: { status: 400, reason: 'The document cannot be accepted.' },
  UNSUITABLE_DOCUMENT: { status: 400, reason: 'The document is of an unsuitable kind.' },
  INCOMPLETE: { status: 400, reason: 'The document is incomplete.' },
  EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS: { status: 400, reason: 'The account already has an email OTP credential.' },
  SMS_OTP_CREDENTIAL_ALREADY_EXISTS: { status: 400, reason: 'The account already has an SMS OTP credential.' },
  PASSKEY_CREDENTIAL_ALREADY_EXISTS: { status: 400, reason: 'That passkey is already registered.' },
  AUTH_CREDENTIAL_VERIFICATION_REQUIRED: { status: 400, reason: 'The new contact has no verified replacement credential.' },
  AUTH_CREDENTIAL_VERIFICATION_EXPIRED: { status: 400, reason: 'The verification of the replacement credential has expired.' },
  CARDHOLDER_KYC_NOT_APPROVED: { status: 400, reason: 'A card cannot be issued unless the cardholder is APPROVED.' },
  TRANSACTION_SIZE_LIMIT_EXCEEDED: { status: 400, reason: 'The amount exceeds the single-transaction maximum.' },
  EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED: { status: 400, reason: 'Ownership of the destination account must be verified first.' },
  INSUFFICIENT_FUNDS: { status: 400, reason: 'The account has insufficient funds.' },
  QUOTE_EXPIRED: { status: 400, reason: 'The quote has expired.' },
  QUOTE_RATE_UNAVAILABLE: { status: 400, reason: 'No rate is available for this quote.' },
  DOCUMENTS_REQUIRED: { status: 400, reason: 'The destination requires supporting documents.' },
  STABLECOIN_PROVIDER_ACCOUNT_INVALID: { status: 400, reason: 'The provider account is not valid.' },
  STABLECOIN_PROVIDER_ACCOUNT_REVOKED: { status: 400, reason: 'The provider account is revoked.' },
  STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED: { status: 400, reason: 'Name one of several provider accounts.' },
  STABLECOIN_AMOUNT_NOT_REPRESENTABLE: { status: 400, reason: 'The amount cannot be represented.' },
  STABLECOIN_BURN_SOURCE_NOT_SUPPORTED: { status: 400, reason: 'The burn source is not supported.' },
  STABLECOIN_EXTERNAL_ACCOUNT_LINK_FAILED: { status: 400, reason: 'The external account could not be linked.' },
  STABLECOIN_EXTERNAL_ACCOUNT_LINK_METHOD_REQUIRED: { status: 400, reason: 'A link method is required.' },
  STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED: { status: 400, reason: 'The external account is not linked.' },
  STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED: { status: 400, reason: 'The external account is not supported.' },
  STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_FAILED: { status: 400, reason: 'The provider could not link the account.' },
  STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_REQUIRED: { status: 400, reason: 'The provider must link the account first.' },
  STABLECOIN_GRID_OPERATIONS_NOT_ENABLED: { status: 400, reason: 'Operations are not enabled for the stablecoin.' },
  STABLECOIN_NOT_PROVISIONED: { status: 400, reason: 'The stablecoin is not provisioned.' },
  STABLECOIN_OPERATION_NOT_SUPPORTED: { status: 400, reason: 'The operation is not supported.' },
  STABLECOIN_PROVIDER_ERROR: { status: 400, reason: 'The provider refused the operation.' },
  STABLECOIN_PROVIDER_SOURCE_NOT_LINKED: { status: 400, reason: 'The provider source is not linked.' },
  STABLECOIN_VERIFICATION_FAILED: { status: 400, reason: 'Verification failed.' },

  // 401: who is asking is not established
  UNAUTHORIZED: { status: 401, reason: 'The API credentials were not accepted.' },
  INVALID_SIGNATURE: { status: 401, reason: 'The signature header is not valid.' },
  WALLET_SIGNATURE_MISSING: { status: 401, reason: 'The wallet signature header is required.' },
  WALLET_SIGNATURE_MALFORMED: { status: 401, reason: 'The wallet signature header cannot be read.' },
  WALLET_SIGNATURE_BODY_MISMATCH: { status: 401, reason: 'The signature was made over another body.' },
  WALLET_SIGNATURE_INVALID: { status: 401, reason: 'The wallet signature was not accepted.' },
  REQUEST_ID_MISSING: { status: 401, reason: 'The Request-Id header is required on a signed retry.' },

  // 403: known, but not allowed
  FORBIDDEN: { status: 403, reason: 'The token lacks the permission for this operation.' },
  USER_NOT_READY: { status: 403, reason: 'The customer is not ready.' },
  COUNTERPARTY_NOT_ALLOWED: { status: 403, reason: 'The counterparty is not allowed.' },
  VELOCITY_LIMIT_EXCEEDED: { status: 403, reason: 'A velocity limit was exceeded.' },
  END_USER_TERMS_NOT_ACCEPTED: { status: 403, reason: 'The customer has not accepted the terms.' },
  CUSTOMER_NOT_VERIFIED: { status: 403, reason: 'The customer is not verified.' },
  SANCTION_BLOCKED: { status: 403, reason: 'The transaction is blocked.' },

  // 404: no such record for this platform; a foreign one answers the same
  NOT_FOUND: { status: 404, reason: 'Not found.' },
  ACCOUNT_NOT_FOUND: { status: 404, reason: 'Account not found.' },
  AUTH_METHOD_NOT_FOUND: { status: 404, reason: 'Credential not found.' },
  BULK_UPLOAD_JOB_NOT_FOUND: { status: 404, reason: 'Job not found.' },
  CUSTOMER_NOT_FOUND: { status: 404, reason: 'Customer not found.' },
  DOCUMENT_HOLDER_NOT_FOUND: { status: 404, reason: 'Document holder not found.' },
  INVITATION_NOT_FOUND: { status: 404, reason: 'Invitation not found.' },
  LOOKUP_REQUEST_NOT_FOUND: { status: 404, reason: 'Lookup not found.' },
  PAYMENT_DOCUMENT_NOT_FOUND: { status: 404, reason: 'Payment document not found.' },
  PAYMENT_URL_NOT_FOUND: { status: 404, reason: 'Payment URL not found.' },
  PLATFORM_NOT_FOUND: { status: 404, reason: 'Platform not found.' },
  QUOTE_NOT_FOUND: { status: 404, reason: 'Quote not found.' },
  REFERENCE_NOT_FOUND: { status: 404, reason: 'Reference not found.' },
  REQUEST_NOT_FOUND: { status: 404, reason: 'Request not found.' },
  SESSION_NOT_FOUND: { status: 404, reason: 'Session not found.' },
  STABLECOIN_EXTERNAL_ACCOUNT_NOT_FOUND: { status: 404, reason: 'External account not found.' },
  STABLECOIN_NOT_FOUND: { status: 404, reason: 'Stablecoin not found.' },
  STABLECOIN_OPERATION_NOT_FOUND: { status: 404, reason: 'Stablecoin operation not found.' },
  STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND: { status: 404, reason: 'Provider account not found.' },
  TOKEN_NOT_FOUND: { status: 404, reason: 'API token not found.' },
  TRANSACTION_NOT_FOUND: { status: 404, reason: 'Transaction not found.' },
  UMA_NOT_FOUND: { status: 404, reason: 'No receiver at that address.' },
  USER_NOT_FOUND: { status: 404, reason: 'User not found.' },
  VERIFICATION_NOT_FOUND: { status: 404, reason: 'Verification not found.' },

  // 405–429 without 409: the HTTP exchange itself, and records that are gone, locked or cannot be read
  METHOD_NOT_ALLOWED: { status: 405, reason: 'The method is not allowed on this path.' },
  REQUEST_TIMEOUT: { status: 408, reason: 'The request took too long to arrive.' },
  CUSTOMER_DELETED: { status: 410, reason: 'The customer has been deleted.' },
  PAYMENT_DOCUMENT_EXPIRED: { status: 410, reason: 'The payment document has expired.' },
  UNSUPPORTED_UMA_VERSION: { status: 412, reason: 'The UMA version is not supported.' },
  PAYLOAD_TOO_LARGE: { status: 413, reason: 'The request body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, reason: 'The request body must be application/json.' },
  DOCUMENT_REJECTED: { status: 422, reason: 'The document was rejected.' },
  ACCOUNT_LOCKED: { status: 423, reason: 'The account is locked.' },
  LNURLP_REQUEST_FAILED: { status: 424, reason: 'The look-up at the counterparty failed.' },
  PAYREQ_REQUEST_FAILED: { status: 424, reason: 'The pay request at the counterparty failed.' },
  COUNTERPARTY_PUBKEY_FETCH_ERROR: { status: 424, reason: 'The public keys of the counterparty could not be read.' },
  NO_COMPATIBLE_UMA_VERSION: { status: 424, reason: 'The counterparty supports no common UMA version.' },
  PAYMENT_DOCUMENT_ATTACHMENT_FAILED: { status: 424, reason: 'The payment document could not be attached.' },
  EMAIL_OTP_CREDENTIAL_SYNC_FAILED: { status: 424, reason: 'The email credential could not be updated.' },
  SMS_OTP_CREDENTIAL_SYNC_FAILED: { status: 424, reason: 'The SMS credential could not be updated.' },
  RATE_LIMITED: { status: 429, reason: 'Too many requests.' },
  DAILY_VOLUME_LIMIT_EXCEEDED: { status: 429, reason: 'The daily volume limit is reached.' },

  // 409: the record is not in a state that allows it
  BANK_ACCOUNT_VALIDATION_PENDING: { status: 409, reason: 'The bank account is still being validated.' },
  BENEFICIARY_TRUSTED: { status: 409, reason: 'A trusted beneficiary cannot be deleted.' },
  CARD_ALREADY_CLOSED: { status: 409, reason: 'The card is already closed.' },
  CARD_LIMIT_REACHED: { status: 409, reason: 'The maximum number of live cards is reached.' },
  CARD_NOT_MUTABLE: { status: 409, reason: 'A closed card cannot be changed.' },
  CONFLICT: { status: 409, reason: 'The request conflicts with the current state.' },
  DOCUMENT_ALREADY_EXISTS: { status: 409, reason: 'A document of this type already exists.' },
  DUPLICATE_EXTERNAL_ACCOUNT: { status: 409, reason: 'An equivalent external account already exists.' },
  DUPLICATE_PAY_REQUEST: { status: 409, reason: 'The pay request already exists.' },
  EMAIL_OTP_CREDENTIAL_SET_CHANGED: { status: 409, reason: 'The email credentials changed in the meantime.' },
  EMAIL_OTP_EMAIL_ALREADY_EXISTS: { status: 409, reason: 'The email is already tied to a credential.' },
  INVALID_STATE_TRANSITION: { status: 409, reason: 'The card cannot move to that status.' },
  NOT_YET_AVAILABLE: { status: 409, reason: 'The result is not available yet; retry later.' },
  OPERATION_IN_PROGRESS: { status: 409, reason: 'A conflicting wallet operation is in progress.' },
  PASSKEY_ALREADY_ENROLLED: { status: 409, reason: 'The customer already has a passkey.' },
  PAYMENT_DOCUMENT_ALREADY_USED: { status: 409, reason: 'The document is already attached to a quote.' },
  SCA_SESSION_REQUIRED: { status: 409, reason: 'The customer must authenticate again.' },
  SMS_OTP_CREDENTIAL_SET_CHANGED: { status: 409, reason: 'The SMS credentials changed in the meantime.' },
  SMS_OTP_PHONE_NUMBER_ALREADY_EXISTS: { status: 409, reason: 'The phone number is already tied to a credential.' },
  STABLECOIN_GRID_ENABLEMENT_NOT_REQUESTABLE: { status: 409, reason: 'Enablement cannot be requested now.' },
  STABLECOIN_SYMBOL_ALREADY_EXISTS: { status: 409, reason: 'The symbol is already registered.' },
  STABLECOIN_TOKEN_IDENTIFIER_ALREADY_EXISTS: { status: 409, reason: 'The token identifier is already registered.' },
  TRANSACTION_NOT_CANCELLABLE: { status: 409, reason: 'The transaction can no longer be cancelled.' },
  TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL: { status: 409, reason: 'The transaction is not pending approval.' },
  UMA_ADDRESS_EXISTS: { status: 409, reason: 'The UMA address already exists.' },
  WALLET_NOT_PROVISIONED: { status: 409, reason: 'The embedded wallet is not provisioned.' },

  // 5xx: ours
  INTERNAL_ERROR: { status: 500, reason: 'Something went wrong on our side.' },
  SERVICE_SWITCH_ERROR: { status: 500, reason: 'The switch could not complete the request.' },
  NOT_IMPLEMENTED: { status: 501, reason: 'Not available on this installation.' },
  INVALID_PAYREQ_RESPONSE: { status: 502, reason: 'The counterparty answered the pay request with something unreadable.' },
  COUNTERPARTY_SERVER_ERROR: { status: 502, reason: 'The counterparty failed.' },
  SERVICE_UNAVAILABLE: { status: 503, reason: 'The service is not ready to take the request; retry shortly.' },
  LOOKUP_REQUEST_FAILED: { status: 504, reason: 'The look-up had no answer in time.' },
  QUOTE_REQUEST_FAILED: { status: 504, reason: 'No rate could be obtained for the quote.' },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** Refusals that the same request may not meet again later. Every other one is permanent. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'REQUEST_TIMEOUT',
  'RATE_LIMITED',
  'DAILY_VOLUME_LIMIT_EXCEEDED',
  'ACCOUNT_LOCKED',
  'BANK_ACCOUNT_VALIDATION_PENDING',
  'NOT_YET_AVAILABLE',
  'OPERATION_IN_PROGRESS',
  'EMAIL_OTP_CREDENTIAL_SYNC_FAILED',
  'SMS_OTP_CREDENTIAL_SYNC_FAILED',
  'INTERNAL_ERROR',
  'SERVICE_SWITCH_ERROR',
  'SERVICE_UNAVAILABLE',
  'LNURLP_REQUEST_FAILED',
  'PAYREQ_REQUEST_FAILED',
  'COUNTERPARTY_PUBKEY_FETCH_ERROR',
  'PAYMENT_DOCUMENT_ATTACHMENT_FAILED',
  'COUNTERPARTY_SERVER_ERROR',
  'LOOKUP_REQUEST_FAILED',
  'QUOTE_REQUEST_FAILED',
]);
export type ErrorDetails = Readonly<Record<string, unknown>>;
export type FieldError = { field: string; constraint?: Readonly<Record<string, unknown>>; message: string };

/** A refusal of the caller. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Members of the response beside code, reason and details. */
  readonly beside: ErrorDetails;

  constructor(
    code: ErrorCode,
    details?: ErrorDetails,
    { reason, headers = {}, beside = {} }: { reason?: string; headers?: Record<string, string>; beside?: ErrorDetails } = {},
  ) {
    super(reason ?? ERRORS[code].reason);
    this.code = code;
    this.details = details;
    this.headers = headers;
    this.beside = beside;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  /** Whether repeating the same request is pointless. */
  get isPermanent(): boolean {
    return !PASSING.has(this.code);
  }
}

/** 400 INVALID_INPUT that names each bad field. */
export const invalid = (...errors: FieldError[]): ApiError => new ApiError('INVALID_INPUT', { errors: onePerField(errors) });

/** One error per field: the first message, with every constraint that failed. */
export function onePerField(errors: readonly FieldError[]): FieldError[] {
  const found = new Map<string, FieldError>();
  for (const error of errors) {
    const first = found.get(error.field) ?? error;
    const constraint = { ...error.constraint, ...first.constraint };
    found.set(error.field, { ...first, ...(Object.keys(constraint).length > 0 && { constraint }) });
  }
  return [...found.values()];
}

export const invalidField = (field: string, message: string, constraint?: FieldError['constraint']): ApiError =>
  invalid({ field, ...(constraint ? { constraint } : {}), message });

export type ErrorDescription = {
  readonly message?: string;
  readonly stack?: string;
  /** A PostgreSQL error code, a system error code or a framework's. */
  readonly code?: string;
  readonly statusCode?: number;
  /** The violated constraint, of a PostgreSQL error. */
  readonly constraint?: string;
};

/** The members of a caught value. Anything can be thrown, so every member may be missing. */
export const describeError = (error: unknown): ErrorDescription => (typeof error === 'object' && error !== null ? error : {});

/** The text of a failure for the log. A refusal's own text is for the caller: the failure behind it says what happened. */
export function messageForLog(error: unknown): string {
  const behind = error instanceof ApiError && error.cause !== undefined ? error.cause : error;
  const { message, code } = describeError(behind);
  // The error of a name with several addresses has a code and no text.
  return message || code || String(behind);
}

/** What the program promises itself does not hold: a defect, or data that was replaced as a whole between two looks. */
export class BrokenInvariant extends Error {}

/** Asserts an invariant of our own code. A broken one is a defect and answers 500. */
export function assert(condition: unknown, promise: string): asserts condition {
  if (!condition) throw new BrokenInvariant(`invariant broken: ${promise}`);
}
