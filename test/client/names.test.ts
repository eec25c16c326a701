// Names of methods and commands: one rule, no clash, every operation.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { commandOf, methodOf, operationTable } from '../../cli/operations.js';
import { createSwitchyard } from '../../client/client.js';
import { TABLE } from '../../client/generated/resources.js';
import { sandboxDocument } from '../../src/document.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

test('the document made without a server is the one that a sandbox serves', async () => {
  const served = (await (await fetch(`${service.url}/openapi.json`)).json()) as Record<string, unknown>;
  const made = JSON.parse(JSON.stringify(sandboxDocument())) as Record<string, unknown>;
  assert.deepEqual({ ...made, servers: [] }, { ...served, servers: [] });
});

describe('the rule', () => {
  const plain = { isList: false, isCollection: false };
  const cases: readonly [method: string, path: string, facts: typeof plain, command: string][] = [
    ['GET', '/cards', { isList: true, isCollection: true }, 'cards list'],
    ['GET', '/cards/{id}', plain, 'cards get'],
    ['GET', '/config', plain, 'config get'],
    ['POST', '/cards', { isList: false, isCollection: true }, 'cards create'],
    ['POST', '/transfer-in', plain, 'transfer-in create'],
    ['PATCH', '/cards/{id}', plain, 'cards update'],
    ['PUT', '/sandbox/clock', plain, 'sandbox clock set'],
    ['DELETE', '/tokens/{tokenId}', plain, 'tokens delete'],
    ['POST', '/cards/{id}/reveal', plain, 'cards reveal'],
    ['POST', '/sandbox/cards/{id}/simulate/balance_inquiry', plain, 'sandbox cards simulate balance-inquiry'],
    ['POST', '/webhooks/test', plain, 'webhooks test'],
    ['POST', '/stablecoins/{id}/mints', { isList: false, isCollection: true }, 'stablecoins mints create'],
    ['GET', '/sandbox/oidc/jwks.json', plain, 'sandbox oidc jwks get'],
  ];
  for (const [method, path, facts, command] of cases)
    test(`${method} ${path} is ${command}`, () => assert.equal(commandOf(method, path, facts), command));
});

test('all operations have different commands, and deprecated ones have none', () => {
  const { operations } = operationTable(JSON.parse(JSON.stringify(sandboxDocument())));
  assert.ok(operations.length > 140);
  assert.equal(new Set(operations.map(({ command }) => command)).size, operations.length);
  assert.equal(
    operations.find(({ id }) => id === 'sendSandboxTestWebhook'),
    undefined,
  );
});

test('the client has a method for every operation', () => {
  const { operations } = operationTable(JSON.parse(JSON.stringify(sandboxDocument())));
  assert.equal(TABLE.length, operations.length);
  const sy = createSwitchyard({ baseUrl: 'http://127.0.0.1:1' });
  for (const { command } of operations) {
    const method = methodOf(command).reduce<unknown>((node, word) => (node as Record<string, unknown>)[word], sy);
    assert.equal(typeof method, 'function', command);
  }
});
