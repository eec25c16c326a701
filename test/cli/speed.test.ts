// The command line starts fast. Processor time is compared with that of bare Node, the least of several runs: a busy machine changes
// neither much.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { startTestService, type TestService } from '../support/service.js';
import { emptyHome, environmentOf, MAIN } from './run.js';

const RUNS = 6;
const home = emptyHome();
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(async () => {
  rmSync(home, { recursive: true, force: true });
  await service.stop();
});

/** Seconds of processor time, of the user and of the system. */
async function costOf(...args: string[]): Promise<number> {
  const costs: number[] = [];
  for (let i = 0; i < RUNS; i += 1) {
    const { stderr } = await promisify(execFile)(
      'bash',
      ['-c', 'TIMEFORMAT="%U %S"; time "$@" > /dev/null', 'bash', process.execPath, ...args],
      {
        env: environmentOf(service, home),
        cwd: home,
      },
    );
    costs.push(
      stderr
        .trim()
        .split(' ')
        .reduce((sum, text) => sum + Number(text), 0),
    );
  }
  return Math.min(...costs);
}

test('help costs at most 2.5 times bare Node, one call at most 3.6 times', { timeout: 120_000 }, async () => {
  const bare = await costOf('-e', '0');
  const help = await costOf(MAIN, '--help');
  const call = await costOf(MAIN, 'config', 'get');
  assert.ok(help <= 2.5 * bare, `help ${help} s, bare Node ${bare} s`);
  assert.ok(call <= 3.6 * bare, `a call ${call} s, bare Node ${bare} s`);
});
