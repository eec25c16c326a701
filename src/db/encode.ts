// Parameters of statements, in the text form of PostgreSQL.
import { momentText } from './moment.js';

// The driver quotes and escapes every element of every array. Most of what we send in lists needs neither, and lists are the hot path.
const PLAIN_ELEMENT = /^[\w:.+-]+$/;

/** A parameter as the driver takes it. */
export function encode(value: unknown): unknown {
  if (Array.isArray(value)) return encodeArray(value);
  return value instanceof Date ? momentText(value) : value;
}

function encodeArray(values: readonly unknown[]): string {
  let out = '{';
  for (let i = 0; i < values.length; i += 1) {
    if (i > 0) out += ',';
    out += encodeElement(values[i]);
  }
  return `${out}}`;
}

function encodeElement(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return PLAIN_ELEMENT.test(value) && value.toUpperCase() !== 'NULL' ? value : quoted(value);
    case 'bigint':
    case 'number':
    case 'boolean':
      return String(value);
    case 'undefined':
      return 'NULL';
    default:
      if (value === null) return 'NULL';
      if (value instanceof Date) return quoted(momentText(value));
      if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString('hex')}"`;
      if (Array.isArray(value)) return encodeArray(value);
      return quoted(JSON.stringify(value));
  }
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
