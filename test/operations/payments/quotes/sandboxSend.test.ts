// sandboxSend: the payer of a realtime quote.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { eventsOf, quoting } from '../../../support/quotes.js';
import { race } from '../../../support/race.js';
import { startTestService, type TestService } from '../../../support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape of responses is checked against the document.
type Resource = any;

let service: TestService;
let platform: Client;
let build: ReturnType<typeof quoting>;
let customer: Resource;
let eur: Resource;
before(async () => {
  // Without a worker nothing changes beside a refused request; the clock does what is due.
  service = await startTestService({ ROLE: 'api' });
  platform = service.platform;
  build = quoting(platform);
  await platform.clock.freeze();
  await build.currencies('USD', 'EUR', 'USDC');
  customer = await build.customer();
  eur = await build.eur(customer);
});
after(() => service.stop());

const quoteFor = (destination: Resource, source: Record<string, unknown> = { currency: 'USD' }, amount = 10_000): Promise<Resource> =>
  build.quote({
    source: { sourceType: 'REALTIME_FUNDING', customerId: customer.id, ...source },
    destination: { destinationType: 'ACCOUNT', accountId: destination.id },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: amount,
  });
const send = (quoteId: string, more: Record<string, unknown> = {}) =>
  platform.post('/sandbox/send', { quoteId, currencyCode: 'USD', ...more });

describe('200', () => {
  test('exactly the amount lets the quote run by itself', async () => {
    const quote = await quoteFor(eur);
    const sent = await expectStatus(200, send(quote.id));
    assert.deepEqual([sent.id, sent.status], [quote.transactionId, 'PROCESSING']);
    await build.settle();
    assert.equal((await build.transaction(quote)).status, 'COMPLETED');
    assert.equal((await build.getQuote(quote)).status, 'COMPLETED');
    assert.deepEqual(await eventsOf(service.db, quote.transactionId), ['PENDING', 'PROCESSING', 'COMPLETED']);
  });

  test('it counts in the daily volume: it is never refused, and what is executed after it is', async () => {
    const other = await service.newPlatform();
    const own = quoting(other);
    await own.currencies('USD', 'EUR');
    await other.clock.freeze('2026-05-05T12:00:00.000Z');
    const payer = await own.customer();
    const destination = await own.eur(payer);
    const account = await own.fund(await own.account(payer, 'USD'), 1_000);
    const realtime = () =>
      own.quote({
        source: { sourceType: 'REALTIME_FUNDING', customerId: payer.id, currency: 'USD' },
        destination: { destinationType: 'ACCOUNT', accountId: destination.id },
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 10_000_000,
      });
    for (let i = 0; i < 11; i += 1) {
      const sent = await expectStatus(200, other.post('/sandbox/send', { quoteId: (await realtime()).id, currencyCode: 'USD' }));
      assert.equal(sent.status, 'PROCESSING');
    }
    const quote = await own.quote(own.request(account, destination, 1_000));
    assertRefused(await other.post(`/quotes/${quote.id}/execute`), 429, 'DAILY_VOLUME_LIMIT_EXCEEDED');
    assert.equal(await own.balance(account), 1_000);
  });

  test('to an account in the service it completes at once', async () => {
    const receiver = await build.fundedAccount('USD', 0);
    const quote = await quoteFor(receiver);
    assert.equal((await expectStatus(200, send(quote.id, { currencyAmount: 10_000 }))).status, 'COMPLETED');
    assert.equal(await build.balance(receiver), 10_000);
  });

  test('the transaction of another holder does not say that the receiver sent the money', async () => {
    const receiver = await build.fundedAccount('USD', 0);
    const quote = await quoteFor(receiver);
    const sent = await expectStatus(200, send(quote.id));
    assert.equal(sent.source.customerId, customer.id);
    const { data } = await expectStatus(200, platform.get(`/transactions?receiverAccountIdentifier=${receiver.id}&type=INCOMING`));
    assert.deepEqual(
      data.map(({ customerId, source }: Resource) => ({ customerId, source })),
      [{ customerId: receiver.customerId, source: { sourceType: 'REALTIME_FUNDING', currency: 'USD' } }],
    );
  });

  test('another amount: FUNDING_AMOUNT_MISMATCH, and what came is refunded over the rail', async () => {
    const quote = await quoteFor(eur);
    const sent = await expectStatus(200, send(quote.id, { currencyAmount: 9_999 }));
    assert.deepEqual([sent.status, sent.failureReason, sent.refund.status], ['FAILED', 'FUNDING_AMOUNT_MISMATCH', 'PENDING']);
    await build.settle();
    assert.equal((await build.transaction(quote)).refund.status, 'COMPLETED');
    assert.deepEqual(await eventsOf(service.db, quote.transactionId), ['PENDING', 'FAILED', 'REFUND_PENDING', 'REFUND_COMPLETED']);
  });

  test('another amount for an account whose payouts and refunds fail: nothing was paid out, so what came is refunded', async () => {
    const quote = await quoteFor(await build.eur(customer, '007'));
    await expectStatus(200, send(quote.id, { currencyAmount: 9_999 }));
    await build.settle();
    assert.equal((await build.transaction(quote)).refund.status, 'COMPLETED');
  });

  test('another amount on a chain: what came lands on the account of the customer in that asset', async () => {
    const quote = await quoteFor(eur, { currency: 'USDC', cryptoNetwork: 'BASE' }, 20_000_000);
    await expectStatus(200, send(quote.id, { currencyCode: 'USDC', currencyAmount: 5_000_000 }));
    await build.settle();
    assert.equal(await build.balance(await build.account(customer, 'USDC')), 5_000_000);
  });

  race('64 payers at the same instant: the money is taken once', async () => {
    const receiver = await build.fundedAccount('USD', 0);
    const quote = await quoteFor(receiver);
    const answers = await Promise.all(Array.from({ length: 64 }, () => send(quote.id)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200)) assertInvalid(answer, 'quoteId');
    assert.equal(await build.balance(receiver), 10_000);
  });
});

test('refusals change nothing', async () => {
  const [quote, funded, late] = [await quoteFor(eur), await quoteFor(eur), await quoteFor(eur)];
  await expectStatus(200, send(funded.id));
  const usd = await build.fundedAccount('USD', 20_000);
  const prefunded = await build.quote(build.request(usd, await build.eur({ id: usd.customerId }), 10_000));
  const other = await service.newPlatform();
  await build.settle();
  await changesNothing(service.db, async () => {
    assertInvalid(await send(quote.id, { currencyCode: 'EUR' }), 'currencyCode');
    for (const currencyAmount of [0, -1, 1.5]) assertInvalid(await send(quote.id, { currencyAmount }), 'currencyAmount');
    assertInvalid(await send(funded.id), 'quoteId');
    assertInvalid(await send(prefunded.id), 'quoteId');
    const unknown = await Promise.all([
      other.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'USD' }),
      send(`Quote:${randomUUID()}`),
      send('x'),
    ]);
    for (const answer of unknown) assertRefused(answer, 404, 'QUOTE_NOT_FOUND');
    assert.equal(new Set(unknown.map(({ text }) => text)).size, 1);
  });
  await platform.clock.advance(900_000);
  await changesNothing(service.db, async () => assertRefused(await send(late.id), 400, 'QUOTE_EXPIRED'));
});
