// The service is killed while an agent executes quotes and its platform approves actions. AGENT_KILLS sets how often.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { agentClient, givenAgent } from '../../support/agents.js';
import { expectStatus } from '../../support/client.js';
import { onKillableService } from '../../support/killable-service.js';
import { quoting } from '../../support/quotes.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

const KILLS = Number(process.env['AGENT_KILLS'] ?? 1);
const QUOTES_PER_KILL = 12;
const AMOUNT = 1_000;

test(`${KILLS} kills during executions and approvals: every action is decided once, and the counters are what was executed`, (t) =>
  onKillableService(t, async ({ platform, killDuring }) => {
    const agent = await givenAgent(platform());
    const account = { ...agent.account, customerId: agent.customer.id };
    let done = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const by = agentClient(platform(), agent.accessToken);
      const body = await agent.request(AMOUNT);
      const make = (): Promise<Resource> => expectStatus(201, by.post('/agents/me/quotes', body));
      const setMode = (defaultExecutionMode: string) =>
        expectStatus(200, platform().patch(`/agents/${agent.id}/policy`, { defaultExecutionMode }));
      await setMode('APPROVAL_REQUIRED');
      const waiting: Resource[] = [];
      for (let i = 0; i < QUOTES_PER_KILL; i += 1)
        waiting.push(await expectStatus(200, by.post(`/agents/me/quotes/${(await make()).id}/execute`)));
      await setMode('AUTO');
      const quotes: Resource[] = [];
      for (let i = 0; i < QUOTES_PER_KILL; i += 1) quotes.push({ ...(await make()), key: randomUUID() });

      const execute = (client: typeof by, quote: Resource) =>
        client.post(`/agents/me/quotes/${quote.id}/execute`, undefined, { headers: { 'Idempotency-Key': quote.key } });
      const approve = (action: Resource) => platform().post(`/agents/${agent.id}/actions/${action.id}/approve`);
      await killDuring([...quotes.map((quote) => execute(by, quote)), ...waiting.map(approve)], 300);

      const again = agentClient(platform(), agent.accessToken);
      for (const quote of quotes) assert.equal((await expectStatus(200, execute(again, quote))).status, 'APPROVED');
      for (const action of waiting) {
        const answer = await approve(action);
        assert.ok(answer.status === 200 ? answer.body.status === 'APPROVED' : answer.body.details.status === 'APPROVED', answer.text);
      }
      done += 2 * QUOTES_PER_KILL;
    }

    const { usage } = await expectStatus(200, platform().get(`/agents/${agent.id}`));
    assert.deepEqual([usage.dailyTransactionCount, usage.dailySpend], [done, done * AMOUNT]);
    assert.equal(await quoting(platform()).balance(account), 1_000_000 - done * AMOUNT);
    const { totalCount } = await expectStatus(200, agentClient(platform(), agent.accessToken).get('/agents/me/actions?status=APPROVED'));
    assert.equal(totalCount, done);
  }));
