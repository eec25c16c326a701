// The filters of PDF streams beside Flate, and how packed data is recognised by its first bytes. Pure.

/** `LZW_LATE` is LZW with /EarlyChange 0. */
export type Filter = 'FLATE' | 'ASCII85' | 'ASCII_HEX' | 'LZW' | 'LZW_LATE';

/** Bytes in, bytes out, in pieces. */
export type Decoder = { decode(bytes: Buffer): Buffer; isOver(): boolean };

/** The length of what comes out is counted, the bytes are not made. */
export type Counter = {
  /** How many bytes come out of these. */
  count(bytes: Buffer): number;
  isOver(): boolean;
  /** The first two bytes that come out, if they are known by themselves. */
  firstTwo(): readonly number[];
};

// ---- recognising

/** White space may stand before packed data and within texts. A table, because a file may hold hundreds of megabytes of it. */
const WHITE = new Uint8Array(256);
for (const byte of [0x00, 0x09, 0x0a, 0x0c, 0x0d, 0x20]) WHITE[byte] = 1;

export const isWhite = (byte: number | undefined): boolean => byte !== undefined && WHITE[byte] === 1;

/** What must be there, after white space, before packed data is recognised: the mark of ASCII85 and a group of it. */
export const RECOGNISED_BY = 7;

/** RFC 1950: deflate, a window of at most 32 kB, no preset dictionary, and a checksum over both bytes. */
export const isZlib = (first: number | undefined, second: number | undefined): boolean =>
  first !== undefined &&
  second !== undefined &&
  (first & 0x0f) === 8 &&
  first >> 4 <= 7 &&
  (second & 0x20) === 0 &&
  (first * 256 + second) % 31 === 0;

/** LZW begins with the code that clears the table, in nine bits. */
const isLzw = (first: number | undefined, second: number | undefined): boolean => first === 0x80 && second !== undefined && second < 0x80;

const isPacked = (bytes: Buffer): boolean => isZlib(bytes[0], bytes[1]) || isLzw(bytes[0], bytes[1]);

/** What the data may be packed with. More than one: the texts of two filters can look alike. */
export function filtersOf(head: Buffer): Filter[] {
  const [first, second] = head;
  if (isZlib(first, second)) return isText(head) ? ['FLATE', ...textFiltersOf(head)] : ['FLATE'];
  if (isLzw(first, second)) return ['LZW', 'LZW_LATE'];
  return isText(head) ? textFiltersOf(head) : [];
}

const isText = (head: Buffer): boolean => head.every((byte) => byte < 0x80);

const textFiltersOf = (head: Buffer): Filter[] => [
  ...(isPacked(asciiHex().decode(head)) ? (['ASCII_HEX'] as const) : []),
  ...(isPacked(ascii85().decode(head)) ? (['ASCII85'] as const) : []),
];

// ---- texts

const [TILDE, LESS, GREATER, ZERO_GROUP] = [0x7e, 0x3c, 0x3e, 0x7a];
const FIRST_DIGIT = 0x21;
const BASE = 85;
const GROUP = 5;

/** Five digits are four bytes. The mark `<~` in front is optional. */
export function ascii85(): Decoder {
  let digits = 0;
  let value = 0;
  let isBegun = false;
  let isOver = false;
  return {
    isOver: () => isOver,
    decode(bytes) {
      const out = Buffer.allocUnsafe(bytes.length * 4 + 4);
      let length = 0;
      for (const byte of bytes) {
        if (isOver) break;
        if (WHITE[byte] === 1) continue;
        // `<` is a digit, too: it begins the mark only together with the tilde.
        if (!isBegun && byte === TILDE && digits === 1) {
          [digits, value, isBegun] = [0, 0, true];
          continue;
        }
        if (byte !== LESS || digits > 0) isBegun = true;
        const digit = byte - FIRST_DIGIT;
        if (byte === ZERO_GROUP && digits === 0) {
          out.writeUInt32BE(0, length);
          length += 4;
        } else if (digit < 0 || digit >= BASE) {
          // The mark of the end, with a group that is not full; or no digit.
          if (byte === TILDE && digits > 1) {
            for (let filled = digits; filled < GROUP; filled += 1) value = value * BASE + (BASE - 1);
            out.writeUInt32BE(value % 2 ** 32, length);
            length += digits - 1;
          }
          isOver = true;
        } else {
          value = value * BASE + digit;
          digits += 1;
          if (digits < GROUP) continue;
          if (value >= 2 ** 32) isOver = true;
          else {
            out.writeUInt32BE(value, length);
            length += 4;
          }
          [digits, value] = [0, 0];
        }
      }
      return out.subarray(0, length);
    },
  };
}

const hexValue = (byte: number): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
};

export function asciiHex(): Decoder {
  let high = -1;
  let isOver = false;
  return {
    isOver: () => isOver,
    decode(bytes) {
      const out = Buffer.allocUnsafe(bytes.length / 2 + 1);
      let length = 0;
      for (const byte of bytes) {
        if (isOver) break;
        if (WHITE[byte] === 1) continue;
        const value = hexValue(byte);
        if (value < 0) {
          if (byte === GREATER && high >= 0) length = out.writeUInt8(high * 16, length);
          isOver = true;
        } else if (high < 0) high = value;
        else {
          length = out.writeUInt8(high * 16 + value, length);
          high = -1;
        }
      }
      return out.subarray(0, length);
    },
  };
}

// ---- LZW

const [CLEAR, END] = [256, 257];
const FIRST_ENTRY = 258;
const TABLE = 4096;
const [SHORTEST_CODE, LONGEST_CODE] = [9, 12];

/** Each entry of the table stands for the text of an earlier code and one byte more, so lengths are enough to count what comes out. */
export function lzwCounter(earlyChange: 0 | 1): Counter {
  const lengths = new Uint16Array(TABLE).fill(1, 0, CLEAR);
  const firstTwo: number[] = [];
  let next = FIRST_ENTRY;
  let width = SHORTEST_CODE;
  let previous = 0;
  let bits = 0;
  let held = 0;
  let isOver = false;

  /** The length of the text of a code. */
  const lengthOf = (code: number): number => {
    if (code === CLEAR) {
      [next, width, previous] = [FIRST_ENTRY, SHORTEST_CODE, 0];
      return 0;
    }
    const isKnown = code < CLEAR || (code > END && (code < next || (code === next && previous > 0)));
    if (!isKnown || (previous === 0 && code > END)) {
      isOver = true;
      return 0;
    }
    if (firstTwo.length < 2) firstTwo.push(code < CLEAR ? code : -1);
    if (previous > 0 && next < TABLE) {
      lengths[next] = previous + 1;
      next += 1;
    }
    previous = lengths[code] ?? 0;
    while (width < LONGEST_CODE && next + earlyChange >= 2 ** width) width += 1;
    return previous;
  };

  return {
    isOver: () => isOver,
    firstTwo: () => firstTwo,
    count(bytes) {
      let total = 0;
      for (const byte of bytes) {
        bits = ((bits << 8) | byte) & 0xfffff;
        held += 8;
        if (held < width || isOver) continue;
        held -= width;
        total += lengthOf((bits >> held) & (2 ** width - 1));
      }
      return total;
    },
  };
}
