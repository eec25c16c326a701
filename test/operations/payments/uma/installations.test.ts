// Two installations that settle with each other: a payment from a customer of one to a customer of the other, and messages that are refused.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { keysOf } from '../../../../src/domains/payments/uma/keys.js';
import { idOf } from '../../../../src/kernel/ids.js';
import { createKeyCustody } from '../../../../src/providers/key-custody.js';
import { writeLookup, writePayRequest } from '../../../../src/providers/uma/messages.js';
import { writeNotice } from '../../../../src/providers/uma/notices.js';
import { newUmaKeys } from '../../../../src/providers/uma/signatures.js';
import { assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { assertLedgerHolds } from '../../../support/ledger.js';
import { eventsOf, quoting } from '../../../support/quotes.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import { decided, givenLookup, lookUp, umaRequest } from '../../../support/uma.js';
import { envelopeOf, givenEndpoint, platformIdOf } from '../../../support/webhooks/platform.js';
import type { Receiver, Reply } from '../../../support/webhooks/receiver.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

/** The test signs as alpha does. */
const KEY = randomBytes(32);

const ALPHA = 'alpha.example';
const BETA = 'beta.example';

type Installation = { readonly service: TestService; readonly platform: Client; readonly port: number };

/** A port that was free a moment ago: both installations name the other's before either starts. */
const freePort = (): Promise<number> =>
  new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => found(port));
    });
  });

let alpha: Installation;
let beta: Installation;
let question: Reply = 200;
const receivers: Receiver[] = [];

async function install(domain: string, port: number, others: Readonly<Record<string, number>>): Promise<Installation> {
  const service = await startOwnService({
    PORT: String(port),
    KEY_ENCRYPTION_KEY: KEY.toString('base64'),
    UMA_COUNTERPARTIES: Object.entries(others)
      .map(([name, at]) => `${name}=http://127.0.0.1:${at}`)
      .join(','),
  });
  await expectStatus(200, service.platform.patch('/config', { umaDomain: domain }));
  await quoting(service.platform).currencies('USD', 'EUR');
  return { service, platform: service.platform, port };
}

before(async () => {
  const [one, two] = [await freePort(), await freePort()];
  alpha = await install(ALPHA, one, { [BETA]: two, 'silent.example': await freePort() });
  beta = await install(BETA, two, { [ALPHA]: one });
  receivers.push(
    await givenEndpoint(beta.platform, {
      reply: (received) => (envelopeOf(received).type === 'INCOMING_PAYMENT.PENDING' ? question : 200),
    }),
  );
});
after(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await Promise.all([alpha.service.stop(), beta.service.stop()]);
});

/** A customer of beta who is paid by a funded customer of alpha. */
async function parties() {
  const [sending, receiving] = [quoting(alpha.platform), quoting(beta.platform)];
  const payer = await sending.customer({ umaAddress: `$p${randomBytes(6).toString('hex')}@${ALPHA}` });
  const payee = await receiving.customer({ umaAddress: `$r${randomBytes(6).toString('hex')}@${BETA}` });
  const source = { ...(await sending.fund(await sending.account(payer, 'USD'), 100_000)), customerId: payer.id };
  const account = { ...(await receiving.account(payee, 'EUR')), customerId: payee.id };
  const lookup = await givenLookup(alpha.platform, payee.umaAddress, { customerId: payer.id });
  const inEuro = { destination: { destinationType: 'UMA_ADDRESS', umaAddress: payee.umaAddress, currency: 'EUR' } };
  const quote = () => sending.quote(umaRequest(source, lookup, 10_000, inEuro));
  return { sending, receiving, payer, payee, source, account, lookup, quote };
}

const ledgersHold = async () => {
  for (const { service, platform } of [alpha, beta]) await assertLedgerHolds(service.db, await platformIdOf(service, platform));
};

describe('a payment from one installation to the other', () => {
  test('is looked up, agreed, paid, approved by the receiving platform, and credited once', async () => {
    question = 200;
    const { sending, receiving, payer, payee, source, account, lookup, quote } = await parties();
    assert.deepEqual(
      lookup.supportedCurrencies.map((each: Resource) => each.currency.code),
      ['USD', 'EUR'],
    );
    const made = await quote();
    const [invoice] = await beta.service.db.many<Resource>(
      sql`select sender, amount, currency from uma_invoices where receiver = ${payee.umaAddress}`,
    );
    assert.deepEqual({ ...invoice }, { sender: payer.umaAddress, amount: BigInt(made.totalReceivingAmount), currency: 'EUR' });

    await sending.execute(made);
    const outgoing = await decided(alpha.platform, made.transactionId);
    assert.deepEqual([outgoing.status, outgoing.destination.umaAddress], ['COMPLETED', payee.umaAddress]);
    assert.deepEqual(await eventsOf(alpha.service.db, made.transactionId), ['PENDING', 'PROCESSING', 'COMPLETED']);
    const [incoming] = await beta.service.db.many<{ id: string }>(
      sql`select id from payments where type = 'INCOMING' and destination_identifier = ${payee.umaAddress}`,
    );
    const credited = await decided(beta.platform, idOf('Transaction', incoming?.id ?? ''));
    assert.deepEqual([credited.status, credited.source.umaAddress], ['COMPLETED', payer.umaAddress]);
    assert.equal(await sending.balance(source), 90_000);
    assert.equal(await receiving.balance(account), made.totalReceivingAmount);
    await ledgersHold();
  });

  test('that the receiving platform refuses fails ACCOUNT_CANNOT_RECEIVE, and the money is back', async () => {
    question = 403;
    const { sending, receiving, source, account, quote } = await parties();
    const made = await quote();
    await sending.execute(made);
    const outgoing = await decided(alpha.platform, made.transactionId);
    assert.deepEqual([outgoing.status, outgoing.failureReason], ['FAILED', 'ACCOUNT_CANNOT_RECEIVE']);
    await sending.settle();
    assert.equal(await sending.balance(source), 100_000);
    assert.equal(await receiving.balance(account), 0);
    await ledgersHold();
  });

  test('to a customer who was deleted after the quote fails COUNTERPARTY_POST_TX_FAILED, and the money is back', async () => {
    const { sending, payee, source, quote } = await parties();
    const made = await quote();
    await expectStatus(200, beta.platform.delete(`/customers/${payee.id}`));
    await sending.execute(made);
    const outgoing = await decided(alpha.platform, made.transactionId);
    assert.deepEqual([outgoing.status, outgoing.failureReason], ['FAILED', 'COUNTERPARTY_POST_TX_FAILED']);
    await sending.settle();
    assert.equal(await sending.balance(source), 100_000);
    await ledgersHold();
  });

  test('that nobody makes leaves nothing of the payer once it can be made no more, and one that is made only its payment', async () => {
    question = 200;
    const { supportedCurrencies } = await expectStatus(200, beta.platform.get('/config'));
    const asked = supportedCurrencies.map((each: Resource) => ({
      ...each,
      requiredCounterpartyFields: [{ name: 'FULL_NAME', mandatory: true }],
    }));
    await expectStatus(200, beta.platform.patch('/config', { supportedCurrencies: asked }));
    try {
      const { payer, payee, sending, quote } = await parties();
      const [made] = [await quote(), await quote()];
      const invoices = async () => {
        const rows = await beta.service.db.many<{ paid: boolean; data: string }>(sql`
          select payment_id is not null as paid, sender_data::text as data from uma_invoices where receiver = ${payee.umaAddress}`);
        return rows.map(({ paid, data }) => ({ paid, namesPayer: data.includes(payer.fullName) }));
      };
      assert.deepEqual(
        await invoices(),
        [1, 2].map(() => ({ paid: false, namesPayer: true })),
      );
      await sending.execute(made);
      assert.equal((await decided(alpha.platform, made.transactionId)).status, 'COMPLETED');
      await beta.platform.clock.advance(24 * 3_600_000);
      assert.deepEqual(await invoices(), [{ paid: true, namesPayer: false }]);
    } finally {
      await expectStatus(200, beta.platform.patch('/config', { supportedCurrencies }));
    }
  });

  test('a refused quote leaves nothing here', async () => {
    const { sending, source, lookup } = await parties();
    const before = await alpha.service.db.one(sql`select count(*) from uma_payouts`);
    const body = umaRequest(source, lookup, 10_000, { immediatelyExecute: true });
    assertRefused(await alpha.platform.post('/quotes', { ...body, lockedCurrencyAmount: 9_999_999 }), 400, 'INSUFFICIENT_FUNDS');
    assert.deepEqual(await alpha.service.db.one(sql`select count(*) from uma_payouts`), before);
    assert.equal(await sending.balance(source), 100_000);
  });
});

describe('refusals of look-ups', () => {
  test('404 UMA_NOT_FOUND: nobody at the other installation', async () => {
    assertRefused(await lookUp(alpha.platform, `$nobody@${BETA}`), 404, 'UMA_NOT_FOUND');
  });

  test('424 LNURLP_REQUEST_FAILED: a counterparty that is down, and a domain that is none', async () => {
    assertRefused(await lookUp(alpha.platform, '$ada@silent.example'), 424, 'LNURLP_REQUEST_FAILED');
    assertRefused(await lookUp(alpha.platform, '$ada@gamma.example'), 424, 'LNURLP_REQUEST_FAILED');
  });
});

// ---- as another provider sends them

type Sent = { readonly status: number; readonly text: string };

/** A request to beta with any Host. */
const send = (method: string, path: string, body?: string, host = BETA): Promise<Sent> =>
  new Promise((answered, failed) => {
    const headers = { host, ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }) };
    const call = request({ host: '127.0.0.1', port: beta.port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => answered({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    call.on('error', failed);
    call.end(body);
  });

const codeOf = ({ text }: Sent): string => JSON.parse(text).code;

describe('the domain of the platform chooses the platform', () => {
  test('its keys and versions are published under its own Host only', async () => {
    const keys = await send('GET', '/.well-known/lnurlpubkey');
    assert.equal(keys.status, 200);
    assert.match(JSON.parse(keys.text).signingPubKey, /^04[0-9a-f]{128}$/);
    assert.deepEqual(Object.keys(JSON.parse(keys.text)), ['signingPubKey', 'encryptionPubKey']);
    const configuration = JSON.parse((await send('GET', '/.well-known/uma-configuration')).text);
    assert.deepEqual(configuration.uma_major_versions, [0, 1]);
    assert.match(configuration.uma_request_endpoint, /^https:\/\/beta\.example\//);
    assert.equal((await send('GET', '/.well-known/lnurlpubkey', undefined, `${BETA.toUpperCase()}:8443`)).text, keys.text);
    for (const path of ['/.well-known/lnurlpubkey', '/.well-known/uma-configuration', '/.well-known/lnurlp/$ada'])
      for (const host of [ALPHA, 'localhost', '', 'x'.repeat(300)]) assert.equal((await send('GET', path, undefined, host)).status, 404);
  });

  test('another platform of the installation cannot take the domain', async () => {
    const other = await beta.service.newPlatform();
    const answer = await other.patch('/config', { umaDomain: BETA.toUpperCase() });
    assertRefused(answer, 400, 'INVALID_INPUT');
    assert.equal(answer.body.details.errors[0].field, 'umaDomain');
  });
});

describe('hostile messages are refused and change nothing', () => {
  const KEYS = newUmaKeys();

  /** A look-up by alpha that is genuine. */
  async function genuineLookup(receiver: string): Promise<URL> {
    return new URL(await writeLookup(await keysOfAlpha(), { receiver, domain: ALPHA }));
  }

  const keysOfAlpha = async () =>
    keysOf(alpha.service.db, createKeyCustody([KEY]), await platformIdOf(alpha.service, alpha.platform), new Date());

  const lookupPath = ({ pathname, search }: URL) => pathname + search;

  test('an unsigned look-up, one of an unknown domain, and one with the signature of somebody else', async () => {
    const { payee } = await parties();
    const path = `/.well-known/lnurlp/${payee.umaAddress.split('@')[0]}`;
    const unsigned = await send('GET', path);
    assert.deepEqual([unsigned.status, codeOf(unsigned)], [400, 'MISSING_REQUIRED_UMA_PARAMETERS']);
    const stranger = await send(
      'GET',
      lookupPath(new URL(await writeLookup(KEYS, { receiver: payee.umaAddress, domain: 'evil.example' }))),
    );
    assert.deepEqual([stranger.status, codeOf(stranger)], [403, 'COUNTERPARTY_NOT_ALLOWED']);
    const forged = await send('GET', lookupPath(new URL(await writeLookup(KEYS, { receiver: payee.umaAddress, domain: ALPHA }))));
    assert.deepEqual([forged.status, codeOf(forged)], [401, 'INVALID_SIGNATURE']);
    const sandbox = await send(
      'GET',
      lookupPath(new URL(await writeLookup(KEYS, { receiver: payee.umaAddress, domain: 'sandbox.uma.money' }))),
    );
    assert.equal(sandbox.status, 403);
  });

  test('a genuine look-up of nobody, and genuine notices about payments that were not agreed', async () => {
    const nobody = await send('GET', lookupPath(await genuineLookup(`$nobody@${BETA}`)));
    assert.deepEqual([nobody.status, codeOf(nobody)], [404, 'USER_NOT_FOUND']);
    const invoice = randomUUID();
    for (const [path, outcome] of [
      [`/uma/invoices/${invoice}`, 'PAID'],
      [`/uma/payments/${invoice}`, 'SETTLED'],
    ] as const) {
      const notice = writeNotice(await keysOfAlpha(), ALPHA, BETA, { invoice, amount: '1', currency: 'EUR', outcome });
      const answer = await send('POST', path, notice);
      assert.deepEqual([answer.status, codeOf(answer)], [409, 'INVALID_REQUEST'], path);
    }
  });

  test('a message that comes a second time, one that is too old, and one of another version', async () => {
    const { payee } = await parties();
    const url = await genuineLookup(payee.umaAddress);
    assert.equal((await send('GET', lookupPath(url))).status, 200);
    const replayed = await send('GET', lookupPath(url));
    assert.deepEqual([replayed.status, codeOf(replayed)], [401, 'INVALID_NONCE']);
    const old = new URL(url);
    old.searchParams.set('timestamp', '1600000000');
    assert.equal((await send('GET', lookupPath(old))).status, 401);
    for (const version of ['2.0', '99.1', 'x', '1']) {
      const other = new URL(url);
      other.searchParams.set('umaVersion', version);
      const { status } = await send('GET', lookupPath(other));
      assert.ok(status === 412 || status === 400, `${version}: ${status}`);
    }
    const unsupported = new URL(url);
    unsupported.searchParams.set('umaVersion', '2.0');
    assert.deepEqual(JSON.parse((await send('GET', lookupPath(unsupported))).text).supportedMajorVersions.sort(), [0, 1]);
  });

  test('pay requests and notices that are unreadable, oversized, forged or about nothing', async () => {
    const { payee } = await parties();
    const name = payee.umaAddress.split('@')[0];
    const before = await beta.service.db.one(sql`select count(*) from uma_invoices`);
    const forged = await writePayRequest(KEYS, {
      payer: `$ada@${ALPHA}`,
      currency: 'EUR',
      amount: 100,
      payerData: {},
      payeeFields: [],
      callback: undefined,
      version: '1.0',
    });
    const notice = writeNotice(KEYS, ALPHA, BETA, { invoice: 'x', amount: '1', currency: 'EUR', outcome: 'PAID' });
    for (const path of [`/uma/pay-requests/${name}`, '/uma/invoices/x', '/uma/payments/x'])
      for (const body of [
        '{}',
        '[]',
        'null',
        '{"amount":{}}',
        '{"amount":"1.2.3","convert":"EUR"}',
        '"x"',
        forged,
        notice,
        '{',
        '\u0000',
      ]) {
        const { status, text } = await send('POST', path, body);
        assert.ok(status >= 400 && status < 500, `${path} ${body.slice(0, 40)}: ${status} ${text}`);
      }
    assert.equal((await send('POST', `/uma/pay-requests/${name}`, JSON.stringify({ x: 'x'.repeat(70_000) }))).status, 413);
    assert.deepEqual(await beta.service.db.one(sql`select count(*) from uma_invoices`), before);
  });
});
