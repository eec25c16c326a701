import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createAgent, givenAgent } from '../../../support/agents.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const idsOf = async (platform: Client, query = ''): Promise<string[]> =>
  (await expectStatus(200, platform.get(`/agents${query}`))).data.map(({ id }: { id: string }) => id);

test('newest first, with cursor, totalCount and every filter; deleted agents are gone', async () => {
  const platform = await service.newPlatform();
  await platform.clock.freeze('2026-06-01T10:00:00.000Z');
  const [first, second] = [await given(platform).customer(), await given(platform).customer()];
  const { agent: a } = await createAgent(platform, first);
  await platform.clock.advance(60_000);
  const { agent: b } = await createAgent(platform, second);
  const c = await givenAgent(platform, {}, { customer: second, funds: 0 });
  await c.pause();
  const { agent: gone } = await createAgent(platform, second);
  await expectStatus(204, platform.delete(`/agents/${gone.id}`));

  assert.deepEqual(await idsOf(platform), [c.id, b.id, a.id]);
  assert.deepEqual(await idsOf(platform, `?customerId=${second.id}`), [c.id, b.id]);
  assert.deepEqual(await idsOf(platform, '?isPaused=true'), [c.id]);
  assert.deepEqual(await idsOf(platform, '?isPaused=false'), [b.id, a.id]);
  assert.deepEqual(await idsOf(platform, '?isConnected=true'), [c.id]);
  assert.deepEqual(await idsOf(platform, '?isConnected=false&isPaused=false'), [b.id, a.id]);
  assert.deepEqual(await idsOf(platform, '?createdAfter=2026-06-01T10:01:00Z'), [c.id, b.id], 'the bound belongs to the range');
  assert.deepEqual(await idsOf(platform, '?createdBefore=2026-06-01T10:00:00Z'), [a.id]);
  assert.deepEqual(await idsOf(platform, '?updatedAfter=2026-06-01T10:01:00.001Z'), []);
  assert.deepEqual(await idsOf(platform, '?customerId=nobody'), []);

  const page = await expectStatus(200, platform.get('/agents?limit=2'));
  assert.deepEqual([page.hasMore, page.totalCount, page.data.length], [true, 3, 2]);
  const rest = await expectStatus(200, platform.get(`/agents?limit=2&cursor=${page.nextCursor}`));
  assert.deepEqual([rest.hasMore, rest.data[0].id], [false, a.id]);
  assertInvalid(await platform.get('/agents?limit=101'), 'limit');
  assertInvalid(await platform.get(`/agents?cursor=${page.nextCursor}&isPaused=true`), 'cursor');
});

describe('getAgentById', () => {
  test('an agent of another platform is not found, byte for byte like one that never existed', async () => {
    const { agent } = await createAgent(service.platform, await given(service.platform).customer());
    const other = await service.newPlatform();
    const [theirs, nobodys] = [
      await other.get(`/agents/${agent.id}`),
      await other.get('/agents/Agent:01950000-0000-7000-8000-000000000000'),
    ];
    assertRefused(theirs, 404, 'NOT_FOUND');
    assert.equal(theirs.text, nobodys.text);
    assertRefused(await other.get('/agents/me2'), 404, 'NOT_FOUND');
  });
});
