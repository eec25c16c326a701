import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { streamPlaces } from '../../../../src/domains/core/webhooks/stream.js';
import { newId } from '../../../../src/kernel/ids.js';

describe('places for streams', () => {
  const [one, two, three] = [newId('Platform'), newId('Platform'), newId('Platform')];

  test('exactly so many per platform, one more is 429', () => {
    const places = streamPlaces({ perPlatform: 2, perProcess: 10 });
    const [leave] = [places.take(one), places.take(one)];
    assert.throws(() => places.take(one), { code: 'RATE_LIMITED', status: 429 });
    places.take(two);
    leave?.();
    places.take(one);
    assert.throws(() => places.take(one), { code: 'RATE_LIMITED' });
  });

  test('exactly so many in all, one more is 503: no fault of who asks', () => {
    const places = streamPlaces({ perPlatform: 2, perProcess: 3 });
    const leave = places.take(one);
    places.take(one);
    places.take(two);
    assert.throws(() => places.take(three), { code: 'SERVICE_UNAVAILABLE', status: 503 });
    leave();
    places.take(three);
    assert.throws(() => places.take(three), { code: 'SERVICE_UNAVAILABLE' });
  });
});
