// Rows are the same whether a connection has just prepared a statement or knows its columns already.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Db, openDb } from '../../src/db/pool.js';
import { Sql, sql } from '../../src/db/sql.js';
import { createDatabase } from '../support/database.js';

let database: Awaited<ReturnType<typeof createDatabase>>;
let db: Db;
before(async () => {
  database = await createDatabase();
  // One connection, so that each statement meets the one that prepared it.
  db = openDb({ url: database.url, poolSize: 1 });
});
after(async () => {
  await db?.close();
  await database?.drop();
});

const AT = new Date('2026-02-28T23:59:59.987Z');
const kinds = (text: string | null, bytes: Buffer | null) => sql`
  select ${text}::text as text, ${bytes}::bytea as bytes, ${12n}::bigint as big, ${7}::int as small, ${AT}::timestamptz as at, ${true}::boolean as yes,
    ${JSON.stringify({ a: [1] })}::json as json, ${['x y', 'NULL', 'ü"\\']}::text[] as list, '2026-02-28'::date as day, null::text as nothing`;
const expected = (text: string | null, bytes: Buffer | null) => ({
  text,
  bytes,
  big: 12n,
  small: 7,
  at: AT,
  yes: true,
  json: { a: [1] },
  list: ['x y', 'NULL', 'ü"\\'],
  day: '2026-02-28',
  nothing: null,
});

test('every type, null, and values that differ between executions', async () => {
  for (const [text, bytes] of [['', Buffer.alloc(0)] as const, [null, null] as const, ['ü\n', Buffer.from([0, 255])] as const])
    assert.deepEqual(await db.one(kinds(text, bytes)), expected(text, bytes));
});

test('no row, several rows, rows of many columns, and how many a write touched', async () => {
  const wide = new Sql(
    `select ${Array.from({ length: 200 }, (_, i) => `n + ${i} as c${i}`).join(', ')} from generate_series(1, $1::int) n`,
    [2],
  );
  const rows = (first: number) => Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`c${i}`, first + i]));
  for (let i = 0; i < 3; i += 1) {
    assert.deepEqual(await db.many(wide), [rows(1), rows(2)]);
    assert.deepEqual(await db.many(new Sql(wide.text, [0])), []);
    assert.equal(await db.run(sql`update schema_migrations set name = name where name = ${'no such'}`), 0);
    assert.ok((await db.run(sql`update schema_migrations set name = name where name <> ${'no such'}`)) > 0);
  }
});

test('statements that are sent together, also the same one, get their own rows', async () => {
  const plus = (n: number) => sql`select ${n}::int + 1 as next, 'together' as kind`;
  await db.transaction(async (tx) => {
    const answers = await Promise.all([1, 2, 3].map((n) => tx.one(plus(n))));
    assert.deepEqual(
      answers,
      [2, 3, 4].map((next) => ({ next, kind: 'together' })),
    );
  });
});

test('a statement that failed works again', async () => {
  const divided = (by: number) => sql`select 10 / ${by}::int as result`;
  await assert.rejects(db.one(divided(0)), { code: '22012' });
  assert.deepEqual(await db.one(divided(5)), { result: 2 });
  await db.transaction(async (tx) => {
    assert.deepEqual(await tx.one(divided(2)), { result: 5 });
  });
  await assert.rejects(
    db.transaction((tx) => tx.one(divided(0))),
    { code: '22012' },
  );
  assert.deepEqual(await db.one(divided(10)), { result: 1 });
});

test('a table that gained a column is refused by the statement that was prepared before, and read by the next connection', async () => {
  await db.run(sql`create table gained (a int)`);
  await db.run(sql`insert into gained values (${1})`);
  const read = sql`select * from gained`;
  assert.deepEqual(await db.many(read), [{ a: 1 }]);
  await db.run(sql`alter table gained add column b int default 2`);
  await assert.rejects(db.many(read), { code: '0A000' });
  assert.deepEqual(await db.many(read), [{ a: 1, b: 2 }]);
});
