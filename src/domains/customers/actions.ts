// Creating, changing and deleting customers.
import type { Tx } from '../../db/pool.js';
import type { SignedCall } from '../../http/operation.js';
import { ApiError } from '../../kernel/errors.js';
import { type CustomerId, newId, type PlatformId } from '../../kernel/ids.js';
import type { DepositProvider } from '../../providers/deposits.js';
import type { KeyCustody } from '../../providers/key-custody.js';
import type { KycProvider } from '../../providers/kyc.js';
import { closeEmptyAccounts, lockOpenAccounts, openMissingAccounts, openOwnAccounts } from '../internal-accounts/actions.js';
import type { CardCapabilitiesFor } from '../internal-accounts/internal-account.js';
import { getPlatform } from '../platform/actions.js';
import type { Platform } from '../platform/platform.js';
import { enqueueEvents } from '../webhooks/actions.js';
import type { NewEvent } from '../webhooks/event.js';
import type { Customer, CustomerDraft, CustomerPatch } from './customer.js';
import { changeCustomer, contactChange, newCustomer } from './rules.js';
import { renderCustomer } from './schemas.js';
import { insertCustomer, lockCustomer, lockCustomerRow, saveCustomer } from './store.js';

export { findCustomer, getCustomer, lockCustomerRow } from './store.js';

/** What must be signed before a change is carried out, as the API renders it. */
export type Challenge = { readonly payloadToSign: string; readonly requestId: string; readonly expiresAt: string };

export type ContactChange = {
  readonly platformId: PlatformId;
  readonly customer: Customer;
  readonly email?: string;
  readonly phoneNumber?: string;
  readonly signed: SignedCall;
  /** The body as sent: a signed retry is bound to it. */
  readonly body: unknown;
  readonly now: Date;
};

export type CustomerHook = (tx: Tx, platformId: PlatformId, customer: Customer, now: Date) => Promise<void> | void;

export type CustomerDeps = {
  readonly custody: KeyCustody;
  readonly kyc: KycProvider;
  readonly deposits: DepositProvider;
  readonly cardCapabilitiesFor: CardCapabilitiesFor;
  /**
   * A change of contact that wallet credentials hang on is signed by the end user first: answers what to sign, or nothing to let it
   * pass. Every signed retry comes here to be judged, whatever it changes.
   */
  readonly guardContactChange: (tx: Tx, change: ContactChange) => Promise<Challenge | undefined>;
  /** What else begins with a customer's accounts, ends with a customer, and ends with the accounts that closed, in domains that stand later. */
  readonly onAccountsOpened: readonly CustomerHook[];
  readonly onDeleted: readonly CustomerHook[];
  readonly onAccountsClosed: readonly CustomerHook[];
};

const supportedCurrencies = ({ config }: Platform) => config.supportedCurrencies.map(({ currencyCode }) => currencyCode);

/** Bound to platform and customer, so that a sealed value moved to another row does not open. */
export const identifierContext = (platformId: PlatformId, id: CustomerId): string => `customer identifier ${platformId} ${id}`;

function sealIdentifier(custody: KeyCustody, platformId: PlatformId, id: CustomerId, patch: CustomerPatch): Buffer | null {
  if (patch.customerType !== 'INDIVIDUAL' || patch.identifier === undefined) return null;
  return custody.seal(Buffer.from(patch.identifier, 'utf8'), identifierContext(platformId, id));
}

/** CUSTOMER.KYC_… of a person, CUSTOMER.KYB_… of a business, for the statuses that have an event. */
export function verificationEvents(customer: Customer): NewEvent[] {
  const { verificationStatus: status, customerType } = customer;
  if (status === 'UNVERIFIED' || status === 'HOLD') return [];
  const type = `CUSTOMER.${customerType === 'INDIVIDUAL' ? 'KYC' : 'KYB'}_${status}` as const;
  return [{ type, objectId: customer.id, data: renderCustomer(customer) }];
}

export async function createCustomer(
  tx: Tx,
  { custody, kyc, deposits, onAccountsOpened }: CustomerDeps,
  { platformId, draft, now }: { platformId: PlatformId; draft: CustomerDraft; now: Date },
): Promise<Customer> {
  const platform = await getPlatform(tx, platformId);
  const currencies = supportedCurrencies(platform);

  const customer = newCustomer({
    id: newId('Customer'),
    draft,
    umaDomain: platform.config.umaDomain,
    supportedCurrencies: currencies,
    isRegulated: platform.config.isRegulatedFinancialInstitution,
    screened: kyc.screen(
      draft.customerType === 'INDIVIDUAL'
        ? { customerType: 'INDIVIDUAL', fullName: draft.profile.fullName }
        : { customerType: 'BUSINESS', registrationNumber: draft.profile.businessInfo?.registrationNumber },
    ),
    now,
  });

  await insertCustomer(tx, platformId, customer, sealIdentifier(custody, platformId, customer.id, draft));
  await openOwnAccounts(tx, deposits, { platformId, customerId: customer.id, currencies, now });
  for (const begin of onAccountsOpened) await begin(tx, platformId, customer, now);
  enqueueEvents(tx, platformId, now, verificationEvents(customer));
  return customer;
}

export type CustomerUpdate = {
  readonly platformId: PlatformId;
  readonly id: CustomerId | undefined;
  readonly patch: CustomerPatch;
  readonly signed: SignedCall;
  readonly body: unknown;
  readonly now: Date;
};

/** The customer as changed, or what the end user must sign before it is. */
export async function updateCustomer(
  tx: Tx,
  { custody, deposits, guardContactChange, onAccountsOpened }: CustomerDeps,
  { platformId, id, patch, signed, body, now }: CustomerUpdate,
): Promise<{ customer: Customer } | { challenge: Challenge }> {
  const customer = await lockCustomer(tx, platformId, id);
  const platform = await getPlatform(tx, platformId);

  const changed = changeCustomer({ customer, patch, supportedCurrencies: supportedCurrencies(platform), now });
  const contact = contactChange(customer, changed);
  const isGuarded = contact !== undefined || signed.kind !== 'initial';
  const challenge = isGuarded ? await guardContactChange(tx, { platformId, customer, ...contact, signed, body, now }) : undefined;
  if (challenge) return { challenge };

  await saveCustomer(tx, platformId, changed, sealIdentifier(custody, platformId, customer.id, patch));
  const holder = { platformId, customerId: customer.id, currencies: patch.currencies ?? [], now };
  if (await openMissingAccounts(tx, deposits, holder)) for (const begin of onAccountsOpened) await begin(tx, platformId, changed, now);
  return { customer: changed };
}

/**
 * Deleting never loses money: an account that holds some, or that some may come back to, stays open and readable; the others close.
 * The API lists no refusal for it, so nothing is refused.
 */
export async function deleteCustomer(
  tx: Tx,
  { onDeleted, onAccountsClosed, cardCapabilitiesFor }: CustomerDeps,
  { platformId, id, now }: { platformId: PlatformId; id: CustomerId | undefined; now: Date },
): Promise<Customer> {
  const customer = id && (await lockCustomerRow(tx, platformId, id));
  if (!customer) throw new ApiError('CUSTOMER_NOT_FOUND');
  if (customer.deletedAt !== null) throw new ApiError('CUSTOMER_DELETED');
  const open = await lockOpenAccounts(tx, platformId, customer.id);

  const deleted: Customer = { ...customer, deletedAt: now, updatedAt: now };

  await saveCustomer(tx, platformId, deleted, null);
  for (const end of onDeleted) await end(tx, platformId, deleted, now);
  await closeEmptyAccounts(tx, { platformId, open, now }, cardCapabilitiesFor);
  for (const end of onAccountsClosed) await end(tx, platformId, deleted, now);
  return deleted;
}
