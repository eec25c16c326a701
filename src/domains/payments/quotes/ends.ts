// Finds the two ends of a quote and the customer whose money it is.
import type { Tx } from '../../../db/pool.js';
import { ApiError, invalidField } from '../../../kernel/errors.js';
import { type InternalAccountId, type PlatformId, parseId } from '../../../kernel/ids.js';
import { findExternalAccount, paymentRailsOf } from '../../accounts/external-accounts/actions.js';
import type { ExternalAccount } from '../../accounts/external-accounts/external-account.js';
import { findInternalAccounts, holderOf, lockAgainstClosing } from '../../accounts/internal-accounts/actions.js';
import type { InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import { shareCustomer, shareCustomerFound } from '../../identity/customers/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import { carrierOf, railsByPreference } from '../payments/actions.js';
import { networksOf } from '../rates/actions.js';
import { parseUmaAddress } from '../uma/actions.js';
import type { QuoteDestination, QuoteSource } from './quote.js';
import type { DestinationFacts, SourceFacts } from './rules.js';

type AccountFacts =
  | { readonly kind: 'INTERNAL'; readonly account: InternalAccount }
  | { readonly kind: 'EXTERNAL'; readonly account: ExternalAccount };

/** Reads accounts, or also locks them against closing until the transaction ends. The customer is locked before accounts are. */
export type Reading = 'READ' | 'LOCK';

async function findInternal(
  tx: Tx,
  platformId: PlatformId,
  ids: readonly InternalAccountId[],
  reading: Reading,
): Promise<ReadonlyMap<string, InternalAccount>> {
  if (ids.length === 0) return new Map();
  if (reading === 'LOCK') return lockAgainstClosing(tx, platformId, ids);
  return new Map((await findInternalAccounts(tx, platformId, ids)).map((account) => [account.id, account]));
}

/** The accounts of a payment, in the order given, or 404. Those in the service are read by one statement, which locks in the order of ids. */
async function findAccounts(tx: Tx, platformId: PlatformId, ids: readonly string[], reading: Reading): Promise<AccountFacts[]> {
  const internalIds = ids.flatMap((id) => parseId('InternalAccount', id) ?? []);
  const [internal, ...external] = await Promise.all([
    findInternal(tx, platformId, internalIds, reading),
    ...ids.map((id) => {
      const externalId = parseId('ExternalAccount', id);
      return externalId && findExternalAccount(tx, platformId, externalId);
    }),
  ]);
  return ids.map((id, position): AccountFacts => {
    const account = internal.get(id);
    if (account) return { kind: 'INTERNAL', account };
    const outside = external[position];
    if (!outside || outside.isDeleted) throw new ApiError('ACCOUNT_NOT_FOUND');
    return { kind: 'EXTERNAL', account: outside.account };
  });
}

const sourceFacts = (found: AccountFacts): SourceFacts =>
  found.kind === 'INTERNAL' ? found : { ...found, isPullable: found.account.accountInfo.accountType === 'USD_ACCOUNT' };

const destinationFacts = (found: AccountFacts): DestinationFacts =>
  found.kind === 'INTERNAL'
    ? found
    : {
        ...found,
        rails: railsByPreference(paymentRailsOf(found.account.accountInfo), found.account.accountInfo),
        network: carrierOf(found.account.accountInfo),
      };

export type Ends = { readonly source: SourceFacts; readonly destination: DestinationFacts };

/** The ends that a request names. */
export async function findEnds(
  tx: Tx,
  platformId: PlatformId,
  { source, destination }: { readonly source: QuoteSource; readonly destination: QuoteDestination },
  reading: Reading,
): Promise<Ends> {
  const named = [
    ...(source.sourceType === 'ACCOUNT' ? [source.accountId] : []),
    ...(destination.destinationType === 'ACCOUNT' ? [destination.accountId] : []),
  ];
  const found = await findAccounts(tx, platformId, named, reading);
  const receiver: DestinationFacts =
    destination.destinationType === 'UMA_ADDRESS'
      ? { kind: 'UMA', address: parseUmaAddress(destination.umaAddress).address, currency: destination.currency }
      : destinationFacts(required(found.at(-1)));
  if (source.sourceType === 'REALTIME_FUNDING')
    return { source: { kind: 'REALTIME', currency: source.currency, network: networkOfRequest(source) }, destination: receiver };
  return { source: sourceFacts(required(found[0])), destination: receiver };
}

function required(found: AccountFacts | undefined): AccountFacts {
  if (!found) throw new ApiError('ACCOUNT_NOT_FOUND');
  return found;
}

/** A stablecoin on several chains needs to be told which one it comes on. */
function networkOfRequest({ currency, cryptoNetwork }: Extract<QuoteSource, { sourceType: 'REALTIME_FUNDING' }>): string | undefined {
  const networks = networksOf(currency) ?? [];
  if (cryptoNetwork === undefined) {
    if (currency === 'USDC' || currency === 'USDT')
      throw invalidField('source.cryptoNetwork', 'is required for this currency', { enum: networks });
    return undefined;
  }
  if (!networks.includes(cryptoNetwork)) throw invalidField('source.cryptoNetwork', 'does not carry the currency', { enum: networks });
  return cryptoNetwork;
}

// ---- whose money it is

/** The holder of the account in the service that a request names as its source. Read together with the account itself. */
export async function shareHolder(tx: Tx, platformId: PlatformId, { sourceType, ...request }: QuoteSource): Promise<Customer | undefined> {
  const id = sourceType === 'ACCOUNT' && 'accountId' in request ? parseId('InternalAccount', request.accountId) : undefined;
  return id && request.customerId === undefined ? shareCustomerFound(tx, platformId, holderOf(platformId, id)) : undefined;
}

/**
 * The customer who pays; null for the platform itself. The owner of the account pays, or the customer that a request names where the account
 * holds money of several.
 */
export async function findPayer(
  tx: Tx,
  platformId: PlatformId,
  request: QuoteSource,
  source: SourceFacts,
  holder: Customer | undefined,
): Promise<Customer | null> {
  const named = request.customerId === undefined ? undefined : await shareCustomer(tx, platformId, parseId('Customer', request.customerId));
  if (source.kind === 'REALTIME') return named ?? null;
  if (source.kind === 'INTERNAL' && source.account.type === 'BULK_SETTLEMENT') {
    if (!named) throw invalidField('source.customerId', 'is required for a BULK_SETTLEMENT account');
    return named;
  }
  const owner = source.account.customerId ?? undefined;
  if (named && named.id !== owner) throw invalidField('source.customerId', 'must be the owner of the account');
  if (named) return named;
  if (holder?.id === owner && holder?.deletedAt === null) return holder;
  return owner === undefined ? null : shareCustomer(tx, platformId, owner);
}
