// Delivers queued events. Each platform has its own delivery queue, so an endpoint that is down delays no other platform.
// Deliveries are leased in the database before they are sent: a killed process leaves leases that expire, and nothing else.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Job } from '../../../db/job.js';
import type { Db } from '../../../db/pool.js';
import { describeError } from '../../../kernel/errors.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { createPace } from '../../../kernel/pace.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { createSender } from './attempts.js';
import { type Claimer, createClaimer } from './claims.js';
import { type Claim, type ClaimedBatch, createQueue, type DeliveryQueue } from './delivery-queue.js';
import type { ClaimedDelivery } from './event.js';
import type { DeliveryMetrics } from './metrics.js';
import type { Outbound, OutboundResult } from './outbound.js';
import { createRecorders, type Recorder } from './outcomes.js';
import { mayStart } from './rules.js';
import type { SignatureForm } from './signing.js';
import {
  countPending,
  findNextDue,
  findPlatformsWithoutEndpoint,
  findPlatformsWithWork,
  firstDelivery,
  releaseDeliveries,
  tuneForQueue,
} from './store-deliveries.js';

export type DelivererDeps = {
  readonly db: Db;
  readonly custody: KeyCustody;
  readonly outbound: Outbound;
  readonly metrics: DeliveryMetrics;
  readonly log: Logger;
  /** Concurrent requests to one endpoint at most. */
  readonly concurrency?: number;
  readonly pollMs?: number;
  /** How long a process may keep a claimed delivery. Longer than two requests may take. */
  readonly leaseMs?: number;
  /** How long a configuration snapshot and a signature may be used. */
  readonly freshMs?: number;
  readonly signatureForm?: SignatureForm;
};

export type Deliverer = {
  /** Polls for due deliveries until `stop`. */
  start(): void;
  /** Finishes the requests in progress and releases the other claims. */
  stop(): Promise<void>;
  /** Sends one delivery that the caller has leased. */
  sendNow(platformId: PlatformId, claim: Claim, delivery: ClaimedDelivery): Promise<OutboundResult>;
  readonly openClaim: Claimer['openClaim'];
  /** Run by an advance of the sandbox clock. */
  readonly job: Job;
};

export const LEASE_MS = 45_000;
/** A changed endpoint and a retired key take effect within this time. An older signature is made again, because it names its time. */
const FRESH_MS = 2_000;
const ABANDONED_EVERY_MS = 60_000;
/** Share of a processor that polling may take while no platform has work. */
const IDLE_SHARE = 0.005;
const COUNTED_EVERY_MS = 2_000;
/** The depth of a longer queue is shown as this. */
const COUNTED_AT_MOST = 10_000;

export function createDeliverer(deps: DelivererDeps): Deliverer {
  const { db, custody, outbound, metrics, log, concurrency = 32, pollMs = 150, leaseMs = LEASE_MS, freshMs = FRESH_MS } = deps;
  const sender = createSender({ outbound, metrics, concurrency, freshMs, signatureForm: deps.signatureForm });
  const claimer = createClaimer({ db, custody, sign: sender.sign, leaseMs, freshMs });
  const queues = new Map<PlatformId, DeliveryQueue>();
  const inProgress = new Set<Promise<unknown>>();
  let isStopping = false;

  const logDelay = (error: unknown): void =>
    log.warn(
      { errorMessage: describeError(error).message },
      'webhook deliveries are delayed; they are tried again when their leases expire',
    );

  /** `stop` waits for tracked work. */
  const track = (work: Promise<unknown>): void => {
    const settled: Promise<unknown> = work.catch(logDelay).finally(() => inProgress.delete(settled));
    inProgress.add(settled);
  };

  const queueOf = (platformId: PlatformId): DeliveryQueue => {
    const queue = queues.get(platformId) ?? createQueue(platformId, createRecorders(db, platformId, logDelay), concurrency);
    queues.set(platformId, queue);
    return queue;
  };

  const release = ({ platformId }: DeliveryQueue, deliveries: readonly ClaimedDelivery[]): Promise<void> =>
    releaseDeliveries(
      db,
      platformId,
      deliveries.map(({ id }) => id),
    );

  /** Sends a batch in order. `onSent` is called when no request is in progress any more; the promise resolves when the outcomes are written. */
  const sendBatch = async (
    queue: DeliveryQueue,
    { claim, deliveries, signed }: ClaimedBatch,
    record: Recorder,
    onSent: () => void = () => {},
  ): Promise<void> => {
    const written: Promise<unknown>[] = [];
    try {
      for (const [i, delivery] of deliveries.entries()) {
        // A failed read releases the batch as well: an unused lease would block the object until it expires.
        const isCurrent = await claimer.isCurrent(queue, claim).catch(() => false);
        const facts = { isStopping, isCurrent, claimedAt: claim.claimedAt, goneAt: queue.gone.at, now: performance.now(), leaseMs };
        if (!mayStart(facts)) {
          written.push(queue.gone.recorded.then(() => release(queue, deliveries.slice(i))));
          break;
        }
        const { recorded } = await sender.attempt(queue, claim, delivery, record, signed[i]);
        written.push(recorded);
      }
    } finally {
      onSent();
    }
    await Promise.all(written);
  };

  // ---- the worker

  const sendWaiting = (queue: DeliveryQueue): void => {
    while (!isStopping && queue.sending < queue.limit) {
      const batch = queue.waiting.shift();
      if (!batch) break;
      queue.sending += 1;
      track(
        sendBatch(queue, batch, queue.record.spaced, () => {
          queue.sending -= 1;
          sendWaiting(queue);
          if (queue.waiting.length < queue.limit / 2) claimMore(queue);
        }),
      );
    }
  };

  /** Claims more than can be sent at once, so that sending never waits for the database. */
  const claimMore = (queue: DeliveryQueue): void => {
    if (isStopping || queue.isClaiming) return;
    queue.isClaiming = true;
    const limit = Math.max(1, 2 * queue.limit - queue.waiting.length);
    track(
      queue.gone.recorded
        .then(() => claimer.claimBatches(queue, limit))
        .then((batches) => queue.waiting.push(...batches))
        .finally(() => {
          queue.isClaiming = false;
          sendWaiting(queue);
        }),
    );
  };

  let countedAt = Number.NEGATIVE_INFINITY;
  const showDepth = async (): Promise<void> => {
    if (performance.now() - countedAt < COUNTED_EVERY_MS) return;
    countedAt = performance.now();
    const depth = await db.transaction((tx) => {
      tuneForQueue(tx, { joins: 'NESTED' });
      return countPending(tx, COUNTED_AT_MOST);
    });
    metrics.queued(depth);
  };

  let abandonedAt = Number.NEGATIVE_INFINITY;
  const idlePace = createPace({ leastMs: pollMs, mostMs: 1_000, share: IDLE_SHARE });
  /** Returns the pause until the next poll. */
  const poll = async (): Promise<number> => {
    const began = performance.now();
    const platforms = await db.transaction((tx) => {
      tuneForQueue(tx, { joins: 'NESTED' });
      return findPlatformsWithWork(tx);
    });
    const tookMs = performance.now() - began;
    const idlePauseMs = idlePace(tookMs);
    for (const platformId of platforms) {
      const queue = queueOf(platformId);
      if (queue.waiting.length < queue.limit) claimMore(queue);
    }
    await showDepth();
    if (performance.now() - abandonedAt >= ABANDONED_EVERY_MS) {
      abandonedAt = performance.now();
      for (const platformId of await findPlatformsWithoutEndpoint(db)) claimMore(queueOf(platformId));
    }
    // A slow database is polled less often.
    return platforms.length === 0 ? idlePauseMs : Math.max(pollMs, 10 * tookMs);
  };

  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> = Promise.resolve();
  const schedule = (pauseMs: number): void => {
    if (isStopping) return;
    timer = setTimeout(() => {
      polling = poll().then(schedule, (error: unknown) => {
        logDelay(error);
        schedule(10 * pollMs);
      });
    }, pauseMs);
  };

  // ---- the sandbox clock

  /** Sends everything due at `now` and waits for it, also for requests of other workers. After `isOver` the worker does the rest. */
  const deliverDue = async (platformId: PlatformId, now: Date, isOver: () => boolean): Promise<number> => {
    const queue = queueOf(platformId);
    let count = 0;
    while (!isStopping) {
      const batches = await claimer.claimBatches(queue, concurrency, now);
      await Promise.all(batches.map((batch) => sendBatch(queue, batch, queue.record.immediate)));
      count += batches.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
      const next = await findNextDue(db, platformId);
      if (!next || next > now || isOver()) return count;
      // Due but not claimable: another worker holds the lease.
      if (batches.length === 0) await pause(10);
    }
    return count;
  };

  return {
    start: () => schedule(0),
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      await polling;
      while (inProgress.size > 0) await Promise.all(inProgress);
      for (const queue of queues.values()) {
        const left = queue.waiting.splice(0).flatMap(({ deliveries }) => deliveries);
        if (left.length > 0) await release(queue, left);
      }
      await sender.close();
    },
    openClaim: claimer.openClaim,
    async sendNow(platformId, claim, delivery) {
      const queue = queueOf(platformId);
      const { result, recorded } = await sender.attempt(queue, claim, delivery, queue.record.immediate);
      await recorded;
      return result;
    },
    job: {
      sendsWebhooks: true,
      name: 'webhook-deliveries',
      firstDue: firstDelivery,
      run: (_db, platformId, now, isOver) => deliverDue(platformId, now, isOver),
    },
  };
}
