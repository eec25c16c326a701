// The outcomes of a part that runs in a process per core, and what a run has covered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { combined } from '../../prove/processes.js';
import { coverage } from '../../prove/report.js';

test('trials and failures of the processes are added', () => {
  assert.deepEqual(
    combined([
      { goal: 'steps', trials: 5, failures: ['a'], note: 'seed 0' },
      { goal: 'steps', trials: 7, failures: ['b'], note: 'seed 1' },
    ]),
    { goal: 'steps', trials: 12, failures: ['a', 'b'], note: 'seed 0; seed 1' },
  );
});

test('what one process has reached is covered, and stays told apart as coverage', () => {
  const goal = 'kinds';
  assert.deepEqual(
    combined([
      { goal, trials: 36, failures: ['a', 'b'], isCoverage: true },
      { goal, trials: 36, failures: ['b', 'c'], isCoverage: true },
    ]),
    { goal, trials: 36, failures: ['b'], isCoverage: true },
  );
});

test('a run that is too short tells nothing of what it has not reached', () => {
  const [kinds, reached] = [['a', 'b'], new Set(['a'])];
  assert.deepEqual(coverage('kinds', kinds, reached, undefined), { goal: 'kinds', trials: 2, failures: ['b'], isCoverage: true });
  const tooShort = coverage('kinds', kinds, reached, 'fewer than 9 steps');
  assert.deepEqual(tooShort, { goal: 'kinds', trials: 0, failures: [], skipped: 'fewer than 9 steps', isCoverage: true });
  const whole = coverage('kinds', kinds, reached, undefined);
  assert.deepEqual(combined([tooShort, whole]), whole, 'a process that was long enough decides');
  assert.deepEqual(combined([whole, tooShort]), whole);
  assert.deepEqual(combined([tooShort, tooShort]), tooShort);
});
