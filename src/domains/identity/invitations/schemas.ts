// Wire schemas of invitations.
import Type, { type Static } from 'typebox';
import { Closed, CurrencyAmount, Enum, Timestamp } from '../../../http/schemas.js';
import { renderMoney } from '../../../kernel/money.js';
import { timestamp } from '../../../kernel/time.js';
import { INVITATION_STATUSES, type Invitation } from './invitation.js';

const uma = (description: string) => Type.String({ maxLength: 320, description, examples: ['$ada@platform.example'] });

export const UmaInvitationCreateRequest = Closed(
  {
    inviterUma: uma('UMA address of the customer who invites. The customer must be one of the calling platform.'),
    firstName: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'First name of the invitee, shown on the page of the invitation.' }),
    ),
    amountToSend: Type.Optional(
      Type.Integer({
        format: 'int64',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          "Amount that the inviter means to send, in the smallest unit of the first of the inviter's currencies. It is shown to the invitee; nothing is held or sent.",
      }),
    ),
    expiresAt: Type.Optional(
      Timestamp({ description: 'When the invitation can no longer be claimed, later than now. Without it the invitation never expires.' }),
    ),
  },
  { title: 'UmaInvitationCreateRequest' },
);

export const UmaInvitationClaimRequest = Closed(
  { inviteeUma: uma('UMA address of the new customer. The customer must be one of the calling platform.') },
  { title: 'UmaInvitationClaimRequest' },
);

export const UmaInvitation = Type.Object(
  {
    code: Type.String({ description: 'Code by which every platform of the installation finds the invitation. Its case does not matter.' }),
    status: Enum(INVITATION_STATUSES, { title: 'UmaInvitationStatus' }),
    url: Type.String({ description: 'Address of the public page of the invitation.' }),
    inviterUma: Type.String({ description: 'UMA address of the customer who invited.' }),
    inviteeUma: Type.Optional(Type.String({ description: 'UMA address of the customer who claimed the invitation.' })),
    firstName: Type.Optional(Type.String({ description: 'First name of the invitee, as given at the creation.' })),
    amountToSend: Type.Optional(CurrencyAmount),
    createdAt: Timestamp({ description: 'When the invitation was created.' }),
    claimedAt: Type.Optional(Timestamp({ description: 'When the invitation was claimed.' })),
    expiresAt: Type.Optional(Timestamp({ description: 'When the invitation can no longer be claimed. Absent: never.' })),
  },
  { title: 'UmaInvitation' },
);

export type InvitationDraft = {
  readonly inviterUma: string;
  readonly firstName: string | null;
  readonly amount: bigint | null;
  readonly expiresAt: Date | null;
};

export const parseDraft = ({
  inviterUma,
  firstName,
  amountToSend,
  expiresAt,
}: Static<typeof UmaInvitationCreateRequest>): InvitationDraft => ({
  inviterUma,
  firstName: firstName ?? null,
  amount: amountToSend === undefined ? null : BigInt(amountToSend),
  expiresAt: expiresAt === undefined ? null : timestamp(expiresAt),
});

/** Where the page of an invitation is. */
export type PageUrl = (code: string) => string;

export const renderInvitation = (invitation: Invitation, pageUrl: PageUrl) => ({
  code: invitation.code,
  status: invitation.status,
  url: pageUrl(invitation.code),
  inviterUma: invitation.inviterUma,
  ...(invitation.status === 'CLAIMED' && { inviteeUma: invitation.inviteeUma, claimedAt: invitation.claimedAt.toISOString() }),
  ...(invitation.firstName !== null && { firstName: invitation.firstName }),
  ...(invitation.amountToSend && { amountToSend: renderMoney(invitation.amountToSend.amount, invitation.amountToSend.currency) }),
  createdAt: invitation.createdAt.toISOString(),
  ...(invitation.expiresAt && { expiresAt: invitation.expiresAt.toISOString() }),
});
