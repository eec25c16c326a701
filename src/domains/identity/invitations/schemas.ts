// Wire schemas of invitations.
import Type from 'typebox';
import { CurrencyAmount, Enum, Timestamp } from '../../../http/schemas.js';

const text = Type.String();
const maybeText = Type.Optional(Type.String());
const maybeTime = Type.Optional(Timestamp());

export const UmaInvitation = Type.Object(
  {
    code: text,
    status: Enum(['PENDING', 'CLAIMED', 'EXPIRED', 'CANCELLED'], { title: 'UmaInvitationStatus' }),
    url: text,
    inviterUma: text,
    inviteeUma: maybeText,
    firstName: maybeText,
    amountToSend: Type.Optional(CurrencyAmount),
    createdAt: Timestamp(),
    claimedAt: maybeTime,
    expiresAt: maybeTime,
  },
  { title: 'UmaInvitation' },
);
