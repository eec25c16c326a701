import type { Module } from '../../../module.js';
import { notSentYet } from '../../core/webhooks/schemas.js';
import { UmaInvitation } from './schemas.js';

export const invitations: Module = {
  name: 'identity/invitations',
  events: { 'invitation-claimed': notSentYet(UmaInvitation) },
};
