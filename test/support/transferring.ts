// A platform for tests of transfers: its clock is frozen, and without a worker nothing happens between two calls. The clock does what is due.
import { type Client, expectStatus } from './client.js';
import { quoting } from './quotes.js';
import { startTestService, type TestService } from './service.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

export type Transferring = {
  readonly service: TestService;
  readonly platform: Client;
  readonly build: ReturnType<typeof quoting>;
  /** The transaction as the API shows it. */
  read(id: string): Promise<Resource>;
};

/** The platform sends and receives these currencies; without any, those of a new platform. */
export async function transferring(...currencies: string[]): Promise<Transferring> {
  const service = await startTestService({ ROLE: 'api' });
  const { platform } = service;
  const build = quoting(platform);
  await platform.clock.freeze();
  if (currencies.length > 0) await build.currencies(...currencies);
  return { service, platform, build, read: (id) => expectStatus(200, platform.get(`/transactions/${id}`)) };
}

/** The body of a transfer in or out. */
export const transferBody = (source: Resource, destination: Resource, amount: unknown, more: Record<string, unknown> = {}) => ({
  source: { accountId: source.id },
  destination: { accountId: destination.id },
  amount,
  ...more,
});
