// Bulk imports: the file is stored with the job; a worker counts its rows, then creates them in batches, each in one transaction with the
// progress.
import { setImmediate } from 'node:timers/promises';
import type { Db, Tx } from '../../../db/pool.js';
import { type CsvRow, createCsvReader } from '../../../kernel/csv.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import { newId, type PlatformId } from '../../../kernel/ids.js';
import { CHUNK_BYTES, type Files, type ReceivedFile } from '../../../providers/files/file.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import { type CustomerDeps, createCustomers } from '../customers/actions.js';
import type { CustomerDraft } from '../customers/customer.js';
import type { ImportError, ImportJob, ImportJobId } from './import-job.js';
import {
  advance,
  fileError,
  finish,
  headerProblem,
  MAX_ERRORS,
  MAX_EVENT_ERRORS,
  refusalError,
  refuseTooLarge,
  requestOf,
  rowError,
  unreadable,
} from './rules.js';
import { parseRow, renderJob } from './schemas.js';
import { findDueJobs, findErrors, findJob, insertErrors, insertJob, lockJobAt, type NewError, saveJob } from './store.js';

export type ImportDeps = CustomerDeps & { readonly files: Files };

/** Rows per transaction: large enough to share its cost, small enough to hold locks briefly. */
export const BATCH_ROWS = 500;
/** Rows per statement: while PostgreSQL writes one part of a batch, this process prepares the next one. */
const PART_ROWS = 100;
/** How long a turn of the worker takes at most, so that imports do not hold up other jobs. */
const TURN_MS = 2_000;

const START: ImportJob['next'] = { byte: 0, line: 1 };

export function startImport(
  tx: Tx,
  { files }: Pick<ImportDeps, 'files'>,
  { platformId, file, now }: { platformId: PlatformId; file: ReceivedFile; now: Date },
): ImportJob {
  refuseTooLarge(file.size);
  const job: ImportJob = {
    id: newId('Job'),
    status: 'PENDING',
    fileId: file.id,
    columns: null,
    next: START,
    total: 0,
    successful: 0,
    failed: 0,
    createdAt: now,
    completedAt: null,
  };
  files.keep(tx, platformId, file, now);
  insertJob(tx, platformId, job);
  return job;
}

/** The import with its refused rows, or 404. */
export async function getImport(
  tx: Pick<Tx, 'one' | 'many'>,
  platformId: PlatformId,
  id: ImportJobId | undefined,
): Promise<{ job: ImportJob; errors: readonly ImportError[] }> {
  const job = id && (await findJob(tx, platformId, id));
  if (!job) throw new ApiError('BULK_UPLOAD_JOB_NOT_FOUND');
  return { job, errors: await findErrors(tx, platformId, job.id, MAX_ERRORS) };
}

/** Goes on with the imports that are due. Returns the number of rows and files done, 0 for none; the rest stays due. */
export async function continueImports(db: Db, deps: ImportDeps, platformId: PlatformId, now: Date, isOver: () => boolean): Promise<number> {
  const began = performance.now();
  const turn: Turn = { now, isOver: () => isOver() || performance.now() - began >= TURN_MS };
  let done = 0;
  let failure: unknown;
  for (const job of await findDueJobs(db, platformId, now)) {
    if (turn.isOver()) break;
    try {
      done += await continueImport(db, deps, platformId, job, turn);
    } catch (error) {
      // An import that fails does not stop those behind it.
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return done;
}

type Turn = { readonly now: Date; readonly isOver: () => boolean };

async function continueImport(db: Db, deps: ImportDeps, platformId: PlatformId, job: ImportJob, turn: Turn): Promise<number> {
  if (job.columns) return importRows(db, deps, platformId, job, turn);
  const opened = await openImport(db, deps, platformId, job, turn);
  if (opened === 'TAKEN') return 0;
  return opened === 'ENDED' || opened === 'COUNTING' ? 1 : 1 + (await importRows(db, deps, platformId, opened, turn));
}

/** The rows of the file from where the import is, chunk by chunk. One chunk of the file is in memory. */
async function* rowsOf(
  db: Db,
  { files }: Pick<ImportDeps, 'files'>,
  platformId: PlatformId,
  { fileId, next }: ImportJob,
): AsyncGenerator<Iterable<CsvRow>> {
  assert(fileId, 'an import that has not ended has its file');
  const reader = createCsvReader(next);
  let skipped = next.byte % CHUNK_BYTES;
  for await (const chunk of files.read(db, platformId, fileId, Math.floor(next.byte / CHUNK_BYTES))) {
    yield reader.push(chunk.subarray(skipped));
    skipped = 0;
  }
  yield reader.end();
}

async function readHeader(db: Db, deps: ImportDeps, platformId: PlatformId, job: ImportJob): Promise<CsvRow | undefined> {
  for await (const rows of rowsOf(db, deps, platformId, { ...job, next: START })) for (const row of rows) return row;
  return undefined;
}

const behind = ({ nextByte, nextLine }: CsvRow): ImportJob['next'] => ({ byte: nextByte, line: nextLine });

/** Counts the rows from where the import is. Counting a large file takes more than one turn. */
async function countRows(
  db: Db,
  deps: ImportDeps,
  platformId: PlatformId,
  job: ImportJob,
  { isOver }: Turn,
): Promise<{ readonly counted: ImportJob; readonly isWhole: boolean }> {
  let counted = job;
  for await (const rows of rowsOf(db, deps, platformId, job)) {
    for (const row of rows) {
      counted = { ...counted, next: behind(row), total: counted.total + 1 };
      if (counted.total % BATCH_ROWS > 0) continue;
      // A chunk may hold a hundred thousand rows. Requests are answered in between.
      await setImmediate();
      if (isOver()) return { counted, isWhole: false };
    }
  }
  return { counted, isWhole: true };
}

/** Reads the header and counts the rows. `TAKEN`: another process has the import. `COUNTING`: the turn was over before. */
async function openImport(
  db: Db,
  deps: ImportDeps,
  platformId: PlatformId,
  job: ImportJob,
  turn: Turn,
): Promise<ImportJob | 'ENDED' | 'TAKEN' | 'COUNTING'> {
  const header = await readHeader(db, deps, platformId, job);
  const unreadableHeader = headerProblem(header);
  const from = header && job.next.byte === 0 ? { ...job, next: behind(header) } : job;
  const { counted, isWhole } = unreadableHeader ? { counted: from, isWhole: true } : await countRows(db, deps, platformId, from, turn);
  const problem = unreadableHeader ?? (isWhole && counted.total === 0 ? { reason: 'no_rows' as const } : undefined);

  return db.transaction(async (tx) => {
    const locked = await lockJobAt(tx, platformId, job);
    if (!locked) return 'TAKEN';
    if (problem || !header) {
      insertErrors(tx, platformId, job.id, [{ line: 1, error: fileError(problem ?? { reason: 'no_rows' }) }]);
      await endImport(tx, deps, platformId, locked, turn.now);
      return 'ENDED';
    }
    const reached: ImportJob = { ...locked, next: counted.next, total: counted.total };
    const opened: ImportJob = isWhole ? { ...reached, status: 'PROCESSING', columns: header.cells, next: behind(header) } : reached;
    saveJob(tx, platformId, opened);
    return isWhole ? opened : 'COUNTING';
  });
}

/** Creates the next rows. Returns how many were done. */
async function importRows(db: Db, deps: ImportDeps, platformId: PlatformId, job: ImportJob, turn: Turn): Promise<number> {
  let current = job;
  let done = 0;
  let batch: CsvRow[] = [];
  for await (const rows of rowsOf(db, deps, platformId, job)) {
    for (const row of rows) {
      batch.push(row);
      if (batch.length < BATCH_ROWS) continue;
      const after = await importBatch(db, deps, platformId, current, batch, turn.now);
      // Another process has gone on with it.
      if (!after) return done;
      current = after;
      done += batch.length;
      batch = [];
      if (turn.isOver()) return done;
    }
  }
  const after = batch.length > 0 ? await importBatch(db, deps, platformId, current, batch, turn.now) : current;
  if (!after) return done;
  await db.transaction(async (tx) => {
    const locked = await lockJobAt(tx, platformId, after);
    if (locked) await endImport(tx, deps, platformId, locked, turn.now);
  });
  return done + batch.length + 1;
}

/** One transaction. If an unexpected error fails it, its rows are tried one by one, so that one row stops nothing. */
async function importBatch(
  db: Db,
  deps: ImportDeps,
  platformId: PlatformId,
  job: ImportJob,
  rows: readonly CsvRow[],
  now: Date,
): Promise<ImportJob | undefined> {
  try {
    return await db.transaction((tx) => createRows(tx, deps, platformId, job, rows, now));
  } catch (error) {
    // The database is away: the job goes on when it is back.
    if (error instanceof ApiError) throw error;
    if (rows.length === 1) return db.transaction((tx) => refuseRow(tx, platformId, job, rows));
    let current: ImportJob | undefined = job;
    for (const row of rows) current = current && (await importBatch(db, deps, platformId, current, [row], now));
    return current;
  }
}

type Outcome = { readonly row: CsvRow; readonly draft?: CustomerDraft; readonly error?: ImportError };

function readRow(columns: readonly string[], row: CsvRow): Outcome {
  const error = unreadable(columns, row);
  if (error) return { row, error };
  const { request, problems } = requestOf(columns, row);
  const draft = parseRow(request);
  if (problems.length > 0) return { row, error: rowError(columns, row, problems, draft instanceof ApiError ? draft : undefined) };
  return draft instanceof ApiError ? { row, error: refusalError(columns, row, draft) } : { row, draft };
}

async function createRows(
  tx: Tx,
  deps: ImportDeps,
  platformId: PlatformId,
  job: ImportJob,
  rows: readonly CsvRow[],
  now: Date,
): Promise<ImportJob | undefined> {
  const locked = await lockJobAt(tx, platformId, job);
  if (!locked) return undefined;
  const columns = locked.columns ?? [];
  const parts = await allOf(partsOf(rows).map((part) => createPart(tx, deps, platformId, columns, part, now)));
  return saveStep(tx, platformId, locked, rows, parts.flat());
}

const partsOf = (rows: readonly CsvRow[]): (readonly CsvRow[])[] =>
  Array.from({ length: Math.ceil(rows.length / PART_ROWS) }, (_, i) => rows.slice(i * PART_ROWS, (i + 1) * PART_ROWS));

/** As `Promise.all`, but fails only when no part works any more: nothing may be sent after the transaction has ended. */
async function allOf<Result>(works: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** The refused rows of a part. Statements are sent in the order of the parts, so an earlier row wins over a later one. */
async function createPart(
  tx: Tx,
  deps: ImportDeps,
  platformId: PlatformId,
  columns: readonly string[],
  rows: readonly CsvRow[],
  now: Date,
): Promise<NewError[]> {
  const read = rows.map((row) => readRow(columns, row));
  const drafts = read.flatMap(({ draft }) => draft ?? []);
  const results = drafts.length > 0 ? await createCustomers(tx, deps, { platformId, drafts, now }) : [];

  let next = 0;
  return read.flatMap(({ row, draft, error }) => {
    if (!draft) return error ? [{ line: row.line, error }] : [];
    const result = results[next];
    next += 1;
    return result instanceof ApiError ? [{ line: row.line, error: refusalError(columns, row, result) }] : [];
  });
}

/** A row that fails for a reason of ours. */
async function refuseRow(tx: Tx, platformId: PlatformId, job: ImportJob, rows: readonly CsvRow[]): Promise<ImportJob | undefined> {
  const locked = await lockJobAt(tx, platformId, job);
  const columns = locked?.columns ?? [];
  const errors = rows.map((row) => ({ line: row.line, error: refusalError(columns, row, new ApiError('INTERNAL_ERROR')) }));
  return locked && saveStep(tx, platformId, locked, rows, errors);
}

function saveStep(tx: Tx, platformId: PlatformId, job: ImportJob, rows: readonly CsvRow[], errors: readonly NewError[]): ImportJob {
  const last = rows.at(-1);
  assert(last, 'a batch has rows');
  const saved = advance(job, {
    next: { byte: last.nextByte, line: last.nextLine },
    successful: rows.length - errors.length,
    failed: errors.length,
  });
  insertErrors(tx, platformId, job.id, errors.slice(0, Math.max(0, MAX_ERRORS - job.failed)));
  saveJob(tx, platformId, saved);
  return saved;
}

/** Erases the file and sends the event. */
async function endImport(tx: Tx, { files }: ImportDeps, platformId: PlatformId, job: ImportJob, now: Date): Promise<void> {
  const ended = finish(job, now);
  saveJob(tx, platformId, ended);
  if (job.fileId) files.delete(tx, platformId, [job.fileId]);
  const errors = await findErrors(tx, platformId, job.id, MAX_EVENT_ERRORS);
  const type = ended.status === 'FAILED' ? 'BULK_UPLOAD.FAILED' : 'BULK_UPLOAD.COMPLETED';
  enqueueEvents(tx, platformId, now, [{ type, objectId: job.id, data: renderJob(ended, errors) }]);
}
