// Verification of a credential, which opens a session.
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import { type OidcProblem, type OidcToken, verifyOidcToken } from '../../../providers/oidc.js';
import { sha256Hex } from '../../../providers/wallet-signer/p256.js';
import { SANDBOX_PASSKEY_SIGNATURE } from '../../../providers/wallet-signer/stamp.js';
import { openSession, parseClientKey } from '../sessions/actions.js';
import type { OpenedSession } from '../sessions/session.js';
import { lockRequestFor, markRequestUsed, redeemLogin, requestSignature, signatureInvalid, textFact } from '../signed-requests/actions.js';
import type { Call, SigningChallenge, SigningOutcome } from '../signed-requests/signed-request.js';
import type { Assertion, AuthMethodId, Credential, Passkey, Verification } from './credential.js';
import type { CredentialDeps } from './deps.js';
import { readOtp } from './otp.js';
import { verifyAssertion } from './passkey.js';
import { FAILURES, isOtp, requireSameContact, requireType, sameIdentity, takeAllowance } from './rules.js';
import { deleteOtp, findOtp, lockCredential, saveCredential, saveOtp } from './store.js';

/** Undefined when a replacement was verified, which opens no session. */
export type Verified = OpenedSession | undefined;

export async function verifyCredential(
  deps: CredentialDeps,
  call: Call,
  id: AuthMethodId | undefined,
  request: Verification,
  passkeyRequestId: string | undefined,
): Promise<SigningOutcome<Verified>> {
  const token = request.type === 'OAUTH' ? await verifyOidcToken(deps.issuers, request.oidcToken, call.now) : undefined;
  const outcome = await deps.db.transaction(async (tx) => {
    if (isOtp(request.type) && call.signed.kind === 'retry') return { result: await finishLogin(deps, tx, call, id) };
    const credential = await lockCredential(tx, call.platformId, id);
    requireType(credential, request.type);
    switch (request.type) {
      case 'EMAIL_OTP':
      case 'SMS_OTP':
        return checkOtp(deps, tx, call, credential, request.encryptedOtpBundle);
      case 'OAUTH':
        return { result: await signInWithToken(deps, tx, call, credential, request.clientPublicKey, token ?? 'MALFORMED') };
      case 'PASSKEY':
        return { result: await signInWithPasskey(deps, tx, call, credential, request.assertion, passkeyRequestId) };
    }
  });
  // A failed attempt is counted although the call is refused.
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome;
}

/** The cause tells it from a 401 about the platform's credentials, which has the same code. */
const refuseCode = (reason: string): ApiError => new ApiError('UNAUTHORIZED', { cause: 'INVALID_ONE_TIME_CODE' }, { reason });

/** The right code uses the one-time password up. The key that came with the code must then sign the login. */
async function checkOtp(
  { custody }: CredentialDeps,
  tx: Tx,
  call: Call,
  credential: Credential,
  bundle: string,
): Promise<{ challenge: SigningChallenge } | { refusal: ApiError }> {
  const { platformId, now } = call;
  const failuresSpentUntil = takeAllowance(credential.failuresSpentUntil, now, FAILURES);
  const otp = await findOtp(tx, platformId, credential.id);
  if (!otp || now >= otp.expiresAt) throw refuseCode('The OTP code has expired.');
  const read = await readOtp(custody, platformId, otp, bundle);
  if (!read) throw invalidField('encryptedOtpBundle', 'cannot be opened, or lacks a code and a compressed public key');

  if (!read.matches) {
    saveCredential(tx, platformId, { ...credential, failuresSpentUntil });
    if (otp.triesLeft > 1) saveOtp(tx, platformId, { ...otp, triesLeft: otp.triesLeft - 1 });
    else deleteOtp(tx, platformId, credential.id);
    return { refusal: refuseCode('Invalid OTP code') };
  }
  deleteOtp(tx, platformId, credential.id);
  const { accountId, proof } = credential;
  assert('contact' in proof, 'the type was compared');
  const { publicKey } = read;
  const payload = (tokenId: string) => JSON.stringify({ login: { publicKey }, tokenId, type: 'USAGE_TYPE_LOGIN' });
  // The contact that the code was sent to.
  const facts = { contact: proof.contact };
  return { challenge: requestSignature(tx, call, { accountId, payload, type: proof.type, expectedKey: publicKey, facts }) };
}

async function finishLogin(deps: CredentialDeps, tx: Tx, call: Call, id: AuthMethodId | undefined): Promise<Verified> {
  const { expectedKey, facts } = await redeemLogin(deps.signer, tx, call);
  const credential = await lockCredential(tx, call.platformId, id);
  requireSameContact(credential, textFact(facts, 'contact'));
  assert(expectedKey, 'a login names its key');
  return signIn(deps, tx, call, credential, expectedKey);
}

async function signInWithToken(
  deps: CredentialDeps,
  tx: Tx,
  call: Call,
  credential: Credential,
  clientPublicKey: string,
  token: OidcToken | OidcProblem,
): Promise<Verified> {
  const { proof } = credential;
  assert(proof.type === 'OAUTH', 'the type was compared');
  parseClientKey(clientPublicKey);
  const refuse = (cause: string) => new ApiError('UNAUTHORIZED', { cause }, { reason: 'The OIDC token was not accepted.' });
  if (typeof token === 'string') throw refuse(token);
  if (!sameIdentity(token, proof.identity)) throw refuse('OTHER_IDENTITY');
  // The token is bound to the client's key, so an intercepted token opens no session for another key.
  if (token.nonce !== sha256Hex(clientPublicKey)) throw refuse('NONCE_MISMATCH');
  return signIn(deps, tx, call, credential, clientPublicKey);
}

/** The counter after an accepted assertion. In the sandbox older clients send a fixed text for the signature of a known passkey. */
async function acceptedCounter({ signer }: CredentialDeps, passkey: Passkey, challenge: string, assertion: Assertion) {
  const isSandboxSignature = signer.acceptsSandboxSignatures && assertion.signature === SANDBOX_PASSKEY_SIGNATURE;
  if (isSandboxSignature) return assertion.credentialId === passkey.credentialId ? passkey.counter : undefined;
  return verifyAssertion(passkey, challenge, assertion);
}

async function signInWithPasskey(
  deps: CredentialDeps,
  tx: Tx,
  call: Call,
  credential: Credential,
  assertion: Assertion,
  requestId: string | undefined,
): Promise<Verified> {
  const { platformId, now } = call;
  const { proof } = credential;
  assert(proof.type === 'PASSKEY', 'the type was compared');
  if (requestId === undefined) throw new ApiError('REQUEST_ID_MISSING');
  const request = await lockRequestFor(tx, call, requestId);
  const counter = await acceptedCounter(deps, proof.passkey, sha256Hex(request.payload), assertion);
  if (counter === undefined) throw signatureInvalid('ASSERTION_INVALID');

  markRequestUsed(tx, platformId, request.id, now);
  const verified = { ...credential, proof: { ...proof, passkey: { ...proof.passkey, counter } } };
  return signIn(deps, tx, call, verified, textFact(request.facts, 'clientPublicKey'));
}

/** A verified replacement waits for the change of contact. Any other credential opens a session; the first one also creates the wallet. */
async function signIn({ signer }: CredentialDeps, tx: Tx, call: Call, credential: Credential, clientPublicKey: string): Promise<Verified> {
  const { platformId, now } = call;
  saveCredential(tx, platformId, { ...credential, verifiedAt: now, failuresSpentUntil: undefined });
  if (credential.replacement) return undefined;
  await signer.createWallet(tx, { platformId, accountId: credential.accountId }, now);
  return openSession(signer, tx, platformId, { ...credential, type: credential.proof.type }, clientPublicKey, now);
}
