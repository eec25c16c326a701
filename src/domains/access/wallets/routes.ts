// The operations of Internal Accounts that need the owner of an embedded wallet.
import { type Operation, ok, operation } from '../../../http/operation.js';
import { SignedRequestChallenge } from '../../../http/schemas.js';
import { parseId } from '../../../kernel/ids.js';
import type { WalletSigner } from '../../../providers/wallet-signer/signer.js';
import type { CardCapabilitiesFor } from '../../accounts/internal-accounts/internal-account.js';
import { InternalAccountSchema, renderInternalAccount } from '../../accounts/internal-accounts/schemas.js';
import { parseCall, renderOutcome } from '../signed-requests/schemas.js';
import { exportWallet, updateWallet } from './actions.js';
import { InternalAccountExportRequest, InternalAccountExportResult, InternalAccountUpdateRequest } from './schemas.js';

export type WalletDeps = { readonly signer: WalletSigner; readonly cardCapabilitiesFor: CardCapabilitiesFor };

const tag = 'Internal Accounts';
const accountId = ({ id }: { readonly id: string }) => parseId('InternalAccount', id);

export const walletRoutes = ({ signer, cardCapabilitiesFor }: WalletDeps): Operation[] => [
  operation({
    id: 'updateInternalAccount',
    method: 'PATCH',
    path: '/internal-accounts/{id}',
    tag,
    summary: 'Change an embedded wallet account',
    permission: 'MANAGE',
    signedRetry: true,
    body: InternalAccountUpdateRequest,
    success: { 200: InternalAccountSchema, 202: SignedRequestChallenge },
    errors: ['ACCOUNT_NOT_FOUND', 'WALLET_NOT_PROVISIONED'],
    write: async (tx, request) => {
      const outcome = await updateWallet(signer, tx, parseCall('updateInternalAccount', request), accountId(request.params), request.body);
      return renderOutcome(outcome, (account) => ok(renderInternalAccount(account, cardCapabilitiesFor)));
    },
  }),
  operation({
    id: 'exportInternalAccount',
    method: 'POST',
    path: '/internal-accounts/{id}/export',
    tag,
    summary: "Export an embedded wallet's recovery phrase, sealed to the owner's key",
    permission: 'MANAGE',
    signedRetry: true,
    body: InternalAccountExportRequest,
    success: { 200: InternalAccountExportResult, 202: SignedRequestChallenge },
    errors: ['ACCOUNT_NOT_FOUND', 'WALLET_NOT_PROVISIONED'],
    write: async (tx, request) => {
      const call = parseCall('exportInternalAccount', request);
      const outcome = await exportWallet(signer, tx, call, accountId(request.params), request.body.clientPublicKey);
      return renderOutcome(outcome, (exported) => ok(exported));
    },
  }),
];
