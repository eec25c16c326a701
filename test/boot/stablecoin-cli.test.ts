// `npm run stablecoins`: on a live installation the operator enables stablecoins.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { sql } from '../../src/db/sql.js';
import { sandboxStablecoinIssuer } from '../../src/providers/sandbox-stablecoin-issuer.js';
import { projectRoot } from '../../src/root.js';
import { type Client, expectStatus } from '../support/client.js';
import { startOwnService, type TestService } from '../support/service.js';
import { stablecoins } from '../support/stablecoins.js';
import { temporaryDirectory } from '../support/temporary.js';

const key = randomBytes(32).toString('base64');
const dataDir = temporaryDirectory({ after });
let service: TestService;
let platform: Client;
before(async () => {
  // A live installation that has connected an issuer. It behaves like the one of the sandbox.
  let issuer: ReturnType<typeof sandboxStablecoinIssuer> | undefined;
  service = await startOwnService({ MODE: 'live', KEY_ENCRYPTION_KEY: key }, () => ({
    stablecoinIssuer: new Proxy({} as ReturnType<typeof sandboxStablecoinIssuer>, {
      get: (_, name) => {
        issuer ??= sandboxStablecoinIssuer(service.db);
        return issuer[name as keyof typeof issuer];
      },
    }),
  }));
  platform = await service.newPlatform();
});
after(() => service.stop());

const run = async (...args: string[]): Promise<{ output: string; failed: boolean }> => {
  const env = { PATH: process.env['PATH'], MODE: 'live', DATABASE_URL: service.databaseUrl, DATA_DIR: dataDir, KEY_ENCRYPTION_KEY: key };
  return promisify(execFile)(process.execPath, [join(projectRoot, 'dist/src/stablecoin-cli.js'), ...args], { env }).then(
    ({ stdout }) => ({ output: stdout, failed: false }),
    (error: { stderr: string }) => ({ output: error.stderr, failed: true }),
  );
};

test('a requested enablement waits for the operator, who moves it step by step, and disables it again', async () => {
  const build = stablecoins(platform);
  const coin = await build.stablecoin();
  assert.equal(coin.providerEnvironment, 'PRODUCTION');
  const status = async () => {
    const { gridOperationsStatus, currency } = await build.get(coin);
    return [gridOperationsStatus, currency];
  };
  const early = await run('move', coin.id, 'ENABLING');
  assert.deepEqual([early.failed, early.output.trim()], [true, 'the stablecoin is NOT_ENABLED: its platform has requested nothing']);

  await expectStatus(200, platform.post(`/stablecoins/${coin.id}/request-grid-enablement`));
  const due = await service.db.one(sql`select from stablecoins where id = ${coin.id.split(':')[1]} and enablement_due_at is not null`);
  assert.equal(due, undefined, 'no clock moves it');
  assert.match((await run('list')).output, new RegExp(`^${coin.id}  ${coin.symbol}  Platform:.*PENDING_APPROVAL since `, 'm'));
  const skipped = await run('move', coin.id, 'ENABLED');
  assert.deepEqual([skipped.failed, skipped.output.trim()], [true, 'the stablecoin is PENDING_APPROVAL: the next status is ENABLING']);

  for (const [next, currency] of [
    ['ENABLING', undefined],
    ['ENABLED', coin.symbol],
    ['DISABLED', undefined],
    ['ENABLED', coin.symbol],
  ] as const) {
    assert.equal((await run('move', coin.id, next)).output.trim(), `${coin.id}  ${next}`);
    assert.deepEqual(await status(), [next, currency]);
    if (next === 'DISABLED') assert.equal((await platform.post(`/stablecoins/${coin.id}/request-grid-enablement`)).status, 409);
  }
  assert.equal((await run('list')).output, '');
});

test('an unknown stablecoin or command is named', async () => {
  assert.match((await run('move', 'Stablecoin:x', 'ENABLED')).output, /^no stablecoin Stablecoin:x/);
  assert.match((await run('toString')).output, /^usage:/);
});
