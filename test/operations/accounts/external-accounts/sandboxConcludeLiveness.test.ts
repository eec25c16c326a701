// "LIVENESS … asynchronous completion (never via the verify endpoint)": the result comes from a vendor, which the sandbox simulates.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { uuidOf } from '../../../../src/kernel/ids.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { type AccountsApi, accountsApi, statusEvents, traceOf } from '../../../support/external-accounts/accounts-api.js';
import { startTestService, type TestService } from '../../../support/service.js';

const MINUTE_MS = 60_000;
let service: TestService;
let apis: AccountsApi[];
/** On a platform whose clock the tests move. */
let far: AccountsApi;
before(async () => {
  service = await startTestService();
  apis = [accountsApi(service.platform, 'platform'), accountsApi(service.platform, 'customers')];
  far = accountsApi(await service.newPlatform(), 'platform');
});
after(() => service.stop());

const conclude = ({ platform }: AccountsApi, account: { id: string }, body: unknown) =>
  platform.post(`/sandbox/external-accounts/${account.id}/liveness`, body);

const started = async (api: AccountsApi) => {
  const account = await api.wallet();
  const { expiresAt } = await expectStatus(201, api.challenge(account, 'LIVENESS'));
  return { account, expiresAt: Date.parse(expiresAt) };
};

describe('200', () => {
  for (const [outcome, status] of [
    ['PASS', 'ACTIVE'],
    ['FAIL', 'UNVERIFIED'],
  ] as const) {
    test(`${outcome}: the account is ${status}, polling shows it, the webhook goes out`, async () => {
      for (const api of apis) {
        const { account } = await started(api);
        const after = await expectStatus(200, conclude(api, account, { outcome }));
        assert.deepEqual(after, { ...account, status });
        assert.deepEqual(await api.get(account), after);
        assert.deepEqual(await statusEvents(service, account), [after]);
        const [proof] = await api.proofs(account);
        assert.equal(proof.method, 'LIVENESS');
        assert.equal(proof.verdict, outcome === 'PASS' ? 'VALID' : 'INVALID');
        assert.equal(proof.signature, undefined);
      }
    });
  }

  test('a failed check can be followed by a new one', async () => {
    const api = apis[0] as AccountsApi;
    const { account } = await started(api);
    await conclude(api, account, { outcome: 'FAIL' });
    await expectStatus(201, api.challenge(account, 'LIVENESS'));
    await expectStatus(200, conclude(api, account, { outcome: 'PASS' }));
    assert.equal((await api.get(account)).status, 'ACTIVE');
  });
});

describe('a liveness check without a result', () => {
  test('expiresAt − 1 ms: still open; expiresAt: UNVERIFIED, with one event', async () => {
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

  test('a check that was replaced by a signature challenge does not expire the account', async () => {
    await far.platform.clock.freeze();
    const { account } = await started(far);
    await far.messageFor(account);
    await far.platform.clock.advance(30 * MINUTE_MS);
    assert.deepEqual(await far.get(account), account);
  });
});

describe('the page of the link', () => {
  const pageOf = async (api: AccountsApi) => {
    const account = await api.wallet();
    const { verificationLink } = await expectStatus(201, api.challenge(account, 'LIVENESS'));
    const link = new URL(verificationLink);
    return { account, link, token: link.searchParams.get('token') ?? '' };
  };
  const submit = (link: URL, body: object) =>
    fetch(new URL(link.pathname, link), { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

  test('opens without a token of the platform, offers pass and fail, and decides the check once', async () => {
    for (const api of apis) {
      const { account, link, token } = await pageOf(api);
      const page = await fetch(link);
      const html = await page.text();
      assert.equal(page.status, 200);
      assert.deepEqual(
        [...html.matchAll(/value="(\w+)"/g)].map(([, value]) => value),
        ['PASS', 'FAIL'],
      );
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.equal((await submit(link, { token, outcome: 'REVIEW' })).status, 400);
      assert.deepEqual(await api.get(account), account);
      assert.equal((await submit(link, { token, outcome: 'PASS' })).status, 204);
      assert.equal((await api.get(account)).status, 'ACTIVE');
      assert.equal((await submit(link, { token, outcome: 'FAIL' })).status, 409);
    }
  });

  test('the link of a check that a newer one replaced decides nothing; a deleted account is 404', async () => {
    const api = apis[0] as AccountsApi;
    const { account, link, token } = await pageOf(api);
    await expectStatus(201, api.challenge(account, 'LIVENESS'));
    assert.equal((await submit(link, { token, outcome: 'PASS' })).status, 409);
    assert.deepEqual(await api.get(account), account);
    await expectStatus(204, api.platform.delete(`/platform/external-accounts/${account.id}`));
    assert.equal((await submit(link, { token, outcome: 'PASS' })).status, 404);
  });

  test('the token is in no plain column', async () => {
    const { account, token } = await pageOf(apis[0] as AccountsApi);
    const row = await service.db.one(sql`select * from external_accounts where id = ${uuidOf(account.id)}`);
    assert.ok(!JSON.stringify(row).includes(token));
  });
});

test('400: another outcome, or none', async () => {
  const api = apis[0] as AccountsApi;
  const { account } = await started(api);
  const trace = await traceOf(service, account);
  assertInvalid(await conclude(api, account, { outcome: 'MAYBE' }), 'outcome');
  assertInvalid(await conclude(api, account, {}), 'outcome');
  assert.deepEqual(await traceOf(service, account), trace);
});

test("404: unknown, malformed and another platform's ids get the same answer", async () => {
  const { account } = await started(far);
  const answers = await Promise.all(
    [`ExternalAccount:${randomUUID()}`, 'x', account.id].map((id) => conclude(apis[0] as AccountsApi, { id }, { outcome: 'PASS' })),
  );
  for (const answer of answers) {
    assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
    assert.equal(answer.text, answers[0]?.text);
  }
});

describe('409', () => {
  test('no LIVENESS challenge is open', async () => {
    const api = apis[0] as AccountsApi;
    const account = await api.wallet();
    assertRefused(await conclude(api, account, { outcome: 'PASS' }), 409, 'CONFLICT');
    await api.messageFor(account);
    const trace = await traceOf(service, account);
    assertRefused(await conclude(api, account, { outcome: 'PASS' }), 409, 'CONFLICT');
    assert.deepEqual(await traceOf(service, account), trace);
  });

  test('a check has one result', async () => {
    const api = apis[0] as AccountsApi;
    const { account } = await started(api);
    await expectStatus(200, conclude(api, account, { outcome: 'FAIL' }));
    assertRefused(await conclude(api, account, { outcome: 'PASS' }), 409, 'CONFLICT');
    assert.equal((await api.get(account)).status, 'UNVERIFIED');
  });
});
