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
  /** Whether the body is a form: JSON of any kind is of the wrong media type. */
  readonly isForm: boolean;
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
    for (const [method, op] of Object.entries(entries)) operations.push(operationOf(document, path, method.toUpperCase(), op));
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

type Response = { readonly $ref?: string; readonly headers?: Readonly<Record<string, { readonly $ref: string }>> };

/** The part of the document that a reference names, or the part itself. */
function follow<Part>(document: Node, part: Part | { readonly $ref: string }): Part {
  const ref = (part as { $ref?: string }).$ref;
  if (ref === undefined) return part as Part;
  return ref
    .split('/')
    .slice(1)
    .reduce<unknown>((node, key) => (node as Node)[key], document) as Part;
}

function operationOf(document: Node, path: string, method: string, op: Node): DocumentedOperation {
  const requestBody = op['requestBody'] as { required: boolean; content: Record<string, { schema: Schema }> } | undefined;
  const responses = op['responses'] as Record<string, Response>;
  /** Those that every answer of the status has. */
  const headersOf = (response: Response): string[] =>
    Object.entries(follow(document, response).headers ?? {}).flatMap(([name, header]) =>
      (follow(document, header) as { required?: boolean }).required ? [name] : [],
    );
  const codes = Object.entries(op['x-error-codes'] as Record<string, string[]>);
  return {
    id: op['operationId'] as string,
    method,
    path,
    permission: op['x-permission'] as DocumentedOperation['permission'],
    agentPermission: op['x-agent-permission'] as string | undefined,
    parameters: ((op['parameters'] as Parameter[] | undefined) ?? []).map((parameter) => follow(document, parameter)),
    body: requestBody?.content['application/json']?.schema,
    bodyRequired: requestBody?.required ?? false,
    isForm: requestBody !== undefined && !('application/json' in requestBody.content),
    codes: new Map(codes.map(([status, named]) => [Number(status), named])),
    successes: Object.keys(responses)
      .map(Number)
      .filter((status) => status < 400),
    headers: new Map(Object.entries(responses).map(([status, response]) => [Number(status), headersOf(response)])),
  };
}
