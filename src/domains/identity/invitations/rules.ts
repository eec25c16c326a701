// What may happen to an invitation, and what its code looks like. Pure.
import { ApiError, invalidField } from '../../../kernel/errors.js';
import type { CustomerId, PlatformId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import type { Invitation, InvitationStatus } from './invitation.js';

/** 30 signs without 0, 1, i, l, o and u: none is taken for another. Twelve of them are 59 bits. */
export const CODE_SIGNS = '23456789abcdefghjkmnpqrstvwxyz';
export const CODE_LENGTH = 12;
const CODE = new RegExp(`^[${CODE_SIGNS}]{${CODE_LENGTH}}$`);

/** The code as stored; undefined for a text that no invitation can have. */
export function parseCode(text: string): string | undefined {
  const code = text.toLowerCase();
  return CODE.test(code) ? code : undefined;
}

/** What may become of an invitation. Only a pending one changes. */
export const INVITATION_MOVES = {
  PENDING: { CLAIMED: 'CLAIMED', CANCELLED: 'CANCELLED', CUSTOMER_DELETED: 'CANCELLED', EXPIRED: 'EXPIRED' },
  CLAIMED: {},
  EXPIRED: {},
  CANCELLED: {},
} as const satisfies Readonly<Record<InvitationStatus, Readonly<Record<string, InvitationStatus>>>>;

/** The invitation at a moment: past its expiry it is expired, whether or not the job has run. */
export const asOf = (invitation: Invitation, now: Date): Invitation =>
  invitation.status === 'PENDING' && invitation.expiresAt !== null && invitation.expiresAt <= now
    ? { ...invitation, status: 'EXPIRED' }
    : invitation;

/** Why an invitation that is no longer pending can neither be claimed nor cancelled. */
const REFUSALS: { readonly [status in Exclude<InvitationStatus, 'PENDING'>]: () => ApiError } = {
  CLAIMED: () => new ApiError('INVITATION_ALREADY_CLAIMED', { status: 'CLAIMED' }),
  CANCELLED: () => new ApiError('INVITATION_CANCELLED', { status: 'CANCELLED' }),
  EXPIRED: () =>
    new ApiError('INVALID_INPUT', { cause: 'INVITATION_EXPIRED', status: 'EXPIRED' }, { reason: 'The invitation has expired.' }),
};

export function refuseDecided({ status }: Pick<Invitation, 'status'>): void {
  if (status !== 'PENDING') throw REFUSALS[status]();
}

/** Only the platform that created an invitation cancels it. */
export function refuseStranger(invitation: Pick<Invitation, 'platformId'>, platformId: string): void {
  if (invitation.platformId !== platformId)
    throw new ApiError('FORBIDDEN', undefined, { reason: 'Only the platform that created the invitation can cancel it.' });
}

export type Claimer = {
  readonly platformId: PlatformId;
  readonly inviteeUma: string;
  /** Undefined: nobody has the address. */
  readonly customerId: CustomerId | undefined;
};

/** The inviter may have another address by now. A copied platform has customers of the same ids. */
export function refuseSelf(invitation: Pick<Invitation, 'platformId' | 'customerId' | 'inviterUma'>, claimer: Claimer): void {
  const isInviter = invitation.customerId === claimer.customerId && invitation.platformId === claimer.platformId;
  if (isInviter || invitation.inviterUma.toLowerCase() === claimer.inviteeUma.toLowerCase())
    throw new ApiError('SELF_PAYMENT', undefined, { reason: 'The inviter cannot claim the invitation.' });
}

export function refusePast(expiresAt: Date | null, now: Date): void {
  if (expiresAt !== null && expiresAt <= now) throw invalidField('expiresAt', 'must be later than now');
}

/** The currency of the amount: the first of the inviter, else the first of the platform. */
export function currencyFor(ofCustomer: readonly CurrencyCode[], ofPlatform: readonly CurrencyCode[]): CurrencyCode {
  const currency = ofCustomer[0] ?? ofPlatform[0];
  if (currency === undefined) throw invalidField('amountToSend', 'cannot be given: the platform supports no currency');
  return currency;
}
