// The API document as a table of commands. `npm run generate` writes the table of this version; `--spec URL` reads the one of another service.

/** A schema as far as flags, help and forms need it. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
  readonly additionalProperties?: boolean | Schema;
  readonly writeOnly?: boolean;
};

export type CommandOperation = {
  readonly id: string;
  /** The words of the command, and with dots the method of the client. */
  readonly command: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: string;
  readonly deprecated?: true;
  readonly query?: Schema;
  readonly body?: Schema;
  readonly bodyRequired?: true;
  readonly multipart?: true;
  /** Takes an Idempotency-Key. */
  readonly key?: 'optional' | 'required';
  /** Takes signed retries. */
  readonly signed?: true;
  /** How many signatures it takes, one after the other. */
  readonly signatures?: number;
  /** Answers a list, in `data`; `paged` where it has further pages. */
  readonly list?: true;
  readonly paged?: true;
  readonly stream?: true;
  /** Media types of an answer that is not JSON. */
  readonly produces?: readonly string[];
  readonly errors: readonly string[];
};

export type OperationTable = {
  readonly version: string;
  readonly basePath: string;
  readonly operations: readonly CommandOperation[];
  readonly schemas: Readonly<Record<string, Schema>>;
};

// biome-ignore lint/suspicious/noExplicitAny: a document is read from JSON, and may be of another version.
type Loose = any;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

export const refName = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** Follows a reference to any component of the document. */
export function resolve(document: Loose, node: Loose): Loose {
  let found = node;
  while (found?.$ref) {
    found = String(found.$ref)
      .slice(2)
      .split('/')
      .reduce((place: Loose, part) => place?.[part], document);
  }
  return found;
}

function successOf(document: Loose, operation: Loose): Loose[] {
  return Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, response]) => ({ status, ...resolve(document, response) }));
}

/** Whether an answer is a list, and whether it continues on further pages. */
function listOf(document: Loose, operation: Loose): { isList: boolean; isPaged: boolean } {
  const bodies = successOf(document, operation).map(({ content }) => resolve(document, content?.['application/json']?.schema));
  const page = bodies.find((schema) => resolve(document, schema?.properties?.data)?.type === 'array');
  return { isList: page !== undefined, isPaged: page?.properties?.nextCursor !== undefined };
}

/** The codes of an operation, which the document lists by status. */
const errorsOf = (operation: Loose): string[] => Object.values(operation['x-error-codes'] ?? {}).flat() as string[];

const KEPT = ['type', 'enum', 'const', 'format', 'description', 'default', 'minimum', 'maximum', 'required', 'writeOnly'] as const;

/** What flags and forms need of a request's schema. Members that only answers hold are left out. Collects the schemas it names. */
function trim(document: Loose, node: Loose, named: Map<string, Schema>): Schema {
  if (node.$ref) {
    const name = refName(node.$ref);
    if (!named.has(name)) {
      named.set(name, {});
      named.set(name, trim(document, resolve(document, node), named));
    }
    return { $ref: name };
  }
  const kept: Record<string, unknown> = {};
  for (const key of KEPT) if (node[key] !== undefined) kept[key] = node[key];
  if (node.discriminator) kept['discriminator'] = { propertyName: node.discriminator.propertyName };
  for (const key of ['oneOf', 'anyOf', 'allOf'] as const) {
    const parts = (node[key] ?? []).filter((part: Loose) => Object.keys(part).some((name) => name !== 'required'));
    if (parts.length > 0) kept[key] = parts.map((part: Loose) => trim(document, part, named));
  }
  if (node.items) kept['items'] = trim(document, node.items, named);
  if (node.additionalProperties && typeof node.additionalProperties === 'object')
    kept['additionalProperties'] = trim(document, node.additionalProperties, named);
  if (node.properties) {
    const members = Object.entries<Loose>(node.properties).filter(([, member]) => !member.readOnly);
    kept['properties'] = Object.fromEntries(members.map(([name, member]) => [name, trim(document, member, named)]));
  }
  return kept as Schema;
}

function queryOf(document: Loose, parameters: Loose[], named: Map<string, Schema>): Schema | undefined {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  if (query.length === 0) return undefined;
  return {
    properties: Object.fromEntries(
      query.map(({ name, schema, description }) => [name, { ...trim(document, schema, named), ...(description ? { description } : {}) }]),
    ),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** Every operation of a document that a caller should use, by command. */
export function operationTable(document: Loose): OperationTable {
  const named = new Map<string, Schema>();
  const operations: CommandOperation[] = [];
  for (const [path, item] of Object.entries<Loose>(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      const parameters: Loose[] = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) => resolve(document, one));
      const headers = new Map(parameters.filter((one) => one.in === 'header').map((one) => [one.name.toLowerCase(), one]));
      const { isList, isPaged } = listOf(document, operation);
      const requestBody = resolve(document, operation.requestBody);
      const [mediaType, media] = Object.entries<Loose>(requestBody?.content ?? {})[0] ?? [];
      const types = [...new Set(successOf(document, operation).flatMap(({ content }) => Object.keys(content ?? {})))];
      const query = queryOf(document, parameters, named);
      const key = headers.get('idempotency-key');
      operations.push({
        id: operation.operationId,
        command: operation['x-command'] ?? operation.operationId,
        method: method.toUpperCase(),
        path,
        tag: operation.tags?.[0] ?? '',
        summary: operation.summary ?? '',
        ...(operation.description ? { description: operation.description } : {}),
        permission: operation['x-permission'] ?? 'PUBLIC',
        ...(operation.deprecated ? { deprecated: true } : {}),
        ...(query ? { query } : {}),
        ...(media ? { body: trim(document, media.schema, named) } : {}),
        ...(media && requestBody.required ? { bodyRequired: true } : {}),
        ...(mediaType === 'multipart/form-data' ? { multipart: true } : {}),
        ...(key ? { key: key.required ? 'required' : 'optional' } : {}),
        ...(headers.has('request-id') ? { signed: true } : {}),
        ...(operation['x-signatures'] === undefined ? {} : { signatures: operation['x-signatures'] }),
        ...(isList ? { list: true } : {}),
        ...(isPaged ? { paged: true } : {}),
        ...(types.includes('text/event-stream') ? { stream: true } : {}),
        ...(types.length > 0 && !types.includes('application/json') ? { produces: types } : {}),
        errors: errorsOf(operation),
      });
    }
  }
  const byCommand = (a: CommandOperation, b: CommandOperation) => (a.command < b.command ? -1 : a.command > b.command ? 1 : 0);
  return {
    version: document.info?.version ?? '',
    basePath: new URL(document.servers?.[0]?.url ?? '/', 'http://localhost').pathname.replace(/\/$/, ''),
    operations: operations.filter(({ deprecated }) => !deprecated).sort(byCommand),
    schemas: Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** `cards pin-entry-url get` as the words of a method: `cards.pinEntryUrl.get`. */
export const methodOf = (command: string): string[] =>
  command.split(' ').map((word) => word.replaceAll(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase()));
