// Wallets for tests, built on other libraries: viem signs for the secp256k1 chains, tweetnacl for Solana, @scure/base encodes.
// They use none of the code under test, so the tests compare two implementations.
import { createHash } from 'node:crypto';
import { base58, bech32, bech32m, createBase58check } from '@scure/base';
import nacl from 'tweetnacl';
import { bytesToHex, concat, type Hex, hexToBytes, keccak256, parseSignature, stringToBytes } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import type { WalletAccountType } from '../../../src/domains/accounts/external-accounts/external-account.js';

export type TestWallet = {
  readonly accountType: WalletAccountType;
  readonly address: string;
  readonly sign: (message: string) => Promise<string>;
  /** The address with one bit of its payload flipped, in a valid encoding. */
  readonly flipAddress: (bit: number) => string;
  readonly addressBits: number;
};

export const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
export const hash160 = (bytes: Uint8Array): Uint8Array => createHash('ripemd160').update(sha256(bytes)).digest();
export const base58check = createBase58check(sha256);

export const flipBit = (bytes: Uint8Array, bit: number): Uint8Array => {
  const flipped = Uint8Array.from(bytes);
  flipped[bit >> 3]! ^= 1 << (bit & 7);
  return flipped;
};

/** A key derived from its name, so that a failure can be repeated. */
export const keyNamed = (name: string): Hex => bytesToHex(sha256(stringToBytes(`switchyard test wallet ${name}`)));

export function evmWallet(name: string, accountType: WalletAccountType = 'ETHEREUM_WALLET'): TestWallet {
  const account = privateKeyToAccount(keyNamed(name));
  return {
    accountType,
    address: account.address,
    sign: (message) => account.signMessage({ message }),
    flipAddress: (bit) => bytesToHex(flipBit(hexToBytes(account.address), bit)),
    addressBits: 160,
  };
}

export function tronWallet(name: string): TestWallet {
  const privateKey = keyNamed(name);
  const hash = hexToBytes(privateKeyToAccount(privateKey).address);
  const encode = (bytes: Uint8Array): string => base58check.encode(concat([Uint8Array.of(0x41), bytes]));
  return {
    accountType: 'TRON_WALLET',
    address: encode(hash),
    sign: (message) => signTron(privateKey, `\x19TRON Signed Message:\n${stringToBytes(message).length}`, message),
    flipAddress: (bit) => encode(flipBit(hash, bit)),
    addressBits: 160,
  };
}

export const signTron = (privateKey: Hex, prefix: string, message: string): Promise<Hex> =>
  sign({ hash: keccak256(concat([stringToBytes(prefix), stringToBytes(message)])), privateKey, to: 'hex' });

export function solanaWallet(name: string): TestWallet {
  const pair = solanaPair(name);
  return {
    accountType: 'SOLANA_WALLET',
    address: base58.encode(pair.publicKey),
    sign: async (message) => base58.encode(nacl.sign.detached(stringToBytes(message), pair.secretKey)),
    flipAddress: (bit) => base58.encode(flipBit(pair.publicKey, bit)),
    addressBits: 256,
  };
}

export const solanaPair = (name: string) => nacl.sign.keyPair.fromSeed(hexToBytes(keyNamed(name)));

export type BitcoinKind = 'P2PKH_UNCOMPRESSED' | 'P2PKH' | 'P2SH_P2WPKH' | 'P2WPKH' | 'SPARK';

/** The header of a BIP-137 wallet for each kind of address. Spark uses only the compressed key. */
export const BIP137_HEADER: { readonly [kind in BitcoinKind]: number } = {
  P2PKH_UNCOMPRESSED: 27,
  P2PKH: 31,
  P2SH_P2WPKH: 35,
  P2WPKH: 39,
  SPARK: 31,
};

export function bitcoinWallet(name: string, kind: BitcoinKind, header = BIP137_HEADER[kind]): TestWallet {
  const privateKey = keyNamed(name);
  const uncompressed = hexToBytes(privateKeyToAccount(privateKey).publicKey);
  const compressed = concat([Uint8Array.of(uncompressed[64]! % 2 === 0 ? 2 : 3), uncompressed.subarray(1, 33)]);
  const { payload, encode } = BITCOIN_ADDRESS[kind](uncompressed, compressed);
  return {
    accountType: 'SPARK_WALLET',
    address: encode(payload),
    sign: async (message) => {
      const signature = parseSignature(await sign({ hash: bytesToHex(bitcoinDigest(stringToBytes(message))), privateKey, to: 'hex' }));
      const first = Uint8Array.of(header + signature.yParity);
      return Buffer.from(concat([first, hexToBytes(signature.r), hexToBytes(signature.s)])).toString('base64');
    },
    flipAddress: (bit) => encode(flipBit(payload, bit)),
    addressBits: payload.length * 8,
  };
}

type Encoded = { readonly payload: Uint8Array; readonly encode: (payload: Uint8Array) => string };

const versioned = (version: number, payload: Uint8Array): Encoded => ({
  payload,
  encode: (bytes) => base58check.encode(concat([Uint8Array.of(version), bytes])),
});

const BITCOIN_ADDRESS: { readonly [kind in BitcoinKind]: (uncompressed: Uint8Array, compressed: Uint8Array) => Encoded } = {
  P2PKH_UNCOMPRESSED: (uncompressed) => versioned(0x00, hash160(uncompressed)),
  P2PKH: (_, compressed) => versioned(0x00, hash160(compressed)),
  P2SH_P2WPKH: (_, compressed) => versioned(0x05, hash160(concat([Uint8Array.of(0x00, 0x14), hash160(compressed)]))),
  P2WPKH: (_, compressed) => ({ payload: hash160(compressed), encode: (bytes) => bech32.encode('bc', [0, ...bech32.toWords(bytes)]) }),
  SPARK: (_, compressed) => ({
    payload: compressed,
    encode: (bytes) => bech32m.encode('spark', bech32m.toWords(concat([Uint8Array.of(0x0a, 33), bytes]))),
  }),
};

export function bitcoinDigest(message: Uint8Array): Uint8Array {
  const length = message.length < 253 ? [message.length] : [253, message.length & 255, message.length >> 8];
  return sha256(sha256(concat([stringToBytes('\x18Bitcoin Signed Message:\n'), Uint8Array.from(length), message])));
}
