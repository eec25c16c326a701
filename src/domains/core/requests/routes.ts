// The request log of a platform: list, one request, and the stream.
import Type from 'typebox';
import type { Db } from '../../../db/pool.js';
import { createStreamLimiter, streamAnswer, streamOf } from '../../../http/event-stream.js';
import { type Caller, type Operation, ok, operation } from '../../../http/operation.js';
import { Closed, pageQuery } from '../../../http/schemas.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
import { getRequest, getStreamStart, listEventsOf } from './actions.js';
import type { Recorder } from './recorder.js';
import {
  filterQuery,
  LoggedRequestDetails,
  LoggedRequestListResponse,
  MAX_EVENT_IDS,
  parseFilter,
  renderDetails,
  renderSummary,
} from './schemas.js';
import { listRequests } from './store.js';
import { pollRequests } from './stream.js';

export type RequestLogDeps = {
  readonly db: Db;
  readonly recorder: Pick<Recorder, 'flush'>;
  /** Aborted when the service stops: streams end. */
  readonly closing: AbortSignal;
  /** Whether the credential of a caller is still valid. */
  readonly isUsable: (caller: Caller) => Promise<boolean>;
};

export function requestLogRoutes({ db, recorder, closing, isUsable }: RequestLogDeps): Operation[] {
  const streams = createStreamLimiter();
  return [
    operation({
      id: 'listRequests',
      method: 'GET',
      path: '/requests',
      tag: 'Requests',
      summary: 'List the requests of the platform, newest first',
      description:
        'The log keeps the last 7 days, at most 100,000 requests. It is written shortly after a request has ended and never delays one: under ' +
        'heavy load it records a part, and `unrecordedBefore` says how many are missing. Requests without valid credentials and reads of this ' +
        'log are not in it.',
      permission: 'VIEW',
      query: Closed({
        ...pageQuery,
        ...filterQuery,
        objectId: Type.Optional(Type.String({ maxLength: 200, description: 'Requests that name this object.' })),
      }),
      success: { 200: LoggedRequestListResponse },
      handle: async ({ platformId, query: { limit = 20, cursor, ...wanted } }) => {
        await recorder.flush();
        const scope = ['listRequests', platformId, wanted];
        const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
        return ok(renderPage(await listRequests(db, platformId, parseFilter(wanted), { limit, after }, scope), renderSummary));
      },
    }),
    operation({
      id: 'getRequest',
      method: 'GET',
      path: '/requests/{id}',
      tag: 'Requests',
      summary: 'Get a request by the `X-Request-Id` of its answer',
      description:
        'In sandbox with both bodies, as far as they are kept: secrets are masked by the schema of the operation, and an answer that is shown ' +
        'only once is left out. A live installation keeps no body.',
      permission: 'VIEW',
      success: { 200: LoggedRequestDetails },
      errors: ['NOT_FOUND'],
      handle: async ({ platformId, params }) => {
        await recorder.flush();
        const request = await getRequest(db, platformId, params.id);
        return ok(renderDetails(request, await listEventsOf(db, request, MAX_EVENT_IDS)));
      },
    }),
    operation({
      id: 'streamRequests',
      method: 'GET',
      path: '/requests/stream',
      command: 'requests stream',
      tag: 'Requests',
      summary: 'Stream requests as they end, as server-sent events',
      description:
        'Each message has the name `request`, the request id as its id, and the request as in the list. A reader that reconnects sends the last ' +
        'id it has seen and misses nothing that is still kept.',
      permission: 'VIEW',
      headerParameters: [
        { name: 'Last-Event-ID', description: 'The last request seen: the stream goes on after it. Wins over `lastRequestId`.' },
      ],
      query: Closed({
        ...filterQuery,
        lastRequestId: Type.Optional(Type.String({ maxLength: 200, description: 'The last request seen: the stream goes on after it.' })),
      }),
      success: { 200: Type.String() },
      produces: ['text/event-stream'],
      errors: ['NOT_FOUND'],
      handle: async ({ caller, platformId, headers, query: { lastRequestId, ...wanted } }) => {
        const filter = parseFilter(wanted);
        await recorder.flush();
        const from = await getStreamStart(db, platformId, headers['last-event-id'] ?? lastRequestId);
        const reader = { platformId, filter, from, isAllowed: () => isUsable(caller), flush: recorder.flush };
        const onClosed = streams.open(platformId);
        return streamAnswer(streamOf((until) => pollRequests(db, reader, until), closing, onClosed));
      },
    }),
  ];
}
