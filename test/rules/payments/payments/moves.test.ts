// The transfers of the steps of a payment: each path leaves clearing empty and gives back what was taken.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serviceAccountId } from '../../../../src/domains/ledger/actions.js';
import type { Move, ServicePurpose } from '../../../../src/domains/ledger/ledger.js';
import { movesOf, suspendingTransfers, suspenseOf, transferIdOf } from '../../../../src/domains/payments/payments/moves.js';
import type { Payment } from '../../../../src/domains/payments/payments/payment.js';
import type { LedgerStep } from '../../../../src/domains/payments/payments/rules.js';
import { idOf, newId, newUuid, uuidOf } from '../../../../src/kernel/ids.js';
import { incomingPayment, outgoingPayment } from '../../../support/payments.js';

const platformId = newId('Platform');
const service = (purpose: ServicePurpose, currency: string) => serviceAccountId(platformId, purpose, currency);

/** Sums per account after the steps; accounts that end at zero are left out. */
function sums(payment: Payment, steps: readonly (LedgerStep | [LedgerStep, bigint])[]): Record<string, bigint> {
  const moves: Move[] = steps.flatMap((step) =>
    typeof step === 'string' ? movesOf(platformId, payment, step) : movesOf(platformId, payment, step[0], { available: step[1] }),
  );
  const found = new Map<string, bigint>();
  const ids = new Set<string>();
  for (const move of moves) {
    assert.ok(move.kind === 'POST');
    const { from, to, amount, id, currency } = move.transfer;
    assert.ok(amount > 0n && from !== to);
    assert.ok(!ids.has(id), 'no transfer id is used twice');
    ids.add(id);
    found.set(`${from} ${currency}`, (found.get(`${from} ${currency}`) ?? 0n) - amount);
    found.set(`${to} ${currency}`, (found.get(`${to} ${currency}`) ?? 0n) + amount);
  }
  return Object.fromEntries([...found].filter(([, sum]) => sum !== 0n));
}

const accountOf = (end: Payment['source'] | Payment['destination']): string => {
  assert.ok(end.type === 'ACCOUNT');
  return uuidOf(end.accountId);
};
const at = (account: string, currency: string, amount: bigint) => ({ [`${account} ${currency}`]: amount });

describe('a conversion', () => {
  const feeAccountId = idOf('InternalAccount', newUuid());
  const payment = outgoingPayment({ fees: 310n, platformFees: 53n, feeAccountId });
  const source = accountOf(payment.source);

  test('debit and settle: the payer pays all, fees and FX keep theirs, the outside gets the received amount', () => {
    assert.deepEqual(sums(payment, ['DEBIT', 'SETTLE']), {
      ...at(source, 'USD', -100_000n),
      ...at(service('FEES', 'USD'), 'USD', 257n),
      ...at(uuidOf(feeAccountId), 'USD', 53n),
      ...at(service('FX', 'USD'), 'USD', 99_690n),
      ...at(service('FX', 'EUR'), 'EUR', -91_714n),
      ...at(service('FUNDING', 'EUR'), 'EUR', 91_714n),
    });
  });

  test('debit and refund leave nothing behind', () => assert.deepEqual(sums(payment, ['DEBIT', 'REFUND']), {}));

  test('a refund that fails stays in suspense', () =>
    assert.deepEqual(sums(payment, ['DEBIT', 'SUSPEND']), {
      ...at(source, 'USD', -100_000n),
      ...at(service('SUSPENSE', 'USD'), 'USD', 100_000n),
    }));

  test('a return takes everything back, the platform fee included', () =>
    assert.deepEqual(sums(payment, ['DEBIT', 'SETTLE', ['UNSETTLE', 1_000n], 'REFUND']), {}));

  test('what the platform no longer has of its fee, the reserve bears', () =>
    assert.deepEqual(sums(payment, ['DEBIT', 'SETTLE', ['UNSETTLE', 20n], 'REFUND']), {
      ...at(uuidOf(feeAccountId), 'USD', 33n),
      ...at(service('RESERVE', 'USD'), 'USD', -33n),
    }));

  test('what the platform had no room for comes out of suspense first', () => {
    const taken = (available: bigint, suspended: bigint) =>
      [service('SUSPENSE', 'USD'), uuidOf(feeAccountId), service('RESERVE', 'USD')].map((account) =>
        movesOf(platformId, payment, 'UNSETTLE', { available, suspended }).reduce(
          (sum, move) => (move.kind === 'POST' && move.transfer.from === account ? sum + move.transfer.amount : sum),
          0n,
        ),
      );
    assert.deepEqual(taken(1_000n, 53n), [53n, 0n, 0n]);
    assert.deepEqual(taken(20n, 13n), [13n, 20n, 20n]);
  });

  test('every step has the ids of its transfers derived from the payment, so that it cannot be written twice', () => {
    const ids = () => movesOf(platformId, payment, 'SETTLE').map((move) => move.kind === 'POST' && move.transfer.id);
    assert.deepEqual(ids(), ids());
  });
});

describe('other payments', () => {
  test('within one currency there are no FX legs', () => {
    const payment = outgoingPayment({ received: { amount: 99_990n, currency: 'USD' }, fees: 10n });
    assert.deepEqual(sums(payment, ['DEBIT', 'SETTLE']), {
      ...at(accountOf(payment.source), 'USD', -100_000n),
      ...at(service('FEES', 'USD'), 'USD', 10n),
      ...at(service('FUNDING', 'USD'), 'USD', 99_990n),
    });
  });

  test('an internal destination is credited, and its transfer names the transaction of the receiver', () => {
    const destination = { type: 'ACCOUNT', accountId: idOf('InternalAccount', newUuid()) } as const;
    const counterpartId = newId('Transaction');
    const payment = outgoingPayment({ destination, counterpartId });
    const credited = movesOf(platformId, payment, 'SETTLE').find((m) => m.kind === 'POST' && m.transfer.to === accountOf(destination));
    assert.ok(credited?.kind === 'POST');
    assert.deepEqual([credited.transfer.amount, credited.transfer.transactionId], [91_714n, uuidOf(counterpartId)]);
  });

  test('realtime money of another amount is refunded as it came', () => {
    const payment = outgoingPayment({ source: { type: 'REALTIME_FUNDING' }, fundedAmount: 777n });
    assert.deepEqual(sums(payment, ['FUND_MISMATCHED', 'REFUND']), {});
  });

  test('realtime and pulled money comes from outside', () => {
    const payment = outgoingPayment({ source: { type: 'REALTIME_FUNDING' } });
    assert.equal(sums(payment, ['FUND', 'SETTLE'])[`${service('FUNDING', 'USD')} USD`], -100_000n);
    assert.deepEqual(sums(payment, ['FUND', 'REFUND']), {});
  });

  test('a returned deposit takes what is available, the reserve bears the rest, and a dishonor repays the reserve first', () => {
    const payment = incomingPayment();
    const account = accountOf(payment.destination);
    assert.deepEqual(sums(payment, ['CREDIT', ['TAKE_BACK', 2_000n]]), {
      ...at(account, 'USD', 3_000n),
      ...at(service('RESERVE', 'USD'), 'USD', -3_000n),
    });
    assert.deepEqual(sums({ ...payment, borne: 3_000n }, ['CREDIT', ['TAKE_BACK', 2_000n], 'RESTORE']), {
      ...at(account, 'USD', 5_000n),
      ...at(service('FUNDING', 'USD'), 'USD', -5_000n),
    });
  });

  test('money for an external account of the receiver passes through clearing, out or back', () => {
    const payment = incomingPayment({
      destination: { type: 'UMA_ADDRESS', umaAddress: '$ada@example.com' },
      creditTo: idOf('ExternalAccount', newUuid()),
      sent: { amount: 4_600n, currency: 'EUR' },
    });
    for (const path of [
      ['FUND', 'PAY_OUT'],
      ['FUND', 'SEND_BACK'],
    ] as const)
      assert.deepEqual(sums(payment, path), {});
    assert.deepEqual(sums(payment, ['FUND', 'SUSPEND']), {
      ...at(service('FUNDING', 'USD'), 'USD', -5_000n),
      ...at(service('SUSPENSE', 'USD'), 'USD', 5_000n),
    });
  });

  test('an incoming UMA payment credits the account that the receiver is paid to', () => {
    const creditTo = idOf('InternalAccount', newUuid());
    const payment = incomingPayment({ destination: { type: 'UMA_ADDRESS', umaAddress: '$ada@example.com' }, creditTo });
    assert.deepEqual(sums(payment, ['CREDIT']), {
      ...at(service('FUNDING', 'USD'), 'USD', -5_000n),
      ...at(uuidOf(creditTo), 'USD', 5_000n),
    });
  });
});

describe('what a statement shows of a transfer', () => {
  const CAUSES: Readonly<Record<LedgerStep, string>> = {
    DEBIT: 'PAYMENT',
    FUND: 'PAYMENT_FUNDING',
    FUND_MISMATCHED: 'PAYMENT_FUNDING',
    SETTLE: 'PAYMENT_SETTLEMENT',
    UNSETTLE: 'PAYMENT_RETURN',
    REFUND: 'PAYMENT_REFUND',
    SUSPEND: 'PAYMENT_REFUND_FAILED',
    CREDIT: 'DEPOSIT',
    PAY_OUT: 'PAYMENT_SETTLEMENT',
    TAKE_BACK: 'DEPOSIT_RETURN',
    RESTORE: 'DEPOSIT_RETURN_DISHONORED',
    TAKE_BACK_AGAIN: 'DEPOSIT_RETURN_CONTESTED',
    SEND_BACK: 'PAYMENT_REFUND',
  };
  const payment = outgoingPayment();
  const transfersOf = (step: LedgerStep, of: Payment = payment) =>
    movesOf(platformId, of, step).map((move) => {
      assert.ok(move.kind === 'POST');
      return move.transfer;
    });

  for (const [step, cause] of Object.entries(CAUSES) as [LedgerStep, string][])
    test(`${step}: ${cause}, and the payment`, () => {
      const transfers = transfersOf(step);
      assert.ok(transfers.length > 0);
      for (const transfer of transfers) assert.deepEqual([transfer.cause, transfer.transactionId], [cause, uuidOf(payment.id)]);
    });

  test("only the leg to the receiver names the receiver's transaction, and only where there is one", () => {
    const destination = { type: 'ACCOUNT', accountId: idOf('InternalAccount', newUuid()) } as const;
    const counterpartId = newId('Transaction');
    const names = (of: Payment) => new Set(transfersOf('SETTLE', of).map(({ transactionId }) => transactionId));
    const inside = outgoingPayment({ destination, counterpartId });
    assert.deepEqual(names(inside), new Set([uuidOf(inside.id), uuidOf(counterpartId)]));
    assert.equal(transfersOf('SETTLE', inside).filter(({ transactionId }) => transactionId === uuidOf(counterpartId)).length, 1);
    assert.deepEqual(names({ ...inside, counterpartId: null }), new Set([uuidOf(inside.id)]));
    const received = incomingPayment({ destination, counterpartId });
    assert.deepEqual(
      transfersOf('CREDIT', received).map(({ transactionId }) => transactionId),
      [uuidOf(received.id)],
    );
  });

  test('the id begins like the payment, so that rows of one time stay together, and ends in twelve digits of its own', () => {
    const paymentUuid = uuidOf(payment.id);
    const ids = [
      transferIdOf(paymentUuid, 'SETTLE', 0),
      transferIdOf(paymentUuid, 'SETTLE', 1),
      transferIdOf(paymentUuid, 'UNSETTLE', 0),
      transferIdOf(newUuid(), 'SETTLE', 0),
    ];
    assert.equal(new Set(ids.map((id) => id.slice(24))).size, 4);
    for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    for (const id of ids.slice(0, 3)) assert.equal(id.slice(0, 24), paymentUuid.slice(0, 24));
    assert.equal(
      transferIdOf('01950000-0000-7000-8000-000000000001', 'DEBIT', 0),
      '01950000-0000-7000-8000-e91cf00e4f48',
      'ids of transfers that are stored never change',
    );
  });

  test('what was taken and is not delivered is in CLEARING; what rounding leaves within one currency is in FX', () => {
    assert.deepEqual(
      transfersOf('DEBIT').map(({ to }) => to),
      [service('CLEARING', 'USD')],
    );
    const rest = outgoingPayment({ sent: { amount: 100n, currency: 'USD' }, received: { amount: 99n, currency: 'USD' }, fees: 0n });
    assert.deepEqual(
      transfersOf('SETTLE', rest).map(({ to, amount }) => [to, amount]),
      [
        [service('FUNDING', 'USD'), 99n],
        [service('FX', 'USD'), 1n],
      ],
    );
  });

  test('a leg of nothing is left out, a leg of one unit is not', () => {
    const one = outgoingPayment({ sent: { amount: 2n, currency: 'USD' }, received: { amount: 1n, currency: 'USD' }, fees: 1n });
    assert.deepEqual(
      transfersOf('SETTLE', one).map(({ amount }) => amount),
      [1n, 1n],
    );
  });

  test('a fee account that is missing is a fault of the service where the platform takes fees', () => {
    assert.throws(() => movesOf(platformId, outgoingPayment({ platformFees: 1n, feeAccountId: null }), 'SETTLE'));
    assert.throws(() => movesOf(platformId, outgoingPayment({ source: { type: 'REALTIME_FUNDING' } }), 'DEBIT'));
  });
});

describe('money that returns', () => {
  test('a refund of crypto funding lands on the account that it is given, else where it came from', () => {
    const landing = newUuid();
    const payment = outgoingPayment({ source: { type: 'REALTIME_FUNDING' } });
    const to = (of: Payment, arrivesOn?: string) =>
      movesOf(platformId, of, 'REFUND', { arrivesOn }).map((move) => move.kind === 'POST' && move.transfer.to);
    assert.deepEqual(to(payment, landing), [landing]);
    assert.deepEqual(to(payment), [service('FUNDING', 'USD')]);
    const prefunded = outgoingPayment();
    assert.deepEqual(to(prefunded), [accountOf(prefunded.source)]);
  });

  test("the platform's fee goes where it is given, else to the platform's account; the delivery stays what it is", () => {
    const [landing, feeAccountId] = [newUuid(), idOf('InternalAccount', newUuid())];
    const payment = outgoingPayment({ fees: 310n, platformFees: 53n, feeAccountId });
    const received = (arrivesOn?: string) =>
      movesOf(platformId, payment, 'SETTLE', { arrivesOn }).map((move) => move.kind === 'POST' && [move.transfer.to, move.transfer.amount]);
    assert.deepEqual(received(landing)[1], [landing, 53n]);
    assert.deepEqual(received()[1], [uuidOf(feeAccountId), 53n]);
    assert.deepEqual(received(landing).toSpliced(1, 1), received().toSpliced(1, 1));
  });

  test('a dishonored return on a closed account goes where it is given', () => {
    const payment = incomingPayment({ borne: 1_000n });
    const suspense = service('SUSPENSE', 'USD');
    assert.deepEqual(
      movesOf(platformId, payment, 'RESTORE', { arrivesOn: suspense }).map(
        (move) => move.kind === 'POST' && [move.transfer.to, move.transfer.amount],
      ),
      [
        [service('RESERVE', 'USD'), 1_000n],
        [suspense, 4_000n],
      ],
    );
    assert.deepEqual(
      movesOf(platformId, payment, 'CREDIT').map((move) => move.kind === 'POST' && move.transfer.amount),
      [5_000n],
      'a first credit owes the reserve nothing',
    );
  });

  test('with nothing available the reserve bears a returned deposit whole', () => {
    const payment = incomingPayment();
    for (const step of ['TAKE_BACK', 'TAKE_BACK_AGAIN'] as const)
      assert.deepEqual(sums(payment, [step]), {
        ...at(service('RESERVE', 'USD'), 'USD', -5_000n),
        ...at(service('FUNDING', 'USD'), 'USD', 5_000n),
      });
  });
});

describe('suspense', () => {
  const payment = incomingPayment({ sent: { amount: 4_600n, currency: 'EUR' } });
  const account = accountOf(payment.destination);

  test('what is taken back again comes out of suspense first, then from the account, and the reserve bears the rest', () => {
    const taken = (available: bigint, suspended: bigint) =>
      movesOf(platformId, payment, 'TAKE_BACK_AGAIN', { available, suspended }).map((move) => {
        assert.ok(move.kind === 'POST' && move.transfer.to === service('FUNDING', 'USD'));
        return [move.transfer.from, move.transfer.amount];
      });
    assert.deepEqual(taken(9_000n, 5_000n), [[service('SUSPENSE', 'USD'), 5_000n]]);
    assert.deepEqual(taken(1_000n, 3_000n), [
      [service('SUSPENSE', 'USD'), 3_000n],
      [account, 1_000n],
      [service('RESERVE', 'USD'), 1_000n],
    ]);
  });

  test('is brought by the first transfers of the step before, in the currency of what is taken back', () => {
    const idsOf = (step: LedgerStep) => [0, 1].map((position) => transferIdOf(uuidOf(payment.id), step, position));
    assert.deepEqual(suspendingTransfers(payment, 'TAKE_BACK_AGAIN'), idsOf('RESTORE'));
    assert.deepEqual(suspendingTransfers(payment, 'UNSETTLE'), idsOf('SETTLE'));
    assert.deepEqual(suspendingTransfers(payment, 'TAKE_BACK'), []);
    assert.equal(suspenseOf(platformId, payment, 'TAKE_BACK_AGAIN'), service('SUSPENSE', 'USD'));
    assert.equal(suspenseOf(platformId, payment, 'UNSETTLE'), service('SUSPENSE', 'EUR'));
  });
});
