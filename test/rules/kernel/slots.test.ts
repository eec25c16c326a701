// Slots: at most so many at once, the others in order, and a failure frees its slot.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSlots } from '../../../src/kernel/slots.js';

test('no more run at once than there are slots, those that wait start in order, and a failure frees its slot', async () => {
  const runInSlot = createSlots(2);
  const started: number[] = [];
  const ends: ((failure?: Error) => void)[] = [];
  const runs = [0, 1, 2, 3].map((n) =>
    runInSlot(() => {
      started.push(n);
      return new Promise<number>((resolve, reject) => {
        ends[n] = (failure) => (failure ? reject(failure) : resolve(n));
      });
    }),
  );
  const settled = Promise.allSettled(runs);
  await nextTurn();
  assert.deepEqual(started, [0, 1]);
  ends[1]?.(new Error('failed'));
  await nextTurn();
  assert.deepEqual(started, [0, 1, 2]);
  ends[0]?.();
  await nextTurn();
  assert.deepEqual(started, [0, 1, 2, 3]);
  ends[2]?.();
  ends[3]?.();
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
});
