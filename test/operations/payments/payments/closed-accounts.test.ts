// Money that is on its way while the account it goes to is deleted or closed, or has no room: it is refunded, or an operator finds it in suspense.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { moveMoney, serviceAccountId } from '../../../../src/domains/ledger/actions.js';
import { newUuid } from '../../../../src/kernel/ids.js';
import { type Client, expectStatus } from '../../../support/client.js';
import { announceUnasked } from '../../../support/incoming.js';
import { assertLedgerHolds } from '../../../support/ledger.js';
import { eventsOf } from '../../../support/quotes.js';
import type { TestService } from '../../../support/service.js';
import { type Transferring, transferring } from '../../../support/transferring.js';
import { givenLookup, umaRequest } from '../../../support/uma.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape of responses is checked against the document.
type Resource = any;

let service: TestService;
let platform: Client;
let build: Transferring['build'];
let read: Transferring['read'];
before(async () => {
  ({ service, platform, build, read } = await transferring('USD', 'EUR', 'USDC'));
});
after(async () => {
  await assertLedgerHolds(service.db, await platformIdOf(service, platform));
  await service.stop();
});

const remove = (customer: Resource): Promise<Resource> => expectStatus(200, platform.delete(`/customers/${customer.id}`));
const removeAccount = (account: Resource) => expectStatus(204, platform.delete(`/customers/external-accounts/${account.id}`));
const position = async (purpose: string, currency: string): Promise<number> => {
  const { data } = await expectStatus(200, platform.get('/platform/positions'));
  return data.find((one: Resource) => one.purpose === purpose && one.currency === currency)?.balance ?? 0;
};
const suspense = (currency: string): Promise<number> => position('SUSPENSE', currency);
const holder = async (currency = 'USD', amount = 0) => {
  const customer = await build.customer();
  const account = { ...(await build.account(customer, currency)), customerId: customer.id };
  if (amount > 0) await build.fund(account, amount);
  return { customer, account };
};
const ended = ({ status, failureReason, refund }: Resource) => [status, failureReason, refund?.status];

describe('a realtime quote', () => {
  const realtime = async (destination: Resource, source: Record<string, unknown> = { currency: 'USD' }, amount = 10_000) =>
    build.quote({
      source: { sourceType: 'REALTIME_FUNDING', ...source },
      destination: { destinationType: 'ACCOUNT', accountId: destination.id },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: amount,
    });
  const send = (quote: Resource, more: Record<string, unknown> = {}) =>
    expectStatus(200, platform.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'USD', ...more }));

  test('to an external account that is deleted before the money arrives: FAILED ACCOUNT_INVALID, refunded', async () => {
    const { customer } = await holder();
    const destination = await build.eur(customer);
    const quote = await realtime(destination, { currency: 'USD', customerId: customer.id });
    await removeAccount(destination);
    assert.equal((await send(quote)).status, 'PROCESSING');
    await build.settle();
    assert.deepEqual(ended(await read(quote.transactionId)), ['FAILED', 'ACCOUNT_INVALID', 'COMPLETED']);
    assert.deepEqual(await eventsOf(service.db, quote.transactionId), [
      'PENDING',
      'PROCESSING',
      'FAILED',
      'REFUND_PENDING',
      'REFUND_COMPLETED',
    ]);
  });

  test('to an internal account that is closed before the money arrives: FAILED ACCOUNT_INVALID, refunded', async () => {
    const { customer, account } = await holder();
    const quote = await realtime(account);
    await remove(customer);
    assert.deepEqual(ended(await send(quote)), ['FAILED', 'ACCOUNT_INVALID', 'PENDING']);
    await build.settle();
    assert.deepEqual(ended(await read(quote.transactionId)), ['FAILED', 'ACCOUNT_INVALID', 'COMPLETED']);
  });

  test('to an internal account that has no room when the money arrives: FAILED ACCOUNT_CANNOT_RECEIVE, refunded', async () => {
    const { account } = await holder();
    const quote = await realtime(account);
    await fill(account);
    assert.deepEqual(ended(await send(quote)), ['FAILED', 'ACCOUNT_CANNOT_RECEIVE', 'PENDING']);
    await build.settle();
    assert.deepEqual(ended(await read(quote.transactionId)), ['FAILED', 'ACCOUNT_CANNOT_RECEIVE', 'COMPLETED']);
    assert.equal(await build.balance(account), Number.MAX_SAFE_INTEGER);
  });

  test('of another amount on a chain, whose refund would land on a closed account: refund FAILED, the money in suspense', async () => {
    const { customer } = await holder();
    await build.account(customer, 'USDC');
    const quote = await realtime(
      await build.eur(undefined),
      { currency: 'USDC', cryptoNetwork: 'BASE', customerId: customer.id },
      20_000_000,
    );
    await remove(customer);
    const before = await suspense('USDC');
    await send(quote, { currencyCode: 'USDC', currencyAmount: 5_000_000 });
    await build.settle();
    assert.deepEqual(ended(await read(quote.transactionId)), ['FAILED', 'FUNDING_AMOUNT_MISMATCH', 'FAILED']);
    assert.equal(await suspense('USDC'), before + 5_000_000);
  });

  test('of another amount on a chain, whose payer was deleted and never had an account: none is opened, the money is in suspense', async () => {
    await build.currencies('USD', 'EUR');
    const { customer } = await holder();
    await build.currencies('USD', 'EUR', 'USDC');
    const accounts = async () =>
      (await service.db.many(sql`select id from internal_accounts where customer_id = ${customer.id.split(':')[1]}`)).length;
    assert.deepEqual(
      (await expectStatus(200, platform.get(`/customers/internal-accounts?customerId=${customer.id}&currency=USDC`))).data,
      [],
    );
    const source = { currency: 'USDC', cryptoNetwork: 'BASE', customerId: customer.id };
    const quote = await realtime(await build.eur(undefined), source, 20_000_000);
    await remove(customer);
    const [before, opened] = [await suspense('USDC'), await accounts()];
    await send(quote, { currencyCode: 'USDC', currencyAmount: 5_000_000 });
    await build.settle();
    assert.deepEqual(ended(await read(quote.transactionId)), ['FAILED', 'FUNDING_AMOUNT_MISMATCH', 'FAILED']);
    assert.deepEqual([await suspense('USDC'), await accounts()], [before + 5_000_000, opened]);
  });
});

describe('a quote that is pulled from a bank account', () => {
  test('to an internal account that has no room: FAILED ACCOUNT_CANNOT_RECEIVE, refunded', async () => {
    const { customer } = await holder();
    const receiver = await holder();
    await fill(receiver.account);
    const quote = await pulled(customer, receiver.account);
    await build.settle();
    assert.deepEqual(ended(await read(quote.transactionId)), ['FAILED', 'ACCOUNT_CANNOT_RECEIVE', 'COMPLETED']);
    assert.equal(await build.balance(receiver.account), Number.MAX_SAFE_INTEGER);
  });

  const pulled = async (customer: Resource, destination: Resource) => {
    const quote = await build.quote(build.request(await build.usd(customer), destination, 10_000));
    await build.execute(quote);
    return quote;
  };

  test('to an external account that is deleted before the debit settles: FAILED ACCOUNT_INVALID, refunded', async () => {
    const { customer } = await holder();
    const destination = await build.eur(customer);
    const quote = await pulled(customer, destination);
    await removeAccount(destination);
    await build.settle();
    assert.deepEqual(ended(await read(quote.transactionId)), ['FAILED', 'ACCOUNT_INVALID', 'COMPLETED']);
  });

  test('to an internal account that is closed before the debit settles: FAILED ACCOUNT_INVALID, refunded', async () => {
    const { customer } = await holder();
    const receiver = await holder();
    const quote = await pulled(customer, receiver.account);
    await remove(receiver.customer);
    await build.settle();
    assert.deepEqual(ended(await read(quote.transactionId)), ['FAILED', 'ACCOUNT_INVALID', 'COMPLETED']);
  });
});

test('a refund to an account that was closed meanwhile: refund FAILED, the money in suspense; a dishonored return changes nothing', async () => {
  const { customer, account } = await holder('USD', 10_000);
  const quote = await build.quote(build.request(account, await build.usd(customer, '005'), 10_000));
  await build.execute(quote);
  await build.settle();
  await remove(customer);
  const before = await suspense('USD');
  await platform.clock.advance(30_000);
  assert.deepEqual(ended(await read(quote.transactionId)), ['FAILED', 'PAYOUT_RETURNED', 'FAILED']);
  assert.equal((await eventsOf(service.db, quote.transactionId)).at(-1), 'REFUND_FAILED');
  const play = (event: string) => expectStatus(200, platform.post(`/sandbox/transactions/${quote.transactionId}/rail-event`, { event }));
  assert.equal((await play('DISHONOR')).destination.railDetails.status, 'RETURN_DISHONORED');
  assert.deepEqual(ended(await play('CONTEST')), ['FAILED', 'PAYOUT_RETURNED', 'FAILED']);
  assert.equal(await suspense('USD'), before + 10_000);
});

/** The largest balance that the API can show. */
async function fill(account: Resource, amount = BigInt(Number.MAX_SAFE_INTEGER)): Promise<void> {
  const platformId = await platformIdOf(service, platform);
  const ends = { from: serviceAccountId(platformId, 'FUNDING', 'USD'), to: account.id.split(':')[1] };
  const transfer = { id: newUuid(), ...ends, amount, currency: 'USD', cause: 'DEPOSIT' };
  await service.db.causedBy({ job: 'test' }).transaction((tx) => moveMoney(tx, platformId, [{ kind: 'POST', transfer }]));
}

describe('a debit into an account', () => {
  const pull = (source: Resource, destination: Resource, amount: number) =>
    expectStatus(
      200,
      platform.post('/transfer-in', { source: { accountId: source.id }, destination: { accountId: destination.id }, amount }),
    );

  test('that is closed before the debit settles: FAILED COLLECTION_FAILED, nothing credited', async () => {
    const { customer, account } = await holder();
    const { id } = await pull(await build.usd(customer), account, 2_500);
    await remove(customer);
    await build.settle();
    assert.deepEqual(ended(await read(id)), ['FAILED', 'COLLECTION_FAILED', undefined]);
  });

  test('that has no room: FAILED COLLECTION_FAILED, and later debits go on', async () => {
    const { customer, account } = await holder();
    await fill(account);
    const source = await build.usd(customer);
    const { id } = await pull(source, account, 1);
    await build.settle();
    assert.deepEqual(ended(await read(id)), ['FAILED', 'COLLECTION_FAILED', undefined]);
    assert.equal(await build.balance(account), Number.MAX_SAFE_INTEGER);
    assert.equal((await platform.get('/platform/positions')).status, 200, 'a position may be larger than any amount');
  });
});

test('a return that is dishonored after the account was closed: the money is in suspense', async () => {
  const { customer, account } = await holder('USD', 4_000);
  const [deposit] = (await expectStatus(200, platform.get(`/transactions?receiverAccountIdentifier=${account.id}`))).data;
  const play = (event: string) => expectStatus(200, platform.post(`/sandbox/transactions/${deposit.id}/rail-event`, { event }));
  await play('RETURN');
  await remove(customer);
  const before = await suspense('USD');
  assert.equal((await play('DISHONOR')).status, 'COMPLETED');
  assert.equal(await suspense('USD'), before + 4_000);
  const reserve = await position('RESERVE', 'USD');
  assert.deepEqual(ended(await play('CONTEST')), ['FAILED', 'COLLECTION_FAILED', undefined]);
  assert.deepEqual([await suspense('USD'), await position('RESERVE', 'USD')], [before, reserve], 'contested, it leaves suspense again');
});

test('a return that is dishonored after the account was filled: the money is in suspense', async () => {
  const { account } = await holder('USD', 4_000);
  const [deposit] = (await expectStatus(200, platform.get(`/transactions?receiverAccountIdentifier=${account.id}`))).data;
  const play = (event: string) => platform.post(`/sandbox/transactions/${deposit.id}/rail-event`, { event });
  await expectStatus(200, play('RETURN'));
  await fill(account);
  const before = await suspense('USD');
  assert.equal((await expectStatus(200, play('DISHONOR'))).status, 'COMPLETED');
  assert.equal(await suspense('USD'), before + 4_000);
  assert.equal(await build.balance(account), Number.MAX_SAFE_INTEGER);
  await expectStatus(200, play('CONTEST'));
  assert.equal(await suspense('USD'), before);
  assert.equal(await build.balance(account), Number.MAX_SAFE_INTEGER, 'the account does not pay what it has not got');
});

test("a payment is delivered though the platform's account has no room for its fee: COMPLETED, the fee in suspense", async () => {
  const { customer, account } = await holder('USD', 10_000);
  const own = await build.platformAccount('USD');
  const platformFeeOverride = { platformVariableFeeBps: 0, platformFixedFee: { amount: 25, currency: 'USD' } };
  const quote = await build.quote(build.request(account, await build.usd(customer), 10_000, { platformFeeOverride }));
  await fill(own);
  await build.execute(quote);
  const before = await suspense('USD');
  await build.settle();
  assert.deepEqual(ended(await read(quote.transactionId)), ['COMPLETED', undefined, undefined]);
  assert.equal(await suspense('USD'), before + 25);
  assert.equal(await build.balance(own), Number.MAX_SAFE_INTEGER);
});

test('a payment that is returned after its fee went to suspense: the fee comes from there', async () => {
  const { customer, account } = await holder('USD', 10_000);
  const own = await build.platformAccount('USD');
  const { balance } = await expectStatus(200, platform.get(`/internal-accounts/${own.id}`));
  if (balance.amount < Number.MAX_SAFE_INTEGER) await fill(own, BigInt(Number.MAX_SAFE_INTEGER - balance.amount));
  const platformFeeOverride = { platformVariableFeeBps: 0, platformFixedFee: { amount: 25, currency: 'USD' } };
  const quote = await build.quote(build.request(account, await build.usd(customer, '005'), 10_000, { platformFeeOverride }));
  await build.execute(quote);
  const before = await suspense('USD');
  await build.settle();
  assert.equal(await suspense('USD'), before + 25);
  await platform.clock.advance(30_000);
  assert.deepEqual(ended(await read(quote.transactionId)), ['FAILED', 'PAYOUT_RETURNED', 'COMPLETED']);
  assert.equal(await suspense('USD'), before);
  assert.equal(await build.balance(own), Number.MAX_SAFE_INTEGER);
  assert.equal(await build.balance(account), 10_000);
});

describe('a payment to a UMA address', () => {
  const approved = async (account: Resource): Promise<string> => {
    const id = await announceUnasked(service, platform, account);
    await expectStatus(200, platform.post(`/transactions/${id}/approve`));
    return id;
  };

  test('whose account is closed before the money arrives: FAILED OFFRAMP_FAILED, refunded', async () => {
    const { customer, account } = await holder();
    const id = await approved(account);
    await remove(customer);
    await build.settle();
    assert.deepEqual(ended(await read(id)), ['FAILED', 'OFFRAMP_FAILED', 'COMPLETED']);
  });

  test('whose default external account is deleted before the money arrives: FAILED OFFRAMP_FAILED, refunded', async () => {
    const { customer, account } = await holder();
    const outside = await build.usd(customer);
    const id = await approved({ ...outside, customerId: customer.id });
    await removeAccount(outside);
    await build.settle();
    assert.deepEqual(ended(await read(id)), ['FAILED', 'OFFRAMP_FAILED', 'COMPLETED']);
    assert.equal(await build.balance(account), 0);
  });

  test("of a customer of the platform who is deleted before the quote is executed: the sender's payment fails ACCOUNT_CANNOT_RECEIVE, refunded", async () => {
    const receiver = await holder();
    const { customer, account } = await holder('USD', 10_000);
    const lookup = await givenLookup(platform, receiver.customer.umaAddress, { customerId: customer.id });
    const quote = await build.quote(umaRequest(account, lookup, 10_000));
    await remove(receiver.customer);
    assert.equal((await build.execute(quote)).status, 'PROCESSING');
    await build.settle();
    assert.deepEqual(ended(await read(quote.transactionId)), ['FAILED', 'ACCOUNT_CANNOT_RECEIVE', 'COMPLETED']);
    assert.equal(await build.balance(account), 10_000);
  });

  /** A quote to the address of a customer, executed; the platform is not asked and decides by a call. */
  const executed = async (receiver: Resource) => {
    const { customer, account } = await holder('USD', 10_000);
    const lookup = await givenLookup(platform, receiver.umaAddress, { customerId: customer.id });
    const quote = await build.quote(umaRequest(account, lookup, 10_000));
    await build.execute(quote);
    const listed = await expectStatus(
      200,
      platform.get(`/transactions?type=INCOMING&receiverAccountIdentifier=${encodeURIComponent(receiver.umaAddress)}`),
    );
    return { account, quote, incoming: listed.data[0] };
  };

  test('of a customer of the platform whose bank does not take the money: what comes back is returned to the sender', async () => {
    const receiver = await holder();
    await build.usd(receiver.customer, '004', { defaultUmaDepositAccount: true });
    const { account, quote, incoming } = await executed(receiver.customer);
    await expectStatus(200, platform.post(`/transactions/${incoming.id}/approve`));
    await build.settle();
    assert.deepEqual(ended(await read(incoming.id)), ['FAILED', 'OFFRAMP_FAILED', 'COMPLETED']);
    assert.deepEqual(ended(await read(quote.transactionId)), ['FAILED', 'PAYOUT_RETURNED', 'COMPLETED']);
    assert.equal(await build.balance(account), 10_000);
  });

  test('that ends in 007 and is rejected: the refund reaches the sender, because no rail has to carry it back', async () => {
    const { umaDomain } = await expectStatus(200, platform.get('/config'));
    const customer = await build.customer({ umaAddress: `$bond007@${umaDomain}` });
    await build.account(customer, 'USD');
    const { account, quote, incoming } = await executed(customer);
    await expectStatus(200, platform.post(`/transactions/${incoming.id}/reject`));
    await build.settle();
    assert.deepEqual(ended(await read(quote.transactionId)), ['FAILED', 'ACCOUNT_CANNOT_RECEIVE', 'COMPLETED']);
    assert.equal(await build.balance(account), 10_000);
  });
});
