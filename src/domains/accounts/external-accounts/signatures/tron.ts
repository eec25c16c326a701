// Tron signed message V2, an extension: the specification lists no Tron format. V1 forms are not accepted.
import { decodeTronAddress } from '../addresses.js';
import { judge, parseHexSignature65, prefixedDigest } from './evm.js';
import { refused, type Verdict } from './verdict.js';

export function verifyTron(address: string, message: Uint8Array, signature: string): Verdict {
  const owner = decodeTronAddress(address);
  if (!owner) return refused('tron-v2', 'ADDRESS_UNSUPPORTED');
  return judge('tron-v2', owner, prefixedDigest('\x19TRON Signed Message:\n', message), parseHexSignature65(signature));
}
