// "No function opens a second connection inside a transaction": such a function would deadlock with a pool of one connection.
import { test } from 'node:test';
import { poolOfOne } from '../prove/pool-of-one.js';
import { assertHolds } from '../prove/report.js';

test('every operation is answered with a single database connection', async () => {
  assertHolds(await poolOfOne());
});
