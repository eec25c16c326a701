// Payments that the payer authorizes: challenges bound to amount and payee, for customers in a regulated region.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { type Answer, assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { quoting } from '../../../support/quotes.js';
import { race } from '../../../support/race.js';
import { assertionOf, CODE, ORIGIN, regulatedCustomer, scaOf, trustOf } from '../../../support/sca.js';
import { startTestService, type TestService } from '../../../support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
  await quoting(platform).currencies('EUR', 'USD', 'USDC');
  await platform.clock.freeze('2026-03-02T12:00:00Z');
});
after(() => service.stop());

const MINUTE = 60_000;
const FUNDS = 1_000_000;

type Wanted = { readonly session?: boolean; readonly currency?: string; readonly region?: string };

/** A funded customer with a bank account in EUR and one in USD to pay to. */
async function newPayer({ session = true, currency = 'EUR', region = 'DE' }: Wanted = {}) {
  const build = quoting(platform);
  const customer = region === 'DE' ? await regulatedCustomer(platform) : await build.customer({ region });
  const source = await build.account(customer, currency);
  await build.fund(source, FUNDS);
  const sca = scaOf(platform, customer);
  if (session) await sca.login();
  const quote = (destination: Resource, amount = 10_000, fields = {}) => build.quote(build.request(source, destination, amount, fields));
  return { ...build, sca, customer, source, quoteTo: quote, balanceLeft: () => build.balance({ ...source, customerId: customer.id }) };
}

const execute = (quote: Resource, body?: unknown, client = platform) => client.post(`/quotes/${quote.id}/execute`, body);
const authorize = (quote: Resource, body: unknown = { code: CODE }, client = platform) =>
  client.post(`/quotes/${quote.id}/authorize`, body);
const resend = (quote: Resource) => platform.post(`/quotes/${quote.id}/authorize/resend`);
const iso = async (ms: number) => new Date((await platform.clock.now()).getTime() + ms).toISOString();
const textsTo = async (customer: Resource): Promise<string[]> => {
  const { data } = await expectStatus(200, platform.get(`/sandbox/messages?to=${encodeURIComponent(customer.phoneNumber)}`));
  return data.map(({ text }: { text: string }) => text).filter((text: string) => / to pay /.test(text));
};
const eventsOf = async ({ transactionId }: Resource): Promise<string[]> => {
  const rows = await service.db.many<{ type: string }>(sql`
    select type from webhook_events where object_id = ${transactionId} order by sequence`);
  return rows.map(({ type }) => type);
};

/** A quote in EUR to a bank account in EUR that waits for the payer. */
async function waiting(body?: unknown, prepare: (payer: Awaited<ReturnType<typeof newPayer>>) => Promise<unknown> = async () => {}) {
  const payer = await newPayer();
  const prepared = await prepare(payer);
  const destination = await payer.eur(payer.customer);
  const quote = await expectStatus(200, execute(await payer.quoteTo(destination), body));
  assert.equal(quote.status, 'PENDING_AUTHORIZATION');
  return { ...payer, destination, quote, prepared };
}

function assertWrong(answer: Answer, cause: string): void {
  assertRefused(answer, 400, 'INVALID_INPUT');
  assert.equal(answer.body.details.cause, cause, answer.text);
}

describe('a payment from a balance in EUR or USDC', () => {
  test('409 SCA_SESSION_REQUIRED: the payer has no open session; the quote stays PENDING', async () => {
    const payer = await newPayer({ session: false });
    const quote = await payer.quoteTo(await payer.eur(payer.customer));
    assertRefused(await execute(quote), 409, 'SCA_SESSION_REQUIRED');
    assert.equal((await payer.getQuote(quote)).status, 'PENDING');
    await payer.sca.login();
    assert.equal((await expectStatus(200, execute(quote))).status, 'PENDING_AUTHORIZATION');
  });

  test('waits for one challenge within its currency; nothing is debited before it is satisfied', async () => {
    const { quote, customer, destination, balanceLeft, getQuote } = await waiting();
    assert.deepEqual(quote.scaChallenge, {
      id: quote.scaChallenge.id,
      expiresAt: await iso(5 * MINUTE),
      factor: 'SMS_OTP',
      availableFactors: ['SMS_OTP'],
      purpose: 'TRANSFER',
    });
    assert.equal(await balanceLeft(), FUNDS);
    assertRefused(await execute(quote), 409, 'CONFLICT');
    assert.deepEqual((await getQuote(quote)).scaChallenge, quote.scaChallenge);
    const [text = ''] = await textsTo(customer);
    assert.match(
      text,
      new RegExp(`^${CODE} .* to pay 100\\.00 EUR to Grace Hopper, account ending ${destination.accountInfo.iban.slice(-4)}\\.`),
    );

    const authorized = await expectStatus(200, authorize(quote));
    assert.equal(authorized.scaChallenge, undefined);
    assert.ok(['PROCESSING', 'COMPLETED'].includes(authorized.status));
    assert.equal(await balanceLeft(), FUNDS - 10_000);
    assertRefused(await authorize(quote), 409, 'CONFLICT');
    assert.equal(await balanceLeft(), FUNDS - 10_000);
    const sent = await eventsOf(quote);
    assert.deepEqual(sent.slice(0, 3), [
      'OUTGOING_PAYMENT.PENDING',
      'OUTGOING_PAYMENT.PENDING_AUTHORIZATION',
      'OUTGOING_PAYMENT.PROCESSING',
    ]);
  });

  test('with a conversion: one challenge for the conversion, then one for the payout', async () => {
    const payer = await newPayer();
    const quote = await expectStatus(200, execute(await payer.quoteTo(await payer.usd(payer.customer))));
    assert.equal(quote.scaChallenge.purpose, 'CURRENCY_CONVERSION');
    const second = await expectStatus(200, authorize(quote));
    assert.equal(second.status, 'PENDING_AUTHORIZATION');
    assert.equal(second.scaChallenge.purpose, 'PAYOUT');
    assert.notEqual(second.scaChallenge.id, quote.scaChallenge.id);
    assert.equal(await payer.balanceLeft(), FUNDS);
    assert.equal((await textsTo(payer.customer)).length, 2);
    const done = await expectStatus(200, authorize(quote));
    assert.ok(['PROCESSING', 'COMPLETED'].includes(done.status));
    assert.equal(await payer.balanceLeft(), FUNDS - 10_000);
    const waits = (await eventsOf(quote)).filter((type) => type === 'OUTGOING_PAYMENT.PENDING_AUTHORIZATION');
    assert.equal(waits.length, 2);
  });

  test('from a balance in USD, or of a payer elsewhere, needs neither session nor challenge', async () => {
    for (const wanted of [{ currency: 'USD' }, { region: 'GB' }]) {
      const payer = await newPayer({ session: false, ...wanted });
      const quote = await expectStatus(200, execute(await payer.quoteTo(await payer.eur(payer.customer))));
      assert.equal(quote.scaChallenge, undefined);
      assert.notEqual(quote.status, 'PENDING_AUTHORIZATION');
      assertRefused(await authorize(quote), 409, 'CONFLICT');
      assertRefused(await resend(quote), 409, 'CONFLICT');
    }
  });

  test('to a trusted beneficiary: the session is needed, no challenge', async () => {
    const payer = await newPayer({ session: false });
    const destination = await payer.eur(payer.customer);
    const { trust, confirmTrust } = trustOf(platform, destination);
    const { scaChallenge } = await expectStatus(200, trust());
    await expectStatus(200, confirmTrust({ challengeId: scaChallenge.id, code: CODE }));
    const quote = await payer.quoteTo(destination);
    assertRefused(await execute(quote), 409, 'SCA_SESSION_REQUIRED');
    await payer.sca.login();
    const executed = await expectStatus(200, execute(quote));
    assert.equal(executed.scaChallenge, undefined);
    assert.equal(await payer.balanceLeft(), FUNDS - 10_000);
    const elsewhere = await expectStatus(200, execute(await payer.quoteTo(await payer.eur(payer.customer))));
    assert.equal(elsewhere.status, 'PENDING_AUTHORIZATION');
  });

  test('with realtime funding the challenge comes at creation: 202, and no payment instructions before it is satisfied', async () => {
    const payer = await newPayer();
    const answer = await platform.post('/quotes', {
      source: { sourceType: 'REALTIME_FUNDING', currency: 'EUR', customerId: payer.customer.id },
      destination: { destinationType: 'ACCOUNT', accountId: (await payer.eur(payer.customer)).id },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 10_000,
    });
    const quote = await expectStatus(202, Promise.resolve(answer));
    assert.equal(quote.status, 'PENDING_AUTHORIZATION');
    assert.equal(quote.scaChallenge.purpose, 'TRANSFER');
    assert.equal(quote.paymentInstructions, undefined);
    const authorized = await expectStatus(200, authorize(quote));
    assert.equal(authorized.status, 'PENDING');
    assert.ok(authorized.paymentInstructions.length > 0);
  });
});

describe('the factor', () => {
  const withPasskey = (payer: { sca: ReturnType<typeof scaOf> }) => payer.sca.withPasskey();

  test('a passkey signs a challenge that is bound to the payment', async () => {
    const { quote, prepared, balanceLeft, getQuote } = await waiting({ scaFactor: 'PASSKEY' }, withPasskey);
    const { factor, availableFactors, expiresAt, passkeyAssertionOptions, passkeyAllowedOrigins } = quote.scaChallenge;
    assert.deepEqual([factor, availableFactors, expiresAt], ['PASSKEY', ['SMS_OTP', 'PASSKEY'], await iso(10 * MINUTE)]);
    assert.equal(passkeyAllowedOrigins[0], ORIGIN);
    assert.deepEqual((await getQuote(quote)).scaChallenge, quote.scaChallenge);
    const passkeyAssertion = assertionOf(prepared as never, passkeyAssertionOptions.challenge);
    assertInvalid(await authorize(quote, { passkeyAssertion }), 'origin');
    await expectStatus(200, authorize(quote, { passkeyAssertion, origin: ORIGIN, endUserIpAddress: '203.0.113.7' }));
    assert.equal(await balanceLeft(), FUNDS - 10_000);
  });

  test('400 INVALID_INPUT: TOTP, which cannot be bound to a payment, and a factor that is not enrolled', async () => {
    const payer = await newPayer();
    await payer.sca.withTotp();
    const quote = await payer.quoteTo(await payer.eur(payer.customer));
    assertInvalid(await execute(quote, { scaFactor: 'TOTP' }), 'scaFactor');
    assertInvalid(await execute(quote, { scaFactor: 'PASSKEY' }), 'scaFactor');
    const challenged = await expectStatus(200, execute(quote));
    assert.deepEqual(challenged.scaChallenge.availableFactors, ['SMS_OTP']);
  });
});

describe('400 INVALID_INPUT', () => {
  test('a wrong code counts as a failed login; the fifth fails the payment', async () => {
    const { quote, sca, transaction, balanceLeft } = await waiting();
    for (let i = 0; i < 5; i += 1) assertWrong(await authorize(quote, { code: '000000' }), 'CODE_INVALID');
    assertRefused(await authorize(quote), 423, 'ACCOUNT_LOCKED');
    assert.equal((await expectStatus(200, sca.report('RESET_PASSWORD_COMPLETED'))).failedAttempts, 0);
    const failed = await transaction(quote);
    assert.deepEqual([failed.status, failed.failureReason], ['FAILED', 'SCA_NOT_COMPLETED']);
    assert.equal(await balanceLeft(), FUNDS);
    assert.equal((await eventsOf(quote)).at(-1), 'OUTGOING_PAYMENT.FAILED');
    await sca.login();
    assertWrong(await authorize(quote), 'CHALLENGE_EXPIRED');
  });

  test('a challenge that is not satisfied within 5 minutes fails the payment', async () => {
    const { quote, transaction, balanceLeft } = await waiting();
    await platform.clock.advance(5 * MINUTE - 1);
    assert.equal((await transaction(quote)).status, 'PENDING_AUTHORIZATION');
    await platform.clock.advance(1);
    const failed = await transaction(quote);
    assert.deepEqual([failed.status, failed.failureReason], ['FAILED', 'SCA_NOT_COMPLETED']);
    assertWrong(await authorize(quote), 'CHALLENGE_EXPIRED');
    assertRefused(await resend(quote), 409, 'CONFLICT');
    assert.equal(await balanceLeft(), FUNDS);
  });

  test('exactly one proof, and an address that is one', async () => {
    const { quote } = await waiting();
    assertInvalid(await authorize(quote, {}), 'code');
    assertInvalid(await authorize(quote, { code: CODE, passkeyAssertion: {}, origin: ORIGIN }), 'code');
    assertInvalid(await authorize(quote, { code: CODE, endUserIpAddress: 'here' }), 'endUserIpAddress');
    await expectStatus(200, authorize(quote));
  });
});

describe('refusals before the proof is looked at', () => {
  test('423 ACCOUNT_LOCKED: also for the right code, and nothing is counted', async () => {
    const { quote, sca } = await waiting();
    for (let i = 0; i < 5; i += 1) await expectStatus(200, sca.report('FAILED_LOGIN_ATTEMPT'));
    const answer = await authorize(quote);
    assertRefused(answer, 423, 'ACCOUNT_LOCKED');
    assert.equal(answer.body.details.failedAttempts, 5);
  });

  test('409 SCA_SESSION_REQUIRED: the session ended while the payment waited', async () => {
    const { quote, sca } = await waiting();
    await expectStatus(200, sca.report('RESET_PASSWORD_COMPLETED'));
    assertRefused(await authorize(quote), 409, 'SCA_SESSION_REQUIRED');
    await sca.login();
    await expectStatus(200, authorize(quote));
  });

  test('a changed phone number voids the code that was sent to the old one', async () => {
    const { quote, sca, customer } = await waiting(undefined, (payer) => payer.sca.withTotp());
    await expectStatus(200, platform.patch(`/customers/${customer.id}`, { customerType: 'INDIVIDUAL', phoneNumber: '+4915177777777' }));
    assertRefused(await authorize(quote), 409, 'SCA_SESSION_REQUIRED');
    await expectStatus(200, sca.start('TOTP'));
    await expectStatus(200, sca.complete({ factor: 'TOTP', code: CODE }));
    assertWrong(await authorize(quote), 'CHALLENGE_EXPIRED');
  });

  test('409 CONFLICT: the quote was not executed; 404 QUOTE_NOT_FOUND: unknown, or of another platform', async () => {
    const payer = await newPayer();
    const quote = await payer.quoteTo(await payer.eur(payer.customer));
    assertRefused(await authorize(quote), 409, 'CONFLICT');
    assertRefused(await resend(quote), 409, 'CONFLICT');
    const { quote: waits } = await waiting();
    const other = await service.newPlatform();
    assertRefused(await authorize(waits, { code: CODE }, other), 404, 'QUOTE_NOT_FOUND');
    for (const id of ['Quote:0199a000-0000-7000-8000-000000000000', 'nonsense']) {
      assertRefused(await authorize({ id }), 404, 'QUOTE_NOT_FOUND');
      assertRefused(await resend({ id }), 404, 'QUOTE_NOT_FOUND');
    }
  });

  test('403 CUSTOMER_NOT_VERIFIED and 404 ACCOUNT_NOT_FOUND: payer or payee changed while the payment waited, which waits on', async () => {
    const { quote, customer, destination, balanceLeft, getQuote } = await waiting();
    const setStatus = (status: string) =>
      service.db.run(sql`update customers set verification_status = ${status} where id = ${customer.id.split(':')[1]}`);
    await setStatus('HOLD');
    assertRefused(await authorize(quote), 403, 'CUSTOMER_NOT_VERIFIED');
    await setStatus('APPROVED');
    await expectStatus(204, platform.delete(`/customers/external-accounts/${destination.id}`));
    assertRefused(await authorize(quote), 404, 'ACCOUNT_NOT_FOUND');
    assert.equal((await getQuote(quote)).status, 'PENDING_AUTHORIZATION');
    assert.equal(await balanceLeft(), FUNDS);
  });

  test('404 CUSTOMER_NOT_FOUND: a payer who was deleted meanwhile authorizes nothing and is sent no code; the payment ends unpaid', async () => {
    const { quote, customer, balanceLeft, getQuote } = await waiting();
    await expectStatus(200, platform.delete(`/customers/${customer.id}`));
    assertRefused(await authorize(quote), 404, 'CUSTOMER_NOT_FOUND');
    assertRefused(await resend(quote), 404, 'CUSTOMER_NOT_FOUND');
    assert.equal((await textsTo(customer)).length, 1);
    await platform.clock.advance(5 * MINUTE);
    assert.equal((await getQuote(quote)).status, 'FAILED');
    assert.equal(await balanceLeft(), FUNDS);
  });

  test('400 INSUFFICIENT_FUNDS: the payment waits on, and the same code authorizes it once there is money', async () => {
    const payer = await newPayer();
    const destination = await payer.eur(payer.customer);
    const quote = await expectStatus(200, execute(await payer.quoteTo(destination, FUNDS)));
    const other = await expectStatus(200, execute(await payer.quoteTo(destination, 10_000)));
    await expectStatus(200, authorize(other));
    assertRefused(await authorize(quote), 400, 'INSUFFICIENT_FUNDS');
    await payer.fund(payer.source, 10_000);
    await expectStatus(200, authorize(quote));
  });
});

describe('a proof is bound to its payment', () => {
  test('an assertion of another quote, customer or step is refused', async () => {
    const payer = await newPayer();
    const passkey = await payer.sca.withPasskey();
    const destination = await payer.eur(payer.customer);
    const start = async (to: Resource, amount: number) =>
      expectStatus(200, execute(await payer.quoteTo(to, amount), { scaFactor: 'PASSKEY' }));
    const [one, two] = [await start(destination, 10_000), await start(destination, 10_000)];
    const signed = (quote: Resource) => ({
      passkeyAssertion: assertionOf(passkey, quote.scaChallenge.passkeyAssertionOptions.challenge),
      origin: ORIGIN,
    });
    assertWrong(await authorize(two, signed(one)), 'ASSERTION_INVALID');
    const stranger = await waiting({ scaFactor: 'PASSKEY' }, (other) => other.sca.withPasskey());
    assertWrong(await authorize(stranger.quote, signed(one)), 'ASSERTION_INVALID');
    const login = await expectStatus(200, payer.sca.start('PASSKEY'));
    const passkeyAssertion = assertionOf(passkey, login.passkeyOptions.challenge);
    assertWrong(await authorize(one, { passkeyAssertion, origin: ORIGIN }), 'ASSERTION_INVALID');
    await expectStatus(200, payer.sca.report('RESET_PASSWORD_COMPLETED'));
    await payer.sca.login();

    const converted = await start(await payer.usd(payer.customer), 10_000);
    const first = signed(converted);
    const next = await expectStatus(200, authorize(converted, first));
    assertWrong(await authorize(converted, first), 'ASSERTION_INVALID');
    await expectStatus(200, authorize(next, signed(next)));
    await expectStatus(200, authorize(one, signed(one)));
  });

  test('a changed amount or payee voids the code', async () => {
    for (const change of [sql`sent_amount = sent_amount + 1`, sql`received_amount = received_amount - 1`]) {
      const { quote } = await waiting();
      await service.db.run(sql`update payments set ${change} where id = ${quote.transactionId.slice('Transaction:'.length)}`);
      assertWrong(await authorize(quote), 'CODE_INVALID');
    }
    const { quote, destination } = await waiting();
    await service.db.run(sql`
      update external_accounts set account_info = (account_info::jsonb || '{"iban":"DE02120300000000202051"}')::json
      where id = ${destination.id.slice('ExternalAccount:'.length)}`);
    assertWrong(await authorize(quote), 'CODE_INVALID');
  });
});

describe('the code again', () => {
  test('204: another code for the same challenge, which does not live longer', async () => {
    const { quote, customer, getQuote } = await waiting();
    await platform.clock.advance(MINUTE);
    await expectStatus(204, resend(quote));
    assert.equal((await textsTo(customer)).length, 2);
    assert.deepEqual((await getQuote(quote)).scaChallenge, quote.scaChallenge);
    await expectStatus(200, authorize(quote));
    assertRefused(await resend(quote), 409, 'CONFLICT');
  });

  test('429 RATE_LIMITED with Retry-After: the sixth code in 10 minutes', async () => {
    const { quote } = await waiting();
    for (let i = 0; i < 4; i += 1) await expectStatus(204, resend(quote));
    const refused = await resend(quote);
    assertRefused(refused, 429, 'RATE_LIMITED');
    assert.equal(refused.headers.get('retry-after'), '600');
  });

  test('409 CONFLICT: the challenge is for a passkey', async () => {
    const { quote } = await waiting({ scaFactor: 'PASSKEY' }, (payer) => payer.sca.withPasskey());
    assertRefused(await resend(quote), 409, 'CONFLICT');
  });
});

race('16 authorizations at once: one pays', async () => {
  const { quote, balanceLeft } = await waiting();
  const answers = await Promise.all(Array.from({ length: 16 }, () => authorize(quote)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 15 }, () => 409)]);
  assert.equal(await balanceLeft(), FUNDS - 10_000);
});

race('16 quotes of one payer executed at once: five codes are sent, the others are 429', async () => {
  const payer = await newPayer();
  const destination = await payer.eur(payer.customer);
  const quotes = await Promise.all(Array.from({ length: 16 }, () => payer.quoteTo(destination)));
  const statuses = await Promise.all(quotes.map(async (quote) => (await execute(quote)).status));
  assert.deepEqual(statuses.sort(), [...Array.from({ length: 5 }, () => 200), ...Array.from({ length: 11 }, () => 429)]);
  assert.equal((await textsTo(payer.customer)).length, 5);
});
