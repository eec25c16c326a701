// The whole service in one walk: every step is a real request, every expectation is checked. It doubles as an end-to-end test.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Temporal } from 'temporal-polyfill';
import type { ReceivedEvent, Sandbox } from '../src/testing.js';
import { CHAINS, encryptOtp, newSessionKey, newWallet, type SessionKey, signMessage, stamp } from './end-user.js';
import type { Narrator } from './narrate.js';

// biome-ignore lint/suspicious/noExplicitAny: the tour reads answers as a caller in any language would.
type Resource = any;

export type Target = Pick<Sandbox, 'request' | 'event' | 'events'>;

type Sent = { readonly body?: unknown; readonly headers?: Record<string, string> };

/** Walks through everything; throws when anything is not as promised. */
export async function tour(target: Target, narrator: Narrator): Promise<void> {
  const call = async (why: string, expected: number, method: string, path: string, { body, headers }: Sent = {}): Promise<Resource> => {
    const answer = await target.request(method, path, body, headers);
    narrator.step(why, { method, path, body, status: answer.status, answer: answer.body });
    assert.equal(answer.status, expected, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const expectWebhook = async (type: string, about: string, fits: (event: ReceivedEvent) => boolean = () => true) => {
    const event = await target.event(
      (candidate) => candidate.type === type && JSON.stringify(candidate.data).includes(about) && fits(candidate),
    );
    narrator.note(`webhook ${event.type} received, signed`, { id: event.id, type: event.type });
  };

  narrator.chapter('A customer with money');
  const started = await call(
    'The clock of a sandbox can stand still; everything the platform sees follows it.',
    200,
    'PUT',
    '/sandbox/clock',
    {
      body: { frozen: true, now: '2031-03-12T15:00:00Z' },
    },
  );
  const customer = await call('A name that ends in no magic digits passes KYC at once.', 201, 'POST', '/customers', {
    body: { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email: `ada-${randomUUID().slice(0, 8)}@example.com` },
  });
  await expectWebhook('CUSTOMER.KYC_APPROVED', customer.id);
  const { data: accounts } = await call(
    'She has an account in each of the platform’s currencies; USDB is a wallet under her own keys.',
    200,
    'GET',
    `/customers/internal-accounts?customerId=${customer.id}`,
  );
  const usd = accounts.find((account: Resource) => account.balance.currency.code === 'USD');
  const usdb = accounts.find((account: Resource) => account.balance.currency.code === 'USDB');
  await call('The sandbox plays the bank: 500.00 USD arrive.', 200, 'POST', `/sandbox/internal-accounts/${usd.id}/fund`, {
    body: { amount: 50_000 },
  });
  await call('And 300.00 USDB.', 200, 'POST', `/sandbox/internal-accounts/${usdb.id}/fund`, { body: { amount: 30_000 } });
  await expectWebhook('INTERNAL_ACCOUNT.BALANCE_UPDATED', usd.id);

  narrator.chapter('Wallets that prove themselves');
  for (const chain of CHAINS) await verifyWallet(chain, customer, call, expectWebhook);

  narrator.chapter('A session on the end user’s own key');
  const session = newSessionKey();
  await signIn(usdb, session, call);

  narrator.chapter('A card on the wallet, and the key that may sign for it');
  const issued = await call('Issued against USDB; the issuer answers in its own time.', 201, 'POST', '/cards', {
    body: { customerId: customer.id, form: 'VIRTUAL', fundingSource: usdb.id },
    headers: { 'Idempotency-Key': randomUUID() },
  });
  await expectWebhook('card.status_change', issued.id, ({ data }) => data['status'] === 'PENDING');
  await call('Without a delegated key nothing may be signed for it: PENDING, DELEGATION_REQUIRED.', 200, 'GET', `/cards/${issued.id}`);
  const key = await delegate(issued, usdb, session, call);
  assert.equal(key.status, 'ACTIVE');
  const active = await call('The key is ACTIVE, so the card is too.', 200, 'GET', `/cards/${issued.id}`);
  assert.equal(active.status, 'ACTIVE');

  narrator.chapter('Spending up to the limit, and one cent beyond');
  const patch = (why: string, body: Record<string, unknown>, expected = 200) =>
    call(why, expected, 'PATCH', `/cards/${issued.id}`, { body });
  await patch('100.00 a day, by UTC calendar day.', { maxSpendPerDay: 10_000 });
  const authorize = async (why: string, amount: number): Promise<Resource> => {
    const merchant = { descriptor: 'COFFEE ROASTERS' };
    const before = await transactions(target, issued.id);
    await call(why, 202, 'POST', `/sandbox/cards/${issued.id}/simulate/authorization`, {
      body: { amount, currency: { code: 'USD' }, merchant },
    });
    const known = new Set(before.map(({ id }) => id));
    const made = (await transactions(target, issued.id)).find(({ id }) => !known.has(id));
    assert.ok(made, 'the authorization left a transaction');
    narrator.note(`${made.status}${made.cardDeclinedReason ? `: ${made.cardDeclinedReason}` : ''}`, { transaction: made });
    return made;
  };
  const first = await authorize('60.00: pulled from the wallet, signed with the delegated key.', 6_000);
  assert.equal(first.status, 'AUTHORIZED');
  assert.equal((await authorize('40.00 more: exactly the limit is allowed.', 4_000)).status, 'AUTHORIZED');
  const declined = await authorize('One cent more is not.', 1);
  assert.equal(declined.cardDeclinedReason, 'SPEND_LIMIT_EXCEEDED');

  narrator.chapter('Frozen, cleared, moved to dollars');
  const why = { substatus: 'END_USER_REQUEST', reason: 'Misplaced for a moment' };
  await patch('Frozen: new authorizations are declined, earlier ones go on.', { status: 'FROZEN', ...why });
  await expectWebhook('card.status_change', issued.id, ({ data }) => data['status'] === 'FROZEN');
  assert.equal((await authorize('Declined while frozen.', 100)).cardDeclinedReason, 'CARD_NOT_ACTIVE');
  await call('The 60.00 of before still clear.', 202, 'POST', `/sandbox/cards/${issued.id}/simulate/clearing`, {
    body: { cardTransactionId: first.id, amount: 6_000 },
  });
  await patch('Unfrozen and paid from dollars from now on, in one request.', { status: 'ACTIVE', fundingSource: usd.id, ...why });
  await call('Midnight UTC passes, and with it the day’s limit.', 200, 'PUT', '/sandbox/clock', { body: { advanceMs: 86_400_000 } });
  const dinner = await authorize('25.00 of dollars are held.', 2_500);
  await call(
    'Dinner clears at 27.50, with the tip: a clearing may settle above its authorization.',
    202,
    'POST',
    `/sandbox/cards/${issued.id}/simulate/clearing`,
    {
      body: { cardTransactionId: dinner.id, amount: 2_750 },
    },
  );
  await patch('Closed, for good.', { status: 'CLOSED', substatus: 'END_USER_REQUEST', reason: 'The tour ends here' });
  await patch('Nothing reopens it.', { status: 'ACTIVE', ...why }, 409);

  narrator.chapter('A statement that adds up');
  await statement(usd, started.now, call, narrator);

  narrator.chapter('What was expectWebhook');
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
  const account = await call(`${NAMED[chain]} wallet of her own waits for proof.`, 201, 'POST', '/customers/external-accounts', {
    body: {
      customerId: customer.id,
      currency: CURRENCY[chain],
      ownershipType: 'FIRST_PARTY',
      accountInfo: { accountType: wallet.accountType, address: wallet.address },
    },
  });
  const path = `/customers/external-accounts/${account.id}`;
  const { messageToSign } = await call(
    'One line of text names service, account, chain, address, nonce and expiry.',
    201,
    'POST',
    `${path}/challenge`,
    { body: { method: 'WALLET_SIGNATURE' } },
  );
  const verified = await call('Her signature over exactly that line makes it ACTIVE.', 200, 'POST', `${path}/verify`, {
    body: { signature: await signMessage(wallet, messageToSign) },
  });
  assert.equal(verified.status, 'ACTIVE');
  await expectWebhook('EXTERNAL_ACCOUNT.STATUS_UPDATED', account.id);
}

const signatureHeaders = async (key: SessionKey, { payloadToSign, requestId }: Resource): Promise<Record<string, string>> => ({
  'Service-Wallet-Signature': await stamp(key, payloadToSign),
  'Request-Id': requestId,
});

async function signIn(account: Resource, key: SessionKey, call: Call): Promise<void> {
  const { data: credentials } = await call(
    'Her wallet came with one credential: her email address.',
    200,
    'GET',
    `/auth/credentials?accountId=${account.id}`,
  );
  const path = `/auth/credentials/${credentials[0].id}`;
  const { otpEncryptionTargetBundle } = await call(
    'A one-time code is on its way; in sandbox it is 000000.',
    200,
    'POST',
    `${path}/challenge`,
  );
  const body = { type: 'EMAIL_OTP', encryptedOtpBundle: await encryptOtp(otpEncryptionTargetBundle, key, '000000') };
  const challenge = await call('The code comes back encrypted, with the public key she wants to use.', 202, 'POST', `${path}/verify`, {
    body,
  });
  await call('She stamps the challenge with that key: a session for 15 minutes.', 200, 'POST', `${path}/verify`, {
    body,
    headers: await signatureHeaders(key, challenge),
  });
}

async function delegate(card: Resource, account: Resource, key: SessionKey, call: Call): Promise<Resource> {
  const body = { cardId: card.id, internalAccountId: account.id, nickname: 'Ada’s everyday card' };
  const path = '/auth/delegated-keys';
  const first = await call('Leg one: what she is asked to sign.', 202, 'POST', path, { body });
  const second = await call('Leg two: her stamp creates the signer; it holds no policy yet.', 202, 'POST', path, {
    body,
    headers: await signatureHeaders(key, first),
  });
  return call('Leg three: her stamp grants the policies.', 201, 'POST', path, { body, headers: await signatureHeaders(key, second) });
}

async function transactions(target: Target, cardId: string): Promise<Resource[]> {
  const { body } = await target.request('GET', `/transactions?cardId=${cardId}&limit=100`);
  return (body as { data: Resource[] }).data;
}

/** Reads the month page by page, and believes it only when it adds up. */
async function statement(account: Resource, inMonth: string, call: Call, narrator: Narrator): Promise<void> {
  const month = Temporal.Instant.from(inMonth).toZonedDateTimeISO('America/Chicago').toPlainDate().with({ day: 1 });
  const instant = (date: Temporal.PlainDate) => date.toZonedDateTime('America/Chicago').toInstant();
  const [start, end] = [instant(month), instant(month.add({ months: 1 }))];
  await call('The month ends, and its last settlement day closes.', 200, 'PUT', '/sandbox/clock', {
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
    page = await call(
      'Every balance change in the order the money moved.',
      200,
      'GET',
      `/internal-accounts/${account.id}/balance-changes?${query}`,
    );
    rows.push(...page.data);
  } while (page.hasMore);
  const sum = rows.reduce((total, row) => total + row.amount.amount, 0);
  assert.equal(page.openingBalance.amount + sum, page.closingBalance.amount, 'the statement adds up');
  narrator.note(
    `opening ${page.openingBalance.amount} + changes ${rows.map((row) => row.amount.amount).join(' ')} = closing ${page.closingBalance.amount}`,
    { rows },
  );
  await call(
    'Delivered to her: the receipt is kept, the first one for good.',
    200,
    'POST',
    `/internal-accounts/${account.id}/confirm-statement`,
    { body: { periodStart: month.toString() } },
  );
}
