// A command that is an operation of the API: builds the request, walks signed legs, shows the answer.
import { type Globals, type Parsed, requestOf } from './arguments.js';
import { type Answer, type Caller, createCaller, curlOf, type Exchange, newKey, pathOf } from './call.js';
import { EXIT, Stop, usage } from './exit.js';
import { Form } from './form.js';
import type { CommandOperation } from './operations.js';
import { readSession, signerOf } from './session.js';
import { readSettings, readState, writeState } from './settings.js';
import { changes, money, type Output, shortId, show } from './show.js';
import type { Table } from './table.js';
import { isTerminal, write } from './terminal.js';

export type Context = {
  readonly table: Table;
  readonly globals: Globals;
  readonly output: Output;
  readonly warn: (text: string) => void;
};

/** With --dry-run it sends nothing: the first request is printed and ends the command. */
export const callerOf = ({ globals, warn }: Context, options: { readonly retries?: number; readonly isDry?: boolean } = {}): Caller =>
  createCaller(readSettings(globals, process.env, warn), {
    verbose: globals['verbose'] === true,
    headers: headersOf(globals),
    isDry: globals['dry-run'] === true,
    ...options,
  });

function headersOf(globals: Globals): Record<string, string> {
  return Object.fromEntries(
    ((globals['header'] ?? []) as string[]).map((line) => {
      const at = line.indexOf(':');
      if (at < 1) throw usage(`--header is NAME: VALUE, not ${line}`);
      return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
}

export async function runOperation(context: Context, operation: CommandOperation, ids: readonly string[], parsed: Parsed): Promise<void> {
  const { table, globals, output, warn } = context;
  // A time ago is one of the platform's clock, which is read for it.
  const caller = callerOf(context, { isDry: false });
  let clock: number | undefined;
  const needsClock = parsed.flags.some(({ value }) => typeof value === 'string' && /^\d+(?:ms|s|m|h|d|w)$/.test(value));
  if (needsClock) clock = await platformTime(caller);
  const request = requestOf(table, operation, parsed, ids, (text) => new Date((clock ?? Date.now()) - durationMs(text)).toISOString());
  if (operation.stream) return (await import('./commands/listen.js')).printStream(context, caller, operation, request.query);
  const body = request.body && operation.multipart ? new Form(request.body) : request.body;
  const exchange: Exchange = {
    method: operation.method,
    path: pathOf(operation, request.ids),
    query: request.query,
    body,
    headers: operation.key ? { 'idempotency-key': (globals['idempotency-key'] as string | undefined) ?? newKey() } : {},
  };
  if (globals['dry-run'])
    return output.write(curlOf(caller.settings, { ...exchange, headers: { ...headersOf(globals), ...exchange.headers } }));
  if (operation.method === 'DELETE') await confirm(context, `${operation.summary} ${request.ids.join(' ')}?`);
  const earlier = output.isText && globals['jq-path'] === undefined ? await earlierOf(table, caller, operation, request.ids) : undefined;
  const answer = operation.signed ? await walkLegs(context, caller, exchange) : await caller.call(exchange);
  if (operation.list && typeof answer.body !== 'object')
    throw new Stop(EXIT.noAnswer, `What came from ${caller.settings.url} is no list. Is it the service?`);
  if (operation.list && globals['all']) return showAll(context, caller, exchange, answer);
  if (Array.isArray(answer.body?.data)) remember(answer.body.data);
  const path = globals['jq-path'] as string | undefined;
  if (earlier) return output.write(changes(earlier, answer.body) || 'nothing changed');
  if (output.isText && path === undefined && operation.command.startsWith('sandbox cards simulate '))
    return showSpending(context, caller, request.ids[0] ?? '', answer);
  if (Buffer.isBuffer(answer.body)) return write(1, answer.body);
  show(output, answer.body, { path, columns: globals['columns'] as string | undefined });
  const { totalCount, hasMore, data } = answer.body ?? {};
  if (output.isText && hasMore && path === undefined) warn(`${totalCount ?? `more than ${data.length}`} in all; --all for the rest`);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
export function durationMs(text: string): number {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text) ?? [];
  if (unit === '') throw usage(`not a duration: ${text}; write 90s, 15m, 2h or 1d`);
  return Math.round(Number(count) * (UNITS[unit] as number));
}

/** The platform's clock, which a sandbox may have moved. */
export async function platformTime(caller: Caller): Promise<number> {
  const { status, body } = await caller.send({ method: 'GET', path: '/sandbox/clock' });
  return status === 200 ? Date.parse(body.now) : Date.now();
}

export async function confirm({ globals }: Context, question: string): Promise<void> {
  if (globals['yes']) return;
  if (!process.stdin.isTTY || !isTerminal(2)) throw usage(`${question} Add --yes: there is no terminal to ask on.`);
  const terminal = process.getBuiltinModule('node:readline/promises').createInterface({ input: process.stdin, output: process.stderr });
  const reply = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(reply.trim())) throw new Stop(EXIT.refused, 'Nothing was changed.');
}

/** What people read of an account after a deposit is what it changed. */
const CHANGES: Readonly<Record<string, string>> = { 'sandbox internal-accounts fund': 'internal-accounts get' };

/** The object before a command that changes it and answers with it. */
async function earlierOf(table: Table, caller: Caller, operation: CommandOperation, ids: readonly string[]): Promise<unknown> {
  const isChange = operation.method === 'PATCH';
  const get = table.operation(CHANGES[operation.command] ?? (isChange ? operation.command.replace(/\w+$/, 'get') : ''));
  if (!get || (isChange && get.path !== operation.path)) return undefined;
  const { status, body } = await caller.send({ method: 'GET', path: pathOf(get, ids) });
  return status === 200 ? body : undefined;
}

const MOST_LEGS = 5;

/** The initial call and every signed retry. Without a session it says what waits for a signature. */
async function walkLegs({ globals, warn }: Context, caller: Caller, exchange: Exchange): Promise<Answer> {
  let answer = await caller.call(exchange);
  for (let leg = 1; answer.status === 202 && typeof answer.body?.payloadToSign === 'string'; leg += 1) {
    const file = globals['session'] as string | undefined;
    if (file === undefined) {
      warn(answer.body.payloadToSign);
      throw new Stop(
        EXIT.refused,
        `The end user must sign this text. Sign in with \`switchyard sign in ACCOUNT --out session.json\` and repeat with --session session.json,\nor sign it elsewhere and repeat with --header 'Service-Wallet-Signature: …' --header 'Request-Id: ${answer.body.requestId}'.`,
      );
    }
    if (leg === 1) warn('leg 1 asked');
    if (leg > MOST_LEGS) throw new Stop(EXIT.serviceFailed, 'the service asks for signatures without end');
    const signature = await (await signerOf(readSession(file)))(answer.body.payloadToSign);
    answer = await caller.call({
      ...exchange,
      headers: { ...exchange.headers, 'service-wallet-signature': signature, 'request-id': answer.body.requestId },
    });
    warn(`leg ${leg + 1} signed`);
  }
  return answer;
}

export async function showAll({ output, globals }: Context, caller: Caller, exchange: Exchange, first: Answer): Promise<void> {
  const rows: unknown[] = [...(first.body.data ?? [])];
  let page = first.body;
  while (page.hasMore && page.nextCursor) {
    if (isTerminal(2)) write(2, `\r${rows.length}${page.totalCount ? ` of ${page.totalCount}` : ''} …`);
    page = (await caller.call({ ...exchange, query: { ...exchange.query, cursor: page.nextCursor } })).body;
    rows.push(...page.data);
  }
  if (isTerminal(2)) write(2, '\r\x1b[K');
  remember(rows as { id?: unknown }[]);
  show(output, { data: rows }, { path: globals['jq-path'] as string | undefined, columns: globals['columns'] as string | undefined });
}

/** The ids of the last listings, by kind, for completion. */
const MOST_IDS = 50;
function remember(rows: readonly { id?: unknown }[]): void {
  const ids = rows.flatMap(({ id }) => (typeof id === 'string' && id.includes(':') ? [id] : []));
  if (ids.length === 0) return;
  const kind = (id: string) => id.slice(0, id.indexOf(':'));
  const kinds = new Set(ids.map(kind));
  const known = readState<string[]>('ids') ?? [];
  const kept = [...ids.slice(0, MOST_IDS), ...known.filter((id) => !kinds.has(kind(id)))].slice(0, 4 * MOST_IDS);
  if (kept.join() !== known.join()) writeState('ids', kept);
}

/** What a simulated network message made of the card's transaction. */
async function showSpending({ output }: Context, caller: Caller, cardId: string, answer: Answer): Promise<void> {
  const { status, body } = await caller.send({ method: 'GET', path: '/transactions', query: { cardId, limit: 1, sortOrder: 'desc' } });
  const transaction = status === 200 ? body.data[0] : undefined;
  if (!transaction) return show(output, answer.body);
  const amount = transaction.settledAmount ?? transaction.authorizedAmount;
  const reason = transaction.cardDeclinedReason ? `: ${transaction.cardDeclinedReason}` : '';
  output.write(`${transaction.status}${reason}  ${shortId(transaction.id)}${amount ? `  ${money(amount)}` : ''}`);
}
