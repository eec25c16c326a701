import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ALL_PERMISSIONS, createAgent, givenAgent, OPEN_POLICY } from '../../../support/agents.js';
import { type Answer, assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { startTestService, type TestService } from '../../../support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

let service: TestService;
let customer: Resource;
let account: Resource;
let other: Resource;
before(async () => {
  service = await startTestService();
  const build = given(service.platform);
  customer = await build.customer();
  account = await build.account(customer, 'USD');
  other = await build.account(customer, 'USDB');
});
after(() => service.stop());

const agentWith = async (policy: Resource = {}): Promise<Resource> => (await createAgent(service.platform, customer, policy)).agent;
const patch = (agent: Resource, body: Resource) => service.platform.patch(`/agents/${agent.id}/policy`, body);
const policyAfter = async (agent: Resource, body: Resource): Promise<Resource> => (await expectStatus(200, patch(agent, body))).policy;

describe('merging', () => {
  const FULL = {
    permissions: ['VIEW_TRANSACTIONS'],
    defaultExecutionMode: 'AUTO',
    spendingLimits: { currency: 'USD', perTransactionLimit: 10, dailyLimit: 20, dailyTransactionLimit: 3, monthlyLimit: 40 },
    approvalThresholds: { currency: 'EUR', amount: 5 },
  };
  const full = async () => {
    const accountRestrictions = { allowedAccountIds: [account.id], accountRules: [{ accountId: account.id, perTransactionLimit: 7 }] };
    return agentWith({ ...FULL, accountRestrictions });
  };

  const CASES: Readonly<Record<string, (agent: Resource) => [body: Resource, expected: Resource]>> = {
    'an omitted field keeps its value': ({ policy }) => [
      { defaultExecutionMode: 'APPROVAL_REQUIRED' },
      { ...policy, defaultExecutionMode: 'APPROVAL_REQUIRED' },
    ],
    'permissions are replaced whole': ({ policy }) => [{ permissions: ['CREATE_QUOTES'] }, { ...policy, permissions: ['CREATE_QUOTES'] }],
    'spendingLimits merge field by field': ({ policy }) => [
      { spendingLimits: { dailyLimit: 21 } },
      { ...policy, spendingLimits: { ...FULL.spendingLimits, dailyLimit: 21 } },
    ],
    'null clears dailyLimit and monthlyLimit': ({ policy }) => [
      { spendingLimits: { dailyLimit: null, monthlyLimit: null } },
      { ...policy, spendingLimits: { currency: 'USD', perTransactionLimit: 10, dailyTransactionLimit: 3 } },
    ],
    'a given allowedAccountIds replaces the list and leaves the rules': ({ policy }) => [
      { accountRestrictions: { allowedAccountIds: [other.id] } },
      { ...policy, accountRestrictions: { ...policy.accountRestrictions, allowedAccountIds: [other.id] } },
    ],
    'null allows all accounts again': ({ policy: { accountRestrictions, ...policy } }) => [
      { accountRestrictions: { allowedAccountIds: null } },
      { ...policy, accountRestrictions: { accountRules: accountRestrictions.accountRules } },
    ],
    'a given accountRules replaces the list': ({ policy }) => [
      { accountRestrictions: { accountRules: [] } },
      { ...policy, accountRestrictions: { allowedAccountIds: [account.id] } },
    ],
    'approvalThresholds merge field by field': ({ policy }) => [
      { approvalThresholds: { amount: 6 } },
      { ...policy, approvalThresholds: { currency: 'EUR', amount: 6 } },
    ],
    'amount null removes the threshold': ({ policy: { approvalThresholds: _gone, ...policy } }) => [
      { approvalThresholds: { amount: null } },
      policy,
    ],
    'an empty part changes nothing': ({ policy }) => [{ spendingLimits: {} }, policy],
  };
  for (const [name, caseOf] of Object.entries(CASES))
    test(name, async () => {
      const agent = await full();
      const [body, expected] = caseOf(agent);
      assert.deepEqual(await policyAfter(agent, body), expected);
      assert.deepEqual((await expectStatus(200, service.platform.get(`/agents/${agent.id}`))).policy, expected);
    });
});

describe('400, and nothing changes', () => {
  test('an empty body', async () => {
    assertRefused(await patch(await agentWith(), {}), 400, 'INVALID_INPUT');
  });

  test('the merged policy must be valid as a whole', async () => {
    const agent = await agentWith();
    assertInvalid(await patch(agent, { approvalThresholds: { amount: 5 } }), 'approvalThresholds.currency');
    assertInvalid(await patch(agent, { spendingLimits: { currency: 'XXX' } }), 'spendingLimits.currency');
    assertInvalid(await patch(agent, { spendingLimits: { dailyTransactionLimit: null } }), 'spendingLimits.dailyTransactionLimit');
    assertInvalid(await patch(agent, { permissions: ['CREATE_TRANSFERS'] }), 'permissions.0');
    const foreign = await given(service.platform).fundedAccount('USD', 0);
    assertInvalid(
      await patch(agent, { accountRestrictions: { allowedAccountIds: [foreign.id] }, defaultExecutionMode: 'APPROVAL_REQUIRED' }),
      'accountRestrictions.allowedAccountIds.0',
    );
    assert.deepEqual(await expectStatus(200, service.platform.get(`/agents/${agent.id}`)), agent);
  });

  test('404 for an unknown agent', async () => {
    assertRefused(await patch({ id: 'Agent:01950000-0000-7000-8000-000000000000' }, { permissions: [] }), 404, 'NOT_FOUND');
  });
});

describe('a new currency of the limits', () => {
  test('converts stored amounts down at the present rate, usage up, and takes given amounts as they are', async () => {
    const agent = await givenAgent(service.platform, {
      spendingLimits: { currency: 'USD', perTransactionLimit: 1_001, dailyLimit: 5_001, monthlyLimit: 7_001, dailyTransactionLimit: 9 },
    });
    await agent.setPolicy({
      accountRestrictions: { accountRules: [{ accountId: agent.account.id, perTransactionLimit: 1_003 }] },
      approvalThresholds: { currency: 'USD', amount: 99_999 },
    });
    await expectStatus(200, agent.spend(1_001));
    const changed = await agent.setPolicy({ spendingLimits: { currency: 'MXN', monthlyLimit: 123 } });
    // 17.25 MXN for 1 USD: 1001 cents are 17267.25 centavos.
    assert.deepEqual(changed.policy.spendingLimits, {
      currency: 'MXN',
      perTransactionLimit: 17_267,
      dailyLimit: 86_267,
      dailyTransactionLimit: 9,
      monthlyLimit: 123,
    });
    assert.deepEqual(changed.policy.accountRestrictions, { accountRules: [{ accountId: agent.account.id, perTransactionLimit: 17_301 }] });
    assert.deepEqual(changed.policy.approvalThresholds, { currency: 'USD', amount: 99_999 }, 'a threshold has its own currency');
    assert.deepEqual([changed.usage.dailyTransactionCount, changed.usage.dailySpend, changed.usage.monthlySpend], [1, 17_268, 17_268]);
  });

  test('USD, USDB, USDC and USDT are 1:1 in whole units', async () => {
    const agent = await agentWith();
    assert.equal((await policyAfter(agent, { spendingLimits: { currency: 'USDC' } })).spendingLimits.perTransactionLimit, 1_000_000_000);
    assert.equal((await policyAfter(agent, { spendingLimits: { currency: 'USDB' } })).spendingLimits.perTransactionLimit, 100_000);
  });

  test('rules of the same request are in the new currency already', async () => {
    const agent = await agentWith();
    const policy = await policyAfter(agent, {
      spendingLimits: { currency: 'MXN', perTransactionLimit: 5 },
      accountRestrictions: { accountRules: [{ accountId: account.id, perTransactionLimit: 11 }] },
    });
    assert.equal(policy.spendingLimits.perTransactionLimit, 5);
    assert.equal(policy.accountRestrictions.accountRules[0].perTransactionLimit, 11);
  });

  test('without a rate it is 400 QUOTE_RATE_UNAVAILABLE and nothing changes', async () => {
    const platform = await service.newPlatform();
    const { agent } = await createAgent(platform, await given(platform).customer());
    await expectStatus(200, platform.put('/sandbox/exchange-rates', { currency: 'EUR', available: false }));
    assertRefused(
      await platform.patch(`/agents/${agent.id}/policy`, { spendingLimits: { currency: 'EUR' } }),
      400,
      'QUOTE_RATE_UNAVAILABLE',
    );
    assert.deepEqual((await expectStatus(200, platform.get(`/agents/${agent.id}`))).policy, OPEN_POLICY);
  });

  test('a limit that would be larger than an amount can be stays at the largest amount', async () => {
    const agent = await agentWith({ spendingLimits: { currency: 'USD', perTransactionLimit: 9_007_199_254_740_991 } });
    assert.equal(
      (await policyAfter(agent, { spendingLimits: { currency: 'VND' } })).spendingLimits.perTransactionLimit,
      9_007_199_254_740_991,
    );
  });
});

test('a change takes effect at once: the next call of the agent sees it', async () => {
  const agent = await givenAgent(service.platform);
  const calls: readonly [permission: string, call: () => Promise<Answer>][] = [
    ['VIEW_TRANSACTIONS', () => agent.client.get('/agents/me/internal-accounts')],
    ['CREATE_QUOTES', () => agent.client.post('/agents/me/quotes', {})],
    ['EXECUTE_QUOTES', () => agent.client.post('/agents/me/quotes/Quote:x/execute')],
    ['MANAGE_EXTERNAL_ACCOUNTS', () => agent.client.get('/agents/me/external-accounts')],
  ];
  for (const [permission, call] of calls) {
    await agent.setPolicy({ permissions: ALL_PERMISSIONS.filter((other) => other !== permission) });
    const answer = await call();
    assertRefused(answer, 403, 'FORBIDDEN');
    assert.equal(answer.body.details.cause, 'PERMISSION_MISSING');
  }
});
