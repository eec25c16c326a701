// Wire shapes of the timeline.
import Type from 'typebox';
import { Closed, Enum, OneOf, pageOfSchema, pageQuery, Timestamp } from '../../../http/schemas.js';
import { CauseSchema } from '../webhooks/schemas.js';
import type { TimelineItem, TimelineKind } from './timeline.js';

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
      decimals: Type.Integer({ minimum: 0, description: 'How many decimals the amounts have.' }),
      reason: Type.String({ description: 'What the ledger booked it for.' }),
      accountId: Type.String({ description: 'The internal account.' }),
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

export const TimelineQuery = Closed({
  objectId: Type.String({ minLength: 1, maxLength: 200, description: 'The id of any object.' }),
  ...pageQuery,
});

export const TimelineResponse = pageOfSchema(TimelineItemSchema, 'TimelineResponse');

export const renderItem = ({ kind, at, timestamp, cause, facts }: TimelineItem) => ({
  kind,
  occurredAt: new Date(at).toISOString(),
  timestamp: timestamp.toISOString(),
  ...(cause && { cause }),
  ...facts,
});
