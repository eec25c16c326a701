// Creating, changing and deleting beneficial owners. The business is locked: its owners are judged together.
import type { Tx } from '../../../db/pool.js';
import { assert } from '../../../kernel/errors.js';
import type { Hooks } from '../../../kernel/hook.js';
import { type CustomerId, newId, type PlatformId } from '../../../kernel/ids.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { getPlatform } from '../../core/platform/actions.js';
import { lockCustomer, lockCustomerRow } from '../customers/actions.js';
import type { BeneficialOwner, BeneficialOwnerId, BusinessCustomer, Customer, OwnerDraft, OwnerPatch } from '../customers/customer.js';
import { holdersRemoved } from './hooks.js';
import { changeOwner, newOwner, refuseDeletion, requireBusiness } from './owner-rules.js';
import { deleteOwner, findOwnersOf, getOwner, insertOwner, saveOwner } from './owners-store.js';
import { findOpenVerification } from './store.js';

export type OwnerDeps = { readonly custody: KeyCustody; readonly hooks: Hooks };

/** Binds the sealed identifier to platform and owner: in another row it does not open. */
export const ownerIdentifierContext = (platformId: PlatformId, id: BeneficialOwnerId): string => `owner identifier ${platformId} ${id}`;

const seal = (custody: KeyCustody, platformId: PlatformId, id: BeneficialOwnerId, identifier: string): Buffer =>
  custody.seal(Buffer.from(identifier, 'utf8'), ownerIdentifierContext(platformId, id));

/** The locked business with its owners as they are under the lock. */
async function withOwners(tx: Tx, platformId: PlatformId, locked: Customer): Promise<BusinessCustomer> {
  const business = requireBusiness(locked);
  return { ...business, beneficialOwners: await findOwnersOf(tx, platformId, business.id) };
}

export async function createOwner(
  tx: Tx,
  { custody }: OwnerDeps,
  { platformId, customerId, draft, now }: { platformId: PlatformId; customerId: CustomerId | undefined; draft: OwnerDraft; now: Date },
): Promise<BeneficialOwner> {
  const business = await withOwners(tx, platformId, await lockCustomer(tx, platformId, customerId));
  const { config } = await getPlatform(tx, platformId);
  const open = await findOpenVerification(tx, platformId, business.id);

  const owner = newOwner({ id: newId('BeneficialOwner'), business, draft, isRegulated: config.isRegulatedFinancialInstitution, open, now });

  insertOwner(tx, platformId, owner, seal(custody, platformId, owner.id, draft.personalInfo.identifier));
  return owner;
}

type OwnerRequest = { readonly platformId: PlatformId; readonly id: BeneficialOwnerId | undefined; readonly now: Date };

/** Which business to lock is known only from the owner, so the owner is read again under the lock: with its business it is gone. */
async function lockOwner(tx: Tx, { platformId, id }: OwnerRequest): Promise<{ owner: BeneficialOwner; business: BusinessCustomer }> {
  const { customerId } = await getOwner(tx, platformId, id);
  const locked = await lockCustomerRow(tx, platformId, customerId);
  const owner = await getOwner(tx, platformId, id);
  assert(locked, 'an owner has a business');
  return { owner, business: await withOwners(tx, platformId, locked) };
}

export async function updateOwner(
  tx: Tx,
  { custody }: OwnerDeps,
  request: OwnerRequest & { readonly patch: OwnerPatch },
): Promise<BeneficialOwner> {
  const { platformId, patch, now } = request;
  const { owner, business } = await lockOwner(tx, request);

  const { owner: changed, identifier } = changeOwner(owner, business, patch, now);

  saveOwner(tx, platformId, changed, identifier === undefined ? null : seal(custody, platformId, owner.id, identifier));
  return changed;
}

export async function removeOwner(tx: Tx, { hooks }: OwnerDeps, request: OwnerRequest): Promise<void> {
  const { platformId, now } = request;
  const { owner } = await lockOwner(tx, request);
  refuseDeletion(await findOpenVerification(tx, platformId, owner.customerId));

  deleteOwner(tx, platformId, owner.id, now);
  for (const remove of hooks.all(holdersRemoved)) await remove(tx, platformId, [owner.id], now);
}
