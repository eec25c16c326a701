// Limits hold under race, over two processes of one database; an action is decided once.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before } from 'node:test';
import { type AgentClient, agentClient, type GivenAgent, givenAgent } from '../../support/agents.js';
import { type Answer, expectStatus } from '../../support/client.js';
import { assertLedgerHolds } from '../../support/ledger.js';
import { race } from '../../support/race.js';
import { startOwnService, type TestService } from '../../support/service.js';
import { platformIdOf } from '../../support/webhooks/platform.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

const CALLERS = 64;
const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64');

let first: TestService;
let second: TestService;
before(async () => {
  first = await startOwnService({ KEY_ENCRYPTION_KEY, RATE_LIMIT_PER_MINUTE: 'off' });
  second = await startOwnService({ KEY_ENCRYPTION_KEY, RATE_LIMIT_PER_MINUTE: 'off', DATABASE_URL: first.databaseUrl, ROLE: 'api' });
});
after(async () => {
  await second.stop();
  await first.stop();
});

/** The agent's client of each process in turn. */
function spread(agent: GivenAgent): (i: number) => AgentClient {
  const other = agentClient(second.as(agent.platform.tokenId, agent.platform.secret), agent.accessToken);
  return (i) => (i % 2 === 0 ? agent.client : other);
}

const quotesOf = (agent: GivenAgent, amount: number): Promise<Resource[]> =>
  Promise.all(Array.from({ length: CALLERS }, () => agent.quote(amount)));

async function assertSpent(agent: GivenAgent, executed: number, amount: number): Promise<void> {
  const { usage } = await agent.read();
  assert.deepEqual([usage.dailyTransactionCount, usage.dailySpend, usage.monthlySpend], [executed, executed * amount, executed * amount]);
  assert.equal(await agent.pay.balance({ ...agent.account, customerId: agent.customer.id }), 1_000_000 - executed * amount);
  const { totalCount } = await expectStatus(200, agent.client.get('/agents/me/actions?status=APPROVED'));
  assert.equal(totalCount, executed);
  await assertLedgerHolds(first.db, await platformIdOf(first, agent.platform));
}

const LIMITS: Readonly<Record<string, { limits: Resource; fits: number; cause: string }>> = {
  'the daily limit': { limits: { dailyLimit: 10_500 }, fits: 10, cause: 'DAILY_LIMIT_EXCEEDED' },
  'the monthly limit': { limits: { monthlyLimit: 7_000 }, fits: 7, cause: 'MONTHLY_LIMIT_EXCEEDED' },
  'the daily number of transactions': { limits: { dailyTransactionLimit: 5 }, fits: 5, cause: 'DAILY_TRANSACTION_LIMIT_EXCEEDED' },
};
for (const [name, { limits, fits, cause }] of Object.entries(LIMITS))
  race(`${CALLERS} concurrent executions over two processes never exceed ${name}`, async () => {
    const agent = await givenAgent(await first.newPlatform(), {
      spendingLimits: { currency: 'USD', perTransactionLimit: 1_000, ...limits },
    });
    const quotes = await quotesOf(agent, 1_000);
    const by = spread(agent);
    const answers = await Promise.all(quotes.map((quote, i) => by(i).post(`/agents/me/quotes/${quote.id}/execute`)));
    assert.equal(answers.filter(({ status }) => status === 200).length, fits);
    for (const { status, body } of answers)
      assert.ok(status === 200 || (status === 403 && body.details.cause === cause), JSON.stringify(body));
    await assertSpent(agent, fits, 1_000);
  });

race(`${CALLERS} concurrent approvals over two processes never exceed a limit`, async () => {
  const agent = await givenAgent(await first.newPlatform(), {
    defaultExecutionMode: 'APPROVAL_REQUIRED',
    spendingLimits: { currency: 'USD', perTransactionLimit: 1_000, dailyLimit: 6_000 },
  });
  const actions = [];
  for (const quote of await quotesOf(agent, 1_000)) actions.push(await expectStatus(200, agent.execute(quote)));
  const other = second.as(agent.platform.tokenId, agent.platform.secret);
  const answers = await Promise.all(
    actions.map(({ id }, i) => (i % 2 === 0 ? agent.platform : other).post(`/agents/${agent.id}/actions/${id}/approve`)),
  );
  const statuses = answers.map(({ status, body }) => `${status} ${body.status}`);
  assert.equal(statuses.filter((text) => text === '200 APPROVED').length, 6);
  assert.equal(statuses.filter((text) => text === '200 FAILED').length, CALLERS - 6);
  await assertSpent(agent, 6, 1_000);
});

race(`${CALLERS} executions of one quote over two processes: one 200, the others 409`, async () => {
  const agent = await givenAgent(await first.newPlatform());
  const quote = await agent.quote(1_000);
  const by = spread(agent);
  const answers = await Promise.all(Array.from({ length: CALLERS }, (_, i) => by(i).post(`/agents/me/quotes/${quote.id}/execute`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: CALLERS - 1 }, () => 409)]);
  await assertSpent(agent, 1, 1_000);
});

race('approve, reject and executeQuote race on one quote: the money moves at most once, and one of approve and reject wins', async () => {
  const agent = await givenAgent(await first.newPlatform(), { defaultExecutionMode: 'APPROVAL_REQUIRED' });
  const action = await expectStatus(200, agent.spend(1_000));
  const other = second.as(agent.platform.tokenId, agent.platform.secret);
  const path = `/agents/${agent.id}/actions/${action.id}`;
  const calls = (i: number): Promise<Answer>[] => [
    (i % 2 === 0 ? agent.platform : other).post(`${path}/approve`),
    (i % 2 === 0 ? other : agent.platform).post(`${path}/reject`),
    agent.platform.post(`/quotes/${action.quote.id}/execute`),
  ];
  const answers = await Promise.all([0, 1, 2, 3].flatMap(calls));
  const [approvals, rejections, executions] = [0, 1, 2].map((kind) =>
    answers.filter((answer, i) => i % 3 === kind && answer.status === 200),
  );
  assert.equal((approvals?.length ?? 0) + (rejections?.length ?? 0), 1, answers.map(({ text }) => text.slice(0, 80)).join('\n'));
  const started = approvals?.[0]?.body.status === 'APPROVED' ? 1 : 0;
  assert.equal(started + (executions?.length ?? 0) <= 1, true);
  const spent = 1_000_000 - (await agent.pay.balance({ ...agent.account, customerId: agent.customer.id }));
  assert.equal(spent, 1_000 * (started + (executions?.length ?? 0)));
  assert.equal((await agent.read()).usage.dailyTransactionCount, started);
});

race('a policy change that answered 200 governs every decision begun after it, on every process', async () => {
  const agent = await givenAgent(await first.newPlatform());
  const quotes = await quotesOf(agent, 1_000);
  const by = spread(agent);
  let closed = false;
  const wrong: string[] = [];
  const calls = quotes.map(async (quote, i) => {
    await new Promise((resolve) => setImmediate(resolve));
    const begunAfter = closed;
    const answer = await by(i).post(`/agents/me/quotes/${quote.id}/execute`);
    if (begunAfter && answer.status !== 403) wrong.push(answer.text);
    return answer;
  });
  await agent.setPolicy({ spendingLimits: { perTransactionLimit: 0 } });
  closed = true;
  await Promise.all(calls);
  const late = await Promise.all(
    Array.from({ length: 8 }, async (_, i) => by(i).post(`/agents/me/quotes/${(await agent.quote(1_000)).id}/execute`)),
  );
  assert.deepEqual(wrong, []);
  for (const { status, body } of late) assert.deepEqual([status, body.details.cause], [403, 'PER_TRANSACTION_LIMIT_EXCEEDED']);
});

race(
  'an agent that is deleted while it executes: what was executed is counted by nobody else, and the token is dead after the 204',
  async () => {
    const agent = await givenAgent(await first.newPlatform());
    const quotes = await quotesOf(agent, 1_000);
    const by = spread(agent);
    const calls = quotes.map((quote, i) => by(i).post(`/agents/me/quotes/${quote.id}/execute`));
    await expectStatus(204, agent.platform.delete(`/agents/${agent.id}`));
    for (const i of [0, 1]) assert.equal((await by(i).get('/agents/me')).status, 401);
    const answers = await Promise.all(calls);
    const executed = answers.filter(({ status }) => status === 200).length;
    for (const { status } of answers) assert.ok(status === 200 || status === 401, String(status));
    assert.equal(await agent.pay.balance({ ...agent.account, customerId: agent.customer.id }), 1_000_000 - executed * 1_000);
    await assertLedgerHolds(first.db, await platformIdOf(first, agent.platform));
  },
);
