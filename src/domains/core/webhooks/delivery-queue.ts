// The deliveries of one platform as this process knows them: what waits, what is in progress, what was last read of the configuration.
import type { PlatformId } from '../../../kernel/ids.js';
import type { ClaimedDelivery } from './event.js';
import type { Recorders } from './outcomes.js';
import type { Headers, NamedKeys } from './signer.js';
import type { DeliveryConfig, QueueState } from './store-deliveries.js';

/** The values that all deliveries claimed in one transaction share. */
export type Claim = {
  readonly url: string;
  readonly keys: readonly NamedKeys[];
  readonly keyIds: string;
  readonly clock: Pick<QueueState, 'now' | 'frozen' | 'realNow'>;
  /** On the monotonic clock of this process. */
  readonly claimedAt: number;
};

/** Body and signatures of an attempt, made before its turn. `at` is on the monotonic clock. */
export type SignedRequest = { readonly body: Buffer; readonly headers: Promise<Headers>; readonly at: number };

/** Deliveries that are sent one after the other. `signed` holds the requests of the first of them. */
export type ClaimedBatch = {
  readonly claim: Claim;
  readonly deliveries: readonly ClaimedDelivery[];
  readonly signed: readonly SignedRequest[];
};

/** Snapshot of the delivery configuration. `readAt` is on the monotonic clock. */
export type ConfigSnapshot = DeliveryConfig & { readonly readAt: number };

export type DeliveryQueue = {
  readonly platformId: PlatformId;
  readonly record: Recorders;
  /** Concurrent requests to the endpoint at most; see `concurrencyAfter`. */
  limit: number;
  sending: number;
  waiting: ClaimedBatch[];
  isClaiming: boolean;
  /** The object after which the next claim continues. */
  afterObject: string;
  /** The endpoint's last 410. Earlier claims are released, and nothing is claimed until it is `recorded`. */
  gone: { readonly at: number; readonly recorded: Promise<unknown> };
  config: ConfigSnapshot;
  /** The read of the configuration that is in progress. */
  reading: Promise<void> | undefined;
};

const NEVER_GONE: DeliveryQueue['gone'] = { at: Number.NEGATIVE_INFINITY, recorded: Promise.resolve() };
const NEVER_READ: ConfigSnapshot = { url: null, stopped: false, keyIds: '', readAt: Number.NEGATIVE_INFINITY };

export const createQueue = (platformId: PlatformId, record: Recorders, limit: number): DeliveryQueue => ({
  platformId,
  record,
  limit,
  sending: 0,
  waiting: [],
  isClaiming: false,
  afterObject: '',
  gone: NEVER_GONE,
  config: NEVER_READ,
  reading: undefined,
});

/** Reads may overtake each other: the one that began last wins. */
export function keepLatest(queue: DeliveryQueue, config: ConfigSnapshot): void {
  if (config.readAt > queue.config.readAt) queue.config = config;
}
