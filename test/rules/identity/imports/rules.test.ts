// What an import takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_FILE_BYTES, refuseTooLarge } from '../../../../src/domains/identity/imports/rules.js';

test('a file has at most 100 MB: exactly that many bytes are fine, one more is 413', () => {
  assert.equal(MAX_FILE_BYTES, 104_857_600);
  refuseTooLarge(MAX_FILE_BYTES);
  assert.throws(() => refuseTooLarge(MAX_FILE_BYTES + 1), { code: 'PAYLOAD_TOO_LARGE', status: 413 });
});
