// Real records of a platform, one builder per kind, and for each operation a request that the service accepts.
// A path parameter, or a property that looks like an id, without an entry here fails the proofs: no operation can be left out.
import assert from 'node:assert/strict';
import { newUuid } from '../../src/kernel/ids.js';
import { givenCard, givenCardholder } from '../support/cards.js';
import { type Client, expectStatus } from '../support/client.js';
import { given } from '../support/given.js';
import type { ApiDocument, DocumentedOperation } from './document.js';
import { generatorOf } from './generate.js';
import { randomOf } from './random.js';

/** How records of a kind are made, and how their ids begin. */
type Builder = { readonly prefix: string; make(world: World): Promise<string> };

const BUILDERS = {
  Token: {
    prefix: 'Token',
    make: async ({ client }) => (await expectStatus(201, client.post('/tokens', { name: 'built', permissions: ['VIEW'] }))).id,
  },
  Customer: { prefix: 'Customer', make: async ({ client }) => (await given(client).customer()).id },
  InternalAccount: { prefix: 'InternalAccount', make: async ({ client }) => (await given(client).fundedAccount('USD', 100_000)).id },
  Webhook: {
    prefix: 'Webhook',
    make: async ({ client }) => {
      const account = await given(client).fundedAccount('USD', 1);
      return (await expectStatus(200, client.get(`/webhooks/events?objectId=${account.id}`))).data[0].id;
    },
  },
  Card: { prefix: 'Card', make: async ({ client }) => (await givenCard(client)).card.id },
} as const satisfies Record<string, Builder>;

export type Kind = keyof typeof BUILDERS;
export const kinds = Object.keys(BUILDERS) as readonly Kind[];

/** Which record a path parameter names, by the path up to it. */
const PATH_KINDS: Readonly<Record<string, Kind>> = {
  '/tokens/{tokenId}': 'Token',
  '/customers/{customerId}': 'Customer',
  '/internal-accounts/{id}': 'InternalAccount',
  '/sandbox/internal-accounts/{accountId}': 'InternalAccount',
  '/webhooks/events/{id}': 'Webhook',
  '/cards/{id}': 'Card',
  '/sandbox/cards/{id}': 'Card',
};

/** Which record a property of a body or query names; null for ids that are somebody else's words. */
const PROPERTY_KINDS: Readonly<Record<string, Kind | null>> = {
  customerId: 'Customer',
  onBehalfOfCustomerId: 'Customer',
  accountId: 'InternalAccount',
  fundingSource: 'InternalAccount',
  objectId: 'Customer',
  lastEventId: 'Webhook',
  platformCustomerId: null,
  platformCardId: null,
  taxId: null,
  walletAccountId: null,
  deviceId: null,
  serverSessionId: null,
};

export const LOOKS_LIKE_AN_ID = /(?:^id|Ids?)$/;

export function kindOfParameter(operation: DocumentedOperation, name: string): Kind {
  const place = `{${name}}`;
  const prefix = operation.path.slice(0, operation.path.indexOf(place) + place.length);
  const kind = PATH_KINDS[prefix];
  assert.ok(kind, `${operation.id}: ${prefix} has no builder in test/prove/objects.ts`);
  return kind;
}

/** Undefined: the property is no id. Throws for one that looks like an id and is not listed. */
export function kindOfProperty(name: string): Kind | undefined {
  if (name in PROPERTY_KINDS) return PROPERTY_KINDS[name] ?? undefined;
  assert.ok(!LOOKS_LIKE_AN_ID.test(name), `property ${name} looks like an id and is not listed in test/prove/objects.ts`);
  return undefined;
}

export const prefixOf = (kind: Kind): string => BUILDERS[kind].prefix;
export const unknownId = (kind: Kind): string => `${prefixOf(kind)}:${newUuid()}`;

export type World = {
  readonly client: Client;
  /** A webhook receiver that is there. */
  readonly hookUrl: string;
  /** The id of a record of this kind, made on first use. */
  id(kind: Kind): Promise<string>;
  /** The id of a record made just now. */
  fresh(kind: Kind): Promise<string>;
};

export function worldOf(client: Client, hookUrl: string): World {
  const made = new Map<Kind, Promise<string>>();
  const world: World = {
    client,
    hookUrl,
    id(kind) {
      const known = made.get(kind) ?? world.fresh(kind);
      made.set(kind, known);
      return known;
    },
    async fresh(kind) {
      const id = await BUILDERS[kind].make(world);
      assert.match(id, new RegExp(`^${BUILDERS[kind].prefix}:`), `the builder of ${kind}`);
      return id;
    },
  };
  return world;
}

export type ExampleRequest = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

type Example = (world: World) => Promise<Partial<ExampleRequest>>;

/** Where a request made from the schema alone would be refused, or would harm the caller: what to send instead. */
const EXAMPLES: Readonly<Record<string, Example>> = {
  updatePlatformConfig: async () => ({ body: { cardConfigs: { maxSpendPerDay: 100_000, pinTargetOrigin: 'https://app.example' } } }),
  createToken: async () => ({ body: { name: 'example', permissions: ['VIEW'] } }),
  // Used up by the request, so made for it.
  deleteTokenById: async (world) => ({ params: { tokenId: await world.fresh('Token') } }),
  updateSandboxClock: async () => ({ body: { advanceMs: 1 } }),
  sendTestWebhook: withEndpoint,
  sendSandboxTestWebhook: withEndpoint,
  resendWebhookEvent: withEndpoint,
  replayWebhookEvents: async (world) => ({ ...(await withEndpoint(world)), body: { since: '2024-01-01T00:00:00Z' } }),
  rotateWebhookSigningKeys: async () => ({ body: { overlapSeconds: 0 } }),

  createCustomer: async () => ({ body: { customerType: 'INDIVIDUAL', fullName: 'Grace Hopper' } }),
  updateCustomerById: async () => ({ body: { customerType: 'INDIVIDUAL', fullName: 'Mary Somerville' } }),
  deleteCustomerById: async (world) => ({ params: { customerId: await world.fresh('Customer') } }),
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
  listInternalAccountBalanceChanges: async () => ({ query: { startDate: '2024-01-01T06:00:00Z', endDate: '2024-02-01T06:00:00Z' } }),
  getInternalAccountStatement: async () => ({ query: { periodStart: '2024-01-01' } }),
  confirmStatementDelivery: async () => ({ body: { periodStart: '2024-01-01' } }),

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
  selectSandboxCardProgram: async () => ({ body: { program: 'service_full' } }),
  getSandboxCardDetailsPage: async (world) => {
    const { panEmbedUrl } = await expectStatus(200, world.client.post(`/cards/${await world.id('Card')}/reveal`));
    return { query: { token: new URL(panEmbedUrl).searchParams.get('token') ?? '' } };
  },
  getSandboxCardPinPage: async (world) => ({ query: { token: await pinSession(world) } }),
  submitSandboxCardPin: async (world) => ({ body: { sessionToken: await pinSession(world), pin: '1234' } }),
};

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

/** A request of the operation that the platform's own credentials get a success for. */
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
  return { params, query: { ...query, ...given.query }, headers: { ...key, ...given.headers }, body };
}

/** The path and query of a request. */
export function targetOf(operation: DocumentedOperation, { params, query }: Pick<ExampleRequest, 'params' | 'query'>): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '').replaceAll('%3A', ':'));
  const search = new URLSearchParams(query).toString();
  return search ? `${path}?${search}` : path;
}
