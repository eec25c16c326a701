// The result of a signature check. The caller learns only whether the signature is valid; the cause is stored with the proof.

export type SignatureScheme = 'eip191' | 'tron-v2' | 'ed25519' | 'bip137' | 'electrum';

/** Why a signature was refused. The first cause that applies. */
export type RefusalCause =
  | 'ENCODING' // not the one canonical text form of the chain: hex with 0x, padded base64, base58
  | 'LENGTH' // decodes, but to another number of bytes
  | 'CONTRACT_WALLET' // ERC-6492 wrapper: only the chain itself could check it
  | 'BIP322' // a newer Bitcoin message format, not offered
  | 'ADDRESS_UNSUPPORTED' // the address has no single key that could sign
  | 'RECOVERY_ID' // a header or v that names no recovery
  | 'ADDRESS_KIND' // the header is for another kind of Bitcoin address
  | 'SCALAR_RANGE' // r or s is zero or not below the order
  | 'HIGH_S' // the malleable second form of a signature
  | 'WEAK_KEY' // a non-canonical or small-order Ed25519 point: anyone could have made the signature
  | 'OFFCHAIN_ENVELOPE' // a valid Solana signature, but over the wallet's envelope instead of the message
  | 'WRONG_SIGNER'; // a well-formed signature by another key or over another message

export type Verdict =
  | { readonly valid: true; readonly scheme: SignatureScheme }
  | { readonly valid: false; readonly scheme: SignatureScheme; readonly cause: RefusalCause };

export const refused = (scheme: SignatureScheme, cause: RefusalCause): Verdict => ({ valid: false, scheme, cause });

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
