// Hooks of platforms, answered by later domains.
import type { Tx } from '../../../db/pool.js';
import { defineHook } from '../../../kernel/hook.js';
import type { Platform } from './platform.js';

/** A platform was created or its currencies changed, so it needs an account in each of them. */
export const currenciesChanged = defineHook<(tx: Tx, platform: Platform, now: Date) => Promise<void>>('platform.currencies-changed');
