// What an agent sees: internal accounts, external accounts and transactions of its customer.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type GivenAgent, givenAgent } from '../../../support/agents.js';
import { type Answer, assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { announceUnasked } from '../../../support/incoming.js';
import { startTestService, type TestService } from '../../../support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

let service: TestService;
let agent: GivenAgent;
before(async () => {
  service = await startTestService();
  agent = await givenAgent(service.platform);
});
after(() => service.stop());

const idsOf = async (answer: Promise<Answer>): Promise<string[]> => (await expectStatus(200, answer)).data.map(({ id }: Resource) => id);

const bank = () => ({
  currency: 'USD',
  accountInfo: {
    accountType: 'USD_ACCOUNT',
    accountNumber: `${Math.floor(Math.random() * 1e9)}`.padStart(9, '1').concat('999'),
    routingNumber: '021000021',
    bankAccountType: 'CHECKING',
    beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper', birthDate: '1990-12-09', countryOfResidence: 'US' },
  },
});

describe('agentListInternalAccounts', () => {
  test("the customer's accounts as the platform sees them; with allowed accounts only those", async () => {
    const list = (query = '') => agent.client.get(`/agents/me/internal-accounts${query}`);
    const { data } = await expectStatus(200, service.platform.get(`/customers/internal-accounts?customerId=${agent.customer.id}`));
    assert.deepEqual((await expectStatus(200, list())).data, data);
    assert.deepEqual(await idsOf(list('?currency=USD')), [agent.account.id]);
    assert.deepEqual(
      await idsOf(list('?type=EMBEDDED_WALLET')),
      data.filter(({ type }: Resource) => type === 'EMBEDDED_WALLET').map(({ id }: Resource) => id),
    );
    assertInvalid(await list(`?customerId=${agent.customer.id}`), 'customerId');
    await agent.setPolicy({ accountRestrictions: { allowedAccountIds: [agent.account.id] } });
    assert.deepEqual(await idsOf(list()), [agent.account.id]);
    await agent.setPolicy({ accountRestrictions: { allowedAccountIds: [] } });
    assert.deepEqual(await idsOf(list()), []);
    await agent.setPolicy({ accountRestrictions: { allowedAccountIds: null } });
  });
});

describe('external accounts', () => {
  test("created for the agent's customer, listed, read and deleted; others' are 404", async () => {
    const account = await expectStatus(201, agent.client.post('/agents/me/external-accounts', bank()));
    assert.equal(account.customerId, agent.customer.id);
    const named = await expectStatus(201, agent.client.post('/agents/me/external-accounts', { ...bank(), customerId: agent.customer.id }));
    assert.deepEqual(await expectStatus(200, service.platform.get(`/customers/external-accounts/${account.id}`)), account);
    assert.deepEqual(await expectStatus(200, agent.client.get(`/agents/me/external-accounts/${account.id}`)), account);
    assert.deepEqual((await idsOf(agent.client.get('/agents/me/external-accounts?currency=USD'))).slice(0, 2), [named.id, account.id]);
    assert.deepEqual(await idsOf(agent.client.get('/agents/me/external-accounts?currency=EUR')), []);

    const theirs = await agent.pay.usd(await agent.pay.customer());
    const platforms = await agent.pay.usd(undefined);
    const unknown = 'ExternalAccount:01950000-0000-7000-8000-000000000000';
    const answers = [];
    for (const id of [unknown, theirs.id, platforms.id])
      answers.push(
        await agent.client.get(`/agents/me/external-accounts/${id}`),
        await agent.client.delete(`/agents/me/external-accounts/${id}`),
      );
    for (const answer of answers) {
      assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
      assert.equal(answer.text, answers[0]?.text);
    }
    const listed = await idsOf(agent.client.get('/agents/me/external-accounts?limit=100'));
    assert.ok(!listed.includes(theirs.id) && !listed.includes(platforms.id));

    await expectStatus(204, agent.client.delete(`/agents/me/external-accounts/${account.id}`));
    assertRefused(await agent.client.get(`/agents/me/external-accounts/${account.id}`), 404, 'ACCOUNT_NOT_FOUND');
  });

  test("another customer's id is 400 naming it, like an unknown one; a duplicate is 409", async () => {
    const other = await agent.pay.customer();
    const [theirs, nobodys] = [
      await agent.client.post('/agents/me/external-accounts', { ...bank(), customerId: other.id }),
      await agent.client.post('/agents/me/external-accounts', { ...bank(), customerId: 'Customer:01950000-0000-7000-8000-000000000000' }),
    ];
    assertInvalid(theirs, 'customerId');
    assert.equal(theirs.text, nobodys.text);
    const same = bank();
    await expectStatus(201, agent.client.post('/agents/me/external-accounts', same));
    assertRefused(await agent.client.post('/agents/me/external-accounts', same), 409, 'DUPLICATE_EXTERNAL_ACCOUNT');
  });

  test("a duplicate names the account of the agent's customer; accounts of others and of the platform are not named", async () => {
    const create = (platformAccountId: string) => agent.client.post('/agents/me/external-accounts', { ...bank(), platformAccountId });
    const own = await expectStatus(201, create(`own-${randomUUID()}`));
    const ofOwn = await create(own.platformAccountId);
    assertRefused(ofOwn, 409, 'DUPLICATE_EXTERNAL_ACCOUNT');
    assert.deepEqual(ofOwn.body.details, { externalAccountId: own.id, platformAccountId: own.platformAccountId });

    const other = await agent.pay.customer();
    const body = () => ({ ...bank(), platformAccountId: `theirs-${randomUUID()}` });
    for (const theirs of [
      await expectStatus(201, service.platform.post('/customers/external-accounts', { ...body(), customerId: other.id })),
      await expectStatus(201, service.platform.post('/platform/external-accounts', body())),
    ]) {
      const answer = await create(theirs.platformAccountId);
      assertRefused(answer, 409, 'DUPLICATE_EXTERNAL_ACCOUNT');
      assert.equal(answer.body.details, undefined);
      assert.ok(!answer.text.includes(theirs.id));
    }
  });
});

describe('transactions', () => {
  test("all of the customer's, also those the agent did not start; not those of others", async () => {
    const own = await givenAgent(service.platform);
    const started = await expectStatus(200, own.spend(1_000));
    const platforms = await own.pay.execute(await own.pay.quote(await own.request(2_000)));
    const elsewhere = await givenAgent(service.platform);
    const theirs = await expectStatus(200, elsewhere.spend(1_000));
    const list = (query = '') => idsOf(own.client.get(`/agents/me/transactions${query}`));
    const seen = await list();
    assert.deepEqual(seen.slice(0, 2), [platforms.transactionId, started.transaction.id]);
    assert.ok(!seen.includes(theirs.transaction.id));
    assert.deepEqual(seen, await idsOf(service.platform.get(`/transactions?customerId=${own.customer.id}`)));
    assert.deepEqual(await list('?type=OUTGOING&sortOrder=asc'), [started.transaction.id, platforms.transactionId]);
    assert.equal((await own.pay.transaction(platforms)).agentId, undefined);
    for (const filter of ['customerId', 'platformCustomerId'])
      assertInvalid(await own.client.get(`/agents/me/transactions?${filter}=x`), filter);

    const shown = await expectStatus(200, own.client.get(`/agents/me/transactions/${platforms.transactionId}`));
    assert.deepEqual(shown, await own.pay.transaction(platforms));
    const [foreign, unknown] = [
      await own.client.get(`/agents/me/transactions/${theirs.transaction.id}`),
      await own.client.get('/agents/me/transactions/Transaction:01950000-0000-7000-8000-000000000000'),
    ];
    assertRefused(foreign, 404, 'TRANSACTION_NOT_FOUND');
    assert.equal(foreign.text, unknown.text);
  });

  test('with allowed accounts: transactions that touch none of them are neither listed nor found', async () => {
    const own = await givenAgent(service.platform);
    const action = await expectStatus(200, own.spend(1_000));
    const wallet = await own.pay.account(own.customer, 'USDB');
    const read = () => own.client.get(`/agents/me/transactions/${action.transaction.id}`);
    await own.setPolicy({ accountRestrictions: { allowedAccountIds: [wallet.id] } });
    assert.deepEqual(await idsOf(own.client.get('/agents/me/transactions')), []);
    assertRefused(await read(), 404, 'TRANSACTION_NOT_FOUND');
    await own.setPolicy({ accountRestrictions: { allowedAccountIds: [wallet.id, own.account.id] } });
    assert.ok((await idsOf(own.client.get('/agents/me/transactions'))).includes(action.transaction.id));
    await expectStatus(200, read());
  });

  test('with allowed accounts: a payment to a UMA address touches the account that it is credited to', async () => {
    const own = await givenAgent(service.platform);
    const id = await announceUnasked(service, service.platform, { ...own.account, customerId: own.customer.id });
    await expectStatus(200, service.platform.post(`/transactions/${id}/approve`));
    const { data } = await expectStatus(200, service.platform.get(`/customers/internal-accounts?customerId=${own.customer.id}`));
    const wallet = data.find(({ type }: Resource) => type === 'EMBEDDED_WALLET');
    const seen = async () => (await idsOf(own.client.get('/agents/me/transactions'))).includes(id);
    await own.setPolicy({ accountRestrictions: { allowedAccountIds: [own.account.id] } });
    assert.ok(await seen());
    await expectStatus(200, own.client.get(`/agents/me/transactions/${id}`));
    await own.setPolicy({ accountRestrictions: { allowedAccountIds: [wallet.id] } });
    assert.ok(!(await seen()));
    assertRefused(await own.client.get(`/agents/me/transactions/${id}`), 404, 'TRANSACTION_NOT_FOUND');
  });
});
