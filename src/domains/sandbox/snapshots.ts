// Emptying a sandbox platform, and keeping its data under a name to come back to.
import type { Logger } from 'pino';
import { type Db, type Tx, violatedConstraint } from '../../db/pool.js';
import { ApiError, invalidField } from '../../kernel/errors.js';
import type { Hooks } from '../../kernel/hook.js';
import type { PlatformId, TokenId } from '../../kernel/ids.js';
import { getPlatform, openAccounts, realNow, restorePlatformRow, setClock, withClockLock } from '../core/platform/actions.js';
import { restartCursor } from '../core/webhooks/actions.js';
import { type DataTable, insertionOrder, isData, LOCKED_BY_WRITERS } from './platform-data.js';
import {
  deleteRows,
  deleteSnapshot,
  findSnapshot,
  findTables,
  insertSnapshot,
  listSnapshots,
  lockPlatformData,
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
    await openAccounts(tx, deps.hooks, platform, now);
    return { rows, now };
  });
  deps.log.info({ platformId, tokenId: caller.tokenId, rows: outcome.rows }, 'the data of a sandbox platform was reset');
  return outcome;
}

export function createSnapshot({ db }: SnapshotDeps, platformId: PlatformId, name: string, now: Date): Promise<Snapshot> {
  return db
    .transaction(async (tx) => {
      readAtOneMoment(tx);
      const tables = (await findTables(tx)).filter(isData);
      if ((await listSnapshots(tx, platformId)).length >= MAX_SNAPSHOTS)
        throw new ApiError(
          'CONFLICT',
          { limit: MAX_SNAPSHOTS },
          { reason: `A platform has at most ${MAX_SNAPSHOTS} snapshots; delete one first.` },
        );
      await insertSnapshot(
        tx,
        platformId,
        { name, schemaVersion: await schemaVersion(tx), clockNow: now, createdAt: await realNow(tx) },
        tables,
      );
      return required(await findSnapshot(tx, platformId, name));
    })
    .catch((error: unknown) => {
      if (violatedConstraint(error) === 'sandbox_snapshots_pkey')
        throw new ApiError('CONFLICT', { name }, { reason: 'A snapshot has this name already.' });
      throw error;
    });
}

export async function restoreSnapshot(deps: SnapshotDeps, caller: Caller, name: string): Promise<Snapshot> {
  const { platformId } = caller;
  const restored = await replacing(deps, platformId, async (tx, tables) => {
    const snapshot = required(await findSnapshot(tx, platformId, name));
    const version = await schemaVersion(tx);
    if (snapshot.schemaVersion !== version)
      throw new ApiError(
        'CONFLICT',
        { snapshotVersion: snapshot.schemaVersion, version },
        { reason: 'The snapshot was taken with another version of the service and cannot be restored.' },
      );
    await deleteRows(tx, platformId, [...tables].reverse());
    const { platform, settled } = await readSnapshotState(tx, platformId, name);
    await restorePlatformRow(tx, platformId, platform);
    restoreRows(tx, platformId, name, tables);
    restartCursor(tx, platformId, settled ?? undefined);
    await setClock(tx, platformId, { now: snapshot.clockNow, frozen: snapshot.clockFrozen });
    return snapshot;
  });
  deps.log.info({ platformId, tokenId: caller.tokenId, snapshot: name }, 'the data of a sandbox platform was restored from a snapshot');
  return restored;
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

function required(snapshot: Snapshot | undefined): Snapshot {
  if (!snapshot) throw new ApiError('NOT_FOUND');
  return snapshot;
}
