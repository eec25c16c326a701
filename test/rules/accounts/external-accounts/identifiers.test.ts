import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { base58, bech32m } from '@scure/base';
import fc from 'fast-check';
import {
  ADDRESS_CHECKS,
  isBic,
  isBrazilianPhone,
  isBrazilianTaxId,
  isClabe,
  isCnpj,
  isCountry,
  isCpf,
  isEmail,
  isIban,
  isIfsc,
  isLightningAddress,
  isLightningInvoice,
  isLightningOffer,
  isRoutingNumber,
  isUuid,
} from '../../../../src/domains/accounts/external-accounts/identifiers.js';
import { base58check, bitcoinWallet, evmWallet, solanaWallet, tronWallet } from '../../../support/external-accounts/wallets.js';

/** Valid values (published samples or facts about issuers), and values that differ slightly from a valid one. */
const SAMPLES: readonly {
  readonly check: (text: string) => boolean;
  readonly right: readonly string[];
  readonly wrong: readonly string[];
}[] = [
  { check: isCountry, right: ['US', 'DE', 'XK'], wrong: ['us', 'USA', 'ZZ', 'UK', ''] },
  {
    check: isIban,
    right: [
      'GB82WEST12345698765432',
      'DE89370400440532013000',
      'FR1420041010050500013M02606',
      'NO9386011117947',
      'AE070331234567890123456',
      'fr1420041010050500013m02606',
    ],
    wrong: [
      'GB82WEST12345698765433',
      'GB82WEST1234569876543',
      'US82WEST12345698765432',
      'DE00370400440532013000',
      'DE8937040044053201300',
      'DE89 3704 0044 0532 0130 00',
      '',
    ],
  },
  { check: isBic, right: ['DEUTDEFF', 'DEUTDEFF500', 'CHASUS33XXX'], wrong: ['DEUTZZFF', 'DEUTDEF', 'DEUTDEFF50', 'deutdeff', 'DEU1DEFF'] },
  {
    check: isRoutingNumber,
    right: ['021000021', '011401533', '091000019', '322271627'],
    wrong: ['021000022', '000000000', '131000021', '02100002', '0210000210'],
  },
  {
    check: isClabe,
    right: ['032180000118359719', '002010077777777771'],
    wrong: ['032180000118359718', '03218000011835971', '03218000011835971a'],
  },
  { check: isIfsc, right: ['SBIN0001234', 'HDFC0ABC123'], wrong: ['SBIN1001234', 'SBI00001234', 'sbin0001234', 'SBIN000123'] },
  { check: isCpf, right: ['52998224725', '11144477735'], wrong: ['52998224724', '11111111111', '5299822472'] },
  { check: isCnpj, right: ['11222333000181', '11444777000161'], wrong: ['11222333000182', '00000000000000', '1122233300018'] },
  { check: isBrazilianTaxId, right: ['52998224725', '11222333000181'], wrong: ['529982247250', '5299822472500'] },
  { check: isEmail, right: ['a@b.co', 'a.b+c@d.e.f'], wrong: ['a@b', 'a b@c.de', '@c.de', 'a@.de', 'a@c.'] },
  {
    check: isUuid,
    right: ['123e4567-e89b-12d3-a456-426655440000'],
    wrong: ['123e4567e89b12d3a456426655440000', '123e4567-e89b-12d3-a456-42665544000g'],
  },
  { check: isBrazilianPhone, right: ['+5511987654321', '+551132654321'], wrong: ['5511987654321', '+15551234567', '+55119876543210'] },
  {
    check: isLightningInvoice,
    // BOLT 11, its first example: a donation of any amount.
    right: [
      'lnbc1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6twvus8g6rfwvs8qun0dfjkxaq8rkx3yf5tcsyz3d73gafnh3cax9rn449d9p5uxz9ezhhypd0elx87sjle52x86fux2ypatgddc6k63n7erqz25le42c4u4ecky03ylcqca784w',
    ],
    wrong: ['lnbc1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypq', 'lntb1pvjluez', 'lnbc', ''],
  },
  {
    check: isLightningOffer,
    right: ['lno1pqps7sjqpgtyzm3qv4uxzmtsd3jjqer9wd3hy6tsw35k7msjzfpy7nz5yqcny'],
    wrong: ['lno1', 'lno1PQPS7', 'lnr1pqps7', 'lno1bbbb'],
  },
  {
    check: isLightningAddress,
    right: ['satoshi@example.com', 'a.b+tip@ln.example.co'],
    wrong: ['Satoshi@example.com', 'satoshi@example', 'satoshi', '@example.com', 'a@@b.c'],
  },
];

describe('identifiers', () => {
  for (const { check, right, wrong } of SAMPLES) {
    test(check.name, () => {
      for (const text of right) assert.equal(check(text), true, text);
      for (const text of wrong) assert.equal(check(text), false, text);
    });
  }

  test('a single wrong digit never passes the checksum of an IBAN, a routing number or a CLABE', () => {
    const checked = fc.constantFrom(
      { check: isIban, text: 'DE89370400440532013000', from: 2 },
      { check: isRoutingNumber, text: '021000021', from: 0 },
      { check: isClabe, text: '032180000118359719', from: 0 },
    );
    fc.assert(
      fc.property(checked, fc.nat(), fc.integer({ min: 1, max: 9 }), ({ check, text, from }, at, step) => {
        const place = from + (at % (text.length - from));
        const digit = (Number(text[place]) + step) % 10;
        assert.equal(check(`${text.slice(0, place)}${digit}${text.slice(place + 1)}`), false);
      }),
      { numRuns: 500 },
    );
  });
});

describe('wallet addresses', () => {
  test('each wallet type accepts its own addresses and no others', () => {
    const samples = {
      evm: evmWallet('id').address,
      solana: solanaWallet('id').address,
      tron: tronWallet('id').address,
      spark: bitcoinWallet('id', 'SPARK').address,
      bitcoin: bitcoinWallet('id', 'P2WPKH').address,
    };
    const takes = {
      BASE_WALLET: ['evm'],
      ETHEREUM_WALLET: ['evm'],
      POLYGON_WALLET: ['evm'],
      PLASMA_WALLET: ['evm'],
      ARBITRUM_WALLET: ['evm'],
      SOLANA_WALLET: ['solana'],
      TRON_WALLET: ['tron'],
      SPARK_WALLET: ['spark', 'bitcoin'],
    } as const;
    for (const [type, own] of Object.entries(takes)) {
      for (const [kind, address] of Object.entries(samples)) {
        const isOwn = (own as readonly string[]).includes(kind);
        assert.equal(ADDRESS_CHECKS[type as keyof typeof takes](address), isOwn, `${type} ${kind}`);
      }
    }
  });

  test('EVM: a single letter case or a valid checksum; a wrong mixed case is refused', () => {
    const check = ADDRESS_CHECKS.ETHEREUM_WALLET;
    const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'; // EIP-55's own example
    assert.equal(check(checksummed), true);
    assert.equal(check(checksummed.toLowerCase()), true);
    assert.equal(check(`0x${checksummed.slice(2).toUpperCase()}`), true);
    assert.equal(check(checksummed.replace('aAeb', 'aaeb')), false);
    for (const text of [checksummed.slice(2), `${checksummed}0`, `0X${checksummed.slice(2)}`, `0x${'0'.repeat(40)}`])
      assert.equal(check(text), false, text);
  });

  test('Solana: a point on the curve that is not of small order', () => {
    const check = ADDRESS_CHECKS.SOLANA_WALLET;
    const offCurve = Array.from({ length: 64 }, (_, i) => base58.encode(new Uint8Array(32).fill(i + 2))).filter((text) => !check(text));
    assert.ok(offCurve.length > 10, 'about half of all byte strings are no point');
    assert.equal(check('1'.repeat(32)), false, 'the zero address');
    assert.equal(check(solanaWallet('id').address.slice(4)), false, 'fewer than 32 bytes');
  });

  test('Tron: version 0x41, a valid checksum, not the zero address', () => {
    const { address } = tronWallet('id');
    const payload = base58check.decode(address);
    assert.equal(ADDRESS_CHECKS.TRON_WALLET(base58check.encode(Uint8Array.from([0x42, ...payload.slice(1)]))), false);
    assert.equal(ADDRESS_CHECKS.TRON_WALLET(base58check.encode(Uint8Array.from([0x41, ...new Uint8Array(20)]))), false, 'the zero address');
    assert.equal(ADDRESS_CHECKS.TRON_WALLET(`${address.slice(0, -1)}${address.endsWith('1') ? '2' : '1'}`), false);
  });

  test('Spark: exactly one identity key that is a point; an invoice is not accepted', () => {
    const encode = (...bytes: number[]): string => bech32m.encode('spark', bech32m.toWords(Uint8Array.from(bytes)), false);
    const key = bech32m.decodeToBytes(bitcoinWallet('id', 'SPARK').address).bytes.slice(2);
    const check = ADDRESS_CHECKS.SPARK_WALLET;
    assert.equal(check(encode(0x0a, 33, ...key)), true);
    assert.equal(check(encode(0x0a, 33, 5, ...key.slice(1))), false);
    assert.equal(check(encode(0x0a, 33, 2, ...new Uint8Array(32).fill(255))), false);
    assert.equal(check(encode(0x0a, 33, ...key, 0x12, 1, 1)), false);
    assert.equal(check(bech32m.encode('sparkrt', bech32m.toWords(Uint8Array.from([0x0a, 33, ...key])))), false);
  });

  test('the decoders stay fast and do not throw for any text', () => {
    for (const check of Object.values(ADDRESS_CHECKS))
      for (const letter of ['1', 'z', '0', 'é', '\ud83d']) assert.equal(check(letter.repeat(50_000)), false);
  });
});
