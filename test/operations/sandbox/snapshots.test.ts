// createSandboxSnapshot, listSandboxSnapshots, restoreSandboxSnapshot, deleteSandboxSnapshot
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../../src/db/sql.js';
import { insertionOrder } from '../../../src/domains/sandbox/platform-data.js';
import { MAX_SNAPSHOTS } from '../../../src/domains/sandbox/snapshots.js';
import { uuidOf } from '../../../src/kernel/ids.js';
import { givenPurchase, kinds, worldOf } from '../../prove/objects.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../support/client.js';
import { given } from '../../support/given.js';
import { givenInvitation } from '../../support/invitations.js';
import { dataOf } from '../../support/platform-data.js';
import { platformNameOf } from '../../support/platform-name.js';
import { startOwnService, type TestService } from '../../support/service.js';
import { givenEndpoint, platformIdOf } from '../../support/webhooks/platform.js';
import { startReceiver } from '../../support/webhooks/receiver.js';

let service: TestService;
before(async () => {
  // Without a worker, so that nothing changes rows between two looks.
  service = await startOwnService({ ROLE: 'api' });
});
after(() => service.stop());

const take = (client: Client, name: string) => expectStatus(201, client.post('/sandbox/snapshots', { name }));
const restore = (client: Client, name: string) => expectStatus(200, client.post(`/sandbox/snapshots/${name}/restore`));
const dump = async (client: Client) => dataOf(service.db, await platformIdOf(service, client));

test('"all data of one platform with its clock … restored to the same ids": every row is as it was', async (t) => {
  const [platform, other] = [await service.newPlatform(), await service.newPlatform()];
  const receiver = await givenEndpoint(platform);
  t.after(() => receiver.close());
  const world = worldOf(platform, { service, receiver });
  for (const kind of kinds) if (kind !== 'SandboxSnapshot') await world.id(kind);
  await givenPurchase(platform, true);
  await platform.clock.freeze('2031-05-01T12:00:00.000Z');
  const others = await dump(other);
  const [before, config] = [await dump(platform), await expectStatus(200, platform.get('/config'))];

  const taken = await take(platform, 'before');
  assert.equal(taken.rows, Object.values(before).flat().length);
  assert.deepEqual(await dump(platform), before, 'taking a snapshot changes nothing');

  for (const kind of ['Card', 'Quote', 'Customer', 'DelegatedKey'] as const) await world.fresh(kind);
  await expectStatus(200, platform.patch('/config', { cardConfigs: { maxSpendPerDay: 1 } }));
  await platform.clock.advance(86_400_000 * 40);
  assert.notDeepEqual(await dump(platform), before);
  const restored = await restore(platform, 'before');

  assert.deepEqual(restored, taken);
  assert.deepEqual(await dump(platform), before);
  assert.deepEqual(await expectStatus(200, platform.get('/config')), config);
  const { now, frozen } = await expectStatus(200, platform.get('/sandbox/clock'));
  assert.deepEqual({ now, frozen }, { now: '2031-05-01T12:00:00.000Z', frozen: true });
  assert.deepEqual(await dump(other), others, 'the other platform is as it was');
});

test('409: a code of the snapshot becomes the code of another platform while it is restored', async () => {
  const [platform, other] = [await service.newPlatform(), await service.newPlatform()];
  const { code } = await givenInvitation(platform);
  await take(platform, 'with-code');
  // As if the snapshot came from elsewhere, where the code is known.
  await service.db.run(sql`delete from platform_keys where key = ${code}`);
  const otherId = await platformIdOf(service, other);
  const [pending] = await service.db.transaction(async (tx) => {
    await tx.run(sql`insert into platform_keys (kind, key, platform_id) values ('INVITATION', ${code}, ${uuidOf(otherId)})`);
    const restoring = platform.post('/sandbox/snapshots/with-code/restore');
    await Promise.race([restoring, pause(1_000)]);
    return [restoring];
  });
  assertRefused(await pending, 409, 'CONFLICT');
});

test('a platform goes on from a snapshot, and back to it again, also after a reset', async () => {
  const platform = await service.newPlatform();
  const account = await given(platform).fundedAccount('USD', 1_000);
  await take(platform, 'funded');
  const balance = async () => (await expectStatus(200, platform.get(`/internal-accounts/${account.id}`))).balance.amount;
  for (const _again of [1, 2]) {
    await given(platform).fund(account, 500);
    assert.equal(await balance(), 1_500);
    await restore(platform, 'funded');
    assert.equal(await balance(), 1_000);
  }
  await expectStatus(200, platform.post('/sandbox/reset', { name: await platformNameOf(platform) }));
  assertRefused(await platform.get(`/internal-accounts/${account.id}`), 404, 'ACCOUNT_NOT_FOUND');
  await restore(platform, 'funded');
  assert.equal(await balance(), 1_000);
});

test('"with its clock": a snapshot that is asked for during an advance has the clock after it', async (t) => {
  const platform = await service.newPlatform();
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const receiver = await startReceiver({
    reply: async () => {
      isAsked();
      await isReleased;
      return 200;
    },
  });
  t.after(() => receiver.close());
  await expectStatus(200, platform.patch('/config', { webhookEndpoint: receiver.url }));
  // The TEST event of the new endpoint is sent before the advance answers.
  const advance = expectStatus(200, platform.put('/sandbox/clock', { advanceMs: 86_400_000 }));
  await asked;
  const taken = take(platform, 'during');
  await Promise.race([taken, pause(500)]);
  release();
  const [{ now, frozen }, snapshot] = await Promise.all([advance, taken]);
  assert.deepEqual([frozen, snapshot.frozen], [false, false]);
  assert.ok(snapshot.now >= now, `${snapshot.now} ${now}`);
});

test('every setting of the platform is as it was, also those that only the operator changes', async () => {
  const platform = await service.newPlatform();
  const id = uuidOf(await platformIdOf(service, platform));
  const settings = async () => {
    const row = await service.db.one<{ platform: Record<string, unknown> }>(
      sql`select to_jsonb(p) as platform from platforms p where id = ${id}`,
    );
    // A restored clock is compared elsewhere; its bounds know all times that it ever showed.
    return Object.entries(row?.platform ?? {}).filter(([name]) => !name.startsWith('clock_'));
  };
  const set = (on: boolean, most: number | null, program: string, origins: string[] | null) =>
    service.db.run(sql`
      update platforms set counterparty_rules = ${on}, rule_based_accounts = ${on}, end_user_terms_required = ${on}, max_live_cards = ${most},
        max_cards_per_cardholder = ${most}, card_program = ${program}, sca_origins = ${origins} where id = ${id}`);
  for (const [on, origins] of [
    [true, ['https://app.example.com']],
    [false, null],
  ] as const) {
    await set(on, on ? 7 : null, on ? 'issuer_decided' : 'service_full', origins && [...origins]);
    const before = await settings();
    await take(platform, `settings-${on}`);
    await set(!on, on ? null : 7, on ? 'service_full' : 'issuer_decided', on ? null : ['https://other.example.com']);
    assert.notDeepEqual(await settings(), before);
    await restore(platform, `settings-${on}`);
    assert.deepEqual(await settings(), before);
  }
});

test('a running clock goes on from the time of the snapshot', async () => {
  const platform = await service.newPlatform();
  await expectStatus(200, platform.put('/sandbox/clock', { now: '2031-01-01T00:00:00Z', frozen: false }));
  await take(platform, 'new-year');
  await platform.clock.advance(86_400_000);
  await restore(platform, 'new-year');
  const { now, frozen } = await expectStatus(200, platform.get('/sandbox/clock'));
  assert.equal(frozen, false);
  assert.match(now, /^2031-01-01T00:0/);
});

test('list, newest first; delete; names belong to one platform', async () => {
  const [platform, other] = [await service.newPlatform(), await service.newPlatform()];
  for (const name of ['first', 'second']) await take(platform, name);
  await take(other, 'first');
  const names = async (client: Client) =>
    (await expectStatus(200, client.get('/sandbox/snapshots'))).data.map(({ name }: { name: string }) => name);
  assert.deepEqual(await names(platform), ['second', 'first']);
  await expectStatus(204, platform.delete('/sandbox/snapshots/first'));
  assert.deepEqual(await names(platform), ['second']);
  assert.deepEqual(await names(other), ['first']);
  for (const path of ['/sandbox/snapshots/first', '/sandbox/snapshots/nothing', '/sandbox/snapshots/%00', '/sandbox/snapshots/second%00']) {
    assertRefused(await platform.delete(path), 404, 'NOT_FOUND');
    assertRefused(await platform.post(`${path}/restore`), 404, 'NOT_FOUND');
    assertRefused(await platform.post(`${path}/export`, { passphrase: 'correct horse battery' }), 404, 'NOT_FOUND');
  }
});

describe('refused', () => {
  test('400: names that would not fit into a path', async () => {
    for (const name of ['', 'a b', '../x', 'ä', '-x', 'x'.repeat(65)])
      assertInvalid(await service.platform.post('/sandbox/snapshots', { name }), 'name');
  });

  test('409 CONFLICT: a name that is taken, also by a request at the same time', async () => {
    const platform = await service.newPlatform();
    const answers = await Promise.all([1, 2, 3].map(() => platform.post('/sandbox/snapshots', { name: 'same' })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  });

  test(`409 CONFLICT: more than ${MAX_SNAPSHOTS}`, async () => {
    const platform = await service.newPlatform();
    for (let i = 0; i < MAX_SNAPSHOTS; i += 1) await take(platform, `s${i}`);
    assertRefused(await platform.post('/sandbox/snapshots', { name: 'more' }), 409, 'CONFLICT');
  });

  test('409 CONFLICT: "a snapshot of an older version is … refused with a clear word", and nothing changes', async () => {
    const platform = await service.newPlatform();
    await take(platform, 'old');
    const id = uuidOf(await platformIdOf(service, platform));
    await service.db.run(sql`update sandbox_snapshots set schema_version = '0001_core.sql' where platform_id = ${id}`);
    const customer = await given(platform).customer();
    const answer = await platform.post('/sandbox/snapshots/old/restore');
    assertRefused(answer, 409, 'CONFLICT');
    assert.match(answer.body.reason, /older version/);
    await expectStatus(200, platform.get(`/customers/${customer.id}`));
  });
});

test('tables are written after those that they refer to', () => {
  const table = (name: string, ...references: string[]) => ({ name, references, columns: [], types: [], jsonColumns: [] });
  const order = insertionOrder([table('a', 'c'), table('b', 'a', 'b'), table('c'), table('transfers'), table('wallet_activities')]);
  assert.deepEqual(
    order.map(({ name }) => name),
    ['c', 'a', 'b', 'wallet_activities', 'transfers'],
  );
  assert.throws(() => insertionOrder([table('a', 'b'), table('b', 'a')]), /no circle/);
});
