// Creating external accounts, for accounts of customers and of the platform.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { ACCOUNT_TYPES } from '../../../src/domains/accounts/external-accounts/account-types.js';
import type { AccountType } from '../../../src/domains/accounts/external-accounts/external-account.js';
import { type Answer, assertInvalid, assertRefused, expectStatus } from '../client.js';
import { startOwnService, type TestService } from '../service.js';
import { accountInfoOf, COMPANY, PERSON } from './account-infos.js';
import { type AccountsApi, accountsApi, liftCounterpartyRules, type OwnerPath, statusEvents, totals } from './accounts-api.js';
import { evmWallet, solanaWallet } from './wallets.js';

/** The currencies of the types whose name does not hold the currency code. */
const CURRENCIES: { readonly [type in AccountType]?: string } = {
  SLV_ACCOUNT: 'USD',
  SWIFT_ACCOUNT: 'EUR',
  LIGHTNING: 'BTC',
  LIGHTNING_ACCOUNT: 'BTC',
};
const currencyOf = (type: AccountType): string => CURRENCIES[type] ?? (type.endsWith('_WALLET') ? 'USDC' : type.slice(0, 3));

export function createSuite(ownerPath: OwnerPath): void {
  let service: TestService;
  let api: AccountsApi;
  before(async () => {
    service = await startOwnService();
    api = accountsApi(service.platform, ownerPath);
  });
  after(() => service.stop());

  const usd = (change: Record<string, unknown> = {}) => ({ currency: 'USD', accountInfo: accountInfoOf('USD_ACCOUNT', change) });
  const numbered = (accountNumber: string) => usd({ accountNumber });

  const refusedWithoutTrace = async (send: () => Promise<Answer>, check: (answer: Answer) => void) => {
    await api.owner();
    const before = await totals(service);
    check(await send());
    assert.deepEqual(await totals(service), before);
  };

  describe('201', () => {
    for (const type of Object.keys(ACCOUNT_TYPES) as AccountType[]) {
      test(type, async () => {
        const fresh = accountsApi(service.platform, ownerPath);
        const accountInfo = accountInfoOf(type);
        const isWallet = type.endsWith('_WALLET');
        // All accounts of the platform have one owner, which has a LIGHTNING account already.
        if (type === 'LIGHTNING_ACCOUNT') Object.assign(accountInfo, { lightningAddress: 'grace@example.com' });
        const body = { currency: currencyOf(type), accountInfo, ...(isWallet ? { ownershipType: 'FIRST_PARTY' } : {}) };
        const account = await expectStatus(201, fresh.create(body));
        assert.match(account.id, /^ExternalAccount:[0-9a-f-]{36}$/);
        const { paymentRails, ...shown } = account.accountInfo;
        assert.deepEqual(shown, accountInfo);
        const isBank = !isWallet && !type.startsWith('LIGHTNING');
        assert.equal(Array.isArray(paymentRails), isBank);
        assert.equal(account.currency, currencyOf(type));
        assert.equal(account.customerId, (await fresh.owner())['customerId'] ?? null);
        assert.equal(account.status, isWallet ? 'PENDING_OWNERSHIP_VERIFICATION' : 'ACTIVE');
        assert.equal(account.beneficiaryVerificationStatus, isBank ? 'MATCHED' : undefined);
        assert.equal(account.defaultUmaDepositAccount, false);
        assert.deepEqual(await fresh.get(account), account);
        assert.deepEqual(await statusEvents(service, account), [], 'a new account has not changed its status');
      });
    }

    test('platformAccountId and ownershipType are kept', async () => {
      const platformAccountId = randomUUID();
      const account = await expectStatus(201, api.create({ ...numbered('111111111'), platformAccountId, ownershipType: 'THIRD_PARTY' }));
      assert.equal(account.platformAccountId, platformAccountId);
      assert.equal(account.ownershipType, 'THIRD_PARTY');
    });

    test('the same Idempotency-Key gets the first account', async () => {
      const body = { ...(await api.owner()), ...numbered('222222222') };
      const send = () => service.platform.post(api.base, body, { headers: { 'idempotency-key': `create-${ownerPath}` } });
      assert.equal((await send()).text, (await send()).text);
    });
  });

  describe('where ownership must be verified', () => {
    test('a self-custody first-party wallet starts PENDING_OWNERSHIP_VERIFICATION', async () => {
      assert.equal((await api.wallet()).status, 'PENDING_OWNERSHIP_VERIFICATION');
    });

    test('a third-party wallet, or one at a custodian, is ACTIVE', async () => {
      const beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper', countryOfResidence: 'US' };
      const { accountType, address } = evmWallet(randomUUID());
      const third = await api.wallet(undefined, { ownershipType: 'THIRD_PARTY', accountInfo: { accountType, address, beneficiary } });
      assert.equal(third.status, 'ACTIVE');
      const custody = solanaWallet(randomUUID());
      const accountInfo = { accountType: custody.accountType, address: custody.address, vaspName: 'Some Exchange' };
      assert.equal((await expectStatus(201, api.create({ currency: 'USDC', accountInfo }))).status, 'ACTIVE');
    });

    test('elsewhere ownershipType may be left out and wallets start ACTIVE', async () => {
      const platform = await service.newPlatform();
      await liftCounterpartyRules(service, platform);
      const free = accountsApi(platform, ownerPath);
      const bare = await expectStatus(201, free.create({ currency: 'USDC', accountInfo: accountInfoOf('TRON_WALLET') }));
      assert.equal(bare.status, 'ACTIVE');
      const declared = await free.wallet();
      assert.equal(declared.status, 'ACTIVE');
      const third = await free.wallet(undefined, { ownershipType: 'THIRD_PARTY' });
      assert.equal(third.status, 'ACTIVE');
    });
  });

  describe('beneficiary verification by the last three characters of the identifier', () => {
    const answers = [
      ['102', 'NOT_MATCHED', undefined],
      ['103', 'PARTIAL_MATCH', 'A. Lovelace'],
      ['106', 'UNSUPPORTED', undefined],
      ['107', 'CHECKED_BY_RECEIVING_FI', undefined],
      ['101', 'MATCHED', 'Ada Lovelace'],
    ] as const;
    for (const [suffix, status, fullName] of answers) {
      test(`${suffix}: ${status}`, async () => {
        const account = await expectStatus(201, api.create(numbered(`123456${suffix}`)));
        assert.equal(account.beneficiaryVerificationStatus, status);
        assert.deepEqual(account.beneficiaryVerifiedData, fullName === undefined ? undefined : { fullName });
        assert.equal(account.status, 'ACTIVE');
      });
    }

    test('104: PENDING, then MATCHED and ACTIVE after the answer of the rail, with an event', async () => {
      const platform = await service.newPlatform();
      const far = accountsApi(platform, ownerPath);
      await far.owner();
      await platform.clock.freeze();
      const account = await expectStatus(201, far.create(numbered('123456104')));
      assert.equal(account.status, 'PENDING');
      assert.equal(account.beneficiaryVerificationStatus, 'PENDING');
      await platform.clock.advance(29_999);
      assert.deepEqual(await far.get(account), account);
      await platform.clock.advance(1);
      const after = await far.get(account);
      assert.deepEqual(after, {
        ...account,
        status: 'ACTIVE',
        beneficiaryVerificationStatus: 'MATCHED',
        beneficiaryVerifiedData: { fullName: 'Ada Lovelace' },
      });
      assert.deepEqual(await statusEvents(service, account), [after]);
    });

    test('105: refused', () =>
      refusedWithoutTrace(
        () => api.create(numbered('123456105')),
        (answer) => assertRefused(answer, 400, 'INVALID_BANK_ACCOUNT'),
      ));

    test('the part before an @ counts', async () => {
      const accountInfo = accountInfoOf('BRL_ACCOUNT', { pixKey: 'someone103@example.com' });
      const account = await expectStatus(201, api.create({ currency: 'BRL', accountInfo }));
      assert.equal(account.beneficiaryVerificationStatus, 'PARTIAL_MATCH');
    });

    test('a business is checked by its legal name', async () => {
      const account = await expectStatus(201, api.create(usd({ accountNumber: '999999999', beneficiary: COMPANY })));
      assert.deepEqual(account.beneficiaryVerifiedData, { fullName: 'Analytical Engines Ltd' });
    });
  });

  describe('400 names the exact field', () => {
    const wallet = () => ({ currency: 'USDC', accountInfo: accountInfoOf('ETHEREUM_WALLET') });
    const { beneficiary: _, ...nameless } = accountInfoOf('USD_ACCOUNT');
    const mistakes: readonly [name: string, body: () => Record<string, unknown>, ...fields: string[]][] = [
      ['no currency', () => ({ accountInfo: accountInfoOf('USD_ACCOUNT') }), 'currency'],
      ['no accountInfo', () => ({ currency: 'USD' }), 'accountInfo'],
      ['an unknown account type', () => usd({ accountType: 'PESO_ACCOUNT' }), 'accountInfo.accountType'],
      ['a currency that is not the account type’s', () => ({ ...usd(), currency: 'EUR' }), 'currency'],
      ['a currency nobody knows', () => ({ ...wallet(), ownershipType: 'FIRST_PARTY', currency: 'DOGE' }), 'currency'],
      ['an unknown field', () => ({ ...usd(), state: 'ACTIVE' }), 'state'],
      ['an unknown field of the variant', () => usd({ iban: 'DE89370400440532013000' }), 'accountInfo.iban'],
      ['a routing number of no district', () => usd({ routingNumber: '991000021' }), 'accountInfo.routingNumber'],
      ['a bank account type that is missing at creation', () => usd({ bankAccountType: undefined }), 'accountInfo.bankAccountType'],
      ['no beneficiary', () => ({ currency: 'USD', accountInfo: nameless }), 'accountInfo.beneficiary'],
      [
        'an unknown kind of beneficiary',
        () => usd({ beneficiary: { beneficiaryType: 'ROBOT' } }),
        'accountInfo.beneficiary.beneficiaryType',
      ],
      ['a beneficiary without name', () => usd({ beneficiary: { beneficiaryType: 'INDIVIDUAL' } }), 'accountInfo.beneficiary.fullName'],
      [
        'a field of the other kind of beneficiary',
        () => usd({ beneficiary: { ...PERSON, legalName: 'Ada Ltd' } }),
        'accountInfo.beneficiary.legalName',
      ],
      [
        'an address without an owner',
        () => ({
          ...wallet(),
          ownershipType: 'FIRST_PARTY',
          accountInfo: { accountType: 'BASE_WALLET', address: `0x${'0'.repeat(40)}` },
        }),
        'accountInfo.address',
      ],
      ['a self-custody wallet that does not say whose it is', wallet, 'ownershipType'],
      ["somebody else's wallet that does not say whose", () => ({ ...wallet(), ownershipType: 'THIRD_PARTY' }), 'accountInfo.beneficiary'],
      [
        'a blank custodian',
        () => ({ currency: 'USDC', accountInfo: accountInfoOf('ETHEREUM_WALLET', { vaspName: ' ' }) }),
        'accountInfo.vaspName',
      ],
      ['a platformAccountId that is too long', () => ({ ...usd(), platformAccountId: 'x'.repeat(256) }), 'platformAccountId'],
      [
        'several at once',
        () => ({ ...usd({ routingNumber: '000000000', beneficiary: { ...PERSON, birthDate: '1990-02-30' } }), currency: 'GBP' }),
        'accountInfo.beneficiary.birthDate',
        'accountInfo.routingNumber',
        'currency',
      ],
      ['several of one field: "one per invalid field"', () => usd({ routingNumber: 'abc' }), 'accountInfo.routingNumber'],
      [
        'several of one field, by its format and by its neighbours',
        () => ({ ...usd(), currency: 'BTC', accountInfo: { accountType: 'LIGHTNING', invoice: 'x', lightningAddress: 'a@b.co' } }),
        'accountInfo.invoice',
        'accountInfo.lightningAddress',
      ],
    ];
    for (const [name, body, ...fields] of mistakes) {
      test(name, () =>
        refusedWithoutTrace(
          () => api.create(body()),
          (answer) => assertInvalid(answer, ...fields),
        ),
      );
    }
  });

  test('401', async () => {
    const stranger = service.as('nobody', 'nothing-nothing-nothing');
    assertRefused(await stranger.post(api.base, usd()), 401, 'UNAUTHORIZED');
  });

  describe('409 DUPLICATE_EXTERNAL_ACCOUNT "Equivalent external account exists"', () => {
    const duplicate = (answer: Answer, existing: { id: string; platformAccountId?: string }) => {
      assertRefused(answer, 409, 'DUPLICATE_EXTERNAL_ACCOUNT');
      const { id: externalAccountId, platformAccountId } = existing;
      assert.deepEqual(answer.body.details, { externalAccountId, ...(platformAccountId === undefined ? {} : { platformAccountId }) });
    };

    test('the same wallet of the same owner, in any letter case', async () => {
      const wallet = evmWallet(randomUUID());
      const existing = await api.wallet(wallet);
      for (const address of [wallet.address, wallet.address.toLowerCase()]) {
        const body = { currency: 'USDC', ownershipType: 'FIRST_PARTY', accountInfo: { accountType: wallet.accountType, address } };
        await refusedWithoutTrace(
          () => api.create(body),
          (answer) => duplicate(answer, existing),
        );
      }
    });

    test('the same bank account in another spelling', async () => {
      const existing = await expectStatus(201, api.create(numbered('333333333')));
      const again = usd({ accountNumber: '333333333', bankName: 'First Bank', beneficiary: COMPANY });
      await refusedWithoutTrace(
        () => api.create(again),
        (answer) => duplicate(answer, existing),
      );
    });

    test('the same platformAccountId', async () => {
      const platformAccountId = randomUUID();
      const existing = await expectStatus(201, api.create({ ...numbered('444444444'), platformAccountId }));
      await refusedWithoutTrace(
        () => api.create({ ...numbered('555555555'), platformAccountId }),
        (answer) => duplicate(answer, existing),
      );
    });

    test('not: another currency, another chain, another routing number', async () => {
      const wallet = evmWallet(randomUUID());
      await api.wallet(wallet);
      await api.wallet(wallet, { currency: 'USDT' });
      await api.wallet(evmWallet(wallet.address), { accountInfo: { accountType: 'BASE_WALLET', address: wallet.address } });
      await expectStatus(201, api.create(usd({ accountNumber: '666666666' })));
      await expectStatus(201, api.create(usd({ accountNumber: '666666666', routingNumber: '011401533' })));
    });

    test('not: an account that was deleted', async () => {
      const wallet = evmWallet(randomUUID());
      const gone = await api.wallet(wallet);
      await expectStatus(204, service.platform.delete(`${api.base}/${gone.id}`));
      assert.notEqual((await api.wallet(wallet)).id, gone.id);
    });

    test("not: another platform's account, which the answer does not reveal", async () => {
      const wallet = evmWallet(randomUUID());
      const platformAccountId = randomUUID();
      await accountsApi(await service.newPlatform(), ownerPath).wallet(wallet, { platformAccountId });
      await api.wallet(wallet, { platformAccountId });
    });
  });
}
