// Checks responses and webhook events against the served OpenAPI document: the status and the code of a refusal must be listed, and the body
// must match its schema without additional fields.
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { takesVariants } from '../../src/http/validate.js';
import { isDate, parseTimestamp } from '../../src/kernel/time.js';

type Node = Record<string, unknown>;
type Op = { operationId: string; responses: Record<string, Node>; 'x-error-codes': Record<string, readonly string[]> };
type Documented = { path: string; pattern: RegExp; methods: Record<string, Op> };

export type Contract = {
  /** The operation that this request calls. Undefined if the document does not list it. */
  operationIdOf(method: string, path: string): string | undefined;
  check(method: string, path: string, status: number, contentType: string | null, text: string): void;
  /** Checks the body of a delivery against the member of `webhooks` that lists its type. */
  checkEvent(text: string): void;
  readonly document: Node;
};

export function contractOf(document: Node): Contract {
  const ajv = takesVariants(new Ajv2020({ strict: false, allErrors: true }));
  ajv.addFormat('date-time', (text: string) => parseTimestamp(text) !== undefined);
  ajv.addFormat('date', isDate);
  ajv.addFormat('uri', (text: string) => URL.canParse(text) && !/[^!-~]|["<>\\^`{|}]|%(?![\da-f]{2})/i.test(text));
  for (const name of ['int32', 'int64', 'email', 'byte', 'binary', 'password']) ajv.addFormat(name, true);
  ajv.addSchema(closed(lazyUnions(document, document)) as Node, 'openapi');

  const paths: Documented[] = Object.entries(document['paths'] as Record<string, Documented['methods']>)
    .map(([path, methods]) => ({ path, methods, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`) }))
    // A literal segment wins over a parameter, as in the router.
    .sort((a, b) => (a.path.match(/\{/g)?.length ?? 0) - (b.path.match(/\{/g)?.length ?? 0));
  const validators = new Map<string, ValidateFunction>();
  const assertFits = (what: string, pointer: string, text: string) => {
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: pointer });
    validators.set(pointer, validate);
    assert.ok(validate(JSON.parse(text)), `${what} does not match its schema: ${ajv.errorsText(validate.errors)}\n${text.slice(0, 600)}`);
  };

  const groups = Object.keys((document['webhooks'] ?? {}) as Node).map((group) => {
    const schema = `#/webhooks/${group}/post/requestBody/content/application~1json/schema`;
    const { enum: types } = propertyOf(document, (at(document, schema) as { $ref?: string }).$ref ?? schema, 'type') as { enum: string[] };
    return { types, pointer: `openapi${schema}` };
  });

  const entryOf = (method: string, bare: string) => paths.find(({ pattern, methods }) => pattern.test(bare) && methods[method]);

  return {
    document,
    operationIdOf: (method, path) => {
      const named = method.toLowerCase();
      return entryOf(named, path.split('?')[0] as string)?.methods[named]?.operationId;
    },
    checkEvent(text) {
      const { type } = JSON.parse(text) as { type: string };
      const [group, ...others] = groups.filter(({ types }) => types.includes(type));
      assert.ok(group && others.length === 0, `${type} is documented once`);
      assertFits(type, group.pointer, text);
    },
    check(method, path, status, contentType, text) {
      const bare = path.split('?')[0] as string;
      const entry = entryOf(method.toLowerCase(), bare);
      if (!entry) {
        assert.ok([400, 401, 404, 405, 501, 503].includes(status), `${method} ${bare} is not documented but answered ${status}`);
        return;
      }
      const op = entry.methods[method.toLowerCase()] as Op;
      const listed = op.responses[String(status)];
      assert.ok(listed, `${op.operationId} answered ${status}, which its documentation does not list: ${text.slice(0, 300)}`);
      // Refusals are shared by all operations.
      const shared = listed['$ref'] as string | undefined;
      const content = (shared ? (at(document, shared) as Node) : listed)['content'] as Record<string, Node> | undefined;
      if (!content) {
        assert.equal(text, '', `${op.operationId} ${status} must be empty`);
        return;
      }
      const media = (contentType ?? '').split(';')[0] as string;
      assert.ok(content[media], `${op.operationId} ${status} answered ${media}`);
      if (media !== 'application/json') return;
      const place = shared ?? `#/paths/${pointerPart(entry.path)}/${method.toLowerCase()}/responses/${status}`;
      assertFits(`${op.operationId} ${status}`, `openapi${place}/content/application~1json/schema`, text);
      if (!shared) return;
      const { code } = JSON.parse(text) as { code: string };
      assert.ok(
        op['x-error-codes'][status]?.includes(code),
        `${op.operationId} answered ${code}, which its documentation does not list: ${text}`,
      );
    },
  };
}

const pointerPart = (path: string): string => encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Compiles the variants of a union only when they are used: compiling all forms of an external account takes longer than the tests. */
function lazyUnions(node: unknown, document: Node): unknown {
  if (Array.isArray(node)) return node.map((part) => lazyUnions(part, document));
  if (node === null || typeof node !== 'object') return node;
  const { discriminator, oneOf, ...rest } = node as Partial<Union> & Node;
  if (Array.isArray(rest['allOf'])) return joined(rest['allOf'] as unknown as Joined, document);
  if (!discriminator || !oneOf) return Object.fromEntries(Object.entries(node).map(([key, part]) => [key, lazyUnions(part, document)]));
  const tag = discriminator.propertyName;
  const variants = oneOf.map(({ $ref }) => ({ $ref: `openapi${$ref}`, properties: { [tag]: propertyOf(document, $ref, tag) } }));
  return { ...rest, variants: { tag, oneOf: variants } };
}

type Union = { readonly discriminator: { readonly propertyName: string }; readonly oneOf: readonly { readonly $ref: string }[] };
type Joined = readonly [{ readonly anyOf: readonly [{ readonly $ref: string }] }, { readonly $ref: string }];
type ObjectSchema = { readonly properties: Node; readonly required?: readonly string[] };

/** A union and an object with further members, as the union of both together: a schema that is closed has no other way to be extended. */
function joined([{ anyOf }, { $ref }]: Joined, document: Node): unknown {
  const [union, more] = [at(document, anyOf[0].$ref) as Union, at(document, $ref) as ObjectSchema];
  const tag = union.discriminator.propertyName;
  const variants = union.oneOf.map((one) => {
    const variant = at(document, one.$ref) as ObjectSchema;
    const properties = { ...variant.properties, ...more.properties };
    return { type: 'object', properties, required: [...(variant.required ?? []), ...(more.required ?? [])] };
  });
  const named = JSON.parse(JSON.stringify(variants).replaceAll('"#/', '"openapi#/')) as Node[];
  return { type: 'object', required: [tag], variants: { tag, oneOf: named } };
}

/** Resolves a reference of the document. */
const at = (document: Node, ref: string): unknown =>
  ref
    .split('/')
    .slice(1)
    .reduce<unknown>((node, key) => (node as Node)[key.replaceAll('~1', '/')], document);

const propertyOf = (document: Node, ref: string, property: string): unknown =>
  (at(document, ref) as { properties: Node }).properties[property];

/** Forbids additional properties in objects that list their properties, so that an undocumented field fails. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (node === null || typeof node !== 'object') return node;
  const out = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  if (out['type'] === 'object' && out['properties'] && out['additionalProperties'] === undefined && !out['allOf'] && !out['oneOf']) {
    out['additionalProperties'] = false;
  }
  return out;
}
