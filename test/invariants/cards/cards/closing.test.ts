// The issuer is told that the cards of a deleted customer are closed, until it has answered.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { IssuerSilent } from '../../../../src/providers/card-issuer.js';
import { givenCard, givenCardholder, requestCard } from '../../../support/cards.js';
import { type Client, expectStatus } from '../../../support/client.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
/** Cards that the issuer was told to be closed, and how often it will not answer. */
const told: string[] = [];
let silences = 0;
/** Until then the issuer makes no card. */
let whenMade: Promise<void> = Promise.resolve();

before(async () => {
  // Without a worker the clock does what is due.
  service = await startOwnService({ ROLE: 'api' }, ({ issuer }) => ({
    issuer: {
      ...issuer,
      async order(order, now) {
        await whenMade;
        return issuer.order(order, now);
      },
      async instruct(instruction) {
        if (instruction.status?.to !== 'CLOSED') return issuer.instruct(instruction);
        told.push(instruction.card.id);
        if (silences-- > 0) throw new IssuerSilent('no answer');
      },
    },
  }));
  platform = service.platform;
  await platform.clock.freeze();
});
after(() => service.stop());

test('an issuer that does not answer is told again, until it does', async () => {
  const { card, customer } = await givenCard(platform);
  told.length = 0;
  silences = 2;
  await expectStatus(200, platform.delete(`/customers/${customer.id}`));
  const times = async (ms: number) => {
    await platform.clock.advance(ms);
    return told.length;
  };
  assert.deepEqual([await times(29_999), await times(1), await times(29_999), await times(1), await times(86_400_000)], [1, 2, 2, 3, 3]);
  assert.deepEqual([...new Set(told)], [card.id]);
});

test('a card that the issuer makes after it was told so is closed there as well', async () => {
  const { customer, usd } = await givenCardholder(platform);
  let make = () => {};
  whenMade = new Promise((resolve) => {
    make = resolve;
  });
  told.length = 0;
  const card = await expectStatus(201, requestCard(platform, { customerId: customer.id, fundingSource: usd.id }));
  await expectStatus(200, platform.delete(`/customers/${customer.id}`));
  assert.deepEqual(told, [card.id]);
  make();
  while (told.length < 2) await platform.clock.advance(0);
  assert.deepEqual(told, [card.id, card.id]);
});
