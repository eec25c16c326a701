// Creating, reading, claiming and cancelling invitations. The clock of the platform that created an invitation rules it.
import { randomInt } from 'node:crypto';
import type { Tx } from '../../../db/pool.js';
import { ApiError, invalidField } from '../../../kernel/errors.js';
import { newId, type PlatformId } from '../../../kernel/ids.js';
import { findPlatformOfKey, getPlatform, insertKey, platformNow } from '../../core/platform/actions.js';
import type { Mode } from '../../core/platform/platform.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import { isUmaAddress, shareCustomerByUma } from '../customers/actions.js';
import type { Customer } from '../customers/customer.js';
import type { Invitation } from './invitation.js';
import { asOf, CODE_LENGTH, CODE_SIGNS, currencyFor, parseCode, refuseDecided, refusePast, refuseSelf, refuseStranger } from './rules.js';
import { type InvitationDraft, type PageUrl, renderInvitation } from './schemas.js';
import { findInvitation, insertInvitation, lockInvitation, saveInvitation } from './store.js';

type Reader = Pick<Tx, 'one' | 'many'>;

export const newCode = (): string => Array.from({ length: CODE_LENGTH }, () => CODE_SIGNS[randomInt(CODE_SIGNS.length)]).join('');

const checkAddress = (field: string, address: string): void => {
  if (!isUmaAddress(address))
    throw new ApiError('INVALID_UMA_ADDRESS', { errors: [{ field, message: 'must have the form $name@domain' }] });
};

/** The live customer of the platform with that address. The customer is not deleted until this transaction ends. */
async function customerAt(tx: Tx, platformId: PlatformId, field: string, address: string): Promise<Customer> {
  const customer = await shareCustomerByUma(tx, platformId, address);
  if (!customer) throw invalidField(field, 'must be the UMA address of a customer of the platform');
  return customer;
}

export async function createInvitation(
  tx: Tx,
  { platformId, draft, now }: { readonly platformId: PlatformId; readonly draft: InvitationDraft; readonly now: Date },
): Promise<Invitation> {
  const { config } = await getPlatform(tx, platformId);
  if (config.umaDomain === '') throw new ApiError('INVITATIONS_NOT_CONFIGURED');
  checkAddress('inviterUma', draft.inviterUma);
  refusePast(draft.expiresAt, now);
  const customer = await customerAt(tx, platformId, 'inviterUma', draft.inviterUma);
  const supported = config.supportedCurrencies.map(({ currencyCode }) => currencyCode);

  const invitation: Invitation = {
    id: newId('Invitation'),
    platformId,
    status: 'PENDING',
    code: newCode(),
    customerId: customer.id,
    inviterUma: customer.umaAddress,
    firstName: draft.firstName,
    amountToSend: draft.amount === null ? null : { amount: draft.amount, currency: currencyFor(customer.currencies, supported) },
    expiresAt: draft.expiresAt,
    createdAt: now,
  };
  insertKey(tx, platformId, 'INVITATION', invitation.code);
  insertInvitation(tx, invitation);
  return invitation;
}

/** Finds the code on platforms of one mode: a live installation knows no sandbox platforms. */
async function placeOf(tx: Reader, mode: Mode, text: string): Promise<{ platformId: PlatformId; code: string } | undefined> {
  const code = parseCode(text);
  const platformId = code && (await findPlatformOfKey(tx, 'INVITATION', code));
  if (!code || !platformId) return undefined;
  const platform = await getPlatform(tx, platformId);
  return platform.mode === mode ? { platformId, code } : undefined;
}

/** The invitation as it stands, whoever asks; undefined for an unknown code. */
export async function readInvitation(tx: Reader, mode: Mode, text: string): Promise<Invitation | undefined> {
  const place = await placeOf(tx, mode, text);
  const invitation = place && (await findInvitation(tx, place.platformId, place.code));
  return invitation && asOf(invitation, await platformNow(tx, invitation.platformId));
}

export async function getInvitation(tx: Reader, mode: Mode, text: string): Promise<Invitation> {
  const invitation = await readInvitation(tx, mode, text);
  if (!invitation) throw new ApiError('INVITATION_NOT_FOUND');
  return invitation;
}

/** The locked invitation at the time of its creator, which is read under the lock. */
async function lockAt(tx: Tx, place: { platformId: PlatformId; code: string }): Promise<{ invitation: Invitation; now: Date }> {
  const invitation = await lockInvitation(tx, place.platformId, place.code);
  if (!invitation) throw new ApiError('INVITATION_NOT_FOUND');
  const now = await platformNow(tx, place.platformId);
  return { invitation: asOf(invitation, now), now };
}

export type Decision = { readonly platformId: PlatformId; readonly code: string };

/** The claimer's customer is locked before the invitation, which is the last lock of every transaction that takes it. */
export async function claimInvitation(
  tx: Tx,
  { mode, pageUrl }: { readonly mode: Mode; readonly pageUrl: PageUrl },
  { platformId, code, inviteeUma }: Decision & { readonly inviteeUma: string },
): Promise<Invitation> {
  checkAddress('inviteeUma', inviteeUma);
  const place = await placeOf(tx, mode, code);
  if (!place) throw new ApiError('INVITATION_NOT_FOUND');
  const customer = await shareCustomerByUma(tx, platformId, inviteeUma);
  const { invitation, now } = await lockAt(tx, place);

  refuseDecided(invitation);
  refuseSelf(invitation, { platformId, inviteeUma, customerId: customer?.id });
  if (!customer) throw invalidField('inviteeUma', 'must be the UMA address of a customer of the platform');
  const claimed: Invitation = { ...invitation, status: 'CLAIMED', inviteeUma: customer.umaAddress, claimedAt: now };

  saveInvitation(tx, claimed);
  enqueueEvents(tx, place.platformId, now, [
    { type: 'INVITATION.CLAIMED', objectId: claimed.id, data: renderInvitation(claimed, pageUrl) },
  ]);
  return claimed;
}

export async function cancelInvitation(tx: Tx, mode: Mode, { platformId, code }: Decision): Promise<Invitation> {
  const place = await placeOf(tx, mode, code);
  if (!place) throw new ApiError('INVITATION_NOT_FOUND');
  refuseStranger(place, platformId);
  const { invitation } = await lockAt(tx, place);
  refuseDecided(invitation);
  const cancelled: Invitation = { ...invitation, status: 'CANCELLED' };
  saveInvitation(tx, cancelled);
  return cancelled;
}
