// Due work of all platforms on a database of several nodes: a node that is down or silent stops its own platforms only.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlatformGroups, type PlatformGroup } from '../../../src/db/platform-groups.js';
import type { Db } from '../../../src/db/pool.js';
import { type Sql, sql } from '../../../src/db/sql.js';
import { ApiError } from '../../../src/kernel/errors.js';

type Row = { readonly node: string | null; readonly ids: string[] | null };
const PARTS: readonly Row[] = [
  { node: 'a:5432', ids: ['a1', 'a2'] },
  { node: 'b:5432', ids: ['b1'] },
  { node: 'b:5432', ids: ['b2'] },
];

/** A database that answers where the platforms are, `fromKeys` also while a node is down. */
const database = (read: (fromKeys: boolean) => readonly Row[]): Pick<Db, 'many'> => ({
  many: async <Answer>({ values }: Sql) => [...read(values[0] as boolean)] as Answer[],
});

const unavailable = () => new ApiError('SERVICE_UNAVAILABLE');
const isUnavailable = { code: 'SERVICE_UNAVAILABLE' };

/** The platforms of a group. */
const idsOf = (group: PlatformGroup): string[] => (group(sql`p.id`).values[0] as string[] | undefined) ?? [];

test('one server is one group of all platforms', async () => {
  const groups = createPlatformGroups(database(() => [{ node: null, ids: null }]));
  assert.deepEqual(await groups.ask('work', async (group) => group(sql`p.id`).text), ['true']);
});

test('the groups of a node are asked one after the other, the nodes beside each other', async () => {
  const groups = createPlatformGroups(database(() => PARTS));
  const asked: string[] = [];
  const answers = await groups.ask('work', async (group) => {
    asked.push(`ask ${idsOf(group)}`);
    await new Promise(setImmediate);
    asked.push(`answer ${idsOf(group)}`);
    return idsOf(group);
  });
  assert.deepEqual(answers, [['a1', 'a2'], ['b1'], ['b2']]);
  assert.deepEqual(asked.slice(0, 2), ['ask a1,a2', 'ask b1']);
  assert.ok(asked.indexOf('answer b1') < asked.indexOf('ask b2'));
});

test('a node that is down is asked once, and the failure is reported; if nobody answers, it is thrown', async () => {
  const reported: Error[] = [];
  const groups = createPlatformGroups(
    database(() => PARTS),
    { onFailure: (error) => void reported.push(error) },
  );
  const asked: string[] = [];
  const down = (nodes: string) => async (group: PlatformGroup) => {
    const [first = ''] = idsOf(group);
    asked.push(first);
    if (nodes.includes(first[0] as string)) throw unavailable();
    return first;
  };
  assert.deepEqual(await groups.ask('work', down('b')), ['a1']);
  assert.deepEqual(asked, ['a1', 'b1']);
  assert.deepEqual(reported.length, 1);
  await assert.rejects(groups.ask('work', down('ab')), isUnavailable);
});

test('a failure that concerns one group leaves the others of its node', async () => {
  const groups = createPlatformGroups(database(() => PARTS));
  const answers = await groups.ask('work', async (group) => {
    if (idsOf(group)[0] === 'b1') throw new Error('a statement failed');
    return idsOf(group)[0];
  });
  assert.deepEqual(answers, ['a1', 'b2']);
});

test('a silent node delays nobody, is not asked again while it is silent, and its answers come later', async () => {
  const groups = createPlatformGroups(
    database(() => PARTS),
    { patienceMs: 1 },
  );
  let speak: () => void = () => {};
  const silence = new Promise<void>((resolve) => {
    speak = resolve;
  });
  const asked: string[] = [];
  const question = async (group: PlatformGroup) => {
    const [first = ''] = idsOf(group);
    asked.push(first);
    if (first.startsWith('b')) await silence;
    return first;
  };
  assert.deepEqual(await groups.ask('work', question), ['a1']);
  assert.deepEqual(await groups.ask('work', question), ['a1']);
  assert.deepEqual(asked, ['a1', 'b1', 'a1']);
  speak();
  await new Promise(setImmediate);
  assert.deepEqual((await groups.ask('work', question)).sort(), ['a1', 'b1', 'b2']);
  assert.deepEqual(asked, ['a1', 'b1', 'a1', 'b2', 'a1']);
});

test('a process that starts while a node is down learns the platforms from their keys', async () => {
  const asked: boolean[] = [];
  const groups = createPlatformGroups(
    database((fromKeys) => {
      asked.push(fromKeys);
      if (!fromKeys) throw unavailable();
      return PARTS;
    }),
  );
  assert.deepEqual(await groups.ask('work', async (group) => idsOf(group)[0]), ['a1', 'b1', 'b2']);
  assert.deepEqual(asked, [false, true]);
});

test('without the database nothing is known, and the next question asks again', async () => {
  let isDown = true;
  const groups = createPlatformGroups(
    database(() => {
      if (isDown) throw unavailable();
      return PARTS;
    }),
  );
  await assert.rejects(
    groups.ask('work', async () => 1),
    isUnavailable,
  );
  isDown = false;
  assert.equal((await groups.ask('work', async () => 1)).length, 3);
});
