// Registering tokens, their issuance, and their enablement.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { race } from '../../../support/race.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { MINUTE, type StablecoinBuilder, stablecoins } from '../../../support/stablecoins.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

/** A platform of its own with one active link. */
async function world(
  credentials: Record<string, unknown> = {},
): Promise<{ client: Client; build: StablecoinBuilder; link: { id: string } }> {
  const client = await service.newPlatform();
  const build = stablecoins(client);
  return { client, build, link: await build.link(credentials) };
}

describe('register', () => {
  test('201: what the provider says, NOT_ENABLED and without currency', async () => {
    const { client, build, link } = await world();
    const now = await client.clock.freeze('2031-01-01T00:00:00.000Z');
    const token = build.token();
    const coin = await expectStatus(201, build.registering(token));
    assert.deepEqual(coin, {
      id: coin.id,
      name: `${token['providerTokenIdentifier']} Dollar`,
      symbol: token['providerTokenIdentifier'],
      baseCurrency: 'USD',
      decimals: 6,
      issuanceStatus: 'PROVISIONED',
      gridOperationsStatus: 'NOT_ENABLED',
      provider: 'EXTERNAL_ISSUER',
      stablecoinProviderAccountId: link.id,
      providerEnvironment: 'SANDBOX',
      ...token,
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
    });
    assert.match(coin.id, /^Stablecoin:[0-9a-f-]{36}$/);
    assert.deepEqual(await build.get(coin), coin);
  });

  test('which link: none 404, one is taken, several must be named', async () => {
    const client = await service.newPlatform();
    const build = stablecoins(client);
    assertRefused(await build.registering(), 404, 'STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND');
    const first = await build.link();
    assert.equal((await expectStatus(201, build.registering())).stablecoinProviderAccountId, first.id);
    const second = await build.link();
    assertRefused(await build.registering(), 400, 'STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED');
    const named = await expectStatus(201, build.registering({ stablecoinProviderAccountId: second.id }));
    assert.equal(named.stablecoinProviderAccountId, second.id);
    await client.delete(`/stablecoin-provider-accounts/${first.id}`);
    assert.equal((await expectStatus(201, build.registering())).stablecoinProviderAccountId, second.id);
  });

  test('a named link that is unknown, of another platform, revoked or invalid', async () => {
    const { client, build, link } = await world({ apiClientSecret: 'secret-005' });
    const foreign = await world();
    for (const id of [foreign.link.id, `StablecoinProviderAccount:${randomUUID()}`, 'x'])
      assertRefused(await build.registering({ stablecoinProviderAccountId: id }), 404, 'STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND');
    const register = () => build.registering({ stablecoinProviderAccountId: link.id });
    // The provider rejects the stored credentials: the link is invalid although the call is refused.
    assertRefused(await register(), 400, 'STABLECOIN_PROVIDER_ACCOUNT_INVALID');
    assert.equal((await build.getLink(link)).status, 'INVALID');
    assertRefused(await register(), 400, 'STABLECOIN_PROVIDER_ACCOUNT_INVALID');
    await client.delete(`/stablecoin-provider-accounts/${link.id}`);
    assertRefused(await register(), 400, 'STABLECOIN_PROVIDER_ACCOUNT_REVOKED');
    assert.deepEqual((await expectStatus(200, client.get('/stablecoins'))).data, []);
  });

  test('400 STABLECOIN_VERIFICATION_FAILED: unknown at the provider, or another network identifier', async () => {
    const { build } = await world();
    assertRefused(await build.registering({}, '002'), 400, 'STABLECOIN_VERIFICATION_FAILED');
    assertRefused(await build.registering({ networkTokenIdentifier: 'btkn1-002' }), 400, 'STABLECOIN_VERIFICATION_FAILED');
  });

  test('409: the network identifier first, then the symbol in any case; another platform may register the same token', async () => {
    const { build } = await world();
    const token = build.token();
    await expectStatus(201, build.registering(token));
    assertRefused(await build.registering(token), 409, 'STABLECOIN_TOKEN_IDENTIFIER_ALREADY_EXISTS');
    const symbol = String(token['providerTokenIdentifier']).toUpperCase();
    assertRefused(await build.registering({ providerTokenIdentifier: symbol }), 409, 'STABLECOIN_SYMBOL_ALREADY_EXISTS');
    const other = await world();
    await expectStatus(201, other.build.registering(token));
  });

  race('64 registrations of one token at once: one 201', async () => {
    const { build } = await world();
    const token = build.token();
    const answers = await Promise.all(Array.from({ length: 64 }, () => build.registering(token)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    for (const answer of answers) if (answer.status !== 201) assertRefused(answer, 409, 'STABLECOIN_TOKEN_IDENTIFIER_ALREADY_EXISTS');
  });

  race('repeats of a registration at once all get the first answer', async () => {
    const { build } = await world();
    const registrations = Array.from({ length: 16 }, async () => {
      const [token, key] = [build.token(), randomUUID()];
      const answers = await Promise.all(Array.from({ length: 4 }, () => build.registering(token, 'x', key)));
      for (const { status, text } of answers) assert.deepEqual([status, text], [201, answers[0]?.text]);
    });
    await Promise.all(registrations);
  });

  test('the Idempotency-Key is required; a replay gives the first answer', async () => {
    const { client, build } = await world();
    const token = build.token();
    assertInvalid(await client.post('/stablecoins', token), 'Idempotency-Key');
    const key = randomUUID();
    const first = await build.registering(token, 'x', key);
    const again = await build.registering(token, 'x', key);
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assertRefused(await build.registering({ ...token, networkTokenIdentifier: 'other' }, 'x', key), 409, 'CONFLICT');
  });

  test('400 INVALID_INPUT: shapes', async () => {
    const { build } = await world();
    assertInvalid(
      await build.registering({ providerTokenIdentifier: 'T'.repeat(65), networkTokenIdentifier: '', network: 'SOLANA', symbol: 'X' }),
      'providerTokenIdentifier',
      'networkTokenIdentifier',
      'network',
      'symbol',
    );
  });

  test('decimals 0 to 18 by the token', async () => {
    const { build, link } = await world();
    for (const [ending, decimals] of [
      ['100', 0],
      ['102', 2],
      ['118', 18],
      ['119', 6],
    ] as const)
      assert.equal((await build.stablecoin(link, ending)).decimals, decimals);
  });
});

describe('issuance follows the provider by the clock', () => {
  for (const [ending, statuses] of [
    ['003', ['PENDING_REVIEW', 'PROVISIONING', 'PROVISIONED', 'PROVISIONED']],
    ['004', ['PENDING_REVIEW', 'REJECTED', 'REJECTED']],
    ['005', ['PROVISIONING', 'FAILED', 'FAILED']],
  ] as const) {
    test(`${statuses.join(' → ')}`, async () => {
      const { client, build, link } = await world();
      await client.clock.freeze();
      const coin = await build.stablecoin(link, ending);
      const seen = [coin.issuanceStatus];
      for (let i = 1; i < statuses.length; i += 1) {
        await client.clock.advance(MINUTE);
        seen.push((await build.get(coin)).issuanceStatus);
      }
      assert.deepEqual(seen, statuses);
    });
  }

  test('an advance over all steps ends where step by step ends; updatedAt is the time of the last move', async () => {
    const { client, build, link } = await world();
    const now = await client.clock.freeze();
    const coin = await build.stablecoin(link, '003');
    await client.clock.advance(60 * MINUTE);
    const after = await build.get(coin);
    assert.equal(after.issuanceStatus, 'PROVISIONED');
    assert.equal(after.updatedAt, new Date(now.getTime() + 2 * MINUTE).toISOString());
  });

  test('without credentials nobody is asked every minute: an advance by a month ends, and the account that is linked again is asked', async () => {
    const { client, build } = await world();
    const credentials = build.credentials();
    const link = await build.link(credentials);
    await client.clock.freeze();
    const coin = await build.stablecoin(link, '003');
    await expectStatus(204, client.delete(`/stablecoin-provider-accounts/${link.id}`));
    const { complete, ran } = (await client.clock.advance(30 * 24 * 60 * MINUTE)).body;
    const asked = ran.find(({ job }: { job: string }) => job === 'stablecoin-issuance')?.count;
    assert.ok(complete && asked > 0 && asked < 100, `asked ${asked} times`);
    assert.equal((await build.get(coin)).issuanceStatus, 'PENDING_REVIEW');

    await build.link(credentials);
    await client.clock.advance(24 * 60 * MINUTE);
    assert.equal((await build.get(coin)).issuanceStatus, 'PROVISIONED');
  });

  test('an account that is linked again soon is asked soon', async () => {
    const { client, build } = await world();
    const credentials = build.credentials();
    const link = await build.link(credentials);
    await client.clock.freeze();
    const coin = await build.stablecoin(link, '003');
    await expectStatus(204, client.delete(`/stablecoin-provider-accounts/${link.id}`));
    await client.clock.advance(10 * MINUTE);
    await build.link(credentials);
    await client.clock.advance(10 * MINUTE);
    assert.equal((await build.get(coin)).issuanceStatus, 'PROVISIONED');
  });

  test('rejected and failed registrations keep their names taken', async () => {
    const { client, build, link } = await world();
    await client.clock.freeze();
    const token = build.token('004');
    await expectStatus(201, build.registering({ ...token, stablecoinProviderAccountId: link.id }));
    await client.clock.advance(MINUTE);
    assertRefused(await build.registering(token), 409, 'STABLECOIN_TOKEN_IDENTIFIER_ALREADY_EXISTS');
  });
});

test('the list is newest first and filtered', async () => {
  const { client, build, link } = await world();
  await client.clock.freeze();
  const coins = [await build.stablecoin(link), await build.stablecoin(link, '003'), await build.stablecoin(link)];
  await expectStatus(200, client.post(`/stablecoins/${coins[2].id}/request-grid-enablement`));
  const ids = async (query: string) =>
    (await expectStatus(200, client.get(`/stablecoins${query}`))).data.map(({ id }: { id: string }) => id);
  assert.deepEqual(await ids(''), coins.map(({ id }) => id).toReversed());
  assert.deepEqual(await ids('?issuanceStatus=PENDING_REVIEW'), [coins[1].id]);
  assert.deepEqual(await ids('?gridOperationsStatus=PENDING_APPROVAL&issuanceStatus=PROVISIONED&provider=EXTERNAL_ISSUER'), [coins[2].id]);
  const page = await expectStatus(200, client.get('/stablecoins?limit=2'));
  assert.deepEqual([page.hasMore, page.totalCount], [true, 3]);
  assert.deepEqual(await ids(`?limit=2&cursor=${page.nextCursor}`), [coins[0].id]);
  const foreign = (await world()).client;
  assert.deepEqual((await expectStatus(200, foreign.get('/stablecoins'))).data, []);
  for (const id of [`Stablecoin:${randomUUID()}`, 'x', coins[0].id])
    assertRefused(await foreign.get(`/stablecoins/${id}`), 404, 'STABLECOIN_NOT_FOUND');
});

describe('request-grid-enablement: status × request', () => {
  test('NOT_ENABLED → PENDING_APPROVAL → ENABLING → ENABLED by the clock; each status answers a request', async () => {
    const { client, build, link } = await world();
    const now = await client.clock.freeze();
    const coin = await build.stablecoin(link);
    const request = () => client.post(`/stablecoins/${coin.id}/request-grid-enablement`);

    await client.clock.advance(5_000);
    const requested = await expectStatus(200, request());
    assert.equal(requested.gridOperationsStatus, 'PENDING_APPROVAL');
    assert.equal(requested.updatedAt, new Date(now.getTime() + 5_000).toISOString());
    await client.clock.advance(1_000);
    assert.deepEqual(await expectStatus(200, request()), requested, 'a repeat changes nothing, updatedAt included');

    await client.clock.advance(59_000);
    assert.equal((await build.get(coin)).gridOperationsStatus, 'ENABLING');
    assertRefused(await request(), 409, 'STABLECOIN_GRID_ENABLEMENT_NOT_REQUESTABLE');
    await client.clock.advance(MINUTE);
    const enabled = await build.get(coin);
    assert.deepEqual([enabled.gridOperationsStatus, enabled.currency], ['ENABLED', coin.symbol]);
    assertRefused(await request(), 409, 'STABLECOIN_GRID_ENABLEMENT_NOT_REQUESTABLE');
  });

  test('404 STABLECOIN_NOT_FOUND for an unknown or foreign id', async () => {
    const [{ client }, foreign] = [await world(), await world()];
    const coin = await foreign.build.stablecoin(foreign.link);
    for (const id of [coin.id, `Stablecoin:${randomUUID()}`, 'x'])
      assertRefused(await client.post(`/stablecoins/${id}/request-grid-enablement`), 404, 'STABLECOIN_NOT_FOUND');
  });
});
