// Quotes and actions of agents, and the platform's approvals.
import type { Db } from '../../../db/pool.js';
import { commitThenRefuse, created, type Operation, ok, operation } from '../../../http/operation.js';
import { signatureIn } from '../../../http/signed-call.js';
import { ApiError } from '../../../kernel/errors.js';
import { type PlatformId, parseId } from '../../../kernel/ids.js';
import { decodeCursor, type Page, renderPage, UUID_KEY } from '../../../kernel/page.js';
import { timestamp } from '../../../kernel/time.js';
import type { QuoteDeps } from '../../payments/quotes/actions.js';
import {
  CREATE_QUOTE_ERRORS,
  EXECUTE_QUOTE_ERRORS,
  OWNER_STAMP,
  parseQuoteRequest,
  paysOverUma,
  QuoteRequestSchema,
  QuoteSchema,
  refuseUnkeyedDocuments,
  renderQuote,
} from '../../payments/quotes/schemas.js';
import {
  agreeBeforeForAgent,
  approveAction,
  createQuoteForAgent,
  executeForAgent,
  readQuoteOfAgent,
  rejectPendingAction,
  showActions,
} from './actions.js';
import type { AgentAction } from './agent-action.js';
import {
  ActionQuery,
  AgentActionListResponse,
  AgentActionRejectRequest,
  AgentActionSchema,
  ApprovalQuery,
  renderAction,
} from './schemas.js';
import { getAction, listActionsOf, listApprovals } from './store.js';

export type ActionRouteDeps = QuoteDeps & {
  readonly db: Db;
  /** Names of the header with the owner's stamp, in lower case. */
  readonly signatureHeaders: readonly string[];
};

const MANAGEMENT = 'Agent Management';
const OPERATIONS = 'Agent Operations';

const actionIds = (params: { readonly agentId: string; readonly actionId: string }) => ({
  agentId: parseId('Agent', params.agentId),
  actionId: parseId('AgentAction', params.actionId),
});

async function pageOfActions(deps: ActionRouteDeps, platformId: PlatformId, { items, ...rest }: Page<AgentAction>, now: Date) {
  const shown = await showActions(deps, deps.db, platformId, items, now);
  return renderPage({ ...rest, items: shown }, (action) => renderAction(platformId, action));
}

export const actionRoutes = (deps: ActionRouteDeps): Operation[] => [...approvalsOf(deps), ...quotesOf(deps), ...actionsOf(deps)];

const approvalsOf = (deps: ActionRouteDeps): Operation[] => [
  operation({
    id: 'listAgentApprovals',
    method: 'GET',
    path: '/agents/approvals',
    tag: MANAGEMENT,
    summary: 'List actions that needed approval',
    description:
      'Lists every action of an agent that was put up for approval, decided or not. The status tells them apart. ' +
      'Actions of deleted agents stay in the list; actions that the policy let through are never in it.',
    permission: 'VIEW',
    query: ApprovalQuery,
    success: { 200: AgentActionListResponse },
    handle: async ({ platformId, query: { limit = 20, cursor, sortOrder = 'desc', ...query }, now }) => {
      const scope = ['listAgentApprovals', platformId, sortOrder, query];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      const filter = {
        agentId: query.agentId === undefined ? undefined : (parseId('Agent', query.agentId) ?? null),
        customerId: query.customerId === undefined ? undefined : (parseId('Customer', query.customerId) ?? null),
        from: query.startDate === undefined ? undefined : timestamp(query.startDate),
        to: query.endDate === undefined ? undefined : timestamp(query.endDate),
      };
      return ok(
        await pageOfActions(deps, platformId, await listApprovals(deps.db, platformId, filter, { limit, after }, sortOrder, scope), now),
      );
    },
  }),
  operation({
    id: 'approveAgentAction',
    method: 'POST',
    path: '/agents/{agentId}/actions/{actionId}/approve',
    tag: MANAGEMENT,
    summary: 'Approve an action',
    description:
      'Judges the action again, by the policy, the limits and the balances of this moment, and executes its quote. ' +
      'If anything refuses it now, the action is `FAILED`, the answer is still 200, and no money moves.',
    permission: 'TRANSACT',
    success: { 200: AgentActionSchema },
    errors: ['NOT_FOUND', 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL'],
    write: async (tx, { platformId, params, now }) =>
      ok(renderAction(platformId, await approveAction(deps, tx, { platformId, ...actionIds(params), now }))),
  }),
  operation({
    id: 'rejectAgentAction',
    method: 'POST',
    path: '/agents/{agentId}/actions/{actionId}/reject',
    tag: MANAGEMENT,
    summary: 'Reject an action',
    description: 'Rejects an action that waits for approval. Its quote is left to expire, and the agent cannot submit it again.',
    permission: 'TRANSACT',
    body: AgentActionRejectRequest,
    bodyOptional: true,
    success: { 200: AgentActionSchema },
    errors: ['NOT_FOUND', 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL'],
    write: async (tx, { platformId, params, body, now }) =>
      ok(renderAction(platformId, await rejectPendingAction(deps, tx, { platformId, ...actionIds(params), now }, body?.reason))),
  }),
];

const quotesOf = (deps: ActionRouteDeps): Operation[] => [
  operation({
    id: 'agentCreateQuote',
    method: 'POST',
    path: '/agents/me/quotes',
    tag: OPERATIONS,
    summary: 'Price a payment',
    description:
      "Prices a payment from an account of the agent's customer, as `POST /quotes` does for the platform. Accounts at both ends must be " +
      "the customer's; the policy must allow the source, and a destination that is an internal account. Limits are judged when the quote is executed. `immediatelyExecute` and realtime funding are refused.",
    permission: 'AGENT',
    agentPermission: 'CREATE_QUOTES',
    idempotency: 'optional',
    body: QuoteRequestSchema,
    success: { 201: QuoteSchema },
    errors: CREATE_QUOTE_ERRORS,
    write: async (tx, { platformId, caller, headers, body, now }) => {
      refuseUnkeyedDocuments(body, headers);
      const { agentId, customerId } = caller;
      const request = parseQuoteRequest(body);
      return created(
        renderQuote(await createQuoteForAgent(deps, tx, { platformId, agentId, customerId, request, factor: body.scaFactor, now })),
      );
    },
    callsOut: ({ body }) => paysOverUma(body),
    begin: async ({ platformId, caller: { agentId, customerId }, headers, body, now }) => {
      refuseUnkeyedDocuments(body, headers);
      const creation = { platformId, agentId, customerId, request: parseQuoteRequest(body), factor: body.scaFactor, now };
      const agreed = await agreeBeforeForAgent(deps, creation);
      return async (tx) => created(renderQuote(await createQuoteForAgent(deps, tx, { ...creation, agreed })));
    },
  }),
  operation({
    id: 'agentGetQuote',
    method: 'GET',
    path: '/agents/me/quotes/{quoteId}',
    tag: OPERATIONS,
    summary: 'Get a quote',
    description: 'Shows a quote that this agent created. It needs no permission.',
    permission: 'AGENT',
    success: { 200: QuoteSchema },
    errors: ['QUOTE_NOT_FOUND'],
    handle: async ({ platformId, caller, params, now }) => {
      const { quote, challenge } = await readQuoteOfAgent(deps, deps.db, platformId, caller.agentId, parseId('Quote', params.quoteId), now);
      return ok(renderQuote(quote, challenge));
    },
  }),
  operation({
    id: 'agentExecuteQuote',
    method: 'POST',
    path: '/agents/me/quotes/{quoteId}/execute',
    tag: OPERATIONS,
    summary: 'Execute a quote',
    description:
      'Submits a quote of this agent, once. Within the policy it is executed at once and the action is `APPROVED`. Where the policy asks for ' +
      'approval the action is `PENDING_APPROVAL` and nothing moves until the platform decides. A refusal leaves no action.',
    permission: 'AGENT',
    agentPermission: 'EXECUTE_QUOTES',
    idempotency: 'optional',
    success: { 200: AgentActionSchema },
    errors: EXECUTE_QUOTE_ERRORS,
    headerParameters: [OWNER_STAMP],
    write: async (tx, { platformId, caller, params, headers, now }) => {
      const done = await executeForAgent(deps, tx, {
        platformId,
        agentId: caller.agentId,
        customerId: caller.customerId,
        quoteId: parseId('Quote', params.quoteId),
        signature: signatureIn(headers, deps.signatureHeaders),
        now,
      });
      return 'refusal' in done ? commitThenRefuse(done.refusal) : ok(renderAction(platformId, done));
    },
  }),
];

const actionsOf = (deps: ActionRouteDeps): Operation[] => [
  operation({
    id: 'agentListActions',
    method: 'GET',
    path: '/agents/me/actions',
    tag: OPERATIONS,
    summary: 'List actions',
    description: 'Lists the actions of this agent, newest first, those that the policy let through included. It needs no permission.',
    permission: 'AGENT',
    query: ActionQuery,
    success: { 200: AgentActionListResponse },
    handle: async ({ platformId, caller: { agentId }, query: { limit = 20, cursor, status }, now }) => {
      const scope = ['agentListActions', platformId, agentId, status];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      const page = await listActionsOf(deps.db, platformId, agentId, status, now, { limit, after }, scope);
      return ok(await pageOfActions(deps, platformId, page, now));
    },
  }),
  operation({
    id: 'agentGetAction',
    method: 'GET',
    path: '/agents/me/actions/{actionId}',
    tag: OPERATIONS,
    summary: 'Get an action',
    description: 'Shows an action of this agent with its quote, and its transaction once the execution has begun. It needs no permission.',
    permission: 'AGENT',
    success: { 200: AgentActionSchema },
    errors: ['NOT_FOUND'],
    handle: async ({ platformId, caller, params, now }) => {
      const action = await getAction(deps.db, platformId, caller.agentId, parseId('AgentAction', params.actionId));
      const [shown] = await showActions(deps, deps.db, platformId, [action], now);
      if (!shown) throw new ApiError('NOT_FOUND');
      return ok(renderAction(platformId, shown));
    },
  }),
];
