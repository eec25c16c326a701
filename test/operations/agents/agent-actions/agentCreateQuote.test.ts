// agentCreateQuote and agentGetQuote.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type GivenAgent, givenAgent } from '../../../support/agents.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
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

const create = (body: Resource, sent?: Resource) => agent.client.post('/agents/me/quotes', body, sent);
const UNKNOWN = 'InternalAccount:01950000-0000-7000-8000-000000000000';

describe('201', () => {
  test("a quote as the platform's, and its transaction names the agent from the beginning", async () => {
    const quote = await expectStatus(201, create(await agent.request(1_000)));
    assert.deepEqual([quote.status, quote.totalSendingAmount], ['PENDING', 1_000]);
    const transaction = await agent.pay.transaction(quote);
    assert.deepEqual([transaction.agentId, transaction.status], [agent.id, 'PENDING']);
    assert.deepEqual(await expectStatus(200, agent.client.get(`/agents/me/quotes/${quote.id}`)), quote);
    assert.deepEqual(await agent.pay.getQuote(quote), quote);
  });

  test('amount limits are not judged here', async () => {
    await expectStatus(201, create(await agent.request(900_000)));
  });

  test("Idempotency-Key: a repeat gets the first answer; the platform's and another agent's same key is another key", async () => {
    const sent = { headers: { 'Idempotency-Key': 'mine' } };
    const body = await agent.request(1_000);
    const first = await expectStatus(201, create(body, sent));
    assert.deepEqual(await expectStatus(201, create(body, sent)), first);
    const other = await givenAgent(service.platform);
    const theirs = await expectStatus(201, other.client.post('/agents/me/quotes', await other.request(1_000), sent));
    assert.notEqual(theirs.id, first.id);
    await expectStatus(200, service.platform.post('/quotes', body, sent));
    assertRefused(await create(await agent.request(1_001), sent), 409, 'CONFLICT');
  });
});

describe('what would move money without an action is 400', () => {
  test('immediatelyExecute and realtime funding, both named', async () => {
    assertInvalid(await create(await agent.request(1_000, { immediatelyExecute: true })), 'immediatelyExecute');
    const source = { sourceType: 'REALTIME_FUNDING', currency: 'USD' };
    assertInvalid(await create(await agent.request(1_000, { source })), 'source.sourceType');
    assertInvalid(
      await create(await agent.request(1_000, { source, immediatelyExecute: true })),
      'source.sourceType',
      'immediatelyExecute',
    );
    await expectStatus(201, create(await agent.request(1_000, { immediatelyExecute: false })));
  });
});

describe("accounts must be the customer's own", () => {
  test("another customer's and the platform's account answer like unknown ones, as source and as destination", async () => {
    const someone = await agent.pay.fundedAccount('USD', 1_000);
    const theirs = await agent.pay.usd(await agent.pay.customer());
    const platforms = await agent.pay.usd(undefined);
    const own = await agent.pay.platformAccount('USD');
    const answers = [];
    for (const id of [UNKNOWN, someone.id, own.id, theirs.id, platforms.id, 'x']) {
      answers.push(await create(await agent.request(1_000, { source: { sourceType: 'ACCOUNT', accountId: id } })));
      answers.push(await create(await agent.request(1_000, { destination: { destinationType: 'ACCOUNT', accountId: id } })));
    }
    for (const answer of answers) {
      assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
      assert.equal(answer.text, answers[0]?.text);
    }
  });

  test('a deleted external account is not found', async () => {
    const payee = await agent.pay.usd(agent.customer);
    await expectStatus(204, service.platform.delete(`/customers/external-accounts/${payee.id}`));
    const destination = { destinationType: 'ACCOUNT', accountId: payee.id };
    assertRefused(await create(await agent.request(1_000, { destination })), 404, 'ACCOUNT_NOT_FOUND');
  });

  test('a source that names another customer is like one that names nobody', async () => {
    const other = await agent.pay.customer();
    const named = async (customerId: string) =>
      create(await agent.request(1_000, { source: { sourceType: 'ACCOUNT', accountId: agent.account.id, customerId } }));
    const [theirs, nobodys] = [await named(other.id), await named('Customer:01950000-0000-7000-8000-000000000000')];
    assertRefused(theirs, 404, 'CUSTOMER_NOT_FOUND');
    assert.equal(theirs.text, nobodys.text);
    await expectStatus(201, named(agent.customer.id));
  });
});

describe('allowedAccountIds', () => {
  test('source and internal destination are both checked: 403 ACCOUNT_NOT_ALLOWED', async () => {
    const restricted = await givenAgent(service.platform);
    const wallet = await restricted.pay.account(restricted.customer, 'USDB');
    const quote = async (allowed: string[], fields: Resource) => {
      await restricted.setPolicy({ accountRestrictions: { allowedAccountIds: allowed } });
      return restricted.client.post('/agents/me/quotes', await restricted.request(1_000, fields));
    };
    const toWallet = { destination: { destinationType: 'ACCOUNT', accountId: wallet.id } };
    await expectStatus(201, quote([restricted.account.id, wallet.id], toWallet));
    await expectStatus(201, quote([restricted.account.id], {}));
    for (const answer of [
      await quote([wallet.id], {}),
      await quote([], {}),
      await quote([restricted.account.id], toWallet),
      await quote([wallet.id], toWallet),
    ]) {
      assertRefused(answer, 403, 'FORBIDDEN');
      assert.equal(answer.body.details.cause, 'ACCOUNT_NOT_ALLOWED');
    }
  });

  test('with a list, an external account cannot be the source', async () => {
    const restricted = await givenAgent(service.platform);
    const bank = await restricted.pay.usd(restricted.customer);
    const pull = await restricted.request(1_000, {
      source: { sourceType: 'ACCOUNT', accountId: bank.id },
      destination: { destinationType: 'ACCOUNT', accountId: restricted.account.id },
    });
    await expectStatus(201, restricted.client.post('/agents/me/quotes', pull));
    await restricted.setPolicy({ accountRestrictions: { allowedAccountIds: [restricted.account.id] } });
    const answer = await restricted.client.post('/agents/me/quotes', pull);
    assert.equal(answer.body.details.cause, 'ACCOUNT_NOT_ALLOWED', answer.text);
  });
});

describe('agentGetQuote', () => {
  test("only quotes that this agent created: another agent's of the same customer and the platform's are 404", async () => {
    const sibling = await givenAgent(service.platform, {}, { customer: agent.customer, funds: 0 });
    const quote = await agent.quote(1_000);
    const platforms = await agent.pay.quote(await agent.request(1_000));
    const unknown = await sibling.client.get('/agents/me/quotes/Quote:01950000-0000-7000-8000-000000000000');
    for (const { id } of [quote, platforms]) {
      const answer = await sibling.client.get(`/agents/me/quotes/${id}`);
      assertRefused(answer, 404, 'QUOTE_NOT_FOUND');
      assert.equal(answer.text, unknown.text);
    }
  });
});

test('a customer that is not verified is refused as by createQuote', async () => {
  const customer = await agent.pay.customer({ fullName: 'Ada Lovelace 002' });
  const unready = await givenAgent(service.platform, {}, { customer, funds: 0 });
  const direct = await service.platform.post('/quotes', await unready.request(1_000));
  const answer = await unready.client.post('/agents/me/quotes', await unready.request(1_000));
  assert.equal(answer.text, direct.text);
});
