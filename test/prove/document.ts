// The operations of the served OpenAPI document. The reliability tests are generated from them, so no operation can be left out.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isDate, parseTimestamp } from '../../src/kernel/time.js';

export type Schema = { readonly [keyword: string]: unknown };
export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
};

export type DocumentedOperation = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Undefined if the operation needs no credential. */
  readonly permission: 'VIEW' | 'TRANSACT' | 'MANAGE' | 'AGENT' | 'ISSUER' | undefined;
  /** What the policy of a calling agent must grant. */
  readonly agentPermission: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly bodyRequired: boolean;
  /** Error codes per status, as the document lists them. */
  readonly codes: ReadonlyMap<number, readonly string[]>;
  readonly successes: readonly number[];
  /** Names of the documented headers of each status. */
  readonly headers: ReadonlyMap<number, readonly string[]>;
};

export type ApiDocument = {
  readonly operations: readonly DocumentedOperation[];
  /** Paths with their methods. */
  readonly methods: ReadonlyMap<string, readonly string[]>;
  resolve(schema: Schema): Schema;
  /** Whether a body matches the documented schema. Formats without a strict definition are not checked strictly. */
  fits(operation: DocumentedOperation, body: unknown): boolean;
  fitsParameter(parameter: Parameter, value: unknown): boolean;
};

type Node = Record<string, unknown>;

export function readDocument(document: Node): ApiDocument {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  ajv.addFormat('date-time', (text: string) => parseTimestamp(text) !== undefined);
  ajv.addFormat('date', isDate);
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  ajv.addFormat('email', (text: string) => /^[^\s@]+@[^\s@]+$/.test(text));
  for (const name of ['int32', 'int64', 'byte', 'binary', 'password', 'uuid']) ajv.addFormat(name, true);
  ajv.addSchema(document, 'openapi');
  const components = (document['components'] as { schemas: Record<string, Schema> }).schemas;

  const operations: DocumentedOperation[] = [];
  const methods = new Map<string, string[]>();
  for (const [path, entries] of Object.entries(document['paths'] as Record<string, Record<string, Node>>)) {
    methods.set(
      path,
      Object.keys(entries).map((method) => method.toUpperCase()),
    );
    for (const [method, op] of Object.entries(entries)) operations.push(operationOf(path, method.toUpperCase(), op));
  }

  const checks = new Map<unknown, ValidateFunction>();
  const compiled = (schema: Schema): ValidateFunction => {
    let check = checks.get(schema);
    if (!check) {
      // References are relative to the document; in a separate schema they need its name.
      check = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as Schema);
      checks.set(schema, check);
    }
    return check;
  };

  return {
    operations,
    methods,
    resolve(schema) {
      const ref = schema['$ref'];
      if (typeof ref !== 'string') return schema;
      const { $ref: _ref, ...beside } = schema;
      return { ...this.resolve(components[ref.slice('#/components/schemas/'.length)] as Schema), ...beside };
    },
    fits: ({ body }, value) => body !== undefined && compiled(body)(value) === true,
    fitsParameter: ({ schema }, value) => compiled(schema)(value) === true,
  };
}

function operationOf(path: string, method: string, op: Node): DocumentedOperation {
  const requestBody = op['requestBody'] as { required: boolean; content: Record<string, { schema: Schema }> } | undefined;
  const responses = op['responses'] as Record<string, { description: string; headers?: Record<string, unknown> }>;
  const codes = new Map<number, string[]>();
  const successes: number[] = [];
  for (const [status, { description }] of Object.entries(responses)) {
    if (Number(status) < 400) successes.push(Number(status));
    else
      codes.set(
        Number(status),
        [...description.matchAll(/`(\w+)`/g)].map((match) => match[1] as string),
      );
  }
  return {
    id: op['operationId'] as string,
    method,
    path,
    permission: op['x-permission'] as DocumentedOperation['permission'],
    agentPermission: op['x-agent-permission'] as string | undefined,
    parameters: (op['parameters'] as Parameter[] | undefined) ?? [],
    body: requestBody?.content['application/json']?.schema,
    bodyRequired: requestBody?.required ?? false,
    codes,
    successes,
    headers: new Map(Object.entries(responses).map(([status, { headers = {} }]) => [Number(status), Object.keys(headers)])),
  };
}
