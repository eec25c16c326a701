// "Every documented refusal can be produced": each operation with each code of the document, by its recipe.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCaller } from '../../cli/call.js';
import { produceRefusals, readWays, wayOf } from '../../cli/commands/refusal.js';
import { childrenOf, loadTable } from '../../cli/table.js';
import { ERRORS, type ErrorCode } from '../../src/kernel/errors.js';
import { commandLine } from './command-line.js';

const cli = commandLine();

const operations = childrenOf(loadTable(), []);

test('every code that the document lists for an operation is answered', async () => {
  const waiting = [...operations];
  const failures: string[] = [];
  let produced = 0;
  const work = async () => {
    const { tokenId, secret } = await cli.service.newPlatform();
    const settings = { url: cli.service.baseUrl, tokenId, secret, source: 'test', profile: 'test' };
    const caller = createCaller(settings, { retries: 0 });
    for (let operation = waiting.pop(); operation; operation = waiting.pop()) {
      for (const { code, way, answer } of await produceRefusals(caller, operation, operation.errors)) {
        produced += 1;
        const fits = answer.status === ERRORS[code as ErrorCode].status && answer.body?.code === code;
        if (!fits) failures.push(`${operation.id} ${code} by ${way}: ${answer.status} ${answer.body?.code}`);
        cli.service.contract.check(
          operation.method,
          operation.path,
          answer.status,
          String(answer.headers['content-type']),
          answer.bytes.toString(),
        );
      }
    }
  };
  await Promise.all(Array.from({ length: 6 }, work));
  assert.deepEqual(failures, []);
  assert.equal(
    produced,
    operations.reduce((sum, { errors }) => sum + errors.length, 0),
  );
});

test('every way is used, and every way that is named exists', () => {
  const ways = readWays();
  const used = new Set(operations.flatMap((operation) => operation.errors.map((code) => wayOf(ways, operation, code))));
  assert.deepEqual([...used].sort(), Object.keys(ways.ways).sort());
});

test('`switchyard trigger refusal` lists the codes of an operation and produces one, beside the faults that are set', async () => {
  const platform = await cli.service.newPlatform();
  const sy = (...args: string[]) => cli.as(platform, ...args);
  const fault = { kind: 'DELAY', operation: 'listCards', delayMs: 5, count: 3 };
  await platform.put('/sandbox/faults', { faults: [fault] });
  const listed = await sy('trigger', 'refusal', '--operation', 'createCustomer');
  assert.ok(
    JSON.parse(listed.out).some(({ code }: { code: string }) => code === 'RATE_LIMITED'),
    listed.err,
  );
  const produced = await sy('trigger', 'refusal', '--operation', 'createCustomer', '--code', 'RATE_LIMITED', '--no-json');
  assert.match(produced.out, /^POST \/customers: a fault .*\n429 RATE_LIMITED: /, produced.err);
  assert.deepEqual((await platform.get('/sandbox/faults')).body.data, [{ ...fault, remaining: 3 }]);
  assert.equal((await sy('trigger', 'refusal', '--operation', 'createCustomer', '--code', 'NO_SUCH')).code, 2);
  assert.equal((await sy('trigger', 'refusal', '--operation', 'createCustomr')).code, 2);
});
