// Where a change takes the sandbox clock, and which job is due next on the way.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decideClockMove, findFirstDue, findRemaining, inPhases, runTimeOf } from '../../../src/domains/sandbox/rules.js';
import { refusalBy } from '../../support/refusal.js';

const NOW = new Date('2026-03-04T05:00:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);
const clock = (frozen = false) => ({ now: NOW, frozen });

describe('a change of the clock', () => {
  test('freezing and resuming do not move it', () => {
    assert.deepEqual(decideClockMove(clock(), { frozen: true }), { moves: false, setBackTo: undefined, target: NOW, frozen: true });
    assert.deepEqual(decideClockMove(clock(true), { frozen: false }), { moves: false, setBackTo: undefined, target: NOW, frozen: false });
    assert.equal(decideClockMove(clock(true), { advanceMs: 1 }).frozen, true, 'otherwise it stays frozen');
  });

  test('an advance counts from the clock, or from the time that is given', () => {
    assert.deepEqual(decideClockMove(clock(), { advanceMs: 5 }), { moves: true, setBackTo: undefined, target: at(5), frozen: false });
    assert.deepEqual(decideClockMove(clock(), { now: at(10), advanceMs: 5 }).target, at(15));
    assert.equal(decideClockMove(clock(), { advanceMs: 0 }).moves, true);
  });

  test('a clock that is set back passes no due time until then', () => {
    assert.deepEqual(decideClockMove(clock(), { now: at(-1), advanceMs: 5 }), {
      moves: true,
      setBackTo: at(-1),
      target: at(4),
      frozen: false,
    });
    assert.equal(decideClockMove(clock(), { now: at(0) }).setBackTo, undefined);
    assert.equal(decideClockMove(clock(), { now: at(1) }).setBackTo, undefined);
  });

  test('it stays between the years 1970 and 9000, both ends included', () => {
    const first = new Date('1970-01-01T00:00:00.000Z');
    const last = new Date('9000-01-01T00:00:00.000Z');
    const moved = (change: Parameters<typeof decideClockMove>[1]) => refusalBy(() => decideClockMove(clock(), change));
    assert.equal(moved({ now: first }), 'allowed');
    assert.equal(moved({ now: new Date(first.getTime() - 1) }), 'INVALID_INPUT now');
    assert.equal(moved({ now: last }), 'allowed');
    assert.equal(moved({ now: last, advanceMs: 1 }), 'INVALID_INPUT now');
    assert.equal(moved({ advanceMs: last.getTime() - NOW.getTime() }), 'allowed');
    assert.equal(moved({ advanceMs: last.getTime() - NOW.getTime() + 1 }), 'INVALID_INPUT advanceMs');
  });
});

describe('due jobs', () => {
  test('jobs that change state come before webhooks', () => {
    const jobs = [{ name: 'deliver', sendsWebhooks: true }, { name: 'expire' }, { name: 'close', sendsWebhooks: false }];
    assert.deepEqual(
      inPhases(jobs).map((phase) => phase.map(({ name }) => name)),
      [['expire', 'close'], ['deliver']],
    );
  });

  test('the first due job up to the end of the advance; one that did nothing is not run again for the same time', () => {
    const due = [
      { job: 'b', at: at(20) },
      { job: 'a', at: at(10) },
      { job: 'c', at: at(30) },
    ];
    const first = (until: Date, idle: [string, number][] = []) => findFirstDue(due, until, new Map(idle))?.job;
    assert.equal(first(at(30)), 'a');
    assert.equal(first(at(10)), 'a');
    assert.equal(first(at(9)), undefined);
    assert.equal(first(at(30), [['a', at(10).getTime()]]), 'b');
    assert.equal(first(at(30), [['a', at(9).getTime()]]), 'a', 'it is due at another time');
    assert.deepEqual(
      findRemaining(due, at(20)).map(({ job }) => job),
      ['b', 'a'],
    );
  });

  test('a job runs at its due time, or now if that has passed, and never beyond the end of the advance', () => {
    assert.deepEqual(runTimeOf(at(5), NOW, at(10)), at(5));
    assert.deepEqual(runTimeOf(at(-5), NOW, at(10)), NOW);
    assert.deepEqual(runTimeOf(at(-5), at(20), at(10)), at(10));
  });
});
