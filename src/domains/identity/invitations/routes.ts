// Invitations, and the public page of each.
import Type from 'typebox';
import type { Db } from '../../../db/pool.js';
import { created, type Operation, ok, operation } from '../../../http/operation.js';
import type { Mode } from '../../core/platform/platform.js';
import { cancelInvitation, claimInvitation, createInvitation, getInvitation, readInvitation } from './actions.js';
import { invitationPage, unknownInvitationPage } from './page.js';
import {
  type PageUrl,
  parseDraft,
  renderInvitation,
  UmaInvitation,
  UmaInvitationClaimRequest,
  UmaInvitationCreateRequest,
} from './schemas.js';

const tag = 'Invitations';

export type InvitationDeps = { readonly db: Db; readonly mode: Mode; readonly pageUrl: PageUrl };

export const invitationRoutes = ({ db, mode, pageUrl }: InvitationDeps): Operation[] => [
  operation({
    id: 'createInvitation',
    method: 'POST',
    path: '/invitations',
    tag,
    summary: 'Invite somebody who has no UMA address yet',
    description:
      'Creates an invitation of one of your customers. Send its `url` to the invitee; whoever opens an account with it claims the invitation by its `code`. `amountToSend` is shown to the invitee and moves no money.',
    permission: 'MANAGE',
    body: UmaInvitationCreateRequest,
    success: { 201: UmaInvitation },
    errors: ['INVALID_UMA_ADDRESS', 'INVITATIONS_NOT_CONFIGURED'],
    write: async (tx, { platformId, now, body }) =>
      created(renderInvitation(await createInvitation(tx, { platformId, draft: parseDraft(body), now }), pageUrl)),
  }),
  operation({
    id: 'getInvitation',
    method: 'GET',
    path: '/invitations/{invitationCode}',
    tag,
    summary: 'Get an invitation by its code',
    description:
      'Every platform of the installation can read an invitation whose code it knows. An invitation past its `expiresAt` is `EXPIRED`, by the clock of the platform that created it.',
    permission: 'VIEW',
    success: { 200: UmaInvitation },
    errors: ['INVITATION_NOT_FOUND'],
    handle: async ({ params: { invitationCode } }) => ok(renderInvitation(await getInvitation(db, mode, invitationCode), pageUrl)),
  }),
  operation({
    id: 'claimInvitation',
    method: 'POST',
    path: '/invitations/{invitationCode}/claim',
    tag,
    summary: 'Claim an invitation for one of your customers',
    description:
      'Tells the inviter the UMA address of the invitee, a customer of the calling platform. The platform that created the invitation receives the event `INVITATION.CLAIMED`. An invitation is claimed once.',
    permission: 'MANAGE',
    body: UmaInvitationClaimRequest,
    success: { 200: UmaInvitation },
    errors: ['INVITATION_NOT_FOUND', 'INVALID_UMA_ADDRESS', 'INVITATION_ALREADY_CLAIMED', 'INVITATION_CANCELLED', 'SELF_PAYMENT'],
    write: async (tx, { platformId, params: { invitationCode: code }, body: { inviteeUma } }) =>
      ok(renderInvitation(await claimInvitation(tx, { mode, pageUrl }, { platformId, code, inviteeUma }), pageUrl)),
  }),
  operation({
    id: 'cancelInvitation',
    method: 'POST',
    path: '/invitations/{invitationCode}/cancel',
    tag,
    summary: 'Cancel an invitation that nobody has claimed',
    description: 'Only the platform that created the invitation can cancel it. The page of a cancelled invitation says so.',
    permission: 'MANAGE',
    success: { 200: UmaInvitation },
    errors: ['INVITATION_NOT_FOUND', 'INVITATION_ALREADY_CLAIMED', 'INVITATION_CANCELLED'],
    write: async (tx, { platformId, params: { invitationCode: code } }) =>
      ok(renderInvitation(await cancelInvitation(tx, mode, { platformId, code }), pageUrl)),
  }),
  operation({
    id: 'getInvitationPage',
    method: 'GET',
    path: '/i/{code}',
    tag,
    summary: 'The public page of an invitation, for the browser of the invitee',
    permission: 'PUBLIC',
    page: true,
    success: { 200: Type.String(), 404: Type.String() },
    produces: ['text/html'],
    handle: async ({ params: { code } }) => {
      const invitation = await readInvitation(db, mode, code);
      const { html, headers } = invitation ? invitationPage(invitation) : unknownInvitationPage();
      return { status: invitation ? 200 : 404, headers, text: html };
    },
  }),
];
