// "`GET /timeline?objectId=`: history, events, requests, legs and ledger entries of one object, one order."
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  mergeTimeline,
  TIMELINE_KINDS,
  type TimelineItem,
  type TimelineKind,
  type TimelinePosition,
} from '../../../../src/domains/core/requests/timeline.js';

const item = (kind: TimelineKind, key: number, at: number): TimelineItem => ({
  kind,
  key: String(key),
  at,
  timestamp: new Date(at),
  cause: null,
  facts: {},
});
const named = ({ kind, key }: TimelineItem): string => `${kind} ${key}`;

test('of one moment, newest first: the event, the ledger entry, the change, the proof, the signature, the request', () => {
  const lists = TIMELINE_KINDS.map((kind) => [item(kind, 1, 1_000)]);
  assert.deepEqual(
    mergeTimeline(lists, 10, {}).items.map(({ kind }) => kind),
    ['EVENT', 'LEDGER_ENTRY', 'CHANGE', 'PROOF', 'SIGNATURE', 'REQUEST'],
  );
});

test('pages of any size show every item once, in the same order, also where the times of a list go back', () => {
  // A clock that was behind: key 3 of the events has an earlier time than key 2.
  const all: Record<'REQUEST' | 'EVENT', TimelineItem[]> = {
    REQUEST: [item('REQUEST', 9, 90), item('REQUEST', 8, 40), item('REQUEST', 7, 40), item('REQUEST', 6, 10)],
    EVENT: [item('EVENT', 4, 91), item('EVENT', 3, 20), item('EVENT', 2, 41), item('EVENT', 1, 40)],
  };
  const read = (limit: number, from: TimelinePosition) =>
    mergeTimeline(
      (['REQUEST', 'EVENT'] as const).map((kind) =>
        all[kind].filter(({ key }) => from[kind] === undefined || Number(key) < Number(from[kind])).slice(0, limit + 1),
      ),
      limit,
      from,
    );
  const whole = read(100, {});
  assert.equal(whole.next, undefined);
  assert.equal(whole.items.length, 8);
  for (const limit of [1, 2, 3, 5, 7, 8]) {
    const seen: TimelineItem[] = [];
    let from: TimelinePosition | undefined = {};
    while (from) {
      const { items, next }: ReturnType<typeof mergeTimeline> = read(limit, from);
      assert.ok(items.length <= limit);
      seen.push(...items);
      from = next;
    }
    assert.deepEqual(seen.map(named), whole.items.map(named), `pages of ${limit}`);
  }
});

test('a list that is shown completely has no next page', () => {
  assert.equal(mergeTimeline([[item('EVENT', 1, 1)]], 1, {}).next, undefined);
  assert.deepEqual(mergeTimeline([[item('EVENT', 2, 2), item('EVENT', 1, 1)]], 1, {}).next, { EVENT: '2' });
});
