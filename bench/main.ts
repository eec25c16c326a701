// `npm run bench`: prints every result next to its limit. `npm run bench -- cards` runs the parts whose name contains "cards".
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../src/db/embedded.js';
import { prepareTemplate } from '../test/support/database.js';
import { authorizations } from './authorizations.js';
import { cards } from './cards.js';
import { cli } from './cli.js';
import { consolePages } from './console.js';
import { fairness } from './fairness.js';
import { foundation } from './foundation.js';
import { identity } from './identity.js';
import { keys } from './keys.js';
import { printRows, type Row } from './measure.js';
import { mixed } from './mixed.js';
import { payments } from './payments.js';
import { requestLog } from './request-log.js';
import { sandbox } from './sandbox.js';
import { slowIssuer } from './slow-issuer.js';
import { statements } from './statements.js';
import { transactions } from './transactions.js';
import { verify } from './verify.js';
import { webhooks } from './webhooks.js';
import { worker } from './worker.js';

/** Each part starts and stops the services that it measures. */
const PARTS: Readonly<Record<string, () => Promise<Row[]>>> = {
  foundation,
  keys,
  identity,
  cards,
  authorizations,
  'request-log': requestLog,
  'slow-issuer': slowIssuer,
  payments,
  sandbox,
  transactions,
  statements,
  verify,
  mixed,
  fairness,
  webhooks,
  worker,
  cli,
  console: consolePages,
};

const wanted = process.argv.slice(2);
// "Every limit holds" would be said of nothing.
const unknown = wanted.find((word) => !Object.keys(PARTS).some((name) => name.includes(word)));
if (unknown !== undefined) {
  process.stderr.write(`no part is named ${unknown}; the parts are ${Object.keys(PARTS).join(', ')}\n`);
  process.exit(2);
}
const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
chmodSync(dataDir, 0o711);
// The database is on disk and durable, as in production.
const postgres = await startEmbeddedPostgres({ dataDir, log: { info() {}, warn() {}, error: console.error } });
process.env['TEST_DATABASE_URL'] = postgres.url;
let missed = 0;
try {
  await prepareTemplate(postgres.url);
  for (const [name, part] of Object.entries(PARTS)) {
    if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue;
    const rows = await part();
    printRows(name, rows);
    missed += rows.filter(({ holds }) => holds === false).length;
  }
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
process.stdout.write(missed === 0 ? '\nEvery limit holds.\n' : `\n${missed} limit(s) missed.\n`);
process.exitCode = missed === 0 ? 0 : 1;
