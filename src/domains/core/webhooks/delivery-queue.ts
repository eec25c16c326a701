// The deliveries of one platform as this process knows them: what waits, what is in progress, what was last read of the configuration.
import type { PlatformId } from '../../../kernel/ids.js';
import type { ClaimedDelivery, WebhookId } from './event.js';
import type { Headers, NamedKeys } from './signer.js';
import type { DeliveryConfig } from './store-deliveries.js';
import type { QueueState } from './store-log.js';

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

export type BatchItem = { readonly claim: Claim; readonly delivery: ClaimedDelivery; readonly signed: SignedRequest | undefined };

/** Deliveries that are sent one after the other. Events of the log are appended while the batch is sent. */
export type Batch = {
  readonly items: BatchItem[];
  /** Of deliveries that were read from the log. */
  readonly session: LogSession | undefined;
  /** The rest of the batch has been left to delivery rows. */
  isHandedBack: boolean;
};

/** What a worker that holds the lease of a platform's log remembers. */
export type LogSession = {
  /** Up to this position the log has been read. */
  readonly readTo: bigint;
  /** Up to this position an earlier worker may have sent events. */
  readonly takenOver: bigint;
  /** Deliveries in memory by object. Later events of the object are appended. */
  readonly chains: Map<string, Batch>;
  /** An outcome could not be written: nothing more is sent until the lease has run out and the log is read again. */
  isLost: boolean;
  /** Remembers events that are sent, or left to delivery rows. */
  add(commits: readonly { readonly position: bigint; readonly ids: readonly WebhookId[] }[], readTo: bigint): void;
  /** The position up to which everything is settled once these events are. */
  settledWith(ids: readonly WebhookId[]): bigint;
  settle(ids: readonly WebhookId[]): void;
};

/** Snapshot of the delivery configuration. `readAt` is on the monotonic clock. */
export type ConfigSnapshot = DeliveryConfig & { readonly readAt: number };

export type DeliveryQueue = {
  readonly platformId: PlatformId;
  /** Concurrent requests to the endpoint at most; see `concurrencyAfter`. */
  limit: number;
  sending: number;
  waiting: Batch[];
  /** Questions that the platform is being asked, and that wait for their turn. They take no place of other events. */
  asking: number;
  questions: Batch[];
  isClaiming: boolean;
  /** The object after which the next claim of delivery rows continues. */
  afterObject: string;
  /** The lease of the platform's log, while this process holds it. */
  log: LogSession | undefined;
  /** Deliveries that are being handed back. Nothing is claimed before that is written. */
  handingBack: Promise<unknown>;
  /** The endpoint's last 410. Earlier claims are released, and nothing is claimed until it is `recorded`. */
  gone: { readonly at: number; readonly recorded: Promise<unknown> };
  config: ConfigSnapshot;
  /** The read of the configuration that is in progress. */
  reading: Promise<void> | undefined;
};

const NEVER_GONE: DeliveryQueue['gone'] = { at: Number.NEGATIVE_INFINITY, recorded: Promise.resolve() };
const NEVER_READ: ConfigSnapshot = { url: null, stopped: false, keyIds: '', readAt: Number.NEGATIVE_INFINITY };

export const createQueue = (platformId: PlatformId, limit: number): DeliveryQueue => ({
  platformId,
  limit,
  sending: 0,
  waiting: [],
  asking: 0,
  questions: [],
  isClaiming: false,
  afterObject: '',
  log: undefined,
  handingBack: Promise.resolve(),
  gone: NEVER_GONE,
  config: NEVER_READ,
  reading: undefined,
});

/** Reads may overtake each other: the one that began last wins. */
export function keepLatest(queue: DeliveryQueue, config: ConfigSnapshot): void {
  if (config.readAt > queue.config.readAt) queue.config = config;
}
