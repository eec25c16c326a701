// Looking up receivers before they are paid.
import type { Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import { newId, type PlatformId, parseId } from '../../../kernel/ids.js';
import { MAX_AMOUNT } from '../../../kernel/money.js';
import { findExternalAccount } from '../../accounts/external-accounts/actions.js';
import { getPlatform } from '../../core/platform/actions.js';
import type { Platform } from '../../core/platform/platform.js';
import { findCustomerByUma, getCustomer } from '../../identity/customers/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import { askReceiver, parseUmaAddress, type UmaDeps } from '../uma/actions.js';
import type { FieldDefinition, FoundReceiver } from '../uma/uma.js';
import type { Lookup, ReceiverFound } from './lookup.js';
import { newLookup, preferenceOf, sameSender, sendingCurrencyOf, usableLookup } from './rules.js';
import { findLookup, insertLookup } from './store.js';

export type LookupQuery = {
  readonly senderUmaAddress?: string;
  readonly customerId?: string;
  readonly sendingCurrency?: string;
};

type Asked = { readonly platformId: PlatformId; readonly query: LookupQuery; readonly now: Date };

type Receiver = {
  readonly name: string;
  readonly found: FoundReceiver | null;
  readonly currencies: FoundReceiver['currencies'];
  readonly payerFields: readonly FieldDefinition[];
};

/** The customer who would pay; null for the platform itself. */
async function findSender(
  { db }: UmaDeps,
  platformId: PlatformId,
  { customerId, senderUmaAddress }: LookupQuery,
): Promise<Customer | null> {
  const address = senderUmaAddress === undefined ? undefined : parseUmaAddress(senderUmaAddress).address;
  const [byId, byAddress] = await Promise.all([
    customerId === undefined ? undefined : getCustomer(db, platformId, parseId('Customer', customerId)),
    address === undefined ? undefined : findCustomerByUma(db, platformId, address),
  ]);
  if (address !== undefined && !byAddress) throw new ApiError('UMA_NOT_FOUND');
  return sameSender(byId, byAddress);
}

async function lookUp(
  deps: UmaDeps,
  { platformId, query, now }: Asked,
  find: (platform: Platform) => Promise<Receiver>,
): Promise<ReceiverFound> {
  const [platform, sender] = await Promise.all([getPlatform(deps.db, platformId), findSender(deps, platformId, query)]);
  const sendingCurrency = sendingCurrencyOf(platform, sender, query.sendingCurrency);
  const receiver = await find(platform);
  const market = await deps.rates.marketAt(deps.db, platformId, now);
  const lookup = newLookup(newId('Lookup'), receiver.name, receiver.found, now);
  await insertLookup(deps.db, platformId, lookup);
  return {
    lookup,
    sendingCurrency,
    currencies: receiver.currencies.flatMap((bounds) => preferenceOf(market, sendingCurrency, bounds) ?? []),
    payerFields: receiver.payerFields,
  };
}

export function lookUpUma(deps: UmaDeps, asked: Asked & { readonly address: string }): Promise<ReceiverFound> {
  const receiver = parseUmaAddress(asked.address);
  return lookUp(deps, asked, async (platform) => {
    const found = await askReceiver(deps, platform, receiver, asked.now);
    return { name: receiver.address, found, currencies: found.currencies, payerFields: found.payerFields };
  });
}

export function lookUpAccount(deps: UmaDeps, asked: Asked & { readonly accountId: string }): Promise<ReceiverFound> {
  const id = parseId('ExternalAccount', asked.accountId);
  return lookUp(deps, asked, async () => {
    const found = id && (await findExternalAccount(deps.db, asked.platformId, id));
    if (!found || found.isDeleted) throw new ApiError('ACCOUNT_NOT_FOUND');
    return {
      name: found.account.id,
      found: null,
      currencies: [{ code: found.account.currency, min: 1n, max: MAX_AMOUNT }],
      payerFields: [],
    };
  });
}

/** The look-up that a quote names for its receiver, or 404. */
export async function getLookup(
  tx: Pick<Tx, 'one' | 'many'>,
  platformId: PlatformId,
  { lookupId, receiver, now }: { readonly lookupId: string; readonly receiver: string; readonly now: Date },
): Promise<Lookup> {
  const id = parseId('Lookup', lookupId);
  return usableLookup(id && (await findLookup(tx, platformId, id)), receiver, now);
}
