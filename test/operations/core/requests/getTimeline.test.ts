// "Timeline without ten calls": from request to change to event to delivery attempt, in one order.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TIMELINE_KINDS, type TimelineKind } from '../../../../src/domains/core/requests/timeline.js';
import { encodeCursor } from '../../../../src/kernel/page.js';
import { fundedCard, networkOf } from '../../../support/card-transactions.js';
import { freezing } from '../../../support/cards.js';
import { assertInvalid, type Client, expectStatus } from '../../../support/client.js';
import { accountsApi } from '../../../support/external-accounts/accounts-api.js';
import { given } from '../../../support/given.js';
import { quoting } from '../../../support/quotes.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { wallet } from '../../../support/wallet.js';
import { givenEndpoint, platformIdOf, settle } from '../../../support/webhooks/platform.js';
import type { Receiver } from '../../../support/webhooks/receiver.js';

let service: TestService;
let platform: Client;
let receiver: Receiver;
before(async () => {
  service = await startTestService();
  platform = service.platform;
  // Frozen, so that the real time alone gives the order.
  await platform.clock.freeze('2031-03-12T15:00:00Z');
  receiver = await givenEndpoint(platform);
});
after(async () => {
  await receiver.close();
  await service.stop();
});

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Item = any;
const timeline = async (objectId: string, query = '', client = platform): Promise<Item> =>
  expectStatus(200, client.get(`/timeline?objectId=${objectId}${query}`));

describe('200', () => {
  test('a card: request, change, event and attempt, newest first, each with its cause', async () => {
    const { card } = await fundedCard(platform, 0);
    const frozen = await platform.patch(`/cards/${card.id}`, freezing);
    const requestId = frozen.headers.get('x-request-id');
    await settle(platform);
    const { data, hasMore } = await timeline(card.id, '&limit=100');
    assert.equal(hasMore, false);
    const [event, change, request] = data.filter((item: Item) => item.requestId === requestId || item.cause?.requestId === requestId);
    assert.deepEqual(
      [event.kind, event.type, event.cause, change.kind, change.change, change.fromStatus, change.toStatus, change.reason, change.cause],
      ['EVENT', 'card.status_change', { requestId }, 'CHANGE', 'UPDATED', 'ACTIVE', 'FROZEN', freezing.reason, { requestId }],
    );
    assert.deepEqual(
      event.attempts.map(({ number, responseStatus }: Item) => [number, responseStatus]),
      [[1, 200]],
    );
    assert.deepEqual([request.kind, request.operation, request.method, request.status], ['REQUEST', 'updateCardById', 'PATCH', 200]);
    const kinds = data.map(({ kind, change: what, type }: Item) => what ?? type ?? kind);
    assert.ok(kinds.includes('ISSUED') && kinds.includes('PROVISIONED'));
    const times = data.map(({ occurredAt }: Item) => occurredAt);
    assert.deepEqual(times, [...times].sort().reverse(), 'newest first by the real time, on a clock that stands still');
    assert.ok(data.every(({ timestamp }: Item) => timestamp === '2031-03-12T15:00:00.000Z'));
  });

  test('an internal account: funding, entries with the balance after them, and events', async () => {
    const account = await given(platform).fundedAccount('USD', 700);
    await given(platform).fund(account, 50);
    const { data } = await timeline(account.id);
    const entries = data.filter(({ kind }: Item) => kind === 'LEDGER_ENTRY');
    assert.deepEqual(
      entries.map(({ amount, balanceAfter, currency }: Item) => [amount, balanceAfter, currency]),
      [
        [50, 750, 'USD'],
        [700, 700, 'USD'],
      ],
    );
    assert.deepEqual(
      data.slice(0, 3).map(({ kind }: Item) => kind),
      ['EVENT', 'LEDGER_ENTRY', 'REQUEST'],
    );
  });

  test('a transaction: its ledger entries, with the account and the balance after them, page by page', async () => {
    const { card, account } = await fundedCard(platform, 5_000);
    const network = networkOf(platform, card);
    const purchase = await network.authorize(1_250);
    await network.clear(purchase, 1_000);
    await network.clear(purchase, 250);
    const { data } = await timeline(purchase.id, '&limit=100');
    const entries = data.filter(({ kind }: Item) => kind === 'LEDGER_ENTRY');
    assert.deepEqual(
      entries.map(({ amount, balanceAfter, accountId, transactionId }: Item) => [amount, balanceAfter, accountId, transactionId]),
      [
        [-250, 3_750, account.id, purchase.id],
        [-1_000, 4_000, account.id, purchase.id],
      ],
    );
    const paged: Item[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await timeline(purchase.id, `&limit=1${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      paged.push(...page.data.filter(({ kind }: Item) => kind === 'LEDGER_ENTRY'));
      cursor = page.nextCursor;
    }
    assert.deepEqual(paged, entries);
  });

  test('an entry of a payment is as late as the money moved, not as its quote was made', async () => {
    const build = quoting(platform);
    const from = await build.fundedAccount('USD', 5_000);
    const quoteOf = async (ending: string) => build.quote(build.request(from, await build.usd({ id: from.customerId }, ending), 1_000));
    const quotes = [await quoteOf('002'), await quoteOf('002'), await quoteOf('002'), await quoteOf('999')];
    await build.fund(from, 50);
    for (const quote of quotes) {
      await build.execute(quote);
      await build.settle();
    }
    const { data } = await timeline(from.id, '&limit=100');
    const times = data.map(({ occurredAt }: Item) => occurredAt);
    assert.deepEqual(times, [...times].sort().reverse(), 'newest first by the real time');
    for (const quote of quotes.slice(0, 3)) {
      const whole = (await timeline(quote.transactionId, '&limit=100')).data;
      const entries = whole.filter(({ kind }: Item) => kind === 'LEDGER_ENTRY');
      assert.deepEqual(
        entries.map(({ amount }: Item) => amount),
        [1_000, -1_000],
        'the refund follows the debit',
      );
      const paged: Item[] = [];
      for (let cursor = ''; ; ) {
        const page = await timeline(quote.transactionId, `&limit=1${cursor}`);
        paged.push(...page.data);
        if (page.nextCursor === undefined) break;
        cursor = `&cursor=${page.nextCursor}`;
      }
      assert.deepEqual(paged, whole);
    }
  });

  test('an embedded wallet shows the legs that its owner was asked to sign, and an external account its proofs', async () => {
    const owner = await wallet(platform);
    const asked = await expectStatus(202, platform.delete(`/auth/sessions/${owner.session.id}`));
    const leg = (await timeline(owner.account.id)).data.find(({ signedRequestId }: Item) => signedRequestId === asked.requestId);
    assert.deepEqual([leg.kind, leg.leg, leg.expiresAt, leg.usedAt], ['SIGNATURE', 1, asked.expiresAt, undefined]);

    const api = accountsApi(platform, 'customers');
    const account = await api.wallet();
    await expectStatus(201, platform.post(`/customers/external-accounts/${account.id}/challenge`, { method: 'WALLET_SIGNATURE' }));
    await platform.post(`/customers/external-accounts/${account.id}/verify`, { signature: `0x${'11'.repeat(65)}` });
    const proofs = (await timeline(account.id)).data.filter(({ kind }: Item) => kind === 'PROOF');
    assert.deepEqual(
      proofs.map(({ method, verdict }: Item) => [method, verdict]),
      [['WALLET_SIGNATURE', 'INVALID']],
    );
  });

  test('pages hold every item once, in the same order', async () => {
    const { card } = await fundedCard(platform, 0);
    await platform.patch(`/cards/${card.id}`, freezing);
    await settle(platform);
    const whole = (await timeline(card.id, '&limit=100')).data;
    assert.ok(whole.length >= 5);
    const paged: Item[] = [];
    let cursor = '';
    do {
      const page = await timeline(card.id, `&limit=2${cursor}`);
      paged.push(...page.data);
      cursor = page.nextCursor === undefined ? '' : `&cursor=${page.nextCursor}`;
    } while (cursor !== '');
    // The reads of the timeline itself name the object in their query, not in their path: they are no part of it.
    assert.deepEqual(paged, whole);
  });

  test('a declined purchase shows its transaction event', async () => {
    const { card } = await fundedCard(platform, 0);
    const declined = await networkOf(platform, card).authorize(100);
    const [event] = (await timeline(declined.id)).data.filter(({ kind }: Item) => kind === 'EVENT');
    assert.equal(event.type, 'CARD_TRANSACTION.DECLINED');
  });

  test('an object of another platform has an empty timeline, like one that never existed', async () => {
    const other = await service.newPlatform();
    const customer = await given(platform).customer();
    const foreign = await other.get(`/timeline?objectId=${customer.id}`);
    const unknown = await other.get('/timeline?objectId=Customer:01a1e489-0000-7000-8000-000000000000');
    assert.equal(foreign.text, unknown.text);
    assert.deepEqual(foreign.body, { data: [], hasMore: false });
  });
});

test('400: objectId is required, and a cursor of another object is refused', async () => {
  assertInvalid(await platform.get('/timeline'), 'objectId');
  const { card } = await fundedCard(platform, 0);
  const { nextCursor } = await timeline(card.id, '&limit=1');
  const customer = await given(platform).customer();
  assertInvalid(await platform.get(`/timeline?objectId=${customer.id}&cursor=${nextCursor}`), 'cursor');
});

test('400: a cursor that a caller made, with a place that its object cannot have', async () => {
  const platformId = await platformIdOf(service, platform);
  const uuid = '019542f5-b3e7-7d02-8000-000000000001';
  const places: [string, TimelineKind, string][] = [
    [`Card:${uuid}`, 'CHANGE', '9'.repeat(18)],
    [`InternalAccount:${uuid}`, 'LEDGER_ENTRY', `${uuid}.${uuid}`],
    [`Transaction:${uuid}`, 'LEDGER_ENTRY', '7'],
  ];
  for (const [objectId, kind, key] of places) {
    const keys = TIMELINE_KINDS.map((one) => (one === kind ? key : '-'));
    const cursor = encodeCursor(keys, ['getTimeline', platformId, objectId]);
    assertInvalid(await platform.get(`/timeline?objectId=${objectId}&cursor=${cursor}`), 'cursor');
  }
});
