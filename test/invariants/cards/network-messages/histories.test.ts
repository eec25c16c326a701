// Goal G5: random histories of one card against a model written from the specification and independent of the code.
// Goal G18: network messages in any order, repeated and concurrent. HISTORIES sets the number of histories.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from '../../../../src/db/sql.js';
import { AccountBalance, CardModel, MESSAGES, type Row, seen } from '../../../support/card-model.js';
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
  platformOf,
} from '../../../support/card-transactions.js';
import { activating, freezing } from '../../../support/cards.js';
import { type Client, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { startTestService, type TestService } from '../../../support/service.js';

const HISTORIES = Number(process.env['HISTORIES'] ?? 8);

// biome-ignore lint/suspicious/noExplicitAny: the shape of responses is checked against the document.
type Resource = any;

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService({ RATE_LIMIT_PER_MINUTE: 'off' });
  platform = service.platform;
});
after(() => service.stop());

const START = Date.parse('2030-05-01T00:00:00Z');

// ---- commands

const amount = fc.integer({ min: 1, max: 400 });
const which = fc.nat(1_000);
const limit = fc.option(fc.integer({ min: 1, max: 1_500 }), { nil: null });
const about = { which, amount };

const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('authorize' as const), amount }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('clear' as const), which, amount: fc.oneof(fc.constant(0), amount, amount) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reverse' as const), which, amount: fc.option(amount, { nil: undefined }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('advise' as const), ...about }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('giveBack' as const), ...about }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('takeReturnBack' as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('freeze' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('limit' as const),
      limits: fc.record({
        maxSpendPerTransaction: limit,
        maxSpendPerDay: limit,
        maxTransactionsPerDay: fc.option(fc.integer({ min: 1, max: 6 }), { nil: null }),
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fund' as const), amount }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      ms: fc.oneof(fc.integer({ min: 1, max: DAY }), fc.constant(DAY), fc.constant(3 * DAY)),
    }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

test(`${HISTORIES} histories: every response, transaction and balance agrees with the model; at the end nothing is held`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 30 }), async (commands) => {
      const own = await service.newPlatform();
      await own.clock.freeze(new Date(START));
      const { card, account } = await fundedCard(own, 1_000);
      const network = networkOf(own, card);
      const expected = new AccountBalance(1_000);
      const model = new CardModel(START);
      const real: Resource[] = [];

      const perform = async (asked: Command): Promise<void> => {
        switch (asked.kind) {
          case 'authorize':
            model.authorize(asked.amount, expected);
            return void real.push(await network.authorize(asked.amount));
          case 'freeze':
            model.status = model.status === 'FROZEN' ? 'ACTIVE' : 'FROZEN';
            return void (await expectStatus(200, own.patch(`/cards/${card.id}`, model.status === 'FROZEN' ? freezing : activating)));
          case 'limit':
            model.limits = asked.limits;
            return void (await expectStatus(200, own.patch(`/cards/${card.id}`, asked.limits)));
          case 'fund':
            expected.add(asked.amount);
            return void (await given(own).fund(account, asked.amount));
          case 'advance':
            model.advance(asked.ms);
            return void (await own.clock.advance(asked.ms));
        }
        if (real.length === 0) return;
        const at = asked.which % real.length;
        const row = model.rows[at] as Row;
        const taken =
          asked.kind === 'takeReturnBack' || asked.kind === 'expire'
            ? model[asked.kind](row)
            : model[asked.kind](row, asked.amount as number);
        const sent = {
          cardTransactionId: real[at].id,
          ...('amount' in asked && asked.amount !== undefined ? { amount: asked.amount } : {}),
        };
        const answer = await network.send(MESSAGES[asked.kind], sent);
        assert.equal(answer.status, taken ? 202 : 400, answer.text);
        if (taken && asked.kind === 'giveBack') real.push(await byToken(own, answer.body.issuerTransactionToken));
      };
      const compare = async (): Promise<void> => {
        const { data } = await expectStatus(200, own.get(`/transactions?cardId=${card.id}&sortOrder=asc&limit=100`));
        assert.deepEqual(data.map(gist), model.rows.map(seen));
        assert.deepEqual(await moneyOn(service.db, account), { available: expected.available, total: expected.total });
      };

      for (const asked of commands) {
        await perform(asked);
        await compare();
      }
      await own.clock.advance(7 * DAY);
      model.advance(7 * DAY);
      await compare();
      assert.equal(expected.available, expected.total);
      await assertAtRest(service.db, await platformOf(service.db, card));
    }),
    { numRuns: HISTORIES },
  );
});

test(`${HISTORIES} permutations of network messages, each sent three times, in sequence or concurrently, have the same result`, async () => {
  const { card, account } = await fundedCard(platform, 1_000_000);
  const { ask, tell } = issuerOf(platform, card);
  let balance = 1_000_000;
  let histories = 0;
  const messages = fc.shuffledSubarray(
    ['ask', 'clear 60', 'clear 40', 'expire', 'return'].flatMap((message) => [message, message, message]),
    { minLength: 15, maxLength: 15 },
  );

  await fc.assert(
    fc.asyncProperty(messages, fc.boolean(), async (order, atOnce) => {
      const token = randomUUID();
      const opening = { cardId: card.id, merchant: merchant() };
      const send = (message: string) => {
        if (message === 'ask') return ask({ token, amount: 150 });
        if (message === 'expire') return tell('AUTHORIZATION_EXPIRY', token, { messageToken: `${token}-expiry` });
        if (message === 'return') return tell('RETURN', token, { amount: 30, messageToken: `${token}-return` });
        const cleared = Number(message.slice(6));
        return tell('CLEARING', token, { ...opening, amount: cleared, messageToken: `${token}-${cleared}` });
      };
      const accepted = async (message: string) => ((await send(message)).status === 200 ? [] : [message]);
      const refused: string[] = [];
      if (atOnce) refused.push(...(await Promise.all(order.map(accepted))).flat());
      else for (const message of order) refused.push(...(await accepted(message)));
      // A message that came before its transaction was refused, and the network sends it again.
      for (const message of new Set(refused)) assert.deepEqual(await accepted(message), [], message);

      const { authorized, ...end } = gist(await byToken(platform, token));
      assert.deepEqual(end, { status: 'SETTLED', settled: 100, refunded: 30 }, `authorized ${authorized}`);
      balance -= 70;
      histories += 1;
      assert.deepEqual(await moneyOn(service.db, account), { available: balance, total: balance });
    }),
    { numRuns: HISTORIES },
  );
  await assertAtRest(service.db, await platformOf(service.db, card));
  const counted = await service.db.one<{ count: bigint; spent: bigint }>(
    sql`select day_count as count, day_spent as spent from cards where id = ${card.id.slice(5)}`,
  );
  assert.deepEqual(
    [Number(counted?.count), Number(counted?.spent)],
    [histories, 150 * histories],
    'each approved authorization counts once',
  );
});
