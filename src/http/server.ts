// The HTTP door: routes made from operations, one error boundary, the unversioned pages. Only this folder names the framework.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { TSchema } from 'typebox';
import type { Db } from '../db/pool.js';
import { sql } from '../db/sql.js';
import { ApiError, ERRORS, invalidField } from '../kernel/errors.js';
import { newUuid } from '../kernel/ids.js';
import { decodeUtf8, JsonProblem, parseJson } from '../kernel/json.js';
import { authenticate, authorize, type FindCaller } from './authenticate.js';
import { registerDocs } from './docs.js';
import { type IdempotencyOptions, idempotencyKeyOf, once, type Reply } from './idempotency.js';
import type { Metrics } from './metrics.js';
import type { Answer, Caller, Operation, Request } from './operation.js';
import { rateLimit } from './rate-limit.js';
import { SIGNATURE_HEADER, signedCallOf } from './signed-call.js';
import { bodyCheck, type Check, queryCheck } from './validate.js';

export const BASE_PATH = '/2025-10-13';

export type ServerOptions = {
  readonly operations: readonly Operation[];
  readonly document: () => Record<string, unknown>;
  readonly db: Db;
  readonly findCaller: FindCaller;
  readonly idempotency: IdempotencyOptions;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** False until the schema is migrated and seeded; the operations answer 503 until then. */
  readonly isOpen: () => boolean;
  readonly signatureHeaderAliases?: readonly string[];
  readonly rateLimitPerMinute?: number | undefined;
};

const BODY_LIMIT = 64 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How late a timeout may come. */
const TIMEOUT_CHECK_MS = 1_000;
const MAX_IN_FLIGHT = 4_096;
const MAX_IN_FLIGHT_WHEN_LATE = 512;
const MAX_LOOP_DELAY_MS = 1_000;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;
const JSON_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?[ \t]*$/i;
/** What is counted and logged for a request whose caller did not wait for its answer; no response has it. */
const CALLER_LEFT = 499;
const JSON_HEADER = 'application/json; charset=utf-8';

export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    genReqId: newUuid,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: TIMEOUT_CHECK_MS, requireHostHeader: false },
    keepAliveTimeout: 72_000,
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: false },
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendError(options.log, error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler,
  });

  // Bodies arrive as bytes; what they must be is decided by the operation.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  // An expectation we do not know is no reason to refuse.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  const pressure = loadMeter(app);
  options.metrics.watchInFlight(pressure.underWay);
  const onEnd = watchLines(app);
  app.addHook('onRequest', (request, reply, done) => {
    const began = performance.now();
    onEnd(reply.raw, () => {
      pressure.leave();
      const operation = (request.routeOptions.config as { operation?: string }).operation ?? 'none';
      const status = reply.raw.headersSent ? reply.statusCode : CALLER_LEFT;
      const ms = performance.now() - began;
      options.metrics.observe(operation, status, ms / 1000);
      options.log.info({ requestId: request.id, operation, status, ms: Math.round(ms * 10) / 10 }, 'answered');
    });
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    const welcome = pressure.enter() && options.isOpen();
    // A request line without a version: nothing that follows could be framed.
    if (request.raw.httpVersionMajor < 1) return done(new ApiError('INVALID_INPUT', { cause: 'HTTP' }));
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined)
      return done(new ApiError('INVALID_INPUT', { cause: 'HOST' }));
    done(welcome || !request.url.startsWith(BASE_PATH) ? undefined : unavailable());
  });
  app.setErrorHandler((error, request, reply) => sendError(options.log, error, request, reply));
  app.setNotFoundHandler((request, reply) => sendError(options.log, new ApiError('NOT_FOUND'), request, reply));

  registerOperations(app, options, pressure);
  registerPages(app, options);
  registerDocs(app);
  return app;
}

function registerOperations(app: FastifyInstance, options: ServerOptions, pressure: LoadMeter): void {
  const limit = rateLimit(options.rateLimitPerMinute);
  const signatureHeaders = [SIGNATURE_HEADER, ...(options.signatureHeaderAliases ?? [])];
  const allowed = new Map<string, Set<string>>();

  for (const op of options.operations) {
    const url = BASE_PATH + op.path.replaceAll(/\{(\w+)\}/g, ':$1');
    allowed.set(url, (allowed.get(url) ?? new Set()).add(op.method));
    const check = checksOf(op);
    app.route({
      method: op.method,
      url,
      config: { operation: op.id },
      handler: async (raw, reply) => {
        const caller = op.permission === 'PUBLIC' ? undefined : await authenticate(raw.headers.authorization, options.findCaller);
        if (caller) {
          const verdict = limit(caller.tokenId, performance.now());
          if (!verdict.allowed)
            throw new ApiError('RATE_LIMITED', undefined, { headers: { 'retry-after': String(verdict.retryAfterSeconds) } });
          authorize(caller, op.permission as Exclude<typeof op.permission, 'PUBLIC'>);
        }
        const signed = op.signedRetry
          ? signedCallOf(raw.headers, signatureHeaders, op.signedRetry === 'or-named')
          : ({ kind: 'initial' } as const);
        const request: Request = {
          // A PUBLIC operation never reads its caller.
          caller: caller as Caller,
          platformId: caller?.platformId as Caller['platformId'],
          now: caller?.now as Date,
          params: raw.params as Record<string, string>,
          query: check.query(raw),
          body: check.body(raw),
          requestId: raw.id,
          signed,
          headers: raw.headers,
        };
        await pressure.during(() => answer(op, request, raw, reply, options));
        return reply;
      },
    });
  }

  for (const [url, methods] of allowed) refuseOtherMethods(app, url, methods);
}

function refuseOtherMethods(app: FastifyInstance, url: string, methods: ReadonlySet<string>): void {
  const allow = [...methods].sort().join(', ');
  app.route({
    method: METHODS.filter((method) => !methods.has(method)),
    url,
    handler: async () => {
      throw new ApiError('METHOD_NOT_ALLOWED', undefined, { headers: { allow } });
    },
  });
}

/** Runs the operation and sends what it answered; writes run in one transaction with their idempotency record. */
async function answer(op: Operation, request: Request, raw: FastifyRequest, reply: FastifyReply, options: ServerOptions): Promise<void> {
  if (op.handle && !(op.write && raw.headers['idempotency-key'] !== undefined)) {
    const result = await op.handle(request);
    if (result.refusal) throw result.refusal;
    for (const [name, value] of Object.entries(result.headers ?? {})) reply.header(name, value);
    if (result.stream) void reply.code(result.status).send(result.stream);
    else if (result.text !== undefined) void reply.code(result.status).send(result.text);
    else send(reply, toReply(result));
    return;
  }
  const write = op.write as NonNullable<Operation['write']>;
  const key = op.idempotency ? idempotencyKeyOf(raw.headers['idempotency-key'], op.idempotency === 'required') : undefined;
  let refusal: ApiError | undefined;
  const effect = async (tx: Parameters<typeof write>[0]): Promise<Reply> => {
    const result = await write(tx, request);
    refusal = result.refusal;
    return result.refusal ? { status: result.status, payload: JSON.stringify(errorBody(result.refusal)) } : toReply(result);
  };
  const outcome = await options.db.transaction(async (tx) => {
    if (key === undefined) return { ...(await effect(tx)), replayed: false };
    return once(
      tx,
      {
        platformId: request.platformId,
        key,
        operation: op.id,
        target: raw.url,
        body: request.body ?? null,
        secret: op.secretAnswer ?? false,
      },
      options.idempotency,
      () => effect(tx),
    );
  });
  if (outcome.replayed) reply.header('idempotent-replayed', 'true');
  for (const [name, value] of Object.entries(refusal?.headers ?? {})) reply.header(name, value);
  send(reply, outcome);
}

const toReply = (result: Answer): Reply => ({
  status: result.status,
  payload: result.body === undefined ? '' : JSON.stringify(result.body),
});

function send(reply: FastifyReply, { status, payload }: Reply): void {
  if (payload === '') void reply.code(status).send();
  else void reply.code(status).header('content-type', JSON_HEADER).send(payload);
}

/** What of the raw request an operation accepts: the checks run before any rule, and nothing unchecked passes. */
function checksOf(op: Operation): { query: (raw: FastifyRequest) => unknown; body: (raw: FastifyRequest) => unknown } {
  const namesTimestamps = op.errors?.includes('INVALID_TIMESTAMP') ?? false;
  const checkQuery = queryCheck(op.query ?? ({ type: 'object', properties: {}, additionalProperties: false } as TSchema), namesTimestamps);
  const checkBody: Check | undefined = op.body ? bodyCheck(op.body, namesTimestamps) : undefined;
  return {
    query(raw) {
      // The parser lets pass what it cannot decode.
      if (!isEncodedText(raw.url.replace(/^[^?]*/, ''))) throw invalidField('', 'the query string is not encoded text');
      const plain: Record<string, unknown> = { ...(raw.query as Record<string, unknown>) };
      checkQuery(plain);
      return plain;
    },
    body(raw) {
      const bytes = raw.body as Buffer | undefined;
      const absent = bytes === undefined || bytes === null || bytes.length === 0;
      if (!absent && !JSON_TYPE.test(raw.headers['content-type'] ?? '')) throw new ApiError('UNSUPPORTED_MEDIA_TYPE');
      if (!checkBody) {
        if (!absent && Object.keys(Object(readJson(bytes))).length > 0) {
          throw new ApiError('INVALID_INPUT', { errors: [{ field: '', message: 'this operation takes no body' }] });
        }
        return undefined;
      }
      if (absent && op.bodyOptional) return {};
      if (absent && raw.headers['content-type'] !== undefined && !JSON_TYPE.test(raw.headers['content-type']))
        throw new ApiError('UNSUPPORTED_MEDIA_TYPE');
      if (absent) throw new ApiError('INVALID_INPUT', { errors: [{ field: '', message: 'a JSON body is required' }] });
      const value = readJson(bytes);
      checkBody(value);
      return value;
    },
  };
}

const isEncodedText = (text: string): boolean => {
  if (!text.includes('%')) return true;
  try {
    return !decodeURIComponent(text).includes('\u0000');
  } catch {
    return false;
  }
};

function readJson(bytes: Buffer): unknown {
  try {
    return parseJson(decodeUtf8(bytes));
  } catch (error) {
    if (error instanceof JsonProblem) throw new ApiError('INVALID_REQUEST_FORMAT', { cause: error.message });
    throw error;
  }
}

// ---- the error boundary

const errorBody = (error: ApiError) => ({ code: error.code, reason: error.message, ...(error.details ? { details: error.details } : {}) });

const FRAMEWORK_CODES: Readonly<Record<string, ApiError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new ApiError('PAYLOAD_TOO_LARGE'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new ApiError('UNSUPPORTED_MEDIA_TYPE'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new ApiError('INVALID_INPUT', { cause: 'CONTENT_LENGTH' }),
  FST_ERR_BAD_URL: new ApiError('INVALID_INPUT', { cause: 'URL' }),
  FST_ERR_NOT_FOUND: new ApiError('NOT_FOUND'),
};

function refusalFrom(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  const { code = '', statusCode } = error as { code?: string; statusCode?: number };
  if (FRAMEWORK_CODES[code]) return FRAMEWORK_CODES[code];
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500 ? new ApiError('INVALID_INPUT') : undefined;
}

function sendError(log: Logger, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = refusalFrom(error);
  if (!refusal) {
    // The text of an unexpected error may hold anything; it goes to the log, never to the caller.
    const { message, stack, code } = error as { message?: string; stack?: string; code?: string };
    log.error({ requestId: request.id, errorCode: code, errorMessage: message, stack }, 'failed');
  }
  const shown = refusal ?? new ApiError('INTERNAL_ERROR', { requestId: request.id });
  reply.header('x-request-id', request.id);
  for (const [name, value] of Object.entries(shown.headers)) reply.header(name, value);
  return reply
    .code(shown.status)
    .header('content-type', JSON_HEADER)
    .send(JSON.stringify(errorBody(shown)));
}

/** Bytes that are not HTTP, or that dribble in too slowly: one short answer and the line is closed. */
function clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const timedOut = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const body = JSON.stringify(
    errorBody(new ApiError(timedOut ? 'REQUEST_TIMEOUT' : 'INVALID_INPUT', timedOut ? undefined : { cause: 'HTTP' })),
  );
  const status = timedOut ? '408 Request Timeout' : '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: ${JSON_HEADER}\r\nx-request-id: ${newUuid()}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

type LoadMeter = {
  /** Answers whether there is room for the request. */
  enter(): boolean;
  leave(): void;
  /** A caller who leaves does not end the work that was begun for it: that counts for as long as it lasts. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
  underWay(): number;
};

const unavailable = () => new ApiError('SERVICE_UNAVAILABLE', undefined, { headers: { 'retry-after': '1' } });

/**
 * Counts what is in flight and how late the event loop runs; past either bound `enter` answers that there is no room.
 * A late loop lowers the bound; it must have been late for two looks in a row, because one stall (a start, a compilation) is no overload,
 * and with few requests in flight it is the machine that is slow: turning them away would help nobody.
 */
function loadMeter(app: FastifyInstance): LoadMeter {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let wasSlow = false;
  let late = false;
  const timer = setInterval(() => {
    const isSlow = delay.mean / 1e6 > MAX_LOOP_DELAY_MS;
    late = isSlow && wasSlow;
    wasSlow = isSlow;
    delay.reset();
  }, 1_000).unref();
  app.addHook('onClose', async () => {
    clearInterval(timer);
    delay.disable();
  });
  let open = 0;
  let working = 0;
  const underWay = () => Math.max(open, working);
  return {
    enter() {
      open += 1;
      return underWay() <= (late ? MAX_IN_FLIGHT_WHEN_LATE : MAX_IN_FLIGHT);
    },
    leave() {
      open -= 1;
    },
    async during(work) {
      working += 1;
      try {
        return await work();
      } finally {
        working -= 1;
      }
    },
    underWay,
  };
}

/**
 * Calls once when a request has ended, also when its caller has left. A response that waits behind another on the same line never
 * hears that the line is gone, so the lines are watched, too. One that carries no request is cut when the service stops: the
 * framework waits for those on which nothing was ever asked.
 */
function watchLines(app: FastifyInstance): (response: ServerResponse, onEnd: () => void) => void {
  const lines = new Map<Socket, Set<() => void>>();
  app.server.on('connection', (socket) => {
    const open = new Set<() => void>();
    lines.set(socket, open);
    socket.once('close', () => {
      lines.delete(socket);
      for (const end of open) end();
    });
  });
  app.addHook('preClose', async () => {
    for (const [socket, open] of lines) if (open.size === 0) socket.destroy();
  });
  return (response, onEnd) => {
    const open = lines.get(response.req.socket) ?? new Set();
    const end = () => {
      if (open.delete(end)) onEnd();
    };
    open.add(end);
    response.once('close', end);
  };
}

// ---- unversioned pages

function registerPages(app: FastifyInstance, { document, db, isOpen, metrics, log }: ServerOptions): void {
  let text: string | undefined;
  for (const url of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs']) refuseOtherMethods(app, url, new Set(['GET']));
  app.get('/healthz', { config: { operation: 'healthz' } }, async () => ({ status: 'ok' }));
  app.get('/readyz', { config: { operation: 'readyz' } }, async (_request, reply) => {
    const answers = await db.one(sql`select 1 as one`).catch((error: Error) => {
      log.warn({ errorMessage: error.message }, 'the database does not answer');
      return undefined;
    });
    const ready = isOpen() && answers !== undefined;
    return reply
      .code(ready ? 200 : ERRORS.SERVICE_UNAVAILABLE.status)
      .send(ready ? { status: 'ready' } : errorBody(new ApiError('SERVICE_UNAVAILABLE')));
  });
  app.get('/metrics', { config: { operation: 'metrics' } }, async (_request, reply) =>
    reply.header('content-type', metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
  app.get('/openapi.json', { config: { operation: 'openapi' } }, async (_request, reply) => {
    text ??= JSON.stringify(document());
    return reply.header('content-type', JSON_HEADER).send(text);
  });
}
