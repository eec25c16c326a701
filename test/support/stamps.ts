// Stamps as the client of a wallet's owner makes them.
import { type P256KeyPair, signP256 } from '../../src/providers/wallet-signer/p256.js';

export function makeStamp({ publicKey, privateKey }: P256KeyPair, payload: string): string {
  const signature = signP256(privateKey, Buffer.from(payload, 'utf8')).toString('hex');
  return Buffer.from(JSON.stringify({ publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature }), 'utf8').toString('base64url');
}
