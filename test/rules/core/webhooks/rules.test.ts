import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type AttemptOutcome,
  decideAttempt,
  goesElsewhere,
  RETRY_FOR_MS,
  retryAt,
  standingAfter,
  standingElsewhere,
} from '../../../../src/domains/core/webhooks/rules.js';

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
  test('how a delivery stands then', () => {
    const before = { failures: 2 };
    assert.deepEqual(standingAfter(before, { next: 'DELIVERED' }, now), { status: 'DELIVERED', failures: 2, dueAt: now, finishedAt: now });
    const later = at(MINUTE);
    assert.deepEqual(standingAfter(before, { next: 'RETRY', at: later }, now), {
      status: 'PENDING',
      failures: 3,
      dueAt: later,
      finishedAt: null,
    });
    for (const next of ['FAILED', 'STOP'] as const)
      assert.deepEqual(standingAfter(before, { next }, now), { status: 'FAILED', failures: 3, dueAt: now, finishedAt: now });
    assert.deepEqual(standingElsewhere(before, now), { status: 'PENDING', failures: 2, dueAt: now, finishedAt: null });
  });
  test('a 410 of an address that is no longer the endpoint decides nothing; a TEST has been sent all the same', () => {
    assert.equal(goesElsewhere('card.status_change', { isEndpoint: false }), true);
    assert.equal(goesElsewhere('card.status_change', { isEndpoint: true }), false);
    assert.equal(goesElsewhere('TEST', { isEndpoint: false }), false);
    assert.equal(goesElsewhere('TEST', { isEndpoint: true }), false);
  });
});

describe('"exponential back-off and jitter, at most 30 minutes apart, for 7 days, then failed"', () => {
  const delays = (failures: number[], jitter: number | 'ALIGNED') => failures.map((n) => retryAt(now, n, jitter).getTime() - now.getTime());

  test('the delays double from five seconds to thirty minutes', () => {
    const first = Array.from({ length: 12 }, (_, i) => i + 1);
    const seconds = [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 1_800, 1_800, 1_800];
    assert.deepEqual(
      delays(first, 0),
      seconds.map((n) => n * SECOND),
    );
    assert.deepEqual(delays([100_000], 0), [30 * MINUTE]);
  });
  test('the jitter takes away at most half', () => {
    assert.deepEqual(delays([3], 0.5), [15 * SECOND]);
    for (const [i, delay] of delays([1, 3, 10, 50], 0.999_999).entries()) assert.ok(delay >= ([2.5, 10, 900, 900][i] ?? 0) * SECOND);
  });
  test('where the clock is moved by hand attempts gather: at most one moment in every half delay, and no wait is longer or shorter than before', () => {
    const moments = new Set<number>();
    for (let ms = 0; ms < 30 * MINUTE; ms += 7_919) {
      const due = retryAt(at(ms), 20, 'ALIGNED').getTime();
      const wait = due - at(ms).getTime();
      assert.ok(wait > 15 * MINUTE && wait <= 30 * MINUTE, String(wait));
      moments.add(due);
    }
    assert.ok(moments.size <= 3, String(moments.size));
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
