// The commands that are written by hand: clock, wallet, sign, keys, listen, trigger, webhooks verify, logs, requests get, console, doctor,
// completion.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { byObject } from '../../cli/commands/listen.js';
import { readRecipes } from '../../cli/commands/trigger.js';
import { startReceiver } from '../../src/testing.js';
import { commandLine } from './command-line.js';
import { environmentOf, MAIN, run, stable } from './run.js';

const cli = commandLine();
const { home, sy, done } = cli;
const newCustomer = async (fullName = 'Ada Lovelace') =>
  (await cli.service.platform.post('/customers', { customerType: 'INDIVIDUAL', fullName, email: 'ada@example.com' })).body.id as string;

describe('clock', () => {
  test('is shown, frozen, moved and resumed', async () => {
    assert.match(await done('clock', '--no-json'), /^\S+Z {2}running\n$/);
    assert.match(await done('clock', 'freeze', '2031-03-12T15:00Z', '--no-json'), /^2031-03-12T15:00:00\.000Z {2}frozen/);
    assert.match(await done('clock', 'advance', '1d', '--no-json'), /^2031-03-13T15:00:00\.000Z {2}frozen/);
    assert.equal(JSON.parse(await done('clock', 'resume')).frozen, false);
    await cli.service.platform.clock.set(new Date());
  });

  test('what is no time or duration is a mistake of usage', async () => {
    assert.equal((await sy('clock', 'advance', 'soon')).code, 2);
    assert.equal((await sy('clock', 'freeze', 'never')).code, 2);
  });
});

test('2: a file that is no wallet is named', async () => {
  const file = join(home, 'no-wallet.json');
  for (const content of ['{}', '{"chain":"doge","privateKey":"0x12"}', '{"chain":"solana","privateKey":"zz"}']) {
    writeFileSync(file, content);
    const { code, err } = await sy('wallet', 'sign', file, 'hello');
    assert.deepEqual([code, err], [2, `${file} is no wallet: \`switchyard wallet new\` makes one\n`]);
  }
});

describe('2: a word that a command does not take', () => {
  test('a mistake in `clock freeze` names it, and does not show the clock as if it were done', async () => {
    assert.match((await sy('clock', 'frezze')).err, /Unknown command: switchyard sandbox clock frezze\. Did you mean freeze\?/);
  });

  test('the second word of a message without quotes is not left out of what is signed', async () => {
    const file = join(home, 'words.json');
    await done('wallet', 'new', 'ethereum', '--out', file);
    const { code, out, err } = await sy('wallet', 'sign', file, 'hello', 'world');
    assert.deepEqual([code, out, err], [2, '', 'not expected: world\nusage: switchyard wallet sign WALLET_FILE MESSAGE\n']);
  });

  test('the clock does not move', async () => {
    await done('clock', 'freeze', '2031-03-12T15:00Z');
    assert.equal((await sy('clock', 'advance', '1', 'day')).code, 2);
    assert.equal((await sy('clock', 'advance', '1h', '30m')).code, 2);
    assert.match(await done('clock', '--no-json'), /^2031-03-12T15:00:00\.000Z {2}frozen/);
    await done('clock', 'resume');
    await cli.service.platform.clock.set(new Date());
  });

  for (const words of [['doctor'], ['listen'], ['console'], ['profile', 'list'], ['sign', 'key'], ['trigger', 'customer.approved']])
    test(`\`${words.join(' ')} more\``, async () => assert.match((await sy(...words, 'more')).err, /^not expected: more$/m));
});

test('a wallet is made, kept for its owner alone, and proves an account', async () => {
  const customerId = await newCustomer();
  const file = join(home, 'wallet.json');
  const { accountType, address, privateKey } = JSON.parse(await done('wallet', 'new', 'ethereum', '--out', file));
  assert.equal(privateKey, undefined, 'the key is not shown');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const account = JSON.parse(
    await done(
      ...['customers', 'external-accounts', 'create', '--customer-id', customerId, '--currency', 'USDC', '--ownership-type', 'FIRST_PARTY'],
      ...['--account-info.account-type', accountType, '--account-info.address', address],
    ),
  );
  assert.equal(await done('wallet', 'verify', account.id, '--wallet', file, '--no-json'), `${account.status} → ACTIVE\n`);
  assert.match(await done('wallet', 'sign', file, 'hello'), /^0x[0-9a-f]{130}\n$/);
});

test('sign in, then every leg of a delegated key in one command', async () => {
  const customerId = await newCustomer();
  const account = (await cli.service.platform.get(`/customers/internal-accounts?customerId=${customerId}&currency=USDB`)).body.data[0].id;
  const session = join(home, 'session.json');
  assert.match(
    stable(await done('sign', 'in', account, '--otp', '000000', '--out', session, '--no-json')),
    /^Session:…ID, until TIME, in /,
  );
  assert.equal(statSync(session).mode & 0o777, 0o600);
  const card = JSON.parse(await done('cards', 'create', '--customer-id', customerId, '--form', 'VIRTUAL', '--funding-source', account)).id;
  const create = ['keys', 'create', '--card-id', card, '--internal-account-id', account, '--nickname', 'Groceries'];
  const unsigned = await sy(...create);
  assert.deepEqual([unsigned.code, /sign in/.test(unsigned.err)], [1, true]);
  const { code, out, err } = await sy(...create, '--session', session);
  assert.equal(code, 0, err);
  assert.equal(err, 'leg 1 asked\nleg 2 signed\nleg 3 signed\n');
  assert.equal(JSON.parse(out).status, 'ACTIVE');
});

/** A command that runs until it is stopped. */
function start(...args: string[]): { child: ChildProcess; text: () => string; until(fits: RegExp): Promise<string> } {
  const child = spawn(process.execPath, [MAIN, ...args], { env: cli.env, cwd: home });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const until = async (fits: RegExp): Promise<string> => {
    const ended = once(child, 'close').then(() => fits.test(text) || assert.fail(text));
    while (!fits.test(text)) await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended]);
    return text;
  };
  return { child, text: () => text, until };
}

describe('listen', () => {
  test('forwards with a signature that Standard Webhooks libraries verify, repeats what is refused, and ends with 130', async () => {
    const received: { body: string; headers: Record<string, string> }[] = [];
    const receiver = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      received.push({ body, headers: request.headers as Record<string, string> });
      response.writeHead(received.length === 1 ? 503 : 200).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const listening = start(
      'listen',
      '--forward-to',
      `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`,
      '--no-json',
      '--types',
      'CUSTOMER.*',
    );
    await listening.until(/Listening; .*secret whsec_/);
    await newCustomer();
    await listening.until(
      /CUSTOMER\.KYC_APPROVED Customer:…\w{6} → 503 again in \d s\n[^\n]*CUSTOMER\.KYC_APPROVED Customer:…\w{6} → 200 in \d+ ms/,
    );
    assert.equal(received[0]?.body, received[1]?.body, 'a repeat has the same body');
    const [secret = ''] = /whsec_\S+/.exec(listening.text()) ?? [];
    assert.ok(new Webhook(secret).verify(received[0]?.body ?? '', received[0]?.headers ?? {}));
    listening.child.kill('SIGINT');
    const [code] = await once(listening.child, 'exit');
    assert.equal(code, 130);
    receiver.close();
  });

  test("first attempts of one object's events are made one after the other, and a repeat holds nothing up", async () => {
    const turnOf = byObject();
    const made: string[] = [];
    const [one, two, other] = [turnOf('Card:1'), turnOf('Card:1'), turnOf('Card:2')];
    const all = [one, two, other].map(({ turn }, i) => turn.then(() => void made.push(String(i))));
    await all[2];
    assert.deepEqual(made, ['0', '2']);
    one.next();
    await all[1];
    assert.deepEqual(made, ['0', '2', '1']);
  });

  test('what the receiver has not taken comes again with the next run', async () => {
    let status = 503;
    const received: string[] = [];
    const receiver = createServer(async (request, response) => {
      received.push(JSON.parse(Buffer.concat(await request.toArray()).toString()).data.id);
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const args = ['--forward-to', `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`, '--types', 'CUSTOMER.KYC_APPROVED'];
    const listening = start('listen', ...args, '--from', 'now', '--no-json');
    await listening.until(/Listening/);
    const id = await newCustomer('Refused');
    await listening.until(/→ 503/);
    listening.child.kill('SIGINT');
    await once(listening.child, 'exit');
    status = 200;
    received.length = 0;
    await done('listen', ...args, '--count', '1', '--timeout', '20s');
    assert.deepEqual(received, [id]);
    receiver.close();
  });

  test('goes on where the last run ended; --since begins earlier; --count ends it', async () => {
    const later = [await newCustomer('One'), await newCustomer('Two')];
    const resumed = (await done('listen', '--print-only', '--types', 'CUSTOMER.KYC_APPROVED', '--count', '2', '--timeout', '20s'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).data.id);
    assert.deepEqual(resumed, later);
    const since = (await done('listen', '--print-only', '--types', 'CUSTOMER.KYC_*', '--since', '1h', '--count', '3', '--timeout', '20s'))
      .trim()
      .split('\n');
    assert.equal(since.length, 3);
  });

  test('6: waited in vain', async () => {
    assert.equal((await sy('listen', '--from', 'now', '--count', '1', '--timeout', '300ms')).code, 6);
  });
});

describe('trigger', () => {
  test('--list names every recipe', async () => {
    const text = await done('trigger', '--list', '--no-json');
    for (const { name } of readRecipes()) assert.ok(text.includes(name), name);
  });

  for (const { name, event } of readRecipes().filter((recipe) => recipe.name !== 'webhook.test'))
    test(`${name} makes ${event?.type}`, { timeout: 60_000 }, async () => {
      const result = JSON.parse(await done('trigger', name));
      assert.equal(result.event.type, event?.type);
    });

  test('uses the object that is given', async () => {
    const { values } = JSON.parse(await done('trigger', 'card.issued'));
    const { code, out } = await sy('trigger', 'card.declined', '--card', values.card, '--no-json');
    assert.equal(code, 0);
    assert.match(
      stable(out),
      /^1 authorization of 1250 minor units at "TEST 002"\n2 transaction Transaction:ID\nCARD_TRANSACTION\.DECLINED: INSUFFICIENT_FUNDS {2}Webhook:ID\n$/,
    );
  });

  test('2: an unknown recipe or input', async () => {
    assert.match((await sy('trigger', 'card.decline')).err, /Did you mean card\.declined/);
    assert.equal((await sy('trigger', 'card.declined', '--cart', 'x')).code, 2);
  });
});

test('webhooks verify says VALID, or why not', async () => {
  const receiver = await startReceiver();
  await cli.service.platform.patch('/config', { webhookEndpoint: receiver.url });
  const id = await newCustomer();
  const event = await receiver.event(({ data }) => data['id'] === id);
  await receiver.stop();
  const [body, changed, headers] = ['body.json', 'changed.json', 'headers.txt'].map((name) => join(home, name)) as [string, string, string];
  writeFileSync(body, event.rawBody);
  writeFileSync(changed, JSON.stringify(JSON.parse(event.rawBody), null, 2));
  writeFileSync(
    headers,
    Object.entries(event.headers)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(''),
  );
  assert.match(await done('webhooks', 'verify', body, '--headers', headers, '--no-json'), /^VALID: CUSTOMER\.KYC_APPROVED Webhook:/);
  const { code, err } = await sy('webhooks', 'verify', changed, '--headers', headers, '--no-json');
  assert.equal(code, 1);
  assert.match(
    stable(err),
    /^NOT VALID: body differs from what was signed: it was parsed and written again; pass the raw bytes as received; key \S+ is current\n$/,
  );
});

test('doctor names a wrong endpoint and a wrong token', async () => {
  const receiver = await startReceiver();
  await cli.service.platform.patch('/config', { webhookEndpoint: receiver.url });
  await receiver.stop();
  const { code, out } = await sy('doctor', '--no-json');
  assert.equal(code, 1);
  assert.match(out, /^ok +service \d+\.\d+\.\d+ sandbox/m);
  assert.match(out, /^ok +token \S+: /m);
  assert.ok(out.includes(`WRONG webhook endpoint ${receiver.url} refuses connections`), out);
  const stranger = await run(['doctor', '--no-json'], { ...cli.env, SWITCHYARD_TOKEN_SECRET: 'wrong' });
  assert.match(stranger.out, /^WRONG token \S+ is refused: INVALID_CREDENTIALS/m);
});

describe('completion', () => {
  const complete = async (...words: string[]) => (await done('__complete', ...words)).split('\n').filter((line) => line !== '');

  test('completes commands, flags, values and the ids of the last listing', async () => {
    assert.deepEqual(await complete('custom'), ['customers']);
    assert.ok((await complete('cards', '')).includes('reveal'));
    assert.ok((await complete('cards', 'update', 'Card:1', '--max')).includes('--max-spend-per-day'));
    assert.deepEqual(await complete('cards', 'update', 'Card:1', '--status', 'FR'), ['FROZEN']);
    const id = await newCustomer();
    await done('customers', 'list');
    assert.ok((await complete('customers', 'get', 'Customer:')).includes(id));
  });

  for (const shell of ['bash', 'zsh', 'fish'])
    test(`${shell}: the script is printed, and reads where ${shell} is installed`, async () => {
      const script = await done('completion', shell);
      assert.match(script, /switchyard __complete/);
      const checked = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' });
      if (checked.error === undefined) assert.equal(checked.status, 0, checked.stderr);
    });

  test('2: another shell', async () => assert.equal((await sy('completion', 'tcsh')).code, 2));
});

test('a closed pipe ends a command quietly', async () => {
  for (let i = 0; i < 3; i += 1) await newCustomer(`Piped ${i}`);
  const child = spawn('bash', ['-o', 'pipefail', '-c', `"${process.execPath}" "${MAIN}" customers list --all | head -c 10`], {
    env: cli.env,
    cwd: home,
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const [status] = await once(child, 'close');
  assert.deepEqual([status, stderr], [0, '']);
});

/** On a terminal, which `script` provides. */
function onTerminal(input: string, ...args: string[]): Promise<{ code: number | null; text: string }> {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: { ...cli.env, TERM: 'xterm', COLUMNS: '100' }, cwd: home });
  let text = '';
  let isAsked = false;
  child.stdout.on('data', (chunk) => {
    text += chunk;
    if (isAsked || !text.includes('[y/N]')) return;
    isAsked = true;
    child.stdin.write(input);
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, text })));
}
const hasScript = spawnSync('script', ['--version']).error === undefined;

describe('on a terminal', { timeout: 60_000, skip: hasScript ? false : 'script (util-linux) is not installed' }, () => {
  test('a list is a table; --json is JSON', async () => {
    await newCustomer();
    assert.match((await onTerminal('', 'customers', 'list')).text, /fullName +customerType/);
    assert.ok(JSON.parse((await onTerminal('', 'customers', 'list', '--json')).text).data.length > 0);
  });

  test('what is deleted is asked for first', async () => {
    const { body } = await cli.service.platform.post('/tokens', { name: 'spare', permissions: ['VIEW'] });
    const kept = await onTerminal('n\n', 'tokens', 'delete', body.id);
    assert.deepEqual([kept.code, /Nothing was changed/.test(kept.text)], [1, true], kept.text);
    assert.equal((await cli.service.platform.get(`/tokens/${body.id}`)).status, 200);
    const deleted = await onTerminal('y\n', 'tokens', 'delete', body.id);
    assert.equal(deleted.code, 0, deleted.text);
    assert.equal((await cli.service.platform.get(`/tokens/${body.id}`)).status, 404);
  });

  test('a simulated authorization shows what became of it', async () => {
    const { values } = JSON.parse(await done('trigger', 'card.issued'));
    const args = [
      'simulate',
      'authorization',
      values.card,
      '--amount',
      '1250',
      '--currency.code',
      'USD',
      '--merchant.descriptor',
      'CORNER SHOP',
    ];
    assert.match((await onTerminal('', ...args)).text, /^AUTHORIZED {2}Transaction:…\w{6} {2}12\.50 USD/);
  });
});

describe('logs tail and streams', () => {
  const nowhere = () => ({ ...cli.env, SWITCHYARD_URL: 'http://127.0.0.1:1/2025-10-13' });
  for (const words of [
    ['logs', 'tail'],
    ['events', 'stream'],
    ['requests', 'stream'],
  ])
    test(`4: ${words.join(' ')} of a service that does not answer`, { timeout: 30_000 }, async () =>
      assert.equal((await run(words, nowhere())).code, 4),
    );

  test('--jq-path takes a member of each message', { timeout: 30_000 }, async () => {
    const { id } = (await cli.service.platform.get('/webhooks/events?limit=1')).body.data[0];
    const streaming = start('events', 'stream', '--last-event-id', id, '--jq-path', 'data.fullName');
    const sending = setInterval(() => void newCustomer('Streamed Person'), 200);
    assert.match(await streaming.until(/^Streamed Person\n/m).finally(() => clearInterval(sending)), /^Streamed Person\n/m);
    streaming.child.kill();
  });

  test('1: a filter that cannot be read is named', async () =>
    assert.match((await sy('logs', 'tail', '--status', 'xyz')).err, /^400 INVALID_INPUT.*\n {2}--status: /m));
});

test('logs tail shows the requests as they end, with their bodies', { timeout: 60_000 }, async () => {
  const following = start('logs', 'tail', '--status', '4xx', '--operation', 'createCustomer', '--bodies', '--no-json', '--count', '1');
  await following.until(/Following/);
  // The stream begins when it is open, which the command does not say.
  const sending = setInterval(() => void cli.service.platform.post('/customers', { customerType: 'ROBOT' }), 200);
  const text = await following.until(/req /).finally(() => clearInterval(sending));
  assert.match(
    text,
    /^\d\d:\d\d:\d\d 400 createCustomer \d+ ms INVALID_INPUT req [0-9a-f-]{36}\n {2}> \{"customerType":"ROBOT"\}\n {2}< \{"code":"INVALID_INPUT"/m,
  );
  const [code] = following.child.exitCode === null ? await once(following.child, 'exit') : [following.child.exitCode];
  assert.equal(code, 0);
});

describe('requests get --trace', () => {
  /** The log is written beside the transaction, so a request is found a moment later. */
  const traceOf = async (id: string, isDone: (out: string) => boolean): Promise<string> => {
    for (;;) {
      const { code, out, err } = await sy('requests', 'get', id, '--trace', '--no-json');
      if (code === 0 && isDone(out)) return out;
      assert.ok(code === 0 || /NOT_FOUND/.test(err), err);
    }
  };

  test('shows what a request touched, the event that it made and its delivery', { timeout: 60_000 }, async () => {
    const receiver = await startReceiver();
    await cli.service.platform.patch('/config', { webhookEndpoint: receiver.url });
    const created = await cli.service.platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Traced' });
    await receiver.event(({ data }) => data['id'] === created.body.id);
    const requestId = String(created.headers.get('x-request-id'));
    const text = stable(await traceOf(requestId, (out) => / delivered, /.test(out)));
    await receiver.stop();
    assert.match(
      text,
      /^TIME 201 createCustomer in \d+ ms\n {2}POST \/customers\n {2}touched Customer:ID.*\n {2}→ CUSTOMER\.KYC_APPROVED Customer:…ID APPROVED {2}Webhook:ID\n {6}delivered, attempt 1 200 in \d+ ms\n$/,
    );
    const { request, events } = JSON.parse(await done('requests', 'get', requestId, '--trace'));
    assert.deepEqual([request.id, events[0].cause.requestId], [requestId, requestId]);
    assert.equal(JSON.parse(await done('requests', 'get', requestId)).operation, 'createCustomer', 'without --trace it is the operation');
  });

  test('says why an event was not sent, and that a refused request made none', { timeout: 60_000 }, async () => {
    const other = await cli.service.newPlatform();
    const theirs = environmentOf({ baseUrl: cli.service.baseUrl, platform: other }, home);
    const [created, refused] = [
      await other.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Unsent' }),
      await other.post('/customers', { customerType: 'ROBOT' }),
    ].map(({ headers }) => String(headers.get('x-request-id'))) as [string, string];
    const trace = async (id: string): Promise<string> => {
      for (;;) {
        const { code, out } = await run(['requests', 'get', id, '--trace', '--no-json'], theirs);
        if (code === 0) return out;
      }
    };
    assert.match(await trace(created), /was not sent: the platform had no endpoint\n$/);
    assert.match(await trace(refused), / 400 INVALID_INPUT createCustomer in \d+ ms\n {2}POST \/customers\n {2}made no event\n$/);
  });

  test('help names it', async () => assert.match(await done('requests', 'get', '--help'), /requests get ID \[--trace\]/));
});

test('console prints a link that signs in once, as the token in use', async () => {
  const { out, err, code } = await sy('console', '--no-json');
  assert.deepEqual([code, /^It signs in once, until \S+Z\.\n$/.test(err)], [0, true], err);
  const link = new URL(out.trim());
  assert.deepEqual([link.origin, link.pathname, link.search], [cli.service.url, '/console', '']);
  const enter = (value: string) =>
    fetch(`${cli.service.url}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-switchyard-console': '1', origin: cli.service.url },
      body: JSON.stringify({ code: value }),
    });
  const login = link.hash.replace('#login=', '');
  const entered = await enter(login);
  const cookie = String(entered.headers.get('set-cookie')).split(';')[0] as string;
  const who = await fetch(`${cli.service.url}/console/session`, { headers: { cookie, 'x-switchyard-console': '1' } });
  assert.deepEqual([entered.status, (await enter(login)).status], [204, 401]);
  const token = (await cli.service.platform.get('/tokens')).body.data.find(
    ({ clientId }: { clientId: string }) => clientId === cli.service.platform.tokenId,
  );
  assert.equal(((await who.json()) as { tokenId: string }).tokenId, token.id);
});
