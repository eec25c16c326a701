// The security rules of the console, against the running service: who may call through its door, and what a session is worth.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { request as exchange } from 'undici';
import { sql } from '../../src/db/sql.js';
import { expectStatus } from '../support/client.js';
import { startOwnService, type TestService } from '../support/service.js';
import { startReceiver } from '../support/webhooks/receiver.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

type Headers = Record<string, string>;
const own = (): Headers => ({ 'x-switchyard-console': '1', 'sec-fetch-site': 'same-origin', origin: service.url });

async function call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, headers: Headers, body?: unknown) {
  const answer = await exchange(service.url + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  assert.equal(answer.headers['www-authenticate'], path.startsWith('/console') ? undefined : answer.headers['www-authenticate']);
  return { status: answer.statusCode, headers: answer.headers, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
}

const cookieOf = (answer: { headers: Record<string, string | string[] | undefined> }): string =>
  String(answer.headers['set-cookie']).split(';')[0] as string;

const signIn = (tokenId = service.platform.tokenId, secret = service.platform.secret) =>
  call('POST', '/console/session', own(), { tokenId, secret });

const session = async (): Promise<Headers> => ({ ...own(), cookie: cookieOf(await signIn()) });

describe('sign-in', () => {
  test('a token opens a session whose cookie scripts cannot read and other sites do not send', async () => {
    const answer = await signIn();
    assert.equal(answer.status, 204);
    const cookie = String(answer.headers['set-cookie']);
    for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/console']) assert.ok(cookie.includes(part), cookie);
    const who = await call('GET', '/console/session', { ...own(), cookie: cookieOf(answer) });
    assert.deepEqual([who.status, who.body.isSandbox, who.body.access], [200, true, 'on']);
    assert.doesNotMatch(who.text, new RegExp(service.platform.secret));
  });

  test('the session is kept as a hash', async () => {
    const value = cookieOf(await signIn()).split('=')[1] as string;
    const rows = await service.db.many<{ row: string }>(sql`select s::text as row from console_sessions s`);
    assert.ok(rows.length > 0);
    assert.ok(rows.every(({ row }) => !row.includes(Buffer.from(value, 'base64url').subarray(16).toString('hex'))));
  });

  test('a wrong secret and an unknown token are refused alike', async () => {
    const [wrong, unknown] = [await signIn(undefined, 'wrong'), await signIn('nobody', 'wrong')];
    assert.deepEqual([wrong.status, wrong.text], [401, unknown.text]);
    assert.equal(wrong.headers['set-cookie'], undefined);
  });

  test('the link of the start message signs in once', async () => {
    const link = service.service.consoleLink ?? '';
    const code = link.split('#login=')[1];
    assert.equal((await call('POST', '/console/session', own(), { code })).status, 204);
    assert.equal((await call('POST', '/console/session', own(), { code })).status, 401);
    assert.equal((await call('POST', '/console/session', own(), { code: randomBytes(48).toString('base64url') })).status, 401);
  });

  test('a code is given to a program with the credentials of a token, and to nobody else', async () => {
    const { tokenId, secret } = service.platform;
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const ask = (headers: Headers) => exchange(`${service.url}/console/codes`, { method: 'POST', headers });
    const given = await ask(basic(`${tokenId}:${secret}`));
    assert.deepEqual([given.statusCode, given.headers['cache-control']], [201, 'no-store']);
    const { code } = (await given.body.json()) as { code: string };
    assert.equal((await call('POST', '/console/session', own(), { code })).status, 204);
    assert.equal((await call('POST', '/console/session', own(), { code })).status, 401);
    assert.equal((await ask({})).statusCode, 401);
    assert.equal((await ask(basic(`${tokenId}:wrong`))).statusCode, 401);
    assert.equal((await ask({ ...basic(`${tokenId}:${secret}`), 'sec-fetch-site': 'same-origin' })).statusCode, 403);
    assert.equal((await ask(await session())).statusCode, 403);
  });

  test('the samples of the reference show the token of the start message to whoever is signed in with it, and to nobody else', async () => {
    const { tokenId, secret } = service.service.credentials as { tokenId: string; secret: string };
    const read = async (headers: Headers) => {
      const answer = await exchange(`${service.url}/docs/cards`, { headers });
      return { headers: answer.headers, text: await answer.body.text() };
    };
    const other = await service.newPlatform();
    const { clientId, clientSecret } = (await service.platform.post('/tokens', { name: 'second', permissions: ['VIEW'] })).body;
    const first = await signIn(tokenId, secret);
    const [theirs, second] = [await signIn(other.tokenId, other.secret), await signIn(clientId, clientSecret)];
    assert.match(String(first.headers['set-cookie']), /Path=\/docs; HttpOnly; SameSite=Strict/);
    const shown = await read({ cookie: cookieOf(first) });
    assert.ok(shown.text.includes(`-u '${tokenId}:${secret}'`));
    assert.ok(shown.text.includes(`${service.baseUrl}/cards`));
    assert.deepEqual([shown.headers['cache-control'], shown.headers['etag']], ['no-store', undefined]);
    for (const headers of [
      {},
      { cookie: cookieOf(theirs) },
      { cookie: cookieOf(second) },
      { cookie: cookieOf(first).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) },
    ]) {
      const { text } = await read(headers);
      assert.ok(!text.includes(secret) && text.includes('$SWITCHYARD_TOKEN_SECRET'));
    }
    await call('DELETE', '/console/session', { ...own(), cookie: cookieOf(first) });
    assert.ok(!(await read({ cookie: cookieOf(first) })).text.includes(secret), 'a session that has ended shows nothing');
    const guide = await exchange(`${service.url}/docs/guides/run-a-card.md`, {
      headers: { cookie: cookieOf(await signIn(tokenId, secret)) },
    });
    assert.ok(!(await guide.body.text()).includes(secret), 'nor does a text for assistants');
  });

  test('a link that is older than 15 minutes does not sign in', async () => {
    const other = await startOwnService();
    try {
      await other.db.run(sql`update console_codes set expires_at = now() - interval '1 second'`);
      const code = (other.service.consoleLink ?? '').split('#login=')[1];
      const headers = { ...own(), origin: other.url, 'content-type': 'application/json' };
      const answer = await exchange(`${other.url}/console/session`, { method: 'POST', headers, body: JSON.stringify({ code }) });
      assert.equal(answer.statusCode, 401);
    } finally {
      await other.stop();
    }
  });

  test('signing out ends the session', async () => {
    const headers = await session();
    assert.equal((await call('DELETE', '/console/session', headers)).status, 204);
    assert.equal((await call('GET', '/console/api/config', headers)).status, 401);
  });
});

describe('the door', () => {
  test('runs the operations of the API for the session', async () => {
    const headers = await session();
    assert.equal((await call('GET', '/console/api/config', headers)).status, 200);
    const made = await call('POST', '/console/api/customers', headers, { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' });
    assert.equal(made.status, 201);
    const { data } = await expectStatus(200, service.platform.get('/requests?operation=createCustomer&limit=1'));
    assert.equal(data[0].isConsole, true);
  });

  test('takes no other credential, and the public API takes no cookie', async () => {
    const headers = await session();
    assert.equal((await call('GET', '/console/api/config', { ...own(), authorization: service.platform.authorization })).status, 401);
    assert.equal((await call('GET', '/2025-10-13/config', headers)).status, 401);
  });

  for (const [what, change] of Object.entries<Headers>({
    'without the header of the page': { 'x-switchyard-console': '' },
    'from another site': { 'sec-fetch-site': 'cross-site' },
    'from another origin of the site': { 'sec-fetch-site': 'same-site' },
    'typed into the address bar': { 'sec-fetch-site': 'none' },
    'to a name that was pointed at this address': { host: 'evil.example' },
  })) {
    test(`refuses a call ${what}`, async () => {
      const headers = { ...(await session()), ...change };
      assert.equal((await call('GET', '/console/api/config', headers)).status, 403);
    });
  }

  test('refuses a write with a foreign Origin or with none', async () => {
    const headers = await session();
    const body = { customerType: 'INDIVIDUAL', fullName: 'Mallory' };
    assert.equal((await call('POST', '/console/api/customers', { ...headers, origin: 'https://evil.example' }, body)).status, 403);
    const { origin: _, ...without } = headers;
    assert.equal((await call('POST', '/console/api/customers', without, body)).status, 403);
    assert.equal((await call('POST', '/console/session', { ...own(), origin: 'null' }, { code: 'x' })).status, 403);
  });

  for (const path of ['/console/session?', '/console/session?a=b', '/console/%73ession', '/console/sessio%6e?x'])
    test(`lets no other page sign in, ask and sign out at ${path}`, async () => {
      const { tokenId, secret } = service.platform;
      const headers = await session();
      const foreign = { ...headers, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      assert.equal((await call('POST', path, foreign, { tokenId, secret })).status, 403);
      assert.equal((await call('POST', path, { ...headers, host: 'evil.example' }, { tokenId, secret })).status, 403);
      assert.equal((await call('GET', path, { ...headers, 'x-switchyard-console': '' })).status, 403);
      assert.equal((await call('DELETE', path, foreign)).status, 403);
      assert.equal((await call('GET', path, headers)).status, 200);
    });

  test('refuses the stream of a tab to another page, however its path is written', async () => {
    const headers = { ...(await session()), 'sec-fetch-site': 'same-site' };
    for (const path of ['/console/api/live', '/console/api/live?', '/console/%61pi/live', '/console/api/liv%65'])
      assert.ok([403, 404].includes((await call('GET', path, headers)).status), path);
  });

  test('has the permissions of the token, and ends with it', async () => {
    const { id, clientId, clientSecret } = await expectStatus(
      201,
      service.platform.post('/tokens', { name: 'reader', permissions: ['VIEW'] }),
    );
    const headers = { ...own(), cookie: cookieOf(await signIn(clientId, clientSecret)) };
    assert.equal((await call('GET', '/console/api/cards', headers)).status, 200);
    assert.equal((await call('POST', '/console/api/tokens', headers, { name: 'x', permissions: ['VIEW'] })).status, 403);
    const [refused] = (await expectStatus(200, service.platform.get(`/requests?tokenId=${id}&limit=1`))).data;
    assert.deepEqual([refused.operation, refused.status, refused.code, refused.isConsole], ['createToken', 403, 'FORBIDDEN', true]);
    await expectStatus(204, service.platform.delete(`/tokens/${id}`));
    assert.equal((await call('GET', '/console/api/cards', headers)).status, 401);
  });

  test('shows nothing of another platform', async () => {
    const theirs = await expectStatus(
      201,
      (await service.newPlatform()).post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Bob' }),
    );
    const headers = await session();
    const [foreign, unknown] = [
      await call('GET', `/console/api/customers/${theirs.id}`, headers),
      await call('GET', '/console/api/customers/Customer:01a1e489-0000-7000-8000-000000000000', headers),
    ];
    assert.deepEqual([foreign.status, foreign.text], [404, unknown.text]);
  });

  test('ends after 8 hours without a call', async () => {
    const headers = await session();
    await service.db.run(sql`update console_sessions set seen_at = now() - interval '8 hours 1 minute'`);
    assert.equal((await call('GET', '/console/api/config', headers)).status, 401);
  });

  test('ends after 12 hours, however busy', async () => {
    const headers = await session();
    await service.db.run(sql`update console_sessions set created_at = now() - interval '12 hours 1 minute'`);
    assert.equal((await call('GET', '/console/api/config', headers)).status, 401);
  });
});

describe('the stream of a tab', () => {
  type Message = { readonly id: string; readonly kind: string; readonly data: Record<string, unknown> };

  /** The messages until one is the last wanted. The connection is then cut, as a browser does. */
  async function listen(headers: Headers, isLast: (message: Message) => boolean, onOpen = async () => {}): Promise<Message[]> {
    const answer = await exchange(`${service.url}/console/api/live`, { headers });
    assert.equal(answer.statusCode, 200);
    const found: Message[] = [];
    let text = '';
    let isOpen = false;
    for await (const chunk of answer.body.setEncoding('utf8')) {
      if (!isOpen) await onOpen();
      isOpen = true;
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, id, kind, data] = /^id: (.+)\nevent: (.+)\ndata: (.+)$/.exec(block) ?? [];
        if (id !== undefined && kind !== undefined) found.push({ id, kind, data: JSON.parse(String(data)) });
      }
      if (found.some(isLast)) break;
    }
    answer.body.on('error', () => undefined).destroy();
    return found;
  }
  const makeCustomer = async () =>
    (await expectStatus(201, service.platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada' }))).id as string;

  test('has events, attempts, requests and the clock in one, and goes on after the last message', async () => {
    const receiver = await startReceiver();
    await service.platform.patch('/config', { webhookEndpoint: receiver.url });
    const headers = await session();
    let id = '';
    const isOf = (kind: string) => (message: Message) => message.kind === kind && JSON.stringify(message.data).includes(id);
    const eventOf = (messages: readonly Message[]) => messages.find(isOf('event'))?.data['id'];
    const isDone = (all: Message[]) => (message: Message) => {
      all.push(message);
      const eventId = eventOf(all);
      return all.some(isOf('request')) && all.some(({ kind, data }) => kind === 'attempt' && data['eventId'] === eventId);
    };
    const messages = await listen(headers, isDone([]), async () => {
      id = await makeCustomer();
    });
    assert.deepEqual([messages[0]?.kind, messages[0]?.data['frozen']], ['clock', false]);
    assert.equal(messages.find(isOf('request'))?.data['operation'], 'createCustomer');
    assert.equal(messages.find(isOf('event'))?.data['type'], 'CUSTOMER.KYC_APPROVED');
    // What happens while nobody listens.
    const first = eventOf(messages);
    id = await makeCustomer();
    const resumed = await listen({ ...headers, 'last-event-id': String(messages.at(-1)?.id) }, isDone([]));
    assert.ok(eventOf(resumed) !== undefined && !resumed.some(({ kind, data }) => kind === 'event' && data['id'] === first));
    await receiver.close();
  });

  test('tells a change of the clock', async () => {
    const isFrozen = ({ kind, data }: Message) => kind === 'clock' && data['frozen'] === true;
    const messages = await listen(await session(), isFrozen, async () => {
      await service.platform.put('/sandbox/clock', { frozen: true, now: '2031-03-12T15:00:00Z' });
    });
    assert.equal(messages.find(isFrozen)?.data['now'], '2031-03-12T15:00:00.000Z');
    await service.platform.put('/sandbox/clock', { frozen: false });
  });

  test('begins now for an id that is none, is refused without a session and to other pages, and ends with the session', async () => {
    const headers = await session();
    const [first] = await listen({ ...headers, 'last-event-id': "1.2.x'; --" }, () => true);
    assert.equal(first?.kind, 'clock');
    for (const [other, status] of [
      [own(), 401],
      [{ ...headers, 'sec-fetch-site': 'cross-site' }, 403],
      [{ ...headers, 'x-switchyard-console': '' }, 403],
      [{ authorization: service.platform.authorization }, 403],
    ] as const)
      assert.equal((await call('GET', '/console/api/live', other)).status, status);
    const answer = await exchange(`${service.url}/console/api/live`, { headers });
    await call('DELETE', '/console/session', headers);
    // Ends by itself.
    await answer.body.text();
  });

  test('tells a platform nothing of another', async () => {
    const other = await service.newPlatform();
    const headers = await session();
    let id = '';
    const messages = await listen(
      headers,
      ({ kind, data }) => kind === 'event' && data['objectId'] === id,
      async () => {
        await expectStatus(201, other.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Theirs' }));
        id = await makeCustomer();
      },
    );
    const events = messages.filter(({ kind }) => kind === 'event');
    assert.deepEqual(
      events.map(({ data }) => data['objectId']),
      [id],
    );
  });
});

describe('pages', () => {
  test('have the policy, and files with a hash in their name are kept by browsers', async () => {
    const page = await call('GET', '/console/customers', {});
    assert.equal(page.status, 200);
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /script-src 'self'; style-src 'sha256-.*trusted-types 'none'/);
    // No style but the one that is in the page, by its hash.
    const [, style = ''] = /<style>([\s\S]+)<\/style>/.exec(page.text) ?? [];
    assert.ok(policy.includes(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}';`));
    const [, script] = /src="(\/console\/assets\/[^"]+)"/.exec(page.text) ?? [];
    const file = await exchange(service.url + script, { headers: { 'accept-encoding': 'br' } });
    await file.body.dump();
    assert.deepEqual([file.statusCode, file.headers['content-encoding']], [200, 'br']);
    assert.match(String(file.headers['cache-control']), /immutable/);
    assert.equal((await call('GET', '/console/assets/..%2f..%2fpackage.json', {})).status, 404);
    assert.equal((await call('GET', '/console/assets/nothing.js', {})).status, 404);
  });

  test('the API refuses a request that another site made the browser send', async () => {
    const headers = { authorization: service.platform.authorization, 'sec-fetch-site': 'cross-site' };
    assert.equal((await call('GET', '/2025-10-13/config', headers)).status, 403);
  });
});

test('CONSOLE=off: there is none; CONSOLE=read-only: it writes nothing', async () => {
  const off = await startOwnService({ CONSOLE: 'off' });
  const reader = await startOwnService({ CONSOLE: 'read-only' });
  try {
    for (const path of ['/console', '/console/session', '/console/api/config'])
      assert.equal((await exchange(off.url + path, { headers: own() })).statusCode, 404);
    assert.equal(off.service.consoleLink, undefined);
    assert.equal((await exchange(`${off.url}/`)).headers['location'], '/docs');
    const headers = { ...own(), origin: reader.url, 'content-type': 'application/json' };
    const { tokenId, secret } = reader.platform;
    const opened = await exchange(`${reader.url}/console/session`, { method: 'POST', headers, body: JSON.stringify({ tokenId, secret }) });
    const cookie = cookieOf(opened);
    const get = await exchange(`${reader.url}/console/api/config`, { headers: { ...headers, cookie } });
    const post = await exchange(`${reader.url}/console/api/customers`, {
      method: 'POST',
      headers: { ...headers, cookie },
      body: JSON.stringify({ customerType: 'INDIVIDUAL', fullName: 'Ada' }),
    });
    assert.deepEqual([get.statusCode, post.statusCode], [200, 403]);
  } finally {
    await off.stop();
    await reader.stop();
  }
});
