// Pairing: regenerateAgentDeviceCode, getAgentDeviceCodeStatus, redeemAgentDeviceCode, deleteAgent, and the access token.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { agentClient, createAgent, givenAgent, OPEN_POLICY, redeem } from '../../../support/agents.js';
import { type Answer, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { placesHolding } from '../../../support/database-state.js';
import { given } from '../../../support/given.js';
import { race } from '../../../support/race.js';
import { startOwnService, startTestService, type TestService } from '../../../support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const newAgent = async (platform: Client): Promise<Resource> => createAgent(platform, await given(platform).customer());
const tryCode = (platform: Client, code: string): Promise<Answer> => platform.post(`/agents/device-codes/${code}/redeem`);
const status = (platform: Client, code: string): Promise<Answer> => platform.get(`/agents/device-codes/${code}/status`);

function assertSpent(answer: Answer, cause: string): void {
  assertRefused(answer, 400, 'INVALID_INPUT');
  assert.equal(answer.body.details.cause, cause);
}

describe('redeem', () => {
  test('200 without credentials: the token is shown once, the agent is connected, and only a keyed hash is stored', async () => {
    const { platform } = service;
    const { agent, deviceCode } = await newAgent(platform);
    const answer = await platform.post(`/agents/device-codes/${deviceCode.code}/redeem`, undefined, {
      headers: { authorization: 'Nonsense' },
    });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.match(answer.body.accessToken, /^gat_[0-9a-f]{64}$/);
    assert.deepEqual(
      { ...answer.body, accessToken: '' },
      { agentId: agent.id, agentName: agent.name, accessToken: '', policy: OPEN_POLICY },
    );
    const me = await expectStatus(200, agentClient(platform, answer.body.accessToken).get('/agents/me'));
    assert.equal(me.isConnected, true);
    assert.deepEqual(await expectStatus(200, platform.get(`/agents/${agent.id}`)), me);
    assert.deepEqual(await placesHolding(service.db, answer.body.accessToken), []);
  });

  test('a code is read in upper or lower case', async () => {
    const { deviceCode } = await newAgent(service.platform);
    await expectStatus(200, tryCode(service.platform, deviceCode.code.toLowerCase()));
    assert.deepEqual((await status(service.platform, deviceCode.code.toLowerCase())).body, { code: deviceCode.code, redeemed: true });
  });

  test('a second redeem is 400 ALREADY_REDEEMED, also after the expiry', async () => {
    const platform = await service.newPlatform();
    const { deviceCode } = await newAgent(platform);
    await redeem(platform, deviceCode);
    assertSpent(await tryCode(platform, deviceCode.code), 'ALREADY_REDEEMED');
    await platform.clock.advance(24 * 3_600_000);
    assertSpent(await tryCode(platform, deviceCode.code), 'ALREADY_REDEEMED');
    assert.deepEqual((await status(platform, deviceCode.code)).body.redeemed, true);
  });

  test('a code expires 24 hours after it was made, by the clock of the platform', async () => {
    const platform = await service.newPlatform();
    await platform.clock.freeze('2026-06-01T10:00:00.000Z');
    const [late, early] = [await newAgent(platform), await newAgent(platform)];
    await platform.clock.advance(24 * 3_600_000 - 1);
    await expectStatus(200, tryCode(platform, early.deviceCode.code));
    await platform.clock.advance(1);
    assertSpent(await tryCode(platform, late.deviceCode.code), 'EXPIRED');
    assert.deepEqual((await status(platform, late.deviceCode.code)).body, { code: late.deviceCode.code, redeemed: false });
    const { code } = await expectStatus(201, platform.post(`/agents/${late.agent.id}/device-codes`));
    await expectStatus(200, tryCode(platform, code));
  });

  test('unknown, malformed, and of a deleted agent: 404, the same bytes', async () => {
    const { agent, deviceCode } = await newAgent(service.platform);
    await expectStatus(204, service.platform.delete(`/agents/${agent.id}`));
    const answers = [];
    for (const code of [deviceCode.code, 'AGENT-2222-3333-4444', 'AGENT-0000-1111-OOOO', 'x'])
      answers.push(await tryCode(service.platform, code), await status(service.platform, code));
    for (const answer of answers) {
      assertRefused(answer, 404, 'NOT_FOUND');
      assert.equal(answer.text, answers[0]?.text);
    }
  });

  test('redeeming is allowed while the agent is paused', async () => {
    const { agent, deviceCode } = await newAgent(service.platform);
    await expectStatus(200, service.platform.patch(`/agents/${agent.id}`, { isPaused: true }));
    const { accessToken } = await redeem(service.platform, deviceCode);
    assert.equal((await expectStatus(200, agentClient(service.platform, accessToken).get('/agents/me'))).isPaused, true);
  });

  race('64 concurrent redeems of one code: exactly one 200', async () => {
    const { deviceCode } = await newAgent(service.platform);
    const answers = await Promise.all(Array.from({ length: 64 }, () => tryCode(service.platform, deviceCode.code)));
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
    // Of more than 20 at once some are refused before their code is looked up.
    for (const answer of answers.filter((answer) => answer.status !== 200 && answer.status !== 429))
      assertSpent(answer, 'ALREADY_REDEEMED');
  });
});

describe('regenerate', () => {
  test('201: every older code of the agent dies at once', async () => {
    const { platform } = service;
    const { agent, deviceCode: first } = await newAgent(platform);
    const second = await expectStatus(201, platform.post(`/agents/${agent.id}/device-codes`));
    assert.deepEqual([second.agentId, second.redeemed], [agent.id, false]);
    assertSpent(await tryCode(platform, first.code), 'REPLACED');
    assert.deepEqual((await status(platform, first.code)).body, { code: first.code, redeemed: false });
    await expectStatus(200, tryCode(platform, second.code));
    assertSpent(await tryCode(platform, first.code), 'REPLACED');
  });

  test('409 CONFLICT while the agent is connected, paused or not', async () => {
    const agent = await givenAgent(service.platform, {}, { funds: 0 });
    assertRefused(await service.platform.post(`/agents/${agent.id}/device-codes`), 409, 'CONFLICT');
    await agent.pause();
    assertRefused(await service.platform.post(`/agents/${agent.id}/device-codes`), 409, 'CONFLICT');
  });

  test('a repeat with the same Idempotency-Key gets the same code and replaces nothing', async () => {
    const { platform } = service;
    const { agent } = await newAgent(platform);
    const sent = { headers: { 'Idempotency-Key': 'again' } };
    const first = await expectStatus(201, platform.post(`/agents/${agent.id}/device-codes`, undefined, sent));
    assert.deepEqual(await expectStatus(201, platform.post(`/agents/${agent.id}/device-codes`, undefined, sent)), first);
    await expectStatus(200, tryCode(platform, first.code));
  });

  race('a redeem and a regenerate at once: the code is redeemed or replaced, never both', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { agent, deviceCode } = await newAgent(service.platform);
      const [redeemed, regenerated] = await Promise.all([
        tryCode(service.platform, deviceCode.code),
        service.platform.post(`/agents/${agent.id}/device-codes`),
      ]);
      assert.ok((redeemed.status === 200) !== (regenerated.status === 201), `${redeemed.text} ${regenerated.text}`);
    }
  });
});

test("status: another platform's code is 404", async () => {
  const { deviceCode } = await newAgent(service.platform);
  assertRefused(await status(await service.newPlatform(), deviceCode.code), 404, 'NOT_FOUND');
});

describe('the access token', () => {
  test('unknown, malformed and dead tokens are 401 with the same bytes', async () => {
    const agent = await givenAgent(service.platform, {}, { funds: 0 });
    await expectStatus(204, service.platform.delete(`/agents/${agent.id}`));
    const ended = await givenAgent(service.platform, {}, { funds: 0 });
    await expectStatus(200, service.platform.delete(`/customers/${ended.customer.id}`));
    const answers = [];
    for (const token of [agent.accessToken, ended.accessToken, `gat_${'0'.repeat(64)}`, 'gat_', agent.accessToken.toUpperCase()])
      answers.push(await agentClient(service.platform, token).get('/agents/me'));
    for (const answer of answers) {
      assertRefused(answer, 401, 'UNAUTHORIZED');
      assert.equal(answer.text, answers[0]?.text);
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer\b/);
    }
    assert.equal(answers[0]?.body.details.cause, 'INVALID_CREDENTIALS');
  });

  test('the two schemes do not replace each other', async () => {
    const agent = await givenAgent(service.platform, {}, { funds: 0 });
    const basicThere = await service.platform.get('/agents/me');
    assertRefused(basicThere, 401, 'UNAUTHORIZED');
    assert.equal(basicThere.body.details.cause, 'AUTHORIZATION_SCHEME_UNSUPPORTED');
    assert.match(basicThere.headers.get('www-authenticate') ?? '', /^Bearer\b/);
    const bearerHere = await agent.client.get(`/agents/${agent.id}`);
    assertRefused(bearerHere, 401, 'UNAUTHORIZED');
    assert.match(bearerHere.headers.get('www-authenticate') ?? '', /^Basic\b/);
    const asBasic = `Basic ${Buffer.from(`${agent.id}:${agent.accessToken}`).toString('base64')}`;
    assertRefused(await service.platform.get('/config', { headers: { authorization: asBasic } }), 401, 'UNAUTHORIZED');
    assertRefused(await service.platform.get('/agents/me', { headers: { authorization: 'Bearer' } }), 401, 'UNAUTHORIZED');
  });

  test('requests of an agent are limited by the minute, as those of an API token', async () => {
    const own = await startOwnService({ RATE_LIMIT_PER_MINUTE: '20' });
    try {
      const { agent: _agent, deviceCode } = await newAgent(own.platform);
      const { accessToken } = await redeem(own.platform, deviceCode);
      const client = agentClient(own.platform, accessToken);
      const answers = [];
      for (let i = 0; i < 21; i += 1) answers.push(await client.get('/agents/me'));
      assert.equal(answers.filter((answer) => answer.status === 200).length, 20);
      assertRefused(answers.at(-1) as Answer, 429, 'RATE_LIMITED');
      await expectStatus(200, own.platform.get('/config'));
    } finally {
      await own.stop();
    }
  });
});

describe('guessing', () => {
  test('after 20 unknown codes in a minute every redeem of the address is 429, also of a good code; used codes do not count', async () => {
    const own = await startOwnService();
    try {
      const { platform } = own;
      const [used, good] = [await newAgent(platform), await newAgent(platform)];
      await redeem(platform, used.deviceCode);
      for (let i = 0; i < 30; i += 1) assertSpent(await tryCode(platform, used.deviceCode.code), 'ALREADY_REDEEMED');
      const guesses = await Promise.all(Array.from({ length: 64 }, () => tryCode(platform, 'AGENT-2222-3333-4444')));
      assert.equal(guesses.filter((answer) => answer.status === 404).length, 20);
      const refused = guesses.filter((answer) => answer.status !== 404);
      for (const answer of [...refused, await tryCode(platform, good.deviceCode.code)]) {
        assertRefused(answer, 429, 'RATE_LIMITED');
        const seconds = Number(answer.headers.get('retry-after'));
        assert.ok(seconds >= 1 && seconds <= 60, String(seconds));
      }
      assert.equal((await status(platform, good.deviceCode.code)).body.redeemed, false, 'nothing was looked up');
    } finally {
      await own.stop();
    }
  });
});

describe('deleteAgent', () => {
  test('204, then 404 everywhere; the next call of the agent is 401', async () => {
    const agent = await givenAgent(service.platform, { defaultExecutionMode: 'APPROVAL_REQUIRED' });
    const action = await expectStatus(200, agent.spend(1_000));
    await expectStatus(204, service.platform.delete(`/agents/${agent.id}`));
    assertRefused(await agent.client.get('/agents/me'), 401, 'UNAUTHORIZED');
    for (const answer of [
      await service.platform.delete(`/agents/${agent.id}`),
      await service.platform.get(`/agents/${agent.id}`),
      await service.platform.patch(`/agents/${agent.id}`, { name: 'x' }),
      await service.platform.post(`/agents/${agent.id}/device-codes`),
      await agent.approve(action),
      await agent.reject(action),
    ])
      assertRefused(answer, 404, 'NOT_FOUND');
  });

  test('pending actions are rejected and stay in the list of approvals; finished ones stay as they are', async () => {
    const agent = await givenAgent(service.platform);
    await expectStatus(200, agent.spend(1_000));
    await agent.setPolicy({ defaultExecutionMode: 'APPROVAL_REQUIRED' });
    const [decided, pending] = [await expectStatus(200, agent.spend(1_000)), await expectStatus(200, agent.spend(1_000))];
    await expectStatus(200, agent.reject(decided, { reason: 'no' }));
    await expectStatus(204, service.platform.delete(`/agents/${agent.id}`));
    const { data } = await expectStatus(200, service.platform.get(`/agents/approvals?agentId=${agent.id}`));
    assert.deepEqual(
      data.map(({ id, status, rejectionReason }: Resource) => [id, status, rejectionReason]),
      [
        [pending.id, 'REJECTED', 'The agent was deleted.'],
        [decided.id, 'REJECTED', 'no'],
      ],
    );
  });

  test("deleting a customer deletes the customer's agents in the same transaction", async () => {
    const agent = await givenAgent(service.platform, { defaultExecutionMode: 'APPROVAL_REQUIRED' }, { funds: 0 });
    const second = await createAgent(service.platform, agent.customer);
    const action = await expectStatus(200, agent.spend(1_000));
    await expectStatus(200, service.platform.delete(`/customers/${agent.customer.id}`));
    for (const id of [agent.id, second.agent.id]) assertRefused(await service.platform.get(`/agents/${id}`), 404, 'NOT_FOUND');
    assertRefused(await agent.client.get('/agents/me'), 401, 'UNAUTHORIZED');
    assertRefused(await tryCode(service.platform, second.deviceCode.code), 404, 'NOT_FOUND');
    const { data } = await expectStatus(200, service.platform.get(`/agents/approvals?customerId=${agent.customer.id}`));
    assert.deepEqual([data[0].id, data[0].status], [action.id, 'REJECTED']);
  });
});
