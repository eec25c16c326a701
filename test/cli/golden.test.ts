// What each command that is written by hand prints, as text and as JSON: a transcript in test/cli/golden.txt. RECORD_GOLDEN=1 writes it again.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { OWN } from '../../cli/own.js';
import { projectRoot } from '../../src/root.js';
import { commandLine } from './command-line.js';
import { stable } from './run.js';

const FILE = join(projectRoot, 'test/cli/golden.txt');

/** They speak another protocol, need two platforms, or print a program: test/cli/mcp, record and tools show them. */
const ELSEWHERE = new Set(['mcp', 'record', 'replay', 'webhooks verify', 'completion']);

/** The longest first: one command may begin like another. */
const BY_LENGTH = OWN.map(({ command }) => command).sort((one, other) => other.length - one.length);

const cli = commandLine();

/** What differs between runs beside ids and times. */
const fixed = (text: string, home: string, url: string, token: string): string =>
  stable(text.replaceAll(home, 'HOME').replaceAll(url, 'URL').replaceAll(new URL(url).origin, 'URL').replaceAll(token, 'TOKEN'))
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d%A.]+Z/g, 'TIME')
    .replaceAll(/\$c[0-9a-f]{32}@[0-9a-f]+\./g, '$UMA@DOMAIN.')
    .replaceAll(/\b0x[0-9a-fA-F]{40,}\b/g, '0xHEX')
    .replaceAll(/\b[0-9a-f]{40,}\b/g, 'HEX')
    .replaceAll(/\b[\w-]{60,}={0,2}/g, 'BASE64')
    .replaceAll(/\b\d+(?:\.\d+)? ?ms\b/g, 'N ms')
    .replaceAll(/"durationMs": ?[\d.]+/g, '"durationMs": N')
    .replaceAll(/(?<![\d.])\d+\.\d+\.\d+(?![\d.])/g, 'VERSION')
    .replaceAll(/#login=[\w-]+/g, '#login=CODE')
    .replaceAll(/\b\d{1,3}(?:,\d{3})+ rows\b|\b\d+ rows\b/g, 'N rows')
    .replaceAll(/\d{2}:\d{2}:\d{2}(?:\.\d+)?/g, 'CLOCK');

test('every command that is written by hand prints what the transcript shows, as text and as JSON', async () => {
  const { platform, baseUrl } = cli.service;
  const customer = (await platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email: 'ada@example.com' }))
    .body;
  const accounts = (await platform.get(`/customers/internal-accounts?customerId=${customer.id}&currency=USDB`)).body;
  const transcript: string[] = [];
  const shown = new Map<string, Set<string>>();
  const put = (names: Readonly<Record<string, string>>, word: string) =>
    Object.entries(names).reduce((text, [name, value]) => text.replaceAll(`$${name}`, value), word);

  /** Runs a command in both forms. `names`: what its words with a dollar sign stand for. */
  const show = async (line: string, names: Readonly<Record<string, string>> = {}, forms = ['--no-json', '--json']) => {
    const words = line.split(' ');
    const command = BY_LENGTH.find((name) => `${line.replace(/^clock/, 'sandbox clock')} `.startsWith(`${name} `));
    let last = '';
    for (const form of forms) {
      const { code, out, err } = await cli.sy(...words.map((word) => put(names, word)), form);
      transcript.push(
        `$ switchyard ${line} ${form}\n${fixed(out, cli.home, baseUrl, platform.tokenId)}${fixed(err, cli.home, baseUrl, platform.tokenId)}exit ${code}\n`,
      );
      if (command !== undefined) shown.set(command, (shown.get(command) ?? new Set()).add(form));
      last = out;
    }
    return last;
  };

  await show('clock freeze 2031-03-12T15:00Z');
  await show('clock');
  await show('clock advance 1d');
  await show('clock resume');
  await show('clock advance soon');
  await platform.clock.set(new Date());

  await show('wallet new ethereum --out $file', { file: join(cli.home, 'wallet.json') });
  const { address } = JSON.parse(readFileSync(join(cli.home, 'wallet.json'), 'utf8'));
  const body = {
    customerId: customer.id,
    currency: 'USDC',
    ownershipType: 'FIRST_PARTY',
    accountInfo: { accountType: 'ETHEREUM_WALLET', address },
  };
  const wallet = (await platform.post('/customers/external-accounts', body)).body;
  await show('wallet sign $file hello', { file: join(cli.home, 'wallet.json') });
  await show('wallet verify $account --wallet $file', { account: wallet.id, file: join(cli.home, 'wallet.json') });

  const session = join(cli.home, 'session.json');
  await show('sign in $account --otp 000000 --out $file', { account: accounts.data[0].id, file: session });
  await show('sign payload hello --session $file', { file: session });
  await show('sign key --out $file', { file: join(cli.home, 'key.json') });
  const credential = (await platform.get(`/auth/credentials?accountId=${accounts.data[0].id}`)).body.data[0].id;
  const { otpEncryptionTargetBundle: bundle } = (await platform.post(`/auth/credentials/${credential}/challenge`)).body;
  await show('sign otp $bundle 000000 --session $file', { bundle, file: session });

  await show('trigger --list');
  await show('trigger card.declined');
  await show('listen --print-only --since 1h --types CUSTOMER.* --count 1 --timeout 30s');
  const created = await platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Grace Hopper' });
  const logged = async (): Promise<{ id: string }[]> => (await platform.get('/requests?operation=createCustomer')).body.data;
  // The log is written after the answer.
  let rows = await logged();
  while (!rows.some(({ id }) => id === created.headers.get('x-request-id'))) rows = await logged();
  const [latest = '', before = ''] = rows.map(({ id }) => id);
  await show('requests get $request --trace', { request: latest });
  await show('logs tail --since $request --operation createCustomer --count 1 --timeout 30s', { request: before });

  await show('sandbox fixtures apply $file', { file: join(projectRoot, 'fixtures/neobank.yaml') });
  await platform.post('/sandbox/snapshots', { name: 'before' });
  const exported = await cli.sy('sandbox', 'snapshots', 'export', 'before', '--passphrase', 'correct horse battery staple');
  assert.equal(exported.code, 0);
  await show('sandbox snapshots export unknown --passphrase $words', { words: 'correct horse battery staple' });
  await show('sandbox snapshots import $file imported --passphrase $words', { file: session, words: 'correct horse battery staple' });

  await show('profile save mine');
  await show('profile list');
  await show('profile remove mine');
  await show('doctor');
  await show('console');
  await show('api GET /customers?limit=1');

  const missing = OWN.filter(({ command }) => !ELSEWHERE.has(command) && shown.get(command)?.size !== 2).map(({ command }) => command);
  assert.deepEqual(missing, [], 'commands that the transcript does not show in both forms');
  const text = transcript.join('\n');
  if (process.env['RECORD_GOLDEN'] === '1') writeFileSync(FILE, text);
  assert.equal(text, readFileSync(FILE, 'utf8'), 'RECORD_GOLDEN=1 npm test -- cli/golden records it again');
});
