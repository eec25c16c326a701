// Look-ups of UMA receivers and quotes to them.
import assert from 'node:assert/strict';
import { type Answer, type Client, expectStatus } from './client.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

export const SANDBOX = 'sandbox.uma.money';
export const at = (name: string): string => `$${name}@${SANDBOX}`;

export const lookUp = (platform: Client, address: string, query: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  platform.get(`/receiver/uma/${encodeURIComponent(address)}?${new URLSearchParams(query)}`);

export const givenLookup = (platform: Client, address: string, query?: Readonly<Record<string, string>>): Promise<Resource> =>
  expectStatus(200, lookUp(platform, address, query));

/** The body of a quote from an account to a UMA address that was looked up. */
export const umaRequest = (source: Resource, lookup: Resource, amount: number, fields: Record<string, unknown> = {}) => ({
  source: { sourceType: 'ACCOUNT', accountId: source.id },
  destination: {
    destinationType: 'UMA_ADDRESS',
    umaAddress: lookup.receiverUmaAddress,
    currency: lookup.supportedCurrencies[0].currency.code,
  },
  lookupId: lookup.lookupId,
  lockedCurrencySide: 'SENDING',
  lockedCurrencyAmount: amount,
  ...fields,
});

/** The transaction once it is neither waiting nor processing; the worker runs beside the test. */
export async function decided(platform: Client, id: string): Promise<Resource> {
  for (let left = 400; ; left -= 1) {
    const transaction = await expectStatus(200, platform.get(`/transactions/${id}`));
    if (!['PENDING', 'PROCESSING'].includes(transaction.status)) return transaction;
    assert.ok(left > 0, `still ${transaction.status}`);
    await new Promise((wake) => setTimeout(wake, 25));
  }
}
