// A worker thread for tests. It doubles numbers, throws on NaN, and never returns on Infinity.
import { answerOrders } from '../../src/kernel/thread.js';

answerOrders((n: number): number => {
  if (Number.isNaN(n)) throw new Error('not a number');
  while (n === Number.POSITIVE_INFINITY);
  return 2 * n;
});
