// A database of every recorded schema is upgraded with its data: old objects read as before, balances add up, new writes work.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { migrate, readMigrations } from '../../src/db/migrate.js';
import { openDb } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import { idOf } from '../../src/kernel/ids.js';
import { assertAtRest, gist, moneyOn, networkOf } from '../support/card-transactions.js';
import { requestCard } from '../support/cards.js';
import { type Client, expectStatus } from '../support/client.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { given } from '../support/given.js';
import { startTestService, type TestService } from '../support/service.js';
import { readWindow } from '../support/statements/history.js';
import { signInWithOtp } from '../support/wallet.js';
import { startReceiver } from '../support/webhooks/receiver.js';
import { verifyServiceSignature } from '../support/webhooks/verify.js';
import { fixtureNames, GONE_TOKEN, KEY_ENCRYPTION_KEY, loadFixture, readFixture, SERVICE_URL, TOKEN } from './fixture.js';

test('a fixture exists', () => assert.ok(fixtureNames().length > 0));

/** The recording grows older than idempotency keys are kept. */
async function renewKeys(url: string): Promise<void> {
  const db = openDb({ url, poolSize: 1 });
  await db.run(sql`update idempotency_keys set created_at = now()`);
  await db.close();
}

for (const name of fixtureNames()) {
  describe(`from ${name}`, () => {
    const { objects, responses, migrations: recorded } = readFixture(name);
    let database: TestDatabase;
    let service: TestService;
    let platform: Client;

    before(async () => {
      database = await createEmptyDatabase();
      await loadFixture(database.url, name);
      await upgrade(database.url, recorded.length);
      await renewKeys(database.url);
      // The recording grows older than events are kept.
      const kept = { WEBHOOK_EVENT_RETENTION: 'off', WEBHOOK_ATTEMPT_RETENTION: 'off' };
      service = await startTestService({ DATABASE_URL: database.url, KEY_ENCRYPTION_KEY, ...kept });
      platform = service.as(TOKEN.id, TOKEN.secret);
    });
    after(async () => {
      await service?.stop();
      await database?.drop();
    });

    const everyLedgerHolds = async () => {
      for (const { id } of await service.db.many<{ id: string }>(sql`select id from platforms`))
        await assertAtRest(service.db, idOf('Platform', id));
    };

    test('recorded responses are the same; fields may have been added', async () => {
      for (const { path, body, authorization } of responses) {
        const answer = await expectStatus(200, platform.get(path, authorization === undefined ? {} : { headers: { authorization } }));
        assertContains(answer, JSON.parse(JSON.stringify(body).replaceAll(SERVICE_URL, service.url)), `GET ${path}`);
      }
      assert.equal((await service.as(GONE_TOKEN.id, GONE_TOKEN.secret).get('/config')).status, 200);
    });

    test('balances add up', async () => {
      await everyLedgerHolds();
      const { start, end } = objects.statementPeriod;
      const { opening, closing } = await readWindow(platform, objects.cardAccount, start, end);
      assert.equal(opening, 0);
      assert.ok(closing > 0);
    });

    test('an open authorization clears, and the wallet card signs with its delegated key', async () => {
      const before = await moneyOn(service.db, { id: objects.cardAccount });
      const network = networkOf(platform, { id: objects.card });
      const cleared = await network.clear(await network.read(objects.openTransaction), objects.openAmount);
      assert.equal(cleared.status, 'SETTLED');
      assert.deepEqual(await moneyOn(service.db, { id: objects.cardAccount }), {
        available: before.available,
        total: before.total - objects.openAmount,
      });
      const paid = await networkOf(platform, { id: objects.walletCard }).authorize(500);
      assert.deepEqual(gist(paid), { status: 'AUTHORIZED', authorized: 500 });
      await everyLedgerHolds();
    });

    test('a repeated request replays its response', async () => {
      const { key, body } = objects.issuance;
      assert.equal((await expectStatus(201, requestCard(platform, body, key))).id, objects.card);
    });

    test('an owner signs in with a recorded credential', async () => {
      const { answer } = await signInWithOtp(platform, { id: objects.walletCredential, type: 'EMAIL_OTP' });
      assert.equal(answer.status, 200, answer.text);
      assert.equal((await expectStatus(200, platform.get(`/auth/sessions?accountId=${objects.walletAccount}`))).data.length, 2);
    });

    test('the event stream resumes after a recorded event, and misses none of the later ones', async () => {
      const listed: { id: string; objectId: string; sequence: number }[] = [];
      for (let cursor = ''; ; ) {
        const page = await expectStatus(200, platform.get(`/webhooks/events?limit=100${cursor && `&cursor=${cursor}`}`));
        listed.push(...page.data);
        if (!page.hasMore) break;
        cursor = page.nextCursor;
      }
      const abort = new AbortController();
      const response = await fetch(`${service.baseUrl}/webhooks/stream?lastEventId=${listed.at(-1)?.id}`, {
        headers: { authorization: platform.authorization },
        signal: abort.signal,
      });
      assert.equal(response.status, 200);
      const expected = new Set(listed.slice(0, -1).map(({ id }) => id));
      const seen: { id: string; objectId: string; sequence: number }[] = [];
      let text = '';
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const messages = `${text}${chunk}`.split('\n\n');
        text = messages.pop() ?? '';
        seen.push(
          ...messages.flatMap((message) =>
            /^data: (.*)$/m.exec(message)?.[1] ? [JSON.parse(/^data: (.*)$/m.exec(message)?.[1] ?? '')] : [],
          ),
        );
        if (seen.length >= expected.size) break;
      }
      abort.abort();
      assert.deepEqual(new Set(seen.map(({ id }) => id)), expected);
      const last = new Map<string, number>();
      for (const { objectId, sequence } of seen) {
        assert.ok(sequence > (last.get(objectId) ?? 0), `${objectId}: in the order of the commits`);
        last.set(objectId, sequence);
      }
    });

    test('new objects are written, and their events are signed with the recorded key', async () => {
      const receiver = await startReceiver();
      try {
        await expectStatus(200, platform.patch('/config', { webhookEndpoint: receiver.url }));
        const account = await given(platform).fundedAccount('USD', 1_000);
        assert.equal(account.balance.amount, 1_000);
        await expectStatus(200, platform.post('/webhooks/test'));
        const { data: keys } = await expectStatus(200, platform.get('/webhooks/signing-keys'));
        const { headers, body } = receiver.received.at(-1) ?? assert.fail('no webhook was received');
        assert.ok(verifyServiceSignature(keys[0].publicKeyPem, headers, body));
        await everyLedgerHolds();
      } finally {
        await receiver.close();
      }
    });
  });
}

/** Applies exactly the migrations that came after the fixture. */
async function upgrade(url: string, alreadyApplied: number): Promise<void> {
  const migrations = await readMigrations();
  const db = openDb({ url, poolSize: 1 });
  const session = await db.connect();
  try {
    assert.deepEqual(
      await migrate(session, migrations),
      migrations.slice(alreadyApplied).map((migration) => migration.name),
    );
  } finally {
    await session.end();
    await db.close();
  }
}

/** Every recorded value is in the response. Objects may have further fields, lists have the same length. */
function assertContains(actual: unknown, recorded: unknown, where: string): void {
  if (recorded === null || typeof recorded !== 'object') {
    assert.equal(actual, recorded, where);
    return;
  }
  assert.ok(actual !== null && typeof actual === 'object', where);
  if (Array.isArray(recorded)) assert.equal(Array.isArray(actual) && actual.length, recorded.length, where);
  const fields = new Map(Object.entries(actual));
  for (const [key, value] of Object.entries(recorded)) assertContains(fields.get(key), value, `${where}: ${key}`);
}
