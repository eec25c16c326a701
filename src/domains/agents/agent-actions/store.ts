// All SQL of agents' actions.
import { countMatches } from '../../../db/count.js';
import type { PlatformCondition } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { allOf, isExactly, type Sql, sql } from '../../../db/sql.js';
import { ApiError } from '../../../kernel/errors.js';
import { type AgentId, type CustomerId, idOf, type PlatformId, type TransactionId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type { QuoteId } from '../../payments/quotes/quote.js';
import type { ActionId, ActionStatus, AgentAction } from './agent-action.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type ActionRow = {
  id: string;
  agent_id: string;
  customer_id: string;
  platform_customer_id: string;
  quote_id: string;
  payment_id: string;
  status: ActionStatus;
  needed_approval: boolean;
  started: boolean;
  undecided: boolean;
  rejection_reason: string | null;
  counted_amount: bigint;
  counted_currency: string;
  expires_at: Date;
  created_at: Date;
  updated_at: Date;
};

const toAction = (row: ActionRow): AgentAction => ({
  id: idOf('AgentAction', row.id),
  agentId: idOf('Agent', row.agent_id),
  customerId: idOf('Customer', row.customer_id),
  platformCustomerId: row.platform_customer_id,
  quoteId: idOf('Quote', row.quote_id),
  paymentId: idOf('Transaction', row.payment_id),
  status: row.status,
  neededApproval: row.needed_approval,
  started: row.started,
  undecided: row.undecided,
  rejectionReason: row.rejection_reason,
  counted: { amount: row.counted_amount, currency: row.counted_currency },
  expiresAt: row.expires_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const found = (row: ActionRow | undefined): AgentAction => {
  if (!row) throw new ApiError('NOT_FOUND');
  return toAction(row);
};

const isOf = (platformId: PlatformId): Sql => sql`platform_id = ${uuidOf(platformId)}`;

const byId = (platformId: PlatformId, agentId: AgentId, id: ActionId): Sql =>
  sql`select * from agent_actions where ${isOf(platformId)} and id = ${uuidOf(id)} and agent_id = ${uuidOf(agentId)}`;

/** The action of the agent, or 404. A malformed id (undefined) answers like an unknown one. */
export const getAction = async (
  tx: Reader,
  platformId: PlatformId,
  agentId: AgentId | undefined,
  id: ActionId | undefined,
): Promise<AgentAction> => found(agentId && id && (await tx.one<ActionRow>(byId(platformId, agentId, id))));

/** As `getAction`, locked for a decision. The agent is locked. */
export const lockAction = async (tx: Tx, platformId: PlatformId, agentId: AgentId, id: ActionId): Promise<AgentAction> =>
  found(await tx.one<ActionRow>(sql`${byId(platformId, agentId, id)} for no key update`));

export async function findActionOfQuote(tx: Reader, platformId: PlatformId, quoteId: QuoteId): Promise<AgentAction | undefined> {
  const row = await tx.one<ActionRow>(sql`select * from agent_actions where ${isOf(platformId)} and quote_id = ${uuidOf(quoteId)}`);
  return row && toAction(row);
}

export async function findActionOfPayment(tx: Reader, platformId: PlatformId, paymentId: TransactionId): Promise<AgentAction | undefined> {
  const row = await tx.one<ActionRow>(sql`select * from agent_actions where ${isOf(platformId)} and payment_id = ${uuidOf(paymentId)}`);
  return row && toAction(row);
}

export function insertAction(tx: Tx, platformId: PlatformId, action: AgentAction): void {
  tx.send(sql`
    insert into agent_actions (platform_id, id, agent_id, customer_id, platform_customer_id, quote_id, payment_id, status, needed_approval, started,
      undecided, rejection_reason, counted_amount, counted_currency, expires_at, created_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(action.id)}, ${uuidOf(action.agentId)}, ${uuidOf(action.customerId)}, ${action.platformCustomerId},
      ${uuidOf(action.quoteId)}, ${uuidOf(action.paymentId)}, ${action.status}, ${action.neededApproval}, ${action.started}, ${action.undecided},
      ${action.rejectionReason}, ${action.counted.amount}, ${action.counted.currency}, ${action.expiresAt}, ${action.createdAt}, ${action.updatedAt})`);
}

/** Writes the columns that may change. */
export function saveAction(tx: Tx, platformId: PlatformId, action: AgentAction): void {
  tx.send(sql`
    update agent_actions set status = ${action.status}, started = ${action.started}, undecided = ${action.undecided},
      rejection_reason = ${action.rejectionReason}, counted_amount = ${action.counted.amount}, counted_currency = ${action.counted.currency},
      updated_at = ${action.updatedAt}
    where ${isOf(platformId)} and id = ${uuidOf(action.id)}`);
}

/** Rejects what still waits. What has expired is left to the job. The agents are locked. */
export function rejectPending(tx: Tx, platformId: PlatformId, agentIds: readonly AgentId[], reason: string, now: Date): void {
  tx.send(sql`
    update agent_actions set status = 'REJECTED', rejection_reason = ${reason}, updated_at = ${now}
    where ${isOf(platformId)} and agent_id = any(${agentIds.map(uuidOf)}::uuid[])
      and ${isExactly(sql`status`, 'PENDING_APPROVAL')} and expires_at > ${now}`);
}

/** The transaction of an approved action has failed. Its row is locked. */
export function failStarted(tx: Tx, platformId: PlatformId, paymentId: TransactionId, now: Date): void {
  tx.send(sql`
    update agent_actions set status = 'FAILED', updated_at = ${now}
    where ${isOf(platformId)} and payment_id = ${uuidOf(paymentId)} and status = 'APPROVED'`);
}

// ---- lists

export type ApprovalFilter = {
  /** Null for a text that names none. */
  readonly agentId: AgentId | null | undefined;
  readonly customerId: CustomerId | null | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
};

type SortOrder = 'asc' | 'desc';

async function listActions(
  tx: Reader,
  where: Sql,
  { limit, after }: PageRequest<string>,
  order: SortOrder,
  scope: unknown,
): Promise<Page<AgentAction>> {
  const beyond = after !== undefined && (order === 'asc' ? sql`id > ${after}` : sql`id < ${after}`);
  const [rows, totalCount] = await Promise.all([
    tx.many<ActionRow>(sql`
      select * from agent_actions where ${allOf(where, beyond)} order by ${order === 'asc' ? sql`id` : sql`id desc`} limit ${limit + 1}`),
    countMatches(tx, sql`agent_actions where ${where}`),
  ]);
  return pageOf(rows.map(toAction), limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

/** Every action that was put up for approval, decided or not. */
export async function listApprovals(
  tx: Reader,
  platformId: PlatformId,
  { agentId, customerId, from, to }: ApprovalFilter,
  page: PageRequest<string>,
  order: SortOrder,
  scope: unknown,
): Promise<Page<AgentAction>> {
  if (agentId === null || customerId === null) return { items: [], totalCount: 0 };
  const where = allOf(
    sql`${isOf(platformId)} and needed_approval`,
    agentId !== undefined && sql`agent_id = ${uuidOf(agentId)}`,
    customerId !== undefined && sql`customer_id = ${uuidOf(customerId)}`,
    from !== undefined && sql`created_at >= ${from}`,
    to !== undefined && sql`created_at <= ${to}`,
  );
  return listActions(tx, where, page, order, scope);
}

/** The actions of one agent. What has expired undecided counts as failed, whether or not the job has run. */
export function listActionsOf(
  tx: Reader,
  platformId: PlatformId,
  agentId: AgentId,
  status: ActionStatus | undefined,
  now: Date,
  page: PageRequest<string>,
  scope: unknown,
): Promise<Page<AgentAction>> {
  const where = allOf(sql`${isOf(platformId)} and agent_id = ${uuidOf(agentId)}`, status !== undefined && hasStatus(status, now));
  return listActions(tx, where, page, 'desc', scope);
}

function hasStatus(status: ActionStatus, now: Date): Sql {
  if (status === 'PENDING_APPROVAL') return sql`status = 'PENDING_APPROVAL' and expires_at > ${now}`;
  if (status === 'FAILED') return sql`status in ('FAILED', 'PENDING_APPROVAL') and (status = 'FAILED' or expires_at <= ${now})`;
  return sql`status = ${status}`;
}

// ---- expiry

export const firstUndecided = (condition: PlatformCondition): Sql => sql`
  select platform_id, expires_at as at from agent_actions
  where ${condition(sql`platform_id`)} and status = 'PENDING_APPROVAL' order by platform_id, expires_at limit 1`;

/** Fails actions that nobody decided before their quotes expired, some at a time; returns how many. */
export const failUndecided = (tx: Tx, platformId: PlatformId, now: Date, limit: number): Promise<number> =>
  tx.run(sql`
    update agent_actions set status = 'FAILED', undecided = true, updated_at = expires_at
    where ${isOf(platformId)} and id = any(array(
      select id from agent_actions where ${isOf(platformId)} and status = 'PENDING_APPROVAL' and expires_at <= ${now}
      order by expires_at limit ${limit} for no key update skip locked))`);
