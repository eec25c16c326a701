// Codes that verify contacts, without a database.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ContactCode } from '../../../../src/domains/identity/contacts/contact-code.js';
import { countSend, tryCode } from '../../../../src/domains/identity/contacts/rules.js';
import { ApiError } from '../../../../src/kernel/errors.js';
import { codeMatches, hashCode, newCode } from '../../../../src/kernel/one-time-code.js';

const at = (minutes: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minutes));
const code: ContactCode = { channel: 'EMAIL', codeHash: Buffer.from('h'), triesLeft: 5, expiresAt: at(10), sentAt: [at(0)] };

describe('sends', () => {
  test('the sixth in ten minutes is refused until the first is ten minutes old', () => {
    let sent: readonly Date[] = [];
    for (let i = 0; i < 5; i += 1) sent = countSend(sent, at(i));
    assert.throws(
      () => countSend(sent, at(9)),
      (error: unknown) => error instanceof ApiError && error.code === 'RATE_LIMITED' && error.headers['retry-after'] === '60',
    );
    assert.deepEqual(countSend(sent, at(10)), [at(1), at(2), at(3), at(4), at(10)]);
  });

  test('a clock that was set back does not lock the customer out', () => {
    const ahead = [at(50), at(51), at(52), at(53), at(54)];
    assert.deepEqual(countSend(ahead, at(0)), [at(0)]);
  });
});

describe('attempts', () => {
  const outcome = (of: ContactCode | undefined, matches: boolean, now: Date) => {
    const attempt = tryCode(of, matches, now);
    return attempt.kind === 'CONFIRMED' ? 'CONFIRMED' : attempt.refusal.details?.['cause'];
  };
  test('a code is good while it is unexpired, unspent and has tries left', () => {
    assert.equal(outcome(code, true, at(9)), 'CONFIRMED');
    assert.equal(outcome(code, true, at(10)), 'CODE_EXPIRED');
    assert.equal(outcome(undefined, false, at(0)), 'CODE_EXPIRED');
    assert.equal(outcome({ ...code, codeHash: null }, true, at(0)), 'CODE_EXPIRED');
    assert.equal(outcome({ ...code, triesLeft: 0 }, true, at(0)), 'CODE_EXPIRED');
    assert.equal(outcome(code, false, at(0)), 'CODE_INVALID');
  });
  test('the fifth wrong try voids the code', () => {
    let left: ContactCode | undefined = code;
    for (let i = 0; i < 5; i += 1) left = tryCode(left, false, at(0)).code;
    assert.deepEqual([left?.codeHash, left?.triesLeft], [null, 0]);
  });
});

test('a code is six digits, and its hash belongs to its context', () => {
  for (let i = 0; i < 100; i += 1) assert.match(newCode(false), /^\d{6}$/);
  assert.equal(newCode(true), '123456');
  const key = Buffer.alloc(32);
  const hash = hashCode(key, 'a', '123456');
  assert.ok(codeMatches(key, 'a', '123456', hash));
  assert.ok(!codeMatches(key, 'b', '123456', hash));
  assert.ok(!codeMatches(Buffer.alloc(32, 1), 'a', '123456', hash));
});
