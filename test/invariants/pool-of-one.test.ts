// "No function opens a second connection inside a transaction": with a pool of one connection it would wait for itself.
import { test } from 'node:test';
import { poolOfOne } from '../prove/pool-of-one.js';
import { assertHolds } from '../prove/report.js';

test('every operation is answered with a single database connection', async () => {
  assertHolds(await poolOfOne());
});
