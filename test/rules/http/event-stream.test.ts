import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createStreamLimiter } from '../../../src/http/event-stream.js';
import { newId } from '../../../src/kernel/ids.js';

describe('limits of open streams', () => {
  const [one, two, three] = [newId('Platform'), newId('Platform'), newId('Platform')];

  test('at the limit per platform one more stream is refused with 429', () => {
    const streams = createStreamLimiter({ perPlatform: 2, perProcess: 10 });
    const [close] = [streams.open(one), streams.open(one)];
    assert.throws(() => streams.open(one), { code: 'RATE_LIMITED', status: 429 });
    streams.open(two);
    close?.();
    streams.open(one);
    assert.throws(() => streams.open(one), { code: 'RATE_LIMITED' });
  });

  test('at the limit of the process one more stream is refused with 503', () => {
    const streams = createStreamLimiter({ perPlatform: 2, perProcess: 3 });
    const close = streams.open(one);
    streams.open(one);
    streams.open(two);
    assert.throws(() => streams.open(three), { code: 'SERVICE_UNAVAILABLE', status: 503 });
    close();
    streams.open(three);
    assert.throws(() => streams.open(three), { code: 'SERVICE_UNAVAILABLE' });
  });
});
