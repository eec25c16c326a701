// Which texts are instants.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTimestamp } from '../../../src/kernel/time.js';

test('an instant is of the years 1 to 9999 in UTC as well, so that it can be written again', () => {
  for (const text of ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00-00:01', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999+00:01'])
    assert.deepEqual(parseTimestamp(parseTimestamp(text)?.toISOString() ?? ''), parseTimestamp(text), text);
  assert.deepEqual(parseTimestamp('0001-01-01T00:00:00Z')?.toISOString(), '0001-01-01T00:00:00.000Z');
  assert.deepEqual(parseTimestamp('9999-12-31T23:59:59.999Z')?.toISOString(), '9999-12-31T23:59:59.999Z');
  for (const text of ['0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59.999-00:01']) assert.equal(parseTimestamp(text), undefined, text);
});
