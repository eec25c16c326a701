// Enrolment and removal of factors.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import type { Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import type { CustomerId, PlatformId } from '../../../kernel/ids.js';
import { SANDBOX_CODE } from '../../../kernel/one-time-code.js';
import { plusMs } from '../../../kernel/time.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { getPlatform } from '../../core/platform/actions.js';
import type { Platform } from '../../core/platform/platform.js';
import type { Customer } from '../../identity/customers/customer.js';
import { voidChallengesOfFactor } from './challenge-store.js';
import { hashRecoveryCode, newNonce, newRecoveryCodes } from './codes.js';
import { type Call, getRegulatedCustomer, lockRegulatedCustomer } from './customers.js';
import type { ScaDeps } from './deps.js';
import type { Outcome } from './outcome.js';
import { creationOptions, verifyCreation } from './passkeys.js';
import { markEnrolled } from './reset-store.js';
import { ENROLLMENT_LIFE_MS, isOpen, requireNotEnrolled, requireRelyingParty, TRIES, wrongProof } from './rules.js';
import type { Enrollment, Factors, Passkey, RelyingParty } from './sca.js';
import {
  deleteEnrollment,
  deleteFactor,
  findEnrollment,
  findFactors,
  findSecurity,
  insertPasskey,
  insertTotp,
  saveEnrollment,
  saveSecurity,
} from './store.js';
import { findStep, totpUri, useStep } from './totp.js';

const SECRET_BYTES = 20;

/** Binds the sealed secret to the customer, before and after its confirmation. */
export const totpSecretContext = (platformId: PlatformId, customerId: CustomerId): string => `totp secret ${platformId} ${customerId}`;

export const openTotpSecret = (custody: KeyCustody, platformId: PlatformId, customerId: CustomerId, sealed: Buffer): Buffer =>
  custody.open(sealed, totpSecretContext(platformId, customerId));

/** The name that authenticators show for the customer's account. */
const accountName = ({ email, platformCustomerId }: Customer): string => email ?? platformCustomerId;
export const appName = ({ config, name }: Platform): string => config.embeddedWalletConfig?.appName ?? name;

export async function listFactors(tx: Pick<Tx, 'one' | 'many'>, { platformId, customerId }: Call): Promise<Factors> {
  return findFactors(tx, platformId, await getRegulatedCustomer(tx, platformId, customerId));
}

// ---- authenticator app

export type TotpStart = { readonly secret: Buffer; readonly uri: string };

export async function startTotp(tx: Tx, { custody }: ScaDeps, { platformId, customerId, now }: Call): Promise<TotpStart> {
  const customer = await lockRegulatedCustomer(tx, platformId, customerId);
  requireNotEnrolled(await findFactors(tx, platformId, customer), 'TOTP');
  const secret = randomBytes(SECRET_BYTES);
  const secretSealed = custody.seal(secret, totpSecretContext(platformId, customer.id));
  saveEnrollment(tx, platformId, customer.id, {
    type: 'TOTP',
    secretSealed,
    triesLeft: TRIES,
    expiresAt: plusMs(now, ENROLLMENT_LIFE_MS),
  });
  const issuer = appName(await getPlatform(tx, platformId));
  return { secret, uri: totpUri({ issuer, account: accountName(customer), secret }) };
}

/** The recovery codes, which are shown this once. */
export async function confirmTotp(
  tx: Tx,
  { custody, secrets, isSandbox }: ScaDeps,
  { platformId, customerId, now }: Call,
  given: { readonly secret: string; readonly code: string },
): Promise<Outcome<readonly string[]>> {
  const customer = await lockRegulatedCustomer(tx, platformId, customerId);
  requireNotEnrolled(await findFactors(tx, platformId, customer), 'TOTP');
  const enrollment = await findEnrollment(tx, platformId, customer.id, 'TOTP');
  if (!isOpen(enrollment, now) || enrollment.type !== 'TOTP') throw wrongProof('CHALLENGE_EXPIRED');
  const security = await findSecurity(tx, platformId, customer.id);

  const secret = openTotpSecret(custody, platformId, customer.id, enrollment.secretSealed);
  const step = findStep(secret, given.code, now, security.totpSteps);
  const isRight = step !== undefined || (isSandbox && given.code === SANDBOX_CODE);
  if (!isSecret(secret, given.secret) || !isRight) return countWrongTry(tx, platformId, customer.id, enrollment, 'CODE_INVALID');

  const codes = newRecoveryCodes();
  const recoveryCodeHashes = codes.map((code) => hashRecoveryCode(secrets.requestHashKey, platformId, customer.id, code));
  deleteEnrollment(tx, platformId, customer.id, 'TOTP');
  insertTotp(tx, platformId, customer.id, { secretSealed: enrollment.secretSealed, recoveryCodeHashes }, now);
  if (step !== undefined) saveSecurity(tx, platformId, customer.id, { ...security, totpSteps: useStep(security.totpSteps, step, now) });
  markEnrolled(tx, platformId, customer.id, 'TOTP', now);
  return { result: codes };
}

function isSecret(secret: Buffer, text: string): boolean {
  const [expected, given] = [Buffer.from(secret.toString('hex')), Buffer.from(text)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function countWrongTry(
  tx: Tx,
  platformId: PlatformId,
  customerId: CustomerId,
  enrollment: Enrollment,
  cause: 'CODE_INVALID' | 'ASSERTION_INVALID',
): { readonly refusal: ApiError } {
  saveEnrollment(tx, platformId, customerId, { ...enrollment, triesLeft: enrollment.triesLeft - 1 });
  return { refusal: wrongProof(cause) };
}

// ---- passkey

export type PasskeyStart = { readonly options: PublicKeyCredentialCreationOptionsJSON; readonly party: RelyingParty };

export async function startPasskey(tx: Tx, { platformId, customerId, now }: Call): Promise<PasskeyStart> {
  const customer = await lockRegulatedCustomer(tx, platformId, customerId);
  requireNotEnrolled(await findFactors(tx, platformId, customer), 'PASSKEY');
  const party = requireRelyingParty(await getPlatform(tx, platformId));
  const challenge = newNonce();
  saveEnrollment(tx, platformId, customer.id, {
    type: 'PASSKEY',
    challenge,
    triesLeft: TRIES,
    expiresAt: plusMs(now, ENROLLMENT_LIFE_MS),
  });
  const owner = { id: customer.id, name: accountName(customer) };
  return { options: await creationOptions(party, owner, challenge, ENROLLMENT_LIFE_MS), party };
}

export async function confirmPasskey(
  tx: Tx,
  { platformId, customerId, now }: Call,
  given: { readonly credential: Readonly<Record<string, unknown>>; readonly origin: string },
): Promise<Outcome<Passkey>> {
  const customer = await lockRegulatedCustomer(tx, platformId, customerId);
  requireNotEnrolled(await findFactors(tx, platformId, customer), 'PASSKEY');
  const party = requireRelyingParty(await getPlatform(tx, platformId));
  const enrollment = await findEnrollment(tx, platformId, customer.id, 'PASSKEY');
  if (!isOpen(enrollment, now) || enrollment.type !== 'PASSKEY') throw wrongProof('CHALLENGE_EXPIRED');

  const passkey = await verifyCreation(party, enrollment.challenge, given.credential, given.origin);
  if (!passkey) return countWrongTry(tx, platformId, customer.id, enrollment, 'ASSERTION_INVALID');

  await insertPasskey(tx, platformId, customer.id, passkey, now);
  deleteEnrollment(tx, platformId, customer.id, 'PASSKEY');
  markEnrolled(tx, platformId, customer.id, 'PASSKEY', now);
  return { result: passkey };
}

/** Passkeys are the only factor with an id. */
export async function removePasskey(tx: Tx, { platformId, customerId }: Call, credentialId: string): Promise<void> {
  const customer = await lockRegulatedCustomer(tx, platformId, customerId);
  const { passkey } = await findFactors(tx, platformId, customer);
  if (passkey?.credentialId !== credentialId) throw new ApiError('NOT_FOUND');
  deleteFactor(tx, platformId, customer.id, 'PASSKEY');
  voidChallengesOfFactor(tx, platformId, customer.id, 'PASSKEY');
}
