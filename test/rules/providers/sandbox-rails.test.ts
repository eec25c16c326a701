// What the sandbox rails say, by the last three characters of the identifier.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tx } from '../../../src/db/pool.js';
import { newId } from '../../../src/kernel/ids.js';
import type { DebitKind, OrderKind, ScheduledMessage } from '../../../src/providers/rails.js';
import { sandboxRails } from '../../../src/providers/sandbox-rails.js';

const notUsed = {} as Tx;
const order = <Kind extends OrderKind>(identifier: string, kind: Kind) => ({
  platformId: newId('Platform'),
  paymentId: newId('Transaction'),
  kind,
  amount: 1n,
  currency: 'EUR',
  paymentRail: 'SEPA',
  identifier,
});
const brief = (messages: readonly ScheduledMessage[]) =>
  messages.map(({ kind, reason, afterMs }) => [kind, reason, afterMs / 1000].filter((part) => part !== undefined).join(' '));

test('payouts of quotes', async () => {
  const say = async (ending: string) => brief(await sandboxRails.submit(notUsed, order(`DE8937040044053201${ending}`, 'QUOTE')));
  assert.deepEqual(await say('002'), ['FAILED QUOTE_EXECUTION_FAILED 0']);
  assert.deepEqual(await say('003'), ['SETTLED 360']);
  assert.deepEqual(await say('004'), ['FAILED ACCOUNT_CANNOT_RECEIVE 0']);
  assert.deepEqual(await say('005'), ['SETTLED 0', 'RETURNED PAYOUT_RETURNED 30']);
  assert.deepEqual(await say('006'), ['CANCELLED 0']);
  assert.deepEqual(await say('007'), ['FAILED QUOTE_EXECUTION_FAILED 0']);
  assert.deepEqual(await say('008'), ['SETTLED 0']);
});

test('transfers out', async () => {
  const say = async (ending: string) => brief(await sandboxRails.submit(notUsed, order(`12345${ending}`, 'TRANSFER')));
  assert.deepEqual(await say('002'), ['FAILED QUOTE_EXECUTION_FAILED 0']);
  assert.deepEqual(await say('003'), ['FAILED ACCOUNT_INVALID 0']);
  assert.deepEqual(await say('004'), ['FAILED ACCOUNT_CANNOT_RECEIVE 0']);
  assert.deepEqual(await say('005'), ['FAILED TIMEOUT 30']);
  assert.deepEqual(await say('006'), ['ACCEPTED 0', 'SETTLED 0']);
});

test('money that goes on to an account of its receiver', async () => {
  const say = async (ending: string) => brief(await sandboxRails.submit(notUsed, order(`12345${ending}`, 'FORWARD')));
  for (const ending of ['002', '003', '004', '007']) assert.deepEqual(await say(ending), ['FAILED OFFRAMP_FAILED 0']);
  assert.deepEqual(await say('005'), ['SETTLED 0']);
  assert.deepEqual(await say('999'), ['SETTLED 0']);
});

test('debits', async () => {
  const say = async (ending: string, kind: DebitKind) => brief(await sandboxRails.collect(notUsed, order(`12345${ending}`, kind)));
  for (const ending of ['002', '003', '004']) assert.deepEqual(await say(ending, 'QUOTE'), ['COLLECTION_FAILED 0']);
  assert.deepEqual(await say('005', 'QUOTE'), ['COLLECTION_FAILED 30']);
  assert.deepEqual(await say('009', 'QUOTE'), ['COLLECTED 0']);
  assert.deepEqual(await say('009', 'TRANSFER'), ['ACCEPTED 0', 'COLLECTED 0']);
});

test('a refund of a payout to 007 fails, any other is paid; transfers have no such ending', async () => {
  const say = async (identifier: string, kind: OrderKind) => brief(await sandboxRails.refund(notUsed, order(identifier, kind)));
  for (const kind of ['QUOTE', 'FORWARD'] as const) {
    assert.deepEqual(await say('1007', kind), ['REFUND_FAILED 0']);
    assert.deepEqual(await say('1002', kind), ['REFUND_PAID 0']);
    assert.deepEqual(await say('', kind), ['REFUND_PAID 0']);
  }
  for (const identifier of ['1007', '1002', '']) assert.deepEqual(await say(identifier, 'TRANSFER'), ['REFUND_PAID 0']);
});

test('of x@y the part before @ counts', async () => {
  assert.deepEqual(brief(await sandboxRails.submit(notUsed, order('ada002@bank', 'QUOTE'))), ['FAILED QUOTE_EXECUTION_FAILED 0']);
});
