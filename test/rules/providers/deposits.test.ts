import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bech32, bech32m } from '@scure/base';
import fc from 'fast-check';
import { noDeposits, sandboxDeposits } from '../../../src/providers/deposits.js';

const first = (currency: string, accountUuid: string): Record<string, unknown> =>
  sandboxDeposits.instructionsFor({ accountUuid, currency })[0]?.accountOrWalletInfo ?? {};

const forAnyAccount = (check: (accountUuid: string) => void) => fc.assert(fc.property(fc.uuid(), check), { numRuns: 200 });

test('an account always has the same deposit instructions', () =>
  forAnyAccount((id) => assert.deepEqual(first('USD', id), first('USD', id))));

test('a US routing number passes its checksum', () => {
  const digits = [...String(first('USD', 'a')['routingNumber'])].map(Number);
  const sum = digits.reduce((total, digit, i) => total + digit * ([3, 7, 1][i % 3] as number), 0);
  assert.deepEqual([digits.length, sum % 10], [9, 0]);
});

test('an IBAN passes its checksum (mod 97)', () =>
  forAnyAccount((id) => {
    const iban = String(first('EUR', id)['iban']);
    assert.match(iban, /^DE\d{20}$/);
    const moved = [...(iban.slice(4) + iban.slice(0, 4))].map((one) => (/\d/.test(one) ? one : String(one.charCodeAt(0) - 55))).join('');
    assert.equal(BigInt(moved) % 97n, 1n);
  }));

test('a CLABE passes its checksum', () =>
  forAnyAccount((id) => {
    const clabe = String(first('MXN', id)['clabeNumber']);
    assert.match(clabe, /^\d{18}$/);
    const sum = [...clabe.slice(0, 17)].reduce((total, digit, i) => total + ((Number(digit) * ([3, 7, 1][i % 3] as number)) % 10), 0);
    assert.equal((sum + Number(clabe[17])) % 10, 0);
  }));

test('addresses are valid, and Spark and Bitcoin addresses belong to test networks', () =>
  forAnyAccount((id) => {
    const spark = String(first('USDB', id)['address']) as `${string}1${string}`;
    assert.equal(bech32m.decode(spark, 120).prefix, 'sparkrt');
    const [, bitcoin] = sandboxDeposits.instructionsFor({ accountUuid: id, currency: 'BTC' });
    assert.equal(bech32.decode(String(bitcoin?.accountOrWalletInfo['address']) as `${string}1${string}`).prefix, 'tb');
    assert.match(String(first('USDT', id)['address']), /^T[1-9A-HJ-NP-Za-km-z]{33}$/);
    assert.match(String(first('USDC', id)['address']), /^0x[0-9a-f]{40}$/);
  }));

test('a live installation without a deposit provider has no instructions', () => {
  assert.deepEqual(noDeposits.instructionsFor({ accountUuid: 'a', currency: 'USD' }), []);
});
