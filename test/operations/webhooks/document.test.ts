// "the OpenAPI document lists each with its payload under `webhooks`", and /metrics tells of the queue.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NewEvent } from '../../../src/domains/webhooks/event.js';
import { newId } from '../../../src/kernel/ids.js';
import { startTestService, type TestService } from '../../support/service.js';
import { cardEvent, givenEndpoint, settle, tell } from '../../support/webhooks/platform.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

/** Restated from the specification and the API's public catalogue. */
const NAMED = [
  ...['EXTERNAL_ACCOUNT.STATUS_UPDATED', 'card.status_change', 'CARD.PIN_STATUS_CHANGE', 'TEST', 'INVITATION.CLAIMED'],
  ...[
    'CUSTOMER.KYC_APPROVED',
    'CUSTOMER.KYC_REJECTED',
    'CUSTOMER.KYC_PENDING',
    'CUSTOMER.KYB_APPROVED',
    'CUSTOMER.KYB_REJECTED',
    'CUSTOMER.KYB_PENDING',
  ],
  ...['INTERNAL_ACCOUNT.BALANCE_UPDATED', 'INTERNAL_ACCOUNT.STATUS_UPDATED', 'INTERNAL_ACCOUNT.FUNDING_INSTRUCTIONS_UPDATED'],
  ...['CARD_TRANSACTION.AUTHORIZED', 'CARD_TRANSACTION.PARTIALLY_SETTLED', 'CARD_TRANSACTION.SETTLED'],
  ...['CARD_TRANSACTION.DECLINED', 'CARD_TRANSACTION.VOIDED', 'CARD_TRANSACTION.EXCEPTION'],
  ...[
    'WALLET_OPERATION.COMPLETED',
    'WALLET_OPERATION.FAILED',
    'BULK_UPLOAD.COMPLETED',
    'BULK_UPLOAD.FAILED',
    'AGENT_ACTION.PENDING_APPROVAL',
  ],
  ...['VERIFICATION.APPROVED', 'VERIFICATION.REJECTED', 'VERIFICATION.RESOLVE_ERRORS', 'VERIFICATION.IN_PROGRESS'],
  ...['VERIFICATION.PENDING_MANUAL_REVIEW', 'VERIFICATION.READY_FOR_VERIFICATION'],
  ...['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'REFUND_PENDING', 'REFUND_COMPLETED', 'REFUND_FAILED'].map(
    (state) => `INCOMING_PAYMENT.${state}`,
  ),
  ...[
    'PENDING',
    'PENDING_AUTHORIZATION',
    'PROCESSING',
    'COMPLETED',
    'FAILED',
    'EXPIRED',
    'REFUND_PENDING',
    'REFUND_COMPLETED',
    'REFUND_FAILED',
  ].map((state) => `OUTGOING_PAYMENT.${state}`),
];

type Schema = { $ref?: string; properties: Record<string, { enum?: string[] }>; required: string[] };
type Webhook = { post: { operationId: string; requestBody: { content: { 'application/json': { schema: Schema } } } } };

test('every kind of event stands in the document, each once, with an envelope and data', () => {
  const { webhooks, components } = service.contract.document as unknown as {
    webhooks: Record<string, Webhook>;
    components: { schemas: Record<string, Schema> };
  };
  const types = Object.values(webhooks).flatMap(({ post }) => {
    const { $ref = '' } = post.requestBody.content['application/json'].schema;
    const payload = components.schemas[$ref.split('/').at(-1) ?? ''];
    assert.ok(payload, $ref);
    for (const member of ['id', 'type', 'timestamp', 'sequence', 'objectId', 'data']) assert.ok(payload.required.includes(member), member);
    return payload.properties['type']?.enum ?? [];
  });
  assert.deepEqual([...types].sort(), [...NAMED].sort());
});

test('an unknown type does not compile', () => {
  // @ts-expect-error: there is no such event
  const unknown: NewEvent = { type: 'CARD.EXPLODED', objectId: newId('Card'), data: {} };
  assert.ok(unknown);
});

test('"Queue depth and delivery outcomes are in /metrics"', async () => {
  const metric = async (line: string) => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(
      text
        .split('\n')
        .find((one) => one.startsWith(`${line} `))
        ?.slice(line.length + 1),
    );
  };
  const { platform } = service;
  await platform.clock.freeze();
  let status = 500;
  const receiver = await givenEndpoint(platform, { reply: () => status });
  try {
    const retried = await metric('switchyard_webhook_attempts_total{outcome="retried"}');
    const delivered = await metric('switchyard_webhook_attempts_total{outcome="delivered"}');
    await tell(service, platform, cardEvent(), cardEvent(), cardEvent());
    await settle(platform);
    assert.equal(await metric('switchyard_webhook_queue_depth{state="retrying"}'), 3);
    assert.equal(await metric('switchyard_webhook_queue_depth{state="waiting"}'), 0);
    assert.equal(await metric('switchyard_webhook_attempts_total{outcome="retried"}'), retried + 3);
    status = 200;
    await platform.clock.advance(5_000);
    assert.equal(await metric('switchyard_webhook_queue_depth{state="retrying"}'), 0);
    assert.equal(await metric('switchyard_webhook_attempts_total{outcome="delivered"}'), delivered + 3);
  } finally {
    await receiver.close();
  }
});
