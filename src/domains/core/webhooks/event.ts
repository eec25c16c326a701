// What the service tells a platform, and the state of telling it. Types and the catalogue; no behaviour.
import type { Id } from '../../../kernel/ids.js';

export type WebhookId = Id<'Webhook'>;
export type WebhookSigningKeyId = Id<'WebhookSigningKey'>;

/** Every kind of event there is, spelled as on the wire and grouped by what `data` holds. */
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
export type EventGroup = keyof typeof EVENT_CATALOGUE;
export type EventType = (typeof EVENT_CATALOGUE)[EventGroup][number];

/** A resource as the API renders it. Its schema belongs to the domain that owns it. */
export type JsonObject = { readonly [member: string]: unknown };

/** `data` of each kind: a rendered resource, or nothing at all for TEST. */
export type EventData = { [T in EventType]: T extends 'TEST' ? { readonly [member: string]: never } : JsonObject };

/** `objectId` is the wire id of the object told about: its events are numbered and sent in order. */
export type NewEvent = { [T in EventType]: { readonly type: T; readonly objectId: string; readonly data: EventData[T] } }[EventType];

/** An event as it was written. `data` is the JSON text that every attempt carries. */
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

/** `delivery` is null where the platform had no endpoint to send to. */
export type EventReport = StoredEvent & { readonly delivery: Delivery | null; readonly attempts: readonly Attempt[] };

/** A delivery that a worker holds the lease of. */
export type ClaimedDelivery = StoredEvent & { readonly attempts: number; readonly failures: number; readonly retryUntil: Date };

export type SigningKey = {
  readonly id: WebhookSigningKeyId;
  readonly p256Pem: string;
  readonly ed25519: string;
  readonly sealed: Buffer;
  readonly createdAt: Date;
  readonly retiresAt: Date | null;
};
