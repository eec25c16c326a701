// Returns, reversals of returns, and disputes.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  assertAtRest,
  fundedCard,
  gist,
  lentByReserve,
  moneyOn,
  networkOf,
  owedOn,
  platformOf,
} from '../../../support/card-transactions.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { eventsAbout } from '../../../support/database-state.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startOwnService({ RATE_LIMIT_PER_MINUTE: 'off' });
});
after(() => service.stop());

/** A settled purchase of 400 on a new platform. */
async function settled() {
  const platform: Client = await service.newPlatform();
  const { card, account } = await fundedCard(platform, 1_000);
  const network = networkOf(platform, card);
  const purchase = await network.clear(await network.authorize(400), 400);
  const platformId = await platformOf(service.db, card);
  return {
    platform,
    card,
    network,
    purchase,
    available: async () => (await moneyOn(service.db, account)).available,
    owed: () => owedOn(service.db, platformId),
    lent: () => lentByReserve(service.db, platformId),
    atRest: () => assertAtRest(service.db, platformId),
  };
}

describe('return', () => {
  test('a return is a separate CREDIT transaction with originalTransactionId; the purchase stays SETTLED and sends no event', async () => {
    const { network, purchase, available, atRest } = await settled();
    const returned = await network.giveBack(purchase, 150);
    assert.deepEqual(
      [returned.direction, returned.originalTransactionId, gist(returned)],
      ['CREDIT', purchase.id, { status: 'SETTLED', authorized: 150, settled: 150 }],
    );
    assert.notEqual(returned.issuerTransactionToken, purchase.issuerTransactionToken);
    assert.deepEqual(gist(await network.read(purchase.id)), { status: 'SETTLED', authorized: 400, settled: 400, refunded: 150 });
    assert.equal((await eventsAbout(service.db, purchase.id)).length, 2);
    assert.deepEqual(await eventsAbout(service.db, returned.id), [{ type: 'CARD_TRANSACTION.SETTLED', data: returned }]);
    assert.equal(await available(), 750);
    await atRest();
  });

  test('several returns add up to at most the settled amount', async () => {
    const { network, purchase, available } = await settled();
    await network.giveBack(purchase, 399);
    await changesNothing(service.db, async () =>
      assertInvalid(await network.send('return', { cardTransactionId: purchase.id, amount: 2 }), 'amount'),
    );
    await network.giveBack(purchase, 1);
    await changesNothing(service.db, async () =>
      assertInvalid(await network.send('return', { cardTransactionId: purchase.id, amount: 1 }), 'cardTransactionId'),
    );
    assert.equal(await available(), 1_000);
  });

  test('a return of a partially settled purchase does not reduce later clearings', async () => {
    const { network, available, atRest } = await settled();
    const purchase = await network.clear(await network.authorize(100), 60);
    await network.giveBack(purchase, 60);
    assert.equal(await available(), 560);
    assert.deepEqual(gist(await network.clear(purchase, 40)), { status: 'SETTLED', authorized: 100, settled: 100, refunded: 60 });
    assert.equal(await available(), 560);
    await atRest();
  });

  test('a return arrives on the account and first pays what its holder owes', async () => {
    const { network, available, owed, atRest } = await settled();
    const over = await network.clear(await network.authorize(600), 700);
    assert.deepEqual([over.status, await owed(), await available()], ['EXCEPTION', 100, 0]);
    await network.giveBack(over, 150);
    assert.deepEqual([await owed(), await available()], [0, 50]);
    await atRest();
  });

  test('400: a return of a transaction that is not settled, or of another return', async () => {
    const { network, purchase } = await settled();
    const open = await network.authorize(1);
    const returned = await network.giveBack(purchase, 10);
    await changesNothing(service.db, async () => {
      for (const { id } of [open, returned])
        assertInvalid(await network.send('return', { cardTransactionId: id, amount: 1 }), 'cardTransactionId');
    });
  });
});

describe('return_reversal', () => {
  test('VOIDED: the account pays the amount again, and the purchase is no longer refunded', async () => {
    const { network, purchase, available, atRest } = await settled();
    const returned = await network.giveBack(purchase, 150);
    assert.deepEqual(gist(await network.takeReturnBack(returned)), { status: 'VOIDED', authorized: 0 });
    assert.deepEqual(gist(await network.read(purchase.id)), { status: 'SETTLED', authorized: 400, settled: 400 });
    assert.equal(await available(), 600);
    await atRest();
    await changesNothing(service.db, async () =>
      assertInvalid(await network.send('return_reversal', { cardTransactionId: returned.id }), 'cardTransactionId'),
    );
  });

  test('EXCEPTION: the account pays what it has, and its holder owes the rest', async () => {
    const { network, purchase, available, owed, atRest } = await settled();
    const returned = await network.giveBack(purchase, 150);
    await network.authorize(601);
    assert.equal((await network.takeReturnBack(returned)).status, 'EXCEPTION');
    assert.deepEqual([await available(), await owed()], [0, 1]);
    await atRest();
  });

  test('400: the transaction is not a settled return', async () => {
    const { network, purchase } = await settled();
    await changesNothing(service.db, async () =>
      assertInvalid(await network.send('return_reversal', { cardTransactionId: purchase.id }), 'cardTransactionId'),
    );
  });
});

describe('disputes', () => {
  /** The steps of the dispute of a purchase of 400. */
  async function disputed(fields: Record<string, unknown> = {}) {
    const world = await settled();
    const ref = { cardTransactionId: world.purchase.id };
    const step = (name: string, body: Record<string, unknown> = {}) => world.network.send(`dispute_${name}`, { ...ref, ...body });
    const opened = await expectStatus(202, step('open', fields));
    return { ...world, step, opened };
  }

  test('open: the default amount is the settled amount; neither transaction nor balance changes', async () => {
    const { opened, network, purchase, step, available } = await disputed({ reason: 'Never arrived.' });
    assert.deepEqual([opened.status, opened.disposition], ['OPEN', null]);
    assert.match(opened.disputeId, /^CardDispute:/);
    assert.deepEqual(await network.read(purchase.id), purchase);
    assert.equal(await available(), 600);
    await changesNothing(service.db, async () => assertRefused(await step('open'), 409, 'CONFLICT'));
  });

  test('open: 400 for more than the settled amount, or if nothing is settled', async () => {
    const { network, purchase } = await settled();
    const open = await network.authorize(1);
    await changesNothing(service.db, async () => {
      assertInvalid(await network.send('dispute_open', { cardTransactionId: purchase.id, amount: 401 }), 'amount');
      assertInvalid(await network.send('dispute_open', { cardTransactionId: open.id }), 'cardTransactionId');
    });
  });

  test('provisional credits are paid by the reserve, up to the disputed amount, and can be reversed', async () => {
    const { step, available, lent, atRest } = await disputed({ amount: 300 });
    await expectStatus(202, step('provisional_credit', { amount: 300 }));
    assert.deepEqual([await available(), await lent()], [900, 300]);
    await changesNothing(service.db, async () => {
      assertInvalid(await step('provisional_credit', { amount: 1 }), 'amount');
      assertInvalid(await step('provisional_credit_reversal', { amount: 301 }), 'amount');
    });
    await expectStatus(202, step('provisional_credit_reversal', { amount: 100 }));
    assert.deepEqual([await available(), await lent()], [800, 200]);
    await atRest();
  });

  test('the reversal of a provisional credit that was spent: the holder owes it', async () => {
    const { step, network, available, owed, lent, atRest } = await disputed();
    await expectStatus(202, step('provisional_credit', { amount: 400 }));
    await network.authorize(700);
    await expectStatus(202, step('provisional_credit_reversal', { amount: 301 }));
    assert.deepEqual([await available(), await owed(), await lent()], [0, 1, 99]);
    await atRest();
  });

  test('a lost dispute recovers its credit: from the account first, and the holder owes the rest', async () => {
    const { step, network, purchase, available, owed, lent, atRest } = await disputed();
    await expectStatus(202, step('provisional_credit', { amount: 400 }));
    await network.clear(await network.authorize(900), 900);
    await expectStatus(202, step('close', { disposition: 'LOST' }));
    assert.deepEqual([await available(), await owed(), await lent()], [0, 300, 0]);
    await network.giveBack(purchase, 350);
    assert.deepEqual([await available(), await owed()], [50, 0]);
    await atRest();
  });

  for (const { disposition, recoveredAmount, ends } of [
    { disposition: 'WON', ends: 1_000 },
    { disposition: 'PARTIALLY_WON', ends: 800 },
    { disposition: 'PARTIALLY_WON', recoveredAmount: 399, ends: 999 },
    { disposition: 'LOST', ends: 600 },
    { disposition: 'WITHDRAWN', ends: 600 },
    { disposition: 'DENIED', ends: 600 },
  ])
    test(`close ${disposition} ${recoveredAmount ?? ''}: the account has ${ends}, and the reserve is repaid`, async () => {
      const { step, available, lent, atRest } = await disputed();
      await expectStatus(202, step('provisional_credit', { amount: 250 }));
      const closed = await expectStatus(202, step('close', { disposition, ...(recoveredAmount ? { recoveredAmount } : {}) }));
      assert.deepEqual([closed.status, closed.disposition], ['CLOSED', disposition]);
      assert.deepEqual([await available(), await lent()], [ends, 0]);
      await atRest();
      await changesNothing(service.db, async () => assertInvalid(await step('close', { disposition }), 'cardTransactionId'));
    });

  test('an amount that a dispute recovered cannot be disputed or returned again', async () => {
    const { step, network, purchase, available, atRest } = await disputed();
    await expectStatus(202, step('close', { disposition: 'WON' }));
    await changesNothing(service.db, async () => {
      assertInvalid(await step('open'), 'cardTransactionId');
      assertInvalid(await network.send('return', { cardTransactionId: purchase.id, amount: 1 }), 'cardTransactionId');
    });
    assert.equal(await available(), 1_000);
    await atRest();
  });

  test('after PARTIALLY_WON the rest can be disputed, returned, or both, but nothing above it', async () => {
    const { step, network, purchase, available, atRest } = await disputed();
    await expectStatus(202, step('close', { disposition: 'PARTIALLY_WON', recoveredAmount: 300 }));
    const returns = (amount: number) => network.send('return', { cardTransactionId: purchase.id, amount });
    await changesNothing(service.db, async () => {
      assertInvalid(await step('open', { amount: 101 }), 'amount');
      assertInvalid(await returns(101), 'amount');
    });
    await expectStatus(202, step('open', { amount: 60 }));
    await changesNothing(service.db, async () => assertInvalid(await returns(41), 'amount'));
    await expectStatus(202, returns(40));
    await expectStatus(202, step('close', { disposition: 'WON' }));
    assert.equal(await available(), 1_000);
    await atRest();
  });

  test('an amount in an open dispute cannot be returned; after LOST it can', async () => {
    const { step, network, purchase, available } = await disputed();
    const whole = { cardTransactionId: purchase.id, amount: 400 };
    await changesNothing(service.db, async () => assertInvalid(await network.send('return', whole), 'cardTransactionId'));
    await expectStatus(202, step('close', { disposition: 'LOST' }));
    await expectStatus(202, network.send('return', whole));
    assert.equal(await available(), 1_000);
  });

  test('close: recoveredAmount "only for PARTIALLY_WON, strictly between 0 and disputed"', async () => {
    const { step } = await disputed();
    await changesNothing(service.db, async () => {
      for (const body of [
        { disposition: 'WON', recoveredAmount: 1 },
        { disposition: 'PARTIALLY_WON', recoveredAmount: 400 },
      ])
        assertInvalid(await step('close', body), 'recoveredAmount');
      assertInvalid(await step('close', { disposition: 'MAYBE' }), 'disposition');
    });
  });
});
