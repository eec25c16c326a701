// Trusted beneficiaries: an external account is trusted or no longer trusted once the customer has confirmed it with a factor.
import type { Tx } from '../../../db/pool.js';
import { assert } from '../../../kernel/errors.js';
import type { ExternalAccountId, PlatformId } from '../../../kernel/ids.js';
import { getExternalAccount, identifierOf, lockExternalAccount, saveTrust } from '../../accounts/external-accounts/actions.js';
import type { ExternalAccount } from '../../accounts/external-accounts/external-account.js';
import { getPlatform } from '../../core/platform/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import { findChallenge } from './challenge-store.js';
import {
  countStart,
  countWrong,
  judgeProof,
  openChallenge,
  type PasskeyRequest,
  type Presented,
  passkeyRequestOf,
  spendProof,
} from './challenges.js';
import { lockRegulatedCustomer } from './customers.js';
import type { ScaDeps } from './deps.js';
import { appName } from './enrollment.js';
import type { Outcome } from './outcome.js';
import {
  conflict,
  describeBeneficiary,
  isGuessable,
  isOpen,
  requireTrustChange,
  type TrustPurpose,
  trustFactor,
  trustFactors,
  wrongProof,
} from './rules.js';
import type { Challenge, Proof, ScaFactor } from './sca.js';
import { findFactors, findSecurity } from './store.js';

export type TrustCall = {
  readonly platformId: PlatformId;
  readonly accountId: ExternalAccountId | undefined;
  readonly purpose: TrustPurpose;
  readonly now: Date;
};

export type TrustStart = {
  readonly challenge: Challenge;
  readonly availableFactors: readonly ScaFactor[];
  readonly passkey: PasskeyRequest | undefined;
};

/** Locks the customer before the account, in the order of every other lock. */
async function lockBoth(tx: Tx, { platformId, accountId }: TrustCall): Promise<{ customer: Customer; account: ExternalAccount }> {
  const { customerId } = await getExternalAccount(tx, platformId, 'CUSTOMER', accountId);
  assert(customerId, 'an account of a customer names it');
  const customer = await lockRegulatedCustomer(tx, platformId, customerId);
  return { customer, account: await lockExternalAccount(tx, platformId, 'CUSTOMER', accountId) };
}

export async function startTrustChange(tx: Tx, deps: ScaDeps, call: TrustCall): Promise<TrustStart> {
  const { platformId, purpose, now } = call;
  const { customer, account } = await lockBoth(tx, call);
  requireTrustChange(account, purpose);
  const platform = await getPlatform(tx, platformId);
  const factors = await findFactors(tx, platformId, customer);
  const factor = trustFactor(factors);
  if (isGuessable(factors, factor)) await countStart(tx, platformId, customer.id, purpose, now);

  const action = purpose === 'TRUST' ? 'trust' : 'stop trusting';
  const beneficiary = describeBeneficiary(account, identifierOf(account.accountInfo));
  const challenge = await openChallenge(tx, deps, {
    customerId: customer.id,
    purpose,
    targetId: account.id,
    platform,
    factors,
    factor,
    step: null,
    authorizes: '',
    message: (code) => `${code} is your ${appName(platform)} code to ${action} ${beneficiary}. Do not share it with anyone.`,
    now,
  });
  const passkey = await passkeyRequestOf(platform, factors, challenge, '');
  return { challenge, availableFactors: trustFactors(factors, factor), passkey };
}

/** Wrong proofs use up the challenge. They do not count as failed logins. */
export async function confirmTrustChange(
  tx: Tx,
  deps: ScaDeps,
  call: TrustCall,
  { challengeId, proof }: { readonly challengeId: string | undefined; readonly proof: Proof },
): Promise<Outcome<{ readonly trusted: boolean }>> {
  const { platformId, purpose, now } = call;
  const { customer, account } = await lockBoth(tx, call);
  requireTrustChange(account, purpose);
  const challenge = await findChallenge(tx, platformId, { customerId: customer.id, purpose, targetId: account.id });
  if (!challenge) throw conflict('NOT_STARTED', 'No change of trust was started for this account.');
  if (!isOpen(challenge, now) || challengeId !== challenge.id) throw wrongProof('CHALLENGE_EXPIRED');

  const presented: Presented = {
    platform: await getPlatform(tx, platformId),
    challenge,
    factors: await findFactors(tx, platformId, customer),
    security: await findSecurity(tx, platformId, customer.id),
    proof,
    authorizes: '',
    accepts: { totp: true, recoveryCodes: false },
    now,
  };
  const verdict = await judgeProof(deps, presented);
  if ('wrong' in verdict) return countWrong(tx, platformId, challenge, verdict.wrong);
  spendProof(tx, platformId, presented, verdict.accepted);
  const trusted = purpose === 'TRUST';
  saveTrust(tx, platformId, account.id, trusted ? now : null, now);
  return { result: { trusted } };
}
