import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LoggedCommit, LoggedEvent, WebhookId } from '../../../../src/domains/core/webhooks/event.js';
import { boundsOfObjects, idBounds, nextPositions, orderCommits } from '../../../../src/domains/core/webhooks/log-rules.js';
import { createLogSession } from '../../../../src/domains/core/webhooks/log-session.js';
import { findDueForDrop } from '../../../../src/domains/core/webhooks/retention-rules.js';
import { divertToRows } from '../../../../src/domains/core/webhooks/rules.js';
import { madeAt, newId, newUuid, uuidAt } from '../../../../src/kernel/ids.js';

const event = (objectId: string, sequence: number, facts: Partial<LoggedEvent> = {}): LoggedEvent => ({
  id: newId('Webhook'),
  type: 'card.status_change',
  objectId,
  sequence,
  data: '{}',
  createdAt: new Date(0),
  queued: true,
  handled: false,
  isBehindRows: false,
  ...facts,
});
const commit = (id: string, ...events: LoggedEvent[]): LoggedCommit => ({ id, events });
const orderOf = (...commits: LoggedCommit[]) => orderCommits(commits).map(({ id }) => id);

describe('the order of commits that have no position yet', () => {
  test('is the order of their ids, where they have no object in common', () => {
    assert.deepEqual(orderOf(commit('3', event('c', 1)), commit('1', event('a', 1)), commit('2', event('b', 1))), ['1', '2', '3']);
  });
  test("follows the numbers of an object's events, also against the ids", () => {
    assert.deepEqual(orderOf(commit('1', event('a', 2)), commit('2', event('a', 1))), ['2', '1']);
    assert.deepEqual(
      orderOf(commit('1', event('a', 3)), commit('2', event('a', 2), event('b', 2)), commit('3', event('b', 1), event('a', 1))),
      ['3', '2', '1'],
    );
  });
  test('a commit comes after the earlier commits of each of its objects', () => {
    const [last, first, second] = [commit('1', event('a', 2), event('b', 2)), commit('2', event('a', 1)), commit('3', event('b', 1))];
    assert.deepEqual(orderOf(last, first, second), ['2', '3', '1']);
  });
  test('a long chain against the ids', () => {
    const ids = Array.from({ length: 2_000 }, (_, i) => String(i).padStart(4, '0'));
    const commits = ids.map((id, i) => commit(id, event('a', ids.length - i)));
    assert.deepEqual(orderOf(...commits), [...ids].reverse());
  });
});

test('positions are microseconds of the real time, and rise when the clock is set back', () => {
  assert.deepEqual(nextPositions(5n, new Date(1_000), 2), [1_000_000n, 1_000_001n]);
  assert.deepEqual(nextPositions(2_000_000n, new Date(1_000), 2), [2_000_001n, 2_000_002n]);
});

describe('where the events of an object are looked up', () => {
  test('from a day before the oldest object to a day after the new event', () => {
    const [id, objectId] = [newId('Webhook'), newId('Card')];
    const { from, before, mayBeDropped } = boundsOfObjects([{ id, objectId }]);
    const made = madeAt(objectId.slice(5)) ?? 0;
    assert.equal(from, uuidAt(made - 86_400_000));
    assert.ok(before > id.slice(8));
    assert.deepEqual(mayBeDropped, [false]);
  });
  test('everywhere, for an object whose id does not tell its time', () => {
    const { from, mayBeDropped } = boundsOfObjects([{ id: newId('Webhook'), objectId: 'Card:9b2f0c1e-0000-4000-8000-000000000000' }]);
    assert.equal(from, '00000000-0000-0000-0000-000000000000');
    assert.deepEqual(mayBeDropped, [true]);
  });
  test('the time of a version 7 uuid', () => {
    assert.ok(Math.abs((madeAt(newUuid()) ?? 0) - Date.now()) < 60_000);
    assert.equal(madeAt('9b2f0c1e-0000-4000-8000-000000000000'), undefined);
  });
});

test('a period bounds the ids of its events, with a day of tolerance on either side', () => {
  const [from, to] = [new Date('2026-03-02T00:00:00Z'), new Date('2026-03-03T00:00:00Z')];
  assert.deepEqual(idBounds({ createdFrom: from, createdBefore: to }), {
    idFrom: uuidAt(Date.parse('2026-03-01T00:00:00Z')),
    idBefore: uuidAt(Date.parse('2026-03-04T00:00:00Z')),
  });
  assert.deepEqual(idBounds({}), {});
});

describe('the cursor of a worker', () => {
  const ids = (...numbers: number[]): WebhookId[] => numbers.map((n): WebhookId => `Webhook:${n}`);
  const session = () => {
    const made = createLogSession({ settled: 10n, claimed: 10n });
    made.add(
      [
        { position: 11n, ids: ids(1, 2) },
        { position: 12n, ids: ids(3) },
        { position: 13n, ids: ids(4) },
      ],
      15n,
    );
    return made;
  };
  test('moves over a commit when all of its events are settled', () => {
    const one = session();
    assert.equal(one.settledWith(ids(1)), 10n);
    assert.equal(one.settledWith(ids(1, 2)), 11n);
    one.settle(ids(1, 2));
    assert.equal(one.settledWith([]), 11n);
  });
  test('waits for an event in the middle, and then passes what was settled behind it', () => {
    const one = session();
    one.settle(ids(1, 2, 4));
    assert.equal(one.settledWith([]), 11n);
    assert.equal(one.settledWith(ids(3)), 15n, 'and everything that was read');
  });
  test('an event that is settled twice counts once', () => {
    const one = session();
    one.settle(ids(1));
    one.settle(ids(1));
    assert.equal(one.settledWith([]), 10n);
  });
});

test('an event goes to delivery rows behind the rows of its object, unless the object is being sent from memory', () => {
  const [free, behind, inMemory, done, unqueued] = [
    event('a', 1),
    event('b', 2, { isBehindRows: true }),
    event('c', 2, { isBehindRows: true }),
    event('d', 1, { handled: true }),
    event('e', 1, { queued: false }),
  ];
  const { toSend, toRows } = divertToRows([{ id: '', position: 1n, events: [free, behind, inMemory, done, unqueued] }], (id) => id === 'c');
  assert.deepEqual(toSend, [{ position: 1n, events: [free, inMemory] }]);
  assert.deepEqual(toRows, [behind]);
});

describe('the life of events and attempts', () => {
  const week = (name: string, ends: string, attemptsDropped = false) => ({ name, begins: null, ends: new Date(ends), attemptsDropped });
  const weeks = [week('a', '2026-01-05'), week('b', '2026-02-02', true), week('c', '2026-03-02')];
  const due = (eventDays: number, attemptDays: number, now: string) => {
    const { events, attempts } = findDueForDrop(weeks, { eventDays, attemptDays }, new Date(now));
    return [events, attempts].map((found) => found.map(({ name }) => name).join());
  };
  test('a week is dropped when its last moment is as old as the life, not a moment before', () => {
    assert.deepEqual(due(14, 0, '2026-01-19T00:00:00.000Z'), ['a', '']);
    assert.deepEqual(due(14, 0, '2026-01-18T23:59:59.999Z'), ['', '']);
  });
  test('attempts are dropped once, and those of a dropped week with their events', () => {
    assert.deepEqual(due(60, 14, '2026-03-16T00:00:00Z'), ['a', 'c']);
  });
  test('0 keeps for ever', () => {
    assert.deepEqual(due(0, 0, '2126-01-01T00:00:00Z'), ['', '']);
  });
});
