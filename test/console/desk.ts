// A platform with one record of every kind, and the addresses of all pages of the console for it.

import { givenDelegation, givenIncoming, givenPurchase, givenWalletCard, purchase, worldOf } from '../prove/objects.js';
import { type Client, expectStatus } from '../support/client.js';
import { given } from '../support/given.js';
import type { TestService } from '../support/service.js';
import type { Receiver } from '../support/webhooks/receiver.js';

/** Pages that are no object: they exist on an empty platform, too. */
export const PLAIN_PAGES = [
  'home',
  'customers',
  'accounts',
  'platform-accounts',
  'external-accounts',
  'platform-external-accounts',
  'statements',
  'quotes',
  'transactions',
  'exchange-rates?sourceCurrency=USD&destinationCurrency=EUR',
  'invitations',
  'uma',
  'cards',
  'keys',
  'credentials',
  'sessions',
  'signed-requests',
  'verifications',
  'documents',
  'beneficial-owners',
  'factors',
  'agents',
  'approvals',
  'stablecoins',
  'stablecoin-providers',
  'events',
  'requests',
  'tokens',
  'webhooks',
  'operations',
  'operations/createQuote',
  'messages',
  'snapshots',
  'card-programs',
  'issuer-credentials',
  'clock',
  'simulate',
  'signing',
  'wallets',
  'reset',
  'keys-help',
] as const;

export type Desk = {
  /** By name: the address below /console. */
  readonly objects: Readonly<Record<string, string>>;
  /** A wallet whose card waits for a key. */
  readonly walletId: string;
  readonly cardOfWallet: string;
  /** A card whose wallet has delegated a key. */
  readonly cardOfKey: string;
};

/** A purchase above the limit that the card then has. */
async function declinedPurchase(client: Client, cardId: string) {
  await expectStatus(200, client.patch(`/cards/${cardId}`, { maxSpendPerTransaction: 400, maxSpendPerDay: 2_000 }));
  await expectStatus(202, client.post(`/sandbox/cards/${cardId}/simulate/authorization`, purchase));
  return expectStatus(200, client.get(`/transactions?cardId=${cardId}&limit=1`));
}

export async function givenDesk(client: Client, service: TestService, receiver: Receiver): Promise<Desk> {
  await client.patch('/config', { webhookEndpoint: receiver.url });
  const world = worldOf(client, { service, receiver });
  const person = await given(client).customer({ fullName: 'Ada Lovelace', email: 'ada@example.com' });
  const { cardId, transactionId } = await givenPurchase(client, true);
  const { key } = await givenDelegation(client);
  const { owner, card } = await givenWalletCard(client);
  const walletId = String(owner.account.id);
  const asked = await expectStatus(202, client.patch(`/internal-accounts/${walletId}`, { privateEnabled: true }));
  const headers = { 'service-wallet-signature': 'not a stamp', 'request-id': asked.requestId };
  const refused = await client.patch(`/internal-accounts/${walletId}`, { privateEnabled: true }, { headers });
  const { data: declined } = await declinedPurchase(client, cardId);
  const of = async (name: string, kind: Parameters<typeof world.id>[0]) => [name, `${name}/${await world.id(kind)}`] as const;
  const pages: (readonly [string, string])[] = [
    ['customer', `customers/${person.id}`],
    ['card', `cards/${cardId}`],
    ['card transaction', `transactions/${transactionId}`],
    ['declined transaction', `transactions/${declined[0].id}`],
    ['waiting payment', `transactions/${await givenIncoming(world)}`],
    ['signature', `signed-requests/${asked.requestId}`],
    ['refused request', `requests/${refused.headers.get('x-request-id')}`],
    ['wallet', `accounts/${key.accountId}`],
    ['key', `keys/${key.id}`],
    ['keys of a wallet', `keys?accountId=${key.accountId}`],
    ['desk of a wallet', `signing?accountId=${walletId}`],
  ];
  for (const [name, kind] of [
    ['accounts', 'InternalAccount'],
    ['external-accounts', 'CustomerExternalAccount'],
    ['platform-external-accounts', 'PlatformExternalAccount'],
    ['quotes', 'Quote'],
    ['invitations', 'Invitation'],
    ['verifications', 'Verification'],
    ['documents', 'Document'],
    ['beneficial-owners', 'BeneficialOwner'],
    ['agents', 'Agent'],
    ['approvals', 'AgentAction'],
    ['stablecoins', 'Stablecoin'],
    ['stablecoin-operations', 'StablecoinOperation'],
    ['stablecoin-providers', 'StablecoinProviderAccount'],
    ['events', 'Webhook'],
    ['requests', 'LoggedRequest'],
    ['tokens', 'Token'],
    ['snapshots', 'SandboxSnapshot'],
    ['issuer-credentials', 'IssuerCredential'],
  ] as const)
    pages.push(await of(name, kind));
  pages.push(['statement', `statements?accountId=${await world.id('InternalAccount')}`]);
  return { objects: Object.fromEntries(pages), walletId, cardOfWallet: String(card.id), cardOfKey: String(key.cardId) };
}
