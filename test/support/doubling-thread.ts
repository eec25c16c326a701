// A thread for tests: doubles numbers, and breaks on what is none.
import { answerOrders } from '../../src/kernel/thread.js';

answerOrders((n: number): number => {
  if (Number.isNaN(n)) throw new Error('not a number');
  return 2 * n;
});
