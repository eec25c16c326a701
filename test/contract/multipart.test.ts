// Reading multipart/form-data: what is read, what is refused, and that nothing of a refused form is kept.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import Type from 'typebox';
import { FilePart, formReader, type Upload } from '../../src/http/multipart.js';
import { Closed } from '../../src/http/schemas.js';
import { ApiError, type ErrorCode } from '../../src/kernel/errors.js';
import type { FileWriter, ReceivedFile } from '../../src/providers/files/file.js';
import { formOf, type Part } from '../support/multipart.js';

const Schema = Closed({ file: FilePart(), kind: Type.String({ minLength: 1 }), note: Type.Optional(Type.String({ maxLength: 5 })) });
const LIMITS = { maxFileBytes: 1_000, maxRequestBytes: 30_000 };

/** Keeps the bytes of files in memory. */
function memory() {
  const open = new Set<Buffer[]>();
  const discarded: Buffer[][] = [];
  const receive = (): FileWriter => {
    const pieces: Buffer[] = [];
    open.add(pieces);
    return {
      write: async (bytes) => void pieces.push(Buffer.from(bytes)),
      end: async ({ fileName, contentType }): Promise<ReceivedFile> => {
        const all = Buffer.concat(pieces);
        const sha256 = createHash('sha256').update(all).digest();
        return { id: 'File:x', fileName, contentType, size: all.length, sha256, head: all, tail: all, isOversized: false };
      },
      discard: async () => {
        open.delete(pieces);
        discarded.push(pieces);
      },
    };
  };
  return { receive, open, discarded };
}

type Sent = { readonly body: Buffer; readonly headers?: Record<string, string>; readonly pieceBytes?: number };

function uploadOf({ body, headers = {}, pieceBytes = 64 * 1024 }: Sent): Upload {
  const pieces = Array.from({ length: Math.ceil(body.length / pieceBytes) }, (_, i) => body.subarray(i * pieceBytes, (i + 1) * pieceBytes));
  return Object.assign(Readable.from(pieces, { objectMode: false }), { headers });
}

const read = formReader(Schema, LIMITS);
const send = (parts: readonly Part[], pieceBytes?: number) => {
  const { body, contentType } = formOf(parts);
  return uploadOf({ body, headers: { 'content-type': contentType }, ...(pieceBytes && { pieceBytes }) });
};

const file: Part = { name: 'file', value: Buffer.from('%PDF-1.7'), fileName: 'a.pdf', contentType: 'application/pdf' };
const kind: Part = { name: 'kind', value: 'PASSPORT' };

/** The refusal and the fields it names. Nothing that arrived is left. */
async function refusal(upload: Upload, code: ErrorCode = 'INVALID_INPUT'): Promise<Record<string, string>> {
  const { receive, open } = memory();
  const error = await read(upload, receive).then(
    () => assert.fail('the form was read'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError, String(error));
  assert.equal(error.code, code);
  assert.equal(open.size, 0, 'nothing is kept');
  const errors = (error.details?.['errors'] ?? []) as { field: string; message: string }[];
  return Object.fromEntries(errors.map(({ field, message }) => [field, message]));
}

describe('a form that is read', () => {
  test('gives texts as text and the file with its name, type, size and hash, in any order of parts', async () => {
    for (const parts of [
      [file, kind],
      [kind, file],
    ]) {
      const { body } = await read(send(parts), memory().receive);
      const { kind: text, file: received } = body as { kind: string; file: ReceivedFile };
      assert.equal(text, 'PASSPORT');
      assert.deepEqual([received.fileName, received.contentType, received.size], ['a.pdf', 'application/pdf', 8]);
      assert.deepEqual(received.sha256, createHash('sha256').update('%PDF-1.7').digest());
    }
  });

  test('is the same however the network cuts it', async () => {
    const content = fc.uint8Array({ maxLength: 900 });
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1, max: 300 }), async (bytes, pieceBytes) => {
        const value = Buffer.from(bytes);
        const { body } = await read(send([kind, { ...file, value }], pieceBytes), memory().receive);
        assert.deepEqual((body['file'] as ReceivedFile).head, value);
      }),
      { numRuns: 50 },
    );
  });

  test('takes a file of exactly the limit', async () => {
    const { body } = await read(send([kind, { ...file, value: Buffer.alloc(1_000) }]), memory().receive);
    assert.equal((body['file'] as ReceivedFile).size, 1_000);
  });

  test('keeps the base name of the file, without paths and control characters', async () => {
    const names = { '../../etc/passwd': 'passwd', 'C:\\\\temp\\\\pass.pdf': 'pass.pdf', 'Führerschein\u202e.pdf': 'Führerschein.pdf' };
    for (const [fileName, expected] of Object.entries(names)) {
      const { body } = await read(send([kind, { ...file, fileName }]), memory().receive);
      assert.equal((body['file'] as ReceivedFile).fileName, expected);
    }
  });

  test('takes free names where the schema is open, and drops files without an owner', async () => {
    const readOpen = formReader(Type.Object({}, { additionalProperties: true }), { ...LIMITS, maxFiles: 2 });
    const parts = [
      { name: 'owners.0.lastName', value: 'Doe' },
      { ...file, name: 'documents.0.file' },
      { ...file, name: 'documents.1.file' },
    ];
    const { body } = await readOpen(send(parts), memory().receive);
    assert.deepEqual(Object.keys(body), ['owners.0.lastName', 'documents.0.file', 'documents.1.file']);
    assert.deepEqual((await readOpen(send(parts), undefined)).body, { 'owners.0.lastName': 'Doe' });
  });
});

describe('a form that is refused', () => {
  test('names every field that is missing, unknown, repeated, too long or not text', async () => {
    assert.deepEqual(
      await refusal(
        send([
          { name: 'extra', value: 'x' },
          { name: 'note', value: 'too long' },
        ]),
      ),
      {
        extra: 'is not a field of this request',
        file: 'is required',
        kind: 'is required',
        note: 'must NOT have more than 5 characters',
      },
    );
    assert.deepEqual(await refusal(send([file, kind, kind])), { kind: 'is given more than once' });
    assert.deepEqual(await refusal(send([file, { name: 'kind', value: Buffer.from('a\0b') }])), { kind: 'is not UTF-8 text' });
    assert.deepEqual(await refusal(send([file, { name: 'kind', value: Buffer.from([0xff, 0xfe]) }])), { kind: 'is not UTF-8 text' });
    assert.deepEqual(await refusal(send([file, { name: 'kind', value: 'x'.repeat(17_000) }])), { kind: 'is longer than 16384 bytes' });
  });

  test('names a file where text belongs, text where a file belongs, and a second file', async () => {
    assert.deepEqual(await refusal(send([file, { ...file, name: 'kind' }])), { kind: 'is one file more than the 1 allowed' });
    assert.deepEqual(await refusal(send([{ ...file, name: 'kind' }, file])), { kind: 'must be text, not a file' });
    assert.deepEqual(await refusal(send([kind, { name: 'file', value: 'text' }])), { file: 'must be a file' });
    assert.deepEqual(await refusal(send([kind, file, file])), { file: 'is given more than once' });
  });

  test('one byte above the limit of a file names the file', async () => {
    assert.deepEqual(await refusal(send([kind, { ...file, value: Buffer.alloc(1_001) }])), { file: 'is larger than 1000 bytes' });
  });

  test('a request above its limit is refused as a whole, declared or not', async () => {
    const { body, contentType } = formOf([kind, { ...file, value: Buffer.alloc(31_000) }]);
    const headers = { 'content-type': contentType };
    await refusal(uploadOf({ body, headers: { ...headers, 'content-length': String(body.length) } }), 'PAYLOAD_TOO_LARGE');
    await refusal(uploadOf({ body, headers, pieceBytes: 500 }), 'PAYLOAD_TOO_LARGE');
  });

  test('a body that ends early is refused at every byte', async () => {
    const { body, contentType } = formOf([kind, file]);
    for (let length = 0; length < body.length - 4; length += 1)
      await refusal(uploadOf({ body: body.subarray(0, length), headers: { 'content-type': contentType }, pieceBytes: 40 }));
  });

  test('too many parts, no boundary, another media type, an encoded body', async () => {
    const many = Array.from({ length: 60 }, (_, i) => ({ name: `n${i}`, value: '' }));
    assert.match((await refusal(send([file, kind, ...many])))[''] ?? '', /too many parts|more than 32 fields/);
    const { body, contentType } = formOf([kind, file]);
    assert.match((await refusal(uploadOf({ body, headers: { 'content-type': 'multipart/form-data' } })))[''] ?? '', /boundary/);
    await refusal(uploadOf({ body, headers: { 'content-type': 'application/json' } }), 'UNSUPPORTED_MEDIA_TYPE');
    await refusal(uploadOf({ body, headers: { 'content-type': contentType, 'content-encoding': 'gzip' } }), 'UNSUPPORTED_MEDIA_TYPE');
    assert.match((await refusal(uploadOf({ body: Buffer.alloc(0), headers: {} })))[''] ?? '', /body is required/);
  });

  test('a store that fails fails the request with its own error', async () => {
    const failing = (): FileWriter => ({ ...memory().receive(), write: () => Promise.reject(new ApiError('SERVICE_UNAVAILABLE')) });
    await assert.rejects(read(send([file, kind], 30), failing), { code: 'SERVICE_UNAVAILABLE' });
  });

  test('a store that fails later, while more bytes of the file wait for it, fails the request as well', { timeout: 10_000 }, async () => {
    const large = formReader(Schema, { maxFileBytes: 4_000_000, maxRequestBytes: 5_000_000 });
    const failsLate = (): FileWriter => ({
      ...memory().receive(),
      write: () => new Promise((_, reject) => setTimeout(() => reject(new ApiError('SERVICE_UNAVAILABLE')), 50)),
    });
    for (const pieceBytes of [10_000, 64 * 1024, 1_000_000])
      await assert.rejects(large(send([{ ...file, value: Buffer.alloc(3_000_000) }, kind], pieceBytes), failsLate), {
        code: 'SERVICE_UNAVAILABLE',
      });
  });

  test('bytes that are no form at all are refused, never an error of ours', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        await refusal(uploadOf({ body: Buffer.from(bytes), headers: { 'content-type': 'multipart/form-data; boundary=x' } }));
      }),
      { numRuns: 50 },
    );
  });
});
