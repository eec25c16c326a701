// The signed retry, once for every operation that needs the owner of a wallet: ask for a signature, then act on it exactly once.
import { createHash } from 'node:crypto';
import type { Tx } from '../../../db/pool.js';
import type { SignedCall } from '../../../http/operation.js';
import { ApiError } from '../../../kernel/errors.js';
import { type InternalAccountId, newId, type PlatformId, parseId } from '../../../kernel/ids.js';
import { canonicalJson } from '../../../kernel/json.js';
import { plusMs } from '../../../kernel/time.js';
import { ACTIVITY_LIFE_MS, type ActivityType, describeActivity, type Parameters } from '../../../providers/wallet-signer/activity.js';
import type { Signer, WalletSigner } from '../../../providers/wallet-signer/signer.js';
import { parseStamp, type Stamp, stampSigns } from '../../../providers/wallet-signer/stamp.js';
import type { Consented, CredentialType, SignedRequest, SignedRequestId, SigningChallenge } from './keys.js';
import { decideRetry, signatureInvalid } from './rules.js';
import { insertSignedRequest, lockSignedRequest, recentPayloads, useSignedRequest } from './store.js';

/** The call as it arrived. Operation, target and body are what a request is bound to. */
export type Call = {
  readonly platformId: PlatformId;
  readonly now: Date;
  readonly operation: string;
  readonly target: string;
  readonly body: unknown;
  readonly signed: SignedCall;
};

export type Ask = {
  readonly accountId: InternalAccountId;
  /** The text to sign. It names the request, so that no two texts are the same. */
  readonly payload: (requestId: SignedRequestId) => string;
  readonly type?: CredentialType;
  readonly leg?: number;
  /** The only key that may sign. */
  readonly expectedKey?: string | undefined;
  readonly facts?: unknown;
  readonly secretSealed?: Buffer;
};

/** The text that asks the wallet signer for an activity. */
export const toSign =
  (accountId: InternalAccountId, type: ActivityType, parameters: Parameters, at: Date) =>
  (requestId: SignedRequestId): string =>
    describeActivity({ type, accountId, parameters: { ...parameters, requestId }, at });

const hashBody = (body: unknown): Buffer =>
  createHash('sha256')
    .update(canonicalJson(body ?? null))
    .digest();

/** Remembers what the owner is to sign and for which call. `bound: false` when the proof will be the body of another call. */
export function askToSign(
  tx: Tx,
  { platformId, now, operation, target, body }: Omit<Call, 'signed'>,
  { accountId, payload, type, leg = 1, expectedKey, facts = {}, secretSealed }: Ask,
  { bound = true } = {},
): SigningChallenge {
  const id = newId('Request');
  const text = payload(id);
  const request: SignedRequest = {
    id,
    operation,
    target,
    bodyHash: bound ? hashBody(body) : undefined,
    accountId,
    leg,
    payload: text,
    expectedKey,
    facts,
    secretSealed,
    createdAt: now,
    expiresAt: plusMs(now, ACTIVITY_LIFE_MS),
    usedAt: undefined,
  };
  insertSignedRequest(tx, platformId, request);
  return { payloadToSign: text, requestId: id, expiresAt: request.expiresAt, type };
}

/** The request a call names, locked, if it was given for this call and can still be used. */
export async function lockRequestOf(tx: Tx, call: Omit<Call, 'signed'>, requestId: string): Promise<SignedRequest> {
  const id = parseId('Request', requestId);
  const request = id && (await lockSignedRequest(tx, call.platformId, id));
  return decideRetry({ request, operation: call.operation, target: call.target, bodyHash: hashBody(call.body), now: call.now });
}

type Retry = { readonly request: SignedRequest; readonly stamp: Stamp };

async function openRetry(tx: Tx, call: Call): Promise<Retry> {
  if (call.signed.kind !== 'retry') throw new Error('an initial call has nothing to redeem');
  const stamp = parseStamp(call.signed.stamp);
  if (!stamp) throw new ApiError('WALLET_SIGNATURE_MALFORMED');
  const request = await lockRequestOf(tx, call, call.signed.requestId);
  if (request.expectedKey && request.expectedKey !== stamp.publicKey) throw signatureInvalid('KEY_UNEXPECTED');
  return { request, stamp };
}

export type Redeemed = { readonly request: SignedRequest; readonly owner: Signer; readonly exported: string | undefined };

/** Uses up the request: the wallet signer carries out what was signed, or nothing happened. */
export async function redeem(signer: WalletSigner, tx: Tx, call: Call): Promise<Redeemed> {
  const { request, stamp } = await openRetry(tx, call);
  // A refusal takes this back with everything else.
  useSignedRequest(tx, call.platformId, request.id, call.now);
  const done = await signer.submit(tx, call.platformId, { payload: request.payload, stamp }, call.now);
  if (done === 'SIGNATURE_INVALID') throw await explainMismatch(tx, call, request, stamp);
  if (typeof done === 'string') throw signatureInvalid(done);
  return { request, owner: done.by, exported: done.exported };
}

/** The same for a key that is no signer yet: the fresh key of a login, which must be the expected one. */
export async function redeemLogin(tx: Tx, call: Call): Promise<SignedRequest> {
  const { request, stamp } = await openRetry(tx, call);
  if (!stampSigns(stamp, request.payload)) throw await explainMismatch(tx, call, request, stamp);
  useSignedRequest(tx, call.platformId, request.id, call.now);
  return request;
}

const PAYLOADS_TRIED = 16;

/** A good signature over another text of the same account was made for another body; anything else is just not valid. */
async function explainMismatch(tx: Tx, { platformId }: Call, request: SignedRequest, stamp: Stamp): Promise<ApiError> {
  const others = await recentPayloads(tx, platformId, request.accountId, PAYLOADS_TRIED);
  return others.some((payload) => payload !== request.payload && stampSigns(stamp, payload))
    ? new ApiError('WALLET_SIGNATURE_BODY_MISMATCH')
    : signatureInvalid('SIGNATURE_INVALID');
}

/** Two legs: `ask` gathers, decides and says what to sign; `act` runs once it is signed, and decides again on what it finds then. */
export async function withConsent<Result>(
  signer: WalletSigner,
  tx: Tx,
  call: Call,
  { ask, act }: { ask: () => Promise<Ask>; act: (redeemed: Redeemed) => Promise<Result> },
): Promise<Consented<Result>> {
  if (call.signed.kind === 'initial') return { challenge: askToSign(tx, call, await ask()) };
  return { done: await act(await redeem(signer, tx, call)) };
}
