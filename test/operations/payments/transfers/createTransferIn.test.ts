// createTransferIn: a debit of an external account, credited when it has settled.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { eventsOf } from '../../../support/quotes.js';
import type { TestService } from '../../../support/service.js';
import { type Transferring, transferBody, transferring } from '../../../support/transferring.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape of responses is checked against the document.
type Resource = any;

let service: TestService;
let platform: Client;
let build: Transferring['build'];
let read: Transferring['read'];
before(async () => {
  ({ service, platform, build, read } = await transferring());
});
after(() => service.stop());

const pull = (source: Resource, destination: Resource, amount: unknown) =>
  platform.post('/transfer-in', transferBody(source, destination, amount));

const given = async (ending = '999') => {
  const destination = await build.fundedAccount('USD', 0);
  return { destination, source: await build.usd({ id: destination.customerId }, ending) };
};

describe('200', () => {
  test('PENDING, then PROCESSING and COMPLETED; credited only on COMPLETED', async () => {
    const { source, destination } = await given();
    const made = await expectStatus(200, pull(source, destination, 2_500));
    assert.deepEqual([made.type, made.direction, made.status], ['INCOMING', 'CREDIT', 'PENDING']);
    assert.deepEqual([made.source.sourceType, made.source.accountId, made.source.railDetails.status], ['ACCOUNT', source.id, 'PENDING']);
    await build.settle();
    const payment = await read(made.id);
    assert.deepEqual([payment.status, payment.source.railDetails.status], ['COMPLETED', 'SETTLED']);
    assert.equal(await build.balance(destination), 2_500);
    // A PENDING webhook would ask the platform for a decision.
    assert.deepEqual(await eventsOf(service.db, made.id), ['PROCESSING', 'COMPLETED']);
  });

  for (const ending of ['002', '003', '004', '005'])
    test(`${ending}: FAILED COLLECTION_FAILED, nothing credited, no refund`, async () => {
      const { source, destination } = await given(ending);
      const made = await expectStatus(200, pull(source, destination, 2_500));
      await build.settle();
      if (ending === '005') {
        assert.equal((await read(made.id)).status, 'PENDING');
        await platform.clock.advance(30_000);
      }
      const payment = await read(made.id);
      assert.deepEqual([payment.status, payment.failureReason, payment.refund], ['FAILED', 'COLLECTION_FAILED', undefined]);
      assert.equal(await build.balance(destination), 0);
      assert.deepEqual(await eventsOf(service.db, made.id), ['FAILED']);
    });

  test('the same Idempotency-Key pulls once', async () => {
    const { source, destination } = await given();
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(
      [1, 2, 3].map(() => platform.post('/transfer-in', transferBody(source, destination, 700), { headers })),
    );
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    await build.settle();
    assert.equal(await build.balance(destination), 700);
  });
});

test('refusals change nothing', async () => {
  const { source, destination } = await given();
  const theirs = await build.usd(await build.customer());
  await build.currencies('USD', 'EUR');
  const eur = await build.eur({ id: destination.customerId });
  const eurAccount = await build.account({ id: destination.customerId }, 'EUR');
  const pending = await build.usd({ id: destination.customerId }, '104');
  const other = await service.newPlatform();
  await changesNothing(service.db, async () => {
    assertInvalid(await pull(source, destination, undefined), 'amount');
    for (const amount of [0, -5]) assertRefused(await pull(source, destination, amount), 400, 'INVALID_AMOUNT');
    assertInvalid(await pull(theirs, destination, 1), 'source.accountId');
    assertInvalid(await pull(eur, destination, 1), 'source.accountId');
    if (eurAccount) assertRefused(await pull(source, eurAccount, 1), 400, 'INVALID_CURRENCY');
    assertRefused(await pull(pending, destination, 1), 409, 'BANK_ACCOUNT_VALIDATION_PENDING');
    const unknown = await Promise.all([
      other.post('/transfer-in', transferBody(source, destination, 1)),
      pull({ id: `ExternalAccount:${randomUUID()}` }, destination, 1),
      pull(source, { id: `InternalAccount:${randomUUID()}` }, 1),
      pull(destination, destination, 1),
      pull(source, source, 1),
    ]);
    for (const answer of unknown) assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
    assert.equal(new Set(unknown.map(({ text }) => text)).size, 1);
  });
});
