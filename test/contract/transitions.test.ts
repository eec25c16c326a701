// "`x-transitions` on status schemas, made from the tables in `rules.ts`, automatic moves included: the picture cannot lie."
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CARD_STATUSES, type Card, type CardStatus } from '../../src/domains/cards/cards/card.js';
import {
  closeByService,
  completeDelegation,
  provisionCard,
  REQUESTED_MOVES,
  rejectCard,
  revokeDelegation,
} from '../../src/domains/cards/cards/rules.js';
import { VERIFICATION_STATUSES } from '../../src/domains/identity/customers/customer.js';
import { STATUS_CAUSES, statusAfter } from '../../src/domains/identity/verifications/rules.js';
import { canMove, mergedMoves, movesBy, movesByEvent, type ShownMove } from '../../src/kernel/lifecycle.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

type Status = { readonly enum: readonly string[]; readonly 'x-transitions'?: Readonly<Record<string, readonly ShownMove[]>> };
const schemas = (): Record<string, Status> =>
  (service.contract.document as { components: { schemas: Record<string, Status> } }).components.schemas;
const movesOf = (name: string): string[] =>
  Object.entries(schemas()[name]?.['x-transitions'] ?? {})
    .flatMap(([from, moves]) => moves.map(({ to, by, of }) => [from, to, by, of].filter((part) => part !== undefined).join(' ')))
    .sort();

describe('x-transitions', () => {
  test('stand on these status schemas, between their own values alone', () => {
    const shown = Object.entries(schemas()).filter(([, schema]) => schema['x-transitions'] !== undefined);
    assert.deepEqual(
      shown.map(([name]) => name),
      [
        'CardStatus',
        'ExternalAccountStatus',
        'KybStatus',
        'KycStatus',
        'StablecoinGridOperationsStatus',
        'StablecoinIssuanceStatus',
        'StablecoinOperationStatus',
        'TransactionStatus',
        'VerificationStatus',
      ],
    );
    for (const [name, { enum: values, 'x-transitions': table = {} }] of shown) {
      for (const [from, moves] of Object.entries(table)) {
        assert.ok(values.includes(from), `${name}: ${from}`);
        for (const { to } of moves) assert.ok(values.includes(to) && to !== from, `${name}: ${from} to ${to}`);
      }
      assert.ok(movesOf(name).length > 0, name);
    }
  });

  test('of a card are those that its rules make, by request and by themselves', () => {
    const now = new Date();
    const source = 'CardFundingSource:1';
    const base = { fundingSourceId: source, version: 1, updatedAt: now, details: null } as unknown as Card;
    const made: string[] = [];
    const note = (before: Card, after: Card | undefined, by: string): void => {
      if (after && after.status !== before.status) made.push(`${before.status} ${after.status} ${by}`);
    };
    for (const status of CARD_STATUSES) {
      for (const to of ['ACTIVE', 'FROZEN', 'CLOSED'] as const)
        if (canMove(REQUESTED_MOVES, status, to)) made.push(`${status} ${to} REQUESTED`);
      for (const fundingCurrency of ['USD', 'USDB']) {
        const card = { ...base, status: status as CardStatus, fundingCurrency };
        for (const hasKey of [true, false]) note(card, provisionCard(card, {} as never, hasKey, now), 'PROVISIONED');
        note(card, rejectCard(card, now), 'REJECTED');
        note(card, closeByService(card, now).card, 'CUSTOMER_DELETED');
        note(card, completeDelegation(card, source, now), 'DELEGATION_COMPLETED');
        note(card, revokeDelegation(card, source, now), 'DELEGATION_REVOKED');
      }
    }
    const byFunding = ['ACTIVE PENDING FUNDING_CHANGED', 'PENDING ACTIVE FUNDING_CHANGED'];
    assert.deepEqual(movesOf('CardStatus'), [...new Set([...made, ...byFunding])].sort());
  });

  test('of a customer are those of `statusAfter`', () => {
    const made = VERIFICATION_STATUSES.flatMap((from) =>
      STATUS_CAUSES.flatMap((by) => (statusAfter(from, by) === from ? [] : [`${from} ${statusAfter(from, by)} ${by}`])),
    );
    assert.deepEqual(movesOf('KycStatus'), made.sort());
    assert.deepEqual(movesOf('KybStatus'), made);
  });

  test('of a transaction name whether the payment goes out or comes in', () => {
    const moves = movesOf('TransactionStatus');
    for (const move of [
      'PENDING PROCESSING EXECUTED OUTGOING',
      'PROCESSING COMPLETED SETTLED OUTGOING',
      'PROCESSING COMPLETED COLLECTED INCOMING',
    ])
      assert.ok(moves.includes(move), `${move} is one of ${moves.join(', ')}`);
    assert.ok(moves.every((move) => !move.startsWith('REJECTED') && / (OUTGOING|INCOMING)$/.test(move)));
  });
});

test('tables of moves: an event that changes nothing is no move, and merged tables hold each move once', () => {
  const byEvent = movesByEvent({ A: { GO: 'B', STAY: 'A', SPLIT: ['B', 'C'] }, B: {}, C: {} });
  assert.deepEqual(byEvent, {
    A: [
      { to: 'B', by: 'GO' },
      { to: 'B', by: 'SPLIT' },
      { to: 'C', by: 'SPLIT' },
    ],
    B: [],
    C: [],
  });
  assert.deepEqual(mergedMoves(byEvent, movesBy('GO', { A: ['B'], B: 'C', C: undefined })), {
    ...byEvent,
    B: [{ to: 'C', by: 'GO' }],
  });
});
