// The one entry: does this signature show that its maker holds the key of this address? Pure; about a millisecond of work.
import type { WalletAccountType } from '../external-account.js';
import { type BitcoinScheme, verifyBitcoin } from './bitcoin.js';
import { verifyEvm } from './evm.js';
import { verifySolana } from './solana.js';
import { verifyTron } from './tron.js';
import type { Verdict } from './verdict.js';

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

export function verifyOwnership({ accountType, address, message, signature, scheme }: OwnershipClaim): Verdict {
  return CHECKS[accountType](address, new TextEncoder().encode(message), signature, scheme);
}
