// Random histories of deposits, transfers, returns, cancellations and decisions against a plain model: statuses and balances after every
// step, what the reserve bears, and money conserved. PAYMENT_HISTORIES sets how many histories are run, PROVE_SEED repeats one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Random, randomOf, testSeed } from '../../prove/random.js';
import { type Client, expectStatus } from '../../support/client.js';
import { announce } from '../../support/incoming.js';
import { assertLedgerHolds } from '../../support/ledger.js';
import { quoting } from '../../support/quotes.js';
import { startTestService, type TestService } from '../../support/service.js';
import { platformIdOf } from '../../support/webhooks/platform.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

const HISTORIES = Number(process.env['PAYMENT_HISTORIES'] ?? 3);
const STEPS = 40;
const SECOND = 1_000;

let service: TestService;
before(async () => {
  // Without a worker due work happens only when the model says so.
  service = await startTestService({ ROLE: 'api' });
});
after(() => service.stop());

type State = 'WAITING' | 'OPEN' | 'DONE' | 'ENDED' | 'RETURNED' | 'RESTORED';
type ModelPayment = {
  readonly id: string;
  readonly kind: 'DEPOSIT' | 'PULL' | 'PUSH' | 'QUOTE' | 'ANNOUNCED';
  readonly amount: number;
  /** What happens to an open order, and when. */
  readonly due: number;
  readonly succeeds: boolean;
  state: State;
  status: string;
  borne: number;
};

class Model {
  balance = 0;
  /** What the reserve has paid. */
  reserve = 0;
  now = Date.parse('2026-05-05T10:00:00.000Z');
  readonly payments: ModelPayment[] = [];

  add(payment: Omit<ModelPayment, 'borne'>): void {
    this.payments.push({ ...payment, borne: 0 });
  }

  /** Orders whose time has come, at the present moment. */
  settle(): void {
    for (const payment of this.payments) {
      if (payment.state === 'WAITING' && this.now >= payment.due) this.end(payment, 'FAILED');
      if (payment.state !== 'OPEN' || this.now < payment.due) continue;
      const isIn = payment.kind === 'PULL' || payment.kind === 'ANNOUNCED';
      if (payment.succeeds) {
        payment.state = 'DONE';
        payment.status = 'COMPLETED';
        if (isIn) this.balance += payment.amount;
      } else {
        this.end(payment, 'FAILED');
        if (!isIn) this.balance += payment.amount;
      }
    }
  }

  private end(payment: ModelPayment, status: string): void {
    payment.state = 'ENDED';
    payment.status = status;
  }

  cancel(payment: ModelPayment): number {
    if (payment.state !== 'OPEN' || payment.kind === 'ANNOUNCED') return payment.state === 'OPEN' ? 400 : 409;
    if (payment.kind === 'PULL') this.end(payment, 'FAILED');
    else {
      this.end(payment, 'COMPLETED');
      this.balance += payment.amount;
    }
    return 200;
  }

  decide(payment: ModelPayment, approves: boolean): number {
    if (payment.state !== 'WAITING' || this.now >= payment.due) return 409;
    if (!approves) this.end(payment, 'REJECTED');
    else {
      payment.state = 'DONE';
      payment.status = 'COMPLETED';
      this.balance += payment.amount;
    }
    return 200;
  }

  bank(payment: ModelPayment, event: string): number {
    const isAch = payment.kind !== 'ANNOUNCED';
    const isOut = payment.kind === 'PUSH' || payment.kind === 'QUOTE';
    if (!isAch) return 409;
    if (event === 'RETURN' && payment.state === 'DONE') {
      payment.state = 'RETURNED';
      payment.status = 'FAILED';
      if (isOut) this.balance += payment.amount;
      else this.takeBack(payment);
      return 200;
    }
    if (event === 'REVERSE' && payment.state === 'DONE' && !isOut) {
      this.end(payment, 'FAILED');
      this.takeBack(payment);
      return 200;
    }
    if (event === 'DISHONOR' && payment.state === 'RETURNED') {
      payment.state = 'RESTORED';
      if (isOut) return 200;
      payment.status = 'COMPLETED';
      this.balance += payment.amount - payment.borne;
      this.reserve -= payment.borne;
      payment.borne = 0;
      return 200;
    }
    if (event === 'CONTEST' && payment.state === 'RESTORED') {
      payment.state = 'ENDED';
      if (isOut) return 200;
      payment.status = 'FAILED';
      this.takeBack(payment);
      return 200;
    }
    return 409;
  }

  private takeBack(payment: ModelPayment): void {
    const taken = Math.min(this.balance, payment.amount);
    this.balance -= taken;
    payment.borne = payment.amount - taken;
    this.reserve += payment.borne;
  }
}

test(`${HISTORIES} random histories of ${STEPS} steps follow the model`, async () => {
  const seed = testSeed();
  for (let i = 0; i < HISTORIES; i += 1) await history(randomOf(`${seed}/incoming ${i}`));
});

async function history(random: Random): Promise<void> {
  const platform = await service.newPlatform();
  const pay = quoting(platform);
  const model = new Model();
  await platform.clock.freeze(new Date(model.now));
  const customer = await pay.customer();
  const account = { ...(await pay.account(customer, 'USD')), customerId: customer.id };
  const banks: Record<string, Resource> = {};
  for (const ending of ['999', '002', '003', '005']) banks[ending] = await pay.usd(customer, ending);
  const trail: string[] = [];
  const told = () => `${trail.join('; ')} (seed ${random.seed})`;
  const expectAnswer = async (what: string, expected: number, call: Promise<{ status: number; text: string }>) => {
    trail.push(what);
    const answer = await call;
    assert.equal(answer.status, expected, `${told()}: ${answer.text}`);
  };
  const transfer = (direction: 'in' | 'out', ending: string, amount: number) => {
    const [bank, own] = [{ accountId: banks[ending].id }, { accountId: account.id }];
    const ends = direction === 'in' ? { source: bank, destination: own } : { source: own, destination: bank };
    return platform.post(`/transfer-${direction}`, { ...ends, amount });
  };

  for (let step = 0; step < STEPS; step += 1) {
    const amount = random.int(100, 20_000);
    const payment = model.payments.length > 0 ? random.pick(model.payments) : undefined;
    const command = random.weighted({ deposit: 4, pull: 2, push: 3, quote: 2, announce: 3, decide: 4, cancel: 3, bank: 6, advance: 3 });
    switch (command) {
      case 'deposit':
        await pay.fund(account, amount);
        model.balance += amount;
        model.add({
          id: await latest(platform, account),
          kind: 'DEPOSIT',
          amount,
          due: 0,
          succeeds: true,
          state: 'DONE',
          status: 'COMPLETED',
        });
        trail.push(`deposit ${amount}`);
        break;
      case 'pull': {
        const ending = random.pick(['999', '002', '005']);
        const made = await expectStatus(200, transfer('in', ending, amount));
        const due = model.now + (ending === '005' ? 30 * SECOND : 0);
        model.add({ id: made.id, kind: 'PULL', amount, due, succeeds: ending === '999', state: 'OPEN', status: 'PENDING' });
        trail.push(`pull ${ending} ${amount}`);
        break;
      }
      case 'push':
      case 'quote': {
        const ending = random.pick(command === 'push' ? ['999', '002', '005'] : ['999', '003']);
        const call =
          command === 'push'
            ? transfer('out', ending, amount)
            : platform.post('/quotes', pay.request(account, banks[ending], amount, { immediatelyExecute: true }));
        const answer = await call;
        trail.push(`${command} ${ending} ${amount}`);
        if (model.balance < amount) {
          assert.equal(answer.body.code, 'INSUFFICIENT_FUNDS', told());
          break;
        }
        assert.equal(answer.status, 200, `${told()}: ${answer.text}`);
        model.balance -= amount;
        const seconds = ending === '005' ? 30 : ending === '003' ? 360 : 0;
        model.add({
          id: command === 'push' ? answer.body.id : answer.body.transactionId,
          kind: command === 'push' ? 'PUSH' : 'QUOTE',
          amount,
          due: model.now + seconds * SECOND,
          succeeds: ending === '999' || ending === '003',
          state: 'OPEN',
          status: command === 'push' ? 'PENDING' : 'PROCESSING',
        });
        break;
      }
      case 'announce': {
        const money = { amount: BigInt(amount), currency: 'USD' };
        const id = await announce(service, platform, account, { sent: money, received: money });
        model.add({ id, kind: 'ANNOUNCED', amount, due: model.now + 10 * SECOND, succeeds: true, state: 'WAITING', status: 'PENDING' });
        trail.push(`announce ${amount}`);
        break;
      }
      case 'decide': {
        const waiting = model.payments.filter(({ kind }) => kind === 'ANNOUNCED');
        if (waiting.length === 0) break;
        const chosen = random.pick(waiting);
        const approves = random.int(0, 2) > 0;
        const path = approves ? 'approve' : 'reject';
        await expectAnswer(
          `${path} ${model.payments.indexOf(chosen)}`,
          model.decide(chosen, approves),
          platform.post(`/transactions/${chosen.id}/${path}`),
        );
        break;
      }
      case 'cancel':
        if (!payment) break;
        await expectAnswer(
          `cancel ${model.payments.indexOf(payment)}`,
          model.cancel(payment),
          platform.post(`/transactions/${payment.id}/cancel`),
        );
        break;
      case 'bank': {
        if (!payment) break;
        const event = random.pick(['RETURN', 'DISHONOR', 'CONTEST', 'REVERSE']);
        const expected = model.bank(payment, event);
        const call = platform.post(`/sandbox/transactions/${payment.id}/rail-event`, { event });
        await expectAnswer(`${event} ${model.payments.indexOf(payment)}`, expected, call);
        break;
      }
      case 'advance': {
        const seconds = random.pick([0, 5, 29, 31, 360]);
        const target = model.now + seconds * SECOND;
        for (model.settle(); model.now < target; model.settle()) model.now += SECOND;
        await platform.clock.advance(seconds * SECOND);
        trail.push(`advance ${seconds}`);
        break;
      }
    }
    await platform.clock.advance(0);
    model.settle();
    assert.equal(await pay.balance(account), model.balance, told());
    for (const { id, status } of model.payments)
      assert.equal((await expectStatus(200, platform.get(`/transactions/${id}`))).status, status, `${told()}: ${id}`);
  }
  await assertLedgerHolds(service.db, await platformIdOf(service, platform));
  const { data } = await expectStatus(200, platform.get('/platform/positions'));
  const position = (purpose: string): number =>
    data.find((row: Resource) => row.purpose === purpose && row.currency === 'USD')?.balance ?? 0;
  assert.equal(position('RESERVE') + model.reserve, 0, told());
  const underWay = model.payments.filter(({ kind, state }) => state === 'OPEN' && (kind === 'PUSH' || kind === 'QUOTE'));
  assert.equal(
    position('CLEARING'),
    underWay.reduce((sum, { amount }) => sum + amount, 0),
    told(),
  );
}

const latest = async (platform: Client, account: Resource): Promise<string> =>
  (await expectStatus(200, platform.get(`/transactions?type=INCOMING&receiverAccountIdentifier=${account.id}&limit=1`))).data[0].id;
