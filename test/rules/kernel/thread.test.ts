import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createThread } from '../../../src/kernel/thread.js';

const file = new URL('../../support/doubling-thread.js', import.meta.url);

describe('requests to a worker thread', () => {
  let ended = 0;
  const thread = createThread<number, number>(file, () => {
    ended += 1;
  });
  after(() => thread.close());

  test('each request gets its own answer', async () => {
    const orders = Array.from({ length: 50 }, (_, i) => i);
    assert.deepEqual(
      await Promise.all(orders.map((n) => thread.request(n))),
      orders.map((n) => 2 * n),
    );
  });

  test('when a thread ends, its open requests are rejected, the callback is called once, and the next request starts another thread', async () => {
    const asked = await Promise.allSettled([thread.request(Number.NaN), thread.request(2)]);
    assert.deepEqual(
      asked.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await thread.request(4), 8);
    assert.equal(ended, 1);
  });

  test('an answer of a failed thread never answers a request to the next thread', async () => {
    for (let round = 0; round < 50; round += 1) {
      const broken = Promise.allSettled([thread.request(1), thread.request(1), thread.request(1)]);
      await assert.rejects(thread.request(Number.NaN));
      assert.equal(await thread.request(round), 2 * round);
      await broken;
    }
  });

  test('closing rejects open requests; a later request starts another thread', async () => {
    const open = thread.request(Number.POSITIVE_INFINITY);
    const refused = assert.rejects(open, /has ended/);
    await thread.close();
    await refused;
    assert.equal(await thread.request(6), 12);
  });
});
