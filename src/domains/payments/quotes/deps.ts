// What making and executing quotes needs.
import type { DepositProvider } from '../../../providers/deposits.js';
import type { Files } from '../../../providers/files/file.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { UmaPeers } from '../../../providers/uma/uma.js';
import type { WalletSigner } from '../../../providers/wallet-signer/signer.js';
import type { PaymentDeps } from '../payments/actions.js';
import type { StrongAuthentication } from './hooks.js';

export type QuoteDeps = PaymentDeps & {
  readonly deposits: DepositProvider;
  readonly signer: WalletSigner;
  readonly files: Files;
  readonly custody: KeyCustody;
  readonly umaPeers: UmaPeers;
  readonly authentication: () => StrongAuthentication;
};
