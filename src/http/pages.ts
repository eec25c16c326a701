// The pages beside the API: health, metrics and the API document.
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Db } from '../db/pool.js';
import { sql } from '../db/sql.js';
import { ApiError, ERRORS } from '../kernel/errors.js';
import { errorBody, JSON_HEADER } from './error-boundary.js';
import type { Metrics } from './metrics.js';

export type PageOptions = {
  readonly document: () => Record<string, unknown>;
  readonly db: Db;
  readonly isOpen: () => boolean;
  readonly metrics: Metrics;
  readonly log: Logger;
};

/** Paths of the pages beside the API, those of docs.ts included; each takes GET alone. */
export const PAGES = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'] as const;

export function registerPages(app: FastifyInstance, { document, db, isOpen, metrics, log }: PageOptions): void {
  let text: string | undefined;
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
