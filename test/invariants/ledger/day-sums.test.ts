// Balances of service-side accounts come from day sums and the entries since. They always equal the sum over all entries.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '../../../src/db/pool.js';
import { sql } from '../../../src/db/sql.js';
import { realNow } from '../../../src/domains/core/platform/actions.js';
import { readServiceBalances, readTotalServiceBalances, serviceAccountId } from '../../../src/domains/ledger/actions.js';
import { addUpTo, daySumsUpkeep, stepFrom } from '../../../src/domains/ledger/day-sums.js';
import { readFinalTime } from '../../../src/domains/ledger/day-sums-store.js';
import type { AccountUuid, ServicePurpose } from '../../../src/domains/ledger/ledger.js';
import { newUuid, type PlatformId, uuidOf } from '../../../src/kernel/ids.js';
import { move, openAccount, post } from '../../support/ledger.js';
import { startTestService, type TestService } from '../../support/service.js';
import { platformIdOf } from '../../support/webhooks/platform.js';

let service: TestService;
let db: Db;
before(async () => {
  // No worker: the tests add up themselves.
  service = await startTestService({ ROLE: 'api' });
  db = service.db;
});
after(() => service.stop());

const newPlatform = async () => platformIdOf(service, await service.newPlatform());
const never = () => false;
const PURPOSES: readonly ServicePurpose[] = ['FUNDING', 'CARD_SETTLEMENT', 'FEES', 'RESERVE'];

/** The plain sums, as an oracle. Accounts without entries have none. */
async function plainSums(platformId: PlatformId): Promise<Record<string, bigint>> {
  const rows = await db.many<{ account: string; sum: string }>(sql`
    select a.purpose || ' ' || a.currency as account, sum(e.amount)::text as sum from entries e
    join ledger_accounts a on a.platform_id = e.platform_id and a.id = e.account_id and a.kind = 'SERVICE'
    where e.platform_id = ${uuidOf(platformId)} group by 1`);
  return Object.fromEntries(rows.map(({ account, sum }) => [account, BigInt(sum)]));
}

const balances = async (platformId: PlatformId): Promise<Record<string, bigint>> =>
  Object.fromEntries(
    (await readServiceBalances(db, platformId)).map(({ purpose, currency, balance }) => [`${purpose} ${currency}`, balance]),
  );

/** Every balance equals its plain sum, and so do the day sums up to the day that was added up. */
async function assertSumsHold(platformId: PlatformId): Promise<void> {
  const plain = await plainSums(platformId);
  for (const [account, balance] of Object.entries(await balances(platformId))) assert.equal(balance, plain[account] ?? 0n, account);
  const wrong = await db.many(sql`
    select d.* from service_day_sums d join service_sums_progress p on p.platform_id = d.platform_id
    cross join lateral (
      select coalesce(sum(e.amount), 0) as amount, count(*) as entries from entries e
      where e.platform_id = d.platform_id and e.account_id = d.account_id and e.recorded_at < p.summed_until
        and (e.recorded_at at time zone 'UTC')::date = d.day) e
    cross join lateral (
      select sum(b.amount) as balance from service_day_sums b
      where b.platform_id = d.platform_id and b.account_id = d.account_id and b.day <= d.day) b
    where d.platform_id = ${uuidOf(platformId)} and (d.amount <> e.amount or d.entries <> e.entries or d.balance <> b.balance)`);
  assert.deepEqual(wrong, []);
}

/** Entries as they would have been recorded at a time: one row per side, without the rest of the service. */
const record = (platformId: PlatformId, service: AccountUuid, other: AccountUuid, amount: number, at: Date) =>
  db.run(sql`
    insert into entries (platform_id, transfer_id, account_id, currency, amount, number, balance_after, effective_at, recorded_at)
    select ${uuidOf(platformId)}, ${newUuid()}::uuid, s.id, 'USD', s.amount, null, null, now(), ${at}
    from (values (${service}::uuid, ${amount}::bigint), (${other}::uuid, ${-amount}::bigint)) s (id, amount)`);

const START = Date.parse('2026-01-30T22:00:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe('day sums', () => {
  test('equal the plain sums over random histories, whenever and however often they are added up', async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('ENTRY' as const),
          from: fc.nat(3),
          to: fc.nat(3),
          amount: fc.integer({ min: 1, max: 1_000_000 }),
          after: fc.nat(9 * 60 * MINUTE),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('ADD_UP' as const),
          lag: fc.nat(DAY),
          stopAfter: fc.nat(3),
          workers: fc.integer({ min: 1, max: 3 }),
        }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const platformId = await newPlatform();
        const account = (i: number) => serviceAccountId(platformId, PURPOSES[i] as ServicePurpose, 'USD');
        let now = START;
        for (const next of steps) {
          if (next.kind === 'ENTRY') {
            now += next.after;
            if (next.from !== next.to) await record(platformId, account(next.from), account(next.to), next.amount, new Date(now));
          } else {
            // Some runs are cut short, as by a stopping process, and some have company.
            let left = next.stopAfter;
            const isOver = () => left-- <= 0;
            await Promise.all(Array.from({ length: next.workers }, () => addUpTo(db, platformId, new Date(now - next.lag), isOver)));
          }
          await assertSumsHold(platformId);
        }
        await addUpTo(db, platformId, new Date(now + 1), never);
        await assertSumsHold(platformId);
      }),
      { numRuns: Number(process.env['DAY_SUM_RUNS'] ?? 12) },
    );
  });

  test('money that moves through the ledger is in the balance at once', async () => {
    const platformId = await newPlatform();
    const [funding, fees] = [serviceAccountId(platformId, 'FUNDING', 'USD'), serviceAccountId(platformId, 'FEES', 'USD')];
    const customer = await openAccount(db, platformId);
    await move(db, platformId, post(funding, customer, 1_000n));
    await move(db, platformId, post(customer, fees, 30n));
    const now = await balances(platformId);
    assert.deepEqual([now['FUNDING USD'], now['FEES USD'], now['RESERVE USD']], [-1_000n, 30n, 0n]);
    await addUpTo(db, platformId, await realNow(db), never);
    assert.deepEqual(await balances(platformId), now);
    await move(db, platformId, post(customer, fees, 5n));
    assert.equal((await balances(platformId))['FEES USD'], 35n);
  });

  test('a step whose transaction fails counts nothing, and the next run counts everything once', async () => {
    const platformId = await newPlatform();
    await record(
      platformId,
      serviceAccountId(platformId, 'FEES', 'USD'),
      serviceAccountId(platformId, 'RESERVE', 'USD'),
      7,
      new Date(START),
    );
    const failing: Db = {
      ...db,
      transaction: (work) =>
        db.transaction(async (tx) => {
          await work(tx);
          throw new Error('killed before COMMIT');
        }),
    };
    await assert.rejects(addUpTo(failing, platformId, new Date(START + 1), never), /killed/);
    await addUpTo(db, platformId, new Date(START + 1), never);
    await addUpTo(db, platformId, new Date(START + 1), never);
    assert.equal((await balances(platformId))['FEES USD'], 7n);
    await assertSumsHold(platformId);
  });

  test('an entry of an open transaction is not missed: nothing is added up past the begin of that transaction', async () => {
    const platformId = await newPlatform();
    const [fees, reserve] = [serviceAccountId(platformId, 'FEES', 'USD'), serviceAccountId(platformId, 'RESERVE', 'USD')];
    await db.transaction(async (tx) => {
      const began = await tx.one<{ now: Date }>(sql`select now()`);
      const finalTime = await readFinalTime(db);
      assert.ok(began && finalTime && finalTime <= began.now);
      await tx.run(sql`
        insert into entries (platform_id, transfer_id, account_id, currency, amount, effective_at)
        select ${uuidOf(platformId)}, ${newUuid()}::uuid, s.id, 'USD', s.amount, now()
        from (values (${fees}::uuid, 1::bigint), (${reserve}::uuid, -1::bigint)) s (id, amount)`);
      await daySumsUpkeep.run(db, platformId, new Date(), never);
    });
    assert.equal((await balances(platformId))['FEES USD'], 1n);
    await assertSumsHold(platformId);
  });

  test('the total is the sum over all platforms', async () => {
    const platforms = [await newPlatform(), await newPlatform()];
    const totalFees = async () =>
      (await readTotalServiceBalances(db)).find(({ purpose, currency }) => purpose === 'FEES' && currency === 'USD')?.balance ?? 0n;
    const before = await totalFees();
    for (const platformId of platforms) {
      const [fees, reserve] = [serviceAccountId(platformId, 'FEES', 'USD'), serviceAccountId(platformId, 'RESERVE', 'USD')];
      await record(platformId, fees, reserve, 50, new Date(START));
      await addUpTo(db, platformId, new Date(START + 1), never);
      await record(platformId, fees, reserve, 1, new Date(START + DAY));
    }
    assert.equal(await totalFees(), before + 102n);
  });
});

test('one step adds ten minutes at most, and never of two days', () => {
  const of = (first: string, finalTime: string) => {
    const { day, until } = stepFrom(new Date(first), new Date(finalTime));
    return [day, until.toISOString()];
  };
  assert.deepEqual(of('2026-01-30T22:00:00Z', '2026-02-01T00:00:00Z'), ['2026-01-30', '2026-01-30T22:10:00.000Z']);
  assert.deepEqual(of('2026-01-30T23:55:00Z', '2026-02-01T00:00:00Z'), ['2026-01-30', '2026-01-31T00:00:00.000Z']);
  assert.deepEqual(of('2026-01-31T00:00:00Z', '2026-01-31T00:00:01Z'), ['2026-01-31', '2026-01-31T00:00:01.000Z']);
});
