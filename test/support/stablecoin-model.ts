// The stablecoin provider of the sandbox as the specification tells it: what is refused, the steps by the clock, and what is shown.
import type { ErrorCode } from '../../src/kernel/errors.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read freely; their shape is checked against the document.
type Resource = any;
type Fields = Readonly<Record<string, unknown>>;
export type Refusal = readonly [number, ErrorCode];

const MINUTE = 60_000;
const WEEK = 7 * 24 * 60 * MINUTE;

export const endingOf = (text: string): string => text.slice(-3);
export const iso = (ms: number): string => new Date(ms).toISOString();
/** How far a list of statuses of a minute each is after this time. */
const reached = (statuses: readonly string[], ms: number): number => Math.min(Math.floor(ms / MINUTE), statuses.length - 1);

// ---- provider accounts

export type Link = {
  readonly id: string;
  readonly account: string;
  readonly createdAt: number;
  secret: string;
  status: 'ACTIVE' | 'INVALID' | 'REVOKED';
  verifiedAt: number;
  updatedAt: number;
};

export type LinkFields = { readonly apiClientId: string; readonly apiClientSecret: string; readonly providerAccountId?: string };

export const accountOf = ({ apiClientId, providerAccountId }: LinkFields): string => providerAccountId ?? `acct-${apiClientId}`;

export function refuseLinking(
  { apiClientId, apiClientSecret, providerAccountId }: LinkFields,
  known: Link | undefined,
): Refusal | undefined {
  if (endingOf(apiClientSecret) === '003') return [503, 'SERVICE_UNAVAILABLE'];
  if (endingOf(apiClientSecret) === '002' || providerAccountId?.endsWith('002')) return [400, 'STABLECOIN_VERIFICATION_FAILED'];
  // "may be left out when the credentials open exactly one account"
  if (!providerAccountId && endingOf(apiClientId) === '004') return [400, 'INVALID_INPUT'];
  return known?.status === 'ACTIVE' ? [409, 'CONFLICT'] : undefined;
}

const refuseLink = ({ status }: Link): Refusal | undefined =>
  status === 'ACTIVE' ? undefined : [400, `STABLECOIN_PROVIDER_ACCOUNT_${status}`];
/** "the next register, mint or burn finds the credentials rejected" */
export const isRejected = ({ secret }: Link): boolean => endingOf(secret) === '005';
/** "every mint and burn is 503" */
export const isSilent = ({ secret }: Link): boolean => endingOf(secret) === '006';

export const shownLink = ({ id, account, status, verifiedAt, createdAt, updatedAt }: Link): Resource => ({
  id,
  provider: 'EXTERNAL_ISSUER',
  providerAccountId: account,
  providerEnvironment: 'SANDBOX',
  status,
  lastVerifiedAt: iso(verifiedAt),
  createdAt: iso(createdAt),
  updatedAt: iso(updatedAt),
});

// ---- stablecoins

export type Coin = {
  readonly id: string;
  readonly link: Link;
  readonly symbol: string;
  readonly network: string;
  readonly decimals: number;
  /** The statuses of its issuance, a minute each, and the last for good. */
  readonly issuance: readonly string[];
  readonly createdAt: number;
  requestedAt: number | undefined;
  /** Tokens that the provider holds for the platform. */
  left: bigint;
  readonly operations: Operation[];
};

export type TokenFields = {
  readonly providerTokenIdentifier: string;
  readonly networkTokenIdentifier: string;
  readonly stablecoinProviderAccountId?: string | undefined;
};

const ISSUANCES: Readonly<Record<string, readonly string[]>> = {
  '003': ['PENDING_REVIEW', 'PROVISIONING', 'PROVISIONED'],
  '004': ['PENDING_REVIEW', 'REJECTED'],
  '005': ['PROVISIONING', 'FAILED'],
};
const ENABLEMENT = ['PENDING_APPROVAL', 'ENABLING', 'ENABLED'];

/** "not named: exactly one ACTIVE is taken" */
export function linkFor({ stablecoinProviderAccountId: id }: TokenFields, links: readonly Link[]): Link | undefined {
  const active = links.filter(({ status }) => status === 'ACTIVE');
  return id === undefined ? (active.length === 1 ? active[0] : undefined) : links.find((link) => link.id === id);
}

export function refuseToken(token: TokenFields, links: readonly Link[], coins: readonly Coin[]): Refusal | undefined {
  const { providerTokenIdentifier: symbol, networkTokenIdentifier: network, stablecoinProviderAccountId: id } = token;
  const link = linkFor(token, links);
  if (!link && id === undefined && links.some(({ status }) => status === 'ACTIVE'))
    return [400, 'STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED'];
  if (!link) return [404, 'STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND'];
  const unusable = refuseLink(link);
  if (unusable) return unusable;
  if (isRejected(link)) return [400, 'STABLECOIN_PROVIDER_ACCOUNT_INVALID'];
  if (endingOf(symbol) === '002' || endingOf(network) === '002') return [400, 'STABLECOIN_VERIFICATION_FAILED'];
  if (coins.some((coin) => coin.network === network)) return [409, 'STABLECOIN_TOKEN_IDENTIFIER_ALREADY_EXISTS'];
  // "same symbol, case-insensitive"; "REJECTED and FAILED registrations keep their names taken"
  const isTaken = coins.some((coin) => coin.symbol.toLowerCase() === symbol.toLowerCase());
  return isTaken ? [409, 'STABLECOIN_SYMBOL_ALREADY_EXISTS'] : undefined;
}

export function newCoin(
  id: string,
  link: Link,
  { providerTokenIdentifier: symbol, networkTokenIdentifier: network }: TokenFields,
  now: number,
): Coin {
  const decimals = Number(/1(0\d|1[0-8])$/.exec(symbol)?.[1] ?? 6);
  const issuance = ISSUANCES[endingOf(symbol)] ?? ['PROVISIONED'];
  const left = 1_000_000n * 10n ** BigInt(decimals);
  return { id, link, symbol, network, decimals, issuance, createdAt: now, requestedAt: undefined, left, operations: [] };
}

export const issuanceOf = ({ issuance, createdAt }: Coin, now: number): string => issuance[reached(issuance, now - createdAt)] as string;
export const enablementOf = ({ requestedAt }: Coin, now: number): string =>
  requestedAt === undefined ? 'NOT_ENABLED' : (ENABLEMENT[reached(ENABLEMENT, now - requestedAt)] as string);
/** Whether time alone still changes it. */
export const isMoving = ({ issuance, createdAt, requestedAt = -WEEK }: Coin, now: number): boolean =>
  now < createdAt + (issuance.length - 1) * MINUTE || now < requestedAt + 2 * MINUTE;

export function shownCoin(coin: Coin, now: number): Resource {
  const moves = [coin.createdAt + reached(coin.issuance, now - coin.createdAt) * MINUTE];
  if (coin.requestedAt !== undefined) moves.push(coin.requestedAt + reached(ENABLEMENT, now - coin.requestedAt) * MINUTE);
  const gridOperationsStatus = enablementOf(coin, now);
  return {
    id: coin.id,
    name: `${coin.symbol} Dollar`,
    symbol: coin.symbol,
    baseCurrency: 'USD',
    network: 'SPARK',
    decimals: coin.decimals,
    issuanceStatus: issuanceOf(coin, now),
    gridOperationsStatus,
    networkTokenIdentifier: coin.network,
    ...(gridOperationsStatus === 'ENABLED' && { currency: coin.symbol }),
    provider: 'EXTERNAL_ISSUER',
    stablecoinProviderAccountId: coin.link.id,
    providerEnvironment: 'SANDBOX',
    providerTokenIdentifier: coin.symbol,
    createdAt: iso(coin.createdAt),
    updatedAt: iso(Math.max(...moves)),
  };
}

// ---- mints and burns

/** An account outside the service, as the rules of an order see it. */
export type Outside = {
  readonly id: string;
  readonly kind: 'BANK' | 'SPARK' | 'OTHER';
  /** When it is ACTIVE; undefined: never. */
  readonly activeFrom: number | undefined;
  isKnown: boolean;
  /** The provider refuses to link it. */
  readonly isRefused: boolean;
};
/** An account in the service. */
export type Account = {
  readonly id: string;
  balance: number;
  isClosed: boolean;
  readonly received: { what: string; amount: number; at: number }[];
};

export type Order = {
  readonly path: 'mints' | 'burns';
  readonly source: Fields & { readonly type: string };
  readonly destination: Fields;
  readonly amount: bigint;
  readonly description: string | undefined;
  /** The accounts outside the service, with the kind that is wanted in their place. */
  readonly ends: readonly (readonly [Outside, Outside['kind']])[];
  /** The destination of a burn inside the service: what is wrong with it, or who is credited. */
  readonly internal?: Refusal | Account;
};

export type Operation = {
  readonly coin: Coin;
  /** The answer to the order, of which status and times move on. */
  readonly shown: Resource;
  readonly steps: readonly { readonly at: number; readonly status: string }[];
  readonly failure: string | undefined;
  readonly amount: bigint;
  readonly cents: bigint;
  /** The balance at the provider has paid for it. */
  readonly isTaken: boolean;
  readonly creditTo: Account | undefined;
  isOver: boolean;
};

export const MOST_CENTS = 9_007_199_254_740_991n;
export const TIMING: Readonly<Record<string, string>> = {
  WIRE: 'same business day',
  SAME_DAY_ACH_CREDIT: 'same business day',
  ACH_CREDIT: '1-3 business days',
  RTP_CREDIT: 'within minutes',
};
const PROVIDER_STATUS: Readonly<Record<string, string>> = { PROCESSING: 'processing', COMPLETED: 'complete', FAILED: 'failed' };

const scaleOf = ({ decimals }: Coin): bigint => 10n ** BigInt(Math.abs(decimals - 2));
const centsOf = (coin: Coin, amount: bigint): bigint => (coin.decimals > 2 ? amount / scaleOf(coin) : amount * scaleOf(coin));
const isFunded = ({ type }: Order['source']): boolean => type === 'WIRE' || type === 'EXTERNAL_ACCOUNT';
const isRefusal = (internal: Order['internal']): internal is Refusal => Array.isArray(internal);

/** Kinds of ends that are reserved for later. */
function refuseReserved({ path, source, destination }: Order, coin: Coin, now: number): Refusal | undefined {
  const isInternal = source.type === 'GRID_INTERNAL_ACCOUNT';
  if (path === 'burns') return isInternal ? [400, 'STABLECOIN_BURN_SOURCE_NOT_SUPPORTED'] : undefined;
  if (source.type === 'PROVIDER_INTERNAL_BALANCE') return [400, 'STABLECOIN_OPERATION_NOT_SUPPORTED'];
  if (!isInternal && !String(destination['accountId']).startsWith('InternalAccount:')) return undefined;
  return [400, enablementOf(coin, now) === 'ENABLED' ? 'STABLECOIN_OPERATION_NOT_SUPPORTED' : 'STABLECOIN_GRID_OPERATIONS_NOT_ENABLED'];
}

/**
 * "Checks in order: stablecoin 404, account 404, link REVOKED / INVALID 400, STABLECOIN_NOT_PROVISIONED, kind of source, account support,
 * account active, amount, provider."
 */
export function refuseOrder(order: Order, coin: Coin, now: number): Refusal | undefined {
  const { ends, internal, amount } = order;
  const { link } = coin;
  if (ends.some(([{ isKnown }]) => !isKnown)) return [404, 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_FOUND'];
  if (isRefusal(internal) && internal[0] === 404) return internal;
  const unusable = refuseLink(link);
  if (unusable) return unusable;
  if (issuanceOf(coin, now) !== 'PROVISIONED') return [400, 'STABLECOIN_NOT_PROVISIONED'];
  const reserved = refuseReserved(order, coin, now);
  if (reserved) return reserved;
  if (isRefusal(internal)) return internal;
  if (ends.some(([{ kind }, wanted]) => kind !== wanted)) return [400, 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED'];
  if (ends.some(([{ activeFrom = Number.POSITIVE_INFINITY }]) => now < activeFrom)) return [400, 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED'];
  if (coin.decimals > 2 && amount % scaleOf(coin) !== 0n) return [400, 'STABLECOIN_AMOUNT_NOT_REPRESENTABLE'];
  if (centsOf(coin, amount) > MOST_CENTS) return [400, 'AMOUNT_OUT_OF_RANGE'];
  if (isRejected(link)) return [400, 'STABLECOIN_PROVIDER_ACCOUNT_INVALID'];
  if (isSilent(link)) return [503, 'SERVICE_UNAVAILABLE'];
  return ends.some(([{ isRefused }]) => isRefused) ? [400, 'STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_FAILED'] : undefined;
}

/** The accepted order. A burn from the balance at the provider "takes its amount at creation". */
export function takeOrder({ path, source, amount, internal }: Order, coin: Coin, shown: Resource, now: number): Operation {
  const cents = centsOf(coin, amount);
  const spendsBalance = path === 'burns' && source.type === 'PROVIDER_INTERNAL_BALANCE';
  const isCovered = !spendsBalance || coin.left >= amount;
  const isTaken = spendsBalance && isCovered;
  if (isTaken) coin.left -= amount;
  const ending = endingOf(String(cents));
  const failure = !isCovered ? 'PROVIDER_INSUFFICIENT_BALANCE' : ending === '002' ? 'PROVIDER_TRANSFER_FAILED' : undefined;
  const end = failure ? 'FAILED' : 'COMPLETED';
  const steps = (statuses: readonly string[], ms = MINUTE) => statuses.map((status, i) => ({ at: now + i * ms, status }));
  const allSteps = ((): Operation['steps'] => {
    // "funds never arrive: PENDING_FUNDING until EXPIRED"
    if (isFunded(source) && ending === '005') return steps(['PENDING_FUNDING', 'EXPIRED'], WEEK);
    // "beyond what is left it ends FAILED PROVIDER_INSUFFICIENT_BALANCE at its first step"
    if (!isCovered) return steps(['PENDING_PROVIDER', 'FAILED']);
    return steps([...(isFunded(source) ? ['PENDING_FUNDING'] : []), 'PENDING_PROVIDER', 'PROCESSING', end]);
  })();
  const creditTo = isRefusal(internal) ? undefined : internal;
  const operation: Operation = { coin, shown, steps: allSteps, failure, amount, cents, isTaken, creditTo, isOver: false };
  coin.operations.push(operation);
  return operation;
}

/** The answer to an order, without its id and what only the provider knows of the instructions. */
export function firstShown({ path, source, destination, amount, description }: Order, coin: Coin, now: number): Resource {
  const cents = String(centsOf(coin, amount));
  const { accountId, externalAccountId, rail } = destination;
  const spent = { sourceTokenIdentifier: coin.symbol, cryptoNetwork: 'SPARK' };
  const wire = { rail: 'WIRE', amount: cents, currency: 'USD' };
  const spark = { rail: 'SPARK', network: 'SPARK', valueType: coin.symbol };
  return {
    stablecoinId: coin.id,
    operationType: path === 'mints' ? 'MINT' : 'BURN',
    status: isFunded(source) ? 'PENDING_FUNDING' : 'PENDING_PROVIDER',
    amount: String(amount),
    provider: 'EXTERNAL_ISSUER',
    providerEnvironment: 'SANDBOX',
    stablecoinProviderAccountId: coin.link.id,
    source: { ...source, ...(source.type === 'PROVIDER_INTERNAL_BALANCE' && spent) },
    destination: { accountId: accountId ?? externalAccountId, ...(path === 'burns' && { rail }) },
    ...(path === 'burns' && { estimatedDelivery: { rail, amount: cents, currency: 'USD', timing: TIMING[String(rail)] } }),
    ...(isFunded(source) && { fundingInstructions: path === 'mints' ? wire : spark, expiresAt: iso(now + WEEK) }),
    ...(description !== undefined && { description }),
    providerStatus: 'pending',
    createdAt: iso(now),
    updatedAt: iso(now),
  };
}

/** The operation as it is now. What was answered at first stays; status and time move. */
export function shownOperation({ shown, steps, failure }: Operation, now: number): Resource {
  const { status, at } = steps.filter((step) => step.at <= now).at(-1) as Operation['steps'][number];
  const failureReason = status === 'FAILED' ? { failureReason: failure } : {};
  return { ...shown, status, providerStatus: PROVIDER_STATUS[status] ?? 'pending', updatedAt: iso(at), ...failureReason };
}
