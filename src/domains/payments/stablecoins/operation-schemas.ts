// Wire schemas of mints, burns and their operations.
import Type from 'typebox';
import { Closed, Described, Enum, OneOf, pageOfSchema, Timestamp } from '../../../http/schemas.js';
import { parseTokenAmount, TIMINGS } from './rules.js';
import { EnvironmentSchema, type ProviderFacts, ProviderSchema } from './schemas.js';
import {
  BURN_RAILS,
  BURN_SOURCES,
  type BurnDestination,
  type BurnDraft,
  type BurnSource,
  MINT_SOURCES,
  type MintDraft,
  type MintSource,
  OPERATION_STATUSES,
  OPERATION_TYPES,
  type StablecoinOperation,
} from './stablecoin.js';

const account = (description: string) => Type.String({ maxLength: 255, description });
const type = <const Kind extends string>(kind: Kind) => Enum([kind], { description: 'Selects the kind.' });

const amount = Type.String({
  pattern: '^[0-9]+$',
  description:
    'Amount in the smallest unit of the token, as a text of digits. It must be worth whole cents: with 6 decimals, a multiple of 10000.',
  examples: ['1000000'],
});
const description = Type.Optional(Type.String({ maxLength: 1024, description: 'A note of yours, returned with the operation.' }));

const BANK = 'External account of type `USD_ACCOUNT` of the platform or of a customer; it must be `ACTIVE`.';
const RESERVED = 'Internal account. Reserved: the request is refused.';

const debit = (kind: 'ACH_DEBIT' | 'SAME_DAY_ACH_DEBIT', title: string) =>
  Closed({ type: type(kind), externalAccountId: account(`${BANK} It is debited.`) }, { title });

const MintFundingSource = OneOf<MintSource>(
  'type',
  [
    Closed({ type: type('WIRE') }, { title: 'StablecoinWireFundingSource' }),
    debit('ACH_DEBIT', 'StablecoinAchDebitFundingSource'),
    debit('SAME_DAY_ACH_DEBIT', 'StablecoinSameDayAchDebitFundingSource'),
    Closed({ type: type('GRID_INTERNAL_ACCOUNT'), accountId: account(RESERVED) }, { title: 'StablecoinGridInternalFundingSource' }),
    Closed(
      {
        type: type('PROVIDER_INTERNAL_BALANCE'),
        sourceTokenIdentifier: Type.String({
          maxLength: 255,
          description: 'Token held at the provider. Reserved: the request is refused.',
        }),
        cryptoNetwork: Type.String({ maxLength: 64, description: 'Network of that token.' }),
      },
      { title: 'StablecoinProviderBalanceFundingSource' },
    ),
  ],
  { title: 'StablecoinMintFundingSource' },
);

export const StablecoinMintRequest = Closed(
  {
    amount,
    fundingSource: MintFundingSource,
    destination: Closed(
      {
        accountId: account(
          'External account of type `SPARK_WALLET` with a Spark address, of the platform or of a customer; it must be `ACTIVE`. The tokens are sent there.',
        ),
      },
      { title: 'StablecoinMintDestination' },
    ),
    description,
  },
  { title: 'StablecoinMintRequest' },
);

const BurnSourceSchema = OneOf<BurnSource>(
  'type',
  [
    Closed({ type: type('EXTERNAL_ACCOUNT') }, { title: 'StablecoinExternalAccountBurnSource' }),
    Closed({ type: type('GRID_INTERNAL_ACCOUNT'), accountId: account(RESERVED) }, { title: 'StablecoinGridInternalBurnSource' }),
    Closed({ type: type('PROVIDER_INTERNAL_BALANCE') }, { title: 'StablecoinProviderBalanceBurnSource' }),
  ],
  { title: 'StablecoinBurnSource' },
);

const rail = Enum(BURN_RAILS, { title: 'StablecoinBurnDestinationRail' });
const BurnDestinationSchema = OneOf<BurnDestination>(
  'type',
  [
    Closed(
      { type: type('EXTERNAL_ACCOUNT'), externalAccountId: account(`${BANK} It receives the dollars.`), rail },
      { title: 'StablecoinExternalAccountBurnDestination' },
    ),
    Closed(
      {
        type: type('GRID_INTERNAL_ACCOUNT'),
        accountId: account('USD account of the platform or of a customer. It is credited when the operation completes.'),
        rail,
      },
      { title: 'StablecoinGridInternalBurnDestination' },
    ),
  ],
  { title: 'StablecoinBurnDestination' },
);

export const StablecoinBurnRequest = Closed(
  { amount, source: BurnSourceSchema, destination: BurnDestinationSchema, description },
  { title: 'StablecoinBurnRequest' },
);

export const OperationTypeSchema = Enum(OPERATION_TYPES, { title: 'StablecoinOperationType' });

const maybe = (description: string) => Type.Optional(Type.String({ description }));

export const OperationSourceSchema = Type.Object(
  {
    type: Enum([...new Set([...MINT_SOURCES.slice(0, 3), ...BURN_SOURCES])], { title: 'StablecoinOperationSourceType' }),
    externalAccountId: maybe('External account that is debited.'),
    accountId: maybe('Internal account. Reserved.'),
    sourceTokenIdentifier: maybe('Token at the provider that is spent.'),
    cryptoNetwork: maybe('Network of that token.'),
  },
  { title: 'StablecoinOperationSource' },
);

export const OperationDestinationSchema = Type.Object(
  {
    accountId: Type.String({ description: 'Account that receives the tokens or the dollars.' }),
    rail: Type.Optional(Enum(BURN_RAILS, { title: 'StablecoinOperationDestinationRail' })),
  },
  { title: 'StablecoinOperationDestination' },
);

export const StablecoinOperationSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the operation.' }),
    stablecoinId: Type.String({ description: 'Stablecoin that is minted or burned.' }),
    operationType: OperationTypeSchema,
    status: Enum(OPERATION_STATUSES, { title: 'StablecoinOperationStatus' }),
    amount: Type.String({ description: 'Amount in the smallest unit of the token.' }),
    provider: ProviderSchema,
    providerEnvironment: Described(EnvironmentSchema, 'Environment of the provider; it follows the mode of the installation.'),
    stablecoinProviderAccountId: Type.String({ description: 'Link that the order was given with.' }),
    source: Type.Optional(OperationSourceSchema),
    fundingInstructions: Type.Optional(
      Type.Object(
        {
          rail: maybe('Rail over which the funds are awaited.'),
          network: maybe('Network of the tokens to send.'),
          address: maybe('Address that the tokens are sent to, for this operation alone.'),
          valueType: maybe('Token to send, as the provider names it.'),
        },
        {
          title: 'StablecoinFundingInstructions',
          additionalProperties: true,
          description:
            'How the payer sends the funds. For a wire: beneficiary, bank, account and routing number, reference, amount in cents and currency.',
        },
      ),
    ),
    destination: Type.Optional(OperationDestinationSchema),
    estimatedDelivery: Type.Optional(
      Type.Object(
        {
          rail: maybe('Rail of the payout.'),
          amount: Type.Optional(Type.String({ pattern: '^[0-9]+$', description: 'Dollars that arrive, in cents.' })),
          currency: maybe('Currency of that amount.'),
          timing: maybe('How long the rail takes.'),
        },
        { title: 'StablecoinEstimatedDelivery', additionalProperties: true, description: 'What a burn pays out, and how long it takes.' },
      ),
    ),
    expiresAt: Type.Optional(Timestamp({ description: 'Until when the funds must have arrived.' })),
    providerStatus: maybe('Status at the provider: `pending`, `processing`, `complete`, `failed` or `canceled`.'),
    failureReason: maybe(
      'Why a `FAILED` operation failed: `PROVIDER_TRANSFER_FAILED`, `PROVIDER_INSUFFICIENT_BALANCE` or `PROVIDER_CANCELED`.',
    ),
    description: maybe('The note of the request.'),
    createdAt: Timestamp({ description: 'When the operation was created.' }),
    updatedAt: Timestamp({ description: 'When the status last changed.' }),
  },
  { title: 'StablecoinOperation' },
);
export const StablecoinOperationListResponse = pageOfSchema(StablecoinOperationSchema, 'StablecoinOperationListResponse');

type Wire<Draft, Source> = {
  readonly amount: string;
  readonly destination: Draft extends { readonly destination: infer Destination } ? Destination : never;
  readonly description?: string;
} & Source;

export const parseMint = ({
  amount: digits,
  fundingSource: source,
  destination,
  description: note,
}: Wire<MintDraft, { readonly fundingSource: MintSource }>): MintDraft => ({
  type: 'MINT',
  amount: parseTokenAmount(digits),
  source,
  destination,
  description: note ?? null,
});

export const parseBurn = ({
  amount: digits,
  source,
  destination,
  description: note,
}: Wire<BurnDraft, { readonly source: BurnSource }>): BurnDraft => ({
  type: 'BURN',
  amount: parseTokenAmount(digits),
  source,
  destination,
  description: note ?? null,
});

const deliveryOf = ({ type, destination, cents }: StablecoinOperation) =>
  type === 'BURN' && destination.rail
    ? { estimatedDelivery: { rail: destination.rail, amount: String(cents), currency: 'USD', timing: TIMINGS[destination.rail] } }
    : {};

export const renderOperation = (operation: StablecoinOperation, { provider, environment }: ProviderFacts) => ({
  id: operation.id,
  stablecoinId: operation.stablecoinId,
  operationType: operation.type,
  status: operation.status,
  amount: String(operation.amount),
  provider,
  providerEnvironment: environment,
  stablecoinProviderAccountId: operation.linkId,
  source: operation.source,
  ...(operation.fundingInstructions && { fundingInstructions: operation.fundingInstructions }),
  destination: operation.destination,
  ...deliveryOf(operation),
  ...(operation.expiresAt && { expiresAt: operation.expiresAt.toISOString() }),
  ...(operation.providerStatus && { providerStatus: operation.providerStatus }),
  ...(operation.failureReason && { failureReason: operation.failureReason }),
  ...(operation.description !== null && { description: operation.description }),
  createdAt: operation.createdAt.toISOString(),
  updatedAt: operation.updatedAt.toISOString(),
});
