// Stablecoins through the API.
import { randomUUID } from 'node:crypto';
import { type Answer, type Client, expectStatus } from './client.js';
import { bitcoinWallet } from './external-accounts/wallets.js';
import { quoting } from './quotes.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;
type Fields = Record<string, unknown>;

export const MINUTE = 60_000;

export const keyed = (key: string = randomUUID()) => ({ headers: { 'Idempotency-Key': key } });

export const stablecoins = (platform: Client) => {
  const unique = () => randomUUID().slice(0, 8);
  const credentials = (fields: Fields = {}): Fields => ({
    provider: 'EXTERNAL_ISSUER',
    apiClientId: `client-${unique()}x`,
    apiClientSecret: `secret-${unique()}x`,
    ...fields,
  });
  const build = {
    credentials,
    linking: (fields: Fields = {}, key?: string): Promise<Answer> =>
      platform.post('/stablecoin-provider-accounts', credentials(fields), keyed(key)),
    link: (fields: Fields = {}): Promise<Resource> => expectStatus(201, build.linking(fields)),
    getLink: ({ id }: Resource): Promise<Resource> => expectStatus(200, platform.get(`/stablecoin-provider-accounts/${id}`)),

    token: (ending = 'x', fields: Fields = {}): Fields => ({
      providerTokenIdentifier: `T${unique()}${ending}`,
      networkTokenIdentifier: `btkn1${randomUUID()}x`,
      network: 'SPARK',
      ...fields,
    }),
    registering: (fields: Fields = {}, ending = 'x', key?: string): Promise<Answer> =>
      platform.post('/stablecoins', build.token(ending, fields), keyed(key)),
    /** A token with 6 decimals that can be minted; the ending selects another one. */
    stablecoin: async (link?: Resource, ending = 'x'): Promise<Resource> => {
      const { id } = link ?? (await build.link());
      return expectStatus(201, build.registering({ stablecoinProviderAccountId: id }, ending));
    },
    get: ({ id }: Resource): Promise<Resource> => expectStatus(200, platform.get(`/stablecoins/${id}`)),

    /** A bank account in US dollars, of the platform. */
    bank: (ending = '999', fields: Fields = {}): Promise<Resource> => quoting(platform).usd(undefined, ending, fields),
    /** A wallet with a Spark address that can be used at once. */
    wallet: (fields: Fields = {}, kind: 'SPARK' | 'P2PKH' = 'SPARK'): Promise<Resource> =>
      expectStatus(
        201,
        platform.post('/platform/external-accounts', {
          currency: 'BTC',
          ownershipType: 'THIRD_PARTY',
          accountInfo: {
            accountType: 'SPARK_WALLET',
            address: bitcoinWallet(randomUUID(), kind).address,
            ...(fields['ownershipType'] === 'FIRST_PARTY'
              ? {}
              : { beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'Token Holder Ltd' } }),
          },
          ...fields,
        }),
      ),

    mint: async (coin: Resource, amount: string, fields: Fields = {}, key?: string): Promise<Answer> =>
      platform.post(
        `/stablecoins/${coin.id}/mints`,
        {
          amount,
          fundingSource: { type: 'WIRE' },
          ...('destination' in fields ? {} : { destination: { accountId: (await build.wallet()).id } }),
          ...fields,
        },
        keyed(key),
      ),
    burn: async (coin: Resource, amount: string, fields: Fields = {}, key?: string): Promise<Answer> =>
      platform.post(
        `/stablecoins/${coin.id}/burns`,
        {
          amount,
          source: { type: 'PROVIDER_INTERNAL_BALANCE' },
          ...('destination' in fields
            ? {}
            : { destination: { type: 'EXTERNAL_ACCOUNT', externalAccountId: (await build.bank()).id, rail: 'WIRE' } }),
          ...fields,
        },
        keyed(key),
      ),
    operation: ({ id }: Resource): Promise<Resource> => expectStatus(200, platform.get(`/stablecoin-operations/${id}`)),
    operations: async (coin: Resource, query = ''): Promise<Resource[]> =>
      (await expectStatus(200, platform.get(`/stablecoins/${coin.id}/operations${query}`))).data,
  };
  return build;
};

export type StablecoinBuilder = ReturnType<typeof stablecoins>;
