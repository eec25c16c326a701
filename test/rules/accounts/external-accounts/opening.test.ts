// Opening an external account, the sandbox answers of the bank, identity by every field, and the proof of ownership.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type {
  AccountType,
  ExternalAccount,
  NewExternalAccount,
  OwnershipProof,
} from '../../../../src/domains/accounts/external-accounts/external-account.js';
import {
  answerWithLiveness,
  checkBeneficiary,
  claimOf,
  findWarnings,
  finishNameCheck,
  identifierOf,
  identityOf,
  isInScope,
  type OpeningFacts,
  openAccount,
  refusalOf,
  refuseTrusted,
  startChallenge,
  TRANSITIONS,
} from '../../../../src/domains/accounts/external-accounts/rules.js';
import { ApiError } from '../../../../src/kernel/errors.js';
import { accountInfoOf, COMPANY, PERSON } from '../../../support/external-accounts/account-infos.js';
import { bitcoinWallet } from '../../../support/external-accounts/wallets.js';
import { refusalBy } from '../../../support/refusal.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);
const MINUTE = 60_000;

const requestOf = (accountType: AccountType, change: Partial<NewExternalAccount> = {}, info: object = {}): NewExternalAccount => ({
  customerId: 'Customer:1',
  currency: 'USD',
  platformAccountId: undefined,
  ownershipType: 'FIRST_PARTY',
  defaultUmaDepositAccount: false,
  accountInfo: accountInfoOf(accountType, info),
  ...change,
});
const bank = requestOf('USD_ACCOUNT');
const wallet = requestOf('BASE_WALLET', { currency: 'USDC' });
const facts: OpeningFacts = {
  id: 'ExternalAccount:1',
  request: bank,
  ownerScope: 'CUSTOMER',
  isOwnerKnown: true,
  counterpartyRules: true,
  isSandbox: true,
  now: NOW,
};
const open = (request: NewExternalAccount, change: Partial<OpeningFacts> = {}) => openAccount({ ...facts, ...change, request });
const refused = (request: NewExternalAccount, change: Partial<OpeningFacts> = {}) => refusalBy(() => open(request, change));

test('the state machine: status by name check, challenge and proof', () => {
  assert.deepEqual(TRANSITIONS, {
    PENDING: { NAME_CHECKED: 'ACTIVE' },
    ACTIVE: {},
    PENDING_OWNERSHIP_VERIFICATION: {
      CHALLENGED: 'PENDING_OWNERSHIP_VERIFICATION',
      OWNERSHIP_PROVED: 'ACTIVE',
      OWNERSHIP_NOT_PROVED: 'UNVERIFIED',
    },
    UNVERIFIED: { CHALLENGED: 'PENDING_OWNERSHIP_VERIFICATION' },
    UNDER_REVIEW: {},
    INACTIVE: {},
  });
});

test('operations of customers and of the platform see their own accounts; those of any owner see both', () => {
  const [customers, platforms] = [open(bank), open({ ...bank, customerId: undefined })];
  const seen = (account: ExternalAccount) => (['CUSTOMER', 'PLATFORM', 'ANY'] as const).map((scope) => isInScope(account, scope));
  assert.deepEqual(
    [seen(customers), seen(platforms)],
    [
      [true, false, true],
      [false, true, true],
    ],
  );
});

test('a trusted beneficiary cannot be deleted', () => {
  assert.equal(
    refusalBy(() => refuseTrusted({ ...open(bank), isTrusted: true })),
    'BENEFICIARY_TRUSTED',
  );
  assert.equal(
    refusalBy(() => refuseTrusted(open(bank))),
    'allowed',
  );
});

describe('opening', () => {
  test('gives an ACTIVE account that is neither trusted nor challenged', () => {
    assert.deepEqual(open(bank), {
      ...bank,
      id: 'ExternalAccount:1',
      status: 'ACTIVE',
      beneficiaryCheck: { status: 'MATCHED', verifiedName: PERSON.fullName },
      isTrusted: false,
      challenge: undefined,
      createdAt: NOW,
      updatedAt: NOW,
    });
  });

  test('names every wrong field: owner, default of the platform, currency', () => {
    assert.equal(refused({ ...bank, currency: 'EUR' }, { isOwnerKnown: false }), 'INVALID_INPUT customerId currency');
    const platform = { ...bank, customerId: undefined, defaultUmaDepositAccount: true };
    assert.equal(refused(platform, { ownerScope: 'PLATFORM' }), 'INVALID_INPUT defaultUmaDepositAccount');
    assert.equal(refused({ ...platform, defaultUmaDepositAccount: false }, { ownerScope: 'PLATFORM' }), 'allowed');
    assert.equal(refused({ ...bank, defaultUmaDepositAccount: true }), 'allowed', 'an account of a customer');
  });

  test('takes the currency of the bank, and for a wallet any that is supported', () => {
    assert.deepEqual(
      [refused({ ...wallet, currency: 'USDC' }), refused({ ...wallet, currency: 'XXX' })],
      ['allowed', 'INVALID_INPUT currency'],
    );
  });

  test('a self-custody wallet names its owner, and a third party by name, on platforms with counterparty requirements', () => {
    const third = { ...wallet, ownershipType: 'THIRD_PARTY' } as const;
    const named = { ...third, accountInfo: { ...third.accountInfo, beneficiary: PERSON } };
    const custodian = { ...wallet, accountInfo: { ...wallet.accountInfo, vaspName: 'Exchange' }, ownershipType: undefined };
    const without = { ...wallet, ownershipType: undefined };
    assert.deepEqual(
      [without, third, named, custodian, { ...bank, ownershipType: undefined }].map((request) => refused(request)),
      ['INVALID_INPUT ownershipType', 'INVALID_INPUT accountInfo.beneficiary', 'allowed', 'allowed', 'allowed'],
    );
    for (const request of [without, third]) assert.equal(refused(request, { counterpartyRules: false }), 'allowed');
    const status = (request: NewExternalAccount, counterpartyRules = true) => open(request, { counterpartyRules }).status;
    assert.deepEqual(
      [status(wallet), status(wallet, false), status(named), status(custodian), status(bank)],
      ['PENDING_OWNERSHIP_VERIFICATION', 'ACTIVE', 'ACTIVE', 'ACTIVE', 'ACTIVE'],
    );
  });

  test('live mode refuses a wrong check digit; the sandbox takes it and warns', () => {
    const wrong = requestOf('USD_ACCOUNT', {}, { routingNumber: '021000022' });
    const field = 'accountInfo.routingNumber';
    assert.equal(refused(wrong, { isSandbox: false }), `INVALID_INPUT ${field}`);
    assert.equal(refused(wrong), 'allowed');
    assert.deepEqual(
      [findWarnings(wrong, true), findWarnings(wrong, false), findWarnings(bank, true)].map((all) => all.map((each) => each.field)),
      [[field], [], []],
    );
  });
});

describe('the bank’s answer in the sandbox', () => {
  const answer = (accountNumber: string, beneficiary = PERSON) =>
    checkBeneficiary(accountInfoOf('USD_ACCOUNT', { accountNumber, beneficiary }), true, NOW);

  test('by the last three characters of the identifier', () => {
    const name = PERSON.fullName;
    assert.deepEqual(
      ['777101', '777102', '777103', '777104', '777106', '777107', '777108'].map((number) => answer(number)),
      [
        { status: 'MATCHED', verifiedName: name },
        { status: 'NOT_MATCHED' },
        { status: 'PARTIAL_MATCH', verifiedName: 'A. Lovelace' },
        { status: 'PENDING', dueAt: at(30_000) },
        { status: 'UNSUPPORTED' },
        { status: 'CHECKED_BY_RECEIVING_FI' },
        { status: 'MATCHED', verifiedName: name },
      ],
    );
    assert.equal(
      refusalBy(() => answer('777105')),
      'INVALID_BANK_ACCOUNT',
    );
  });

  test('a company is known by its legal name', () => {
    assert.deepEqual(answer('777101', COMPANY), { status: 'MATCHED', verifiedName: COMPANY.legalName });
  });

  test('each type is identified by its own field', () => {
    const identifiers = { EUR_ACCOUNT: 'iban', MXN_ACCOUNT: 'clabeNumber', GBP_ACCOUNT: 'accountNumber', TRON_WALLET: 'address' } as const;
    for (const [type, field] of Object.entries(identifiers)) {
      const info = accountInfoOf(type as AccountType);
      assert.equal(identifierOf(info), info[field], type);
    }
    for (const [name, text] of Object.entries({ lightningAddress: 'ada@example.com', invoice: 'lnbc1pvjluez', bolt12: 'lno1pqps7' }))
      assert.equal(identifierOf({ accountType: 'LIGHTNING', [name]: text }), text, name);
    assert.equal(identifierOf({ accountType: 'LIGHTNING' }), '');
  });

  test('a check that was pending makes the account ACTIVE, at the time of the answer', () => {
    const waiting = open(requestOf('USD_ACCOUNT', {}, { accountNumber: '777104' }));
    const { status, updatedAt } = finishNameCheck(waiting, at(1));
    assert.deepEqual([waiting.status, status, updatedAt], ['PENDING', 'ACTIVE', at(1)]);
    assert.throws(() => finishNameCheck(open(bank), NOW), /invariant/);
  });
});

test('identity differs by every field that identifies an account', () => {
  const of = (type: AccountType, info: object) => identityOf(requestOf(type, {}, info)).toString('hex');
  const different: readonly [AccountType, object, object][] = [
    ['BASE_WALLET', { address: '0xaa' }, { address: '0xbb' }],
    ['CAD_ACCOUNT', { bankCode: '001' }, { bankCode: '002' }],
    ['MXN_ACCOUNT', { clabeNumber: '1' }, { clabeNumber: '2' }],
    ['LIGHTNING', { lightningAddress: 'a@x' }, { lightningAddress: 'b@x' }],
    ['LIGHTNING', { lightningAddress: undefined, invoice: 'lnbc1' }, { lightningAddress: undefined, invoice: 'lnbc2' }],
    ['LIGHTNING', { lightningAddress: undefined, bolt12: 'lno1' }, { lightningAddress: undefined, bolt12: 'lno2' }],
    ['KES_ACCOUNT', { phoneNumber: '+254712345678' }, { phoneNumber: '+254712345679' }],
    ['BRL_ACCOUNT', { pixKey: 'a@x' }, { pixKey: 'b@x' }],
    ['GBP_ACCOUNT', { sortCode: '200000' }, { sortCode: '200001' }],
    ['INR_ACCOUNT', { accountNumber: undefined, vpa: 'a@bank' }, { accountNumber: undefined, vpa: 'b@bank' }],
  ];
  for (const [type, one, other] of different) assert.notEqual(of(type, one), of(type, other), `${type} ${Object.keys(other).join()}`);
});

test('a bank that a code identifies is the same whatever its name is spelled', () => {
  const of = (type: AccountType, bankName: string) => identityOf(requestOf(type, {}, { bankName })).toString('hex');
  for (const type of ['CAD_ACCOUNT', 'INR_ACCOUNT', 'USD_ACCOUNT', 'GBP_ACCOUNT', 'SGD_ACCOUNT'] as const)
    assert.equal(of(type, 'One Bank'), of(type, 'Another'), type);
});

describe('a challenge', () => {
  const account = open(wallet);
  const start = (method: 'WALLET_SIGNATURE' | 'LIVENESS', change: Partial<ExternalAccount> = {}, hasLivenessVendor = true) =>
    startChallenge({ account: { ...account, ...change }, method, nonce: 'n0nce', hasLivenessVendor, now: NOW });

  test('is refused without a liveness vendor, for a custodial or foreign wallet, and by status, in this order', () => {
    const custodial = { accountInfo: { ...wallet.accountInfo, vaspName: 'Exchange' } };
    assert.equal(
      refusalBy(() => start('LIVENESS', custodial, false)),
      'NOT_IMPLEMENTED',
    );
    assert.equal(
      refusalBy(() => start('WALLET_SIGNATURE', {}, false)),
      'allowed',
    );
    assert.equal(
      refusalBy(() => start('LIVENESS', { ...custodial, ownershipType: 'THIRD_PARTY' })),
      'CONFLICT NOT_SELF_CUSTODY',
    );
    assert.equal(
      refusalBy(() => start('LIVENESS', { ownershipType: 'THIRD_PARTY', status: 'ACTIVE' })),
      'CONFLICT NOT_FIRST_PARTY',
    );
    assert.equal(
      refusalBy(() => start('LIVENESS', { status: 'ACTIVE' })),
      'CONFLICT ACTIVE',
    );
  });

  test('names chain, address and account, and its end; a Bitcoin address of a Spark wallet is one of Bitcoin', () => {
    const message = (change: Partial<ExternalAccount>) => {
      const { challenge } = start('WALLET_SIGNATURE', change);
      return challenge.method === 'WALLET_SIGNATURE' ? challenge.messageToSign : assert.fail(challenge.method);
    };
    const { address } = wallet.accountInfo;
    assert.equal(
      message({}),
      `Switchyard: I control the Base address ${address} of ExternalAccount:1. This proves ownership and moves no funds. ` +
        'Nonce: n0nce. Expires: 2026-03-01T12:15:00.000Z',
    );
    const spark = (kind: 'SPARK' | 'P2WPKH') => {
      const { address } = bitcoinWallet('chain', kind);
      return message({ accountInfo: { accountType: 'SPARK_WALLET', address } }).split(' ')[4];
    };
    assert.deepEqual([spark('SPARK'), spark('P2WPKH')], ['Spark', 'Bitcoin']);
  });

  test('expects a signature until its end, and only if it asked for one', () => {
    const submission = { signature: '0x00', signatureScheme: 'bip137' } as const;
    const signed = start('WALLET_SIGNATURE');
    const claim = (of: ExternalAccount, ms: number) => claimOf(of, submission, at(ms))?.signature;
    assert.deepEqual([claim(signed, 15 * MINUTE - 1), claim(signed, 15 * MINUTE)], ['0x00', undefined]);
    assert.deepEqual([claim(start('LIVENESS'), 0), claim(account, 0)], [undefined, undefined]);
  });

  test('of liveness: passed in time ACTIVE, failed or late UNVERIFIED', () => {
    const live = start('LIVENESS');
    const result = (outcome: 'PASS' | 'FAIL', ms: number) => {
      const now = at(ms);
      const { account: after, proof } = answerWithLiveness({ account: live, outcome, proofId: 'OwnershipProof:1', software: 'test', now });
      assert.deepEqual([proof.method, proof.decidedAt, proof.challengedAt, after.challenge], ['LIVENESS', now, NOW, undefined]);
      return [after.status, proof.verdict, proof.cause];
    };
    assert.deepEqual(result('PASS', 15 * MINUTE - 1), ['ACTIVE', 'VALID', undefined]);
    assert.deepEqual(result('FAIL', 15 * MINUTE - 1), ['UNVERIFIED', 'INVALID', 'LIVENESS_FAILED']);
    assert.deepEqual(result('PASS', 15 * MINUTE), ['UNVERIFIED', 'EXPIRED', undefined]);
  });

  test('the refusal of a proof says whether it came too late, and not why a signature is invalid', () => {
    const refusal = (verdict: OwnershipProof['verdict']) => {
      const error = refusalOf({ verdict, cause: 'secret' } as unknown as OwnershipProof);
      return error instanceof ApiError ? [error.code, error.details] : error;
    };
    assert.equal(refusal('VALID'), undefined);
    assert.deepEqual(refusal('EXPIRED'), ['INVALID_INPUT', { cause: 'CHALLENGE_EXPIRED' }]);
    assert.deepEqual(refusal('INVALID'), ['INVALID_INPUT', { cause: 'SIGNATURE_INVALID' }]);
  });
});
