// The operations of the public contract: id, method, path. An operation that no module serves answers 501 with its name.
// The names are those of the interface; the served document lists only what is served.
import { ApiError } from '../kernel/errors.js';
import type { Method, Operation } from './operation.js';

export type ContractOperation = Pick<Operation, 'id' | 'path'> & { readonly method: Method };

type Row = readonly [id: string, method: Method, path: string];

const ROWS: readonly Row[] = [
  // Platform Configuration
  ['getPlatformConfig', 'GET', '/config'],
  ['updatePlatformConfig', 'PATCH', '/config'],
  // Exchange Rates
  ['getExchangeRates', 'GET', '/exchange-rates'],
  // Discoveries
  ['getDiscoveries', 'GET', '/discoveries'],
  // Customers
  ['createCustomer', 'POST', '/customers'],
  ['listCustomers', 'GET', '/customers'],
  ['getCustomerById', 'GET', '/customers/{customerId}'],
  ['updateCustomerById', 'PATCH', '/customers/{customerId}'],
  ['deleteCustomerById', 'DELETE', '/customers/{customerId}'],
  ['getEndUserTerms', 'GET', '/customers/end-user-terms'],
  ['uploadCustomersCsv', 'POST', '/customers/bulk/csv'],
  ['getBulkCustomerImportJob', 'GET', '/customers/bulk/jobs/{jobId}'],
  ['listAgreementDocuments', 'GET', '/customers/agreements'],
  // KYC/KYB Verifications
  ['createCustomerKycLink', 'POST', '/customers/{customerId}/kyc-link'],
  ['createBeneficialOwner', 'POST', '/beneficial-owners'],
  ['listBeneficialOwners', 'GET', '/beneficial-owners'],
  ['getBeneficialOwner', 'GET', '/beneficial-owners/{beneficialOwnerId}'],
  ['updateBeneficialOwner', 'PATCH', '/beneficial-owners/{beneficialOwnerId}'],
  ['deleteBeneficialOwner', 'DELETE', '/beneficial-owners/{beneficialOwnerId}'],
  ['createVerification', 'POST', '/verifications'],
  ['listVerifications', 'GET', '/verifications'],
  ['getVerification', 'GET', '/verifications/{verificationId}'],
  // Contact Verification
  ['sendCustomerEmailVerification', 'POST', '/customers/{customerId}/verify-email'],
  ['confirmCustomerEmailVerification', 'POST', '/customers/{customerId}/verify-email/confirm'],
  ['sendCustomerPhoneVerification', 'POST', '/customers/{customerId}/verify-phone'],
  ['confirmCustomerPhoneVerification', 'POST', '/customers/{customerId}/verify-phone/confirm'],
  // Strong Customer Authentication
  ['listScaFactors', 'GET', '/sca/factors'],
  ['startScaFactorEnrollment', 'POST', '/sca/factors'],
  ['confirmScaFactorEnrollment', 'POST', '/sca/factors/confirm'],
  ['deleteScaFactor', 'DELETE', '/sca/factors/{credentialId}'],
  ['startScaLogin', 'POST', '/sca/login/start'],
  ['completeScaLogin', 'POST', '/sca/login/complete'],
  ['recordSecurityEvent', 'POST', '/sca/record-event'],
  ['startTwoFactorReset', 'POST', '/sca/factors/reset'],
  ['getTwoFactorResetStatus', 'GET', '/sca/factors/reset/{resetId}'],
  ['completeTwoFactorReset', 'POST', '/sca/factors/reset/{resetId}/complete'],
  ['startBeneficiaryTrust', 'POST', '/customers/external-accounts/{externalAccountId}/trust'],
  ['confirmBeneficiaryTrust', 'POST', '/customers/external-accounts/{externalAccountId}/trust/confirm'],
  ['startBeneficiaryUntrust', 'POST', '/customers/external-accounts/{externalAccountId}/untrust'],
  ['confirmBeneficiaryUntrust', 'POST', '/customers/external-accounts/{externalAccountId}/untrust/confirm'],
  ['authorizeQuote', 'POST', '/quotes/{quoteId}/authorize'],
  ['resendQuoteScaCode', 'POST', '/quotes/{quoteId}/authorize/resend'],
  // Internal Accounts
  ['listCustomerInternalAccounts', 'GET', '/customers/internal-accounts'],
  ['listPlatformInternalAccounts', 'GET', '/platform/internal-accounts'],
  ['updateInternalAccount', 'PATCH', '/internal-accounts/{id}'],
  ['exportInternalAccount', 'POST', '/internal-accounts/{id}/export'],
  ['createInternalAccount', 'POST', '/internal-accounts'],
  // External Accounts
  ['listCustomerExternalAccounts', 'GET', '/customers/external-accounts'],
  ['createCustomerExternalAccount', 'POST', '/customers/external-accounts'],
  ['getCustomerExternalAccountById', 'GET', '/customers/external-accounts/{externalAccountId}'],
  ['deleteCustomerExternalAccountById', 'DELETE', '/customers/external-accounts/{externalAccountId}'],
  ['createExternalAccountOwnershipChallenge', 'POST', '/customers/external-accounts/{externalAccountId}/challenge'],
  ['verifyExternalAccountOwnership', 'POST', '/customers/external-accounts/{externalAccountId}/verify'],
  ['listPlatformExternalAccounts', 'GET', '/platform/external-accounts'],
  ['createPlatformExternalAccount', 'POST', '/platform/external-accounts'],
  ['getPlatformExternalAccountById', 'GET', '/platform/external-accounts/{externalAccountId}'],
  ['deletePlatformExternalAccountById', 'DELETE', '/platform/external-accounts/{externalAccountId}'],
  ['createPlatformExternalAccountOwnershipChallenge', 'POST', '/platform/external-accounts/{externalAccountId}/challenge'],
  ['verifyPlatformExternalAccountOwnership', 'POST', '/platform/external-accounts/{externalAccountId}/verify'],
  // Documents
  ['uploadDocument', 'POST', '/documents'],
  ['listDocuments', 'GET', '/documents'],
  ['getDocument', 'GET', '/documents/{documentId}'],
  ['replaceDocument', 'PUT', '/documents/{documentId}'],
  ['deleteDocument', 'DELETE', '/documents/{documentId}'],
  // Same-Currency Transfers
  ['createTransferIn', 'POST', '/transfer-in'],
  ['createTransferOut', 'POST', '/transfer-out'],
  // Cross-Currency Transfers
  ['lookupUma', 'GET', '/receiver/uma/{receiverUmaAddress}'],
  ['lookupExternalAccount', 'GET', '/receiver/external-account/{accountId}'],
  ['getQuoteById', 'GET', '/quotes/{quoteId}'],
  ['createQuote', 'POST', '/quotes'],
  ['executeQuote', 'POST', '/quotes/{quoteId}/execute'],
  ['estimateCryptoWithdrawalFee', 'POST', '/crypto/estimate-withdrawal-fee'],
  ['uploadPaymentDocument', 'POST', '/payment-documents'],
  ['getPaymentDocument', 'GET', '/payment-documents/{paymentDocumentId}'],
  // Transactions
  ['listTransactions', 'GET', '/transactions'],
  ['getTransactionById', 'GET', '/transactions/{transactionId}'],
  ['confirmReceiptDelivery', 'POST', '/transactions/{transactionId}/confirm'],
  ['approvePendingPayment', 'POST', '/transactions/{transactionId}/approve'],
  ['rejectPendingPayment', 'POST', '/transactions/{transactionId}/reject'],
  ['cancelTransaction', 'POST', '/transactions/{transactionId}/cancel'],
  // Invitations
  ['createInvitation', 'POST', '/invitations'],
  ['getInvitation', 'GET', '/invitations/{invitationCode}'],
  ['claimInvitation', 'POST', '/invitations/{invitationCode}/claim'],
  ['cancelInvitation', 'POST', '/invitations/{invitationCode}/cancel'],
  // Sandbox
  ['sandboxSend', 'POST', '/sandbox/send'],
  ['sandboxReceive', 'POST', '/sandbox/uma/receive'],
  ['sandboxFundInternalAccount', 'POST', '/sandbox/internal-accounts/{accountId}/fund'],
  ['sandboxSimulateCardAuthorization', 'POST', '/sandbox/cards/{id}/simulate/authorization'],
  ['sandboxSimulateCardClearing', 'POST', '/sandbox/cards/{id}/simulate/clearing'],
  ['sandboxSimulateCardReturn', 'POST', '/sandbox/cards/{id}/simulate/return'],
  ['sandboxSimulateCardBalanceInquiry', 'POST', '/sandbox/cards/{id}/simulate/balance_inquiry'],
  ['sandboxSimulateCardCreditAuthorization', 'POST', '/sandbox/cards/{id}/simulate/credit_authorization'],
  ['sandboxSimulateCardFinancialAuthorization', 'POST', '/sandbox/cards/{id}/simulate/financial_authorization'],
  ['sandboxSimulateCardFinancialCreditAuthorization', 'POST', '/sandbox/cards/{id}/simulate/financial_credit_authorization'],
  ['sandboxSimulateCardAuthorizationAdvice', 'POST', '/sandbox/cards/{id}/simulate/authorization_advice'],
  ['sandboxSimulateCardCreditAuthorizationAdvice', 'POST', '/sandbox/cards/{id}/simulate/credit_authorization_advice'],
  ['sandboxSimulateCardReturnReversal', 'POST', '/sandbox/cards/{id}/simulate/return_reversal'],
  ['sendTestWebhook', 'POST', '/webhooks/test'],
  ['sandboxSimulateCardAuthorizationReversal', 'POST', '/sandbox/cards/{id}/simulate/authorization_reversal'],
  ['sandboxSimulateCardAuthorizationExpiry', 'POST', '/sandbox/cards/{id}/simulate/authorization_expiry'],
  ['sandboxSimulateCardDisputeOpen', 'POST', '/sandbox/cards/{id}/simulate/dispute_open'],
  ['sandboxSimulateCardDisputeProvisionalCredit', 'POST', '/sandbox/cards/{id}/simulate/dispute_provisional_credit'],
  ['sandboxSimulateCardDisputeProvisionalCreditReversal', 'POST', '/sandbox/cards/{id}/simulate/dispute_provisional_credit_reversal'],
  ['sandboxSimulateCardDisputeClose', 'POST', '/sandbox/cards/{id}/simulate/dispute_close'],
  // API Tokens
  ['createToken', 'POST', '/tokens'],
  ['listTokens', 'GET', '/tokens'],
  ['getTokenById', 'GET', '/tokens/{tokenId}'],
  ['deleteTokenById', 'DELETE', '/tokens/{tokenId}'],
  // Embedded Wallet Auth
  ['createAuthCredential', 'POST', '/auth/credentials'],
  ['listAuthCredentials', 'GET', '/auth/credentials'],
  ['revokeAuthCredential', 'DELETE', '/auth/credentials/{id}'],
  ['verifyAuthCredential', 'POST', '/auth/credentials/{id}/verify'],
  ['challengeAuthCredential', 'POST', '/auth/credentials/{id}/challenge'],
  ['listAuthSessions', 'GET', '/auth/sessions'],
  ['revokeAuthSession', 'DELETE', '/auth/sessions/{id}'],
  ['refreshAuthSession', 'POST', '/auth/sessions/{id}/refresh'],
  ['createDelegatedKey', 'POST', '/auth/delegated-keys'],
  ['listDelegatedKeys', 'GET', '/auth/delegated-keys'],
  ['getDelegatedKeyById', 'GET', '/auth/delegated-keys/{id}'],
  ['revokeDelegatedKey', 'DELETE', '/auth/delegated-keys/{id}'],
  // Agent Management
  ['createAgent', 'POST', '/agents'],
  ['listAgents', 'GET', '/agents'],
  ['listAgentApprovals', 'GET', '/agents/approvals'],
  ['getAgentById', 'GET', '/agents/{agentId}'],
  ['updateAgent', 'PATCH', '/agents/{agentId}'],
  ['deleteAgent', 'DELETE', '/agents/{agentId}'],
  ['updateAgentPolicy', 'PATCH', '/agents/{agentId}/policy'],
  ['regenerateAgentDeviceCode', 'POST', '/agents/{agentId}/device-codes'],
  ['approveAgentAction', 'POST', '/agents/{agentId}/actions/{actionId}/approve'],
  ['rejectAgentAction', 'POST', '/agents/{agentId}/actions/{actionId}/reject'],
  ['getAgentDeviceCodeStatus', 'GET', '/agents/device-codes/{code}/status'],
  ['redeemAgentDeviceCode', 'POST', '/agents/device-codes/{code}/redeem'],
  // Agent Operations
  ['getAgentMe', 'GET', '/agents/me'],
  ['agentListTransactions', 'GET', '/agents/me/transactions'],
  ['agentGetTransaction', 'GET', '/agents/me/transactions/{transactionId}'],
  ['agentCreateQuote', 'POST', '/agents/me/quotes'],
  ['agentGetQuote', 'GET', '/agents/me/quotes/{quoteId}'],
  ['agentExecuteQuote', 'POST', '/agents/me/quotes/{quoteId}/execute'],
  ['agentListActions', 'GET', '/agents/me/actions'],
  ['agentGetAction', 'GET', '/agents/me/actions/{actionId}'],
  ['agentListInternalAccounts', 'GET', '/agents/me/internal-accounts'],
  ['agentListExternalAccounts', 'GET', '/agents/me/external-accounts'],
  ['agentCreateExternalAccount', 'POST', '/agents/me/external-accounts'],
  ['agentGetExternalAccount', 'GET', '/agents/me/external-accounts/{externalAccountId}'],
  ['agentDeleteExternalAccount', 'DELETE', '/agents/me/external-accounts/{externalAccountId}'],
  // Cards
  ['createCard', 'POST', '/cards'],
  ['listCards', 'GET', '/cards'],
  ['getCardById', 'GET', '/cards/{id}'],
  ['updateCardById', 'PATCH', '/cards/{id}'],
  ['revealCard', 'POST', '/cards/{id}/reveal'],
  ['tokenizeCard', 'POST', '/cards/{id}/tokenize'],
  ['setCardPin', 'POST', '/cards/{id}/set-pin'],
  ['getCardPinUrl', 'GET', '/cards/{id}/pin-entry-url'],
  ['unblockCardPin', 'POST', '/cards/{id}/pin/unblock'],
  // Stablecoins
  ['registerStablecoin', 'POST', '/stablecoins'],
  ['listStablecoins', 'GET', '/stablecoins'],
  ['getStablecoin', 'GET', '/stablecoins/{stablecoinId}'],
  ['createStablecoinMint', 'POST', '/stablecoins/{stablecoinId}/mints'],
  ['createStablecoinBurn', 'POST', '/stablecoins/{stablecoinId}/burns'],
  ['listStablecoinOperations', 'GET', '/stablecoins/{stablecoinId}/operations'],
  ['getStablecoinOperation', 'GET', '/stablecoin-operations/{stablecoinOperationId}'],
  ['linkStablecoinProviderAccount', 'POST', '/stablecoin-provider-accounts'],
  ['listStablecoinProviderAccounts', 'GET', '/stablecoin-provider-accounts'],
  ['getStablecoinProviderAccount', 'GET', '/stablecoin-provider-accounts/{stablecoinProviderAccountId}'],
  ['revokeStablecoinProviderAccount', 'DELETE', '/stablecoin-provider-accounts/{stablecoinProviderAccountId}'],
  ['requestStablecoinGridEnablement', 'POST', '/stablecoins/{stablecoinId}/request-grid-enablement'],
  // Periodic Statements
  ['listInternalAccountBalanceChanges', 'GET', '/internal-accounts/{id}/balance-changes'],
  ['confirmStatementDelivery', 'POST', '/internal-accounts/{id}/confirm-statement'],
];

export const CONTRACT_OPERATIONS: readonly ContractOperation[] = ROWS.map(([id, method, path]) => ({ id, method, path }));

/** An agent has no credentials yet when it redeems its device code. */
const PUBLIC: ReadonlySet<string> = new Set(['redeemAgentDeviceCode']);
export const isPublic = ({ id }: ContractOperation): boolean => PUBLIC.has(id);

/** The operations that no module implements, of the mode: operations of the sandbox are absent in live mode. */
export function unimplementedOperations(implemented: readonly Operation[], isSandbox: boolean): ContractOperation[] {
  const known = new Set(implemented.map(({ id }) => id));
  return CONTRACT_OPERATIONS.filter(({ id, path }) => !known.has(id) && (isSandbox || !path.startsWith('/sandbox/')));
}

export const notImplemented = ({ id }: ContractOperation): ApiError =>
  new ApiError('NOT_IMPLEMENTED', { operationId: id }, { reason: `${id} is not served by this version.` });
