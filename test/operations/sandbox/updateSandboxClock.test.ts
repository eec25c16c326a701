import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Job } from '../../../src/db/job.js';
import { sql } from '../../../src/db/sql.js';
import { createChangeClock } from '../../../src/domains/sandbox/actions.js';
import { DAY_MS, plusMs } from '../../../src/kernel/time.js';
import { assertRefused, type Client, expectStatus } from '../../support/client.js';
import { accountInfoOf } from '../../support/external-accounts/account-infos.js';
import { race } from '../../support/race.js';
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

test('says what falls due next, the earliest first', async () => {
  const own = await service.newPlatform();
  await own.clock.freeze('2031-03-12T15:00:00Z');
  assert.deepEqual((await expectStatus(200, own.get('/sandbox/clock'))).due, []);
  await expectStatus(201, own.post('/platform/external-accounts', pendingNameCheck));
  const { due } = await expectStatus(200, own.get('/sandbox/clock'));
  const times = due.map(({ dueAt }: { dueAt: string }) => dueAt);
  assert.ok(due.length > 0 && times.every((at: string) => at > '2031-03-12T15:00:00.000Z'), JSON.stringify(due));
  assert.deepEqual(times, [...times].sort());
  const passed = await expectStatus(200, own.put('/sandbox/clock', { now: times[0] }));
  assert.ok(!passed.due.some(({ dueAt }: { dueAt: string }) => dueAt === times[0]), 'what ran is due no longer');
});

race('concurrent advances all count, and a running clock keeps running', async () => {
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

/** Due until it has run. */
const jobDue = (name: string, at: Date, run: () => Promise<number>): Job => {
  let due = true;
  return {
    name,
    firstDue: () => sql`select gen_random_uuid() as platform_id, ${at}::timestamptz as at where ${due}::boolean`,
    run: async () => {
      const count = await run();
      due = false;
      return count;
    },
  };
};
const log = { warn: () => {} } as never;

describe('an advance that is cut short', () => {
  test('says so, and names the jobs that have work left', async () => {
    const own = await service.newPlatform();
    const platformId = await platformIdOf(service, own);
    const start = await own.clock.freeze();
    let isOver = false;
    const slow = jobDue('slow', plusMs(start, 60_000), async () => 1);
    // The deadline passes while the first job runs.
    const first: Job = {
      ...slow,
      run: async (...run) => {
        while (!run[3]()) await new Promise(setImmediate);
        isOver = true;
        return slow.run(...run);
      },
    };
    const left = jobDue('left', plusMs(start, 120_000), async () => 1);
    const beyond = jobDue('beyond', plusMs(start, 240_000), async () => 1);
    const change = createChangeClock({ db: service.db, jobs: () => [first, left, beyond], log, timeoutMs: 50 });
    const { now, ran, remaining } = await change(platformId, { advanceMs: 180_000 });
    assert.ok(isOver);
    assert.deepEqual(now, plusMs(start, 180_000));
    assert.deepEqual(ran, [{ job: 'slow', count: 1 }]);
    assert.deepEqual(remaining, [{ job: 'left', dueAt: plusMs(start, 120_000) }]);
  });

  test('has no time left for webhooks, because the other jobs come first', async () => {
    const own = await service.newPlatform();
    const platformId = await platformIdOf(service, own);
    const start = await own.clock.freeze();
    const order: string[] = [];
    const runs = (name: string) => async () => order.push(name);
    const retry: Job = { ...jobDue('retry', plusMs(start, 1_000), runs('retry')), sendsWebhooks: true };
    const expiry = jobDue('expiry', plusMs(start, 60_000), runs('expiry'));
    const later = jobDue('later', plusMs(start, 120_000), runs('later'));
    await createChangeClock({ db: service.db, jobs: () => [retry, later, expiry], log })(platformId, { advanceMs: 180_000 });
    assert.deepEqual(order, ['expiry', 'later', 'retry']);
  });

  test('a webhook that was due on the way is sent at its due time, though the clock has moved on', async () => {
    const own = await service.newPlatform();
    const platformId = await platformIdOf(service, own);
    const start = await own.clock.freeze();
    const times: Date[] = [];
    const base = jobDue('retry', plusMs(start, 1_000), async () => 1);
    const retry: Job = {
      ...base,
      sendsWebhooks: true,
      run: async (...run) => {
        times.push(run[2], await own.clock.now());
        return base.run(...run);
      },
    };
    const expiry = jobDue('expiry', plusMs(start, 60_000), async () => 1);
    await createChangeClock({ db: service.db, jobs: () => [retry, expiry], log })(platformId, { advanceMs: 180_000 });
    assert.deepEqual(times, [plusMs(start, 1_000), plusMs(start, 60_000)]);
  });

  test('an advance that is done is complete and has nothing remaining', async () => {
    const own = await service.newPlatform();
    await expectStatus(201, own.post('/platform/external-accounts', pendingNameCheck));
    const { ran, complete, remaining } = await expectStatus(200, own.put('/sandbox/clock', { advanceMs: DAY_MS }));
    assert.deepEqual(
      { ran, complete, remaining },
      { ran: [{ job: 'external-account-name-checks', count: 1 }], complete: true, remaining: [] },
    );
  });
});

describe('a job that fails during an advance', () => {
  test('stops neither the clock nor later jobs: the clock reaches its target, and runs if it ran before', async () => {
    const own = await service.newPlatform();
    const platformId = await platformIdOf(service, own);
    const start = await own.clock.now();
    const failing = jobDue('failing', plusMs(start, 60_000), () => Promise.reject(new Error('broken')));
    const fine = jobDue('fine', plusMs(start, 120_000), async () => 1);
    const { now, frozen, ran, remaining } = await createChangeClock({ db: service.db, jobs: () => [failing, fine], log })(platformId, {
      advanceMs: 180_000,
    });
    assert.deepEqual({ frozen, ran }, { frozen: false, ran: [{ job: 'fine', count: 1 }] });
    assert.deepEqual(remaining, [{ job: 'failing', dueAt: plusMs(start, 60_000) }]);
    assert.ok(now >= plusMs(start, 180_000));
  });

  test('does the same if its due time cannot be read', async () => {
    const own = await service.newPlatform();
    const platformId = await platformIdOf(service, own);
    const start = await own.clock.now();
    let asked = 0;
    const lost: Job = {
      name: 'lost',
      firstDue: () => {
        asked += 1;
        if (asked > 1) throw new Error('broken');
        return sql`select gen_random_uuid() as platform_id, ${plusMs(start, 60_000)}::timestamptz as at`;
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
