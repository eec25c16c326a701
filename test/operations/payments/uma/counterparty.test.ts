// A provider on the network that misbehaves: what its answers are to our caller, and that its notices are repeated until they are taken.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import type { ErrorCode } from '../../../../src/kernel/errors.js';
import { assertRefused, type Client } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { assertLedgerHolds } from '../../../support/ledger.js';
import { quoting } from '../../../support/quotes.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import { givenLookup, lookUp, umaRequest } from '../../../support/uma.js';
import { EXPIRED_LEAF, LEAF, OTHER_ROOT, ROOT } from '../../../support/uma-certificates.js';
import {
  type Fault,
  type Part,
  PROVIDER_ADDRESS,
  PROVIDER_DOMAIN,
  type Reply,
  startUmaProvider,
  type UmaProvider,
} from '../../../support/uma-provider.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

let provider: UmaProvider;
let service: TestService;
let platform: Client;
let pay: ReturnType<typeof quoting>;
let source: Resource;

before(async () => {
  provider = await startUmaProvider();
  // Without a worker the clock does what is due.
  service = await startOwnService({ ROLE: 'api', UMA_COUNTERPARTIES: `${PROVIDER_DOMAIN}=http://127.0.0.1:${provider.port}` });
  platform = service.platform;
  pay = quoting(platform);
  await pay.currencies('USD', 'EUR');
  await platform.clock.freeze();
  const customer = await pay.customer();
  source = { ...(await pay.fund(await pay.account(customer, 'USD'), 1_000_000)), customerId: customer.id };
});
after(async () => {
  await service.stop();
  await provider.close();
});
beforeEach(() => {
  provider.faults = {};
  provider.whenAsked = async () => {};
  provider.notices.length = 0;
});

const find = () => lookUp(platform, PROVIDER_ADDRESS, { customerId: source.customerId });
const lookup = () => givenLookup(platform, PROVIDER_ADDRESS, { customerId: source.customerId });
const fault = (status: number): Reply => ({ status, text: JSON.stringify({ status: 'ERROR', reason: 'no', code: 'X' }) });

describe('look-ups', () => {
  const cases: readonly [string, Part, Fault, number, ErrorCode][] = [
    ['412 UNSUPPORTED_UMA_VERSION: it does not speak our version', 'LOOKUP', fault(412), 412, 'UNSUPPORTED_UMA_VERSION'],
    ['404 UMA_NOT_FOUND: nobody there', 'LOOKUP', fault(404), 404, 'UMA_NOT_FOUND'],
    ['424 LNURLP_REQUEST_FAILED: it refuses', 'LOOKUP', fault(403), 424, 'LNURLP_REQUEST_FAILED'],
    ['424 LNURLP_REQUEST_FAILED: it ends the connection', 'LOOKUP', 'DROP', 424, 'LNURLP_REQUEST_FAILED'],
    ['400 PARSE_LNURLP_RESPONSE_ERROR: its answer cannot be read', 'LOOKUP', () => '{"x":1}', 400, 'PARSE_LNURLP_RESPONSE_ERROR'],
    [
      '424 NO_COMPATIBLE_UMA_VERSION: it answers in a version that we do not speak',
      'LOOKUP',
      (text) => JSON.stringify({ ...JSON.parse(text), umaVersion: '7.0' }),
      424,
      'NO_COMPATIBLE_UMA_VERSION',
    ],
    [
      '424 LNURLP_REQUEST_FAILED: its answer is not signed by its keys',
      'LOOKUP',
      (text) => {
        const { compliance, ...rest } = JSON.parse(text);
        return JSON.stringify({ ...rest, compliance: { ...compliance, signatureNonce: 'other' } });
      },
      424,
      'LNURLP_REQUEST_FAILED',
    ],
    ['502 COUNTERPARTY_SERVER_ERROR: it fails', 'LOOKUP', fault(500), 502, 'COUNTERPARTY_SERVER_ERROR'],
  ];
  // Its keys are remembered for a minute once they were read, so this one is first.
  test('424 COUNTERPARTY_PUBKEY_FETCH_ERROR: its keys cannot be read', async () => {
    for (const keys of [fault(500), fault(404), { status: 200, text: '{}' }, 'DROP'] satisfies Fault[]) {
      provider.faults = { KEYS: keys };
      assertRefused(await find(), 424, 'COUNTERPARTY_PUBKEY_FETCH_ERROR');
    }
  });
  test('400 INVALID_PUBKEY_FORMAT, CERT_CHAIN_INVALID and CERT_CHAIN_EXPIRED: its keys cannot be trusted', async () => {
    for (const [members, code] of [
      [{ signingPubKey: '04ff' }, 'INVALID_PUBKEY_FORMAT'],
      [{ signingCertChain: [LEAF, OTHER_ROOT] }, 'CERT_CHAIN_INVALID'],
      [{ signingCertChain: [EXPIRED_LEAF, ROOT] }, 'CERT_CHAIN_EXPIRED'],
    ] as const) {
      provider.faults = { KEYS: (text) => JSON.stringify({ ...JSON.parse(text), ...members }) };
      assertRefused(await find(), 400, code);
    }
  });
  for (const [title, part, wrong, status, code] of cases)
    test(title, async () => {
      provider.faults = { [part]: wrong };
      assertRefused(await find(), status, code);
    });
});

describe('pay requests', () => {
  const cases: readonly [string, Fault, number, ErrorCode][] = [
    ['412 UNSUPPORTED_UMA_VERSION: it does not speak our version', fault(412), 412, 'UNSUPPORTED_UMA_VERSION'],
    ['424 PAYREQ_REQUEST_FAILED: it refuses', fault(400), 424, 'PAYREQ_REQUEST_FAILED'],
    ['424 PAYREQ_REQUEST_FAILED: it ends the connection', 'DROP', 424, 'PAYREQ_REQUEST_FAILED'],
    ['400 PARSE_PAYREQ_RESPONSE_ERROR: its answer cannot be read', () => '{"pr":1}', 400, 'PARSE_PAYREQ_RESPONSE_ERROR'],
    [
      '502 INVALID_PAYREQ_RESPONSE: it agrees to another amount',
      (text) => {
        const { converted, ...rest } = JSON.parse(text);
        return JSON.stringify({ ...rest, converted: { ...converted, amount: converted.amount + 1 } });
      },
      502,
      'INVALID_PAYREQ_RESPONSE',
    ],
    [
      '502 INVALID_PAYREQ_RESPONSE: notices would go to another domain',
      (text) => text.replaceAll(`https://${PROVIDER_DOMAIN}/paid`, 'https://evil.example/paid'),
      502,
      'INVALID_PAYREQ_RESPONSE',
    ],
    ['502 COUNTERPARTY_SERVER_ERROR: it fails', fault(503), 502, 'COUNTERPARTY_SERVER_ERROR'],
  ];
  for (const [title, wrong, status, code] of cases)
    test(`${title}, and nothing is written`, async () => {
      const request = umaRequest(source, await lookup(), 10_000);
      provider.faults = { PAY: wrong };
      await changesNothing(service.db, async () => assertRefused(await platform.post('/quotes', request), status, code));
    });

  test('504 LOOKUP_REQUEST_FAILED and QUOTE_REQUEST_FAILED: it does not answer in time, and the key stays free', async () => {
    const request = umaRequest(source, await lookup(), 10_000);
    const key = { headers: { 'idempotency-key': randomBytes(8).toString('hex') } };
    provider.faults = { LOOKUP: 'HANG', PAY: 'HANG' };
    const [found, quoted] = await Promise.all([find(), platform.post('/quotes', request, key)]);
    assertRefused(found, 504, 'LOOKUP_REQUEST_FAILED');
    assertRefused(quoted, 504, 'QUOTE_REQUEST_FAILED');
    provider.faults = {};
    const made = await platform.post('/quotes', request, key);
    assert.equal(made.status, 200);
    provider.faults = { PAY: fault(500) };
    assert.deepEqual((await platform.post('/quotes', request, key)).body, made.body, 'a repeat does not ask again');
  });

  test('no transaction is open while it is asked', async () => {
    const request = umaRequest(source, await lookup(), 10_000);
    let open: Resource[] | undefined;
    provider.whenAsked = async () => {
      open = await service.db.many(sql`
        select query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
          and backend_type = 'client backend'`);
    };
    assert.equal((await platform.post('/quotes', request)).status, 200);
    assert.deepEqual(open, []);
  });

  test('504 QUOTE_REQUEST_FAILED: the rate moved while it was asked, and nothing is written', async () => {
    const request = umaRequest(source, await lookup(), 10_000);
    provider.whenAsked = async () => void (await platform.put('/sandbox/exchange-rates', { currency: 'EUR', perUsd: '0.5' }));
    const before = await service.db.one(sql`select count(*) from payments`);
    assertRefused(await platform.post('/quotes', request), 504, 'QUOTE_REQUEST_FAILED');
    assert.deepEqual(await service.db.one(sql`select count(*) from payments`), before);
    await platform.put('/sandbox/exchange-rates', { currency: 'EUR', perUsd: null });
  });
});

describe('notices that a payment is paid', () => {
  const executed = async () => {
    const quote = await pay.quote(umaRequest(source, await lookup(), 10_000));
    await pay.execute(quote);
    return quote;
  };

  test('are repeated until they are taken, with pauses that double: no answer, a dropped connection and a 5xx say nothing', async () => {
    const before = await pay.balance(source);
    provider.faults = { NOTICE: fault(500) };
    const quote = await executed();
    await platform.clock.advance(0);
    assert.equal(provider.notices.length, 1);
    provider.faults = { NOTICE: 'DROP' };
    await platform.clock.advance(14_999);
    assert.equal(provider.notices.length, 1);
    await platform.clock.advance(1);
    // The HTTP client may repeat a message on a new connection by itself.
    const told = provider.notices.length;
    assert.ok(told > 1);
    provider.faults = {};
    await platform.clock.advance(29_999);
    assert.equal(provider.notices.length, told);
    await platform.clock.advance(1);
    assert.equal(provider.notices.length, told + 1);
    await platform.clock.advance(3_600_000);
    assert.equal(provider.notices.length, told + 1, 'a notice that was taken is not sent again');
    assert.equal(new Set(provider.notices.map(({ invoice }) => invoice)).size, 1, 'all of them are about the same invoice');
    // Its outcome is not known yet, so the money is neither delivered nor back.
    assert.equal((await pay.transaction(quote)).status, 'PROCESSING');
    assert.equal(await pay.balance(source), before - 10_000);
    await assertLedgerHolds(service.db, await platformIdOf(service, platform));
  });

  test('that are refused for good end the payment COUNTERPARTY_POST_TX_FAILED, and the money is back', async () => {
    const before = await pay.balance(source);
    provider.faults = { NOTICE: fault(409) };
    const quote = await executed();
    await pay.settle();
    const { status, failureReason, refund } = await pay.transaction(quote);
    assert.deepEqual([status, failureReason, refund.status], ['FAILED', 'COUNTERPARTY_POST_TX_FAILED', 'COMPLETED']);
    assert.equal(await pay.balance(source), before);
    await assertLedgerHolds(service.db, await platformIdOf(service, platform));
  });
});
