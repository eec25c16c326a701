import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAllowance } from '../../../../src/domains/core/requests/allowance.js';

const taken = (count: number, take: () => boolean): number => Array.from({ length: count }, take).filter(Boolean).length;

test('a burst is recorded, then as many as the rate allows', () => {
  const allowance = createAllowance({ perSecond: 10, burst: 50 });
  assert.equal(
    taken(100, () => allowance.take('a', 'answered', 0)),
    50,
  );
  assert.equal(
    taken(100, () => allowance.take('a', 'answered', 1_000)),
    10,
  );
  // However long a platform was quiet, it may record one burst.
  assert.equal(
    taken(100, () => allowance.take('a', 'answered', 59_000)),
    50,
  );
});

test('refusals and other platforms have an allowance of their own', () => {
  const allowance = createAllowance({ perSecond: 10, burst: 5 });
  taken(10, () => allowance.take('a', 'answered', 0));
  assert.equal(
    taken(10, () => allowance.take('a', 'refused', 0)),
    5,
  );
  assert.equal(
    taken(10, () => allowance.take('b', 'answered', 0)),
    5,
  );
});
