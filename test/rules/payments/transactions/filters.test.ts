// Which payments and which card transactions a list of transactions shows.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { referenceOf } from '../../../../src/domains/payments/payments/references.js';
import { countLimitOf, filtersOf, type TransactionFilter } from '../../../../src/domains/payments/transactions/filter-rules.js';
import { idOf, newId, newUuid } from '../../../../src/kernel/ids.js';

const platformId = newId('Platform');
const customerId = newId('Customer');
const cardId = newId('Card');
const [account, other] = [idOf('InternalAccount', newUuid()), idOf('InternalAccount', newUuid())];
const paymentId = newId('Transaction');

const now = new Date('2026-01-15T12:00:00Z');
const filters = (filter: TransactionFilter) => filtersOf(filter, { platformId, now, clock: undefined });
/** Members that narrow the list. */
const narrowed = (filter: object | undefined) =>
  filter && Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
const payments = (filter: TransactionFilter) => narrowed(filters(filter).payments);
const cards = (filter: TransactionFilter) => narrowed(filters(filter).cards);

describe('payments', () => {
  test('each filter narrows by its own member', () => {
    const from = new Date('2026-01-01T00:00:00Z');
    const to = new Date('2026-02-01T00:00:00Z');
    assert.deepEqual(payments({}), {});
    assert.deepEqual(
      payments({
        customerId,
        platformCustomerId: 'ada',
        accountIdentifier: account,
        senderAccountIdentifier: '$ada@uma.example',
        receiverAccountIdentifier: other,
        status: 'FAILED',
        type: 'OUTGOING',
        reference: referenceOf(paymentId),
        among: [account],
        from,
        to,
      }),
      {
        id: paymentId,
        type: 'OUTGOING',
        status: 'FAILED',
        now,
        customerId,
        platformCustomerId: 'ada',
        account,
        sender: '$ada@uma.example',
        receiver: other,
        among: [account],
        from,
        to,
      },
    );
  });

  test("the platform's id means its own payments", () => {
    assert.deepEqual(payments({ customerId: platformId }), { customerId: null });
  });

  test('every status of a payment; a text that names nothing matches nothing', () => {
    for (const status of 'PENDING PENDING_AUTHORIZATION PROCESSING COMPLETED REJECTED FAILED EXPIRED'.split(' '))
      assert.deepEqual(payments({ status }), { status, now }, 'a status is that of a moment');
    for (const nothing of [
      { status: 'CREATED' },
      { status: '' },
      { customerId: 'Customer:x' },
      { customerId: newId('Platform') },
      { reference: 'x' },
      { type: 'CARD' },
      { cardId },
      { cardId, type: 'OUTGOING' },
    ] as const)
      assert.equal(payments(nothing), undefined, JSON.stringify(nothing));
  });
});

describe('card transactions', () => {
  test('each filter narrows by its own member', () => {
    assert.deepEqual(cards({}), {});
    assert.deepEqual(
      cards({
        cardId,
        customerId,
        platformCustomerId: 'ada',
        accountIdentifier: account,
        reference: 'R',
        type: 'CARD',
        among: [account, 'x'],
      }),
      { cardId, customerId, platformCustomerId: 'ada', accountId: account, reference: 'R', among: [account] },
    );
  });

  test('money of a purchase leaves the account, money of a credit reaches it', () => {
    assert.deepEqual(cards({ senderAccountIdentifier: account }), { accountId: account, direction: 'DEBIT' });
    assert.deepEqual(cards({ receiverAccountIdentifier: account }), { accountId: account, direction: 'CREDIT' });
    assert.deepEqual(cards({ accountIdentifier: account }), { accountId: account });
    assert.deepEqual(cards({ accountIdentifier: account, senderAccountIdentifier: account }), { accountId: account, direction: 'DEBIT' });
  });

  test('"status leaves card rows out", and so do the other types, two accounts, and texts that name nothing', () => {
    for (const nothing of [
      { status: 'COMPLETED' },
      { type: 'INCOMING' },
      { type: 'OUTGOING' },
      { accountIdentifier: account, senderAccountIdentifier: other },
      { senderAccountIdentifier: account, receiverAccountIdentifier: account },
      { senderAccountIdentifier: '$ada@uma.example' },
      { customerId: platformId },
      { cardId: 'Card:x' },
      { accountIdentifier: 'InternalAccount:x' },
    ] as const)
      assert.equal(cards(nothing), undefined, JSON.stringify(nothing));
  });
});

describe('times', () => {
  const from = new Date('2026-01-01T00:00:00.000Z');
  const to = new Date('2026-01-02T00:00:00.000Z');
  const bounds = (filter: TransactionFilter, clock: { leastAhead: number; mostAhead: number } | undefined) => {
    const { payments: one, cards: two } = filtersOf(filter, { platformId, now, clock });
    assert.deepEqual([one?.idFrom, one?.idBefore], [two?.idFrom, two?.idBefore], 'both kinds alike');
    return [one?.idFrom, one?.idBefore].map(
      (uuid) => uuid && new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)).toISOString(),
    );
  };

  test('an id rises with the real time: bounds are what the clock was ahead, and five minutes of tolerance on each side', () => {
    const clock = { leastAhead: -60_000, mostAhead: 3_600_000 };
    assert.deepEqual(bounds({ from, to }, clock), ['2025-12-31T22:55:00.000Z', '2026-01-02T00:06:00.000Z']);
    assert.deepEqual(bounds({ from }, clock), ['2025-12-31T22:55:00.000Z', undefined]);
    assert.deepEqual(bounds({ to }, clock), [undefined, '2026-01-02T00:06:00.000Z']);
  });

  test('a clock whose past is unknown bounds no id', () => assert.deepEqual(bounds({ from, to }, undefined), [undefined, undefined]));
});

test('counting stops at 10,000 without a filter and at 1,000 with one', () => {
  assert.equal(countLimitOf({}), 10_000);
  assert.equal(countLimitOf({ status: undefined, type: undefined }), 10_000);
  assert.equal(countLimitOf({ status: undefined, type: 'CARD' }), 1_000);
});
