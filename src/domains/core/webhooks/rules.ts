// When an attempt counts, when the next one is made and when the service gives up. Pure.
import { DAY_MS, MINUTE_MS } from '../../../kernel/time.js';
import type { DeliveryStatus, EventType } from './event.js';

export type AttemptOutcome = { readonly status: number } | { readonly failure: string };

/** What follows from one attempt. */
export type Verdict =
  | { readonly next: 'DELIVERED' }
  | { readonly next: 'RETRY'; readonly at: Date }
  | { readonly next: 'FAILED' }
  /** 410: the receiver wants nothing more, so the endpoint is stopped and this event has failed; unless it `goesElsewhere`. */
  | { readonly next: 'STOP' };

/**
 * Spreads the attempts of a crowd. Where the clock stands still and is moved by hand there is no crowd to spread, and attempts
 * that fall due together are made together, so that a week passes in some hundred steps: ALIGNED.
 */
export type Jitter = number | 'ALIGNED';

export type AttemptFacts = {
  readonly type: EventType;
  /** Attempts that failed since the event was queued (or queued again), this one included if it failed. */
  readonly failures: number;
  readonly retryUntil: Date;
  readonly outcome: AttemptOutcome;
  readonly now: Date;
  /** 0 ≤ jitter < 1, drawn by the caller. */
  readonly jitter: Jitter;
};

export const RETRY_FOR_MS = 7 * DAY_MS;
const FIRST_DELAY_MS = 5_000;
export const LONGEST_DELAY_MS = 30 * MINUTE_MS;

/** "TEST is sent once." */
const SENT_ONCE: ReadonlySet<EventType> = new Set(['TEST']);

export function decideAttempt(facts: AttemptFacts): Verdict {
  const { type, failures, retryUntil, outcome, now, jitter } = facts;
  const status = 'status' in outcome ? outcome.status : undefined;
  if (status !== undefined && isDelivered(status)) return { next: 'DELIVERED' };
  if (status === 410) return { next: 'STOP' };
  const at = retryAt(now, failures, jitter);
  return SENT_ONCE.has(type) || at > retryUntil ? { next: 'FAILED' } : { next: 'RETRY', at };
}

/** How a delivery stands after an attempt. */
export type Standing = {
  readonly status: DeliveryStatus;
  readonly failures: number;
  readonly dueAt: Date;
  readonly finishedAt: Date | null;
};

export function standingAfter({ failures }: Pick<Standing, 'failures'>, verdict: Verdict, now: Date): Standing {
  switch (verdict.next) {
    case 'DELIVERED':
      return { status: 'DELIVERED', failures, dueAt: now, finishedAt: now };
    case 'RETRY':
      return { status: 'PENDING', failures: failures + 1, dueAt: verdict.at, finishedAt: null };
    case 'FAILED':
    case 'STOP':
      return { status: 'FAILED', failures: failures + 1, dueAt: now, finishedAt: now };
  }
}

/** Sent elsewhere, it keeps its place in line. */
export const standingElsewhere = ({ failures }: Pick<Standing, 'failures'>, now: Date): Standing => ({
  status: 'PENDING',
  failures,
  dueAt: now,
  finishedAt: null,
});

/** A 410 speaks for the address that gave it: when the endpoint is another by now, the event is sent there. */
export const goesElsewhere = (type: EventType, { isEndpoint }: { readonly isEndpoint: boolean }): boolean =>
  !isEndpoint && !SENT_ONCE.has(type);

/** 409 says "I have it already". */
export const isDelivered = (status: number): boolean => (status >= 200 && status < 300) || status === 409;

/** Doubles from five seconds to thirty minutes; the jitter takes up to half of it away. */
export function retryAt(now: Date, failures: number, jitter: Jitter): Date {
  const full = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 30));
  const latest = now.getTime() + full;
  return new Date(jitter === 'ALIGNED' ? latest - (latest % (full / 2)) : latest - Math.round((full * jitter) / 2));
}
