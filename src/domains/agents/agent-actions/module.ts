import type { Module } from '../../../module.js';
import { notSentYet } from '../../core/webhooks/schemas.js';
import { AgentAction } from './schemas.js';

export const agentActions: Module = {
  name: 'agents/agent-actions',
  events: { 'agent-action': notSentYet(AgentAction) },
};
