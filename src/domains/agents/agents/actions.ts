// Creates, changes and deletes agents.
import type { Tx } from '../../../db/pool.js';
import { invalidField } from '../../../kernel/errors.js';
import type { Hooks } from '../../../kernel/hook.js';
import { type AgentId, type CustomerId, newId, type PlatformId, parseId } from '../../../kernel/ids.js';
import type { RateProvider } from '../../../providers/rates.js';
import { findInternalAccounts } from '../../accounts/internal-accounts/actions.js';
import { lockCustomerForShare } from '../../identity/customers/actions.js';
import type { Agent, OwnAccounts, PolicyForm, PolicyPatch } from './agent.js';
import { agentsDeleted } from './hooks.js';
import { issueCode, type NewCode, type PairingDeps } from './pairing.js';
import { type AgentPatch, accountsNamedBy, changeAgent, checkPolicy, mergePolicy, recast, tidyPolicy, usageAt } from './rules.js';
import { insertAgent, lockAgent, lockAgentsOf, markDeleted, saveAgent } from './store.js';

export { createFindAgent } from './pairing.js';
export { countExecution, countedIn, readPolicy, usageAt } from './rules.js';
export { getCaller, lockAgent, lockCaller, saveUsage } from './store.js';

export type AgentDraft = { readonly name: string; readonly customerId: string; readonly policy: PolicyForm };

export async function createAgent(
  deps: PairingDeps,
  tx: Tx,
  platformId: PlatformId,
  { name, customerId: named, policy }: AgentDraft,
  now: Date,
): Promise<{ readonly agent: Agent; readonly code: NewCode }> {
  const customerId = parseId('Customer', named);
  if (!customerId || !(await lockCustomerForShare(tx, platformId, customerId)))
    throw invalidField('customerId', 'must name a customer of the platform');
  checkPolicy(policy, await findOwn(tx, platformId, customerId, policy), 'policy.');

  const agent: Agent = {
    id: newId('Agent'),
    customerId,
    name,
    isPaused: false,
    isConnected: false,
    policy: tidyPolicy(policy),
    usage: { day: null, dayCount: 0, daySpend: 0n, monthSpend: 0n },
    createdAt: now,
    updatedAt: now,
  };
  insertAgent(tx, platformId, agent);
  return { agent, code: issueCode(deps, tx, platformId, agent.id, now) };
}

/** The accounts of the customer among those that a policy names. */
async function findOwn(
  tx: Tx,
  platformId: PlatformId,
  customerId: CustomerId,
  policy: Pick<PolicyForm, 'accountRestrictions'>,
): Promise<OwnAccounts> {
  const ids = [...new Set(accountsNamedBy(policy))];
  const accounts = ids.length > 0 ? await findInternalAccounts(tx, platformId, ids) : [];
  return new Set(accounts.filter((account) => account.customerId === customerId).map(({ id }) => id));
}

export async function updateAgent(tx: Tx, platformId: PlatformId, id: AgentId | undefined, patch: AgentPatch, now: Date): Promise<Agent> {
  const agent = await lockAgent(tx, platformId, id);
  const changed = changeAgent(agent, patch, now);
  if (changed !== agent) saveAgent(tx, platformId, changed);
  return changed;
}

/** Governs every decision that begins after this transaction: a decision reads the policy under the lock of the agent. */
export async function updatePolicy(
  { rates }: { readonly rates: RateProvider },
  tx: Tx,
  platformId: PlatformId,
  id: AgentId | undefined,
  patch: PolicyPatch,
  now: Date,
): Promise<Agent> {
  const agent = await lockAgent(tx, platformId, id);
  const merged = mergePolicy(agent.policy, patch);
  checkPolicy(merged, await findOwn(tx, platformId, agent.customerId, merged));
  const isRecast = merged.spendingLimits.currency !== agent.policy.spendingLimits.currency;
  const { policy, usage } = isRecast
    ? recast({ ...agent, usage: usageAt(agent.usage, now) }, merged, patch, await rates.marketAt(tx, platformId, now))
    : { policy: merged, usage: agent.usage };

  const changed: Agent = { ...agent, policy: tidyPolicy(policy), usage, updatedAt: now };
  saveAgent(tx, platformId, changed);
  return changed;
}

type Deleting = { readonly hooks: Hooks };

async function remove({ hooks }: Deleting, tx: Tx, platformId: PlatformId, ids: readonly AgentId[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  markDeleted(tx, platformId, ids, now);
  for (const deleted of hooks.all(agentsDeleted)) await deleted(tx, platformId, ids, now);
}

export async function deleteAgent(deps: Deleting, tx: Tx, platformId: PlatformId, id: AgentId | undefined, now: Date): Promise<void> {
  const agent = await lockAgent(tx, platformId, id);
  await remove(deps, tx, platformId, [agent.id], now);
}

/** The agents of a deleted customer are deleted with it. */
export const deleteAgentsOf = async (deps: Deleting, tx: Tx, platformId: PlatformId, customerId: CustomerId, now: Date): Promise<void> =>
  remove(deps, tx, platformId, await lockAgentsOf(tx, platformId, customerId), now);
