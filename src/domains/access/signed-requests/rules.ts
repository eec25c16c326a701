// Which signed retries are accepted.
import { ApiError } from '../../../kernel/errors.js';
import type { SignedRequest, SignedRequestStatus } from './signed-request.js';

export type RetryFacts = {
  readonly request: SignedRequest | undefined;
  readonly operation: string;
  readonly target: string;
  readonly bodyHash: Buffer;
  readonly now: Date;
};

export const signatureInvalid = (cause: string): ApiError => new ApiError('WALLET_SIGNATURE_INVALID', { cause });

export const statusOf = ({ usedAt, expiresAt }: Pick<SignedRequest, 'usedAt' | 'expiresAt'>, now: Date): SignedRequestStatus => {
  if (usedAt) return 'USED';
  return now >= expiresAt ? 'EXPIRED' : 'OPEN';
};

/** The request that a retry names, if the request was issued for this call and can still be used. */
export function decideRetry({ request, operation, target, bodyHash, now }: RetryFacts): SignedRequest {
  // A request of another platform, operation or resource was never issued for this call.
  if (!request || request.operation !== operation || request.target !== target) throw signatureInvalid('REQUEST_UNKNOWN');
  if (request.usedAt) throw signatureInvalid('REQUEST_USED');
  if (now >= request.expiresAt) throw signatureInvalid('REQUEST_EXPIRED');
  if (request.bodyHash && !request.bodyHash.equals(bodyHash)) throw new ApiError('WALLET_SIGNATURE_BODY_MISMATCH');
  return request;
}
