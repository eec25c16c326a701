// The request log as server-sent events. Processes write the log in batches, so a request may be written after one that ended later: each
// turn reads the last seconds again and sends what it has not sent.
import type { Db } from '../../../db/pool.js';
import { pollMessages, streamMessage } from '../../../http/event-stream.js';
import { madeAt, type PlatformId, uuidAt } from '../../../kernel/ids.js';
import type { LoggedRequest } from './request.js';
import { renderSummary } from './schemas.js';
import { listRequestsAfter, type RequestFilter } from './store.js';

const PAGE = 200;
/** A request is written at most this much after it ended. */
const OVERLAP_MS = 3_000;

export type RequestsWanted = {
  readonly platformId: PlatformId;
  readonly filter: Omit<RequestFilter, 'objectId'>;
  /** The position after which the stream begins. */
  readonly from: string;
};

/** Reads the requests that ended after a position; each call those that were written since. */
export function createRequestReader(db: Db, { platformId, filter, from }: RequestsWanted) {
  const sent = new Set<string>();
  let newest = from;
  return async (): Promise<{ readonly requests: readonly LoggedRequest[]; readonly isFull: boolean }> => {
    const requests = await unsent(db, platformId, filter, { from, newest, sent });
    for (const { position } of requests) {
      sent.add(position);
      if (position > newest) newest = position;
    }
    const floor = overlapStart(from, newest);
    for (const position of sent) if (position < floor) sent.delete(position);
    return { requests, isFull: requests.length >= PAGE };
  };
}

export type RequestReader = RequestsWanted & {
  /** Whether the reader may still read. */
  isAllowed(): Promise<boolean>;
  /** Writes what this process has collected. */
  flush(): Promise<void>;
};

export function pollRequests(db: Db, { isAllowed, flush, ...wanted }: RequestReader, until: AbortSignal): AsyncGenerator<string> {
  const next = createRequestReader(db, wanted);
  const read = async () => {
    await flush();
    const { requests, isFull } = await next();
    return { messages: requests.map((request) => streamMessage(request.id, 'request', JSON.stringify(renderSummary(request)))), isFull };
  };
  return pollMessages(read, isAllowed, until);
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
  filter: RequestsWanted['filter'],
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
