// The metrics listener: /metrics, /healthz and /readyz on a port of their own, so that a scraper needs no way to the API.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, ERRORS, type ErrorCode } from '../kernel/errors.js';
import { errorBody, JSON_HEADER } from './error-boundary.js';
import type { Metrics } from './metrics.js';
import { answerReadiness, type Readiness } from './pages.js';

export type MetricsServerOptions = { readonly metrics: Metrics; readonly isReady: Readiness };
export type MetricsServer = { readonly url: string; stop(): Promise<void> };

type Page = { readonly status: number; readonly type: string; readonly text: string };

const TIMEOUT_MS = 10_000;

export async function startMetricsServer(
  { host, port }: { readonly host: string; readonly port: number },
  options: MetricsServerOptions,
): Promise<MetricsServer> {
  const pages = pagesOf(options);
  const server = createServer({ headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS }, (request, response) => {
    void answer(pages, request).then(
      (page) => send(response, page),
      () => send(response, errorPage('INTERNAL_ERROR')),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { address, port: actual, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // A scraper keeps its connection open between scrapes.
        server.closeAllConnections();
      }),
  };
}

const pagesOf = ({ metrics: { registry }, isReady }: MetricsServerOptions): ReadonlyMap<string, () => Promise<Page>> =>
  new Map<string, () => Promise<Page>>([
    ['/metrics', async () => ({ status: 200, type: registry.contentType, text: await registry.metrics() })],
    ['/healthz', async () => json(200, { status: 'ok' })],
    [
      '/readyz',
      async () => {
        const { status, body } = answerReadiness(await isReady());
        return json(status, body);
      },
    ],
  ]);

async function answer(pages: ReadonlyMap<string, () => Promise<Page>>, { method, url = '' }: IncomingMessage): Promise<Page> {
  const page = pages.get(url.split('?')[0] ?? '');
  if (!page) return errorPage('NOT_FOUND');
  return method === 'GET' ? page() : errorPage('METHOD_NOT_ALLOWED');
}

const json = (status: number, body: unknown): Page => ({ status, type: JSON_HEADER, text: JSON.stringify(body) });
const errorPage = (code: ErrorCode): Page => json(ERRORS[code].status, errorBody(new ApiError(code)));

function send(response: ServerResponse, { status, type, text }: Page): void {
  if (status === ERRORS.METHOD_NOT_ALLOWED.status) response.setHeader('allow', 'GET');
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }).end(text);
}
