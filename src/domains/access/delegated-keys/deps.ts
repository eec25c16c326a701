import type { KeyCustody } from '../../../providers/key-custody.js';
import type { WalletSigner } from '../../../providers/wallet-signer/signer.js';
import type { FundingSources } from './hooks.js';

export type DelegatedKeyDeps = { readonly custody: KeyCustody; readonly signer: WalletSigner; readonly fundingSources: FundingSources };
