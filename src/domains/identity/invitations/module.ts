import { movesByEvent } from '../../../kernel/lifecycle.js';
import { listen, type Module } from '../../../module.js';
import { customerDeleted } from '../customers/hooks.js';
import { invitationJobs } from './jobs.js';
import { invitationRoutes } from './routes.js';
import { INVITATION_MOVES } from './rules.js';
import { UmaInvitation } from './schemas.js';
import { cancelInvitationsOf } from './store.js';

export const invitations: Module = {
  name: 'identity/invitations',
  tables: ['invitations'],
  listeners: [
    listen(
      customerDeleted,
      () =>
        (tx, platformId, { id }, now) =>
          cancelInvitationsOf(tx, platformId, id, now),
    ),
  ],
  transitions: { UmaInvitationStatus: movesByEvent(INVITATION_MOVES) },
  events: { 'invitation-claimed': UmaInvitation },
  create: ({ db, config, url }) => ({
    operations: invitationRoutes({ db, mode: config.mode, pageUrl: (code) => `${url()}/i/${code}` }),
    jobs: invitationJobs(),
  }),
};
