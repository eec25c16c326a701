import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createAgent, givenAgent } from '../../../support/agents.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

test('name and pause change; setting what already is answers 200 and changes nothing', async () => {
  const { platform } = service;
  const { agent } = await createAgent(platform, await given(platform).customer());
  const renamed = await expectStatus(200, platform.patch(`/agents/${agent.id}`, { name: 'Buyer' }));
  assert.deepEqual([renamed.name, renamed.isPaused], ['Buyer', false]);
  const paused = await expectStatus(200, platform.patch(`/agents/${agent.id}`, { isPaused: true }));
  assert.deepEqual([paused.name, paused.isPaused], ['Buyer', true]);
  assert.deepEqual(await expectStatus(200, platform.patch(`/agents/${agent.id}`, { isPaused: true, name: 'Buyer' })), paused);
});

test('400 for an empty body and for fields that cannot change, 404 for an unknown agent', async () => {
  const { platform } = service;
  const { agent } = await createAgent(platform, await given(platform).customer());
  assertRefused(await platform.patch(`/agents/${agent.id}`, {}), 400, 'INVALID_INPUT');
  assertInvalid(await platform.patch(`/agents/${agent.id}`, { customerId: agent.customerId }), 'customerId');
  assertInvalid(await platform.patch(`/agents/${agent.id}`, { name: '', isPaused: 'yes' }), 'name', 'isPaused');
  assertRefused(await platform.patch('/agents/Agent:01950000-0000-7000-8000-000000000000', { name: 'x' }), 404, 'NOT_FOUND');
  assert.deepEqual(await expectStatus(200, platform.get(`/agents/${agent.id}`)), agent);
});

describe('a paused agent starts nothing', () => {
  test('all GETs go on; the four operations that start something are 403 AGENT_PAUSED; resuming restores everything', async () => {
    const agent = await givenAgent(service.platform);
    const quote = await agent.quote(1_000);
    const body = await agent.request(1_000);
    const payee = await agent.pay.usd(agent.customer);
    const { id: _id, customerId: _customer, status: _status, ...draft } = await agent.pay.usd(agent.customer);
    await agent.pause();
    for (const path of [
      '',
      `/quotes/${quote.id}`,
      '/actions',
      '/internal-accounts',
      '/external-accounts',
      `/external-accounts/${payee.id}`,
    ])
      await expectStatus(200, agent.client.get(`/agents/me${path}`));
    for (const answer of [
      await agent.client.post('/agents/me/quotes', body),
      await agent.client.post('/agents/me/quotes', { nonsense: true }),
      await agent.execute(quote),
      await agent.client.post('/agents/me/external-accounts', draft),
      await agent.client.delete(`/agents/me/external-accounts/${payee.id}`),
    ]) {
      assertRefused(answer, 403, 'FORBIDDEN');
      assert.equal(answer.body.details.cause, 'AGENT_PAUSED');
    }
    await agent.pause(false);
    await expectStatus(200, agent.execute(quote));
    await expectStatus(204, agent.client.delete(`/agents/me/external-accounts/${payee.id}`));
  });

  test('pausing wins over a missing permission', async () => {
    const agent = await givenAgent(service.platform, { permissions: [] });
    await agent.pause();
    assert.equal((await agent.client.post('/agents/me/quotes', {})).body.details.cause, 'AGENT_PAUSED');
  });
});
