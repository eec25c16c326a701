// cancelTransaction, confirmReceiptDelivery and the bank of the sandbox.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { fundedCard, networkOf } from '../../../support/card-transactions.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { announce } from '../../../support/incoming.js';
import { eventsOf } from '../../../support/quotes.js';
import { race } from '../../../support/race.js';
import type { TestService } from '../../../support/service.js';
import { type Transferring, transferBody, transferring } from '../../../support/transferring.js';

let service: TestService;
let platform: Client;
let build: Transferring['build'];
let read: Transferring['read'];
before(async () => {
  ({ service, platform, build, read } = await transferring('USD', 'EUR'));
});
after(() => service.stop());

const cancel = (id: string) => platform.post(`/transactions/${id}/cancel`, { reason: 'changed my mind' });
const confirm = (id: string, at?: string) =>
  platform.post(`/transactions/${id}/confirm`, at === undefined ? undefined : { receiptDeliveryConfirmedAt: at });
const bank = (id: string, event: string) => platform.post(`/sandbox/transactions/${id}/rail-event`, { event });

/** An executed payout over ACH to an account with this ending. */
const payout = async (ending: string) => {
  const source = await build.fundedAccount('USD', 50_000);
  const destination = await build.usd({ id: source.customerId }, ending);
  const quote = await build.execute(await build.quote(build.request(source, destination, 20_000)));
  await build.settle();
  return { source, id: quote.transactionId as string, quote };
};
const transfer = async (direction: 'in' | 'out', ending: string) => {
  const account = await build.fundedAccount('USD', 50_000);
  const external = await build.usd({ id: account.customerId }, ending);
  const [source, destination] = direction === 'in' ? [external, account] : [account, external];
  const { id } = await expectStatus(200, platform.post(`/transfer-${direction}`, transferBody(source, destination, 20_000)));
  await build.settle();
  return { account, id: id as string };
};
const deposit = async (amount = 5_000) => {
  const account = await build.fundedAccount('USD', amount);
  const { data } = await expectStatus(200, platform.get(`/transactions?accountIdentifier=${account.id}`));
  return { account, id: data[0].id as string };
};

describe('cancelTransaction', () => {
  test('a payout that has not settled: the status stays, the refund is paid, then COMPLETED with USER_CANCELLATION', async () => {
    const { source, id, quote } = await payout('003');
    assert.equal(await build.balance(source), 30_000);
    const cancelled = await expectStatus(200, cancel(id));
    assert.deepEqual([cancelled.status, cancelled.refund.status, cancelled.refund.reason], ['PROCESSING', 'PENDING', 'USER_CANCELLATION']);
    await build.settle();
    const payment = await read(id);
    assert.deepEqual([payment.status, payment.refund.status, payment.settledAt], ['COMPLETED', 'COMPLETED', undefined]);
    assert.equal(await build.balance(source), 50_000);
    // The rail never reports anything else.
    await platform.clock.advance(400_000);
    assert.deepEqual(await read(id), payment);
    assert.equal((await build.getQuote(quote)).status, 'COMPLETED');
    assert.deepEqual(await eventsOf(service.db, id), ['PENDING', 'PROCESSING', 'REFUND_PENDING', 'REFUND_COMPLETED', 'COMPLETED']);
  });

  test('a transfer out that the bank has not acknowledged', async () => {
    const { account, id } = await transfer('out', '005');
    assert.equal((await expectStatus(200, cancel(id))).status, 'PENDING');
    await build.settle();
    assert.deepEqual([(await read(id)).status, await build.balance(account)], ['COMPLETED', 50_000]);
  });

  test('a debit that the bank has not acknowledged: COLLECTION_FAILED, nothing credited', async () => {
    const { account, id } = await transfer('in', '005');
    const cancelled = await expectStatus(200, cancel(id));
    assert.deepEqual([cancelled.status, cancelled.failureReason], ['FAILED', 'COLLECTION_FAILED']);
    await platform.clock.advance(60_000);
    assert.equal(await build.balance(account), 50_000);
    assert.deepEqual(await eventsOf(service.db, id), ['FAILED']);
  });

  test('409: completed, failed, expired, cancelled, not yet executed; 400: a kind that is never cancelled', async () => {
    const completed = await payout('999');
    const failed = await payout('002');
    const cancelled = await payout('003');
    await expectStatus(200, cancel(cancelled.id));
    const source = await build.fundedAccount('USD', 20_000);
    const eur = await build.eur({ id: source.customerId }, '003');
    const quoted = await build.quote(build.request(source, eur, 5_000));
    const instant = await build.execute(await build.quote(build.request(source, eur, 5_000)));
    const { card } = await fundedCard(platform, 1_000);
    const purchase = await networkOf(platform, card).authorize(100);
    const { id: received } = await deposit();
    const waiting = await announce(service, platform, source);
    await build.settle();
    await changesNothing(service.db, async () => {
      for (const id of [completed.id, failed.id, cancelled.id, quoted.transactionId, received, waiting])
        assertRefused(await cancel(id), 409, 'TRANSACTION_NOT_CANCELLABLE');
      for (const id of [instant.transactionId, purchase.id]) assertInvalid(await cancel(id), 'transactionId');
    });
    await platform.clock.advance(300_000);
    assertRefused(await cancel(quoted.transactionId), 409, 'TRANSACTION_NOT_CANCELLABLE');
  });

  race('64 cancellations at the same instant: one counts, and the money comes back once', async () => {
    const { source, id } = await payout('003');
    const answers = await Promise.all(Array.from({ length: 64 }, () => cancel(id)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    await build.settle();
    assert.equal(await build.balance(source), 50_000);
  });
});

describe('confirmReceiptDelivery', () => {
  test('stores the time, now by default; a further call replaces it', async () => {
    const { id } = await payout('999');
    const now = (await platform.clock.now()).toISOString();
    assert.equal((await expectStatus(200, confirm(id))).receiptDeliveryConfirmedAt, now);
    await platform.clock.advance(60_000);
    const later = (await platform.clock.now()).toISOString();
    assert.equal((await expectStatus(200, confirm(id, later))).receiptDeliveryConfirmedAt, later);
    assert.equal((await read(id)).receiptDeliveryConfirmedAt, later);
  });

  test('400: the future, before the transaction, never completed, a card transaction', async () => {
    const { id } = await payout('999');
    const failed = await payout('002');
    const { card } = await fundedCard(platform, 1_000);
    const purchase = await networkOf(platform, card).authorize(100);
    const now = await platform.clock.now();
    const created = new Date((await read(id)).createdAt);
    await changesNothing(service.db, async () => {
      assertInvalid(await confirm(id, new Date(now.getTime() + 1).toISOString()), 'receiptDeliveryConfirmedAt');
      assertInvalid(await confirm(id, new Date(created.getTime() - 1).toISOString()), 'receiptDeliveryConfirmedAt');
      assertInvalid(await confirm(id, 'yesterday'), 'receiptDeliveryConfirmedAt');
      assertInvalid(await confirm(failed.id), 'transactionId');
      assertInvalid(await confirm(purchase.id), 'transactionId');
    });
  });
});

describe('after settlement', () => {
  const railOf = async (id: string) => {
    const payment = await read(id);
    return { payment, rail: (payment.type === 'OUTGOING' ? payment.destination : payment.source).railDetails };
  };

  test('a deposit: returned, dishonored, contested; earlier times stay', async () => {
    const { account, id } = await deposit();
    for (const [event, status, rail, balance] of [
      ['RETURN', 'FAILED', 'RETURNED', 0],
      ['DISHONOR', 'COMPLETED', 'RETURN_DISHONORED', 5_000],
      ['CONTEST', 'FAILED', 'RETURN_CONTESTED', 0],
    ] as const) {
      const answer = await expectStatus(200, bank(id, event));
      assert.deepEqual([answer.status, answer.source.railDetails.status], [status, rail]);
      assert.equal(answer.failureReason, status === 'FAILED' ? 'COLLECTION_FAILED' : undefined);
      assert.equal(await build.balance(account), balance, event);
    }
    const { rail, payment } = await railOf(id);
    for (const time of ['settledAt', 'returnedAt', 'dishonoredAt', 'contestedAt']) assert.ok(rail[time], time);
    assert.equal(payment.refund, undefined);
    assert.deepEqual(await eventsOf(service.db, id), ['COMPLETED', 'FAILED', 'COMPLETED', 'FAILED']);
  });

  test('a deposit that was spent: what is available is taken, the reserve bears the rest, and a dishonor repays the reserve first', async () => {
    const { account, id } = await deposit();
    const destination = await build.usd({ id: account.customerId });
    await build.execute(await build.quote(build.request(account, destination, 3_000)));
    await build.settle();
    const reserve = async () =>
      (
        await service.db.one<{ sum: bigint }>(sql`
        select coalesce(sum(e.amount), 0)::bigint as sum from entries e join ledger_accounts l on l.platform_id = e.platform_id and l.id = e.account_id
        where l.purpose = 'RESERVE' and e.transaction_id = ${id.slice('Transaction:'.length)}`)
      )?.sum;
    await expectStatus(200, bank(id, 'RETURN'));
    assert.deepEqual([await build.balance(account), await reserve()], [0, -3_000n]);
    await expectStatus(200, bank(id, 'DISHONOR'));
    assert.deepEqual([await build.balance(account), await reserve()], [2_000, 0n]);
    await expectStatus(200, bank(id, 'CONTEST'));
    assert.deepEqual([await build.balance(account), await reserve()], [0, -3_000n]);
  });

  test('a deposit that is reversed', async () => {
    const { account, id } = await deposit();
    const answer = await expectStatus(200, bank(id, 'REVERSE'));
    assert.deepEqual([answer.status, answer.source.railDetails.status, await build.balance(account)], ['FAILED', 'REVERSED', 0]);
    assert.ok(answer.source.railDetails.reversedAt);
  });

  test('a payout that is returned is refunded; a dishonor and a contest move nothing', async () => {
    const { source, id } = await payout('999');
    const returned = await expectStatus(200, bank(id, 'RETURN'));
    assert.deepEqual([returned.status, returned.failureReason, returned.refund.status], ['FAILED', 'PAYOUT_RETURNED', 'PENDING']);
    await build.settle();
    assert.equal(await build.balance(source), 50_000);
    for (const [event, status] of [
      ['DISHONOR', 'RETURN_DISHONORED'],
      ['CONTEST', 'RETURN_CONTESTED'],
    ] as const) {
      const answer = await expectStatus(200, bank(id, event));
      assert.deepEqual([answer.status, answer.destination.railDetails.status], ['FAILED', status]);
    }
    assert.equal(await build.balance(source), 50_000);
    assert.ok((await read(id)).settledAt, 'the time of the delivery stays');
    assert.deepEqual(await eventsOf(service.db, id), [
      'PENDING',
      'PROCESSING',
      'COMPLETED',
      'FAILED',
      'REFUND_PENDING',
      'REFUND_COMPLETED',
    ]);
  });

  test('a transfer to 007 that is returned is refunded: the ending is one of payouts of quotes', async () => {
    const { account, id } = await transfer('out', '007');
    await expectStatus(200, bank(id, 'RETURN'));
    await build.settle();
    assert.deepEqual([(await read(id)).refund.status, await build.balance(account)], ['COMPLETED', 50_000]);
  });

  test('409: an event that does not follow the status of the rail, and payments that did not travel over ACH', async () => {
    const { id } = await deposit();
    const out = await payout('999');
    const failed = await payout('002');
    const source = await build.fundedAccount('EUR', 20_000);
    const { data } = await expectStatus(200, platform.get(`/transactions?accountIdentifier=${source.id}`));
    const { card } = await fundedCard(platform, 1_000);
    const purchase = await networkOf(platform, card).authorize(100);
    await changesNothing(service.db, async () => {
      for (const event of ['DISHONOR', 'CONTEST']) assertRefused(await bank(id, event), 409, 'CONFLICT');
      for (const event of ['DISHONOR', 'CONTEST', 'REVERSE']) assertRefused(await bank(out.id, event), 409, 'CONFLICT');
      for (const event of ['RETURN', 'DISHONOR', 'CONTEST', 'REVERSE'])
        for (const other of [failed.id, data[0].id, purchase.id]) assertRefused(await bank(other, event), 409, 'CONFLICT');
      assertInvalid(await bank(id, 'REFUND'), 'event');
    });
  });
});

test('404: unknown, malformed and foreign ids answer alike', async () => {
  const { id } = await deposit();
  const other = await service.newPlatform();
  for (const [path, body] of [
    ['cancel', {}],
    ['confirm', {}],
  ] as const) {
    const answers = await Promise.all([
      other.post(`/transactions/${id}/${path}`, body),
      ...[`Transaction:${randomUUID()}`, 'x'].map((unknown) => platform.post(`/transactions/${unknown}/${path}`, body)),
    ]);
    for (const answer of answers) assertRefused(answer, 404, 'TRANSACTION_NOT_FOUND');
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  }
  assertRefused(await other.post(`/sandbox/transactions/${id}/rail-event`, { event: 'RETURN' }), 404, 'TRANSACTION_NOT_FOUND');
});
