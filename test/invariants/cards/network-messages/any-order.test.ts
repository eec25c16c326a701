// Goal G18: "messages may arrive in any order". Every order of a small set of messages has the same result: the transaction, the balance,
// the daily spend, and the answered decision.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import {
  assertAtRest,
  byToken,
  fundedCard,
  gist,
  issuerOf,
  merchant,
  moneyOn,
  platformOf,
  walletCard,
} from '../../../support/card-transactions.js';
import { closing, freezing } from '../../../support/cards.js';
import { type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService({ RATE_LIMIT_PER_MINUTE: 'off' });
  platform = service.platform;
});
after(() => service.stop());

/** Kind and amount. Authorizations are requests; all other kinds are messages without a decision. */
type Message = readonly [kind: string, amount?: number];

type Case = {
  readonly messages: readonly Message[];
  readonly card?: {
    readonly funds?: number;
    readonly fields?: Record<string, number>;
    readonly status?: object;
    readonly wallet?: boolean;
  };
  readonly decision?: string;
  readonly end: Record<string, unknown>;
  /** The amount the transaction took from the account, and the amount that is held in addition. */
  readonly takes: { readonly total: number; readonly held?: number };
  readonly day: { readonly spent: number; readonly count: number };
};

const ASKED = /AUTHORIZATION$/;

const CASES: Readonly<Record<string, Case>> = {
  'cleared exactly: "each approved authorization counts once for the day authorized"': {
    messages: [
      ['AUTHORIZATION', 400],
      ['CLEARING', 400],
    ],
    end: { status: 'SETTLED', authorized: 400, settled: 400 },
    takes: { total: 400 },
    day: { spent: 400, count: 1 },
  },
  'two partial clearings: the rest stays held': {
    messages: [
      ['AUTHORIZATION', 400],
      ['CLEARING', 100],
      ['CLEARING', 50],
    ],
    end: { status: 'PARTIALLY_SETTLED', authorized: 400, settled: 150 },
    takes: { total: 150, held: 250 },
    day: { spent: 400, count: 1 },
  },
  'cleared above the authorized amount: "a later clearing may settle above it"': {
    messages: [
      ['AUTHORIZATION', 100],
      ['CLEARING', 120],
    ],
    card: { fields: { maxSpendPerTransaction: 100, maxSpendPerDay: 100_000 } },
    end: { status: 'SETTLED', authorized: 100, settled: 120 },
    takes: { total: 120 },
    day: { spent: 100, count: 1 },
  },
  'partial clearing, then expiry': {
    messages: [['AUTHORIZATION', 400], ['CLEARING', 100], ['AUTHORIZATION_EXPIRY']],
    end: { status: 'SETTLED', authorized: 400, settled: 100 },
    takes: { total: 100 },
    day: { spent: 400, count: 1 },
  },
  'expired by a clearing of 0': {
    messages: [
      ['AUTHORIZATION', 400],
      ['CLEARING', 0],
    ],
    end: { status: 'VOIDED', authorized: 0 },
    takes: { total: 0 },
    day: { spent: 400, count: 1 },
  },
  'partial clearing and partial reversal': {
    messages: [
      ['AUTHORIZATION', 400],
      ['CLEARING', 100],
      ['AUTHORIZATION_REVERSAL', 50],
    ],
    end: { status: 'PARTIALLY_SETTLED', authorized: 350, settled: 100 },
    takes: { total: 100, held: 250 },
    day: { spent: 400, count: 1 },
  },
  'partial clearing and full reversal': {
    messages: [['AUTHORIZATION', 400], ['CLEARING', 100], ['AUTHORIZATION_REVERSAL']],
    end: { status: 'SETTLED', authorized: 400, settled: 100 },
    takes: { total: 100 },
    day: { spent: 400, count: 1 },
  },
  'advice of a larger total': {
    messages: [
      ['AUTHORIZATION', 400],
      ['AUTHORIZATION_ADVICE', 500],
      ['CLEARING', 100],
    ],
    end: { status: 'PARTIALLY_SETTLED', authorized: 500, settled: 100 },
    takes: { total: 100, held: 400 },
    day: { spent: 500, count: 1 },
  },
  'advice of a smaller total': {
    messages: [
      ['AUTHORIZATION', 400],
      ['AUTHORIZATION_ADVICE', 300],
      ['CLEARING', 100],
    ],
    end: { status: 'PARTIALLY_SETTLED', authorized: 300, settled: 100 },
    takes: { total: 100, held: 200 },
    day: { spent: 400, count: 1 },
  },
  'partial return': {
    messages: [
      ['AUTHORIZATION', 400],
      ['CLEARING', 400],
      ['RETURN', 150],
    ],
    end: { status: 'SETTLED', authorized: 400, settled: 400, refunded: 150 },
    takes: { total: 250 },
    day: { spent: 400, count: 1 },
  },
  'financial authorization (settles at once) and a clearing': {
    messages: [
      ['FINANCIAL_AUTHORIZATION', 400],
      ['CLEARING', 20],
    ],
    end: { status: 'SETTLED', authorized: 400, settled: 420 },
    takes: { total: 420 },
    day: { spent: 400, count: 1 },
  },
  'credit authorization and two partial clearings': {
    messages: [
      ['CREDIT_AUTHORIZATION', 400],
      ['CLEARING', 100],
      ['CLEARING', 50],
    ],
    end: { status: 'PARTIALLY_SETTLED', authorized: 400, settled: 150 },
    takes: { total: -150 },
    day: { spent: 0, count: 0 },
  },
  'card funded from a wallet: the rest stays pulled': {
    messages: [
      ['AUTHORIZATION', 400],
      ['CLEARING', 100],
      ['AUTHORIZATION_REVERSAL', 50],
    ],
    card: { wallet: true },
    end: { status: 'PARTIALLY_SETTLED', authorized: 350, settled: 100 },
    takes: { total: 350 },
    day: { spent: 400, count: 1 },
  },
  'declined above a limit, then cleared: "a declined attempt counts for nothing"': {
    messages: [
      ['AUTHORIZATION', 400],
      ['CLEARING', 100],
    ],
    card: { fields: { maxSpendPerTransaction: 399 } },
    decision: 'SPEND_LIMIT_EXCEEDED',
    end: { status: 'SETTLED', authorized: 0, settled: 100 },
    takes: { total: 100 },
    day: { spent: 0, count: 0 },
  },
  'declined, then expired by a clearing of 0': {
    messages: [
      ['AUTHORIZATION', 400],
      ['CLEARING', 0],
    ],
    card: { fields: { maxSpendPerTransaction: 399 } },
    decision: 'SPEND_LIMIT_EXCEEDED',
    end: { status: 'DECLINED', authorized: 400, declined: 'SPEND_LIMIT_EXCEEDED' },
    takes: { total: 0 },
    day: { spent: 0, count: 0 },
  },
  'declined on a frozen card, then approved by an advice: "advice and clearing are recorded whatever the card\'s status"': {
    messages: [
      ['AUTHORIZATION', 400],
      ['AUTHORIZATION_ADVICE', 300],
      ['CLEARING', 100],
    ],
    card: { status: freezing },
    decision: 'CARD_NOT_ACTIVE',
    end: { status: 'PARTIALLY_SETTLED', authorized: 300, settled: 100 },
    takes: { total: 100, held: 200 },
    day: { spent: 300, count: 1 },
  },
  'declined on a closed card, then late presentment': {
    messages: [
      ['AUTHORIZATION', 400],
      ['CLEARING', 100],
      ['CLEARING', 50],
    ],
    card: { status: closing },
    decision: 'CARD_NOT_ACTIVE',
    end: { status: 'SETTLED', authorized: 0, settled: 150 },
    takes: { total: 150 },
    day: { spent: 0, count: 0 },
  },
  'declined for insufficient funds, then cleared: the holder owes it': {
    messages: [
      ['AUTHORIZATION', 400],
      ['CLEARING', 400],
    ],
    card: { funds: 0 },
    decision: 'INSUFFICIENT_FUNDS',
    end: { status: 'EXCEPTION', authorized: 0, settled: 400 },
    takes: { total: 0 },
    day: { spent: 0, count: 0 },
  },
  'the last cent of balance and limits: an amount that was cleared before is not required again': {
    messages: [
      ['AUTHORIZATION', 400],
      ['CLEARING', 399],
    ],
    card: { funds: 400, fields: { maxSpendPerDay: 400, maxTransactionsPerDay: 1 } },
    end: { status: 'PARTIALLY_SETTLED', authorized: 400, settled: 399 },
    takes: { total: 399, held: 1 },
    day: { spent: 400, count: 1 },
  },
  'the last cent of balance and limits: an amount that an advice counted before is not counted again': {
    messages: [
      ['AUTHORIZATION', 400],
      ['AUTHORIZATION_ADVICE', 400],
    ],
    card: { funds: 400, fields: { maxSpendPerDay: 400, maxTransactionsPerDay: 1 } },
    end: { status: 'AUTHORIZED', authorized: 400 },
    takes: { total: 0, held: 400 },
    day: { spent: 400, count: 1 },
  },
};

const ordersOf = <Item>(items: readonly Item[]): Item[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item, i) => ordersOf([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [item, ...rest]));

const nameOf = (order: readonly Message[]): string => order.map((message) => message.join(' ')).join(', ');

/** The one difference between orders: a transaction that ended before its clearing has an authorized amount of 0. */
const presentedLate = /^AUTHORIZATION \d+, AUTHORIZATION_(EXPIRY|REVERSAL), CLEARING/;

async function play({ messages, card: wanted = {}, decision, end, takes, day }: Case, order: readonly Message[]): Promise<void> {
  const { funds = 1_000, fields = {}, status, wallet = false } = wanted;
  const { card, account } = wallet ? await walletCard(platform, funds) : await fundedCard(platform, funds, { fields });
  if (status) await expectStatus(200, platform.patch(`/cards/${card.id}`, status));
  const { ask, tell } = issuerOf(platform, card);
  const token = randomUUID();
  const send = ([kind, amount]: Message) =>
    ASKED.test(kind)
      ? ask({ token, kind, amount: amount as number })
      : tell(kind, token, {
          messageToken: `${token}-${kind}-${amount}`,
          cardId: card.id,
          merchant: merchant(),
          ...(amount === undefined ? {} : { amount }),
        });
  const name = nameOf(order);
  const answers: string[] = [];
  const taken = async (message: Message): Promise<boolean> => {
    const { status: http, body } = await send(message);
    if (http === 200 && ASKED.test(message[0])) answers.push(body.declinedReason ?? body.decision);
    return http === 200;
  };
  // A message is refused while its transaction does not exist, and the network sends it again. At the end every message is repeated once.
  let left: Message[] = [];
  for (const message of order) if (!(await taken(message))) left.push(message);
  for (let rest = left; rest.length > 0; rest = left) {
    left = [];
    for (const message of rest) if (!(await taken(message))) left.push(message);
    assert.ok(left.length < rest.length, `${name}: ${left.join()} is never accepted`);
  }
  for (const message of messages) assert.ok(await taken(message), name);

  assert.deepEqual(gist(await byToken(platform, token)), { ...end, ...(presentedLate.test(name) ? { authorized: 0 } : {}) }, name);
  assert.deepEqual([...new Set(answers)], [decision ?? 'APPROVED'], name);
  const { total, held = 0 } = takes;
  assert.deepEqual(await moneyOn(service.db, account), { available: funds - total - held, total: funds - total }, name);
  const counted = await service.db.one<{ spent: bigint; count: bigint }>(
    sql`select spent, count from card_days where card_id = ${card.id.slice(5)}`,
  );
  assert.deepEqual({ spent: Number(counted?.spent ?? 0), count: Number(counted?.count ?? 0) }, day, name);
}

describe('network messages in every order, each sent twice, have the same result', () => {
  for (const [name, played] of Object.entries(CASES))
    test(name, async () => {
      await Promise.all(ordersOf(played.messages).map((order) => play(played, order)));
    });

  after(async () => {
    const { data } = await expectStatus(200, platform.get('/cards?limit=1'));
    await assertAtRest(service.db, await platformOf(service.db, data[0]));
  });
});
