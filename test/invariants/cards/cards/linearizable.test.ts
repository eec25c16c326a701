// Concurrent changes of a card (PATCH, closing, revocation of the key, change of the funding source) and reads are linearizable.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { randomOf, testSeed } from '../../../prove/random.js';
import { afterRevocation, type RequestedChange, verdict, type World } from '../../../support/card-oracle.js';
import {
  activating,
  chooseProgram,
  closing,
  eventsOf,
  freezing,
  givenCard,
  historyOf,
  provisioned,
  requestCard,
} from '../../../support/cards.js';
import { type Client, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { isLinearizable, randomFrom, record } from '../../../support/linearizable.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { delegate, type Wallet, wallet } from '../../../support/wallet.js';

const HISTORIES = Number(process.env['CARD_HISTORIES'] ?? 10);
const CALLERS = 4;
const CALLS_EACH = 10;

let service: TestService;
let platform: Client;
let owner: Wallet;
let accounts: { USD: string; USDB: string };
before(async () => {
  service = await startTestService({ RATE_LIMIT_PER_MINUTE: 'off' });
  platform = service.platform;
  owner = await wallet(platform);
  accounts = { USD: (await given(platform).account(owner.customer, 'USD')).id, USDB: owner.account.id };
});
after(() => service.stop());

type State = World & { readonly limit: number | null };
type Op =
  | { readonly kind: 'PATCH'; readonly asked: RequestedChange; readonly limit?: number }
  | { readonly kind: 'GET' }
  | { readonly kind: 'REVOKE' };
type Seen = { readonly status: string; readonly statusReason: string | null; readonly funding: string; readonly limit: number | null };
type Result = { readonly http: number; readonly code?: string; readonly seen?: Seen };

const seenOf = ({ status, statusReason, funding, limit }: State): Seen => ({ status, statusReason, funding, limit });
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The state after the call, if the model gives the same answer. */
function step(state: State, op: Op, { http, code, seen }: Result): State | undefined {
  if (op.kind === 'GET') return same(seenOf(state), seen) ? state : undefined;
  if (op.kind === 'REVOKE') return http === 204 ? { ...state, ...afterRevocation(state) } : undefined;
  const { refusal, world } = verdict(state, op.asked);
  if (refusal) return same(refusal, [http, code]) ? state : undefined;
  const next = { ...world, limit: op.limit ?? state.limit };
  return http === 200 && same(seenOf(next), seen) ? next : undefined;
}

const REASONED = { FROZEN: freezing, ACTIVE: activating, CLOSED: closing };

async function perform(cardId: string, keyId: string, op: Op): Promise<Result> {
  if (op.kind === 'REVOKE') return { http: (await platform.delete(`/auth/delegated-keys/${keyId}`)).status };
  const answer =
    op.kind === 'GET'
      ? await platform.get(`/cards/${cardId}`)
      : await platform.patch(`/cards/${cardId}`, {
          ...(op.asked.status && REASONED[op.asked.status]),
          ...(op.asked.funding && { fundingSource: accounts[op.asked.funding] }),
          ...(op.limit && { maxSpendPerDay: op.limit }),
        });
  if (answer.status !== 200) return { http: answer.status, code: answer.body?.code };
  const { status, statusReason = null, fundingSource, maxSpendPerDay } = answer.body;
  return { http: 200, seen: { status, statusReason, funding: fundingSource === accounts.USD ? 'USD' : 'USDB', limit: maxSpendPerDay } };
}

/** Forty calls in a repeatable random order, one revocation among them, and a closing in some histories only. */
function plan(random: () => number): Op[] {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const patch = (asked: RequestedChange, limit?: number): Op => ({ kind: 'PATCH', asked, ...(limit ? { limit } : {}) });
  const ops = Array.from({ length: CALLERS * CALLS_EACH }, (): Op => {
    const limit = 1 + Math.floor(random() * 1_000_000);
    return pick<() => Op>([
      () => patch({ status: 'FROZEN' }),
      () => patch({ status: 'ACTIVE' }),
      () => patch({ funding: 'USD' }),
      () => patch({ funding: 'USDB' }),
      () => patch({ status: 'ACTIVE', funding: pick(['USD', 'USDB']) }, limit),
      () => patch({ status: 'FROZEN', funding: pick(['USD', 'USDB']) }, limit),
      () => patch({}, limit),
      () => ({ kind: 'GET' }),
      () => ({ kind: 'GET' }),
    ])();
  });
  ops[Math.floor(random() * ops.length)] = { kind: 'REVOKE' };
  if (random() < 0.3) ops[ops.length - 1 - Math.floor(random() * 8)] = patch({ status: 'CLOSED' });
  if (!ops.some(({ kind }) => kind === 'REVOKE')) ops[0] = { kind: 'REVOKE' };
  return ops;
}

test(`${HISTORIES} histories of ${CALLERS * CALLS_EACH} calls by ${CALLERS} concurrent callers are linearizable`, async () => {
  await chooseProgram(platform, 'service_full');
  for (let i = 0; i < HISTORIES; i += 1) {
    const seed = Number(process.env['SEED'] ?? randomOf(`${testSeed()}/card changes/${i}`).int(0, 2 ** 32 - 1));
    const { id } = await expectStatus(201, requestCard(platform, { customerId: owner.customer.id, fundingSource: accounts.USDB }));
    await provisioned(platform, id);
    const key = await delegate(owner, { id });
    const ops = plan(randomFrom(seed));

    const calls = await record(ops, CALLERS, (op) => perform(id, key.id, op));

    const initial: State = { status: 'ACTIVE', statusReason: null, funding: 'USDB', hasKey: true, decides: 'SERVICE', limit: null };
    assert.ok(isLinearizable(initial, calls, step), `seed ${seed}: no order explains ${JSON.stringify(calls, null, 1)}`);
    await assertTold(id, seed);
  }
});

/** One webhook for each requested transition, in the order of the transitions; none for automatic transitions. */
async function assertTold(id: string, seed: number): Promise<void> {
  const requested = (await historyOf(service.db, id)).filter(({ cause, reason }) => cause === 'PROVISIONED' || reason !== null);
  const events = await eventsOf(service.db, id);
  assert.deepEqual(
    events.map(({ data }) => data.status),
    requested.map(({ to_status }) => to_status),
    `seed ${seed}`,
  );
}

test('64 concurrent closings: one succeeds with one webhook and one row of history; the others answer CARD_ALREADY_CLOSED', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { card } = await givenCard(platform);
    const answers = await Promise.all(Array.from({ length: 64 }, () => platform.patch(`/cards/${card.id}`, closing)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ body }) => body.code === 'CARD_ALREADY_CLOSED').length, 63);
    assert.equal((await eventsOf(service.db, card.id)).length, 2);
    assert.equal((await historyOf(service.db, card.id)).length, 3);
  }
});

test('a pool of one database connection does not deadlock: concurrent issuing, changes, reveals and reads, then closing', async () => {
  const narrow = await startTestService({ DATABASE_POOL_SIZE: '1' });
  try {
    const cards = await Promise.all(Array.from({ length: 4 }, async () => (await givenCard(narrow.platform)).card));
    const rounds = cards.flatMap(({ id }) => [
      narrow.platform.patch(`/cards/${id}`, freezing),
      narrow.platform.post(`/cards/${id}/reveal`),
      narrow.platform.get(`/cards/${id}`),
      narrow.platform.patch(`/cards/${id}`, { maxSpendPerDay: 5 }),
    ]);
    for (const answer of await Promise.all(rounds)) assert.equal(answer.status, 200, answer.text);
    for (const { id } of cards) await expectStatus(200, narrow.platform.patch(`/cards/${id}`, closing));
  } finally {
    await narrow.stop();
  }
});

test('the linearizability check fails for a read of an older state and for a transition that happened twice', () => {
  const initial: State = { status: 'ACTIVE', statusReason: null, funding: 'USD', hasKey: false, decides: 'SERVICE', limit: null };
  const frozen: Result = { http: 200, seen: { ...seenOf(initial), status: 'FROZEN' } };
  const freeze: Op = { kind: 'PATCH', asked: { status: 'FROZEN' } };
  const call = (op: Op, result: Result, start: number, end: number) => ({ op, result, start, end });
  assert.equal(
    isLinearizable(initial, [call(freeze, frozen, 0, 1), call({ kind: 'GET' }, { http: 200, seen: seenOf(initial) }, 2, 3)], step),
    false,
  );
  assert.equal(
    isLinearizable(initial, [call(freeze, frozen, 0, 3), call({ kind: 'GET' }, { http: 200, seen: seenOf(initial) }, 1, 2)], step),
    true,
  );
  assert.equal(isLinearizable(initial, [call(freeze, frozen, 0, 3), call(freeze, frozen, 0, 3)], step), false);
});
