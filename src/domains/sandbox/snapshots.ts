// Emptying a sandbox platform, and keeping its data under a name to come back to.
import type { Logger } from 'pino';
import { type Db, type Tx, violatedConstraint } from '../../db/pool.js';
import type { SealedColumn } from '../../db/sealed.js';
import { ApiError, invalidField } from '../../kernel/errors.js';
import type { Hooks } from '../../kernel/hook.js';
import type { PlatformId, TokenId } from '../../kernel/ids.js';
import type { KeyCustody } from '../../providers/key-custody.js';
import {
  claimKeys,
  getPlatform,
  openAccounts,
  platformNow,
  realNow,
  restartClockBounds,
  restorePlatformRow,
  setClock,
  withClockLock,
} from '../core/platform/actions.js';
import { findKeptSince, insertSequences, isOfKeptWeek, restartCursor } from '../core/webhooks/actions.js';
import { type DataTable, insertionOrder, isData, LOCKED_BY_WRITERS } from './platform-data.js';
import {
  deleteRows,
  deleteSnapshot,
  findSnapshot,
  findTables,
  insertSnapshot,
  listInvitationCodes,
  listLeftOutSequences,
  listSealedByKey,
  listSnapshots,
  lockPlatformData,
  type RestoreOptions,
  readAtOneMoment,
  readSnapshotState,
  restoreRows,
  type Snapshot,
  schemaVersion,
} from './platform-data-store.js';

export { listSnapshots } from './platform-data-store.js';

export type SnapshotDeps = { readonly db: Db; readonly hooks: Hooks; readonly log: Pick<Logger, 'info'> };
type Caller = { readonly platformId: PlatformId; readonly tokenId: TokenId };

/** A platform keeps at most this many, so that a loop that never deletes does not fill the disk. */
export const MAX_SNAPSHOTS = 20;

export async function resetPlatform(deps: SnapshotDeps, caller: Caller, name: string): Promise<{ rows: number; now: Date }> {
  const { platformId } = caller;
  const outcome = await replacing(deps, platformId, async (tx, tables) => {
    const platform = await getPlatform(tx, platformId);
    if (name !== platform.name) throw invalidField('name', `must be the name of the platform, "${platform.name}"`);
    const rows = await deleteRows(tx, platformId, [...tables].reverse());
    restartCursor(tx, platformId, undefined);
    const now = await realNow(tx);
    await setClock(tx, platformId, { now, frozen: false });
    restartClockBounds(tx, platformId, { isEmpty: true });
    await openAccounts(tx, deps.hooks, platform, now);
    return { rows, now };
  });
  deps.log.info({ platformId, tokenId: caller.tokenId, rows: outcome.rows }, 'the data of a sandbox platform was reset');
  return outcome;
}

/** An advance freezes the clock on its way, which is no state to come back to: the snapshot waits for its end. */
export const createSnapshot = ({ db }: SnapshotDeps, platformId: PlatformId, name: string): Promise<Snapshot> =>
  withClockLock(db, platformId, () =>
    db
      .transaction(async (tx) => {
        readAtOneMoment(tx);
        const tables = (await findTables(tx)).filter(isData);
        await refuseTooMany(tx, platformId);
        const times = { clockNow: await platformNow(tx, platformId), createdAt: await realNow(tx) };
        await insertSnapshot(tx, platformId, { name, schemaVersion: await schemaVersion(tx), ...times }, tables);
        return required(await findSnapshot(tx, platformId, name));
      })
      .catch(refuseTaken(name)),
  );

export async function refuseTooMany(tx: Tx, platformId: PlatformId): Promise<void> {
  if ((await listSnapshots(tx, platformId)).length < MAX_SNAPSHOTS) return;
  const reason = `A platform has at most ${MAX_SNAPSHOTS} snapshots; delete one first.`;
  throw new ApiError('CONFLICT', { limit: MAX_SNAPSHOTS }, { reason });
}

export const refuseTaken =
  (name: string) =>
  (error: unknown): never => {
    if (violatedConstraint(error) === 'sandbox_snapshots_pkey')
      throw new ApiError('CONFLICT', { name }, { reason: 'A snapshot has this name already.' });
    throw error;
  };

/** Migrations change tables, not rows in a snapshot: rows of another version do not fit. */
export function refuseOtherVersion(snapshotVersion: string, version: string): void {
  if (snapshotVersion === version) return;
  const age = snapshotVersion < version ? 'an older' : 'a newer';
  const reason = `The snapshot was taken with ${age} version of the service, whose tables differ. Use it with that version.`;
  throw new ApiError('CONFLICT', { snapshotVersion, version }, { reason });
}

/** The keys that seal what a platform has, and where it is sealed. */
export type SealedDeps = { readonly custody: Pick<KeyCustody, 'knows'>; readonly sealedColumns: readonly SealedColumn[] };

/** A key rotation reaches tables, not rows in a snapshot: what an older key sealed would never open once the key is dropped. */
export async function refuseDroppedKey(
  tx: Pick<Tx, 'one' | 'many'>,
  { custody, sealedColumns }: SealedDeps,
  platformId: PlatformId,
  name: string,
): Promise<void> {
  for (const { table, column } of sealedColumns.filter((sealed) => isData({ name: sealed.table })))
    for (const sealed of await listSealedByKey(tx, platformId, name, table, column))
      if (!custody.knows(sealed)) {
        const reason =
          'The snapshot holds values that were encrypted with a key that KEY_ENCRYPTION_KEY no longer has. Put the key back behind the others.';
        throw new ApiError('CONFLICT', { name }, { reason });
      }
}

export async function restoreSnapshot(deps: SnapshotDeps & SealedDeps, caller: Caller, name: string): Promise<Snapshot> {
  const { platformId } = caller;
  const restored = await replacing(deps, platformId, async (tx, tables) => {
    const snapshot = required(await findSnapshot(tx, platformId, name));
    refuseOtherVersion(snapshot.schemaVersion, await schemaVersion(tx));
    await refuseDroppedKey(tx, deps, platformId, name);
    await writeSnapshot(tx, deps, platformId, snapshot, tables);
    return snapshot;
  });
  deps.log.info({ platformId, tokenId: caller.tokenId, snapshot: name }, 'the data of a sandbox platform was restored from a snapshot');
  return restored;
}

/** Replaces the data of a platform, which is locked. `explain` says what is wrong with a row that cannot be written. */
export async function writeSnapshot(
  tx: Tx,
  { hooks }: Pick<SnapshotDeps, 'hooks'>,
  platformId: PlatformId,
  { name, clockNow, clockFrozen }: Snapshot,
  tables: readonly DataTable[],
  explain?: (error: unknown) => Error | undefined,
): Promise<void> {
  await deleteRows(tx, platformId, [...tables].reverse());
  const { platform, settled } = await readSnapshotState(tx, platformId, name);
  await restorePlatformRow(tx, platformId, platform);
  await restoreKept(tx, platformId, name, tables, explain);
  await claimKeys(tx, platformId, 'INVITATION', await listInvitationCodes(tx, platformId));
  restartCursor(tx, platformId, settled ?? undefined);
  await setClock(tx, platformId, { now: clockNow, frozen: clockFrozen });
  restartClockBounds(tx, platformId, { isEmpty: false });
  // A file from elsewhere may lack accounts that every platform has. Others have them already.
  await openAccounts(tx, hooks, await getPlatform(tx, platformId), clockNow);
}

/** Events whose week was dropped since are left out, as if they had been there and were dropped now: the numbers of their objects go on. */
async function restoreKept(
  tx: Tx,
  platformId: PlatformId,
  name: string,
  tables: readonly DataTable[],
  explain: RestoreOptions['explain'],
): Promise<void> {
  const since = await findKeptSince(tx);
  const isKept = (table: string) => since && isOfKeptWeek(table, since);
  restoreRows(tx, platformId, name, tables, { isKept, explain });
  const kept = isKept('webhook_events');
  const leftOut = kept ? await listLeftOutSequences(tx, platformId, name, kept) : [];
  if (leftOut.length > 0) insertSequences(tx, platformId, leftOut);
}

export async function removeSnapshot({ db }: SnapshotDeps, platformId: PlatformId, name: string): Promise<void> {
  if (!(await db.transaction((tx) => deleteSnapshot(tx, platformId, name)))) throw new ApiError('NOT_FOUND');
}

/** Work that replaces the data of a platform: alone with it, and with its clock. */
const replacing = <Result>(
  { db }: SnapshotDeps,
  platformId: PlatformId,
  work: (tx: Tx, tables: readonly DataTable[]) => Promise<Result>,
): Promise<Result> =>
  withClockLock(db, platformId, () =>
    db.transaction(async (tx) => {
      const tables = insertionOrder((await findTables(tx)).filter(isData));
      await lockPlatformData(tx, platformId, LOCKED_BY_WRITERS);
      return work(tx, tables);
    }),
  );

export function required(snapshot: Snapshot | undefined): Snapshot {
  if (!snapshot) throw new ApiError('NOT_FOUND');
  return snapshot;
}
