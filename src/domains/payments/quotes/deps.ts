// What making and executing quotes needs.
import type { Context } from '../../../context.js';
import type { DepositProvider } from '../../../providers/deposits.js';
import type { Files } from '../../../providers/files/file.js';
import type { WalletSigner } from '../../../providers/wallet-signer/signer.js';
import { type PaymentDeps, paymentDeps } from '../payments/actions.js';
import { type StrongAuthentication, strongAuthentication } from './hooks.js';

export type QuoteDeps = PaymentDeps & {
  readonly deposits: DepositProvider;
  readonly signer: WalletSigner;
  readonly files: Files;
  /** Undefined as long as no domain authenticates customers. */
  readonly authentication: () => StrongAuthentication | undefined;
};

export const quoteDeps = (context: Parameters<typeof paymentDeps>[0] & Pick<Context, 'signer' | 'files'>): QuoteDeps => ({
  ...paymentDeps(context),
  deposits: context.deposits,
  signer: context.signer,
  files: context.files,
  authentication: () => context.hooks.all(strongAuthentication)[0],
});
