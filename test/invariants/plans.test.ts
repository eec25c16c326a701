// Plans of hot statements: the same on empty, tiny, grown and shrunk tables, with and without statistics, and never a scan of a table.
// The statements are those that the running service sends on the connections of decisions, with the settings of these connections.
import '../support/own-process.js';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { DECISION_SETTINGS } from '../../src/db/plan-settings.js';
import { fundedCard, issuerOf, walletCard } from '../support/card-transactions.js';
import { expectStatus } from '../support/client.js';
import { plansOfOneServer } from '../support/database.js';
import { genericAccesses, watchStatements } from '../support/plans.js';
import { startOwnService, type TestService } from '../support/service.js';

/** Statements sent on connections that have the settings of decisions, by text. */
const decisionStatements = new Set<string>();

/** Notes every named statement of a connection once the settings of decisions were sent on it. */
function recordStatements(): () => void {
  const deciding = new WeakSet<pg.Client>();
  return watchStatements(
    (text, client) => {
      if (deciding.has(client)) decisionStatements.add(text);
    },
    (query, client) => {
      if (query === DECISION_SETTINGS) deciding.add(client);
    },
  );
}

let service: TestService;
let client: pg.Client;
let restore = () => {};
before(async () => {
  if (plansOfOneServer()) return;
  restore = recordStatements();
  service = await startOwnService();
  client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query(DECISION_SETTINGS);
});
after(async () => {
  restore();
  await client?.end();
  await service?.stop();
});

/** A scan of a table, or of all rows that a platform has in it. A platform has at most 50 faults, and they are read once a second. */
const SCANS = /^Seq Scan|(?<!^sandbox_faults )by (nothing|platform_id)$/;

/** Accesses whose key depends on statistics: repeated tokens and wallet keys. A key they have in every state. */
const SEVERAL_KEYS = /^(card_messages|delegated_keys|wallet_signers|wallets|wallet_activities|webhook_\w+) by /;

const stable = (accesses: readonly string[]): string => accesses.filter((access) => !SEVERAL_KEYS.test(access)).join();

/** The generic plan of each statement, as the service would cache it now. */
async function plans(): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const text of decisionStatements) {
    found.set(text, [...new Set(await genericAccesses(client, text))].sort());
  }
  return found;
}

const tables = async (): Promise<string[]> =>
  (
    await client.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'schema_migrations'`,
    )
  ).rows.map(({ name }) => name);

/** Copies rows of every table under new ids. Triggers and foreign keys do not matter to plans. */
async function grow(rows: number): Promise<void> {
  const { rows: columns } = await client.query<{ table: string; list: string; values: string }>(
    `
    select c.relname as table, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as list,
      string_agg(case when a.attname = 'platform_id' and c.relname <> 'platforms' then 'platform_id'
                      when a.atttypid = 'uuid'::regtype and a.attnotnull then 'gen_random_uuid()'
                      when a.atttypid = 'text'::regtype and a.attname ~ 'token|client_id|platform_customer_id|platform_card_id|object_id|key' then 'gen_random_uuid()::text'
                      else 't.' || quote_ident(a.attname) end, ', ' order by a.attnum) as values
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and c.relname <> 'schema_migrations' and c.relname = any($1) group by c.relname`,
    [(await tables()).filter((table) => [...decisionStatements].some((text) => new RegExp(`\\b${table}\\b`).test(text)))],
  );
  await client.query('set session_replication_role = replica');
  for (const { table, list, values } of columns)
    await client
      .query(
        `insert into ${table} (${list}) select ${values} from (select * from ${table} limit 1) t, generate_series(1, ${rows}) on conflict do nothing`,
      )
      // A check may forbid a copy; such a table stays as small as it is.
      .catch(() => {});
  await client.query('set session_replication_role = origin');
}

test('every statement of a decision has one plan in every state of the tables, and scans no table', {
  timeout: 120_000,
  skip: plansOfOneServer(),
}, async () => {
  for (const table of await tables()) await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
  const { platform } = service;
  const { card } = await fundedCard(platform, 100_000);
  const issuer = issuerOf(platform, card);
  await expectStatus(200, issuer.ask({ token: 'once', amount: 100 }));
  await expectStatus(200, issuer.ask({ token: 'once', amount: 100 }));
  await expectStatus(200, issuer.ask({ amount: 100, kind: 'FINANCIAL_AUTHORIZATION' }));
  await expectStatus(200, issuer.ask({ amount: 100, kind: 'FINANCIAL_CREDIT_AUTHORIZATION' }));
  const wallet = await walletCard(platform, 100_000);
  await expectStatus(200, issuerOf(platform, wallet.card).ask({ amount: 100 }));
  // Several in one batch, one of them declined; and a card with limits.
  const asked = [100, 200, 300, 10_000_000].flatMap((amount) =>
    [issuer, issuerOf(platform, wallet.card)].map((each) => each.ask({ amount })),
  );
  for (const answer of asked) await expectStatus(200, answer);
  await expectStatus(200, platform.patch(`/cards/${card.id}`, { maxSpendPerDay: 50_000 }));
  await expectStatus(200, issuer.ask({ amount: 100 }));
  const texts = [...decisionStatements];
  for (const written of [
    'cards',
    'ledger_accounts',
    'holds',
    'transfers',
    'entries',
    'card_transactions',
    'webhook_events',
    'platforms',
    'api_tokens',
  ])
    assert.ok(
      texts.some((text) => new RegExp(`\\b${written}\\b`).test(text)),
      `a statement on ${written} was recorded`,
    );

  const states: [string, () => Promise<unknown>][] = [
    ['tiny and never analysed', async () => {}],
    ['tiny and analysed', () => client.query('analyze')],
    ['grown since', () => grow(3_000)],
    ['grown and analysed', () => client.query('analyze')],
    [
      'shrunk after the analysis',
      async () => {
        await client.query('set session_replication_role = replica');
        for (const table of await tables()) await client.query(`delete from ${table}`);
        await client.query('set session_replication_role = origin');
      },
    ],
    [
      'empty as new',
      async () => {
        await client.query('set session_replication_role = replica');
        await client.query(`truncate ${(await tables()).join(', ')}`);
        await client.query('set session_replication_role = origin');
      },
    ],
  ];
  let first: ReadonlyMap<string, readonly string[]> | undefined;
  const problems: string[] = [];
  for (const [state, reach] of states) {
    await reach();
    const found = await plans();
    for (const [text, accesses] of found) {
      const earlier = first?.get(text) ?? accesses;
      if (accesses.some((access) => SCANS.test(access)) || stable(accesses) !== stable(earlier))
        problems.push(`${state}: ${accesses.join('; ')} (was ${earlier.join('; ')})\n${text}`);
    }
    first ??= found;
  }
  assert.equal(problems.join('\n\n'), '');
});
