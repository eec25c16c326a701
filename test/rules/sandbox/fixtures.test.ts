// Fixtures: which operation a step calls, and what its references stand for.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of fixtures look like this.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fillIn, findChangedStep, planFixture } from '../../../src/domains/sandbox/fixture-rules.js';
import type { Fixture } from '../../../src/domains/sandbox/fixture-schemas.js';
import type { Operation } from '../../../src/http/operation.js';
import { answerOf, refusalBy } from '../../support/refusal.js';

const operationOf = (id: string, command: string, path = '/things', more: object = {}): Operation =>
  ({ id, command, path, method: 'POST', permission: 'TRANSACT', success: {}, ...more }) as unknown as Operation;
const OPERATIONS = [
  operationOf('createCustomer', 'customers create'),
  operationOf('executeQuote', 'quotes execute', '/quotes/{quoteId}/execute'),
  operationOf('updateSandboxClock', 'sandbox clock set'),
  operationOf('resetSandbox', 'sandbox reset'),
  operationOf('restoreSandboxSnapshot', 'sandbox snapshots restore', '/sandbox/snapshots/{id}/restore'),
  operationOf('applySandboxFixture', 'sandbox fixtures apply'),
  operationOf('uploadDocument', 'documents create', '/documents', { multipart: true }),
];
type Step = Fixture['steps'][number];
const ada: Step = { name: 'ada', call: 'customers create', body: { fullName: 'Ada' } };
const planned = (...steps: Step[]) => planFixture({ name: 'test', steps }, OPERATIONS);
const refused = (...steps: Step[]) => refusalBy(() => planned(...steps));

describe('the plan of a fixture', () => {
  test('every step with its operation', () => {
    const steps: Step[] = [
      ada,
      { name: 'later', clock: { advanceMs: 1 } },
      { name: 'paid', call: 'quotes execute', ids: ['${ada.quoteId}'] },
    ];
    assert.deepEqual(
      planned(...steps).map(({ step, op }) => `${step.name} ${op.id}`),
      ['ada createCustomer', 'later updateSandboxClock', 'paid executeQuote'],
    );
  });

  test('a step has either a call or a clock', () => {
    assert.equal(refused({ name: 'ada' }), 'INVALID_INPUT steps.0.call');
    assert.equal(refused({ ...ada, clock: { advanceMs: 1 } }), 'INVALID_INPUT steps.0.call');
  });

  test('the call is a command that exists and that a fixture may call', () => {
    for (const call of ['customers delete', 'sandbox reset', 'sandbox snapshots restore', 'sandbox fixtures apply', 'documents create'])
      assert.equal(refused({ name: 'x', call, ids: [] }), 'INVALID_INPUT steps.0.call', call);
  });

  test('as many ids as the path has parameters', () => {
    assert.equal(refused({ name: 'x', call: 'quotes execute' }), 'INVALID_INPUT steps.0.ids');
    assert.equal(refused({ name: 'x', call: 'quotes execute', ids: ['a', 'b'] }), 'INVALID_INPUT steps.0.ids');
    assert.equal(refused({ ...ada, ids: ['a'] }), 'INVALID_INPUT steps.0.ids');
    assert.equal(refused({ name: 'x', call: 'quotes execute', ids: ['a'] }), 'allowed');
  });

  test('names are used once, and references name an earlier step', () => {
    assert.equal(refused(ada, ada), 'INVALID_INPUT steps.1.name');
    assert.equal(refused(ada, { ...ada, name: 'bob', body: { friend: '${ada.id}' } }), 'allowed');
    assert.equal(refused({ ...ada, body: { friends: ['of ${bob.id}'] } }, { ...ada, name: 'bob' }), 'INVALID_INPUT steps.0.bob');
    assert.equal(refused({ ...ada, body: { self: '${ada}' } }), 'INVALID_INPUT steps.0.ada');
  });

  test('outputs refer to any step', () => {
    const outputs = (text: string) => refusalBy(() => planFixture({ name: 'test', steps: [ada], outputs: { id: text } }, OPERATIONS));
    assert.equal(outputs('${ada.id}'), 'allowed');
    assert.equal(outputs('${bob.id}'), 'INVALID_INPUT outputs.bob');
  });

  test('every mistake is named at once', () => {
    assert.equal(refused({ name: 'x', call: 'nothing' }, { name: 'x' }), 'INVALID_INPUT steps.0.call steps.1.name steps.1.call');
  });
});

describe('references', () => {
  const answers = new Map<string, unknown>([['ada', { id: 'Customer:1', amount: 5, address: { city: 'Bath' }, list: ['x'], none: null }]]);
  const filled = (template: unknown) => fillIn(template, answers, 'bob');

  test('a text that is one reference becomes the value; within a text it is written into it', () => {
    assert.equal(filled('${ada.amount}'), 5);
    assert.equal(filled('costs ${ada.amount}.'), 'costs 5.');
    assert.deepEqual(filled('${ada.address}'), { city: 'Bath' });
    assert.equal(filled('at ${ada.address}'), 'at {"city":"Bath"}');
    assert.equal(filled('${ada.address.city} ${ada.list.0}'), 'Bath x');
    assert.equal(filled('${ada.none}'), null);
  });

  test('in members and lists at any depth; all else stays', () => {
    assert.deepEqual(filled({ a: ['${ada.id}', 1, null, true], b: { c: '$ada ${1x}' } }), {
      a: ['Customer:1', 1, null, true],
      b: { c: '$ada ${1x}' },
    });
  });

  test('a member that the answer does not have is 409 CONFLICT and is named; the prototype has none', () => {
    assert.deepEqual(
      answerOf(() => filled('${ada.address.zip}')),
      ['CONFLICT', { step: 'bob', reference: 'ada.address.zip' }],
    );
    for (const reference of ['${ada.toString}', '${ada.id.length.x}', '${ada.none.x}', 'x ${bob}'])
      assert.equal(
        refusalBy(() => filled(reference)),
        'CONFLICT',
        reference,
      );
  });
});

test('a step that was applied must have the same text; the order of its members is no change', () => {
  const [step] = planned({ name: 'ada', call: 'customers create', body: { a: 1, b: 2 } });
  const [same] = planned({ body: { b: 2, a: 1 }, call: 'customers create', name: 'ada' });
  const [other] = planned({ name: 'ada', call: 'customers create', body: { a: 1, b: 3 } });
  assert.ok(step && same && other);
  const applied = new Map([['ada', { hash: step.hash, answer: {} }]]);
  assert.equal(findChangedStep([same], applied), undefined);
  assert.equal(findChangedStep([other], applied), 'ada');
  assert.equal(findChangedStep([other], new Map()), undefined);
});

test('what the references of one step stand for is bounded, as texts and as values', () => {
  const answers = new Map([['ada', { list: 'x'.repeat(10_000) }]]);
  const many = Array.from({ length: 5_000 }, () => '${ada.list}');
  for (const template of [{ fullName: many.join('') }, { list: many }, { fullName: many.map(() => '${ada}').join('') }])
    assert.equal(
      refusalBy(() => fillIn(template, answers, 'step')),
      'CONFLICT',
    );
  assert.deepEqual(fillIn({ list: many.slice(0, 10) }, answers, 'step'), { list: many.slice(0, 10).map(() => 'x'.repeat(10_000)) });
  const whole = 'x'.repeat(1024 * 1024);
  assert.equal(fillIn('${ada}', new Map([['ada', whole]]), 'step'), whole, '1,048,576 characters are the most');
  assert.deepEqual(
    answerOf(() => fillIn('${ada}', new Map([['ada', `${whole}x`]]), 'step')),
    ['CONFLICT', { step: 'step', limit: 1_048_576 }],
  );
});
