// `switchyard mcp`, used by the client of the official SDK.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { toolName } from '../../cli/commands/mcp.js';
import { childrenOf, loadTable } from '../../cli/table.js';
import { expectStatus } from '../support/client.js';
import type { TestService } from '../support/service.js';
import { commandLine } from './command-line.js';
import { environmentOf, MAIN } from './run.js';

const cli = commandLine();

const operations = childrenOf(loadTable(), []);
const TOKENS = new Set(['VIEW', 'TRANSACT', 'MANAGE']);
const callable = operations.filter(
  ({ permission, multipart, stream, produces, deprecated }) =>
    TOKENS.has(permission) && !multipart && !stream && produces === undefined && !deprecated,
);

async function connect(t: { after(work: () => Promise<void>): void }, platform: { tokenId: string; secret: string }, ...flags: string[]) {
  const env = { ...environmentOf({ baseUrl: cli.service.baseUrl, platform: platform as TestService['platform'] }, cli.home) };
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp', ...flags], env, stderr: 'inherit' }));
  t.after(() => client.close());
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError } = (await client.callTool({ name, arguments: args })) as { content: { text: string }[]; isError?: boolean };
    return { text: content[0]?.text ?? '', isError: isError === true };
  };
  return { call, tools: (await client.listTools()).tools };
}

test('"reads by default": every read of a token is a tool, and nothing writes', async (t) => {
  const { call, tools } = await connect(t, cli.service.platform);
  const reads = callable.filter(({ method }) => method === 'GET').map(({ command }) => toolName(command));
  assert.deepEqual(tools.map(({ name }) => name).sort(), [...reads, 'recipes_list'].sort());
  assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint));

  const { id } = await expectStatus(201, cli.service.platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' }));
  assert.equal(JSON.parse((await call('customers_get', { customerId: id })).text).fullName, 'Ada Lovelace');
  assert.equal(JSON.parse((await call('customers_list', { limit: 1 })).text).data.length, 1);
  assert.match((await call('sandbox_clock_get')).text, /"frozen":false/);
  assert.match((await call('webhooks_events_list', { objectId: id })).text, /CUSTOMER/);

  const refused = await call('customers_create', { body: { customerType: 'INDIVIDUAL', fullName: 'Grace Hopper' } });
  assert.deepEqual([refused.isError, /--write/.test(refused.text)], [true, true]);
  const unknown = await call('customers_get', { customerId: 'Customer:00000000-0000-7000-8000-000000000000' });
  assert.deepEqual([unknown.isError, /404 CUSTOMER_NOT_FOUND/.test(unknown.text)], [true, true]);
});

test('"writes with --write", "with the permissions of its token"', async (t) => {
  const platform = await cli.service.newPlatform();
  const { call, tools } = await connect(t, platform, '--write');
  assert.deepEqual(
    tools.map(({ name }) => name).sort(),
    [...callable.map(({ command }) => toolName(command)), 'recipes_list', 'trigger'].sort(),
  );
  for (const { name, inputSchema } of tools) {
    const defs = Object.keys((inputSchema['$defs'] ?? {}) as object);
    const named = [...JSON.stringify(inputSchema).matchAll(/"#\/\$defs\/([^"]+)"/g)].map(([, one]) => one as string);
    const undefinedOnes = named.filter((one) => !defs.includes(one));
    assert.deepEqual(undefinedOnes, [], `every reference of ${name} leads to a definition of the tool`);
  }
  const made = await call('customers_create', { body: { customerType: 'INDIVIDUAL', fullName: 'Grace Hopper' }, idempotencyKey: 'one' });
  const again = await call('customers_create', { body: { customerType: 'INDIVIDUAL', fullName: 'Grace Hopper' }, idempotencyKey: 'one' });
  assert.equal(made.text, again.text);
  const { values } = JSON.parse((await call('trigger', { recipe: 'deposit.received', inputs: { amount: 700 } })).text);
  assert.equal((await expectStatus(200, platform.get(`/internal-accounts/${values.account}`))).balance.amount, 700);
  assert.match((await call('trigger', { recipe: 'refusal', inputs: { operation: 'createCard', code: 'CONFLICT' } })).text, /"status":409/);
  assert.equal((await call('trigger', { recipe: 'nothing' })).isError, true);

  const { clientId: tokenId, clientSecret: secret } = await expectStatus(
    201,
    platform.post('/tokens', { name: 'reader', permissions: ['VIEW'] }),
  );
  const reader = await connect(t, { tokenId, secret }, '--write');
  const refused = await reader.call('customers_create', { body: { customerType: 'INDIVIDUAL', fullName: 'Mary Somerville' } });
  assert.deepEqual([refused.isError, /403 FORBIDDEN/.test(refused.text)], [true, true]);
});
