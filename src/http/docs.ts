// The API reference at /docs, rendered in the browser from /openapi.json with nothing fetched from outside.
// Its bundle is large and seldom asked for, so it is loaded at the first request.
import Fastify, { type FastifyInstance } from 'fastify';
import { ApiError } from '../kernel/errors.js';

let reference: Promise<FastifyInstance> | undefined;

async function load(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const inner = Fastify({ logger: false });
  await inner.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      title: 'Switchyard API',
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  } as never);
  return inner;
}

// Everything comes from this server; the reference sets styles and compiles its templates itself.
const POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

export function registerDocs(app: FastifyInstance): void {
  for (const url of ['/docs', '/docs/*']) {
    app.get(url, { config: { operation: 'docs' } }, async (request, reply) => {
      reference ??= load();
      const answer = await (await reference).inject({ method: 'GET', url: request.url });
      if (answer.statusCode >= 400) throw new ApiError('NOT_FOUND');
      const { 'content-type': type, location } = answer.headers;
      reply.code(answer.statusCode).header('content-security-policy', POLICY);
      if (type) reply.header('content-type', String(type));
      if (location) reply.header('location', String(location));
      return reply.send(answer.rawPayload);
    });
  }
}
