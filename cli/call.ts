// One call of the service, and what a command does with a refusal.
import { DryRun, EXIT, Stop, usage } from './exit.js';
import { Form, isUpload } from './form.js';
import { exchange } from './http.js';
import type { CommandOperation } from './operations.js';
import type { Settings } from './settings.js';
import { flagName, pathParameters } from './table.js';
import { write } from './terminal.js';

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: answers are read by name, as in any language.
  readonly body: any;
};

export type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the service itself, beside the API: the path begins at the root. */
  readonly isPage?: true;
};

export type Caller = {
  readonly settings: Settings;
  /** Sends, and answers whatever comes. */
  send(exchange: Exchange): Promise<Answer>;
  /** Sends, and throws what is no success. */
  call(exchange: Exchange): Promise<Answer>;
};

const TIMEOUT_MS = 60_000;
const RETRIES = 2;
/** A longer wait is for the caller to decide on: the refusal says how long. */
const LONGEST_PAUSE_S = 30;

export const authorizationOf = ({ tokenId, secret }: Settings): string => `Basic ${Buffer.from(`${tokenId}:${secret}`).toString('base64')}`;

export function urlOf({ url }: Pick<Settings, 'url'>, { path, query = {}, isPage }: Exchange): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) pairs.append(name, String(one));
  const text = pairs.toString();
  return (isPage ? new URL(url).origin : url) + path + (text === '' ? '' : `?${text}`);
}

export function createCaller(
  settings: Settings,
  {
    verbose = false,
    headers = {},
    retries = RETRIES,
    isDry = false,
  }: { verbose?: boolean; headers?: Record<string, string>; retries?: number; isDry?: boolean } = {},
): Caller {
  const note = (text: string) => verbose && write(2, `${text}\n`);
  const send = async (request: Exchange): Promise<Answer> => {
    if (isDry) throw new DryRun(curlOf(settings, { ...request, headers: { ...headers, ...request.headers } }));
    const all = { authorization: authorizationOf(settings), ...headers, ...request.headers };
    const mayRepeat = request.method === 'GET' || 'idempotency-key' in all;
    for (let attempt = 0; ; attempt += 1) {
      const shown =
        typeof request.body === 'object' && !(request.body instanceof Form) && !Buffer.isBuffer(request.body)
          ? ` ${JSON.stringify(request.body)}`
          : '';
      note(`> ${request.method} ${urlOf(settings, request)}${shown}`);
      const started = Date.now();
      const answer = await exchangeOnce(urlOf(settings, request), request, all).catch((error: unknown) => {
        // A signature is used up when it is executed, so a signed call whose outcome is unknown is not repeated.
        if (!(error instanceof NoAnswer) || !mayRepeat || 'service-wallet-signature' in all || attempt >= retries) throw error;
        note(`< ${error.message}`);
        return undefined;
      });
      if (answer) note(`< ${answer.status} in ${Date.now() - started} ms, request ${answer.headers['x-request-id'] ?? 'unknown'}`);
      if (answer && (!mayRepeat || attempt >= retries || ![408, 429, 503].includes(answer.status))) return answer;
      // A proxy may name a time instead.
      const told = Number(answer?.headers['retry-after'] ?? Number.NaN);
      const after = Number.isFinite(told) ? told : 0.25 * 2 ** attempt;
      if (answer && after > LONGEST_PAUSE_S) return answer;
      note(`  again in ${after} s`);
      await new Promise((resolve) => setTimeout(resolve, after * 1_000));
    }
  };
  return {
    settings,
    send,
    async call(request) {
      const answer = await send(request);
      if (answer.status >= 400) throw new Refused(answer);
      return answer;
    },
  };
}

async function exchangeOnce(url: string, { method, body }: Exchange, headers: Record<string, string>): Promise<Answer> {
  const { payload, type } = payloadOf(body);
  const all = type ? { ...headers, 'content-type': type } : headers;
  try {
    const reply = await exchange(url, { method, headers: all, payload, timeoutMs: TIMEOUT_MS });
    return { ...reply, body: bodyOf(reply.bytes, String(reply.headers['content-type'] ?? '')) };
  } catch (error) {
    if (error instanceof Stop) throw error;
    const { message, code } = error as NodeJS.ErrnoException;
    throw new NoAnswer(EXIT.noAnswer, `No answer from ${new URL(url).origin}: ${message || code}. Is the service running?`);
  }
}

class NoAnswer extends Stop {}

function payloadOf(body: unknown): { payload?: Buffer; type?: string } {
  if (body === undefined) return {};
  // A file as it is; its type is in the headers.
  if (Buffer.isBuffer(body)) return { payload: body };
  if (body instanceof Form) return body.encode(`switchyard-${newKey()}`);
  return { payload: Buffer.from(JSON.stringify(body)), type: 'application/json' };
}

function bodyOf(bytes: Buffer, type: string): unknown {
  if (bytes.length === 0) return undefined;
  if (!type.startsWith('application/json')) return type.startsWith('text/') ? bytes.toString('utf8') : bytes;
  return JSON.parse(bytes.toString('utf8'));
}

/** The service refused or failed. The message is laid out by `explain`. */
export class Refused extends Stop {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super(answer.status >= 500 ? EXIT.serviceFailed : EXIT.refused, explain(answer));
    this.answer = answer;
  }
}

/** `404 CUSTOMER_NOT_FOUND: Customer not found.  (request …)`, then a line for each field by its flag. */
export function explain({ status, body, headers }: Answer): string {
  const request = headers['x-request-id'] ? `  (request ${headers['x-request-id']})` : '';
  if (!body?.code) return `${status} ${typeof body === 'string' ? body.slice(0, 200) : ''}${request}`;
  const { errors = [], cause, ...details } = body.details ?? {};
  const fields = (errors as { field: string; message?: string; constraint?: { enum?: unknown[] } }[]).map(
    ({ field, message, constraint }) =>
      `  --${flagName(field)}: ${message ?? 'is not valid'}${constraint?.enum ? `: ${constraint.enum.join(', ')}` : ''}`,
  );
  const facts = [
    ...(cause ? [`  ${cause}`] : []),
    ...Object.entries(details).map(([name, value]) => `  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`),
  ];
  return [`${status} ${body.code}: ${body.reason}${request}`, ...fields, ...facts].join('\n');
}

/** The path of an operation with these ids. */
export function pathOf({ path }: Pick<CommandOperation, 'path'>, ids: readonly string[]): string {
  // Steps of a path, however they are encoded: the call would go to another operation.
  const step = ids.find((id) => id === '.' || id === '..');
  if (step !== undefined) throw usage(`${step} is no id`);
  return pathParameters(path).reduce((whole, name, i) => whole.replace(`{${name}}`, encodeURIComponent(ids[i] ?? '')), path);
}

/** The module is loaded by the commands that need a key. */
export const newKey = (): string => process.getBuiltinModule('node:crypto').randomUUID();

const quoted = (text: string): string => (/^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The request as a curl command. The token is named, not shown. */
export function curlOf(settings: Settings, request: Exchange): string {
  const { method, body, headers = {} } = request;
  const parts = ['curl', '-s', ...(method === 'GET' ? [] : ['-X', method]), '-u "$SWITCHYARD_TOKEN_ID:$SWITCHYARD_TOKEN_SECRET"'];
  for (const [name, value] of Object.entries(headers)) parts.push('-H', quoted(`${name}: ${value}`));
  if (body instanceof Form) {
    for (const [name, value] of body.parts) {
      // A text that begins with @ or < would be read from a file by -F.
      if (isUpload(value)) parts.push('-F', quoted(`${name}=@${value.path};type=${value.type}`));
      else parts.push('--form-string', quoted(`${name}=${value}`));
    }
  } else if (Buffer.isBuffer(body)) parts.push('--data-binary', quoted(body.toString('utf8')));
  else if (body !== undefined) parts.push('-H', quoted('content-type: application/json'), '-d', quoted(JSON.stringify(body)));
  return [...parts, quoted(urlOf(settings, request))].join(' ');
}
