import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { base64, bech32, bech32m, hex } from '@scure/base';
import type { BitcoinScheme } from '../../../../src/domains/accounts/external-accounts/signatures/bitcoin.js';
import { verifyOwnership } from '../../../../src/domains/accounts/external-accounts/signatures/verify-ownership.js';
import {
  BIP137_HEADER,
  type BitcoinKind,
  base58check,
  bitcoinDigest,
  bitcoinWallet,
  hash160,
} from '../../../support/external-accounts/wallets.js';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const SCHEMES: readonly BitcoinScheme[] = ['bip137', 'electrum'];
const KINDS = Object.keys(BIP137_HEADER) as BitcoinKind[];

const verdict = (address: string, message: string, signature: string, scheme: BitcoinScheme = 'bip137') =>
  verifyOwnership({ accountType: 'SPARK_WALLET', address, message, signature, scheme });
const refused = (cause: string, scheme: BitcoinScheme = 'bip137') => ({ valid: false, scheme, cause }) as const;
const word = (value: bigint): Uint8Array => hex.decode(value.toString(16).padStart(64, '0'));
const packed = (header: number, r: Uint8Array, s: Uint8Array): string => base64.encode(Uint8Array.from([header, ...r, ...s]));

// The key 1 signs 'vires is numeris' (bitcoinjs-message test suite). Its addresses are in every textbook.
const MESSAGE = 'vires is numeris';
const SIGNATURE = base64.decode('HF8nHqFr3K2UKYahhX3soVeoW8W1ECNbr0wfck7lzyXjCS5Q16Ek45zyBuy1Fiy9sTPKVgsqqOuPvbycuVSSVl8=');
const RECOVERY_ID = 1;
const KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const R = SIGNATURE.slice(1, 33);
const S = SIGNATURE.slice(33);
const ADDRESSES = {
  P2PKH_UNCOMPRESSED: '1EHNa6Q4Jz2uvNExL497mE43ikXhwF6kZm',
  P2PKH: '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH',
  P2SH_P2WPKH: '3JvL6Ymt8MVWiCNHC7oWU6nLeHNJKLZGLN',
  P2WPKH: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
} as const;

describe('Bitcoin, bip137 and electrum', () => {
  test('every header on every kind of address', () => {
    const blocks = { P2PKH_UNCOMPRESSED: [27], P2PKH: [31], P2SH_P2WPKH: [35], P2WPKH: [39] } as const;
    for (const [kind, address] of Object.entries(ADDRESSES)) {
      for (const scheme of SCHEMES) {
        const own: readonly number[] = blocks[kind as keyof typeof ADDRESSES];
        // "Electrum and Sparrow write" the compressed-key header for both segwit kinds.
        const first = scheme === 'electrum' && own[0]! >= 35 ? [...own, 31] : own;
        for (let header = 0; header < 256; header += 1) {
          const isRight = first.some((block) => header === block + RECOVERY_ID);
          assert.equal(verdict(address, MESSAGE, packed(header, R, S), scheme).valid, isRight, `${kind} ${scheme} header ${header}`);
        }
      }
    }
  });

  test('why a header is refused', () => {
    assert.deepEqual(verdict(ADDRESSES.P2WPKH, MESSAGE, packed(32, R, S)), refused('ADDRESS_KIND'));
    assert.deepEqual(verdict(ADDRESSES.P2WPKH, MESSAGE, packed(36, R, S), 'electrum'), refused('ADDRESS_KIND', 'electrum'));
    for (const header of [0, 26, 43, 255])
      assert.deepEqual(verdict(ADDRESSES.P2PKH, MESSAGE, packed(header, R, S)), refused('RECOVERY_ID'));
    assert.deepEqual(verdict(ADDRESSES.P2PKH, MESSAGE, packed(31, R, S)), refused('WRONG_SIGNER'), 'right class, wrong recovery id');
  });

  test('published by Bitcoin Core, Electrum and Trezor', () => {
    const core = 'IPojfrX2dfPnH26UegfbGQQLrdK844DlHq5157/P6h57WyuS/Qsl+h/WSVGDF4MUi4rWSswW38oimDYfNNUBUOk=';
    assert.equal(verdict('15CRxFdyRpGZLW9w8HnHvVduizdL5jKNbs', 'Trust no one', core).valid, true);
    assert.equal(verdict('15CRxFdyRpGZLW9w8HnHvVduizdL5jKNbs', 'I never signed this', core).valid, false);
    const electrum = 'HyFaND+87TtVbRhkTfT3mPNBCQcJ32XXtNZGW8sFldJsNpOPCegEmdcCf5Thy18hdMH88GLxZLkOby/EwVUuSeA=';
    for (const address of ['3DYoBqQ5N6dADzyQjy9FT1Ls4amiYVaqTG', 'bc1qq2tmmcngng78nllq2pvrkchcdukemtj56uyue0']) {
      assert.deepEqual(verdict(address, 'Electrum', electrum), refused('ADDRESS_KIND'));
      assert.deepEqual(verdict(address, 'Electrum', electrum, 'electrum'), { valid: true, scheme: 'electrum' });
    }
    const trezor = hex.decode(
      '28b55d7600d9e9a7e2a49155ddf3cfdb8e796c207faab833010fa41fb7828889bc47cf62348a7aaa0923c0832a589fab541e8f12eb54fb711c90e2307f0f66b194',
    );
    const owner = 'bc1qannfxke2tfd4l7vhepehpvt05y83v3qsf6nfkk';
    assert.equal(verdict(owner, 'This is an example of a signed message.', base64.encode(trezor)).valid, true);
  });

  test('a wallet of each kind, with short and long messages (the length takes one or three bytes)', async () => {
    for (const kind of KINDS) {
      const wallet = bitcoinWallet(kind, kind);
      for (const message of ['', 'x', 'y'.repeat(252), 'z'.repeat(253), 'z'.repeat(1_000)]) {
        const signature = await wallet.sign(message);
        for (const scheme of SCHEMES) assert.deepEqual(verdict(wallet.address, message, signature, scheme), { valid: true, scheme }, kind);
        assert.equal(verdict(wallet.address, `${message}.`, signature).valid, false);
      }
    }
  });

  test('Spark: the recovered key must be the identity key, and only in its compressed form', async () => {
    const { address } = bitcoinWallet('spark', 'SPARK');
    for (const [header, isRight] of [
      [27, false],
      [31, true],
      [35, false],
      [39, false],
    ] as const) {
      const signature = await bitcoinWallet('spark', 'SPARK', header).sign(MESSAGE);
      for (const scheme of SCHEMES) assert.equal(verdict(address, MESSAGE, signature, scheme).valid, isRight, `header ${header}`);
    }
    assert.deepEqual(verdict(address, MESSAGE, await bitcoinWallet('other', 'SPARK').sign(MESSAGE)), refused('WRONG_SIGNER'));
  });

  test('high s with the other parity is accepted, as reference wallets do: a challenge is answered once', () => {
    const twin = word(ORDER - BigInt(`0x${hex.encode(S)}`));
    assert.equal(verdict(ADDRESSES.P2PKH, MESSAGE, packed(31, R, twin)).valid, true);
    assert.equal(verdict(ADDRESSES.P2PKH, MESSAGE, packed(32, R, twin)).valid, false);
  });

  test('recovery ids 2 and 3 mean x = r + n: accepted only if that recovers the key', () => {
    for (const header of [33, 34]) assert.deepEqual(verdict(ADDRESSES.P2PKH, MESSAGE, packed(header, R, S)), refused('WRONG_SIGNER'));
    // Such an r does not occur by chance, so it is constructed: a point beyond the order, and the key that fits it.
    const { r, key } = keyBeyondOrder();
    const owner = base58check.encode(Uint8Array.from([0x00, ...hash160(key)]));
    assert.equal(verdict(owner, MESSAGE, packed(33, word(r), S)).valid, true);
    for (const header of [31, 32, 34]) assert.equal(verdict(owner, MESSAGE, packed(header, word(r), S)).valid, false, `header ${header}`);
  });

  test('r or s zero or not below the order', () => {
    for (const bad of [word(0n), word(ORDER), word(2n ** 256n - 1n)]) {
      assert.deepEqual(verdict(ADDRESSES.P2PKH, MESSAGE, packed(32, bad, S)), refused('SCALAR_RANGE'));
      assert.deepEqual(verdict(ADDRESSES.P2PKH, MESSAGE, packed(32, R, bad)), refused('SCALAR_RANGE'));
    }
  });

  test('only padded standard base64 of 65 bytes', () => {
    const good = packed(32, R, S);
    const flawed = [
      good.slice(0, -1),
      good.replaceAll('+', '-').replaceAll('/', '_').slice(0, -1),
      ` ${good}`,
      `${good}\n`,
      `${good.slice(0, 40)}    ${good.slice(40)}`,
      `${good.slice(0, 76)}\r\n${good.slice(76)}`,
      hex.encode(SIGNATURE),
      '',
    ];
    for (const text of flawed) assert.equal(verdict(ADDRESSES.P2PKH, MESSAGE, text).valid, false, JSON.stringify(text));
    const last = good.at(-2)!;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const unusedBitsSet = `${good.slice(0, -2)}${alphabet[alphabet.indexOf(last) + 1]}=`;
    assert.deepEqual(verdict(ADDRESSES.P2PKH, MESSAGE, unusedBitsSet), refused('ENCODING'));
    assert.deepEqual(verdict(ADDRESSES.P2PKH, MESSAGE, base64.encode(SIGNATURE.slice(0, 64))), refused('LENGTH'));
    assert.deepEqual(verdict(ADDRESSES.P2PKH, MESSAGE, base64.encode(Uint8Array.from([...SIGNATURE, 0]))), refused('LENGTH'));
  });

  test('BIP-322 is refused with that reason', () => {
    for (const prefix of ['smp', 'ful'])
      assert.deepEqual(verdict(ADDRESSES.P2WPKH, MESSAGE, `${prefix}${packed(32, R, S)}`), refused('BIP322'));
    const witness = Uint8Array.from([2, 71, 0x30, 68, ...new Uint8Array(69), 33, 2, ...new Uint8Array(32)]);
    assert.deepEqual(verdict(ADDRESSES.P2WPKH, MESSAGE, base64.encode(witness)), refused('BIP322'));
  });

  test('addresses without message signatures: taproot, script hash, other networks', () => {
    const program = bech32.toWords(new Uint8Array(32).fill(1));
    const keyHash = base58check.decode(ADDRESSES.P2PKH).slice(1);
    const segwit = bech32.decode(ADDRESSES.P2WPKH).words;
    const others = [
      bech32m.encode('bc', [1, ...program]),
      bech32.encode('bc', [0, ...program]),
      bech32m.encode('bc', segwit), // version 0 with the newer checksum
      bech32.encode('tb', segwit),
      bech32.encode('bcrt', segwit),
      base58check.encode(Uint8Array.from([0x6f, ...keyHash])), // testnet
      base58check.encode(Uint8Array.from([0x1e, ...keyHash])), // Dogecoin
      ADDRESSES.P2WPKH.replace('bc1qw', 'bc1qW'),
      KEY, // a bare key is no address
      '',
    ];
    for (const address of others) assert.deepEqual(verdict(address, MESSAGE, packed(40, R, S)), refused('ADDRESS_UNSUPPORTED'), address);
    assert.equal(verdict(ADDRESSES.P2WPKH.toUpperCase(), MESSAGE, packed(40, R, S)).valid, true, 'upper-case bech32 is the same address');
  });

  test('a script hash that is not of P2WPKH, although its script holds the key', () => {
    const key = [...hex.decode(KEY)];
    const scripts = { 'one of one': [0x51, 0x21, ...key, 0x51, 0xae], 'to a key': [0x21, ...key, 0xac] };
    for (const [name, script] of Object.entries(scripts)) {
      const address = base58check.encode(Uint8Array.from([0x05, ...hash160(Uint8Array.from(script))]));
      const headers = { bip137: [35], electrum: [31, 35] } as const;
      for (const scheme of SCHEMES)
        for (const block of headers[scheme])
          assert.deepEqual(verdict(address, MESSAGE, packed(block + RECOVERY_ID, R, S), scheme), refused('WRONG_SIGNER', scheme), name);
    }
  });
});

/** Q = (s R − z G) / r for the first point R with x = n + r and even y. */
function keyBeyondOrder(): { r: bigint; key: Uint8Array } {
  const { Point } = secp256k1;
  const inverse = (value: bigint): bigint => Point.Fn.inv(value);
  const toScalar = (bytes: Uint8Array): bigint => Point.Fn.create(BigInt(`0x${hex.encode(bytes)}`));
  for (let r = 1n; ; r += 1n) {
    const encoded = Uint8Array.from([2, ...word(ORDER + r)]);
    try {
      const shifted = Point.fromBytes(encoded).multiply(toScalar(S));
      const hashed = Point.BASE.multiply(toScalar(bitcoinDigest(new TextEncoder().encode(MESSAGE))));
      return { r, key: shifted.subtract(hashed).multiply(inverse(r)).toBytes(true) };
    } catch {
      // no point has this x: the next one
    }
  }
}
