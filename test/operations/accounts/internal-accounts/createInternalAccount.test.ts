import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { type Answer, assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { quoting } from '../../../support/quotes.js';
import { platformAccount, ruleBasedAccount } from '../../../support/rule-based.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
let customer: any;
// biome-ignore lint/suspicious/noExplicitAny: as above.
let destination: any;
let valid: Record<string, unknown>;
before(async () => {
  service = await startOwnService();
  customer = await given(service.platform).customer();
  destination = await platformAccount(service.platform);
  valid = { type: 'RULE_BASED', currency: 'USD', customerId: customer.id, sweepRule: { destination: { accountId: destination.id } } };
});
after(() => service.stop());

const create = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  service.platform.post('/internal-accounts', { ...valid, ...fields }, { headers });
const refused = (fields: Record<string, unknown>): Promise<Answer> => changesNothing(service.db, () => create(fields));
const rule = (fields: Record<string, unknown>) => ({ sweepRule: { destination: { accountId: destination.id }, ...fields } });

describe('201', () => {
  test('a rule-based account with its rule', async () => {
    const asked = {
      purposeOfPayment: 'GOODS_OR_SERVICES',
      description: 'Rent',
      remittanceInformation: 'Flat 3',
      platformFeeOverride: { platformFixedFee: { amount: 25, currency: 'USD' }, platformVariableFeeBps: 10 },
    };
    const account = await expectStatus(201, create({ label: 'Rent account', ...rule(asked) }));
    const { minimumAmount, maximumAmount, ...kept } = account.sweepRule;
    assert.deepEqual(kept, { destination: { accountId: destination.id }, ...asked });
    assert.ok(minimumAmount.amount <= maximumAmount.amount);
    assert.deepEqual(
      [account.type, account.status, account.customerId, account.label, account.balance.amount, account.totalBalance.amount],
      ['RULE_BASED', 'ACTIVE', customer.id, 'Rent account', 0, 0],
    );
    assert.equal(account.fundingPaymentInstructions[0].accountOrWalletInfo.accountType, 'USD_ACCOUNT');
    assert.equal('cardCapabilities' in account, false);
    const { data } = await expectStatus(200, service.platform.get('/customers/internal-accounts?type=RULE_BASED'));
    assert.deepEqual(
      data.find(({ id }: { id: string }) => id === account.id),
      account,
    );
  });

  test("without customerId the account is the platform's own, on behalf of the named customer", async () => {
    const account = await expectStatus(201, create({ customerId: undefined, onBehalfOfCustomerId: customer.id }));
    assert.equal('customerId' in account, false);
    assert.equal(account.onBehalfOfCustomerId, customer.id);
    const { data } = await expectStatus(200, service.platform.get('/platform/internal-accounts?type=RULE_BASED'));
    assert.deepEqual(data, [account]);
  });

  test('a holder may have several', async () => {
    const [one, two] = [await expectStatus(201, create()), await expectStatus(201, create())];
    assert.notEqual(one.id, two.id);
  });
});

describe('400', () => {
  const bad: [string, () => Record<string, unknown>, string[]][] = [
    ['any other type', () => ({ type: 'INTERNAL_FIAT' }), ['type']],
    ['any other currency', () => ({ currency: 'EUR' }), ['currency']],
    ['no sweepRule', () => ({ sweepRule: undefined }), ['sweepRule']],
    [
      'all of these at once',
      () => ({ type: 'EMBEDDED_WALLET', currency: 'USDB', sweepRule: undefined }),
      ['type', 'currency', 'sweepRule'],
    ],
    ['no destination', () => ({ sweepRule: {} }), ['sweepRule.destination']],
    ['an unknown field', () => ({ state: 'ACTIVE' }), ['state']],
    ['a label of 256 characters', () => ({ label: 'x'.repeat(256) }), ['label']],
    [
      'a payment rail for an internal destination',
      () => rule({ destination: { accountId: destination.id, paymentRail: 'ACH' } }),
      ['sweepRule.destination.paymentRail'],
    ],
    [
      'a fee in another currency',
      () => rule({ platformFeeOverride: { platformFixedFee: { amount: 1, currency: 'EUR' }, platformVariableFeeBps: 0 } }),
      ['sweepRule.platformFeeOverride.platformFixedFee.currency'],
    ],
    [
      'a fee of more than the whole',
      () => rule({ platformFeeOverride: { platformFixedFee: { amount: 0, currency: 'USD' }, platformVariableFeeBps: 10_001 } }),
      ['sweepRule.platformFeeOverride.platformVariableFeeBps'],
    ],
  ];
  for (const [name, fields, named] of bad) test(name, async () => assertInvalid(await refused(fields()), ...named));

  test('a destination that is rule-based itself or closed', async () => {
    const build = given(service.platform);
    const { account } = await ruleBasedAccount(service.platform);
    const gone = await build.customer();
    const closed = await build.account(gone, 'USD');
    await expectStatus(200, service.platform.delete(`/customers/${gone.id}`));
    for (const { id } of [account, closed])
      assertInvalid(await refused(rule({ destination: { accountId: id } })), 'sweepRule.destination.accountId');
  });

  test('an external account of another customer, and a rail that the account does not have', async () => {
    const pay = quoting(service.platform);
    const strangers = await pay.eur(await pay.customer());
    assertInvalid(await refused(rule({ destination: { accountId: strangers.id } })), 'sweepRule.destination.accountId');
    const own = await pay.eur(customer);
    const wrong = rule({ destination: { accountId: own.id, paymentRail: 'ACH' } });
    assertInvalid(await refused(wrong), 'sweepRule.destination.paymentRail');
  });
});

describe('404', () => {
  test('CUSTOMER_NOT_FOUND: foreign, unknown, malformed and deleted holders', async () => {
    const foreign = await given(await service.newPlatform()).customer();
    const deleted = await given(service.platform).customer();
    await expectStatus(200, service.platform.delete(`/customers/${deleted.id}`));
    for (const id of [foreign.id, 'Customer:01a1e141-d124-7566-a823-262cc273f644', 'x', deleted.id]) {
      assertRefused(await refused({ customerId: id }), 404, 'CUSTOMER_NOT_FOUND');
      assertRefused(await refused({ onBehalfOfCustomerId: id }), 404, 'CUSTOMER_NOT_FOUND');
    }
  });

  test('ACCOUNT_NOT_FOUND: foreign, unknown and malformed destinations', async () => {
    const foreign = await platformAccount(await service.newPlatform());
    const unknown = '01a1e141-d124-7566-a823-262cc273f644';
    for (const accountId of [foreign.id, `InternalAccount:${unknown}`, `ExternalAccount:${unknown}`, 'ExternalAccount:x', 'x'])
      assertRefused(await refused(rule({ destination: { accountId } })), 404, 'ACCOUNT_NOT_FOUND');
  });
});

test('403 where rule-based accounts are not enabled', async () => {
  const platform = await service.newPlatform();
  const { id } = await expectStatus(200, platform.get('/config'));
  const { id: accountId } = await platformAccount(platform);
  await service.db.run(sql`update platforms set rule_based_accounts = false where id = ${id.slice('Platform:'.length)}`);
  const body = { type: 'RULE_BASED', currency: 'USD', sweepRule: { destination: { accountId } } };
  assertRefused(await changesNothing(service.db, () => platform.post('/internal-accounts', body)), 403, 'FORBIDDEN');
});

describe('Idempotency-Key', () => {
  test('a replay returns the stored status and bytes, another body is a conflict', async () => {
    const headers = { 'idempotency-key': 'rule-1' };
    const first = await create({ label: 'one' }, headers);
    const second = await changesNothing(service.db, () => create({ label: 'one' }, headers));
    assert.equal(first.status, 201);
    assert.deepEqual([second.status, second.text], [first.status, first.text]);
    assertRefused(await changesNothing(service.db, () => create({ label: 'two' }, headers)), 409, 'CONFLICT');
  });

  test('is optional, and at most 255 characters long', async () => {
    assertInvalid(await changesNothing(service.db, () => create({}, { 'idempotency-key': 'x'.repeat(256) })), 'Idempotency-Key');
    await expectStatus(201, create({}, { 'idempotency-key': 'x'.repeat(255) }));
  });
});
