import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTerm } from '../../../../src/domains/core/search/rules.js';

const UUID = '01950000-abcd-7000-8000-0000000000ef';

test('an id is read with its type, a uuid without; blanks around it and capitals do not matter', () => {
  assert.deepEqual(readTerm(`Customer:${UUID}`), { kind: 'ID', type: 'Customer', uuid: UUID });
  for (const text of [UUID, ` ${UUID}\n`, UUID.toUpperCase()])
    assert.deepEqual(readTerm(text), { kind: 'ID', type: undefined, uuid: UUID });
});

test('everything else is text, with single blanks; blanks alone are no term', () => {
  assert.deepEqual(readTerm('  Ada \t Lovelace '), { kind: 'TEXT', text: 'Ada Lovelace' });
  for (const text of [`customer:${UUID}`, `Customer ${UUID}`, UUID.slice(1), 'Customer:1', UUID.replace('-', '')])
    assert.deepEqual(readTerm(text), { kind: 'TEXT', text }, text);
  for (const text of ['', ' ', '\n\t']) assert.equal(readTerm(text), undefined);
});
