// Reading CSV in pieces.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type CsvRow, createCsvReader, MAX_ROW_BYTES } from '../../../src/kernel/csv.js';

function read(bytes: Buffer, pieceBytes = bytes.length || 1, from?: { byte: number; line: number }): CsvRow[] {
  const reader = createCsvReader(from);
  const rows: CsvRow[] = [];
  for (let at = from?.byte ?? 0; at < bytes.length; at += pieceBytes) rows.push(...reader.push(bytes.subarray(at, at + pieceBytes)));
  return [...rows, ...reader.end()];
}
const cells = (text: string) => read(Buffer.from(text)).map((row) => row.problem ?? row.cells);

describe('rows', () => {
  test('commas, quotes, quoted commas, quotes and line breaks, LF and CRLF, with and without a last line break', () => {
    assert.deepEqual(cells('a,b\n1,2\n'), [
      ['a', 'b'],
      ['1', '2'],
    ]);
    assert.deepEqual(cells('a,b\r\n1,2'), [
      ['a', 'b'],
      ['1', '2'],
    ]);
    assert.deepEqual(cells('"a, ""b""","x\r\ny",\n'), [['a, "b"', 'x\r\ny', '']]);
    assert.deepEqual(cells(',\n,,'), [
      ['', ''],
      ['', '', ''],
    ]);
    assert.deepEqual(cells('\n\r\na\n\n'), [['a']], 'blank lines are skipped');
    assert.deepEqual(cells(''), []);
  });
  test('a byte order mark is not part of the first cell', () => {
    assert.deepEqual(cells('\ufeffa,b\n'), [['a', 'b']]);
    assert.deepEqual(cells('\ufeff"a",b\n'), [['a', 'b']]);
  });
  test('lines are counted as an editor shows them', () => {
    const rows = read(Buffer.from('h\n\n"x\ny"\nz'));
    assert.deepEqual(
      rows.map(({ line }) => line),
      [1, 3, 5],
    );
  });
  test('blank lines cost no more than reading them: a file of them holds up no other work', () => {
    const blank = Buffer.alloc(256 * 1024, '\r\n\n\n');
    const reader = createCsvReader();
    const began = performance.now();
    for (let i = 0; i < 64; i += 1) assert.deepEqual([...reader.push(blank)], []);
    const took = performance.now() - began;
    const [row] = reader.push(Buffer.from('a\n'));
    assert.deepEqual([row?.cells, row?.line, row?.nextByte], [['a'], 64 * 192 * 1024 + 1, 64 * blank.length + 2]);
    assert.ok(took < 2_000, `took ${took} ms`);
  });
  test('a row that cannot be read is named; the rows after it are read', () => {
    assert.deepEqual(cells('a\nx"y"\nb'), [['a'], 'malformed', ['b']]);
    assert.deepEqual(cells('"a"b\nc'), ['malformed', ['c']]);
    assert.deepEqual(cells('a\0b\nc'), ['not_utf8', ['c']]);
    assert.deepEqual(
      read(Buffer.from([0xff, 0xfe, 0x61, 0x0a, 0x62])).map((row) => row.problem ?? row.cells),
      ['not_utf8', ['b']],
    );
  });
  test('a quote that never closes takes the rest of the file', () => {
    const rows = read(Buffer.from(`a\n"open\n${'x\n'.repeat(MAX_ROW_BYTES)}b`), 10_000);
    assert.deepEqual(
      rows.map((row) => row.problem ?? row.cells),
      [['a'], 'too_long'],
    );
    assert.deepEqual(cells('a\n"open\nb'), [['a'], 'malformed']);
  });
  test('a row that is too long costs itself alone, also if it arrives in pieces', () => {
    const long = 'x'.repeat(MAX_ROW_BYTES + 1);
    for (const row of [long, `"${long}"`, `"${long}\n""${long}",y`, `"${long}\n${long}\n${long}"`])
      for (const pieceBytes of [1_000, 2 * MAX_ROW_BYTES, 1024 * 1024]) {
        const text = `a\r\n${row}\r\n"b\nc"\r\nd`;
        const rows = read(Buffer.from(text), pieceBytes);
        assert.deepEqual(
          rows.map((each) => each.problem ?? each.cells),
          [['a'], 'too_long', ['b\nc'], ['d']],
        );
        const lines = row.split('\n').length;
        assert.deepEqual(
          rows.map(({ line, nextByte }) => ({ line, nextByte })),
          [
            { line: 1, nextByte: 3 },
            { line: 2, nextByte: text.indexOf('"b\n') },
            { line: 2 + lines, nextByte: text.length - 1 },
            { line: 4 + lines, nextByte: text.length },
          ],
        );
      }
  });
  test('a row is too long from one byte beyond the limit on, however it is cut', () => {
    for (const pieceBytes of [1_000, MAX_ROW_BYTES, 1024 * 1024])
      for (const eol of ['\n', '\r\n', '']) {
        const fits = read(Buffer.from(`${'x'.repeat(MAX_ROW_BYTES)}${eol}`), pieceBytes);
        assert.deepEqual(
          fits.map(({ problem, cells: [only] }) => problem ?? only?.length),
          [MAX_ROW_BYTES],
        );
        const beyond = read(Buffer.from(`${'x'.repeat(MAX_ROW_BYTES + 1)}${eol}`), pieceBytes);
        assert.deepEqual(
          beyond.map(({ problem, nextByte }) => ({ problem, nextByte })),
          [{ problem: 'too_long', nextByte: MAX_ROW_BYTES + 1 + eol.length }],
        );
      }
  });
});

const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', ' ', '=', '😀'), maxLength: 6 });
const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 8 });
const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;
/** Quotes only where it must, or always. */
const write = (rows: readonly (readonly string[])[], always: boolean, eol: string): string =>
  rows
    .map((row) => row.map((value) => (always || /[",\r\n]/.test(value) || row.length === 1 ? quoted(value) : value)).join(',') + eol)
    .join('');

test('what is written is read back, however it is cut', () => {
  fc.assert(
    fc.property(table, fc.boolean(), fc.constantFrom('\n', '\r\n'), fc.integer({ min: 1, max: 20 }), (rows, always, eol, pieceBytes) => {
      const bytes = Buffer.from(write(rows, always, eol));
      assert.deepEqual(
        read(bytes, pieceBytes).map((row) => row.problem ?? row.cells),
        rows,
      );
    }),
    { numRuns: Number(process.env['CSV_ROUNDS'] ?? 300) },
  );
});

test('reading can go on after any row', () => {
  fc.assert(
    fc.property(table, fc.integer({ min: 1, max: 20 }), (rows, pieceBytes) => {
      const bytes = Buffer.from(write(rows, false, '\n'));
      const all = read(bytes);
      for (const [i, row] of all.entries())
        assert.deepEqual(read(bytes, pieceBytes, { byte: row.nextByte, line: row.nextLine }), all.slice(i + 1));
    }),
    { numRuns: 100 },
  );
});

test('any bytes are read without an error of ours', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const all = read(Buffer.from(bytes));
      assert.ok(all.every((row) => row.nextByte <= bytes.length));
    }),
    { numRuns: 300 },
  );
});
