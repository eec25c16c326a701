// A transaction holds its platform where it is before its first lock or write.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedPlatform, holdingPlatforms } from '../../../src/db/moves.js';
import { type Sql, sql } from '../../../src/db/sql.js';

const A = '01950000-0000-7000-8000-00000000000a';
const B = '01950000-0000-7000-8000-00000000000b';

const CHANGES: Readonly<Record<string, Sql>> = {
  'a row lock': sql`select * from cards where id = ${'1'} and platform_id = ${A} for update`,
  'a shared row lock': sql`select from cards c where c.platform_id = ${A} and id = ${'1'} for share of c`,
  'an update': sql`update cards set status = ${'X'} where platform_id = ${A} and id = ${'1'}`,
  'a delete': sql`delete from holds where platform_id = ${A}`,
  'an insert of values': sql`insert into named_locks as n (platform_id, slot) values (${A}, ${1}) on conflict do nothing`,
  'an insert of rows': sql`insert into entries (platform_id, id) select p.id, t.* from platforms p, unnest(${['1']}::uuid[]) t where p.id = ${A}`,
  'the row of the platform': sql`select * from platforms where id = ${A} for no key update`,
  'a change of the platform': sql`update platforms set name = ${'x'}, updated_at = ${'now'} where id = ${A}`,
  'a write inside a statement': sql`with ended as (delete from holds where platform_id = ${A} returning id) select count(*) from ended`,
};
for (const [name, statement] of Object.entries(CHANGES))
  test(`the platform is found: ${name}`, () => assert.equal(changedPlatform(statement), A));

const OTHERS: Readonly<Record<string, Sql>> = {
  'a read': sql`select * from cards where platform_id = ${A}`,
  'a key, which is on every node': sql`insert into platform_keys (kind, key, platform_id) values (${'API_CLIENT'}, ${'x'}, ${A})`,
  'a new platform': sql`insert into platforms (id, name) values (${A}, ${'x'})`,
  'a secret of the installation': sql`select from service_secrets order by name for update`,
};
for (const [name, statement] of Object.entries(OTHERS))
  test(`nothing is held: ${name}`, () => assert.equal(changedPlatform(statement), undefined));

test('a platform is held once, before its first lock or write, and again after a rollback to a savepoint', () => {
  const sent: string[] = [];
  const runner = holdingPlatforms(
    {
      query: async ({ text, values }) => void sent.push(`${/^\w+(?: lock_shard_metadata)?/.exec(text)?.[0]} ${values[0]}`),
      control: async (text) => void sent.push(text),
    },
    () => {},
  );
  runner.query(sql`select 1 from cards where platform_id = ${A}`);
  runner.query(sql`delete from holds where platform_id = ${A}`);
  runner.query(sql`delete from holds where platform_id = ${A}`);
  runner.query(sql`delete from holds where platform_id = ${B}`);
  runner.control('rollback to savepoint attempt');
  runner.query(sql`delete from holds where platform_id = ${A}`);
  const hold = 'select lock_shard_metadata';
  assert.deepEqual(sent, [
    `select ${A}`,
    `${hold} ${A}`,
    `delete ${A}`,
    `delete ${A}`,
    `${hold} ${B}`,
    `delete ${B}`,
    'rollback to savepoint attempt',
    `${hold} ${A}`,
    `delete ${A}`,
  ]);
});
