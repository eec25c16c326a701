// "Nothing in the API may be slow on an unanalysed database": no statement of an operation or a job reads all rows of a platform. Every
// operation is called, lists with each of their filters, and the generic plan of every statement is read on tables that have grown and
// that nobody has analysed.
import '../support/own-process.js';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { DECISION_SETTINGS, PLAN_SETTINGS } from '../../src/db/plan-settings.js';
import { BASE_PATH } from '../../src/http/server.js';
import type { DocumentedOperation } from '../prove/document.js';
import { type Environment, startEnvironment } from '../prove/environment.js';
import { type ExampleRequest, exampleOf, targetOf } from '../prove/examples.js';
import { generatorOf } from '../prove/generate.js';
import { CHANGES_BALANCES } from '../prove/money.js';
import { kindOfProperty, REPLACES_RECORDS, type World, worldOf } from '../prove/objects.js';
import { randomOf } from '../prove/random.js';
import { sendExample } from '../prove/send-example.js';
import type { Client } from '../support/client.js';
import { plansOfOneServer } from '../support/database.js';
import { type Indexes, readIndexes, type ScanNode, wideScans } from '../support/plan-rules.js';

/** Tables and partial indexes that hold few rows of a platform, whatever it does. */
const FEW: Readonly<Record<string, string>> = {
  service_secrets: 'one row for each secret of the installation',
  service_sums_progress: 'one row for each platform',
  emptied_platforms: 'one row for each platform',
  webhook_cursors: 'one row for each platform',
  webhook_stops: 'one row for each platform',
  uma_keys: 'one row for each platform',
  webhook_signing_keys: 'rotated by hand',
  api_tokens: 'created by hand',
  issuer_credentials: 'created by hand',
  stablecoin_provider_accounts: 'linked by hand',
  sandbox_faults: '50 at most',
  sandbox_rates: 'one row for each currency',
  sandbox_snapshots: 'a few at most',
  console_codes: 'each is valid for minutes, and deleted after',
  console_sessions: 'of people, and deleted after use',
  webhook_inbox: 'events wait here for their position, which takes milliseconds',
  webhook_deliveries_line: 'first attempts that wait: an event has a row only if it could not be sent at once',
  webhook_deliveries_retry: 'attempts that failed and are repeated',
  ledger_accounts_service: 'one account for each purpose and currency',
};

/** Statements that are meant to read a whole set, by a part of their text. */
const WHOLE_SETS: Readonly<Record<string, string>> = {
  'insert into sandbox_snapshot_parts': 'a snapshot copies all data of the platform',
  'delete from "': 'the trial of an imported snapshot deletes all data, as a reset does',
  'select from "': 'a reset locks the rows to which others refer before it deletes them',
  'select code from invitations where platform_id = $1': 'a restored snapshot gives codes back',
  'as violated': 'the check of an imported snapshot reads the whole ledger',
  'as dangling': 'the check of an imported snapshot reads all accounts',
  'a.customer_id is null': "the platform's own accounts: one for each currency, and those it makes by hand",
  'delete from messages where platform_id = $1 and is_sandbox and due_at <= $2': 'deletes what it reads',
  "delete from sca_challenges where platform_id = $1 and purpose = 'PAYMENT' and expires_at <=": 'deletes what it reads',
  'select d.event_id as id from webhook_deliveries d': 'the list of the events that are not delivered yet',
  'select least($1, (select count(*) from (select from webhook_deliveries': 'counts what waits, up to a limit',
};

/** Nobody works for a platform that does not exist, so what was copied stays. */
const PLATFORM = '01900000-0000-7000-8000-000000000001';

const DAYS_40 = 40 * 24 * 60 * 60 * 1_000;
const ROWS = 2_500;
/** A tenth of each page is filled, and then the planner is told that pages are full: it counts the pages of ten times as many rows. */
const FILL = 10;

/** A statement and the settings that its transaction had, as SQL. */
type Sent = { readonly text: string; readonly settings: string; readonly operation: string };
const sent = new Map<string, Sent>();
let operationId = 'start';

const original = pg.Client.prototype.query;

/** Notes every named statement, with the settings of its connection and of its transaction. */
function recordStatements(): void {
  const session = new WeakMap<object, string>();
  const local = new WeakMap<object, string>();
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [query] = given;
    if (query === DECISION_SETTINGS || query === PLAN_SETTINGS) session.set(this, query);
    if (typeof query === 'string' && /^(begin|commit|rollback)\b(?! to)/.test(query)) local.delete(this);
    if (typeof query === 'object' && query !== null && 'name' in query && 'text' in query && 'values' in query) {
      const text = String(query.text);
      if (/\bset_config\('enable_/.test(text)) local.set(this, filledIn(text, query.values as readonly unknown[]));
      const settings = `${session.get(this) ?? ''}; ${local.get(this) ?? ''}`;
      const key = `${settings} ${text}`;
      if (!sent.has(key)) sent.set(key, { text, settings, operation: operationId });
    }
    return Reflect.apply(original, this, given);
  } as typeof original;
}

const filledIn = (text: string, values: readonly unknown[]): string =>
  text.replaceAll(/\$(\d+)/g, (_, n: string) => pg.escapeLiteral(String(values[Number(n) - 1])));

/** Operations after which a balance was another one. */
let changing: readonly string[];
let environment: Environment;
let client: pg.Client;
let indexes: Indexes;
before(async () => {
  if (plansOfOneServer()) return;
  recordStatements();
  environment = await startEnvironment(1, { LOG_LEVEL: 'error' });
  client = new pg.Client({ connectionString: environment.service.databaseUrl });
  await client.connect();
  indexes = await readIndexes(client);
  await client.query('create schema kept');
  for (const table of await tables()) await client.query(`alter table ${table} set (autovacuum_enabled = false, fillfactor = ${FILL})`);
  await callEverything();
  pg.Client.prototype.query = original;
});
after(async () => {
  pg.Client.prototype.query = original;
  await client?.end();
  await environment?.stop();
});

async function tables(): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'schema_migrations' order by 1`);
  return rows.map(({ name }) => name);
}

/**
 * The operations that an event about a balance names as its cause, without the jobs that a moved clock runs. The request log is written
 * behind the answers, so it is waited for.
 */
async function changingOperations(): Promise<string[]> {
  for (const deadline = Date.now() + 60_000; ; ) {
    const { rows } = await client.query<{ operation: string | null }>(`
      select distinct r.operation from webhook_events e left join request_log r on r.platform_id = e.platform_id and r.id = e.request_id
      where e.type = 'INTERNAL_ACCOUNT.BALANCE_UPDATED' and e.request_id is not null and e.job is null`);
    const operations = rows.flatMap(({ operation }) => (operation === null ? [] : [operation]));
    if (operations.length === rows.length) return operations;
    assert.ok(Date.now() < deadline, 'every request is logged');
  }
}

/** Calls every operation, and lets every job run. What the operations made is kept aside before the jobs delete it. */
async function callEverything(): Promise<void> {
  const platform = environment.platforms[0] as Client;
  const world = worldOf(platform, environment);
  for (const operation of environment.document.operations) {
    if (REPLACES_RECORDS.has(operation.id)) continue;
    operationId = operation.id;
    const example = await exampleOf(environment.document, operation, world);
    await sendExample(environment.service.url, platform, operation, example);
    if (operation.method === 'GET' && operation.permission !== 'AGENT') await callWithFilters(operation, example, world);
  }
  changing = await changingOperations();
  for (const table of await tables()) await client.query(`create table kept.${table} as select * from public.${table} limit 100`);
  operationId = 'jobs';
  await platform.clock.freeze();
  await platform.clock.advance(DAYS_40);
}

/** The list with each of its filters, and its second page. A filter that the service refuses for its value sends no statement of interest. */
async function callWithFilters(operation: DocumentedOperation, example: ExampleRequest, world: World): Promise<void> {
  const generator = generatorOf(environment.document, () => undefined);
  const get = async (query: Readonly<Record<string, string>>): Promise<string> => {
    const target = targetOf(operation, { ...example, query: { ...example.query, ...query } });
    const ending = new AbortController();
    const response = await fetch(environment.service.url + BASE_PATH + target, {
      headers: { authorization: world.client.authorization },
      signal: ending.signal,
    });
    // A stream has no end.
    if (!response.headers.get('content-type')?.startsWith('application/json')) {
      ending.abort();
      return '{}';
    }
    return response.text();
  };
  for (const parameter of operation.parameters.filter(({ in: place, required }) => place === 'query' && !required)) {
    const { name } = parameter;
    if (name === 'cursor') continue;
    if (name === 'limit') {
      const { nextCursor } = JSON.parse(await get({ limit: '1' })) as { nextCursor?: string };
      if (nextCursor) await get({ cursor: nextCursor });
      continue;
    }
    const kind = kindOfProperty(name);
    await get({ [name]: kind ? await world.id(kind) : String(generator.parameter(parameter, randomOf(name))) });
  }
}

/** Copies what the operations made under new ids. Triggers, checks and foreign keys do not matter to plans. */
async function grow(): Promise<void> {
  await client.query(`
    do $$ declare c record; begin
      for c in select conrelid::regclass as "table", conname as name from pg_constraint
        where contype = 'c' and connamespace = 'public'::regnamespace and coninhcount = 0
      loop execute format('alter table %s drop constraint %I', c."table", c.name); end loop;
    end $$;
    set session_replication_role = replica`);
  const { rows } = await client.query<{ table: string; list: string; values: string }>(`
    select c.relname as table, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as list,
      string_agg(case
        when a.attname = 'platform_id' then ${pg.escapeLiteral(`'${PLATFORM}'::uuid`)}
        when a.atttypid = 'uuid'::regtype
          -- The time in an id says in which partition its row is.
          then format('case when t.%1$I is not null then (left(t.%1$I::text, 15) || substr(gen_random_uuid()::text, 16))::uuid end', a.attname)
        when k.indexed and a.atttypid = 'text'::regtype and a.attname !~ 'currency|type|kind|purpose|status|state|side|channel|direction|provider'
          then format('case when t.%I is not null then gen_random_uuid()::text end', a.attname)
        when k.indexed and a.atttypid = 'bytea'::regtype then format('case when t.%I is not null then uuid_send(gen_random_uuid()) end', a.attname)
        when k.indexed and a.atttypid in ('int4'::regtype, 'int8'::regtype, 'date'::regtype) then format('t.%I + n', a.attname)
        else format('t.%I', a.attname) end, ', ' order by a.attnum) as values
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    cross join lateral (
      select exists (select from pg_index i where i.indrelid = c.oid and pg_get_indexdef(i.indexrelid) ~ ('\\m' || a.attname || '\\M')) as indexed) k
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and c.relname not in ('schema_migrations', 'platforms') group by c.relname order by c.relname`);
  for (const { table, list, values } of rows) {
    await client.query(`
      insert into ${table} (${list})
      select ${values} from kept.${table} t, generate_series(1, (select ${ROWS} / greatest(count(*), 1) from kept.${table})::int) n
      on conflict do nothing`);
    await client.query(`alter table ${table} reset (fillfactor)`);
  }
  await client.query('set session_replication_role = origin');
}

/** The scans of the generic plan that may read all rows of a platform. */
async function wideScansOf({ text, settings }: Pick<Sent, 'text' | 'settings'>, checked: ReadonlySet<string>): Promise<string[]> {
  await client.query(`begin; ${settings}; set local plan_cache_mode = force_generic_plan; prepare planned as ${text}`);
  try {
    const { rows } = await client.query<{ parameters: number }>(
      `select cardinality(parameter_types) as parameters from pg_prepared_statements where name = 'planned'`,
    );
    const nulls = Array.from({ length: rows[0]?.parameters ?? 0 }, () => 'null').join(', ');
    const plan = await client.query(`explain (format json, costs off) execute planned${nulls ? `(${nulls})` : ''}`);
    return wideScans(plan.rows[0]['QUERY PLAN'][0].Plan as ScanNode, indexes, (table) => checked.has(table));
  } finally {
    await client.query('rollback; deallocate all; reset all');
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

test('on tables that nobody has analysed, no statement of an operation or a job reads all rows of a platform', {
  timeout: 120_000,
  skip: plansOfOneServer(),
}, async (t) => {
  const names = await tables();
  const checked = new Set(names.filter((table) => table !== 'platforms'));
  const statements = [...sent.values()].filter(({ text }) => /^\s*\(?(select|with|insert|update|delete)\b/.test(text));
  assert.ok(statements.length > 700, `${statements.length} statements were sent`);
  const used = new Set<string>();
  const problems: string[] = [];
  await grow();
  for (const statement of statements) {
    const line = oneLine(statement.text);
    for (const scan of await wideScansOf(statement, checked)) {
      const words = scan.split(/[ ,]/);
      const known = [
        ...Object.keys(FEW).filter((name) => words.includes(name)),
        ...Object.keys(WHOLE_SETS).filter((part) => line.includes(part)),
      ];
      for (const reason of known) used.add(reason);
      if (known.length === 0) problems.push(`${statement.operation}: ${scan}\n  ${line.slice(0, 1_000)}`);
    }
  }
  t.diagnostic(`${statements.length} statements`);
  assert.equal(problems.join('\n'), '');
  const unused = [...Object.keys(FEW), ...Object.keys(WHOLE_SETS)].filter((key) => !used.has(key));
  assert.deepEqual(unused, [], 'these exceptions are no longer needed');
});

test('a statement that reads all rows of a platform is found', { skip: plansOfOneServer() }, async () => {
  const checked = new Set(await tables());
  const scansOf = async (text: string): Promise<number> => (await wideScansOf({ text, settings: PLAN_SETTINGS }, checked)).length;
  for (const text of [
    'select * from customers where platform_id = $1 and phone_number = $2',
    'select * from customers where platform_id = $1 and phone_number = $2 order by id limit 20',
    'select * from customers where platform_id = $1 order by phone_number limit 20',
    'select * from agents where platform_id = $1 and is_paused',
    'select count(*) from card_transactions where platform_id = $1',
    'delete from documents where platform_id = $1 and country = $2',
    'select from delegated_keys k, unnest($2::uuid[]) p (id) where k.platform_id = $1 and k.account_id >= p.id',
    'select from cards where platform_id = $1 and id in (select account_id from delegated_keys where platform_id = $1)',
  ])
    assert.notEqual(await scansOf(text), 0, text);
  for (const text of [
    'select * from customers where platform_id = $1 and id = $2',
    'select * from customers where platform_id = $1 and customer_type = $2 order by id desc limit 20',
    'select count(*) from (select from customers where platform_id = $1 limit 1000) c',
  ])
    assert.equal(await scansOf(text), 0, text);
});

test('the random steps of `prove -- money` are told of every operation that changes a balance', { skip: plansOfOneServer() }, () => {
  assert.deepEqual([...changing].sort(), [...CHANGES_BALANCES].sort());
});
