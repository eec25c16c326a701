// A thread for tests: doubles numbers, breaks on what is none, and never comes to an end with infinity.
import { answerOrders } from '../../src/kernel/thread.js';

answerOrders((n: number): number => {
  if (Number.isNaN(n)) throw new Error('not a number');
  while (n === Number.POSITIVE_INFINITY);
  return 2 * n;
});
