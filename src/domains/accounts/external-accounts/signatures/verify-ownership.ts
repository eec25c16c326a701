// Verifies that a signature was made with the key of an address. Pure; takes about a millisecond.
import type { WalletAccountType } from '../external-account.js';
import { type BitcoinScheme, verifyBitcoin } from './bitcoin.js';
import { verifyEvm } from './evm.js';
import { verifySolana } from './solana.js';
import { verifyTron } from './tron.js';
import type { SignatureScheme, Verdict } from './verdict.js';

export type OwnershipClaim = {
  readonly accountType: WalletAccountType;
  readonly address: string;
  /** The stored text of the challenge, never text from the caller. */
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

/** The signature scheme of a wallet type. The caller chooses only for Bitcoin. */
export const schemeOf = (accountType: WalletAccountType, chosen: BitcoinScheme): SignatureScheme =>
  accountType === 'SPARK_WALLET' ? chosen : (SCHEMES[accountType] ?? 'eip191');

export function verifyOwnership({ accountType, address, message, signature, scheme }: OwnershipClaim): Verdict {
  return CHECKS[accountType](address, new TextEncoder().encode(message), signature, scheme);
}
