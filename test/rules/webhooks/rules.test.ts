import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AttemptOutcome, decideAttempt, RETRY_FOR_MS, retryDelayMs } from '../../../src/domains/webhooks/rules.js';

const now = new Date('2026-03-01T12:00:00Z');
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const at = (ms: number) => new Date(now.getTime() + ms);
const decide = (outcome: AttemptOutcome, facts: { type?: 'TEST' | 'card.status_change'; failures?: number; retryUntil?: Date } = {}) =>
  decideAttempt({ type: 'card.status_change', failures: 1, retryUntil: at(RETRY_FOR_MS), now, jitter: 0, outcome, ...facts });

describe('"2xx and 409 are delivered; 410 stops the endpoint; everything else, timeouts and 3xx included, is retried"', () => {
  test('every status', () => {
    for (let status = 100; status < 600; status += 1) {
      const expected = (status >= 200 && status <= 299) || status === 409 ? 'DELIVERED' : status === 410 ? 'STOP' : 'RETRY';
      assert.equal(decide({ status }).next, expected, String(status));
    }
  });
  test('no answer at all', () => {
    for (const failure of [
      'TIMEOUT',
      'CONNECTION_FAILED',
      'ADDRESS_REFUSED',
      'URL_REFUSED',
      'NAME_NOT_RESOLVED',
      'TLS_FAILED',
      'ANSWER_INVALID',
    ])
      assert.equal(decide({ failure }).next, 'RETRY', failure);
  });
  test('"TEST is sent once"', () => {
    assert.deepEqual(decide({ status: 500 }, { type: 'TEST' }), { next: 'FAILED' });
    assert.deepEqual(decide({ failure: 'TIMEOUT' }, { type: 'TEST' }), { next: 'FAILED' });
    assert.deepEqual(decide({ status: 204 }, { type: 'TEST' }), { next: 'DELIVERED' });
  });
});

describe('"exponential back-off and jitter, at most 30 minutes apart, for 7 days, then failed"', () => {
  test('the delays double from five seconds to thirty minutes', () => {
    const delays = Array.from({ length: 12 }, (_, failed) => retryDelayMs(failed + 1, 0) / SECOND);
    assert.deepEqual(delays, [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 1_800, 1_800, 1_800]);
    assert.equal(retryDelayMs(100_000, 0), 30 * MINUTE);
  });
  test('the jitter takes away at most half', () => {
    assert.equal(retryDelayMs(3, 0.5), 15 * SECOND);
    assert.ok(retryDelayMs(3, 0.999_999) >= 10 * SECOND);
  });
  test('the next attempt is that much later', () => {
    assert.deepEqual(decide({ status: 500 }, { failures: 10 }), { next: 'RETRY', at: at(30 * MINUTE) });
  });
  test('exactly the last moment is still tried, one millisecond more is not', () => {
    assert.equal(decide({ status: 500 }, { failures: 1, retryUntil: at(5 * SECOND) }).next, 'RETRY');
    assert.equal(decide({ status: 500 }, { failures: 1, retryUntil: at(5 * SECOND - 1) }).next, 'FAILED');
  });
  test('a receiver that never comes back is tried for seven days and some hundred times', () => {
    let time = now;
    let attempts = 0;
    for (;;) {
      attempts += 1;
      const verdict = decideAttempt({
        type: 'card.status_change',
        failures: attempts,
        retryUntil: at(RETRY_FOR_MS),
        outcome: { status: 500 },
        now: time,
        jitter: 0,
      });
      if (verdict.next !== 'RETRY') break;
      assert.ok(verdict.at.getTime() - time.getTime() <= 30 * MINUTE);
      time = verdict.at;
    }
    assert.ok(at(RETRY_FOR_MS).getTime() - time.getTime() < 30 * MINUTE);
    assert.ok(attempts > 336 && attempts < 350, String(attempts));
  });
});
