import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ClaimedDelivery } from '../../../../src/domains/core/webhooks/event.js';
import {
  type AttemptOutcome,
  batchByObject,
  concurrencyAfter,
  concurrencyBeside,
  decideAttempt,
  isSentToNewEndpoint,
  mayStart,
  nextAfterObject,
  RETRY_FOR_MS,
  retryAt,
  stateAfter,
  stateForNewEndpoint,
} from '../../../../src/domains/core/webhooks/rules.js';
import { newId } from '../../../../src/kernel/ids.js';

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
  test('the state of a delivery after an attempt', () => {
    const before = { failures: 2 };
    assert.deepEqual(stateAfter(before, { next: 'DELIVERED' }, now), { status: 'DELIVERED', failures: 2, dueAt: now, finishedAt: now });
    const later = at(MINUTE);
    assert.deepEqual(stateAfter(before, { next: 'RETRY', at: later }, now), {
      status: 'PENDING',
      failures: 3,
      dueAt: later,
      finishedAt: null,
    });
    for (const next of ['FAILED', 'STOP'] as const)
      assert.deepEqual(stateAfter(before, { next }, now), { status: 'FAILED', failures: 3, dueAt: now, finishedAt: now });
    assert.deepEqual(stateForNewEndpoint(before, now), { status: 'PENDING', failures: 2, dueAt: now, finishedAt: null });
  });
  test('a 410 from an address that is no longer the endpoint sends the event to the new endpoint, except TEST', () => {
    assert.equal(isSentToNewEndpoint('card.status_change', { isEndpoint: false }), true);
    assert.equal(isSentToNewEndpoint('card.status_change', { isEndpoint: true }), false);
    assert.equal(isSentToNewEndpoint('TEST', { isEndpoint: false }), false);
    assert.equal(isSentToNewEndpoint('TEST', { isEndpoint: true }), false);
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
  test('with a frozen clock retries share due times: at most one in every half delay, and every wait stays within its bounds', () => {
    const moments = new Set<number>();
    for (let ms = 0; ms < 30 * MINUTE; ms += 7_919) {
      const due = retryAt(at(ms), 20, 'ALIGNED').getTime();
      const wait = due - at(ms).getTime();
      assert.ok(wait > 15 * MINUTE && wait <= 30 * MINUTE, String(wait));
      moments.add(due);
    }
    assert.ok(moments.size <= 3, String(moments.size));
  });
  test('the next attempt is due after the delay', () => {
    assert.deepEqual(decide({ status: 500 }, { failures: 10 }), { next: 'RETRY', at: at(30 * MINUTE) });
  });
  test('a retry exactly at the end of the retry period is made, one millisecond later is not', () => {
    assert.equal(decide({ status: 500 }, { failures: 1, retryUntil: at(5 * SECOND) }).next, 'RETRY');
    assert.equal(decide({ status: 500 }, { failures: 1, retryUntil: at(5 * SECOND - 1) }).next, 'FAILED');
  });
  test('a receiver that never answers is tried for seven days, some hundred times', () => {
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

describe('deliveries that are sent together', () => {
  const delivery = (objectId: string, sequence: number, failures = 0): ClaimedDelivery => ({
    id: newId('Webhook'),
    type: 'card.status_change',
    objectId,
    sequence,
    data: '{}',
    createdAt: now,
    attempts: failures,
    failures,
    retryUntil: at(RETRY_FOR_MS),
    fromLog: false,
  });

  test('first attempts of one object form a batch; every retry is a batch of its own', () => {
    const [a1, a2, b1, retry, b2] = [delivery('a', 1), delivery('a', 2), delivery('b', 1), delivery('b', 2, 1), delivery('b', 3)];
    assert.deepEqual(batchByObject([a1, a2, b1, retry, b2]), [[a1, a2], [b1], [retry], [b2]]);
    assert.deepEqual(batchByObject([]), []);
  });
  test('the next claim continues after the last object served, and starts again when fewer objects than the limit were found', () => {
    const batches = [[delivery('a', 1)], [delivery('b', 1)], [delivery('c', 1, 1)]];
    assert.equal(nextAfterObject(batches, 2), 'b');
    assert.equal(nextAfterObject(batches, 3), '');
  });
});

test('concurrency is halved down to two without an answer and rises by one with each answer', () => {
  assert.deepEqual(
    [32, 5, 3, 2].map((current) => concurrencyAfter(current, { answered: false, most: 32 })),
    [16, 2, 2, 2],
  );
  assert.deepEqual(
    [2, 31, 32].map((current) => concurrencyAfter(current, { answered: true, most: 32 })),
    [3, 32, 32],
  );
});

test('the more decisions are open, the fewer requests are sent at once; two at least, and never more than the endpoint takes', () => {
  assert.deepEqual(
    [0, 1, 2, 6, 14, 30, 1_000].map((decisions) => concurrencyBeside(decisions, 32)),
    [32, 21, 16, 8, 4, 2, 2],
  );
  assert.equal(concurrencyBeside(1_000, 1), 1);
});

test('an attempt starts only while its claim is current, not gone, and in the first half of its lease', () => {
  const good = { isStopping: false, isCurrent: true, claimedAt: 100, goneAt: Number.NEGATIVE_INFINITY, now: 150, leaseMs: 100 };
  assert.equal(mayStart(good), true);
  assert.equal(mayStart({ ...good, goneAt: 100 }), true);
  for (const change of [{ isStopping: true }, { isCurrent: false }, { goneAt: 101 }, { now: 150.1 }])
    assert.equal(mayStart({ ...good, ...change }), false, JSON.stringify(change));
});
