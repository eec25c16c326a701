// Concurrent requests: an effect that must happen once happens once.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe } from 'node:test';
import { expectStatus } from '../../../support/client.js';
import { accountInfoOf } from '../../../support/external-accounts/account-infos.js';
import { type AccountsApi, accountsApi, statusEvents } from '../../../support/external-accounts/accounts-api.js';
import { evmWallet, solanaWallet } from '../../../support/external-accounts/wallets.js';
import { race } from '../../../support/race.js';
import { startTestService, type TestService } from '../../../support/service.js';

const CALLERS = 64;
let service: TestService;
let api: AccountsApi;
before(async () => {
  service = await startTestService({ RATE_LIMIT_PER_MINUTE: 'off' });
  api = accountsApi(service.platform, 'platform');
});
after(() => service.stop());

const atOnce = <Result>(work: (caller: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: CALLERS }, (_, caller) => work(caller)));
const tally = (statuses: readonly number[]) => {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

describe(`${CALLERS} at once`, () => {
  race('valid signatures: one 200, the rest 409, one webhook, one proof', async () => {
    for (const wallet of [evmWallet(randomUUID()), solanaWallet(randomUUID())]) {
      const account = await api.wallet(wallet);
      const signature = await wallet.sign(await api.messageFor(account));
      const answers = await atOnce(() => api.verify(account, { signature }));
      assert.deepEqual(tally(answers.map(({ status }) => status)), { 200: 1, 409: CALLERS - 1 });
      assert.deepEqual(
        (await statusEvents(service, account)).map(({ status }) => status),
        ['ACTIVE'],
      );
      assert.equal((await api.proofs(account)).length, 1);
    }
  });

  race('valid and invalid signatures: only the first attempt decides', async () => {
    const wallet = evmWallet(randomUUID());
    const account = await api.wallet(wallet);
    const signature = await wallet.sign(await api.messageFor(account));
    const answers = await atOnce((caller) => api.verify(account, { signature: caller % 2 === 0 ? signature : '0x00' }));
    const counts = tally(answers.map(({ status }) => status));
    assert.equal(counts[409], CALLERS - 1);
    const { status } = await api.get(account);
    assert.equal(status, counts[200] === 1 ? 'ACTIVE' : 'UNVERIFIED');
    assert.deepEqual(
      (await statusEvents(service, account)).map((data) => data.status),
      [status],
    );
  });

  race('attempts of every kind on two platforms: each gets its own answer', async () => {
    const foreign = accountsApi(await service.newPlatform(), 'platform');
    const unchallenged = await api.wallet();
    const kinds = await Promise.all(
      Array.from({ length: CALLERS }, async (_, caller) => {
        const at = caller % 5 === 0 ? foreign : api;
        const wallet = evmWallet(randomUUID());
        const account = await at.wallet(wallet);
        const signature = await wallet.sign(await at.messageFor(account));
        const kind = [
          { account, signature, status: 200 },
          { account, signature: '0x00', status: 400 },
          { account: unchallenged, signature, status: 409 },
          { account: { id: `ExternalAccount:${randomUUID()}` }, signature, status: 404 },
        ][caller % 4] as { account: { id: string }; signature: string; status: number };
        return kind.status === 409 && at === foreign ? { at, ...kind, status: 404 } : { at, ...kind };
      }),
    );
    const answers = await atOnce(async (caller) => {
      const { at, account, signature } = kinds[caller] as (typeof kinds)[number];
      return (await at.verify(account, { signature })).status;
    });
    assert.deepEqual(
      answers,
      kinds.map(({ status }) => status),
    );
    for (const { account, status } of kinds.filter((kind) => kind.status <= 400)) {
      assert.deepEqual(
        (await statusEvents(service, account)).map((data) => data.status),
        [status === 200 ? 'ACTIVE' : 'UNVERIFIED'],
      );
    }
  });

  race('challenges: only the last one stays open', async () => {
    const wallet = evmWallet(randomUUID());
    const account = await api.wallet(wallet);
    const messages = await atOnce(() => api.messageFor(account));
    assert.equal(new Set(messages).size, CALLERS);
    const signature = await wallet.sign(await api.messageFor(account));
    await expectStatus(200, api.verify(account, { signature }));
  });

  race('the same wallet: one account, the others 409 with its id', async () => {
    const { accountType, address } = evmWallet(randomUUID());
    const body = { currency: 'USDC', ownershipType: 'FIRST_PARTY', accountInfo: { accountType, address } };
    const answers = await atOnce(() => api.create(body));
    assert.deepEqual(tally(answers.map(({ status }) => status)), { 201: 1, 409: CALLERS - 1 });
    const id = answers.find(({ status }) => status === 201)?.body.id;
    for (const answer of answers.filter(({ status }) => status === 409)) assert.equal(answer.body.details.externalAccountId, id);
  });

  race('new default accounts of one customer: all are created, one is the default', async () => {
    const mine = accountsApi(service.platform, 'customers');
    const answers = await atOnce((caller) =>
      mine.create({
        currency: 'USD',
        defaultUmaDepositAccount: true,
        accountInfo: accountInfoOf('USD_ACCOUNT', { accountNumber: String(200_000_000 + caller) }),
      }),
    );
    assert.deepEqual(tally(answers.map(({ status }) => status)), { 201: CALLERS });
    const { data } = await expectStatus(
      200,
      service.platform.get(`${mine.base}?limit=100&customerId=${(await mine.owner())['customerId']}`),
    );
    assert.equal(data.length, CALLERS);
    assert.equal(data.filter((account: { defaultUmaDepositAccount: boolean }) => account.defaultUmaDepositAccount).length, 1);
  });
});
