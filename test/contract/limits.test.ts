// Rate limits and the throttle of failed logins, over HTTP and over two processes of one installation.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { assertRefused, type Client, expectStatus } from '../support/client.js';
import { startOwnService, type TestService } from '../support/service.js';

const env = {
  KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  RATE_LIMIT_PER_MINUTE: '20',
  PLATFORM_RATE_LIMIT_PER_MINUTE: '40',
  FAILED_LOGINS_PER_MINUTE: '1',
  TRUST_PROXY: '127.0.0.1',
};
let first: TestService;
let second: TestService;
before(async () => {
  first = await startOwnService(env);
  second = await startOwnService({ ...env, ROLE: 'api', DATABASE_URL: first.databaseUrl });
});
after(async () => {
  await second?.stop();
  await first?.stop();
});

/** How many of so many requests at once, to both processes, passed. */
async function passed(times: number, ...clients: readonly Client[]): Promise<number> {
  const answers = await Promise.all(Array.from({ length: times }, (_, i) => (clients[i % clients.length] as Client).get('/config')));
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    assertRefused(answer, 429, 'RATE_LIMITED');
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  }
  return answers.filter(({ status }) => status === 200).length;
}

const both = ({ tokenId, secret }: Client): Client[] => [first.as(tokenId, secret), second.as(tokenId, secret)];

describe('429 RATE_LIMITED with Retry-After', () => {
  test('the limit of a token is shared by all processes', async () => {
    // The bucket refills while the test runs: one request in three seconds.
    const served = await passed(60, ...both(await first.newPlatform()));
    assert.ok(served >= 20 && served <= 30, String(served));
  });

  test('the limit of a platform is shared by all its tokens and all processes', async () => {
    const platform = await first.newPlatform();
    const tokens: Client[] = [platform];
    for (let i = 0; i < 3; i += 1) {
      const { clientId, clientSecret } = await expectStatus(201, platform.post('/tokens', { name: `t${i}`, permissions: ['VIEW'] }));
      tokens.push(first.as(clientId, clientSecret));
    }
    // Each of the four tokens alone may send 20.
    const served = await passed(160, ...tokens.flatMap(both));
    assert.ok(served >= 36 && served <= 50, String(served));
  });

  test('"each request counts": a code for the console and a sign-in count like any other, for the token and its platform', async () => {
    for (const [path, headersOf] of [
      ['/console/codes', ({ authorization }: Client) => ({ authorization })],
      ['/console/session', () => ({ 'x-switchyard-console': '1', origin: first.url, 'content-type': 'application/json' })],
    ] as const) {
      const client = await first.newPlatform();
      const { tokenId, secret } = client;
      const ask = () =>
        fetch(first.url + path, {
          method: 'POST',
          headers: headersOf(client),
          ...(path === '/console/session' && { body: JSON.stringify({ tokenId, secret }) }),
        });
      const answers = await Promise.all(Array.from({ length: 60 }, ask));
      const refused = answers.filter(({ status }) => status === 429);
      assert.ok(refused.length >= 30 && refused.length <= 40, `${path}: ${answers.map(({ status }) => status).join(' ')}`);
      for (const { headers } of refused) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assertRefused(await client.get('/config'), 429, 'RATE_LIMITED');
    }
  });

  test('a platform does not use up the allowance of another', async () => {
    const other = await first.newPlatform();
    await passed(60, ...both(await first.newPlatform()));
    assert.equal(await passed(10, ...both(other)), 10);
  });
});

describe('failed logins', () => {
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const statuses = async (client: Client, times: number, address: string) => {
    const found: number[] = [];
    for (let i = 0; i < times; i += 1) found.push((await client.get('/config', from(address))).status);
    return found;
  };

  test('are throttled per client id and address; the good client passes at another address, and where it logged in before', async () => {
    const good = await first.newPlatform();
    const guesser = first.as(good.tokenId, 'wrong');
    await expectStatus(200, good.get('/config', from('192.0.2.7')));
    assert.deepEqual(await statuses(guesser, 12, '192.0.2.7'), [...Array(10).fill(401), 429, 429]);
    await expectStatus(200, good.get('/config', from('192.0.2.7')));
    await expectStatus(200, good.get('/config', from('192.0.2.8')));
    assert.deepEqual(await statuses(guesser, 1, '192.0.2.8'), [401]);
  });

  test('an unknown client id is throttled the same way', async () => {
    assert.deepEqual(await statuses(first.as('nobody', 'wrong'), 12, '192.0.2.9'), [...Array(10).fill(401), 429, 429]);
  });

  test('an address that a proxy did not add does not count', async () => {
    const guesser = first.as('somebody', 'wrong');
    const chain = async (i: number) => (await guesser.get('/config', from(`198.51.100.${i}, 192.0.2.10`))).status;
    const found: number[] = [];
    for (let i = 0; i < 12; i += 1) found.push(await chain(i));
    assert.deepEqual(found, [...Array(10).fill(401), 429, 429]);
  });
});
