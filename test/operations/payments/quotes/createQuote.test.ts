import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { type Answer, assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { evmWallet } from '../../../support/external-accounts/wallets.js';
import { eventsOf, quoting } from '../../../support/quotes.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { wallet } from '../../../support/wallet.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

let service: TestService;
let pay: ReturnType<typeof quoting>;
let customer: Resource;
let usd: Resource;
let eur: Resource;
before(async () => {
  service = await startTestService();
  pay = quoting(service.platform);
  await pay.currencies('USD', 'USDB', 'EUR', 'USDC', 'BTC');
  customer = await pay.customer();
  usd = { ...(await pay.fund(await pay.account(customer, 'USD'), 100_000_000)), customerId: customer.id };
  eur = await pay.eur(customer);
});
after(() => service.stop());

const post = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> => service.platform.post('/quotes', body, { headers });
const countPayments = async (): Promise<bigint | undefined> =>
  (await service.db.one<{ count: bigint }>(sql`select count(*) from payments where customer_id = ${customer.id.split(':')[1]}`))?.count;

describe('200', () => {
  test('a quote and its transaction, PENDING for five minutes, with nothing taken', async () => {
    const before = await pay.balance(usd);
    const quote = await pay.quote(pay.request(usd, eur, 100_000, { description: 'Rent', purposeOfPayment: 'GIFT' }));
    assert.deepEqual(
      {
        status: quote.status,
        sent: quote.totalSendingAmount,
        received: quote.totalReceivingAmount,
        fees: quote.feesIncluded,
        platformFees: quote.platformFeesIncluded,
        rate: quote.exchangeRate,
        life: Date.parse(quote.expiresAt) - Date.parse(quote.createdAt),
        purpose: quote.purposeOfPayment,
        instructions: quote.paymentInstructions,
      },
      {
        status: 'PENDING',
        sent: 100_000,
        received: 91_714,
        fees: 310,
        platformFees: 0,
        rate: 1.08695652,
        life: 300_000,
        purpose: 'GIFT',
        instructions: undefined,
      },
    );
    assert.deepEqual(
      [quote.rateDetails.gridApiFixedFee, quote.rateDetails.gridApiVariableFeeRate, quote.rateDetails.gridApiVariableFeeAmount],
      [10, 0.003, 300],
    );
    assert.equal(await pay.balance(usd), before);
    const transaction = await pay.transaction(quote);
    assert.deepEqual(
      [transaction.type, transaction.status, transaction.direction, transaction.description, transaction.customerId, transaction.quoteId],
      ['OUTGOING', 'PENDING', 'DEBIT', 'Rent', customer.id, quote.id],
    );
    assert.deepEqual([transaction.paymentRail, transaction.railSelectionMode], ['SEPA_INSTANT', 'AUTO']);
    assert.match(transaction.reconciliationInstructions.reference, /^[A-Z0-9-]{1,32}$/);
    assert.deepEqual(await eventsOf(service.db, quote.transactionId), ['PENDING']);
    assert.deepEqual(await pay.getQuote(quote), quote);
  });

  test('RECEIVING locks what the receiver gets; the sender pays the fees on top', async () => {
    const quote = await pay.quote(pay.request(usd, eur, 91_540, { lockedCurrencySide: 'RECEIVING' }));
    assert.deepEqual([quote.totalSendingAmount, quote.totalReceivingAmount, quote.feesIncluded], [99_809, 91_540, 309]);
  });

  test('the platform pays from its own account, without platform fees, under its own id', async () => {
    const account = await pay.platformAccount('USD');
    const quote = await pay.quote(pay.request(account, eur, 10_000));
    const transaction = await pay.transaction(quote);
    assert.match(transaction.customerId, /^Platform:/);
    assert.equal(transaction.platformCustomerId, transaction.customerId);
  });

  test('a manual rail is shown as chosen', async () => {
    const destination = { destinationType: 'ACCOUNT', accountId: eur.id, paymentRail: 'SEPA' };
    const quote = await pay.quote(pay.request(usd, eur, 10_000, { destination }));
    const transaction = await pay.transaction(quote);
    assert.deepEqual([transaction.paymentRail, transaction.railSelectionMode], ['SEPA', 'MANUAL']);
  });

  test('immediatelyExecute creates and executes in one step', async () => {
    const before = await pay.balance(usd);
    const quote = await pay.quote(pay.request(usd, eur, 10_000, { immediatelyExecute: true }));
    assert.equal(quote.status, 'PROCESSING');
    assert.equal(await pay.balance(usd), before - 10_000);
    assert.deepEqual(await eventsOf(service.db, quote.transactionId), ['PENDING', 'PROCESSING']);
  });

  test('realtime funding: fifteen minutes, instant rails only, a reference of its own', async () => {
    const source = { sourceType: 'REALTIME_FUNDING', currency: 'USD', customerId: customer.id };
    const [first, second] = [
      await pay.quote(pay.request(usd, eur, 10_000, { source })),
      await pay.quote(pay.request(usd, eur, 10_000, { source })),
    ];
    assert.equal(Date.parse(first.expiresAt) - Date.parse(first.createdAt), 900_000);
    const info = first.paymentInstructions[0].accountOrWalletInfo;
    assert.deepEqual(info.paymentRails, ['RTP', 'FEDNOW']);
    assert.notEqual(info.reference, second.paymentInstructions[0].accountOrWalletInfo.reference);
    // No account is behind these instructions that could be funded.
    assert.match(first.paymentInstructions[0].instructionsNotes, /POST \/sandbox\/send/);
  });

  test('realtime crypto: the network chooses the address', async () => {
    const source = { sourceType: 'REALTIME_FUNDING', currency: 'USDC', cryptoNetwork: 'ARBITRUM' };
    const quote = await pay.quote(pay.request(usd, eur, 100_000_000, { source }));
    assert.deepEqual(
      quote.paymentInstructions.map((way: Resource) => way.accountOrWalletInfo.accountType),
      ['ARBITRUM_WALLET'],
    );
    assertInvalid(
      await post(pay.request(usd, eur, 1_000_000, { source: { sourceType: 'REALTIME_FUNDING', currency: 'USDC' } })),
      'source.cryptoNetwork',
    );
  });

  test('a currency that is a word of JavaScript is on no network, not a 500', async () => {
    for (const currency of ['constructor', 'toString', '__proto__']) {
      const source = { sourceType: 'REALTIME_FUNDING', currency, cryptoNetwork: 'SOLANA' };
      assertInvalid(await post(pay.request(usd, eur, 10_000, { source })), 'source.cryptoNetwork');
    }
  });

  test('an embedded wallet gets the payload that its owner signs', async () => {
    const owner = await wallet(service.platform);
    const quote = await pay.quote(pay.request(owner.account, await pay.eur(owner.customer), 10_000));
    const payload = JSON.parse(quote.paymentInstructions[0].accountOrWalletInfo.payloadToSign);
    assert.deepEqual([payload.type, payload.organizationId], ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2', owner.account.id]);
    const unsigned = JSON.parse(Buffer.from(payload.parameters.unsignedTransaction, 'hex').toString());
    assert.deepEqual([unsigned.quoteId, unsigned.sendingAmount, unsigned.receivingCurrency], [quote.id, '10000', 'EUR']);
  });

  test('a payout to a chain costs what the estimate says', async () => {
    const account = await pay.account(customer, 'USDC');
    const address = evmWallet(randomUUID()).address;
    const destination = await pay.external(customer, 'USDC', { accountType: 'BASE_WALLET', address }, { ownershipType: 'FIRST_PARTY' });
    const quote = await pay.quote(pay.request(account, destination, 50_000_000));
    const estimate = await expectStatus(
      200,
      service.platform.post('/crypto/estimate-withdrawal-fee', {
        internalAccountId: account.id,
        currency: 'USDC',
        cryptoNetwork: 'BASE',
        amount: 50_000_000,
        destinationAddress: address,
      }),
    );
    assert.deepEqual([quote.feesIncluded, quote.totalReceivingAmount], [estimate.totalFee, estimate.netAmount]);
    assert.equal((await pay.transaction(quote)).paymentRail, null);
  });

  test('a replay of the key answers the first bytes; another body is 409 CONFLICT; a refused request leaves its key free', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    assertRefused(await post(pay.request(usd, usd, 10_000), key), 400, 'SELF_PAYMENT');
    const first = await post(pay.request(usd, eur, 10_000), key);
    const again = await post(pay.request(usd, eur, 10_000), key);
    assert.deepEqual([first.status, again.text], [200, first.text]);
    assertRefused(await post(pay.request(usd, eur, 10_001), key), 409, 'CONFLICT');
  });
});

/** A refused request writes nothing. */
async function refused(body: unknown, status: number, code: Parameters<typeof assertRefused>[2]): Promise<Answer> {
  const before = await countPayments();
  const answer = await post(body);
  assertRefused(answer, status, code);
  assert.equal(await countPayments(), before);
  return answer;
}

describe('400', () => {
  const invalid = async (body: unknown, ...fields: string[]) => assertInvalid(await refused(body, 400, 'INVALID_INPUT'), ...fields);

  test('INVALID_INPUT: each wrong member is named', async () => {
    await invalid(pay.request(usd, eur, 0), 'lockedCurrencyAmount');
    await invalid(pay.request(usd, eur, 9_000_000_000_000_001), 'lockedCurrencyAmount');
    await invalid(pay.request(usd, eur, 10_000, { remittanceInformation: 'käse' }), 'remittanceInformation');
    await invalid(pay.request(usd, eur, 10_000, { nonsense: true }), 'nonsense');
  });

  test('INVALID_INPUT: a rail that the account does not have, or any rail of an internal account', async () => {
    const at = (accountId: string, paymentRail: string) => ({ destination: { destinationType: 'ACCOUNT', accountId, paymentRail } });
    await invalid(pay.request(usd, eur, 10_000, at(eur.id, 'WIRE')), 'destination.paymentRail');
    const own = await pay.account(customer, 'EUR');
    await invalid(pay.request(usd, own, 10_000, at(own.id, 'SEPA')), 'destination.paymentRail');
  });

  test('INVALID_INPUT: an external account of another customer, but not one of the platform', async () => {
    const other = await pay.customer();
    await invalid(pay.request(usd, await pay.eur(other), 10_000), 'destination.accountId');
    await pay.quote(pay.request(usd, await pay.eur(undefined), 10_000));
    await pay.quote(pay.request(await pay.platformAccount('USD'), await pay.eur(other), 10_000));
  });

  test('INVALID_INPUT: a source that money cannot be pulled from, or of another holder', async () => {
    await invalid(pay.request(eur, usd, 10_000), 'source.accountId');
    const source = { sourceType: 'ACCOUNT', accountId: usd.id, customerId: (await pay.customer()).id };
    await invalid(pay.request(usd, eur, 10_000, { source }), 'source.customerId');
    await pay.quote(pay.request(usd, eur, 10_000, { source: { ...source, customerId: customer.id } }));
  });

  test('INVALID_INPUT: immediatelyExecute of a wallet or of realtime funding', async () => {
    const owner = await wallet(service.platform);
    const immediately = { immediatelyExecute: true };
    await invalid(pay.request(owner.account, await pay.eur(owner.customer), 10_000, immediately), 'immediatelyExecute');
    const source = { sourceType: 'REALTIME_FUNDING', currency: 'USD', customerId: customer.id };
    await invalid(pay.request(usd, eur, 10_000, { source, ...immediately }), 'immediatelyExecute');
  });

  test('INVALID_INPUT: a fee override outside USD, in another currency, or on a payment of the platform', async () => {
    const override = (amount: number, currency = 'USD') => ({
      platformFeeOverride: { platformFixedFee: { amount, currency }, platformVariableFeeBps: 0 },
    });
    const eurAccount = await pay.account(customer, 'EUR');
    await invalid(pay.request(eurAccount, eur, 10_000, override(5)), 'platformFeeOverride');
    await invalid(pay.request(usd, eur, 10_000, override(5, 'EUR')), 'platformFeeOverride.platformFixedFee.currency');
    const own = await pay.platformAccount('USD');
    await invalid(pay.request(own, eur, 10_000, override(5)), 'platformFeeOverride');
    await pay.quote(pay.request(own, eur, 10_000, override(0)));
  });

  test('INVALID_INPUT: INR needs a purpose', async () => {
    const inr = await pay.external(customer, 'INR', {
      accountType: 'INR_ACCOUNT',
      vpa: 'ada@bank',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada' },
    });
    await invalid(pay.request(usd, inr, 10_000), 'purposeOfPayment');
    await pay.quote(pay.request(usd, inr, 10_000, { purposeOfPayment: 'FAMILY_SUPPORT' }));
  });

  test('SELF_PAYMENT: source and destination are one account', async () =>
    void (await refused(pay.request(usd, usd, 10_000), 400, 'SELF_PAYMENT')));

  test('INVALID_BANK_ACCOUNT: an account that failed for good; INVALID_RECEIVER: one under review', async () => {
    const holder = await pay.customer();
    const source = { ...(await pay.fund(await pay.account(holder, 'USD'), 10_000)), customerId: holder.id };
    const destination = await pay.eur(holder);
    for (const [status, code] of [
      ['INACTIVE', 'INVALID_BANK_ACCOUNT'],
      ['UNDER_REVIEW', 'INVALID_RECEIVER'],
    ] as const) {
      await service.db.run(sql`update external_accounts set status = ${status} where id = ${destination.id.split(':')[1]}`);
      await refused(pay.request(source, destination, 1_000), 400, code);
    }
  });

  test('INVALID_CURRENCY: a realtime currency that is not supported, or one that may not be sent', async () => {
    const source = { sourceType: 'REALTIME_FUNDING', currency: 'MXN', customerId: customer.id };
    await refused(pay.request(usd, eur, 10_000, { source }), 400, 'INVALID_CURRENCY');
    const other = await service.newPlatform();
    const own = quoting(other);
    await own.currencies('USD', 'EUR');
    const holder = await own.customer();
    const account = await own.account(holder, 'USD');
    const { supportedCurrencies } = await expectStatus(200, other.get('/config'));
    await expectStatus(
      200,
      other.patch('/config', {
        supportedCurrencies: supportedCurrencies.map((config: Resource) =>
          config.currencyCode === 'USD' ? { ...config, enabledTransactionTypes: ['INCOMING'] } : config,
        ),
      }),
    );
    assertRefused(await other.post('/quotes', own.request(account, await own.eur(holder), 10_000)), 400, 'INVALID_CURRENCY');
  });

  test('AMOUNT_OUT_OF_RANGE below the band, TRANSACTION_SIZE_LIMIT_EXCEEDED above; both bounds are allowed', async () => {
    await refused(pay.request(usd, eur, 99), 400, 'AMOUNT_OUT_OF_RANGE');
    await pay.quote(pay.request(usd, eur, 100));
    await pay.quote(pay.request(usd, eur, 10_000_000));
    await refused(pay.request(usd, eur, 10_000_001), 400, 'TRANSACTION_SIZE_LIMIT_EXCEEDED');
    const other = await pay.customer();
    await pay.quote(pay.request(usd, await pay.account(other, 'USD'), 1));
    await pay.quote(pay.request(usd, await pay.account(other, 'USD'), 10_000_001));
  });

  test('AMOUNT_OUT_OF_RANGE: outside the bounds of the platform, or nothing left after fees', async () => {
    const own = await pay.account(customer, 'EUR');
    await refused(pay.request(usd, own, 10), 400, 'AMOUNT_OUT_OF_RANGE');
    await refused(pay.request(usd, own, 9_000_000_000_000_000), 400, 'AMOUNT_OUT_OF_RANGE');
  });

  test('EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED: an unproved wallet takes the equivalent of 1000.00 EUR and no more', async () => {
    const address = evmWallet(randomUUID()).address;
    const unproved = await pay.external(customer, 'USDC', { accountType: 'BASE_WALLET', address }, { ownershipType: 'FIRST_PARTY' });
    assert.equal(unproved.status, 'PENDING_OWNERSHIP_VERIFICATION');
    const account = await pay.account(customer, 'EUR');
    await pay.quote(pay.request(account, unproved, 100_000));
    await refused(pay.request(account, unproved, 100_001), 400, 'EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED');
  });

  test('INSUFFICIENT_FUNDS with immediatelyExecute leaves no quote', async () => {
    const poor = await pay.account(customer, 'EUR');
    await refused(pay.request(poor, eur, 10_000, { immediatelyExecute: true }), 400, 'INSUFFICIENT_FUNDS');
  });
});

describe('403, 404, 409, 504', () => {
  test('403 CUSTOMER_NOT_VERIFIED: a sender who is not APPROVED', async () => {
    const pending = await pay.customer({ fullName: 'Ada 001' });
    const account = await pay.account(pending, 'USD');
    await refused(pay.request(account, await pay.eur(pending), 10_000), 403, 'CUSTOMER_NOT_VERIFIED');
  });

  test('403 END_USER_TERMS_NOT_ACCEPTED: the operator of a sandbox platform switched the terms on', async () => {
    const platform = await service.newPlatform();
    const own = quoting(platform);
    const sender = await own.customer();
    const body = own.request(await own.account(sender, 'USD'), await own.eur(sender), 10_000);
    const { id } = await expectStatus(200, platform.get('/config'));
    await service.db.run(sql`update platforms set end_user_terms_required = true where id = ${id.split(':')[1]}`);
    assertRefused(await platform.post('/quotes', body), 403, 'END_USER_TERMS_NOT_ACCEPTED');
  });

  test('403 FORBIDDEN: a token without TRANSACT', async () => {
    const token = await expectStatus(201, service.platform.post('/tokens', { name: 'reader', permissions: ['VIEW'] }));
    const reader = service.as(token.clientId, token.clientSecret);
    assertRefused(await reader.post('/quotes', pay.request(usd, eur, 10_000)), 403, 'FORBIDDEN');
  });

  test('404: unknown, malformed and foreign accounts and customers', async () => {
    const other = await service.newPlatform();
    const foreign = quoting(other);
    const foreignAccount = await foreign.account(await foreign.customer(), 'USD');
    for (const id of [foreignAccount.id, `InternalAccount:${randomUUID()}`, `ExternalAccount:${randomUUID()}`, 'nothing'])
      await refused(pay.request({ id }, eur, 10_000), 404, 'ACCOUNT_NOT_FOUND');
    await refused(pay.request(usd, { id: `ExternalAccount:${randomUUID()}` }, 10_000), 404, 'ACCOUNT_NOT_FOUND');
    const source = { sourceType: 'REALTIME_FUNDING', currency: 'USD', customerId: `Customer:${randomUUID()}` };
    await refused(pay.request(usd, eur, 10_000, { source }), 404, 'CUSTOMER_NOT_FOUND');
  });

  test('409 BANK_ACCOUNT_VALIDATION_PENDING comes before the customer: ending 104 is checked for 30 s', async () => {
    const pending = await pay.customer({ fullName: 'Ada 001' });
    const account = await pay.account(pending, 'USD');
    await refused(pay.request(account, await pay.eur(pending, '104'), 10_000), 409, 'BANK_ACCOUNT_VALIDATION_PENDING');
  });

  test('of several faults the first is named: shape, ids, states of accounts, sender, ends, currency, amount, funds', async () => {
    const platform = await service.newPlatform();
    const own = quoting(platform);
    await own.currencies('USD', 'EUR');
    const { supportedCurrencies } = await expectStatus(200, platform.get('/config'));
    const enable = (...enabledTransactionTypes: string[]) =>
      expectStatus(
        200,
        platform.patch('/config', {
          supportedCurrencies: supportedCurrencies.map((config: Resource) => ({ ...config, enabledTransactionTypes })),
        }),
      );
    await enable('INCOMING');
    const [sender, stranger] = [await own.customer({ fullName: 'Ada 001' }), await own.customer()];
    const source = await own.account(sender, 'USD');
    // Each body has the faults of the later ones, too.
    let body = own.request({ id: 'nothing' }, await own.eur(stranger, '104'), -1, { immediatelyExecute: true });
    const mended = (fields: Record<string, unknown>) => {
      body = { ...body, ...fields };
      return platform.post('/quotes', body);
    };
    const to = async (ending?: string, owner = stranger) => ({
      destination: { destinationType: 'ACCOUNT', accountId: (await own.eur(owner, ending)).id },
    });
    assertInvalid(await mended({}), 'lockedCurrencyAmount');
    assertRefused(await mended({ lockedCurrencyAmount: 99 }), 404, 'ACCOUNT_NOT_FOUND');
    const ofSender = { source: { sourceType: 'ACCOUNT', accountId: source.id } };
    assertRefused(await mended(ofSender), 409, 'BANK_ACCOUNT_VALIDATION_PENDING');
    assertRefused(await mended(await to()), 403, 'CUSTOMER_NOT_VERIFIED');
    await expectStatus(200, platform.put(`/sandbox/customers/${sender.id}/verification-status`, { status: 'APPROVED' }));
    assertInvalid(await mended({}), 'destination.accountId');
    assertRefused(await mended(await to('999', sender)), 400, 'INVALID_CURRENCY');
    await enable('INCOMING', 'OUTGOING');
    assertRefused(await mended({}), 400, 'AMOUNT_OUT_OF_RANGE');
    assertRefused(await mended({ lockedCurrencyAmount: 10_000 }), 400, 'INSUFFICIENT_FUNDS');
    await own.fund(source, 10_000);
    assert.equal((await mended({})).status, 200);
  });

  test('504 QUOTE_REQUEST_FAILED: no rate for the currency', async () => {
    const other = await service.newPlatform();
    const own = quoting(other);
    await own.currencies('USD', 'EUR');
    const holder = await own.customer();
    const body = own.request(await own.account(holder, 'USD'), await own.eur(holder), 10_000);
    await expectStatus(200, other.put('/sandbox/exchange-rates', { currency: 'EUR', available: false }));
    assertRefused(await other.post('/quotes', body), 504, 'QUOTE_REQUEST_FAILED');
    await expectStatus(200, other.put('/sandbox/exchange-rates', { currency: 'EUR', available: true, perUsd: '0.5' }));
    assert.equal((await expectStatus(200, other.post('/quotes', body))).exchangeRate, 2);
  });
});
