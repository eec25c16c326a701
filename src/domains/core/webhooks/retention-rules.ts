// Decisions about the life of events and attempts. Pure.
import { DAY_MS, plusMs } from '../../../kernel/time.js';

/** A week of events, attempts and log. `begins` is null for the first, which has everything from before the log. */
export type LogWeek = { readonly name: string; readonly begins: Date | null; readonly ends: Date; readonly attemptsDropped: boolean };

/** Days that events and attempts are kept; 0 keeps them for ever. Attempts end with their event at the latest. */
export type Life = { readonly eventDays: number; readonly attemptDays: number };

export type DueForDrop = { readonly events: readonly LogWeek[]; readonly attempts: readonly LogWeek[] };

const isOver = (days: number, ends: Date, now: Date): boolean => days > 0 && plusMs(ends, days * DAY_MS) <= now;

/** The weeks whose last event has reached the end of its life. A week is dropped whole, so events live up to a week longer. */
export function findDueForDrop(weeks: readonly LogWeek[], { eventDays, attemptDays }: Life, now: Date): DueForDrop {
  const events = weeks.filter(({ ends }) => isOver(eventDays, ends, now));
  return {
    events,
    attempts: weeks.filter((week) => !events.includes(week) && !week.attemptsDropped && isOver(attemptDays, week.ends, now)),
  };
}

/** Weeks are made this far ahead. */
const AHEAD_DAYS = 28;
export const madeUntil = (now: Date): Date => plusMs(now, AHEAD_DAYS * DAY_MS);
