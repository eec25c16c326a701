// The request log as server-sent events. Processes write the log in batches, so a request may be written after one that ended later: each
// turn reads the last seconds again and sends what it has not sent.
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../../../db/pool.js';
import { madeAt, type PlatformId, uuidAt } from '../../../kernel/ids.js';
import type { LoggedRequest } from './request.js';
import { renderSummary } from './schemas.js';
import { listRequestsAfter, type RequestFilter } from './store.js';

const POLL_MS = 250;
const KEEP_ALIVE_MS = 15_000;
const CHECK_MS = 1_000;
const PAGE = 200;
/** A request is written at most this much after it ended. */
const OVERLAP_MS = 3_000;

export type RequestReader = {
  readonly platformId: PlatformId;
  readonly filter: Omit<RequestFilter, 'objectId'>;
  /** The position after which the stream begins. */
  readonly from: string;
  /** Whether the reader may still read. */
  isAllowed(): Promise<boolean>;
  /** Writes what this process has collected. */
  flush(): Promise<void>;
};

const renderMessage = (request: LoggedRequest): string =>
  `id: ${request.id}\nevent: request\ndata: ${JSON.stringify(renderSummary(request))}\n\n`;

export async function* pollRequests(
  db: Db,
  { platformId, filter, from, isAllowed, flush }: RequestReader,
  until: AbortSignal,
): AsyncGenerator<string> {
  const sent = new Set<string>();
  let newest = from;
  let sentAt = performance.now();
  let checkedAt = sentAt;
  yield ': connected\n\n';
  while (!until.aborted) {
    if (performance.now() - checkedAt >= CHECK_MS) {
      checkedAt = performance.now();
      if (!(await isAllowed())) return;
    }
    await flush();
    const fresh = await unsent(db, platformId, filter, { from, newest, sent });
    for (const request of fresh) {
      yield renderMessage(request);
      sent.add(request.position);
      if (request.position > newest) newest = request.position;
    }
    const floor = overlapStart(from, newest);
    for (const position of sent) if (position < floor) sent.delete(position);
    if (fresh.length > 0) sentAt = performance.now();
    else if (performance.now() - sentAt > KEEP_ALIVE_MS) {
      yield ': still here\n\n';
      sentAt = performance.now();
    }
    // An abort ends the pause, and then the loop.
    if (fresh.length < PAGE) await pause(POLL_MS, undefined, { signal: until }).catch(() => {});
  }
}

function overlapStart(from: string, newest: string): string {
  const start = uuidAt((madeAt(newest) ?? 0) - OVERLAP_MS);
  return start > from ? start : from;
}

type Progress = { readonly from: string; readonly newest: string; readonly sent: ReadonlySet<string> };

/** What was not sent yet, of the last seconds and later. Pages go on until one has something new. */
async function unsent(
  db: Db,
  platformId: PlatformId,
  filter: RequestReader['filter'],
  { from, newest, sent }: Progress,
): Promise<LoggedRequest[]> {
  for (let after = overlapStart(from, newest); ; ) {
    const page = await listRequestsAfter(db, platformId, filter, after, PAGE);
    const fresh = page.filter(({ position }) => !sent.has(position));
    const last = page.at(-1);
    if (fresh.length > 0 || page.length < PAGE || !last) return fresh;
    after = last.position;
  }
}
