// Distinguishes an initial call, a signed retry and an incomplete retry. The signed-requests domain checks the signature itself.
import { ApiError } from '../kernel/errors.js';
import type { SignedCall } from './operation.js';

export const SIGNATURE_HEADER = 'Service-Wallet-Signature';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export function signedCallOf(headers: Headers, signatureHeaders: readonly string[], mayBeNamed = false): SignedCall {
  const stamp = signatureHeaders.map((name) => headers[name.toLowerCase()]).find((value) => value !== undefined);
  const requestId = headers['request-id'];
  if (stamp === undefined && requestId === undefined) return { kind: 'initial' };
  if (stamp === undefined && requestId !== '' && mayBeNamed) return { kind: 'named', requestId: String(requestId) };
  if (stamp === undefined || stamp === '') throw new ApiError('WALLET_SIGNATURE_MISSING');
  if (requestId === undefined || requestId === '') throw new ApiError('REQUEST_ID_MISSING');
  if (typeof stamp !== 'string') throw new ApiError('WALLET_SIGNATURE_MALFORMED');
  return { kind: 'retry', stamp, requestId: String(requestId) };
}

/** The names of the header with a stamp, in lower case. */
export const signatureHeadersOf = ({
  walletSignatureHeaderAliases,
}: {
  readonly walletSignatureHeaderAliases: readonly string[];
}): string[] => [SIGNATURE_HEADER, ...walletSignatureHeaderAliases].map((name) => name.toLowerCase());

/** The stamp of a call that is signed once, without an initial call. `names` are in lower case. */
export function signatureIn(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): string | undefined {
  const value = names.map((name) => headers[name]).find((sent) => sent !== undefined);
  return typeof value === 'string' ? value : value?.join(',');
}
