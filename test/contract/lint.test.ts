// Rules that linters of API documents check, and a few of our own.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { readConfig } from '../../src/config.js';
import { describeApi } from '../../src/describe-api.js';
import { isJsonObject, type JsonObject } from '../../src/kernel/json.js';

type Op = {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly JsonObject[];
  readonly parameters: readonly { readonly $ref?: string; readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: JsonObject;
  readonly responses: JsonObject;
};

const LIVE = { MODE: 'live', KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') };

for (const mode of ['sandbox', 'live'] as const) {
  const settings = mode === 'live' ? LIVE : {};
  const document = describeApi(readConfig(settings));
  const paths = document['paths'] as Record<string, Record<string, Op>>;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, op]) => ({ path, method, op })),
  );

  describe(`the document of ${mode} mode`, () => {
    test('operation ids are unique and in camel case', () => {
      const ids = operations.map(({ op }) => op.operationId);
      assert.equal(new Set(ids).size, ids.length);
      for (const id of ids) assert.match(id, /^[a-z][A-Za-z0-9]+$/);
    });

    test('paths have no trailing slash, no query, and no two of them differ in the names of parameters alone', () => {
      const shapes = Object.keys(paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
      assert.equal(new Set(shapes).size, shapes.length);
      for (const path of Object.keys(paths)) assert.match(path, /^(\/([a-z0-9_.-]+|\{\w+\}))+$/);
    });

    test('the parameters of a path are declared, required, and no others', () => {
      for (const { path, op } of operations) {
        const declared = op.parameters.filter((parameter) => parameter.in === 'path');
        assert.deepEqual(
          declared.map(({ name }) => `{${name}}`),
          path.match(/\{\w+\}/g) ?? [],
          op.operationId,
        );
        for (const { required } of declared) assert.equal(required, true, op.operationId);
      }
    });

    test('no parameter is there twice, and GET and DELETE have no body', () => {
      for (const { method, op } of operations) {
        const names = op.parameters.map(({ $ref, name, in: place }) => $ref ?? `${place} ${name.toLowerCase()}`);
        assert.equal(new Set(names).size, names.length, op.operationId);
        if (method === 'get' || method === 'delete') assert.equal(op.requestBody, undefined, op.operationId);
      }
    });

    test('every operation has one known tag, a security that is defined, a success and a refusal', () => {
      const tags = new Set((document['tags'] as { name: string }[]).map(({ name }) => name));
      const schemes = (document['components'] as { securitySchemes: JsonObject }).securitySchemes;
      for (const { op } of operations) {
        assert.equal(op.tags.length, 1, op.operationId);
        assert.ok(tags.has(op.tags[0] ?? ''), op.operationId);
        for (const requirement of op.security) for (const name of Object.keys(requirement)) assert.ok(name in schemes, op.operationId);
        const statuses = Object.keys(op.responses).map(Number);
        assert.ok(statuses.some((status) => status < 400) && statuses.some((status) => status >= 400), op.operationId);
      }
    });

    test('a summary is one line without a full stop', () => {
      for (const { op } of operations) assert.match(op.summary, /^[^\n]{5,140}[^.\n]$/, op.operationId);
    });

    test('the words of OpenAPI 3.0 that 3.1 does not have are nowhere', () => {
      const old: string[] = [];
      const walk = (node: unknown, place: string): void => {
        if (Array.isArray(node)) for (const [i, part] of node.entries()) walk(part, `${place}/${i}`);
        if (!isJsonObject(node) || place.includes('/example')) return;
        if ('nullable' in node || typeof node['exclusiveMinimum'] === 'boolean') old.push(place);
        for (const [key, part] of Object.entries(node)) walk(part, `${place}/${key}`);
      };
      walk(document, '#');
      assert.deepEqual(old, []);
    });

    test('required members are members', () => {
      const schemas = (document['components'] as { schemas: Record<string, { properties?: JsonObject; required?: string[] }> }).schemas;
      for (const [name, { properties, required = [] }] of Object.entries(schemas))
        if (properties) for (const member of required) assert.ok(member in properties, `${name}.${member}`);
    });
  });
}

test('operations of the sandbox are absent in live mode', () => {
  const live = describeApi(readConfig(LIVE));
  assert.deepEqual(
    Object.keys(live['paths'] as object).filter((path) => path.startsWith('/sandbox')),
    [],
  );
});
