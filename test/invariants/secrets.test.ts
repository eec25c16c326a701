// "No secret, PAN, password or private key in logs, errors, webhooks or plain columns": secrets of every kind are submitted, and then every output is searched for them.
import { test } from 'node:test';
import { assertHolds, tableOf } from '../prove/report.js';
import { secrets } from '../prove/secrets.js';

test('no secret is readable in any table, log line, metric, webhook or error', async (t) => {
  const outcomes = await secrets();
  t.diagnostic(`\n${tableOf(outcomes)}`);
  assertHolds(outcomes);
});
