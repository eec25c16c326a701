// Decisions about deliveries: whether an attempt delivered the event, when the next one is made, what is sent together. Pure.
import { ApiError } from '../../../kernel/errors.js';
import { DAY_MS, MINUTE_MS, plusMs } from '../../../kernel/time.js';
import type {
  Attempt,
  ClaimedDelivery,
  DeliveryStatus,
  EventType,
  LoggedEvent,
  PositionedCommit,
  SigningKey,
  StoredEvent,
} from './event.js';

// ---- one attempt

export type AttemptOutcome = { readonly status: number } | { readonly failure: string };

/** The consequence of one attempt. */
export type Verdict =
  | { readonly next: 'DELIVERED' }
  | { readonly next: 'RETRY'; readonly at: Date }
  | { readonly next: 'FAILED' }
  /** 410: the endpoint is stopped and the event has failed, unless `isSentToNewEndpoint`. */
  | { readonly next: 'STOP' };

/**
 * Jitter spreads the retries of many events. A frozen clock is advanced by hand, so spreading has no use there: ALIGNED retries share
 * few due times, which keeps the steps of an advance by a week in the hundreds.
 */
export type Jitter = number | 'ALIGNED';

export type AttemptFacts = {
  readonly type: EventType;
  /** Failed attempts since the event was queued or queued again. Counts this attempt as failed. */
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

/** Events that ask the platform for a decision. The answer to the first attempt is the decision, so there is no second one. */
const QUESTIONS: ReadonlySet<EventType> = new Set(['INCOMING_PAYMENT.PENDING']);

export const isQuestion = ({ type }: { readonly type: EventType }): boolean => QUESTIONS.has(type);

/** How long the receiver of a question has to answer, in real time. */
export const QUESTION_MS = 5_000;

/** "TEST is sent once." */
const SENT_ONCE: ReadonlySet<EventType> = new Set<EventType>(['TEST', ...QUESTIONS]);

export function decideAttempt(facts: AttemptFacts): Verdict {
  const { type, failures, retryUntil, outcome, now, jitter } = facts;
  const status = 'status' in outcome ? outcome.status : undefined;
  if (status !== undefined && (isDelivered(status) || (isQuestion({ type }) && isRefusal(status)))) return { next: 'DELIVERED' };
  if (status === 410) return { next: 'STOP' };
  const at = retryAt(now, failures, jitter);
  return SENT_ONCE.has(type) || at > retryUntil ? { next: 'FAILED' } : { next: 'RETRY', at };
}

/** A receiver answers 409 for an event that it has already processed. */
export const isDelivered = (status: number): boolean => (status >= 200 && status < 300) || status === 409;

/** A receiver that refuses what a question is about has received the question. */
const isRefusal = (status: number): boolean => status === 403 || status === 422;

/** The delay doubles from five seconds to thirty minutes. Jitter shortens it by up to half. */
export function retryAt(now: Date, failures: number, jitter: Jitter): Date {
  const full = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 30));
  const latest = now.getTime() + full;
  return new Date(jitter === 'ALIGNED' ? latest - (latest % (full / 2)) : latest - Math.round((full * jitter) / 2));
}

// ---- the delivery after an attempt

export type DeliveryState = {
  readonly status: DeliveryStatus;
  readonly failures: number;
  readonly dueAt: Date;
  readonly finishedAt: Date | null;
};

export function stateAfter({ failures }: Pick<DeliveryState, 'failures'>, verdict: Verdict, now: Date): DeliveryState {
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

/** An event that is sent to a new endpoint keeps its failures, and with them its place in the delivery order. */
export const stateForNewEndpoint = ({ failures }: Pick<DeliveryState, 'failures'>, now: Date): DeliveryState => ({
  status: 'PENDING',
  failures,
  dueAt: now,
  finishedAt: null,
});

/** A 410 stops only the address that sent it. If the platform has another endpoint by now, the event is sent there. */
export const isSentToNewEndpoint = (type: EventType, { isEndpoint }: { readonly isEndpoint: boolean }): boolean =>
  !isEndpoint && !SENT_ONCE.has(type);

/** An attempt and the state of its delivery after it. */
export type DeliveryOutcome = DeliveryState &
  Pick<ClaimedDelivery, 'id' | 'objectId' | 'sequence' | 'retryUntil' | 'fromLog'> & { readonly attempt: Attempt };

export const isOpen = ({ status }: Pick<DeliveryState, 'status'>): boolean => status === 'PENDING';

export type FinishedAttempt = {
  readonly type: EventType;
  readonly outcome: DeliveryOutcome;
  /** Set by a 410. `otherwise` is the outcome if the address is no longer the endpoint. */
  readonly gone: { readonly url: string; readonly at: Date; readonly otherwise: DeliveryOutcome } | undefined;
};

/**
 * The outcomes to save, and the stop of the endpoint if one of the attempts caused it. `endpoint` is the platform's now, and its time. No
 * retry is due later than the longest delay from then, because the sandbox clock may have been set back during the attempt.
 */
export function decideOutcomes(
  attempts: readonly FinishedAttempt[],
  endpoint: { readonly url: string | null; readonly now: Date } | undefined,
): { readonly stop: { readonly url: string; readonly at: Date } | undefined; readonly outcomes: readonly DeliveryOutcome[] } {
  if (!endpoint) return { stop: undefined, outcomes: attempts.map(({ outcome }) => outcome) };
  const stop = attempts.findLast(({ gone }) => gone?.url === endpoint.url)?.gone;
  const latest = plusMs(endpoint.now, LONGEST_DELAY_MS);
  const outcomes = attempts
    .map(({ type, outcome, gone }) =>
      gone && isSentToNewEndpoint(type, { isEndpoint: gone.url === endpoint.url }) ? gone.otherwise : outcome,
    )
    .map((outcome) => (isOpen(outcome) && outcome.dueAt > latest ? { ...outcome, dueAt: latest } : outcome));
  return { stop, outcomes };
}

// ---- delivery rows

/** The state of a delivery that has no row yet. */
export type NewDelivery = DeliveryState &
  Pick<ClaimedDelivery, 'id' | 'objectId' | 'sequence' | 'retryUntil' | 'attempts'> & { readonly leasedUntil: Date | null };

/** The row of an event of the log whose first attempt did not deliver it. */
export const rowOfOutcome = ({ attempt, ...outcome }: DeliveryOutcome): NewDelivery => ({
  ...outcome,
  attempts: attempt.number,
  leasedUntil: null,
});

/** The row of an event of the log that has not been sent. */
export const rowBeforeFirstAttempt = (
  delivery: Pick<ClaimedDelivery, 'id' | 'objectId' | 'sequence' | 'retryUntil'>,
  now: Date,
  leasedUntil: Date | null = null,
): NewDelivery => ({
  id: delivery.id,
  objectId: delivery.objectId,
  sequence: delivery.sequence,
  retryUntil: delivery.retryUntil,
  attempts: 0,
  ...stateForNewEndpoint({ failures: 0 }, now),
  leasedUntil,
});

/** The row of an event that waited for an endpoint until its retry period ended. */
export const rowOfOverdue = (delivery: ClaimedDelivery, now: Date): NewDelivery => ({
  ...rowBeforeFirstAttempt(delivery, now),
  status: 'FAILED',
  finishedAt: now,
});

/** An event of the log as it is sent. After the sandbox clock was set back the retry period begins at the new time. */
export const firstDelivery = ({ queued, handled, isBehindRows, ...event }: LoggedEvent, now: Date): ClaimedDelivery => ({
  ...event,
  attempts: 0,
  failures: 0,
  retryUntil: plusMs(event.createdAt < now ? event.createdAt : now, RETRY_FOR_MS),
  fromLog: true,
});

/**
 * Which events of the log are sent from memory, and which get delivery rows because earlier events of their object wait in rows. An object
 * whose events are being sent from memory continues there.
 */
export function divertToRows(
  commits: readonly PositionedCommit[],
  isSentFromMemory: (objectId: string) => boolean,
): {
  readonly toSend: readonly { readonly position: bigint; readonly events: readonly LoggedEvent[] }[];
  readonly toRows: readonly LoggedEvent[];
} {
  const isDiverted = ({ objectId, isBehindRows }: LoggedEvent) => isBehindRows && !isSentFromMemory(objectId);
  const open = commits.map(({ position, events }) => ({ position, events: events.filter(({ queued, handled }) => queued && !handled) }));
  return {
    toSend: open
      .map(({ position, events }) => ({ position, events: events.filter((event) => !isDiverted(event)) }))
      .filter(({ events }) => events.length > 0),
    toRows: open.flatMap(({ events }) => events.filter(isDiverted)),
  };
}

export const isOverdue = ({ createdAt }: StoredEvent, now: Date): boolean => plusMs(createdAt, RETRY_FOR_MS) < now;

// ---- what is sent together, and how much at once

export const isFirstAttempt = ({ failures }: Pick<ClaimedDelivery, 'failures'>): boolean => failures === 0;

/** First attempts of one object form a batch, which is sent in order. Every retry is a batch of its own. */
export function batchByObject(deliveries: readonly ClaimedDelivery[]): ClaimedDelivery[][] {
  const batches: ClaimedDelivery[][] = [];
  for (const delivery of deliveries) {
    const batch = batches.at(-1);
    const head = batch?.[0];
    if (isFirstAttempt(delivery) && head && isFirstAttempt(head) && head.objectId === delivery.objectId) batch?.push(delivery);
    else batches.push([delivery]);
  }
  return batches;
}

/** The object after which the next claim continues. After the last object ('') it starts again from the first. */
export function nextAfterObject(batches: readonly (readonly ClaimedDelivery[])[], limit: number): string {
  const served = batches.filter((batch) => batch.some(isFirstAttempt));
  return served.length < limit ? '' : (served.at(-1)?.[0]?.objectId ?? '');
}

const LEAST_CONCURRENCY = 2;

/** Concurrent requests to an endpoint: halved when it does not answer, one more for each answer. */
export const concurrencyAfter = (current: number, { answered, most }: { readonly answered: boolean; readonly most: number }): number =>
  answered ? Math.min(most, current + 1) : Math.max(LEAST_CONCURRENCY, current >> 1);

/** A card network waits for a decision, and a webhook may be late: the more decisions are open, the fewer requests are sent at once. */
export const concurrencyBeside = (decisions: number, limit: number): number =>
  Math.min(limit, Math.max(LEAST_CONCURRENCY, Math.floor(limit / (1 + decisions / 2))));

export type StartFacts = {
  readonly isStopping: boolean;
  /** The endpoint and the signing keys of the claim are still the platform's. */
  readonly isCurrent: boolean;
  /** Times of one monotonic clock: the claim, the endpoint's last 410, and now. */
  readonly claimedAt: number;
  readonly goneAt: number;
  readonly now: number;
  readonly leaseMs: number;
};

/** Half of the lease is kept for the request itself: no attempt may be in progress when its lease ends. */
export const mayStart = ({ isStopping, isCurrent, claimedAt, goneAt, now, leaseMs }: StartFacts): boolean =>
  !isStopping && isCurrent && claimedAt >= goneAt && now - claimedAt <= leaseMs / 2;

// ---- signing keys

/**
 * One overlap at a time, because a delivery has room for two signatures. A rotation without overlap is always allowed: it replaces a
 * compromised key at once.
 */
export function refuseSecondOverlap(keys: readonly Pick<SigningKey, 'retiresAt'>[], overlapMs: number): void {
  const overlapping = keys.find(({ retiresAt }) => retiresAt !== null);
  if (overlapping && overlapMs > 0) throw new ApiError('CONFLICT', { retiresAt: overlapping.retiresAt });
}
