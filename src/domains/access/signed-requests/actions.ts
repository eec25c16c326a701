// The signed retry, for every operation that needs the owner of a wallet: request a signature, then execute exactly once.
import { createHash } from 'node:crypto';
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import { type InternalAccountId, newId, type PlatformId, parseId } from '../../../kernel/ids.js';
import { canonicalJson } from '../../../kernel/json.js';
import { plusMs } from '../../../kernel/time.js';
import { ACTIVITY_LIFE_MS, type ActivityType, describeActivity, type Parameters } from '../../../providers/wallet-signer/activity.js';
import type { Signer, WalletSigner } from '../../../providers/wallet-signer/signer.js';
import { type OwnerSignature, SANDBOX_SIGNATURE, type Stamp, stampSigns } from '../../../providers/wallet-signer/stamp.js';
import { decideRetry, signatureInvalid } from './rules.js';
import type { Call, Facts, NewChallenge, SignedRequest, SignedRequestId, SigningChallenge, SigningOutcome } from './signed-request.js';
import { findRecentPayloads, findSignedRequest, insertSignedRequest, lockSignedRequest, markRequestUsed } from './store.js';

export { signatureInvalid } from './rules.js';
export { markRequestUsed } from './store.js';

/** The payload of a challenge that requests an activity of the wallet signer. */
export const activityPayload =
  (accountId: InternalAccountId, type: ActivityType, parameters: Parameters, at: Date) =>
  (requestId: SignedRequestId): string =>
    describeActivity({ type, accountId, parameters: { ...parameters, requestId }, at });

export async function getSignedRequest(
  tx: Pick<Tx, 'one' | 'many'>,
  platformId: PlatformId,
  id: SignedRequestId | undefined,
): Promise<SignedRequest> {
  const request = id && (await findSignedRequest(tx, platformId, id));
  if (!request) throw new ApiError('NOT_FOUND');
  return request;
}

const hashBody = (body: unknown): Buffer =>
  createHash('sha256')
    .update(canonicalJson(body ?? null))
    .digest();

/** Stores what the owner must sign, and for which call. `bound: false` when the proof will be the body of another call. */
export function requestSignature(
  tx: Tx,
  { platformId, now, operation, target, body }: Omit<Call, 'signed'>,
  { accountId, payload, type, leg = 1, expectedKey, facts = {}, secretSealed }: NewChallenge,
  { bound = true } = {},
): SigningChallenge {
  const id = newId('Request');
  const payloadToSign = payload(id);
  const request: SignedRequest = {
    id,
    operation,
    target,
    bodyHash: bound ? hashBody(body) : undefined,
    accountId,
    leg,
    payload: payloadToSign,
    expectedKey,
    facts,
    secretSealed,
    createdAt: now,
    expiresAt: plusMs(now, ACTIVITY_LIFE_MS),
    usedAt: undefined,
  };
  insertSignedRequest(tx, platformId, request);
  return { payloadToSign, requestId: id, expiresAt: request.expiresAt, type };
}

/** The request that a call names, locked, if it was issued for this call and can still be used. */
export async function lockRequestFor(tx: Tx, call: Omit<Call, 'signed'>, requestId: string): Promise<SignedRequest> {
  const id = parseId('Request', requestId);
  const request = id && (await lockSignedRequest(tx, call.platformId, id));
  return decideRetry({ request, operation: call.operation, target: call.target, bodyHash: hashBody(call.body), now: call.now });
}

type Retry = { readonly request: SignedRequest; readonly stamp: OwnerSignature };

async function openRetry(signer: WalletSigner, tx: Tx, call: Call): Promise<Retry> {
  if (call.signed.kind !== 'retry') throw new Error('an initial call has nothing to redeem');
  const stamp = signer.readSignature(call.signed.stamp);
  if (!stamp) throw new ApiError('WALLET_SIGNATURE_MALFORMED');
  const request = await lockRequestFor(tx, call, call.signed.requestId);
  if (request.expectedKey && stamp !== SANDBOX_SIGNATURE && request.expectedKey !== stamp.publicKey)
    throw signatureInvalid('KEY_UNEXPECTED');
  return { request, stamp };
}

export type Redeemed = {
  readonly request: SignedRequest;
  readonly owner: Signer;
  /** The sandbox signature stands for every active key of the account; `owner` is one of them. */
  readonly isAnyKey: boolean;
  readonly exported: string | undefined;
};

/** Uses the request up. The wallet signer executes the signed payload; a refusal rolls everything back. */
export async function redeem(signer: WalletSigner, tx: Tx, call: Call): Promise<Redeemed> {
  const { request, stamp } = await openRetry(signer, tx, call);
  const { payload, expectedKey } = request;
  markRequestUsed(tx, call.platformId, request.id, call.now);
  const done = await signer.submit(tx, call.platformId, { payload, stamp, expectedKey }, call.now);
  if (done === 'SIGNATURE_INVALID' && stamp !== SANDBOX_SIGNATURE) throw await explainMismatch(tx, call, request, stamp);
  if (typeof done === 'string') throw signatureInvalid(done);
  return { request, owner: done.by, isAnyKey: stamp === SANDBOX_SIGNATURE, exported: done.exported };
}

/** As `redeem`, for a key that is not a signer yet: the new key of a login, which must be the expected one. */
export async function redeemLogin(signer: WalletSigner, tx: Tx, call: Call): Promise<SignedRequest> {
  const { request, stamp } = await openRetry(signer, tx, call);
  if (stamp !== SANDBOX_SIGNATURE && !stampSigns(stamp, request.payload)) throw await explainMismatch(tx, call, request, stamp);
  markRequestUsed(tx, call.platformId, request.id, call.now);
  return request;
}

const PAYLOADS_COMPARED = 16;

/** A valid signature over another payload of the same account was made for another body. Anything else is an invalid signature. */
async function explainMismatch(tx: Tx, { platformId }: Call, request: SignedRequest, stamp: Stamp): Promise<ApiError> {
  const others = await findRecentPayloads(tx, platformId, request.accountId, PAYLOADS_COMPARED);
  return others.some((payload) => payload !== request.payload && stampSigns(stamp, payload))
    ? new ApiError('WALLET_SIGNATURE_BODY_MISMATCH')
    : signatureInvalid('SIGNATURE_INVALID');
}

export type SignedSteps<Result> = {
  /** Gathers, decides and returns what the owner must sign. */
  readonly challenge: () => Promise<NewChallenge>;
  /** Runs once it is signed, and decides again on the facts of that moment. */
  readonly execute: (redeemed: Redeemed) => Promise<Result>;
};

/** An operation in two legs: the initial call and the signed retry. */
export async function withOwnerSignature<Result>(
  signer: WalletSigner,
  tx: Tx,
  call: Call,
  { challenge, execute }: SignedSteps<Result>,
): Promise<SigningOutcome<Result>> {
  if (call.signed.kind === 'initial') return { challenge: requestSignature(tx, call, await challenge()) };
  return { result: await execute(await redeem(signer, tx, call)) };
}

const STORED = 'a retry finds the facts that its challenge stored';

export function textFact(facts: Facts, name: string): string {
  const value = facts[name];
  assert(typeof value === 'string', STORED);
  return value;
}

export function objectFact(facts: Facts, name: string): Facts {
  const value = facts[name];
  assert(value !== null && typeof value === 'object' && !Array.isArray(value), STORED);
  return value;
}
