// Plans of lists of transactions: however many payments there are, a page and its count read few rows, with and without statistics.
import '../../support/own-process.js';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { sql } from '../../../src/db/sql.js';
import { expectStatus } from '../../support/client.js';
import { plansOfOneServer } from '../../support/database.js';
import { quoting } from '../../support/quotes.js';
import { startOwnService, type TestService } from '../../support/service.js';
import { platformIdOf } from '../../support/webhooks/platform.js';

const ROWS = 30_000;
/** A count stops at 1,000; the list of a type reads a page in each of seven statuses. */
const READ_AT_MOST = 2_500;
const LIMIT = 20;
const MINUTES_PER_DAY = 24 * 60;
/** Payments are a minute apart. */
const daysAgo = (days: number): string => new Date(Date.now() - days * MINUTES_PER_DAY * 60_000).toISOString();

let statements: { text: string; values: unknown[] }[] = [];
let service: TestService;
let client: pg.Client;
let queries: Record<string, string>;
const original = pg.Client.prototype.query;

before(async () => {
  if (plansOfOneServer()) return;
  service = await startOwnService({ ROLE: 'api' });
  client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query('set plan_cache_mode = force_generic_plan');
  const build = quoting(service.platform);
  const account = await build.fundedAccount('USD', 1_000);
  await build.fund(await build.platformAccount('USD'), 100);
  await client.query('alter table payments set (autovacuum_enabled = off)');
  await service.db.run(sql`
    insert into payments select (r).* from (
      select json_populate_record(p, json_build_object(
        'id', (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - n * 60000), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
        'created_at', now() - n * interval '1 minute', 'type', case when n % 2 = 0 then 'INCOMING' else 'OUTGOING' end,
        'status', case when n % 10000 = 5 then 'REJECTED' else 'COMPLETED' end, 'customer_id', case when n % 3000 = 1 then p.customer_id else gen_random_uuid() end,
        'platform_customer_id', 'customer-' || (n % 1500), 'source_identifier', 'InternalAccount:' || (n % 1500),
        'destination_identifier', 'ExternalAccount:' || (n % 1500))) as r
      from payments p, generate_series(1, ${ROWS}) n where p.customer_id is not null) copied`);
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [query] = given;
    if (typeof query === 'object' && query !== null && 'text' in query && 'values' in query && String(query.text).includes('payments p'))
      statements.push({ text: String(query.text), values: [...(query.values as unknown[])] });
    return Reflect.apply(original, this, given);
  } as typeof original;
  const period = `startDate=${daysAgo(11)}&endDate=${daysAgo(10)}`;
  queries = {
    'no filter': '',
    'oldest first': 'sortOrder=asc',
    type: 'type=OUTGOING',
    'common status': 'status=COMPLETED',
    'rare status': 'status=REJECTED',
    'status that nobody has': 'status=EXPIRED',
    'status and type that quotes end with': 'status=EXPIRED&type=OUTGOING',
    'status of quotes that wait': 'status=PENDING',
    'status and type': 'status=REJECTED&type=INCOMING',
    customer: `customerId=${account.customerId}`,
    platformCustomerId: 'platformCustomerId=customer-7',
    'either end': 'accountIdentifier=InternalAccount:9',
    sender: 'senderAccountIdentifier=InternalAccount:9',
    receiver: 'receiverAccountIdentifier=ExternalAccount:9',
    'sender and status': 'senderAccountIdentifier=InternalAccount:9&status=COMPLETED',
    own: `customerId=${await platformIdOf(service, service.platform)}`,
    'a day': period,
    'a day, oldest first': `${period}&sortOrder=asc`,
    'a day and a type': `${period}&type=OUTGOING`,
    'a day and a rare status': `${period}&status=REJECTED`,
    'a day and a customer': `${period}&customerId=${account.customerId}`,
    'a day and either end': `${period}&accountIdentifier=InternalAccount:9`,
    'until long ago': `endDate=${daysAgo(ROWS / MINUTES_PER_DAY - 1)}`,
    'from then on': `startDate=${daysAgo(1)}`,
  };
});
after(async () => {
  pg.Client.prototype.query = original;
  await client?.end();
  await service?.stop();
});

type PlanNode = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
};

/** Rows of payments that a plan touched. */
function rowsRead(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, plan) => sum + rowsRead(plan), 0);
  const isScan = node['Relation Name'] === 'payments' || node['Node Type'] === 'Bitmap Index Scan';
  return below + (isScan ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] : 0);
}

async function check(when: string): Promise<void> {
  for (const [name, query] of Object.entries(queries)) {
    statements = [];
    await expectStatus(200, service.platform.get(`/transactions?limit=${LIMIT}&${query}`));
    assert.ok(statements.length > 0, name);
    for (const { text, values } of statements) {
      await client.query('begin');
      await client.query(`prepare listed as ${text}`);
      const given = values.map((value) => pg.escapeLiteral(literalOf(value))).join(', ');
      const { rows } = await client.query(`explain (analyze, format json) execute listed${given === '' ? '' : `(${given})`}`);
      await client.query('rollback; deallocate listed');
      const read = rowsRead(rows[0]['QUERY PLAN'][0].Plan as PlanNode);
      const most = query === '' || query === 'sortOrder=asc' ? 11_000 : READ_AT_MOST;
      assert.ok(
        read <= most,
        `${when}, ${name}: read ${read} rows\n${text}\n${JSON.stringify(rows[0]['QUERY PLAN'][0].Plan, null, 1).slice(0, 3_000)}`,
      );
    }
  }
}

const literalOf = (value: unknown): string => {
  if (Array.isArray(value)) return `{${value.map((item) => `"${String(item)}"`).join(',')}}`;
  return value instanceof Date ? value.toISOString() : String(value);
};

test('without statistics', { skip: plansOfOneServer() }, () => check('without statistics'));

test('with statistics', { skip: plansOfOneServer() }, async () => {
  await client.query('vacuum analyze payments');
  await check('with statistics');
});
