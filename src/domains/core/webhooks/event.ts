// Events and the state of their delivery. Types and the catalogue; no behaviour.
import type { Cause } from '../../../db/pool.js';
import type { Id } from '../../../kernel/ids.js';

export type WebhookId = Id<'Webhook'>;
export type WebhookSigningKeyId = Id<'WebhookSigningKey'>;

/** Every event type, spelled as on the wire and grouped by the schema of `data`. */
export const EVENT_CATALOGUE = {
  'agent-action': ['AGENT_ACTION.PENDING_APPROVAL'],
  'incoming-payment': [
    'INCOMING_PAYMENT.PENDING',
    'INCOMING_PAYMENT.PROCESSING',
    'INCOMING_PAYMENT.COMPLETED',
    'INCOMING_PAYMENT.FAILED',
    'INCOMING_PAYMENT.REFUND_PENDING',
    'INCOMING_PAYMENT.REFUND_COMPLETED',
    'INCOMING_PAYMENT.REFUND_FAILED',
  ],
  'outgoing-payment': [
    'OUTGOING_PAYMENT.PENDING',
    'OUTGOING_PAYMENT.PENDING_AUTHORIZATION',
    'OUTGOING_PAYMENT.PROCESSING',
    'OUTGOING_PAYMENT.COMPLETED',
    'OUTGOING_PAYMENT.FAILED',
    'OUTGOING_PAYMENT.EXPIRED',
    'OUTGOING_PAYMENT.REFUND_PENDING',
    'OUTGOING_PAYMENT.REFUND_COMPLETED',
    'OUTGOING_PAYMENT.REFUND_FAILED',
  ],
  'test-webhook': ['TEST'],
  'bulk-upload': ['BULK_UPLOAD.COMPLETED', 'BULK_UPLOAD.FAILED'],
  'invitation-claimed': ['INVITATION.CLAIMED'],
  'customer-update': [
    'CUSTOMER.KYC_APPROVED',
    'CUSTOMER.KYC_REJECTED',
    'CUSTOMER.KYC_PENDING',
    'CUSTOMER.KYB_APPROVED',
    'CUSTOMER.KYB_REJECTED',
    'CUSTOMER.KYB_PENDING',
  ],
  'internal-account-status': [
    'INTERNAL_ACCOUNT.BALANCE_UPDATED',
    'INTERNAL_ACCOUNT.STATUS_UPDATED',
    'INTERNAL_ACCOUNT.FUNDING_INSTRUCTIONS_UPDATED',
  ],
  'external-account-status': ['EXTERNAL_ACCOUNT.STATUS_UPDATED'],
  'verification-update': [
    'VERIFICATION.APPROVED',
    'VERIFICATION.REJECTED',
    'VERIFICATION.RESOLVE_ERRORS',
    'VERIFICATION.IN_PROGRESS',
    'VERIFICATION.PENDING_MANUAL_REVIEW',
    'VERIFICATION.READY_FOR_VERIFICATION',
  ],
  'card-status-change': ['card.status_change'],
  'card-pin-status-change': ['CARD.PIN_STATUS_CHANGE'],
  'card-transaction': [
    'CARD_TRANSACTION.AUTHORIZED',
    'CARD_TRANSACTION.PARTIALLY_SETTLED',
    'CARD_TRANSACTION.SETTLED',
    'CARD_TRANSACTION.DECLINED',
    'CARD_TRANSACTION.VOIDED',
    'CARD_TRANSACTION.EXCEPTION',
  ],
  'wallet-operation': ['WALLET_OPERATION.COMPLETED', 'WALLET_OPERATION.FAILED'],
} as const;

/** The member of the OpenAPI document's `webhooks` section that describes a group of events. */
export const EVENT_TYPES: readonly string[] = Object.values(EVENT_CATALOGUE).flat();

export type EventGroup = keyof typeof EVENT_CATALOGUE;
export type EventType = (typeof EVENT_CATALOGUE)[EventGroup][number];

/** A resource as the API renders it. Its schema belongs to the domain that sends the event. */
export type JsonObject = { readonly [member: string]: unknown };

/** `data` of each type: a rendered resource, or an empty object for TEST. */
export type EventData = { [T in EventType]: T extends 'TEST' ? { readonly [member: string]: never } : JsonObject };

/**
 * `objectId` is the wire id of the object that changed. The events of one object are numbered and sent in order. `cause` is given where
 * several requests share a transaction; otherwise it is the cause of the transaction.
 */
export type NewEvent = {
  [T in EventType]: {
    readonly type: T;
    readonly objectId: string;
    readonly data: EventData[T];
    readonly cause?: Cause | undefined;
    /** The transaction that writes the event also makes its object: no earlier event is looked for. */
    readonly isFirst?: boolean | undefined;
  };
}[EventType];

/** An event as stored. `data` is the JSON text that every attempt sends. */
export type StoredEvent = {
  readonly id: WebhookId;
  readonly type: EventType;
  readonly objectId: string;
  readonly sequence: number;
  readonly data: string;
  readonly createdAt: Date;
};

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type Delivery = { readonly status: DeliveryStatus; readonly attempts: number; readonly nextAttemptAt: Date | null };

export type Attempt = {
  readonly number: number;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly startedAt: Date;
  readonly durationMs: number;
} & (
  | { readonly responseStatus: number; readonly responseBody: string; readonly failure: null }
  | { readonly responseStatus: null; readonly responseBody: null; readonly failure: string }
);

/** An attempt as the live view shows it, without what was sent and answered. */
export type AttemptReport = {
  readonly eventId: WebhookId;
  readonly number: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly responseStatus: number | null;
  readonly failure: string | null;
};

/** A commit in the log and the place of an event in it. The place is 0 before the first event. */
export type StreamPosition = { readonly position: bigint; readonly place: number };

/** `delivery` is null for an event that was never queued, because the platform had no endpoint. */
export type EventReport = StoredEvent & {
  readonly delivery: Delivery | null;
  readonly attempts: readonly Attempt[];
  /** Null for an event from before causes were kept, and for one that an operator's tool made. */
  readonly cause: Cause | null;
};

/** An event to send. */
export type ClaimedDelivery = StoredEvent & {
  readonly attempts: number;
  readonly failures: number;
  readonly retryUntil: Date;
  /** It was read from the log and has no delivery row. */
  readonly fromLog: boolean;
};

/** An event in the log. */
export type LoggedEvent = StoredEvent & {
  /** Whether the deliverer sends it. */
  readonly queued: boolean;
  /** An attempt or a delivery row shows that a worker has sent it, or has left it to the delivery rows. */
  readonly handled: boolean;
  /** Earlier events of its object wait for their first attempt in delivery rows. */
  readonly isBehindRows: boolean;
};

/** The events of one commit, in the order in which they were written. */
export type LoggedCommit = { readonly id: string; readonly events: readonly LoggedEvent[] };
export type PositionedCommit = LoggedCommit & { readonly position: bigint };

export type SigningKey = {
  readonly id: WebhookSigningKeyId;
  readonly p256Pem: string;
  readonly ed25519: string;
  readonly sealed: Buffer;
  readonly createdAt: Date;
  readonly retiresAt: Date | null;
};
