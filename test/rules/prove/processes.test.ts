// The outcomes of a part that runs in a process per core.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { combined } from '../../prove/processes.js';

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
