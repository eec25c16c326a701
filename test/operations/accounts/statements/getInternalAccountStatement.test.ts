import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { newId, uuidOf } from '../../../../src/kernel/ids.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { type History, historyOf, readWindow } from '../../../support/statements/history.js';

let service: TestService;
let platform: Client;
let history: History;

const NOW = '2026-06-03T12:00:00.000Z';
const MAY = '2026-05-01';

before(async () => {
  service = await startTestService();
  platform = service.platform;
  history = await historyOf(service, platform);
});
after(() => service.stop());

const statement = (id: string, periodStart: string, accept?: string) =>
  platform.get(`/internal-accounts/${id}/statement?periodStart=${periodStart}`, accept === undefined ? {} : { headers: { accept } });

/** 2,500 changes in May: more than are read at a time. */
async function busyAccount() {
  const id = await history.account();
  await platform.clock.freeze('2026-04-30T23:59:59.999-05:00');
  await history.post(id, 7);
  await platform.clock.freeze('2026-05-01T00:00:00-05:00');
  await history.move(...Array.from({ length: 2_500 }, (_, i) => history.change(id, i % 3 === 2 ? -1 : i + 1)));
  await platform.clock.freeze('2026-06-01T00:00:00-05:00');
  await history.post(id, 9);
  await platform.clock.freeze(NOW);
  return id;
}

describe('200', () => {
  test('the HTML shows the same balances as the balance changes of the window, and is recorded as fetched', async () => {
    const id = await busyAccount();
    const answer = await statement(id, MAY);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(answer.headers.get('vary'), 'Accept');
    assert.match(answer.text, /<h1>Account statement<\/h1><p class="period">May 2026/);
    assert.match(answer.text, /<dt>Name<\/dt><dd>Ada Lovelace<\/dd>/);
    assert.match(answer.text, /2500 balance changes/);
    assert.deepEqual(await history.receipts(id), [{ period_start: MAY, fetched_at: new Date(NOW), delivered_at: null }]);
  });

  test('the CSV holds the same changes, row for row', async () => {
    const id = await busyAccount();
    const answer = await statement(id, MAY, 'text/csv');
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="statement-2026-05.csv"');
    const lines = answer.text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(','));
    const window = await readWindow(platform, id, '2026-05-01T00:00:00-05:00', '2026-06-01T00:00:00-05:00');
    const cents = (text: string | undefined) => Math.round(Number(text) * 100);
    assert.deepEqual([lines[0]?.[0], cents(lines[0]?.[5])], ['OPENING', window.opening]);
    assert.deepEqual([lines.at(-1)?.[0], cents(lines.at(-1)?.[5])], ['CLOSING', window.closing]);
    assert.deepEqual(
      lines
        .slice(1, -1)
        .map(([kind, effectiveAt, changeId, transactionId, amount]) => [kind, effectiveAt, changeId, transactionId, cents(amount)]),
      window.changes.map((change) => ['CHANGE', change.effectiveAt, change.id, change.transactionId, change.amount]),
    );
  });

  test('a month without changes has a statement', async () => {
    const id = await history.account();
    await platform.clock.freeze(NOW);
    assert.match((await statement(id, '2026-02-01')).text, /0 balance changes/);
  });
});

test('"if not, the statement must not be issued": a month that does not add up is not rendered', async () => {
  const id = await busyAccount();
  await service.db.transaction(async (tx) => {
    // On a cluster, also on the nodes.
    await tx.run(sql`set local citus.propagate_set_commands = 'local'`);
    await tx.run(sql`set local session_replication_role = replica`);
    await tx.run(sql`update entries set amount = amount + 1 where account_id = ${uuidOf(id)} and number = 2000`);
  });
  for (const accept of ['text/html', 'text/csv']) assertRefused(await statement(id, MAY, accept), 500, 'INTERNAL_ERROR');
  assert.deepEqual(await history.receipts(id), []);
});

describe('refusals', () => {
  test('400: no first day of a begun month, or an account without a statement', async () => {
    const id = await history.account();
    await platform.clock.freeze(NOW);
    for (const periodStart of ['2026-05-02', '2026-07-01', 'May', '']) assertInvalid(await statement(id, periodStart), 'periodStart');
    assertInvalid(await platform.get(`/internal-accounts/${id}/statement`), 'periodStart');
    assertInvalid(await statement(await history.accountOf('RULE_BASED', 'USD'), MAY), 'id');
    assert.deepEqual(await history.receipts(id), []);
  });

  test('404 ACCOUNT_NOT_FOUND', async () => {
    for (const id of [newId('InternalAccount'), 'x']) assertRefused(await statement(id, MAY), 404, 'ACCOUNT_NOT_FOUND');
  });

  test('409 NOT_YET_AVAILABLE: the month is not over, or its card settlement is open', async () => {
    const id = await history.account();
    await history.bindToCard(id);
    await platform.clock.freeze(NOW);
    assertRefused(await statement(id, '2026-06-01'), 409, 'NOT_YET_AVAILABLE');
    await platform.clock.freeze('2026-06-01T01:59:59.999-05:00');
    assertRefused(await statement(id, MAY), 409, 'NOT_YET_AVAILABLE');
    await platform.clock.freeze('2026-06-01T02:00:00-05:00');
    await expectStatus(200, statement(id, MAY));
  });
});
