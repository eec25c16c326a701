// What a file is, by its first and last bytes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sniffFile } from '../../../src/kernel/file-kind.js';
import { TAIL_BYTES } from '../../../src/providers/files/file.js';
import { jpeg, pdf, png } from '../../support/multipart.js';

const sniff = (bytes: Buffer) => sniffFile({ head: bytes.subarray(0, 4096), tail: bytes.subarray(-TAIL_BYTES), isOversized: false });
const zipEnd = Buffer.concat([Buffer.from('504b0506', 'hex'), Buffer.alloc(18)]);
const zipWithComment = (bytes: number) => Buffer.concat([zipEnd, Buffer.alloc(bytes, ' ')]);

test('PDF, JPEG and PNG are known by their beginning, PDF and PNG also by their end', () => {
  assert.deepEqual([pdf(), jpeg(), png()].map(sniff), ['application/pdf', 'image/jpeg', 'image/png']);
  for (const bytes of [pdf(), png()]) assert.equal(sniff(bytes.subarray(0, -20)), undefined);
  assert.equal(sniff(Buffer.concat([Buffer.from(' '), pdf()])), undefined, 'the first byte counts');
});

describe('a file that is also something else is MIXED', () => {
  for (const [name, bytes] of Object.entries({
    'a PDF with a ZIP behind it': Buffer.concat([pdf(), zipEnd, Buffer.from('%%EOF')]),
    'a JPEG with a ZIP behind it': Buffer.concat([jpeg(), zipEnd]),
    'a JPEG with a ZIP and its longest comment behind it': Buffer.concat([jpeg(), zipWithComment(65_535)]),
    'a PDF with a ZIP whose comment ends like a PDF': Buffer.concat([pdf(), zipWithComment(9_000), Buffer.from('%%EOF')]),
    'a JPEG with a PDF in it': Buffer.concat([jpeg(), pdf()]),
    'a PNG with a script in it': Buffer.concat([png().subarray(0, 40), Buffer.from('<ScRiPt>'), png().subarray(40)]),
    'a PDF that is also a web page': Buffer.from('%PDF-1.7 <!DOCTYPE html> %%EOF'),
    'a JPEG that is also PHP': Buffer.concat([jpeg(), Buffer.from('<?php')]),
  }))
    test(name, () => assert.equal(sniff(bytes), 'MIXED'));
});

test('the mark of a ZIP archive alone is chance, and the end of a PDF is in its last 4 kB', () => {
  const chance = Buffer.from('504b050600000000010002000000', 'hex');
  assert.equal(sniff(Buffer.concat([jpeg(), chance, jpeg()])), 'image/jpeg');
  assert.equal(sniff(Buffer.concat([jpeg(), Buffer.from('504b0506', 'hex')])), 'image/jpeg');
  assert.equal(sniff(Buffer.concat([pdf(), Buffer.alloc(4_080)])), 'application/pdf');
  assert.equal(sniff(Buffer.concat([pdf(), Buffer.alloc(4_096)])), undefined);
});

test('any bytes get an answer', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const random = Buffer.from(bytes);
      assert.ok([undefined, 'MIXED', 'image/jpeg', 'application/pdf', 'image/png'].includes(sniff(random)));
    }),
    { numRuns: 200 },
  );
});
