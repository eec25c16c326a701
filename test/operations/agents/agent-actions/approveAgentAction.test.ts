// approveAgentAction, rejectAgentAction, listAgentApprovals, and the decision by the transaction.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { type GivenAgent, givenAgent } from '../../../support/agents.js';
import { type Answer, assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { eventsAbout } from '../../../support/database-state.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { assertLedgerHolds } from '../../../support/ledger.js';
import { race } from '../../../support/race.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

const CODE = 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL';
const ASKING = { defaultExecutionMode: 'APPROVAL_REQUIRED' };

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(async () => {
  await assertLedgerHolds(service.db, await platformIdOf(service, service.platform));
  await service.stop();
});

/** An action that waits, with its agent. */
async function pending(platform: Client = service.platform, policy: Resource = {}, amount = 1_000) {
  const agent = await givenAgent(platform, { ...ASKING, ...policy });
  return { agent, action: await expectStatus(200, agent.spend(amount)) };
}

const balance = (agent: GivenAgent) => agent.pay.balance({ ...agent.account, customerId: agent.customer.id });
const readAction = (agent: GivenAgent, { id }: Resource): Promise<Resource> =>
  expectStatus(200, agent.client.get(`/agents/me/actions/${id}`));

function assertDecided(answer: Answer, status: string): void {
  assertRefused(answer, 409, CODE);
  assert.deepEqual(answer.body.details, { status });
}

describe('approve', () => {
  test('200 APPROVED: the quote is executed, counted, and the action shows its transaction', async () => {
    const { agent, action } = await pending();
    const approved = await expectStatus(200, agent.approve(action));
    assert.deepEqual([approved.id, approved.status, approved.quote.status], [action.id, 'APPROVED', 'PROCESSING']);
    assert.deepEqual([approved.transaction.id, approved.transaction.agentId], [action.quote.transactionId, agent.id]);
    assert.equal(await balance(agent), 999_000);
    const { usage } = await agent.read();
    assert.deepEqual([usage.dailyTransactionCount, usage.dailySpend], [1, 1_000]);
    // The payment goes on beside the test, so only what no longer changes is compared.
    const later = await readAction(agent, action);
    assert.deepEqual([later.id, later.status, later.transaction.id], [approved.id, approved.status, approved.transaction.id]);
    assert.equal((await eventsAbout(service.db, action.id)).length, 1, 'no webhook on approval');
  });

  /** What is refused at the moment of the approval makes the action FAILED: 200, no money moved, nothing counted, no transaction. */
  const CHANGES: Readonly<Record<string, (agent: GivenAgent, action: Resource) => Promise<unknown>>> = {
    'the agent is paused': (agent) => agent.pause(),
    'EXECUTE_QUOTES was taken away': (agent) => agent.setPolicy({ permissions: ['CREATE_QUOTES'] }),
    'the account is no longer allowed': (agent) => agent.setPolicy({ accountRestrictions: { allowedAccountIds: [] } }),
    'the limit for one transaction was lowered': (agent) => agent.setPolicy({ spendingLimits: { perTransactionLimit: 999 } }),
    'the daily limit was lowered': (agent) => agent.setPolicy({ spendingLimits: { dailyLimit: 999 } }),
    'the count is used up': (agent) => agent.setPolicy({ spendingLimits: { dailyTransactionLimit: 0 } }),
    'the monthly limit was lowered': (agent) => agent.setPolicy({ spendingLimits: { monthlyLimit: 999 } }),
    'the external account was deleted': (agent, { quote }) =>
      expectStatus(204, agent.platform.delete(`/customers/external-accounts/${quote.destination.accountId}`)),
  };
  for (const [name, change] of Object.entries(CHANGES))
    test(`FAILED when ${name}`, async () => {
      const { agent, action } = await pending();
      await change(agent, action);
      const usage = (await agent.read()).usage;
      const failed = await expectStatus(200, agent.approve(action));
      assert.deepEqual([failed.status, failed.transaction, failed.quote.status], ['FAILED', undefined, 'PENDING']);
      assert.equal(await balance(agent), 1_000_000);
      assert.deepEqual((await agent.read()).usage, usage);
      assertDecided(await agent.approve(action), 'FAILED');
      assertDecided(await agent.reject(action), 'FAILED');
    });

  test('the threshold is not asked about again: without a rate to its currency the approval goes through', async () => {
    const platform = await service.newPlatform();
    const { agent, action } = await pending(platform, { approvalThresholds: { amount: 100, currency: 'EUR' } });
    await expectStatus(200, platform.put('/sandbox/exchange-rates', { currency: 'EUR', available: false }));
    assert.equal((await expectStatus(200, agent.approve(action))).status, 'APPROVED');
  });

  test('FAILED when the balance no longer covers it', async () => {
    const agent = await givenAgent(service.platform, ASKING, { funds: 1_500 });
    const [first, second] = [await expectStatus(200, agent.spend(1_000)), await expectStatus(200, agent.spend(1_000))];
    assert.equal((await expectStatus(200, agent.approve(first))).status, 'APPROVED');
    assert.equal((await expectStatus(200, agent.approve(second))).status, 'FAILED');
    assert.equal(await balance(agent), 500);
  });

  test('FAILED when the daily volume of the corridor is reached, which only COMMIT would show', async () => {
    const platform = await service.newPlatform();
    const agent = await givenAgent(
      platform,
      { ...ASKING, spendingLimits: { currency: 'USD', perTransactionLimit: 9_000_000_000 } },
      { funds: 5_000_000_000 },
    );
    const big = await agent.pay.quote(await agent.request(100_000_000)).catch(() => undefined);
    const amount = big ? 100_000_000 : 10_000_000;
    const actions = [];
    for (let i = 0; i < 12; i += 1) actions.push(await expectStatus(200, agent.spend(amount)));
    const outcomes = [];
    for (const action of actions) outcomes.push((await expectStatus(200, agent.approve(action))).status);
    const { usage } = await agent.read();
    assert.equal(usage.dailyTransactionCount, outcomes.filter((status) => status === 'APPROVED').length);
    assert.equal(await balance(agent), 5_000_000_000 - amount * usage.dailyTransactionCount);
    await assertLedgerHolds(service.db, await platformIdOf(service, platform));
  });

  test('several pending actions may together exceed a limit, and the later approvals then fail', async () => {
    const agent = await givenAgent(service.platform, {
      ...ASKING,
      spendingLimits: { currency: 'USD', perTransactionLimit: 1_000, dailyLimit: 1_500 },
    });
    const [first, second] = [await expectStatus(200, agent.spend(1_000)), await expectStatus(200, agent.spend(1_000))];
    assert.equal((await expectStatus(200, agent.approve(second))).status, 'APPROVED');
    assert.equal((await expectStatus(200, agent.approve(first))).status, 'FAILED');
  });

  test('the mode and the threshold are not asked again', async () => {
    const { agent, action } = await pending(service.platform, { approvalThresholds: { currency: 'USD', amount: 0 } });
    assert.equal((await expectStatus(200, agent.approve(action))).status, 'APPROVED');
  });

  test('an action approved after midnight counts for the new day', async () => {
    const platform = await service.newPlatform();
    await platform.clock.freeze('2026-06-30T23:59:00.000Z');
    const { agent, action } = await pending(platform);
    await platform.clock.set('2026-07-01T00:00:30.000Z');
    await expectStatus(200, agent.approve(action));
    const { usage } = await agent.read();
    assert.deepEqual([usage.dailyTransactionCount, usage.monthlySpend, usage.dailyResetDate], [1, 1_000, '2026-07-02']);
  });

  test('a rate that is no longer honoured ends quote and action', async () => {
    const platform = await service.newPlatform();
    const agent = await givenAgent(platform, ASKING);
    await agent.pay.currencies('USD', 'USDB', 'EUR');
    const euro = await agent.pay.eur(agent.customer);
    const action = await expectStatus(200, agent.spend(1_000, { destination: { destinationType: 'ACCOUNT', accountId: euro.id } }));
    await expectStatus(200, platform.put('/sandbox/exchange-rates', { currency: 'EUR', available: false }));
    const failed = await expectStatus(200, agent.approve(action));
    assert.deepEqual([failed.status, failed.quote.status, failed.transaction], ['FAILED', 'FAILED', undefined]);
    assert.equal((await agent.read()).usage.dailyTransactionCount, 0);
  });

  test('decided actions are 409', async () => {
    const { agent, action } = await pending();
    await expectStatus(200, agent.approve(action));
    assertDecided(await agent.approve(action), 'APPROVED');
    assertDecided(await agent.reject(action), 'APPROVED');
    const other = await expectStatus(200, agent.spend(1_000));
    await expectStatus(200, agent.reject(other));
    assertDecided(await agent.approve(other), 'REJECTED');
    assertDecided(await agent.reject(other), 'REJECTED');
  });

  test('404 unless the action belongs to the agent in the path', async () => {
    const { agent, action } = await pending();
    const stranger = await givenAgent(service.platform, {}, { funds: 0 });
    const other = await service.newPlatform();
    for (const answer of [
      await service.platform.post(`/agents/${stranger.id}/actions/${action.id}/approve`),
      await service.platform.post(`/agents/${agent.id}/actions/AgentAction:01950000-0000-7000-8000-000000000000/approve`),
      await service.platform.post(`/agents/x/actions/${action.id}/reject`),
      await other.post(`/agents/${agent.id}/actions/${action.id}/approve`),
    ])
      assertRefused(answer, 404, 'NOT_FOUND');
    assert.equal((await readAction(agent, action)).status, 'PENDING_APPROVAL');
  });
});

describe('reject', () => {
  test('200 REJECTED with the reason; the quote is left to expire; nothing moved', async () => {
    const { agent, action } = await pending();
    const rejected = await expectStatus(200, agent.reject(action, { reason: 'Not this month' }));
    assert.deepEqual([rejected.status, rejected.rejectionReason, rejected.quote.status], ['REJECTED', 'Not this month', 'PENDING']);
    assert.equal(await balance(agent), 1_000_000);
    assert.equal((await agent.read()).usage.dailyTransactionCount, 0);
  });

  test('the body is optional; a reason has at most 1024 characters; an unknown field is refused', async () => {
    const { agent, action } = await pending();
    assertInvalid(await agent.reject(action, { reason: 'x'.repeat(1_025) }), 'reason');
    assertInvalid(await agent.reject(action, { why: 'x' }), 'why');
    const rejected = await expectStatus(200, agent.reject(action));
    assert.equal(rejected.rejectionReason, undefined);
  });

  test('a pending action of a paused agent can be rejected', async () => {
    const { agent, action } = await pending();
    await agent.pause();
    assert.equal((await expectStatus(200, agent.reject(action))).status, 'REJECTED');
  });
});

describe('when the quote expires undecided', () => {
  for (const worker of ['before', 'after'] as const)
    test(`the action is FAILED ${worker} the work of the clock; a late approval is 200 with it, a rejection 409`, async () => {
      const platform = await service.newPlatform();
      await platform.clock.freeze('2026-06-01T10:00:00.000Z');
      const { agent, action } = await pending(platform);
      await platform.clock.advance(299_999);
      assert.equal((await readAction(agent, action)).status, 'PENDING_APPROVAL');
      await platform.clock.advance(1);
      if (worker === 'after') await agent.pay.settle();
      const failed = await readAction(agent, action);
      assert.deepEqual([failed.status, failed.quote.status, failed.transaction], ['FAILED', 'EXPIRED', undefined]);
      assert.equal(failed.updatedAt, action.quote.expiresAt);
      const listed = await expectStatus(200, agent.client.get('/agents/me/actions?status=FAILED'));
      assert.deepEqual(listed.data, [failed]);
      assertDecided(await agent.reject(action), 'FAILED');
      for (let again = 0; again < 2; again += 1) assert.deepEqual(await expectStatus(200, agent.approve(action)), failed);
    });

  test('a quote that the platform executed itself: the pending action fails at its decision, or when the quote would have expired', async () => {
    const platform = await service.newPlatform();
    await platform.clock.freeze('2026-06-01T10:00:00.000Z');
    const agent = await givenAgent(platform, ASKING);
    const [decided, left] = [await expectStatus(200, agent.spend(1_000)), await expectStatus(200, agent.spend(1_000))];
    for (const action of [decided, left]) await agent.pay.execute(action.quote);
    const failed = await expectStatus(200, agent.approve(decided));
    assert.deepEqual([failed.status, failed.transaction], ['FAILED', undefined]);
    assert.equal((await readAction(agent, left)).status, 'PENDING_APPROVAL');
    await platform.clock.advance(300_000);
    assert.equal((await readAction(agent, left)).status, 'FAILED');
    assert.equal(await balance(agent), 998_000);
  });
});

describe('by the transaction', () => {
  const decide = (action: Resource, decision: 'approve' | 'reject', body?: Resource) =>
    service.platform.post(`/transactions/${action.quote.transactionId}/${decision}`, body);

  test('approve does what approveAgentAction does, and answers the transaction', async () => {
    const { agent, action } = await pending();
    const transaction = await expectStatus(200, decide(action, 'approve'));
    assert.deepEqual([transaction.id, transaction.status, transaction.agentId], [action.quote.transactionId, 'PROCESSING', agent.id]);
    assert.equal((await readAction(agent, action)).status, 'APPROVED');
    assert.equal((await agent.read()).usage.dailyTransactionCount, 1);
    assertRefused(await decide(action, 'approve'), 409, CODE);
  });

  test('reject does what rejectAgentAction does', async () => {
    const { agent, action } = await pending();
    const transaction = await expectStatus(200, decide(action, 'reject', { reason: 'no' }));
    assert.equal(transaction.status, 'PENDING');
    const rejected = await readAction(agent, action);
    assert.deepEqual([rejected.status, rejected.rejectionReason], ['REJECTED', 'no']);
  });

  test('an approval that is refused now is 200 with the transaction that did not move', async () => {
    const { agent, action } = await pending();
    await agent.pause();
    assert.equal((await expectStatus(200, decide(action, 'approve'))).status, 'PENDING');
    assert.equal((await readAction(agent, action)).status, 'FAILED');
  });

  test('the deletion of the agent rejected its action, so the transaction is not pending', async () => {
    const { agent, action } = await pending();
    await expectStatus(204, service.platform.delete(`/agents/${agent.id}`));
    for (const decision of ['approve', 'reject'] as const) assertRefused(await decide(action, decision), 409, CODE);
  });

  for (const isDeleted of [false, true])
    test(`an action whose time is over does not wait, whether or not the job has run${isDeleted ? '; nor when its agent was deleted' : ''}`, async () => {
      const idle = await startTestService({ ROLE: 'api' });
      try {
        for (const decision of ['approve', 'reject'] as const) {
          const { agent, action } = await pending(idle.platform);
          await idle.db.run(sql`update agent_actions set expires_at = created_at where id = ${action.id.replace('AgentAction:', '')}`);
          if (isDeleted) await expectStatus(204, idle.platform.delete(`/agents/${agent.id}`));
          const path = `/transactions/${action.quote.transactionId}/${decision}`;
          assertRefused(await changesNothing(idle.db, () => idle.platform.post(path)), 409, CODE);
        }
      } finally {
        await idle.stop();
      }
    });

  race('an agent that is deleted at the same time: its action is decided or not pending', async () => {
    const { agent, action } = await pending();
    const [deleted, ...decided] = await Promise.all([
      service.platform.delete(`/agents/${agent.id}`),
      ...Array.from({ length: 6 }, (_, i) => decide(action, i % 2 === 0 ? 'approve' : 'reject')),
    ]);
    assert.equal(deleted.status, 204);
    for (const answer of decided) if (answer.status !== 200) assertRefused(answer, 409, CODE);
    assert.ok(decided.filter(({ status }) => status === 200).length <= 1);
  });

  test("an agent's transaction without an action that needed approval is not pending", async () => {
    const agent = await givenAgent(service.platform);
    const quote = await agent.quote(1_000);
    assertRefused(await decide({ quote }, 'approve'), 409, CODE);
    await expectStatus(200, agent.execute(quote));
    assertRefused(await decide({ quote }, 'reject'), 409, CODE);
  });
});

describe('listAgentApprovals', () => {
  test('decided or not, by agent, customer and time, in both orders; AUTO actions never', async () => {
    const platform = await service.newPlatform();
    await platform.clock.freeze('2026-06-01T10:00:00.000Z');
    const agent = await givenAgent(platform);
    await expectStatus(200, agent.spend(1_000));
    await agent.setPolicy(ASKING);
    const first = await expectStatus(200, agent.spend(1_000));
    await platform.clock.advance(60_000);
    const second = await expectStatus(200, agent.spend(1_000));
    await expectStatus(200, agent.reject(first));
    const { agent: other, action: third } = await pending(platform);
    const ids = async (query = '') =>
      (await expectStatus(200, platform.get(`/agents/approvals${query}`))).data.map(({ id }: Resource) => id);
    assert.deepEqual(await ids(), [third.id, second.id, first.id]);
    assert.deepEqual(await ids('?sortOrder=asc'), [first.id, second.id, third.id]);
    assert.deepEqual(await ids(`?agentId=${agent.id}`), [second.id, first.id]);
    assert.deepEqual(await ids(`?customerId=${other.customer.id}`), [third.id]);
    assert.deepEqual(await ids('?startDate=2026-06-01T10:01:00Z'), [third.id, second.id], 'the bounds belong to the range');
    assert.deepEqual(await ids('?endDate=2026-06-01T10:00:00Z'), [first.id]);
    assert.deepEqual(await ids('?agentId=x'), []);
    const page = await expectStatus(200, platform.get('/agents/approvals?limit=2&sortOrder=asc'));
    const rest = await expectStatus(200, platform.get(`/agents/approvals?limit=2&sortOrder=asc&cursor=${page.nextCursor}`));
    assert.deepEqual([page.totalCount, rest.data[0].id, rest.hasMore], [3, third.id, false]);
    assertInvalid(await platform.get('/agents/approvals?sortOrder=up'), 'sortOrder');
  });
});
