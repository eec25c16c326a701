// Requests against their schemas. Every bad field is named in dot notation with the constraint it failed.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import type { TSchema } from 'typebox';
import { ApiError, type FieldError, onePerField } from '../kernel/errors.js';
import { isJsonObject, type JsonObject } from '../kernel/json.js';
import { isDate, parseInstant, parseTimestamp } from '../kernel/time.js';
import { isUri } from '../kernel/uri.js';

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': (text) => parseTimestamp(text) !== undefined,
  date: isDate,
  uri: isUri,
  email: (text) =>
    text.length <= 320 &&
    /^[^\s@<>()[\]\\,;:"]+@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+$/.test(text),
};

/** A filter may be a date: it means the first instant of that day. */
const QUERY_FORMATS: typeof FORMATS = { ...FORMATS, 'date-time': (text) => parseInstant(text) !== undefined };

const build = (coerceTypes: boolean, formats: typeof FORMATS) => {
  const ajv = new Ajv2020({ allErrors: true, useDefaults: true, coerceTypes, strict: false, validateFormats: true });
  for (const [name, validate] of Object.entries(formats)) ajv.addFormat(name, validate);
  for (const name of ['int32', 'int64', 'byte', 'binary', 'password', 'uuid']) ajv.addFormat(name, true);
  return takesVariants(ajv);
};

/** A keyword of our own: at least one of the named members must be there. An `anyOf` of `required` says the same, but no generator can type it. */
export const ANY_REQUIRED = 'x-any-required';

type Node = JsonObject;
type Union = { readonly tag: string; readonly oneOf: readonly Node[] };

/**
 * Discriminated unions are compiled variant by variant, each at its first use: compiling the fifty forms of a bank account would delay
 * every start by a second or two.
 */
function withLazyUnions(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withLazyUnions);
  return isJsonObject(node) ? withLazyMembers(node) : node;
}

function withLazyMembers(node: Node): Node {
  const { discriminator, oneOf, ...rest } = node;
  const copy = Object.fromEntries(Object.entries(discriminator ? rest : node).map(([key, part]) => [key, withLazyUnions(part)]));
  return isJsonObject(discriminator) ? { ...copy, variants: { tag: discriminator['propertyName'], oneOf } } : copy;
}

/** The keyword that replaces a discriminated union, and the one for members of which one must be there. */
export const takesVariants = (ajv: Ajv2020): Ajv2020 =>
  ajv
    .addKeyword({ keyword: 'variants', type: 'object', errors: 'full', compile: (union: Union) => chooseVariant(ajv, union) })
    .addKeyword({ keyword: ANY_REQUIRED, type: 'object', errors: 'full', compile: requireAny });

function requireAny(names: readonly string[]): DataValidateFunction {
  const validate: DataValidateFunction = (data: Node, context) => {
    if (names.some((name) => Object.hasOwn(data, name))) return true;
    const instancePath = context?.instancePath ?? '';
    validate.errors = [{ keyword: ANY_REQUIRED, instancePath, schemaPath: `#/${ANY_REQUIRED}`, params: { names } }];
    return false;
  };
  return validate;
}

function chooseVariant(ajv: Ajv2020, { tag, oneOf }: Union): DataValidateFunction {
  const compiled = new Map<Node, ValidateFunction>();
  const known = new Map(oneOf.flatMap((variant) => tagsOf(variant, tag).map((value) => [value, variant])));
  const validate: DataValidateFunction = (data: Node, context) => {
    const value = data[tag];
    if (value === undefined) return true; // the union's schema requires the tag and reports it
    const variant = known.get(value);
    if (!variant) {
      const error = {
        keyword: 'discriminator',
        instancePath: context?.instancePath ?? '',
        schemaPath: '#/discriminator',
        params: { tag, allowedValues: [...known.keys()] },
      };
      validate.errors = [error];
      return false;
    }
    const check = compiled.get(variant) ?? ajv.compile(withLazyMembers(variant));
    compiled.set(variant, check);
    const fits = check(data, context);
    validate.errors = check.errors ?? [];
    return fits;
  };
  return validate;
}

/** The values of the tag that choose the variant. */
export function tagsOf(variant: Node, tag: string): unknown[] {
  const { properties } = variant;
  const property = isJsonObject(properties) ? properties[tag] : undefined;
  if (!isJsonObject(property)) return [];
  return Array.isArray(property['enum']) ? property['enum'] : [property['const']];
}

const bodies = build(false, FORMATS);
// A query string has only text: "5" and "true" are the numbers and booleans of the schema.
const queries = build(true, QUERY_FORMATS);
const exactQueries = build(true, FORMATS);

export type Check = (value: unknown) => void;

/** `namesTimestamps`: the operation answers INVALID_TIMESTAMP when nothing but a timestamp is wrong. */
export const bodyCheck = (schema: TSchema, namesTimestamps = false): Check =>
  check(bodies.compile(withLazyMembers({ ...schema })), namesTimestamps);
/** Of values that did not come with a request. Compiled at the first use, so that no start waits for it. */
export function lateCheck(schema: TSchema): Check {
  let compiled: Check | undefined;
  return (value) => {
    compiled ??= bodyCheck(schema);
    compiled(value);
  };
}
/** An operation that answers INVALID_TIMESTAMP takes full timestamps only; every other filter may be a date. */
export const queryCheck = (schema: TSchema, namesTimestamps = false): Check =>
  check((namesTimestamps ? exactQueries : queries).compile(schema), namesTimestamps);

const check =
  (validate: ValidateFunction, namesTimestamps: boolean): Check =>
  (value) => {
    if (validate(value)) return;
    const errors = validate.errors ?? [];
    const onlyTimestamps = namesTimestamps && errors.every(({ params }) => params['format'] === 'date-time');
    throw new ApiError(onlyTimestamps ? 'INVALID_TIMESTAMP' : 'INVALID_INPUT', { errors: fieldErrors(errors) });
  };

const CONSTRAINTS = new Set([
  'format',
  'pattern',
  'enum',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minItems',
  'maxItems',
  'const',
  'type',
]);
// A wrapper's complaint adds nothing to what its branches already said.
const WRAPPERS = new Set(['if', 'oneOf', 'allOf', 'not']);

function fieldErrors(errors: readonly ErrorObject[]): FieldError[] {
  const found = errors.flatMap((error): FieldError[] => {
    if (WRAPPERS.has(error.keyword) && errors.length > 1) return [];
    const field = fieldOf(error);
    if (error.keyword === ANY_REQUIRED) {
      const choices = error.params['names'] as readonly string[];
      return [{ field: field || choices.join(' | '), message: `at least one of ${choices.join(', ')} must be supplied` }];
    }
    return [{ field, ...constraintOf(error), message: messageOf(error) }];
  });
  return onePerField(found).slice(0, 50);
}

/** Where an error of a keyword names the member it is about. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['required', 'missingProperty'],
  ['dependentRequired', 'missingProperty'],
  ['additionalProperties', 'additionalProperty'],
  ['unevaluatedProperties', 'unevaluatedProperty'],
  ['discriminator', 'tag'],
]);

function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const named = NAMED_BY.get(keyword);
  const last = named === undefined ? undefined : String(params[named]);
  return [...path, ...(last === undefined ? [] : [last])].join('.');
}

function constraintOf({ keyword, params }: ErrorObject): { constraint?: Record<string, unknown> } {
  if (keyword === 'discriminator') return { constraint: { enum: params['allowedValues'] } };
  if (!CONSTRAINTS.has(keyword)) return {};
  if (keyword === 'enum') return { constraint: { enum: params['allowedValues'] } };
  if (keyword === 'const') return { constraint: { enum: [params['allowedValue']] } };
  return { constraint: { [keyword]: params['limit'] ?? Object.values(params)[0] } };
}

function messageOf({ keyword, message, params }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'dependentRequired':
      return `is required whenever ${params['property']} is supplied`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a field of this request';
    case 'discriminator':
      return `must be one of ${(params['allowedValues'] as readonly unknown[]).join(', ')}`;
    default:
      return message ?? 'is not valid';
  }
}
