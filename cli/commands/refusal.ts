// Refusals on purpose: each operation with each code that the document lists for it, by a real request where one can be made and by a fault of
// the sandbox elsewhere. `recipes/refusals/ways.json` says how.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type Caller, type Exchange, newKey, pathOf } from '../call.js';
import { EXIT, Stop, usage } from '../exit.js';
import { type Context, callerOf } from '../operation-command.js';
import type { CommandOperation } from '../operations.js';
import type { OwnFlags } from '../own.js';
import { projectRoot } from '../root.js';
import { grid } from '../show.js';
import { childrenOf, pathParameters, suggest } from '../table.js';

type Way = {
  readonly say: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly bytes?: number;
  /** Kinds of operations where it can be walked: who calls, and whether the body is JSON. */
  readonly only?: readonly string[];
};
type Ways = {
  readonly otherwise: string;
  readonly ways: Readonly<Record<string, Way>>;
  readonly codes: Readonly<Record<string, string>>;
};

const file = join(projectRoot, 'recipes/refusals/ways.json');

export const readWays = (): Ways => JSON.parse(readFileSync(file, 'utf8')) as Ways;

const TOKENS: ReadonlySet<string> = new Set(['VIEW', 'TRANSACT', 'MANAGE']);

/** The name of the way that produces a code of an operation. */
export function wayOf({ codes, ways, otherwise }: Ways, operation: CommandOperation, code: string): string {
  const name = codes[code];
  const only = name === undefined ? undefined : ways[name]?.only;
  if (name === undefined || only === undefined) return name ?? otherwise;
  const caller = TOKENS.has(operation.permission) ? 'TOKEN' : operation.permission;
  return only.includes(caller) && !(only.includes('JSON') && operation.multipart) ? name : otherwise;
}

export type Refusal = { readonly operation: string; readonly code: string; readonly way: string; readonly answer: Answer };

type Fault = { readonly [member: string]: unknown; readonly remaining?: number };

/** Produces the codes of one operation, one after the other. The faults of the platform are afterwards as they were. */
export async function produceRefusals(caller: Caller, operation: CommandOperation, codes: readonly string[]): Promise<Refusal[]> {
  const ways = readWays();
  const plain: Exchange = {
    method: operation.method,
    path: pathOf(
      operation,
      pathParameters(operation.path).map(() => 'any'),
    ),
    query: Object.fromEntries((operation.query?.required ?? []).map((name) => [name, 'any'])),
    headers: operation.key ? { 'idempotency-key': newKey() } : {},
  };
  const produced: Refusal[] = [];
  const note = async (code: string, way: string, exchange: Exchange) =>
    void produced.push({ operation: operation.id, code, way, answer: await caller.send(exchange) });

  // Faults come before everything else a request meets, so real requests are sent first.
  for (const code of codes) {
    const way = wayOf(ways, operation, code);
    if (way !== 'FAULT') await note(code, way, requestOf(plain, ways.ways[way] as Way));
  }
  const faulty = codes.filter((code) => wayOf(ways, operation, code) === 'FAULT');
  if (faulty.length === 0) return produced;
  const { body: before } = await caller.call({ method: 'GET', path: '/sandbox/faults' });
  const faults = faulty.map((code) => ({ kind: 'ANSWER', operation: operation.id, code, count: 1 }));
  await caller.call({ method: 'PUT', path: '/sandbox/faults', body: { faults } });
  for (const code of faulty) await note(code, 'FAULT', plain);
  const kept = (before.data as Fault[]).flatMap(({ remaining, ...fault }) =>
    remaining === undefined ? [fault] : remaining > 0 ? [{ ...fault, count: remaining }] : [],
  );
  await caller.call({ method: 'PUT', path: '/sandbox/faults', body: { faults: kept } });
  return produced;
}

function requestOf(plain: Exchange, { headers, query, text, bytes }: Way): Exchange {
  const body = text ?? (bytes === undefined ? undefined : `"${'x'.repeat(bytes)}"`);
  return {
    ...plain,
    headers: { ...plain.headers, ...headers },
    query: { ...plain.query, ...query },
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
  };
}

export async function triggerRefusal(context: Context, flags: OwnFlags): Promise<void> {
  const { table, output } = context;
  const wanted = flags['operation'];
  const operations = childrenOf(table, []);
  const operation = operations.find(({ id, command }) => id === wanted || command === wanted);
  if (!operation) {
    const ids = operations.map(({ id }) => id);
    const near = typeof wanted === 'string' ? suggest(wanted, ids) : undefined;
    throw usage(
      `usage: switchyard trigger refusal --operation createCustomer [--code RATE_LIMITED]${near ? `\nDid you mean ${near}?` : ''}`,
    );
  }
  const ways = readWays();
  const code = flags['code'];
  if (code === undefined) {
    const rows = operation.errors.map((one) => [one, ways.ways[wayOf(ways, operation, one)]?.say ?? '']);
    return output.write(output.isText ? grid(rows) : JSON.stringify(rows.map(([one, say]) => ({ code: one, say }))));
  }
  if (!operation.errors.includes(String(code)))
    throw usage(`${operation.id} is never refused with ${String(code)}. Its codes: ${operation.errors.join(', ')}`);
  const caller = callerOf(context, { retries: 0 });
  const [refusal] = await produceRefusals(caller, operation, [String(code)]);
  if (!refusal) throw new Stop(EXIT.serviceFailed, 'nothing was sent');
  const { status, body } = refusal.answer;
  if (!output.isText) return output.write(JSON.stringify({ operation: operation.id, status, body, way: refusal.way }));
  output.write(`${operation.method} ${operation.path}: ${ways.ways[refusal.way]?.say ?? ''}`);
  output.write(`${status} ${body?.code}: ${body?.reason}`);
}
