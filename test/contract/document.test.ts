// The served document as programs read it: generators, clients and reference pages depend on its structure.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig } from '../../src/config.js';
import { describeApi } from '../../src/describe-api.js';
import { ERRORS, type ErrorCode } from '../../src/kernel/errors.js';
import { isJsonObject, type JsonObject } from '../../src/kernel/json.js';

type Op = {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly parameters: readonly JsonObject[];
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly headers?: JsonObject; readonly content?: JsonObject }>>;
  readonly 'x-command'?: string;
  readonly 'x-error-codes': Readonly<Record<string, readonly string[]>>;
};

const document = describeApi(readConfig({}));
const paths = document['paths'] as Record<string, Record<string, Op>>;
const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
const components = document['components'] as Record<string, Record<string, JsonObject>>;
const schemas = components['schemas'] as Record<string, JsonObject>;

/** Every object of the document with its place. */
function* nodes(node: unknown, place = '#'): Generator<[string, JsonObject]> {
  if (Array.isArray(node)) for (const [i, part] of node.entries()) yield* nodes(part, `${place}/${i}`);
  if (!isJsonObject(node)) return;
  yield [place, node];
  for (const [key, part] of Object.entries(node)) yield* nodes(part, `${place}/${key.replaceAll('/', '~1')}`);
}
const all = [...nodes(document)];

const at = (ref: string): unknown =>
  ref
    .split('/')
    .slice(1)
    .reduce<unknown>((node, key) => (node as JsonObject | undefined)?.[key.replaceAll('~1', '/')], document);

test('every reference leads somewhere', () => {
  const lost = all.filter(([, node]) => typeof node['$ref'] === 'string' && at(node['$ref']) === undefined);
  assert.deepEqual(lost, []);
});

test('every component is used', () => {
  const text = JSON.stringify(document);
  const unused = Object.entries(components).flatMap(([kind, named]) =>
    kind === 'securitySchemes' ? [] : Object.keys(named).filter((name) => !text.includes(`"#/components/${kind}/${name}"`)),
  );
  assert.deepEqual(unused, []);
});

describe('unions', () => {
  const unions = all.filter(([, node]) => isJsonObject(node['discriminator']));

  test('every discriminator maps each value of its tag to a variant that has it', () => {
    assert.ok(unions.length > 50);
    for (const [place, { discriminator, oneOf }] of unions) {
      const { propertyName, mapping = {} } = discriminator as { propertyName: string; mapping?: Record<string, string> };
      const variants = (oneOf as { $ref: string }[]).map(({ $ref }) => $ref);
      const tagged = variants.flatMap(($ref) => {
        const { properties, required } = at($ref) as {
          properties: Record<string, { enum?: string[]; const?: string }>;
          required?: string[];
        };
        assert.ok(required?.includes(propertyName), `${place}: ${$ref} requires ${propertyName}`);
        const tag = properties[propertyName];
        return (tag?.enum ?? [tag?.const]).map((value) => [value, $ref]);
      });
      assert.deepEqual(mapping, Object.fromEntries(tagged), place);
      assert.equal(new Set(tagged.map(([value]) => value)).size, tagged.length, `${place}: no value has two variants`);
    }
  });

  test('no alternative has nothing but required members: generators make such a type unknown', () => {
    const bare = all.filter(([, { anyOf, oneOf }]) =>
      [anyOf, oneOf].some(
        (parts) => Array.isArray(parts) && parts.some((part) => isJsonObject(part) && Object.keys(part).join() === 'required'),
      ),
    );
    assert.deepEqual(
      bare.map(([place]) => place),
      [],
    );
  });

  test('the answers that decide about an incoming payment are listed, and no other event has them', () => {
    type Webhooks = Record<string, { post: { responses: JsonObject } }>;
    const answers = Object.entries(document['webhooks'] as Webhooks).map(
      ([name, { post }]) => [name, Object.keys(post.responses)] as const,
    );
    for (const [name, statuses] of answers)
      assert.deepEqual(statuses, name === 'incoming-payment' ? ['200', '202', '403', '409', '410', '422'] : ['200', '409', '410'], name);
  });

  test('webhooks, log and stream share one union of events', () => {
    const { oneOf } = schemas['Event'] as { oneOf: { $ref: string }[] };
    const sent = Object.values(document['webhooks'] as Record<string, { post: { requestBody: { content: JsonObject } } }>).map(
      ({ post }) => (post.requestBody.content['application/json'] as { schema: { $ref: string } }).schema.$ref,
    );
    assert.deepEqual(oneOf.map(({ $ref }) => $ref).sort(), sent.sort());
    const event = { $ref: '#/components/schemas/Event' };
    assert.deepEqual((schemas['WebhookEvent'] as { allOf: unknown[] }).allOf[0], { anyOf: [event] });
    const stream = operations.find(({ operationId }) => operationId === 'streamWebhookEvents');
    assert.deepEqual(stream?.responses['200']?.content?.['text/event-stream'], { schema: event });
  });
});

describe('objects', () => {
  test('every object that has members has a name', () => {
    const inline = all.filter(
      ([place, node]) =>
        isJsonObject(node['properties']) &&
        Object.keys(node['properties']).length > 0 &&
        !/^#\/components\/schemas\/\w+$/.test(place) &&
        !place.endsWith('/properties') &&
        !place.includes('multipart~1form-data'),
    );
    assert.deepEqual(
      inline.map(([place]) => place),
      [],
    );
  });

  test('beneficiaries of one shape are one schema', () => {
    const shapes = new Map<string, string>();
    for (const [name, schema] of Object.entries(schemas)) {
      if (!name.includes('Beneficiary') || !isJsonObject(schema['properties']) || !('beneficiaryType' in schema['properties'])) continue;
      const shape = JSON.stringify(schema);
      assert.equal(shapes.get(shape), undefined, `${name} and ${shapes.get(shape)} are the same`);
      shapes.set(shape, name);
    }
    assert.ok(shapes.size > 5);
  });

  test('a customer always has its id', () => {
    for (const name of ['IndividualCustomer', 'BusinessCustomer'])
      assert.ok((schemas[name] as { required: string[] }).required.includes('id'), name);
  });
});

describe('refusals', () => {
  test('every operation lists its codes by status, and answers them with the shared refusal of the status', () => {
    for (const { operationId, responses, 'x-error-codes': codes } of operations) {
      assert.ok(Object.keys(codes).length > 2, operationId);
      for (const [status, named] of Object.entries(codes)) {
        assert.equal(responses[status]?.$ref, `#/components/responses/Error${status}`, operationId);
        for (const code of named) assert.equal(String(ERRORS[code as ErrorCode].status), status, `${operationId} ${code}`);
      }
      const shared = Object.keys(responses).filter((status) => responses[status]?.$ref);
      assert.deepEqual(shared, Object.keys(codes), operationId);
    }
  });

  test('the document lists every code with its status and reason', () => assert.deepEqual(document['x-errors'], ERRORS));

  test('429 and 503 have Retry-After, every answer has X-Request-Id', () => {
    for (const [name, response] of Object.entries(components['responses'] as Record<string, { headers: JsonObject }>)) {
      assert.equal('Retry-After' in response.headers, ['Error429', 'Error503'].includes(name), name);
      assert.ok('X-Request-Id' in response.headers, name);
    }
    for (const { operationId, responses } of operations)
      for (const { $ref, headers } of Object.values(responses)) assert.ok($ref || headers?.['X-Request-Id'], operationId);
  });
});

test('paging, time filters, idempotency keys and signatures are shared parameters', () => {
  const names = new Set(Object.values(components['parameters'] ?? {}).map(({ name }) => name));
  for (const name of ['limit', 'cursor', 'createdAfter', 'createdBefore', 'Idempotency-Key', 'Request-Id', 'Service-Wallet-Signature'])
    assert.ok(names.has(name), name);
  for (const { operationId, parameters } of operations)
    for (const { name } of parameters)
      assert.ok(!['cursor', 'Idempotency-Key', 'Request-Id'].includes(String(name)), `${operationId} ${name}`);
});

describe('commands', () => {
  const commands = operations
    .filter(({ deprecated }) => !deprecated)
    .map(({ operationId, 'x-command': command }) => ({ operationId, command }));

  test('every operation that is not deprecated has one, of lower-case words', () => {
    for (const { operationId, command = '' } of commands) assert.match(command, /^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*)+$/, operationId);
  });

  test('all differ, and none is the beginning of another', () => {
    for (const a of commands)
      for (const b of commands)
        assert.ok(
          a === b || !`${b.command} `.startsWith(`${a.command} `),
          `${a.operationId} "${a.command}" and ${b.operationId} "${b.command}"`,
        );
  });
});

test('tags are in order, described, and have operations', () => {
  const tags = document['tags'] as { name: string; description: string }[];
  assert.deepEqual([tags[0]?.name, tags.at(-1)?.name], ['Platform Configuration', 'Sandbox']);
  for (const { name, description } of tags) assert.ok(description.length > 40, name);
});

test('the introduction covers what every caller needs', () => {
  const { description } = document['info'] as { description: string };
  const chapters = [...description.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  for (const chapter of ['Authentication', 'Idempotency', 'Paging', 'Errors', 'Signed retries', 'Webhooks', 'Sandbox clock'])
    assert.ok(chapters.includes(chapter), chapter);
});
