// The pages beside the API: health and the API document. Metrics have a listener of their own.
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Db } from '../db/pool.js';
import { sql } from '../db/sql.js';
import { ApiError, ERRORS, messageForLog } from '../kernel/errors.js';
import { errorBody, JSON_HEADER } from './error-boundary.js';
import { type StaticText, sendStatic, staticText } from './static-text.js';

export type PageOptions = { readonly document: () => Record<string, unknown>; readonly isReady: Readiness };

/** Whether the process can serve: it is open, and its database answers. */
export type Readiness = () => Promise<boolean>;

export function createReadiness({ db, isOpen, log }: { readonly db: Db; readonly isOpen: () => boolean; readonly log: Logger }): Readiness {
  return async () => {
    const answers = await db.one(sql`select 1 as one`).catch((error: Error) => {
      log.warn({ errorMessage: messageForLog(error) }, 'the database does not answer');
      return undefined;
    });
    return isOpen() && answers !== undefined;
  };
}

/** What /readyz answers. */
export const answerReadiness = (isReady: boolean): { readonly status: number; readonly body: unknown } =>
  isReady
    ? { status: 200, body: { status: 'ready' } }
    : { status: ERRORS.SERVICE_UNAVAILABLE.status, body: errorBody(new ApiError('SERVICE_UNAVAILABLE')) };

/** Paths of the pages beside the API, those of docs.ts included; each takes GET alone. */
export const PAGES = ['/', '/healthz', '/readyz', '/openapi.json', '/docs', '/llms.txt'] as const;

export function registerPages(app: FastifyInstance, { document, isReady }: PageOptions): void {
  let content: StaticText | undefined;
  app.get('/healthz', { config: { operation: 'healthz' } }, async () => ({ status: 'ok' }));
  app.get('/readyz', { config: { operation: 'readyz' } }, async (_request, reply) => {
    const { status, body } = answerReadiness(await isReady());
    return reply.code(status).send(body);
  });
  app.get('/openapi.json', { config: { operation: 'openapi' } }, async (request, reply) => {
    content ??= staticText(JSON.stringify(document()), JSON_HEADER);
    return sendStatic(request, reply, content);
  });
}
