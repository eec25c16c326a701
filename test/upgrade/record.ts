// Records an upgrade fixture: fills a database of the current schema through the API and writes its rows and some responses to files.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { readMigrations } from '../../src/db/migrate.js';
import type { Db } from '../../src/db/pool.js';
import { Sql, sql } from '../../src/db/sql.js';
import { readDocument } from '../prove/document.js';
import { exampleOf, targetOf } from '../prove/examples.js';
import { REPLACES_RECORDS, worldOf } from '../prove/objects.js';
import { sendExample } from '../prove/send-example.js';
import { agentOf } from '../support/agents.js';
import { fundedCard, networkOf, walletCard } from '../support/card-transactions.js';
import { closing, provisioned, requestCard } from '../support/cards.js';
import { type Client, expectStatus } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { evmWallet } from '../support/external-accounts/wallets.js';
import { given } from '../support/given.js';
import { csvOf, imported, personRow } from '../support/imports.js';
import { startTestService, type TestService } from '../support/service.js';
import { unprovisionedWallet } from '../support/wallet.js';
import { type Receiver, startReceiver } from '../support/webhooks/receiver.js';
import {
  ALL_TOKEN,
  type Fixture,
  FOLDER,
  GONE_TOKEN,
  KEY_ENCRYPTION_KEY,
  type Objects,
  type RecordedResponse,
  SERVICE_URL,
  TOKEN,
} from './fixture.js';

/** Returns the name of the fixture. */
export async function record(): Promise<string> {
  const migrations = (await readMigrations()).map(({ name, checksum }) => ({ name, checksum }));
  const name = migrations.at(-1)?.name.replace(/\.sql$/, '') ?? assert.fail('there are no migrations');
  const database = await createDatabase();
  const receiver = await startReceiver();
  const gone = await startReceiver({ reply: () => 410 });
  const service = await startTestService({
    DATABASE_URL: database.url,
    KEY_ENCRYPTION_KEY,
    BOOTSTRAP_TOKEN: [TOKEN, GONE_TOKEN, ALL_TOKEN].map(({ id, secret }) => `${id}:${secret}`).join(),
  });
  try {
    await stopWebhooks(service.as(GONE_TOKEN.id, GONE_TOKEN.secret), gone.url);
    const platform = service.as(TOKEN.id, TOKEN.secret);
    const { objects, paths } = await fill(platform, receiver.url);
    const everything = await callEverything(service, service.as(ALL_TOKEN.id, ALL_TOKEN.secret), receiver);
    await deliveriesDone(service.db);
    const responses: RecordedResponse[] = [];
    for (const path of paths) responses.push({ path, body: await expectStatus(200, platform.get(path)) });
    for (const { path, authorization } of everything) {
      const read = () => expectStatus(200, platform.get(path, { headers: { authorization } }));
      const body = await read();
      // An answer may be made anew for each read, such as the address of a page.
      if (isDeepStrictEqual(body, await read())) responses.push({ path, authorization, body });
    }
    const fixture: Fixture = { migrations, objects, responses };
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, `${name}.sql`), await rowsOf(service.db));
    writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(fixture, null, 1).replaceAll(service.url, SERVICE_URL)}\n`);
    return name;
  } finally {
    await service.stop();
    await Promise.all([receiver.close(), gone.close(), database.drop()]);
  }
}

/** A platform whose endpoint has answered 410. */
async function stopWebhooks(platform: Client, webhookEndpoint: string): Promise<void> {
  await expectStatus(200, platform.patch('/config', { webhookEndpoint }));
  await platform.post('/webhooks/test');
  await expectStatus(201, platform.post('/sandbox/snapshots', { name: 'stopped' }));
}

/** The log of requests, which the fixture holds a part of, and streams. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'getRequest',
  'listRequests',
  'streamRequests',
  'getTimeline',
  'search',
  'streamWebhookEvents',
]);

/** Calls every operation, so that every domain has rows. Returns the reads that must give the same answer after an upgrade. */
async function callEverything(
  service: TestService,
  client: Client,
  receiver: Receiver,
): Promise<{ readonly path: string; readonly authorization: string }[]> {
  const document = readDocument(service.contract.document);
  const world = worldOf(client, { service, receiver });
  for (const operation of document.operations)
    if (!REPLACES_RECORDS.has(operation.id)) await sendExample(service.url, client, operation, await exampleOf(document, operation, world));
  const reads: { path: string; authorization: string }[] = [];
  for (const operation of document.operations) {
    if (operation.method !== 'GET' || LEFT_OUT.has(operation.id)) continue;
    const request = await exampleOf(document, operation, world);
    const { first } = await sendExample(service.url, client, operation, request);
    if (first.status !== 200 || first.answer === undefined || request.signer !== undefined) continue;
    const { authorization } = operation.permission === 'AGENT' ? (await agentOf(client)).client : client;
    reads.push({ path: targetOf(operation, request), authorization });
  }
  // What the requests above leave nothing of.
  await imported(client, csvOf([personRow('upgrade', 1), personRow('upgrade', 1).replace('INDIVIDUAL', 'NOBODY')]));
  await expectStatus(200, client.put('/sandbox/faults', { faults: [{ kind: 'WEBHOOK_LOST', count: 1 }] }));
  // A snapshot repeats all rows; a small platform has one.
  for (const { name } of (await expectStatus(200, client.get('/sandbox/snapshots'))).data)
    await expectStatus(204, client.delete(`/sandbox/snapshots/${name}`));
  await client.clock.freeze();
  return reads;
}

/** Objects of every kind, most of them in several states, and the paths to read them. */
async function fill(platform: Client, webhookEndpoint: string): Promise<{ objects: Objects; paths: string[] }> {
  const build = given(platform);
  await expectStatus(200, platform.patch('/config', { webhookEndpoint }));
  await platform.clock.freeze('2031-03-12T15:00:00Z');

  const business = await build.customer({
    customerType: 'BUSINESS',
    fullName: undefined,
    businessInfo: { legalName: 'Analytical Engines Ltd', country: 'GB' },
  });
  const deleted = await build.customer({ fullName: 'Former Customer' });
  await platform.delete(`/customers/${deleted.id}`);
  await expectStatus(201, platform.post('/tokens', { name: 'reporting', permissions: ['VIEW'] }));
  await expectStatus(201, platform.post('/sandbox/issuer-credentials', { program: 'service_full' }));

  // March: a card with settled, refunded, disputed and declined transactions.
  const { card: first, account, customer } = await fundedCard(platform, 50_000);
  const network = networkOf(platform, first);
  await network.clear(await network.authorize(2_500), 2_750);
  const bought = await network.clear(await network.authorize(4_000), 4_000);
  await network.giveBack(bought, 1_500);
  const disputed = await network.clear(await network.authorize(900), 900);
  await expectStatus(202, network.send('dispute_open', { cardTransactionId: disputed.id, amount: 900, reason: 'Never arrived.' }));
  await network.authorize(1_000_000);

  // A verified and an unverified external wallet.
  const verified = await externalWallet(platform, customer.id, 'verified');
  const { messageToSign } = await expectStatus(201, platform.post(`${verified.path}/challenge`, { method: 'WALLET_SIGNATURE' }));
  await expectStatus(200, platform.post(`${verified.path}/verify`, { signature: await verified.wallet.sign(messageToSign) }));
  const unverified = await externalWallet(platform, customer.id, 'unverified');
  await expectStatus(201, platform.post(`${unverified.path}/challenge`, { method: 'WALLET_SIGNATURE' }));

  // April: the statement of March, a closed card, open authorizations, a session and an open one-time password.
  await platform.clock.set('2031-04-02T15:00:00Z');
  const period = { start: '2031-03-01T06:00:00Z', end: '2031-04-01T05:00:00Z' };
  const statement = `/internal-accounts/${account.id}/statement?periodStart=2031-03-01`;
  assert.equal((await platform.get(statement)).status, 200);
  await expectStatus(200, platform.post(`/internal-accounts/${account.id}/confirm-statement`, { periodStart: '2031-03-01' }));
  await expectStatus(200, platform.patch(`/cards/${first.id}`, closing));

  const issuance = { key: randomUUID(), body: { customerId: customer.id, fundingSource: account.id } };
  const { id: cardId } = await expectStatus(201, requestCard(platform, issuance.body, issuance.key));
  const card = await provisioned(platform, cardId);
  const openAmount = 1_200;
  const open = await networkOf(platform, card).authorize(openAmount);

  const owned = await walletCard(platform, 30_000);
  const walletNetwork = networkOf(platform, owned.card);
  await walletNetwork.clear(await walletNetwork.authorize(6_000), 6_000);
  await walletNetwork.authorize(700);
  const { credential, account: unprovisioned } = await unprovisionedWallet(platform);
  await expectStatus(200, platform.post(`/auth/credentials/${credential.id}/challenge`));

  const window = new URLSearchParams({ startDate: period.start, endDate: period.end });
  const { data: transactions } = await expectStatus(200, platform.get(`/transactions?cardId=${first.id}`));
  const { data: events } = await expectStatus(200, platform.get('/webhooks/events?limit=2'));
  const ids = (objects: { id: string }[]) => objects.map(({ id }) => id);
  return {
    objects: {
      walletCard: owned.card.id,
      walletAccount: owned.account.id,
      walletCredential: owned.owner.credential.id,
      card: card.id,
      cardAccount: account.id,
      openTransaction: open.id,
      openAmount,
      statementPeriod: period,
      issuance,
    },
    paths: [
      '/config',
      '/sandbox/clock',
      '/tokens',
      '/customers?limit=100',
      ...[customer, business, owned.customer].map(({ id }) => `/customers/${id}`),
      '/customers/internal-accounts?limit=100',
      '/platform/internal-accounts',
      `/customers/external-accounts?customerId=${customer.id}`,
      `/external-accounts/${verified.account.id}/ownership-proofs`,
      `/internal-accounts/${account.id}/balance-changes?${window}`,
      `/auth/credentials?accountId=${owned.account.id}`,
      `/auth/credentials?accountId=${unprovisioned.id}`,
      `/auth/sessions?accountId=${owned.account.id}`,
      `/auth/delegated-keys?accountId=${owned.account.id}`,
      '/sandbox/issuer-credentials',
      '/cards',
      ...[first, card, owned.card].map(({ id }) => `/cards/${id}`),
      ...[card.id, owned.card.id].map((id) => `/transactions?cardId=${id}`),
      ...ids(transactions).map((id) => `/transactions/${id}`),
      '/webhooks/signing-keys',
      '/webhooks/signing-secrets',
      ...ids(events).map((id) => `/webhooks/events/${id}`),
    ],
  };
}

async function externalWallet(platform: Client, customerId: string, name: string) {
  const wallet = evmWallet(`upgrade fixture ${name}`);
  const account = await expectStatus(
    201,
    platform.post('/customers/external-accounts', {
      customerId,
      currency: 'USDC',
      ownershipType: 'FIRST_PARTY',
      accountInfo: { accountType: wallet.accountType, address: wallet.address },
    }),
  );
  return { wallet, account, path: `/customers/external-accounts/${account.id}` };
}

async function deliveriesDone(db: Db): Promise<void> {
  for (const deadline = performance.now() + 10_000; ; await sleep(20)) {
    const open = await db.many(
      sql`select from webhook_deliveries where status = 'PENDING' and platform_id not in (select platform_id from webhook_stops)
        union all select from webhook_inbox
        union all select from webhook_cursors where settled < last_position and platform_id not in (select platform_id from webhook_stops)`,
    );
    if (open.length === 0) return;
    assert.ok(performance.now() < deadline, `${open.length} deliveries are still pending`);
  }
}

/** Rows that exist for a moment, end by themselves within hours, or are made again from other rows. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set([
  'console_sessions',
  'emptied_platforms',
  'rate_limit_buckets',
  'service_day_sums',
  'service_sums_progress',
  'uma_notices',
  'uma_payouts',
  'webhook_inbox',
  'webhook_sequences',
]);

/** The log of requests is long, and nothing refers to it. */
const SAMPLED: ReadonlySet<string> = new Set(['request_log', 'request_log_objects']);

/** Every row of every table as `insert` statements, one row per line. A table without rows is an error: the fixture must cover it. */
async function rowsOf(db: Db): Promise<string> {
  const tables = await db.many<{ name: string; columns: string[] }>(sql`
    select c.relname as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and c.relname <> 'schema_migrations'
    group by c.relname order by c.relname`);
  const statements: string[] = [];
  const missing: string[] = [];
  for (const { name, columns } of tables) {
    const values = columns.map((column) => `quote_nullable(${column}::text)`).join(` || ', ' || `);
    const rows = await db.many<{ row: string }>(
      new Sql(`select '(' || ${values} || ')' as row from ${name} order by 1${SAMPLED.has(name) ? ' limit 40' : ''}`, []),
    );
    if (rows.length === 0) {
      if (!MAY_BE_EMPTY.has(name)) missing.push(name);
      continue;
    }
    statements.push(`insert into ${name} (${columns.join(', ')}) values\n${rows.map(({ row }) => row).join(',\n')};\n`);
  }
  assert.deepEqual(missing, [], 'the fixture has no row in these tables: extend test/upgrade/record.ts');
  return statements.join('\n');
}
