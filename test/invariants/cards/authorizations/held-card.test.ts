// A lock on a card (a PATCH holds it while it calls the issuer) delays the authorizations of that card and of no other card.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Tx } from '../../../../src/db/pool.js';
import { sql } from '../../../../src/db/sql.js';
import { uuidOf } from '../../../../src/kernel/ids.js';
import { fundedCard, issuerOf, moneyOn } from '../../../support/card-transactions.js';
import { closing, freezing } from '../../../support/cards.js';
import { expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

let service: TestService;
before(async () => {
  service = await startTestService({ RATE_LIMIT_PER_MINUTE: 'off', ISSUER_DEADLINE_MS: '60000' });
});
after(() => service.stop());

async function asker() {
  const { card, account } = await fundedCard(service.platform, 1_000);
  const { ask } = issuerOf(service.platform, card);
  return { card, account, ask: async () => (await expectStatus(200, ask({ amount: 100 }))).decision };
}

const lock = async (tx: Tx, card: string) => {
  const platform = uuidOf(await platformIdOf(service, service.platform));
  await tx.run(sql`select from cards where platform_id = ${platform} and id = ${card.slice(5)} for update`);
};

test('a locked card delays no other card; its own authorizations are decided once each afterwards', { timeout: 30_000 }, async () => {
  const [held, other] = [await asker(), await asker()];
  const answered: string[] = [];
  const waiting = await service.db.transaction(async (tx) => {
    await lock(tx, held.card.id);
    const asked = Array.from({ length: 5 }, () => held.ask().finally(() => answered.push('held')));
    for (let i = 0; i < 5; i += 1) {
      assert.equal(await other.ask(), 'APPROVED');
      answered.push('other');
    }
    return asked;
  });
  assert.deepEqual(await Promise.all(waiting), Array(5).fill('APPROVED'));
  assert.deepEqual(answered, [...Array(5).fill('other'), ...Array(5).fill('held')]);
  assert.deepEqual(await moneyOn(service.db, held.account), { available: 500, total: 1_000 });
  assert.equal(await held.ask(), 'APPROVED');
});

test('authorizations that waited for the lock of a card are decided on its committed state', { timeout: 30_000 }, async () => {
  const { card, account, ask } = await asker();
  const waiting = await service.db.transaction(async (tx) => {
    await lock(tx, card.id);
    const frozen = service.platform.patch(`/cards/${card.id}`, freezing);
    // These requests are decided before or after the freeze, on the state that is committed at that time.
    return { frozen, asked: [ask(), ask()] };
  });
  assert.equal((await waiting.frozen).status, 200);
  assert.equal(await ask(), 'DECLINED', 'an authorization sent after the 200 to the freeze is declined');
  const approved = (await Promise.all(waiting.asked)).filter((decision) => decision === 'APPROVED').length;
  assert.deepEqual(await moneyOn(service.db, account), { available: 1_000 - 100 * approved, total: 1_000 });
});

test('an authorization that a close waited for does not end before it began', { timeout: 30_000 }, async () => {
  const { card, ask } = await asker();
  const pause = () => new Promise((resolve) => void setTimeout(resolve, 300));
  const requests = await service.db.transaction(async (tx) => {
    await lock(tx, card.id);
    const asked = ask();
    await pause();
    const closed = expectStatus(200, service.platform.patch(`/cards/${card.id}`, closing));
    await pause();
    return { asked, closed };
  });
  assert.equal(await requests.asked, 'APPROVED');
  await requests.closed;
  const { data } = await expectStatus(200, service.platform.get(`/transactions?cardId=${card.id}`));
  assert.deepEqual([data.length, data[0].status], [1, 'VOIDED']);
  assert.ok(data[0].updatedAt >= data[0].createdAt, `updated ${data[0].updatedAt}, created ${data[0].createdAt}`);
});
