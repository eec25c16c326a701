import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ed25519, ed25519ctx, ed25519ph } from '@noble/curves/ed25519.js';
import { base58, base64, hex } from '@scure/base';
import nacl from 'tweetnacl';
import { verifyEd25519Strict } from '../../../../src/domains/accounts/external-accounts/signatures/solana.js';
import { verifyOwnership } from '../../../../src/domains/accounts/external-accounts/signatures/verify-ownership.js';
import { solanaPair, solanaWallet } from '../../../support/external-accounts/wallets.js';

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const PRIME = 2n ** 255n - 19n;
const MESSAGE = 'Prove that you hold this wallet';
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const wallet = solanaWallet('solana');
const pair = solanaPair('solana');
const good = base58.decode(await wallet.sign(MESSAGE));

const verdictOf = (signature: string, address = wallet.address) =>
  verifyOwnership({ accountType: 'SOLANA_WALLET', address, message: MESSAGE, signature, scheme: 'bip137' });
const verdict = (signature: Uint8Array, address?: string) => verdictOf(base58.encode(signature), address);
const refused = (cause: string) => ({ valid: false, scheme: 'ed25519', cause }) as const;
const littleEndian = (value: bigint): Uint8Array => hex.decode(value.toString(16).padStart(64, '0')).reverse();
const joined = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));
const signed = (...parts: Uint8Array[]): Uint8Array => nacl.sign.detached(joined(...parts), pair.secretKey);

describe('Solana, Ed25519', () => {
  test('a signature over the raw message bytes, made by tweetnacl', () => {
    assert.deepEqual(verdict(good), { valid: true, scheme: 'ed25519' });
    assert.deepEqual(verdict(good, solanaWallet('other').address), refused('WRONG_SIGNER'));
  });

  test('the off-chain envelope, in each of its forms, is refused with that reason', () => {
    const domain = joined(Uint8Array.of(0xff), bytesOf('solana offchain'));
    const length = Uint8Array.of(MESSAGE.length, 0);
    const forms = [
      signed(domain, Uint8Array.of(0, 0), length, bytesOf(MESSAGE)),
      signed(domain, Uint8Array.of(0), new Uint8Array(32), Uint8Array.of(0, 1), pair.publicKey, length, bytesOf(MESSAGE)),
      signed(domain, Uint8Array.of(1, 1), pair.publicKey, bytesOf(MESSAGE)),
    ];
    for (const signature of forms) assert.deepEqual(verdict(signature), refused('OFFCHAIN_ENVELOPE'));
    assert.deepEqual(verdict(signed(domain, bytesOf('another message'))), refused('WRONG_SIGNER'));
  });

  test('S at or above the order, the malleable second form included', () => {
    const scalar = BigInt(`0x${hex.encode(good.slice(32).reverse())}`);
    for (const s of [scalar + ORDER, ORDER, 2n ** 256n - 1n]) {
      assert.deepEqual(verdict(joined(good.slice(0, 32), littleEndian(s))), refused('SCALAR_RANGE'));
    }
  });

  test('A or R of small order, canonical or not, the zero address included', () => {
    const encodings = smallOrderEncodings();
    assert.equal(encodings.length, 14);
    for (const point of encodings) {
      assert.deepEqual(verdict(joined(point, new Uint8Array(32)), base58.encode(point)), refused('WEAK_KEY'));
      assert.deepEqual(verdict(joined(point, good.slice(32))), refused('WEAK_KEY'));
    }
    assert.deepEqual(verdict(good, '1'.repeat(32)), refused('WEAK_KEY'));
  });

  test('A or R not canonical', () => {
    for (let y = PRIME; y < 2n ** 255n; y += 1n) {
      assert.deepEqual(verdict(joined(littleEndian(y), good.slice(32))), refused('WEAK_KEY'));
      assert.deepEqual(verdict(good, base58.encode(littleEndian(y))), refused('WEAK_KEY'));
    }
  });

  test('mixed order: accepted where the cofactorless equation holds, refused where only the cofactored one does', () => {
    // Cases 3, 4 and 5 of ed25519-speccheck ("Taming the many EdDSAs", Chalkias, Garillot, Nikolaenko 2020).
    const mixedKey = 'cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d';
    const holds = [
      '9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79',
      mixedKey,
      '9046a64750444938de19f227bb80485e92b83fdb4b6506c160484c016cc1852f87909e14428a7a1d62e9f22f3d3ad7802db02eb2e688b6c52fcd6648a98bd009',
    ] as const;
    const onlyCofactored = [
      [
        'e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c',
        mixedKey,
        '160a1cb0dc9c0258cd0a7d23e94d8fa878bcb1925f2c64246b2dee1796bed5125ec6bc982a269b723e0668e540911a9a6a58921d6925e434ab10aa7940551a09',
      ],
      [
        'e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c',
        mixedKey,
        '21122a84e0b5fca4052f5b1235c80a537878b38f3142356b2c2384ebad4668b7e40bc836dac0f71076f9abe3a53f9c03c1ceeeddb658d0030494ace586687405',
      ],
    ] as const;
    const check = ([message, key, signature]: readonly [string, string, string]) =>
      verifyEd25519Strict(hex.decode(key), hex.decode(message), hex.decode(signature));
    assert.equal(check(holds), undefined);
    for (const each of onlyCofactored) assert.equal(check(each), 'WRONG_SIGNER');
  });

  test('another length or another text form', () => {
    assert.deepEqual(verdict(good.slice(0, 63)), refused('LENGTH'));
    assert.deepEqual(verdict(joined(good, Uint8Array.of(1))), refused('LENGTH'));
    const text = base58.encode(good);
    assert.deepEqual(verdictOf(`1${text}`), refused('LENGTH'), 'a leading 1 is a leading zero byte');
    for (const letter of ['0', 'O', 'I', 'l', ' ']) assert.deepEqual(verdictOf(`${letter}${text.slice(1)}`), refused('ENCODING'));
    assert.deepEqual(verdictOf(base64.encode(good)), refused('ENCODING'));
    assert.deepEqual(verdictOf(hex.encode(good)), refused('LENGTH'));
    assert.deepEqual(verdictOf(''), refused('LENGTH'));
  });

  test('Ed25519ph and Ed25519ctx are other schemes', () => {
    const seed = pair.secretKey.slice(0, 32);
    assert.deepEqual(verdict(ed25519ph.sign(bytesOf(MESSAGE), seed)), refused('WRONG_SIGNER'));
    assert.deepEqual(verdict(ed25519ctx.sign(bytesOf(MESSAGE), seed, { context: bytesOf('x') })), refused('WRONG_SIGNER'));
  });
});

/** Every encoding of the eight torsion points that some verifier would read: both signs, and y + p where it fits. */
function smallOrderEncodings(): Uint8Array[] {
  const ys = new Set<bigint>();
  for (let seed = 1; ys.size < 5; seed += 1) {
    try {
      const point = ed25519.Point.fromBytes(littleEndian(BigInt(seed)), true);
      ys.add(
        point
          .multiplyUnsafe(ORDER - 1n)
          .add(point)
          .toAffine().y,
      );
    } catch {
      // not on the curve: the next one
    }
  }
  return [...ys]
    .flatMap((y) => [y, y + PRIME])
    .filter((y) => y < 2n ** 255n)
    .flatMap((y) => [littleEndian(y), littleEndian(y + 2n ** 255n)]);
}
