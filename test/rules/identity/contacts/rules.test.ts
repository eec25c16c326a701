// Codes that verify contacts, without a database.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ContactCode } from '../../../../src/domains/identity/contacts/contact-code.js';
import { CODE_LIFE_MS, CODE_TRIES, contactToVerify, countSend, tryCode } from '../../../../src/domains/identity/contacts/rules.js';
import { ApiError } from '../../../../src/kernel/errors.js';
import { codeMatches, hashCode, newCode } from '../../../../src/kernel/one-time-code.js';

const at = (minutes: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minutes));
const code: ContactCode = { channel: 'EMAIL', codeHash: Buffer.from('h'), triesLeft: 5, expiresAt: at(10), sentAt: [at(0)] };

test('a code lasts ten minutes and has five tries', () => {
  assert.deepEqual([CODE_LIFE_MS, CODE_TRIES], [600_000, 5]);
});

test('a contact is verified where that is required, once, and if there is one', () => {
  const facts = { isRegulated: true, verifiedAt: null, contact: 'ada@example.com' };
  assert.equal(contactToVerify(facts), 'ada@example.com');
  const refused = (change: object, cause: string) =>
    assert.throws(
      () => contactToVerify({ ...facts, ...change }),
      (error: unknown) => error instanceof ApiError && error.code === 'CONFLICT' && error.details?.['cause'] === cause,
      cause,
    );
  refused({ isRegulated: false }, 'NOT_REQUIRED');
  refused({ verifiedAt: at(0) }, 'ALREADY_VERIFIED');
  refused({ contact: null }, 'NO_CONTACT');
});

describe('sends', () => {
  test('the sixth in ten minutes is refused until the first is ten minutes old', () => {
    let sent: readonly Date[] = [];
    for (let i = 0; i < 5; i += 1) sent = countSend(sent, at(i));
    assert.throws(
      () => countSend(sent, at(9)),
      (error: unknown) => error instanceof ApiError && error.code === 'RATE_LIMITED' && error.headers['retry-after'] === '60',
    );
    const early = new Date(at(5).getTime() - 1);
    assert.throws(
      () => countSend(sent, early),
      (error: unknown) => error instanceof ApiError && error.headers['retry-after'] === '301',
      'a part of a second is a second',
    );
    assert.deepEqual(countSend(sent, at(10)), [at(1), at(2), at(3), at(4), at(10)]);
  });

  test('a send a moment ahead counts: requests at the same moment read the clock one by one', () => {
    const ahead = Array.from({ length: 5 }, (_, i) => new Date(at(0).getTime() + i));
    assert.throws(() => countSend(ahead, at(0)));
  });

  test('a clock that was set back does not lock the customer out', () => {
    const ahead = [at(50), at(51), at(52), at(53), at(54)];
    assert.deepEqual(countSend(ahead, at(0)), [at(0)]);
  });
});

describe('attempts', () => {
  const outcome = (of: ContactCode | undefined, matches: boolean, now: Date) => {
    const attempt = tryCode(of, matches, now);
    if (attempt.kind === 'CONFIRMED') return 'CONFIRMED';
    assert.deepEqual([attempt.kind, attempt.refusal.code], ['REFUSED', 'INVALID_INPUT']);
    return attempt.refusal.details?.['cause'];
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
