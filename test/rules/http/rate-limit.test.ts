import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Lease, leasedRateLimit, type Subject } from '../../../src/http/rate-limit.js';

const subject: Subject = { platformId: 'Platform:a', id: 'Platform:a' };

/** A bucket that never refills, and a limit on a clock that the test moves. */
function given(perMinute: number, inBucket: number) {
  let now = 0;
  const leases: number[] = [];
  const take = async (_subject: Subject, wanted: number): Promise<Lease> => {
    const leased = Math.min(wanted, inBucket);
    inBucket -= leased;
    leases.push(leased);
    return { leased, waitMs: 5_000 };
  };
  const limit = leasedRateLimit(perMinute, take, () => now);
  const pass = async () => limit(subject);
  const passed = async (times: number) =>
    (await Promise.allSettled(Array.from({ length: times }, pass))).filter(({ status }) => status === 'fulfilled').length;
  const wait = (ms: number): void => {
    now += ms;
  };
  return { limit, pass, passed, leases, wait };
}

describe('a limit that is leased in parts', () => {
  test('takes one lease for a twentieth of the allowance, and nothing for the requests of a lease', async () => {
    const { limit, pass, leases } = given(600, 600);
    await pass();
    for (let i = 0; i < 29; i += 1) assert.equal(limit(subject), undefined);
    assert.deepEqual(leases, [30]);
    await pass();
    assert.deepEqual(leases, [30, 30]);
  });

  test('a small limit is leased one by one; requests that wait together share a lease', async () => {
    const { passed, leases } = given(10, 10);
    assert.equal(await passed(1), 1);
    assert.equal(await passed(6), 6);
    assert.deepEqual(leases.slice(0, 1), [1]);
    assert.ok(leases.length <= 3, String(leases));
  });

  test('never passes more than the bucket gives', async () => {
    const { passed } = given(600, 100);
    assert.equal(await passed(250), 100);
  });

  test('remembers that the bucket is empty, for a second at most, and refuses without asking', async () => {
    const { passed, pass, leases, wait } = given(600, 0);
    await assert.rejects(pass, { code: 'RATE_LIMITED', headers: { 'retry-after': '1' } });
    assert.equal(await passed(100), 0);
    assert.equal(leases.length, 1);
    wait(1_000);
    assert.equal(await passed(100), 0);
    assert.equal(leases.length, 2);
  });
});
