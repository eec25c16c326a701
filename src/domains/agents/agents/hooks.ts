// Hooks of agents, answered by later domains.
import type { Tx } from '../../../db/pool.js';
import { defineHook } from '../../../kernel/hook.js';
import type { AgentId, PlatformId } from '../../../kernel/ids.js';

/** Agents were deleted. Their rows are locked. */
export const agentsDeleted =
  defineHook<(tx: Tx, platformId: PlatformId, ids: readonly AgentId[], now: Date) => Promise<void> | void>('agents.deleted');
