// getSandboxFaults, setSandboxFaults, deleteSandboxFaults
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Db } from '../../../src/db/pool.js';
import { createFaults, KNOWN_FOR_MS } from '../../../src/domains/sandbox/faults.js';
import type { Operation } from '../../../src/http/operation.js';
import { sandboxKyc } from '../../../src/providers/kyc-sandbox.js';
import { faultyKyc } from '../../../src/providers/sandbox-faults.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../support/client.js';
import { given } from '../../support/given.js';
import { quoting } from '../../support/quotes.js';
import { race } from '../../support/race.js';
import { startOwnService, type TestService } from '../../support/service.js';
import { stablecoins } from '../../support/stablecoins.js';
import { at } from '../../support/uma.js';
import { envelopeOf, givenEndpoint, platformIdOf, settle } from '../../support/webhooks/platform.js';

let service: TestService;
before(async () => {
  service = await startOwnService({ ROLE: 'api' });
});
after(() => service.stop());

const set = (client: Client, ...faults: object[]) => expectStatus(200, client.put('/sandbox/faults', { faults }));
const remaining = async (client: Client) =>
  (await expectStatus(200, client.get('/sandbox/faults'))).data.map((fault: { remaining?: number }) => fault.remaining);
const ada = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' };
const customers = async (client: Client) => (await expectStatus(200, client.get('/customers'))).totalCount;
const faultOf = (answer: { headers: Headers }) => answer.headers.get('switchyard-fault');

describe('requests', () => {
  test('"by count (the next 2)": two requests are refused with the code, nothing happens, then all is as before', async () => {
    const client = await service.newPlatform();
    await set(client, { kind: 'ANSWER', operation: 'createCustomer', code: 'SERVICE_UNAVAILABLE', count: 2 });
    for (const left of [1, 0]) {
      const refused = await client.post('/customers', ada);
      assertRefused(refused, 503, 'SERVICE_UNAVAILABLE');
      assert.equal(faultOf(refused), 'ANSWER');
      assert.equal(refused.headers.get('retry-after'), '1');
      assert.deepEqual(await remaining(client), [left]);
    }
    assert.equal(await customers(client), 0);
    const made = await client.post('/customers', ada);
    assert.equal(made.status, 201);
    assert.equal(faultOf(made), null);
  });

  race('64 parallel requests: exactly as many are refused as the count says', async () => {
    const client = await service.newPlatform();
    await set(client, { kind: 'ANSWER', operation: 'createCustomer', code: 'RATE_LIMITED', count: 20 });
    const answers = await Promise.all(Array.from({ length: 64 }, () => client.post('/customers', ada)));
    assert.equal(answers.filter(({ status }) => status === 429).length, 20);
    assert.equal(await customers(client), 44);
  });

  test('"by object": only requests that name it in path or body', async () => {
    const client = await service.newPlatform();
    const [one, other] = [await given(client).fundedAccount('USD', 0), await given(client).fundedAccount('USD', 0)];
    await set(client, { kind: 'ANSWER', objectId: one.id, code: 'INTERNAL_ERROR' });
    assertRefused(await client.get(`/internal-accounts/${one.id}`), 500, 'INTERNAL_ERROR');
    assert.equal((await client.get(`/internal-accounts/${other.id}`)).status, 200);
    assertRefused(await client.post('/quotes', { source: { sourceType: 'ACCOUNT', accountId: one.id } }), 500, 'INTERNAL_ERROR');
    assertRefused(await client.post('/quotes', { source: { sourceType: 'ACCOUNT', accountId: other.id } }), 400, 'INVALID_INPUT');
  });

  test('"by share": some requests, not all', async () => {
    const client = await service.newPlatform();
    await set(client, { kind: 'ANSWER', operation: 'listCustomers', code: 'SERVICE_UNAVAILABLE', share: 0.5 });
    const statuses = new Set<number>();
    // One of the two is missing after 200 requests once in 10^60 runs.
    for (let i = 0; i < 200 && statuses.size < 2; i += 1) statuses.add((await client.get('/customers')).status);
    assert.deepEqual([...statuses].sort(), [200, 503]);
  });

  test('a delay comes before the answer, and the answer says so', async () => {
    const client = await service.newPlatform();
    await set(client, { kind: 'DELAY', operation: 'listCustomers', delayMs: 300, count: 1 });
    const began = performance.now();
    const answer = await client.get('/customers');
    assert.ok(performance.now() - began >= 290);
    assert.deepEqual([answer.status, faultOf(answer)], [200, 'DELAY']);
  });

  test('a connection that is cut before the commit: nothing happened', async () => {
    const client = await service.newPlatform();
    await set(client, { kind: 'CUT_BEFORE_COMMIT', operation: 'createCustomer', count: 1 });
    await assert.rejects(client.post('/customers', ada), /fetch failed/);
    assert.equal(await customers(client), 0);
  });

  test('"After-commit cuts prove an integrator\'s idempotency": the repeat finds what the lost answer said', async () => {
    const client = await service.newPlatform();
    const account = await given(client).fundedAccount('USD', 0);
    await set(client, { kind: 'CUT_AFTER_COMMIT', operation: 'createCard', count: 1 });
    const order = { customerId: account.customerId, form: 'VIRTUAL', fundingSource: account.id };
    const send = () => client.post('/cards', order, { headers: { 'idempotency-key': 'order-1' } });
    await assert.rejects(send(), /fetch failed/);
    const repeated = await send();
    assert.equal(repeated.status, 201);
    assert.equal(repeated.headers.get('idempotent-replayed'), 'true');
    assert.equal((await expectStatus(200, client.get('/cards'))).data.length, 1);
  });

  test('a stream that is cut is closed: it takes no place of those that a platform may have open', async () => {
    const client = await service.newPlatform();
    for (const [operation, path] of [
      ['streamWebhookEvents', '/webhooks/stream'],
      ['streamRequests', '/requests/stream'],
    ] as const) {
      await set(client, { kind: 'CUT_AFTER_COMMIT', operation });
      const open = (signal: AbortSignal) => fetch(service.baseUrl + path, { headers: { authorization: client.authorization }, signal });
      for (let i = 0; i < 32; i += 1) await assert.rejects(open(AbortSignal.timeout(10_000)), /fetch failed/);
      await expectStatus(204, client.delete('/sandbox/faults'));
      const listening = new AbortController();
      const answer = await open(listening.signal);
      listening.abort();
      assert.equal(answer.status, 200, operation);
    }
  });

  test('a fault without an operation leaves the operations on faults alone, so it can be removed', async () => {
    const client = await service.newPlatform();
    await set(client, { kind: 'CUT_BEFORE_COMMIT' });
    await assert.rejects(client.get('/customers'), /fetch failed/);
    assert.equal((await client.get('/sandbox/faults')).status, 200);
    await expectStatus(204, client.delete('/sandbox/faults'));
    assert.equal(await customers(client), 0);
    assert.deepEqual((await expectStatus(200, client.get('/sandbox/faults'))).data, []);
  });

  test('"never another platform", and not before the credentials are checked', async () => {
    const [client, other] = [await service.newPlatform(), await service.newPlatform()];
    await set(client, { kind: 'ANSWER', code: 'INTERNAL_ERROR' });
    assert.equal((await other.get('/customers')).status, 200);
    assertRefused(await service.as(client.tokenId, 'wrong').get('/customers'), 401, 'UNAUTHORIZED');
    assert.deepEqual((await expectStatus(200, other.get('/sandbox/faults'))).data, []);
  });
});

test('another process of the installation follows within two seconds', async (t) => {
  const { KEY_ENCRYPTION_KEY } = { KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };
  const first = await startOwnService({ ROLE: 'api', KEY_ENCRYPTION_KEY });
  t.after(() => first.stop());
  const second = await startOwnService({ ROLE: 'api', KEY_ENCRYPTION_KEY, DATABASE_URL: first.databaseUrl });
  t.after(() => second.stop());
  const here = first.platform;
  const there = second.as(here.tokenId, here.secret);
  assert.equal((await there.get('/customers')).status, 200);
  await set(here, { kind: 'ANSWER', operation: 'listCustomers', code: 'SERVICE_UNAVAILABLE' });
  let status = 200;
  while (status === 200) ({ status } = await there.get('/customers'));
  assert.equal(status, 503);
  assert.ok(KNOWN_FOR_MS <= 2_000);
});

describe('webhooks', () => {
  test('"a duplicate or lost webhook": the one is sent twice with one id, the other not at all and counts as delivered', async (t) => {
    const client = await service.newPlatform();
    const receiver = await givenEndpoint(client);
    t.after(() => receiver.close());
    await set(
      client,
      { kind: 'WEBHOOK_DUPLICATE', eventType: 'CUSTOMER.KYC_APPROVED', count: 1 },
      { kind: 'WEBHOOK_LOST', eventType: 'CUSTOMER.KYC_APPROVED', count: 1 },
    );
    const make = async () => {
      const { id } = await expectStatus(201, client.post('/customers', ada));
      await settle(client);
      return id as string;
    };
    const about = (id: string) => receiver.received.filter(({ body }) => body.includes(id));
    const [doubled, lost, usual] = [await make(), await make(), await make()];
    assert.equal(about(doubled).length, 2);
    assert.equal(new Set(about(doubled).map((received) => envelopeOf(received).id)).size, 1);
    assert.equal(about(lost).length, 0);
    assert.equal(about(usual).length, 1);
    const { data } = await expectStatus(200, client.get('/webhooks/events?type=CUSTOMER.KYC_APPROVED'));
    const event = await expectStatus(
      200,
      client.get(`/webhooks/events/${data.find((one: { objectId: string }) => one.objectId === lost).id}`),
    );
    assert.equal(event.deliveryStatus, 'DELIVERED');
    assert.match(JSON.stringify(event.attempts), /a fault of the sandbox/);
    assert.deepEqual(await remaining(client), [0, 0]);
  });

  test('"every event": also one that asks for a decision. Lost, it is decided by nobody; doubled, it is decided once', async () => {
    const client = await service.newPlatform();
    const build = quoting(client);
    const customer = await build.customer();
    const receiver = await givenEndpoint(client);
    const eventType = 'INCOMING_PAYMENT.PENDING';
    const receive = async () => {
      const { id } = await expectStatus(
        200,
        client.post('/sandbox/uma/receive', {
          senderUmaAddress: at('success.usd'),
          customerId: customer.id,
          receivingCurrencyCode: 'USD',
          receivingCurrencyAmount: 2_500,
        }),
      );
      await settle(client);
      const asked = receiver.received.filter((one) => envelopeOf(one).type === eventType && envelopeOf(one).data.id === id);
      return [asked.length, (await expectStatus(200, client.get(`/transactions/${id}`))).status];
    };
    try {
      await set(client, { kind: 'WEBHOOK_LOST', eventType, count: 1 }, { kind: 'WEBHOOK_DUPLICATE', eventType, count: 1 });
      assert.deepEqual(await receive(), [0, 'PENDING']);
      assert.deepEqual(await receive(), [2, 'PROCESSING']);
      assert.deepEqual(await receive(), [1, 'PROCESSING']);
      assert.deepEqual(await remaining(client), [0, 0]);
    } finally {
      await receiver.close();
    }
  });
});

describe('providers', () => {
  /** The status of a new card once the issuer has answered, or once `isOver` says that it will not. */
  const status = async (client: Client, account: { id: string; customerId: string }, isOver = async () => false) => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const ordered = await client.post(
      '/cards',
      { customerId: account.customerId, form: 'VIRTUAL', fundingSource: account.id },
      { headers },
    );
    assert.deepEqual([ordered.status, ordered.body.status, faultOf(ordered)], [201, 'PROCESSING', null], ordered.text);
    for (;;) {
      const over = await isOver();
      const { status } = await expectStatus(200, client.get(`/cards/${ordered.body.id}`));
      if (status !== 'PROCESSING' || over) return status;
    }
  };

  test('a card issuer refuses or is silent; the answer came before it was asked, so the card shows it and not the answer', async () => {
    const client = await service.newPlatform();
    const account = await given(client).fundedAccount('USD', 0);
    await set(
      client,
      { kind: 'PROVIDER_REFUSES', provider: 'CARD_ISSUER', count: 1 },
      { kind: 'PROVIDER_SILENT', provider: 'CARD_ISSUER', count: 1 },
    );
    assert.equal(await status(client, account), 'CLOSED');
    const isAsked = async () => (await remaining(client)).every((left: number) => left === 0);
    assert.equal(await status(client, account, isAsked), 'PROCESSING');
    assert.equal(await status(client, account), 'ACTIVE');
    assert.deepEqual(await remaining(client), [0, 0]);
  });

  test('an issuer that refuses a change of a card: the answer is marked, the card stays as it is', async () => {
    const client = await service.newPlatform();
    const account = await given(client).fundedAccount('USD', 0);
    const headers = { 'idempotency-key': 'one' };
    const card = await expectStatus(
      201,
      client.post('/cards', { customerId: account.customerId, form: 'VIRTUAL', fundingSource: account.id }, { headers }),
    );
    await settle(client);
    await set(client, { kind: 'PROVIDER_REFUSES', provider: 'CARD_ISSUER', count: 1 });
    const freeze = () =>
      client.patch(`/cards/${card.id}`, { status: 'FROZEN', substatus: 'END_USER_REQUEST', reason: 'Ada is on holiday.' });
    const refused = await freeze();
    assert.ok(refused.status >= 400);
    assert.equal(faultOf(refused), 'PROVIDER_REFUSES');
    assert.equal((await expectStatus(200, client.get(`/cards/${card.id}`))).status, 'ACTIVE');
    assert.equal((await freeze()).status, 200);
  });

  test('a rail refuses, is slow by the clock, or silent', async () => {
    const client = await service.newPlatform();
    await client.clock.freeze('2031-01-01T00:00:00Z');
    const payer = await given(client).fundedAccount('USD', 100_000);
    const payee = await quoting(client).usd({ id: payer.customerId });
    const pay = async () => {
      const quote = await expectStatus(
        200,
        client.post('/quotes', {
          source: { sourceType: 'ACCOUNT', accountId: payer.id },
          destination: { destinationType: 'ACCOUNT', accountId: payee.id },
          lockedCurrencySide: 'SENDING',
          lockedCurrencyAmount: 1_000,
        }),
      );
      await expectStatus(200, client.post(`/quotes/${quote.id}/execute`));
      await settle(client);
      return quote.transactionId as string;
    };
    const statusOf = async (id: string) => (await expectStatus(200, client.get(`/transactions/${id}`))).status;
    await set(
      client,
      { kind: 'PROVIDER_SLOW', provider: 'RAIL', delayMs: 86_400_000, count: 1 },
      { kind: 'PROVIDER_SILENT', provider: 'RAIL', count: 1 },
      { kind: 'PROVIDER_REFUSES', provider: 'RAIL', count: 1 },
    );
    const [slow, silent, refused, usual] = [await pay(), await pay(), await pay(), await pay()];
    assert.equal(await statusOf(refused), 'FAILED');
    assert.deepEqual([await statusOf(slow), await statusOf(silent)], ['PROCESSING', 'PROCESSING']);
    assert.equal(await statusOf(usual), 'COMPLETED');
    await client.clock.advance(86_400_000);
    assert.deepEqual([await statusOf(slow), await statusOf(silent)], ['COMPLETED', 'PROCESSING']);
  });

  test('a verification is refused, or stays without a decision', async () => {
    const client = await service.newPlatform();
    await set(client, { kind: 'PROVIDER_REFUSES', provider: 'KYC', count: 1 }, { kind: 'PROVIDER_SILENT', provider: 'KYC', count: 1 });
    const make = async () => (await expectStatus(201, client.post('/customers', ada))).kycStatus;
    assert.deepEqual([await make(), await make(), await make()], ['REJECTED', 'PENDING', 'APPROVED']);
  });

  test('a stablecoin issuer refuses the credentials', async () => {
    const client = await service.newPlatform();
    await set(client, { kind: 'PROVIDER_REFUSES', provider: 'STABLECOIN_ISSUER', count: 1 });
    const link = () => stablecoins(client).linking();
    const refused = await link();
    assert.deepEqual([refused.status >= 400, faultOf(refused)], [true, 'PROVIDER_REFUSES']);
    assert.ok((await link()).status < 300);
  });

  race('"the next 2" of a provider are two, also over two processes and 64 calls at once', async () => {
    const client = await service.newPlatform();
    const platformId = await platformIdOf(service, client);
    await set(client, { kind: 'PROVIDER_REFUSES', provider: 'KYC', count: 2 });
    const processes = [1, 2].map(() => createFaults({ db: service.db, decisionDb: service.db }));
    const kyc = faultyKyc(sandboxKyc);
    const screen = async (i: number) => {
      const faults = await processes[i % 2]?.find(platformId);
      assert.ok(faults);
      return faults.duringJob(async () => kyc.screen({ customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' }));
    };
    const outcomes = await Promise.all(Array.from({ length: 64 }, (_, i) => screen(i)));
    assert.equal(outcomes.filter((outcome) => outcome === 'REJECTED').length, 2);
    assert.equal((await expectStatus(200, client.get('/sandbox/faults'))).data[0].remaining, 0);
  });

  test('requests that arrive together share one look at the faults, and a look that began before a change does not outlive it', async () => {
    const client = await service.newPlatform();
    const platformId = await platformIdOf(service, client);
    let looks = 0;
    let [release, seen] = [() => {}, () => {}];
    const held = new Promise<void>((resolve) => (release = resolve));
    const hasRead = new Promise<void>((resolve) => (seen = resolve));
    const decisionDb: Db = {
      ...service.db,
      async many(query) {
        looks += 1;
        const rows = await service.db.many<never>(query);
        seen();
        if (looks === 1) await held;
        return rows;
      },
    };
    const faults = createFaults({ db: service.db, decisionDb });
    const early = Array.from({ length: 64 }, () => faults.find(platformId));
    assert.equal(looks, 1);
    await hasRead;
    await faults.set(platformId, [{ kind: 'CUT_BEFORE_COMMIT', operation: 'listCards' }], [{ id: 'listCards' } as Operation]);
    const later = await faults.find(platformId);
    release();
    assert.deepEqual(new Set(await Promise.all(early)), new Set([undefined]));
    assert.ok(later && (await faults.find(platformId)), 'the earlier look does not overwrite the later one');
  });
});

describe('refusals', () => {
  test('what is no fault is refused by its field, and the faults stay as they are', async () => {
    const client = await service.newPlatform();
    const before = await set(client, { kind: 'DELAY', operation: 'listCards', delayMs: 5 });
    const cases: [field: string, fault: object][] = [
      ['kind', { kind: 'EARTHQUAKE' }],
      ['code', { kind: 'ANSWER' }],
      ['code', { kind: 'ANSWER', operation: 'listCustomers', code: 'CARD_NOT_MUTABLE' }],
      ['code', { kind: 'ANSWER', code: 'toString' }],
      ['code', { kind: 'CUT_BEFORE_COMMIT', code: 'INTERNAL_ERROR' }],
      ['operation', { kind: 'DELAY', operation: 'inventCustomer', delayMs: 1 }],
      ['operation', { kind: 'WEBHOOK_LOST', operation: 'createCustomer' }],
      ['delayMs', { kind: 'DELAY' }],
      ['delayMs', { kind: 'DELAY', delayMs: 10_001 }],
      ['delayMs', { kind: 'PROVIDER_SLOW', provider: 'CARD_ISSUER', delayMs: 10_001 }],
      ['provider', { kind: 'PROVIDER_SILENT' }],
      ['provider', { kind: 'DELAY', delayMs: 1, provider: 'KYC' }],
      ['eventType', { kind: 'WEBHOOK_LOST', eventType: 'NO.SUCH' }],
      ['share', { kind: 'CUT_BEFORE_COMMIT', share: 1.5 }],
      ['count', { kind: 'CUT_BEFORE_COMMIT', count: 0 }],
      ['count', { kind: 'CUT_BEFORE_COMMIT', operation: 'deleteSandboxFaults' }],
    ];
    for (const [field, fault] of cases) assertInvalid(await client.put('/sandbox/faults', { faults: [fault] }), `faults.0.${field}`);
    assert.deepEqual(await expectStatus(200, client.get('/sandbox/faults')), before);
  });

  test('a token without MANAGE sets none', async () => {
    const client = await service.newPlatform();
    const token = await expectStatus(201, client.post('/tokens', { name: 'reader', permissions: ['VIEW'] }));
    const reader = service.as(token.clientId, token.clientSecret);
    assert.equal((await reader.get('/sandbox/faults')).status, 200);
    assertRefused(await reader.put('/sandbox/faults', { faults: [] }), 403, 'FORBIDDEN');
    assertRefused(await reader.delete('/sandbox/faults'), 403, 'FORBIDDEN');
  });
});
