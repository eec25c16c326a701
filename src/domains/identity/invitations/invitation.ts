// An invitation: known by its code to every platform of the installation, changed by its claim, its cancellation and its expiry.
import type { CustomerId, Id, PlatformId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';

export type InvitationId = Id<'Invitation'>;

export const INVITATION_STATUSES = ['PENDING', 'CLAIMED', 'EXPIRED', 'CANCELLED'] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

/** What an end of an invitation leaves. */
export type InvitationOutcome =
  | { readonly status: 'PENDING' | 'EXPIRED' | 'CANCELLED' }
  | { readonly status: 'CLAIMED'; readonly inviteeUma: string; readonly claimedAt: Date };

export type Invitation = InvitationOutcome & {
  readonly id: InvitationId;
  /** The platform that created it. Its clock rules the invitation. */
  readonly platformId: PlatformId;
  readonly code: string;
  readonly customerId: CustomerId;
  readonly inviterUma: string;
  readonly firstName: string | null;
  /** For display. */
  readonly amountToSend: { readonly amount: bigint; readonly currency: CurrencyCode } | null;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
};
