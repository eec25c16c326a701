// Changes of an embedded wallet account that its owner signs: the privacy setting and the export of the recovery phrase.
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import type { InternalAccountId, PlatformId } from '../../../kernel/ids.js';
import { ACTIVITY_TYPES } from '../../../providers/wallet-signer/activity.js';
import { isCompressed } from '../../../providers/wallet-signer/p256.js';
import type { WalletSigner } from '../../../providers/wallet-signer/signer.js';
import { lockInternalAccount, saveInternalAccount } from '../../accounts/internal-accounts/actions.js';
import type { InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import { parseClientKey } from '../sessions/actions.js';
import { activityPayload, withOwnerSignature } from '../signed-requests/actions.js';
import type { Call, SigningOutcome } from '../signed-requests/signed-request.js';

async function lockWallet(
  signer: WalletSigner,
  tx: Tx,
  platformId: PlatformId,
  id: InternalAccountId | undefined,
): Promise<InternalAccount> {
  const [account, provisioned] = await Promise.all([
    lockInternalAccount(tx, platformId, id),
    id !== undefined && signer.hasWallet(tx, { platformId, accountId: id }),
  ]);
  if (account.status === 'CLOSED') throw new ApiError('ACCOUNT_NOT_FOUND');
  if (account.type !== 'EMBEDDED_WALLET')
    throw new ApiError('INVALID_INPUT', { cause: 'NOT_A_WALLET' }, { reason: 'The account is not an embedded wallet.' });
  if (!provisioned) throw new ApiError('WALLET_NOT_PROVISIONED');
  return account;
}

export function updateWallet(
  signer: WalletSigner,
  tx: Tx,
  call: Call,
  id: InternalAccountId | undefined,
  { privateEnabled }: { readonly privateEnabled?: boolean },
): Promise<SigningOutcome<InternalAccount>> {
  const { platformId, now } = call;
  return withOwnerSignature(signer, tx, call, {
    challenge: async () => {
      if (privateEnabled === undefined) throw invalidField('privateEnabled', 'is required');
      const { id: accountId } = await lockWallet(signer, tx, platformId, id);
      return { accountId, payload: activityPayload(accountId, ACTIVITY_TYPES.updateWallet, { privateEnabled }, now) };
    },
    execute: async () => {
      const account = await lockWallet(signer, tx, platformId, id);
      const changed: InternalAccount = { ...account, privateEnabled: privateEnabled ?? account.privateEnabled, updatedAt: now };
      saveInternalAccount(tx, platformId, changed);
      return changed;
    },
  });
}

export type WalletExport = { readonly id: InternalAccountId; readonly encryptedWalletCredentials: string };

/** "Export always takes the uncompressed form." The recovery phrase leaves only sealed to the key that the owner signed for. */
export function exportWallet(
  signer: WalletSigner,
  tx: Tx,
  call: Call,
  id: InternalAccountId | undefined,
  clientPublicKey: string,
): Promise<SigningOutcome<WalletExport>> {
  const { platformId, now } = call;
  return withOwnerSignature(signer, tx, call, {
    challenge: async () => {
      parseClientKey(clientPublicKey);
      if (isCompressed(clientPublicKey)) throw invalidField('clientPublicKey', 'must be uncompressed');
      const { id: accountId } = await lockWallet(signer, tx, platformId, id);
      return { accountId, payload: activityPayload(accountId, ACTIVITY_TYPES.exportWallet, { targetPublicKey: clientPublicKey }, now) };
    },
    execute: async ({ exported }) => {
      const { id: accountId } = await lockWallet(signer, tx, platformId, id);
      assert(exported, 'an export that the signer executed returns the sealed recovery phrase');
      return { id: accountId, encryptedWalletCredentials: exported };
    },
  });
}
