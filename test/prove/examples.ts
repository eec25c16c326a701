// An accepted request for each operation. Requests are generated from the schema where possible; the others are defined here.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of fixtures look like this.
import { newUuid } from '../../src/kernel/ids.js';
import { agentOf, OPEN_POLICY } from '../support/agents.js';
import { softwareAuthenticator } from '../support/authenticator.js';
import { givenCardholder } from '../support/cards.js';
import { type Client, expectStatus } from '../support/client.js';
import { type ContactPath, germanCustomer, sendCode } from '../support/contacts.js';
import { BILL, documentForm } from '../support/documents.js';
import { accountsApi, type OwnerPath } from '../support/external-accounts/accounts-api.js';
import { bitcoinWallet, evmWallet } from '../support/external-accounts/wallets.js';
import { given } from '../support/given.js';
import { completePerson, identity, US_OWNER } from '../support/identity/verifications.js';
import { csvOf, personRow } from '../support/imports.js';
import { formOf, type Part } from '../support/multipart.js';
import { platformNameOf } from '../support/platform-name.js';
import { quoting } from '../support/quotes.js';
import { CODE, givenBeneficiary, givenTrusted, IP, regulatedCustomer, type Sca, scaOf } from '../support/sca.js';
import { stablecoins } from '../support/stablecoins.js';
import { at } from '../support/uma.js';
import { delegationBody, type Keys, newKeys, otpBody, passkeyBody, secondSession, unprovisionedWallet, wallet } from '../support/wallet.js';
import type { ApiDocument, DocumentedOperation } from './document.js';
import { generatorOf } from './generate.js';
import {
  givenDeposit,
  givenIncoming,
  givenPasskey,
  givenPendingAction,
  givenPurchase,
  givenReset,
  givenSlowPayout,
  givenWaitingQuote,
  givenWalletCard,
  kindOfParameter,
  kindOfProperty,
  purchase,
  toNewAccount,
  type World,
} from './objects.js';
import { randomOf } from './random.js';

export type ExampleRequest = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The key of the end user who signs the retries. */
  readonly signer?: Keys;
};

/** The body as it is sent: JSON, or the text of a form, which comes with its content type. */
export const wireBody = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));
async function quoteBody(client: Client): Promise<Record<string, unknown>> {
  const pay = quoting(client);
  return pay.request(await pay.fundedAccount('USD', 100_000), await pay.fundedAccount('USD', 0), 1_000);
}

/** A funded account and a bank account of its holder. */
async function withBank(client: Client) {
  const pay = quoting(client);
  const account = await pay.fundedAccount('USD', 10_000);
  return { account, bank: await pay.usd({ id: account.customerId }) };
}

/** A quote whose payer sends the money. */
async function realtimeQuote(client: Client) {
  const pay = quoting(client);
  const destination = await pay.fundedAccount('USD', 0);
  return pay.quote({
    source: { sourceType: 'REALTIME_FUNDING', currency: 'USD', customerId: destination.customerId },
    destination: { destinationType: 'ACCOUNT', accountId: destination.id },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 1_000,
  });
}

const PASSPHRASE = 'correct horse battery staple';

/** The file of a snapshot that is gone: a platform keeps few. */
async function exportedFile(world: World): Promise<string> {
  const name = await world.fresh('SandboxSnapshot');
  const { text } = await world.client.post(`/sandbox/snapshots/${name}/export`, { passphrase: PASSPHRASE });
  await expectStatus(204, world.client.delete(`/sandbox/snapshots/${name}`));
  return text;
}

type Example = (world: World) => Promise<Partial<ExampleRequest>>;

/** Requests of operations for which a generated request would be refused or would change the caller's credentials. */
const EXAMPLES: Readonly<Record<string, Example>> = {
  updatePlatformConfig: async () => ({ body: { cardConfigs: { maxSpendPerDay: 100_000, pinTargetOrigin: 'https://app.example' } } }),
  createToken: async () => ({ body: { name: 'example', permissions: ['VIEW'] } }),
  // Created for each request, because the request consumes it.
  deleteTokenById: async (world) => ({ params: { tokenId: await world.fresh('Token') } }),
  createSandboxIssuerCredential: async () => ({ body: { program: 'service_full' } }),
  // Used up by the request, so made for it.
  deleteSandboxIssuerCredentialById: async (world) => ({ params: { id: await world.fresh('IssuerCredential') } }),
  updateSandboxClock: async () => ({ body: { advanceMs: 1 } }),
  createSandboxOidcToken: async () => ({ body: { audience: 'my-app', subject: 'ada', email: 'ada@example.com' } }),
  resetSandbox: async ({ client }) => ({ body: { name: await platformNameOf(client) } }),
  createSandboxSnapshot: async () => ({ body: { name: `s-${newUuid()}` } }),
  setSandboxFaults: async () => ({
    body: { faults: [{ kind: 'DELAY', operation: 'createCustomer', objectId: 'customer-4711', delayMs: 1, count: 1 }] },
  }),
  applySandboxFixture: async () => ({
    body: {
      name: `f-${newUuid()}`,
      steps: [
        { name: 'ada', call: 'customers create', body: { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' } },
        { name: 'accounts', call: 'customers internal-accounts list', query: { customerId: '${ada.id}', currency: 'USD' } },
        { name: 'funded', call: 'sandbox internal-accounts fund', ids: ['${accounts.data.0.id}'], body: { amount: 10_000 } },
      ],
      outputs: { account: '${accounts.data.0.id}' },
    },
  }),
  exportSandboxSnapshot: async () => ({ body: { passphrase: PASSPHRASE } }),
  importSandboxSnapshot: async (world) =>
    form([
      { name: 'name', value: `i-${newUuid()}` },
      { name: 'passphrase', value: PASSPHRASE },
      { name: 'file', value: await exportedFile(world), fileName: 'snapshot.switchyard' },
    ]),
  // Used up by the request, so made for it.
  deleteSandboxSnapshot: async (world) => ({ params: { name: await world.fresh('SandboxSnapshot') } }),
  sendTestWebhook: withEndpoint,
  sendSandboxTestWebhook: withEndpoint,
  resendWebhookEvent: withEndpoint,
  replayWebhookEvents: async (world) => ({ ...(await withEndpoint(world)), body: { since: new Date().toISOString() } }),
  rotateWebhookSigningKeys: async () => ({ body: { overlapSeconds: 0 } }),

  search: async ({ client }) => ({ query: { q: (await given(client).customer()).id } }),

  createCustomer: async () => ({ body: { customerType: 'INDIVIDUAL', fullName: 'Grace Hopper' } }),
  updateCustomerById: async () => ({ body: { customerType: 'INDIVIDUAL', fullName: 'Mary Somerville' } }),
  deleteCustomerById: async (world) => ({ params: { customerId: await world.fresh('Customer') } }),
  sendCustomerEmailVerification: async ({ client }) => ({ params: { customerId: (await germanCustomer(client)).id } }),
  sendCustomerPhoneVerification: async ({ client }) => ({ params: { customerId: (await germanCustomer(client)).id } }),
  confirmCustomerEmailVerification: ({ client }) => sentCode(client, 'verify-email'),
  confirmCustomerPhoneVerification: ({ client }) => sentCode(client, 'verify-phone'),
  createCustomerKycLink: async () => ({ body: { redirectUri: 'https://app.example/done' } }),
  getKycPage: async ({ client }) => ({ params: { token: await kycToken(client) } }),
  submitKycPage: async ({ client }) => ({ params: { token: await kycToken(client) }, ...form([{ name: 'nationality', value: 'GB' }]) }),
  createBeneficialOwner: async ({ client }) => ({ body: { customerId: (await identity(client).business()).id, ...US_OWNER } }),
  updateBeneficialOwner: async () => ({ body: { roles: ['DIRECTOR'], ownershipPercentage: 10 } }),
  deleteBeneficialOwner: async (world) => ({ params: { beneficialOwnerId: await world.fresh('BeneficialOwner') } }),
  createVerification: async ({ client }) => ({ body: { customerId: (await identity(client).person()).id } }),
  sandboxDecideVerification: async ({ client }) => ({
    params: { verificationId: (await identity(client).submit(await completePerson(client, 'Ada Lovelace 001'))).id },
    body: { outcome: 'APPROVED' },
  }),
  sandboxSetVerificationStatus: async (world) => ({ params: { customerId: await world.fresh('Customer') }, body: { status: 'HOLD' } }),
  uploadDocument: async ({ client }) => form(documentForm({ documentHolder: (await given(client).customer()).id, ...BILL })),
  replaceDocument: async () => form(documentForm(BILL)),
  deleteDocument: async (world) => ({ params: { documentId: await world.fresh('Document') } }),
  uploadCustomersCsv: async () => form([{ name: 'file', value: csvOf([personRow(newUuid(), 1)]), fileName: 'a.csv' }]),
  linkStablecoinProviderAccount: async ({ client }) => ({ body: stablecoins(client).credentials() }),
  revokeStablecoinProviderAccount: async (world) => ({
    params: { stablecoinProviderAccountId: await world.fresh('StablecoinProviderAccount') },
  }),
  registerStablecoin: async (world) => ({
    body: stablecoins(world.client).token('x', { stablecoinProviderAccountId: await world.fresh('StablecoinProviderAccount') }),
  }),
  requestStablecoinGridEnablement: async (world) => ({ params: { stablecoinId: await world.fresh('Stablecoin') } }),
  createStablecoinMint: async (world) => ({
    params: { stablecoinId: await world.fresh('Stablecoin') },
    body: {
      amount: '1000000',
      fundingSource: { type: 'WIRE' },
      destination: { accountId: (await stablecoins(world.client).wallet()).id },
    },
  }),
  createStablecoinBurn: async (world) => ({
    params: { stablecoinId: await world.fresh('Stablecoin') },
    body: {
      amount: '1000000',
      source: { type: 'EXTERNAL_ACCOUNT' },
      destination: { type: 'EXTERNAL_ACCOUNT', externalAccountId: (await stablecoins(world.client).bank()).id, rail: 'WIRE' },
    },
  }),
  createInvitation: async ({ client }) => ({ body: { inviterUma: (await given(client).customer()).umaAddress } }),
  claimInvitation: async (world) => ({
    params: { invitationCode: await world.fresh('Invitation') },
    body: { inviteeUma: (await given(world.client).customer()).umaAddress },
  }),
  cancelInvitation: async (world) => ({ params: { invitationCode: await world.fresh('Invitation') } }),
  createInternalAccount: async ({ client }) => {
    const { customer, usd } = await givenCardholder(client);
    return {
      body: {
        type: 'RULE_BASED',
        currency: 'USD',
        customerId: customer.id,
        sweepRule: { destination: { accountId: usd.id } },
      },
    };
  },
  sandboxFundInternalAccount: async () => ({ body: { amount: 100 } }),
  sandboxUpdateExchangeRate: async () => ({ body: { currency: 'EUR', perUsd: '0.9' } }),
  estimateCryptoWithdrawalFee: async ({ client }) => ({
    body: {
      internalAccountId: (await given(client).fundedAccount('USDB', 0)).id,
      currency: 'USDB',
      cryptoNetwork: 'SPARK',
      amount: 100,
      destinationAddress: bitcoinWallet(newUuid(), 'SPARK').address,
    },
  }),
  createQuote: async ({ client }) => ({ body: await quoteBody(client) }),
  approvePendingPayment: async (world) => ({ params: { transactionId: await givenIncoming(world) }, body: {} }),
  rejectPendingPayment: async (world) => ({ params: { transactionId: await givenIncoming(world) }, body: {} }),
  cancelTransaction: async ({ client }) => ({ params: { transactionId: await givenSlowPayout(client) }, body: {} }),
  confirmReceiptDelivery: async ({ client }) => ({ params: { transactionId: await givenDeposit(client) }, body: {} }),
  sandboxRailEvent: async ({ client }) => ({ params: { transactionId: await givenDeposit(client) }, body: { event: 'RETURN' } }),
  createTransferIn: async ({ client }) => {
    const { account, bank } = await withBank(client);
    return { body: { source: { accountId: bank.id }, destination: { accountId: account.id }, amount: 100 } };
  },
  createTransferOut: async ({ client }) => {
    const { account, bank } = await withBank(client);
    return { body: { source: { accountId: account.id }, destination: { accountId: bank.id }, amount: 100 } };
  },
  sandboxSend: async ({ client }) => ({ body: { quoteId: (await realtimeQuote(client)).id, currencyCode: 'USD' } }),
  sandboxReceive: async (world) => ({
    ...(await withEndpoint(world)),
    body: {
      senderUmaAddress: at('success.usd'),
      customerId: (await given(world.client).customer()).id,
      receivingCurrencyCode: 'USD',
      receivingCurrencyAmount: 100,
    },
  }),
  uploadPaymentDocument: async () => form(documentForm({ documentType: 'INVOICE' })),
  executeQuote: async (world) => ({ params: { quoteId: await world.fresh('Quote') }, body: {} }),
  listInternalAccountBalanceChanges: async () => ({ query: { startDate: '2024-01-01T06:00:00Z', endDate: '2024-02-01T06:00:00Z' } }),
  getInternalAccountStatement: async () => ({ query: { periodStart: '2024-01-01' } }),
  confirmStatementDelivery: async () => ({ body: { periodStart: '2024-01-01' } }),

  createCustomerExternalAccount: async ({ client }) => ({
    body: { customerId: (await given(client).customer()).id, ...newWallet() },
  }),
  createPlatformExternalAccount: async () => ({ body: newWallet() }),
  deleteCustomerExternalAccountById: async (world) => ({ params: { externalAccountId: await world.fresh('CustomerExternalAccount') } }),
  deletePlatformExternalAccountById: async (world) => ({ params: { externalAccountId: await world.fresh('PlatformExternalAccount') } }),
  createExternalAccountOwnershipChallenge: async () => ({ body: { method: 'WALLET_SIGNATURE' } }),
  createPlatformExternalAccountOwnershipChallenge: async () => ({ body: { method: 'WALLET_SIGNATURE' } }),
  verifyExternalAccountOwnership: ({ client }) => provenWallet(client, 'customers'),
  verifyPlatformExternalAccountOwnership: ({ client }) => provenWallet(client, 'platform'),
  sandboxConcludeLiveness: async (world) => {
    const externalAccountId = await world.fresh('PlatformExternalAccount');
    await expectStatus(201, world.client.post(`/platform/external-accounts/${externalAccountId}/challenge`, { method: 'LIVENESS' }));
    return { params: { externalAccountId }, body: { outcome: 'PASS' } };
  },

  createAuthCredential: async ({ client }) => {
    const { account, keys } = await wallet(client);
    return { body: { accountId: account.id, ...passkeyBody(softwareAuthenticator()) }, signer: keys };
  },
  challengeAuthCredential: async (world) => ({ params: { id: await world.fresh('AuthMethod') }, body: {} }),
  verifyAuthCredential: async ({ client }) => {
    const { credential } = await unprovisionedWallet(client);
    const signer = newKeys();
    return { params: { id: credential.id }, body: await otpBody(client, credential, signer), signer };
  },
  revokeAuthCredential: async ({ client }) => {
    const owner = await wallet(client);
    const { credential } = await secondSession(owner);
    return { params: { id: credential.id }, signer: owner.keys };
  },
  revokeAuthSession: async ({ client }) => {
    const { session, keys } = await wallet(client);
    return { params: { id: session.id }, signer: keys };
  },
  refreshAuthSession: async ({ client }) => {
    const { session, keys } = await wallet(client);
    return { params: { id: session.id }, body: { clientPublicKey: newKeys().publicKey }, signer: keys };
  },
  listDelegatedKeys: async (world) => ({ query: { accountId: await world.id('InternalAccount') } }),
  createDelegatedKey: async ({ client }) => {
    const { owner, card } = await givenWalletCard(client);
    return { body: delegationBody(owner, card), signer: owner.keys };
  },
  revokeDelegatedKey: async (world) => ({ params: { id: await world.fresh('DelegatedKey') } }),
  updateInternalAccount: async ({ client }) => {
    const { account, keys } = await wallet(client);
    return { params: { id: account.id }, body: { privateEnabled: true }, signer: keys };
  },
  exportInternalAccount: async ({ client }) => {
    const { account, keys } = await wallet(client);
    return { params: { id: account.id }, body: { clientPublicKey: newKeys().publicKeyUncompressed }, signer: keys };
  },

  listScaFactors: ofRegulatedCustomer(),
  startScaFactorEnrollment: ofRegulatedCustomer({ type: 'TOTP' }),
  confirmScaFactorEnrollment: async ({ client }) => {
    const sca = scaOf(client, await regulatedCustomer(client));
    const { secret } = await expectStatus(200, sca.enroll('TOTP'));
    return { ...aboutCustomer(sca), body: { type: 'TOTP', secret, code: CODE } };
  },
  deleteScaFactor: async ({ client }) => {
    const { sca, credentialId } = await givenPasskey(client);
    return { ...aboutCustomer(sca), params: { credentialId } };
  },
  startScaLogin: ofRegulatedCustomer({ factor: 'SMS_OTP' }),
  completeScaLogin: async ({ client }) => {
    const sca = scaOf(client, await regulatedCustomer(client));
    const { challengeId } = await expectStatus(200, sca.start('SMS_OTP'));
    return { ...aboutCustomer(sca), body: { factor: 'SMS_OTP', challengeId, code: CODE, endUserIpAddress: IP } };
  },
  recordSecurityEvent: ofRegulatedCustomer({ eventType: 'FAILED_LOGIN_ATTEMPT', endUserIpAddress: IP }),
  startTwoFactorReset: ofRegulatedCustomer({ factor: 'SMS_OTP', endUserIpAddress: IP }),
  getTwoFactorResetStatus: async ({ client }) => {
    const { sca, resetId } = await givenReset(client);
    return { ...aboutCustomer(sca), params: { resetId } };
  },
  completeTwoFactorReset: async ({ client }) => {
    const { sca, resetId } = await givenReset(client);
    await expectStatus(200, sca.liveness(resetId, 'PASS'));
    return { ...aboutCustomer(sca), params: { resetId }, body: { endUserIpAddress: IP } };
  },
  sandboxConcludeTwoFactorReset: async ({ client }) => ({
    params: { resetId: (await givenReset(client)).resetId },
    body: { outcome: 'PASS' },
  }),
  getSandboxLivenessPage: async ({ client }) => ({ query: { token: await livenessToken(client) } }),
  submitSandboxLiveness: async ({ client }) => ({ body: { token: await livenessToken(client), outcome: 'PASS' } }),
  startBeneficiaryTrust: async ({ client }) => ({ params: { externalAccountId: (await givenBeneficiary(client)).account.id } }),
  confirmBeneficiaryTrust: async ({ client }) => {
    const { account, trust } = await givenBeneficiary(client);
    const { scaChallenge } = await expectStatus(200, trust());
    return { params: { externalAccountId: account.id }, body: { challengeId: scaChallenge.id, code: CODE } };
  },
  startBeneficiaryUntrust: async ({ client }) => ({ params: { externalAccountId: (await givenTrusted(client)).account.id } }),
  confirmBeneficiaryUntrust: async ({ client }) => {
    const { account, untrust } = await givenTrusted(client);
    const { scaChallenge } = await expectStatus(200, untrust());
    return { params: { externalAccountId: account.id }, body: { challengeId: scaChallenge.id, code: CODE } };
  },

  authorizeQuote: async ({ client }) => ({ params: { quoteId: (await givenWaitingQuote(client)).id }, body: { code: CODE } }),
  resendQuoteScaCode: async ({ client }) => ({ params: { quoteId: (await givenWaitingQuote(client)).id } }),

  createAgent: async ({ client }) => ({
    body: { name: 'example', customerId: (await given(client).customer()).id, policy: OPEN_POLICY },
  }),
  updateAgent: async () => ({ body: { name: 'renamed' } }),
  updateAgentPolicy: async () => ({ body: { spendingLimits: { dailyLimit: 5_000_000 } } }),
  // Used up by the request, so made for it.
  deleteAgent: async (world) => ({ params: { agentId: await world.fresh('Agent') } }),
  redeemAgentDeviceCode: async (world) => ({ params: { code: await world.fresh('AgentDeviceCode') } }),
  approveAgentAction: async ({ client }) => ({ params: await pendingAction(client) }),
  rejectAgentAction: async ({ client }) => ({ params: await pendingAction(client), body: { reason: 'not now' } }),
  agentCreateQuote: async ({ client }) => {
    const agent = await agentOf(client);
    return { body: await agent.request(1_000, await toNewAccount(agent)) };
  },
  agentExecuteQuote: async (world) => ({ params: { quoteId: await world.fresh('AgentQuote') } }),
  agentCreateExternalAccount: async () => ({ body: newWallet() }),
  agentDeleteExternalAccount: async (world) => ({ params: { externalAccountId: await world.fresh('AgentExternalAccount') } }),

  createCard: async ({ client }) => {
    const { customer, usd } = await givenCardholder(client);
    return { body: { form: 'VIRTUAL', customerId: customer.id, fundingSource: usd.id } };
  },
  updateCardById: async () => ({ body: { maxSpendPerDay: 5_000 } }),
  tokenizeCard: async () => ({ body: { wallet: 'SAMSUNG_PAY', walletAccountId: 'wallet', deviceId: 'device' } }),
  setCardPin: async () => ({ body: { encryptedPinBlock: Buffer.alloc(48, 7).toString('base64') } }),
  getCardPinUrl: async ({ client }) => {
    await allowPinPages(client);
    return {};
  },
  unblockCardPin: async (world) => {
    const id = await world.fresh('Card');
    await expectStatus(204, world.client.post(`/cards/${id}/set-pin`, { encryptedPinBlock: Buffer.alloc(48, 7).toString('base64') }));
    await expectStatus(204, world.client.post(`/sandbox/cards/${id}/simulate/pin_blocked`));
    return { params: { id } };
  },
  sandboxSimulateCardPinBlocked: async (world) => {
    const id = await world.fresh('Card');
    await expectStatus(204, world.client.post(`/cards/${id}/set-pin`, { encryptedPinBlock: Buffer.alloc(48, 7).toString('base64') }));
    return { params: { id } };
  },
  sandboxSimulateCardAuthorization: onFundedCard(purchase),
  sandboxSimulateCardCreditAuthorization: onFundedCard(purchase),
  sandboxSimulateCardFinancialAuthorization: onFundedCard(purchase),
  sandboxSimulateCardFinancialCreditAuthorization: onFundedCard(purchase),
  sandboxSimulateCardCreditAuthorizationAdvice: onFundedCard(purchase),
  sandboxSimulateCardBalanceInquiry: onFundedCard({ merchant: purchase.merchant }),
  sandboxSimulateCardClearing: onPurchase({ amount: 500 }),
  sandboxSimulateCardAuthorizationAdvice: onPurchase({ amount: 400 }),
  sandboxSimulateCardAuthorizationReversal: onPurchase({ amount: 100 }),
  sandboxSimulateCardAuthorizationExpiry: onPurchase({}),
  sandboxSimulateCardReturn: onPurchase({ amount: 200 }, { cleared: true }),
  sandboxSimulateCardReturnReversal: async ({ client }) => {
    const { cardId, transactionId } = await givenPurchase(client, true);
    const back = { cardTransactionId: transactionId, amount: 200 };
    await expectStatus(202, client.post(`/sandbox/cards/${cardId}/simulate/return`, back));
    const { data } = await expectStatus(200, client.get(`/transactions?cardId=${cardId}`));
    const refund = data.find((row: { id: string }) => row.id !== transactionId);
    return { params: { id: cardId }, body: { cardTransactionId: refund.id } };
  },
  sandboxSimulateCardDisputeOpen: onPurchase({}, { cleared: true }),
  sandboxSimulateCardDisputeProvisionalCredit: onPurchase({ amount: 100 }, { cleared: true, disputed: true }),
  sandboxSimulateCardDisputeProvisionalCreditReversal: onPurchase({ amount: 100 }, { cleared: true, disputed: true, credited: true }),
  sandboxSimulateCardDisputeClose: onPurchase({ disposition: 'WON' }, { cleared: true, disputed: true }),
  decideCardAuthorization: async (world) => ({
    body: {
      issuerTransactionToken: newUuid(),
      cardId: (await givenPurchase(world.client)).cardId,
      amount: 100,
      currency: 'USD',
      merchant: purchase.merchant,
    },
  }),
  // A message for an unknown transaction, because only then the card id is used.
  recordCardMessage: async ({ client }) => {
    const { cardId } = await givenPurchase(client);
    const [messageToken, issuerTransactionToken] = [newUuid(), newUuid()];
    return { body: { kind: 'CLEARING', messageToken, issuerTransactionToken, amount: 100, cardId, merchant: purchase.merchant } };
  },

  selectSandboxCardProgram: async () => ({ body: { program: 'service_full' } }),
  getSandboxCardDetailsPage: async (world) => {
    const { panEmbedUrl } = await expectStatus(200, world.client.post(`/cards/${await world.fresh('Card')}/reveal`));
    return { query: { token: new URL(panEmbedUrl).searchParams.get('token') ?? '' } };
  },
  getSandboxCardPinPage: async (world) => ({ query: { token: await pinSession(world) } }),
  submitSandboxCardPin: async (world) => ({ body: { sessionToken: await pinSession(world), pin: '1234' } }),
};

const aboutCustomer = ({ customer }: Sca) => ({ query: { customerId: customer.id } });

/** A request about a new customer in a regulated region. */
function ofRegulatedCustomer(body?: unknown): Example {
  return async ({ client }) => ({
    ...aboutCustomer(scaOf(client, await regulatedCustomer(client))),
    ...(body === undefined ? {} : { body }),
  });
}

async function pendingAction(client: Client): Promise<Record<string, string>> {
  const { id, agentId } = await givenPendingAction(client);
  return { agentId, actionId: id };
}

async function livenessToken(client: Client): Promise<string> {
  const sca = scaOf(client, await regulatedCustomer(client));
  return (await expectStatus(201, sca.startReset('SMS_OTP'))).livenessAccessToken;
}

function onFundedCard(body: unknown): Example {
  return async ({ client }) => ({ params: { id: (await givenPurchase(client)).cardId }, body });
}

/** A message for a purchase in the required state. */
function onPurchase(body: Record<string, unknown>, { cleared = false, disputed = false, credited = false } = {}): Example {
  return async ({ client }) => {
    const { cardId, transactionId } = await givenPurchase(client, cleared);
    const simulate = (name: string, more = {}) =>
      expectStatus(202, client.post(`/sandbox/cards/${cardId}/simulate/${name}`, { cardTransactionId: transactionId, ...more }));
    if (disputed) await simulate('dispute_open');
    if (credited) await simulate('dispute_provisional_credit', { amount: 100 });
    return { params: { id: cardId }, body: { cardTransactionId: transactionId, ...body } };
  };
}

function newWallet(): Record<string, unknown> {
  const { accountType, address } = evmWallet(newUuid());
  return { currency: 'USDC', ownershipType: 'FIRST_PARTY', accountInfo: { accountType, address } };
}

async function provenWallet(client: Client, door: OwnerPath): Promise<Partial<ExampleRequest>> {
  const opened = accountsApi(client, door);
  const signer = evmWallet(newUuid());
  const account = await opened.wallet(signer);
  return { params: { externalAccountId: account.id }, body: { signature: await signer.sign(await opened.messageFor(account)) } };
}

/** The files of these forms are ASCII, so that the form is a text. */
function form(parts: readonly Part[]): Partial<ExampleRequest> {
  const { body, contentType } = formOf(parts);
  return { body: body.toString('latin1'), headers: { 'content-type': contentType } };
}

async function kycToken(client: Client): Promise<string> {
  const { kycUrl } = await expectStatus(201, client.post(`/customers/${(await identity(client).person()).id}/kyc-link`));
  return kycUrl.split('/').at(-1);
}

async function sentCode(client: Client, path: ContactPath): Promise<Partial<ExampleRequest>> {
  const customer = await germanCustomer(client);
  await expectStatus(204, sendCode(client, customer, path));
  return { params: { customerId: customer.id }, body: { code: '123456' } };
}

async function withEndpoint({ client, hookUrl }: World): Promise<Partial<ExampleRequest>> {
  await expectStatus(200, client.patch('/config', { webhookEndpoint: hookUrl }));
  return {};
}

const allowPinPages = (client: Client) =>
  expectStatus(200, client.patch('/config', { cardConfigs: { pinTargetOrigin: 'https://app.example' } }));

async function pinSession(world: World): Promise<string> {
  await allowPinPages(world.client);
  return (await expectStatus(200, world.client.get(`/cards/${await world.fresh('Card')}/pin-entry-url`))).sessionToken;
}

/** A request of the operation that succeeds with the platform's own credentials. */
export async function exampleOf(document: ApiDocument, operation: DocumentedOperation, world: World): Promise<ExampleRequest> {
  const random = randomOf(operation.id);
  const given = (await EXAMPLES[operation.id]?.(world)) ?? {};
  const params: Record<string, string> = {};
  const query: Record<string, string> = {};
  for (const { name, in: place, required } of operation.parameters) {
    if (place === 'path') params[name] = given.params?.[name] ?? (await world.id(kindOfParameter(operation, name)));
    if (place === 'query' && required && !given.query?.[name]) {
      const kind = kindOfProperty(name);
      query[name] = kind ? await world.id(kind) : '';
    }
  }
  const body = operation.body && !('body' in given) ? generatorOf(document, () => undefined).body(operation, random) : given.body;
  const key = operation.parameters.some(({ name }) => name === 'Idempotency-Key') ? { 'idempotency-key': newUuid() } : {};
  return {
    params,
    query: { ...query, ...given.query },
    headers: { ...key, ...given.headers },
    body,
    ...(given.signer && { signer: given.signer }),
  };
}

/** The path and query of a request. */
export function targetOf(operation: DocumentedOperation, { params, query }: Pick<ExampleRequest, 'params' | 'query'>): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '').replaceAll('%3A', ':'));
  const search = new URLSearchParams(query).toString();
  return search ? `${path}?${search}` : path;
}
