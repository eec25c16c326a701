import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type AccountType,
  EXTERNAL_ACCOUNT_STATUSES,
  type ExternalAccount,
  type NewExternalAccount,
} from '../../../../src/domains/accounts/external-accounts/external-account.js';
import {
  answerWithLiveness,
  answerWithSignature,
  checkBeneficiary,
  claimOf,
  finishNameCheck,
  identityOf,
  openAccount,
  startChallenge,
} from '../../../../src/domains/accounts/external-accounts/rules.js';
import { type OwnershipClaim, verifyOwnership } from '../../../../src/domains/accounts/external-accounts/signatures/verify-ownership.js';
import { ApiError } from '../../../../src/kernel/errors.js';
import { accountInfoOf, PERSON } from '../../../support/external-accounts/account-infos.js';
import { bitcoinWallet, evmWallet, solanaWallet, tronWallet } from '../../../support/external-accounts/wallets.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const wallet = evmWallet('rules');

const request = (change: Partial<NewExternalAccount> = {}): NewExternalAccount => ({
  customerId: undefined,
  currency: 'USDC',
  platformAccountId: undefined,
  ownershipType: 'FIRST_PARTY',
  defaultUmaDepositAccount: false,
  accountInfo: { accountType: wallet.accountType, address: wallet.address },
  ...change,
});
const facts = {
  id: 'ExternalAccount:1',
  ownerScope: 'PLATFORM',
  isOwnerKnown: true,
  counterpartyRules: true,
  isSandbox: true,
  now: NOW,
} as const;
const account = (change: Partial<ExternalAccount> = {}): ExternalAccount => ({
  ...openAccount({ ...facts, request: request() }),
  ...change,
});
const refusal = (work: () => unknown): ApiError => {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  return assert.fail('was not refused');
};

describe('a challenge', () => {
  test('starts from two statuses and leads to PENDING_OWNERSHIP_VERIFICATION; from no other', () => {
    for (const status of EXTERNAL_ACCOUNT_STATUSES) {
      const start = () =>
        startChallenge({ hasLivenessVendor: true, account: account({ status }), method: 'WALLET_SIGNATURE', nonce: 'n', now: NOW });
      if (status === 'UNVERIFIED' || status === 'PENDING_OWNERSHIP_VERIFICATION') {
        assert.equal(start().status, 'PENDING_OWNERSHIP_VERIFICATION', status);
      } else {
        assert.equal(refusal(start).code, 'CONFLICT', status);
      }
    }
  });

  test('lasts fifteen minutes and replaces an open one', () => {
    const first = startChallenge({ hasLivenessVendor: true, account: account(), method: 'LIVENESS', nonce: 'a', now: NOW });
    const second = startChallenge({ hasLivenessVendor: true, account: first, method: 'WALLET_SIGNATURE', nonce: 'b', now: NOW });
    assert.equal(second.challenge.method, 'WALLET_SIGNATURE');
    assert.equal(second.challenge.expiresAt.getTime() - NOW.getTime(), 15 * 60_000);
  });
});

describe('an answer', () => {
  const challenged = startChallenge({ hasLivenessVendor: true, account: account(), method: 'WALLET_SIGNATURE', nonce: 'n', now: NOW });
  const message = challenged.challenge.method === 'WALLET_SIGNATURE' ? challenged.challenge.messageToSign : '';
  const answer = (signature: string, now = NOW, of: ExternalAccount = challenged) =>
    answerWithSignature({
      account: of,
      submission: { signature, signatureScheme: 'bip137' },
      checked: checkedBy(claimOf(of, { signature, signatureScheme: 'bip137' }, now)),
      proofId: 'OwnershipProof:1',
      software: 'test',
      now,
    });
  const checkedBy = (claim: OwnershipClaim | undefined) => claim && verifyOwnership(claim);
  const before = (ms: number) => new Date(challenged.challenge.expiresAt.getTime() - ms);

  test('valid: ACTIVE; invalid or expired: UNVERIFIED; the challenge is closed in every case', async () => {
    const good = await wallet.sign(message);
    for (const [answered, verdict, status] of [
      [answer(good), 'VALID', 'ACTIVE'],
      [answer('0x00'), 'INVALID', 'UNVERIFIED'],
      [answer(good, before(1)), 'VALID', 'ACTIVE'],
      [answer(good, before(0)), 'EXPIRED', 'UNVERIFIED'],
      [answer(good, before(-1)), 'EXPIRED', 'UNVERIFIED'],
    ] as const) {
      assert.equal(answered.proof.verdict, verdict);
      assert.equal(answered.account.status, status);
      assert.equal(answered.account.challenge, undefined);
      assert.equal(answered.proof.scheme, 'eip191', 'the evidence of every attempt names its scheme');
      assert.equal(refusal(() => answer(good, NOW, answered.account)).code, 'CONFLICT');
    }
  });

  test('a signature does not answer a liveness check, and a liveness result no signature challenge', () => {
    const live = startChallenge({ hasLivenessVendor: true, account: account(), method: 'LIVENESS', nonce: 'n', now: NOW });
    assert.equal(refusal(() => answer('0x00', NOW, live)).code, 'CONFLICT');
    const conclude = (of: ExternalAccount) =>
      answerWithLiveness({ account: of, outcome: 'PASS', proofId: 'OwnershipProof:1', software: 'test', now: NOW });
    assert.equal(refusal(() => conclude(challenged)).code, 'CONFLICT');
    assert.equal(conclude(live).account.status, 'ACTIVE');
  });
});

describe('the beneficiary', () => {
  test('is checked on bank accounts only, and not supported in live mode', () => {
    assert.equal(checkBeneficiary(accountInfoOf('ETHEREUM_WALLET'), true, NOW), undefined);
    assert.equal(checkBeneficiary(accountInfoOf('LIGHTNING'), true, NOW), undefined);
    assert.deepEqual(checkBeneficiary(accountInfoOf('USD_ACCOUNT', { accountNumber: '1105' }), false, NOW), { status: 'UNSUPPORTED' });
  });

  test('each type by its own identifier', () => {
    const identified: readonly [AccountType, Parameters<typeof accountInfoOf>[1]][] = [
      ['USD_ACCOUNT', { accountNumber: '777102' }],
      ['KES_ACCOUNT', { phoneNumber: '+254712345102' }],
      ['BRL_ACCOUNT', { pixKey: 'ada102@example.com' }],
      ['INR_ACCOUNT', { accountNumber: undefined, vpa: 'ada102@bank' } as never],
    ];
    for (const [type, change] of identified)
      assert.equal(checkBeneficiary(accountInfoOf(type, change), true, NOW)?.status, 'NOT_MATCHED', type);
  });

  test('a partial match shortens the name by whole characters', () => {
    const accountInfo = accountInfoOf('USD_ACCOUNT', { accountNumber: '777103', beneficiary: { ...PERSON, fullName: '𠮷田 太郎' } });
    assert.deepEqual(checkBeneficiary(accountInfo, true, NOW), { status: 'PARTIAL_MATCH', verifiedName: '𠮷. 太郎' });
  });

  test('a pending check ends as a match', () => {
    const accountInfo = accountInfoOf('USD_ACCOUNT', { accountNumber: '777104' });
    const waiting = openAccount({ ...facts, request: request({ currency: 'USD', accountInfo }) });
    assert.equal(waiting.status, 'PENDING');
    assert.deepEqual(finishNameCheck(waiting, NOW).beneficiaryCheck, { status: 'MATCHED', verifiedName: PERSON.fullName });
  });
});

describe('identity', () => {
  const of = (accountType: AccountType, change: Parameters<typeof accountInfoOf>[1] = {}, currency = 'USD') =>
    identityOf(request({ currency, accountInfo: accountInfoOf(accountType, change) })).toString('hex');

  test('is the same for two spellings of the same account', () => {
    assert.equal(
      of('EUR_ACCOUNT', { swiftCode: 'DEUTDEFF' }),
      of('EUR_ACCOUNT', { iban: 'de89370400440532013000', swiftCode: 'COBADEFF' }),
    );
    assert.equal(of('USD_ACCOUNT'), of('USD_ACCOUNT', { bankName: 'Another', bankAccountType: 'SAVINGS' }));
    assert.equal(of('NGN_ACCOUNT', { bankName: 'FIRST bank of nigeria' }), of('NGN_ACCOUNT'));
    assert.equal(of('LIGHTNING'), of('LIGHTNING_ACCOUNT'));
    const bdt = { accountNumber: '777', bankName: 'Dutch-Bangla' };
    for (const described of [{ swiftCode: 'DBBLBDDH' }, { branchCode: '12345' }, { phoneNumber: '+880171234567' }])
      assert.equal(of('BDT_ACCOUNT', { ...bdt, ...described }), of('BDT_ACCOUNT', bdt), Object.keys(described)[0]);
    assert.equal(of('IDR_ACCOUNT', { phoneNumber: '+62812345678901' }), of('IDR_ACCOUNT'), 'a number to call is no account');
    assert.equal(of('SGD_ACCOUNT', { swiftCode: 'DBSSSGSGXXX' }), of('SGD_ACCOUNT', { swiftCode: 'DBSSSGSG' }), 'XXX is the head office');
    assert.equal(of('BASE_WALLET'), of('BASE_WALLET', { address: accountInfoOf('BASE_WALLET').address?.toLowerCase() as string }));
    for (const [name, text] of Object.entries({ invoice: 'lnbc1pvjluez', bolt12: 'lno1pqps7' }))
      assert.equal(of('LIGHTNING', { [name]: text }), of('LIGHTNING', { [name]: text.toUpperCase() }), name);
    for (const kind of ['P2WPKH', 'SPARK'] as const)
      for (let i = 0; i < 20; i += 1) {
        const { address } = bitcoinWallet(`identity ${i}`, kind);
        assert.equal(of('SPARK_WALLET', { address }), of('SPARK_WALLET', { address: address.toUpperCase() }), address);
      }
  });

  test('differs by letter case if the address is case-sensitive', () => {
    const addresses = { SOLANA_WALLET: solanaWallet('id'), TRON_WALLET: tronWallet('id'), SPARK_WALLET: bitcoinWallet('id', 'P2PKH') };
    for (const [type, { address }] of Object.entries(addresses))
      assert.notEqual(of(type as AccountType, { address }), of(type as AccountType, { address: address.toLowerCase() }));
  });

  test('differs for another bank, account, chain, network or currency', () => {
    const identities = [
      of('NGN_ACCOUNT'),
      of('NGN_ACCOUNT', { bankName: 'Second Bank' }),
      of('USD_ACCOUNT'),
      of('USD_ACCOUNT', { routingNumber: '011401533' }),
      of('USD_ACCOUNT', { accountNumber: '1' }),
      of('BASE_WALLET'),
      of('BASE_WALLET', {}, 'USDC'),
      of('POLYGON_WALLET', { address: accountInfoOf('BASE_WALLET').address as string }),
      of('XOF_ACCOUNT'),
      of('XOF_ACCOUNT', { region: 'CI' }),
      of('XOF_ACCOUNT', { provider: 'Other Co' }),
      of('SGD_ACCOUNT', { swiftCode: 'DBSSSGSG' }),
      of('SGD_ACCOUNT', { swiftCode: 'DBSSSGSG123' }),
      of('CAD_ACCOUNT'),
      of('CAD_ACCOUNT', { branchCode: '54321' }),
      of('INR_ACCOUNT'),
      of('INR_ACCOUNT', { ifsc: 'HDFC0000009' }),
    ];
    assert.equal(new Set(identities).size, identities.length);
  });
});
