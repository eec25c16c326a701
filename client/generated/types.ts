// Made by `npm run generate` from the API document. Do not edit.
import type { FilePart } from '../calls.js';

export type AccountDestination = {
  /** What kind of destination it is. */
  destinationType: "ACCOUNT";
  /** The internal account. */
  accountId: string;
  /** The rail that carries the payment. */
  paymentRail?: PaymentRail;
};

export type AccountQuoteSource = {
  /** What kind of source it is. */
  sourceType: "ACCOUNT";
  /** The internal account. */
  accountId: string;
  /** The customer. */
  customerId?: string;
};

export type AccountTransactionDestination = {
  /** What kind of destination it is. */
  destinationType: "ACCOUNT";
  /** The internal account. */
  accountId: string;
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency?: string;
  /** What the rail says about the payment. */
  railDetails?: RailDetailsOneOf;
  /** The transaction on its chain. Use `railDetails` instead. */
  onChainTransaction?: OnChainTransaction;
};

export type AccountTransactionSource = {
  /** What kind of source it is. */
  sourceType: "ACCOUNT";
  /** The internal account. */
  accountId: string;
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency?: string;
  /** What the rail says about the payment. */
  railDetails?: RailDetailsOneOf;
  /** The transaction on its chain. Use `railDetails` instead. */
  onChainTransaction?: OnChainTransaction;
};

export type AchRailDetails = {
  /** The rail that carries the payment. */
  paymentRail: "ACH" | "ACH_SAME_DAY";
  /** The state it is in. */
  status: "PENDING" | "SETTLED" | "RETURNED" | "RETURN_DISHONORED" | "RETURN_CONTESTED" | "REVERSED" | "FAILED";
  /** Trace number of the ACH entry. */
  traceNumber?: string;
  /** Addenda of the ACH entry. */
  addenda?: string;
  /** The account at the other end. */
  bankAccount?: UsdBankAccountDetails;
  /** When it was final. */
  settledAt?: string;
  /** When it was returned. */
  returnedAt?: string;
  /** When the return was refused. */
  dishonoredAt?: string;
  /** When that refusal was contested. */
  contestedAt?: string;
  /** When it was reversed. */
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
  /** The kind of account or wallet. */
  accountType: "AED_ACCOUNT";
  /** IBAN. */
  iban: string;
  /** BIC of the bank. */
  swiftCode?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiaryWithAddress | BusinessBeneficiaryWithAddress);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type AedExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "AED_ACCOUNT";
  /** IBAN. */
  iban: string;
  /** BIC of the bank. */
  swiftCode?: string;
  /** The rails that can reach the account. */
  paymentRails: "BANK_TRANSFER"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiaryWithAddress | BusinessBeneficiaryWithAddress);
};

export type Agent = {
  /** The agent, `Agent:<uuid>`. */
  id: string;
  /** A name for people. */
  name: string;
  /** The customer for whom it acts. */
  customerId: string;
  /** A paused agent reads and starts nothing. */
  isPaused: boolean;
  /** Whether a device code was redeemed. */
  isConnected: boolean;
  /** What the agent may do. */
  policy: AgentPolicy;
  /** What it has spent. */
  usage: AgentUsage;
  /** When it was created. */
  createdAt: string;
  /** When name, pause, policy or pairing last changed. */
  updatedAt: string;
};

export type AgentAccountRestrictions = {
  /** The only internal accounts that the agent sees, pays from and pays to; it can then pay the external accounts of the customer and pull from none. Null: all of them. An empty list: none. */
  allowedAccountIds?: string[] | null;
  /** Rules for payments whose source is one of these accounts. */
  accountRules?: AgentAccountRule[];
};

export type AgentAccountRule = {
  /** An internal account of the customer. It has at most one rule. */
  accountId: string;
  /** Replaces the policy's mode for payments from the account. */
  executionMode?: AgentExecutionMode;
  /** Replaces the policy's limit for payments from the account. Null: the policy's limit. */
  perTransactionLimit?: number | null;
};

export type AgentAction = {
  /** The action, `AgentAction:<uuid>`. */
  id: string;
  /** The agent that asked. */
  agentId: string;
  /** The customer for whom it acts. */
  customerId: string;
  /** The platform's own id of the customer. */
  platformCustomerId: string;
  /** Where the action stands. */
  status: AgentActionStatus;
  /** What the agent asked for. */
  type: AgentActionType;
  /** The quote as it stands now. */
  quote?: Quote;
  /** The payment, once its execution has begun. */
  transaction?: TransactionOneOf;
  /** Why it was rejected, if the platform said so. */
  rejectionReason?: string;
  /** When the agent asked. */
  createdAt: string;
  /** When the status last changed. */
  updatedAt: string;
};

/** One page of a list. */
export type AgentActionListResponse = {
  /** The rows of this page. */
  data: AgentAction[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type AgentActionRejectRequest = {
  /** Shown on the action as `rejectionReason`. */
  reason?: string;
};

/** `PENDING_APPROVAL` waits for the platform. `APPROVED` was executed, by the policy or by the platform. `REJECTED` was refused by the platform. `FAILED` was not executed, or its transaction failed. */
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

export type AgentApprovalThresholds = {
  /** Currency of the amount; required with it. */
  currency?: string;
  /** Above this amount every payment needs approval, whatever the mode. Null: no threshold. */
  amount?: number | null;
};

export type AgentCreateRequest = {
  /** A name for people. */
  name: string;
  /** The customer for whom the agent acts. It never changes. */
  customerId: string;
  /** What the agent may do. */
  policy: AgentPolicy;
};

export type AgentCreateResponse = {
  /** The new agent. */
  agent: Agent;
  /** Pairs it; shown this once. */
  deviceCode: AgentDeviceCode;
};

export type AgentDeviceCode = {
  /** The code, `AGENT-XXXX-XXXX-XXXX`. */
  code: string;
  /** The agent that it pairs. */
  agentId: string;
  /** When it can no longer be redeemed: 24 hours after it was made. */
  expiresAt: string;
  /** Whether the agent has redeemed it. */
  redeemed: boolean;
};

export type AgentDeviceCodeRedeemResponse = {
  /** The agent. */
  agentId: string;
  /** Its name. */
  agentName: string;
  /** The bearer token of the agent, shown this once. It has no expiry. */
  accessToken: string;
  /** What the agent may do. */
  policy: AgentPolicy;
};

export type AgentDeviceCodeStatusResponse = {
  /** The code, `AGENT-XXXX-XXXX-XXXX`. */
  code: string;
  /** Whether the agent has redeemed it. */
  redeemed: boolean;
};

/** `AUTO` executes at once, within the limits. `APPROVAL_REQUIRED` waits until the platform approves. */
export type AgentExecutionMode = "AUTO" | "APPROVAL_REQUIRED";

/** One page of a list. */
export type AgentListResponse = {
  /** The rows of this page. */
  data: Agent[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

/** `VIEW_TRANSACTIONS`: reads transactions and balances. `CREATE_QUOTES`: prices payments. `EXECUTE_QUOTES`: executes its own quotes. `MANAGE_EXTERNAL_ACCOUNTS`: reads, adds and deletes the customer's external accounts. */
export type AgentPermission = "VIEW_TRANSACTIONS" | "CREATE_QUOTES" | "EXECUTE_QUOTES" | "MANAGE_EXTERNAL_ACCOUNTS";

export type AgentPolicy = {
  /** What the agent may do. Without any it only reads itself. */
  permissions: AgentPermission[];
  /** What happens to an execution within the limits, unless an account rule says otherwise. */
  defaultExecutionMode: AgentExecutionMode;
  /** How much the agent may spend. */
  spendingLimits: AgentSpendingLimits;
  /** Which accounts the agent uses, and how. */
  accountRestrictions?: AgentAccountRestrictions;
  /** From which amount on the platform is asked. */
  approvalThresholds?: AgentApprovalThresholds;
};

export type AgentPolicyUpdateRequest = {
  /** What the agent may do. Without any it only reads itself. */
  permissions?: AgentPermission[];
  /** What happens to an execution within the limits, unless an account rule says otherwise. */
  defaultExecutionMode?: AgentExecutionMode;
  /** Limits to change; the others stay. */
  spendingLimits?: AgentSpendingLimitsUpdate;
  /** Which accounts the agent uses, and how. */
  accountRestrictions?: AgentAccountRestrictions;
  /** From which amount on the platform is asked. */
  approvalThresholds?: AgentApprovalThresholds;
};

export type AgentSpendingLimits = {
  /** Currency of all limits, those of account rules included. They count in its smallest unit. */
  currency: string;
  /** The most that one transaction may send, fees included. 0 lets nothing through. */
  perTransactionLimit: number;
  /** The most that may be spent on one UTC day. Null: no limit. */
  dailyLimit?: number | null;
  /** The most executions on one UTC day. Absent: no limit. */
  dailyTransactionLimit?: number;
  /** The most that may be spent in one UTC month. Null: no limit. */
  monthlyLimit?: number | null;
};

export type AgentSpendingLimitsUpdate = {
  /** Currency of all limits, those of account rules included. They count in its smallest unit. A new currency converts the stored amounts at the present rate: limits down, usage up. */
  currency?: string;
  /** The most that one transaction may send, fees included. 0 lets nothing through. */
  perTransactionLimit?: number;
  /** The most that may be spent on one UTC day. Null: no limit. */
  dailyLimit?: number | null;
  /** The most executions on one UTC day. Absent: no limit. */
  dailyTransactionLimit?: number;
  /** The most that may be spent in one UTC month. Null: no limit. */
  monthlyLimit?: number | null;
};

export type AgentUpdateRequest = {
  /** A name for people. */
  name?: string;
  /** A paused agent reads and starts nothing. */
  isPaused?: boolean;
};

export type AgentUsage = {
  /** Executions that began today, in UTC. */
  dailyTransactionCount: number;
  /** What they sent, in the currency of the limits. */
  dailySpend: number;
  /** The day on which the daily counters start again. */
  dailyResetDate?: string;
  /** What was sent this month, in the currency of the limits. */
  monthlySpend: number;
  /** The month, `YYYY-MM`, in which the monthly counter starts again. */
  monthlyResetMonth?: string;
};

export type AgreementAcceptanceMethod = "CHECKBOX" | "CLICK_TO_ACCEPT";

export type AgreementConsentRequest = {
  /** What kind it is. */
  type: AgreementType;
  /** When the customer accepted. */
  acceptedAt: string;
  /** The address from which the customer accepted. */
  ipAddress: string;
  /** The version that was accepted. */
  termsVersion: string;
  /** How it was accepted. */
  acceptanceMethod: AgreementAcceptanceMethod;
};

export type AgreementDocument = {
  /** What kind it is. */
  type: AgreementType;
  /** The version that is current. */
  version: string;
  /** Where to read or find it. */
  url: string;
};

export type AgreementDocumentListResponse = {
  /** The rows, in order. */
  data: AgreementDocument[];
};

export type AgreementType = "SERVICE_END_USER_TERMS" | "SERVICE_E_SIGN_CONSENT" | "SERVICE_PRIVACY_POLICY" | "BANK_E_SIGN_CONSENT" | "BANK_ACCOUNTHOLDER_CONSUMER_AGREEMENT" | "BANK_ACCOUNTHOLDER_COMMERCIAL_AGREEMENT" | "BANK_PRIVACY_POLICY" | "BANK_CARDHOLDER_CONSUMER_AGREEMENT" | "BANK_CARDHOLDER_COMMERCIAL_AGREEMENT";

/** What the holder owes because the account could not pay a card purchase, a reversed return or a lost dispute. Money that arrives pays it first, and as much of `balance` cannot be spent. Absent when nothing is owed. */
export type AmountOwed = {
  /** In the smallest unit of the currency. */
  amount: number;
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: Currency;
};

export type AnnualIncomeRange = "UNDER_50K" | "RANGE_50K_100K" | "RANGE_100K_250K" | "RANGE_250K_1M" | "OVER_1M";

export type ApiToken = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** A name for people. */
  name: string;
  /** What the token may do. */
  permissions: Permission[];
  /** The user name for HTTP Basic. */
  clientId: string;
  /** Shown once, when the token is created. */
  clientSecret?: string;
  /** When the token ends. Absent if it does not. */
  expiresAt?: string;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
};

export type ApiTokenCreateRequest = {
  /** A name for people. */
  name: string;
  /** What the token may do. */
  permissions: Permission[];
};

export type ApplePayTokenizationRequest = {
  /** The digital wallet. */
  wallet: "APPLE_PAY";
  /** Certificates of Apple's servers, as the phone gave them. */
  certificate: string;
  /** The nonce of Apple's servers. */
  nonce: string;
  /** The signature of the nonce. */
  nonceSignature: string;
};

export type ApplePayTokenizationResponse = {
  /** The digital wallet. */
  wallet: "APPLE_PAY";
  /** What the phone needs to add the card. */
  applePay: CardTokenizationApplePayPayload;
};

export type ApprovePaymentRequest = {
  /** The data of the receiver that the sender asked for in `requestedReceiverCustomerInfoFields`, by the names of the fields. */
  receiverCustomerInfo?: Record<string, unknown>;
};

export type ArbitrumWalletExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "ARBITRUM_WALLET";
  /** Address on the chain. */
  address: string;
  /** The exchange or custodian that holds the wallet. Absent for a wallet that the owner holds. */
  vaspName?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary?: WalletBeneficiaryOneOf;
};

export type AuthCredentialChallengeRequest = {
  /** The P-256 public key of the end user's device, in hex. */
  clientPublicKey?: string;
};

export type AuthCredentialChallengeResponse = (AuthMethodResponse | PasskeyAuthChallenge | WalletOperationProcessing);

export type AuthCredentialCreateRequestOneOf = (EmailOtpCredentialCreateRequest | SmsOtpCredentialCreateRequest | OauthCredentialCreateRequest | PasskeyCredentialCreateRequest);

export type AuthCredentialListResponse = {
  /** The rows, in order. */
  data: AuthMethod[];
};

export type AuthCredentialVerifyRequestOneOf = (EmailOtpCredentialVerifyRequest | SmsOtpCredentialVerifyRequest | OauthCredentialVerifyRequest | PasskeyCredentialVerifyRequest);

export type AuthCredentialVerifyResponse = (AuthSession | WalletOperationProcessing);

export type AuthMethod = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** The embedded wallet that it opens. */
  accountId: string;
  /** What kind it is. */
  type: AuthMethodType;
  /** The WebAuthn credential id of a passkey. */
  credentialId?: string;
  /** A name that the owner recognises it by. */
  nickname: string;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
};

export type AuthMethodResponse = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** The internal account. */
  accountId: string;
  /** What kind it is. */
  type: AuthMethodType;
  /** The WebAuthn credential id of a passkey. */
  credentialId?: string;
  /** A name that the owner recognises it by. */
  nickname: string;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
  /** Signed key to encrypt the one-time password to; for one use. */
  otpEncryptionTargetBundle?: string;
};

export type AuthMethodType = "OAUTH" | "EMAIL_OTP" | "SMS_OTP" | "PASSKEY";

export type AuthSession = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** The embedded wallet that it is for. */
  accountId: string;
  /** What kind it is. */
  type: AuthMethodType;
  /** The WebAuthn credential id of a passkey. */
  credentialId?: string;
  /** A name that the owner recognises it by. */
  nickname: string;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
  /**
   * The session key, sealed to an uncompressed clientPublicKey. Shown once.
   *
   * @deprecated
   */
  encryptedSessionSigningKey?: string;
  /** Until when it is valid. */
  expiresAt: string;
};

export type AuthSessionRefreshRequest = {
  /** The P-256 public key of the end user's device, in hex. */
  clientPublicKey: string;
};

export type AuthSignedRequestChallenge = {
  /** The text that the end user's key signs, byte for byte. */
  payloadToSign: string;
  /** Goes into `Request-Id` of the signed retry. */
  requestId: string;
  /** Until when the retry is accepted. */
  expiresAt: string;
  /** What kind it is. */
  type: AuthMethodType;
};

export type BalanceChange = {
  /** The id of the change. A transfer between two accounts is two changes. */
  id: string;
  /** The transaction behind the change. Absent where there is none. */
  transactionId?: string;
  /** What was added. Negative if it was taken. */
  amount: CurrencyAmount;
  /** When the balance changed. */
  effectiveAt: string;
};

export type BalanceChangeListResponse = {
  /** The rows, in order. */
  data: BalanceChange[];
  /** First instant of the period. */
  startDate: string;
  /** First instant after the period. */
  endDate: string;
  /** The balance at the first instant. */
  openingBalance: CurrencyAmount;
  /** The balance at the last instant. Opening balance and changes add up to it. */
  closingBalance: CurrencyAmount;
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of balance changes in the period, on every page. It is always present. */
  totalCount?: number;
};

export type BaseWalletExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "BASE_WALLET";
  /** Address on the chain. */
  address: string;
  /** The exchange or custodian that holds the wallet. Absent for a wallet that the owner holds. */
  vaspName?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary?: WalletBeneficiaryOneOf;
};

export type BdtExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "BDT_ACCOUNT";
  /** Account number. */
  accountNumber?: string;
  /** Name of the bank. */
  bankName: string;
  /** Code of the branch. */
  branchCode?: string;
  /** BIC of the bank. */
  swiftCode?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type BdtExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "BDT_ACCOUNT";
  /** Account number. */
  accountNumber?: string;
  /** Name of the bank. */
  bankName: string;
  /** Code of the branch. */
  branchCode?: string;
  /** BIC of the bank. */
  swiftCode?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** The rails that can reach the account. */
  paymentRails: ("BANK_TRANSFER" | "MOBILE_MONEY")[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type BeneficialOwner = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** The customer. */
  customerId: string;
  /** What the person is in the business. */
  roles: BeneficialOwnerRole[];
  /** Share of the business in percent. */
  ownershipPercentage: number;
  /** The person. */
  personalInfo: BeneficialOwnerPersonalInfo;
  /** How far the verification of the person has come. A request cannot change it. */
  kycStatus: KycStatus;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt?: string;
};

export type BeneficialOwnerCreateRequest = {
  /** A business. */
  customerId: string;
  /** What the person is in the business. */
  roles: BeneficialOwnerRole[];
  /** Share of the business in percent. */
  ownershipPercentage: number;
  /** The person. */
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
  /** First name. */
  firstName: string;
  /** Last name. */
  lastName: string;
  /** Date of birth. */
  birthDate: string;
  /** ISO 3166-1 alpha-2. */
  nationality: string;
  /** Postal address. */
  address: Address;
  /** What `identifier` is: the kind of number that identifies the person. */
  idType: IdentificationType;
  /** Stored encrypted. Answers show the last characters and mask the others. */
  identifier: string;
  /** Middle name. */
  middleName?: string;
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** ISO 3166-1 alpha-2. */
  countryOfIssuance?: string;
};

export type BeneficialOwnerPersonalInfoUpdate = {
  /** First name. */
  firstName?: string;
  /** Last name. */
  lastName?: string;
  /** Date of birth. */
  birthDate?: string;
  /** ISO 3166-1 alpha-2. */
  nationality?: string;
  /** Postal address. */
  address?: Address;
  /** What `identifier` is: the kind of number that identifies the person. */
  idType?: IdentificationType;
  /** The masked text of an answer leaves the identifier unchanged. */
  identifier?: string;
  /** Middle name. */
  middleName?: string;
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** ISO 3166-1 alpha-2. */
  countryOfIssuance?: string;
};

export type BeneficialOwnerRole = "UBO" | "DIRECTOR" | "COMPANY_OFFICER" | "CONTROL_PERSON" | "TRUSTEE" | "GENERAL_PARTNER";

export type BeneficialOwnerUpdateRequest = {
  /** What the person is in the business. */
  roles?: BeneficialOwnerRole[];
  /** Share of the business in percent. */
  ownershipPercentage?: number;
  /** The person. */
  personalInfo?: BeneficialOwnerPersonalInfoUpdate;
};

export type BeneficiaryTrustConfirm = {
  /** Whether payments to the beneficiary need no challenge of their own. */
  trusted: boolean;
};

export type BeneficiaryTrustConfirmRequest = {
  /** The challenge that is answered. */
  challengeId?: string | null;
  /** The code of a text message or an authenticator app. */
  code?: string | null;
  /** What `navigator.credentials.get` returned, in JSON form. */
  passkeyAssertion?: Record<string, unknown> | null;
  /** With `passkeyAssertion`: the page that asked for it. */
  origin?: string | null;
};

export type BeneficiaryTrustStart = {
  /** The challenge that the customer answers. Absent if none is open. */
  scaChallenge?: ScaChallenge;
};

export type BeneficiaryVerificationStatus = "MATCHED" | "PARTIAL_MATCH" | "NOT_MATCHED" | "UNSUPPORTED" | "CHECKED_BY_RECEIVING_FI" | "PENDING";

export type BeneficiaryVerifiedData = {
  /** The name that the bank has. */
  fullName?: string;
};

export type BrlExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "BRL_ACCOUNT";
  /** Pix key. */
  pixKey: string;
  /** What kind of text the Pix key is. */
  pixKeyType: "CPF" | "CNPJ" | "EMAIL" | "PHONE" | "RANDOM";
  /** Tax number. */
  taxId: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type BrlExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "BRL_ACCOUNT";
  /** Pix key. */
  pixKey: string;
  /** What kind of text the Pix key is. */
  pixKeyType: "CPF" | "CNPJ" | "EMAIL" | "PHONE" | "RANDOM";
  /** Tax number. */
  taxId: string;
  /** The rails that can reach the account. */
  paymentRails: "PIX"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type BulkCustomerImportErrorEntry = {
  /** Names the row: your id of the customer, or its line. */
  correlationId: string;
  /** `INVALID_FIELD` or `INVALID_CSV_FORMAT`; for any other refusal the code that `POST /customers` would have answered, such as `CONFLICT`. */
  code?: string;
  /** What happened, for people. */
  message?: string;
  /** More about it. */
  details?: Record<string, unknown>;
};

export type BulkCustomerImportJob = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** The state it is in. */
  status: BulkCustomerImportJobStatus;
  /** How far the import has come. */
  progress: BulkCustomerImportProgress;
  /** Rows that were refused, in the order of the file: at most 10,000 here, and 100 in a webhook. */
  errors?: BulkCustomerImportErrorEntry[];
  /** When it ended. */
  completedAt?: string;
};

export type BulkCustomerImportJobAccepted = {
  /** The import. Read its progress with `GET /customers/bulk/jobs/{jobId}`. */
  jobId: string;
  /** The state it is in. */
  status: "PENDING" | "PROCESSING";
};

export type BulkCustomerImportJobStatus = "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED";

export type BulkCustomerImportProgress = {
  /** All of them. */
  total: number;
  /** Rows that were read so far. */
  processed: number;
  /** Rows that became customers. */
  successful: number;
  /** Rows that were refused. */
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
  /** A person or a business. */
  beneficiaryType: "BUSINESS";
  /** Registered name of the company. */
  legalName: string;
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Country in which the holder lives or is registered, ISO 3166-1 alpha-2. */
  countryOfResidence?: string;
  /** Postal address. */
  address?: Address;
  /** Number in the company register. */
  registrationNumber?: string;
  /** Tax number. */
  taxId?: string;
};

export type BusinessBeneficiaryWithAddress = {
  /** A person or a business. */
  beneficiaryType: "BUSINESS";
  /** Registered name of the company. */
  legalName: string;
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Country in which the holder lives or is registered, ISO 3166-1 alpha-2. */
  countryOfResidence?: string;
  /** Postal address. */
  address: Address;
  /** Number in the company register. */
  registrationNumber?: string;
  /** Tax number. */
  taxId?: string;
};

export type BusinessBeneficiaryWithCountryOfResidence = {
  /** A person or a business. */
  beneficiaryType: "BUSINESS";
  /** Registered name of the company. */
  legalName: string;
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Country in which the holder lives or is registered, ISO 3166-1 alpha-2. */
  countryOfResidence: string;
  /** Postal address. */
  address?: Address;
  /** Number in the company register. */
  registrationNumber?: string;
  /** Tax number. */
  taxId?: string;
};

export type BusinessBeneficiaryWithCountryOfResidenceAndRegistrationNumberAndTaxId = {
  /** A person or a business. */
  beneficiaryType: "BUSINESS";
  /** Registered name of the company. */
  legalName: string;
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Country in which the holder lives or is registered, ISO 3166-1 alpha-2. */
  countryOfResidence: string;
  /** Postal address. */
  address?: Address;
  /** Number in the company register. */
  registrationNumber: string;
  /** Tax number. */
  taxId: string;
};

export type BusinessBeneficiaryWithRegistrationNumberAndTaxId = {
  /** A person or a business. */
  beneficiaryType: "BUSINESS";
  /** Registered name of the company. */
  legalName: string;
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Country in which the holder lives or is registered, ISO 3166-1 alpha-2. */
  countryOfResidence?: string;
  /** Postal address. */
  address?: Address;
  /** Number in the company register. */
  registrationNumber: string;
  /** Tax number. */
  taxId: string;
};

export type BusinessBeneficiaryWithTaxId = {
  /** A person or a business. */
  beneficiaryType: "BUSINESS";
  /** Registered name of the company. */
  legalName: string;
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Country in which the holder lives or is registered, ISO 3166-1 alpha-2. */
  countryOfResidence?: string;
  /** Postal address. */
  address?: Address;
  /** Number in the company register. */
  registrationNumber?: string;
  /** Tax number. */
  taxId: string;
};

export type BusinessCustomer = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** Your own id of the customer. The service makes one if you give none. */
  platformCustomerId: string;
  /** UMA address, such as `$ada@example.com`. */
  umaAddress: string;
  /** Country whose rules apply to the customer, ISO 3166-1 alpha-2. */
  region?: string;
  /** The currencies in which the customer has accounts. */
  currencies?: string[];
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Acceptance of the end user terms. Use `agreementConsents` instead. */
  endUserTermsConsent?: EndUserTermsConsent;
  /** Agreements that the customer accepted. */
  agreementConsents?: AgreementConsentRequest[];
  /** Which contacts are proven. Present in regulated regions only. */
  contactVerification?: ContactVerification;
  /** When it was created. */
  createdAt?: string;
  /** When it was last changed. */
  updatedAt?: string;
  /** Whether the customer was deleted. */
  isDeleted?: boolean;
  /** `INDIVIDUAL` for a person, `BUSINESS` for a company. It decides the other members. */
  customerType: "BUSINESS";
  /** How far the verification of the business has come. A request cannot change it. */
  kybStatus?: KybStatus;
  /** Postal address. */
  address?: Address;
  /** The company. */
  businessInfo?: BusinessInfoResponse;
  /** The people who own or control the business. */
  beneficialOwners?: BeneficialOwner[];
};

export type BusinessCustomerCreateRequest = {
  /** Your own id of the customer. The service makes one if you give none. */
  platformCustomerId?: string;
  /** Country whose rules apply to the customer, ISO 3166-1 alpha-2. */
  region?: string;
  /** The currencies in which the customer has accounts. */
  currencies?: string[];
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** UMA address, such as `$ada@example.com`. */
  umaAddress?: string;
  /** Acceptance of the end user terms. Use `agreementConsents` instead. */
  endUserTermsConsent?: EndUserTermsConsent;
  /** Agreements that the customer accepted. */
  agreementConsents?: AgreementConsentRequest[];
  /** `INDIVIDUAL` for a person, `BUSINESS` for a company. It decides the other members. */
  customerType: "BUSINESS";
  /** How far the verification of the business has come. A request cannot change it. */
  kybStatus?: KybStatus;
  /** Postal address. */
  address?: Address;
  /** The company. */
  businessInfo: BusinessInfo;
};

export type BusinessCustomerUpdateRequest = {
  /** The currencies in which the customer has accounts. */
  currencies?: string[];
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** UMA address, such as `$ada@example.com`. */
  umaAddress?: string;
  /** Acceptance of the end user terms. Use `agreementConsents` instead. */
  endUserTermsConsent?: EndUserTermsConsent;
  /** Agreements that the customer accepted. */
  agreementConsents?: AgreementConsentRequest[];
  /** `INDIVIDUAL` for a person, `BUSINESS` for a company. It decides the other members. */
  customerType: "BUSINESS";
  /** How far the verification of the business has come. A request cannot change it. */
  kybStatus?: KybStatus;
  /** Postal address. */
  address?: Address;
  /** The company. */
  businessInfo?: BusinessInfoUpdate;
};

export type BusinessInfo = {
  /** Registered name of the company. */
  legalName: string;
  /** Country in which it is registered. */
  country: string;
  /** Name under which it trades. */
  doingBusinessAs?: string;
  /** Number in the company register. */
  registrationNumber?: string;
  /** When it was founded. */
  incorporatedOn?: string;
  /** Legal form. */
  entityType?: EntityType;
  /** Tax number. */
  taxId?: string;
  /** Countries in which it does business. */
  countriesOfOperation?: string[];
  /** Industry. */
  businessType?: BusinessType;
  /** What the account is for. */
  purposeOfAccount?: PurposeOfAccount;
  /** What the account is for, if it is `OTHER`. */
  purposeOfAccountOtherDescription?: string;
  /** Where the money comes from, in words. */
  sourceOfFunds?: string;
  /** Where the money comes from. */
  sourceOfFundsCategories?: SourceOfFundsCategory[];
  /** Where the money comes from, if it is `OTHER`. */
  sourceOfFundsOtherDescription?: string;
  /** How many payments are expected per month. */
  expectedMonthlyTransactionCount?: ExpectedMonthlyTransactionCount;
  /** Which volume is expected per month, in US dollars. */
  expectedMonthlyTransactionVolume?: ExpectedMonthlyTransactionVolume;
  /** Countries to which it expects to pay. */
  expectedRecipientJurisdictions?: string[];
  /** Countries of the parties it deals with. */
  expectedCounterpartyCountries?: string[];
  /** Industry by the NAICS code. */
  naicsCode?: string;
  /** First name of the person to talk to. */
  primaryContactFirstName?: string;
  /** Last name of the person to talk to. */
  primaryContactLastName?: string;
};

export type BusinessInfoResponse = {
  /** Registered name of the company. */
  legalName: string;
  /** Country in which it is registered. */
  country?: string;
  /** Name under which it trades. */
  doingBusinessAs?: string;
  /** Number in the company register. */
  registrationNumber?: string;
  /** When it was founded. */
  incorporatedOn?: string;
  /** Legal form. */
  entityType?: EntityType;
  /** Tax number. */
  taxId?: string;
  /** Countries in which it does business. */
  countriesOfOperation?: string[];
  /** Industry. */
  businessType?: BusinessType;
  /** What the account is for. */
  purposeOfAccount?: PurposeOfAccount;
  /** What the account is for, if it is `OTHER`. */
  purposeOfAccountOtherDescription?: string;
  /** Where the money comes from, in words. */
  sourceOfFunds?: string;
  /** Where the money comes from. */
  sourceOfFundsCategories?: SourceOfFundsCategory[];
  /** Where the money comes from, if it is `OTHER`. */
  sourceOfFundsOtherDescription?: string;
  /** How many payments are expected per month. */
  expectedMonthlyTransactionCount?: ExpectedMonthlyTransactionCount;
  /** Which volume is expected per month, in US dollars. */
  expectedMonthlyTransactionVolume?: ExpectedMonthlyTransactionVolume;
  /** Countries to which it expects to pay. */
  expectedRecipientJurisdictions?: string[];
  /** Countries of the parties it deals with. */
  expectedCounterpartyCountries?: string[];
  /** Industry by the NAICS code. */
  naicsCode?: string;
  /** First name of the person to talk to. */
  primaryContactFirstName?: string;
  /** Last name of the person to talk to. */
  primaryContactLastName?: string;
};

export type BusinessInfoUpdate = {
  /** Registered name of the company. */
  legalName?: string;
  /** Country in which it is registered. */
  country?: string;
  /** Name under which it trades. */
  doingBusinessAs?: string;
  /** Number in the company register. */
  registrationNumber?: string;
  /** When it was founded. */
  incorporatedOn?: string;
  /** Legal form. */
  entityType?: EntityType;
  /** Tax number. */
  taxId?: string;
  /** Countries in which it does business. */
  countriesOfOperation?: string[];
  /** Industry. */
  businessType?: BusinessType;
  /** What the account is for. */
  purposeOfAccount?: PurposeOfAccount;
  /** What the account is for, if it is `OTHER`. */
  purposeOfAccountOtherDescription?: string;
  /** Where the money comes from, in words. */
  sourceOfFunds?: string;
  /** Where the money comes from. */
  sourceOfFundsCategories?: SourceOfFundsCategory[];
  /** Where the money comes from, if it is `OTHER`. */
  sourceOfFundsOtherDescription?: string;
  /** How many payments are expected per month. */
  expectedMonthlyTransactionCount?: ExpectedMonthlyTransactionCount;
  /** Which volume is expected per month, in US dollars. */
  expectedMonthlyTransactionVolume?: ExpectedMonthlyTransactionVolume;
  /** Countries to which it expects to pay. */
  expectedRecipientJurisdictions?: string[];
  /** Countries of the parties it deals with. */
  expectedCounterpartyCountries?: string[];
  /** Industry by the NAICS code. */
  naicsCode?: string;
  /** First name of the person to talk to. */
  primaryContactFirstName?: string;
  /** Last name of the person to talk to. */
  primaryContactLastName?: string;
};

export type BusinessType = "AGRICULTURE_FORESTRY_FISHING_AND_HUNTING" | "MINING_QUARRYING_AND_OIL_AND_GAS_EXTRACTION" | "UTILITIES" | "CONSTRUCTION" | "MANUFACTURING" | "WHOLESALE_TRADE" | "RETAIL_TRADE" | "TRANSPORTATION_AND_WAREHOUSING" | "INFORMATION" | "FINANCE_AND_INSURANCE" | "REAL_ESTATE_AND_RENTAL_AND_LEASING" | "PROFESSIONAL_SCIENTIFIC_AND_TECHNICAL_SERVICES" | "MANAGEMENT_OF_COMPANIES_AND_ENTERPRISES" | "ADMINISTRATIVE_AND_SUPPORT_AND_WASTE_MANAGEMENT_AND_REMEDIATION_SERVICES" | "EDUCATIONAL_SERVICES" | "HEALTH_CARE_AND_SOCIAL_ASSISTANCE" | "ARTS_ENTERTAINMENT_AND_RECREATION" | "ACCOMMODATION_AND_FOOD_SERVICES" | "OTHER_SERVICES" | "PUBLIC_ADMINISTRATION";

export type BwpExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "BWP_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type BwpExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "BWP_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** The rails that can reach the account. */
  paymentRails: "MOBILE_MONEY"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type CadExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "CAD_ACCOUNT";
  /** Code of the bank. */
  bankCode: string;
  /** Code of the branch. */
  branchCode: string;
  /** Account number. */
  accountNumber: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiaryWithRegistrationNumber | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type CadExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "CAD_ACCOUNT";
  /** Code of the bank. */
  bankCode: string;
  /** Code of the branch. */
  branchCode: string;
  /** Account number. */
  accountNumber: string;
  /** The rails that can reach the account. */
  paymentRails: "BANK_TRANSFER"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiaryWithRegistrationNumber | BusinessBeneficiary);
};

export type CancelTransactionRequest = {
  /** Why the transfer is cancelled. A note that is not stored. */
  reason?: string;
};

export type Card = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** The customer. */
  customerId: string;
  /** A UUID of the card for your own records. */
  platformCardId?: string;
  /** The state of the card. */
  status: CardStatus;
  /** Why the card is in this state. */
  statusReason?: CardStatusReason;
  /** The card network. */
  brand?: CardBrand;
  /** Cards are `VIRTUAL`: no plastic is made. */
  form: CardForm;
  /** Whether a PIN is set, and whether it is blocked. Absent for cards without PIN. */
  pinStatus?: CardPinStatus;
  /** Last four digits of the card number. */
  last4?: string;
  /** Month in which the card expires. */
  expMonth?: number;
  /** Year in which the card expires. */
  expYear?: number;
  /** The internal account that funds the card; of a closed card, the one that did last. */
  fundingSource: string;
  /** What the card can do. */
  cardCapabilities?: CardCapabilities;
  /** Most one authorization may take, in the smallest unit of the currency. */
  maxSpendPerTransaction: number | null;
  /** Most that all new spend of a UTC calendar day may add up to. */
  maxSpendPerDay: number | null;
  /** Most authorizations of a UTC calendar day. */
  maxTransactionsPerDay: number | null;
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency?: string;
  /** The card at the processor. */
  processorRef?: string;
  /** The card at the issuer. */
  issuerRef?: string;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
};

export type CardBrand = "VISA" | "MASTERCARD";

export type CardCapabilities = {
  /** Whether spend limits can be changed. */
  supportsSpendLimits: boolean;
  /** Whether spend limits can be set when the card is created. */
  supportsSpendLimitsAtIssuance: boolean;
  /** Whether the number of purchases per day can be limited. */
  supportsTransactionCountLimit: boolean;
  /** Whether a 3-D Secure password can be set. */
  supports3dSecurePassword: boolean;
  /** Whether the card number can be shown. */
  supportsPanReveal: boolean;
  /** Whether the card can be added to digital wallets. */
  supportsDigitalWalletTokenization: boolean;
};

export type CardConfig = {
  /** The origin of the page on which you show the PIN form. The form refuses any other. */
  pinTargetOrigin?: string | null;
  /** The platform's limit for one purchase, in cents. A card can have a lower one. `null` takes it away. */
  maxSpendPerTransaction?: number | null;
  /** The platform's limit per card and UTC calendar day, in cents. `null` takes it away. */
  maxSpendPerDay?: number | null;
  /** The platform's limit of purchases per card and UTC calendar day. `null` takes it away. */
  maxTransactionsPerDay?: number | null;
  /** A style sheet for the page that shows card data. */
  panRevealCssUrl?: string | null;
};

export type CardCreateRequest = {
  /** The customer. */
  customerId: string;
  /** Ignored: the service makes one. */
  platformCardId?: string;
  /** Handed to the issuer, kept nowhere, never shown. */
  threeDSecurePassword?: string;
  /** Cards are `VIRTUAL`: no plastic is made. */
  form: CardForm;
  /** The internal account that pays for what the card spends. */
  fundingSource: string;
  /** Limit of one purchase, in cents. Null if there is none. */
  maxSpendPerTransaction?: number;
  /** Limit per UTC calendar day, in cents. Null if there is none. */
  maxSpendPerDay?: number;
  /** Limit of purchases per UTC calendar day. Null if there is none. */
  maxTransactionsPerDay?: number;
};

/** The first rule that applies is the reason. `x-rules` has the rules in their order. */
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
  /** The name on the statement. */
  descriptor: string;
  /** Merchant category code, ISO 18245. */
  mcc?: string;
  /** City of the merchant. */
  city?: string;
  /** Part of the country. */
  state?: string;
  /** Country of the merchant. */
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
  /** The page on which the cardholder enters the PIN, to embed in yours. */
  iframeUrl: string;
  /** The token of the page. */
  sessionToken: string;
  /** Until when it is valid. */
  expiresAt: string;
  /** Whether the page is of the sandbox or live. */
  environment: ServiceEnvironment;
};

export type CardRevealRequest = {
  /** A style sheet for the page, instead of the configured one. */
  cssUrl?: string | null;
};

export type CardRevealResponse = {
  /** The page that shows the card data, to embed in yours. It can be opened until `expiresAt`. */
  panEmbedUrl: string;
  /** Until when it is valid. */
  expiresAt: string;
};

/** What a card has spent today, beside its limits. */
export type CardSpending = {
  /** The day in UTC, by the clock of the platform. */
  day: string;
  spent: CurrencyAmount;
  /** How many purchases were authorized on the day. */
  purchases: number;
  limits: CardSpendingLimits;
};

/** What holds for the card: the lower of its own limit and that of the platform. */
export type CardSpendingLimits = {
  /** Most one purchase may take. `null`: no limit. */
  maxSpendPerTransaction: number | null;
  /** Most that the purchases of a day may add up to. `null`: no limit. */
  maxSpendPerDay: number | null;
  /** Most purchases of a day. `null`: no limit. */
  maxTransactionsPerDay: number | null;
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
  /** The name that people see. */
  displayName?: string;
  /** A picture of your brand. */
  logoUrl?: string;
  /** The message by mail. */
  email?: CardTokenization2FAEmailConfig;
  /** The message by text. */
  sms?: CardTokenization2FASmsConfig;
};

export type CardTokenization2FAEmailConfig = {
  /** Sender of the mail. */
  fromAddress?: string;
  /** Name of the sender. */
  fromName?: string;
  /** Where replies go. */
  replyToAddress?: string;
  /** Subject of the mail. */
  subject?: string;
  /** Text of the message. */
  bodyText?: string;
};

export type CardTokenization2FASmsConfig = {
  /** Template of the text message at its provider. */
  templateSid?: string;
  /** Text of the message. */
  bodyText?: string;
};

export type CardTokenizationApplePayPayload = {
  /** `activationData` for PassKit. */
  activationData: string;
  /** `encryptedPassData` for PassKit. */
  encryptedPassData: string;
  /** `ephemeralPublicKey` for PassKit. */
  ephemeralPublicKey: string;
};

export type CardTokenizationRequestOneOf = (ApplePayTokenizationRequest | GooglePayTokenizationRequest | SamsungPayTokenizationRequest);

export type CardTokenizationResponseOneOf = (ApplePayTokenizationResponse | GooglePayTokenizationResponse | SamsungPayTokenizationResponse);

export type CardTransaction = {
  /** What kind it is. */
  type: "CARD";
  /** The id. It names its kind and never changes. */
  id: string;
  /** The card. */
  cardId?: string;
  /** The customer. */
  customerId: string;
  /** Your own id of the customer. The service makes one if you give none. */
  platformCustomerId: string;
  /** The transaction at the issuer. */
  issuerTransactionToken?: string;
  /** The state it is in. */
  status: CardTransactionStatus;
  /** Why it was declined. Absent unless it was. */
  cardDeclinedReason?: CardDeclinedReason;
  /** `DEBIT` takes money from the account, `CREDIT` adds some. */
  direction: TransactionDirection;
  /** The purchase that a refund belongs to. */
  originalTransactionId?: string;
  /** A note for people. */
  description?: string;
  /** Where the card was used. */
  merchant: CardMerchant;
  /** What is authorized now. */
  authorizedAmount: CurrencyAmount;
  /** What was cleared so far. */
  settledAmount?: CurrencyAmount;
  /** What went back so far. */
  refundedAmount?: CurrencyAmount;
  /** The internal account. */
  accountId: string;
  /** When it was authorized. */
  authorizedAt: string;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
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
  /** The state to move to. Needs `substatus` and `reason`. */
  status?: CardUpdateStatus;
  /** The kind of reason. */
  substatus?: CardUpdateSubstatus;
  /** Why, for your records. */
  reason?: string;
  /** The internal account that pays for what the card spends. */
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
  /** The kind of account or wallet. */
  accountType: "CNY_ACCOUNT";
  /** Account number. */
  accountNumber?: string;
  /** Name of the bank. */
  bankName: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithAddress);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type CnyExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "CNY_ACCOUNT";
  /** Account number. */
  accountNumber?: string;
  /** Name of the bank. */
  bankName: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** The rails that can reach the account. */
  paymentRails: ("BANK_TRANSFER" | "MOBILE_MONEY")[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithAddress);
};

export type ConfirmReceiptDeliveryRequest = {
  /** When the receipt was delivered: not before the transaction was created and not in the future. Default: now. */
  receiptDeliveryConfirmedAt?: string;
};

export type ConfirmStatementDeliveryRequest = {
  /** First day of the month, in US Central time. */
  periodStart: string;
  /** When the customer received the statement. */
  statementDeliveredAt?: string;
};

export type ContactVerification = {
  /** Whether the e-mail address is proven. */
  email?: ContactVerificationStatus;
  /** Whether the phone number is proven. */
  phone?: ContactVerificationStatus;
};

export type ContactVerificationConfirmRequest = {
  /** The code that the end user received. In the sandbox it is 123456. */
  code: string;
};

export type ContactVerificationStatus = "PENDING" | "VERIFIED";

export type CopExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "COP_ACCOUNT";
  /** Account number. */
  accountNumber?: string;
  /** Checking or savings. */
  bankAccountType?: "CHECKING" | "SAVINGS";
  /** Name of the bank. */
  bankName: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiaryWithDocumentNumberAndDocumentType | BusinessBeneficiaryWithTaxId);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type CopExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "COP_ACCOUNT";
  /** Account number. */
  accountNumber?: string;
  /** Checking or savings. */
  bankAccountType?: "CHECKING" | "SAVINGS";
  /** Name of the bank. */
  bankName: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** The rails that can reach the account. */
  paymentRails: ("BANK_TRANSFER" | "MOBILE_MONEY")[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiaryWithDocumentNumberAndDocumentType | BusinessBeneficiaryWithTaxId);
};

export type CounterpartyFieldDefinition = {
  /** The field. */
  name: CustomerInfoFieldName;
  /** Whether a payment without it is refused. */
  mandatory: boolean;
};

export type CounterpartyInformation = Record<string, unknown>;

export type CrossCurrencyTransactionFeeConfig = {
  /** What the fee is charged for. */
  feeType: "CROSS_CURRENCY_TRANSACTION";
  /** Part of the amount in hundredths of a percent: 50 is 0.5 %. */
  variableFeeBps: number;
  /** A fixed part. That of a conversion fee is in the source currency. */
  fixedFee: FixedFee;
  /** The currency that is sent. */
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
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: Currency;
};

export type CurrencyPreference = {
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: Currency;
  /** Receiving units per sending unit, in whole units, before fees. */
  estimatedExchangeRate: number;
  /** Sending units per receiving unit, in whole units, as a quote shows it. */
  exchangeRate?: number;
  /** The least that the receiver can get, in the smallest unit of this currency. */
  min: number;
  /** The most that the receiver can get, in the smallest unit of this currency. */
  max: number;
  /** The least that can be sent, in the smallest unit of the sending currency. */
  minSendingAmount?: number;
  /** The most that can be sent, in the smallest unit of the sending currency. */
  maxSendingAmount?: number;
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
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: string;
  /** Your own id of the account. */
  platformAccountId?: string;
  /** Whose account it is: the customer's own, or someone else's. */
  ownershipType?: OwnershipType;
  /** The account itself. Its members depend on `accountType`. */
  accountInfo: ExternalAccountCreateInfoOneOf;
  /** The owner. Null, or left out, creates an account of the platform itself. */
  customerId: string | null;
  /** Whether payments to the customer's UMA address are passed on to this account. */
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
  /** The id. It names its kind and never changes. */
  id: string;
  /** The card. */
  cardId: string;
  /** The link between the card and the account that funds it. */
  fundingSourceId: string;
  /** The internal account. */
  accountId: string;
  /** Compressed P-256 public key, hex. */
  publicKey: string;
  /** A name that the owner recognises it by. */
  nickname: string;
  /** The state it is in. */
  status: DelegatedKeyStatus;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
};

export type DelegatedKeyCreateRequest = {
  /** The card. */
  cardId: string;
  /** The internal account. */
  internalAccountId: string;
  /** A name that the owner recognises it by. */
  nickname: string;
};

export type DelegatedKeyListResponse = {
  /** The rows, in order. */
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
  /** The name that people know. */
  displayName: string;
  /** Country, ISO 3166-1 alpha-2. */
  country: string;
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: string;
};

export type DiscoveryListResponse = {
  /** The rows, in order. */
  data?: Discovery[];
};

export type DkkExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "DKK_ACCOUNT";
  /** IBAN. */
  iban: string;
  /** BIC of the bank. */
  swiftCode?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type DkkExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "DKK_ACCOUNT";
  /** IBAN. */
  iban: string;
  /** BIC of the bank. */
  swiftCode?: string;
  /** The rails that can reach the account. */
  paymentRails: ("SEPA" | "SEPA_INSTANT")[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type Document = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** The customer or beneficial owner that the document is about. */
  documentHolder: string;
  /** What kind of document it is. */
  documentType: DocumentType;
  /** Which side of a card the file shows. */
  side?: DocumentSide;
  /** Country, ISO 3166-1 alpha-2. */
  country: string;
  /** Number of the document. */
  documentNumber?: string;
  /** Who issued the document. */
  issuingAuthority?: string;
  /** Name of the file. */
  fileName: string;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
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
  /** A PDF, JPEG or PNG of 1 to 10,485,760 bytes, with its Content-Type. The bytes must be of that kind. A PDF whose compressed streams unpack to more than 256 MB is refused. Nothing in the file is executed. */
  file: FilePart;
  /** What kind of document it is. */
  documentType: DocumentType;
  /** Country that issued the document: ISO 3166-1 alpha-2, in upper case. */
  country: string;
  /** Which side of a card the file shows. */
  side?: DocumentSide;
  /** Required for PASSPORT, DRIVERS_LICENSE and NATIONAL_ID. */
  documentNumber?: string;
  /** Required for PASSPORT, DRIVERS_LICENSE and NATIONAL_ID. */
  issuingAuthority?: string;
};

export type DocumentSide = "FRONT" | "BACK";

export type DocumentType = "PASSPORT" | "DRIVERS_LICENSE" | "NATIONAL_ID" | "PROOF_OF_ADDRESS" | "BANK_STATEMENT" | "TAX_RETURN" | "CERTIFICATE_OF_INCORPORATION" | "ARTICLES_OF_INCORPORATION" | "ARTICLES_OF_ASSOCIATION" | "STATE_REGISTRY_EXCERPT" | "GOOD_STANDING_CERTIFICATE" | "INFORMATION_STATEMENT" | "INCUMBENCY_CERTIFICATE" | "BUSINESS_LICENSE" | "SHAREHOLDER_REGISTER" | "POWER_OF_ATTORNEY" | "UTILITY_BILL" | "ELECTRICITY_BILL" | "RENT_OR_LEASE_AGREEMENT" | "DIRECTOR_REGISTRY" | "TRUST_AGREEMENT" | "STATE_COMPANY_REGISTRY" | "PARTNERSHIP_CONTROL_AGREEMENT" | "PARTNERSHIP_AGREEMENT" | "SELFIE" | "OTHER";

export type DocumentUploadRequest = {
  /** A PDF, JPEG or PNG of 1 to 10,485,760 bytes, with its Content-Type. The bytes must be of that kind. A PDF whose compressed streams unpack to more than 256 MB is refused. Nothing in the file is executed. */
  file: FilePart;
  /** What kind of document it is. */
  documentType: DocumentType;
  /** Country that issued the document: ISO 3166-1 alpha-2, in upper case. */
  country: string;
  /** Which side of a card the file shows. */
  side?: DocumentSide;
  /** Required for PASSPORT, DRIVERS_LICENSE and NATIONAL_ID. */
  documentNumber?: string;
  /** Required for PASSPORT, DRIVERS_LICENSE and NATIONAL_ID. */
  issuingAuthority?: string;
  /** Id of the customer or the beneficial owner. */
  documentHolder: string;
};

export type EgpExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "EGP_ACCOUNT";
  /** IBAN. */
  iban?: string;
  /** Name of the bank. */
  bankName: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithAddress);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type EgpExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "EGP_ACCOUNT";
  /** IBAN. */
  iban?: string;
  /** Name of the bank. */
  bankName: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** The rails that can reach the account. */
  paymentRails: ("BANK_TRANSFER" | "MOBILE_MONEY")[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithAddress);
};

export type EmailOtpCredentialCreateRequest = {
  /** What kind it is. */
  type: "EMAIL_OTP";
  /** The internal account. */
  accountId: string;
  /** E-mail address. */
  email?: string;
};

export type EmailOtpCredentialVerifyRequest = {
  /** What kind it is. */
  type: "EMAIL_OTP";
  /** The one-time code and the public key of the device, encrypted to the challenge. */
  encryptedOtpBundle: string;
};

export type EmbeddedWalletConfig = {
  /** The name of your app in messages. */
  appName?: string;
  /** Number of characters of a one-time code. */
  otpLength?: number;
  /** Whether codes have letters as well as digits. */
  alphanumeric?: boolean;
  /** How long a code is valid. */
  expirationSeconds?: number;
  /** Sender of the mail. */
  sendFromEmailAddress?: string;
  /** Name of the sender. */
  sendFromEmailSenderName?: string;
  /** Where replies go. */
  replyToEmailAddress?: string;
  /** A picture of your brand. */
  logoUrl?: string;
};

export type EndUserTerms = {
  /** The version that is current. */
  version: string;
  /** Where to read or find it. */
  url: string;
};

export type EndUserTermsConsent = {
  /** When the customer accepted. */
  acceptedAt: string;
  /** The address from which the customer accepted. */
  ipAddress: string;
  /** The version that was accepted. */
  termsVersion: string;
  /** How it was accepted. */
  acceptanceMethod: AgreementAcceptanceMethod;
};

export type EntityType = "SOLE_PROPRIETORSHIP" | "PARTNERSHIP" | "LLC" | "CORPORATION" | "S_CORPORATION" | "NON_PROFIT" | "PUBLICLY_LISTED_COMPANY" | "TRUST" | "PRIVATE_FOUNDATION" | "CHARITY" | "OTHER";

/** The body of an answer with status 400. */
export type Error400 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "INVALID_INPUT" | "INVALID_REQUEST_FORMAT" | "INVALID_TIMESTAMP" | "INVALID_CURRENCY" | "INVALID_AMOUNT" | "AMOUNT_OUT_OF_RANGE" | "INVALID_BANK_ACCOUNT" | "INVALID_UMA_ADDRESS" | "INVALID_RECEIVER" | "INVALID_PUBKEY_FORMAT" | "INVALID_NONCE" | "SELF_PAYMENT" | "SENDER_NOT_ACCEPTED" | "MISSING_MANDATORY_USER_INFO" | "MISSING_REQUIRED_UMA_PARAMETERS" | "PARSE_PAYREQ_RESPONSE_ERROR" | "PARSE_LNURLP_RESPONSE_ERROR" | "CERT_CHAIN_INVALID" | "CERT_CHAIN_EXPIRED" | "END_USER_TERMS_VERSION_NOT_FOUND" | "INVITATION_ALREADY_CLAIMED" | "INVITATION_CANCELLED" | "INVITATIONS_NOT_CONFIGURED" | "WEBHOOK_ENDPOINT_NOT_SET" | "WEBHOOK_DELIVERY_ERROR" | "LOW_QUALITY" | "DATA_MISMATCH" | "EXPIRED" | "SUSPECTED_FRAUD" | "UNSUITABLE_DOCUMENT" | "INCOMPLETE" | "EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS" | "SMS_OTP_CREDENTIAL_ALREADY_EXISTS" | "PASSKEY_CREDENTIAL_ALREADY_EXISTS" | "AUTH_CREDENTIAL_VERIFICATION_REQUIRED" | "AUTH_CREDENTIAL_VERIFICATION_EXPIRED" | "CARDHOLDER_KYC_NOT_APPROVED" | "TRANSACTION_SIZE_LIMIT_EXCEEDED" | "EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED" | "INSUFFICIENT_FUNDS" | "QUOTE_EXPIRED" | "QUOTE_RATE_UNAVAILABLE" | "DOCUMENTS_REQUIRED" | "STABLECOIN_PROVIDER_ACCOUNT_INVALID" | "STABLECOIN_PROVIDER_ACCOUNT_REVOKED" | "STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED" | "STABLECOIN_AMOUNT_NOT_REPRESENTABLE" | "STABLECOIN_BURN_SOURCE_NOT_SUPPORTED" | "STABLECOIN_EXTERNAL_ACCOUNT_LINK_FAILED" | "STABLECOIN_EXTERNAL_ACCOUNT_LINK_METHOD_REQUIRED" | "STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED" | "STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED" | "STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_FAILED" | "STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_REQUIRED" | "STABLECOIN_GRID_OPERATIONS_NOT_ENABLED" | "STABLECOIN_NOT_PROVISIONED" | "STABLECOIN_OPERATION_NOT_SUPPORTED" | "STABLECOIN_PROVIDER_ERROR" | "STABLECOIN_PROVIDER_SOURCE_NOT_LINKED" | "STABLECOIN_VERIFICATION_FAILED";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 401. */
export type Error401 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "UNAUTHORIZED" | "INVALID_SIGNATURE" | "WALLET_SIGNATURE_MISSING" | "WALLET_SIGNATURE_MALFORMED" | "WALLET_SIGNATURE_BODY_MISMATCH" | "WALLET_SIGNATURE_INVALID" | "REQUEST_ID_MISSING";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 403. */
export type Error403 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "FORBIDDEN" | "USER_NOT_READY" | "COUNTERPARTY_NOT_ALLOWED" | "VELOCITY_LIMIT_EXCEEDED" | "END_USER_TERMS_NOT_ACCEPTED" | "CUSTOMER_NOT_VERIFIED" | "SANCTION_BLOCKED";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 404. */
export type Error404 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "NOT_FOUND" | "ACCOUNT_NOT_FOUND" | "AUTH_METHOD_NOT_FOUND" | "BULK_UPLOAD_JOB_NOT_FOUND" | "CUSTOMER_NOT_FOUND" | "DOCUMENT_HOLDER_NOT_FOUND" | "INVITATION_NOT_FOUND" | "LOOKUP_REQUEST_NOT_FOUND" | "PAYMENT_DOCUMENT_NOT_FOUND" | "PAYMENT_URL_NOT_FOUND" | "PLATFORM_NOT_FOUND" | "QUOTE_NOT_FOUND" | "REFERENCE_NOT_FOUND" | "REQUEST_NOT_FOUND" | "SESSION_NOT_FOUND" | "STABLECOIN_EXTERNAL_ACCOUNT_NOT_FOUND" | "STABLECOIN_NOT_FOUND" | "STABLECOIN_OPERATION_NOT_FOUND" | "STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND" | "TOKEN_NOT_FOUND" | "TRANSACTION_NOT_FOUND" | "UMA_NOT_FOUND" | "USER_NOT_FOUND" | "VERIFICATION_NOT_FOUND";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 405. */
export type Error405 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "METHOD_NOT_ALLOWED";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 408. */
export type Error408 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "REQUEST_TIMEOUT";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 409. */
export type Error409 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "BANK_ACCOUNT_VALIDATION_PENDING" | "BENEFICIARY_TRUSTED" | "CARD_ALREADY_CLOSED" | "CARD_LIMIT_REACHED" | "CARD_NOT_MUTABLE" | "CONFLICT" | "DOCUMENT_ALREADY_EXISTS" | "DUPLICATE_EXTERNAL_ACCOUNT" | "DUPLICATE_PAY_REQUEST" | "EMAIL_OTP_CREDENTIAL_SET_CHANGED" | "EMAIL_OTP_EMAIL_ALREADY_EXISTS" | "INVALID_STATE_TRANSITION" | "NOT_YET_AVAILABLE" | "OPERATION_IN_PROGRESS" | "PASSKEY_ALREADY_ENROLLED" | "PAYMENT_DOCUMENT_ALREADY_USED" | "SCA_SESSION_REQUIRED" | "SMS_OTP_CREDENTIAL_SET_CHANGED" | "SMS_OTP_PHONE_NUMBER_ALREADY_EXISTS" | "STABLECOIN_GRID_ENABLEMENT_NOT_REQUESTABLE" | "STABLECOIN_SYMBOL_ALREADY_EXISTS" | "STABLECOIN_TOKEN_IDENTIFIER_ALREADY_EXISTS" | "TRANSACTION_NOT_CANCELLABLE" | "TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL" | "UMA_ADDRESS_EXISTS" | "WALLET_NOT_PROVISIONED";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 410. */
export type Error410 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "CUSTOMER_DELETED" | "PAYMENT_DOCUMENT_EXPIRED";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 412. */
export type Error412 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "UNSUPPORTED_UMA_VERSION";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 413. */
export type Error413 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "PAYLOAD_TOO_LARGE";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 415. */
export type Error415 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "UNSUPPORTED_MEDIA_TYPE";
  /** For people. */
  reason: string;
  /** More about it. */
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
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 423. */
export type Error423 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "ACCOUNT_LOCKED";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 424. */
export type Error424 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "LNURLP_REQUEST_FAILED" | "PAYREQ_REQUEST_FAILED" | "COUNTERPARTY_PUBKEY_FETCH_ERROR" | "NO_COMPATIBLE_UMA_VERSION" | "PAYMENT_DOCUMENT_ATTACHMENT_FAILED" | "EMAIL_OTP_CREDENTIAL_SYNC_FAILED" | "SMS_OTP_CREDENTIAL_SYNC_FAILED";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 429. */
export type Error429 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "RATE_LIMITED" | "DAILY_VOLUME_LIMIT_EXCEEDED";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 500. */
export type Error500 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "INTERNAL_ERROR" | "SERVICE_SWITCH_ERROR";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 501. */
export type Error501 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "NOT_IMPLEMENTED";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 502. */
export type Error502 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "INVALID_PAYREQ_RESPONSE" | "COUNTERPARTY_SERVER_ERROR";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 503. */
export type Error503 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "SERVICE_UNAVAILABLE";
  /** For people. */
  reason: string;
  /** More about it. */
  details?: ErrorDetails;
};

/** The body of an answer with status 504. */
export type Error504 = {
  /** For programs. Each operation lists those it can answer. New codes may be added. */
  code: "LOOKUP_REQUEST_FAILED" | "QUOTE_REQUEST_FAILED";
  /** For people. */
  reason: string;
  /** More about it. */
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
  /** The internal account. */
  internalAccountId: string;
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: string;
  /** The network. */
  cryptoNetwork: string;
  /** What is to be withdrawn, in the smallest unit of the currency. */
  amount: number;
  /** The address on that network. */
  destinationAddress: string;
};

export type EstimateCryptoWithdrawalFeeResponse = {
  /** In units of `networkFeeAsset`. */
  networkFee: number;
  /** The asset in which the network is paid. */
  networkFeeAsset: string;
  /** What the service charges. */
  applicationFee: number;
  /** In units of the withdrawn currency. */
  totalFee: number;
  /** What arrives at the address. */
  netAmount: number;
};

export type EthereumWalletExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "ETHEREUM_WALLET";
  /** Address on the chain. */
  address: string;
  /** The exchange or custodian that holds the wallet. Absent for a wallet that the owner holds. */
  vaspName?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary?: WalletBeneficiaryOneOf;
};

export type EurExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "EUR_ACCOUNT";
  /** IBAN. */
  iban: string;
  /** BIC of the bank. */
  swiftCode?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiaryWithCountryOfResidence | BusinessBeneficiaryWithCountryOfResidenceAndRegistrationNumberAndTaxId);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type EurExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "EUR_ACCOUNT";
  /** IBAN. */
  iban: string;
  /** BIC of the bank. */
  swiftCode?: string;
  /** The rails that can reach the account. */
  paymentRails: ("SEPA" | "SEPA_INSTANT")[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiaryWithCountryOfResidence | BusinessBeneficiaryWithCountryOfResidenceAndRegistrationNumberAndTaxId);
};

/** An event: what webhooks carry, the log lists and the stream sends. */
export type Event = (AgentActionWebhook | IncomingPaymentWebhook | OutgoingPaymentWebhook | TestWebhookRequest | BulkUploadWebhook | InvitationClaimedWebhook | CustomerWebhook | InternalAccountStatusWebhook | ExternalAccountStatusWebhook | VerificationWebhook | CardStatusChangeWebhook | CardPinStatusChangeWebhook | CardTransactionWebhook | WalletOperationWebhook);

/** What made the change: a request, a job that was due, or a job that a request ran, as an advance of the clock does. */
export type EventCause = {
  /** The `X-Request-Id` of the request: of the one that made the change, or that ran the job. */
  requestId?: string;
  /** The job of the service that was due, such as `payment-rail-messages`. */
  job?: string;
};

export type ExchangeRate = {
  /** The currency that is sent. */
  sourceCurrency: Currency;
  /** The amount that is sent. */
  sendingAmount: number;
  /** The smallest amount that can be sent in one payment. */
  minSendingAmount: number;
  /** The largest amount that can be sent in one payment. */
  maxSendingAmount: number;
  destinationCurrency: Currency;
  /** The rail that reaches the receiver. */
  destinationPaymentRail: PaymentRail;
  /** What the receiver gets of `sendingAmount`; 0 where no quote could carry the amount. */
  receivingAmount: number;
  /** Sending units per receiving unit, in whole units, after fees. */
  exchangeRate: number;
  /** The fees in `sendingAmount`. */
  fees: ExchangeRateFees;
  /** When the rate was read. */
  updatedAt: string;
};

export type ExchangeRateFees = {
  /** The part that does not depend on the amount. */
  fixed?: number;
  /** All of them. */
  total?: number;
};

export type ExchangeRateListResponse = {
  /** The rows, in order. */
  data: ExchangeRate[];
};

export type ExecuteQuoteRequest = {
  /** The factor that the customer wants to use. */
  scaFactor?: ScaFactor;
};

export type ExpectedMonthlyTransactionCount = "COUNT_UNDER_10" | "COUNT_10_TO_100" | "COUNT_100_TO_500" | "COUNT_500_TO_1000" | "COUNT_OVER_1000";

export type ExpectedMonthlyTransactionVolume = "VOLUME_UNDER_10K" | "VOLUME_10K_TO_100K" | "VOLUME_100K_TO_1M" | "VOLUME_1M_TO_10M" | "VOLUME_OVER_10M";

export type ExternalAccount = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** Null when the account is on behalf of the platform. */
  customerId?: string | null;
  /** The state it is in. */
  status: ExternalAccountStatus;
  /** Your own id of the account. */
  platformAccountId?: string;
  /** Whose account it is: the customer's own, or someone else's. */
  ownershipType?: OwnershipType;
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: string;
  /** Whether payments to the customer's UMA address are passed on to this account. */
  defaultUmaDepositAccount?: boolean;
  /** Whether the bank knows the holder by this name. */
  beneficiaryVerificationStatus?: BeneficiaryVerificationStatus;
  /** What the bank says about the holder. */
  beneficiaryVerifiedData?: BeneficiaryVerifiedData;
  /** The account itself. Its members depend on `accountType`. */
  accountInfo: ExternalAccountInfoOneOf;
};

export type ExternalAccountCreateInfoOneOf = (AedExternalAccountCreateInfo | BdtExternalAccountCreateInfo | BrlExternalAccountCreateInfo | BwpExternalAccountCreateInfo | CadExternalAccountCreateInfo | CopExternalAccountCreateInfo | DkkExternalAccountCreateInfo | EgpExternalAccountCreateInfo | EurExternalAccountCreateInfo | GbpExternalAccountCreateInfo | GhsExternalAccountCreateInfo | GtqExternalAccountCreateInfo | HkdExternalAccountCreateInfo | HtgExternalAccountCreateInfo | IdrExternalAccountCreateInfo | InrExternalAccountCreateInfo | JmdExternalAccountCreateInfo | KesExternalAccountCreateInfo | MwkExternalAccountCreateInfo | MxnExternalAccountCreateInfo | MyrExternalAccountCreateInfo | NgnExternalAccountCreateInfo | PhpExternalAccountCreateInfo | PkrExternalAccountCreateInfo | RwfExternalAccountCreateInfo | SgdExternalAccountCreateInfo | SlvExternalAccountCreateInfo | ThbExternalAccountCreateInfo | TzsExternalAccountCreateInfo | UgxExternalAccountCreateInfo | UsdExternalAccountCreateInfo | VndExternalAccountCreateInfo | XafExternalAccountCreateInfo | XofExternalAccountCreateInfo | ZarExternalAccountCreateInfo | ZmwExternalAccountCreateInfo | SwiftExternalAccountCreateInfo | CnyExternalAccountCreateInfo | IlsExternalAccountCreateInfo | TryExternalAccountCreateInfo | BaseWalletExternalAccountInfo | EthereumWalletExternalAccountInfo | PolygonWalletExternalAccountInfo | PlasmaWalletExternalAccountInfo | ArbitrumWalletExternalAccountInfo | SolanaWalletExternalAccountInfo | SparkWalletExternalAccountInfo | TronWalletExternalAccountInfo | LightningExternalAccountInfo);

export type ExternalAccountCreateRequest = {
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: string;
  /** Your own id of the account. */
  platformAccountId?: string;
  /** Whose account it is: the customer's own, or someone else's. */
  ownershipType?: OwnershipType;
  /** The account itself. Its members depend on `accountType`. */
  accountInfo: ExternalAccountCreateInfoOneOf;
  /** The agent's customer, and no other. It may be left out. */
  customerId?: string;
  /** Whether it receives what is paid to the UMA address of the customer. */
  defaultUmaDepositAccount?: boolean;
};

export type ExternalAccountDestinationReference = {
  /** An external account that the holder may pay. */
  accountId: string;
  /** The rail that carries the payment. */
  paymentRail?: PaymentRail;
};

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

export type ExternalAccountReference = {
  /** An external account of the holder that money can be pulled from. */
  accountId: string;
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
  /** The rail that carries the payment. */
  paymentRail: "FEDNOW";
  /** The state it is in. */
  status: "PENDING" | "SETTLED" | "FAILED";
  /** Id of the payment from end to end. */
  endToEndId?: string;
  /** Text that travels with the payment. */
  remittanceInformation?: string;
  /** The account at the other end. */
  bankAccount?: UsdBankAccountDetails;
  /** When it was final. */
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
  /** The fee in the smallest unit of its currency. */
  amount: number;
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: string;
};

export type GbpExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "GBP_ACCOUNT";
  /** Sort code. */
  sortCode: string;
  /** Account number. */
  accountNumber: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type GbpExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "GBP_ACCOUNT";
  /** Sort code. */
  sortCode: string;
  /** Account number. */
  accountNumber: string;
  /** The rails that can reach the account. */
  paymentRails: "FASTER_PAYMENTS"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type GhsExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "GHS_ACCOUNT";
  /** Account number. */
  accountNumber?: string;
  /** Name of the bank. */
  bankName: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type GhsExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "GHS_ACCOUNT";
  /** Account number. */
  accountNumber?: string;
  /** Name of the bank. */
  bankName: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** The rails that can reach the account. */
  paymentRails: ("BANK_TRANSFER" | "MOBILE_MONEY")[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type GooglePayTokenizationRequest = {
  /** The digital wallet. */
  wallet: "GOOGLE_PAY";
  /** The account in the wallet. */
  walletAccountId: string;
  /** The session at Google. */
  serverSessionId: string;
  /** The device. */
  deviceId?: string;
  /** Whether Google's opaque payment card is wanted as well. */
  opaquePaymentCardRequested?: boolean;
};

export type GooglePayTokenizationResponse = {
  /** The digital wallet. */
  wallet: "GOOGLE_PAY";
  /** What the phone needs to add the card. */
  provisioningPayload: string;
  /** What Google needs to add the card to the account. */
  googleAccountPayload?: string;
};

export type GtqExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "GTQ_ACCOUNT";
  /** Account number. */
  accountNumber: string;
  /** Checking or savings. */
  bankAccountType: "CHECKING" | "SAVINGS";
  /** Name of the bank. */
  bankName: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiaryWithCountryOfResidenceAndPhoneNumber | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type GtqExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "GTQ_ACCOUNT";
  /** Account number. */
  accountNumber: string;
  /** Checking or savings. */
  bankAccountType: "CHECKING" | "SAVINGS";
  /** Name of the bank. */
  bankName: string;
  /** The rails that can reach the account. */
  paymentRails: "BANK_TRANSFER"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiaryWithCountryOfResidenceAndPhoneNumber | BusinessBeneficiary);
};

export type HkdExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "HKD_ACCOUNT";
  /** Name of the bank. */
  bankName?: string;
  /** Account number. */
  accountNumber: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type HkdExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "HKD_ACCOUNT";
  /** Name of the bank. */
  bankName?: string;
  /** Account number. */
  accountNumber: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** The rails that can reach the account. */
  paymentRails: "BANK_TRANSFER"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type HtgExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "HTG_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type HtgExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "HTG_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The rails that can reach the account. */
  paymentRails: "MOBILE_MONEY"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type IdentificationType = "SSN" | "ITIN" | "EIN" | "NON_US_TAX_ID";

export type IdrExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "IDR_ACCOUNT";
  /** Name of the bank. */
  bankName: string;
  /** Account number. */
  accountNumber: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type IdrExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "IDR_ACCOUNT";
  /** Name of the bank. */
  bankName: string;
  /** Account number. */
  accountNumber: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The rails that can reach the account. */
  paymentRails: "BANK_TRANSFER"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type IlsExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "ILS_ACCOUNT";
  /** IBAN. */
  iban: string;
  /** Name of the bank. */
  bankName: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithAddress);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type IlsExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "ILS_ACCOUNT";
  /** IBAN. */
  iban: string;
  /** Name of the bank. */
  bankName: string;
  /** The rails that can reach the account. */
  paymentRails: "BANK_TRANSFER"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
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
  /** What kind it is. */
  type: "INCOMING";
  /** The state it is in. */
  status: TransactionStatus;
  /** The id. It names its kind and never changes. */
  id: string;
  /** `DEBIT` takes money from the account, `CREDIT` adds some. */
  direction: TransactionDirection;
  /** What it waits for. */
  pendingReason?: TransactionPendingReason;
  /** The customer. */
  customerId: string;
  /** Your own id of the customer. The service makes one if you give none. */
  platformCustomerId: string;
  /** Where the money goes. */
  destination: TransactionDestinationOneOf;
  /** What arrived. */
  receivedAmount?: CurrencyAmount;
  /** Sending units per receiving unit, in whole units, after fees. */
  exchangeRate?: number;
  /** All fees, in the smallest unit of the sending currency. */
  fees?: number;
  /** The quote that it came from. */
  quoteId?: string;
  /** The agent that started it. Absent if none did. */
  agentId?: string;
  /** The rule-based account whose rule started it. */
  ruleBasedAccountId?: string;
  /** A note for the platform. It does not travel to the other party. */
  description?: string;
  /** What is known about the other party. */
  counterpartyInformation?: CounterpartyInformation;
  /** How to find the payment in the books of the other side. */
  reconciliationInstructions?: ReconciliationInstructions;
  /** Money that went back. Absent if none did. */
  refund?: Refund;
  /** When it was final. */
  settledAt?: string;
  /** When you confirmed that the receipt was delivered. */
  receiptDeliveryConfirmedAt?: string;
  /** When it was created. */
  createdAt?: string;
  /** When it was last changed. */
  updatedAt?: string;
  /** Where the money comes from. */
  source?: TransactionSourceOneOf;
  /** What was sent. */
  sentAmount?: CurrencyAmount;
  /** Why it failed. Absent unless it did. */
  failureReason?: IncomingTransactionFailureReason;
  /** What the sender wants to know about the receiver. */
  requestedReceiverCustomerInfoFields?: CounterpartyFieldDefinition[];
};

export type IncomingTransaction = {
  /** What kind it is. */
  type: "INCOMING";
  /** The state it is in. */
  status: TransactionStatus;
  /** The id. It names its kind and never changes. */
  id: string;
  /** `DEBIT` takes money from the account, `CREDIT` adds some. */
  direction: TransactionDirection;
  /** What it waits for. */
  pendingReason?: TransactionPendingReason;
  /** The customer. */
  customerId: string;
  /** Your own id of the customer. The service makes one if you give none. */
  platformCustomerId: string;
  /** Where the money goes. */
  destination: TransactionDestinationOneOf;
  /** What arrived. */
  receivedAmount?: CurrencyAmount;
  /** Sending units per receiving unit, in whole units, after fees. */
  exchangeRate?: number;
  /** All fees, in the smallest unit of the sending currency. */
  fees?: number;
  /** The quote that it came from. */
  quoteId?: string;
  /** The agent that started it. Absent if none did. */
  agentId?: string;
  /** The rule-based account whose rule started it. */
  ruleBasedAccountId?: string;
  /** A note for the platform. It does not travel to the other party. */
  description?: string;
  /** What is known about the other party. */
  counterpartyInformation?: CounterpartyInformation;
  /** How to find the payment in the books of the other side. */
  reconciliationInstructions?: ReconciliationInstructions;
  /** Money that went back. Absent if none did. */
  refund?: Refund;
  /** When it was final. */
  settledAt?: string;
  /** When you confirmed that the receipt was delivered. */
  receiptDeliveryConfirmedAt?: string;
  /** When it was created. */
  createdAt?: string;
  /** When it was last changed. */
  updatedAt?: string;
  /** Where the money comes from. */
  source?: TransactionSourceOneOf;
  /** What was sent. */
  sentAmount?: CurrencyAmount;
  /** Why it failed. Absent unless it did. */
  failureReason?: IncomingTransactionFailureReason;
};

export type IncomingTransactionFailureReason = "LNURLP_FAILED" | "PAY_REQUEST_FAILED" | "PAYMENT_APPROVAL_WEBHOOK_ERROR" | "PAYMENT_APPROVAL_TIMED_OUT" | "OFFRAMP_FAILED" | "MISSING_MANDATORY_PAYEE_DATA" | "QUOTE_EXPIRED" | "QUOTE_EXECUTION_FAILED" | "COMPLIANCE_REJECTED" | "COLLECTION_FAILED" | "SWEEP_AMOUNT_OUT_OF_RANGE" | "SWEEP_QUOTE_FAILED";

export type IndividualBeneficiary = {
  /** A person or a business. */
  beneficiaryType: "INDIVIDUAL";
  /** Full name. */
  fullName: string;
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Country in which the holder lives or is registered, ISO 3166-1 alpha-2. */
  countryOfResidence?: string;
  /** Postal address. */
  address?: Address;
  /** Date of birth. */
  birthDate?: string;
  /** Nationality, ISO 3166-1 alpha-2. */
  nationality?: string;
};

export type IndividualBeneficiaryWithAddress = {
  /** A person or a business. */
  beneficiaryType: "INDIVIDUAL";
  /** Full name. */
  fullName: string;
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Country in which the holder lives or is registered, ISO 3166-1 alpha-2. */
  countryOfResidence?: string;
  /** Postal address. */
  address: Address;
  /** Date of birth. */
  birthDate?: string;
  /** Nationality, ISO 3166-1 alpha-2. */
  nationality?: string;
};

export type IndividualBeneficiaryWithAddressAndPhoneNumber = {
  /** A person or a business. */
  beneficiaryType: "INDIVIDUAL";
  /** Full name. */
  fullName: string;
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** Country in which the holder lives or is registered, ISO 3166-1 alpha-2. */
  countryOfResidence?: string;
  /** Postal address. */
  address: Address;
  /** Date of birth. */
  birthDate?: string;
  /** Nationality, ISO 3166-1 alpha-2. */
  nationality?: string;
};

export type IndividualBeneficiaryWithCountryOfResidence = {
  /** A person or a business. */
  beneficiaryType: "INDIVIDUAL";
  /** Full name. */
  fullName: string;
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Country in which the holder lives or is registered, ISO 3166-1 alpha-2. */
  countryOfResidence: string;
  /** Postal address. */
  address?: Address;
  /** Date of birth. */
  birthDate?: string;
  /** Nationality, ISO 3166-1 alpha-2. */
  nationality?: string;
};

export type IndividualBeneficiaryWithCountryOfResidenceAndPhoneNumber = {
  /** A person or a business. */
  beneficiaryType: "INDIVIDUAL";
  /** Full name. */
  fullName: string;
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** Country in which the holder lives or is registered, ISO 3166-1 alpha-2. */
  countryOfResidence: string;
  /** Postal address. */
  address?: Address;
  /** Date of birth. */
  birthDate?: string;
  /** Nationality, ISO 3166-1 alpha-2. */
  nationality?: string;
};

export type IndividualBeneficiaryWithDocumentNumberAndDocumentType = {
  /** A person or a business. */
  beneficiaryType: "INDIVIDUAL";
  /** Full name. */
  fullName: string;
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Country in which the holder lives or is registered, ISO 3166-1 alpha-2. */
  countryOfResidence?: string;
  /** Postal address. */
  address?: Address;
  /** Date of birth. */
  birthDate?: string;
  /** Nationality, ISO 3166-1 alpha-2. */
  nationality?: string;
  /** What kind of document it is. */
  documentType?: "CC" | "CE" | "TI" | "NIT" | "PP";
  /** Number of the document. */
  documentNumber?: string;
};

export type IndividualBeneficiaryWithRegistrationNumber = {
  /** A person or a business. */
  beneficiaryType: "INDIVIDUAL";
  /** Full name. */
  fullName: string;
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Country in which the holder lives or is registered, ISO 3166-1 alpha-2. */
  countryOfResidence?: string;
  /** Postal address. */
  address?: Address;
  /** Date of birth. */
  birthDate?: string;
  /** Nationality, ISO 3166-1 alpha-2. */
  nationality?: string;
  /** Number in the company register. */
  registrationNumber?: string;
};

export type IndividualCustomer = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** Your own id of the customer. The service makes one if you give none. */
  platformCustomerId: string;
  /** UMA address, such as `$ada@example.com`. */
  umaAddress: string;
  /** Country whose rules apply to the customer, ISO 3166-1 alpha-2. */
  region?: string;
  /** The currencies in which the customer has accounts. */
  currencies?: string[];
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Acceptance of the end user terms. Use `agreementConsents` instead. */
  endUserTermsConsent?: EndUserTermsConsent;
  /** Agreements that the customer accepted. */
  agreementConsents?: AgreementConsentRequest[];
  /** Which contacts are proven. Present in regulated regions only. */
  contactVerification?: ContactVerification;
  /** When it was created. */
  createdAt?: string;
  /** When it was last changed. */
  updatedAt?: string;
  /** Whether the customer was deleted. */
  isDeleted?: boolean;
  /** `INDIVIDUAL` for a person, `BUSINESS` for a company. It decides the other members. */
  customerType: "INDIVIDUAL";
  /** How far the verification of the person has come. A request cannot change it. */
  kycStatus?: KycStatus;
  /** Full name. */
  fullName?: string;
  /** Date of birth. */
  birthDate?: string;
  /** Nationality, ISO 3166-1 alpha-2. */
  nationality?: string;
  /** Postal address. */
  address?: Address;
  /** What `identifier` is: the kind of number that identifies the person. */
  idType?: IdentificationType;
  /** Country that issued the identifier. */
  countryOfIssuance?: string;
  /** Where the money comes from. */
  sourceOfFundsCategories?: IndividualSourceOfFundsCategory[];
  /** Where the money comes from, if it is `OTHER`. */
  sourceOfFundsOtherDescription?: string;
  /** Where the wealth comes from. */
  sourceOfWealthCategories?: SourceOfWealthCategory[];
  /** Where the wealth comes from, if it is `OTHER`. */
  sourceOfWealthOtherDescription?: string;
  /** What the account is for. */
  purposeOfAccount?: PurposeOfAccount;
  /** What the account is for, if it is `OTHER`. */
  purposeOfAccountOtherDescription?: string;
  /** How many payments are expected per month. */
  expectedMonthlyTransactionCount?: ExpectedMonthlyTransactionCount;
  /** Which volume is expected per month, in US dollars. */
  expectedMonthlyTransactionVolume?: ExpectedMonthlyTransactionVolume;
  /** Income per year, in US dollars. */
  annualIncomeRange?: AnnualIncomeRange;
  /** Net worth, in US dollars. */
  netWorthRange?: NetWorthRange;
  /** Whether the person is politically exposed. */
  pepStatus?: PepStatus;
};

export type IndividualCustomerCreateRequest = {
  /** Your own id of the customer. The service makes one if you give none. */
  platformCustomerId?: string;
  /** Country whose rules apply to the customer, ISO 3166-1 alpha-2. */
  region?: string;
  /** The currencies in which the customer has accounts. */
  currencies?: string[];
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** UMA address, such as `$ada@example.com`. */
  umaAddress?: string;
  /** Acceptance of the end user terms. Use `agreementConsents` instead. */
  endUserTermsConsent?: EndUserTermsConsent;
  /** Agreements that the customer accepted. */
  agreementConsents?: AgreementConsentRequest[];
  /** `INDIVIDUAL` for a person, `BUSINESS` for a company. It decides the other members. */
  customerType: "INDIVIDUAL";
  /** How far the verification of the person has come. A request cannot change it. */
  kycStatus?: KycStatus;
  /** Full name. */
  fullName?: string;
  /** Date of birth. */
  birthDate?: string;
  /** Nationality, ISO 3166-1 alpha-2. */
  nationality?: string;
  /** Postal address. */
  address?: Address;
  /** What `identifier` is: the kind of number that identifies the person. */
  idType?: IdentificationType;
  /** Country that issued the identifier. */
  countryOfIssuance?: string;
  /** Where the money comes from. */
  sourceOfFundsCategories?: IndividualSourceOfFundsCategory[];
  /** Where the money comes from, if it is `OTHER`. */
  sourceOfFundsOtherDescription?: string;
  /** Where the wealth comes from. */
  sourceOfWealthCategories?: SourceOfWealthCategory[];
  /** Where the wealth comes from, if it is `OTHER`. */
  sourceOfWealthOtherDescription?: string;
  /** What the account is for. */
  purposeOfAccount?: PurposeOfAccount;
  /** What the account is for, if it is `OTHER`. */
  purposeOfAccountOtherDescription?: string;
  /** How many payments are expected per month. */
  expectedMonthlyTransactionCount?: ExpectedMonthlyTransactionCount;
  /** Which volume is expected per month, in US dollars. */
  expectedMonthlyTransactionVolume?: ExpectedMonthlyTransactionVolume;
  /** Income per year, in US dollars. */
  annualIncomeRange?: AnnualIncomeRange;
  /** Net worth, in US dollars. */
  netWorthRange?: NetWorthRange;
  /** Whether the person is politically exposed. */
  pepStatus?: PepStatus;
  /** The number that identifies the person. It is stored encrypted and never shown. */
  identifier?: string;
};

export type IndividualCustomerUpdateRequest = {
  /** The currencies in which the customer has accounts. */
  currencies?: string[];
  /** E-mail address. */
  email?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** UMA address, such as `$ada@example.com`. */
  umaAddress?: string;
  /** Acceptance of the end user terms. Use `agreementConsents` instead. */
  endUserTermsConsent?: EndUserTermsConsent;
  /** Agreements that the customer accepted. */
  agreementConsents?: AgreementConsentRequest[];
  /** `INDIVIDUAL` for a person, `BUSINESS` for a company. It decides the other members. */
  customerType: "INDIVIDUAL";
  /** How far the verification of the person has come. A request cannot change it. */
  kycStatus?: KycStatus;
  /** Full name. */
  fullName?: string;
  /** Date of birth. */
  birthDate?: string;
  /** Nationality, ISO 3166-1 alpha-2. */
  nationality?: string;
  /** Postal address. */
  address?: Address;
  /** What `identifier` is: the kind of number that identifies the person. */
  idType?: IdentificationType;
  /** Country that issued the identifier. */
  countryOfIssuance?: string;
  /** Where the money comes from. */
  sourceOfFundsCategories?: IndividualSourceOfFundsCategory[];
  /** Where the money comes from, if it is `OTHER`. */
  sourceOfFundsOtherDescription?: string;
  /** Where the wealth comes from. */
  sourceOfWealthCategories?: SourceOfWealthCategory[];
  /** Where the wealth comes from, if it is `OTHER`. */
  sourceOfWealthOtherDescription?: string;
  /** What the account is for. */
  purposeOfAccount?: PurposeOfAccount;
  /** What the account is for, if it is `OTHER`. */
  purposeOfAccountOtherDescription?: string;
  /** How many payments are expected per month. */
  expectedMonthlyTransactionCount?: ExpectedMonthlyTransactionCount;
  /** Which volume is expected per month, in US dollars. */
  expectedMonthlyTransactionVolume?: ExpectedMonthlyTransactionVolume;
  /** Income per year, in US dollars. */
  annualIncomeRange?: AnnualIncomeRange;
  /** Net worth, in US dollars. */
  netWorthRange?: NetWorthRange;
  /** Whether the person is politically exposed. */
  pepStatus?: PepStatus;
  /** The number that identifies the person. It is stored encrypted and never shown. */
  identifier?: string;
};

export type IndividualSourceOfFundsCategory = "SALARY" | "SELF_EMPLOYMENT_INCOME" | "INVESTMENT_INCOME" | "PENSION" | "RENTAL_INCOME" | "GIFT" | "INHERITANCE" | "LOAN" | "SAVINGS" | "SALE_OF_ASSETS" | "OTHER";

export type InrExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "INR_ACCOUNT";
  /** UPI address. */
  vpa?: string;
  /** Account number. */
  accountNumber?: string;
  /** IFSC of the branch. */
  ifsc?: string;
  /** The rail. */
  rail?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type InrExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "INR_ACCOUNT";
  /** UPI address. */
  vpa?: string;
  /** Account number. */
  accountNumber?: string;
  /** IFSC of the branch. */
  ifsc?: string;
  /** The rail. */
  rail?: string;
  /** The rails that can reach the account. */
  paymentRails: ("UPI" | "NEFT" | "RTGS")[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type InternalAccount = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** The owner. Absent for accounts of the platform. */
  customerId?: string;
  /** What kind of account it is. */
  type: InternalAccountType;
  /** The state it is in. */
  status: InternalAccountStatus;
  /** What can be spent now. */
  balance: CurrencyAmount;
  /** What can be spent, and what is reserved. */
  totalBalance: CurrencyAmount;
  /** How to pay into the account from outside, one entry per way. */
  fundingPaymentInstructions: PaymentInstructions[];
  /** The customer for whom the platform holds the account. */
  onBehalfOfCustomerId?: string;
  /** A name for people. */
  label?: string;
  /** Where money that arrives goes on to. */
  sweepRule?: SweepRule;
  /** Whether amounts of the wallet are hidden from the public ledger. */
  privateEnabled?: boolean;
  /** What cards on this account can do. */
  cardCapabilities?: CardCapabilities;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
};

export type InternalAccountCreateRequest = {
  /** What kind it is. */
  type: InternalAccountType;
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: string;
  /** The customer. */
  customerId?: string;
  /** The customer for whom the platform holds the account. */
  onBehalfOfCustomerId?: string;
  /** A name for people. */
  label?: string;
  /** Where money that arrives goes on to. */
  sweepRule?: SweepRuleRequest;
};

export type InternalAccountDetails = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** The owner. Absent for accounts of the platform. */
  customerId?: string;
  /** What kind of account it is. */
  type: InternalAccountType;
  /** The state it is in. */
  status: InternalAccountStatus;
  /** What can be spent now. */
  balance: CurrencyAmount;
  /** What can be spent, and what is reserved. */
  totalBalance: CurrencyAmount;
  /** How to pay into the account from outside, one entry per way. */
  fundingPaymentInstructions: PaymentInstructions[];
  /** The customer for whom the platform holds the account. */
  onBehalfOfCustomerId?: string;
  /** A name for people. */
  label?: string;
  /** Where money that arrives goes on to. */
  sweepRule?: SweepRule;
  /** Whether amounts of the wallet are hidden from the public ledger. */
  privateEnabled?: boolean;
  /** What cards on this account can do. */
  cardCapabilities?: CardCapabilities;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
  amountOwed?: AmountOwed;
};

export type InternalAccountExportRequest = {
  /** The P-256 public key of the end user's device, in hex. */
  clientPublicKey: string;
};

export type InternalAccountExportResponse = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** The recovery phrase of the wallet, encrypted to `clientPublicKey`. In sandbox the envelope is not signed: `dataSignature` and `enclaveQuorumPublic` are empty. */
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

export type InternalAccountReference = {
  /** An internal account of a customer or of the platform. */
  accountId: string;
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
  /** Whether amounts of the wallet are hidden from the public ledger. */
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
  /** What kind of message it is. */
  kind?: "AUTHORIZATION" | "FINANCIAL_AUTHORIZATION" | "CREDIT_AUTHORIZATION" | "FINANCIAL_CREDIT_AUTHORIZATION" | "CREDIT_AUTHORIZATION_ADVICE";
  /** The card. */
  cardId: string;
  /** The transaction at the issuer. */
  issuerTransactionToken: string;
  /** In the smallest unit of the currency. 0 is an account verification: it is answered by the state of the card, holds nothing and does not count as spend. Only an AUTHORIZATION may be of 0. */
  amount: number;
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: string;
  /** The card network that carried the message. */
  network?: string;
  /** Where the card was used. */
  merchant: CardMerchantRequest;
};

export type IssuerAuthorizationResponse = {
  /** The decision. */
  decision: "APPROVED" | "DECLINED";
  /** Why it was declined. Absent unless it was. */
  declinedReason?: CardDeclinedReason;
  /** The transaction at the issuer. */
  issuerTransactionToken: string;
  /** Absent when the decision was not made in time. */
  transactionId?: string;
};

export type IssuerCredential = {
  /** The id, which is also the key id of signed requests. */
  id: string;
  /** The card program. */
  program: string;
  /** Sent as `Issuer-Key-Id`. */
  keyId: string;
  /** Shown once, when the credential is created. Keys the `Issuer-Signature`. */
  secret?: string;
  /** Fingerprint of the client certificate that the credential is bound to. */
  certificateSha256?: string;
  /** When it was created. */
  createdAt: string;
};

export type IssuerCredentialCreateRequest = {
  /** A program of GET /sandbox/card-programs. */
  program: string;
  /** SHA-256 fingerprint of a client certificate in hex. It is then the proof, and no secret is made. */
  certificateSha256?: string;
};

export type IssuerCredentialList = {
  /** The rows, in order. */
  data: IssuerCredential[];
};

export type IssuerMessageRequest = {
  /** What kind of message it is. */
  kind: "AUTHORIZATION_ADVICE" | "CLEARING" | "AUTHORIZATION_REVERSAL" | "AUTHORIZATION_EXPIRY" | "RETURN" | "RETURN_REVERSAL";
  /** Names the message. A repeat is taken once. */
  messageToken: string;
  /** The transaction at the issuer. */
  issuerTransactionToken: string;
  /** In the smallest unit of the currency: `10000` with USD is 100.00. */
  amount?: number;
  /** The card. */
  cardId?: string;
  /** Where the card was used. */
  merchant?: CardMerchantRequest;
};

export type IssuerMessageResponse = {
  /** The transaction at the issuer. */
  issuerTransactionToken: string;
  /** The transaction. */
  transactionId: string;
  /** The message was taken before; nothing happened again. */
  duplicate: boolean;
};

export type JmdExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "JMD_ACCOUNT";
  /** Account number. */
  accountNumber: string;
  /** Code of the branch. */
  branchCode: string;
  /** Checking or savings. */
  bankAccountType: "CHECKING" | "SAVINGS";
  /** Name of the bank. */
  bankName: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiaryWithAddressAndPhoneNumber | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type JmdExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "JMD_ACCOUNT";
  /** Account number. */
  accountNumber: string;
  /** Code of the branch. */
  branchCode: string;
  /** Checking or savings. */
  bankAccountType: "CHECKING" | "SAVINGS";
  /** Name of the bank. */
  bankName: string;
  /** The rails that can reach the account. */
  paymentRails: "BANK_TRANSFER"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiaryWithAddressAndPhoneNumber | BusinessBeneficiary);
};

export type JsonWebKeySet = {
  /** The keys, as JSON Web Keys. */
  keys: Record<string, unknown>[];
};

export type KesExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "KES_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type KesExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "KES_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** The rails that can reach the account. */
  paymentRails: "MOBILE_MONEY"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
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
  /** Until when it is valid. */
  expiresAt: string;
  /** Who runs the page. */
  provider: KycProvider;
  /** Absent: the hosted page needs no SDK. */
  token?: string;
};

export type KycProvider = "HOSTED_KYC";

export type KycStatus = "UNVERIFIED" | "PENDING" | "APPROVED" | "REJECTED" | "HOLD";

export type LightningExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "LIGHTNING" | "LIGHTNING_ACCOUNT";
  /** BOLT 11 invoice. */
  invoice?: string;
  /** BOLT 12 offer. */
  bolt12?: string;
  /** Lightning address. */
  lightningAddress?: string;
};

export type LivenessChallenge = {
  /** How ownership is proven. */
  method: "LIVENESS";
  /** The page on which the owner passes the check. */
  verificationLink: string;
  /** For the SDK of the vendor. Absent if it needs none. */
  token?: string;
  /** Until when it is valid. */
  expiresAt: string;
};

export type LoggedRequest = {
  /** The `X-Request-Id` of the answer. */
  id: string;
  /** The operation id of this document. */
  operation: string;
  /** The HTTP method. */
  method: string;
  /** Below the base path. A path parameter that is not an id is masked. */
  path: string;
  /** The query string, in sandbox only. Values of a refused query are masked. */
  query?: string;
  /** The HTTP status; 499 if the caller disconnected before the answer. */
  status: number;
  /** The error code of a refusal. */
  code?: string;
  /** Milliseconds from the request to the end of the answer. */
  durationMs: number;
  /** The API token that called. */
  tokenId?: string;
  /** The card program whose issuer's processor called. */
  program?: string;
  /** The `Idempotency-Key` that was sent. */
  idempotencyKey?: string;
  /** Of an operation that the end user signs: the first call, the signed retry, or a retry that proves the request in its body. */
  signedLeg?: "INITIAL" | "RETRY" | "NAMED";
  /** Sent by the console, with the token that signed in there. */
  isConsole?: boolean;
  /** Ids in the path, in the body, in the `Request-Id` of a signed retry and, of a write, in the answer; at most 20. */
  objectIds: string[];
  /** When the request began, by the platform's clock. */
  timestamp: string;
  /** When the request began, by the real clock. */
  receivedAt: string;
  /** How many requests before this one were not recorded, because they came too fast. Absent if none. */
  unrecordedBefore?: number;
  /** The body that was sent as JSON text, in sandbox only. Secrets are masked and the text is cut after 8192 characters. */
  requestBody?: string;
  /** Whether `requestBody` was cut. */
  requestBodyCut: boolean;
  /** The body that was answered as JSON text, in sandbox only. Secrets are masked and the text is cut after 8192 characters. */
  responseBody?: string;
  /** Whether `responseBody` was cut. */
  responseBodyCut: boolean;
  /** Ids of the events that the request made, oldest first; at most 100. */
  eventIds: string[];
};

/** One page of a list. */
export type LoggedRequestListResponse = {
  /** The rows of this page. */
  data: LoggedRequestSummary[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type LoggedRequestSummary = {
  /** The `X-Request-Id` of the answer. */
  id: string;
  /** The operation id of this document. */
  operation: string;
  /** The HTTP method. */
  method: string;
  /** Below the base path. A path parameter that is not an id is masked. */
  path: string;
  /** The query string, in sandbox only. Values of a refused query are masked. */
  query?: string;
  /** The HTTP status; 499 if the caller disconnected before the answer. */
  status: number;
  /** The error code of a refusal. */
  code?: string;
  /** Milliseconds from the request to the end of the answer. */
  durationMs: number;
  /** The API token that called. */
  tokenId?: string;
  /** The card program whose issuer's processor called. */
  program?: string;
  /** The `Idempotency-Key` that was sent. */
  idempotencyKey?: string;
  /** Of an operation that the end user signs: the first call, the signed retry, or a retry that proves the request in its body. */
  signedLeg?: "INITIAL" | "RETRY" | "NAMED";
  /** Sent by the console, with the token that signed in there. */
  isConsole?: boolean;
  /** Ids in the path, in the body, in the `Request-Id` of a signed retry and, of a write, in the answer; at most 20. */
  objectIds: string[];
  /** When the request began, by the platform's clock. */
  timestamp: string;
  /** When the request began, by the real clock. */
  receivedAt: string;
  /** How many requests before this one were not recorded, because they came too fast. Absent if none. */
  unrecordedBefore?: number;
};

export type MessageChannel = "EMAIL" | "SMS";

/** Required to reset SMS_OTP: the new phone number, which counts as verified. */
export type MobileNumber = {
  /** Country calling code with `+`. */
  countryCode: string;
  /** The number without its country code. */
  number: string;
};

export type MwkExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "MWK_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type MwkExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "MWK_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** The rails that can reach the account. */
  paymentRails: "MOBILE_MONEY"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type MxnExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "MXN_ACCOUNT";
  /** CLABE. */
  clabeNumber: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type MxnExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "MXN_ACCOUNT";
  /** CLABE. */
  clabeNumber: string;
  /** The rails that can reach the account. */
  paymentRails: "SPEI"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type MyrExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "MYR_ACCOUNT";
  /** Name of the bank. */
  bankName: string;
  /** Account number. */
  accountNumber: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type MyrExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "MYR_ACCOUNT";
  /** Name of the bank. */
  bankName: string;
  /** Account number. */
  accountNumber: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** The rails that can reach the account. */
  paymentRails: "BANK_TRANSFER"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type NetWorthRange = "UNDER_100K" | "RANGE_100K_500K" | "RANGE_500K_1M" | "RANGE_1M_5M" | "RANGE_5M_25M" | "OVER_25M";

export type NgnExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "NGN_ACCOUNT";
  /** Account number. */
  accountNumber: string;
  /** Name of the bank. */
  bankName: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type NgnExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "NGN_ACCOUNT";
  /** Account number. */
  accountNumber: string;
  /** Name of the bank. */
  bankName: string;
  /** The rails that can reach the account. */
  paymentRails: "BANK_TRANSFER"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type OauthCredentialCreateRequest = {
  /** What kind it is. */
  type: "OAUTH";
  /** The internal account. */
  accountId: string;
  /** A token of the identity provider. */
  oidcToken: string;
};

export type OauthCredentialVerifyRequest = {
  /** What kind it is. */
  type: "OAUTH";
  /** A token of the identity provider. */
  oidcToken: string;
  /** The P-256 public key of the end user's device, in hex. */
  clientPublicKey: string;
};

export type OnChainRailDetails = {
  /** The rail that carries the payment. */
  paymentRail: "ONCHAIN";
  /** Hash of the transaction on its chain. */
  transactionHash: string;
  /** The network. */
  network: CryptoNetwork;
};

export type OnChainTransaction = {
  /** Hash of the transaction on its chain. */
  transactionHash: string;
  /** The network. */
  network: CryptoNetwork;
};

export type OperationError = {
  /** The code of the failure. */
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
  /** Millisatoshi per smallest unit of the receiving currency, at the market's rate. */
  counterpartyMultiplier: number;
  /** Fixed fee of the other party, in the smallest unit of the receiving currency. */
  counterpartyFixedFee: number;
  /** Millisatoshi per smallest unit of the sending currency, at the market's rate. */
  gridApiMultiplier: number;
  /** Fixed fee of the service, in the smallest unit of the sending currency. */
  gridApiFixedFee: number;
  /** Variable fee of the service as a part of the amount: 0.005 is 0.5 %. */
  gridApiVariableFeeRate: number;
  /** That fee in the smallest unit of the sending currency. */
  gridApiVariableFeeAmount: number;
};

export type OutgoingTransaction = {
  /** What kind it is. */
  type: "OUTGOING";
  /** The state it is in. */
  status: OutgoingTransactionStatus;
  /** The id. It names its kind and never changes. */
  id: string;
  /** `DEBIT` takes money from the account, `CREDIT` adds some. */
  direction: TransactionDirection;
  /** What it waits for. */
  pendingReason?: TransactionPendingReason;
  /** The customer. */
  customerId: string;
  /** Your own id of the customer. The service makes one if you give none. */
  platformCustomerId: string;
  /** Where the money goes. */
  destination: TransactionDestinationOneOf;
  /** What arrived. */
  receivedAmount?: CurrencyAmount;
  /** Sending units per receiving unit, in whole units, after fees. */
  exchangeRate?: number;
  /** All fees, in the smallest unit of the sending currency. */
  fees?: number;
  /** The quote that it came from. */
  quoteId?: string;
  /** The agent that started it. Absent if none did. */
  agentId?: string;
  /** The rule-based account whose rule started it. */
  ruleBasedAccountId?: string;
  /** A note for the platform. It does not travel to the other party. */
  description?: string;
  /** What is known about the other party. */
  counterpartyInformation?: CounterpartyInformation;
  /** How to find the payment in the books of the other side. */
  reconciliationInstructions?: ReconciliationInstructions;
  /** Money that went back. Absent if none did. */
  refund?: Refund;
  /** When it was final. */
  settledAt?: string;
  /** When you confirmed that the receipt was delivered. */
  receiptDeliveryConfirmedAt?: string;
  /** When it was created. */
  createdAt?: string;
  /** When it was last changed. */
  updatedAt?: string;
  /** Where the money comes from. */
  source: TransactionSourceOneOf;
  /** What was sent. */
  sentAmount: CurrencyAmount;
  /** What the platform charged, in the smallest unit of the sending currency. */
  platformFees?: number;
  /** How to pay, where the source must act: an account to pay to, or a text that the wallet signs. */
  paymentInstructions?: PaymentInstructions[];
  /** How the rate came about. */
  rateDetails?: OutgoingRateDetails;
  /** The rail that carries the payment. */
  paymentRail?: (PaymentRail | null);
  /** Whether the service chose the rail or you did. */
  railSelectionMode?: RailSelectionMode;
  /** When it is expected to arrive. Null if unknown. */
  expectedSettlementAt?: string | null;
  /** How long the rail takes. Null if unknown. */
  settlementTimelineSeconds?: number | null;
  /** Why it failed. Absent unless it did. */
  failureReason?: OutgoingTransactionFailureReason;
};

export type OutgoingTransactionFailureReason = "QUOTE_EXPIRED" | "QUOTE_RATE_UNAVAILABLE" | "QUOTE_EXECUTION_FAILED" | "FUNDING_AMOUNT_MISMATCH" | "SCA_NOT_COMPLETED" | "PAYOUT_RETURNED" | "LIMIT_EXCEEDED" | "ACCOUNT_CANNOT_RECEIVE" | "ACCOUNT_INVALID" | "COMPLIANCE_REJECTED" | "LIGHTNING_PAYMENT_FAILED" | "COUNTERPARTY_POST_TX_FAILED" | "SWEEP_AMOUNT_OUT_OF_RANGE" | "SWEEP_QUOTE_FAILED";

export type OutgoingTransactionStatus = "PENDING" | "PENDING_AUTHORIZATION" | "EXPIRED" | "PROCESSING" | "COMPLETED" | "FAILED";

export type OwnershipChallenge = (WalletSignatureChallenge | LivenessChallenge);

export type OwnershipChallengeRequest = {
  /** How ownership is proven. */
  method: OwnershipVerificationMethod;
};

export type OwnershipProof = {
  /** The id of the proof. */
  id: string;
  /** The external account. */
  externalAccountId: string;
  /** How ownership is proven. */
  method: OwnershipVerificationMethod;
  /** The chain of the wallet. */
  chain: string;
  /** The address that signed. */
  address: string;
  /** The message that was signed. */
  message?: string;
  /** The signature, in the form in which wallets of the chain give it. */
  signature?: string;
  /** How a Bitcoin wallet signs messages. */
  signatureScheme?: string;
  /** Whether the proof was accepted. */
  verdict: "VALID" | "INVALID" | "EXPIRED";
  /** Why the proof is invalid. */
  cause?: string;
  /** When the challenge was made. */
  challengedAt: string;
  /** Until when it is valid. */
  expiresAt: string;
  /** When the proof was judged. */
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
  /** The signature, in the form in which wallets of the chain give it. */
  signature: string;
  /** How a Bitcoin wallet signs messages. */
  signatureScheme?: "bip137" | "electrum";
};

export type PasskeyAssertion = {
  /** The id of the passkey, as the authenticator made it. */
  credentialId: string;
  /** `clientDataJSON` in base64url. */
  clientDataJson: string;
  /** `authenticatorData` in base64url. */
  authenticatorData: string;
  /** `signature` in base64url. */
  signature: string;
  /** `userHandle` of the passkey, if the browser gave one. */
  userHandle?: string;
};

export type PasskeyAttestation = {
  /** The id of the passkey, as the authenticator made it. */
  credentialId: string;
  /** `clientDataJSON` in base64url. */
  clientDataJson: string;
  /** `attestationObject` in base64url. */
  attestationObject: string;
  /** How the authenticator can be reached. */
  transports?: ("usb" | "nfc" | "ble" | "internal" | "hybrid")[];
};

export type PasskeyAuthChallenge = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** The internal account. */
  accountId: string;
  /** What kind it is. */
  type: AuthMethodType;
  /** The id of the passkey, as the authenticator made it. */
  credentialId: string;
  /** A name that the owner recognises it by. */
  nickname: string;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
  /** The text whose UTF-8 bytes the passkey signs, in lower-case hex. */
  challenge: string;
  /** Names the request that waits for a signature. */
  requestId: string;
  /** Until when it is valid. */
  expiresAt: string;
};

export type PasskeyCredentialCreateRequest = {
  /** What kind it is. */
  type: "PASSKEY";
  /** The internal account. */
  accountId: string;
  /** A name that the owner recognises it by. */
  nickname: string;
  /** The text that the passkey signs, in base64url. */
  challenge: string;
  /** What the browser returned when the passkey was made. */
  attestation: PasskeyAttestation;
};

export type PasskeyCredentialVerifyRequest = {
  /** What kind it is. */
  type: "PASSKEY";
  /** What the browser returned when the passkey was used. */
  assertion: PasskeyAssertion;
};

export type PasskeyEnrollmentConfirmRequest = {
  /** What kind it is. */
  type: "PASSKEY";
  /** The page on which the passkey was created. */
  origin: string;
  /** What `navigator.credentials.create` returned, in JSON form. */
  credential: Record<string, unknown>;
};

export type PasskeyEnrollmentConfirmResponse = {
  /** What kind it is. */
  type: "PASSKEY";
  /** The factor. */
  factor: ScaFactorView;
};

export type PasskeyEnrollmentStart = {
  /** What kind it is. */
  type: "PASSKEY";
  /** The argument of `navigator.credentials.create`, in JSON form. */
  options: Record<string, unknown>;
  /** The pages that may ask for the passkey. */
  allowedOrigins: string[];
  /** The domain that the passkey belongs to. */
  relyingPartyId: string;
};

export type PasskeyFactorEnrollRequest = {
  /** What kind it is. */
  type: "PASSKEY";
};

export type PaymentArbitrumWalletInfo = {
  /** The kind of account or wallet. */
  accountType: "ARBITRUM_WALLET";
  /** Address on the chain. */
  address: string;
  /** The asset that the wallet takes. */
  assetType?: string;
};

export type PaymentArsAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "ARS_ACCOUNT";
  /** Account number. */
  accountNumber: string;
};

export type PaymentBaseWalletInfo = {
  /** The kind of account or wallet. */
  accountType: "BASE_WALLET";
  /** Address on the chain. */
  address: string;
  /** The asset that the wallet takes. */
  assetType?: string;
};

export type PaymentBitcoinDepositAddressInfo = {
  /** The kind of account or wallet. */
  accountType: "BITCOIN_L1";
  /** Address on the chain. */
  address: string;
  /** The network. */
  network: "BITCOIN";
};

export type PaymentBrlAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "BRL_ACCOUNT";
  /** The text of the QR code to pay with. */
  qrCode: string;
};

export type PaymentCopAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "COP_ACCOUNT";
  /** The page on which the payment is made. */
  paymentUrl: string;
};

export type PaymentDocument = {
  /** To be named in `documentIds` of a quote. */
  id: string;
  /** Absent for a document of the platform's own payments. */
  customerId?: string;
  /** What kind of document it is. */
  documentType: PaymentDocumentType;
  /** As uploaded, without a path. */
  fileName: string;
  /** Size of the file. */
  sizeBytes: number;
  /** The media type that was found in the file. */
  contentType: string;
  /** The state it is in. */
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
  /** What kind of document it is. */
  documentType: PaymentDocumentType;
  /** The customer whose payment it supports. Absent for the platform's own payments. */
  customerId?: string;
};

export type PaymentEmbeddedWalletInfo = {
  /** The kind of account or wallet. */
  accountType: "EMBEDDED_WALLET";
  /** The text that the owner of the wallet signs to pay. */
  payloadToSign: string;
};

export type PaymentEthereumWalletInfo = {
  /** The kind of account or wallet. */
  accountType: "ETHEREUM_WALLET";
  /** Address on the chain. */
  address: string;
  /** The asset that the wallet takes. */
  assetType?: string;
};

export type PaymentEurAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "EUR_ACCOUNT";
  /** IBAN. */
  iban: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** The rails that can reach the account. */
  paymentRails: ("SEPA" | "SEPA_INSTANT")[];
  /** A reference that both parties can name. */
  reference: string;
};

export type PaymentInstructions = {
  /** What the payer must know. */
  instructionsNotes?: string;
  /** Whether the money goes to an account of the platform. */
  isPlatformAccount?: boolean;
  /** The account or wallet to pay to. Its members depend on `accountType`. */
  accountOrWalletInfo: (PaymentUsdAccountInfo | PaymentEurAccountInfo | PaymentSwiftAccountInfo | PaymentMxnAccountInfo | PaymentBrlAccountInfo | PaymentCopAccountInfo | PaymentArsAccountInfo | PaymentSparkWalletInfo | PaymentBitcoinDepositAddressInfo | PaymentSolanaWalletInfo | PaymentEthereumWalletInfo | PaymentBaseWalletInfo | PaymentPolygonWalletInfo | PaymentTronWalletInfo | PaymentArbitrumWalletInfo | PaymentPlasmaWalletInfo | PaymentEmbeddedWalletInfo);
};

export type PaymentMxnAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "MXN_ACCOUNT";
  /** CLABE. */
  clabeNumber: string;
  /** The rails that can reach the account. */
  paymentRails: "SPEI"[];
  /** A reference that both parties can name. */
  reference: string;
};

export type PaymentPlasmaWalletInfo = {
  /** The kind of account or wallet. */
  accountType: "PLASMA_WALLET";
  /** Address on the chain. */
  address: string;
  /** The asset that the wallet takes. */
  assetType?: string;
};

export type PaymentPolygonWalletInfo = {
  /** The kind of account or wallet. */
  accountType: "POLYGON_WALLET";
  /** Address on the chain. */
  address: string;
  /** The asset that the wallet takes. */
  assetType?: string;
};

export type PaymentRail = "ACH" | "ACH_COLOMBIA" | "ACH_SAME_DAY" | "BANK_TRANSFER" | "BRE_B" | "CIPS" | "FAST" | "FASTER_PAYMENTS" | "FEDNOW" | "INSTAPAY" | "MOBILE_MONEY" | "NEFT" | "PAYNOW" | "PESONET" | "PIX" | "RTGS" | "RTP" | "SEPA" | "SEPA_INSTANT" | "SPEI" | "SWIFT" | "UNIONPAY" | "UPI" | "WIRE";

export type PaymentSolanaWalletInfo = {
  /** The kind of account or wallet. */
  accountType: "SOLANA_WALLET";
  /** Address on the chain. */
  address: string;
  /** The asset that the wallet takes. */
  assetType?: string;
};

export type PaymentSparkWalletInfo = {
  /** The kind of account or wallet. */
  accountType: "SPARK_WALLET";
  /** Address on the chain. */
  address: string;
  /** The asset that the wallet takes. */
  assetType: string;
};

export type PaymentSwiftAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "SWIFT_ACCOUNT";
  /** Country, ISO 3166-1 alpha-2. */
  country: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** Name of the bank. */
  bankName: string;
  /** Account number. */
  accountNumber: string;
  /** Name of the holder. */
  accountHolderName: string;
  /** The rails that can reach the account. */
  paymentRails: "SWIFT"[];
  /** A reference that both parties can name. */
  reference: string;
};

export type PaymentTronWalletInfo = {
  /** The kind of account or wallet. */
  accountType: "TRON_WALLET";
  /** Address on the chain. */
  address: string;
  /** The asset that the wallet takes. */
  assetType?: string;
};

export type PaymentUsdAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "USD_ACCOUNT";
  /** Account number. */
  accountNumber: string;
  /** ABA routing number. */
  routingNumber: string;
  /** Name of the bank. */
  bankName: string;
  /** Checking or savings. */
  bankAccountType: "CHECKING" | "SAVINGS";
  /** The rails that can reach the account. */
  paymentRails: ("ACH" | "ACH_SAME_DAY" | "WIRE" | "RTP" | "FEDNOW")[];
  /** A reference that both parties can name. */
  reference: string;
};

export type PepStatus = "NONE" | "DOMESTIC" | "FOREIGN" | "HIO" | "FAMILY_OR_ASSOCIATE";

export type Permission = "VIEW" | "TRANSACT" | "MANAGE";

export type PhpExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "PHP_ACCOUNT";
  /** The rail. */
  rail?: string;
  /** Name of the bank. */
  bankName: string;
  /** Account number. */
  accountNumber: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type PhpExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "PHP_ACCOUNT";
  /** The rail. */
  rail?: string;
  /** Name of the bank. */
  bankName: string;
  /** Account number. */
  accountNumber: string;
  /** The rails that can reach the account. */
  paymentRails: "BANK_TRANSFER"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type PkrExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "PKR_ACCOUNT";
  /** Name of the bank. */
  bankName: string;
  /** Account number. */
  accountNumber?: string;
  /** IBAN. */
  iban?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type PkrExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "PKR_ACCOUNT";
  /** Name of the bank. */
  bankName: string;
  /** Account number. */
  accountNumber?: string;
  /** IBAN. */
  iban?: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** The rails that can reach the account. */
  paymentRails: ("BANK_TRANSFER" | "MOBILE_MONEY")[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type PlasmaWalletExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "PLASMA_WALLET";
  /** Address on the chain. */
  address: string;
  /** The exchange or custodian that holds the wallet. Absent for a wallet that the owner holds. */
  vaspName?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary?: WalletBeneficiaryOneOf;
};

export type PlatformConfig = {
  /** The id. It names its kind and never changes. */
  id?: string;
  /** The domain of the platform's UMA addresses. */
  umaDomain?: string;
  /** The subdomain of the service under which the addresses are reached without a domain of your own. */
  proxyUmaSubdomain?: string;
  /** Whether the platform itself is regulated. The operator sets it. */
  isRegulatedFinancialInstitution?: boolean;
  /** Where events are posted. Setting it sends a `TEST` event. */
  webhookEndpoint?: string;
  /** The currencies of the platform, each with its limits and requirements. New customers get accounts in them. */
  supportedCurrencies?: PlatformCurrencyConfig[];
  /** How one-time codes of embedded wallets look. */
  embeddedWalletConfig?: EmbeddedWalletConfig;
  /** How the messages look that confirm a card in a digital wallet. */
  cardTokenization2faConfig?: CardTokenization2FAConfig;
  /** What holds for all cards of the platform. */
  cardConfigs?: CardConfig;
  /** Fees that the platform charges its customers. */
  feeConfigs?: FeeConfigOneOf[];
  /** When it was created. */
  createdAt?: string;
  /** When it was last changed. */
  updatedAt?: string;
};

export type PlatformConfigUpdateRequest = {
  /** The domain of the platform's UMA addresses. */
  umaDomain?: string;
  /** Where events are posted. Setting it sends a `TEST` event. */
  webhookEndpoint?: string;
  /** The currencies of the platform, each with its limits and requirements. New customers get accounts in them. */
  supportedCurrencies?: PlatformCurrencyConfig[];
  /** How one-time codes of embedded wallets look. */
  embeddedWalletConfig?: EmbeddedWalletConfig;
  /** How the messages look that confirm a card in a digital wallet. */
  cardTokenization2faConfig?: CardTokenization2FAConfig;
  /** What holds for all cards of the platform. */
  cardConfigs?: CardConfig;
  /** Fees that the platform charges its customers. */
  feeConfigs?: FeeConfigOneOf[];
};

export type PlatformCurrencyConfig = {
  /** Code of the currency. */
  currencyCode: string;
  /** The least amount of one payment. */
  minAmount: number;
  /** The greatest amount of one payment. */
  maxAmount: number;
  /** What you want to know about the other party of a payment. */
  requiredCounterpartyFields: CounterpartyFieldDefinition[];
  /** What a provider wants to know about your customer. */
  providerRequiredCustomerFields?: CustomerInfoFieldName[];
  /** What a provider wants to know about the other party. */
  providerRequiredCounterpartyCustomerFields?: CustomerInfoFieldName[];
  /** Which directions are allowed in this currency. */
  enabledTransactionTypes: TransactionType[];
};

export type PlatformExternalAccountCreateRequest = {
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: string;
  /** Your own id of the account. */
  platformAccountId?: string;
  /** Whose account it is: the customer's own, or someone else's. */
  ownershipType?: OwnershipType;
  /** The account itself. Its members depend on `accountType`. */
  accountInfo: ExternalAccountCreateInfoOneOf;
};

export type PlatformFeeOverride = {
  /** The fixed part. */
  platformFixedFee: FixedFee;
  /** Part of the amount in hundredths of a percent. */
  platformVariableFeeBps: number;
};

export type PlatformInternalAccountListResponse = {
  /** The rows, in order. */
  data: InternalAccount[];
};

export type PolygonWalletExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "POLYGON_WALLET";
  /** Address on the chain. */
  address: string;
  /** The exchange or custodian that holds the wallet. Absent for a wallet that the owner holds. */
  vaspName?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary?: WalletBeneficiaryOneOf;
};

export type PurposeOfAccount = "CONTRACTOR_PAYOUTS" | "CREATOR_PAYOUTS" | "EMPLOYEE_PAYOUTS" | "MARKETPLACE_SELLER_PAYOUTS" | "SUPPLIER_PAYMENTS" | "CROSS_BORDER_B2B" | "AR_AUTOMATION" | "AP_AUTOMATION" | "EMBEDDED_PAYMENTS" | "PLATFORM_FEE_COLLECTION" | "P2P_TRANSFERS" | "CHARITABLE_DONATIONS" | "OTHER";

export type PurposeOfPayment = "GIFT" | "SELF" | "GOODS_OR_SERVICES" | "EDUCATION" | "HEALTH_OR_MEDICAL" | "REAL_ESTATE_PURCHASE" | "TAX_PAYMENT" | "LOAN_PAYMENT" | "UTILITY_BILL" | "DONATION" | "TRAVEL" | "FAMILY_SUPPORT" | "SALARY_PAYMENT" | "EXPORTED_GOODS_PREPAYMENT" | "EXPORTED_GOODS_POSTPAYMENT" | "SERVICE_CHARGES" | "OFFICE_EXPENSES" | "DELIVERY_FEES" | "HOTEL_ACCOMMODATION" | "COMMISSION_ON_GOODS" | "COMMISSION_ON_SERVICES" | "ACCOUNTING_SERVICES" | "EXHIBITION_SERVICES" | "OTHER";

export type Quote = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** The state it is in. */
  status: QuoteStatus;
  /** When it was created. */
  createdAt: string;
  /** Until when it is valid. */
  expiresAt: string;
  /** Where the money comes from. */
  source: QuoteSourceOneOf;
  /** Where the money goes. */
  destination: QuoteDestinationOneOf;
  sendingCurrency: Currency;
  receivingCurrency: Currency;
  /** What leaves the source, fees included, in the smallest unit of `sendingCurrency`. */
  totalSendingAmount: number;
  /** What arrives, in the smallest unit of `receivingCurrency`. */
  totalReceivingAmount: number;
  /** Sending units per receiving unit, in whole units, after fees. */
  exchangeRate: number;
  /** All fees in `totalSendingAmount`. */
  feesIncluded: number;
  /** The part of the fees that the platform charges. */
  platformFeesIncluded?: number;
  /** How to pay, where the source must act: an account to pay to, or a text that the wallet signs. */
  paymentInstructions?: PaymentInstructions[];
  /** The transaction. */
  transactionId: string;
  /** What is known about the other party. */
  counterpartyInformation?: CounterpartyInformation;
  /** How the rate came about. */
  rateDetails?: OutgoingRateDetails;
  /** What the payment is for. */
  purposeOfPayment?: PurposeOfPayment;
  /** Documents that support the payment. */
  documentIds?: string[];
  /** The challenge that the customer answers. Absent if none is open. */
  scaChallenge?: ScaChallenge;
};

export type QuoteDestinationOneOf = (AccountDestination | UmaAddressDestination);

/** Which side of the payment has the locked amount. Fees come out of a locked sending amount and on top of a receiving one. */
export type QuoteLockSide = "SENDING" | "RECEIVING";

export type QuoteRequest = {
  /** Where the money comes from. */
  source: QuoteSourceOneOf;
  /** Where the money goes. */
  destination: QuoteDestinationOneOf;
  lockedCurrencySide: QuoteLockSide;
  /** In the smallest unit of the currency of the locked side. */
  lockedCurrencyAmount: number;
  /** The look-up of the receiver. Required for a UMA address; it is good for an hour. */
  lookupId?: string;
  /** Creates and executes the quote in one step, or does neither. Not for embedded wallets and realtime funding. */
  immediatelyExecute?: boolean;
  /** A note for the platform, shown on the transaction. */
  description?: string;
  /** Travels with the payment to the receiver: printable ASCII. */
  remittanceInformation?: string;
  /** What the payment is for. */
  purposeOfPayment?: PurposeOfPayment;
  /** Uploaded documents that support the payment, where the destination asks for them. Needs an `Idempotency-Key`. */
  documentIds?: string[];
  /** Other fees of the platform than the configured ones. */
  platformFeeOverride?: PlatformFeeOverride;
  /** The factor that the customer wants to use. */
  scaFactor?: ScaFactor;
  /** Data about the sender that the receiver's provider asks for, by the names in `requiredPayerDataFields` of the look-up. What is left out is taken from the customer's record. */
  senderCustomerInfo?: Record<string, unknown>;
};

export type QuoteSourceOneOf = (AccountQuoteSource | RealtimeFundingQuoteSource);

export type QuoteStatus = "PENDING" | "PENDING_AUTHORIZATION" | "PROCESSING" | "COMPLETED" | "FAILED" | "EXPIRED";

export type RailDetailsOneOf = (OnChainRailDetails | AchRailDetails | WireRailDetails | FedNowRailDetails | RtpRailDetails);

export type RailFeeConfig = {
  /** What the fee is charged for. */
  feeType: "RAIL";
  /** Part of the amount in hundredths of a percent: 50 is 0.5 %. */
  variableFeeBps: number;
  /** A fixed part. That of a conversion fee is in the source currency. */
  fixedFee: FixedFee;
  /** The rail. */
  rail: PaymentRail;
  /** Whether the money comes in or goes out. */
  direction: FeeDirection;
  /** Who started the payment: the service (`GRID`) or someone else (`EXTERNAL`). */
  originator: FeeOriginator;
};

export type RailSelectionMode = "AUTO" | "MANUAL";

export type RealtimeFundingQuoteSource = {
  /** What kind of source it is. */
  sourceType: "REALTIME_FUNDING";
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: string;
  /** The customer. */
  customerId?: string;
  /** The network. */
  cryptoNetwork?: string;
};

export type RealtimeFundingTransactionSource = {
  /** What kind of source it is. */
  sourceType: "REALTIME_FUNDING";
  /** The customer. */
  customerId?: string;
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: string;
  /** What the rail says about the payment. */
  railDetails?: RailDetailsOneOf;
  /** The transaction on its chain. Use `railDetails` instead. */
  onChainTransaction?: OnChainTransaction;
};

export type ReceiverExternalAccountLookupResponse = {
  /** The account that was looked up. */
  accountId: string;
  sendingCurrency: Currency;
  /** The currencies that the receiver can get. */
  supportedCurrencies: CurrencyPreference[];
  /** What the receiver's provider asks for about the sender. Sent as `senderCustomerInfo` of the quote, or known from the customer. */
  requiredPayerDataFields?: CounterpartyFieldDefinition[];
  /** Named by quotes to this receiver, for an hour. */
  lookupId: string;
};

export type ReceiverUmaLookupResponse = {
  /** The address that was looked up. */
  receiverUmaAddress: string;
  sendingCurrency: Currency;
  /** The currencies that the receiver can get. */
  supportedCurrencies: CurrencyPreference[];
  /** What the receiver's provider asks for about the sender. Sent as `senderCustomerInfo` of the quote, or known from the customer. */
  requiredPayerDataFields?: CounterpartyFieldDefinition[];
  /** Named by quotes to this receiver, for an hour. */
  lookupId: string;
};

export type ReconciliationInstructions = {
  /** The reference on the bank's side. */
  reference?: string;
  /** Hash of the transaction on its chain. */
  transactionHash?: string;
};

export type RecordSecurityEventRequest = {
  /** What happened in your app. */
  eventType: SecurityEventType;
  /** The end user's IPv4 or IPv6 address. */
  endUserIpAddress: string;
};

export type RecordSecurityEventResponse = {
  /** What happened in your app. */
  eventType: SecurityEventType;
  /** Locked without end, until a password reset is reported. */
  suspended: boolean;
  /** Until when the customer is locked out. Null if not. */
  lockedUntil?: string | null;
  /** Failed attempts since the last reported password reset. A login that succeeds does not end the count. */
  failedAttempts: number;
};

export type Refund = {
  /** The reference of the refund. */
  reference: string;
  /** When it was started. */
  initiatedAt: string;
  /** When it was final. */
  settledAt?: string;
  /** The state it is in. */
  status: "PENDING" | "COMPLETED" | "FAILED";
  /** Why, for people. */
  reason?: "TRANSACTION_FAILED" | "USER_CANCELLATION" | "TIMEOUT";
};

export type RejectPaymentRequest = {
  /** Why the payment is rejected. Of an incoming payment it is not stored. For the transaction of an agent whose action waits it becomes the `rejectionReason` of the action, which the agent reads. */
  reason?: string;
};

export type RtpRailDetails = {
  /** The rail that carries the payment. */
  paymentRail: "RTP";
  /** The state it is in. */
  status: "PENDING" | "SETTLED" | "FAILED";
  /** Id of the payment from end to end. */
  endToEndId?: string;
  /** Text that travels with the payment. */
  remittanceInformation?: string;
  /** The account at the other end. */
  bankAccount?: UsdBankAccountDetails;
  /** When it was final. */
  settledAt?: string;
};

export type RwfExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "RWF_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type RwfExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "RWF_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** The rails that can reach the account. */
  paymentRails: "MOBILE_MONEY"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type SamsungPayTokenizationRequest = {
  /** The digital wallet. */
  wallet: "SAMSUNG_PAY";
  /** The account in the wallet. */
  walletAccountId: string;
  /** The device. */
  deviceId: string;
};

export type SamsungPayTokenizationResponse = {
  /** The digital wallet. */
  wallet: "SAMSUNG_PAY";
  /** What the phone needs to add the card. */
  provisioningPayload: string;
};

export type SandboxCardAuthorizationAdviceRequest = {
  /** The card transaction that the message is about. */
  cardTransactionId: string;
  /** In the smallest unit of the currency: `10000` with USD is 100.00. */
  amount: number;
};

export type SandboxCardAuthorizationRequest = {
  /** In the smallest unit of the currency: `10000` with USD is 100.00. */
  amount: number;
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: CurrencyRequest;
  /** Where the card was used. */
  merchant: CardMerchantRequest;
};

export type SandboxCardBalanceInquiryRequest = {
  /** Where the card was used. */
  merchant: CardMerchantRequest;
};

export type SandboxCardClearingRequest = {
  /** The card transaction that the message is about. */
  cardTransactionId: string;
  /** In the smallest unit of the currency: `10000` with USD is 100.00. */
  amount: number;
};

export type SandboxCardDisputeCloseRequest = {
  /** The card transaction that the message is about. */
  cardTransactionId: string;
  /** How the dispute ends. */
  disposition: CardDisputeDisposition;
  /** Of `PARTIALLY_WON`: what the merchant pays back, in cents. Half of the disputed amount if you give none. */
  recoveredAmount?: number;
};

export type SandboxCardDisputeCreditRequest = {
  /** The card transaction that the message is about. */
  cardTransactionId: string;
  /** In the smallest unit of the currency: `10000` with USD is 100.00. */
  amount: number;
};

export type SandboxCardDisputeOpenRequest = {
  /** The card transaction that the message is about. */
  cardTransactionId: string;
  /** In the smallest unit of the currency: `10000` with USD is 100.00. */
  amount?: number;
  /** Why the cardholder disputes the transaction. */
  reason?: string;
};

export type SandboxCardDisputeResponse = {
  /** The dispute. */
  disputeId: string;
  /** The dispute at the issuer. */
  disputeToken: string;
  /** The state it is in. */
  status: SandboxCardDisputeStatus;
  /** How the dispute ended. Null while it is open. */
  disposition?: "WON" | "PARTIALLY_WON" | "LOST" | "WITHDRAWN" | "DENIED" | null;
};

export type SandboxCardDisputeStatus = "OPEN" | "CLOSED";

export type SandboxCardProgram = {
  /** The name of the program. */
  id: string;
  /** What it is, for people. */
  summary: string;
  /** Cards issued next belong to it. */
  selected: boolean;
  /** Who decides authorizations. */
  decides: "SERVICE" | "ISSUER";
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: string;
  /** The card network. */
  brand: "VISA" | "MASTERCARD";
  /** Currencies of accounts that can fund its cards. */
  fundingCurrencies: string[];
  /** What cards of the program can do. */
  cardCapabilities: CardCapabilities;
  /** Whether its cards have a PIN. */
  supportsPin: boolean;
};

export type SandboxCardProgramList = {
  /** The rows, in order. */
  data: SandboxCardProgram[];
};

export type SandboxCardProgramRequest = {
  /** The card program. */
  program: string;
};

export type SandboxCardReturnRequest = {
  /** The card transaction that the message is about. */
  cardTransactionId: string;
  /** In the smallest unit of the currency: `10000` with USD is 100.00. */
  amount: number;
};

export type SandboxCardReversalRequest = {
  /** The card transaction that the message is about. */
  cardTransactionId: string;
  /** In the smallest unit of the currency: `10000` with USD is 100.00. */
  amount?: number;
};

export type SandboxCardSimulationResponse = {
  /** The transaction at the issuer. */
  issuerTransactionToken: string;
};

export type SandboxCardTransactionRefRequest = {
  /** The card transaction that the message is about. */
  cardTransactionId: string;
};

export type SandboxClock = {
  /** The time of the platform's clock. */
  now: string;
  /** Whether the clock stands still. */
  frozen: boolean;
  /** What falls due next: each job that has work, the earliest first. */
  due: SandboxClockRemainder[];
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
  /** When its earliest work is due. */
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
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: string;
  /** Units for one US dollar, as a decimal. Null: the rate of the sandbox table. */
  perUsd: string | null;
  /** Whether the currency has a rate. */
  available: boolean;
};

export type SandboxExchangeRateRequest = {
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: string;
  /** Units for one US dollar, as a decimal. Null: the rate of the sandbox table. */
  perUsd?: string | null;
  /** Without a rate, new quotes are refused and older ones cannot be executed. */
  available?: boolean;
};

export type SandboxFault = {
  /** What goes wrong. `ANSWER`: the request is refused with `code` and nothing happens. `DELAY`: it waits `delayMs` first. `CUT_BEFORE_COMMIT`: the connection is cut and nothing happens. `CUT_AFTER_COMMIT`: everything happens and the connection is cut instead of an answer. `WEBHOOK_LOST`: an event counts as delivered and is not sent. `WEBHOOK_DUPLICATE`: it is sent twice. `PROVIDER_REFUSES`, `PROVIDER_SLOW`, `PROVIDER_SILENT`: a party behind the service refuses, takes `delayMs` longer, or does not answer. */
  kind: "ANSWER" | "DELAY" | "CUT_BEFORE_COMMIT" | "CUT_AFTER_COMMIT" | "WEBHOOK_LOST" | "WEBHOOK_DUPLICATE" | "PROVIDER_REFUSES" | "PROVIDER_SLOW" | "PROVIDER_SILENT";
  /** The operation id whose requests it applies to. Without it: every operation. Requests of the console are left out. */
  operation?: string;
  /** Of `ANSWER`: an error code that the document lists for the operation. */
  code?: string;
  /** Of `DELAY`: at most 10000. Of `PROVIDER_SLOW`: how much longer the provider takes; rails and verifications take it by the platform's clock, issuers at most 10000 in real time. */
  delayMs?: number;
  /** Of the webhook faults: the type of event. Without it: every event. */
  eventType?: string;
  /** Of the provider faults: which one. */
  provider?: "CARD_ISSUER" | "RAIL" | "KYC" | "STABLECOIN_ISSUER";
  /** Only requests that name this id in path or body, or events about it. */
  objectId?: string;
  /** The share of cases in which it happens, drawn each time. Without it: always. */
  share?: number;
  /** How often it happens: 2 for the next two cases. Without it: until it is removed. */
  count?: number;
};

export type SandboxFaultState = {
  /** What goes wrong. `ANSWER`: the request is refused with `code` and nothing happens. `DELAY`: it waits `delayMs` first. `CUT_BEFORE_COMMIT`: the connection is cut and nothing happens. `CUT_AFTER_COMMIT`: everything happens and the connection is cut instead of an answer. `WEBHOOK_LOST`: an event counts as delivered and is not sent. `WEBHOOK_DUPLICATE`: it is sent twice. `PROVIDER_REFUSES`, `PROVIDER_SLOW`, `PROVIDER_SILENT`: a party behind the service refuses, takes `delayMs` longer, or does not answer. */
  kind: "ANSWER" | "DELAY" | "CUT_BEFORE_COMMIT" | "CUT_AFTER_COMMIT" | "WEBHOOK_LOST" | "WEBHOOK_DUPLICATE" | "PROVIDER_REFUSES" | "PROVIDER_SLOW" | "PROVIDER_SILENT";
  /** The operation id whose requests it applies to. Without it: every operation. Requests of the console are left out. */
  operation?: string;
  /** Of `ANSWER`: an error code that the document lists for the operation. */
  code?: string;
  /** Of `DELAY`: at most 10000. Of `PROVIDER_SLOW`: how much longer the provider takes; rails and verifications take it by the platform's clock, issuers at most 10000 in real time. */
  delayMs?: number;
  /** Of the webhook faults: the type of event. Without it: every event. */
  eventType?: string;
  /** Of the provider faults: which one. */
  provider?: "CARD_ISSUER" | "RAIL" | "KYC" | "STABLECOIN_ISSUER";
  /** Only requests that name this id in path or body, or events about it. */
  objectId?: string;
  /** The share of cases in which it happens, drawn each time. Without it: always. */
  share?: number;
  /** How often it happens: 2 for the next two cases. Without it: until it is removed. */
  count?: number;
  /** How often it still happens, of a fault with a count. */
  remaining?: number;
};

export type SandboxFaults = {
  /** The faults in their order. */
  data: SandboxFaultState[];
};

export type SandboxFaultsRequest = {
  /** All faults of the platform; earlier ones are gone. The first that applies wins. */
  faults: SandboxFault[];
};

export type SandboxFixture = {
  /** The name of the fixture. */
  name: string;
  /** How many steps were applied now. */
  applied: number;
  /** How many steps had been applied before. */
  unchanged: number;
  /** The steps, in their order. */
  steps: SandboxFixtureStepResult[];
  /** The outputs that the fixture names. */
  outputs: Record<string, unknown>;
};

export type SandboxFixtureRequest = {
  /** Names the fixture. Its steps are applied once under this name. */
  name: string;
  /** What the fixture is for. Not stored. */
  description?: string;
  /** The calls and clock changes, in their order. */
  steps: SandboxFixtureStep[];
  /** Values to show in the answer by name, such as `"account": "${accounts.data.0.id}"`. */
  outputs?: Record<string, string>;
};

export type SandboxFixtureStep = {
  /** Names the step within the fixture. Later steps refer to its answer by this name. */
  name: string;
  /** The operation, by its command: `customers create`. Each operation shows its command as `x-command`. */
  call?: string;
  /** The parameters of the path, in their order. */
  ids?: string[];
  /** The query parameters by name. */
  query?: Record<string, unknown>;
  /** The body of the request. */
  body?: Record<string, unknown>;
  headers?: SandboxFixtureStepHeaders;
  /** Instead of a call: a change of the clock, as `PUT /sandbox/clock` takes it. */
  clock?: SandboxClockRequest;
};

/** Headers of a signed retry. */
export type SandboxFixtureStepHeaders = {
  /** Of a signed retry: the `requestId` of the initial answer. */
  "Request-Id"?: string;
  /** Of a signed retry: the signature of the end user. */
  "Service-Wallet-Signature"?: string;
};

export type SandboxFixtureStepResult = {
  /** The name of the step. */
  name: string;
  /** Whether it was applied now or before. */
  status: "APPLIED" | "UNCHANGED";
  /** The id of what the step made or changed, if its answer has one. */
  id?: string;
};

export type SandboxFundRequest = {
  /** In the smallest unit of the currency: `10000` with USD is 100.00. */
  amount: number;
  /** Text that travels with the payment. */
  remittanceInformation?: string;
  /** A note for the platform. It does not travel to the other party. */
  description?: string;
};

export type SandboxLivenessEntry = {
  /** The token of the page. */
  token: string;
  /** What the party that is played decides. */
  outcome: "PASS" | "FAIL" | "REVIEW";
};

export type SandboxLivenessOutcomeRequest = {
  /** What the party that is played decides. */
  outcome: "PASS" | "FAIL";
};

export type SandboxMessage = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** How it was sent. */
  channel: MessageChannel;
  /** The e-mail address or phone number. */
  to: string;
  /** Of a mail. */
  subject?: string;
  /** With the code, where the message carries one. */
  text: string;
  /** When it was created. */
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
  /** A token of the identity provider. */
  oidcToken: string;
};

export type SandboxOidcTokenRequest = {
  /** For whom the token is: `aud`. */
  audience: string;
  /** Who the token is about: `sub`. */
  subject: string;
  /** For sign-in: the hex SHA-256 of clientPublicKey. */
  nonce?: string;
  /** The address in the token. */
  email?: string;
};

export type SandboxPinEntry = {
  /** The token of the page. */
  sessionToken: string;
  /** The PIN that the cardholder enters. */
  pin: string;
};

export type SandboxRailEvent = {
  /** RETURN and REVERSE follow a settlement, DISHONOR follows a return, CONTEST follows a dishonored return. REVERSE exists for incoming payments only. */
  event: "RETURN" | "DISHONOR" | "CONTEST" | "REVERSE";
};

export type SandboxReset = {
  /** Rows of the database that are gone. */
  deletedRows: number;
  /** The platform's clock, which runs again with the real time. */
  now: string;
};

export type SandboxResetRequest = {
  /** The name of the platform, to confirm that it is the right one. A wrong name is refused with the right one. */
  name: string;
};

export type SandboxSendRequest = {
  /** A quote with realtime funding that waits for its money. */
  quoteId: string;
  /** The sending currency of the quote. */
  currencyCode: string;
  /** What the payer sends, in the smallest unit. Default: exactly what the quote asks for. */
  currencyAmount?: number;
};

export type SandboxSnapshot = {
  /** The name that it was given. */
  name: string;
  /** Rows of the database that it holds. */
  rows: number;
  /** The platform's clock when it was taken. A restore sets the clock to it. */
  now: string;
  /** Whether the clock was frozen when it was taken. */
  frozen: boolean;
  /** The latest migration of the database when it was taken. Only this version of the service restores it. */
  schemaVersion: string;
  /** When it was taken, in real time. */
  createdAt: string;
};

export type SandboxSnapshotExportRequest = {
  /** The file is encrypted with it, and opens with nothing else. The service does not keep it. */
  passphrase: string;
};

export type SandboxSnapshotImportRequest = {
  /** The name of the snapshot on this platform. */
  name: string;
  /** The file is encrypted with it, and opens with nothing else. The service does not keep it. */
  passphrase: string;
  /** The file, as it was exported. */
  file: FilePart;
};

export type SandboxSnapshotListResponse = {
  /** Newest first, at most 20. */
  data: SandboxSnapshot[];
};

export type SandboxSnapshotRequest = {
  /** Letters, digits, `.`, `_` and `-`. It names the snapshot in the paths of the other operations. */
  name: string;
};

export type SandboxUmaReceiveRequest = {
  /** An address of the sandbox, such as `$success.usd@sandbox.uma.money`. */
  senderUmaAddress: string;
  /** UMA address of the customer who is paid. Required without `customerId`. */
  receiverUmaAddress?: string;
  /** The customer who is paid. Required without `receiverUmaAddress`. */
  customerId?: string;
  /** The currency that the customer gets. */
  receivingCurrencyCode: string;
  /** What the customer gets, in the smallest unit of the currency. */
  receivingCurrencyAmount: number;
};

export type SandboxVerificationDecision = {
  /** What the party that is played decides. */
  outcome: "APPROVED" | "REJECTED" | "RESOLVE_ERRORS" | "PENDING_MANUAL_REVIEW";
  /** For RESOLVE_ERRORS and REJECTED. */
  errors?: VerificationProblem[];
};

export type SandboxVerificationStatus = {
  /** The state it is in. */
  status: "UNVERIFIED" | "PENDING" | "APPROVED" | "REJECTED" | "HOLD";
};

export type ScaAuthorization = {
  /** The code of the text message. A code of an authenticator app is bound to no payment and is refused. */
  code?: string | null;
  /** What `navigator.credentials.get` returned, in JSON form. */
  passkeyAssertion?: Record<string, unknown> | null;
  /** With `passkeyAssertion`: the page that asked for it. */
  origin?: string | null;
  /** The end user's IPv4 or IPv6 address. */
  endUserIpAddress?: string | null;
};

export type ScaChallenge = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** Until when it is valid. */
  expiresAt: string;
  /** The factor. */
  factor: ScaFactor;
  /** The factors that can answer it. */
  availableFactors: ScaFactor[];
  /** What the challenge is for. */
  purpose?: string | null;
  /** The argument of `navigator.credentials.get`, in JSON form. */
  passkeyAssertionOptions?: Record<string, unknown> | null;
  /** The pages that may ask for the passkey. */
  passkeyAllowedOrigins?: string[] | null;
};

export type ScaFactor = "SMS_OTP" | "TOTP" | "PASSKEY";

export type ScaFactorConfirmRequestOneOf = (TotpEnrollmentConfirmRequest | PasskeyEnrollmentConfirmRequest);

export type ScaFactorConfirmResponseOneOf = (TotpEnrollmentConfirmResponse | PasskeyEnrollmentConfirmResponse);

export type ScaFactorEnrollRequestOneOf = (TotpFactorEnrollRequest | PasskeyFactorEnrollRequest);

export type ScaFactorEnrollStartOneOf = (TotpEnrollmentStart | PasskeyEnrollmentStart);

export type ScaFactorList = {
  /** The factors that the customer can use now. */
  factors: ScaFactorView[];
};

export type ScaFactorView = {
  /** The factor. */
  factor: ScaFactor;
  /** Of PASSKEY: the id with which it is deleted. */
  credentialId?: string;
  /** A name for people. */
  name?: string;
};

export type ScaLoginComplete = {
  /** The state it is in. */
  status: string;
  /** Until when the customer counts as authenticated. */
  sessionExpiresAt?: string | null;
};

export type ScaLoginCompleteRequest = {
  /** The factor. */
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
  /** The factor. */
  factor: ScaFactor;
  /** Of SMS_OTP. */
  challengeId?: string | null;
  /** Of SMS_OTP: until when the code is accepted. */
  expiresAt?: string | null;
  /** Of PASSKEY: the argument of `navigator.credentials.get`, in JSON form. */
  passkeyOptions?: Record<string, unknown> | null;
  /** The pages that may ask for the passkey. */
  allowedOrigins?: string[] | null;
  /** The domain that the passkey belongs to. */
  relyingPartyId?: string | null;
};

export type ScaLoginStartRequest = {
  /** The factor. */
  factor: ScaFactor;
};

/** What a search found. */
export type SearchResponse = {
  /** The best matches. */
  data: SearchResult[];
};

/** An object that a search found. */
export type SearchResult = {
  /** What was found. */
  type: "Customer" | "BeneficialOwner" | "Verification" | "Document" | "Job" | "InternalAccount" | "ExternalAccount" | "Card" | "CardDispute" | "Transaction" | "Quote" | "PaymentDocument" | "Stablecoin" | "StablecoinOperation" | "Agent" | "AgentAction" | "DelegatedKey" | "AuthMethod" | "Session" | "Request" | "Token" | "Webhook" | "LoggedRequest";
  /** Its id. */
  id: string;
  /** A customer's name. */
  name?: string;
  /** A customer's email address. */
  email?: string;
  /** The platform's own id of a customer. */
  platformCustomerId?: string;
};

export type SecurityEventType = "FAILED_LOGIN_ATTEMPT" | "RESET_PASSWORD_COMPLETED";

export type ServiceEnvironment = "SANDBOX" | "PRODUCTION";

export type ServicePosition = {
  /** FUNDING is the outside world, CLEARING holds money that was taken and is not delivered yet, FX is the currency position, FEES are the fees of the service, SUSPENSE holds refunds that could not be paid, RESERVE bears losses, RECEIVABLE is what holders owe, CARD_SETTLEMENT is what card networks are paid. */
  purpose: "FUNDING" | "CARD_SETTLEMENT" | "FEES" | "RESERVE" | "RECEIVABLE" | "CLEARING" | "FX" | "SUSPENSE";
  /** Code of the currency. */
  currency: string;
  /** In the smallest unit of the currency, exact up to 2^53. Negative where more went out than came in. */
  balance: number;
};

export type ServicePositionList = {
  /** Every position that is not zero, by purpose and currency. */
  data: ServicePosition[];
};

export type SessionListResponse = {
  /** The rows, in order. */
  data: AuthSession[];
};

export type SgdExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "SGD_ACCOUNT";
  /** Name of the bank. */
  bankName?: string;
  /** Account number. */
  accountNumber: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type SgdExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "SGD_ACCOUNT";
  /** Name of the bank. */
  bankName?: string;
  /** Account number. */
  accountNumber: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** The rails that can reach the account. */
  paymentRails: ("PAYNOW" | "FAST" | "BANK_TRANSFER")[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

/** A call that waits, or waited, for the signature of the owner of a wallet. */
export type SignedRequest = {
  /** The `requestId` of the challenge, to be sent as `Request-Id` with the signature. */
  id: string;
  /** OPEN until it is used or expires. */
  status: "OPEN" | "USED" | "EXPIRED";
  /** The operation id that is called again with the signature. */
  operation: string;
  /** The id in the path of the call, if it has one. */
  targetId?: string;
  /** Number of the signature within an operation that needs several. */
  leg: number;
  /** What the owner signs, byte for byte. */
  payloadToSign: string;
  /** The embedded wallet whose owner signs. */
  internalAccountId: string;
  /** The only key that may sign. Absent if every session key of the account may. */
  expectedPublicKey?: string;
  /** When it was asked for. */
  createdAt: string;
  /** Until when the signature is accepted. */
  expiresAt: string;
  /** When the signed call was executed. */
  usedAt?: string;
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

/** One page of a list. */
export type SignedRequestListResponse = {
  /** The rows of this page. */
  data: SignedRequest[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type SlvExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "SLV_ACCOUNT";
  /** Name of the bank. */
  bankName?: string;
  /** Account number. */
  accountNumber?: string;
  /** Checking or savings. */
  bankAccountType?: "CHECKING" | "SAVINGS";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type SlvExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "SLV_ACCOUNT";
  /** Name of the bank. */
  bankName?: string;
  /** Account number. */
  accountNumber?: string;
  /** Checking or savings. */
  bankAccountType?: "CHECKING" | "SAVINGS";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
  /** The rails that can reach the account. */
  paymentRails: ("BANK_TRANSFER" | "MOBILE_MONEY")[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type SmsOtpCredentialCreateRequest = {
  /** What kind it is. */
  type: "SMS_OTP";
  /** The internal account. */
  accountId: string;
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber?: string;
};

export type SmsOtpCredentialVerifyRequest = {
  /** What kind it is. */
  type: "SMS_OTP";
  /** The one-time code and the public key of the device, encrypted to the challenge. */
  encryptedOtpBundle: string;
};

export type SolanaWalletExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "SOLANA_WALLET";
  /** Address on the chain. */
  address: string;
  /** The exchange or custodian that holds the wallet. Absent for a wallet that the owner holds. */
  vaspName?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary?: WalletBeneficiaryOneOf;
};

export type SourceOfFundsCategory = "OPERATING_REVENUE" | "INVESTMENT_INCOME" | "LOANS" | "VENTURE_CAPITAL" | "PERSONAL_SAVINGS" | "DONATIONS" | "OTHER";

export type SourceOfWealthCategory = "SALARY" | "BUSINESS_INCOME" | "INVESTMENTS" | "INHERITANCE" | "PROPERTY_SALE" | "GIFT" | "RETIREMENT" | "SAVINGS" | "OTHER";

export type SparkWalletExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "SPARK_WALLET";
  /** Address on the chain. */
  address: string;
  /** The exchange or custodian that holds the wallet. Absent for a wallet that the owner holds. */
  vaspName?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary?: WalletBeneficiaryOneOf;
};

export type Stablecoin = {
  /** Id of the stablecoin. */
  id: string;
  /** Name of the token at the provider. */
  name: string;
  /** Symbol of the token, unique on the platform. */
  symbol: string;
  /** Currency that the token stands for. */
  baseCurrency: string;
  /** The network. */
  network: StablecoinNetwork;
  /** Number of decimals of the smallest unit. */
  decimals: number;
  /** How far the issuance at the provider is. */
  issuanceStatus: StablecoinIssuanceStatus;
  /** Whether the service handles the token as a currency. */
  gridOperationsStatus: StablecoinGridOperationsStatus;
  /** The token as its network names it, unique on the platform. */
  networkTokenIdentifier: string;
  /** Currency code of the token in the service, while operations are `ENABLED`. */
  currency?: string;
  /** The issuer at which the stablecoin exists. */
  provider: StablecoinProvider;
  /** Link to the account that issues the token. */
  stablecoinProviderAccountId: string;
  /** Environment of the provider; it follows the mode of the installation. */
  providerEnvironment: StablecoinProviderEnvironment;
  /** The token as the provider names it. */
  providerTokenIdentifier: string;
  /** When the stablecoin was registered. */
  createdAt: string;
  /** When the stablecoin last changed. */
  updatedAt: string;
};

export type StablecoinAchDebitFundingSource = {
  /** Selects the kind. */
  type: "ACH_DEBIT";
  /** External account of type `USD_ACCOUNT` of the platform or of a customer; it must be `ACTIVE`. It is debited. */
  externalAccountId: string;
};

export type StablecoinBurnDestination = (StablecoinExternalAccountBurnDestination | StablecoinGridInternalBurnDestination);

export type StablecoinBurnDestinationRail = "WIRE" | "ACH_CREDIT" | "SAME_DAY_ACH_CREDIT" | "RTP_CREDIT";

export type StablecoinBurnRequest = {
  /** Amount in the smallest unit of the token, as a text of digits. It must be worth whole cents: with 6 decimals, a multiple of 10000. */
  amount: string;
  /** Where the money comes from. */
  source: StablecoinBurnSource;
  /** Where the money goes. */
  destination: StablecoinBurnDestination;
  /** A note of yours, returned with the operation. */
  description?: string;
};

export type StablecoinBurnSource = (StablecoinExternalAccountBurnSource | StablecoinGridInternalBurnSource | StablecoinProviderBalanceBurnSource);

/** What a burn pays out, and how long it takes. */
export type StablecoinEstimatedDelivery = {
  /** Rail of the payout. */
  rail?: string;
  /** Dollars that arrive, in cents. */
  amount?: string;
  /** Currency of that amount. */
  currency?: string;
  /** How long the rail takes. */
  timing?: string;
  [member: string]: unknown;
};

export type StablecoinExternalAccountBurnDestination = {
  /** Selects the kind. */
  type: "EXTERNAL_ACCOUNT";
  /** External account of type `USD_ACCOUNT` of the platform or of a customer; it must be `ACTIVE`. It receives the dollars. */
  externalAccountId: string;
  /** The rail. */
  rail: StablecoinBurnDestinationRail;
};

export type StablecoinExternalAccountBurnSource = {
  /** Selects the kind. */
  type: "EXTERNAL_ACCOUNT";
};

/** How the payer sends the funds. For a wire: beneficiary, bank, account and routing number, reference, amount in cents and currency. */
export type StablecoinFundingInstructions = {
  /** Rail over which the funds are awaited. */
  rail?: string;
  /** Network of the tokens to send. */
  network?: string;
  /** Address that the tokens are sent to, for this operation alone. */
  address?: string;
  /** Token to send, as the provider names it. */
  valueType?: string;
  [member: string]: unknown;
};

export type StablecoinGridInternalBurnDestination = {
  /** Selects the kind. */
  type: "GRID_INTERNAL_ACCOUNT";
  /** USD account of the platform or of a customer. It is credited when the operation completes. */
  accountId: string;
  /** The rail. */
  rail: StablecoinBurnDestinationRail;
};

export type StablecoinGridInternalBurnSource = {
  /** Selects the kind. */
  type: "GRID_INTERNAL_ACCOUNT";
  /** Internal account. Reserved: the request is refused. */
  accountId: string;
};

export type StablecoinGridInternalFundingSource = {
  /** Selects the kind. */
  type: "GRID_INTERNAL_ACCOUNT";
  /** Internal account. Reserved: the request is refused. */
  accountId: string;
};

export type StablecoinGridOperationsStatus = "NOT_ENABLED" | "PENDING_APPROVAL" | "ENABLING" | "ENABLED" | "DISABLED";

export type StablecoinIssuanceStatus = "PENDING_REVIEW" | "PROVISIONING" | "PROVISIONED" | "REJECTED" | "FAILED";

/** One page of a list. */
export type StablecoinListResponse = {
  /** The rows of this page. */
  data: Stablecoin[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type StablecoinMintDestination = {
  /** External account of type `SPARK_WALLET` with a Spark address, of the platform or of a customer; it must be `ACTIVE`. The tokens are sent there. */
  accountId: string;
};

export type StablecoinMintFundingSource = (StablecoinWireFundingSource | StablecoinAchDebitFundingSource | StablecoinSameDayAchDebitFundingSource | StablecoinGridInternalFundingSource | StablecoinProviderBalanceFundingSource);

export type StablecoinMintRequest = {
  /** Amount in the smallest unit of the token, as a text of digits. It must be worth whole cents: with 6 decimals, a multiple of 10000. */
  amount: string;
  /** How the tokens are paid for. */
  fundingSource: StablecoinMintFundingSource;
  /** Where the money goes. */
  destination: StablecoinMintDestination;
  /** A note of yours, returned with the operation. */
  description?: string;
};

export type StablecoinNetwork = "SPARK";

export type StablecoinOperation = {
  /** Id of the operation. */
  id: string;
  /** Stablecoin that is minted or burned. */
  stablecoinId: string;
  /** What was done. */
  operationType: StablecoinOperationType;
  /** The state it is in. */
  status: StablecoinOperationStatus;
  /** Amount in the smallest unit of the token. */
  amount: string;
  /** The issuer at which the stablecoin exists. */
  provider: StablecoinProvider;
  /** Environment of the provider; it follows the mode of the installation. */
  providerEnvironment: StablecoinProviderEnvironment;
  /** Link that the order was given with. */
  stablecoinProviderAccountId: string;
  /** Where the money comes from. */
  source?: StablecoinOperationSource;
  fundingInstructions?: StablecoinFundingInstructions;
  /** Where the money goes. */
  destination?: StablecoinOperationDestination;
  estimatedDelivery?: StablecoinEstimatedDelivery;
  /** Until when the funds must have arrived. */
  expiresAt?: string;
  /** Status at the provider: `pending`, `processing`, `complete`, `failed` or `canceled`. */
  providerStatus?: string;
  /** Why a `FAILED` operation failed: `PROVIDER_TRANSFER_FAILED`, `PROVIDER_INSUFFICIENT_BALANCE` or `PROVIDER_CANCELED`. */
  failureReason?: string;
  /** The note of the request. */
  description?: string;
  /** When the operation was created. */
  createdAt: string;
  /** When the status last changed. */
  updatedAt: string;
};

export type StablecoinOperationDestination = {
  /** Account that receives the tokens or the dollars. */
  accountId: string;
  /** The rail. */
  rail?: StablecoinOperationDestinationRail;
};

export type StablecoinOperationDestinationRail = "WIRE" | "ACH_CREDIT" | "SAME_DAY_ACH_CREDIT" | "RTP_CREDIT";

/** One page of a list. */
export type StablecoinOperationListResponse = {
  /** The rows of this page. */
  data: StablecoinOperation[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type StablecoinOperationSource = {
  /** What kind it is. */
  type: StablecoinOperationSourceType;
  /** External account that is debited. */
  externalAccountId?: string;
  /** Internal account. Reserved. */
  accountId?: string;
  /** Token at the provider that is spent. */
  sourceTokenIdentifier?: string;
  /** Network of that token. */
  cryptoNetwork?: string;
};

export type StablecoinOperationSourceType = "WIRE" | "ACH_DEBIT" | "SAME_DAY_ACH_DEBIT" | "EXTERNAL_ACCOUNT" | "GRID_INTERNAL_ACCOUNT" | "PROVIDER_INTERNAL_BALANCE";

export type StablecoinOperationStatus = "CREATED" | "PENDING_FUNDING" | "PENDING_PROVIDER" | "PROCESSING" | "COMPLETED" | "FAILED" | "EXPIRED";

export type StablecoinOperationType = "MINT" | "BURN";

export type StablecoinProvider = "EXTERNAL_ISSUER";

export type StablecoinProviderAccount = {
  /** Id of the link. */
  id: string;
  /** The issuer at which you have the account. */
  provider: StablecoinProvider;
  /** Account at the provider. */
  providerAccountId: string;
  /** Environment of the provider; it follows the mode of the installation. */
  providerEnvironment: StablecoinProviderEnvironment;
  /** The state it is in. */
  status: StablecoinProviderAccountStatus;
  /** When the provider last accepted the credentials of a link request. */
  lastVerifiedAt?: string;
  /** When the account was first linked. */
  createdAt: string;
  /** When the link last changed. */
  updatedAt: string;
};

export type StablecoinProviderAccountLinkRequest = {
  /** The issuer at which you have the account. */
  provider: StablecoinProvider;
  /** Client id of your API credentials at the provider. Stored encrypted. */
  apiClientId: string;
  /** Secret of your API credentials at the provider. Stored encrypted; no answer contains it. */
  apiClientSecret: string;
  /** Account at the provider. It may be left out if the credentials open exactly one. */
  providerAccountId?: string;
};

/** One page of a list. */
export type StablecoinProviderAccountListResponse = {
  /** The rows of this page. */
  data: StablecoinProviderAccount[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

export type StablecoinProviderAccountStatus = "ACTIVE" | "INVALID" | "REVOKED";

export type StablecoinProviderBalanceBurnSource = {
  /** Selects the kind. */
  type: "PROVIDER_INTERNAL_BALANCE";
};

export type StablecoinProviderBalanceFundingSource = {
  /** Selects the kind. */
  type: "PROVIDER_INTERNAL_BALANCE";
  /** Token held at the provider. Reserved: the request is refused. */
  sourceTokenIdentifier: string;
  /** Network of that token. */
  cryptoNetwork: string;
};

export type StablecoinProviderEnvironment = "SANDBOX" | "PRODUCTION";

export type StablecoinRegisterRequest = {
  /** The token as the provider names it. */
  providerTokenIdentifier: string;
  /** The token as its network names it. */
  networkTokenIdentifier: string;
  /** The network. */
  network: StablecoinNetwork;
  /** Link to the account that issues the token. Required if several links are active. */
  stablecoinProviderAccountId?: string;
};

export type StablecoinSameDayAchDebitFundingSource = {
  /** Selects the kind. */
  type: "SAME_DAY_ACH_DEBIT";
  /** External account of type `USD_ACCOUNT` of the platform or of a customer; it must be `ACTIVE`. It is debited. */
  externalAccountId: string;
};

export type StablecoinWireFundingSource = {
  /** Selects the kind. */
  type: "WIRE";
};

export type StatementDelivery = {
  /** The internal account. */
  internalAccountId: string;
  /** First day of the month, in US Central time. */
  periodStart: string;
  /** When the statement was first read. Null until then. */
  fetchedAt?: string | null;
  /** When the customer received the statement. */
  statementDeliveredAt?: string | null;
};

export type SweepRule = {
  /** Where the money goes. */
  destination: SweepRuleDestination;
  /** A deposit of less is not passed on: it goes to the holder's own account. */
  minimumAmount?: CurrencyAmount;
  /** A deposit of more is not passed on: it goes to the holder's own account. */
  maximumAmount?: CurrencyAmount;
  /** What the payment is for. */
  purposeOfPayment?: PurposeOfPayment;
  /** A note for the platform. It does not travel to the other party. */
  description?: string;
  /** Text that travels with the payment. */
  remittanceInformation?: string;
  /** Other fees of the platform than the configured ones. */
  platformFeeOverride?: PlatformFeeOverride;
};

export type SweepRuleDestination = {
  /** The account that gets the money. */
  accountId: string;
  /** The rail that carries the payment. */
  paymentRail?: PaymentRail;
};

export type SweepRuleDestinationRequest = {
  /** The account that gets the money. */
  accountId: string;
  /** The rail that carries the payment. */
  paymentRail?: PaymentRail;
};

export type SweepRuleRequest = {
  /** Where the money goes. */
  destination: SweepRuleDestinationRequest;
  /** What the payment is for. */
  purposeOfPayment?: PurposeOfPayment;
  /** A note for the platform. It does not travel to the other party. */
  description?: string;
  /** Text that travels with the payment. */
  remittanceInformation?: string;
  /** Other fees of the platform than the configured ones. */
  platformFeeOverride?: PlatformFeeOverride;
};

export type SwiftExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "SWIFT_ACCOUNT";
  /** Country, ISO 3166-1 alpha-2. */
  country: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** Name of the bank. */
  bankName: string;
  /** Account number. */
  accountNumber?: string;
  /** IBAN. */
  iban?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type SwiftExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "SWIFT_ACCOUNT";
  /** Country, ISO 3166-1 alpha-2. */
  country: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** Name of the bank. */
  bankName: string;
  /** Account number. */
  accountNumber?: string;
  /** IBAN. */
  iban?: string;
  /** The rails that can reach the account. */
  paymentRails: "SWIFT"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
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
  /** The status that your endpoint answered. */
  response_status: number;
  /** The beginning of its answer. */
  response_body?: string;
  /** Where the event was sent. */
  url?: string;
};

export type ThbExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "THB_ACCOUNT";
  /** Name of the bank. */
  bankName: string;
  /** Account number. */
  accountNumber: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type ThbExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "THB_ACCOUNT";
  /** Name of the bank. */
  bankName: string;
  /** Account number. */
  accountNumber: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** The rails that can reach the account. */
  paymentRails: "BANK_TRANSFER"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

/** An attempt to deliver an event. */
export type TimelineAttempt = {
  /** Counts the attempts of the event. */
  number: number;
  /** When the request was sent. */
  startedAt: string;
  /** Milliseconds until the answer or the failure. */
  durationMs: number;
  /** The HTTP status of the receiver. Absent when it gave no answer. */
  responseStatus?: number;
  /** Why there was no answer. */
  failure?: string;
};

/** A change of a card. */
export type TimelineChange = {
  /** What the item is. */
  kind: "CHANGE";
  /** The real time. Items are in this order, newest first. */
  occurredAt: string;
  /** The time of the platform's clock. */
  timestamp: string;
  cause?: EventCause;
  /** What was done, such as ISSUED, PROVISIONED or UPDATED. */
  change: string;
  /** The status before. Absent for the first. */
  fromStatus?: string;
  /** The status after. */
  toStatus: string;
  /** The substatus that the caller gave. */
  substatus?: string;
  /** The reason that the caller gave. */
  reason?: string;
};

/** An event of the object, with its latest attempts. */
export type TimelineEvent = {
  /** What the item is. */
  kind: "EVENT";
  /** The real time. Items are in this order, newest first. */
  occurredAt: string;
  /** The time of the platform's clock. */
  timestamp: string;
  cause?: EventCause;
  /** The event. */
  eventId: string;
  /** What happened. */
  type: string;
  /** Counts the object's events. */
  sequence: number;
  /** The last ten attempts to deliver it, oldest first. */
  attempts: TimelineAttempt[];
};

/** One thing that happened to an object. */
export type TimelineItem = (TimelineRequest | TimelineSignature | TimelineProof | TimelineChange | TimelineLedgerEntry | TimelineEvent);

/** Money that moved on an internal account. */
export type TimelineLedgerEntry = {
  /** What the item is. */
  kind: "LEDGER_ENTRY";
  /** The real time. Items are in this order, newest first. */
  occurredAt: string;
  /** The time of the platform's clock. */
  timestamp: string;
  cause?: EventCause;
  /** In the smallest unit of the currency; below zero for money that left. */
  amount: number;
  /** The total balance after it. */
  balanceAfter: number;
  /** The code of the currency. */
  currency: string;
  /** How many decimals the amounts have. */
  decimals: number;
  /** What the ledger booked it for. */
  reason: string;
  /** The internal account. */
  accountId: string;
  /** The transaction it belongs to. */
  transactionId?: string;
};

/** An attempt to prove the ownership of an external account. */
export type TimelineProof = {
  /** What the item is. */
  kind: "PROOF";
  /** The real time. Items are in this order, newest first. */
  occurredAt: string;
  /** The time of the platform's clock. */
  timestamp: string;
  cause?: EventCause;
  /** The proof. */
  proofId: string;
  /** How ownership was to be proven. */
  method: string;
  /** VALID, INVALID or EXPIRED. */
  verdict: string;
  /** Why the proof was invalid. */
  reason?: string;
};

/** A request that names the object. */
export type TimelineRequest = {
  /** What the item is. */
  kind: "REQUEST";
  /** The real time. Items are in this order, newest first. */
  occurredAt: string;
  /** The time of the platform's clock. */
  timestamp: string;
  cause?: EventCause;
  /** The `X-Request-Id` of the answer. */
  requestId: string;
  /** The operation id. */
  operation: string;
  /** The HTTP method. */
  method: string;
  /** Below the base path. */
  path: string;
  /** The HTTP status of the answer. */
  status: number;
  /** The error code of a refusal. */
  code?: string;
  /** Milliseconds from the request to the end of the answer. */
  durationMs: number;
};

/** One page of a list. */
export type TimelineResponse = {
  /** The rows of this page. */
  data: TimelineItem[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000. */
  totalCount?: number;
};

/** The owner of a wallet was asked for a signature. */
export type TimelineSignature = {
  /** What the item is. */
  kind: "SIGNATURE";
  /** The real time. Items are in this order, newest first. */
  occurredAt: string;
  /** The time of the platform's clock. */
  timestamp: string;
  cause?: EventCause;
  /** The request that is signed. */
  signedRequestId: string;
  /** The operation that needs the signature. */
  operation: string;
  /** Number of the signature within the operation. */
  leg: number;
  /** Until when the signature is accepted. */
  expiresAt: string;
  /** When the signed call was executed. */
  usedAt?: string;
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
  /** What kind it is. */
  type: "TOTP";
  /** The secret of the authenticator app, in hex. */
  secret: string;
  /** A code that the app shows now. */
  code: string;
};

export type TotpEnrollmentConfirmResponse = {
  /** What kind it is. */
  type: "TOTP";
  /** Shown this once. Each replaces one code of the app at login. */
  recoveryCodes: string[];
};

export type TotpEnrollmentStart = {
  /** What kind it is. */
  type: "TOTP";
  /** The secret in hex. Send it back to confirm. */
  secret: string;
  /** The same secret as authenticator apps take it by hand. */
  secretBase32Encoded: string;
  /** The address to show as a QR code. */
  totpUri: string;
};

export type TotpFactorEnrollRequest = {
  /** What kind it is. */
  type: "TOTP";
};

export type TransactionDestinationOneOf = (AccountTransactionDestination | UmaAddressTransactionDestination);

export type TransactionDirection = "CREDIT" | "DEBIT";

export type TransactionListResponse = {
  /** The rows of this page. */
  data: TransactionOneOf[];
  /** Whether there is a next page. */
  hasMore: boolean;
  /** `cursor` of the next page. Absent on the last one. */
  nextCursor?: string;
  /** Number of matches, on every page. Absent if there are more than 10,000, or more than 1,000 where the list is filtered. */
  totalCount?: number;
};

export type TransactionOneOf = (IncomingTransaction | OutgoingTransaction | CardTransaction);

export type TransactionPendingReason = "COUNTERPARTY_DECLARATION_REQUIRED" | "WALLET_VERIFICATION_REQUIRED" | "COUNTERPARTY_INFORMATION_REQUIRED" | "COMPLIANCE_REVIEW";

export type TransactionSourceOneOf = (AccountTransactionSource | UmaAddressTransactionSource | RealtimeFundingTransactionSource);

export type TransactionStatus = "CREATED" | "PENDING" | "PENDING_AUTHORIZATION" | "PROCESSING" | "COMPLETED" | "REJECTED" | "FAILED" | "REFUNDED" | "EXPIRED";

export type TransactionType = "INCOMING" | "OUTGOING";

export type TransferInRequest = {
  /** Where the money comes from. */
  source: ExternalAccountReference;
  /** Where the money goes. */
  destination: InternalAccountReference;
  /** In the smallest unit of the currency of both accounts. At least 1, and required. */
  amount?: number;
};

export type TransferOutRequest = {
  /** Where the money comes from. */
  source: InternalAccountReference;
  /** Where the money goes. */
  destination: ExternalAccountDestinationReference;
  /** In the smallest unit of the currency of both accounts. At least 1, and required. */
  amount?: number;
  /** Travels with the payment to the receiver: printable ASCII. */
  remittanceInformation?: string;
  /** What the payment is for. */
  purposeOfPayment?: PurposeOfPayment;
};

export type TronWalletExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "TRON_WALLET";
  /** Address on the chain. */
  address: string;
  /** The exchange or custodian that holds the wallet. Absent for a wallet that the owner holds. */
  vaspName?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary?: WalletBeneficiaryOneOf;
};

export type TryExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "TRY_ACCOUNT";
  /** IBAN. */
  iban: string;
  /** Name of the bank. */
  bankName: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiaryWithCountryOfResidence | BusinessBeneficiaryWithCountryOfResidence);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type TryExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "TRY_ACCOUNT";
  /** IBAN. */
  iban: string;
  /** Name of the bank. */
  bankName: string;
  /** The rails that can reach the account. */
  paymentRails: "BANK_TRANSFER"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiaryWithCountryOfResidence | BusinessBeneficiaryWithCountryOfResidence);
};

export type TwoFactorResetCompleteRequest = {
  /** The end user's IPv4 or IPv6 address. */
  endUserIpAddress: string;
  mobile?: MobileNumber;
};

export type TwoFactorResetLivenessRequest = {
  /** What the party that is played decides. */
  outcome: "PASS" | "FAIL" | "REVIEW";
};

export type TwoFactorResetStart = {
  /** The reset. */
  resetId: string;
  /** For the SDK of the liveness vendor. */
  livenessAccessToken?: string | null;
  /** The page on which the end user passes the liveness check. */
  verificationLink?: string | null;
  /** Until when it is valid. */
  expiresAt?: string | null;
};

export type TwoFactorResetStartRequest = {
  /** The factor. */
  factor: ScaFactor;
  /** The end user's IPv4 or IPv6 address. */
  endUserIpAddress: string;
};

export type TwoFactorResetState = "INITIATED" | "PENDING_REVIEW" | "LIVENESS_PASSED" | "COMPLETED" | "REJECTED" | "EXPIRED";

export type TwoFactorResetStatus = {
  /** The state it is in. */
  status: TwoFactorResetState;
  /** The factor. */
  factor: ScaFactor;
  /** Whether the factor was enrolled again. Null for SMS_OTP. */
  enrollmentStatus?: "PENDING" | "COMPLETED" | null;
  /** Until when it is valid. */
  expiresAt: string;
  /** When it ended. */
  completedAt?: string | null;
};

export type TzsExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "TZS_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type TzsExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "TZS_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** The rails that can reach the account. */
  paymentRails: "MOBILE_MONEY"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type UgxExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "UGX_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type UgxExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "UGX_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** The rails that can reach the account. */
  paymentRails: "MOBILE_MONEY"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type UmaAddressDestination = {
  /** What kind of destination it is. */
  destinationType: "UMA_ADDRESS";
  /** UMA address, such as `$ada@example.com`. */
  umaAddress: string;
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency: string;
};

export type UmaAddressTransactionDestination = {
  /** What kind of destination it is. */
  destinationType: "UMA_ADDRESS";
  /** UMA address, such as `$ada@example.com`. */
  umaAddress: string;
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency?: string;
};

export type UmaAddressTransactionSource = {
  /** What kind of source it is. */
  sourceType: "UMA_ADDRESS";
  /** UMA address, such as `$ada@example.com`. */
  umaAddress: string;
  /** Code of the currency, such as `USD`, `EUR` or `USDC`. */
  currency?: string;
};

export type UmaInvitation = {
  /** Code by which every platform of the installation finds the invitation. Its case does not matter. */
  code: string;
  /** The state it is in. */
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
  /** Name of the holder. */
  accountHolderName?: string;
  /** ABA routing number. */
  routingNumber?: string;
  /** Account number. */
  accountNumber?: string;
};

export type UsdExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "USD_ACCOUNT";
  /** Account number. */
  accountNumber: string;
  /** ABA routing number. */
  routingNumber: string;
  /** Checking or savings. */
  bankAccountType: "CHECKING" | "SAVINGS";
  /** Name of the bank. */
  bankName?: string;
  /** Name of a bank in between. */
  intermediaryBankName?: string;
  /** Routing number of a bank in between. */
  intermediaryRoutingNumber?: string;
  /** Text from bank to bank. */
  fiToFiInformation?: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type UsdExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "USD_ACCOUNT";
  /** Account number. */
  accountNumber: string;
  /** ABA routing number. */
  routingNumber: string;
  /** Checking or savings. */
  bankAccountType?: "CHECKING" | "SAVINGS";
  /** Name of the bank. */
  bankName?: string;
  /** Name of a bank in between. */
  intermediaryBankName?: string;
  /** Routing number of a bank in between. */
  intermediaryRoutingNumber?: string;
  /** Text from bank to bank. */
  fiToFiInformation?: string;
  /** The rails that can reach the account. */
  paymentRails: ("ACH" | "ACH_SAME_DAY" | "WIRE" | "RTP" | "FEDNOW")[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type Verification = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** The customer. */
  customerId: string;
  /** How far it has come. */
  verificationStatus: VerificationStatus;
  /** Everything that keeps the packet from being accepted, one entry each. Empty while it is under review and once approved. */
  errors: VerificationError[];
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt?: string;
};

export type VerificationError = {
  /** The customer, beneficial owner or document that the problem is about. */
  resourceId: string;
  /** What is wrong. */
  type: VerificationErrorType;
  /** The path of the field in a PATCH of the resource. */
  field?: string;
  /** Documents of which one would solve the problem. */
  acceptedDocumentTypes?: DocumentType[];
  /** Why, for people. */
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
  /** What is wrong. */
  type: VerificationErrorType;
  /** The path of the field in a PATCH of the resource. */
  field?: string;
  /** Documents of which one would solve the problem. */
  acceptedDocumentTypes?: DocumentType[];
  /** What is wrong, for people. */
  reason: string;
};

export type VerificationRequest = {
  /** The customer. */
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
  /** The kind of account or wallet. */
  accountType: "VND_ACCOUNT";
  /** Name of the bank. */
  bankName: string;
  /** Account number. */
  accountNumber: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type VndExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "VND_ACCOUNT";
  /** Name of the bank. */
  bankName: string;
  /** Account number. */
  accountNumber: string;
  /** BIC of the bank. */
  swiftCode: string;
  /** The rails that can reach the account. */
  paymentRails: "BANK_TRANSFER"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiary);
};

export type WalletBeneficiaryOneOf = (WalletIndividualBeneficiary | BusinessBeneficiary);

export type WalletIndividualBeneficiary = {
  /** A person or a business. */
  beneficiaryType: "INDIVIDUAL";
  /** Full name. */
  fullName: string;
  /** Country in which the holder lives or is registered, ISO 3166-1 alpha-2. */
  countryOfResidence: string;
};

export type WalletOperationCompletedData = {
  /** The state it is in. */
  status: "completed";
  /** Names the wallet operation. */
  operationId: string;
  /** Names the request that waits for a signature. */
  requestId: string;
  /** What was done. */
  operationType: "auth_credential.create" | "auth_credential.delete" | "session.revoke" | "wallet.export" | "customer.contact_update";
  /** The kind of the object. */
  resourceType: WalletOperationResourceType;
  /** The object that it is about. */
  resourceId: string;
};

export type WalletOperationFailedData = {
  /** The state it is in. */
  status: "failed";
  /** Names the wallet operation. */
  operationId: string;
  /** Names the request that waits for a signature. */
  requestId: string;
  /** What was done. */
  operationType: "auth_credential.create" | "auth_credential.delete" | "session.revoke" | "wallet.export" | "customer.contact_update";
  /** The kind of the object. */
  resourceType: WalletOperationResourceType;
  /** The object that it is about. */
  resourceId: string;
  /** Why it failed. */
  error: OperationError;
};

export type WalletOperationProcessing = {
  /** The state it is in. */
  status: "PROCESSING";
  /** What happened, for people. */
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
  /** How ownership is proven. */
  method: "WALLET_SIGNATURE";
  /** The message that the wallet signs, byte for byte. */
  messageToSign: string;
  /** Until when it is valid. */
  expiresAt: string;
};

export type WebhookAttempt = {
  /** Counts the attempts of the event from 1. */
  number: number;
  /** Where the attempt was sent. */
  url: string;
  /** The headers that were sent. */
  requestHeaders: Record<string, string>;
  /** When the attempt began. */
  startedAt: string;
  /** How long it took, in milliseconds. */
  durationMs: number;
  /** Absent when the receiver gave no answer. */
  responseStatus?: number;
  /** The first 2 kB of the answer. */
  responseBody?: string;
  /** Why there was no answer. */
  failure?: string;
};

/** How far the delivery of an event has come, and what made the event. */
export type WebhookDelivery = {
  /** NOT_QUEUED: the platform had no endpoint when the event occurred. */
  deliveryStatus: "PENDING" | "DELIVERED" | "FAILED" | "NOT_QUEUED";
  /** How many attempts were made. */
  attemptCount: number;
  /** When the next attempt is due. Absent if none is. */
  nextAttemptAt?: string;
  cause?: EventCause;
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
  /** Only these event types. All if absent. */
  types?: WebhookType[];
  /** Whether only events that were not delivered are sent. */
  undeliveredOnly?: boolean;
};

export type WebhookReplayResponse = {
  /** How many events will be sent. */
  queued: number;
};

export type WebhookSigningKey = {
  /** The id. It names its kind and never changes. */
  id: string;
  /** P-256, verifies `X-Service-Signature`. */
  publicKeyPem: string;
  /** `whpk_…`, verifies the `v1a` part of `webhook-signature`. */
  standardWebhooksPublicKey: string;
  /** When it was created. */
  createdAt: string;
  /** Until when a key that has been replaced still signs. */
  retiresAt?: string;
};

export type WebhookSigningKeyListResponse = {
  /** The rows, in order. */
  data: WebhookSigningKey[];
};

export type WebhookSigningSecret = {
  /** The key that the secret belongs to. */
  keyId: string;
  /** `whsec_…`, verifies the `v1` part of `webhook-signature`. */
  secret: string;
};

export type WebhookSigningSecretListResponse = {
  /** The rows, in order. */
  data: WebhookSigningSecret[];
};

export type WebhookType = "AGENT_ACTION.PENDING_APPROVAL" | "INCOMING_PAYMENT.PENDING" | "INCOMING_PAYMENT.PROCESSING" | "INCOMING_PAYMENT.COMPLETED" | "INCOMING_PAYMENT.FAILED" | "INCOMING_PAYMENT.REFUND_PENDING" | "INCOMING_PAYMENT.REFUND_COMPLETED" | "INCOMING_PAYMENT.REFUND_FAILED" | "OUTGOING_PAYMENT.PENDING" | "OUTGOING_PAYMENT.PENDING_AUTHORIZATION" | "OUTGOING_PAYMENT.PROCESSING" | "OUTGOING_PAYMENT.COMPLETED" | "OUTGOING_PAYMENT.FAILED" | "OUTGOING_PAYMENT.EXPIRED" | "OUTGOING_PAYMENT.REFUND_PENDING" | "OUTGOING_PAYMENT.REFUND_COMPLETED" | "OUTGOING_PAYMENT.REFUND_FAILED" | "TEST" | "BULK_UPLOAD.COMPLETED" | "BULK_UPLOAD.FAILED" | "INVITATION.CLAIMED" | "CUSTOMER.KYC_APPROVED" | "CUSTOMER.KYC_REJECTED" | "CUSTOMER.KYC_PENDING" | "CUSTOMER.KYB_APPROVED" | "CUSTOMER.KYB_REJECTED" | "CUSTOMER.KYB_PENDING" | "INTERNAL_ACCOUNT.BALANCE_UPDATED" | "INTERNAL_ACCOUNT.STATUS_UPDATED" | "INTERNAL_ACCOUNT.FUNDING_INSTRUCTIONS_UPDATED" | "EXTERNAL_ACCOUNT.STATUS_UPDATED" | "VERIFICATION.APPROVED" | "VERIFICATION.REJECTED" | "VERIFICATION.RESOLVE_ERRORS" | "VERIFICATION.IN_PROGRESS" | "VERIFICATION.PENDING_MANUAL_REVIEW" | "VERIFICATION.READY_FOR_VERIFICATION" | "card.status_change" | "CARD.PIN_STATUS_CHANGE" | "CARD_TRANSACTION.AUTHORIZED" | "CARD_TRANSACTION.PARTIALLY_SETTLED" | "CARD_TRANSACTION.SETTLED" | "CARD_TRANSACTION.DECLINED" | "CARD_TRANSACTION.VOIDED" | "CARD_TRANSACTION.EXCEPTION" | "WALLET_OPERATION.COMPLETED" | "WALLET_OPERATION.FAILED";

export type WireBankAccountDetails = {
  /** Name of the holder. */
  accountHolderName?: string;
  /** ABA routing number. */
  routingNumber?: string;
  /** Account number. */
  accountNumber?: string;
  /** Name of the bank. */
  bankName?: string;
};

export type WireRailDetails = {
  /** The rail that carries the payment. */
  paymentRail: "WIRE";
  /** The state it is in. */
  status: "PENDING" | "SETTLED" | "FAILED";
  /** IMAD of the wire. */
  imad?: string;
  /** Text from the sender to the receiver. */
  originatorToBeneficiaryInformation?: string;
  /** The account at the other end. */
  bankAccount?: WireBankAccountDetails;
  /** When it was final. */
  settledAt?: string;
};

export type XafExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "XAF_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** Country of the account, ISO 3166-1 alpha-2. */
  region: "CM" | "CG";
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type XafExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "XAF_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** Country of the account, ISO 3166-1 alpha-2. */
  region: "CM" | "CG";
  /** The rails that can reach the account. */
  paymentRails: "MOBILE_MONEY"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type XofExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "XOF_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** Country of the account, ISO 3166-1 alpha-2. */
  region: "BJ" | "CI" | "SN" | "TG";
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type XofExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "XOF_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** Country of the account, ISO 3166-1 alpha-2. */
  region: "BJ" | "CI" | "SN" | "TG";
  /** The rails that can reach the account. */
  paymentRails: "MOBILE_MONEY"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type ZarExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "ZAR_ACCOUNT";
  /** Account number. */
  accountNumber: string;
  /** Name of the bank. */
  bankName: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type ZarExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "ZAR_ACCOUNT";
  /** Account number. */
  accountNumber: string;
  /** Name of the bank. */
  bankName: string;
  /** The rails that can reach the account. */
  paymentRails: "BANK_TRANSFER"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
};

export type ZmwExternalAccountCreateInfo = {
  /** The kind of account or wallet. */
  accountType: "ZMW_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** Who holds the account. Its members depend on `beneficiaryType`. */
  beneficiary: (IndividualBeneficiary | BusinessBeneficiaryWithRegistrationNumberAndTaxId);
  /** The rails that can reach the account. */
  paymentRails?: string[];
  /** Countries that the account type serves. */
  countries?: string[];
};

export type ZmwExternalAccountInfo = {
  /** The kind of account or wallet. */
  accountType: "ZMW_ACCOUNT";
  /** Phone number in E.164 form, such as `+4915112345678`. */
  phoneNumber: string;
  /** The mobile money operator. */
  provider: string;
  /** The rails that can reach the account. */
  paymentRails: "MOBILE_MONEY"[];
  /** Who holds the account. Its members depend on `beneficiaryType`. */
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
