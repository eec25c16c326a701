import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Balance, Move, Transfer } from '../../../src/domains/ledger/ledger.js';
import {
  accountsOf,
  applyMoves,
  isKnownServiceAccount,
  partsByDate,
  serviceAccountId,
  spendable,
} from '../../../src/domains/ledger/rules.js';
import { ApiError, type ErrorCode } from '../../../src/kernel/errors.js';

const balance = (accountId: string, available: bigint, total = available, lastEntry = 0n): Balance => ({
  accountId,
  currency: 'USD',
  available,
  total,
  lastEntry,
  owed: 0n,
  underHolderKey: false,
  notBefore: null,
});
const apply = (balances: ReadonlyMap<string, Balance>, moves: readonly Move[]) => applyMoves('Platform:1', balances, moves);
const ledger = (...balances: Balance[]) => new Map(balances.map((one) => [one.accountId, one]));
const transfer = (from: string, to: string, amount: bigint, fields: Partial<Transfer> = {}): Transfer => ({
  id: `${from}-${to}-${amount}`,
  from,
  to,
  amount,
  currency: 'USD',
  cause: 'TEST',
  ...fields,
});
const post = (from: string, to: string, amount: bigint): Move => ({ kind: 'POST', transfer: transfer(from, to, amount) });
const hold = (from: string, to: string, amount: bigint): Move => ({ kind: 'HOLD', transfer: transfer(from, to, amount) });
const refusedWith = (code: ErrorCode) => (error: unknown) => error instanceof ApiError && error.code === code;

describe('POST', () => {
  test('debits one account and credits the other, with an entry each', () => {
    const { balances, entries, transfers } = apply(ledger(balance('a', 100n), balance('b', 5n, 7n, 3n)), [post('a', 'b', 40n)]);
    assert.deepEqual(balances.get('a'), balance('a', 60n, 60n, 1n));
    assert.deepEqual(balances.get('b'), balance('b', 45n, 47n, 4n));
    assert.deepEqual(
      entries.map(({ accountId, amount, number, balanceAfter }) => [accountId, amount, number, balanceAfter]),
      [
        ['a', -40n, 1n, 60n],
        ['b', 40n, 4n, 47n],
      ],
    );
    assert.deepEqual(transfers, [transfer('a', 'b', 40n)]);
  });

  test('entries name the transaction of the transfer, if it has one', () => {
    const named: Move = { kind: 'POST', transfer: transfer('a', 'world', 1n, { transactionId: 'Transaction:1' as never }) };
    const { entries } = apply(ledger(balance('a', 100n)), [named, post('a', 'world', 2n)]);
    assert.deepEqual(
      entries.map(({ transactionId }) => transactionId),
      ['Transaction:1', 'Transaction:1', null, null],
    );
  });

  test('the entry of the receiving account names the transaction of its holder, if that is another', () => {
    const named = { transactionId: 'Transaction:1', receivedAs: 'Transaction:2' };
    const { entries } = apply(ledger(balance('a', 100n), { ...balance('b', 0n), owed: 1n }), [
      { kind: 'POST', transfer: transfer('a', 'b', 2n, named) },
      { kind: 'POST', transfer: transfer('a', 'b', 2n, { receivedAs: 'Transaction:2' }) },
    ]);
    assert.deepEqual(
      entries.map(({ accountId, amount, transactionId }) => [accountId, amount, transactionId]),
      [
        ['a', -2n, 'Transaction:1'],
        ['b', 2n, 'Transaction:2'],
        ['b', -1n, null],
        [serviceAccountId('Platform:1', 'RECEIVABLE', 'USD'), 1n, null],
        ['a', -2n, null],
        ['b', 2n, 'Transaction:2'],
      ],
    );
  });

  test('exactly the available balance may be moved, one more may not', () => {
    const before = ledger(balance('a', 100n, 150n));
    assert.equal(apply(before, [post('a', 'world', 100n)]).balances.get('a')?.available, 0n);
    assert.throws(() => apply(before, [post('a', 'world', 101n)]), refusedWith('INSUFFICIENT_FUNDS'));
  });

  test('a later move sees the balance after an earlier one', () => {
    const before = ledger(balance('a', 100n), balance('b', 0n));
    assert.equal(apply(before, [post('a', 'b', 100n), post('b', 'a', 30n), post('a', 'b', 30n)]).balances.get('a')?.total, 0n);
    assert.throws(() => apply(before, [post('a', 'b', 100n), post('a', 'b', 1n)]), refusedWith('INSUFFICIENT_FUNDS'));
  });

  test('a service-side account has entries without number or balance, and may go below zero', () => {
    const { entries, balances } = apply(ledger(balance('a', 0n)), [post('world', 'a', 5n)]);
    assert.deepEqual(
      entries.map(({ accountId, number, balanceAfter }) => [accountId, number, balanceAfter]),
      [
        ['world', null, null],
        ['a', 1n, 5n],
      ],
    );
    assert.equal(balances.has('world'), false);
  });

  test('a balance may reach exactly the largest amount JSON carries, one more is refused', () => {
    const most = BigInt(Number.MAX_SAFE_INTEGER);
    assert.equal(apply(ledger(balance('a', most - 1n)), [post('world', 'a', 1n)]).balances.get('a')?.total, most);
    assert.throws(() => apply(ledger(balance('a', 0n, most)), [post('world', 'a', 1n)]), refusedWith('AMOUNT_OUT_OF_RANGE'));
  });

  test('incoming money leaves room for outstanding returns, so a return always fits', () => {
    const most = BigInt(Number.MAX_SAFE_INTEGER);
    const expecting = ledger({ ...balance('a', 0n), outstanding: 1_000n });
    assert.equal(apply(expecting, [post('world', 'a', most - 1_000n)]).balances.get('a')?.total, most - 1_000n);
    assert.throws(() => apply(expecting, [post('world', 'a', most - 999n)]), refusedWith('AMOUNT_OUT_OF_RANGE'));
    assert.equal(apply(ledger(balance('a', most - 1_000n)), [post('world', 'a', 1_000n)]).balances.get('a')?.total, most);
  });
});

describe('HOLD and RESOLVE', () => {
  const held = transfer('a', 'world', 60n);
  const resolve = (outcome: 'POSTED' | 'VOIDED' | 'EXPIRED'): Move => ({ kind: 'RESOLVE', hold: held, outcome });

  test('a hold reserves without an entry', () => {
    const { balances, entries, transfers, opened } = apply(ledger(balance('a', 100n)), [hold('a', 'world', 60n)]);
    assert.deepEqual(balances.get('a'), balance('a', 40n, 100n));
    assert.deepEqual(entries, []);
    assert.deepEqual([transfers, opened], [[], [transfer('a', 'world', 60n)]]);
  });

  test('a hold of 0 changes no balance; a transfer of 0 is refused', () => {
    const opened = apply(ledger(balance('a', 100n)), [hold('a', 'world', 0n)]);
    assert.deepEqual([opened.balances.get('a'), opened.opened.length], [balance('a', 100n), 1]);
    const none = transfer('a', 'world', 0n);
    const ended = apply(ledger(balance('a', 100n)), [{ kind: 'RESOLVE', hold: none, outcome: 'EXPIRED' }]);
    assert.deepEqual([ended.balances.get('a'), ended.ended], [balance('a', 100n), [none]]);
    assert.throws(() => apply(ledger(balance('a', 100n)), [{ kind: 'RESOLVE', hold: none, outcome: 'POSTED' }]), /invariant broken/);
  });

  test('a hold takes no room: it is possible on a full account that expects returns', () => {
    const most = BigInt(Number.MAX_SAFE_INTEGER);
    const full = ledger({ ...balance('a', most), outstanding: 1n });
    assert.equal(apply(full, [hold('a', 'world', 60n)]).balances.get('a')?.available, most - 60n);
  });

  test('held money cannot be held or spent again', () => {
    const before = ledger(balance('a', 100n));
    assert.throws(() => apply(before, [hold('a', 'world', 60n), hold('a', 'world', 41n)]), refusedWith('INSUFFICIENT_FUNDS'));
    assert.throws(() => apply(before, [hold('a', 'world', 60n), post('a', 'world', 41n)]), refusedWith('INSUFFICIENT_FUNDS'));
  });

  test('a posted hold moves the money; the available balance was reduced before', () => {
    const { balances, entries, transfers, ended } = apply(ledger(balance('a', 40n, 100n)), [resolve('POSTED')]);
    assert.deepEqual(balances.get('a'), balance('a', 40n, 40n, 1n));
    assert.equal(entries.length, 2);
    assert.deepEqual([transfers, ended], [[held], [held]]);
  });

  for (const outcome of ['VOIDED', 'EXPIRED'] as const) {
    test(`${outcome}, the money is available again and no entry is made`, () => {
      const { balances, entries } = apply(ledger(balance('a', 40n, 100n)), [resolve(outcome)]);
      assert.deepEqual(balances.get('a'), balance('a', 100n));
      assert.deepEqual(entries, []);
    });
  }
});

describe('OWE, and the recovery of what is owed', () => {
  const owing = (accountId: string, available: bigint, owed: bigint, fields: Partial<Balance> = {}): Balance => ({
    ...balance(accountId, available),
    owed,
    ...fields,
  });
  const owe = (debtor: string, amount: bigint): Move => ({ kind: 'OWE', debtor, transfer: transfer('receivable', 'world', amount) });
  const release = (hold: Transfer): Move => ({ kind: 'RESOLVE', hold, outcome: 'VOIDED' });
  const rowsOf = ({ entries }: ReturnType<typeof apply>, account: string) =>
    entries.filter(({ accountId }) => accountId === account).map(({ amount, balanceAfter }) => [amount, balanceAfter]);

  test('a receivable is paid by RECEIVABLE and owed by its debtor, whose balance does not change', () => {
    const { balances, entries, transfers } = apply(ledger(balance('a', 10n)), [owe('a', 60n)]);
    assert.deepEqual(balances.get('a'), owing('a', 10n, 60n));
    assert.deepEqual(
      entries.map(({ accountId, amount }) => [accountId, amount]),
      [
        ['receivable', -60n],
        ['world', 60n],
      ],
    );
    assert.deepEqual(
      transfers.map(({ debtor }) => debtor),
      ['a'],
    );
  });

  test('money that arrives pays it first, with an entry of its own', () => {
    const posting = apply(ledger(owing('a', 0n, 60n)), [post('world', 'a', 100n)]);
    assert.deepEqual(posting.balances.get('a'), { ...balance('a', 40n, 40n, 2n), owed: 0n });
    assert.deepEqual(rowsOf(posting, 'a'), [
      [100n, 100n],
      [-60n, 40n],
    ]);
    const recovery = posting.transfers[1];
    assert.deepEqual(
      [recovery?.from, recovery?.to, recovery?.amount, recovery?.cause, recovery?.transactionId],
      ['a', serviceAccountId('Platform:1', 'RECEIVABLE', 'USD'), 60n, 'RECEIVABLE_RECOVERY', undefined],
    );
  });

  test('less than what is owed pays all of it in; exactly what is owed leaves nothing owed', () => {
    assert.deepEqual(
      apply(ledger(owing('a', 0n, 60n)), [post('world', 'a', 59n)]).balances.get('a'),
      owing('a', 0n, 1n, { lastEntry: 2n }),
    );
    assert.equal(apply(ledger(owing('a', 0n, 60n)), [post('world', 'a', 60n)]).balances.get('a')?.owed, 0n);
  });

  test('money from another account and a posted hold of another account arrive as well', () => {
    const two = ledger(owing('a', 0n, 60n), balance('b', 50n, 90n));
    assert.equal(apply(two, [post('b', 'a', 50n)]).balances.get('a')?.owed, 10n);
    const posted: Move = { kind: 'RESOLVE', hold: transfer('b', 'a', 40n), outcome: 'POSTED' };
    assert.equal(apply(two, [posted]).balances.get('a')?.owed, 20n);
  });

  test('a hold that ends pays it; a hold that another one replaces does not', () => {
    const hold = transfer('a', 'world', 50n);
    const holding = ledger(owing('a', 0n, 60n, { total: 50n }));
    assert.deepEqual(apply(holding, [release(hold)]).balances.get('a'), owing('a', 0n, 10n, { lastEntry: 1n }));
    const smaller: Move = { kind: 'HOLD', transfer: transfer('a', 'world', 30n) };
    assert.deepEqual(apply(holding, [release(hold), smaller]).balances.get('a'), owing('a', 0n, 40n, { total: 30n, lastEntry: 1n }));
    assert.deepEqual(rowsOf(apply(holding, [release(hold), post('a', 'world', 20n), smaller]), 'a'), [[-20n, 30n]]);
  });

  test("under the holder's key it is withheld from arriving money, and nothing leaves the account", () => {
    const wallet = ledger(owing('a', 0n, 60n, { total: 50n, underHolderKey: true }));
    assert.deepEqual(apply(wallet, [release(transfer('a', 'world', 50n))]).balances.get('a')?.owed, 60n);
    const receivable = serviceAccountId('Platform:1', 'RECEIVABLE', 'USD');
    const legs = (amount: bigint) =>
      apply(wallet, [post('world', 'a', amount)]).transfers.map(({ from, to, amount: moved, debtor }) => [from, to, moved, debtor]);
    assert.deepEqual(legs(100n), [
      ['world', receivable, 60n, 'a'],
      ['world', 'a', 40n, undefined],
    ]);
    assert.deepEqual(legs(60n), [['world', receivable, 60n, 'a']]);
    const { balances } = apply(wallet, [post('world', 'a', 100n)]);
    assert.deepEqual(balances.get('a'), { ...owing('a', 40n, 0n, { total: 90n, underHolderKey: true }), lastEntry: 1n });
  });

  test('owed money cannot be spent or held; exactly the rest can', () => {
    const before = ledger(owing('a', 100n, 60n));
    for (const kind of [post, hold]) {
      assert.equal(apply(before, [kind('a', 'world', 40n)]).balances.get('a')?.available, 60n);
      assert.throws(() => apply(before, [kind('a', 'world', 41n)]), refusedWith('INSUFFICIENT_FUNDS'));
    }
    assert.throws(() => apply(before, [post('a', 'world', 20n), post('a', 'world', 21n)]), refusedWith('INSUFFICIENT_FUNDS'));
    assert.equal(apply(ledger(balance('a', 100n)), [post('a', 'world', 100n), owe('a', 1n)]).balances.get('a')?.owed, 1n);
  });

  test('a debt of one unit is paid and cannot be spent either', () => {
    assert.deepEqual(apply(ledger(owing('a', 0n, 1n)), [post('world', 'a', 5n)]).balances.get('a'), balance('a', 4n, 4n, 2n));
    assert.throws(() => apply(ledger(owing('a', 100n, 1n)), [post('a', 'world', 100n)]), refusedWith('INSUFFICIENT_FUNDS'));
    const wallet = ledger(owing('a', 0n, 59n, { underHolderKey: true }));
    assert.equal(apply(wallet, [post('world', 'a', 60n)]).balances.get('a')?.available, 1n);
    const free = ledger(owing('a', 0n, 0n, { underHolderKey: true }));
    assert.equal(apply(free, [post('world', 'a', 60n)]).balances.get('a')?.available, 60n);
  });

  test('a hold that ends pays no more than it gave back: what was available before stays', () => {
    const holding = ledger(owing('a', 10n, 100n, { total: 60n }));
    assert.deepEqual(apply(holding, [release(transfer('a', 'world', 50n))]).balances.get('a'), owing('a', 10n, 50n, { lastEntry: 1n }));
  });

  test('owed money is not spendable', () => {
    assert.equal(spendable({ available: 10n, owed: 3n }), 7n);
    assert.equal(spendable({ available: 3n, owed: 10n }), -7n);
  });

  test('more than the largest amount cannot be owed', () => {
    const most = BigInt(Number.MAX_SAFE_INTEGER);
    assert.equal(apply(ledger(owing('a', 0n, most - 1n)), [owe('a', 1n)]).balances.get('a')?.owed, most);
    assert.throws(() => apply(ledger(owing('a', 0n, most)), [owe('a', 1n)]), refusedWith('AMOUNT_OUT_OF_RANGE'));
  });
});

describe('broken invariants', () => {
  const before = ledger(balance('a', 100n), { ...balance('e', 100n), currency: 'EUR' });
  const cases: [string, Move][] = [
    ['source = destination', post('a', 'a', 1n)],
    ['an amount of zero', post('a', 'world', 0n)],
    ['an amount below zero', post('a', 'world', -1n)],
    ['a hold on itself', hold('a', 'a', 1n)],
    ['an account of another currency', post('a', 'e', 1n)],
    ['a receivable of an account that is not locked', { kind: 'OWE', debtor: 'b', transfer: transfer('receivable', 'world', 1n) }],
    ['a receivable paid to an account with a balance', { kind: 'OWE', debtor: 'a', transfer: transfer('receivable', 'a', 1n) }],
  ];
  for (const [name, move] of cases) test(name, () => assert.throws(() => apply(before, [move]), /invariant broken/));
});

test('the given balances are not modified', () => {
  const before = ledger(balance('a', 100n), balance('b', 0n));
  apply(before, [post('a', 'b', 10n)]);
  assert.deepEqual(before, ledger(balance('a', 100n), balance('b', 0n)));
});

describe('the dates of a posting', () => {
  const now = new Date('2026-03-01T12:00:00.000Z');
  const later = new Date('2026-03-02T12:00:00.000Z');
  const latest = new Date('2026-03-03T12:00:00.000Z');
  const since = (accountId: string, notBefore: Date | null): Balance => ({ ...balance(accountId, 100n), notBefore });
  /** Of each part its date, its transfers, and the accounts of its entries and balances. */
  const datesOf = (balances: readonly Balance[], moves: readonly Move[]) =>
    partsByDate(apply(ledger(...balances), moves), now).map(({ at, transfers, entries, balances: written }) => [
      at,
      transfers.map(({ id }) => id),
      entries.map(({ accountId }) => accountId),
      [...written.keys()],
    ]);

  test('now, in one part, when no account has later entries', () => {
    const moves = [post('a', 'b', 1n), post('c', 'world', 2n)];
    assert.deepEqual(datesOf([since('a', null), since('b', now), since('c', new Date(now.getTime() - 1))], moves), [
      [now, ['a-b-1', 'c-world-2'], ['a', 'b', 'c', 'world'], ['a', 'b', 'c']],
    ]);
  });

  test('a transfer is dated by its accounts, and dates what they do after it, but no other transfer', () => {
    const moves = [post('c', 'world', 1n), post('a', 'b', 2n), post('b', 'world', 3n), post('world', 'd', 4n), post('d', 'b', 5n)];
    const accounts = [since('a', later), since('b', null), since('c', null), since('d', latest)];
    assert.deepEqual(datesOf(accounts, moves), [
      [now, ['c-world-1'], ['c', 'world'], ['c']],
      [later, ['a-b-2', 'b-world-3'], ['a', 'b', 'b', 'world'], ['a']],
      [latest, ['world-d-4', 'd-b-5'], ['world', 'd', 'd', 'b'], ['b', 'd']],
    ]);
  });

  test('an account of the service that took a later transfer dates no other', () => {
    const moves = [post('a', 'world', 1n), post('world', 'c', 2n)];
    assert.deepEqual(datesOf([since('a', later), since('c', null)], moves), [
      [later, ['a-world-1'], ['a', 'world'], ['a']],
      [now, ['world-c-2'], ['world', 'c'], ['c']],
    ]);
  });

  test('an account that only holds is written as well', () => {
    assert.deepEqual(datesOf([since('a', later), since('c', null)], [hold('a', 'world', 1n), post('c', 'world', 1n)]), [
      [now, ['c-world-1'], ['c', 'world'], ['c']],
      [later, [], [], ['a']],
    ]);
  });
});

test('every account of the moves is listed once, for locking', () => {
  const resolution: Move = { kind: 'RESOLVE', hold: transfer('c', 'a', 1n), outcome: 'VOIDED' };
  const receivable: Move = { kind: 'OWE', debtor: 'd', transfer: transfer('e', 'f', 1n) };
  assert.deepEqual(accountsOf([post('a', 'b', 1n), hold('b', 'a', 1n), resolution, receivable]).sort(), ['a', 'b', 'c', 'd', 'e', 'f']);
});

test('the id of a service-side account is derived from its purpose', () => {
  const id = serviceAccountId('Platform:1', 'FUNDING', 'USD');
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(serviceAccountId('Platform:1', 'FUNDING', 'USD'), id);
  const others = [
    serviceAccountId('Platform:2', 'FUNDING', 'USD'),
    serviceAccountId('Platform:1', 'FEES', 'USD'),
    serviceAccountId('Platform:1', 'FUNDING', 'EUR'),
  ];
  assert.equal(new Set([id, ...others]).size, 4);
  for (const each of [id, ...others]) assert.ok(isKnownServiceAccount(each));
  assert.equal(isKnownServiceAccount('00000000-0000-8000-a000-000000000000'), false);
});
