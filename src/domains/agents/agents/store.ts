// All SQL of agents and device codes.
import { countMatches } from '../../../db/count.js';
import { platformTime } from '../../../db/platform-time.js';
import type { Db, Tx } from '../../../db/pool.js';
import { allOf, changedBetween, isUnset, type Sql, sql, type TimeFilter } from '../../../db/sql.js';
import { type AgentPermission, accessTokenRefused } from '../../../kernel/agent.js';
import { ApiError } from '../../../kernel/errors.js';
import { type AgentId, type CustomerId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type { Mode } from '../../core/platform/platform.js';
import type { Agent, DeviceCode, DeviceCodeState, PolicyForm, Usage } from './agent.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type AgentRow = {
  id: string;
  customer_id: string;
  name: string;
  is_paused: boolean;
  is_connected: boolean;
  policy: PolicyForm;
  usage_day: string | null;
  day_count: number;
  day_spend: bigint;
  month_spend: bigint;
  created_at: Date;
  updated_at: Date;
};

const COLUMNS = sql`id, customer_id, name, is_paused, token_hash is not null as is_connected, policy, usage_day, day_count, day_spend, month_spend,
  created_at, updated_at`;

const toAgent = (row: AgentRow): Agent => ({
  id: idOf('Agent', row.id),
  customerId: idOf('Customer', row.customer_id),
  name: row.name,
  isPaused: row.is_paused,
  isConnected: row.is_connected,
  policy: row.policy,
  usage: { day: row.usage_day, dayCount: row.day_count, daySpend: row.day_spend, monthSpend: row.month_spend },
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const byId = (platformId: PlatformId, id: AgentId): Sql =>
  sql`select ${COLUMNS} from agents where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} and ${isUnset(sql`deleted_at`)}`;

const found = (row: AgentRow | undefined): Agent => {
  if (!row) throw new ApiError('NOT_FOUND');
  return toAgent(row);
};

/** The agent, or 404. A malformed id (undefined) answers like an unknown one. */
export const getAgent = async (tx: Reader, platformId: PlatformId, id: AgentId | undefined): Promise<Agent> =>
  found(id && (await tx.one<AgentRow>(byId(platformId, id))));

/** As `getAgent`, locked for a decision. `no key update`: its actions and codes refer to it. */
export const lockAgent = async (tx: Tx, platformId: PlatformId, id: AgentId | undefined): Promise<Agent> =>
  found(id && (await tx.one<AgentRow>(sql`${byId(platformId, id)} for no key update`)));

/** The calling agent. One that was deleted since it was authenticated has no valid token any more. */
export async function getCaller(tx: Reader, platformId: PlatformId, id: AgentId): Promise<Agent> {
  const row = await tx.one<AgentRow>(byId(platformId, id));
  if (!row) throw accessTokenRefused();
  return toAgent(row);
}

/** As `getCaller`, locked for a decision. */
export async function lockCaller(tx: Tx, platformId: PlatformId, id: AgentId): Promise<Agent> {
  const row = await tx.one<AgentRow>(sql`${byId(platformId, id)} for no key update`);
  if (!row) throw accessTokenRefused();
  return toAgent(row);
}

export function insertAgent(tx: Tx, platformId: PlatformId, agent: Agent): void {
  tx.send(sql`
    insert into agents (platform_id, id, customer_id, name, is_paused, policy, usage_day, day_count, day_spend, month_spend, created_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(agent.id)}, ${uuidOf(agent.customerId)}, ${agent.name}, ${agent.isPaused}, ${JSON.stringify(agent.policy)},
      ${agent.usage.day}, ${agent.usage.dayCount}, ${agent.usage.daySpend}, ${agent.usage.monthSpend}, ${agent.createdAt}, ${agent.updatedAt})`);
}

/** Writes the columns that may change, but for the token. */
export function saveAgent(tx: Tx, platformId: PlatformId, agent: Agent): void {
  const { usage } = agent;
  tx.send(sql`
    update agents set name = ${agent.name}, is_paused = ${agent.isPaused}, policy = ${JSON.stringify(agent.policy)}, usage_day = ${usage.day},
      day_count = ${usage.dayCount}, day_spend = ${usage.daySpend}, month_spend = ${usage.monthSpend}, updated_at = ${agent.updatedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(agent.id)}`);
}

export function saveUsage(tx: Tx, platformId: PlatformId, id: AgentId, usage: Usage): void {
  tx.send(sql`
    update agents set usage_day = ${usage.day}, day_count = ${usage.dayCount}, day_spend = ${usage.daySpend}, month_spend = ${usage.monthSpend}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

export type AgentFilter = {
  readonly customerId?: string;
  readonly isPaused?: boolean;
  readonly isConnected?: boolean;
} & TimeFilter;

/** `customerId`: null for a text that names no customer. */
export async function listAgents(
  tx: Reader,
  platformId: PlatformId,
  filter: Omit<AgentFilter, 'customerId'> & { readonly customerId: CustomerId | null | undefined },
  { limit, after }: PageRequest<string>,
  scope: unknown,
): Promise<Page<Agent>> {
  if (filter.customerId === null) return { items: [], totalCount: 0 };
  const where = allOf(
    sql`platform_id = ${uuidOf(platformId)} and deleted_at is null`,
    filter.customerId !== undefined && sql`customer_id = ${uuidOf(filter.customerId)}`,
    filter.isPaused !== undefined && sql`is_paused = ${filter.isPaused}`,
    filter.isConnected !== undefined && sql`(token_hash is null) <> ${filter.isConnected}`,
    ...changedBetween(filter),
  );
  const [rows, totalCount] = await Promise.all([
    tx.many<AgentRow>(
      sql`select ${COLUMNS} from agents where ${allOf(where, after !== undefined && sql`id < ${after}`)} order by id desc limit ${limit + 1}`,
    ),
    countMatches(tx, sql`agents where ${where}`),
  ]);
  return pageOf(rows.map(toAgent), limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

// ---- deleting

/** The agents of a customer, locked in the order of their ids. */
export const lockAgentsOf = async (tx: Tx, platformId: PlatformId, customerId: CustomerId): Promise<AgentId[]> =>
  (
    await tx.many<{ id: string }>(sql`
      select id from agents where platform_id = ${uuidOf(platformId)} and customer_id = ${uuidOf(customerId)} and deleted_at is null
      order by id for no key update`)
  ).map(({ id }) => idOf('Agent', id));

/** The token and the codes of a deleted agent are dead. */
export function markDeleted(tx: Tx, platformId: PlatformId, ids: readonly AgentId[], now: Date): void {
  tx.send(sql`
    update agents set deleted_at = ${now}, updated_at = ${now}, token_hash = null
    where platform_id = ${uuidOf(platformId)} and id = any(${ids.map(uuidOf)}::uuid[])`);
}

// ---- access tokens

export type AgentCredential = {
  token_hash: Buffer;
  id: string;
  customer_id: string;
  is_paused: boolean;
  permissions: AgentPermission[];
  now: Date;
};

/** The agents of the platform with these tokens, with the platform's time. */
export const findAgentCredentials = (
  db: Pick<Db, 'many'>,
  mode: Mode,
  platformId: PlatformId,
  hashes: readonly Buffer[],
): Promise<AgentCredential[]> =>
  db.many<AgentCredential>(sql`
    select a.*, ${platformTime} as now
    from platforms p cross join unnest(${hashes}::bytea[]) k (token_hash)
    -- Without the limit the planner may read all agents of the platform.
    cross join lateral (
      select token_hash, id, customer_id, is_paused, policy -> 'permissions' as permissions from agents
      where platform_id = ${uuidOf(platformId)} and token_hash = k.token_hash limit 1) a
    where p.id = ${uuidOf(platformId)} and p.mode = ${mode}`);

export function saveToken(tx: Tx, platformId: PlatformId, id: AgentId, tokenHash: Buffer, now: Date): void {
  tx.send(sql`
    update agents set token_hash = ${tokenHash}, updated_at = ${now} where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

// ---- device codes

type CodeRow = { agent_id: string; state: DeviceCodeState; expires_at: Date };

const toCode = (row: CodeRow): DeviceCode => ({ agentId: idOf('Agent', row.agent_id), state: row.state, expiresAt: row.expires_at });

export function insertCode(tx: Tx, platformId: PlatformId, codeHash: Buffer, { agentId, state, expiresAt }: DeviceCode, now: Date): void {
  tx.send(sql`
    insert into agent_device_codes (platform_id, code_hash, agent_id, state, expires_at, created_at)
    values (${uuidOf(platformId)}, ${codeHash}, ${uuidOf(agentId)}, ${state}, ${expiresAt}, ${now})`);
}

/** Only the newest code of an agent can be redeemed. The agent is locked. */
export function replaceCodes(tx: Tx, platformId: PlatformId, agentId: AgentId): void {
  tx.send(sql`
    update agent_device_codes set state = 'REPLACED'
    where platform_id = ${uuidOf(platformId)} and agent_id = ${uuidOf(agentId)} and state = 'OPEN'`);
}

export function markRedeemed(tx: Tx, platformId: PlatformId, codeHash: Buffer): void {
  tx.send(sql`update agent_device_codes set state = 'REDEEMED' where platform_id = ${uuidOf(platformId)} and code_hash = ${codeHash}`);
}

/** The time of a platform of this mode. */
export async function findPlatformTime(db: Reader, mode: Mode, platformId: PlatformId): Promise<Date | undefined> {
  const row = await db.one<{ now: Date }>(sql`
    select ${platformTime} as now from platforms p where p.id = ${uuidOf(platformId)} and p.mode = ${mode}`);
  return row?.now;
}

/** The code, unless its agent is deleted. */
export async function findCode(tx: Reader, platformId: PlatformId, codeHash: Buffer): Promise<DeviceCode | undefined> {
  const row = await tx.one<CodeRow>(sql`
    select c.agent_id, c.state, c.expires_at from agent_device_codes c cross join lateral (
      select from agents where platform_id = ${uuidOf(platformId)} and id = c.agent_id and ${isUnset(sql`deleted_at`)} limit 1) a
    where c.platform_id = ${uuidOf(platformId)} and c.code_hash = ${codeHash}`);
  return row && toCode(row);
}
