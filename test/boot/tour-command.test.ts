// `npm run tour` as a person runs it: help, and on a running service, whose settings it leaves alone.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { projectRoot } from '../../src/root.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };
const tour = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
  promisify(execFile)(process.execPath, [join(projectRoot, 'dist/tour/main.js'), ...args], {
    env: { PATH: process.env['PATH'], ...env },
  }).then(
    (ended) => ({ code: 0, ...ended }),
    (error: Ended) => error,
  );

test('--help explains it and runs nothing; an unknown word is refused with the help', async () => {
  const help = await tour(['--help']);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /--json[\s\S]*SWITCHYARD_URL/);
  const unknown = await tour(['--fast']);
  assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
  assert.match(unknown.stderr, /unknown: --fast/);
});

test('on a running service every step succeeds, and the endpoint and the clock are as before', { timeout: 120_000 }, async () => {
  const { baseUrl, platform } = service;
  const env = { SWITCHYARD_URL: baseUrl, SWITCHYARD_TOKEN_ID: platform.tokenId, SWITCHYARD_TOKEN_SECRET: platform.secret };
  const before = (await platform.get('/config')).body;
  const { code, stdout, stderr } = await tour(['--json'], env);
  assert.equal(code, 0, stdout.slice(-2_000) + stderr);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; ok?: boolean });
  assert.equal(lines.at(-1)?.ok, true);
  assert.deepEqual((await platform.get('/config')).body.webhookEndpoint, before.webhookEndpoint);
  const { now, frozen } = (await platform.get('/sandbox/clock')).body;
  assert.equal(frozen, false);
  assert.ok(Math.abs(Date.parse(now) - Date.now()) < 60_000, `the clock shows ${now}`);
});
