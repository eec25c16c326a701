// What a file is, by its first and last bytes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sniffFile } from '../../../src/kernel/file-kind.js';
import { jpeg, pdf, png } from '../../support/multipart.js';

const sniff = (bytes: Buffer) => sniffFile({ head: bytes.subarray(0, 4096), tail: bytes.subarray(-4096), isOversized: false });
const zipEnd = Buffer.concat([Buffer.from('504b0506', 'hex'), Buffer.alloc(18)]);

test('PDF, JPEG and PNG are known by their beginning, PDF and PNG also by their end', () => {
  assert.deepEqual([pdf(), jpeg(), png()].map(sniff), ['application/pdf', 'image/jpeg', 'image/png']);
  for (const bytes of [pdf(), png()]) assert.equal(sniff(bytes.subarray(0, -20)), undefined);
  assert.equal(sniff(Buffer.concat([Buffer.from(' '), pdf()])), undefined, 'the first byte counts');
});

describe('a file that is also something else is MIXED', () => {
  for (const [name, bytes] of Object.entries({
    'a PDF with a ZIP behind it': Buffer.concat([pdf(), zipEnd, Buffer.from('%%EOF')]),
    'a JPEG with a ZIP behind it': Buffer.concat([jpeg(), zipEnd]),
    'a JPEG with a PDF in it': Buffer.concat([jpeg(), pdf()]),
    'a PNG with a script in it': Buffer.concat([png().subarray(0, 40), Buffer.from('<ScRiPt>'), png().subarray(40)]),
    'a PDF that is also a web page': Buffer.from('%PDF-1.7 <!DOCTYPE html> %%EOF'),
    'a JPEG that is also PHP': Buffer.concat([jpeg(), Buffer.from('<?php')]),
  }))
    test(name, () => assert.equal(sniff(bytes), 'MIXED'));
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
