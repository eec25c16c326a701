import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Type from 'typebox';
import { MASK, masked } from '../../../../src/domains/core/requests/mask.js';
import { Closed, NullableString, OneOf } from '../../../../src/http/schemas.js';

const mask = (value: unknown, schema: object) => masked(value, schema as Record<string, unknown>);

describe('what a body shows', () => {
  test('a described value is shown, null as well', () => {
    const schema = Closed({ name: Type.String(), limit: Type.Integer(), note: Type.Optional(NullableString({})) });
    assert.deepEqual(mask({ name: 'Ada', limit: 5, note: null }, schema), { name: 'Ada', limit: 5, note: null });
  });

  for (const [what, marked] of Object.entries({
    'format: password': Type.String({ format: 'password' }),
    'x-secret': Type.String({ 'x-secret': true }),
    writeOnly: Type.String({ writeOnly: true }),
  })) {
    test(`a member marked with ${what} is masked, whatever was sent there`, () => {
      const schema = Closed({ value: marked });
      for (const sent of ['a', ['a'], { a: 'a' }, 5]) assert.deepEqual(mask({ value: sent }, schema), { value: MASK });
    });
  }

  test('a member whose name says that it is a secret is masked without a mark', () => {
    const names = ['clientSecret', 'recoveryCodes', 'oidcToken', 'pin', 'encryptedOtpBundle', 'panEmbedUrl', 'threeDSecurePassword'];
    const schema = Closed(Object.fromEntries(names.map((name) => [name, Type.String()])));
    assert.deepEqual(
      mask(Object.fromEntries(names.map((name) => [name, 'x'])), schema),
      Object.fromEntries(names.map((name) => [name, MASK])),
    );
  });

  test('a member that the schema does not describe is masked, and its name is shown', () => {
    assert.deepEqual(mask({ name: 'Ada', nmae: 'hunter2' }, Closed({ name: Type.String() })), { name: 'Ada', nmae: MASK });
  });

  test('a value of another shape than described is masked', () => {
    const schema = Closed({ amount: Type.Integer(), merchant: Closed({ name: Type.String() }), tags: Type.Array(Type.String()) });
    assert.deepEqual(mask({ amount: { x: 1 }, merchant: 'hunter2', tags: 'hunter2' }, schema), {
      amount: { x: MASK },
      merchant: MASK,
      tags: MASK,
    });
    assert.deepEqual(mask('hunter2', schema), MASK);
  });

  test('members of every variant of a union count, and a mark in one of them masks', () => {
    const schema = OneOf('type', [
      Closed({ type: Type.Literal('A'), code: Type.String({ 'x-secret': true }) }),
      Closed({ type: Type.Literal('B'), name: Type.String() }),
    ]);
    assert.deepEqual(mask({ type: 'B', name: 'Ada', code: '1' }, schema), { type: 'B', name: 'Ada', code: MASK });
  });

  test('items of a list are masked one by one', () => {
    const schema = Type.Object({ data: Type.Array(Type.Object({ id: Type.String(), secret: Type.String() })) });
    assert.deepEqual(mask({ data: [{ id: '1', secret: 's' }] }, schema), { data: [{ id: '1', secret: MASK }] });
  });

  test('an open object shows its members, and masks those with the name of a secret', () => {
    const schema = Type.Object({ data: Type.Object({}, { additionalProperties: true }) });
    assert.deepEqual(mask({ data: { a: { b: [1] }, accessToken: 'x' } }, schema), { data: { a: { b: [1] }, accessToken: MASK } });
  });

  test('what is nested more deeply than any body of the service is masked', () => {
    const nested = (levels: number): unknown => Array.from({ length: levels }).reduce((inner) => ({ a: inner }), 'x');
    assert.deepEqual(mask(nested(64), {}), nested(64));
    const shown = JSON.stringify(mask(nested(65), {}));
    assert.deepEqual([shown.includes(MASK), shown.includes('x')], [true, false]);
    const lists = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
    assert.equal(JSON.stringify(mask(lists, {})), `${'['.repeat(65)}"${MASK}"${']'.repeat(65)}`);
  });

  test('a link that opens a page for whoever has it is masked', () => {
    assert.deepEqual(mask({ url: 'https://x.example/a?token=b' }, Closed({ url: Type.String() })), { url: MASK });
    assert.deepEqual(mask({ url: 'https://x.example/a' }, Closed({ url: Type.String() })), { url: 'https://x.example/a' });
  });
});
