// What delegated keys ask of cards.
import { defineHook } from '../../../kernel/hook.js';
import type { FundingSources } from './keys.js';

/** The funding sources of cards, and what becomes of a card when its source gains or loses its key. */
export const fundingSources = defineHook<FundingSources>('delegated-keys.funding-sources');
