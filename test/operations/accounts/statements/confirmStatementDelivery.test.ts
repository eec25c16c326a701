import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../../../src/kernel/ids.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { platformAccount } from '../../../support/rule-based.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { type History, historyOf, readWindow } from '../../../support/statements/history.js';

let service: TestService;
let platform: Client;
let history: History;

const NOW = '2026-06-03T12:00:00.000Z';
const [MAY, MAY_END] = ['2026-05-01', '2026-06-01T05:00:00.000Z'];

before(async () => {
  service = await startTestService();
  platform = service.platform;
  history = await historyOf(service, platform);
  await platform.clock.freeze(NOW);
});
after(() => service.stop());

const confirm = (id: string, body: unknown) => platform.post(`/internal-accounts/${id}/confirm-statement`, body);

describe('200', () => {
  test('"Stores the delivery record for the account and period"', async () => {
    const id = await history.account();
    assert.deepEqual(await expectStatus(200, confirm(id, { periodStart: MAY })), {
      internalAccountId: id,
      periodStart: MAY,
      fetchedAt: null,
      statementDeliveredAt: NOW,
    });
    assert.deepEqual(await history.receipts(id), [{ period_start: MAY, fetched_at: null, delivered_at: new Date(NOW) }]);
  });

  test('"Intended once a month after the period\'s statement has been pulled": fetchedAt is when that was', async () => {
    const id = await history.account();
    await readWindow(platform, id, '2026-05-01T00:00:00-05:00', '2026-06-01T00:00:00-05:00');
    await platform.clock.freeze('2026-06-04T00:00:00Z');
    const receipt = await expectStatus(200, confirm(id, { periodStart: MAY }));
    assert.deepEqual([receipt.fetchedAt, receipt.statementDeliveredAt], [NOW, '2026-06-04T00:00:00.000Z']);
    await platform.clock.freeze(NOW);
  });

  test('a statement fetched after its receipt is recorded as well', async () => {
    const id = await history.account();
    await expectStatus(200, confirm(id, { periodStart: MAY, statementDeliveredAt: MAY_END }));
    await readWindow(platform, id, '2026-05-01T00:00:00-05:00', '2026-06-01T00:00:00-05:00');
    const receipt = await expectStatus(200, confirm(id, { periodStart: MAY }));
    assert.deepEqual([receipt.fetchedAt, receipt.statementDeliveredAt], [NOW, MAY_END]);
  });

  test('"repeating it is harmless and the first receipt\'s time is kept"', async () => {
    const id = await history.account();
    const first = await confirm(id, { periodStart: MAY, statementDeliveredAt: '2026-06-02T08:00:00-05:00' });
    assert.equal(first.body.statementDeliveredAt, '2026-06-02T13:00:00.000Z');
    await platform.clock.freeze('2026-06-09T00:00:00Z');
    for (const body of [{ periodStart: MAY }, { periodStart: MAY, statementDeliveredAt: '2026-06-08T00:00:00Z' }]) {
      const again = await confirm(id, body);
      assert.deepEqual([again.status, again.text], [200, first.text]);
    }
    await platform.clock.freeze(NOW);
  });

  test('of a month that was read or confirmed before the account funded a card', async () => {
    await platform.clock.freeze('2026-06-01T00:30:00-05:00');
    const [read, confirmed, neither] = [await history.account(), await history.account(), await history.account()];
    await readWindow(platform, read, '2026-05-01T00:00:00-05:00', '2026-06-01T00:00:00-05:00');
    const first = await confirm(confirmed, { periodStart: MAY });
    for (const id of [read, confirmed, neither]) await history.bindToCard(id);

    await expectStatus(200, confirm(read, { periodStart: MAY }));
    const again = await confirm(confirmed, { periodStart: MAY });
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assertRefused(await confirm(neither, { periodStart: MAY }), 409, 'NOT_YET_AVAILABLE');
    await platform.clock.freeze(NOW);
  });

  test('each account and each period has its own receipt', async () => {
    const [one, two] = [await history.account(), await history.account()];
    for (const periodStart of [MAY, '2026-04-01', '2025-12-01']) await expectStatus(200, confirm(one, { periodStart }));
    assert.deepEqual(
      (await history.receipts(one)).map(({ period_start }) => period_start),
      ['2025-12-01', '2026-04-01', MAY],
    );
    assert.deepEqual(await history.receipts(two), []);
  });
});

describe('refusals write nothing', () => {
  const refused = async (body: unknown, check: (answer: Awaited<ReturnType<typeof confirm>>) => void) => {
    const id = await history.account();
    check(await confirm(id, body));
    assert.deepEqual(await history.receipts(id), []);
  };

  test('400: periodStart is "first day of a begun month"', async () => {
    for (const periodStart of [
      '2026-05-02',
      '2026-05-31',
      '2026-07-01',
      '9999-12-01',
      '2026-5-01',
      '2026-13-01',
      '2026-05-01T00:00:00Z',
      'May',
      '',
      5,
      null,
    ]) {
      await refused({ periodStart }, (answer) => assertInvalid(answer, 'periodStart'));
    }
    await refused({}, (answer) => assertInvalid(answer, 'periodStart'));
    await refused({ periodStart: MAY, extra: true }, (answer) => assertInvalid(answer, 'extra'));
  });

  test('400: delivered in the future, before the end of the period, or at an invalid time', async () => {
    const delivered = (statementDeliveredAt: unknown) => ({ periodStart: MAY, statementDeliveredAt });
    for (const time of ['2026-06-03T12:00:00.001Z', '2026-06-01T04:59:59.999Z']) {
      await refused(delivered(time), (answer) => assertInvalid(answer, 'statementDeliveredAt'));
    }
    for (const time of ['2026-06-02T00:00:00', '2026-06-02', 'now']) {
      await refused(delivered(time), (answer) => assertRefused(answer, 400, 'INVALID_TIMESTAMP'));
    }
    await refused(delivered(null), (answer) => assertInvalid(answer, 'statementDeliveredAt'));
    await expectStatus(200, confirm(await history.account(), delivered(MAY_END)));
    await expectStatus(200, confirm(await history.account(), delivered(NOW)));
  });

  test('400: an account without a statement', async () => {
    const ids = [
      await history.accountOf('RULE_BASED', 'USD'),
      await history.accountOf('EMBEDDED_WALLET', 'USDB'),
      await history.accountOf('INTERNAL_FIAT', 'EUR'),
      (await platformAccount(platform)).id,
    ];
    for (const id of ids) {
      assertInvalid(await confirm(id, { periodStart: MAY }), 'id');
      assert.deepEqual(await history.receipts(id), []);
    }
  });

  test("404 ACCOUNT_NOT_FOUND: unknown, malformed and another platform's id get the same answer", async () => {
    const other = await service.newPlatform();
    const foreign = await (await historyOf(service, other)).account();
    const answers = await Promise.all([foreign, newId('InternalAccount'), 'x'].map((id) => confirm(id, { periodStart: MAY })));
    for (const answer of answers) {
      assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
      assert.equal(answer.text, answers[0]?.text);
    }
    assert.deepEqual(await history.receipts(foreign), []);
  });

  test('409 NOT_YET_AVAILABLE: the month is not over, or its card settlement is open', async () => {
    const running = { periodStart: '2026-06-01' };
    await refused(running, (answer) => assertRefused(answer, 409, 'NOT_YET_AVAILABLE'));

    const id = await history.account();
    await history.bindToCard(id);
    await platform.clock.freeze('2026-06-01T01:59:59.999-05:00');
    assertRefused(await confirm(id, { periodStart: MAY }), 409, 'NOT_YET_AVAILABLE');
    assert.deepEqual(await history.receipts(id), []);
    await platform.clock.freeze('2026-06-01T02:00:00-05:00');
    await expectStatus(200, confirm(id, { periodStart: MAY }));
    await platform.clock.freeze(NOW);
  });

  test('401 UNAUTHORIZED and 403 FORBIDDEN', async () => {
    const id = await history.account();
    const path = `/internal-accounts/${id}/confirm-statement`;
    assertRefused(await service.as('nobody', 'nothing').post(path, { periodStart: MAY }), 401, 'UNAUTHORIZED');
    const token = await expectStatus(201, platform.post('/tokens', { name: 'viewer', permissions: ['VIEW'] }));
    assertRefused(await service.as(token.clientId, token.clientSecret).post(path, { periodStart: MAY }), 403, 'FORBIDDEN');
    assert.deepEqual(await history.receipts(id), []);
  });
});
