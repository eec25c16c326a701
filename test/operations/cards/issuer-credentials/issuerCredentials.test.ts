// Credentials of an issuer's processor: who may decide card authorizations, and for which cards.
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { createIssuerCredential, keyIdOf } from '../../../../src/domains/cards/issuer-credentials/actions.js';
import { createKeyCustody } from '../../../../src/providers/key-custody.js';
import { fundedCard, merchant, moneyOn } from '../../../support/card-transactions.js';
import { type Answer, assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { type IssuerKey, issuerHeaders, newIssuerKey } from '../../../support/issuer.js';
import { startOwnService, startTestService, type TestService } from '../../../support/service.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
});
after(() => service.stop());

const MINUTE = 60_000;

const purchase = (card: { id: string }, more: object = {}) => ({
  cardId: card.id,
  issuerTransactionToken: randomUUID(),
  amount: 100,
  currency: 'USD',
  merchant: merchant(),
  ...more,
});

/** A request without the platform's token: only these headers say who sends it. */
async function send(to: TestService, path: string, headers: Record<string, string>, text: string): Promise<Answer> {
  const response = await fetch(to.baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  });
  const answer = await response.text();
  to.contract.check('POST', path, response.status, response.headers.get('content-type'), answer);
  return { status: response.status, text: answer, body: JSON.parse(answer), headers: response.headers };
}

const ask = (key: IssuerKey, body: object, path = '/issuer/authorizations') =>
  send(service, path, issuerHeaders(key, JSON.stringify(body)), JSON.stringify(body));

const transactions = async (card: { id: string }): Promise<number> =>
  (await expectStatus(200, platform.get(`/transactions?cardId=${card.id}`))).totalCount;

/** The request is refused as unauthenticated, and nothing comes of it. */
async function refused(card: { id: string }, request: () => Promise<Answer>): Promise<Answer> {
  const before = await transactions(card);
  const answer = await request();
  assertRefused(answer, 401, 'UNAUTHORIZED');
  assert.ok(answer.headers.get('www-authenticate'));
  assert.equal(await transactions(card), before);
  return answer;
}

describe("the issuer's interface takes credentials of its own", () => {
  test('a platform token with every permission is refused: it cannot approve a credit', async () => {
    const { card, account } = await fundedCard(platform, 1_000);
    const credit = purchase(card, { kind: 'FINANCIAL_CREDIT_AUTHORIZATION' });
    await refused(card, () => platform.post('/issuer/authorizations', credit));
    await refused(card, () =>
      platform.post('/issuer/messages', { kind: 'CLEARING', messageToken: 'm', issuerTransactionToken: 'i', amount: 1, cardId: card.id }),
    );
    assert.deepEqual(await moneyOn(service.db, account), { available: 1_000, total: 1_000 });
  });

  test('a signed request is decided', async () => {
    const { card } = await fundedCard(platform, 1_000);
    const answer = await ask(await newIssuerKey(platform), purchase(card));
    assert.deepEqual([answer.status, answer.body.decision], [200, 'APPROVED']);
  });

  test('an issuer credential is refused everywhere else', async () => {
    const { keyId, secret } = await newIssuerKey(platform);
    const elsewhere = ['/customers', '/tokens', '/sandbox/issuer-credentials', '/webhooks/test'];
    for (const path of elsewhere) {
      assertRefused(await send(service, path, issuerHeaders({ keyId, secret }, '{}'), '{}'), 401, 'UNAUTHORIZED');
      assertRefused(await service.as(keyId, secret).post(path, {}), 401, 'UNAUTHORIZED');
    }
  });

  describe('401 UNAUTHORIZED', () => {
    const signed = async (change: (headers: Record<string, string>, text: string, key: IssuerKey) => Record<string, string>) => {
      const { card } = await fundedCard(platform, 1_000);
      const key = await newIssuerKey(platform);
      const text = JSON.stringify(purchase(card));
      await refused(card, () => send(service, '/issuer/authorizations', change(issuerHeaders(key, text), text, key), text));
    };
    const without = (name: string) => (headers: Record<string, string>) =>
      Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name));

    test('a header that is missing', async () => {
      for (const name of ['issuer-key-id', 'issuer-timestamp', 'issuer-signature']) await signed(without(name));
    });
    test('a body that was changed after it was signed', () => signed((_, text, key) => issuerHeaders(key, text.replace('100', '101'))));
    test('a timestamp that was changed after it was signed', () =>
      signed((headers) => ({ ...headers, 'issuer-timestamp': String(Number(headers['issuer-timestamp']) + 1) })));
    test('a wrong secret', () => signed((_, text, { keyId }) => issuerHeaders({ keyId, secret: 'isk_other' }, text)));
    test('a signature older than 5 minutes, by the real time', () =>
      signed((_, text, key) => issuerHeaders(key, text, Date.now() - 5.1 * MINUTE)));
    test('a signature from more than 5 minutes ahead', () => signed((_, text, key) => issuerHeaders(key, text, Date.now() + 5.1 * MINUTE)));
    test('an unknown key, one of another platform with this id, and one that is none', async () => {
      const other = await service.newPlatform();
      const foreign = (await platformIdOf(service, other)).slice('Platform:'.length);
      await signed((_, text, key) => issuerHeaders({ ...key, keyId: key.keyId.replace(/[0-9a-f-]{36}/, foreign) }, text));
      await signed((_, text, key) => issuerHeaders({ ...key, keyId: key.keyId.replace(/[0-9a-f-]{36}$/, randomUUID()) }, text));
      await signed((_, text, key) => issuerHeaders({ ...key, keyId: 'issuer_x_y' }, text));
    });
  });

  test('the window is of the real time: a frozen sandbox clock changes nothing', async () => {
    const own = await service.newPlatform();
    const { card } = await fundedCard(own, 1_000);
    await own.clock.freeze('2028-01-01T00:00:00.000Z');
    const answer = await ask(await newIssuerKey(own), purchase(card));
    assert.deepEqual([answer.status, answer.body.decision], [200, 'APPROVED']);
  });

  test('401 comes before the shape of the body', async () => {
    assertRefused(await send(service, '/issuer/authorizations', {}, '{{{'), 401, 'UNAUTHORIZED');
  });
});

describe('a credential is for the cards of one program', () => {
  test("another program's card answers byte for byte like an unknown one", async () => {
    const { card } = await fundedCard(platform, 1_000, { program: 'service_basic' });
    const full = await newIssuerKey(platform);
    const basic = await newIssuerKey(platform, 'service_basic');
    const mine = purchase(card);
    await expectStatus(200, ask(basic, mine));
    const before = await transactions(card);

    const unknown = { id: `Card:${randomUUID()}` };
    for (const token of [randomUUID(), mine.issuerTransactionToken]) {
      const foreign = await ask(full, purchase(card, { issuerTransactionToken: token }));
      assertRefused(foreign, 404, 'NOT_FOUND');
      assert.equal(foreign.text, (await ask(full, purchase(unknown, { issuerTransactionToken: token }))).text);
    }
    const clearing = { kind: 'CLEARING', messageToken: randomUUID(), amount: 100 };
    for (const more of [{ cardId: card.id }, {}]) {
      const foreign = await ask(full, { ...clearing, issuerTransactionToken: mine.issuerTransactionToken, ...more }, '/issuer/messages');
      assertRefused(foreign, 404, 'NOT_FOUND');
    }
    assert.equal(await transactions(card), before);
    await expectStatus(200, ask(basic, { ...clearing, issuerTransactionToken: mine.issuerTransactionToken }, '/issuer/messages'));
  });

  test("a card of another platform answers 404, and its Idempotency-Keys are the program's own", async () => {
    const other = await service.newPlatform();
    const { card } = await fundedCard(other, 1_000);
    const mine = await newIssuerKey(platform);
    assertRefused(await ask(mine, purchase(card)), 404, 'NOT_FOUND');

    const key = randomUUID();
    const { card: own } = await fundedCard(platform, 1_000);
    await expectStatus(201, platform.post('/tokens', { name: 'a', permissions: ['VIEW'] }, { headers: { 'idempotency-key': key } }));
    const text = JSON.stringify({
      kind: 'CLEARING',
      messageToken: randomUUID(),
      issuerTransactionToken: randomUUID(),
      amount: 100,
      cardId: own.id,
      merchant: merchant(),
    });
    const headers = { ...issuerHeaders(mine, text), 'idempotency-key': key };
    await expectStatus(200, send(service, '/issuer/messages', headers, text));
  });
});

describe('createSandboxIssuerCredential, listSandboxIssuerCredentials, deleteSandboxIssuerCredentialById', () => {
  test('the secret is shown once, and stored sealed', async () => {
    const own = await service.newPlatform();
    const made = await newIssuerKey(own);
    assert.ok(made.secret.length >= 43, '256 random bits');
    const { data } = await expectStatus(200, own.get('/sandbox/issuer-credentials'));
    const { secret: _once, ...shown } = made;
    assert.deepEqual(data, [shown]);
    const [row] = await service.db.many<{ row: string; secret_sealed: Buffer }>(
      sql`select c::text as row, secret_sealed from issuer_credentials c where id = ${made.id.slice('IssuerCredential:'.length)}`,
    );
    assert.ok(row && !row.row.includes(made.secret) && !row.secret_sealed.toString('latin1').includes(made.secret));
  });

  test('several are valid at once, for rotation; a revoked one is refused at once', async () => {
    const { card } = await fundedCard(platform, 1_000);
    const [old, fresh] = [await newIssuerKey(platform), await newIssuerKey(platform)];
    for (const key of [old, fresh]) await expectStatus(200, ask(key, purchase(card)));
    assert.equal((await platform.delete(`/sandbox/issuer-credentials/${old.id}`)).status, 204);
    await refused(card, () => ask(old, purchase(card)));
    await expectStatus(200, ask(fresh, purchase(card)));
    assertRefused(await platform.delete(`/sandbox/issuer-credentials/${old.id}`), 404, 'NOT_FOUND');
  });

  test('403 without MANAGE; 400 for an unknown program and for no fingerprint', async () => {
    const token = await expectStatus(201, platform.post('/tokens', { name: 'mover', permissions: ['VIEW', 'TRANSACT'] }));
    const mover = service.as(token.clientId, token.clientSecret);
    assertRefused(await mover.post('/sandbox/issuer-credentials', { program: 'service_full' }), 403, 'FORBIDDEN');
    assertInvalid(await platform.post('/sandbox/issuer-credentials', { program: 'nobodys' }), 'program');
    assertInvalid(
      await platform.post('/sandbox/issuer-credentials', { program: 'service_full', certificateSha256: 'ab' }),
      'certificateSha256',
    );
  });
});

describe('a client certificate that a proxy checked', () => {
  const fingerprint = createHash('sha256').update('certificate').digest('hex');
  const colons = fingerprint.toUpperCase().replace(/..(?!$)/g, '$&:');
  const create = (client: Client) =>
    expectStatus(201, client.post('/sandbox/issuer-credentials', { program: 'service_full', certificateSha256: colons }));
  const present = (to: TestService, keyId: string, card: { id: string }, presented: string) =>
    send(to, '/issuer/authorizations', { 'issuer-key-id': keyId, 'x-client-cert': presented }, JSON.stringify(purchase(card)));

  test('ISSUER_CERTIFICATE_HEADER names the header; the fingerprint must be that of the credential', async () => {
    const own = await startOwnService({ ISSUER_CERTIFICATE_HEADER: 'X-Client-Cert' });
    try {
      const { card } = await fundedCard(own.platform, 1_000);
      const { keyId, secret, certificateSha256 } = await create(own.platform);
      assert.deepEqual([secret, certificateSha256], [undefined, fingerprint]);
      for (const presented of [fingerprint, colons]) assert.equal((await present(own, keyId, card, presented)).status, 200);
      for (const presented of ['', 'x', createHash('sha256').update('another').digest('hex')])
        assertRefused(await present(own, keyId, card, presented), 401, 'UNAUTHORIZED');
      // A certificate does not stand in for the signature of another credential.
      const signing = await newIssuerKey(own.platform);
      assertRefused(await present(own, signing.keyId, card, fingerprint), 401, 'UNAUTHORIZED');
    } finally {
      await own.stop();
    }
  });

  test('without the setting no header proves anything', async () => {
    const { card } = await fundedCard(platform, 1_000);
    const { keyId } = await create(platform);
    await refused(card, () => present(service, keyId, card, fingerprint));
  });
});

test('live mode answers 404 until a credential is configured, then 401 to whoever has none', async () => {
  const key = randomBytes(32);
  const live = await startOwnService({ MODE: 'live', KEY_ENCRYPTION_KEY: key.toString('base64') });
  try {
    const own = await live.newPlatform();
    const text = JSON.stringify(purchase({ id: `Card:${randomUUID()}` }));
    for (const headers of [{}, { authorization: own.authorization }])
      assertRefused(await send(live, '/issuer/authorizations', headers, text), 404, 'NOT_FOUND');
    const platformId = await platformIdOf(live, own);
    const { credential, secret = '' } = await live.db.transaction(async (tx) =>
      createIssuerCredential(tx, createKeyCustody([key]), platformId, { program: 'service_full', now: new Date() }),
    );
    assertRefused(await send(live, '/issuer/authorizations', {}, text), 401, 'UNAUTHORIZED');
    const headers = issuerHeaders({ keyId: keyIdOf(credential), secret }, text);
    assertRefused(await send(live, '/issuer/authorizations', headers, text), 404, 'NOT_FOUND');
    assertRefused(await own.post('/sandbox/issuer-credentials', { program: 'service_full' }), 404, 'NOT_FOUND');
  } finally {
    await live.stop();
  }
});
