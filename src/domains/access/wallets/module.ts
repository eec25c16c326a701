import type { Module } from '../../../module.js';
import { cardCapabilities } from '../../accounts/internal-accounts/hooks.js';
import { notSentYet } from '../../core/webhooks/schemas.js';
import { walletRoutes } from './routes.js';
import { WalletOperation } from './wallet-operation-schemas.js';

/** Owns no tables: wallets, wallet_signers and wallet_activities belong to the wallet signer (providers/wallet-signer). */
export const wallets: Module = {
  name: 'access/wallets',
  events: { 'wallet-operation': notSentYet(WalletOperation) },
  create: ({ signer, hooks }) => ({ operations: walletRoutes({ signer, cardCapabilitiesFor: hooks.only(cardCapabilities) }) }),
};
