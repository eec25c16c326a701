// What the owner of an embedded wallet may do to the wallet account itself: its privacy, and taking the words home.
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import type { InternalAccountId, PlatformId } from '../../../kernel/ids.js';
import { ACTIVITY_TYPES } from '../../../providers/wallet-signer/activity.js';
import { isCompressed } from '../../../providers/wallet-signer/p256.js';
import type { WalletSigner } from '../../../providers/wallet-signer/signer.js';
import { lockInternalAccount, saveInternalAccount } from '../../accounts/internal-accounts/actions.js';
import type { InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import type { Consented } from './keys.js';
import { parseClientKey } from './sessions.js';
import { type Call, toSign, withConsent } from './signed-retry.js';

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
): Promise<Consented<InternalAccount>> {
  const { platformId, now } = call;
  return withConsent(signer, tx, call, {
    ask: async () => {
      if (privateEnabled === undefined) throw invalidField('privateEnabled', 'is required');
      const { id: accountId } = await lockWallet(signer, tx, platformId, id);
      return { accountId, payload: toSign(accountId, ACTIVITY_TYPES.updateWallet, { privateEnabled }, now) };
    },
    act: async () => {
      const account = await lockWallet(signer, tx, platformId, id);
      const changed: InternalAccount = { ...account, privateEnabled: privateEnabled ?? account.privateEnabled, updatedAt: now };
      saveInternalAccount(tx, platformId, changed);
      return changed;
    },
  });
}

export type WalletExport = { readonly id: InternalAccountId; readonly encryptedWalletCredentials: string };

/** "Export always takes the uncompressed form." The words leave only sealed to the key the owner signed for. */
export function exportWallet(
  signer: WalletSigner,
  tx: Tx,
  call: Call,
  id: InternalAccountId | undefined,
  clientPublicKey: string,
): Promise<Consented<WalletExport>> {
  const { platformId, now } = call;
  return withConsent(signer, tx, call, {
    ask: async () => {
      parseClientKey(clientPublicKey);
      if (isCompressed(clientPublicKey)) throw invalidField('clientPublicKey', 'must be uncompressed');
      const { id: accountId } = await lockWallet(signer, tx, platformId, id);
      return { accountId, payload: toSign(accountId, ACTIVITY_TYPES.exportWallet, { targetPublicKey: clientPublicKey }, now) };
    },
    act: async ({ exported }) => {
      const { id: accountId } = await lockWallet(signer, tx, platformId, id);
      assert(exported, 'an export the signer carried out hands over the words');
      return { id: accountId, encryptedWalletCredentials: exported };
    },
  });
}
