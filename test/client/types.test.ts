// Types of the client, checked by the compiler: each `@ts-expect-error` fails the build if the mistake below it compiles.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Event, isCode, type Switchyard } from '../../client/client.js';
import { verifyWebhook } from '../../client/webhooks.js';

/** Never called: the compiler reads it. */
export async function compiled(sy: Switchyard, event: Event, thrown: unknown): Promise<void> {
  await sy.customers.create({ customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' });
  // @ts-expect-error customerType is one of the documented ones
  await sy.customers.create({ customerType: 'ROBOT', fullName: 'Ada Lovelace' });
  // @ts-expect-error a card needs a form and a funding source
  await sy.cards.create({ customerId: 'Customer:1' });
  // @ts-expect-error an unknown query parameter
  await sy.cards.list({ customer: 'Customer:1' });
  // @ts-expect-error ids are texts
  await sy.cards.get(7);
  // @ts-expect-error this operation takes no idempotency key
  await sy.cards.update('Card:1', { maxSpendPerDay: null }, { idempotencyKey: 'a' });
  await sy.cards.update('Card:1', { maxSpendPerDay: null });
  // @ts-expect-error a read is not signed
  await sy.cards.get('Card:1', { sign: () => '' });

  const { accountInfo } = await sy.customers.externalAccounts.get('ExternalAccount:1');
  if (accountInfo.accountType === 'ETHEREUM_WALLET') accountInfo.address satisfies string;
  // @ts-expect-error not every account has an address
  accountInfo.address;

  const customer = await sy.customers.get('Customer:1');
  if (customer.customerType === 'BUSINESS') customer.businessInfo;
  // @ts-expect-error only a business has business information
  customer.businessInfo;

  if (event.type === 'CARD_TRANSACTION.DECLINED') event.data.cardDeclinedReason;
  if (event.type === 'CUSTOMER.KYC_APPROVED') {
    // @ts-expect-error a customer is not declined like a card transaction
    event.data.cardDeclinedReason;
  }
  // @ts-expect-error no such event
  if (event.type === 'CARD.EATEN') return;

  if (isCode(thrown, 'INVALID_INPUT')) thrown.details.errors?.[0]?.field;
  // @ts-expect-error no such code
  if (isCode(thrown, 'INVALID_INPUTS')) return;

  for await (const card of sy.cards.list({ customerId: 'Customer:1' })) card.status satisfies string | undefined;
  const page = await sy.cards.list();
  page.hasMore satisfies boolean;
  const cards = await sy.cards.list().all(500);
  cards[0]?.id;
  for await (const message of sy.webhooks.events.stream({ since: 'Webhook:1' })) message satisfies Event;
  (await verifyWebhook('', {}, {})) satisfies Event;
  await sy.sandbox.clock.advance('1d');
  // @ts-expect-error not a duration
  await sy.sandbox.clock.advance('1 day');
  (await sy.internalAccounts.statement.get('InternalAccount:1', { periodStart: '2026-01-01' })) satisfies string;
  // @ts-expect-error deprecated operations have no method
  sy.sandbox.webhooks;
}

test('the types compile as stated', () => assert.equal(typeof compiled, 'function'));
