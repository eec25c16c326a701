// Reading the request log, and dropping what it no longer keeps.
import type { Db, Tx } from '../../../db/pool.js';
import { deleteInBatches, type Upkeep } from '../../../db/upkeep.js';
import { ApiError } from '../../../kernel/errors.js';
import { madeAt, newUuid, type PlatformId, uuidAt } from '../../../kernel/ids.js';
import { UUID_KEY } from '../../../kernel/page.js';
import { DAY_MS } from '../../../kernel/time.js';
import { listEventIdsOf } from '../webhooks/actions.js';
import type { WebhookId } from '../webhooks/event.js';
import type { LoggedRequest } from './request.js';
import { deleteObjectsBefore, deleteRequestsBefore, findLastKept, findRequest } from './store.js';

export { createRequestReader } from './stream.js';

const KEPT_MS = 7 * DAY_MS;
const KEPT_ROWS = 100_000;

export async function getRequest(tx: Pick<Tx, 'one' | 'many'>, platformId: PlatformId, id: string): Promise<LoggedRequest> {
  const request = UUID_KEY.test(id) ? await findRequest(tx, platformId, id) : undefined;
  if (!request) throw new ApiError('NOT_FOUND');
  return request;
}

/** The service may go on for a moment after the answer: a card is ordered once the request that issued it has committed. */
const AFTERWARDS_MS = 2_000;

export const listEventsOf = (
  tx: Pick<Tx, 'one' | 'many'>,
  { platformId, id, position }: LoggedRequest,
  limit: number,
): Promise<WebhookId[]> => listEventIdsOf(tx, platformId, id, { from: id, before: uuidAt((madeAt(position) ?? 0) + AFTERWARDS_MS), limit });

/** Where a stream begins: after the request that was seen last, or now. */
export async function getStreamStart(db: Db, platformId: PlatformId, lastSeen: string | string[] | undefined): Promise<string> {
  if (lastSeen === undefined) return newUuid();
  return (await getRequest(db, platformId, String(lastSeen))).position;
}

/** Seven days, and of these the newest 100,000. */
export const requestLogUpkeep = ({ keptMs = KEPT_MS, keptRows = KEPT_ROWS } = {}): Upkeep => ({
  name: 'request-log-retention',
  everyMs: 10 * 60_000,
  run: async (db, platformId, now, isOver) => {
    const byAge = uuidAt(now.getTime() - keptMs);
    const byNumber = (await findLastKept(db, platformId, keptRows)) ?? byAge;
    const before = byNumber > byAge ? byNumber : byAge;
    await deleteInBatches((limit) => deleteRequestsBefore(db, platformId, before, limit), isOver);
    await deleteInBatches((limit) => deleteObjectsBefore(db, platformId, before, limit), isOver);
  },
});
