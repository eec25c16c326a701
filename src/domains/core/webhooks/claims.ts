// Claims deliveries: leases them in the database and reads the endpoint and the signing keys that they are sent with.
import type { Db, Tx } from '../../../db/pool.js';
import { type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { Sender } from './attempts.js';
import { type Claim, type ClaimedBatch, type DeliveryQueue, keepLatest } from './delivery-queue.js';
import type { WebhookSigningKeyId } from './event.js';
import { batchByObject, isFirstAttempt, nextAfterObject } from './rules.js';
import type { NamedKeys } from './signer.js';
import { openSigningKeys } from './signing.js';
import { contextOf, ensureSigningKeys } from './signing-keys.js';
import { claimDeliveries, failOverdue, findDeliveryConfig, lockQueue, type QueueState, tuneForQueue } from './store-deliveries.js';

export type ClaimerDeps = {
  readonly db: Db;
  readonly custody: KeyCustody;
  readonly sign: Sender['sign'];
  readonly leaseMs: number;
  readonly freshMs: number;
};

export type Claimer = {
  /** Prepares a claim inside the caller's transaction. */
  openClaim(tx: Tx, platformId: PlatformId, state: QueueState): Promise<Claim>;
  /** Leases up to `limit` batches. `at` replaces the platform's clock during an advance of it. */
  claimBatches(queue: DeliveryQueue, limit: number, at?: Date): Promise<ClaimedBatch[]>;
  /** Whether the endpoint and the keys of a claim are still the platform's. */
  isCurrent(queue: DeliveryQueue, claim: Claim): Promise<boolean>;
};

const PER_OBJECT = 32;
/** A claim signs this many deliveries of a batch at once, which costs less than one by one. The rest are signed when they are sent. */
const SIGNED_AHEAD = 8;

export function createClaimer({ db, custody, sign, leaseMs, freshMs }: ClaimerDeps): Claimer {
  const opened = new Map<WebhookSigningKeyId, NamedKeys>();

  const openClaim: Claimer['openClaim'] = async (tx, platformId, state) => {
    const stored = await ensureSigningKeys(tx, custody, platformId, state.now);
    const keys = stored.map(({ id, sealed }) => {
      const key = opened.get(id) ?? { id, ...openSigningKeys(custody, sealed, contextOf(platformId, id)) };
      opened.set(id, key);
      return key;
    });
    return { url: state.url ?? '', keys, keyIds: stored.map(({ id }) => uuidOf(id)).join(), clock: state, claimedAt: performance.now() };
  };

  const claimBatches: Claimer['claimBatches'] = (queue, limit, at) =>
    db.transaction(async (tx) => {
      const { platformId } = queue;
      const readAt = performance.now();
      tuneForQueue(tx, { joins: 'NESTED' });
      const found = await lockQueue(tx, platformId);
      if (!found?.locked) return [];
      const state: QueueState = at ? { ...found, now: at, frozen: true } : found;
      const { url, stopped } = state;
      if (url === null || stopped) {
        keepLatest(queue, { url, stopped, keyIds: '', readAt });
        await failOverdue(tx, platformId, state.now);
        return [];
      }
      const claim = await openClaim(tx, platformId, state);
      keepLatest(queue, { url, stopped, keyIds: claim.keyIds, readAt });
      const take = (afterObject: string, retries: number) =>
        claimDeliveries(tx, platformId, { now: state.now, afterObject, objects: limit, perObject: PER_OBJECT, retries, leaseMs });
      const taken = await take(queue.afterObject, limit);
      const more = queue.afterObject !== '' && !taken.some(isFirstAttempt) ? await take('', 0) : [];
      const batches = batchByObject([...taken, ...more]);
      queue.afterObject = nextAfterObject(batches, limit);
      return batches.map(
        (deliveries): ClaimedBatch => ({
          claim,
          deliveries,
          signed: deliveries.slice(0, SIGNED_AHEAD).map((delivery) => sign(claim, delivery)),
        }),
      );
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
    claimBatches,
    async isCurrent(queue, claim) {
      // The claims of a busy queue keep its snapshot fresh, so this read is rare.
      if (performance.now() - queue.config.readAt >= freshMs) await readConfig(queue);
      const { url, stopped, keyIds } = queue.config;
      return url === claim.url && keyIds === claim.keyIds && !stopped;
    },
  };
}
