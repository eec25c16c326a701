// listServicePositions: where the money is that is on no account.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Client, expectStatus } from '../../../support/client.js';
import { quoting } from '../../../support/quotes.js';
import { startTestService, type TestService } from '../../../support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape of responses is checked against the document.
type Resource = any;

let service: TestService;
before(async () => {
  service = await startTestService({ ROLE: 'api' });
});
after(() => service.stop());

const positions = async (platform: Client): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await expectStatus(200, platform.get('/platform/positions'))).data.map(({ purpose, currency, balance }: Resource) => [
      `${purpose} ${currency}`,
      balance,
    ]),
  );

test('money on its way, converted, in suspense and outside; each currency adds up to zero with the accounts', async () => {
  const platform = service.platform;
  const build = quoting(platform);
  await platform.clock.freeze();
  await build.currencies('USD', 'EUR');
  assert.deepEqual(await positions(platform), {});
  const source = await build.fundedAccount('USD', 500_000);
  const pay = async (ending: string) =>
    build.execute(await build.quote(build.request(source, await build.eur({ id: source.customerId }, ending), 100_000)));
  await pay('003');
  assert.deepEqual(await positions(platform), { 'FUNDING USD': -500_000, 'CLEARING USD': 100_000 });
  await pay('999');
  await pay('007');
  await build.settle();
  assert.deepEqual(await positions(platform), {
    'FUNDING USD': -500_000,
    'CLEARING USD': 100_000,
    'FX USD': 99_690,
    'FX EUR': -91_714,
    'FEES USD': 310,
    'FUNDING EUR': 91_714,
    'SUSPENSE USD': 100_000,
  });
  assert.equal(await build.balance(source), 500_000 - 300_000);
  assert.deepEqual(await positions(await service.newPlatform()), {});
});
