// Names of methods and commands: one rule, no clash, every operation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { methodOf, operationTable } from '../../cli/operations.js';
import { createSwitchyard } from '../../client/client.js';
import { TABLE } from '../../client/generated/resources.js';
import { readConfig } from '../../src/config.js';
import { describeApi } from '../../src/describe-api.js';

test('all operations have different commands, and deprecated ones have none', () => {
  const { operations } = operationTable(JSON.parse(JSON.stringify(describeApi(readConfig({})))));
  assert.ok(operations.length > 140);
  assert.equal(new Set(operations.map(({ command }) => command)).size, operations.length);
  assert.equal(
    operations.find(({ id }) => id === 'sendSandboxTestWebhook'),
    undefined,
  );
});

test('the client has a method for every operation', () => {
  const { operations } = operationTable(JSON.parse(JSON.stringify(describeApi(readConfig({})))));
  assert.equal(TABLE.length, operations.length);
  const sy = createSwitchyard({ baseUrl: 'http://127.0.0.1:1' });
  for (const { command } of operations) {
    const method = methodOf(command).reduce<unknown>((node, word) => (node as Record<string, unknown>)[word], sy);
    assert.equal(typeof method, 'function', command);
  }
});
