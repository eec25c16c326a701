// Codes of authenticator apps, compared with the vectors of RFC 6238 and RFC 4648 and with an independent implementation.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { base32, findStep, totpCode, useStep } from '../../../../src/domains/access/sca/totp.js';

describe('the code of a step', () => {
  test('RFC 6238, appendix B, SHA-1: the last six of the eight digits', () => {
    const secret = Buffer.from('12345678901234567890');
    for (const [seconds, code] of [
      [59, '94287082'],
      [1111111109, '07081804'],
      [1111111111, '14050471'],
      [1234567890, '89005924'],
      [2000000000, '69279037'],
      [20000000000, '65353130'],
    ] as const) {
      assert.equal(totpCode(secret, Math.floor(seconds / 30)), code.slice(2));
    }
  });

  test('agrees with an independent implementation for random secrets and times', () => {
    for (let i = 0; i < 200; i += 1) {
      const bytes = randomBytes(20);
      const step = randomBytes(4).readUInt32BE();
      const app = new TOTP({ secret: Secret.fromHex(bytes.toString('hex')) });
      assert.equal(totpCode(bytes, step), app.generate({ timestamp: step * 30_000 }));
    }
  });
});

describe('an accepted code', () => {
  const secret = Buffer.from('12345678901234567890');
  const now = new Date(1_000_000 * 30_000 + 12_345);
  const code = (step: number) => totpCode(secret, step);

  test('is of the current step, the one before or the one after', () => {
    const accepted = [-2, -1, 0, 1, 2].map((offset) => findStep(secret, code(1_000_000 + offset), now, []));
    assert.deepEqual(accepted, [undefined, 999_999, 1_000_000, 1_000_001, undefined]);
  });

  test('is good once; another step stays good', () => {
    assert.equal(findStep(secret, code(1_000_000), now, [1_000_000]), undefined);
    assert.equal(findStep(secret, code(999_999), now, [1_000_000]), 999_999);
  });

  test('has six digits: anything else is wrong', () => {
    for (const text of ['', code(1_000_000).slice(1), `${code(1_000_000)}0`, ` ${code(1_000_000)}`, '٠١٢٣٤٥'])
      assert.equal(findStep(secret, text, now, []), undefined);
  });

  test('only steps that could still be accepted are remembered', () => {
    assert.deepEqual(useStep([999_990, 999_999, 1_000_001, 1_000_500], 1_000_000, now), [999_999, 1_000_001, 1_000_000]);
  });
});

test('base32 without padding: the vectors of RFC 4648, section 10', () => {
  const vectors = { '': '', f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB', foobar: 'MZXW6YTBOI' };
  for (const [text, encoded] of Object.entries(vectors)) assert.equal(base32(Buffer.from(text)), encoded);
  for (let length = 0; length < 40; length += 1) {
    const bytes = randomBytes(length);
    assert.equal(base32(bytes), Secret.fromHex(bytes.toString('hex')).base32);
  }
});
