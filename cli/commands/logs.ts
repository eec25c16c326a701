// The request log as it grows.
import { authorizationOf, type Caller } from '../call.js';
import { EXIT, Stop, usage } from '../exit.js';
import { type Context, callerOf, durationMs } from '../operation-command.js';
import type { OwnFlags } from '../own.js';
import { type Output, paint } from '../show.js';

type Logged = {
  readonly id: string;
  readonly operation: string;
  readonly status: number;
  readonly code?: string;
  readonly durationMs: number;
  readonly receivedAt: string;
  readonly unrecordedBefore?: number;
};
type Bodies = { readonly requestBody?: string; readonly responseBody?: string };

const PATH = '/requests/stream';

export async function tail(context: Context, _words: readonly string[], flags: OwnFlags): Promise<void> {
  const caller = callerOf(context);
  const { output, warn } = context;
  const count = flags['count'] === undefined ? Number.POSITIVE_INFINITY : Number(flags['count']);
  if (Number.isNaN(count) || count < 1) throw usage('--count takes a number of at least 1');
  // The stream waits for a service that does not answer, and its refusals name no field.
  await caller.call({ method: 'GET', path: '/requests', query: { limit: 1, ...filtersOf(flags) } });
  const ended = new AbortController();
  const timeout = flags['timeout'] === undefined ? undefined : setTimeout(() => ended.abort(), durationMs(String(flags['timeout'])));
  warn('Following the request log; Ctrl-C ends it');
  let seen = 0;
  try {
    for await (const message of requestsOf(caller, flags, ended.signal)) {
      const request = message as Logged;
      const bodies = flags['bodies'] ? await bodiesOf(caller, request.id) : undefined;
      output.write(output.isText ? textOf(output, request, bodies) : JSON.stringify({ ...request, ...bodies }));
      seen += 1;
      if (seen >= count) break;
    }
  } catch (error) {
    if (!ended.signal.aborted) throw error;
    if (count !== Number.POSITIVE_INFINITY) throw new Stop(EXIT.waitedInVain, `${seen} of ${count} requests within ${flags['timeout']}`);
  } finally {
    clearTimeout(timeout);
  }
}

const filtersOf = ({ status, operation, 'token-id': tokenId }: OwnFlags): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({ status, operation, tokenId }).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );

async function* requestsOf({ settings }: Caller, flags: OwnFlags, signal: AbortSignal): AsyncGenerator<unknown> {
  const connection = { baseUrl: settings.url, authorization: authorizationOf(settings), fetch, timeoutMs: 30_000, retries: 2, headers: {} };
  const { since } = flags;
  const query = { ...filtersOf(flags), ...(typeof since === 'string' ? { since } : {}) };
  const { streamOf } = await import('../../client/stream.js');
  yield* streamOf(connection, { wire: { name: 'requests.stream', method: 'GET', path: PATH, flags: 'qe' }, path: PATH, query }, { signal });
}

const bodiesOf = async (caller: Caller, id: string): Promise<Bodies> => {
  const { status, body } = await caller.send({ method: 'GET', path: `/requests/${encodeURIComponent(id)}` });
  const { requestBody, responseBody } = status === 200 ? (body as Bodies) : {};
  return { ...(requestBody === undefined ? {} : { requestBody }), ...(responseBody === undefined ? {} : { responseBody }) };
};

function textOf(output: Output, request: Logged, bodies: Bodies | undefined): string {
  const { id, operation, status, code, durationMs: ms, receivedAt, unrecordedBefore } = request;
  const missing = unrecordedBefore ? `${unrecordedBefore} requests were not recorded\n` : '';
  const line = [
    paint(output, 'dim', receivedAt.slice(11, 19)),
    paint(output, status < 400 ? 'green' : status < 500 ? 'yellow' : 'red', String(status)),
    operation,
    `${Math.round(ms)} ms`,
    ...(code ? [code] : []),
    paint(output, 'dim', `req ${id}`),
  ].join(' ');
  const shown = [bodies?.requestBody && `  > ${bodies.requestBody}`, bodies?.responseBody && `  < ${bodies.responseBody}`].filter(
    (text) => text,
  );
  return `${missing}${[line, ...shown].join('\n')}`;
}
