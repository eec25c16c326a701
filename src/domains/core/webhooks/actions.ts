// Queues events for a platform, sends them again, and sends TEST events.
import type { Db, Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import { madeAt, newId, type PlatformId, parseId, uuidOf } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import { isUri } from '../../../kernel/uri.js';
import { type Deliverer, LEASE_MS } from './delivery.js';
import { endpointProblem, LIVE_POLICY, SANDBOX_POLICY } from './endpoint.js';
import type { ClaimedDelivery, EventReport, NewEvent, StreamPosition, WebhookId } from './event.js';
import { positionAll } from './positions.js';
import { isDelivered, RETRY_FOR_MS, rowBeforeFirstAttempt } from './rules.js';
import { findEvent, hasEndpoint, insertEvents, listToReplay, type ReplayFilter, requeueEvents } from './store.js';
import { bringForwardDeliveries, deleteStop, insertDeliveries } from './store-deliveries.js';
import { findPosition, findQueueState } from './store-log.js';
import { findKeptSince } from './store-retention.js';

export { hasEndpoint, listEventIdsOf } from './store.js';
export { restartCursor } from './store-log.js';
export { findKeptSince, insertSequences, isOfKeptWeek, type LastSequence } from './store-retention.js';
export { createAttemptReader, createEventReader } from './stream.js';

/**
 * Why no event could ever be delivered to the URL, judged without resolving its name; undefined for one that may be tried. Answers show it
 * as it was written, so it must be written as a URI, too.
 */
export const findEndpointProblem = (url: string, mode: 'sandbox' | 'live'): string | undefined =>
  endpointProblem(url, mode === 'live' ? LIVE_POLICY : SANDBOX_POLICY) ??
  (isUri(url) ? undefined : 'must be written as a URI, with any other character escaped');

/**
 * Writes events in the transaction of the change that caused them, so both commit or neither. The caller holds the row lock of
 * each object. Events are written without an endpoint as well: they can be listed, and replayed later.
 */
export function enqueueEvents(tx: Tx, platformId: PlatformId, now: Date, events: readonly NewEvent[]): void {
  if (events.length === 0) return;
  const named = events.map((event) => ({ ...event, id: newId('Webhook') }));
  insertEvents(tx, platformId, named, { now, sentFromLog: true });
}

const queuedAt = (now: Date) => ({ now, retryUntil: plusMs(now, RETRY_FOR_MS) });

/** The object of a TEST event is the event itself, so it waits for no other event. */
function enqueueTest(tx: Tx, platformId: PlatformId, now: Date, { sentFromLog }: { readonly sentFromLog: boolean }): WebhookId {
  const id = newId('Webhook');
  insertEvents(tx, platformId, [{ id, type: 'TEST', objectId: id, data: {} }], { now, sentFromLog });
  return id;
}

/**
 * To be called after the platform's endpoint was saved, also when it did not change: setting the endpoint resumes deliveries after a 410.
 * "TEST is sent … also when the endpoint changes."
 */
export function endpointSaved(tx: Tx, platformId: PlatformId, now: Date, { changed }: { readonly changed: boolean }): void {
  deleteStop(tx, platformId);
  if (changed) enqueueTest(tx, platformId, now, { sentFromLog: true });
}

/** To be called in the transaction that sets the sandbox clock back, or retries would wait for their old due times. */
export function clockSetBack(tx: Tx, platformId: PlatformId, now: Date): void {
  bringForwardDeliveries(tx, platformId, queuedAt(now));
}

export type TestAnswer = { readonly url: string; readonly status: number; readonly body: string };

/** Sends one TEST event now and returns the receiver's answer. */
export async function sendTest(db: Db, deliverer: Deliverer, platformId: PlatformId, now: Date): Promise<TestAnswer> {
  // Written with a leased row, so that no worker sends it as well.
  const { claim, delivery } = await db.transaction(async (tx) => {
    const state = await findQueueState(tx, platformId);
    if (!state?.url) throw new ApiError('WEBHOOK_ENDPOINT_NOT_SET');
    const id = enqueueTest(tx, platformId, now, { sentFromLog: false });
    const delivery: ClaimedDelivery = {
      id,
      type: 'TEST',
      objectId: id,
      sequence: 1,
      data: '{}',
      createdAt: now,
      attempts: 0,
      failures: 0,
      retryUntil: queuedAt(now).retryUntil,
      fromLog: false,
    };
    insertDeliveries(tx, platformId, [rowBeforeFirstAttempt(delivery, now, plusMs(state.realNow, LEASE_MS))]);
    return { claim: await deliverer.openClaim(tx, platformId, state), delivery };
  });
  const result = await deliverer.sendNow(platformId, claim, delivery);

  if (result.kind === 'ANSWERED' && isDelivered(result.status)) return { url: claim.url, status: result.status, body: result.body };
  throw new ApiError('WEBHOOK_DELIVERY_ERROR', {
    url: claim.url,
    ...(result.kind === 'ANSWERED' ? { response_status: result.status, response_body: result.body } : { cause: result.failure }),
  });
}

export async function getEvent(tx: Pick<Tx, 'one' | 'many'>, platformId: PlatformId, id: WebhookId | undefined): Promise<EventReport> {
  const event = id && (await findEvent(tx, platformId, id));
  if (!event) throw new ApiError('NOT_FOUND');
  return event;
}

/** The position after the last event that the caller received, or the end of the stream. */
export async function getStreamStart(
  db: Db,
  platformId: PlatformId,
  lastEventId: string | readonly string[] | undefined,
): Promise<StreamPosition> {
  const last = await positionAll(db, platformId);
  if (lastEventId === undefined) return { position: last, place: Number.MAX_SAFE_INTEGER };
  const id = typeof lastEventId === 'string' ? parseId('Webhook', lastEventId) : undefined;
  const position = id && (await findPosition(db, platformId, id));
  if (position) return position;
  const keptSince = await findKeptSince(db);
  const madeMs = id && madeAt(uuidOf(id));
  const isDropped = keptSince !== undefined && madeMs !== undefined && madeMs < keptSince.getTime();
  if (isDropped) throw new ApiError('NOT_FOUND', { keptSince }, { reason: 'The event is older than the events that are kept.' });
  throw new ApiError('NOT_FOUND');
}

/** Queues an event again, with a full retry period. An event that is still ahead in the log is sent anyway. */
export async function resendEvent(tx: Tx, platformId: PlatformId, now: Date, id: WebhookId | undefined): Promise<EventReport> {
  const event = await getEvent(tx, platformId, id);
  if (!(await hasEndpoint(tx, platformId))) throw new ApiError('WEBHOOK_ENDPOINT_NOT_SET');
  if (event.delivery?.status === 'PENDING' && event.delivery.attempts === 0) return event;
  requeueEvents(tx, platformId, [event.id], queuedAt(now));
  return getEvent(tx, platformId, event.id);
}

const REPLAY_BATCH = 2_000;

/** Queues every event since a moment again, in batches. Returns how many were queued. Repeating it after a failure is harmless. */
export async function replayEvents(db: Db, platformId: PlatformId, now: Date, replay: ReplayFilter): Promise<number> {
  if (!(await hasEndpoint(db, platformId))) throw new ApiError('WEBHOOK_ENDPOINT_NOT_SET');
  let queued = 0;
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const batch = await db.transaction(async (tx) => {
      const found = await listToReplay(tx, platformId, replay, { after, limit: REPLAY_BATCH });
      if (found.toQueue.length > 0) requeueEvents(tx, platformId, found.toQueue, queuedAt(now));
      return found;
    });
    queued += batch.toQueue.length;
    // Events that occur from now on are sent without a replay. On a busy platform there is always one.
    if (batch.last === undefined) return queued;
    after = batch.last;
  }
}
