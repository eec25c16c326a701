// The mutants of `npm run prove -- mutation`.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { applied, mutantsOf, tokensOf } from '../../prove/mutation/mutants.js';

const whatOf = (code: string) => mutantsOf(code).map(({ what }) => what);

describe('mutants', () => {
  test('every kind of mutant is planted where it belongs', () => {
    assert.deepEqual(whatOf('x = a < b;'), ['< → <=']);
    assert.deepEqual(whatOf('x = a && !b;'), ['&& → ||', '! → !!']);
    assert.deepEqual(whatOf('x = a - 1n;'), ['- → +', '1n → 2n']);
    assert.deepEqual(whatOf("throw new E('CODE');"), ['throw → void', "'CODE' → ''"]);
    assert.deepEqual(whatOf('if (a(b)) c();'), ['if (a(b)) → if (true)', 'if (a(b)) → if (false)']);
    assert.deepEqual(whatOf('x = list.some(f);'), ['some → every']);
    assert.deepEqual(whatOf('x = a / b % c * d;'), ['/ → *', '% → *', '* → /']);
    assert.deepEqual(whatOf("x = a ? 'ONE' : 'TWO';"), ["'ONE' → ''", "'TWO' → ''"]);
  });

  test('signs, words for people, member names, comments, patterns and imports are left alone', () => {
    assert.deepEqual(whatOf('x = -y;'), []);
    assert.deepEqual(whatOf("x = 'words for people';"), []);
    assert.deepEqual(whatOf("x = { 'a-b': y };"), []);
    assert.deepEqual(whatOf('// a < b\nx = y; /* true */'), []);
    assert.deepEqual(whatOf("import { a } from 'b';\nx = y;"), []);
    assert.deepEqual(whatOf('x = /a<b/.test(y);'), []);
    assert.deepEqual(tokensOf('a / b / c').filter(({ kind }) => kind === 'pattern').length, 0);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a program.
    assert.deepEqual(whatOf('x = `${a < b ? `${c}` : d}`;'), []);
  });

  test('an applied mutant changes its place alone', () => {
    const code = 'x = a < b && c < d;';
    assert.deepEqual(
      mutantsOf(code).map((mutant) => applied(code, mutant)),
      ['x = a <= b && c < d;', 'x = a < b || c < d;', 'x = a < b && c <= d;'],
    );
  });
});
