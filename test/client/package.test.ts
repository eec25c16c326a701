// The packed client, as a user installs it: alone, in an empty folder, in Node and in a browser.
import '../support/own-process.js';
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { projectRoot } from '../../src/root.js';
import { startTestService, type TestService } from '../support/service.js';
import { temporaryDirectory } from '../support/temporary.js';

const run = promisify(execFile);
const folder = temporaryDirectory({ after });
const installed = join(folder, 'node_modules/switchyard-client');
let service: TestService;

before(async () => {
  service = await startTestService();
  const { stdout } = await run(process.execPath, [join(projectRoot, 'scripts/pack-client.mjs'), folder]);
  mkdirSync(installed, { recursive: true });
  await run('tar', ['xzf', stdout.trim(), '-C', installed, '--strip-components=1']);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});
after(() => service.stop());

const scripts = () => readdirSync(installed).filter((name) => name.endsWith('.js'));
const textOf = (name: string) => readFileSync(join(installed, name), 'utf8');

test('it has no dependency and names no module of Node', () => {
  const manifest = JSON.parse(textOf('package.json')) as Record<string, unknown>;
  assert.deepEqual([manifest['dependencies'], manifest['peerDependencies'], manifest['private']], [undefined, undefined, undefined]);
  const imports = scripts().flatMap((name) =>
    [...textOf(name).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g)].map(([, target]) => target ?? ''),
  );
  assert.deepEqual(
    imports.filter((target) => !target.startsWith('./')),
    [],
  );
  for (const file of ['README.md', 'LICENSE', 'client.d.ts', 'generated/operations.json'])
    assert.ok(existsSync(join(installed, file)), file);
});

test('it has its modules, types and table of operations, with licence and notices, and nothing else', () => {
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((path) => !['generated'].includes(path));
  assert.deepEqual(
    files.filter((path) => !/^(LICENSE|NOTICES\.txt|README\.md|package\.json|(generated\/)?[\w-]+\.(js|d\.ts|json))$/.test(path)),
    [],
  );
  const { exports } = JSON.parse(textOf('package.json')) as { exports: Record<string, string | Record<string, string>> };
  for (const target of Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry))))
    assert.ok(files.includes(target.slice(2)), target);
  for (const name of ['@hpke/core', '@noble/curves', '@noble/hashes', '@scure/base'])
    assert.match(textOf('NOTICES.txt'), new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, 'm'), name);
});

test('its types are whole for a server that is compiled without the types of browsers', async () => {
  const modules = ['', '/signing', '/wallets', '/webhooks'].map(
    (path, i) => `import * as m${i} from 'switchyard-client${path}'; void m${i};`,
  );
  writeFileSync(join(folder, 'server.mts'), modules.join('\n'));
  const flags = '--noEmit --strict --skipLibCheck false --module nodenext --target es2023 --lib es2023 --types node --typeRoots'.split(' ');
  const compiler = join(projectRoot, 'node_modules/typescript/bin/tsc');
  const types = join(projectRoot, 'node_modules/@types');
  const { stdout } = await run(process.execPath, [compiler, ...flags, types, 'server.mts'], { cwd: folder }).catch((error) => error);
  assert.equal(stdout, '');
});

test('its version is that of the service', () => {
  const versionIn = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  assert.equal(versionIn(join(installed, 'package.json')), versionIn(join(projectRoot, 'package.json')));
});

test('client.js and what it loads take at most 15 kB, compressed', () => {
  const loaded = new Set(['client.js']);
  for (const name of loaded) for (const [, other] of textOf(name).matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) loaded.add(other as string);
  const bytes = [...loaded].reduce((sum, name) => sum + gzipSync(textOf(name)).length, 0);
  assert.ok(bytes <= 15 * 1024, `${bytes} bytes in ${[...loaded].join(', ')}`);
});

/** Everything that a user of the package does, in what Node and browsers both have. */
const PROGRAM = `
const { createSwitchyard, isCode, SignatureRequired } = await import('switchyard-client');
const { encryptOtp, newSessionKey, stamper } = await import('switchyard-client/signing');
const { CHAINS, newWallet } = await import('switchyard-client/wallets');
const { verifyWebhook } = await import('switchyard-client/webhooks');
const sy = createSwitchyard({ baseUrl: where.baseUrl, token: where.token });
const customer = await sy.customers.create({ customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email: 'ada@example.com' });
const done = ['create'];
for (const chain of CHAINS) {
  const wallet = newWallet(chain);
  const account = await sy.customers.externalAccounts.create({
    customerId: customer.id, currency: chain === 'bitcoin' ? 'BTC' : 'USDC', ownershipType: 'FIRST_PARTY',
    accountInfo: { accountType: wallet.accountType, address: wallet.address },
  });
  const { messageToSign } = await sy.customers.externalAccounts.challenge(account.id, { method: 'WALLET_SIGNATURE' });
  const { status } = await sy.customers.externalAccounts.verify(account.id, { signature: await wallet.sign(messageToSign) });
  done.push(chain + ' ' + status);
}
const [usdb] = await sy.customers.internalAccounts.list({ customerId: customer.id, currency: 'USDB' }).all();
const [credential] = await sy.auth.credentials.list({ accountId: usdb.id }).all();
const { otpEncryptionTargetBundle } = await sy.auth.credentials.challenge(credential.id);
const session = await newSessionKey();
const body = { type: 'EMAIL_OTP', encryptedOtpBundle: await encryptOtp(otpEncryptionTargetBundle, session, '000000') };
await sy.auth.credentials.verify(credential.id, body, { sign: stamper(session) });
const card = await sy.cards.create({ customerId: customer.id, form: 'VIRTUAL', fundingSource: usdb.id });
const key = await sy.auth.delegatedKeys.create({ cardId: card.id, internalAccountId: usdb.id, nickname: 'A' }, { sign: stamper(session) });
done.push('key ' + key.status);
await sy.customers.get('Customer:nope').catch((error) => done.push(String(isCode(error, 'CUSTOMER_NOT_FOUND'))));
for await (const event of sy.webhooks.events.stream({ since: where.since })) { done.push(event.type); break; }
await verifyWebhook('{}', {}, { publicKeys: await sy.webhooks.signingKeys.list().all() }).catch((error) => done.push(error.reason));
return done;
`;
const EXPECTED = [
  'create',
  'ethereum ACTIVE',
  'solana ACTIVE',
  'bitcoin ACTIVE',
  'key ACTIVE',
  'true',
  'CUSTOMER.KYC_APPROVED',
  'SIGNATURE_MISSING',
];

/** Where to call, and an event to begin after. */
async function whereOf(baseUrl: string) {
  const { tokenId, secret } = service.platform;
  await service.platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Before' });
  const { data } = (await service.platform.get('/webhooks/events?limit=1')).body;
  return { baseUrl, token: `${tokenId}:${secret}`, since: data[0].id as string };
}

describe('runs', () => {
  /** This Node, and others where `npm ci --prefix test/client/nodes` has installed them. */
  const nodes = join(projectRoot, 'test/client/nodes/node_modules');
  const found = existsSync(nodes) ? readdirSync(nodes).filter((name) => /^node-\d+-/.test(name)) : [];
  for (const [name, binary] of [['this Node', process.execPath], ...found.map((one) => [one, join(nodes, one, 'bin/node')])] as [
    string,
    string,
  ][])
    test(`in ${name}`, { timeout: 60_000 }, async () => {
      const where = await whereOf(service.baseUrl);
      writeFileSync(
        join(folder, 'program.mjs'),
        `const where = ${JSON.stringify(where)};\nconst all = async () => {${PROGRAM}};\nconsole.log(JSON.stringify(await all()));`,
      );
      const { stdout, stderr } = await run(binary, ['program.mjs'], { cwd: folder });
      assert.deepEqual(JSON.parse(stdout), EXPECTED);
      assert.equal(stderr, '');
    });

  const browser = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
    (path) => path && existsSync(path),
  );
  const skip = browser || process.env['REQUIRE_BROWSER'] ? false : 'no browser found; CHROMIUM names one';
  test('in a browser', { timeout: 90_000, skip }, async (t) => {
    assert.ok(browser, 'REQUIRE_BROWSER is set and no browser was found');
    let report: (text: string) => void = () => {};
    const reported = new Promise<string>((resolve) => {
      report = resolve;
    });
    const server = await pageServer(report);
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { pathname } = new URL(service.baseUrl);
    const where = await whereOf(origin + pathname);
    writeFileSync(
      join(folder, 'page.mjs'),
      `const where = ${JSON.stringify(where)};\nconst all = async () => {${PROGRAM}};\nconst text = await all().then(JSON.stringify, String);\nawait fetch('/report', { method: 'POST', body: text });`,
    );
    const profile = mkdtempSync(join(tmpdir(), 'switchyard-browser-'));
    // Processes of the browser outlive the one that was started, and write to its profile. `rmSync` does not list a directory again.
    t.after(() => rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
    const child = spawn(browser, ['--headless=new', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`, `${origin}/page.html`], {
      stdio: 'ignore',
    });
    try {
      assert.deepEqual(JSON.parse(await reported), EXPECTED);
    } finally {
      child.kill();
      await once(child, 'exit');
      server.close();
      server.closeAllConnections();
    }
  });
});

const PAGE = `<!doctype html><script type="importmap">{"imports":{${['', '/signing', '/wallets', '/webhooks']
  .map((part) => `"switchyard-client${part}":"/files/${part.slice(1) || 'client'}.js"`)
  .join(',')}}}</script><script type="module" src="/page.mjs"></script>`;

/** The page, the packed files, and the service behind the same origin. */
async function pageServer(report: (text: string) => void): Promise<Server> {
  const server = createServer(async (incoming, response) => {
    const url = incoming.url ?? '';
    const send = (type: string, body: string) => void response.writeHead(200, { 'content-type': type }).end(body);
    if (url === '/page.html') return send('text/html', PAGE);
    if (url === '/page.mjs') return send('text/javascript', readFileSync(join(folder, 'page.mjs'), 'utf8'));
    if (url.startsWith('/files/') && scripts().includes(url.slice(7))) return send('text/javascript', textOf(url.slice(7)));
    if (url === '/report') {
      report(Buffer.concat(await incoming.toArray()).toString());
      return send('text/plain', '');
    }
    const passed = forward(service.url + url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** The blocks of a page. Lines that begin with `import` are valid anywhere in a module. */
const blocksOf = (file: string): string[] =>
  [...readFileSync(join(projectRoot, file), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block]) => block as string);

test('the program of the README runs as written', { timeout: 60_000 }, async () => {
  const [program = ''] = blocksOf('README.md');
  writeFileSync(join(folder, 'readme.mjs'), `${program}\nconsole.log(ada.fullName, account.id);\n`);
  const { tokenId, secret } = service.platform;
  const env = { SWITCHYARD_URL: service.baseUrl, SWITCHYARD_TOKEN_ID: tokenId, SWITCHYARD_TOKEN_SECRET: secret };
  const { stdout } = await run(process.execPath, ['readme.mjs'], { cwd: folder, env: { ...process.env, ...env } });
  const [, account] = /^Ada Lovelace (InternalAccount:\S+)\n$/.exec(stdout) ?? [];
  assert.equal((await service.platform.get(`/internal-accounts/${account}`)).body.balance.amount, 10_000);
});

/** What a reader of the client's README has already. */
const GIVEN = `declare const id: string, secret: string, cardId: string, internalAccountId: string, externalAccountId: string, messageToSign: string, rawBody: string;
declare const request: { headers: Headers };
`;

test('its types, and the programs of its README, compile without Node, strictly', { timeout: 60_000 }, async () => {
  writeFileSync(
    join(folder, 'user.ts'),
    `import { createSwitchyard, isCode } from 'switchyard-client';
import { newSessionKey, stamper } from 'switchyard-client/signing';
import { newWallet } from 'switchyard-client/wallets';
import { verifyWebhook } from 'switchyard-client/webhooks';
const sy = createSwitchyard({ baseUrl: 'http://localhost', token: 'a:b' });
export const all = async (): Promise<string[]> => {
  const session = await newSessionKey();
  await sy.internalAccounts.update('InternalAccount:1', { privateEnabled: true }, { sign: stamper(session) });
  const event = await verifyWebhook('', new Headers(), { publicKeys: [] });
  if (event.type === 'CARD_TRANSACTION.DECLINED') return [String(event.data.cardDeclinedReason), newWallet('solana').address];
  // @ts-expect-error no such operation
  sy.cards.eat('Card:1');
  return sy.cards.list().then(({ data }) => data.map(({ id }) => String(id)), (error: unknown) => [String(isCode(error, 'FORBIDDEN'))]);
};
`,
  );
  writeFileSync(join(folder, 'readme.ts'), `${blocksOf('client/README.md').join('\n')}${GIVEN}`);
  const compiler = join(projectRoot, 'node_modules/typescript/bin/tsc');
  const options =
    '--noEmit --strict --exactOptionalPropertyTypes --target es2023 --lib es2024,dom,dom.iterable,dom.asynciterable --module nodenext --types'.split(
      ' ',
    );
  await run(process.execPath, [compiler, ...options, '', 'user.ts', 'readme.ts'], { cwd: folder }).catch((error: { stdout?: string }) =>
    assert.fail(error.stdout ?? String(error)),
  );
});
