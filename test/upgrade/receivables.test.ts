// The upgrade to receivables: what the reserve paid for holders under the old rule is owed by them afterwards.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate, readMigrations } from '../../src/db/migrate.js';
import { openDb } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import { serviceAccountId } from '../../src/domains/ledger/actions.js';
import { idOf } from '../../src/kernel/ids.js';
import { assertAtRest, lentByReserve } from '../support/card-transactions.js';
import { createEmptyDatabase } from '../support/database.js';
import { loadFixture } from './fixture.js';

const BEFORE = '0006_cards';

test('amounts that the reserve has paid become receivables of the holders; credits of open disputes stay with the reserve', async () => {
  const database = await createEmptyDatabase();
  const db = openDb({ url: database.url, poolSize: 2 });
  const session = await db.connect();
  try {
    await loadFixture(database.url, BEFORE);
    const dispute = await db.one<{ platform_id: string; id: string; transaction_id: string; account_id: string }>(sql`
      select d.platform_id, d.id, d.transaction_id, t.account_id from card_disputes d
      join card_transactions t on t.platform_id = d.platform_id and t.id = d.transaction_id where d.status = 'OPEN'`);
    assert.ok(dispute);
    const platformId = idOf('Platform', dispute.platform_id);
    const [reserve, settlement] = [serviceAccountId(platformId, 'RESERVE', 'USD'), serviceAccountId(platformId, 'CARD_SETTLEMENT', 'USD')];
    // As the old rule booked it: the reserve paid 601 of a purchase and 250 of the dispute's credit.
    for (const amount of [601, 250]) {
      await session.query(
        `with paid as (
           insert into transfers (platform_id, id, debit_account_id, credit_account_id, amount, currency, state, cause, transaction_id, created_at, resolved_at)
           values ($1, gen_random_uuid(), $2, $3, $4, 'USD', 'POSTED', 'TEST', $5, now(), now()) returning id)
         insert into entries (platform_id, transfer_id, account_id, currency, amount, transaction_id, effective_at)
         select $1, paid.id, side.account_id, 'USD', side.amount, $5, now()
         from paid, (values ($2::uuid, -$4::bigint), ($3::uuid, $4::bigint)) as side (account_id, amount)`,
        [dispute.platform_id, reserve, settlement, amount, dispute.transaction_id],
      );
    }
    await session.query('update card_transactions set absorbed = 601, pulled = pulled - 601 where id = $1', [dispute.transaction_id]);
    await session.query('update card_disputes set credited = 250 where id = $1', [dispute.id]);

    await migrate(session, await readMigrations());

    const owed = await db.many<{ id: string; owed: bigint }>(sql`select id, owed from ledger_accounts where owed <> 0`);
    assert.deepEqual(owed, [{ id: dispute.account_id, owed: 601n }]);
    assert.equal(await lentByReserve(db, platformId), 250);
    const opened = await db.many<{ id: string; platform_id: string; currency: string }>(
      sql`select id, platform_id, currency from ledger_accounts where purpose = 'RECEIVABLE'`,
    );
    assert.ok(opened.length > 0);
    for (const { id, platform_id, currency } of opened)
      assert.equal(
        id,
        serviceAccountId(idOf('Platform', platform_id), 'RECEIVABLE', currency),
        'the id is the one that the service derives',
      );
    await assertAtRest(db, platformId);
  } finally {
    await session.end();
    await db.close();
    await database.drop();
  }
});
