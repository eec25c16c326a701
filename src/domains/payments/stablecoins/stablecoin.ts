// Stablecoins: links to accounts at the issuer, registered tokens, and operations that mint and burn them.
import type { Id } from '../../../kernel/ids.js';
import type { FundingInstructions, IssuanceStatus, TokenReference } from '../../../providers/stablecoin-issuer.js';

export {
  type FundingInstructions,
  ISSUANCE_STATUSES,
  type IssuanceStatus,
  type OrderReport,
} from '../../../providers/stablecoin-issuer.js';

export type LinkId = Id<'StablecoinProviderAccount'>;
export type StablecoinId = Id<'Stablecoin'>;
export type OperationId = Id<'StablecoinOperation'>;

export const PROVIDERS = ['EXTERNAL_ISSUER'] as const;
export type Provider = (typeof PROVIDERS)[number];
export const ENVIRONMENTS = ['SANDBOX', 'PRODUCTION'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const LINK_STATUSES = ['ACTIVE', 'INVALID', 'REVOKED'] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];

/** A platform's account at the provider, called a provider account by the API. */
export type Link = {
  readonly id: LinkId;
  readonly provider: Provider;
  readonly environment: Environment;
  readonly providerAccountId: string;
  readonly status: LinkStatus;
  /** Null once the link is revoked and its last operation has ended. */
  readonly credentialsSealed: Buffer | null;
  readonly lastVerifiedAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export const GRID_STATUSES = ['NOT_ENABLED', 'PENDING_APPROVAL', 'ENABLING', 'ENABLED', 'DISABLED'] as const;
export type GridStatus = (typeof GRID_STATUSES)[number];

export type Stablecoin = TokenReference & {
  readonly id: StablecoinId;
  readonly linkId: LinkId;
  readonly name: string;
  readonly symbol: string;
  readonly baseCurrency: string;
  readonly decimals: number;
  readonly issuanceStatus: IssuanceStatus;
  readonly gridStatus: GridStatus;
  /** When the provider is asked about the issuance again. */
  readonly issuanceDueAt: Date | null;
  /** When the sandbox moves the enablement on. */
  readonly enablementDueAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export const OPERATION_TYPES = ['MINT', 'BURN'] as const;
export type OperationType = (typeof OPERATION_TYPES)[number];

export const OPERATION_STATUSES = [
  'CREATED',
  'PENDING_FUNDING',
  'PENDING_PROVIDER',
  'PROCESSING',
  'COMPLETED',
  'FAILED',
  'EXPIRED',
] as const;
export type OperationStatus = (typeof OPERATION_STATUSES)[number];

export const MINT_SOURCES = ['WIRE', 'ACH_DEBIT', 'SAME_DAY_ACH_DEBIT', 'GRID_INTERNAL_ACCOUNT', 'PROVIDER_INTERNAL_BALANCE'] as const;
export const BURN_SOURCES = ['EXTERNAL_ACCOUNT', 'GRID_INTERNAL_ACCOUNT', 'PROVIDER_INTERNAL_BALANCE'] as const;
export type MintSource =
  | { readonly type: 'WIRE' }
  | { readonly type: 'ACH_DEBIT' | 'SAME_DAY_ACH_DEBIT'; readonly externalAccountId: string }
  | { readonly type: 'GRID_INTERNAL_ACCOUNT'; readonly accountId: string }
  | { readonly type: 'PROVIDER_INTERNAL_BALANCE'; readonly sourceTokenIdentifier: string; readonly cryptoNetwork: string };
export type BurnSource =
  | { readonly type: 'EXTERNAL_ACCOUNT' | 'PROVIDER_INTERNAL_BALANCE' }
  | { readonly type: 'GRID_INTERNAL_ACCOUNT'; readonly accountId: string };

export const BURN_RAILS = ['WIRE', 'ACH_CREDIT', 'SAME_DAY_ACH_CREDIT', 'RTP_CREDIT'] as const;
export type BurnRail = (typeof BURN_RAILS)[number];
export const BURN_DESTINATIONS = ['EXTERNAL_ACCOUNT', 'GRID_INTERNAL_ACCOUNT'] as const;
export type BurnDestination =
  | { readonly type: 'EXTERNAL_ACCOUNT'; readonly externalAccountId: string; readonly rail: BurnRail }
  | { readonly type: 'GRID_INTERNAL_ACCOUNT'; readonly accountId: string; readonly rail: BurnRail };

/** A request as parsed. The amount is in the smallest unit of the token. */
export type MintDraft = {
  readonly type: 'MINT';
  readonly amount: bigint;
  readonly source: MintSource;
  readonly destination: { readonly accountId: string };
  readonly description: string | null;
};
export type BurnDraft = {
  readonly type: 'BURN';
  readonly amount: bigint;
  readonly source: BurnSource;
  readonly destination: BurnDestination;
  readonly description: string | null;
};
export type OrderDraft = MintDraft | BurnDraft;

/** Both ends as the API shows them. */
export type OperationSource = {
  readonly type: (typeof MINT_SOURCES)[number] | (typeof BURN_SOURCES)[number];
  readonly externalAccountId?: string | undefined;
  readonly sourceTokenIdentifier?: string | undefined;
  readonly cryptoNetwork?: string | undefined;
};
export type OperationDestination = { readonly accountId: string; readonly rail?: BurnRail | undefined };

export const FAILURE_REASONS = ['PROVIDER_TRANSFER_FAILED', 'PROVIDER_INSUFFICIENT_BALANCE', 'PROVIDER_CANCELED'] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];
export const PROVIDER_STATUSES = ['pending', 'processing', 'complete', 'failed', 'canceled'] as const;
export type ProviderStatus = (typeof PROVIDER_STATUSES)[number];

export type StablecoinOperation = {
  readonly id: OperationId;
  readonly stablecoinId: StablecoinId;
  readonly linkId: LinkId;
  readonly type: OperationType;
  readonly status: OperationStatus;
  readonly amount: bigint;
  readonly cents: bigint;
  readonly source: OperationSource;
  readonly destination: OperationDestination;
  readonly description: string | null;
  readonly fundingInstructions: FundingInstructions | null;
  readonly providerStatus: ProviderStatus | null;
  readonly failureReason: FailureReason | null;
  readonly expiresAt: Date | null;
  readonly dueAt: Date | null;
  /** The caller was refused: the order is to be cancelled at the provider, and the operation is shown to nobody. */
  readonly isAbandoned: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};
