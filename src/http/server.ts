// The HTTP server: routes made from operations, limits, and one error boundary. Only this folder names the framework.
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Db } from '../db/pool.js';
import { ApiError } from '../kernel/errors.js';
import { type AgentId, newUuid, type PlatformId, type TokenId } from '../kernel/ids.js';
import type { Files } from '../providers/files/file.js';
import { answer, type RawReply, unavailable } from './answer.js';
import {
  authenticate,
  authenticateAgent,
  authenticateIssuer,
  authorize,
  authorizeAgent,
  credentialsOf,
  type FindAgent,
  type FindCaller,
  type IssuerAccess,
} from './authenticate.js';
import { type ConsoleOptions, callerAtTheDoor, consoleRewrite, isAtTheDoor, registerConsole } from './console.js';
import { type ContractOperation, isPublic, notImplemented } from './contract-operations.js';
import { registerDocs } from './docs.js';
import { clientErrorHandler, type RenderError, sendError } from './error-boundary.js';
import { keptBody, type ObserveExchange, observerOf } from './exchange.js';
import { createFairGate, type GateBounds } from './fair-gate.js';
import { type FindFaults, withFaults } from './faults.js';
import type { IdempotencyOptions } from './idempotency.js';
import { createLoadMeter, type LoadMeter, WatchedResponse, watchConnections } from './load.js';
import type { LoginThrottle } from './login-throttle.js';
import type { Metrics } from './metrics.js';
import { type Form, formReader } from './multipart.js';
import { nearby } from './nearby.js';
import type { AnyCaller, Caller, Operation, ServedRequest } from './operation.js';
import { PAGES, type PageOptions, registerPages } from './pages.js';
import type { RateLimit } from './rate-limit.js';
import { MAX_BODY_BYTES, requestChecksOf } from './request-checks.js';
import { SIGNATURE_HEADER, signedCallOf } from './signed-call.js';

export const BASE_PATH = '/2025-10-13';

export type ServerOptions = PageOptions & {
  readonly db: Db;
  /** Where the files of uploads go. */
  readonly files: Files;
  readonly metrics: Metrics;
  readonly operations: readonly Operation[];
  /** Operations of the contract that nothing serves: they answer 501 with their name. */
  readonly unimplemented?: readonly ContractOperation[];
  readonly findCaller: FindCaller;
  readonly findAgent: FindAgent;
  readonly loginThrottle: LoginThrottle;
  /** Addresses and networks of proxies whose `X-Forwarded-For` names the caller. Undefined: the address of the connection counts. */
  readonly trustedProxies?: readonly string[] | undefined;
  readonly issuers: IssuerAccess;
  readonly idempotency: IdempotencyOptions;
  readonly log: Logger;
  readonly renderError: RenderError;
  /** False until the schema is migrated and seeded; the operations answer 503 until then. */
  readonly isOpen: () => boolean;
  /** Whether the process is about to stop: it answers, and closes each connection with the answer. */
  readonly isDraining: () => boolean;
  readonly signatureHeaderAliases?: readonly string[];
  readonly limits: { readonly token: RateLimit; readonly platform: RateLimit };
  /** Undefined: requests are worked on as they come. */
  readonly gate?: GateBounds | undefined;
  readonly observers?: readonly ObserveExchange[];
  /** Of a sandbox: what goes wrong on purpose. */
  readonly faults?: FindFaults | undefined;
  /** Undefined: there is no console. */
  readonly console?: ConsoleOptions | undefined;
};

/** Each upload holds a few chunks of a file in memory, about 1.5 MB. The others wait unread. */
const UPLOADS: GateBounds = { alone: 16, besideOthers: 4, total: 32 };
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How late a timeout may come. */
const TIMEOUT_CHECK_MS = 1_000;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;
/** Counted and logged for a request whose caller disconnected before the answer; no response carries it. */
const CALLER_DISCONNECTED = 499;

/** The caller of a PUBLIC operation. It owns nothing, so nothing can be read on its behalf. */
const NOBODY: Caller = {
  platformId: 'Platform:00000000-0000-0000-0000-000000000000',
  tokenId: 'Token:00000000-0000-0000-0000-000000000000',
  permissions: [],
  now: new Date(0),
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation id, for metrics and logs. */
    readonly operation?: string;
    /** The path as declared, of an operation of the API. */
    readonly template?: string;
    readonly declared?: Operation;
  }
}

export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { log, metrics, isOpen, renderError } = options;
  const app = Fastify({
    logger: false,
    genReqId: newUuid,
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: options.trustedProxies === undefined ? false : [...options.trustedProxies],
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      requireHostHeader: false,
      ServerResponse: WatchedResponse,
    },
    keepAliveTimeout: 72_000,
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: false },
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    ...(options.console && { rewriteUrl: consoleRewrite(BASE_PATH) }),
    frameworkErrors: (error, request, reply) => sendError(options, error, { request, reply }),
    clientErrorHandler: clientErrorHandler(renderError),
  });

  // Bodies arrive as bytes; the operation decides what they must be.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  // An unknown expectation is no reason to refuse a request.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  const load = createLoadMeter(app);
  metrics.watchInFlight(load.inFlight);
  const { onEnd, isNewest } = watchConnections(app);
  const observe = observerOf(options.observers ?? []);
  app.decorateRequest('noted', null);
  app.addHook('onSend', (request, reply, payload, done) => {
    if (options.isDraining() && isNewest(reply.raw)) reply.header('connection', 'close');
    if (request.noted) request.noted.answerBody = keptBody(payload);
    done(null, payload);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const began = performance.now();
    onEnd(reply.raw, () => {
      load.leave();
      const operation = request.routeOptions.config.operation ?? 'none';
      const status = reply.raw.headersSent ? reply.statusCode : CALLER_DISCONNECTED;
      const ms = performance.now() - began;
      metrics.observe({ operation, method: request.method, status, seconds: ms / 1000 });
      log.info({ requestId: request.id, operation, status, ms: Math.round(ms * 10) / 10 }, 'answered');
      observe(request, status, ms);
    });
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    const isServed = load.enter() && isOpen();
    // Without a version in the request line, nothing that follows can be framed.
    if (request.raw.httpVersionMajor < 1) return done(new ApiError('INVALID_INPUT', { cause: 'HTTP' }));
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined)
      return done(new ApiError('INVALID_INPUT', { cause: 'HOST' }));
    // By the route as well: the router takes several spellings of one path.
    const isOfApi = [request.url, request.routeOptions.url].some((url) => url?.startsWith(BASE_PATH));
    done(isServed || !isOfApi ? undefined : unavailable());
  });
  app.setErrorHandler((error, request, reply) => sendError(options, error, { request, reply }));
  app.setNotFoundHandler((request, reply) => {
    const near = nearby(options.operations, BASE_PATH, request.url);
    sendError(options, new ApiError('NOT_FOUND', near.length > 0 ? { nearby: near } : undefined), { request, reply });
  });

  registerOperations(app, options, load);
  for (const url of PAGES) refuseOtherMethods(app, url, new Set(['GET']));
  registerPages(app, options);
  if (options.console) registerConsole(app, options.console, { ...options, countRequest: countBy(options.limits) });
  registerDocs(app, options.document, options.console);
  return app;
}

/** The token first: what it may not send takes nothing from the allowance of the platform. Nothing is awaited unless a lease is due. */
const countBy =
  ({ token, platform }: ServerOptions['limits']) =>
  (platformId: PlatformId, id: TokenId | AgentId): void | Promise<void> => {
    const counted = token({ platformId, id });
    const next = () => platform({ platformId, id: platformId });
    return counted ? counted.then(next) : next();
  };

const NO_BODY = Buffer.alloc(0);

type RouteTypes = { Params: Record<string, string>; Querystring: Record<string, unknown>; Body: Buffer | null | undefined };

function registerOperations(app: FastifyInstance, options: ServerOptions, load: LoadMeter): void {
  const countRequest = countBy(options.limits);
  const signatureHeaders = [SIGNATURE_HEADER, ...(options.signatureHeaderAliases ?? [])];
  const allowed = new Map<string, Set<string>>();
  const gate = options.gate && createFairGate(options.gate);

  const identify = async (
    op: Pick<Operation, 'permission' | 'method' | 'agentPermission'>,
    raw: FastifyRequest<RouteTypes>,
  ): Promise<AnyCaller> => {
    const { permission } = op;
    if (options.console && isAtTheDoor(raw.raw)) {
      const { caller, authorize: authorizeAtTheDoor } = await callerAtTheDoor(raw, permission, options.console);
      raw.noted = { caller, isConsole: true };
      const counted = countRequest(caller.platformId, caller.tokenId);
      if (counted) await counted;
      authorizeAtTheDoor();
      return caller;
    }
    if (permission === 'PUBLIC') return NOBODY;
    // No rate limit: a processor retries a purchase that was refused for its number.
    if (permission === 'ISSUER') {
      const issuer = await authenticateIssuer(raw.headers, raw.body ?? NO_BODY, options.issuers);
      raw.noted = { caller: issuer };
      return issuer;
    }
    const header = credentialsOf(raw.headers, raw.raw.rawHeaders);
    if (permission === 'AGENT') {
      const agent = await authenticateAgent(header, options.findAgent);
      raw.noted = { caller: agent };
      const counted = countRequest(agent.platformId, agent.agentId);
      if (counted) await counted;
      authorizeAgent(agent, op);
      return agent;
    }
    // A browser sends credentials that were typed into its own box with every request, also for the page of another site.
    if (raw.headers['sec-fetch-site'] === 'cross-site') throw new ApiError('FORBIDDEN', { cause: 'CROSS_SITE' });
    const caller = await authenticate(header, raw.ip, options);
    raw.noted = { caller };
    const counted = countRequest(caller.platformId, caller.tokenId);
    if (counted) await counted;
    authorize(caller, permission);
    return caller;
  };

  /** Requests of operations that take another credential, or none, meet the faults of a platform whose token they carry beside. */
  const faultsOfToken = async (raw: FastifyRequest<RouteTypes>, find: FindFaults) => {
    if (!raw.headers.authorization?.startsWith('Basic ')) return undefined;
    const caller = await authenticate(credentialsOf(raw.headers, raw.raw.rawHeaders), raw.ip, options).catch(() => undefined);
    return caller && find(caller.platformId);
  };

  const addRoute = ({ method, path, page }: Pick<Operation, 'method' | 'path' | 'page'>): string => {
    const url = (page ? '' : BASE_PATH) + path.replaceAll(/\{(\w+)\}/g, ':$1');
    allowed.set(url, (allowed.get(url) ?? new Set()).add(method));
    return url;
  };

  const uploads = createFairGate(UPLOADS);
  /** Reads the body of an upload, after its caller is known. Every other body has been read by the framework. */
  const formReaderOf = ({ body, multipart }: Operation) => {
    const read = body && multipart && formReader(body, multipart);
    return (
      read &&
      (async ({ raw, params }: FastifyRequest<RouteTypes>, { platformId }: AnyCaller): Promise<Form> => {
        const owner = multipart.platformOf ? await multipart.platformOf(params) : platformId;
        return uploads.enter(platformId, () => read(raw, owner && (() => options.files.receive(owner))));
      })
    );
  };

  const serve = (scope: FastifyInstance, op: Operation, url: string): void => {
    const checks = requestChecksOf(op);
    const readForm = formReaderOf(op);
    scope.route<RouteTypes>({
      method: op.method,
      url,
      config: { operation: op.id, template: op.path, declared: op },
      handler: async (raw, reply) => {
        if (op.page && !options.isOpen()) throw unavailable();
        const ofToken = options.faults && !takesToken(op) ? await faultsOfToken(raw, options.faults) : undefined;
        if (ofToken) {
          await withFaults(ofToken, op, raw, reply, async (to) => perform(raw, to, await identify(op, raw)));
          return reply;
        }
        const caller = await identify(op, raw);
        const found = raw.noted && !raw.noted.isConsole ? options.faults?.(caller.platformId) : undefined;
        const faults = found instanceof Promise ? await found : found;
        if (faults) await withFaults(faults, op, raw, reply, (to) => perform(raw, to, caller));
        else await perform(raw, reply, caller);
        return reply;
      },
    });

    const perform = async (raw: FastifyRequest<RouteTypes>, reply: RawReply, caller: AnyCaller): Promise<void> => {
      const signed = op.signedRetry
        ? signedCallOf(raw.headers, signatureHeaders, op.signedRetry === 'or-named')
        : ({ kind: 'initial' } as const);
      if (raw.noted && op.signedRetry)
        raw.noted.signed = signed.kind === 'initial' ? signed : { kind: signed.kind, requestId: signed.requestId };
      const query = checks.query(raw);
      const form = await readForm?.(raw, caller);
      const request: ServedRequest = {
        caller,
        platformId: caller.platformId,
        now: caller.now,
        params: raw.params,
        query,
        body: form ? form.body : checks.body(raw),
        rawBody: raw.body ?? NO_BODY,
        requestId: raw.id,
        address: raw.ip,
        signed,
        headers: raw.headers,
      };
      const work = () => answer(op, request, raw, reply, options);
      if (op.permission !== 'PUBLIC') gate?.noteActivity(caller.platformId);
      try {
        await load.during(() => (gate && isGated(op) ? gate.enter(caller.platformId, work) : work()));
      } finally {
        await form?.discard();
      }
    };
  };

  const routes = options.operations.map((op) => ({ op, url: addRoute(op) }));
  for (const { op, url } of routes) if (!op.multipart) serve(app, op, url);
  app.register(async (scope) => {
    // Uploads are read by their operations, at the pace at which they are stored.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const { op, url } of routes) if (op.multipart) serve(scope, op, url);
  });

  for (const op of options.unimplemented ?? []) {
    app.route<RouteTypes>({
      method: op.method,
      url: addRoute(op),
      config: { operation: op.id, template: op.path },
      handler: async (raw) => {
        await identify({ ...op, permission: isPublic(op) ? 'PUBLIC' : 'VIEW' }, raw);
        throw notImplemented(op);
      },
    });
  }

  for (const [url, methods] of allowed) refuseOtherMethods(app, url, methods);
}

const takesToken = ({ permission }: Operation): boolean => permission === 'VIEW' || permission === 'TRANSACT' || permission === 'MANAGE';

/** An issuer's request has a deadline, and whoever calls a public page has no platform to be counted for. */
const isGated = ({ permission, ungated }: Operation): boolean =>
  ungated === undefined && permission !== 'ISSUER' && permission !== 'PUBLIC';

function refuseOtherMethods(app: FastifyInstance, url: string, methods: ReadonlySet<string>): void {
  const allow = [...methods].sort().join(', ');
  app.route({
    method: METHODS.filter((method) => !methods.has(method)),
    url,
    handler: async () => {
      throw new ApiError('METHOD_NOT_ALLOWED', { allowed: [...methods].sort() }, { headers: { allow } });
    },
  });
}
