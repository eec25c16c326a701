// exportSandboxSnapshot, importSandboxSnapshot
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../src/db/sql.js';
import { findTables } from '../../../src/domains/sandbox/platform-data-store.js';
import { isInFile, UNIQUE_BEYOND_PLATFORM } from '../../../src/domains/sandbox/snapshot-content.js';
import { openFile, type Preamble, writeFile } from '../../../src/domains/sandbox/snapshot-file.js';
import { MAX_SNAPSHOTS } from '../../../src/domains/sandbox/snapshots.js';
import { checkStoredJson, STORED_JSON } from '../../../src/domains/sandbox/stored-json-schemas.js';
import type { ApiError } from '../../../src/kernel/errors.js';
import { uuidOf } from '../../../src/kernel/ids.js';
import { givenPurchase, kinds, worldOf } from '../../prove/objects.js';
import { givenAgent } from '../../support/agents.js';
import { type Answer, assertInvalid, assertRefused, type Client, expectStatus } from '../../support/client.js';
import { given } from '../../support/given.js';
import { givenInvitation } from '../../support/invitations.js';
import { assertLedgerHolds } from '../../support/ledger.js';
import { dataOf } from '../../support/platform-data.js';
import { race } from '../../support/race.js';
import { startOwnService, type TestService } from '../../support/service.js';
import { givenEndpoint, platformIdOf } from '../../support/webhooks/platform.js';

/** Two installations: databases and key-encryption keys of their own. Without a worker, so that nothing changes rows between two looks. */
let here: TestService;
let there: TestService;
before(async () => {
  [here, there] = await Promise.all([startOwnService({ ROLE: 'api' }), startOwnService({ ROLE: 'api' })]);
});
after(async () => void (await Promise.all([here.stop(), there.stop()])));

const passphrase = 'correct horse battery staple';

async function exported(client: Client, name = 'report'): Promise<string> {
  await expectStatus(201, client.post('/sandbox/snapshots', { name }));
  const answer = await client.post(`/sandbox/snapshots/${name}/export`, { passphrase });
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/octet-stream'], answer.text);
  return answer.text;
}

const importing = (client: Client, file: string, { name = 'imported', pass = passphrase } = {}): Promise<Answer> =>
  client.upload('POST', '/sandbox/snapshots/import', [
    { name: 'name', value: name },
    { name: 'passphrase', value: pass },
    { name: 'file', value: file, fileName: 'snapshot.switchyard' },
  ]);
/** An agent has an access token or none; its token is in no file. */
const withoutCredentials = (data: Record<string, unknown>[] = []) => data.map(({ isConnected: _token, ...rest }) => rest);
const restore = (client: Client, name = 'imported') => expectStatus(200, client.post(`/sandbox/snapshots/${name}/restore`));
const snapshotsOf = async (client: Client) => (await expectStatus(200, client.get('/sandbox/snapshots'))).data;

test('"a bug report carries its state": another installation has the same records, with their files and secrets, and goes on from there', async (t) => {
  const source = await here.newPlatform();
  const receiver = await givenEndpoint(source);
  t.after(() => receiver.close());
  const world = worldOf(source, { service: here, receiver });
  for (const kind of kinds) if (kind !== 'SandboxSnapshot') await world.id(kind);
  await givenPurchase(source, true);
  const account = await given(source).fundedAccount('USD', 12_345);
  await expectStatus(200, source.patch('/config', { cardConfigs: { maxSpendPerDay: 77_777 } }));
  await expectStatus(200, source.put('/sandbox/faults', { faults: [{ kind: 'DELAY', operation: 'listCards', delayMs: 1 }] }));
  await source.clock.freeze('2031-05-01T12:00:00.000Z');
  const file = await exported(source);

  const target = await there.newPlatform();
  const config = await expectStatus(200, target.get('/config'));
  const before = await dataOf(there.db, await platformIdOf(there, target));
  const imported = await expectStatus(201, importing(target, file));
  assert.deepEqual(await dataOf(there.db, await platformIdOf(there, target)), before, 'an import alone changes no data');
  assert.deepEqual([imported.now, imported.frozen], ['2031-05-01T12:00:00.000Z', true]);
  await restore(target);

  const lists = ['/customers', '/cards', '/transactions', '/customers/internal-accounts', '/customers/external-accounts', '/verifications'];
  for (const path of [...lists, '/agents', '/webhooks/events', '/documents', '/quotes', '/auth/delegated-keys', '/sandbox/faults']) {
    const [was, is] = [await source.get(`${path}?limit=100`), await target.get(`${path}?limit=100`)];
    assert.deepEqual([is.status, withoutCredentials(is.body?.data)], [was.status, withoutCredentials(was.body?.data)], path);
  }
  const owned = await expectStatus(200, target.get('/config'));
  assert.equal(owned.cardConfigs.maxSpendPerDay, 77_777);
  assert.deepEqual(
    [owned.id, owned.umaDomain, owned.webhookEndpoint],
    [config.id, config.umaDomain, undefined],
    'the platform stays itself',
  );

  const document = await world.id('Document');
  const content = (client: Client) => client.post(`/documents/${document}/download`);
  assert.equal((await content(target)).text, (await content(source)).text, 'a stored file');
  await target.clock.freeze();
  await given(target).fund(account, 5);
  assert.equal((await expectStatus(200, target.get(`/internal-accounts/${account.id}`))).balance.amount, 12_350);
  await assertLedgerHolds(there.db, await platformIdOf(there, target));
  const eventsOf = async (client: Client): Promise<unknown[]> =>
    (await expectStatus(200, client.get(`/webhooks/events?objectId=${account.id}`))).data;
  assert.equal((await eventsOf(target)).length, (await eventsOf(source)).length + 1, 'events go on');
});

test('what is sealed opens on the other side, and nothing of the file is readable without the passphrase', async () => {
  const [source, target] = [await here.newPlatform(), await there.newPlatform()];
  const customer = await expectStatus(
    201,
    source.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Zebulon Quartermain', identifier: '078-05-1120', idType: 'SSN' }),
  );
  const file = await exported(source);
  assert.match(file, /^switchyard snapshot 1 \{"schemaVersion":"\d{4}_[^"]+","rows":\d+,"createdAt":"[^"]+","salt":"[^"]+"\}\n[\w+/=\n]+$/);
  await expectStatus(201, importing(target, file));
  await restore(target);
  const sealedOf = ({ db }: TestService, id: string) =>
    db.one<{ identifier_sealed: Buffer }>(sql`select identifier_sealed from customers where id = ${id}`);
  const [was, is] = [await sealedOf(here, uuidOf(customer.id)), await sealedOf(there, uuidOf(customer.id))];
  assert.ok(was && is && !was.identifier_sealed.equals(is.identifier_sealed), 'sealed again, with another key');
  const shown = (client: Client) => client.get(`/customers/${customer.id}`);
  assert.deepEqual((await shown(target)).body, (await shown(source)).body);
});

test('the same installation: the platform that exported it keeps what it has, and no snapshot of others is seen', async () => {
  const [source, target] = [await here.newPlatform(), await here.newPlatform()];
  const { id: agent } = await givenAgent(source);
  const { code } = await givenInvitation(source);
  const account = await given(source).fundedAccount('USD', 500);
  const file = await exported(source);
  const before = await dataOf(here.db, await platformIdOf(here, source));
  await expectStatus(201, importing(target, file));
  await restore(target);
  assert.deepEqual(await dataOf(here.db, await platformIdOf(here, source)), before);
  await given(target).fund(account, 1);
  const balance = async (client: Client) => (await expectStatus(200, client.get(`/internal-accounts/${account.id}`))).balance.amount;
  assert.deepEqual([await balance(source), await balance(target)], [500, 501]);
  const connected = async (client: Client) => (await expectStatus(200, client.get(`/agents/${agent}`))).isConnected;
  assert.deepEqual([await connected(source), await connected(target)], [true, false], 'the token of the agent stays with its platform');
  const rows = await here.db.many<{ code: string }>(sql`
    select code from invitations where customer_id in (select customer_id from invitations where code = ${code})`);
  assert.deepEqual([rows.length, new Set(rows.map((row) => row.code)).size], [2, 2], 'the invitation has a code of its own');
  assert.deepEqual(
    (await snapshotsOf(target)).map(({ name }: { name: string }) => name),
    ['imported'],
  );
});

test('values that one record of the installation may have are in no file', async () => {
  const handled = Object.entries(UNIQUE_BEYOND_PLATFORM).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  );
  // The kinds of platform keys that are data of a platform.
  const keyed = ['agent_device_codes.code_hash', 'agents.token_hash', 'invitations.code'];
  assert.deepEqual([...handled, 'agent_device_codes.code_hash'].sort(), keyed);
});

describe('refused, and nothing is stored', () => {
  let platform: Client;
  let file: string;
  let others: Client;
  before(async () => {
    platform = await here.newPlatform();
    others = await here.newPlatform();
    await given(others).fundedAccount('USD', 100);
    await given(platform).fundedAccount('USD', 1_000);
    await given(platform).fundedAccount('USD', 2_000);
    file = await exported(platform);
    const opened = await openFile(
      (async function* () {
        yield Buffer.from(file);
      })(),
      passphrase,
    );
    preamble = opened.preamble;
    for await (const line of opened.lines) content.push(JSON.parse(line));
  });
  const content: (Line & Record<string, unknown>)[] = [];
  let preamble: Preamble;

  type Line = { table: string; columns: string[]; rows: (string | null)[][] };

  const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  /** Becomes lists within lists: the test itself could not write them as JSON. */
  const DEEP = 'nested to where the stack ends';

  const MANY = 'many values';

  /** The file as somebody with the passphrase could have written it. */
  async function forged(change: (lines: (Line & Record<string, unknown>)[], preamble: Preamble) => void, many = ''): Promise<string> {
    const [lines, named] = [structuredClone(content), { ...preamble }];
    change(lines, named);
    const chunks = [];
    const texts = async function* () {
      for (const line of lines)
        yield JSON.stringify(line)
          .replace(JSON.stringify(DEEP), () => deep(100_000))
          .replace(JSON.stringify(MANY), () => many);
    };
    for await (const chunk of writeFile(named, passphrase, texts())) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  }

  async function assertNothingStored(imports: () => Promise<void>): Promise<void> {
    const look = async () => ({
      own: await dataOf(here.db, await platformIdOf(here, platform)),
      others: await dataOf(here.db, await platformIdOf(here, others)),
      snapshots: (await snapshotsOf(platform)).map(({ name }: { name: string }) => name),
      tokens: (await here.db.one<{ count: bigint }>(sql`select count(*) from api_tokens`))?.count,
    });
    const before = await look();
    await imports();
    assert.deepEqual(await look(), before);
  }

  test('the control: the file as it is, also written again', async () => {
    for (const [name, content] of [
      ['a', file],
      ['b', await forged(() => {})],
    ] as const) {
      await expectStatus(201, importing(platform, content, { name }));
      await expectStatus(204, platform.delete(`/sandbox/snapshots/${name}`));
    }
  });

  test('400: damage of every kind, and a wrong passphrase', async () => {
    const lines = file.trimEnd().split('\n');
    const flipped = (at: number) => `${file.slice(0, at)}${file[at] === 'A' ? 'B' : 'A'}${file.slice(at + 1)}`;
    const damaged: Record<string, string> = {
      empty: '',
      'something else': '{"name":"x"}\n',
      'another format': file.replace('snapshot 1', 'snapshot 2'),
      'the first line alone': `${lines[0]}\n`,
      'a changed first line': file.replace(/"rows":\d/, '"rows":9'),
      'a changed block': flipped((lines[0] ?? '').length + 500),
      'cut off': file.slice(0, -200),
      'a block twice': [...lines, lines.at(-1)].join('\n'),
    };
    await assertNothingStored(async () => {
      for (const [what, bytes] of Object.entries(damaged)) {
        const answer = await importing(platform, bytes);
        assert.deepEqual([what, answer.status, answer.body?.code], [what, 400, 'INVALID_INPUT'], answer.text);
      }
      assertInvalid(await importing(platform, file, { pass: 'wrong horse battery staple' }), 'file');
    });
  });

  test('409 CONFLICT: an older and a newer version, with a clear word', async () => {
    await assertNothingStored(async () => {
      for (const [schemaVersion, word] of [
        ['0001_core.sql', /older version/],
        ['9999_later.sql', /newer version/],
      ] as const) {
        const answer = await importing(platform, await forged((_lines, named) => Object.assign(named, { schemaVersion })));
        assertRefused(answer, 409, 'CONFLICT');
        assert.match(answer.body.reason, word);
      }
    });
  });

  const rowsOf = (lines: Line[], table: string): Line => {
    const found = lines.find((line) => line.table === table);
    assert.ok(found, table);
    return found;
  };
  const set = (table: string, column: string, value: (old: string | null) => string | null) => (lines: Line[]) => {
    const { columns, rows } = rowsOf(lines, table);
    const at = columns.indexOf(column);
    const row = rows.find((candidate) => candidate[at] !== null) ?? rows[0];
    assert.ok(row && at >= 0);
    row[at] = value(row[at] ?? null);
  };
  const plus = (amount: bigint) => (old: string | null) => String(BigInt(old ?? 0) + amount);
  const foreignTable = (table: string, columns: string[], row: (string | null)[]) => (lines: Line[]) =>
    void lines.push({ table, columns, rows: [row] });

  const HOSTILE: Readonly<Record<string, (lines: (Line & Record<string, unknown>)[]) => void>> = {
    'tokens: no data of a platform': foreignTable('api_tokens', ['id'], ['x']),
    'the row of the platform': foreignTable('platforms', ['id'], ['x']),
    'another snapshot': foreignTable('sandbox_snapshots', ['name'], ['x']),
    'a table of the installation': foreignTable('service_secrets', ['name'], ['x']),
    'a table that does not exist': foreignTable('x"; drop table customers; --', ['id'], ['x']),
    'codes of devices': foreignTable('agent_device_codes', ['code_hash'], ['\\x00']),
    'the platform of a row': (lines) => {
      const line = rowsOf(lines, 'customers');
      line.columns.unshift('platform_id');
      for (const row of line.rows) row.unshift('00000000-0000-0000-0000-000000000000');
    },
    'a column too few': (lines) => void rowsOf(lines, 'customers').columns.pop(),
    'a row that is too short': (lines) => void rowsOf(lines, 'customers').rows[0]?.pop(),
    'a value that is no text': (lines) => void ((rowsOf(lines, 'customers').rows as unknown[][])[0] as unknown[]).splice(0, 1, 5),
    'a number that is none': set('ledger_accounts', 'last_entry', () => 'many'),
    'a time that is none': set('customers', 'created_at', () => 'yesterday-ish'),
    'an id that is none': set('customers', 'id', () => 'x'),
    'a text with NUL': set('customers', 'created_at', () => '\u0000'),
    'JSON that is none': set('webhook_events', 'data', () => '{'),
    'JSON that ends its member': set('webhook_events', 'data', () => '1}, {"platform_id": "x"'),
    'JSON of another kind': set('customers', 'profile', () => '5'),
    'JSON null': set('webhook_events', 'data', () => 'null'),
    'a status that does not exist': set('customers', 'customer_type', () => 'KING'),
    'the same row twice': (lines) => {
      const { rows } = rowsOf(lines, 'customers');
      rows.push(rows[0] as string[]);
    },
    'an account of a customer that is not there': set('internal_accounts', 'customer_id', () => '01954200-0000-7000-8000-000000000001'),
    'a balance without entries': (lines) => {
      set('ledger_accounts', 'total', plus(5n))(lines);
      set('ledger_accounts', 'available', plus(5n))(lines);
    },
    'money that nobody holds': set('ledger_accounts', 'available', plus(-5n)),
    'an entry of another amount': set('entries', 'amount', plus(1n)),
    'entries without their transfer': (lines) => void rowsOf(lines, 'transfers').rows.pop(),
    'a transfer without entries': (lines) => {
      const { columns, rows } = rowsOf(lines, 'entries');
      const transfer = rows[0]?.[columns.indexOf('transfer_id')];
      rowsOf(lines, 'entries').rows = rows.filter((row) => row[columns.indexOf('transfer_id')] !== transfer);
    },
    'a debt that was never booked': set('ledger_accounts', 'owed', plus(7n)),
    'a running total that is not one': set('entries', 'balance_after', plus(1n)),
    'events of the far future': foreignTable(
      'webhook_log',
      ['position', 'commit_id', 'event_ids', 'queued'],
      ['999999999999999999', null, '{}', 'true'],
    ),
    'a fault of no kind': foreignTable(
      'sandbox_faults',
      ['position', 'revision', 'fault', 'remaining'],
      ['0', '01954200-0000-7000-8000-000000000001', '{"kind":"NOVA"}', null],
    ),
    'a clock outside the calendar': ([header]) =>
      Object.assign(header as object, { clock: { now: '9999-12-31T00:00:00.000Z', frozen: true } }),
    'a platform that is none': ([header]) => Object.assign(header as object, { platformId: "x' or 1=1" }),
    'a configuration that is not valid': ([header]) =>
      Object.assign(header?.['config'] as object, { supportedCurrencies: [{ currencyCode: 'XXX' }] }),
    'no configuration': ([header]) => Object.assign(header as object, { config: null }),
    'a configuration that is no object': ([header]) => Object.assign(header as object, { config: 5 }),
    'a configuration with NUL': ([header]) => Object.assign(header?.['config'] as object, { embeddedWalletConfig: { appName: '\u0000' } }),
    'a table that is nested to where the stack ends': (lines) => void Object.assign(lines[1] as object, { table: DEEP }),
    'columns that are nested to where the stack ends': (lines) => void Object.assign(lines[1] as object, { columns: DEEP }),
    'JSON that is nested to where the stack ends': set('customers', 'profile', () => `{"fullName":"x","more":${deep(20_000)}}`),
    'a time without end': set('customers', 'created_at', () => 'infinity'),
    'a time without beginning': set('customers', 'created_at', () => '-infinity'),
    'a time before Christ': set('customers', 'created_at', () => '0044-03-15 12:00:00+00 BC'),
    'a time after the calendar': set('webhook_events', 'created_at', () => '10000-01-01 00:00:00+00'),
    'the time of the import': set('customers', 'created_at', () => 'now'),
    'a number beyond what JSON carries': set('webhook_events', 'sequence', () => '9007199254740992'),
    'a currency that does not exist': set('payments', 'sent_currency', () => 'XXX'),
    'no line at all': (lines) => void lines.splice(0),
  };
  test('400: rows that belong to something else, do not fit, or do not balance', async () => {
    await assertNothingStored(async () => {
      for (const [i, [what, change]] of Object.entries(HOSTILE).entries()) {
        const answer = await importing(platform, await forged(change), { name: `hostile-${i}` });
        assert.deepEqual([what, answer.status, answer.body?.details?.errors?.[0]?.field], [what, 400, 'file'], answer.text);
      }
    });
  });

  test('400: a small file that unpacks to millions of values is refused before they are made: no other request waits for it', async () => {
    const many = `{"many":[${'[],'.repeat(2_000_000)}[]]}`;
    for (const [change, word] of [
      [set('webhook_events', 'data', () => many), /webhook_events\.data .* too many values/],
      [(lines: Line[]) => void Object.assign(lines[1] as object, { table: MANY }), /damaged/],
    ] as const) {
      const content = await forged(change, many);
      assert.ok(content.length < 64 * 1024, `the file has ${content.length} bytes`);
      const answer = await importing(platform, content, { name: 'many' });
      assertInvalid(answer, 'file');
      assert.match(answer.body.details.errors[0].message, word);
    }
  });

  test('400: JSON that the service would not have stored is refused with the name of its column, whichever it is', async () => {
    const columns = (await findTables(here.db))
      .filter(isInFile)
      .flatMap(({ name, jsonColumns }) => jsonColumns.map((column) => [name, column]));
    const described = Object.entries(STORED_JSON).flatMap(([table, shapes]) => Object.keys(shapes).map((column) => [table, column]));
    assert.deepEqual(described.sort(), columns.sort(), 'every JSON column is described, and nothing else');
    for (const [table = '', column = ''] of columns)
      for (const value of [5, null, 'x', true, [5], [null]])
        assert.throws(
          () => checkStoredJson(table, column, value, () => null),
          (error: ApiError) => JSON.stringify(error.details).includes(`has a value of ${table}.${column} that does not fit`),
          `${table}.${column} ${JSON.stringify(value)}`,
        );
    const message = async (change: (lines: Line[]) => void): Promise<string> =>
      (await importing(platform, await forged(change), { name: 'shape' })).body?.details.errors[0].message;
    const profile = set('customers', 'profile', () => '{"fullName":5}');
    assert.match(await message(profile), /customers\.profile that does not fit: fullName must be string/);
    const business = (lines: Line[]) => {
      set('customers', 'customer_type', () => 'BUSINESS')(lines);
      set('customers', 'profile', () => '{}')(lines);
    };
    assert.match(await message(business), /customers\.profile that does not fit: businessInfo is required/);
  });

  race('409: two imports at once make no more snapshots than a platform may keep', async () => {
    const full = await here.newPlatform();
    for (let i = 1; i < MAX_SNAPSHOTS; i += 1) await expectStatus(201, full.post('/sandbox/snapshots', { name: `s${i}` }));
    const answers = await Promise.all(['x', 'y'].map((name) => importing(full, file, { name })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
    assert.equal((await snapshotsOf(full)).length, MAX_SNAPSHOTS);
  });

  test('a file without any row is an empty platform, which has the accounts of every platform', async () => {
    const empty = await here.newPlatform();
    await expectStatus(201, importing(empty, await forged((lines) => void lines.splice(1))));
    await restore(empty);
    await given(empty).fundedAccount('USD', 100);
    await assertLedgerHolds(here.db, await platformIdOf(here, empty));
  });

  test('neither limits of the operator nor the domain come from a file', async () => {
    const target = await here.newPlatform();
    const config = await expectStatus(200, target.get('/config'));
    const hostile = await forged(([header]) =>
      Object.assign(header?.['config'] as object, { umaDomain: 'bank.example', isRegulatedFinancialInstitution: true }),
    );
    await expectStatus(201, importing(target, hostile));
    await restore(target);
    const { umaDomain, isRegulatedFinancialInstitution } = await expectStatus(200, target.get('/config'));
    assert.deepEqual([umaDomain, isRegulatedFinancialInstitution], [config.umaDomain, false]);
  });

  test('404: a snapshot that is not there; 400: a short passphrase; 409: a name that is taken', async () => {
    assertRefused(await platform.post('/sandbox/snapshots/nothing/export', { passphrase }), 404, 'NOT_FOUND');
    assertInvalid(await platform.post('/sandbox/snapshots/report/export', { passphrase: 'short' }), 'passphrase');
    assertRefused(await importing(platform, file, { name: 'report' }), 409, 'CONFLICT');
  });

  test('the passphrase is in no log', async () => {
    assert.ok(!here.logged.join('').includes(passphrase));
    const { data } = await expectStatus(200, platform.get('/requests?operation=exportSandboxSnapshot&limit=1'));
    const { body } = await platform.get(`/requests/${data[0].id}`);
    assert.ok(!JSON.stringify(body).includes(passphrase));
  });
});
