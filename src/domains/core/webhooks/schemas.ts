// Wire shapes of events, attempts and keys, and the `webhooks` section of the API document.
import Type, { type TSchema } from 'typebox';
import type { WebhookDoc } from '../../../http/openapi.js';
import { Closed, Described, Enum, EventRef, pageOfSchema, Timestamp } from '../../../http/schemas.js';
import {
  type Attempt,
  DELIVERY_STATUSES,
  EVENT_CATALOGUE,
  type EventGroup,
  type EventReport,
  type EventType,
  type SigningKey,
  type StoredEvent,
} from './event.js';

export const EVENT_TYPES: readonly EventType[] = Object.values(EVENT_CATALOGUE).flat();

const WebhookType = Enum(EVENT_TYPES, { title: 'WebhookType' });

export const TestWebhookResponse = Type.Object(
  { response_status: Type.Integer(), response_body: Type.Optional(Type.String()), url: Type.Optional(Type.String({ format: 'uri' })) },
  { title: 'TestWebhookResponse' },
);

const WebhookAttempt = Type.Object(
  {
    number: Type.Integer(),
    url: Type.String(),
    requestHeaders: Type.Record(Type.String(), Type.String()),
    startedAt: Timestamp(),
    durationMs: Type.Integer(),
    responseStatus: Type.Optional(Type.Integer({ description: 'Absent when the receiver gave no answer.' })),
    responseBody: Type.Optional(Type.String({ description: 'The first 2 kB of the answer.' })),
    failure: Type.Optional(Type.String({ description: 'Why there was no answer.' })),
  },
  { title: 'WebhookAttempt' },
);

/** Members of every event, the same in deliveries, log and stream. */
const envelope = {
  id: Type.String({ description: 'The same on every attempt. A receiver recognises repeated deliveries by it.' }),
  timestamp: Timestamp({ description: 'When it happened, by the clock of the platform.' }),
  objectId: Type.String({ description: 'The object that changed.' }),
  sequence: Type.Integer({ minimum: 1, description: "Counts the object's events in the order of their commits." }),
};

export const CauseSchema = Type.Object(
  {
    requestId: Type.Optional(
      Type.String({
        description: 'The `X-Request-Id` of the request: of the one that made the change, or that ran the job.',
      }),
    ),
    job: Type.Optional(Type.String({ description: 'The job of the service that was due, such as `payment-rail-messages`.' })),
  },
  {
    title: 'EventCause',
    description: 'What made the change: a request, a job that was due, or a job that a request ran, as an advance of the clock does.',
  },
);

const WebhookDelivery = Type.Object(
  {
    deliveryStatus: Enum([...DELIVERY_STATUSES, 'NOT_QUEUED'], {
      description: 'NOT_QUEUED: the platform had no endpoint when the event occurred.',
    }),
    attemptCount: Type.Integer({ description: 'How many attempts were made.' }),
    nextAttemptAt: Type.Optional(Timestamp({ description: 'When the next attempt is due. Absent if none is.' })),
    cause: Type.Optional(CauseSchema),
    attempts: Type.Array(WebhookAttempt, { description: 'Latest first; a list shows the last three, the event itself all.' }),
  },
  { title: 'WebhookDelivery', description: 'How far the delivery of an event has come, and what made the event.' },
);

export const WebhookEvent = Type.Unsafe<unknown>({
  title: 'WebhookEvent',
  description: 'An event and its delivery.',
  // Not the union itself: where it stands in `allOf`, openapi-typescript takes the name of this schema for the value of its tag.
  allOf: [{ anyOf: [EventRef] }, WebhookDelivery],
});
export const WebhookEventListResponse = pageOfSchema(WebhookEvent, 'WebhookEventListResponse');

export const WebhookReplayRequest = Closed(
  {
    since: Timestamp({ description: 'Events that occurred at or after this time are sent again.' }),
    types: Type.Optional(Type.Array(WebhookType, { minItems: 1, maxItems: 50, uniqueItems: true })),
    undeliveredOnly: Type.Optional(Type.Boolean({ default: false })),
  },
  { title: 'WebhookReplayRequest' },
);
export const WebhookReplayResponse = Type.Object({ queued: Type.Integer() }, { title: 'WebhookReplayResponse' });

export const WebhookSigningKeys = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          publicKeyPem: Type.String({ description: 'P-256, verifies `X-Service-Signature`.' }),
          standardWebhooksPublicKey: Type.String({ description: '`whpk_…`, verifies the `v1a` part of `webhook-signature`.' }),
          createdAt: Timestamp(),
          retiresAt: Type.Optional(Timestamp({ description: 'Until when a key that has been replaced still signs.' })),
        },
        { title: 'WebhookSigningKey' },
      ),
    ),
  },
  { title: 'WebhookSigningKeyListResponse' },
);

export const WebhookSigningSecrets = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        { keyId: Type.String(), secret: Type.String({ description: '`whsec_…`, verifies the `v1` part of `webhook-signature`.' }) },
        { title: 'WebhookSigningSecret' },
      ),
    ),
  },
  { title: 'WebhookSigningSecretListResponse' },
);

export const WebhookKeyRotationRequest = Closed(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 86_400,
        description: 'How long both keys sign. 0 retires the old key at once: after two seconds no request is signed with it.',
      }),
    ),
  },
  { title: 'WebhookKeyRotationRequest' },
);

/** The body of every attempt of an event, byte for byte the same. */
export const renderEnvelope = ({ id, type, createdAt, objectId, sequence, data }: StoredEvent): string =>
  `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(createdAt)},` +
  `"objectId":${JSON.stringify(objectId)},"sequence":${sequence},"data":${data}}`;

export const renderEvent = (event: EventReport) => ({
  ...JSON.parse(renderEnvelope(event)),
  deliveryStatus: event.delivery?.status ?? 'NOT_QUEUED',
  attemptCount: event.delivery?.attempts ?? 0,
  ...(event.cause && { cause: event.cause }),
  ...(event.delivery?.nextAttemptAt ? { nextAttemptAt: event.delivery.nextAttemptAt } : {}),
  attempts: event.attempts.map(renderAttempt),
});

const renderAttempt = ({ number, url, requestHeaders, startedAt, durationMs, responseStatus, responseBody, failure }: Attempt) => ({
  number,
  url,
  requestHeaders,
  startedAt,
  durationMs,
  ...(failure === null ? { responseStatus, responseBody } : { failure }),
});

export const renderSigningKeys = (keys: readonly SigningKey[]) => ({
  data: keys.map(({ id, p256Pem, ed25519, createdAt, retiresAt }) => ({
    id,
    publicKeyPem: p256Pem,
    standardWebhooksPublicKey: ed25519,
    createdAt,
    ...(retiresAt ? { retiresAt } : {}),
  })),
});

// ---- the `webhooks` section of the API document

/** `INCOMING_PAYMENT.PENDING` asks for a decision, which the answer is. */
const DECISIONS: WebhookDoc['answers'] = {
  200: 'Received. An `INCOMING_PAYMENT.PENDING` is approved by it; `receiverCustomerInfo` in the body gives what the sender asks for.',
  202: 'Received. An `INCOMING_PAYMENT.PENDING` then waits five seconds for `approvePendingPayment` or `rejectPendingPayment`.',
  403: 'Rejects an `INCOMING_PAYMENT.PENDING`.',
  409: 'Already received; counts as delivered. An `INCOMING_PAYMENT.PENDING` is sent once: 409, or no answer within five seconds, fails the payment.',
  422: 'Fails an `INCOMING_PAYMENT.PENDING`, because what the sender asks for is not known.',
};

/** Payload name and summary of each group of events. */
const GROUPS: Readonly<
  Record<EventGroup, { readonly payload: string; readonly summary: string; readonly answers?: WebhookDoc['answers'] }>
> = {
  'agent-action': { payload: 'AgentActionWebhook', summary: "An agent's action waits for approval" },
  'incoming-payment': { payload: 'IncomingPaymentWebhook', summary: 'An incoming payment changed', answers: DECISIONS },
  'outgoing-payment': { payload: 'OutgoingPaymentWebhook', summary: 'An outgoing payment changed' },
  'test-webhook': { payload: 'TestWebhookRequest', summary: 'A test of the endpoint' },
  'bulk-upload': { payload: 'BulkUploadWebhook', summary: 'A bulk upload ended' },
  'invitation-claimed': { payload: 'InvitationClaimedWebhook', summary: 'An invitation was claimed' },
  'customer-update': { payload: 'CustomerWebhook', summary: "A customer's verification status changed" },
  'internal-account-status': { payload: 'InternalAccountStatusWebhook', summary: 'An internal account changed' },
  'external-account-status': { payload: 'ExternalAccountStatusWebhook', summary: "An external account's status changed" },
  'verification-update': { payload: 'VerificationWebhook', summary: 'A verification changed' },
  'card-status-change': { payload: 'CardStatusChangeWebhook', summary: "A card's status changed" },
  'card-pin-status-change': { payload: 'CardPinStatusChangeWebhook', summary: "A card's PIN status changed" },
  'card-transaction': { payload: 'CardTransactionWebhook', summary: 'A card transaction changed' },
  'wallet-operation': { payload: 'WalletOperationWebhook', summary: 'A wallet operation ended' },
};

/** The payload of a documented event that this version does not send. */
type NotSentYet = { readonly notSentYet: TSchema };
export const notSentYet = (schema: TSchema): NotSentYet => ({ notSentYet: schema });
const isNotSentYet = (data: TSchema | NotSentYet): data is NotSentYet => 'notSentYet' in data;

/** The schema of `data` by group of events. Leaving a group out does not compile. */
export type EventSchemas = Readonly<Record<Exclude<EventGroup, 'test-webhook'>, TSchema | NotSentYet>>;

export function webhookDocs(schemas: EventSchemas): WebhookDoc[] {
  return (Object.keys(GROUPS) as EventGroup[]).map((group) => {
    const { payload, summary, answers } = GROUPS[group];
    const data = group === 'test-webhook' ? Type.Object({}) : schemas[group];
    const unsent = isNotSentYet(data);
    const body = Type.Object(
      {
        id: envelope.id,
        type: Enum(EVENT_CATALOGUE[group], { description: 'What happened.' }),
        timestamp: envelope.timestamp,
        objectId: envelope.objectId,
        sequence: envelope.sequence,
        data: Described(unsent ? data.notSentYet : data, 'The object after the change, as the API shows it.'),
      },
      { title: payload, description: `${summary}.` },
    );
    return {
      name: group,
      types: EVENT_CATALOGUE[group],
      summary: unsent ? `${summary} (not sent by this version)` : summary,
      payload: body,
      answers,
    };
  });
}
