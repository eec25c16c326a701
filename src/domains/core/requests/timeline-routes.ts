// The timeline of an object.
import type { Db } from '../../../db/pool.js';
import { type Operation, ok, operation } from '../../../http/operation.js';
import { decodeCursor, encodeCursor } from '../../../kernel/page.js';
import type { Recorder } from './recorder.js';
import { mergeTimeline, TIMELINE_KINDS, type TimelinePosition } from './timeline.js';
import { renderItem, TimelineQuery, TimelineResponse } from './timeline-schemas.js';
import { SOURCES } from './timeline-store.js';

/** `-` for a kind of which nothing was shown yet. */
const NOTHING = '-';

function positionOf(cursor: string, scope: unknown, objectId: string): TimelinePosition {
  const shapes = TIMELINE_KINDS.map((kind) => new RegExp(`^(?:${NOTHING}|${SOURCES[kind].key(objectId).source})$`));
  const keys = decodeCursor(cursor, scope, shapes);
  return Object.fromEntries(TIMELINE_KINDS.flatMap((kind, i) => (keys[i] === NOTHING ? [] : [[kind, keys[i]]])));
}

export const timelineRoutes = ({ db, recorder }: { readonly db: Db; readonly recorder: Pick<Recorder, 'flush'> }): Operation[] => [
  operation({
    id: 'getTimeline',
    method: 'GET',
    path: '/timeline',
    tag: 'Requests',
    summary: 'List everything that happened to an object, newest first',
    description:
      'Requests that name the object, signatures asked for, proofs, changes, ledger entries and events with their attempts to deliver, in one order by the real time. ' +
      'An event and a change name their cause, so that one can go from a request to what it did and back. An object that does not exist has an empty timeline.',
    permission: 'VIEW',
    query: TimelineQuery,
    success: { 200: TimelineResponse },
    handle: async ({ platformId, query: { limit = 20, cursor, objectId } }) => {
      await recorder.flush();
      const scope = ['getTimeline', platformId, objectId];
      const from = cursor === undefined ? {} : positionOf(cursor, scope, objectId);
      const lists = await Promise.all(TIMELINE_KINDS.map((kind) => SOURCES[kind].list(db, platformId, objectId, from[kind], limit + 1)));
      const { items, next } = mergeTimeline(lists, limit, from);
      const nextCursor =
        next &&
        encodeCursor(
          TIMELINE_KINDS.map((kind) => next[kind] ?? NOTHING),
          scope,
        );
      return ok({ data: items.map(renderItem), hasMore: nextCursor !== undefined, ...(nextCursor !== undefined && { nextCursor }) });
    },
  }),
];
