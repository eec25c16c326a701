// What a rail is told with a payout: purpose, remittance, and the two parties where the travel rule asks for them.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import type { Payout } from '../../../../src/providers/rails.js';
import { evmWallet } from '../../../support/external-accounts/wallets.js';
import { quoting } from '../../../support/quotes.js';
import { startOwnService, type TestService } from '../../../support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

const orders: Payout[] = [];
let service: TestService;
let pay: ReturnType<typeof quoting>;
let customer: Resource;
let account: Resource;
before(async () => {
  service = await startOwnService({}, ({ rails }) => ({
    rails: {
      ...rails,
      submit: (tx, payout) => {
        orders.push(payout);
        return rails.submit(tx, payout);
      },
    },
  }));
  pay = quoting(service.platform);
  await pay.currencies('USD', 'EUR', 'USDC');
  customer = await pay.customer({
    birthDate: '1990-12-10',
    address: { line1: '1 Main Street', postalCode: '12345', country: 'US' },
  });
  account = await pay.fund(await pay.account(customer, 'USD'), 10_000_000);
});
after(() => service.stop());

const walletOf = (fields: Record<string, unknown>) =>
  pay.external(
    customer,
    'USDC',
    {
      accountType: 'BASE_WALLET',
      address: evmWallet(randomUUID()).address,
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper', countryOfResidence: 'FR' },
      vaspName: 'Custody Co',
    },
    fields,
  );

async function orderFor(destination: Resource, amount: number, fields: Record<string, unknown> = {}): Promise<Payout | undefined> {
  const quote = await pay.quote(pay.request(account, destination, amount, fields));
  await pay.execute(quote);
  return orders.find(({ paymentId }) => paymentId === quote.transactionId);
}

test('a platform under counterparty rules names originator and beneficiary with every payout to a wallet', async () => {
  const order = await orderFor(await walletOf({}), 1_000);
  assert.deepEqual(order?.travelRule, {
    originator: {
      name: 'Ada Lovelace',
      accountId: account.id,
      address: { line1: '1 Main Street', postalCode: '12345', country: 'US' },
      birthDate: '1990-12-10',
    },
    beneficiary: { name: 'Grace Hopper', country: 'FR', vaspName: 'Custody Co' },
  });
});

test('elsewhere from the equivalent of 3,000 USD on', async () => {
  await service.db.run(sql`update platforms set counterparty_rules = false`);
  const destination = await walletOf({});
  assert.equal((await orderFor(destination, 299_999))?.travelRule, undefined);
  assert.ok((await orderFor(destination, 300_000))?.travelRule);
});

test('a bank payout carries purpose and remittance, and no travel rule data', async () => {
  const order = await orderFor(await pay.eur(customer), 500_000, { purposeOfPayment: 'GIFT', remittanceInformation: 'INV 42' });
  assert.deepEqual(
    [order?.kind, order?.paymentRail, order?.purposeOfPayment, order?.remittanceInformation, order?.travelRule],
    ['QUOTE', 'SEPA_INSTANT', 'GIFT', 'INV 42', undefined],
  );
});
