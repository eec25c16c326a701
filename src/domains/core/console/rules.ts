// How long a session of the console lasts, and where its stream is. Pure.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../kernel/time.js';
import type { StreamPosition } from '../webhooks/event.js';
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

// ---- the stream of a tab

/** What a tab has received: up to which event, and up to which request. */
export type LivePosition = { readonly event: StreamPosition; readonly request: string };

export const renderPosition = ({ event, request }: LivePosition): string => `${event.position}.${event.place}.${request}`;

/** Undefined for a text that is no position: the stream then begins now. */
export function parsePosition(text: string | undefined): LivePosition | undefined {
  const [, position, place, request] = /^(\d{1,18})\.(\d{1,16})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text ?? '') ?? [];
  if (position === undefined || place === undefined || request === undefined) return undefined;
  return { event: { position: BigInt(position), place: Number(place) }, request };
}

type TimedClock = { readonly now: Date; readonly frozen: boolean; readonly at: number };
const CLOCK_TOLERANCE_MS = 1_000;

/** Whether a tab that was told of the clock at `told.at` shows another time, or another state. `at` in milliseconds since a fixed moment. */
export function isClockNews(told: TimedClock | undefined, clock: TimedClock): boolean {
  if (!told || told.frozen !== clock.frozen) return true;
  const expected = told.now.getTime() + (told.frozen ? 0 : clock.at - told.at);
  return Math.abs(clock.now.getTime() - expected) > CLOCK_TOLERANCE_MS;
}
