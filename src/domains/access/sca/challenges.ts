// Challenges: opened for one factor, answered by one proof, bound to what they are for. The caller has locked the customer.
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { Tx } from '../../../db/pool.js';
import { type ApiError, assert } from '../../../kernel/errors.js';
import { type CustomerId, newId, type PlatformId } from '../../../kernel/ids.js';
import { codeMatches, hashCode, newCode, SANDBOX_CODE } from '../../../kernel/one-time-code.js';
import { plusMs } from '../../../kernel/time.js';
import { enqueueMessage, requireChannel } from '../../core/messages/actions.js';
import type { Platform } from '../../core/platform/platform.js';
import { type ChallengeKey, deleteChallenge, saveChallenge } from './challenge-store.js';
import { type Bound, contextOf, findRecoveryCode, hashRecoveryCode, newNonce, passkeyChallengeOf } from './codes.js';
import type { ScaDeps } from './deps.js';
import { openTotpSecret } from './enrollment.js';
import { assertionOptions, verifyAssertion } from './passkeys.js';
import { CHALLENGE_LIFE_MS, relyingPartyOf, requireRelyingParty, TRIES, takeUse, type WrongProof, wrongProof } from './rules.js';
import type { Challenge, Factors, LimitedAction, PaymentStep, Proof, Purpose, ScaFactor, Security } from './sca.js';
import { findUses, saveCounter, saveRecoveryCodes, saveSecurity, saveUses } from './store.js';
import { findStep, useStep } from './totp.js';

const LIMIT_OF: Readonly<Record<Purpose, LimitedAction>> = {
  LOGIN: 'LOGIN_CODE',
  TRUST: 'TRUST_CODE',
  UNTRUST: 'TRUST_CODE',
  PAYMENT: 'PAYMENT_CODE',
};

export type Opening = ChallengeKey & {
  readonly platform: Platform;
  readonly factors: Factors;
  /** One that the customer can use. */
  readonly factor: ScaFactor;
  readonly step: PaymentStep | null;
  /** Of a payment: the amounts and the payee, which the proof is bound to. */
  readonly authorizes: string;
  /** The text message with the code. */
  readonly message: (code: string) => string;
  readonly now: Date;
};

/** Opens a challenge, which replaces the open one of the same purpose and target, and sends the code of an SMS_OTP. */
export async function openChallenge(tx: Tx, deps: ScaDeps, opening: Opening): Promise<Challenge> {
  const { platform, factors, factor, customerId, purpose, targetId, step, now } = opening;
  const common = {
    id: newId('ScaChallenge'),
    customerId,
    purpose,
    targetId,
    step,
    triesLeft: TRIES,
    createdAt: now,
    expiresAt: plusMs(now, CHALLENGE_LIFE_MS[factor]),
  };
  const challenge = await answerable();
  saveChallenge(tx, platform.id, challenge);
  return challenge;

  async function answerable(): Promise<Challenge> {
    switch (factor) {
      case 'SMS_OTP':
        return { ...common, factor, codeHash: await sendCode(tx, deps, { ...opening, ...common, platformId: platform.id }) };
      case 'TOTP':
        return { ...common, factor };
      case 'PASSKEY':
        assert(factors.passkey, 'the factor is usable');
        requireRelyingParty(platform);
        return { ...common, factor, nonce: newNonce() };
    }
  }
}

/** Refused when the customer has reached the limit of the purpose. */
export async function countStart(tx: Tx, platformId: PlatformId, customerId: CustomerId, purpose: Purpose, now: Date): Promise<void> {
  const action = LIMIT_OF[purpose];
  saveUses(tx, platformId, customerId, action, takeUse(action, await findUses(tx, platformId, customerId, action), now));
}

type Sending = Bound & Pick<Challenge, 'expiresAt'> & Pick<Opening, 'platform' | 'factors' | 'message' | 'now'>;

/** Sends a new code to the verified phone number and returns its hash. */
async function sendCode(tx: Tx, deps: ScaDeps, sending: Sending): Promise<Buffer> {
  const { platform, factors, customerId, purpose, expiresAt, message, now } = sending;
  assert(factors.phone, 'the factor is usable');
  requireChannel(deps.messengers[platform.mode], 'SMS');
  await countStart(tx, platform.id, customerId, purpose, now);
  const code = newCode(deps.isSandbox);
  enqueueMessage(tx, deps, platform.id, now, { channel: 'SMS', to: factors.phone, subject: '', text: message(code), expiresAt });
  return hashCode(deps.secrets.requestHashKey, contextOf(sending), code);
}

/** Sends another code for the same challenge. The older code is void; the challenge does not live longer for it. */
export async function resendCode(
  tx: Tx,
  deps: ScaDeps,
  challenge: Challenge & { readonly factor: 'SMS_OTP' },
  opening: Pick<Opening, 'platform' | 'factors' | 'authorizes' | 'message' | 'now'>,
): Promise<void> {
  const codeHash = await sendCode(tx, deps, { ...challenge, ...opening, platformId: opening.platform.id });
  saveChallenge(tx, opening.platform.id, { ...challenge, codeHash });
}

export type PasskeyRequest = {
  readonly options: PublicKeyCredentialRequestOptionsJSON;
  readonly allowedOrigins: readonly string[];
  readonly relyingPartyId: string;
};

/** What the browser needs to answer a challenge with the passkey; undefined for other factors. */
export async function passkeyRequestOf(
  platform: Platform,
  { passkey }: Factors,
  challenge: Challenge,
  authorizes: string,
): Promise<PasskeyRequest | undefined> {
  const party = relyingPartyOf(platform);
  if (challenge.factor !== 'PASSKEY' || !passkey || !party) return undefined;
  const bytes = passkeyChallengeOf(challenge.nonce, { ...challenge, platformId: platform.id, authorizes });
  const options = await assertionOptions(passkey, bytes, CHALLENGE_LIFE_MS.PASSKEY);
  return { options, allowedOrigins: party.origins, relyingPartyId: passkey.rpId };
}

// ---- proofs

export type Presented = {
  readonly platform: Platform;
  readonly challenge: Challenge;
  readonly factors: Factors;
  readonly security: Security;
  readonly proof: Proof;
  readonly authorizes: string;
  /** Whether a code of the authenticator app serves, and a recovery code in its place. */
  readonly accepts: { readonly totp: boolean; readonly recoveryCodes: boolean };
  readonly now: Date;
};

/** What an accepted proof uses up. */
export type Accepted = {
  readonly factor: ScaFactor;
  readonly step?: number;
  readonly counter?: number;
  readonly recoveryCodeHashes?: readonly Buffer[];
};

export type Verdict = { readonly accepted: Accepted } | { readonly wrong: Exclude<WrongProof, 'CHALLENGE_EXPIRED'> };

export async function judgeProof(deps: ScaDeps, presented: Presented): Promise<Verdict> {
  const { proof } = presented;
  const accepted = proof.kind === 'CODE' ? judgeCode(deps, presented, proof.code) : await judgeAssertion(presented, proof);
  return accepted ? { accepted } : { wrong: proof.kind === 'CODE' ? 'CODE_INVALID' : 'ASSERTION_INVALID' };
}

function judgeCode(deps: ScaDeps, presented: Presented, code: string): Accepted | undefined {
  const { platform, challenge, accepts, authorizes } = presented;
  const context = contextOf({ ...challenge, platformId: platform.id, authorizes });
  if (challenge.factor === 'SMS_OTP' && codeMatches(deps.secrets.requestHashKey, context, code, challenge.codeHash))
    return { factor: 'SMS_OTP' };
  return accepts.totp ? judgeTotp(deps, presented, code) : undefined;
}

function judgeTotp(deps: ScaDeps, presented: Presented, code: string): Accepted | undefined {
  const { platform, challenge, factors, security, accepts, now } = presented;
  const { totp } = factors;
  if (!totp) return undefined;
  const step = findStep(openTotpSecret(deps.custody, platform.id, challenge.customerId, totp.secretSealed), code, now, security.totpSteps);
  if (step !== undefined) return { factor: 'TOTP', step };
  if (deps.isSandbox && code === SANDBOX_CODE) return { factor: 'TOTP' };
  if (!accepts.recoveryCodes) return undefined;
  const hash = hashRecoveryCode(deps.secrets.requestHashKey, platform.id, challenge.customerId, code);
  const spent = findRecoveryCode(hash, totp.recoveryCodeHashes);
  return spent && { factor: 'TOTP', recoveryCodeHashes: totp.recoveryCodeHashes.filter((each) => each !== spent) };
}

async function judgeAssertion(presented: Presented, proof: Extract<Proof, { kind: 'ASSERTION' }>): Promise<Accepted | undefined> {
  const { platform, challenge, factors, authorizes } = presented;
  const party = relyingPartyOf(platform);
  if (challenge.factor !== 'PASSKEY' || !factors.passkey || !party) return undefined;
  const bytes = passkeyChallengeOf(challenge.nonce, { ...challenge, platformId: platform.id, authorizes });
  const counter = await verifyAssertion(party, factors.passkey, bytes, proof.assertion, proof.origin);
  return counter === undefined ? undefined : { factor: 'PASSKEY', counter };
}

/** A proof is good once: the challenge ends, and step, counter or recovery code are used up. */
export function spendProof(tx: Tx, platformId: PlatformId, { challenge, security, now }: Presented, accepted: Accepted): Security {
  const { customerId } = challenge;
  deleteChallenge(tx, platformId, challenge);
  if (accepted.counter !== undefined) saveCounter(tx, platformId, customerId, accepted.counter);
  if (accepted.recoveryCodeHashes) saveRecoveryCodes(tx, platformId, customerId, accepted.recoveryCodeHashes);
  if (accepted.step === undefined) return security;
  const used = { ...security, totpSteps: useStep(security.totpSteps, accepted.step, now) };
  saveSecurity(tx, platformId, customerId, used);
  return used;
}

/** A wrong proof uses up a try of the challenge. */
export function countWrong(tx: Tx, platformId: PlatformId, challenge: Challenge, cause: WrongProof): { readonly refusal: ApiError } {
  saveChallenge(tx, platformId, { ...challenge, triesLeft: challenge.triesLeft - 1 });
  return { refusal: wrongProof(cause) };
}
