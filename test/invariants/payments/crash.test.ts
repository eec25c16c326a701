// The service is killed between the steps of payments and started again. PAYMENT_KILLS sets how often.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../../src/db/sql.js';
import { type Client, expectStatus } from '../../support/client.js';
import { type KillableService, onKillableService } from '../../support/killable-service.js';
import { eventsOf, quoting } from '../../support/quotes.js';
import { givenLookup, umaRequest } from '../../support/uma.js';
import { PROVIDER_ADDRESS, PROVIDER_DOMAIN, startUmaProvider } from '../../support/uma-provider.js';

const KILLS = Number(process.env['PAYMENT_KILLS'] ?? 2);
const PAYMENTS_PER_KILL = 20;
const AMOUNT = 1_000;

/** The events of each ending, once everything has happened: of a quote, and of transfers out and in. */
const ENDINGS: Readonly<Record<string, string>> = {
  '999': 'PENDING PROCESSING COMPLETED',
  '002': 'PENDING PROCESSING FAILED REFUND_PENDING REFUND_COMPLETED',
  '005': 'PENDING PROCESSING COMPLETED FAILED REFUND_PENDING REFUND_COMPLETED',
  '006': 'PENDING PROCESSING REFUND_PENDING REFUND_COMPLETED COMPLETED',
  '007': 'PENDING PROCESSING FAILED REFUND_PENDING REFUND_FAILED',
  'out 999': 'PENDING PROCESSING COMPLETED',
  'out 002': 'PENDING FAILED REFUND_PENDING REFUND_COMPLETED',
  'in 999': 'PROCESSING COMPLETED',
  'in 002': 'FAILED',
  // Agreed with another provider, told by a notice, and reported by that provider twice.
  uma: 'PENDING PROCESSING COMPLETED',
};
/** What each ending does to the account; nothing where it is not named. */
const EFFECTS: Readonly<Record<string, number>> = { '999': -1, '007': -1, 'out 999': -1, 'in 999': 1, uma: -1 };

test(`${KILLS} kills between the steps of payments: every payment ends as its rail says, and money is neither lost nor doubled`, async (t) => {
  const provider = await startUmaProvider();
  t.after(() => provider.close());
  const settings = { UMA_COUNTERPARTIES: `${PROVIDER_DOMAIN}=http://127.0.0.1:${provider.port}` };
  await onKillableService(t, (service) => payThroughKills(service, provider), settings);
});

async function payThroughKills(
  { platform, port, db, killDuring }: KillableService,
  provider: Awaited<ReturnType<typeof startUmaProvider>>,
): Promise<void> {
  const build = () => quoting(platform());
  await build().currencies('USD', 'EUR');
  const customer = await build().customer();
  const account = { ...(await build().fund(await build().account(customer, 'USD'), 10_000_000)), customerId: customer.id };
  const destinations = new Map<string, unknown>();
  const lookup = await givenLookup(platform(), PROVIDER_ADDRESS, { customerId: customer.id });
  for (const ending of Object.keys(ENDINGS)) {
    if (ending === 'uma') continue;
    const [, , identifier] = /^(?:(in|out) )?(\d+)$/.exec(ending) ?? [];
    const make = ending.includes(' ') ? build().usd : build().eur;
    destinations.set(ending, await make(customer, identifier));
  }

  const paid: { ending: string; transactionId: string }[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const requests = Array.from({ length: PAYMENTS_PER_KILL }, (_, i) => ({
      key: randomUUID(),
      ending: Object.keys(ENDINGS)[i % Object.keys(ENDINGS).length] as string,
    }));
    const send = (client: Client, { key, ending }: (typeof requests)[number]) => {
      if (ending === 'uma')
        return client.post('/quotes', umaRequest(account, lookup, AMOUNT, { immediatelyExecute: true }), {
          headers: { 'Idempotency-Key': key },
        });
      const [own, bank] = [{ accountId: account.id }, { accountId: (destinations.get(ending) as { id: string }).id }];
      const sent = { headers: { 'Idempotency-Key': key } };
      if (ending.startsWith('out')) return client.post('/transfer-out', { source: own, destination: bank, amount: AMOUNT }, sent);
      if (ending.startsWith('in')) return client.post('/transfer-in', { source: bank, destination: own, amount: AMOUNT }, sent);
      return client.post('/quotes', quoting(client).request(account, destinations.get(ending), AMOUNT, { immediatelyExecute: true }), sent);
    };
    await killDuring(
      requests.map((request) => send(platform(), request)),
      400,
    );
    for (const request of requests) {
      const quote = await expectStatus(200, send(platform(), request));
      paid.push({ ending: request.ending, transactionId: quote.transactionId ?? quote.id });
    }
  }
  // A notice whose sender was killed is due again after its pause.
  await platform().clock.advance(31_000);
  await platform().clock.advance(0);
  const told = new Map(provider.notices.map((notice) => [notice.invoice, notice]));
  for (const notice of [...told.values(), ...told.values()]) {
    const { invoice, amount, currency } = notice;
    assert.equal(await provider.report(port(), { invoice, amount, currency, outcome: 'SETTLED' }), 200);
  }
  await platform().clock.advance(0);

  assert.equal(told.size, paid.filter(({ ending }) => ending === 'uma').length, 'every payment was told to its provider, and no other');
  assert.equal(new Set(paid.map(({ transactionId }) => transactionId)).size, KILLS * PAYMENTS_PER_KILL);
  for (const { ending, transactionId } of paid) assert.equal((await eventsOf(db, transactionId)).join(' '), ENDINGS[ending], ending);
  const count = await db.one<{ count: bigint }>(sql`select count(*) from payments where source_type <> 'REALTIME_FUNDING'`);
  assert.equal(count?.count, BigInt(paid.length), 'a repeated request makes no second payment');
  const effect = paid.reduce((sum, { ending }) => sum + (EFFECTS[ending] ?? 0), 0);
  assert.equal(await build().balance(account), 10_000_000 + AMOUNT * effect);
}
