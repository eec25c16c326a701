// The filters of PDF streams: decoding in pieces of any size, and what packed data is recognised by.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { ascii85, asciiHex, type Decoder, filtersOf, lzwCounter } from '../../../src/kernel/pdf-filters.js';

const decoded = (decoder: Decoder, text: string, pieceBytes: number): string => {
  const bytes = Buffer.from(text, 'latin1');
  const pieces = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(decoder.decode(bytes.subarray(at, at + pieceBytes)));
  return Buffer.concat(pieces).toString('latin1');
};

describe('ASCII85', () => {
  for (const [text, expected] of [
    ['87cURD]i,"Ebo80~>', 'Hello World!'],
    ['<~87cURD]i,"Ebo80~>', 'Hello World!'],
    [' < ~ 87cUR\n\0D]i,"Eb o80 ~ >', 'Hello World!'],
    ['9jqo^~>', 'Man '],
    ['9jqo~>', 'Man'],
    ['9jn~>', 'Ma'],
    ['z9jqo^', '\0\0\0\0Man '],
    ['<<<<<~>', 'U\x02\x04\xbf'],
    ['9jqo^v9jqo^', 'Man '],
    ['~>9jqo^', ''],
  ] as const)
    test(JSON.stringify(text), () => {
      for (const pieceBytes of [1, 2, 100]) assert.equal(decoded(ascii85(), text, pieceBytes), expected, `pieces of ${pieceBytes}`);
    });

  test('a group of more than 32 bits ends it', () => {
    const decoder = ascii85();
    assert.deepEqual([decoder.decode(Buffer.from('uuuuu')).length, decoder.isOver()], [0, true]);
  });
});

describe('ASCIIHex', () => {
  for (const [text, expected] of [
    ['4d616E20>', 'Man '],
    ['4 d\n61 6e2>', 'Man '],
    ['4d61x6e', 'Ma'],
  ] as const)
    test(JSON.stringify(text), () => {
      for (const pieceBytes of [1, 2, 100]) assert.equal(decoded(asciiHex(), text, pieceBytes), expected, `pieces of ${pieceBytes}`);
    });
});

describe('LZW', () => {
  test('the example of the PDF specification is ten bytes long', () => {
    const counter = lzwCounter(1);
    const example = Buffer.from('800b6050220c0c8501', 'hex');
    assert.equal(
      [...example].reduce((sum, byte) => sum + counter.count(Buffer.from([byte])), 0),
      10,
    );
    assert.deepEqual([counter.isOver(), counter.firstTwo()], [true, [45, -1]]);
  });

  test('a code that is not in the table ends it', () => {
    const counter = lzwCounter(1);
    assert.deepEqual([counter.count(Buffer.from('807fffffff', 'hex')), counter.isOver()], [0, true]);
  });
});

describe('packed data is recognised by its first bytes', () => {
  const packed = deflateSync(Buffer.alloc(100));
  const cases: readonly [string, Buffer, readonly string[]][] = [
    ['Flate', packed, ['FLATE']],
    ['Flate as hexadecimal digits', Buffer.from(packed.toString('hex')), ['ASCII_HEX']],
    ['Flate as ASCII85', Buffer.from('GhQ+3c3'), ['ASCII85']],
    ['Flate as ASCII85 with its mark', Buffer.from('<~GhQ+3'), ['ASCII85']],
    ['LZW', Buffer.from('800b6050220c0c', 'hex'), ['LZW', 'LZW_LATE']],
    ['a page', Buffer.from('q 1 0 0 1 0 0 cm'), []],
    ['an end', Buffer.from('endobj\n'), []],
    ['a JPEG', Buffer.from('ffd8ffe0001042', 'hex'), []],
  ];
  for (const [name, head, expected] of cases) test(name, () => assert.deepEqual(filtersOf(head.subarray(0, 7)), expected));
});
