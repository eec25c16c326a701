// Two readers of JSON: JSON.parse for texts that are plain, the strict reader for all others. Nobody can tell which one read a text.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { JsonProblem, parseJson, parseStrictly } from '../../src/kernel/json.js';

const outcomeOf = (read: (text: string) => unknown, text: string): unknown => {
  try {
    return { value: read(text) };
  } catch (error) {
    assert.ok(error instanceof JsonProblem, String(error));
    return { problem: error.message, field: error.field };
  }
};

const assertSame = (text: string): void => assert.deepStrictEqual(outcomeOf(parseJson, text), outcomeOf(parseStrictly, text), text);

const RUNS = Number(process.env['JSON_RUNS'] ?? 300);

const name = fc.oneof(
  fc.constantFrom('a', 'b', '__proto__', 'constructor', 'prototype', 'toString', '1', '', ':', 'a:b', 'é'),
  fc.string(),
);
const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom(
    '-0',
    '0',
    '1.0',
    '1e3',
    '1E-400',
    '1e400',
    '999999999999999',
    '9007199254740991',
    '9007199254740992',
    '01',
    '-',
    '.5',
    '1.',
    '1.00000000000000000001',
  ),
);
const space = fc.constantFrom('', '', '', ' ', '\n', '\t', '\r', '\u00a0', '\ufeff');
const literal = fc.constantFrom('true', 'false', 'null', 'nul', 'True', 'NaN', 'undefined');
const quoted = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  fc.string({ unit: 'binary' }).map((text) => `"${text}"`),
  fc.constantFrom('"\\u0000"', '"\\ud800"', '"\\u0041"', '"\\x"', '"a\tb"', '"\ud800"', '"1.5"', '":"', '"1e5"', '"'),
);

/** Texts that look like JSON, with everything that makes the readers differ in principle: repeated names, odd numbers, escapes. */
const { text } = fc.letrec<{ text: string; list: string; object: string }>((tie) => ({
  text: fc.oneof({ maxDepth: 5, withCrossShrink: true }, number, literal, quoted, tie('list'), tie('object')),
  list: fc
    .array(fc.tuple(space, tie('text'), space), { maxLength: 4 })
    .map((items) => `[${items.map((parts) => parts.join('')).join(',')}]`),
  object: fc
    .array(fc.tuple(name, space, tie('text'), space), { maxLength: 4 })
    .map(
      (members) =>
        `{${members.map(([key, before, value, after]) => `${JSON.stringify(key)}${before}:${before}${value}${after}`).join(',')}}`,
    ),
}));

describe('both readers give the same value or the same error', () => {
  test('for texts that look like JSON', () => {
    fc.assert(
      fc.property(text, space, space, (body, before, after) => assertSame(before + body + after)),
      { numRuns: RUNS },
    );
  });

  test('for JSON in which one character was changed, removed or repeated', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', '"', '\\', ',', ':', '{', '}', '[', ']', '0', '.', 'e', ' ', '\u0000'),
        (json, where, put) => {
          const at = where % (json.length + 1);
          assertSame(json);
          assertSame(json.slice(0, at) + put + json.slice(at + 1));
          assertSame(json.slice(0, at) + put + json.slice(at));
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('for any text', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), assertSame), { numRuns: RUNS });
  });

  test('at the bounds of depth, members and digits', () => {
    for (const depth of [30, 31, 32, 33, 1_000]) {
      assertSame(`${'['.repeat(depth)}${']'.repeat(depth)}`);
      assertSame(`${'['.repeat(depth)}1${']'.repeat(depth)}`);
      assertSame(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
    }
    for (const members of [998, 999, 1_000, 1_001]) {
      assertSame(`[${Array.from({ length: members }, () => '1').join(',')}]`);
      assertSame(`{${Array.from({ length: members }, (_, i) => `"k${i}":1`).join(',')}}`);
    }
    for (let digits = 14; digits < 20; digits += 1) for (const sign of ['', '-']) assertSame(`{"a":${sign}${'9'.repeat(digits)}}`);
  });
});

test('a repeated name, a forbidden name and an inexact number are refused in a text that is plain otherwise', () => {
  for (const refused of [
    '{"a":1,"a":1}',
    '{"b":{"a":1,"a":1}}',
    '{"__proto__":{}}',
    '{"a":[{"constructor":1}]}',
    '{"a":9007199254740993}',
    '{"a":1.00000000000000000001}',
  ])
    assert.throws(() => parseJson(refused), JsonProblem, refused);
});
