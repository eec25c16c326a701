// Goal G2: concurrent authorizations, changes of the card's limits and status, changes of the platform's limits, closings and reads are
// linearizable. So no approval starts after the 200 to a change that forbids it. HISTORIES sets the number of histories.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { randomOf, testSeed } from '../../../prove/random.js';
import { type RequestedChange, verdict, type World } from '../../../support/card-oracle.js';
import { assertAtRest, fundedCard, issuerOf, moneyOn, platformOf } from '../../../support/card-transactions.js';
import { activating, closing, freezing } from '../../../support/cards.js';
import { type Client, expectStatus } from '../../../support/client.js';
import { type Call, isLinearizable, randomFrom, record } from '../../../support/linearizable.js';
import { startTestService, type TestService } from '../../../support/service.js';

const HISTORIES = Number(process.env['HISTORIES'] ?? 10);
const CALLERS = 4;
const CALLS_EACH = 10;
const FUNDS = 1_000;

let service: TestService;
before(async () => {
  service = await startTestService({ RATE_LIMIT_PER_MINUTE: 'off' });
});
after(() => service.stop());

const LIMITS = ['maxSpendPerTransaction', 'maxSpendPerDay', 'maxTransactionsPerDay'] as const;
type Limits = Readonly<Record<(typeof LIMITS)[number], number | null>>;
const NO_LIMITS: Limits = { maxSpendPerTransaction: null, maxSpendPerDay: null, maxTransactionsPerDay: null };

type State = {
  readonly world: World;
  readonly card: Limits;
  readonly platform: Limits;
  readonly available: number;
  readonly spent: number;
  readonly count: number;
};

type Op =
  | { readonly kind: 'AUTHORIZE'; readonly amount: number }
  | { readonly kind: 'PATCH'; readonly asked: RequestedChange; readonly limits: Partial<Limits> }
  | { readonly kind: 'CONFIG'; readonly limits: Partial<Limits> }
  | { readonly kind: 'READ' }
  /** Reads the balance of the account after all calls. */
  | { readonly kind: 'COUNT' };
type Result = { readonly answer: unknown };

/** "Effective value is the lower of the card value and cardConfigs"; "exactly the limit is allowed". */
function reasonOf({ world, card, platform, available, spent, count }: State, amount: number): string {
  const over = (name: keyof Limits, value: number) => [card[name], platform[name]].some((limit) => limit !== null && value > limit);
  if (world.status !== 'ACTIVE') return 'CARD_NOT_ACTIVE';
  if (over('maxSpendPerTransaction', amount) || over('maxSpendPerDay', spent + amount) || over('maxTransactionsPerDay', count + 1))
    return 'SPEND_LIMIT_EXCEEDED';
  return amount > available ? 'INSUFFICIENT_FUNDS' : 'APPROVED';
}

const seenOf = ({ world, card }: Pick<State, 'world' | 'card'>) => ({ status: world.status, ...card });

/** The answer according to the specification, and the state after it. */
function next(state: State, op: Op): { state: State; answer: unknown } {
  switch (op.kind) {
    case 'AUTHORIZE': {
      const answer = reasonOf(state, op.amount);
      if (answer !== 'APPROVED') return { state, answer };
      const { available, spent, count } = state;
      return { state: { ...state, available: available - op.amount, spent: spent + op.amount, count: count + 1 }, answer };
    }
    case 'PATCH': {
      const { refusal, world } = verdict(state.world, op.asked);
      if (refusal) return { state, answer: refusal };
      // "Pending authorizations reconcile to a terminal state" when the card is closed: their holds are released.
      const available = world.status === 'CLOSED' ? FUNDS : state.available;
      const after = { ...state, world, available, card: { ...state.card, ...op.limits } };
      return { state: after, answer: seenOf(after) };
    }
    case 'CONFIG':
      return { state: { ...state, platform: { ...state.platform, ...op.limits } }, answer: 200 };
    case 'READ':
      return { state, answer: seenOf(state) };
    case 'COUNT':
      return { state, answer: { available: state.available, total: FUNDS } };
  }
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function step(state: State, op: Op, { answer }: Result): State | undefined {
  const expected = next(state, op);
  return same(expected.answer, answer) ? expected.state : undefined;
}

const INITIAL: State = {
  world: { status: 'ACTIVE', statusReason: null, funding: 'USD', hasKey: false, decides: 'SERVICE' },
  card: NO_LIMITS,
  platform: NO_LIMITS,
  available: FUNDS,
  spent: 0,
  count: 0,
};

const REASONED = { FROZEN: freezing, ACTIVE: activating, CLOSED: closing };

async function perform(platform: Client, cardId: string, op: Exclude<Op, { kind: 'COUNT' }>): Promise<Result> {
  switch (op.kind) {
    case 'AUTHORIZE': {
      const { decision, declinedReason } = await expectStatus(200, issuerOf(platform, { id: cardId }).ask({ amount: op.amount }));
      return { answer: declinedReason ?? decision };
    }
    case 'CONFIG':
      return { answer: (await platform.patch('/config', { cardConfigs: op.limits })).status };
    case 'PATCH':
    case 'READ': {
      const { status, body } =
        op.kind === 'READ'
          ? await platform.get(`/cards/${cardId}`)
          : await platform.patch(`/cards/${cardId}`, { ...(op.asked.status && REASONED[op.asked.status]), ...op.limits });
      if (status !== 200) return { answer: [status, body.code] };
      return { answer: { status: body.status, ...Object.fromEntries(LIMITS.map((name) => [name, body[name] ?? null])) } };
    }
  }
}

/** Half of the calls charge the card; some histories close it near the end. */
function plan(random: () => number): Exclude<Op, { kind: 'COUNT' }>[] {
  const upTo = (most: number): number => 1 + Math.floor(random() * most);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const limit = (): Partial<Limits> => {
    const name = pick(LIMITS);
    return { [name]: random() < 0.3 ? null : upTo(name === 'maxTransactionsPerDay' ? 12 : name === 'maxSpendPerDay' ? 1_200 : 150) };
  };
  const ops = Array.from({ length: CALLERS * CALLS_EACH }, () =>
    random() < 0.5
      ? ({ kind: 'AUTHORIZE', amount: upTo(150) } as const)
      : pick<() => Exclude<Op, { kind: 'COUNT' }>>([
          () => ({ kind: 'PATCH', asked: {}, limits: limit() }),
          () => ({ kind: 'PATCH', asked: {}, limits: limit() }),
          () => ({ kind: 'PATCH', asked: { status: 'FROZEN' }, limits: {} }),
          () => ({ kind: 'PATCH', asked: { status: 'ACTIVE' }, limits: random() < 0.5 ? limit() : {} }),
          () => ({ kind: 'PATCH', asked: { status: 'ACTIVE' }, limits: {} }),
          () => ({ kind: 'CONFIG', limits: limit() }),
          () => ({ kind: 'READ' }),
        ])(),
  );
  if (random() < 0.3) ops[ops.length - upTo(8)] = { kind: 'PATCH', asked: { status: 'CLOSED' }, limits: {} };
  return ops;
}

test(`${HISTORIES} histories of ${CALLERS * CALLS_EACH} calls by ${CALLERS} concurrent callers are linearizable`, async () => {
  for (let i = 0; i < HISTORIES; i += 1) {
    const seed = Number(process.env['SEED'] ?? randomOf(`${testSeed()}/card authorizations/${i}`).int(0, 2 ** 32 - 1));
    const platform = await service.newPlatform();
    const { card, account } = await fundedCard(platform, FUNDS);
    const ops = plan(randomFrom(seed));

    const calls: Call<Op, Result>[] = await record(ops, CALLERS, (op) => perform(platform, card.id, op));
    const start = performance.now();
    calls.push({ op: { kind: 'COUNT' }, result: { answer: await moneyOn(service.db, account) }, start, end: performance.now() });

    assert.ok(isLinearizable(INITIAL, calls, step), `seed ${seed}: no order explains ${JSON.stringify(calls, null, 1)}`);
    await assertAtRest(service.db, await platformOf(service.db, card));
  }
});

test('the linearizability check fails for an approval that started after the 200 to a freeze or a lower limit, and for money spent twice', () => {
  const call = (op: Op, answer: unknown, start: number, end: number) => ({ op, result: { answer }, start, end });
  const freeze: Op = { kind: 'PATCH', asked: { status: 'FROZEN' }, limits: {} };
  const lower: Op = { kind: 'PATCH', asked: {}, limits: { maxSpendPerDay: 10 } };
  const charge: Op = { kind: 'AUTHORIZE', amount: 600 };
  for (const change of [freeze, lower]) {
    const { answer } = next(INITIAL, change);
    assert.equal(isLinearizable(INITIAL, [call(change, answer, 0, 1), call(charge, 'APPROVED', 2, 3)], step), false);
    assert.equal(isLinearizable(INITIAL, [call(change, answer, 0, 2), call(charge, 'APPROVED', 1, 3)], step), true);
  }
  assert.equal(isLinearizable(INITIAL, [call(charge, 'APPROVED', 0, 2), call(charge, 'APPROVED', 1, 3)], step), false);
});
