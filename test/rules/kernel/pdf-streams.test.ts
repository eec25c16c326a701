// What the compressed streams of a PDF unpack to, found while the file passes in pieces of any size.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { deflateRawSync, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { createPdfScan, type UnpackLimits } from '../../../src/kernel/pdf-streams.js';

const LIMITS: UnpackLimits = { maxBytes: 100_000, maxStreams: 20, maxOpen: 3, maxLayers: 3 };
const zeros = (bytes: number) => Buffer.alloc(bytes);
const packed = (bytes: Buffer, layers = 1): Buffer => (layers === 0 ? bytes : packed(deflateSync(bytes), layers - 1));

/** A PDF with these streams. */
const pdfWith = (streams: readonly Buffer[], lineEnd = '\n'): Buffer =>
  Buffer.concat([
    Buffer.from('%PDF-1.7\n'),
    ...streams.flatMap((data, i) => [
      Buffer.from(`${i + 1} 0 obj <</Filter /Fl#61teDecode /Length ${data.length}>> stream${lineEnd}`),
      data,
      Buffer.from('\nendstream endobj\n'),
    ]),
    Buffer.from('%%EOF\n'),
  ]);

async function isOversized(content: Buffer, pieceBytes = content.length): Promise<boolean> {
  const scan = createPdfScan(LIMITS);
  for (let at = 0; at < content.length; at += pieceBytes) await scan.add(content.subarray(at, at + pieceBytes));
  await scan.end();
  return scan.isOversized();
}

/** A stored block of deflate: its content stands in the file as it is. */
const stored = (bytes: Buffer): Buffer => deflateSync(bytes, { level: 0 });

/** Zeros as LZW packs them: each code stands for one byte more than the one before, until the table is full. */
function lzwZeros(bytes: number, earlyChange: 0 | 1, [first, second]: readonly number[] = [0, 0]): Buffer {
  let bits = '';
  let [next, width, length, done] = [4096, 9, 0, 0];
  const emit = (code: number) => {
    bits += code.toString(2).padStart(width, '0');
  };
  while (done < bytes) {
    if (next >= 4095) {
      emit(256);
      [next, width, length] = [258, 9, 1];
      emit(first ?? 0);
      if (second !== first) emit(second ?? 0);
    } else {
      emit(next);
      length += 1;
      next += 1;
      if (width < 12 && next + earlyChange >= 2 ** width) width += 1;
    }
    done += length;
  }
  return Buffer.from(bits.match(/.{1,8}/g)?.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)) ?? []);
}

const hex = (bytes: Buffer): Buffer => Buffer.from(`${bytes.toString('hex').replaceAll(/.{60}/g, '$&\n')}>`);

function ascii85(bytes: Buffer, mark = ''): Buffer {
  let text = mark;
  for (let at = 0; at < bytes.length; at += 4) {
    const group = Buffer.concat([bytes.subarray(at, at + 4), Buffer.alloc(4)]).readUInt32BE();
    const digits = [4, 3, 2, 1, 0].map((power) => String.fromCharCode(33 + (Math.floor(group / 85 ** power) % 85))).join('');
    text += digits.slice(0, bytes.subarray(at, at + 4).length + 1);
  }
  return Buffer.from(`${text}~>`);
}

describe('unpacks to more than is allowed', () => {
  for (const [name, content] of Object.entries({
    'one stream of one byte too many': pdfWith([packed(zeros(LIMITS.maxBytes + 1))]),
    'many streams together': pdfWith(Array.from({ length: 11 }, () => packed(zeros(10_000)))),
    'a stream that is packed twice': pdfWith([packed(zeros(200_000), 2)]),
    'a stream that is packed more often than allowed': pdfWith([packed(zeros(1_000), 4)]),
    'a stream without its end': pdfWith([packed(zeros(200_000))]).subarray(0, 200),
    'a stream after CR LF': pdfWith([packed(zeros(200_000))], '\r\n'),
    'a stream after a damaged one': pdfWith([Buffer.concat([packed(zeros(100)).subarray(0, 4), randomBytes(50)]), packed(zeros(200_000))]),
    'a stream inside the bytes of another': pdfWith([stored(pdfWith([packed(zeros(200_000))]))]),
    'a packed stream as hexadecimal digits': pdfWith([hex(packed(zeros(200_000)))]),
    'a packed stream as ASCII85': pdfWith([ascii85(packed(zeros(200_000)))]),
    'a packed stream as ASCII85 with its mark, after white space': pdfWith([
      Buffer.concat([Buffer.alloc(300, ' '), ascii85(packed(zeros(200_000)), '<~')]),
    ]),
    'a packed stream as ASCII85, packed again': pdfWith([packed(ascii85(packed(zeros(200_000))))]),
    'a stream of LZW': pdfWith([lzwZeros(200_000, 1)]),
    'a stream of LZW whose codes grow late': pdfWith([lzwZeros(200_000, 0)]),
    'a stream of LZW as ASCII85': pdfWith([ascii85(lzwZeros(200_000, 1))]),
    'packed data inside LZW': pdfWith([lzwZeros(1_000, 1, [0x78, 0x9c])]),
    'more streams than allowed': pdfWith(Array.from({ length: 21 }, () => packed(zeros(10)))),
  }))
    test(name, async () => {
      for (const pieceBytes of [1, 2, 7, 64, content.length])
        assert.equal(await isOversized(content, pieceBytes), true, `pieces of ${pieceBytes}`);
    });
});

describe('is allowed', () => {
  for (const [name, content] of Object.entries({
    'exactly as many bytes as allowed': pdfWith([packed(zeros(LIMITS.maxBytes))]),
    'a stream that is packed twice, both layers counted': pdfWith([packed(zeros(90_000), 2)]),
    'streams that are not packed': pdfWith([Buffer.from('BT (stream) Tj ET'), randomBytes(500)]),
    'streams of every filter that stay below': pdfWith([
      hex(packed(zeros(9_000))),
      ascii85(packed(zeros(9_000))),
      lzwZeros(9_000, 1),
      lzwZeros(9_000, 0),
      Buffer.from('800b6050220c0c8501', 'hex'),
    ]),
    'the word stream in a text': Buffer.from('%PDF-1.7\n(stream\nstream\r\nxstream\n)\n%%EOF'),
    'damaged streams': pdfWith([Buffer.concat([packed(zeros(100)).subarray(0, 6), randomBytes(50)]), deflateRawSync(zeros(200_000))]),
    'no stream at all': Buffer.from('%PDF-1.7\n%%EOF'),
  }))
    test(name, async () => {
      for (const pieceBytes of [1, 7, content.length])
        assert.equal(await isOversized(content, pieceBytes), false, `pieces of ${pieceBytes}`);
    });
});

test('how a file is cut into pieces changes nothing', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 60_000 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 300 }),
      async (sizes, pieceBytes) => {
        const content = pdfWith(sizes.map((size) => packed(zeros(size))));
        const unpacked = sizes.reduce((sum, size) => sum + size, 0);
        assert.equal(await isOversized(content, pieceBytes), unpacked > LIMITS.maxBytes);
      },
    ),
    { numRuns: 40 },
  ));

test('no more streams are open at once than allowed', async () => {
  const nested = pdfWith([1, 2, 3, 4].reduce((inner) => [stored(pdfWith(inner))], [packed(zeros(10))]));
  assert.equal(await isOversized(nested, 16), true, 'five streams that begin inside each other');
  assert.equal(await isOversized(pdfWith([stored(pdfWith([stored(pdfWith([packed(zeros(10))]))]))]), 16), false, 'three');
});
