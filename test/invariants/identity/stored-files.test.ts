// Stored files: what is read is what was written, chunks open in their place only, and abandoned uploads are swept.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from '../../../src/db/sql.js';
import { idOf, type PlatformId, uuidOf } from '../../../src/kernel/ids.js';
import { CHUNK_BYTES, type ReceivedFile, TAIL_BYTES } from '../../../src/providers/files/file.js';
import { createFiles } from '../../../src/providers/files/files.js';
import { deleteAbandonedUploads } from '../../../src/providers/files/store.js';
import { createKeyCustody } from '../../../src/providers/key-custody.js';
import { startOwnService, type TestService } from '../../support/service.js';

const now = new Date('2026-01-01T00:00:00Z');
let service: TestService;
let files: ReturnType<typeof createFiles>;
let platformId: PlatformId;
before(async () => {
  service = await startOwnService({ ROLE: 'api' });
  files = createFiles(service.db, createKeyCustody([randomBytes(32)]));
  const row = await service.db.one<{ id: string }>(sql`select id from platforms`);
  platformId = idOf('Platform', row?.id ?? '');
});
after(() => service.stop());

const named = { fileName: 'f', contentType: 'application/pdf' };
const keep = (file: ReceivedFile) => service.db.transaction(async (tx) => files.keep(tx, platformId, file, now));
const rows = async () => Number((await service.db.one<{ count: bigint }>(sql`select count(*) from stored_files`))?.count);

async function read(id: ReceivedFile['id'], fromChunk = 0): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of files.read(service.db, platformId, id, fromChunk)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('what is read is what was written, for every size around the chunks', async () => {
  const sizes = fc.constantFrom(0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 4 * CHUNK_BYTES, 5 * CHUNK_BYTES, 9 * CHUNK_BYTES + 7);
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1_000, max: 300_000 }), async (size, pieceBytes) => {
      const content = randomBytes(size);
      const writer = files.receive(platformId);
      for (let at = 0; at < size; at += pieceBytes) await writer.write(content.subarray(at, at + pieceBytes));
      const file = await writer.end(named);
      assert.deepEqual([file.size, file.tail], [size, content.subarray(-TAIL_BYTES)]);
      await keep(file);
      await writer.discard();
      assert.ok((await read(file.id)).equals(content), 'a kept file outlives its request');
      if (size > CHUNK_BYTES) assert.ok((await read(file.id, 1)).equals(content.subarray(CHUNK_BYTES)));
    }),
    { numRuns: Number(process.env['FILE_ROUNDS'] ?? 12) },
  );
});

test('a chunk in another place, or of another file, does not open', async () => {
  const [one, other] = await Promise.all(
    [1, 2].map(async () => {
      const writer = files.receive(platformId);
      await writer.write(randomBytes(2 * CHUNK_BYTES));
      const file = await writer.end(named);
      await keep(file);
      return file;
    }),
  );
  assert.ok(one && other);
  const swap = async (target: string, from: string, fromSequence: number) => {
    const chunk = await service.db.one<{ bytes: Buffer }>(
      sql`select bytes from stored_file_chunks where file_id = ${from} and sequence = ${fromSequence}`,
    );
    await service.db.run(sql`update stored_file_chunks set bytes = ${chunk?.bytes} where file_id = ${target} and sequence = 0`);
  };
  await swap(uuidOf(one.id), uuidOf(one.id), 1);
  await assert.rejects(read(one.id));
  await swap(uuidOf(one.id), uuidOf(other.id), 0);
  await assert.rejects(read(one.id));
  await service.db.run(sql`delete from stored_file_chunks where file_id = ${uuidOf(other.id)} and sequence = 1`);
  await assert.rejects(read(other.id), /no chunk of a file is missing/);
});

test('an upload that nobody keeps leaves nothing, at once or, after a kill, with the sweep', async () => {
  const before = await rows();
  const refused = files.receive(platformId);
  await refused.write(randomBytes(6 * CHUNK_BYTES));
  assert.equal(await rows(), before + 1, 'full chunks are written while the rest arrives');
  await refused.discard();
  assert.equal(await rows(), before);

  const killed = files.receive(platformId);
  await killed.write(randomBytes(6 * CHUNK_BYTES));
  const sweep = () => deleteAbandonedUploads(service.db, platformId, new Date(), 100);
  assert.equal(await sweep(), 0, 'it may still be arriving');
  await service.db.run(sql`update stored_files set received_at = now() - interval '2 hours'`);
  assert.equal(await sweep(), 1, 'kept files are never swept');
  assert.equal(await rows(), before);
});

test('a rolled-back transaction keeps no file', async () => {
  const before = await rows();
  const writer = files.receive(platformId);
  await writer.write(randomBytes(6 * CHUNK_BYTES + 1));
  const file = await writer.end(named);
  await assert.rejects(
    service.db.transaction(async (tx) => {
      files.keep(tx, platformId, file, now);
      throw new Error('refused');
    }),
  );
  await writer.discard();
  assert.equal(await rows(), before);
});
