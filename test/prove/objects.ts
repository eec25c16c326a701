// Builders of records of a platform, one per kind.
// A path parameter or an id property without an entry here fails the tests, so no operation can be left out.
import assert from 'node:assert/strict';
import { newUuid } from '../../src/kernel/ids.js';
import { agentOf, createAgent, type GivenAgent } from '../support/agents.js';
import { givenCard } from '../support/cards.js';
import { type Client, expectStatus } from '../support/client.js';
import { givenDocument } from '../support/documents.js';
import { accountsApi } from '../support/external-accounts/accounts-api.js';
import { given } from '../support/given.js';
import { identity } from '../support/identity/verifications.js';
import { csvOf, personRow, uploadCsv } from '../support/imports.js';
import { announceUnasked } from '../support/incoming.js';
import { givenInvitation } from '../support/invitations.js';
import { newIssuerKey } from '../support/issuer.js';
import { givenPaymentDocument } from '../support/payment-documents.js';
import { quoting } from '../support/quotes.js';
import { regulatedCustomer, type Sca, scaOf } from '../support/sca.js';
import type { TestService } from '../support/service.js';
import { stablecoins } from '../support/stablecoins.js';
import { at, givenLookup } from '../support/uma.js';
import { delegate, signInWithOtp, unprovisionedWallet, type Wallet, wallet } from '../support/wallet.js';
import type { Receiver } from '../support/webhooks/receiver.js';
import type { DocumentedOperation } from './document.js';

/** How records of a kind are created, and the prefix of their ids. */
type Builder = { readonly prefix: string; make(world: World): Promise<string>; unknown?(): string };

const BUILDERS = {
  Token: {
    prefix: 'Token',
    make: async ({ client }) => (await expectStatus(201, client.post('/tokens', { name: 'built', permissions: ['VIEW'] }))).id,
  },
  Webhook: {
    prefix: 'Webhook',
    make: async ({ client }) => {
      const account = await given(client).fundedAccount('USD', 1);
      return (await expectStatus(200, client.get(`/webhooks/events?objectId=${account.id}`))).data[0].id;
    },
  },
  LoggedRequest: {
    prefix: '',
    make: async ({ client }) => (await client.get('/config')).headers.get('x-request-id') as string,
  },
  Customer: { prefix: 'Customer', make: async ({ client }) => (await given(client).customer()).id },
  InternalAccount: { prefix: 'InternalAccount', make: async ({ client }) => (await given(client).fundedAccount('USD', 100_000)).id },
  CustomerExternalAccount: { prefix: 'ExternalAccount', make: async ({ client }) => (await accountsApi(client, 'customers').wallet()).id },
  PlatformExternalAccount: { prefix: 'ExternalAccount', make: async ({ client }) => (await accountsApi(client, 'platform').wallet()).id },
  AuthMethod: { prefix: 'AuthMethod', make: async ({ client }) => (await unprovisionedWallet(client)).credential.id },
  SignedRequest: {
    prefix: 'Request',
    make: async ({ client }) => (await expectStatus(202, client.delete(`/auth/sessions/${(await wallet(client)).session.id}`))).requestId,
  },
  Session: { prefix: 'Session', make: async ({ client }) => (await wallet(client)).session.id },
  Document: {
    prefix: 'Document',
    make: async ({ client }) => (await givenDocument(client, (await given(client).customer()).id)).id,
  },
  BeneficialOwner: {
    prefix: 'BeneficialOwner',
    make: async ({ client }) => (await identity(client).owner(await identity(client).business())).id,
  },
  Verification: {
    prefix: 'Verification',
    make: async ({ client }) => (await identity(client).submit(await identity(client).person())).id,
  },
  Job: { prefix: 'Job', make: async ({ client }) => (await expectStatus(202, uploadCsv(client, csvOf([personRow(newUuid(), 1)])))).jobId },
  StablecoinProviderAccount: {
    prefix: 'StablecoinProviderAccount',
    make: async ({ client }) => (await stablecoins(client).link()).id,
  },
  Stablecoin: { prefix: 'Stablecoin', make: async ({ client }) => (await stablecoins(client).stablecoin()).id },
  StablecoinOperation: {
    prefix: 'StablecoinOperation',
    make: async ({ client }) => {
      const build = stablecoins(client);
      return (await expectStatus(201, build.burn(await build.stablecoin(), '1000000'))).id;
    },
  },
  // Known by its code.
  Invitation: { prefix: '', make: async ({ client }) => (await givenInvitation(client)).code },
  Card: { prefix: 'Card', make: async ({ client }) => (await givenCard(client)).card.id },
  Transaction: { prefix: 'Transaction', make: async ({ client }) => (await givenPurchase(client)).transactionId },
  PaymentDocument: { prefix: 'PaymentDocument', make: async ({ client }) => (await givenPaymentDocument(client, 'INVOICE')).id },
  Lookup: { prefix: 'Lookup', make: async ({ client }) => (await givenLookup(client, at('success.usd'))).lookupId },
  // An address at the domain of its platform, which no other platform reaches.
  UmaAddress: {
    prefix: '',
    make: async ({ client }) => (await given(client).customer()).umaAddress,
    unknown: () => `$c${newUuid()}@elsewhere.example`,
  },
  Quote: { prefix: 'Quote', make: async ({ client }) => (await givenQuote(client)).id },
  DelegatedKey: { prefix: 'DelegatedKey', make: async ({ client }) => (await givenDelegation(client)).key.id },
  IssuerCredential: { prefix: 'IssuerCredential', make: async ({ client }) => (await newIssuerKey(client)).id },
  ScaReset: {
    prefix: 'TwoFactorReset',
    make: async ({ client }) => (await givenReset(client)).resetId,
  },
  // Its id is defined by the authenticator.
  ScaPasskey: { prefix: '', make: async ({ client }) => (await givenPasskey(client)).credentialId },
  // Named by its maker.
  SandboxSnapshot: {
    prefix: '',
    make: async ({ client }) => (await expectStatus(201, client.post('/sandbox/snapshots', { name: `s-${newUuid()}` }))).name,
  },
  CardFundingSource: { prefix: 'CardFundingSource', make: async ({ client }) => (await givenDelegation(client)).key.fundingSourceId },
  Agent: { prefix: 'Agent', make: async ({ client }) => (await newAgent(client)).agent.id },
  // A code has a form of its own.
  AgentDeviceCode: { prefix: '', make: async ({ client }) => (await newAgent(client)).deviceCode.code },
  AgentQuote: { prefix: 'Quote', make: async ({ client }) => (await givenAgentQuote(client)).id },
  AgentAction: { prefix: 'AgentAction', make: async ({ client }) => (await givenPendingAction(client)).id },
  AgentTransaction: { prefix: 'Transaction', make: async ({ client }) => (await givenAgentQuote(client)).transactionId },
  AgentExternalAccount: {
    prefix: 'ExternalAccount',
    make: async ({ client }) => (await quoting(client).usd((await agentOf(client)).customer)).id,
  },
} as const satisfies Record<string, Builder>;

export type Kind = keyof typeof BUILDERS;
export const kinds = Object.keys(BUILDERS) as readonly Kind[];

/** The kind of record that a path parameter names, by the path up to it. */
const PATH_KINDS: Readonly<Record<string, Kind>> = {
  '/tokens/{tokenId}': 'Token',
  '/customers/{customerId}': 'Customer',
  '/customers/bulk/jobs/{jobId}': 'Job',
  '/documents/{documentId}': 'Document',
  '/beneficial-owners/{beneficialOwnerId}': 'BeneficialOwner',
  '/verifications/{verificationId}': 'Verification',
  '/sandbox/verifications/{verificationId}': 'Verification',
  '/sandbox/customers/{customerId}': 'Customer',
  '/internal-accounts/{id}': 'InternalAccount',
  '/sandbox/internal-accounts/{accountId}': 'InternalAccount',
  '/webhooks/events/{id}': 'Webhook',
  '/requests/{id}': 'LoggedRequest',
  '/signed-requests/{id}': 'SignedRequest',
  '/customers/external-accounts/{externalAccountId}': 'CustomerExternalAccount',
  '/platform/external-accounts/{externalAccountId}': 'PlatformExternalAccount',
  '/external-accounts/{externalAccountId}': 'PlatformExternalAccount',
  '/sandbox/external-accounts/{externalAccountId}': 'PlatformExternalAccount',
  '/transactions/{transactionId}': 'Transaction',
  '/sandbox/transactions/{transactionId}': 'Transaction',
  '/payment-documents/{paymentDocumentId}': 'PaymentDocument',
  '/quotes/{quoteId}': 'Quote',
  '/receiver/uma/{receiverUmaAddress}': 'UmaAddress',
  '/receiver/external-account/{accountId}': 'PlatformExternalAccount',
  '/auth/credentials/{id}': 'AuthMethod',
  '/auth/sessions/{id}': 'Session',
  '/auth/delegated-keys/{id}': 'DelegatedKey',
  '/invitations/{invitationCode}': 'Invitation',
  '/stablecoin-provider-accounts/{stablecoinProviderAccountId}': 'StablecoinProviderAccount',
  '/stablecoins/{stablecoinId}': 'Stablecoin',
  '/stablecoin-operations/{stablecoinOperationId}': 'StablecoinOperation',
  '/cards/{id}': 'Card',
  '/sandbox/cards/{id}': 'Card',
  '/sandbox/issuer-credentials/{id}': 'IssuerCredential',
  '/sandbox/snapshots/{name}': 'SandboxSnapshot',
  '/sca/factors/{credentialId}': 'ScaPasskey',
  '/sca/factors/reset/{resetId}': 'ScaReset',
  '/sandbox/sca/factors/reset/{resetId}': 'ScaReset',
  '/agents/{agentId}': 'Agent',
  '/agents/{agentId}/actions/{actionId}': 'AgentAction',
  '/agents/device-codes/{code}': 'AgentDeviceCode',
  '/agents/me/quotes/{quoteId}': 'AgentQuote',
  '/agents/me/actions/{actionId}': 'AgentAction',
  '/agents/me/external-accounts/{externalAccountId}': 'AgentExternalAccount',
  '/agents/me/transactions/{transactionId}': 'AgentTransaction',
};

/** Kinds that every platform of the installation may read and change by design; their own tests say how. */
export const CROSSING: ReadonlySet<Kind> = new Set(['Invitation']);

/** The kind of record that a property of a body or query names; null for ids that other parties define. */
const PROPERTY_KINDS: Readonly<Record<string, Kind | null>> = {
  customerId: 'Customer',
  onBehalfOfCustomerId: 'Customer',
  accountId: 'InternalAccount',
  internalAccountId: 'InternalAccount',
  stablecoinProviderAccountId: 'StablecoinProviderAccount',
  externalAccountId: 'PlatformExternalAccount',
  fundingSource: 'InternalAccount',
  fundingSourceId: 'CardFundingSource',
  cardId: 'Card',
  cardTransactionId: 'Transaction',
  accountIdentifier: 'InternalAccount',
  senderAccountIdentifier: 'InternalAccount',
  receiverAccountIdentifier: 'InternalAccount',
  objectId: 'Customer',
  agentId: 'Agent',
  // A list: the members are tested with the operations of agents.
  allowedAccountIds: null,
  lastEventId: 'Webhook',
  lastRequestId: 'LoggedRequest',
  tokenId: 'Token',
  // Records that no operation makes yet.
  // Defined by the stablecoin issuer.
  apiClientId: null,
  providerAccountId: null,
  platformCustomerId: null,
  platformAccountId: null,
  platformCardId: null,
  // Defined by the authenticator of the passkey.
  credentialId: null,
  // Only valid with the customer it was made for.
  challengeId: null,
  quoteId: 'Quote',
  lookupId: 'Lookup',
  documentIds: 'PaymentDocument',
  taxId: null,
  // What a decision in the sandbox says of a packet.
  resourceId: null,
  walletAccountId: null,
  deviceId: null,
  serverSessionId: null,
  // A header that a step of a fixture sends.
  'Request-Id': null,
};

/** Operations after which the records of the platform are others. They come last, and the fuzz run sends none that is accepted. */
export const REPLACES_RECORDS: ReadonlySet<string> = new Set(['restoreSandboxSnapshot', 'resetSandbox']);

export const LOOKS_LIKE_AN_ID = /(?:^id|Ids?)$/;

export function kindOfParameter(operation: DocumentedOperation, name: string): Kind {
  const place = `{${name}}`;
  const prefix = operation.path.slice(0, operation.path.indexOf(place) + place.length);
  const kind = PATH_KINDS[prefix];
  assert.ok(kind, `${operation.id}: ${prefix} has no builder in test/prove/objects.ts`);
  return kind;
}

/** Undefined if the property is not an id. Throws if the name looks like an id and is not listed. */
export function kindOfProperty(name: string): Kind | undefined {
  if (name in PROPERTY_KINDS) return PROPERTY_KINDS[name] ?? undefined;
  assert.ok(!LOOKS_LIKE_AN_ID.test(name), `property ${name} looks like an id and is not listed in test/prove/objects.ts`);
  return undefined;
}

export const prefixOf = (kind: Kind): string => BUILDERS[kind].prefix;
export function unknownId(kind: Kind): string {
  const builder: Builder = BUILDERS[kind];
  return builder.unknown?.() ?? (builder.prefix === '' ? newUuid() : `${builder.prefix}:${newUuid()}`);
}

export type World = {
  readonly client: Client;
  /** Whose database a record is written to that no operation of a platform makes. */
  readonly service: Pick<TestService, 'db'>;
  /** A running webhook receiver. */
  readonly hookUrl: string;
  /** The id of a record of this kind, created on first use. */
  id(kind: Kind): Promise<string>;
  /** The id of a new record. */
  fresh(kind: Kind): Promise<string>;
};

export function worldOf(
  client: Client,
  { service, receiver }: { readonly service: Pick<TestService, 'db'>; readonly receiver: Pick<Receiver, 'url'> },
): World {
  const made = new Map<Kind, Promise<string>>();
  const world: World = {
    client,
    service,
    hookUrl: receiver.url,
    id(kind) {
      const known = made.get(kind) ?? world.fresh(kind);
      made.set(kind, known);
      return known;
    },
    async fresh(kind) {
      const id = await BUILDERS[kind].make(world);
      if (prefixOf(kind) !== '') assert.match(id, new RegExp(`^${prefixOf(kind)}:`), `the builder of ${kind}`);
      return id;
    },
  };
  return world;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

/** A payment of a customer in a regulated region, executed and not yet authorized. */
export async function givenWaitingQuote(client: Client): Promise<Resource> {
  const build = quoting(client);
  const { supportedCurrencies } = await expectStatus(200, client.get('/config'));
  const codes = supportedCurrencies.map(({ currencyCode }: Resource) => currencyCode);
  if (!codes.includes('EUR')) await build.currencies(...codes, 'EUR');
  const customer = await regulatedCustomer(client);
  const source = await build.account(customer, 'EUR');
  await build.fund(source, 1_000_000);
  await scaOf(client, customer).login();
  return build.execute(await build.quote(build.request(source, await build.eur(customer), 10_000)));
}

/** An enrolled passkey. */
export async function givenPasskey(client: Client): Promise<{ sca: Sca; credentialId: string }> {
  const sca = scaOf(client, await regulatedCustomer(client));
  return { sca, credentialId: (await sca.withPasskey()).credentialId };
}

/** A reset of a lost authenticator app. */
export async function givenReset(client: Client): Promise<{ sca: Sca; resetId: string }> {
  const sca = scaOf(client, await regulatedCustomer(client));
  await sca.withTotp();
  return { sca, resetId: (await expectStatus(201, sca.startReset('TOTP'))).resetId };
}

/** A card on an embedded wallet whose owner is signed in. */
export async function givenWalletCard(client: Client): Promise<{ owner: Wallet; card: Resource }> {
  const { card, customer, usdb } = await givenCard(client, { currency: 'USDB' });
  const { data } = await expectStatus(200, client.get(`/auth/credentials?accountId=${usdb.id}`));
  const { answer, keys } = await signInWithOtp(client, data[0]);
  return { owner: { platform: client, customer, account: usdb, credential: data[0], session: answer.body, keys }, card };
}

export async function givenDelegation(client: Client): Promise<{ owner: Wallet; card: Resource; key: Resource }> {
  const { owner, card } = await givenWalletCard(client);
  return { owner, card, key: await delegate(owner, card) };
}

export const purchase = { amount: 500, currency: { code: 'USD' }, merchant: { descriptor: 'CORNER SHOP' } };

/** An authorization of 500 on a funded card, cleared if wanted. */
export async function givenPurchase(client: Client, cleared = false): Promise<{ cardId: string; transactionId: string }> {
  const { card, usd } = await givenCard(client);
  await given(client).fund(usd, 100_000);
  await expectStatus(202, client.post(`/sandbox/cards/${card.id}/simulate/authorization`, purchase));
  const { data } = await expectStatus(200, client.get(`/transactions?cardId=${card.id}`));
  const transactionId = data[0].id as string;
  if (cleared) {
    const clearing = { cardTransactionId: transactionId, amount: 500 };
    await expectStatus(202, client.post(`/sandbox/cards/${card.id}/simulate/clearing`, clearing));
  }
  return { cardId: card.id, transactionId };
}

const newAgent = async (client: Client): Promise<Resource> => createAgent(client, await given(client).customer());

/** A new account that the agent pays to, because earlier ones may have been deleted. */
export const toNewAccount = async ({ pay, customer }: GivenAgent) => ({
  destination: { destinationType: 'ACCOUNT', accountId: (await pay.usd(customer)).id },
});

async function givenAgentQuote(client: Client): Promise<Resource> {
  const agent = await agentOf(client);
  return agent.quote(1_000, await toNewAccount(agent));
}

/** An action of the platform's agent that waits for approval. */
export async function givenPendingAction(client: Client): Promise<Resource> {
  const agent = await agentOf(client);
  await agent.setPolicy({ defaultExecutionMode: 'APPROVAL_REQUIRED' });
  const action = await expectStatus(200, agent.execute(await givenAgentQuote(client)));
  await agent.setPolicy({ defaultExecutionMode: 'AUTO' });
  return action;
}

/** A quote between the USD accounts of two customers, which can be executed. */
async function givenQuote(client: Client) {
  const pay = quoting(client);
  const source = await pay.fundedAccount('USD', 100_000);
  return pay.quote(pay.request(source, await pay.fundedAccount('USD', 0), 1_000));
}

/** An incoming payment that waits for the decision of the platform. */
export const givenIncoming = async ({ client, service }: World): Promise<string> =>
  announceUnasked(service, client, await given(client).fundedAccount('USD', 0));

/** A deposit in US dollars, which came over ACH and has settled. */
export async function givenDeposit(client: Client): Promise<string> {
  const { customerId } = await given(client).fundedAccount('USD', 1_000);
  return (await expectStatus(200, client.get(`/transactions?customerId=${customerId}&type=INCOMING`))).data[0].id;
}

/** A payout over ACH that settles in six minutes. */
export async function givenSlowPayout(client: Client): Promise<string> {
  const pay = quoting(client);
  const source = await pay.fundedAccount('USD', 100_000);
  const destination = await pay.usd({ id: source.customerId }, '003');
  return (await pay.execute(await pay.quote(pay.request(source, destination, 10_000)))).transactionId;
}
