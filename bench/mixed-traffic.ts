// Mixed traffic: authorizations, reads, deposits, limit changes and new customers, as one platform sends them.
import { randomUUID } from 'node:crypto';
import type { LeanClient } from './http-client.js';

export type Fixture = { readonly customerId: string; readonly accountId: string; readonly cardId: string };

/** A customer with money and a card. */
export async function newFixture(client: LeanClient): Promise<Fixture> {
  const json = async (status: number, method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    JSON.parse(await client.expect(status, 0, method, path, body, headers));
  const customer = await json(201, 'POST', '/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' });
  const { data } = await json(200, 'GET', `/customers/internal-accounts?customerId=${customer.id}&currency=USD`);
  await json(200, 'POST', `/sandbox/internal-accounts/${data[0].id}/fund`, { amount: 100_000_000_000 });
  const card = await json(
    201,
    'POST',
    '/cards',
    { customerId: customer.id, form: 'VIRTUAL', fundingSource: data[0].id },
    { 'Idempotency-Key': randomUUID() },
  );
  return { customerId: customer.id, accountId: data[0].id, cardId: card.id };
}

const merchant = { descriptor: 'COFFEE ROASTERS', mcc: '5814', country: 'US' };

/** Share of the traffic of each kind of request. */
const REQUESTS: readonly { share: number; send: (client: LeanClient, caller: number, fixture: Fixture) => Promise<unknown> }[] = [
  {
    share: 0.4,
    send: (client, caller, { cardId }) =>
      client.expect(202, caller, 'POST', `/sandbox/cards/${cardId}/simulate/authorization`, {
        amount: 100,
        currency: { code: 'USD' },
        merchant,
      }),
  },
  { share: 0.25, send: (client, caller, { cardId }) => client.expect(200, caller, 'GET', `/cards/${cardId}`) },
  { share: 0.1, send: (client, caller, { cardId }) => client.expect(200, caller, 'GET', `/transactions?cardId=${cardId}&limit=20`) },
  {
    share: 0.1,
    send: (client, caller, { accountId }) =>
      client.expect(200, caller, 'POST', `/sandbox/internal-accounts/${accountId}/fund`, { amount: 100 }),
  },
  {
    share: 0.05,
    send: (client, caller, { cardId }) => client.expect(200, caller, 'PATCH', `/cards/${cardId}`, { maxSpendPerTransaction: 5_000 }),
  },
  { share: 0.05, send: (client, caller, { customerId }) => client.expect(200, caller, 'GET', `/customers/${customerId}`) },
  {
    share: 0.05,
    send: (client, caller) =>
      client.expect(
        201,
        caller,
        'POST',
        '/customers',
        { customerType: 'INDIVIDUAL', fullName: 'Grace Hopper' },
        { 'Idempotency-Key': randomUUID() },
      ),
  },
];

/** One request, chosen by a number from 0 to 1. */
export async function sendMixed(client: LeanClient, caller: number, fixture: Fixture, choice: number): Promise<void> {
  let left = choice;
  const chosen = REQUESTS.find(({ share }) => {
    left -= share;
    return left < 0;
  });
  await (chosen ?? REQUESTS[0]!).send(client, caller, fixture);
}
