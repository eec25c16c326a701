// agentExecuteQuote, agentListActions and agentGetAction.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { type GivenAgent, givenAgent } from '../../../support/agents.js';
import { type Answer, assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { eventsAbout } from '../../../support/database-state.js';
import { assertLedgerHolds } from '../../../support/ledger.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { newKeys, stamp, wallet } from '../../../support/wallet.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(async () => {
  await assertLedgerHolds(service.db, await platformIdOf(service, service.platform));
  await service.stop();
});

const balance = (agent: GivenAgent) => agent.pay.balance({ ...agent.account, customerId: agent.customer.id });
/** The actions by id and status; their transactions may settle at any time. */
const actionsOf = async (agent: GivenAgent): Promise<string[]> =>
  (await expectStatus(200, agent.client.get('/agents/me/actions'))).data.map(({ id, status }: Resource) => `${id} ${status}`);

/** Refused with the cause, and the call left no action, no counter, no webhook, and the quote as it was. */
async function assertForbidden(agent: GivenAgent, quote: Resource, cause: string): Promise<void> {
  const [usage, actions, money] = [(await agent.read()).usage, await actionsOf(agent), await balance(agent)];
  const answer = await agent.execute(quote);
  assertRefused(answer, 403, 'FORBIDDEN');
  assert.equal(answer.body.details.cause, cause, answer.text);
  assert.deepEqual((await agent.read()).usage, usage);
  assert.deepEqual(await actionsOf(agent), actions);
  assert.equal(await balance(agent), money);
  assert.equal((await agent.pay.getQuote(quote)).status, 'PENDING');
}

const limits = (fields: Resource) => ({ spendingLimits: { currency: 'USD', perTransactionLimit: 100_000, ...fields } });

describe('AUTO', () => {
  test('the quote is executed as executeQuote does, the action is APPROVED with its transaction, and it is counted', async () => {
    const agent = await givenAgent(service.platform);
    const quote = await agent.quote(1_000);
    const action = await expectStatus(200, agent.execute(quote));
    assert.deepEqual(
      [action.status, action.type, action.agentId, action.customerId],
      ['APPROVED', 'EXECUTE_QUOTE', agent.id, agent.customer.id],
    );
    assert.equal(action.platformCustomerId, agent.customer.platformCustomerId);
    assert.deepEqual([action.quote.id, action.quote.status], [quote.id, 'PROCESSING']);
    assert.deepEqual([action.transaction.id, action.transaction.agentId], [quote.transactionId, agent.id]);
    assert.equal(await balance(agent), 999_000);
    const { usage } = await agent.read();
    assert.deepEqual([usage.dailyTransactionCount, usage.dailySpend, usage.monthlySpend], [1, 1_000, 1_000]);
    assert.deepEqual(await eventsAbout(service.db, action.id), [], 'no AGENT_ACTION webhook for AUTO');
    const { data } = await expectStatus(200, service.platform.get(`/agents/approvals?agentId=${agent.id}`));
    assert.deepEqual(data, [], 'AUTO actions are never in the list of approvals');
    assert.deepEqual(await expectStatus(200, agent.client.get(`/agents/me/actions/${action.id}`)), action);
  });

  test('its own error and no action at all, so it may be tried again', async () => {
    const agent = await givenAgent(service.platform, {}, { funds: 500 });
    const quote = await agent.quote(1_000);
    assertRefused(await agent.execute(quote), 400, 'INSUFFICIENT_FUNDS');
    assert.deepEqual(await actionsOf(agent), []);
    assert.equal((await agent.read()).usage.dailyTransactionCount, 0);
    await agent.pay.fund(agent.account, 500);
    await expectStatus(200, agent.execute(quote));
  });

  test('failure of the payment afterwards makes the action FAILED and gives no room back', async () => {
    const agent = await givenAgent(service.platform);
    const payee = await agent.pay.usd(agent.customer, '002');
    const action = await expectStatus(200, agent.spend(1_000, { destination: { destinationType: 'ACCOUNT', accountId: payee.id } }));
    assert.equal(action.status, 'APPROVED');
    await agent.pay.settle();
    const failed = await expectStatus(200, agent.client.get(`/agents/me/actions/${action.id}`));
    assert.deepEqual([failed.status, failed.transaction.status], ['FAILED', 'FAILED']);
    assert.equal((await agent.read()).usage.dailySpend, 1_000);
    assertRefused(await agent.approve(action), 409, 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL');
  });
});

describe('APPROVAL_REQUIRED', () => {
  test('the action waits, nothing moves and nothing is counted, and the platform is told once', async () => {
    const agent = await givenAgent(service.platform, { defaultExecutionMode: 'APPROVAL_REQUIRED' });
    const quote = await agent.quote(1_000);
    const action = await expectStatus(200, agent.execute(quote));
    assert.deepEqual([action.status, action.quote.status, action.transaction], ['PENDING_APPROVAL', 'PENDING', undefined]);
    assert.equal(await balance(agent), 1_000_000);
    assert.equal((await agent.read()).usage.dailyTransactionCount, 0);
    assert.equal((await agent.pay.transaction(quote)).status, 'PENDING', 'the transaction stays pending until the platform approves');
    const events = await eventsAbout(service.db, action.id);
    assert.deepEqual(events, [{ type: 'AGENT_ACTION.PENDING_APPROVAL', data: action }]);
  });
});

describe('the order of the evaluation', () => {
  test('a quote of another agent, of the platform, and of nobody: 404 QUOTE_NOT_FOUND', async () => {
    const agent = await givenAgent(service.platform);
    const sibling = await givenAgent(service.platform, {}, { customer: agent.customer, funds: 0 });
    const unknown = await agent.execute({ id: 'Quote:01950000-0000-7000-8000-000000000000' });
    for (const quote of [await sibling.quote(1_000), await agent.pay.quote(await agent.request(1_000)), { id: 'x' }]) {
      const answer = await agent.execute(quote);
      assertRefused(answer, 404, 'QUOTE_NOT_FOUND');
      assert.equal(answer.text, unknown.text);
    }
  });

  test('one action per quote, whatever became of it: 409 CONFLICT', async () => {
    const agent = await givenAgent(service.platform);
    const approved = await agent.quote(1_000);
    await expectStatus(200, agent.execute(approved));
    assertRefused(await agent.execute(approved), 409, 'CONFLICT');
    await agent.setPolicy({ defaultExecutionMode: 'APPROVAL_REQUIRED' });
    const [pending, rejected] = [await agent.quote(1_000), await agent.quote(1_000)];
    await expectStatus(200, agent.execute(pending));
    await expectStatus(200, agent.reject(await expectStatus(200, agent.execute(rejected))));
    await agent.setPolicy({ defaultExecutionMode: 'AUTO' });
    for (const quote of [pending, rejected]) assertRefused(await agent.execute(quote), 409, 'CONFLICT');
    await agent.pause();
    assertRefused(await agent.execute(pending), 403, 'FORBIDDEN');
  });

  test('a quote that the platform executed is 409, one that expired is 400 QUOTE_EXPIRED', async () => {
    const platform = await service.newPlatform();
    await platform.clock.freeze('2026-06-01T10:00:00.000Z');
    const agent = await givenAgent(platform);
    const [executed, expired] = [await agent.quote(1_000), await agent.quote(1_000)];
    await agent.pay.execute(executed);
    assertRefused(await agent.execute(executed), 409, 'CONFLICT');
    await platform.clock.advance(300_000);
    assertRefused(await agent.execute(expired), 400, 'QUOTE_EXPIRED');
  });

  test('accounts come before limits, and limits in their order', async () => {
    const agent = await givenAgent(service.platform);
    const quote = await agent.quote(1_000);
    await agent.setPolicy({
      accountRestrictions: { allowedAccountIds: [] },
      spendingLimits: { perTransactionLimit: 999, dailyLimit: 999, dailyTransactionLimit: 0, monthlyLimit: 999 },
    });
    await assertForbidden(agent, quote, 'ACCOUNT_NOT_ALLOWED');
    await agent.setPolicy({ accountRestrictions: { allowedAccountIds: null } });
    await assertForbidden(agent, quote, 'PER_TRANSACTION_LIMIT_EXCEEDED');
    await agent.setPolicy({ spendingLimits: { perTransactionLimit: 1_000 } });
    await assertForbidden(agent, quote, 'DAILY_LIMIT_EXCEEDED');
    await agent.setPolicy({ spendingLimits: { dailyLimit: null } });
    await assertForbidden(agent, quote, 'DAILY_TRANSACTION_LIMIT_EXCEEDED');
    await agent.setPolicy({ spendingLimits: { dailyTransactionLimit: 1 } });
    await assertForbidden(agent, quote, 'MONTHLY_LIMIT_EXCEEDED');
    await agent.setPolicy({ spendingLimits: { monthlyLimit: 1_000 } });
    await expectStatus(200, agent.execute(quote));
  });
});

describe('limits', () => {
  test('exactly the limit is allowed, one unit more is not; fees are part of the amount', async () => {
    const agent = await givenAgent(service.platform, limits({ perTransactionLimit: 1_000 }));
    await expectStatus(200, agent.spend(1_000));
    await assertForbidden(agent, await agent.quote(1_001), 'PER_TRANSACTION_LIMIT_EXCEEDED');
  });

  test('what was executed today and this month uses up the room, until 00:00 UTC and the first of the month', async () => {
    const platform = await service.newPlatform();
    await platform.clock.freeze('2026-06-29T23:58:00.000Z');
    const agent = await givenAgent(platform, limits({ dailyLimit: 3_000, dailyTransactionLimit: 2, monthlyLimit: 6_000 }));
    await expectStatus(200, agent.spend(2_000));
    await assertForbidden(agent, await agent.quote(1_001), 'DAILY_LIMIT_EXCEEDED');
    await expectStatus(200, agent.spend(1_000));
    await agent.setPolicy({ spendingLimits: { dailyLimit: 9_000 } });
    await assertForbidden(agent, await agent.quote(100), 'DAILY_TRANSACTION_LIMIT_EXCEEDED');
    assert.deepEqual((await agent.read()).usage, {
      dailyTransactionCount: 2,
      dailySpend: 3_000,
      dailyResetDate: '2026-06-30',
      monthlySpend: 3_000,
      monthlyResetMonth: '2026-07',
    });
    await platform.clock.set('2026-06-30T00:00:00.000Z');
    assert.deepEqual((await agent.read()).usage, {
      dailyTransactionCount: 0,
      dailySpend: 0,
      dailyResetDate: '2026-07-01',
      monthlySpend: 3_000,
      monthlyResetMonth: '2026-07',
    });
    await assertForbidden(agent, await agent.quote(3_001), 'MONTHLY_LIMIT_EXCEEDED');
    await expectStatus(200, agent.spend(3_000));
    await platform.clock.set('2026-07-01T00:00:00.000Z');
    const { usage } = await agent.read();
    assert.deepEqual([usage.dailyTransactionCount, usage.dailySpend, usage.monthlySpend], [0, 0, 0]);
    await expectStatus(200, agent.spend(6_000));
  });

  test('a limit lowered below what is spent refuses all until the reset; raising it counts what was spent', async () => {
    const agent = await givenAgent(service.platform);
    await expectStatus(200, agent.spend(2_000));
    await agent.setPolicy({ spendingLimits: { dailyLimit: 1_000 } });
    await assertForbidden(agent, await agent.quote(100), 'DAILY_LIMIT_EXCEEDED');
    await agent.setPolicy({ spendingLimits: { dailyLimit: 2_500 } });
    await assertForbidden(agent, await agent.quote(501), 'DAILY_LIMIT_EXCEEDED');
    await expectStatus(200, agent.spend(500));
  });

  test('usage is kept also where no limit is set', async () => {
    const agent = await givenAgent(service.platform);
    for (const amount of [700, 800]) await expectStatus(200, agent.spend(amount));
    const { usage } = await agent.read();
    assert.deepEqual([usage.dailyTransactionCount, usage.dailySpend, usage.monthlySpend], [2, 1_500, 1_500]);
  });

  test('in another currency: converted at the rate of the moment and rounded up: 1001 USD cents at 17.25 are 17268 centavos', async () => {
    const agent = await givenAgent(service.platform, { spendingLimits: { currency: 'MXN', perTransactionLimit: 17_267 } });
    await assertForbidden(agent, await agent.quote(1_001), 'PER_TRANSACTION_LIMIT_EXCEEDED');
    await agent.setPolicy({ spendingLimits: { perTransactionLimit: 17_268 } });
    await expectStatus(200, agent.spend(1_001));
    assert.equal((await agent.read()).usage.dailySpend, 17_268);
  });

  test('USDC counts 1:1 in whole units', async () => {
    const agent = await givenAgent(service.platform, { spendingLimits: { currency: 'USDC', perTransactionLimit: 10_000_000 } });
    await expectStatus(200, agent.spend(1_000));
    await assertForbidden(agent, await agent.quote(1_001), 'PER_TRANSACTION_LIMIT_EXCEEDED');
  });

  test('no rate: 400 QUOTE_RATE_UNAVAILABLE and nothing changes; later rates do not change what was counted', async () => {
    const platform = await service.newPlatform();
    const agent = await givenAgent(platform, { spendingLimits: { currency: 'MXN', perTransactionLimit: 1_000_000 } });
    await expectStatus(200, agent.spend(1_000));
    const quote = await agent.quote(1_000);
    await expectStatus(200, platform.put('/sandbox/exchange-rates', { currency: 'MXN', available: false }));
    assertRefused(await agent.execute(quote), 400, 'QUOTE_RATE_UNAVAILABLE');
    assert.equal((await actionsOf(agent)).length, 1);
    await expectStatus(200, platform.put('/sandbox/exchange-rates', { currency: 'MXN', available: true, perUsd: '20' }));
    assert.equal((await agent.read()).usage.dailySpend, 17_250);
    await expectStatus(200, agent.execute(quote));
    assert.equal((await agent.read()).usage.dailySpend, 37_250);
  });

  test('the threshold comes after the limits: without a rate to its currency a limit still answers first', async () => {
    const platform = await service.newPlatform();
    const agent = await givenAgent(platform, { approvalThresholds: { amount: 100, currency: 'EUR' } });
    await expectStatus(200, platform.put('/sandbox/exchange-rates', { currency: 'EUR', available: false }));
    await assertForbidden(agent, await agent.quote(100_001), 'PER_TRANSACTION_LIMIT_EXCEEDED');
    assertRefused(await agent.spend(1_000), 400, 'QUOTE_RATE_UNAVAILABLE');
    assert.deepEqual(await actionsOf(agent), []);
  });

  test('an account rule replaces the limit for one transaction: higher, lower, and 0 makes the account view-only', async () => {
    const agent = await givenAgent(service.platform, limits({ perTransactionLimit: 1_000 }));
    const rule = (perTransactionLimit: number | null) =>
      agent.setPolicy({ accountRestrictions: { accountRules: [{ accountId: agent.account.id, perTransactionLimit }] } });
    await rule(2_000);
    await expectStatus(200, agent.spend(2_000));
    await rule(500);
    await assertForbidden(agent, await agent.quote(501), 'PER_TRANSACTION_LIMIT_EXCEEDED');
    await rule(0);
    await assertForbidden(agent, await agent.quote(100), 'PER_TRANSACTION_LIMIT_EXCEEDED');
    await rule(null);
    await expectStatus(200, agent.spend(1_000));
  });
});

describe('mode', () => {
  test("an account rule's mode replaces the default; the threshold beats both, strictly above its amount", async () => {
    const agent = await givenAgent(service.platform, { defaultExecutionMode: 'APPROVAL_REQUIRED' });
    const statusOf = async (amount: number) => (await expectStatus(200, agent.spend(amount))).status;
    assert.equal(await statusOf(100), 'PENDING_APPROVAL');
    await agent.setPolicy({ accountRestrictions: { accountRules: [{ accountId: agent.account.id, executionMode: 'AUTO' }] } });
    assert.equal(await statusOf(100), 'APPROVED');
    await agent.setPolicy({ approvalThresholds: { currency: 'USD', amount: 100 } });
    assert.equal(await statusOf(100), 'APPROVED');
    assert.equal(await statusOf(101), 'PENDING_APPROVAL');
    await agent.setPolicy({ approvalThresholds: { currency: 'MXN', amount: 1_725 } });
    assert.equal(await statusOf(100), 'APPROVED');
    assert.equal(await statusOf(101), 'PENDING_APPROVAL');
    const wallet = await agent.pay.account(agent.customer, 'USDB');
    await agent.setPolicy({
      approvalThresholds: { amount: null },
      accountRestrictions: { accountRules: [{ accountId: wallet.id, executionMode: 'AUTO' }] },
    });
    assert.equal(await statusOf(101), 'PENDING_APPROVAL', 'a rule of another account does not count');
  });
});

describe('an embedded wallet as the source', () => {
  const payloadOf = (quote: Resource): string => quote.paymentInstructions[0].accountOrWalletInfo.payloadToSign;

  async function walletAgent(platform: Client, policy: Resource = {}) {
    const owner = await wallet(platform);
    const agent = await givenAgent(platform, policy, { customer: owner.customer, funds: 0 });
    await agent.pay.fund(owner.account, 100_000);
    const source = { sourceType: 'ACCOUNT', accountId: owner.account.id };
    const execute = (quote: Resource, signature?: string): Promise<Answer> =>
      agent.execute(quote, signature === undefined ? {} : { headers: { 'Service-Wallet-Signature': signature } });
    return { owner, agent, quote: () => agent.quote(1_000, { source }), execute };
  }

  test('the stamp of its owner is checked at submission, before accounts and limits', async () => {
    const { owner, agent, quote, execute } = await walletAgent(service.platform, limits({ perTransactionLimit: 0 }));
    const [first, other] = [await quote(), await quote()];
    assertRefused(await execute(first), 401, 'WALLET_SIGNATURE_MISSING');
    assertRefused(await execute(first, 'x'), 401, 'WALLET_SIGNATURE_MALFORMED');
    assertRefused(await execute(first, await stamp(newKeys(), payloadOf(first))), 401, 'WALLET_SIGNATURE_INVALID');
    assertRefused(await execute(first, await stamp(owner.keys, payloadOf(other))), 401, 'WALLET_SIGNATURE_INVALID');
    const signature = await stamp(owner.keys, payloadOf(first));
    assertRefused(await execute(first, signature), 403, 'FORBIDDEN');
    await agent.setPolicy({ spendingLimits: { perTransactionLimit: 1_000 } });
    const action = await expectStatus(200, execute(first, signature));
    assert.equal(action.status, 'APPROVED');
    assert.equal(await agent.pay.balance({ ...owner.account, customerId: owner.customer.id }), 99_000);
  });

  test('the action keeps the verdict: approval does not ask again', async () => {
    const { owner, agent, quote, execute } = await walletAgent(service.platform, { defaultExecutionMode: 'APPROVAL_REQUIRED' });
    const first = await quote();
    assertRefused(await execute(first), 401, 'WALLET_SIGNATURE_MISSING');
    const action = await expectStatus(200, execute(first, await stamp(owner.keys, payloadOf(first))));
    assert.equal(action.status, 'PENDING_APPROVAL');
    const approved = await expectStatus(200, agent.approve(action));
    assert.equal(approved.status, 'APPROVED', JSON.stringify(approved));
    assert.equal(await agent.pay.balance({ ...owner.account, customerId: owner.customer.id }), 99_000);
  });

  test('the platform may execute the quote itself with the stamp, while the action waits and after it was rejected', async () => {
    const { owner, agent, quote, execute } = await walletAgent(service.platform, { defaultExecutionMode: 'APPROVAL_REQUIRED' });
    for (const [isRejected, left] of [
      [false, 99_000],
      [true, 98_000],
    ] as const) {
      const submitted = await quote();
      const signature = await stamp(owner.keys, payloadOf(submitted));
      const action = await expectStatus(200, execute(submitted, signature));
      if (isRejected) await expectStatus(200, agent.reject(action));
      const path = `/quotes/${submitted.id}/execute`;
      assertRefused(await service.platform.post(path), 401, 'WALLET_SIGNATURE_MISSING');
      const forged = { headers: { 'Service-Wallet-Signature': await stamp(newKeys(), payloadOf(submitted)) } };
      assertRefused(await service.platform.post(path, undefined, forged), 401, 'WALLET_SIGNATURE_INVALID');
      const signed = { headers: { 'Service-Wallet-Signature': signature } };
      await expectStatus(200, service.platform.post(path, undefined, signed));
      assertRefused(await service.platform.post(path, undefined, signed), 409, 'CONFLICT');
      if (!isRejected) assert.equal((await expectStatus(200, agent.approve(action))).status, 'FAILED');
      assert.equal(await agent.pay.balance({ ...owner.account, customerId: owner.customer.id }), left);
    }
  });
});

describe('agentListActions and agentGetAction', () => {
  test('all actions of the agent, newest first, by status; those of others are 404', async () => {
    const agent = await givenAgent(service.platform);
    const auto = await expectStatus(200, agent.spend(100));
    await agent.setPolicy({ defaultExecutionMode: 'APPROVAL_REQUIRED' });
    const pending = await expectStatus(200, agent.spend(100));
    const rejected = await expectStatus(200, agent.reject(await expectStatus(200, agent.spend(100))));
    const ids = async (query = '') =>
      (await expectStatus(200, agent.client.get(`/agents/me/actions${query}`))).data.map(({ id }: Resource) => id);
    assert.deepEqual(await ids(), [rejected.id, pending.id, auto.id]);
    assert.deepEqual(await ids('?status=PENDING_APPROVAL'), [pending.id]);
    assert.deepEqual(await ids('?status=APPROVED'), [auto.id]);
    assert.deepEqual(await ids('?status=REJECTED'), [rejected.id]);
    assert.deepEqual(await ids('?status=FAILED'), []);
    assertInvalid(await agent.client.get('/agents/me/actions?status=DONE'), 'status');
    const page = await expectStatus(200, agent.client.get('/agents/me/actions?limit=1'));
    assert.deepEqual([page.totalCount, page.hasMore], [3, true]);

    const sibling = await givenAgent(service.platform, {}, { customer: agent.customer, funds: 0 });
    const [theirs, unknown] = [
      await sibling.client.get(`/agents/me/actions/${auto.id}`),
      await sibling.client.get('/agents/me/actions/AgentAction:01950000-0000-7000-8000-000000000000'),
    ];
    assertRefused(theirs, 404, 'NOT_FOUND');
    assert.equal(theirs.text, unknown.text);
    assert.deepEqual((await expectStatus(200, sibling.client.get('/agents/me/actions'))).data, []);
  });

  test('a unique constraint holds one action per quote', async () => {
    const agent = await givenAgent(service.platform);
    const action = await expectStatus(200, agent.spend(100));
    await assert.rejects(
      service.db.run(sql`
        insert into agent_actions select platform_id, gen_random_uuid(), agent_id, customer_id, platform_customer_id, quote_id, payment_id, status,
          needed_approval, started, undecided, rejection_reason, counted_amount, counted_currency, expires_at, created_at, updated_at
        from agent_actions where id = ${action.id.split(':')[1]}`),
      /agent_actions_quote/,
    );
  });
});
