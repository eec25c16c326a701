// Forms from schemas: what is asked for, and the body that the answers make.
import type { Schema } from '../cli/operations.ts';
import type { Item, Json } from './api.ts';

export type Input = {
  /** In dots for a nested member. */
  readonly path: string;
  readonly label: string;
  readonly kind: 'text' | 'integer' | 'number' | 'choice' | 'choices' | 'texts' | 'yes-no' | 'json' | 'file' | 'secret' | 'group';
  readonly description: string;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  readonly choices: readonly string[];
  readonly inputs: readonly Input[];
  /** A choice that decides which members follow. */
  readonly isDiscriminator: boolean;
  readonly placeholder: string;
};

export type Values = Readonly<Record<string, string>>;
export type Schemas = Readonly<Record<string, Schema>>;

const WORDS: Readonly<Record<string, string>> = {
  Id: 'id',
  Uma: 'UMA',
  Kyc: 'KYC',
  Kyb: 'KYB',
  Pan: 'PAN',
  Iban: 'IBAN',
  Bic: 'BIC',
  Url: 'URL',
  Pin: 'PIN',
  Usd: 'USD',
  Css: 'CSS',
  Otp: 'OTP',
};

/** `platformCustomerId` as words: `Platform customer id`. */
export function wordsOf(name: string): string {
  const words = name.replaceAll(/([a-z\d])([A-Z])|([a-z])(\d)/g, '$1$3 $2$4').split(/[ _]/);
  const written = words
    .map((word, at) => WORDS[word[0]?.toUpperCase() + word.slice(1)] ?? (at === 0 ? word : word.toLowerCase()))
    .join(' ');
  return written.replace(/^./, (first) => first.toUpperCase());
}

/** The schema without references and without parts that must hold together. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  const { $ref, ...own } = schema;
  const base = $ref === undefined ? own : { ...resolve(schemas[$ref] ?? {}, schemas), ...own };
  const parts = (base.allOf ?? []).map((part) => resolve(part, schemas));
  if (parts.length === 0) return base;
  return {
    ...Object.assign({}, ...parts),
    ...base,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), base.properties),
    required: [base, ...parts].flatMap(({ required = [] }) => required),
  };
}

const constOf = (schema: Schema | undefined): string => String(schema?.const ?? schema?.enum?.[0] ?? '');

type Where = {
  readonly path: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly values: Values;
  readonly schemas: Schemas;
};

/** The members of an object, and those of the variant that is chosen. */
export function membersOf(given: Schema, where: Omit<Where, 'label'>): readonly Input[] {
  const { path, isRequired, values, schemas } = where;
  const schema = resolve(given, schemas);
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const name = schema.discriminator?.propertyName;
  const variants = name === undefined ? [] : (schema.oneOf ?? schema.anyOf ?? []).map((variant) => resolve(variant, schemas));
  const chosenBy = name === undefined ? '' : (values[at(name)] ?? (isRequired ? constOf(variants[0]?.properties?.[name]) : ''));
  const variant = variants.find((one) => name !== undefined && constOf(one.properties?.[name]) === chosenBy);
  const properties = { ...schema.properties, ...variant?.properties };
  const required = new Set([...(schema.required ?? []), ...(variant?.required ?? [])]);
  const inputs = Object.entries(properties)
    .filter(([member]) => member !== name)
    .map(([member, one]) =>
      inputOf(one, { path: at(member), label: wordsOf(member), isRequired: isRequired && required.has(member), values, schemas }),
    );
  if (name === undefined) return inputs;
  const choice = inputOf(
    { enum: variants.map((one) => constOf(one.properties?.[name])), description: variants[0]?.properties?.[name]?.description ?? '' },
    { path: at(name), label: wordsOf(name), isRequired, values, schemas },
  );
  return [{ ...choice, isDiscriminator: true }, ...inputs];
}

function inputOf(given: Schema, where: Where): Input {
  const schema = resolve(given, where.schemas);
  const types = [schema.type ?? []].flat();
  const kind = kindOf(schema, types, where.schemas);
  const items = schema.items && resolve(schema.items, where.schemas);
  const example = schema.default === undefined || typeof schema.default === 'object' ? '' : String(schema.default);
  return {
    path: where.path,
    label: where.label,
    kind,
    description: noteOf(schema.description ?? '', where.label),
    isRequired: where.isRequired,
    isNullable: types.includes('null'),
    choices: (kind === 'choices' ? (items?.enum ?? []) : (schema.enum ?? [])).filter((one) => one !== null).map(String),
    inputs: kind === 'group' ? membersOf(schema, where) : [],
    isDiscriminator: false,
    placeholder:
      kind === 'json'
        ? '{ … } as JSON'
        : kind === 'texts'
          ? 'one, two'
          : schema.format === 'date-time'
            ? '2031-01-31T12:00:00Z'
            : schema.format === 'date'
              ? '2031-01-31'
              : example,
  };
}

const bare = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The first sentence; the reference has the rest. A description that only repeats the name is left out. */
const noteOf = (description: string, label: string): string =>
  bare(description) === bare(label) ? '' : description.replace(/(?<=[^.\s]{2}\.)\s.*$/s, '').replaceAll('`', '');

function kindOf(schema: Schema, types: readonly string[], schemas: Schemas): Input['kind'] {
  if (schema.format === 'binary') return 'file';
  if (schema.format === 'password' || schema.writeOnly) return 'secret';
  if (schema.enum) return 'choice';
  if (types.includes('boolean')) return 'yes-no';
  if (types.includes('integer')) return 'integer';
  if (types.includes('number')) return 'number';
  if (types.includes('array')) {
    const items = schema.items && resolve(schema.items, schemas);
    return items?.enum ? 'choices' : items?.type === 'string' ? 'texts' : 'json';
  }
  if (schema.properties || schema.discriminator) return 'group';
  return types.includes('string') ? 'text' : 'json';
}

export const flat = (inputs: readonly Input[]): readonly Input[] => inputs.flatMap((input) => [input, ...flat(input.inputs)]);

/** What the form holds before anybody types: what is given, and the first of choices that must be made. */
export const textOf = (input: Input, values: Values): string =>
  values[input.path] ?? (input.kind === 'choice' && input.isRequired ? (input.choices[0] ?? '') : '');

export class NotJson extends Error {
  readonly path: string;
  constructor(path: string) {
    super('is no JSON');
    this.path = path;
  }
}

/**
 * The body. Members that were left empty are not sent. Of a change (`before` is what the object held) only what differs is sent, and a
 * member that was emptied is sent as null where the operation takes null.
 */
export function bodyOf(inputs: readonly Input[], values: Values, before?: Values): { [name: string]: Json } {
  const body: { [name: string]: Json } = {};
  for (const input of inputs) {
    const value = valueFor(input, values, before);
    if (value !== undefined) body[input.path.slice(input.path.lastIndexOf('.') + 1)] = value;
  }
  return body;
}

const isChanged = (input: Input, values: Values, before: Values): boolean =>
  input.kind === 'group'
    ? input.inputs.some((one) => isChanged(one, values, before))
    : textOf(input, values) !== (before[input.path] ?? (input.isDiscriminator ? textOf(input, values) : ''));

function valueFor(input: Input, values: Values, before?: Values): Json | undefined {
  if (before && !input.isDiscriminator && !isChanged(input, values, before)) return undefined;
  if (input.kind === 'group') {
    const body = bodyOf(input.inputs, values);
    return input.isRequired || Object.keys(body).length > 0 ? body : undefined;
  }
  const text = textOf(input, values);
  if (text === '') return before && input.isNullable ? null : undefined;
  return read(input, text);
}

/** What is no number is sent as it is, so that the service says what is wrong with it. */
function read({ kind, path }: Input, text: string): Json {
  switch (kind) {
    case 'integer':
    case 'number':
      return /^-?\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : text;
    case 'yes-no':
      return text === 'true';
    case 'choices':
    case 'texts':
      return text
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '');
    case 'json':
      try {
        return JSON.parse(text) as Json;
      } catch {
        throw new NotJson(path);
      }
    default:
      return text;
  }
}

/** The members of an object as the texts of a form, by path. */
export function textsOf(object: Item, prefix = ''): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(object)) {
    const path = prefix + name;
    if (value === null) continue;
    if (Array.isArray(value)) texts[path] = value.every((one) => typeof one !== 'object') ? value.join(',') : JSON.stringify(value);
    else if (typeof value === 'object') Object.assign(texts, textsOf(value as Item, `${path}.`));
    else texts[path] = String(value);
  }
  return texts;
}
