// The API document as the reference pages read it.

import type { ErrorCode } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';

export type Schema = JsonObject & {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
};
type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
export type Parameter = {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
};
export type Described = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly description: string; readonly content?: Content }>>;
  readonly 'x-command'?: string;
  readonly 'x-permission'?: string;
  readonly 'x-error-codes': Readonly<Record<string, readonly ErrorCode[]>>;
};
export type ApiOperation = Described & { readonly method: string; readonly path: string };
export type ApiDocument = {
  readonly info: { readonly title: string; readonly version: string; readonly summary: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly webhooks: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly summary: string;
          readonly 'x-event-types': readonly string[];
          readonly requestBody: { readonly content: Content };
        };
      }
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>>; readonly parameters: Readonly<Record<string, Parameter>> };
  readonly 'x-errors': Readonly<Record<string, { readonly status: number; readonly reason: string }>>;
};

export const operationsOf = (document: ApiDocument): ApiOperation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, op]) => ({ ...op, method: method.toUpperCase(), path })),
  );

export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

export const parameterOf = (document: ApiDocument, parameter: Parameter): Parameter =>
  parameter.$ref === undefined ? parameter : (document.components.parameters[nameOf(parameter.$ref)] as Parameter);

/** The type of a value in a few words, and the schema it names. */
export function typeOf(schema: Schema): { readonly text: string; readonly name?: string } {
  if (schema.$ref !== undefined) return { text: nameOf(schema.$ref), name: nameOf(schema.$ref) };
  if (schema.items) {
    const { text, name } = typeOf(schema.items);
    return { text: `list of ${text}`, ...(name !== undefined && { name }) };
  }
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) {
    const names = variants.map((variant) => typeOf(variant).text);
    const [first] = variants.map((variant) => typeOf(variant).name).filter((name) => name !== undefined);
    return { text: names.join(' or '), ...(first !== undefined && variants.length === 1 && { name: first }) };
  }
  const type = [schema.type ?? 'any'].flat().join(' or ');
  const format = schema['format'];
  return { text: typeof format === 'string' ? `${type} (${format})` : type };
}

/** What a value must keep to, in words. */
export function boundsOf(schema: Schema): string[] {
  const bound = (key: string, words: string): string[] => (schema[key] === undefined ? [] : [`${words} ${String(schema[key])}`]);
  return [
    ...(schema.enum ? [`one of ${schema.enum.map((value) => `\`${String(value)}\``).join(', ')}`] : []),
    ...bound('minimum', 'at least'),
    ...bound('exclusiveMinimum', 'more than'),
    ...bound('maximum', 'at most'),
    ...bound('maxLength', 'characters: at most'),
    ...bound('maxItems', 'entries: at most'),
    ...(schema['pattern'] === undefined ? [] : [`matches \`${String(schema['pattern'])}\``]),
    ...bound('default', 'by default'),
  ];
}
