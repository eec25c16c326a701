// Revocation of delegated keys: by the platform, and when their customer is deleted.
import type { Tx } from '../../../db/pool.js';
import { assert } from '../../../kernel/errors.js';
import type { DelegatedKeyId, PlatformId } from '../../../kernel/ids.js';
import { ACTIVITY_TYPES, describeActivity } from '../../../providers/wallet-signer/activity.js';
import { findOwnAccounts } from '../../accounts/internal-accounts/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { DelegatedKey } from './delegated-key.js';
import type { DelegatedKeyDeps } from './deps.js';
import { decideKeyRevocation } from './rules.js';
import { stampWith } from './sign.js';
import { getDelegatedKey, listLiveKeysOf, lockDelegatedKey, markKeyRevoked } from './store.js';

/** The key signs its own removal, which its policies allow. Its private key is deleted. */
export async function revokeDelegatedKey(
  deps: DelegatedKeyDeps,
  tx: Tx,
  platformId: PlatformId,
  id: DelegatedKeyId | undefined,
  now: Date,
): Promise<void> {
  const key = await lockWithCard(deps, tx, platformId, await getDelegatedKey(tx, platformId, id));
  decideKeyRevocation(key);
  await revokeLocked(deps, tx, platformId, key, now);
}

/** The lock order puts the card before the key. */
async function lockWithCard(
  { fundingSources }: DelegatedKeyDeps,
  tx: Tx,
  platformId: PlatformId,
  { id, cardId, accountId }: DelegatedKey,
): Promise<DelegatedKey> {
  await fundingSources.lock(tx, platformId, cardId, accountId);
  return lockDelegatedKey(tx, platformId, id);
}

async function revokeLocked(
  { custody, signer, fundingSources }: DelegatedKeyDeps,
  tx: Tx,
  platformId: PlatformId,
  key: DelegatedKey,
  now: Date,
): Promise<void> {
  const { cardId, accountId, fundingSourceId } = key;
  const parameters = { signerId: key.id, publicKey: key.publicKey };
  const payload = describeActivity({ type: ACTIVITY_TYPES.deleteSigner, accountId, parameters, at: now });
  const done = await signer.submit(tx, platformId, { payload, stamp: stampWith(custody, platformId, key, payload) }, now);
  assert(typeof done !== 'string', `an ACTIVE key may revoke itself, but: ${String(done)}`);

  markKeyRevoked(tx, platformId, key.id, now);
  await fundingSources.delegationRevoked(tx, platformId, cardId, fundingSourceId, now);
}

/** A key that never got its policies cannot remove itself, so the service removes it. */
async function withdrawLocked({ signer }: DelegatedKeyDeps, tx: Tx, platformId: PlatformId, key: DelegatedKey, now: Date): Promise<void> {
  await signer.removeDelegated(tx, { platformId, accountId: key.accountId }, [key.id], now);
  markKeyRevoked(tx, platformId, key.id, now);
}

/** Ends the keys of a deleted customer: its cards are closed, so nothing is left to sign for. A creation under way ends as well. */
export async function revokeKeysOf(deps: DelegatedKeyDeps, tx: Tx, platformId: PlatformId, { id }: Customer, now: Date): Promise<void> {
  const wallets = (await findOwnAccounts(tx, platformId, id)).filter(({ type }) => type === 'EMBEDDED_WALLET');
  for (const wallet of wallets) {
    for (const found of await listLiveKeysOf(tx, platformId, wallet.id)) {
      const key = await lockWithCard(deps, tx, platformId, found);
      // Another call may have activated or revoked it while this one waited.
      if (key.status === 'ACTIVE') await revokeLocked(deps, tx, platformId, key, now);
      else if (key.status === 'PENDING') await withdrawLocked(deps, tx, platformId, key, now);
    }
  }
}
