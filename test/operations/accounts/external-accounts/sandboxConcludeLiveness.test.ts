// "LIVENESS … asynchronous completion (never via the verify endpoint)": the outcome comes from outside; here the sandbox plays the vendor.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { type Door, openDoor, statusEvents, traceOf } from '../../../support/external-accounts/door.js';
import { startTestService, type TestService } from '../../../support/service.js';

const MINUTE_MS = 60_000;
let service: TestService;
let doors: Door[];
/** A door of a platform whose clock the tests move. */
let far: Door;
before(async () => {
  service = await startTestService();
  doors = [openDoor(service.platform, 'platform'), openDoor(service.platform, 'customers')];
  far = openDoor(await service.newPlatform(), 'platform');
});
after(() => service.stop());

const conclude = ({ platform }: Door, account: { id: string }, body: unknown) =>
  platform.post(`/sandbox/external-accounts/${account.id}/liveness`, body);

const started = async (door: Door) => {
  const account = await door.wallet();
  const { expiresAt } = await expectStatus(201, door.challenge(account, 'LIVENESS'));
  return { account, expiresAt: Date.parse(expiresAt) };
};

describe('200', () => {
  for (const [outcome, status] of [
    ['PASS', 'ACTIVE'],
    ['FAIL', 'UNVERIFIED'],
  ] as const) {
    test(`${outcome}: the account is ${status}, polling shows it, the webhook goes out`, async () => {
      for (const door of doors) {
        const { account } = await started(door);
        const after = await expectStatus(200, conclude(door, account, { outcome }));
        assert.deepEqual(after, { ...account, status });
        assert.deepEqual(await door.get(account), after);
        assert.deepEqual(await statusEvents(service, account), [after]);
        const [proof] = await door.proofs(account);
        assert.equal(proof.method, 'LIVENESS');
        assert.equal(proof.verdict, outcome === 'PASS' ? 'VALID' : 'INVALID');
        assert.equal(proof.signature, undefined);
      }
    });
  }

  test('a failed check can be followed by a new one', async () => {
    const door = doors[0] as Door;
    const { account } = await started(door);
    await conclude(door, account, { outcome: 'FAIL' });
    await expectStatus(201, door.challenge(account, 'LIVENESS'));
    await expectStatus(200, conclude(door, account, { outcome: 'PASS' }));
    assert.equal((await door.get(account)).status, 'ACTIVE');
  });
});

describe('a check that nobody finishes', () => {
  test('expiresAt − 1 ms: still open; expiresAt: UNVERIFIED, told once', async () => {
    await far.platform.clock.freeze();
    const { account, expiresAt } = await started(far);
    await far.platform.clock.set(new Date(expiresAt - 1));
    assert.deepEqual(await far.get(account), account);
    const { body } = await far.platform.clock.set(new Date(expiresAt));
    assert.deepEqual(body.ran, [{ job: 'external-account-liveness-expiry', count: 1 }]);
    const after = await far.get(account);
    assert.equal(after.status, 'UNVERIFIED');
    assert.deepEqual(await statusEvents(service, account), [after]);
    assert.equal((await far.proofs(account))[0].verdict, 'EXPIRED');
    assertRefused(await conclude(far, account, { outcome: 'PASS' }), 409, 'CONFLICT');
  });

  test('one that was replaced by a signature challenge does not expire the account', async () => {
    await far.platform.clock.freeze();
    const { account } = await started(far);
    await far.messageFor(account);
    await far.platform.clock.advance(30 * MINUTE_MS);
    assert.deepEqual(await far.get(account), account);
  });
});

test('400: another outcome, or none', async () => {
  const door = doors[0] as Door;
  const { account } = await started(door);
  const trace = await traceOf(service, account);
  assertInvalid(await conclude(door, account, { outcome: 'MAYBE' }), 'outcome');
  assertInvalid(await conclude(door, account, {}), 'outcome');
  assert.deepEqual(await traceOf(service, account), trace);
});

test("404: unknown, malformed and another platform's ids answer alike", async () => {
  const { account } = await started(far);
  const answers = await Promise.all(
    [`ExternalAccount:${randomUUID()}`, 'x', account.id].map((id) => conclude(doors[0] as Door, { id }, { outcome: 'PASS' })),
  );
  for (const answer of answers) {
    assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
    assert.equal(answer.text, answers[0]?.text);
  }
});

describe('409', () => {
  test('no LIVENESS challenge is open', async () => {
    const door = doors[0] as Door;
    const account = await door.wallet();
    assertRefused(await conclude(door, account, { outcome: 'PASS' }), 409, 'CONFLICT');
    await door.messageFor(account);
    const trace = await traceOf(service, account);
    assertRefused(await conclude(door, account, { outcome: 'PASS' }), 409, 'CONFLICT');
    assert.deepEqual(await traceOf(service, account), trace);
  });

  test('one outcome per check', async () => {
    const door = doors[0] as Door;
    const { account } = await started(door);
    await expectStatus(200, conclude(door, account, { outcome: 'FAIL' }));
    assertRefused(await conclude(door, account, { outcome: 'PASS' }), 409, 'CONFLICT');
    assert.equal((await door.get(account)).status, 'UNVERIFIED');
  });
});
