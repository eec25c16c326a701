// Puts the modules together: hooks first, then operations and jobs, then the HTTP server that serves them.
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { MODULES } from './app.js';
import type { Config } from './config.js';
import { type Context, createContext, type Foundation } from './context.js';
import type { Job } from './db/job.js';
import type { Upkeep } from './db/upkeep.js';
import { createFindAgent } from './domains/agents/agents/actions.js';
import { createFindIssuer, createIsServed } from './domains/cards/issuer-credentials/actions.js';
import { createConsoleSessions, createLive } from './domains/core/console/actions.js';
import { createFindCaller } from './domains/core/platform/actions.js';
import { EVENT_CATALOGUE } from './domains/core/webhooks/event.js';
import { type EventSchemas, webhookDocs } from './domains/core/webhooks/schemas.js';
import { describeSignatureForm } from './domains/core/webhooks/signing.js';
import type { SandboxToken } from './http/console.js';
import { unimplementedOperations } from './http/contract-operations.js';
import { compatibleErrorBody, errorBody } from './http/error-boundary.js';
import type { GateBounds } from './http/fair-gate.js';
import type { FindFaults } from './http/faults.js';
import { idempotencyUpkeep } from './http/idempotency.js';
import { createLoginThrottle } from './http/login-throttle.js';
import type { Metrics } from './http/metrics.js';
import { openApiDocument } from './http/openapi.js';
import type { Operation } from './http/operation.js';
import { createReadiness, type Readiness } from './http/pages.js';
import { createRateLimit } from './http/rate-limit.js';
import { BASE_PATH, buildServer } from './http/server.js';
import { SIGNATURE_HEADER } from './http/signed-call.js';
import type { Words } from './http/words.js';
import { createHooks, type Hooks } from './kernel/hook.js';
import type { Background, Module } from './module.js';
import { fileUpkeep } from './providers/files/files.js';
import { projectRoot, version } from './root.js';

export type App = {
  readonly server: FastifyInstance;
  readonly operations: readonly Operation[];
  readonly jobs: readonly Job[];
  readonly upkeep: readonly Upkeep[];
  readonly background: readonly Background[];
  readonly hooks: Hooks;
  readonly metrics: Metrics;
  readonly isReady: Readiness;
  /** From now on the process is not ready, streams end, and every answer closes its connection. Requests are answered as before. */
  drain(): void;
};

/** The listeners of all modules. Command-line tools need these and no server. */
export function connectHooks(foundation: Foundation, rest: Omit<Parameters<typeof createContext>[1], 'hooks'> = NO_SERVER): Context {
  // Listeners are made from the context that carries them, so the context reads them late.
  let hooks: Hooks | undefined;
  const late: Hooks = {
    all: (hook) => connected().all(hook),
    only: (hook) => connected().only(hook),
  };
  const connected = (): Hooks => {
    hooks ??= createHooks(
      MODULES.flatMap(({ listeners = [] }) => listeners.map(({ hook, create }) => ({ hook, listener: create(context) }))),
    );
    return hooks;
  };
  const context = createContext(foundation, { ...rest, hooks: late });
  return context;
}

const NO_SERVER = { closing: new AbortController().signal, jobs: () => [], operations: () => [] };

export async function createApp(
  foundation: Foundation & { readonly isOpen: () => boolean; readonly sandboxToken: () => SandboxToken | undefined },
): Promise<App> {
  const { config, db, decisionDb, custody, secrets, log, isOpen, sandboxToken } = foundation;
  const closing = new AbortController();
  const jobs: Job[] = [];
  const context: Context = connectHooks(foundation, { closing: closing.signal, jobs: () => jobs, operations: () => operations });
  const parts = MODULES.map((module) => module.create?.(context) ?? {});
  const faults = parts.find((part) => part.faults)?.faults;
  jobs.push(...parts.flatMap((part) => part.jobs ?? []).map((job) => (faults ? withFaults(job, faults) : job)));
  const implemented = parts.flatMap((part) => part.operations ?? []);
  const operations: readonly Operation[] = operationsOf(parts, context);
  const background = parts.flatMap((part) => part.background ?? []);
  const upkeep = [idempotencyUpkeep(config.retention.idempotencyMs), fileUpkeep, ...parts.flatMap((part) => part.upkeep ?? [])];

  const isDraining = () => closing.signal.aborted;
  const isReady = createReadiness({ db, isOpen: () => isOpen() && !isDraining(), log });

  const server = await buildServer({
    operations,
    unimplemented: unimplementedOperations(implemented, context.isSandbox),
    document: () => documentOf(operations, config),
    db,
    files: context.files,
    findCaller: createFindCaller(decisionDb, secrets, config.mode),
    findAgent: createFindAgent(decisionDb, secrets, config.mode),
    issuers: {
      find: createFindIssuer(decisionDb, custody, config.mode),
      isServed: createIsServed(decisionDb, config.mode),
      certificateHeader: config.issuerCertificateHeader,
    },
    idempotency: { secrets, custody },
    metrics: context.metrics,
    log,
    renderError: config.compatibility.errorMembers ? compatibleErrorBody : errorBody,
    isOpen,
    isDraining,
    isReady,
    signatureHeaderAliases: config.walletSignatureHeaderAliases,
    limits: {
      token: createRateLimit(decisionDb, config.rateLimitPerMinute),
      platform: createRateLimit(decisionDb, config.platformRateLimitPerMinute),
    },
    loginThrottle: createLoginThrottle(config.failedLoginsPerMinute),
    trustedProxies: config.trustedProxies,
    gate: config.platformConcurrency === undefined ? undefined : boundsOf(config.platformConcurrency),
    console:
      config.console === 'off'
        ? undefined
        : {
            access: config.console,
            isSandbox: context.isSandbox,
            version,
            publicUrl: config.publicUrl,
            files: join(projectRoot, 'dist/console'),
            sessions: createConsoleSessions(decisionDb, config.mode),
            live: createLive(db, { isSandbox: context.isSandbox, closing: closing.signal }),
            sandboxToken,
          },
    faults,
    observers: parts.flatMap((part) => part.observe ?? []),
  });
  const drain = () => closing.abort();
  server.addHook('preClose', async () => drain());
  return { server, operations, jobs, upkeep, background, hooks: context.hooks, metrics: context.metrics, isReady, drain };
}

/** A job that calls providers meets their faults like a request does. */
const withFaults = (job: Job, find: FindFaults): Job => ({
  ...job,
  firstDue: (condition) => job.firstDue(condition),
  run: async (db, platformId, now, isOver) => {
    const faults = await find(platformId);
    const work = () => job.run(db, platformId, now, isOver);
    return faults ? faults.duringJob(work) : work();
  },
});

/** The operations of the mode. */
export const operationsOf = (parts: readonly { readonly operations?: readonly Operation[] }[], { isSandbox }: Context): Operation[] =>
  parts.flatMap((part) => part.operations ?? []).filter((op) => isSandbox || !op.sandbox);

export const documentOf = (
  operations: readonly Operation[],
  { publicUrl, compatibility }: Config,
  words?: Words,
): Record<string, unknown> =>
  openApiDocument(
    operations.filter(({ page }) => !page),
    {
      basePath: BASE_PATH,
      serverUrl: publicUrl ?? '',
      version,
      webhooks: webhookDocs(eventSchemasOf(MODULES)),
      transitions: Object.assign({}, ...MODULES.map(({ transitions = {} }) => transitions)),
      signatureHeader: SIGNATURE_HEADER,
      compatibleErrors: compatibility.errorMembers,
      webhookSignature: describeSignatureForm(compatibility.webhookSignature),
    },
    words,
  );

/** In all, more work than there are connections, so that none of them is ever idle. */
const boundsOf = (alone: number): GateBounds => ({ alone, besideOthers: Math.ceil(alone / 4), total: 4 * alone });

/** Every group of events has exactly one module that describes its payload. */
export function eventSchemasOf(modules: readonly Module[]): EventSchemas {
  const found: Partial<EventSchemas> = {};
  for (const { name, events = {} } of modules) {
    for (const [group, schema] of Object.entries(events)) {
      if (group in found) throw new Error(`${name} describes the events ${group} a second time`);
      Object.assign(found, { [group]: schema });
    }
  }
  const missing = Object.keys(EVENT_CATALOGUE).filter((group) => group !== 'test-webhook' && !(group in found));
  if (missing.length > 0) throw new Error(`no module describes the events ${missing.join(', ')}`);
  return found as EventSchemas;
}
