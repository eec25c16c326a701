// The command line starts fast. The limits are those of `npm run bench -- cli` with room for the noise of few runs.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../support/service.js';
import { costsOf } from './cost.js';
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

test('help costs little more than bare Node, one call little more than its exchange', { timeout: 120_000 }, async () => {
  const commands = { bare: ['-e', '0'], help: [MAIN, '--help'], call: [MAIN, 'config', 'get'] };
  const { bare, help, call } = await costsOf(commands, environmentOf(service, home), RUNS);
  assert.ok(help.processor <= 1.7 * bare.processor, `help ${help.processor} s, bare Node ${bare.processor} s`);
  assert.ok(call.processor <= 2.6 * bare.processor, `a call ${call.processor} s, bare Node ${bare.processor} s`);
});
