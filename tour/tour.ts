// Calls the whole API once. Every step is a real request, and every expectation is checked, so the tour is also an end-to-end test.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Temporal } from 'temporal-polyfill';
import { encryptOtp, newSessionKey, type SessionKey, stamp } from '../client/signing.js';
import { CHAINS, newWallet } from '../client/wallets.js';
import { verifyWebhook, type WebhookOptions } from '../client/webhooks.js';
import type { ReceivedEvent, Sandbox } from '../src/testing.js';
import type { Narrator } from './narrate.js';

// biome-ignore lint/suspicious/noExplicitAny: the tour reads answers as a caller in any language would.
type Resource = any;

export type Target = Pick<Sandbox, 'request' | 'event' | 'events'>;

type Sent = { readonly body?: unknown; readonly headers?: Record<string, string> };

/** Throws if any result differs from the expected one. */
export async function tour(target: Target, narrator: Narrator): Promise<void> {
  const call = async (why: string, expected: number, method: string, path: string, { body, headers }: Sent = {}): Promise<Resource> => {
    const answer = await target.request(method, path, body, headers);
    narrator.step(why, { method, path, body, status: answer.status, answer: answer.body });
    assert.equal(answer.status, expected, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { body: keys } = await target.request('GET', '/webhooks/signing-keys');
  const publicKeys = (keys as { data: NonNullable<WebhookOptions['publicKeys']> }).data;
  const expectWebhook = async (type: string, about: string, fits: (event: ReceivedEvent) => boolean = () => true) => {
    const event = await target.event(
      (candidate) => candidate.type === type && JSON.stringify(candidate.data).includes(about) && fits(candidate),
    );
    // The stream of a running service has no signatures; a webhook has.
    if (event.rawBody !== '') await verifyWebhook(event.rawBody, event.headers, { publicKeys });
    narrator.note(
      `${event.rawBody === '' ? 'event' : 'webhook'} ${event.type} received${event.rawBody === '' ? '' : ', its signature is valid'}`,
      {
        id: event.id,
        type: event.type,
      },
    );
  };

  narrator.chapter('A customer with money');
  const started = await call(
    'The sandbox clock of a platform can be frozen. Every time in the API follows it.',
    200,
    'PUT',
    '/sandbox/clock',
    {
      body: { frozen: true, now: '2031-03-12T15:00:00Z' },
    },
  );
  const customer = await call('KYC of this name is approved at once. Sandbox suffixes select other outcomes.', 201, 'POST', '/customers', {
    body: { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email: `ada-${randomUUID().slice(0, 8)}@example.com` },
  });
  await expectWebhook('CUSTOMER.KYC_APPROVED', customer.id);
  const { data: accounts } = await call(
    'The customer has an account in each currency of the platform. The USDB account is an embedded wallet.',
    200,
    'GET',
    `/customers/internal-accounts?customerId=${customer.id}`,
  );
  const usd = accounts.find((account: Resource) => account.balance.currency.code === 'USD');
  const usdb = accounts.find((account: Resource) => account.balance.currency.code === 'USDB');
  await call('The sandbox simulates a bank deposit of 500.00 USD.', 200, 'POST', `/sandbox/internal-accounts/${usd.id}/fund`, {
    body: { amount: 50_000 },
  });
  await call('A deposit of 300.00 USDB.', 200, 'POST', `/sandbox/internal-accounts/${usdb.id}/fund`, { body: { amount: 30_000 } });
  await expectWebhook('INTERNAL_ACCOUNT.BALANCE_UPDATED', usd.id);

  narrator.chapter('Ownership verification of wallets');
  for (const chain of CHAINS) await verifyWallet(chain, customer, call, expectWebhook);

  narrator.chapter('A session with the end user’s key');
  const session = await newSessionKey();
  await signIn(usdb, session, call);

  narrator.chapter('A card on the wallet and its delegated key');
  const issued = await call('The card is funded by the USDB wallet. The issuer creates it asynchronously.', 201, 'POST', '/cards', {
    body: { customerId: customer.id, form: 'VIRTUAL', fundingSource: usdb.id },
    headers: { 'Idempotency-Key': randomUUID() },
  });
  await expectWebhook('card.status_change', issued.id, ({ data }) => data['status'] === 'PENDING');
  await call('Without a delegated key the card is PENDING with DELEGATION_REQUIRED.', 200, 'GET', `/cards/${issued.id}`);
  const key = await delegate(issued, usdb, session, call);
  assert.equal(key.status, 'ACTIVE');
  const active = await call('The key is ACTIVE, so the card is ACTIVE.', 200, 'GET', `/cards/${issued.id}`);
  assert.equal(active.status, 'ACTIVE');

  narrator.chapter('Spending up to the limit and one cent above it');
  const patch = (why: string, body: Record<string, unknown>, expected = 200) =>
    call(why, expected, 'PATCH', `/cards/${issued.id}`, { body });
  await patch('The limit is 100.00 per UTC calendar day.', { maxSpendPerDay: 10_000 });
  const authorize = async (why: string, amount: number): Promise<Resource> => {
    const merchant = { descriptor: 'COFFEE ROASTERS' };
    const before = await transactions(target, issued.id);
    await call(why, 202, 'POST', `/sandbox/cards/${issued.id}/simulate/authorization`, {
      body: { amount, currency: { code: 'USD' }, merchant },
    });
    const known = new Set(before.map(({ id }) => id));
    const made = (await transactions(target, issued.id)).find(({ id }) => !known.has(id));
    assert.ok(made, 'the authorization created a transaction');
    narrator.note(`${made.status}${made.cardDeclinedReason ? `: ${made.cardDeclinedReason}` : ''}`, { transaction: made });
    return made;
  };
  const first = await authorize('60.00 is pulled from the wallet with a signature of the delegated key.', 6_000);
  assert.equal(first.status, 'AUTHORIZED');
  assert.equal((await authorize('40.00 more reaches the limit exactly and is approved.', 4_000)).status, 'AUTHORIZED');
  const declined = await authorize('One cent more is declined.', 1);
  assert.equal(declined.cardDeclinedReason, 'SPEND_LIMIT_EXCEEDED');

  narrator.chapter('Freeze, clearing and change of the funding source');
  const why = { substatus: 'END_USER_REQUEST', reason: 'The card was misplaced' };
  await patch('A frozen card declines new authorizations. Earlier authorizations can still clear.', { status: 'FROZEN', ...why });
  await expectWebhook('card.status_change', issued.id, ({ data }) => data['status'] === 'FROZEN');
  assert.equal((await authorize('Declined because the card is frozen.', 100)).cardDeclinedReason, 'CARD_NOT_ACTIVE');
  await call('The earlier authorization of 60.00 clears.', 202, 'POST', `/sandbox/cards/${issued.id}/simulate/clearing`, {
    body: { cardTransactionId: first.id, amount: 6_000 },
  });
  await patch('One request activates the card and changes its funding source to USD.', { status: 'ACTIVE', fundingSource: usd.id, ...why });
  await call('The clock passes midnight UTC, and the daily spend starts at zero.', 200, 'PUT', '/sandbox/clock', {
    body: { advanceMs: 86_400_000 },
  });
  const dinner = await authorize('25.00 USD is held.', 2_500);
  await call(
    'The clearing is 27.50, with a tip. A clearing may exceed its authorization.',
    202,
    'POST',
    `/sandbox/cards/${issued.id}/simulate/clearing`,
    {
      body: { cardTransactionId: dinner.id, amount: 2_750 },
    },
  );
  await patch('Closing is permanent.', { status: 'CLOSED', substatus: 'END_USER_REQUEST', reason: 'End of the tour' });
  await patch('A closed card cannot be activated.', { status: 'ACTIVE', ...why }, 409);

  narrator.chapter('A payment across currencies');
  await payAcrossCurrencies(customer, usd, call, expectWebhook);

  narrator.chapter('The monthly statement');
  await statement(usd, started.now, call, narrator);

  narrator.chapter('Events received');
  const counts = new Map<string, number>();
  for (const { type } of target.events) counts.set(type, (counts.get(type) ?? 0) + 1);
  for (const [type, count] of [...counts].sort()) narrator.note(`${String(count).padStart(3)} × ${type}`, { type, count });
}

type Call = (why: string, expected: number, method: string, path: string, sent?: Sent) => Promise<Resource>;
type ExpectWebhook = (type: string, about: string, fits?: (event: ReceivedEvent) => boolean) => Promise<void>;

const CURRENCY = { ethereum: 'USDC', solana: 'USDC', bitcoin: 'BTC' } as const;
const NAMED = { ethereum: 'An Ethereum', solana: 'A Solana', bitcoin: 'A Bitcoin' } as const;

async function verifyWallet(chain: (typeof CHAINS)[number], customer: Resource, call: Call, expectWebhook: ExpectWebhook): Promise<void> {
  const wallet = newWallet(chain);
  const account = await call(
    `${NAMED[chain]} wallet of the customer waits for verification.`,
    201,
    'POST',
    '/customers/external-accounts',
    {
      body: {
        customerId: customer.id,
        currency: CURRENCY[chain],
        ownershipType: 'FIRST_PARTY',
        accountInfo: { accountType: wallet.accountType, address: wallet.address },
      },
    },
  );
  const path = `/customers/external-accounts/${account.id}`;
  const { messageToSign } = await call(
    'The message to sign names service, account, chain, address, nonce and expiry.',
    201,
    'POST',
    `${path}/challenge`,
    { body: { method: 'WALLET_SIGNATURE' } },
  );
  const verified = await call('The wallet’s signature over exactly this message makes the account ACTIVE.', 200, 'POST', `${path}/verify`, {
    body: { signature: await wallet.sign(messageToSign) },
  });
  assert.equal(verified.status, 'ACTIVE');
  await expectWebhook('EXTERNAL_ACCOUNT.STATUS_UPDATED', account.id);
}

/** Dollars to a bank account in euros: a price, its execution, and the settlement by the rail. */
async function payAcrossCurrencies(customer: Resource, usd: Resource, call: Call, expectWebhook: ExpectWebhook): Promise<void> {
  const payee = await call('A bank account in euros, which the customer pays.', 201, 'POST', '/customers/external-accounts', {
    body: {
      customerId: customer.id,
      currency: 'EUR',
      accountInfo: {
        accountType: 'EUR_ACCOUNT',
        iban: 'DE89370400440532013000',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper', countryOfResidence: 'DE' },
      },
    },
  });
  const quote = await call('A quote fixes the price of 100.00 USD for five minutes, fees included.', 200, 'POST', '/quotes', {
    body: {
      source: { sourceType: 'ACCOUNT', accountId: usd.id },
      destination: { destinationType: 'ACCOUNT', accountId: payee.id },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 10_000,
    },
  });
  assert.deepEqual([quote.totalReceivingAmount, quote.feesIncluded], [9_163, 40]);
  await call('Executing it debits the account at once.', 200, 'POST', `/quotes/${quote.id}/execute`, {
    headers: { 'Idempotency-Key': randomUUID() },
  });
  await expectWebhook('OUTGOING_PAYMENT.COMPLETED', quote.transactionId);
  const payment = await call('The rail has delivered 91.63 EUR.', 200, 'GET', `/transactions/${quote.transactionId}`);
  assert.equal(payment.status, 'COMPLETED');
}

const signatureHeaders = async (key: SessionKey, { payloadToSign, requestId }: Resource): Promise<Record<string, string>> => ({
  'Service-Wallet-Signature': await stamp(key, payloadToSign),
  'Request-Id': requestId,
});

async function signIn(account: Resource, key: SessionKey, call: Call): Promise<void> {
  const { data: credentials } = await call(
    'A new wallet has one credential: the customer’s email address.',
    200,
    'GET',
    `/auth/credentials?accountId=${account.id}`,
  );
  const path = `/auth/credentials/${credentials[0].id}`;
  const { otpEncryptionTargetBundle } = await call('A one-time code is sent. In sandbox it is 000000.', 200, 'POST', `${path}/challenge`);
  const body = { type: 'EMAIL_OTP', encryptedOtpBundle: await encryptOtp(otpEncryptionTargetBundle, key, '000000') };
  const challenge = await call('The app sends the encrypted code and the public key of the session.', 202, 'POST', `${path}/verify`, {
    body,
  });
  await call('The app signs the challenge with that key. The session lasts 15 minutes.', 200, 'POST', `${path}/verify`, {
    body,
    headers: await signatureHeaders(key, challenge),
  });
}

async function delegate(card: Resource, account: Resource, key: SessionKey, call: Call): Promise<Resource> {
  const body = { cardId: card.id, internalAccountId: account.id, nickname: 'Ada’s everyday card' };
  const path = '/auth/delegated-keys';
  const first = await call('Call one returns the text that creates the signer.', 202, 'POST', path, { body });
  const second = await call('Call two, with a signature, creates the signer. It has no policy yet.', 202, 'POST', path, {
    body,
    headers: await signatureHeaders(key, first),
  });
  return call('Call three, with a signature, grants the policies.', 201, 'POST', path, {
    body,
    headers: await signatureHeaders(key, second),
  });
}

async function transactions(target: Target, cardId: string): Promise<Resource[]> {
  const { body } = await target.request('GET', `/transactions?cardId=${cardId}&limit=100`);
  return (body as { data: Resource[] }).data;
}

/** Reads the month page by page and checks that it adds up. */
async function statement(account: Resource, inMonth: string, call: Call, narrator: Narrator): Promise<void> {
  const month = Temporal.Instant.from(inMonth).toZonedDateTimeISO('America/Chicago').toPlainDate().with({ day: 1 });
  const instant = (date: Temporal.PlainDate) => date.toZonedDateTime('America/Chicago').toInstant();
  const [start, end] = [instant(month), instant(month.add({ months: 1 }))];
  await call('The clock passes the end of the month and of its last settlement day.', 200, 'PUT', '/sandbox/clock', {
    body: { now: end.add({ hours: 3 }).toString() },
  });
  const rows: Resource[] = [];
  let page: Resource;
  do {
    const query = new URLSearchParams({
      startDate: start.toString(),
      endDate: end.toString(),
      limit: '1',
      ...(page ? { cursor: page.nextCursor } : {}),
    });
    page = await call('Balance changes in the order of posting.', 200, 'GET', `/internal-accounts/${account.id}/balance-changes?${query}`);
    rows.push(...page.data);
  } while (page.hasMore);
  const sum = rows.reduce((total, row) => total + row.amount.amount, 0);
  assert.equal(page.openingBalance.amount + sum, page.closingBalance.amount, 'the statement adds up');
  narrator.note(
    `opening ${page.openingBalance.amount} + changes ${rows.map((row) => row.amount.amount).join(' ')} = closing ${page.closingBalance.amount}`,
    { rows },
  );
  await call(
    'The delivery is confirmed. The first confirmation is kept.',
    200,
    'POST',
    `/internal-accounts/${account.id}/confirm-statement`,
    { body: { periodStart: month.toString() } },
  );
}
