// Which faults can be set, and which apply to a request or an event.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { appliesToEvent, appliesToRequest, checkFaults, isFinal } from '../../../src/domains/sandbox/fault-rules.js';
import { FAULT_KINDS, type Fault } from '../../../src/domains/sandbox/fault-schemas.js';
import type { Operation } from '../../../src/http/operation.js';
import type { ErrorCode } from '../../../src/kernel/errors.js';
import { fieldsOf, refusalBy } from '../../support/refusal.js';

const operationOf = (id: string, errors: readonly ErrorCode[] = []): Operation =>
  ({ id, method: 'GET', path: '/things', permission: 'VIEW', success: {}, errors }) as unknown as Operation;
const OPERATIONS = [
  operationOf('getCardById', ['NOT_FOUND']),
  operationOf('createQuote', ['QUOTE_EXPIRED']),
  operationOf('getSandboxFaults'),
  operationOf('setSandboxFaults'),
  operationOf('deleteSandboxFaults'),
];
const [CARD, QUOTE] = OPERATIONS as [Operation, Operation];
const checked = (...faults: Fault[]) => refusalBy(() => checkFaults(faults, OPERATIONS));

/** Kind → the members it takes; the needed ones with a star. */
const MEMBERS: Readonly<Record<Fault['kind'], string>> = {
  ANSWER: 'operation code* objectId',
  DELAY: 'operation delayMs* objectId',
  CUT_BEFORE_COMMIT: 'operation objectId',
  CUT_AFTER_COMMIT: 'operation objectId',
  WEBHOOK_LOST: 'eventType objectId',
  WEBHOOK_DUPLICATE: 'eventType objectId',
  PROVIDER_REFUSES: 'provider*',
  PROVIDER_SLOW: 'delayMs* provider*',
  PROVIDER_SILENT: 'provider*',
};
const VALUES = {
  operation: 'getCardById',
  code: 'NOT_FOUND',
  delayMs: 10,
  eventType: 'card.status_change',
  provider: 'RAIL',
  objectId: 'Card:1',
} as const;

describe('the members of a fault', () => {
  for (const kind of FAULT_KINDS)
    test(`${kind}: ${MEMBERS[kind]}`, () => {
      const taken = MEMBERS[kind].split(' ');
      const needed = taken.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1) as keyof typeof VALUES);
      const least: Fault = { kind, ...Object.fromEntries(needed.map((name) => [name, VALUES[name]])) };
      assert.equal(checked(least), 'allowed');
      for (const name of needed) {
        const { [name]: _left, ...without } = least;
        assert.deepEqual(
          fieldsOf(() => checkFaults([least, without as Fault], OPERATIONS)),
          [`faults.1.${name}`],
        );
      }
      for (const name of Object.keys(VALUES) as (keyof typeof VALUES)[]) {
        const isTaken = taken.some((each) => each.replace('*', '') === name);
        assert.equal(checked({ ...least, [name]: VALUES[name] }), isTaken ? 'allowed' : `INVALID_INPUT faults.0.${name}`, name);
      }
    });
});

describe('the values of a fault', () => {
  test('members are looked at before their values', () => {
    assert.equal(checked({ kind: 'ANSWER', operation: 'x' }), 'INVALID_INPUT faults.0.code');
  });

  test('an operation that exists, with a code that the document lists for it', () => {
    assert.equal(checked({ kind: 'ANSWER', operation: 'x', code: 'NOT_FOUND' }), 'INVALID_INPUT faults.0.operation');
    assert.equal(checked({ kind: 'ANSWER', operation: 'getCardById', code: 'QUOTE_EXPIRED' }), 'INVALID_INPUT faults.0.code');
    assert.equal(checked({ kind: 'ANSWER', operation: 'createQuote', code: 'QUOTE_EXPIRED' }), 'allowed');
    assert.equal(checked({ kind: 'ANSWER', code: 'QUOTE_EXPIRED' }), 'allowed', 'without an operation: one that lists it');
    assert.equal(checked({ kind: 'ANSWER', code: 'CARD_NOT_MUTABLE' }), 'INVALID_INPUT faults.0.code');
    for (const code of ['toString', '__proto__', '']) assert.equal(checked({ kind: 'ANSWER', code }), 'INVALID_INPUT faults.0.code', code);
  });

  test('a fault on the operations that remove faults must end by itself', () => {
    for (const operation of ['getSandboxFaults', 'setSandboxFaults', 'deleteSandboxFaults']) {
      assert.equal(checked({ kind: 'CUT_AFTER_COMMIT', operation }), 'INVALID_INPUT faults.0.count');
      assert.equal(checked({ kind: 'CUT_AFTER_COMMIT', operation, count: 1 }), 'allowed');
    }
    assert.equal(checked({ kind: 'CUT_AFTER_COMMIT', operation: 'getCardById' }), 'allowed');
  });

  test('a type of event that exists', () => {
    assert.equal(checked({ kind: 'WEBHOOK_LOST', eventType: 'CARD.NOTHING' }), 'INVALID_INPUT faults.0.eventType');
    assert.equal(checked({ kind: 'WEBHOOK_LOST' }), 'allowed');
  });

  test('waiting in real time takes at most ten seconds; rails and verifications are slow by the clock', () => {
    const slow = (fields: Partial<Fault>, delayMs: number) => checked({ kind: 'PROVIDER_SLOW', delayMs, ...fields });
    const TOO_LONG = 'INVALID_INPUT faults.0.delayMs';
    assert.deepEqual(
      [10_000, 10_001].map((delayMs) => checked({ kind: 'DELAY', delayMs })),
      ['allowed', TOO_LONG],
    );
    for (const provider of ['CARD_ISSUER', 'STABLECOIN_ISSUER'] as const)
      assert.deepEqual([slow({ provider }, 10_000), slow({ provider }, 10_001)], ['allowed', TOO_LONG], provider);
    assert.equal(slow({ provider: 'RAIL' }, 10_001), 'allowed');
  });
});

describe('a request', () => {
  const applies = (fault: Fault, op = CARD, named: readonly string[] = []) => appliesToRequest(fault, op, (id) => named.includes(id));
  test('only the faults of requests apply to it', () => {
    const applying = FAULT_KINDS.filter((kind) => applies({ kind }));
    assert.deepEqual(applying, ['ANSWER', 'DELAY', 'CUT_BEFORE_COMMIT', 'CUT_AFTER_COMMIT']);
  });

  test('of the operation that is named, or of every operation but those that remove faults', () => {
    assert.equal(applies({ kind: 'DELAY', operation: 'getCardById' }), true);
    assert.equal(applies({ kind: 'DELAY', operation: 'createQuote' }), false);
    const controls = OPERATIONS.slice(2);
    assert.deepEqual(
      controls.map((op) => applies({ kind: 'DELAY' }, op)),
      [false, false, false],
    );
    assert.deepEqual(
      controls.map((op) => applies({ kind: 'DELAY', operation: op.id }, op)),
      [true, true, true],
    );
  });

  test('with a code that the operation can answer', () => {
    assert.equal(applies({ kind: 'ANSWER', code: 'NOT_FOUND' }, CARD), true);
    assert.equal(applies({ kind: 'ANSWER', code: 'NOT_FOUND' }, QUOTE), false);
    assert.equal(applies({ kind: 'ANSWER', code: 'FORBIDDEN' }, QUOTE), true, 'every operation with a token can answer it');
  });

  test('that names the object', () => {
    assert.equal(applies({ kind: 'DELAY', objectId: 'Card:1' }, CARD, ['Card:1']), true);
    assert.equal(applies({ kind: 'DELAY', objectId: 'Card:1' }, CARD, ['Card:2']), false);
  });
});

describe('an event', () => {
  const event = { type: 'card.status_change', objectId: 'Card:1' };
  test('only the faults of webhooks apply to it', () => {
    assert.deepEqual(
      FAULT_KINDS.filter((kind) => appliesToEvent({ kind }, event)),
      ['WEBHOOK_LOST', 'WEBHOOK_DUPLICATE'],
    );
  });

  test('of its type and about its object, where they are named', () => {
    for (const kind of ['WEBHOOK_LOST', 'WEBHOOK_DUPLICATE'] as const) {
      assert.equal(appliesToEvent({ kind, eventType: 'card.status_change', objectId: 'Card:1' }, event), true);
      assert.equal(appliesToEvent({ kind, eventType: 'TEST' }, event), false);
      assert.equal(appliesToEvent({ kind, objectId: 'Card:2' }, event), false);
    }
  });
});

test('a delay goes on to the next fault; every other one decides the request', () => {
  assert.deepEqual(
    FAULT_KINDS.filter((kind) => !isFinal({ kind })),
    ['DELAY'],
  );
});
