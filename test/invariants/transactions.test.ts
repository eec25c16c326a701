// The database layer: parameter values are stored unchanged, and pipelined statements belong to their transaction.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Db, openDb, violatedConstraint } from '../../src/db/pool.js';
import { records } from '../../src/db/records.js';
import { sql } from '../../src/db/sql.js';
import { createDatabase, plansOfOneServer, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let db: Db;
before(async () => {
  database = await createDatabase();
  db = openDb({ url: database.url, poolSize: 3 });
  await db.run(sql`create table marks (id int primary key, text text)`);
});
after(async () => {
  await db.close();
  await database.drop();
});

describe('plans', () => {
  test('a pool with generic plans plans a statement once per connection, whatever its parameters', {
    skip: plansOfOneServer(),
  }, async () => {
    const generic = openDb({ url: database.url, poolSize: 1, plans: 'generic' });
    try {
      for (const id of [1, 2, 3, 4, 5, 6, 7]) await generic.one(sql`select text from marks where id = ${id}`);
      const counts = await generic.one<{ generic: bigint; custom: bigint }>(
        sql`select generic_plans as generic, custom_plans as custom from pg_prepared_statements where statement like '%text from marks where id%'`,
      );
      assert.deepEqual(counts, { generic: 7n, custom: 0n });
    } finally {
      await generic.close();
    }
  });
});

const marks = async (): Promise<number[]> => (await db.many<{ id: number }>(sql`select id from marks order by id`)).map(({ id }) => id);

describe('values', () => {
  test('texts in a list are stored unchanged', async () => {
    const texts = [
      'plain',
      '',
      ' ',
      'NULL',
      'null',
      'a,b',
      '{x}',
      '"quoted"',
      'back\\slash',
      "it's",
      'line\nbreak',
      'é 😀',
      '%s',
      '$1',
      null,
    ];
    const row = await db.one<{ texts: (string | null)[] }>(sql`select ${texts}::text[] as texts`);
    assert.deepEqual(row?.texts, texts);
  });

  test('numbers, booleans, bytes and JSON in a list are stored unchanged', async () => {
    const numbers = [0n, -1n, 9_223_372_036_854_775_807n, null];
    const row = await db.one<{ numbers: (string | null)[]; flags: boolean[]; bytes: Buffer[]; data: string }>(sql`
      select ${numbers}::bigint[]::text[] as numbers, ${[true, false]}::bool[] as flags, ${[Buffer.from('00ff5c22', 'hex'), Buffer.alloc(0)]}::bytea[] as bytes,
        (${[JSON.stringify({ a: '"\\' })]}::json[])[1]::text as data`);
    assert.deepEqual(row?.numbers, ['0', '-1', '9223372036854775807', null]);
    assert.deepEqual(row?.flags, [true, false]);
    assert.deepEqual(
      row?.bytes.map((bytes) => bytes.toString('hex')),
      ['00ff5c22', ''],
    );
    assert.equal(row?.data, JSON.stringify({ a: '"\\' }));
  });

  test('rows in lists of columns are stored unchanged', async () => {
    const columns = {
      id: 'uuid',
      text: 'text',
      amount: 'bigint',
      count: 'int',
      small: 'smallint',
      at: 'timestamptz',
      flag: 'boolean',
      data: 'jsonb',
      plain: 'json',
    } as const;
    const rows = [
      {
        id: '01935f2a-7b3c-7def-8abc-0123456789ab',
        text: 'it\'s "é" 😀\n\\ {x} \u0001',
        amount: 9_223_372_036_854_775_807n,
        count: 2_147_483_647,
        small: 32_767,
        at: new Date('2031-03-12T15:00:00.123Z'),
        flag: true,
        data: { a: ['"', 1] },
        plain: ['é', null],
      },
      {
        id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
        text: '',
        amount: -1n,
        count: -2_147_483_648,
        small: -32_768,
        at: new Date('+012031-03-12T15:00:00.000Z'),
        flag: false,
        data: {},
        plain: 0,
      },
      { id: null, text: null, amount: null, count: null, small: null, at: null, flag: null, data: null, plain: null },
    ];
    const stored = (those: Parameters<typeof records<typeof columns>>[1]) =>
      db.many(sql`select t.* from ${records(columns, those)} order by amount desc nulls last`);
    assert.deepEqual(await stored(rows), rows);
    assert.deepEqual(await stored([]), []);
    // Longer than anything before: the place where lists are written grows.
    const long = rows.map((row) => ({ ...row, text: row.text?.repeat(20_000) ?? null }));
    assert.deepEqual(await stored(long), long);
  });

  test('what is no uuid is refused in a list of uuids, and not stored as another one', () => {
    const id = '01935f2a-7b3c-7def-8abc-0123456789ab';
    for (const other of [
      '',
      'x',
      id.slice(1),
      `${id}0`,
      id.replaceAll('-', ''),
      id.replace('a', 'g'),
      id.replace('a', 'é'),
      id.replace('-', '0'),
    ])
      assert.throws(() => records({ id: 'uuid' }, [{ id }, { id: other }]), /a list of uuids/, other);
  });

  test('a list that several fragments name is one parameter', () => {
    const ids = ['a', 'b'];
    const query = sql`update marks set text = ${sql`(${['x', 'y']}::text[])[array_position(${ids}::text[], text)]`} where text = any(${ids}) and id = ${1}`;
    assert.equal(query.text, 'update marks set text = ($1::text[])[array_position($2::text[], text)] where text = any($2) and id = $3');
    assert.deepEqual(query.values, [['x', 'y'], ids, 1]);
  });

  test('timestamps are stored exactly, alone and in a list, also outside the years 1 to 9999', async () => {
    for (const text of [
      '2026-11-15T23:59:59.999Z',
      '0001-01-01T00:00:00.000Z',
      '0000-12-31T23:59:59.000Z',
      '-000005-03-01T00:00:00.000Z',
      '+010000-01-01T23:58:59.000Z',
      '+275760-09-13T00:00:00.000Z',
    ]) {
      const moment = new Date(text);
      const row = await db.one<{ alone: number; listed: number }>(sql`
        select extract(epoch from ${moment}::timestamptz)::float8 * 1000 as alone, extract(epoch from (${[moment]}::timestamptz[])[1])::float8 * 1000 as listed`);
      assert.deepEqual(row, { alone: moment.getTime(), listed: moment.getTime() }, text);
    }
  });
});

describe('pipelined statements (tx.send)', () => {
  test('commit with their transaction', async () => {
    await db.transaction(async (tx) => tx.send(sql`insert into marks values (1)`));
    assert.deepEqual(await marks(), [1]);
  });

  test('are visible to later statements', async () => {
    const count = await db.transaction(async (tx) => {
      tx.send(sql`insert into marks values (2)`);
      return (await tx.many(sql`select from marks where id = 2`)).length;
    });
    assert.equal(count, 1);
  });

  test('fail their transaction with their own error and leave no row', async () => {
    const before = await marks();
    const failing = db.transaction(async (tx) => {
      tx.send(sql`insert into marks values (3)`);
      tx.send(sql`insert into marks values (1)`);
      tx.send(sql`insert into marks values (4)`);
    });
    await assert.rejects(failing, (error) => violatedConstraint(error) === 'marks_pkey');
    assert.deepEqual(await marks(), before);
  });

  test('fail the next awaited statement with their own error', async () => {
    const before = await marks();
    const failing = db.transaction(async (tx) => {
      tx.send(sql`insert into marks values (1)`);
      await tx.one(sql`select 1`);
    });
    await assert.rejects(failing, (error) => violatedConstraint(error) === 'marks_pkey');
    assert.deepEqual(await marks(), before);
  });

  test('are rolled back if the work throws, and the thrown error is kept', async () => {
    const before = await marks();
    const refused = new Error('refused');
    await assert.rejects(
      db.transaction(async (tx) => {
        tx.send(sql`insert into marks values (5)`);
        throw refused;
      }),
      refused,
    );
    assert.deepEqual(await marks(), before);
  });

  test('after a deadlock the whole work is repeated', async () => {
    await db.run(sql`insert into marks values (10), (11)`);
    const meet = { count: 0, open: () => {}, both: Promise.resolve() };
    meet.both = new Promise((resolve) => {
      meet.open = resolve;
    });
    const touch = (first: number, second: number, text: string) =>
      db.transaction(async (tx) => {
        await tx.run(sql`update marks set text = ${text} where id = ${first}`);
        meet.count += 1;
        if (meet.count >= 2) meet.open();
        await meet.both;
        tx.send(sql`update marks set text = ${text} where id = ${second}`);
      });
    await Promise.all([touch(10, 11, 'a'), touch(11, 10, 'b')]);
    const rows = await db.many<{ text: string }>(sql`select distinct text from marks where id in (10, 11)`);
    assert.equal(rows.length, 1, 'the later transaction wrote both rows');
    assert.ok(meet.count >= 3, 'the other transaction was repeated');
  });

  test('afterCommit callbacks run after a commit, and not after a failure', async () => {
    const ran: string[] = [];
    await db.transaction(async (tx) => {
      tx.afterCommit(() => ran.push('committed'));
      tx.send(sql`insert into marks values (6)`);
    });
    await assert.rejects(
      db.transaction(async (tx) => {
        tx.afterCommit(() => ran.push('failed'));
        tx.send(sql`insert into marks values (6)`);
      }),
    );
    assert.deepEqual(ran, ['committed']);
  });
});
