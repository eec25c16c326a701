// The end user's part of the API, with the libraries that wallet apps use: chain wallets, session keys, stamps, one-time codes.
import { createHash, randomBytes } from 'node:crypto';
import { base58, bech32 } from '@scure/base';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { encryptOtpCodeToBundle, generateP256KeyPair } from '@turnkey/crypto';
import nacl from 'tweetnacl';
import { bytesToHex, type Hex, hexToBytes, parseSignature, stringToBytes } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';

export const CHAINS = ['ethereum', 'solana', 'bitcoin'] as const;
export type Chain = (typeof CHAINS)[number];

/** A wallet that can be stored in a file: the account type of its registration, and its signing key. */
export type ChainWallet = { readonly chain: Chain; readonly accountType: string; readonly address: string; readonly privateKey: Hex };

export function newWallet(chain: Chain): ChainWallet {
  const privateKey = bytesToHex(randomBytes(32));
  return { chain, privateKey, ...IDENTITY[chain](privateKey) };
}

const IDENTITY: Readonly<Record<Chain, (privateKey: Hex) => { accountType: string; address: string }>> = {
  ethereum: (privateKey) => ({ accountType: 'ETHEREUM_WALLET', address: privateKeyToAccount(privateKey).address }),
  solana: (privateKey) => ({ accountType: 'SOLANA_WALLET', address: base58.encode(solanaPair(privateKey).publicKey) }),
  bitcoin: (privateKey) => {
    const hash = createHash('ripemd160')
      .update(sha256(compressedKey(privateKey)))
      .digest();
    return { accountType: 'SPARK_WALLET', address: bech32.encode('bc', [0, ...bech32.toWords(hash)]) };
  },
};

/** Signs a message in the format the chain's wallets use. */
export async function signMessage({ chain, privateKey }: ChainWallet, message: string): Promise<string> {
  if (chain === 'ethereum') return privateKeyToAccount(privateKey).signMessage({ message });
  if (chain === 'solana') return base58.encode(nacl.sign.detached(stringToBytes(message), solanaPair(privateKey).secretKey));
  const signature = parseSignature(await sign({ hash: bytesToHex(bitcoinDigest(message)), privateKey, to: 'hex' }));
  // BIP-137: 39 to 42 mean a native segwit address.
  return Buffer.concat([Buffer.of(39 + signature.yParity), hexToBytes(signature.r), hexToBytes(signature.s)]).toString('base64');
}

const solanaPair = (privateKey: Hex) => nacl.sign.keyPair.fromSeed(hexToBytes(privateKey));
const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

function compressedKey(privateKey: Hex): Buffer {
  const point = hexToBytes(privateKeyToAccount(privateKey).publicKey);
  return Buffer.concat([Buffer.of((point.at(-1) as number) % 2 === 0 ? 2 : 3), point.subarray(1, 33)]);
}

function bitcoinDigest(message: string): Buffer {
  const bytes = Buffer.from(message, 'utf8');
  const length = bytes.length < 253 ? Buffer.of(bytes.length) : Buffer.of(253, bytes.length & 255, bytes.length >> 8);
  return sha256(sha256(Buffer.concat([Buffer.from('\x18Bitcoin Signed Message:\n', 'latin1'), length, bytes])));
}

/** The key pair of a session. The end user keeps the private key; the service receives the public key. */
export type SessionKey = { readonly publicKey: string; readonly privateKey: string };

export const newSessionKey = (): SessionKey => {
  const { publicKey, privateKey } = generateP256KeyPair();
  return { publicKey, privateKey };
};

/** The value of the wallet-signature header over a `payloadToSign`. */
export async function stamp({ publicKey, privateKey }: SessionKey, payload: string): Promise<string> {
  return (await new ApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey: privateKey }).stamp(payload)).stampHeaderValue;
}

/** A one-time code, encrypted for the service together with the public key of the session. */
export function encryptOtp(bundle: string, { publicKey }: SessionKey, code: string): Promise<string> {
  const { enclaveQuorumPublic } = JSON.parse(bundle) as { enclaveQuorumPublic: string };
  return encryptOtpCodeToBundle(code, bundle, publicKey, enclaveQuorumPublic);
}
