// Text messages with codes.
import type { Tx } from '../../../db/pool.js';
import type { Platform } from '../../core/platform/platform.js';
import type { ScaDeps } from './deps.js';
import { channelUnavailable } from './rules.js';

/** Checked before anything is written. */
export function requireTextChannel({ messengers }: ScaDeps, { mode }: Platform): void {
  if (!messengers[mode].canSend('SMS')) throw channelUnavailable('This installation sends no text messages.');
}

/** Handed over after the transaction has committed. */
export function sendText(tx: Tx, { messengers }: ScaDeps, { mode }: Platform, { to, text }: { to: string; text: string; now: Date }): void {
  tx.afterCommit(() => void messengers[mode].send({ channel: 'SMS', to, subject: '', text }));
}
