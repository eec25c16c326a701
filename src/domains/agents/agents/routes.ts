// Agent Management: agents, policies and pairing.
import { createdSealed, noContent, type Operation, ok, operation } from '../../../http/operation.js';
import type { Hooks } from '../../../kernel/hook.js';
import { parseId } from '../../../kernel/ids.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
import type { RateProvider } from '../../../providers/rates.js';
import { createAgent, deleteAgent, updateAgent, updatePolicy } from './actions.js';
import { type RedeemDeps, readCodeStatus, redeemCode, regenerateCode } from './pairing.js';
import {
  AgentCreateRequest,
  AgentCreateResponse,
  AgentDeviceCode,
  AgentDeviceCodeRedeemResponse,
  AgentDeviceCodeStatusResponse,
  AgentListResponse,
  AgentPolicyUpdateRequest,
  AgentQuery,
  AgentSchema,
  AgentUpdateRequest,
  renderAgent,
  renderCode,
} from './schemas.js';
import { getAgent, getCaller, listAgents } from './store.js';

const TAG = 'Agent Management';

const agentId = (params: { readonly agentId: string }) => parseId('Agent', params.agentId);

export type AgentRouteDeps = RedeemDeps & { readonly rates: RateProvider; readonly hooks: Hooks };

export const agentRoutes = (deps: AgentRouteDeps): Operation[] => [...managementOf(deps), ...pairingOf(deps), ownOperation(deps)];

const managementOf = (deps: AgentRouteDeps): Operation[] => [
  operation({
    id: 'createAgent',
    method: 'POST',
    path: '/agents',
    tag: TAG,
    summary: 'Create an agent',
    description:
      'Creates an agent that acts for one customer within a policy, and the device code that pairs it. ' +
      'The code is shown in this answer only; the agent redeems it for its access token within 24 hours.',
    permission: 'MANAGE',
    idempotency: 'optional',
    body: AgentCreateRequest,
    success: { 201: AgentCreateResponse },
    write: async (tx, { platformId, body, now }) => {
      const { agent, code } = await createAgent(deps, tx, platformId, body, now);
      return createdSealed({ agent: renderAgent(agent, now), deviceCode: renderCode(code) });
    },
  }),
  operation({
    id: 'listAgents',
    method: 'GET',
    path: '/agents',
    tag: TAG,
    summary: 'List agents',
    description: 'Lists the agents of the platform, newest first. Deleted agents are left out.',
    permission: 'VIEW',
    query: AgentQuery,
    success: { 200: AgentListResponse },
    handle: async ({ platformId, query: { limit = 20, cursor, ...filter }, now }) => {
      const scope = ['listAgents', platformId, filter];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      const customerId = filter.customerId === undefined ? undefined : (parseId('Customer', filter.customerId) ?? null);
      const page = await listAgents(deps.db, platformId, { ...filter, customerId }, { limit, after }, scope);
      return ok(renderPage(page, (agent) => renderAgent(agent, now)));
    },
  }),
  operation({
    id: 'getAgentById',
    method: 'GET',
    path: '/agents/{agentId}',
    tag: TAG,
    summary: 'Get an agent',
    description: 'Shows an agent with its policy and what it has spent today and this month.',
    permission: 'VIEW',
    success: { 200: AgentSchema },
    errors: ['NOT_FOUND'],
    handle: async ({ platformId, params, now }) => ok(renderAgent(await getAgent(deps.db, platformId, agentId(params)), now)),
  }),
  operation({
    id: 'updateAgent',
    method: 'PATCH',
    path: '/agents/{agentId}',
    tag: TAG,
    summary: 'Rename, pause or resume an agent',
    description:
      'Changes the name, or pauses and resumes the agent. A paused agent can still read. What waits for approval stays pending, and an ' +
      'approval while the agent is paused fails the action.',
    permission: 'MANAGE',
    body: AgentUpdateRequest,
    success: { 200: AgentSchema },
    errors: ['NOT_FOUND'],
    write: async (tx, { platformId, params, body, now }) =>
      ok(renderAgent(await updateAgent(tx, platformId, agentId(params), body, now), now)),
  }),
  operation({
    id: 'updateAgentPolicy',
    method: 'PATCH',
    path: '/agents/{agentId}/policy',
    tag: TAG,
    summary: "Change an agent's policy",
    description:
      'Merges the given fields into the policy; a given list replaces the stored one. The change governs every decision that begins after ' +
      'it. A new `spendingLimits.currency` converts the amounts that are not given in the same request, and what was already spent.',
    permission: 'MANAGE',
    body: AgentPolicyUpdateRequest,
    success: { 200: AgentSchema },
    errors: ['NOT_FOUND', 'QUOTE_RATE_UNAVAILABLE', 'NOT_IMPLEMENTED'],
    write: async (tx, { platformId, params, body, now }) =>
      ok(renderAgent(await updatePolicy(deps, tx, platformId, agentId(params), body, now), now)),
  }),
  operation({
    id: 'deleteAgent',
    method: 'DELETE',
    path: '/agents/{agentId}',
    tag: TAG,
    summary: 'Delete an agent',
    description:
      'Deletes the agent for good. Its access token and device codes stop working at once, and actions that wait for approval are rejected. ' +
      'Its transactions and actions stay.',
    permission: 'MANAGE',
    success: { 204: null },
    errors: ['NOT_FOUND'],
    write: async (tx, { platformId, params, now }) => {
      await deleteAgent(deps, tx, platformId, agentId(params), now);
      return noContent();
    },
  }),
];

const pairingOf = (deps: AgentRouteDeps): Operation[] => [
  operation({
    id: 'regenerateAgentDeviceCode',
    method: 'POST',
    path: '/agents/{agentId}/device-codes',
    tag: TAG,
    summary: 'Make a new device code',
    command: 'agents device-codes create',
    description:
      'Makes a new device code for an agent that is not connected yet. Earlier codes of the agent can no longer be redeemed. ' +
      'A connected agent keeps its token: delete the agent if the token is lost.',
    permission: 'MANAGE',
    idempotency: 'optional',
    success: { 201: AgentDeviceCode },
    errors: ['NOT_FOUND', 'CONFLICT'],
    write: async (tx, { platformId, params, now }) =>
      createdSealed(renderCode(await regenerateCode(deps, tx, platformId, agentId(params), now))),
  }),
  operation({
    id: 'getAgentDeviceCodeStatus',
    method: 'GET',
    path: '/agents/device-codes/{code}/status',
    tag: TAG,
    summary: 'Show whether a device code was redeemed',
    command: 'agents device-codes status',
    description: 'Shows whether the agent has redeemed the code. The code is read in upper or lower case.',
    permission: 'VIEW',
    success: { 200: AgentDeviceCodeStatusResponse },
    errors: ['NOT_FOUND'],
    handle: async ({ platformId, params }) => {
      const { code, state } = await readCodeStatus(deps, deps.db, platformId, params.code);
      return ok({ code, redeemed: state === 'REDEEMED' });
    },
  }),
  operation({
    id: 'redeemAgentDeviceCode',
    method: 'POST',
    path: '/agents/device-codes/{code}/redeem',
    tag: TAG,
    summary: 'Redeem a device code for an access token',
    description:
      'Called by the agent, without credentials. The first call gets the access token, which is shown this once. ' +
      'An address that tries more than 20 unknown codes in a minute is refused until the minute is over.',
    permission: 'PUBLIC',
    success: { 200: AgentDeviceCodeRedeemResponse },
    errors: ['NOT_FOUND', 'RATE_LIMITED'],
    handle: async ({ params, address }) => {
      const { agent, accessToken } = await redeemCode(deps, params.code, address);
      return ok({ agentId: agent.id, agentName: agent.name, accessToken, policy: agent.policy });
    },
  }),
];

const ownOperation = ({ db }: AgentRouteDeps): Operation =>
  operation({
    id: 'getAgentMe',
    method: 'GET',
    path: '/agents/me',
    tag: 'Agent Operations',
    summary: 'Show the calling agent',
    description: 'Shows the agent whose access token is used, with its policy and what it has spent. It needs no permission.',
    permission: 'AGENT',
    success: { 200: AgentSchema },
    handle: async ({ platformId, caller, now }) => ok(renderAgent(await getCaller(db, platformId, caller.agentId), now)),
  });
