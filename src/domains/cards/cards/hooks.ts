// Hooks of cards.
import type { Tx } from '../../../db/pool.js';
import { defineHook } from '../../../kernel/hook.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { Card } from './card.js';

/** A card was closed in this transaction and is locked: its open authorizations end. */
export const cardClosed = defineHook<(tx: Tx, platformId: PlatformId, card: Card, now: Date) => Promise<void>>('cards.closed');
