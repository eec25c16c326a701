// Where an id in a query or body decides what is answered only together with other records: requests in which it does.
import { agentOf } from '../support/agents.js';
import { givenCard } from '../support/cards.js';
import { expectStatus } from '../support/client.js';
import { accountsApi } from '../support/external-accounts/accounts-api.js';
import { given } from '../support/given.js';
import { identity } from '../support/identity/verifications.js';
import { chineseBusiness, givenPaymentDocument } from '../support/payment-documents.js';
import { quoting } from '../support/quotes.js';
import { stablecoins } from '../support/stablecoins.js';
import { at, givenLookup, umaRequest } from '../support/uma.js';
import { wallet } from '../support/wallet.js';
import type { ExampleRequest } from './examples.js';
import { givenDelegation, givenPendingAction, givenPurchase, type World } from './objects.js';

/** A record, and what the request that names it has beside it. */
export type NamedId = { readonly id: string } & Partial<Pick<ExampleRequest, 'params' | 'query' | 'body'>>;

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

async function purchaseIn({ client }: World): Promise<Resource> {
  const { transactionId } = await givenPurchase(client);
  return expectStatus(200, client.get(`/transactions/${transactionId}`));
}

/** A payment between two customers. */
async function paid({ client }: World): Promise<{ readonly payer: Resource; readonly quote: Resource }> {
  const pay = quoting(client);
  const payer = await pay.fundedAccount('USD', 10_000);
  return { payer, quote: await pay.execute(await pay.quote(pay.request(payer, await pay.fundedAccount('USD', 0), 1_000))) };
}

async function lookedUp({ client }: World): Promise<{ readonly account: Resource; readonly lookup: Resource }> {
  return { account: await quoting(client).fundedAccount('USD', 10_000), lookup: await givenLookup(client, at('success.usd')) };
}

/** A payment to China and the document it needs. */
async function documented({ client }: World, source?: Resource, customer?: Resource): Promise<NamedId> {
  const pay = quoting(client);
  const payer = customer ?? (await pay.customer());
  const account = source ?? (await pay.fund(await pay.account(payer, 'USD'), 100_000));
  const { id } = await givenPaymentDocument(client, 'INVOICE', payer.id);
  const fields = { documentIds: [id], purposeOfPayment: 'SERVICE_CHARGES' };
  return { id, body: pay.request(account, await chineseBusiness(client, payer), 1_000, fields) };
}

async function agentsPayment({ client }: World): Promise<Resource> {
  const agent = await agentOf(client);
  const { transactionId } = (await expectStatus(200, agent.spend(1_000))).quote;
  return expectStatus(200, agent.client.get(`/agents/me/transactions/${transactionId}`));
}

export const NAMED_IDS: Readonly<Record<string, (world: World) => Promise<NamedId>>> = {
  'listRequests query.tokenId': async ({ client }) => {
    const { data } = await expectStatus(200, client.get('/tokens?limit=100'));
    return { id: data.find(({ clientId }: Resource) => clientId === client.tokenId).id };
  },
  'listBeneficialOwners query.customerId': async ({ client }) => {
    const build = identity(client);
    const business = await build.business();
    await build.owner(business);
    return { id: business.id };
  },
  'listVerifications query.customerId': async ({ client }) => {
    const build = identity(client);
    const person = await build.person();
    await build.submit(person);
    return { id: person.id };
  },
  'listCustomerExternalAccounts query.customerId': async ({ client }) => {
    const accounts = accountsApi(client, 'customers');
    await accounts.wallet();
    return { id: (await accounts.owner())['customerId'] as string };
  },
  'listAuthSessions query.accountId': async ({ client }) => ({ id: (await wallet(client)).account.id }),
  'listAuthCredentials query.accountId': async ({ client }) => ({ id: (await wallet(client)).account.id }),
  'listDelegatedKeys query.accountId': async ({ client }) => ({ id: (await givenDelegation(client)).owner.account.id, query: {} }),
  'listDelegatedKeys query.fundingSourceId': async ({ client }) => ({
    id: (await givenDelegation(client)).key.fundingSourceId,
    query: {},
  }),
  'listCards query.customerId': async ({ client }) => ({ id: (await givenCard(client)).customer.id }),
  'listCards query.accountId': async ({ client }) => ({ id: (await givenCard(client)).usd.id }),
  'updateCardById body.fundingSource': async ({ client }) => {
    const { card, customer } = await givenCard(client);
    return { id: (await given(client).account(customer, 'USD')).id, params: { id: card.id }, body: {} };
  },
  'createQuote body.lookupId': async (world) => {
    const { account, lookup } = await lookedUp(world);
    return { id: lookup.lookupId, body: umaRequest(account, lookup, 1_000) };
  },
  'createQuote body.documentIds': (world) => documented(world),
  'listTransactions query.customerId': async (world) => ({ id: (await purchaseIn(world)).customerId }),
  'listTransactions query.cardId': async ({ client }) => ({ id: (await givenPurchase(client)).cardId }),
  'listTransactions query.senderAccountIdentifier': async (world) => ({ id: (await paid(world)).payer.id }),
  'createStablecoinBurn body.destination.accountId': async ({ client }) => {
    const { id } = await quoting(client).fundedAccount('USD', 0);
    const build = stablecoins(client);
    const body = {
      amount: '1000000',
      source: { type: 'PROVIDER_INTERNAL_BALANCE' },
      destination: { type: 'GRID_INTERNAL_ACCOUNT', accountId: id, rail: 'RTP_CREDIT' },
    };
    return { id, params: { stablecoinId: (await build.stablecoin()).id }, body };
  },
  'createStablecoinMint body.fundingSource.externalAccountId': async ({ client }) => {
    const build = stablecoins(client);
    const { id } = await build.bank();
    const body = { amount: '1000000', fundingSource: { type: 'ACH_DEBIT' }, destination: { accountId: (await build.wallet()).id } };
    return { id, params: { stablecoinId: (await build.stablecoin()).id }, body };
  },
  'listAgents query.customerId': async ({ client }) => ({ id: (await agentOf(client)).customer.id }),
  'listAgentApprovals query.agentId': async ({ client }) => ({ id: (await givenPendingAction(client)).agentId }),
  'listAgentApprovals query.customerId': async ({ client }) => {
    await givenPendingAction(client);
    return { id: (await agentOf(client)).customer.id };
  },
  'agentCreateQuote body.lookupId': async (world) => {
    const { account } = await agentOf(world.client);
    const { lookup } = await lookedUp(world);
    return { id: lookup.lookupId, body: umaRequest(account, lookup, 1_000) };
  },
  'agentCreateQuote body.documentIds': async (world) => {
    const { account, customer } = await agentOf(world.client);
    return documented(world, account, customer);
  },
  'agentListTransactions query.accountIdentifier': async (world) => ({ id: (await agentsPayment(world)).source.accountId }),
  'agentListTransactions query.senderAccountIdentifier': async (world) => ({ id: (await agentsPayment(world)).source.accountId }),
  'agentListTransactions query.receiverAccountIdentifier': async (world) => ({ id: (await agentsPayment(world)).destination.accountId }),
  'agentCreateExternalAccount body.customerId': async ({ client }) => ({ id: (await agentOf(client)).customer.id }),
};

/** Places whose id decides nothing, with the reason. */
export const DECIDES_NOTHING: Readonly<Record<string, string>> = {
  'streamRequests query.tokenId': 'a stream that filters is the same until a request is made',
  'agentCreateQuote body.source.customerId':
    'an agent pays from accounts alone, and only payments of cash in real time name their customer',
  'createStablecoinMint body.fundingSource.accountId': 'reserved: every request that names one is refused',
  'createStablecoinBurn body.source.accountId': 'reserved: every request that names one is refused',
};
