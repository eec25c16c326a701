// A snapshot as one file: written for a bug report, and read into another platform, perhaps of another installation. What is read comes from
// anybody: every row is checked and written once for trial before the snapshot exists.
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Db, type Tx, violatedConstraint } from '../../db/pool.js';
import type { SealedColumn } from '../../db/sealed.js';
import type { Operation } from '../../http/operation.js';
import { ApiError, BrokenInvariant, describeError, invalidField } from '../../kernel/errors.js';
import type { Hooks } from '../../kernel/hook.js';
import { type PlatformId, type TokenId, uuidOf } from '../../kernel/ids.js';
import type { Files, ReceivedFile } from '../../providers/files/file.js';
import type { KeyCustody } from '../../providers/key-custody.js';
import { adoptConfig, getPlatform, realNow, withClockLock } from '../core/platform/actions.js';
import { findLedgerProblem } from '../ledger/actions.js';
import { checkFaults } from './fault-rules.js';
import { parseFaults } from './fault-schemas.js';
import { type DataTable, insertionOrder, isData, LOCKED_BY_WRITERS } from './platform-data.js';
import { findSnapshot, findTables, lockPlatformData, readSnapshotState, type Snapshot, schemaVersion } from './platform-data-store.js';
import {
  checkJson,
  checkReadable,
  type FileHeader,
  type FileRows,
  fileColumns,
  isInFile,
  parseHeader,
  parseRows,
  renderRows,
  rowJson,
  rowsForFile,
  rowsFromFile,
} from './snapshot-content.js';
import { MAX_CONTENT_BYTES, openFile, writeFile } from './snapshot-file.js';
import {
  checkConstraintsNow,
  hasDanglingAccounts,
  insertImported,
  insertPart,
  listParts,
  type PartOfTable,
  readPartRows,
  setRowCount,
} from './snapshot-file-store.js';
import { refuseDroppedKey, refuseOtherVersion, refuseTaken, refuseTooMany, required, writeSnapshot } from './snapshots.js';

export type TransferDeps = {
  readonly db: Db;
  readonly hooks: Hooks;
  readonly log: Pick<Logger, 'info'>;
  readonly custody: KeyCustody;
  readonly files: Files;
  readonly sealedColumns: readonly SealedColumn[];
  readonly operations: () => readonly Operation[];
};
type Caller = { readonly platformId: PlatformId; readonly tokenId: TokenId };

/** The packed and encrypted file is smaller than its content, except for stored files of callers. */
export const MAX_FILE_BYTES = 128 * 1024 * 1024;
const MAX_ROWS = 2_000_000;
const DAY_MICROSECONDS = 86_400_000_000n;

const refused = (message: string) => invalidField('file', message);

// ---- export

/** The file, made while it is read. It ends in an error if the snapshot is deleted meanwhile. */
export async function exportSnapshot(
  deps: TransferDeps,
  { platformId, tokenId }: Caller,
  name: string,
  passphrase: string,
): Promise<Readable> {
  const { db } = deps;
  const snapshot = required(await findSnapshot(db, platformId, name));
  const { parts, bytes } = await listParts(db, platformId, name);
  if (bytes > MAX_CONTENT_BYTES)
    throw new ApiError('CONFLICT', { bytes, limit: MAX_CONTENT_BYTES }, { reason: 'The snapshot is too large for a file.' });
  refuseOtherVersion(snapshot.schemaVersion, await schemaVersion(db));
  await refuseDroppedKey(db, deps, platformId, name);
  const preamble = { schemaVersion: snapshot.schemaVersion, rows: Number(snapshot.rows), createdAt: snapshot.createdAt.toISOString() };
  deps.log.info({ platformId, tokenId, snapshot: name }, 'a snapshot of a sandbox platform was exported');
  return Readable.from(writeFile(preamble, passphrase, linesOf(deps, platformId, snapshot, parts)));
}

async function* linesOf(
  { db, custody, sealedColumns }: TransferDeps,
  platformId: PlatformId,
  snapshot: Snapshot,
  parts: readonly PartOfTable[],
): AsyncGenerator<string> {
  const { platform, settled } = await readSnapshotState(db, platformId, snapshot.name);
  const header: FileHeader = {
    platformId,
    clock: { now: snapshot.clockNow.toISOString(), frozen: snapshot.clockFrozen },
    config: JSON.parse(platform).config,
    settled: settled === null ? null : String(settled),
  };
  yield JSON.stringify({ ...header, platformId: uuidOf(platformId) });
  const carry = rowsForFile(custody, sealedColumns, platformId);
  for (const table of insertionOrder((await findTables(db)).filter(isInFile)))
    for (const { part } of parts.filter((one) => one.table === table.name)) {
      const rows = await readPartRows(db, platformId, snapshot.name, table, part);
      if (!rows) throw new Error('the snapshot was deleted while it was exported');
      yield renderRows({ table, rows: carry({ table, rows }) });
    }
}

// ---- import

export type Import = { readonly name: string; readonly passphrase: string; readonly file: ReceivedFile };

export async function importSnapshot(deps: TransferDeps, { platformId, tokenId }: Caller, given: Import): Promise<Snapshot> {
  // As when a snapshot is taken: one after the other, so that the limit holds.
  const snapshot = await withClockLock(deps.db, platformId, () =>
    deps.db
      .transaction(async (tx) => {
        await refuseTooMany(tx, platformId);
        const tables = insertionOrder((await findTables(tx)).filter(isData));
        await readFile(tx, deps, platformId, given, tables);
        const read = required(await findSnapshot(tx, platformId, given.name));
        await tryOut(tx, deps, platformId, read, tables);
        return read;
      })
      .catch(refuseTaken(given.name)),
  );
  deps.log.info({ platformId, tokenId, snapshot: given.name }, 'a snapshot of a sandbox platform was imported');
  return snapshot;
}

/** Writes the snapshot that the file holds. The file itself is not kept. */
async function readFile(tx: Tx, deps: TransferDeps, platformId: PlatformId, given: Import, tables: readonly DataTable[]): Promise<void> {
  const { files, custody, sealedColumns } = deps;
  const { name, file } = given;
  const now = await realNow(tx);
  files.keep(tx, platformId, file, now);
  const { preamble, lines } = await openFile(files.read(tx, platformId, file.id), given.passphrase);
  const version = await schemaVersion(tx);
  refuseOtherVersion(preamble.schemaVersion, version);
  const { value: first } = await lines.next();
  const header = parseHeader(first ?? '');
  const { config } = adoptedBy(await getPlatform(tx, platformId), header.config, now);
  const clock = { now: new Date(header.clock.now), frozen: header.clock.frozen };
  const settled = header.settled === null ? null : BigInt(header.settled);
  await insertImported(tx, platformId, { name, schemaVersion: version, clock, config, settled, createdAt: now }).catch((error: unknown) => {
    // A text that JSON can say and PostgreSQL cannot store.
    throw describeError(error).code?.startsWith('22') ? refused('has a configuration that is not valid') : error;
  });

  const known = new Map(tables.filter(isInFile).map((table) => [table.name, table]));
  const carry = rowsFromFile(custody, sealedColumns, header.platformId, platformId);
  const parts = new Map<string, number>();
  let total = 0;
  for await (const line of lines) {
    const read = parseRows(line, known);
    const { table, rows } = read;
    total += rows.length;
    if (total > MAX_ROWS) throw refused('has too many rows');
    checkReadable(read);
    checkMeaning(read, now, deps.operations());
    const content: string[] = [];
    for await (const some of inPieces(read)) {
      checkJson(some);
      content.push(...carry(some).map((row) => rowJson(table, platformId, row)));
    }
    const part = parts.get(table.name) ?? 0;
    parts.set(table.name, part + 1);
    await insertPart(tx, platformId, name, { table: table.name, part }, `[${content.join(',')}]`);
  }
  setRowCount(tx, platformId, name, total);
  files.delete(tx, platformId, [file.id]);
}

const PIECE_LENGTH = 256 * 1024;

/** The rows a few at a time, with a turn of the event loop between: what is in a row is read at once, and a line may hold long rows. */
async function* inPieces({ table, rows }: FileRows): AsyncGenerator<FileRows> {
  let from = 0;
  let length = 0;
  for (const [i, row] of rows.entries()) {
    length += row.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);
    if (length < PIECE_LENGTH && i + 1 < rows.length) continue;
    yield { table, rows: rows.slice(from, i + 1) };
    await setImmediate();
    [from, length] = [i + 1, 0];
  }
}

function adoptedBy(platform: Parameters<typeof adoptConfig>[0], config: unknown, now: Date) {
  try {
    return adoptConfig(platform, config, now);
  } catch (error) {
    throw error instanceof ApiError ? refused('has a configuration that is not valid') : error;
  }
}

/** What the types of columns do not tell, where a wrong value would reach further than its record. */
function checkMeaning({ table, rows }: FileRows, now: Date, operations: readonly Operation[]): void {
  const cellsOf = (column: string) => rows.map((row) => row[fileColumns(table).indexOf(column)] ?? '');
  if (table.name === 'webhook_log') {
    const latest = BigInt(now.getTime()) * 1000n + DAY_MICROSECONDS;
    if (!cellsOf('position').every((cell) => /^\d{1,18}$/.test(cell) && BigInt(cell) <= latest))
      throw refused('has events at a position that has not come yet');
  }
  if (table.name === 'sandbox_faults')
    try {
      checkFaults(parseFaults(cellsOf('fault').map((cell) => JSON.parse(cell))), operations);
    } catch {
      throw refused('has faults that cannot be set');
    }
}

/** The outcome of a trial that went well: it is undone, like any other. */
const FITS = new ApiError('CONFLICT');

/** Restores the snapshot, checks what the platform would then be, and undoes it. */
async function tryOut(tx: Tx, deps: TransferDeps, platformId: PlatformId, snapshot: Snapshot, tables: readonly DataTable[]): Promise<void> {
  const outcome = await tx.attempt(async () => {
    await lockPlatformData(tx, platformId, LOCKED_BY_WRITERS);
    try {
      await writeSnapshot(tx, deps, platformId, snapshot, tables, misfit);
      await checkConstraintsNow(tx);
    } catch (error) {
      throw misfit(error) ?? error;
    }
    if (await hasDanglingAccounts(tx, platformId)) throw refused('has an account without its holder or its balance');
    const problem = await findLedgerProblem(tx, platformId);
    throw problem === undefined ? FITS : refused(`has a ledger in which this does not hold: ${problem}`);
  });
  if (outcome !== FITS) throw outcome;
}

/** A value of the wrong type, or a rule of the schema that a row violates. */
function misfit(error: unknown): ApiError | undefined {
  if (error instanceof BrokenInvariant) return refused('has rows that do not belong together');
  const { code = '' } = describeError(error);
  if (!/^(?:22|23)/.test(code)) return undefined;
  return refused(`has a row that violates ${violatedConstraint(error) ?? 'the type of a column'}`);
}
