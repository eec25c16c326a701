// Lists as parameters in PostgreSQL's binary form: nothing is quoted here and nothing is parsed there.
import { assert } from '../kernel/errors.js';

/** The types whose lists travel in binary form, with the numbers by which PostgreSQL knows them. */
const TYPES = {
  uuid: { oid: 2950, write: writeUuid },
  text: { oid: 25, write: writeText },
  bigint: { oid: 20, write: writeBigint },
  int: { oid: 23, write: writeInt },
  smallint: { oid: 21, write: writeSmallint },
  boolean: { oid: 16, write: writeBoolean },
  timestamptz: { oid: 1184, write: writeTime },
  json: { oid: 114, write: writeJson },
  jsonb: { oid: 3802, write: writeJsonb },
} as const;

export type ListType = keyof typeof TYPES;
export type ElementOf<Type extends ListType> = Parameters<(typeof TYPES)[Type]['write']>[0];

/** Dimensions, whether there are nulls, type of the elements, number of elements, first subscript. */
const HEAD = 20;

/** Grows to the longest list. Its content is copied before anything else runs. */
let scratch = Buffer.allocUnsafe(64 * 1024);

/** Makes room for so many bytes after `at`. */
function reserve(at: number, bytes: number): void {
  if (at + bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafe(Math.max(scratch.length * 2, at + bytes));
  scratch.copy(larger, 0, 0, at);
  scratch = larger;
}

/** The list as a parameter of type `type[]`. Null and undefined are the null of SQL. */
export function binaryList(type: ListType, values: readonly unknown[]): Buffer {
  const { oid, write } = TYPES[type];
  let hasNull = 0;
  let at = HEAD;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i];
    if (value === null || value === undefined) {
      hasNull = 1;
      reserve(at, 4);
      scratch.writeInt32BE(-1, at);
      at += 4;
      continue;
    }
    reserve(at, 24);
    const bytes = write(value as never, at + 4);
    scratch.writeInt32BE(bytes, at);
    at += 4 + bytes;
  }
  scratch.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  scratch.writeInt32BE(hasNull, 4);
  scratch.writeInt32BE(oid, 8);
  scratch.writeInt32BE(values.length, 12);
  scratch.writeInt32BE(1, 16);
  return Buffer.from(scratch.subarray(0, values.length === 0 ? 12 : at));
}

// Each writes one element at a place, and answers its length in bytes. There is room for a number or a uuid; a text makes its own.

/** Refuses what is no uuid: its bytes would be those of another one. */
function writeUuid(value: string, at: number): number {
  let place = at;
  let seen = 0;
  for (let i = 0; i < value.length && place < at + 16; i += 2) {
    if (value.charCodeAt(i) === HYPHEN) i += 1;
    const byte = (digit(value.charCodeAt(i)) << 4) | digit(value.charCodeAt(i + 1));
    seen |= byte;
    scratch[place] = byte;
    place += 1;
  }
  assert(value.length === 36 && place === at + 16 && seen <= 0xff, 'a list of uuids holds nothing else');
  return 16;
}

const HYPHEN = 45;
const NO_DIGIT = 0x100;

/** Of 0-9, a-f and A-F. */
const digit = (code: number): number => DIGITS[code] ?? NO_DIGIT;
const DIGITS: readonly number[] = Array.from({ length: 128 }, (_, code) => {
  const place = '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase());
  return place === -1 ? NO_DIGIT : place;
});

function writeText(value: string, at: number): number {
  // A character takes three bytes at most.
  reserve(at, value.length * 3);
  return scratch.write(value, at);
}

function writeBigint(value: bigint | number | string, at: number): number {
  scratch.writeBigInt64BE(BigInt(value), at);
  return 8;
}

function writeInt(value: number, at: number): number {
  scratch.writeInt32BE(value, at);
  return 4;
}

function writeSmallint(value: number, at: number): number {
  scratch.writeInt16BE(value, at);
  return 2;
}

function writeBoolean(value: boolean, at: number): number {
  scratch[at] = value ? 1 : 0;
  return 1;
}

const YEAR_2000 = Date.UTC(2000, 0, 1);

/** Microseconds since 2000. */
function writeTime(value: Date, at: number): number {
  scratch.writeBigInt64BE(BigInt(value.getTime() - YEAR_2000) * 1_000n, at);
  return 8;
}

function writeJson(value: unknown, at: number): number {
  return writeText(JSON.stringify(value), at);
}

/** The first byte is the version of the format. */
function writeJsonb(value: unknown, at: number): number {
  scratch[at] = 1;
  return 1 + writeText(JSON.stringify(value), at + 1);
}
