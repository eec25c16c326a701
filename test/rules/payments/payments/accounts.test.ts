// The accounts of holders that a step of a payment moves money of, and accounts that were closed meanwhile.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serviceAccountId } from '../../../../src/domains/ledger/actions.js';
import {
  accountsOf,
  arrival,
  arrives,
  refuseClosed,
  suspenseFor,
  suspenseWithoutRoom,
  withBorne,
} from '../../../../src/domains/payments/payments/account-rules.js';
import type { LedgerStep } from '../../../../src/domains/payments/payments/rules.js';
import { idOf, newId, newUuid } from '../../../../src/kernel/ids.js';
import { incomingPayment, outgoingPayment } from '../../../support/payments.js';
import { refusalBy } from '../../../support/refusal.js';

const internal = () => idOf('InternalAccount', newUuid());
const [source, destination, feeAccountId] = [internal(), internal(), internal()];
const NAMES = new Map([
  [source, 'source'],
  [destination, 'destination'],
  [feeAccountId, 'fees'],
]);

/** Step → accounts whose balance moves; whether money arrives on one; what a closed account answers. */
const TABLE: Readonly<Record<LedgerStep, readonly [accounts: string, arrives: boolean, closed: string]>> = {
  DEBIT: ['source', false, 'allowed'],
  FUND: ['', false, 'allowed'],
  FUND_MISMATCHED: ['', false, 'allowed'],
  SETTLE: ['destination fees', false, 'allowed'],
  UNSETTLE: ['destination fees', false, 'allowed'],
  REFUND: ['source', true, 'ACCOUNT_NOT_FOUND'],
  SUSPEND: ['', false, 'allowed'],
  CREDIT: ['destination', true, 'ACCOUNT_NOT_FOUND'],
  PAY_OUT: ['', false, 'allowed'],
  TAKE_BACK: ['destination', false, 'allowed'],
  RESTORE: ['destination', true, 'allowed'],
  TAKE_BACK_AGAIN: ['destination', false, 'allowed'],
  SEND_BACK: ['', false, 'allowed'],
};

describe('a step of a payment', () => {
  const payment = outgoingPayment({
    source: { type: 'ACCOUNT', accountId: source },
    destination: { type: 'ACCOUNT', accountId: destination },
    feeAccountId,
    platformFees: 1n,
  });
  for (const [step, [accounts, isArriving, closed]] of Object.entries(TABLE) as [LedgerStep, (typeof TABLE)[LedgerStep]][])
    test(`${step}: moves ${accounts || 'no account'} of a holder; on a closed one: ${closed}`, () => {
      assert.equal(
        accountsOf(payment, step)
          .map((id) => NAMES.get(id))
          .join(' '),
        accounts,
      );
      assert.equal(arrives(step), isArriving);
      assert.equal(
        refusalBy(() => refuseClosed(step, [{ status: 'ACTIVE' }, { status: 'CLOSED' }])),
        closed,
      );
      assert.equal(
        refusalBy(() => refuseClosed(step, [{ status: 'ACTIVE' }, { status: 'FROZEN' }])),
        'allowed',
      );
    });

  test('ends outside the service, and a platform that takes no fee, have no account to move', () => {
    const outside = {
      ...payment,
      platformFees: 0n,
      destination: { type: 'ACCOUNT', accountId: idOf('ExternalAccount', newUuid()) },
    } as const;
    assert.deepEqual(accountsOf(outside, 'SETTLE'), []);
    assert.deepEqual(accountsOf({ ...payment, source: { type: 'REALTIME_FUNDING' } }, 'REFUND'), []);
    assert.deepEqual(accountsOf({ ...payment, feeAccountId: null }, 'SETTLE'), [destination]);
  });
});

describe('an account that was closed meanwhile', () => {
  const platformId = newId('Platform');
  const payment = incomingPayment();

  test('a dishonored return goes to suspense', () => {
    assert.equal(
      suspenseFor(platformId, payment, [{ status: 'ACTIVE' }, { status: 'CLOSED' }]),
      serviceAccountId(platformId, 'SUSPENSE', 'USD'),
    );
    for (const status of ['ACTIVE', 'PENDING', 'FROZEN', 'FAILED'] as const)
      assert.equal(suspenseFor(platformId, payment, [{ status }]), undefined, status);
  });

  test('a payment within the service fails with ACCOUNT_INVALID, and settles on any other account', () => {
    const now = new Date('2026-03-04T05:06:07.000Z');
    assert.deepEqual(arrival([{ status: 'ACTIVE' }, { status: 'CLOSED' }], now), { event: 'FAILED', reason: 'ACCOUNT_INVALID', now });
    for (const accounts of [[], [{ status: 'ACTIVE' }], [{ status: 'FROZEN' }]] as const)
      assert.deepEqual(arrival(accounts, now), { event: 'SETTLED', now });
  });
});

test('what an account has no room for goes to suspense where nobody can be refused, and is refused otherwise', () => {
  const platformId = newId('Platform');
  const inside = { type: 'ACCOUNT', accountId: idOf('InternalAccount', newUuid()) } as const;
  const [leaving, staying] = [outgoingPayment(), outgoingPayment({ destination: inside })];
  const toUma = outgoingPayment({ destination: { type: 'UMA_ADDRESS', umaAddress: '$ada@example.com' } });
  const suspense = (currency: string) => serviceAccountId(platformId, 'SUSPENSE', currency);
  for (const payment of [leaving, toUma]) assert.equal(suspenseWithoutRoom(platformId, payment, 'SETTLE'), suspense('USD'));
  assert.equal(suspenseWithoutRoom(platformId, staying, 'SETTLE'), undefined, 'the receiver is refused');
  const deposit = incomingPayment({ sent: { amount: 1n, currency: 'EUR' } });
  assert.equal(suspenseWithoutRoom(platformId, deposit, 'RESTORE'), suspense('USD'));
  for (const step of ['DEBIT', 'REFUND', 'CREDIT', 'UNSETTLE'] as const)
    assert.equal(suspenseWithoutRoom(platformId, leaving, step), undefined, step);
});

test('what the reserve bore of a return is remembered until the return is dishonored', () => {
  const payment = incomingPayment({ borne: 7n });
  const borne = (step: LedgerStep | undefined, available?: bigint) =>
    withBorne(payment, step, available === undefined ? {} : { available }).borne;
  for (const step of ['TAKE_BACK', 'TAKE_BACK_AGAIN'] as const)
    assert.deepEqual(
      [undefined, 0n, 2_000n, 4_999n, 5_000n, 5_001n].map((available) => borne(step, available)),
      [5_000n, 5_000n, 3_000n, 1n, 0n, 0n],
      step,
    );
  assert.equal(withBorne(payment, 'TAKE_BACK_AGAIN', { available: 1_000n, suspended: 3_500n }).borne, 500n);
  assert.equal(borne('RESTORE', 2_000n), 0n);
  assert.deepEqual([borne('CREDIT', 2_000n), borne(undefined, 2_000n)], [7n, 7n]);
});
