// EIP-191 `personal_sign` (version 0x45) of an externally owned account. Tron uses the same parts.
// Contract wallets (ERC-1271, ERC-6492) need a call to their chain and are not accepted.
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex } from '@scure/base';
import { decodeEvmAddress } from '../addresses.js';
import { hasHighS, hasValidScalars, recoverKey } from './secp256k1.js';
import { equalBytes, type RefusalCause, refused, type Verdict } from './verdict.js';

const ERC6492_SUFFIX = '6492'.repeat(16);

type Parsed = { readonly rs: Uint8Array; readonly recoveryId: number } | { readonly cause: RefusalCause };

export function verifyEvm(address: string, message: Uint8Array, signature: string): Verdict {
  const owner = decodeEvmAddress(address);
  if (!owner) return refused('eip191', 'ADDRESS_UNSUPPORTED');
  if (signature.toLowerCase().endsWith(ERC6492_SUFFIX)) return refused('eip191', 'CONTRACT_WALLET');
  const parsed = parseHexSignature(signature);
  return judge('eip191', owner, prefixedDigest('\x19Ethereum Signed Message:\n', message), parsed);
}

export function judge(scheme: 'eip191' | 'tron-v2', owner: Uint8Array, digest: Uint8Array, parsed: Parsed): Verdict {
  if ('cause' in parsed) return refused(scheme, parsed.cause);
  if (!hasValidScalars(parsed.rs)) return refused(scheme, 'SCALAR_RANGE');
  if (hasHighS(parsed.rs)) return refused(scheme, 'HIGH_S');
  const key = recoverKey(digest, parsed.rs, parsed.recoveryId);
  return key && equalBytes(addressOf(key), owner) ? { valid: true, scheme } : refused(scheme, 'WRONG_SIGNER');
}

/** keccak256 of prefix, length in bytes as decimal digits, message. */
export function prefixedDigest(prefix: string, message: Uint8Array): Uint8Array {
  return keccak_256(Buffer.concat([Buffer.from(`${prefix}${message.length}`, 'latin1'), message]));
}

const addressOf = (key: Uint8Array): Uint8Array => keccak_256(key.subarray(1)).subarray(12);

/** `0x` and hex digits of either case: 65 bytes r ‖ s ‖ v, or the 64 bytes of ERC-2098 whose top bit of s is the parity. */
function parseHexSignature(signature: string): Parsed {
  const bytes = decodeHex(signature);
  if (bytes?.length !== 64) return parse65(bytes);
  const rs = bytes.slice();
  const recoveryId = bytes[32]! >> 7;
  rs[32] = rs[32]! & 0x7f;
  return { rs, recoveryId };
}

export const parseHexSignature65 = (signature: string): Parsed => parse65(decodeHex(signature));

function decodeHex(signature: string): Uint8Array | undefined {
  return /^0x(?:[0-9a-fA-F]{2})+$/.test(signature) ? hex.decode(signature.slice(2).toLowerCase()) : undefined;
}

/** v is 27 or 28, or 0 or 1 from hardware and older wallets. 35 and above are for transactions. */
function parse65(bytes: Uint8Array | undefined): Parsed {
  if (!bytes) return { cause: 'ENCODING' };
  if (bytes.length !== 65) return { cause: 'LENGTH' };
  const v = bytes[64]!;
  const recoveryId = v >= 27 ? v - 27 : v;
  return recoveryId > 1 ? { cause: 'RECOVERY_ID' } : { rs: bytes.subarray(0, 64), recoveryId };
}
