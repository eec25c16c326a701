import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { quoting } from '../../../support/quotes.js';
import { race } from '../../../support/race.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { keyed, MINUTE, type StablecoinBuilder, stablecoins } from '../../../support/stablecoins.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

let service: TestService;
let platform: Client;
let build: StablecoinBuilder;
let coin: Resource;
let wallet: Resource;
before(async () => {
  service = await startTestService();
  platform = service.platform;
  build = stablecoins(platform);
  coin = await build.stablecoin();
  wallet = await build.wallet();
});
after(() => service.stop());

const to = (accountId: string) => ({ destination: { accountId } });
const mint = (amount: string, fields: Record<string, unknown> = {}, key?: string) =>
  build.mint(coin, amount, { ...to(wallet.id), ...fields }, key);

test('201 WIRE: PENDING_FUNDING with instructions, for seven days', async () => {
  const now = await platform.clock.freeze('2031-01-01T00:00:00.000Z');
  const operation = await expectStatus(201, mint('1000000', { description: 'first mint' }));
  assert.deepEqual(operation, {
    id: operation.id,
    stablecoinId: coin.id,
    operationType: 'MINT',
    status: 'PENDING_FUNDING',
    amount: '1000000',
    provider: 'EXTERNAL_ISSUER',
    providerEnvironment: 'SANDBOX',
    stablecoinProviderAccountId: coin.stablecoinProviderAccountId,
    source: { type: 'WIRE' },
    fundingInstructions: operation.fundingInstructions,
    destination: { accountId: wallet.id },
    expiresAt: new Date(now.getTime() + 7 * 24 * 60 * MINUTE).toISOString(),
    providerStatus: 'pending',
    description: 'first mint',
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  });
  assert.match(operation.id, /^StablecoinOperation:[0-9a-f-]{36}$/);
  const { rail, amount, currency, reference, ...bank } = operation.fundingInstructions;
  assert.deepEqual({ rail, amount, currency }, { rail: 'WIRE', amount: '100', currency: 'USD' });
  assert.deepEqual(Object.keys(bank).sort(), ['accountNumber', 'bankName', 'beneficiaryName', 'routingNumber']);
  assert.notEqual(reference, (await expectStatus(201, mint('1000000'))).fundingInstructions.reference);
  assert.deepEqual(await build.operation(operation), operation);
  await platform.clock.resume();
});

test('201 ACH_DEBIT, SAME_DAY_ACH_DEBIT: PENDING_PROVIDER, without instructions and expiry', async () => {
  const customers = quoting(platform);
  const owner = await given(platform).customer();
  for (const [type, bank] of [
    ['ACH_DEBIT', await build.bank()],
    ['SAME_DAY_ACH_DEBIT', await customers.usd(owner)],
  ] as const) {
    const operation = await expectStatus(201, mint('1000000', { fundingSource: { type, externalAccountId: bank.id } }));
    assert.equal(operation.status, 'PENDING_PROVIDER');
    assert.deepEqual(operation.source, { type, externalAccountId: bank.id });
    assert.deepEqual([operation.fundingInstructions, operation.expiresAt, operation.estimatedDelivery], [undefined, undefined, undefined]);
  }
});

describe('amount', () => {
  test('a digit string in the smallest unit; leading zeros are not answered', async () => {
    assert.equal((await expectStatus(201, mint('0001000000'))).amount, '1000000');
    assert.equal((await expectStatus(201, mint('10000'))).fundingInstructions.amount, '1');
  });

  test('400 INVALID_INPUT: zero, signs, fractions, numbers, more than 2^127 − 1', async () => {
    for (const amount of ['0', '000', '', '-1', '1.5', '1e6', ' 1', String(2n ** 127n), '9'.repeat(5_000)])
      assertInvalid(await mint(amount), 'amount');
    assertInvalid(await mint(1_000_000 as unknown as string), 'amount');
  });

  test('400 STABLECOIN_AMOUNT_NOT_REPRESENTABLE: not worth whole cents', async () => {
    for (const amount of ['10001', '9999', '1']) assertRefused(await mint(amount), 400, 'STABLECOIN_AMOUNT_NOT_REPRESENTABLE');
  });

  test('cents up to 9007199254740991, one more is AMOUNT_OUT_OF_RANGE; 0 and 18 decimals', async () => {
    const most = 9_007_199_254_740_991n;
    assert.equal((await expectStatus(201, mint(String(most * 10_000n)))).fundingInstructions.amount, String(most));
    assertRefused(await mint(String((most + 1n) * 10_000n)), 400, 'AMOUNT_OUT_OF_RANGE');
    assertRefused(await mint(String(2n ** 127n - 1n)), 400, 'STABLECOIN_AMOUNT_NOT_REPRESENTABLE');
    const link = { id: coin.stablecoinProviderAccountId };
    const whole = await build.stablecoin(link, '100');
    const fine = await build.stablecoin(link, '118');
    assert.equal((await expectStatus(201, build.mint(whole, '7', to(wallet.id)))).fundingInstructions.amount, '700');
    const cent = 10n ** 16n;
    assert.equal((await expectStatus(201, build.mint(fine, String(3n * cent), to(wallet.id)))).fundingInstructions.amount, '3');
    assertRefused(await build.mint(fine, String(cent + 1n), to(wallet.id)), 400, 'STABLECOIN_AMOUNT_NOT_REPRESENTABLE');
  });
});

describe('accounts', () => {
  const debit = (externalAccountId: string) => mint('1000000', { fundingSource: { type: 'ACH_DEBIT', externalAccountId } });

  test('404 STABLECOIN_EXTERNAL_ACCOUNT_NOT_FOUND: unknown, malformed, deleted, of another platform', async () => {
    const other = stablecoins(await service.newPlatform());
    const deleted = await build.bank();
    await expectStatus(204, platform.delete(`/platform/external-accounts/${deleted.id}`));
    for (const id of [`ExternalAccount:${randomUUID()}`, 'x', deleted.id, (await other.bank()).id]) {
      assertRefused(await debit(id), 404, 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_FOUND');
      assertRefused(await mint('1000000', to(id)), 404, 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_FOUND');
    }
  });

  test('400 STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED: another kind, or a plain Bitcoin address', async () => {
    assertRefused(await debit(wallet.id), 400, 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED');
    assertRefused(await mint('1000000', to((await build.bank()).id)), 400, 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED');
    const bitcoin = await build.wallet({}, 'P2PKH');
    assertRefused(await mint('1000000', to(bitcoin.id)), 400, 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED');
  });

  test('400 STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED: not ACTIVE', async () => {
    const unproven = await build.wallet({ ownershipType: 'FIRST_PARTY' });
    assert.equal(unproven.status, 'PENDING_OWNERSHIP_VERIFICATION');
    assertRefused(await mint('1000000', to(unproven.id)), 400, 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED');
  });

  test('400 STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_FAILED: the provider refuses the bank account', async () => {
    assertRefused(await debit((await build.bank('008')).id), 400, 'STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_FAILED');
  });
});

describe('reserved kinds', () => {
  const internal = { type: 'GRID_INTERNAL_ACCOUNT', accountId: `InternalAccount:${randomUUID()}` };

  test('400 STABLECOIN_OPERATION_NOT_SUPPORTED: a balance at the provider', async () => {
    const fundingSource = { type: 'PROVIDER_INTERNAL_BALANCE', sourceTokenIdentifier: 'USDB', cryptoNetwork: 'SPARK' };
    assertRefused(await mint('1000000', { fundingSource }), 400, 'STABLECOIN_OPERATION_NOT_SUPPORTED');
  });

  test('400 STABLECOIN_GRID_OPERATIONS_NOT_ENABLED, once enabled STABLECOIN_OPERATION_NOT_SUPPORTED: internal accounts', async () => {
    const own = await service.newPlatform();
    const mine = stablecoins(own);
    await own.clock.freeze();
    const [token, destination] = [await mine.stablecoin(), to((await mine.wallet()).id)];
    const tries = () => [
      mine.mint(token, '1000000', { fundingSource: internal, ...destination }),
      mine.mint(token, '1000000', to(internal.accountId)),
    ];
    for (const answer of tries()) assertRefused(await answer, 400, 'STABLECOIN_GRID_OPERATIONS_NOT_ENABLED');
    await expectStatus(200, own.post(`/stablecoins/${token.id}/request-grid-enablement`));
    await own.clock.advance(2 * MINUTE);
    for (const answer of tries()) assertRefused(await answer, 400, 'STABLECOIN_OPERATION_NOT_SUPPORTED');
  });
});

describe('the first reason wins: stablecoin, account, link, issuance, kind, support, active, amount', () => {
  test('in this order', async () => {
    const own = await service.newPlatform();
    const mine = stablecoins(own);
    await own.clock.freeze();
    const link = await mine.link();
    const token = await mine.stablecoin(link, '003');
    const [bank, unproven, ready] = [await mine.bank(), await mine.wallet({ ownershipType: 'FIRST_PARTY' }), await mine.wallet()];
    const reserved = { type: 'PROVIDER_INTERNAL_BALANCE', sourceTokenIdentifier: 'x', cryptoNetwork: 'y' };
    const unknown = { id: `Stablecoin:${randomUUID()}` };
    const send = (target: Resource, accountId: string, fundingSource: Record<string, unknown> = { type: 'WIRE' }) =>
      mine.mint(target, '10001', { fundingSource, ...to(accountId) });

    assertRefused(await send(unknown, 'x', reserved), 404, 'STABLECOIN_NOT_FOUND');
    assertRefused(await send(token, 'x', reserved), 404, 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_FOUND');
    assertRefused(await send(token, bank.id, reserved), 400, 'STABLECOIN_NOT_PROVISIONED');
    await own.clock.advance(2 * MINUTE);
    assertRefused(await send(token, bank.id, reserved), 400, 'STABLECOIN_OPERATION_NOT_SUPPORTED');
    assertRefused(await send(token, bank.id), 400, 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED');
    assertRefused(await send(token, unproven.id), 400, 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED');
    assertRefused(await send(token, ready.id), 400, 'STABLECOIN_AMOUNT_NOT_REPRESENTABLE');
    await expectStatus(204, own.delete(`/stablecoin-provider-accounts/${link.id}`));
    assertRefused(await send(token, bank.id, reserved), 400, 'STABLECOIN_PROVIDER_ACCOUNT_REVOKED');
  });
});

describe('the provider', () => {
  test('503 when it cannot be reached: nothing is shown, now or later, and the key is free', async () => {
    const own = await service.newPlatform();
    const mine = stablecoins(own);
    await own.clock.freeze();
    const fields = mine.credentials({ apiClientSecret: 'secret-006' });
    const link = await mine.link(fields);
    const token = await mine.stablecoin(link);
    const destination = to((await mine.wallet()).id);
    const key = randomUUID();
    assertRefused(await mine.mint(token, '1000000', destination, key), 503, 'SERVICE_UNAVAILABLE');
    assert.deepEqual(await mine.operations(token), []);
    await own.clock.advance(10 * MINUTE);
    assert.deepEqual(await mine.operations(token), []);
    // With other credentials the provider is reached, and the key takes another request.
    await expectStatus(204, own.delete(`/stablecoin-provider-accounts/${link.id}`));
    await mine.link({ ...fields, apiClientSecret: 'secret-x' });
    const operation = await expectStatus(201, mine.mint(token, '2000000', destination, key));
    assert.deepEqual(
      (await mine.operations(token)).map(({ id }: Resource) => id),
      [operation.id],
    );
  });

  test('400 STABLECOIN_PROVIDER_ACCOUNT_INVALID when it rejects the stored credentials; the link stays INVALID', async () => {
    const own = await service.newPlatform();
    const mine = stablecoins(own);
    const fields = mine.credentials();
    const link = await mine.link(fields);
    const token = await mine.stablecoin(link);
    await expectStatus(204, own.delete(`/stablecoin-provider-accounts/${link.id}`));
    await mine.link({ ...fields, apiClientSecret: 'secret-005' });
    assertRefused(await mine.mint(token, '1000000'), 400, 'STABLECOIN_PROVIDER_ACCOUNT_INVALID');
    assert.equal((await mine.getLink(link)).status, 'INVALID');
    assert.deepEqual(await mine.operations(token), []);
  });
});

describe('Idempotency-Key', () => {
  test('is required; a replay gives the first answer and mints nothing twice; another payload is 409', async () => {
    assertInvalid(
      await platform.post(`/stablecoins/${coin.id}/mints`, { amount: '1000000', fundingSource: { type: 'WIRE' }, ...to(wallet.id) }),
      'Idempotency-Key',
    );
    const own = await build.stablecoin({ id: coin.stablecoinProviderAccountId });
    const key = randomUUID();
    const first = await build.mint(own, '1000000', to(wallet.id), key);
    const again = await build.mint(own, '1000000', to(wallet.id), key);
    assert.deepEqual([again.status, again.text, again.headers.get('idempotent-replayed')], [201, first.text, 'true']);
    assertRefused(await build.mint(own, '2000000', to(wallet.id), key), 409, 'CONFLICT');
    assert.equal((await build.operations(own)).length, 1);
  });

  race('64 calls with one key: one operation, 64 times the same answer', async () => {
    const own = await build.stablecoin({ id: coin.stablecoinProviderAccountId });
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 64 }, () => build.mint(own, '1000000', to(wallet.id), key)));
    assert.deepEqual([...new Set(answers.map(({ status, text }) => `${status} ${text}`))].length, 1);
    assert.equal(answers[0]?.status, 201);
    assert.equal((await build.operations(own)).length, 1);
  });

  test('a refused call leaves the key free', async () => {
    const key = randomUUID();
    assertRefused(await mint('1', {}, key), 400, 'STABLECOIN_AMOUNT_NOT_REPRESENTABLE');
    await expectStatus(201, mint('1000000', {}, key));
  });
});

test('400 INVALID_INPUT names every field of wrong shape', async () => {
  assertInvalid(
    await platform.post(
      `/stablecoins/${coin.id}/mints`,
      { amount: 5, fundingSource: { type: 'ACH_DEBIT' }, destination: {}, description: 'x'.repeat(1025), rail: 'WIRE' },
      keyed(),
    ),
    'amount',
    'fundingSource.externalAccountId',
    'destination.accountId',
    'description',
    'rail',
  );
  assertInvalid(await mint('1000000', { fundingSource: { type: 'CASH' } }), 'fundingSource.type');
});
