// Decodes wallet addresses strictly: only the canonical text of an address is accepted, anything else returns undefined.
// Mainnet only. Independent of accounts and signatures.
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58, bech32, bech32m, createBase58check, hex } from '@scure/base';
import { isPointCompressed } from 'tiny-secp256k1';

/** Longer than any address of these chains. Decoding base58 takes quadratic time, so longer texts are refused. */
const LONGEST_ADDRESS = 100;
const base58check = createBase58check(sha256);

export type BitcoinAddress =
  | { readonly kind: 'P2PKH' | 'P2SH' | 'P2WPKH'; readonly hash: Uint8Array }
  | { readonly kind: 'SPARK'; readonly identityKey: Uint8Array }
  /** A valid mainnet address whose owner cannot be proved by a signed message: taproot, script hash, future versions. */
  | { readonly kind: 'UNSUPPORTED' };

/** The decoders of @scure/base throw on invalid input. Here invalid input is an ordinary result. */
function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

/** 20 bytes. The checksum in the letter case is checked once, when the account is created. */
export function decodeEvmAddress(text: string): Uint8Array | undefined {
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? Buffer.from(text.slice(2), 'hex') : undefined;
}

export const isZeroEvmAddress = (text: string): boolean => /^0x0{40}$/.test(text);

/** A mixed-case address must have a valid EIP-55 checksum. The zero address has no owner. */
export function isEvmWallet(text: string): boolean {
  if (!decodeEvmAddress(text) || isZeroEvmAddress(text)) return false;
  const digits = text.slice(2);
  const lower = digits.toLowerCase();
  return digits === lower || digits === digits.toUpperCase() || digits === checksummed(lower);
}

function checksummed(lowerDigits: string): string {
  const hash = hex.encode(keccak_256(new TextEncoder().encode(lowerDigits)));
  return Array.from(lowerDigits, (digit, at) => (Number.parseInt(hash[at]!, 16) >= 8 ? digit.toUpperCase() : digit)).join('');
}

/** 32 bytes. Whether they are a usable key is checked once, when the account is created. */
export function decodeSolanaKey(text: string): Uint8Array | undefined {
  const key = text.length > LONGEST_ADDRESS ? undefined : attempt(() => base58.decode(text));
  return key?.length === 32 ? key : undefined;
}

/** An address off the curve belongs to a program and has no key. A key of small order accepts anyone's signature. */
export function isSolanaWallet(text: string): boolean {
  const key = decodeSolanaKey(text);
  const point = key && attempt(() => ed25519.Point.fromBytes(key));
  return point !== undefined && !point.isSmallOrder();
}

/** The 20 bytes after the version byte 0x41. */
export function decodeTronAddress(text: string): Uint8Array | undefined {
  const payload = decodeBase58check(text);
  return payload?.length === 21 && payload[0] === 0x41 ? payload.subarray(1) : undefined;
}

/** As on EVM chains, the zero address has no owner. */
export function isTronWallet(text: string): boolean {
  return decodeTronAddress(text)?.some((byte) => byte !== 0) ?? false;
}

export function decodeBitcoinAddress(text: string): BitcoinAddress | undefined {
  const prefix = /^(spark|bc)1/i.exec(text)?.[1]?.toLowerCase();
  if (prefix === 'spark') return decodeSpark(text);
  if (prefix === 'bc') return decodeSegwit(text);
  const payload = decodeBase58check(text);
  if (payload?.length !== 21) return undefined;
  if (payload[0] === 0x00) return { kind: 'P2PKH', hash: payload.subarray(1) };
  if (payload[0] === 0x05) return { kind: 'P2SH', hash: payload.subarray(1) };
  return undefined;
}

function decodeBase58check(text: string): Uint8Array | undefined {
  return text.length > LONGEST_ADDRESS ? undefined : attempt(() => base58check.decode(text));
}

/** A Spark address is a record with one field, the wallet's identity key: tag 0x0a, length 33, compressed point. */
function decodeSpark(text: string): BitcoinAddress | undefined {
  const identityKey = sparkKeyOf(text);
  return identityKey && isPointCompressed(identityKey) ? { kind: 'SPARK', identityKey } : undefined;
}

function sparkKeyOf(text: string): Uint8Array | undefined {
  const payload = attempt(() => bech32m.decodeToBytes(text).bytes);
  return payload?.length === 35 && payload[0] === 0x0a && payload[1] === 33 ? payload.subarray(2) : undefined;
}

/** A deposit address of the sandbox: of a test network, and with a key that nobody holds. */
export const isSandboxSpark = (text: string): boolean => text.startsWith('sparkrt1') && sparkKeyOf(text) !== undefined;

/** Witness version 0 has a bech32 checksum, later versions have bech32m. The wrong kind of checksum is refused. */
function decodeSegwit(text: string): BitcoinAddress | undefined {
  const [words, isLegacyChecksum] = decodeWords(text);
  const version = words?.[0];
  if (words === undefined || version === undefined || version > 16 || (version === 0) !== isLegacyChecksum) return undefined;
  const program = attempt(() => bech32.fromWords(words.slice(1)));
  if (program === undefined || program.length < 2 || program.length > 40) return undefined;
  if (version !== 0 || program.length === 32) return { kind: 'UNSUPPORTED' };
  return program.length === 20 ? { kind: 'P2WPKH', hash: program } : undefined;
}

function decodeWords(text: string): [words: number[] | undefined, isLegacyChecksum: boolean] {
  const legacy = bech32.decodeUnsafe(text);
  return legacy ? [legacy.words, true] : [bech32m.decodeUnsafe(text)?.words, false];
}
