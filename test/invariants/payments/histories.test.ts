// Random histories of payments against a plain model: balances, states and events after every step, and money conserved in each currency.
// PAYMENT_HISTORIES sets how many histories are run, PROVE_SEED repeats one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../../src/db/sql.js';
import { idOf, uuidOf } from '../../../src/kernel/ids.js';
import { type Random, randomOf, testSeed } from '../../prove/random.js';
import { assertLedgerHolds } from '../../support/ledger.js';
import { eventsOf, quoting } from '../../support/quotes.js';
import { startTestService, type TestService } from '../../support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

const HISTORIES = Number(process.env['PAYMENT_HISTORIES'] ?? 3);
const STEPS = 25;
const SECOND = 1_000;

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

/** What each ending does to a payment, and after how many seconds: the events after PROCESSING, and whether the payer has the money back. */
const ENDINGS: Readonly<Record<string, readonly { readonly after: number; readonly events: readonly string[]; readonly back?: true }[]>> = {
  '999': [{ after: 0, events: ['COMPLETED'] }],
  '002': [{ after: 0, events: ['FAILED', 'REFUND_PENDING', 'REFUND_COMPLETED'], back: true }],
  '003': [{ after: 360, events: ['COMPLETED'] }],
  '004': [{ after: 0, events: ['FAILED', 'REFUND_PENDING', 'REFUND_COMPLETED'], back: true }],
  '005': [
    { after: 0, events: ['COMPLETED'] },
    { after: 30, events: ['FAILED', 'REFUND_PENDING', 'REFUND_COMPLETED'], back: true },
  ],
  '006': [{ after: 0, events: ['REFUND_PENDING', 'REFUND_COMPLETED', 'COMPLETED'], back: true }],
  '007': [{ after: 0, events: ['FAILED', 'REFUND_PENDING', 'REFUND_FAILED'] }],
};

type ModelPayment = {
  readonly quote: Resource;
  readonly from: number;
  readonly to: number | undefined;
  readonly amount: number;
  readonly ending: string;
  readonly expiresAt: number;
  executedAt?: number;
  /** The part of the plan that has happened. */
  done: number;
  events: string[];
};

class Model {
  readonly balances: number[] = [];
  readonly payments: ModelPayment[] = [];
  now = Date.parse('2026-05-05T10:00:00.000Z');

  /** Everything that is due happens. */
  settle(): void {
    for (const payment of this.payments) {
      if (payment.executedAt === undefined && payment.events.length === 1 && this.now >= payment.expiresAt) payment.events.push('EXPIRED');
      if (payment.executedAt === undefined || payment.to !== undefined) continue;
      const plan = ENDINGS[payment.ending] ?? [];
      for (const step of plan.slice(payment.done)) {
        if (this.now < payment.executedAt + step.after * SECOND) break;
        payment.done += 1;
        payment.events.push(...step.events);
        if (step.back) this.balances[payment.from] = (this.balances[payment.from] ?? 0) + payment.amount;
      }
    }
  }

  /** Whether the execution succeeds. */
  execute(payment: ModelPayment): number {
    if (payment.events.includes('EXPIRED') || (payment.executedAt === undefined && this.now >= payment.expiresAt)) return 400;
    if (payment.executedAt !== undefined) return 409;
    const balance = this.balances[payment.from] ?? 0;
    if (balance < payment.amount) return 400;
    this.balances[payment.from] = balance - payment.amount;
    payment.executedAt = this.now;
    payment.events.push('PROCESSING');
    if (payment.to !== undefined) {
      this.balances[payment.to] = (this.balances[payment.to] ?? 0) + payment.amount;
      payment.events.push('COMPLETED');
    }
    return 200;
  }
}

test(`${HISTORIES} random histories of ${STEPS} steps follow the model`, async () => {
  const seed = testSeed();
  for (let i = 0; i < HISTORIES; i += 1) await history(randomOf(`${seed}/payments ${i}`));
});

async function history(random: Random): Promise<void> {
  const platform = await service.newPlatform();
  const pay = quoting(platform);
  await pay.currencies('USD', 'EUR');
  const model = new Model();
  await platform.clock.freeze(new Date(model.now));
  const customers = [await pay.customer(), await pay.customer()];
  const accounts: Resource[] = [];
  for (const customer of customers) accounts.push({ ...(await pay.account(customer, 'USD')), customerId: customer.id });
  model.balances.push(...accounts.map(() => 0));
  const row = await service.db.one<{ platform_id: string }>(
    sql`select platform_id from internal_accounts where id = ${uuidOf(accounts[0].id)}`,
  );
  const platformId = idOf('Platform', row?.platform_id ?? '');
  const trail: string[] = [];

  for (let step = 0; step < STEPS; step += 1) {
    const holder = random.int(0, 1);
    const command = random.weighted({ fund: 2, pay: 5, inside: 2, execute: 6, advance: 3 });
    switch (command) {
      case 'fund': {
        const amount = random.int(1, 50_000);
        await pay.fund(accounts[holder], amount);
        model.balances[holder] = (model.balances[holder] ?? 0) + amount;
        trail.push(`fund ${holder} ${amount}`);
        break;
      }
      case 'pay':
      case 'inside': {
        const amount = random.int(100, 20_000);
        const ending = command === 'inside' ? '' : random.pick(Object.keys(ENDINGS));
        const to = command === 'inside' ? 1 - holder : undefined;
        const destination = to === undefined ? await pay.eur(customers[holder], ending) : accounts[to];
        const quote = await pay.quote(pay.request(accounts[holder], destination, amount));
        model.payments.push({ quote, from: holder, to, amount, ending, expiresAt: model.now + 300 * SECOND, done: 0, events: ['PENDING'] });
        trail.push(`quote ${model.payments.length - 1}: ${holder} → ${to ?? ending} ${amount}`);
        break;
      }
      case 'execute': {
        if (model.payments.length === 0) break;
        const at = random.int(0, model.payments.length - 1);
        const payment = model.payments[at] as ModelPayment;
        const expected = model.execute(payment);
        const answer = await platform.post(`/quotes/${payment.quote.id}/execute`);
        trail.push(`execute ${at}`);
        assert.equal(answer.status, expected, `${trail.join('; ')} (seed ${random.seed}): ${answer.text}`);
        break;
      }
      case 'advance': {
        const seconds = random.pick([0, 29, 30, 31, 200, 360]);
        // Due work happens at its own time on the way.
        const target = model.now + seconds * SECOND;
        model.settle();
        for (; model.now < target; ) {
          model.now += SECOND;
          model.settle();
        }
        await platform.clock.advance(seconds * SECOND);
        trail.push(`advance ${seconds}`);
        break;
      }
    }
    // The worker may or may not have done what is due; after an advance of zero it is done.
    await platform.clock.advance(0);
    model.settle();
    const told = `${trail.join('; ')} (seed ${random.seed})`;
    for (const [i, account] of accounts.entries()) assert.equal(await pay.balance(account), model.balances[i], told);
    for (const payment of model.payments) assert.deepEqual(await eventsOf(service.db, payment.quote.transactionId), payment.events, told);
  }
  await assertLedgerHolds(service.db, platformId);
  await assertPositions(platformId, model);
}

/** Clearing holds exactly what is under way, suspense what could not be refunded. */
async function assertPositions(platformId: Parameters<typeof assertLedgerHolds>[1], model: Model): Promise<void> {
  const rows = await service.db.many<{ purpose: string; currency: string; sum: bigint }>(sql`
    select a.purpose, a.currency, sum(e.amount)::bigint as sum from entries e
    join ledger_accounts a on a.platform_id = e.platform_id and a.id = e.account_id
    where e.platform_id = ${uuidOf(platformId)} and a.purpose in ('CLEARING', 'SUSPENSE') group by a.purpose, a.currency`);
  const sum = (purpose: string, currency: string) =>
    Number(rows.find((row) => row.purpose === purpose && row.currency === currency)?.sum ?? 0n);
  const total = (payments: readonly ModelPayment[]) => payments.reduce((all, { amount }) => all + amount, 0);
  const underWay = model.payments.filter(({ events }) => events.at(-1) === 'PROCESSING');
  assert.equal(sum('CLEARING', 'USD'), total(underWay));
  assert.equal(sum('CLEARING', 'EUR'), 0);
  assert.equal(sum('SUSPENSE', 'USD'), total(model.payments.filter(({ events }) => events.at(-1) === 'REFUND_FAILED')));
}
