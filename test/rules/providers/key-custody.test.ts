import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { createKeyCustody, KEY_PREFIX_BYTES } from '../../../src/providers/key-custody.js';

const older = randomBytes(32);
const newer = randomBytes(32);
const secret = Buffer.from('a private key');
const context = 'platform/account/key';

describe('key custody', () => {
  test('a sealed value opens in its own context', () => {
    const custody = createKeyCustody([newer]);
    for (const plaintext of [Buffer.alloc(0), secret, randomBytes(4096)]) {
      assert.deepEqual(custody.open(custody.seal(plaintext, context), context), plaintext);
    }
  });

  test('two sealed values of one secret have only the key id in common', () => {
    const custody = createKeyCustody([newer]);
    const [one, two] = [custody.seal(secret, context), custody.seal(secret, context)];
    assert.deepEqual(one.subarray(0, 9), two.subarray(0, 9));
    assert.notDeepEqual(one.subarray(9, 21), two.subarray(9, 21));
    assert.notDeepEqual(one.subarray(21), two.subarray(21));
  });

  test('a sealed value does not contain the secret', () => {
    assert.equal(createKeyCustody([newer]).seal(secret, context).includes(secret), false);
  });

  test('a sealed value does not open in another context', () => {
    const custody = createKeyCustody([newer]);
    assert.throws(() => custody.open(custody.seal(secret, context), `${context}/other`));
  });

  test('a sealed value with a changed bit, or a truncated one, does not open', () => {
    const custody = createKeyCustody([newer]);
    const sealed = custody.seal(secret, context);
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      assert.throws(() => custody.open(changed, context), `bit ${bit}`);
    }
    for (let length = 0; length < sealed.length; length += 1) assert.throws(() => custody.open(sealed.subarray(0, length), context));
  });

  test('the first key seals and all keys open, so that keys are rotated without downtime', () => {
    const before = createKeyCustody([older]);
    const during = createKeyCustody([newer, older]);
    const after = createKeyCustody([newer]);

    const sealed = before.seal(secret, context);
    assert.equal(before.needsRewrap(sealed), false);
    assert.equal(during.needsRewrap(sealed), true);
    assert.deepEqual(during.open(sealed, context), secret);
    assert.throws(() => after.open(sealed, context), /not known/);
    assert.deepEqual(
      [before, during, after].map((custody) => custody.knows(sealed)),
      [true, true, false],
    );
    assert.ok(sealed.subarray(0, KEY_PREFIX_BYTES).equals(before.seal(secret, 'another').subarray(0, KEY_PREFIX_BYTES)));

    const rewrapped = during.seal(during.open(sealed, context), context);
    assert.equal(during.needsRewrap(rewrapped), false);
    assert.deepEqual(after.open(rewrapped, context), secret);
  });

  test('a key of another length, or an empty list of keys, is refused', () => {
    assert.throws(() => createKeyCustody([]), /At least one/);
    assert.throws(() => createKeyCustody([randomBytes(16)]), /32 bytes, not 16/);
    assert.throws(() => createKeyCustody([newer, randomBytes(33)]), /32 bytes, not 33/);
  });
});
