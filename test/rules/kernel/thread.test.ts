import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createThread } from '../../../src/kernel/thread.js';

const file = new URL('../../support/doubling-thread.js', import.meta.url);

describe('work on a thread of its own', () => {
  let ended = 0;
  const thread = createThread<number, number>(file, () => {
    ended += 1;
  });
  after(() => thread.close());

  test('orders are answered in turn', async () => {
    const orders = Array.from({ length: 50 }, (_, i) => i);
    assert.deepEqual(
      await Promise.all(orders.map((n) => thread.request(n))),
      orders.map((n) => 2 * n),
    );
  });

  test('a thread that ends takes its open orders with it, says so once, and the next order starts another', async () => {
    const asked = await Promise.allSettled([thread.request(Number.NaN), thread.request(2)]);
    assert.deepEqual(
      asked.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await thread.request(4), 8);
    assert.equal(ended, 1);
  });

  test('what a thread answered as it broke never answers an order of the next', async () => {
    for (let round = 0; round < 50; round += 1) {
      const broken = Promise.allSettled([thread.request(1), thread.request(1), thread.request(1)]);
      await assert.rejects(thread.request(Number.NaN));
      assert.equal(await thread.request(round), 2 * round);
      await broken;
    }
  });

  test('closing refuses what is open; what comes later starts anew', async () => {
    const open = thread.request(Number.POSITIVE_INFINITY);
    const refused = assert.rejects(open, /has ended/);
    await thread.close();
    await refused;
    assert.equal(await thread.request(6), 12);
  });
});
