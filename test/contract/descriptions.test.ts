// The words of the served document: everything a caller sees is described, and nothing in docs/reference describes what is gone.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig } from '../../src/config.js';
import { describeApi } from '../../src/describe-api.js';
import { readWords } from '../../src/http/words.js';
import type { JsonObject } from '../../src/kernel/json.js';

type Member = { readonly $ref?: string; readonly name?: string; readonly in?: string; readonly description?: string };
type Op = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly description?: string;
  readonly parameters: readonly Member[];
  readonly responses: Readonly<Record<string, unknown>>;
};

const words = readWords();
const document = describeApi(readConfig({}), words);
const operations = Object.values(document['paths'] as Record<string, Record<string, Op>>).flatMap((methods) => Object.values(methods));
const components = document['components'] as Record<string, Record<string, JsonObject & Member>>;
const schemas = components['schemas'] ?? {};

const isText = (text: string | undefined): boolean => text !== undefined && /[.!`)]$/.test(text.trim());
const isDescribed = ({ $ref, description }: Member): boolean =>
  isText(description) || ($ref !== undefined && isText(schemas[$ref.slice('#/components/schemas/'.length)]?.description));

/** Groups whose operations are being built. Their own texts are in their code; the list ends empty. */
const UNFINISHED: ReadonlySet<string> = new Set([]);

describe('described', () => {
  test('every operation, in sentences', () => {
    const missing = operations.filter(({ tags, description }) => !UNFINISHED.has(tags[0] ?? '') && !isText(description));
    assert.deepEqual(
      missing.map(({ operationId }) => operationId),
      [],
      'write `description` at the operation, or a chapter of docs/reference/operations.md',
    );
  });

  test('an operation is said to answer its first call with 202 only if it can', () => {
    const saying = operations.filter(({ description }) => /first call answers 202/.test(description ?? ''));
    assert.ok(saying.length > 5);
    assert.deepEqual(
      saying.filter(({ responses }) => !responses['202']).map(({ operationId }) => operationId),
      [],
    );
  });

  test('a parameter of a path is called an id only if it is one', () => {
    const called = operations.flatMap(({ operationId, parameters }) => parameters.map((parameter) => ({ operationId, ...parameter })));
    const ids = called.filter(({ in: place, description }) => place === 'path' && description?.startsWith('The id of '));
    assert.ok(ids.length > 50);
    assert.deepEqual(
      ids.filter(({ name }) => !/^id$|Id$/.test(name ?? '')),
      [],
    );
  });

  test('every parameter', () => {
    const own = operations.flatMap(({ operationId, parameters }) => parameters.map((parameter) => ({ operationId, ...parameter })));
    const shared = Object.entries(components['parameters'] ?? {}).map(([operationId, parameter]) => ({ operationId, ...parameter }));
    const missing = [...own, ...shared].filter(({ $ref, description }) => $ref === undefined && !isText(description));
    assert.deepEqual(missing, [], 'write `description` in the schema of the query, or a line of docs/reference/fields.md');
  });

  test('every member of every schema', () => {
    const missing = Object.entries(schemas).flatMap(([title, { properties = {} }]) =>
      Object.entries(properties as Record<string, Member>).flatMap(([name, member]) => (isDescribed(member) ? [] : [`${title}.${name}`])),
    );
    assert.deepEqual(missing, [], 'write `description` in the schema, or a line of docs/reference/fields.md');
  });

  test('every header, answer and event', () => {
    for (const kind of ['headers', 'responses'] as const)
      for (const [name, { description }] of Object.entries(components[kind] ?? {})) assert.ok(isText(description), name);
    for (const [name, { post }] of Object.entries(document['webhooks'] as Record<string, { post: { summary?: string } }>))
      assert.ok(post.summary, name);
  });
});

test('an operation that is said to answer 202 has that answer', () => {
  const wrong = operations.filter(({ description = '', responses }) => description.includes('answers 202') && !('202' in responses));
  assert.deepEqual(
    wrong.map(({ operationId }) => operationId),
    [],
  );
});

test('docs/reference describes nothing that the document does not have', () => assert.deepEqual(words.unused(), []));

test('summaries are short', () => {
  const long = operations.filter((op) => ((op as unknown as { summary: string }).summary ?? '').length > 140);
  assert.deepEqual(
    long.map(({ operationId }) => operationId),
    [],
  );
});
