// Reads CSV as RFC 4180 describes it, in pieces: rows come with the byte after them, so that reading can go on there later. Strict about
// quotes, lenient about line ends. A row is bounded, and rows are made one by one as they are asked for, so a file cannot fill the memory.

export type CsvProblem = 'malformed' | 'not_utf8' | 'too_long';

export type CsvRow = {
  readonly cells: readonly string[];
  /** Why the row cannot be read; it has no cells then. */
  readonly problem?: CsvProblem;
  /** The line of the file on which the row begins, from 1. */
  readonly line: number;
  /** Where the next row begins, in bytes from the start of the file. */
  readonly nextByte: number;
  readonly nextLine: number;
};

export type CsvPosition = { readonly byte: number; readonly line: number };

export const MAX_ROW_BYTES = 64 * 1024;

const [QUOTE, LF, CR] = [0x22, 0x0a, 0x0d];
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What is longer than this is too long, whatever follows: a mark before the first row and a CR behind a row do not count. */
const HELD_BYTES = MAX_ROW_BYTES + BOM.length + 1;

export type CsvReader = {
  /** The rows that are complete with these bytes. All of them are to be taken before the next bytes are given. */
  push(bytes: Buffer): Generator<CsvRow>;
  /** The last row, if the file does not end with a line break. */
  end(): Generator<CsvRow>;
};

/** Blank lines are skipped. Within a row that cannot be read, reading goes on after the line break that ends it. */
export function createCsvReader(from: CsvPosition = { byte: 0, line: 1 }): CsvReader {
  let rest: Buffer = Buffer.alloc(0);
  let { byte, line } = from;
  /** What was read and forgotten of a row that is too long. */
  let dropped = NOTHING;

  const take = (length: number, skipped: number): CsvRow | undefined => {
    const first = byte === 0 && rest.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
    const raw = rest.subarray(first, length);
    const row = dropped.bytes > 0 ? TOO_LONG : rowOf(raw[raw.length - 1] === CR ? raw.subarray(0, -1) : raw);
    const [at, lines] = [line, dropped.lines + countOf(LF, rest.subarray(0, length)) + skipped];
    rest = rest.subarray(length + skipped);
    byte += dropped.bytes + length + skipped;
    line += lines;
    dropped = NOTHING;
    return row && { ...row, line: at, nextByte: byte, nextLine: line };
  };

  /** Blank lines one by one would take as long as rows: a file of them holds nothing and would hold up other work. */
  const skipBlank = (): void => {
    if (dropped.bytes > 0) return;
    let [length, lines] = [0, 0];
    for (;;) {
      const end = rest[length] === CR ? length + 1 : length;
      if (rest[end] !== LF) break;
      length = end + 1;
      lines += 1;
    }
    rest = rest.subarray(length);
    byte += length;
    line += lines;
  };

  const nextEnd = (): number => {
    skipBlank();
    return rowEnd(rest, dropped.isQuoted);
  };

  const drop = (): void => {
    dropped = {
      bytes: dropped.bytes + rest.length,
      lines: dropped.lines + countOf(LF, rest),
      isQuoted: dropped.isQuoted !== hasOddQuotes(rest),
    };
    rest = Buffer.alloc(0);
  };

  return {
    *push(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      for (let end = nextEnd(); end >= 0; end = nextEnd()) {
        const row = take(end, 1);
        if (row) yield row;
      }
      if (dropped.bytes > 0 || rest.length > HELD_BYTES) drop();
    },
    *end() {
      if (dropped.bytes === 0 && rest.length === 0) return;
      const row = take(rest.length, 0);
      if (row) yield row;
    },
  };
}

const NOTHING = { bytes: 0, lines: 0, isQuoted: false };

/**
 * The line break that ends the first row: the first one with an even number of quotes before it. -1 if the row is not complete.
 * `isQuoted`: the bytes begin within quotes.
 */
function rowEnd(bytes: Buffer, isQuoted: boolean): number {
  let isInside = isQuoted;
  let from = 0;
  for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, end + 1)) {
    // Only the line is searched: a file without quotes would be searched to its end for each of its rows.
    if (hasOddQuotes(bytes.subarray(from, end))) isInside = !isInside;
    from = end + 1;
    if (!isInside) return end;
  }
  return -1;
}

function countOf(value: number, bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(value); at >= 0; at = bytes.indexOf(value, at + 1)) count += 1;
  return count;
}

const hasOddQuotes = (bytes: Buffer): boolean => countOf(QUOTE, bytes) % 2 === 1;

type Parsed = Pick<CsvRow, 'cells' | 'problem'>;

const TOO_LONG: Parsed = { cells: [], problem: 'too_long' };

/** Undefined for a blank line. */
function rowOf(bytes: Buffer): Parsed | undefined {
  if (bytes.length === 0) return undefined;
  if (bytes.length > MAX_ROW_BYTES) return TOO_LONG;
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { cells: [], problem: 'not_utf8' };
  }
  if (text.includes('\u0000')) return { cells: [], problem: 'not_utf8' };
  const cells = text.includes('"') ? splitQuoted(text) : text.split(',');
  return cells ? { cells } : { cells: [], problem: 'malformed' };
}

/** A cell in quotes with its comma or end, or a cell without any quote. */
const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|$)/y;

function splitQuoted(text: string): string[] | undefined {
  const cells: string[] = [];
  CELL.lastIndex = 0;
  for (;;) {
    const match = CELL.exec(text);
    if (!match) return undefined;
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '') return cells;
  }
}
