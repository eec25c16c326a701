// The one entry: does this signature show that its maker holds the key of this address? Pure; about a millisecond of work.
import type { WalletAccountType } from '../external-account.js';
import { type BitcoinScheme, verifyBitcoin } from './bitcoin.js';
import { verifyEvm } from './evm.js';
import { verifySolana } from './solana.js';
import { verifyTron } from './tron.js';
import type { SignatureScheme, Verdict } from './verdict.js';

export type OwnershipClaim = {
  readonly accountType: WalletAccountType;
  readonly address: string;
  /** The stored challenge text, never text from the caller. */
  readonly message: string;
  readonly signature: string;
  /** "Ignored for non-Bitcoin chains." */
  readonly scheme: BitcoinScheme;
};

type Check = (address: string, message: Uint8Array, signature: string, scheme: BitcoinScheme) => Verdict;

const CHECKS: { readonly [type in WalletAccountType]: Check } = {
  BASE_WALLET: verifyEvm,
  ETHEREUM_WALLET: verifyEvm,
  POLYGON_WALLET: verifyEvm,
  PLASMA_WALLET: verifyEvm,
  ARBITRUM_WALLET: verifyEvm,
  SOLANA_WALLET: verifySolana,
  TRON_WALLET: verifyTron,
  SPARK_WALLET: verifyBitcoin,
};

const SCHEMES: { readonly [type in WalletAccountType]?: SignatureScheme } = { SOLANA_WALLET: 'ed25519', TRON_WALLET: 'tron-v2' };

/** What a signature for such a wallet is taken to be; only for Bitcoin does the caller choose. */
export const schemeOf = (accountType: WalletAccountType, chosen: BitcoinScheme): SignatureScheme =>
  accountType === 'SPARK_WALLET' ? chosen : (SCHEMES[accountType] ?? 'eip191');

export function verifyOwnership({ accountType, address, message, signature, scheme }: OwnershipClaim): Verdict {
  return CHECKS[accountType](address, new TextEncoder().encode(message), signature, scheme);
}
