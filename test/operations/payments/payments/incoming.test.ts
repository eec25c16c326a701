// Incoming payments: the platform decides by the answer to the webhook, by a call, or not in time.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { fundedCard, networkOf } from '../../../support/card-transactions.js';
import { assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { announce } from '../../../support/incoming.js';
import { eventsOf, quoting } from '../../../support/quotes.js';
import { race } from '../../../support/race.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { cardEvent, envelopeOf, givenEndpoint, setEndpoint, tell } from '../../../support/webhooks/platform.js';
import { type Receiver, type ReceiverOptions, type Reply, startReceiver } from '../../../support/webhooks/receiver.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape of responses is checked against the document.
type Resource = any;

let service: TestService;
const receivers: Receiver[] = [];
before(async () => {
  service = await startTestService();
});
after(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await service.stop();
});

const listen = async (platform: Client, options?: ReceiverOptions): Promise<Receiver> => {
  const receiver = await givenEndpoint(platform, options);
  receivers.push(receiver);
  return receiver;
};

/** Waits until a condition holds; the worker runs beside the test. */
async function until<Value>(read: () => Promise<Value> | Value, isDone: (value: Value) => boolean): Promise<Value> {
  for (let left = 400; ; left -= 1) {
    const value = await read();
    if (isDone(value)) return value;
    assert.ok(left > 0, `still waiting, last: ${JSON.stringify(value)}`);
    await new Promise((wake) => setTimeout(wake, 25));
  }
}

const read = (platform: Client, id: string): Promise<Resource> => expectStatus(200, platform.get(`/transactions/${id}`));
const decided = (platform: Client, id: string): Promise<Resource> =>
  until(
    () => read(platform, id),
    ({ status }) => status !== 'PENDING' && status !== 'PROCESSING',
  );

/** A platform whose receiver gives one answer to questions and 200 to everything else. */
async function asked(reply: Reply, fields: Parameters<typeof announce>[3] = {}) {
  const platform = await service.newPlatform();
  const build = quoting(platform);
  const account = await build.account(await build.customer(), 'USD');
  const receiver = await listen(platform, {
    reply: (received) => (envelopeOf(received).type === 'INCOMING_PAYMENT.PENDING' ? reply : 200),
  });
  const id = await announce(service, platform, account, fields);
  return { platform, build, account, receiver, id };
}

const questions = ({ received }: Receiver) => received.map(envelopeOf).filter(({ type }) => type === 'INCOMING_PAYMENT.PENDING');

describe('the answer to the webhook decides', () => {
  const cases: { reply: Reply; status: string; failureReason?: string; events: string[]; credited: number }[] = [
    { reply: 200, status: 'COMPLETED', events: ['PENDING', 'PROCESSING', 'COMPLETED'], credited: 2_500 },
    { reply: 204, status: 'COMPLETED', events: ['PENDING', 'PROCESSING', 'COMPLETED'], credited: 2_500 },
    { reply: 403, status: 'REJECTED', events: ['PENDING', 'FAILED'], credited: 0 },
    { reply: 422, status: 'FAILED', failureReason: 'PAY_REQUEST_FAILED', events: ['PENDING', 'FAILED'], credited: 0 },
    { reply: 500, status: 'FAILED', failureReason: 'PAYMENT_APPROVAL_WEBHOOK_ERROR', events: ['PENDING', 'FAILED'], credited: 0 },
    { reply: 409, status: 'FAILED', failureReason: 'PAYMENT_APPROVAL_WEBHOOK_ERROR', events: ['PENDING', 'FAILED'], credited: 0 },
    { reply: 'RESET', status: 'FAILED', failureReason: 'PAYMENT_APPROVAL_WEBHOOK_ERROR', events: ['PENDING', 'FAILED'], credited: 0 },
    { reply: 'HANG', status: 'FAILED', failureReason: 'PAYMENT_APPROVAL_TIMED_OUT', events: ['PENDING', 'FAILED'], credited: 0 },
  ];
  for (const { reply, status, failureReason, events, credited } of cases)
    test(`${reply}: ${status} ${failureReason ?? ''}`, async () => {
      const { platform, build, account, receiver, id } = await asked(reply);
      const payment = await decided(platform, id);
      assert.deepEqual([payment.status, payment.failureReason], [status, failureReason]);
      assert.equal(await build.balance(account), credited);
      assert.deepEqual(await eventsOf(service.db, id), events);
      // The rest of the events arrive, and the question is never asked again.
      const last = events.at(-1);
      await until(
        () => receiver.received.map(envelopeOf),
        (got) => got.some(({ type, data }) => type === `INCOMING_PAYMENT.${last}` && data.id === id),
      );
      await platform.clock.advance(3_600_000);
      // A connection that is cut when it is used again is opened anew, and the question is repeated on it.
      if (reply !== 'RESET') assert.equal(questions(receiver).length, 1);
    });

  test('the question shows the payment as a GET does, with what the sender is known for and asks for', async () => {
    const requestedFields = [
      { name: 'FULL_NAME', mandatory: true },
      { name: 'NATIONALITY', mandatory: false },
    ];
    const { platform, account, receiver, id } = await asked(202, { requestedFields });
    const [question] = await until(
      () => questions(receiver),
      (got) => got.length > 0,
    );
    const { requestedReceiverCustomerInfoFields, ...data } = question.data;
    assert.deepEqual(requestedReceiverCustomerInfoFields, requestedFields);
    assert.equal(data.status, 'PENDING');
    assert.deepEqual(data.counterpartyInformation, { FULL_NAME: 'Sandbox Sender' });
    assert.equal(data.customerId, account.customerId);
    assert.deepEqual(data.source, { sourceType: 'UMA_ADDRESS', umaAddress: '$success.usd@sandbox.uma.money', currency: 'USD' });
    assert.deepEqual(data, { ...(await read(platform, id)), updatedAt: data.updatedAt });
  });

  test('200 with the mandatory data approves; without it MISSING_MANDATORY_PAYEE_DATA', async () => {
    const requestedFields = [{ name: 'FULL_NAME', mandatory: true }];
    const body = JSON.stringify({ receiverCustomerInfo: { FULL_NAME: 'Ada Lovelace' } });
    const given = await asked({ status: 200, body }, { requestedFields });
    assert.equal((await decided(given.platform, given.id)).status, 'COMPLETED');
    const missing = await asked(200, { requestedFields });
    assert.equal((await decided(missing.platform, missing.id)).failureReason, 'MISSING_MANDATORY_PAYEE_DATA');
  });

  test('the data of the receiver in an answer is not kept with the attempts', async () => {
    const body = JSON.stringify({ receiverCustomerInfo: { FULL_NAME: 'Unmistakable Name' } });
    const { platform, id } = await asked({ status: 200, body });
    await decided(platform, id);
    const events = await until(
      () => expectStatus(200, platform.get('/webhooks/events?type=INCOMING_PAYMENT.PENDING')),
      ({ data }: Resource) => data[0]?.attempts?.length > 0,
    );
    assert.ok(!JSON.stringify(events).includes('Unmistakable'));
    assert.equal(events.data[0].deliveryStatus, 'DELIVERED');
  });

  test('an incoming payment refused for compliance is FAILED at once, and nobody is asked', async () => {
    const { platform, receiver, id } = await asked(200, { refusedFor: 'COMPLIANCE_REJECTED' });
    const payment = await read(platform, id);
    assert.deepEqual([payment.status, payment.failureReason], ['FAILED', 'COMPLIANCE_REJECTED']);
    await platform.clock.advance(0);
    assert.deepEqual(await eventsOf(service.db, id), ['FAILED']);
    assert.equal(questions(receiver).length, 0);
  });
});

describe('202 leaves the decision to a call', () => {
  const deferred = async (fields: Parameters<typeof announce>[3] = {}) => {
    const given = await asked(202, fields);
    await given.platform.clock.freeze();
    await until(
      () => questions(given.receiver),
      (got) => got.length > 0,
    );
    return given;
  };

  test('approve: PROCESSING, then COMPLETED; a second decision is refused', async () => {
    const { platform, build, account, id } = await deferred();
    const approved = await expectStatus(200, platform.post(`/transactions/${id}/approve`));
    assert.equal(approved.status, 'PROCESSING');
    await build.settle();
    const payment = await read(platform, id);
    assert.equal(payment.status, 'COMPLETED');
    assert.equal(payment.settledAt, (await platform.clock.now()).toISOString());
    assert.equal(await build.balance(account), 2_500);
    for (const decision of ['approve', 'reject'])
      assertRefused(await platform.post(`/transactions/${id}/${decision}`), 409, 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL');
  });

  test('approve without a mandatory field: 400 names it, and the payment keeps waiting', async () => {
    const { platform, id } = await deferred({ requestedFields: [{ name: 'FULL_NAME', mandatory: true }] });
    const refused = await platform.post(`/transactions/${id}/approve`, { receiverCustomerInfo: { NATIONALITY: 'US' } });
    assertRefused(refused, 400, 'MISSING_MANDATORY_USER_INFO');
    assert.deepEqual(refused.body.details.missingFields, ['FULL_NAME']);
    assert.equal((await read(platform, id)).status, 'PENDING');
    await expectStatus(200, platform.post(`/transactions/${id}/approve`, { receiverCustomerInfo: { FULL_NAME: 'Ada Lovelace' } }));
  });

  test('reject: REJECTED without a failureReason, nothing credited', async () => {
    const { platform, build, account, id } = await deferred();
    const rejected = await expectStatus(200, platform.post(`/transactions/${id}/reject`, { reason: 'not ours' }));
    assert.deepEqual([rejected.status, rejected.failureReason], ['REJECTED', undefined]);
    assert.equal(await build.balance(account), 0);
    assert.deepEqual(await eventsOf(service.db, id), ['PENDING', 'FAILED']);
  });

  test('five seconds of the clock without a decision: PAYMENT_APPROVAL_TIMED_OUT', async () => {
    const { platform, id } = await deferred();
    // The answer may be recorded a moment after the receiver has sent it.
    await until(
      async () =>
        (
          await service.db.one<{ left: number }>(sql`
        select extract(epoch from expires_at - created_at)::int as left from payments where id = ${id.slice(12)}`)
        )?.left,
      (left) => left !== 10,
    );
    await platform.clock.advance(4_000);
    assert.equal((await read(platform, id)).status, 'PENDING');
    await platform.clock.advance(2_000);
    assert.deepEqual([(await read(platform, id)).failureReason], ['PAYMENT_APPROVAL_TIMED_OUT']);
    assertRefused(await platform.post(`/transactions/${id}/approve`), 409, 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL');
  });
});

describe('an external account of the receiver', () => {
  const toExternal = async (ending: string) => {
    const platform = await service.newPlatform();
    const build = quoting(platform);
    const customer = await build.customer();
    const account = await build.usd(customer, ending);
    await listen(platform);
    const id = await announce(service, platform, { ...account, customerId: customer.id });
    return decided(platform, id).then(() =>
      until(
        () => read(platform, id),
        ({ status, refund }) => status === 'COMPLETED' || refund?.status === 'COMPLETED',
      ),
    );
  };

  test('the money goes on to it over its rail', async () => {
    assert.equal((await toExternal('999')).status, 'COMPLETED');
  });

  for (const ending of ['002', '003', '004', '007'])
    test(`${ending}: the payout fails, OFFRAMP_FAILED, and the money goes back`, async () => {
      const payment = await toExternal(ending);
      assert.deepEqual([payment.status, payment.failureReason, payment.refund.status], ['FAILED', 'OFFRAMP_FAILED', 'COMPLETED']);
      assert.deepEqual(await eventsOf(service.db, payment.id), ['PENDING', 'PROCESSING', 'FAILED', 'REFUND_PENDING', 'REFUND_COMPLETED']);
      const rows = await service.db.many<{ sum: bigint }>(sql`
        select sum(amount)::bigint as sum from entries where transaction_id = ${payment.id.slice(12)} group by account_id`);
      assert.ok(rows.length > 0 && rows.every(({ sum }) => sum === 0n));
    });
});

describe('an open question delays nothing else', () => {
  /** The receiver does not answer questions, and notes when other events arrive. */
  async function open(count: number) {
    const platform = await service.newPlatform();
    const build = quoting(platform);
    const account = await build.account(await build.customer(), 'USD');
    const receiver = await listen(platform, {
      reply: (received) => (envelopeOf(received).type === 'INCOMING_PAYMENT.PENDING' ? 'HANG' : 200),
    });
    const ids: string[] = [];
    for (let i = 0; i < count; i += 1) ids.push(await announce(service, platform, account));
    await until(
      () => questions(receiver).length,
      (got) => got === count,
    );
    return { platform, account, receiver, ids };
  }

  const arrival = async (platform: Client, receiver: Receiver): Promise<number> => {
    const event = cardEvent();
    const began = performance.now();
    await tell(service, platform, event);
    await until(
      () => receiver.received.map(envelopeOf),
      (got) => got.some(({ data }) => data.id === event.objectId),
    );
    return performance.now() - began;
  };

  test('while many questions are open, later events are delivered at once', async () => {
    // More than the requests that an endpoint without answers is given.
    const { platform, receiver, ids } = await open(6);
    for (let i = 0; i < 5; i += 1) assert.ok((await arrival(platform, receiver)) < 3_000);
    for (const id of ids) assert.equal((await read(platform, id)).status, 'PENDING');
  });

  test('after questions have timed out, later events are delivered at once, and so are those of the payments', async () => {
    const { platform, receiver, ids } = await open(3);
    for (const id of ids) assert.equal((await decided(platform, id)).failureReason, 'PAYMENT_APPROVAL_TIMED_OUT');
    assert.ok((await arrival(platform, receiver)) < 3_000);
    await until(
      () => receiver.received.map(envelopeOf).filter(({ type }) => type === 'INCOMING_PAYMENT.FAILED').length,
      (got) => got === ids.length,
    );
  });

  test('after the endpoint was replaced while a question is open, events reach the new one at once', async () => {
    const { platform, receiver } = await open(2);
    const next = await startReceiver();
    receivers.push(next);
    await setEndpoint(platform, next.url);
    assert.ok((await arrival(platform, next)) < 4_000);
    assert.equal(receiver.received.map(envelopeOf).filter(({ type }) => type === 'card.status_change').length, 0);
  });

  test('the platform may decide by a call while its receiver thinks; the late answer changes nothing', async () => {
    const { platform, ids } = await open(1);
    await expectStatus(200, platform.post(`/transactions/${ids[0]}/approve`));
    assert.equal((await decided(platform, ids[0] ?? '')).status, 'COMPLETED');
  });
});

describe('refusals', () => {
  test('404: unknown, malformed and foreign ids answer alike', async () => {
    const { platform, id } = await asked(202);
    const other = await service.newPlatform();
    for (const decision of ['approve', 'reject']) {
      const answers = await Promise.all([
        other.post(`/transactions/${id}/${decision}`),
        ...[`Transaction:${randomUUID()}`, 'x'].map((unknown) => platform.post(`/transactions/${unknown}/${decision}`)),
      ]);
      for (const answer of answers) assertRefused(answer, 404, 'TRANSACTION_NOT_FOUND');
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    }
  });

  test('409: a payment that waits for nobody, a quote and a card transaction', async () => {
    const platform = await service.newPlatform();
    const build = quoting(platform);
    await build.currencies('USD', 'EUR');
    const source = await build.fundedAccount('USD', 10_000);
    const quote = await build.quote(build.request(source, await build.eur({ id: source.customerId }), 5_000));
    const { card } = await fundedCard(platform, 1_000);
    const purchase = await networkOf(platform, card).authorize(100);
    for (const id of [quote.transactionId, purchase.id])
      for (const decision of ['approve', 'reject'])
        assertRefused(await platform.post(`/transactions/${id}/${decision}`), 409, 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL');
  });

  race('64 decisions at the same instant: one counts', async () => {
    const { platform, build, account, id } = await asked(202);
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) => platform.post(`/transactions/${id}/${i % 2 === 0 ? 'approve' : 'reject'}`)),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 409, 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL');
    const { status } = await decided(platform, id);
    assert.equal(await build.balance(account), status === 'COMPLETED' ? 2_500 : 0);
  });
});
