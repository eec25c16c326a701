// Wire shapes of the request log.
import Type from 'typebox';
import { Enum, pageOfSchema, Timestamp } from '../../../http/schemas.js';
import { invalidField } from '../../../kernel/errors.js';
import { madeAt, parseId } from '../../../kernel/ids.js';
import { BODY_LIMIT, MAX_OBJECT_IDS } from './capture.js';
import type { LoggedRequest } from './request.js';
import type { RequestFilter } from './store.js';

/** An advance of the clock can make thousands of events. */
export const MAX_EVENT_IDS = 100;

const summary = {
  id: Type.String({ description: 'The `X-Request-Id` of the answer.' }),
  operation: Type.String({ description: 'The operation id of this document.' }),
  method: Type.String({ description: 'The HTTP method.' }),
  path: Type.String({ description: 'Below the base path. A path parameter that is not an id is masked.' }),
  query: Type.Optional(Type.String({ description: 'The query string, in sandbox only. Values of a refused query are masked.' })),
  status: Type.Integer({ description: 'The HTTP status; 499 if the caller disconnected before the answer.' }),
  code: Type.Optional(Type.String({ description: 'The error code of a refusal.' })),
  durationMs: Type.Number({ description: 'Milliseconds from the request to the end of the answer.' }),
  tokenId: Type.Optional(Type.String({ description: 'The API token that called.' })),
  program: Type.Optional(Type.String({ description: "The card program whose issuer's processor called." })),
  idempotencyKey: Type.Optional(Type.String({ description: 'The `Idempotency-Key` that was sent.' })),
  signedLeg: Type.Optional(
    Enum(['INITIAL', 'RETRY', 'NAMED'], {
      description:
        'Of an operation that the end user signs: the first call, the signed retry, or a retry that proves the request in its body.',
    }),
  ),
  isConsole: Type.Optional(Type.Boolean({ description: 'Sent by the console, with the token that signed in there.' })),
  objectIds: Type.Array(Type.String(), {
    description: `Ids in the path, in the body, in the \`Request-Id\` of a signed retry and, of a write, in the answer; at most ${MAX_OBJECT_IDS}.`,
  }),
  timestamp: Timestamp({ description: "When the request began, by the platform's clock." }),
  receivedAt: Timestamp({ description: 'When the request began, by the real clock.' }),
  unrecordedBefore: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'How many requests before this one were not recorded, because they came too fast. Absent if none.',
    }),
  ),
};

const Body = (what: string) =>
  Type.Optional(
    Type.String({
      description: `${what} as JSON text, in sandbox only. Secrets are masked and the text is cut after ${BODY_LIMIT} characters.`,
    }),
  );

export const LoggedRequestSummary = Type.Object(summary, { title: 'LoggedRequestSummary' });
export const LoggedRequestDetails = Type.Object(
  {
    ...summary,
    requestBody: Body('The body that was sent'),
    requestBodyCut: Type.Boolean({ description: 'Whether `requestBody` was cut.' }),
    responseBody: Body('The body that was answered'),
    responseBodyCut: Type.Boolean({ description: 'Whether `responseBody` was cut.' }),
    eventIds: Type.Array(Type.String(), {
      description: `Ids of the events that the request made, oldest first; at most ${MAX_EVENT_IDS}.`,
    }),
  },
  { title: 'LoggedRequest' },
);
export const LoggedRequestListResponse = pageOfSchema(LoggedRequestSummary, 'LoggedRequestListResponse');

export const filterQuery = {
  operation: Type.Optional(Type.String({ maxLength: 100, description: 'Requests of one operation id.' })),
  status: Type.Optional(
    Type.String({ pattern: '^[1-5](?:[0-9]{2}|xx)$', description: 'A status such as `404`, or a class of statuses such as `4xx`.' }),
  ),
  tokenId: Type.Optional(Type.String({ maxLength: 200, description: 'Requests of one API token.' })),
};

export type WireFilter = { readonly operation?: string; readonly status?: string; readonly tokenId?: string; readonly objectId?: string };

export function parseFilter({ operation, status, tokenId, objectId }: WireFilter): RequestFilter {
  const token = tokenId === undefined ? undefined : parseId('Token', tokenId);
  if (tokenId !== undefined && !token) throw invalidField('tokenId', 'is not the id of a token');
  return {
    ...(operation !== undefined && { operation }),
    ...(status !== undefined && { statuses: statusesOf(status) }),
    ...(token && { tokenId: token }),
    ...(objectId !== undefined && { objectId }),
  };
}

function statusesOf(text: string): { from: number; to: number } {
  if (!text.endsWith('xx')) return { from: Number(text), to: Number(text) };
  const from = Number(text[0]) * 100;
  return { from, to: from + 99 };
}

export const renderSummary = (request: LoggedRequest) => ({
  id: request.id,
  operation: request.operation,
  method: request.method,
  path: request.path,
  ...(request.query !== null && { query: request.query }),
  status: request.status,
  ...(request.code !== null && { code: request.code }),
  durationMs: request.durationMs,
  ...(request.tokenId !== null && { tokenId: request.tokenId }),
  ...(request.program !== null && { program: request.program }),
  ...(request.idempotencyKey !== null && { idempotencyKey: request.idempotencyKey }),
  ...(request.signedLeg !== null && { signedLeg: request.signedLeg.toUpperCase() }),
  ...(request.isConsole && { isConsole: true }),
  objectIds: request.objectIds,
  timestamp: request.at.toISOString(),
  receivedAt: new Date(madeAt(request.id) ?? 0).toISOString(),
  ...(request.unrecordedBefore > 0 && { unrecordedBefore: request.unrecordedBefore }),
});

export const renderDetails = (request: LoggedRequest, eventIds: readonly string[]) => ({
  ...renderSummary(request),
  ...(request.requestBody && { requestBody: request.requestBody.text }),
  requestBodyCut: request.requestBody?.isCut ?? false,
  ...(request.responseBody && { responseBody: request.responseBody.text }),
  responseBodyCut: request.responseBody?.isCut ?? false,
  eventIds,
});
