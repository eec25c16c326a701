// Builders of customers and accounts through the API.
import { randomUUID } from 'node:crypto';
import { type Client, expectStatus } from './client.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

export const given = (platform: Client) => ({
  /** An individual whose KYC is APPROVED, unless the suffix of the name selects another outcome. */
  customer: (fields: Record<string, unknown> = {}): Promise<Resource> =>
    expectStatus(
      201,
      platform.post('/customers', {
        customerType: 'INDIVIDUAL',
        fullName: 'Ada Lovelace',
        email: `${randomUUID()}@example.com`,
        ...fields,
      }),
    ),

  /** The customer's internal account in a currency. */
  account: async (customer: Resource, currency: string): Promise<Resource> => {
    const { data } = await expectStatus(200, platform.get(`/customers/internal-accounts?customerId=${customer.id}&currency=${currency}`));
    return data[0];
  },

  fund: (account: Resource, amount: number): Promise<Resource> =>
    expectStatus(200, platform.post(`/sandbox/internal-accounts/${account.id}/fund`, { amount })),

  /** A funded account of a new customer. */
  fundedAccount: async (currency: string, amount: number, fields: Record<string, unknown> = {}): Promise<Resource> => {
    const build = given(platform);
    const account = await build.account(await build.customer(fields), currency);
    return amount > 0 ? build.fund(account, amount) : account;
  },
});
