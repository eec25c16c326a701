// The OpenAPI 3.1 document, made from the operations themselves; what is served and what is documented cannot differ.

import type { TSchema } from 'typebox';
import { ERRORS } from '../kernel/errors.js';
import type { ShownMoves } from '../kernel/lifecycle.js';
import { ISSUER_HEADERS } from './authenticate.js';
import { commandOf } from './command.js';
import { codesByStatus, describePathParameter, HEADERS, refusalRef, refusals, sharedName, successHeaders } from './openapi-parts.js';
import { type Hoist, hoistInto, type Node } from './openapi-schemas.js';
import { type Operation, pathParameters } from './operation.js';
import { EventUnion } from './schemas.js';
import { tagsOf } from './tags.js';
import { type Example, readWords, type Words } from './words.js';

export type WebhookDoc = {
  readonly name: string;
  readonly types: readonly string[];
  readonly summary: string;
  readonly payload: TSchema;
  /** What answers of the receiver mean, by status, where they mean more than that the event was received. */
  readonly answers?: Readonly<Record<number, string>> | undefined;
};
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
  /** The moves of the statuses, by the name of their schema. */
  readonly transitions?: Readonly<Record<string, ShownMoves>>;
};

export function openApiDocument(operations: readonly Operation[], options: DocumentOptions, words: Words = readWords()): Node {
  const schemas: Record<string, Node> = {};
  const parameters: Record<string, Node> = {};
  const hoist = hoistInto(schemas, words.field);
  const json = (schema: TSchema): Node => ({ 'application/json': { schema: hoist(schema) } });
  const share: Share = (name, parameter) => {
    parameters[name] ??= parameter();
    return { $ref: `#/components/parameters/${name}` };
  };

  const paths: Record<string, Record<string, Node>> = {};
  for (const op of operations) {
    const codes = codesByStatus(op);
    const example = words.example(op.id);
    const path = paths[op.path] ?? {};
    paths[op.path] = path;
    path[op.method.toLowerCase()] = {
      operationId: op.id,
      tags: [op.tag],
      summary: op.summary,
      ...described(op.description ?? words.operation(op.id)),
      ...(op.deprecated ? { deprecated: true } : { 'x-command': commandOf(op) }),
      security: securityOf(op),
      ...(op.permission === 'PUBLIC' ? {} : { 'x-permission': op.permission }),
      ...(op.signedRetry ? { 'x-signatures': op.signatures ?? 1 } : {}),
      ...(op.agentPermission === undefined ? {} : { 'x-agent-permission': op.agentPermission }),
      parameters: parametersOf(op, { ...options, words }, hoist, share),
      ...(op.body
        ? { requestBody: { required: !op.bodyOptional, content: contentOf(op.body, requestTypes(op), hoist, example?.body) } }
        : {}),
      responses: {
        ...successesOf(op, hoist, example),
        ...Object.fromEntries([...codes].map(([status, named]) => [status, refusalRef(status, named)])),
      },
      'x-error-codes': Object.fromEntries(codes),
    };
  }

  const webhooks = Object.fromEntries(options.webhooks.map((webhook) => [webhook.name, webhookOf(webhook, json)]));
  if (options.webhooks.length > 0) hoist(EventUnion(options.webhooks.map(({ payload }) => payload)));
  const statuses = new Set(operations.flatMap((op) => [...codesByStatus(op).keys()]));
  const responses = refusals(statuses, json, options.compatibleErrors ?? false);

  for (const [name, moves] of Object.entries(options.transitions ?? {})) {
    const schema = schemas[name];
    if (schema) schema['x-transitions'] = moves;
  }

  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version: options.version,
      summary: 'An open, self-hosted payments service.',
      description: words.introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl + options.basePath }],
    security: [{ BasicAuth: [] }, { AgentAuth: [] }],
    tags: tagsOf(operations),
    paths,
    webhooks,
    components: { securitySchemes: securitySchemes(options), headers: HEADERS, parameters, responses, schemas: sorted(schemas) },
    'x-errors': ERRORS,
  };
}

/** Every operation takes one kind of credential, or none. */
function securityOf({ permission }: Operation): Node[] {
  if (permission === 'PUBLIC') return [];
  if (permission === 'ISSUER') return [{ IssuerSignature: [] }];
  return [permission === 'AGENT' ? { AgentAuth: [] } : { BasicAuth: [] }];
}

const described = (description: unknown): Node => (description === undefined ? {} : { description });

const sorted = (members: Record<string, Node>): Record<string, Node> =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));

const requestTypes = ({ multipart, yaml }: Operation): readonly string[] => [
  multipart ? 'multipart/form-data' : 'application/json',
  ...(yaml ? ['application/yaml'] : []),
];

/** Media types whose content a schema describes: JSON, YAML, forms, and streams of JSON. Pages are text. */
const DESCRIBED: ReadonlySet<string> = new Set(['application/json', 'application/yaml', 'multipart/form-data', 'text/event-stream']);

const contentOf = (schema: TSchema, types: readonly string[], hoist: Hoist, example?: unknown): Node =>
  Object.fromEntries(
    types.map((type) =>
      DESCRIBED.has(type)
        ? [type, { schema: hoist(schema), ...(example === undefined ? {} : { example }) }]
        : [type, { schema: { type: 'string' } }],
    ),
  );

function successesOf(op: Operation, hoist: Hoist, example: Example | undefined): Node {
  return Object.fromEntries(
    Object.entries(op.success).map(([status, schema]) => [
      status,
      {
        description: SUCCESSES[status] ?? 'The same refusal, as a page for people.',
        headers: successHeaders(op),
        ...(schema ? { content: contentOf(schema, op.produces ?? ['application/json'], hoist, answerIn(example, status)) } : {}),
      },
    ]),
  );
}

const answerIn = (example: Example | undefined, status: string): unknown =>
  [example, example?.signed].find((one) => one?.status === Number(status))?.answer;

const SUCCESSES: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done. The answer is empty.',
  303: 'Done. Go on at `Location`.',
};

const webhookOf = ({ name, types, summary, payload, answers }: WebhookDoc, json: (schema: TSchema) => Node): Node => ({
  post: {
    operationId: `${name}-webhook`,
    summary,
    'x-event-types': types,
    security: [{ WebhookSignature: [] }],
    requestBody: { required: true, content: json(payload) },
    responses: Object.fromEntries(Object.entries({ ...ANSWERS, ...answers }).map(([status, description]) => [status, { description }])),
  },
});

/** What the answer of a receiver means to us. */
const ANSWERS: Readonly<Record<number, string>> = {
  200: 'Received.',
  409: 'Already received; counts as delivered.',
  410: 'Stop sending.',
};

type Share = (name: string, parameter: () => Node) => Node;

function parametersOf(op: Operation, { signatureHeader, words }: DocumentOptions & { words: Words }, hoist: Hoist, share: Share): Node[] {
  const header = (name: string, required: boolean, description: string): Node => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string', maxLength: 4096 },
  });
  const exampleIn = (place: 'path' | 'query', name: string): Node => {
    const example = words.example(op.id)?.[place]?.[name];
    if (example === undefined) return {};
    return { example: (op.query?.properties[name] as Node | undefined)?.['type'] === 'integer' ? Number(example) : example };
  };
  const query = (name: string, source: TSchema): Node => {
    const { description = words.parameter(op.id, name), ...schema } = hoist(source) as Node;
    const required = op.query?.required?.includes(name) ?? false;
    return { name, in: 'query', required, ...described(description), schema };
  };
  return [
    ...pathParameters(op.path).map((name) => ({
      name,
      in: 'path',
      required: true,
      description: describePathParameter(op.path, name),
      schema: { type: 'string' },
      ...exampleIn('path', name),
    })),
    ...Object.entries(op.query?.properties ?? {}).map(([name, source]) => {
      const shared = sharedName(source);
      return shared === undefined ? { ...query(name, source), ...exampleIn('query', name) } : share(shared, () => query(name, source));
    }),
    ...(op.idempotency ? [idempotencyKey(op.idempotency === 'required', share)] : []),
    ...(op.signedRetry
      ? [
          share('WalletSignature', () =>
            header(signatureHeader, false, 'Stamp over the `payloadToSign` of the prior 202, on the signed retry.'),
          ),
          share('SignedRequestId', () => header('Request-Id', false, '`requestId` of the prior 202, on the signed retry.')),
        ]
      : []),
    ...(op.permission === 'ISSUER' ? issuerParameters(header, share) : []),
    ...(op.headerParameters ?? []).map(({ name, description, required = false }) => header(name, required, description)),
  ];
}

const idempotencyKey = (required: boolean, share: Share): Node =>
  share(required ? 'RequiredIdempotencyKey' : 'IdempotencyKey', () => ({
    name: 'Idempotency-Key',
    in: 'header',
    required,
    description: 'Makes repeats safe: a repeat with the same key gets the first answer, and nothing is done twice.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  }));

const issuerParameters = (header: (name: string, required: boolean, description: string) => Node, share: Share): Node[] => [
  share('IssuerKeyId', () => header(ISSUER_HEADERS.keyId, true, 'Key id of the issuer credential.')),
  share('IssuerTimestamp', () =>
    header(
      ISSUER_HEADERS.timestamp,
      false,
      'Seconds since 1970 when the request was signed; required unless a certificate proves the caller.',
    ),
  ),
  share('IssuerSignature', () =>
    header(
      ISSUER_HEADERS.signature,
      false,
      'HMAC-SHA256 in hex over `<timestamp>.<body>`; required unless a certificate proves the caller.',
    ),
  ),
];

const securitySchemes = ({ webhookSignature }: DocumentOptions): Node => ({
  BasicAuth: { type: 'http', scheme: 'basic', description: 'API token: `<token id>:<secret>`' },
  AgentAuth: {
    type: 'http',
    scheme: 'bearer',
    description: 'The access token of an agent, which it gets by redeeming a device code. Only operations below `/agents/me` take it.',
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
    description: webhookSignature ?? 'The signature of a delivery over its raw body, by a key of `GET /webhooks/signing-keys`.',
  },
});
