// Generates requests from schemas: valid values, often at their limits, and values that violate exactly one keyword.
import fc from 'fast-check';
import { ANY_REQUIRED } from '../../src/http/validate.js';
import type { ApiDocument, DocumentedOperation, Parameter, Schema } from './document.js';
import type { Random } from './random.js';

/** An existing value for a property of this name, such as the id of a customer or a currency of the platform. */
export type Hint = (name: string, schema: Schema, random: Random) => unknown;

export type Generator = {
  body(operation: DocumentedOperation, random: Random): unknown;
  parameter(parameter: Parameter, random: Random): unknown;
  /** The body with one violated keyword and a description; undefined if no keyword can be violated. */
  broken(operation: DocumentedOperation, body: unknown, random: Random): { body: unknown; what: string } | undefined;
};

const TRIES = 6;

export function generatorOf(document: ApiDocument, hint: Hint): Generator {
  const value = (source: Schema, name: string, random: Random, depth = 0): unknown => {
    const schema = document.resolve(source);
    if ('const' in schema) return schema['const'];
    const hinted = hint(name, schema, random);
    if (hinted !== undefined) return hinted;
    if (Array.isArray(schema['enum'])) return random.pick(schema['enum'] as unknown[]);
    const variants = (schema['oneOf'] ?? (schema['properties'] ? undefined : schema['anyOf'])) as Schema[] | undefined;
    if (variants) return value(random.pick(variants), name, random, depth);
    switch (typeOf(schema, random)) {
      case 'null':
        return null;
      case 'boolean':
        return random.chance(0.5);
      case 'integer':
      case 'number':
        return integer(schema, random);
      case 'array':
        return array(schema, name, random, depth);
      case 'object':
        return object(schema, random, depth);
      default:
        return text(schema, random);
    }
  };

  const array = (schema: Schema, name: string, random: Random, depth: number): unknown[] => {
    const least = (schema['minItems'] as number | undefined) ?? 0;
    const most = Math.min((schema['maxItems'] as number | undefined) ?? least + 3, least + 3);
    const items = Array.from({ length: random.int(least, depth > 4 ? least : most) }, () =>
      value((schema['items'] as Schema | undefined) ?? {}, name, random, depth + 1),
    );
    if (!schema['uniqueItems']) return items;
    return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
  };

  const object = (schema: Schema, random: Random, depth: number): Record<string, unknown> => {
    const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
    const wanted = new Set((schema['required'] as string[] | undefined) ?? []);
    const alternatives = (schema[ANY_REQUIRED] as string[] | undefined) ?? [];
    if (alternatives.length > 0) wanted.add(random.pick(alternatives));
    // Few, some or all of the optional properties.
    const share = random.pick([0, 0.15, 0.5, depth > 4 ? 0 : 1]);
    for (const name of Object.keys(properties)) if (random.chance(share)) wanted.add(name);
    for (const [name, needed] of Object.entries((schema['dependentRequired'] ?? {}) as Record<string, string[]>)) {
      if (wanted.has(name)) for (const other of needed) wanted.add(other);
    }
    if (wanted.size < ((schema['minProperties'] as number | undefined) ?? 0)) wanted.add(random.pick(Object.keys(properties)));
    return Object.fromEntries(
      Object.keys(properties)
        .filter((name) => wanted.has(name))
        .map((name) => [name, value(properties[name] as Schema, name, random, depth + 1)]),
    );
  };

  return {
    body(operation, random) {
      let made: unknown;
      for (let i = 0; i < TRIES; i += 1) {
        made = value(operation.body as Schema, '', random);
        if (document.fits(operation, made)) break;
      }
      return made;
    },
    parameter: (parameter, random) => value(parameter.schema, parameter.name, random),
    broken(operation, body, random) {
      for (let i = 0; i < TRIES; i += 1) {
        const copy = structuredClone({ body });
        const breaks = breaksOf(document, operation.body as Schema, copy, 'body', random);
        if (breaks.length === 0) return undefined;
        const chosen = random.pick(breaks);
        chosen.apply();
        if (!document.fits(operation, copy.body)) return { body: copy.body, what: chosen.what };
      }
      return undefined;
    },
  };
}

function typeOf(schema: Schema, random: Random): string {
  const type = schema['type'];
  if (Array.isArray(type)) return random.chance(0.2) && type.includes('null') ? 'null' : (type.find((name) => name !== 'null') as string);
  return (type as string | undefined) ?? (schema['properties'] ? 'object' : 'string');
}

function integer(schema: Schema, random: Random): number {
  const least = (schema['minimum'] as number | undefined) ?? ((schema['exclusiveMinimum'] as number | undefined) ?? -1) + 1;
  const most = (schema['maximum'] as number | undefined) ?? Number.MAX_SAFE_INTEGER;
  if (random.chance(0.25)) return random.pick([least, most, Math.min(least + 1, most), Math.max(most - 1, least)]);
  return random.int(least, Math.min(most, least + random.pick([10, 1_000, 100_000])));
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz ABCDEFGHIJ0123456789-_.äßéñ中文🚂'];
const MOMENTS = ['2024-02-29T00:00:00Z', '2026-01-01T00:00:00.000+05:30', '1999-12-31T23:59:59.999Z', '2030-06-15T12:00:00-08:00'];
const EDGE_MOMENTS = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-23:59', '1970-01-01T00:00:00Z'];
const samples = new Map<string, readonly string[]>();

function text(schema: Schema, random: Random): string {
  switch (schema['format']) {
    case 'date-time':
      return random.pick(random.chance(0.2) ? EDGE_MOMENTS : MOMENTS);
    case 'date':
      return random.pick(['1990-01-01', '2000-02-29', '0001-01-01', '9999-12-31', '2026-03-01']);
    case 'email':
      return `p${random.int(0, 1_000_000_000)}@example.com`;
    case 'uri':
      // A name that never resolves, so no request leaves the machine.
      return `https://${random.pick(['a', 'hook', 'xn--bcher-kva'])}.invalid/${random.int(0, 1000)}`;
    default:
  }
  const pattern = schema['pattern'] as string | undefined;
  if (pattern !== undefined) return random.pick(matching(pattern));
  const least = (schema['minLength'] as number | undefined) ?? 0;
  const most = (schema['maxLength'] as number | undefined) ?? 300;
  const length = random.chance(0.2) ? random.pick([least, most]) : random.int(least, Math.min(most, least + 24));
  return Array.from({ length: Math.min(length, 4_000) }, () => random.pick(LETTERS)).join('');
}

/** A few matching texts, generated once per pattern. */
function matching(pattern: string): readonly string[] {
  let made = samples.get(pattern);
  if (!made) {
    try {
      made = fc.sample(fc.stringMatching(new RegExp(pattern)), { seed: 7, numRuns: 40 });
    } catch {
      made = ['']; // a pattern beyond the generator: hints and examples supply such values
    }
    samples.set(pattern, made);
  }
  return made;
}

// ---- violating one keyword

type Break = { readonly what: string; apply(): void };
type Holder = Record<string, unknown>;

const put = (holder: Holder, key: string, value: unknown): void => {
  holder[key] = value;
};

const WRONG_TYPES: readonly unknown[] = [null, true, 0, 1.5, -1, '', 'x', [], {}, [null], { a: 1 }, 9007199254740991];

/** Every violation of the value at `holder[key]` and of the values inside it. */
function breaksOf(document: ApiDocument, source: Schema, holder: Holder, key: string, random: Random): Break[] {
  const schema = document.resolve(source);
  const set = (what: string, wrong: unknown): Break => ({ what: `${key}: ${what}`, apply: () => put(holder, key, wrong) });
  const breaks: Break[] = [set('another type', random.pick(WRONG_TYPES))];
  const value = holder[key];

  if (schema['enum'] || 'const' in schema)
    breaks.push(set('not listed', `${String(value)}_`), set('lower case', String(value).toLowerCase()));
  if (typeof value === 'string') {
    const { minLength, maxLength } = schema as { minLength?: number; maxLength?: number };
    if (minLength) breaks.push(set('too short', '🚂'.repeat(minLength - 1)));
    if (maxLength !== undefined && maxLength < 20_000) breaks.push(set('too long', '🚂'.repeat(maxLength + 1)));
    if (schema['pattern']) breaks.push(set('off pattern', `${value}\n`), set('off pattern', '\u2028'));
    if (schema['format'] === 'date-time') breaks.push(set('no moment', random.pick(NO_MOMENTS)));
    if (schema['format'] === 'date')
      breaks.push(set('no date', random.pick(['2026-02-30', '2025-02-29', '26-01-01', '2026-1-1', '0000-01-01'])));
    if (schema['format'] === 'email') breaks.push(set('no address', random.pick(['a', '@', 'a@', '@b.c', 'a b@c.d'])));
    if (schema['format'] === 'uri') breaks.push(set('no URL', random.pick(['a', '//a', 'http://', 'http://[', ''])));
  }
  if (typeof value === 'number') {
    const { minimum, maximum, exclusiveMinimum } = schema as { minimum?: number; maximum?: number; exclusiveMinimum?: number };
    if (minimum !== undefined) breaks.push(set('below the least', minimum - 1));
    if (exclusiveMinimum !== undefined) breaks.push(set('at the open end', exclusiveMinimum));
    if (maximum !== undefined) breaks.push(set('above the most', maximum + 1));
    breaks.push(set('a fraction', value + 0.5));
  }
  if (Array.isArray(value)) {
    const { minItems, maxItems, uniqueItems, items } = schema as {
      minItems?: number;
      maxItems?: number;
      uniqueItems?: boolean;
      items?: Schema;
    };
    if (minItems) breaks.push(set('too few', value.slice(0, minItems - 1)));
    if (maxItems !== undefined && maxItems < 900 && value.length > 0)
      breaks.push(
        set(
          'too many',
          Array.from({ length: maxItems + 1 }, () => value[0]),
        ),
      );
    if (uniqueItems && value.length > 0) breaks.push(set('twice', [...value, value[0]]));
    if (items) for (const i of value.keys()) breaks.push(...breaksOf(document, items, value as unknown as Holder, String(i), random));
  } else if (typeof value === 'object' && value !== null) {
    breaks.push(...objectBreaks(document, schema, value as Holder, random));
  }
  return breaks;
}

const NO_MOMENTS = [
  '2026-01-01',
  '2026-01-01T00:00:00',
  '2026-13-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '10000-01-01T00:00:00Z',
  '1767225600',
  '',
];

function objectBreaks(document: ApiDocument, schema: Schema, value: Holder, random: Random): Break[] {
  const breaks: Break[] = [];
  const extra = random.pick(['extra', 'identity', 'status2', 'platformId', 'isAdmin', 'toString', 'hasOwnProperty', '']);
  breaks.push({ what: `unknown field ${JSON.stringify(extra)}`, apply: () => put(value, extra, 'x') });
  const defaults = (schema['properties'] ?? {}) as Record<string, Schema>;
  for (const name of (schema['required'] as string[] | undefined) ?? []) {
    if (name in value && defaults[name]?.['default'] === undefined)
      breaks.push({ what: `${name} missing`, apply: () => void delete value[name] });
  }
  for (const [name, needed] of Object.entries((schema['dependentRequired'] ?? {}) as Record<string, string[]>)) {
    for (const other of needed)
      if (name in value && other in value) breaks.push({ what: `${other} missing`, apply: () => void delete value[other] });
  }
  const shape = variantOf(document, schema, value);
  for (const [name, inner] of Object.entries((shape['properties'] ?? {}) as Record<string, Schema>)) {
    // What is read-only is ignored, whatever it holds.
    if (name in value && inner['readOnly'] !== true) breaks.push(...breaksOf(document, inner, value, name, random));
  }
  if (shape !== schema) breaks.push(...objectBreaks(document, shape, value, random));
  return breaks;
}

/** The variant of a union that the value belongs to, by its constants. */
function variantOf(document: ApiDocument, schema: Schema, value: Holder): Schema {
  const variants = (schema['oneOf'] ?? schema['anyOf']) as Schema[] | undefined;
  if (!variants || schema['properties']) return schema;
  const agrees = (variant: Schema): boolean =>
    Object.entries((variant['properties'] ?? {}) as Record<string, Schema>).every(([name, source]) => {
      const { const: only, enum: listed } = document.resolve(source) as { const?: unknown; enum?: unknown[] };
      return (
        !(name in value) ||
        (only === undefined && (listed === undefined || listed.length > 1)) ||
        only === value[name] ||
        listed?.includes(value[name])
      );
    });
  return variants.map((variant) => document.resolve(variant)).find(agrees) ?? schema;
}
