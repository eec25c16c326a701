// A start and the operator's commands on a database that does not serve them: one line with what PostgreSQL said, and no stack.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { projectRoot } from '../../src/root.js';
import { expectStatus } from '../support/client.js';
import { startOwnService, type TestService } from '../support/service.js';
import { temporaryDirectory } from '../support/temporary.js';

const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64');
const DATA_DIR = temporaryDirectory({ after });
let service: TestService;
let operator: pg.Client;
before(async () => {
  service = await startOwnService({ KEY_ENCRYPTION_KEY, ROLE: 'api' });
  operator = new pg.Client({ connectionString: service.databaseUrl });
  await operator.connect();
});
after(async () => {
  await operator.end();
  await service.stop();
});

type Ended = { readonly code: unknown; readonly stdout: string; readonly stderr: string };

const run = (program: string, args: readonly string[] = [], settings: Record<string, string> = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const env = {
      ...{ PATH: process.env['PATH'], PORT: '0', METRICS_PORT: 'off', DATA_DIR, KEY_ENCRYPTION_KEY },
      ...{ DATABASE_URL: service.databaseUrl, DATABASE_LOCK_TIMEOUT_MS: '50', ...settings },
    };
    execFile(process.execPath, [join(projectRoot, `dist/src/${program}.js`), ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

const refusal = (text: string): Ended => ({ code: 1, stdout: '', stderr: `The configuration is wrong:\n  DATABASE_URL: ${text}\n` });
const LOCKED = refusal('canceling statement due to lock timeout');

/** While the work runs, nobody else can use the table. */
async function whileLocked<Result>(table: string, work: () => Promise<Result>): Promise<Result> {
  await operator.query(`begin; lock table ${table}`);
  try {
    return await work();
  } finally {
    await operator.query('rollback');
  }
}

test('a start with a role that may not make tables names DATABASE_URL', async () => {
  const url = new URL(service.databaseUrl);
  const role = `${url.pathname.slice(1)}_guest`;
  await operator.query(`create role "${role}" login password 'guest'`);
  try {
    [url.username, url.password] = [role, 'guest'];
    assert.deepEqual(await run('main', [], { DATABASE_URL: url.href }), refusal('permission denied for schema public'));
  } finally {
    await operator.query(`drop role "${role}"`);
  }
});

test('a start on a database that takes no writes names DATABASE_URL', async () => {
  const url = new URL(service.databaseUrl);
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  const ended = await run('main', [], { DATABASE_URL: url.href });
  assert.deepEqual(ended, refusal('cannot execute CREATE TABLE in a read-only transaction'));
});

test('a start and a command that meet a locked table name what they waited for', async () => {
  const [start, list] = await whileLocked('service_secrets, platforms', () => Promise.all([run('main'), run('platform-cli', ['list'])]));
  assert.deepEqual([start, list], [LOCKED, LOCKED]);
});

test('the doctor reports a locked table and does not wait for it', { timeout: 60_000 }, async () => {
  const { code, stdout } = await whileLocked('service_secrets', () => run('doctor'));
  assert.equal(code, 1);
  assert.match(stdout, /WRONG DATABASE_URL cannot be used: canceling statement due to lock timeout/);
});

test('an issuer key that could not be revoked is not reported as unknown', async () => {
  const { id } = await expectStatus(200, service.platform.get('/config'));
  const made = await run('platform-cli', ['issuer-key', String(id), '--program', 'service_full']);
  const keyId = /^Key id +(\S+)$/m.exec(made.stdout)?.[1] ?? assert.fail(made.stderr);
  assert.deepEqual(await whileLocked('issuer_credentials', () => run('platform-cli', ['revoke-issuer-key', keyId])), LOCKED);
  assert.equal((await run('platform-cli', ['revoke-issuer-key', keyId])).stdout, `Revoked ${keyId}\n`);
});

test('rotate-keys takes no words: --help rewrites nothing', async () => {
  const { code, stderr, stdout } = await run('rotate-keys', ['--help']);
  assert.deepEqual({ code, stderr, stdout }, { code: 1, stderr: 'not expected: --help\nusage: npm run rotate-keys\n', stdout: '' });
});
