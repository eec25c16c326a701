// Commands that are operations: flags, bodies, tables, JSON, errors, exit codes.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { operationHelp, overview } from '../../cli/help.js';
import { OWN } from '../../cli/own.js';
import { grid } from '../../cli/show.js';
import { childrenOf, loadTable } from '../../cli/table.js';
import { commandLine } from './command-line.js';
import { homeOf, run, stable } from './run.js';

const cli = commandLine();
const { home, sy, done } = cli;
let customer: string;
before(async () => {
  customer = (await cli.service.platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' })).body.id;
});

describe('lists', () => {
  test('into a pipe a list is the JSON of the page', async () => {
    const page = JSON.parse(await done('customers', 'list', '--limit', '1'));
    assert.deepEqual(Object.keys(page).sort(), ['data', 'hasMore', 'totalCount'].sort());
    assert.equal(page.data[0].id, customer);
  });

  test('as text it is a table with the columns that people look for', async () => {
    const rows = stable(await done('customers', 'list', '--no-json'))
      .trimEnd()
      .split('\n');
    assert.equal(rows[0]?.replaceAll(/ +/g, ' '), 'id fullName customerType kycStatus createdAt');
    assert.match(rows[1] ?? '', /^Customer:ID +Ada Lovelace +INDIVIDUAL +APPROVED +TIME$/);
  });

  test('--columns chooses, --jq-path prints one member, --all reads every page', async () => {
    for (const fullName of ['Grace Hopper', 'Edsger Dijkstra'])
      await cli.service.platform.post('/customers', { customerType: 'INDIVIDUAL', fullName });
    assert.match(await done('customers', 'list', '--columns', 'fullName,kycStatus'), /^fullName +kycStatus\n/);
    assert.equal((await done('customers', 'list', '--limit', '1', '--jq-path', 'data.0.customerType')).trim(), 'INDIVIDUAL');
    const one = await sy('customers', 'list', '--limit', '1', '--no-json');
    assert.match(one.err, /3 in all; --all for the rest/);
    assert.equal(JSON.parse(await done('customers', 'list', '--limit', '1', '--all')).data.length, 3);
  });
});

test('what a terminal would obey is written as text; a row stays one line', async () => {
  const fullName = 'Ada\x1b[2J\u009b31m\u202eecalevoL\nApproved';
  const { id } = JSON.parse(await done('customers', 'create', '--customer-type', 'INDIVIDUAL', '--full-name', fullName));
  const shown = 'Ada\\u001b[2J\\u009b31m\\u202eecalevoL';
  const list = await done('customers', 'list', '--no-json', '--columns', 'fullName,id');
  assert.ok(list.includes(`${shown} Approved  ${id}`), list);
  const record = await done('customers', 'get', id, '--no-json');
  assert.ok(record.includes(`${shown}\n`), record);
});

test('a table may have more rows than a function takes arguments', () => {
  const rows = Array.from({ length: 200_000 }, (_, at) => [String(at), 'x']);
  assert.equal(grid(rows).split('\n').at(-1), '199999  x');
});

describe('writes', () => {
  test('flags become the body: nested with dots, lists by repeating, null to take away', async () => {
    const accounts = (await cli.service.platform.get(`/customers/internal-accounts?customerId=${customer}&currency=USD`)).body.data;
    const curl = await done(
      'simulate',
      'authorization',
      'Card:1',
      '--amount',
      '1250',
      '--currency.code',
      'USD',
      '--merchant.descriptor',
      'CORNER SHOP',
      '--dry-run',
      '--idempotency-key',
      'k',
    );
    assert.ok(
      curl.includes(`-d '${JSON.stringify({ amount: 1250, currency: { code: 'USD' }, merchant: { descriptor: 'CORNER SHOP' } })}'`),
      curl,
    );
    assert.ok(curl.includes("-H 'idempotency-key: k'"), curl);
    assert.ok(!curl.includes(cli.service.platform.secret), 'the token is not shown');
    const created = JSON.parse(
      await done(
        'customers',
        'create',
        '--customer-type',
        'INDIVIDUAL',
        '--full-name',
        'Ada',
        '--currencies',
        'USD',
        '--currencies',
        'USDB',
      ),
    );
    assert.equal(created.fullName, 'Ada');
    assert.match(await done('cards', 'update', 'Card:1', '--max-spend-per-day', 'null', '--dry-run'), /"maxSpendPerDay":null/);
    const open = await done('quotes', 'create', '--sender-customer-info', '{"BIRTH_DATE":"1990-12-09"}', '--dry-run');
    assert.match(open, /"senderCustomerInfo":\{"BIRTH_DATE":"1990-12-09"\}/, 'an object without named members is given as JSON');
    const funded = JSON.parse(await done('sandbox', 'internal-accounts', 'fund', accounts[0].id, '--amount', '10000'));
    assert.equal(funded.balance.amount, 10_000);
    const more = await done('sandbox', 'internal-accounts', 'fund', accounts[0].id, '--amount', '2550', '--no-json');
    assert.match(more, /^balance +100\.00 USD → 125\.50 USD$/m, 'a deposit shows what it changed');
  });

  test('--dry-run sends nothing, whatever the command, and prints every header', async () => {
    const before = await done('clock', '--jq-path', 'frozen');
    assert.match(await done('clock', 'freeze', '--dry-run'), /^curl -s -X PUT .*-d '\{"frozen":true\}' \S+\/sandbox\/clock\n$/);
    assert.equal(await done('clock', '--jq-path', 'frozen'), before);
    const file = join(home, 'fixture.yaml');
    writeFileSync(file, 'steps: []\n');
    assert.match(await done('fixtures', 'apply', file, '--dry-run'), /^curl -s -X POST .*-H 'content-type: application\/yaml'/);
    assert.match(await done('trigger', 'customer.approved', '--dry-run'), /^curl -s /);
    const folder = join(home, 'papers');
    mkdirSync(folder, { recursive: true });
    const passport = join(folder, 'passport.pdf');
    writeFileSync(passport, '%PDF-1.4');
    const upload = await done(
      'documents',
      'upload',
      '--document-holder',
      'Customer:1',
      '--file',
      passport,
      '--country',
      '@home',
      '--dry-run',
    );
    assert.ok(upload.includes(`-F 'file=@${passport};type=application/pdf'`), upload);
    assert.ok(upload.includes('--form-string country=@home'), upload);
    const header = ['--header', 'Request-Id: Request:1', '--dry-run'];
    for (const command of [
      ['cards', 'update', 'Card:1', '--status', 'FROZEN'],
      ['api', 'PATCH', '/cards/Card:1', '-d', '{}'],
    ])
      assert.match(await done(...command, ...header), /-H 'request-id: Request:1'/);
  });

  test('a flag without a value leaves the next flag alone', async () => {
    const curl = await done('webhooks', 'replay', '--since', '2026-01-01T00:00:00Z', '--undelivered-only', '--dry-run');
    assert.match(curl, /"undeliveredOnly":true/);
  });

  test('-d takes JSON, a file or standard input; flags win over it', async () => {
    const file = join(home, 'body.json');
    writeFileSync(file, JSON.stringify({ customerType: 'INDIVIDUAL', fullName: 'From a file' }));
    assert.equal(JSON.parse(await done('customers', 'create', '-d', `@${file}`)).fullName, 'From a file');
    assert.equal(JSON.parse(await done('customers', 'create', '-d', `@${file}`, '--full-name', 'From a flag')).fullName, 'From a flag');
    const piped = await run(['customers', 'create', '-d', '-'], cli.env, { input: '{"customerType":"INDIVIDUAL","fullName":"Piped"}' });
    assert.equal(JSON.parse(piped.out).fullName, 'Piped');
  });

  test('a change shows what it changed', async () => {
    const text = await done('customers', 'update', customer, '--customer-type', 'INDIVIDUAL', '--nationality', 'GB', '--no-json');
    assert.match(text, /^nationality +none → GB$/m);
  });

  test('a document is uploaded from a file', async () => {
    const file = join(home, 'passport.pdf');
    writeFileSync(file, '%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n');
    const document = JSON.parse(
      await done(
        'documents',
        'upload',
        '--file',
        file,
        '--document-type',
        'PASSPORT',
        '--country',
        'GB',
        '--document-number',
        '1',
        '--issuing-authority',
        'HMPO',
        '--document-holder',
        customer,
      ),
    );
    assert.equal(document.documentType, 'PASSPORT');
  });

  test('what is deleted is asked for, and without a terminal needs --yes', async () => {
    const { body } = await cli.service.platform.post('/tokens', { name: 'spare', permissions: ['VIEW'] });
    const refused = await sy('tokens', 'delete', body.id);
    assert.deepEqual([refused.code, /Add --yes/.test(refused.err)], [2, true]);
    await done('tokens', 'delete', body.id, '--yes');
    assert.equal((await cli.service.platform.get(`/tokens/${body.id}`)).status, 404);
  });
});

describe('exit codes', () => {
  test('1: refused, with code, reason and request', async () => {
    const { code, out, err } = await sy('customers', 'get', 'Customer:nope');
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /^404 CUSTOMER_NOT_FOUND: .+ {2}\(request [0-9a-f-]{36}\)\n$/);
  });

  test('1: the fields of a bad request are named as flags', async () => {
    const { code, err } = await sy('cards', 'create', '--customer-id', customer);
    assert.equal(code, 1);
    assert.match(err, /^400 INVALID_INPUT/);
    assert.match(err, /^ {2}--form: /m);
    assert.match(err, /^ {2}--funding-source: /m);
  });

  test('1: a value that is not one of a list is told the list', async () => {
    const { err } = await sy('cards', 'create', '--customer-id', customer, '--funding-source', 'x', '--form', 'PAPER');
    assert.match(err, /^ {2}--form: must be equal to one of the allowed values: VIRTUAL$/m);
  });

  for (const [name, args, message] of [
    ['an unknown command', ['custmers', 'list'], /Unknown command: switchyard custmers\. Did you mean customers\?/],
    ['a command of other tools', ['login'], /Unknown command: switchyard login\. Did you mean profile save\?/],
    ['half a command', ['customers'], /not a whole command\. Possible: .*create/],
    ['an unknown flag', ['customers', 'list', '--limt', '2'], /unknown flag --limt\. Did you mean --limit\?/],
    ['a missing id', ['customers', 'get'], /missing: CUSTOMERID/],
    ['an id too many', ['customers', 'get', 'a', 'b'], /not expected: b/],
    ['an id that is a step of a path', ['customers', 'get', '..'], /\.\. is no id/],
    ['a number that is none', ['customers', 'list', '--limit', 'two'], /--limit must be a number/],
    ['a flag without its value', ['customers', 'list', '--limit'], /--limit needs a value/],
    ['a body that is no JSON', ['customers', 'create', '-d', '{'], /-d is no JSON/],
    ['a URL that is none', ['customers', 'list', '--url', 'http://127.0.0.1:99999/2025-10-13'], /not a URL: http:\/\/127\.0\.0\.1:99999/],
    ['a URL without a host', ['doctor', '--url', 'http://'], /not a URL: http:\/\//],
    ['an unknown flag of a tool', ['doctor', '--fast', 'x'], /unknown flag --fast/],
  ] as const)
    test(`2: ${name}`, async () => {
      const { code, err, out } = await sy(...args);
      assert.match(err, message);
      assert.deepEqual([code, out], [2, '']);
    });

  test('3: not configured', async () => {
    const { code, err } = await run(['customers', 'list'], homeOf(home));
    assert.equal(code, 3);
    assert.match(err, /npm start/);
  });

  test('4: no answer', async () => {
    const { code, err } = await run(['customers', 'list'], { ...cli.env, SWITCHYARD_URL: 'http://127.0.0.1:1/2025-10-13' });
    assert.equal(code, 4);
    assert.match(err, /No answer from http:\/\/127\.0\.0\.1:1/);
  });

  test('4: a page for browsers is not the list that was asked for', async () => {
    const { code, out, err } = await run(['customers', 'list'], {
      ...cli.env,
      SWITCHYARD_URL: `${new URL(cli.service.baseUrl).origin}/docs`,
    });
    assert.deepEqual([code, out], [4, '']);
    assert.match(err, /^What came from http:\S+\/docs is no list\. Is it the service\?$/m);
  });

  test('5: the service failed, also with the exchange on standard error', async () => {
    const platform = await cli.service.newPlatform();
    const fault = { kind: 'ANSWER', operation: 'getPlatformConfig', code: 'INTERNAL_ERROR' };
    await platform.put('/sandbox/faults', { faults: [fault] });
    const { code, out, err } = await cli.as(platform, 'config', 'get', '--verbose');
    assert.deepEqual([code, out], [5, '']);
    assert.match(err, /^> GET http:\S+\/config\n< 500 in \d+ ms, request [0-9a-f-]{36}\n500 INTERNAL_ERROR: /);
    assert.ok(!err.includes(platform.secret), 'the token is not shown');
  });
});

test('where and who: flags win over the environment, it over .data/sandbox.env, that over the default profile', async () => {
  const { baseUrl, platform } = cli.service;
  const other = await cli.service.newPlatform();
  const folder = mkdtempSync(join(home, 'order-'));
  const own = homeOf(join(folder, 'home'));
  const whose = async (args: string[], env: Record<string, string>): Promise<string> => {
    const { out, err } = await run(['tokens', 'list', ...args], { ...own, ...env }, { cwd: folder });
    return JSON.parse(out || assert.fail(err)).data[0].clientId;
  };
  const tokenOf = ({ tokenId, secret }: { tokenId: string; secret: string }) => ({
    SWITCHYARD_URL: baseUrl,
    SWITCHYARD_TOKEN_ID: tokenId,
    SWITCHYARD_TOKEN_SECRET: secret,
  });
  mkdirSync(join(folder, 'home'));
  assert.equal((await run(['profile', 'save', 'default'], { ...own, ...tokenOf(platform) }, { cwd: folder })).code, 0);
  assert.equal(await whose([], {}), platform.tokenId, 'the default profile');
  mkdirSync(join(folder, '.data'));
  const stored = Object.entries(tokenOf(other)).map(([name, value]) => `export ${name}='${value}'\n`);
  writeFileSync(join(folder, '.data/sandbox.env'), stored.join(''));
  assert.equal(await whose([], {}), other.tokenId, 'the file');
  assert.equal(await whose([], tokenOf(platform)), platform.tokenId, 'the environment');
  assert.equal(await whose(['--token', `${other.tokenId}:${other.secret}`], tokenOf(platform)), other.tokenId, 'the flag');
  assert.equal(await whose(['--profile', 'default'], tokenOf(other)), platform.tokenId, 'a profile that is named');
  assert.equal((await run(['profile', 'remove', 'default'], own, { cwd: folder })).code, 0);
  assert.equal((await run(['config', 'get', '--profile', 'default'], own, { cwd: folder })).code, 2);
});

test('settings: a token as a flag is warned about; .data/sandbox.env is found upward; a profile is kept for its owner alone', async () => {
  const flagged = await run(
    ['config', 'get', '--url', cli.service.baseUrl, '--token', `${cli.service.platform.tokenId}:${cli.service.platform.secret}`],
    homeOf(home),
  );
  assert.equal(flagged.code, 0, flagged.err);
  assert.match(flagged.err, /seen by other users/);

  mkdirSync(join(home, 'project/.data'), { recursive: true });
  mkdirSync(join(home, 'project/deep/er'), { recursive: true });
  const { tokenId, secret } = cli.service.platform;
  writeFileSync(
    join(home, 'project/.data/sandbox.env'),
    `export SWITCHYARD_URL='${cli.service.baseUrl}'\nexport SWITCHYARD_TOKEN_ID='${tokenId}'\nexport SWITCHYARD_TOKEN_SECRET='${secret}'\n`,
  );
  assert.equal((await run(['config', 'get'], homeOf(home), { cwd: join(home, 'project/deep/er') })).code, 0);

  assert.equal((await sy('profile', 'save', 'work')).code, 0);
  assert.equal(statSync(join(home, '.config/switchyard/profiles.json')).mode & 0o777, 0o600);
  assert.equal((await run(['config', 'get', '--profile', 'work'], homeOf(home))).code, 0);
  assert.match((await run(['profile', 'list'], homeOf(home))).out, /work/);
});

test('settings: a file that cannot be read is named, and is not read where flags or the environment say everything', async () => {
  const folder = mkdtempSync(join(home, 'broken-'));
  const profiles = join(folder, '.config/switchyard/profiles.json');
  mkdirSync(join(folder, '.config/switchyard'), { recursive: true });
  writeFileSync(profiles, '{"default": ');
  for (const args of [
    ['customers', 'list'],
    ['customers', 'list', '--profile', 'work'],
    ['profile', 'list'],
  ]) {
    const { code, err } = await run(args, homeOf(folder));
    assert.deepEqual([code, err.startsWith(`cannot read ${profiles}: `)], [3, true], err);
  }
  // A folder cannot be read as a file by anybody, whoever runs the tests.
  mkdirSync(join(folder, '.data/sandbox.env'), { recursive: true });
  const { code, err } = await run(['customers', 'list'], homeOf(folder));
  assert.deepEqual([code, err.startsWith(`cannot read ${join(folder, '.data/sandbox.env')}: `)], [3, true], err);
  assert.equal((await run(['customers', 'list'], { ...cli.env, ...homeOf(folder) })).code, 0);
});

test('`api` with --all gives every page', async () => {
  const platform = await cli.service.newPlatform();
  for (const fullName of ['Ada', 'Grace', 'Mary']) await platform.post('/customers', { customerType: 'INDIVIDUAL', fullName });
  const { out } = await cli.as(platform, 'api', 'GET', '/customers?limit=2', '--all');
  assert.equal(JSON.parse(out).data.length, 3);
});

test('--spec reads the commands of a service; `api` calls any path', async () => {
  const { url } = cli.service;
  assert.equal(JSON.parse(await done('customers', 'get', customer, '--spec', `${url}/openapi.json`)).id, customer);
  assert.equal(JSON.parse(await done('api', 'GET', `/customers/${customer}`)).id, customer);
});

describe('help', () => {
  test('every operation has a command and help that names its flags and its path', async () => {
    const table = loadTable();
    assert.equal(await done('--help'), `${overview(table, OWN)}\n`, 'what the build wrote is the help of this table');
    assert.ok(table.commands.length > 140);
    for (const operation of childrenOf(table, [])) {
      const text = operationHelp(table, operation, undefined);
      assert.ok(text.includes(`${operation.method} ${operation.path}`), operation.command);
      assert.ok(text.includes(`switchyard ${operation.command}`), operation.command);
    }
  });

  test('texts of flags begin near the left, however long another flag is', async () => {
    const table = loadTable();
    for (const operation of childrenOf(table, [])) {
      const texts = operationHelp(table, operation, undefined)
        .split('\n')
        .flatMap((line) => (/^ {2}(?:--| )/.test(line) ? [/^ *(?:--.*?)? {2,}(?=\S)/.exec(line)?.[0].length ?? 0] : []));
      assert.ok(Math.max(0, ...texts) <= 56, `${operation.command}: ${Math.max(...texts)}`);
    }
  });

  test('help is also asked for behind the ids and words of a command', async () => {
    for (const words of [
      ['customers', 'get', 'Customer:1'],
      ['trigger', 'card.declined'],
      ['clock', 'advance', '1d'],
      ['requests', 'get', 'x'],
    ])
      assert.equal(await done(...words, '--help'), await done(...words.slice(0, -1), '--help'), words.join(' '));
    assert.equal((await sy('customers', 'get', 'a', 'b', '--help')).code, 2);
  });

  test('2: a flag that nothing takes is not answered with help', async () => {
    const { code, out, err } = await sy('--bogus');
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /^unknown flag --bogus;/);
  });

  test('`help` before a command is its help', async () => {
    assert.equal(await done('help'), await done('--help'));
    assert.equal(await done('help', 'cards', 'update'), await done('cards', 'update', '--help'));
  });

  test('of everything, of a noun, and of one command', async () => {
    assert.match(await done('--help'), /customers/);
    assert.match(await done('cards', '--help'), /switchyard cards reveal ID/);
    const one = await done('cards', 'update', '--help');
    assert.match(one, /--status ACTIVE\|FROZEN\|CLOSED/);
    const [, page = ''] = /PATCH \/cards\/\{id\} .* docs: (\S+)#updateCardById$/m.exec(one) ?? [];
    assert.match(await (await fetch(page)).text(), /id="updateCardById"/, 'help leads to the place of the operation');
    assert.match(await done('listen', '--help'), /--forward-to URL/);
    assert.match(await done('--version'), /^\d+\.\d+\.\d+\n$/);
  });
});
