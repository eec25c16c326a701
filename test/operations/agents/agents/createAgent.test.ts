import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { createAgent, OPEN_POLICY } from '../../../support/agents.js';
import { assertInvalid, expectStatus } from '../../../support/client.js';
import { placesHolding } from '../../../support/database-state.js';
import { given } from '../../../support/given.js';
import { startTestService, type TestService } from '../../../support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

let service: TestService;
let customer: Resource;
let account: Resource;
before(async () => {
  service = await startTestService();
  const build = given(service.platform);
  customer = await build.customer();
  account = await build.account(customer, 'USD');
});
after(() => service.stop());

const request = (policy: Resource = {}, fields: Resource = {}) => ({
  name: 'Treasurer',
  customerId: customer.id,
  policy: { ...OPEN_POLICY, ...policy },
  ...fields,
});
const send = (policy?: Resource, fields?: Resource) => service.platform.post('/agents', request(policy, fields));
const countAgents = async () => (await expectStatus(200, service.platform.get(`/agents?customerId=${customer.id}`))).totalCount as number;

describe('201', () => {
  test('a new agent is neither paused nor connected, has spent nothing, and shows when its counters start again', async () => {
    const platform = await service.newPlatform();
    await platform.clock.freeze('2026-12-31T23:59:59.999Z');
    const { agent, deviceCode } = await createAgent(platform, await given(platform).customer());
    assert.match(agent.id, /^Agent:/);
    assert.deepEqual([agent.isPaused, agent.isConnected], [false, false]);
    assert.deepEqual(agent.usage, {
      dailyTransactionCount: 0,
      dailySpend: 0,
      dailyResetDate: '2027-01-01',
      monthlySpend: 0,
      monthlyResetMonth: '2027-01',
    });
    assert.deepEqual(agent.policy, OPEN_POLICY);
    assert.equal(deviceCode.agentId, agent.id);
    assert.equal(deviceCode.redeemed, false);
    assert.equal(deviceCode.expiresAt, '2027-01-01T23:59:59.999Z', 'a device code lives 24 hours');
    assert.deepEqual(await expectStatus(200, platform.get(`/agents/${agent.id}`)), agent);
  });

  test('the device code has twelve signs that are not mistaken for each other, and only a keyed hash of it is stored', async () => {
    const { deviceCode } = await expectStatus(201, send());
    assert.match(deviceCode.code, /^AGENT(-[23456789ABCDEFGHJKMNPQRSTVWXYZ]{4}){3}$/);
    assert.deepEqual(await placesHolding(service.db, deviceCode.code), []);
  });

  test('a repeat with the same Idempotency-Key gets the same agent and code; the stored answer is sealed', async () => {
    const headers = { 'Idempotency-Key': 'agent one' };
    const first = await expectStatus(201, service.platform.post('/agents', request(), { headers }));
    const again = await service.platform.post('/agents', request(), { headers });
    assert.deepEqual(again.body, first);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(await placesHolding(service.db, first.deviceCode.code), []);
  });

  test('any number of agents act for one customer', async () => {
    const before = await countAgents();
    await expectStatus(201, send());
    await expectStatus(201, send());
    assert.equal(await countAgents(), before + 2);
  });

  test('unset optional fields are left out of answers; null and absent mean the same', async () => {
    const { agent } = await expectStatus(
      201,
      send({
        spendingLimits: { ...OPEN_POLICY.spendingLimits, dailyLimit: null, monthlyLimit: null },
        accountRestrictions: { allowedAccountIds: null, accountRules: [{ accountId: account.id, perTransactionLimit: null }] },
        approvalThresholds: { amount: null },
      }),
    );
    assert.deepEqual(agent.policy, { ...OPEN_POLICY, accountRestrictions: { accountRules: [{ accountId: account.id }] } });
  });

  test('limits of 0, empty lists and the largest amounts are kept', async () => {
    const policy = {
      permissions: [],
      defaultExecutionMode: 'APPROVAL_REQUIRED',
      spendingLimits: {
        currency: 'MXN',
        perTransactionLimit: 0,
        dailyLimit: 9_007_199_254_740_991,
        dailyTransactionLimit: 0,
        monthlyLimit: 0,
      },
      accountRestrictions: {
        allowedAccountIds: [],
        accountRules: [{ accountId: account.id, executionMode: 'AUTO', perTransactionLimit: 0 }],
      },
      approvalThresholds: { currency: 'EUR', amount: 0 },
    };
    const { agent } = await expectStatus(201, send(policy));
    assert.deepEqual(agent.policy, policy);
  });
});

describe('400, and nothing is created', () => {
  const limits = OPEN_POLICY.spendingLimits;
  const foreign = async (): Promise<string> => (await given(service.platform).fundedAccount('USD', 0)).id;

  const CASES: Readonly<Record<string, [policy: Resource, ...fields: string[]]>> = {
    'a permission that does not exist': [{ permissions: ['CREATE_TRANSFERS'] }, 'policy.permissions.0'],
    'a permission twice': [{ permissions: ['CREATE_QUOTES', 'CREATE_QUOTES'] }, 'policy.permissions'],
    'an unknown mode': [{ defaultExecutionMode: 'ASK' }, 'policy.defaultExecutionMode'],
    'a currency that the service does not know': [{ spendingLimits: { ...limits, currency: 'XXX' } }, 'policy.spendingLimits.currency'],
    'no limit for one transaction': [{ spendingLimits: { currency: 'USD' } }, 'policy.spendingLimits.perTransactionLimit'],
    'a negative limit': [{ spendingLimits: { ...limits, perTransactionLimit: -1 } }, 'policy.spendingLimits.perTransactionLimit'],
    'a limit beyond 2^53 - 1': [{ spendingLimits: { ...limits, dailyLimit: 9_007_199_254_740_992 } }, 'policy.spendingLimits.dailyLimit'],
    'a fraction': [{ spendingLimits: { ...limits, monthlyLimit: 1.5 } }, 'policy.spendingLimits.monthlyLimit'],
    'a count of null': [{ spendingLimits: { ...limits, dailyTransactionLimit: null } }, 'policy.spendingLimits.dailyTransactionLimit'],
    'a threshold without its currency': [{ approvalThresholds: { amount: 1 } }, 'policy.approvalThresholds.currency'],
    'a threshold in an unknown currency': [{ approvalThresholds: { amount: 1, currency: 'XXX' } }, 'policy.approvalThresholds.currency'],
    'an unknown field': [{ spendingLimits: { ...limits, weeklyLimit: 1 } }, 'policy.spendingLimits.weeklyLimit'],
    'an account that is no id': [
      { accountRestrictions: { allowedAccountIds: ['InternalAccount:x'] } },
      'policy.accountRestrictions.allowedAccountIds.0',
    ],
  };
  for (const [name, [policy, ...fields]] of Object.entries(CASES))
    test(name, async () => {
      const before = await countAgents();
      assertInvalid(await send(policy), ...fields);
      assert.equal(await countAgents(), before);
    });

  test('accounts that are not of the customer, and accounts that are named twice', async () => {
    const other = await foreign();
    assertInvalid(
      await send({
        accountRestrictions: {
          allowedAccountIds: [account.id, other, account.id],
          accountRules: [{ accountId: account.id }, { accountId: account.id, executionMode: 'AUTO' }, { accountId: other }],
        },
      }),
      'policy.accountRestrictions.allowedAccountIds.1',
      'policy.accountRestrictions.allowedAccountIds.2',
      'policy.accountRestrictions.accountRules.1.accountId',
      'policy.accountRestrictions.accountRules.2.accountId',
    );
  });

  test('every bad field is named', async () => {
    assertInvalid(
      await send({ spendingLimits: { ...limits, currency: 'XXX' }, approvalThresholds: { amount: 5, currency: 'YYY' } }),
      'policy.spendingLimits.currency',
      'policy.approvalThresholds.currency',
    );
  });

  test('a name of no character or more than 255', async () => {
    for (const name of ['', 'x'.repeat(256)]) assertInvalid(await send({}, { name }), 'name');
    await expectStatus(201, send({}, { name: 'x'.repeat(255) }));
  });

  test('a customer that is unknown, malformed, deleted or of another platform: the same bytes', async () => {
    const gone = await given(service.platform).customer();
    await expectStatus(200, service.platform.delete(`/customers/${gone.id}`));
    const theirs = await given(await service.newPlatform()).customer();
    const answers = [];
    for (const id of [gone.id, theirs.id, 'Customer:01950000-0000-7000-8000-000000000000', 'nobody'])
      answers.push(await send({}, { customerId: id }));
    for (const answer of answers) {
      assertInvalid(answer, 'customerId');
      assert.equal(answer.text, answers[0]?.text);
    }
  });

  test('an agent row is written once per request', async () => {
    const rows = await service.db.one<{ count: bigint }>(sql`select count(*) from agents where customer_id = ${customer.id.split(':')[1]}`);
    assert.equal(Number(rows?.count), await countAgents());
  });
});
