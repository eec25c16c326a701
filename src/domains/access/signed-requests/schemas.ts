// Wire schemas of signing challenges, and how a signed call is read and its outcome answered.
import Type from 'typebox';
import { type Answer, accepted, type Request } from '../../../http/operation.js';
import { Enum, SignedRequestChallenge } from '../../../http/schemas.js';
import { type Call, CREDENTIAL_TYPES, type SigningChallenge, type SigningOutcome } from './signed-request.js';

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
