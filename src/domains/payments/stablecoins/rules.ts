// Amounts, who may be used for an order, and the state tables of links, enablement and operations. Pure.
import { ApiError, invalidField } from '../../../kernel/errors.js';
import { MAX_AMOUNT } from '../../../kernel/money.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, plusMs } from '../../../kernel/time.js';
import type {
  BurnRail,
  FundingInstructions,
  GridStatus,
  IssuanceStatus,
  Link,
  OperationStatus,
  OrderDraft,
  OrderReport,
  ProviderStatus,
  Stablecoin,
  StablecoinOperation,
} from './stablecoin.js';

// ---- amounts

const MOST = 2n ** 127n - 1n;
const MOST_DIGITS = String(MOST).length;

/** The amount of a digit string in the smallest unit of the token. */
export function parseTokenAmount(digits: string): bigint {
  const bare = digits.replace(/^0+/, '');
  const amount = bare === '' || bare.length > MOST_DIGITS ? 0n : BigInt(bare);
  if (amount < 1n || amount > MOST) throw invalidField('amount', `must be from 1 to ${MOST}`);
  return amount;
}

/** Whole cents of US dollars: the provider settles nothing smaller. */
export function centsOf(amount: bigint, decimals: number): bigint {
  const scale = 10n ** BigInt(Math.abs(decimals - 2));
  if (decimals > 2 && amount % scale !== 0n) throw new ApiError('STABLECOIN_AMOUNT_NOT_REPRESENTABLE');
  const cents = decimals > 2 ? amount / scale : amount * scale;
  if (cents > MAX_AMOUNT) throw new ApiError('AMOUNT_OUT_OF_RANGE');
  return cents;
}

// ---- links

export function refuseUnusable({ status }: Pick<Link, 'status'>): void {
  if (status === 'REVOKED') throw new ApiError('STABLECOIN_PROVIDER_ACCOUNT_REVOKED');
  if (status === 'INVALID') throw new ApiError('STABLECOIN_PROVIDER_ACCOUNT_INVALID');
}

/** The link of a registration that names none: the only active one. */
export function onlyLink(active: readonly Link[]): Link {
  const [link, ...others] = active;
  if (!link) throw new ApiError('STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND');
  if (others.length > 0) throw new ApiError('STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED');
  return link;
}

// ---- issuance and enablement

/** The moves that the provider makes. */
export const ISSUANCE: { readonly [from in IssuanceStatus]: readonly IssuanceStatus[] } = {
  PENDING_REVIEW: ['PROVISIONING', 'REJECTED', 'PROVISIONED', 'FAILED'],
  PROVISIONING: ['PROVISIONED', 'FAILED'],
  PROVISIONED: [],
  REJECTED: [],
  FAILED: [],
};

/** Whether the issuance moves on. A provider that was asked late has passed through what lies between. */
export const movesIssuance = (from: IssuanceStatus, to: IssuanceStatus): boolean => ISSUANCE[from].includes(to);

const since = ({ updatedAt }: { readonly updatedAt: Date }, now: Date): number => now.getTime() - updatedAt.getTime();

/** How long nobody asks about an issuance whose account has no credentials: as long as it had none so far, a day at most. */
export const restMs = (link: Pick<Link, 'updatedAt'>, now: Date): number => Math.min(DAY_MS, Math.max(RETRY_MS, since(link, now)));

/** How long a provider that gave no answer is left alone: a tenth of the time for which nothing has moved, an hour at most. */
export const silenceMs = (moved: Pick<StablecoinOperation | Stablecoin, 'updatedAt'>, now: Date): number =>
  Math.min(HOUR_MS, Math.max(RETRY_MS, Math.floor(since(moved, now) / 10)));

/** A linked account of a provider: its credentials may be rejected or revoked, and it may be linked again. */
export const LINK_MOVES = {
  ACTIVE: { REJECTED: 'INVALID', REVOKED: 'REVOKED' },
  INVALID: { LINKED: 'ACTIVE', REVOKED: 'REVOKED' },
  REVOKED: { LINKED: 'ACTIVE' },
} as const satisfies Readonly<Record<Link['status'], Readonly<Record<string, Link['status']>>>>;

/** What a request for enablement leads to; undefined where it cannot be made. */
export const REQUESTED: { readonly [from in GridStatus]: GridStatus | undefined } = {
  NOT_ENABLED: 'PENDING_APPROVAL',
  PENDING_APPROVAL: 'PENDING_APPROVAL',
  ENABLING: undefined,
  ENABLED: undefined,
  DISABLED: undefined,
};

export function requestedStatus(from: GridStatus): GridStatus {
  const to = REQUESTED[from];
  if (!to) throw new ApiError('STABLECOIN_GRID_ENABLEMENT_NOT_REQUESTABLE', { gridOperationsStatus: from });
  return to;
}

/** The next step of the service. From ENABLED and DISABLED only the operator moves on. */
export const NEXT_ENABLEMENT: { readonly [from in GridStatus]: GridStatus | undefined } = {
  NOT_ENABLED: undefined,
  PENDING_APPROVAL: 'ENABLING',
  ENABLING: 'ENABLED',
  ENABLED: 'DISABLED',
  DISABLED: 'ENABLED',
};

export const isWaitingForApproval = (status: GridStatus): boolean => status === 'PENDING_APPROVAL' || status === 'ENABLING';
/** How long the sandbox takes for each step. */
export const ENABLEMENT_STEP_MS = MINUTE_MS;

// ---- who may be used for an order

/** What the rules know of an account that an order names. */
export type AccountFacts = { readonly kind: 'BANK_USD' | 'SPARK_WALLET' | 'FIAT_USD' | 'OTHER'; readonly isActive: boolean };
export type OrderFacts = {
  readonly stablecoin: Pick<Stablecoin, 'decimals' | 'issuanceStatus' | 'gridStatus'>;
  readonly link: Pick<Link, 'status'>;
  /** Absent for an end that names no account, or one that is not looked up. */
  readonly source?: AccountFacts | undefined;
  readonly destination?: AccountFacts | undefined;
};

const notEnabled = ({ gridStatus }: OrderFacts['stablecoin']): ApiError =>
  new ApiError(gridStatus === 'ENABLED' ? 'STABLECOIN_OPERATION_NOT_SUPPORTED' : 'STABLECOIN_GRID_OPERATIONS_NOT_ENABLED');

const namesInternalAccount = (accountId: string): boolean => accountId.startsWith('InternalAccount:');

/** Kinds of ends that are reserved for later. */
function refuseReserved(draft: OrderDraft, { stablecoin }: OrderFacts): void {
  if (draft.type === 'BURN') {
    if (draft.source.type === 'GRID_INTERNAL_ACCOUNT') throw new ApiError('STABLECOIN_BURN_SOURCE_NOT_SUPPORTED');
    return;
  }
  if (draft.source.type === 'GRID_INTERNAL_ACCOUNT') throw notEnabled(stablecoin);
  if (draft.source.type === 'PROVIDER_INTERNAL_BALANCE') throw new ApiError('STABLECOIN_OPERATION_NOT_SUPPORTED');
  if (namesInternalAccount(draft.destination.accountId)) throw notEnabled(stablecoin);
}

function refuseUnsupported(draft: OrderDraft, { source, destination }: OrderFacts): void {
  if (draft.type === 'BURN' && draft.destination.type === 'GRID_INTERNAL_ACCOUNT') {
    if (destination?.kind !== 'FIAT_USD' || !destination.isActive)
      throw invalidField('destination.accountId', 'must be a USD account of the platform or of a customer');
    return;
  }
  if (source && source.kind !== 'BANK_USD') throw new ApiError('STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED');
  const wanted = draft.type === 'MINT' ? 'SPARK_WALLET' : 'BANK_USD';
  if (destination?.kind !== wanted) throw new ApiError('STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED');
}

/** The amount of the order in cents. Refuses an order that cannot be given; the first reason wins. */
export function checkOrder(draft: OrderDraft, facts: OrderFacts): bigint {
  refuseUnusable(facts.link);
  if (facts.stablecoin.issuanceStatus !== 'PROVISIONED') throw new ApiError('STABLECOIN_NOT_PROVISIONED');
  refuseReserved(draft, facts);
  refuseUnsupported(draft, facts);
  if (facts.source?.isActive === false || facts.destination?.isActive === false)
    throw new ApiError('STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED');
  return centsOf(draft.amount, facts.stablecoin.decimals);
}

// ---- operations

/** Whether the payer sends the funds after the order. */
export const isFunded = ({ type }: { readonly type: string }): boolean => type === 'WIRE' || type === 'EXTERNAL_ACCOUNT';

/** How long the funds may take. */
export const FUNDING_MS = 7 * DAY_MS;
/** How long an operation waits for its provider before it is asked again, at least. */
export const RETRY_MS = MINUTE_MS;

export const TIMINGS: { readonly [rail in BurnRail]: string } = {
  WIRE: 'same business day',
  SAME_DAY_ACH_CREDIT: 'same business day',
  ACH_CREDIT: '1-3 business days',
  RTP_CREDIT: 'within minutes',
};

/** What happens to an operation: a report of the provider, or the end of the time for its funds. */
export type OperationEvent = OrderReport['stage'] | 'EXPIRED';

/** One step. A report about a later stage passes through the statuses that lie between. */
export const STEPS: { readonly [from in OperationStatus]: { readonly [event in OperationEvent]?: OperationStatus } } = {
  CREATED: {
    FUNDING: 'PENDING_FUNDING',
    QUEUED: 'PENDING_PROVIDER',
    PROCESSING: 'PENDING_PROVIDER',
    COMPLETED: 'PENDING_PROVIDER',
    FAILED: 'FAILED',
    CANCELED: 'FAILED',
  },
  PENDING_FUNDING: {
    QUEUED: 'PENDING_PROVIDER',
    PROCESSING: 'PENDING_PROVIDER',
    COMPLETED: 'PENDING_PROVIDER',
    FAILED: 'PENDING_PROVIDER',
    CANCELED: 'PENDING_PROVIDER',
    EXPIRED: 'EXPIRED',
  },
  PENDING_PROVIDER: { PROCESSING: 'PROCESSING', COMPLETED: 'PROCESSING', FAILED: 'FAILED', CANCELED: 'FAILED' },
  PROCESSING: { COMPLETED: 'COMPLETED', FAILED: 'FAILED', CANCELED: 'FAILED' },
  COMPLETED: {},
  FAILED: {},
  EXPIRED: {},
};

/** Every status that an event leads through, in order; empty when it changes nothing. */
export function pathOf(from: OperationStatus, event: OperationEvent): OperationStatus[] {
  const next = STEPS[from][event];
  return next === undefined ? [] : [next, ...pathOf(next, event)];
}

export const isOver = (status: OperationStatus): boolean => status === 'COMPLETED' || status === 'FAILED' || status === 'EXPIRED';

const PROVIDER_STATUS: { readonly [stage in OrderReport['stage']]: ProviderStatus } = {
  FUNDING: 'pending',
  QUEUED: 'pending',
  PROCESSING: 'processing',
  COMPLETED: 'complete',
  FAILED: 'failed',
  CANCELED: 'canceled',
};

const earliest = (...times: readonly (Date | undefined | null)[]): Date | undefined =>
  times.reduce<Date | undefined>((first, at) => (at && (!first || at < first) ? at : first), undefined);

/** The operation after a report. Funds that are still missing when their time is over end it. */
export function afterReport(operation: StablecoinOperation, report: OrderReport, now: Date): StablecoinOperation {
  const isExpired = report.stage === 'FUNDING' && operation.expiresAt !== null && operation.expiresAt <= now;
  const reported = pathOf(operation.status, report.stage);
  const path = isExpired ? [...reported, ...pathOf(reported.at(-1) ?? operation.status, 'EXPIRED')] : reported;
  const status = path.at(-1) ?? operation.status;
  if (isOver(operation.status)) return operation;
  const awaited = report.checkAfterMs === undefined ? undefined : plusMs(now, Math.max(1, report.checkAfterMs));
  const expiry = status === 'PENDING_FUNDING' ? operation.expiresAt : undefined;
  return {
    ...operation,
    status,
    // An earlier stage than the one that is known says nothing new.
    providerStatus: path.length === 0 ? operation.providerStatus : PROVIDER_STATUS[report.stage],
    failureReason:
      status !== 'FAILED' ? null : report.stage === 'CANCELED' ? 'PROVIDER_CANCELED' : (report.failure ?? 'PROVIDER_TRANSFER_FAILED'),
    dueAt: isOver(status) ? null : (earliest(awaited, expiry) ?? plusMs(now, RETRY_MS)),
    updatedAt: path.length === 0 ? operation.updatedAt : now,
  };
}

/** The operation that the provider has accepted. */
export const acceptedOperation = (
  operation: StablecoinOperation,
  report: OrderReport,
  fundingInstructions: FundingInstructions | undefined,
  now: Date,
): StablecoinOperation =>
  operation.status !== 'CREATED'
    ? operation
    : afterReport(
        {
          ...operation,
          isAbandoned: false,
          fundingInstructions: fundingInstructions ?? null,
          expiresAt: isFunded(operation.source) ? plusMs(operation.createdAt, FUNDING_MS) : null,
        },
        report,
        now,
      );
