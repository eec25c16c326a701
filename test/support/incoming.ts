// Incoming payments of a counterparty, announced as the domain of UMA does it.
import { sql } from '../../src/db/sql.js';
import { type Announcement, announceIncoming } from '../../src/domains/payments/payments/actions.js';
import { idOf, parseId, type TransactionId, uuidOf } from '../../src/kernel/ids.js';
import { type Client, expectStatus } from './client.js';
import type { TestService } from './service.js';
import { platformIdOf } from './webhooks/platform.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

/** Announces a payment to the customer's account: 25.00 USD unless the fields say otherwise. */
export async function announce(
  service: Pick<TestService, 'db'>,
  client: Client,
  account: Resource,
  fields: Partial<Announcement> = {},
): Promise<TransactionId> {
  const platformId = await platformIdOf(service, client);
  const customer = await expectStatus(200, client.get(`/customers/${account.customerId}`));
  const now = await client.clock.now();
  const { id } = await service.db.causedBy({ job: 'test' }).transaction(async (tx) => {
    const announcement: Announcement = {
      platformId,
      customer: { id: idOf('Customer', account.customerId.slice('Customer:'.length)), platformCustomerId: customer.platformCustomerId },
      sender: '$success.usd@sandbox.uma.money',
      receiver: '$ada@platform.example.com',
      sent: { amount: 2_500n, currency: 'USD' },
      received: { amount: 2_500n, currency: 'USD' },
      exchangeRate: '1',
      creditTo: parseId('InternalAccount', account.id) ?? idOf('ExternalAccount', account.id.slice('ExternalAccount:'.length)),
      counterpartyInformation: { FULL_NAME: 'Sandbox Sender' },
      requestedFields: [],
      counterpartId: null,
      now,
      ...fields,
    };
    return announceIncoming(tx, announcement);
  });
  return id;
}

/** As `announce`, of a payment that nobody is asked about and that waits for a day: it is decided by a call. */
export async function announceUnasked(service: Pick<TestService, 'db'>, client: Client, account: Resource): Promise<TransactionId> {
  const platform = uuidOf(await platformIdOf(service, client));
  const row = await service.db.one<{ url: string | null }>(sql`select webhook_endpoint as url from platforms where id = ${platform}`);
  const setEndpoint = (url: string | null) => service.db.run(sql`update platforms set webhook_endpoint = ${url} where id = ${platform}`);
  await setEndpoint(null);
  try {
    const id = await announce(service, client, account);
    const own = sql`platform_id = ${platform} and id = ${uuidOf(id)}`;
    const later = await service.db.one<{ at: Date }>(sql`select expires_at + interval '1 day' as at from payments where ${own}`);
    await service.db.run(sql`update payments set expires_at = ${later?.at} where ${own}`);
    return id;
  } finally {
    await setEndpoint(row?.url ?? null);
  }
}
