// A strict JSON reader for untrusted input. JSON.parse keeps the last of duplicate keys, rounds large integers and accepts any depth; this
// reader refuses all three. A text in which none of them can occur is read by JSON.parse.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

export class JsonProblem extends Error {
  /** The member with an unusable number, in dot notation; undefined where the text itself is not JSON. */
  readonly field: string | undefined;
  constructor(message: string, field?: string) {
    super(message);
    this.field = field;
  }
}

const MAX_DEPTH = 32;
const MAX_MEMBERS = 1_000;
const NUMBER = /-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new JsonProblem('is not valid UTF-8');
  }
}

/** Parses one JSON text, or throws a JsonProblem that says what is wrong. */
export function parseJson(text: string): Json {
  const quick = parseQuickly(text);
  return quick === undefined ? parseStrictly(text) : quick;
}

/**
 * The value of a text that JSON.parse certainly reads like the strict reader, at less than half its cost; undefined for every other text.
 * Most bodies are such a text: without escapes, fractions, long numbers, deep nesting, repeated or forbidden names.
 */
function parseQuickly(text: string): Json | undefined {
  const names = countNames(text);
  if (names === undefined) return undefined;
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // Of a repeated name JSON.parse keeps one, so fewer are left than the text has.
  return countAllowedNames(value) === names ? value : undefined;
}

/** Longer numbers may not be exact. */
const MAX_PLAIN_DIGITS = 15;

const QUOTE = 0x22;
const COMMA = 0x2c;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const LARGE_E = 0x45;
const LIST = 0x5b;
const BACKSLASH = 0x5c;
const SMALL_E = 0x65;
const OBJECT = 0x7b;

/** How many member names the text has, if it is JSON at all; undefined if it has anything that the two readers may read differently. */
function countNames(text: string): number | undefined {
  if (text.includes('\\') || !text.isWellFormed()) return undefined;
  let names = 0;
  let nested = 0;
  let members = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE) {
      digits += 1;
      if (digits > MAX_PLAIN_DIGITS) return undefined;
      continue;
    }
    const isInNumber = digits > 0;
    digits = 0;
    switch (code) {
      case QUOTE:
        at = text.indexOf('"', at + 1);
        if (at < 0) return undefined;
        break;
      case COLON:
        names += 1;
        break;
      case COMMA:
        members += 1;
        break;
      case OBJECT:
      case LIST:
        nested += 1;
        break;
      case DOT:
        return undefined;
      case SMALL_E:
      case LARGE_E:
        if (isInNumber) return undefined;
        break;
    }
  }
  return nested <= MAX_DEPTH - 1 && nested + members <= MAX_MEMBERS ? names : undefined;
}

/** How many member names the value has; undefined if one of them is forbidden. */
function countAllowedNames(value: Json): number | undefined {
  if (value === null || typeof value !== 'object') return 0;
  let names = 0;
  for (const name of Array.isArray(value) ? [] : Object.keys(value)) {
    if (FORBIDDEN_KEYS.has(name)) return undefined;
    names += 1;
  }
  for (const member of Object.values(value)) {
    if (member === null || typeof member !== 'object') continue;
    const inside = countAllowedNames(member);
    if (inside === undefined) return undefined;
    names += inside;
  }
  return names;
}

/** The strict reader: what it refuses is refused, whatever JSON.parse makes of it. */
export function parseStrictly(text: string): Json {
  let at = 0;
  let members = 0;

  const path: (string | number)[] = [];
  const fail = (what: string): never => {
    throw new JsonProblem(`${what} at position ${at}`);
  };
  const failNumber = (what: string): never => {
    throw new JsonProblem(what, path.join('.'));
  };
  const space = () => {
    while (at < text.length && (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t')) at += 1;
  };
  const expect = (literal: string) => {
    if (!text.startsWith(literal, at)) fail('unexpected character');
    at += literal.length;
  };
  const count = () => {
    members += 1;
    if (members > MAX_MEMBERS) fail('too many members');
  };

  const number = (): number => {
    NUMBER.lastIndex = at;
    const match = NUMBER.exec(text);
    if (!match) return fail('unexpected character');
    at += match[0].length;
    const value = Number(match[0]);
    if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) failNumber('is beyond what can be read exactly');
    const [, whole = '', fraction = '', exponent = '0'] = match;
    // A fraction so fine that it would vanish must not pass for a whole number.
    const places = fraction.length - Number(exponent);
    if (places > 0 && Number.isInteger(value) && /[1-9]/.test((whole + fraction).slice(-places)))
      failNumber('has more digits than can be read exactly');
    return value;
  };

  const string = (): string => {
    expect('"');
    let out = '';
    for (;;) {
      PLAIN.lastIndex = at;
      const plain = PLAIN.exec(text)?.[0] ?? '';
      out += plain;
      at += plain.length;
      const next = text[at];
      if (next === '"') break;
      if (next !== '\\') return fail('unterminated or raw control character in string');
      const mark = text[at + 1] ?? '';
      if (mark === 'u') {
        const hex = text.slice(at + 2, at + 6);
        if (!/^[0-9a-fA-F]{4}$/.test(hex)) return fail('bad escape');
        out += String.fromCharCode(Number.parseInt(hex, 16));
        at += 6;
      } else {
        const plainEscape = ESCAPES[mark];
        if (plainEscape === undefined) return fail('bad escape');
        out += plainEscape;
        at += 2;
      }
    }
    at += 1;
    if (out.includes('\u0000')) fail('NUL in string');
    if (!out.isWellFormed()) fail('lone surrogate in string');
    return out;
  };

  const value = (depth: number): Json => {
    if (depth > MAX_DEPTH) fail('nested too deeply');
    switch (text[at]) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"':
        return string();
      case 't':
        expect('true');
        return true;
      case 'f':
        expect('false');
        return false;
      case 'n':
        expect('null');
        return null;
      default:
        return number();
    }
  };

  const array = (depth: number): Json[] => {
    const out: Json[] = [];
    at += 1;
    space();
    if (text[at] === ']') {
      at += 1;
      return out;
    }
    for (;;) {
      space();
      count();
      path.push(out.length);
      out.push(value(depth + 1));
      path.pop();
      space();
      if (text[at] === ']') break;
      expect(',');
    }
    at += 1;
    return out;
  };

  const object = (depth: number): { [key: string]: Json } => {
    const out: { [key: string]: Json } = {};
    at += 1;
    space();
    if (text[at] === '}') {
      at += 1;
      return out;
    }
    for (;;) {
      space();
      count();
      if (text[at] !== '"') fail('member name expected');
      const key = string();
      if (FORBIDDEN_KEYS.has(key)) fail('forbidden member name');
      if (Object.hasOwn(out, key)) fail('duplicate member');
      space();
      expect(':');
      space();
      path.push(key);
      out[key] = value(depth + 1);
      path.pop();
      space();
      if (text[at] === '}') break;
      expect(',');
    }
    at += 1;
    return out;
  };

  space();
  const parsed = value(1);
  space();
  if (at !== text.length) fail('unexpected text after the value');
  return parsed;
}

/** Deeper than anything that the service accepts or writes, and far from where the stack ends. */
const MAX_STORED_DEPTH = 64;
/** More than the service writes into one text, and read within a tenth of a second. A text of many small values takes far longer than one of long strings. */
const MAX_STORED_VALUES = 250_000;

/** The value of a text that says it was written by the service. What renders, compares and stores it works by recursion, so its depth is bounded. */
export function parseBounded(text: string): unknown {
  if (hasMoreValues(text, MAX_STORED_VALUES)) throw new JsonProblem('too many values');
  const value: unknown = JSON.parse(text);
  if (isDeeperThan(value, MAX_STORED_DEPTH)) throw new JsonProblem('nested too deeply');
  return value;
}

/** By the marks between values, before any value is made. */
function hasMoreValues(text: string, max: number): boolean {
  let values = 0;
  let isInText = false;
  for (let at = 0; at < text.length && values <= max; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInText = !isInText;
    else if (isInText) at += code === BACKSLASH ? 1 : 0;
    else if (code === COMMA || code === LIST || code === OBJECT) values += 1;
  }
  return values > max;
}

const isDeeperThan = (value: unknown, depth: number): boolean =>
  typeof value === 'object' && value !== null && (depth === 0 || Object.values(value).some((member) => isDeeperThan(member, depth - 1)));

/** The same text for the same value, whatever the order of members: what a body hash is taken over. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
}
