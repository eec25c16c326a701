// The latency of `npm run prove -- load` is that of the service, and not of a host that runs others on the processors.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, readStat, TakenTime, ticksOf, undisturbed } from '../../prove/taken-time.js';

const call = (due: number, took = 5, late = 0): Call => ({ due, sent: due + late, answered: due + late + took });

describe('the calls that count', () => {
  it('all, if the host took nothing', () => {
    const calls = [call(0), call(1_500, 40_000), call(9_000, 5, 3_000)];
    assert.deepEqual(undisturbed(calls, new Set()), calls);
  });

  it('none that was under way in a second that the host took', () => {
    const [before, across, within, after] = [call(1_990, 9), call(1_990, 10), call(2_999, 0), call(3_000)];
    assert.deepEqual(undisturbed([before, across, within, after], new Set([2])), [before, after]);
    assert.deepEqual(undisturbed([call(1_000, 5_000)], new Set([3])), []);
  });

  it('none after it, until every call of a second is sent in time', () => {
    const waiting = [call(3_100, 5, 900), call(4_100, 5, 20)];
    const [inTime, lateAgain] = [call(5_100, 5, 19), call(6_100, 5, 900)];
    assert.deepEqual(undisturbed([...waiting, inTime, lateAgain], new Set([2])), [inTime, lateAgain]);
  });

  it('those of a service that does not make up for what it missed', () => {
    const waiting = [3, 4, 5, 6, 7, 8, 9].map((second) => call(second * 1_000, 5, 900));
    assert.deepEqual(undisturbed(waiting, new Set([2])), waiting.slice(2));
    assert.deepEqual(undisturbed(waiting, new Set([1, 2])), waiting.slice(5));
  });
});

describe('a second is taken', () => {
  /** The processors' time after each look: all of it, and what the host took. */
  const secondsOf = (...looks: { at: number; all: number; taken: number }[]): number[] => {
    const stats = looks.map(({ all, taken }) => `cpu  ${all - taken} 0 0 0 0 0 0 ${taken} 7 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n`);
    const time = new TakenTime(() => stats.shift() as string);
    for (const { at } of looks.slice(1)) time.look(at);
    return [...time.seconds];
  };

  it('if the host took more than a twentieth between two looks', () => {
    const [begin, first] = [
      { at: 0, all: 1_000, taken: 500 },
      { at: 1_000, all: 1_200, taken: 510 },
    ];
    assert.deepEqual(secondsOf(begin, first), []);
    assert.deepEqual(secondsOf(begin, { ...first, taken: 511 }), [0, 1]);
  });

  it('and those before and after it are not', () => {
    const looks = [0, 0, 100, 100].map((taken, second) => ({ at: second * 1_000 + 500, all: second * 200, taken }));
    assert.deepEqual(secondsOf(...looks), [1, 2]);
  });

  it('on no system that does not tell', () => {
    assert.deepEqual(ticksOf(''), { taken: 0, all: 0 });
  });
});

it('the processors of this machine are read', { skip: process.platform !== 'linux' }, () => {
  assert.ok(ticksOf(readStat()).all > 0);
});
