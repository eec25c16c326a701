// Wire schemas of signing challenges, and how a signed call is read and its outcome answered.
import Type from 'typebox';
import { type Answer, accepted, type Request } from '../../../http/operation.js';
import { Enum, pageOfSchema, SignedRequestChallenge, Timestamp } from '../../../http/schemas.js';
import { statusOf } from './rules.js';
import {
  type Call,
  CREDENTIAL_TYPES,
  SIGNED_REQUEST_STATUSES,
  type SignedRequest,
  type SigningChallenge,
  type SigningOutcome,
} from './signed-request.js';

export const AuthMethodType = Enum(CREDENTIAL_TYPES, { title: 'AuthMethodType' });

export const AuthSignedRequestChallenge = Type.Object(
  { ...SignedRequestChallenge.properties, type: AuthMethodType },
  { title: 'AuthSignedRequestChallenge' },
);

/** This service completes wallet operations at once; the API also allows an answer before completion. */
export const WalletOperationProcessing = Type.Object(
  { status: Enum(['PROCESSING']), message: Type.Optional(Type.String()) },
  { title: 'WalletOperationProcessing' },
);

export const SignedRequestSchema = Type.Object(
  {
    id: Type.String({ description: 'The `requestId` of the challenge, to be sent as `Request-Id` with the signature.' }),
    status: Enum(SIGNED_REQUEST_STATUSES, { description: 'OPEN until it is used or expires.' }),
    operation: Type.String({ description: 'The operation id that is called again with the signature.' }),
    targetId: Type.Optional(Type.String({ description: 'The id in the path of the call, if it has one.' })),
    leg: Type.Integer({ minimum: 1, description: 'Number of the signature within an operation that needs several.' }),
    payloadToSign: Type.String({ description: 'What the owner signs, byte for byte.' }),
    internalAccountId: Type.String({ description: 'The embedded wallet whose owner signs.' }),
    expectedPublicKey: Type.Optional(
      Type.String({ description: 'The only key that may sign. Absent if every session key of the account may.' }),
    ),
    createdAt: Timestamp({ description: 'When it was asked for.' }),
    expiresAt: Timestamp({ description: 'Until when the signature is accepted.' }),
    usedAt: Type.Optional(Timestamp({ description: 'When the signed call was executed.' })),
  },
  { title: 'SignedRequest', description: 'A call that waits, or waited, for the signature of the owner of a wallet.' },
);
export const SignedRequestListResponse = pageOfSchema(SignedRequestSchema, 'SignedRequestListResponse');

export const renderSignedRequest =
  (now: Date) =>
  ({ id, operation, target, leg, payload, accountId, expectedKey, createdAt, expiresAt, usedAt }: SignedRequest) => ({
    id,
    status: statusOf({ usedAt, expiresAt }, now),
    operation,
    ...(target !== '' && { targetId: target }),
    leg,
    payloadToSign: payload,
    internalAccountId: accountId,
    ...(expectedKey !== undefined && { expectedPublicKey: expectedKey }),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    ...(usedAt && { usedAt: usedAt.toISOString() }),
  });

/** What a signed request is bound to: the operation, the resource in its path, the body. */
export const parseCall = (operation: string, { platformId, now, params, body, signed }: Request): Call => ({
  platformId,
  now,
  operation,
  target: params['id'] ?? '',
  body,
  signed,
});

export const renderSigningChallenge = ({ payloadToSign, requestId, expiresAt, type }: SigningChallenge) => ({
  payloadToSign,
  requestId,
  expiresAt: expiresAt.toISOString(),
  ...(type === undefined ? {} : { type }),
});

/** 202 with the challenge, or the answer that `answer` makes of the result. */
export const renderOutcome = <Result>(outcome: SigningOutcome<Result>, answer: (result: Result) => Answer): Answer =>
  'challenge' in outcome ? accepted(renderSigningChallenge(outcome.challenge)) : answer(outcome.result);
