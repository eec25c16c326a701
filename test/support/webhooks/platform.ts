// A platform with a webhook receiver.
import assert from 'node:assert/strict';
import { sql } from '../../../src/db/sql.js';
import { enqueueEvents } from '../../../src/domains/core/webhooks/actions.js';
import type { NewEvent } from '../../../src/domains/core/webhooks/event.js';
import { idOf, newId, type PlatformId } from '../../../src/kernel/ids.js';
import { type Client, expectStatus } from '../client.js';
import type { TestService } from '../service.js';
import { type Received, type Receiver, type ReceiverOptions, startReceiver } from './receiver.js';

/** The platform of a test client. */
export async function platformIdOf(service: Pick<TestService, 'db'>, client: Client): Promise<PlatformId> {
  const row = await service.db.one<{ platform_id: string }>(sql`select platform_id from api_tokens where client_id = ${client.tokenId}`);
  assert.ok(row);
  return idOf('Platform', row.platform_id);
}

/** A card as the API shows it, without a card behind it. */
export const cardData = (id: string, data: Record<string, unknown> = {}) => ({
  id,
  customerId: 'Customer:01950000-0000-7000-8000-000000000000',
  status: 'ACTIVE',
  form: 'VIRTUAL',
  fundingSource: 'InternalAccount:01950000-0000-7000-8000-000000000000',
  maxSpendPerTransaction: null,
  maxSpendPerDay: null,
  maxTransactionsPerDay: null,
  createdAt: '2026-03-01T00:00:00.000Z',
  updatedAt: '2026-03-01T00:00:00.000Z',
  ...data,
});

export const cardEvent = (objectId: string = newId('Card'), data: Record<string, unknown> = {}): NewEvent => ({
  type: 'card.status_change',
  objectId,
  data: cardData(objectId, data),
});

/** Commits events of the platform, as an action of another domain does. */
export async function tell(service: TestService, client: Client, ...events: readonly NewEvent[]): Promise<void> {
  const platformId = await platformIdOf(service, client);
  const now = await client.clock.now();
  await service.db.transaction(async (tx) => enqueueEvents(tx, platformId, now, events));
}

/** Sends everything that is due and waits for it: setting the clock to the current time runs due jobs. */
export const settle = (client: Client) => client.clock.advance(0);

/** A receiver that is the platform's endpoint. The TEST event of the change was received and is not kept. */
export async function givenEndpoint(client: Client, options?: ReceiverOptions): Promise<Receiver> {
  const receiver = await startReceiver(options);
  await setEndpoint(client, receiver.url);
  await settle(client);
  receiver.received.length = 0;
  return receiver;
}

export const setEndpoint = (client: Client, url: string) => expectStatus(200, client.patch('/config', { webhookEndpoint: url }));

// biome-ignore lint/suspicious/noExplicitAny: tests read envelopes freely.
export const envelopeOf = (received: Received | undefined): any => JSON.parse(received?.body.toString() ?? 'null');
