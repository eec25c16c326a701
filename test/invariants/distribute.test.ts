// `npm run distribute` on a database that holds data. Most of it needs a cluster.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { planTables, readDistribution } from '../../src/db/distribution.js';
import { migrate, migrationOf, readMigrations } from '../../src/db/migrate.js';
import { type Db, openDb } from '../../src/db/pool.js';
import { Sql, sql } from '../../src/db/sql.js';
import { idOf } from '../../src/kernel/ids.js';
import { type Environment, startEnvironment } from '../prove/environment.js';
import { exampleOf, targetOf } from '../prove/examples.js';
import { kinds, worldOf } from '../prove/objects.js';
import { type Client, expectStatus } from '../support/client.js';
import { Cluster, commandsOf, runTool, WITHOUT_CLUSTER } from '../support/cluster.js';
import { createDatabase, isCluster } from '../support/database.js';
import { given } from '../support/given.js';
import { assertLedgerHolds } from '../support/ledger.js';
import { startOwnService } from '../support/service.js';
import { temporaryDirectory } from '../support/temporary.js';

/** Streams, and what tells of the requests so far. */
const LIVE = /stream|Request|Timeline/i;

test('one server without the extension is refused with one line, and the doctor says nothing of it', { skip: isCluster() }, async (t) => {
  const database = await createDatabase();
  t.after(() => database.drop());
  const env = { DATABASE_URL: database.url, DATA_DIR: temporaryDirectory(t) };
  const { code, text } = await runTool('distribute', [], env);
  assert.equal(code, 1);
  assert.match(text, /^the database has no extension citus\. [^\n]*\n$/);
  assert.doesNotMatch((await runTool('doctor', [], env)).text, /citus/i);
});

describe('on a cluster', { skip: isCluster() ? false : WITHOUT_CLUSTER }, () => {
  const nodes = (process.env['TEST_DATABASE_URL'] ?? '').split(',');
  const dataDir = temporaryDirectory({ after });
  const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64');
  let cluster: Cluster;
  let db: Db;
  /** The platforms, and what each has answered to every reading operation before the distribution. */
  let platforms: readonly { client: Client; read: ReadonlyMap<string, string> }[];
  let rows: Readonly<Record<string, readonly string[]>>;

  const tool = (name: string, ...args: readonly string[]) => runTool(name, args, { DATABASE_URL: cluster.url, DATA_DIR: dataDir });

  /** Every row of every table, as sorted texts. */
  const everyRow = async (): Promise<Record<string, readonly string[]>> => {
    const session = await db.connect();
    const { tables } = await planTables(session).finally(() => session.end());
    const found: Record<string, readonly string[]> = {};
    for (const { table } of tables)
      found[table] = (await db.many<{ row: string }>(new Sql(`select to_json(t)::text as row from ${table} t`, [])))
        .map((each) => each.row)
        .sort();
    return found;
  };

  const on = async (url: string, text: string): Promise<void> => {
    const node = openDb({ url, poolSize: 1 });
    try {
      await node.run(new Sql(text, []));
    } finally {
      await node.close();
    }
  };

  /** Answers of all operations that read, by their target. Those that differ at once, such as the log of requests, are left out. */
  const readEverything = async (environment: Environment, client: Client): Promise<Map<string, string>> => {
    const { document, service } = environment;
    const world = worldOf(client, environment);
    for (const kind of kinds) await world.id(kind);
    const reading = document.operations.filter(({ method, permission, id }) => method === 'GET' && permission === 'VIEW' && !LIVE.test(id));
    const targets: string[] = [];
    for (const operation of reading) targets.push(targetOf(operation, await exampleOf(document, operation, world)));
    await client.clock.freeze();
    const answers = new Map<string, string>();
    for (const target of targets) {
      const [first, second] = [await read(client, service.baseUrl, target), await read(client, service.baseUrl, target)];
      if (first === second) answers.set(target, first);
    }
    assert.ok(answers.size > 0.9 * targets.length, `${targets.length - answers.size} of ${targets.length} answers change by themselves`);
    return answers;
  };

  const read = async (client: Client, baseUrl: string, target: string): Promise<string> => {
    const { status, text } = await client.get(target);
    return `${status} ${text.replaceAll(new URL(baseUrl).host, 'HOST')}`;
  };

  before(async () => {
    cluster = await Cluster.create(nodes, 4);
    db = openDb({ url: cluster.url, poolSize: 2 });
    const environment = await startEnvironment(2, { DATABASE_URL: cluster.url, KEY_ENCRYPTION_KEY, ROLE: 'api' });
    try {
      platforms = [];
      for (const client of environment.platforms) platforms = [...platforms, { client, read: await readEverything(environment, client) }];
    } finally {
      await environment.stop();
    }
    rows = await everyRow();
  });
  after(async () => {
    await db.close();
    await cluster.drop();
  });

  const partsOf = () => cluster.query(`select shardid, logicalrelid::text as name from pg_dist_shard order by 1`);

  test('the doctor says that the database is not distributed, and the plan names every table and changes nothing', async () => {
    const told = await tool('doctor');
    assert.equal(told.code, 1);
    assert.match(told.text, /^ {2}WRONG Citus .*: the database is not distributed\. npm run distribute$/m);
    const { code, text } = await tool('distribute', '--plan');
    assert.equal(code, 0);
    for (const table of Object.keys(rows)) assert.match(text, new RegExp(`^  table ${table}: (distributed by|a copy on every node)`, 'm'));
    assert.deepEqual(await partsOf(), []);
  });

  test('the commands of the guide distribute a database that holds data: every row is there, on several nodes, and none is left on the coordinator', async () => {
    const commands = commandsOf('Distribute');
    assert.deepEqual(commands, [['distribute', '--plan'], ['distribute'], ['doctor']]);
    for (const [name = '', ...args] of commands) {
      const { code, text } = await tool(name, ...args);
      assert.equal(code, 0, text);
    }
    assert.deepEqual(await everyRow(), rows);
    const [left] = await cluster.query('select sum(pg_relation_size(logicalrelid))::int as bytes from pg_dist_partition');
    assert.equal(left?.['bytes'], 0);
    const [spread] = await cluster.query('select count(distinct nodeport)::int as nodes from citus_shards where shard_size > 0');
    assert.equal(spread?.['nodes'], nodes.length);
  });

  test('every operation that reads answers as before, the ledgers balance, and new writes work', async () => {
    const service = await startOwnService({ DATABASE_URL: cluster.url, KEY_ENCRYPTION_KEY, ROLE: 'api' });
    try {
      for (const { client, read: before } of platforms) {
        const again = service.as(client.tokenId, client.secret);
        for (const [target, answer] of before) assert.equal(await read(again, service.baseUrl, target), answer, target);
        await given(again).fundedAccount('USD', 5_000);
        await expectStatus(200, again.clock.advance(1_000));
      }
      for (const { id } of await db.many<{ id: string }>(sql`select id from platforms`)) await assertLedgerHolds(db, idOf('Platform', id));
    } finally {
      await service.stop();
    }
  });

  test('append-only tables refuse update, delete and truncate: on the coordinator, through each worker, and on the part of a table itself', async () => {
    const before = await everyRow();
    const guarded = await cluster.query(`
      select g.tgrelid::regclass::text as name,
        (select min(a.attname) from pg_attribute a where a.attrelid = g.tgrelid and a.attnum > 0 and not a.attisdropped and a.attname <> 'platform_id') as column,
        bool_or(g.tgtype::integer & 16 > 0) as no_update, bool_or(g.tgtype::integer & 32 > 0) as no_truncate
      from pg_trigger g join pg_proc f on f.oid = g.tgfoid join pg_class t on t.oid = g.tgrelid
      where f.proname in ('refuse_change', 'refuse_deletion') and not t.relispartition
        and not exists (select from pg_constraint c where c.confrelid = g.tgrelid) group by g.tgrelid order by 1`);
    // A trigger of a row has nothing to refuse in an empty table.
    const tables = guarded.filter(({ name }) => before[String(name)]?.length);
    const names = tables.map(({ name }) => String(name));
    assert.ok(names.includes('entries') && names.includes('card_history') && names.includes('webhook_events'), names.join());
    const changes = tables.flatMap(({ name, column, no_update, no_truncate }) => [
      ...(no_update ? [`update ${name} set "${column}" = "${column}"`] : []),
      `delete from ${name}`,
      ...(no_truncate ? [`truncate ${name}`] : []),
    ]);
    for (const url of cluster.urls)
      for (const change of changes) await assert.rejects(on(url, change), /append-only/, `${change} on ${new URL(url).host}`);
    // The trigger of a row has nothing to refuse in a part without rows.
    const parts = await cluster.query(`
      select distinct s.shard_name as name, format('%s:%s', s.nodename, s.nodeport) as place from citus_shards s
      join (select get_shard_id_for_distribution_column('entries', platform_id) as id from (select distinct platform_id from entries) p) held
        on held.id = s.shardid`);
    assert.ok(parts.length > 0);
    for (const { name, place } of parts) {
      const url = cluster.urls.find((each) => new URL(each).host === place) as string;
      for (const change of [`update ${name} set amount = amount + 1`, `delete from ${name}`])
        await assert.rejects(on(url, change), /append-only/, `${change} on ${place}`);
      // The extension refuses to empty a part before the trigger is asked.
      await assert.rejects(on(url, `truncate ${name}`), /append-only|is a shard of a distributed table/, `truncate ${name} on ${place}`);
    }
    assert.deepEqual(await everyRow(), before);
  });

  test('a second run changes nothing', async () => {
    const before = await partsOf();
    assert.ok(before.length > 0);
    const { code, text } = await tool('distribute');
    assert.equal(code, 0, text);
    assert.match(text, /Everything is distributed already\.\n$/);
    assert.deepEqual(await partsOf(), before);
    assert.match((await tool('doctor')).text, /^ {2}ok {4}Citus .*: everything is distributed$/m);
  });

  test('the doctor names a table that is not distributed, and the next run does the rest', async () => {
    await cluster.query('create table forgotten (platform_id uuid not null, id uuid not null, primary key (platform_id, id))');
    const { code, text } = await tool('doctor');
    assert.equal(code, 1);
    assert.match(text, /WRONG Citus .*: npm run distribute has not finished\n {2}WRONG table forgotten: distributed by platform_id\n/);
    assert.equal((await tool('distribute')).code, 0);
    assert.match((await tool('doctor')).text, /: everything is distributed$/m);
    await cluster.query('drop table forgotten');
  });

  test('a move waits for a transaction that has locked rows and not written yet', { timeout: 120_000 }, async () => {
    const own = openDb({ url: cluster.url, poolSize: 1 });
    const [{ id, from, to } = {}] = await cluster.query(`
      select g.ids[1] as id, s.nodeport as from, (select min(nodeport) from pg_dist_node where shouldhaveshards and nodeport <> s.nodeport) as to
      from platform_groups(false) g
      join citus_shards s on s.table_name = 'platforms'::regclass and s.shardid = get_shard_id_for_distribution_column('platforms', g.ids[1])
      limit 1`);
    const steps: string[] = [];
    let moving: Promise<unknown> = Promise.resolve();
    try {
      await own.transaction(async (tx) => {
        await tx.one(sql`select name from platforms where id = ${id} for no key update`);
        const host = new URL(cluster.url).hostname;
        moving = cluster
          .query(
            `select citus_move_shard_placement(get_shard_id_for_distribution_column('platforms', $1::uuid), $2, $3, $2, $4, 'block_writes')`,
            [id, host, from, to],
          )
          .then(() => steps.push('moved'));
        for (let isWaiting = false; !isWaiting && steps.length === 0; )
          [{ waiting: isWaiting } = { waiting: false }] = (await cluster.query(`
            select exists (select from pg_stat_activity a join pg_locks l on l.pid = a.pid and not l.granted and l.mode = 'ExclusiveLock'
              where a.query like '%citus_move_shard_placement%' and a.datname = current_database()) as waiting`)) as [{ waiting: boolean }];
        steps.push('written');
        assert.equal(await tx.run(sql`update platforms set name = name || ' moved' where id = ${id}`), 1);
      });
      await moving;
      assert.deepEqual(steps, ['written', 'moved']);
      assert.match(String((await cluster.query('select name from platforms where id = $1', [id]))[0]?.['name']), / moved$/);
    } finally {
      await moving.catch(() => {});
      await own.close();
    }
  });

  test('a later migration on a distributed database distributes its own tables and functions', async () => {
    const later = migrationOf(
      '9000_later.sql',
      `create table later_things (platform_id uuid not null references platforms, id uuid not null, primary key (platform_id, id));
       create function refuse_later() returns trigger language plpgsql as $$ begin raise exception 'later'; end $$;
       create trigger later_no_delete before delete on later_things for each row execute function refuse_later();
       alter table customers add column later text;`,
    );
    const session = await db.connect();
    try {
      assert.deepEqual(await migrate(session, [...(await readMigrations()), later]), ['9000_later.sql']);
      const { tables, functions } = await readDistribution(session);
      assert.deepEqual([tables, functions], [[], []]);
    } finally {
      await session.end();
    }
    for (const { id } of await db.many<{ id: string }>(sql`select id from platforms`))
      await db.run(sql`insert into later_things (platform_id, id) values (${id}, ${id})`);
    await assert.rejects(cluster.query('delete from later_things'), /later/);
    const [{ colocated } = {}] = await cluster.query(
      `select count(distinct colocationid)::int as colocated from pg_dist_partition where logicalrelid in ('platforms'::regclass, 'later_things'::regclass)`,
    );
    assert.equal(colocated, 1);
  });
});
