// Messages that arrive at once are recorded together, each with the result that it has alone. So are expiries that are due at once.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Db } from '../../../../src/db/pool.js';
import { sql } from '../../../../src/db/sql.js';
import { createBatchedRecord } from '../../../../src/domains/cards/network-messages/batch.js';
import { networkMessageJobs } from '../../../../src/domains/cards/network-messages/jobs.js';
import { uuidOf } from '../../../../src/kernel/ids.js';
import { plusMs } from '../../../../src/kernel/time.js';
import { assertAtRest, byToken, DAY, fundedCard, gist, issuerOf, moneyOn, walletCard } from '../../../support/card-transactions.js';
import { type Client, expectStatus } from '../../../support/client.js';
import { race } from '../../../support/race.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

const CARDS = 8;
const HOLD_LIFE_MS = 7 * DAY;
let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService({ ROLE: 'api', RATE_LIMIT_PER_MINUTE: 'off' });
  platform = service.platform;
});
after(() => service.stop());

/** A card with money, and authorizations of 100 on it. */
async function purchases(count: number, make: typeof fundedCard | typeof walletCard = fundedCard) {
  const { card, account } = await make(platform, 10_000);
  const issuer = issuerOf(platform, card);
  const tokens = await Promise.all(
    Array.from({ length: count }, async () => (await expectStatus(200, issuer.ask({ amount: 100 }))).issuerTransactionToken as string),
  );
  return { account, issuer, tokens };
}

const transactionsIn = async (tokens: readonly string[]): Promise<number> =>
  (await service.db.many(sql`select distinct xmin::text from card_transactions where issuer_token = any(${tokens}::text[])`)).length;

race('messages at once, on cards with and without a wallet, several for each transaction: every one has its own result', async () => {
  const holders = await Promise.all([...Array.from({ length: CARDS }, () => purchases(2)), purchases(2, walletCard)]);
  const repeated = randomUUID();
  const answers = await Promise.all(
    holders.flatMap(({ issuer, tokens: [cleared = '', reversed = ''] }, i) => [
      issuer.tell('CLEARING', cleared, { amount: 60 }),
      issuer.tell('CLEARING', cleared, { amount: 40 }),
      issuer.tell('AUTHORIZATION_REVERSAL', reversed),
      // The same message twice counts once; one without a meaning is refused and disturbs no other.
      ...(i === 0
        ? [
            issuer.tell('CLEARING', cleared, { amount: 1, messageToken: repeated }),
            issuer.tell('CLEARING', cleared, { amount: 1, messageToken: repeated }),
          ]
        : []),
      issuer.tell('RETURN', reversed, { amount: 5 }),
      issuer.tell('CLEARING', randomUUID(), { amount: 5 }),
      issuer.tell('AUTHORIZATION_ADVICE', cleared, {}),
    ]),
  );
  const statuses = answers.map(({ status }) => status);
  assert.deepEqual(
    [200, 400, 404].map((status) => statuses.filter((one) => one === status).length),
    [3 * holders.length + 2, 2 * holders.length, holders.length],
  );
  assert.equal(answers.filter(({ body }) => body.duplicate === true).length, 1);
  for (const [
    i,
    {
      account,
      tokens: [cleared = '', reversed = ''],
    },
  ] of holders.entries()) {
    const settled = i === 0 ? 101 : 100;
    assert.deepEqual(gist(await byToken(platform, cleared)), { status: 'SETTLED', authorized: 100, settled });
    assert.equal((await byToken(platform, reversed)).status, 'VOIDED');
    assert.deepEqual(await moneyOn(service.db, account), { available: 10_000 - settled, total: 10_000 - settled });
  }
  await assertAtRest(service.db, await platformIdOf(service, platform));
});

const depsOf = (db: Db) => ({
  db,
  wallets: { authorize: () => assert.fail('no wallet is called') },
  holdLifeMs: HOLD_LIFE_MS,
  log: { error: (about: object) => assert.fail(JSON.stringify(about)) } as never,
});

test('messages of different cards share a commit; the events name the request of their own message', async () => {
  const holders = await Promise.all(Array.from({ length: CARDS }, () => purchases(1)));
  const tokens = holders.flatMap((holder) => holder.tokens);
  const record = createBatchedRecord(depsOf(service.db));
  const platformId = await platformIdOf(service, platform);
  const recorded = await Promise.all(
    tokens.map((issuerToken) =>
      record(platformId, {
        message: { kind: 'CLEARING', token: randomUUID(), issuerToken, amount: 100n, program: 'service_full' },
        requestId: randomUUID(),
      }),
    ),
  );
  for (const { transaction } of recorded) assert.equal(transaction.status, 'SETTLED');
  assert.equal(await transactionsIn(tokens), 1, 'one commit');
  const causes = await service.db.many(sql`
    select distinct request_id from webhook_events
    where type = 'CARD_TRANSACTION.SETTLED' and object_id = any(${recorded.map(({ transaction }) => transaction.id)}::text[])`);
  assert.equal(causes.length, CARDS);
});

test('messages about purchases of one card share a commit; each is decided on the balance that the one before it left', async () => {
  const { account, tokens } = await purchases(4);
  const record = createBatchedRecord(depsOf(service.db));
  const platformId = await platformIdOf(service, platform);
  const tell = (kind: 'CLEARING' | 'AUTHORIZATION_REVERSAL' | 'AUTHORIZATION_EXPIRY', issuerToken: string | undefined, amount?: bigint) =>
    record(platformId, {
      message: { kind, token: randomUUID(), issuerToken: issuerToken ?? '', amount, program: 'service_full' },
      requestId: randomUUID(),
    });
  // The account has 10,000, of which 400 are held. The first clearing takes nearly all that is left; the second finds 50 beside its hold.
  const recorded = await Promise.all([
    tell('CLEARING', tokens[0], 9_650n),
    tell('CLEARING', tokens[1], 160n),
    tell('AUTHORIZATION_REVERSAL', tokens[2]),
    tell('AUTHORIZATION_EXPIRY', tokens[3]),
  ]);
  assert.deepEqual(
    recorded.map(({ transaction: { status, pulled, shortfall } }) => ({ status, pulled, shortfall })),
    [
      { status: 'SETTLED', pulled: 9_650n, shortfall: 0n },
      { status: 'EXCEPTION', pulled: 150n, shortfall: 10n },
      { status: 'VOIDED', pulled: 0n, shortfall: 0n },
      { status: 'VOIDED', pulled: 0n, shortfall: 0n },
    ],
  );
  assert.equal(await transactionsIn(tokens), 1, 'one commit');
  // The reversal released 100, of which 10 were owed.
  assert.deepEqual(await moneyOn(service.db, account), { available: 190, total: 190 });
  const balances = await service.db.many<{ available: string }>(sql`
    select data -> 'balance' ->> 'amount' as available from webhook_events
    where platform_id = ${uuidOf(platformId)} and object_id = ${account.id} and type = 'INTERNAL_ACCOUNT.BALANCE_UPDATED' order by sequence desc limit 4`);
  assert.deepEqual(
    balances.map(({ available }) => Number(available)),
    [190, 90, 0, 50],
    'an event for each message, latest first',
  );
  await assertAtRest(service.db, platformId);
});

race('holds that are due at once expire together, also those of one account', async () => {
  const holders = await Promise.all([...Array.from({ length: CARDS }, () => purchases(1)), purchases(3)]);
  const platformId = await platformIdOf(service, platform);
  const now = plusMs(await platform.clock.now(), HOLD_LIFE_MS);
  const expiry = networkMessageJobs(depsOf(service.db)).find(({ name }) => name === 'card-authorization-expiry');
  assert.equal(await expiry?.run(service.db, platformId, now, () => false), CARDS + 3);
  assert.equal(await transactionsIn(holders.flatMap((holder) => holder.tokens)), 1, 'one commit');
  for (const { account, tokens: all } of holders) {
    for (const token of all) assert.equal((await byToken(platform, token)).status, 'VOIDED');
    assert.deepEqual(await moneyOn(service.db, account), { available: 10_000, total: 10_000 });
  }
  await assertAtRest(service.db, platformId);
});
