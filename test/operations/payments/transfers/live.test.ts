// A live installation without partners: nothing of the sandbox plays the outside world, and no money moves.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { uuidOf } from '../../../../src/kernel/ids.js';
import { assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { quoting } from '../../../support/quotes.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import { at, lookUp } from '../../../support/uma.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

const TERMS = {
  type: 'SERVICE_END_USER_TERMS',
  acceptedAt: '2025-10-02T09:00:00Z',
  ipAddress: '192.0.2.7',
  termsVersion: '2025-10-01',
  acceptanceMethod: 'CHECKBOX',
};

let service: TestService;
let live: TestService;
let caller: Client;
let made: { quote: Resource; transfer: Resource };
let bodies: Record<'quote' | 'out' | 'in', Record<string, unknown>>;
before(async () => {
  const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64');
  service = await startOwnService({ KEY_ENCRYPTION_KEY, ROLE: 'api' });
  live = await startOwnService({ KEY_ENCRYPTION_KEY, ROLE: 'api', DATABASE_URL: service.databaseUrl, MODE: 'live' });
  const { platform } = service;
  const pay = quoting(platform);
  await pay.currencies('USD', 'EUR');
  const customer = await pay.customer({ agreementConsents: [TERMS] });
  const account = await pay.fund(await pay.account(customer, 'USD'), 100_000);
  const bank = await pay.usd(customer);
  const [own, outside] = [{ accountId: account.id }, { accountId: bank.id }];
  bodies = {
    quote: pay.request(account, await pay.eur(customer), 10_000),
    out: { source: own, destination: { ...outside, paymentRail: 'ACH' }, amount: 1_000 },
    in: { source: outside, destination: own, amount: 1_000 },
  };
  made = { quote: await pay.quote(bodies.quote), transfer: await expectStatus(200, platform.post('/transfer-out', bodies.out)) };
  // The same platform as a live one.
  await service.db.run(sql`update platforms set mode = 'live' where id = ${uuidOf(await platformIdOf(service, platform))}`);
  caller = live.as(platform.tokenId, platform.secret);
});
after(async () => {
  await live?.stop();
  await service?.stop();
});

test('501 NOT_IMPLEMENTED: rates, quotes and transfers need a partner, and nothing is written', async () => {
  const calls: Readonly<Record<string, () => ReturnType<Client['get']>>> = {
    'exchange rates': () => caller.get('/exchange-rates'),
    'a quote': () => caller.post('/quotes', bodies.quote),
    'an execution': () => caller.post(`/quotes/${made.quote.id}/execute`),
    'a transfer out': () => caller.post('/transfer-out', bodies.out),
    'a transfer in': () => caller.post('/transfer-in', bodies.in),
    'a cancellation': () => caller.post(`/transactions/${made.transfer.id}/cancel`),
  };
  for (const [name, call] of Object.entries(calls)) {
    const answer = await changesNothing(service.db, call);
    assert.equal(answer.status, 501, `${name}: ${JSON.stringify(answer.body)}`);
    assertRefused(answer, 501, 'NOT_IMPLEMENTED');
  }
});

test('424 LNURLP_REQUEST_FAILED: the counterparty of the sandbox is not there', async () => {
  assertRefused(await lookUp(caller, at('success.usd')), 424, 'LNURLP_REQUEST_FAILED');
});

test('what exists is read as before, and dates bound the list', async () => {
  assert.equal((await expectStatus(200, caller.get(`/quotes/${made.quote.id}`))).id, made.quote.id);
  const listed = async (query: string) => (await expectStatus(200, caller.get(`/transactions?type=OUTGOING&${query}`))).data.length;
  const [from, to] = [new Date(Date.now() - 3_600_000).toISOString(), new Date(Date.now() + 3_600_000).toISOString()];
  assert.deepEqual(
    [await listed(`startDate=${from}&endDate=${to}`), await listed(`startDate=${to}`), await listed(`endDate=${from}`)],
    [2, 0, 0],
  );
});
