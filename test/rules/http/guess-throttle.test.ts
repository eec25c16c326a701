import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGuessThrottle } from '../../../src/http/guess-throttle.js';
import { ApiError } from '../../../src/kernel/errors.js';

const isRefused = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'RATE_LIMITED');
    return error.headers['retry-after'];
  }
};

test('look-ups count from their beginning, and those taken back do not count; the minute begins with the first', () => {
  let now = 0;
  const guess = createGuessThrottle(3, () => now);
  const takeBack = guess('1.2.3.4');
  guess('1.2.3.4');
  guess('1.2.3.4');
  assert.equal(
    isRefused(() => guess('1.2.3.4')),
    '60',
  );
  takeBack();
  takeBack();
  guess('1.2.3.4');
  now = 59_000;
  assert.equal(
    isRefused(() => guess('1.2.3.4')),
    '1',
  );
  assert.equal(
    isRefused(() => guess('1.2.3.5')),
    undefined,
    'another address is not affected',
  );
  now = 60_000;
  assert.equal(
    isRefused(() => guess('1.2.3.4')),
    undefined,
  );
});

test('the addresses of one IPv6 network count as one', () => {
  const guess = createGuessThrottle(1, () => 0);
  guess('2001:db8::1');
  assert.equal(
    isRefused(() => guess('2001:db8::2')),
    '60',
  );
  assert.equal(
    isRefused(() => guess('2001:db8:1::2')),
    undefined,
  );
});
