// `switchyard mcp`: the operations as tools of the Model Context Protocol, over standard input and output. What a tool may do is what the token
// may do; without --write only reads are offered.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema, type Tool } from '@modelcontextprotocol/sdk/types.js';
import { type Caller, type Exchange, explain, newKey, pathOf } from '../call.js';
import { Stop } from '../exit.js';
import { type Context, callerOf } from '../operation-command.js';
import type { CommandOperation, Schema } from '../operations.js';
import type { OwnFlags } from '../own.js';
import { childrenOf, pathParameters, type Table } from '../table.js';
import { readRecipes, trigger } from './trigger.js';

type Arguments = Readonly<Record<string, unknown>>;
type Offered = { readonly tool: Tool; readonly run: (args: Arguments) => Promise<CallToolResult> };

const PERMISSIONS: ReadonlySet<string> = new Set(['VIEW', 'TRANSACT', 'MANAGE']);

/** Takes the token, and answers JSON at once. */
const isOffered = ({ permission, multipart, stream, produces, deprecated }: CommandOperation): boolean =>
  PERMISSIONS.has(permission) && !multipart && !stream && produces === undefined && !deprecated;

export const toolName = (command: string): string => command.replaceAll(' ', '_');

export async function mcp(context: Context, _words: readonly string[], flags: OwnFlags): Promise<void> {
  const caller = callerOf(context);
  const mayWrite = flags['write'] === true;
  const tools = new Map(toolsOf(context, caller, mayWrite).map((offered) => [offered.tool.name, offered]));
  const server = new Server(
    { name: 'switchyard', version: context.table.version },
    {
      capabilities: { tools: {} },
      instructions: `A payments service at ${caller.settings.url}. Tools are named like its commands. Amounts are integers in minor units.${mayWrite ? '' : ' Only reads are offered; start with --write for the others.'}`,
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [...tools.values()].map(({ tool }) => tool) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const offered = tools.get(params.name);
    if (!offered) return failure(`There is no tool ${params.name}${mayWrite ? '' : ', or it writes: start with --write'}.`);
    try {
      return await offered.run(params.arguments ?? {});
    } catch (error) {
      if (error instanceof Stop) return failure(error.message);
      throw error;
    }
  });
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  // The transport does not notice that its input has ended.
  process.stdin.once('end', () => void server.close());
  await server.connect(new StdioServerTransport());
  await closed;
}

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });
const failure = (value: string): CallToolResult => ({ ...text(value), isError: true });

const toolsOf = (context: Context, caller: Caller, mayWrite: boolean): Offered[] => [
  ...childrenOf(context.table, [])
    .filter((operation) => isOffered(operation) && (mayWrite || operation.method === 'GET'))
    .map((operation) => operationTool(context.table, caller, operation)),
  recipeList,
  ...(mayWrite ? [recipeTool(context)] : []),
];

// ---- operations

function operationTool(table: Table, caller: Caller, operation: CommandOperation): Offered {
  const { id, command, method, path, summary, description, permission, query, body, bodyRequired, key, signed } = operation;
  const ids = pathParameters(path);
  const parameters = query?.properties ?? {};
  const defs = new Map<string, unknown>();
  const properties: Record<string, object> = {
    ...Object.fromEntries(ids.map((name) => [name, { type: 'string' }])),
    ...Object.fromEntries(Object.entries(parameters).map(([name, schema]) => [name, jsonSchema(table, schema, defs)])),
    ...(body ? { body: jsonSchema(table, body, defs) } : {}),
    ...(key
      ? { idempotencyKey: { type: 'string', description: 'Repeats with the same key have one effect. Without it: a new key.' } }
      : {}),
    ...(signed
      ? {
          requestId: { type: 'string', description: 'Of a signed retry: the requestId of the first answer.' },
          walletSignature: { type: 'string', description: 'Of a signed retry: the signature over payloadToSign.' },
        }
      : {}),
  };
  return {
    tool: {
      name: toolName(command),
      title: summary,
      description: [`${summary}.`, description, `${method} ${path} (${id}), needs ${permission}.`].filter(Boolean).join(' '),
      inputSchema: {
        type: 'object',
        properties,
        required: [...ids, ...(query?.required ?? []), ...(bodyRequired ? ['body'] : [])],
        additionalProperties: false,
        ...(defs.size > 0 ? { $defs: Object.fromEntries(defs) } : {}),
      },
      annotations: { readOnlyHint: method === 'GET', destructiveHint: method === 'DELETE' || DESTRUCTIVE.has(id), openWorldHint: false },
    },
    run: async (args) => {
      const exchange: Exchange = {
        method,
        path: pathOf(
          operation,
          ids.map((name) => String(args[name] ?? '')),
        ),
        query: Object.fromEntries(Object.entries(args).filter(([name]) => name in parameters)),
        ...(args['body'] === undefined ? {} : { body: args['body'] }),
        headers: {
          ...(key ? { 'idempotency-key': String(args['idempotencyKey'] ?? newKey()) } : {}),
          ...(args['requestId'] === undefined ? {} : { 'request-id': String(args['requestId']) }),
          ...(args['walletSignature'] === undefined ? {} : { 'service-wallet-signature': String(args['walletSignature']) }),
        },
      };
      const answer = await caller.send(exchange);
      return answer.status >= 400 ? failure(explain(answer)) : text(JSON.stringify(answer.body ?? { status: answer.status }));
    },
  };
}

const DESTRUCTIVE: ReadonlySet<string> = new Set(['resetSandbox', 'restoreSandboxSnapshot']);

/** References of the table become references within the schema of the tool. */
function jsonSchema(table: Table, schema: Schema, defs: Map<string, unknown>): object {
  const convert = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(convert);
    if (typeof node !== 'object' || node === null) return node;
    const { $ref, discriminator: _tag, ...rest } = node as Schema;
    const members = Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, convert(part)]));
    if (typeof $ref !== 'string') return members;
    if (!defs.has($ref)) {
      defs.set($ref, {});
      defs.set($ref, convert(table.schema($ref) ?? {}));
    }
    return { ...members, $ref: `#/$defs/${$ref}` };
  };
  return convert(schema) as object;
}

// ---- recipes

const recipeList: Offered = {
  tool: {
    name: 'recipes_list',
    title: 'What can be made to happen in the sandbox',
    description: 'Lists the recipes that the tool trigger runs: the calls that make something happen, and the event that follows.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  run: async () =>
    text(
      JSON.stringify(
        readRecipes().map(({ name, group, summary, inputs, event }) => ({ name, group, summary, inputs, event: event?.type })),
      ),
    ),
};

const recipeTool = (context: Context): Offered => ({
  tool: {
    name: 'trigger',
    title: 'Make something happen in the sandbox',
    description:
      'Runs a recipe of recipes_list and answers with the ids it made and the event that followed. The recipe "refusal" takes the inputs operation and code and produces that refusal.',
    inputSchema: {
      type: 'object',
      properties: {
        recipe: { type: 'string', description: 'The name of the recipe.' },
        inputs: { type: 'object', additionalProperties: { type: ['string', 'number'] }, description: 'Its inputs by name.' },
      },
      required: ['recipe'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, openWorldHint: false },
  },
  run: async ({ recipe, inputs = {} }) => {
    const lines: string[] = [];
    const output = { ...context.output, isText: false, write: (line: string) => void lines.push(line) };
    const flags = Object.fromEntries(Object.entries(inputs as Arguments).map(([name, value]) => [name, String(value)]));
    await trigger({ ...context, output }, [String(recipe)], flags);
    return text(lines.join('\n'));
  },
});
