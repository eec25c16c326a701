import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Job } from '../../../src/db/job.js';
import { createChangeClock } from '../../../src/domains/sandbox/actions.js';
import { DAY_MS, plusMs } from '../../../src/kernel/time.js';
import { assertRefused, type Client, expectStatus } from '../../support/client.js';
import { accountInfoOf } from '../../support/external-accounts/account-infos.js';
import { startTestService, type TestService } from '../../support/service.js';
import { platformIdOf } from '../../support/webhooks/platform.js';

const key = randomBytes(32).toString('base64');
const pendingNameCheck = { currency: 'USD', accountInfo: accountInfoOf('USD_ACCOUNT', { accountNumber: '123456104' }) };

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService({ KEY_ENCRYPTION_KEY: key });
  platform = service.platform;
});
after(() => service.stop());

const put = (body: unknown) => expectStatus(200, platform.put('/sandbox/clock', body));

test('a frozen clock keeps its time and determines timestamps', async () => {
  await put({ now: '2030-02-28T23:59:59.999Z', frozen: true });
  const first = await platform.clock.now();
  const token = await expectStatus(201, platform.post('/tokens', { name: 'x', permissions: ['VIEW'] }));
  assert.equal(token.createdAt, '2030-02-28T23:59:59.999Z');
  assert.deepEqual(await platform.clock.now(), first);
});

test('a frozen clock advances by exactly the given time', async () => {
  await put({ now: '2030-01-01T00:00:00Z', frozen: true });
  const { now, frozen, ran } = await put({ advanceMs: 1 });
  assert.deepEqual({ now, frozen, ran }, { now: '2030-01-01T00:00:00.001Z', frozen: true, ran: [] });
});

test('set and advance in one request', async () => {
  assert.equal((await put({ now: '2030-01-01T00:00:00Z', advanceMs: 1000, frozen: true })).now, '2030-01-01T00:00:01.000Z');
});

test('a resumed clock runs on from its frozen time', async () => {
  await put({ now: '2030-01-01T00:00:00Z', frozen: true });
  const { now, frozen } = await put({ frozen: false });
  assert.equal(frozen, false);
  const ahead = new Date(now).getTime() - Date.parse('2030-01-01T00:00:00Z');
  assert.ok(ahead >= 0 && ahead < 60_000, now);
});

test('a timestamp with an offset is the same instant', async () => {
  assert.equal((await put({ now: '2030-01-01T02:00:00+02:00', frozen: true })).now, '2030-01-01T00:00:00.000Z');
});

test('the clock may be set back', async () => {
  await put({ now: '2030-01-01T00:00:00Z', frozen: true });
  assert.equal((await put({ now: '2020-01-01T00:00:00Z' })).now, '2020-01-01T00:00:00.000Z');
});

test('concurrent advances all count, and a running clock keeps running', async () => {
  const own = await service.newPlatform();
  const beside = await startTestService({
    KEY_ENCRYPTION_KEY: key,
    DATABASE_URL: service.databaseUrl,
    BOOTSTRAP_TOKEN: 'beside:of-the-second-process',
  });
  try {
    // A job is due on the way, and the clock is frozen while it runs.
    await expectStatus(201, own.post('/platform/external-accounts', pendingNameCheck));
    const before = (await own.clock.now()).getTime();
    const doors = [own, beside.as(own.tokenId, own.secret)];
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => doors[i % 2]?.put('/sandbox/clock', { advanceMs: DAY_MS })));
    for (const answer of answers) assert.deepEqual([answer?.status, answer?.body.frozen], [200, false]);
    const moved = (await own.clock.now()).getTime() - before;
    assert.ok(moved >= 6 * DAY_MS && moved < 6 * DAY_MS + 60_000, String(moved / DAY_MS));
    assert.equal((await own.get('/sandbox/clock')).body.frozen, false);
  } finally {
    await beside.stop();
  }
});

test("a change of one platform's clock does not affect another platform", async () => {
  const other = await service.newPlatform();
  const before = (await other.clock.now()).getTime();
  await put({ now: '2040-01-01T00:00:00Z', frozen: true });
  assert.ok((await other.clock.now()).getTime() - before < 60_000);
});

describe('a job that fails during an advance', () => {
  /** Due until it has run. */
  const jobDue = (name: string, at: Date, run: () => Promise<number>): Job => {
    let due = true;
    return {
      name,
      nextDue: async (_tx, platformId) => (due && platformId ? [{ platformId, at }] : []),
      run: async () => {
        const count = await run();
        due = false;
        return count;
      },
    };
  };
  const log = { warn: () => {} } as never;

  test('stops neither the clock nor later jobs: the clock reaches its target, and runs if it ran before', async () => {
    const own = await service.newPlatform();
    const platformId = await platformIdOf(service, own);
    const start = await own.clock.now();
    const failing = jobDue('failing', plusMs(start, 60_000), () => Promise.reject(new Error('broken')));
    const fine = jobDue('fine', plusMs(start, 120_000), async () => 1);
    const { now, frozen, ran } = await createChangeClock({ db: service.db, jobs: () => [failing, fine], log })(platformId, {
      advanceMs: 180_000,
    });
    assert.deepEqual({ frozen, ran }, { frozen: false, ran: [{ job: 'fine', count: 1 }] });
    assert.ok(now >= plusMs(start, 180_000));
  });

  test('does the same if its due time cannot be read', async () => {
    const own = await service.newPlatform();
    const platformId = await platformIdOf(service, own);
    const start = await own.clock.now();
    let asked = 0;
    const lost: Job = {
      name: 'lost',
      nextDue: async () => {
        asked += 1;
        if (asked > 1) throw new Error('broken');
        return [{ platformId, at: plusMs(start, 60_000) }];
      },
      run: async () => 1,
    };
    await assert.rejects(createChangeClock({ db: service.db, jobs: () => [lost], log })(platformId, { advanceMs: 180_000 }), /broken/);
    const clock = await expectStatus(200, own.get('/sandbox/clock'));
    assert.equal(clock.frozen, false);
  });
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
