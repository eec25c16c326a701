// New platforms, changes of their configuration, and which token may be deleted. Without a database.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiToken, CurrencyConfig, FeeConfig, Platform } from '../../../../src/domains/core/platform/platform.js';
import {
  type ConfigPatch,
  changePlatform,
  currencyConfig,
  findDeletableToken,
  newPlatform,
  tokenExists,
} from '../../../../src/domains/core/platform/rules.js';
import { answerOf, fieldsOf, refusalOf } from '../../../support/refusal.js';

const BEFORE = new Date('2026-05-01T00:00:00Z');
const NOW = new Date('2026-06-01T00:00:00Z');
const NEW = { name: 'Acme', mode: 'sandbox', counterpartyRules: false, now: BEFORE } as const;
const PLATFORM = newPlatform('Platform:01950000-0000-7000-8000-0123456789ab', NEW);

const changed = (patch: ConfigPatch, platform: Platform = PLATFORM, endpointProblem?: string) =>
  changePlatform(platform, patch, { endpointProblem, now: NOW });
const configured = (config: Partial<Platform['config']>): Platform => ({ ...PLATFORM, config: { ...PLATFORM.config, ...config } });

test('a new platform: USD and USDB both ways, a UMA domain of its own, no endpoint, card limit or duty', () => {
  const currency = (currencyCode: string) => ({
    currencyCode,
    minAmount: 1,
    maxAmount: 100_000_000_000,
    requiredCounterpartyFields: [],
    enabledTransactionTypes: ['INCOMING', 'OUTGOING'],
  });
  assert.deepEqual(PLATFORM, {
    id: 'Platform:01950000-0000-7000-8000-0123456789ab',
    name: 'Acme',
    mode: 'sandbox',
    counterpartyRules: false,
    maxLiveCards: null,
    maxCardsPerCardholder: null,
    cardProgram: 'service_full',
    ruleBasedAccounts: true,
    endUserTermsRequired: false,
    scaOrigins: null,
    config: {
      umaDomain: '0123456789ab.uma.localhost',
      supportedCurrencies: [currency('USD'), currency('USDB')],
      isRegulatedFinancialInstitution: false,
    },
    webhookEndpoint: null,
    createdAt: BEFORE,
    updatedAt: BEFORE,
  });
});

describe('"a PATCH merges: absent members stay"', () => {
  test('an empty change changes the time alone', () => assert.deepEqual(changed({}), { ...PLATFORM, updatedAt: NOW }));

  test('the endpoint is kept beside the configuration', () => {
    const made = changed({ webhookEndpoint: 'https://a.example' });
    assert.deepEqual([made.webhookEndpoint, 'webhookEndpoint' in made.config], ['https://a.example', false]);
    assert.equal(changed({ umaDomain: 'b' }, made).webhookEndpoint, 'https://a.example');
  });

  test('an endpoint that can never receive is refused', () => {
    assert.deepEqual(refusalOf(() => changed({ webhookEndpoint: 'http://x' }, PLATFORM, 'must be https')).details, {
      errors: [{ field: 'webhookEndpoint', constraint: { format: 'uri' }, message: 'must be https' }],
    });
  });

  test('a UMA domain that no URL has is refused, and one that a URL has is kept as it was given', () => {
    for (const umaDomain of ['bank.4', '1.2', 'xn--a.example'])
      assert.deepEqual(
        fieldsOf(() => changed({ umaDomain })),
        ['umaDomain'],
        umaDomain,
      );
    assert.equal(changed({ umaDomain: 'Bank.Example' }).config.umaDomain, 'Bank.Example');
  });

  test('a given list of currencies replaces the list; members that are only read are not stored', () => {
    const sent = { ...currencyConfig('EUR'), minAmount: 5, maxAmount: 5, providerRequiredCustomerFields: ['FULL_NAME'] } as CurrencyConfig;
    assert.deepEqual(changed({ supportedCurrencies: [sent] }).config.supportedCurrencies, [
      { ...currencyConfig('EUR'), minAmount: 5, maxAmount: 5 },
    ]);
  });

  test('wallet and tokenization settings merge, nested objects member by member', () => {
    const before = configured({
      embeddedWalletConfig: { appName: 'A', otpLength: 6 },
      cardTokenization2faConfig: { sms: { on: true, from: 'A' }, list: [1], plain: 1, email: { on: true } },
    });
    const { config } = changed(
      {
        embeddedWalletConfig: { otpLength: 8 },
        cardTokenization2faConfig: { sms: { from: 'B' }, list: [2], plain: { a: 1 }, email: 'off' },
      },
      before,
    );
    assert.deepEqual(config.embeddedWalletConfig, { appName: 'A', otpLength: 8 });
    assert.deepEqual(config.cardTokenization2faConfig, { sms: { on: true, from: 'B' }, list: [2], plain: { a: 1 }, email: 'off' });
    assert.deepEqual(changed({ cardTokenization2faConfig: { sms: {} } }).config.cardTokenization2faConfig, { sms: {} });
  });

  test('"null clears a member": the settings of cards', () => {
    const all = {
      maxSpendPerTransaction: 1,
      maxSpendPerDay: 2,
      maxTransactionsPerDay: 3,
      pinTargetOrigin: 'https://a.example',
      panRevealCssUrl: 'https://b.example',
    };
    const before = configured({ cardConfigs: all });
    assert.deepEqual(changed({ cardConfigs: {} }, before).config.cardConfigs, all);
    for (const name of Object.keys(all)) {
      const { [name as keyof typeof all]: _cleared, ...rest } = all;
      assert.deepEqual(changed({ cardConfigs: { [name]: null } }, before).config.cardConfigs, rest, name);
    }
    assert.deepEqual(changed({ cardConfigs: { maxSpendPerDay: 0 } }).config.cardConfigs, { maxSpendPerDay: 0 });
  });
});

describe('currencies of a platform', () => {
  test('are currencies of the service, once each, with a minimum up to the maximum', () => {
    const of = (currencyCode: string, minAmount = 1, maxAmount = 1) => ({ ...currencyConfig(currencyCode), minAmount, maxAmount });
    assert.deepEqual(
      fieldsOf(() => changed({ supportedCurrencies: [of('USD'), of('XXX'), of('USD'), of('EUR', 2, 1)] })),
      ['supportedCurrencies.1.currencyCode', 'supportedCurrencies.2.currencyCode', 'supportedCurrencies.3.minAmount'],
    );
  });
});

describe('fees of a platform', () => {
  const cross = (fields: Partial<FeeConfig> = {}): FeeConfig => ({
    feeType: 'CROSS_CURRENCY_TRANSACTION',
    variableFeeBps: 10,
    fixedFee: { amount: 5, currency: 'USD' },
    sourceCurrency: 'USD',
    ...fields,
  });
  const rail = (fields: Partial<FeeConfig> = {}): FeeConfig => ({
    feeType: 'RAIL',
    variableFeeBps: 0,
    fixedFee: { amount: 25, currency: 'USD' },
    rail: 'ACH',
    direction: 'OUT',
    ...fields,
  });
  const fees = (given: FeeConfig[], before: FeeConfig[] = []) =>
    changed({ feeConfigs: given }, configured({ feeConfigs: before })).config.feeConfigs;

  test('are accepted for USD sources and for outgoing US rails; anything else is not implemented', () => {
    for (const name of ['ACH', 'ACH_SAME_DAY', 'RTP', 'FEDNOW', 'WIRE']) assert.equal(fees([rail({ rail: name })])?.length, 1, name);
    assert.deepEqual(changed({ feeConfigs: [cross()] }).config.feeConfigs, [cross()]);
    for (const fee of [
      cross({ sourceCurrency: 'EUR', fixedFee: { amount: 5, currency: 'EUR' } }),
      rail({ rail: 'SEPA' }),
      rail({ direction: 'IN' }),
      rail({ rail: 'SEPA', direction: 'IN' }),
      rail({ fixedFee: { amount: 25, currency: 'EUR' } }),
    ])
      assert.deepEqual(
        answerOf(() => fees([fee])),
        ['NOT_IMPLEMENTED', { feeType: fee.feeType }],
      );
    const { rail: _rail, ...railless } = rail();
    assert.equal(answerOf(() => fees([railless]))[0], 'NOT_IMPLEMENTED');
    const { sourceCurrency: _currency, ...sourceless } = cross();
    assert.equal(answerOf(() => fees([sourceless]))[0], 'NOT_IMPLEMENTED');
  });

  test('the fixed part of a conversion fee is in the source currency', () => {
    const euros = { amount: 5, currency: 'EUR' } as const;
    assert.deepEqual(
      fieldsOf(() => fees([rail({ fixedFee: euros }), cross({ fixedFee: euros })])),
      ['feeConfigs.1.fixedFee.currency'],
    );
  });

  test('the fixed part is in a currency of the service; that is named before a fee that is not implemented', () => {
    assert.deepEqual(
      fieldsOf(() => fees([rail(), cross({ sourceCurrency: 'EUR', fixedFee: { amount: 1, currency: 'XXX' } })])),
      ['feeConfigs.1.fixedFee.currency'],
    );
    assert.deepEqual(
      fieldsOf(() => fees([rail({ fixedFee: { amount: 1, currency: 'XXX' } })])),
      ['feeConfigs.0.fixedFee.currency'],
    );
  });

  test('a fee replaces the fee with the same key; every part of the key tells two fees apart', () => {
    const before = [cross(), rail()];
    assert.deepEqual(fees([cross({ variableFeeBps: 20 })], before), [cross({ variableFeeBps: 20 }), rail()]);
    assert.deepEqual(fees([rail({ rail: 'RTP' })], before), [cross(), rail(), rail({ rail: 'RTP' })]);
    assert.deepEqual(fees([rail({ originator: 'PLATFORM' })], before), [cross(), rail(), rail({ originator: 'PLATFORM' })]);
  });

  test('a fee of zero removes the fee; a fee with one part stays', () => {
    const zero = { amount: 0, currency: 'USD' };
    assert.deepEqual(fees([cross({ variableFeeBps: 0, fixedFee: zero })], [cross(), rail()]), [rail()]);
    assert.deepEqual(fees([cross({ fixedFee: zero })], [cross()]), [cross({ fixedFee: zero })]);
    assert.deepEqual(fees([cross({ variableFeeBps: 0 })], [cross()]), [cross({ variableFeeBps: 0 })]);
  });
});

describe('tokens', () => {
  const token = (id: string, permissions: ApiToken['permissions'], expiresAt: Date | null = null): ApiToken => ({
    id: `Token:${id}`,
    name: id,
    clientId: id,
    permissions,
    expiresAt,
    createdAt: BEFORE,
    updatedAt: BEFORE,
  });
  const deleted = (id: string | undefined, ...tokens: ApiToken[]) =>
    findDeletableToken(tokens, id === undefined ? undefined : `Token:${id}`, NOW);
  const manage = token('manage', ['VIEW', 'MANAGE']);
  const view = token('view', ['VIEW']);

  test('one that does not exist is TOKEN_NOT_FOUND', () => {
    assert.deepEqual(
      answerOf(() => deleted('x', manage, view)),
      ['TOKEN_NOT_FOUND', undefined],
    );
    assert.equal(answerOf(() => deleted(undefined, manage))[0], 'TOKEN_NOT_FOUND');
  });

  test('a platform keeps a usable token with MANAGE', () => {
    const last = ['INVALID_INPUT', { cause: 'LAST_MANAGE_TOKEN' }];
    assert.equal(deleted('view', manage, view), view);
    assert.equal(deleted('manage', manage, token('other', ['MANAGE'])), manage);
    const over = token('other', ['MANAGE'], NOW);
    for (const tokens of [[manage], [manage, view], [manage, over]])
      assert.deepEqual(
        answerOf(() => deleted('manage', ...tokens)),
        last,
      );
    assert.equal(deleted('manage', manage, token('other', ['MANAGE'], new Date(NOW.getTime() + 1))), manage);
  });

  test('a repeat of the creation says that the secret was shown', () => {
    const { code, details } = tokenExists(view);
    assert.deepEqual([code, details], ['CONFLICT', { cause: 'TOKEN_ALREADY_CREATED', tokenId: 'Token:view' }]);
  });
});
