// Bounds of look-ups in the log, and the weeks of the log: values at and beside each limit.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LoggedCommit, LoggedEvent } from '../../../../src/domains/core/webhooks/event.js';
import { boundsOfObjects, nextPositions, orderCommits } from '../../../../src/domains/core/webhooks/log-rules.js';
import { findDueForDrop, madeUntil } from '../../../../src/domains/core/webhooks/retention-rules.js';
import { uuidAt } from '../../../../src/kernel/ids.js';

const NOW = Date.parse('2026-03-20T12:00:00Z');
const DAY = 86_400_000;
const UNTIMED = '9b2f0c1e-0000-4000-8000-000000000000';
/** A version 7 uuid of a moment. */
const uuidOf = (ms: number) => uuidAt(ms).replace(/^(.{14})0(.{4})0/, '$17$28');
const event = (madeAt: number, objectMadeAt: number | undefined) => ({
  id: `Webhook:${uuidOf(madeAt)}`,
  objectId: `Card:${objectMadeAt === undefined ? UNTIMED : uuidOf(objectMadeAt)}`,
});

describe('where the earlier events of objects are looked up', () => {
  test('from a day before the oldest object to a day after the newest event', () => {
    const { from, before } = boundsOfObjects([event(NOW, NOW - 3 * DAY), event(NOW - DAY, NOW - 5 * DAY), event(NOW - 2 * DAY, NOW - DAY)]);
    assert.equal(from, uuidAt(NOW - 6 * DAY));
    assert.equal(before, uuidAt(NOW + DAY));
  });
  test('an object of more than eight days may have lost events, and one whose id does not tell its time', () => {
    const objects = [event(NOW, NOW - 8 * DAY), event(NOW, NOW - 8 * DAY - 1), event(NOW, undefined)];
    const { from, mayBeDropped } = boundsOfObjects(objects);
    assert.deepEqual(mayBeDropped, [false, true, true]);
    assert.equal(from, '00000000-0000-0000-0000-000000000000');
  });
});

test('several events of one object in one commit do not wait for each other', () => {
  const of = (objectId: string, sequence: number) => ({ objectId, sequence }) as LoggedEvent;
  const commits: LoggedCommit[] = [
    { id: '2', events: [of('a', 3), of('a', 2)] },
    { id: '1', events: [of('a', 4)] },
    { id: '3', events: [of('a', 1), of('b', 1)] },
  ];
  assert.deepEqual(
    orderCommits(commits).map(({ id }) => id),
    ['3', '2', '1'],
  );
});

test('a position is never given twice, also within one microsecond', () => {
  assert.deepEqual(nextPositions(1_000_000n, new Date(1_000), 1), [1_000_001n]);
  assert.deepEqual(nextPositions(999_999n, new Date(1_000), 1), [1_000_000n]);
});

describe('the weeks of the log', () => {
  const week = { name: 'a', begins: null, ends: new Date(NOW), attemptsDropped: false };
  test('a life of one day ends a day after the week, that of events and of attempts', () => {
    const due = (eventDays: number, attemptDays: number, now: number) => {
      const { events, attempts } = findDueForDrop([week], { eventDays, attemptDays }, new Date(now));
      return [events.length, attempts.length];
    };
    assert.deepEqual(due(1, 0, NOW + DAY - 1), [0, 0]);
    assert.deepEqual(due(1, 0, NOW + DAY), [1, 0]);
    assert.deepEqual(due(0, 1, NOW + DAY - 1), [0, 0]);
    assert.deepEqual(due(0, 1, NOW + DAY), [0, 1]);
  });
  test('weeks are made four weeks ahead', () => assert.deepEqual(madeUntil(new Date(NOW)), new Date(NOW + 28 * DAY)));
});
