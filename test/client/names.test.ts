// Names of methods and commands: one rule, no clash, every operation.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { methodOf, operationTable } from '../../cli/operations.js';
import { createSwitchyard } from '../../client/client.js';
import { TABLE } from '../../client/generated/resources.js';
import { readConfig } from '../../src/config.js';
import { describeApi } from '../../src/describe-api.js';
import { CONTRACT_OPERATIONS } from '../../src/http/contract-operations.js';
import { projectRoot } from '../../src/root.js';

test('all operations have different commands, and deprecated ones have none', () => {
  const { operations } = operationTable(JSON.parse(JSON.stringify(describeApi(readConfig({})))));
  assert.ok(operations.length > 140);
  assert.equal(new Set(operations.map(({ command }) => command)).size, operations.length);
  assert.equal(
    operations.find(({ id }) => id === 'sendSandboxTestWebhook'),
    undefined,
  );
});

test('the README says how many operations there are, and which', () => {
  const document = JSON.parse(JSON.stringify(describeApi(readConfig({})))) as { paths: Record<string, object> };
  const served = Object.values(document.paths).reduce((count, methods) => count + Object.keys(methods).length, 0);
  const { operations } = operationTable(document);
  const ofTokens = operations.filter(({ permission }) => ['VIEW', 'TRANSACT', 'MANAGE'].includes(permission)).length;
  const contract = CONTRACT_OPERATIONS.length;
  const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');
  for (const said of [
    `The document has ${served} operations: the ${contract} of the API's contract and ${served - contract} of this service's own`,
    `Four of the ${served} are deprecated`,
    `there are ${operations.length} commands and methods`,
    `the ${ofTokens} of them that an API token may call`,
    `the other ${operations.length - ofTokens} with`,
  ])
    assert.ok(readme.includes(said), said);
  assert.equal(served - operations.length, 4);
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
