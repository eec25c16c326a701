// The only HTTP client for URLs that a platform chose. It connects only to public addresses (sandbox: also loopback), to exactly the
// address that was checked, follows no redirect, and reads a limited part of the answer.
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher, errors } from 'undici';
import { describeError } from '../../../kernel/errors.js';
import { isAddressAllowed, type OutboundPolicy, parseEndpointUrl } from './endpoint.js';

export { isAddressAllowed, LIVE_POLICY, type OutboundPolicy, SANDBOX_POLICY } from './endpoint.js';

export type OutboundFailure =
  | 'URL_REFUSED'
  | 'ADDRESS_REFUSED'
  | 'NAME_NOT_RESOLVED'
  | 'TIMEOUT'
  | 'TLS_FAILED'
  | 'CONNECTION_FAILED'
  | 'ANSWER_INVALID';

const NOT_SENT: ReadonlySet<OutboundFailure> = new Set<OutboundFailure>(['URL_REFUSED', 'ADDRESS_REFUSED', 'NAME_NOT_RESOLVED']);

export type OutboundResult = { readonly durationMs: number } & (
  | { readonly kind: 'ANSWERED'; readonly status: number; readonly body: string }
  | { readonly kind: 'FAILED'; readonly failure: OutboundFailure }
);

export type PostOptions = {
  readonly timeoutMs?: number;
  /** How much of the answer is returned. */
  readonly keptBytes?: number;
};

export type Outbound = {
  get(url: string, headers: Readonly<Record<string, string>>, options?: PostOptions): Promise<OutboundResult>;
  post(url: string, headers: Readonly<Record<string, string>>, body: Buffer, options?: PostOptions): Promise<OutboundResult>;
  close(): void;
};

type Resolve = (hostname: string) => Promise<readonly string[]>;

export type OutboundOptions = {
  readonly policy: OutboundPolicy;
  /** All addresses of a name. Resolved for each connection (connections opened together share a lookup), then checked and pinned. */
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
  /** Certificate authorities beside those of the system, for receivers inside a test. */
  readonly ca?: string;
};

const TIMEOUT_MS = 15_000;
/** "response body up to 2 kB" is kept. More is read, so that the connection can be used again. */
const KEPT_BYTES = 2_048;
export const READ_BYTES = 65_536;
const IDLE_MS = 10_000;
const MAX_PARSED = 10_000;

class Refused extends Error {
  readonly failure: OutboundFailure;
  constructor(failure: OutboundFailure) {
    super(failure);
    this.failure = failure;
  }
}

const systemResolve: Resolve = async (hostname) =>
  (await systemLookup(hostname, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * Lookups run on the few threads of libuv's pool. Concurrent lookups of one name share a thread. Otherwise one platform whose name is
 * slow to resolve could occupy all of them.
 */
function sharing(resolve: Resolve): Resolve {
  const inProgress = new Map<string, Promise<readonly string[]>>();
  return (hostname) => {
    const lookup = inProgress.get(hostname) ?? resolve(hostname).finally(() => inProgress.delete(hostname));
    inProgress.set(hostname, lookup);
    return lookup;
  };
}

/** One forbidden address refuses the name. An attacker who returns a good and a bad address must not succeed by chance. */
async function pin(hostname: string, resolve: Resolve, policy: OutboundPolicy): Promise<string> {
  const addresses = await resolve(hostname).catch(() => []);
  const [first] = addresses;
  if (first === undefined) throw new Refused('NAME_NOT_RESOLVED');
  if (!addresses.every((address) => isAddressAllowed(address, policy))) throw new Refused('ADDRESS_REFUSED');
  return first;
}

/** Opens connections to allowed addresses only. */
function guardedConnector({ policy, timeoutMs = TIMEOUT_MS, resolve = systemResolve, ca }: OutboundOptions): buildConnector.connector {
  const shared = sharing(resolve);
  // Runs inside connect(), so the socket goes to exactly the address that was checked here.
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    pin(hostname, shared, policy).then(
      (address) => (all ? callback(null, [{ address, family: isIP(address) }]) : callback(null, address, isIP(address))),
      (refused: NodeJS.ErrnoException) => callback(refused, '', 4),
    );
  };
  const connectBare = buildConnector({
    lookup,
    autoSelectFamily: false,
    minVersion: 'TLSv1.2',
    timeout: timeoutMs,
    ...(ca !== undefined && { ca }),
  });
  // A second check: a socket that reached a forbidden address is destroyed before the request is written.
  return (target, done) =>
    connectBare(target, (...[error, socket]) => {
      if (error) return done(error, null);
      if (!isAddressAllowed(socket.remoteAddress ?? '', policy)) {
        socket.destroy();
        return done(new Refused('ADDRESS_REFUSED'), null);
      }
      // `isStale` needs to know whether this connection had received anything before the error.
      socket.prependListener('error', (cut: SocketError) => Object.assign(cut, { socket: { bytesRead: socket.bytesRead } }));
      done(null, socket);
    });
}

/** Caches parsed URLs, because there are few endpoints and many requests. The result depends on the text alone, so it never expires. */
function rememberingParser(policy: OutboundPolicy): (text: string) => URL | undefined {
  const parsed = new Map<string, URL | undefined>();
  return (text) => {
    if (!parsed.has(text)) {
      if (parsed.size >= MAX_PARSED) parsed.clear();
      parsed.set(text, parseEndpointUrl(text, policy));
    }
    return parsed.get(text);
  };
}

export function createOutbound(options: OutboundOptions): Outbound {
  const { policy } = options;
  const urlOf = rememberingParser(policy);
  // One request at a time on each connection, as many connections as requests. `Exchange` enforces the timeout.
  const agent = new Agent({
    connect: guardedConnector(options),
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  const send = (
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: Buffer | null,
    { deadline, keptBytes }: { readonly deadline: number; readonly keptBytes: number },
  ): Promise<Answer> =>
    new Promise((settle, fail) => {
      const exchange = new Exchange(settle, fail, { leftMs: deadline - performance.now(), keptBytes });
      agent.dispatch({ origin: url.origin, path: url.pathname + url.search, method: body ? 'POST' : 'GET', headers, body }, exchange);
    });

  /** Where causes are hidden, all that was never sent answers alike: neither names nor ports of a network can be tried out. */
  const failed = (failure: OutboundFailure, durationMs: number): OutboundResult =>
    !policy.hidesCause || !NOT_SENT.has(failure)
      ? { kind: 'FAILED', failure, durationMs }
      : { kind: 'FAILED', failure: 'ADDRESS_REFUSED', durationMs: 0 };

  /** Without a body it is a GET. */
  const request = async (
    text: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer | null,
    { timeoutMs = options.timeoutMs ?? TIMEOUT_MS, keptBytes = KEPT_BYTES }: PostOptions = {},
  ): Promise<OutboundResult> => {
    const started = performance.now();
    const elapsed = () => Math.round(performance.now() - started);
    const url = urlOf(text);
    if (!url) return failed('URL_REFUSED', elapsed());
    const attempt = () => send(url, headers, body, { deadline: started + timeoutMs, keptBytes });
    try {
      const answer = await attempt().catch((error: SocketError) => {
        // The receiver may close an idle connection at the moment we reuse it. That is no failed attempt, so it is repeated once.
        if (isStale(error)) return attempt();
        throw error;
      });
      return { ...answer, durationMs: elapsed() };
    } catch (error) {
      return failed(failureOf(error), elapsed());
    }
  };

  return {
    get: (url, headers, kept) => request(url, headers, null, kept),
    post: request,
    close() {
      void agent.destroy();
    },
  };
}

type Answer = Omit<Extract<OutboundResult, { kind: 'ANSWERED' }>, 'durationMs'>;

/** One request and the start of its answer. Ends once: with an answer, an error or the timeout. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly settle: (answer: Answer) => void;
  private readonly fail: (error: SocketError) => void;
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private isOver = false;
  private status = 0;
  private readonly kept: Buffer[] = [];
  private read = 0;
  private readonly keptBytes: number;

  constructor(
    settle: (answer: Answer) => void,
    fail: (error: SocketError) => void,
    { leftMs, keptBytes }: { readonly leftMs: number; readonly keptBytes: number },
  ) {
    this.settle = settle;
    this.fail = fail;
    this.keptBytes = keptBytes;
    this.timer = setTimeout(
      () => {
        this.onResponseError(undefined, new Refused('TIMEOUT'));
        this.controller?.abort(new Refused('TIMEOUT'));
      },
      Math.max(0, leftMs),
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // The timeout came before the connection.
    if (this.isOver) controller.abort(new Refused('TIMEOUT'));
  }

  onResponseStart(_controller: unknown, status: number): void {
    this.status = status;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.read < this.keptBytes) this.kept.push(chunk.subarray(0, this.keptBytes - this.read));
    this.read += chunk.length;
    if (this.read <= READ_BYTES || this.isOver) return;
    this.onResponseEnd();
    controller.abort(new Refused('ANSWER_INVALID'));
  }

  onResponseEnd(): void {
    if (this.end()) this.settle({ kind: 'ANSWERED', status: this.status, body: textOf(this.kept) });
  }

  onResponseError(_controller: unknown, error: SocketError): void {
    if (this.end()) this.fail(Object.assign(error, { unanswered: this.status === 0 }));
  }

  /** True the first time. */
  private end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    clearTimeout(this.timer);
    return true;
  }
}

/** The text is cut at a byte count, so a broken last character is dropped. PostgreSQL text holds no NUL. */
const textOf = (chunks: readonly Buffer[]): string =>
  chunks.length === 0 ? '' : Buffer.concat(chunks).toString('utf8').replace(/�+$/, '').replaceAll('\0', '');

type SocketError = Error & { code?: string; unanswered?: boolean; socket?: { readonly bytesRead?: number } };

/** The connection was closed without an answer, and had been used before. */
const isStale = ({ code = '', message, unanswered, socket }: SocketError): boolean =>
  unanswered === true &&
  (socket?.bytesRead ?? 0) > 0 &&
  (code === 'ECONNRESET' || code === 'EPIPE' || (code === 'UND_ERR_SOCKET' && message.endsWith('closed')));

function failureOf(error: unknown): OutboundFailure {
  if (error instanceof Refused) return error.failure;
  if (error instanceof errors.ConnectTimeoutError) return 'TIMEOUT';
  if (INVALID.some((kind) => error instanceof kind)) return 'ANSWER_INVALID';
  const { code = '' } = describeError(error);
  return TLS_CODES.test(code) ? 'TLS_FAILED' : 'CONNECTION_FAILED';
}

const INVALID = [errors.HTTPParserError, errors.HeadersOverflowError, errors.ResponseContentLengthMismatchError] as const;
const TLS_CODES = /^(ERR_TLS|ERR_SSL|CERT|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|HOSTNAME|EPROTO)/;
