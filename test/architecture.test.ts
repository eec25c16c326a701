// biome-ignore-all lint/suspicious/noTemplateCurlyInString: planted violations are texts of sources.
// The rules of the architecture: modules, imports without circles, owners of tables, declared hooks, and drawings that are current.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { MODULES } from '../src/app.js';
import { projectRoot } from '../src/root.js';
import { circlesOf, OTHER_OWNERS, ownersOf, sources, TABLES, tablesIn, tablesOf } from './support/architecture.js';
import { sectionsOf } from './support/architecture-page.js';
import { SQL_RULES, statementsOf, violations, violationsIn } from './support/sql-rules.js';

describe('imports', () => {
  test('no circle of imports anywhere, type imports included', () => {
    assert.deepEqual(
      circlesOf(sources).map((circle) => circle.join(' → ')),
      [],
    );
  });

  test('a planted circle is found', () => {
    const planted = [
      { path: 'a.ts', imports: ['b.ts'] },
      { path: 'b.ts', imports: ['c.ts'] },
      { path: 'c.ts', imports: ['b.ts'] },
    ];
    assert.deepEqual(circlesOf(planted), [['b.ts', 'c.ts', 'b.ts']]);
  });

  test('a module file is imported by the list of modules alone', () => {
    const importers = sources.filter(({ path, imports }) => path !== 'app.ts' && imports.some((target) => target.endsWith('/module.ts')));
    assert.deepEqual(
      importers.map(({ path }) => path),
      [],
    );
  });

  test('no file holds more than about 400 lines', () => {
    const long = sources.filter(({ text }) => text.split('\n').length > 430);
    assert.deepEqual(
      long.map(({ path, text }) => `${path}: ${text.split('\n').length}`),
      [],
    );
  });
});

describe('tables', () => {
  test('every table has one owner', () => {
    const owners = ownersOf();
    assert.deepEqual(
      [...TABLES, 'schema_migrations'].filter((table) => owners.get(table)?.length !== 1).map((table) => [table, owners.get(table)]),
      [],
    );
  });

  test('a domain writes only its own tables', () => {
    const wrong = MODULES.flatMap((module) =>
      [...tablesOf(module).writes].filter((table) => !module.tables?.includes(table)).map((table) => `${module.name} writes ${table}`),
    );
    assert.deepEqual(wrong, []);
  });

  test('a domain declares the tables of others that it reads, and no others', () => {
    const wrong = MODULES.flatMap((module) => {
      const foreign = [...tablesOf(module).reads].filter((table) => !module.tables?.includes(table));
      const declared = module.reads ?? [];
      return [
        ...foreign.filter((table) => !declared.includes(table)).map((table) => `${module.name} reads ${table} undeclared`),
        ...declared.filter((table) => !foreign.includes(table)).map((table) => `${module.name} does not read ${table}`),
      ];
    });
    assert.deepEqual(wrong, []);
  });

  test('outside the domains, only the named owners write tables', () => {
    const wrong = sources
      .filter(({ path }) => !path.startsWith('domains/'))
      .flatMap(({ path, text }) =>
        [...tablesIn(text).writes]
          .filter((table) => !Object.entries(OTHER_OWNERS).some(([owner, tables]) => path.startsWith(owner) && tables.includes(table)))
          .map((table) => `${path} writes ${table}`),
      );
    assert.deepEqual(wrong, []);
  });

  test('a planted foreign write is found', () => {
    const { writes, reads } = tablesIn('sql`insert into cards (id) select id from customers c, platforms p`');
    assert.deepEqual({ writes: [...writes], reads: [...reads].sort() }, { writes: ['cards'], reads: ['customers', 'platforms'] });
  });
});

/** Hooks that work without a listener: the declaring domain does without it, or refuses what only a listener could do. */
const OPTIONAL_HOOKS: ReadonlySet<string> = new Set(['payments.uma-payout', 'payments.uma-incoming']);

describe('hooks', () => {
  const position = (name: string) => MODULES.findIndex((module) => module.name === name);

  test('a hook is declared once, and its name begins with the domain that declares it', () => {
    const declared = MODULES.flatMap(({ name, hooks = [] }) => hooks.map((hook) => ({ hook: hook.name, domain: name.split('/').at(-1) })));
    assert.deepEqual(
      declared.filter(({ hook, domain }) => hook.split('.')[0] !== domain).map(({ hook }) => hook),
      [],
    );
    assert.equal(new Set(declared.map(({ hook }) => hook)).size, declared.length);
  });

  test('a listener is later in the list than the domain that declares the hook', () => {
    const wrong = MODULES.flatMap((listening) =>
      (listening.listeners ?? []).flatMap(({ hook }) => {
        const declaring = MODULES.find(({ hooks = [] }) => hooks.includes(hook));
        return declaring && position(declaring.name) < position(listening.name) ? [] : [`${listening.name} listens to ${hook.name}`];
      }),
    );
    assert.deepEqual(wrong, []);
  });

  test('every hook has a listener', () => {
    const heard = new Set(MODULES.flatMap(({ listeners = [] }) => listeners.map(({ hook }) => hook)));
    const unheard = MODULES.flatMap(({ hooks = [] }) => hooks.filter((hook) => !heard.has(hook)).map(({ name }) => name));
    assert.deepEqual(
      unheard.filter((name) => !OPTIONAL_HOOKS.has(name)),
      [],
    );
  });
});

describe('SQL', () => {
  test('no statement that a database distributed by platform refuses', () => assert.deepEqual(violations(), []));

  /** By a word of the rule that each violates. */
  const PLANTED: Readonly<Record<string, readonly string[]>> = {
    advisory: ['sql`select pg_advisory_xact_lock(${key})`', 'sql`select pg_try_advisory_lock(${key})`'],
    'one session': [
      'sql`listen events`',
      'sql`select pg_notify(${channel}, ${id})`',
      'sql`set search_path to ${schema}`',
      'sql`create temporary table found (id uuid)`',
      "sql`insert into cards (platform_id, number) values (${platform}, nextval('numbers'))`",
      'sql`delete from cards where platform_id = ${platform} and ctid = ${row}`',
    ],
    'reads a table': [
      'sql`select platform_now(${id})`',
      'sql`select c.id from customers c, platform_groups(false) g where c.platform_id = ${platform}`',
    ],
    'transaction id': [
      'sql`select pg_current_xact_id() from cards where platform_id = ${platform}`',
      'sql`select id from webhook_events where platform_id = ${platform} and xmin::text::bigint < ${horizon}`',
    ],
    'locked rows': ['sql`select id from cards where due_at <= ${now} order by due_at for update skip locked`'],
    'a walk': ['sql`with recursive heads as (select id from cards union all select id from heads) select * from heads`'],
    'do update set': [
      'sql`insert into cards (platform_id, id) values (${platform}, ${id}) on conflict (platform_id, id) do update set updated_at = now()`',
    ],
    'another row': [
      'sql`select (select count(*) from cards c where c.platform_id = a.platform_id) from customers a where a.platform_id = ${platform}`',
    ],
    'no column': [
      "sql`select exists (select from webhook_deliveries d where d.status = 'PENDING' and d.event_id < uuid_at(${ends})) as pending`",
    ],
    volatile: [
      'sql`update cards set updated_at = ${platformTime} from platforms p where p.id = platform_id`',
      'sql`update cards set updated_at = clock_timestamp() where platform_id = ${platform}`',
      'sql`delete from cards where platform_id = ${platform} and random() < 0.5`',
    ],
    'a subscript': [
      'sql`update cards set status = (${statuses}::text[])[array_position(${ids}::uuid[], id)] where platform_id = ${platform}`',
    ],
    'plus an interval': [
      "sql`update payments set expires_at = expires_at + interval '1 day' where platform_id = ${platform} and id = ${id}`",
    ],
    'inside another': ['sql`with ended as (delete from holds where platform_id = ${platform} returning id) select count(*) from ended`'],
    'several tables': [
      "sql`with saved as (${sql`update cards set status = 'X' returning *`}) insert into card_history select * from saved`",
    ],
    'without the row': [
      'sql`insert into cards (platform_id, id) select ${platform}, t.id from ${records(COLUMNS, rows)}`',
      'sql`insert into cards (platform_id, id) select ${platform}, t.id from unnest(${ids}::uuid[]) t (id)`',
    ],
    'several platforms': [
      'sql`select * from cards where (platform_id, id) in (select * from unnest(${a}::uuid[], ${b}::uuid[]))`',
      'sql`update cards set status = ${status} where platform_id = any(${platforms}::uuid[])`',
    ],
  };
  for (const [word, planted] of Object.entries(PLANTED))
    test(`a planted violation is found: ${word}`, () => {
      for (const source of planted) {
        const [found, ...others] = violationsIn(statementsOf('planted.ts', source));
        assert.match(found ?? '', new RegExp(word), source);
        assert.deepEqual(others, []);
      }
    });
  test('no look-up or transaction is shared by callers of several platforms: one node that is down would fail all of them', () => {
    /** Where calls are collected with `batched` instead of `batchedBy` of the platform, and why they are of one node. */
    const COLLECTED: Readonly<Record<string, string>> = {
      'domains/cards/authorizations/batch.ts': 'a queue per platform',
      'domains/cards/network-messages/batch.ts': 'a queue per platform',
      'domains/core/platform/keys.ts': 'the coordinator has a copy of the keys',
      'domains/core/webhooks/outcomes.ts': 'the deliveries of one platform',
    };
    const found = sources.filter(({ path, text }) => path.startsWith('domains/') && /\bbatched\(/.test(text)).map(({ path }) => path);
    assert.deepEqual(found.sort(), Object.keys(COLLECTED));
  });
  test('every rule has a planted violation', () =>
    assert.deepEqual(
      Object.keys(SQL_RULES).filter((rule) => !Object.keys(PLANTED).some((word) => rule.includes(word))),
      [],
    ));
});

test('ARCHITECTURE.md shows the current drawings; `npm run draw` renews them', () => {
  const page = readFileSync(join(projectRoot, 'ARCHITECTURE.md'), 'utf8');
  for (const [name, drawing] of sectionsOf()) {
    const shown = new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)\\n<!-- end of ${name} -->`).exec(page)?.[1];
    assert.equal(shown, drawing, `${name} is out of date`);
  }
});
