// Creating, changing and deleting customers.
import type { Tx } from '../../../db/pool.js';
import type { SignedCall } from '../../../http/operation.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import type { Hooks } from '../../../kernel/hook.js';
import { type CustomerId, newId, type PlatformId } from '../../../kernel/ids.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { KycOutcome, KycProvider, KycSubject } from '../../../providers/kyc.js';
import { getPlatform } from '../../core/platform/actions.js';
import type { Platform } from '../../core/platform/platform.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import type { NewEvent } from '../../core/webhooks/event.js';
import type { Customer, CustomerDraft, CustomerPatch, VerificationStatus } from './customer.js';
import {
  type AccountsRequired,
  accountsRequired,
  type Challenge,
  contactChanged,
  contactChanging,
  customerDeleted,
  customerDeleting,
} from './hooks.js';
import type { ContactChannel } from './regions.js';
import { changeCustomer, conflictOf, contactChange, newCustomer } from './rules.js';
import { renderCustomer } from './schemas.js';
import { findConflicting, findSealedIdentifier, insertCustomers, lockCustomer, lockCustomerRow, saveCustomer } from './store.js';

export { type ContactChannel, isInRegulatedRegion, unverifiedChannels } from './regions.js';
export { AGREEMENTS, currentAgreement, hasAcceptedTerms, isUmaAddress } from './rules.js';
export {
  findCustomer,
  findCustomerByUma,
  getCustomer,
  lockCustomer,
  lockCustomerForShare,
  lockCustomerRow,
  shareCustomer,
  shareCustomerByUma,
  shareCustomerFound,
} from './store.js';

export type CustomerDeps = { readonly custody: KeyCustody; readonly kyc: KycProvider; readonly hooks: Hooks };

const supportedCurrencies = ({ config }: Platform) => config.supportedCurrencies.map(({ currencyCode }) => currencyCode);

/** Binds the sealed identifier to platform and customer: in another row it does not open. */
export const identifierContext = (platformId: PlatformId, id: CustomerId): string => `customer identifier ${platformId} ${id}`;

function sealIdentifier(custody: KeyCustody, platformId: PlatformId, id: CustomerId, patch: CustomerPatch): Buffer | null {
  if (patch.customerType !== 'INDIVIDUAL' || patch.identifier === undefined) return null;
  return custody.seal(Buffer.from(patch.identifier, 'utf8'), identifierContext(platformId, id));
}

/** CUSTOMER.KYC_… for a person, CUSTOMER.KYB_… for a business, for the statuses that have an event. */
export function verificationEvents(customer: Customer): NewEvent[] {
  const { verificationStatus: status, customerType } = customer;
  if (status === 'UNVERIFIED' || status === 'HOLD') return [];
  const type = `CUSTOMER.${customerType === 'INDIVIDUAL' ? 'KYC' : 'KYB'}_${status}` as const;
  return [{ type, objectId: customer.id, data: renderCustomer(customer) }];
}

export async function createCustomer(
  tx: Tx,
  deps: CustomerDeps,
  { platformId, draft, now }: { platformId: PlatformId; draft: CustomerDraft; now: Date },
): Promise<Customer> {
  const [created] = await createCustomers(tx, deps, { platformId, drafts: [draft], now });
  assert(created, 'every draft has a result');
  if (created instanceof ApiError) throw created;
  return created;
}

/** Creates customers in order, each by the same rules: one result per draft. A refused draft leaves the others as they are. */
export async function createCustomers(
  tx: Tx,
  { custody, kyc, hooks }: CustomerDeps,
  { platformId, drafts, now }: { platformId: PlatformId; drafts: readonly CustomerDraft[]; now: Date },
): Promise<(Customer | ApiError)[]> {
  const platform = await getPlatform(tx, platformId);
  const currencies = supportedCurrencies(platform);

  const screened = await Promise.all(drafts.map((draft) => kyc.screen(subjectOf(draft))));

  const decided = drafts.map((draft, i) => ({
    draft,
    customer: orRefusal(() =>
      newCustomer({
        id: newId('Customer'),
        draft,
        umaDomain: platform.config.umaDomain,
        supportedCurrencies: currencies,
        isRegulated: platform.config.isRegulatedFinancialInstitution,
        screened: screened[i] as KycOutcome,
        now,
      }),
    ),
  }));

  const rows = decided.flatMap(({ draft, customer }) =>
    customer instanceof ApiError ? [] : [{ customer, identifierSealed: sealIdentifier(custody, platformId, customer.id, draft) }],
  );
  const inserted = await insertCustomers(tx, platformId, rows, now);
  const created = rows.map(({ customer }) => customer).filter(({ id }) => inserted.has(id));
  await requireAccounts(
    tx,
    hooks,
    created.map((customer) => ({ platformId, customer, currencies, isNew: true, now })),
  );
  enqueueEvents(tx, platformId, now, created.flatMap(verificationEvents));
  return Promise.all(
    decided.map(async ({ customer }) => {
      if (customer instanceof ApiError || inserted.has(customer.id)) return customer;
      return conflictOf(customer, await findConflicting(tx, platformId, customer));
    }),
  );
}

const subjectOf = ({ customerType, profile }: CustomerDraft): KycSubject =>
  customerType === 'INDIVIDUAL'
    ? { customerType, fullName: profile.fullName }
    : { customerType, registrationNumber: profile.businessInfo?.registrationNumber };

function orRefusal<Result>(decide: () => Result): Result | ApiError {
  try {
    return decide();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

export type CustomerUpdate = {
  readonly platformId: PlatformId;
  readonly id: CustomerId | undefined;
  readonly patch: CustomerPatch;
  readonly signed: SignedCall;
  readonly body: unknown;
  readonly now: Date;
};

/** The changed customer, or the challenge that the end user must sign first. */
export async function updateCustomer(
  tx: Tx,
  { custody, hooks }: CustomerDeps,
  { platformId, id, patch, signed, body, now }: CustomerUpdate,
): Promise<{ customer: Customer } | { challenge: Challenge }> {
  const customer = await lockCustomer(tx, platformId, id);
  const platform = await getPlatform(tx, platformId);

  const changed = changeCustomer({ customer, patch, supportedCurrencies: supportedCurrencies(platform), now });
  const contact = contactChange(customer, changed);
  const { email, phoneNumber } = patch;
  // A contact that the customer has already may be new to the customer's wallet.
  const isGuarded = email !== undefined || phoneNumber !== undefined || signed.kind !== 'initial';
  const change = { platformId, customer, email, phoneNumber, signed, body, now };
  const challenge = isGuarded ? await hooks.only(contactChanging)(tx, change) : undefined;
  if (challenge) return { challenge };

  await saveCustomer(tx, platformId, changed, sealIdentifier(custody, platformId, customer.id, patch));
  await requireAccounts(tx, hooks, [{ platformId, customer: changed, currencies: patch.currencies ?? [], isNew: false, now }]);
  if (contact) {
    const channels = [
      ...(contact.email === undefined ? [] : ['EMAIL' as const]),
      ...(contact.phoneNumber === undefined ? [] : ['PHONE' as const]),
    ];
    for (const react of hooks.all(contactChanged)) await react(tx, { platformId, customer: changed, channels, now });
  }
  return { customer: changed };
}

/** The identifier in plain text, for a packet. It must not leave the process but to the KYC provider. */
export async function readIdentifier(tx: Tx, custody: KeyCustody, platformId: PlatformId, id: CustomerId): Promise<string | undefined> {
  const sealed = await findSealedIdentifier(tx, platformId, id);
  return sealed && custody.open(sealed, identifierContext(platformId, id)).toString('utf8');
}

/** Writes a status that verification decided, with its event. The caller has locked the customer; an unchanged status is no event. */
export async function changeVerificationStatus(
  tx: Tx,
  platformId: PlatformId,
  customer: Customer,
  status: VerificationStatus,
  now: Date,
): Promise<Customer> {
  if (status === customer.verificationStatus) return customer;
  const changed: Customer = { ...customer, verificationStatus: status, updatedAt: now };
  await saveCustomer(tx, platformId, changed, null);
  enqueueEvents(tx, platformId, now, verificationEvents(changed));
  return changed;
}

/** The end user proved control of a new phone number in another way. The caller has locked the customer. */
export async function setVerifiedPhone(
  tx: Tx,
  hooks: Hooks,
  platformId: PlatformId,
  customer: Customer,
  phoneNumber: string,
  now: Date,
): Promise<Customer> {
  const changed: Customer = { ...customer, phoneNumber, phoneVerifiedAt: now, updatedAt: now };
  await saveCustomer(tx, platformId, changed, null);
  for (const react of hooks.all(contactChanged)) await react(tx, { platformId, customer: changed, channels: ['PHONE'], now });
  return changed;
}

/** The end user proved control of the contact. The caller has locked the customer. */
export async function confirmContact(
  tx: Tx,
  platformId: PlatformId,
  customer: Customer,
  channel: ContactChannel,
  now: Date,
): Promise<Customer> {
  const confirmed: Customer = {
    ...customer,
    ...(channel === 'EMAIL' ? { emailVerifiedAt: now } : { phoneVerifiedAt: now }),
    updatedAt: now,
  };
  await saveCustomer(tx, platformId, confirmed, null);
  return confirmed;
}

async function requireAccounts(tx: Tx, hooks: Hooks, required: readonly AccountsRequired[]): Promise<void> {
  for (const open of hooks.all(accountsRequired)) await open(tx, required);
}

/**
 * Deletes the customer and closes its empty accounts. An account with money, or with money that may still return to it, stays open and
 * readable. The API defines no refusal for this case, so none is made.
 */
export async function deleteCustomer(
  tx: Tx,
  { hooks }: CustomerDeps,
  { platformId, id, now }: { platformId: PlatformId; id: CustomerId | undefined; now: Date },
): Promise<Customer> {
  const customer = id && (await lockCustomerRow(tx, platformId, id));
  if (!customer) throw new ApiError('CUSTOMER_NOT_FOUND');
  if (customer.deletedAt !== null) throw new ApiError('CUSTOMER_DELETED');
  for (const prepare of hooks.all(customerDeleting)) await prepare(tx, platformId, customer, now);

  const deleted: Customer = { ...customer, deletedAt: now, updatedAt: now };

  await saveCustomer(tx, platformId, deleted, null);
  for (const end of hooks.all(customerDeleted).toReversed()) await end(tx, platformId, deleted, now);
  return deleted;
}
