// Made by `npm run generate` from the API document. Do not edit.
import type { FilePart } from '../calls.js';

export type AccountDestination = {
  destinationType: "ACCOUNT";
  accountId: string;
  paymentRail?: PaymentRail;
};

export type AccountQuoteSource = {
  sourceType: "ACCOUNT";
  accountId: string;
  customerId?: string;
};

export type AccountTransactionDestination = {
  destinationType: "ACCOUNT";
  accountId: string;
  currency?: string;
  railDetails?: RailDetailsOneOf;
  onChainTransaction?: OnChainTransaction;
};

export type AccountTransactionSource = {
  sourceType: "ACCOUNT";
  accountId: string;
  currency?: string;
  railDetails?: RailDetailsOneOf;
  onChainTransaction?: OnChainTransaction;
};

export type AchRailDetails = {
  paymentRail: "ACH" | "ACH_SAME_DAY";
  status: "PENDING" | "SETTLED" | "RETURNED" | "RETURN_DISHONORED" | "RETURN_CONTESTED" | "REVERSED" | "FAILED";
  traceNumber?: string;
  addenda?: string;
  bankAccount?: UsdBankAccountDetails;
  settledAt?: string;
  returnedAt?: string;
  dishonoredAt?: string;
  contestedAt?: string;
  reversedAt?: string;
};

/** A postal address. */
export type Address = {
  /** Street and number. */
  line1: string;
  /** Apartment, floor or similar. */
  line2?: string;
  /** City or town. */
  city?: string;
  /** State, province or region. */
  state?: string;
  /** Postal code. */
  postalCode: string;
  /** Country, ISO 3166-1 alpha-2. */
  country: string;
};

export type AedExternalAccountCreateInfo = {
  accountType: "AED_ACCOUNT";
  iban: string;
  swiftCode?: string;
  beneficiary: (IndividualBeneficiaryWithAddress | BusinessBeneficiaryWithAddress);
  paymentRails?: string[];
  countries?: string[];
};

export type AedExternalAccountInfo = {
  accountType: "AED_ACCOUNT";
  iban: string;
  swiftCode?: string;
  paymentRails: "BANK_TRANSFER"[];
  beneficiary: (IndividualBeneficiaryWithAddress | BusinessBeneficiaryWithAddress);
};

export type AgentAction = {
  id: string;
  agentId: string;
  customerId: string;
  platformCustomerId: string;
  status: AgentActionStatus;
  type: AgentActionType;
  quote?: Quote;
  transaction?: (IncomingTransaction | OutgoingTransaction | CardTransaction);
  rejectionReason?: string;
  createdAt: string;
  updatedAt: string;
};

export type AgentActionStatus = "PENDING_APPROVAL" | "APPROVED" | "REJECTED" | "FAILED";

export type AgentActionType = "EXECUTE_QUOTE";

/** An agent's action waits for approval. */
export type AgentActionWebhook = {
  /** The same on every attempt. A receiver recognises repeated deliveries by it. */
  id: string;
  /** What happened. */
  type: "AGENT_ACTION.PENDING_APPROVAL";
  /** When it happened, by the clock of the platform. */
  timestamp: string;
  /** The object that changed. */
  objectId: string;
  /** Counts the object's events in the order of their commits. */
  sequence: number;
  /** The object after the change, as the API shows it. */
  data: AgentAction;
};

export type AgreementAcceptanceMethod = "CHECKBOX" | "CLICK_TO_ACCEPT";

export type AgreementConsentRequest = {
  type: AgreementType;
  acceptedAt: string;
  ipAddress: string;
  termsVersion: string;
  acceptanceMethod: AgreementAcceptanceMethod;
};

export type AgreementDocument = {
  type: AgreementType;
  version: string;
  url: string;
};

export type AgreementDocumentListResponse = {
  data: AgreementDocument[];
};

export type AgreementType = "SERVICE_END_USER_TERMS" | "SERVICE_E_SIGN_CONSENT" | "SERVICE_PRIVACY_POLICY" | "BANK_E_SIGN_CONSENT" | "BANK_ACCOUNTHOLDER_CONSUMER_AGREEMENT" | "BANK_ACCOUNTHOLDER_COMMERCIAL_AGREEMENT" | "BANK_PRIVACY_POLICY" | "BANK_CARDHOLDER_CONSUMER_AGREEMENT" | "BANK_CARDHOLDER_COMMERCIAL_AGREEMENT";

/** What the holder owes because the account could not pay a card purchase, a reversed return or a lost dispute. Money that arrives pays it first, and as much of `balance` cannot be spent. Absent when nothing is owed. */
export type AmountOwed = {
  /** In the smallest unit of the currency. */
  amount: number;
  currency: Currency;
};

export type AnnualIncomeRange = "UNDER_50K" | "RANGE_50K_100K" | "RANGE_100K_250K" | "RANGE_250K_1M" | "OVER_1M";

export type ApiToken = {
  id: string;
  name: string;
  permissions: Permission[];
  clientId: string;
  /** Shown once, when the token is created. */
  clientSecret?: string;
  expiresAt?: string;
  createdAt: string;
  updatedAt: string;
};

export type ApiTokenCreateRequest = {
  name: string;
  permissions: Permission[];
};

export type ApplePayTokenizationRequest = {
  wallet: "APPLE_PAY";
  certificate: string;
  nonce: string;
  nonceSignature: string;
};

export type ApplePayTokenizationResponse = {
  wallet: "APPLE_PAY";
  applePay: CardTokenizationApplePayPayload;
};

export type ArbitrumWalletExternalAccountInfo = {
  accountType: "ARBITRUM_WALLET";
  address: string;
  vaspName?: string;
  beneficiary?: WalletBeneficiaryOneOf;
};

export type AuthCredentialChallengeRequest = {
  clientPublicKey?: string;
};

export type AuthCredentialChallengeResponse = (AuthMethodResponse | PasskeyAuthChallenge | WalletOperationProcessing);

export type AuthCredentialCreateRequestOneOf = (EmailOtpCredentialCreateRequest | SmsOtpCredentialCreateRequest | OauthCredentialCreateRequest | PasskeyCredentialCreateRequest);

export type AuthCredentialListResponse = {
  data: AuthMethod[];
};

export type AuthCredentialVerifyRequestOneOf = (EmailOtpCredentialVerifyRequest | SmsOtpCredentialVerifyRequest | OauthCredentialVerifyRequest | PasskeyCredentialVerifyRequest);

export type AuthCredentialVerifyResponse = (AuthSession | WalletOperationProcessing);

export type AuthMethod = {
  id: string;
  accountId: string;
  type: AuthMethodType;
  /** The WebAuthn credential id of a passkey. */
  credentialId?: string;
  nickname: string;
  createdAt: string;
  updatedAt: string;
};

export type AuthMethodResponse = {
  id: string;
  accountId: string;
  type: AuthMethodType;
  /** The WebAuthn credential id of a passkey. */
  credentialId?: string;
  nickname: string;
  createdAt: string;
  updatedAt: string;
  /** Signed key to encrypt the one-time password to; for one use. */
  otpEncryptionTargetBundle?: string;
};

export type AuthMethodType = "OAUTH" | "EMAIL_OTP" | "SMS_OTP" | "PASSKEY";

export type AuthSession = {
  id: string;
  accountId: string;
  type: AuthMethodType;
  /** The WebAuthn credential id of a passkey. */
  credentialId?: string;
  nickname: string;
  createdAt: string;
  updatedAt: string;
  /**
   * The session key, sealed to an uncompressed clientPublicKey. Shown once.
   *
   * @deprecated
   */
  encryptedSessionSigningKey?: string;
  expiresAt: string;
};

export type AuthSessionRefreshRequest = {
  clientPublicKey: string;
};

export type AuthSignedRequestChallenge = {
  /** The text that the end user's key signs, byte for byte. */
  payloadToSign: string;
  /** Goes into `Request-Id` of the signed retry. */
  requestId: string;
  /** Until when the retry is accepted. */
  expiresAt: string;
  type: AuthMethodType;
};

export type BalanceChange = {
  id: string;
  transactionId?: string;
  amount: CurrencyAmount;
  effectiveAt: string;
};

export type BalanceChangeListResponse = {
  data: BalanceChange[];
  startDate: string;
  endDate: string;
  openingBalance: CurrencyAmount;
  closingBalance: CurrencyAmount;
  hasMore: boolean;
  nextCursor?: string;
  /** Number of balance changes in the period, on every page. It is always present. */
  totalCount?: number;
};

export type BaseWalletExternalAccountInfo = {
  accountType: "BASE_WALLET";
  address: string;
  vaspName?: string;
  beneficiary?: WalletBeneficiaryOneOf;
};

export type BdtExternalAccountCreateInfo = {
  accountType: "BDT_ACCOUNT";
  accountNumber?: string;
  bankName: string;
  branchCode?: string;
  swiftCode?: string;
  phoneNumber?: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type BdtExternalAccountInfo = {
  accountType: "BDT_ACCOUNT";
  accountNumber?: string;
  bankName: string;
  branchCode?: string;
  swiftCode?: string;
  phoneNumber?: string;
  paymentRails: ("BANK_TRANSFER" | "MOBILE_MONEY")[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type BeneficialOwner = {
  id: string;
  customerId: string;
  roles: BeneficialOwnerRole[];
  ownershipPercentage: number;
  personalInfo: BeneficialOwnerPersonalInfo;
  kycStatus: KycStatus;
  createdAt: string;
  updatedAt?: string;
};

export type BeneficialOwnerCreateRequest = {
  /** A business. */
  customerId: string;
  roles: BeneficialOwnerRole[];
  ownershipPercentage: number;
  personalInfo: BeneficialOwnerPersonalInfo;
};

/** One page of a list. */
export type BeneficialOwnerListResponse = {
  /** The rows of this page. */
  data: BeneficialOwner[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type BeneficialOwnerPersonalInfo = {
  firstName: string;
  lastName: string;
  birthDate: string;
  /** ISO 3166-1 alpha-2. */
  nationality: string;
  address: Address;
  idType: IdentificationType;
  /** Stored encrypted. Answers show the last characters and mask the others. */
  identifier: string;
  middleName?: string;
  email?: string;
  phoneNumber?: string;
  /** ISO 3166-1 alpha-2. */
  countryOfIssuance?: string;
};

export type BeneficialOwnerPersonalInfoUpdate = {
  firstName?: string;
  lastName?: string;
  birthDate?: string;
  /** ISO 3166-1 alpha-2. */
  nationality?: string;
  address?: Address;
  idType?: IdentificationType;
  /** The masked text of an answer leaves the identifier unchanged. */
  identifier?: string;
  middleName?: string;
  email?: string;
  phoneNumber?: string;
  /** ISO 3166-1 alpha-2. */
  countryOfIssuance?: string;
};

export type BeneficialOwnerRole = "UBO" | "DIRECTOR" | "COMPANY_OFFICER" | "CONTROL_PERSON" | "TRUSTEE" | "GENERAL_PARTNER";

export type BeneficialOwnerUpdateRequest = {
  roles?: BeneficialOwnerRole[];
  ownershipPercentage?: number;
  personalInfo?: BeneficialOwnerPersonalInfoUpdate;
};

export type BeneficiaryTrustConfirm = {
  trusted: boolean;
};

export type BeneficiaryTrustConfirmRequest = {
  challengeId?: string | null;
  /** The code of a text message or an authenticator app. */
  code?: string | null;
  /** What `navigator.credentials.get` returned, in JSON form. */
  passkeyAssertion?: Record<string, unknown> | null;
  /** With `passkeyAssertion`: the page that asked for it. */
  origin?: string | null;
};

export type BeneficiaryTrustStart = {
  scaChallenge?: ScaChallenge;
};

export type BeneficiaryVerificationStatus = "MATCHED" | "PARTIAL_MATCH" | "NOT_MATCHED" | "UNSUPPORTED" | "CHECKED_BY_RECEIVING_FI" | "PENDING";

export type BeneficiaryVerifiedData = {
  fullName?: string;
};

export type BrlExternalAccountCreateInfo = {
  accountType: "BRL_ACCOUNT";
  pixKey: string;
  pixKeyType: "CPF" | "CNPJ" | "EMAIL" | "PHONE" | "RANDOM";
  taxId: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type BrlExternalAccountInfo = {
  accountType: "BRL_ACCOUNT";
  pixKey: string;
  pixKeyType: "CPF" | "CNPJ" | "EMAIL" | "PHONE" | "RANDOM";
  taxId: string;
  paymentRails: "PIX"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type BulkCustomerImportErrorEntry = {
  correlationId: string;
  code?: string;
  message?: string;
  details?: Record<string, unknown>;
};

export type BulkCustomerImportJob = {
  id: string;
  status: BulkCustomerImportJobStatus;
  progress: BulkCustomerImportProgress;
  /** Rows that were refused, in the order of the file: at most 10,000 here, and 100 in a webhook. */
  errors?: BulkCustomerImportErrorEntry[];
  completedAt?: string;
};

export type BulkCustomerImportJobAccepted = {
  jobId: string;
  status: "PENDING" | "PROCESSING";
};

export type BulkCustomerImportJobStatus = "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED";

export type BulkCustomerImportProgress = {
  total: number;
  processed: number;
  successful: number;
  failed: number;
};

/** A bulk upload ended. */
export type BulkUploadWebhook = {
  /** The same on every attempt. A receiver recognises repeated deliveries by it. */
  id: string;
  /** What happened. */
  type: "BULK_UPLOAD.COMPLETED" | "BULK_UPLOAD.FAILED";
  /** When it happened, by the clock of the platform. */
  timestamp: string;
  /** The object that changed. */
  objectId: string;
  /** Counts the object's events in the order of their commits. */
  sequence: number;
  /** The object after the change, as the API shows it. */
  data: BulkCustomerImportJob;
};

export type BusinessBeneficiary = {
  beneficiaryType: "BUSINESS";
  legalName: string;
  email?: string;
  phoneNumber?: string;
  countryOfResidence?: string;
  address?: Address;
  registrationNumber?: string;
  taxId?: string;
};

export type BusinessBeneficiaryWithAddress = {
  beneficiaryType: "BUSINESS";
  legalName: string;
  email?: string;
  phoneNumber?: string;
  countryOfResidence?: string;
  address: Address;
  registrationNumber?: string;
  taxId?: string;
};

export type BusinessBeneficiaryWithCountryOfResidence = {
  beneficiaryType: "BUSINESS";
  legalName: string;
  email?: string;
  phoneNumber?: string;
  countryOfResidence: string;
  address?: Address;
  registrationNumber?: string;
  taxId?: string;
};

export type BusinessBeneficiaryWithCountryOfResidenceAndRegistrationNumberAndTaxId = {
  beneficiaryType: "BUSINESS";
  legalName: string;
  email?: string;
  phoneNumber?: string;
  countryOfResidence: string;
  address?: Address;
  registrationNumber: string;
  taxId: string;
};

export type BusinessBeneficiaryWithRegistrationNumberAndTaxId = {
  beneficiaryType: "BUSINESS";
  legalName: string;
  email?: string;
  phoneNumber?: string;
  countryOfResidence?: string;
  address?: Address;
  registrationNumber: string;
  taxId: string;
};

export type BusinessBeneficiaryWithTaxId = {
  beneficiaryType: "BUSINESS";
  legalName: string;
  email?: string;
  phoneNumber?: string;
  countryOfResidence?: string;
  address?: Address;
  registrationNumber?: string;
  taxId: string;
};

export type BusinessCustomer = {
  id: string;
  platformCustomerId: string;
  umaAddress: string;
  region?: string;
  currencies?: string[];
  email?: string;
  phoneNumber?: string;
  endUserTermsConsent?: EndUserTermsConsent;
  agreementConsents?: AgreementConsentRequest[];
  contactVerification?: ContactVerification;
  createdAt?: string;
  updatedAt?: string;
  isDeleted?: boolean;
  customerType: "BUSINESS";
  kybStatus?: KybStatus;
  address?: Address;
  businessInfo?: BusinessInfoResponse;
  beneficialOwners?: BeneficialOwner[];
};

export type BusinessCustomerCreateRequest = {
  platformCustomerId?: string;
  region?: string;
  currencies?: string[];
  email?: string;
  phoneNumber?: string;
  umaAddress?: string;
  endUserTermsConsent?: EndUserTermsConsent;
  agreementConsents?: AgreementConsentRequest[];
  customerType: "BUSINESS";
  kybStatus?: KybStatus;
  address?: Address;
  businessInfo: BusinessInfo;
};

export type BusinessCustomerUpdateRequest = {
  currencies?: string[];
  email?: string;
  phoneNumber?: string;
  umaAddress?: string;
  endUserTermsConsent?: EndUserTermsConsent;
  agreementConsents?: AgreementConsentRequest[];
  customerType: "BUSINESS";
  kybStatus?: KybStatus;
  address?: Address;
  businessInfo?: BusinessInfoUpdate;
};

export type BusinessInfo = {
  legalName: string;
  country: string;
  doingBusinessAs?: string;
  registrationNumber?: string;
  incorporatedOn?: string;
  entityType?: EntityType;
  taxId?: string;
  countriesOfOperation?: string[];
  businessType?: BusinessType;
  purposeOfAccount?: PurposeOfAccount;
  purposeOfAccountOtherDescription?: string;
  sourceOfFunds?: string;
  sourceOfFundsCategories?: SourceOfFundsCategory[];
  sourceOfFundsOtherDescription?: string;
  expectedMonthlyTransactionCount?: ExpectedMonthlyTransactionCount;
  expectedMonthlyTransactionVolume?: ExpectedMonthlyTransactionVolume;
  expectedRecipientJurisdictions?: string[];
  expectedCounterpartyCountries?: string[];
  naicsCode?: string;
  primaryContactFirstName?: string;
  primaryContactLastName?: string;
};

export type BusinessInfoResponse = {
  legalName: string;
  country?: string;
  doingBusinessAs?: string;
  registrationNumber?: string;
  incorporatedOn?: string;
  entityType?: EntityType;
  taxId?: string;
  countriesOfOperation?: string[];
  businessType?: BusinessType;
  purposeOfAccount?: PurposeOfAccount;
  purposeOfAccountOtherDescription?: string;
  sourceOfFunds?: string;
  sourceOfFundsCategories?: SourceOfFundsCategory[];
  sourceOfFundsOtherDescription?: string;
  expectedMonthlyTransactionCount?: ExpectedMonthlyTransactionCount;
  expectedMonthlyTransactionVolume?: ExpectedMonthlyTransactionVolume;
  expectedRecipientJurisdictions?: string[];
  expectedCounterpartyCountries?: string[];
  naicsCode?: string;
  primaryContactFirstName?: string;
  primaryContactLastName?: string;
};

export type BusinessInfoUpdate = {
  legalName?: string;
  country?: string;
  doingBusinessAs?: string;
  registrationNumber?: string;
  incorporatedOn?: string;
  entityType?: EntityType;
  taxId?: string;
  countriesOfOperation?: string[];
  businessType?: BusinessType;
  purposeOfAccount?: PurposeOfAccount;
  purposeOfAccountOtherDescription?: string;
  sourceOfFunds?: string;
  sourceOfFundsCategories?: SourceOfFundsCategory[];
  sourceOfFundsOtherDescription?: string;
  expectedMonthlyTransactionCount?: ExpectedMonthlyTransactionCount;
  expectedMonthlyTransactionVolume?: ExpectedMonthlyTransactionVolume;
  expectedRecipientJurisdictions?: string[];
  expectedCounterpartyCountries?: string[];
  naicsCode?: string;
  primaryContactFirstName?: string;
  primaryContactLastName?: string;
};

export type BusinessType = "AGRICULTURE_FORESTRY_FISHING_AND_HUNTING" | "MINING_QUARRYING_AND_OIL_AND_GAS_EXTRACTION" | "UTILITIES" | "CONSTRUCTION" | "MANUFACTURING" | "WHOLESALE_TRADE" | "RETAIL_TRADE" | "TRANSPORTATION_AND_WAREHOUSING" | "INFORMATION" | "FINANCE_AND_INSURANCE" | "REAL_ESTATE_AND_RENTAL_AND_LEASING" | "PROFESSIONAL_SCIENTIFIC_AND_TECHNICAL_SERVICES" | "MANAGEMENT_OF_COMPANIES_AND_ENTERPRISES" | "ADMINISTRATIVE_AND_SUPPORT_AND_WASTE_MANAGEMENT_AND_REMEDIATION_SERVICES" | "EDUCATIONAL_SERVICES" | "HEALTH_CARE_AND_SOCIAL_ASSISTANCE" | "ARTS_ENTERTAINMENT_AND_RECREATION" | "ACCOMMODATION_AND_FOOD_SERVICES" | "OTHER_SERVICES" | "PUBLIC_ADMINISTRATION";

export type BwpExternalAccountCreateInfo = {
  accountType: "BWP_ACCOUNT";
  phoneNumber: string;
  provider: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  paymentRails?: string[];
  countries?: string[];
};

export type BwpExternalAccountInfo = {
  accountType: "BWP_ACCOUNT";
  phoneNumber: string;
  provider: string;
  paymentRails: "MOBILE_MONEY"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type CadExternalAccountCreateInfo = {
  accountType: "CAD_ACCOUNT";
  bankCode: string;
  branchCode: string;
  accountNumber: string;
  beneficiary: (IndividualBeneficiaryWithRegistrationNumber | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type CadExternalAccountInfo = {
  accountType: "CAD_ACCOUNT";
  bankCode: string;
  branchCode: string;
  accountNumber: string;
  paymentRails: "BANK_TRANSFER"[];
  beneficiary: (IndividualBeneficiaryWithRegistrationNumber | BusinessBeneficiary);
};

export type Card = {
  id: string;
  customerId: string;
  platformCardId?: string;
  status: CardStatus;
  statusReason?: CardStatusReason;
  brand?: CardBrand;
  form: CardForm;
  pinStatus?: CardPinStatus;
  last4?: string;
  expMonth?: number;
  expYear?: number;
  /** The internal account that funds the card; of a closed card, the one that did last. */
  fundingSource: string;
  cardCapabilities?: CardCapabilities;
  /** Most one authorization may take, in the smallest unit of the currency. */
  maxSpendPerTransaction: number | null;
  /** Most that all new spend of a UTC calendar day may add up to. */
  maxSpendPerDay: number | null;
  /** Most authorizations of a UTC calendar day. */
  maxTransactionsPerDay: number | null;
  currency?: string;
  processorRef?: string;
  issuerRef?: string;
  createdAt: string;
  updatedAt: string;
};

export type CardBrand = "VISA" | "MASTERCARD";

export type CardCapabilities = {
  supportsSpendLimits: boolean;
  supportsSpendLimitsAtIssuance: boolean;
  supportsTransactionCountLimit: boolean;
  supports3dSecurePassword: boolean;
  supportsPanReveal: boolean;
  supportsDigitalWalletTokenization: boolean;
};

export type CardConfig = {
  pinTargetOrigin?: string | null;
  maxSpendPerTransaction?: number | null;
  maxSpendPerDay?: number | null;
  maxTransactionsPerDay?: number | null;
  panRevealCssUrl?: string | null;
};

export type CardCreateRequest = {
  customerId: string;
  /** Ignored: the service makes one. */
  platformCardId?: string;
  /** Handed to the issuer, kept nowhere, never shown. */
  threeDSecurePassword?: string;
  form: CardForm;
  fundingSource: string;
  maxSpendPerTransaction?: number;
  maxSpendPerDay?: number;
  maxTransactionsPerDay?: number;
};

export type CardDeclinedReason = "CARD_NOT_ACTIVE" | "SPEND_LIMIT_EXCEEDED" | "INSUFFICIENT_FUNDS" | "NO_ELIGIBLE_FUNDING_SOURCE" | "BLOCKED" | "UNSUPPORTED_NETWORK" | "OTHER";

export type CardDisputeDisposition = "WON" | "PARTIALLY_WON" | "LOST" | "WITHDRAWN" | "DENIED";

export type CardForm = "VIRTUAL";

/** One page of a list. */
export type CardListResponse = {
  /** The rows of this page. */
  data: Card[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type CardMerchant = {
  descriptor: string;
  mcc?: string;
  city?: string;
  state?: string;
  country?: string;
};

/** Where the card is used. */
export type CardMerchantRequest = {
  /** As it appears on a statement. In the sandbox its last three characters choose the outcome. */
  descriptor: string;
  /** Merchant category code, ISO 18245. */
  mcc?: string;
  /** Where the merchant is. */
  city?: string;
  /** Part of the country. */
  state?: string;
  /** Country of the merchant. */
  country?: string;
};

export type CardPinSetRequest = {
  /** Base64. Encrypted to the issuer; the service cannot open it and does not keep it. */
  encryptedPinBlock: string;
};

export type CardPinStatus = "NOT_SET" | "OK" | "BLOCKED";

/** A card's PIN status changed. */
export type CardPinStatusChangeWebhook = {
  /** The same on every attempt. A receiver recognises repeated deliveries by it. */
  id: string;
  /** What happened. */
  type: "CARD.PIN_STATUS_CHANGE";
  /** When it happened, by the clock of the platform. */
  timestamp: string;
  /** The object that changed. */
  objectId: string;
  /** Counts the object's events in the order of their commits. */
  sequence: number;
  /** The object after the change, as the API shows it. */
  data: Card;
};

export type CardPinUrlResponse = {
  iframeUrl: string;
  sessionToken: string;
  expiresAt: string;
  environment: ServiceEnvironment;
};

export type CardRevealRequest = {
  cssUrl?: string | null;
};

export type CardRevealResponse = {
  panEmbedUrl: string;
  expiresAt: string;
};

export type CardStatus = "PENDING_KYC" | "PROCESSING" | "PENDING" | "ACTIVE" | "FROZEN" | "CLOSED";

/** A card's status changed. */
export type CardStatusChangeWebhook = {
  /** The same on every attempt. A receiver recognises repeated deliveries by it. */
  id: string;
  /** What happened. */
  type: "card.status_change";
  /** When it happened, by the clock of the platform. */
  timestamp: string;
  /** The object that changed. */
  objectId: string;
  /** Counts the object's events in the order of their commits. */
  sequence: number;
  /** The object after the change, as the API shows it. */
  data: Card;
};

export type CardStatusReason = "DELEGATION_REQUIRED" | "ISSUER_REJECTED" | "CLOSED_BY_PLATFORM" | "CLOSED_BY_GRID";

export type CardTokenization2FAConfig = {
  displayName?: string;
  logoUrl?: string;
  email?: CardTokenization2FAEmailConfig;
  sms?: CardTokenization2FASmsConfig;
};

export type CardTokenization2FAEmailConfig = {
  fromAddress?: string;
  fromName?: string;
  replyToAddress?: string;
  subject?: string;
  bodyText?: string;
};

export type CardTokenization2FASmsConfig = {
  templateSid?: string;
  bodyText?: string;
};

export type CardTokenizationApplePayPayload = {
  activationData: string;
  encryptedPassData: string;
  ephemeralPublicKey: string;
};

export type CardTokenizationRequestOneOf = (ApplePayTokenizationRequest | GooglePayTokenizationRequest | SamsungPayTokenizationRequest);

export type CardTokenizationResponseOneOf = (ApplePayTokenizationResponse | GooglePayTokenizationResponse | SamsungPayTokenizationResponse);

export type CardTransaction = {
  type: "CARD";
  id: string;
  cardId?: string;
  customerId: string;
  platformCustomerId: string;
  issuerTransactionToken?: string;
  status: CardTransactionStatus;
  cardDeclinedReason?: CardDeclinedReason;
  direction: TransactionDirection;
  originalTransactionId?: string;
  description?: string;
  merchant: CardMerchant;
  authorizedAmount: CurrencyAmount;
  settledAmount?: CurrencyAmount;
  refundedAmount?: CurrencyAmount;
  accountId: string;
  authorizedAt: string;
  createdAt: string;
  updatedAt: string;
};

export type CardTransactionStatus = "AUTHORIZED" | "PARTIALLY_SETTLED" | "SETTLED" | "DECLINED" | "VOIDED" | "EXCEPTION";

/** A card transaction changed. */
export type CardTransactionWebhook = {
  /** The same on every attempt. A receiver recognises repeated deliveries by it. */
  id: string;
  /** What happened. */
  type: "CARD_TRANSACTION.AUTHORIZED" | "CARD_TRANSACTION.PARTIALLY_SETTLED" | "CARD_TRANSACTION.SETTLED" | "CARD_TRANSACTION.DECLINED" | "CARD_TRANSACTION.VOIDED" | "CARD_TRANSACTION.EXCEPTION";
  /** When it happened, by the clock of the platform. */
  timestamp: string;
  /** The object that changed. */
  objectId: string;
  /** Counts the object's events in the order of their commits. */
  sequence: number;
  /** The object after the change, as the API shows it. */
  data: CardTransaction;
};

export type CardUpdateRequest = {
  status?: CardUpdateStatus;
  substatus?: CardUpdateSubstatus;
  reason?: string;
  fundingSource?: string;
  /** Most one authorization may take, in the smallest unit of the currency. */
  maxSpendPerTransaction?: number | null;
  /** Most that all new spend of a UTC calendar day may add up to. */
  maxSpendPerDay?: number | null;
  /** Most authorizations of a UTC calendar day. */
  maxTransactionsPerDay?: number | null;
  /** Handed to the issuer, kept nowhere, never shown. */
  threeDSecurePassword?: string;
};

export type CardUpdateStatus = "ACTIVE" | "FROZEN" | "CLOSED";

export type CardUpdateSubstatus = "LOST" | "COMPROMISED" | "DAMAGED" | "END_USER_REQUEST" | "ISSUER_REQUEST" | "NOT_ACTIVE" | "SUSPICIOUS_ACTIVITY" | "INTERNAL_REVIEW" | "EXPIRED" | "UNDELIVERABLE" | "OTHER";

export type CnyExternalAccountCreateInfo = {
  accountType: "CNY_ACCOUNT";
  accountNumber?: string;
  bankName: string;
  phoneNumber?: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithAddress);
  paymentRails?: string[];
  countries?: string[];
};

export type CnyExternalAccountInfo = {
  accountType: "CNY_ACCOUNT";
  accountNumber?: string;
  bankName: string;
  phoneNumber?: string;
  paymentRails: ("BANK_TRANSFER" | "MOBILE_MONEY")[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithAddress);
};

export type ConfirmStatementDeliveryRequest = {
  periodStart: string;
  statementDeliveredAt?: string;
};

export type ContactVerification = {
  email?: ContactVerificationStatus;
  phone?: ContactVerificationStatus;
};

export type ContactVerificationConfirmRequest = {
  /** The code that the end user received. In the sandbox it is 123456. */
  code: string;
};

export type ContactVerificationStatus = "PENDING" | "VERIFIED";

export type CopExternalAccountCreateInfo = {
  accountType: "COP_ACCOUNT";
  accountNumber?: string;
  bankAccountType?: "CHECKING" | "SAVINGS";
  bankName: string;
  phoneNumber?: string;
  beneficiary: (IndividualBeneficiaryWithDocumentNumberAndDocumentType | BusinessBeneficiaryWithTaxId);
  paymentRails?: string[];
  countries?: string[];
};

export type CopExternalAccountInfo = {
  accountType: "COP_ACCOUNT";
  accountNumber?: string;
  bankAccountType?: "CHECKING" | "SAVINGS";
  bankName: string;
  phoneNumber?: string;
  paymentRails: ("BANK_TRANSFER" | "MOBILE_MONEY")[];
  beneficiary: (IndividualBeneficiaryWithDocumentNumberAndDocumentType | BusinessBeneficiaryWithTaxId);
};

export type CounterpartyFieldDefinition = {
  name: CustomerInfoFieldName;
  mandatory: boolean;
};

export type CounterpartyInformation = Record<string, unknown>;

export type CrossCurrencyTransactionFeeConfig = {
  feeType: "CROSS_CURRENCY_TRANSACTION";
  variableFeeBps: number;
  fixedFee: FixedFee;
  sourceCurrency: string;
};

export type CryptoNetwork = "BITCOIN" | "ETHEREUM" | "SOLANA" | "BASE" | "POLYGON" | "TRON" | "PLASMA" | "ARBITRUM" | "SPARK";

/** A currency. */
export type Currency = {
  /** ISO 4217 code, or the code of a cryptocurrency or stablecoin. */
  code?: string;
  /** Full name. */
  name?: string;
  /** Sign of the currency. */
  symbol?: string;
  /** Digits after the point: 2 means that 100 is 1.00. */
  decimals?: number;
};

/** An amount of money. */
export type CurrencyAmount = {
  /** In the smallest unit of the currency. */
  amount: number;
  currency: Currency;
};

/** The currency of the purchase. Cards transact in `USD`. */
export type CurrencyRequest = {
  /** ISO 4217 code, or the code of a cryptocurrency or stablecoin. */
  code?: string;
  /** Full name. */
  name?: string;
  /** Sign of the currency. */
  symbol?: string;
  /** Digits after the point: 2 means that 100 is 1.00. */
  decimals?: number;
};

export type CustomerCreateRequestOneOf = (IndividualCustomerCreateRequest | BusinessCustomerCreateRequest);

export type CustomerExternalAccountCreateRequest = {
  currency: string;
  platformAccountId?: string;
  ownershipType?: OwnershipType;
  accountInfo: ExternalAccountCreateInfoOneOf;
  /** The owner. Null, or left out, creates an account of the platform itself. */
  customerId: string | null;
  defaultUmaDepositAccount?: boolean;
};

export type CustomerInfoFieldName = "FULL_NAME" | "BIRTH_DATE" | "NATIONALITY" | "PHONE_NUMBER" | "EMAIL" | "POSTAL_ADDRESS" | "TAX_ID" | "REGISTRATION_NUMBER" | "USER_TYPE" | "COUNTRY_OF_RESIDENCE" | "ACCOUNT_IDENTIFIER" | "FI_LEGAL_ENTITY_NAME" | "FI_ADDRESS" | "PURPOSE_OF_PAYMENT" | "ULTIMATE_INSTITUTION_COUNTRY" | "IDENTIFIER" | "BUSINESS_TYPE" | "COMPANY_LEGAL_NAME" | "ID_TYPE" | "ID_NUMBER";

/** One page of a list. */
export type CustomerListResponse = {
  /** The rows of this page. */
  data: CustomerOneOf[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type CustomerOneOf = (IndividualCustomer | BusinessCustomer);

export type CustomerType = "INDIVIDUAL" | "BUSINESS";

export type CustomerUpdateRequestOneOf = (IndividualCustomerUpdateRequest | BusinessCustomerUpdateRequest);

/** A customer's verification status changed. */
export type CustomerWebhook = {
  /** The same on every attempt. A receiver recognises repeated deliveries by it. */
  id: string;
  /** What happened. */
  type: "CUSTOMER.KYC_APPROVED" | "CUSTOMER.KYC_REJECTED" | "CUSTOMER.KYC_PENDING" | "CUSTOMER.KYB_APPROVED" | "CUSTOMER.KYB_REJECTED" | "CUSTOMER.KYB_PENDING";
  /** When it happened, by the clock of the platform. */
  timestamp: string;
  /** The object that changed. */
  objectId: string;
  /** Counts the object's events in the order of their commits. */
  sequence: number;
  /** The object after the change, as the API shows it. */
  data: CustomerOneOf;
};

export type DelegatedKey = {
  id: string;
  cardId: string;
  fundingSourceId: string;
  accountId: string;
  /** Compressed P-256 public key, hex. */
  publicKey: string;
  nickname: string;
  status: DelegatedKeyStatus;
  createdAt: string;
  updatedAt: string;
};

export type DelegatedKeyCreateRequest = {
  cardId: string;
  internalAccountId: string;
  nickname: string;
};

export type DelegatedKeyListResponse = {
  data: DelegatedKey[];
};

export type DelegatedKeySignedRequestChallenge = {
  /** The text that the end user's key signs, byte for byte. */
  payloadToSign: string;
  /** Goes into `Request-Id` of the signed retry. */
  requestId: string;
  /** Until when the retry is accepted. */
  expiresAt: string;
};

export type DelegatedKeyStatus = "PENDING" | "ACTIVE" | "REVOKED";

export type Discovery = {
  /** As `accountInfo.bankName` of an external account. */
  bankName: string;
  displayName: string;
  country: string;
  currency: string;
};

export type DiscoveryListResponse = {
  data?: Discovery[];
};

export type DkkExternalAccountCreateInfo = {
  accountType: "DKK_ACCOUNT";
  iban: string;
  swiftCode?: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type DkkExternalAccountInfo = {
  accountType: "DKK_ACCOUNT";
  iban: string;
  swiftCode?: string;
  paymentRails: ("SEPA" | "SEPA_INSTANT")[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type Document = {
  id: string;
  documentHolder: string;
  documentType: DocumentType;
  side?: DocumentSide;
  country: string;
  documentNumber?: string;
  issuingAuthority?: string;
  fileName: string;
  createdAt: string;
  updatedAt?: string;
};

/** One page of a list. */
export type DocumentListResponse = {
  /** The rows of this page. */
  data: Document[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type DocumentReplaceRequest = {
  /** A PDF, JPEG or PNG of 1 to 10,485,760 bytes, with its Content-Type. The bytes must be of that kind. Nothing in the file is decompressed or executed. */
  file: FilePart;
  documentType: DocumentType;
  /** Country that issued the document: ISO 3166-1 alpha-2, in upper case. */
  country: string;
  side?: DocumentSide;
  /** Required for PASSPORT, DRIVERS_LICENSE and NATIONAL_ID. */
  documentNumber?: string;
  /** Required for PASSPORT, DRIVERS_LICENSE and NATIONAL_ID. */
  issuingAuthority?: string;
};

export type DocumentSide = "FRONT" | "BACK";

export type DocumentType = "PASSPORT" | "DRIVERS_LICENSE" | "NATIONAL_ID" | "PROOF_OF_ADDRESS" | "BANK_STATEMENT" | "TAX_RETURN" | "CERTIFICATE_OF_INCORPORATION" | "ARTICLES_OF_INCORPORATION" | "ARTICLES_OF_ASSOCIATION" | "STATE_REGISTRY_EXCERPT" | "GOOD_STANDING_CERTIFICATE" | "INFORMATION_STATEMENT" | "INCUMBENCY_CERTIFICATE" | "BUSINESS_LICENSE" | "SHAREHOLDER_REGISTER" | "POWER_OF_ATTORNEY" | "UTILITY_BILL" | "ELECTRICITY_BILL" | "RENT_OR_LEASE_AGREEMENT" | "DIRECTOR_REGISTRY" | "TRUST_AGREEMENT" | "STATE_COMPANY_REGISTRY" | "PARTNERSHIP_CONTROL_AGREEMENT" | "PARTNERSHIP_AGREEMENT" | "SELFIE" | "OTHER";

export type DocumentUploadRequest = {
  /** A PDF, JPEG or PNG of 1 to 10,485,760 bytes, with its Content-Type. The bytes must be of that kind. Nothing in the file is decompressed or executed. */
  file: FilePart;
  documentType: DocumentType;
  /** Country that issued the document: ISO 3166-1 alpha-2, in upper case. */
  country: string;
  side?: DocumentSide;
  /** Required for PASSPORT, DRIVERS_LICENSE and NATIONAL_ID. */
  documentNumber?: string;
  /** Required for PASSPORT, DRIVERS_LICENSE and NATIONAL_ID. */
  issuingAuthority?: string;
  /** Id of the customer or the beneficial owner. */
  documentHolder: string;
};

export type EgpExternalAccountCreateInfo = {
  accountType: "EGP_ACCOUNT";
  iban?: string;
  bankName: string;
  phoneNumber?: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithAddress);
  paymentRails?: string[];
  countries?: string[];
};

export type EgpExternalAccountInfo = {
  accountType: "EGP_ACCOUNT";
  iban?: string;
  bankName: string;
  phoneNumber?: string;
  paymentRails: ("BANK_TRANSFER" | "MOBILE_MONEY")[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithAddress);
};

export type EmailOtpCredentialCreateRequest = {
  type: "EMAIL_OTP";
  accountId: string;
  email?: string;
};

export type EmailOtpCredentialVerifyRequest = {
  type: "EMAIL_OTP";
  encryptedOtpBundle: string;
};

export type EmbeddedWalletConfig = {
  appName?: string;
  otpLength?: number;
  alphanumeric?: boolean;
  expirationSeconds?: number;
  sendFromEmailAddress?: string;
  sendFromEmailSenderName?: string;
  replyToEmailAddress?: string;
  logoUrl?: string;
};

export type EndUserTerms = {
  version: string;
  url: string;
};

export type EndUserTermsConsent = {
  acceptedAt: string;
  ipAddress: string;
  termsVersion: string;
  acceptanceMethod: AgreementAcceptanceMethod;
};

export type EntityType = "SOLE_PROPRIETORSHIP" | "PARTNERSHIP" | "LLC" | "CORPORATION" | "S_CORPORATION" | "NON_PROFIT" | "PUBLICLY_LISTED_COMPANY" | "TRUST" | "PRIVATE_FOUNDATION" | "CHARITY" | "OTHER";

/** The body of an answer with status 400. */
export type Error400 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "INVALID_INPUT" | "INVALID_REQUEST_FORMAT" | "INVALID_TIMESTAMP" | "INVALID_CURRENCY" | "INVALID_AMOUNT" | "AMOUNT_OUT_OF_RANGE" | "INVALID_BANK_ACCOUNT" | "INVALID_UMA_ADDRESS" | "INVALID_RECEIVER" | "INVALID_PUBKEY_FORMAT" | "INVALID_NONCE" | "SELF_PAYMENT" | "SENDER_NOT_ACCEPTED" | "MISSING_MANDATORY_USER_INFO" | "MISSING_REQUIRED_UMA_PARAMETERS" | "PARSE_PAYREQ_RESPONSE_ERROR" | "PARSE_LNURLP_RESPONSE_ERROR" | "CERT_CHAIN_INVALID" | "CERT_CHAIN_EXPIRED" | "END_USER_TERMS_VERSION_NOT_FOUND" | "INVITATION_ALREADY_CLAIMED" | "INVITATION_CANCELLED" | "INVITATIONS_NOT_CONFIGURED" | "WEBHOOK_ENDPOINT_NOT_SET" | "WEBHOOK_DELIVERY_ERROR" | "LOW_QUALITY" | "DATA_MISMATCH" | "EXPIRED" | "SUSPECTED_FRAUD" | "UNSUITABLE_DOCUMENT" | "INCOMPLETE" | "EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS" | "SMS_OTP_CREDENTIAL_ALREADY_EXISTS" | "PASSKEY_CREDENTIAL_ALREADY_EXISTS" | "AUTH_CREDENTIAL_VERIFICATION_REQUIRED" | "AUTH_CREDENTIAL_VERIFICATION_EXPIRED" | "CARDHOLDER_KYC_NOT_APPROVED" | "TRANSACTION_SIZE_LIMIT_EXCEEDED" | "EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED" | "INSUFFICIENT_FUNDS" | "QUOTE_EXPIRED" | "QUOTE_RATE_UNAVAILABLE" | "DOCUMENTS_REQUIRED" | "STABLECOIN_PROVIDER_ACCOUNT_INVALID" | "STABLECOIN_PROVIDER_ACCOUNT_REVOKED" | "STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED" | "STABLECOIN_AMOUNT_NOT_REPRESENTABLE" | "STABLECOIN_BURN_SOURCE_NOT_SUPPORTED" | "STABLECOIN_EXTERNAL_ACCOUNT_LINK_FAILED" | "STABLECOIN_EXTERNAL_ACCOUNT_LINK_METHOD_REQUIRED" | "STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED" | "STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED" | "STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_FAILED" | "STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_REQUIRED" | "STABLECOIN_GRID_OPERATIONS_NOT_ENABLED" | "STABLECOIN_NOT_PROVISIONED" | "STABLECOIN_OPERATION_NOT_SUPPORTED" | "STABLECOIN_PROVIDER_ERROR" | "STABLECOIN_PROVIDER_SOURCE_NOT_LINKED" | "STABLECOIN_VERIFICATION_FAILED";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 401. */
export type Error401 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "UNAUTHORIZED" | "INVALID_SIGNATURE" | "WALLET_SIGNATURE_MISSING" | "WALLET_SIGNATURE_MALFORMED" | "WALLET_SIGNATURE_BODY_MISMATCH" | "WALLET_SIGNATURE_INVALID" | "REQUEST_ID_MISSING";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 403. */
export type Error403 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "FORBIDDEN" | "USER_NOT_READY" | "COUNTERPARTY_NOT_ALLOWED" | "VELOCITY_LIMIT_EXCEEDED" | "END_USER_TERMS_NOT_ACCEPTED" | "CUSTOMER_NOT_VERIFIED" | "SANCTION_BLOCKED";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 404. */
export type Error404 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "NOT_FOUND" | "ACCOUNT_NOT_FOUND" | "AUTH_METHOD_NOT_FOUND" | "BULK_UPLOAD_JOB_NOT_FOUND" | "CUSTOMER_NOT_FOUND" | "DOCUMENT_HOLDER_NOT_FOUND" | "INVITATION_NOT_FOUND" | "LOOKUP_REQUEST_NOT_FOUND" | "PAYMENT_DOCUMENT_NOT_FOUND" | "PAYMENT_URL_NOT_FOUND" | "PLATFORM_NOT_FOUND" | "QUOTE_NOT_FOUND" | "REFERENCE_NOT_FOUND" | "REQUEST_NOT_FOUND" | "SESSION_NOT_FOUND" | "STABLECOIN_EXTERNAL_ACCOUNT_NOT_FOUND" | "STABLECOIN_NOT_FOUND" | "STABLECOIN_OPERATION_NOT_FOUND" | "STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND" | "TOKEN_NOT_FOUND" | "TRANSACTION_NOT_FOUND" | "UMA_NOT_FOUND" | "USER_NOT_FOUND" | "VERIFICATION_NOT_FOUND";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 405. */
export type Error405 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "METHOD_NOT_ALLOWED";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 408. */
export type Error408 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "REQUEST_TIMEOUT";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 409. */
export type Error409 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "BANK_ACCOUNT_VALIDATION_PENDING" | "BENEFICIARY_TRUSTED" | "CARD_ALREADY_CLOSED" | "CARD_LIMIT_REACHED" | "CARD_NOT_MUTABLE" | "CONFLICT" | "DOCUMENT_ALREADY_EXISTS" | "DUPLICATE_EXTERNAL_ACCOUNT" | "DUPLICATE_PAY_REQUEST" | "EMAIL_OTP_CREDENTIAL_SET_CHANGED" | "EMAIL_OTP_EMAIL_ALREADY_EXISTS" | "INVALID_STATE_TRANSITION" | "NOT_YET_AVAILABLE" | "OPERATION_IN_PROGRESS" | "PASSKEY_ALREADY_ENROLLED" | "PAYMENT_DOCUMENT_ALREADY_USED" | "SCA_SESSION_REQUIRED" | "SMS_OTP_CREDENTIAL_SET_CHANGED" | "SMS_OTP_PHONE_NUMBER_ALREADY_EXISTS" | "STABLECOIN_GRID_ENABLEMENT_NOT_REQUESTABLE" | "STABLECOIN_SYMBOL_ALREADY_EXISTS" | "STABLECOIN_TOKEN_IDENTIFIER_ALREADY_EXISTS" | "TRANSACTION_NOT_CANCELLABLE" | "TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL" | "UMA_ADDRESS_EXISTS" | "WALLET_NOT_PROVISIONED";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 410. */
export type Error410 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "CUSTOMER_DELETED" | "PAYMENT_DOCUMENT_EXPIRED";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 412. */
export type Error412 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "UNSUPPORTED_UMA_VERSION";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 413. */
export type Error413 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "PAYLOAD_TOO_LARGE";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 415. */
export type Error415 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "UNSUPPORTED_MEDIA_TYPE";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 422. */
export type Error422 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "DOCUMENT_REJECTED";
  /** For people. */
  reason: string;
  /** Why the file of a document cannot be used. New reasons may be added. */
  precheckErrors?: string[];
  details?: ErrorDetails;
};

/** The body of an answer with status 423. */
export type Error423 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "ACCOUNT_LOCKED";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 424. */
export type Error424 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "LNURLP_REQUEST_FAILED" | "PAYREQ_REQUEST_FAILED" | "COUNTERPARTY_PUBKEY_FETCH_ERROR" | "NO_COMPATIBLE_UMA_VERSION" | "PAYMENT_DOCUMENT_ATTACHMENT_FAILED" | "EMAIL_OTP_CREDENTIAL_SYNC_FAILED" | "SMS_OTP_CREDENTIAL_SYNC_FAILED";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 429. */
export type Error429 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "RATE_LIMITED" | "DAILY_VOLUME_LIMIT_EXCEEDED";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 500. */
export type Error500 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "INTERNAL_ERROR" | "SERVICE_SWITCH_ERROR";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 501. */
export type Error501 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "NOT_IMPLEMENTED";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 502. */
export type Error502 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "INVALID_PAYREQ_RESPONSE" | "COUNTERPARTY_SERVER_ERROR";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 503. */
export type Error503 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "SERVICE_UNAVAILABLE";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** The body of an answer with status 504. */
export type Error504 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "LOOKUP_REQUEST_FAILED" | "QUOTE_REQUEST_FAILED";
  /** For people. */
  reason: string;
  details?: ErrorDetails;
};

/** More about a refusal. Some codes add members of their own. */
export type ErrorDetails = {
  /** Every field that is wrong, once each. */
  errors?: FieldError[];
  /** What the customer or the request lacks. */
  missingRequirements?: string[];
  /** Why, where the code does not say it. `UNAUTHORIZED` is about the platform's API credentials with the causes `AUTHORIZATION_MISSING`, `AUTHORIZATION_MALFORMED`, `AUTHORIZATION_SCHEME_UNSUPPORTED` and `INVALID_CREDENTIALS` (unknown, wrong, expired or deleted). With `INVALID_ONE_TIME_CODE`, and with the causes of an OpenID Connect token, the credentials were accepted and the end user's proof was not: do not rotate them. */
  cause?: string;
  [member: string]: unknown;
};

export type EstimateCryptoWithdrawalFeeRequest = {
  internalAccountId: string;
  currency: string;
  cryptoNetwork: string;
  amount: number;
  destinationAddress: string;
};

export type EstimateCryptoWithdrawalFeeResponse = {
  /** In units of `networkFeeAsset`. */
  networkFee: number;
  networkFeeAsset: string;
  applicationFee: number;
  /** In units of the withdrawn currency. */
  totalFee: number;
  /** What arrives at the address. */
  netAmount: number;
};

export type EthereumWalletExternalAccountInfo = {
  accountType: "ETHEREUM_WALLET";
  address: string;
  vaspName?: string;
  beneficiary?: WalletBeneficiaryOneOf;
};

export type EurExternalAccountCreateInfo = {
  accountType: "EUR_ACCOUNT";
  iban: string;
  swiftCode?: string;
  beneficiary: (IndividualBeneficiaryWithCountryOfResidence | BusinessBeneficiaryWithCountryOfResidenceAndRegistrationNumberAndTaxId);
  paymentRails?: string[];
  countries?: string[];
};

export type EurExternalAccountInfo = {
  accountType: "EUR_ACCOUNT";
  iban: string;
  swiftCode?: string;
  paymentRails: ("SEPA" | "SEPA_INSTANT")[];
  beneficiary: (IndividualBeneficiaryWithCountryOfResidence | BusinessBeneficiaryWithCountryOfResidenceAndRegistrationNumberAndTaxId);
};

/** An event: what webhooks carry, the log lists and the stream sends. */
export type Event = (AgentActionWebhook | IncomingPaymentWebhook | OutgoingPaymentWebhook | TestWebhookRequest | BulkUploadWebhook | InvitationClaimedWebhook | CustomerWebhook | InternalAccountStatusWebhook | ExternalAccountStatusWebhook | VerificationWebhook | CardStatusChangeWebhook | CardPinStatusChangeWebhook | CardTransactionWebhook | WalletOperationWebhook);

export type ExchangeRate = {
  sourceCurrency: Currency;
  sendingAmount: number;
  /** The smallest amount that can be sent in one payment. */
  minSendingAmount: number;
  /** The largest amount that can be sent in one payment. */
  maxSendingAmount: number;
  destinationCurrency: Currency;
  destinationPaymentRail: PaymentRail;
  /** What the receiver gets of `sendingAmount`; 0 where no quote could carry the amount. */
  receivingAmount: number;
  /** Sending units per receiving unit, in whole units, after fees. */
  exchangeRate: number;
  fees: ExchangeRateFees;
  updatedAt: string;
};

export type ExchangeRateFees = {
  fixed?: number;
  total?: number;
};

export type ExchangeRateListResponse = {
  data: ExchangeRate[];
};

export type ExecuteQuoteRequest = {
  scaFactor?: ScaFactor;
};

export type ExpectedMonthlyTransactionCount = "COUNT_UNDER_10" | "COUNT_10_TO_100" | "COUNT_100_TO_500" | "COUNT_500_TO_1000" | "COUNT_OVER_1000";

export type ExpectedMonthlyTransactionVolume = "VOLUME_UNDER_10K" | "VOLUME_10K_TO_100K" | "VOLUME_100K_TO_1M" | "VOLUME_1M_TO_10M" | "VOLUME_OVER_10M";

export type ExternalAccount = {
  id: string;
  /** Null when the account is on behalf of the platform. */
  customerId?: string | null;
  status: ExternalAccountStatus;
  platformAccountId?: string;
  ownershipType?: OwnershipType;
  currency: string;
  defaultUmaDepositAccount?: boolean;
  beneficiaryVerificationStatus?: BeneficiaryVerificationStatus;
  beneficiaryVerifiedData?: BeneficiaryVerifiedData;
  accountInfo: ExternalAccountInfoOneOf;
};

export type ExternalAccountCreateInfoOneOf = (AedExternalAccountCreateInfo | BdtExternalAccountCreateInfo | BrlExternalAccountCreateInfo | BwpExternalAccountCreateInfo | CadExternalAccountCreateInfo | CopExternalAccountCreateInfo | DkkExternalAccountCreateInfo | EgpExternalAccountCreateInfo | EurExternalAccountCreateInfo | GbpExternalAccountCreateInfo | GhsExternalAccountCreateInfo | GtqExternalAccountCreateInfo | HkdExternalAccountCreateInfo | HtgExternalAccountCreateInfo | IdrExternalAccountCreateInfo | InrExternalAccountCreateInfo | JmdExternalAccountCreateInfo | KesExternalAccountCreateInfo | MwkExternalAccountCreateInfo | MxnExternalAccountCreateInfo | MyrExternalAccountCreateInfo | NgnExternalAccountCreateInfo | PhpExternalAccountCreateInfo | PkrExternalAccountCreateInfo | RwfExternalAccountCreateInfo | SgdExternalAccountCreateInfo | SlvExternalAccountCreateInfo | ThbExternalAccountCreateInfo | TzsExternalAccountCreateInfo | UgxExternalAccountCreateInfo | UsdExternalAccountCreateInfo | VndExternalAccountCreateInfo | XafExternalAccountCreateInfo | XofExternalAccountCreateInfo | ZarExternalAccountCreateInfo | ZmwExternalAccountCreateInfo | SwiftExternalAccountCreateInfo | CnyExternalAccountCreateInfo | IlsExternalAccountCreateInfo | TryExternalAccountCreateInfo | BaseWalletExternalAccountInfo | EthereumWalletExternalAccountInfo | PolygonWalletExternalAccountInfo | PlasmaWalletExternalAccountInfo | ArbitrumWalletExternalAccountInfo | SolanaWalletExternalAccountInfo | SparkWalletExternalAccountInfo | TronWalletExternalAccountInfo | LightningExternalAccountInfo);

export type ExternalAccountInfoOneOf = (AedExternalAccountInfo | BdtExternalAccountInfo | BrlExternalAccountInfo | BwpExternalAccountInfo | CadExternalAccountInfo | CopExternalAccountInfo | DkkExternalAccountInfo | EgpExternalAccountInfo | EurExternalAccountInfo | GbpExternalAccountInfo | GhsExternalAccountInfo | GtqExternalAccountInfo | HkdExternalAccountInfo | HtgExternalAccountInfo | IdrExternalAccountInfo | InrExternalAccountInfo | JmdExternalAccountInfo | KesExternalAccountInfo | MwkExternalAccountInfo | MxnExternalAccountInfo | MyrExternalAccountInfo | NgnExternalAccountInfo | PhpExternalAccountInfo | PkrExternalAccountInfo | RwfExternalAccountInfo | SgdExternalAccountInfo | SlvExternalAccountInfo | ThbExternalAccountInfo | TzsExternalAccountInfo | UgxExternalAccountInfo | UsdExternalAccountInfo | VndExternalAccountInfo | XafExternalAccountInfo | XofExternalAccountInfo | ZarExternalAccountInfo | ZmwExternalAccountInfo | SwiftExternalAccountInfo | CnyExternalAccountInfo | IlsExternalAccountInfo | TryExternalAccountInfo | BaseWalletExternalAccountInfo | EthereumWalletExternalAccountInfo | PolygonWalletExternalAccountInfo | PlasmaWalletExternalAccountInfo | ArbitrumWalletExternalAccountInfo | SolanaWalletExternalAccountInfo | SparkWalletExternalAccountInfo | TronWalletExternalAccountInfo | LightningExternalAccountInfo);

/** One page of a list. */
export type ExternalAccountListResponse = {
  /** The rows of this page. */
  data: ExternalAccount[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type ExternalAccountStatus = "PENDING" | "ACTIVE" | "PENDING_OWNERSHIP_VERIFICATION" | "UNVERIFIED" | "UNDER_REVIEW" | "INACTIVE";

/** An external account's status changed. */
export type ExternalAccountStatusWebhook = {
  /** The same on every attempt. A receiver recognises repeated deliveries by it. */
  id: string;
  /** What happened. */
  type: "EXTERNAL_ACCOUNT.STATUS_UPDATED";
  /** When it happened, by the clock of the platform. */
  timestamp: string;
  /** The object that changed. */
  objectId: string;
  /** Counts the object's events in the order of their commits. */
  sequence: number;
  /** The object after the change, as the API shows it. */
  data: ExternalAccount;
};

export type FedNowRailDetails = {
  paymentRail: "FEDNOW";
  status: "PENDING" | "SETTLED" | "FAILED";
  endToEndId?: string;
  remittanceInformation?: string;
  bankAccount?: UsdBankAccountDetails;
  settledAt?: string;
};

export type FeeConfigOneOf = (CrossCurrencyTransactionFeeConfig | RailFeeConfig);

export type FeeDirection = "IN" | "OUT";

export type FeeOriginator = "GRID" | "EXTERNAL";

/** The rule that the field breaks, in the words of JSON Schema. */
export type FieldConstraint = {
  /** The format the value must have. */
  format?: string;
  /** The regular expression the value must match. */
  pattern?: string;
  /** The values that are allowed. */
  enum?: unknown[];
  /** The least number of characters. */
  minLength?: number;
  /** The greatest number of characters. */
  maxLength?: number;
  [member: string]: unknown;
};

/** One field of a request that is wrong. */
export type FieldError = {
  /** The field in dot notation, or the name of the header or parameter. */
  field: string;
  constraint?: FieldConstraint;
  /** What is wrong with it, for people. */
  message?: string;
};

export type FixedFee = {
  amount: number;
  currency: string;
};

export type GbpExternalAccountCreateInfo = {
  accountType: "GBP_ACCOUNT";
  sortCode: string;
  accountNumber: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type GbpExternalAccountInfo = {
  accountType: "GBP_ACCOUNT";
  sortCode: string;
  accountNumber: string;
  paymentRails: "FASTER_PAYMENTS"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type GhsExternalAccountCreateInfo = {
  accountType: "GHS_ACCOUNT";
  accountNumber?: string;
  bankName: string;
  phoneNumber?: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type GhsExternalAccountInfo = {
  accountType: "GHS_ACCOUNT";
  accountNumber?: string;
  bankName: string;
  phoneNumber?: string;
  paymentRails: ("BANK_TRANSFER" | "MOBILE_MONEY")[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type GooglePayTokenizationRequest = {
  wallet: "GOOGLE_PAY";
  walletAccountId: string;
  serverSessionId: string;
  deviceId?: string;
  opaquePaymentCardRequested?: boolean;
};

export type GooglePayTokenizationResponse = {
  wallet: "GOOGLE_PAY";
  provisioningPayload: string;
  googleAccountPayload?: string;
};

export type GtqExternalAccountCreateInfo = {
  accountType: "GTQ_ACCOUNT";
  accountNumber: string;
  bankAccountType: "CHECKING" | "SAVINGS";
  bankName: string;
  beneficiary: (IndividualBeneficiaryWithCountryOfResidenceAndPhoneNumber | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type GtqExternalAccountInfo = {
  accountType: "GTQ_ACCOUNT";
  accountNumber: string;
  bankAccountType: "CHECKING" | "SAVINGS";
  bankName: string;
  paymentRails: "BANK_TRANSFER"[];
  beneficiary: (IndividualBeneficiaryWithCountryOfResidenceAndPhoneNumber | BusinessBeneficiary);
};

export type HkdExternalAccountCreateInfo = {
  accountType: "HKD_ACCOUNT";
  bankName?: string;
  accountNumber: string;
  swiftCode: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type HkdExternalAccountInfo = {
  accountType: "HKD_ACCOUNT";
  bankName?: string;
  accountNumber: string;
  swiftCode: string;
  paymentRails: "BANK_TRANSFER"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type HtgExternalAccountCreateInfo = {
  accountType: "HTG_ACCOUNT";
  phoneNumber: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type HtgExternalAccountInfo = {
  accountType: "HTG_ACCOUNT";
  phoneNumber: string;
  paymentRails: "MOBILE_MONEY"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type IdentificationType = "SSN" | "ITIN" | "EIN" | "NON_US_TAX_ID";

export type IdrExternalAccountCreateInfo = {
  accountType: "IDR_ACCOUNT";
  bankName: string;
  accountNumber: string;
  swiftCode: string;
  phoneNumber: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type IdrExternalAccountInfo = {
  accountType: "IDR_ACCOUNT";
  bankName: string;
  accountNumber: string;
  swiftCode: string;
  phoneNumber: string;
  paymentRails: "BANK_TRANSFER"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type IlsExternalAccountCreateInfo = {
  accountType: "ILS_ACCOUNT";
  iban: string;
  bankName: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithAddress);
  paymentRails?: string[];
  countries?: string[];
};

export type IlsExternalAccountInfo = {
  accountType: "ILS_ACCOUNT";
  iban: string;
  bankName: string;
  paymentRails: "BANK_TRANSFER"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithAddress);
};

/** An incoming payment changed. */
export type IncomingPaymentWebhook = {
  /** The same on every attempt. A receiver recognises repeated deliveries by it. */
  id: string;
  /** What happened. */
  type: "INCOMING_PAYMENT.PENDING" | "INCOMING_PAYMENT.PROCESSING" | "INCOMING_PAYMENT.COMPLETED" | "INCOMING_PAYMENT.FAILED" | "INCOMING_PAYMENT.REFUND_PENDING" | "INCOMING_PAYMENT.REFUND_COMPLETED" | "INCOMING_PAYMENT.REFUND_FAILED";
  /** When it happened, by the clock of the platform. */
  timestamp: string;
  /** The object that changed. */
  objectId: string;
  /** Counts the object's events in the order of their commits. */
  sequence: number;
  /** The object after the change, as the API shows it. */
  data: IncomingPaymentWebhookData;
};

export type IncomingPaymentWebhookData = {
  type: "INCOMING";
  status: TransactionStatus;
  id: string;
  direction: TransactionDirection;
  pendingReason?: TransactionPendingReason;
  customerId: string;
  platformCustomerId: string;
  destination: TransactionDestinationOneOf;
  receivedAmount?: CurrencyAmount;
  exchangeRate?: number;
  fees?: number;
  quoteId?: string;
  agentId?: string;
  ruleBasedAccountId?: string;
  description?: string;
  counterpartyInformation?: CounterpartyInformation;
  reconciliationInstructions?: ReconciliationInstructions;
  refund?: Refund;
  settledAt?: string;
  receiptDeliveryConfirmedAt?: string;
  createdAt?: string;
  updatedAt?: string;
  source?: TransactionSourceOneOf;
  sentAmount?: CurrencyAmount;
  failureReason?: IncomingTransactionFailureReason;
  requestedReceiverCustomerInfoFields?: CounterpartyFieldDefinition[];
};

export type IncomingTransaction = {
  type: "INCOMING";
  status: TransactionStatus;
  id: string;
  direction: TransactionDirection;
  pendingReason?: TransactionPendingReason;
  customerId: string;
  platformCustomerId: string;
  destination: TransactionDestinationOneOf;
  receivedAmount?: CurrencyAmount;
  exchangeRate?: number;
  fees?: number;
  quoteId?: string;
  agentId?: string;
  ruleBasedAccountId?: string;
  description?: string;
  counterpartyInformation?: CounterpartyInformation;
  reconciliationInstructions?: ReconciliationInstructions;
  refund?: Refund;
  settledAt?: string;
  receiptDeliveryConfirmedAt?: string;
  createdAt?: string;
  updatedAt?: string;
  source?: TransactionSourceOneOf;
  sentAmount?: CurrencyAmount;
  failureReason?: IncomingTransactionFailureReason;
};

export type IncomingTransactionFailureReason = "LNURLP_FAILED" | "PAY_REQUEST_FAILED" | "PAYMENT_APPROVAL_WEBHOOK_ERROR" | "PAYMENT_APPROVAL_TIMED_OUT" | "OFFRAMP_FAILED" | "MISSING_MANDATORY_PAYEE_DATA" | "QUOTE_EXPIRED" | "QUOTE_EXECUTION_FAILED" | "COMPLIANCE_REJECTED" | "COLLECTION_FAILED" | "SWEEP_AMOUNT_OUT_OF_RANGE" | "SWEEP_QUOTE_FAILED";

export type IndividualBeneficiary = {
  beneficiaryType: "INDIVIDUAL";
  fullName: string;
  email?: string;
  phoneNumber?: string;
  countryOfResidence?: string;
  address?: Address;
  birthDate?: string;
  nationality?: string;
};

export type IndividualBeneficiaryWithAddress = {
  beneficiaryType: "INDIVIDUAL";
  fullName: string;
  email?: string;
  phoneNumber?: string;
  countryOfResidence?: string;
  address: Address;
  birthDate?: string;
  nationality?: string;
};

export type IndividualBeneficiaryWithAddressAndPhoneNumber = {
  beneficiaryType: "INDIVIDUAL";
  fullName: string;
  email?: string;
  phoneNumber: string;
  countryOfResidence?: string;
  address: Address;
  birthDate?: string;
  nationality?: string;
};

export type IndividualBeneficiaryWithCountryOfResidence = {
  beneficiaryType: "INDIVIDUAL";
  fullName: string;
  email?: string;
  phoneNumber?: string;
  countryOfResidence: string;
  address?: Address;
  birthDate?: string;
  nationality?: string;
};

export type IndividualBeneficiaryWithCountryOfResidenceAndPhoneNumber = {
  beneficiaryType: "INDIVIDUAL";
  fullName: string;
  email?: string;
  phoneNumber: string;
  countryOfResidence: string;
  address?: Address;
  birthDate?: string;
  nationality?: string;
};

export type IndividualBeneficiaryWithDocumentNumberAndDocumentType = {
  beneficiaryType: "INDIVIDUAL";
  fullName: string;
  email?: string;
  phoneNumber?: string;
  countryOfResidence?: string;
  address?: Address;
  birthDate?: string;
  nationality?: string;
  documentType?: "CC" | "CE" | "TI" | "NIT" | "PP";
  documentNumber?: string;
};

export type IndividualBeneficiaryWithRegistrationNumber = {
  beneficiaryType: "INDIVIDUAL";
  fullName: string;
  email?: string;
  phoneNumber?: string;
  countryOfResidence?: string;
  address?: Address;
  birthDate?: string;
  nationality?: string;
  registrationNumber?: string;
};

export type IndividualCustomer = {
  id: string;
  platformCustomerId: string;
  umaAddress: string;
  region?: string;
  currencies?: string[];
  email?: string;
  phoneNumber?: string;
  endUserTermsConsent?: EndUserTermsConsent;
  agreementConsents?: AgreementConsentRequest[];
  contactVerification?: ContactVerification;
  createdAt?: string;
  updatedAt?: string;
  isDeleted?: boolean;
  customerType: "INDIVIDUAL";
  kycStatus?: KycStatus;
  fullName?: string;
  birthDate?: string;
  nationality?: string;
  address?: Address;
  idType?: IdentificationType;
  countryOfIssuance?: string;
  sourceOfFundsCategories?: IndividualSourceOfFundsCategory[];
  sourceOfFundsOtherDescription?: string;
  sourceOfWealthCategories?: SourceOfWealthCategory[];
  sourceOfWealthOtherDescription?: string;
  purposeOfAccount?: PurposeOfAccount;
  purposeOfAccountOtherDescription?: string;
  expectedMonthlyTransactionCount?: ExpectedMonthlyTransactionCount;
  expectedMonthlyTransactionVolume?: ExpectedMonthlyTransactionVolume;
  annualIncomeRange?: AnnualIncomeRange;
  netWorthRange?: NetWorthRange;
  pepStatus?: PepStatus;
};

export type IndividualCustomerCreateRequest = {
  platformCustomerId?: string;
  region?: string;
  currencies?: string[];
  email?: string;
  phoneNumber?: string;
  umaAddress?: string;
  endUserTermsConsent?: EndUserTermsConsent;
  agreementConsents?: AgreementConsentRequest[];
  customerType: "INDIVIDUAL";
  kycStatus?: KycStatus;
  fullName?: string;
  birthDate?: string;
  nationality?: string;
  address?: Address;
  idType?: IdentificationType;
  countryOfIssuance?: string;
  sourceOfFundsCategories?: IndividualSourceOfFundsCategory[];
  sourceOfFundsOtherDescription?: string;
  sourceOfWealthCategories?: SourceOfWealthCategory[];
  sourceOfWealthOtherDescription?: string;
  purposeOfAccount?: PurposeOfAccount;
  purposeOfAccountOtherDescription?: string;
  expectedMonthlyTransactionCount?: ExpectedMonthlyTransactionCount;
  expectedMonthlyTransactionVolume?: ExpectedMonthlyTransactionVolume;
  annualIncomeRange?: AnnualIncomeRange;
  netWorthRange?: NetWorthRange;
  pepStatus?: PepStatus;
  identifier?: string;
};

export type IndividualCustomerUpdateRequest = {
  currencies?: string[];
  email?: string;
  phoneNumber?: string;
  umaAddress?: string;
  endUserTermsConsent?: EndUserTermsConsent;
  agreementConsents?: AgreementConsentRequest[];
  customerType: "INDIVIDUAL";
  kycStatus?: KycStatus;
  fullName?: string;
  birthDate?: string;
  nationality?: string;
  address?: Address;
  idType?: IdentificationType;
  countryOfIssuance?: string;
  sourceOfFundsCategories?: IndividualSourceOfFundsCategory[];
  sourceOfFundsOtherDescription?: string;
  sourceOfWealthCategories?: SourceOfWealthCategory[];
  sourceOfWealthOtherDescription?: string;
  purposeOfAccount?: PurposeOfAccount;
  purposeOfAccountOtherDescription?: string;
  expectedMonthlyTransactionCount?: ExpectedMonthlyTransactionCount;
  expectedMonthlyTransactionVolume?: ExpectedMonthlyTransactionVolume;
  annualIncomeRange?: AnnualIncomeRange;
  netWorthRange?: NetWorthRange;
  pepStatus?: PepStatus;
  identifier?: string;
};

export type IndividualSourceOfFundsCategory = "SALARY" | "SELF_EMPLOYMENT_INCOME" | "INVESTMENT_INCOME" | "PENSION" | "RENTAL_INCOME" | "GIFT" | "INHERITANCE" | "LOAN" | "SAVINGS" | "SALE_OF_ASSETS" | "OTHER";

export type InrExternalAccountCreateInfo = {
  accountType: "INR_ACCOUNT";
  vpa?: string;
  accountNumber?: string;
  ifsc?: string;
  rail?: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type InrExternalAccountInfo = {
  accountType: "INR_ACCOUNT";
  vpa?: string;
  accountNumber?: string;
  ifsc?: string;
  rail?: string;
  paymentRails: ("UPI" | "NEFT" | "RTGS")[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type InternalAccount = {
  id: string;
  customerId?: string;
  type: InternalAccountType;
  status: InternalAccountStatus;
  balance: CurrencyAmount;
  totalBalance: CurrencyAmount;
  fundingPaymentInstructions: PaymentInstructions[];
  onBehalfOfCustomerId?: string;
  label?: string;
  sweepRule?: SweepRule;
  privateEnabled?: boolean;
  cardCapabilities?: CardCapabilities;
  createdAt: string;
  updatedAt: string;
};

export type InternalAccountCreateRequest = {
  type: InternalAccountType;
  currency: string;
  customerId?: string;
  onBehalfOfCustomerId?: string;
  label?: string;
  sweepRule?: SweepRuleRequest;
};

export type InternalAccountDetails = {
  id: string;
  customerId?: string;
  type: InternalAccountType;
  status: InternalAccountStatus;
  balance: CurrencyAmount;
  totalBalance: CurrencyAmount;
  fundingPaymentInstructions: PaymentInstructions[];
  onBehalfOfCustomerId?: string;
  label?: string;
  sweepRule?: SweepRule;
  privateEnabled?: boolean;
  cardCapabilities?: CardCapabilities;
  createdAt: string;
  updatedAt: string;
  amountOwed?: AmountOwed;
};

export type InternalAccountExportRequest = {
  clientPublicKey: string;
};

export type InternalAccountExportResponse = {
  id: string;
  encryptedWalletCredentials: string;
};

export type InternalAccountExportResult = (InternalAccountExportResponse | WalletOperationProcessing);

/** One page of a list. */
export type InternalAccountListResponse = {
  /** The rows of this page. */
  data: InternalAccount[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type InternalAccountStatus = "PENDING" | "ACTIVE" | "CLOSED" | "FROZEN" | "FAILED";

/** An internal account changed. */
export type InternalAccountStatusWebhook = {
  /** The same on every attempt. A receiver recognises repeated deliveries by it. */
  id: string;
  /** What happened. */
  type: "INTERNAL_ACCOUNT.BALANCE_UPDATED" | "INTERNAL_ACCOUNT.STATUS_UPDATED" | "INTERNAL_ACCOUNT.FUNDING_INSTRUCTIONS_UPDATED";
  /** When it happened, by the clock of the platform. */
  timestamp: string;
  /** The object that changed. */
  objectId: string;
  /** Counts the object's events in the order of their commits. */
  sequence: number;
  /** The object after the change, as the API shows it. */
  data: InternalAccount;
};

export type InternalAccountType = "INTERNAL_FIAT" | "INTERNAL_CRYPTO" | "EMBEDDED_WALLET" | "RULE_BASED" | "BULK_SETTLEMENT";

export type InternalAccountUpdateRequest = {
  privateEnabled?: boolean;
};

/** An invitation was claimed. */
export type InvitationClaimedWebhook = {
  /** The same on every attempt. A receiver recognises repeated deliveries by it. */
  id: string;
  /** What happened. */
  type: "INVITATION.CLAIMED";
  /** When it happened, by the clock of the platform. */
  timestamp: string;
  /** The object that changed. */
  objectId: string;
  /** Counts the object's events in the order of their commits. */
  sequence: number;
  /** The object after the change, as the API shows it. */
  data: UmaInvitation;
};

export type IssuerAuthorizationRequest = {
  kind?: "AUTHORIZATION" | "FINANCIAL_AUTHORIZATION" | "CREDIT_AUTHORIZATION" | "FINANCIAL_CREDIT_AUTHORIZATION" | "CREDIT_AUTHORIZATION_ADVICE";
  cardId: string;
  issuerTransactionToken: string;
  /** In the smallest unit of the currency. 0 is an account verification: it is answered by the state of the card, holds nothing and does not count as spend. Only an AUTHORIZATION may be of 0. */
  amount: number;
  currency: string;
  /** The card network that carried the message. */
  network?: string;
  merchant: CardMerchantRequest;
};

export type IssuerAuthorizationResponse = {
  decision: "APPROVED" | "DECLINED";
  declinedReason?: CardDeclinedReason;
  issuerTransactionToken: string;
  /** Absent when the decision was not made in time. */
  transactionId?: string;
};

export type IssuerCredential = {
  id: string;
  program: string;
  /** Sent as `Issuer-Key-Id`. */
  keyId: string;
  /** Shown once, when the credential is created. Keys the `Issuer-Signature`. */
  secret?: string;
  certificateSha256?: string;
  createdAt: string;
};

export type IssuerCredentialCreateRequest = {
  /** A program of GET /sandbox/card-programs. */
  program: string;
  /** SHA-256 fingerprint of a client certificate in hex. It is then the proof, and no secret is made. */
  certificateSha256?: string;
};

export type IssuerCredentialList = {
  data: IssuerCredential[];
};

export type IssuerMessageRequest = {
  kind: "AUTHORIZATION_ADVICE" | "CLEARING" | "AUTHORIZATION_REVERSAL" | "AUTHORIZATION_EXPIRY" | "RETURN" | "RETURN_REVERSAL";
  messageToken: string;
  issuerTransactionToken: string;
  amount?: number;
  cardId?: string;
  merchant?: CardMerchantRequest;
};

export type IssuerMessageResponse = {
  issuerTransactionToken: string;
  transactionId: string;
  /** The message was taken before; nothing happened again. */
  duplicate: boolean;
};

export type JmdExternalAccountCreateInfo = {
  accountType: "JMD_ACCOUNT";
  accountNumber: string;
  branchCode: string;
  bankAccountType: "CHECKING" | "SAVINGS";
  bankName: string;
  beneficiary: (IndividualBeneficiaryWithAddressAndPhoneNumber | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type JmdExternalAccountInfo = {
  accountType: "JMD_ACCOUNT";
  accountNumber: string;
  branchCode: string;
  bankAccountType: "CHECKING" | "SAVINGS";
  bankName: string;
  paymentRails: "BANK_TRANSFER"[];
  beneficiary: (IndividualBeneficiaryWithAddressAndPhoneNumber | BusinessBeneficiary);
};

export type JsonWebKeySet = {
  keys: Record<string, unknown>[];
};

export type KesExternalAccountCreateInfo = {
  accountType: "KES_ACCOUNT";
  phoneNumber: string;
  provider: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  paymentRails?: string[];
  countries?: string[];
};

export type KesExternalAccountInfo = {
  accountType: "KES_ACCOUNT";
  phoneNumber: string;
  provider: string;
  paymentRails: "MOBILE_MONEY"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type KybStatus = "UNVERIFIED" | "PENDING" | "APPROVED" | "REJECTED" | "HOLD";

export type KycLinkCreateRequest = {
  /** Where the page sends the end user after the submission; https, or http on localhost. */
  redirectUri?: string;
};

export type KycLinkResponse = {
  /** The page for the end user. It is used up by a submission, not by opening it. */
  kycUrl: string;
  expiresAt: string;
  provider: KycProvider;
  /** Absent: the hosted page needs no SDK. */
  token?: string;
};

export type KycProvider = "HOSTED_KYC";

export type KycStatus = "UNVERIFIED" | "PENDING" | "APPROVED" | "REJECTED" | "HOLD";

export type LightningExternalAccountInfo = {
  accountType: "LIGHTNING" | "LIGHTNING_ACCOUNT";
  invoice?: string;
  bolt12?: string;
  lightningAddress?: string;
};

export type LivenessChallenge = {
  method: "LIVENESS";
  verificationLink: string;
  token?: string;
  expiresAt: string;
};

export type MessageChannel = "EMAIL" | "SMS";

/** Required to reset SMS_OTP: the new phone number, which counts as verified. */
export type MobileNumber = {
  countryCode: string;
  number: string;
};

export type MwkExternalAccountCreateInfo = {
  accountType: "MWK_ACCOUNT";
  phoneNumber: string;
  provider: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  paymentRails?: string[];
  countries?: string[];
};

export type MwkExternalAccountInfo = {
  accountType: "MWK_ACCOUNT";
  phoneNumber: string;
  provider: string;
  paymentRails: "MOBILE_MONEY"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type MxnExternalAccountCreateInfo = {
  accountType: "MXN_ACCOUNT";
  clabeNumber: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type MxnExternalAccountInfo = {
  accountType: "MXN_ACCOUNT";
  clabeNumber: string;
  paymentRails: "SPEI"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type MyrExternalAccountCreateInfo = {
  accountType: "MYR_ACCOUNT";
  bankName: string;
  accountNumber: string;
  swiftCode: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type MyrExternalAccountInfo = {
  accountType: "MYR_ACCOUNT";
  bankName: string;
  accountNumber: string;
  swiftCode: string;
  paymentRails: "BANK_TRANSFER"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type NetWorthRange = "UNDER_100K" | "RANGE_100K_500K" | "RANGE_500K_1M" | "RANGE_1M_5M" | "RANGE_5M_25M" | "OVER_25M";

export type NgnExternalAccountCreateInfo = {
  accountType: "NGN_ACCOUNT";
  accountNumber: string;
  bankName: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  paymentRails?: string[];
  countries?: string[];
};

export type NgnExternalAccountInfo = {
  accountType: "NGN_ACCOUNT";
  accountNumber: string;
  bankName: string;
  paymentRails: "BANK_TRANSFER"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type OauthCredentialCreateRequest = {
  type: "OAUTH";
  accountId: string;
  oidcToken: string;
};

export type OauthCredentialVerifyRequest = {
  type: "OAUTH";
  oidcToken: string;
  clientPublicKey: string;
};

export type OnChainRailDetails = {
  paymentRail: "ONCHAIN";
  transactionHash: string;
  network: CryptoNetwork;
};

export type OnChainTransaction = {
  transactionHash: string;
  network: CryptoNetwork;
};

export type OperationError = {
  code: string;
};

/** An outgoing payment changed. */
export type OutgoingPaymentWebhook = {
  /** The same on every attempt. A receiver recognises repeated deliveries by it. */
  id: string;
  /** What happened. */
  type: "OUTGOING_PAYMENT.PENDING" | "OUTGOING_PAYMENT.PENDING_AUTHORIZATION" | "OUTGOING_PAYMENT.PROCESSING" | "OUTGOING_PAYMENT.COMPLETED" | "OUTGOING_PAYMENT.FAILED" | "OUTGOING_PAYMENT.EXPIRED" | "OUTGOING_PAYMENT.REFUND_PENDING" | "OUTGOING_PAYMENT.REFUND_COMPLETED" | "OUTGOING_PAYMENT.REFUND_FAILED";
  /** When it happened, by the clock of the platform. */
  timestamp: string;
  /** The object that changed. */
  objectId: string;
  /** Counts the object's events in the order of their commits. */
  sequence: number;
  /** The object after the change, as the API shows it. */
  data: OutgoingTransaction;
};

export type OutgoingRateDetails = {
  counterpartyMultiplier: number;
  counterpartyFixedFee: number;
  gridApiMultiplier: number;
  gridApiFixedFee: number;
  gridApiVariableFeeRate: number;
  gridApiVariableFeeAmount: number;
};

export type OutgoingTransaction = {
  type: "OUTGOING";
  status: OutgoingTransactionStatus;
  id: string;
  direction: TransactionDirection;
  pendingReason?: TransactionPendingReason;
  customerId: string;
  platformCustomerId: string;
  destination: TransactionDestinationOneOf;
  receivedAmount?: CurrencyAmount;
  exchangeRate?: number;
  fees?: number;
  quoteId?: string;
  agentId?: string;
  ruleBasedAccountId?: string;
  description?: string;
  counterpartyInformation?: CounterpartyInformation;
  reconciliationInstructions?: ReconciliationInstructions;
  refund?: Refund;
  settledAt?: string;
  receiptDeliveryConfirmedAt?: string;
  createdAt?: string;
  updatedAt?: string;
  source: TransactionSourceOneOf;
  sentAmount: CurrencyAmount;
  platformFees?: number;
  paymentInstructions?: PaymentInstructions[];
  rateDetails?: OutgoingRateDetails;
  paymentRail?: (PaymentRail | null);
  railSelectionMode?: RailSelectionMode;
  expectedSettlementAt?: string | null;
  settlementTimelineSeconds?: number | null;
  failureReason?: OutgoingTransactionFailureReason;
};

export type OutgoingTransactionFailureReason = "QUOTE_EXPIRED" | "QUOTE_RATE_UNAVAILABLE" | "QUOTE_EXECUTION_FAILED" | "FUNDING_AMOUNT_MISMATCH" | "SCA_NOT_COMPLETED" | "PAYOUT_RETURNED" | "LIMIT_EXCEEDED" | "ACCOUNT_CANNOT_RECEIVE" | "ACCOUNT_INVALID" | "COMPLIANCE_REJECTED" | "LIGHTNING_PAYMENT_FAILED" | "COUNTERPARTY_POST_TX_FAILED" | "SWEEP_AMOUNT_OUT_OF_RANGE" | "SWEEP_QUOTE_FAILED";

export type OutgoingTransactionStatus = "PENDING" | "PENDING_AUTHORIZATION" | "EXPIRED" | "PROCESSING" | "COMPLETED" | "FAILED";

export type OwnershipChallenge = (WalletSignatureChallenge | LivenessChallenge);

export type OwnershipChallengeRequest = {
  method: OwnershipVerificationMethod;
};

export type OwnershipProof = {
  id: string;
  externalAccountId: string;
  method: OwnershipVerificationMethod;
  chain: string;
  address: string;
  message?: string;
  signature?: string;
  signatureScheme?: string;
  verdict: "VALID" | "INVALID" | "EXPIRED";
  /** Why the proof is invalid. */
  cause?: string;
  challengedAt: string;
  expiresAt: string;
  decidedAt: string;
  /** What judged the proof. */
  software: string;
};

/** One page of a list. */
export type OwnershipProofListResponse = {
  /** The rows of this page. */
  data: OwnershipProof[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type OwnershipType = "FIRST_PARTY" | "THIRD_PARTY";

export type OwnershipVerificationMethod = "WALLET_SIGNATURE" | "LIVENESS";

export type OwnershipVerifyRequest = {
  signature: string;
  signatureScheme?: "bip137" | "electrum";
};

export type PasskeyAssertion = {
  credentialId: string;
  clientDataJson: string;
  authenticatorData: string;
  signature: string;
  userHandle?: string;
};

export type PasskeyAttestation = {
  credentialId: string;
  clientDataJson: string;
  attestationObject: string;
  transports?: ("usb" | "nfc" | "ble" | "internal" | "hybrid")[];
};

export type PasskeyAuthChallenge = {
  id: string;
  accountId: string;
  type: AuthMethodType;
  credentialId: string;
  nickname: string;
  createdAt: string;
  updatedAt: string;
  challenge: string;
  requestId: string;
  expiresAt: string;
};

export type PasskeyCredentialCreateRequest = {
  type: "PASSKEY";
  accountId: string;
  nickname: string;
  challenge: string;
  attestation: PasskeyAttestation;
};

export type PasskeyCredentialVerifyRequest = {
  type: "PASSKEY";
  assertion: PasskeyAssertion;
};

export type PasskeyEnrollmentConfirmRequest = {
  type: "PASSKEY";
  /** The page on which the passkey was created. */
  origin: string;
  /** What `navigator.credentials.create` returned, in JSON form. */
  credential: Record<string, unknown>;
};

export type PasskeyEnrollmentConfirmResponse = {
  type: "PASSKEY";
  factor: ScaFactorView;
};

export type PasskeyEnrollmentStart = {
  type: "PASSKEY";
  /** The argument of `navigator.credentials.create`, in JSON form. */
  options: Record<string, unknown>;
  allowedOrigins: string[];
  relyingPartyId: string;
};

export type PasskeyFactorEnrollRequest = {
  type: "PASSKEY";
};

export type PaymentArbitrumWalletInfo = {
  accountType: "ARBITRUM_WALLET";
  address: string;
  assetType?: string;
};

export type PaymentArsAccountInfo = {
  accountType: "ARS_ACCOUNT";
  accountNumber: string;
};

export type PaymentBaseWalletInfo = {
  accountType: "BASE_WALLET";
  address: string;
  assetType?: string;
};

export type PaymentBitcoinDepositAddressInfo = {
  accountType: "BITCOIN_L1";
  address: string;
  network: "BITCOIN";
};

export type PaymentBrlAccountInfo = {
  accountType: "BRL_ACCOUNT";
  qrCode: string;
};

export type PaymentCopAccountInfo = {
  accountType: "COP_ACCOUNT";
  paymentUrl: string;
};

export type PaymentDocument = {
  /** To be named in `documentIds` of a quote. */
  id: string;
  /** Absent for a document of the platform's own payments. */
  customerId?: string;
  documentType: PaymentDocumentType;
  /** As uploaded, without a path. */
  fileName: string;
  /** Size of the file. */
  sizeBytes: number;
  /** The media type that was found in the file. */
  contentType: string;
  status: PaymentDocumentStatus;
  /** An unused document expires then, and its content is erased. */
  expiresAt: string;
  /** The quote that the document is attached to. */
  quoteId?: string;
  /** When the document was uploaded. */
  createdAt: string;
};

/** A document can be used once, while it is `UPLOADED`. */
export type PaymentDocumentStatus = "UPLOADED" | "ATTACHED" | "EXPIRED";

/** What the document is. */
export type PaymentDocumentType = "PURCHASE_ORDER" | "LOGISTICS_BILL" | "CUSTOMS_DECLARATION" | "INVOICE" | "CONTRACT" | "DELIVERY_SLIP" | "BILL_OF_LADING" | "FLIGHT_TICKET" | "TRAVEL_DOCUMENT" | "HOTEL_BOOKING_CONFIRMATION";

export type PaymentDocumentUploadRequest = {
  /** A PDF, JPEG or PNG of 1 to 8,000,000 bytes. The kind is told by the bytes, not by the name or the Content-Type. */
  file: FilePart;
  documentType: PaymentDocumentType;
  /** The customer whose payment it supports. Absent for the platform's own payments. */
  customerId?: string;
};

export type PaymentEmbeddedWalletInfo = {
  accountType: "EMBEDDED_WALLET";
  payloadToSign: string;
};

export type PaymentEthereumWalletInfo = {
  accountType: "ETHEREUM_WALLET";
  address: string;
  assetType?: string;
};

export type PaymentEurAccountInfo = {
  accountType: "EUR_ACCOUNT";
  iban: string;
  swiftCode: string;
  paymentRails: ("SEPA" | "SEPA_INSTANT")[];
  reference: string;
};

export type PaymentInstructions = {
  instructionsNotes?: string;
  isPlatformAccount?: boolean;
  accountOrWalletInfo: (PaymentUsdAccountInfo | PaymentEurAccountInfo | PaymentSwiftAccountInfo | PaymentMxnAccountInfo | PaymentBrlAccountInfo | PaymentCopAccountInfo | PaymentArsAccountInfo | PaymentSparkWalletInfo | PaymentBitcoinDepositAddressInfo | PaymentSolanaWalletInfo | PaymentEthereumWalletInfo | PaymentBaseWalletInfo | PaymentPolygonWalletInfo | PaymentTronWalletInfo | PaymentArbitrumWalletInfo | PaymentPlasmaWalletInfo | PaymentEmbeddedWalletInfo);
};

export type PaymentMxnAccountInfo = {
  accountType: "MXN_ACCOUNT";
  clabeNumber: string;
  paymentRails: "SPEI"[];
  reference: string;
};

export type PaymentPlasmaWalletInfo = {
  accountType: "PLASMA_WALLET";
  address: string;
  assetType?: string;
};

export type PaymentPolygonWalletInfo = {
  accountType: "POLYGON_WALLET";
  address: string;
  assetType?: string;
};

export type PaymentRail = "ACH" | "ACH_COLOMBIA" | "ACH_SAME_DAY" | "BANK_TRANSFER" | "BRE_B" | "CIPS" | "FAST" | "FASTER_PAYMENTS" | "FEDNOW" | "INSTAPAY" | "MOBILE_MONEY" | "NEFT" | "PAYNOW" | "PESONET" | "PIX" | "RTGS" | "RTP" | "SEPA" | "SEPA_INSTANT" | "SPEI" | "SWIFT" | "UNIONPAY" | "UPI" | "WIRE";

export type PaymentSolanaWalletInfo = {
  accountType: "SOLANA_WALLET";
  address: string;
  assetType?: string;
};

export type PaymentSparkWalletInfo = {
  accountType: "SPARK_WALLET";
  address: string;
  assetType: string;
};

export type PaymentSwiftAccountInfo = {
  accountType: "SWIFT_ACCOUNT";
  country: string;
  swiftCode: string;
  bankName: string;
  accountNumber: string;
  accountHolderName: string;
  paymentRails: "SWIFT"[];
  reference: string;
};

export type PaymentTronWalletInfo = {
  accountType: "TRON_WALLET";
  address: string;
  assetType?: string;
};

export type PaymentUsdAccountInfo = {
  accountType: "USD_ACCOUNT";
  accountNumber: string;
  routingNumber: string;
  bankName: string;
  bankAccountType: "CHECKING" | "SAVINGS";
  paymentRails: ("ACH" | "ACH_SAME_DAY" | "WIRE" | "RTP" | "FEDNOW")[];
  reference: string;
};

export type PepStatus = "NONE" | "DOMESTIC" | "FOREIGN" | "HIO" | "FAMILY_OR_ASSOCIATE";

export type Permission = "VIEW" | "TRANSACT" | "MANAGE";

export type PhpExternalAccountCreateInfo = {
  accountType: "PHP_ACCOUNT";
  rail?: string;
  bankName: string;
  accountNumber: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type PhpExternalAccountInfo = {
  accountType: "PHP_ACCOUNT";
  rail?: string;
  bankName: string;
  accountNumber: string;
  paymentRails: "BANK_TRANSFER"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type PkrExternalAccountCreateInfo = {
  accountType: "PKR_ACCOUNT";
  bankName: string;
  accountNumber?: string;
  iban?: string;
  phoneNumber?: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type PkrExternalAccountInfo = {
  accountType: "PKR_ACCOUNT";
  bankName: string;
  accountNumber?: string;
  iban?: string;
  phoneNumber?: string;
  paymentRails: ("BANK_TRANSFER" | "MOBILE_MONEY")[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type PlasmaWalletExternalAccountInfo = {
  accountType: "PLASMA_WALLET";
  address: string;
  vaspName?: string;
  beneficiary?: WalletBeneficiaryOneOf;
};

export type PlatformConfig = {
  id?: string;
  umaDomain?: string;
  proxyUmaSubdomain?: string;
  isRegulatedFinancialInstitution?: boolean;
  webhookEndpoint?: string;
  supportedCurrencies?: PlatformCurrencyConfig[];
  embeddedWalletConfig?: EmbeddedWalletConfig;
  cardTokenization2faConfig?: CardTokenization2FAConfig;
  cardConfigs?: CardConfig;
  feeConfigs?: FeeConfigOneOf[];
  createdAt?: string;
  updatedAt?: string;
};

export type PlatformConfigUpdateRequest = {
  umaDomain?: string;
  webhookEndpoint?: string;
  supportedCurrencies?: PlatformCurrencyConfig[];
  embeddedWalletConfig?: EmbeddedWalletConfig;
  cardTokenization2faConfig?: CardTokenization2FAConfig;
  cardConfigs?: CardConfig;
  feeConfigs?: FeeConfigOneOf[];
};

export type PlatformCurrencyConfig = {
  currencyCode: string;
  minAmount: number;
  maxAmount: number;
  requiredCounterpartyFields: CounterpartyFieldDefinition[];
  providerRequiredCustomerFields?: CustomerInfoFieldName[];
  providerRequiredCounterpartyCustomerFields?: CustomerInfoFieldName[];
  enabledTransactionTypes: TransactionType[];
};

export type PlatformExternalAccountCreateRequest = {
  currency: string;
  platformAccountId?: string;
  ownershipType?: OwnershipType;
  accountInfo: ExternalAccountCreateInfoOneOf;
};

export type PlatformFeeOverride = {
  platformFixedFee: FixedFee;
  platformVariableFeeBps: number;
};

export type PlatformInternalAccountListResponse = {
  data: InternalAccount[];
};

export type PolygonWalletExternalAccountInfo = {
  accountType: "POLYGON_WALLET";
  address: string;
  vaspName?: string;
  beneficiary?: WalletBeneficiaryOneOf;
};

export type PurposeOfAccount = "CONTRACTOR_PAYOUTS" | "CREATOR_PAYOUTS" | "EMPLOYEE_PAYOUTS" | "MARKETPLACE_SELLER_PAYOUTS" | "SUPPLIER_PAYMENTS" | "CROSS_BORDER_B2B" | "AR_AUTOMATION" | "AP_AUTOMATION" | "EMBEDDED_PAYMENTS" | "PLATFORM_FEE_COLLECTION" | "P2P_TRANSFERS" | "CHARITABLE_DONATIONS" | "OTHER";

export type PurposeOfPayment = "GIFT" | "SELF" | "GOODS_OR_SERVICES" | "EDUCATION" | "HEALTH_OR_MEDICAL" | "REAL_ESTATE_PURCHASE" | "TAX_PAYMENT" | "LOAN_PAYMENT" | "UTILITY_BILL" | "DONATION" | "TRAVEL" | "FAMILY_SUPPORT" | "SALARY_PAYMENT" | "EXPORTED_GOODS_PREPAYMENT" | "EXPORTED_GOODS_POSTPAYMENT" | "SERVICE_CHARGES" | "OFFICE_EXPENSES" | "DELIVERY_FEES" | "HOTEL_ACCOMMODATION" | "COMMISSION_ON_GOODS" | "COMMISSION_ON_SERVICES" | "ACCOUNTING_SERVICES" | "EXHIBITION_SERVICES" | "OTHER";

export type Quote = {
  id: string;
  status: "PENDING" | "PENDING_AUTHORIZATION" | "PROCESSING" | "COMPLETED" | "FAILED" | "EXPIRED";
  createdAt: string;
  expiresAt: string;
  source: QuoteSourceOneOf;
  destination: QuoteDestinationOneOf;
  sendingCurrency: Currency;
  receivingCurrency: Currency;
  totalSendingAmount: number;
  totalReceivingAmount: number;
  /** Sending units per receiving unit, in whole units, after fees. */
  exchangeRate: number;
  feesIncluded: number;
  platformFeesIncluded?: number;
  paymentInstructions?: PaymentInstructions[];
  transactionId: string;
  counterpartyInformation?: CounterpartyInformation;
  rateDetails?: OutgoingRateDetails;
  purposeOfPayment?: PurposeOfPayment;
  documentIds?: string[];
  scaChallenge?: ScaChallenge;
};

export type QuoteDestinationOneOf = (AccountDestination | UmaAddressDestination);

/** Which side of the payment has the locked amount. Fees come out of a locked sending amount and on top of a receiving one. */
export type QuoteLockSide = "SENDING" | "RECEIVING";

export type QuoteRequest = {
  source: QuoteSourceOneOf;
  destination: QuoteDestinationOneOf;
  lockedCurrencySide: QuoteLockSide;
  /** In the smallest unit of the currency of the locked side. */
  lockedCurrencyAmount: number;
  lookupId?: string;
  /** Creates and executes the quote in one step, or does neither. Not for embedded wallets and realtime funding. */
  immediatelyExecute?: boolean;
  /** A note for the platform, shown on the transaction. */
  description?: string;
  /** Travels with the payment to the receiver: printable ASCII. */
  remittanceInformation?: string;
  purposeOfPayment?: PurposeOfPayment;
  /** Uploaded documents that support the payment, where the destination asks for them. Needs an `Idempotency-Key`. */
  documentIds?: string[];
  platformFeeOverride?: PlatformFeeOverride;
  scaFactor?: ScaFactor;
  senderCustomerInfo?: Record<string, unknown>;
};

export type QuoteSourceOneOf = (AccountQuoteSource | RealtimeFundingQuoteSource);

export type RailDetailsOneOf = (OnChainRailDetails | AchRailDetails | WireRailDetails | FedNowRailDetails | RtpRailDetails);

export type RailFeeConfig = {
  feeType: "RAIL";
  variableFeeBps: number;
  fixedFee: FixedFee;
  rail: PaymentRail;
  direction: FeeDirection;
  originator: FeeOriginator;
};

export type RailSelectionMode = "AUTO" | "MANUAL";

export type RealtimeFundingQuoteSource = {
  sourceType: "REALTIME_FUNDING";
  currency: string;
  customerId?: string;
  cryptoNetwork?: string;
};

export type RealtimeFundingTransactionSource = {
  sourceType: "REALTIME_FUNDING";
  customerId?: string;
  currency: string;
  railDetails?: RailDetailsOneOf;
  onChainTransaction?: OnChainTransaction;
};

export type ReconciliationInstructions = {
  reference?: string;
  transactionHash?: string;
};

export type RecordSecurityEventRequest = {
  eventType: SecurityEventType;
  /** The end user's IPv4 or IPv6 address. */
  endUserIpAddress: string;
};

export type RecordSecurityEventResponse = {
  eventType: SecurityEventType;
  /** Locked without end, until a password reset is reported. */
  suspended: boolean;
  lockedUntil?: string | null;
  failedAttempts: number;
};

export type Refund = {
  reference: string;
  initiatedAt: string;
  settledAt?: string;
  status: "PENDING" | "COMPLETED" | "FAILED";
  reason?: "TRANSACTION_FAILED" | "USER_CANCELLATION" | "TIMEOUT";
};

export type RtpRailDetails = {
  paymentRail: "RTP";
  status: "PENDING" | "SETTLED" | "FAILED";
  endToEndId?: string;
  remittanceInformation?: string;
  bankAccount?: UsdBankAccountDetails;
  settledAt?: string;
};

export type RwfExternalAccountCreateInfo = {
  accountType: "RWF_ACCOUNT";
  phoneNumber: string;
  provider: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  paymentRails?: string[];
  countries?: string[];
};

export type RwfExternalAccountInfo = {
  accountType: "RWF_ACCOUNT";
  phoneNumber: string;
  provider: string;
  paymentRails: "MOBILE_MONEY"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type SamsungPayTokenizationRequest = {
  wallet: "SAMSUNG_PAY";
  walletAccountId: string;
  deviceId: string;
};

export type SamsungPayTokenizationResponse = {
  wallet: "SAMSUNG_PAY";
  provisioningPayload: string;
};

export type SandboxCardAuthorizationAdviceRequest = {
  cardTransactionId: string;
  amount: number;
};

export type SandboxCardAuthorizationRequest = {
  amount: number;
  currency: CurrencyRequest;
  merchant: CardMerchantRequest;
};

export type SandboxCardBalanceInquiryRequest = {
  merchant: CardMerchantRequest;
};

export type SandboxCardClearingRequest = {
  cardTransactionId: string;
  amount: number;
};

export type SandboxCardDisputeCloseRequest = {
  cardTransactionId: string;
  disposition: CardDisputeDisposition;
  recoveredAmount?: number;
};

export type SandboxCardDisputeCreditRequest = {
  cardTransactionId: string;
  amount: number;
};

export type SandboxCardDisputeOpenRequest = {
  cardTransactionId: string;
  amount?: number;
  /** Why the cardholder disputes the transaction. */
  reason?: string;
};

export type SandboxCardDisputeResponse = {
  disputeId: string;
  disputeToken: string;
  status: SandboxCardDisputeStatus;
  disposition?: "WON" | "PARTIALLY_WON" | "LOST" | "WITHDRAWN" | "DENIED" | null;
};

export type SandboxCardDisputeStatus = "OPEN" | "CLOSED";

export type SandboxCardProgram = {
  id: string;
  summary: string;
  /** Cards issued next belong to it. */
  selected: boolean;
  /** Who decides authorizations. */
  decides: "SERVICE" | "ISSUER";
  currency: string;
  brand: "VISA" | "MASTERCARD";
  fundingCurrencies: string[];
  cardCapabilities: CardCapabilities;
  supportsPin: boolean;
};

export type SandboxCardProgramList = {
  data: SandboxCardProgram[];
};

export type SandboxCardProgramRequest = {
  program: string;
};

export type SandboxCardReturnRequest = {
  cardTransactionId: string;
  amount: number;
};

export type SandboxCardReversalRequest = {
  cardTransactionId: string;
  amount?: number;
};

export type SandboxCardSimulationResponse = {
  issuerTransactionToken: string;
};

export type SandboxCardTransactionRefRequest = {
  cardTransactionId: string;
};

export type SandboxClock = {
  /** The time of the platform's clock. */
  now: string;
  /** Whether the clock stands still. */
  frozen: boolean;
  /** Jobs that became due on the way and were run before this answer, with the number of items done. Webhooks are sent after the other jobs, at the times they were due. */
  ran?: SandboxClockRun[];
  /** Whether everything that became due on the way was done before this answer. An advance takes at most about 20 seconds; after that the clock is set to its target and the worker does the rest. */
  complete?: boolean;
  /** Jobs that have work left, with the earliest due time of that work. Empty if `complete`. */
  remaining?: SandboxClockRemainder[];
};

export type SandboxClockRemainder = {
  /** The name of the job. */
  job: string;
  /** When its earliest work was due. */
  dueAt: string;
};

export type SandboxClockRequest = {
  /** true freezes the clock, false resumes it from its current time. */
  frozen?: boolean;
  /** Sets the clock. */
  now?: string;
  /** Moves the clock forward. */
  advanceMs?: number;
};

export type SandboxClockRun = {
  /** The name of the job. */
  job: string;
  /** How many items it did. */
  count: number;
};

export type SandboxExchangeRate = {
  currency: string;
  /** Units for one US dollar, as a decimal. Null: the rate of the sandbox table. */
  perUsd: string | null;
  available: boolean;
};

export type SandboxExchangeRateRequest = {
  currency: string;
  /** Units for one US dollar, as a decimal. Null: the rate of the sandbox table. */
  perUsd?: string | null;
  /** Without a rate, new quotes are refused and older ones cannot be executed. */
  available?: boolean;
};

export type SandboxFundRequest = {
  amount: number;
  remittanceInformation?: string;
  description?: string;
};

export type SandboxLivenessEntry = {
  token: string;
  outcome: "PASS" | "FAIL" | "REVIEW";
};

export type SandboxLivenessOutcomeRequest = {
  outcome: "PASS" | "FAIL";
};

export type SandboxMessage = {
  id: string;
  channel: MessageChannel;
  /** The e-mail address or phone number. */
  to: string;
  /** Of a mail. */
  subject?: string;
  /** With the code, where the message carries one. */
  text: string;
  createdAt: string;
};

/** One page of a list. */
export type SandboxMessageListResponse = {
  /** The rows of this page. */
  data: SandboxMessage[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type SandboxOidcToken = {
  oidcToken: string;
};

export type SandboxOidcTokenRequest = {
  audience: string;
  subject: string;
  /** For sign-in: the hex SHA-256 of clientPublicKey. */
  nonce?: string;
  email?: string;
};

export type SandboxPinEntry = {
  sessionToken: string;
  pin: string;
};

export type SandboxVerificationDecision = {
  outcome: "APPROVED" | "REJECTED" | "RESOLVE_ERRORS" | "PENDING_MANUAL_REVIEW";
  /** For RESOLVE_ERRORS and REJECTED. */
  errors?: VerificationProblem[];
};

export type SandboxVerificationStatus = {
  status: "UNVERIFIED" | "PENDING" | "APPROVED" | "REJECTED" | "HOLD";
};

export type ScaAuthorization = {
  /** The code of a text message or an authenticator app. */
  code?: string | null;
  /** What `navigator.credentials.get` returned, in JSON form. */
  passkeyAssertion?: Record<string, unknown> | null;
  /** With `passkeyAssertion`: the page that asked for it. */
  origin?: string | null;
  endUserIpAddress?: string | null;
};

export type ScaChallenge = {
  id: string;
  expiresAt: string;
  factor: ScaFactor;
  availableFactors: ScaFactor[];
  purpose?: string | null;
  passkeyAssertionOptions?: Record<string, unknown> | null;
  passkeyAllowedOrigins?: string[] | null;
};

export type ScaFactor = "SMS_OTP" | "TOTP" | "PASSKEY";

export type ScaFactorConfirmRequestOneOf = (TotpEnrollmentConfirmRequest | PasskeyEnrollmentConfirmRequest);

export type ScaFactorConfirmResponseOneOf = (TotpEnrollmentConfirmResponse | PasskeyEnrollmentConfirmResponse);

export type ScaFactorEnrollRequestOneOf = (TotpFactorEnrollRequest | PasskeyFactorEnrollRequest);

export type ScaFactorEnrollStartOneOf = (TotpEnrollmentStart | PasskeyEnrollmentStart);

export type ScaFactorList = {
  factors: ScaFactorView[];
};

export type ScaFactorView = {
  factor: ScaFactor;
  /** Of PASSKEY: the id with which it is deleted. */
  credentialId?: string;
  name?: string;
};

export type ScaLoginComplete = {
  status: string;
  sessionExpiresAt?: string | null;
};

export type ScaLoginCompleteRequest = {
  factor: ScaFactor;
  /** The end user's IPv4 or IPv6 address. */
  endUserIpAddress: string;
  /** Of SMS_OTP: as the start returned it. */
  challengeId?: string | null;
  /** The code of a text message or an authenticator app. */
  code?: string | null;
  /** What `navigator.credentials.get` returned, in JSON form. */
  passkeyAssertion?: Record<string, unknown> | null;
  /** With `passkeyAssertion`: the page that asked for it. */
  origin?: string | null;
};

export type ScaLoginStart = {
  factor: ScaFactor;
  /** Of SMS_OTP. */
  challengeId?: string | null;
  /** Of SMS_OTP: until when the code is accepted. */
  expiresAt?: string | null;
  /** Of PASSKEY: the argument of `navigator.credentials.get`, in JSON form. */
  passkeyOptions?: Record<string, unknown> | null;
  allowedOrigins?: string[] | null;
  relyingPartyId?: string | null;
};

export type ScaLoginStartRequest = {
  factor: ScaFactor;
};

export type SecurityEventType = "FAILED_LOGIN_ATTEMPT" | "RESET_PASSWORD_COMPLETED";

export type ServiceEnvironment = "SANDBOX" | "PRODUCTION";

export type SessionListResponse = {
  data: AuthSession[];
};

export type SgdExternalAccountCreateInfo = {
  accountType: "SGD_ACCOUNT";
  bankName?: string;
  accountNumber: string;
  swiftCode: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type SgdExternalAccountInfo = {
  accountType: "SGD_ACCOUNT";
  bankName?: string;
  accountNumber: string;
  swiftCode: string;
  paymentRails: ("PAYNOW" | "FAST" | "BANK_TRANSFER")[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

/** What to sign, and how to come back with the signature. */
export type SignedRequestChallenge = {
  /** The text that the end user's key signs, byte for byte. */
  payloadToSign: string;
  /** Goes into `Request-Id` of the signed retry. */
  requestId: string;
  /** Until when the retry is accepted. */
  expiresAt: string;
};

export type SlvExternalAccountCreateInfo = {
  accountType: "SLV_ACCOUNT";
  bankName?: string;
  accountNumber?: string;
  bankAccountType?: "CHECKING" | "SAVINGS";
  phoneNumber?: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type SlvExternalAccountInfo = {
  accountType: "SLV_ACCOUNT";
  bankName?: string;
  accountNumber?: string;
  bankAccountType?: "CHECKING" | "SAVINGS";
  phoneNumber?: string;
  paymentRails: ("BANK_TRANSFER" | "MOBILE_MONEY")[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type SmsOtpCredentialCreateRequest = {
  type: "SMS_OTP";
  accountId: string;
  phoneNumber?: string;
};

export type SmsOtpCredentialVerifyRequest = {
  type: "SMS_OTP";
  encryptedOtpBundle: string;
};

export type SolanaWalletExternalAccountInfo = {
  accountType: "SOLANA_WALLET";
  address: string;
  vaspName?: string;
  beneficiary?: WalletBeneficiaryOneOf;
};

export type SourceOfFundsCategory = "OPERATING_REVENUE" | "INVESTMENT_INCOME" | "LOANS" | "VENTURE_CAPITAL" | "PERSONAL_SAVINGS" | "DONATIONS" | "OTHER";

export type SourceOfWealthCategory = "SALARY" | "BUSINESS_INCOME" | "INVESTMENTS" | "INHERITANCE" | "PROPERTY_SALE" | "GIFT" | "RETIREMENT" | "SAVINGS" | "OTHER";

export type SparkWalletExternalAccountInfo = {
  accountType: "SPARK_WALLET";
  address: string;
  vaspName?: string;
  beneficiary?: WalletBeneficiaryOneOf;
};

export type StatementDelivery = {
  internalAccountId: string;
  periodStart: string;
  fetchedAt?: string | null;
  statementDeliveredAt?: string | null;
};

export type SweepRule = {
  destination: SweepRuleDestination;
  minimumAmount?: CurrencyAmount;
  maximumAmount?: CurrencyAmount;
  purposeOfPayment?: PurposeOfPayment;
  description?: string;
  remittanceInformation?: string;
  platformFeeOverride?: PlatformFeeOverride;
};

export type SweepRuleDestination = {
  accountId: string;
  paymentRail?: PaymentRail;
};

export type SweepRuleDestinationRequest = {
  accountId: string;
  paymentRail?: PaymentRail;
};

export type SweepRuleRequest = {
  destination: SweepRuleDestinationRequest;
  purposeOfPayment?: PurposeOfPayment;
  description?: string;
  remittanceInformation?: string;
  platformFeeOverride?: PlatformFeeOverride;
};

export type SwiftExternalAccountCreateInfo = {
  accountType: "SWIFT_ACCOUNT";
  country: string;
  swiftCode: string;
  bankName: string;
  accountNumber?: string;
  iban?: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type SwiftExternalAccountInfo = {
  accountType: "SWIFT_ACCOUNT";
  country: string;
  swiftCode: string;
  bankName: string;
  accountNumber?: string;
  iban?: string;
  paymentRails: "SWIFT"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

/** A test of the endpoint. */
export type TestWebhookRequest = {
  /** The same on every attempt. A receiver recognises repeated deliveries by it. */
  id: string;
  /** What happened. */
  type: "TEST";
  /** When it happened, by the clock of the platform. */
  timestamp: string;
  /** The object that changed. */
  objectId: string;
  /** Counts the object's events in the order of their commits. */
  sequence: number;
  /** The object after the change, as the API shows it. */
  data: Record<string, unknown>;
};

export type TestWebhookResponse = {
  response_status: number;
  response_body?: string;
  url?: string;
};

export type ThbExternalAccountCreateInfo = {
  accountType: "THB_ACCOUNT";
  bankName: string;
  accountNumber: string;
  swiftCode: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type ThbExternalAccountInfo = {
  accountType: "THB_ACCOUNT";
  bankName: string;
  accountNumber: string;
  swiftCode: string;
  paymentRails: "BANK_TRANSFER"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

/** One page of a list. */
export type TokenListResponse = {
  /** The rows of this page. */
  data: ApiToken[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type TotpEnrollmentConfirmRequest = {
  type: "TOTP";
  secret: string;
  code: string;
};

export type TotpEnrollmentConfirmResponse = {
  type: "TOTP";
  /** Shown this once. Each replaces one code of the app at login. */
  recoveryCodes: string[];
};

export type TotpEnrollmentStart = {
  type: "TOTP";
  /** The secret in hex. Send it back to confirm. */
  secret: string;
  /** The same secret as authenticator apps take it by hand. */
  secretBase32Encoded: string;
  /** The address to show as a QR code. */
  totpUri: string;
};

export type TotpFactorEnrollRequest = {
  type: "TOTP";
};

export type TransactionDestinationOneOf = (AccountTransactionDestination | UmaAddressTransactionDestination);

export type TransactionDirection = "CREDIT" | "DEBIT";

/** One page of a list. */
export type TransactionListResponse = {
  /** The rows of this page. */
  data: TransactionOneOf[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type TransactionOneOf = (IncomingTransaction | OutgoingTransaction | CardTransaction);

export type TransactionPendingReason = "COUNTERPARTY_DECLARATION_REQUIRED" | "WALLET_VERIFICATION_REQUIRED" | "COUNTERPARTY_INFORMATION_REQUIRED" | "COMPLIANCE_REVIEW";

export type TransactionSourceOneOf = (AccountTransactionSource | UmaAddressTransactionSource | RealtimeFundingTransactionSource);

export type TransactionStatus = "CREATED" | "PENDING" | "PENDING_AUTHORIZATION" | "PROCESSING" | "COMPLETED" | "REJECTED" | "FAILED" | "REFUNDED" | "EXPIRED";

export type TransactionType = "INCOMING" | "OUTGOING";

export type TronWalletExternalAccountInfo = {
  accountType: "TRON_WALLET";
  address: string;
  vaspName?: string;
  beneficiary?: WalletBeneficiaryOneOf;
};

export type TryExternalAccountCreateInfo = {
  accountType: "TRY_ACCOUNT";
  iban: string;
  bankName: string;
  beneficiary: (IndividualBeneficiaryWithCountryOfResidence | BusinessBeneficiaryWithCountryOfResidence);
  paymentRails?: string[];
  countries?: string[];
};

export type TryExternalAccountInfo = {
  accountType: "TRY_ACCOUNT";
  iban: string;
  bankName: string;
  paymentRails: "BANK_TRANSFER"[];
  beneficiary: (IndividualBeneficiaryWithCountryOfResidence | BusinessBeneficiaryWithCountryOfResidence);
};

export type TwoFactorResetCompleteRequest = {
  /** The end user's IPv4 or IPv6 address. */
  endUserIpAddress: string;
  mobile?: MobileNumber;
};

export type TwoFactorResetLivenessRequest = {
  outcome: "PASS" | "FAIL" | "REVIEW";
};

export type TwoFactorResetStart = {
  resetId: string;
  /** For the SDK of the liveness vendor. */
  livenessAccessToken?: string | null;
  /** The page on which the end user passes the liveness check. */
  verificationLink?: string | null;
  expiresAt?: string | null;
};

export type TwoFactorResetStartRequest = {
  factor: ScaFactor;
  /** The end user's IPv4 or IPv6 address. */
  endUserIpAddress: string;
};

export type TwoFactorResetState = "INITIATED" | "PENDING_REVIEW" | "LIVENESS_PASSED" | "COMPLETED" | "REJECTED" | "EXPIRED";

export type TwoFactorResetStatus = {
  status: TwoFactorResetState;
  factor: ScaFactor;
  /** Whether the factor was enrolled again. Null for SMS_OTP. */
  enrollmentStatus?: "PENDING" | "COMPLETED" | null;
  expiresAt: string;
  completedAt?: string | null;
};

export type TzsExternalAccountCreateInfo = {
  accountType: "TZS_ACCOUNT";
  phoneNumber: string;
  provider: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  paymentRails?: string[];
  countries?: string[];
};

export type TzsExternalAccountInfo = {
  accountType: "TZS_ACCOUNT";
  phoneNumber: string;
  provider: string;
  paymentRails: "MOBILE_MONEY"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type UgxExternalAccountCreateInfo = {
  accountType: "UGX_ACCOUNT";
  phoneNumber: string;
  provider: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  paymentRails?: string[];
  countries?: string[];
};

export type UgxExternalAccountInfo = {
  accountType: "UGX_ACCOUNT";
  phoneNumber: string;
  provider: string;
  paymentRails: "MOBILE_MONEY"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type UmaAddressDestination = {
  destinationType: "UMA_ADDRESS";
  umaAddress: string;
  currency: string;
};

export type UmaAddressTransactionDestination = {
  destinationType: "UMA_ADDRESS";
  umaAddress: string;
  currency?: string;
};

export type UmaAddressTransactionSource = {
  sourceType: "UMA_ADDRESS";
  umaAddress: string;
  currency?: string;
};

export type UmaInvitation = {
  /** Code by which every platform of the installation finds the invitation. Its case does not matter. */
  code: string;
  status: UmaInvitationStatus;
  /** Address of the public page of the invitation. */
  url: string;
  /** UMA address of the customer who invited. */
  inviterUma: string;
  /** UMA address of the customer who claimed the invitation. */
  inviteeUma?: string;
  /** First name of the invitee, as given at the creation. */
  firstName?: string;
  amountToSend?: CurrencyAmount;
  /** When the invitation was created. */
  createdAt: string;
  /** When the invitation was claimed. */
  claimedAt?: string;
  /** When the invitation can no longer be claimed. Absent: never. */
  expiresAt?: string;
};

export type UmaInvitationClaimRequest = {
  /** UMA address of the new customer. The customer must be one of the calling platform. */
  inviteeUma: string;
};

export type UmaInvitationCreateRequest = {
  /** UMA address of the customer who invites. The customer must be one of the calling platform. */
  inviterUma: string;
  /** First name of the invitee, shown on the page of the invitation. */
  firstName?: string;
  /** Amount that the inviter means to send, in the smallest unit of the first of the inviter's currencies. It is shown to the invitee; nothing is held or sent. */
  amountToSend?: number;
  /** When the invitation can no longer be claimed, later than now. Without it the invitation never expires. */
  expiresAt?: string;
};

export type UmaInvitationStatus = "PENDING" | "CLAIMED" | "EXPIRED" | "CANCELLED";

export type UsdBankAccountDetails = {
  accountHolderName?: string;
  routingNumber?: string;
  accountNumber?: string;
};

export type UsdExternalAccountCreateInfo = {
  accountType: "USD_ACCOUNT";
  accountNumber: string;
  routingNumber: string;
  bankAccountType: "CHECKING" | "SAVINGS";
  bankName?: string;
  intermediaryBankName?: string;
  intermediaryRoutingNumber?: string;
  fiToFiInformation?: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type UsdExternalAccountInfo = {
  accountType: "USD_ACCOUNT";
  accountNumber: string;
  routingNumber: string;
  bankAccountType?: "CHECKING" | "SAVINGS";
  bankName?: string;
  intermediaryBankName?: string;
  intermediaryRoutingNumber?: string;
  fiToFiInformation?: string;
  paymentRails: ("ACH" | "ACH_SAME_DAY" | "WIRE" | "RTP" | "FEDNOW")[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type Verification = {
  id: string;
  customerId: string;
  verificationStatus: VerificationStatus;
  /** Everything that keeps the packet from being accepted, one entry each. Empty while it is under review and once approved. */
  errors: VerificationError[];
  createdAt: string;
  updatedAt?: string;
};

export type VerificationError = {
  /** The customer, beneficial owner or document that the problem is about. */
  resourceId: string;
  type: VerificationErrorType;
  /** The path of the field in a PATCH of the resource. */
  field?: string;
  acceptedDocumentTypes?: DocumentType[];
  reason: string;
};

export type VerificationErrorType = "MISSING_FIELD" | "INVALID_FIELD" | "MISSING_LEGAL_PRESENCE_DOCUMENT" | "MISSING_CONTROL_STRUCTURE_DOCUMENT" | "MISSING_OWNERSHIP_STRUCTURE_DOCUMENT" | "MISSING_PROOF_OF_ADDRESS_DOCUMENT" | "MISSING_IDENTITY_DOCUMENT" | "INVALID_DOCUMENT" | "EXPIRED_DOCUMENT" | "POOR_QUALITY_DOCUMENT" | "SUSPECTED_FRAUD_DOCUMENT" | "WRONG_DOCUMENT_TYPE" | "INCOMPLETE_DOCUMENT" | "UNREADABLE_DOCUMENT" | "DOCUMENT_VERIFICATION_FAILED" | "APPLICANT_SANCTIONED" | "APPLICANT_FRAUD" | "APPLICANT_CRIMINAL_RECORD" | "APPLICANT_REJECTED" | "MISSING_BENEFICIAL_OWNER" | "MISSING_CONTROL_PERSON" | "MISSING_GOOD_STANDING_DOCUMENT";

/** One page of a list. */
export type VerificationListResponse = {
  /** The rows of this page. */
  data: Verification[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type VerificationProblem = {
  /** The customer, beneficial owner or document that the problem is about. */
  resourceId: string;
  type: VerificationErrorType;
  /** The path of the field in a PATCH of the resource. */
  field?: string;
  acceptedDocumentTypes?: DocumentType[];
  /** What is wrong, for people. */
  reason: string;
};

export type VerificationRequest = {
  customerId: string;
};

export type VerificationStatus = "RESOLVE_ERRORS" | "PENDING_MANUAL_REVIEW" | "IN_PROGRESS" | "APPROVED" | "REJECTED" | "READY_FOR_VERIFICATION";

/** A verification changed. */
export type VerificationWebhook = {
  /** The same on every attempt. A receiver recognises repeated deliveries by it. */
  id: string;
  /** What happened. */
  type: "VERIFICATION.APPROVED" | "VERIFICATION.REJECTED" | "VERIFICATION.RESOLVE_ERRORS" | "VERIFICATION.IN_PROGRESS" | "VERIFICATION.PENDING_MANUAL_REVIEW" | "VERIFICATION.READY_FOR_VERIFICATION";
  /** When it happened, by the clock of the platform. */
  timestamp: string;
  /** The object that changed. */
  objectId: string;
  /** Counts the object's events in the order of their commits. */
  sequence: number;
  /** The object after the change, as the API shows it. */
  data: Verification;
};

export type VndExternalAccountCreateInfo = {
  accountType: "VND_ACCOUNT";
  bankName: string;
  accountNumber: string;
  swiftCode: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  paymentRails?: string[];
  countries?: string[];
};

export type VndExternalAccountInfo = {
  accountType: "VND_ACCOUNT";
  bankName: string;
  accountNumber: string;
  swiftCode: string;
  paymentRails: "BANK_TRANSFER"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type WalletBeneficiaryOneOf = (WalletIndividualBeneficiary | BusinessBeneficiary);

export type WalletIndividualBeneficiary = {
  beneficiaryType: "INDIVIDUAL";
  fullName: string;
  countryOfResidence: string;
};

export type WalletOperationCompletedData = {
  status: "completed";
  operationId: string;
  requestId: string;
  operationType: "auth_credential.create" | "auth_credential.delete" | "session.revoke" | "wallet.export" | "customer.contact_update";
  resourceType: WalletOperationResourceType;
  resourceId: string;
};

export type WalletOperationFailedData = {
  status: "failed";
  operationId: string;
  requestId: string;
  operationType: "auth_credential.create" | "auth_credential.delete" | "session.revoke" | "wallet.export" | "customer.contact_update";
  resourceType: WalletOperationResourceType;
  resourceId: string;
  error: OperationError;
};

export type WalletOperationProcessing = {
  status: "PROCESSING";
  message?: string;
};

export type WalletOperationResourceType = "AUTH_METHOD" | "SESSION" | "INTERNAL_ACCOUNT" | "CUSTOMER";

/** A wallet operation ended. */
export type WalletOperationWebhook = {
  /** The same on every attempt. A receiver recognises repeated deliveries by it. */
  id: string;
  /** What happened. */
  type: "WALLET_OPERATION.COMPLETED" | "WALLET_OPERATION.FAILED";
  /** When it happened, by the clock of the platform. */
  timestamp: string;
  /** The object that changed. */
  objectId: string;
  /** Counts the object's events in the order of their commits. */
  sequence: number;
  /** The object after the change, as the API shows it. */
  data: WalletOperationWebhookData;
};

export type WalletOperationWebhookData = (WalletOperationCompletedData | WalletOperationFailedData);

export type WalletSignatureChallenge = {
  method: "WALLET_SIGNATURE";
  messageToSign: string;
  expiresAt: string;
};

export type WebhookAttempt = {
  number: number;
  url: string;
  requestHeaders: Record<string, string>;
  startedAt: string;
  durationMs: number;
  /** Absent when the receiver gave no answer. */
  responseStatus?: number;
  /** The first 2 kB of the answer. */
  responseBody?: string;
  /** Why there was no answer. */
  failure?: string;
};

/** How far the delivery of an event has come. */
export type WebhookDelivery = {
  /** NOT_QUEUED: the platform had no endpoint when the event occurred. */
  deliveryStatus: "PENDING" | "DELIVERED" | "FAILED" | "NOT_QUEUED";
  /** How many attempts were made. */
  attemptCount: number;
  /** When the next attempt is due. Absent if none is. */
  nextAttemptAt?: string;
  /** Latest first; a list shows the last three, the event itself all. */
  attempts: WebhookAttempt[];
};

/** An event and its delivery. */
export type WebhookEvent = Event & WebhookDelivery;

/** One page of a list. */
export type WebhookEventListResponse = {
  /** The rows of this page. */
  data: WebhookEvent[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type WebhookKeyRotationRequest = {
  /** How long both keys sign. 0 retires the old key at once: after two seconds no request is signed with it. */
  overlapSeconds?: number;
};

export type WebhookReplayRequest = {
  /** Events that occurred at or after this time are sent again. */
  since: string;
  types?: WebhookType[];
  undeliveredOnly?: boolean;
};

export type WebhookReplayResponse = {
  queued: number;
};

export type WebhookSigningKey = {
  id: string;
  /** P-256, verifies `X-Service-Signature`. */
  publicKeyPem: string;
  /** `whpk_…`, verifies the `v1a` part of `webhook-signature`. */
  standardWebhooksPublicKey: string;
  createdAt: string;
  /** Until when a key that has been replaced still signs. */
  retiresAt?: string;
};

export type WebhookSigningKeyListResponse = {
  data: WebhookSigningKey[];
};

export type WebhookSigningSecret = {
  keyId: string;
  /** `whsec_…`, verifies the `v1` part of `webhook-signature`. */
  secret: string;
};

export type WebhookSigningSecretListResponse = {
  data: WebhookSigningSecret[];
};

export type WebhookType = "AGENT_ACTION.PENDING_APPROVAL" | "INCOMING_PAYMENT.PENDING" | "INCOMING_PAYMENT.PROCESSING" | "INCOMING_PAYMENT.COMPLETED" | "INCOMING_PAYMENT.FAILED" | "INCOMING_PAYMENT.REFUND_PENDING" | "INCOMING_PAYMENT.REFUND_COMPLETED" | "INCOMING_PAYMENT.REFUND_FAILED" | "OUTGOING_PAYMENT.PENDING" | "OUTGOING_PAYMENT.PENDING_AUTHORIZATION" | "OUTGOING_PAYMENT.PROCESSING" | "OUTGOING_PAYMENT.COMPLETED" | "OUTGOING_PAYMENT.FAILED" | "OUTGOING_PAYMENT.EXPIRED" | "OUTGOING_PAYMENT.REFUND_PENDING" | "OUTGOING_PAYMENT.REFUND_COMPLETED" | "OUTGOING_PAYMENT.REFUND_FAILED" | "TEST" | "BULK_UPLOAD.COMPLETED" | "BULK_UPLOAD.FAILED" | "INVITATION.CLAIMED" | "CUSTOMER.KYC_APPROVED" | "CUSTOMER.KYC_REJECTED" | "CUSTOMER.KYC_PENDING" | "CUSTOMER.KYB_APPROVED" | "CUSTOMER.KYB_REJECTED" | "CUSTOMER.KYB_PENDING" | "INTERNAL_ACCOUNT.BALANCE_UPDATED" | "INTERNAL_ACCOUNT.STATUS_UPDATED" | "INTERNAL_ACCOUNT.FUNDING_INSTRUCTIONS_UPDATED" | "EXTERNAL_ACCOUNT.STATUS_UPDATED" | "VERIFICATION.APPROVED" | "VERIFICATION.REJECTED" | "VERIFICATION.RESOLVE_ERRORS" | "VERIFICATION.IN_PROGRESS" | "VERIFICATION.PENDING_MANUAL_REVIEW" | "VERIFICATION.READY_FOR_VERIFICATION" | "card.status_change" | "CARD.PIN_STATUS_CHANGE" | "CARD_TRANSACTION.AUTHORIZED" | "CARD_TRANSACTION.PARTIALLY_SETTLED" | "CARD_TRANSACTION.SETTLED" | "CARD_TRANSACTION.DECLINED" | "CARD_TRANSACTION.VOIDED" | "CARD_TRANSACTION.EXCEPTION" | "WALLET_OPERATION.COMPLETED" | "WALLET_OPERATION.FAILED";

export type WireBankAccountDetails = {
  accountHolderName?: string;
  routingNumber?: string;
  accountNumber?: string;
  bankName?: string;
};

export type WireRailDetails = {
  paymentRail: "WIRE";
  status: "PENDING" | "SETTLED" | "FAILED";
  imad?: string;
  originatorToBeneficiaryInformation?: string;
  bankAccount?: WireBankAccountDetails;
  settledAt?: string;
};

export type XafExternalAccountCreateInfo = {
  accountType: "XAF_ACCOUNT";
  phoneNumber: string;
  provider: string;
  region: "CM" | "CG";
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  paymentRails?: string[];
  countries?: string[];
};

export type XafExternalAccountInfo = {
  accountType: "XAF_ACCOUNT";
  phoneNumber: string;
  provider: string;
  region: "CM" | "CG";
  paymentRails: "MOBILE_MONEY"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type XofExternalAccountCreateInfo = {
  accountType: "XOF_ACCOUNT";
  phoneNumber: string;
  provider: string;
  region: "BJ" | "CI" | "SN" | "TG";
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  paymentRails?: string[];
  countries?: string[];
};

export type XofExternalAccountInfo = {
  accountType: "XOF_ACCOUNT";
  phoneNumber: string;
  provider: string;
  region: "BJ" | "CI" | "SN" | "TG";
  paymentRails: "MOBILE_MONEY"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type ZarExternalAccountCreateInfo = {
  accountType: "ZAR_ACCOUNT";
  accountNumber: string;
  bankName: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  paymentRails?: string[];
  countries?: string[];
};

export type ZarExternalAccountInfo = {
  accountType: "ZAR_ACCOUNT";
  accountNumber: string;
  bankName: string;
  paymentRails: "BANK_TRANSFER"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type ZmwExternalAccountCreateInfo = {
  accountType: "ZMW_ACCOUNT";
  phoneNumber: string;
  provider: string;
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  paymentRails?: string[];
  countries?: string[];
};

export type ZmwExternalAccountInfo = {
  accountType: "ZMW_ACCOUNT";
  phoneNumber: string;
  provider: string;
  paymentRails: "MOBILE_MONEY"[];
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type EventType = Event["type"];

/** Every code of an error. */
export type ErrorCode =
  | "ACCOUNT_LOCKED"
  | "ACCOUNT_NOT_FOUND"
  | "AMOUNT_OUT_OF_RANGE"
  | "AUTH_CREDENTIAL_VERIFICATION_EXPIRED"
  | "AUTH_CREDENTIAL_VERIFICATION_REQUIRED"
  | "AUTH_METHOD_NOT_FOUND"
  | "BANK_ACCOUNT_VALIDATION_PENDING"
  | "BENEFICIARY_TRUSTED"
  | "BULK_UPLOAD_JOB_NOT_FOUND"
  | "CARDHOLDER_KYC_NOT_APPROVED"
  | "CARD_ALREADY_CLOSED"
  | "CARD_LIMIT_REACHED"
  | "CARD_NOT_MUTABLE"
  | "CERT_CHAIN_EXPIRED"
  | "CERT_CHAIN_INVALID"
  | "CONFLICT"
  | "COUNTERPARTY_NOT_ALLOWED"
  | "COUNTERPARTY_PUBKEY_FETCH_ERROR"
  | "COUNTERPARTY_SERVER_ERROR"
  | "CUSTOMER_DELETED"
  | "CUSTOMER_NOT_FOUND"
  | "CUSTOMER_NOT_VERIFIED"
  | "DAILY_VOLUME_LIMIT_EXCEEDED"
  | "DATA_MISMATCH"
  | "DOCUMENTS_REQUIRED"
  | "DOCUMENT_ALREADY_EXISTS"
  | "DOCUMENT_HOLDER_NOT_FOUND"
  | "DOCUMENT_REJECTED"
  | "DUPLICATE_EXTERNAL_ACCOUNT"
  | "DUPLICATE_PAY_REQUEST"
  | "EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS"
  | "EMAIL_OTP_CREDENTIAL_SET_CHANGED"
  | "EMAIL_OTP_CREDENTIAL_SYNC_FAILED"
  | "EMAIL_OTP_EMAIL_ALREADY_EXISTS"
  | "END_USER_TERMS_NOT_ACCEPTED"
  | "END_USER_TERMS_VERSION_NOT_FOUND"
  | "EXPIRED"
  | "EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED"
  | "FORBIDDEN"
  | "INCOMPLETE"
  | "INSUFFICIENT_FUNDS"
  | "INTERNAL_ERROR"
  | "INVALID_AMOUNT"
  | "INVALID_BANK_ACCOUNT"
  | "INVALID_CURRENCY"
  | "INVALID_INPUT"
  | "INVALID_NONCE"
  | "INVALID_PAYREQ_RESPONSE"
  | "INVALID_PUBKEY_FORMAT"
  | "INVALID_RECEIVER"
  | "INVALID_REQUEST_FORMAT"
  | "INVALID_SIGNATURE"
  | "INVALID_STATE_TRANSITION"
  | "INVALID_TIMESTAMP"
  | "INVALID_UMA_ADDRESS"
  | "INVITATIONS_NOT_CONFIGURED"
  | "INVITATION_ALREADY_CLAIMED"
  | "INVITATION_CANCELLED"
  | "INVITATION_NOT_FOUND"
  | "LNURLP_REQUEST_FAILED"
  | "LOOKUP_REQUEST_FAILED"
  | "LOOKUP_REQUEST_NOT_FOUND"
  | "LOW_QUALITY"
  | "METHOD_NOT_ALLOWED"
  | "MISSING_MANDATORY_USER_INFO"
  | "MISSING_REQUIRED_UMA_PARAMETERS"
  | "NOT_FOUND"
  | "NOT_IMPLEMENTED"
  | "NOT_YET_AVAILABLE"
  | "NO_COMPATIBLE_UMA_VERSION"
  | "OPERATION_IN_PROGRESS"
  | "PARSE_LNURLP_RESPONSE_ERROR"
  | "PARSE_PAYREQ_RESPONSE_ERROR"
  | "PASSKEY_ALREADY_ENROLLED"
  | "PASSKEY_CREDENTIAL_ALREADY_EXISTS"
  | "PAYLOAD_TOO_LARGE"
  | "PAYMENT_DOCUMENT_ALREADY_USED"
  | "PAYMENT_DOCUMENT_ATTACHMENT_FAILED"
  | "PAYMENT_DOCUMENT_EXPIRED"
  | "PAYMENT_DOCUMENT_NOT_FOUND"
  | "PAYMENT_URL_NOT_FOUND"
  | "PAYREQ_REQUEST_FAILED"
  | "PLATFORM_NOT_FOUND"
  | "QUOTE_EXPIRED"
  | "QUOTE_NOT_FOUND"
  | "QUOTE_RATE_UNAVAILABLE"
  | "QUOTE_REQUEST_FAILED"
  | "RATE_LIMITED"
  | "REFERENCE_NOT_FOUND"
  | "REQUEST_ID_MISSING"
  | "REQUEST_NOT_FOUND"
  | "REQUEST_TIMEOUT"
  | "SANCTION_BLOCKED"
  | "SCA_SESSION_REQUIRED"
  | "SELF_PAYMENT"
  | "SENDER_NOT_ACCEPTED"
  | "SERVICE_SWITCH_ERROR"
  | "SERVICE_UNAVAILABLE"
  | "SESSION_NOT_FOUND"
  | "SMS_OTP_CREDENTIAL_ALREADY_EXISTS"
  | "SMS_OTP_CREDENTIAL_SET_CHANGED"
  | "SMS_OTP_CREDENTIAL_SYNC_FAILED"
  | "SMS_OTP_PHONE_NUMBER_ALREADY_EXISTS"
  | "STABLECOIN_AMOUNT_NOT_REPRESENTABLE"
  | "STABLECOIN_BURN_SOURCE_NOT_SUPPORTED"
  | "STABLECOIN_EXTERNAL_ACCOUNT_LINK_FAILED"
  | "STABLECOIN_EXTERNAL_ACCOUNT_LINK_METHOD_REQUIRED"
  | "STABLECOIN_EXTERNAL_ACCOUNT_NOT_FOUND"
  | "STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED"
  | "STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED"
  | "STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_FAILED"
  | "STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_REQUIRED"
  | "STABLECOIN_GRID_ENABLEMENT_NOT_REQUESTABLE"
  | "STABLECOIN_GRID_OPERATIONS_NOT_ENABLED"
  | "STABLECOIN_NOT_FOUND"
  | "STABLECOIN_NOT_PROVISIONED"
  | "STABLECOIN_OPERATION_NOT_FOUND"
  | "STABLECOIN_OPERATION_NOT_SUPPORTED"
  | "STABLECOIN_PROVIDER_ACCOUNT_INVALID"
  | "STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND"
  | "STABLECOIN_PROVIDER_ACCOUNT_REVOKED"
  | "STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED"
  | "STABLECOIN_PROVIDER_ERROR"
  | "STABLECOIN_PROVIDER_SOURCE_NOT_LINKED"
  | "STABLECOIN_SYMBOL_ALREADY_EXISTS"
  | "STABLECOIN_TOKEN_IDENTIFIER_ALREADY_EXISTS"
  | "STABLECOIN_VERIFICATION_FAILED"
  | "SUSPECTED_FRAUD"
  | "TOKEN_NOT_FOUND"
  | "TRANSACTION_NOT_CANCELLABLE"
  | "TRANSACTION_NOT_FOUND"
  | "TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL"
  | "TRANSACTION_SIZE_LIMIT_EXCEEDED"
  | "UMA_ADDRESS_EXISTS"
  | "UMA_NOT_FOUND"
  | "UNAUTHORIZED"
  | "UNSUITABLE_DOCUMENT"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "UNSUPPORTED_UMA_VERSION"
  | "USER_NOT_FOUND"
  | "USER_NOT_READY"
  | "VELOCITY_LIMIT_EXCEEDED"
  | "VERIFICATION_NOT_FOUND"
  | "WALLET_NOT_PROVISIONED"
  | "WALLET_SIGNATURE_BODY_MISMATCH"
  | "WALLET_SIGNATURE_INVALID"
  | "WALLET_SIGNATURE_MALFORMED"
  | "WALLET_SIGNATURE_MISSING"
  | "WEBHOOK_DELIVERY_ERROR"
  | "WEBHOOK_ENDPOINT_NOT_SET";
