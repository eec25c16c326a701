// Revocation of credentials: by the owner, and when the account of a deleted customer is closed.
import type { Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { ACTIVITY_TYPES, type ActivityType } from '../../../providers/wallet-signer/activity.js';
import type { WalletSigner } from '../../../providers/wallet-signer/signer.js';
import { findOwnAccounts } from '../../accounts/internal-accounts/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import { endSessionsOf, hasSessionOfOtherCredential } from '../sessions/actions.js';
import { activityPayload, signatureInvalid, withOwnerSignature } from '../signed-requests/actions.js';
import type { Call, CredentialType, SigningOutcome } from '../signed-requests/signed-request.js';
import type { AuthMethodId, Credential } from './credential.js';
import { decideRevocation, successorOf } from './rules.js';
import { deleteOtp, getCredential, lockCredentials, markCredentialRevoked, saveCredential } from './store.js';

const ACTIVITIES: Readonly<Record<CredentialType, ActivityType>> = {
  EMAIL_OTP: ACTIVITY_TYPES.deleteOtp,
  SMS_OTP: ACTIVITY_TYPES.deleteOtp,
  OAUTH: ACTIVITY_TYPES.deleteOauth,
  PASSKEY: ACTIVITY_TYPES.deletePasskey,
};

/** A session of another credential must sign. The sessions of the revoked credential end with it; a replacement of it takes its place. */
export function revokeCredential(signer: WalletSigner, tx: Tx, call: Call, id: AuthMethodId | undefined): Promise<SigningOutcome<void>> {
  const { platformId, now } = call;
  const gather = async () => {
    const { accountId } = await getCredential(tx, platformId, id);
    const existing = await lockCredentials(tx, platformId, accountId);
    const credential = existing.find((each) => each.id === id);
    if (!credential) throw new ApiError('AUTH_METHOD_NOT_FOUND');
    const provisioned = await signer.hasWallet(tx, { platformId, accountId });
    decideRevocation(credential, existing, provisioned);
    return { credential, successor: successorOf(credential, existing) };
  };
  return withOwnerSignature(signer, tx, call, {
    challenge: async () => {
      const { id: credentialId, accountId, nickname, proof } = (await gather()).credential;
      const payload = activityPayload(accountId, ACTIVITIES[proof.type], { credentialId, nickname }, now);
      return { accountId, type: proof.type, payload };
    },
    execute: async ({ owner, isAnyKey }) => {
      const { credential, successor } = await gather();
      const publicKey = isAnyKey ? undefined : owner.publicKey;
      if (!(await hasSessionOfOtherCredential(tx, platformId, credential, publicKey, now))) throw signatureInvalid('SAME_CREDENTIAL');
      await endCredential(signer, tx, platformId, credential, now);
      if (successor) saveCredential(tx, platformId, { ...successor, replacement: false, updatedAt: now });
    },
  });
}

/** Ends the credential, its open one-time password and its sessions. */
export async function endCredential(
  signer: WalletSigner,
  tx: Tx,
  platformId: PlatformId,
  credential: Credential,
  now: Date,
): Promise<void> {
  markCredentialRevoked(tx, platformId, credential.id, now);
  deleteOtp(tx, platformId, credential.id);
  await endSessionsOf(signer, tx, platformId, credential, now);
}

/**
 * Ends the credentials of a customer's closed wallet accounts. A wallet that stays open keeps them: without them its owner could not
 * sign for the money that is on it or returns to it.
 */
export async function endCredentialsOf(signer: WalletSigner, tx: Tx, platformId: PlatformId, customer: Customer, now: Date): Promise<void> {
  const accounts = await findOwnAccounts(tx, platformId, customer.id);
  for (const { id } of accounts.filter(({ type, status }) => type === 'EMBEDDED_WALLET' && status === 'CLOSED')) {
    for (const credential of await lockCredentials(tx, platformId, id)) await endCredential(signer, tx, platformId, credential, now);
  }
}
