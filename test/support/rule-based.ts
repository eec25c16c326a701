// Builders for rule-based accounts.
import { type Client, expectStatus } from './client.js';
import { given } from './given.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

export const platformAccount = async (platform: Client, currency = 'USD'): Promise<Resource> =>
  (await expectStatus(200, platform.get(`/platform/internal-accounts?currency=${currency}&type=INTERNAL_FIAT`))).data[0];

/** A customer with a USD account and a rule-based account that sweeps to `destination`. */
export async function ruleBasedAccount(
  platform: Client,
  { destination, ...sweepRule }: { destination?: Resource } & Record<string, unknown> = {},
): Promise<{ customer: Resource; own: Resource; account: Resource }> {
  const build = given(platform);
  const customer = await build.customer();
  const own = await build.account(customer, 'USD');
  const account = await expectStatus(
    201,
    platform.post('/internal-accounts', {
      type: 'RULE_BASED',
      currency: 'USD',
      customerId: customer.id,
      sweepRule: { destination: { accountId: (destination ?? own).id }, ...sweepRule },
    }),
  );
  return { customer, own, account };
}
