// Goal G17: "a decision finished late is undone: 0 orphan holds", also when the issuer repeats the request, when the answer to the commit
// is lost, and when the database is unavailable at the time of the reversal.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Db } from '../../../../src/db/pool.js';
import { sql } from '../../../../src/db/sql.js';
import {
  type Authorize,
  authorizeInTime,
  createAuthorize,
  type Decision,
  type LateDecision,
  reverseLateDecision,
  reverseUntilDone,
} from '../../../../src/domains/cards/authorizations/actions.js';
import type { OpeningKind } from '../../../../src/domains/cards/authorizations/card-transaction.js';
import { findNetworkHistory, schedulePull } from '../../../../src/domains/cards/network-messages/actions.js';
import { ApiError } from '../../../../src/kernel/errors.js';
import { newId, type PlatformId, uuidOf } from '../../../../src/kernel/ids.js';
import { createSlots } from '../../../../src/kernel/slots.js';
import { randomOf, testSeed } from '../../../prove/random.js';
import {
  assertAtRest,
  byToken,
  DAY,
  fundedCard,
  gist,
  issuerOf,
  merchant,
  moneyOn,
  networkOf,
  owedOn,
  platformOf,
} from '../../../support/card-transactions.js';
import { givenCard } from '../../../support/cards.js';
import { expectStatus } from '../../../support/client.js';
import { randomFrom } from '../../../support/linearizable.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

const ROUNDS = Number(process.env['AUTHORIZATION_ROUNDS'] ?? 1);
const FAR = 600_000;

let service: TestService;
before(async () => {
  service = await startTestService({ RATE_LIMIT_PER_MINUTE: 'off' });
});
after(() => service.stop());

const depsOn = (db: Db) => ({
  db,
  wallets: { authorize: async () => true },
  holdLifeMs: 7 * DAY,
  schedulePull,
  findNetworkHistory,
  whileWaiting: createSlots(2),
});

/** A promise and the function that resolves it. */
function gate<Value = void>() {
  let open: (value: Value) => void = () => {};
  const opened = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

async function spender() {
  const platform = await service.newPlatform();
  const { card, account } = await fundedCard(platform, 1_000, { fields: { maxTransactionsPerDay: 100 } });
  const platformId = await platformOf(service.db, card);
  const requestOf = (issuerToken: string, kind: OpeningKind = 'AUTHORIZATION') =>
    ({ kind, cardId: card.id, issuerToken, amount: 400n, currency: 'USD', merchant: merchant() }) as const;
  return {
    platform,
    platformId,
    requestOf,
    card,
    ...issuerOf(platform, card),
    row: async (token: string) => gist(await byToken(platform, token)),
    money: () => moneyOn(service.db, account),
    counted: async () =>
      Number(
        (await service.db.one<{ count: bigint }>(sql`select day_count as count from cards where id = ${card.id.slice(5)}`))?.count ?? 0n,
      ),
    atRest: () => assertAtRest(service.db, platformId),
  };
}
type Spender = Awaited<ReturnType<typeof spender>>;

/** The service's database; a transaction commits, then waits for `until`, and then returns or throws `lost`. */
const slowToAnswer = (until: () => Promise<unknown>, lost?: Error): Db => ({
  ...service.db,
  transaction: async (work) => {
    const result = await service.db.transaction(work);
    await until();
    if (lost) throw lost;
    return result;
  },
});

/** A request whose decision is committed and is answered after the deadline. Returns the decision to be reversed. */
async function decidedTooLate(
  { platformId, requestOf }: Spender,
  token: string,
  { lost, kind }: { readonly lost?: Error; readonly kind?: OpeningKind } = {},
): Promise<LateDecision> {
  const late = gate();
  const left = gate<LateDecision>();
  const slow = createAuthorize(depsOn(slowToAnswer(() => late.opened, lost)));
  // The decision itself is made before the deadline.
  const authorize: Authorize = (platform, request) => slow(platform, { ...request, isLate: undefined });
  const undo = async (_platform: PlatformId, decision: LateDecision) => left.open(decision);
  const answer = await authorizeInTime(authorize, undo, platformId, requestOf(token, kind), 1);
  assert.equal(answer, undefined, 'no decision was answered by the deadline');
  late.open();
  return left.opened;
}

const undo = ({ platformId }: Spender, late: LateDecision) => reverseLateDecision(depsOn(service.db), platformId, late);

const HELD = { available: 600, total: 1_000 };
const FREE = { available: 1_000, total: 1_000 };

test('while the card is locked, the issuer is answered by the deadline, and the request has no effect afterwards', async () => {
  const hasty = await startTestService({ ISSUER_DEADLINE_MS: '50' });
  try {
    const { card, account } = await fundedCard(hasty.platform, 1_000);
    const platform = uuidOf(await platformIdOf(hasty, hasty.platform));
    await hasty.db.transaction(async (tx) => {
      await tx.run(sql`select from cards where platform_id = ${platform} and id = ${card.id.slice(5)} for update`);
      const answer = await expectStatus(200, issuerOf(hasty.platform, card).ask({ token: 'a', amount: 400 }));
      assert.deepEqual(answer, { decision: 'DECLINED', declinedReason: 'OTHER', issuerTransactionToken: 'a' });
    });
    // This authorization is decided after the one that waited, which was dropped.
    await networkOf(hasty.platform, card).authorize(1);
    assert.deepEqual(await moneyOn(hasty.db, account), { available: 999, total: 1_000 });
    assert.deepEqual(await hasty.db.many(sql`select from card_transactions where issuer_token = 'a'`), []);
  } finally {
    await hasty.stop();
  }
});

describe('the issuer repeats a request that was decided too late', () => {
  test('a repeat between the commit and the reversal, answered in time: the approval is kept, held and counted once', async () => {
    const world = await spender();
    const late = await decidedTooLate(world, 'a');
    assert.equal((await expectStatus(200, world.ask({ token: 'a', amount: 400 }))).decision, 'APPROVED');
    await undo(world, late);
    assert.deepEqual([await world.row('a'), await world.money()], [{ status: 'AUTHORIZED', authorized: 400 }, HELD]);
    assert.equal(await world.counted(), 1);
    assert.equal((await expectStatus(200, world.ask({ token: 'a', amount: 400 }))).decision, 'APPROVED');
    await world.atRest();
  });

  test('a repeat after the reversal is answered DECLINED; nothing is held or counted', async () => {
    const world = await spender();
    await undo(world, await decidedTooLate(world, 'a'));
    assert.equal((await expectStatus(200, world.ask({ token: 'a', amount: 400 }))).declinedReason, 'OTHER');
    assert.deepEqual([await world.money(), await world.counted()], [FREE, 0]);
    await world.atRest();
  });

  for (const first of ['the first', 'the repeat'])
    test(`a repeat that is too late as well: the decision is reversed after both are, ${first} before the other`, async () => {
      const world = await spender();
      const lates = [await decidedTooLate(world, 'a'), await decidedTooLate(world, 'a')];
      if (first === 'the repeat') lates.reverse();
      await undo(world, lates[0] as LateDecision);
      assert.deepEqual(await world.money(), HELD, 'the other request may still be answered in time');
      await undo(world, lates[1] as LateDecision);
      assert.deepEqual(await world.row('a'), { status: 'DECLINED', authorized: 400, declined: 'OTHER' });
      assert.deepEqual([await world.money(), await world.counted()], [FREE, 0]);
      await world.atRest();
    });

  test('only the repeat is too late: the approval that was answered first is kept', async () => {
    const world = await spender();
    assert.equal((await expectStatus(200, world.ask({ token: 'a', amount: 400 }))).decision, 'APPROVED');
    await undo(world, await decidedTooLate(world, 'a'));
    assert.deepEqual(
      [await world.row('a'), await world.money(), await world.counted()],
      [{ status: 'AUTHORIZED', authorized: 400 }, HELD, 1],
    );
  });

  test('a clearing before the reversal: the transaction is settled and is not reversed', async () => {
    const world = await spender();
    const late = await decidedTooLate(world, 'a');
    await expectStatus(200, world.tell('CLEARING', 'a', { amount: 400 }));
    await undo(world, late);
    assert.deepEqual(await world.row('a'), { status: 'SETTLED', authorized: 400, settled: 400 });
    await world.atRest();
  });
});

describe('a decision after network messages is too late', () => {
  const early = async (world: Spender, kind: string, amount: number) =>
    expectStatus(200, world.tell(kind, 'a', { amount, cardId: world.card.id, merchant: merchant() }));
  const state = async (world: Spender) => ({ ...(await world.row('a')), ...(await world.money()), counted: await world.counted() });

  test('after a clearing: only the clearing stays, and a repeat is answered DECLINED', async () => {
    const world = await spender();
    await early(world, 'CLEARING', 100);
    const late = await decidedTooLate(world, 'a');
    assert.deepEqual(await state(world), {
      status: 'PARTIALLY_SETTLED',
      authorized: 400,
      settled: 100,
      available: 600,
      total: 900,
      counted: 1,
    });
    await undo(world, late);
    const cleared = { status: 'SETTLED', authorized: 0, settled: 100, available: 900, total: 900, counted: 0 };
    assert.deepEqual(await state(world), cleared);
    assert.equal((await expectStatus(200, world.ask({ token: 'a', amount: 400 }))).declinedReason, 'OTHER');
    await undo(world, late);
    assert.deepEqual(await state(world), cleared);
    await world.atRest();
  });

  test('after an advice: what was approved elsewhere stays, with its spend', async () => {
    const world = await spender();
    await early(world, 'AUTHORIZATION_ADVICE', 300);
    await undo(world, await decidedTooLate(world, 'a'));
    assert.deepEqual(await state(world), { status: 'AUTHORIZED', authorized: 300, available: 700, total: 1_000, counted: 1 });
    const { spent } = await expectStatus(200, world.platform.get(`/cards/${world.card.id}/spending`));
    assert.equal(spent.amount, 300);
    assert.equal((await expectStatus(200, world.ask({ token: 'a', amount: 400 }))).declinedReason, 'OTHER');
    await world.atRest();
  });

  test('after a clearing, settled at once and beyond what the account has: all of it is given back, and nothing is owed', async () => {
    const world = await spender();
    await early(world, 'CLEARING', 900);
    const late = await decidedTooLate(world, 'a', { kind: 'FINANCIAL_AUTHORIZATION' });
    assert.deepEqual(await state(world), { status: 'EXCEPTION', authorized: 400, settled: 1_300, available: 0, total: 0, counted: 1 });
    assert.equal(await owedOn(service.db, world.platformId), 300);
    await undo(world, late);
    assert.deepEqual(await state(world), { status: 'SETTLED', authorized: 0, settled: 900, available: 100, total: 100, counted: 0 });
    assert.equal(await owedOn(service.db, world.platformId), 0);
    await world.atRest();
  });

  test('a clearing after the decision: the network has used the authorization, and it is kept', async () => {
    const world = await spender();
    await early(world, 'CLEARING', 100);
    const late = await decidedTooLate(world, 'a');
    await early(world, 'CLEARING', 50);
    await undo(world, late);
    assert.deepEqual(await state(world), {
      status: 'PARTIALLY_SETTLED',
      authorized: 400,
      settled: 150,
      available: 600,
      total: 850,
      counted: 1,
    });
    await world.atRest();
  });

  test('a repeat that was answered in time: the approval is kept', async () => {
    const world = await spender();
    await early(world, 'CLEARING', 100);
    const late = await decidedTooLate(world, 'a');
    assert.equal((await expectStatus(200, world.ask({ token: 'a', amount: 400 }))).decision, 'APPROVED');
    await undo(world, late);
    assert.equal((await world.row('a')).status, 'PARTIALLY_SETTLED');
    await world.atRest();
  });
});

test('a decision whose commit was not acknowledged, after the deadline, is reversed as well', async () => {
  const world = await spender();
  const lost = Object.assign(new ApiError('SERVICE_UNAVAILABLE'), { cause: new Error('Connection terminated') });
  const late = await decidedTooLate(world, 'a', { lost });
  assert.deepEqual(await world.money(), HELD);
  await undo(world, late);
  assert.deepEqual([(await world.row('a')).status, await world.money(), await world.counted()], ['DECLINED', FREE, 0]);
  await world.atRest();
});

test('a refusal after the deadline needs no reversal', async () => {
  const { platformId, requestOf } = await spender();
  const late = gate();
  const refusing: Authorize = async () => {
    await late.opened;
    throw new ApiError('NOT_FOUND');
  };
  const undone = async () => assert.fail('nothing was decided');
  assert.equal(await authorizeInTime(refusing, undone, platformId, requestOf('a'), 1), undefined);
  late.open();
});

test('a reversal while the database is unavailable is logged and repeated until it succeeds', async () => {
  const world = await spender();
  const late = await decidedTooLate(world, 'a');
  let away = 3;
  const db: Db = {
    ...service.db,
    transaction: async (work) => {
      if (away-- > 0) throw new ApiError('SERVICE_UNAVAILABLE');
      return service.db.transaction(work);
    },
  };
  const logged: unknown[] = [];
  const paused: number[] = [];
  const log = { error: (fields: object) => void logged.push(fields) };
  await reverseUntilDone({ ...depsOn(db), log: log as never }, world.platformId, late, async (ms) => void paused.push(ms));
  assert.deepEqual(paused, [1_000, 2_000, 3_000]);
  assert.deepEqual(
    logged.map((fields) => (fields as { transactionId: string }).transactionId),
    Array(3).fill(late.id),
  );
  assert.deepEqual([(await world.row('a')).status, await world.money(), await world.counted()], ['DECLINED', FREE, 0]);
  await world.atRest();
});

test('a sandbox clock that leaves the day of a late decision and returns to it: the reversal succeeds, and no count falls below nothing', async () => {
  const world = await spender();
  const start = await world.platform.clock.freeze();
  const late = await decidedTooLate(world, 'a');
  // Two later days take the place of that day.
  for (const token of ['b', 'c']) {
    await world.platform.clock.advance(DAY);
    assert.equal((await expectStatus(200, world.ask({ token, amount: 10 }))).decision, 'APPROVED');
  }
  await world.platform.clock.set(start);
  await expectStatus(200, world.tell('AUTHORIZATION_ADVICE', 'c', { amount: 15 }));
  await undo(world, late);
  assert.deepEqual([(await world.row('a')).status, await world.counted()], ['DECLINED', 0]);
  await world.atRest();
});

test('a request for a card that the service does not know or does not decide for leaves nothing to reverse', async () => {
  const world = await spender();
  const { card } = await givenCard(world.platform, { program: 'issuer_decided' });
  for (const cardId of [newId('Card'), card.id]) {
    const pause = async () => assert.fail('there is nothing to repeat');
    const log = { error: () => assert.fail('there is nothing to log') } as never;
    await reverseUntilDone({ ...depsOn(service.db), log }, world.platformId, { id: newId('Transaction'), cardId }, pause);
  }
});

test('while the database stays unavailable, the reversal is tried at most a minute apart until the hold expires', async () => {
  const world = await spender();
  const away: Db = { ...service.db, transaction: async () => Promise.reject(new ApiError('SERVICE_UNAVAILABLE')) };
  const late = { id: newId('Transaction'), cardId: world.card.id };
  for (const days of [7, 31]) {
    const paused: number[] = [];
    const deps = { ...depsOn(away), holdLifeMs: days * DAY, log: { error: () => {} } as never };
    await reverseUntilDone(deps, world.platformId, late, async (ms) => void paused.push(ms));
    const waited = paused.reduce((sum, ms) => sum + ms, 0);
    assert.equal(Math.max(...paused), 60_000);
    assert.ok(waited >= days * DAY && waited < days * DAY + 60_000, `${waited}`);
  }
});

test(`${ROUNDS} round(s) of 40 tokens, five concurrent requests each, with short deadlines: a hold remains exactly if an approval was answered in time`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const seed = randomOf(`${testSeed()}/too late/${round}`).int(0, 2 ** 32 - 1);
    const random = randomFrom(seed);
    const platform = await service.newPlatform();
    const { card, account } = await fundedCard(platform, 1_000_000);
    const platformId = await platformOf(service.db, card);
    const deps = depsOn(service.db);
    // Two services on one database.
    const services = [createAuthorize(deps), createAuthorize(deps)];
    const undoing: Promise<void>[] = [];
    const answered = new Map<string, string[]>();
    await Promise.all(
      Array.from({ length: 200 }, async (_, caller) => {
        const issuerToken = `token-${caller % 40}`;
        const authorize = services[Math.floor(random() * 2)] as Authorize;
        // Every other decision is delayed a little, so that some are answered in time and some are reversed.
        const pause = Math.floor(random() * 30);
        const slow: Authorize = async (...asked) => {
          const decision: Decision = await authorize(...asked);
          if (caller % 2) await new Promise((resolve) => setTimeout(resolve, pause));
          return decision;
        };
        const settled = gate();
        undoing.push(settled.opened);
        const watched: Authorize = (...asked) => {
          const decision = slow(...asked);
          decision.catch(() => {}).then(() => setImmediate(settled.open));
          return decision;
        };
        const answer = await authorizeInTime(
          watched,
          (...late) => {
            const undone = reverseLateDecision(deps, ...late);
            undoing.push(undone);
            return undone;
          },
          platformId,
          { kind: 'AUTHORIZATION', cardId: card.id, issuerToken, amount: 7n, currency: 'USD', merchant: merchant() },
          random() < 0.1 ? FAR : Math.floor(random() * 60),
        ).catch(() => undefined);
        if (answer) answered.set(issuerToken, [...(answered.get(issuerToken) ?? []), answer.transaction.declinedReason ?? 'APPROVED']);
      }),
    );
    for (let done = 0; done < undoing.length; ) {
      done = undoing.length;
      await Promise.all(undoing);
    }

    const rows = await service.db.many<{ issuer_token: string; status: string }>(
      sql`select issuer_token, status from card_transactions where card_id = ${card.id.slice(5)}`,
    );
    const held = rows.filter(({ status }) => status === 'AUTHORIZED').map(({ issuer_token }) => issuer_token);
    const approved = [...answered].filter(([, answers]) => answers.includes('APPROVED')).map(([token]) => token);
    assert.deepEqual(held.sort(), approved.sort(), `seed ${seed}`);
    for (const [token, answers] of answered) assert.equal(new Set(answers).size, 1, `seed ${seed}: ${token} was answered ${answers}`);
    const free = 1_000_000 - 7 * held.length;
    assert.deepEqual(await moneyOn(service.db, account), { available: free, total: 1_000_000 }, `seed ${seed}`);
    const day = await service.db.one<{ spent: bigint; count: bigint }>(
      sql`select day_spent as spent, day_count as count from cards where id = ${card.id.slice(5)}`,
    );
    assert.deepEqual([Number(day?.spent ?? 0), Number(day?.count ?? 0)], [7 * held.length, held.length], `seed ${seed}`);
    await assertAtRest(service.db, platformId);
  }
});
