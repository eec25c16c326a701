// How long a session of the console lasts. Pure.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../kernel/time.js';
import type { ConsoleSession } from './session.js';

/** Without a call for this long a session ends. */
export const IDLE_MS = { sandbox: 8 * HOUR_MS, live: MINUTE_MS * 30 } as const;
/** However busy, a session ends after this. */
export const LONGEST_MS = DAY_MS / 2;
export const CODE_LIFE_MS = 15 * MINUTE_MS;
/** How often the last call is noted. */
const NOTE_EVERY_MS = MINUTE_MS;

type Times = Pick<ConsoleSession, 'createdAt' | 'seenAt' | 'realNow'>;

export const isOver = ({ createdAt, seenAt, realNow }: Times, mode: keyof typeof IDLE_MS): boolean =>
  realNow.getTime() - seenAt.getTime() > IDLE_MS[mode] || realNow.getTime() - createdAt.getTime() > LONGEST_MS;

export const isToBeNoted = ({ seenAt, realNow }: Times): boolean => realNow.getTime() - seenAt.getTime() > NOTE_EVERY_MS;
