// Wire schemas of provider accounts and stablecoins.
import Type, { type Static } from 'typebox';
import { Closed, Described, Enum, pageOfSchema, Timestamp } from '../../../http/schemas.js';
import { ENVIRONMENTS, GRID_STATUSES, ISSUANCE_STATUSES, LINK_STATUSES, type Link, PROVIDERS, type Stablecoin } from './stablecoin.js';

export const ProviderSchema = Enum(PROVIDERS, { title: 'StablecoinProvider' });
export const EnvironmentSchema = Enum(ENVIRONMENTS, { title: 'StablecoinProviderEnvironment' });
export const LinkStatusSchema = Enum(LINK_STATUSES, { title: 'StablecoinProviderAccountStatus' });
export const IssuanceStatusSchema = Enum(ISSUANCE_STATUSES, { title: 'StablecoinIssuanceStatus' });
export const GridStatusSchema = Enum(GRID_STATUSES, { title: 'StablecoinGridOperationsStatus' });
const NetworkSchema = Enum(['SPARK'], { title: 'StablecoinNetwork' });

export const StablecoinProviderAccountLinkRequest = Closed(
  {
    provider: ProviderSchema,
    apiClientId: Type.String({
      'x-secret': true,
      minLength: 1,
      maxLength: 255,
      description: 'Client id of your API credentials at the provider. Stored encrypted.',
    }),
    apiClientSecret: Type.String({
      minLength: 1,
      maxLength: 255,
      writeOnly: true,
      description: 'Secret of your API credentials at the provider. Stored encrypted; no answer contains it.',
    }),
    providerAccountId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Account at the provider. It may be left out if the credentials open exactly one.',
      }),
    ),
  },
  { title: 'StablecoinProviderAccountLinkRequest' },
);

export const StablecoinProviderAccount = Type.Object(
  {
    id: Type.String({ description: 'Id of the link.' }),
    provider: ProviderSchema,
    providerAccountId: Type.String({ description: 'Account at the provider.' }),
    providerEnvironment: Described(EnvironmentSchema, 'Environment of the provider; it follows the mode of the installation.'),
    status: LinkStatusSchema,
    lastVerifiedAt: Type.Optional(Timestamp({ description: 'When the provider last accepted the credentials of a link request.' })),
    createdAt: Timestamp({ description: 'When the account was first linked.' }),
    updatedAt: Timestamp({ description: 'When the link last changed.' }),
  },
  { title: 'StablecoinProviderAccount' },
);
export const StablecoinProviderAccountListResponse = pageOfSchema(StablecoinProviderAccount, 'StablecoinProviderAccountListResponse');

export const StablecoinRegisterRequest = Closed(
  {
    providerTokenIdentifier: Type.String({ minLength: 1, maxLength: 64, description: 'The token as the provider names it.' }),
    networkTokenIdentifier: Type.String({ minLength: 1, maxLength: 255, description: 'The token as its network names it.' }),
    network: NetworkSchema,
    stablecoinProviderAccountId: Type.Optional(
      Type.String({ description: 'Link to the account that issues the token. Required if several links are active.' }),
    ),
  },
  { title: 'StablecoinRegisterRequest' },
);

export const StablecoinSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the stablecoin.' }),
    name: Type.String({ description: 'Name of the token at the provider.' }),
    symbol: Type.String({ description: 'Symbol of the token, unique on the platform.' }),
    baseCurrency: Type.String({ description: 'Currency that the token stands for.' }),
    network: NetworkSchema,
    decimals: Type.Integer({ description: 'Number of decimals of the smallest unit.' }),
    issuanceStatus: Described(IssuanceStatusSchema, 'How far the issuance at the provider is.'),
    gridOperationsStatus: Described(GridStatusSchema, 'Whether the service handles the token as a currency.'),
    networkTokenIdentifier: Type.String({ description: 'The token as its network names it, unique on the platform.' }),
    currency: Type.Optional(Type.String({ description: 'Currency code of the token in the service, while operations are `ENABLED`.' })),
    provider: ProviderSchema,
    stablecoinProviderAccountId: Type.String({ description: 'Link to the account that issues the token.' }),
    providerEnvironment: Described(EnvironmentSchema, 'Environment of the provider; it follows the mode of the installation.'),
    providerTokenIdentifier: Type.String({ description: 'The token as the provider names it.' }),
    createdAt: Timestamp({ description: 'When the stablecoin was registered.' }),
    updatedAt: Timestamp({ description: 'When the stablecoin last changed.' }),
  },
  { title: 'Stablecoin' },
);
export const StablecoinListResponse = pageOfSchema(StablecoinSchema, 'StablecoinListResponse');

export type LinkRequest = Static<typeof StablecoinProviderAccountLinkRequest>;
export type RegisterRequest = Static<typeof StablecoinRegisterRequest>;

export const renderLink = (link: Link) => ({
  id: link.id,
  provider: link.provider,
  providerAccountId: link.providerAccountId,
  providerEnvironment: link.environment,
  status: link.status,
  lastVerifiedAt: link.lastVerifiedAt.toISOString(),
  createdAt: link.createdAt.toISOString(),
  updatedAt: link.updatedAt.toISOString(),
});

/** The installation has one provider, whose environment follows from the mode. */
export type ProviderFacts = Pick<Link, 'provider' | 'environment'>;

export const renderStablecoin = (stablecoin: Stablecoin, { provider, environment }: ProviderFacts) => ({
  id: stablecoin.id,
  name: stablecoin.name,
  symbol: stablecoin.symbol,
  baseCurrency: stablecoin.baseCurrency,
  network: stablecoin.network,
  decimals: stablecoin.decimals,
  issuanceStatus: stablecoin.issuanceStatus,
  gridOperationsStatus: stablecoin.gridStatus,
  networkTokenIdentifier: stablecoin.networkTokenIdentifier,
  ...(stablecoin.gridStatus === 'ENABLED' && { currency: stablecoin.symbol }),
  provider,
  stablecoinProviderAccountId: stablecoin.linkId,
  providerEnvironment: environment,
  providerTokenIdentifier: stablecoin.providerTokenIdentifier,
  createdAt: stablecoin.createdAt.toISOString(),
  updatedAt: stablecoin.updatedAt.toISOString(),
});
