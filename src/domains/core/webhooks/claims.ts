// Claims deliveries: reads the log of a platform under a lease, leases delivery rows, and reads the endpoint and the signing keys that they
// are sent with.
import type { Db, Tx } from '../../../db/pool.js';
import { type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { createSerializer } from '../../../kernel/serializer.js';
import { plusMs } from '../../../kernel/time.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { Sender } from './attempts.js';
import { type Batch, type BatchItem, type Claim, type DeliveryQueue, keepLatest, type LogSession } from './delivery-queue.js';
import type { ClaimedDelivery, PositionedCommit, WebhookSigningKeyId } from './event.js';
import { createLogSession, unhandled } from './log-session.js';
import { givePositions } from './positions.js';
import {
  batchByObject,
  divertToRows,
  firstDelivery,
  isFirstAttempt,
  isOverdue,
  nextAfterObject,
  rowBeforeFirstAttempt,
  rowOfOverdue,
} from './rules.js';
import type { NamedKeys } from './signer.js';
import { openSigningKeys } from './signing.js';
import { contextOf, ensureSigningKeys } from './signing-keys.js';
import { claimDeliveries, failOverdue, findDeliveryConfig, insertDeliveries, tuneForQueue } from './store-deliveries.js';
import { type CursorState, listToSend, lockCursor, type QueueState, saveCursor } from './store-log.js';

export type ClaimerDeps = {
  readonly db: Db;
  readonly custody: KeyCustody;
  /** Names this process in leases. */
  readonly worker: string;
  readonly sign: Sender['sign'];
  readonly leaseMs: number;
  readonly freshMs: number;
};

export type ClaimLimits = {
  /** Batches of delivery rows. */
  readonly batches: number;
  /** Events of the log. The last commit is read whole. */
  readonly events: number;
};

export type Claimed = {
  /** Batches that nobody sends yet. Events of the log may also have been appended to batches that are being sent. */
  readonly batches: readonly Batch[];
  /** Events of the log whose object's batch was handed back while they were read. They must follow it. */
  readonly toHandBack: readonly ClaimedDelivery[];
  /** The clock of the claim; undefined if nothing is sent. */
  readonly clock: Claim['clock'] | undefined;
  /** Another transaction held the cursor, so nothing was claimed. */
  readonly isLocked: boolean;
};

export type Claimer = {
  /** Prepares a claim inside the caller's transaction. */
  openClaim(tx: Tx, platformId: PlatformId, state: QueueState): Promise<Claim>;
  /** Claims what is due. `at` replaces the platform's clock during an advance of it. */
  claim(queue: DeliveryQueue, limits: ClaimLimits, at?: Date): Promise<Claimed>;
  /** Whether the endpoint and the keys of a claim are still the platform's. */
  isCurrent(queue: DeliveryQueue, claim: Claim): Promise<boolean>;
};

const PER_OBJECT = 32;
/** A claim signs this many deliveries of a batch at once, which costs less than one by one. The rest are signed when they are sent. */
const SIGNED_AHEAD = 8;
const COMMITS_AT_ONCE = 128;
const EVENTS_AT_ONCE = 2_000;

/** What a claim has read of the log, to be remembered once its transaction has committed. */
type LogRead = {
  readonly session: LogSession;
  readonly readTo: bigint;
  readonly commits: readonly { readonly position: bigint; readonly deliveries: readonly ClaimedDelivery[] }[];
};

const NOTHING: Claimed = { batches: [], toHandBack: [], clock: undefined, isLocked: false };

export function createClaimer({ db, custody, worker, sign, leaseMs, freshMs }: ClaimerDeps): Claimer {
  const opened = new Map<WebhookSigningKeyId, NamedKeys>();
  const serialized = createSerializer();

  const openClaim: Claimer['openClaim'] = async (tx, platformId, state) => {
    const stored = await ensureSigningKeys(tx, custody, platformId, state.now);
    const keys = stored.map(({ id, sealed }) => {
      const key = opened.get(id) ?? { id, ...openSigningKeys(custody, sealed, contextOf(platformId, id)) };
      opened.set(id, key);
      return key;
    });
    return { url: state.url ?? '', keys, keyIds: stored.map(({ id }) => uuidOf(id)).join(), clock: state, claimedAt: performance.now() };
  };

  /** The session in which this process may read the log; undefined if another one holds the lease, or this one has lost its session. */
  const sessionOf = (queue: DeliveryQueue, state: CursorState): LogSession | undefined => {
    if (state.leasedBy === worker && queue.log && !queue.log.isLost) return queue.log;
    return state.leased ? undefined : createLogSession(state);
  };

  const leasedUntil = (state: CursorState): Date => plusMs(state.realNow, leaseMs);

  /** Reads the next events to send, gives positions if it has come to the end of the log, and saves the cursor. */
  const readLog = async (tx: Tx, queue: DeliveryQueue, state: CursorState, events: number): Promise<LogRead | undefined> => {
    const { platformId } = queue;
    const session = sessionOf(queue, state);
    if (!session || events <= 0) return undefined;
    const limit = { commits: COMMITS_AT_ONCE, events };
    let { readTo } = session;
    let { lastPosition } = state;
    let commits: PositionedCommit[];
    if (readTo < lastPosition) {
      commits = await listToSend(tx, platformId, { ...limit, after: readTo, upTo: lastPosition, claimed: session.takenOver });
      const isAll = commits.length < limit.commits && commits.reduce((sum, commit) => sum + commit.events.length, 0) < limit.events;
      readTo = isAll ? lastPosition : (commits.at(-1)?.position ?? readTo);
    } else {
      commits = await givePositions(tx, platformId, state, limit);
      lastPosition = commits.at(-1)?.position ?? lastPosition;
      readTo = lastPosition;
    }
    const { toSend, toRows } = divertToRows(commits, (objectId) => session.chains.has(objectId));
    const withDeliveries = toSend.map(({ position, events }) => ({
      position,
      deliveries: events.map((event) => firstDelivery(event, state.now)),
    }));
    if (toRows.length > 0)
      insertDeliveries(
        tx,
        platformId,
        toRows.map((event) => rowBeforeFirstAttempt(firstDelivery(event, state.now), state.now)),
      );
    const settledBefore = session.settledWith([]);
    const isIdle = settledBefore === session.readTo && withDeliveries.length === 0;
    const claimed = readTo > state.claimed ? readTo : state.claimed;
    const lease = isIdle && readTo === claimed ? null : { by: worker, until: leasedUntil(state) };
    saveCursor(tx, platformId, { lastPosition, settled: isIdle ? readTo : settledBefore, claimed, lease });
    return { session, readTo, commits: withDeliveries };
  };

  /** Without a usable endpoint positions are given as well, for the stream. Events whose retry period has ended are failed. */
  const passWithoutEndpoint = async (tx: Tx, queue: DeliveryQueue, state: CursorState): Promise<void> => {
    const { platformId } = queue;
    await failOverdue(tx, platformId, state.now);
    const isFree = !state.leased || (state.leasedBy === worker && queue.log?.settledWith([]) === queue.log?.readTo);
    const limit = { commits: COMMITS_AT_ONCE, events: EVENTS_AT_ONCE };
    const given = await givePositions(tx, platformId, state, limit);
    const lastPosition = given.at(-1)?.position ?? state.lastPosition;
    let { settled } = state;
    if (isFree && settled < state.lastPosition) {
      const waiting = await listToSend(tx, platformId, { ...limit, after: settled, upTo: state.lastPosition, claimed: state.claimed });
      const end = waiting.findIndex((commit) => !commit.events.every((event) => isOverdue(event, state.now)));
      const overdue = end < 0 ? waiting : waiting.slice(0, end);
      const rows = overdue.flatMap((commit) => unhandled(commit)).map((event) => rowOfOverdue(firstDelivery(event, state.now), state.now));
      if (rows.length > 0) insertDeliveries(tx, platformId, rows);
      settled = waiting.length === 0 ? state.lastPosition : (overdue.at(-1)?.position ?? settled);
    }
    if (settled === state.lastPosition && !given.some(({ events }) => events.some(({ queued }) => queued))) settled = lastPosition;
    const claimed = settled > state.claimed ? settled : state.claimed;
    saveCursor(tx, platformId, { lastPosition, settled, claimed, lease: isFree ? null : undefined });
    if (isFree && queue.log) queue.log.isLost = true;
  };

  const itemsOf = (claim: Claim, deliveries: readonly ClaimedDelivery[]): BatchItem[] =>
    deliveries.map((delivery, i) => ({ claim, delivery, signed: i < SIGNED_AHEAD ? sign(claim, delivery) : undefined }));

  /** Appends each event to the batch of its object, or begins one. */
  const remember = (queue: DeliveryQueue, { session, readTo, commits }: LogRead, claim: Claim | undefined): Claimed => {
    if (queue.log !== session) {
      if (queue.log) queue.log.isLost = true;
      queue.log = session;
    }
    session.add(
      commits.map(({ position, deliveries }) => ({ position, ids: deliveries.map(({ id }) => id) })),
      readTo,
    );
    if (!claim) return NOTHING;
    const batches: Batch[] = [];
    const toHandBack: ClaimedDelivery[] = [];
    for (const delivery of commits.flatMap(({ deliveries }) => deliveries)) {
      const chain = session.chains.get(delivery.objectId);
      if (chain?.isHandedBack) toHandBack.push(delivery);
      else if (chain) chain.items.push({ claim, delivery, signed: undefined });
      else {
        const batch: Batch = { items: itemsOf(claim, [delivery]), session, isHandedBack: false };
        session.chains.set(delivery.objectId, batch);
        batches.push(batch);
      }
    }
    return { batches, toHandBack, clock: claim.clock, isLocked: false };
  };

  const claimRows = async (tx: Tx, queue: DeliveryQueue, state: CursorState, limit: number): Promise<ClaimedDelivery[][]> => {
    const request = { now: state.now, realNow: state.realNow, leasedUntil: leasedUntil(state), objects: limit, perObject: PER_OBJECT };
    const take = (afterObject: string, retries: number) => claimDeliveries(tx, queue.platformId, { ...request, afterObject, retries });
    const taken = await take(queue.afterObject, limit);
    const more = queue.afterObject !== '' && !taken.some(isFirstAttempt) ? await take('', 0) : [];
    return batchByObject([...taken, ...more]);
  };

  const claim: Claimer['claim'] = (queue, limits, at) =>
    serialized(queue.platformId, async () => {
      const readAt = performance.now();
      const read = await db.transaction(async (tx) => {
        tuneForQueue(tx, { joins: 'NESTED' });
        const found = await lockCursor(tx, queue.platformId, { waits: false });
        if (!found) return undefined;
        const state: CursorState = at ? { ...found, now: at, frozen: true } : found;
        const { url, stopped } = state;
        if (url === null || stopped) {
          await passWithoutEndpoint(tx, queue, state);
          return { url, stopped, claim: undefined, log: undefined, rows: [] };
        }
        const log = await readLog(tx, queue, state, limits.events);
        const rows = state.hasRows ? await claimRows(tx, queue, state, limits.batches) : [];
        const isNeeded = rows.length > 0 || (log?.commits.length ?? 0) > 0;
        return { url, stopped, claim: isNeeded ? await openClaim(tx, queue.platformId, state) : undefined, log, rows };
      });
      if (!read) return { ...NOTHING, isLocked: true };
      const { url, stopped, claim, log, rows } = read;
      if (url === null || stopped) keepLatest(queue, { url, stopped, keyIds: '', readAt });
      else if (claim) keepLatest(queue, { url, stopped, keyIds: claim.keyIds, readAt });
      const fromLog = log ? remember(queue, log, claim) : NOTHING;
      if (!claim) return fromLog;
      queue.afterObject = nextAfterObject(rows, limits.batches);
      const fromRows = rows.map((deliveries): Batch => ({ items: itemsOf(claim, deliveries), session: undefined, isHandedBack: false }));
      return { ...fromLog, batches: [...fromRows, ...fromLog.batches] };
    });

  /** Batches that need the configuration at the same time share one read. */
  const readConfig = (queue: DeliveryQueue): Promise<void> => {
    const readAt = performance.now();
    queue.reading ??= findDeliveryConfig(db, queue.platformId)
      .then((config) => keepLatest(queue, { ...config, readAt }))
      .finally(() => {
        queue.reading = undefined;
      });
    return queue.reading;
  };

  return {
    openClaim,
    claim,
    async isCurrent(queue, { url, keyIds }) {
      // The claims of a busy queue keep its snapshot fresh, so this read is rare.
      if (performance.now() - queue.config.readAt >= freshMs) await readConfig(queue);
      const { config } = queue;
      return url === config.url && keyIds === config.keyIds && !config.stopped;
    },
  };
}
