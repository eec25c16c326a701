// Test wallets of three chains: an address and signatures as the chain's wallet apps make them. Keys are kept in memory and are for tests.
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58, bech32 } from '@scure/base';
import { base64, concat, fromHex, hex, utf8 } from './bytes.js';

export const CHAINS = ['ethereum', 'solana', 'bitcoin'] as const;
export type Chain = (typeof CHAINS)[number];

/** A wallet as text, for a file. */
export type StoredWallet = {
  readonly chain: Chain;
  /** The account type of its registration. */
  readonly accountType: 'ETHEREUM_WALLET' | 'SOLANA_WALLET' | 'SPARK_WALLET';
  readonly address: string;
  readonly privateKey: string;
};

export type Wallet = Omit<StoredWallet, 'privateKey'> & {
  /** A signature over a message, in the format of the chain. */
  sign(message: string): Promise<string>;
  /** With its private key. */
  toJSON(): StoredWallet;
};

export const newWallet = (chain: Chain): Wallet => walletOf(chain, crypto.getRandomValues(new Uint8Array(32)));

export const importWallet = ({ chain, privateKey }: Pick<StoredWallet, 'chain' | 'privateKey'>): Wallet =>
  walletOf(chain, fromHex(privateKey.replace(/^0x/, '')));

type Kind = Pick<StoredWallet, 'accountType'> & {
  readonly address: (key: Uint8Array) => string;
  readonly sign: (key: Uint8Array, message: string) => string;
};

const KINDS: Readonly<Record<Chain, Kind>> = {
  ethereum: {
    accountType: 'ETHEREUM_WALLET',
    address: (key) => ethereumAddress(secp256k1.getPublicKey(key, false)),
    // EIP-191: the prefix keeps a message from being a transaction.
    sign: (key, message) => {
      const bytes = utf8(message);
      const { recovery, r, s } = recoverable(key, keccak_256(concat(utf8(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes)));
      return `0x${hex(r)}${hex(s)}${hex(Uint8Array.of(27 + recovery))}`;
    },
  },
  solana: {
    accountType: 'SOLANA_WALLET',
    address: (key) => base58.encode(ed25519.getPublicKey(key)),
    sign: (key, message) => base58.encode(ed25519.sign(utf8(message), key)),
  },
  bitcoin: {
    accountType: 'SPARK_WALLET',
    address: (key) => bech32.encode('bc', [0, ...bech32.toWords(ripemd160(sha256(secp256k1.getPublicKey(key))))]),
    // BIP-137: 39 to 42 mean a native segwit address.
    sign: (key, message) => {
      const { recovery, r, s } = recoverable(key, bitcoinDigest(message));
      return base64(concat(Uint8Array.of(39 + recovery), r, s));
    },
  },
};

function walletOf(chain: Chain, key: Uint8Array): Wallet {
  const { accountType, address, sign } = KINDS[chain];
  const identity = { chain, accountType, address: address(key) };
  return { ...identity, sign: async (message) => sign(key, message), toJSON: () => ({ ...identity, privateKey: `0x${hex(key)}` }) };
}

function recoverable(key: Uint8Array, digest: Uint8Array): { recovery: number; r: Uint8Array; s: Uint8Array } {
  const signature = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' });
  return { recovery: signature[0] as number, r: signature.slice(1, 33), s: signature.slice(33) };
}

/** EIP-55: the case of the letters is a checksum. */
function ethereumAddress(publicKey: Uint8Array): string {
  const address = hex(keccak_256(publicKey.slice(1)).slice(-20));
  const digest = hex(keccak_256(utf8(address)));
  return `0x${[...address].map((letter, i) => (Number.parseInt(digest[i] as string, 16) > 7 ? letter.toUpperCase() : letter)).join('')}`;
}

function bitcoinDigest(message: string): Uint8Array {
  const bytes = utf8(message);
  const length = bytes.length < 253 ? Uint8Array.of(bytes.length) : Uint8Array.of(253, bytes.length & 255, bytes.length >> 8);
  return sha256(sha256(concat(utf8('\x18Bitcoin Signed Message:\n'), length, bytes)));
}
