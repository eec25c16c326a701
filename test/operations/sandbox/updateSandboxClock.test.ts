import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRefused, type Client, expectStatus } from '../../support/client.js';
import { startTestService, type TestService } from '../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
});
after(() => service.stop());

const put = (body: unknown) => expectStatus(200, platform.put('/sandbox/clock', body));

test('set and frozen, it stands still and governs timestamps', async () => {
  await put({ now: '2030-02-28T23:59:59.999Z', frozen: true });
  const first = await platform.clock.now();
  const token = await expectStatus(201, platform.post('/tokens', { name: 'x', permissions: ['VIEW'] }));
  assert.equal(token.createdAt, '2030-02-28T23:59:59.999Z');
  assert.deepEqual(await platform.clock.now(), first);
});

test('advanced while frozen, it moves by exactly that much', async () => {
  await put({ now: '2030-01-01T00:00:00Z', frozen: true });
  const { now, frozen, ran } = await put({ advanceMs: 1 });
  assert.deepEqual({ now, frozen, ran }, { now: '2030-01-01T00:00:00.001Z', frozen: true, ran: [] });
});

test('set and advance in one request', async () => {
  assert.equal((await put({ now: '2030-01-01T00:00:00Z', advanceMs: 1000, frozen: true })).now, '2030-01-01T00:00:01.000Z');
});

test('resumed, it runs on from where it stood', async () => {
  await put({ now: '2030-01-01T00:00:00Z', frozen: true });
  const { now, frozen } = await put({ frozen: false });
  assert.equal(frozen, false);
  const ahead = new Date(now).getTime() - Date.parse('2030-01-01T00:00:00Z');
  assert.ok(ahead >= 0 && ahead < 60_000, now);
});

test('an offset spelling names the same instant', async () => {
  assert.equal((await put({ now: '2030-01-01T02:00:00+02:00', frozen: true })).now, '2030-01-01T00:00:00.000Z');
});

test('it may be set back', async () => {
  await put({ now: '2030-01-01T00:00:00Z', frozen: true });
  assert.equal((await put({ now: '2020-01-01T00:00:00Z' })).now, '2020-01-01T00:00:00.000Z');
});

test("one platform's clock is no other's", async () => {
  const other = await service.newPlatform();
  const before = (await other.clock.now()).getTime();
  await put({ now: '2040-01-01T00:00:00Z', frozen: true });
  assert.ok((await other.clock.now()).getTime() - before < 60_000);
});

describe('400 INVALID_INPUT', () => {
  for (const body of [
    {},
    { now: '2030-01-01' },
    { now: '2030-02-30T00:00:00Z' },
    { advanceMs: -1 },
    { advanceMs: 1.5 },
    { frozen: 'yes' },
    { speed: 2 },
  ]) {
    test(JSON.stringify(body), async () => {
      assertRefused(await platform.put('/sandbox/clock', body), 400, 'INVALID_INPUT');
    });
  }
});
