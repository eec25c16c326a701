// A single flipped bit anywhere, in signature, message or address, is never accepted.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { base58, base64 } from '@scure/base';
import fc from 'fast-check';
import { bytesToHex, hexToBytes } from 'viem';
import { verifyOwnership } from '../../../../src/domains/accounts/external-accounts/signatures/verify-ownership.js';
import {
  bitcoinWallet,
  evmWallet,
  flipBit,
  solanaWallet,
  type TestWallet,
  tronWallet,
} from '../../../support/external-accounts/wallets.js';

type TextForm = { readonly decode: (text: string) => Uint8Array; readonly encode: (bytes: Uint8Array) => string };
const HEX: TextForm = { decode: (text) => hexToBytes(text as `0x${string}`), encode: bytesToHex };

// Under bip137 every bit counts. Electrum allows two headers for a segwit address, which differ in one bit, so it is not in this list.
const CASES: readonly { readonly name: string; readonly wallet: (key: string) => TestWallet; readonly form: TextForm }[] = [
  { name: 'EVM', wallet: evmWallet, form: HEX },
  { name: 'Tron', wallet: tronWallet, form: HEX },
  { name: 'Solana', wallet: solanaWallet, form: base58 },
  { name: 'Bitcoin P2PKH', wallet: (key) => bitcoinWallet(key, 'P2PKH'), form: base64 },
  { name: 'Bitcoin P2SH-P2WPKH', wallet: (key) => bitcoinWallet(key, 'P2SH_P2WPKH'), form: base64 },
  { name: 'Bitcoin P2WPKH', wallet: (key) => bitcoinWallet(key, 'P2WPKH'), form: base64 },
  { name: 'Spark', wallet: (key) => bitcoinWallet(key, 'SPARK'), form: base64 },
];

const isAccepted = ({ accountType }: TestWallet, address: string, message: string, signature: string): boolean =>
  verifyOwnership({ accountType, address, message, signature, scheme: 'bip137' }).valid;

describe('one flipped bit is never accepted', () => {
  for (const { name, wallet: walletOf, form } of CASES) {
    test(`${name}: each bit of one signature`, async () => {
      const wallet = walletOf('flip');
      const signature = form.decode(await wallet.sign('message'));
      assert.ok(isAccepted(wallet, wallet.address, 'message', form.encode(signature)));
      for (let bit = 0; bit < signature.length * 8; bit += 1) {
        assert.equal(isAccepted(wallet, wallet.address, 'message', form.encode(flipBit(signature, bit))), false, `bit ${bit}`);
      }
    });

    test(`${name}: any bit of signature, message or address, any key, any message`, async () => {
      const line = fc.string({
        unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
        minLength: 1,
        maxLength: 300,
      });
      await fc.assert(
        fc.asyncProperty(fc.string(), line, fc.nat(), async (key, message, at) => {
          const wallet = walletOf(key);
          const signature = await wallet.sign(message);
          assert.ok(isAccepted(wallet, wallet.address, message, signature));
          const bytes = form.decode(signature);
          assert.equal(isAccepted(wallet, wallet.address, message, form.encode(flipBit(bytes, at % (bytes.length * 8)))), false);
          assert.equal(isAccepted(wallet, wallet.address, flipText(message, at), signature), false);
          assert.equal(isAccepted(wallet, wallet.flipAddress(at % wallet.addressBits), message, signature), false);
        }),
        { numRuns: 15 },
      );
    });
  }
});

/** One bit of one 7-bit character, so that the text stays text. */
function flipText(text: string, at: number): string {
  const bytes = Buffer.from(text, 'latin1');
  bytes[at % bytes.length]! ^= 1 << (at % 7);
  return bytes.toString('latin1');
}
