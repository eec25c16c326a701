// Telling the platform what changed.
import type { Tx } from '../../db/pool.js';
import type { PlatformId } from '../../kernel/ids.js';
import type { NewEvent } from './event.js';

export async function enqueueEvents(_tx: Tx, _platformId: PlatformId, _now: Date, _events: readonly NewEvent[]): Promise<void> {}
