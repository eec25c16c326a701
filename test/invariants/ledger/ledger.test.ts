// The ledger over random histories, races and direct SQL: money is neither created nor lost.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '../../../src/db/pool.js';
import { type Sql, sql } from '../../../src/db/sql.js';
import { lockHolds, moveMoney, serviceAccountId, serviceBalance } from '../../../src/domains/ledger/actions.js';
import type { AccountUuid, Hold, Move } from '../../../src/domains/ledger/ledger.js';
import { ApiError } from '../../../src/kernel/errors.js';
import { newUuid, type PlatformId, uuidOf } from '../../../src/kernel/ids.js';
import { anyPlatform, assertLedgerHolds, balanceOf, move, openAccount, post } from '../../support/ledger.js';
import { race } from '../../support/race.js';
import { startOwnService, type TestService } from '../../support/service.js';

let service: TestService;
let db: Db;
let platformId: PlatformId;
let outside: AccountUuid;
before(async () => {
  service = await startOwnService();
  db = service.db;
  platformId = await anyPlatform(db);
  outside = serviceAccountId(platformId, 'FUNDING', 'USD');
});
after(() => service.stop());

/** Moves money and returns how often the transaction started: one that was aborted to end a deadlock starts again. */
function countingTries() {
  let tries = 0;
  return {
    move: (...moves: Move[]) =>
      db.transaction((tx) => {
        tries += 1;
        return moveMoney(tx, platformId, moves);
      }),
    tries: () => tries,
  };
}

describe('random histories', () => {
  type Step =
    | { readonly kind: 'DEPOSIT' | 'WITHDRAW' | 'HOLD'; readonly of: number; readonly amount: number }
    | { readonly kind: 'TRANSFER'; readonly of: number; readonly to: number; readonly amount: number }
    | { readonly kind: 'RESOLVE'; readonly hold: number; readonly outcome: 'POSTED' | 'VOIDED' | 'EXPIRED' };

  const ACCOUNTS = 3;
  const of = fc.nat(ACCOUNTS - 1);
  const amount = fc.integer({ min: 1, max: 300 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('DEPOSIT' as const), of, amount }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('TRANSFER' as const), of, to: of, amount }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('WITHDRAW' as const), of, amount }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('HOLD' as const), of, amount }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('RESOLVE' as const),
        hold: fc.nat(9),
        outcome: fc.constantFrom('POSTED', 'VOIDED', 'EXPIRED'),
      }),
    },
  );

  test('agree with a model in plain TypeScript, step by step; the invariants of a ledger hold at the end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), fc.constantFrom('USD', 'EUR'), async (steps, currency) => {
        const ids: AccountUuid[] = [];
        for (let i = 0; i < ACCOUNTS; i += 1) ids.push(await openAccount(db, platformId, currency));
        const model = ids.map(() => ({ available: 0n, total: 0n }));
        const open: { of: number; hold: Hold }[] = [];

        for (const next of steps) {
          const planned = plan(next, ids, open, currency);
          if (!planned) continue;
          const { moves, change } = planned;
          const after = structuredClone(model);
          change(after);
          const allowed = after.every(({ available, total }) => available >= 0n && total >= available);
          const outcome = await move(db, platformId, ...moves).then(
            () => 'moved',
            (error: ApiError) => error.code,
          );
          assert.equal(outcome, allowed ? 'moved' : 'INSUFFICIENT_FUNDS');
          if (allowed) {
            model.splice(0, model.length, ...after);
            if (next.kind === 'HOLD') open.push({ of: next.of, hold: (moves[0] as Extract<Move, { kind: 'HOLD' }>).transfer });
            if (next.kind === 'RESOLVE') open.splice(next.hold % open.length, 1);
          }
          for (const [i, id] of ids.entries()) assert.deepEqual(await balanceOf(db, id), model[i]);
        }
      }),
      { numRuns: 100 },
    );
    await assertLedgerHolds(db, platformId);
  });

  type Balances = { available: bigint; total: bigint }[];

  /** The moves of a step and their effect on the model; undefined if there is nothing to do. */
  function plan(next: Step, ids: readonly AccountUuid[], open: readonly { of: number; hold: Hold }[], currency: string) {
    const world = serviceAccountId(platformId, 'FUNDING', currency);
    const add = (balances: Balances, i: number, available: bigint, total: bigint) => {
      const balance = balances[i] as Balances[number];
      balance.available += available;
      balance.total += total;
    };
    switch (next.kind) {
      case 'DEPOSIT': {
        const value = BigInt(next.amount);
        return { moves: [post(world, ids[next.of] as string, value, currency)], change: (b: Balances) => add(b, next.of, value, value) };
      }
      case 'WITHDRAW': {
        const value = BigInt(next.amount);
        return { moves: [post(ids[next.of] as string, world, value, currency)], change: (b: Balances) => add(b, next.of, -value, -value) };
      }
      case 'TRANSFER': {
        if (next.of === next.to) return undefined;
        const value = BigInt(next.amount);
        const change = (b: Balances) => {
          add(b, next.of, -value, -value);
          add(b, next.to, value, value);
        };
        return { moves: [post(ids[next.of] as string, ids[next.to] as string, value, currency)], change };
      }
      case 'HOLD': {
        const value = BigInt(next.amount);
        const transfer = { ...(post(ids[next.of] as string, world, value, currency) as Extract<Move, { kind: 'POST' }>).transfer };
        return { moves: [{ kind: 'HOLD' as const, transfer }], change: (b: Balances) => add(b, next.of, -value, 0n) };
      }
      case 'RESOLVE': {
        if (open.length === 0) return undefined;
        const { of: holder, hold } = open[next.hold % open.length] as { of: number; hold: Hold };
        const change = (b: Balances) => (next.outcome === 'POSTED' ? add(b, holder, 0n, -hold.amount) : add(b, holder, hold.amount, 0n));
        return { moves: [{ kind: 'RESOLVE' as const, hold, outcome: next.outcome }], change };
      }
    }
  }
});

describe('races', () => {
  race('transfers between the same accounts in both directions never deadlock or lose an update', async () => {
    const [one, two] = [await openAccount(db, platformId), await openAccount(db, platformId)];
    await move(db, platformId, post(outside, one, 1_000n), post(outside, two, 1_000n));
    const counted = countingTries();
    await Promise.all(Array.from({ length: 200 }, (_, i) => counted.move(i % 2 === 0 ? post(one, two, 3n) : post(two, one, 2n))));
    assert.deepEqual(await balanceOf(db, one), { available: 900n, total: 900n });
    assert.deepEqual(await balanceOf(db, two), { available: 1_100n, total: 1_100n });
    assert.equal(counted.tries(), 200);
    await assertLedgerHolds(db, platformId);
  });

  race('moves over many accounts in any order never deadlock', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => openAccount(db, platformId)));
    await move(db, platformId, ...ids.map((id) => post(outside, id, 1_000n)));
    const counted = countingTries();
    const ring = (shift: number) =>
      ids.map((_, i) => post(ids[(i + shift) % 5] as string, ids[(i + shift + 1 + (shift % 4)) % 5] as string, 1n));
    await Promise.all(Array.from({ length: 60 }, (_, i) => counted.move(...ring(i))));
    for (const id of ids) assert.equal((await balanceOf(db, id)).total, 1_000n);
    assert.equal(counted.tries(), 60);
    await assertLedgerHolds(db, platformId);
  });

  race('no overspending: of equal concurrent withdrawals exactly as many succeed as the balance covers', async () => {
    const account = await openAccount(db, platformId);
    await move(db, platformId, post(outside, account, 100n));
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () =>
        move(db, platformId, post(account, outside, 7n)).then(
          () => 'moved',
          (error: ApiError) => error.code,
        ),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 'moved').length, 14);
    assert.ok(outcomes.every((outcome) => outcome === 'moved' || outcome === 'INSUFFICIENT_FUNDS'));
    assert.deepEqual(await balanceOf(db, account), { available: 2n, total: 2n });
  });

  race('a hold reduces the available balance: of equal concurrent holds exactly as many succeed as it covers', async () => {
    const account = await openAccount(db, platformId);
    await move(db, platformId, post(outside, account, 5_000n));
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { transfer } = post(account, outside, 1_000n) as Extract<Move, { kind: 'POST' }>;
        return move(db, platformId, { kind: 'HOLD', transfer }).then(
          () => true,
          () => false,
        );
      }),
    );
    assert.equal(outcomes.filter(Boolean).length, 5);
    assert.deepEqual(await balanceOf(db, account), { available: 0n, total: 5_000n });
  });

  race('a hold is resolved once, also by concurrent callers', async () => {
    const account = await openAccount(db, platformId);
    await move(db, platformId, post(outside, account, 100n));
    const { transfer } = post(account, outside, 60n) as Extract<Move, { kind: 'POST' }>;
    const transactionId = newUuid();
    await move(db, platformId, { kind: 'HOLD', transfer: { ...transfer, transactionId } });
    const resolved = await Promise.all(
      (['POSTED', 'VOIDED', 'EXPIRED', 'POSTED', 'VOIDED', 'EXPIRED'] as const).map((outcome) =>
        db.transaction(async (tx) => {
          const holds = await lockHolds(tx, platformId, [transactionId]);
          await moveMoney(
            tx,
            platformId,
            holds.map((hold) => ({ kind: 'RESOLVE', hold, outcome })),
          );
          return holds.length;
        }),
      ),
    );
    assert.equal(
      resolved.reduce((sum, count) => sum + count, 0),
      1,
    );
    await assertLedgerHolds(db, platformId);
  });

  test('a resolved hold cannot be resolved again, even by direct SQL', async () => {
    const account = await openAccount(db, platformId);
    await move(db, platformId, post(outside, account, 100n));
    const { transfer } = post(account, outside, 60n) as Extract<Move, { kind: 'POST' }>;
    await move(db, platformId, { kind: 'HOLD', transfer });
    await move(db, platformId, { kind: 'RESOLVE', hold: transfer, outcome: 'VOIDED' });
    await assert.rejects(
      move(db, platformId, { kind: 'RESOLVE', hold: transfer, outcome: 'POSTED' }),
      /a hold ends once|ledger_accounts_check/,
    );
    assert.deepEqual(await balanceOf(db, account), { available: 100n, total: 100n });
  });
});

describe('refused, and no money moves', () => {
  test('a transfer from an account to itself', async () => {
    const account = await openAccount(db, platformId);
    await move(db, platformId, post(outside, account, 100n));
    await assert.rejects(move(db, platformId, post(account, account, 1n)), /between two accounts/);
    assert.deepEqual(await balanceOf(db, account), { available: 100n, total: 100n });
  });

  for (const amount of [0n, -1n]) {
    test(`an amount of ${amount}`, async () => {
      const account = await openAccount(db, platformId);
      await assert.rejects(move(db, platformId, post(outside, account, amount)), /positive amount/);
    });
  }

  test('a list of moves is refused as a whole if one of them is', async () => {
    const [one, two] = [await openAccount(db, platformId), await openAccount(db, platformId)];
    await move(db, platformId, post(outside, one, 100n));
    await assert.rejects(
      move(db, platformId, post(one, two, 60n), post(one, two, 41n)),
      (error) => error instanceof ApiError && error.code === 'INSUFFICIENT_FUNDS',
    );
    assert.deepEqual([(await balanceOf(db, one)).total, (await balanceOf(db, two)).total], [100n, 0n]);
  });

  test('a transfer between accounts of different currencies', async () => {
    const [usd, eur] = [await openAccount(db, platformId), await openAccount(db, platformId, 'EUR')];
    await move(db, platformId, post(outside, usd, 100n));
    await assert.rejects(move(db, platformId, post(usd, eur, 1n)), /currency/);
    assert.equal((await balanceOf(db, usd)).total, 100n);
  });
});

describe('constraints of the database refuse', () => {
  let account: AccountUuid;
  let transferId: string;
  let holdId: string;
  before(async () => {
    account = await openAccount(db, platformId);
    const moved = post(outside, account, 100n) as Extract<Move, { kind: 'POST' }>;
    transferId = moved.transfer.id;
    await move(db, platformId, moved);
    const { transfer } = post(account, outside, 10n) as Extract<Move, { kind: 'POST' }>;
    holdId = transfer.id;
    await move(db, platformId, { kind: 'HOLD', transfer });
  });

  const entry = (transfer: string, amount: number, currency = 'USD', of = newUuid()): Sql =>
    sql`(${uuidOf(platformId)}::uuid, ${transfer}::uuid, ${of}::uuid, ${currency}, ${amount}::bigint, now())`;
  const insert = (...rows: Sql[]): Sql => sql`
    insert into entries (platform_id, transfer_id, account_id, currency, amount, effective_at)
    values ${rows.reduce((all, next) => sql`${all}, ${next}`)}`;

  const attempts: [string, () => Sql, RegExp][] = [
    ['an entry without its counterpart', () => insert(entry(newUuid(), 5)), /do not sum to zero/],
    [
      'two entries with different amounts',
      () => {
        const id = newUuid();
        return insert(entry(id, 5), entry(id, -4));
      },
      /do not sum to zero/,
    ],
    ['two entries of different transfers', () => insert(entry(newUuid(), 5), entry(newUuid(), -5)), /do not sum to zero/],
    [
      'two entries in different currencies',
      () => {
        const id = newUuid();
        return insert(entry(id, 5, 'USD'), entry(id, -5, 'EUR'));
      },
      /do not sum to zero/,
    ],
    ['an entry of 0', () => insert(entry(newUuid(), 0)), /check constraint/],
    ['an update of an entry', () => sql`update entries set amount = amount + 1 where transfer_id = ${transferId}`, /append-only/],
    ['a delete of an entry', () => sql`delete from entries where transfer_id = ${transferId}`, /append-only/],
    ['a truncate of the entries', () => sql`truncate entries`, /append-only/],
    ['a change of the amount of a transfer', () => sql`update transfers set amount = 1 where id = ${transferId}`, /append-only/],
    ['a change of a hold', () => sql`update holds set amount = amount + 1 where owner_id = ${holdId}`, /never edited/],
    ['a delete of a transfer', () => sql`delete from transfers where id = ${transferId}`, /append-only/],
    ['a truncate of the transfers', () => sql`truncate transfers`, /append-only/],
    ['a negative balance', () => sql`update ledger_accounts set available = -1 where id = ${account}`, /check constraint/],
    [
      'an available balance above the total',
      () => sql`update ledger_accounts set available = total + 1 where id = ${account}`,
      /check constraint/,
    ],
    [
      'a transfer whose debit and credit account are the same',
      () => sql`insert into transfers (platform_id, id, debit_account_id, credit_account_id, amount, currency, cause, created_at)
                values (${uuidOf(platformId)}, ${newUuid()}, ${account}, ${account}, 1, 'USD', 'TEST', now())`,
      /check constraint/,
    ],
  ];
  for (const [name, query, refusal] of attempts) {
    test(name, async () => {
      const sums = sql`select count(*), sum(abs(amount)) from entries`;
      const before = await db.one(sums);
      await assert.rejects(db.run(query()), refusal);
      assert.deepEqual(await db.one(sums), before);
    });
  }
});

test('a service-side account keeps no balance: it is the sum of its entries', async () => {
  const before = await db.transaction((tx) => serviceBalance(tx, platformId, 'FUNDING', 'USD'));
  const account = await openAccount(db, platformId);
  await Promise.all(Array.from({ length: 20 }, () => move(db, platformId, post(outside, account, 5n))));
  assert.equal(await db.transaction((tx) => serviceBalance(tx, platformId, 'FUNDING', 'USD')), before - 100n);
});

test('a posting dates each transfer by its own accounts: one with later entries, after a clock was set back, does not date the others', async () => {
  const [ahead, other, third] = [await openAccount(db, platformId), await openAccount(db, platformId), await openAccount(db, platformId)];
  const later = new Date(Date.now() + 365 * 86_400_000);
  await db.run(sql`update ledger_accounts set not_before = ${later} where id = ${ahead}`);

  await move(db, platformId, post(outside, other, 5n), post(outside, ahead, 5n), post(ahead, third, 2n), post(third, outside, 1n));

  const dated = async (id: AccountUuid) =>
    (
      await db.many<{ late: boolean }>(sql`select effective_at >= ${later} as late from entries where account_id = ${id} order by number`)
    ).map(({ late }) => late);
  assert.deepEqual(await Promise.all([other, ahead, third].map(dated)), [[false], [true, true], [true, true]]);
  await move(db, platformId, post(other, outside, 1n));
  assert.deepEqual(await dated(other), [false, false], 'its next entry is not dated ahead either');
  await assertLedgerHolds(db, platformId);
});

describe('the check of the invariants notices a change beside the ledger of', () => {
  const changes: [string, Sql, Sql, RegExp][] = [
    ['a total', sql`total = total + 1`, sql`total = total - 1`, /^total is the sum of the entries/],
    ['an available balance', sql`available = available - 1`, sql`available = available + 1`, /^total is the sum of the entries/],
    ['what is owed', sql`owed = owed + 1`, sql`owed = owed - 1`, /^the receivables of a currency/],
    ['who owes it', sql`owed = 5 - owed`, sql`owed = 5 - owed`, /^what a holder owes/],
  ];
  for (const [name, change, back, broken] of changes)
    test(name, async () => {
      const [debtor, other] = [await openAccount(db, platformId), await openAccount(db, platformId)];
      const { transfer } = post(serviceAccountId(platformId, 'RECEIVABLE', 'USD'), outside, 5n) as Extract<Move, { kind: 'POST' }>;
      await move(db, platformId, post(outside, debtor, 9n), post(outside, other, 9n), { kind: 'OWE', transfer, debtor });
      await assertLedgerHolds(db, platformId);
      const update = (assignment: Sql) =>
        db.run(sql`update ledger_accounts set ${assignment} where platform_id = ${uuidOf(platformId)} and id in (${debtor}, ${other})`);
      await update(change);
      await assert.rejects(assertLedgerHolds(db, platformId), { message: broken });
      await update(back);
      await assertLedgerHolds(db, platformId);
    });
});
