// Bitcoin signed messages: BIP-137 headers, and Electrum's variant, which uses the compressed-key header for segwit addresses.
// High s is accepted, as by the reference wallets: a challenge is answered once, so a second form of the signature has no use.
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base64 } from '@scure/base';
import { type BitcoinAddress, decodeBitcoinAddress } from '../addresses.js';
import { compressKey, hasValidScalars, recoverKey } from './secp256k1.js';
import { equalBytes, type RefusalCause, refused, type Verdict } from './verdict.js';

export type BitcoinScheme = 'bip137' | 'electrum';

type HeaderClass = 'UNCOMPRESSED' | 'COMPRESSED' | 'P2SH_P2WPKH' | 'P2WPKH';
type SupportedAddress = Exclude<BitcoinAddress, { kind: 'UNSUPPORTED' }>;

/** From 27 on, each four values of the header byte stand for one key form or address kind. The remainder is the recovery id. */
const HEADER_CLASSES: readonly HeaderClass[] = ['UNCOMPRESSED', 'COMPRESSED', 'P2SH_P2WPKH', 'P2WPKH'];
const FIRST_HEADER = 27;

/** The header classes accepted for each kind of address. All others are refused. */
const HEADERS: { readonly [scheme in BitcoinScheme]: { readonly [kind in SupportedAddress['kind']]: readonly HeaderClass[] } } = {
  bip137: {
    P2PKH: ['UNCOMPRESSED', 'COMPRESSED'],
    P2SH: ['P2SH_P2WPKH'],
    P2WPKH: ['P2WPKH'],
    SPARK: ['COMPRESSED'],
  },
  electrum: {
    P2PKH: ['UNCOMPRESSED', 'COMPRESSED'],
    P2SH: ['P2SH_P2WPKH', 'COMPRESSED'],
    P2WPKH: ['P2WPKH', 'COMPRESSED'],
    SPARK: ['COMPRESSED'],
  },
};

export function verifyBitcoin(address: string, message: Uint8Array, signature: string, scheme: BitcoinScheme): Verdict {
  const owner = decodeBitcoinAddress(address);
  if (!owner || owner.kind === 'UNSUPPORTED') return refused(scheme, 'ADDRESS_UNSUPPORTED');
  const bytes = decodeSignature(signature);
  if (typeof bytes === 'string') return refused(scheme, bytes);

  const offset = bytes[0]! - FIRST_HEADER;
  const header = HEADER_CLASSES[Math.floor(offset / 4)];
  if (header === undefined) return refused(scheme, 'RECOVERY_ID');
  if (!HEADERS[scheme][owner.kind].includes(header)) return refused(scheme, 'ADDRESS_KIND');
  const rs = bytes.subarray(1);
  if (!hasValidScalars(rs)) return refused(scheme, 'SCALAR_RANGE');

  const key = recoverKey(messageDigest(message), rs, offset % 4);
  if (!key) return refused(scheme, 'WRONG_SIGNER');
  return isKeyOf(owner, header === 'UNCOMPRESSED' ? key : compressKey(key)) ? { valid: true, scheme } : refused(scheme, 'WRONG_SIGNER');
}

/** 65 bytes in padded standard base64 with unused bits zero. */
function decodeSignature(signature: string): Uint8Array | RefusalCause {
  if (/^(smp|ful|pof)/.test(signature)) return 'BIP322';
  if (signature.length > 1_000 || signature.length % 4 !== 0) return 'ENCODING';
  try {
    const bytes = base64.decode(signature);
    if (isWitnessStack(bytes)) return 'BIP322';
    return bytes.length === 65 ? bytes : 'LENGTH';
  } catch {
    return 'ENCODING';
  }
}

/** A BIP-322 "simple" signature is a witness stack: a count of two items, a DER signature, a compressed key. */
const isWitnessStack = (bytes: Uint8Array): boolean => bytes.length > 100 && bytes[0] === 2 && bytes[2] === 0x30;

function isKeyOf(owner: SupportedAddress, key: Uint8Array): boolean {
  if (owner.kind === 'SPARK') return equalBytes(owner.identityKey, key);
  const keyHash = hash160(key);
  const expected = owner.kind === 'P2SH' ? hash160(Buffer.concat([Uint8Array.of(0x00, 0x14), keyHash])) : keyHash;
  return equalBytes(owner.hash, expected);
}

const hash160 = (bytes: Uint8Array): Uint8Array => ripemd160(sha256(bytes));

function messageDigest(message: Uint8Array): Uint8Array {
  const magic = Buffer.from('\x18Bitcoin Signed Message:\n', 'latin1');
  return sha256(sha256(Buffer.concat([magic, compactSize(message.length), message])));
}

function compactSize(length: number): Uint8Array {
  if (length < 0xfd) return Uint8Array.of(length);
  if (length <= 0xffff) return Uint8Array.of(0xfd, length & 0xff, length >> 8);
  return Uint8Array.of(0xfe, length & 0xff, (length >> 8) & 0xff, (length >> 16) & 0xff, length >>> 24);
}
