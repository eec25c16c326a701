// Builders of agents through the API, and requests with their access tokens.
import { type Client, expectStatus, type Sent } from './client.js';
import { quoting } from './quotes.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;
type Fields = Record<string, unknown>;

export const ALL_PERMISSIONS = ['VIEW_TRANSACTIONS', 'CREATE_QUOTES', 'EXECUTE_QUOTES', 'MANAGE_EXTERNAL_ACCOUNTS'];

/** Everything is allowed, up to 1,000.00 USD at a time. */
export const OPEN_POLICY = {
  permissions: ALL_PERMISSIONS,
  defaultExecutionMode: 'AUTO',
  spendingLimits: { currency: 'USD', perTransactionLimit: 100_000 },
};

export type AgentClient = Pick<Client, 'request' | 'get' | 'post' | 'put' | 'patch' | 'delete'> & { readonly authorization: string };

/** The same service with the access token of an agent. */
export function agentClient(platform: Client, accessToken: string): AgentClient {
  const authorization = `Bearer ${accessToken}`;
  const sentAs = (sent: Sent = {}): Sent => ({ headers: { authorization, ...sent.headers } });
  return {
    authorization,
    request: (method, path, body, sent) => platform.request(method, path, body, sentAs(sent)),
    get: (path, sent) => platform.get(path, sentAs(sent)),
    post: (path, body, sent) => platform.post(path, body, sentAs(sent)),
    put: (path, body, sent) => platform.put(path, body, sentAs(sent)),
    patch: (path, body, sent) => platform.patch(path, body, sentAs(sent)),
    delete: (path, sent) => platform.delete(path, sentAs(sent)),
  };
}

export const createAgent = (platform: Client, customer: Resource, policy: Fields = {}, name = 'Treasurer'): Promise<Resource> =>
  expectStatus(201, platform.post('/agents', { name, customerId: customer.id, policy: { ...OPEN_POLICY, ...policy } }));

export const redeem = (platform: Client, { code }: Resource): Promise<Resource> =>
  expectStatus(200, platform.post(`/agents/device-codes/${code}/redeem`, undefined, { headers: { authorization: '' } }));

export type GivenAgent = {
  readonly platform: Client;
  readonly id: string;
  readonly customer: Resource;
  /** The customer's funded USD account. */
  readonly account: Resource;
  readonly accessToken: string;
  readonly client: AgentClient;
  /** Someone else's account, in the service. */
  readonly pay: ReturnType<typeof quoting>;
  /** The body of a quote that sends USD to a bank account of the customer. */
  request(amount: number, fields?: Fields): Promise<Fields>;
  /** A quote that the agent made. */
  quote(amount: number, fields?: Fields): Promise<Resource>;
  /** Submits a quote. */
  execute(quote: Resource, sent?: Sent): ReturnType<Client['post']>;
  /** A new quote, submitted. */
  spend(amount: number, fields?: Fields): ReturnType<Client['post']>;
  read(): Promise<Resource>;
  setPolicy(patch: Fields): Promise<Resource>;
  pause(isPaused?: boolean): Promise<Resource>;
  approve(action: Resource): ReturnType<Client['post']>;
  reject(action: Resource, body?: Fields): ReturnType<Client['post']>;
};

/** A connected agent of a new customer with money. */
export async function givenAgent(
  platform: Client,
  policy: Fields = {},
  { funds = 1_000_000, customer: owner, name }: { funds?: number; customer?: Resource; name?: string } = {},
): Promise<GivenAgent> {
  const pay = quoting(platform);
  const customer = owner ?? (await pay.customer());
  const account = await pay.account(customer, 'USD');
  if (funds > 0) await pay.fund(account, funds);
  const { agent, deviceCode } = await createAgent(platform, customer, policy, name);
  const { accessToken } = await redeem(platform, deviceCode);
  const client = agentClient(platform, accessToken);
  let payee: Promise<Resource> | undefined;
  const destination = () => {
    payee ??= pay.usd(customer);
    return payee;
  };
  const request = async (amount: number, fields: Fields = {}) => pay.request(account, await destination(), amount, fields);
  const quote = async (amount: number, fields?: Fields) =>
    expectStatus(201, client.post('/agents/me/quotes', await request(amount, fields)));
  const execute = ({ id }: Resource, sent?: Sent) => client.post(`/agents/me/quotes/${id}/execute`, undefined, sent);
  return {
    platform,
    id: agent.id,
    customer,
    account,
    accessToken,
    client,
    pay,
    request,
    quote,
    execute,
    spend: async (amount, fields) => execute(await quote(amount, fields)),
    read: () => expectStatus(200, platform.get(`/agents/${agent.id}`)),
    setPolicy: (patch) => expectStatus(200, platform.patch(`/agents/${agent.id}/policy`, patch)),
    pause: (isPaused = true) => expectStatus(200, platform.patch(`/agents/${agent.id}`, { isPaused })),
    approve: ({ id }) => platform.post(`/agents/${agent.id}/actions/${id}/approve`),
    reject: ({ id }, body) => platform.post(`/agents/${agent.id}/actions/${id}/reject`, body),
  };
}

const made = new WeakMap<Client, Promise<GivenAgent>>();

/** One agent of a platform that may do everything, made at its first use. */
export function agentOf(platform: Client): Promise<GivenAgent> {
  const known = made.get(platform) ?? givenAgent(platform);
  made.set(platform, known);
  return known;
}
