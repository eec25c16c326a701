// "the OpenAPI document lists each with its payload under `webhooks`", and /metrics shows the queue.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { NewEvent } from '../../../../src/domains/core/webhooks/event.js';
import { newId } from '../../../../src/kernel/ids.js';
import { fundedCard, networkOf, walletCard } from '../../../support/card-transactions.js';
import { activating, closing, freezing, pinOf } from '../../../support/cards.js';
import { assertRefused, expectStatus } from '../../../support/client.js';
import { accountsApi } from '../../../support/external-accounts/accounts-api.js';
import { evmWallet } from '../../../support/external-accounts/wallets.js';
import { given } from '../../../support/given.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import { cardEvent, givenEndpoint, setEndpoint, settle, tell } from '../../../support/webhooks/platform.js';
import { startReceiver } from '../../../support/webhooks/receiver.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
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

/** The types that can be triggered in the sandbox. */
const SENT = [
  'TEST',
  ...['CUSTOMER.KYC_APPROVED', 'CUSTOMER.KYC_REJECTED', 'CUSTOMER.KYC_PENDING'],
  ...[
    'INTERNAL_ACCOUNT.BALANCE_UPDATED',
    'INTERNAL_ACCOUNT.STATUS_UPDATED',
    'INCOMING_PAYMENT.COMPLETED',
    'EXTERNAL_ACCOUNT.STATUS_UPDATED',
  ],
  ...['card.status_change', 'CARD.PIN_STATUS_CHANGE'],
  ...['CARD_TRANSACTION.AUTHORIZED', 'CARD_TRANSACTION.PARTIALLY_SETTLED', 'CARD_TRANSACTION.SETTLED'],
  ...['CARD_TRANSACTION.DECLINED', 'CARD_TRANSACTION.VOIDED', 'CARD_TRANSACTION.EXCEPTION'],
];

type Schema = { $ref?: string; oneOf?: Schema[]; enum?: string[]; properties: Record<string, Schema>; required: string[] };
type Webhook = { post: { operationId: string; requestBody: { content: { 'application/json': { schema: Schema } } } } };

/** The members that `data` of each group has at least, in every variant. */
const CARRIED: Readonly<Record<string, string>> = {
  'agent-action': 'agentId createdAt customerId id platformCustomerId status type updatedAt',
  'incoming-payment': 'customerId destination direction id platformCustomerId status type',
  'outgoing-payment': 'customerId destination direction id platformCustomerId sentAmount source status type',
  'test-webhook': '',
  'bulk-upload': 'id progress status',
  'invitation-claimed': 'code createdAt inviterUma status url',
  'customer-update': 'customerType platformCustomerId umaAddress',
  'internal-account-status': 'balance createdAt fundingPaymentInstructions id status totalBalance type updatedAt',
  'external-account-status': 'accountInfo currency id status',
  'verification-update': 'createdAt customerId errors id verificationStatus',
  'card-status-change': 'createdAt customerId form fundingSource id status updatedAt',
  'card-pin-status-change': 'createdAt customerId form fundingSource id status updatedAt',
  'card-transaction': 'accountId authorizedAmount authorizedAt customerId direction id merchant status',
  'wallet-operation': 'operationId operationType requestId resourceId resourceType status',
};

describe('the document', () => {
  const described = () => {
    const { webhooks, components } = service.contract.document as unknown as {
      webhooks: Record<string, Webhook>;
      components: { schemas: Record<string, Schema> };
    };
    const follow = (schema: Schema | undefined): Schema => {
      const found = schema?.$ref ? components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
      assert.ok(found, schema?.$ref);
      return found;
    };
    const payloadOf = ({ post }: Webhook) => follow(post.requestBody.content['application/json'].schema);
    return { payloads: Object.entries(webhooks).map(([group, webhook]) => ({ group, payload: payloadOf(webhook) })), follow };
  };

  test('every event type is documented once, with an envelope', () => {
    const types = described().payloads.flatMap(({ payload }) => {
      for (const member of ['id', 'type', 'timestamp', 'sequence', 'objectId', 'data'])
        assert.ok(payload.required.includes(member), member);
      return payload.properties['type']?.enum ?? [];
    });
    assert.deepEqual([...types].sort(), [...NAMED].sort());
  });

  test('each "with its payload", whether this version sends it or not', () => {
    const { payloads, follow } = described();
    assert.deepEqual(payloads.map(({ group }) => group).sort(), Object.keys(CARRIED).sort());
    for (const { group, payload } of payloads) {
      const data = follow(payload.properties['data']);
      const members = (CARRIED[group] ?? '').split(' ').filter(Boolean);
      for (const variant of (data.oneOf ?? [data]).map(follow))
        for (const member of members) {
          assert.ok(variant.properties[member], `${group} describes ${member}`);
          assert.ok(variant.required.includes(member), `${group} always has ${member}`);
        }
    }
  });
});

test('every event that is sent matches its schema, with no extra member', async () => {
  const client = await service.newPlatform();
  const receiver = await startReceiver();
  try {
    await client.clock.freeze();
    await setEndpoint(client, receiver.url);
    for (const fullName of ['Ada 001', 'Ada 002', undefined]) {
      const customer = await given(client).customer({ ...(fullName && { fullName }), birthDate: '1990-12-10', nationality: 'GB' });
      await expectStatus(200, client.delete(`/customers/${customer.id}`));
    }

    const { card } = await fundedCard(client, 5_000);
    const network = networkOf(client, card);
    const purchase = await network.authorize(400);
    await network.clear(await network.advise(purchase, 500), 300);
    await network.giveBack(await network.clear(purchase, 200), 100);
    await network.reverse(await network.authorize(100));
    await network.authorize(999_999);
    await network.authorize(400, 'SHOP 006');
    const pulled = networkOf(client, (await walletCard(client, 1_000)).card);
    await pulled.clear(await pulled.authorize(300), 300);
    const { set, block } = pinOf(client, service.db, card.id);
    for (const change of [set, block]) await expectStatus(204, change());
    for (const change of [freezing, activating, closing]) await expectStatus(200, client.patch(`/cards/${card.id}`, change));

    for (const name of ['platform', 'customers'] as const) {
      const { wallet, messageFor, verify } = accountsApi(client, name);
      const keys = evmWallet(name);
      const account = await wallet(keys);
      await messageFor(account);
      assertRefused(await verify(account, { signature: `0x${'11'.repeat(64)}1b` }), 400, 'INVALID_INPUT');
      await expectStatus(200, verify(account, { signature: await keys.sign(await messageFor(account)) }));
    }
    await settle(client);

    const sent = receiver.received.map(({ body }) => body.toString());
    for (const text of sent) service.contract.checkEvent(text);
    assert.deepEqual([...new Set(sent.map((text) => JSON.parse(text).type))].sort(), [...SENT].sort());
  } finally {
    await receiver.close();
  }
});

test('an unknown type does not compile', () => {
  // @ts-expect-error: there is no such event
  const unknown: NewEvent = { type: 'CARD.EXPLODED', objectId: newId('Card'), data: {} };
  assert.ok(unknown);
});

test('"Queue depth and delivery outcomes are in /metrics"', { timeout: 30_000 }, async () => {
  const metric = async (line: string) => {
    const text = await (await fetch(`${service.service.metricsUrl}/metrics`)).text();
    return Number(
      text
        .split('\n')
        .find((one) => one.startsWith(`${line} `))
        ?.slice(line.length + 1),
    );
  };
  /** The worker counts the queue every few seconds. */
  const depth = async (state: string, expected: number) => {
    while ((await metric(`switchyard_webhook_queue_depth{state="${state}"}`)) !== expected)
      await new Promise((done) => setTimeout(done, 50));
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
    await depth('retrying', 3);
    await depth('waiting', 0);
    assert.equal(await metric('switchyard_webhook_attempts_total{outcome="retried"}'), retried + 3);
    status = 200;
    await platform.clock.advance(5_000);
    await depth('retrying', 0);
    assert.equal(await metric('switchyard_webhook_attempts_total{outcome="delivered"}'), delivered + 3);
  } finally {
    await receiver.close();
  }
});
