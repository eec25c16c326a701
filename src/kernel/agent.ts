// What the policy of an agent may grant, and why an agent is refused.
import { ApiError } from './errors.js';

export const AGENT_PERMISSIONS = ['VIEW_TRANSACTIONS', 'CREATE_QUOTES', 'EXECUTE_QUOTES', 'MANAGE_EXTERNAL_ACCOUNTS'] as const;
export type AgentPermission = (typeof AGENT_PERMISSIONS)[number];

/** The `details.cause` of a 403 of an agent. */
const CAUSES = {
  AGENT_PAUSED: 'The agent is paused.',
  PERMISSION_MISSING: 'The policy of the agent lacks the permission for this operation.',
  ACCOUNT_NOT_ALLOWED: 'The policy of the agent does not allow this account.',
  PER_TRANSACTION_LIMIT_EXCEEDED: 'The amount is above the limit for one transaction.',
  DAILY_LIMIT_EXCEEDED: 'The amount is above what is left of the daily limit.',
  DAILY_TRANSACTION_LIMIT_EXCEEDED: 'The daily number of transactions is reached.',
  MONTHLY_LIMIT_EXCEEDED: 'The amount is above what is left of the monthly limit.',
} as const;
export type AgentRefusal = keyof typeof CAUSES;

export const agentForbidden = (cause: AgentRefusal): ApiError => new ApiError('FORBIDDEN', { cause }, { reason: CAUSES[cause] });

/** The answer to a token that is unknown, malformed, or of a deleted agent: the same bytes for all of them. */
export const accessTokenRefused = (): ApiError =>
  new ApiError(
    'UNAUTHORIZED',
    { cause: 'INVALID_CREDENTIALS' },
    { reason: 'The access token was not accepted.', headers: { 'www-authenticate': BEARER_CHALLENGE } },
  );

/** The value of WWW-Authenticate where an access token is asked for. */
export const BEARER_CHALLENGE = 'Bearer realm="switchyard"';

export type AgentRights = { readonly isPaused: boolean; readonly permissions: readonly AgentPermission[] };

/** A paused agent still reads; it starts nothing. */
export function refuseAgent({ isPaused, permissions }: AgentRights, needed: AgentPermission | undefined, startsWork: boolean): void {
  if (isPaused && startsWork) throw agentForbidden('AGENT_PAUSED');
  if (needed !== undefined && !permissions.includes(needed)) throw agentForbidden('PERMISSION_MISSING');
}
