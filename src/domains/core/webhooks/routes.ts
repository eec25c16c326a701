// Webhooks: TEST events, and beyond the contract the operations to inspect and repeat deliveries.
import Type from 'typebox';
import type { Db } from '../../../db/pool.js';
import { createStreamLimiter, streamAnswer } from '../../../http/event-stream.js';
import { accepted, type Caller, type Operation, ok, operation } from '../../../http/operation.js';
import { Enum, EventRef, pageQuery, Timestamp } from '../../../http/schemas.js';
import { parseId } from '../../../kernel/ids.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
import { timestamp } from '../../../kernel/time.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { getEvent, getStreamStart, replayEvents, resendEvent, sendTest } from './actions.js';
import type { Deliverer } from './delivery.js';
import { DELIVERY_STATUSES } from './event.js';
import { idBounds } from './log-rules.js';
import {
  EVENT_TYPES,
  renderEvent,
  renderSigningKeys,
  TestWebhookResponse,
  WebhookEvent,
  WebhookEventListResponse,
  WebhookKeyRotationRequest,
  WebhookReplayRequest,
  WebhookReplayResponse,
  WebhookSigningKeys,
  WebhookSigningSecrets,
} from './schemas.js';
import { ensureSigningKeys, openSecret, rotateSigningKeys } from './signing-keys.js';
import { type EventFilter, listEvents } from './store.js';
import { streamEvents } from './stream.js';

export type WebhookDeps = {
  readonly db: Db;
  readonly custody: KeyCustody;
  readonly deliverer: Deliverer;
  /** The clock of a platform can differ from the real one. */
  readonly isSandbox: boolean;
  /** Aborted when the service stops: streams end. */
  readonly closing: AbortSignal;
  /** Whether the credential of a caller is still valid. */
  readonly isUsable: (caller: Caller) => Promise<boolean>;
};

const LISTED_ATTEMPTS = 3;

export function webhookRoutes({ db, custody, deliverer, isSandbox, closing, isUsable }: WebhookDeps): Operation[] {
  const streams = createStreamLimiter();

  /** Served on the current path and on the deprecated one. */
  const test = (id: string, path: string, { deprecated }: { readonly deprecated: boolean }): Operation =>
    operation({
      id,
      method: 'POST',
      path,
      tag: 'Sandbox',
      summary: 'Send a TEST event to the webhook endpoint and see its answer',
      command: 'webhooks test',
      permission: 'MANAGE',
      sandbox: deprecated,
      deprecated,
      ungated: 'WAITS',
      success: { 200: TestWebhookResponse },
      errors: ['WEBHOOK_ENDPOINT_NOT_SET', 'WEBHOOK_DELIVERY_ERROR'],
      handle: async ({ platformId, requestId, now }) => {
        const { url, status, body } = await sendTest(db.causedBy({ requestId }), deliverer, platformId, now);
        return ok({ response_status: status, response_body: body, url });
      },
    });

  return [
    test('sendTestWebhook', '/webhooks/test', { deprecated: false }),
    test('sendSandboxTestWebhook', '/sandbox/webhooks/test', { deprecated: true }),
    operation({
      id: 'listWebhookEvents',
      method: 'GET',
      path: '/webhooks/events',
      tag: 'Webhooks',
      summary: 'List events, newest first, with their latest attempts',
      permission: 'VIEW',
      query: Type.Object(
        {
          ...pageQuery,
          type: Type.Optional(Enum(EVENT_TYPES)),
          objectId: Type.Optional(Type.String({ maxLength: 200 })),
          deliveryStatus: Type.Optional(Enum(DELIVERY_STATUSES)),
          createdAfter: Type.Optional(Timestamp({ description: 'At or after this moment.' })),
          createdBefore: Type.Optional(Timestamp()),
        },
        { additionalProperties: false },
      ),
      success: { 200: WebhookEventListResponse },
      handle: async ({ platformId, query: { limit = 20, cursor, ...wanted } }) => {
        const scope = ['listWebhookEvents', platformId, wanted];
        const period = {
          ...(wanted.createdAfter && { createdFrom: timestamp(wanted.createdAfter) }),
          ...(wanted.createdBefore && { createdBefore: timestamp(wanted.createdBefore) }),
        };
        const filter: EventFilter = {
          ...(wanted.type && { types: [wanted.type] }),
          ...(wanted.objectId !== undefined && { objectId: wanted.objectId }),
          ...(wanted.deliveryStatus && { status: wanted.deliveryStatus }),
          ...period,
          ...(!isSandbox && idBounds(period)),
        };
        const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
        const page = { limit, after, attempts: LISTED_ATTEMPTS };
        return ok(renderPage(await listEvents(db, platformId, filter, page, scope), renderEvent));
      },
    }),
    operation({
      id: 'getWebhookEvent',
      method: 'GET',
      path: '/webhooks/events/{id}',
      tag: 'Webhooks',
      summary: 'Get an event with every attempt to deliver it',
      permission: 'VIEW',
      success: { 200: WebhookEvent },
      errors: ['NOT_FOUND'],
      handle: async ({ platformId, params }) => ok(renderEvent(await getEvent(db, platformId, parseId('Webhook', params.id)))),
    }),
    operation({
      id: 'resendWebhookEvent',
      method: 'POST',
      path: '/webhooks/events/{id}/resend',
      tag: 'Webhooks',
      summary: 'Send an event again',
      permission: 'MANAGE',
      success: { 202: WebhookEvent },
      errors: ['NOT_FOUND', 'WEBHOOK_ENDPOINT_NOT_SET'],
      write: async (tx, { platformId, now, params }) =>
        accepted(renderEvent(await resendEvent(tx, platformId, now, parseId('Webhook', params.id)))),
    }),
    operation({
      id: 'replayWebhookEvents',
      method: 'POST',
      path: '/webhooks/replay',
      tag: 'Webhooks',
      summary: 'Send again every event since a moment',
      command: 'webhooks replay',
      permission: 'MANAGE',
      body: WebhookReplayRequest,
      success: { 202: WebhookReplayResponse },
      errors: ['WEBHOOK_ENDPOINT_NOT_SET'],
      handle: async ({ platformId, now, body: { since, types, undeliveredOnly = false } }) => {
        const period = { createdFrom: timestamp(since) };
        const replay = { ...period, ...(!isSandbox && idBounds(period)), ...(types && { types }), undeliveredOnly };
        return accepted({ queued: await replayEvents(db, platformId, now, replay) });
      },
    }),
    operation({
      id: 'listWebhookSigningKeys',
      method: 'GET',
      path: '/webhooks/signing-keys',
      tag: 'Webhooks',
      summary: 'List the public keys that verify webhooks',
      permission: 'VIEW',
      success: { 200: WebhookSigningKeys },
      handle: async ({ platformId, now }) =>
        ok(renderSigningKeys(await db.transaction((tx) => ensureSigningKeys(tx, custody, platformId, now)))),
    }),
    operation({
      id: 'listWebhookSigningSecrets',
      method: 'GET',
      path: '/webhooks/signing-secrets',
      tag: 'Webhooks',
      summary: 'List the shared secrets, for libraries that verify `v1` signatures only',
      permission: 'MANAGE',
      success: { 200: WebhookSigningSecrets },
      handle: async ({ platformId, now }) => {
        const keys = await db.transaction((tx) => ensureSigningKeys(tx, custody, platformId, now));
        return ok({ data: keys.map((key) => ({ keyId: key.id, secret: openSecret(custody, platformId, key) })) });
      },
    }),
    operation({
      id: 'rotateWebhookSigningKeys',
      method: 'POST',
      path: '/webhooks/signing-keys/rotate',
      tag: 'Webhooks',
      summary: 'Replace the signing keys; both generations sign during the overlap',
      command: 'webhooks signing-keys rotate',
      permission: 'MANAGE',
      body: WebhookKeyRotationRequest,
      bodyOptional: true,
      success: { 200: WebhookSigningKeys },
      errors: ['CONFLICT'],
      write: async (tx, { platformId, now, body: { overlapSeconds = 86_400 } }) =>
        ok(renderSigningKeys(await rotateSigningKeys(tx, custody, platformId, now, overlapSeconds * 1_000))),
    }),
    operation({
      id: 'streamWebhookEvents',
      method: 'GET',
      path: '/webhooks/stream',
      tag: 'Webhooks',
      summary: 'Stream events as they happen, as server-sent events',
      command: 'webhooks events stream',
      permission: 'VIEW',
      headerParameters: [
        {
          name: 'Last-Event-ID',
          description:
            'The last event seen: the stream goes on after it. Wins over `lastEventId`. If that event is no longer kept, the answer is 404 with `keptSince` in its details.',
        },
      ],
      query: Type.Object({ lastEventId: Type.Optional(Type.String({ maxLength: 200 })) }, { additionalProperties: false }),
      success: { 200: EventRef },
      produces: ['text/event-stream'],
      errors: ['NOT_FOUND'],
      handle: async ({ caller, platformId, headers, query }) => {
        // A browser that reconnects repeats the same URL and sends the last event it received in the header.
        const lastEventId = headers['last-event-id'] ?? query.lastEventId;
        const from = await getStreamStart(db, platformId, lastEventId);
        const onClosed = streams.open(platformId);
        return streamAnswer(streamEvents(db, { platformId, from, until: closing, isAllowed: () => isUsable(caller) }, onClosed));
      },
    }),
  ];
}
