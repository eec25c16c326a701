import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { findProblems } from '../../../../src/domains/accounts/external-accounts/account-info.js';
import { ACCOUNT_TYPES, paymentRailsOf } from '../../../../src/domains/accounts/external-accounts/account-types.js';
import type { AccountInfo, AccountType } from '../../../../src/domains/accounts/external-accounts/external-account.js';
import { ExternalAccountCreateInfo, ExternalAccountInfo } from '../../../../src/domains/accounts/external-accounts/schemas.js';
import { accountInfoOf, PERSON } from '../../../support/external-accounts/account-infos.js';

const ajv = new Ajv({ discriminator: true, allErrors: true, strict: false });
const isCreate = ajv.compile(ExternalAccountCreateInfo);
const isAnswer = ajv.compile(ExternalAccountInfo);
const TYPES = Object.keys(ACCOUNT_TYPES) as AccountType[];

const problemFields = (info: AccountInfo): string[] => findProblems(info).map((each) => each.field);
const shapeErrors = (info: unknown): string[] => {
  isCreate(info);
  return (isCreate.errors ?? []).map((error) => `${error.instancePath} ${error.keyword}`);
};

describe('every account type of the specification', () => {
  const SPECIFIED =
    'AED_ACCOUNT BDT_ACCOUNT BRL_ACCOUNT BWP_ACCOUNT CAD_ACCOUNT COP_ACCOUNT DKK_ACCOUNT EGP_ACCOUNT EUR_ACCOUNT GBP_ACCOUNT GHS_ACCOUNT GTQ_ACCOUNT HKD_ACCOUNT HTG_ACCOUNT IDR_ACCOUNT INR_ACCOUNT JMD_ACCOUNT KES_ACCOUNT MWK_ACCOUNT MXN_ACCOUNT MYR_ACCOUNT NGN_ACCOUNT PHP_ACCOUNT PKR_ACCOUNT RWF_ACCOUNT SGD_ACCOUNT SLV_ACCOUNT THB_ACCOUNT TZS_ACCOUNT UGX_ACCOUNT USD_ACCOUNT VND_ACCOUNT XAF_ACCOUNT XOF_ACCOUNT ZAR_ACCOUNT ZMW_ACCOUNT SWIFT_ACCOUNT BASE_WALLET ETHEREUM_WALLET LIGHTNING LIGHTNING_ACCOUNT POLYGON_WALLET PLASMA_WALLET ARBITRUM_WALLET SOLANA_WALLET SPARK_WALLET TRON_WALLET CNY_ACCOUNT ILS_ACCOUNT TRY_ACCOUNT';

  test('the table has them all and no others', () => assert.deepEqual([...TYPES].sort(), SPECIFIED.split(' ').sort()));

  for (const type of TYPES) {
    test(`${type}: accepted, and shown with its payment rails`, () => {
      const info = accountInfoOf(type);
      assert.deepEqual(shapeErrors(info), []);
      assert.deepEqual(findProblems(info), []);
      const rails = paymentRailsOf(info);
      assert.equal(
        isAnswer(ACCOUNT_TYPES[type].kind === 'BANK' ? { ...info, paymentRails: rails } : info),
        true,
        JSON.stringify(isAnswer.errors),
      );
      assert.equal(rails.length > 0, ACCOUNT_TYPES[type].kind === 'BANK');
    });

    test(`${type}: an unknown field is refused, and only that field is reported`, () => {
      assert.deepEqual(shapeErrors({ ...accountInfoOf(type), surprise: 1 }), [' additionalProperties']);
    });
  }

  test('every fiat currency variant requires a beneficiary', () => {
    for (const type of TYPES.filter((each) => ACCOUNT_TYPES[each].kind === 'BANK')) {
      const { beneficiary: _, ...rest } = accountInfoOf(type);
      assert.deepEqual(shapeErrors(rest), [' required'], type);
      assert.deepEqual(shapeErrors({ ...rest, beneficiary: { beneficiaryType: 'PERSON' } }), ['/beneficiary discriminator'], type);
    }
  });

  test('an error is reported for the chosen variant only', () => {
    assert.deepEqual(shapeErrors({ ...accountInfoOf('USD_ACCOUNT'), routingNumber: 'abc' }), [
      '/routingNumber minLength',
      '/routingNumber pattern',
    ]);
    assert.deepEqual(shapeErrors({ ...accountInfoOf('USD_ACCOUNT'), accountType: 'PESO_ACCOUNT' }), [' discriminator']);
  });
});

describe('identifiers are checked by their checksums, and the exact field is named', () => {
  const wrong: readonly [AccountType, Partial<AccountInfo>, string][] = [
    ['EUR_ACCOUNT', { iban: 'DE89370400440532013001' }, 'accountInfo.iban'],
    ['EUR_ACCOUNT', { swiftCode: 'DEUTZZFF' }, 'accountInfo.swiftCode'],
    ['USD_ACCOUNT', { routingNumber: '021000022' }, 'accountInfo.routingNumber'],
    ['USD_ACCOUNT', { intermediaryRoutingNumber: '000000000' }, 'accountInfo.intermediaryRoutingNumber'],
    ['MXN_ACCOUNT', { clabeNumber: '032180000118359718' }, 'accountInfo.clabeNumber'],
    ['BRL_ACCOUNT', { taxId: '52998224724' }, 'accountInfo.taxId'],
    ['BRL_ACCOUNT', { pixKeyType: 'CPF', pixKey: '52998224724' }, 'accountInfo.pixKey'],
    ['INR_ACCOUNT', { rail: 'IMPS' }, 'accountInfo.rail'],
    ['INR_ACCOUNT', { rail: 'UPI' }, 'accountInfo.rail'],
    ['SWIFT_ACCOUNT', { country: 'ZZ' }, 'accountInfo.country'],
    ['ETHEREUM_WALLET', { address: '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }, 'accountInfo.address'],
    ['SOLANA_WALLET', { address: '11111111111111111111111111111111' }, 'accountInfo.address'],
    ['USD_ACCOUNT', { beneficiary: { ...PERSON, fullName: ' ' } }, 'accountInfo.beneficiary.fullName'],
    ['USD_ACCOUNT', { beneficiary: { ...PERSON, birthDate: '1990-02-30' } }, 'accountInfo.beneficiary.birthDate'],
    ['USD_ACCOUNT', { beneficiary: { ...PERSON, nationality: 'Mars' } }, 'accountInfo.beneficiary.nationality'],
    [
      'USD_ACCOUNT',
      { beneficiary: { ...PERSON, address: { line1: 'x', postalCode: '1', country: 'USA' } } },
      'accountInfo.beneficiary.address.country',
    ],
  ];
  for (const [type, change, field] of wrong) {
    test(`${type} ${field}`, () => assert.deepEqual(problemFields({ ...accountInfoOf(type), ...change }), [field]));
  }

  test('each problem names the expected format', () => {
    assert.deepEqual(findProblems({ ...accountInfoOf('USD_ACCOUNT'), routingNumber: '021000022' }), [
      { field: 'accountInfo.routingNumber', constraint: { format: 'aba-routing-number' }, message: 'is not a valid aba-routing-number' },
    ]);
  });
});

describe('fields that require each other', () => {
  const without = (type: AccountType, ...names: string[]): AccountInfo =>
    Object.fromEntries(Object.entries(accountInfoOf(type)).filter(([name]) => !names.includes(name))) as AccountInfo;

  test('an account with a bank and a mobile route requires the field of one of them', () => {
    for (const type of ['BDT_ACCOUNT', 'GHS_ACCOUNT'] as const) {
      const closed = without(type, 'accountNumber', 'phoneNumber');
      assert.deepEqual(problemFields(closed), ['accountInfo.accountNumber', 'accountInfo.phoneNumber']);
      assert.deepEqual(paymentRailsOf({ ...closed, accountNumber: '1' }), ['BANK_TRANSFER']);
      assert.deepEqual(paymentRailsOf({ ...closed, phoneNumber: '+8801700000000' }), ['MOBILE_MONEY']);
      assert.deepEqual(paymentRailsOf({ ...closed, accountNumber: '1', phoneNumber: '+8801700000000' }), ['BANK_TRANSFER', 'MOBILE_MONEY']);
    }
  });

  test('COP and SLV: a bank account number needs its type', () => {
    for (const type of ['COP_ACCOUNT', 'SLV_ACCOUNT'] as const)
      assert.deepEqual(problemFields(without(type, 'bankAccountType')), ['accountInfo.bankAccountType']);
  });

  test('INR: a VPA, or account number with IFSC and rail', () => {
    assert.deepEqual(problemFields(without('INR_ACCOUNT', 'ifsc', 'rail')), ['accountInfo.ifsc', 'accountInfo.rail']);
    const upi = { ...without('INR_ACCOUNT', 'accountNumber', 'ifsc', 'rail'), vpa: 'someone@bank' };
    assert.deepEqual(findProblems(upi), []);
    assert.deepEqual(paymentRailsOf(upi), ['UPI']);
    assert.deepEqual(paymentRailsOf(accountInfoOf('INR_ACCOUNT')), ['NEFT', 'RTGS']);
  });

  test('SWIFT: account number or IBAN', () => {
    assert.deepEqual(problemFields(without('SWIFT_ACCOUNT', 'accountNumber', 'iban')), ['accountInfo.accountNumber', 'accountInfo.iban']);
  });

  test('CNY: a bank transfer goes to a business', () => {
    assert.deepEqual(problemFields({ ...accountInfoOf('CNY_ACCOUNT'), accountNumber: '6222', beneficiary: PERSON }), [
      'accountInfo.beneficiary.beneficiaryType',
    ]);
  });

  test('Lightning: exactly one of invoice, bolt12, lightningAddress', () => {
    assert.deepEqual(problemFields({ accountType: 'LIGHTNING' }), [
      'accountInfo.invoice',
      'accountInfo.bolt12',
      'accountInfo.lightningAddress',
    ]);
    const two = { ...accountInfoOf('LIGHTNING'), bolt12: 'lno1pqps7sjqpgtyzm3qv4uxzmtsd3jjqer9wd3hy6tsw35k7msjzfpy7nz5yqcny' };
    assert.deepEqual(problemFields(two), ['accountInfo.bolt12', 'accountInfo.lightningAddress']);
  });
});
