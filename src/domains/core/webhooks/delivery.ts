// Sends what is queued. Each platform has a lane of its own, so that an endpoint that is down keeps nobody else waiting.
// Work is leased in the database before it is begun: a process killed at any moment leaves leases that run out, and nothing else.
import type { Logger } from 'pino';
import type { Job } from '../../../db/job.js';
import type { Db, Tx } from '../../../db/pool.js';
import { batched } from '../../../kernel/batch.js';
import { type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { Attempt, ClaimedDelivery, EventType, WebhookSigningKeyId } from './event.js';
import type { DeliveryMetrics } from './metrics.js';
import type { Outbound, OutboundResult } from './outbound.js';
import { decideAttempt, goesElsewhere, LONGEST_DELAY_MS, standingAfter, standingElsewhere } from './rules.js';
import { renderEnvelope } from './schemas.js';
import { createSigner, type Headers, type NamedKeys } from './signer.js';
import { openSigningKeys } from './signing.js';
import { contextOf, ensureSigningKeys } from './signing-keys.js';
import {
  claimDeliveries,
  type Footing,
  failOverdue,
  findFooting,
  findNextDue,
  findPlatformsWithoutEndpoint,
  findPlatformsWithWork,
  insertStop,
  type LaneState,
  lockEndpoint,
  lockLane,
  type Outcome,
  releaseDeliveries,
  saveOutcomes,
  tuneForQueue,
} from './store-deliveries.js';

export type DelivererDeps = {
  readonly db: Db;
  readonly custody: KeyCustody;
  readonly outbound: Outbound;
  readonly metrics: DeliveryMetrics;
  readonly log: Logger;
  /** Requests under way to one endpoint at most. */
  readonly concurrency?: number;
  readonly pollMs?: number;
  /** How long a process may keep what it has taken. Longer than two requests may last. */
  readonly leaseMs?: number;
  /** How long what was read of a platform, and a signature, are good for. */
  readonly freshMs?: number;
};

export type Deliverer = {
  /** Begins to look for work, until `stop`. */
  start(): void;
  /** Finishes what is under way and gives back the rest. */
  stop(): Promise<void>;
  /** Sends one delivery that the caller has leased; answers what became of it. */
  sendNow(platformId: PlatformId, claim: Claim, delivery: ClaimedDelivery): Promise<OutboundResult>;
  /** Prepares a claim inside the caller's transaction. */
  openClaim(tx: Tx, platformId: PlatformId, lane: LaneState): Promise<Claim>;
  /** What an advance of the sandbox clock runs. */
  readonly job: Job;
};

/** What all deliveries taken together have in common. */
export type Claim = {
  readonly url: string;
  readonly keys: readonly NamedKeys[];
  readonly keyIds: string;
  readonly lane: LaneState;
  /** On the monotonic clock of this process. */
  readonly claimedAt: number;
};

/** The bytes of an attempt and their proofs, made ahead of it. */
type Prepared = { readonly body: Buffer; readonly headers: Promise<Headers>; readonly at: number };

/** `prepared` stands beside the first of the deliveries. */
type Line = { readonly claim: Claim; readonly deliveries: readonly ClaimedDelivery[]; readonly prepared: readonly Prepared[] };

/** What deliveries rest on, as it was when it was asked for. */
type Known = Footing & { readonly askedAt: number };

type Lane = {
  readonly platformId: PlatformId;
  /** The worker goes on while outcomes are written; an advance of the clock, and a caller, wait for them. */
  readonly record: { readonly inTime: Recorder; readonly atOnce: Recorder };
  /** Requests allowed at once: halved when the endpoint does not answer, one more for each answer. */
  limit: number;
  sending: number;
  waiting: Line[];
  claiming: boolean;
  afterObject: string;
  /** The last 410: what was claimed before it is not begun, and nothing more is claimed before it is `told` to the database. */
  gone: { readonly at: number; readonly told: Promise<unknown> };
  known: Known;
  asking: Promise<void> | undefined;
};

type Recorder = (outcome: Recorded) => Promise<undefined>;
/** `gone` is set by a 410: it counts if it came from the endpoint; `elsewhere` is the outcome if that is another by now. */
type Recorded = {
  readonly type: EventType;
  readonly outcome: Outcome;
  readonly gone: { readonly url: string; readonly at: Date; readonly elsewhere: Outcome } | undefined;
};

export const LEASE_MS = 45_000;
const PER_OBJECT = 32;
/** Signed as they are claimed, many at once, because that is cheaper than one by one; the rest of a long line when its turn comes. */
const PREPARED_PER_LINE = 8;
/** A changed endpoint and a dropped key are heard of this soon. A signature tells when it was made: an older one is made anew. */
const FRESH_MS = 2_000;
/** Many outcomes in one transaction cost little more than a few. */
const RECORD_EVERY_MS = 25;
const LEAST_LIMIT = 2;
const ABANDONED_EVERY_MS = 60_000;
const NEVER = { at: Number.NEGATIVE_INFINITY, told: Promise.resolve() };
const NOTHING: Known = { url: null, stopped: false, keyIds: '', askedAt: Number.NEGATIVE_INFINITY };
const USER_AGENT = 'Switchyard-Webhooks/1';

export function createDeliverer(deps: DelivererDeps): Deliverer {
  const { db, custody, outbound, metrics, log, concurrency = 32, pollMs = 150, leaseMs = LEASE_MS, freshMs = FRESH_MS } = deps;
  const lanes = new Map<PlatformId, Lane>();
  const signer = createSigner();
  const opened = new Map<WebhookSigningKeyId, NamedKeys>();
  const underWay = new Set<Promise<unknown>>();
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();
  let sweptAt = Number.NEGATIVE_INFINITY;

  const complain = (error: Error): void =>
    log.warn({ errorMessage: error.message }, 'webhook deliveries are delayed: leases run out and they are tried again');

  /** Remembers work that `stop` has to wait for. */
  const track = (work: Promise<unknown>): void => {
    const settled: Promise<unknown> = work.catch(complain).finally(() => underWay.delete(settled));
    underWay.add(settled);
  };

  const laneOf = (platformId: PlatformId): Lane => {
    const known = lanes.get(platformId);
    if (known) return known;
    const write = (items: readonly Recorded[]) => writeOutcomes(platformId, items);
    const record = { inTime: batched(write, { everyMs: RECORD_EVERY_MS }), atOnce: batched(write) };
    const lane: Lane = {
      platformId,
      record,
      limit: concurrency,
      sending: 0,
      waiting: [],
      claiming: false,
      afterObject: '',
      gone: NEVER,
      known: NOTHING,
      asking: undefined,
    };
    lanes.set(platformId, lane);
    return lane;
  };

  // ---- claiming

  const openClaim: Deliverer['openClaim'] = async (tx, platformId, lane) => {
    const stored = await ensureSigningKeys(tx, custody, platformId, lane.now);
    const keys = stored.map(({ id, sealed }) => {
      const known = opened.get(id) ?? { id, ...openSigningKeys(custody, sealed, contextOf(platformId, id)) };
      opened.set(id, known);
      return known;
    });
    return { url: lane.url ?? '', keys, keyIds: stored.map(({ id }) => uuidOf(id)).join(), lane, claimedAt: performance.now() };
  };

  const learn = (lane: Lane, known: Known): void => {
    if (known.askedAt > lane.known.askedAt) lane.known = known;
  };

  /** Lines that want to know at the same time share the answer. */
  const ask = (lane: Lane): Promise<void> => {
    const askedAt = performance.now();
    lane.asking ??= findFooting(db, lane.platformId)
      .then((footing) => learn(lane, { ...footing, askedAt }))
      .finally(() => {
        lane.asking = undefined;
      });
    return lane.asking;
  };

  /** Whether the endpoint and the keys of a claim are still the platform's. A busy lane knows from its later claims and need not ask. */
  const stands = async (lane: Lane, claim: Claim): Promise<boolean> => {
    if (performance.now() - lane.known.askedAt >= freshMs) await ask(lane);
    const { url, stopped, keyIds } = lane.known;
    return url === claim.url && keyIds === claim.keyIds && !stopped;
  };

  /** Leases up to `room` lines of work. `at` replaces the platform's clock while an advance passes through it. */
  const claimLines = (lane: Lane, room: number, at?: Date): Promise<Line[]> =>
    db.transaction(async (tx) => {
      const askedAt = performance.now();
      tuneForQueue(tx, { joins: 'NESTED' });
      const found = await lockLane(tx, lane.platformId);
      if (!found?.locked) return [];
      const state: LaneState = at ? { ...found, now: at, frozen: true } : found;
      const { url, stopped } = state;
      if (url === null || stopped) {
        learn(lane, { url, stopped, keyIds: '', askedAt });
        await failOverdue(tx, lane.platformId, state.now);
        return [];
      }
      const claim = await openClaim(tx, lane.platformId, state);
      learn(lane, { url, stopped, keyIds: claim.keyIds, askedAt });
      const take = (afterObject: string, retries: number) =>
        claimDeliveries(tx, lane.platformId, {
          now: state.now,
          afterObject,
          objects: room,
          perObject: PER_OBJECT,
          retries,
          leaseMs,
        });
      const taken = await take(lane.afterObject, room);
      const more = lane.afterObject !== '' && !taken.some(isFirst) ? await take('', 0) : [];
      const lines = linesOf([...taken, ...more]).map(
        (deliveries): Line => ({ claim, deliveries, prepared: prepareLine(claim, deliveries) }),
      );
      const served = lines.filter(({ deliveries }) => deliveries.some(isFirst));
      // Behind the last object the walk begins again at the first.
      lane.afterObject = served.length < room ? '' : (served.at(-1)?.deliveries[0]?.objectId ?? '');
      return lines;
    });

  // ---- sending

  const elapsedSince = (claim: Claim): number => performance.now() - claim.claimedAt;

  const prepare = (claim: Claim, delivery: ClaimedDelivery): Prepared => {
    const body = Buffer.from(renderEnvelope(delivery));
    // The real time: receivers refuse a timestamp that is far from their own clock, wherever the sandbox clock stands.
    const timestamp = plusMs(claim.lane.realNow, elapsedSince(claim));
    const headers = signer.sign(claim.keys, { id: delivery.id, timestamp, body });
    // Whoever sends it hears of a failure; until then nobody does.
    headers.catch(() => {});
    return { body, headers, at: performance.now() };
  };

  const prepareLine = (claim: Claim, deliveries: readonly ClaimedDelivery[]): Prepared[] =>
    deliveries.slice(0, PREPARED_PER_LINE).map((delivery) => prepare(claim, delivery));

  /** One request. The outcome is written while the caller goes on; `recorded` tells when. */
  const attempt = async (
    lane: Lane,
    claim: Claim,
    delivery: ClaimedDelivery,
    record: Recorder,
    ahead?: Prepared,
  ): Promise<{ result: OutboundResult; recorded: Promise<undefined> }> => {
    const platformTime = () => (claim.lane.frozen ? claim.lane.now : plusMs(claim.lane.now, Math.round(elapsedSince(claim))));
    const startedAt = platformTime();
    const { body, headers: signed } = ahead && performance.now() - ahead.at < freshMs ? ahead : prepare(claim, delivery);
    const headers = { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...(await signed) };
    const result = await outbound.post(claim.url, headers, body);
    lane.limit = result.kind === 'ANSWERED' ? Math.min(concurrency, lane.limit + 1) : Math.max(LEAST_LIMIT, lane.limit >> 1);

    const now = platformTime();
    const verdict = decideAttempt({
      type: delivery.type,
      failures: delivery.failures + 1,
      retryUntil: delivery.retryUntil,
      outcome: result.kind === 'ANSWERED' ? { status: result.status } : { failure: result.failure },
      now,
      jitter: claim.lane.frozen ? 'ALIGNED' : Math.random(),
    });
    metrics.attempted(verdict.next, result.durationMs);
    const made = { id: delivery.id, attempt: attemptOf(delivery, claim.url, headers, startedAt, result) };
    const stops = verdict.next === 'STOP';
    const gone = stops ? { url: claim.url, at: now, elsewhere: { ...made, ...standingElsewhere(delivery, now) } } : undefined;
    const recorded = record({ type: delivery.type, outcome: { ...made, ...standingAfter(delivery, verdict, now) }, gone });
    if (stops) lane.gone = { at: performance.now(), told: recorded };
    return { result, recorded };
  };

  /** Outcomes are written in the order of the attempts. Those that cannot be written are found out again: the lease runs out. */
  const writeOutcomes = async (platformId: PlatformId, items: readonly Recorded[]): Promise<undefined[]> => {
    await db
      .transaction(async (tx) => {
        const endpoint = items.some(({ gone }) => gone) ? await lockEndpoint(tx, platformId) : null;
        const stop = items.findLast(({ gone }) => gone?.url === endpoint)?.gone;
        const outcomes = items.map(({ type, outcome, gone }) =>
          gone && goesElsewhere(type, { isEndpoint: gone.url === endpoint }) ? gone.elsewhere : outcome,
        );

        if (stop) insertStop(tx, platformId, stop.url, stop.at);
        tuneForQueue(tx, { joins: 'HASHED' });
        saveOutcomes(tx, platformId, outcomes, LONGEST_DELAY_MS);
      })
      .catch(complain);
    return items.map(() => undefined);
  };

  /**
   * One object's events, one after the other; what the lease no longer covers, comes after a stop, or was taken for another
   * endpoint or other keys than the platform has now, is given back.
   * `onSent` is called when nothing is under way any more; the promise settles when the outcomes are written, too.
   */
  const sendLine = async (
    lane: Lane,
    { claim, deliveries, prepared }: Line,
    record: Recorder,
    onSent: () => void = () => {},
  ): Promise<void> => {
    const written: Promise<unknown>[] = [];
    try {
      for (const [i, delivery] of deliveries.entries()) {
        // Who cannot ask gives back, too: a lease that nobody uses would hold the object's line until it runs out.
        const isCurrent = await stands(lane, claim).catch(() => false);
        // Nothing is begun that might still be under way when its lease runs out.
        if (stopping || !isCurrent || claim.claimedAt < lane.gone.at || performance.now() - claim.claimedAt > leaseMs / 2) {
          written.push(lane.gone.told.then(() => giveBack(lane, deliveries.slice(i))));
          break;
        }
        const { recorded } = await attempt(lane, claim, delivery, record, prepared[i]);
        written.push(recorded);
      }
    } finally {
      onSent();
    }
    await Promise.all(written);
  };

  const giveBack = (lane: Lane, deliveries: readonly ClaimedDelivery[]): Promise<void> =>
    releaseDeliveries(
      db,
      lane.platformId,
      deliveries.map(({ id }) => id),
    );

  // ---- the lanes of the worker

  const pump = (lane: Lane): void => {
    while (!stopping && lane.sending < lane.limit) {
      const line = lane.waiting.shift();
      if (!line) break;
      lane.sending += 1;
      track(
        sendLine(lane, line, lane.record.inTime, () => {
          lane.sending -= 1;
          pump(lane);
          if (lane.waiting.length < lane.limit / 2) refill(lane);
        }),
      );
    }
  };

  /** Takes more work than can be sent at once, so that sending never waits for the database. */
  const refill = (lane: Lane): void => {
    if (stopping || lane.claiming) return;
    lane.claiming = true;
    const room = Math.max(1, 2 * lane.limit - lane.waiting.length);
    track(
      lane.gone.told
        .then(() => claimLines(lane, room))
        .then((lines) => lane.waiting.push(...lines))
        .finally(() => {
          lane.claiming = false;
          pump(lane);
        }),
    );
  };

  const lookForWork = async (): Promise<void> => {
    for (const platformId of await findPlatformsWithWork(db)) {
      const lane = laneOf(platformId);
      if (lane.waiting.length < lane.limit) refill(lane);
    }
    if (performance.now() - sweptAt < ABANDONED_EVERY_MS) return;
    sweptAt = performance.now();
    for (const platformId of await findPlatformsWithoutEndpoint(db)) refill(laneOf(platformId));
  };

  const schedule = (pauseMs: number): void => {
    if (stopping) return;
    timer = setTimeout(() => {
      const began = performance.now();
      turn = lookForWork()
        .catch(complain)
        // A database that is slow to say what there is to do is not asked more often.
        .finally(() => schedule(Math.max(pollMs, 10 * (performance.now() - began))));
    }, pauseMs);
  };

  // ---- the sandbox clock

  /** Sends everything due at `now` and waits for it, also for what another worker has begun; what takes too long is left to the worker. */
  const drain = async (platformId: PlatformId, now: Date, isOver: () => boolean): Promise<number> => {
    const lane = laneOf(platformId);
    let count = 0;
    while (!stopping) {
      const lines = await claimLines(lane, concurrency, now);
      await Promise.all(lines.map((line) => sendLine(lane, line, lane.record.atOnce)));
      count += lines.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
      const next = await findNextDue(db, platformId);
      if (!next || next > now || isOver()) return count;
      // Due and not to be had: another worker is at it.
      if (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return count;
  };

  return {
    start: () => schedule(0),
    async stop() {
      stopping = true;
      clearTimeout(timer);
      await turn;
      while (underWay.size > 0) await Promise.all(underWay);
      for (const lane of lanes.values()) {
        const left = lane.waiting.splice(0).flatMap(({ deliveries }) => deliveries);
        if (left.length > 0) await giveBack(lane, left);
      }
      outbound.close();
      await signer.close();
    },
    openClaim,
    sendNow: async (platformId, claim, delivery) => {
      const lane = laneOf(platformId);
      const { result, recorded } = await attempt(lane, claim, delivery, lane.record.atOnce);
      await recorded;
      return result;
    },
    job: {
      runsLast: true,
      name: 'webhook-deliveries',
      // The worker's own lanes do the work as it falls due, side by side; only an advance of the clock asks for one platform.
      nextDue: async (tx, platformId) => {
        const at = platformId && (await findNextDue(tx, platformId));
        return platformId && at ? [{ platformId, at }] : [];
      },
      run: (_db, platformId, now, isOver) => drain(platformId, now, isOver),
    },
  };
}

const attemptOf = (
  { attempts }: ClaimedDelivery,
  url: string,
  requestHeaders: Headers,
  startedAt: Date,
  result: OutboundResult,
): Attempt => ({
  number: attempts + 1,
  url,
  requestHeaders,
  startedAt,
  durationMs: result.durationMs,
  ...(result.kind === 'ANSWERED'
    ? { responseStatus: result.status, responseBody: result.body, failure: null }
    : { responseStatus: null, responseBody: null, failure: result.failure }),
});

const isFirst = ({ failures }: ClaimedDelivery): boolean => failures === 0;

/** Deliveries of one object that stand in line go one after the other; every retry goes by itself. */
function linesOf(deliveries: readonly ClaimedDelivery[]): ClaimedDelivery[][] {
  const lines: ClaimedDelivery[][] = [];
  for (const delivery of deliveries) {
    const line = lines.at(-1);
    const head = line?.[0];
    if (delivery.failures === 0 && head?.failures === 0 && head.objectId === delivery.objectId) line?.push(delivery);
    else lines.push([delivery]);
  }
  return lines;
}
