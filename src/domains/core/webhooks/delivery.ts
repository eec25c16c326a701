// Delivers events. Each platform has its own delivery queue, so an endpoint that is down delays no other platform.
// First attempts follow the log of the platform under a lease; what they do not deliver is tried again from delivery rows, leased one by one.
// A killed process leaves leases that expire, and nothing else.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Job } from '../../../db/job.js';
import { createPlatformGroups } from '../../../db/platform-groups.js';
import type { Db } from '../../../db/pool.js';
import { messageForLog } from '../../../kernel/errors.js';
import { newUuid, type PlatformId } from '../../../kernel/ids.js';
import { createPace } from '../../../kernel/pace.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { createSender, type FaultOf } from './attempts.js';
import { type Claimed, type Claimer, createClaimer } from './claims.js';
import { type Batch, type BatchItem, type Claim, createQueue, type DeliveryQueue } from './delivery-queue.js';
import type { ClaimedDelivery } from './event.js';
import type { ReceiverAnswer } from './hooks.js';
import type { DeliveryMetrics } from './metrics.js';
import type { Outbound, OutboundResult } from './outbound.js';
import { createOutcomes, type Outcomes, type Recorder } from './outcomes.js';
import { concurrencyBeside, isQuestion, mayStart } from './rules.js';
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
import { endLease } from './store-log.js';

export type DelivererDeps = {
  readonly db: Db;
  readonly custody: KeyCustody;
  /** Of the platforms whose events are delivered: the outbound connections are those of the mode. */
  readonly mode: 'sandbox' | 'live';
  readonly outbound: Outbound;
  readonly metrics: DeliveryMetrics;
  readonly log: Logger;
  /** Authorization decisions that this process has open. */
  readonly decisions?: () => number;
  /** Concurrent requests to one endpoint at most. */
  readonly concurrency?: number;
  readonly pollMs?: number;
  /** How long a process may keep a claimed delivery. Longer than two requests may take. */
  readonly leaseMs?: number;
  /** How long a configuration snapshot and a signature may be used. */
  readonly freshMs?: number;
  readonly signatureForm?: SignatureForm;
  /** Takes the answer to an event that asks the platform for a decision. */
  readonly faultOf?: FaultOf | undefined;
  readonly onAnswer: (answer: ReceiverAnswer) => Promise<void>;
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
const SLOWEST_POLL_MS = 1_000;
/** Share of a processor that polling may take while no platform has work. */
const IDLE_SHARE = 0.005;
const COUNTED_EVERY_MS = 2_000;
/** The depth of a longer queue is shown as this. */
const COUNTED_AT_MOST = 10_000;

/** Events of the log that a claim reads for each concurrent request. */
const EVENTS_PER_REQUEST = 8;
/** Events of the log in memory at most. */
const EVENTS_IN_MEMORY = 2_000;
/** Another transaction holds the cursor for a moment only. */
const LOCKED_FOR_MS = 5;

export function createDeliverer(deps: DelivererDeps): Deliverer {
  const {
    db,
    custody,
    mode,
    outbound,
    metrics,
    log,
    decisions = () => 0,
    concurrency = 32,
    pollMs = 150,
    leaseMs = LEASE_MS,
    freshMs = FRESH_MS,
  } = deps;
  const worker = newUuid();
  // A decision that cannot be written is lost; the payment then waits for another one, or for the end of its time.
  const onAnswer = (answer: ReceiverAnswer): Promise<void> =>
    deps.onAnswer(answer).catch((error: unknown) => {
      log.error({ objectId: answer.objectId, errorMessage: messageForLog(error) }, 'the answer to a webhook could not be used');
    });
  const sender = createSender({
    outbound,
    metrics,
    concurrency,
    freshMs,
    signatureForm: deps.signatureForm,
    onAnswer,
    faultOf: deps.faultOf,
  });
  const claimer = createClaimer({ db, custody, worker, sign: sender.sign, leaseMs, freshMs });
  const queues = new Map<PlatformId, { readonly queue: DeliveryQueue; readonly outcomes: Outcomes }>();
  const inProgress = new Set<Promise<unknown>>();
  let isStopping = false;

  const logDelay = (error: unknown): void =>
    log.warn({ errorMessage: messageForLog(error) }, 'webhook deliveries are delayed; they are tried again when their leases expire');

  /** `stop` waits for tracked work. */
  const track = (work: Promise<unknown>): void => {
    const settled: Promise<unknown> = work.catch(logDelay).finally(() => inProgress.delete(settled));
    inProgress.add(settled);
  };

  const queueOf = (platformId: PlatformId) => {
    const known = queues.get(platformId);
    if (known) return known;
    const queue = createQueue(platformId, concurrency);
    const made = { queue, outcomes: createOutcomes(db, worker, queue, logDelay) };
    queues.set(platformId, made);
    return made;
  };

  /**
   * Leaves the rest of a batch to delivery rows. A stopping process, or one that has lost its session, leaves the events of the log where they
   * are: they are read again from the cursor.
   */
  const handBack = async ({ platformId }: DeliveryQueue, items: readonly BatchItem[], session: Batch['session']): Promise<void> => {
    const deliveries = items.map(({ delivery }) => delivery);
    const rows = deliveries.filter(({ fromLog }) => !fromLog);
    if (rows.length > 0)
      await releaseDeliveries(
        db,
        platformId,
        rows.map(({ id }) => id),
      );
    const fromLog = isStopping || session?.isLost ? [] : deliveries.filter((delivery) => delivery.fromLog);
    const clock = items[0]?.claim.clock;
    if (fromLog.length > 0 && clock) await queueOf(platformId).outcomes.handBack(fromLog, clock.now);
  };

  /** Hands back in the order of the calls, after the answer 410 that may have been the reason. */
  const handBackInOrder = (queue: DeliveryQueue, items: readonly BatchItem[], session: Batch['session']): Promise<unknown> => {
    const handed = Promise.all([queue.handingBack, queue.gone.recorded]).then(() => handBack(queue, items, session));
    queue.handingBack = handed.catch(() => {});
    return handed;
  };

  const forget = ({ session, items }: Batch, item: BatchItem | undefined): void => {
    const objectId = item?.delivery.objectId ?? items[0]?.delivery.objectId;
    if (session && objectId !== undefined) session.chains.delete(objectId);
  };

  /** Sends a batch in order. `onSent` is called when no request is in progress any more; the promise resolves when the outcomes are written. */
  const sendBatch = async (queue: DeliveryQueue, batch: Batch, record: Recorder, onSent: () => void = () => {}): Promise<void> => {
    const written: Promise<unknown>[] = [];
    let last: BatchItem | undefined;
    try {
      for (let item = batch.items.shift(); item; item = batch.items.shift()) {
        last = item;
        const { claim, delivery, signed } = item;
        // A failed read releases the batch as well: an unused lease would block the object until it expires.
        const isCurrent = !batch.session?.isLost && (await claimer.isCurrent(queue, claim).catch(() => false));
        const facts = { isStopping, isCurrent, claimedAt: claim.claimedAt, goneAt: queue.gone.at, now: performance.now(), leaseMs };
        if (!mayStart(facts)) {
          batch.isHandedBack = true;
          const rest = [item, ...batch.items.splice(0)];
          written.push(handBackInOrder(queue, rest, batch.session).finally(() => forget(batch, last)));
          break;
        }
        const { recorded } = await sender.attempt(queue, claim, delivery, record, signed);
        written.push(recorded);
      }
    } catch (error) {
      // The attempt could not be made. Leased rows are free when their leases end; no lease gives an event of the log back to this worker.
      logDelay(error);
      if (batch.session && last) {
        batch.isHandedBack = true;
        const rest = [last, ...batch.items.splice(0)];
        written.push(handBackInOrder(queue, rest, batch.session).finally(() => forget(batch, last)));
      }
    } finally {
      if (!batch.isHandedBack) forget(batch, last);
      onSent();
    }
    await Promise.all(written);
  };

  /** Claims, and hands back the events whose object's batch was handed back meanwhile. */
  const claimFor = async (queue: DeliveryQueue, limits: { batches: number; events: number }, at?: Date): Promise<Claimed> => {
    await Promise.all([queue.gone.recorded, queue.handingBack]);
    const claimed = await claimer.claim(queue, limits, at);
    if (claimed.toHandBack.length > 0) await handBackInOrder(queue, claimed.toHandBack, queue.log);
    return claimed;
  };

  // ---- the worker

  /** An open question takes up to five seconds. It must not take the place of an event that is delivered at once. */
  const sendQuestions = (queue: DeliveryQueue): void => {
    while (!isStopping && queue.asking < concurrency) {
      const batch = queue.questions.shift();
      if (!batch) break;
      queue.asking += 1;
      track(
        sendBatch(queue, batch, queueOf(queue.platformId).outcomes.spaced, () => {
          queue.asking -= 1;
          sendQuestions(queue);
        }),
      );
    }
  };

  const limitOf = ({ limit }: DeliveryQueue): number => concurrencyBeside(decisions(), limit);

  const asks = ({ items: [first] }: Batch): boolean => first !== undefined && isQuestion(first.delivery);

  const sendWaiting = (queue: DeliveryQueue): void => {
    while (!isStopping && queue.sending < limitOf(queue)) {
      const batch = queue.waiting.shift();
      if (!batch) break;
      queue.sending += 1;
      track(
        sendBatch(queue, batch, queueOf(queue.platformId).outcomes.spaced, () => {
          queue.sending -= 1;
          sendWaiting(queue);
          if (queue.waiting.length < limitOf(queue) / 2) claimMore(queue);
        }),
      );
    }
  };

  /** Claims more than can be sent at once, so that sending never waits for the database. */
  const claimMore = (queue: DeliveryQueue): void => {
    if (isStopping || queue.isClaiming) return;
    queue.isClaiming = true;
    const inMemory = [...(queue.log?.chains.values() ?? [])].reduce((sum, { items }) => sum + items.length, 0);
    const atOnce = limitOf(queue);
    const limits = {
      batches: Math.max(1, 2 * atOnce - queue.waiting.length),
      events: Math.min(EVENTS_PER_REQUEST * atOnce, EVENTS_IN_MEMORY - inMemory),
    };
    let isLocked = false;
    track(
      claimFor(queue, limits)
        .then((claimed) => {
          isLocked = claimed.isLocked;
          for (const batch of claimed.batches) (asks(batch) ? queue.questions : queue.waiting).push(batch);
        })
        .finally(() => {
          queue.isClaiming = false;
          sendQuestions(queue);
          sendWaiting(queue);
          if (isLocked && queue.log) setTimeout(claimMore, LOCKED_FOR_MS, queue).unref();
        }),
    );
  };

  const groups = createPlatformGroups(db, { onFailure: logDelay });
  let countedAt = Number.NEGATIVE_INFINITY;
  const showDepth = async (): Promise<void> => {
    if (performance.now() - countedAt < COUNTED_EVERY_MS) return;
    countedAt = performance.now();
    const depths = await groups.ask('depth', (group) =>
      db.transaction((tx) => {
        tuneForQueue(tx, { joins: 'NESTED' });
        return countPending(tx, COUNTED_AT_MOST, group);
      }),
    );
    const total = (of: (depth: { waiting: number; retrying: number }) => number) =>
      Math.min(
        COUNTED_AT_MOST,
        depths.reduce((sum, depth) => sum + of(depth), 0),
      );
    metrics.queued({ waiting: total(({ waiting }) => waiting), retrying: total(({ retrying }) => retrying) });
  };

  let abandonedAt = Number.NEGATIVE_INFINITY;
  const idlePace = createPace({ leastMs: pollMs, mostMs: SLOWEST_POLL_MS, share: IDLE_SHARE });
  /** Returns the pause until the next poll. */
  const poll = async (): Promise<number> => {
    const began = performance.now();
    const found = await groups.ask('work', (group) =>
      db.transaction((tx) => {
        tuneForQueue(tx, { joins: 'NESTED' });
        return findPlatformsWithWork(tx, mode, worker, group);
      }),
    );
    const platforms = found.flat();
    const tookMs = performance.now() - began;
    const idlePauseMs = idlePace(tookMs);
    for (const platformId of platforms) {
      const { queue } = queueOf(platformId);
      if (queue.waiting.length < limitOf(queue)) claimMore(queue);
    }
    await showDepth();
    if (performance.now() - abandonedAt >= ABANDONED_EVERY_MS) {
      abandonedAt = performance.now();
      const abandoned = await groups.ask('abandoned', (group) => findPlatformsWithoutEndpoint(db, mode, group));
      for (const platformId of abandoned.flat()) claimMore(queueOf(platformId).queue);
    }
    // A slow database is polled less often, but a node that is slow to refuse must not delay the platforms of the others.
    return platforms.length === 0 ? idlePauseMs : Math.min(SLOWEST_POLL_MS, Math.max(pollMs, 10 * tookMs));
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

  /** Sends up to `concurrency` batches at once. Once `isOver` no further one begins, and the rest is handed back. */
  const sendAll = async (queue: DeliveryQueue, batches: readonly Batch[], record: Recorder, isOver: () => boolean): Promise<number> => {
    const left = [...batches];
    let begun = 0;
    let count = 0;
    const sendNext = async (): Promise<void> => {
      for (let batch = left.shift(); batch; batch = begun < concurrency || !isOver() ? left.shift() : undefined) {
        begun += 1;
        count += batch.items.length;
        await sendBatch(queue, batch, record);
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, batches.length) }, sendNext));
    for (const batch of left) {
      batch.isHandedBack = true;
      const rest = batch.items.splice(0);
      await handBackInOrder(queue, rest, batch.session).finally(() => forget(batch, rest[0]));
    }
    return count;
  };

  /** Sends everything due at `now` and waits for it, also for requests of other workers. After `isOver` the worker does the rest. */
  const deliverDue = async (platformId: PlatformId, now: Date, isOver: () => boolean): Promise<number> => {
    const { queue, outcomes } = queueOf(platformId);
    let count = 0;
    while (!isStopping) {
      const { batches } = await claimFor(queue, { batches: concurrency, events: EVENTS_PER_REQUEST * concurrency }, now);
      const sent = await sendAll(queue, batches, outcomes.immediate, isOver);
      count += sent;
      const next = await findNextDue(db, platformId);
      if (!next || next > now || isOver()) return count;
      // Due but not claimable: another worker holds the lease.
      if (sent === 0) await pause(10);
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
      for (const { queue } of queues.values()) {
        const left = [...queue.questions.splice(0), ...queue.waiting.splice(0)].flatMap(({ items }) => items);
        await handBack(queue, left, undefined);
        if (!queue.log?.isLost) await endLease(db, queue.platformId, worker);
      }
      await sender.close();
    },
    openClaim: claimer.openClaim,
    async sendNow(platformId, claim, delivery) {
      const { queue, outcomes } = queueOf(platformId);
      const { result, recorded } = await sender.attempt(queue, claim, delivery, outcomes.immediate);
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
