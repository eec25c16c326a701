// Records the fixture of test/upgrade for the current migrations. CONTRIBUTING.md says when to run it.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'build.mjs')], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
const { startEmbeddedPostgres } = await import('../dist/src/db/embedded.js');
const { prepareTemplate } = await import('../dist/test/support/database.js');
const { record } = await import('../dist/test/upgrade/record.js');

const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-record-'));
chmodSync(dataDir, 0o711); // As root, PostgreSQL runs under another account, which must be able to reach its directory.
const postgres = await startEmbeddedPostgres({ dataDir, log: { info() {}, warn() {}, error: console.error } });
try {
  await prepareTemplate(postgres.url);
  process.env.TEST_DATABASE_URL = postgres.url;
  console.log(`recorded test/upgrade/fixtures/${await record()}`);
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
