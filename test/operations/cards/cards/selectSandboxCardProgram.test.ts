import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { chooseProgram, givenCard, givenCardholder } from '../../../support/cards.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
});
after(() => service.stop());

type Program = { id: string; selected: boolean; decides: string; cardCapabilities: Record<string, boolean>; fundingCurrencies: string[] };
const programs = async (): Promise<Program[]> => (await expectStatus(200, platform.get('/sandbox/card-programs'))).data;

test('the programs cover every capability, supported and unsupported, and both parties that decide authorizations', async () => {
  const all = await programs();
  const some = (what: (program: Program) => boolean | undefined) => assert.ok(all.some(what), String(what));
  some(({ id, selected }) => id === 'service_full' && selected);
  some(({ decides }) => decides === 'SERVICE');
  some(({ decides }) => decides === 'ISSUER');
  some(({ fundingCurrencies }) => !fundingCurrencies.includes('USDB'));
  for (const capability of [
    'supportsSpendLimits',
    'supportsSpendLimitsAtIssuance',
    'supportsTransactionCountLimit',
    'supports3dSecurePassword',
    'supportsPanReveal',
    'supportsDigitalWalletTokenization',
  ]) {
    some(({ cardCapabilities }) => cardCapabilities[capability]);
    some(({ cardCapabilities }) => cardCapabilities[capability] === false);
  }
});

test('a card can be issued under each program and has the listed capabilities', async () => {
  for (const { id, cardCapabilities } of await programs()) {
    await chooseProgram(platform, id);
    const { usd } = await givenCardholder(platform);
    assert.deepEqual(usd.cardCapabilities, cardCapabilities, id);
    if (id !== 'sandbox_issuer_slow')
      assert.deepEqual((await givenCard(platform, { program: id })).card.cardCapabilities, cardCapabilities, id);
  }
});

test('the selection applies to one platform only', async () => {
  await chooseProgram(platform, 'service_basic');
  assert.deepEqual(
    (await programs()).filter(({ selected }) => selected).map(({ id }) => id),
    ['service_basic'],
  );
  const { data } = await expectStatus(200, (await service.newPlatform()).get('/sandbox/card-programs'));
  assert.equal(data.find(({ selected }: Program) => selected).id, 'service_full');
});

test('400: a program that is not offered', async () => {
  assertInvalid(await platform.put('/sandbox/card-program', { program: 'gold' }), 'program');
  assertInvalid(await platform.put('/sandbox/card-program', {}), 'program');
});

test('404 in live mode', async () => {
  const live = await startTestService({ MODE: 'live', KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') });
  try {
    assertRefused(await live.platform.get('/sandbox/card-programs'), 404, 'NOT_FOUND');
  } finally {
    await live.stop();
  }
});
