// The timeline of an object.
import Type from 'typebox';
import type { Db } from '../../../db/pool.js';
import { type Operation, ok, operation } from '../../../http/operation.js';
import { Closed, Enum, OneOf, pageOfSchema, pageQuery, Timestamp } from '../../../http/schemas.js';
import { decodeCursor, encodeCursor } from '../../../kernel/page.js';
import { CauseSchema } from '../webhooks/schemas.js';
import type { Recorder } from './recorder.js';
import { mergeTimeline, TIMELINE_KINDS, type TimelineItem, type TimelineKind, type TimelinePosition } from './timeline.js';
import { SOURCES } from './timeline-store.js';

const item = (kind: TimelineKind, title: string, description: string, members: Parameters<typeof Type.Object>[0]) =>
  Type.Object(
    {
      kind: Enum([kind], { description: 'What the item is.' }),
      occurredAt: Timestamp({ description: 'The real time. Items are in this order, newest first.' }),
      timestamp: Timestamp({ description: "The time of the platform's clock." }),
      cause: Type.Optional(CauseSchema),
      ...members,
    },
    { title, description },
  );

const Attempt = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Counts the attempts of the event.' }),
    startedAt: Timestamp({ description: 'When the request was sent.' }),
    durationMs: Type.Integer({ description: 'Milliseconds until the answer or the failure.' }),
    responseStatus: Type.Optional(Type.Integer({ description: 'The HTTP status of the receiver. Absent when it gave no answer.' })),
    failure: Type.Optional(Type.String({ description: 'Why there was no answer.' })),
  },
  { title: 'TimelineAttempt', description: 'An attempt to deliver an event.' },
);

const TimelineItemSchema = OneOf<unknown>(
  'kind',
  [
    item('REQUEST', 'TimelineRequest', 'A request that names the object.', {
      requestId: Type.String({ description: 'The `X-Request-Id` of the answer.' }),
      operation: Type.String({ description: 'The operation id.' }),
      method: Type.String({ description: 'The HTTP method.' }),
      path: Type.String({ description: 'Below the base path.' }),
      status: Type.Integer({ description: 'The HTTP status of the answer.' }),
      code: Type.Optional(Type.String({ description: 'The error code of a refusal.' })),
      durationMs: Type.Number({ description: 'Milliseconds from the request to the end of the answer.' }),
    }),
    item('SIGNATURE', 'TimelineSignature', 'The owner of a wallet was asked for a signature.', {
      signedRequestId: Type.String({ description: 'The request that is signed.' }),
      operation: Type.String({ description: 'The operation that needs the signature.' }),
      leg: Type.Integer({ minimum: 1, description: 'Number of the signature within the operation.' }),
      expiresAt: Timestamp({ description: 'Until when the signature is accepted.' }),
      usedAt: Type.Optional(Timestamp({ description: 'When the signed call was executed.' })),
    }),
    item('PROOF', 'TimelineProof', 'An attempt to prove the ownership of an external account.', {
      proofId: Type.String({ description: 'The proof.' }),
      method: Type.String({ description: 'How ownership was to be proven.' }),
      verdict: Type.String({ description: 'VALID, INVALID or EXPIRED.' }),
      reason: Type.Optional(Type.String({ description: 'Why the proof was invalid.' })),
    }),
    item('CHANGE', 'TimelineChange', 'A change of a card.', {
      change: Type.String({ description: 'What was done, such as ISSUED, PROVISIONED or UPDATED.' }),
      fromStatus: Type.Optional(Type.String({ description: 'The status before. Absent for the first.' })),
      toStatus: Type.String({ description: 'The status after.' }),
      substatus: Type.Optional(Type.String({ description: 'The substatus that the caller gave.' })),
      reason: Type.Optional(Type.String({ description: 'The reason that the caller gave.' })),
    }),
    item('LEDGER_ENTRY', 'TimelineLedgerEntry', 'Money that moved on an internal account.', {
      amount: Type.Integer({ description: 'In the smallest unit of the currency; below zero for money that left.' }),
      balanceAfter: Type.Integer({ description: 'The total balance after it.' }),
      currency: Type.String({ description: 'The code of the currency.' }),
      reason: Type.String({ description: 'What the ledger booked it for.' }),
      transactionId: Type.Optional(Type.String({ description: 'The transaction it belongs to.' })),
    }),
    item('EVENT', 'TimelineEvent', 'An event of the object, with its latest attempts.', {
      eventId: Type.String({ description: 'The event.' }),
      type: Type.String({ description: 'What happened.' }),
      sequence: Type.Integer({ minimum: 1, description: "Counts the object's events." }),
      attempts: Type.Array(Attempt, { description: 'The last ten attempts to deliver it, oldest first.' }),
    }),
  ],
  { title: 'TimelineItem', description: 'One thing that happened to an object.' },
);

const TimelineResponse = pageOfSchema(TimelineItemSchema, 'TimelineResponse');

const render = ({ kind, at, timestamp, cause, facts }: TimelineItem) => ({
  kind,
  occurredAt: new Date(at).toISOString(),
  timestamp: timestamp.toISOString(),
  ...(cause && { cause }),
  ...facts,
});

/** `-` for a kind of which nothing was shown yet. */
const NOTHING = '-';

function positionOf(cursor: string, scope: unknown): TimelinePosition {
  const shapes = TIMELINE_KINDS.map((kind) => new RegExp(`^(?:${NOTHING}|${SOURCES[kind].key.source})$`));
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
    query: Closed({ objectId: Type.String({ minLength: 1, maxLength: 200, description: 'The id of any object.' }), ...pageQuery }),
    success: { 200: TimelineResponse },
    handle: async ({ platformId, query: { limit = 20, cursor, objectId } }) => {
      await recorder.flush();
      const scope = ['getTimeline', platformId, objectId];
      const from = cursor === undefined ? {} : positionOf(cursor, scope);
      const lists = await Promise.all(TIMELINE_KINDS.map((kind) => SOURCES[kind].list(db, platformId, objectId, from[kind], limit + 1)));
      const { items, next } = mergeTimeline(lists, limit, from);
      const nextCursor =
        next &&
        encodeCursor(
          TIMELINE_KINDS.map((kind) => next[kind] ?? NOTHING),
          scope,
        );
      return ok({ data: items.map(render), hasMore: nextCursor !== undefined, ...(nextCursor !== undefined && { nextCursor }) });
    },
  }),
];
