// Any path of the service, for operations that this version does not know.
import { readFileSync } from 'node:fs';
import { readText } from '../arguments.js';
import type { Exchange } from '../call.js';
import { usage } from '../exit.js';
import { type Context, callerOf, showAll } from '../operation-command.js';
import type { OwnFlags } from '../own.js';
import { show } from '../show.js';
import { write } from '../terminal.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export async function api(context: Context, [method = '', path = '']: readonly string[], flags: OwnFlags): Promise<void> {
  if (!METHODS.includes(method.toUpperCase()) || !path.startsWith('/')) throw usage('usage: switchyard api METHOD /path [-d JSON|@FILE|-]');
  const data = flags['data'];
  const text =
    data === undefined
      ? undefined
      : data === '-'
        ? readFileSync(0, 'utf8')
        : String(data).startsWith('@')
          ? readText(String(data).slice(1))
          : String(data);
  const key = context.globals['idempotency-key'];
  const exchange: Exchange = {
    method: method.toUpperCase(),
    path,
    ...(text === undefined ? {} : { body: parse(text) }),
    ...(typeof key === 'string' ? { headers: { 'idempotency-key': key } } : {}),
  };
  const caller = callerOf(context);
  const answer = await caller.call(exchange);
  if (context.globals['all'] && Array.isArray(answer.body?.data))
    return showAll(context, caller, { ...exchange, ...partsOf(path) }, answer);
  if (Buffer.isBuffer(answer.body)) return write(1, answer.body);
  show(context.output, answer.body, {
    path: context.globals['jq-path'] as string | undefined,
    columns: context.globals['columns'] as string | undefined,
  });
}

/** The cursor of a further page is added to the query that was written behind the path. */
function partsOf(text: string): Pick<Exchange, 'path' | 'query'> {
  const [path = '', search] = text.split('?');
  const pairs = new URLSearchParams(search);
  return { path, query: Object.fromEntries([...new Set(pairs.keys())].map((name) => [name, pairs.getAll(name)])) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usage(`-d is no JSON: ${(error as Error).message}`);
  }
}
