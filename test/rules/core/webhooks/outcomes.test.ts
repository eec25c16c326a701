// What is saved after attempts, the rows of deliveries, and questions to a platform. Attempts by themselves are in rules.test.ts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Attempt, ClaimedDelivery, EventType, LoggedEvent } from '../../../../src/domains/core/webhooks/event.js';
import {
  type DeliveryOutcome,
  decideAttempt,
  decideOutcomes,
  divertToRows,
  firstDelivery,
  isOpen,
  isOverdue,
  isQuestion,
  nextAfterObject,
  QUESTION_MS,
  refuseSecondOverlap,
  retryAt,
  rowBeforeFirstAttempt,
  rowOfOutcome,
  rowOfOverdue,
} from '../../../../src/domains/core/webhooks/rules.js';
import { answerOf } from '../../../support/refusal.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const DAY = 86_400_000;
const MINUTE = 60_000;
const at = (ms: number) => new Date(NOW.getTime() + ms);

const claimed = (facts: Partial<ClaimedDelivery> = {}): ClaimedDelivery => ({
  id: 'Webhook:1',
  type: 'card.status_change',
  objectId: 'Card:1',
  sequence: 4,
  data: '{}',
  createdAt: NOW,
  attempts: 0,
  failures: 0,
  retryUntil: at(7 * DAY),
  fromLog: true,
  ...facts,
});

describe('a question to the platform: its first answer is the decision', () => {
  const next = (type: EventType, status: number) =>
    decideAttempt({ type, failures: 1, retryUntil: at(7 * DAY), outcome: { status }, now: NOW, jitter: 0 }).next;

  test('INCOMING_PAYMENT.PENDING asks, and the receiver has five seconds', () => {
    assert.equal(isQuestion({ type: 'INCOMING_PAYMENT.PENDING' }), true);
    for (const type of ['TEST', 'INCOMING_PAYMENT.COMPLETED', 'OUTGOING_PAYMENT.PENDING'] as const)
      assert.equal(isQuestion({ type }), false, type);
    assert.equal(QUESTION_MS, 5_000);
  });
  test('every status: an acceptance and a refusal are delivered, 410 stops the endpoint, nothing is asked twice', () => {
    for (let status = 100; status < 600; status += 1) {
      const isAnswer = (status >= 200 && status <= 299) || [403, 409, 422].includes(status);
      assert.equal(next('INCOMING_PAYMENT.PENDING', status), isAnswer ? 'DELIVERED' : status === 410 ? 'STOP' : 'FAILED', String(status));
    }
  });
  test('a refusal of any other event is retried', () => {
    for (const status of [403, 422]) assert.equal(next('INCOMING_PAYMENT.COMPLETED', status), 'RETRY');
  });
});

test('aligned retries are due at multiples of half the delay', () => {
  for (const [failures, half] of [
    [1, 2_500],
    [2, 5_000],
    [20, 15 * MINUTE],
  ] as const)
    for (const ms of [0, 1, 1_234_567]) {
      const due = retryAt(at(ms), failures, 'ALIGNED').getTime();
      assert.equal(due % half, 0);
      const wait = due - at(ms).getTime();
      assert.ok(wait > half && wait <= 2 * half, `${failures} ${ms}`);
    }
});

describe('the outcomes of attempts', () => {
  const outcome = (facts: Partial<DeliveryOutcome> = {}): DeliveryOutcome => ({
    id: 'Webhook:1',
    objectId: 'Card:1',
    sequence: 4,
    retryUntil: at(7 * DAY),
    fromLog: true,
    status: 'PENDING',
    failures: 1,
    dueAt: at(5_000),
    finishedAt: null,
    attempt: { number: 1 } as Attempt,
    ...facts,
  });
  const failed = outcome({ status: 'FAILED', dueAt: NOW, finishedAt: NOW });
  const again = outcome({ failures: 0, dueAt: NOW });
  const gone = (url: string, ms = 0) => ({ url, at: at(ms), otherwise: again });
  const attempt = (type: EventType, made: DeliveryOutcome, stopped?: ReturnType<typeof gone>) => ({ type, outcome: made, gone: stopped });

  test('a delivery is open while it is pending', () => {
    assert.deepEqual(
      (['PENDING', 'DELIVERED', 'FAILED'] as const).map((status) => isOpen({ status })),
      [true, false, false],
    );
  });

  test('of a platform that is gone are saved as they are', () => {
    const late = outcome({ dueAt: at(DAY) });
    assert.deepEqual(decideOutcomes([attempt('card.status_change', late), attempt('TEST', failed, gone('https://a'))], undefined), {
      stop: undefined,
      outcomes: [late, failed],
    });
  });

  test('a 410 of the present endpoint stops it, and the event has failed', () => {
    const { stop, outcomes } = decideOutcomes([attempt('card.status_change', failed, gone('https://a'))], { url: 'https://a', now: NOW });
    assert.equal(stop?.url, 'https://a');
    assert.deepEqual(outcomes, [failed]);
  });

  test('a 410 of an earlier endpoint stops nothing; the event goes to the new one, a TEST does not', () => {
    const attempts = [attempt('card.status_change', failed, gone('https://old')), attempt('TEST', failed, gone('https://old'))];
    assert.deepEqual(decideOutcomes(attempts, { url: 'https://new', now: NOW }), { stop: undefined, outcomes: [again, failed] });
  });

  test('the last 410 of several is the time of the stop', () => {
    const attempts = [0, 5, 9].map((ms) => attempt('card.status_change', failed, gone(ms === 9 ? 'https://old' : 'https://a', ms)));
    assert.deepEqual(decideOutcomes(attempts, { url: 'https://a', now: NOW }).stop?.at, at(5));
  });

  test('no retry is due later than thirty minutes from now, because the clock may have been set back', () => {
    const due = (made: DeliveryOutcome) =>
      decideOutcomes([attempt('card.status_change', made)], { url: null, now: NOW }).outcomes.map(
        ({ dueAt }) => dueAt.getTime() - NOW.getTime(),
      );
    assert.deepEqual(due(outcome({ dueAt: at(30 * MINUTE) })), [30 * MINUTE]);
    assert.deepEqual(due(outcome({ dueAt: at(30 * MINUTE + 1) })), [30 * MINUTE]);
    assert.deepEqual(due(outcome({ dueAt: at(1) })), [1]);
    assert.deepEqual(due({ ...failed, dueAt: at(DAY) }), [DAY], 'what has ended keeps its time');
  });

  test('the row of a first attempt that did not deliver knows the attempt, and nobody has claimed it', () => {
    const { attempt: _attempt, ...rest } = outcome();
    assert.deepEqual(rowOfOutcome(outcome({ attempt: { number: 3 } as Attempt })), { ...rest, attempts: 3, leasedUntil: null });
  });
});

describe('events of the log', () => {
  const unsent = {
    id: 'Webhook:1',
    objectId: 'Card:1',
    sequence: 4,
    retryUntil: at(7 * DAY),
    attempts: 0,
    failures: 0,
    status: 'PENDING',
    dueAt: NOW,
    finishedAt: null,
    leasedUntil: null,
  };
  test('a row before the first attempt is due now, and has neither attempts nor failures', () => {
    assert.deepEqual(rowBeforeFirstAttempt(claimed({ attempts: 7, failures: 7 }), NOW), unsent);
    assert.deepEqual(rowBeforeFirstAttempt(claimed(), NOW, at(1)), { ...unsent, leasedUntil: at(1) });
  });
  test('one that waited for an endpoint for seven days has failed', () => {
    assert.deepEqual(rowOfOverdue(claimed(), NOW), { ...unsent, status: 'FAILED', finishedAt: NOW });
    assert.equal(isOverdue(claimed({ createdAt: at(-7 * DAY) }), NOW), false);
    assert.equal(isOverdue(claimed({ createdAt: at(-7 * DAY - 1) }), NOW), true);
  });

  const logged = (facts: Partial<LoggedEvent> = {}): LoggedEvent => {
    const { attempts: _a, failures: _f, retryUntil: _r, fromLog: _l, ...event } = claimed();
    return { ...event, queued: true, handled: false, isBehindRows: false, ...facts };
  };
  test('a first delivery is tried for seven days from the event, or from now after the clock was set back', () => {
    const earlier = firstDelivery(logged({ createdAt: at(-1) }), NOW);
    assert.deepEqual(earlier, claimed({ createdAt: at(-1), retryUntil: at(7 * DAY - 1) }));
    assert.deepEqual(firstDelivery(logged({ createdAt: at(DAY) }), NOW).retryUntil, at(7 * DAY));
  });
  test('a commit with one event to send is sent; one without is left out', () => {
    const [one, behind] = [logged(), logged({ isBehindRows: true })];
    const { toSend, toRows } = divertToRows(
      [
        { id: 'a', position: 1n, events: [one] },
        { id: 'b', position: 2n, events: [behind] },
      ],
      () => false,
    );
    assert.deepEqual([toSend, toRows], [[{ position: 1n, events: [one] }], [behind]]);
  });
  test('the next claim goes on after an object whose batch has a first attempt, wherever in the batch', () => {
    const batch = [claimed({ objectId: 'b', failures: 1 }), claimed({ objectId: 'b' })];
    assert.equal(nextAfterObject([[claimed({ objectId: 'a' })], batch], 2), 'b');
  });
});

test('"one overlap at a time"; a rotation without overlap is always allowed', () => {
  const retiresAt = at(DAY);
  refuseSecondOverlap([{ retiresAt: null }], DAY);
  refuseSecondOverlap([{ retiresAt: null }, { retiresAt }], 0);
  for (const overlapMs of [1, DAY])
    assert.deepEqual(
      answerOf(() => refuseSecondOverlap([{ retiresAt: null }, { retiresAt }], overlapMs)),
      ['CONFLICT', { retiresAt }],
    );
});
