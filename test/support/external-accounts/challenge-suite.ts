// Starting an ownership challenge, for accounts of customers and of the platform.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../src/db/sql.js';
import { assertInvalid, assertRefused, expectStatus } from '../client.js';
import { startTestService, type TestService } from '../service.js';
import { accountInfoOf, COMPANY } from './account-infos.js';
import { type AccountsApi, accountsApi, liftCounterpartyRules, type OwnerPath, statusEvents, traceOf } from './accounts-api.js';
import { bitcoinWallet, evmWallet, solanaWallet, tronWallet } from './wallets.js';

export function challengeSuite(ownerPath: OwnerPath): void {
  const key = randomBytes(32).toString('base64');
  let service: TestService;
  let api: AccountsApi;
  let otherApi: AccountsApi;
  before(async () => {
    service = await startTestService({ KEY_ENCRYPTION_KEY: key });
    api = accountsApi(service.platform, ownerPath);
    otherApi = accountsApi(service.platform, ownerPath === 'platform' ? 'customers' : 'platform');
  });
  after(() => service.stop());

  describe('201 WALLET_SIGNATURE', () => {
    test('a message and when it expires: fifteen minutes from now', async () => {
      const account = await api.wallet();
      const now = await service.platform.clock.freeze();
      const challenge = await expectStatus(201, api.challenge(account));
      await service.platform.clock.resume();
      assert.deepEqual(Object.keys(challenge).sort(), ['expiresAt', 'messageToSign', 'method']);
      assert.equal(challenge.method, 'WALLET_SIGNATURE');
      assert.equal(Date.parse(challenge.expiresAt), now.getTime() + 15 * 60_000);
      assert.deepEqual(await api.get(account), account, 'the account itself is unchanged');
      assert.deepEqual(await statusEvents(service, account), []);
    });

    test('the message is a single row of printable ASCII that names service, account, chain, address, nonce and expiry', async () => {
      const wallets = [
        ['Ethereum', evmWallet(randomUUID())],
        ['Base', evmWallet(randomUUID(), 'BASE_WALLET')],
        ['Polygon', evmWallet(randomUUID(), 'POLYGON_WALLET')],
        ['Plasma', evmWallet(randomUUID(), 'PLASMA_WALLET')],
        ['Arbitrum', evmWallet(randomUUID(), 'ARBITRUM_WALLET')],
        ['Solana', solanaWallet(randomUUID())],
        ['Tron', tronWallet(randomUUID())],
        ['Spark', bitcoinWallet(randomUUID(), 'SPARK')],
        ['Bitcoin', bitcoinWallet(randomUUID(), 'P2WPKH')],
      ] as const;
      for (const [chain, wallet] of wallets) {
        const account = await api.wallet(wallet);
        const { messageToSign, expiresAt } = await expectStatus(201, api.challenge(account));
        assert.match(messageToSign, /^[\x20-\x7e]{1,1000}$/);
        assert.match(messageToSign, /Nonce: [0-9a-f]{32}\b/);
        for (const named of ['Switchyard', account.id, chain, wallet.address, expiresAt]) {
          assert.ok(messageToSign.includes(named), `${named} in ${messageToSign}`);
        }
      }
    });

    test('every challenge is different', async () => {
      const account = await api.wallet();
      const messages = new Set(await Promise.all(Array.from({ length: 8 }, () => api.messageFor(account))));
      assert.equal(messages.size, 8);
    });

    test('UNVERIFIED goes back to PENDING_OWNERSHIP_VERIFICATION, with an event', async () => {
      const account = await api.wallet();
      await api.messageFor(account);
      await api.verify(account, { signature: '0x00' });
      await api.messageFor(account);
      assert.deepEqual(await api.get(account), account);
      assert.deepEqual((await statusEvents(service, account)).at(-1), account);
    });

    test('the same Idempotency-Key gets the same challenge', async () => {
      const account = await api.wallet();
      const send = () =>
        service.platform.post(
          `${api.base}/${account.id}/challenge`,
          { method: 'WALLET_SIGNATURE' },
          { headers: { 'idempotency-key': account.id } },
        );
      assert.equal((await send()).text, (await send()).text);
    });
  });

  describe('201 LIVENESS', () => {
    test('a link and when it expires', async () => {
      const account = await api.wallet();
      const challenge = await expectStatus(201, api.challenge(account, 'LIVENESS'));
      assert.deepEqual(Object.keys(challenge).sort(), ['expiresAt', 'method', 'verificationLink']);
      assert.ok(URL.canParse(challenge.verificationLink));
    });
  });

  describe('400', () => {
    for (const [name, body, field] of [
      ['no method', {}, 'method'],
      ['an unknown method', { method: 'MICRO_TRANSFER' }, 'method'],
      ['an unknown field', { method: 'LIVENESS', redirectUrl: 'https://example.com' }, 'redirectUrl'],
    ] as const) {
      test(name, async () => {
        const account = await api.wallet();
        const trace = await traceOf(service, account);
        assertInvalid(await service.platform.post(`${api.base}/${account.id}/challenge`, body), field);
        assert.deepEqual(await traceOf(service, account), trace);
      });
    }
  });

  test('401', async () => {
    const account = await api.wallet();
    const stranger = service.as('nobody', 'nothing-nothing-nothing');
    assertRefused(await stranger.post(`${api.base}/${account.id}/challenge`, { method: 'LIVENESS' }), 401, 'UNAUTHORIZED');
  });

  test("404: unknown, malformed, another platform's and the other kind of owner's ids get the same answer", async () => {
    const foreign = await accountsApi(await service.newPlatform(), ownerPath).wallet();
    const ids = [`ExternalAccount:${randomUUID()}`, 'ExternalAccount:1', foreign.id, (await otherApi.wallet()).id];
    const answers = await Promise.all(ids.map((id) => api.challenge({ id })));
    for (const answer of answers) {
      assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
      assert.equal(answer.text, answers[0]?.text);
    }
  });

  test('501: LIVENESS where no vendor is connected', async () => {
    const platform = await service.newPlatform();
    const account = await accountsApi(platform, ownerPath).wallet();
    await service.db.run(
      sql`update platforms set mode = 'live' where id = (select platform_id from api_tokens where client_id = ${platform.tokenId})`,
    );
    const beside = await startTestService({ KEY_ENCRYPTION_KEY: key, MODE: 'live', DATABASE_URL: service.databaseUrl });
    try {
      const live = accountsApi(beside.as(platform.tokenId, platform.secret), ownerPath);
      const trace = await traceOf(service, account);
      assertRefused(await live.challenge(account, 'LIVENESS'), 501, 'NOT_IMPLEMENTED');
      assert.deepEqual(await traceOf(service, account), trace);
      await expectStatus(201, live.challenge(account));
    } finally {
      await beside.stop();
    }
  });

  describe('409', () => {
    const refusedWithoutTrace = async (account: { id: string }, cause: string, where = api) => {
      const trace = await traceOf(service, account);
      for (const method of ['WALLET_SIGNATURE', 'LIVENESS']) {
        const answer = await where.challenge(account, method);
        assertRefused(answer, 409, 'CONFLICT');
        assert.deepEqual(answer.body.details, { cause });
      }
      assert.deepEqual(await traceOf(service, account), trace);
    };

    test('not a wallet', async () => {
      const account = await expectStatus(201, api.create({ currency: 'USD', accountInfo: accountInfoOf('USD_ACCOUNT') }));
      await refusedWithoutTrace(account, 'NOT_SELF_CUSTODY');
    });

    test('a wallet held at a custodian', async () => {
      const accountInfo = accountInfoOf('ETHEREUM_WALLET', { vaspName: 'Some Exchange' });
      const account = await api.wallet(evmWallet(randomUUID()), { accountInfo });
      assert.equal(account.status, 'ACTIVE');
      await refusedWithoutTrace(account, 'NOT_SELF_CUSTODY');
    });

    test("a third party's wallet", async () => {
      const accountInfo = accountInfoOf('SOLANA_WALLET', { beneficiary: COMPANY });
      const account = await api.wallet(undefined, { ownershipType: 'THIRD_PARTY', accountInfo });
      await refusedWithoutTrace(account, 'NOT_FIRST_PARTY');
    });

    test('already verified', async () => {
      const wallet = evmWallet(randomUUID());
      const account = await api.wallet(wallet);
      await expectStatus(200, api.verify(account, { signature: await wallet.sign(await api.messageFor(account)) }));
      await refusedWithoutTrace(account, 'ACTIVE');
    });

    test('where no verification applies', async () => {
      const platform = await service.newPlatform();
      await liftCounterpartyRules(service, platform);
      const free = accountsApi(platform, ownerPath);
      const account = await free.wallet();
      assert.equal(account.status, 'ACTIVE');
      await refusedWithoutTrace(account, 'ACTIVE', free);
    });

    for (const status of ['UNDER_REVIEW', 'INACTIVE', 'PENDING']) {
      test(`an account that is ${status}`, async () => {
        const account = await api.wallet();
        await service.db.run(sql`update external_accounts set status = ${status} where id = ${account.id.split(':')[1]}`);
        await refusedWithoutTrace(account, status);
      });
    }
  });
}
