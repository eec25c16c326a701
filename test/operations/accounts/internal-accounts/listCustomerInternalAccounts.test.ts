import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
let ada: any;
// biome-ignore lint/suspicious/noExplicitAny: as above.
let bea: any;
before(async () => {
  service = await startTestService();
  ada = await given(service.platform).customer();
  bea = await given(service.platform).customer();
});
after(() => service.stop());

const list = (query = '') => expectStatus(200, service.platform.get(`/customers/internal-accounts${query}`));
const kinds = ({ data }: { data: { customerId: string; type: string }[] }) =>
  data.map(({ customerId, type }) => `${customerId === ada.id ? 'ada' : 'bea'} ${type}`).sort();

describe('filters', () => {
  const cases: [string, () => string, string[]][] = [
    ['none', () => '', ['ada EMBEDDED_WALLET', 'ada INTERNAL_FIAT', 'bea EMBEDDED_WALLET', 'bea INTERNAL_FIAT']],
    ['customerId', () => `?customerId=${ada.id}`, ['ada EMBEDDED_WALLET', 'ada INTERNAL_FIAT']],
    ['currency', () => '?currency=USDB', ['ada EMBEDDED_WALLET', 'bea EMBEDDED_WALLET']],
    ['type', () => '?type=INTERNAL_FIAT', ['ada INTERNAL_FIAT', 'bea INTERNAL_FIAT']],
    ['all of them', () => `?customerId=${bea.id}&currency=USD&type=INTERNAL_FIAT`, ['bea INTERNAL_FIAT']],
    ['a type nobody has', () => '?type=BULK_SETTLEMENT', []],
    ['an unknown customer', () => '?customerId=Customer:01a1e141-d124-7566-a823-262cc273f644', []],
    ['no id of a customer', () => '?customerId=x', []],
  ];
  for (const [name, query, expected] of cases) {
    test(name, async () => {
      const page = await list(query());
      assert.deepEqual(kinds(page), expected);
      assert.deepEqual([page.totalCount, page.hasMore], [expected.length, false]);
    });
  }
});

test("the platform's own accounts and those of another platform are not listed", async () => {
  const other = await service.newPlatform();
  const theirs = await given(other).customer();
  assert.equal((await list(`?customerId=${theirs.id}`)).totalCount, 0);
  assert.equal((await expectStatus(200, other.get('/customers/internal-accounts'))).totalCount, 2);
});

test('an account shows its balance, payment instructions and card capabilities', async () => {
  const {
    data: [usd],
  } = await list(`?customerId=${ada.id}&currency=USD`);
  const nothing = { amount: 0, currency: { code: 'USD', name: 'US Dollar', symbol: '$', decimals: 2 } };
  assert.deepEqual([usd.balance, usd.totalBalance], [nothing, nothing]);
  const [{ accountOrWalletInfo }] = usd.fundingPaymentInstructions;
  assert.equal(accountOrWalletInfo.accountType, 'USD_ACCOUNT');
  assert.match(accountOrWalletInfo.routingNumber, /^\d{9}$/);
  assert.ok(accountOrWalletInfo.reference.length > 0);
  assert.equal(typeof usd.cardCapabilities.supportsSpendLimits, 'boolean');
  assert.equal('privateEnabled' in usd, false);

  const {
    data: [wallet],
  } = await list(`?customerId=${ada.id}&currency=USDB`);
  assert.equal(wallet.fundingPaymentInstructions[0].accountOrWalletInfo.accountType, 'SPARK_WALLET');
  assert.equal(wallet.privateEnabled, false);
});

test('the instructions of an account stay the same, those of two accounts differ', async () => {
  const references = async () =>
    (await list('?currency=USD')).data.map(
      (account: { fundingPaymentInstructions: { accountOrWalletInfo: unknown }[] }) =>
        account.fundingPaymentInstructions[0]?.accountOrWalletInfo,
    );
  const [one, two] = await references();
  assert.notDeepEqual(one, two);
  assert.deepEqual(await references(), [one, two]);
});

test('pages hold each account once', async () => {
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await list(`?limit=3${cursor}`);
    seen.push(...page.data.map(({ id }: { id: string }) => id));
    if (!page.hasMore) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  assert.deepEqual([seen.length, new Set(seen).size], [4, 4]);
});

for (const [query, field] of [
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['type=PIGGY_BANK', 'type'],
  ['cursor=x', 'cursor'],
  ['status=ACTIVE', 'status'],
] as const) {
  test(`400: ${query}`, async () => assertInvalid(await service.platform.get(`/customers/internal-accounts?${query}`), field));
}
