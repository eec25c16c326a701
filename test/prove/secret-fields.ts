// Every operation of the document, called with its example: what an answer holds in a field that the document marks as secret, and a text of
// our own in every such field of a request. An operation without an example fails, so none can be left out.
import { randomBytes } from 'node:crypto';
import { BASE_PATH } from '../../src/http/server.js';
import type { Client } from '../support/client.js';
import type { ApiDocument, DocumentedOperation, Schema } from './document.js';
import type { Environment } from './environment.js';
import { type ExampleRequest, exampleOf, targetOf, wireBody } from './examples.js';
import { REPLACES_RECORDS, worldOf } from './objects.js';
import { sendExample } from './send-example.js';

/** Members of a request that are secret by their name, marked or not. Signatures of one message are not: they are kept as proof. */
const SECRET_NAME = /secret|password|passphrase|^pin$|pinBlock|otp|oidcToken|sessionToken|^identifier$/i;
/** The sandbox provider names an account by it, where the request names none. test/prove/secrets.ts sends it with a name. */
const SHOWN = new Set(['linkStablecoinProviderAccount apiClientId']);
/** A shorter text is found by chance. */
const SHORTEST = 12;

/** The secrets of each field that was sent or received, and the errors that were answered. */
export type Walk = {
  readonly secrets: ReadonlyMap<string, readonly string[]>;
  readonly errors: readonly string[];
  readonly operations: number;
};

/** Calls every operation on a platform of its own. Returns the secrets that were sent and received. */
export async function walkSecretFields(environment: Environment, client: Client): Promise<Walk> {
  const { document, service } = environment;
  const world = worldOf(client, environment);
  const secrets = new Map<string, readonly string[]>();
  const errors: string[] = [];
  const inOrder = [...document.operations].sort((a, b) => Number(REPLACES_RECORDS.has(a.id)) - Number(REPLACES_RECORDS.has(b.id)));
  for (const operation of inOrder) {
    const { first, signed } = await sendExample(service.url, client, operation, await exampleOf(document, operation, world));
    for (const { status, answer } of [first, ...(signed ? [signed] : [])])
      secrets.set(`${operation.id} ${status}`, marked(document, responseSchema(service.contract.document, operation, status), answer));
    for (const [name, put] of secretPlaces(document, operation)) {
      if (SHOWN.has(`${operation.id} ${name}`)) continue;
      const text = `Canary${randomBytes(15).toString('hex')}`;
      secrets.set(`${operation.id} ${name}`, [text]);
      // Each takes an example of its own, because the request may be accepted.
      const answer = await send(environment, client, operation, put(await exampleOf(document, operation, world), text));
      if (answer.status >= 400) errors.push(await answer.text());
      else await answer.body?.cancel();
    }
  }
  return { secrets, errors, operations: inOrder.length };
}

const send = ({ service }: Environment, client: Client, operation: DocumentedOperation, request: ExampleRequest): Promise<Response> =>
  fetch(service.url + BASE_PATH + targetOf(operation, request), {
    method: operation.method,
    headers: { authorization: client.authorization, 'content-type': 'application/json', ...request.headers },
    ...(request.body === undefined ? {} : { body: wireBody(request.body) }),
    redirect: 'manual',
  });

// ---- secrets in requests

/** The name of a place of a request, and how a text is put there. */
type Place = readonly [name: string, put: (request: ExampleRequest, text: string) => ExampleRequest];

/** The secret places of an operation: in its path, its query and its body. */
function secretPlaces(document: ApiDocument, operation: DocumentedOperation): Place[] {
  const parameters = operation.parameters.flatMap(({ name, in: place, schema }): Place[] => {
    if (place === 'header' || !(isSecret(document.resolve(schema)) || SECRET_NAME.test(name) || name === 'token')) return [];
    const key = place === 'path' ? 'params' : 'query';
    return [[name, (request, text) => ({ ...request, [key]: { ...request[key], [name]: text } })]];
  });
  const fields = operation.body ? secretFields(document, operation.body) : [];
  return [
    ...parameters,
    ...fields.map((field): Place => [field.join('.'), (request, text) => ({ ...request, body: replaced(request.body, field, text) })]),
  ];
}

/** The paths to the secret members of a body. */
function secretFields(document: ApiDocument, source: Schema, at: readonly string[] = []): string[][] {
  const schema = document.resolve(source);
  const name = at.at(-1) ?? '';
  const isText = schema['type'] === 'string' || (Array.isArray(schema['type']) && schema['type'].includes('string'));
  if (isSecret(schema) || (isText && SECRET_NAME.test(name))) return [[...at]];
  const parts = partsOf(schema).flatMap((part) => secretFields(document, part, at));
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  const all = [...parts, ...members.flatMap(([member, inner]) => secretFields(document, inner, [...at, member]))];
  return [...new Map(all.map((path) => [path.join('.'), path])).values()];
}

// ---- secrets in answers

type Node = Record<string, unknown>;

function responseSchema(document: Node, { path, method }: DocumentedOperation, status: number): Schema {
  const paths = document['paths'] as Record<string, Record<string, { responses: Record<string, Node> }>>;
  const content = paths[path]?.[method.toLowerCase()]?.responses[String(status)]?.['content'] as Record<string, { schema: Schema }>;
  return content?.['application/json']?.schema ?? {};
}

/** The texts of an answer that its schema marks as secret. Of a link, the part that opens it. */
function marked(document: ApiDocument, source: Schema, value: unknown): string[] {
  const schema = document.resolve(source);
  if (typeof value === 'string')
    return isSecret(schema) ? textsOf(value) : partsOf(schema).flatMap((part) => marked(document, part, value));
  if (Array.isArray(value)) return value.flatMap((item) => marked(document, (schema['items'] ?? {}) as Schema, item));
  if (typeof value !== 'object' || value === null) return [];
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  const own = Object.entries(value).flatMap(([name, inner]) => marked(document, properties[name] ?? {}, inner));
  return [...own, ...partsOf(schema).flatMap((part) => marked(document, part, value))];
}

const textsOf = (secret: string): string[] =>
  (URL.canParse(secret) ? secret.split(/[/?#&=]/).slice(3) : [secret]).filter(({ length }) => length >= SHORTEST);

// ---- schemas

const isSecret = (schema: Schema): boolean =>
  schema['x-secret'] === true || schema['writeOnly'] === true || schema['format'] === 'password';

const partsOf = (schema: Schema): Schema[] => ['anyOf', 'oneOf', 'allOf'].flatMap((name) => (schema[name] ?? []) as Schema[]);

function replaced(body: unknown, [name, ...rest]: readonly string[], value: string): unknown {
  if (name === undefined) return value;
  const members = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  return { ...members, [name]: replaced(members[name], rest, value) };
}
