// Verification of ownership by wallet signature, as the specification's endpoint, transition and error tables say, for accounts of customers and of the platform.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, assertRefused, expectStatus } from '../client.js';
import { startTestService, type TestService } from '../service.js';
import { type AccountsApi, accountsApi, type OwnerPath, statusEvents, traceOf } from './accounts-api.js';
import { bitcoinWallet, evmWallet, solanaWallet, type TestWallet, tronWallet } from './wallets.js';

const MINUTE_MS = 60_000;

const withAnotherFirstByte = (signature: string): string => `0x${signature.startsWith('0x00') ? '01' : '00'}${signature.slice(4)}`;

export function verifySuite(ownerPath: OwnerPath): void {
  let service: TestService;
  let api: AccountsApi;
  /** On a platform whose clock the tests move. */
  let far: AccountsApi;
  before(async () => {
    service = await startTestService();
    far = accountsApi(await service.newPlatform(), ownerPath);
    api = accountsApi(service.platform, ownerPath);
  });
  after(() => service.stop());

  const wallets: readonly [name: string, make: () => TestWallet, body?: Record<string, unknown>][] = [
    ...(['BASE_WALLET', 'ETHEREUM_WALLET', 'POLYGON_WALLET', 'PLASMA_WALLET', 'ARBITRUM_WALLET'] as const).map(
      (type): [string, () => TestWallet] => [type, () => evmWallet(randomUUID(), type)],
    ),
    ['SOLANA_WALLET', () => solanaWallet(randomUUID())],
    ['TRON_WALLET', () => tronWallet(randomUUID())],
    ['SPARK_WALLET with its identity key', () => bitcoinWallet(randomUUID(), 'SPARK')],
    ['SPARK_WALLET with a P2PKH address', () => bitcoinWallet(randomUUID(), 'P2PKH')],
    ['SPARK_WALLET with a P2SH-P2WPKH address', () => bitcoinWallet(randomUUID(), 'P2SH_P2WPKH')],
    ['SPARK_WALLET with a P2WPKH address', () => bitcoinWallet(randomUUID(), 'P2WPKH')],
    ['electrum on P2WPKH', () => bitcoinWallet(randomUUID(), 'P2WPKH', 31), { signatureScheme: 'electrum' }],
    ['signatureScheme is "ignored for non-Bitcoin chains"', () => evmWallet(randomUUID()), { signatureScheme: 'electrum' }],
  ];

  describe('200 "ExternalAccount with status: ACTIVE"', () => {
    for (const [name, make, more = {}] of wallets) {
      test(name, async () => {
        const wallet = make();
        const account = await api.wallet(wallet);
        const message = await api.messageFor(account);
        const answer = await api.verify(account, { signature: await wallet.sign(message), ...more });
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(answer.body, { ...account, status: 'ACTIVE' });
        assert.deepEqual(await api.get(account), answer.body);
        assert.deepEqual(await statusEvents(service, account), [answer.body], 'one webhook, with the account');
      });
    }

    test('after a failure a new challenge can be answered', async () => {
      const wallet = evmWallet(randomUUID());
      const account = await api.wallet(wallet);
      await api.messageFor(account);
      assertRefused(await api.verify(account, { signature: '0x00' }), 400, 'INVALID_INPUT');
      const message = await api.messageFor(account);
      await expectStatus(200, api.verify(account, { signature: await wallet.sign(message) }));
      assert.deepEqual(
        (await statusEvents(service, account)).map(({ status }) => status),
        ['UNVERIFIED', 'PENDING_OWNERSHIP_VERIFICATION', 'ACTIVE'],
      );
    });

    test('the same Idempotency-Key gets the same bytes and no second effect', async () => {
      const wallet = evmWallet(randomUUID());
      const account = await api.wallet(wallet);
      const body = { signature: await wallet.sign(await api.messageFor(account)) };
      const send = () => service.platform.post(`${api.base}/${account.id}/verify`, body, { headers: { 'idempotency-key': account.id } });
      const first = await send();
      const second = await send();
      assert.equal(first.status, 200);
      assert.equal(second.text, first.text);
      assert.equal((await statusEvents(service, account)).length, 1);
    });
  });

  describe('400 "Signature invalid or expired; account moves to UNVERIFIED"', () => {
    const failed = async (account: { id: string }, answer: Awaited<ReturnType<AccountsApi['verify']>>, cause: string) => {
      assertRefused(answer, 400, 'INVALID_INPUT');
      assert.deepEqual(answer.body.details, { cause });
      const after = await api.get(account);
      assert.equal(after.status, 'UNVERIFIED');
      assert.deepEqual(await statusEvents(service, account), [after], 'the webhook is queued with the change');
    };

    const mistakes: readonly [name: string, spoil: (wallet: TestWallet, message: string) => Promise<string>][] = [
      ['another message', (wallet, message) => wallet.sign(`${message} `)],
      ['another wallet', (_, message) => evmWallet('a stranger').sign(message)],
      ['an upper-case message', (wallet, message) => wallet.sign(message.toUpperCase())],
      ['a spoilt first byte', async (wallet, message) => withAnotherFirstByte(await wallet.sign(message))],
      ['a trailing newline', async (wallet, message) => `${await wallet.sign(message)}\n`],
      ['no signature at all', async () => 'please'],
    ];
    for (const [name, spoil] of mistakes) {
      test(name, async () => {
        const wallet = evmWallet(randomUUID());
        const account = await api.wallet(wallet);
        const signature = await spoil(wallet, await api.messageFor(account));
        await failed(account, await api.verify(account, { signature }), 'SIGNATURE_INVALID');
      });
    }

    test('a header-31 signature for a segwit address under the default scheme', async () => {
      const wallet = bitcoinWallet(randomUUID(), 'P2WPKH', 31);
      const account = await api.wallet(wallet);
      const signature = await wallet.sign(await api.messageFor(account));
      await failed(account, await api.verify(account, { signature }), 'SIGNATURE_INVALID');
    });

    test('the message of a challenge that was replaced', async () => {
      const wallet = evmWallet(randomUUID());
      const account = await api.wallet(wallet);
      const replaced = await api.messageFor(account);
      await api.messageFor(account);
      await failed(account, await api.verify(account, { signature: await wallet.sign(replaced) }), 'SIGNATURE_INVALID');
    });

    test("the message of another account of the same wallet's owner", async () => {
      const wallet = evmWallet(randomUUID());
      const [first, second] = [await api.wallet(wallet), await api.wallet(wallet, { currency: 'USDT' })];
      const message = await api.messageFor(first);
      await api.messageFor(second);
      await failed(second, await api.verify(second, { signature: await wallet.sign(message) }), 'SIGNATURE_INVALID');
    });

    test('one attempt per challenge: after a failure a valid signature is refused', async () => {
      const wallet = evmWallet(randomUUID());
      const account = await api.wallet(wallet);
      const signature = await wallet.sign(await api.messageFor(account));
      await api.verify(account, { signature: '0x00' });
      assertRefused(await api.verify(account, { signature }), 409, 'CONFLICT');
      assert.equal((await api.get(account)).status, 'UNVERIFIED');
    });

    describe('"before the challenge\'s expiresAt", by the millisecond', () => {
      const at = async (offsetMs: number) => {
        const wallet = evmWallet(randomUUID());
        const account = await far.wallet(wallet);
        await far.platform.clock.freeze();
        const { messageToSign, expiresAt } = await expectStatus(201, far.challenge(account));
        await far.platform.clock.set(new Date(Date.parse(expiresAt) + offsetMs));
        return { account, answer: await far.verify(account, { signature: await wallet.sign(messageToSign) }) };
      };

      test('expiresAt − 1 ms: in time', async () => assert.equal((await at(-1)).answer.status, 200));
      for (const offsetMs of [0, 1]) {
        test(`expiresAt + ${offsetMs} ms: too late`, async () => {
          const { account, answer } = await at(offsetMs);
          assertRefused(answer, 400, 'INVALID_INPUT');
          assert.deepEqual(answer.body.details, { cause: 'CHALLENGE_EXPIRED' });
          assert.equal((await far.get(account)).status, 'UNVERIFIED');
        });
      }
    });
  });

  describe('400 for a malformed request, which does not count as an attempt', () => {
    const shapes: readonly [name: string, body: unknown, field: string][] = [
      ['no signature', {}, 'signature'],
      ['an empty signature', { signature: '' }, 'signature'],
      ['a signature that is no text', { signature: 5 }, 'signature'],
      ['a signature longer than any', { signature: 'x'.repeat(8_193) }, 'signature'],
      ['an unknown scheme', { signature: '0x00', signatureScheme: 'bip322' }, 'signatureScheme'],
      ['an unknown field', { signature: '0x00', address: '0x' }, 'address'],
    ];
    for (const [name, body, field] of shapes) {
      test(name, async () => {
        const wallet = evmWallet(randomUUID());
        const account = await api.wallet(wallet);
        const signature = await wallet.sign(await api.messageFor(account));
        const trace = await traceOf(service, account);
        assertInvalid(await api.verify(account, body), field);
        assert.deepEqual(await traceOf(service, account), trace);
        await expectStatus(200, api.verify(account, { signature }));
      });
    }
  });

  describe('401', () => {
    test('unknown credentials', async () => {
      const account = await api.wallet();
      const stranger = service.as('nobody', 'nothing-nothing-nothing');
      assertRefused(await stranger.post(`${api.base}/${account.id}/verify`, { signature: '0x00' }), 401, 'UNAUTHORIZED');
    });
  });

  describe('404 "External account not found"', () => {
    test("unknown, malformed and another platform's ids get the same answer", async () => {
      const foreign = await far.wallet();
      const ids = [`ExternalAccount:${randomUUID()}`, 'ExternalAccount:1', 'Customer:x', foreign.id];
      const answers = await Promise.all(ids.map((id) => api.verify({ id }, { signature: '0x00' })));
      for (const answer of answers) {
        assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
        assert.equal(answer.text, answers[0]?.text);
      }
    });

    test('a deleted account', async () => {
      const account = await api.wallet();
      await api.messageFor(account);
      await expectStatus(204, service.platform.delete(`${api.base}/${account.id}`));
      assertRefused(await api.verify(account, { signature: '0x00' }), 404, 'ACCOUNT_NOT_FOUND');
    });
  });

  describe('409 "No WALLET_SIGNATURE challenge outstanding for this account"', () => {
    const refusedWithoutTrace = async (account: { id: string }, signature = '0x00') => {
      const trace = await traceOf(service, account);
      assertRefused(await api.verify(account, { signature }), 409, 'CONFLICT');
      assert.deepEqual(await traceOf(service, account), trace);
    };

    test('none was started', async () => refusedWithoutTrace(await api.wallet()));

    test('"LIVENESS challenges never use this endpoint"', async () => {
      const account = await api.wallet();
      await expectStatus(201, api.challenge(account, 'LIVENESS'));
      await refusedWithoutTrace(account);
    });

    test('a LIVENESS challenge replaced it', async () => {
      const wallet = evmWallet(randomUUID());
      const account = await api.wallet(wallet);
      const signature = await wallet.sign(await api.messageFor(account));
      await expectStatus(201, api.challenge(account, 'LIVENESS'));
      await refusedWithoutTrace(account, signature);
    });

    test('it was answered already', async () => {
      const wallet = evmWallet(randomUUID());
      const account = await api.wallet(wallet);
      const signature = await wallet.sign(await api.messageFor(account));
      await expectStatus(200, api.verify(account, { signature }));
      await refusedWithoutTrace(account, signature);
    });
  });

  describe('ownership proofs', () => {
    test('the signed message and the verdict can be read afterwards', async () => {
      const { clock } = far.platform;
      const wallet = evmWallet(randomUUID());
      const account = await far.wallet(wallet);
      const startedAt = await clock.freeze();
      const message = await far.messageFor(account);
      const signature = await wallet.sign(message);
      await clock.advance(MINUTE_MS);
      await expectStatus(200, far.verify(account, { signature }));
      const [proof] = await far.proofs(account);
      const { id, software, ...rest } = proof;
      assert.match(id, /^OwnershipProof:/);
      assert.match(software, /^switchyard /);
      assert.deepEqual(rest, {
        externalAccountId: account.id,
        method: 'WALLET_SIGNATURE',
        chain: 'Ethereum',
        address: wallet.address,
        message,
        signature,
        signatureScheme: 'eip191',
        verdict: 'VALID',
        challengedAt: startedAt.toISOString(),
        expiresAt: new Date(startedAt.getTime() + 15 * MINUTE_MS).toISOString(),
        decidedAt: new Date(startedAt.getTime() + MINUTE_MS).toISOString(),
      });
    });

    test('the caller of a failed verification learns only that it failed; the proof holds the cause', async () => {
      const wallet = bitcoinWallet(randomUUID(), 'P2WPKH', 31);
      const account = await api.wallet(wallet);
      const answer = await api.verify(account, { signature: await wallet.sign(await api.messageFor(account)) });
      assert.doesNotMatch(answer.text, /ADDRESS_KIND/);
      const [proof] = await api.proofs(account);
      assert.equal(proof.chain, 'Bitcoin');
      assert.equal(proof.verdict, 'INVALID');
      assert.equal(proof.cause, 'ADDRESS_KIND');
    });
  });
}
