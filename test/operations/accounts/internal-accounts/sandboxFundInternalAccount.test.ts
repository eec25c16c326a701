import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { type Answer, assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { eventsAbout } from '../../../support/database-state.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { race } from '../../../support/race.js';
import { platformAccount, ruleBasedAccount } from '../../../support/rule-based.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

type Account = { id: string; balance: { amount: number }; totalBalance: { amount: number }; customerId?: string };

const fund = ({ id }: { id: string }, body: Record<string, unknown>): Promise<Answer> =>
  service.platform.post(`/sandbox/internal-accounts/${id}/fund`, body);
const funded = (account: { id: string }, amount: number): Promise<Account> => expectStatus(200, fund(account, { amount }));
const refused = (account: { id: string }, body: Record<string, unknown>): Promise<Answer> =>
  changesNothing(service.db, () => fund(account, body));
const account = (currency = 'USD'): Promise<Account> => given(service.platform).fundedAccount(currency, 0);
const again = async ({ id, customerId }: Account): Promise<Account> => {
  const path = customerId ? `/customers/internal-accounts?customerId=${customerId}` : '/platform/internal-accounts';
  return (await expectStatus(200, service.platform.get(path))).data.find((one: Account) => one.id === id);
};
const balanceOf = async (one: Account): Promise<number> => (await again(one)).totalBalance.amount;
const lastDeposit = async ({ id }: { id: string }): Promise<unknown[]> => {
  const { data } = await expectStatus(200, service.platform.get(`/transactions?receiverAccountIdentifier=${id}&limit=1`));
  return [data[0].status, data[0].failureReason];
};
/** The changes on the owner's statement, in order. */
const entriesOf = async ({ id }: { id: string }): Promise<number[]> =>
  (
    await service.db.many<{ amount: bigint }>(sql`
      select amount from entries where account_id = ${id.slice('InternalAccount:'.length)} order by number`)
  ).map(({ amount }) => Number(amount));

describe('200', () => {
  for (const currency of ['USD', 'USDB']) {
    test(`${currency}: credits the account and returns it`, async () => {
      const empty = await account(currency);
      const first = await funded(empty, 1234);
      assert.deepEqual([first.balance.amount, first.totalBalance.amount], [1234, 1234]);
      const second = await funded(empty, 1);
      assert.deepEqual([second.balance.amount, second.totalBalance.amount], [1235, 1235]);
      assert.deepEqual(await again(empty), second);
    });
  }

  test('sends a balance event with the account after the deposit', async () => {
    const empty = await account();
    const [first, second] = [await funded(empty, 100), await funded(empty, 50)];
    assert.deepEqual(
      await eventsAbout(service.db, empty.id),
      [first, second].map((data) => ({ type: 'INTERNAL_ACCOUNT.BALANCE_UPDATED', data })),
    );
  });

  test("the platform's own account", async () => {
    const before = await platformAccount(service.platform);
    assert.equal((await funded(before, 7)).balance.amount, before.balance.amount + 7);
  });

  test('exactly the smallest and the largest amount', async () => {
    const empty = await account();
    await funded(empty, 1);
    assert.equal((await funded(empty, 100_000_000_000)).balance.amount, 100_000_000_001);
  });

  test('with remittance information and a description', async () => {
    await expectStatus(200, fund(await account(), { amount: 5, remittanceInformation: 'Invoice 7', description: 'A gift' }));
  });

  race('concurrent deposits are all counted', async () => {
    const empty = await account();
    await Promise.all(Array.from({ length: 20 }, () => funded(empty, 3)));
    assert.equal(await balanceOf(empty), 60);
    assert.deepEqual(
      (await eventsAbout(service.db, empty.id)).map(({ data }) => data.balance.amount),
      Array.from({ length: 20 }, (_, i) => 3 * (i + 1)),
    );
  });
});

describe('a RULE_BASED account sweeps at once', () => {
  test("to its holder's own account", async () => {
    const { own, account: rule } = await ruleBasedAccount(service.platform);
    const answer = await funded(rule, 500);
    assert.deepEqual([answer.id, answer.balance.amount, answer.totalBalance.amount], [rule.id, 0, 0]);
    assert.equal(await balanceOf(own), 500);
    assert.deepEqual(
      (await eventsAbout(service.db, own.id)).map(({ type, data }) => [type, data.balance.amount]),
      [['INTERNAL_ACCOUNT.BALANCE_UPDATED', 500]],
    );
    assert.deepEqual(await eventsAbout(service.db, rule.id), []);
  });

  test('to another account; money received through a rule-based account appears on its owner’s statement', async () => {
    const destination = await account();
    const { own, account: rule } = await ruleBasedAccount(service.platform, { destination });
    await funded(rule, 500);
    assert.deepEqual([await balanceOf(own), await balanceOf(destination)], [0, 500]);
    assert.deepEqual(await entriesOf(own), [500, -500]);
    assert.deepEqual(await eventsAbout(service.db, own.id), []);
    assert.equal((await eventsAbout(service.db, destination.id)).length, 1);
  });

  test("what another holder receives is a transaction of theirs, which the row of their statement names; the holder's rows name the deposit", async () => {
    const destination = await account();
    const { customer, account: rule, own } = await ruleBasedAccount(service.platform, { destination, description: 'rent' });
    await funded(rule, 500);
    const of = async (customerId: unknown) =>
      (await expectStatus(200, service.platform.get(`/transactions?customerId=${customerId}`))).data;
    const [deposit, ...others] = await of(customer.id);
    const [received, ...more] = await of(destination.customerId);
    assert.deepEqual([others, more], [[], []]);
    assert.deepEqual([deposit.type, deposit.ruleBasedAccountId, deposit.receivedAmount.amount], ['INCOMING', rule.id, 500]);
    const { type, status, direction, source, destination: to, receivedAmount, description, ruleBasedAccountId } = received;
    assert.deepEqual([type, status, direction, description, ruleBasedAccountId], ['INCOMING', 'COMPLETED', 'CREDIT', 'rent', undefined]);
    assert.deepEqual([source.accountId, to.accountId, receivedAmount.amount], [own.id, destination.id, 500]);
    const rowsOf = async ({ id }: { id: string }) =>
      (
        await service.db.many<{ transaction: string }>(sql`
          select 'Transaction:' || transaction_id as transaction from entries where account_id = ${id.slice('InternalAccount:'.length)} order by number`)
      ).map(({ transaction }) => transaction);
    assert.deepEqual([await rowsOf(own), await rowsOf(destination)], [[deposit.id, deposit.id], [received.id]]);
    assert.deepEqual(await eventsAbout(service.db, received.id), [{ type: 'INCOMING_PAYMENT.COMPLETED', data: received }]);
  });

  test('the fee of the rule goes to the platform, rounded down in favour of the holder', async () => {
    const destination = await account();
    const fees = await platformAccount(service.platform);
    const { own, account: rule } = await ruleBasedAccount(service.platform, {
      destination,
      platformFeeOverride: { platformFixedFee: { amount: 25, currency: 'USD' }, platformVariableFeeBps: 150 },
    });
    await funded(rule, 999);
    // 25 + 1.5 % of 999 (14.985, so 14) = 39
    assert.deepEqual(
      [await balanceOf(destination), await balanceOf(own), (await balanceOf(fees)) - fees.totalBalance.amount],
      [960, 0, 39],
    );
    // The holder's statement shows the amount after the fee.
    assert.deepEqual(await entriesOf(own), [960, -960]);
  });

  test('an amount that the fee would take completely stays with the holder', async () => {
    const destination = await account();
    const { own, account: rule } = await ruleBasedAccount(service.platform, {
      destination,
      platformFeeOverride: { platformFixedFee: { amount: 25, currency: 'USD' }, platformVariableFeeBps: 0 },
    });
    await funded(rule, 25);
    assert.deepEqual([await balanceOf(destination), await balanceOf(own)], [0, 25]);
    await funded(rule, 26);
    assert.deepEqual([await balanceOf(destination), await balanceOf(own)], [1, 25]);
  });

  test('exactly the maximum is swept, one more stays with the holder', async () => {
    const destination = await account();
    const { own, account: rule } = await ruleBasedAccount(service.platform, { destination });
    const most = rule.sweepRule.maximumAmount.amount;
    await funded(rule, most);
    assert.deepEqual([await balanceOf(destination), await balanceOf(own)], [most, 0]);
    await funded(rule, most + 1);
    assert.deepEqual([await balanceOf(destination), await balanceOf(own)], [most, most + 1]);
  });

  test('a destination that closed in the meantime: the money stays with the holder', async () => {
    const build = given(service.platform);
    const gone = await build.customer();
    const destination = await build.account(gone, 'USD');
    const { own, account: rule } = await ruleBasedAccount(service.platform, { destination });
    await expectStatus(200, service.platform.delete(`/customers/${gone.id}`));
    await funded(rule, 500);
    assert.deepEqual([await balanceOf(destination), await balanceOf(own)], [0, 500]);
  });

  test('money of a holder who may not pay stays with the holder, but reaches an own account', async () => {
    const build = given(service.platform);
    const there = await account();
    const rejected = await build.customer({ fullName: 'Rejected 002' });
    assert.equal(rejected.kycStatus, 'REJECTED');
    const own = { ...(await build.account(rejected, 'USD')), customerId: rejected.id };
    const ruled = (destination: { id: string }): Promise<Account> =>
      expectStatus(
        201,
        service.platform.post('/internal-accounts', {
          ...{ type: 'RULE_BASED', currency: 'USD', customerId: rejected.id },
          sweepRule: { destination: { accountId: destination.id } },
        }),
      );
    const outward = await ruled(there);
    await funded(outward, 700);
    assert.deepEqual([await balanceOf(outward), await balanceOf(own), await balanceOf(there)], [0, 700, 0]);
    assert.deepEqual(await lastDeposit(outward), ['FAILED', 'SWEEP_QUOTE_FAILED']);
    const inward = await ruled(own);
    await funded(inward, 50);
    assert.equal(await balanceOf(own), 750);
    assert.deepEqual(await lastDeposit(inward), ['COMPLETED', undefined]);
  });

  test('what the destination or the account for fees has no room for stays with the holder', async () => {
    const fillTo = (one: { id: string }, amount: bigint) =>
      service.db.run(
        sql`update ledger_accounts set available = ${amount}, total = ${amount} where id = ${one.id.slice('InternalAccount:'.length)}`,
      );
    const full = await account();
    await fillTo(full, 9_007_199_254_740_990n);
    const { own, account: rule, customer } = await ruleBasedAccount(service.platform, { destination: full });
    await funded(rule, 2);
    assert.deepEqual([await balanceOf({ ...own, customerId: customer.id }), await balanceOf(full)], [2, 9_007_199_254_740_990]);
    assert.deepEqual(await lastDeposit(rule), ['FAILED', 'SWEEP_QUOTE_FAILED']);
    await funded(rule, 1);
    assert.equal(await balanceOf(full), Number.MAX_SAFE_INTEGER);

    const fees = await platformAccount(service.platform);
    const before = BigInt(fees.totalBalance.amount);
    const platformFeeOverride = { platformFixedFee: { amount: 10, currency: 'USD' }, platformVariableFeeBps: 0 };
    const charged = await ruleBasedAccount(service.platform, { platformFeeOverride });
    await fillTo(fees, 9_007_199_254_740_990n);
    try {
      await funded(charged.account, 100);
    } finally {
      await fillTo(fees, before);
    }
    assert.equal(await balanceOf({ ...charged.own, customerId: charged.customer.id }), 100);
    assert.deepEqual(await lastDeposit(charged.account), ['FAILED', 'SWEEP_QUOTE_FAILED']);
  });

  test("the platform's own rule-based account sweeps through the platform's own account", async () => {
    const destination = await account();
    const own = await platformAccount(service.platform);
    const rule = await expectStatus(
      201,
      service.platform.post('/internal-accounts', {
        type: 'RULE_BASED',
        currency: 'USD',
        sweepRule: { destination: { accountId: destination.id } },
      }),
    );
    await funded(rule, 500);
    assert.deepEqual([await balanceOf(destination), await balanceOf(own)], [500, own.totalBalance.amount]);
    assert.deepEqual((await entriesOf(own)).slice(-2), [500, -500]);
  });

  race('two rules that sweep to each other’s holders concurrently neither deadlock nor lose money', async () => {
    const build = given(service.platform);
    const [ada, bea] = [await build.fundedAccount('USD', 0), await build.fundedAccount('USD', 0)];
    const ruleOf = ({ customerId }: Account, destination: Account) =>
      expectStatus(
        201,
        service.platform.post('/internal-accounts', {
          type: 'RULE_BASED',
          currency: 'USD',
          customerId,
          sweepRule: { destination: { accountId: destination.id } },
        }),
      );
    const rules = [await ruleOf(ada, bea), await ruleOf(bea, ada)];
    await Promise.all(Array.from({ length: 40 }, (_, i) => funded(rules[i % 2], 10)));
    assert.deepEqual([await balanceOf(ada), await balanceOf(bea)], [200, 200]);
  });
});

describe('400', () => {
  const bad: [string, Record<string, unknown>, string][] = [
    ['nothing', {}, 'amount'],
    ['zero', { amount: 0 }, 'amount'],
    ['less than zero', { amount: -1 }, 'amount'],
    ['one more than the largest amount', { amount: 100_000_000_001 }, 'amount'],
    ['a fraction', { amount: 1.5 }, 'amount'],
    ['text', { amount: '5' }, 'amount'],
    ['81 characters of remittance information', { amount: 1, remittanceInformation: 'x'.repeat(81) }, 'remittanceInformation'],
    [
      'remittance information that is not printable ASCII',
      { amount: 1, remittanceInformation: 'Rechnung für März' },
      'remittanceInformation',
    ],
    ['1025 characters of description', { amount: 1, description: 'x'.repeat(1025) }, 'description'],
    ['an unknown field', { amount: 1, currency: 'USD' }, 'currency'],
  ];
  for (const [name, body, field] of bad) test(name, async () => assertInvalid(await refused(await account(), body), field));

  test('a description for a RULE_BASED account', async () => {
    const { account: rule } = await ruleBasedAccount(service.platform);
    assertInvalid(await refused(rule, { amount: 1, description: 'x' }), 'description');
  });

  test('AMOUNT_OUT_OF_RANGE: more than JSON can carry', async () => {
    const full = await account();
    await service.db.run(sql`
      update ledger_accounts set available = 9007199254740990, total = 9007199254740990 where id = ${full.id.slice('InternalAccount:'.length)}`);
    assert.equal((await funded(full, 1)).balance.amount, Number.MAX_SAFE_INTEGER);
    assertRefused(await refused(full, { amount: 1 }), 400, 'AMOUNT_OUT_OF_RANGE');
  });
});

test('404 ACCOUNT_NOT_FOUND: foreign, unknown, malformed and closed accounts', async () => {
  const foreign = await given(await service.newPlatform()).fundedAccount('USD', 0);
  const closed = await account();
  const { customer, account: sweeping } = await ruleBasedAccount(service.platform);
  for (const id of [closed.customerId, customer.id]) await expectStatus(200, service.platform.delete(`/customers/${id}`));
  const answers = [];
  for (const id of [foreign.id, 'InternalAccount:01a1e141-d124-7566-a823-262cc273f644', 'x', closed.id, sweeping.id]) {
    const answer = await refused({ id }, { amount: 1 });
    assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
    answers.push(answer.text);
  }
  assert.equal(new Set(answers).size, 1);
});

test('403 FORBIDDEN without TRANSACT', async () => {
  const token = await expectStatus(201, service.platform.post('/tokens', { name: 'manager', permissions: ['VIEW', 'MANAGE'] }));
  const manager = service.as(token.clientId, token.clientSecret);
  const { id } = await account();
  const answer = await changesNothing(service.db, () => manager.post(`/sandbox/internal-accounts/${id}/fund`, { amount: 1 }));
  assertRefused(answer, 403, 'FORBIDDEN');
});
