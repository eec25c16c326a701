// Sessions of the console and the place of their stream, without a database.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CODE_LIFE_MS,
  isClockNews,
  isOver,
  isToBeNoted,
  parsePosition,
  renderPosition,
} from '../../../../src/domains/core/console/rules.js';

const START = Date.parse('2026-06-01T00:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a session', () => {
  const times = (seenMs: number, nowMs: number) => ({
    createdAt: new Date(START),
    seenAt: new Date(START + seenMs),
    realNow: new Date(START + nowMs),
  });
  test('ends without a call for 8 hours in sandbox, for 30 minutes in live mode', () => {
    assert.equal(isOver(times(0, 8 * HOUR), 'sandbox'), false);
    assert.equal(isOver(times(0, 8 * HOUR + 1), 'sandbox'), true);
    assert.equal(isOver(times(HOUR, HOUR + 30 * MINUTE), 'live'), false);
    assert.equal(isOver(times(HOUR, HOUR + 30 * MINUTE + 1), 'live'), true);
  });
  test('ends after 12 hours, however busy', () => {
    for (const mode of ['sandbox', 'live'] as const) {
      assert.equal(isOver(times(12 * HOUR, 12 * HOUR), mode), false);
      assert.equal(isOver(times(12 * HOUR + 1, 12 * HOUR + 1), mode), true);
    }
  });
  test('notes its last call once a minute', () => {
    assert.equal(isToBeNoted(times(HOUR, HOUR + MINUTE)), false);
    assert.equal(isToBeNoted(times(HOUR, HOUR + MINUTE + 1)), true);
  });
  test('a sign-in code lives for 15 minutes', () => assert.equal(CODE_LIFE_MS, 15 * MINUTE));
});

describe('the position of a stream', () => {
  const REQUEST = '01950000-0000-7000-8000-0000000000ab';
  test('is read as it was written', () => {
    const position = { event: { position: 1_772_000_000_000_001n, place: 2 }, request: REQUEST };
    assert.equal(renderPosition(position), `1772000000000001.2.${REQUEST}`);
    assert.deepEqual(parsePosition(renderPosition(position)), position);
  });
  test('any other text is none', () => {
    const none = [
      undefined,
      '',
      'x',
      `1.${REQUEST}`,
      `1.2`,
      `1.2.x`,
      `-1.2.${REQUEST}`,
      `1.2.${REQUEST}.3`,
      `${'1'.repeat(19)}.2.${REQUEST}`,
    ];
    for (const text of none) assert.equal(parsePosition(text), undefined, text);
  });
});

describe('a tab is told of the clock', () => {
  const clock = (nowMs: number, at: number, frozen = false) => ({ now: new Date(START + nowMs), frozen, at });
  test('first, and when it is frozen or released', () => {
    assert.equal(isClockNews(undefined, clock(0, 0)), true);
    assert.equal(isClockNews(clock(0, 0), clock(0, 0, true)), true);
    assert.equal(isClockNews(clock(0, 0, true), clock(0, 0)), true);
  });
  test('a running clock when it is more than a second off, either way', () => {
    const told = clock(0, 100);
    assert.equal(isClockNews(told, clock(5_000, 5_100)), false);
    for (const ms of [6_000, 4_000]) assert.equal(isClockNews(told, clock(ms, 5_100)), false, String(ms));
    for (const ms of [6_001, 3_999]) assert.equal(isClockNews(told, clock(ms, 5_100)), true, String(ms));
  });
  test('a frozen clock when it was set', () => {
    const told = clock(0, 100, true);
    assert.equal(isClockNews(told, clock(0, 99_999, true)), false);
    assert.equal(isClockNews(told, clock(1_001, 100, true)), true);
  });
});
