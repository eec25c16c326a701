// "repeating it is harmless and the first receipt's time is kept", also 64 at once.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { race } from '../../../support/race.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { historyOf, windowPath } from '../../../support/statements/history.js';

const AT_ONCE = 64;

let service: TestService;

before(async () => {
  service = await startTestService();
});
after(() => service.stop());

race(`${AT_ONCE} receipts at once: one time is kept and all callers receive it`, async () => {
  const { platform } = service;
  const history = await historyOf(service, platform);
  await platform.clock.freeze('2026-06-10T00:00:00Z');
  const id = await history.account();
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, i) =>
      platform.post(`/internal-accounts/${id}/confirm-statement`, {
        periodStart: '2026-05-01',
        statementDeliveredAt: `2026-06-05T00:${String(i % 60).padStart(2, '0')}:00Z`,
      }),
    ),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1, 'every caller receives the same time');
  const kept = await history.receipts(id);
  assert.deepEqual(
    kept.map(({ delivered_at }) => delivered_at?.toISOString()),
    [answers[0]?.body.statementDeliveredAt],
  );
});

race('concurrent receipts and last pages leave one record with both times', async () => {
  const { platform } = service;
  const history = await historyOf(service, platform);
  await platform.clock.freeze('2026-06-10T00:00:00Z');
  const id = await history.account();
  await Promise.all(
    Array.from({ length: AT_ONCE }, (_, i) =>
      i % 2 === 0
        ? platform.post(`/internal-accounts/${id}/confirm-statement`, { periodStart: '2026-05-01' })
        : platform.get(windowPath(id, '2026-05-01T00:00:00-05:00', '2026-06-01T00:00:00-05:00')),
    ),
  );
  const at = new Date('2026-06-10T00:00:00Z');
  assert.deepEqual(await history.receipts(id), [{ period_start: '2026-05-01', fetched_at: at, delivered_at: at }]);
});
