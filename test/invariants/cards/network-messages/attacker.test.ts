// An attacker who controls a cardholder and merchants sends any messages in any order to get money out that never came in.
// ATTACKS sets the number of histories.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import {
  assertAtRest,
  byToken,
  fundedCard,
  lentByReserve,
  moneyOn,
  networkOf,
  owedOn,
  platformOf,
  pulledAhead,
  walletCard,
} from '../../../support/card-transactions.js';
import { expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { startTestService, type TestService } from '../../../support/service.js';

const ATTACKS = Number(process.env['ATTACKS'] ?? 6);

// biome-ignore lint/suspicious/noExplicitAny: the shape of responses is checked against the document.
type Resource = any;

let service: TestService;
before(async () => {
  service = await startTestService({ RATE_LIMIT_PER_MINUTE: 'off' });
});
after(() => service.stop());

const amount = fc.integer({ min: 1, max: 700 });
const which = fc.nat(1_000);
/** A descriptor that ends in 006 simulates a pull that fails. */
const descriptor = fc.constantFrom('SHOP', 'SHOP', 'SHOP 006');

const attack = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('authorization' as const), amount, descriptor }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('financial_authorization' as const), amount, descriptor }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('financial_credit_authorization' as const), amount, descriptor }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('clearing' as const), which, amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('authorization_advice' as const), which, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('authorization_reversal' as const), which }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('return' as const), which, amount }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('return_reversal' as const), which }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('dispute_open' as const), which, amount }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('dispute_provisional_credit' as const), which, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('dispute_provisional_credit_reversal' as const), which, amount }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('dispute_close' as const),
      which,
      disposition: fc.constantFrom('WON', 'LOST', 'LOST', 'DENIED', 'WITHDRAWN'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fund' as const), amount }) },
);
type Attack = typeof attack extends fc.Arbitrary<infer Value> ? Value : never;

const DISPUTES: ReadonlySet<Attack['kind']> = new Set([
  'dispute_open',
  'dispute_provisional_credit',
  'dispute_provisional_credit_reversal',
  'dispute_close',
]);

const sum = (amounts: readonly number[]): number => amounts.reduce((total, one) => total + one, 0);

async function startAttack(isWallet: boolean) {
  const platform = await service.newPlatform();
  const { card, account } = await (isWallet ? walletCard : fundedCard)(platform, 1_000);
  const platformId = await platformOf(service.db, card);
  const network = networkOf(platform, card);
  const transactions: Resource[] = [];
  /** By transaction. What the reserve has lent is what the open disputes have credited. */
  const credited = new Map<string, number>();
  let deposited = 1_000;
  let recovered = 0;

  const claimed = new Map<string, number>();

  const note = (asked: Attack, target: Resource): void => {
    if (asked.kind === 'dispute_open') claimed.set(target.id, asked.amount);
    const earlier = credited.get(target.id) ?? 0;
    if (asked.kind === 'dispute_provisional_credit') credited.set(target.id, earlier + asked.amount);
    if (asked.kind === 'dispute_provisional_credit_reversal') credited.set(target.id, earlier - asked.amount);
    if (asked.kind !== 'dispute_close') return;
    credited.delete(target.id);
    if (asked.disposition === 'WON') recovered += claimed.get(target.id) ?? 0;
  };

  const perform = async (asked: Attack): Promise<void> => {
    if (asked.kind === 'fund') {
      deposited += asked.amount;
      await given(platform).fund(account, asked.amount);
      return;
    }
    if ('descriptor' in asked) {
      transactions.push(await network.open(asked.kind, asked.amount, asked.descriptor));
      return;
    }
    const target = transactions[asked.which % Math.max(1, transactions.length)];
    if (!target) return;
    const { kind, which: _, ...fields } = asked;
    const answer = await network.send(kind, { cardTransactionId: target.id, ...fields });
    assert.ok([202, 400, 409].includes(answer.status), answer.text);
    if (answer.status !== 202) return;
    if (kind === 'return') transactions.push(await byToken(platform, answer.body.issuerTransactionToken));
    if (DISPUTES.has(kind)) note(asked, target);
  };

  const check = async (): Promise<void> => {
    const { data }: { data: Resource[] } = await expectStatus(200, platform.get(`/transactions?cardId=${card.id}&limit=100`));
    const settled = (row: Resource) => (row.settledAmount?.amount ?? 0) - (row.refundedAmount?.amount ?? 0);
    const purchases = data.filter(({ direction }) => direction === 'DEBIT');
    const credits = data.filter(({ direction, originalTransactionId }) => direction === 'CREDIT' && !originalTransactionId);
    const { available, total } = await moneyOn(service.db, account);
    const owed = await owedOn(service.db, platformId);
    const lent = sum([...credited.values()]);
    // A wallet is debited when a purchase is authorized: what has not settled is neither the holder's nor the merchant's yet.
    const pulled = await pulledAhead(service.db, platformId);

    assert.ok(available >= 0 && total >= available && owed >= 0);
    assert.equal(
      await lentByReserve(service.db, platformId),
      lent,
      'the reserve has paid provisional credits of open disputes and nothing else',
    );
    const out = sum(purchases.map(settled)) + total + pulled;
    const came = deposited + sum(credits.map(settled)) + recovered + lent;
    assert.equal(out, came + owed, `${out} with merchants and holder, ${came} came in, ${owed} is owed`);
  };
  return { perform, check, atRest: () => assertAtRest(service.db, platformId) };
}

test(`${ATTACKS} attacks: merchants and holder get no more than came in plus what the holder owes, and the reserve pays for no holder`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(attack, { minLength: 10, maxLength: 25 }), async (isWallet, attacks) => {
      const { perform, check, atRest } = await startAttack(isWallet);
      for (const asked of attacks) {
        await perform(asked);
        await check();
      }
      await atRest();
    }),
    // Shrinking takes minutes; the seed repeats the failure.
    { numRuns: ATTACKS, endOnFailure: true },
  );
});
