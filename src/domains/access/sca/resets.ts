// Reset of a lost factor: a liveness check of the end user, then the factor is removed or the phone number replaced.
import type { Tx } from '../../../db/pool.js';
import { ApiError, invalidField } from '../../../kernel/errors.js';
import { newId, type PlatformId } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { openPass, sealPass } from '../../../providers/sealed-pass.js';
import { setVerifiedPhone } from '../../identity/customers/actions.js';
import { voidChallengesOfFactor } from './challenge-store.js';
import { type Call, getRegulatedCustomer, lockRegulatedCustomer } from './customers.js';
import type { ScaDeps } from './deps.js';
import { expireOpenResets, findReset, getReset, insertReset, saveReset } from './reset-store.js';
import { completeReset, concludeLiveness, RESET_LIFE_MS, requireUsable, resetAt, takeUse } from './rules.js';
import type { LivenessOutcome, Reset, ResetId, ScaFactor } from './sca.js';
import { deleteFactor, endSession, findFactors, findUses, saveUses } from './store.js';

export type ResetStart = { readonly reset: Reset; readonly livenessAccessToken: string };

export async function startReset(
  tx: Tx,
  { custody, isSandbox }: ScaDeps,
  { platformId, customerId, now }: Call,
  { factor, endUserIpAddress }: { readonly factor: ScaFactor; readonly endUserIpAddress: string },
): Promise<ResetStart> {
  const customer = await lockRegulatedCustomer(tx, platformId, customerId);
  requireUsable(await findFactors(tx, platformId, customer), factor);
  // Only the sandbox has a liveness vendor.
  if (!isSandbox) throw new ApiError('NOT_IMPLEMENTED');
  const usedAt = takeUse('RESET', await findUses(tx, platformId, customer.id, 'RESET'), now);

  const reset: Reset = {
    id: newId('TwoFactorReset'),
    customerId: customer.id,
    factor,
    status: 'INITIATED',
    endUserIpAddress,
    createdAt: now,
    expiresAt: plusMs(now, RESET_LIFE_MS),
    completedAt: null,
    enrolledAt: null,
  };

  saveUses(tx, platformId, customer.id, 'RESET', usedAt);
  expireOpenResets(tx, platformId, customer.id);
  insertReset(tx, platformId, reset);
  return { reset, livenessAccessToken: sealPass(custody, PASS_CONTEXT, { platformId, resetId: reset.id } satisfies Pass) };
}

export async function readReset(
  tx: Pick<Tx, 'one' | 'many'>,
  { platformId, customerId, now }: Call,
  id: ResetId | undefined,
): Promise<Reset> {
  const customer = await getRegulatedCustomer(tx, platformId, customerId);
  return resetAt(await getReset(tx, platformId, customer.id, id), now);
}

/** Removes the factor, or replaces the phone number by a new one that counts as verified. The session ends; a lock stays. */
export async function finishReset(
  tx: Tx,
  { hooks }: ScaDeps,
  { platformId, customerId, now }: Call,
  id: ResetId | undefined,
  phoneNumber: string | undefined,
): Promise<void> {
  const customer = await lockRegulatedCustomer(tx, platformId, customerId);
  const completed = completeReset(await getReset(tx, platformId, customer.id, id), now);

  if (completed.factor === 'SMS_OTP') {
    if (phoneNumber === undefined) throw invalidField('mobile', 'is required to reset SMS_OTP');
    await setVerifiedPhone(tx, hooks, platformId, customer, phoneNumber, now);
  } else {
    deleteFactor(tx, platformId, customer.id, completed.factor);
  }
  voidChallengesOfFactor(tx, platformId, customer.id, completed.factor);
  endSession(tx, platformId, customer.id);
  saveReset(tx, platformId, completed);
}

// ---- the liveness check of the sandbox

type Pass = { readonly platformId: PlatformId; readonly resetId: ResetId };
const PASS_CONTEXT = 'sca liveness';

/** The token names the reset; its holder may conclude it. */
export const openResetPass = (custody: KeyCustody, token: string): Pass | undefined => openPass(custody, PASS_CONTEXT, token);

/** Any customer's reset of the platform: the liveness vendor knows the reset, not the customer. */
export async function decideLiveness(
  tx: Tx,
  platformId: PlatformId,
  id: ResetId | undefined,
  outcome: LivenessOutcome,
  now: Date,
): Promise<Reset> {
  const found = id && (await findReset(tx, platformId, id));
  if (!found) throw new ApiError('NOT_FOUND');
  await lockRegulatedCustomer(tx, platformId, found.customerId);
  const decided = concludeLiveness(await getReset(tx, platformId, found.customerId, id), outcome, now);
  saveReset(tx, platformId, decided);
  return decided;
}
