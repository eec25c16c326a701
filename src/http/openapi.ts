// The OpenAPI 3.1 document, made from the operations themselves; what is served and what is documented cannot differ.
import type { TSchema } from 'typebox';
import { ERRORS } from '../kernel/errors.js';
import { isJsonObject, type JsonObject } from '../kernel/json.js';
import { ISSUER_HEADERS } from './authenticate.js';
import { errorCodesOf, type Operation, pathParameters } from './operation.js';
import { errorSchema } from './schemas.js';

type Node = Record<string, unknown>;

export type WebhookDoc = { readonly name: string; readonly types: readonly string[]; readonly summary: string; readonly payload: TSchema };
export type DocumentOptions = {
  readonly basePath: string;
  readonly serverUrl: string;
  readonly version: string;
  readonly webhooks: readonly WebhookDoc[];
  readonly signatureHeader: string;
  /** Whether error bodies have the members that published clients read in addition. */
  readonly compatibleErrors?: boolean;
  /** How and where deliveries carry their P-256 signature. */
  readonly webhookSignature?: string | undefined;
};

export function openApiDocument(operations: readonly Operation[], options: DocumentOptions): Node {
  const components: Record<string, Node> = {};
  const schema = (source: unknown) => hoist(source, components);
  const json = (source: TSchema, types: readonly string[] = ['application/json']) =>
    Object.fromEntries(types.map((type) => [type, { schema: type === 'application/json' ? schema(source) : { type: 'string' } }]));
  const bodyOf = ({ multipart }: Operation, body: TSchema) =>
    multipart ? { 'multipart/form-data': { schema: schema(body) } } : json(body);

  const paths: Record<string, Record<string, Node>> = {};
  for (const op of operations) {
    const path = paths[op.path] ?? {};
    paths[op.path] = path;
    path[op.method.toLowerCase()] = {
      operationId: op.id,
      tags: [op.tag],
      summary: op.summary,
      ...(op.description === undefined ? {} : { description: op.description }),
      ...(op.deprecated ? { deprecated: true } : {}),
      ...(op.command === undefined ? {} : { 'x-command': op.command }),
      security: op.permission === 'PUBLIC' ? [] : [op.permission === 'ISSUER' ? { IssuerSignature: [] } : { BasicAuth: [] }],
      ...(op.permission === 'PUBLIC' ? {} : { 'x-permission': op.permission }),
      parameters: parametersOf(op, options, schema),
      ...(op.body ? { requestBody: { required: !op.bodyOptional, content: bodyOf(op, op.body) } } : {}),
      responses: responsesOf(op, json, options),
    };
  }

  const webhooks = Object.fromEntries(
    options.webhooks.map(({ name, types, summary, payload }) => [
      name,
      {
        post: {
          operationId: `${name}-webhook`,
          summary,
          'x-event-types': types,
          security: [{ WebhookSignature: [] }],
          requestBody: { required: true, content: json(payload) },
          responses: {
            200: { description: 'Received' },
            409: { description: 'Already received; counts as delivered' },
            410: { description: 'Stop sending' },
          },
        },
      },
    ]),
  );

  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version: options.version,
      description: 'An open, self-hosted payments service.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl + options.basePath }],
    security: [{ BasicAuth: [] }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        BasicAuth: { type: 'http', scheme: 'basic', description: 'API token: `<token id>:<secret>`' },
        AgentAuth: {
          type: 'http',
          scheme: 'bearer',
          description: "An agent's access token. Reserved for the operations of agents: no served operation takes it yet.",
        },
        IssuerSignature: {
          type: 'apiKey',
          in: 'header',
          name: ISSUER_HEADERS.signature,
          description: `HMAC-SHA256 in hex over \`<timestamp>.<body>\`, keyed with the secret of an issuer credential; \`${ISSUER_HEADERS.keyId}\` names the credential and \`${ISSUER_HEADERS.timestamp}\` carries the seconds since 1970, at most 5 minutes from now.`,
        },
        WebhookSignature: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Service-Signature',
          ...(options.webhookSignature === undefined ? {} : { description: options.webhookSignature }),
        },
      },
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

function parametersOf(op: Operation, options: DocumentOptions, schema: (source: unknown) => unknown): Node[] {
  const header = (name: string, required: boolean, description: string): Node => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string', maxLength: 4096 },
  });
  return [
    ...pathParameters(op.path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...Object.entries(op.query?.properties ?? {}).map(([name, source]) => ({
      name,
      in: 'query',
      required: op.query?.required?.includes(name) ?? false,
      schema: schema(source),
    })),
    ...(op.idempotency
      ? [
          {
            name: 'Idempotency-Key',
            in: 'header',
            required: op.idempotency === 'required',
            schema: { type: 'string', minLength: 1, maxLength: 255 },
          },
        ]
      : []),
    ...(op.signedRetry
      ? [
          header(options.signatureHeader, false, 'Stamp over the `payloadToSign` of the prior 202, on the signed retry.'),
          header('Request-Id', false, '`requestId` of the prior 202, on the signed retry.'),
        ]
      : []),
    ...(op.permission === 'ISSUER'
      ? [
          header(ISSUER_HEADERS.keyId, true, 'Key id of the issuer credential.'),
          header(
            ISSUER_HEADERS.timestamp,
            false,
            'Seconds since 1970 when the request was signed; required unless a certificate proves the caller.',
          ),
          header(
            ISSUER_HEADERS.signature,
            false,
            'HMAC-SHA256 in hex over `<timestamp>.<body>`; required unless a certificate proves the caller.',
          ),
        ]
      : []),
    ...(op.headerParameters ?? []).map(({ name, description, required = false }) => header(name, required, description)),
  ];
}

function responsesOf(
  op: Operation,
  json: (source: TSchema, types?: readonly string[]) => Node,
  { compatibleErrors: compatible = false }: DocumentOptions,
): Node {
  const headers = { 'X-Request-Id': { schema: { type: 'string' }, description: 'Names this exchange in the logs.' } };
  const responses: Record<string, Node> = {};
  for (const [status, schema] of Object.entries(op.success)) {
    responses[status] = {
      description: status === '202' ? 'Accepted' : 'Success',
      headers,
      ...(schema ? { content: json(schema, op.produces) } : {}),
    };
  }
  const codes = new Map<number, string[]>();
  for (const code of errorCodesOf(op)) {
    const { status } = ERRORS[code];
    codes.set(status, [...(codes.get(status) ?? []), code]);
  }
  for (const [status, named] of [...codes].sort(([a], [b]) => a - b)) {
    const content = json(errorSchema(status, { compatible }));
    responses[status] = { description: named.map((code) => `\`${code}\``).join(', '), headers, content };
  }
  return responses;
}

/** Copies a schema, moving each titled part into the components and leaving a reference. */
function hoist(source: unknown, components: Record<string, Node>): unknown {
  if (Array.isArray(source)) return source.map((part) => hoist(part, components));
  if (!isJsonObject(source)) return source;
  const { title, ...described } = source;
  const walk = (node: JsonObject) => Object.fromEntries(Object.entries(node).map(([key, part]) => [key, hoist(part, components)]));
  if (typeof title !== 'string') return walk(source);
  // Where a schema is read-only depends on the member that holds it, so it is said beside the reference.
  const { readOnly, ...rest } = described;
  const walked = walk(rest);
  const known = components[title];
  if (known && JSON.stringify(known) !== JSON.stringify(walked)) throw new Error(`two different schemas are both called ${title}`);
  components[title] = walked;
  return { $ref: `#/components/schemas/${title}`, ...(readOnly === true && { readOnly }) };
}
