// "`cause` on an event: `{requestId}` or `{job}`; `requestId` in `card_history` and its siblings: from request to change to event to attempt and back."
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { uuidOf } from '../../../../src/kernel/ids.js';
import { DAY, fundedCard, networkOf, purchaseOf } from '../../../support/card-transactions.js';
import { freezing, idempotent } from '../../../support/cards.js';
import { type Answer, type Client, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { startOwnService, startTestService, type TestService } from '../../../support/service.js';
import { givenEndpoint, platformIdOf } from '../../../support/webhooks/platform.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService({ ROLE: 'api' });
  platform = service.platform;
});
after(() => service.stop());

const requestIdOf = ({ headers }: Pick<Answer, 'headers'>): string => headers.get('x-request-id') ?? '';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
const eventsOf = async (objectId: string): Promise<any[]> =>
  (await expectStatus(200, platform.get(`/webhooks/events?objectId=${objectId}&limit=100`))).data;

const accepted = async (call: Promise<Answer>): Promise<Answer> => {
  const answer = await call;
  assert.ok(answer.status < 300, answer.text);
  return answer;
};

describe('the cause of an event', () => {
  test('is the request that made the change, and the request names its events', async () => {
    const answer = await accepted(platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' }));
    const events = await eventsOf(answer.body.id);
    assert.deepEqual(
      events.map(({ cause }) => cause),
      [{ requestId: requestIdOf(answer) }],
    );
    assert.deepEqual((await expectStatus(200, platform.get(`/webhooks/events/${events[0].id}`))).cause, { requestId: requestIdOf(answer) });
    const request = await expectStatus(200, platform.get(`/requests/${requestIdOf(answer)}`));
    assert.deepEqual(request.eventIds, [events[0].id]);
  });

  test('of a TEST event is the request that asked for it', async () => {
    const client = await service.newPlatform();
    const receiver = await givenEndpoint(client);
    try {
      const answer = await accepted(client.post('/webhooks/test'));
      const [event] = (await expectStatus(200, client.get('/webhooks/events?type=TEST&limit=1'))).data;
      assert.deepEqual(event.cause, { requestId: requestIdOf(answer) });
      assert.deepEqual((await expectStatus(200, client.get(`/requests/${requestIdOf(answer)}`))).eventIds, [event.id]);
    } finally {
      await receiver.close();
    }
  });

  test('is not part of what the receiver gets', async () => {
    const stored = await service.db.one<{ data: string }>(
      sql`select data::text as data from webhook_events where request_id is not null limit 1`,
    );
    assert.doesNotMatch(stored?.data ?? '', /requestId|"cause"/);
  });

  test('is its own request where requests share a transaction', async () => {
    const { card } = await fundedCard(platform, 100_000);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        accepted(platform.post(`/sandbox/cards/${card.id}/simulate/authorization`, purchaseOf(100 + i))),
      ),
    );
    for (const [i, answer] of answers.entries()) {
      const request = await expectStatus(200, platform.get(`/requests/${requestIdOf(answer)}`));
      const events = await Promise.all(request.eventIds.map((id: string) => expectStatus(200, platform.get(`/webhooks/events/${id}`))));
      assert.deepEqual(
        events.map(({ type, data, cause }) => [type, data.authorizedAmount.amount, cause]),
        [['CARD_TRANSACTION.AUTHORIZED', 100 + i, { requestId: requestIdOf(answer) }]],
      );
    }
  });

  test('is the request for operations that open their own transactions', async () => {
    const { card } = await fundedCard(platform, 0);
    const frozen = await accepted(platform.patch(`/cards/${card.id}`, freezing));
    const [last, first] = await eventsOf(card.id);
    assert.deepEqual(last.cause, { requestId: requestIdOf(frozen) });
    assert.match(first.cause.requestId, /^[0-9a-f-]{36}$/);
    const history = await service.db.many<{ request_id: string }>(
      sql`select request_id from card_history where card_id = ${uuidOf(card.id)} order by version`,
    );
    assert.deepEqual(
      history.map(({ request_id }) => request_id),
      [first.cause.requestId, first.cause.requestId, requestIdOf(frozen)],
      'issued, provisioned after the answer, frozen',
    );

    const keyed = await accepted(platform.post(`/sandbox/cards/${card.id}/simulate/authorization`, purchaseOf(100), idempotent()));
    const request = await expectStatus(200, platform.get(`/requests/${requestIdOf(keyed)}`));
    assert.equal(request.eventIds.length, 1, 'a decline has an event');
  });

  test('is the job that was due, and the request that advanced the clock', async () => {
    await platform.clock.freeze('2031-03-12T15:00:00Z');
    const { card } = await fundedCard(platform, 1_000);
    const { id } = await networkOf(platform, card).authorize(100);
    const advanced = await platform.clock.advance(40 * DAY);
    const [voided] = await eventsOf(id);
    assert.equal(voided.type, 'CARD_TRANSACTION.VOIDED');
    assert.deepEqual(voided.cause, { requestId: requestIdOf(advanced), job: 'card-authorization-expiry' });
    await platform.clock.resume();
  });

  test('an account that many events are about keeps the cause of each', async () => {
    const account = await given(platform).fundedAccount('USD', 1);
    const funded = await accepted(platform.post(`/sandbox/internal-accounts/${account.id}/fund`, { amount: 5 }));
    const causes = (await eventsOf(account.id)).map(({ cause }) => cause.requestId);
    assert.equal(causes[0], requestIdOf(funded));
    assert.notEqual(causes[1], causes[0]);
  });
});

test('a job that the worker runs is the cause alone, whichever platform it is for', { timeout: 60_000 }, async () => {
  const own = await startOwnService();
  try {
    // Its hold is not due, and the worker goes past it.
    await networkOf(own.platform, (await fundedCard(own.platform, 1_000)).card).authorize(100);
    const client = await own.newPlatform();
    await client.clock.freeze('2031-03-12T15:00:00Z');
    await networkOf(client, (await fundedCard(client, 1_000)).card).authorize(100);
    // Moved without an advance, so that only the worker finds it due.
    const id = uuidOf(await platformIdOf(own, client));
    await own.db.run(sql`update platforms set clock_frozen_at = '2031-04-21T15:00:00Z' where id = ${id}`);
    for (;;) {
      const { data } = await expectStatus(200, client.get('/webhooks/events?type=CARD_TRANSACTION.VOIDED'));
      if (data.length === 0) continue;
      assert.deepEqual(data[0].cause, { job: 'card-authorization-expiry' });
      return;
    }
  } finally {
    await own.stop();
  }
});
