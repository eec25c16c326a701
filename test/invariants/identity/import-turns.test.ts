// An import takes turns with other work: it stops when its turn is over, also while it counts its rows, and goes on where it was.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from '../../../src/db/sql.js';
import { continueImports, type ImportDeps } from '../../../src/domains/identity/imports/actions.js';
import { idOf, type PlatformId } from '../../../src/kernel/ids.js';
import { createFiles } from '../../../src/providers/files/files.js';
import { createKeyCustody } from '../../../src/providers/key-custody.js';
import { expectStatus } from '../../support/client.js';
import { COLUMNS, csvOf, jobOf, uploadCsv } from '../../support/imports.js';
import { startOwnService, type TestService } from '../../support/service.js';

const key = randomBytes(32);
let service: TestService;
let platformId: PlatformId;
before(async () => {
  service = await startOwnService({ ROLE: 'api', KEY_ENCRYPTION_KEY: key.toString('base64') });
  const row = await service.db.one<{ id: string }>(sql`select id from platforms`);
  platformId = idOf('Platform', row?.id ?? '');
});
after(() => service.stop());

/** A turn of the worker that is over once it has begun. The rows of these files are all bad, so nobody is created and only files are read. */
const takeTurn = () => {
  const deps = { files: createFiles(service.db, createKeyCustody([key])) } as ImportDeps;
  let asked = 0;
  return continueImports(service.db, deps, platformId, new Date(), () => {
    asked += 1;
    return asked > 1;
  });
};

test('counting stops when the turn is over and goes on there; every row is counted and reported once, in its line', async () => {
  const rows = 1_700;
  const bad = `,,${'x'.repeat(500)}\n`.repeat(rows);
  const { platform } = service;
  const { jobId } = await expectStatus(202, uploadCsv(platform, `\ufeff\n${COLUMNS}\n\n${bad}`));

  const totals: number[] = [];
  for (let turns = 0; turns < 20; turns += 1) {
    assert.ok((await takeTurn()) > 0, 'a turn does something');
    const { status, progress } = await jobOf(platform, jobId);
    if (status !== 'PENDING') break;
    totals.push(progress.total);
  }
  assert.deepEqual(totals, [500, 1_000, 1_500]);

  while ((await jobOf(platform, jobId)).completedAt === undefined) await takeTurn();
  const job = await jobOf(platform, jobId);
  assert.deepEqual([job.status, job.progress], ['FAILED', { total: rows, processed: rows, successful: 0, failed: rows }]);
  assert.deepEqual(
    job.errors.map(({ details }: { details: { row: number } }) => details.row),
    Array.from({ length: rows }, (_, i) => i + 4),
  );
});

test('a file of one turn is counted, imported and ended as before', async () => {
  const { jobId } = await expectStatus(202, uploadCsv(service.platform, csvOf([',,'])));
  await takeTurn();
  assert.deepEqual((await jobOf(service.platform, jobId)).progress, { total: 1, processed: 1, successful: 0, failed: 1 });
});
