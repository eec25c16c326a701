// Links to accounts at the issuer: link, list, get and revoke.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { race } from '../../../support/race.js';
import { startOwnService, startTestService, type TestService } from '../../../support/service.js';
import { keyed, MINUTE, type StablecoinBuilder, stablecoins } from '../../../support/stablecoins.js';

let service: TestService;
let platform: Client;
let build: StablecoinBuilder;
before(async () => {
  service = await startTestService();
  platform = service.platform;
  build = stablecoins(platform);
});
after(() => service.stop());

const path = '/stablecoin-provider-accounts';
const rowsOf = (id: string) =>
  service.db.one<{ status: string; has_credentials: boolean }>(
    sql`select status, credentials_sealed is not null as has_credentials from stablecoin_provider_accounts where id = ${id.split(':')[1]}`,
  );

describe('link', () => {
  test('201: ACTIVE and verified now; the only account of the credentials is taken', async () => {
    const now = await platform.clock.freeze('2031-01-01T00:00:00.000Z');
    const apiClientId = `client-${randomUUID()}x`;
    const link = await build.link({ apiClientId });
    assert.match(link.id, /^StablecoinProviderAccount:[0-9a-f-]{36}$/);
    assert.deepEqual(link, {
      id: link.id,
      provider: 'EXTERNAL_ISSUER',
      providerAccountId: `acct-${apiClientId}`,
      providerEnvironment: 'SANDBOX',
      status: 'ACTIVE',
      lastVerifiedAt: now.toISOString(),
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
    });
    assert.deepEqual(await build.getLink(link), link);
    await platform.clock.resume();
  });

  test('a given providerAccountId is opened as given, and several accounts are linked side by side', async () => {
    const fields = build.credentials();
    const first = await build.link({ ...fields, providerAccountId: `a-${randomUUID()}x` });
    const second = await build.link({ ...fields, providerAccountId: `b-${randomUUID()}x` });
    assert.notEqual(first.id, second.id);
  });

  test('400 STABLECOIN_VERIFICATION_FAILED: refused credentials, or an account they do not open', async () => {
    assertRefused(await build.linking({ apiClientSecret: 'secret-002' }), 400, 'STABLECOIN_VERIFICATION_FAILED');
    assertRefused(await build.linking({ providerAccountId: 'account-002' }), 400, 'STABLECOIN_VERIFICATION_FAILED');
  });

  test('400 INVALID_INPUT: the credentials open several accounts and none is named', async () => {
    assertInvalid(await build.linking({ apiClientId: 'client-004' }), 'providerAccountId');
    await build.link({ apiClientId: 'client-004', providerAccountId: `c-${randomUUID()}x` });
  });

  test('400 INVALID_INPUT: shapes, and the Idempotency-Key is required', async () => {
    assertInvalid(
      await build.linking({ provider: 'OTHER', apiClientId: '', apiClientSecret: 's'.repeat(256), more: 1 }),
      'provider',
      'apiClientId',
      'apiClientSecret',
      'more',
    );
    assertInvalid(await platform.post(path, build.credentials()), 'Idempotency-Key');
    assertInvalid(await platform.post(path, build.credentials(), keyed('k'.repeat(256))), 'Idempotency-Key');
  });

  test('503 when the provider cannot be reached: nothing is stored and the key is free', async () => {
    const key = randomUUID();
    const other = stablecoins(await service.newPlatform());
    const refused = await other.linking({ apiClientSecret: 'secret-003' }, key);
    assertRefused(refused, 503, 'SERVICE_UNAVAILABLE');
    assert.ok(refused.headers.get('retry-after'));
    await expectStatus(201, other.linking({}, key));
  });

  test('a replay gives the first answer, also after the link was revoked; another payload is 409 CONFLICT', async () => {
    const key = randomUUID();
    const fields = build.credentials();
    const first = await build.linking(fields, key);
    await expectStatus(204, platform.delete(`${path}/${first.body.id}`));
    const again = await build.linking(fields, key);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assertRefused(await build.linking({ ...fields, apiClientSecret: 'another-x' }, key), 409, 'CONFLICT');
  });

  test('409 CONFLICT names the link that is active', async () => {
    const fields = build.credentials();
    const link = await build.link(fields);
    const again = await build.linking({ ...fields, apiClientSecret: 'other-x' });
    assertRefused(again, 409, 'CONFLICT');
    assert.deepEqual(again.body.details, { stablecoinProviderAccountId: link.id });
  });

  race('64 links of one account at once: one 201, the others 409', async () => {
    const fields = build.credentials();
    const answers = await Promise.all(Array.from({ length: 64 }, () => build.linking(fields)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 63 }, () => 409)]);
  });

  test('another platform links the same account', async () => {
    const fields = build.credentials();
    await build.link(fields);
    await stablecoins(await service.newPlatform()).link(fields);
  });
});

describe('revoke', () => {
  test('204, also again; the link stays readable and its credentials are destroyed at once', async () => {
    const link = await build.link();
    await expectStatus(204, platform.delete(`${path}/${link.id}`));
    const revoked = await build.getLink(link);
    assert.equal(revoked.status, 'REVOKED');
    assert.deepEqual(await rowsOf(link.id), { status: 'REVOKED', has_credentials: false });
    await expectStatus(204, platform.delete(`${path}/${link.id}`));
    assert.deepEqual(await build.getLink(link), revoked);
  });

  test('credentials are kept until the last open operation of the link has ended', async () => {
    const own = await service.newPlatform();
    const mine = stablecoins(own);
    await own.clock.freeze();
    const link = await mine.link();
    const coin = await mine.stablecoin(link);
    const operation = await expectStatus(201, mine.burn(coin, '1000000'));
    await expectStatus(204, own.delete(`${path}/${link.id}`));
    assert.deepEqual(await rowsOf(link.id), { status: 'REVOKED', has_credentials: true });
    assertRefused(await mine.burn(coin, '1000000'), 400, 'STABLECOIN_PROVIDER_ACCOUNT_REVOKED');
    await own.clock.advance(2 * MINUTE);
    assert.equal((await mine.operation(operation)).status, 'COMPLETED');
    assert.deepEqual(await rowsOf(link.id), { status: 'REVOKED', has_credentials: false });
  });

  test('404 STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND: unknown, malformed, or of another platform', async () => {
    const foreign = await stablecoins(await service.newPlatform()).link();
    for (const id of [`StablecoinProviderAccount:${randomUUID()}`, 'x', foreign.id]) {
      assertRefused(await platform.delete(`${path}/${id}`), 404, 'STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND');
      assertRefused(await platform.get(`${path}/${id}`), 404, 'STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND');
    }
  });
});

describe('link: status × event', () => {
  /** A link in a status, with the fields to link it again. */
  async function givenStatus(status: 'ACTIVE' | 'INVALID' | 'REVOKED') {
    const client = await service.newPlatform();
    const mine = stablecoins(client);
    const fields = mine.credentials({ apiClientSecret: status === 'INVALID' ? 'secret-005' : 'secret-x' });
    const link = await mine.link(fields);
    if (status === 'INVALID')
      assertRefused(await mine.registering({ stablecoinProviderAccountId: link.id }), 400, 'STABLECOIN_PROVIDER_ACCOUNT_INVALID');
    if (status === 'REVOKED') await expectStatus(204, client.delete(`${path}/${link.id}`));
    assert.equal((await mine.getLink(link)).status, status);
    return { client, mine, link, fields };
  }

  for (const status of ['ACTIVE', 'INVALID', 'REVOKED'] as const) {
    test(`${status}: revoke → REVOKED`, async () => {
      const { client, mine, link } = await givenStatus(status);
      await expectStatus(204, client.delete(`${path}/${link.id}`));
      assert.equal((await mine.getLink(link)).status, 'REVOKED');
    });

    test(`${status}: link again → ${status === 'ACTIVE' ? '409' : 'ACTIVE under the same id with the new credentials'}`, async () => {
      const { mine, link, fields } = await givenStatus(status);
      const answer = await mine.linking({ ...fields, apiClientSecret: 'fresh-x' });
      if (status === 'ACTIVE') return assertRefused(answer, 409, 'CONFLICT');
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.body.id, link.id);
      assert.equal(answer.body.status, 'ACTIVE');
      await mine.stablecoin(link);
    });

    test(`${status}: link again with refused credentials changes nothing`, async () => {
      const { mine, link, fields } = await givenStatus(status);
      const before = await mine.getLink(link);
      assertRefused(await mine.linking({ ...fields, apiClientSecret: 'fresh-002' }), 400, 'STABLECOIN_VERIFICATION_FAILED');
      assert.deepEqual(await mine.getLink(link), before);
    });
  }
});

test('the list is newest first, filtered by provider and status, in pages', async () => {
  const client = await service.newPlatform();
  const mine = stablecoins(client);
  const links = [await mine.link(), await mine.link(), await mine.link()];
  await expectStatus(204, client.delete(`${path}/${links[1].id}`));
  const ids = async (query: string) => (await expectStatus(200, client.get(`${path}${query}`))).data.map(({ id }: { id: string }) => id);
  assert.deepEqual(await ids(''), links.map(({ id }) => id).toReversed());
  assert.deepEqual(await ids('?status=REVOKED&provider=EXTERNAL_ISSUER'), [links[1].id]);
  const page = await expectStatus(200, client.get(`${path}?limit=2`));
  assert.deepEqual([page.hasMore, page.totalCount], [true, 3]);
  assert.deepEqual(await ids(`?limit=2&cursor=${page.nextCursor}`), [links[0].id]);
  assertInvalid(await client.get(`${path}?status=OPEN`), 'status');
});

test('live mode without an issuer: link is 400 STABLECOIN_PROVIDER_ERROR', async () => {
  const live = await startOwnService({ MODE: 'live', KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') });
  try {
    const client = await live.newPlatform();
    assertRefused(await stablecoins(client).linking(), 400, 'STABLECOIN_PROVIDER_ERROR');
    assert.deepEqual((await expectStatus(200, client.get(path))).data, []);
  } finally {
    await live.stop();
  }
});
